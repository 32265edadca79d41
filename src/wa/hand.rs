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
}
