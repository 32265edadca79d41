//! What bounds one search: the words of `go`, and the options that shape it.

use std::time::Instant;

use super::params::ROOT_MATE_NODES;
use super::skill::FULL;

/// The clock as a `go` or `ponderhit` line tells it, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Main time left, [Black, White].
    pub time: [i64; 2],
    /// Fischer increment, [Black, White]; usable now is `time + increment + byoyomi`.
    pub increment: [i64; 2],
    /// Time for each move once main time is gone.
    pub byoyomi: i64,
}

/// Limits of one search; the first that is reached ends it. All absent means:
/// until stopped.
#[derive(Clone, Debug)]
pub struct Limits<M> {
    /// Play by the clock.
    pub clock: Option<Clock>,
    /// Exactly this long, in milliseconds.
    pub movetime: Option<u64>,
    /// Plies of iterative deepening.
    pub depth: Option<u32>,
    /// Nodes, all threads together.
    pub nodes: Option<u64>,
    /// Until `stop`, whatever is found; no answer before that.
    pub infinite: bool,
    /// Thinking on the opponent's time: no answer before `ponderhit` or `stop`.
    pub ponder: bool,
    /// Search only these moves at the root; empty means all.
    pub searchmoves: Vec<M>,
    /// When `go` came, from which all times count; absent means now.
    pub since: Option<Instant>,
}

impl<M> Limits<M> {
    /// Whether nothing but a stop ends the search.
    pub fn is_unbounded(&self) -> bool {
        self.infinite
            || (!self.ponder
                && self.clock.is_none()
                && self.movetime.is_none()
                && self.depth.is_none()
                && self.nodes.is_none())
    }
}

impl<M> Default for Limits<M> {
    fn default() -> Self {
        Limits {
            clock: None,
            movetime: None,
            depth: None,
            nodes: None,
            infinite: false,
            ponder: false,
            searchmoves: Vec::new(),
            since: None,
        }
    }
}

/// The options that shape a search; names and defaults are those of the USI
/// options.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Lines to report (`MultiPV`).
    pub multi_pv: usize,
    /// Value of a draw in centipawns for the side that is Black / White at the
    /// root (`DrawValueBlack`, `DrawValueWhite`).
    pub draw_value: [i32; 2],
    /// Resign at minus this many centipawns; 99999 is never (`ResignValue`).
    pub resign_value: i32,
    /// Assumed average delay, cut from the target time, ms (`NetworkDelay`).
    pub network_delay: u64,
    /// Assumed worst delay, cut from the hard limit, ms (`NetworkDelay2`).
    pub network_delay2: u64,
    /// Think at least this long, ms (`MinimumThinkingTime`).
    pub minimum_thinking_time: u64,
    /// Percentage applied to the target time (`SlowMover`).
    pub slow_mover: u64,
    /// Clocks count whole seconds (`RoundUpToFullSecond`).
    pub round_up_to_full_second: bool,
    /// Least gap between two reports, ms (`PvInterval`); 0 reports everything.
    pub pv_interval: u64,
    /// Report fail-low and fail-high scores (`OutputFailLHPV`).
    pub output_fail_lh_pv: bool,
    /// For analysis: report every iteration, however soon after the last one
    /// (`ConsiderationMode`).
    pub consideration_mode: bool,
    /// Search useless non-promotions as well (`GenerateAllLegalMoves`).
    pub generate_all_legal_moves: bool,
    /// Depth limit of every search, 0 for none (`DepthLimit`).
    pub depth_limit: u32,
    /// Node limit of every search, 0 for none (`NodesLimit`).
    pub nodes_limit: u64,
    /// Nodes that the mate solver may search at the root before the search, 0 for
    /// none (`RootMateSearchNodesLimit`).
    pub root_mate_nodes: u64,
    /// Strength, from 0 to [`FULL`], which is not limited (`SkillLevel`,
    /// `USI_Strength`; see [`super::skill`]).
    pub skill_level: f64,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            multi_pv: 1,
            draw_value: [-2, -2],
            resign_value: 99_999,
            network_delay: 120,
            network_delay2: 1120,
            minimum_thinking_time: 2000,
            slow_mover: 100,
            round_up_to_full_second: true,
            pv_interval: 300,
            output_fail_lh_pv: true,
            consideration_mode: false,
            generate_all_legal_moves: false,
            depth_limit: 0,
            nodes_limit: 0,
            root_mate_nodes: ROOT_MATE_NODES,
            skill_level: FULL,
        }
    }
}
