//! One game between two engines: the referee's loop.
//!
//! The game is ours: engines are told the position and asked for a move, which is
//! checked by the rules before anything else happens. An engine loses by an
//! illegal move, by a declaration that does not hold, by using more than its
//! time, by not answering, and by ending. A late answer is waited for a little,
//! to tell an overrun from a hang, and so that the engine can go on in the next
//! game.

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::adjudicate::{Adjudication, Adjudicator};
use super::engine::{Answer, Engine};
use super::limits::{Clock, Limits, go_line};
use super::openings::Opening;
use super::referee::Referee;
use crate::core::Color;
use crate::game::GameEnd;
use crate::record::{Ending, GameRecord, GameResult, PlayedMove, Thought};
use crate::yonin::EndReason;

/// How long a late answer is waited for after `stop`.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How a game is refereed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What a game was part of, for records.
    pub event: String,
    /// Overrun of the time for a move that is forgiven.
    pub margin: Duration,
    /// How long an engine without a time limit may take for a move.
    pub patience: Duration,
    /// Ending games early.
    pub adjudication: Adjudication,
}

/// A player: its engine, name and limits.
pub struct Player<'a> {
    /// The running engine.
    pub engine: &'a mut Engine,
    /// Its name.
    pub name: &'a str,
    /// What it may spend.
    pub limits: Limits,
}

/// Result and ending, and a note about them.
type Verdict = (GameResult, Ending, String);

/// A finished game, and what its record has no place for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Played {
    /// The game.
    pub record: GameRecord,
    /// For Black and White, how often an answer came unasked.
    pub unasked: [u64; 2],
    /// After a time forfeit, by how many microseconds the loser was late.
    pub late_us: Option<u64>,
}

/// The ending of a game that ended by its rules.
fn by_rules(end: GameEnd) -> (GameResult, Ending) {
    let ending = match end {
        GameEnd::Checkmate { .. } => Ending::Checkmate,
        GameEnd::NoLegalMove { .. } => Ending::NoLegalMove,
        GameEnd::Sennichite => Ending::Sennichite,
        GameEnd::PerpetualCheck { .. } => Ending::PerpetualCheck,
        GameEnd::Try { .. } => Ending::Try,
        GameEnd::KingCaptured { .. } => Ending::KingCaptured,
        GameEnd::BareKings => Ending::BareKings,
        GameEnd::MoveLimit => Ending::MoveLimit,
        GameEnd::Ranked(outcome) => match outcome.reason {
            EndReason::Mates => Ending::Checkmate,
            EndReason::Repetition => Ending::Sennichite,
            EndReason::Limit => Ending::MoveLimit,
        },
    };
    (GameResult::from_winner(end.winner()), ending)
}

/// Plays a game; `players` are Black and White, both ready for a new game.
/// `None` when the match was stopped before the game ended. An engine that does
/// not answer is killed: the caller has to see whether it is still alive.
pub fn play<G: Referee>(
    players: &mut [Player<'_>; 2],
    opening: &Opening,
    mut position: G,
    settings: &Settings,
    stop: &AtomicBool,
) -> Option<Played> {
    let mut game = Progress {
        clocks: [0, 1].map(|i| Clock::new(players[i].limits)),
        words: position_line(opening),
        moves: opening
            .moves
            .iter()
            .map(|usi| PlayedMove {
                usi: usi.clone(),
                ..PlayedMove::default()
            })
            .collect(),
        unasked: [0; 2],
        late_us: None,
    };
    let started = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |time| time.as_secs());
    let mut adjudicator = Adjudicator::new(settings.adjudication);
    let (result, ending, note) = loop {
        let mover = position.side_to_move();
        let player = &mut players[mover.index()];
        let (text, thought) = match game.ask(player, mover, &position, settings, stop)? {
            Ok(answer) => answer,
            Err(verdict) => break verdict,
        };
        match position.parse_move(&text) {
            Ok(m) => {
                // In our words, whatever the engine's dialect.
                game.accept(m.to_string());
                position.make(m);
            }
            Err(error) => {
                let note = format!("{text}: {error}");
                break (GameResult::win(!mover), Ending::IllegalMove, note);
            }
        }
        let score = thought.as_ref().map(|thought| thought.score);
        if let Some(played) = game.moves.last_mut() {
            played.thought = thought;
        }
        if let Some(end) = position.end() {
            let (result, ending) = by_rules(end);
            break (result, ending, String::new());
        }
        if let Some((result, ending)) = adjudicator.update(score, &position) {
            break (result, ending, String::new());
        }
    };
    if matches!(ending, Ending::IllegalMove) {
        // It was noted with its time, but it is no move of the game.
        game.moves.pop();
    }
    for (player, color) in players.iter_mut().zip(Color::ALL) {
        let word = match result.winner() {
            None => "draw",
            Some(winner) if winner == color => "win",
            Some(_) => "lose",
        };
        player.engine.send(&format!("gameover {word}"));
    }
    let [black, white] = [0, 1].map(|i| players[i].name.to_string());
    Some(Played {
        record: GameRecord {
            event: settings.event.clone(),
            black,
            white,
            started,
            start: opening.sfen.clone(),
            moves: game.moves,
            result,
            ending,
            note,
        },
        unasked: game.unasked,
        late_us: game.late_us,
    })
}

