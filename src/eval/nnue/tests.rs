//! Inference against an evaluator that reads the definition off the file's bytes,
//! backends against the scalar one, updated accumulators against fresh ones.

use super::{Architecture, FeatureSet, Network, Nnue, NnueEvaluator};
use crate::core::score::EVAL_MAX;
use crate::core::{Color, MoveList};
use crate::game::{Evaluator, Stage};
use crate::learn::random::Random;
use crate::shogi::{Move, Position, Rules};

/// Fills numbers with what `make` makes of 16 random bits: a quarter of a second for
/// the 128 million of the largest network, where a random number for each takes more.
fn fill<T>(random: &mut Random, numbers: &mut [T], make: impl Fn(u16) -> T) {
    for four in numbers.chunks_mut(4) {
        let mut bits = random.next_u64();
        for number in four {
            *number = make(bits as u16);
            bits >>= 16;
        }
    }
}

/// A network of random numbers that neither vanishes nor saturates everywhere.
pub(super) fn random_network(architecture: Architecture, seed: u64) -> Network {
    let mut random = Random::new(seed);
    let mut network = Network::new(architecture);
    // From `-limit` to `limit`.
    let number = |limit: i32| move |bits: u16| ((i32::from(bits) * (2 * limit + 1)) >> 16) - limit;
    let small = |limit: i32| move |bits: u16| number(limit)(bits) as i16;
    fill(&mut random, &mut network.transformer_biases, small(100));
    fill(&mut random, &mut network.transformer_weights, small(40));
    // Hundreds of inputs or a few dozens at most.
    for (layer, limit) in network.layers.iter_mut().zip([8, 127, 127]) {
        fill(&mut random, &mut layer.biases, number(3000));
        let weight = |bits: u16| number(limit)(bits) as i8;
        fill(&mut random, &mut layer.weights, weight);
    }
    network
}

/// The same with every number of its type as likely: sums overflow, signs change.
fn wild_network(architecture: Architecture, seed: u64) -> Network {
    let mut random = Random::new(seed);
    let mut network = Network::new(architecture);
    let weights = &mut network.transformer_weights;
    for numbers in [&mut network.transformer_biases, weights] {
        fill(&mut random, numbers, |bits| bits as i16);
    }
    for layer in &mut network.layers {
        fill(&mut random, &mut layer.biases, |bits| {
            i32::from(bits as i16) << 13
        });
        fill(&mut random, &mut layer.weights, |bits| bits as i8);
    }
    network
}

fn bytes(network: &Network) -> Vec<u8> {
    let mut bytes = Vec::new();
    network.write(&mut bytes).unwrap();
    bytes
}

/// Positions of random play, with the moves between them.
struct Walk {
    position: Position,
    random: Random,
    plies: usize,
}

impl Walk {
    fn new(seed: u64) -> Walk {
        Walk {
            position: Position::start(&Rules::default()),
            random: Random::new(seed),
            plies: 0,
        }
    }

    /// A random move, rather a capture, a promotion or one of the king than another;
    /// `None` at the end of a game.
    fn choose(&mut self) -> Option<Move> {
        let mut moves = MoveList::new();
        self.position.generate(Stage::All, true, &mut moves);
        if moves.is_empty() || self.plies > 300 {
            return None;
        }
        let king = self.position.king(self.position.side_to_move());
        let lively: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|m| {
                m.is_promotion() || m.from() == king || self.position.piece_on(m.to()).is_some()
            })
            .collect();
        let list = match self.random.below(3) {
            0 if !lively.is_empty() => &lively[..],
            _ => &moves[..],
        };
        Some(list[self.random.below(list.len())])
    }

    fn play(&mut self, evaluators: &mut [NnueEvaluator]) {
        match self.choose() {
            Some(m) => {
                for evaluator in evaluators {
                    evaluator.before_make(&self.position, m);
                }
                self.position.make(m);
                self.plies += 1;
            }
            None => {
                self.position = Position::start(&Rules::default());
                self.plies = 0;
                for evaluator in evaluators {
                    evaluator.reset(&self.position);
                }
            }
        }
    }
}

