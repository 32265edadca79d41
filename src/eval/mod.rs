//! Static evaluations of positions.
//!
//! | file | what it holds |
//! |---|---|
//! | `hand` | shogi by hand-written terms: material, placement, king safety, mobility, threats |
//! | `weights` | the numbers of `hand` |
//! | `nnue` | shogi by networks: features, accumulators, layers, files |
//! | `shogi` | the choice between `hand` and `nnue` |
//! | `wa` | wa shogi by hand-written terms |
//! | `wa_drops`, `wa_no_drops` | the numbers of `wa`, for games with and without drops |
//! | `yonin` | four-player shogi by hand-written terms |

pub mod hand;
pub mod nnue;
pub mod shogi;
pub mod wa;
mod wa_drops;
mod wa_no_drops;
mod weights;
pub mod yonin;
