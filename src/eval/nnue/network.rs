//! A network in memory, as its file has it: what the reader fills, the trainer
//! writes, and inference brings into the order that is fast to compute.
//!
//! Inputs go through the *feature transformer* once for each side, `half` numbers
//! a side (the accumulator); both halves, the side to move's first, are clipped to
//! 0..127 and pass two hidden layers and the output layer.
//!
//! ```text
//! accumulator = biases + sum of the active inputs' weights            (i16)
//! x0          = clamp(accumulator, 0, 127), both sides                (u8)
//! x1          = clamp((biases + weights * x0) >> 6, 0, 127)           (i32 -> u8)
//! x2          = clamp((biases + weights * x1) >> 6, 0, 127)
//! output      = biases + weights * x2                                 (i32)
//! ```
//!
//! 127 stands for 1.0 in the activations and 64 for 1.0 in the layers' weights, so
//! that the output is 127 × 64 times what a network of real numbers would yield;
//! the score is the output divided by `FV_SCALE`. ("NNUE", Chess Programming Wiki;
//! Y. Nasu 2018.)

use super::features::FeatureSet;

/// Inputs of a layer's row are filled up to a multiple of this in files.
const ROW_UNIT: usize = 32;

/// The kinds of networks that are known: features and sizes of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Architecture {
    /// The inputs.
    pub features: FeatureSet,
    /// Width of the accumulator for one side.
    pub half: usize,
    /// Outputs of the first hidden layer.
    pub hidden1: usize,
    /// Outputs of the second hidden layer.
    pub hidden2: usize,
}

impl Architecture {
    /// K-P 256x2-32-32, the small one.
    pub const KP_256: Architecture = Architecture::new(FeatureSet::Kp, 256, 32, 32);
    /// HalfKP 256x2-32-32, the classic one.
    pub const HALFKP_256: Architecture = Architecture::new(FeatureSet::HalfKp, 256, 32, 32);
    /// All that are known.
    pub const ALL: [Architecture; 6] = [
        Architecture::KP_256,
        Architecture::HALFKP_256,
        Architecture::new(FeatureSet::HalfKp, 512, 8, 96),
        Architecture::new(FeatureSet::HalfKp, 512, 16, 32),
        Architecture::new(FeatureSet::HalfKp, 1024, 8, 32),
        Architecture::new(FeatureSet::HalfKp, 1024, 8, 64),
    ];

    const fn new(features: FeatureSet, half: usize, hidden1: usize, hidden2: usize) -> Self {
        Architecture {
            features,
            half,
            hidden1,
            hidden2,
        }
    }

    /// Inputs and outputs of the layers behind the feature transformer, in order.
    pub const fn layers(&self) -> [(usize, usize); 3] {
        [
            (2 * self.half, self.hidden1),
            (self.hidden1, self.hidden2),
            (self.hidden2, 1),
        ]
    }

    /// The short name: `HalfKP 512x2-8-96`.
    pub fn name(&self) -> String {
        let features = match self.features {
            FeatureSet::Kp => "K-P",
            FeatureSet::HalfKp => "HalfKP",
        };
        format!(
            "{features} {}x2-{}-{}",
            self.half, self.hidden1, self.hidden2
        )
    }

    /// The text in a file's header.
    pub fn description(&self) -> String {
        let inputs = 2 * self.half;
        let mut network = format!("InputSlice[{inputs}(0:{inputs})]");
        for (index, (inputs, outputs)) in self.layers().into_iter().enumerate() {
            if index > 0 {
                network = format!("ClippedReLU[{inputs}]({network})");
            }
            network = format!("AffineTransform[{outputs}<-{inputs}]({network})");
        }
        format!(
            "Features={}[{}->{}x2],Network={network}",
            self.features.name(),
            self.features.dimensions(),
            self.half
        )
    }

    /// The hash value of the feature transformer.
    pub const fn transformer_hash(&self) -> u32 {
        self.features.hash() ^ (2 * self.half) as u32
    }

