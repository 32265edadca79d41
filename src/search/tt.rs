//! The transposition table: what the search already knows of positions, shared
//! by all threads without locks.
//!
//! The table is an array of cache lines ("clusters") of four 16-byte slots. A
//! slot is two atomic words; the first one is the position's tag XORed with the
//! second one, so that a slot torn by two writers does not match any position
//! (R. Hyatt and T. Mann, "A lock-less transposition table implementation for
//! parallel search", ICGA Journal 25, 2002).
//!
//! The tag holds 48 bits of the key and the table's *epoch*. Clearing the table
//! is one step of the epoch: slots of another epoch count as empty, so a new
//! game costs nothing, however large the table. The memory comes zeroed from
//! the operating system, which hands out a page at its first use; as that takes
//! milliseconds a huge page, [`TranspositionTable::touch`] does it beforehand.

use std::alloc::{self, Layout};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use super::info::Bound;
use crate::core::Score;
use crate::core::memory::ZeroedMemory;

/// Slots of one cluster.
const SLOTS: usize = 4;
/// Searches after which the generation of an entry repeats.
const GENERATIONS: u8 = 32;
/// How many plies of depth one search of age outweighs in replacement.
const AGE_WEIGHT: i32 = 8;
/// Stored depths are shifted by this, so that quiescence depths fit.
const DEPTH_OFFSET: i32 = 4;

struct Slot {
    /// The tag XOR `data`.
    check: AtomicU64,
    /// Move 16, score 16, evaluation 16, depth 8, bound 2, pv 1, generation 5
    /// bits, from the lowest.
    data: AtomicU64,
}

#[repr(align(64))]
struct Cluster([Slot; SLOTS]);

const _: () = assert!(size_of::<Slot>() == 16);
const _: () = assert!(size_of::<Cluster>() == 64);

/// What the table knows of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Bits of the best move; 0 is none. It may be illegal here.
    pub move_bits: u16,
    /// Score, mates counted from this node (see [`crate::core::score::to_table`]).
    pub score: Score,
    /// Static evaluation, or [`crate::core::score::NONE`].
    pub eval: Score,
    /// Depth in plies that the score comes from.
    pub depth: i32,
    /// What the score is.
    pub bound: Bound,
    /// Whether the node was on a principal variation.
    pub pv: bool,
}

impl Entry {
    fn pack(self, generation: u8) -> u64 {
        let depth = (self.depth + DEPTH_OFFSET).clamp(0, 255) as u64;
        let bound = match self.bound {
            Bound::Upper => 1,
            Bound::Lower => 2,
            Bound::Exact => 3,
        };
        u64::from(self.move_bits)
            | u64::from(self.score as i16 as u16) << 16
            | u64::from(self.eval as i16 as u16) << 32
            | depth << 48
            | (bound | u64::from(self.pv) << 2 | u64::from(generation) << 3) << 56
    }

    fn unpack(data: u64) -> Entry {
        Entry {
            move_bits: data as u16,
            score: Score::from((data >> 16) as i16),
            eval: Score::from((data >> 32) as i16),
            depth: depth_of(data),
            bound: match data >> 56 & 3 {
                1 => Bound::Upper,
                2 => Bound::Lower,
                _ => Bound::Exact,
            },
            pv: data >> 58 & 1 != 0,
        }
    }
}

fn depth_of(data: u64) -> i32 {
    (data >> 48 & 0xff) as i32 - DEPTH_OFFSET
}

fn generation_of(data: u64) -> u8 {
    (data >> 59) as u8
}

/// The table. All methods may be called from any thread at any time.
pub struct TranspositionTable {
    clusters: NonNull<Cluster>,
    len: usize,
    _memory: ZeroedMemory,
    epoch: AtomicU16,
    generation: AtomicU8,
}

// SAFETY: the memory is owned by the table, and only reached through atomics.
unsafe impl Send for TranspositionTable {}
// SAFETY: as above.
unsafe impl Sync for TranspositionTable {}

impl TranspositionTable {
    /// A table of `megabytes` MiB, or of less when there is not so much memory:
    /// the size is halved until the allocation works. See
    /// [`TranspositionTable::megabytes`].
    pub fn new(megabytes: usize) -> Self {
        let mut bytes = megabytes.max(1).saturating_mul(1 << 20);
        loop {
            if let Some(table) = Self::allocate(bytes / size_of::<Cluster>()) {
                return table;
            }
            bytes /= 2;
            if bytes < size_of::<Cluster>() {
                alloc::handle_alloc_error(Layout::new::<Cluster>());
            }
        }
    }

