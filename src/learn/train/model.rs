//! The network in `f32`: its parameters, what it says of positions, and how its
//! loss changes with each parameter.
//!
//! Each side's inputs are summed to `half` numbers, the side to move first; two
//! hidden layers and one output follow. Every layer but the last clips to 0..=1. The
//! output is the logit of the chance to win. That is the network of "Efficiently
//! Updatable Neural-Network-based Evaluation Functions for Computer Shogi" (Y. Nasu,
//! 2018).
//!
//! Positions go through in blocks that fit the cache. The gradient of the input layer
//! is summed by input, not by position: the list of a block's inputs is sorted, and
//! a row of the gradient is then loaded and stored once a block, not once for each
//! position that has the input.

use rayon::prelude::*;

use crate::eval::nnue::{Architecture, FeatureSet};
use crate::learn::random::Random;
use crate::learn::train::dataset::{Sample, active_rows, rows};
use crate::learn::train::kernels::{self, LANES, View};

/// Positions of a block.
pub const BLOCK: usize = 128;

/// The layers after the input layer.
pub const LAYERS: usize = 3;

/// Where a layer has its parameters among all but those of the inputs. Weights are
/// stored input by input. Outputs are filled up with zeros to [`Layer::width`], and
/// so are the next layer's inputs.
#[derive(Clone, Copy, Debug)]
pub struct Layer {
    /// Inputs, those filled up included.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// Outputs, those filled up included.
    pub width: usize,
    /// The first weight.
    pub weights: usize,
    /// The first bias.
    pub biases: usize,
}

impl Layer {
    /// The place of a weight.
    pub fn weight(&self, input: usize, output: usize) -> usize {
        self.weights + input * self.width + output
    }
}

/// The layers after the input layer.
pub fn layers(architecture: &Architecture) -> [Layer; LAYERS] {
    let mut inputs = 2 * architecture.half;
    let mut at = architecture.half;
    architecture.layers().map(|(_, outputs)| {
        let width = outputs.next_multiple_of(LANES);
        let layer = Layer {
            inputs,
            outputs,
            width,
            weights: at,
            biases: at + inputs * width,
        };
        at = layer.biases + width;
        inputs = width;
        layer
    })
}

/// Number of the parameters that are not weights of inputs.
pub fn dense_len(architecture: &Architecture) -> usize {
    let [.., last] = layers(architecture);
    last.biases + last.width
}

/// A network.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What kind it is; `half` is a multiple of [`kernels::STRIP`].
    pub architecture: Architecture,
    /// Weights of the inputs, a row of `half` numbers for each.
    pub input: Vec<f32>,
    /// Biases of the input layer, then weights and biases of the other layers as
    /// [`layers`] places them.
    pub dense: Vec<f32>,
}

/// The derivative of a loss by each parameter.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// As [`Model::input`].
    pub input: Vec<f32>,
    /// As [`Model::dense`].
    pub dense: Vec<f32>,
    /// Which rows of `input` are not all 0.
    pub touched: Vec<bool>,
}

impl Gradient {
    /// All zeros.
    pub fn new(architecture: &Architecture) -> Gradient {
        Gradient {
            input: vec![0.0; rows(architecture.features) * architecture.half],
            dense: vec![0.0; dense_len(architecture)],
            touched: vec![false; rows(architecture.features)],
        }
    }

    /// Adds another gradient, which becomes 0.
    pub fn add(&mut self, other: &mut Gradient) {
        let half = self.input.len() / self.touched.len();
        self.input
            .par_chunks_mut(half)
            .zip(other.input.par_chunks_mut(half))
            .zip(&mut self.touched)
            .zip(&mut other.touched)
            .with_min_len(64)
            .filter(|(_, touched)| **touched)
            .for_each(|(((row, other), touched), also_touched)| {
                *touched = true;
                *also_touched = false;
                for (x, y) in row.iter_mut().zip(other) {
                    *x += std::mem::take(y);
                }
            });
        for (x, y) in self.dense.iter_mut().zip(&mut other.dense) {
            *x += std::mem::take(y);
        }
    }
}

