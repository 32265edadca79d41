//! The state machine of the protocol.
//!
//! [`Session::execute`] obeys one command after the other. What a command means
//! depends on whether a search runs, ponders, or solves a mate. Its rules, which
//! GUIs rely on:
//!
//! * one `go` has one answer, always; a `stop`, `gameover`, `usinewgame` or new
//!   `go` fetches the one that is owed, and a `stop` without a search is silent;
//! * nothing answers `go ponder` or `go infinite` but `stop` and `ponderhit`;
//! * `setoption` and `position` during a search wait until it is over, in their
//!   order; `isready` is answered at once and disturbs nothing.
//!
//! With `Stochastic_Ponder`, `go ponder` searches the position *before* the move
//! that the GUI predicted, so that the table knows all the opponent's choices; the
//! hit restarts on the real position (YaneuraOu's documentation,
//! "Stochastic Ponder"). The GUI sees nothing of the first search.
//!
//! A move from the book answers a `go` without a search, unless it is to analyse:
//! `infinite`, `searchmoves` and `ConsiderationMode` want the engine's own opinion.

use std::sync::Arc;
use std::time::Instant;

use super::Busy;
use super::driver::{Driver, is_same_game, new_driver, shogi_rules};
use super::evaluation::EvaluationChoice;
use super::options::{Id, Options, RuleOptions, printable};
use super::output::{Output, SearchSink};
use super::parse::{Command, Go};
use super::shelf::{self, Shelf};
use crate::bench;
use crate::book::choose::Choice;
use crate::core::Color;
use crate::core::score::Usi;
use crate::search::info::Reporter;
use crate::search::limits::Clock;
#[cfg(feature = "tune")]
use crate::search::tunable;
use crate::shogi::Position;

/// Byoyomi assumed when a ponder hit comes without any clock ever known, ms.
const UNKNOWN_CLOCK_BYOYOMI: i64 = 1000;

/// Whether the session goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Next command, please.
    Continue,
    /// `quit`.
    Quit,
}

/// Which files are no longer those that were read.
#[derive(Clone, Copy, Default)]
struct Stale {
    book: bool,
    evaluation: bool,
}

/// The search that owes an answer.
struct Running {
    go: Go,
    sink: Arc<SearchSink>,
    pondering: bool,
    /// The search is on the position before the predicted move, and mute.
    stochastic: bool,
    /// There is no search but an answer from the book, which waits.
    book: Option<String>,
}

/// The clock that the GUI told last, kept up to date with what we used since: a
/// bare `ponderhit` does not tell it.
#[derive(Default)]
struct KnownClock {
    clock: Option<Clock>,
    /// Since when our clock is running, and whose it is.
    running: Option<(Instant, Color)>,
}

impl KnownClock {
    fn start(&mut self, clock: Option<Clock>, since: Instant, side: Color) {
        self.clock = clock.or(self.clock);
        self.running = Some((since, side));
    }

    fn stop(&mut self, now: Instant) {
        let (Some(clock), Some((since, side))) = (&mut self.clock, self.running.take()) else {
            return;
        };
        let used = now.saturating_duration_since(since).as_millis() as i64;
        let side = side.index();
        clock.time[side] = (clock.time[side] + clock.increment[side] - used).max(0);
    }

    fn get(&self) -> Clock {
        self.clock.unwrap_or(Clock {
            byoyomi: UNKNOWN_CLOCK_BYOYOMI,
            ..Clock::default()
        })
    }
}

/// A dialogue with one GUI.
pub struct Session {
    output: Arc<Output>,
    busy: Arc<Busy>,
    options: Options,
    /// The rules that the driver plays by.
    rules: RuleOptions,
    driver: Box<dyn Driver>,
    /// Threads and hash that the driver has.
    resources: Option<(usize, usize)>,
    evaluation: EvaluationChoice,
    shelf: Shelf,
    /// Those that `isready` has prepared the memory of.
    warm: Option<(usize, usize)>,
    running: Option<Running>,
    /// `setoption` and `position` lines that came during the search.
    pending: Vec<Command>,
    clock: KnownClock,
}

