//! A book in memory.
//!
//! Positions are 16 bytes each, sorted by the hash of their key, and moves 12
//! bytes. The file is read in large blocks, which are cut before position lines
//! and parsed on all cores, so that memory never holds much more than the result.
//! Two positions with the same 64-bit hash are taken for one; with ten million
//! positions in the book that befalls a position that is not in it once in 10^12
//! times, and its moves must still be legal to be played.

use std::io::{self, Read};

use rayon::prelude::*;

use super::entry::{BookMove, Packed};
use super::format::{Damages, Item, scan};
use super::key;

/// What is read at once.
const BLOCK: usize = 16 << 20;

/// What one task parses.
const PIECE: usize = 1 << 20;

/// Where a block may be cut: before a position line.
const CUT: &[u8] = b"\nsfen ";

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u64,
    /// Its first move.
    first: u32,
    /// Number of moves.
    len: u16,
    /// 0 for unknown.
    ply: u16,
}

/// A book in memory.
#[derive(Debug, Default)]
pub struct Loaded {
    entries: Vec<Entry>,
    moves: Vec<Packed>,
}

impl Loaded {
    /// Reads a book. Damaged lines are left out and returned.
    ///
    /// # Errors
    /// When reading fails, or the book has more than 2^32 moves.
    pub fn read(mut source: impl Read) -> io::Result<(Loaded, Damages)> {
        let mut book = Loaded::default();
        let mut damages = Damages::default();
        let mut lines = 0;
        let mut block = Vec::new();
        loop {
            let old = block.len();
            let got = source.by_ref().take(BLOCK as u64).read_to_end(&mut block)?;
            let ended = got == 0;
            let end = match ended {
                true => block.len(),
                // The last position may go on in the next block.
                false => match last_cut(&block[old.saturating_sub(CUT.len())..]) {
                    Some(cut) => old.saturating_sub(CUT.len()) + cut,
                    None => continue,
                },
            };
            let parts: Vec<_> = pieces(&block[..end]).into_par_iter().map(parse).collect();
            for (part, part_lines, part_damages) in parts {
                book.append(part)?;
                damages.append(part_damages, lines);
                lines += part_lines;
            }
            if ended {
                break;
            }
            block.drain(..end);
        }
        // Stable: of equal positions the order of the file stays.
        book.entries
            .par_sort_by_key(|entry| (entry.hash, entry.ply));
        book.entries.shrink_to_fit();
        book.moves.shrink_to_fit();
        Ok((book, damages))
    }

    fn append(&mut self, part: Loaded) -> io::Result<()> {
        let too_many = || io::Error::other("too many moves for one book");
        let offset = u32::try_from(self.moves.len()).map_err(|_| too_many())?;
        u32::try_from(self.moves.len() + part.moves.len()).map_err(|_| too_many())?;
        self.moves.extend(part.moves);
        self.entries
            .extend(part.entries.into_iter().map(|entry| Entry {
                first: entry.first + offset,
                ..entry
            }));
        Ok(())
    }

    /// Number of positions.
    pub fn positions(&self) -> usize {
        self.entries.len()
    }

    /// Number of moves.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// The entries of a key: plies (0 for unknown) and moves.
    pub fn find(&self, key: &str) -> Vec<(u32, Vec<BookMove>)> {
        let hash = key::hash(key);
        let begin = self.entries.partition_point(|entry| entry.hash < hash);
        self.entries[begin..]
            .iter()
            .take_while(|entry| entry.hash == hash)
            .map(|entry| (entry.ply.into(), self.moves_of(entry)))
            .collect()
    }

    fn moves_of(&self, entry: &Entry) -> Vec<BookMove> {
        let first = entry.first as usize;
        self.moves[first..first + usize::from(entry.len)]
            .iter()
            .filter_map(|packed| packed.unpack())
            .collect()
    }
}

/// The offset after the line end of the last possible cut.
fn last_cut(block: &[u8]) -> Option<usize> {
    block
        .windows(CUT.len())
        .rposition(|window| window == CUT)
        .map(|at| at + 1)
}

