//! The `.db` text format of YaneuraOu (its documentation: "定跡ファイルの形式").
//!
//! ```text
//! #YANEURAOU-DB2016 1.00
//! sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1
//! 7g7f 3c3d 35 20 7
//! 2g2f 8c8d 30 20 5
//! ```
//!
//! Lines that begin with `#` or `//` are comments. [`scan`] reads what it can: a
//! damaged line is noted with its number and skipped, a damaged position together
//! with its moves. Files come from Windows as well (CRLF, byte order mark).

use std::fmt;

use super::entry::BookMove;
use super::key::normalise;

/// The first line of a file.
pub const HEADER: &str = "#YANEURAOU-DB2016 1.00";

/// The word that a position line begins with.
pub const POSITION_WORD: &[u8] = b"sfen";

/// How many damaged lines are remembered one by one.
const MAX_DAMAGES: usize = 20;

/// A line that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Its number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reason)
    }
}

/// The damaged lines of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Damages {
    /// The first of them.
    pub first: Vec<Damage>,
    /// How many there are.
    pub total: usize,
}

impl Damages {
    /// Notes a damaged line.
    pub fn add(&mut self, line: usize, reason: impl fmt::Display) {
        self.total += 1;
        if self.first.len() < MAX_DAMAGES {
            self.first.push(Damage {
                line,
                reason: reason.to_string(),
            });
        }
    }

    /// Adds those of a later part of the file, which begins after `lines` lines.
    pub fn append(&mut self, later: Damages, lines: usize) {
        self.total += later.total;
        let room = MAX_DAMAGES - self.first.len();
        let first = later.first.into_iter().take(room);
        self.first.extend(first.map(|damage| Damage {
            line: damage.line + lines,
            ..damage
        }));
    }
}

/// What a line holds.
pub enum Item<'a> {
    /// A position: key and ply, 0 for unknown.
    Position(&'a str, u32),
    /// A move in the position before.
    Move(BookMove),
}

/// Reads lines and passes on what they hold. Returns how many lines there are, and
/// the damaged ones, counted from the beginning of `text`.
pub fn scan(text: &[u8], mut visit: impl FnMut(Item<'_>)) -> (usize, Damages) {
    enum Place {
        Start,
        Position,
        Damaged,
    }
    let mut damages = Damages::default();
    let mut place = Place::Start;
    let mut key = String::new();
    let mut count = 0;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    for line in text.split(|&c| c == b'\n') {
        count += 1;
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"//") {
            continue;
        }
        if let Some(position) = position_text(line) {
            let result = std::str::from_utf8(position)
                .map_err(|_| "not a text".to_string())
                .and_then(|text| normalise(text, &mut key).map_err(|error| error.to_string()));
            match result {
                Ok(ply) => {
                    visit(Item::Position(&key, ply));
                    place = Place::Position;
                }
                Err(error) => {
                    damages.add(count, format!("{error}; its moves are skipped"));
                    place = Place::Damaged;
                }
            }
            continue;
        }
        match place {
            Place::Start => damages.add(count, "a move before the first position"),
            Place::Damaged => {}
            Place::Position => {
                let Ok(line) = std::str::from_utf8(line) else {
                    damages.add(count, "not a text");
                    continue;
                };
                match line.parse() {
                    Ok(m) => visit(Item::Move(m)),
                    // An end of the game is no move, but no damage either.
                    Err(_) if is_ending(line) => {}
                    Err(error) => damages.add(count, error),
                }
            }
        }
    }
    (count, damages)
}

fn is_ending(line: &str) -> bool {
    let first = line.split_ascii_whitespace().next();
    matches!(first, Some("none" | "resign" | "win"))
}

/// The position of a trimmed position line; `None` for other lines.
pub fn position_text(line: &[u8]) -> Option<&[u8]> {
    let rest = line.strip_prefix(POSITION_WORD)?;
    matches!(rest.first(), None | Some(b' ' | b'\t')).then(|| rest.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

    fn read(text: &[u8]) -> (Vec<String>, usize, Damages) {
        let mut items = Vec::new();
        let (lines, damages) = scan(text, |item| match item {
            Item::Position(key, ply) => items.push(format!("{key} {ply}")),
            Item::Move(m) => items.push(m.to_string()),
        });
        (items, lines, damages)
    }

    #[test]
    fn a_clean_file() {
        let text =
            format!("\u{feff}{HEADER}\r\n// comment\r\n\r\nsfen {START} 1\r\n7g7f none 1 2 3\r\n");
        let (items, lines, damages) = read(text.as_bytes());
        assert_eq!(items, [format!("{START} 1"), "7g7f none 1 2 3".to_string()]);
        assert_eq!((lines, damages), (5, Damages::default()));
    }

    #[test]
    fn damaged_lines_are_named_and_the_rest_kept() {
        let text = format!(
            "7g7f\nsfen {START}\n7g7\n7g7f none x\nresign\n2g2f\nsfen what\n9g9f\nsfen {START} 3\n1g1f \u{ff}\n"
        );
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(b"3g3f \xff\n");
        let (items, lines, damages) = read(&bytes);
        assert_eq!(
            items,
            [
                format!("{START} 0"),
                "2g2f none".to_string(),
                format!("{START} 3")
            ]
        );
        assert_eq!(lines, 11);
        assert_eq!(damages.total, 6);
        let numbers: Vec<usize> = damages.first.iter().map(|damage| damage.line).collect();
        assert_eq!(numbers, [1, 3, 4, 7, 10, 11]);
        assert_eq!(damages.first[1].to_string(), "line 3: `7g7` is no move");
    }

    #[test]
    fn not_every_damage_is_kept() {
        let (_, _, damages) = read("x\n".repeat(1000).as_bytes());
        assert_eq!((damages.first.len(), damages.total), (MAX_DAMAGES, 1000));
        let mut all = Damages::default();
        all.append(damages.clone(), 0);
        all.append(damages, 1000);
        assert_eq!((all.first.len(), all.total), (MAX_DAMAGES, 2000));
    }
}
