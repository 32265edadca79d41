//! Matches of four: two to four configurations, seats rotated over all
//! arrangements, points by place.
//!
//! One *round* is every arrangement of the players on the seats, each played from
//! the same opening (some random moves), so that neither seat nor opening favours
//! anyone: the first seat to move turns clockwise from round to round. Places 1 to
//! 4 give 3, 2, 1 and 0 points, shared by players level (in pairs 2.5 and 0.5, a
//! draw 1.5), so that 1.5 points a game is the mean of equals. The error is that
//! of the mean over rounds, whose games hang together.
//!
//! A game of four has no resigning: a player that gives no legal move in time is
//! noted with a fault and the greedy baseline plays on in his place.

pub mod players;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::config::EngineConfig;
use super::limits::{Clock, Limits};
use crate::learn::random::Random;
use crate::record::yonin::options;
use crate::shogi::Move;
use crate::yonin::{Format, Outcome, Position, Rules, Seat};
use players::{Fault, Player, PlayerError, Question, player, substitute};

/// A game is broken off after this many moves where the rules have no limit, and
/// placed as it stands.
pub const MAX_MOVES: u32 = 600;

/// What a match is.
#[derive(Clone, Debug)]
pub struct MatchSettings {
    /// The rules; `first` is who moves first in the first round.
    pub rules: Rules,
    /// Games to play, rounded up to whole rounds.
    pub games: u32,
    /// Random moves at the start of each game.
    pub opening: u32,
    /// Makes the openings and random players repeatable.
    pub seed: u64,
    /// Games at a time.
    pub concurrency: usize,
    /// Overrun of the time for a move that is forgiven.
    pub margin: Duration,
    /// How long a player without a time limit may take.
    pub patience: Duration,
}

/// A finished game.
#[derive(Clone, Debug, Serialize)]
pub struct Game {
    /// Number, from 0.
    pub number: u32,
    /// The rules that it was played by ([`crate::record::yonin`]). A game without a
    /// move limit that was broken off has the one that ended it.
    pub options: serde_json::Map<String, serde_json::Value>,
    /// Who sat where, from South clockwise, as numbers of the configurations.
    pub seats: [usize; 4],
    /// The position it began from.
    pub start: String,
    /// The moves.
    pub moves: Vec<String>,
    /// The last position.
    pub end: String,
    /// Why it ended: `mates`, `repetition`, `limit`.
    pub reason: &'static str,
    /// The places from South clockwise; none for a draw in pairs.
    pub places: Option<[u8; 4]>,
    /// Points from South clockwise.
    pub points: [f64; 4],
    /// Faults from South clockwise.
    pub faults: [u32; 4],
    /// Each fault: the seat, what it was, and before which move, counted from 1.
    pub faulty: Vec<String>,
    /// The longest time for a move in ms, from South clockwise.
    pub slowest: [u64; 4],
}

/// One configuration's result.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Score {
    /// Its name.
    pub name: String,
    /// Seats that it had, over all games.
    pub seats: u32,
    /// Points a seat.
    pub points: f64,
    /// Half of the 95 % interval of `points`.
    pub error: f64,
    /// How often it had each place.
    pub places: [u32; 4],
    /// Share of seats with first place, shared ones included.
    pub first: f64,
    /// Half of the 95 % interval of `first`.
    pub first_error: f64,
    /// Faults.
    pub faults: u32,
    /// The longest time for a move, ms.
    pub slowest: u64,
}

/// A match's result.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Games played.
    pub games: u32,
    /// Moves a game.
    pub moves: f64,
    /// How often games ended for which reason.
    pub reasons: BTreeMap<&'static str, u32>,
    /// The configurations' results.
    pub scores: Vec<Score>,
}

/// All different ways to seat the players. In pairs partners stay together.
pub fn arrangements(players: [usize; 4], format: Format) -> Vec<[usize; 4]> {
    let mut found: Vec<[usize; 4]> = Vec::new();
    let mut add = |seats: [usize; 4]| {
        if !found.contains(&seats) {
            found.push(seats);
        }
    };
    let [a, b, c, d] = players;
    if format == Format::Pairs {
        // Players 1 and 3 are partners, as on the seats.
        for [a, b, c, d] in [[a, b, c, d], [c, d, a, b]] {
            for turn in 0..2 {
                add(if turn == 0 {
                    [a, b, c, d]
                } else {
                    [b, a, d, c]
                });
            }
        }
        return found;
    }
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                if i != j && i != k && j != k {
                    let l = 6 - i - j - k;
                    add([players[i], players[j], players[k], players[l]]);
                }
            }
        }
    }
    found
}

