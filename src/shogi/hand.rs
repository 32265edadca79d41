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

/// The bits of all lanes.
const LANES: u64 = u64::MAX >> (64 - HAND_KINDS as u32 * LANE_BITS);

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

    /// For every lane where `self` holds at least as many as `other`, the bits of
    /// its count.
    #[inline]
    const fn lanes_at_least(self, other: Hand) -> u64 {
        let kept = ((self.0 | GUARDS) - other.0) & GUARDS;
        kept - (kept >> (LANE_BITS - 1))
    }

    /// Of each kind as many as the hand with more of it.
    #[inline]
    pub const fn max(self, other: Hand) -> Hand {
        let ours = self.lanes_at_least(other);
        Hand(self.0 & ours | other.0 & !ours)
    }

    /// Of each kind as many as the hand with fewer of it.
    #[inline]
    pub const fn min(self, other: Hand) -> Hand {
        let theirs = self.lanes_at_least(other);
        Hand(other.0 & theirs | self.0 & !theirs)
    }

    /// Both hands together; no kind may be held more than 127 times.
    #[inline]
    pub const fn plus(self, other: Hand) -> Hand {
        debug_assert!((self.0 + other.0) & GUARDS == 0);
        Hand(self.0 + other.0)
    }

    /// This hand without the kinds of which `other` holds none.
    #[inline]
    pub const fn of_kinds_in(self, other: Hand) -> Hand {
        Hand(self.0 & other.kinds_held())
    }

    /// This hand without the kinds of which `other` holds some.
    #[inline]
    pub const fn of_kinds_not_in(self, other: Hand) -> Hand {
        Hand(self.0 & !other.kinds_held())
    }

    /// The count bits of every lane that is not empty.
    #[inline]
    const fn kinds_held(self) -> u64 {
        // A count of 1 or more carries into the guard bit.
        let held = (self.0 + (GUARDS - (GUARDS >> (LANE_BITS - 1)))) & GUARDS;
        held - (held >> (LANE_BITS - 1))
    }

    /// The hand with these [`Hand::bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Hand {
        Hand(bits & !GUARDS & LANES)
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
    fn combines_by_kind() {
        let hand = |counts: [u32; HAND_KINDS]| {
            let mut hand = Hand::EMPTY;
            for (kind, count) in PieceKind::HAND.into_iter().zip(counts) {
                hand.set(kind, count);
            }
            hand
        };
        let a = hand([2, 0, 1, 0, 4, 0, 18]);
        let b = hand([0, 1, 1, 0, 5, 0, 17]);
        assert_eq!(a.max(b), hand([2, 1, 1, 0, 5, 0, 18]));
        assert_eq!(a.min(b), hand([0, 0, 1, 0, 4, 0, 17]));
        assert_eq!(a.plus(b), hand([2, 1, 2, 0, 9, 0, 35]));
        assert_eq!(a.of_kinds_in(b), hand([0, 0, 1, 0, 4, 0, 18]));
        assert_eq!(a.of_kinds_not_in(b), hand([2, 0, 0, 0, 0, 0, 0]));
        assert_eq!(Hand::from_bits(a.bits()), a);
    }

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
