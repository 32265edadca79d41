//! Which squares a piece attacks.
//!
//! Step pieces come from tables. Ranks and diagonals use the subtraction trick
//! in both directions at once ("Hyperbola Quintessence", Chess Programming Wiki;
//! for shogi, Qugiy's appeal document for the 31st WCSC, 2021): a line in these
//! directions has at most one square in each byte of the board, so that
//! swapping the bytes mirrors it. A file is nine neighbouring bits and takes a
//! table look-up by its occupancy. All tables are computed at compile time.

use super::piece::{Piece, PieceKind};
use super::square::{Bitboard, SIZE, SQUARES, Square};
use crate::core::Color;

type Table = [Bitboard; SQUARES];

// Steps as Black moves: files to the left, ranks down. Four-player shogi turns
// them a quarter.
pub(crate) const PAWN_STEPS: &[(i32, i32)] = &[(0, -1)];
const KNIGHT_STEPS: &[(i32, i32)] = &[(-1, -2), (1, -2)];
pub(crate) const SILVER_STEPS: &[(i32, i32)] = &[(0, -1), (-1, -1), (1, -1), (-1, 1), (1, 1)];
pub(crate) const GOLD_STEPS: &[(i32, i32)] = &[(0, -1), (-1, -1), (1, -1), (-1, 0), (1, 0), (0, 1)];
const KING_STEPS: &[(i32, i32)] = &[
    (0, -1),
    (-1, -1),
    (1, -1),
    (-1, 0),
    (1, 0),
    (0, 1),
    (-1, 1),
    (1, 1),
];

const fn square(index: usize) -> Square {
    match Square::from_index(index) {
        Some(square) => square,
        None => panic!("a square number is below 81"),
    }
}

const fn bit(square: Square) -> u128 {
    1 << square.index()
}

/// The targets of single steps, as Black moves, turned round for White.
const fn step_table(steps: &[(i32, i32)]) -> [Table; 2] {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; 2];
    let mut color = 0;
    while color < 2 {
        let forward = if color == 0 { 1 } else { -1 };
        let mut from = 0;
        while from < SQUARES {
            let mut bits = 0;
            let mut i = 0;
            while i < steps.len() {
                if let Some(to) = square(from).offset(steps[i].0, steps[i].1 * forward) {
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

/// The squares from `from` in one direction up to the edge, without `from`.
const fn ray(from: Square, df: i32, dr: i32) -> u128 {
    let mut bits = 0;
    let mut at = from;
    while let Some(next) = at.offset(df, dr) {
        bits |= bit(next);
        at = next;
    }
    bits
}

static PAWN: [Table; 2] = step_table(PAWN_STEPS);
static KNIGHT: [Table; 2] = step_table(KNIGHT_STEPS);
static SILVER: [Table; 2] = step_table(SILVER_STEPS);
static GOLD: [Table; 2] = step_table(GOLD_STEPS);
static KING: [Table; 2] = step_table(KING_STEPS);

/// The lines through a square, each without the square itself.
#[derive(Clone, Copy)]
struct Lines {
    bit: u128,
    rank: u128,
    /// Direction file + 1, rank + 1.
    diagonal: u128,
    /// Direction file + 1, rank - 1.
    antidiagonal: u128,
}

static LINES: [Lines; SQUARES] = {
    let mut lines = [Lines {
        bit: 0,
        rank: 0,
        diagonal: 0,
        antidiagonal: 0,
    }; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let from = square(i);
        lines[i] = Lines {
            bit: bit(from),
            rank: ray(from, 1, 0) | ray(from, -1, 0),
            diagonal: ray(from, 1, 1) | ray(from, -1, -1),
            antidiagonal: ray(from, 1, -1) | ray(from, -1, 1),
        };
        i += 1;
    }
    lines
};

/// Squares in front of a square on its file, by colour.
static FORWARD: [Table; 2] = {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; 2];
    let mut i = 0;
    while i < SQUARES {
        tables[0][i] = Bitboard::from_bits(ray(square(i), 0, -1));
        tables[1][i] = Bitboard::from_bits(ray(square(i), 0, 1));
        i += 1;
    }
    tables
};

static BISHOP_RAYS: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        table[i] = Bitboard::from_bits(LINES[i].diagonal | LINES[i].antidiagonal);
        i += 1;
    }
    table
};

static ROOK_RAYS: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let file = ray(square(i), 0, 1) | ray(square(i), 0, -1);
        table[i] = Bitboard::from_bits(LINES[i].rank | file);
        i += 1;
    }
    table
};

