//! Squares of a square board, numbered file by file: `file * SIZE + rank`, where
//! file 0 is file 1 of the notation (the rightmost in diagrams) and rank 0 is
//! rank a. Towards Black's opponent means towards lower ranks.

use std::fmt;
use std::str::FromStr;

use super::{Bitboard, Color, SquareIndex, geometry};

/// A square of a board with `SIZE` files and ranks, at most 11.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square<const SIZE: usize>(u8);

impl<const SIZE: usize> Square<SIZE> {
    /// Squares of the board.
    pub const COUNT: usize = SIZE * SIZE;

    /// The square on `file` (0 is file 1) and `rank` (0 is rank a), if both are
    /// on the board.
    #[inline]
    pub const fn new(file: usize, rank: usize) -> Option<Self> {
        if file < SIZE && rank < SIZE {
            Some(Square((file * SIZE + rank) as u8))
        } else {
            None
        }
    }

    /// The square with this number, if it is on the board.
    #[inline]
    pub const fn from_index(index: usize) -> Option<Self> {
        if index < Self::COUNT {
            Some(Square(index as u8))
        } else {
            None
        }
    }

    /// The number of the square, below [`Self::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        // SAFETY: every constructor checks that the number is on the board.
        // Telling the compiler removes the bounds check of each table look-up.
        unsafe { std::hint::assert_unchecked((self.0 as usize) < Self::COUNT) };
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
    pub const fn rotate(self) -> Self {
        Square(Self::COUNT as u8 - 1 - self.0)
    }

    /// The square as `color` sees it: itself for Black, rotated for White.
    #[inline]
    pub const fn relative(self, color: Color) -> Self {
        match color {
            Color::Black => self,
            Color::White => self.rotate(),
        }
    }

    /// The square `df` files to the left and `dr` ranks down, if on the board.
    pub const fn offset(self, df: i32, dr: i32) -> Option<Self> {
        let file = self.file() as i32 + df;
        let rank = self.rank() as i32 + dr;
        if file >= 0 && file < SIZE as i32 && rank >= 0 && rank < SIZE as i32 {
            Self::new(file as usize, rank as usize)
        } else {
            None
        }
    }

    /// All squares, by number.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Square)
    }
}

impl<const SIZE: usize> SquareIndex for Square<SIZE> {
    const SIZE: usize = SIZE;

    #[inline]
    fn from_bit(bit: u32) -> Self {
        debug_assert!((bit as usize) < Self::COUNT);
        Square(bit as u8)
    }

    #[inline]
    fn bit(self) -> u32 {
        u32::from(self.0)
    }

    #[inline]
    fn index(self) -> usize {
        Square::index(self)
    }

    #[inline]
    fn file(self) -> usize {
        Square::file(self)
    }

    #[inline]
    fn rank(self) -> usize {
        Square::rank(self)
    }

    #[inline]
    fn whole_file(self) -> Bitboard<Self> {
        geometry::file_of(self)
    }
}

/// The letter of a rank, 0 for a.
pub const fn rank_letter(rank: usize) -> char {
    (b'a' + rank as u8) as char
}

impl<const SIZE: usize> fmt::Display for Square<SIZE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file() + 1, rank_letter(self.rank()))
    }
}

impl<const SIZE: usize> fmt::Debug for Square<SIZE> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square of the board.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a square (file 1-{size}, then rank a-{})", rank_letter(size - 1))]
pub struct SquareError {
    /// The text.
    pub text: String,
    /// Files and ranks of the board.
    pub size: usize,
}

impl<const SIZE: usize> FromStr for Square<SIZE> {
    type Err = SquareError;

    /// Reads the file in decimal, without leading zeros, then the rank's letter.
    fn from_str(text: &str) -> Result<Self, SquareError> {
        let square = || {
            let (&rank, digits) = text.as_bytes().split_last()?;
            let file = match *digits {
                [ones @ b'1'..=b'9'] => usize::from(ones - b'0'),
                [b'1', ones @ b'0'..=b'9'] => 10 + usize::from(ones - b'0'),
                _ => return None,
            };
            Self::new(file - 1, usize::from(rank.checked_sub(b'a')?))
        };
        square().ok_or_else(|| SquareError {
            text: text.to_owned(),
            size: SIZE,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_round_trips() {
        for square in Square::<9>::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bad in ["", "5", "0a", "5j", "55", "5ee", "5E", "五e", "10a", "05a"] {
            assert!(bad.parse::<Square<9>>().is_err(), "{bad}");
        }
        for square in Square::<11>::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
        }
        for bad in ["12a", "0a", "011a", "1l", "110a", "11", "k11", "1", "10"] {
            assert!(bad.parse::<Square<11>>().is_err(), "{bad}");
        }
        assert_eq!(
            "12a".parse::<Square<11>>().unwrap_err().to_string(),
            "`12a` is not a square (file 1-11, then rank a-k)"
        );
    }

    #[test]
    fn rotation_swaps_the_sides() {
        let square: Square<9> = "2h".parse().unwrap();
        assert_eq!(square.rotate().to_string(), "8b");
        assert_eq!(square.relative_rank(Color::Black), 7);
        assert_eq!(square.relative_rank(Color::White), 1);
    }
}
