//! Where the records of a match go: one file for all games, or one a game in a
//! directory.
//!
//! KIF readers take one game a file, so KIF always goes to a directory. In one
//! CSA file games are parted by a line `/`; USI has one game a line.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::referee::{Referee, Writer};
use crate::record::{Format, GameRecord};

/// Writes records as games finish.
pub struct RecordFiles {
    format: Format,
    write: Writer,
    target: Target,
}

enum Target {
    Directory(PathBuf),
    /// The file, and whether it has a game already.
    File(File, bool),
}

impl RecordFiles {
    /// Prepares to write games to `path`: a directory if it is one, ends in a
    /// separator or the format is KIF, otherwise a file. What a match left there
    /// is written anew if `again`, otherwise it is an error; so is a format that does
    /// not know the game.
    pub fn create<G: Referee>(path: &Path, format: Format, again: bool) -> io::Result<RecordFiles> {
        let write = G::writer(format).ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::Unsupported,
                "this format does not know the game: take another one",
            )
        })?;
        let separator = path.to_string_lossy().ends_with(std::path::is_separator);
        let target = if path.is_dir() || separator || format == Format::Kif {
            fs::create_dir_all(path)?;
            if !again && let Some(game) = game_in(path, format)? {
                return Err(exists(&game));
            }
            Target::Directory(path.to_path_buf())
        } else {
            let file = if again {
                File::create(path)?
            } else {
                create_new(path)?
            };
            Target::File(file, false)
        };
        Ok(RecordFiles {
            format,
            write,
            target,
        })
    }

    /// Writes game number `game` (from 0).
    pub fn add(&mut self, game: usize, record: &GameRecord) -> io::Result<()> {
        let text = (self.write)(self.format, record);
        match &mut self.target {
            Target::Directory(dir) => fs::write(game_path(dir, game, self.format), text),
            Target::File(file, begun) => {
                if *begun && self.format == Format::Csa {
                    file.write_all(b"/\n")?;
                }
                *begun = true;
                file.write_all(text.as_bytes())
            }
        }
    }
}

fn game_path(dir: &Path, game: usize, format: Format) -> PathBuf {
    dir.join(format!("game-{:05}.{}", game + 1, format.extension()))
}

/// A game that a match left in a directory, in this format: any may be one that is not
/// to be written over, as the first ones may have been moved away.
fn game_in(dir: &Path, format: Format) -> io::Result<Option<PathBuf>> {
    let mut found = None;
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|stem| {
            let number = stem.to_str()?.strip_prefix("game-")?;
            number.parse::<usize>().ok()?.checked_sub(1)
        });
        let is_game = number.is_some_and(|game| path == game_path(dir, game, format));
        // The same one, in whatever order the system lists them.
        if is_game && found.as_ref().is_none_or(|found| path < *found) {
            found = Some(path);
        }
    }
    Ok(found)
}

/// Creates a file for games.
///
/// # Errors
///
/// When it cannot be created, or holds something already.
pub fn create_new(path: &Path) -> io::Result<File> {
    if fs::metadata(path).is_ok_and(|data| data.len() > 0) {
        return Err(exists(path));
    }
    File::create(path)
}

fn exists(path: &Path) -> io::Error {
    io::Error::new(
        io::ErrorKind::AlreadyExists,
        format!(
            "{} exists: games are not written over others",
            path.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::sample;
    use crate::shogi::Position;

    #[test]
    fn a_format_without_the_game_touches_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let csa = dir.path().join("games.csa");
        let error = RecordFiles::create::<crate::wa::Position>(&csa, Format::Csa, true);
        assert_eq!(error.err().unwrap().kind(), io::ErrorKind::Unsupported);
        assert!(!csa.exists());
    }

    #[test]
    fn one_file_or_many() {
        let dir = tempfile::tempdir().unwrap();
        let csa = dir.path().join("games.csa");
        let mut files = RecordFiles::create::<Position>(&csa, Format::Csa, false).unwrap();
        files.add(0, &sample()).unwrap();
        files.add(1, &sample()).unwrap();
        let text = fs::read_to_string(&csa).unwrap();
        assert_eq!(text.matches("\n/\nV2.2\n").count(), 1);
        assert!(RecordFiles::create::<Position>(&csa, Format::Csa, false).is_err());
        RecordFiles::create::<Position>(&csa, Format::Csa, true).unwrap();
        assert_eq!(fs::read_to_string(&csa).unwrap(), "");

        let kif = dir.path().join("new/kif");
        let mut files = RecordFiles::create::<Position>(&kif, Format::Kif, false).unwrap();
        files.add(0, &sample()).unwrap();
        assert!(kif.join("game-00001.kifu").is_file());
        assert!(RecordFiles::create::<Position>(&kif, Format::Kif, false).is_err());
        // Another game than the first is as safe; what is no game of a match in this
        // format does not matter.
        fs::rename(kif.join("game-00001.kifu"), kif.join("game-00012.kifu")).unwrap();
        fs::write(kif.join("game-00003.csa"), "").unwrap();
        fs::write(kif.join("game-x.kifu"), "").unwrap();
        let refused = RecordFiles::create::<Position>(&kif, Format::Kif, false);
        let message = refused.err().unwrap().to_string();
        assert!(message.contains("game-00012.kifu exists"), "{message}");
        RecordFiles::create::<Position>(&kif, Format::Kif, true).unwrap();
        fs::remove_file(kif.join("game-00012.kifu")).unwrap();
        RecordFiles::create::<Position>(&kif, Format::Kif, false).unwrap();
    }
}
