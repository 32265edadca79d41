//! A hand-written evaluation of shogi.
//!
//! Four kinds of terms, all in centipawns and all symmetric between the sides:
//!
//! * **material** on the board and in hand; further pieces of one kind in hand
//!   are worth less than the first;
//! * **placement**: what a piece adds by its distance to the enemy king (attack)
//!   and to its own king (defence), from which castles emerge, and how far it has
//!   advanced;
//! * **king safety**: weighted attacks on the squares around the king, less the
//!   defence there, growing faster than linearly, sharpened by the attacker's
//!   pieces in hand;
//! * **mobility** of the pieces that need it.
//!
//! The values are hand-set from what shogi books teach; a learned evaluation
//! replaces them.

use once_cell::sync::Lazy;

use crate::core::{Color, Score, score};
use crate::game::Evaluator;
use crate::shogi::piece::{HAND_KINDS, KINDS};
use crate::shogi::square::SIZE;
use crate::shogi::{Bitboard, Piece, PieceKind, Position, Square, attacks};

/// Values on the board, in the order of [`PieceKind`].
const MATERIAL: [Score; KINDS] = [
    90, 300, 370, 490, 830, 980, 550, 0, 480, 500, 510, 530, 1000, 1300,
];

/// Value of the first piece of a kind in hand, and what each further one loses
/// against the one before, down to half the first.
const IN_HAND: [(Score, Score); HAND_KINDS] = [
    (105, 8),
    (310, 20),
    (380, 25),
    (530, 20),
    (900, 40),
    (1070, 40),
    (600, 20),
];

/// What a piece adds next to the enemy king.
const ATTACK: [Score; KINDS] = [14, 18, 24, 44, 16, 24, 48, 0, 60, 52, 52, 52, 40, 60];

/// What a piece adds next to its own king.
const DEFENCE: [Score; KINDS] = [12, 8, 10, 34, 0, -30, 46, 0, 20, 26, 26, 28, 48, 16];

/// Percentage of [`ATTACK`] by distance (the larger of files and ranks).
const ATTACK_BY_DISTANCE: [Score; SIZE] = [0, 100, 80, 52, 30, 14, 6, 0, 0];

/// Percentage of [`DEFENCE`] by distance.
const DEFENCE_BY_DISTANCE: [Score; SIZE] = [0, 100, 72, 34, 14, 6, 0, 0, 0];

/// What a piece gains for each rank that it has advanced from its own edge.
const ADVANCE: [Score; KINDS] = [4, 0, -2, 3, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0];

/// What each square costs by which a king has left its own edge.
const KING_ADVANCED: Score = 14;

/// Value of a square that a piece can move to.
const MOBILITY: [Score; KINDS] = [0, 4, 6, 3, 5, 5, 2, 0, 2, 2, 2, 2, 4, 4];

/// Units of attack for each square next to the enemy king that a piece attacks.
const ATTACK_UNITS: [Score; KINDS] = [2, 3, 4, 5, 5, 6, 5, 0, 5, 5, 5, 5, 7, 8];

/// Units of defence for each square next to the own king that a piece defends.
const DEFENCE_UNITS: [Score; KINDS] = [1, 1, 1, 3, 2, 2, 3, 0, 3, 3, 3, 3, 4, 3];

/// Units of attack for a piece in hand (at most two of a kind count), once
/// something on the board attacks.
const HAND_UNITS: [Score; HAND_KINDS] = [1, 2, 3, 4, 4, 6, 5];

/// Units of attack for each square next to the king that it cannot flee to.
const NO_ESCAPE_UNITS: Score = 1;

/// For the side to move.
const TEMPO: Score = 20;

/// By kind and offset between king and piece: [attack, defence].
type OffsetTable = [[[i16; 2]; (2 * SIZE - 1) * (2 * SIZE - 1)]; KINDS];

/// Where a piece stands as seen from a king, Black's view: files do not know
/// left from right, ranks do.
fn offset_index(king: Square, piece: Square) -> usize {
    let file = piece.file() + SIZE - 1 - king.file();
    let rank = piece.rank() + SIZE - 1 - king.rank();
    file * (2 * SIZE - 1) + rank
}

static BY_OFFSET: Lazy<OffsetTable> = Lazy::new(|| {
    let mut table = [[[0; 2]; (2 * SIZE - 1) * (2 * SIZE - 1)]; KINDS];
    for kind in PieceKind::ALL {
        for king in Square::all() {
            for piece in Square::all() {
                let files = piece.file().abs_diff(king.file());
                let ranks = piece.rank() as i32 - king.rank() as i32;
                let distance = files.max(ranks.unsigned_abs() as usize);
                // A black attacker works best from below a white king, a black
                // defender from above the black king; on the other side both
                // are worth two thirds.
                let share = |good: bool| if good { 3 } else { 2 };
                let attack =
                    ATTACK[kind.index()] * ATTACK_BY_DISTANCE[distance] * share(ranks >= 0) / 300;
                let defence =
                    DEFENCE[kind.index()] * DEFENCE_BY_DISTANCE[distance] * share(ranks <= 0) / 300;
                table[kind.index()][offset_index(king, piece)] = [attack as i16, defence as i16];
            }
        }
    }
    table
});

