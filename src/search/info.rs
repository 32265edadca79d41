//! What a search reports while it runs, and its answer.

use crate::core::Score;

/// Whether a score is exact or a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The score is exact.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// One `info` line of a running search.
#[derive(Clone, Debug)]
pub struct Info<M> {
    /// Depth of the iteration, in plies.
    pub depth: u32,
    /// The deepest ply reached in this line's search.
    pub seldepth: u32,
    /// 1-based number of the line when several are searched.
    pub multi_pv: usize,
    /// How many lines are searched; `multipv` is printed when more than one.
    pub multi_pv_count: usize,
    /// Score from the side to move's view.
    pub score: Score,
    /// Whether the score is exact.
    pub bound: Bound,
    /// Milliseconds since the search began.
    pub time: u64,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Filling of the transposition table, per mille.
    pub hashfull: u32,
    /// The line; every move legal.
    pub pv: Vec<M>,
}

/// The answer of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BestMove<M> {
    /// Play this; ponder on the reply, if one is known. Both legal.
    Move { best: M, ponder: Option<M> },
    /// No legal move, or the score is below the resign limit.
    Resign,
    /// Declare a win.
    Win,
}

/// What a search leaves when it is over.
#[derive(Clone, Debug)]
pub struct Outcome<M> {
    /// The answer.
    pub best: BestMove<M>,
    /// Score of the best line.
    pub score: Score,
    /// Depth of the last finished iteration.
    pub depth: u32,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Milliseconds from the start to the answer.
    pub time: u64,
    /// The best line.
    pub pv: Vec<M>,
}

/// Where a search sends its reports. Called from search threads; calls never
/// overlap, and the outcome comes last, exactly once a search.
pub trait Reporter<M>: Send + Sync {
    /// One line of progress.
    fn info(&self, info: &Info<M>);
    /// A note for the user.
    fn note(&self, text: &str);
    /// The search is over.
    fn finished(&self, outcome: &Outcome<M>);
}
