//! A move in 16 bits: target (7 bits), source square or dropped kind (7 bits),
//! and what it is (2 bits: board move, promotion or drop).
//!
//! The two bits are never both 0, so no move is 0 and `Option<Move>` takes
//! 16 bits as well.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU16;

use super::Kind;
use crate::core::SquareIndex;
use crate::game::GameMove;

const FROM_SHIFT: u16 = 7;
const SQUARE_MASK: u16 = 0x7f;
const TYPE_MASK: u16 = 3 << 14;
const BOARD: u16 = 1 << 14;
const PROMOTION: u16 = 2 << 14;
const DROP: u16 = 3 << 14;

/// A move of a game with these kinds of piece and squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move<K, S>(NonZeroU16, PhantomData<(K, S)>);

/// Where a moving piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source<K, S> {
    /// A square of the board.
    Board(S),
    /// The hand.
    Hand(K),
}

impl<K: Kind, S: SquareIndex> Move<K, S> {
    #[inline]
    fn raw(kind: u16, from: u16, to: S) -> Self {
        // The compiler sees that the type bits are not 0 and drops the test.
        let bits = NonZeroU16::new(to.bit() as u16 | from << FROM_SHIFT | kind);
        Move(bits.expect("a move has a type"), PhantomData)
    }

    /// A move on the board; the squares differ.
    #[inline]
    pub fn board(from: S, to: S) -> Self {
        Move::raw(BOARD, from.bit() as u16, to)
    }

    /// A move on the board with promotion; the squares differ.
    #[inline]
    pub fn promotion(from: S, to: S) -> Self {
        Move::raw(PROMOTION, from.bit() as u16, to)
    }

    /// A drop of a kind that can be in hand.
    #[inline]
    pub fn drop(kind: K, to: S) -> Self {
        debug_assert!(kind.can_be_in_hand());
        Move::raw(DROP, kind.index() as u16, to)
    }

    /// The target square.
    #[inline]
    pub fn to(self) -> S {
        S::from_bit(u32::from(self.0.get() & SQUARE_MASK))
    }

    /// Where the piece comes from.
    #[inline]
    pub fn source(self) -> Source<K, S> {
        let from = self.0.get() >> FROM_SHIFT & SQUARE_MASK;
        if self.is_drop() {
            Source::Hand(K::ALL[usize::from(from) % K::IN_HAND.len()])
        } else {
            Source::Board(S::from_bit(u32::from(from)))
        }
    }

    /// The source square of a board move.
    #[inline]
    pub fn from(self) -> Option<S> {
        match self.source() {
            Source::Board(from) => Some(from),
            Source::Hand(_) => None,
        }
    }

    /// Whether a piece in hand is dropped.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.0.get() & TYPE_MASK == DROP
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & TYPE_MASK == PROMOTION
    }

    /// Reads USI notation (`7g7f`, `8h2b+`, `P*5e`, `10j11k`) without asking whether
    /// the move is possible anywhere; with [`Kind::XBOARD_MOVES`] also `P@5e` and
    /// `8h2b=`. `None` when the text is no move.
    pub fn from_usi(text: &str) -> Option<Self> {
        if !text.is_ascii() {
            return None;
        }
        let at_drop = |c: char| c == '*' || K::XBOARD_MOVES && c == '@';
        if let Some((letter, to)) = text.split_once(at_drop) {
            let &[letter] = letter.as_bytes() else {
                return None;
            };
            let kind = K::from_letter(char::from(letter))?;
            let to = to.parse().ok()?;
            return kind.can_be_in_hand().then(|| Move::drop(kind, to));
        }
        let (squares, promotes) = match text.strip_suffix('+') {
            Some(squares) => (squares, true),
            None if K::XBOARD_MOVES => (text.strip_suffix('=').unwrap_or(text), false),
            None => (text, false),
        };
        // The first square ends at its letter.
        let end = squares.find(|c: char| !c.is_ascii_digit())? + 1;
        let (from, to) = squares.split_at(end);
        let (from, to): (S, S) = (from.parse().ok()?, to.parse().ok()?);
        match promotes {
            _ if from == to => None,
            true => Some(Move::promotion(from, to)),
            false => Some(Move::board(from, to)),
        }
    }
}

impl<K: Kind, S: SquareIndex> GameMove for Move<K, S> {
    #[inline]
    fn to_bits(self) -> u16 {
        self.0.get()
    }

    #[inline]
    fn from_bits(bits: u16) -> Option<Self> {
        let to = usize::from(bits & SQUARE_MASK);
        let from = usize::from(bits >> FROM_SHIFT & SQUARE_MASK);
        let source_ok = match bits & TYPE_MASK {
            0 => false,
            DROP => from < K::IN_HAND.len(),
            _ => from < S::COUNT && from != to,
        };
        if to < S::COUNT && source_ok {
            NonZeroU16::new(bits).map(|bits| Move(bits, PhantomData))
        } else {
            None
        }
    }

    #[inline]
    fn to_index(self) -> usize {
        self.to().index()
    }

    #[inline]
    fn is_drop(self) -> bool {
        Move::is_drop(self)
    }

    #[inline]
    fn is_promotion(self) -> bool {
        Move::is_promotion(self)
    }
}

impl<K: Kind, S: SquareIndex> fmt::Display for Move<K, S> {
    /// USI notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.source() {
            Source::Hand(kind) => write!(f, "{}*{}", kind.letter(), self.to()),
            Source::Board(from) => {
                let plus = if self.is_promotion() { "+" } else { "" };
                write!(f, "{}{}{}", from, self.to(), plus)
            }
        }
    }
}

impl<K: Kind, S: SquareIndex> fmt::Debug for Move<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{shogi, wa};

    /// All moves, each read back from its bits and its text.
    fn round_trips<K: Kind, S: SquareIndex>() -> usize {
        let all = (0..=u16::MAX).filter_map(|bits| {
            let m = Move::<K, S>::from_bits(bits)?;
            assert_eq!(m.to_bits(), bits);
            assert_eq!(Move::from_usi(&m.to_string()), Some(m));
            Some(m)
        });
        all.count()
    }

    #[test]
    fn every_move_round_trips_through_text_and_bits() {
        let moves = round_trips::<shogi::PieceKind, shogi::Square>();
        assert_eq!(moves, 2 * 81 * 80 + 7 * 81);
        let moves = round_trips::<wa::PieceKind, wa::Square>();
        assert_eq!(moves, 2 * 121 * 120 + 16 * 121);
    }

    #[test]
    fn other_programs_notation_is_understood_in_wa_shogi() {
        for (text, usi) in [("P@5e", "P*5e"), ("4i4c=", "4i4c"), ("10j11k", "10j11k")] {
            assert_eq!(wa::Move::from_usi(text).unwrap().to_string(), usi);
            assert_eq!(shogi::Move::from_usi(text), None);
        }
    }

    #[test]
    fn other_text_is_no_move() {
        for text in [
            "", "7g", "7g7g", "7g7f++", "7g7f+=", "P*5e+", "K*5e", "p*5e", "+P*5e", "PP*5e", "P*",
            "*5e", "P*12a", "0000", "null", "resign", "win", "12a11a", "7l7k", "７g7f", "7g7f ",
            "110a9a", "B*5l", "7g07f",
        ] {
            assert_eq!(shogi::Move::from_usi(text), None, "{text}");
            assert_eq!(wa::Move::from_usi(text), None, "{text}");
        }
        assert_eq!(shogi::Move::from_usi("7g7j"), None);
        assert_eq!(wa::Move::from_usi("B*5e"), None);
    }
}