    fn allocate(len: usize) -> Option<Self> {
        let memory = ZeroedMemory::new(len.checked_mul(size_of::<Cluster>())?)?;
        Some(TranspositionTable {
            clusters: memory.start().cast(),
            len,
            _memory: memory,
            epoch: AtomicU16::new(1),
            generation: AtomicU8::new(0),
        })
    }

    /// Size in MiB, rounded down.
    pub fn megabytes(&self) -> usize {
        (self.len * size_of::<Cluster>()) >> 20
    }

    /// Uses every page of the memory once, on all cores, for at most `budget`;
    /// what is left then is handed out during the searches.
    pub fn touch(&self, budget: Duration) {
        const PAGE: usize = 4096 / size_of::<Cluster>();
        const CHUNK: usize = (2 << 20) / size_of::<Cluster>();
        let start = Instant::now();
        let next = AtomicUsize::new(0);
        let work = || {
            while start.elapsed() < budget {
                let chunk = next.fetch_add(CHUNK, Relaxed);
                if chunk >= self.len {
                    break;
                }
                for index in (chunk..self.len.min(chunk + CHUNK)).step_by(PAGE) {
                    // A write that changes nothing. (As a `fetch_or` of 0 it
                    // would be compiled to a read, which claims no page.)
                    let data = &self.cluster_at(index).0[0].data;
                    let _ = data.compare_exchange(0, 0, Relaxed, Relaxed);
                }
            }
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 1..cores.min(self.len.div_ceil(CHUNK)) {
                // A thread that cannot be had is not missed.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
    }

    /// Forgets everything, in no time. Not while a search runs.
    pub fn clear(&self) {
        self.generation.store(0, Relaxed);
        let epoch = self.epoch.load(Relaxed).wrapping_add(1);
        if epoch == 0 {
            // Once in 65,535 clears the epochs are used up.
            for index in 0..self.len {
                for slot in &self.cluster_at(index).0 {
                    slot.check.store(0, Relaxed);
                    slot.data.store(0, Relaxed);
                }
            }
        }
        self.epoch.store(epoch.max(1), Relaxed);
    }

    /// Starts a new generation: entries of earlier searches are replaced first.
    pub fn new_search(&self) {
        let generation = (self.generation.load(Relaxed) + 1) % GENERATIONS;
        self.generation.store(generation, Relaxed);
    }

    fn cluster_at(&self, index: usize) -> &Cluster {
        debug_assert!(index < self.len);
        // SAFETY: `index` is below `len`, and all bit patterns are valid.
        unsafe { self.clusters.add(index).as_ref() }
    }

    #[inline]
    fn cluster(&self, key: u64) -> &Cluster {
        // The high bits choose the cluster, the low ones make the tag.
        self.cluster_at(((u128::from(key) * self.len as u128) >> 64) as usize)
    }

    #[inline]
    fn tag(&self, key: u64) -> u64 {
        key << 16 | u64::from(self.epoch.load(Relaxed))
    }

    /// Asks the processor to fetch what [`TranspositionTable::probe`] will read.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: prefetching has no effect that could be observed.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self.cluster(key)).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = key;
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn probe(&self, key: u64) -> Option<Entry> {
        let tag = self.tag(key);
        self.cluster(key).0.iter().find_map(|slot| {
            let data = slot.data.load(Relaxed);
            (slot.check.load(Relaxed) ^ data == tag).then(|| Entry::unpack(data))
        })
    }

    /// Remembers `entry`. A deeper entry of this search for the same position
    /// stays, unless the new one is exact; a move is never forgotten for none.
    #[inline]
    pub fn store(&self, key: u64, mut entry: Entry) {
        let tag = self.tag(key);
        let generation = self.generation.load(Relaxed);
        let epoch = tag & 0xffff;
        let slots = &self.cluster(key).0;
        let mut victim = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Relaxed);
            let found = slot.check.load(Relaxed) ^ data;
            if found == tag {
                if entry.move_bits == 0 {
                    entry.move_bits = data as u16;
                }
                if entry.bound != Bound::Exact
                    && generation_of(data) == generation
                    && entry.depth + 3 < depth_of(data)
                {
                    return;
                }
                victim = slot;
                break;
            }
            let worth = if found & 0xffff == epoch {
                let age = (generation + GENERATIONS - generation_of(data)) % GENERATIONS;
                depth_of(data) - AGE_WEIGHT * i32::from(age)
            } else {
                i32::MIN
            };
            if worth < least {
                least = worth;
                victim = slot;
            }
        }
        let data = entry.pack(generation);
        victim.data.store(data, Relaxed);
        victim.check.store(tag ^ data, Relaxed);
    }