/// The definition, number by number, from a file's bytes and a position's text:
/// shares nothing with the code under test.
mod oracle {
    fn i16_at(file: &[u8], at: usize) -> i16 {
        i16::from_le_bytes([file[at], file[at + 1]])
    }

    fn i32_at(file: &[u8], at: usize) -> i32 {
        i32::from_le_bytes(file[at..at + 4].try_into().unwrap())
    }

    /// Numbers of pieces (and kings, from 1548 on) and the own king's square, as
    /// the side sees them that plays `up` the board or not.
    fn pieces(sfen: &str, up: bool) -> (Vec<usize>, usize) {
        let mut words = sfen.split(' ');
        let (mut list, mut own_king) = (Vec::new(), 0);
        for (rank, row) in words.next().unwrap().split('/').enumerate() {
            let (mut file, mut promoted) = (9, false);
            for c in row.chars() {
                if let Some(empty) = c.to_digit(10) {
                    file -= empty as usize;
                } else if c == '+' {
                    promoted = true;
                } else {
                    file -= 1;
                    let square = file * 9 + rank;
                    let square = if up { square } else { 80 - square };
                    let friend = c.is_ascii_uppercase() == up;
                    let base = match (c.to_ascii_lowercase(), promoted) {
                        ('p', false) => 90,
                        ('l', false) => 252,
                        ('n', false) => 414,
                        ('s', false) => 576,
                        ('g', _) | ('p' | 'l' | 'n' | 's', true) => 738,
                        ('b', false) => 900,
                        ('b', true) => 1062,
                        ('r', false) => 1224,
                        ('r', true) => 1386,
                        _ => 1548,
                    };
                    if base == 1548 && friend {
                        own_king = square;
                    }
                    list.push(base + if friend { 0 } else { 81 } + square);
                    promoted = false;
                }
            }
        }
        let mut count = 0;
        for c in words.nth(1).unwrap().chars().filter(|&c| c != '-') {
            if let Some(digit) = c.to_digit(10) {
                count = 10 * count + digit as usize;
                continue;
            }
            let (friend, enemy) = match c.to_ascii_lowercase() {
                'p' => (1, 20),
                'l' => (39, 44),
                'n' => (49, 54),
                's' => (59, 64),
                'g' => (69, 74),
                'b' => (79, 82),
                _ => (85, 88),
            };
            let first = if c.is_ascii_uppercase() == up {
                friend
            } else {
                enemy
            };
            list.extend((0..count.max(1)).map(|nth| first + nth));
            count = 0;
        }
        (list, own_king)
    }

    pub fn output(file: &[u8], sfen: &str, half_kp: bool, half: usize, layers: [usize; 2]) -> i32 {
        let inputs = if half_kp { 125_388 } else { 1710 };
        let transformer = 12 + i32_at(file, 8) as usize + 4;
        let weights = transformer + 2 * half;
        let black_moves = sfen.contains(" b ");
        let mut x: Vec<i32> = Vec::new();
        for up in [black_moves, !black_moves] {
            let (list, king) = pieces(sfen, up);
            for j in 0..half {
                let mut sum = i16_at(file, transformer + 2 * j);
                for &piece in &list {
                    let input = match half_kp {
                        true if piece >= 1548 => continue,
                        true => king * 1548 + piece,
                        false => piece,
                    };
                    sum = sum.wrapping_add(i16_at(file, weights + 2 * (input * half + j)));
                }
                x.push(i32::from(sum.clamp(0, 127)));
            }
        }
        let mut at = weights + 2 * half * inputs + 4;
        for outputs in [layers[0], layers[1], 1] {
            let row = x.len().div_ceil(32) * 32;
            let sum = |o: usize| {
                let weight = |i: usize| i32::from(file[at + 4 * outputs + o * row + i] as i8);
                let products: i32 = x.iter().enumerate().map(|(i, x)| weight(i) * x).sum();
                i32_at(file, at + 4 * o) + products
            };
            let sums: Vec<i32> = (0..outputs).map(sum).collect();
            if outputs == 1 {
                return sums[0];
            }
            x = sums.iter().map(|sum| (sum >> 6).clamp(0, 127)).collect();
            at += 4 * outputs + row * outputs;
        }
        unreachable!("the last layer has one output")
    }
}

