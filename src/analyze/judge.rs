//! What the moves of a game were worth.
//!
//! A move is judged by the winning chances that it gave away: those of the best line
//! before it, less those of the position after it. Chances follow from scores by a
//! logistic curve with 600 centipawns, as ShogiHome has it by default; so do the
//! thresholds of 5, 10 and 20 points. The accuracy of a move is lichess.org's
//! ("Accuracy metric"): 103.1668 exp(-0.04354 w) - 3.1669 for a loss of w points.

use super::search::PositionReport;
use crate::core::score::{MATE, MATE_IN_MAX_PLY, is_mate};
use crate::core::{Color, Score};
use crate::record::{GameTree, NodeId};
use crate::shogi::{Move, Position};

/// Centipawns at which the winning chances are 1 / (1 + 1/e).
const WIN_SCALE: f64 = 600.0;
/// Scores beyond this, and mates, count as this in average losses.
const SCORE_CAP: Score = 2000;
/// A turning point gives away at least this much of the winning chances.
const TURN: f64 = 0.10;
/// Turning points that are told.
const TURNS: usize = 6;

/// The winning chances of the side to move, from 0 to 1, at a score.
pub fn win_probability(score: Score) -> f64 {
    if score >= MATE_IN_MAX_PLY {
        1.0
    } else if score <= -MATE_IN_MAX_PLY {
        0.0
    } else {
        1.0 / (1.0 + (-f64::from(score) / WIN_SCALE).exp())
    }
}

/// The mark of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The only legal move.
    Forced,
    /// The search's choice.
    Best,
    /// Less than 5 points of winning chances lost.
    Good,
    /// 5 points and more.
    Inaccuracy,
    /// 10 points and more.
    Mistake,
    /// 20 points and more.
    Blunder,
    /// There was a mate, and after the move there is none.
    MissedMate,
}

impl Mark {
    /// All marks.
    pub const ALL: [Mark; 7] = [
        Mark::Forced,
        Mark::Best,
        Mark::Good,
        Mark::Inaccuracy,
        Mark::Mistake,
        Mark::Blunder,
        Mark::MissedMate,
    ];
}

/// A move and what it was worth.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveReport {
    /// Its node in the record.
    pub node: NodeId,
    /// Its number, from 1.
    pub ply: u32,
    /// Who made it.
    pub side: Color,
    /// The move.
    pub played: Move,
    /// The score of the best line before it, from the mover's view.
    pub best_score: Score,
    /// The score after it, from the mover's view.
    pub score: Score,
    /// Centipawns lost, both scores capped.
    pub loss: Score,
    /// Winning chances lost, from 0 to 1.
    pub win_loss: f64,
    /// The mark.
    pub mark: Mark,
    /// The number of the played move among the lines, from 1.
    pub rank: Option<usize>,
}

/// What a player's moves were worth, forced ones left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerReport {
    /// Moves judged.
    pub moves: usize,
    /// Mean accuracy in per cent.
    pub accuracy: f64,
    /// Mean loss in centipawns.
    pub average_loss: f64,
    /// Moves that were the search's choice, in per cent (一致率).
    pub agreement: f64,
    /// How many moves have each mark of [`Mark::ALL`], forced ones included.
    pub marks: [usize; 7],
}

/// A game with every position searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The positions: before each move, and the last one.
    pub positions: Vec<PositionReport>,
    /// The moves.
    pub moves: Vec<MoveReport>,
    /// Black and White.
    pub players: [PlayerReport; 2],
    /// Indices into `moves`: where the game turned, in the order of the game.
    pub turning_points: Vec<usize>,
}

/// The score of a position for the side that has just moved into it.
fn for_mover(score: Score) -> Score {
    // A mate is one ply farther from before the move.
    let farther = if is_mate(score) { score.signum() } else { 0 };
    -(score - farther)
}

impl Analysis {
    /// Judges the moves of the main line; one report more than moves.
    pub(super) fn new(tree: &GameTree, moves: Vec<Move>, positions: Vec<PositionReport>) -> Self {
        let nodes = tree.main_line();
        let mut reports = Vec::with_capacity(moves.len());
        for (index, (node, played)) in nodes.zip(moves).enumerate() {
            let ply = index as u32 + 1;
            let (before, after) = (&positions[index], &positions[index + 1]);
            reports.push(judge(node, ply, tree.side_at(ply), played, before, after));
        }
        let players = Color::ALL.map(|side| player(&reports, side));
        let mut turning_points: Vec<usize> = (0..reports.len())
            .filter(|&index| {
                let report = &reports[index];
                report.win_loss >= TURN || report.mark == Mark::MissedMate
            })
            .collect();
        turning_points.sort_by(|&a, &b| reports[b].win_loss.total_cmp(&reports[a].win_loss));
        turning_points.truncate(TURNS);
        turning_points.sort_unstable();
        Analysis {
            positions,
            moves: reports,
            players,
            turning_points,
        }
    }

    /// The score before move `ply` + 1 from Black's view.
    pub fn black_score(&self, tree: &GameTree, ply: usize) -> Score {
        let score = self.positions[ply].score;
        match tree.side_at(ply as u32 + 1) {
            Color::Black => score,
            Color::White => -score,
        }
    }

    /// The position before a move of the game.
    pub fn position_before(&self, tree: &GameTree, index: usize) -> Position {
        let mut position = tree.start();
        for report in &self.moves[..index] {
            position.make(report.played);
        }
        position
    }
}

