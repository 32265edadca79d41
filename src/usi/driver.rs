//! Between the protocol and a game.
//!
//! The session knows texts and times only; it drives any game through the
//! object-safe trait [`Driver`]. [`GameDriver`] implements it for every
//! [`Game`]: it owns the position of the last `position` line, the search's
//! thread pool, and the thread of a mate search. A variant is one more line in
//! [`new_driver`].
//!
//! GUIs resend the whole game before each move. The driver compares the list
//! with the one it has played already, takes back what differs and plays only
//! what is new, so that a move in a game of thousands of plies costs no more than
//! in a short one.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use super::mate::{self, MateAnswer, MateRequest, MateSolver};
use super::options::{RuleOptions, YONIN, printable};
use super::output::SearchSink;
use super::parse::{Go, PositionCommand};
use crate::core::{Color, MoveList, Score};
use crate::eval::shogi::ShogiEvaluator;
use crate::eval::wa::WaEvaluator;
use crate::eval::yonin::{Foreseen, YoninEvaluator};
use crate::game::{DiagramStyle, Evaluator, Game, Stage};
use crate::perft::{self, Progress};
use crate::search::limits::{Clock, Limits, SearchOptions};
use crate::search::pool::ThreadPool;
use crate::shogi;
use crate::wa;
use crate::yonin;
use crate::yonin::coalition::{Full, Reduction};

/// A game with its position and search, as the session sees it.
///
/// The position may be changed while a search runs: the search has its own copy.
/// [`Driver::configure`], [`Driver::clear`] and the two `start`s need it to be
/// over ([`Driver::wait`]).
pub trait Driver: Send {
    /// Goes to a position. A text that is no position leaves the old one; at a
    /// move that is not legal the list ends. Returns what the user should know
    /// about that.
    fn set_position(&mut self, command: &PositionCommand) -> Vec<String>;

    /// The command that [`Driver::set_position`] followed last.
    fn command(&self) -> PositionCommand;

    /// Changes the rules, and sets the position up again under them.
    fn set_rules(&mut self, rules: RuleOptions) -> Vec<String>;

    /// Sets threads and table size; returns warnings when the system grants less
    /// than asked for.
    fn configure(&mut self, threads: usize, hash_mb: usize) -> Vec<String>;

    /// Forgets everything that searches have learned.
    fn clear(&mut self);

    /// Has the system hand out the memory of the search now rather than during one.
    fn warm_up(&mut self);

    /// Starts a search and returns at once. Its times count from `since`. With
    /// `take_back` it searches the position before the last move. The sink gets
    /// exactly one answer.
    fn start(
        &mut self,
        go: &Go,
        since: Instant,
        take_back: bool,
        options: SearchOptions,
        sink: Arc<SearchSink>,
    );

    /// Starts a mate search and returns at once. Its time counts from `since`.
    /// The sink gets one answer.
    fn start_mate(&mut self, go: &Go, since: Instant, sink: Arc<SearchSink>);

    /// Ends the running search; its answer follows.
    fn stop(&self);

    /// The opponent made the expected move. A clock replaces the one of `go`.
    fn ponderhit(&self, clock: Option<Clock>);

    /// Waits until the running search has answered and rests.
    fn wait(&mut self);

    /// Whether the position has a last move to take back.
    fn can_take_back(&self) -> bool;

    /// Whether the position's move number can be trusted: many GUIs write 1 for any
    /// position that they did not reach by moves.
    fn knows_ply(&self) -> bool;

    /// The side to move.
    fn side_to_move(&self) -> Color;

    /// The player to move, for people.
    fn turn_name(&self) -> String;

    /// Number of the player to move, in games of more than two.
    fn seat(&self) -> Option<usize>;

    /// The word that introduces a position text.
    fn notation(&self) -> &'static str;

    /// The legal moves in protocol notation.
    fn legal_moves(&self) -> Vec<String>;

    /// The position as text.
    fn sfen(&self) -> String;

    /// The board for people.
    fn diagram(&self) -> String;

    /// The position's key.
    fn key(&self) -> u64;

    /// The static evaluation, from the side to move's view.
    fn evaluate(&mut self) -> Score;

    /// The number of leaves under each move, `depth` plies down; `None` when it
    /// was stopped.
    fn perft(&self, depth: u32, progress: &Progress) -> Option<Vec<(String, u64)>>;
}

/// With more threads than this on a core, the last one may hear of a `stop` late.
const CROWDED: usize = 8;

