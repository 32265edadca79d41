//! Foreseeing what opponents play: how far they may look, how far each has shown to
//! look in the game, and a table of foreseen moves.
//!
//! What a player plays who looks one ply or two is up to the evaluation
//! (`eval::yonin`). Telling them by what was played is opponent modelling (Sturtevant,
//! Zinkevich and Bowling, "Prob-Max^n: Playing N-Player Games with Opponent Models",
//! 2006).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::board::Board;
use super::position::Position;
use super::seat::{BySeat, Seat};
use crate::game::GameMove;
use crate::shogi::Move;

/// Last moves of an opponent that tell how far he looks, at most.
const OBSERVED: usize = 8;
/// With so many more moves foretold by one sight than by the other, older moves are
/// not looked at.
const CLEAR: i32 = 3;

/// How far an opponent looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// He plays what is best at sight, whatever is played then.
    OnePly,
    /// He minds the answer of the next player, too.
    #[default]
    TwoPlies,
}

/// The sight that foretells each opponent's last moves better. One who cannot be told
/// is taken to be as the others are, and two plies are the guess when nobody can be.
/// `reply` is the move of a player with a sight.
pub(super) fn shown_sights(
    position: &Position,
    is_opponent: impl Fn(Seat) -> bool,
    reply: impl Fn(&Board, Sight) -> Option<Move>,
) -> BySeat<Sight> {
    let leads = Seat::ALL.map(|seat| match is_opponent(seat) {
        true => lead_of_two_plies(position, seat, &reply),
        false => 0,
    });
    let together: i32 = leads.iter().sum();
    BySeat(leads.map(|lead| {
        let lead = if lead == 0 { together } else { lead };
        if lead < 0 {
            Sight::OnePly
        } else {
            Sight::TwoPlies
        }
    }))
}

/// How many more of a seat's last moves two plies foretell than one.
fn lead_of_two_plies(
    position: &Position,
    seat: Seat,
    reply: impl Fn(&Board, Sight) -> Option<Move>,
) -> i32 {
    let past = position.past();
    let after = std::iter::once(position.board()).chain(past.iter().rev());
    let moves = past.iter().rev().zip(after);
    let mut lead: i32 = 0;
    for (before, after) in moves.filter(|(b, _)| b.turn() == seat).take(OBSERVED) {
        let foretold =
            |sight| reply(before, sight).is_some_and(|m| before.after(m).key() == after.key());
        lead += i32::from(foretold(Sight::TwoPlies)) - i32::from(foretold(Sight::OnePly));
        if lead.abs() >= CLEAR {
            break;
        }
    }
    lead
}

/// Foreseen moves by position: a search comes to the same node again and again,
/// and finding a reply costs far more than anything else there. Shared by the
/// threads of a search; an entry is the upper 48 bits of the key and the move. (The key
/// leaves out who gets the credit for a check, which an entry may have wrong.)
#[derive(Clone)]
pub(super) struct Replies(Option<Arc<[AtomicU64]>>);

const REPLIES: usize = 1 << 17;
const MOVE_BITS: u64 = 0xffff;

impl Replies {
    /// An empty table, or one without a place for anything.
    pub(super) fn new(used: bool) -> Replies {
        Replies(used.then(|| (0..REPLIES).map(|_| AtomicU64::new(0)).collect()))
    }

    /// Sights have slots of their own.
    fn slot(key: u64, sight: Sight) -> usize {
        (key ^ sight as u64) as usize % REPLIES
    }

    /// What is foreseen in the position with this key.
    pub(super) fn get(&self, key: u64, sight: Sight) -> Option<Move> {
        let entry = self.0.as_ref()?[Self::slot(key, sight)].load(Ordering::Relaxed);
        let found = (entry ^ key) & !MOVE_BITS == 0;
        Move::from_bits((entry & MOVE_BITS) as u16).filter(|_| found)
    }

    /// Keeps what is foreseen.
    pub(super) fn put(&self, key: u64, sight: Sight, m: Move) {
        if let Some(entries) = &self.0 {
            let entry = key & !MOVE_BITS | u64::from(m.to_bits());
            entries[Self::slot(key, sight)].store(entry, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::yonin::expected_move;
    use crate::learn::random::Random;
    use crate::yonin::Rules;

    /// Games of players with known sights after some random moves.
    #[test]
    fn sights_are_told_by_the_moves() {
        use Sight::{OnePly, TwoPlies};
        let sights = BySeat([OnePly, TwoPlies, OnePly, TwoPlies]);
        let mut told = [0; 2];
        for game in 0..6 {
            let mut random = Random::nth(5, game);
            let mut position = Position::start(&Rules::default());
            for ply in 0..32 {
                if position.outcome().is_some() {
                    break;
                }
                let m = match ply {
                    0..8 => {
                        let moves = position.legal_moves();
                        moves.get(random.below(moves.len())).copied()
                    }
                    _ => expected_move(position.board(), sights[position.turn()]),
                };
                position.make(m.expect("nobody is mated in a game that goes on"));
            }
            let shown = shown_sights(&position, |_| true, expected_move);
            for seat in Seat::ALL {
                told[usize::from(shown[seat] == sights[seat])] += 1;
            }
        }
        assert!(told[1] >= 22, "{told:?}");
    }
}
