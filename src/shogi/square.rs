//! The 9x9 board: its squares, and sets of them.

/// Files and ranks of the board.
pub const SIZE: usize = 9;

/// Squares of the board.
pub const SQUARES: usize = SIZE * SIZE;

/// A square of the shogi board.
pub type Square = crate::core::Square<SIZE>;

/// A set of squares of the shogi board.
pub type Bitboard = crate::core::Bitboard<Square>;
