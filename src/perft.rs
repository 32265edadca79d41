//! Perft: counting the leaves of the tree of legal moves to a fixed depth.
//!
//! The classic check and speed test of a move generator (Chess Programming
//! Wiki, "Perft"). Every legal move counts, useless non-promotions included;
//! repetition and declarations end no line. The last ply is not played but
//! counted in bulk by [`Game::count_moves`].
//!
//! [`perft`] is the plain single-threaded count, [`divide`] shares the tree among
//! the threads of the current rayon pool: root moves alone would leave threads
//! idle at the end, so the unit of work is a pair of moves.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use crate::core::MoveList;
use crate::game::{Game, Stage};

/// The number of leaves `depth` plies below `position`, on this thread.
///
/// Depth 0 counts the position itself. The position is left as it was.
///
/// ```
/// use tsuru::game::Game;
/// use tsuru::shogi::{Position, Rules};
///
/// let mut position = Position::start(&Rules::default());
/// assert_eq!(tsuru::perft::perft(&mut position, 3), 25_470);
/// ```
pub fn perft<G: Game>(position: &mut G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves() as u64,
        _ => {
            let mut nodes = 0;
            for m in legal_moves(position) {
                position.make(m);
                nodes += perft(position, depth - 1);
                position.unmake();
            }
            nodes
        }
    }
}

/// What a running [`divide`] shows to the outside, and how it is stopped.
#[derive(Debug, Default)]
pub struct Progress {
    /// Set it to end the count early; what was counted so far is kept.
    pub stop: AtomicBool,
    /// Leaves counted so far.
    pub leaves: AtomicU64,
    /// Finished units of work.
    pub done: AtomicU64,
    /// All units of work; 0 until they are known.
    pub total: AtomicU64,
}

/// The leaves below one root move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Branch<M> {
    /// The root move.
    pub mv: M,
    /// Leaves below it.
    pub nodes: u64,
}

/// The answer of [`divide`].
#[derive(Clone, Debug)]
pub struct Division<M> {
    /// One entry a root move, in the order of generation.
    pub branches: Vec<Branch<M>>,
    /// False when the count was stopped before its end.
    pub complete: bool,
}

impl<M> Division<M> {
    /// The leaves below all root moves together.
    pub fn nodes(&self) -> u64 {
        self.branches.iter().map(|branch| branch.nodes).sum()
    }
}

/// Counts the leaves below each root move, in parallel on the current rayon
/// pool. At depth 0 there are no root moves, so the division is empty.
pub fn divide<G: Game>(position: &G, depth: u32, progress: &Progress) -> Division<G::Move> {
    let roots = if depth == 0 {
        MoveList::new()
    } else {
        legal_moves(position)
    };
    let mut branches: Vec<_> = roots.iter().map(|&mv| Branch { mv, nodes: 0 }).collect();

    if depth < 3 {
        // Too little work to share.
        let mut position = position.clone();
        for branch in &mut branches {
            position.make(branch.mv);
            branch.nodes = perft(&mut position, depth - 1);
            position.unmake();
        }
        let nodes = branches.iter().map(|branch| branch.nodes).sum();
        progress.leaves.store(nodes, Ordering::Relaxed);
        return Division {
            branches,
            complete: true,
        };
    }

    let mut units = Vec::new();
    let mut child = position.clone();
    for (root, branch) in branches.iter().enumerate() {
        child.make(branch.mv);
        units.extend(legal_moves(&child).into_iter().map(|reply| (root, reply)));
        child.unmake();
    }
    progress.total.store(units.len() as u64, Ordering::Relaxed);

    let counts: Vec<u64> = units
        .par_iter()
        .map_init(
            || position.clone(),
            |position, &(root, reply)| {
                position.make(branches[root].mv);
                position.make(reply);
                let nodes = stoppable_perft(position, depth - 2, progress);
                position.unmake();
                position.unmake();
                progress.done.fetch_add(1, Ordering::Relaxed);
                nodes
            },
        )
        .collect();
    for (&(root, _), nodes) in units.iter().zip(counts) {
        branches[root].nodes += nodes;
    }
    Division {
        branches,
        complete: !progress.stop.load(Ordering::Relaxed),
    }
}

/// As [`perft`], but gives up (with what it has) when told to stop. The flag is
/// looked at once per subtree of two plies, too seldom to cost anything.
fn stoppable_perft<G: Game>(position: &mut G, depth: u32, progress: &Progress) -> u64 {
    if progress.stop.load(Ordering::Relaxed) {
        return 0;
    }
    if depth <= 2 {
        let nodes = perft(position, depth);
        progress.leaves.fetch_add(nodes, Ordering::Relaxed);
        return nodes;
    }
    let mut nodes = 0;
    for m in legal_moves(position) {
        position.make(m);
        nodes += stoppable_perft(position, depth - 1, progress);
        position.unmake();
    }
    nodes
}

fn legal_moves<G: Game>(position: &G) -> MoveList<G::Move> {
    let mut moves = MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    #[test]
    fn divide_agrees_with_perft() {
        let mut position = Position::start(&Rules::default());
        for (depth, expected) in [(1, 30), (2, 900), (3, 25_470), (4, 719_731)] {
            let progress = Progress::default();
            let division = divide(&position, depth, &progress);
            assert!(division.complete);
            assert_eq!(division.branches.len(), 30);
            assert_eq!(division.nodes(), expected);
            assert_eq!(progress.leaves.load(Ordering::Relaxed), expected);
            assert_eq!(perft(&mut position, depth), expected);
        }
    }

    #[test]
    fn a_stopped_division_says_so() {
        let position = Position::start(&Rules::default());
        let progress = Progress::default();
        progress.stop.store(true, Ordering::Relaxed);
        let division = divide(&position, 5, &progress);
        assert!(!division.complete);
        assert_eq!(division.nodes(), 0);
    }
}
