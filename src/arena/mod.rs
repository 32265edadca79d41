//! Matches between engines: `tsuru match`.
//!
//! * [`config`] says which engines play, [`limits`] what they may spend;
//! * [`engine`] is an engine as a child process, spoken to in USI;
//! * [`play`] plays one game; [`referee`] is what it asks of the rules, and
//!   [`adjudicate`] may end it early;
//! * [`openings`] are the positions games begin with;
//! * [`tally`] is the table, [`stats`] what it says about strength;
//! * [`spsa`] tunes parameters by games of an engine against itself;
//! * [`journal`] is the state on disk, [`files`] are the records.
//!
//! A match consists of pairs of games: one opening, both colours. Game `2k` has
//! the first engine as Black, game `2k + 1` as White. Each of a number of workers
//! has its own two engine processes and takes the next game that nobody has taken.
//! Games are *counted* in the order of their numbers, whatever order they finish
//! in: a match of deterministic engines gives the same table every time, and a
//! sequential test ends it at the same pair.

pub mod adjudicate;
pub mod config;
pub mod engine;
pub mod files;
pub mod journal;
pub mod limits;
pub mod openings;
pub mod play;
pub mod referee;
pub mod spsa;
pub mod stats;
pub mod tally;
pub mod yonin;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use config::EngineConfig;
use engine::{Engine, EngineError};
use journal::{Journal, JournalError};
use openings::Opening;
use play::{Played, Player, Settings};
use referee::Referee;
use stats::{Decision, Sprt};
use tally::{Fault, Summary, Tally, color_of_first};

use crate::core::Color;
use crate::record::{Ending, GameRecord};

/// How often the request to stop is looked at.
const POLL: Duration = Duration::from_millis(50);

/// A match to be played.
pub struct Match<G: Referee> {
    /// The two engines; all results are the first one's.
    pub engines: [EngineConfig; 2],
    /// The rules.
    pub rules: G::Rules,
    /// The openings in the order in which they are played; when they are used up
    /// they are played again. At least one.
    pub openings: Vec<Opening>,
    /// How many pairs of games.
    pub pairs: usize,
    /// How many games at a time.
    pub concurrency: usize,
    /// How games are refereed.
    pub settings: Settings,
    /// End the match when this test does.
    pub sprt: Option<Sprt>,
}

