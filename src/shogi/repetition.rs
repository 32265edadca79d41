//! Sennichite, as [`crate::recurrence`] has it for every game.

use super::hand::Hand;
use super::position::{Position, State};
use crate::core::Color;
use crate::core::color::ByColor;
use crate::game::Repetition;
use crate::recurrence::{Occurrence, Path};

impl Occurrence for State {
    type Hand = Hand;

    #[inline]
    fn board_key(&self) -> u64 {
        self.board_key
    }

    #[inline]
    fn hand(&self) -> Hand {
        self.hand
    }

    #[inline]
    fn checks(&self) -> &ByColor<u16> {
        &self.checks
    }

    #[inline]
    fn reach(&self) -> u16 {
        self.reach
    }

    #[inline]
    fn covers(hand: Hand, other: Hand) -> bool {
        hand.covers(other)
    }
}

impl Position {
    #[inline]
    fn path(&self) -> Path<'_, State> {
        Path {
            now: &self.state,
            past: &self.past,
            seen: &self.seen,
            perpetual_check_loses: self.rules.protects_king(),
        }
    }

    /// What the position means for the side to move as a recurrence, decided at
    /// its first one.
    #[inline]
    pub fn repetition(&self) -> Repetition {
        self.path().repetition(self.side)
    }

    /// How often the position has occurred in the game, this time included.
    pub fn occurrences(&self) -> usize {
        self.path().occurrences()
    }

    /// Whether the game ends by repetition here. `Some(None)` is a draw,
    /// `Some(Some(color))` a loss for `color`, who gave perpetual check.
    pub fn sennichite(&self) -> Option<Option<Color>> {
        self.path().sennichite()
    }
}
