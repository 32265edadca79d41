//! Data for the tests of the trainer.

use std::io::Write;

use super::Settings;
use super::dataset::Sample;
use super::metrics::Target;
use crate::eval::hand::HandEvaluator;
use crate::eval::nnue::{Architecture, FeatureSet};
use crate::game::Evaluator;
use crate::learn::packed::PackedSfen;
use crate::learn::random::Random;
use crate::learn::record::Record;
use crate::shogi::{Position, Rules};

/// A network that is quick to train.
pub const SMALL: Architecture = Architecture {
    features: FeatureSet::Kp,
    half: 64,
    hidden1: 16,
    hidden2: 20,
};

/// Positions of random games with what the hand-written evaluation says.
pub fn records(count: usize) -> Vec<Record> {
    let mut records = Vec::new();
    for game in 0.. {
        let mut random = Random::nth(11, game);
        let mut position = Position::start(&Rules::default());
        for _ in 0..80 {
            let moves = position.legal_moves();
            if moves.is_empty() || records.len() == count {
                break;
            }
            position.make(moves[random.below(moves.len())]);
            let score = HandEvaluator.evaluate(&position);
            records.push(Record {
                packed: PackedSfen::pack(&position).unwrap(),
                score: score.clamp(-3000, 3000) as i16,
                best: None,
                ply: position.ply() as u16,
                result: score.signum() as i8,
            });
        }
        if records.len() == count {
            break;
        }
    }
    records
}

/// One position, without a score.
pub fn sample(position: &Position) -> Sample {
    let record = Record {
        packed: PackedSfen::pack(position).unwrap(),
        score: 0,
        best: None,
        ply: 1,
        result: 0,
    };
    Sample::of(&record).unwrap()
}

pub fn samples(count: usize) -> Vec<Sample> {
    let sample = |record: &Record| Sample::of(record).unwrap();
    records(count).iter().map(sample).collect()
}

pub fn file(count: usize) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    for record in records(count) {
        file.write_all(&record.to_bytes()).unwrap();
    }
    // A record that is being written.
    file.write_all(&[1; 17]).unwrap();
    file
}

pub fn settings(architecture: &Architecture) -> Settings {
    Settings {
        architecture: architecture.name(),
        target: Target {
            lambda: 0.2,
            scale: 600.0,
        },
        epochs: 3,
        batch: 256,
        rate: 0.003,
        rate_end: 0.1,
        warm_up: 0.05,
        decay: 0.0,
        mirror: true,
        group: 1 << 20,
        seed: 3,
        start: Settings::RANDOM.to_string(),
        hold_out: None,
    }
}
