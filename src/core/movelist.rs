//! A list of moves on the stack.

use arrayvec::ArrayVec;

/// Capacity of a move list: what a position of wa shogi can have at most, where
/// sixteen kinds in hand meet 119 empty squares. Shogi is known to reach 593.
pub const MAX_MOVES: usize = 2048;

/// The moves of one position.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;
