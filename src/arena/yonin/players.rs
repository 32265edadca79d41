//! Players: USI engines as processes, the engine's own searches within this one,
//! and baselines to measure both by.
//!
//! A program named `builtin:NAME` is one of these; its limits are those of any
//! engine (`nodes`, `depth`, `movetime`):
//!
//! | name | what it does |
//! |---|---|
//! | `random` | any move |
//! | `greedy` | the move after which it stands best at sight |
//! | `maxn` | max^n (Luckhardt & Irani 1986): everybody maximises his own standing; 2 plies, or deeper with `depth`, or as deep as `nodes` allow |
//! | `paranoid` | the common search, everybody against the player |
//! | `brs` | the common search, one reply between two of the player's moves |
//! | `foreseen` | the common search, the opponents playing what is best for themselves |

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use crate::arena::config::EngineConfig;
use crate::arena::engine::{Answer, Engine, EngineError};
use crate::arena::limits::Limits;
use crate::core::Score;
use crate::eval::yonin::{Foreseen, YoninEvaluator, standings};
use crate::learn::random::Random;
use crate::search::info::BestMove;
use crate::search::limits::{Limits as SearchLimits, SearchOptions};
use crate::search::pool::ThreadPool;
use crate::shogi::Move;
use crate::yonin::coalition::{Full, OneReply, Reduction};
use crate::yonin::{BySeat, Coalition, Position, Rules};

/// Table of a built-in searcher, MB.
const HASH_MB: usize = 16;

/// What a player is asked.
pub struct Question<'a> {
    /// The position, with its history.
    pub position: &'a Position,
    /// The same as a protocol line.
    pub line: &'a str,
    /// The protocol's `go` line.
    pub go: &'a str,
    /// How long the answer may take.
    pub allowance: Duration,
    /// Set when the match is to stop.
    pub stop: &'a AtomicBool,
}

/// Why an answer is no move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The move is illegal.
    #[error("no legal move")]
    Illegal,
    /// The answer came too late.
    #[error("late")]
    Late,
    /// The engine did not answer.
    #[error("no answer")]
    Silent,
    /// The match was stopped.
    #[error("stopped")]
    Stopped,
}

/// Anything that can take a seat.
pub trait Player: Send {
    /// The next question belongs to another game.
    fn new_game(&mut self, stop: &AtomicBool);

    /// A move, and the time that it took.
    ///
    /// # Errors
    ///
    /// A fault, when there is no legal move in time.
    fn choose(&mut self, question: &Question<'_>) -> Result<(Move, Duration), Fault>;
}

/// Why a player cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PlayerError {
    /// No such built-in player.
    #[error("`{0}` is no built-in player: random, greedy, maxn, paranoid, brs, foreseen")]
    Unknown(String),
    /// The engine does not start.
    #[error("{0}")]
    Engine(String, #[source] EngineError),
}

/// The player that a configuration describes. `seed` makes a random one
/// repeatable.
///
/// # Errors
///
/// When there is no such player, or the engine does not start.
pub fn player(
    config: &EngineConfig,
    limits: Limits,
    rules: &Rules,
    seed: u64,
    stop: &AtomicBool,
) -> Result<Box<dyn Player>, PlayerError> {
    let Some(name) = config.cmd.strip_prefix("builtin:") else {
        let settings = settings(rules);
        let engine = Engine::start(config, &settings, stop)
            .map_err(|error| PlayerError::Engine(config.name.clone(), error))?;
        return Ok(Box::new(EnginePlayer { engine }));
    };
    Ok(match name {
        "random" => Box::new(RandomPlayer(Random::new(seed))),
        "greedy" => Box::new(MaxN::new(1, None)),
        "maxn" => Box::new(match (limits.depth, limits.nodes) {
            (None, Some(nodes)) => MaxN::new(u32::MAX, Some(nodes)),
            (depth, nodes) => MaxN::new(depth.unwrap_or(2), nodes),
        }),
        "paranoid" => Box::new(Searcher::<Full>::new(limits)),
        "brs" => Box::new(Searcher::<OneReply>::new(limits)),
        "foreseen" => Box::new(Searcher::<Foreseen>::new(limits)),
        _ => return Err(PlayerError::Unknown(config.cmd.clone())),
    })
}

/// Options that tell an engine the rules.
fn settings(rules: &Rules) -> Vec<(&'static str, String)> {
    let mut settings = vec![("USI_Variant", "yonin".to_owned())];
    settings.extend(rules.words());
    settings
}

/// An engine in a process of its own.
struct EnginePlayer {
    engine: Engine,
}

impl Player for EnginePlayer {
    fn new_game(&mut self, stop: &AtomicBool) {
        // An engine that fails here fails its first question.
        let _ = self.engine.new_game(stop);
    }

