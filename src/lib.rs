//! Tsuru (鶴), a shogi engine.

pub mod bench;
pub mod book;
pub mod core;
pub mod eval;
pub mod game;
pub mod perft;
pub mod search;
pub mod shogi;
pub mod usi;
