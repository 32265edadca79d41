//! Positions as SFEN text, read with every tolerance that GUIs and people need
//! ([`Position::from_sfen`] lists them) and written in the one fixed order that
//! they compare.

use std::fmt::Write;

use super::hand::{Hand, MAX_SET_UP};
use super::piece::{Piece, PieceKind};
use super::position::Position;
use super::rules::Rules;
use super::square::{SIZE, SQUARES, Square};
use crate::core::Color;
use crate::core::color::ByColor;

/// The initial position of an even game.
pub const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

/// Why a position text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// The text ends before this part.
    #[error("the position has no {0}")]
    Missing(&'static str),
    /// Not nine ranks.
    #[error("the board has {0} ranks instead of 9")]
    Ranks(usize),
    /// A rank that is not nine squares wide.
    #[error("rank {rank} of the board (`{text}`) has {width} squares instead of 9")]
    Width {
        /// The rank's letter.
        rank: char,
        /// The rank's text.
        text: String,
        /// The squares that it fills.
        width: usize,
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
    /// A count of zero, or more than 18, of one kind in one hand.
    #[error("the hands `{0}` hold a kind 0 times or more than 18 times")]
    Count(String),
}

impl Position {
    /// The initial position.
    pub fn start(rules: &Rules) -> Position {
        Position::from_sfen(START, rules).expect("the initial position is valid")
    }

    /// Reads a position: board, side to move, hands and move number, with the
    /// tolerances that GUIs, web addresses and hand-typed texts need: a leading
    /// word `sfen`, `_` for blanks, hands in any order and with repeated letters or
    /// none at all, a missing or unreadable move number (then 1).
    pub fn from_sfen(text: &str, rules: &Rules) -> Result<Position, SfenError> {
        let text = text.replace('_', " ");
        let mut words = text.split_whitespace().peekable();
        words.next_if(|word| word.eq_ignore_ascii_case("sfen"));
        let board = parse_board(words.next().ok_or(SfenError::Missing("board"))?)?;
        let side = match words.next().ok_or(SfenError::Missing("side to move"))? {
            "b" => Color::Black,
            "w" => Color::White,
            other => return Err(SfenError::Turn(other.to_owned())),
        };
        let hands = parse_hands(words.next().unwrap_or("-"))?;
        let ply = words.next().and_then(|word| word.parse().ok()).unwrap_or(1);
        // Far from overflow, whatever the text says.
        let ply = u32::clamp(ply, 1, 1_000_000);
        Ok(Position::set_up(board, hands, side, ply, rules))
    }

    /// The position as SFEN.
    pub fn sfen(&self) -> String {
        let mut text = self.board_sfen();
        let side = match self.side_to_move() {
            Color::Black => 'b',
            Color::White => 'w',
        };
        let hands = self.hands_sfen();
        let _ = write!(text, " {side} {hands} {}", self.ply());
        text
    }

    fn board_sfen(&self) -> String {
        let mut text = String::with_capacity(96);
        for rank in 0..SIZE {
            if rank > 0 {
                text.push('/');
            }
            let mut empty = 0;
            for file in (0..SIZE).rev() {
                let piece = Square::new(file, rank).and_then(|square| self.piece_on(square));
                match piece {
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

    fn hands_sfen(&self) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for (kind, count) in self.hand(color).iter() {
                if count > 1 {
                    let _ = write!(text, "{count}");
                }
                let _ = write!(text, "{}", Piece::new(color, kind));
            }
        }
        if text.is_empty() {
            text.push('-');
        }
        text
    }
}

/// A piece by its SFEN letter: upper case for Black, lower case for White.
fn parse_letter(letter: char) -> Option<Piece> {
    let kind = PieceKind::from_letter(u8::try_from(letter).ok()?.to_ascii_uppercase())?;
    let color = if letter.is_ascii_uppercase() {
        Color::Black
    } else {
        Color::White
    };
    Some(Piece::new(color, kind))
}

fn parse_board(text: &str) -> Result<[Option<Piece>; SQUARES], SfenError> {
    let mut board = [None; SQUARES];
    let mut kings = ByColor([false; 2]);
    let ranks = text.split('/').count();
    if ranks != SIZE {
        return Err(SfenError::Ranks(ranks));
    }
    for (rank, row) in text.split('/').enumerate() {
        let letter = (b'a' + rank as u8) as char;
        let bad = |found: &str| SfenError::Piece {
            rank: letter,
            found: found.to_owned(),
        };
        let mut width = 0;
        let mut chars = row.chars();
        while let Some(c) = chars.next() {
            if let Some(digit) = c.to_digit(10).filter(|&digit| digit > 0) {
                width += digit as usize;
                continue;
            }
            let piece = if c == '+' {
                let letter = chars.next().ok_or_else(|| bad("+"))?;
                let base = parse_letter(letter);
                let promoted = base.and_then(|piece| {
                    let kind = piece.kind.promoted()?;
                    Some(Piece::new(piece.color, kind))
                });
                promoted.ok_or_else(|| bad(&format!("+{letter}")))?
            } else {
                parse_letter(c).ok_or_else(|| bad(&c.to_string()))?
            };
            if piece.kind == PieceKind::King {
                if kings[piece.color] {
                    return Err(SfenError::TwoKings(piece.color));
                }
                kings[piece.color] = true;
            }
            // Files are written from 9 to 1; a square beyond the edge is
            // reported as a wrong width below.
            if let Some(square) = (SIZE - 1)
                .checked_sub(width)
                .and_then(|file| Square::new(file, rank))
            {
                board[square.index()] = Some(piece);
            }
            width += 1;
        }
        if width != SIZE {
            return Err(SfenError::Width {
                rank: letter,
                text: row.to_owned(),
                width,
            });
        }
    }
    Ok(board)
}

fn parse_hands(text: &str) -> Result<ByColor<Hand>, SfenError> {
    let mut hands = ByColor([Hand::EMPTY; 2]);
    if text == "-" {
        return Ok(hands);
    }
    let bad_count = || SfenError::Count(text.to_owned());
    let mut digits: Option<u32> = None;
    for c in text.chars() {
        if let Some(digit) = c.to_digit(10) {
            let count = digits.unwrap_or(0) * 10 + digit;
            if count > MAX_SET_UP {
                return Err(bad_count());
            }
            digits = Some(count);
            continue;
        }
        let piece = parse_letter(c)
            .filter(|piece| piece.kind != PieceKind::King)
            .ok_or_else(|| SfenError::Hands {
                found: c.to_string(),
                text: text.to_owned(),
            })?;
        let count = digits.take().unwrap_or(1);
        let total = hands[piece.color].count(piece.kind) + count;
        if count == 0 || total > MAX_SET_UP {
            return Err(bad_count());
        }
        hands[piece.color].set(piece.kind, total);
    }
    match digits {
        None => Ok(hands),
        Some(count) => Err(SfenError::Hands {
            found: count.to_string(),
            text: text.to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Position, SfenError> {
        Position::from_sfen(text, &Rules::default())
    }

    #[test]
    fn tolerates_what_guis_send() {
        for (text, expected) in [
            (START, START),
            (
                "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -",
                START,
            ),
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL_b_-_1",
                START,
            ),
            (
                "  lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL  b   -  0 ",
                START,
            ),
            (
                "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - x",
                START,
            ),
            (
                "4k4/9/9/9/9/9/9/9/4K4 b p2P3P1Gr 7",
                "4k4/9/9/9/9/9/9/9/4K4 b G5Prp 7",
            ),
            ("9/9/9/9/9/9/9/9/9 w 18P", "9/9/9/9/9/9/9/9/9 w 18P 1"),
        ] {
            assert_eq!(read(text).unwrap().sfen(), expected);
        }
    }

    #[test]
    fn refuses_what_is_no_position() {
        for (text, message) in [
            ("", "the position has no board"),
            ("9/9/9/9/9/9/9/9/9", "the position has no side to move"),
            ("9/9/9/9/9/9/9/9 b -", "the board has 8 ranks instead of 9"),
            (
                "9/9/8/9/9/9/9/9/9 b -",
                "rank c of the board (`8`) has 8 squares instead of 9",
            ),
            (
                "9/9/9P/9/9/9/9/9/9 b -",
                "rank c of the board (`9P`) has 10 squares instead of 9",
            ),
            (
                "9/9/9/9/9/4+G4/9/9/9 b -",
                "`+G` in rank f of the board is no piece",
            ),
            (
                "9/9/9/9/9/4+/9/9/9 b -",
                "`+` in rank f of the board is no piece",
            ),
            (
                "9/9/9/9/9/0/9/9/9 b -",
                "`0` in rank f of the board is no piece",
            ),
            (
                "9/9/9/9/9/4あ4/9/9/9 b -",
                "`あ` in rank f of the board is no piece",
            ),
            ("4k3k/9/9/9/9/9/9/9/9 b -", "white has more than one king"),
            (
                "9/9/9/9/9/9/9/9/9 B -",
                "the side to move is `B` instead of b or w",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b K",
                "`K` in the hands `K` is no piece that can be in hand",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b P2",
                "`2` in the hands `P2` is no piece that can be in hand",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b 0P",
                "the hands `0P` hold a kind 0 times or more than 18 times",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b 19P",
                "the hands `19P` hold a kind 0 times or more than 18 times",
            ),
            (
                "9/9/9/9/9/9/9/9/9 b 99999999999P",
                "the hands `99999999999P` hold a kind 0 times or more than 18 times",
            ),
        ] {
            assert_eq!(
                read(text).err().map(|e| e.to_string()).as_deref(),
                Some(message)
            );
        }
    }
}
