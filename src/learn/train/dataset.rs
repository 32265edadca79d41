//! Positions as the trainer sees them, and where they come from.
//!
//! A record is decoded once into the BonaPieces that the side to move sees; what the
//! other side sees, and the mirrored board, follow by tables. Shogi looks the same
//! in a mirror, so each position is shown now one way, now the other: twice the data
//! for nothing.
//!
//! Data that fits the memory is read once. Larger data is read part after part in
//! every pass, the next one on another thread while one is in use; within a part
//! the order is random. Shuffle such files first (`tsuru learn shuffle`).
//!
//! Validation takes the end of each file, or files of its own. Positions of one game
//! are much alike: the part that is held out begins with a game, so that nothing is
//! trained on of those in it. That works where games are in one piece, not in a
//! shuffled file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use once_cell::sync::Lazy;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::core::Color;
use crate::eval::nnue::features::{self, BONA_PIECES, FeatureSet, KINGS};
use crate::learn::FileError;
use crate::learn::packed::Placement;
use crate::learn::record::{BYTES, Reader, Record, RecordError};
use crate::shogi::{Piece, PieceKind, Square};

/// Pieces of an even game, kings included.
pub const PIECES: usize = 40;

/// Records that are read at a time.
const BLOCK: usize = 1 << 16;

/// Records of the longest game that is looked for.
const MAX_GAME: u64 = 1 << 14;

/// A position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// BonaPieces as the side to move sees them, its own king first.
    pieces: [u16; PIECES],
    /// Score of the search, centipawns for the side to move.
    pub score: i16,
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
}

/// BonaPieces after a change of view: as the other side sees them, and in a mirror.
struct Views {
    other: [u16; BONA_PIECES],
    mirror: [u16; BONA_PIECES],
}

static VIEWS: Lazy<Views> = Lazy::new(|| {
    let itself = std::array::from_fn(|bona_piece| bona_piece as u16);
    let mut views = Views {
        other: itself,
        mirror: itself,
    };
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            let piece = Piece::new(color, kind);
            for square in Square::all() {
                let seen = features::on_board(Color::Black, piece, square);
                let other = features::on_board(Color::White, piece, square);
                let mirrored = Square::new(8 - square.file(), square.rank()).unwrap_or(square);
                let mirror = features::on_board(Color::Black, piece, mirrored);
                views.other[seen] = other as u16;
                views.mirror[seen] = mirror as u16;
            }
        }
        for kind in PieceKind::HAND {
            for nth in 0.. {
                let seen = features::in_hand(Color::Black, color, kind, nth);
                let other = features::in_hand(Color::White, color, kind, nth);
                let (Some(seen), Some(other)) = (seen, other) else {
                    break;
                };
                views.other[seen] = other as u16;
            }
        }
    }
    views
});

impl Sample {
    /// The sample of a record. Whether the position could occur is not checked
    /// (`learn info` does): its pieces are those of a game, and that is enough to
    /// learn from.
    pub fn of(record: &Record) -> Result<Sample, RecordError> {
        let placement = record.packed.unpack()?;
        Ok(Sample {
            pieces: bona_pieces(&placement),
            score: record.score,
            result: record.result,
        })
    }

    /// The initial position with other labels, for tests of what only looks at these.
    #[cfg(test)]
    pub(super) fn labelled(score: i16, result: i8) -> Sample {
        let start = crate::shogi::Position::start(&crate::shogi::Rules::default());
        let packed = crate::learn::packed::PackedSfen::pack(&start).unwrap();
        Sample {
            pieces: bona_pieces(&packed.unpack().unwrap()),
            score,
            result,
        }
    }