    fn choose(&mut self, question: &Question<'_>) -> Result<(Move, Duration), Fault> {
        self.engine.drain();
        let begun = self.engine.go(question.line, question.go);
        let deadline = begun + question.allowance;
        match self.engine.await_bestmove(begun, deadline, question.stop) {
            Answer::BestMove { words, elapsed, .. } => {
                let m = words
                    .first()
                    .and_then(|text| question.position.parse_move(text).ok());
                m.map(|m| (m, elapsed)).ok_or(Fault::Illegal)
            }
            Answer::Deadline => Err(Fault::Late),
            Answer::Ended => Err(Fault::Silent),
            Answer::Stopped => Err(Fault::Stopped),
        }
    }
}

/// The moves that may be played: legal and not banned.
fn playable(position: &Position) -> Vec<Move> {
    let moves = position.legal_moves();
    moves
        .into_iter()
        .filter(|&m| !position.is_banned(m))
        .collect()
}

/// Plays any move.
struct RandomPlayer(Random);

impl Player for RandomPlayer {
    fn new_game(&mut self, _: &AtomicBool) {}

    fn choose(&mut self, question: &Question<'_>) -> Result<(Move, Duration), Fault> {
        let moves = playable(question.position);
        match moves.len() {
            0 => Err(Fault::Illegal),
            n => Ok((moves[self.0.below(n)], Duration::ZERO)),
        }
    }
}

/// Max^n: each player takes the move that is best for himself, at the leaves by
/// the evaluation. One ply of it is the greedy player.
pub struct MaxN {
    depth: u32,
    nodes: Option<u64>,
    used: u64,
}

impl MaxN {
    /// Looks `depth` plies ahead, or as deep as `nodes` allow, at most.
    pub fn new(depth: u32, nodes: Option<u64>) -> MaxN {
        MaxN {
            depth,
            nodes,
            used: 0,
        }
    }

    fn exhausted(&self) -> bool {
        self.nodes.is_some_and(|nodes| self.used >= nodes)
    }

    /// Every seat's standing `depth` plies on.
    fn search(&mut self, position: &mut Position, depth: u32) -> BySeat<Score> {
        self.used += 1;
        if depth == 0 || position.board().is_over() || self.exhausted() {
            return standings(position.board());
        }
        let seat = position.turn();
        let mut best: Option<BySeat<Score>> = None;
        for m in position.legal_moves() {
            position.make(m);
            let value = self.search(position, depth - 1);
            position.unmake();
            if best.is_none_or(|best| value[seat] > best[seat]) {
                best = Some(value);
            }
        }
        best.unwrap_or_else(|| standings(position.board()))
    }

    /// The best of the moves, `depth` plies looked ahead; `None` when the nodes
    /// did not suffice.
    fn best(&mut self, position: &mut Position, moves: &[Move], depth: u32) -> Option<Move> {
        let seat = position.turn();
        let mut best = None;
        for &m in moves {
            position.make(m);
            let value = self.search(position, depth - 1)[seat];
            position.unmake();
            if best.is_none_or(|(score, _)| value > score) {
                best = Some((value, m));
            }
        }
        best.filter(|_| !self.exhausted()).map(|(_, m)| m)
    }
}

impl Player for MaxN {
    fn new_game(&mut self, _: &AtomicBool) {}

