//! Ending games early: when both engines agree how they will end, and when the
//! kings have entered and points are counted.
//!
//! Agreement means scores of both sides, at every move of the last few, that name
//! the same winner or an even game. A win is given only when the loser is to
//! move, so that the record may say that it resigned.
//!
//! The count is that of the human impasse rule (24-point rule, 持将棋): both kings
//! have been in the enemy's camp for a number of plies in which no piece was
//! captured; a side with fewer than 24 points loses, otherwise it is a draw.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::referee::Referee;
use crate::core::Color;
use crate::core::color::ByColor;
use crate::record::{Ending, GameResult};

/// Points that save the draw.
const POINTS_TO_DRAW: u32 = 24;

/// The scores agree on a winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WinRule {
    /// Score in centipawns, at least.
    pub score: i32,
    /// For this many moves of each side.
    pub moves: u32,
}

/// The scores agree on a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawRule {
    /// Score in centipawns, at most, for either side.
    pub score: i32,
    /// For this many moves of each side.
    pub moves: u32,
    /// Not before this ply.
    pub from: u32,
}

/// How games are ended early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adjudication {
    /// By agreement on a winner.
    pub win: Option<WinRule>,
    /// By agreement on a draw.
    pub draw: Option<DrawRule>,
    /// By counting points, after this many plies with both kings entered and
    /// without a capture.
    pub count: Option<u32>,
}

/// Why a rule was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not {1}")]
pub struct RuleError(String, &'static str);

/// Reads numbers above 0 parted by commas.
fn numbers<const N: usize>(text: &str) -> Option<[u32; N]> {
    let numbers: Vec<u32> = text
        .split(',')
        .map(|word| {
            word.trim()
                .parse()
                .ok()
                .filter(|n| (1..=30_000).contains(n))
        })
        .collect::<Option<_>>()?;
    numbers.try_into().ok()
}

impl FromStr for WinRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<WinRule, RuleError> {
        let [score, moves] =
            numbers(text).ok_or_else(|| RuleError(text.to_string(), "SCORE,MOVES as in 1500,4"))?;
        Ok(WinRule {
            score: score as i32,
            moves,
        })
    }
}

impl FromStr for DrawRule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<DrawRule, RuleError> {
        let [score, moves, from] = numbers(text)
            .ok_or_else(|| RuleError(text.to_string(), "SCORE,MOVES,FROM_PLY as in 20,10,150"))?;
        Ok(DrawRule {
            score: score as i32,
            moves,
            from,
        })
    }
}

/// Follows one game.
pub struct Adjudicator {
    rules: Adjudication,
    /// Plies for which the scores have named this side the winner.
    ahead: ByColor<u32>,
    /// Plies for which the scores have been near 0.
    even: u32,
    /// Plies for which both kings have been entered with these points.
    entered: u32,
    points: Option<ByColor<u32>>,
}

impl Adjudicator {
    /// At the start of a game.
    pub fn new(rules: Adjudication) -> Adjudicator {
        Adjudicator {
            rules,
            ahead: ByColor::default(),
            even: 0,
            entered: 0,
            points: None,
        }
    }

    /// After a move: `position` is that after it, `score` the mover's, if it told
    /// one. The verdict, if there is one now.
    pub fn update(
        &mut self,
        score: Option<i32>,
        position: &impl Referee,
    ) -> Option<(GameResult, Ending)> {
        let to_move = position.side_to_move();
        let mover = !to_move;
        if let Some(rule) = self.rules.win {
            for color in Color::ALL {
                let named = score.is_some_and(|score| {
                    if color == mover {
                        score >= rule.score
                    } else {
                        score <= -rule.score
                    }
                });
                self.ahead[color] = if named { self.ahead[color] + 1 } else { 0 };
            }
            if self.ahead[mover] >= 2 * rule.moves {
                return Some((GameResult::win(mover), Ending::AgreedWin));
            }
        }
        if let Some(rule) = self.rules.draw {
            let even = score.is_some_and(|score| score.abs() <= rule.score);
            self.even = if even { self.even + 1 } else { 0 };
            if self.even >= 2 * rule.moves && position.ply() > rule.from {
                return Some((GameResult::Draw, Ending::AgreedDraw));
            }
        }
        if let Some(plies) = self.rules.count {
            let points = position.impasse_points();
            self.entered = match points {
                Some(_) if points == self.points => self.entered + 1,
                _ => 0,
            };
            self.points = points;
            if let Some(points) = points.filter(|_| self.entered >= plies) {
                return count(points, to_move);
            }
        }
        None
    }
}

