//! Pieces in hand, packed in one integer.
//!
//! Each kind has a byte lane: seven bits of count and a guard bit. Adding or
//! comparing hands is one addition or subtraction, and no position that can be
//! set up overflows a lane: a kind has at most 81 pieces on the board and
//! [`MAX_SET_UP`] in each hand, so at most 117 in one hand.

use std::fmt;

use super::piece::{HAND_KINDS, PieceKind};

/// The most pieces of one kind that a position text may put in one hand.
pub const MAX_SET_UP: u32 = 18;

/// The pieces that one side has in hand.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u64);

const LANE_BITS: u32 = 8;
const GUARDS: u64 = {
    let mut guards = 0;
    let mut kind = 0;
    while kind < HAND_KINDS as u32 {
        guards |= 0x80 << (kind * LANE_BITS);
        kind += 1;
    }
    guards
};

impl Hand {
    /// No pieces.
    pub const EMPTY: Hand = Hand(0);

    /// The packed counts: kind `k` (as [`PieceKind::index`]) in bits `8k..8k+7`.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    #[inline]
    const fn one(kind: PieceKind) -> u64 {
        debug_assert!(kind.index() < HAND_KINDS);
        1 << (kind.index() as u32 * LANE_BITS)
    }

    /// How many pieces of a kind that can be in hand.
    #[inline]
    pub const fn count(self, kind: PieceKind) -> u32 {
        debug_assert!(kind.index() < HAND_KINDS);
        (self.0 >> (kind.index() as u32 * LANE_BITS)) as u32 & 0x7f
    }

    /// Whether there is a piece of this kind.
    #[inline]
    pub const fn has(self, kind: PieceKind) -> bool {
        self.0 & (Self::one(kind) * 0x7f) != 0
    }

    /// Whether the hand is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds one piece.
    #[inline]
    pub const fn add(&mut self, kind: PieceKind) {
        self.0 += Self::one(kind);
    }

    /// Takes one piece away; there must be one.
    #[inline]
    pub const fn remove(&mut self, kind: PieceKind) {
        debug_assert!(self.has(kind));
        self.0 -= Self::one(kind);
    }

    /// Sets the count of a kind, at most 127.
    pub const fn set(&mut self, kind: PieceKind, count: u32) {
        assert!(count <= 0x7f);
        self.0 = self.0 & !(Self::one(kind) * 0x7f) | (Self::one(kind) * count as u64);
    }

    /// Whether every kind is held at least as often as in `other`.
    #[inline]
    pub const fn covers(self, other: Hand) -> bool {
        // A guard bit survives the subtraction when its lane does not borrow.
        ((self.0 | GUARDS) - other.0) & GUARDS == GUARDS
    }

    /// The kinds held with their counts, in SFEN order.
    pub fn iter(self) -> impl Iterator<Item = (PieceKind, u32)> {
        PieceKind::HAND
            .into_iter()
            .map(move |kind| (kind, self.count(kind)))
            .filter(|&(_, count)| count > 0)
    }
}

impl fmt::Debug for Hand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_compares_by_kind() {
        let mut hand = Hand::EMPTY;
        hand.set(PieceKind::Pawn, 18);
        hand.add(PieceKind::Rook);
        let mut other = hand;
        assert!(hand.covers(other) && other.covers(hand));
        other.remove(PieceKind::Pawn);
        assert!(hand.covers(other) && !other.covers(hand));
        other.add(PieceKind::Gold);
        assert!(!hand.covers(other) && !other.covers(hand));
        assert_eq!(hand.count(PieceKind::Pawn), 18);
        assert!(hand.has(PieceKind::Rook) && !hand.has(PieceKind::Bishop));
        assert_eq!(
            other.iter().collect::<Vec<_>>(),
            [
                (PieceKind::Rook, 1),
                (PieceKind::Gold, 1),
                (PieceKind::Pawn, 17)
            ]
        );
    }
}
