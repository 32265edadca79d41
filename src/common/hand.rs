//! Pieces in hand, packed in one integer.
//!
//! Each kind has a lane: some bits of count, and a guard bit above them. Adding or
//! comparing hands is one addition or subtraction. How wide the lanes are is the
//! game's choice ([`Kind::LANE_BITS`]); its set-up rules see to it that no lane ever
//! overflows.

use std::fmt;
use std::marker::PhantomData;

use super::Kind;
use crate::game::HandSet;

/// The pieces that one side has in hand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hand<K>(u64, PhantomData<K>);

impl<K: Kind> Default for Hand<K> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<K: Kind> Hand<K> {
    /// No pieces.
    pub const EMPTY: Self = Hand(0, PhantomData);

    /// A one in every lane.
    const ONES: u64 = {
        let mut ones = 0;
        let mut lane = 0;
        while lane < K::IN_HAND.len() as u32 {
            ones |= 1 << (lane * K::LANE_BITS);
            lane += 1;
        }
        ones
    };

    /// The guard bit of the last lane.
    const LAST_GUARD: u64 =
        1 << ((K::IN_HAND.len() as u32 - 1) * K::LANE_BITS + K::LAST_LANE_BITS - 1);

    /// The guard bits of all lanes: just below the next lane, but for the last.
    const GUARDS: u64 = ((Self::ONES >> K::LANE_BITS) << (K::LANE_BITS - 1)) | Self::LAST_GUARD;

    #[inline]
    const fn of(bits: u64) -> Self {
        Hand(bits, PhantomData)
    }

    #[inline]
    fn shift(kind: K) -> u32 {
        debug_assert!(kind.can_be_in_hand());
        kind.index() as u32 * K::LANE_BITS
    }

    /// The most that the lane of a kind can hold.
    #[inline]
    fn most(kind: K) -> u64 {
        let bits = if kind.index() + 1 == K::IN_HAND.len() {
            K::LAST_LANE_BITS
        } else {
            K::LANE_BITS
        };
        (1 << (bits - 1)) - 1
    }

    /// The count bits of the lanes whose guard bits these are.
    #[inline]
    const fn lanes_below(guards: u64) -> u64 {
        let last = guards & Self::LAST_GUARD;
        let others = guards & !Self::LAST_GUARD;
        (others - (others >> (K::LANE_BITS - 1))) | (last - (last >> (K::LAST_LANE_BITS - 1)))
    }

    /// The packed counts.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// How many pieces of a kind that can be in hand.
    #[inline]
    pub fn count(self, kind: K) -> u32 {
        (self.0 >> Self::shift(kind) & Self::most(kind)) as u32
    }

    /// Whether there is a piece of this kind.
    #[inline]
    pub fn has(self, kind: K) -> bool {
        self.count(kind) > 0
    }

    /// Whether the hand is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds one piece.
    #[inline]
    pub fn add(&mut self, kind: K) {
        debug_assert!(u64::from(self.count(kind)) < Self::most(kind));
        self.0 += 1 << Self::shift(kind);
    }

    /// Takes one piece away; there must be one.
    #[inline]
    pub fn remove(&mut self, kind: K) {
        debug_assert!(self.has(kind));
        self.0 -= 1 << Self::shift(kind);
    }

    /// Sets the count of a kind to what its lane can hold.
    pub fn set(&mut self, kind: K, count: u32) {
        assert!(u64::from(count) <= Self::most(kind));
        let others = self.0 & !(Self::most(kind) << Self::shift(kind));
        self.0 = others | u64::from(count) << Self::shift(kind);
    }

    /// For every lane where `self` holds at least as many as `other`, its guard bit.
    #[inline]
    const fn guards_kept(self, other: Self) -> u64 {
        // A guard bit survives the subtraction when its lane does not borrow.
        ((self.0 | Self::GUARDS) - other.0) & Self::GUARDS
    }

    /// Whether every kind is held at least as often as in `other`.
    #[inline]
    pub const fn covers(self, other: Self) -> bool {
        self.guards_kept(other) == Self::GUARDS
    }

    /// Of each kind as many as the hand with more of it.
    #[inline]
    pub const fn max(self, other: Self) -> Self {
        let ours = Self::lanes_below(self.guards_kept(other));
        Self::of(self.0 & ours | other.0 & !ours)
    }

    /// Of each kind as many as the hand with fewer of it.
    #[inline]
    pub const fn min(self, other: Self) -> Self {
        let theirs = Self::lanes_below(self.guards_kept(other));
        Self::of(other.0 & theirs | self.0 & !theirs)
    }

    /// Both hands together, which no lane may be too narrow for.
    #[inline]
    pub const fn plus(self, other: Self) -> Self {
        debug_assert!((self.0 + other.0) & Self::GUARDS == 0);
        Self::of(self.0 + other.0)
    }

    /// The count bits of every lane that is not empty.
    #[inline]
    const fn kinds_held(self) -> u64 {
        // A count of 1 or more carries into the guard bit.
        Self::lanes_below((self.0 + (Self::GUARDS - Self::ONES)) & Self::GUARDS)
    }

