//! The four seats and the direction of play (rules B3): South, West, North,
//! East, clockwise as seen from above.

use std::fmt;
use std::ops::{Index, IndexMut};

/// A seat, and the direction in which that seat's own pieces point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Seat {
    /// The bottom edge; plays towards rank a.
    South,
    /// The left edge; plays towards file 1.
    West,
    /// The top edge; plays towards rank i.
    North,
    /// The right edge; plays towards file 9.
    East,
}

impl Seat {
    /// All seats in the order of play.
    pub const ALL: [Seat; 4] = [Seat::South, Seat::West, Seat::North, Seat::East];

    /// 0 for South, then clockwise.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The seat `n` places clockwise.
    #[inline]
    pub const fn clockwise(self, n: usize) -> Seat {
        Seat::ALL[(self as usize + n) % 4]
    }

    /// The seat opposite: the partner in pairs.
    #[inline]
    pub const fn opposite(self) -> Seat {
        self.clockwise(2)
    }

    /// The small letter of the notation.
    pub const fn letter(self) -> char {
        match self {
            Seat::South => 's',
            Seat::West => 'w',
            Seat::North => 'n',
            Seat::East => 'e',
        }
    }

    /// The seat with this small letter.
    pub const fn from_letter(letter: char) -> Option<Seat> {
        match letter {
            's' => Some(Seat::South),
            'w' => Some(Seat::West),
            'n' => Some(Seat::North),
            'e' => Some(Seat::East),
            _ => None,
        }
    }

    /// The English name.
    pub const fn name(self) -> &'static str {
        match self {
            Seat::South => "South",
            Seat::West => "West",
            Seat::North => "North",
            Seat::East => "East",
        }
    }
}

impl fmt::Display for Seat {
    /// The small letter.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// One value a seat, indexed by [`Seat`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BySeat<T>(pub [T; 4]);

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}
