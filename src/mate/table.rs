//! The solver's table: what is known of positions, under a bound on memory.
//!
//! An entry belongs to a board with a hand of the attacker; the board and that
//! hand determine the defender's. It says one of three things:
//!
//! * *proved*: with this hand **or more** there is a mate within `limit` plies;
//! * *disproved*: with this hand **or less** there is none within `limit` plies
//!   ([`UNLIMITED`]: none at all);
//! * *open*: proof and disproof number of exactly this hand and limit.
//!
//! (Nagai, "Df-pn Algorithm for Searching AND/OR Trees and its Applications",
//! 2002, chapter 5: proof pieces and disproof pieces.)
//!
//! Sixteen entries make a cluster. The parts of the keys that tell them apart
//! fill one cache line, so that a look-up touches little more than what it finds.
//! All entries of a board are in one cluster. When it is full, the entry with the
//! least work behind it goes, and the others age a little.

use std::alloc::{self, Layout};
use std::marker::PhantomData;
use std::ptr::NonNull;

use crate::core::memory::ZeroedMemory;
use crate::game::HandSet;

/// A proof or disproof number: 0 is decided, [`INFINITE`] the opposite.
pub(super) type Number = u32;

/// The number of what cannot be reached.
pub(super) const INFINITE: Number = 1 << 30;

/// No bound on the length of the mate.
pub(super) const UNLIMITED: u16 = u16::MAX;

const SLOTS: usize = 16;
/// Work that decided entries count in addition, in steps of [`effort`].
const DECIDED_BONUS: u8 = 8;

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known<H> {
    pub(super) pn: Number,
    pub(super) dn: Number,
    /// For a decided position, the hand for which it was decided.
    pub(super) hand: H,
    /// For a decided position, within how many plies.
    pub(super) limit: u16,
    /// The least depth below the root at which the position was met.
    pub(super) depth: u16,
    /// Whether it was disproved by a repetition on some path.
    pub(super) looped: bool,
}

/// The answer to a look-up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<H> {
    /// An entry.
    Known(Known<H>),
    /// None; but from the entries of other hands, the least that the proof and the
    /// disproof number can be.
    Bounds(Number, Number),
}

impl<H> Found<H> {
    /// The entry.
    pub(super) fn known(self) -> Option<Known<H>> {
        match self {
            Found::Known(known) => Some(known),
            Found::Bounds(..) => None,
        }
    }
}

/// An entry without the signature.
#[derive(Clone, Copy)]
#[repr(C)]
struct Body {
    /// The upper half of the key.
    check: u32,
    hand: [u32; 2],
    pn: Number,
    dn: Number,
    limit: u16,
    depth: u16,
    mv: u16,
    work: u8,
    looped: bool,
}

#[repr(C, align(64))]
struct Cluster {
    /// The lower halves of the keys; 0 is an empty slot.
    signatures: [u32; SLOTS],
    bodies: [Body; SLOTS],
}

const _: () = assert!(size_of::<Body>() == 28);
const _: () = assert!(size_of::<Cluster>() == 512);

fn signature(key: u64) -> u32 {
    (key as u32).max(1)
}

impl Body {
    fn hand<H: HandSet>(&self) -> H {
        H::from_bits(u64::from(self.hand[0]) | u64::from(self.hand[1]) << 32)
    }
}

