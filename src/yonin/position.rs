//! A position with its history: the [`Board`], those before it, and what the
//! repetition rules need to know of every move.

use super::board::Board;
use super::repetition::Record;
use super::rules::Rules;
use super::seat::Seat;
use super::yfen::{self, YfenError};
use crate::core::MoveList;
use crate::shogi::Move;

/// A position of four-player shogi and the moves that led to it.
#[derive(Clone)]
pub struct Position {
    pub(super) board: Board,
    past: Vec<Board>,
    /// One entry a position since the set-up, this one included.
    pub(super) records: Vec<Record>,
}

impl Position {
    /// The initial position; the rules say who moves first.
    pub fn start(rules: &Rules) -> Position {
        let mut board =
            yfen::parse(yfen::START, rules).expect("the initial position is a valid text");
        board.turn = rules.first;
        Position::from_board(board)
    }

    /// Reads a position in the notation of the specification (YFEN, section
    /// 7.1). A player to move without a legal move is mated at once.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong, with its place and the rule.
    pub fn from_yfen(text: &str, rules: &Rules) -> Result<Position, YfenError> {
        let mut board = yfen::parse(text, rules)?;
        board.complete();
        let turn = board.turn;
        board.pass_turn(turn, Some(turn));
        Ok(Position::from_board(board))
    }

    fn from_board(mut board: Board) -> Position {
        board.complete();
        Position {
            records: vec![Record::set_up(&board)],
            board,
            past: Vec::with_capacity(256),
        }
    }

    /// The position in the notation of the specification; the turn is `-` once
    /// the game is over.
    pub fn yfen(&self) -> String {
        yfen::write(&self.board, self.end_reason().is_some())
    }

    /// The board as it is.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Whose turn it is; of no meaning once the game is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.board.turn
    }

    /// The boards before this one, from the set-up on.
    #[inline]
    pub fn past(&self) -> &[Board] {
        &self.past
    }

    /// All legal moves: see [`Board::legal_moves`].
    pub fn legal_moves(&self) -> MoveList<Move> {
        self.board.legal_moves()
    }

    /// Plays a legal move.
    pub fn make(&mut self, m: Move) {
        self.make_as(m, self.board.turn, None);
    }

    /// Plays a move that is legal when `seat` is to move, whoever's turn it is.
    /// `next` moves then, unless someone is in check. For searches that simplify
    /// the order of turns.
    pub(super) fn make_as(&mut self, m: Move, seat: Seat, next: Option<Seat>) {
        self.past.push(self.board.clone());
        self.board.turn = seat;
        self.board.play(m, next);
        self.records.push(Record::after_move(&self.board));
    }

    /// Gives the turn to another seat without a move; nobody may be in check.
    pub(super) fn pass_to(&mut self, seat: Seat) {
        self.past.push(self.board.clone());
        self.board.turn = seat;
        self.records.push(Record::after_pass(&self.board));
    }

    /// Takes the last move back; does nothing at the set-up.
    pub fn unmake(&mut self) {
        if let Some(board) = self.past.pop() {
            self.board = board;
            self.records.pop();
        }
    }

    /// How many moves were made since the set-up.
    #[inline]
    pub fn depth(&self) -> usize {
        self.past.len()
    }
}
