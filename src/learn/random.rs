//! Random numbers that are the same on every machine and with every version of
//! every library: SplitMix64 (see [`crate::core::zobrist`]).

use crate::core::zobrist::splitmix64;

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Random {
        Random(splitmix64(seed).1)
    }

    /// The `index`-th of many independent sequences that belong to `seed`.
    pub fn nth(seed: u64, index: u64) -> Random {
        Random(splitmix64(splitmix64(seed).1 ^ splitmix64(!index).1).1)
    }

    /// The next number, of all 64-bit numbers.
    pub fn next_u64(&mut self) -> u64 {
        let number;
        (self.0, number) = splitmix64(self.0);
        number
    }

    /// A number below `end`, which must not be 0; all are as likely (but for one
    /// part in 2^64 / `end`).
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next_u64()) * end as u128) >> 64) as usize
    }

    /// A number between `low` and `high`, both included.
    pub fn between(&mut self, (low, high): (u32, u32)) -> u32 {
        low + self.below(high.saturating_sub(low) as usize + 1) as u32
    }

    /// Brings a list in random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_their_range_and_reproducible() {
        let mut random = Random::new(1);
        let mut seen = [0; 6];
        for _ in 0..6000 {
            seen[random.between((2, 7)) as usize - 2] += 1;
        }
        assert!(
            seen.iter().all(|&count| (800..1200).contains(&count)),
            "{seen:?}"
        );
        assert_eq!(random.between((5, 5)), 5);
        assert_eq!(random.below(1), 0);
        let mut list: Vec<u32> = (0..100).collect();
        Random::new(7).shuffle(&mut list);
        let mut again: Vec<u32> = (0..100).collect();
        Random::new(7).shuffle(&mut again);
        assert_eq!(list, again);
        assert_ne!(Random::nth(1, 2).next_u64(), Random::nth(2, 1).next_u64());
        assert_ne!(Random::nth(1, 0).next_u64(), Random::nth(1, 1).next_u64());
    }
}
