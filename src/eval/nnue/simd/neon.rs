//! NEON: activations are at most 127, so that they are signed bytes as well, and a
//! product fits 16 bits.

use std::arch::aarch64::*;

use super::{Backend, Block, Bytes, Lanes, Scalar, check_sizes, group};

/// 64-bit ARM processors.
#[derive(Clone, Copy, Debug)]
pub struct Neon;

/// Running sums of the largest layer, 96 outputs: one for each 8 bytes of a group's
/// weights.
const SUMS: usize = 48;

impl Backend for Neon {
    const NAME: &'static str = "NEON";

    #[inline]
    fn clip(sums: &[Lanes], activations: &mut [Bytes]) {
        for (sums, activations) in sums.iter().zip(activations) {
            for at in (0..32).step_by(8) {
                // SAFETY: the instructions exist (cfg of this module); 8 of 32
                // numbers are left from `at` on.
                unsafe {
                    // Saturates to -128..127.
                    let packed = vqmovn_s16(vld1q_s16(sums.0.as_ptr().add(at)));
                    let clipped = vmax_s8(packed, vdup_n_s8(0));
                    vst1_s8(activations.0.as_mut_ptr().add(at).cast(), clipped);
                }
            }
        }
    }

    #[inline(always)]
    fn affine<const OUT: usize>(
        biases: &[i32; OUT],
        weights: &[Block],
        activations: &[Bytes],
        inputs: usize,
        sums: &mut [i32; OUT],
    ) {
        check_sizes::<OUT>(weights, activations, inputs);
        let group = const { group(OUT) };
        let vectors = const { OUT * super::group(OUT) / 8 };
        const { assert!(OUT * super::group(OUT) / 8 <= SUMS) };
        // SAFETY: the instructions exist (cfg of this module). `check_sizes` has
        // made sure that the activations of every group and 8 × `vectors` bytes of
        // weights for it are there.
        unsafe {
            let mut acc = [vdupq_n_s32(0); SUMS];
            let activations = activations.as_ptr().cast::<u8>();
            let weights = weights.as_ptr().cast::<i8>();
            for index in 0..inputs / group {
                let at = activations.add(index * group);
                let x = if group == 8 {
                    vld1_s8(at.cast())
                } else {
                    vreinterpret_s8_s32(vdup_n_s32(at.cast::<i32>().read_unaligned()))
                };
                for (vector, sum) in acc[..vectors].iter_mut().enumerate() {
                    let w = vld1_s8(weights.add(8 * (index * vectors + vector)));
                    // Adds neighbouring products, two to each of four lanes.
                    *sum = vpadalq_s16(*sum, vmull_s8(x, w));
                }
            }
            let mut lanes = [[0i32; 4]; SUMS];
            for (lanes, &sum) in lanes.iter_mut().zip(&acc[..vectors]) {
                vst1q_s32(lanes.as_mut_ptr(), sum);
            }
            let of_outputs = lanes.as_flattened().chunks_exact(group / 2);
            for ((sum, bias), lanes) in sums.iter_mut().zip(biases).zip(of_outputs) {
                *sum = lanes
                    .iter()
                    .fold(*bias, |sum, lane| sum.wrapping_add(*lane));
            }
        }
    }

    #[inline(always)]
    fn relu<const N: usize>(sums: &[i32; N], activations: &mut [Bytes]) {
        // The compiler makes vectors of it.
        Scalar::relu(sums, activations);
    }

    #[inline(always)]
    fn dot(weights: &[Block], activations: &[Bytes]) -> i32 {
        assert!(weights.len() * 2 >= activations.len());
        let weights = weights.as_ptr().cast::<i8>();
        // SAFETY: the instructions exist (cfg of this module); there are 32 weights
        // for each 32 activations.
        unsafe {
            let mut sum = vdupq_n_s32(0);
            for (index, x) in activations.iter().enumerate() {
                for at in (0..32).step_by(8) {
                    let x = vld1_s8(x.0.as_ptr().add(at).cast());
                    let w = vld1_s8(weights.add(32 * index + at));
                    sum = vpadalq_s16(sum, vmull_s8(x, w));
                }
            }
            vaddvq_s32(sum)
        }
    }
}
