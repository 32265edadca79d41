//! The search: ONE alpha-beta for every game, generic over
//! [`Game`](crate::game::Game) and [`Evaluator`](crate::game::Evaluator) and
//! compiled once for each pair.
//!
//! The life of one `go`: [`ThreadPool::start`] hands a job to the parked search
//! threads and returns. Every thread deepens iteratively on its own (`root`),
//! walking the tree with `worker` and `quiescence`; they share nothing but
//! the transposition table ([`tt`]) and a stop flag (Lazy SMP). The main thread
//! also watches the clock ([`time`]), reports ([`info`]), and answers when the
//! search may end.
//!
//! | file | what lives there |
//! |---|---|
//! | [`limits`], [`info`] | what a search is told, and what it tells |
//! | [`pool`] | the threads, their control, and the answer |
//! | `root` | iterative deepening, aspiration windows, lines, reports, vote |
//! | `root_mate` | the mate solver, asked before the search |
//! | `worker` | the recursive search of one node |
//! | `quiescence` | the search of captures, checks and evasions at the leaves |
//! | `shallow` | decisions by a shallower search: null move, ProbCut, singular extensions |
//! | `pruning` | each selective heuristic as one small function |
//! | `picker` | moves in stages, most promising first |
//! | [`history`] | what earlier cut-offs teach about moves |
//! | `stack` | what one ply of the path knows, and the lines under it |
//! | [`tt`] | the transposition table |
//! | [`time`] | how much of the clock a move may use |
//! | [`skill`] | strength limits for human opponents |
//! | [`params`], [`tunable`] | the numbers in all of that, and how they are tuned |

pub mod history;
pub mod info;
pub mod limits;
pub mod params;
mod picker;
pub mod pool;
mod pruning;
mod quiescence;
mod root;
mod root_mate;
mod shallow;
pub mod skill;
mod stack;
pub mod time;
pub mod tt;
pub mod tunable;
mod worker;

pub use info::{BestMove, Bound, Info, Outcome, Reporter};
pub use limits::{Clock, Limits, SearchOptions};
pub use pool::ThreadPool;
