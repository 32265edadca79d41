//! The numbers in the search, one name each: scores in centipawns, depths in
//! plies, times in milliseconds.
//!
//! They are grouped by the heuristic that uses them (see `search::pruning` for
//! the formulas). Changing any of them changes what the engine plays, so each
//! change wants a match against the version before. Those within `tunable!` are
//! constants in the form of functions, each with the range in which it makes sense;
//! a build with the feature `tune` makes them USI options (see
//! [`tunable`](super::tunable)), for `tsuru tune` and for matches that show what
//! a heuristic is worth.

use super::tunable::tunable;
use crate::core::Score;

// Root.

/// Depth from which aspiration windows are used.
pub const ASPIRATION_DEPTH: u32 = 4;
/// First half-width of the aspiration window.
pub const ASPIRATION_WIDTH: Score = 25;
/// Half-width beyond which the window is opened fully.
pub const ASPIRATION_MAX_WIDTH: Score = 800;
/// Fail-low and fail-high lines are reported after this time.
pub const BOUND_REPORT_AFTER: u64 = 3000;
/// A single legal reply is searched to this depth under a clock.
pub const SINGLE_REPLY_DEPTH: u32 = 6;
/// A search is not broken off before depth 1 is done, unless it takes more
/// nodes than this.
pub const FIRST_ITERATION_NODES: u64 = 2048;

/// Nodes that the mate solver may search before the root is searched.
pub const ROOT_MATE_NODES: u64 = 20_000;

// Repetition.

/// Score of a position that occurred before with less in hand (優等局面).
pub const SUPERIOR: Score = 28_000;