/// The driver of the game that `USI_Variant` names, with the evaluation of shogi that
/// was chosen.
pub fn new_driver(rules: RuleOptions, evaluator: ShogiEvaluator) -> Box<dyn Driver> {
    if rules.variant == YONIN {
        // In pairs there are two sides in truth; alone, the others' own interest
        // foretells their moves better than any conspiracy (docs/src/yonin.md).
        return match rules.yonin.format {
            yonin::Format::Pairs => yonin_driver::<Full>(rules),
            yonin::Format::Singles => yonin_driver::<Foreseen>(rules),
        };
    }
    if rules.variant == wa::Rules::WORD {
        return Box::new(GameDriver::<wa::Position, WaEvaluator>::new(
            WaEvaluator,
            rules,
            wa_rules,
            mate::solve,
        ));
    }
    let solver: MateSolver<shogi::Position> = match shogi_rules(&rules).variant {
        shogi::Variant::KingCapture => mate::unsupported,
        shogi::Variant::Standard => mate::solve,
    };
    Box::new(GameDriver::<shogi::Position, ShogiEvaluator>::new(
        evaluator,
        rules,
        shogi_rules,
        solver,
    ))
}

/// Whether the same driver serves both rules, so that a change needs no new one.
pub(super) fn is_same_game(a: &RuleOptions, b: &RuleOptions) -> bool {
    a.variant == b.variant && a.yonin.format == b.yonin.format
}

fn yonin_driver<R: Reduction>(rules: RuleOptions) -> Box<dyn Driver> {
    Box::new(GameDriver::<yonin::Coalition<R>, YoninEvaluator>::new(
        YoninEvaluator,
        rules,
        |options| options.yonin,
        mate::unsupported,
    ))
}

/// The options as rules of wa shogi.
fn wa_rules(options: &RuleOptions) -> wa::Rules {
    wa::Rules {
        drops: options.wa_drops,
        max_moves: options.max_moves.unwrap_or(0),
    }
}

/// The options as rules of shogi.
pub(super) fn shogi_rules(options: &RuleOptions) -> shogi::Rules {
    // The options' words are those of the rules; a test reads them all.
    let mut rules = match shogi::Variant::from_word(options.variant).unwrap_or_default() {
        shogi::Variant::KingCapture => shogi::Rules::king_capture(),
        shogi::Variant::Standard => shogi::Rules {
            entering_king: options.entering_king.parse().unwrap_or_default(),
            ..shogi::Rules::default()
        },
    };
    rules.max_moves = options.max_moves.unwrap_or(rules.max_moves);
    rules
}

/// A mate search in its thread.
struct MateTask {
    abort: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// [`Driver`] for the game `G`, evaluated by `E`.
pub struct GameDriver<G: Game, E: Evaluator<G>> {
    pool: ThreadPool<G, E>,
    evaluator: E,
    to_rules: fn(&RuleOptions) -> G::Rules,
    rules: G::Rules,
    solver: MateSolver<G>,
    /// The table of a mate search, in MB.
    hash_mb: usize,
    mate: Option<MateTask>,
    position: G,
    /// What `position` was set up from; its list may go on with moves that the
    /// rules do not allow.
    command: PositionCommand,
    /// How many of its moves lead to `position`.
    played: usize,
}

impl<G: Game, E: Evaluator<G>> GameDriver<G, E> {
    /// A driver at the initial position, with the smallest resources.
    pub fn new(
        evaluator: E,
        rules: RuleOptions,
        to_rules: fn(&RuleOptions) -> G::Rules,
        solver: MateSolver<G>,
    ) -> Self {
        let rules = to_rules(&rules);
        GameDriver {
            pool: ThreadPool::new(evaluator.clone(), 1, 1),
            evaluator,
            to_rules,
            position: G::start(&rules),
            rules,
            solver,
            hash_mb: 1,
            mate: None,
            command: PositionCommand::default(),
            played: 0,
        }
    }

    /// Plays as many of the moves not yet played as are legal.
    fn play(&mut self) -> Option<String> {
        for text in &self.command.moves[self.played..] {
            let number = self.played + 1;
            if matches!(text.as_str(), "0000" | "null" | "pass") {
                return Some(format!(
                    "warning: move {number}, {text}, is a pass; ignored from there on"
                ));
            }
            match self.position.parse_move(text) {
                Ok(m) => self.position.make(m),
                Err(error) => {
                    return Some(format!(
                        "warning: move {number}, {}, is illegal: {error}; ignored from there on",
                        printable(text)
                    ));
                }
            }
            self.played += 1;
        }
        None
    }