/// The hand-written evaluation; it keeps nothing between positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandEvaluator;

/// What is added up for one side.
#[derive(Default)]
struct Side {
    score: Score,
    /// Attack on the enemy king, in units.
    attack: Score,
    /// Defence of the own king, in units.
    defence: Score,
    /// Squares that the side attacks.
    attacked: Bitboard,
}

impl Side {
    fn collect(position: &Position, color: Color) -> Side {
        let table = &*BY_OFFSET;
        let occupied = position.occupied();
        let own = position.pieces(color);
        let king = position.king(color);
        let enemy_king = position.king(!color);
        let around = |king: Option<Square>| king.map_or(Bitboard::EMPTY, attacks::king);
        let (own_zone, enemy_zone) = (around(king), around(enemy_king));
        let king = king.map(|square| square.relative(color));
        let enemy_king = enemy_king.map(|square| square.relative(color));
        let mut side = Side::default();
        for kind in PieceKind::ALL {
            let k = kind.index();
            for square in position.of_kind(kind) & own {
                let seen = square.relative(color);
                let targets = attacks::attacks(Piece::new(color, kind), square, occupied);
                side.attacked |= targets;
                if kind == PieceKind::King {
                    side.score -= KING_ADVANCED * (SIZE - 1 - seen.rank()) as Score;
                    continue;
                }
                side.score += MATERIAL[k]
                    + ADVANCE[k] * (SIZE - 1 - seen.rank()) as Score
                    + MOBILITY[k] * (targets - own).count() as Score;
                if let Some(king) = enemy_king {
                    side.score += Score::from(table[k][offset_index(king, seen)][0]);
                }
                if let Some(king) = king {
                    side.score += Score::from(table[k][offset_index(king, seen)][1]);
                }
                side.attack += ATTACK_UNITS[k] * (targets & enemy_zone).count() as Score;
                side.defence += DEFENCE_UNITS[k] * (targets & own_zone).count() as Score;
            }
        }
        for (kind, count) in position.hand(color).iter() {
            let (first, loss) = IN_HAND[kind.index()];
            for i in 0..count as Score {
                side.score += (first - i * loss).max(first / 2);
            }
            if side.attack > 0 {
                side.attack += HAND_UNITS[kind.index()] * count.min(2) as Score;
            }
        }
        side
    }

    /// What the attack of `self` on the king of `other` is worth.
    fn king_attack(&self, other: &Side, position: &Position, attacker: Color) -> Score {
        let Some(king) = position.king(!attacker) else {
            return 0;
        };
        let closed = attacks::king(king) & (self.attacked | position.pieces(!attacker));
        let units = self.attack - other.defence / 2
            + NO_ESCAPE_UNITS
                * (closed.count() as Score + 8 - attacks::king(king).count() as Score);
        let units = units.clamp(0, 60);
        units * units / 4 + units
    }
}

impl Evaluator<Position> for HandEvaluator {
    fn evaluate(&mut self, position: &Position) -> Score {
        let us = position.side_to_move();
        let [ours, theirs] = [us, !us].map(|color| Side::collect(position, color));
        let total = ours.score - theirs.score + ours.king_attack(&theirs, position, us)
            - theirs.king_attack(&ours, position, !us)
            + TEMPO;
        total.clamp(-score::EVAL_MAX, score::EVAL_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    /// The same position with the colours exchanged.
    fn mirrored(sfen: &str) -> String {
        let words: Vec<&str> = sfen.split(' ').collect();
        let swap_case = |c: char| match c {
            'a'..='z' => c.to_ascii_uppercase(),
            _ => c.to_ascii_lowercase(),
        };
        let mut board = String::new();
        let mut chars: Vec<char> = words[0].chars().rev().collect();
        // A `+` follows its letter after the reversal: bring it back in front.
        for i in 1..chars.len() {
            if chars[i] == '+' {
                chars.swap(i - 1, i);
            }
        }
        board.extend(chars.into_iter().map(swap_case));
        let turn = if words[1] == "b" { "w" } else { "b" };
        let hands: String = words[2].chars().map(swap_case).collect();
        format!("{board} {turn} {hands} 1")
    }

    #[test]
    fn both_sides_are_valued_alike() {
        for sfen in [
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "9/k1+b6/p5l2/N1P3s2/1S6K/2p2P3/7R1/9/9 w L3Prb4g2s3n2l11p 12",
            "4k4/9/9/9/9/9/9/9/9 b R 1",
            "9/9/9/9/9/9/9/9/9 w - 1",
        ] {
            let value = |sfen: &str| {
                let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
                HandEvaluator.evaluate(&position)
            };
            assert_eq!(value(sfen), value(&mirrored(sfen)), "{sfen}");
        }
    }

    #[test]
    fn more_material_is_better() {
        let value = |sfen: &str| {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            HandEvaluator.evaluate(&position)
        };
        let even = value("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        let rook_up = value("lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1");
        assert!(even.abs() < 100, "{even}");
        assert!(rook_up > 700, "{rook_up}");
    }
}
