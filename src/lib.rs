//! Tsuru, a shogi engine.

pub mod core;
pub mod game;
pub mod search;
