//! The choice of an evaluation on the command line.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use tsuru::core::files::fingerprint;
use tsuru::eval::hand;
use tsuru::eval::nnue::{DEFAULT_FV_SCALE, embedded_bytes, load};
use tsuru::eval::shogi::ShogiEvaluator;

/// Which evaluation to search with.
#[derive(Args)]
pub struct EvaluationArgs {
    /// Evaluate with this network file instead of the built-in evaluation.
    #[arg(long, value_name = "FILE", conflicts_with = "hand")]
    eval_file: Option<PathBuf>,

    /// What the network's output is divided by.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE,
          value_parser = clap::value_parser!(i32).range(1..=128))]
    fv_scale: i32,

    /// Evaluate with the hand-written terms.
    #[arg(long)]
    hand: bool,
}

impl EvaluationArgs {
    /// The evaluator that was asked for.
    pub fn evaluator(&self) -> Result<ShogiEvaluator, load::LoadError> {
        Ok(match &self.eval_file {
            Some(path) => ShogiEvaluator::of(&load::load(&load::find(path)?)?, self.fv_scale),
            None if self.hand => ShogiEvaluator::HAND,
            None => ShogiEvaluator::built_in(self.fv_scale),
        })
    }

    /// What was asked for in words that no other evaluation has.
    pub fn name(&self) -> anyhow::Result<String> {
        if self.hand {
            let weights = hand::weights()
                .iter()
                .flat_map(|weight| weight.to_le_bytes());
            return Ok(format!("hand {}", fingerprint(weights)));
        }
        let hash = match &self.eval_file {
            None => fingerprint(embedded_bytes().iter().copied()),
            Some(path) => {
                let path = load::find(path)?.path;
                let bytes =
                    fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
                fingerprint(bytes)
            }
        };
        Ok(format!("network {hash} / {}", self.fv_scale))
    }
}
