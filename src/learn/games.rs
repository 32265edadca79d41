//! What self-play and its data files need of a game: rules, and records of
//! positions.
//!
//! Shogi has the 40-byte records of YaneuraOu ([`Record`]). Wa shogi, whose squares
//! do not fit them, has lines of text, all of the same length so that files can be
//! counted and cut like those of shogi: position, `|`, best move, score, result,
//! blanks up to the end.

use std::fs;
use std::path::Path;

use super::FileError;
use super::packed::PackedSfen;
use super::record::{self, Record};
use super::selfplay::Settings;
use crate::core::Score;
use crate::game::Game;
use crate::{shogi, wa};

/// A position of a game of self-play with what became of it.
pub trait GameRecord<G: Game>: Send + Sized {
    /// Length in a file.
    const BYTES: usize;

    /// The record of a position; `None` if it cannot be one.
    fn new(position: &G, score: Score, best: G::Move) -> Option<Self>;

    /// The record with the result for the side to move: 1 won, 0 drawn, -1 lost.
    fn with_result(self, result: i8) -> Self;

    /// Appends it to the bytes of a file.
    fn append_to(&self, bytes: &mut Vec<u8>);
}

/// A game that the engine can learn by playing it against itself.
pub trait SelfPlay: Game {
    /// Its records.
    type Record: GameRecord<Self>;

    /// The rules to play by.
    fn self_play_rules(settings: &Settings) -> Self::Rules;
}

impl GameRecord<shogi::Position> for Record {
    const BYTES: usize = record::BYTES;

    fn new(position: &shogi::Position, score: Score, best: shogi::Move) -> Option<Record> {
        Some(Record {
            packed: PackedSfen::pack(position).ok()?,
            // Below `decisive`, or a mate: 32,000 at most.
            score: score as i16,
            best: Some(best),
            ply: position.ply().min(u32::from(u16::MAX)) as u16,
            result: 0,
        })
    }

    fn with_result(self, result: i8) -> Record {
        Record { result, ..self }
    }

    fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_bytes());
    }
}

impl SelfPlay for shogi::Position {
    type Record = Record;

    fn self_play_rules(settings: &Settings) -> shogi::Rules {
        shogi::Rules {
            max_moves: settings.max_plies,
            ..shogi::Rules::default()
        }
    }
}

/// A training position of wa shogi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaRecord {
    /// The position as SFEN.
    pub sfen: String,
    /// The best move.
    pub best: wa::Move,
    /// The search's score, from the side to move's view, in centipawns.
    pub score: i16,
    /// For the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
}

/// Why a line is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no training position of wa shogi")]
pub struct WaRecordError(String);

impl WaRecord {
    /// Reads a line.
    pub fn read(line: &str) -> Result<WaRecord, WaRecordError> {
        let record = || {
            let (sfen, rest) = line.split_once(" | ")?;
            let words: Vec<&str> = rest.split_whitespace().collect();
            let &[best, score, result] = words.as_slice() else {
                return None;
            };
            Some(WaRecord {
                sfen: sfen.to_owned(),
                best: wa::Move::from_usi(best)?,
                score: score.parse().ok()?,
                result: result.parse().ok().filter(|r| (-1..=1).contains(r))?,
            })
        };
        record().ok_or_else(|| WaRecordError(line.trim_end().to_owned()))
    }

    /// The records of a file, in their order.
    pub fn read_file(path: &Path) -> Result<Vec<Result<WaRecord, WaRecordError>>, FileError> {
        let text = fs::read_to_string(path).map_err(FileError::at(path))?;
        Ok(text.lines().map(WaRecord::read).collect())
    }
}

impl GameRecord<wa::Position> for WaRecord {
    const BYTES: usize = 320;

    fn new(position: &wa::Position, score: Score, best: wa::Move) -> Option<WaRecord> {
        Some(WaRecord {
            sfen: position.sfen(),
            best,
            score: score as i16,
            result: 0,
        })
    }

    fn with_result(self, result: i8) -> WaRecord {
        WaRecord { result, ..self }
    }

    fn append_to(&self, bytes: &mut Vec<u8>) {
        let WaRecord {
            sfen,
            best,
            score,
            result,
        } = self;
        // The longest board has 108 letters and signs, runs and slashes, both hands
        // at most 70: it always fits.
        let line = format!("{sfen} | {best} {score} {result}");
        let width = Self::BYTES - 1;
        bytes.extend(format!("{line:width$}\n").bytes().take(Self::BYTES));
    }
}

impl SelfPlay for wa::Position {
    type Record = WaRecord;

    fn self_play_rules(settings: &Settings) -> wa::Rules {
        wa::Rules {
            drops: settings.wa_drops,
            max_moves: settings.max_plies,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_wa_shogi_round_trip() {
        let position = wa::Position::start(&wa::Rules::default());
        let best = position.parse_move("10k11j").unwrap();
        let record = WaRecord::new(&position, -31, best).unwrap().with_result(-1);
        let mut bytes = Vec::new();
        record.append_to(&mut bytes);
        assert_eq!(bytes.len(), WaRecord::BYTES);
        let line = String::from_utf8(bytes).unwrap();
        assert!(line.ends_with(" \n"));
        assert_eq!(WaRecord::read(&line), Ok(record));
        for bad in [
            "",
            "x",
            "sfen | 8h8g 1",
            "sfen | 8h8g 1 2",
            "sfen | 8h8z 1 1",
        ] {
            assert!(WaRecord::read(bad).is_err(), "{bad}");
        }
    }
}
