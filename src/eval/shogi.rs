//! The evaluation of shogi that was chosen: by hand-written terms or by a network.
//!
//! One type for both, so that the search is compiled once for them.

use super::hand::HandEvaluator;
use super::nnue::{DEFAULT_FV_SCALE, Nnue, NnueEvaluator, embedded};
use crate::core::Score;
use crate::game::Evaluator;
use crate::shogi::{Move, Position};

/// Evaluates shogi in one of the two ways.
#[derive(Clone, Debug)]
pub enum ShogiEvaluator {
    /// By hand-written terms.
    Hand(HandEvaluator),
    /// By a network.
    Nnue(NnueEvaluator),
}

impl ShogiEvaluator {
    /// By hand-written terms.
    pub const HAND: ShogiEvaluator = ShogiEvaluator::Hand(HandEvaluator);

    /// By the network that is part of the program.
    pub fn built_in(fv_scale: i32) -> ShogiEvaluator {
        ShogiEvaluator::of(embedded(), fv_scale)
    }

    /// By a network; see [`Nnue::evaluator`].
    pub fn of(nnue: &Nnue, fv_scale: i32) -> ShogiEvaluator {
        ShogiEvaluator::Nnue(nnue.evaluator(fv_scale))
    }
}

impl Default for ShogiEvaluator {
    fn default() -> Self {
        ShogiEvaluator::built_in(DEFAULT_FV_SCALE)
    }
}

impl Evaluator<Position> for ShogiEvaluator {
    #[inline]
    fn evaluate(&mut self, position: &Position) -> Score {
        match self {
            ShogiEvaluator::Hand(hand) => hand.evaluate(position),
            ShogiEvaluator::Nnue(nnue) => nnue.evaluate(position),
        }
    }

    fn reset(&mut self, position: &Position) {
        match self {
            ShogiEvaluator::Hand(hand) => hand.reset(position),
            ShogiEvaluator::Nnue(nnue) => nnue.reset(position),
        }
    }

    #[inline]
    fn before_make(&mut self, position: &Position, m: Move) {
        match self {
            ShogiEvaluator::Hand(hand) => hand.before_make(position, m),
            ShogiEvaluator::Nnue(nnue) => nnue.before_make(position, m),
        }
    }

    #[inline]
    fn after_unmake(&mut self) {
        match self {
            ShogiEvaluator::Hand(hand) => Evaluator::<Position>::after_unmake(hand),
            ShogiEvaluator::Nnue(nnue) => nnue.after_unmake(),
        }
    }
}
