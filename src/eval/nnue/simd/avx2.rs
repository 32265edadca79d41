//! AVX2: pairs of products in 16 bits, which cannot overflow: activations are at
//! most 127, weights at least -128.

use std::arch::x86_64::*;

use super::{Backend, Block, Bytes, Lanes, Scalar, check_sizes, group};

/// x86-64 processors with AVX2.
#[derive(Clone, Copy, Debug)]
pub struct Avx2;

/// Running sums of the largest layer: 96 outputs.
const SUMS: usize = 12;

/// `sum` and, for each 32-bit lane, four products.
///
/// # Safety
///
/// The processor has AVX2.
#[inline(always)]
unsafe fn add_products(sum: __m256i, x: __m256i, w: __m256i) -> __m256i {
    // SAFETY: as the caller promises.
    unsafe {
        let pairs = _mm256_maddubs_epi16(x, w);
        _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)))
    }
}

impl Backend for Avx2 {
    const NAME: &'static str = "AVX2";

    #[inline]
    fn clip(sums: &[Lanes], activations: &mut [Bytes]) {
        for (sums, activations) in sums.iter().zip(activations) {
            let sums = (&raw const *sums).cast::<__m256i>();
            // SAFETY: the instructions exist (cfg of this module); `Lanes` are two
            // aligned vectors, `Bytes` are one.
            unsafe {
                let (a, b) = (_mm256_load_si256(sums), _mm256_load_si256(sums.add(1)));
                // Saturates to -128..127, half by half.
                let packed = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi16(a, b));
                let clipped = _mm256_max_epi8(packed, _mm256_setzero_si256());
                _mm256_store_si256((&raw mut *activations).cast(), clipped);
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
        let vectors = const { OUT * super::group(OUT) / 32 };
        const { assert!(OUT * super::group(OUT) / 32 <= SUMS) };
        // SAFETY: the instructions exist (cfg of this module). `check_sizes` has
        // made sure that the activations of every group and `vectors` half blocks
        // of weights for it are there; blocks are aligned to 64.
        unsafe {
            let mut acc = [_mm256_setzero_si256(); SUMS];
            let activations = activations.as_ptr().cast::<u8>();
            let weights = weights.as_ptr().cast::<__m256i>();
            for index in 0..inputs / group {
                let at = activations.add(index * group);
                let x = if group == 8 {
                    _mm256_set1_epi64x(at.cast::<i64>().read_unaligned())
                } else {
                    _mm256_set1_epi32(at.cast::<i32>().read_unaligned())
                };
                for (vector, sum) in acc[..vectors].iter_mut().enumerate() {
                    let w = _mm256_load_si256(weights.add(index * vectors + vector));
                    *sum = add_products(*sum, x, w);
                }
            }
            let mut lanes = [[0i32; 8]; SUMS];
            for (lanes, &sum) in lanes.iter_mut().zip(&acc[..vectors]) {
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum);
            }
            let lanes = lanes.as_flattened();
            for (output, sum) in sums.iter_mut().enumerate() {
                *sum = if group == 8 {
                    biases[output]
                        .wrapping_add(lanes[2 * output])
                        .wrapping_add(lanes[2 * output + 1])
                } else {
                    biases[output].wrapping_add(lanes[output])
                };
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
        let weights = weights.as_ptr().cast::<__m256i>();
        // SAFETY: the instructions exist (cfg of this module); there are as many
        // half blocks of weights as activations, both aligned to 32.
        unsafe {
            let mut sum = _mm256_setzero_si256();
            for (index, x) in activations.iter().enumerate() {
                let x = _mm256_load_si256((&raw const *x).cast());
                sum = add_products(sum, x, _mm256_load_si256(weights.add(index)));
            }
            let mut lanes = [0i32; 8];
            _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sum);
            lanes.iter().sum()
        }
    }
}
