//! What all games share: colour, squares and their geometry, bitboards, scores,
//! move lists and random keys; and files that are replaced as a whole. Nothing here
//! knows the rules of a game.

pub mod bitboard;
pub mod color;
pub mod files;
pub mod geometry;
pub mod illegal_move;
pub mod movelist;
pub mod score;
pub mod sfen;
pub mod square;
pub mod zobrist;

pub use bitboard::{Bitboard, SquareIndex};
pub use color::Color;
pub use illegal_move::IllegalMove;
pub use movelist::{MAX_MOVES, MoveList};
pub use score::Score;
pub use square::Square;