impl Session {
    /// A session that answers through `output`, in the initial position. Slow
    /// work is announced to `busy`.
    pub fn new(output: Arc<Output>, busy: Arc<Busy>) -> Self {
        let options = Options::default();
        let rules = options.rules();
        let evaluation = EvaluationChoice::default();
        Session {
            output,
            busy,
            options,
            rules,
            driver: new_driver(rules, evaluation.evaluator()),
            evaluation,
            resources: None,
            shelf: Shelf::default(),
            warm: None,
            running: None,
            pending: Vec::new(),
            clock: KnownClock::default(),
        }
    }

    /// Obeys a command whose line was read at `read_at`.
    pub fn execute(&mut self, command: Command, read_at: Instant) -> Flow {
        self.settle();
        match command {
            Command::Empty | Command::Ignored => {}
            Command::Usi => self.identify(),
            Command::IsReady => {
                if self.running.is_none() {
                    let stale = Stale {
                        book: self.shelf.is_stale(),
                        evaluation: self.evaluation.is_stale(),
                    };
                    self.prepare(read_at, stale);
                    self.warm_up(read_at);
                }
                self.output.line("readyok");
            }
            Command::NewGame => {
                self.end_search();
                self.driver.clear();
            }
            Command::SetOption { .. } | Command::Position(_) => {
                if self.running.is_some() {
                    self.pending.push(command);
                } else {
                    self.apply(command);
                }
            }
            Command::Go(go) => self.go(go, read_at),
            Command::Stop | Command::GameOver => self.stop(),
            Command::PonderHit(clock, seats) => {
                let clock = seats.for_seat(clock, self.driver.seat());
                self.ponderhit(clock, read_at);
            }
            Command::Quit => return Flow::Quit,
            Command::Bench => self.bench(read_at),
            Command::GetOption(name) => self.output.note(&match self.options.get(&name) {
                Some((name, value)) => format!("{name} = {value}"),
                None => format!("warning: unknown option {}", printable(&name)),
            }),
            Command::Unknown(word) => {
                let word = printable(&word);
                self.output
                    .note(&format!("warning: unknown command {word}"));
            }
            Command::Moves => self.show(|driver| driver.legal_moves().join(" ")),
            Command::Side => self.show(|driver| driver.turn_name()),
            Command::Sfen => self.show(|driver| driver.sfen()),
            Command::Key => self.show(|driver| format!("{:016x}", driver.key())),
            Command::Eval => {
                if self.running.is_none() && !self.evaluation.is_current(&self.options) {
                    self.apply_rules();
                    self.slow_work(read_at, Session::apply_evaluation);
                }
                self.show(|driver| Usi(driver.evaluate()).to_string());
            }
            Command::Diagram => self.show(|driver| {
                let (diagram, sfen, key) = (driver.diagram(), driver.sfen(), driver.key());
                let notation = driver.notation();
                format!("{}\n{notation} {sfen}\nkey {key:016x}", diagram.trim_end())
            }),
        }
        Flow::Continue
    }

    /// Ends a search that still runs.
    pub fn close(&mut self) {
        self.driver.stop();
        self.driver.wait();
    }

    /// Prints what a helper word asks for. A running search is not disturbed.
    fn show(&mut self, text: impl FnOnce(&mut dyn Driver) -> String) {
        if self.running.is_none() {
            self.apply_rules();
        }
        let text = text(self.driver.as_mut());
        self.output.line(&text);
    }

    fn identify(&self) {
        self.output
            .line(concat!("id name Tsuru ", env!("CARGO_PKG_VERSION")));
        self.output.line("id author the Tsuru authors");
        for line in self.options.declarations() {
            self.output.line(&line);
        }
        #[cfg(feature = "tune")]
        for line in tunable::declarations() {
            self.output.line(&line);
        }
        self.output.line("usiok");
    }

