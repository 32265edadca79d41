//! The evaluation of wa shogi: a sum of table entries, as in [`super::hand`].
//!
//! [`features`] walks over a position once for each side and names the entries
//! that apply; the evaluation is the sum of their weights, one side's less the
//! other's, in centipawns. The terms are
//!
//! * **material** on the board and in hand, each further piece of a kind in hand
//!   with a value of its own;
//! * **placement**: each piece by its rank, and by where it stands as seen from both
//!   kings, near ones told apart by square; the king by its square;
//! * **king safety**: weighted attacks on the squares around a king, less the
//!   defence there, sharpened by the attacker's pieces in hand and by closed flight
//!   squares, through one table;
//! * **mobility** by kind and number of squares;
//! * **promotion**: pieces that can promote at once on a square that the enemy does
//!   not attack;
//! * **threats**: pieces that are pinned, attacked by a pawn, or attacked and not
//!   defended;
//! * the **move**.
//!
//! The games with and without drops have weights of their own: without drops a
//! piece that is lost is gone. The weights (`wa_drops.rs`, `wa_no_drops.rs`) are a
//! logistic fit to results of self-play (`learn::fit`), which began with the exchange
//! values ([`wa::piece`](crate::wa::piece)) and plain rules.

use super::{wa_drops, wa_no_drops};
use crate::core::{Color, Score, score};
use crate::game::Evaluator;
use crate::wa::piece::{BOARD_DROPS, HAND_KINDS, KINDS};
use crate::wa::square::SIZE;
use crate::wa::{Bitboard, Piece, PieceKind, Position, Square, attacks};

/// Offsets from a king: files to either side and ranks, far ones counted as 5.
const FAR: usize = 5;
const OFFSETS: usize = (FAR + 1) * (2 * FAR + 1);
/// Numbers of squares that a piece can move to, larger ones counted as 20.
const MOVE_COUNTS: usize = 21;
/// Pieces of one kind in hand that have a value of their own.
const HAND_COUNTS: usize = 8;
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
const PROMOTES: usize = DANGER + DANGERS;
const PINNED: usize = PROMOTES + KINDS;
const CHASED: usize = PINNED + KINDS;
const HANGING: usize = CHASED + KINDS;
const TEMPO: usize = HANGING + KINDS;

/// Number of weights.
pub const FEATURES: usize = TEMPO + 1;

/// The tables in the order of their weights: a name, where the table ends, and how
/// firmly its weights hold against a fit (`learn::fit`).
pub const GROUPS: [(&str, usize, f32); 13] = [
    ("board", HAND, 0.01),
    ("hand", RANK, 0.1),
    ("rank", ATTACK, 1.0),
    ("attack", DEFENCE, 1.0),
    ("defence", KING, 1.0),
    ("king", MOBILITY, 1.0),
    ("mobility", DANGER, 0.1),
    ("danger", PROMOTES, 0.1),
    ("promotes", PINNED, 0.01),
    ("pinned", CHASED, 0.01),
    ("chased", HANGING, 0.01),
    ("hanging", TEMPO, 0.01),
    ("tempo", FEATURES, 0.01),
];

/// Units of attack on the enemy king for each square next to it that a piece
/// attacks; twice as many units of defence count for one of attack.
const UNITS: [usize; KINDS] = {
    let mut units = [0; KINDS];
    let mut i = 0;
    while i < KINDS {
        if i != PieceKind::King.index() {
            units[i] = 1 + BOARD_DROPS[i] as usize / 160;
        }
        i += 1;
    }
    units
};

/// The offset from a king to a piece as seen by Black.
#[inline]
fn offset(king: Square, piece: Square) -> usize {
    let file = piece.file().abs_diff(king.file()).min(FAR);
    let rank = (piece.rank() + FAR)
        .saturating_sub(king.rank())
        .min(2 * FAR);
    file * (2 * FAR + 1) + rank
}

/// What one side's pieces do, as far as the other side's terms need it.
struct Side {
    /// Squares that the side attacks.
    attacked: Bitboard,
    /// Units of attack on the enemy king.
    attack: usize,
    /// Half units of defence of the own king.
    defence: usize,
    /// Pieces that can promote, with the squares where they would.
    promoting: arrayvec::ArrayVec<(PieceKind, Bitboard), 54>,
}

