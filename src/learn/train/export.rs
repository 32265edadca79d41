//! From real numbers to the integers of a network file, and back.
//!
//! The file's arithmetic (see [`crate::eval::nnue::network`]) is that of real numbers
//! with these scales:
//!
//! | what | 1.0 is | why |
//! |---|---|---|
//! | activations | 127 | they are clipped to 0..127 |
//! | weights and biases of the inputs | 127 | their sum is an activation |
//! | weights of the hidden layers | 64 | the sum is shifted right by 6 |
//! | biases of the hidden layers | 64 × 127 | they are added to weight × activation |
//! | the output | 16 × `scale` | divided by `FV_SCALE` = 16 it is a score, and a logit of 1 is `scale` centipawns |
//! | weights of the output layer | 16 × `scale` / 127 | times an activation they are the output |
//! | bias of the output layer | 16 × `scale` | it is added to the output |
//!
//! The shift rounds down; half of what it cuts off is added to the biases of the hidden
//! layers, so that it rounds to the nearest. Weights of layers have eight bits and those
//! of inputs sixteen, and so have their sums: [`limits`] keeps the training within that.

use rayon::prelude::*;

use crate::eval::nnue::features::KINGS;
use crate::eval::nnue::{Architecture, FeatureSet, Network};
use crate::learn::train::dataset::{Sample, active_rows, rows};
use crate::learn::train::model::{LAYERS, Model, dense_len, layers};

/// What 1.0 of an activation is.
const ACTIVATION: f32 = 127.0;
/// What 1.0 of a hidden layer's weight is.
const WEIGHT: f32 = 64.0;
/// What a centipawn is in the output: the usual `FV_SCALE`.
const FV_SCALE: f32 = 16.0;

/// The greatest weights, so that their integers fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Of the inputs: a side's sum of bias and weights stays within 16 bits.
    pub input: f32,
    /// Of the hidden layers.
    pub hidden: f32,
    /// Of the output layer.
    pub output: f32,
}

/// The limits for networks whose logit of 1 is `scale` centipawns.
pub fn limits(features: FeatureSet, scale: f32) -> Limits {
    // The bias has as much room as a weight.
    let sum = (active_rows(features) + 1) as f32;
    Limits {
        input: f32::from(i16::MAX) / ACTIVATION / sum - 0.01,
        hidden: f32::from(i8::MAX) / WEIGHT,
        output: f32::from(i8::MAX) / (FV_SCALE * scale / ACTIVATION),
    }
}

/// What 1.0 of a layer's weights and of its biases is, and what is added to the biases.
fn scales(layer: usize, scale: f32) -> (f32, f32, f32) {
    match layer + 1 < LAYERS {
        true => (WEIGHT, WEIGHT * ACTIVATION, WEIGHT / 2.0),
        false => (FV_SCALE * scale / ACTIVATION, FV_SCALE * scale, 0.0),
    }
}

/// The network in integers. `as` keeps within the types' ranges.
pub fn quantise(model: &Model, scale: f32) -> Network {
    let architecture = model.architecture;
    let half = architecture.half;
    let mut network = Network::new(architecture);
    let biases = network.transformer_biases.iter_mut();
    for (bias, &x) in biases.zip(&model.dense[..half]) {
        *bias = (x * ACTIVATION).round() as i16;
    }
    let (real, shared) = model
        .input
        .split_at(architecture.features.dimensions() * half);
    let weights = network.transformer_weights.chunks_exact_mut(half);
    for (input, (weights, row)) in weights.zip(real.chunks_exact(half)).enumerate() {
        for (i, (weight, &x)) in weights.iter_mut().zip(row).enumerate() {
            let common = match architecture.features {
                FeatureSet::Kp => 0.0,
                FeatureSet::HalfKp => shared[input % KINGS * half + i],
            };
            *weight = ((x + common) * ACTIVATION).round() as i16;
        }
    }
    for (index, layer) in layers(&architecture).into_iter().enumerate() {
        let (weight_scale, bias_scale, rounding) = scales(index, scale);
        let affine = &mut network.layers[index];
        for output in 0..layer.outputs {
            let bias = model.dense[layer.biases + output];
            affine.biases[output] = (bias * bias_scale + rounding).round() as i32;
            for (input, weight) in affine.row_mut(output).iter_mut().enumerate() {
                let x = model.dense[layer.weight(input, output)];
                *weight = (x * weight_scale).round() as i8;
            }
        }
    }
    network
}

/// A network file's numbers as real ones, to go on training from them. Factorised
/// inputs begin with nothing in common.
pub fn from_network(network: &Network, scale: f32) -> Model {
    let architecture = network.architecture();
    let half = architecture.half;
    let mut model = Model {
        input: vec![0.0; rows(architecture.features) * half],
        dense: vec![0.0; dense_len(&architecture)],
        architecture,
    };
    for (x, &weight) in model.input.iter_mut().zip(&network.transformer_weights) {
        *x = f32::from(weight) / ACTIVATION;
    }
    for (x, &bias) in model.dense.iter_mut().zip(&network.transformer_biases) {
        *x = f32::from(bias) / ACTIVATION;
    }
    for (index, layer) in layers(&architecture).into_iter().enumerate() {
        let (weight_scale, bias_scale, rounding) = scales(index, scale);
        let affine = &network.layers[index];
        for output in 0..layer.outputs {
            let bias = affine.biases[output] as f32 - rounding;
            model.dense[layer.biases + output] = bias / bias_scale;
            for (input, &weight) in affine.row(output).iter().enumerate() {
                model.dense[layer.weight(input, output)] = f32::from(weight) / weight_scale;
            }
        }
    }
    model
}

/// The logits of the integer network, by the definition of its arithmetic.
pub fn logits(network: &Network, samples: &[Sample], scale: f32) -> Vec<f32> {
    samples
        .par_iter()
        .map_init(Vec::new, |active, sample| {
            let output = evaluate(network, sample, active);
            output as f32 / (FV_SCALE * scale)
        })
        .collect()
}

fn evaluate(network: &Network, sample: &Sample, active: &mut Vec<u32>) -> i32 {
    let Architecture { features, half, .. } = network.architecture();
    active.clear();
    sample.active(features, false, active);
    let mut x: Vec<i32> = Vec::with_capacity(2 * half);
    for side in active.chunks_exact(active_rows(features)) {
        let mut sums = network.transformer_biases.clone();
        for &input in side {
            // Those beyond were added to the others when the network was made.
            let Some(row) = network
                .transformer_weights
                .chunks_exact(half)
                .nth(input as usize)
            else {
                continue;
            };
            for (sum, &weight) in sums.iter_mut().zip(row) {
                *sum = sum.wrapping_add(weight);
            }
        }
        x.extend(sums.iter().map(|&sum| i32::from(sum.clamp(0, 127))));
    }
    for (index, layer) in network.layers.iter().enumerate() {
        let sums = (0..layer.outputs()).map(|output| {
            let products = layer.row(output).iter().zip(&x);
            let products: i32 = products.map(|(&weight, &x)| i32::from(weight) * x).sum();
            // A bias may be anything, as in inference.
            let sum = layer.biases[output].wrapping_add(products);
            match index + 1 < LAYERS {
                true => (sum >> 6).clamp(0, 127),
                false => sum,
            }
        });
        x = sums.collect();
    }
    x[0]
}
