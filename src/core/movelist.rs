//! A list of moves on the stack.

use arrayvec::ArrayVec;

/// Capacity of a move list. The most legal moves that a shogi position is
/// known to have is 593; wa and four-player shogi stay below.
pub const MAX_MOVES: usize = 600;

/// The moves of one position.
pub type MoveList<M> = ArrayVec<M, MAX_MOVES>;