/// The four players of a match between two to four configurations: with two in
/// singles one against three of the other, in pairs team against team; with three
/// the last one sits twice.
pub fn four_of(configurations: usize, format: Format) -> [usize; 4] {
    match (configurations, format) {
        (4, _) => [0, 1, 2, 3],
        (3, _) => [0, 1, 2, 2],
        (_, Format::Pairs) => [0, 1, 0, 1],
        _ => [0, 1, 1, 1],
    }
}

/// A match that is running.
pub struct Match<'a> {
    /// The configurations, each with its limits.
    pub engines: &'a [EngineConfig],
    /// Who takes part, as numbers of configurations.
    pub players: [usize; 4],
    /// What is played.
    pub settings: &'a MatchSettings,
}

impl Match<'_> {
    /// Plays all games; `observe` gets each as it ends.
    ///
    /// # Errors
    ///
    /// When a player cannot be had.
    pub fn run(
        &self,
        stop: &AtomicBool,
        observe: &(dyn Fn(&Game, &Summary) + Sync),
    ) -> Result<Summary, PlayerError> {
        let arrangements = arrangements(self.players, self.settings.rules.format);
        let round = arrangements.len() as u32;
        let games = self.settings.games.div_ceil(round) * round;
        let next = AtomicU32::new(0);
        let done: Mutex<Vec<Game>> = Mutex::new(Vec::new());
        let failure: Mutex<Option<PlayerError>> = Mutex::new(None);
        std::thread::scope(|scope| {
            for _ in 0..self.settings.concurrency.max(1) {
                scope.spawn(|| {
                    let mut table = match self.seat_players(stop) {
                        Ok(table) => table,
                        Err(error) => {
                            stop.store(true, Ordering::Relaxed);
                            *lock(&failure) = Some(error);
                            return;
                        }
                    };
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= games || stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let seats = arrangements[(number % round) as usize];
                        let Some(game) = self.play(number, round, seats, &mut table, stop) else {
                            return;
                        };
                        let mut done = lock(&done);
                        done.push(game);
                        let summary = self.summary(&done, round);
                        if let Some(game) = done.last() {
                            observe(game, &summary);
                        }
                    }
                });
            }
        });
        if let Some(error) = lock(&failure).take() {
            return Err(error);
        }
        let done = lock(&done);
        Ok(self.summary(&done, round))
    }

    /// One player for each of the four, so that two seats of one configuration
    /// share nothing.
    fn seat_players(&self, stop: &AtomicBool) -> Result<Vec<Seated>, PlayerError> {
        self.players
            .iter()
            .enumerate()
            .map(|(i, &number)| {
                let config = &self.engines[number];
                let seed = self.settings.seed.wrapping_add(i as u64);
                let rules = &self.settings.rules;
                Ok(Seated {
                    number,
                    limits: config.limits,
                    player: player(config, config.limits, rules, seed, stop)?,
                })
            })
            .collect()
    }

    /// Plays one game; nothing when the match was stopped.
    fn play(
        &self,
        number: u32,
        round: u32,
        seats: [usize; 4],
        table: &mut [Seated],
        stop: &AtomicBool,
    ) -> Option<Game> {
        let settings = self.settings;
        let turn = (number / round) as usize;
        let rules = Rules {
            first: settings.rules.first.clockwise(turn),
            ..settings.rules
        };
        let mut position = opening(&rules, settings.opening, settings.seed, turn as u64);
        let start = position.yfen();
        let order = seat_order(seats, table);
        for &i in &order {
            table[i].player.new_game(stop);
        }
        let mut clocks = order.map(|i| Clock::new(table[i].limits));
        let mut stand_in: [Option<Box<dyn Player>>; 4] = [const { None }; 4];
        let mut moves: Vec<String> = Vec::new();
        let mut faults = [0; 4];
        let mut faulty = Vec::new();
        let mut slowest = [0; 4];
        let mut played_by = rules;
        let outcome = loop {
            if let Some(outcome) = position.outcome() {
                break outcome;
            }
            if rules.limit == 0 && moves.len() as u32 >= MAX_MOVES {
                played_by.limit = position.board().ply() - 1;
                break Outcome {
                    reason: crate::yonin::EndReason::Limit,
                    places: (rules.format == Format::Singles).then(|| position.board().places()),
                };
            }
            let seat = position.turn();
            let s = seat.index();
            let line = format!("position yfen {start} moves {}", moves.join(" "));
            let allowance = clocks[s].allowance().unwrap_or(settings.patience) + settings.margin;
            let question = Question {
                position: &position,
                line: line.trim_end_matches(" moves "),
                go: &go_line(&clocks, seat),
                allowance,
                stop,
            };
            let player = match &mut stand_in[s] {
                Some(player) => player,
                None => &mut table[order[s]].player,
            };
            let mut answer = player.choose(&question);
            if let Ok((_, time)) = answer
                && stand_in[s].is_none()
                && time > allowance
            {
                answer = Err(Fault::Late);
            }
            let (m, time) = match answer {
                Ok(answer) => answer,
                Err(Fault::Stopped) => return None,
                Err(fault) => {
                    faults[s] += 1;
                    faulty.push(format!("{seat}: {fault}, move {}", moves.len() + 1));
                    let player = stand_in[s].insert(substitute());
                    // The substitute knows the rules.
                    player.choose(&question).ok()?
                }
            };
            clocks[s].spend(time);
            slowest[s] = slowest[s].max(time.as_millis() as u64);
            moves.push(m.to_string());
            position.make(m);
        };
        Some(Game {
            number,
            options: options(&played_by),
            seats,
            start,
            end: position.yfen(),
            moves,
            reason: outcome.reason.name(),
            places: outcome.places.map(|places| places.0),
            points: Seat::ALL.map(|seat| outcome.points(seat)),
            faults,
            faulty,
            slowest,
        })
    }

    fn summary(&self, games: &[Game], round: u32) -> Summary {
        let mut scores: Vec<Score> = self
            .engines
            .iter()
            .map(|engine| Score {
                name: engine.name.clone(),
                ..Score::default()
            })
            .collect();
        let mut reasons = BTreeMap::new();
        // Sums of points and first places, and seats, by round and engine.
        let mut rounds: BTreeMap<u32, Vec<(f64, f64, f64)>> = BTreeMap::new();
        let mut moves = 0;
        for game in games {
            *reasons.entry(game.reason).or_default() += 1;
            moves += game.moves.len();
            let sums = rounds
                .entry(game.number / round)
                .or_insert_with(|| vec![(0.0, 0.0, 0.0); scores.len()]);
            for (s, &engine) in game.seats.iter().enumerate() {
                let score = &mut scores[engine];
                score.seats += 1;
                score.points += game.points[s];
                score.faults += game.faults[s];
                score.slowest = score.slowest.max(game.slowest[s]);
                let place = game.places.map(|places| places[s]);
                if let Some(place) = place {
                    score.places[usize::from(place - 1) % 4] += 1;
                }
                sums[engine].0 += game.points[s];
                sums[engine].1 += f64::from(u8::from(place == Some(1)));
                sums[engine].2 += 1.0;
            }
        }
        for (engine, score) in scores.iter_mut().enumerate() {
            let seats = f64::from(score.seats.max(1));
            score.points /= seats;
            score.first = f64::from(score.places[0]) / seats;
            let means = |pick: fn(&(f64, f64, f64)) -> f64| -> Vec<f64> {
                rounds
                    .values()
                    .map(|sums| &sums[engine])
                    .filter(|sums| sums.2 > 0.0)
                    .map(|sums| pick(sums) / sums.2)
                    .collect()
            };
            score.error = half_interval(&means(|sums| sums.0));
            score.first_error = half_interval(&means(|sums| sums.1));
        }
        Summary {
            games: games.len() as u32,
            moves: moves as f64 / (games.len().max(1)) as f64,
            reasons,
            scores,
        }
    }
}

