//! The choices that the rules leave open, as USI options set them.

/// The rules of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Captured pieces go to the hand and may be dropped (`WaDrops`). Otherwise
    /// they leave the game.
    pub drops: bool,
    /// The game is a draw when it has reached this many plies without a mate
    /// (`MaxMovesToDraw`); 0 for no limit.
    pub max_moves: u32,
}

impl Rules {
    /// The word of `USI_Variant`.
    pub const WORD: &'static str = "washogi";

    /// Other words that are understood.
    pub const ALIASES: [&'static str; 2] = ["wa", "wa-shogi"];
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            drops: true,
            max_moves: 0,
        }
    }
}
