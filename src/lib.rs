//! Tsuru (鶴), a shogi engine.

pub mod arena;
pub mod bench;
pub mod core;
pub mod eval;
pub mod game;
pub mod perft;
pub mod record;
pub mod search;
pub mod shogi;
pub mod usi;
