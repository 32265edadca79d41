//! A mate by continuous checks, looked for before the search of the root begins.
//!
//! Proof-number search sees mates that are far too long for alpha-beta to find in the
//! same time, and mostly disproves a position within a few hundred nodes. What it may
//! cost is bounded by nodes (`RootMateSearchNodesLimit`) and by a share of the time
//! for the move, so that a hard mate problem never eats up the search. The solver
//! knows nothing of the game before the root nor of its move limit: a line is played
//! out, and refused if either would spoil it.

use super::root::Line;
use super::worker::Search;
use crate::core::score::{MAX_PLY, mate_in};
use crate::game::{Evaluator, Game, Repetition, RootMate};

/// The part of the target time, and of a limit in nodes, that may go into the solver.
const SHARE: u64 = 32;
/// Nodes between two looks for a `ponderhit`.
const SLICE: u64 = 8192;
/// Nodes that a megabyte of the solver's table is good for.
const NODES_PER_MB: u64 = 16_384;
/// The smallest and the largest table, in MiB. It is handed out on the clock, in the first
/// search that asks for it.
const TABLE_MB: (u64, u64) = (4, 32);

/// The solver of a search thread, kept from move to move: most of what it proved is
/// asked for again.
pub(super) struct MateMemory<G> {
    solver: Box<dyn RootMate<G>>,
    megabytes: u64,
}

impl<G: Game> MateMemory<G> {
    /// Forgets what was proved, for a new game.
    pub fn clear(&mut self) {
        self.solver.forget();
    }
}

impl<G: Game, E: Evaluator<G>> Search<'_, G, E> {
    /// A line that mates the root by checks, if one is found. Not asked when the
    /// answer must come from the search itself: more lines than one, chosen moves, a
    /// depth, a limited strength, and analysis, where a shorter mate or the value of
    /// another move matters as well.
    pub fn root_mate(&mut self) -> Option<Line<G::Move>> {
        let job = self.job;
        let limits = &job.limits;
        let own_search = job.skill.is_some()
            || job.options.multi_pv > 1
            || !limits.searchmoves.is_empty()
            || limits.depth.is_some()
            || job.options.depth_limit > 0
            || job.is_unbounded()
            || job.options.consideration_mode;
        let most = job
            .options
            .root_mate_nodes
            .min(job.node_share(self.id) / SHARE);
        if own_search || most == 0 {
            return None;
        }
        let megabytes = (most / NODES_PER_MB).clamp(TABLE_MB.0, TABLE_MB.1);
        let kept = self.memory.mate.take();
        let mut memory = match kept.filter(|memory| memory.megabytes == megabytes) {
            Some(memory) => memory,
            None => MateMemory {
                solver: G::mate_solver(megabytes as usize)?,
                megabytes,
            },
        };
        let line = self.solve_in_slices(&mut *memory.solver, most);
        self.memory.mate = Some(memory);
        job.publish_nodes(self.id, self.nodes);
        let pv = line.filter(|line| is_playable(&job.root, line))?;
        Some(Line {
            score: mate_in(pv.len()),
            depth: pv.len() as u32,
            seldepth: pv.len() as u32,
            pv,
        })
    }

    /// Asks the solver again and again, for what it has in its table makes it go on
    /// where it was, until it knows or has had its share.
    fn solve_in_slices(&mut self, solver: &mut dyn RootMate<G>, most: u64) -> Option<Vec<G::Move>> {
        let job = self.job;
        let mut left = most;
        while left > 0 && !job.control.is_stopped() {
            let deadline = self.timer.as_ref().and_then(|timer| timer.part(SHARE));
            let slice = left.min(SLICE);
            let stop = job.control.stop_flag();
            let answer = solver.mating_line(&job.root, slice, deadline, stop);
            self.nodes += answer.nodes;
            self.mate_nodes += answer.nodes;
            left = left.saturating_sub(answer.nodes.max(1));
            if answer.decided || answer.nodes < slice {
                return answer.line;
            }
            self.watch_clock();
        }
        None
    }
}

/// Whether a mating line is one in this game too: nothing recurs in it, and the move
/// limit does not end the game before the mate.
fn is_playable<G: Game>(root: &G, line: &[G::Move]) -> bool {
    let mut position = root.clone();
    line.len() < MAX_PLY
        && line.iter().enumerate().all(|(index, &m)| {
            let legal = position.is_legal(m);
            if legal {
                position.make(m);
            }
            let last = index + 1 == line.len();
            legal
                && position.repetition() == Repetition::None
                && (last || !position.at_move_limit())
        })
}
