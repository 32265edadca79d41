//! Game records: one tree for all formats.
//!
//! | file | what it holds |
//! |---|---|
//! | `tree` | [`GameTree`]: moves, variations, times, comments, headers |
//! | `terminal` | how games end, in the words of each format |
//! | `read`, `write` | what readers share: problems; what writers share: losses |
//! | `text` | encodings and line ends; finding out the format |
//! | `kif`, `kif_head`, `kif_read`, `kif_move` | KIF and KI2, the formats of most GUIs |
//! | `csa` | CSA, the format of servers and tournaments |
//! | `jkf`, `jkf_write` | JKF, JSON for web pages |
//! | `usi` | lines of USI |
//! | [`wa`] | wa shogi, after the manner of KIF |
//! | [`yonin`] | four-player shogi, JSON |
//! | `evals` | evaluations in comments, in the forms of several programs |
//! | `played` | [`GameRecord`]: a game as a match writes it down |
//!
//! [`read()`] finds out encoding and format by itself, and reads a faulty record as
//! far as it makes sense; [`write()`] says what the target format has no place for.
//!
//! ```
//! use tsuru::record::{self, Target};
//! use tsuru::shogi::Rules;
//!
//! let kif = "手合割：平手\n   1 ７六歩(77)   ( 0:12/00:00:12)\n*a comment\n   2 投了\n";
//! let reading = record::read(kif.as_bytes(), &Rules::default())?;
//! let csa = record::write(&reading.games[0], "csa".parse().unwrap());
//! assert_eq!(csa.bytes, b"V2.2\nPI\n+\n+7776FU\nT12\n'*a comment\n%TORYO\n");
//! assert!(csa.losses.is_empty());
//! # Ok::<(), record::ReadError>(())
//! ```

mod csa;
pub mod evals;
mod jkf;
mod jkf_write;
mod kif;
mod kif_head;
mod kif_move;
mod kif_read;
mod played;
mod read;
mod terminal;
mod text;
mod tree;
mod usi;
pub mod wa;
mod write;
pub mod yonin;

pub use played::{Ending, GameRecord, GameResult, PlayedMove, Thought};
pub use read::{Problem, ReadError, Reading, Severity};
pub use terminal::Terminal;
pub use text::{Encoding, NotText};
pub use tree::{Cursor, GameTree, Lines, Node, NodeId, Step, key};
pub use write::{Target, TargetError, Written, write, write_all};

pub(crate) use write::Losses;

#[cfg(test)]
pub(crate) use played::tests;

use crate::shogi::Rules;

/// The score that stands for a mate in game records, whatever its length.
pub const MATE_SCORE: i32 = 30_000;

/// A file format for game records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// KIF.
    Kif,
    /// KI2.
    Ki2,
    /// CSA.
    Csa,
    /// JSON kifu format.
    Jkf,
    /// Lines of USI.
    Usi,
}

impl Format {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Kif => "KIF",
            Format::Ki2 => "KI2",
            Format::Csa => "CSA",
            Format::Jkf => "JKF",
            Format::Usi => "USI",
        }
    }

    /// The extension of file names for text in UTF-8, without the dot.
    pub fn extension(self) -> &'static str {
        Target::of(self).extension()
    }

    /// The record of a match as the text of a file in UTF-8.
    pub fn write(self, record: &GameRecord) -> String {
        record.write(self)
    }
}

/// A version of CSA.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CsaVersion {
    /// 2.2, which every program reads.
    #[default]
    V2_2,
    /// 3.0: UTF-8, times with fractions.
    V3,
}

/// Reads the games of a file by the rules.
pub fn read(bytes: &[u8], rules: &Rules) -> Result<Reading, ReadError> {
    let (text, encoding) = text::decode(bytes)?;
    let format = text::sniff(&text).ok_or(ReadError::Unknown)?;
    let mut reading = read_text(&text, format, rules)?;
    reading.encoding = encoding;
    if let Some((line, count)) = text::damage(&text) {
        let problem = Problem {
            line,
            severity: Severity::Warning,
            message: format!("{count} damaged characters, the first one in this line"),
        };
        reading.problems.insert(0, problem);
    }
    Ok(reading)
}

/// Reads the games of a text that is known to be in this format.
pub fn read_text(text: &str, format: Format, rules: &Rules) -> Result<Reading, ReadError> {
    let games = match format {
        Format::Kif | Format::Ki2 => kif_read::read(text, rules),
        Format::Csa => csa::read(text, rules),
        Format::Jkf => jkf::read(text, rules)?,
        Format::Usi => usi::read(text, rules)?,
    };
    let (games, problems) = games.finish()?;
    Ok(Reading {
        games,
        problems,
        format,
        encoding: Encoding::Utf8,
    })
}
