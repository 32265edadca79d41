//! Network files: the classic NNUE format of shogi programs, read and written.
//!
//! Everything is little-endian:
//!
//! | what | type |
//! |---|---|
//! | version, 0x7AF32F16 | u32 |
//! | hash: transformer's ^ layers' | u32 |
//! | length of the description, and the description | u32, text |
//! | hash of the feature transformer | u32 |
//! | its biases (`half`), its weights (by input, `half` each) | i16 |
//! | hash of the layers | u32 |
//! | for each layer: biases, weights by output in rows of 32·n inputs | i32, i8 |
//!
//! Trainers are known to leave a description that is not that of their network.
//! The sizes of the [six architectures](Architecture::ALL) are all different, so the
//! size decides, and the description need only name the same feature set, if it
//! names one. Hashes must fit the sizes: a program with another idea of the layers
//! would compute nonsense. One exception: of `K+P`'s own hash there was no outside
//! example when this was written, so that any value passes as long as the three
//! hashes agree with each other.

use std::io::{self, Write};

use super::features::FeatureSet;
use super::network::{Affine, Architecture, Network, padded_len};

/// The format's version.
const VERSION: u32 = 0x7af3_2f16;
/// Longer descriptions are damage.
const MAX_DESCRIPTION: usize = 4096;
/// No known architecture's file is larger, with the longest description.
pub const MAX_FILE: u64 = 300 << 20;

/// Why bytes are no network file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// Too short for a header.
    #[error("no network file: it ends after {0} bytes, within the header")]
    Header(usize),
    /// The first number is not the format's version.
    #[error("no network file of a known version: it begins with {0:#010x}, not {VERSION:#010x}")]
    Version(u32),
    /// No text after the length.
    #[error("damaged header: the description is no text of at most {MAX_DESCRIPTION} bytes")]
    Description,
    /// The description is that of a known architecture, the size is not.
    #[error("{name} with this header has {wanted} bytes, the file has {got}")]
    Size {
        /// Name of the architecture.
        name: String,
        /// Bytes that the file should have.
        wanted: usize,
        /// Bytes that it has.
        got: usize,
    },
    /// Neither description nor size is known.
    #[error("unknown architecture: {got} bytes, `{description}`")]
    Architecture {
        /// The beginning of the description, unprintable characters replaced.
        description: String,
        /// Bytes of the file.
        got: usize,
    },
    /// The description names another feature set than the size.
    #[error("the size is that of {name}, but the header says `{description}`")]
    Features {
        /// Name of the architecture that has the size.
        name: String,
        /// The beginning of the description, unprintable characters replaced.
        description: String,
    },
    /// A hash is not that of the architecture.
    #[error("wrong hash of the {part}: {got:#010x}, {name} has {wanted:#010x}")]
    Hash {
        /// What it is the hash of.
        part: &'static str,
        /// Name of the architecture that has the size.
        name: String,
        /// The file's.
        got: u32,
        /// What it should be.
        wanted: u32,
    },
}

/// Reads numbers from bytes whose number was checked before.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(count)?;
        self.0 = tail;
        Some(head)
    }

    fn u32(&mut self) -> Option<u32> {
        let (&head, tail) = self.0.split_first_chunk()?;
        self.0 = tail;
        Some(u32::from_le_bytes(head))
    }

    fn fill<T, const N: usize>(&mut self, numbers: &mut [T], convert: fn([u8; N]) -> T) {
        let (chunks, _) = self.0.as_chunks::<N>();
        debug_assert!(chunks.len() >= numbers.len());
        for (number, &chunk) in numbers.iter_mut().zip(chunks) {
            *number = convert(chunk);
        }
        self.0 = &self.0[N * numbers.len()..];
    }
}

/// Bytes that a network takes behind the description.
fn body_len(architecture: &Architecture) -> usize {
    let inputs = architecture.features.dimensions();
    let layers: usize = architecture
        .layers()
        .into_iter()
        .map(|shape| 4 * shape.1 + padded_len(shape))
        .sum();
    4 + 2 * architecture.half * (1 + inputs) + 4 + layers
}

/// The feature set's name, where a description tells it.
fn features_of(description: &str) -> Option<&str> {
    let (_, rest) = description.split_once("Features=")?;
    Some(rest.split('[').next().unwrap_or(rest).trim())
}

