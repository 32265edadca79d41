//! The evaluation by a network, as the search uses it.
//!
//! The arithmetic is compiled once for every [`Architecture`], so that the compiler
//! knows all sizes. The search is not: it meets one type, [`NnueEvaluator`], and the
//! one call through a table that an evaluation costs (a nanosecond or two of some
//! hundred) saves six more copies of the search in the program.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::accumulator::{Accumulators, Step};
use super::features::FeatureSet;
use super::model::Model;
use super::network::{Architecture, Network};
use super::simd::{Backend, Native};
use crate::core::Score;
use crate::core::score::{EVAL_MAX, MAX_PLY};
use crate::game::Evaluator;
use crate::shogi::{Move, Position};

/// What the output is divided by unless `FV_SCALE` says otherwise.
pub const DEFAULT_FV_SCALE: i32 = 16;

/// A network that is ready to evaluate; copies share it.
#[derive(Clone)]
pub struct Nnue {
    model: Arc<dyn Weights>,
    architecture: Architecture,
}

impl fmt::Debug for Nnue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nnue({})", self.architecture.name())
    }
}

impl Nnue {
    /// Prepares a network; `None` when its architecture is not one of
    /// [`Architecture::ALL`].
    pub fn new(network: &Network) -> Option<Nnue> {
        fn model<const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize>(
            network: &Network,
        ) -> Option<Arc<dyn Weights>> {
            let model = || -> Arc<dyn Weights> {
                let model = Model::<HALF_KP, ROW, H1, H2>::new(network);
                Arc::new(WithBackend::<Native, _>::new(Arc::new(model)))
            };
            (network.architecture() == Model::<HALF_KP, ROW, H1, H2>::ARCHITECTURE).then(model)
        }
        let model = model::<false, 8, 32, 32>(network)
            .or_else(|| model::<true, 8, 32, 32>(network))
            .or_else(|| model::<true, 16, 8, 96>(network))
            .or_else(|| model::<true, 16, 16, 32>(network))
            .or_else(|| model::<true, 32, 8, 32>(network))
            .or_else(|| model::<true, 32, 8, 64>(network))?;
        Some(Nnue {
            model,
            architecture: network.architecture(),
        })
    }

    /// The same network on every backend that this processor has, the scalar one
    /// first, each with its name.
    #[cfg(test)]
    pub(super) fn on_all_backends(&self) -> Vec<(&'static str, Nnue)> {
        let on = |(name, model)| {
            let nnue = Nnue {
                model,
                architecture: self.architecture,
            };
            (name, nnue)
        };
        self.model.on_all_backends().into_iter().map(on).collect()
    }

    /// What computes it on this processor.
    pub const fn backend() -> &'static str {
        Native::NAME
    }

    /// Features and sizes.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// An evaluator for one thread. The network's output divided by `fv_scale`, at
    /// least 1, is the score in centipawns.
    pub fn evaluator(&self, fv_scale: i32) -> NnueEvaluator {
        let mut steps = Vec::with_capacity(PATH);
        steps.push(Step::default());
        NnueEvaluator {
            nnue: self.clone(),
            features: self.architecture.features,
            path: self.model.path(),
            steps,
            fv_scale: fv_scale.max(1),
        }
    }
}

/// Positions of a search path that there is room for from the beginning.
const PATH: usize = MAX_PLY + 8;

/// A network of whatever architecture and backend.
trait Weights: Send + Sync {
    /// Accumulators for one thread.
    fn path(&self) -> Box<dyn Path>;

