//! A network in the order that is fast to compute, its sizes known to the compiler.

use super::features::FeatureSet;
use super::network::{Affine, Architecture, Network};
use super::simd::{Backend, Block, Bytes, Lanes, WIDTH, weight_index};

/// One side's accumulator, or what an input adds to it; `ROW` × [`WIDTH`] numbers.
pub(super) type Row<const ROW: usize> = [Lanes; ROW];

/// A network of one [`Architecture`]: `HALF_KP` or K-P inputs, accumulators of
/// `ROW` × [`WIDTH`] numbers, hidden layers of `H1` and `H2`.
pub(super) struct Model<const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize> {
    pub biases: Row<ROW>,
    /// By input.
    pub weights: Vec<Row<ROW>>,
    hidden1: Layer<H1>,
    hidden2: Layer<H2>,
    output_bias: i32,
    output: Vec<Block>,
}

/// A layer with its weights as [`Backend::affine`] wants them.
struct Layer<const OUT: usize> {
    biases: [i32; OUT],
    weights: Vec<Block>,
}

impl<const OUT: usize> Layer<OUT> {
    fn new(affine: &Affine) -> Layer<OUT> {
        let mut weights = vec![Block([0; 64]); OUT * affine.inputs() / 64];
        for output in 0..OUT {
            for (input, &weight) in affine.row(output).iter().enumerate() {
                let at = weight_index(OUT, input, output);
                weights[at / 64].0[at % 64] = weight;
            }
        }
        Layer {
            biases: std::array::from_fn(|output| affine.biases[output]),
            weights,
        }
    }
}

/// Numbers in rows.
fn rows<const ROW: usize>(numbers: &[i16]) -> impl Iterator<Item = Row<ROW>> {
    numbers.chunks_exact(ROW * WIDTH).map(|numbers| {
        let (lanes, _) = numbers.as_chunks::<WIDTH>();
        std::array::from_fn(|index| Lanes(lanes[index]))
    })
}

impl<const HALF_KP: bool, const ROW: usize, const H1: usize, const H2: usize>
    Model<HALF_KP, ROW, H1, H2>
{
    pub const FEATURES: FeatureSet = if HALF_KP {
        FeatureSet::HalfKp
    } else {
        FeatureSet::Kp
    };

    /// The architecture that the parameters stand for.
    pub const ARCHITECTURE: Architecture = Architecture {
        features: Self::FEATURES,
        half: ROW * WIDTH,
        hidden1: H1,
        hidden2: H2,
    };

    /// The model of a network of this architecture.
    pub fn new(network: &Network) -> Self {
        assert_eq!(network.architecture(), Self::ARCHITECTURE);
        let [hidden1, hidden2, output] = &network.layers;
        let mut last = vec![Block([0; 64]); H2.div_ceil(64)];
        for (index, &weight) in output.row(0).iter().enumerate() {
            last[index / 64].0[index % 64] = weight;
        }
        let [biases] = rows(&network.transformer_biases)
            .collect::<Vec<_>>()
            .try_into()
            .expect("one row of biases");
        Model {
            biases,
            weights: rows(&network.transformer_weights).collect(),
            hidden1: Layer::new(hidden1),
            hidden2: Layer::new(hidden2),
            output_bias: output.biases[0],
            output: last,
        }
    }

    /// The network's output for two accumulators, the side to move's first.
    #[inline]
    pub fn propagate<B: Backend>(&self, own: &Row<ROW>, other: &Row<ROW>) -> i32 {
        /// More than any second hidden layer has.
        const MAX: usize = 4;
        const { assert!(H1 <= WIDTH && H2.is_multiple_of(WIDTH) && H2 <= MAX * WIDTH) };
        let mut x0 = [[Bytes::ZERO; ROW]; 2];
        B::clip(own, &mut x0[0]);
        B::clip(other, &mut x0[1]);
        let (x0, mut sums) = (x0.as_flattened(), [0; H1]);
        let Layer { biases, weights } = &self.hidden1;
        B::affine(biases, weights, x0, x0.len() * WIDTH, &mut sums);
        let mut x1 = [Bytes::ZERO];
        B::relu(&sums, &mut x1);
        let Layer { biases, weights } = &self.hidden2;
        let mut sums = [0; H2];
        B::affine(biases, weights, &x1, H1, &mut sums);
        let mut x2 = [Bytes::ZERO; MAX];
        B::relu(&sums, &mut x2);
        self.output_bias
            .wrapping_add(B::dot(&self.output, &x2[..H2 / WIDTH]))
    }
}
