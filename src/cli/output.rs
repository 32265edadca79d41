//! The files that a command writes.
//!
//! One rule for all: a file is written whole or not at all; what is there stays unless
//! `--force` is given; what the command reads is never written over, as a reader may
//! have left something out; and no output takes the place of another one.

use std::collections::HashSet;
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use tsuru::core::files;

/// The outputs of a run.
pub struct Outputs {
    /// The files that are read.
    inputs: HashSet<PathBuf>,
    taken: Mutex<HashSet<PathBuf>>,
    force: bool,
}

impl Outputs {
    /// The outputs of a run that reads these files; `force` lets it write over others.
    pub fn new<'a>(inputs: impl IntoIterator<Item = &'a Path>, force: bool) -> Outputs {
        Outputs {
            inputs: inputs.into_iter().map(real_path).collect(),
            taken: Mutex::new(HashSet::new()),
            force,
        }
    }

    /// Sets a path aside for one output.
    ///
    /// # Errors
    /// When it is a file that is read, or another output's.
    pub fn claim(&self, path: &Path) -> anyhow::Result<()> {
        if is_device(path) || is_stdout(path) {
            return Ok(());
        }
        let real = real_path(path);
        if self.inputs.contains(&real) {
            bail!(
                "{} is read by this command and not written over: write to another place",
                path.display()
            );
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if !taken.insert(real) {
            bail!(
                "{} is the place of another output, too: take them one by one, or name a folder \
                 (with a / at its end)",
                path.display()
            );
        }
        Ok(())
    }

    /// Whether the path may be written to: nothing is there, or `--force` is given.
    ///
    /// # Errors
    /// When it may not.
    pub fn check(&self, path: &Path) -> anyhow::Result<()> {
        if path.is_dir() {
            bail!(
                "{} is a folder, and the name of a file here",
                path.display()
            );
        }
        if !self.force && path.exists() && !is_stdout(path) && !is_device(path) {
            bail!("{} exists; --force writes over it", path.display());
        }
        Ok(())
    }
}

/// Whether a path stands for standard output.
pub fn is_stdout(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether a path leads to something that is written to and never replaced: a terminal,
/// a pipe, `/dev/null`.
fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// The path without links and detours, as far as it exists.
fn real_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let real = path.ancestors().find_map(|there| {
        let real = fs::canonicalize(there).ok()?;
        let rest = path.strip_prefix(there).ok()?;
        Some(if rest.as_os_str().is_empty() {
            real
        } else {
            real.join(rest)
        })
    });
    real.unwrap_or(path)
}

/// Writes a file whole or not at all, with the folders that it lies in. A file that is
/// replaced keeps its permissions, and a link still leads to it. `-` is standard output.
pub fn write_whole(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stdout(path) {
        return Ok(stdout().lock().write_all(bytes)?);
    }
    let context = || format!("cannot write {}", path.display());
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).with_context(context)?;
    }
    files::replace(path, |out| out.write_all(bytes)).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_others_and_what_exists_are_safe() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        fs::write(at("in"), "input").unwrap();
        fs::write(at("old"), "old").unwrap();
        let outputs = Outputs::new([at("in").as_path()], true);
        for (name, refused) in [
            ("sub/../in", "is read by this command"),
            ("sub/../new/x", ""),
            ("new/x", "another output"),
            ("old", ""),
        ] {
            let message = outputs.claim(&at(name)).err().map(|e| e.to_string());
            assert_eq!(message.is_some(), !refused.is_empty(), "{name}");
            assert!(message.unwrap_or_default().contains(refused), "{name}");
        }
        assert!(outputs.check(&at("old")).is_ok());
        let careful = Outputs::new([], false);
        assert!(careful.check(&at("old")).is_err() && careful.check(&at("new")).is_ok());
        assert!(outputs.check(&at("sub")).is_err());
    }

    #[test]
    fn files_are_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path().join("a")).unwrap().count(), 1);
        // A folder is no file.
        assert!(write_whole(&dir.path().join("a"), b"x").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        symlink(&file, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let outputs = Outputs::new([file.as_path()], true);
        assert!(outputs.claim(&link).is_err());
    }
}