    // Options and positions.

    /// Obeys a `setoption` or `position` line while no search runs.
    fn apply(&mut self, command: Command) {
        match command {
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position(position) => {
                self.apply_rules();
                self.notes(|driver| driver.set_position(&position));
            }
            _ => {}
        }
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        #[cfg(feature = "tune")]
        if tunable::set(name, value.unwrap_or_default()) {
            return;
        }
        let change = match self.options.set(name, value) {
            Ok(change) => change,
            Err(error) => {
                self.output.note(&format!("warning: {error}"));
                return;
            }
        };
        if let Some(note) = change.note {
            self.output.note(&format!("warning: {note}"));
        }
        match change.id {
            Id::ClearHash => self.driver.clear(),
            Id::DebugLogFile => {
                let path = self.options.string(Id::DebugLogFile);
                if let Err(error) = self.output.set_log(&path) {
                    let path = printable(&path);
                    self.output
                        .note(&format!("warning: cannot write {path}: {error}"));
                }
            }
            // The others are looked at when they are needed.
            _ => {}
        }
    }

    /// Brings the driver's rules in line with the options.
    fn apply_rules(&mut self) {
        let rules = self.options.rules();
        if rules == self.rules {
            return;
        }
        let notes = match is_same_game(&rules, &self.rules) {
            true => self.driver.set_rules(rules),
            false => self.replace_driver(rules),
        };
        self.notes(|_| notes);
        self.rules = rules;
    }

    /// Begins anew with another game or evaluation, in the same position; returns
    /// what there is to say about that position.
    fn replace_driver(&mut self, rules: RuleOptions) -> Vec<String> {
        let position = self.driver.command();
        self.driver = new_driver(rules, self.evaluation.evaluator());
        (self.resources, self.warm) = (None, None);
        self.driver.set_position(&position)
    }

    /// Brings the evaluation in line with the options, and with its file.
    fn apply_evaluation(&mut self) {
        let (changed, note) = self.evaluation.refresh(&self.options);
        if let Some(note) = note {
            self.output.note(&note);
        }
        if changed {
            // In the same game; what there was to say was said with `position`.
            self.replace_driver(self.rules);
        }
    }

    /// Threads and hash that the options ask for.
    fn wanted_resources(&self) -> (usize, usize) {
        (
            self.options.spin(Id::Threads) as usize,
            self.options.spin(Id::Hash) as usize,
        )
    }

    /// Brings threads and hash in line with the options.
    fn apply_resources(&mut self) {
        let wanted = self.wanted_resources();
        if self.resources != Some(wanted) {
            self.notes(|driver| driver.configure(wanted.0, wanted.1));
            self.resources = Some(wanted);
        }
    }

    /// Makes the driver, the evaluation and the book ready for a search; costs nothing
    /// the second time, unless a file is stale. The clock may be running already.
    fn prepare(&mut self, read_at: Instant, stale: Stale) {
        let needs_book = stale.book || !self.shelf.is_current(&self.options);
        let needs_evaluation = stale.evaluation || !self.evaluation.is_current(&self.options);
        if self.resources == Some(self.wanted_resources())
            && self.rules == self.options.rules()
            && !needs_book
            && !needs_evaluation
        {
            return;
        }
        self.slow_work(read_at, |session| {
            session.apply_rules();
            if needs_evaluation {
                session.apply_evaluation();
            }
            session.apply_resources();
            if needs_book {
                for note in session.shelf.refresh(&session.options) {
                    session.output.note(&note);
                }
            }
        });
    }

    /// Does what makes the first search faster and may take a second.
    fn warm_up(&mut self, read_at: Instant) {
        if self.warm != self.resources {
            self.slow_work(read_at, |session| session.driver.warm_up());
            self.warm = self.resources;
        }
    }