/// A player with its configuration.
struct Seated {
    number: usize,
    limits: Limits,
    player: Box<dyn Player>,
}

/// Which of the players at the table sits on which seat.
fn seat_order(seats: [usize; 4], table: &[Seated]) -> [usize; 4] {
    let mut taken = [false; 4];
    seats.map(|engine| {
        let free = (0..table.len()).find(|&i| !taken[i] && table[i].number == engine);
        let i = free.unwrap_or(0);
        taken[i] = true;
        i
    })
}

/// Half of the 95 % interval of the mean of these values.
fn half_interval(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    if n < 2.0 {
        return f64::NAN;
    }
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
    1.96 * (variance / n).sqrt()
}

/// The start of a game: random moves after which nobody is in check or mated.
fn opening(rules: &Rules, plies: u32, seed: u64, number: u64) -> Position {
    let mut random = Random::nth(seed, number);
    loop {
        let mut position = Position::start(rules);
        for _ in 0..plies {
            let moves: Vec<Move> = position.legal_moves().into_iter().collect();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
        }
        let board = position.board();
        let quiet = Seat::ALL
            .iter()
            .all(|&seat| board.checkers(seat).is_empty());
        if quiet && board.mates().is_empty() && position.outcome().is_none() {
            // The engines hear of it as a position, so the history begins here.
            let text = position.yfen();
            return Position::from_yfen(&text, rules).unwrap_or(position);
        }
    }
}

