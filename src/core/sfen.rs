//! Reading and writing positions as SFEN text, for square boards of any size and
//! pieces of any game: the board rank by rank, the side to move, the hands and the
//! move number (将棋所, "USIプロトコル", "SFEN表記").
//!
//! Reading is tolerant where GUIs, web addresses and hand-typed texts need it: a
//! leading word `sfen`, `_` for blanks, hands in any order and with repeated letters
//! or none at all, a missing or unreadable move number (then 1).

use std::fmt::{Display, Write};

use super::square::rank_letter;
use super::{Color, Square, SquareIndex};

/// Why a position text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// The text ends before this part.
    #[error("the position has no {0}")]
    Missing(&'static str),
    /// A wrong number of ranks.
    #[error("the board has {ranks} ranks instead of {size}")]
    Ranks {
        /// The ranks found.
        ranks: usize,
        /// Those that the board has.
        size: usize,
    },
    /// A rank that is too wide or too narrow.
    #[error("rank {rank} of the board (`{text}`) has {width} squares instead of {size}")]
    Width {
        /// The rank's letter.
        rank: char,
        /// The rank's text.
        text: String,
        /// The squares that it fills.
        width: usize,
        /// Those that it has.
        size: usize,
    },
    /// A number that is no run of empty squares.
    #[error("`{found}` in rank {rank} of the board is no number of empty squares (1 to {size})")]
    Run {
        /// The rank's letter.
        rank: char,
        /// What was found.
        found: String,
        /// The squares of a rank.
        size: usize,
    },
    /// A character that is no piece.
    #[error("`{found}` in rank {rank} of the board is no piece")]
    Piece {
        /// The rank's letter.
        rank: char,
        /// What was found.
        found: String,
    },
    /// Two kings of one side.
    #[error("{0} has more than one king")]
    TwoKings(Color),
    /// The side to move is neither `b` nor `w`.
    #[error("the side to move is `{0}` instead of b or w")]
    Turn(String),
    /// The hands cannot be read.
    #[error("`{found}` in the hands `{text}` is no piece that can be in hand")]
    Hands {
        /// What was found.
        found: String,
        /// The text of the hands.
        text: String,
    },
    /// A count of zero, or too many, of one kind in one hand.
    #[error("the hands `{text}` hold a kind 0 times or more than {max} times")]
    Count {
        /// The text of the hands.
        text: String,
        /// The most of a kind in a hand.
        max: u32,
    },
}

/// The parts of a position text.
#[derive(Debug)]
pub struct Parts {
    /// The board.
    pub board: String,
    /// The side to move.
    pub side: Color,
    /// The hands; `-` when there are none.
    pub hands: String,
    /// The move number, 1 to 1,000,000.
    pub ply: u32,
}

impl Parts {
    /// Takes a position text apart.
    pub fn read(text: &str) -> Result<Parts, SfenError> {
        let text = text.replace('_', " ");
        let mut words = text.split_whitespace().peekable();
        words.next_if(|word| word.eq_ignore_ascii_case("sfen"));
        let board = words.next().ok_or(SfenError::Missing("board"))?;
        let side = match words.next().ok_or(SfenError::Missing("side to move"))? {
            "b" => Color::Black,
            "w" => Color::White,
            other => return Err(SfenError::Turn(other.to_owned())),
        };
        let hands = words.next().unwrap_or("-").to_owned();
        let ply = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        Ok(Parts {
            board: board.to_owned(),
            side,
            hands,
            // Far from overflow, whatever the text says.
            ply: u32::clamp(ply, 1, 1_000_000),
        })
    }

    /// The parts as one text.
    pub fn write(&self) -> String {
        let side = match self.side {
            Color::Black => 'b',
            Color::White => 'w',
        };
        format!("{} {side} {} {}", self.board, self.hands, self.ply)
    }
}

