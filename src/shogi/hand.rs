//! Pieces in hand, as [`crate::common`] packs them.
//!
//! Each kind has a lane of eight bits. No position that can be set up overflows one:
//! a kind has at most 81 pieces on the board and [`MAX_SET_UP`] in each hand, so at
//! most 117 in one hand.

use super::piece::PieceKind;

/// The most pieces of one kind that a position text may put in one hand.
pub const MAX_SET_UP: u32 = 18;

/// The pieces that one side has in hand.
pub type Hand = crate::common::Hand<PieceKind>;