    /// Appends the rows of the input layer that are active: those of the side to
    /// move, then those of the other side, [`active_rows`] each. After the inputs
    /// of the set come the virtual ones ([`rows`]).
    pub fn active(&self, set: FeatureSet, mirror: bool, out: &mut Vec<u32>) {
        let views = &*VIEWS;
        for other in [false, true] {
            let seen = self.pieces.map(|bona_piece| {
                let bona_piece = usize::from(bona_piece);
                let bona_piece = match mirror {
                    true => usize::from(views.mirror[bona_piece]),
                    false => bona_piece,
                };
                match other {
                    true => views.other[bona_piece],
                    false => bona_piece as u16,
                }
            });
            // Whose king it is changes with the view.
            let king = usize::from(seen[usize::from(other)]) - KINGS;
            for bona_piece in seen {
                let bona_piece = usize::from(bona_piece);
                let Some(index) = set.index(king, bona_piece) else {
                    continue;
                };
                out.push(index as u32);
                if set == FeatureSet::HalfKp {
                    out.push((set.dimensions() + bona_piece) as u32);
                }
            }
        }
    }
}

/// The BonaPieces of all pieces as the side to move sees them, its king first, then
/// the other king.
fn bona_pieces(placement: &Placement) -> [u16; PIECES] {
    let us = placement.side;
    let mut pieces = [0; PIECES];
    // `unpack` has made sure that there are two kings and 38 others.
    let mut next = 2;
    for (square, piece) in Square::all().zip(&placement.board) {
        let Some(piece) = piece else {
            continue;
        };
        let bona_piece = features::on_board(us, *piece, square) as u16;
        if piece.kind == PieceKind::King {
            pieces[usize::from(piece.color != us)] = bona_piece;
        } else {
            pieces[next] = bona_piece;
            next += 1;
        }
    }
    for owner in Color::ALL {
        for (kind, count) in placement.hands[owner].iter() {
            for nth in 0..count {
                if let Some(bona_piece) = features::in_hand(us, owner, kind, nth) {
                    pieces[next] = bona_piece as u16;
                    next += 1;
                }
            }
        }
    }
    pieces
}

/// Rows of the input layer while it is trained: the inputs of the set and, where
/// inputs depend on the king, one more for each BonaPiece that is active wherever
/// the king is. What they learn from all positions is added to the inputs of each
/// king in the end ("factorised" inputs).
pub const fn rows(set: FeatureSet) -> usize {
    match set {
        FeatureSet::Kp => set.dimensions(),
        FeatureSet::HalfKp => set.dimensions() + KINGS,
    }
}

/// Active rows of one side.
pub const fn active_rows(set: FeatureSet) -> usize {
    match set {
        FeatureSet::Kp => PIECES,
        FeatureSet::HalfKp => 2 * (PIECES - 2),
    }
}

/// Records of a file that follow each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The file.
    pub path: PathBuf,
    /// The first record.
    pub from: u64,
    /// How many there are.
    pub records: u64,
}

/// Number of records in all parts.
pub fn count(parts: &[Part]) -> u64 {
    parts.iter().map(|part| part.records).sum()
}

/// What to learn from, and what to see on whether it holds elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// To learn from.
    pub training: Vec<Part>,
    /// To validate.
    pub validation: Vec<Part>,
}

fn whole(path: &Path) -> Result<Part, FileError> {
    let metadata = fs::metadata(path).map_err(FileError::at(path))?;
    if !metadata.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "no file of data");
        return Err(FileError::at(path)(error));
    }
    Ok(Part {
        path: path.to_path_buf(),
        from: 0,
        records: metadata.len() / BYTES as u64,
    })
}

impl Split {
    /// Looks how long the files are. Without files to validate, the share `hold_out`
    /// at the end of each file is kept for that, and the rest of the game that it
    /// begins in. A file that is being written may grow meanwhile; what comes later is
    /// not used.
    pub fn of(
        files: &[PathBuf],
        validation: &[PathBuf],
        hold_out: f64,
    ) -> Result<Split, FileError> {
        let whole = |files: &[PathBuf]| -> Result<Vec<Part>, FileError> {
            files.iter().map(|path| whole(path)).collect()
        };
        let mut split = Split {
            training: whole(files)?,
            validation: whole(validation)?,
        };
        if validation.is_empty() {
            for part in &mut split.training {
                let records = part.records;
                let held_out = (records as f64 * hold_out.clamp(0.0, 1.0)) as u64;
                if held_out > 0 {
                    part.records = game_start(&part.path, records - held_out)?;
                }
                split.validation.push(Part {
                    path: part.path.clone(),
                    from: part.records,
                    records: records - part.records,
                });
            }
        }
        Ok(split)
    }
}

