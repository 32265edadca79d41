//! What a data file holds: counts, results, scores, move numbers, how many
//! positions are different, and which records are damaged.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;

use super::FileError;
use super::record::{BYTES, Reader, Record, RecordError};
use crate::core::Color;
use crate::game::Game;

/// Records that are read and checked at a time.
const BLOCK: usize = 1 << 16;

/// How many damaged records are named.
const NAMED: usize = 10;

/// Limits between the classes of scores, in centipawns.
pub const SCORE_LIMITS: [i32; 14] = [
    -3000, -2000, -1000, -600, -300, -100, -30, 31, 101, 301, 601, 1001, 2001, 3001,
];

/// Moves in a class of move numbers.
pub const PLY_CLASS: usize = 20;

/// Classes of move numbers; the last one has no end.
pub const PLY_CLASSES: usize = 16;

/// What a data file holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Good records.
    pub positions: u64,
    /// Games: the move number falls at the start of each. It says little of a
    /// shuffled file.
    pub games: u64,
    /// Positions whose side to move lost, drew, won.
    pub results: [u64; 3],
    /// Positions of games that White won, that were drawn, that Black won.
    pub winners: [u64; 3],
    /// Positions by class of score, between [`SCORE_LIMITS`].
    pub scores: [u64; SCORE_LIMITS.len() + 1],
    /// Positions by move number, [`PLY_CLASS`] to a class.
    pub plies: [u64; PLY_CLASSES],
    /// Positions in check.
    pub checks: u64,
    /// Positions whose best move captures or promotes a pawn, in check or not.
    pub captures: u64,
    /// Positions with no best move.
    pub no_move: u64,
    /// Positions that differ from each other, estimated.
    pub distinct: u64,
    /// Damaged records.
    pub damaged: u64,
    /// The first of them: the record's number, from 1, and what is wrong.
    pub damages: Vec<(u64, RecordError)>,
    /// Bytes after the last whole record.
    pub rest: usize,
}

/// Counts different keys in bounded memory: keeps those whose lowest bits are 0,
/// one bit more whenever there are too many ("adaptive sampling", Flajolet 1990,
/// after an idea of Wegman).
struct Distinct {
    keys: HashSet<u64>,
    bits: u32,
    limit: usize,
}

impl Distinct {
    fn new(limit: usize) -> Distinct {
        Distinct {
            keys: HashSet::new(),
            bits: 0,
            limit,
        }
    }

    fn add(&mut self, key: u64) {
        if key.trailing_zeros() < self.bits {
            return;
        }
        self.keys.insert(key);
        while self.keys.len() > self.limit {
            self.bits += 1;
            let bits = self.bits;
            self.keys.retain(|key| key.trailing_zeros() >= bits);
        }
    }

    fn count(&self) -> u64 {
        (self.keys.len() as u64) << self.bits
    }
}

/// What the statistics need of a record.
struct Facts {
    record: Record,
    key: u64,
    side: Color,
    check: bool,
    capture: bool,
}

fn examine(bytes: &[u8; BYTES]) -> Result<Facts, RecordError> {
    let record = Record::from_bytes(bytes)?;
    let position = record.position()?;
    Ok(Facts {
        record,
        key: position.key(),
        side: position.side_to_move(),
        check: position.checkers().any(),
        capture: record.best.is_some_and(|m| position.is_noisy(m)),
    })
}

