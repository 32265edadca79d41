//! Tsuru (鶴), a shogi engine: the rules of the game, a search, and the USI
//! protocol that connects them with GUIs.
//!
//! # The house
//!
//! Dependencies point downwards only.
//!
//! | module | what lives there |
//! |---|---|
//! | [`bench`](mod@bench), [`perft`] | tools: the search's speed and signature, counting move sequences |
//! | [`learn`] | self-play data, networks trained and weights fitted to it |
//! | [`analyze`] | the moves of a game record judged; reports |
//! | [`arena`] | engine matches over USI, Elo and sequential tests |
//! | [`record`] | game records: one tree, read and written as KIF, KI2, CSA, JKF, USI |
//! | [`usi`] | the protocol: parsing, options, session, output |
//! | [`book`] | opening books: reading, choice of a move, making |
//! | [`search`] | one alpha-beta for every [`Game`](game::Game): threads, table, time |
//! | [`mate`] | the df-pn solver of mates |
//! | [`eval`] | static evaluations: networks (NNUE) and hand-written terms |
//! | [`shogi`], [`wa`], [`yonin`] | the games: position, move generation, every rule |
//! | [`common`] | what shogi and wa shogi share: position, legality, exchanges |
//! | [`recurrence`] | repeated positions, in every game |
//! | [`game`] | the traits through which the search sees a game and an evaluation |
//! | [`core`] | colour, bitboards, scores, move lists, random keys |
//!
//! The program's command line (`src/main.rs`, `src/cli/`) is built on all of them.
//!
//! # The life of one `go`
//!
//! 1. The reader thread gets the line and [`usi::parse`] turns it into a command.
//! 2. The [session](usi::session) knows what it means in its state, and has its
//!    [driver](usi::driver), which holds the position, start the search.
//! 3. [`search::ThreadPool`] wakes its threads. Each deepens iteratively in its own
//!    copy of the position; they share the transposition table.
//! 4. Progress and the answer go to a [`search::Reporter`], which prints them as
//!    `info` and `bestmove`.
//!
//! # Playing a move
//!
//! ```
//! use tsuru::shogi::{Position, Rules};
//!
//! let mut position = Position::start(&Rules::default());
//! let m = position.parse_move("7g7f")?;
//! position.make(m);
//! assert_eq!(position.count_moves(), 30);
//! assert!(position.parse_move("8h2b").is_err());
//! # Ok::<(), tsuru::shogi::IllegalMove>(())
//! ```

pub mod analyze;
pub mod arena;
pub mod bench;
pub mod book;
pub mod common;
pub mod core;
pub mod eval;
pub mod game;
pub mod learn;
pub mod mate;
pub mod perft;
pub mod record;
pub mod recurrence;
pub mod search;
pub mod shogi;
pub mod usi;
pub mod wa;
pub mod yonin;