/// A description for messages.
fn printable(description: &str) -> String {
    const LIMIT: usize = 80;
    let mut text: String = description
        .chars()
        .take(LIMIT)
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    if description.chars().nth(LIMIT).is_some() {
        text.push_str("...");
    }
    text
}

/// What a header says, and what comes behind it.
struct Header<'a> {
    hash: u32,
    description: &'a str,
    body: &'a [u8],
}

fn header(bytes: &[u8]) -> Result<Header<'_>, FormatError> {
    let short = || FormatError::Header(bytes.len());
    let mut cursor = Cursor(bytes);
    let version = cursor.u32().ok_or_else(short)?;
    if version != VERSION {
        return Err(FormatError::Version(version));
    }
    let hash = cursor.u32().ok_or_else(short)?;
    let length = cursor.u32().ok_or_else(short)? as usize;
    if length > MAX_DESCRIPTION {
        return Err(FormatError::Description);
    }
    let description = cursor.take(length).ok_or_else(short)?;
    let description = std::str::from_utf8(description).map_err(|_| FormatError::Description)?;
    Ok(Header {
        hash,
        description,
        body: cursor.0,
    })
}

/// The architecture of a file, by its size.
fn architecture(header: &Header, file_len: usize) -> Result<Architecture, FormatError> {
    let description = header.description;
    let found = Architecture::ALL
        .into_iter()
        .find(|architecture| body_len(architecture) == header.body.len());
    let Some(found) = found else {
        let named = Architecture::ALL
            .into_iter()
            .find(|architecture| architecture.description() == description);
        return Err(match named {
            Some(named) => FormatError::Size {
                name: named.name(),
                wanted: file_len - header.body.len() + body_len(&named),
                got: file_len,
            },
            None => FormatError::Architecture {
                description: printable(description),
                got: file_len,
            },
        });
    };
    match features_of(description) {
        Some(name) if name != found.features.name() => Err(FormatError::Features {
            name: found.name(),
            description: printable(description),
        }),
        _ => Ok(found),
    }
}

impl Network {
    /// Reads a network file.
    pub fn read(bytes: &[u8]) -> Result<Network, FormatError> {
        let header = header(bytes)?;
        let architecture = architecture(&header, bytes.len())?;
        let mut network = Network::new(architecture);
        let mut cursor = Cursor(header.body);
        let short = || FormatError::Header(bytes.len());
        let hash_error = |part, got, wanted| FormatError::Hash {
            part,
            name: architecture.name(),
            got,
            wanted,
        };

        let hash = cursor.u32().ok_or_else(short)?;
        let wanted = match architecture.features {
            FeatureSet::HalfKp => architecture.transformer_hash(),
            FeatureSet::Kp => header.hash ^ architecture.layers_hash(),
        };
        if hash != wanted {
            return Err(hash_error("feature transformer", hash, wanted));
        }
        network.transformer_hash = hash;
        cursor.fill(&mut network.transformer_biases, i16::from_le_bytes);
        cursor.fill(&mut network.transformer_weights, i16::from_le_bytes);

        let hash = cursor.u32().ok_or_else(short)?;
        let wanted = architecture.layers_hash();
        if hash != wanted {
            return Err(hash_error("layers", hash, wanted));
        }
        for Affine {
            biases, weights, ..
        } in &mut network.layers
        {
            cursor.fill(biases, i32::from_le_bytes);
            cursor.fill(weights, i8::from_le_bytes);
        }

        let wanted = network.hash();
        if header.hash != wanted {
            return Err(hash_error("whole", header.hash, wanted));
        }
        network.description = header.description.to_string();
        Ok(network)
    }

    /// Writes the network file, byte for byte as it was if it was read from one.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let description = self.description.as_bytes();
        let length = u32::try_from(description.len()).map_err(io::Error::other)?;
        for number in [VERSION, self.hash(), length] {
            out.write_all(&number.to_le_bytes())?;
        }
        out.write_all(description)?;
        out.write_all(&self.transformer_hash.to_le_bytes())?;
        write_all(out, &self.transformer_biases, i16::to_le_bytes)?;
        write_all(out, &self.transformer_weights, i16::to_le_bytes)?;
        out.write_all(&self.architecture().layers_hash().to_le_bytes())?;
        for layer in &self.layers {
            write_all(out, &layer.biases, i32::to_le_bytes)?;
            write_all(out, &layer.weights, i8::to_le_bytes)?;
        }
        Ok(())
    }

    /// The hash of the whole.
    fn hash(&self) -> u32 {
        self.transformer_hash ^ self.architecture().layers_hash()
    }
}

