//! Sets of squares as one `u128`, for boards of up to 128 squares.
//!
//! Squares are numbered file by file (`file * ranks + rank`), so that a file is
//! a run of neighbouring bits: pawns and lances are shifts and masks. The type
//! parameter is the game's square, so that boards of two games never mix.

use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;
use std::ops::{
    BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub, SubAssign,
};
use std::str::FromStr;

/// A square of some board, numbered from 0.
pub trait SquareIndex:
    Copy + Eq + Hash + fmt::Debug + fmt::Display + FromStr + Send + Sync + 'static
{
    /// How many files and ranks the board has.
    const SIZE: usize;

    /// How many squares the board has; at most 128.
    const COUNT: usize = Self::SIZE * Self::SIZE;

    /// The square with this number.
    ///
    /// Callers pass numbers below [`Self::COUNT`]; implementations check it in
    /// debug builds.
    fn from_bit(bit: u32) -> Self;

    /// The square on `file` (0 is file 1) and `rank` (0 is rank a), which are on the
    /// board.
    #[inline]
    fn at(file: usize, rank: usize) -> Self {
        Self::from_bit((file * Self::SIZE + rank) as u32)
    }

    /// The number of this square.
    fn bit(self) -> u32;

    /// The number of this square, for indexing.
    fn index(self) -> usize;

    /// The file, 0 for file 1.
    fn file(self) -> usize;

    /// The rank, 0 for rank a.
    fn rank(self) -> usize;

    /// All squares of the file.
    fn whole_file(self) -> Bitboard<Self>;
}

/// A set of squares.
///
/// Bits at or above `S::COUNT` are never set; every constructor and the
/// complement keep that.
#[derive(PartialEq, Eq, Hash)]
pub struct Bitboard<S> {
    bits: u128,
    square: PhantomData<S>,
}

impl<S> Clone for Bitboard<S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Bitboard<S> {}

impl<S> Default for Bitboard<S> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<S> Bitboard<S> {
    /// No square.
    pub const EMPTY: Self = Self {
        bits: 0,
        square: PhantomData,
    };

    /// The bits, square 0 lowest.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.bits
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Whether some square is in the set.
    #[inline]
    pub const fn any(self) -> bool {
        self.bits != 0
    }

    /// How many squares are in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.bits.count_ones()
    }

    /// Whether two or more squares are in the set.
    #[inline]
    pub const fn more_than_one(self) -> bool {
        self.bits & self.bits.wrapping_sub(1) != 0
    }
}

impl<S: SquareIndex> Bitboard<S> {
    /// Every square of the board.
    pub const ALL: Self = Self {
        bits: u128::MAX >> (128 - S::COUNT),
        square: PhantomData,
    };

    /// The set with these bits; bits outside the board are dropped.
    #[inline]
    pub const fn from_bits(bits: u128) -> Self {
        Self {
            bits: bits & Self::ALL.bits,
            square: PhantomData,
        }
    }

    /// The set of one square.
    #[inline]
    pub fn of(square: S) -> Self {
        Self {
            bits: 1u128 << square.bit(),
            square: PhantomData,
        }
    }

    /// Whether `square` is in the set.
    #[inline]
    pub fn contains(self, square: S) -> bool {
        self.bits >> square.bit() & 1 != 0
    }

    /// The lowest square, if any.
    #[inline]
    pub fn first(self) -> Option<S> {
        if self.bits == 0 {
            None
        } else {
            Some(S::from_bit(self.bits.trailing_zeros()))
        }
    }

    /// Whether some square of the set satisfies `test`.
    #[inline]
    pub fn any_square(self, test: impl FnMut(S) -> bool) -> bool {
        let mut squares = self;
        Iterator::any(&mut squares, test)
    }

    /// Removes the lowest square and returns it.
    #[inline]
    pub fn pop(&mut self) -> Option<S> {
        let square = self.first()?;
        self.bits &= self.bits - 1;
        Some(square)
    }
}

impl<S: SquareIndex> Iterator for Bitboard<S> {
    type Item = S;

    #[inline]
    fn next(&mut self) -> Option<S> {
        self.pop()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.bits.count_ones() as usize;
        (n, Some(n))
    }
}

impl<S: SquareIndex> FromIterator<S> for Bitboard<S> {
    fn from_iter<I: IntoIterator<Item = S>>(squares: I) -> Self {
        squares
            .into_iter()
            .fold(Self::EMPTY, |set, square| set | Self::of(square))
    }
}

macro_rules! bit_operators {
    ($($operator:ident $method:ident, $assign:ident $assign_method:ident;)*) => {$(
        impl<S> $operator for Bitboard<S> {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self { bits: self.bits.$method(other.bits), square: PhantomData }
            }
        }
        impl<S> $assign for Bitboard<S> {
            #[inline]
            fn $assign_method(&mut self, other: Self) {
                self.bits.$assign_method(other.bits);
            }
        }
    )*};
}

bit_operators! {
    BitAnd bitand, BitAndAssign bitand_assign;
    BitOr bitor, BitOrAssign bitor_assign;
    BitXor bitxor, BitXorAssign bitxor_assign;
}

/// Set difference.
impl<S> Sub for Bitboard<S> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self {
            bits: self.bits & !other.bits,
            square: PhantomData,
        }
    }
}

impl<S> SubAssign for Bitboard<S> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        self.bits &= !other.bits;
    }
}

/// The squares of the board that are not in the set.
impl<S: SquareIndex> Not for Bitboard<S> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Self::from_bits(!self.bits)
    }
}

impl<S: SquareIndex + fmt::Debug> fmt::Debug for Bitboard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}