#[test]
fn every_architecture_computes_what_its_file_defines() {
    for (seed, architecture) in Architecture::ALL.into_iter().enumerate() {
        let network = random_network(architecture, seed as u64);
        let file = bytes(&network);
        let read = Network::read(&file).unwrap();
        let mut evaluators = [Nnue::new(&read).unwrap().evaluator(16)];
        drop((network, read));
        let mut walk = Walk::new(seed as u64);
        let mut seen = std::collections::HashSet::new();
        for _ in 0..200 {
            walk.play(&mut evaluators);
            let wanted = oracle::output(
                &file,
                &walk.position.sfen(),
                architecture.features == FeatureSet::HalfKp,
                architecture.half,
                [architecture.hidden1, architecture.hidden2],
            );
            let sfen = walk.position.sfen();
            assert_eq!(
                evaluators[0].output(&walk.position),
                wanted,
                "{} {sfen}",
                architecture.name()
            );
            assert_eq!(
                evaluators[0].evaluate(&walk.position),
                (wanted / 16).clamp(-EVAL_MAX, EVAL_MAX)
            );
            seen.insert(wanted);
        }
        assert!(seen.len() > 100, "{}: {}", architecture.name(), seen.len());
    }
}

/// The backends of this processor over random play, with tame and wild numbers.
#[test]
fn every_backend_equals_the_scalar_one() {
    for (seed, architecture) in Architecture::ALL.into_iter().enumerate() {
        for wild in [false, true] {
            let network = match wild {
                false => random_network(architecture, seed as u64),
                true => wild_network(architecture, seed as u64),
            };
            let nnue = Nnue::new(&network).unwrap();
            drop(network);
            let (names, mut evaluators): (Vec<_>, Vec<_>) = nnue
                .on_all_backends()
                .into_iter()
                .map(|(name, nnue)| (name, nnue.evaluator(16)))
                .unzip();
            let mut walk = Walk::new(seed as u64 + 100);
            for _ in 0..10_000 {
                walk.play(&mut evaluators);
                let outputs: Vec<i32> = evaluators
                    .iter_mut()
                    .map(|evaluator| evaluator.output(&walk.position))
                    .collect();
                assert!(
                    outputs.iter().all(|output| *output == outputs[0]),
                    "{names:?}: {outputs:?}, {}, wild: {wild}, {}",
                    architecture.name(),
                    walk.position.sfen()
                );
            }
        }
    }
}

/// An evaluator that follows a walk down and up again, with passes, as a search does it.
struct Follower<'a> {
    nnue: &'a Nnue,
    evaluator: NnueEvaluator,
    walk: Walk,
    depth: usize,
    /// Whether every position is evaluated. Otherwise some are passed by.
    every: bool,
}

impl Follower<'_> {
    fn new(nnue: &Nnue, seed: u64, every: bool) -> Follower<'_> {
        Follower {
            nnue,
            evaluator: nnue.evaluator(16),
            walk: Walk::new(seed),
            depth: 0,
            every,
        }
    }

    /// Compares with an evaluator that has seen no other position.
    fn check(&mut self) {
        let fresh = &mut self.nnue.evaluator(16);
        check(&mut self.evaluator, fresh, &self.walk.position);
    }

    fn make(&mut self, m: Move) {
        self.evaluator.before_make(&self.walk.position, m);
        self.walk.position.make(m);
        self.depth += 1;
        if self.every {
            self.check();
        }
    }

    fn unmake(&mut self, plies: usize) {
        for _ in 0..plies {
            self.walk.position.unmake();
            self.evaluator.after_unmake();
            self.depth -= 1;
            if self.every {
                self.check();
            }
        }
    }

    fn wander(&mut self, steps: usize) {
        for _ in 0..steps {
            match self.walk.random.below(10) {
                0..=5 => match self.walk.choose() {
                    Some(m) => self.make(m),
                    None => self.unmake(self.depth),
                },
                6..=8 => {
                    let plies = self.walk.random.below(self.depth.min(12) + 1);
                    self.unmake(plies);
                }
                _ if self.walk.position.checkers().is_empty() => {
                    self.walk.position.make_null();
                    self.check();
                    if let Some(m) = self.walk.choose() {
                        self.make(m);
                        self.check();
                        self.unmake(1);
                    }
                    self.walk.position.unmake_null();
                }
                _ => {}
            }
            if self.walk.random.below(3) > 0 {
                self.check();
            }
        }
    }
}

