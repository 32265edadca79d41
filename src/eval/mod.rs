//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `wa` | wa shogi by hand-written terms |
//! | `yonin` | four-player shogi by hand-written terms |
//! | `weights` | the numbers of `hand` |

pub mod hand;
pub mod wa;
mod weights;
pub mod yonin;
