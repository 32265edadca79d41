//! The positions between the root and the node at hand, and repetitions of them.
//!
//! A position that recurs on the path with the same board, and no more in the
//! attacker's hand, is no progress: the attacker does not mate that way. Such a
//! disproof holds on this path only (the graph-history interaction; Kishimoto and
//! Müller, "A General Solution to the Graph History Interaction Problem", 2004).
//! [`Loops`] keeps those disproofs under a hash of the whole path.

use crate::game::HandSet;

/// A position on the path.
#[derive(Clone, Copy)]
struct Visit<H> {
    key: u64,
    hand: H,
    depth: u32,
}

/// The positions on the path: a hash table with open addressing. Positions leave
/// in the reverse order of their coming, so that no gap ever splits a chain.
pub(super) struct Path<H> {
    slots: Vec<Option<Visit<H>>>,
    len: usize,
}

impl<H: HandSet> Path<H> {
    pub(super) fn new() -> Self {
        Path {
            slots: vec![None; 1 << 10],
            len: 0,
        }
    }

    fn slot(&self, key: u64) -> usize {
        // The table's cluster comes from the upper bits.
        key as usize & (self.slots.len() - 1)
    }

    pub(super) fn push(&mut self, key: u64, hand: H, depth: u32) {
        if self.len * 4 >= self.slots.len() {
            self.grow();
        }
        self.len += 1;
        self.place(Visit { key, hand, depth });
    }

    fn place(&mut self, visit: Visit<H>) {
        let mut slot = self.slot(visit.key);
        while self.slots[slot].is_some() {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = Some(visit);
    }

    fn grow(&mut self) {
        let doubled = vec![None; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, doubled);
        let mut visits: Vec<_> = old.into_iter().flatten().collect();
        visits.sort_by_key(|visit| visit.depth);
        for visit in visits {
            self.place(visit);
        }
    }

    /// Takes the deepest position away, which must be this one.
    pub(super) fn pop(&mut self, key: u64, depth: u32) {
        let mut slot = self.slot(key);
        while let Some(visit) = &self.slots[slot] {
            if visit.depth == depth {
                self.slots[slot] = None;
                self.len -= 1;
                return;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        debug_assert!(false, "the position is on the path");
    }

    /// The depth of the deepest earlier position with this board and at least
    /// this hand of the attacker.
    #[inline]
    pub(super) fn recurrence(&self, key: u64, hand: H) -> Option<u32> {
        let mut slot = self.slot(key);
        let mut found = None;
        while let Some(visit) = &self.slots[slot] {
            if visit.key == key && visit.hand.covers(hand) {
                found = found.max(Some(visit.depth));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        found
    }
}

/// The path hash of a position, from that of its parent. The order of the
/// positions counts, so that equal hashes mean equal depths too.
pub(super) fn extend<H: HandSet>(parent: u64, key: u64, hand: H) -> u64 {
    let node = key ^ hand.to_bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (parent ^ node)
        .rotate_left(25)
        .wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Disproofs that hold on one path: by path hash, the depth of the highest
/// position on whose recurrence the disproof rests.
pub(super) struct Loops(Vec<(u64, i32)>);

impl Loops {
    /// A table with 2^`bits` entries.
    pub(super) fn new(bits: u32) -> Self {
        Loops(vec![(0, 0); 1 << bits])
    }

    pub(super) fn clear(&mut self) {
        self.0.fill((0, 0));
    }

    fn slot(&self, path: u64) -> usize {
        (path >> 32) as usize & (self.0.len() - 1)
    }

    pub(super) fn insert(&mut self, path: u64, depth: i32) {
        let slot = self.slot(path);
        self.0[slot] = (path, depth);
    }

    pub(super) fn get(&self, path: u64) -> Option<i32> {
        let (key, depth) = self.0[self.slot(path)];
        (key == path).then_some(depth)
    }
}
