//! Random numbers for position keys (A. Zobrist, "A New Hashing Method with
//! Application for Game Playing", 1970), made at compile time.

/// One step of SplitMix64 (Steele, Lea and Flood, "Fast Splittable
/// Pseudorandom Number Generators", 2014): the next state and its output.
pub const fn splitmix64(state: u64) -> (u64, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (state, z ^ (z >> 31))
}

/// A table of `N` rows of `M` random numbers from `seed`.
pub const fn table<const N: usize, const M: usize>(seed: u64) -> [[u64; M]; N] {
    let mut rows = [[0; M]; N];
    let mut state = seed;
    let mut i = 0;
    while i < N {
        let mut j = 0;
        while j < M {
            (state, rows[i][j]) = splitmix64(state);
            j += 1;
        }
        i += 1;
    }
    rows
}
