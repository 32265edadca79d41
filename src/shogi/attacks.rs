//! Which squares a piece attacks.
//!
//! Step pieces come from tables, sliding attacks from `core::geometry`. All tables
//! are computed at compile time.

use super::piece::{Piece, PieceKind};
use super::square::{Bitboard, SIZE, SQUARES, Square};
use crate::core::Color;
use crate::core::geometry::{self, FileAttacks, Lines, ray};

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

static PAWN: [Table; 2] = geometry::step_tables(PAWN_STEPS);
static KNIGHT: [Table; 2] = geometry::step_tables(KNIGHT_STEPS);
static SILVER: [Table; 2] = geometry::step_tables(SILVER_STEPS);
static GOLD: [Table; 2] = geometry::step_tables(GOLD_STEPS);
static KING: [Table; 2] = geometry::step_tables(KING_STEPS);

static LINES: [Lines; SQUARES] = Lines::table::<SIZE, SQUARES>();
static FILE_ATTACKS: FileAttacks<SIZE, 128> = FileAttacks::table();
static BETWEEN: [Table; SQUARES] = geometry::between_tables();
static LINE: [Table; SQUARES] = geometry::line_tables();

/// Squares in front of a square on its file, by colour.
static FORWARD: [Table; 2] = {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; 2];
    let mut i = 0;
    while i < SQUARES {
        tables[0][i] = ray(geometry::square(i), 0, -1);
        tables[1][i] = ray(geometry::square(i), 0, 1);
        i += 1;
    }
    tables
};

static BISHOP_RAYS: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        table[i] = Bitboard::from_bits(LINES[i].diagonals());
        i += 1;
    }
    table
};

static ROOK_RAYS: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let file = FORWARD[0][i].bits() | FORWARD[1][i].bits();
        table[i] = Bitboard::from_bits(LINES[i].rank() | file);
        i += 1;
    }
    table
};

/// The squares of each rank.
pub static RANKS: [Bitboard; SIZE] = {
    let mut ranks = [Bitboard::EMPTY; SIZE];
    let mut rank = 0;
    while rank < SIZE {
        ranks[rank] = geometry::rank_set(rank);
        rank += 1;
    }
    ranks
};

/// All squares of a square's file.
#[inline]
pub const fn file_of(square: Square) -> Bitboard {
    geometry::file_of(square)
}

/// The `n` ranks that are farthest for `color`, `n` from 0 to 9.
#[inline]
pub const fn far_ranks(color: Color, n: usize) -> Bitboard {
    const TABLE: [[Bitboard; SIZE + 1]; 2] = geometry::far_ranks_tables();
    TABLE[color.index()][n]
}

/// The promotion zone of `color`: its three farthest ranks.
#[inline]
pub const fn promotion_zone(color: Color) -> Bitboard {
    far_ranks(color, 3)
}

pub use geometry::{files_without, pawn_targets};

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

/// Squares that a lance attacks.
#[inline]
pub fn lance(color: Color, from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_bits(FILE_ATTACKS.attacks(from, occupied.bits())) & forward(color, from)
}

/// Squares that a bishop attacks.
#[inline]
pub fn bishop(from: Square, occupied: Bitboard) -> Bitboard {
    Bitboard::from_bits(LINES[from.index()].diagonal_attacks(occupied.bits()))
}

/// Squares that a rook attacks.
#[inline]
pub fn rook(from: Square, occupied: Bitboard) -> Bitboard {
    let occupied = occupied.bits();
    Bitboard::from_bits(
        LINES[from.index()].rank_attacks(occupied) | FILE_ATTACKS.attacks(from, occupied),
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