/// Why a match ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// An engine cannot play at all.
    #[error("engine {0}")]
    Engine(String, #[source] EngineError),
    /// The state cannot be stored.
    #[error("cannot keep the state of the match")]
    Journal(#[from] JournalError),
    /// The records cannot be written.
    #[error("cannot write the games")]
    Records(#[source] io::Error),
    /// An opening is not playable.
    #[error("the opening `{0}` cannot be played: {1}")]
    Opening(String, String),
}

/// Who wants to know how the match goes.
pub trait Observer {
    /// A game was counted. Games come in the order of their numbers, except after
    /// an interruption the last ones.
    fn game(&mut self, number: usize, record: &GameRecord) -> io::Result<()>;

    /// The table after it.
    fn table(&mut self, summary: &Summary);

    /// An engine said, while it got ready, what its user should know; the same words
    /// come once.
    fn warning(&mut self, engine: &str, text: &str);
}

/// What a worker tells.
enum Report {
    Game(usize, Box<Played>),
    Fault(usize, Fault),
    Warning(usize, String),
    Failed(MatchError),
}

impl<G: Referee> Match<G> {
    /// What has to be the same for a match to be resumed, as a JSON object.
    pub fn description(&self) -> serde_json::Value {
        let rules: BTreeMap<_, _> = G::settings(&self.rules).into_iter().collect();
        serde_json::json!({
            "engines": self.engines,
            "rules": rules,
            "openings": self.openings.len(),
            "openings_hash": openings::fingerprint(&self.openings),
            "margin_ms": self.settings.margin.as_millis() as u64,
            "patience_ms": self.settings.patience.as_millis() as u64,
            "adjudication": self.settings.adjudication,
        })
    }

    /// Games of the whole match.
    pub fn games(&self) -> usize {
        2 * self.pairs
    }

    /// Plays the match, or the rest of it when a journal brings finished games.
    /// When `stop` is set, running games are given up and the table of the
    /// finished ones is returned.
    pub fn run(
        &self,
        mut journal: Option<Journal>,
        mut finished: BTreeMap<usize, Played>,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<Summary, MatchError> {
        finished.retain(|&game, _| game < self.games());
        let todo: Vec<usize> = (0..self.games())
            .filter(|game| !finished.contains_key(game))
            .collect();
        let mut count = Count {
            tally: Tally::default(),
            waiting: finished,
            next: 0,
            decided: false,
        };
        self.count(&mut count, observer)?;
        if !todo.is_empty() && !count.decided {
            let halt = AtomicBool::new(false);
            let taken = AtomicUsize::new(0);
            thread::scope(|scope| {
                let (sender, reports) = channel();
                for _ in 0..self.concurrency.min(todo.len()) {
                    let (todo, taken, halt) = (&todo, &taken, &halt);
                    let sender = sender.clone();
                    scope.spawn(move || self.work(todo, taken, &sender, halt));
                }
                drop(sender);
                let result = self.collect(&reports, &mut count, &mut journal, stop, observer);
                halt.store(true, Ordering::Relaxed);
                result
            })?;
        }
        let interrupted = !count.decided && count.next + count.waiting.len() < self.games();
        if !count.decided {
            for (game, played) in std::mem::take(&mut count.waiting) {
                count.tally.add(game, &played);
                observer
                    .game(game, &played.record)
                    .map_err(MatchError::Records)?;
            }
        }
        Ok(self.summary(&count.tally, interrupted))
    }

    /// Takes the workers' reports until they have ended or the match has.
    fn collect(
        &self,
        reports: &Receiver<Report>,
        count: &mut Count,
        journal: &mut Option<Journal>,
        stop: &AtomicBool,
        observer: &mut dyn Observer,
    ) -> Result<(), MatchError> {
        let mut told = HashSet::new();
        while !stop.load(Ordering::Relaxed) && !count.decided {
            match reports.recv_timeout(POLL) {
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
                Ok(Report::Failed(error)) => return Err(error),
                Ok(Report::Fault(engine, fault)) => count.tally.add_fault(engine, fault),
                Ok(Report::Warning(engine, text)) => {
                    if told.insert((engine, text.clone())) {
                        observer.warning(&self.engines[engine].name, &text);
                    }
                }
                Ok(Report::Game(game, played)) => {
                    if let Some(journal) = journal {
                        journal.add(game, &played)?;
                    }
                    count.waiting.insert(game, *played);
                    self.count(count, observer)?;
                }
            }
        }
        Ok(())
    }

    fn summary(&self, tally: &Tally, interrupted: bool) -> Summary {
        let names = [0, 1].map(|index| self.engines[index].name.as_str());
        tally.summary(names, self.games(), self.sprt, interrupted)
    }

    /// Counts the games whose turn has come.
    fn count(&self, count: &mut Count, observer: &mut dyn Observer) -> Result<(), MatchError> {
        let before = count.next;
        while !count.decided
            && let Some(played) = count.waiting.remove(&count.next)
        {
            count.tally.add(count.next, &played);
            observer
                .game(count.next, &played.record)
                .map_err(MatchError::Records)?;
            count.next += 1;
            let pair_complete = count.next.is_multiple_of(2);
            count.decided = pair_complete
                && self
                    .sprt
                    .is_some_and(|sprt| sprt.decide(count.tally.pairs()) != Decision::Continue);
        }
        if count.next > before {
            observer.table(&self.summary(&count.tally, false));
        }
        Ok(())
    }

    /// Plays games until there is none left.
    fn work(
        &self,
        todo: &[usize],
        taken: &AtomicUsize,
        reports: &Sender<Report>,
        halt: &AtomicBool,
    ) {
        let mut engines = [None, None];
        while !halt.load(Ordering::Relaxed)
            && let Some(&game) = todo.get(taken.fetch_add(1, Ordering::Relaxed))
        {
            let report = match self.play_game(game, &mut engines, reports, halt) {
                Ok(Some(played)) => Report::Game(game, Box::new(played)),
                Ok(None) => break,
                Err(MatchError::Engine(_, EngineError::Stopped)) => break,
                Err(error) => Report::Failed(error),
            };
            if reports.send(report).is_err() {
                break;
            }
        }
    }

    fn play_game(
        &self,
        game: usize,
        engines: &mut [Option<Engine>; 2],
        reports: &Sender<Report>,
        halt: &AtomicBool,
    ) -> Result<Option<Played>, MatchError> {
        let opening = &self.openings[game / 2 % self.openings.len()];
        let position: G = opening
            .position(&self.rules)
            .map_err(|error| MatchError::Opening(opening.to_string(), error))?;
        let [first, second] = engines;
        let player = |index: usize, slot| -> Result<Player<'_>, MatchError> {
            let config = &self.engines[index];
            Ok(Player {
                engine: self.ready(index, slot, reports, halt)?,
                name: &config.name,
                limits: config.limits,
            })
        };
        let mut players = [player(0, first)?, player(1, second)?];
        let black = color_of_first(game);
        if black == Color::White {
            players.swap(0, 1);
        }
        let played = play::play(&mut players, opening, position, &self.settings, halt);
        if let Some(played) = &played
            && matches!(played.record.ending, Ending::Crash | Ending::NoAnswer)
            && let Some(winner) = played.record.result.winner()
        {
            // The fault is counted with the game: the engine is just replaced.
            engines[usize::from(winner == black)] = None;
        }
        Ok(played)
    }

    /// The engine, ready for a new game; started again when it has died since its
    /// last one.
    fn ready<'a>(
        &self,
        index: usize,
        slot: &'a mut Option<Engine>,
        reports: &Sender<Report>,
        halt: &AtomicBool,
    ) -> Result<&'a mut Engine, MatchError> {
        let config = &self.engines[index];
        let error = |error| MatchError::Engine(config.name.clone(), error);
        if let Some(mut engine) = slot.take() {
            match engine.new_game(halt) {
                Ok(()) => return Ok(slot.insert(engine)),
                Err(EngineError::Stopped) => return Err(error(EngineError::Stopped)),
                Err(EngineError::NoAnswer(..)) => {
                    engine.kill();
                    let _ = reports.send(Report::Fault(index, Fault::Hang));
                }
                Err(_) => {
                    let _ = reports.send(Report::Fault(index, Fault::Crash));
                }
            }
        }
        let mut engine = Engine::start(config, &G::settings(&self.rules), halt).map_err(error)?;
        engine.new_game(halt).map_err(error)?;
        for text in engine.take_warnings() {
            let _ = reports.send(Report::Warning(index, text));
        }
        Ok(slot.insert(engine))
    }
}

/// Games that are counted, and those that wait for their turn.
struct Count {
    tally: Tally,
    waiting: BTreeMap<usize, Played>,
    /// The next game to be counted.
    next: usize,
    /// The sequential test has ended.
    decided: bool,
}