/// The `go` line for the player to move: per-seat clocks where he has one.
fn go_line(clocks: &[Clock; 4], seat: Seat) -> String {
    let mut line = "go".to_owned();
    let limits = clocks[seat.index()].limits();
    if limits.has_clock() {
        let mut word = |name: String, ms: u128| line.push_str(&format!(" {name} {ms}"));
        for other in Seat::ALL {
            let clock = &clocks[other.index()];
            word(format!("{other}time"), clock.left_ms());
        }
        if limits.inc.is_some() {
            for other in Seat::ALL {
                let inc = clocks[other.index()].limits().inc.unwrap_or(0);
                word(format!("{other}inc"), inc.into());
            }
        }
        if let Some(byoyomi) = limits.byoyomi {
            word("byoyomi".to_owned(), byoyomi.into());
        }
    }
    for (name, value) in [
        ("movetime", limits.movetime),
        ("nodes", limits.nodes),
        ("depth", limits.depth.map(u64::from)),
    ] {
        if let Some(value) = value {
            line.push_str(&format!(" {name} {value}"));
        }
    }
    line
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arrangement_is_there_once() {
        assert_eq!(arrangements([0, 1, 2, 3], Format::Singles).len(), 24);
        assert_eq!(arrangements([0, 1, 2, 2], Format::Singles).len(), 12);
        assert_eq!(arrangements([0, 1, 1, 1], Format::Singles).len(), 4);
        assert_eq!(
            arrangements([0, 1, 0, 1], Format::Pairs),
            [[0, 1, 0, 1], [1, 0, 1, 0]]
        );
        assert_eq!(arrangements([0, 1, 2, 3], Format::Pairs).len(), 4);
    }

    #[test]
    fn greedy_beats_random_and_points_add_up() {
        let engine = |name: &str| EngineConfig {
            name: name.to_owned(),
            ..EngineConfig::from_program(&format!("builtin:{name}"))
        };
        let engines = [engine("greedy"), engine("random")];
        let settings = MatchSettings {
            rules: Rules::default(),
            games: 8,
            opening: 4,
            seed: 3,
            concurrency: 1,
            margin: Duration::from_secs(1),
            patience: Duration::from_secs(10),
        };
        let game = Match {
            engines: &engines,
            players: four_of(2, Format::Singles),
            settings: &settings,
        };
        let seen = AtomicU32::new(0);
        let summary = game
            .run(&AtomicBool::new(false), &|game, _| {
                seen.fetch_add(1, Ordering::Relaxed);
                assert_eq!(game.points.iter().sum::<f64>(), 6.0);
                assert_eq!(game.faults, [0; 4]);
            })
            .unwrap();
        assert_eq!((summary.games, seen.into_inner()), (8, 8));
        assert!(summary.scores[0].points > summary.scores[1].points);
        assert_eq!(summary.scores[0].seats * 3, summary.scores[1].seats);
    }
}
