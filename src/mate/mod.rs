//! Mate by continuous checks, of any length.
//!
//! [`Solver`] proves or disproves that the side to move can mate with an
//! unbroken series of checks, however long, by depth-first proof-number search in
//! a table of fixed size; it is generic over [`MateGame`].
//!
//! | file | what it holds |
//! |---|---|
//! | `dfpn` | the search |
//! | `table` | its table: proofs and disproofs shared between hands |
//! | `path` | repetitions, and disproofs that rest on them |
//! | `line` | from a proof to a line of moves |
//! | `limits` | when to give up, and progress |
//!
//! A repetition is no mate for the attacker. Moves before the root do not count
//! for that.

mod dfpn;
mod limits;
mod line;
mod path;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use dfpn::{Dfpn, End};
pub use limits::{Limits, Progress};
use line::Lines;
use table::UNLIMITED;

use crate::game::{MateGame, RootAnswer, RootMate};

/// How much a line may be shortened after the proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shorten {
    /// Take the line of the proof.
    No,
    /// Try for about as long as the proof took.
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
    /// The line without useless interpositions (無駄合い), as books of problems print
    /// it, if the proof was small enough to measure: see [`Solver`]. Against its last
    /// position, and only there, useless interpositions may be left.
    pub book_line: Option<Vec<M>>,
    /// Whether it was proved that there is no shorter mate.
    pub shortest: bool,
}

/// Nodes that [`Shorten::Some`] spends at least.
const LEAST_EFFORT: u64 = 150_000;

/// Filling, per mille, from which the table is emptied for another problem.
const CROWDED: u32 = 20;

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
///
/// An interposition is useless if it is a drop that the attacker takes at once with
/// check, after which the mate takes no longer than it would have taken without the
/// drop, and the piece taken is left over in the end. By the convention of the books
/// such drops do not count.
pub struct Solver<G: MateGame> {
    search: Dfpn<G>,
}

impl<G: MateGame> RootMate<G> for Solver<G> {
    fn mating_line(
        &mut self,
        root: &G,
        nodes: u64,
        deadline: Option<Instant>,
        stop: &Arc<AtomicBool>,
    ) -> RootAnswer<G::Move> {
        let mut limits = Limits::new(Some(nodes), deadline, Some(stop.clone()));
        // The clock may start meanwhile, and nobody looks at it before the answer.
        limits.measured = usize::try_from(nodes).unwrap_or(usize::MAX);
        let verdict = match root.is_mate_decisive() {
            true => self.solve(root, &limits, Shorten::No),
            false => Verdict::NoMate,
        };
        RootAnswer {
            decided: verdict != Verdict::Unknown,
            line: match verdict {
                Verdict::Mate(mate) => Some(mate.line),
                Verdict::NoMate | Verdict::Unknown => None,
            },
            nodes: self.nodes(),
        }
    }

    fn forget(&mut self) {
        self.clear();
    }
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

    /// Forgets everything if the table is so full that it hinders a search for something
    /// else, and knows nothing of this position.
    pub fn make_room(&mut self, position: &G) {
        self.search.set_root(position);
        if self.search.table.fill() >= CROWDED && !self.search.knows(position) {
            self.clear();
        }
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
        match self.prove(&mut position, UNLIMITED, limits) {
            (End::Disproved, _) => Verdict::NoMate,
            (_, Some(lines)) => Verdict::Mate(self.shorten(&mut position, lines, limits, shorten)),
            _ => Verdict::Unknown,
        }
    }

    /// Searches for a mate within so many plies, with a line if there is one.
    fn prove(
        &mut self,
        position: &mut G,
        plies: u16,
        limits: &Limits,
    ) -> (End, Option<Lines<G::Move>>) {
        let mut end = self.search.search(position, plies, limits);
        // In a crowded table the proof can get lost before it is read off.
        for _ in 0..3 {
            if end != End::Proved {
                break;
            }
            let lines = self.line(position, limits);
            if lines.is_some() {
                return (end, lines);
            }
            if limits.reached(self.nodes()) {
                break;
            }
            end = self.search.search_anew(position, plies, limits);
        }
        (end, None)
    }