    fn choose(&mut self, question: &Question<'_>) -> Result<(Move, Duration), Fault> {
        let begun = Instant::now();
        self.used = 0;
        let moves = playable(question.position);
        let mut position = question.position.clone();
        let mut answer = moves.first().copied();
        let first = if self.nodes.is_some() { 1 } else { self.depth };
        for depth in first..=self.depth {
            match self.best(&mut position, &moves, depth) {
                Some(m) => answer = Some(m),
                None => break,
            }
            if moves.len() == 1 {
                break;
            }
        }
        answer.map(|m| (m, begun.elapsed())).ok_or(Fault::Illegal)
    }
}

/// The common search over one of the coalition views.
struct Searcher<R: Reduction> {
    pool: ThreadPool<Coalition<R>, YoninEvaluator>,
    limits: Limits,
}

impl<R: Reduction> Searcher<R> {
    fn new(limits: Limits) -> Self {
        Searcher {
            pool: ThreadPool::new(YoninEvaluator, 1, HASH_MB),
            limits,
        }
    }
}

impl<R: Reduction> Player for Searcher<R> {
    fn new_game(&mut self, _: &AtomicBool) {
        self.pool.clear();
    }

    fn choose(&mut self, question: &Question<'_>) -> Result<(Move, Duration), Fault> {
        let begun = Instant::now();
        let limits = SearchLimits {
            movetime: self.limits.movetime.or(self.limits.byoyomi),
            nodes: self.limits.nodes,
            depth: self.limits.depth,
            ..SearchLimits::default()
        };
        let options = SearchOptions {
            minimum_thinking_time: 1,
            network_delay: 0,
            network_delay2: 0,
            ..SearchOptions::default()
        };
        let root = Coalition::new(question.position.clone());
        match self.pool.search(root, limits, options).best {
            BestMove::Move { best, .. } => Ok((best.to_move(), begun.elapsed())),
            BestMove::Resign | BestMove::Win => Err(Fault::Illegal),
        }
    }
}

/// Who takes over for an engine that failed: a game of four goes on.
pub fn substitute() -> Box<dyn Player> {
    Box::new(MaxN::new(1, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(player: &mut dyn Player, yfen: &str) -> String {
        let position = Position::from_yfen(yfen, &Rules::default()).unwrap();
        let question = Question {
            position: &position,
            line: "",
            go: "",
            allowance: Duration::from_secs(10),
            stop: &AtomicBool::new(false),
        };
        player.choose(&question).unwrap().0.to_string()
    }

    #[test]
    fn a_hanging_rook_is_taken() {
        // The rook also checks West and East, who answer South's move at once: that
        // answer is the one reply that best-reply search sees, so for it the rook is
        // as good as pinned, and may be taken later.
        let checks = "4Kn4/9/9/9/Kw3Rn3Ke/9/9/4Rs4/4Ks4 s -/-/-/- - - - 1";
        let hangs = "4Kn4/9/9/9/4Rn4/Kw7Ke/9/4Rs4/4Ks4 s -/-/-/- - - - 1";
        let limits = Limits {
            nodes: Some(20_000),
            ..Limits::default()
        };
        for (name, yfen) in [
            ("greedy", checks),
            ("maxn", checks),
            ("paranoid", checks),
            ("foreseen", checks),
            ("brs", hangs),
        ] {
            let config = EngineConfig::from_program(&format!("builtin:{name}"));
            let stop = AtomicBool::new(false);
            let mut player = player(&config, limits, &Rules::default(), 1, &stop).unwrap();
            assert_eq!(answer(player.as_mut(), yfen), "5h5e", "{name}");
        }
    }

    #[test]
    fn a_mate_is_taken() {
        let yfen = "8Kn/9/1Sn6Ps/2+Pn6/Kw8/6Ke2/9/9/4Ks4 s G/-/SP/- - - - 1";
        for mut player in [
            Box::new(MaxN::new(2, None)) as Box<dyn Player>,
            Box::new(Searcher::<Full>::new(Limits {
                depth: Some(2),
                ..Limits::default()
            })),
        ] {
            assert_eq!(answer(player.as_mut(), yfen), "G*1b");
        }
    }
}