fn judge(
    node: NodeId,
    ply: u32,
    side: Color,
    played: Move,
    before: &PositionReport,
    after: &PositionReport,
) -> MoveReport {
    let rank = before
        .lines
        .iter()
        .position(|line| line.moves.first() == Some(&played))
        .map(|index| index + 1);
    let score = for_mover(after.score);
    // The game's own move is a line, too: the best one is no worse.
    let best_score = match before.lines.first() {
        Some(line) => line.score.max(score),
        None => score,
    };
    let is_best = rank == Some(1);
    let (loss, win_loss) = if is_best {
        (0, 0.0)
    } else {
        let capped = |score: Score| score.clamp(-SCORE_CAP, SCORE_CAP);
        (
            (capped(best_score) - capped(score)).max(0),
            (win_probability(best_score) - win_probability(score)).max(0.0),
        )
    };
    let mark = if before.legal_moves == 1 {
        Mark::Forced
    } else if is_best {
        Mark::Best
    } else if best_score >= MATE_IN_MAX_PLY && score < MATE_IN_MAX_PLY {
        Mark::MissedMate
    } else {
        match win_loss {
            loss if loss >= 0.20 => Mark::Blunder,
            loss if loss >= 0.10 => Mark::Mistake,
            loss if loss >= 0.05 => Mark::Inaccuracy,
            _ => Mark::Good,
        }
    };
    MoveReport {
        node,
        ply,
        side,
        played,
        best_score,
        score,
        loss,
        win_loss,
        mark,
        rank,
    }
}

/// The accuracy of a move in per cent by the winning chances that it lost.
fn accuracy(win_loss: f64) -> f64 {
    (103.1668 * (-0.04354 * win_loss * 100.0).exp() - 3.1669).clamp(0.0, 100.0)
}

fn player(reports: &[MoveReport], side: Color) -> PlayerReport {
    let mut report = PlayerReport::default();
    let (mut accuracies, mut losses, mut agreed) = (0.0, 0.0, 0);
    for m in reports.iter().filter(|m| m.side == side) {
        report.marks[m.mark as usize] += 1;
        if m.mark == Mark::Forced {
            continue;
        }
        report.moves += 1;
        accuracies += accuracy(m.win_loss);
        losses += f64::from(m.loss);
        agreed += usize::from(m.mark == Mark::Best);
    }
    if report.moves > 0 {
        let count = report.moves as f64;
        report.accuracy = accuracies / count;
        report.average_loss = losses / count;
        report.agreement = 100.0 * agreed as f64 / count;
    }
    report
}

/// Plies to the mate that a score stands for, at least 1, as USI counts them:
/// positive when the side of the score mates.
pub(super) fn mate_in(score: Score) -> Option<i32> {
    is_mate(score).then(|| (MATE - score.abs()).max(1) * score.signum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::Line;
    use crate::core::score;

    fn report(score: Score, best: &str, legal_moves: usize) -> PositionReport {
        PositionReport {
            score,
            lines: vec![Line {
                score,
                depth: 5,
                seldepth: 9,
                moves: vec![Move::from_usi(best).unwrap()],
            }],
            nodes: 100,
            time_ms: 1,
            end: None,
            legal_moves,
        }
    }

    fn mark(best: Score, after: Score, played: &str, legal: usize) -> Mark {
        let m = Move::from_usi(played).unwrap();
        let before = report(best, "7g7f", legal);
        let after = report(after, "3c3d", 30);
        judge(NodeId::ROOT, 1, Color::Black, m, &before, &after).mark
    }

    #[test]
    fn marks_by_winning_chances() {
        assert_eq!(mark(100, 500, "7g7f", 30), Mark::Best);
        assert_eq!(mark(100, 500, "2g2f", 1), Mark::Forced);
        assert_eq!(mark(100, -90, "2g2f", 30), Mark::Good);
        assert_eq!(mark(100, 50, "2g2f", 30), Mark::Inaccuracy);
        assert_eq!(mark(100, 200, "2g2f", 30), Mark::Mistake);
        assert_eq!(mark(100, 600, "2g2f", 30), Mark::Blunder);
        // Lost is lost.
        assert_eq!(mark(-3000, 6000, "2g2f", 30), Mark::Good);
        assert_eq!(mark(score::mate_in(7), -3000, "2g2f", 30), Mark::MissedMate);
        assert_eq!(
            mark(score::mate_in(7), score::mated_in(8), "2g2f", 30),
            Mark::Good
        );
        assert_eq!(mark(0, score::mate_in(5), "2g2f", 30), Mark::Blunder);
    }

    #[test]
    fn numbers() {
        assert_eq!(win_probability(0), 0.5);
        assert!((win_probability(600) - 0.731).abs() < 1e-3);
        assert_eq!(win_probability(score::mated_in(4)), 0.0);
        assert_eq!(for_mover(score::mated_in(4)), score::mate_in(5));
        assert_eq!(for_mover(score::mate_in(3)), score::mated_in(4));
        assert_eq!(for_mover(35), -35);
        assert_eq!(mate_in(score::mate_in(7)), Some(7));
        assert_eq!(mate_in(score::mated_in(6)), Some(-6));
        assert_eq!(mate_in(500), None);
        assert!((accuracy(0.0) - 100.0).abs() < 0.01);
        assert!(accuracy(0.5) < 12.0);
    }
}