/// Cuts a block into pieces for the tasks.
fn pieces(mut block: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while block.len() > PIECE {
        let cut = block[PIECE..]
            .windows(CUT.len())
            .position(|window| window == CUT);
        let Some(cut) = cut else { break };
        let (piece, rest) = block.split_at(PIECE + cut + 1);
        pieces.push(piece);
        block = rest;
    }
    if !block.is_empty() {
        pieces.push(block);
    }
    pieces
}

fn parse(piece: &[u8]) -> (Loaded, usize, Damages) {
    let mut part = Loaded::default();
    let (lines, damages) = scan(piece, |item| match item {
        Item::Position(key, ply) => part.entries.push(Entry {
            hash: key::hash(key),
            first: part.moves.len() as u32,
            len: 0,
            ply: ply.min(u16::MAX.into()) as u16,
        }),
        Item::Move(m) => {
            // No position has so many moves but a damaged one.
            if let Some(entry) = part.entries.last_mut()
                && let Some(len) = entry.len.checked_add(1)
            {
                entry.len = len;
                part.moves.push(Packed::new(&m));
            }
        }
    });
    (part, lines, damages)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that yields little at a time.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = buffer.len().min(self.0.len()).min(7);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn pieces_are_cut_before_positions() {
        let text = "sfen a\n7g7f\n".repeat(PIECE / 4);
        let pieces = pieces(text.as_bytes());
        assert!(pieces.len() > 2);
        assert!(pieces.iter().all(|piece| piece.starts_with(b"sfen ")));
        assert_eq!(pieces.concat(), text.as_bytes());
    }

    #[test]
    fn large_books_are_found_whole_and_damage_has_its_line() {
        // Two kings anywhere on the first and last ranks, and hands.
        let rank = |file: usize, king: char| {
            let gap = |n: usize| if n == 0 { String::new() } else { n.to_string() };
            format!("{}{king}{}", gap(file), gap(8 - file))
        };
        let mut text = String::from("#YANEURAOU-DB2016 1.00\n");
        let mut keys = Vec::new();
        for (i, j) in (0..81).flat_map(|i| (0..17 * 17 * 17).map(move |j| (i, j))) {
            let (black, white) = (rank(i / 9, 'K'), rank(i % 9, 'k'));
            let (p, l, g) = (j % 17 + 2, j / 17 % 17 + 2, j / 289 + 2);
            let key = format!("{white}/9/9/9/9/9/9/9/{black} b {p}P{l}l{g}g");
            let eval = (keys.len() % 1000) as i32;
            text.push_str(&format!(
                "sfen {key} 1\n5i5h none {eval} 10 1\n7g7f none 2 10 1\n"
            ));
            keys.push((key, eval));
        }
        assert!(text.len() > BLOCK);
        text.push_str("damaged\n");
        let lines = text.lines().count();
        let (book, damages) = Loaded::read(text.as_bytes()).unwrap();
        assert_eq!(
            (book.positions(), book.moves()),
            (keys.len(), 2 * keys.len())
        );
        assert_eq!((damages.total, damages.first[0].line), (1, lines));
        for (key, eval) in keys.iter().step_by(997) {
            let mut canonical = String::new();
            key::normalise(key, &mut canonical).unwrap();
            let found = book.find(&canonical);
            assert!(
                found
                    .iter()
                    .any(|(_, moves)| moves.len() == 2 && moves[0].eval == Some(*eval)),
                "{key}"
            );
        }
        assert!(book.find("9/9/9/9/9/9/9/9/9 b -").is_empty());
    }

    #[test]
    fn slow_sources_are_read_to_their_end() {
        let text = "sfen 9/9/9/9/9/9/9/9/9 b - 1\n7g7f\nsfen 9/9/9/9/9/9/9/9/9 w - 1\n3c3d\n";
        let (book, damages) = Loaded::read(Slow(text.as_bytes())).unwrap();
        assert_eq!((book.positions(), damages.total), (2, 0));
    }
}
