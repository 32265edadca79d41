//! Mini-batches, and the step that each one makes.
//!
//! Every thread goes forward and backward through its share of a batch, block by
//! block, and sums a gradient of its own ([`Shard`]). The sums are added in the order
//! of the threads, so that the same number of them gives the same numbers; then Adam
//! moves the parameters whose inputs occurred, and they are kept within what a network
//! file can hold.

use rayon::prelude::*;

use super::checkpoint::State;
use super::dataset::Sample;
use super::export;
use super::metrics::{self, Target};
use super::model::{self, BLOCK, Gradient, Model, Workspace};
use super::optimizer::Step;
use crate::eval::nnue::Architecture;
use crate::learn::random::Random;

/// Set in an order of samples where the sample is mirrored.
const MIRRORED: u32 = 1 << 31;

/// The order of `count` samples, and which of them are mirrored.
pub fn order(count: usize, random: &mut Random, mirror: bool) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    random.shuffle(&mut order);
    if mirror {
        for sample in &mut order {
            *sample |= (random.next_u64() >> 32) as u32 & MIRRORED;
        }
    }
    order
}

/// Divides an order into batches that are all about as long as wanted.
pub fn batches(order: &[u32], wanted: usize) -> impl Iterator<Item = &[u32]> {
    let count = ((order.len() as f64 / wanted.max(1) as f64).round() as usize).max(1);
    order.chunks(order.len().div_ceil(count).max(1))
}

/// How a step is made.
#[derive(Clone, Copy)]
pub struct Plan {
    /// What the network learns to say.
    pub target: Target,
    /// The learning rate.
    pub rate: f32,
    /// Weight decay.
    pub decay: f32,
}

/// The memory of all threads for making steps.
pub struct Stepper(Vec<Shard>);

/// One thread's share of a step.
struct Shard {
    work: Workspace,
    gradient: Gradient,
    loss: f64,
    by_logit: Vec<f32>,
}

impl Stepper {
    /// For the threads of the present rayon pool.
    pub fn new(architecture: &Architecture) -> Stepper {
        let threads = rayon::current_num_threads();
        Stepper((0..threads).map(|_| Shard::new(architecture)).collect())
    }

    /// Makes a step; the sum of the losses before it.
    pub fn step(
        &mut self,
        state: &mut State,
        samples: &[Sample],
        batch: &[u32],
        plan: Plan,
    ) -> f64 {
        let shards = self.0.as_mut_slice();
        let share = batch.len().div_ceil(shards.len()).next_multiple_of(BLOCK);
        let model = &state.model;
        let target = plan.target;
        let weight = 1.0 / batch.len() as f32;
        shards
            .par_iter_mut()
            .zip(batch.par_chunks(share))
            .for_each(|(shard, share)| shard.learn(model, samples, share, target, weight));
        let loss = shards
            .iter_mut()
            .map(|shard| std::mem::take(&mut shard.loss))
            .sum();
        let [first, others @ ..] = shards else {
            return loss;
        };
        for other in others {
            first.gradient.add(&mut other.gradient);
        }
        let architecture = state.model.architecture;
        let limits = export::limits(architecture.features, target.scale);
        let step = Step {
            rate: plan.rate,
            decay: plan.decay,
            limit: limits.input,
        };
        let gradient = &mut first.gradient;
        let model = &mut state.model;
        state.input.step(
            &mut model.input,
            &mut gradient.input,
            &mut gradient.touched,
            step,
        );
        let step = Step {
            limit: f32::INFINITY,
            ..step
        };
        state
            .dense
            .step(&mut model.dense, &mut gradient.dense, &mut [true], step);
        for (index, layer) in model::layers(&architecture).into_iter().enumerate() {
            let limit = match index + 1 < model::LAYERS {
                true => limits.hidden,
                false => limits.output,
            };
            for weight in &mut model.dense[layer.weights..layer.biases] {
                *weight = weight.clamp(-limit, limit);
            }
        }
        for bias in &mut model.dense[..architecture.half] {
            *bias = bias.clamp(-limits.input, limits.input);
        }
        loss
    }
}

impl Shard {
    fn new(architecture: &Architecture) -> Shard {
        Shard {
            work: Workspace::new(architecture),
            gradient: Gradient::new(architecture),
            loss: 0.0,
            by_logit: Vec::new(),
        }
    }

