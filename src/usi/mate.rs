//! `go mate`: the words of the protocol on one side, the solver on the other.
//!
//! A [`MateSolver`] is a function from a position and a [`MateRequest`] to an
//! answer; it runs in a thread of its own. The side to move is the attacker, each
//! of its moves a check (将棋所, "USIプロトコル", `go mate`). [`solve`] is the solver of
//! [`crate::mate`] with a table of `USI_Hash` MB that lives as long as the search.

use std::fmt;
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use super::output::SearchSink;
use super::parse::{Go, MateTime};
use crate::game::{Game, MateGame};
use crate::mate::{Limits, Progress, Shorten, Solver, Verdict};

/// The answer of a mate search; prints as the `checkmate` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MateAnswer<M> {
    /// A forced mate, the whole line.
    Mate(Vec<M>),
    /// Proved that there is none.
    NoMate,
    /// Stopped, or out of time.
    Timeout,
    /// Beyond this solver.
    NotImplemented,
}

impl<M: fmt::Display> fmt::Display for MateAnswer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("checkmate")?;
        match self {
            MateAnswer::Mate(line) => line.iter().try_for_each(|m| write!(f, " {m}")),
            MateAnswer::NoMate => f.write_str(" nomate"),
            MateAnswer::Timeout => f.write_str(" timeout"),
            MateAnswer::NotImplemented => f.write_str(" notimplemented"),
        }
    }
}

/// What a solver is given beside the position.
pub struct MateRequest {
    /// When to give up.
    pub limits: Limits,
    /// Size of the table in MB.
    pub hash_mb: usize,
    /// Where progress goes, once the limits do not bring it there.
    sink: Arc<SearchSink>,
    since: Instant,
}

impl MateRequest {
    /// The request of a `go mate` line that came at `since`; `abort` ends the
    /// search at once. Progress goes to `sink`.
    pub fn new(
        go: &Go,
        since: Instant,
        hash_mb: usize,
        abort: Arc<AtomicBool>,
        sink: Arc<SearchSink>,
    ) -> Self {
        let mate_time = match go.mate {
            Some(MateTime::Milliseconds(time)) => Some(time),
            _ => None,
        };
        let deadline = [mate_time, go.movetime]
            .into_iter()
            .flatten()
            .min()
            .and_then(|time| since.checked_add(Duration::from_millis(time)));
        let reports = Arc::clone(&sink);
        let limits = Limits::new(go.nodes, deadline, Some(abort));
        MateRequest {
            limits: limits.reporting(since, move |progress| reports.line(&info(progress))),
            hash_mb,
            sink,
            since,
        }
    }
}

/// Progress as an `info` line.
fn info(progress: &Progress) -> String {
    let time = progress.time.as_millis().max(1);
    let mut line = format!(
        "info depth {} time {time} nodes {} nps {} hashfull {}",
        progress.deepest,
        progress.nodes,
        u128::from(progress.nodes) * 1000 / time,
        progress.fill
    );
    if let Some(length) = progress.length {
        // Writing to a string cannot fail.
        let _ = write!(line, " score mate {length}");
    }
    line
}

/// Solves a position.
pub type MateSolver<G> = fn(&G, &MateRequest) -> MateAnswer<<G as Game>::Move>;

/// The solver of [`crate::mate`].
pub fn solve<G: MateGame>(root: &G, request: &MateRequest) -> MateAnswer<G::Move> {
    if !root.is_mate_problem() {
        return MateAnswer::NotImplemented;
    }
    let mut solver = Solver::new(request.hash_mb);
    match solver.solve(root, &request.limits, Shorten::Some) {
        Verdict::Mate(mate) => {
            let mut line = info(&Progress {
                length: Some(mate.line.len()),
                ..solver.progress(request.since.elapsed())
            });
            line.push_str(" pv");
            for m in &mate.line {
                let _ = write!(line, " {m}");
            }
            request.sink.line(&line);
            MateAnswer::Mate(mate.line)
        }
        Verdict::NoMate => MateAnswer::NoMate,
        Verdict::Unknown => MateAnswer::Timeout,
    }
}

/// For games without mate.
pub fn unsupported<G: Game>(_: &G, _: &MateRequest) -> MateAnswer<G::Move> {
    MateAnswer::NotImplemented
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};
    use crate::usi::output::Output;

    fn answer(sfen: &str, go: &Go) -> String {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let output = Arc::new(Output::new(Box::new(std::io::sink())));
        let sink = SearchSink::new(output, true);
        let abort = Arc::new(AtomicBool::new(false));
        let request = MateRequest::new(go, Instant::now(), 1, abort, sink);
        solve(&position, &request).to_string()
    }

    #[test]
    fn answers_in_the_words_of_the_protocol() {
        let infinite = Go {
            mate: Some(MateTime::Infinite),
            ..Go::default()
        };
        for (sfen, expected) in [
            (
                "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
                "checkmate G*5b",
            ),
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
                "checkmate nomate",
            ),
            // The side to move is mated already.
            ("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", "checkmate nomate"),
            ("4k4/9/9/9/9/9/9/9/4K4 b G 1", "checkmate nomate"),
            // Nobody to mate.
            ("9/9/9/9/9/9/9/9/4K4 b G 1", "checkmate nomate"),
            // The king could be taken.
            ("4k4/4G4/9/9/9/9/9/9/4K4 b - 1", "checkmate notimplemented"),
        ] {
            assert_eq!(answer(sfen, &infinite), expected, "{sfen}");
        }
    }

    #[test]
    fn gives_up_at_its_limits() {
        // A problem of 267 plies.
        let sfen = "1+P2p1p2/n2g1G1pp/3pB2Rn/2P1k1+r2/5l2B/3G2N2/N8/7S1/9 b Pg3s3l10p 1";
        for go in [
            Go {
                mate: Some(MateTime::Milliseconds(0)),
                ..Go::default()
            },
            Go {
                mate: Some(MateTime::Infinite),
                nodes: Some(100),
                ..Go::default()
            },
        ] {
            assert_eq!(answer(sfen, &go), "checkmate timeout");
        }
    }
}
