//! Strength limits, for human opponents.
//!
//! A level below [`FULL`] limits the search the way a weaker player is limited:
//! it looks less far ahead ([`Skill::depth`], [`Skill::nodes`]), weighs up a
//! few candidate moves ([`Skill::candidates`]), and does not always take the
//! best of them. The choice falls by chance, weighted by `exp(-loss / T)` as in
//! Boltzmann's distribution, with a temperature `T` and a greatest loss that
//! shrink as the level rises (Chess Programming Wiki: "Playing Strength").
//!
//! What a weak player still does: it plays the mate that it sees and the best
//! defence against one, and takes a win that is there at once; never does it
//! give more away than the level's greatest loss, as far as it sees. From
//! [`SEES_THREATS`] on it does not move into a mate by the very next move.
//! Analysis (`go infinite`) is never limited: no one plays against it.

use super::limits::{Limits, SearchOptions};
use crate::core::score::{MATE_IN_MAX_PLY, is_mate};
use crate::core::{MoveList, Score};
use crate::game::{Game, ImmediateWin, Stage};

/// The level that is not limited; 0 is the weakest.
pub const FULL: f64 = 20.0;

/// From this level on, a mate by the opponent's next move is always seen.
pub const SEES_THREATS: f64 = 2.0;

/// Points of `USI_Strength` and the levels that play so. The differences are Elo
/// as measured in matches of 30 to 60 games between these levels; from level
/// 15 up they are extrapolated. The zero point is free: no rating list of people
/// stands behind it.
const RATINGS: [(i64, f64); 7] = [
    (600, 0.0),
    (780, 3.0),
    (940, 6.0),
    (1210, 9.0),
    (1840, 12.0),
    (2300, 15.0),
    (2800, 19.0),
];

/// Range of `USI_Strength`; the highest is still limited a little.
pub const STRENGTHS: (i64, i64) = (RATINGS[0].0, RATINGS[RATINGS.len() - 1].0);

/// The level of a `USI_Strength`.
pub fn level_of_strength(strength: i64) -> f64 {
    let strength = strength.clamp(STRENGTHS.0, STRENGTHS.1);
    let above = RATINGS.partition_point(|&(points, _)| points < strength);
    let (high_points, high) = RATINGS[above];
    let (low_points, low) = RATINGS[above.saturating_sub(1)];
    let share = (strength - low_points) as f64 / (high_points - low_points).max(1) as f64;
    low + share * (high - low)
}

/// A limited strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Skill {
    /// From 0, below [`FULL`].
    level: f64,
}

impl Skill {
    /// The strength of a level; `None` from [`FULL`] on, and for what is no
    /// number.
    pub fn new(level: f64) -> Option<Skill> {
        (level < FULL).then(|| Skill {
            level: level.max(0.0),
        })
    }

    /// The strength that one search is limited to, if any.
    pub(super) fn of<M>(limits: &Limits<M>, options: &SearchOptions) -> Option<Skill> {
        Skill::new(options.skill_level).filter(|_| !limits.is_unbounded())
    }

    /// How far below [`FULL`], from 1 (the weakest) down to 0.
    fn weakness(self) -> f64 {
        1.0 - self.level / FULL
    }

    /// Depth limit in plies, from 1 up.
    pub fn depth(self) -> u32 {
        1 + (self.level * 0.6) as u32
    }

    /// Node limit. It bounds the time that a position full of choices takes,
    /// and lets the strength grow where the depth does not.
    pub fn nodes(self) -> u64 {
        (1500.0 * 1.4_f64.powf(self.level)) as u64
    }

    /// How many moves are weighed up.
    pub fn candidates(self) -> usize {
        2 + (self.weakness() * 6.0) as usize
    }

    /// The loss that makes a move e times less likely, in centipawns.
    pub fn temperature(self) -> f64 {
        2.0 + 90.0 * self.weakness()
    }

    /// The most that a choice may lose against the best move, in centipawns.
    pub fn max_loss(self) -> Score {
        (10.0 + 290.0 * self.weakness()) as Score
    }

    /// Which of the candidates is played, given their scores, best first.
    /// `random` lies in 0..1. Always an index of `scores`, or 0.
    pub fn choose(self, scores: &[Score], random: f64) -> usize {
        let Some(&best) = scores.first().filter(|&&best| !is_mate(best)) else {
            return 0;
        };
        let weights: Vec<f64> = scores
            .iter()
            .map(|&score| {
                let loss = best - score;
                if loss <= self.max_loss() && score > -MATE_IN_MAX_PLY {
                    (f64::from(-loss) / self.temperature()).exp()
                } else {
                    0.0
                }
            })
            .collect();
        let mut rest = random * weights.iter().sum::<f64>();
        for (index, weight) in weights.into_iter().enumerate() {
            rest -= weight;
            if rest < 0.0 {
                return index;
            }
        }
        0
    }

    /// Takes the moves out that allow a mate by the very next move, if the
    /// level sees that. When all do, they stay.
    pub(super) fn shun_threats<G: Game>(self, position: &G, moves: &mut Vec<G::Move>) {
        // Where moves come with their answers a mate would be among these.
        if self.level < SEES_THREATS || G::ANSWERED {
            return;
        }
        let mut position = position.clone();
        let mut loses = |m: G::Move| {
            position.make(m);
            let lost = wins_at_once(&mut position);
            position.unmake();
            lost
        };
        let safe: Vec<G::Move> = moves.iter().copied().filter(|&m| !loses(m)).collect();
        if !safe.is_empty() {
            *moves = safe;
        }
    }
}

