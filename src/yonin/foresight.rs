//! Foreseeing what opponents play: the styles that they may have, which style each
//! has shown in the game, and a table of foreseen moves.
//!
//! What a player of a style does is up to the evaluation (`eval::yonin`). Telling the
//! styles by what was played is opponent modelling (Sturtevant, Zinkevich and Bowling,
//! "Prob-Max^n: Playing N-Player Games with Opponent Models", 2006).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::board::Board;
use super::position::Position;
use super::seat::Seat;
use crate::game::GameMove;
use crate::shogi::Move;

/// Last moves of an opponent that tell his style.
const OBSERVED: usize = 8;

/// How an opponent chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// What is best at sight, with his pieces safe.
    #[default]
    Careful,
    /// What is best at sight, whatever may be captured then.
    Greedy,
}

/// The style that foretells a seat's last moves best; whoever cannot be told counts as
/// careful. `reply` is the move of a player of a style.
pub(super) fn shown_style(
    position: &Position,
    seat: Seat,
    reply: impl Fn(&Board, Style) -> Option<Move>,
) -> Style {
    let past = position.past();
    let after = std::iter::once(position.board()).chain(past.iter().rev());
    let moves = past.iter().rev().zip(after);
    let mut lead = 0;
    for (before, after) in moves.filter(|(b, _)| b.turn() == seat).take(OBSERVED) {
        let foretold =
            |style| reply(before, style).is_some_and(|m| before.after(m).key() == after.key());
        lead += i32::from(foretold(Style::Greedy)) - i32::from(foretold(Style::Careful));
    }
    if lead > 0 {
        Style::Greedy
    } else {
        Style::Careful
    }
}

/// Foreseen moves by position: a search comes to the same node again and again,
/// and finding a reply costs far more than anything else there. Shared by the
/// threads of a search; an entry is the upper 48 bits of the key and the move.
#[derive(Clone)]
pub(super) struct Replies(Option<Arc<[AtomicU64]>>);

const REPLIES: usize = 1 << 17;
const MOVE_BITS: u64 = 0xffff;

impl Replies {
    /// An empty table, or one without a place for anything.
    pub(super) fn new(used: bool) -> Replies {
        Replies(used.then(|| (0..REPLIES).map(|_| AtomicU64::new(0)).collect()))
    }

    /// Styles have slots of their own.
    fn slot(key: u64, style: Style) -> usize {
        (key ^ style as u64) as usize % REPLIES
    }

    /// What is foreseen in the position with this key.
    pub(super) fn get(&self, key: u64, style: Style) -> Option<Move> {
        let entry = self.0.as_ref()?[Self::slot(key, style)].load(Ordering::Relaxed);
        let found = (entry ^ key) & !MOVE_BITS == 0;
        Move::from_bits((entry & MOVE_BITS) as u16).filter(|_| found)
    }

    /// Keeps what is foreseen.
    pub(super) fn put(&self, key: u64, style: Style, m: Move) {
        if let Some(entries) = &self.0 {
            let entry = key & !MOVE_BITS | u64::from(m.to_bits());
            entries[Self::slot(key, style)].store(entry, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::yonin::best_at_sight;
    use crate::learn::random::Random;
    use crate::yonin::Rules;

    /// Games of players with known styles after some random moves.
    #[test]
    fn styles_are_told_by_the_moves() {
        let styles = [Style::Greedy, Style::Careful, Style::Greedy, Style::Careful];
        let mut told = [0; 2];
        for game in 0..6 {
            let mut random = Random::nth(5, game);
            let mut position = Position::start(&Rules::default());
            for ply in 0..32 {
                if position.outcome().is_some() {
                    break;
                }
                let style = styles[position.turn().index()];
                let m = match ply {
                    0..8 => {
                        let moves = position.legal_moves();
                        moves.get(random.below(moves.len())).copied()
                    }
                    _ => best_at_sight(position.board(), style),
                };
                position.make(m.expect("nobody is mated in a game that goes on"));
            }
            for seat in Seat::ALL {
                let told_style = shown_style(&position, seat, best_at_sight);
                told[usize::from(told_style == styles[seat.index()])] += 1;
            }
        }
        assert!(told[1] >= 22, "{told:?}");
    }
}
