//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `shogi` | the choice between the two for shogi |
//! | `nnue` | networks: features, accumulators, layers, files |
//! | `yonin` | four-player shogi by hand-written terms |
//! | `weights` | the numbers of `hand` |

pub mod hand;
pub mod nnue;
pub mod shogi;
mod weights;
pub mod yonin;
