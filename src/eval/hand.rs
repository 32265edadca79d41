//! A hand-written evaluation of shogi: a sum of table entries.
//!
//! [`features`] walks over a position once for each side and names the entries
//! that apply; the evaluation is the sum of their weights, one side's less the
//! other's, in centipawns. The terms are
//!
//! * **material** on the board and in hand, each further piece of a kind in hand
//!   with a value of its own;
//! * **placement**: each piece by its rank and by where it stands as seen from the
//!   enemy king and from its own king, files folded left on right; castles and
//!   attacking formations emerge from this; the king by its square;
//! * **king safety**: weighted attacks on the squares around a king, less the
//!   defence there, sharpened by the attacker's pieces in hand and by closed
//!   flight squares, through one table;
//! * **mobility** by kind and number of squares;
//! * **threats**: pieces that are pinned, attacked by a pawn, or attacked and not
//!   defended;
//! * the **move**.
//!
//! The weights (`weights.rs`) are a logistic fit to results of self-play
//! ("Texel's Tuning Method", Chess Programming Wiki), which `learn::fit` does;
//! `docs/src/evaluation.md` tells the recipe.

use std::ops::Range;

use crate::core::{Color, Score, score};
use crate::game::Evaluator;
use crate::shogi::piece::{HAND_KINDS, KINDS};
use crate::shogi::square::SIZE;
use crate::shogi::{Bitboard, Piece, PieceKind, Position, Square, attacks};

use super::weights::WEIGHTS;

/// Offsets from a king to a piece: files folded, ranks from -8 to 8.
const OFFSETS: usize = SIZE * (2 * SIZE - 1);
/// Numbers of squares that a piece can move to, larger ones counted as 20.
const MOVE_COUNTS: usize = 21;
/// Pieces of one kind in hand that have a value of their own.
const HAND_COUNTS: usize = 18;
/// Squares of a king, files folded.
const KING_SQUARES: usize = SIZE.div_ceil(2) * SIZE;
/// Degrees of danger to a king.
const DANGERS: usize = 64;

// Where each table begins among the weights.
const BOARD: usize = 0;
const HAND: usize = BOARD + KINDS;
const RANK: usize = HAND + HAND_KINDS * HAND_COUNTS;
const ATTACK: usize = RANK + KINDS * SIZE;
const DEFENCE: usize = ATTACK + KINDS * OFFSETS;
const KING: usize = DEFENCE + KINDS * OFFSETS;
const MOBILITY: usize = KING + KING_SQUARES;
const DANGER: usize = MOBILITY + KINDS * MOVE_COUNTS;
const PINNED: usize = DANGER + DANGERS;
const CHASED: usize = PINNED + KINDS;
const HANGING: usize = CHASED + KINDS;
const TEMPO: usize = HANGING + KINDS;

/// Number of weights.
pub const FEATURES: usize = TEMPO + 1;

/// A table of weights of one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// A piece on the board, by kind.
    Board,
    /// A piece in hand, by kind and number.
    Hand,
    /// A piece by kind and rank.
    Rank,
    /// A piece by kind and offset from the enemy king.
    Attack,
    /// A piece by kind and offset from the own king.
    Defence,
    /// The king by square.
    King,
    /// A piece by kind and number of its moves.
    Mobility,
    /// Degrees of danger to the enemy king.
    Danger,
    /// A pinned piece by kind.
    Pinned,
    /// A piece attacked by a pawn, by kind.
    Chased,
    /// An attacked and undefended piece by kind.
    Hanging,
    /// The right to move.
    Tempo,
}

impl Group {
    /// All groups, in the order of their weights.
    pub const ALL: [Group; 12] = [
        Group::Board,
        Group::Hand,
        Group::Rank,
        Group::Attack,
        Group::Defence,
        Group::King,
        Group::Mobility,
        Group::Danger,
        Group::Pinned,
        Group::Chased,
        Group::Hanging,
        Group::Tempo,
    ];

    /// The group's features; the groups together are all features.
    pub const fn range(self) -> Range<usize> {
        match self {
            Group::Board => BOARD..HAND,
            Group::Hand => HAND..RANK,
            Group::Rank => RANK..ATTACK,
            Group::Attack => ATTACK..DEFENCE,
            Group::Defence => DEFENCE..KING,
            Group::King => KING..MOBILITY,
            Group::Mobility => MOBILITY..DANGER,
            Group::Danger => DANGER..PINNED,
            Group::Pinned => PINNED..CHASED,
            Group::Chased => CHASED..HANGING,
            Group::Hanging => HANGING..TEMPO,
            Group::Tempo => TEMPO..FEATURES,
        }
    }

    /// The group's name, one word.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Board => "board",
            Group::Hand => "hand",
            Group::Rank => "rank",
            Group::Attack => "attack",
            Group::Defence => "defence",
            Group::King => "king",
            Group::Mobility => "mobility",
            Group::Danger => "danger",
            Group::Pinned => "pinned",
            Group::Chased => "chased",
            Group::Hanging => "hanging",
            Group::Tempo => "tempo",
        }
    }
}

/// The weights in force, by feature, in centipawns.
pub fn weights() -> &'static [i16; FEATURES] {
    &WEIGHTS
}

/// Units of attack for each square next to the enemy king that a piece attacks.
const ATTACK_UNITS: [usize; KINDS] = [2, 3, 4, 5, 5, 6, 5, 0, 5, 5, 5, 5, 7, 8];