    /// The words of `go` as the search's limits, and a warning about words that
    /// it cannot follow. Without any limit, it is an infinite search.
    fn limits(&self, go: &Go, since: Instant, root: &G) -> (Limits<G::Move>, Vec<String>) {
        let mut notes = Vec::new();
        let mut searchmoves = Vec::new();
        for text in &go.searchmoves {
            match root.parse_move(text) {
                Ok(m) if searchmoves.contains(&m) => {}
                Ok(m) => searchmoves.push(m),
                Err(error) => notes.push(format!(
                    "warning: searchmoves {} is illegal: {error}; ignored",
                    printable(text)
                )),
            }
        }
        let infinite = go.infinite || !(go.ponder || go.is_limited());
        let limits = Limits {
            clock: go.clock.filter(|_| !infinite),
            movetime: go.movetime,
            depth: go.depth,
            nodes: go.nodes,
            infinite,
            ponder: go.ponder,
            searchmoves,
            since: Some(since),
        };
        (limits, notes)
    }
}

impl<G: Game, E: Evaluator<G>> Driver for GameDriver<G, E> {
    fn set_position(&mut self, command: &PositionCommand) -> Vec<String> {
        if self.command.sfen != command.sfen {
            self.position = match &command.sfen {
                None => G::start(&self.rules),
                Some(sfen) => match G::from_sfen(sfen, &self.rules) {
                    Ok(position) => position,
                    Err(error) => {
                        let stays = match self.command == PositionCommand::default() {
                            // The first one of the game, or one that was given up for
                            // other rules.
                            true => "it is the initial one",
                            false => "the last one stays",
                        };
                        return vec![format!("warning: no position: {error}; {stays}")];
                    }
                },
            };
            self.played = 0;
        }
        let common = self.command.moves[..self.played]
            .iter()
            .zip(&command.moves)
            .take_while(|(old, new)| old == new)
            .count();
        while self.played > common {
            self.position.unmake();
            self.played -= 1;
        }
        self.command = command.clone();
        self.play().into_iter().collect()
    }

    fn command(&self) -> PositionCommand {
        self.command.clone()
    }

    fn set_rules(&mut self, rules: RuleOptions) -> Vec<String> {
        self.rules = (self.to_rules)(&rules);
        // What the old rules made of a position is in the table.
        self.pool.clear();
        let command = std::mem::take(&mut self.command);
        self.position = G::start(&self.rules);
        self.played = 0;
        self.set_position(&command)
    }

    fn configure(&mut self, threads: usize, hash_mb: usize) -> Vec<String> {
        let mut warnings = Vec::new();
        let got = self.pool.set_threads(threads);
        if got < threads {
            warnings.push(format!("warning: only {got} threads could be started"));
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if got > CROWDED * cores {
            warnings.push(format!(
                "warning: {got} threads on {cores} cores get in each other's way; answers may be late"
            ));
        }
        self.hash_mb = hash_mb;
        let got = self.pool.set_hash(hash_mb);
        if got < hash_mb {
            warnings.push(format!(
                "warning: there is memory for {got} MB of hash only"
            ));
        }
        warnings
    }

    fn warm_up(&mut self) {
        self.pool.touch_memory();
    }

    fn clear(&mut self) {
        self.pool.clear();
    }

    fn start(
        &mut self,
        go: &Go,
        since: Instant,
        take_back: bool,
        options: SearchOptions,
        sink: Arc<SearchSink>,
    ) {
        let mut root = self.position.clone();
        if take_back && self.can_take_back() {
            root.unmake();
        }
        if let Some(note) = root.final_note() {
            // No move is left to answer with, and nobody resigns.
            sink.answer(&format!("info string {note}"));
            return;
        }
        let (limits, notes) = self.limits(go, since, &root);
        for note in notes {
            crate::search::info::Reporter::<G::Move>::note(&*sink, &note);
        }
        let mut options = options;
        if !G::RESIGNS {
            options.resign_value = Score::MAX;
        }
        self.pool.start(root, limits, options, sink);
    }

    fn start_mate(&mut self, go: &Go, since: Instant, sink: Arc<SearchSink>) {
        let abort = Arc::new(AtomicBool::new(false));
        let request = MateRequest::new(
            go,
            since,
            self.hash_mb,
            Arc::clone(&abort),
            Arc::clone(&sink),
        );
        let root = self.position.clone();
        let solver = self.solver;
        let task_sink = Arc::clone(&sink);
        let thread = std::thread::Builder::new()
            .name("mate".to_string())
            .spawn(move || {
                // Even a solver with a bug owes its answer.
                let answer = catch_unwind(AssertUnwindSafe(|| solver(&root, &request)))
                    .unwrap_or(MateAnswer::Timeout);
                task_sink.answer(&answer.to_string());
            });
        match thread {
            Ok(thread) => self.mate = Some(MateTask { abort, thread }),
            Err(_) => sink.answer(&MateAnswer::<G::Move>::Timeout.to_string()),
        }
    }

    fn stop(&self) {
        if let Some(task) = &self.mate {
            task.abort.store(true, Ordering::Relaxed);
        }
        self.pool.stop();
    }

    fn ponderhit(&self, clock: Option<Clock>) {
        self.pool.ponderhit(clock);
    }

    fn wait(&mut self) {
        if let Some(task) = self.mate.take() {
            // The thread catches its panics.
            let _ = task.thread.join();
        }
        self.pool.wait();
    }

    fn can_take_back(&self) -> bool {
        self.played > 0
    }

    fn knows_ply(&self) -> bool {
        let first = (self.position.ply() as usize).saturating_sub(self.played);
        self.command.sfen.is_none() || first > 1
    }

    fn side_to_move(&self) -> Color {
        self.position.side_to_move()
    }

    fn turn_name(&self) -> String {
        self.position.turn_name()
    }

    fn seat(&self) -> Option<usize> {
        self.position.seat()
    }

    fn notation(&self) -> &'static str {
        G::NOTATION
    }

