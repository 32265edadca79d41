//! Pieces: a kind, the seat they point for, and their owner (rules M1, M2).
//!
//! The kinds are those of shogi without lance, knight and bishop, so they are
//! shogi's [`PieceKind`].

use std::fmt;

use super::seat::Seat;
use crate::shogi::PieceKind;

/// The kinds that occur, kings last.
pub const KINDS: [PieceKind; 8] = [
    PieceKind::Pawn,
    PieceKind::Silver,
    PieceKind::Gold,
    PieceKind::Rook,
    PieceKind::ProPawn,
    PieceKind::ProSilver,
    PieceKind::Dragon,
    PieceKind::King,
];

/// The kinds that can be in hand, in the order of the notation.
pub const HAND: [PieceKind; 4] = [
    PieceKind::Rook,
    PieceKind::Gold,
    PieceKind::Silver,
    PieceKind::Pawn,
];

/// How many pieces of each kind of [`HAND`] the game has, promoted ones included
/// (rule B4).
pub const IN_GAME: [u32; 4] = [4, 8, 8, 12];

/// The kinds that moves can drop, as a test.
#[inline]
pub const fn can_be_in_hand(kind: PieceKind) -> bool {
    matches!(
        kind,
        PieceKind::Rook | PieceKind::Gold | PieceKind::Silver | PieceKind::Pawn
    )
}

/// The number of a kind among [`KINDS`].
#[inline]
pub const fn compact(kind: PieceKind) -> usize {
    match kind {
        PieceKind::Pawn => 0,
        PieceKind::Silver => 1,
        PieceKind::Gold => 2,
        PieceKind::Rook => 3,
        PieceKind::ProPawn => 4,
        PieceKind::ProSilver => 5,
        PieceKind::Dragon => 6,
        _ => 7,
    }
}

/// Exchange values in centipawns, by the number of the kind. Hand-set: shogi's
/// ratios, small pieces nearer together, as each counts one in the total that
/// ranks players.
pub const VALUE: [i32; 8] = [150, 400, 450, 900, 350, 450, 1150, 15_000];

/// The exchange value of a kind.
#[inline]
pub const fn value(kind: PieceKind) -> i32 {
    VALUE[compact(kind)]
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// What kind it is now.
    pub kind: PieceKind,
    /// The seat whose pieces point this way; never changes on the board.
    pub facing: Seat,
    /// Who moves it. Nobody owns what the rules leave unowned, and a king
    /// without owner is a turned-over one.
    pub owner: Option<Seat>,
}

impl Piece {
    /// A piece as a seat sets or drops it.
    #[inline]
    pub const fn own(kind: PieceKind, seat: Seat) -> Piece {
        Piece {
            kind,
            facing: seat,
            owner: Some(seat),
        }
    }

    /// The turned-over king of a mated seat.
    #[inline]
    pub const fn fallen_king(seat: Seat) -> Piece {
        Piece {
            kind: PieceKind::King,
            facing: seat,
            owner: None,
        }
    }

    /// 0 to 3 for the owner, 4 for nobody.
    #[inline]
    pub const fn owner_index(self) -> usize {
        match self.owner {
            Some(seat) => seat.index(),
            None => 4,
        }
    }
}

impl fmt::Display for Piece {
    /// The token of the position notation: `Ps`, `+Rwn`, `Gex`, `Xw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind == PieceKind::King && self.owner.is_none() {
            return write!(f, "X{}", self.facing);
        }
        write!(f, "{}{}", self.kind, self.facing)?;
        match self.owner {
            Some(owner) if owner == self.facing => Ok(()),
            Some(owner) => write!(f, "{owner}"),
            None => f.write_str("x"),
        }
    }
}