impl Statistics {
    /// Reads a file. `done` counts the records read; the statistics are of the part
    /// that was read when `stop` becomes true.
    pub fn of(path: &Path, stop: &AtomicBool, done: &AtomicU64) -> Result<Statistics, FileError> {
        let mut reader = Reader::open(path).map_err(FileError::at(path))?;
        let mut statistics = Statistics::default();
        let mut distinct = Distinct::new(1 << 21);
        let mut last_ply = u16::MAX;
        let mut number = 0;
        while !stop.load(Ordering::Relaxed) {
            let block = reader.read(BLOCK).map_err(FileError::at(path))?;
            if block.is_empty() {
                break;
            }
            let facts: Vec<Result<Facts, RecordError>> = block.par_iter().map(examine).collect();
            for facts in facts {
                number += 1;
                match facts {
                    Ok(facts) => {
                        let ply = facts.record.ply;
                        statistics.games += u64::from(ply <= last_ply);
                        last_ply = ply;
                        distinct.add(facts.key);
                        statistics.add(&facts);
                    }
                    Err(error) => {
                        statistics.damaged += 1;
                        if statistics.damages.len() < NAMED {
                            statistics.damages.push((number, error));
                        }
                    }
                }
            }
            done.fetch_add(block.len() as u64, Ordering::Relaxed);
        }
        statistics.rest = reader.rest();
        statistics.distinct = distinct.count();
        Ok(statistics)
    }

    fn add(&mut self, facts: &Facts) {
        let Facts { record, side, .. } = facts;
        self.positions += 1;
        let black_result = match side {
            Color::Black => record.result,
            Color::White => -record.result,
        };
        self.results[(record.result + 1) as usize] += 1;
        self.winners[(black_result + 1) as usize] += 1;
        let score = i32::from(record.score);
        self.scores[SCORE_LIMITS.partition_point(|&limit| limit <= score)] += 1;
        let class = usize::from(record.ply.max(1) - 1) / PLY_CLASS;
        self.plies[class.min(PLY_CLASSES - 1)] += 1;
        self.checks += u64::from(facts.check);
        self.captures += u64::from(facts.capture);
        self.no_move += u64::from(record.best.is_none());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::packed::PackedSfen;
    use crate::learn::random::Random;
    use crate::shogi::{Position, Rules};
    use std::io::Write;

    #[test]
    fn counts_and_names_damage() {
        let mut position = Position::start(&Rules::default());
        let mut random = Random::new(1);
        let mut bytes = Vec::new();
        for ply in 1..=50u16 {
            let moves = position.legal_moves();
            let best = moves[random.below(moves.len())];
            let record = Record {
                packed: PackedSfen::pack(&position).unwrap(),
                score: 100 * (25 - ply as i16),
                best: Some(best),
                ply,
                result: if ply % 2 == 1 { 1 } else { -1 },
            };
            bytes.extend(record.to_bytes());
            position.make(best);
        }
        // The whole game twice, one record of it damaged, one cut off.
        bytes.extend(bytes.clone());
        bytes[3 * BYTES + 38] = 9;
        bytes.truncate(bytes.len() - 7);
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&bytes).unwrap();
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let statistics = Statistics::of(file.path(), &stop, &done).unwrap();
        assert_eq!((statistics.positions, statistics.games), (98, 2));
        assert_eq!(done.into_inner(), 99);
        assert_eq!(statistics.results, [48, 0, 50]);
        assert_eq!(statistics.winners, [0, 0, 98]);
        assert_eq!(statistics.scores.iter().sum::<u64>(), 98);
        assert_eq!(statistics.scores[7], 2, "a score of 0");
        assert_eq!(statistics.plies[..4], [39, 40, 19, 0]);
        assert_eq!(statistics.distinct, 50);
        assert_eq!(statistics.damages, [(4, RecordError::Result(9))]);
        assert_eq!((statistics.damaged, statistics.rest), (1, BYTES - 7));
        assert!(Statistics::of(Path::new("/no/such/file"), &stop, &AtomicU64::new(0)).is_err());
    }

    #[test]
    fn estimates_how_many_are_different() {
        let mut distinct = Distinct::new(4096);
        for _ in 0..3 {
            let mut random = Random::new(5);
            for _ in 0..100_000 {
                distinct.add(random.next_u64());
            }
        }
        let count = distinct.count();
        assert!((95_000..105_000).contains(&count), "{count}");
    }
}
