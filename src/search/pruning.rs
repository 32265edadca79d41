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
    depth <= REVERSE_FUTILITY_DEPTH
        && eval - REVERSE_FUTILITY_MARGIN * (depth - i32::from(improving)) >= beta
        && !is_mate(beta)
        && !is_mate(eval)
}

/// Whether the evaluation is so low that only captures could help.
#[inline]
pub(super) fn razoring(depth: i32, eval: Score, alpha: Score) -> bool {
    depth <= RAZOR_DEPTH
        && eval + RAZOR_BASE + RAZOR_SLOPE * depth * depth < alpha
        && !is_mate(alpha)
}

/// Reduction of the search after a pass: the better the position, the surer
/// that even passing keeps it above beta.
#[inline]
pub(super) fn null_move_reduction(depth: i32, eval: Score, beta: Score) -> i32 {
    NULL_MOVE_BASE
        + depth / NULL_MOVE_DIVISOR
        + ((eval - beta) / NULL_MOVE_EVAL).min(NULL_MOVE_EVAL_MAX)
}

/// How many moves are tried before quiet ones are skipped.
#[inline]
pub(super) fn late_move_limit(depth: i32, improving: bool) -> usize {
    if depth > LATE_MOVE_DEPTH {
        return usize::MAX;
    }
    let limit = LATE_MOVE_BASE + (depth * depth) as usize;
    if improving { limit } else { limit / 2 + 1 }
}

/// Whether a quiet move can hardly lift the score above alpha.
#[inline]
pub(super) fn futility(depth: i32, eval: Score, alpha: Score) -> bool {
    depth <= FUTILITY_DEPTH && eval + FUTILITY_BASE + FUTILITY_SLOPE * depth <= alpha
}

/// What a quiet move may lose by exchanges.
#[inline]
pub(super) fn quiet_exchange_margin(reduced_depth: i32) -> Score {
    -SEE_QUIET * reduced_depth * reduced_depth
}

/// What a capture may lose by exchanges.
#[inline]
pub(super) fn noisy_exchange_margin(depth: i32) -> Score {
    -SEE_NOISY * depth
}

/// Whether the table's move is worth a search of the others, to see if it is the
/// only good one.
#[inline]
pub(super) fn may_be_singular(depth: i32, entry: &Entry, score: Score) -> bool {
    depth >= SINGULAR_DEPTH
        && entry.depth >= depth - SINGULAR_TABLE_DEPTH
        && entry.bound != Bound::Upper
        && !is_mate(score)
}

/// What the other moves must reach for the table's move not to be singular.
#[inline]
pub(super) fn singular_beta(depth: i32, score: Score) -> Score {
    score - SINGULAR_MARGIN * depth
}

/// Reward of a move that cut off at this depth.
#[inline]
pub(super) fn history_bonus(depth: i32) -> i32 {
    (BONUS_SLOPE * depth - BONUS_OFFSET).min(BONUS_MAX)
}

/// Late move reductions by depth and move number, in 1/1024 ply, before
/// adjustments.
pub(super) struct Reductions([[i32; 64]; 64]);

static REDUCTIONS: Lazy<Reductions> = Lazy::new(|| {
    let mut table = [[0; 64]; 64];
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (count, cell) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (count as f64).ln();
            *cell = (REDUCTION_BASE + REDUCTION_SLOPE * product) as i32;
        }
    }
    Reductions(table)
});

impl Reductions {
    /// The table, which all threads share.
    pub fn shared() -> &'static Reductions {
        &REDUCTIONS
    }

    /// The reduction of the move of this number.
    #[inline]
    pub fn get(&self, depth: i32, count: usize) -> i32 {
        self.0[(depth.max(0) as usize).min(63)][count.min(63)]
    }
}
