//! Sennichite: the same board, hands and side to move again.
//!
//! The game ends at the fourth occurrence: a draw, unless one side's every move
//! since the first gave check. The search already decides at the first
//! recurrence, and prunes where the board recurs with better or worse hands
//! ("superior and inferior positions", 優等局面・劣等局面).
//!
//! A small table counts the boards on the path by some bits of their key, so
//! that nearly every position is known to be new after one look, however long
//! the game is.

use super::position::{Position, State};
use crate::core::Color;
use crate::game::Repetition;

const BUCKETS: usize = 4096;

/// How many boards on the path fall in each bucket of board keys.
#[derive(Clone)]
pub(super) struct SeenBoards(Box<[u16; BUCKETS]>);

impl Default for SeenBoards {
    fn default() -> Self {
        SeenBoards(Box::new([0; BUCKETS]))
    }
}

impl SeenBoards {
    #[inline]
    fn bucket(key: u64) -> usize {
        key as usize % BUCKETS
    }

    #[inline]
    pub(super) fn add(&mut self, key: u64) {
        let count = &mut self.0[Self::bucket(key)];
        *count = count.wrapping_add(1);
    }

    #[inline]
    pub(super) fn remove(&mut self, key: u64) {
        let count = &mut self.0[Self::bucket(key)];
        *count = count.wrapping_sub(1);
    }

    /// Whether another board of the path may have this key.
    #[inline]
    fn may_recur(&self, key: u64) -> bool {
        self.0[Self::bucket(key)] != 1
    }
}

impl Position {
    /// Earlier states of the path with this board and side to move, latest
    /// first, each with its distance in plies.
    fn earlier(&self) -> impl Iterator<Item = (usize, &State)> {
        let reach = if self.seen.may_recur(self.state.board_key) {
            usize::from(self.state.reach).min(self.past.len())
        } else {
            0
        };
        // The side to move is the same every second ply, and a board cannot
        // recur after two.
        (4..=reach)
            .step_by(2)
            .map(|distance| (distance, &self.past[self.past.len() - distance]))
            .filter(|(_, state)| state.board_key == self.state.board_key)
    }

    /// Whether all of `color`'s moves of the last `distance` plies gave check.
    fn checked_throughout(&self, color: Color, distance: usize) -> bool {
        usize::from(self.state.checks[color]) * 2 >= distance
    }

    /// The side that gave perpetual check over the last `distance` plies. None if
    /// neither did, or both.
    fn perpetual_checker(&self, distance: usize) -> Option<Color> {
        if !self.rules.protects_king() {
            return None;
        }
        match Color::ALL.map(|color| self.checked_throughout(color, distance)) {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        }
    }

    /// What the position means for the side to move as a recurrence, decided at
    /// its first one.
    pub fn repetition(&self) -> Repetition {
        let hand = self.state.hand;
        let mut result = Repetition::None;
        for (distance, state) in self.earlier() {
            if state.hand == hand {
                return match self.perpetual_checker(distance) {
                    None => Repetition::Draw,
                    Some(checker) if checker == self.side => Repetition::Loss,
                    Some(_) => Repetition::Win,
                };
            }
            if result == Repetition::None {
                if hand.covers(state.hand) {
                    result = Repetition::Superior;
                } else if state.hand.covers(hand) {
                    result = Repetition::Inferior;
                }
            }
        }
        result
    }

    /// How often the position has occurred in the game, this time included.
    pub fn occurrences(&self) -> usize {
        let hand = self.state.hand;
        1 + self.earlier().filter(|(_, s)| s.hand == hand).count()
    }

    /// Whether the game ends by repetition here. `Some(None)` is a draw,
    /// `Some(Some(color))` a loss for `color`, who gave perpetual check.
    pub fn sennichite(&self) -> Option<Option<Color>> {
        let hand = self.state.hand;
        let third_last = self.earlier().filter(|(_, s)| s.hand == hand).nth(2);
        third_last.map(|(distance, _)| self.perpetual_checker(distance))
    }
}
