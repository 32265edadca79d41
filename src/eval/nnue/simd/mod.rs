//! The arithmetic of the layers behind the accumulators, once for each kind of
//! processor.
//!
//! A [`Backend`] is chosen at compile time ([`Native`]): AVX-512 with VNNI, AVX2,
//! NEON, or [`Scalar`], the reference that the others equal bit for bit. Updates
//! of accumulators are not here: they are plain sums, which the compiler turns into
//! the widest vectors by itself.
//!
//! An affine layer adds up columns: for each [`group`] of neighbouring inputs,
//! the inputs are broadcast over a vector and multiplied with that group's weights
//! of all outputs, which lie side by side. Unlike sums along rows this ends without
//! adding up the lanes of a vector for each output.

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512bw",
    target_feature = "avx512vnni"
))]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
mod scalar;

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
pub use avx2::Avx2;
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512bw",
    target_feature = "avx512vnni"
))]
pub use avx512::Avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub use neon::Neon;
pub use scalar::Scalar;

/// The fastest backend of the processor that this is compiled for.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512bw",
    target_feature = "avx512vnni"
))]
pub type Native = Avx512;
/// The fastest backend of the processor that this is compiled for.
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx2",
    not(all(target_feature = "avx512bw", target_feature = "avx512vnni"))
))]
pub type Native = Avx2;
/// The fastest backend of the processor that this is compiled for.
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub type Native = Neon;
/// The fastest backend of the processor that this is compiled for.
#[cfg(not(any(
    all(target_arch = "x86_64", target_feature = "avx2"),
    all(target_arch = "aarch64", target_feature = "neon")
)))]
pub type Native = Scalar;

/// Numbers of an accumulator in one [`Lanes`], and activations in one [`Bytes`].
pub const WIDTH: usize = 32;

/// A piece of an accumulator, or of the weights that are added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Lanes(pub [i16; WIDTH]);

/// Activations, each 0..=127.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Bytes(pub [u8; WIDTH]);

impl Bytes {
    /// Nothing active.
    pub const ZERO: Bytes = Bytes([0; WIDTH]);
}

/// Weights of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i8; 64]);

/// How many neighbouring inputs lie side by side in the weights of a layer with
/// `outputs` outputs: enough that those of all outputs fill a [`Block`].
pub const fn group(outputs: usize) -> usize {
    if outputs < 16 { 8 } else { 4 }
}

/// Where the weight of an input for an output lies among the bytes of the blocks.
pub const fn weight_index(outputs: usize, input: usize, output: usize) -> usize {
    let group = group(outputs);
    (input / group * outputs + output) * group + input % group
}

/// Arithmetic of one kind of processor.
pub trait Backend: Copy + Send + Sync + 'static {
    /// What messages call it.
    const NAME: &'static str;

    /// Clips accumulator numbers to 0..=127; the slices are equally long.
    fn clip(sums: &[Lanes], activations: &mut [Bytes]);

    /// `sums = biases + weights × activations` of the first `inputs` activations,
    /// a multiple of the group. The weights lie as [`weight_index`] says, and
    /// `OUT × group` is a multiple of 64.
    fn affine<const OUT: usize>(
        biases: &[i32; OUT],
        weights: &[Block],
        activations: &[Bytes],
        inputs: usize,
        sums: &mut [i32; OUT],
    );

    /// `activations = clamp(sums >> 6, 0, 127)`; a multiple of 8 of them.
    fn relu<const N: usize>(sums: &[i32; N], activations: &mut [Bytes]);

    /// The sum of `weights × activations` over all of `activations`.
    fn dot(weights: &[Block], activations: &[Bytes]) -> i32;
}

/// Checks the sizes that [`Backend::affine`]'s kernels rely on.
#[inline(always)]
fn check_sizes<const OUT: usize>(weights: &[Block], activations: &[Bytes], inputs: usize) {
    const { assert!((OUT * group(OUT)).is_multiple_of(64)) };
    assert!(inputs.is_multiple_of(group(OUT)));
    assert!(weights.len() * 64 == inputs * OUT);
    assert!(activations.len() * WIDTH >= inputs);
}
