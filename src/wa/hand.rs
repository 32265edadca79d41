//! Pieces in hand, packed in one integer.
//!
//! Fifteen kinds have at most two pieces: a lane of two bits and a guard bit each.
//! Pawns, 22 at most, have the lane on top. Comparing hands is one subtraction.

use std::fmt;

use super::piece::{HAND_KINDS, PieceKind};

/// The pieces that one side has in hand.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Hand(u64);

const LANE_BITS: u32 = 3;

const fn shift(kind: PieceKind) -> u32 {
    debug_assert!(kind.index() < HAND_KINDS);
    kind.index() as u32 * LANE_BITS
}

/// The count's bits of a lane, before the shift.
const fn mask(kind: PieceKind) -> u64 {
    match kind {
        PieceKind::Pawn => 0x1f,
        _ => 3,
    }
}

const GUARDS: u64 = {
    let mut guards = 0;
    let mut i = 0;
    while i < HAND_KINDS {
        let kind = PieceKind::ALL[i];
        guards |= (mask(kind) + 1) << shift(kind);
        i += 1;
    }
    guards
};

/// A one in every lane.
const ONES: u64 = {
    let mut ones = 0;
    let mut i = 0;
    while i < HAND_KINDS {
        ones |= 1 << shift(PieceKind::ALL[i]);
        i += 1;
    }
    ones
};

/// The count bits of the lanes whose guard bits these are.
#[inline]
const fn lanes_below(guards: u64) -> u64 {
    // The lane on top, of pawns, is longer than the others.
    const PAWNS: u64 = (mask(PieceKind::Pawn) + 1) << shift(PieceKind::Pawn);
    let others = guards & !PAWNS;
    let pawns = guards & PAWNS;
    (others - (others >> (LANE_BITS - 1))) | (pawns - (pawns >> 5))
}

impl Hand {
    /// No pieces.
    pub const EMPTY: Hand = Hand(0);

    /// How many pieces of a kind that can be in hand.
    #[inline]
    pub const fn count(self, kind: PieceKind) -> u32 {
        (self.0 >> shift(kind) & mask(kind)) as u32
    }

    /// Whether there is a piece of this kind.
    #[inline]
    pub const fn has(self, kind: PieceKind) -> bool {
        self.count(kind) > 0
    }

    /// Whether the hand is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds one piece; there are fewer than the game has.
    #[inline]
    pub const fn add(&mut self, kind: PieceKind) {
        debug_assert!(self.count(kind) < kind.copies());
        self.0 += 1 << shift(kind);
    }

    /// Takes one piece away; there must be one.
    #[inline]
    pub const fn remove(&mut self, kind: PieceKind) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << shift(kind);
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
        lanes_below(kept)
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

    /// Both hands together; they hold no more of a kind than the game has.
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
        lanes_below((self.0 + (GUARDS - ONES)) & GUARDS)
    }

    /// The hand in 64 bits.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// The hand with these [`Hand::bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Hand {
        Hand(bits & (GUARDS - ONES))
    }

    /// The kinds held with their counts, in SFEN order.
    pub fn iter(self) -> impl Iterator<Item = (PieceKind, u32)> {
        PieceKind::hand()
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
        let mut full = Hand::EMPTY;
        for kind in PieceKind::hand() {
            for count in 0..kind.copies() {
                assert_eq!(full.count(kind), count);
                full.add(kind);
            }
        }
        let mut other = full;
        assert!(full.covers(other) && other.covers(full));
        other.remove(PieceKind::Pawn);
        other.remove(PieceKind::Eagle);
        assert_eq!(other.count(PieceKind::Pawn), 21);
        assert_eq!(other.count(PieceKind::Eagle), 1);
        assert!(full.covers(other) && !other.covers(full));
        full.remove(PieceKind::Oxcart);
        assert!(!full.covers(other) && !other.covers(full));
        assert_eq!(full.iter().count(), HAND_KINDS);
    }

    #[test]
    fn combines_by_kind() {
        let hand = |counts: &[(PieceKind, u32)]| {
            let mut hand = Hand::EMPTY;
            for &(kind, count) in counts {
                (0..count).for_each(|_| hand.add(kind));
            }
            hand
        };
        use PieceKind::{Eagle, Owl, Oxcart, Pawn};
        let a = hand(&[(Eagle, 1), (Oxcart, 2), (Pawn, 19)]);
        let b = hand(&[(Eagle, 2), (Owl, 1), (Pawn, 3)]);
        let most = hand(&[(Eagle, 2), (Owl, 1), (Oxcart, 2), (Pawn, 19)]);
        assert_eq!(a.max(b), most);
        assert_eq!(b.max(a), most);
        assert_eq!(a.min(b), hand(&[(Eagle, 1), (Pawn, 3)]));
        assert_eq!(b.min(a), a.min(b));
        let c = hand(&[(Owl, 1), (Pawn, 3)]);
        assert_eq!(
            a.plus(c),
            hand(&[(Eagle, 1), (Owl, 1), (Oxcart, 2), (Pawn, 22)])
        );
        assert_eq!(a.of_kinds_in(b), hand(&[(Eagle, 1), (Pawn, 19)]));
        assert_eq!(a.of_kinds_not_in(b), hand(&[(Oxcart, 2)]));
        assert_eq!(Hand::from_bits(a.bits()), a);
    }
}
