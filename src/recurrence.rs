//! Recurring positions: the same board, hands and side to move again.
//!
//! Four occurrences end a game of any kind of shogi: a draw, unless one side's every
//! move since the first gave check. The search already decides at the first
//! recurrence, and prunes where the board recurs with better or worse hands
//! ("superior and inferior positions", 優等局面・劣等局面).
//!
//! A game's position keeps a stack of states; a [`Path`] looks back on it. A small
//! table counts the boards on the path by some bits of their key ([`SeenBoards`]),
//! so that nearly every position is known to be new after one look, however long
//! the game is.

use crate::core::Color;
use crate::core::color::ByColor;
use crate::game::Repetition;

const BUCKETS: usize = 4096;

/// How many boards on the path fall in each bucket of board keys.
#[derive(Clone)]
pub struct SeenBoards(Box<[u16; BUCKETS]>);

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

    /// A board with this key is on the path.
    #[inline]
    pub fn add(&mut self, key: u64) {
        let count = &mut self.0[Self::bucket(key)];
        *count = count.wrapping_add(1);
    }

    /// It is no more.
    #[inline]
    pub fn remove(&mut self, key: u64) {
        let count = &mut self.0[Self::bucket(key)];
        *count = count.wrapping_sub(1);
    }

    /// Whether another board of the path may have this key.
    #[inline]
    fn may_recur(&self, key: u64) -> bool {
        self.0[Self::bucket(key)] != 1
    }
}

/// What a state tells about its position.
pub trait Occurrence {
    /// What the side to move has in hand.
    type Hand: Copy + Eq;

    /// Key of the board and the side to move.
    fn board_key(&self) -> u64;

    /// What the side to move has in hand.
    fn hand(&self) -> Self::Hand;

    /// For each side, how many of its last moves gave check without a break.
    fn checks(&self) -> &ByColor<u16>;

    /// Plies since the set-up or the last pass: how far back a position can recur.
    fn reach(&self) -> u16;

    /// Whether `hand` holds every kind at least as often as `other`.
    fn covers(hand: Self::Hand, other: Self::Hand) -> bool;
}

/// The way to the present position.
pub struct Path<'a, S> {
    /// The present state.
    pub now: &'a S,
    /// Those before, latest last.
    pub past: &'a [S],
    /// Their boards, the present one included.
    pub seen: &'a SeenBoards,
    /// Whether perpetual check loses.
    pub perpetual_check_loses: bool,
}

impl<'a, S: Occurrence> Path<'a, S> {
    /// Earlier states of the path with this board and side to move, latest
    /// first, each with its distance in plies.
    #[inline]
    fn earlier(&self) -> impl Iterator<Item = (usize, &'a S)> {
        let Path { now, past, .. } = *self;
        let reach = if self.seen.may_recur(now.board_key()) {
            usize::from(now.reach()).min(past.len())
        } else {
            0
        };
        // The side to move is the same every second ply, and a board cannot
        // recur after two.
        (4..=reach)
            .step_by(2)
            .map(|distance| (distance, &past[past.len() - distance]))
            .filter(|(_, state)| state.board_key() == now.board_key())
    }

    /// The side that gave perpetual check over the last `distance` plies. None if
    /// neither did, or both.
    fn perpetual_checker(&self, distance: usize) -> Option<Color> {
        if !self.perpetual_check_loses {
            return None;
        }
        let throughout = |color| usize::from(self.now.checks()[color]) * 2 >= distance;
        match Color::ALL.map(throughout) {
            [true, false] => Some(Color::Black),
            [false, true] => Some(Color::White),
            _ => None,
        }
    }

    /// What the position means for `side`, which is to move, as a recurrence,
    /// decided at its first one.
    #[inline]
    pub fn repetition(&self, side: Color) -> Repetition {
        let hand = self.now.hand();
        let mut result = Repetition::None;
        for (distance, state) in self.earlier() {
            if state.hand() == hand {
                return match self.perpetual_checker(distance) {
                    None => Repetition::Draw,
                    Some(checker) if checker == side => Repetition::Loss,
                    Some(_) => Repetition::Win,
                };
            }
            if result == Repetition::None {
                if S::covers(hand, state.hand()) {
                    result = Repetition::Superior;
                } else if S::covers(state.hand(), hand) {
                    result = Repetition::Inferior;
                }
            }
        }
        result
    }

    /// How often the position has occurred in the game, this time included.
    pub fn occurrences(&self) -> usize {
        let hand = self.now.hand();
        1 + self.earlier().filter(|(_, s)| s.hand() == hand).count()
    }

    /// Whether the game ends by repetition here. `Some(None)` is a draw,
    /// `Some(Some(color))` a loss for `color`, who gave perpetual check.
    pub fn sennichite(&self) -> Option<Option<Color>> {
        let hand = self.now.hand();
        let third_last = self.earlier().filter(|(_, s)| s.hand() == hand).nth(2);
        third_last.map(|(distance, _)| self.perpetual_checker(distance))
    }
}
