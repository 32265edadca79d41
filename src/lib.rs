//! Tsuru (鶴), a shogi engine.
pub mod core;
pub mod eval;
pub mod game;
pub mod search;
pub mod shogi;
