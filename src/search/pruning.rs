//! The selective heuristics: where the search looks less (or more) deep. Each
//! is one small function of what the node knows; the numbers are in
//! [`super::params`].
//!
//! Ideas and names follow the Chess Programming Wiki: "Reverse Futility
//! Pruning", "Razoring", "Null Move Pruning", "Late Move Reductions", "Futility
//! Pruning", "Static Exchange Evaluation", "Internal Iterative Reductions",
//! "Check Extensions".

use once_cell::sync::Lazy;

use super::info::Bound;
use super::params::*;
use super::tt::Entry;
use crate::core::Score;
use crate::core::score::is_mate;

/// The evaluation from which a node is cut off without a search: the opponent
/// can hardly take back so much in so few plies.
#[inline]
pub(super) fn reverse_futility(depth: i32, eval: Score, beta: Score, improving: bool) -> bool {
    depth <= reverse_futility_depth()
        && eval - reverse_futility_margin() * (depth - i32::from(improving)) >= beta
        && !is_mate(beta)
        && !is_mate(eval)
}

/// Whether the evaluation is so low that only captures could help.
#[inline]
pub(super) fn razoring(depth: i32, eval: Score, alpha: Score) -> bool {
    depth <= razor_depth()
        && eval + razor_base() + razor_slope() * depth * depth < alpha
        && !is_mate(alpha)
}

/// Reduction of the search after a pass: the better the position, the surer
/// that even passing keeps it above beta.
#[inline]
pub(super) fn null_move_reduction(depth: i32, eval: Score, beta: Score) -> i32 {
    null_move_base()
        + depth / null_move_divisor()
        + ((eval - beta) / null_move_eval()).min(null_move_eval_max())
}

/// How many moves are tried before quiet ones are skipped.
#[inline]
pub(super) fn late_move_limit(depth: i32, improving: bool) -> usize {
    if depth > late_move_depth() {
        return usize::MAX;
    }
    let limit = (late_move_base() + depth * depth) as usize;
    if improving { limit } else { limit / 2 + 1 }
}

/// Whether a quiet move can hardly lift the score above alpha.
#[inline]
pub(super) fn futility(depth: i32, eval: Score, alpha: Score) -> bool {
    depth <= futility_depth() && eval + futility_base() + futility_slope() * depth <= alpha
}

/// What a quiet move may lose by exchanges.
#[inline]
pub(super) fn quiet_exchange_margin(reduced_depth: i32) -> Score {
    -see_quiet() * reduced_depth * reduced_depth
}

/// What a capture may lose by exchanges.
#[inline]
pub(super) fn noisy_exchange_margin(depth: i32) -> Score {
    -see_noisy() * depth
}

/// Whether the table's move is worth a search of the others, to see if it is the
/// only good one.
#[inline]
pub(super) fn may_be_singular(depth: i32, entry: &Entry, score: Score) -> bool {
    depth >= singular_depth()
        && entry.depth >= depth - singular_table_depth()
        && entry.bound != Bound::Upper
        && !is_mate(score)
}

/// What the other moves must reach for the table's move not to be singular.
#[inline]
pub(super) fn singular_beta(depth: i32, score: Score) -> Score {
    score - singular_margin() * depth
}

/// Reward of a move that cut off at this depth.
#[inline]
pub(super) fn history_bonus(depth: i32) -> i32 {
    (bonus_slope() * depth - bonus_offset()).min(bonus_max())
}

/// Products of the logarithms of depth and move number, in 1/1024.
pub(super) struct Reductions([[i32; 64]; 64]);

static REDUCTIONS: Lazy<Reductions> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, cell) in row.iter_mut().enumerate().skip(1) {
            *cell = (1024.0 * (depth as f64).ln() * (count as f64).ln()) as i32;
        }
    }
    Reductions(table)
});

impl Reductions {
    /// The table, which all threads share.
    pub fn shared() -> &'static Reductions {
        &REDUCTIONS
    }

    /// The late move reduction of the move of this number, in 1/1024 ply, before
    /// adjustments.
    #[inline]
    pub fn get(&self, depth: i32, count: usize) -> i32 {
        let product = self.0[(depth.max(0) as usize).min(63)][count.min(63)];
        reduction_base() + reduction_slope() * product / 1024
    }
}
