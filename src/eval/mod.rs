//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `yonin` | four-player shogi by hand-written terms |
//! | `weights` | the numbers of `hand` |

pub mod hand;
mod weights;
pub mod yonin;
