//! Learned evaluation: efficiently updatable neural networks.

mod accumulator;
mod embedded;
mod evaluator;
pub mod features;
pub mod format;
pub mod load;
mod model;
pub mod network;
pub mod simd;

pub use embedded::embedded;
pub use evaluator::{DEFAULT_FV_SCALE, Nnue, NnueEvaluator};
pub use features::FeatureSet;
pub use format::FormatError;
pub use network::{Affine, Architecture, Network};

#[cfg(test)]
mod tests;