    /// How much of the table this search has filled, per mille, estimated from
    /// its first slots.
    pub fn hashfull(&self) -> u32 {
        let epoch = u64::from(self.epoch.load(Relaxed));
        let generation = self.generation.load(Relaxed);
        let sample = self.len.min(250);
        let full = (0..sample)
            .flat_map(|index| &self.cluster_at(index).0)
            .filter(|slot| {
                let data = slot.data.load(Relaxed);
                (slot.check.load(Relaxed) ^ data) & 0xffff == epoch
                    && generation_of(data) == generation
            })
            .count();
        (full * 1000 / (sample * SLOTS)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::score::{NONE, mate_in, mated_in};

    fn entry(depth: i32, score: Score) -> Entry {
        Entry {
            move_bits: 0xabcd,
            score,
            eval: -123,
            depth,
            bound: Bound::Lower,
            pv: true,
        }
    }

    #[test]
    fn touching_changes_nothing() {
        let table = TranspositionTable::new(5);
        table.store(1, entry(3, 50));
        table.store(u64::MAX, entry(4, 60));
        let before = (table.probe(1), table.probe(u64::MAX));
        table.touch(Duration::from_secs(10));
        assert_eq!((table.probe(1), table.probe(u64::MAX)), before);
        assert_eq!(table.probe(u64::MAX / 2), None);
        table.touch(Duration::ZERO);
    }

    #[test]
    fn entries_come_back_as_stored() {
        let table = TranspositionTable::new(1);
        let key = 0x1234_5678_9abc_def0;
        assert_eq!(table.probe(key), None);
        assert_eq!(table.probe(0), None);
        for (depth, score) in [(-1, 5), (0, -5), (245, mate_in(1)), (7, mated_in(0))] {
            let stored = Entry {
                eval: NONE,
                bound: Bound::Exact,
                ..entry(depth, score)
            };
            table.store(key, stored);
            assert_eq!(table.probe(key), Some(stored));
        }
    }

    #[test]
    fn clearing_forgets_and_frees() {
        let table = TranspositionTable::new(1);
        for i in 0..100_000u64 {
            table.store(i << 40 | i, entry(9, 1));
        }
        assert!(table.probe(99_999 << 40 | 99_999).is_some());
        table.clear();
        for i in 0..100_000u64 {
            assert_eq!(table.probe(i << 40 | i), None);
        }
        assert_eq!(table.hashfull(), 0);
        // Even the shallowest entry finds room among forgotten ones.
        table.store(7, entry(-1, 3));
        assert!(table.probe(7).is_some());
    }

    #[test]
    fn epochs_may_run_out() {
        let table = TranspositionTable::allocate(4).unwrap();
        table.store(7, entry(1, 3));
        for _ in 0..u16::MAX {
            table.clear();
        }
        assert_eq!(table.probe(7), None);
    }

    #[test]
    fn old_and_shallow_entries_are_replaced_first() {
        let table = TranspositionTable::allocate(1).unwrap();
        for key in 1..=4 {
            table.store(key, entry(10 + key as i32, 0));
        }
        table.store(5, entry(1, 0));
        assert_eq!(table.probe(1), None);
        assert!((2..=5).all(|key| table.probe(key).is_some()));
        for _ in 0..3 {
            table.new_search();
        }
        table.store(5, entry(1, 0));
        table.store(6, entry(1, 0));
        assert_eq!(table.probe(2), None);
        assert!(table.probe(5).is_some());
    }

    #[test]
    fn a_move_survives_a_store_without_one() {
        let table = TranspositionTable::new(1);
        table.store(9, entry(4, 0));
        table.store(
            9,
            Entry {
                move_bits: 0,
                ..entry(5, 0)
            },
        );
        assert_eq!(table.probe(9).unwrap().move_bits, 0xabcd);
        // Far shallower news does not push out what is known.
        table.store(9, entry(-1, 44));
        assert_eq!(table.probe(9).unwrap().depth, 5);
    }

    #[test]
    fn torn_slots_do_not_match() {
        let table = TranspositionTable::allocate(1).unwrap();
        table.store(1, entry(4, 0));
        let slot = &table.cluster(1).0[0];
        slot.data.store(entry(5, 77).pack(0), Relaxed);
        assert_eq!(table.probe(1), None);
    }

    #[test]
    fn too_large_a_table_becomes_a_smaller_one() {
        let table = TranspositionTable::new(usize::MAX >> 20);
        assert!(table.megabytes() >= 1);
    }
}
