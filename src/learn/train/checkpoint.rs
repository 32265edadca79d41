//! Checkpoints: a training as a file, to go on with later exactly where it was.
//!
//! A line of JSON with the settings, the data and the progress, then the numbers as
//! little-endian `f32`, in the order of `arrays`. Files appear whole or not at all.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::core::files;
use crate::learn::FileError;
use crate::learn::train::model::Model;
use crate::learn::train::optimizer::Adam;

/// The longest header that is one: 100,000 passes of some 400 bytes each fit.
const MAX_HEADER: u64 = 1 << 26;

/// The numbers of a training.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The network.
    pub model: Model,
    /// Adam's memory of the weights of the inputs, a row an input.
    pub input: Adam,
    /// Adam's memory of all other parameters, in one row.
    pub dense: Adam,
}

impl State {
    /// A training that has not begun.
    pub fn new(model: Model) -> State {
        let half = model.architecture.half;
        State {
            input: Adam::new(model.input.len() / half, half),
            dense: Adam::new(1, model.dense.len()),
            model,
        }
    }

    fn arrays(&mut self) -> [&mut Vec<f32>; 6] {
        [
            &mut self.model.input,
            &mut self.model.dense,
            &mut self.input.mean,
            &mut self.input.square,
            &mut self.dense.mean,
            &mut self.dense.square,
        ]
    }

    fn clocks(&mut self) -> [&mut Vec<u32>; 2] {
        [&mut self.input.clocks, &mut self.dense.clocks]
    }
}

/// Writes a checkpoint.
pub fn save(path: &Path, header: &impl Serialize, state: &mut State) -> Result<(), FileError> {
    files::replace(path, |out| {
        serde_json::to_writer(&mut *out, header)?;
        out.write_all(b"\n")?;
        for array in state.arrays() {
            write_words(out, array, |x| x.to_le_bytes())?;
        }
        for clocks in state.clocks() {
            write_words(out, clocks, |x| x.to_le_bytes())?;
        }
        Ok(())
    })
    .map_err(FileError::at(path))
}

fn write_words<T: Copy>(
    out: &mut impl Write,
    words: &[T],
    bytes: impl Fn(T) -> [u8; 4],
) -> io::Result<()> {
    for &word in words {
        out.write_all(&bytes(word))?;
    }
    Ok(())
}

/// A checkpoint whose header has been read.
pub struct Opened<H> {
    /// What the header says.
    pub header: H,
    file: BufReader<File>,
    path: PathBuf,
}

fn damaged(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message.into())
}

/// Opens a checkpoint.
pub fn open<H: DeserializeOwned>(path: &Path) -> Result<Opened<H>, FileError> {
    let read = || -> io::Result<Opened<H>> {
        let mut file = BufReader::new(File::open(path)?);
        let mut line = Vec::new();
        file.by_ref()
            .take(MAX_HEADER)
            .read_until(b'\n', &mut line)?;
        let header = serde_json::from_slice(&line)
            .map_err(|error| damaged(format!("no checkpoint of this version: {error}")))?;
        Ok(Opened {
            header,
            file,
            path: path.to_path_buf(),
        })
    };
    read().map_err(FileError::at(path))
}

impl<H> Opened<H> {
    /// Reads the numbers into a state of the same sizes.
    pub fn read(&mut self, state: &mut State) -> Result<(), FileError> {
        let mut read = || -> io::Result<()> {
            for array in state.arrays() {
                read_words(&mut self.file, array, f32::from_le_bytes)?;
                if !array.iter().all(|x| x.is_finite()) {
                    return Err(damaged("a damaged checkpoint: some numbers are none"));
                }
            }
            for clocks in state.clocks() {
                read_words(&mut self.file, clocks, u32::from_le_bytes)?;
            }
            match self.file.read(&mut [0])? {
                0 => Ok(()),
                _ => Err(damaged("a damaged checkpoint: it is too long")),
            }
        };
        read().map_err(FileError::at(&self.path))
    }
}

fn read_words<T>(
    file: &mut impl Read,
    words: &mut [T],
    word: impl Fn([u8; 4]) -> T,
) -> io::Result<()> {
    for place in words {
        let mut bytes = [0; 4];
        file.read_exact(&mut bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => damaged("a damaged checkpoint: it is too short"),
                _ => error,
            })?;
        *place = word(bytes);
    }
    Ok(())
}
