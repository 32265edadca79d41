//! One game of the engine against itself, and what it teaches.
//!
//! A game begins at a random and balanced position: a prefix of a random opening
//! (or none), then a few random moves; a quick search throws away what one side
//! would win. From there both sides play the best move of a fixed search without
//! any randomness, so that score and result belong to the same play. A game is
//! over by the rules, by the move limit, or when a search sees a decisive score.
//!
//! Everything follows from the seed and the number of the game, so that a game can
//! be played again alone and by any thread.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::{Deserialize, Serialize};

use super::games::{GameRecord, SelfPlay};
use super::random::Random;
use crate::arena::openings::Opening;
use crate::core::{Color, Score};
use crate::game::{Evaluator, Repetition, Stage};
use crate::search::{BestMove, Limits, Outcome, SearchOptions, ThreadPool};

/// How many starts are tried for a game before it is given up.
const TRIES: usize = 200;

/// How games are played and which of their positions are kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    /// Nodes of each search.
    pub nodes: Option<u64>,
    /// Depth of each search.
    pub depth: Option<u32>,
    /// Transposition table, MB; it is emptied before each game.
    pub hash_mb: usize,
    /// What the random starts follow from.
    pub seed: u64,
    /// Moves played of an opening, least and most.
    pub opening_plies: (u32, u32),
    /// Share of the games that begin without an opening, in per cent.
    pub from_start: u32,
    /// Random moves that follow, least and most.
    pub random_plies: (u32, u32),
    /// The largest score of a balanced start, in centipawns.
    pub balance: Score,
    /// Nodes of the search that judges a start.
    pub balance_nodes: u64,
    /// A search that sees this score decides the game, in centipawns.
    pub decisive: Score,
    /// The game is drawn after this many moves.
    pub max_plies: u32,
    /// Leave out positions in check.
    pub skip_checks: bool,
    /// Leave out positions whose best move captures or promotes a pawn.
    pub skip_captures: bool,
    /// Wa shogi is played with drops.
    #[serde(default = "with_drops")]
    pub wa_drops: bool,
}

/// What state files from before wa shogi mean.
fn with_drops() -> bool {
    true
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            nodes: Some(2000),
            depth: None,
            hash_mb: 16,
            seed: 1,
            opening_plies: (4, 24),
            from_start: 25,
            random_plies: (2, 7),
            balance: 600,
            balance_nodes: 1000,
            decisive: 3000,
            max_plies: 400,
            skip_checks: false,
            skip_captures: false,
            wa_drops: true,
        }
    }
}

/// Plays games on the calling thread and one search thread.
pub struct Player<'a, G: SelfPlay, E: Evaluator<G>> {
    pool: ThreadPool<G, E>,
    settings: &'a Settings,
    openings: &'a [Opening],
}

impl<'a, G: SelfPlay, E: Evaluator<G>> Player<'a, G, E> {
    /// A player; the openings are legal, and may be none.
    pub fn new(evaluator: E, settings: &'a Settings, openings: &'a [Opening]) -> Self {
        Player {
            pool: ThreadPool::new(evaluator, 1, settings.hash_mb.max(1)),
            settings,
            openings,
        }
    }

    /// Plays the game with this number and returns its positions in their order:
    /// none when no balanced start was found. `None` when `stop` became true.
    pub fn play(&mut self, number: u64, stop: &AtomicBool) -> Option<Vec<G::Record>> {
        let mut random = Random::nth(self.settings.seed, number);
        let Some(mut position) = self.start(&mut random, stop) else {
            return (!stop.load(Ordering::Relaxed)).then(Vec::new);
        };
        self.pool.clear();
        let limits = Limits {
            nodes: self.settings.nodes,
            depth: self.settings.depth,
            ..Limits::default()
        };
        let mut kept: Vec<(Color, G::Record)> = Vec::new();
        let winner = loop {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(end) = position.end() {
                break end.winner();
            }
            let side = position.side_to_move();
            let outcome = self.search(&position, limits.clone());
            let best = match outcome.best {
                BestMove::Move { best, .. } => best,
                BestMove::Win => break Some(side),
                BestMove::Resign => break Some(!side),
            };
            if outcome.score.abs() >= self.settings.decisive {
                break Some(if outcome.score > 0 { side } else { !side });
            }
            if self.is_wanted(&position, best)
                && let Some(record) = G::Record::new(&position, outcome.score, best)
            {
                kept.push((side, record));
            }
            position.make(best);
        };
        let result = |side| match winner {
            None => 0,
            Some(winner) if winner == side => 1,
            Some(_) => -1,
        };
        let records = kept
            .into_iter()
            .map(|(side, record)| record.with_result(result(side)));
        Some(records.collect())
    }

    /// A random balanced position, if there is one among many.
    fn start(&mut self, random: &mut Random, stop: &AtomicBool) -> Option<G> {
        self.pool.clear();
        let limits = Limits {
            nodes: Some(self.settings.balance_nodes),
            ..Limits::default()
        };
        for _ in 0..TRIES {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let Some(position) = self.candidate(random) else {
                continue;
            };
            let score = self.search(&position, limits.clone()).score;
            if score.abs() <= self.settings.balance {
                return Some(position);
            }
        }
        None
    }

