//! From the words of `BookFile` and `BookDir` to a book.
//!
//! A relative path is looked for in the current folder, then in that of the
//! program: GUIs differ in which one they start engines in. A small book of our
//! own, [`EMBEDDED_NAME`], is part of the program; a file of that name comes first.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::Book;
use super::format::Damages;
use super::loaded::Loaded;
use super::sorted_file::SortedFile;

/// The name of the book that the program carries with it, the default `BookFile`.
pub const EMBEDDED_NAME: &str = "tsuru_book.db";

/// The `BookFile` that means no book.
pub const NO_BOOK: &str = "no_book";

const EMBEDDED: &[u8] = include_bytes!("../../book/tsuru_book.db");

/// Where a book comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// No book is wanted.
    None,
    /// The one in the program.
    Embedded,
    /// A file, in the state that it has.
    File {
        /// Its path.
        path: PathBuf,
        /// Its size in bytes.
        size: u64,
        /// When it was last written, if the system tells.
        modified: Option<SystemTime>,
    },
}

/// Why there is no book, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// No file in any of the places.
    #[error("book {name} not found (looked for {places})")]
    NotFound {
        /// As it was asked for.
        name: String,
        /// The paths that were tried.
        places: String,
    },
    /// The file cannot be read.
    #[error("cannot read the book {path}: {error}")]
    Unreadable {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

/// A book that was opened.
#[derive(Debug)]
pub struct Opened {
    /// The book.
    pub book: Book,
    /// Its damaged lines (none when it is searched on the fly).
    pub damages: Damages,
    /// What else the user should know, if anything.
    pub warning: Option<String>,
}

/// Finds a book by the words of the options.
///
/// # Errors
/// When there is no such file.
pub fn resolve(name: &str, dir: &str) -> Result<Source, SourceError> {
    let program = std::env::current_exe().ok();
    let program_dir = program.as_deref().and_then(Path::parent);
    resolve_in(name, dir, program_dir)
}

fn resolve_in(name: &str, dir: &str, program_dir: Option<&Path>) -> Result<Source, SourceError> {
    if name.is_empty() || name.eq_ignore_ascii_case(NO_BOOK) {
        return Ok(Source::None);
    }
    let mut places = vec![Path::new(dir).join(name), PathBuf::from(name)];
    if let Some(program_dir) = program_dir {
        let beside: Vec<PathBuf> = places.iter().map(|path| program_dir.join(path)).collect();
        places.extend(beside);
    }
    places.dedup();
    for path in &places {
        if let Ok(metadata) = path.metadata()
            && metadata.is_file()
        {
            return Ok(Source::File {
                path: path.clone(),
                size: metadata.len(),
                modified: metadata.modified().ok(),
            });
        }
    }
    if name == EMBEDDED_NAME {
        return Ok(Source::Embedded);
    }
    places.sort();
    places.dedup();
    let places: Vec<String> = places
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    Err(SourceError::NotFound {
        name: name.to_string(),
        places: places.join(", "),
    })
}

impl Source {
    /// Opens the book; `None` when none is wanted. The embedded one is always
    /// loaded.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(&self, on_the_fly: bool) -> Result<Option<Opened>, SourceError> {
        match self {
            Source::None => return Ok(None),
            // Reading from memory does not fail.
            Source::Embedded => {
                load(EMBEDDED).map_err(|error| unreadable(Path::new(EMBEDDED_NAME), error))
            }
            Source::File { path, .. } => File::open(path)
                .and_then(|file| match on_the_fly {
                    true => open_sorted(file),
                    false => load(file),
                })
                .map_err(|error| unreadable(path, error)),
        }
        .map(Some)
    }

    /// The whole text of the book; `None` when none is wanted.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn bytes(&self) -> Result<Option<Cow<'static, [u8]>>, SourceError> {
        match self {
            Source::None => Ok(None),
            Source::Embedded => Ok(Some(Cow::Borrowed(EMBEDDED))),
            Source::File { path, .. } => std::fs::read(path)
                .map(|text| Some(Cow::Owned(text)))
                .map_err(|error| unreadable(path, error)),
        }
    }

    /// The source for people.
    pub fn name(&self) -> String {
        match self {
            Source::None => NO_BOOK.to_string(),
            Source::Embedded => format!("{EMBEDDED_NAME} (built in)"),
            Source::File { path, .. } => path.display().to_string(),
        }
    }
}