/// The `position` line at the start of the game; moves are appended to it.
fn position_line(opening: &Opening) -> String {
    let mut line = format!("position {opening}");
    if opening.moves.is_empty() {
        line.push_str(" moves");
    }
    line
}

/// A game being played.
struct Progress {
    clocks: [Clock; 2],
    /// The `position` line.
    words: String,
    moves: Vec<PlayedMove>,
    unasked: [u64; 2],
    late_us: Option<u64>,
}

fn micros(time: Duration) -> u64 {
    time.as_micros().try_into().unwrap_or(u64::MAX)
}

impl Progress {
    /// The last move is legal, and this is how it is written.
    fn accept(&mut self, usi: String) {
        self.words.push(' ');
        self.words.push_str(&usi);
        if let Some(played) = self.moves.last_mut() {
            played.usi = usi;
        }
    }

    /// Asks for a move: its text and what the engine thought, or how the game
    /// ended instead. `None` when the match was stopped.
    fn ask(
        &mut self,
        player: &mut Player<'_>,
        mover: Color,
        position: &impl Referee,
        settings: &Settings,
        stop: &AtomicBool,
    ) -> Option<Result<(String, Option<Thought>), Verdict>> {
        let lost = |ending, note: String| Some(Err((GameResult::win(!mover), ending, note)));
        let engine = &mut *player.engine;
        if engine.drain() {
            self.unasked[mover.index()] += 1;
        }
        let allowance = self.clocks[mover.index()].allowance();
        let go = go_line(&self.clocks, mover);
        let begun = engine.go(self.words.trim_end_matches(" moves"), &go);
        let limit = allowance.map(|allowance| allowance + settings.margin);
        let deadline = begun + limit.unwrap_or(settings.patience);
        let mut answer = engine.await_bestmove(begun, deadline, stop);
        if matches!(answer, Answer::Deadline) {
            engine.send("stop");
            answer = engine.await_bestmove(begun, Instant::now() + STOP_GRACE, stop);
        }
        let (words, elapsed, thought) = match answer {
            Answer::BestMove {
                words,
                elapsed,
                thought,
            } => (words, elapsed, thought),
            Answer::Stopped => return None,
            Answer::Ended => {
                engine.kill();
                return lost(Ending::Crash, "the process ended".to_string());
            }
            Answer::Deadline => {
                engine.kill();
                let note = format!("no answer in {} ms", begun.elapsed().as_millis());
                return lost(Ending::NoAnswer, note);
            }
        };
        match (allowance, limit) {
            (Some(allowance), Some(limit)) if elapsed > limit => {
                let note = format!(
                    "{:.1} ms used of {} ms",
                    elapsed.as_secs_f64() * 1e3,
                    allowance.as_millis()
                );
                self.late_us = Some(micros(elapsed - allowance));
                return lost(Ending::TimeForfeit, note);
            }
            (None, _) if elapsed > settings.patience => {
                let note = format!("no answer in {} ms", settings.patience.as_millis());
                return lost(Ending::NoAnswer, note);
            }
            _ => self.clocks[mover.index()].spend(elapsed),
        }
        let Some(word) = words.into_iter().next() else {
            return lost(Ending::Protocol, "bestmove without a move".to_string());
        };
        match word.as_str() {
            "resign" => lost(Ending::Resignation, String::new()),
            "win" => {
                let (result, ending) = position.declare();
                Some(Err((result, ending, String::new())))
            }
            _ => {
                self.moves.push(PlayedMove {
                    usi: word.clone(),
                    time_us: Some(micros(elapsed)),
                    limit_us: allowance.map(micros),
                    thought: None,
                });
                Some(Ok((word, thought)))
            }
        }
    }
}