/// The first record of the game that a record belongs to: move numbers rise within a
/// game. The record itself in the first game of a file, of which something is to be
/// left to learn from, and where no game seems to begin.
fn game_start(path: &Path, record: u64) -> Result<u64, FileError> {
    let first = record.saturating_sub(MAX_GAME);
    let part = Part {
        path: path.to_path_buf(),
        from: first,
        records: record - first + 1,
    };
    let mut plies = Vec::new();
    read(&[part], |records| {
        // At 36 and 37, see `Record`.
        plies.extend(
            records
                .iter()
                .map(|bytes| u16::from_le_bytes([bytes[36], bytes[37]])),
        );
    })?;
    let start = plies.windows(2).rposition(|pair| pair[1] <= pair[0]);
    Ok(start.map_or(record, |before| first + before as u64 + 1))
}

/// Divides parts into groups of at most `size` records.
pub fn groups(parts: &[Part], size: u64) -> Vec<Vec<Part>> {
    let size = size.max(1);
    let mut groups = Vec::new();
    let mut group = Vec::new();
    let mut room = size;
    for part in parts {
        let mut part = part.clone();
        while part.records > 0 {
            let taken = part.records.min(room);
            group.push(Part {
                records: taken,
                ..part.clone()
            });
            part.from += taken;
            part.records -= taken;
            room -= taken;
            if room == 0 {
                groups.push(std::mem::take(&mut group));
                room = size;
            }
        }
    }
    if !group.is_empty() {
        groups.push(group);
    }
    groups
}

/// Reads parts block by block and hands each block on.
pub fn read(parts: &[Part], mut block: impl FnMut(&[[u8; BYTES]])) -> Result<(), FileError> {
    for part in parts {
        let mut reader = Reader::open(&part.path)
            .and_then(|mut reader| reader.seek(part.from).map(|()| reader))
            .map_err(FileError::at(&part.path))?;
        let mut left = part.records;
        while left > 0 {
            let records = reader
                .read(left.min(BLOCK as u64) as usize)
                .map_err(FileError::at(&part.path))?;
            if records.is_empty() {
                break;
            }
            left -= records.len() as u64;
            block(&records);
        }
    }
    Ok(())
}

/// Samples that were read.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Those that are whole.
    pub samples: Vec<Sample>,
    /// Records that are damaged.
    pub damaged: u64,
}

