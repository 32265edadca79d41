//! Learned evaluation: efficiently updatable neural networks (NNUE), in the file
//! formats that shogi programs share.
//!
//! | file | what it holds |
//! |---|---|
//! | `features` | BonaPiece numbers, and the inputs made of them |
//! | `network` | a network as its file has it |
//! | `format` | the file: reading and writing |
//! | `load` | from a path to a network that is ready |
//! | `embedded` | the network in the program |
//! | `model` | a network in the order that is fast to compute |
//! | `accumulator` | the first layer, updated along the search path |
//! | `simd` | the other layers, for each kind of processor |
//! | `evaluator` | all of it as the search uses it |
//!
//! ```
//! use tsuru::eval::nnue::{Architecture, Network, Nnue};
//! use tsuru::game::Evaluator;
//! use tsuru::shogi::{Position, Rules};
//!
//! let mut network = Network::new(Architecture::KP_256);
//! network.layers[2].biases[0] = 1600;
//! let mut file = Vec::new();
//! network.write(&mut file)?;
//!
//! let network = Network::read(&file)?;
//! let mut evaluator = Nnue::new(&network).expect("a known architecture").evaluator(16);
//! assert_eq!(evaluator.evaluate(&Position::start(&Rules::default())), 100);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod accumulator;
mod embedded;
mod evaluator;
pub mod features;
pub mod format;
pub mod load;
mod model;
pub mod network;
pub mod simd;

pub use embedded::{embedded, embedded_bytes};
pub use evaluator::{DEFAULT_FV_SCALE, Nnue, NnueEvaluator};
pub use features::FeatureSet;
pub use format::FormatError;
pub use network::{Affine, Architecture, Network};

#[cfg(test)]
mod tests;
