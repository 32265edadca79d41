//! Searches the positions of a game, the last one first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::judge::Analysis;
use crate::core::Score;
use crate::core::score::{DRAW, mated_in};
use crate::eval::shogi::ShogiEvaluator;
use crate::game::{Evaluator, GameEnd};
use crate::record::GameTree;
use crate::search::{Bound, Info, Limits, Outcome, Reporter, SearchOptions, ThreadPool};
use crate::shogi::{Move, Position};

/// How often a running search is asked whether it should stop.
const POLL: Duration = Duration::from_millis(50);

/// What is spent on each position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// Milliseconds.
    Time(u64),
    /// Nodes.
    Nodes(u64),
    /// Depth in plies.
    Depth(u32),
}

/// How to analyse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// What is spent on each position.
    pub effort: Effort,
    /// Lines to find in each position, at least 1.
    pub multi_pv: usize,
    /// Search threads.
    pub threads: usize,
    /// Size of the transposition table in MiB.
    pub hash_mb: usize,
}

/// A line that the search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The score from the view of the side to move.
    pub score: Score,
    /// Depth in plies.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// The moves.
    pub moves: Vec<Move>,
}

/// What was found about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionReport {
    /// The score from the view of the side to move.
    pub score: Score,
    /// The lines, best first; none where the game is over.
    pub lines: Vec<Line>,
    /// Nodes searched.
    pub nodes: u64,
    /// Milliseconds spent.
    pub time_ms: u64,
    /// Why the game is over here, if it is.
    pub end: Option<GameEnd>,
    /// How many legal moves there are.
    pub legal_moves: usize,
}

/// Keeps the last line of each number, and tells when the search is over.
struct Collector {
    lines: Mutex<Vec<Option<Line>>>,
    done: Sender<Outcome<Move>>,
}

impl Reporter<Move> for Collector {
    fn info(&self, info: &Info<Move>) {
        if info.bound != Bound::Exact || info.pv.is_empty() {
            return;
        }
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let index = info.multi_pv.saturating_sub(1);
        if lines.len() <= index {
            lines.resize(index + 1, None);
        }
        lines[index] = Some(Line {
            score: info.score,
            depth: info.depth,
            seldepth: info.seldepth,
            moves: info.pv.clone(),
        });
    }

    fn note(&self, _: &str) {}

    fn finished(&self, outcome: &Outcome<Move>) {
        // The receiver waits for nothing else.
        let _ = self.done.send(outcome.clone());
    }
}

/// Searches games, one after the other, on one set of threads.
pub struct Analyzer<E: Evaluator<Position> = ShogiEvaluator> {
    pool: ThreadPool<Position, E>,
    settings: Settings,
}

impl<E: Evaluator<Position>> Analyzer<E> {
    /// An analyzer with this evaluation.
    pub fn new(evaluator: E, settings: Settings) -> Self {
        Analyzer {
            pool: ThreadPool::new(evaluator, settings.threads, settings.hash_mb),
            settings,
        }
    }

    /// Searches the main line. `progress` is called with the positions done and
    /// their number; `None` when `stop` was set.
    pub fn analyze(
        &mut self,
        tree: &GameTree,
        progress: impl Fn(usize, usize),
        stop: &AtomicBool,
    ) -> Option<Analysis> {
        self.pool.clear();
        let moves = tree.main_moves();
        let mut position = tree.start();
        for &m in &moves {
            position.make(m);
        }
        let total = moves.len() + 1;
        let mut positions = Vec::with_capacity(total);
        progress(0, total);
        for done in 1..=total {
            positions.push(self.position(&position, stop)?);
            progress(done, total);
            if done < total {
                position.unmake();
            }
        }
        positions.reverse();
        Some(Analysis::new(tree, moves, positions))
    }

