//! Four-player shogi (yonin shogi, 四人将棋): the rules, whole, and
//! [`Position`], which plays them.
//!
//! Rule ids in comments and messages (B1, Q6, REP2, ...) are those of the
//! project's specification, which makes the rules page of Qdan exact.
//!
//! | file | what it holds |
//! |---|---|
//! | `seat` | the four seats, clockwise |
//! | `piece` | pieces: kind, direction, owner |
//! | `rules` | the choices that the rules leave open |
//! | `attacks` | which squares a piece attacks |
//! | `board` | pieces, hands, turn, credits, mates; playing a move |
//! | `movegen` | legal moves, whole or by stage |
//! | `legality` | is this move legal, and which rule does it break |
//! | `position` | the board with its history; make and unmake |
//! | `repetition` | fourth occurrences and perpetual check |
//! | `ranking` | the end of the game and the places |
//! | `coalition` | four players as two sides, for the common search |
//! | `foresight` | what opponents are expected to play |
//! | `yfen` | positions as text |
//! | `diagram` | boards for people |
//!
//! Squares, sets of squares, kinds of piece, hands and moves are shogi's own.

pub mod attacks;
mod board;
pub mod coalition;
mod diagram;
mod foresight;
mod legality;
mod movegen;
pub mod piece;
mod position;
mod ranking;
mod repetition;
pub mod rules;
pub mod seat;
pub mod yfen;

pub use board::{Board, Mate};
pub use coalition::{BestReply, Coalition, Paranoid, SeatMove};
pub use legality::IllegalMove;
pub use piece::Piece;
pub use position::Position;
pub use ranking::{EndReason, Outcome};
pub use rules::{End, Format, Mated, Rules};
pub use seat::{BySeat, Seat};
pub use yfen::YfenError;
