//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `shogi` | the choice between the two for shogi |
//! | `nnue` | networks: features, accumulators, layers, files |
//! | `wa` | wa shogi by hand-written terms |
//! | `yonin` | four-player shogi by hand-written terms |
//! | `weights` | the numbers of `hand` |

pub mod hand;
pub mod nnue;
pub mod shogi;
pub mod wa;
mod weights;
pub mod yonin;