fn unreadable(path: &Path, error: io::Error) -> SourceError {
    SourceError::Unreadable {
        path: path.to_path_buf(),
        error,
    }
}

fn load(source: impl io::Read) -> io::Result<Opened> {
    let (book, damages) = Loaded::read(source)?;
    let warning = (book.positions() == 0).then(|| "holds no positions".to_string());
    Ok(Opened {
        book: Book::Loaded(book),
        damages,
        warning,
    })
}

fn open_sorted(file: File) -> io::Result<Opened> {
    let book = SortedFile::open(file)?;
    let warning = (!book.seems_sorted()?).then(|| {
        "is not sorted, so positions are missed on the fly; `tsuru book merge` sorts it".to_string()
    });
    Ok(Opened {
        book: Book::OnTheFly(book),
        damages: Damages::default(),
        warning,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::table::Table;
    use crate::shogi::{Position, Rules};

    #[test]
    fn the_embedded_book_is_whole() {
        let opened = Source::Embedded.open(true).unwrap().unwrap();
        assert_eq!(opened.damages, Damages::default());
        assert_eq!(opened.warning, None);
        let Book::Loaded(book) = opened.book else {
            panic!("not loaded")
        };
        assert!(book.positions() > 100);
    }

    #[test]
    fn the_embedded_book_is_sorted_and_legal() {
        let (table, _) = Table::parse(EMBEDDED);
        let mut written = Vec::new();
        table.write(&mut written).unwrap();
        assert!(written == EMBEDDED, "write it with `tsuru book merge`");
        for (key, ply, moves) in table.iter() {
            let mut position = Position::from_sfen(key, &Rules::default()).unwrap();
            for m in moves {
                assert!(ply > 0 && position.is_legal(m.mv), "{key}: {m}");
                if let Some(reply) = m.reply {
                    position.make(m.mv);
                    assert!(position.is_legal(reply), "{key}: {m}");
                    position.unmake();
                }
            }
        }
    }

    #[test]
    fn words_without_a_file() {
        let nowhere = Path::new("/no such folder");
        for name in ["", "no_book", "NO_BOOK"] {
            assert_eq!(resolve_in(name, "book", None).unwrap(), Source::None);
        }
        assert_eq!(
            resolve_in(EMBEDDED_NAME, "/no such folder", Some(nowhere)).unwrap(),
            Source::Embedded
        );
        let error = resolve_in("mine.db", "b", Some(nowhere))
            .unwrap_err()
            .to_string();
        for place in [
            "b/mine.db",
            "/no such folder/b/mine.db",
            "/no such folder/mine.db",
        ] {
            let place = place.replace('/', std::path::MAIN_SEPARATOR_STR);
            assert!(
                error
                    .replace('/', std::path::MAIN_SEPARATOR_STR)
                    .contains(&place),
                "{error}"
            );
        }
    }

    #[test]
    fn files_are_found_beside_the_program() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("book")).unwrap();
        let path = folder.path().join("book").join("mine.db");
        std::fs::write(&path, "#YANEURAOU-DB2016 1.00\n").unwrap();
        let source = resolve_in("mine.db", "book", Some(folder.path())).unwrap();
        assert!(matches!(&source, Source::File { path: found, size: 23, .. } if *found == path));
        let opened = source.open(false).unwrap().unwrap();
        assert_eq!(opened.warning.unwrap(), "holds no positions");
        // A folder is no file.
        assert!(resolve_in("book", folder.path().to_str().unwrap(), None).is_err());
    }
}
