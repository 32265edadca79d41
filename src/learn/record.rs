//! A training position in 40 bytes: the `PackedSfenValue` of YaneuraOu's training
//! data (`.bin`), which other programs for shogi networks read and write as well.
//!
//! | bytes | what |
//! |---|---|
//! | 32 | the position (`packed`) |
//! | 2 | score of a search, centipawns for the side to move |
//! | 2 | the best move: target square (7 bits), source square or kind of the dropped piece from 1 (7 bits), drop, promotion (1 bit each); 0 for none |
//! | 2 | number of the move in the game |
//! | 1 | how the game ended for the side to move: 1 won, 0 drawn, -1 lost |
//! | 1 | nothing |
//!
//! Numbers are little-endian. A file is records and nothing else; those of a game
//! follow each other until the file is shuffled.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::packed::{PackedError, PackedSfen};
use crate::game::Game;
use crate::shogi::piece::HAND_KINDS;
use crate::shogi::{Move, PieceKind, Position, Rules, Source, Square};

/// Bytes of a record.
pub const BYTES: usize = 40;

const FROM_SHIFT: u16 = 7;
const SQUARE_MASK: u16 = 0x7f;
const DROP: u16 = 1 << 14;
const PROMOTION: u16 = 1 << 15;

/// A position and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The position.
    pub packed: PackedSfen,
    /// Score of a search, in centipawns for the side to move.
    pub score: i16,
    /// The best move of that search.
    pub best: Option<Move>,
    /// Number of the move in the game, from 1.
    pub ply: u16,
    /// How the game ended for the side to move: 1 won, 0 drawn, -1 lost.
    pub result: i8,
}

/// Why 40 bytes are no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The position cannot be read.
    #[error(transparent)]
    Position(#[from] PackedError),
    /// The king of the side that is not to move can be captured.
    #[error("the side to move could capture the king: {0}")]
    KingCapture(String),
    /// The bits of the move form none.
    #[error("the bits {0:#06x} are no move")]
    Move(u16),
    /// The move is not legal in the position.
    #[error("{0} is not legal in {1}")]
    IllegalMove(Move, String),
    /// The result is none.
    #[error("the result is {0} instead of 1, 0 or -1")]
    Result(i8),
}

/// The 16 bits that stand for a move in a record.
pub fn move_bits(m: Move) -> u16 {
    let to = m.to().index() as u16;
    match m.source() {
        Source::Hand(kind) => to | (kind.index() as u16 + 1) << FROM_SHIFT | DROP,
        Source::Board(from) => {
            let promotion = if m.is_promotion() { PROMOTION } else { 0 };
            to | (from.index() as u16) << FROM_SHIFT | promotion
        }
    }
}

/// The move that these 16 bits of a record stand for, if they form one.
pub fn move_from_bits(bits: u16) -> Option<Move> {
    let to = Square::from_index(usize::from(bits & SQUARE_MASK))?;
    let from = usize::from(bits >> FROM_SHIFT & SQUARE_MASK);
    if bits & DROP != 0 {
        let kind = from.checked_sub(1).filter(|&kind| kind < HAND_KINDS)?;
        return (bits & PROMOTION == 0).then(|| Move::drop(PieceKind::ALL[kind], to));
    }
    let from = Square::from_index(from).filter(|&from| from != to)?;
    Some(match bits & PROMOTION {
        0 => Move::board(from, to),
        _ => Move::promotion(from, to),
    })
}

impl Record {
    /// The record's bytes.
    pub fn to_bytes(&self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        bytes[..32].copy_from_slice(&self.packed.0);
        bytes[32..34].copy_from_slice(&self.score.to_le_bytes());
        bytes[34..36].copy_from_slice(&self.best.map_or(0, move_bits).to_le_bytes());
        bytes[36..38].copy_from_slice(&self.ply.to_le_bytes());
        bytes[38] = self.result as u8;
        bytes
    }

    /// Reads a record; the position stays packed and unchecked.
    pub fn from_bytes(bytes: &[u8; BYTES]) -> Result<Record, RecordError> {
        let mut packed = PackedSfen([0; 32]);
        packed.0.copy_from_slice(&bytes[..32]);
        let word = |at: usize| [bytes[at], bytes[at + 1]];
        let best = match u16::from_le_bytes(word(34)) {
            0 => None,
            bits => Some(move_from_bits(bits).ok_or(RecordError::Move(bits))?),
        };
        let result = bytes[38] as i8;
        if !(-1..=1).contains(&result) {
            return Err(RecordError::Result(result));
        }
        Ok(Record {
            packed,
            score: i16::from_le_bytes(word(32)),
            best,
            ply: u16::from_le_bytes(word(36)),
            result,
        })
    }

    /// The position, after checking that it can be played from and that the best
    /// move is legal.
    pub fn position(&self) -> Result<Position, RecordError> {
        let placement = self.packed.unpack()?;
        let position = placement.position(u32::from(self.ply.max(1)), &Rules::default());
        let us = position.side_to_move();
        if let Some(king) = position.king(!us)
            && position.is_attacked(us, king, position.occupied())
        {
            return Err(RecordError::KingCapture(position.sfen()));
        }
        match self.best {
            Some(m) if !position.is_legal(m) => Err(RecordError::IllegalMove(m, position.sfen())),
            _ => Ok(position),
        }
    }

    /// Whether a static evaluation of the position should match the score: the side
    /// to move is not in check, and the best move is no capture and no promotion of
    /// a pawn.
    pub fn is_quiet(&self, position: &Position) -> bool {
        position.checkers().is_empty() && self.best.is_none_or(|m| !position.is_noisy(m))
    }
}

