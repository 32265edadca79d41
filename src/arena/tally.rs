//! The table of a match: points, faults, endings and answer times, game by game.

use std::collections::BTreeMap;

use serde::Serialize;

use super::play::Played;
use super::stats::{Decision, Elo, Pentanomial, Sprt};
use crate::core::Color;
use crate::record::{Ending, PlayedMove};

/// What an engine did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An illegal move or a false declaration.
    IllegalMove,
    /// More time used than allowed.
    Time,
    /// No answer at all.
    Hang,
    /// The process ended.
    Crash,
    /// An answer without a move, or unasked.
    Protocol,
}

impl Fault {
    /// The fault by which a game was lost, if any.
    pub fn of(ending: Ending) -> Option<Fault> {
        match ending {
            Ending::IllegalMove | Ending::FalseDeclaration => Some(Fault::IllegalMove),
            Ending::TimeForfeit => Some(Fault::Time),
            Ending::NoAnswer => Some(Fault::Hang),
            Ending::Crash => Some(Fault::Crash),
            Ending::Protocol => Some(Fault::Protocol),
            _ => None,
        }
    }

    /// The fault in a few words.
    pub fn text(self) -> &'static str {
        match self {
            Fault::IllegalMove => "illegal move",
            Fault::Time => "time",
            Fault::Hang => "no answer",
            Fault::Crash => "crash",
            Fault::Protocol => "protocol",
        }
    }
}

/// Faults by kind.
pub type Faults = BTreeMap<Fault, u64>;

/// What one engine did.
#[derive(Clone, Debug, Default)]
struct EngineTally {
    /// Wins, draws, losses as Black and as White.
    games: [[u64; 3]; 2],
    faults: Faults,
    /// Of each move with a time limit, the time past it, in microseconds;
    /// negative when it was within.
    past_limit_us: Vec<i32>,
    moves: u64,
    depths: u64,
    nodes: u64,
    time_us: u64,
}

/// The table of a match.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    engines: [EngineTally; 2],
    pairs: Pentanomial,
    /// First half of a pair: the first engine's half points in it.
    halves: BTreeMap<usize, usize>,
    endings: BTreeMap<Ending, u64>,
    plies: u64,
}

/// One engine's part of a [`Summary`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineSummary {
    /// Its name.
    pub name: String,
    /// Points: wins and half of the draws.
    pub points: f64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Wins, draws and losses with Black.
    pub as_black: [u64; 3],
    /// Wins, draws and losses with White.
    pub as_white: [u64; 3],
    /// Faults by kind.
    pub faults: Faults,
    /// Time past the limit over all moves with a time limit.
    pub latency: Option<Latency>,
    /// Moves that it thought about.
    pub moves: u64,
    /// Mean depth of its last reports.
    pub mean_depth: f64,
    /// Nodes a second, by its last reports.
    pub nps: f64,
}

/// How late answers came, in milliseconds past the limit; negative is early.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// Moves with a time limit.
    pub moves: usize,
    /// The latest answer.
    pub max_ms: f64,
    /// 99 % of the answers came before this.
    pub p99_ms: f64,
}

/// A sequential test and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtSummary {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Log-likelihood ratio.
    pub llr: f64,
    /// At or below this `elo0` is accepted.
    pub lower: f64,
    /// At or above this `elo1` is accepted.
    pub upper: f64,
    /// What it says.
    pub decision: Decision,
}

/// A match so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Both engines, the first one first.
    pub engines: [EngineSummary; 2],
    /// Games counted.
    pub games: u64,
    /// Games of the whole match.
    pub games_planned: u64,
    /// Pairs by the first engine's points: 0, 1/2, 1, 3/2, 2.
    pub pentanomial: Pentanomial,
    /// The first engine's Elo over the second; infinite bounds are null in JSON.
    pub elo: Option<Elo>,
    /// The sequential test, if one was asked for.
    pub sprt: Option<SprtSummary>,
    /// How the games ended.
    pub endings: BTreeMap<Ending, u64>,
    /// Mean number of moves of a game, the opening's included.
    pub mean_plies: f64,
    /// The match was stopped before its end.
    pub interrupted: bool,
}

