//! A book to change and to write.
//!
//! Positions are kept in the order of their bytes, move numbers included, which is
//! the order of the file: what is written can be searched on the fly. Files are
//! replaced in one step, so that an interruption leaves the old or the new one.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::entry::{self, BookMove};
use super::format::{Damages, HEADER, Item, scan};
use crate::core::files;

/// A book to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Moves by position with ply, as the file has it.
    positions: BTreeMap<String, Vec<BookMove>>,
}

/// The key of a position with its move number; 0 is unknown and not written.
pub fn with_ply(key: &str, ply: u32) -> String {
    match ply {
        0 => key.to_string(),
        _ => format!("{key} {ply}"),
    }
}

/// A key of the table without its move number, and that; 0 for unknown.
fn split_ply(position: &str) -> (&str, u32) {
    // Board, side to move, hands, ply.
    match position.match_indices(' ').nth(2) {
        Some((at, _)) => (&position[..at], position[at + 1..].parse().unwrap_or(0)),
        None => (position, 0),
    }
}

impl Table {
    /// Reads a book. Damaged lines are left out and returned.
    pub fn parse(text: &[u8]) -> (Table, Damages) {
        let mut positions: BTreeMap<String, Vec<BookMove>> = BTreeMap::new();
        let mut current = String::new();
        let mut moves = Vec::new();
        let mut store = |position: String, moves: &mut Vec<BookMove>| {
            if !position.is_empty() {
                super::add(
                    positions.entry(position).or_default(),
                    std::mem::take(moves),
                );
            }
        };
        let (_, damages) = scan(text, |item| match item {
            Item::Position(key, ply) => {
                store(
                    std::mem::replace(&mut current, with_ply(key, ply)),
                    &mut moves,
                );
            }
            Item::Move(m) => moves.push(m),
        });
        store(current, &mut moves);
        (Table { positions }, damages)
    }

