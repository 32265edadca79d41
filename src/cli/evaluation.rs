//! The choice of an evaluation on the command line.

use std::path::PathBuf;

use clap::Args;
use tsuru::eval::nnue::{DEFAULT_FV_SCALE, load};
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
}