    /// This hand without the kinds of which `other` holds none.
    #[inline]
    pub const fn of_kinds_in(self, other: Self) -> Self {
        Self::of(self.0 & other.kinds_held())
    }

    /// This hand without the kinds of which `other` holds some.
    #[inline]
    pub const fn of_kinds_not_in(self, other: Self) -> Self {
        Self::of(self.0 & !other.kinds_held())
    }

    /// The hand with these [`Hand::bits`].
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self::of(bits & (Self::GUARDS - Self::ONES))
    }

    /// The kinds held with their counts, in SFEN order.
    pub fn iter(self) -> impl Iterator<Item = (K, u32)> {
        K::IN_HAND
            .iter()
            .map(move |&kind| (kind, self.count(kind)))
            .filter(|&(_, count)| count > 0)
    }
}

impl<K: Kind> fmt::Debug for Hand<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Kind> HandSet for Hand<K> {
    const EMPTY: Self = Hand::EMPTY;

    #[inline]
    fn to_bits(self) -> u64 {
        self.bits()
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Hand::from_bits(bits)
    }

    #[inline]
    fn covers(self, other: Self) -> bool {
        Hand::covers(self, other)
    }

    #[inline]
    fn max(self, other: Self) -> Self {
        Hand::max(self, other)
    }

    #[inline]
    fn min(self, other: Self) -> Self {
        Hand::min(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{shogi, wa};

    /// The hand with these counts, in SFEN order.
    fn hand<K: Kind>(counts: &[u32]) -> Hand<K> {
        let mut hand = Hand::EMPTY;
        for (&kind, &count) in K::IN_HAND.iter().zip(counts) {
            hand.set(kind, count);
        }
        hand
    }

    /// Compares the arithmetic of hands with that of their counts.
    fn arithmetic_is_by_kind<K: Kind>(a: &[u32], b: &[u32]) {
        let by_kind = |combine: fn(u32, u32) -> u32| {
            let counts: Vec<u32> = a.iter().zip(b).map(|(&a, &b)| combine(a, b)).collect();
            hand::<K>(&counts)
        };
        let (ours, theirs) = (hand::<K>(a), hand::<K>(b));
        assert_eq!(ours.max(theirs), by_kind(u32::max));
        assert_eq!(ours.min(theirs), by_kind(u32::min));
        assert_eq!(ours.plus(theirs), by_kind(|a, b| a + b));
        assert_eq!(ours.of_kinds_in(theirs), by_kind(|a, b| a * b.min(1)));
        assert_eq!(
            ours.of_kinds_not_in(theirs),
            by_kind(|a, b| if b == 0 { a } else { 0 })
        );
        let covers = a.iter().zip(b).all(|(a, b)| a >= b);
        assert_eq!(ours.covers(theirs), covers);
        assert_eq!(Hand::from_bits(ours.bits()), ours);
        assert_eq!(Hand::<K>::from_bits(u64::MAX), by_most());
        for (&kind, &count) in K::IN_HAND.iter().zip(a) {
            assert_eq!(ours.count(kind), count);
            assert_eq!(ours.has(kind), count > 0);
        }
    }

    /// The hand with all lanes full.
    fn by_most<K: Kind>() -> Hand<K> {
        let most = K::IN_HAND.iter().map(|&kind| Hand::most(kind) as u32);
        hand(&most.collect::<Vec<_>>())
    }

    #[test]
    fn arithmetic_is_by_kind_in_shogi() {
        type Kind = shogi::PieceKind;
        let (a, b) = ([2, 0, 1, 0, 4, 0, 18], [0, 1, 1, 0, 5, 0, 17]);
        arithmetic_is_by_kind::<Kind>(&a, &b);
        arithmetic_is_by_kind::<Kind>(&b, &a);
        arithmetic_is_by_kind::<Kind>(&a, &a);
        arithmetic_is_by_kind::<Kind>(&[117; 7], &[0; 7]);
    }

    #[test]
    fn arithmetic_is_by_kind_in_wa_shogi() {
        type Kind = wa::PieceKind;
        let mut a = [0, 1, 2, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2, 19];
        let b = [2, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 3];
        arithmetic_is_by_kind::<Kind>(&a, &b);
        arithmetic_is_by_kind::<Kind>(&b, &a);
        a = [2; 16];
        a[15] = 22;
        arithmetic_is_by_kind::<Kind>(&a, &[0; 16]);
    }

    #[test]
    fn pieces_come_and_go() {
        use shogi::PieceKind::{Gold, Pawn, Rook};
        let mut hand = Hand::EMPTY;
        hand.set(Pawn, 18);
        hand.add(Rook);
        hand.remove(Pawn);
        hand.add(Gold);
        assert!(
            hand.iter()
                .eq([(Rook, 1), (Gold, 1), (Pawn, 17)].into_iter())
        );
    }
}