    /// Sums losses and gradient of positions.
    fn learn(
        &mut self,
        model: &Model,
        samples: &[Sample],
        share: &[u32],
        target: Target,
        weight: f32,
    ) {
        let Shard {
            work,
            gradient,
            loss,
            by_logit,
        } = self;
        model.prepare(work);
        for block in share.chunks(BLOCK) {
            work.clear();
            let sample = |entry: u32| &samples[(entry & !MIRRORED) as usize];
            for &entry in block {
                let mirror = entry & MIRRORED != 0;
                work.push(sample(entry), model.architecture.features, mirror);
            }
            model.forward(work);
            by_logit.clear();
            for (&entry, logit) in block.iter().zip(work.logits()) {
                let wanted = target.of(sample(entry));
                *loss += Target::loss(wanted, logit);
                by_logit.push((metrics::sigmoid(logit) - wanted) * weight);
            }
            model.backward(work, by_logit, gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Color;
    use crate::eval::nnue::FeatureSet;
    use crate::learn::train::testing::{SMALL, sample, samples, settings};
    use crate::shogi::{Position, Rules};

    fn loss(model: &Model, samples: &[Sample], target: Target) -> f64 {
        let logits = model.logits(samples);
        let losses = samples.iter().zip(logits);
        losses
            .map(|(s, logit)| Target::loss(target.of(s), logit))
            .sum::<f64>()
            / samples.len() as f64
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for features in [FeatureSet::Kp, FeatureSet::HalfKp] {
            let architecture = Architecture { features, ..SMALL };
            let samples = samples(150);
            let target = settings(&architecture).target;
            let mut model = Model::random(architecture, 5);
            let mut shard = Shard::new(&architecture);
            let all: Vec<u32> = (0..samples.len() as u32).collect();
            shard.learn(&model, &samples, &all, target, 1.0 / samples.len() as f32);
            let gradient = shard.gradient;
            let base = loss(&model, &samples, target);
            assert!((shard.loss / samples.len() as f64 - base).abs() < 1e-6);

            // Along random directions of each group of parameters, the largest
            // components of the gradient among them.
            let half = architecture.half;
            let mut ranges = vec![(0, half)];
            for layer in model::layers(&architecture) {
                ranges.push((layer.weights, layer.biases));
                ranges.push((layer.biases, layer.biases + layer.width));
            }
            let check =
                |along: f64, step: f32, model: &mut Model, shift: &dyn Fn(&mut Model, f32)| {
                    shift(model, step);
                    let up = loss(model, &samples, target);
                    shift(model, -2.0 * step);
                    let down = loss(model, &samples, target);
                    shift(model, step);
                    let found = (up - down) / (2.0 * f64::from(step));
                    assert!(
                        (found - along).abs() < 0.03 * along.abs() + 1e-5,
                        "{found} {along}"
                    );
                };
            for (from, to) in ranges {
                let part = gradient.dense[from..to].to_vec();
                let norm = part.iter().map(|g| g * g).sum::<f32>().sqrt();
                assert!(norm > 0.0);
                check(f64::from(norm), 1e-3, &mut model, &|model, step| {
                    for (x, g) in model.dense[from..to].iter_mut().zip(&part) {
                        *x += step * g / norm;
                    }
                });
            }
            let norm = gradient.input.iter().map(|g| g * g).sum::<f32>().sqrt();
            check(f64::from(norm), 1e-3, &mut model, &|model, step| {
                for (x, g) in model.input.iter_mut().zip(&gradient.input) {
                    *x += step * g / norm;
                }
            });
            for row in 0..gradient.touched.len() {
                let is_zero = gradient.input[row * half..][..half]
                    .iter()
                    .all(|&g| g == 0.0);
                assert!(gradient.touched[row] || is_zero);
            }
        }
    }

    #[test]
    fn both_sides_see_the_same_network() {
        // A position with colours and board turned has the same inputs.
        let sfen = |text: &str| Position::from_sfen(text, &Rules::default()).unwrap();
        let black = sfen("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        let white = sfen("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 4");
        assert_eq!(black.side_to_move(), Color::Black);
        let mut model = Model::random(SMALL, 1);
        model.dense[0] = 0.3;
        let logits = model.logits(&[sample(&black), sample(&white)]);
        // The sums have another order.
        assert!((logits[0] - logits[1]).abs() < 1e-5, "{logits:?}");
    }
}