    /// Reads a book file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn load(path: &Path) -> io::Result<(Table, Damages)> {
        fs::read(path).map(|text| Table::parse(&text))
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no positions.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The positions in order: key, ply (0 for unknown), moves.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32, &[BookMove])> {
        self.positions.iter().map(|(position, moves)| {
            let (key, ply) = split_ply(position);
            (key, ply, moves.as_slice())
        })
    }

    /// The moves of a position with exactly this ply.
    pub fn get(&self, key: &str, ply: u32) -> Option<&[BookMove]> {
        self.positions.get(&with_ply(key, ply)).map(Vec::as_slice)
    }

    /// Takes the moves that a search found. What shallower searches said of the
    /// position goes, since their scores cannot be compared; moves that nobody
    /// searched stay. The larger counts stay.
    pub fn put(&mut self, key: &str, ply: u32, new: Vec<BookMove>) {
        let known = self.positions.entry(with_ply(key, ply)).or_default();
        let depth = new.iter().filter_map(|m| m.depth).max().unwrap_or(0);
        let mut old = std::mem::replace(known, new);
        for m in known.iter_mut() {
            if let Some(old) = old.iter().find(|old| old.mv == m.mv) {
                m.count = m.count.max(old.count);
                m.improve(old);
            }
        }
        old.retain(|m| m.depth.is_none_or(|d| d >= depth));
        super::add(known, old);
    }

    /// Adds another book: of the same move the deeper search counts.
    pub fn merge(&mut self, other: Table) {
        for (position, moves) in other.positions {
            let known = self.positions.entry(position).or_default();
            for m in moves {
                match known.iter_mut().find(|known| known.mv == m.mv) {
                    Some(known) => {
                        known.improve(&m);
                        known.count = known.count.saturating_add(m.count);
                    }
                    None => known.push(m),
                }
            }
        }
    }

    /// Lists every position once, with its smallest known move number.
    pub fn unite_plies(&mut self) {
        let mut by_key: BTreeMap<String, (u32, Table)> = BTreeMap::new();
        for (position, moves) in std::mem::take(&mut self.positions) {
            let (key, ply) = split_ply(&position);
            let one = |moves| Table {
                positions: BTreeMap::from([(key.to_string(), moves)]),
            };
            match by_key.get_mut(key) {
                Some((smallest, table)) => {
                    table.merge(one(moves));
                    *smallest = match (*smallest, ply) {
                        (0, ply) => ply,
                        (known, 0) => known,
                        (known, ply) => known.min(ply),
                    };
                }
                None => {
                    by_key.insert(key.to_string(), (ply, one(moves)));
                }
            }
        }
        for (key, (ply, mut table)) in by_key {
            if let Some(moves) = table.positions.remove(&key) {
                self.positions.insert(with_ply(&key, ply), moves);
            }
        }
    }

    /// Writes the book: sorted, best moves first, positions without moves left out.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")?;
        for (position, moves) in &self.positions {
            if moves.is_empty() {
                continue;
            }
            let mut moves = moves.clone();
            entry::sort(&mut moves);
            writeln!(out, "sfen {position}")?;
            for m in moves {
                writeln!(out, "{m}")?;
            }
        }
        Ok(())
    }

    /// Writes the book to a file, which is replaced in one step.
    ///
    /// # Errors
    /// When writing fails; the old file is then still there.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        files::replace(path, |out| self.write(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const A: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";
    const B: &str = "9/9/9/9/9/9/9/9/9 w 2Pp";

    fn table(text: &str) -> Table {
        let (table, damages) = Table::parse(text.as_bytes());
        assert_eq!(damages.total, 0, "{damages:?}");
        table
    }

    fn written(table: &Table) -> String {
        let mut out = Vec::new();
        table.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_written_is_canonical() {
        let messy = format!(
            "sfen {A} 7\n2g2f none 3 5 1\n\nsfen {A}  1\r\n7g7f none 1 5 1\n5g5f\n2g2f 8c8d 9 5 1\n7g7f none 2 6 1\nsfen 9/9/9/9/9/9/9/9/9 w p1P1P 3\nsfen {B} 2\n7g7f\n"
        );
        let expected = format!(
            "{HEADER}\nsfen {B} 2\n7g7f none\nsfen {A} 1\n2g2f 8c8d 9 5 1\n7g7f none 2 6 1\n5g5f none\nsfen {A} 7\n2g2f none 3 5 1\n"
        );
        assert_eq!(written(&table(&messy)), expected);
        assert_eq!(written(&table(&expected)), expected);
    }

    #[test]
    fn merging_takes_the_deeper_search_and_adds_counts() {
        let mut a = table(&format!(
            "sfen {A} 1\n7g7f none 10 20 5\n2g2f none 20 10 1\n"
        ));
        a.merge(table(&format!(
            "sfen {A} 1\n7g7f 3c3d 99 19 2\n2g2f 8c8d 30 11 2\n5g5f none 0 1 1\nsfen {B}\n7g7f\n"
        )));
        assert_eq!(
            written(&a),
            format!(
                "{HEADER}\nsfen {B}\n7g7f none\nsfen {A} 1\n2g2f 8c8d 30 11 3\n7g7f 3c3d 10 20 7\n5g5f none 0 1 1\n"
            )
        );
    }

    #[test]
    fn plies_are_united() {
        let mut a = table(&format!(
            "sfen {A}\n7g7f none 1 1 1\nsfen {A} 3\n7g7f none 2 2 2\nsfen {A} 11\n2g2f none 0 1 1\nsfen {B} 5\n7g7f\n"
        ));
        a.unite_plies();
        assert_eq!(
            written(&a),
            format!(
                "{HEADER}\nsfen {B} 5\n7g7f none\nsfen {A} 3\n7g7f none 2 2 3\n2g2f none 0 1 1\n"
            )
        );
    }

    #[test]
    fn a_deeper_search_replaces_all_but_what_was_never_searched() {
        let mut a = table(&format!(
            "sfen {A} 1\n7g7f none 90 10 5\n2g2f none 80 10 3\n5g5f\n"
        ));
        let new = ["7g7f 3c3d 20 15 1", "1g1f none 10 15 1"];
        a.put(A, 1, new.iter().map(|line| line.parse().unwrap()).collect());
        assert_eq!(
            written(&a),
            format!("{HEADER}\nsfen {A} 1\n7g7f 3c3d 20 15 5\n1g1f none 10 15 1\n5g5f none\n")
        );
        assert_eq!(a.get(A, 1).unwrap().len(), 3);
        assert_eq!(a.get(A, 2), None);
    }

    #[test]
    fn files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let book = table(&format!("sfen {A} 1\n7g7f none 1 1 1\n"));
        Table::default().save(&path).unwrap();
        book.save(&path).unwrap();
        assert_eq!(Table::load(&path).unwrap().0, book);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(book.save(&folder.path().join("none").join("a.db")).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(text in "(?s).{0,200}", numbers in prop::collection::vec(any::<u8>(), 0..200)) {
            let mixed = format!("sfen {A} 1\n{text}\nsfen {B}\n7g7f {text}\n");
            for bytes in [mixed.as_bytes(), &numbers] {
                let (table, _) = Table::parse(bytes);
                // What was read survives writing.
                prop_assert_eq!(written(&Table::parse(written(&table).as_bytes()).0), written(&table));
            }
        }
    }
}
