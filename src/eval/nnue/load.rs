//! From a path to a network that is ready to evaluate.
//!
//! A relative path is looked for in the current folder, then in that of the program,
//! as for opening books: GUIs differ in which one they start engines in.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::format::{FormatError, MAX_FILE};
use super::{Network, Nnue};

/// A file in the state that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    size: u64,
    modified: Option<SystemTime>,
}

/// Why there is no network.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No file in any of the places.
    #[error("no evaluation file {0}")]
    NotFound(String),
    /// The file cannot be read.
    #[error("cannot read the evaluation file {}: {error}", path.display())]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// It is no network file that can be used.
    #[error("the evaluation file {} cannot be used: {error}", path.display())]
    Format {
        /// Its path.
        path: PathBuf,
        /// What is wrong with it.
        error: FormatError,
    },
}

/// Finds a file.
///
/// # Errors
/// When there is none in any of the places.
pub fn find(path: &Path) -> Result<Source, LoadError> {
    let program = std::env::current_exe().ok();
    let mut places = vec![path.to_path_buf()];
    if let Some(folder) = program.as_deref().and_then(Path::parent)
        && path.is_relative()
    {
        places.push(folder.join(path));
    }
    for place in &places {
        if let Ok(metadata) = place.metadata()
            && metadata.is_file()
        {
            return Ok(Source {
                path: place.clone(),
                size: metadata.len(),
                modified: metadata.modified().ok(),
            });
        }
    }
    let places: Vec<String> = places
        .iter()
        .map(|place| place.display().to_string())
        .collect();
    Err(LoadError::NotFound(places.join(" or ")))
}

/// Reads a network file.
///
/// # Errors
/// When it cannot be read or used.
pub fn load(source: &Source) -> Result<Nnue, LoadError> {
    let path = &source.path;
    let unreadable = |error| LoadError::Unreadable {
        path: path.clone(),
        error,
    };
    if source.size > MAX_FILE {
        let error = format!("{} bytes are more than any network has", source.size);
        return Err(unreadable(io::Error::other(error)));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    let format = |error| LoadError::Format {
        path: path.clone(),
        error,
    };
    let network = Network::read(&bytes).map_err(format)?;
    // Up to 250 MB that are not needed any more.
    drop(bytes);
    Nnue::new(&network).ok_or_else(|| {
        let architecture = network.architecture();
        format(FormatError::Architecture {
            description: architecture.name(),
            got: source.size as usize,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::nnue::Architecture;
    use crate::eval::nnue::tests::random_network;

    #[test]
    fn files_are_found_and_read_or_the_reason_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("nn.bin");
        let message = |error: LoadError| error.to_string();
        assert_eq!(
            find(&path).map_err(message),
            Err(format!("no evaluation file {}", path.display()))
        );
        assert!(find(dir.path()).is_err());

        let mut bytes = Vec::new();
        let network = random_network(Architecture::KP_256, 1);
        network.write(&mut bytes).unwrap();
        fs::write(&path, &bytes).unwrap();
        let source = find(&path).unwrap();
        let nnue = load(&source).unwrap();
        assert_eq!(nnue.architecture(), Architecture::KP_256);

        fs::write(&path, &bytes[..1000]).unwrap();
        let short = find(&path).unwrap();
        assert_ne!(short, source);
        let error = load(&short).unwrap_err().to_string();
        assert!(
            error.ends_with(&format!(" has {} bytes, the file has 1000", bytes.len())),
            "{error}"
        );
        fs::remove_file(&path).unwrap();
        assert!(matches!(load(&short), Err(LoadError::Unreadable { .. })));
    }
}
