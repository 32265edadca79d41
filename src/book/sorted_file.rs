//! A book searched on the fly: nothing is loaded, whatever its size.
//!
//! The positions of the file are in the order of their bytes, so one is found by
//! binary search over file offsets, with a handful of small reads. Plain reads
//! instead of a memory map: a file that another program cuts short meanwhile
//! must not end the engine.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use super::entry::BookMove;
use super::format::{Item, POSITION_WORD, position_text, scan};

/// What is read at once: a few positions.
const CHUNK: usize = 4096;

/// Positions that are compared when the order is checked at the start.
const PROBES: u64 = 64;

/// A sorted book file.
#[derive(Debug)]
pub struct SortedFile {
    file: Mutex<File>,
    size: u64,
}

/// A position line.
struct Found {
    /// Where the line begins.
    start: u64,
    /// Where the next one begins.
    end: u64,
    /// Its position, with ply.
    text: Vec<u8>,
}

impl SortedFile {
    /// Opens a book.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        Ok(SortedFile {
            file: Mutex::new(file),
            size,
        })
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the positions at some places all over the file are in order.
    ///
    /// # Errors
    /// When reading fails.
    pub fn seems_sorted(&self) -> io::Result<bool> {
        let mut last: Option<Found> = None;
        for i in 0..PROBES {
            let mut offset = (u128::from(self.size) * u128::from(i) / u128::from(PROBES)) as u64;
            // Two neighbours each: a small file may be out of order anywhere.
            for _ in 0..2 {
                let Some(found) = self.position_from(offset, self.size)? else {
                    break;
                };
                offset = found.end;
                if let Some(last) = &last
                    && found.start > last.start
                    && found.text < last.text
                {
                    return Ok(false);
                }
                last = Some(found);
            }
        }
        Ok(true)
    }

    /// The entries of a key: plies (0 for unknown) and moves.
    ///
    /// # Errors
    /// When reading fails.
    pub fn find(&self, key: &str) -> io::Result<Vec<(u32, Vec<BookMove>)>> {
        let key = format!("{key} ").into_bytes();
        // Positions that begin before `low` are smaller than the key, those from
        // `high` on are not.
        let (mut low, mut high) = (0, self.size);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.position_from(middle, high)? {
                Some(found) if found.text < key => low = found.end,
                _ => high = middle,
            }
        }
        let mut entries = Vec::new();
        let mut offset = low;
        while let Some(found) = self.position_from(offset, self.size)? {
            if !found.text.starts_with(&key) {
                break;
            }
            entries.extend(self.entry_at(&found)?);
            offset = found.end;
        }
        Ok(entries)
    }

    /// Reads up to `CHUNK` bytes at an offset; fewer at the end of the file only.
    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        (&mut *file).take(CHUNK as u64).read_to_end(buffer)
    }

    /// The first position line that begins at `from` or later, and before `to`.
    /// Its text ends with a blank, even when it has no ply.
    fn position_from(&self, from: u64, to: u64) -> io::Result<Option<Found>> {
        // From the end of the line before: it may be the one at `from`.
        let mut base = from.saturating_sub(1);
        let mut buffer = Vec::new();
        let mut at_line_start = from == 0;
        let mut scanned = 0;
        loop {
            let ended = self.read_at(base + buffer.len() as u64, &mut buffer)? < CHUNK;
            loop {
                if !at_line_start {
                    let Some(end) = buffer[scanned..].iter().position(|&c| c == b'\n') else {
                        scanned = buffer.len();
                        break;
                    };
                    scanned += end + 1;
                    at_line_start = true;
                }
                let start = base + scanned as u64;
                if start >= to {
                    return Ok(None);
                }
                let line = &buffer[scanned..];
                let end = line.iter().position(|&c| c == b'\n');
                if end.is_none() && !ended {
                    break;
                }
                let line = &line[..end.unwrap_or(line.len())];
                if let Some(position) = position_text(line.trim_ascii()) {
                    let mut text = position.to_vec();
                    text.push(b' ');
                    let end = start + line.len() as u64 + 1;
                    return Ok(Some(Found { start, end, text }));
                }
                if end.is_none() {
                    return Ok(None);
                }
                at_line_start = false;
            }
            if ended {
                return Ok(None);
            }
            // What was looked at is not needed again.
            buffer.drain(..scanned);
            base += scanned as u64;
            scanned = 0;
        }
    }

    /// Reads the moves of a position; `None` when its line is damaged.
    fn entry_at(&self, position: &Found) -> io::Result<Option<(u32, Vec<BookMove>)>> {
        let mut buffer = Vec::new();
        loop {
            let offset = position.start + buffer.len() as u64;
            let ended = self.read_at(offset, &mut buffer)? < CHUNK;
            let next = buffer
                .windows(POSITION_WORD.len() + 1)
                .skip(1)
                .position(|window| window[0] == b'\n' && window[1..] == *POSITION_WORD);
            if let Some(next) = next {
                buffer.truncate(next + 2);
            } else if !ended {
                continue;
            }
            break;
        }
        let mut entry = None;
        scan(&buffer, |item| match (item, &mut entry) {
            (Item::Position(_, ply), None) => entry = Some((ply, Vec::new())),
            (Item::Move(m), Some((_, moves))) => moves.push(m),
            _ => {}
        });
        Ok(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn file(text: &str) -> SortedFile {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        SortedFile::open(file).unwrap()
    }

    /// Positions `k` on the first rank and any number of pawns.
    fn text(ending: &str) -> (String, Vec<String>) {
        let mut keys: Vec<String> = (0..9)
            .flat_map(|i| {
                let gap = |n: usize| if n == 0 { String::new() } else { n.to_string() };
                let rank = format!("{}k{}", gap(i), gap(8 - i));
                [
                    "-".to_string(),
                    "P".to_string(),
                    "2P".to_string(),
                    "10P".to_string(),
                ]
                .map(|hand| format!("{rank}/9/9/9/9/9/9/9/4K4 b {hand}"))
            })
            .collect();
        let mut lines: Vec<String> = keys
            .iter()
            .flat_map(|key| [format!("sfen {key} 11"), format!("sfen {key} 9")])
            .collect();
        keys.sort();
        lines.sort();
        let mut text = format!("#YANEURAOU-DB2016 1.00{ending}");
        for (i, line) in lines.iter().enumerate() {
            text.push_str(&format!("{line}{ending}"));
            for j in 0..i * 7 % 300 {
                text.push_str(&format!("5i5h none {j} 10 1{ending}"));
            }
            if i % 5 == 0 {
                text.push_str(&format!("// comment{ending}{ending}"));
            }
        }
        (text, keys)
    }

    #[test]
    fn every_position_is_found() {
        for ending in ["\n", "\r\n"] {
            let (text, keys) = text(ending);
            for text in [text.as_str(), text.trim_end()] {
                let book = file(text);
                assert!(book.seems_sorted().unwrap());
                let (loaded, _) = super::super::loaded::Loaded::read(text.as_bytes()).unwrap();
                for key in &keys {
                    let mut found = book.find(key).unwrap();
                    found.sort_by_key(|entry| entry.0);
                    assert_eq!(found, loaded.find(key), "{key}");
                    assert_eq!(found.len(), 2);
                }
                for absent in ["1/", "9/9/9/9/9/9/9/9/9 b -", "~"] {
                    assert!(book.find(absent).unwrap().is_empty());
                }
                // A prefix of a key is not that key.
                let long = keys.iter().find(|key| key.ends_with("10P")).unwrap();
                let short = &long[..long.len() - 1];
                assert!(book.find(short).unwrap().is_empty());
            }
        }
    }

    #[test]
    fn odd_files_hold_nothing() {
        for text in ["", "\n", "sfen", "sfen ", "no book at all", "7g7f\n"] {
            let book = file(text);
            assert!(book.find("9/9/9/9/9/9/9/9/9 b -").unwrap().is_empty());
            assert!(book.seems_sorted().unwrap());
        }
        let unsorted = "sfen b b -\nsfen a b -\n";
        assert!(!file(unsorted).seems_sorted().unwrap());
        // Without a ply, and at the end of the file.
        let book = file("sfen 9/9/9/9/9/9/9/9/9 b -");
        assert_eq!(
            book.find("9/9/9/9/9/9/9/9/9 b -").unwrap(),
            [(0, Vec::new())]
        );
    }
}