/// Reads the samples of parts.
pub fn load(parts: &[Part]) -> Result<Samples, FileError> {
    let mut all = Samples::default();
    all.samples.reserve(count(parts) as usize);
    read(parts, |records| {
        let samples: Vec<Option<Sample>> = records
            .par_iter()
            .map(|bytes| {
                Record::from_bytes(bytes)
                    .and_then(|record| Sample::of(&record))
                    .ok()
            })
            .collect();
        let before = all.samples.len();
        all.samples.extend(samples.into_iter().flatten());
        all.damaged += (records.len() - (all.samples.len() - before)) as u64;
    })?;
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;
    use crate::learn::train::testing::sample;
    use crate::shogi::{Position, Rules};

    /// The position in a mirror.
    fn mirrored(position: &Position) -> Position {
        let sfen = position.sfen();
        let (board, rest) = sfen.split_once(' ').unwrap();
        let turn = |rank: &str| {
            let mut pieces: Vec<String> = Vec::new();
            for letter in rank.chars() {
                match pieces.last_mut() {
                    Some(last) if last == "+" => last.push(letter),
                    _ => pieces.push(letter.to_string()),
                }
            }
            pieces.reverse();
            pieces.concat()
        };
        let board: Vec<String> = board.split('/').map(turn).collect();
        Position::from_sfen(&format!("{} {rest}", board.join("/")), &Rules::default()).unwrap()
    }

    #[test]
    fn active_rows_are_the_features_of_the_position() {
        for game in 0..20 {
            let mut random = Random::nth(4, game);
            let mut position = Position::start(&Rules::default());
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                position.make(moves[random.below(moves.len())]);
                for mirror in [false, true] {
                    let seen = match mirror {
                        true => mirrored(&position),
                        false => position.clone(),
                    };
                    for set in [FeatureSet::Kp, FeatureSet::HalfKp] {
                        let mut found = Vec::new();
                        sample(&position).active(set, mirror, &mut found);
                        assert_eq!(found.len(), 2 * active_rows(set));
                        let us = seen.side_to_move();
                        for (view, found) in
                            [us, !us].into_iter().zip(found.chunks(active_rows(set)))
                        {
                            let mut wanted = Vec::new();
                            set.for_each(&seen, view, |index| wanted.push(index as u32));
                            if set == FeatureSet::HalfKp {
                                let offset = set.dimensions();
                                for i in 0..wanted.len() {
                                    wanted.push((wanted[i] as usize % KINGS + offset) as u32);
                                }
                            }
                            let mut found = found.to_vec();
                            found.sort_unstable();
                            wanted.sort_unstable();
                            assert_eq!(found, wanted);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn files_are_split_and_grouped() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        // The last record is not whole.
        fs::write(path("a"), [0; 100 * BYTES + 7]).unwrap();
        fs::write(path("b"), [0; 10 * BYTES]).unwrap();
        let part = |name, from, records| Part {
            path: path(name),
            from,
            records,
        };
        let split = Split::of(&[path("a"), path("b")], &[], 0.1).unwrap();
        assert_eq!(split.training, [part("a", 0, 90), part("b", 0, 9)]);
        assert_eq!(split.validation, [part("a", 90, 10), part("b", 9, 1)]);
        let groups = groups(&split.training, 50);
        assert_eq!(groups[0], [part("a", 0, 50)]);
        assert_eq!(groups[1], [part("a", 50, 40), part("b", 0, 9)]);
        assert_eq!(groups.len(), 2);
        let split = Split::of(&[path("a")], &[path("b")], 0.1).unwrap();
        assert_eq!(split.training, [part("a", 0, 100)]);
        assert_eq!(split.validation, [part("b", 0, 10)]);
        let loaded = load(&split.validation).unwrap();
        assert_eq!((loaded.samples.len(), loaded.damaged), (0, 10));
        let error = Split::of(&[path("c")], &[], 0.1).unwrap_err();
        assert!(error.to_string().ends_with('c'));
    }

    #[test]
    fn no_game_is_in_both_halves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let part = |from, records| Part {
            path: path.clone(),
            from,
            records,
        };
        // Games of 30 positions, from move 5 on, every other one.
        let mut bytes = Vec::new();
        for game in 0..5 {
            for ply in 0..30_u16 {
                let mut record = [game; BYTES];
                record[36..38].copy_from_slice(&(5 + 2 * ply).to_le_bytes());
                bytes.extend(record);
            }
        }
        for (hold_out, start) in [(0.1, 120), (0.2, 120), (0.3, 90), (0.01, 120), (0.0, 150)] {
            fs::write(&path, &bytes).unwrap();
            let split = Split::of(std::slice::from_ref(&path), &[], hold_out).unwrap();
            assert_eq!(split.training, [part(0, start)]);
            assert_eq!(split.validation, [part(start, 150 - start)]);
        }
        // One game only.
        fs::write(&path, &bytes[..30 * BYTES]).unwrap();
        let split = Split::of(std::slice::from_ref(&path), &[], 0.1).unwrap();
        assert_eq!(split.validation, [part(27, 3)]);
    }
}