    fn legal_moves(&self) -> Vec<String> {
        if self.position.final_note().is_some() {
            return Vec::new();
        }
        let mut moves = MoveList::new();
        self.position.generate(Stage::All, true, &mut moves);
        moves.iter().map(G::Move::to_string).collect()
    }

    fn sfen(&self) -> String {
        self.position.sfen()
    }

    fn diagram(&self) -> String {
        self.position.diagram(DiagramStyle::Ascii)
    }

    fn key(&self) -> u64 {
        self.position.key()
    }

    fn evaluate(&mut self) -> Score {
        self.evaluator.reset(&self.position);
        self.evaluator.evaluate(&self.position)
    }

    fn perft(&self, depth: u32, progress: &Progress) -> Option<Vec<(String, u64)>> {
        let division = perft::divide(&self.position, depth, progress);
        division.complete.then(|| {
            division
                .branches
                .iter()
                .map(|branch| (branch.mv.to_string(), branch.nodes))
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usi::options::Options;
    use crate::usi::parse::{Command, parse_line};

    fn driver() -> Box<dyn Driver> {
        new_driver(Options::default().rules(), ShogiEvaluator::default())
    }

    fn position(driver: &mut dyn Driver, line: &str) -> Vec<String> {
        match parse_line(line.as_bytes()) {
            Command::Position(command) => driver.set_position(&command),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn option_words_are_rules() {
        let mut options = Options::default();
        for (rule, word) in shogi::EnteringKingRule::ALL {
            options.set("EnteringKingRule", Some(word)).unwrap();
            assert_eq!(shogi_rules(&options.rules()).entering_king, rule);
        }
        assert_eq!(shogi_rules(&options.rules()).max_moves, 0);
        options.set("USI_Variant", Some("kingcapture")).unwrap();
        assert_eq!(shogi_rules(&options.rules()), shogi::Rules::king_capture());
        options.set("MaxMovesToDraw", Some("0")).unwrap();
        assert_eq!(shogi_rules(&options.rules()).max_moves, 0);
    }

    #[test]
    fn lists_are_extended_and_cut_back() {
        let mut driver = driver();
        for (list, ply) in [
            ("7g7f 3c3d", 3),
            ("7g7f 3c3d 2g2f", 4),
            ("7g7f 8c8d", 3),
            ("2g2f", 2),
            ("", 1),
        ] {
            let line = format!("position startpos moves {list}");
            assert!(position(driver.as_mut(), &line).is_empty());
            let mut fresh = super::tests::driver();
            position(fresh.as_mut(), &line);
            assert_eq!(driver.sfen(), fresh.sfen());
            assert_eq!(driver.key(), fresh.key());
            assert!(driver.sfen().ends_with(&format!(" {ply}")));
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_what_is_good_kept() {
        let mut driver = driver();
        let notes = position(driver.as_mut(), "position startpos moves 7g7f 7g7f 3c3d");
        assert_eq!(notes.len(), 1);
        assert!(
            notes[0].starts_with("warning: move 2, 7g7f, is illegal: "),
            "{notes:?}"
        );
        let good = driver.sfen();
        assert!(good.ends_with(" w - 2"));
        let command = driver.command();
        assert_eq!(position(driver.as_mut(), "position sfen 9/9 b -").len(), 1);
        assert_eq!(driver.sfen(), good);
        assert_eq!(driver.command(), command);
    }

    #[test]
    fn new_rules_keep_the_game() {
        let mut driver = driver();
        position(driver.as_mut(), "position startpos moves 7g7f 3c3d");
        let sfen = driver.sfen();
        let mut options = Options::default();
        options.set("MaxMovesToDraw", Some("256")).unwrap();
        assert!(driver.set_rules(options.rules()).is_empty());
        assert_eq!(driver.sfen(), sfen);
        assert!(driver.can_take_back());
    }

    #[test]
    fn perft_counts_by_move() {
        let driver = driver();
        let division = driver.perft(3, &Progress::default()).unwrap();
        assert_eq!(division.len(), 30);
        assert_eq!(division.iter().map(|(_, nodes)| nodes).sum::<u64>(), 25_470);
    }
}
