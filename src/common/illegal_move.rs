//! Why a move is not legal, in the words of every kind of shogi.

use std::fmt::{Debug, Display};

use super::Kind;

/// A name with its article.
fn a(kind: &impl Kind) -> String {
    let name = kind.name();
    let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {name}")
}

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove<K: Kind, S: Debug + Display> {
    /// The text is not a move.
    #[error("`{text}` is not a move in USI notation (like {examples})")]
    NotAMove {
        /// The text.
        text: String,
        /// Moves of the game.
        examples: &'static str,
    },
    /// Nothing stands on the source square.
    #[error("there is no piece on {0}")]
    NoPiece(S),
    /// The piece on the source square is the opponent's.
    #[error("the piece on {0} belongs to the opponent")]
    NotYours(S),
    /// The dropped piece is not in hand.
    #[error("there is no {} in hand", .0.name())]
    NotInHand(K),
    /// The target square holds a piece of the mover, or any piece for a drop.
    #[error("{0} is occupied")]
    Occupied(S),
    /// The piece does not move in this way.
    #[error("{} does not move from {from} to {to}", a(kind))]
    WrongMovement {
        /// The piece.
        kind: K,
        /// Its square.
        from: S,
        /// The target.
        to: S,
    },
    /// A piece stands in the way.
    #[error("the way from {from} to {to} is blocked on {by}")]
    Blocked {
        /// The source.
        from: S,
        /// The target.
        to: S,
        /// The first piece in between, seen from the source.
        by: S,
    },
    /// The kind of piece never promotes, or not any more.
    #[error("{} does not promote", a(.0))]
    CannotPromote(K),
    /// The move neither starts nor ends in the promotion zone.
    #[error("a move promotes only if it starts or ends in the three farthest ranks")]
    OutsideZone,
    /// The piece could never move again and must promote.
    #[error("{} must promote on {to}, where it could never move again", a(kind))]
    MustPromote {
        /// The piece.
        kind: K,
        /// The target.
        to: S,
    },
    /// A dropped piece could never move again.
    #[error("{} may not be dropped on {to}, where it could never move", a(kind))]
    DeadPiece {
        /// The piece.
        kind: K,
        /// The target.
        to: S,
    },
    /// A second unpromoted pawn on a file.
    #[error("nifu: file {file} holds an unpromoted pawn of the same side already (on {pawn})")]
    Nifu {
        /// The file, from 1.
        file: usize,
        /// The pawn that is there.
        pawn: S,
    },
    /// The own king could be captured.
    #[error("the move leaves the king in check from {0}")]
    LeavesKingInCheck(S),
    /// A pawn drop that mates.
    #[error("uchifuzume: a pawn drop may not give checkmate")]
    Uchifuzume,
}

impl<K: Kind, S: Debug + Display> IllegalMove<K, S> {
    /// The text is not a move of the game in USI notation.
    pub fn not_a_move(text: &str) -> Self {
        IllegalMove::NotAMove {
            text: text.to_owned(),
            examples: K::MOVE_EXAMPLES,
        }
    }
}