/// The game's colour of the first engine: pairs begin with it as Black.
pub fn color_of_first(game: usize) -> Color {
    if game.is_multiple_of(2) {
        Color::Black
    } else {
        Color::White
    }
}

impl Tally {
    /// Counts a game; each number once.
    pub fn add(&mut self, game: usize, played: &Played) {
        let record = &played.record;
        let first = color_of_first(game);
        let winner = record.result.winner();
        for (index, color) in [first, !first].into_iter().enumerate() {
            let engine = &mut self.engines[index];
            let result = match winner {
                Some(winner) if winner == color => 0,
                None => 1,
                Some(_) => 2,
            };
            engine.games[color.index()][result] += 1;
            if let Some(fault) = Fault::of(record.ending).filter(|_| result == 2) {
                *engine.faults.entry(fault).or_default() += 1;
                if let Some(late) = played.late_us {
                    engine.past_limit_us.push(clamp_us(late.into()));
                }
            }
            let unasked = played.unasked[color.index()];
            if unasked > 0 {
                *engine.faults.entry(Fault::Protocol).or_default() += unasked;
            }
        }
        self.add_moves(first, played);
        *self.endings.entry(record.ending).or_default() += 1;
        self.plies += record.moves.len() as u64;

        let half_points = match winner {
            Some(winner) if winner == first => 2,
            None => 1,
            Some(_) => 0,
        };
        match self.halves.remove(&(game / 2)) {
            Some(other) => self.pairs.0[half_points + other] += 1,
            None => {
                self.halves.insert(game / 2, half_points);
            }
        }
    }

    fn add_moves(&mut self, first: Color, played: &Played) {
        // Which colour made the first move follows from who moved at the end.
        let moves = &played.record.moves;
        let mut color = played.record.first_mover();
        for PlayedMove {
            time_us,
            limit_us,
            thought,
            ..
        } in moves
        {
            let engine = &mut self.engines[usize::from(color != first)];
            color = !color;
            let Some(time) = *time_us else {
                continue;
            };
            if let Some(limit) = *limit_us {
                engine
                    .past_limit_us
                    .push(clamp_us(i128::from(time) - i128::from(limit)));
            }
            if let Some(thought) = thought {
                engine.moves += 1;
                engine.depths += u64::from(thought.depth);
                engine.nodes = engine.nodes.saturating_add(thought.nodes);
                engine.time_us = engine.time_us.saturating_add(time);
            }
        }
    }

    /// Counts a fault that cost no game.
    pub fn add_fault(&mut self, engine: usize, fault: Fault) {
        *self.engines[engine].faults.entry(fault).or_default() += 1;
    }

    /// Complete pairs by the first engine's points.
    pub fn pairs(&self) -> &Pentanomial {
        &self.pairs
    }

    /// The table.
    pub fn summary(
        &self,
        names: [&str; 2],
        games_planned: usize,
        sprt: Option<Sprt>,
        interrupted: bool,
    ) -> Summary {
        let engines = [0, 1].map(|index| self.engines[index].summary(names[index]));
        let games = self.endings.values().sum();
        let sprt = sprt.map(|test| {
            let (lower, upper) = test.bounds();
            SprtSummary {
                test,
                llr: test.llr(&self.pairs),
                lower,
                upper,
                decision: test.decide(&self.pairs),
            }
        });
        Summary {
            engines,
            games,
            games_planned: games_planned as u64,
            pentanomial: self.pairs,
            elo: self.pairs.elo(),
            sprt,
            endings: self.endings.clone(),
            mean_plies: ratio(self.plies as f64, games as f64),
            interrupted,
        }
    }
}