/// What the count says. A loser is told when it is to move.
fn count(points: ByColor<u32>, to_move: Color) -> Option<(GameResult, Ending)> {
    let short = |color: Color| points[color] < POINTS_TO_DRAW;
    match (short(to_move), short(!to_move)) {
        (true, false) => Some((GameResult::win(!to_move), Ending::ImpasseWin)),
        (false, true) => None,
        _ => Some((GameResult::Draw, Ending::ImpasseDraw)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    /// Plays king moves back and forth from `sfen`, with scores from the mover's
    /// view, and returns the verdict and after how many plies it came.
    fn verdict(
        rules: Adjudication,
        sfen: &str,
        scores: &[Option<i32>],
    ) -> Option<(usize, GameResult, Ending)> {
        let mut position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let mut adjudicator = Adjudicator::new(rules);
        let moves = ["5i5h", "5a5b", "5h5i", "5b5a"];
        for (index, &score) in scores.iter().enumerate() {
            let m = position.parse_move(moves[index % 4]).unwrap();
            position.make(m);
            if let Some((result, ending)) = adjudicator.update(score, &position) {
                return Some((index + 1, result, ending));
            }
        }
        None
    }

    const KINGS: &str = "4k4/9/9/9/9/9/9/9/4K4 b P 1";

    fn win() -> Adjudication {
        Adjudication {
            win: Some("1000,2".parse().unwrap()),
            ..Adjudication::default()
        }
    }

    #[test]
    fn agreement_on_a_winner() {
        let found = |scores: &[i32]| {
            let scores: Vec<_> = scores.iter().map(|&score| Some(score)).collect();
            verdict(win(), KINGS, &scores)
        };
        // Black is ahead from the first move on; the loser is to move after an
        // odd number of plies.
        assert_eq!(
            found(&[1000, -1000, 1200, -3000, 1000]),
            Some((5, GameResult::BlackWins, Ending::AgreedWin))
        );
        assert_eq!(
            found(&[0, 1500, -1500, 1500, -1500, 1500]),
            Some((6, GameResult::WhiteWins, Ending::AgreedWin))
        );
        // Both think that they win; one is not sure; one does not see it.
        assert_eq!(found(&[1500; 8]), None);
        assert_eq!(found(&[1500, -1500, 900, -1500, 1500, -1500]), None);
        assert_eq!(found(&[1500, -10, 1500, -10, 1500, -10, 1500]), None);
        let silent = [
            Some(1500),
            None,
            Some(1500),
            None,
            Some(1500),
            None,
            Some(1500),
        ];
        assert_eq!(verdict(win(), KINGS, &silent), None);
    }

    #[test]
    fn agreement_on_a_draw() {
        let rules = |from| Adjudication {
            draw: Some(format!("10,2,{from}").parse().unwrap()),
            ..Adjudication::default()
        };
        let even = [Some(5), Some(-10), Some(0), Some(10), Some(3), Some(-3)];
        assert_eq!(
            verdict(rules(1), KINGS, &even),
            Some((4, GameResult::Draw, Ending::AgreedDraw))
        );
        assert_eq!(
            verdict(rules(6), KINGS, &even),
            Some((6, GameResult::Draw, Ending::AgreedDraw))
        );
        let mut uneven = even;
        uneven[3] = Some(11);
        assert_eq!(verdict(rules(1), KINGS, &uneven), None);
    }

    #[test]
    fn the_count_of_24_points() {
        let count = Adjudication {
            count: Some(3),
            ..Adjudication::default()
        };
        let found = |hands: &str| {
            let sfen = format!("9/9/4K4/9/9/9/4k4/9/9 b {hands} 1");
            let mut position = Position::from_sfen(&sfen, &Rules::default()).unwrap();
            let mut adjudicator = Adjudicator::new(count);
            let moves = ["5c5b", "5g5h", "5b5c", "5h5g", "5c5b", "5g5h"];
            moves.iter().zip(1..).find_map(|(text, plies)| {
                let m = position.parse_move(text).unwrap();
                position.make(m);
                let (result, ending) = adjudicator.update(None, &position)?;
                Some((plies, result, ending))
            })
        };
        let draw = (4, GameResult::Draw, Ending::ImpasseDraw);
        assert_eq!(found("2R2B4P4g4s4n4l14p"), Some(draw));
        // 23 points for White, who is to move after an odd number of plies.
        assert_eq!(
            found("2R2B4G7P4s4n4l11p"),
            Some((5, GameResult::BlackWins, Ending::ImpasseWin))
        );
        assert_eq!(
            verdict(count, KINGS, &[None; 6]),
            None,
            "the kings are at home"
        );
    }

    #[test]
    fn rules_as_text() {
        assert!("1500,4".parse::<WinRule>().is_ok());
        for bad in ["", "1500", "0,4", "1500,4,1", "-1,4", "x,1"] {
            assert!(bad.parse::<WinRule>().is_err(), "{bad}");
        }
        assert!("20,8,100".parse::<DrawRule>().is_ok());
        assert!("20,8".parse::<DrawRule>().is_err());
    }
}
