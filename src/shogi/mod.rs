//! Shogi: the rules, whole, and [`Position`], which plays them.
//!
//! What is the same in wa shogi lives in [`crate::common`]; the table says what is
//! shogi's own.
//!
//! | file | what it holds |
//! |---|---|
//! | `square` | the board's size |
//! | `piece` | kinds of piece, their letters, kanji and exchange values |
//! | `hand` | how many pieces a hand may be set up with |
//! | `attacks` | which squares a piece attacks |
//! | `position` | the board, its keys, who attacks a square |
//! | `movegen` | legal moves, whole or by stage; checking moves |
//! | `mate` | mate in one |
//! | `see` | values in exchanges |
//! | `entering_king` | declarations, point counts, the try rule |
//! | `rules` | the choices that the rules leave open; the king-capture variant |
//! | `sfen` | positions as text |
//! | `notation` | moves as people write them, in Japanese and English |
//! | `handicap` | handicap positions by name |
//! | `diagram` | the board in kanji |

pub mod attacks;
mod diagram;
pub mod entering_king;
pub mod hand;
pub mod handicap;
mod mate;
mod movegen;
pub mod notation;
pub mod piece;
mod position;
pub mod rules;
mod see;
pub mod sfen;
pub mod square;

pub use entering_king::{Declaration, Impasse};
pub use hand::Hand;
pub use movegen::CheckInfo;
pub use notation::Notation;
pub use piece::{Piece, PieceKind};
pub use position::{Position, Shogi};
pub use rules::{EnteringKingRule, Rules, Variant};
pub use sfen::SfenError;
pub use square::{Bitboard, Square};

use crate::common::Play;
use crate::game::{GameEnd, ImmediateWin};

/// A move of shogi.
pub type Move = crate::common::Move<PieceKind, Square>;

/// Where a moving piece comes from.
pub type Source = crate::common::Source<PieceKind, Square>;

/// The rule that a move breaks.
pub type IllegalMove = crate::common::IllegalMove<PieceKind, Square>;

impl Position {
    /// A move that captures the enemy king, if there is one: with promotion where
    /// that is possible, as the search leaves most other captures out.
    fn king_capture(&self) -> Option<Move> {
        let king = self.king(!self.side_to_move())?;
        let from = self
            .attackers(self.side_to_move(), king, self.occupied())
            .first()?;
        [Move::promotion(from, king), Move::board(from, king)]
            .into_iter()
            .find(|&m| self.is_legal(m))
    }
}

impl Play for Shogi {
    fn max_moves(rules: &Rules) -> u32 {
        rules.max_moves
    }

    fn immediate_win(position: &Position) -> Option<ImmediateWin<Move>> {
        if position.rules().variant == Variant::KingCapture {
            return position.king_capture().map(ImmediateWin::Move);
        }
        match position.rules().entering_king {
            EnteringKingRule::TryRule => position.try_move().map(ImmediateWin::Move),
            rule => (position.declaration(rule) == Declaration::Win)
                .then_some(ImmediateWin::Declaration),
        }
    }

    fn ended(position: &Position) -> Option<GameEnd> {
        if position.rules().variant == Variant::KingCapture {
            let winner = !position.side_to_move();
            // A side may have been set up without a king.
            return (position.state.captured)
                .is_some_and(|piece| piece.kind == PieceKind::King)
                .then_some(GameEnd::KingCaptured { winner });
        }
        if position.rules().entering_king == EnteringKingRule::TryRule {
            return position.tried().map(|winner| GameEnd::Try { winner });
        }
        None
    }
}