/// Squares of a file that a rook attacks, by its rank and the occupancy of the
/// seven inner squares (the edge squares never block).
static FILE_ATTACKS: [[u16; 128]; SIZE] = {
    let mut table = [[0; 128]; SIZE];
    let mut rank = 0;
    while rank < SIZE {
        let mut inner = 0;
        while inner < 128 {
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
            while r + 1 < SIZE {
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
    table
};

const DIRECTIONS: [(i32, i32); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];

static BETWEEN: [Table; SQUARES] = {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; SQUARES];
    let mut a = 0;
    while a < SQUARES {
        let mut d = 0;
        while d < 8 {
            let (df, dr) = DIRECTIONS[d / 2];
            let sign = if d % 2 == 0 { 1 } else { -1 };
            let mut bits = 0;
            let mut at = square(a);
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
};

static LINE: [Table; SQUARES] = {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; SQUARES];
    let mut a = 0;
    while a < SQUARES {
        let mut d = 0;
        while d < 4 {
            let (df, dr) = DIRECTIONS[d];
            let whole = bit(square(a)) | ray(square(a), df, dr) | ray(square(a), -df, -dr);
            let mut rest = whole & !bit(square(a));
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
};

const fn rank_set(rank: usize) -> Bitboard {
    let mut bits = 0;
    let mut file = 0;
    while file < SIZE {
        bits |= 1 << (file * SIZE + rank);
        file += 1;
    }
    Bitboard::from_bits(bits)
}

/// The squares of each rank.
pub static RANKS: [Bitboard; SIZE] = {
    let mut ranks = [Bitboard::EMPTY; SIZE];
    let mut rank = 0;
    while rank < SIZE {
        ranks[rank] = rank_set(rank);
        rank += 1;
    }
    ranks
};

/// All squares of a square's file.
#[inline]
pub const fn file_of(square: Square) -> Bitboard {
    Bitboard::from_bits(0x1ff << (square.file() * SIZE))
}

/// The `n` ranks that are farthest for `color`, `n` from 0 to 9.
#[inline]
pub const fn far_ranks(color: Color, n: usize) -> Bitboard {
    const TABLE: [[Bitboard; SIZE + 1]; 2] = {
        let mut table = [[Bitboard::EMPTY; SIZE + 1]; 2];
        let mut n = 0;
        while n < SIZE {
            table[0][n + 1] = Bitboard::from_bits(table[0][n].bits() | rank_set(n).bits());
            table[1][n + 1] =
                Bitboard::from_bits(table[1][n].bits() | rank_set(SIZE - 1 - n).bits());
            n += 1;
        }
        table
    };
    TABLE[color.index()][n]
}

/// The promotion zone of `color`: its three farthest ranks.
#[inline]
pub const fn promotion_zone(color: Color) -> Bitboard {
    far_ranks(color, 3)
}

/// The squares that a pawn on any of `pawns` attacks.
#[inline]
pub const fn pawn_targets(color: Color, pawns: Bitboard) -> Bitboard {
    match color {
        Color::Black => Bitboard::from_bits((pawns.bits() & !rank_set(0).bits()) >> 1),
        Color::White => Bitboard::from_bits((pawns.bits() & !rank_set(SIZE - 1).bits()) << 1),
    }
}

/// All squares of the files that hold none of `pawns`.
///
/// Works on the nine bits of all files at once: the top bit of a file is set
/// when any of its squares is occupied, and spread downwards by subtraction.
#[inline]
pub const fn files_without(pawns: Bitboard) -> Bitboard {
    const TOP: u128 = rank_set(SIZE - 1).bits();
    const REST: u128 = Bitboard::ALL.bits() & !TOP;
    let some = ((pawns.bits() & REST) + REST) | pawns.bits();
    let none = !some & TOP;
    Bitboard::from_bits(none | (none - (none >> (SIZE - 1))))
}

/// The squares strictly between two squares of one line; empty when they are
/// on no common line.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two squares, edge to edge; empty when there is none
/// or the squares are the same.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// Squares that a pawn attacks.
#[inline]
pub fn pawn(color: Color, from: Square) -> Bitboard {
    PAWN[color.index()][from.index()]
}

/// Squares that a knight attacks.
#[inline]
pub fn knight(color: Color, from: Square) -> Bitboard {
    KNIGHT[color.index()][from.index()]
}

/// Squares that a silver attacks.
#[inline]
pub fn silver(color: Color, from: Square) -> Bitboard {
    SILVER[color.index()][from.index()]
}

/// Squares that a gold attacks.
#[inline]
pub fn gold(color: Color, from: Square) -> Bitboard {
    GOLD[color.index()][from.index()]
}

/// Squares that a king attacks.
#[inline]
pub fn king(from: Square) -> Bitboard {
    KING[0][from.index()]
}

/// Squares in front of `from` up to the edge: what a lance attacks on an empty
/// board.
#[inline]
pub fn forward(color: Color, from: Square) -> Bitboard {
    FORWARD[color.index()][from.index()]
}

/// Squares that a bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(from: Square) -> Bitboard {
    BISHOP_RAYS[from.index()]
}

/// Squares that a rook attacks on an empty board.
#[inline]
pub fn rook_rays(from: Square) -> Bitboard {
    ROOK_RAYS[from.index()]
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

#[inline]
fn file_attacks(from: Square, occupied: Bitboard) -> u128 {
    let shift = from.file() * SIZE;
    let inner = (occupied.bits() >> (shift + 1)) as usize & 0x7f;
    u128::from(FILE_ATTACKS[from.rank()][inner]) << shift
}

/// Squares that a lance attacks.
#[inline]
pub fn lance(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_bits(file_attacks(from, occupied)) & forward(color, from)
}

/// Squares that a bishop attacks.
#[inline]
pub fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[from.index()];
    let occupied = occupied.bits();
    Bitboard::from_bits(
        line_attacks(lines.bit, lines.diagonal, occupied)
            | line_attacks(lines.bit, lines.antidiagonal, occupied),
    )
}

/// Squares that a rook attacks.
#[inline]
pub fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[from.index()];
    Bitboard::from_bits(
        line_attacks(lines.bit, lines.rank, occupied.bits()) | file_attacks(from, occupied),
    )
}

/// Squares that a promoted bishop attacks.
#[inline]
pub fn horse(from: Square, occupied: Bitboard) -> Bitboard {
    bishop(from, occupied) | king(from)
}

/// Squares that a promoted rook attacks.
#[inline]
pub fn dragon(from: Square, occupied: Bitboard) -> Bitboard {
    rook(from, occupied) | king(from)
}

/// Squares that `piece` attacks from `from`, own pieces included.
#[inline]
pub fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    use PieceKind::*;
    let color = piece.color;
    match piece.kind {
        Pawn => pawn(color, from),
        Lance => lance(color, from, occupied),
        Knight => knight(color, from),
        Silver => silver(color, from),
        Bishop => bishop(from, occupied),
        Rook => rook(from, occupied),
        Gold | ProPawn | ProLance | ProKnight | ProSilver => gold(color, from),
        King => king(from),
        Horse => horse(from, occupied),
        Dragon => dragon(from, occupied),
    }
}

/// The squares where `kind` of `color` could move at all, were the board empty:
/// not the last rank for pawns and lances, nor the last two for knights.
#[inline]
pub fn live_squares(color: Color, kind: PieceKind) -> Bitboard {
    let dead = match kind {
        PieceKind::Pawn | PieceKind::Lance => 1,
        PieceKind::Knight => 2,
        _ => 0,
    };
    !far_ranks(color, dead)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::zobrist::splitmix64;

    type Steps = &'static [(i32, i32)];

    /// Attacks by walking, straight from the rules.
    fn walk(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        use PieceKind::*;
        const ORTHOGONAL: &[(i32, i32)] = &[(0, -1), (0, 1), (1, 0), (-1, 0)];
        const DIAGONAL: &[(i32, i32)] = &[(1, -1), (1, 1), (-1, 1), (-1, -1)];
        let (steps, slides): (Steps, Steps) = match piece.kind {
            Pawn => (&[(0, -1)], &[]),
            Lance => (&[], &[(0, -1)]),
            Knight => (&[(1, -2), (-1, -2)], &[]),
            Silver => (&[(0, -1), (1, -1), (-1, -1), (1, 1), (-1, 1)], &[]),
            Bishop => (&[], DIAGONAL),
            Rook => (&[], ORTHOGONAL),
            Horse => (ORTHOGONAL, DIAGONAL),
            Dragon => (DIAGONAL, ORTHOGONAL),
            King => (KING_STEPS, &[]),
            _ => (&[(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1)], &[]),
        };
        let forward = if piece.color == Color::Black { 1 } else { -1 };
        let mut set = Bitboard::EMPTY;
        for &(df, dr) in steps {
            if let Some(to) = from.offset(df, dr * forward) {
                set |= Bitboard::of(to);
            }
        }
        for &(df, dr) in slides {
            let mut at = from;
            while let Some(to) = at.offset(df, dr * forward) {
                set |= Bitboard::of(to);
                if occupied.contains(to) {
                    break;
                }
                at = to;
            }
        }
        set
    }

    #[test]
    fn attacks_equal_walking_on_random_boards() {
        let mut state = 1;
        let mut random = || {
            let (next, value) = splitmix64(state);
            state = next;
            u128::from(value) << 64 | u128::from(splitmix64(value).1)
        };
        for round in 0..300 {
            let mut occupied = Bitboard::from_bits(random());
            if round % 3 > 0 {
                occupied &= Bitboard::from_bits(random());
            }
            for from in Square::all() {
                for kind in PieceKind::ALL {
                    for color in Color::ALL {
                        let piece = Piece::new(color, kind);
                        assert_eq!(
                            attacks(piece, from, occupied),
                            walk(piece, from, occupied),
                            "{piece} on {from} with {occupied:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn between_and_line() {
        let s = |text: &str| text.parse::<Square>().unwrap();
        let set = |text: &str| text.split(' ').map(s).collect::<Bitboard>();
        assert_eq!(between(s("5e"), s("5b")), set("5d 5c"));
        assert_eq!(between(s("9a"), s("6d")), set("8b 7c"));
        assert_eq!(between(s("9a"), s("8c")), Bitboard::EMPTY);
        assert_eq!(between(s("9a"), s("8a")), Bitboard::EMPTY);
        assert_eq!(line(s("1c"), s("2b")), set("1c 2b 3a"));
        assert_eq!(line(s("1c"), s("2a")), Bitboard::EMPTY);
        for a in Square::all() {
            for b in Square::all() {
                assert_eq!(between(a, b), between(b, a));
                assert_eq!(line(a, b), line(b, a));
            }
        }
    }

    #[test]
    fn files_without_pawns() {
        for (a, b) in [("5e", "5e"), ("1a", "9i"), ("3i", "3a"), ("7c", "2g")] {
            let (a, b): (Square, Square) = (a.parse().unwrap(), b.parse().unwrap());
            let free = files_without(Bitboard::of(a) | Bitboard::of(b));
            for square in Square::all() {
                let on_file = square.file() == a.file() || square.file() == b.file();
                assert_eq!(free.contains(square), !on_file);
            }
        }
        assert_eq!(files_without(Bitboard::EMPTY), Bitboard::ALL);
    }
}