    /// Works while the GUI waits for the answer to the line read at `read_at`.
    fn slow_work(&mut self, read_at: Instant, work: impl FnOnce(&mut Self)) {
        let (output, busy) = (Arc::clone(&self.output), Arc::clone(&self.busy));
        output.keep_alive_during(|| busy.during(read_at, |_| work(self)));
    }

    fn notes(&mut self, f: impl FnOnce(&mut dyn Driver) -> Vec<String>) {
        for note in f(self.driver.as_mut()) {
            self.output.note(&note);
        }
    }

    // Searching.

    /// When a search has given its answer, obeys what had to wait for that.
    fn settle(&mut self) {
        if self
            .running
            .as_ref()
            .is_none_or(|running| running.sink.is_running())
        {
            return;
        }
        self.driver.wait();
        if let Some(running) = self.running.take() {
            let end = running.sink.finished_at().unwrap_or_else(Instant::now);
            self.clock.stop(end);
        }
        for command in std::mem::take(&mut self.pending) {
            self.apply(command);
        }
    }

    /// Fetches the answer that a running search owes, and waits for it.
    fn end_search(&mut self) {
        if self.running.is_some() {
            self.stop();
            self.driver.wait();
            self.settle();
        }
    }

    fn stop(&mut self) {
        let Some(running) = &mut self.running else {
            return;
        };
        if let Some(answer) = running.book.take() {
            running.sink.answer(&answer);
            return;
        }
        if !running.stochastic {
            self.driver.stop();
            return;
        }
        // The answer must be a move in the position that the GUI knows. It
        // throws it away, so any legal one will do.
        let go = Go {
            depth: Some(1),
            ..Go::default()
        };
        self.restart(go, Instant::now());
    }

    /// Replaces the silent search of `Stochastic_Ponder` by one on the position
    /// that the GUI knows.
    fn restart(&mut self, go: Go, since: Instant) {
        self.driver.stop();
        self.driver.wait();
        self.launch(go, since, false);
    }

    fn launch(&mut self, go: Go, since: Instant, stochastic: bool) {
        let sink = SearchSink::new(Arc::clone(&self.output), stochastic);
        let options = self.options.search();
        self.driver
            .start(&go, since, stochastic, options, Arc::clone(&sink));
        self.running = Some(Running {
            pondering: go.ponder,
            go,
            sink,
            stochastic,
            book: None,
        });
    }

    fn go(&mut self, go: Go, read_at: Instant) {
        self.end_search();
        if let Some(depth) = go.perft {
            self.perft(depth, read_at);
            return;
        }
        self.prepare(read_at, Stale::default());
        let go = Go {
            clock: go.seats.for_seat(go.clock, self.driver.seat()),
            ..go
        };
        if go.mate.is_some() {
            let sink = SearchSink::new(Arc::clone(&self.output), false);
            self.driver.start_mate(&go, read_at, Arc::clone(&sink));
            self.running = Some(Running {
                go,
                sink,
                pondering: false,
                stochastic: false,
                book: None,
            });
            return;
        }
        if go.ponder {
            // The clock is the opponent's until the hit.
            self.clock.clock = go.clock.or(self.clock.clock);
        } else {
            let side = self.driver.side_to_move();
            self.clock.start(go.clock, read_at, side);
        }
        if let Some(choice) = self.book_move(&go) {
            self.answer_from_book(go, &choice);
            return;
        }
        let stochastic =
            go.ponder && self.options.check(Id::StochasticPonder) && self.driver.can_take_back();
        self.launch(go, read_at, stochastic);
    }

    /// A move from the book, when it may answer.
    fn book_move(&self, go: &Go) -> Option<Choice> {
        let analysis = go.infinite
            || !(go.ponder || go.is_limited())
            || !go.searchmoves.is_empty()
            || self.options.check(Id::ConsiderationMode);
        if analysis || !self.options.check(Id::OwnBook) {
            return None;
        }
        let position = Position::from_sfen(&self.driver.sfen(), &shogi_rules(&self.rules)).ok()?;
        let mut options = self.options.book();
        options.ignore_ply |= !self.driver.knows_ply();
        self.shelf.choose(&position, &options)
    }

