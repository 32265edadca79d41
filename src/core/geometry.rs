//! Rays and lines of a square board as sets of squares, for tables that are
//! computed at compile time, and sliding attacks.
//!
//! Ranks and diagonals use the subtraction trick in both directions at once
//! ("Hyperbola Quintessence", Chess Programming Wiki; for shogi, Qugiy's appeal
//! document for the 31st WCSC, 2021): on boards of 9 or more ranks a line in these
//! directions has at most one square in each byte of the board, so that swapping
//! the bytes mirrors it. A file is a run of neighbouring bits and takes a table
//! look-up by its occupancy.

use super::{Bitboard, Color, Square};

/// A set of squares for each of the `S` squares of a board.
pub type Table<const N: usize, const S: usize> = [Bitboard<Square<N>>; S];

/// The four lines, as a direction each.
const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

/// The square with this number, which is on the board.
pub const fn square<const N: usize>(index: usize) -> Square<N> {
    match Square::from_index(index) {
        Some(square) => square,
        None => panic!("a square number is on the board"),
    }
}

const fn bit<const N: usize>(square: Square<N>) -> u128 {
    1 << square.index()
}

/// The squares from `from` in one direction up to the edge, without `from`.
pub const fn ray<const N: usize>(from: Square<N>, df: i32, dr: i32) -> Bitboard<Square<N>> {
    reach(from, df, dr, N)
}

/// The first `length` squares of a ray.
pub const fn reach<const N: usize>(
    from: Square<N>,
    df: i32,
    dr: i32,
    length: usize,
) -> Bitboard<Square<N>> {
    let mut bits = 0;
    let mut at = from;
    let mut steps = 0;
    while steps < length
        && let Some(next) = at.offset(df, dr)
    {
        bits |= bit(next);
        at = next;
        steps += 1;
    }
    Bitboard::from_bits(bits)
}

/// The targets of single steps (files to the left and ranks down), as Black
/// moves, turned round for White.
pub const fn step_tables<const N: usize, const S: usize>(steps: &[(i32, i32)]) -> [Table<N, S>; 2] {
    let mut tables = [[Bitboard::EMPTY; S]; 2];
    let mut color = 0;
    while color < 2 {
        let sign = if color == 0 { 1 } else { -1 };
        let mut from = 0;
        while from < S {
            let mut bits = 0;
            let mut i = 0;
            while i < steps.len() {
                let (df, dr) = steps[i];
                if let Some(to) = square::<N>(from).offset(df * sign, dr * sign) {
                    bits |= bit(to);
                }
                i += 1;
            }
            tables[color][from] = Bitboard::from_bits(bits);
            from += 1;
        }
        color += 1;
    }
    tables
}

/// The lines through a square, each without the square itself.
#[derive(Clone, Copy)]
pub struct Lines {
    bit: u128,
    rank: u128,
    /// Direction file + 1, rank + 1.
    diagonal: u128,
    /// Direction file + 1, rank - 1.
    antidiagonal: u128,
}

impl Lines {
    /// The lines through each square.
    pub const fn table<const N: usize, const S: usize>() -> [Lines; S] {
        let mut lines = [Lines {
            bit: 0,
            rank: 0,
            diagonal: 0,
            antidiagonal: 0,
        }; S];
        let mut i = 0;
        while i < S {
            let from = square::<N>(i);
            lines[i] = Lines {
                bit: bit(from),
                rank: ray(from, 1, 0).bits() | ray(from, -1, 0).bits(),
                diagonal: ray(from, 1, 1).bits() | ray(from, -1, -1).bits(),
                antidiagonal: ray(from, 1, -1).bits() | ray(from, -1, 1).bits(),
            };
            i += 1;
        }
        lines
    }

    /// Both diagonals on an empty board.
    pub const fn diagonals(&self) -> u128 {
        self.diagonal | self.antidiagonal
    }

    /// The rank on an empty board.
    pub const fn rank(&self) -> u128 {
        self.rank
    }

    /// Squares of the rank that a slider attacks.
    #[inline]
    pub const fn rank_attacks(&self, occupied: u128) -> u128 {
        line_attacks(self.bit, self.rank, occupied)
    }

    /// Squares of the diagonals that a slider attacks.
    #[inline]
    pub const fn diagonal_attacks(&self, occupied: u128) -> u128 {
        line_attacks(self.bit, self.diagonal, occupied)
            | line_attacks(self.bit, self.antidiagonal, occupied)
    }
}

/// Both directions of a rank or diagonal.
#[inline]
const fn line_attacks(bit: u128, mask: u128, occupied: u128) -> u128 {
    let blockers = occupied & mask;
    let up = blockers.wrapping_sub(bit);
    let down = blockers
        .swap_bytes()
        .wrapping_sub(bit.swap_bytes())
        .swap_bytes();
    (up ^ down) & mask
}

/// Squares of a file that a slider attacks, by its rank and the occupancy of the
/// inner squares of the file (the edge squares never block); `INNER` is 2 to
/// their number.
pub struct FileAttacks<const N: usize, const INNER: usize>([[u16; INNER]; N]);