/// Whether the side to move has a move that wins on the spot. Restores the
/// position.
fn wins_at_once<G: Game>(position: &mut G) -> bool {
    if position.at_move_limit() {
        return false;
    }
    match position.immediate_win() {
        Some(ImmediateWin::Move(_) | ImmediateWin::Declaration) => return true,
        None => {}
    }
    let info = position.check_info();
    let mut moves = MoveList::new();
    position.generate(Stage::All, false, &mut moves);
    moves.into_iter().any(|m| {
        if !position.gives_check(m, &info) {
            return false;
        }
        position.make(m);
        let mates = position.in_check() && position.count_moves() == 0;
        position.unmake();
        mates
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::score::{mate_in, mated_in};
    use crate::shogi::{Position, Rules, Variant};

    fn levels() -> impl Iterator<Item = Skill> {
        (0..200).filter_map(|tenth| Skill::new(f64::from(tenth) / 10.0))
    }

    #[test]
    fn limits_loosen_with_the_level() {
        assert_eq!(Skill::new(FULL), None);
        assert_eq!(Skill::new(f64::NAN), None);
        assert_eq!(Skill::new(-3.0), Skill::new(0.0));
        assert_eq!(levels().count(), 200);
        let all: Vec<Skill> = levels().collect();
        assert_eq!(all[0].depth(), 1);
        for pair in all.windows(2) {
            let (weak, strong) = (pair[0], pair[1]);
            assert!(weak.depth() <= strong.depth());
            assert!(weak.nodes() <= strong.nodes());
            assert!(weak.candidates() >= strong.candidates());
            assert!(weak.temperature() > strong.temperature());
            assert!(weak.max_loss() >= strong.max_loss());
        }
        assert!(all[199].candidates() > 1);
    }

    #[test]
    fn strengths_are_levels() {
        assert_eq!(level_of_strength(i64::MIN), 0.0);
        assert_eq!(level_of_strength(600), 0.0);
        assert_eq!(level_of_strength(690), 1.5);
        assert_eq!(level_of_strength(i64::MAX), 19.0);
        for (points, level) in RATINGS {
            assert_eq!(level_of_strength(points), level);
        }
        for points in STRENGTHS.0..STRENGTHS.1 {
            assert!(level_of_strength(points) < level_of_strength(points + 1));
        }
    }

    #[test]
    fn the_choice_keeps_within_the_greatest_loss() {
        for skill in levels() {
            let scores = [50, 40, 0, 50 - skill.max_loss(), 49 - skill.max_loss()];
            let mut seen = [0; 5];
            for i in 0..1000 {
                seen[skill.choose(&scores, f64::from(i) / 1000.0)] += 1;
            }
            assert_eq!(seen[4], 0, "{skill:?}");
            assert!(seen[0] >= seen[1] && seen[1] >= seen[2], "{seen:?}");
            assert!(seen[0] > 200, "{skill:?} {seen:?}");
        }
        let best = |level| {
            let skill = Skill::new(level).unwrap();
            let best = |i: &i32| skill.choose(&[0, -30, -60], f64::from(*i) / 1000.0) == 0;
            (0..1000).filter(best).count()
        };
        assert!(best(0.0) < best(10.0) && best(10.0) < best(19.0));
    }

    #[test]
    fn mates_are_not_a_matter_of_choice() {
        for skill in levels() {
            for random in [0.0, 0.5, 0.999_999, 1.0] {
                assert_eq!(skill.choose(&[mate_in(3), mate_in(5), 400], random), 0);
                assert_eq!(skill.choose(&[mated_in(6), mated_in(4)], random), 0);
                assert_eq!(skill.choose(&[-2000, mated_in(8)], random), 0);
                assert_eq!(skill.choose(&[], random), 0);
            }
        }
    }

    fn safe_moves(sfen: &str, level: f64, rules: &Rules) -> Vec<String> {
        let position = Position::from_sfen(sfen, rules).unwrap();
        let mut list = MoveList::new();
        position.generate(Stage::All, true, &mut list);
        let mut moves: Vec<_> = list.into_iter().collect();
        Skill::new(level)
            .unwrap()
            .shun_threats(&position, &mut moves);
        moves.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_threatened_mate_is_seen() {
        // White threatens to drop a gold at 5h.
        let threat = "4k4/9/9/9/9/4p4/4p4/9/4K4 b Pg 1";
        let all = safe_moves(threat, 0.0, &Rules::default());
        let safe = safe_moves(threat, SEES_THREATS, &Rules::default());
        assert!(all.contains(&"P*4f".to_string()));
        assert!(!safe.is_empty() && safe.len() < all.len());
        assert!(!safe.contains(&"P*4f".to_string()), "{safe:?}");
        assert!(safe.contains(&"P*5h".to_string()), "{safe:?}");
        // Nothing helps: everything stays.
        let lost = "4k4/9/9/9/9/9/4g4/9/4K4 b 2g 1";
        assert!(!safe_moves(lost, 10.0, &Rules::default()).is_empty());
    }

    #[test]
    fn a_king_is_not_left_to_be_captured() {
        let rules = Rules {
            variant: Variant::KingCapture,
            ..Rules::default()
        };
        let attacked = "4k4/4r4/9/9/9/9/9/9/4K4 b P 1";
        let safe = safe_moves(attacked, 2.0, &rules);
        assert!(safe.contains(&"5i4i".to_string()));
        assert!(safe.contains(&"P*5h".to_string()));
        assert!(!safe.contains(&"P*1e".to_string()));
        assert!(!safe.contains(&"5i5h".to_string()));
    }
}
