//! Squares of the 9x9 board, numbered file by file: `file * 9 + rank`, where
//! file 0 is file 1 of the notation (the rightmost in diagrams) and rank 0 is
//! rank a. Towards Black's opponent means towards lower ranks.

use std::fmt;
use std::str::FromStr;

use crate::core::{Color, SquareIndex};

/// Files and ranks of the board.
pub const SIZE: usize = 9;

/// Squares of the board.
pub const SQUARES: usize = SIZE * SIZE;

/// A square of the shogi board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

/// A set of squares of the shogi board.
pub type Bitboard = crate::core::Bitboard<Square>;

impl Square {
    /// The square on `file` (0 is file 1) and `rank` (0 is rank a), if both are
    /// on the board.
    #[inline]
    pub const fn new(file: usize, rank: usize) -> Option<Square> {
        if file < SIZE && rank < SIZE {
            Some(Square((file * SIZE + rank) as u8))
        } else {
            None
        }
    }

    /// The square with this number, if it is below 81.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Square> {
        if index < SQUARES {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The number of the square, below 81.
    #[inline]
    pub const fn index(self) -> usize {
        // SAFETY: every constructor checks that the number is below 81. Telling
        // the compiler removes the bounds check of each table look-up.
        unsafe { std::hint::assert_unchecked((self.0 as usize) < SQUARES) };
        self.0 as usize
    }

    /// The file, 0 for file 1.
    #[inline]
    pub const fn file(self) -> usize {
        self.index() / SIZE
    }

    /// The rank, 0 for rank a.
    #[inline]
    pub const fn rank(self) -> usize {
        self.index() % SIZE
    }

    /// The rank as `color` counts it: 0 is the farthest.
    #[inline]
    pub const fn relative_rank(self, color: Color) -> usize {
        match color {
            Color::Black => self.rank(),
            Color::White => SIZE - 1 - self.rank(),
        }
    }

    /// The square seen from the other side of the board (rotated by 180°).
    #[inline]
    pub const fn rotate(self) -> Square {
        Square(SQUARES as u8 - 1 - self.0)
    }

    /// The square as `color` sees it: itself for Black, rotated for White.
    #[inline]
    pub const fn relative(self, color: Color) -> Square {
        match color {
            Color::Black => self,
            Color::White => self.rotate(),
        }
    }

    /// The square `df` files to the left and `dr` ranks down, if on the board.
    pub const fn offset(self, df: i32, dr: i32) -> Option<Square> {
        let file = self.file() as i32 + df;
        let rank = self.rank() as i32 + dr;
        if file >= 0 && file < SIZE as i32 && rank >= 0 && rank < SIZE as i32 {
            Square::new(file as usize, rank as usize)
        } else {
            None
        }
    }

    /// All squares, by number.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..SQUARES as u8).map(Square)
    }
}

impl SquareIndex for Square {
    const COUNT: usize = SQUARES;

    #[inline]
    fn from_bit(bit: u32) -> Square {
        debug_assert!((bit as usize) < SQUARES);
        Square(bit as u8)
    }

    #[inline]
    fn bit(self) -> u32 {
        u32::from(self.0)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = (b'a' + self.rank() as u8) as char;
        write!(f, "{}{}", self.file() + 1, rank)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square of the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a square (file 1-9, then rank a-i)")]
pub struct SquareError(pub String);

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        let error = || SquareError(text.to_owned());
        let &[file @ b'1'..=b'9', rank @ b'a'..=b'i'] = text.as_bytes() else {
            return Err(error());
        };
        Square::new(usize::from(file - b'1'), usize::from(rank - b'a')).ok_or_else(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bad in ["", "5", "0a", "5j", "55", "5ee", "5E", "五e"] {
            assert!(bad.parse::<Square>().is_err(), "{bad}");
        }
    }

    #[test]
    fn rotation_swaps_the_sides() {
        let square: Square = "2h".parse().unwrap();
        assert_eq!(square.rotate().to_string(), "8b");
        assert_eq!(square.relative_rank(Color::Black), 7);
        assert_eq!(square.relative_rank(Color::White), 1);
    }
}
