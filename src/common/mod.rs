//! What shogi and wa shogi share: all that is the same in a game of two sides on a
//! square board, with drops, promotion in the farthest ranks and kings to be mated.
//!
//! A game says what it has of its own by implementing a few small traits for a type
//! without values (a *form* of shogi), and gets its position, the legality of moves,
//! exchanges and so on. Everything is compiled once for each game, so that none pays
//! for what another one needs. Four-player shogi borrows shogi's moves and hands.
//!
//! | file | what it holds | what a game says |
//! |---|---|---|
//! | `piece` | pieces of a colour | [`Kind`]: its kinds of piece |
//! | `hand` | pieces in hand, packed | the width of the lanes |
//! | `moves` | a move in 16 bits and its USI text | |
//! | `position` | board, hands, history; make and unmake | [`Form`]: board, keys, attacks |
//! | `movegen` | where moves go: lists and counts | [`Generate`]: the generator |
//! | `legality` | is this move legal, and which rule does it break | |
//! | `illegal_move` | the rules that a move may break, in words | |
//! | `see` | static exchange evaluation | [`Exchange`]: values |
//! | `mate` | what the mate solver asks | [`Mating`]: mate in one |
//! | `sfen` | positions as text | [`ReadSfen`]: what it refuses |
//! | `diagram` | boards for people | [`Draw`]: the squares |
//! | `play` | the [`Game`](crate::game::Game) that the search sees | [`Play`]: ends of the game |

mod diagram;
mod hand;
mod illegal_move;
mod legality;
mod mate;
mod movegen;
mod moves;
mod piece;
mod play;
mod position;
mod see;
mod sfen;

pub use diagram::Draw;
pub use hand::Hand;
pub use illegal_move::IllegalMove;
pub use mate::Mating;
pub use movegen::{Counter, Generate, Sink};
pub use moves::{Move, Source};
pub use piece::{Kind, Piece};
pub use play::Play;
pub use position::{Form, Position, Set, Sets};
pub use see::Exchange;
pub use sfen::ReadSfen;
