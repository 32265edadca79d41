//! Learning: positions of self-play with what became of them, networks trained on
//! them, and weights fitted to them.
//!
//! | file | what it holds |
//! |---|---|
//! | `packed` | a position in 32 bytes |
//! | `record` | a training position in 40 bytes, and files of them |
//! | `selfplay` | one game of the engine against itself, from a random balanced start |
//! | `gensfen` | many of them into a file, on many threads, resumable |
//! | `stats` | what a data file holds, and what in it is damaged |
//! | `shuffle` | data files in random order, larger than memory |
//! | `fit` | the hand-written evaluation's weights by logistic regression |
//! | `weights_file` | these weights as source text |
//! | `train` | networks, trained on the processor |
//! | `games` | what self-play needs of a game; records of wa shogi |
//! | `random` | reproducible random numbers |
//!
//! The commands are `tsuru learn ...`; `docs` tells how the present weights were
//! made.

pub mod fit;
pub mod games;
pub mod gensfen;
pub mod packed;
pub mod random;
pub mod record;
pub mod selfplay;
pub mod shuffle;
pub mod stats;
pub mod train;
pub mod weights_file;

use std::io;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}", path.display())]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: io::Error,
}

impl FileError {
    /// For `map_err`: the error with the file that it is about.
    fn at(path: &Path) -> impl FnOnce(io::Error) -> FileError {
        let path = path.to_path_buf();
        move |source| FileError { path, source }
    }
}
