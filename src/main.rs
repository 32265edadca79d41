//! The Tsuru shogi engine.
fn main() {}