    /// See [`Nnue::on_all_backends`].
    #[cfg(test)]
    fn on_all_backends(&self) -> Vec<(&'static str, Arc<dyn Weights>)>;
}

/// Accumulators of a path, and the network.
trait Path: Send + Sync {
    /// The network's output for the position that the last of `steps` led to.
    fn output(&mut self, steps: &mut [Step], position: &Position) -> i32;
}

struct WithBackend<B, M> {
    model: Arc<M>,
    backend: PhantomData<B>,
}

impl<B, M> WithBackend<B, M> {
    fn new(model: Arc<M>) -> Self {
        WithBackend {
            model,
            backend: PhantomData,
        }
    }
}

struct PathOf<B, const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize> {
    model: Arc<Model<HALF_KP, ROW, H1, H2>>,
    accumulators: Accumulators<ROW>,
    backend: PhantomData<B>,
}

impl<B: Backend, const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize> Weights
    for WithBackend<B, Model<HALF_KP, ROW, H1, H2>>
{
    fn path(&self) -> Box<dyn Path> {
        let features = Model::<HALF_KP, ROW, H1, H2>::FEATURES;
        Box::new(PathOf::<B, HALF_KP, ROW, H1, H2> {
            model: Arc::clone(&self.model),
            accumulators: Accumulators::new(features, &self.model.biases, PATH),
            backend: PhantomData,
        })
    }

    #[cfg(test)]
    fn on_all_backends(&self) -> Vec<(&'static str, Arc<dyn Weights>)> {
        fn on<
            B: Backend,
            const HALF_KP: bool,
            const ROW: usize,
            const H1: usize,
            const H2: usize,
        >(
            model: &Arc<Model<HALF_KP, ROW, H1, H2>>,
        ) -> (&'static str, Arc<dyn Weights>) {
            let weights = WithBackend::<B, _>::new(Arc::clone(model));
            (B::NAME, Arc::new(weights))
        }
        Vec::from([
            on::<super::simd::Scalar, HALF_KP, ROW, H1, H2>(&self.model),
            on::<Native, HALF_KP, ROW, H1, H2>(&self.model),
            #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
            on::<super::simd::Avx2, HALF_KP, ROW, H1, H2>(&self.model),
        ])
    }
}

impl<B: Backend, const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize> Path
    for PathOf<B, HALF_KP, ROW, H1, H2>
{
    fn output(&mut self, steps: &mut [Step], position: &Position) -> i32 {
        let rows = self.accumulators.get(&self.model.weights, steps, position);
        let us = position.side_to_move();
        self.model.propagate::<B>(&rows[us], &rows[!us])
    }
}

/// Evaluates by a network; see [`Nnue::evaluator`].
pub struct NnueEvaluator {
    nnue: Nnue,
    features: FeatureSet,
    path: Box<dyn Path>,
    /// The position that the path begins with, and a step for each move.
    steps: Vec<Step>,
    fv_scale: i32,
}

impl NnueEvaluator {
    /// The network's output, not divided yet.
    #[inline]
    pub(super) fn output(&mut self, position: &Position) -> i32 {
        self.path.output(&mut self.steps, position)
    }
}

impl Clone for NnueEvaluator {
    fn clone(&self) -> Self {
        let mut steps = Vec::with_capacity(self.steps.capacity());
        steps.extend_from_slice(&self.steps);
        steps.iter_mut().for_each(Step::invalidate);
        NnueEvaluator {
            nnue: self.nnue.clone(),
            path: self.nnue.model.path(),
            steps,
            ..*self
        }
    }
}

impl fmt::Debug for NnueEvaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NnueEvaluator")
            .field("nnue", &self.nnue)
            .field("fv_scale", &self.fv_scale)
            .finish_non_exhaustive()
    }
}

impl Evaluator<Position> for NnueEvaluator {
    #[inline]
    fn evaluate(&mut self, position: &Position) -> Score {
        (self.output(position) / self.fv_scale).clamp(-EVAL_MAX, EVAL_MAX)
    }

    fn reset(&mut self, _position: &Position) {
        self.steps.clear();
        self.steps.push(Step::default());
    }

    #[inline]
    fn before_make(&mut self, position: &Position, m: Move) {
        self.steps.push(Step::new(self.features, position, m));
    }

    #[inline]
    fn after_unmake(&mut self) {
        debug_assert!(
            self.steps.len() > 1,
            "a move is taken back that was not made"
        );
        if self.steps.len() > 1 {
            self.steps.pop();
        }
    }
}
