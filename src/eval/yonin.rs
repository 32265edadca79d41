//! A hand-written evaluation of four-player shogi, for the ranking that decides
//! the game.
//!
//! [`strengths`] gives each seat a number in centipawns; what a search makes of
//! the four is up to it (the coalition view sets one team against the others,
//! max^n takes all four). The terms are
//!
//! * **material** by kind, on the board and in hand, and what each piece adds to
//!   the total that ranks players;
//! * **mates** credited, which rank before all else;
//! * **king danger**: attacks on the squares around a king by all others together,
//!   sharpened by their pieces in hand and by flight squares they cover, less the
//!   defence;
//! * **prospects**: part of a king's danger as a merit of those who cause it, the
//!   likely ones to be credited with the mate;
//! * **mobility**, and the advance of **pawns**.

use arrayvec::ArrayVec;

use crate::core::{Score, score};
use crate::game::Evaluator;
use crate::shogi::{Bitboard, Move, PieceKind};
use crate::yonin::coalition::{Coalition, Reduction, Sight};
use crate::yonin::piece::{HAND, KINDS, compact};
use crate::yonin::{Board, BySeat, EndReason, Format, Outcome, Seat, attacks};

/// A piece on the board, by compact kind.
const BOARD: [i32; KINDS.len()] = [120, 380, 430, 850, 330, 430, 1100, 0];
/// A piece in hand, in the order of [`HAND`].
const IN_HAND: [i32; HAND.len()] = [1000, 500, 440, 150];
/// Each piece of the total that ranks players.
const PIECE: i32 = 40;
/// A mate credited.
const MATE: i32 = 1500;
/// A player who is out.
const OUT: i32 = -3000;
/// Each free or capturable square that a piece attacks, in tenths.
const MOBILITY: [i32; KINDS.len()] = [10, 30, 30, 35, 30, 30, 35, 0];
/// Units of attack for each square next to a king that a piece attacks.
const ATTACK: [i32; KINDS.len()] = [3, 5, 5, 7, 5, 5, 8, 1];
/// Units of defence for each square next to the own king that a piece defends.
const DEFENCE: [i32; KINDS.len()] = [1, 2, 2, 1, 2, 2, 2, 0];
/// Units of attack for a piece in hand (at most two of a kind count) once
/// something on the board attacks, in the order of [`HAND`].
const HAND_ATTACK: [i32; HAND.len()] = [7, 6, 5, 1];
/// Units for a square next to the king that others attack and no piece defends.
const HOLE: i32 = 4;
/// Units for a flight square that is closed or attacked.
const CLOSED: i32 = 2;
/// Danger is a parabola of the units with this divisor, up to a limit.
const DANGER_DIVISOR: i32 = 5;
const DANGER_MAX: i32 = 1600;
/// Per cent of a king's danger that its attackers share as prospects.
const PROSPECTS: i32 = 30;
/// Each step of a pawn towards promotion.
const ADVANCE: i32 = 8;

/// What one walk over the board finds.
#[derive(Default)]
struct Scan {
    value: [i32; 4],
    attacked: [Bitboard; 4],
    /// Units of attack on a king, by victim and attacker.
    units: [[i32; 4]; 4],
    defence: [i32; 4],
    /// Squares next to a king that a piece of its owner other than itself covers.
    covered: [Bitboard; 4],
}

fn scan(board: &Board, zones: &[Bitboard; 4]) -> Scan {
    let occupied = board.occupied();
    let mut scan = Scan::default();
    let all_zones = zones[0] | zones[1] | zones[2] | zones[3];
    for seat in board.living() {
        let s = seat.index();
        let own = board.owned(seat);
        for square in own {
            let Some(piece) = board.piece_on(square) else {
                continue;
            };
            let k = compact(piece.kind);
            let targets = attacks::attacks(piece, square, occupied);
            scan.attacked[s] |= targets;
            scan.value[s] += BOARD[k] + PIECE;
            scan.value[s] += MOBILITY[k] * (targets - own).count() as i32 / 10;
            if piece.kind == PieceKind::Pawn {
                let steps = match piece.facing {
                    Seat::South => 8 - square.rank(),
                    Seat::North => square.rank(),
                    Seat::West => 8 - square.file(),
                    Seat::East => square.file(),
                };
                scan.value[s] += ADVANCE * steps as i32;
            }
            if (targets & all_zones).is_empty() {
                continue;
            }
            for (victim, &zone) in zones.iter().enumerate() {
                let hits = (targets & zone).count() as i32;
                if hits == 0 {
                    continue;
                }
                if victim == s {
                    scan.defence[s] += DEFENCE[k] * hits;
                    if piece.kind != PieceKind::King {
                        scan.covered[s] |= targets;
                    }
                } else {
                    scan.units[victim][s] += ATTACK[k] * hits;
                }
            }
        }
    }
    scan
}

