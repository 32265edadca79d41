//! `go mate`: what the protocol needs of a solver, and the cheapest one.
//!
//! A [`MateSolver`] is a function from a position and limits to an answer; it runs
//! in a thread of its own and looks at [`MateLimits::expired`] now and then. The
//! side to move is the attacker, each of its moves a check (将棋所, "USIプロトコル",
//! `go mate`). [`mate_in_one`] settles the positions that need no search: the
//! attacker has no check at all, or one that mates at once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::parse::{Go, MateTime};
use crate::core::MoveList;
use crate::game::{Game, Stage};

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

/// When to give up.
pub struct MateLimits {
    abort: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl MateLimits {
    /// The limits of a `go mate` line that came at `since`; `abort` ends the search
    /// at once.
    pub fn new(go: &Go, since: Instant, abort: Arc<AtomicBool>) -> Self {
        let mate_time = match go.mate {
            Some(MateTime::Milliseconds(time)) => Some(time),
            _ => None,
        };
        let deadline = [mate_time, go.movetime]
            .into_iter()
            .flatten()
            .min()
            .and_then(|time| since.checked_add(Duration::from_millis(time)));
        MateLimits { abort, deadline }
    }

    /// Whether the search was stopped or its time is over.
    pub fn expired(&self) -> bool {
        self.abort.load(Ordering::Relaxed) || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}

/// Solves a position. Must look at the limits at least every few milliseconds.
pub type MateSolver<G> = fn(&G, &MateLimits) -> MateAnswer<<G as Game>::Move>;

/// Finds mates in one ply, and positions without any check. All else is
/// [`MateAnswer::NotImplemented`].
pub fn mate_in_one<G: Game>(root: &G, limits: &MateLimits) -> MateAnswer<G::Move> {
    let mut moves = MoveList::new();
    root.generate(Stage::All, true, &mut moves);
    let info = root.check_info();
    moves.retain(|m| root.gives_check(*m, &info));
    if moves.is_empty() {
        return MateAnswer::NoMate;
    }
    let mut position = root.clone();
    for m in moves {
        if limits.expired() {
            return MateAnswer::Timeout;
        }
        position.make(m);
        let mates = position.count_moves() == 0;
        position.unmake();
        if mates {
            return MateAnswer::Mate(vec![m]);
        }
    }
    MateAnswer::NotImplemented
}

/// For games without mate.
pub fn unsupported<G: Game>(_: &G, _: &MateLimits) -> MateAnswer<G::Move> {
    MateAnswer::NotImplemented
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    fn solve(sfen: &str) -> String {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let go = Go {
            mate: Some(MateTime::Infinite),
            ..Go::default()
        };
        let limits = MateLimits::new(&go, Instant::now(), Arc::new(AtomicBool::new(false)));
        mate_in_one(&position, &limits).to_string()
    }

    #[test]
    fn settles_what_needs_no_search() {
        assert_eq!(
            solve("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"),
            "checkmate G*5b"
        );
        assert_eq!(
            solve("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            "checkmate nomate"
        );
        // Mated already.
        assert_eq!(solve("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"), "checkmate nomate");
        assert_eq!(
            solve("4k4/9/9/9/9/9/9/9/4K4 b G 1"),
            "checkmate notimplemented"
        );
    }

    #[test]
    fn gives_up_in_time() {
        let position = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b G 1", &Rules::default());
        let go = Go {
            mate: Some(MateTime::Milliseconds(0)),
            ..Go::default()
        };
        let limits = MateLimits::new(&go, Instant::now(), Arc::new(AtomicBool::new(false)));
        assert_eq!(
            mate_in_one(&position.unwrap(), &limits),
            MateAnswer::Timeout
        );
    }
}
