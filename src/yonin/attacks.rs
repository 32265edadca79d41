//! Which squares a piece attacks, by the way it points.
//!
//! The steps are shogi's, turned a quarter for each seat clockwise (rules B4,
//! M1); the rook's lines and the king's steps are shogi's own tables.

use super::piece::Piece;
use super::seat::Seat;
use crate::shogi::attacks::{GOLD_STEPS, PAWN_STEPS, RANKS, SILVER_STEPS, file_of};
pub use crate::shogi::attacks::{between, dragon, king, line, rook, rook_rays};
use crate::shogi::square::{SIZE, SQUARES};
use crate::shogi::{Bitboard, PieceKind, Square};

type Table = [Bitboard; SQUARES];

/// Targets of single steps, by seat.
const fn step_table(steps: &[(i32, i32)]) -> [Table; 4] {
    let mut tables = [[Bitboard::EMPTY; SQUARES]; 4];
    let mut seat = 0;
    while seat < 4 {
        let mut from = 0;
        while from < SQUARES {
            let mut bits = 0;
            let mut i = 0;
            while i < steps.len() {
                let (mut df, mut dr) = steps[i];
                let mut turns = 0;
                while turns < seat {
                    // A quarter clockwise: up becomes right, right becomes down.
                    (df, dr) = (dr, -df);
                    turns += 1;
                }
                if let Some(square) = Square::from_index(from)
                    && let Some(to) = square.offset(df, dr)
                {
                    bits |= 1 << to.index();
                }
                i += 1;
            }
            tables[seat][from] = Bitboard::from_bits(bits);
            from += 1;
        }
        seat += 1;
    }
    tables
}

static PAWN: [Table; 4] = step_table(PAWN_STEPS);
static SILVER: [Table; 4] = step_table(SILVER_STEPS);
static GOLD: [Table; 4] = step_table(GOLD_STEPS);

const fn files(from: usize, to: usize) -> u128 {
    let mut bits = 0;
    let mut file = from;
    while file < to {
        bits |= 0x1ff << (file * SIZE);
        file += 1;
    }
    bits
}

const fn ranks(from: usize, to: usize) -> u128 {
    let mut bits = 0;
    let mut i = 0;
    while i < SQUARES {
        if i % SIZE >= from && i % SIZE < to {
            bits |= 1 << i;
        }
        i += 1;
    }
    bits
}

/// Squares that a pawn attacks: none or one.
#[inline]
pub fn pawn(facing: Seat, from: Square) -> Bitboard {
    PAWN[facing.index()][from.index()]
}

/// Squares that a silver attacks.
#[inline]
pub fn silver(facing: Seat, from: Square) -> Bitboard {
    SILVER[facing.index()][from.index()]
}

/// Squares that a gold attacks.
#[inline]
pub fn gold(facing: Seat, from: Square) -> Bitboard {
    GOLD[facing.index()][from.index()]
}

/// Squares that `piece` attacks from `from`, whatever stands there.
#[inline]
pub fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    match piece.kind {
        PieceKind::Pawn => pawn(piece.facing, from),
        PieceKind::Silver => silver(piece.facing, from),
        PieceKind::Rook => rook(from, occupied),
        PieceKind::Dragon => dragon(from, occupied),
        PieceKind::King => king(from),
        _ => gold(piece.facing, from),
    }
}

/// The promotion zone of pieces that point this way (rule PR1).
#[inline]
pub const fn zone(facing: Seat) -> Bitboard {
    Bitboard::from_bits(match facing {
        Seat::South => const { ranks(0, 3) },
        Seat::West => const { files(0, 3) },
        Seat::North => const { ranks(6, 9) },
        Seat::East => const { files(6, 9) },
    })
}

/// The last line of pieces that point this way: a pawn could not move on.
#[inline]
pub const fn last_line(facing: Seat) -> Bitboard {
    Bitboard::from_bits(match facing {
        Seat::South => const { ranks(0, 1) },
        Seat::West => const { files(0, 1) },
        Seat::North => const { ranks(8, 9) },
        Seat::East => const { files(8, 9) },
    })
}

/// The line on which a pawn that points this way walks: a file for South and
/// North, a rank for West and East.
#[inline]
pub fn column(facing: Seat, square: Square) -> Bitboard {
    match facing {
        Seat::South | Seat::North => file_of(square),
        Seat::West | Seat::East => RANKS[square.rank()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(set: Bitboard) -> String {
        let mut names: Vec<_> = set.map(|square| square.to_string()).collect();
        names.sort();
        names.join(" ")
    }

    #[test]
    fn pieces_move_the_way_they_point() {
        // The check values of rule M2.
        let at: Square = "5e".parse().unwrap();
        for (seat, p, g, s) in [
            (Seat::South, "5d", "4d 4e 5d 5f 6d 6e", "4d 4f 5d 6d 6f"),
            (Seat::West, "4e", "4d 4e 4f 5d 5f 6e", "4d 4e 4f 6d 6f"),
            (Seat::North, "5f", "4e 4f 5d 5f 6e 6f", "4d 4f 5f 6d 6f"),
            (Seat::East, "6e", "4e 5d 5f 6d 6e 6f", "4d 4f 6d 6e 6f"),
        ] {
            assert_eq!(names(pawn(seat, at)), p);
            assert_eq!(names(gold(seat, at)), g);
            assert_eq!(names(silver(seat, at)), s);
        }
    }

    #[test]
    fn zones_and_last_lines_are_opposite() {
        for (seat, square) in [
            (Seat::South, "9a"),
            (Seat::West, "1i"),
            (Seat::North, "1i"),
            (Seat::East, "9a"),
        ] {
            let square: Square = square.parse().unwrap();
            assert_eq!(zone(seat).count(), 27);
            assert_eq!(last_line(seat).count(), 9);
            assert!(last_line(seat).contains(square));
            assert!((last_line(seat) - zone(seat)).is_empty());
        }
    }
}