    /// The hash value of the layers behind the feature transformer.
    pub fn layers_hash(&self) -> u32 {
        const INPUT_SLICE: u32 = 0xec42_e90d;
        const AFFINE: u32 = 0xcc03_dae4;
        const CLIPPED_RELU: u32 = 0x538d_24c7;
        let mut hash = INPUT_SLICE ^ (2 * self.half) as u32;
        for (index, (_, outputs)) in self.layers().into_iter().enumerate() {
            if index > 0 {
                hash = CLIPPED_RELU.wrapping_add(hash);
            }
            hash = AFFINE.wrapping_add(outputs as u32) ^ (hash >> 1) ^ (hash << 31);
        }
        hash
    }
}

/// Weights of a layer with the filling of its rows.
pub(super) const fn padded_len((inputs, outputs): (usize, usize)) -> usize {
    outputs * inputs.next_multiple_of(ROW_UNIT)
}

/// A fully connected layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Affine {
    inputs: usize,
    /// One an output.
    pub biases: Vec<i32>,
    /// Row by row, one row an output, each filled up as in files. What a file has
    /// in the filling is kept and means nothing.
    pub(super) weights: Vec<i8>,
}

impl Affine {
    fn new((inputs, outputs): (usize, usize)) -> Affine {
        Affine {
            inputs,
            biases: vec![0; outputs],
            weights: vec![0; padded_len((inputs, outputs))],
        }
    }

    /// Number of inputs.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Number of outputs.
    pub fn outputs(&self) -> usize {
        self.biases.len()
    }

    /// The weights of one output, by input.
    pub fn row(&self, output: usize) -> &[i8] {
        &self.weights[output * self.inputs.next_multiple_of(ROW_UNIT)..][..self.inputs]
    }

    /// The weights of one output, by input.
    pub fn row_mut(&mut self, output: usize) -> &mut [i8] {
        &mut self.weights[output * self.inputs.next_multiple_of(ROW_UNIT)..][..self.inputs]
    }
}

/// A network as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    architecture: Architecture,
    /// The header's text. It is for people: see [`super::format`].
    pub description: String,
    /// The feature transformer's hash value.
    pub(super) transformer_hash: u32,
    /// The accumulator without any active input; `half` of them.
    pub transformer_biases: Vec<i16>,
    /// By input, `half` of them for each.
    pub transformer_weights: Vec<i16>,
    /// The first and second hidden and the output layer.
    pub layers: [Affine; 3],
}

impl Network {
    /// A network of zeros.
    pub fn new(architecture: Architecture) -> Network {
        let Architecture { features, half, .. } = architecture;
        Network {
            architecture,
            description: architecture.description(),
            transformer_hash: architecture.transformer_hash(),
            transformer_biases: vec![0; half],
            transformer_weights: vec![0; features.dimensions() * half],
            layers: architecture.layers().map(Affine::new),
        }
    }

    /// Features and sizes.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_a_known_file() {
        // Header, feature transformer and layers of chess networks with the same
        // HalfKP(Friend) 256x2-32-32 (Stockfish 12's, Chess Programming Wiki).
        let classic = Architecture::HALFKP_256;
        assert_eq!(classic.transformer_hash(), 0x5d69_d7b8);
        assert_eq!(classic.layers_hash(), 0x6333_7156);
        assert_eq!(
            classic.transformer_hash() ^ classic.layers_hash(),
            0x3e5a_a6ee
        );
    }

    #[test]
    fn descriptions_are_those_of_the_tools() {
        assert_eq!(
            Architecture::HALFKP_256.description(),
            "Features=HalfKP(Friend)[125388->256x2],Network=AffineTransform[1<-32](ClippedReLU[32]\
             (AffineTransform[32<-32](ClippedReLU[32](AffineTransform[32<-512](InputSlice[512(0:512)\
             ])))))"
        );
        let kp = Architecture::KP_256.description();
        assert!(kp.starts_with("Features=K+P[1710->256x2],Network="), "{kp}");
        assert_eq!(Architecture::ALL[2].name(), "HalfKP 512x2-8-96");
        assert!(
            Architecture::ALL[2]
                .description()
                .contains("AffineTransform[96<-8](")
        );
    }

    #[test]
    fn rows_are_padded() {
        let mut layer = Affine::new((8, 96));
        assert_eq!(layer.weights.len(), 96 * 32);
        layer.row_mut(1).fill(3);
        assert_eq!(layer.weights[32..41], [3, 3, 3, 3, 3, 3, 3, 3, 0]);
        assert_eq!((layer.inputs(), layer.outputs()), (8, 96));
        assert_eq!(layer.row(1).len(), 8);
    }
}
