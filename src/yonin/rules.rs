//! The choices that the rules leave open (the specification's options table).

use super::seat::Seat;

/// Everyone alone, or South and North against West and East.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// All four are enemies.
    #[default]
    Singles,
    /// Opposite seats are partners; a team loses with its first mate.
    Pairs,
}

/// When a game of singles ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// At the second mate.
    #[default]
    Two,
    /// When one player is left.
    Last,
}

/// What becomes of a mated player's pieces on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mated {
    /// The mater owns them.
    #[default]
    Mater,
    /// Nobody owns them; anyone may capture them.
    Unowned,
}

/// The rules of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Singles or pairs.
    pub format: Format,
    /// When singles end.
    pub end: End,
    /// What becomes of a mated player's pieces.
    pub mated: Mated,
    /// The game ends after this many moves of all players together; 0 for
    /// never.
    pub limit: u32,
    /// Who moves first from the initial position.
    pub first: Seat,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            format: Format::default(),
            end: End::default(),
            mated: Mated::default(),
            limit: 0,
            first: Seat::South,
        }
    }
}

impl Rules {
    /// How many mates end the game.
    #[inline]
    pub const fn mates_to_end(&self) -> usize {
        match (self.format, self.end) {
            (Format::Pairs, _) => 1,
            (Format::Singles, End::Two) => 2,
            (Format::Singles, End::Last) => 3,
        }
    }

    /// The partner of a seat, in pairs.
    #[inline]
    pub const fn partner(&self, seat: Seat) -> Option<Seat> {
        match self.format {
            Format::Singles => None,
            Format::Pairs => Some(seat.opposite()),
        }
    }

    /// Whether two seats are the same player or partners.
    #[inline]
    pub fn same_team(&self, a: Seat, b: Seat) -> bool {
        a == b || self.partner(a) == Some(b)
    }
}
