//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `weights` | the numbers of `hand` |

pub mod hand;
mod weights;
