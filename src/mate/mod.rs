//! Mate by continuous checks: tests for short mates, and a solver for any.
//!
//! [`mate_in_one`] and [`mate_in_three`] are fast enough for the nodes of a game
//! search. [`Solver`] proves or disproves that the side to move can mate with an
//! unbroken series of checks, however long, by depth-first proof-number search in
//! a table of fixed size; it is generic over [`MateGame`].
//!
//! | file | what it holds |
//! |---|---|
//! | `dfpn` | the search |
//! | `table` | its table: proofs and disproofs shared between hands |
//! | `path` | repetitions, and disproofs that rest on them |
//! | `line` | from a proof to a line of moves |
//! | `short` | mate in one and three |
//! | `limits` | when to give up, and progress |
//!
//! A repetition is no mate for the attacker. Moves before the root do not count
//! for that.

mod dfpn;
mod limits;
mod line;
mod path;
mod short;
mod table;

use std::time::Duration;

use dfpn::{Dfpn, End};
pub use limits::{Limits, Progress};
pub use short::{mate_in_one, mate_in_three};
use table::UNLIMITED;

use crate::game::MateGame;

/// How much a line may be shortened after the proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shorten {
    /// Take the line of the proof.
    No,
    /// Try for as long as the proof took, at most.
    #[default]
    Some,
    /// Until no shorter mate is left, or a limit is reached.
    Fully,
}

/// A forced mate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mate<M> {
    /// The attacker's moves and the defender's longest resistance to them: legal
    /// moves, of which the last one mates.
    pub line: Vec<M>,
    /// Whether it was proved that there is no shorter mate.
    pub shortest: bool,
}

/// What the solver found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<M> {
    /// The side to move mates.
    Mate(Mate<M>),
    /// It does not.
    NoMate,
    /// A limit came first.
    Unknown,
}

/// A mate solver with its memory. What one search has learned helps the next one
/// with the same pieces.
pub struct Solver<G: MateGame> {
    search: Dfpn<G>,
}

impl<G: MateGame> Solver<G> {
    /// A solver with a table of `megabytes` MiB, or of less when there is not so
    /// much memory.
    pub fn new(megabytes: usize) -> Self {
        Solver {
            search: Dfpn::new(megabytes.max(1).saturating_mul(1 << 20)),
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.search.clear();
    }

    /// Nodes of the last search: moves played.
    pub fn nodes(&self) -> u64 {
        self.search.nodes
    }

    /// How far the last search came, told with this time.
    pub fn progress(&self, time: Duration) -> Progress {
        self.search.progress(time)
    }

    /// Whether the side to move has a mate by continuous checks; with a line, and
    /// as short a one as asked for.
    ///
    /// A mate that was proved stays one when a limit is reached afterwards. In a
    /// position that cannot be, with the defender in check and not to move, there
    /// is no verdict.
    pub fn solve(&mut self, root: &G, limits: &Limits, shorten: Shorten) -> Verdict<G::Move> {
        self.search.set_root(root);
        if !root.is_mate_problem() {
            return Verdict::Unknown;
        }
        let mut position = root.clone();
        let mut end = self.search.search(&mut position, UNLIMITED, limits);
        let mut line = None;
        // In a crowded table the proof can get lost before it is read off.
        for _ in 0..3 {
            if end != End::Proved {
                break;
            }
            line = self.line(&mut position, limits);
            if line.is_some() || limits.reached(self.nodes()) {
                break;
            }
            end = self.search.search_anew(&mut position, UNLIMITED, limits);
        }
        match (end, line) {
            (End::Disproved, _) => Verdict::NoMate,
            (_, Some(line)) => Verdict::Mate(self.shorten(&mut position, line, limits, shorten)),
            _ => Verdict::Unknown,
        }
    }

    /// Whether there is a mate, and its first move, without a line: for the nodes
    /// and the root of a game search.
    pub fn first_move(&mut self, root: &G, limits: &Limits) -> Verdict<G::Move> {
        self.search.set_root(root);
        if !root.is_mate_problem() {
            return Verdict::Unknown;
        }
        let mut position = root.clone();
        match self.search.search(&mut position, UNLIMITED, limits) {
            End::Disproved => Verdict::NoMate,
            End::Proved => match self.search.proof_move(&position) {
                Some(m) => Verdict::Mate(Mate {
                    line: vec![m],
                    shortest: false,
                }),
                None => Verdict::Unknown,
            },
            End::Open => Verdict::Unknown,
        }
    }

    /// Looks for shorter mates, two plies shorter each time.
    fn shorten(
        &mut self,
        position: &mut G,
        line: Vec<G::Move>,
        limits: &Limits,
        shorten: Shorten,
    ) -> Mate<G::Move> {
        let mut mate = Mate {
            shortest: line.len() == 1,
            line,
        };
        let mut limits = limits.clone();
        match shorten {
            Shorten::No => return mate,
            Shorten::Fully => {}
            Shorten::Some => {
                let spent = self.nodes();
                let end = spent + spent.max(20_000);
                limits.nodes = Some(limits.nodes.map_or(end, |nodes| nodes.min(end)));
            }
        }
        while !mate.shortest {
            limits.report_mate(&self.search, mate.line.len());
            let Ok(length) = u16::try_from(mate.line.len()) else {
                break;
            };
            match self.search.search(position, length - 2, &limits) {
                End::Disproved => mate.shortest = true,
                End::Open => break,
                End::Proved => match self.line(position, &limits) {
                    Some(line) if line.len() < mate.line.len() => mate.line = line,
                    _ => break,
                },
            }
        }
        mate
    }
}