/// Reads a board of `N` files and ranks. `piece` tells what a letter is, with `true`
/// when a `+` stands in front.
pub fn read_board<const N: usize, P>(
    text: &str,
    mut piece: impl FnMut(char, bool) -> Option<P>,
) -> Result<Vec<(Square<N>, P)>, SfenError> {
    let ranks = text.split('/').count();
    if ranks != N {
        return Err(SfenError::Ranks { ranks, size: N });
    }
    let mut pieces = Vec::new();
    for (index, row) in text.split('/').enumerate() {
        let rank = rank_letter(index);
        let bad = |found: String| SfenError::Piece { rank, found };
        let mut width = 0;
        let mut rest = row;
        while let Some(c) = rest.chars().next() {
            if c.is_ascii_digit() && c != '0' {
                // Small boards need one digit only, so that each is a run.
                let digits = match N {
                    0..10 => 1,
                    _ => rest.bytes().take_while(u8::is_ascii_digit).count(),
                };
                let (run, after) = rest.split_at(digits);
                let empty = run.parse().ok().filter(|&empty: &usize| empty <= N);
                width += empty.ok_or_else(|| SfenError::Run {
                    rank,
                    found: run.chars().take(20).collect(),
                    size: N,
                })?;
                rest = after;
                continue;
            }
            let promoted = c == '+';
            let unsigned = if promoted { &rest[1..] } else { rest };
            let Some(letter) = unsigned.chars().next() else {
                return Err(bad("+".to_owned()));
            };
            let found = piece(letter, promoted).ok_or_else(|| {
                bad(if promoted {
                    format!("+{letter}")
                } else {
                    letter.to_string()
                })
            })?;
            // Files are written from the highest to 1; a square beyond the edge
            // is reported as a wrong width below.
            let file = (N - 1).checked_sub(width);
            if let Some(square) = file.and_then(|file| Square::new(file, index)) {
                pieces.push((square, found));
            }
            width += 1;
            rest = &unsigned[letter.len_utf8()..];
        }
        if width != N {
            return Err(SfenError::Width {
                rank,
                text: row.to_owned(),
                width,
                size: N,
            });
        }
    }
    Ok(pieces)
}

/// Writes a board.
pub fn write_board<S: SquareIndex, P: Display>(piece_on: impl Fn(S) -> Option<P>) -> String {
    let mut text = String::with_capacity(12 * S::SIZE);
    for rank in 0..S::SIZE {
        if rank > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for file in (0..S::SIZE).rev() {
            match piece_on(S::at(file, rank)) {
                None => empty += 1,
                Some(piece) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                        empty = 0;
                    }
                    let _ = write!(text, "{piece}");
                }
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
    }
    text
}

/// Reads hands. `add` gets a letter and how many pieces it stands for, and returns
/// how many pieces of that kind and side there are now, at most `max` of them being
/// allowed; `None` when the letter is no piece that can be in hand.
pub fn read_hands(
    text: &str,
    max: u32,
    mut add: impl FnMut(char, u32) -> Option<u32>,
) -> Result<(), SfenError> {
    if text == "-" {
        return Ok(());
    }
    let bad_count = || SfenError::Count {
        text: text.to_owned(),
        max,
    };
    let bad_piece = |found: String| SfenError::Hands {
        found,
        text: text.to_owned(),
    };
    let mut digits: Option<u32> = None;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            let count = digits.unwrap_or(0) * 10 + digit;
            if count > max {
                return Err(bad_count());
            }
            digits = Some(count);
            continue;
        }
        let count = digits.take();
        let total = add(c, count.unwrap_or(1)).ok_or_else(|| bad_piece(c.to_string()))?;
        if count == Some(0) || total > max {
            return Err(bad_count());
        }
    }
    match digits {
        None => Ok(()),
        Some(count) => Err(bad_piece(count.to_string())),
    }
}

/// Writes hands in the order in which they come; `-` when there is nothing in them.
pub fn write_hands<P: Display>(pieces: impl Iterator<Item = (P, u32)>) -> String {
    let mut text = String::new();
    for (piece, count) in pieces {
        if count > 1 {
            let _ = write!(text, "{count}");
        }
        let _ = write!(text, "{piece}");
    }
    if text.is_empty() {
        text.push('-');
    }
    text
}