/// Reads a data file block by block. It may grow meanwhile.
pub struct Reader {
    file: File,
    rest: usize,
}

impl Reader {
    /// Opens a file.
    pub fn open(path: &Path) -> io::Result<Reader> {
        let file = File::open(path)?;
        Ok(Reader { file, rest: 0 })
    }

    /// Goes to a record, by number from 0.
    pub fn seek(&mut self, record: u64) -> io::Result<()> {
        let start = record.saturating_mul(BYTES as u64);
        self.file.seek(SeekFrom::Start(start)).map(|_| ())
    }

    /// The bytes of the next records, at most `count`; none at the end.
    pub fn read(&mut self, count: usize) -> io::Result<Vec<[u8; BYTES]>> {
        // Whole records only, so that the next read begins with one, too; and memory
        // for what is there, whatever `count` is.
        let left = self.file.metadata()?.len();
        let left = left.saturating_sub(self.file.stream_position()?);
        let whole = left / BYTES as u64;
        self.rest = (left % BYTES as u64) as usize;
        let count = count.min(usize::try_from(whole).unwrap_or(usize::MAX));
        let mut records = vec![[0; BYTES]; count];
        self.file.read_exact(records.as_flattened_mut())?;
        Ok(records)
    }

    /// At the end: how many bytes followed the last whole record.
    pub fn rest(&self) -> usize {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::GameMove;

    /// Made by cshogi 1.1.0: `PackedSfenValue` with `Board.to_psfen` and
    /// `move16_to_psv`; position, move, score, move number, result.
    const KNOWN: [(&str, &str, i16, u16, i8, &str); 3] = [
        (
            "3BG1gp1/2P2r2k/l1nsG4/SP4p1P/2pp1rPn1/gn4LPL/L4+b1NS/9/2K2S3 b 3P6p 151",
            "P*4c",
            -321,
            151,
            -1,
            "7c01c270905863e12563805f7e7d3b1e0ff0e19420560984158c877700004992bffe9d409700ff00",
        ),
        (
            "3s3n1/l2gk1sb1/p2gppp1l/1B2r2p1/1P3N3/P3PPP1P/S1PPn2P1/L2GRK3/1N1G3SL b 4P 61",
            "4e3c+",
            1234,
            61,
            1,
            "4425468261fd9484c39904484b207fc5fae37c5fc4f300013e028b3189630000d204948f3d000100",
        ),
        (
            "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
            "7g7f",
            0,
            1,
            0,
            "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c00003b1e01000000",
        ),
    ];

    #[test]
    fn reads_and_writes_as_cshogi_does() {
        for (sfen, best, score, ply, result, hex) in KNOWN {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            let record = Record {
                packed: PackedSfen::pack(&position).unwrap(),
                score,
                best: Move::from_usi(best),
                ply,
                result,
            };
            let bytes = record.to_bytes();
            let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(text, hex);
            assert_eq!(Record::from_bytes(&bytes), Ok(record));
            assert_eq!(record.position().unwrap().sfen(), sfen);
        }
    }

    #[test]
    fn moves_round_trip() {
        for bits in 0..=u16::MAX {
            if let Some(m) = Move::from_bits(bits) {
                assert_eq!(move_from_bits(move_bits(m)), Some(m));
            }
            if let Some(m) = move_from_bits(bits) {
                assert_eq!(move_bits(m), bits);
            }
        }
    }

    #[test]
    fn files_are_read_in_whole_records_while_they_grow() {
        use std::io::Write;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&[1; 3 * BYTES + 7]).unwrap();
        let mut reader = Reader::open(file.path()).unwrap();
        assert_eq!(reader.read(2).unwrap(), [[1; BYTES]; 2]);
        assert_eq!(reader.read(usize::MAX).unwrap(), [[1; BYTES]]);
        assert_eq!((reader.read(5).unwrap().len(), reader.rest()), (0, 7));
        // The record that was being written is there now, and half of the next one.
        file.write_all(&[1; BYTES - 7 + 20]).unwrap();
        assert_eq!(reader.read(5).unwrap(), [[1; BYTES]]);
        assert_eq!((reader.read(5).unwrap().len(), reader.rest()), (0, 20));
        reader.seek(3).unwrap();
        assert_eq!(reader.read(5).unwrap(), [[1; BYTES]]);
        reader.seek(1 << 30).unwrap();
        assert_eq!(reader.read(5).unwrap().len(), 0);
    }

    #[test]
    fn damage_is_named() {
        let position = Position::start(&Rules::default());
        let good = Record {
            packed: PackedSfen::pack(&position).unwrap(),
            score: 12,
            best: Move::from_usi("2g2f"),
            ply: 1,
            result: 1,
        };
        assert!(good.is_quiet(&good.position().unwrap()));
        let mut bytes = good.to_bytes();
        bytes[38] = 3;
        assert_eq!(Record::from_bytes(&bytes), Err(RecordError::Result(3)));
        bytes[35] = 0xff;
        let error = Record::from_bytes(&bytes).unwrap_err();
        assert!(matches!(error, RecordError::Move(_)), "{error}");
        let illegal = Record {
            best: Move::from_usi("2f2e"),
            ..good
        };
        let error = illegal.position().err().unwrap().to_string();
        assert!(error.starts_with("2f2e is not legal in lnsg"), "{error}");
        assert!(illegal.packed.unpack().is_ok());
    }
}
