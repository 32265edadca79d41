//! The reference: one number after the other, on any processor.

use super::{Backend, Block, Bytes, Lanes, WIDTH, check_sizes, weight_index};

/// Plain loops.
#[derive(Clone, Copy, Debug)]
pub struct Scalar;

impl Backend for Scalar {
    const NAME: &'static str = "scalar";

    #[inline]
    fn clip(sums: &[Lanes], activations: &mut [Bytes]) {
        for (sums, activations) in sums.iter().zip(activations) {
            for (sum, activation) in sums.0.iter().zip(&mut activations.0) {
                *activation = (*sum).clamp(0, 127) as u8;
            }
        }
    }

    #[inline]
    fn affine<const OUT: usize>(
        biases: &[i32; OUT],
        weights: &[Block],
        activations: &[Bytes],
        inputs: usize,
        sums: &mut [i32; OUT],
    ) {
        check_sizes::<OUT>(weights, activations, inputs);
        *sums = *biases;
        for input in 0..inputs {
            let activation = i32::from(activations[input / WIDTH].0[input % WIDTH]);
            for (output, sum) in sums.iter_mut().enumerate() {
                let at = weight_index(OUT, input, output);
                let weight = i32::from(weights[at / 64].0[at % 64]);
                *sum = sum.wrapping_add(activation * weight);
            }
        }
    }

    #[inline]
    fn relu<const N: usize>(sums: &[i32; N], activations: &mut [Bytes]) {
        for (index, sum) in sums.iter().enumerate() {
            activations[index / WIDTH].0[index % WIDTH] = (sum >> 6).clamp(0, 127) as u8;
        }
    }

    #[inline]
    fn dot(weights: &[Block], activations: &[Bytes]) -> i32 {
        let weights = weights.iter().flat_map(|block| &block.0);
        let activations = activations.iter().flat_map(|bytes| &bytes.0);
        weights
            .zip(activations)
            .map(|(&weight, &activation)| i32::from(weight) * i32::from(activation))
            .sum()
    }
}
