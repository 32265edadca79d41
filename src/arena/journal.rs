//! The state of a match on disk, from which it can be resumed.
//!
//! A text file with one JSON value a line: the first describes the match, each of
//! the others is a finished game, whole. Lines are only appended, so that a match
//! that is killed loses no finished game; a line that was cut off is dropped.
//! Results and records are made from it again.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::play::Played;

/// A line of the file for a game.
#[derive(Serialize, Deserialize)]
struct Entry {
    game: usize,
    #[serde(flatten)]
    played: Played,
}

/// Why a match cannot be resumed or stored.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("{0}")]
    Io(PathBuf, #[source] std::io::Error),
    /// The file is something else.
    #[error("{path}, line {line}: not the state of a match: {message}")]
    Format {
        /// The file.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// The file belongs to another match.
    #[error("{path} is the state of another match: `{key}` was {old} and is {new}")]
    OtherMatch {
        /// The file.
        path: PathBuf,
        /// What differs.
        key: String,
        /// The value in the file.
        old: String,
        /// The value now.
        new: String,
    },
}

/// An open state file.
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the state of the match that `header` (a JSON object) describes, or
    /// begins it. Returns the games finished so far.
    pub fn open(
        path: &Path,
        header: &serde_json::Value,
    ) -> Result<(Journal, BTreeMap<usize, Played>), JournalError> {
        let io = |error| JournalError::Io(path.to_path_buf(), error);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io)?;
        // What follows the last line end was cut off.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let games = parse(path, &text[..whole], header)?;
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut journal = Journal {
            path: path.to_path_buf(),
            file,
        };
        if whole == 0 {
            journal.write_line(header.to_string())?;
        }
        Ok((journal, games))
    }

    /// Stores a finished game.
    pub fn add(&mut self, game: usize, played: &Played) -> Result<(), JournalError> {
        let entry = Entry {
            game,
            played: played.clone(),
        };
        let line = serde_json::to_string(&entry)
            .map_err(|error| JournalError::Io(self.path.clone(), error.into()))?;
        self.write_line(line)
    }

    fn write_line(&mut self, mut line: String) -> Result<(), JournalError> {
        line.push('\n');
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| JournalError::Io(self.path.clone(), error))
    }
}

fn parse(
    path: &Path,
    text: &str,
    header: &serde_json::Value,
) -> Result<BTreeMap<usize, Played>, JournalError> {
    let format = |line: usize, message: String| JournalError::Format {
        path: path.to_path_buf(),
        line: line + 1,
        message,
    };
    let mut games = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        if index == 0 {
            let stored: serde_json::Map<String, serde_json::Value> =
                serde_json::from_str(line).map_err(|error| format(index, error.to_string()))?;
            compare(path, &stored, header)?;
        } else {
            let entry: Entry =
                serde_json::from_str(line).map_err(|error| format(index, error.to_string()))?;
            games.insert(entry.game, entry.played);
        }
    }
    Ok(games)
}

/// Refuses the state of a match with other conditions.
fn compare(
    path: &Path,
    stored: &serde_json::Map<String, serde_json::Value>,
    header: &serde_json::Value,
) -> Result<(), JournalError> {
    let Some(header) = header.as_object() else {
        return Ok(());
    };
    let text = |value: Option<&serde_json::Value>| {
        value.map_or_else(|| "not given".to_string(), ToString::to_string)
    };
    for key in header.keys().chain(stored.keys()) {
        let (old, new) = (stored.get(key), header.get(key));
        if old != new {
            return Err(JournalError::OtherMatch {
                path: path.to_path_buf(),
                key: key.clone(),
                old: text(old),
                new: text(new),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn played() -> Played {
        Played {
            record: crate::record::tests::sample(),
            unasked: [0, 1],
            late_us: None,
        }
    }

    #[test]
    fn keeps_games_and_drops_what_was_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        let header = json!({"engines": ["A", "B"], "seed": 1});
        let (mut journal, games) = Journal::open(&path, &header).unwrap();
        assert!(games.is_empty());
        journal.add(3, &played()).unwrap();
        journal.add(0, &played()).unwrap();
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("{text}{{\"game\":5,\"rec")).unwrap();

        let (mut journal, games) = Journal::open(&path, &header).unwrap();
        assert_eq!(games.keys().copied().collect::<Vec<_>>(), [0, 3]);
        assert_eq!(games[&3], played());
        journal.add(1, &played()).unwrap();
        let (_, games) = Journal::open(&path, &header).unwrap();
        assert_eq!(games.len(), 3);
    }

    #[test]
    fn refuses_other_matches_and_other_files() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        Journal::open(&path, &json!({"seed": 1})).unwrap();
        let error = Journal::open(&path, &json!({"seed": 2})).err().unwrap();
        assert!(error.to_string().contains("`seed` was 1 and is 2"));
        std::fs::write(&path, "hello\n").unwrap();
        assert!(Journal::open(&path, &json!({"seed": 1})).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "hello\n");
        assert!(Journal::open(dir.path(), &json!({})).is_err());
    }
}