/// Memory for the positions of a block.
#[derive(Debug)]
pub struct Workspace {
    active: Vec<u32>,
    /// Outputs of each layer, clipped but for the last.
    outputs: [Vec<f32>; LAYERS + 1],
    /// The loss's derivatives by them.
    deltas: [Vec<f32>; LAYERS + 1],
    /// Weights of each layer output by output.
    turned: [Vec<f32>; LAYERS],
    pairs: Vec<(u32, u32)>,
    spare: Vec<(u32, u32)>,
}

impl Workspace {
    /// For networks of this kind.
    pub fn new(architecture: &Architecture) -> Workspace {
        let layers = layers(architecture);
        let sizes = [
            2 * architecture.half,
            layers[0].width,
            layers[1].width,
            layers[2].width,
        ];
        let block = || sizes.map(|size| vec![0.0; BLOCK * size]);
        Workspace {
            active: Vec::new(),
            outputs: block(),
            deltas: block(),
            turned: layers.map(|layer| vec![0.0; layer.inputs * layer.width]),
            pairs: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// Begins a block.
    pub fn clear(&mut self) {
        self.active.clear();
    }

    /// Adds a position, mirrored or not; at most [`BLOCK`].
    pub fn push(&mut self, sample: &Sample, set: FeatureSet, mirror: bool) {
        sample.active(set, mirror, &mut self.active);
    }

    /// What the network said of the positions: logits.
    pub fn logits(&self) -> impl Iterator<Item = f32> {
        self.outputs[LAYERS].chunks_exact(LANES).map(|row| row[0])
    }
}

impl Model {
    /// A network with random weights. Sums begin in the middle of what is not
    /// clipped; virtual inputs begin for all inputs that they stand for.
    pub fn random(architecture: Architecture, seed: u64) -> Model {
        let mut random = Random::new(seed);
        let mut uniform = |deviation: f32| {
            let unit = (random.next_u64() >> 40) as f32 / (1_u64 << 24) as f32;
            (2.0 * unit - 1.0) * deviation * 3.0_f32.sqrt()
        };
        let mut model = Model {
            input: vec![0.0; rows(architecture.features) * architecture.half],
            dense: vec![0.0; dense_len(&architecture)],
            architecture,
        };
        let first = match architecture.features {
            FeatureSet::Kp => 0,
            FeatureSet::HalfKp => architecture.features.dimensions(),
        };
        for weight in &mut model.input[first * architecture.half..] {
            *weight = uniform(0.25 / (40.0_f32).sqrt());
        }
        model.dense[..architecture.half].fill(0.5);
        let mut used = 2 * architecture.half;
        for (index, layer) in layers(&architecture).into_iter().enumerate() {
            let is_last = index + 1 == LAYERS;
            for output in 0..layer.outputs {
                let mut sum = 0.0;
                for input in 0..used {
                    let weight = uniform(1.0 / (used as f32).sqrt());
                    model.dense[layer.weight(input, output)] = weight;
                    sum += weight;
                }
                let middle = if is_last { 0.0 } else { 0.5 };
                model.dense[layer.biases + output] = middle - 0.5 * sum;
            }
            used = layer.outputs;
        }
        model
    }

    /// Evaluates the positions of a block.
    pub fn forward(&self, work: &mut Workspace) {
        let half = self.architecture.half;
        let per_side = active_rows(self.architecture.features);
        let count = work.active.len() / (2 * per_side);
        for (active, out) in work
            .active
            .chunks_exact(per_side)
            .zip(work.outputs[0].chunks_exact_mut(half))
        {
            kernels::sum_rows(&self.input, active, &self.dense[..half], out);
        }
        for (index, layer) in layers(&self.architecture).into_iter().enumerate() {
            let (before, after) = work.outputs.split_at_mut(index + 1);
            let (x, y) = (&before[index], &mut after[0][..count * layer.width]);
            let biases = &self.dense[layer.biases..][..layer.width];
            for row in y.chunks_exact_mut(layer.width) {
                row.copy_from_slice(biases);
            }
            let x = View {
                data: x,
                row: layer.inputs,
                column: 1,
            };
            let weights = &self.dense[layer.weights..layer.biases];
            kernels::multiply(x, (count, layer.inputs, layer.width), weights, y);
            if index + 1 < LAYERS {
                kernels::clip(y);
            }
        }
    }

    /// Makes what [`Model::backward`] needs of the weights, after each change of
    /// them.
    pub fn prepare(&self, work: &mut Workspace) {
        for (layer, turned) in layers(&self.architecture).iter().zip(&mut work.turned) {
            let weights = &self.dense[layer.weights..layer.biases];
            kernels::transpose(weights, layer.width, turned);
        }
    }

    /// Adds the gradient of the block that [`Model::forward`] has evaluated, given
    /// the loss's derivative by each logit.
    pub fn backward(&self, work: &mut Workspace, by_logit: &[f32], gradient: &mut Gradient) {
        let half = self.architecture.half;
        let per_side = active_rows(self.architecture.features);
        let count = by_logit.len();
        for (row, &delta) in work.deltas[LAYERS].chunks_exact_mut(LANES).zip(by_logit) {
            row.fill(0.0);
            row[0] = delta;
        }
        for (index, layer) in layers(&self.architecture).into_iter().enumerate().rev() {
            let (before, after) = work.deltas.split_at_mut(index + 1);
            let dy = &after[0][..count * layer.width];
            let dx = &mut before[index][..count * layer.inputs];
            let x = &work.outputs[index][..count * layer.inputs];
            kernels::sum_columns(dy, &mut gradient.dense[layer.biases..][..layer.width]);
            let turned_x = View {
                data: x,
                row: 1,
                column: layer.inputs,
            };
            let weights = &mut gradient.dense[layer.weights..layer.biases];
            kernels::multiply(turned_x, (layer.inputs, count, layer.width), dy, weights);
            let dy = View {
                data: dy,
                row: layer.width,
                column: 1,
            };
            dx.fill(0.0);
            let turned = &work.turned[index];
            // What was filled up in `dy` is 0.
            kernels::multiply(dy, (count, layer.outputs, layer.inputs), turned, dx);
            kernels::mask(dx, x);
        }
        let deltas = &work.deltas[0][..count * 2 * half];
        kernels::sum_columns(deltas, &mut gradient.dense[..half]);
        work.pairs.clear();
        for (row, active) in (0..).zip(work.active.chunks_exact(per_side)) {
            work.pairs
                .extend(active.iter().map(|&feature| (feature, row)));
        }
        kernels::sort_by_feature(
            &mut work.pairs,
            &mut work.spare,
            rows(self.architecture.features),
        );
        for group in work.pairs.chunk_by(|a, b| a.0 == b.0) {
            let feature = group[0].0 as usize;
            gradient.touched[feature] = true;
            let target = &mut gradient.input[feature * half..][..half];
            kernels::add_rows(target, deltas, group.iter().map(|&(_, row)| row as usize));
        }
    }

    /// The logits of samples, not mirrored.
    pub fn logits(&self, samples: &[Sample]) -> Vec<f32> {
        samples
            .par_chunks(BLOCK)
            .map_init(
                || Workspace::new(&self.architecture),
                |work, block| {
                    work.clear();
                    for sample in block {
                        work.push(sample, self.architecture.features, false);
                    }
                    self.forward(work);
                    work.logits().take(block.len()).collect::<Vec<f32>>()
                },
            )
            .flatten_iter()
            .collect()
    }
}