fn write_all<T: Copy, const N: usize>(
    out: &mut impl Write,
    numbers: &[T],
    convert: fn(T) -> [u8; N],
) -> io::Result<()> {
    /// Numbers converted at a time.
    const BLOCK: usize = 4096;
    let mut bytes = Vec::with_capacity(BLOCK * N);
    for block in numbers.chunks(BLOCK) {
        bytes.clear();
        bytes.extend(block.iter().flat_map(|&number| convert(number)));
        out.write_all(&bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::tests::random_network as random;

    fn file(network: &Network) -> Vec<u8> {
        let mut bytes = Vec::new();
        network.write(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn every_architecture_round_trips_byte_for_byte() {
        for architecture in Architecture::ALL {
            let network = random(architecture, 1);
            let bytes = file(&network);
            assert!(bytes.len() as u64 + (MAX_DESCRIPTION as u64) < MAX_FILE);
            let again = Network::read(&bytes).unwrap();
            assert!(again == network, "{}", architecture.name());
            assert!(file(&again) == bytes, "{}", architecture.name());
        }
    }

    #[test]
    fn sizes_are_all_different() {
        let mut sizes = Architecture::ALL.map(|architecture| body_len(&architecture));
        sizes.sort_unstable();
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]));
        // Of the classic network's file: 12 bytes, 178 of description, and this.
        assert_eq!(body_len(&Architecture::HALFKP_256), 64_217_066 - 12 - 178);
    }

    #[test]
    fn every_cut_is_refused_with_the_reason() {
        let bytes = file(&random(Architecture::KP_256, 2));
        for length in (0..400).chain((400..bytes.len()).step_by(997)) {
            let error = Network::read(&bytes[..length]).unwrap_err();
            let header = 12 + Architecture::KP_256.description().len();
            assert_eq!(
                matches!(error, FormatError::Header(_)),
                length < header,
                "{length}: {error}"
            );
            if length >= header {
                let wanted = bytes.len();
                assert_eq!(
                    error.to_string(),
                    format!(
                        "K-P 256x2-32-32 with this header has {wanted} bytes, the file has {length}"
                    )
                );
            }
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(matches!(
            Network::read(&longer),
            Err(FormatError::Size { .. })
        ));
    }

    #[test]
    fn damage_of_the_header_and_of_hashes_is_named() {
        let network = random(Architecture::KP_256, 3);
        let bytes = file(&network);
        let description = network.description.len();
        let damaged = |at: usize| {
            let mut copy = bytes.clone();
            copy[at] ^= 0x80;
            Network::read(&copy).unwrap_err().to_string()
        };
        assert!(
            damaged(0).contains("begins with 0x7af32f96"),
            "{}",
            damaged(0)
        );
        assert!(damaged(4).contains("wrong hash"), "{}", damaged(4));
        assert!(damaged(11).contains("description"), "{}", damaged(11));
        assert!(damaged(13).contains("no text"), "{}", damaged(13));
        let transformer = 12 + description;
        assert!(damaged(transformer).contains("feature transformer"));
        let layers = transformer + 4 + 2 * 256 * (1 + 1710);
        assert!(damaged(layers).contains("wrong hash of the layers"));
    }

    #[test]
    fn descriptions_are_for_people() {
        let mut network = random(Architecture::KP_256, 4);
        for text in ["", "a net", "Features=K+P[1710->999x2],Network=?"] {
            network.description = text.to_string();
            assert!(Network::read(&file(&network)).unwrap() == network);
        }
        network.description = Architecture::HALFKP_256.description();
        let error = Network::read(&file(&network)).unwrap_err();
        assert!(matches!(error, FormatError::Features { .. }), "{error}");
        let strange = {
            let mut bytes = file(&random(Architecture::KP_256, 5));
            bytes.truncate(5000);
            let at = bytes.iter().position(|&byte| byte == b'+').unwrap();
            bytes[at] = b'\n';
            bytes
        };
        let error = Network::read(&strange).unwrap_err().to_string();
        assert!(
            error.starts_with("unknown architecture: 5000 bytes, `Features=K?P[1710->256x2],"),
            "{error}"
        );
    }
}