/// How well each seat stands, in centipawns.
pub fn strengths(board: &Board) -> BySeat<Score> {
    let zones = Seat::ALL.map(|seat| match board.king(seat) {
        Some(king) if board.is_living(seat) => attacks::king(king),
        _ => Bitboard::EMPTY,
    });
    let found = scan(board, &zones);
    let mut strength = found.value;
    for (order, mate) in board.mates().iter().enumerate() {
        strength[mate.victim.index()] = OUT + 500 * order as i32;
        if let Some(mater) = mate.mater {
            strength[mater.index()] += MATE + PIECE;
        }
    }
    for seat in board.living() {
        let s = seat.index();
        let hand = board.hand(seat);
        for (kind, worth) in HAND.into_iter().zip(IN_HAND) {
            strength[s] += hand.count(kind) as i32 * (worth + PIECE);
        }
    }
    for victim in board.living() {
        let v = victim.index();
        let rules = board.rules();
        let mut units = found.units[v];
        let mut hostile = Bitboard::EMPTY;
        let mut total = 0;
        for attacker in board.living() {
            let a = attacker.index();
            if rules.same_team(victim, attacker) {
                units[a] = 0;
                continue;
            }
            hostile |= found.attacked[a];
            if units[a] > 0 {
                let hand = board.hand(attacker);
                for (kind, weight) in HAND.into_iter().zip(HAND_ATTACK) {
                    units[a] += weight * hand.count(kind).min(2) as i32;
                }
            }
            total += units[a];
        }
        if total == 0 {
            continue;
        }
        let zone = zones[v];
        let holes = (zone & hostile) - found.covered[v];
        let closed = zone & (board.owned(victim) | hostile);
        let closed = closed.count() as i32 + 8 - zone.count() as i32;
        let sum = total + HOLE * holes.count() as i32 + CLOSED * closed - found.defence[v];
        let sum = sum.max(0);
        let danger = (sum * sum / DANGER_DIVISOR).min(DANGER_MAX);
        strength[v] -= danger;
        for attacker in 0..4 {
            strength[attacker] += danger * PROSPECTS / 100 * units[attacker] / total;
        }
    }
    BySeat(strength)
}

/// One team's strength against the others': in pairs the difference of the
/// teams; in singles the player against the mean and the best of the others, for
/// it is the best one who must be beaten.
pub fn team_score(board: &Board, strength: &BySeat<Score>, team: Seat) -> Score {
    let rules = board.rules();
    if rules.format == Format::Pairs {
        return Seat::ALL
            .into_iter()
            .map(|seat| match rules.same_team(seat, team) {
                true => strength[seat],
                false => -strength[seat],
            })
            .sum();
    }
    let mut sum = 0;
    let mut count = 0;
    let mut best = Score::MIN;
    for seat in board.living().filter(|&seat| seat != team) {
        sum += strength[seat];
        count += 1;
        best = best.max(strength[seat]);
    }
    match count {
        0 => strength[team],
        _ => strength[team] - (sum / count + best) / 2,
    }
}

/// How well each seat stands in comparison: [`team_score`] for those in the game.
/// A finished game is worth its points, [`POINT`] each above or below the mean.
pub fn standings(board: &Board) -> BySeat<Score> {
    if board.is_over() {
        let outcome = Outcome {
            reason: EndReason::Mates,
            places: Some(board.places()),
        };
        return BySeat(
            Seat::ALL.map(|seat| ((outcome.points(seat) - 1.5) * f64::from(POINT)) as Score),
        );
    }
    let strength = strengths(board);
    BySeat(Seat::ALL.map(|seat| match board.is_living(seat) {
        true => team_score(board, &strength, seat),
        false => strength[seat] - POINT,
    }))
}

/// Centipawns for one point when a game ends, in [`standings`].
pub const POINT: Score = 6000;

/// The move after which the player to move stands best, and everyone's standing
/// then.
fn best_at_sight(board: &Board) -> Option<(Move, BySeat<Score>)> {
    let seat = board.turn();
    let mut best: Option<(Move, BySeat<Score>)> = None;
    for m in board.legal_moves() {
        let standing = standings(&board.after(m));
        if best.is_none_or(|(_, best)| standing[seat] > best[seat]) {
            best = Some((m, standing));
        }
    }
    best
}

/// Moves that [`best_at_second_sight`] compares.
const COMPARED: usize = 8;

/// The move after which the player to move stands best once the next one to move has
/// played what is best for him at sight; of those only that look best at sight.
fn best_at_second_sight(board: &Board) -> Option<Move> {
    let seat = board.turn();
    let mut compared = ArrayVec::<(Score, Move), COMPARED>::new();
    for m in board.legal_moves() {
        let score = standings(&board.after(m))[seat];
        let rank = compared.partition_point(|&(better, _)| better >= score);
        if rank < COMPARED {
            if compared.is_full() {
                compared.pop();
            }
            compared.insert(rank, (score, m));
        }
    }
    let mut best = None;
    for (at_sight, m) in compared {
        let after = board.after(m);
        let reply = match after.is_over() {
            true => None,
            false => best_at_sight(&after),
        };
        let score = reply.map_or(at_sight, |(_, standings)| standings[seat]);
        if best.is_none_or(|(best, _)| score > best) {
            best = Some((score, m));
        }
    }
    best.map(|(_, m)| m)
}

/// What a player who looks this far plays.
pub fn expected_move(board: &Board, sight: Sight) -> Option<Move> {
    match sight {
        Sight::OnePly => best_at_sight(board).map(|(m, _)| m),
        Sight::TwoPlies => best_at_second_sight(board),
    }
}

/// The root's team against opponents who each play what is best for themselves, one
/// or two plies of max^n: their moves are foreseen rather than searched, so that all of
/// the search goes into the team's own plans.
#[derive(Clone, Copy, Debug)]
pub struct Foreseen;

impl Reduction for Foreseen {
    const FORESEEN: bool = true;

    fn reply(board: &Board, sight: Sight) -> Option<Move> {
        expected_move(board, sight)
    }
}

/// The evaluation for the common search; it keeps nothing between positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct YoninEvaluator;

impl<R: Reduction> Evaluator<Coalition<R>> for YoninEvaluator {
    fn evaluate(&mut self, position: &Coalition<R>) -> Score {
        let board = position.board();
        let strength = strengths(board);
        let total = team_score(board, &strength, position.root());
        let total = total.clamp(-score::EVAL_MAX, score::EVAL_MAX);
        position.seen_by_mover(total)
    }
}
