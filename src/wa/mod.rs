//! Wa shogi (和将棋): the rules, whole, and [`Position`], which plays them.
//!
//! An 11x11 board, 27 pieces a side, 31 kinds of piece; with drops by the rules of
//! modern shogi or without ([`Rules::drops`]). `docs/src/wa.md` tells the rules.
//!
//! What is the same in shogi lives in [`crate::common`]; the table says what is wa
//! shogi's own.
//!
//! | file | what it holds |
//! |---|---|
//! | `kinds` | the one table of all kinds: movement, promotion, letters, names |
//! | `square` | the board's size |
//! | `piece` | kinds of piece and their exchange values |
//! | `attacks` | which squares a piece attacks |
//! | `position` | the board, its keys, who attacks a square |
//! | `movegen` | legal moves, whole or by stage; checking moves |
//! | `see` | values in exchanges |
//! | `mate` | which checks can be blocked |
//! | `rules` | the choices that the rules leave open |
//! | `sfen` | positions as text |
//! | `diagram` | the board in kanji |

pub mod attacks;
mod diagram;
pub mod kinds;
mod mate;
mod movegen;
pub mod piece;
mod position;
pub mod rules;
mod see;
pub mod sfen;
pub mod square;

pub use movegen::CheckInfo;
pub use piece::{Piece, PieceKind};
pub use position::{Position, Wa};
pub use rules::Rules;
pub use sfen::SfenError;
pub use square::{Bitboard, Square};

use crate::common::Play;

/// A move of wa shogi.
pub type Move = crate::common::Move<PieceKind, Square>;

/// Where a moving piece comes from.
pub type Source = crate::common::Source<PieceKind, Square>;

/// The rule that a move breaks.
pub type IllegalMove = crate::common::IllegalMove<PieceKind, Square>;

/// The pieces that one side has in hand.
pub type Hand = crate::common::Hand<PieceKind>;

impl Play for Wa {
    fn max_moves(rules: &Rules) -> u32 {
        rules.max_moves
    }

    fn has_bare_kings(position: &Position) -> bool {
        !position.rules().drops && position.occupied().count() == 2
    }
}
