//! Positions as SFEN text, in the letters of XBoard's programs.
//!
//! Empty squares of a rank are counted in decimal (`10`, `11`). A position must have
//! two kings, no more pieces than the game, none that is stuck, and the right side to
//! move; what is wrong with it is named. Two unpromoted pawns on a file, which no
//! game has, are let pass for the sake of problems.

use super::Hand;
use super::attacks;
use super::piece::{HAND_KINDS, Piece, PieceKind};
use super::position::{Position, Wa};
use super::rules::Rules;
use super::square::{SIZE, SQUARES, Square};
use crate::common::ReadSfen;
use crate::core::Color;
use crate::core::color::ByColor;
use crate::core::sfen::{self, Parts};

/// The initial position.
pub const START: &str =
    "hmlcvkwgudo/1e3s3f1/ppprpppxppp/3p3p3/11/11/11/3P3P3/PPPXPPPRPPP/1F3S3E1/ODUGWKVCLMH b - 1";

/// Why a position text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SfenError {
    /// It cannot be read.
    #[error(transparent)]
    Text(#[from] sfen::SfenError),
    /// A side without a king.
    #[error("{0} has no king")]
    NoKing(Color),
    /// More pieces of a kind than the game has.
    #[error("there are {found} of {kind} ({}), promoted or not; the game has {}", kind.name(), kind.copies())]
    TooMany {
        /// The unpromoted kind.
        kind: PieceKind,
        /// How many there are.
        found: u32,
    },
    /// A piece that can never move again.
    #[error("the {} on {square} could never move", kind.name())]
    Dead {
        /// Its kind.
        kind: PieceKind,
        /// Its square.
        square: Square,
    },
    /// Pieces in hand in the game without drops.
    #[error("the hands are `{0}`, but without drops (WaDrops) they are always `-`")]
    HandWithoutDrops(String),
    /// The side that has just moved is in check.
    #[error("{0} is in check, but it is not its move")]
    WrongTurn(Color),
}

impl ReadSfen for Wa {
    const START: &'static str = START;

    type PositionError = SfenError;

    fn from_sfen(text: &str, rules: &Rules) -> Result<Position, SfenError> {
        let parts = Parts::read(text)?;
        let pieces = sfen::read_board::<SIZE, _>(&parts.board, Piece::from_sfen)?;
        let mut counts = [[0; HAND_KINDS]; 2];
        let most = PieceKind::Pawn.copies();
        sfen::read_hands(&parts.hands, most, |letter, count| {
            let piece = Piece::from_letter(letter)?;
            let held = counts[piece.color.index()].get_mut(piece.kind.index())?;
            *held += count;
            Some(*held)
        })?;
        let hands_used = counts.iter().flatten().any(|&count| count > 0);
        if hands_used && !rules.drops {
            return Err(SfenError::HandWithoutDrops(parts.hands));
        }
        let (board, kings) = check_board(&pieces)?;
        for kind in PieceKind::hand() {
            let on_board = pieces
                .iter()
                .filter(|(_, piece)| piece.kind.unpromoted() == kind);
            let in_hands: u32 = counts.iter().map(|counts| counts[kind.index()]).sum();
            let found = on_board.count() as u32 + in_hands;
            if found > kind.copies() {
                return Err(SfenError::TooMany { kind, found });
            }
        }
        let hands = ByColor(counts.map(|counts| {
            let mut hand = Hand::EMPTY;
            for (kind, count) in PieceKind::hand().zip(counts) {
                hand.set(kind, count);
            }
            hand
        }));
        let position = Position::with_kings(board, kings, hands, parts.side, parts.ply, rules);
        let (us, occupied) = (parts.side, position.occupied());
        if position.is_attacked(us, position.king(!us), occupied) {
            return Err(SfenError::WrongTurn(!us));
        }
        Ok(position)
    }
}

type Board = ([Option<Piece>; SQUARES], ByColor<Square>);

/// The board with its kings, when a game can reach it.
fn check_board(pieces: &[(Square, Piece)]) -> Result<Board, SfenError> {
    let mut board = [None; SQUARES];
    let mut kings = [None; 2];
    for &(square, piece) in pieces {
        let Piece { color, kind } = piece;
        board[square.index()] = Some(piece);
        if kind == PieceKind::King && kings[color.index()].replace(square).is_some() {
            return Err(sfen::SfenError::TwoKings(color).into());
        }
        if !attacks::live_squares(color, kind).contains(square) {
            return Err(SfenError::Dead { kind, square });
        }
    }
    let king = |color: Color| kings[color.index()].ok_or(SfenError::NoKing(color));
    let kings = ByColor([king(Color::Black)?, king(Color::White)?]);
    Ok((board, kings))
}
