//! A move in 16 bits: target (7 bits), source square or dropped kind (7 bits),
//! and what it is (2 bits: board move, promotion or drop).
//!
//! The two bits are never both 0, so no move is 0 and `Option<Move>` takes
//! 16 bits as well.

use std::fmt;
use std::num::NonZeroU16;

use super::piece::{HAND_KINDS, PieceKind};
use super::square::{SQUARES, Square};
use crate::core::SquareIndex;
use crate::game::GameMove;

const FROM_SHIFT: u16 = 7;
const SQUARE_MASK: u16 = 0x7f;
const TYPE_MASK: u16 = 3 << 14;
const BOARD: u16 = 1 << 14;
const PROMOTION: u16 = 2 << 14;
const DROP: u16 = 3 << 14;

/// A move of shogi.
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
    fn raw(kind: u16, from: u16, to: Square) -> Move {
        // The compiler sees that the type bits are not 0 and drops the test.
        Move(
            NonZeroU16::new(to.bit() as u16 | from << FROM_SHIFT | kind)
                .expect("a move has a type"),
        )
    }

    /// A move on the board; the squares differ.
    #[inline]
    pub fn board(from: Square, to: Square) -> Move {
        Move::raw(BOARD, from.bit() as u16, to)
    }

    /// A move on the board with promotion; the squares differ.
    #[inline]
    pub fn promotion(from: Square, to: Square) -> Move {
        Move::raw(PROMOTION, from.bit() as u16, to)
    }

    /// A drop of a kind that can be in hand.
    #[inline]
    pub fn drop(kind: PieceKind, to: Square) -> Move {
        debug_assert!(kind.index() < HAND_KINDS);
        Move::raw(DROP, kind.index() as u16, to)
    }

    /// The target square.
    #[inline]
    pub fn to(self) -> Square {
        Square::from_bit(u32::from(self.0.get() & SQUARE_MASK))
    }

    /// Where the piece comes from.
    #[inline]
    pub fn source(self) -> Source {
        let from = self.0.get() >> FROM_SHIFT & SQUARE_MASK;
        if self.is_drop() {
            Source::Hand(PieceKind::ALL[usize::from(from) % HAND_KINDS])
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
        self.0.get() & TYPE_MASK == DROP
    }

    /// Whether the piece promotes.
    #[inline]
    pub const fn is_promotion(self) -> bool {
        self.0.get() & TYPE_MASK == PROMOTION
    }

    /// Reads USI notation (`7g7f`, `8h2b+`, `P*5e`) without asking whether the
    /// move is possible anywhere. `None` when the text is no move.
    pub fn from_usi(text: &str) -> Option<Move> {
        let (source, to, plus) = match text.len() {
            4 => (text.get(..2)?, text.get(2..4)?, false),
            5 if text.ends_with('+') => (text.get(..2)?, text.get(2..4)?, true),
            _ => return None,
        };
        let to: Square = to.parse().ok()?;
        if let &[letter, b'*'] = source.as_bytes() {
            let kind = PieceKind::from_letter(letter).filter(|&kind| kind != PieceKind::King)?;
            return (!plus).then(|| Move::drop(kind, to));
        }
        let from: Square = source.parse().ok()?;
        match plus {
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
        let to = usize::from(bits & SQUARE_MASK);
        let from = usize::from(bits >> FROM_SHIFT & SQUARE_MASK);
        let source_ok = match bits & TYPE_MASK {
            0 => false,
            DROP => from < HAND_KINDS,
            _ => from < SQUARES && from != to,
        };
        if to < SQUARES && source_ok {
            NonZeroU16::new(bits).map(Move)
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
        assert_eq!(count, 2 * 81 * 80 + 7 * 81);
    }

    #[test]
    fn other_text_is_no_move() {
        for text in [
            "", "7g", "7g7g", "7g7f=", "7g7f++", "P*5e+", "K*5e", "p*5e", "+P*5e", "0000", "null",
            "resign", "win", "7g7j", "０g7f", "P*", "7g7f ",
        ] {
            assert_eq!(Move::from_usi(text), None, "{text}");
        }
    }
}