    /// Looks for shorter mates, in three stages. Upwards from one ply: short limits are
    /// decided soon, and the first mate found is the shortest. By bisection above that,
    /// with a share of the effort for each length: a mate much shorter than the first
    /// one is often found sooner than one just below it. Then two plies at a time.
    fn shorten(
        &mut self,
        position: &mut G,
        lines: Lines<G::Move>,
        limits: &Limits,
        shorten: Shorten,
    ) -> Mate<G::Move> {
        // Within how many plies there is a mate: a line that was not measured does not
        // tell.
        let proof = self.search.table.best_proof(
            self.search.key(position),
            position.hand(self.search.attacker),
        );
        let mut bound = match (&lines.book_line, proof) {
            (Some(_), _) => lines.line.len(),
            (None, Some((length, _))) => usize::from(length),
            (None, None) => usize::MAX,
        };
        let mut mate = Mate {
            shortest: false,
            line: lines.line,
            book_line: lines.book_line,
        };
        // No mate this short: proved (a mate in one is never missed), and supposed.
        let (mut disproved, mut too_short) = (1, 1);
        let spent = self.nodes();
        let effort = spent.max(LEAST_EFFORT);
        let within = |nodes: u64| limits.clone().within(nodes);
        let some = match shorten {
            Shorten::Fully => limits.clone(),
            _ => within(spent.saturating_add(effort)),
        };
        let rising_limits = some.clone().within(spent.saturating_add(effort / 3));
        let mut rising = true;
        while shorten != Shorten::No && disproved + 2 < bound {
            limits.report_mate(&self.search, mate.line.len());
            let bisecting = too_short + 4 <= bound;
            let (try_length, limits) = if rising {
                (disproved + 2, rising_limits.clone())
            } else if bisecting {
                let share = self.nodes().saturating_add(effort / 6);
                let middle = too_short.midpoint(bound);
                (middle - 1 + middle % 2, some.clone().within(share))
            } else {
                (bound - 2, some.clone())
            };
            let Ok(plies) = u16::try_from(try_length) else {
                break;
            };
            let tentative = (rising || bisecting) && !limits.interrupted();
            let (end, lines) = self.prove(position, plies, &limits);
            let found = lines.map(|lines| match lines.book_line {
                Some(_) => (lines.line.len(), lines),
                None => (try_length, lines),
            });
            match found {
                Some((length, lines)) if length < bound => {
                    bound = length;
                    mate.line = lines.line;
                    mate.book_line = lines.book_line;
                }
                _ if end == End::Disproved => {
                    disproved = disproved.max(try_length);
                    too_short = too_short.max(try_length);
                }
                _ if tentative && rising => rising = false,
                _ if tentative => too_short = try_length,
                _ => break,
            }
        }
        // An unmeasured line may lack the best defence.
        mate.shortest = disproved + 2 >= bound && mate.line.len() == bound;
        mate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    #[test]
    fn lines_that_were_not_measured_claim_no_more_than_is_proved() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/tsume.txt");
        let text = std::fs::read_to_string(path).unwrap();
        let mut solver = Solver::new(16);
        let mut limits = Limits::nodes(1_000_000);
        limits.measured = 0;
        let (mut count, mut shortest) = (0, 0);
        for line in text.lines().filter(|line| line.contains("; exact ;")) {
            let mut fields = line.split(" ; ");
            let position = Position::from_sfen(fields.next().unwrap(), &Rules::default()).unwrap();
            let Ok(plies @ ..=11) = fields.next().unwrap().parse::<usize>() else {
                continue;
            };
            let Verdict::Mate(mate) = solver.solve(&position, &limits, Shorten::Fully) else {
                panic!("{line}");
            };
            assert_eq!(mate.book_line, None);
            assert!(!mate.shortest || mate.line.len() == plies, "{line}");
            count += 1;
            shortest += usize::from(mate.shortest);
        }
        assert!(shortest * 10 >= count * 9, "{shortest} of {count}");
    }
}
