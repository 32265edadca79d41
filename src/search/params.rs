//! The numbers in the search, one named constant each: scores in centipawns,
//! depths in plies, times in milliseconds.
//!
//! They are grouped by the heuristic that uses them (see `search::pruning` for
//! the formulas). Changing any of them changes what the engine plays, so each
//! change wants a match against the version before.

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

// Repetition.

/// Score of a position that occurred before with less in hand (優等局面).
pub const SUPERIOR: Score = 28_000;

// Reverse futility.

/// Deepest use.
pub const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// Margin for each ply of depth.
pub const REVERSE_FUTILITY_MARGIN: Score = 90;

// Razoring.

/// Deepest use.
pub const RAZOR_DEPTH: i32 = 3;
/// Margin at depth 0.
pub const RAZOR_BASE: Score = 250;
/// More margin by the square of the depth.
pub const RAZOR_SLOPE: Score = 130;

// Null move.

/// Least depth.
pub const NULL_MOVE_DEPTH: i32 = 3;
/// Least reduction.
pub const NULL_MOVE_BASE: i32 = 3;
/// One more ply of reduction for this many plies of depth.
pub const NULL_MOVE_DIVISOR: i32 = 3;
/// One more ply of reduction for this much evaluation above beta.
pub const NULL_MOVE_EVAL: Score = 200;
/// At most this much reduction by evaluation.
pub const NULL_MOVE_EVAL_MAX: i32 = 3;

// Internal iterative reduction.

/// Least depth.
pub const INTERNAL_REDUCTION_DEPTH: i32 = 4;

// Late moves.

/// Quiet moves tried at depth 0 before the rest is skipped.
pub const LATE_MOVE_BASE: usize = 4;
/// Deepest use of late move pruning.
pub const LATE_MOVE_DEPTH: i32 = 8;
/// Reduction at depth 1, move 1, in 1/1024 ply.
pub const REDUCTION_BASE: f64 = 450.0;
/// Reduction for each product of the logarithms of depth and move number, in
/// 1/1024 ply.
pub const REDUCTION_SLOPE: f64 = 460.0;
/// Least depth of reductions.
pub const REDUCTION_DEPTH: i32 = 2;
/// Reduction less in principal variations, in 1/1024 ply.
pub const REDUCTION_PV: i32 = 1024;
/// Reduction less where a principal variation once went, in 1/1024 ply.
pub const REDUCTION_WAS_PV: i32 = 512;
/// Reduction more when the evaluation does not improve, in 1/1024 ply.
pub const REDUCTION_NOT_IMPROVING: i32 = 768;
/// Reduction more in expected cut nodes, in 1/1024 ply.
pub const REDUCTION_CUT_NODE: i32 = 1280;
/// Reduction less for checks, in 1/1024 ply.
pub const REDUCTION_CHECK: i32 = 1024;
/// Reduction more when the table's move is noisy, in 1/1024 ply.
pub const REDUCTION_TABLE_NOISY: i32 = 768;
/// History value that is worth one ply of reduction.
pub const REDUCTION_HISTORY: i32 = 9000;
/// History value of a capture that is worth one ply of reduction.
pub const REDUCTION_CAPTURE_HISTORY: i32 = 6000;

// Futility.

/// Deepest use (reduced depth).
pub const FUTILITY_DEPTH: i32 = 7;
/// Margin at reduced depth 0.
pub const FUTILITY_BASE: Score = 120;
/// More margin for each ply.
pub const FUTILITY_SLOPE: Score = 110;

// Static exchange.

/// A quiet move may lose this much for each squared ply of reduced depth.
pub const SEE_QUIET: Score = 25;
/// A capture may lose this much for each ply of depth.
pub const SEE_NOISY: Score = 90;
/// Deepest use.
pub const SEE_DEPTH: i32 = 9;

// Extensions.

/// Least depth of singular searches.
pub const SINGULAR_DEPTH: i32 = 6;
/// How much shallower than the node the table's entry may be.
pub const SINGULAR_TABLE_DEPTH: i32 = 3;
/// How far below the table's score the others must stay, for each ply.
pub const SINGULAR_MARGIN: Score = 3;
/// Staying below by so much more extends by two plies.
pub const SINGULAR_DOUBLE: Score = 25;
/// Reduction of a move that beats beta but is not singular.
pub const SINGULAR_NEGATIVE: i32 = 2;

/// Deepest use of the extension of safe checks.
pub const CHECK_EXTENSION_DEPTH: i32 = 6;

// Quiescence.

/// A capture must come this near to alpha.
pub const DELTA_MARGIN: Score = 200;

// Histories.

/// Bonus for each ply of depth.
pub const BONUS_SLOPE: i32 = 150;
/// Bonus less at all depths.
pub const BONUS_OFFSET: i32 = 70;
/// Greatest bonus.
pub const BONUS_MAX: i32 = 1600;

/// Most that one correction history adds to an evaluation, in centipawns.
pub const CORRECTION_WEIGHT: Score = 100;
/// How fast correction histories learn, for each ply of depth and centipawn of
/// error.
pub const CORRECTION_BONUS: i32 = 3;

// ProbCut.

/// Least depth.
pub const PROBCUT_DEPTH: i32 = 5;
/// How far above beta a capture must score.
pub const PROBCUT_MARGIN: Score = 200;
/// How much shallower that is searched.
pub const PROBCUT_REDUCTION: i32 = 4;

// Move ordering.

/// Weight of a capture's gain against its history.
pub const ORDER_GAIN: i32 = 16;
/// Captures among evasions come first by this.
pub const ORDER_EVASION_NOISY: i32 = 1 << 17;

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