fn halves<H: HandSet>(hand: H) -> [u32; 2] {
    let bits = hand.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

/// The work of so many nodes on a logarithmic scale, four steps a doubling.
fn effort(nodes: u64) -> u8 {
    let log = nodes.max(1).ilog2();
    let rest = (nodes.max(1) << 2 >> log) & 3;
    (4 * log + rest as u32).min(200) as u8
}

/// The table.
pub(super) struct Table<H> {
    clusters: NonNull<Cluster>,
    len: usize,
    _memory: ZeroedMemory,
    used: usize,
    hand: PhantomData<H>,
}

// SAFETY: the memory is owned by the table and reached through it alone.
unsafe impl<H> Send for Table<H> {}

impl<H: HandSet> Table<H> {
    /// A table of at most `bytes`, or of less when there is not so much memory:
    /// the size is halved until the allocation works.
    pub(super) fn new(bytes: usize) -> Self {
        let mut len = (bytes / size_of::<Cluster>()).max(1);
        loop {
            if let Some(table) = Self::allocate(len) {
                return table;
            }
            len /= 2;
            if len == 0 {
                alloc::handle_alloc_error(Layout::new::<Cluster>());
            }
        }
    }

    fn allocate(len: usize) -> Option<Self> {
        // Zeroed clusters are empty ones.
        let memory = ZeroedMemory::new(len.checked_mul(size_of::<Cluster>())?)?;
        Some(Table {
            clusters: memory.start().cast(),
            len,
            _memory: memory,
            used: 0,
            hand: PhantomData,
        })
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<Cluster>()
    }

    /// Filling per mille.
    pub(super) fn fill(&self) -> u32 {
        (self.used as u128 * 1000 / (self.len * SLOTS) as u128) as u32
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.used = 0;
        // SAFETY: the memory has this size, and zeroed clusters are empty ones.
        unsafe { std::ptr::write_bytes(self.clusters.as_ptr(), 0, self.len) }
    }

    #[inline]
    fn index(&self, key: u64) -> usize {
        ((u128::from(key) * self.len as u128) >> 64) as usize
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        // SAFETY: the index is below `len`, and any bytes written are clusters.
        unsafe { self.clusters.add(self.index(key)).as_ref() }
    }

    #[inline]
    fn cluster_mut(&mut self, key: u64) -> &mut Cluster {
        // SAFETY: as above, and the table is borrowed mutably.
        unsafe { self.clusters.add(self.index(key)).as_mut() }
    }

    /// Has the processor fetch what a look-up of this key needs first.
    #[inline]
    pub(super) fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch cannot fault.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let cluster = self.clusters.add(self.index(key));
            _mm_prefetch::<_MM_HINT_T0>(cluster.as_ptr().cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// Slots of a cluster with this signature, as bits.
    #[inline]
    fn matches(cluster: &Cluster, signature: u32) -> u32 {
        let mut mask = 0;
        for (slot, &other) in cluster.signatures.iter().enumerate() {
            mask |= u32::from(other == signature) << slot;
        }
        mask
    }

    /// What is known of a board with this hand, for mates within `limit`.
    ///
    /// Open entries of other hands count too: with less in hand a mate is no easier to
    /// prove, and with more no easier to disprove.
    pub(super) fn look_up(&self, key: u64, hand: H, limit: u16) -> Found<H> {
        let cluster = self.cluster(key);
        let mut mask = Self::matches(cluster, signature(key));
        let mut found = None;
        let (mut least_pn, mut least_dn) = (1, 1);
        while mask != 0 {
            let body = &cluster.bodies[mask.trailing_zeros() as usize];
            mask &= mask - 1;
            if body.check != (key >> 32) as u32 {
                continue;
            }
            let known = Known {
                pn: body.pn,
                dn: body.dn,
                hand: body.hand(),
                limit: body.limit,
                depth: body.depth,
                looped: body.looped,
            };
            if body.pn == 0 {
                if limit >= body.limit && hand.covers(known.hand) {
                    return Found::Known(known);
                }
            } else if body.dn == 0 {
                if limit <= body.limit && known.hand.covers(hand) {
                    return Found::Known(known);
                }
            } else if body.limit == limit {
                if known.hand == hand {
                    found = Some(known);
                } else if known.hand.covers(hand) {
                    least_pn = least_pn.max(body.pn);
                } else if hand.covers(known.hand) {
                    least_dn = least_dn.max(body.dn);
                }
            }
        }
        match found {
            Some(known) => Found::Known(Known {
                pn: known.pn.max(least_pn),
                dn: known.dn.max(least_dn),
                ..known
            }),
            None => Found::Bounds(least_pn, least_dn),
        }
    }

    /// The best proof for a board with this hand: the fewest plies within which
    /// there is a mate, and the first move of it.
    pub(super) fn best_proof(&self, key: u64, hand: H) -> Option<(u16, u16)> {
        let cluster = self.cluster(key);
        (0..SLOTS)
            .filter(|&slot| cluster.signatures[slot] == signature(key))
            .map(|slot| &cluster.bodies[slot])
            .filter(|body| body.check == (key >> 32) as u32)
            .filter(|body| body.pn == 0 && hand.covers(body.hand()))
            .map(|body| (body.limit, body.mv))
            .min()
    }

    /// Stores the numbers of an open position.
    #[expect(clippy::too_many_arguments, reason = "the fields of an entry")]
    pub(super) fn store_open(
        &mut self,
        key: u64,
        hand: H,
        limit: u16,
        (pn, dn): (Number, Number),
        depth: u16,
        looped: bool,
        nodes: u64,
    ) {
        let signature = signature(key);
        let check = (key >> 32) as u32;
        let hand = halves(hand);
        let cluster = self.cluster_mut(key);
        let mut mask = Self::matches(cluster, signature);
        while mask != 0 {
            let body = &mut cluster.bodies[mask.trailing_zeros() as usize];
            mask &= mask - 1;
            if body.check == check
                && body.hand == hand
                && body.limit == limit
                && body.pn != 0
                && body.dn != 0
            {
                body.pn = pn;
                body.dn = dn;
                body.depth = body.depth.min(depth);
                body.looped |= looped;
                body.work = body.work.max(effort(nodes));
                return;
            }
        }
        let body = Body {
            check,
            hand,
            pn,
            dn,
            limit,
            depth,
            mv: 0,
            work: effort(nodes),
            looped,
        };
        self.insert(key, body);
    }

    /// Stores that with `hand` or more there is a mate within `limit` plies, and
    /// the attacker's move, if the attacker is to move.
    pub(super) fn store_proof(&mut self, key: u64, hand: H, limit: u16, mv: u16, nodes: u64) {
        self.erase(key, |body| {
            body.dn != 0 && body.limit >= limit && body.hand::<H>().covers(hand)
        });
        let body = Body {
            check: (key >> 32) as u32,
            hand: halves(hand),
            pn: 0,
            dn: INFINITE,
            limit,
            depth: 0,
            mv,
            work: effort(nodes) + DECIDED_BONUS,
            looped: false,
        };
        self.insert(key, body);
    }

    /// Stores that with `hand` or less there is no mate within `limit` plies.
    pub(super) fn store_disproof(&mut self, key: u64, hand: H, limit: u16, nodes: u64) {
        self.erase(key, |body| {
            body.pn != 0 && body.limit <= limit && hand.covers(body.hand())
        });
        let body = Body {
            check: (key >> 32) as u32,
            hand: halves(hand),
            pn: INFINITE,
            dn: 0,
            limit,
            depth: 0,
            mv: 0,
            work: effort(nodes) + DECIDED_BONUS,
            looped: false,
        };
        self.insert(key, body);
    }

    /// Empties the slots of a board that satisfy a test.
    fn erase(&mut self, key: u64, test: impl Fn(&Body) -> bool) {
        let mut erased = 0;
        let cluster = self.cluster_mut(key);
        let mut mask = Self::matches(cluster, signature(key));
        while mask != 0 {
            let slot = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            let body = &cluster.bodies[slot];
            if body.check == (key >> 32) as u32 && test(body) {
                cluster.signatures[slot] = 0;
                erased += 1;
            }
        }
        self.used -= erased;
    }

    fn insert(&mut self, key: u64, body: Body) {
        let cluster = self.cluster_mut(key);
        if let Some(slot) = cluster.signatures.iter().position(|&s| s == 0) {
            cluster.signatures[slot] = signature(key);
            cluster.bodies[slot] = body;
            self.used += 1;
            return;
        }
        let mut victim = 0;
        for slot in 1..SLOTS {
            if cluster.bodies[slot].work < cluster.bodies[victim].work {
                victim = slot;
            }
        }
        for other in &mut cluster.bodies {
            other.work = other.work.saturating_sub(1);
        }
        cluster.signatures[victim] = signature(key);
        cluster.bodies[victim] = body;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Hand, PieceKind};

    #[test]
    fn open_entries_bound_the_numbers_with_other_hands() {
        let mut table = Table::<Hand>::new(1 << 16);
        let hand = |kinds: &[PieceKind]| {
            let mut hand = Hand::EMPTY;
            kinds.iter().for_each(|&kind| hand.add(kind));
            hand
        };
        let gold = hand(&[PieceKind::Gold]);
        let more = hand(&[PieceKind::Gold, PieceKind::Pawn]);
        let other = hand(&[PieceKind::Silver]);
        table.store_open(7, gold, UNLIMITED, (5, 9), 3, false, 1);
        let bounds = |table: &Table<Hand>, hand, limit| match table.look_up(7, hand, limit) {
            Found::Bounds(pn, dn) => (pn, dn),
            Found::Known(known) => panic!("{known:?}"),
        };
        assert_eq!(bounds(&table, Hand::EMPTY, UNLIMITED), (5, 1));
        assert_eq!(bounds(&table, more, UNLIMITED), (1, 9));
        assert_eq!(bounds(&table, other, UNLIMITED), (1, 1));
        assert_eq!(bounds(&table, more, 11), (1, 1));
        table.store_open(7, more, UNLIMITED, (6, 2), 3, false, 1);
        let known = table.look_up(7, gold, UNLIMITED).known().unwrap();
        assert_eq!((known.pn, known.dn), (6, 9));
        let known = table.look_up(7, more, UNLIMITED).known().unwrap();
        assert_eq!((known.pn, known.dn), (6, 9));
    }
}