tunable! {
    // Mate in one.

    /// Least depth of nodes that look for one.
    mate_in_one_depth = 3, 1 to 100;

    // Reverse futility.

    /// Deepest use.
    reverse_futility_depth = 8, 0 to 14;
    /// Margin for each ply of depth.
    reverse_futility_margin = 90, 30 to 200;
    /// How much of the evaluation above beta the cut-off keeps, in per cent.
    reverse_futility_keep = 40, 0 to 100;

    // Razoring.

    /// Deepest use.
    razor_depth = 3, 0 to 6;
    /// Margin at depth 0.
    razor_base = 250, 50 to 600;
    /// More margin by the square of the depth.
    razor_slope = 130, 30 to 400;

    // Null move.

    /// Least depth.
    null_move_depth = 3, 1 to 100;
    /// Least reduction.
    null_move_base = 3, 1 to 6;
    /// One more ply of reduction for this many plies of depth.
    null_move_divisor = 3, 1 to 8;
    /// One more ply of reduction for this much evaluation above beta.
    null_move_eval = 200, 50 to 600;
    /// At most this much reduction by evaluation.
    null_move_eval_max = 3, 0 to 6;
    /// From this depth on, a search without passes has to confirm the cut-off.
    null_move_verification = 12, 1 to 100;

    // Internal iterative reduction.

    /// Least depth.
    internal_reduction_depth = 4, 2 to 100;

    // Late moves.

    /// Quiet moves tried at depth 0 before the rest is skipped.
    late_move_base = 4, 1 to 12;
    /// Deepest use of late move pruning.
    late_move_depth = 8, 0 to 16;
    /// Reduction at depth 1, move 1, in 1/1024 ply.
    reduction_base = 450, 0 to 1500;
    /// Reduction for each product of the logarithms of depth and move number, in
    /// 1/1024 ply.
    reduction_slope = 460, 100 to 1000;
    /// Least depth of reductions.
    reduction_depth = 2, 1 to 100;
    /// Reduction less in principal variations, in 1/1024 ply.
    reduction_pv = 1024, 0 to 3000;
    /// Reduction more where the replies to earlier moves cut off often, in 1/1024
    /// ply.
    reduction_cutoffs = 1024, 0 to 2500;
    /// Reduction less where a principal variation once went, in 1/1024 ply.
    reduction_was_pv = 512, 0 to 3000;
    /// Reduction more when the evaluation does not improve, in 1/1024 ply.
    reduction_not_improving = 768, 0 to 2500;
    /// Reduction more in expected cut nodes, in 1/1024 ply.
    reduction_cut_node = 1280, 0 to 3500;
    /// Reduction less for checks, in 1/1024 ply.
    reduction_check = 1024, 0 to 3000;
    /// Reduction more when the table's move is noisy, in 1/1024 ply.
    reduction_table_noisy = 768, 0 to 2500;
    /// History value that is worth one ply of reduction.
    reduction_history = 9000, 2000 to 40000;
    /// History value of a capture that is worth one ply of reduction.
    reduction_capture_history = 6000, 2000 to 40000;

    // Futility.

    /// Deepest use (reduced depth).
    futility_depth = 7, -1 to 14;
    /// Margin at reduced depth 0.
    futility_base = 120, 20 to 400;
    /// More margin for each ply.
    futility_slope = 110, 30 to 300;

    // Static exchange.

    /// A quiet move may lose this much for each squared ply of reduced depth.
    see_quiet = 25, 5 to 100;
    /// A capture may lose this much for each ply of depth.
    see_noisy = 90, 20 to 250;
    /// Deepest use.
    see_depth = 9, 0 to 14;

    // Extensions.

    /// Least depth of singular searches.
    singular_depth = 6, 4 to 100;
    /// How much shallower than the node the table's entry may be.
    singular_table_depth = 3, 1 to 6;
    /// How far below the table's score the others must stay, for each ply.
    singular_margin = 3, 1 to 12;
    /// Staying below by so much more extends by two plies.
    singular_double = 25, 5 to 2000;
    /// Reduction of a move that beats beta but is not singular.
    singular_negative = 2, 0 to 4;

    /// Deepest use of the extension of safe checks.
    check_extension_depth = 6, 0 to 20;

    // Quiescence.

    /// A capture must come this near to alpha.
    delta_margin = 200, 50 to 600;

    // Histories.

    /// Bonus for each ply of depth.
    bonus_slope = 150, 40 to 400;
    /// Bonus of the table's quiet move where its entry cuts off, in per cent of the
    /// bonus of a cut-off.
    bonus_table = 50, 0 to 200;
    /// Bonus less at all depths.
    bonus_offset = 70, 0 to 300;
    /// Bonus of the opponent's quiet move before, where no move was good enough, in
    /// per cent of the bonus of a cut-off.
    bonus_prior = 60, 0 to 200;
    /// Greatest bonus.
    bonus_max = 1600, 400 to 4000;

    /// Most that one correction history adds to an evaluation, in centipawns.
    correction_weight = 100, 0 to 400;
    /// How fast correction histories learn, for each ply of depth and centipawn of
    /// error.
    correction_bonus = 3, 1 to 16;

    // ProbCut.

    /// Least depth.
    probcut_depth = 5, 3 to 100;
    /// How far above beta a capture must score.
    probcut_margin = 200, 50 to 500;
    /// How much shallower that is searched.
    probcut_reduction = 4, 2 to 7;

    // Move ordering.

    /// Weight of a capture's gain against its history.
    order_gain = 16, 4 to 64;
    /// Captures among evasions come first by this.
    order_evasion_noisy = 1 << 17, 0 to 1 << 18;
}

// Time.

/// Plies after which a game is expected to be over.
pub const GAME_PLIES: u32 = 160;
/// Fewest and most moves that the main time is divided among.
pub const MOVES_TO_GO: (u64, u64) = (20, 50);
/// Under sudden death, every move up to this ply of a long game has a reserve
/// put by for it ...
pub const LONG_GAME_PLIES: u32 = 320;
/// ... of this many milliseconds, or of the second that it costs at least where
/// whole seconds are counted.
pub const MOVE_RESERVE: u64 = 20;
/// What a move costs beyond the time that the search takes, at least, ms.
pub const MACHINE_DELAY: u64 = 5;
/// The last milliseconds of sudden death, of which no move takes more than its
/// target.
pub const LAST_RESERVE: u64 = 500;
/// The hard limit is at most this many times the target.
pub const HARD_LIMIT_FACTOR: u64 = 5;
/// Answer this long after a `ponderhit` when no clock is known.
pub const PONDERHIT_TIME: u64 = 1000;
/// The target's factor when the best move just changed ...
pub const STABILITY_MAX: f64 = 1.25;
/// ... and how much less for each iteration that it stayed ...
pub const STABILITY_STEP: f64 = 0.1;
/// ... down to this.
pub const STABILITY_MIN: f64 = 0.55;
/// A fall of the score by this much adds the whole target once more.
pub const SCORE_DROP: f64 = 150.0;
/// Most that a falling score adds.
pub const SCORE_DROP_MAX: f64 = 0.8;