/// The terms that one side's pieces settle alone.
fn placement(position: &Position, color: Color, add: &mut impl FnMut(usize)) -> Side {
    let occupied = position.occupied();
    let own = position.pieces(color);
    let zone = attacks::promotion_zone(color);
    let own_zone = attacks::king(position.king(color));
    let enemy_zone = attacks::king(position.king(!color));
    let seen_king = position.king(color).relative(color);
    let seen_enemy = position.king(!color).relative(color);
    let mut side = Side {
        attacked: Bitboard::EMPTY,
        attack: 0,
        defence: 0,
        promoting: arrayvec::ArrayVec::new(),
    };
    for square in own {
        let Some(Piece { kind, .. }) = position.piece_on(square) else {
            continue;
        };
        let k = kind.index();
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
        add(ATTACK + k * OFFSETS + offset(seen_enemy, seen));
        add(DEFENCE + k * OFFSETS + offset(seen_king, seen));
        let moves = targets - own;
        add(MOBILITY + k * MOVE_COUNTS + (moves.count() as usize).min(MOVE_COUNTS - 1));
        side.attack += UNITS[k] * (targets & enemy_zone).count() as usize;
        side.defence += UNITS[k] * (targets & own_zone).count() as usize;
        if kind.promoted().is_some() {
            let squares = if zone.contains(square) {
                moves
            } else {
                moves & zone
            };
            if squares.any() {
                // No more pieces than the game has.
                let _ = side.promoting.try_push((kind, squares));
            }
        }
    }
    for (kind, count) in position.hand(color).iter() {
        for i in 0..(count as usize).min(HAND_COUNTS) {
            add(HAND + kind.index() * HAND_COUNTS + i);
        }
        if side.attack > 0 {
            side.attack += UNITS[kind.index()] * count.min(2) as usize;
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
    let pawns = position.pieces_of(!color, PieceKind::Pawn);
    let chased = own & attacks::pawn_targets(!color, pawns);
    let hanging = theirs.attacked & (own - ours.attacked);
    let pinned = position.blockers(!color, position.king(color)).0 & own;
    for (start, pieces) in [(PINNED, pinned), (CHASED, chased), (HANGING, hanging)] {
        for square in pieces {
            if let Some(piece) = position.piece_on(square) {
                add(start + piece.kind.index());
            }
        }
    }
    for &(kind, squares) in &ours.promoting {
        if (squares - theirs.attacked).any() {
            add(PROMOTES + kind.index());
        }
    }
    let king = position.king(!color);
    let flights = attacks::king(king) - ours.attacked - position.pieces(!color);
    let closed = 8 - flights.count() as usize;
    let danger = (ours.attack + closed).saturating_sub(theirs.defence / 2);
    add(DANGER + danger.min(DANGERS - 1));
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

/// What the files of weights without and with drops say that they are of.
pub const NAMES: [&str; 2] = ["`wa` without drops", "`wa` with drops"];

/// The weights in force, by feature, in centipawns.
pub fn weights(drops: bool) -> &'static [i16; FEATURES] {
    match drops {
        true => &wa_drops::WEIGHTS,
        false => &wa_no_drops::WEIGHTS,
    }
}

/// The evaluation; it keeps nothing between positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaEvaluator;

impl Evaluator<Position> for WaEvaluator {
    fn evaluate(&mut self, position: &Position) -> Score {
        let weights = weights(position.rules().drops);
        let mut total = 0;
        features(position, |ours, i| {
            let weight = Score::from(weights[i]);
            total += if ours { weight } else { -weight };
        });
        total.clamp(-score::EVAL_MAX, score::EVAL_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;
    use crate::wa::Rules;

    fn value(sfen: &str, drops: bool) -> Score {
        let rules = Rules {
            drops,
            ..Rules::default()
        };
        WaEvaluator.evaluate(&Position::from_sfen(sfen, &rules).unwrap())
    }

    /// The same position with the colours exchanged.
    fn mirrored(sfen: &str) -> String {
        let swap_case = |text: &str| -> String {
            text.chars()
                .map(|c| match c {
                    'a'..='z' => c.to_ascii_uppercase(),
                    _ => c.to_ascii_lowercase(),
                })
                .collect()
        };
        let words: Vec<&str> = sfen.split(' ').collect();
        let rows: Vec<String> = words[0]
            .split('/')
            .rev()
            .map(|row| {
                // Numbers and pieces, each in one piece, from right to left.
                let mut parts: Vec<String> = Vec::new();
                for c in row.chars() {
                    match parts.last_mut() {
                        Some(last)
                            if *last == "+"
                                || c.is_ascii_digit()
                                    && last.bytes().all(|b| b.is_ascii_digit()) =>
                        {
                            last.push(c);
                        }
                        _ => parts.push(c.to_string()),
                    }
                }
                parts.reverse();
                parts.concat()
            })
            .collect();
        let turn = if words[1] == "b" { "w" } else { "b" };
        let board = swap_case(&rows.join("/"));
        format!("{board} {turn} {} 1", swap_case(words[2]))
    }

    #[test]
    fn the_groups_are_all_features() {
        assert!(GROUPS.windows(2).all(|pair| pair[0].1 < pair[1].1));
        assert_eq!(GROUPS[12].1, FEATURES);
    }

    #[test]
    fn both_sides_are_valued_alike() {
        for game in 0..20 {
            let drops = game % 2 == 0;
            let rules = Rules {
                drops,
                ..Rules::default()
            };
            let mut random = Random::nth(3, game);
            let mut position = Position::start(&rules);
            for _ in 0..80 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random.below(moves.len())]);
                let sfen = position.sfen();
                assert_eq!(
                    value(&sfen, drops),
                    value(&mirrored(&sfen), drops),
                    "{sfen}"
                );
            }
        }
    }

    #[test]
    fn more_material_is_better() {
        use crate::wa::sfen::START;
        for drops in [false, true] {
            let even = value(START, drops);
            assert!((0..200).contains(&even), "{even}");
            let eagle_up = value(&START.replacen("1e3s", "5s", 1), drops);
            assert!(eagle_up > 400, "{eagle_up}");
        }
    }
}