fn clamp_us(us: i128) -> i32 {
    us.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// 0 when nothing was counted.
fn ratio(sum: f64, count: f64) -> f64 {
    if count > 0.0 { sum / count } else { 0.0 }
}

impl EngineTally {
    fn summary(&self, name: &str) -> EngineSummary {
        let [wins, draws, losses] = [0, 1, 2].map(|i| self.games[0][i] + self.games[1][i]);
        EngineSummary {
            name: name.to_string(),
            points: wins as f64 + 0.5 * draws as f64,
            wins,
            draws,
            losses,
            as_black: self.games[0],
            as_white: self.games[1],
            faults: self.faults.clone(),
            latency: latency(&self.past_limit_us),
            moves: self.moves,
            mean_depth: ratio(self.depths as f64, self.moves as f64),
            nps: ratio(self.nodes as f64 * 1e6, self.time_us as f64),
        }
    }
}

fn latency(past_limit_us: &[i32]) -> Option<Latency> {
    let mut sorted = past_limit_us.to_vec();
    sorted.sort_unstable();
    let max = *sorted.last()?;
    // The smallest value that at least 99 % do not exceed (nearest rank).
    let rank = (sorted.len() * 99).div_ceil(100).max(1);
    let ms = |us: i32| f64::from(us) / 1e3;
    Some(Latency {
        moves: sorted.len(),
        max_ms: ms(max),
        p99_ms: ms(sorted[rank - 1]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameRecord, GameResult, Thought};

    fn game(result: GameResult, ending: Ending) -> Played {
        let played = |usi: &str, time_us| PlayedMove {
            usi: usi.to_string(),
            time_us,
            limit_us: time_us.map(|_| 100_000),
            thought: time_us.map(|_| Thought {
                depth: 4,
                nodes: 1000,
                ..Thought::default()
            }),
        };
        Played {
            record: GameRecord {
                event: String::new(),
                black: "A".to_string(),
                white: "B".to_string(),
                started: 0,
                start: None,
                moves: vec![
                    played("7g7f", None),
                    played("3c3d", Some(90_000)),
                    played("2g2f", Some(130_000)),
                ],
                result,
                ending,
                note: String::new(),
            },
            unasked: [0, 0],
            late_us: None,
        }
    }

    #[test]
    fn points_pairs_and_faults() {
        let mut tally = Tally::default();
        tally.add(0, &game(GameResult::BlackWins, Ending::Resignation));
        assert_eq!(tally.pairs().pairs(), 0);
        tally.add(3, &game(GameResult::Draw, Ending::Sennichite));
        tally.add(1, &game(GameResult::WhiteWins, Ending::IllegalMove));
        let mut late = game(GameResult::WhiteWins, Ending::TimeForfeit);
        late.late_us = Some(250_000);
        late.unasked = [0, 1];
        tally.add(2, &late);
        assert_eq!(tally.pairs().0, [0, 1, 0, 0, 1]);

        let summary = tally.summary(["A", "B"], 10, None, false);
        let [a, b] = &summary.engines;
        assert_eq!((a.points, b.points), (2.5, 1.5));
        assert_eq!((a.as_black, a.as_white), ([1, 0, 1], [1, 1, 0]));
        assert_eq!((b.as_black, b.as_white), ([0, 1, 1], [1, 0, 1]));
        assert_eq!(a.faults, Faults::from([(Fault::Time, 1)]));
        assert_eq!(
            b.faults,
            Faults::from([(Fault::IllegalMove, 1), (Fault::Protocol, 1)])
        );
        assert_eq!(summary.games, 4);
        assert_eq!(a.latency.unwrap().max_ms, 250.0);
        assert_eq!((a.moves, a.mean_depth), (4, 4.0));
    }

    #[test]
    fn latency_by_nearest_rank() {
        assert_eq!(latency(&[]), None);
        let one = latency(&[-5000]).unwrap();
        assert_eq!((one.max_ms, one.p99_ms), (-5.0, -5.0));
        let many: Vec<i32> = (1..=200).map(|ms| ms * 1000).collect();
        let many = latency(&many).unwrap();
        assert_eq!((many.max_ms, many.p99_ms), (200.0, 198.0));
    }
}
