//! The bench: fixed positions searched to a fixed depth.
//!
//! On one thread its total of nodes is the same every time and on every machine:
//! the signature of the search's behaviour. A change that is meant to leave the
//! play alone must leave it alone. Its nodes per second are the engine's speed.
//! `tsuru bench` and the USI word `bench` both run it.
//!
//! The positions are the initial one, a handicap game, two well-known move
//! generation benches and games from floodgate, in check and not.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use crate::core::Score;
use crate::eval::shogi::ShogiEvaluator;
use crate::search::{Info, Limits, Outcome, Reporter, SearchOptions, ThreadPool};
use crate::shogi::{Move, Position, Rules};

/// The positions of the bench.
pub const POSITIONS: [&str; 14] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
    "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
    "l2n2+R2/2k+bg4/1p1s3p1/p1ppg3p/6p2/P1P5P/1PGPpP3/1S1+b5/LK6L w RGS3NL3Psp 1",
    "ln3+N2l/1r1G5/p1pp+BS1pp/2kg1pp2/6S2/1PP+bsP3/PS1g2K1P/6G2/L6RL b N3Pn3p 1",
    "ln4kn1/3rg1g2/p+B1p5/4p1p1l/1p3s1pp/3PPPP2/PP1S1S3/2G3G2/LN1K3RL w bsn5p 1",
    "lns1R3l/1kg6/1ppp1gnpp/p8/5pSbP/P1PG2P+B1/1PNS1g3/1K2s4/LR2+p2NL w 2P3p 1",
    "ln1g3nl/1r3kgs1/2psppbp1/p2p4p/6S2/PPP5P/3PPP3/1SG1K1GR1/LN5NL w B2P2p 1",
    "l4k1nl/1r1sg1g2/2nppsbpp/p1p2pp2/1p5P1/P1PP1PP2/1PBSP3P/2G1GS1R1/LNK4NL w - 1",
    "+P6nl/2s2ggk1/4p1sp1/3pbp1n1/2PP2p1P/P1S3PRp/4PPS2/2+p1GK3/L6NL b RBNLPg2p 1",
    "ln1g1r1nl/2s4P1/2kp1sg1p/ppp2p1p1/4pSp2/PPP6/1K1PGP2P/2S4R1/LN1G3NL b Bb2p 1",
    "6glR/4l1s2/2+B1psk1G/p4p1pN/2p3p1p/3P1GP2/P3PP1PL/3r1S1S1/L+b4GNK w 4P2np 1",
    "l3pk1nl/7g1/2p1gp3/p1r4pp/1BP6/P2p1PP2/1G2P3P/3PGS1R1/L3K2NL w 2SPbs2n3p 1",
];

/// How long the answer is waited for before looking at the stop flag.
const POLL: Duration = Duration::from_millis(20);

/// What to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Plies of iterative deepening for each position.
    pub depth: u32,
    /// Search threads; only one gives the signature.
    pub threads: usize,
    /// Size of the transposition table, MB.
    pub hash_mb: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            depth: 15,
            threads: 1,
            hash_mb: 16,
        }
    }
}

/// The search of one position.
#[derive(Clone, Debug)]
pub struct Line {
    /// The position.
    pub sfen: &'static str,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Milliseconds.
    pub time: u64,
    /// Depth of the last finished iteration.
    pub depth: u32,
    /// Score from the side to move's view.
    pub score: Score,
    /// The best line.
    pub pv: Vec<Move>,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// One entry a position, in order; fewer when it was stopped.
    pub lines: Vec<Line>,
    /// False when it was stopped before the end.
    pub complete: bool,
}

impl Report {
    /// The total of nodes: the signature.
    pub fn nodes(&self) -> u64 {
        self.lines.iter().map(|line| line.nodes).sum()
    }

    /// Milliseconds of searching.
    pub fn time(&self) -> u64 {
        self.lines.iter().map(|line| line.time).sum()
    }

    /// Nodes per second; 0 when no time was measured.
    pub fn nps(&self) -> u64 {
        (self.nodes() * 1000).checked_div(self.time()).unwrap_or(0)
    }
}

/// Passes the outcome on to the thread that waits for it.
struct Waiter(Sender<Outcome<Move>>);

impl Reporter<Move> for Waiter {
    fn info(&self, _info: &Info<Move>) {}

    fn note(&self, _text: &str) {}

    fn finished(&self, outcome: &Outcome<Move>) {
        // Nobody waits any more when the bench was abandoned.
        let _ = self.0.send(outcome.clone());
    }
}

/// Runs the bench with an evaluation and calls `each` after every position. When `stop` becomes true
/// it ends within some 20 ms; a position cut short is not in the report.
pub fn run(
    evaluator: ShogiEvaluator,
    settings: &Settings,
    stop: &AtomicBool,
    mut each: impl FnMut(&Line),
) -> Report {
    let mut pool = ThreadPool::<Position, ShogiEvaluator>::new(
        evaluator,
        settings.threads.max(1),
        settings.hash_mb.max(1),
    );
    let mut report = Report::default();
    let rules = Rules::default();
    for sfen in POSITIONS {
        let Ok(position) = Position::from_sfen(sfen, &rules) else {
            debug_assert!(false, "a bench position is wrong: {sfen}");
            continue;
        };
        let limits = Limits {
            depth: Some(settings.depth),
            ..Limits::default()
        };
        let (sender, outcomes) = mpsc::channel();
        pool.clear();
        pool.start(
            position,
            limits,
            SearchOptions::default(),
            Arc::new(Waiter(sender)),
        );
        let outcome = loop {
            match outcomes.recv_timeout(POLL) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Timeout) if stop.load(Ordering::Relaxed) => pool.stop(),
                Err(RecvTimeoutError::Timeout) => {}
                // The search ended without an answer: it has said why.
                Err(RecvTimeoutError::Disconnected) => return report,
            }
        };
        pool.wait();
        if stop.load(Ordering::Relaxed) {
            return report;
        }
        let line = Line {
            sfen,
            nodes: outcome.nodes,
            time: outcome.time,
            depth: outcome.depth,
            score: outcome.score,
            pv: outcome.pv,
        };
        each(&line);
        report.lines.push(line);
    }
    report.complete = true;
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shallow() -> Settings {
        Settings {
            depth: 3,
            ..Settings::default()
        }
    }

    #[test]
    fn the_signature_is_the_same_every_time() {
        let stop = AtomicBool::new(false);
        let mut seen = 0;
        let first = run(ShogiEvaluator::default(), &shallow(), &stop, |_| seen += 1);
        assert!(first.complete);
        assert_eq!(seen, POSITIONS.len());
        assert_eq!(first.lines.len(), POSITIONS.len());
        let second = run(ShogiEvaluator::default(), &shallow(), &stop, |_| {});
        let nodes =
            |report: &Report| -> Vec<u64> { report.lines.iter().map(|line| line.nodes).collect() };
        assert_eq!(nodes(&first), nodes(&second));
    }

    #[test]
    fn it_stops_when_told() {
        let report = run(
            ShogiEvaluator::default(),
            &Settings::default(),
            &AtomicBool::new(true),
            |_| {},
        );
        assert!(!report.complete);
        assert!(report.lines.is_empty());
    }
}