/// Half units of defence for each square next to the own king that a piece
/// defends.
const DEFENCE_UNITS: [usize; KINDS] = [1, 1, 1, 3, 2, 2, 3, 0, 3, 3, 3, 3, 4, 3];

/// Units of attack for a piece in hand (at most two of a kind count), once
/// something on the board attacks.
const HAND_UNITS: [usize; HAND_KINDS] = [1, 2, 3, 4, 4, 6, 5];

/// The offset from a king to a piece as seen by Black.
#[inline]
fn offset(king: Square, piece: Square) -> usize {
    let file = piece.file().abs_diff(king.file());
    let rank = piece.rank() + SIZE - 1 - king.rank();
    file * (2 * SIZE - 1) + rank
}

/// What one side's pieces do, as far as the other side's terms need it.
struct Side {
    /// Squares that the side attacks.
    attacked: Bitboard,
    /// Units of attack on the enemy king.
    attack: usize,
    /// Half units of defence of the own king.
    defence: usize,
}

/// The terms that one side's pieces settle alone.
fn placement(position: &Position, color: Color, add: &mut impl FnMut(usize)) -> Side {
    let occupied = position.occupied();
    let own = position.pieces(color);
    let around = |king: Option<Square>| king.map_or(Bitboard::EMPTY, attacks::king);
    let own_zone = around(position.king(color));
    let enemy_zone = around(position.king(!color));
    let seen_king = position.king(color).map(|square| square.relative(color));
    let seen_enemy = position.king(!color).map(|square| square.relative(color));
    let mut side = Side {
        attacked: Bitboard::EMPTY,
        attack: 0,
        defence: 0,
    };
    for kind in PieceKind::ALL {
        let k = kind.index();
        for square in position.pieces_of(color, kind) {
            let targets = attacks::attacks(Piece::new(color, kind), square, occupied);
            side.attacked |= targets;
            let seen = square.relative(color);
            if kind == PieceKind::King {
                let file = seen.file().min(SIZE - 1 - seen.file());
                add(KING + file * SIZE + seen.rank());
                continue;
            }
            add(BOARD + k);
            add(RANK + k * SIZE + seen.rank());
            if let Some(king) = seen_enemy {
                add(ATTACK + k * OFFSETS + offset(king, seen));
            }
            if let Some(king) = seen_king {
                add(DEFENCE + k * OFFSETS + offset(king, seen));
            }
            let moves = (targets - own).count() as usize;
            add(MOBILITY + k * MOVE_COUNTS + moves.min(MOVE_COUNTS - 1));
            side.attack += ATTACK_UNITS[k] * (targets & enemy_zone).count() as usize;
            side.defence += DEFENCE_UNITS[k] * (targets & own_zone).count() as usize;
        }
    }
    for (kind, count) in position.hand(color).iter() {
        for i in 0..(count as usize).min(HAND_COUNTS) {
            add(HAND + kind.index() * HAND_COUNTS + i);
        }
        if side.attack > 0 {
            side.attack += HAND_UNITS[kind.index()] * count.min(2) as usize;
        }
    }
    side
}

/// The terms in which a side's pieces meet the other side's.
fn threats(
    position: &Position,
    color: Color,
    ours: &Side,
    theirs: &Side,
    add: &mut impl FnMut(usize),
) {
    let own = position.pieces(color);
    let enemy_pawns = position.pieces_of(!color, PieceKind::Pawn);
    let chased = attacks::pawn_targets(!color, enemy_pawns) & own;
    let hanging = theirs.attacked & (own - ours.attacked);
    let pinned = match position.king(color) {
        Some(king) => position.blockers(!color, king).0 & own,
        None => Bitboard::EMPTY,
    };
    for (start, pieces) in [(PINNED, pinned), (CHASED, chased), (HANGING, hanging)] {
        for square in pieces {
            if let Some(piece) = position.piece_on(square) {
                add(start + piece.kind.index());
            }
        }
    }
    if let Some(king) = position.king(!color) {
        let flights = attacks::king(king) - ours.attacked - position.pieces(!color);
        let closed = 8 - flights.count() as usize;
        let danger = (ours.attack + closed).saturating_sub(theirs.defence / 2);
        add(DANGER + danger.min(DANGERS - 1));
    }
}

/// Names the weights that apply: `add(true, i)` for the side to move and
/// `add(false, i)` for the opponent, once for each time.
pub fn features(position: &Position, mut add: impl FnMut(bool, usize)) {
    let us = position.side_to_move();
    let ours = placement(position, us, &mut |i| add(true, i));
    let theirs = placement(position, !us, &mut |i| add(false, i));
    threats(position, us, &ours, &theirs, &mut |i| add(true, i));
    threats(position, !us, &theirs, &ours, &mut |i| add(false, i));
    add(true, TEMPO);
}

/// The hand-written evaluation; it keeps nothing between positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandEvaluator;

impl Evaluator<Position> for HandEvaluator {
    fn evaluate(&mut self, position: &Position) -> Score {
        let mut total = 0;
        features(position, |ours, i| {
            let weight = Score::from(WEIGHTS[i]);
            total += if ours { weight } else { -weight };
        });
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
    fn the_groups_are_all_features() {
        let mut next = 0;
        for group in Group::ALL {
            assert_eq!(group.range().start, next, "{}", group.name());
            next = group.range().end;
        }
        assert_eq!(next, FEATURES);
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
        // The move is worth something, but far less than a piece.
        assert!((0..200).contains(&even), "{even}");
        assert!(rook_up > 700, "{rook_up}");
    }
}
