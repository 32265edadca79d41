//! A move in 16 bits: target (7 bits), source square or, above the squares, dropped
//! kind (8 bits), and whether the piece promotes (1 bit).
//!
//! The bits of a move are stored plus one, so that no move is 0 and `Option<Move>`
//! takes 16 bits as well.

use std::fmt;
use std::num::NonZeroU16;

use super::piece::{HAND_KINDS, PieceKind};
use super::square::{SQUARES, Square};
use crate::core::SquareIndex;
use crate::game::GameMove;

const FROM_SHIFT: u16 = 7;
const TO_MASK: u16 = 0x7f;
const FROM_MASK: u16 = 0xff;
const PROMOTION: u16 = 1 << 15;
/// Sources from this number on are kinds in hand.
const HAND: u16 = SQUARES as u16;

/// A move of wa shogi.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move(NonZeroU16);

/// Where a moving piece comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A square of the board.
    Board(Square),
    /// The hand.
    Hand(PieceKind),
}

impl Move {
    #[inline]
    fn raw(from: u16, to: Square, flag: u16) -> Move {
        // A source is below 137, so the sum stays below 2^16.
        Move(NonZeroU16::MIN.saturating_add(to.bit() as u16 | from << FROM_SHIFT | flag))
    }

    #[inline]
    const fn fields(self) -> u16 {
        self.0.get() - 1
    }

    /// A move on the board; the squares differ.
    #[inline]
    pub fn board(from: Square, to: Square) -> Move {
        Move::raw(from.bit() as u16, to, 0)
    }

    /// A move on the board with promotion; the squares differ.
    #[inline]
    pub fn promotion(from: Square, to: Square) -> Move {
        Move::raw(from.bit() as u16, to, PROMOTION)
    }

    /// A drop of a kind that can be in hand.
    #[inline]
    pub fn drop(kind: PieceKind, to: Square) -> Move {
        debug_assert!(kind.index() < HAND_KINDS);
        Move::raw(HAND + kind.index() as u16, to, 0)
    }

    /// The target square.
    #[inline]
    pub fn to(self) -> Square {
        Square::from_bit(u32::from(self.fields() & TO_MASK))
    }

    #[inline]
    const fn source_field(self) -> u16 {
        self.fields() >> FROM_SHIFT & FROM_MASK
    }

    /// Where the piece comes from.
    #[inline]
    pub fn source(self) -> Source {
        let from = self.source_field();
        if from >= HAND {
            Source::Hand(PieceKind::ALL[usize::from(from - HAND) % HAND_KINDS])
        } else {
            Source::Board(Square::from_bit(u32::from(from)))
        }
    }

    /// The source square of a board move.
    #[inline]
    pub fn from(self) -> Option<Square> {
        match self.source() {
            Source::Board(from) => Some(from),
            Source::Hand(_) => None,
        }
    }

    /// Whether a piece in hand is dropped.
    #[inline]
    pub const fn is_drop(self) -> bool {
        self.source_field() >= HAND
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.fields() & PROMOTION != 0
    }

    /// Reads USI notation (`8h8g`, `10j11k`, `4i4c+`, `P*6f`) without asking whether
    /// the move is possible anywhere. A `=` at the end of a board move (promotion
    /// declined) and `@` in a drop are understood. `None` when the text is no move.
    pub fn from_usi(text: &str) -> Option<Move> {
        if !text.is_ascii() {
            return None;
        }
        if let Some((letter, to)) = text.split_once(['*', '@']) {
            let &[letter] = letter.as_bytes() else {
                return None;
            };
            let kind = PieceKind::from_letter(char::from(letter))?;
            let to = to.parse().ok()?;
            return (kind != PieceKind::King).then(|| Move::drop(kind, to));
        }
        let (squares, promotes) = match text.strip_suffix('+') {
            Some(squares) => (squares, true),
            None => (text.strip_suffix('=').unwrap_or(text), false),
        };
        // The first square ends at its letter.
        let end = squares.find(|c: char| !c.is_ascii_digit())? + 1;
        let (from, to) = squares.split_at(end);
        let (from, to): (Square, Square) = (from.parse().ok()?, to.parse().ok()?);
        match promotes {
            _ if from == to => None,
            true => Some(Move::promotion(from, to)),
            false => Some(Move::board(from, to)),
        }
    }
}

impl GameMove for Move {
    #[inline]
    fn to_bits(self) -> u16 {
        self.0.get()
    }

    #[inline]
    fn from_bits(bits: u16) -> Option<Move> {
        let m = Move(NonZeroU16::new(bits)?);
        let to = m.fields() & TO_MASK;
        let from = m.source_field();
        let source_ok = if from < HAND {
            from != to
        } else {
            from < HAND + HAND_KINDS as u16 && !m.is_promotion()
        };
        (usize::from(to) < SQUARES && source_ok).then_some(m)
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

impl fmt::Display for Move {
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

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_move_round_trips_through_text_and_bits() {
        let mut count = 0;
        for bits in 0..=u16::MAX {
            let Some(m) = Move::from_bits(bits) else {
                continue;
            };
            count += 1;
            assert_eq!(m.to_bits(), bits);
            assert_eq!(Move::from_usi(&m.to_string()), Some(m));
        }
        assert_eq!(count, 2 * 121 * 120 + 16 * 121);
    }

    #[test]
    fn other_programs_notation_is_understood() {
        for (text, usi) in [("P@5e", "P*5e"), ("4i4c=", "4i4c"), ("10j11k", "10j11k")] {
            assert_eq!(Move::from_usi(text).unwrap().to_string(), usi);
        }
    }

    #[test]
    fn other_text_is_no_move() {
        for text in [
            "", "7g", "7g7g", "7g7f++", "7g7f+=", "P*5e+", "K*5e", "p*5e", "+P*5e", "PP*5e", "P*",
            "*5e", "P*12a", "0000", "null", "resign", "win", "12a11a", "7l7k", "７g7f", "7g7f ",
            "110a9a", "B*5e", "7g07f",
        ] {
            assert_eq!(Move::from_usi(text), None, "{text}");
        }
    }
}