    /// Searches one position; `None` when `stop` was set.
    fn position(&mut self, position: &Position, stop: &AtomicBool) -> Option<PositionReport> {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let begun = Instant::now();
        let legal_moves = position.count_moves();
        if let Some(end) = position.end() {
            let score = match end.winner() {
                None => DRAW,
                Some(winner) if winner == position.side_to_move() => -mated_in(0),
                Some(_) => mated_in(0),
            };
            return Some(PositionReport {
                score,
                lines: Vec::new(),
                nodes: 0,
                time_ms: 0,
                end: Some(end),
                legal_moves,
            });
        }
        let mut limits = Limits::default();
        match self.settings.effort {
            Effort::Time(time) => limits.movetime = Some(time),
            Effort::Nodes(nodes) => limits.nodes = Some(nodes),
            Effort::Depth(depth) => limits.depth = Some(depth),
        }
        limits.since = Some(begun);
        let options = SearchOptions {
            multi_pv: self.settings.multi_pv.max(1),
            consideration_mode: true,
            pv_interval: 0,
            output_fail_lh_pv: false,
            ..SearchOptions::default()
        };
        let (done, outcome) = mpsc::channel();
        let collector = Arc::new(Collector {
            lines: Mutex::new(Vec::new()),
            done,
        });
        self.pool
            .start(position.clone(), limits, options, collector.clone());
        let outcome = loop {
            match outcome.recv_timeout(POLL) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Timeout) => {
                    if stop.load(Ordering::Relaxed) {
                        self.pool.stop();
                        self.pool.wait();
                        return None;
                    }
                }
                // Every search answers; without one there is no report either.
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        };
        let reported = std::mem::take(
            &mut *collector
                .lines
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let seldepth = reported
            .first()
            .and_then(|line| line.as_ref())
            .map(|line| line.seldepth);
        let best = Line {
            score: outcome.score,
            depth: outcome.depth,
            seldepth: seldepth.unwrap_or(outcome.depth),
            moves: outcome.pv.clone(),
        };
        let mut lines = vec![best];
        for line in reported.into_iter().flatten() {
            let first = line.moves.first();
            if lines.iter().all(|known| known.moves.first() != first) {
                lines.push(line);
            }
        }
        lines.truncate(self.settings.multi_pv.max(1));
        Some(PositionReport {
            score: outcome.score,
            lines,
            nodes: outcome.nodes,
            time_ms: begun.elapsed().as_millis() as u64,
            end: None,
            legal_moves,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::{Mark, annotate};
    use crate::core::score;
    use crate::record::evals::{self, Form};
    use crate::record::{Cursor, NodeId};
    use crate::shogi::Rules;

    fn settings(multi_pv: usize) -> Settings {
        Settings {
            effort: Effort::Nodes(3000),
            multi_pv,
            threads: 1,
            hash_mb: 8,
        }
    }

    /// A mate in one is missed, then played.
    fn game() -> GameTree {
        let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
        let start = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let mut tree = GameTree::new(&start);
        let mut cursor = Cursor::new(&tree);
        for text in ["5i5h", "P*9b", "G*5b"] {
            cursor
                .play(&mut tree, Move::from_usi(text).unwrap())
                .unwrap();
        }
        tree
    }

    #[test]
    fn every_position_is_searched() {
        let tree = game();
        let mut analyzer = Analyzer::new(ShogiEvaluator::HAND, settings(3));
        let seen = Mutex::new(Vec::new());
        let progress = |done, total| seen.lock().unwrap().push((done, total));
        let stop = AtomicBool::new(false);
        let analysis = analyzer.analyze(&tree, progress, &stop).unwrap();
        assert_eq!(
            seen.into_inner().unwrap(),
            [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
        );
        let positions = &analysis.positions;
        assert_eq!(positions.len(), 4);
        assert_eq!(positions[0].lines.len(), 3);
        assert_eq!(positions[0].lines[0].moves[0].to_string(), "G*5b");
        assert_eq!(positions[2].score, score::mate_in(1));
        assert_eq!(positions[3].score, mated_in(0));
        assert_eq!(
            positions[3].end,
            Some(GameEnd::Checkmate {
                winner: crate::core::Color::Black
            })
        );
        let marks: Vec<Mark> = analysis.moves.iter().map(|m| m.mark).collect();
        assert_eq!((marks[0], marks[2]), (Mark::MissedMate, Mark::Best));
        assert!(analysis.turning_points.contains(&0));

        // Comments are read again as what was found, and replaced, not added.
        for form in [Form::ShogiGuiAnalysis, Form::ShogiHome, Form::Floodgate] {
            let mut annotated = tree.clone();
            annotated
                .node_mut(NodeId::ROOT)
                .comments
                .push("by hand".to_owned());
            annotate(&mut annotated, &analysis, form);
            let once = annotated.clone();
            annotate(&mut annotated, &analysis, form);
            assert_eq!(annotated, once);
            let root = &annotated.node(NodeId::ROOT).comments;
            assert_eq!(root[0], "by hand");
            let read = evals::parse(root, &tree.start());
            assert_eq!(read[0].score, crate::record::MATE_SCORE);
            assert_eq!(read[0].line, positions[0].lines[0].moves);
        }
    }

    #[test]
    fn a_stop_ends_the_analysis() {
        let stop = AtomicBool::new(true);
        let mut analyzer = Analyzer::new(ShogiEvaluator::HAND, settings(1));
        assert_eq!(analyzer.analyze(&game(), |_, _| {}, &stop), None);
        stop.store(false, Ordering::Relaxed);
        let halt = |done, _| stop.store(done == 2, Ordering::Relaxed);
        assert_eq!(analyzer.analyze(&game(), halt, &stop), None);
        stop.store(false, Ordering::Relaxed);
        assert!(analyzer.analyze(&game(), |_, _| {}, &stop).is_some());
    }
}
