//! What the writers share: targets, and what a format has no place for.

use std::str::FromStr;

use super::tree::GameTree;
use super::{CsaVersion, Encoding, Format, csa, jkf_write, kif, text, usi};

/// A format with its encoding and version: what a file is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The format.
    pub format: Format,
    /// The encoding.
    pub encoding: Encoding,
    /// The version, for CSA.
    pub csa: CsaVersion,
}

/// A word that names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no format ({words})", words = Target::WORDS.join(", "))]
pub struct TargetError(pub String);

impl Target {
    /// The words for targets: `kif` and `ki2` are in Shift_JIS, `kifu` and `ki2u` in
    /// UTF-8, as file names have it.
    pub const WORDS: [&'static str; 8] =
        ["kif", "kifu", "ki2", "ki2u", "csa", "csa3", "jkf", "usi"];

    /// The format in UTF-8.
    pub fn of(format: Format) -> Target {
        Target {
            format,
            encoding: Encoding::Utf8,
            csa: CsaVersion::V2_2,
        }
    }

    /// The usual extension of file names, without the dot.
    pub fn extension(self) -> &'static str {
        let legacy = self.encoding == Encoding::ShiftJis;
        match self.format {
            Format::Kif if legacy => "kif",
            Format::Kif => "kifu",
            Format::Ki2 if legacy => "ki2",
            Format::Ki2 => "ki2u",
            Format::Csa => "csa",
            Format::Jkf => "jkf",
            Format::Usi => "usi",
        }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(word: &str) -> Result<Target, TargetError> {
        let (format, encoding, csa) = match word.to_ascii_lowercase().as_str() {
            "kif" => (Format::Kif, Encoding::ShiftJis, CsaVersion::V2_2),
            "kifu" => (Format::Kif, Encoding::Utf8, CsaVersion::V2_2),
            "ki2" => (Format::Ki2, Encoding::ShiftJis, CsaVersion::V2_2),
            "ki2u" => (Format::Ki2, Encoding::Utf8, CsaVersion::V2_2),
            "csa" => (Format::Csa, Encoding::Utf8, CsaVersion::V2_2),
            "csa3" => (Format::Csa, Encoding::Utf8, CsaVersion::V3),
            "jkf" | "json" => (Format::Jkf, Encoding::Utf8, CsaVersion::V2_2),
            "usi" | "sfen" => (Format::Usi, Encoding::Utf8, CsaVersion::V2_2),
            _ => return Err(TargetError(word.to_owned())),
        };
        Ok(Target {
            format,
            encoding,
            csa,
        })
    }
}

/// Lost headers that are named.
const MAX_NAMES: usize = 20;

/// What could not be written.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    pub times: bool,
    pub fractions: bool,
    pub comments: bool,
    pub variations: bool,
    pub ply: bool,
    pub fouls: bool,
    pub headers: Vec<String>,
    pub ending: Option<String>,
    pub characters: usize,
}

impl Losses {
    /// One sentence for each thing that was lost.
    fn describe(self, target: Target) -> Vec<String> {
        let format = target.format.name();
        let mut list = Vec::new();
        if !self.headers.is_empty() {
            let names = self.headers.iter().map(|name| text::quote(name));
            let names: Vec<String> = names.take(MAX_NAMES).collect();
            let more = match self.headers.len() - names.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            list.push(format!(
                "{format} has no place for the headers {}{more}",
                names.join(", ")
            ));
        }
        for (lost, what) in [
            (self.comments, "comments"),
            (self.variations, "variations"),
            (self.times, "times"),
            (self.fractions, "fractions of a second"),
            (self.ply, "the number of the first move"),
            (self.fouls, "an illegal move, and what follows it"),
        ] {
            if lost {
                list.push(format!("{format} has no place for {what}"));
            }
        }
        if let Some(ending) = self.ending {
            let ending = text::quote(&ending);
            list.push(format!("{format} has no word for the ending {ending}"));
        }
        if self.characters > 0 {
            list.push(format!(
                "{} characters do not exist in {}",
                self.characters,
                target.encoding.name()
            ));
        }
        list
    }
}

/// A record as the bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The file.
    pub bytes: Vec<u8>,
    /// What it does not hold, a sentence each.
    pub losses: Vec<String>,
}

/// Writes a game.
pub fn write(tree: &GameTree, target: Target) -> Written {
    write_all(std::slice::from_ref(tree), target)
}

/// Writes games into one file. KIF and KI2 hold one game: it is the first then,
/// and the others count as lost.
pub fn write_all(trees: &[GameTree], target: Target) -> Written {
    let mut joined = String::new();
    let mut losses = Vec::new();
    let single = matches!(target.format, Format::Kif | Format::Ki2);
    let written = if single {
        &trees[..trees.len().min(1)]
    } else {
        trees
    };
    let array = target.format == Format::Jkf && written.len() > 1;
    if array {
        joined.push('[');
    }
    for (index, tree) in written.iter().enumerate() {
        let (text, lost) = text(tree, target);
        if index > 0 {
            joined.push_str(match target.format {
                Format::Csa => "/\n",
                Format::Jkf => ",",
                _ => "",
            });
        }
        joined.push_str(text.trim_end_matches(if array { "\n" } else { "\0" }));
        for sentence in lost.describe(target) {
            if !losses.contains(&sentence) {
                losses.push(sentence);
            }
        }
    }
    if array {
        joined.push_str("]\n");
    }
    if trees.len() > written.len() {
        losses.push(format!(
            "{} holds one game; {} more are left out",
            target.format.name(),
            trees.len() - written.len()
        ));
    }
    let (bytes, characters) = text::encode(&joined, target.encoding);
    let lost = Losses {
        characters,
        ..Losses::default()
    };
    losses.extend(lost.describe(target));
    Written { bytes, losses }
}

/// The text of a file, and what it does not hold.
pub(super) fn text(tree: &GameTree, target: Target) -> (String, Losses) {
    let mut losses = Losses::default();
    let text = match target.format {
        Format::Kif => kif::write(tree, target.encoding, &mut losses),
        Format::Ki2 => kif::write_ki2(tree, &mut losses),
        Format::Csa => csa::write(tree, target.csa, &mut losses),
        Format::Jkf => jkf_write::write(tree, &mut losses),
        Format::Usi => usi::write(tree, &mut losses),
    };
    (text, losses)
}