    /// A random position in which the game goes on.
    fn candidate(&self, random: &mut Random) -> Option<G> {
        let rules = G::self_play_rules(self.settings);
        let mut position = G::start(&rules);
        let bare = random.below(100) < self.settings.from_start as usize;
        if !bare && !self.openings.is_empty() {
            let mut opening = self.openings[random.below(self.openings.len())].clone();
            let plies = random.between(self.settings.opening_plies);
            opening.moves.truncate(plies as usize);
            position = opening.position(&rules).ok()?;
        }
        for _ in 0..random.between(self.settings.random_plies) {
            let mut moves = crate::core::MoveList::new();
            position.generate(Stage::All, false, &mut moves);
            if moves.is_empty() {
                return None;
            }
            position.make(moves[random.below(moves.len())]);
        }
        position.end().is_none().then_some(position)
    }

    fn search(&mut self, position: &G, limits: Limits<G::Move>) -> Outcome<G::Move> {
        let options = SearchOptions {
            // The label of a draw is a draw.
            draw_value: [0, 0],
            // At a few hundred nodes a solver would take more than it gives.
            root_mate_nodes: 0,
            ..SearchOptions::default()
        };
        self.pool.search(position.clone(), limits, options)
    }

    /// Whether a position is kept. The score of one that occurred before in its
    /// game depends on more than the position.
    fn is_wanted(&self, position: &G, best: G::Move) -> bool {
        position.repetition() == Repetition::None
            && !(self.settings.skip_checks && position.in_check())
            && !(self.settings.skip_captures && position.is_noisy(best))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::hand::HandEvaluator;
    use crate::eval::wa::WaEvaluator;
    use crate::learn::games::WaRecord;
    use crate::learn::record::Record;
    use crate::shogi::Position;
    use crate::wa;

    fn settings() -> Settings {
        Settings {
            nodes: Some(100),
            balance_nodes: 100,
            hash_mb: 1,
            decisive: 1500,
            max_plies: 80,
            ..Settings::default()
        }
    }

    #[test]
    fn a_game_follows_from_its_number() {
        let settings = settings();
        let stop = AtomicBool::new(false);
        let mut player = Player::<Position, _>::new(HandEvaluator, &settings, &[]);
        let games: Vec<Vec<Record>> = (0..4)
            .map(|number| player.play(number, &stop).unwrap())
            .collect();
        assert!(games.iter().any(|game| game.len() > 10));
        assert_ne!(games[0], games[1]);
        for number in [2, 0] {
            let mut other = Player::<Position, _>::new(HandEvaluator, &settings, &[]);
            assert_eq!(other.play(number, &stop).unwrap(), games[number as usize]);
        }
        for game in &games {
            for pair in game.windows(2) {
                assert!(pair[0].ply < pair[1].ply);
                let same_side = (pair[1].ply - pair[0].ply) % 2 == 0;
                let sign = if same_side { 1 } else { -1 };
                assert_eq!(pair[0].result, sign * pair[1].result);
            }
            for record in game {
                record.position().unwrap();
                assert!(i32::from(record.score).abs() < settings.decisive);
            }
        }
        assert_eq!(player.play(0, &AtomicBool::new(true)), None);
    }

    #[test]
    fn wa_shogi_is_played_too() {
        for wa_drops in [false, true] {
            let settings = Settings {
                wa_drops,
                ..settings()
            };
            let mut player = Player::<wa::Position, _>::new(WaEvaluator, &settings, &[]);
            let stop = AtomicBool::new(false);
            let games: Vec<Vec<WaRecord>> = (0..3)
                .map(|number| player.play(number, &stop).unwrap())
                .collect();
            assert!(games.iter().any(|game| game.len() > 10));
            let rules = wa::Position::self_play_rules(&settings);
            for record in games.iter().flatten() {
                let position = wa::Position::from_sfen(&record.sfen, &rules).unwrap();
                assert!(position.is_legal(record.best));
            }
        }
    }

    #[test]
    fn filters_and_openings() {
        let settings = Settings {
            from_start: 0,
            opening_plies: (2, 2),
            random_plies: (0, 0),
            skip_checks: true,
            skip_captures: true,
            ..settings()
        };
        let openings = [Opening {
            sfen: None,
            moves: ["7g7f", "3c3d", "2g2f"].map(String::from).to_vec(),
        }];
        let mut player = Player::<Position, _>::new(HandEvaluator, &settings, &openings);
        let start = player.candidate(&mut Random::new(1)).unwrap();
        let game = player.play(0, &AtomicBool::new(false)).unwrap();
        assert_eq!(
            start.sfen(),
            "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3"
        );
        for record in game {
            assert!(record.is_quiet(&record.position().unwrap()));
        }
    }

    #[test]
    fn unbalanced_starts_are_given_up() {
        let settings = Settings {
            balance: -1,
            balance_nodes: 1,
            ..settings()
        };
        let mut player = Player::<Position, _>::new(HandEvaluator, &settings, &[]);
        assert_eq!(player.play(0, &AtomicBool::new(false)), Some(Vec::new()));
    }
}