    /// Answers with a move from the book: at once, or when pondering ends.
    fn answer_from_book(&mut self, go: Go, choice: &Choice) {
        let sink = SearchSink::new(Arc::clone(&self.output), false);
        let pv_moves = self.options.book().pv_moves;
        self.output.note(&shelf::note(choice));
        sink.info(&shelf::info(choice, pv_moves));
        let mut answer = Some(shelf::answer(choice));
        if !go.ponder
            && let Some(answer) = answer.take()
        {
            sink.answer(&answer);
        }
        self.running = Some(Running {
            pondering: go.ponder,
            go,
            sink,
            stochastic: false,
            book: answer,
        });
    }

    fn ponderhit(&mut self, clock: Option<Clock>, read_at: Instant) {
        let Some(running) = self.running.as_mut().filter(|running| running.pondering) else {
            return;
        };
        running.pondering = false;
        let go = &running.go;
        let clock = if go.infinite || (clock.is_none() && go.is_limited()) {
            None
        } else {
            Some(clock.unwrap_or_else(|| self.clock.get()))
        };
        let side = self.driver.side_to_move();
        self.clock.start(clock, read_at, side);
        if let Some(answer) = running.book.take() {
            running.sink.answer(&answer);
        } else if running.stochastic {
            let go = Go {
                ponder: false,
                clock: clock.or(go.clock),
                ..go.clone()
            };
            self.restart(go, read_at);
        } else {
            self.driver.ponderhit(clock);
        }
    }

    // Counting.

    fn perft(&mut self, depth: u32, read_at: Instant) {
        self.apply_rules();
        let driver = &self.driver;
        let division = self
            .busy
            .during(read_at, |progress| driver.perft(depth, progress));
        let Some(division) = division else {
            self.output.note("perft was stopped");
            return;
        };
        for (m, nodes) in &division {
            self.output.line(&format!("{m}: {nodes}"));
        }
        let nodes: u64 = match depth {
            0 => 1,
            _ => division.iter().map(|(_, nodes)| nodes).sum(),
        };
        self.output.line(&format!("Nodes searched: {nodes}"));
    }

    fn bench(&mut self, read_at: Instant) {
        self.end_search();
        if !self.evaluation.is_current(&self.options) {
            self.slow_work(read_at, Session::apply_evaluation);
        }
        let (output, busy) = (&self.output, &self.busy);
        let evaluator = self.evaluation.evaluator();
        let settings = bench::Settings::default();
        let report = busy.during(read_at, |progress| {
            let mut number = 0;
            bench::run(evaluator, &settings, &progress.stop, |line| {
                number += 1;
                let (nodes, sfen) = (line.nodes, line.sfen);
                output.note(&format!("position {number}: {nodes} nodes, {sfen}"));
            })
        });
        if report.complete {
            output.line(&format!("Nodes searched: {}", report.nodes()));
            output.line(&format!("Nodes/second: {}", report.nps()));
        } else {
            output.note("bench was stopped");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_known_clock_runs_on() {
        let mut known = KnownClock::default();
        assert_eq!(known.get().byoyomi, UNKNOWN_CLOCK_BYOYOMI);
        let clock = Clock {
            time: [5000, 9000],
            increment: [1000, 0],
            byoyomi: 0,
        };
        let since = Instant::now();
        known.start(Some(clock), since, Color::Black);
        known.stop(since + Duration::from_millis(2500));
        assert_eq!(known.get().time, [3500, 9000]);
        // Not running: nothing changes.
        known.stop(since + Duration::from_secs(60));
        assert_eq!(known.get().time, [3500, 9000]);
        known.start(None, since, Color::White);
        known.stop(since + Duration::from_secs(60));
        assert_eq!(known.get().time, [3500, 0]);
    }
}
