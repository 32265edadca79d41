//! What all games share: colour, squares and their geometry, bitboards, scores,
//! move lists and random keys; files that are replaced as a whole, and memory for large
//! tables. Nothing here knows the rules of a game.

pub mod bitboard;
pub mod color;
pub mod files;
pub mod geometry;
pub(crate) mod memory;
pub mod movelist;
pub mod score;
pub mod sfen;
pub mod square;
pub mod zobrist;

pub use bitboard::{Bitboard, SquareIndex};
pub use color::Color;
pub use movelist::{MAX_MOVES, MoveList};
pub use score::Score;
pub use square::Square;
