//! Kinds of piece, and pieces of a colour.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;

use crate::core::Color;

/// A kind of piece of a game: promoted kinds are kinds of their own.
///
/// Kinds are numbered from 0, first those that can be in hand.
pub trait Kind: Copy + Eq + Hash + Debug + Display + Send + Sync + 'static {
    /// All kinds, by number.
    const ALL: &'static [Self];
    /// The kinds that can be in hand, in the order in which SFEN lists them.
    const IN_HAND: &'static [Self];
    /// The pawn.
    const PAWN: Self;
    /// The king.
    const KING: Self;
    /// Bits of [`Hand`](super::Hand) for each kind but the last that can be in
    /// hand: its greatest count, and one bit more.
    const LANE_BITS: u32;
    /// The same for the last kind.
    const LAST_LANE_BITS: u32;
    /// Moves in USI notation, as examples.
    const MOVE_EXAMPLES: &'static str;
    /// Whether moves are also read as XBoard's programs write them: with `@` for a
    /// drop, and `=` at the end where a promotion is declined.
    const XBOARD_MOVES: bool;

    /// The number of the kind.
    fn index(self) -> usize;

    /// The promoted kind, if this kind promotes.
    fn promoted(self) -> Option<Self>;

    /// The kind as it goes to the hand when captured.
    fn unpromoted(self) -> Self;

    /// The unpromoted kind with this upper-case letter.
    fn from_letter(letter: char) -> Option<Self>;

    /// The upper-case letter of the unpromoted kind.
    fn letter(self) -> char;

    /// The English name, in lower case.
    fn name(self) -> &'static str;

    /// Whether the kind can be in hand.
    #[inline]
    fn can_be_in_hand(self) -> bool {
        self.index() < Self::IN_HAND.len()
    }
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece<K> {
    /// Whose piece it is.
    pub color: Color,
    /// What kind it is now.
    pub kind: K,
}

impl<K: Kind> Piece<K> {
    /// A piece of `color` and `kind`.
    #[inline]
    pub const fn new(color: Color, kind: K) -> Self {
        Piece { color, kind }
    }

    /// The number of the piece, below twice the number of kinds.
    #[inline]
    pub fn index(self) -> usize {
        self.color.index() * K::ALL.len() + self.kind.index()
    }

    /// The unpromoted piece with this SFEN letter: upper case for Black, lower case
    /// for White.
    pub fn from_letter(letter: char) -> Option<Self> {
        let kind = K::from_letter(letter.to_ascii_uppercase())?;
        let color = if letter.is_ascii_uppercase() {
            Color::Black
        } else {
            Color::White
        };
        Some(Piece::new(color, kind))
    }

    /// The piece with this SFEN letter, promoted if it has a `+` in front.
    pub fn from_sfen(letter: char, promoted: bool) -> Option<Self> {
        let piece = Piece::from_letter(letter)?;
        match promoted {
            false => Some(piece),
            true => Some(Piece::new(piece.color, piece.kind.promoted()?)),
        }
    }
}

impl<K: Kind> Display for Piece<K> {
    /// SFEN letters: upper case for Black, lower case for White.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.color {
            Color::Black => write!(f, "{}", self.kind),
            Color::White => write!(f, "{}", self.kind.to_string().to_lowercase()),
        }
    }
}
