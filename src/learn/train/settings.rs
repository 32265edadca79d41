//! How a network is trained, and why a training may end early.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::metrics::Target;
use crate::learn::FileError;

/// How a network is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// [`Architecture::name`](crate::eval::nnue::Architecture::name) of the network.
    pub architecture: String,
    /// What it learns to say.
    pub target: Target,
    /// Passes over the data.
    pub epochs: u32,
    /// Positions of a step, about.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The last rate as a share of it.
    pub rate_end: f32,
    /// The share of the training in which the rate rises.
    pub warm_up: f32,
    /// Weight decay.
    pub decay: f32,
    /// Whether half of the positions are shown in a mirror.
    pub mirror: bool,
    /// Samples that are in memory at a time.
    pub group: u64,
    /// What all that is random follows from.
    pub seed: u64,
    /// What its weights begin with, in words: [`Settings::RANDOM`] or the path of a
    /// network. Empty in checkpoints of older versions, which did not note it.
    #[serde(default)]
    pub start: String,
    /// The share at the end of each data file that is held out, in per cent. `None`
    /// with files to validate, and in checkpoints of older versions.
    #[serde(default)]
    pub hold_out: Option<f32>,
}

impl Settings {
    /// [`Settings::start`] of random weights.
    pub const RANDOM: &'static str = "random";

    /// The name of a setting that differs from those of a checkpoint, if any does. How
    /// much is in memory matters, too: the order of the samples follows from it.
    pub(super) fn difference(&self, checkpoint: &Settings) -> Option<String> {
        let json = |settings: &Settings| serde_json::to_value(settings).unwrap_or_default();
        let (old, new) = (json(checkpoint), json(self));
        let was_noted = |value: &serde_json::Value| !value.is_null() && value != "";
        let (name, _) = old
            .as_object()?
            .iter()
            .find(|&(name, value)| was_noted(value) && *value != new[name])?;
        Some(name.clone())
    }
}

/// Why a training ended early.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A data file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is nothing to learn from.
    #[error("the data files have no whole record to learn from")]
    NoData,
    /// The numbers have grown beyond all bounds.
    #[error("the loss is no number any more; try a lower learning rate")]
    Diverged,
    /// The network is not of the wanted kind.
    #[error("the network to begin with is {found}, not {wanted}")]
    Architecture {
        /// Name of its architecture.
        found: String,
        /// Name of the wanted one.
        wanted: String,
    },
    /// The checkpoint belongs to a training with other settings.
    #[error("the checkpoint was made with another {0}; remove it to begin anew")]
    OtherSettings(String),
    /// A data file has lost records since the training began.
    #[error("{} is shorter than when the training began", .0.display())]
    Shorter(PathBuf),
}