impl<const N: usize, const INNER: usize> FileAttacks<N, INNER> {
    /// The table for a board of `N` ranks.
    pub const fn table() -> Self {
        assert!(INNER == 1 << (N - 2));
        let mut table = [[0; INNER]; N];
        let mut rank = 0;
        while rank < N {
            let mut inner = 0;
            while inner < INNER {
                let occupied = (inner as u16) << 1;
                let mut attacks = 0;
                let mut r = rank;
                while r > 0 {
                    r -= 1;
                    attacks |= 1 << r;
                    if occupied >> r & 1 != 0 {
                        break;
                    }
                }
                r = rank;
                while r + 1 < N {
                    r += 1;
                    attacks |= 1 << r;
                    if occupied >> r & 1 != 0 {
                        break;
                    }
                }
                table[rank][inner] = attacks;
                inner += 1;
            }
            rank += 1;
        }
        FileAttacks(table)
    }

    /// Squares that a slider on `from` attacks on its file.
    #[inline]
    pub fn attacks(&self, from: Square<N>, occupied: u128) -> u128 {
        let shift = from.file() * N;
        let inner = (occupied >> (shift + 1)) as usize & (INNER - 1);
        u128::from(self.0[from.rank()][inner]) << shift
    }
}

/// The squares strictly between two squares of one line; empty for others.
pub const fn between_tables<const N: usize, const S: usize>() -> [Table<N, S>; S] {
    let mut tables = [[Bitboard::EMPTY; S]; S];
    let mut a = 0;
    while a < S {
        let mut d = 0;
        while d < 8 {
            let (df, dr) = DIRECTIONS[d / 2];
            let sign = if d % 2 == 0 { 1 } else { -1 };
            let mut bits = 0;
            let mut at = square::<N>(a);
            while let Some(next) = at.offset(df * sign, dr * sign) {
                tables[a][next.index()] = Bitboard::from_bits(bits);
                bits |= bit(next);
                at = next;
            }
            d += 1;
        }
        a += 1;
    }
    tables
}

/// The whole line through two squares, edge to edge; empty when there is none.
pub const fn line_tables<const N: usize, const S: usize>() -> [Table<N, S>; S] {
    let mut tables = [[Bitboard::EMPTY; S]; S];
    let mut a = 0;
    while a < S {
        let from = square::<N>(a);
        let mut d = 0;
        while d < 4 {
            let (df, dr) = DIRECTIONS[d];
            let whole = bit(from) | ray(from, df, dr).bits() | ray(from, -df, -dr).bits();
            let mut rest = whole & !bit(from);
            while rest != 0 {
                let b = rest.trailing_zeros() as usize;
                tables[a][b] = Bitboard::from_bits(whole);
                rest &= rest - 1;
            }
            d += 1;
        }
        a += 1;
    }
    tables
}

/// The squares of a rank.
pub const fn rank_set<const N: usize>(rank: usize) -> Bitboard<Square<N>> {
    let mut bits = 0;
    let mut file = 0;
    while file < N {
        bits |= 1 << (file * N + rank);
        file += 1;
    }
    Bitboard::from_bits(bits)
}

/// All squares of a square's file.
#[inline]
pub const fn file_of<const N: usize>(square: Square<N>) -> Bitboard<Square<N>> {
    Bitboard::from_bits(((1 << N) - 1) << (square.file() * N))
}

/// For each colour and each `n` below `M`, the `n` ranks that are farthest.
pub const fn far_ranks_tables<const N: usize, const M: usize>() -> [[Bitboard<Square<N>>; M]; 2] {
    let mut tables = [[Bitboard::EMPTY; M]; 2];
    let mut n = 1;
    while n < M {
        let (black, white) = (rank_set::<N>(n - 1), rank_set::<N>(N - n));
        tables[0][n] = Bitboard::from_bits(tables[0][n - 1].bits() | black.bits());
        tables[1][n] = Bitboard::from_bits(tables[1][n - 1].bits() | white.bits());
        n += 1;
    }
    tables
}

/// All squares of the files that hold none of `pawns`.
///
/// Works on the bits of all files at once: the top bit of a file is set when any
/// of its squares is occupied, and spread downwards by subtraction.
#[inline]
pub const fn files_without<const N: usize>(pawns: Bitboard<Square<N>>) -> Bitboard<Square<N>> {
    let top = const { rank_set::<N>(N - 1).bits() };
    let rest = Bitboard::<Square<N>>::ALL.bits() & !top;
    let some = ((pawns.bits() & rest) + rest) | pawns.bits();
    let none = !some & top;
    Bitboard::from_bits(none | (none - (none >> (N - 1))))
}

/// The squares in front of any of `pawns` of `color`.
#[inline]
pub const fn pawn_targets<const N: usize>(
    color: Color,
    pawns: Bitboard<Square<N>>,
) -> Bitboard<Square<N>> {
    match color {
        Color::Black => {
            let first = const { rank_set::<N>(0).bits() };
            Bitboard::from_bits((pawns.bits() & !first) >> 1)
        }
        Color::White => {
            let last = const { rank_set::<N>(N - 1).bits() };
            Bitboard::from_bits((pawns.bits() & !last) << 1)
        }
    }
}
