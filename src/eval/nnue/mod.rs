//! Learned evaluation: efficiently updatable neural networks.

pub mod features;
pub mod format;
pub mod network;

pub use features::FeatureSet;
pub use format::FormatError;
pub use network::{Affine, Architecture, Network};