fn check(evaluator: &mut NnueEvaluator, fresh: &mut NnueEvaluator, position: &Position) {
    fresh.reset(position);
    assert_eq!(
        evaluator.output(position),
        fresh.output(position),
        "{}",
        position.sfen()
    );
}

#[test]
fn updated_accumulators_equal_fresh_ones() {
    for (seed, architecture) in Architecture::ALL.into_iter().enumerate() {
        let nnue = Nnue::new(&wild_network(architecture, seed as u64)).unwrap();
        for game in 0..4 {
            let mut follower = Follower::new(&nnue, 10 * seed as u64 + game, game % 2 == 0);
            follower.wander(400);
        }
        let (mut evaluator, mut fresh) = (nnue.evaluator(16), nnue.evaluator(16));
        // A copy goes on from where its original is.
        let mut position = Position::start(&Rules::default());
        evaluator.reset(&position);
        for text in ["7g7f", "3c3d", "8h2b+"] {
            let m = position.parse_move(text).unwrap();
            evaluator.before_make(&position, m);
            position.make(m);
        }
        check(&mut evaluator.clone(), &mut fresh, &position);
        position.unmake();
        let mut copy = evaluator.clone();
        copy.after_unmake();
        check(&mut copy, &mut fresh, &position);
    }
}

#[test]
fn paths_longer_than_foreseen_grow() {
    let nnue = Nnue::new(&random_network(Architecture::KP_256, 9)).unwrap();
    let (mut evaluator, mut fresh) = (nnue.evaluator(16), nnue.evaluator(16));
    let mut position = Position::start(&Rules::default());
    evaluator.reset(&position);
    for ply in 0..1000 {
        let text = ["5i5h", "5a5b", "5h5i", "5b5a"][ply % 4];
        let m = position.parse_move(text).unwrap();
        evaluator.before_make(&position, m);
        position.make(m);
        if ply % 100 > 50 {
            check(&mut evaluator, &mut fresh, &position);
        }
    }
}

#[test]
fn odd_positions_are_evaluated() {
    let rules = Rules::king_capture();
    for architecture in [Architecture::KP_256, Architecture::HALFKP_256] {
        let nnue = Nnue::new(&random_network(architecture, 5)).unwrap();
        let (mut evaluator, mut fresh) = (nnue.evaluator(16), nnue.evaluator(16));
        for sfen in [
            "4k4/9/9/9/9/9/9/9/9 b 18P 1",
            "9/9/9/9/9/4k4/4P4/9/4K4 b 4G 1",
            "4k4/9/9/9/9/9/9/9/4K4 b 18r18b18g18s18n18l18p 1",
        ] {
            let Ok(mut position) = Position::from_sfen(sfen, &rules) else {
                continue;
            };
            evaluator.reset(&position);
            check(&mut evaluator, &mut fresh, &position);
            let mut moves = MoveList::new();
            position.generate(Stage::All, true, &mut moves);
            // The capture of a king among them.
            for &m in moves.iter() {
                evaluator.before_make(&position, m);
                position.make(m);
                check(&mut evaluator, &mut fresh, &position);
                position.unmake();
                evaluator.after_unmake();
            }
        }
    }
}

#[test]
fn scores_stay_below_mate() {
    let mut network = Network::new(Architecture::KP_256);
    let position = Position::start(&Rules::default());
    for (bias, scale, wanted) in [
        (1600, 16, 100),
        (-1599, 16, -99),
        (1600, 128, 12),
        (i32::MAX, 1, EVAL_MAX),
        (i32::MIN, 1, -EVAL_MAX),
    ] {
        network.layers[2].biases[0] = bias;
        let mut evaluator = Nnue::new(&network).unwrap().evaluator(scale);
        assert_eq!(evaluator.evaluate(&position), wanted);
    }
    assert!(
        Nnue::new(&Network::new(Architecture {
            half: 64,
            ..Architecture::KP_256
        }))
        .is_none()
    );
    assert_eq!(position.side_to_move(), Color::Black);
}
