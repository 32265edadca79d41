//! Analysis of game records: every position of a game searched, every move judged.
//!
//! | file | what it holds |
//! |---|---|
//! | `search` | [`Analyzer`]: searches the positions of a game |
//! | `judge` | [`Analysis`]: losses, marks, accuracy, turning points |
//! | `words` | turning points and marks in English and Japanese |
//! | `annotate` | evaluations as comments of the record |
//! | `report` | the table for terminals, and the data for programs |
//! | `page` | one self-contained HTML page |
//!
//! The search runs in this process, from the last position to the first: what it
//! found about a position is still in the transposition table when the position
//! before comes, so that both agree and a blunder is seen where it was made.

mod annotate;
mod judge;
mod page;
mod report;
mod search;
mod words;

pub use annotate::annotate;
pub use judge::{Analysis, Mark, MoveReport, PlayerReport, win_probability};
pub use page::page;
pub use report::{Report, table};
pub use search::{Analyzer, Effort, Line, PositionReport, Settings};
pub use words::{mark_name, turning_point};

/// The name under which evaluations are signed.
pub const ENGINE: &str = concat!("Tsuru ", env!("CARGO_PKG_VERSION"));
