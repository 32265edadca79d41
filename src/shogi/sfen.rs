//! Positions as SFEN text. Nearly anything may be set up, also without kings.

use super::hand::{Hand, MAX_SET_UP};
use super::piece::{Piece, PieceKind};
use super::position::{Position, Shogi};
use super::rules::Rules;
use super::square::{SIZE, SQUARES};
use crate::common::ReadSfen;
use crate::core::color::ByColor;
use crate::core::sfen::{self, Parts};

pub use crate::core::sfen::SfenError;

/// The initial position of an even game.
pub const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

impl ReadSfen for Shogi {
    const START: &'static str = START;

    type PositionError = SfenError;

    fn from_sfen(text: &str, rules: &Rules) -> Result<Position, SfenError> {
        let parts = Parts::read(text)?;
        let board = parse_board(&parts.board)?;
        let hands = parse_hands(&parts.hands)?;
        Ok(Position::set_up(board, hands, parts.side, parts.ply, rules))
    }
}

fn parse_board(text: &str) -> Result<[Option<Piece>; SQUARES], SfenError> {
    let pieces = sfen::read_board::<SIZE, _>(text, Piece::from_sfen)?;
    let mut board = [None; SQUARES];
    let mut kings = ByColor([false; 2]);
    for (square, piece) in pieces {
        if piece.kind == PieceKind::King && std::mem::replace(&mut kings[piece.color], true) {
            return Err(SfenError::TwoKings(piece.color));
        }
        board[square.index()] = Some(piece);
    }
    Ok(board)
}

fn parse_hands(text: &str) -> Result<ByColor<Hand>, SfenError> {
    let mut hands = ByColor([Hand::EMPTY; 2]);
    sfen::read_hands(text, MAX_SET_UP, |letter, count| {
        let piece = Piece::from_letter(letter).filter(|piece| piece.kind != PieceKind::King)?;
        let hand = &mut hands[piece.color];
        let total = hand.count(piece.kind) + count;
        hand.set(piece.kind, total);
        Some(total)
    })?;
    Ok(hands)
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
