//! AVX-512 with VNNI: 64 products in one instruction.

use std::arch::x86_64::*;

use super::{Backend, Block, Bytes, Lanes, Scalar, check_sizes, group};

/// x86-64 processors with AVX-512 BW and VNNI.
#[derive(Clone, Copy, Debug)]
pub struct Avx512;

/// Running sums: enough that a multiplication need not wait for the one before.
const SUMS: usize = 8;

impl Backend for Avx512 {
    const NAME: &'static str = "AVX-512 VNNI";

    #[inline]
    fn clip(sums: &[Lanes], activations: &mut [Bytes]) {
        for (sums, activations) in sums.iter().zip(activations) {
            // SAFETY: the instructions exist (cfg of this module); `Lanes` are 64
            // aligned bytes, `Bytes` are 32.
            unsafe {
                let sums = _mm512_load_si512((&raw const *sums).cast());
                let low = _mm512_max_epi16(sums, _mm512_setzero_si512());
                let clipped = _mm512_min_epi16(low, _mm512_set1_epi16(127));
                let bytes = _mm512_cvtepi16_epi8(clipped);
                _mm256_store_si256((&raw mut *activations).cast(), bytes);
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
        // Vectors for one group of inputs, and groups at a time.
        let vectors = const { OUT * super::group(OUT) / 64 };
        const { assert!(OUT * super::group(OUT) / 64 <= SUMS) };
        let unroll = const { SUMS / (OUT * super::group(OUT) / 64) };
        let groups = inputs / group;
        // SAFETY: the instructions exist (cfg of this module). `check_sizes` has
        // made sure that the activations of every group and `vectors` blocks of
        // weights for it are there; blocks are aligned to 64.
        unsafe {
            let mut acc = [_mm512_setzero_si512(); SUMS];
            let activations = activations.as_ptr().cast::<u8>();
            let weights = weights.as_ptr();
            let mut add = |index: usize, slot: usize| {
                let at = activations.add(index * group);
                let x = if group == 8 {
                    _mm512_set1_epi64(at.cast::<i64>().read_unaligned())
                } else {
                    _mm512_set1_epi32(at.cast::<i32>().read_unaligned())
                };
                for vector in 0..vectors {
                    let w = _mm512_load_si512(weights.add(index * vectors + vector).cast());
                    let sum = &mut acc[slot * vectors + vector];
                    *sum = _mm512_dpbusd_epi32(*sum, x, w);
                }
            };
            let whole = groups - groups % unroll;
            for first in (0..whole).step_by(unroll) {
                for slot in 0..unroll {
                    add(first + slot, slot);
                }
            }
            for index in whole..groups {
                add(index, 0);
            }
            for vector in 0..vectors {
                let mut total = acc[vector];
                for slot in 1..unroll {
                    total = _mm512_add_epi32(total, acc[slot * vectors + vector]);
                }
                if group == 8 {
                    // Two lanes an output.
                    let swapped = _mm512_shuffle_epi32::<0b1011_0001>(total);
                    let pairs = _mm512_add_epi32(total, swapped);
                    let half = _mm512_cvtepi64_epi32(pairs);
                    let bias = _mm256_loadu_si256(biases.as_ptr().cast());
                    let result = _mm256_add_epi32(half, bias);
                    _mm256_storeu_si256(sums.as_mut_ptr().cast(), result);
                } else {
                    let bias = _mm512_loadu_si512(biases.as_ptr().add(16 * vector).cast());
                    let result = _mm512_add_epi32(total, bias);
                    _mm512_storeu_si512(sums.as_mut_ptr().add(16 * vector).cast(), result);
                }
            }
        }
    }

    #[inline(always)]
    fn relu<const N: usize>(sums: &[i32; N], activations: &mut [Bytes]) {
        if !N.is_multiple_of(16) {
            return Scalar::relu(sums, activations);
        }
        assert!(activations.len() * 32 >= N);
        let out = activations.as_mut_ptr().cast::<u8>();
        for first in (0..N).step_by(16) {
            // SAFETY: the instructions exist (cfg of this module); 16 sums are left
            // to read, and as many activations to write.
            unsafe {
                let sums = _mm512_loadu_si512(sums.as_ptr().add(first).cast());
                let scaled = _mm512_srai_epi32::<6>(sums);
                let low = _mm512_max_epi32(scaled, _mm512_setzero_si512());
                let clipped = _mm512_min_epi32(low, _mm512_set1_epi32(127));
                _mm_storeu_si128(out.add(first).cast(), _mm512_cvtepi32_epi8(clipped));
            }
        }
    }

    #[inline(always)]
    fn dot(weights: &[Block], activations: &[Bytes]) -> i32 {
        assert!(weights.len() * 2 >= activations.len());
        let weights = weights.as_ptr().cast::<__m256i>();
        // SAFETY: the instructions exist (cfg of this module); there are as many
        // half blocks of weights as activations, both aligned to 32.
        unsafe {
            let mut sum = _mm512_setzero_si512();
            for (index, x) in activations.iter().enumerate() {
                let x = _mm256_load_si256((&raw const *x).cast());
                let w = _mm256_load_si256(weights.add(index));
                let (x, w) = (_mm512_zextsi256_si512(x), _mm512_zextsi256_si512(w));
                sum = _mm512_dpbusd_epi32(sum, x, w);
            }
            _mm512_reduce_add_epi32(sum)
        }
    }
}
