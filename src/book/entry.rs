//! One move of a book, and its line in the file.
//!
//! `<move> <reply|none> <eval> <depth> <count>`: the score is in centipawns from
//! the view of the side to move, the count tells how often the move was played.
//! Fields at the end may be missing. A score or depth that is not given is not
//! zero but unknown: no limit rejects the move for it.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use crate::core::score::MATE;
use crate::game::GameMove;
use crate::shogi::Move;

/// A candidate move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move.
    pub mv: Move,
    /// The reply that is expected.
    pub reply: Option<Move>,
    /// Score in centipawns from the view of the side to move.
    pub eval: Option<i32>,
    /// Depth of the search that gave the score, in plies.
    pub depth: Option<u32>,
    /// How often the move was played.
    pub count: u32,
}

/// Why a move line is damaged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The first word is no move.
    #[error("`{0}` is no move")]
    Move(String),
    /// The second word is neither a move nor `none`.
    #[error("the reply `{0}` is no move")]
    Reply(String),
    /// A field that should be a number.
    #[error("the {field} `{text}` is no number")]
    Number {
        /// Which field.
        field: &'static str,
        /// What stands there.
        text: String,
    },
}

/// The largest depth that is kept.
const MAX_DEPTH: u32 = Packed::NO_DEPTH as u32 - 1;

fn shown(word: &str) -> String {
    word.chars().take(20).filter(|c| !c.is_control()).collect()
}

fn number(field: &'static str, word: Option<&str>) -> Result<Option<i64>, MoveError> {
    word.map(|word| {
        word.parse().map_err(|_| MoveError::Number {
            field,
            text: shown(word),
        })
    })
    .transpose()
}

impl FromStr for BookMove {
    type Err = MoveError;

    fn from_str(line: &str) -> Result<Self, MoveError> {
        let mut words = line.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let mv = Move::from_usi(first).ok_or_else(|| MoveError::Move(shown(first)))?;
        let reply = match words.next() {
            None | Some("none" | "None" | "resign" | "win" | "-") => None,
            Some(word) => Some(Move::from_usi(word).ok_or_else(|| MoveError::Reply(shown(word)))?),
        };
        let eval = number("score", words.next())?;
        let depth = number("depth", words.next())?;
        let count = number("count", words.next())?;
        Ok(BookMove {
            mv,
            reply,
            eval: eval.map(|eval| eval.clamp(-i64::from(MATE), i64::from(MATE)) as i32),
            depth: depth.map(|depth| depth.clamp(0, MAX_DEPTH.into()) as u32),
            count: count.map_or(1, |count| count.clamp(0, u32::MAX.into()) as u32),
        })
    }
}

impl fmt::Display for BookMove {
    /// The line of the file, as far as the fields are known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ", self.mv)?;
        match self.reply {
            Some(reply) => write!(f, "{reply}")?,
            None => f.write_str("none")?,
        }
        match (self.eval, self.depth) {
            (None, _) => Ok(()),
            (Some(eval), None) => write!(f, " {eval}"),
            (Some(eval), Some(depth)) => write!(f, " {eval} {depth} {}", self.count),
        }
    }
}

impl BookMove {
    /// Takes what another book says of the same move: the deeper search counts.
    pub fn improve(&mut self, other: &BookMove) {
        let count = self.count;
        if other.depth > self.depth {
            *self = *other;
        }
        self.reply = self.reply.or(other.reply);
        self.count = count;
    }
}

/// Best moves first, in an order that depends on nothing but the moves.
pub fn sort(moves: &mut [BookMove]) {
    moves.sort_by_cached_key(|m| {
        let known = (Reverse(m.eval), Reverse(m.depth), Reverse(m.count));
        (known, m.mv.to_string())
    });
}

/// A move as it is kept in memory: 12 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    mv: u16,
    /// 0 for none, which is no move.
    reply: u16,
    eval: i16,
    depth: u16,
    count: u32,
}

impl Packed {
    const NO_EVAL: i16 = i16::MIN;
    const NO_DEPTH: u16 = u16::MAX;

    /// Packs a move. Scores lie within the mate score, which has 16 bits.
    pub fn new(m: &BookMove) -> Self {
        Packed {
            mv: m.mv.to_bits(),
            reply: m.reply.map_or(0, Move::to_bits),
            eval: m.eval.map_or(Self::NO_EVAL, |eval| eval as i16),
            depth: m.depth.map_or(Self::NO_DEPTH, |depth| depth as u16),
            count: m.count,
        }
    }

    /// The move that was packed.
    pub fn unpack(self) -> Option<BookMove> {
        Some(BookMove {
            mv: Move::from_bits(self.mv)?,
            reply: Move::from_bits(self.reply),
            eval: (self.eval != Self::NO_EVAL).then(|| self.eval.into()),
            depth: (self.depth != Self::NO_DEPTH).then(|| self.depth.into()),
            count: self.count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_round_trip() {
        for line in [
            "7g7f 3c3d 35 20 7",
            "8h2b+ none -32000 0 0",
            "P*5e none 12",
            "7g7f none",
            "7g7f 3c3d",
        ] {
            let m: BookMove = line.parse().unwrap();
            assert_eq!(m.to_string(), line);
            assert_eq!(Packed::new(&m).unpack(), Some(m));
        }
    }

    #[test]
    fn lines_are_read_with_tolerance() {
        for (line, canonical) in [
            ("7g7f", "7g7f none"),
            (" 7g7f\tresign  5 6  ", "7g7f none 5 6 1"),
            (
                "7g7f 3c3d 99999 70000 -3 and more",
                "7g7f 3c3d 32000 65534 0",
            ),
        ] {
            assert_eq!(line.parse::<BookMove>().unwrap().to_string(), canonical);
        }
        for (line, error) in [
            ("", "`` is no move"),
            ("7g7 none", "`7g7` is no move"),
            ("7g7f what", "the reply `what` is no move"),
            ("7g7f none x", "the score `x` is no number"),
            ("7g7f none 1 1.5", "the depth `1.5` is no number"),
            ("7g7f none 1 1 z", "the count `z` is no number"),
        ] {
            assert_eq!(line.parse::<BookMove>().unwrap_err().to_string(), error);
        }
    }

    #[test]
    fn the_deeper_search_counts() {
        let mut ours: BookMove = "7g7f none 10 8 5".parse().unwrap();
        ours.improve(&"7g7f 3c3d 50 8 9".parse().unwrap());
        assert_eq!(ours.to_string(), "7g7f 3c3d 10 8 5");
        ours.improve(&"7g7f 8c8d 50 9 9".parse().unwrap());
        assert_eq!(ours.to_string(), "7g7f 8c8d 50 9 5");
        ours.improve(&"7g7f".parse().unwrap());
        assert_eq!(ours.to_string(), "7g7f 8c8d 50 9 5");
    }

    #[test]
    fn the_order_is_by_score_then_depth_then_count() {
        let mut moves: Vec<BookMove> = [
            "9g9f",
            "1g1f none 5 9 1",
            "7g7f none 8 1 1",
            "2g2f none 5 9 3",
        ]
        .iter()
        .map(|line| line.parse().unwrap())
        .collect();
        sort(&mut moves);
        let order: Vec<String> = moves.iter().map(|m| m.mv.to_string()).collect();
        assert_eq!(order, ["7g7f", "2g2f", "1g1f", "9g9f"]);
    }
}
