//! Game records on the command line: files, folders and standard input.

use std::fs::{self, File};
use std::io::{Read, stdin};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tsuru::record::{self, Reading, Severity};
use tsuru::shogi::Rules;

/// Extensions of files that are looked at in folders.
const EXTENSIONS: [&str; 10] = [
    "kif", "kifu", "ki2", "ki2u", "csa", "jkf", "json", "usi", "sfen", "bod",
];

/// No file of records is larger; what is may well be without end.
const MAX_BYTES: u64 = 1 << 29;

/// A record to read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Input {
    /// The file; `-` for standard input.
    pub path: PathBuf,
    /// The folder that was named, if the file was found in one.
    pub folder: Option<PathBuf>,
}

impl Input {
    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The file's name for messages.
    pub fn name(&self) -> String {
        if self.is_stdin() {
            "standard input".to_owned()
        } else {
            self.path.display().to_string()
        }
    }

    /// The file without its extension, below `directory` if there is one: at the
    /// place that it has in its folder.
    pub fn place_in(&self, directory: Option<&Path>) -> PathBuf {
        if self.is_stdin() {
            return directory.unwrap_or(Path::new("")).join("stdin");
        }
        let stem = self.path.with_extension("");
        match (directory, &self.folder) {
            (None, _) => stem,
            (Some(directory), Some(folder)) => {
                directory.join(stem.strip_prefix(folder).unwrap_or(&stem))
            }
            (Some(directory), None) => match stem.file_name() {
                Some(name) => directory.join(name),
                None => directory.join("record"),
            },
        }
    }

    /// Reads the games.
    pub fn read(&self, rules: &Rules) -> anyhow::Result<Reading> {
        let mut bytes = Vec::new();
        // One byte more shows that there is more.
        let read = if self.is_stdin() {
            stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
        } else {
            File::open(&self.path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        };
        read.with_context(|| format!("cannot read {}", self.name()))?;
        if bytes.len() as u64 > MAX_BYTES {
            bail!("{}: more than {} MB", self.name(), MAX_BYTES >> 20);
        }
        record::read(&bytes, rules).with_context(|| self.name())
    }
}

/// The records that paths name: files themselves, and those below folders, in the
/// order of their names.
pub fn collect(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.is_dir() {
            let mut found = Vec::new();
            walk(path, path, &mut found)?;
            found.sort();
            if found.is_empty() {
                bail!("no game records in {}", path.display());
            }
            inputs.extend(found);
        } else {
            inputs.push(Input {
                path: path.clone(),
                folder: None,
            });
        }
    }
    Ok(inputs)
}

fn walk(folder: &Path, directory: &Path, found: &mut Vec<Input>) -> anyhow::Result<()> {
    let entries = fs::read_dir(directory);
    let entries = entries.with_context(|| format!("cannot read {}", directory.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot read {}", directory.display()))?;
        let path = entry.path();
        // Links are not followed into folders: they could lead around in circles.
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(folder, &path, found)?;
        } else if is_record(&path) {
            found.push(Input {
                path,
                folder: Some(folder.to_path_buf()),
            });
        }
    }
    Ok(())
}

/// Whether a file in a folder is a record by its name, and none of our reports.
fn is_record(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let name = path.file_stem().and_then(|stem| stem.to_str());
    extension.is_some_and(|extension| {
        EXTENSIONS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(extension))
    }) && name.is_some_and(|name| !name.ends_with(".analysis"))
}

/// The problems of a record as lines for standard error: `file:12: what`.
pub fn problem_lines(input: &Input, reading: &Reading) -> Vec<String> {
    reading
        .problems
        .iter()
        .map(|problem| {
            let severity = match problem.severity {
                Severity::Warning => "warning: ",
                Severity::Error => "error: ",
            };
            let line = match problem.line {
                0 => String::new(),
                line => format!("{line}:"),
            };
            format!("{}:{line} {severity}{}", input.name(), problem.message)
        })
        .collect()
}
