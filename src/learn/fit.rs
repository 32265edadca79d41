//! The weights of the hand-written evaluation, fitted to data by logistic
//! regression ("Texel's Tuning Method", Chess Programming Wiki).
//!
//! The evaluation is a sum of weights, so `sigmoid(evaluation / scale)` is a
//! logistic model of how the game ends. The target is a mixture of the result and
//! of what a search thought, `lambda * result + (1 - lambda) * sigmoid(score /
//! scale)`; the loss is the cross-entropy. Adam (Kingma and Ba, "Adam: A Method for
//! Stochastic Optimization", 2015) goes down its gradient in mini-batches.
//!
//! Most weights are entries of large tables that few positions touch. A pull towards
//! the weights from which the fit began keeps them from learning noise: strong
//! for tables by square and offset, hardly any for the few numbers that every
//! position touches.
//!
//! A part of the games, not of the positions, is held out to see whether what was
//! learnt holds elsewhere: positions of one game are much alike.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::FileError;
use super::games::WaRecord;
use super::random::Random;
use super::record::{Reader, Record, RecordError};
use crate::eval::hand::{self, Group};
use crate::eval::wa as wa_eval;
use crate::game::Game;
use crate::wa;

/// Records that are read at a time.
const BLOCK: usize = 1 << 15;

/// Samples that one task adds up. The sums are the same with any number of threads.
const TASK: usize = 1 << 10;

/// How the fit is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Weight of the result in the target, 0 to 1; the search's score has the rest.
    pub lambda: f32,
    /// The evaluation that stands for a chance to win of 1 / (1 + 1/e), in
    /// centipawns.
    pub scale: f32,
    /// Strength of the pull towards the first weights, for the tables by square.
    pub pull: f32,
    /// Passes over the data.
    pub epochs: u32,
    /// Samples of one step.
    pub batch: usize,
    /// Step of Adam at the beginning and at the end, in centipawns; linear in
    /// between.
    pub rate: (f32, f32),
    /// What the order of the samples follows from.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            lambda: 0.3,
            scale: 1000.0,
            pull: 3e-5,
            epochs: 14,
            batch: 8192,
            rate: (2.0, 0.05),
            seed: 1,
        }
    }
}

/// The pull on the weights of shogi, as shares of [`Settings::pull`].
pub fn pulls() -> Vec<f32> {
    let mut pulls = vec![0.0; hand::FEATURES];
    for group in Group::ALL {
        pulls[group.range()].fill(stiffness(group));
    }
    pulls
}

/// The pull on the weights of wa shogi, as shares of [`Settings::pull`].
pub fn wa_pulls() -> Vec<f32> {
    let mut pulls = Vec::with_capacity(wa_eval::FEATURES);
    for (_, end, stiffness) in wa_eval::GROUPS {
        pulls.resize(end, stiffness);
    }
    pulls
}

/// The pull on a group's weights, as a share of [`Settings::pull`].
pub const fn stiffness(group: Group) -> f32 {
    match group {
        Group::Rank | Group::Attack | Group::Defence | Group::King => 1.0,
        Group::Hand | Group::Mobility | Group::Danger => 0.1,
        Group::Board | Group::Pinned | Group::Chased | Group::Hanging | Group::Tempo => 0.01,
    }
}

/// Positions as the fit sees them: features with how often they count, score and
/// result.
#[derive(Debug, Default)]
pub struct Samples {
    /// Where each sample's features end.
    ends: Vec<usize>,
    features: Vec<u16>,
    counts: Vec<i8>,
    /// Scores of the searches, centipawns.
    scores: Vec<f32>,
    /// 1 won, 0.5 drawn, 0 lost.
    results: Vec<f32>,
}

/// The features that `visit` names, each once, with its count.
fn collect(visit: impl FnOnce(&mut dyn FnMut(bool, usize))) -> Vec<(u16, i8)> {
    let mut all: Vec<(u16, i8)> = Vec::with_capacity(256);
    visit(&mut |ours, feature| all.push((feature as u16, if ours { 1 } else { -1 })));
    all.sort_unstable_by_key(|&(feature, _)| feature);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all.retain(|&(_, count)| count != 0);
    all
}

impl Samples {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn push(&mut self, features: &[(u16, i8)], score: i16, result: i8) {
        for &(feature, count) in features {
            self.features.push(feature);
            self.counts.push(count);
        }
        self.ends.push(self.features.len());
        self.scores.push(f32::from(score));
        self.results.push(f32::from(result + 1) / 2.0);
    }

    fn features(&self, index: usize) -> impl Iterator<Item = (usize, f32)> {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        let range = start..self.ends[index];
        let counts = self.counts[range.clone()].iter();
        self.features[range]
            .iter()
            .zip(counts)
            .map(|(&feature, &count)| (usize::from(feature), f32::from(count)))
    }

    fn prediction(&self, index: usize, weights: &[f32], scale: f32) -> f32 {
        let value: f32 = self
            .features(index)
            .map(|(feature, count)| weights[feature] * count)
            .sum();
        sigmoid(value / scale)
    }

    fn target(&self, index: usize, lambda: f32, scale: f32) -> f32 {
        lambda * self.results[index] + (1.0 - lambda) * sigmoid(self.scores[index] / scale)
    }

    /// The mean cross-entropy of the predictions to the targets, in nats; `None`
    /// when there are no samples.
    pub fn loss(&self, weights: &[f32], lambda: f32, scale: f32) -> Option<f64> {
        if self.is_empty() {
            return None;
        }
        let tasks: Vec<f64> = (0..self.len().div_ceil(TASK))
            .into_par_iter()
            .map(|task| {
                (task * TASK..((task + 1) * TASK).min(self.len()))
                    .map(|index| {
                        let target = f64::from(self.target(index, lambda, scale));
                        let prediction = self.prediction(index, weights, scale);
                        let prediction = f64::from(prediction).clamp(1e-6, 1.0 - 1e-6);
                        -(target * prediction.ln() + (1.0 - target) * (1.0 - prediction).ln())
                    })
                    .sum()
            })
            .collect();
        Some(tasks.iter().sum::<f64>() / self.len() as f64)
    }

    /// The mean gradient of the loss over some samples, but for a factor that the
    /// step size makes up for.
    fn gradient(&self, batch: &[u32], weights: &[f32], settings: &Settings) -> Vec<f32> {
        let tasks: Vec<Vec<f32>> = batch
            .par_chunks(TASK)
            .map(|task| {
                let mut gradient = vec![0.0; weights.len()];
                for &index in task {
                    let index = index as usize;
                    let error = self.prediction(index, weights, settings.scale)
                        - self.target(index, settings.lambda, settings.scale);
                    for (feature, count) in self.features(index) {
                        gradient[feature] += error * count;
                    }
                }
                gradient
            })
            .collect();
        let mut gradient = vec![0.0; weights.len()];
        for task in tasks {
            for (sum, part) in gradient.iter_mut().zip(task) {
                *sum += part / batch.len() as f32;
            }
        }
        gradient
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// What was read from data files.
#[derive(Debug, Default)]
pub struct Data {
    /// To learn from.
    pub training: Samples,
    /// To see whether it holds elsewhere.
    pub validation: Samples,
    /// Games read.
    pub games: u64,
    /// Positions left out because a static evaluation does not fit them
    /// ([`Record::is_quiet`]).
    pub left_out: u64,
    /// Damaged records.
    pub damaged: u64,
}

impl Data {
    /// Reads a file. Of each `hold_out` games one goes to the validation; games are
    /// told apart by their move numbers, so the file must not be shuffled. About
    /// 600 bytes of memory a position.
    pub fn add_file(&mut self, path: &Path, hold_out: u64) -> Result<(), FileError> {
        let mut reader = Reader::open(path).map_err(FileError::at(path))?;
        let mut last_ply = u16::MAX;
        loop {
            let block = reader.read(BLOCK).map_err(FileError::at(path))?;
            if block.is_empty() {
                return Ok(());
            }
            let samples: Vec<Result<Sample, RecordError>> = block
                .par_iter()
                .map(|bytes| {
                    let record = Record::from_bytes(bytes)?;
                    let position = record.position()?;
                    let quiet = record.is_quiet(&position);
                    Ok(Sample {
                        ply: record.ply,
                        score: record.score,
                        result: record.result,
                        features: quiet.then(|| collect(|add| hand::features(&position, add))),
                    })
                })
                .collect();
            self.add(samples, hold_out, &mut last_ply);
        }
    }

    /// Reads a file of wa shogi ([`WaRecord`]) for the game with or without drops.
    pub fn add_wa_file(
        &mut self,
        path: &Path,
        drops: bool,
        hold_out: u64,
    ) -> Result<(), FileError> {
        let rules = wa::Rules {
            drops,
            ..wa::Rules::default()
        };
        let samples: Vec<Option<Sample>> = WaRecord::read_file(path)?
            .into_par_iter()
            .map(|record| {
                let record = record.ok()?;
                let position = wa::Position::from_sfen(&record.sfen, &rules).ok()?;
                if !position.is_legal(record.best) {
                    return None;
                }
                let quiet = !position.in_check() && !position.is_noisy(record.best);
                Some(Sample {
                    ply: position.ply().min(u32::from(u16::MAX)) as u16,
                    score: record.score,
                    result: record.result,
                    features: quiet.then(|| collect(|add| wa_eval::features(&position, add))),
                })
            })
            .collect();
        self.add(samples.into_iter().map(|s| s.ok_or(())), hold_out, &mut {
            u16::MAX
        });
        Ok(())
    }

    /// Takes samples in the order of their games; `last_ply` is the move number
    /// before them.
    fn add<E>(
        &mut self,
        samples: impl IntoIterator<Item = Result<Sample, E>>,
        hold_out: u64,
        last_ply: &mut u16,
    ) {
        for sample in samples {
            let Ok(sample) = sample else {
                self.damaged += 1;
                continue;
            };
            self.games += u64::from(sample.ply <= *last_ply);
            *last_ply = sample.ply;
            let Some(features) = sample.features else {
                self.left_out += 1;
                continue;
            };
            let held_out = self.games.is_multiple_of(hold_out.max(2));
            let samples = match held_out {
                true => &mut self.validation,
                false => &mut self.training,
            };
            samples.push(&features, sample.score, sample.result);
        }
    }
}

/// One position of a data file.
struct Sample {
    /// Its move number.
    ply: u16,
    /// The search's score, centipawns.
    score: i16,
    /// 1 won, 0 drawn, -1 lost.
    result: i8,
    /// Its features; `None` if a static evaluation does not fit it.
    features: Option<Vec<(u16, i8)>>,
}

/// The losses after some passes over the data; `None` where there is no data.
#[derive(Clone, Copy, Debug)]
pub struct Losses {
    /// Passes done.
    pub epoch: u32,
    /// Loss on the training data.
    pub training: Option<f64>,
    /// Loss on the validation data.
    pub validation: Option<f64>,
    /// Loss on the validation data with the results alone as targets.
    pub validation_result: Option<f64>,
}

fn losses(data: &Data, weights: &[f32], settings: &Settings, epoch: u32) -> Losses {
    let Settings { lambda, scale, .. } = *settings;
    Losses {
        epoch,
        training: data.training.loss(weights, lambda, scale),
        validation: data.validation.loss(weights, lambda, scale),
        validation_result: data.validation.loss(weights, 1.0, scale),
    }
}

/// Adam's memory of the gradients: their mean and the mean of their squares.
struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    fn new(weights: usize) -> Adam {
        Adam {
            mean: vec![0.0; weights],
            square: vec![0.0; weights],
            steps: 0,
        }
    }

    fn step(&mut self, weights: &mut [f32], gradient: &[f32], rate: f32) {
        const BETAS: (f32, f32) = (0.9, 0.999);
        self.steps = self.steps.saturating_add(1);
        let corrections = (
            1.0 - BETAS.0.powi(self.steps),
            1.0 - BETAS.1.powi(self.steps),
        );
        let memory = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, &g), (mean, square)) in weights.iter_mut().zip(gradient).zip(memory) {
            *mean += (1.0 - BETAS.0) * (g - *mean);
            *square += (1.0 - BETAS.1) * (g * g - *square);
            let mean = *mean / corrections.0;
            *weight -= rate * mean / ((*square / corrections.1).sqrt() + 1e-7);
        }
    }
}

/// Fits weights to the training data, beginning with `start`, to which each is pulled
/// with its share of [`Settings::pull`], and reports the losses
/// before it and after each pass. `None` when `stop` became true, or when there is
/// nothing to learn from.
pub fn fit(
    data: &Data,
    start: &[i16],
    pulls: &[f32],
    settings: &Settings,
    stop: &AtomicBool,
    mut report: impl FnMut(&Losses),
) -> Option<Vec<i16>> {
    let samples = &data.training;
    if samples.is_empty() {
        return None;
    }
    let start: Vec<f32> = start.iter().map(|&weight| f32::from(weight)).collect();
    let mut weights = start.clone();
    report(&losses(data, &weights, settings, 0));
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut random = Random::new(settings.seed);
    let mut adam = Adam::new(weights.len());
    let batch = settings.batch.max(1);
    let steps = u64::from(settings.epochs) * order.len().div_ceil(batch) as u64;
    let mut step: u64 = 0;
    for epoch in 1..=settings.epochs {
        random.shuffle(&mut order);
        for batch in order.chunks(batch) {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            let mut gradient = samples.gradient(batch, &weights, settings);
            for (feature, g) in gradient.iter_mut().enumerate() {
                let pull = settings.pull * pulls[feature];
                *g += pull * (weights[feature] - start[feature]);
            }
            let progress = step as f32 / (steps - 1).max(1) as f32;
            let rate = settings.rate.0 + (settings.rate.1 - settings.rate.0) * progress;
            adam.step(&mut weights, &gradient, rate);
            step += 1;
        }
        report(&losses(data, &weights, settings, epoch));
    }
    // `as` keeps within the type's range.
    Some(weights.iter().map(|weight| weight.round() as i16).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Score;
    use crate::eval::hand::HandEvaluator;
    use crate::game::Evaluator;
    use crate::learn::packed::PackedSfen;
    use crate::shogi::{Position, Rules};
    use std::io::Write;

    /// Positions of random games, scored by an evaluation in which pawns in hand
    /// are worth 100 more. Each game's score decides it.
    fn data() -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for game in 0..60 {
            let mut random = Random::nth(9, game);
            let mut position = Position::start(&Rules::default());
            for _ in 0..60 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let best = moves[random.below(moves.len())];
                let pawns = |color| {
                    let kind = crate::shogi::PieceKind::Pawn;
                    position.hand(color).count(kind) as Score
                };
                let us = position.side_to_move();
                let score = HandEvaluator.evaluate(&position) + 100 * (pawns(us) - pawns(!us));
                let record = Record {
                    packed: PackedSfen::pack(&position).unwrap(),
                    score: score as i16,
                    best: Some(best),
                    ply: position.ply() as u16,
                    result: score.signum() as i8,
                };
                file.write_all(&record.to_bytes()).unwrap();
                position.make(best);
            }
        }
        file.write_all(&[0; 40]).unwrap();
        file
    }

    #[test]
    fn features_give_the_evaluation() {
        let mut position = Position::start(&Rules::default());
        let mut random = Random::new(4);
        for _ in 0..100 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
            let sum: Score = collect(|add| hand::features(&position, add))
                .iter()
                .map(|&(feature, count)| {
                    Score::from(hand::weights()[usize::from(feature)]) * Score::from(count)
                })
                .sum();
            assert_eq!(sum, HandEvaluator.evaluate(&position));
        }
    }

    #[test]
    fn finds_a_change_of_the_weights() {
        let file = data();
        let mut data = Data::default();
        data.add_file(file.path(), 10).unwrap();
        assert_eq!((data.games, data.damaged), (60, 1));
        assert!(data.left_out > 0);
        assert!(data.training.len() > 6 * data.validation.len());
        assert!(data.validation.len() > 50);

        let settings = Settings {
            lambda: 0.0,
            scale: 600.0,
            batch: 256,
            epochs: 10,
            ..Settings::default()
        };
        let stop = AtomicBool::new(false);
        let mut reports = Vec::new();
        let fitted = |reports: &mut Vec<Losses>| {
            fit(
                &data,
                hand::weights(),
                &pulls(),
                &settings,
                &stop,
                |losses| {
                    reports.push(*losses);
                },
            )
        };
        let weights = fitted(&mut reports).unwrap();
        assert_eq!(fitted(&mut Vec::new()), Some(weights.clone()));
        assert_eq!(reports.len(), 11);
        // The cross-entropy is not 0 at its best: compare with that.
        let entropy = |samples: &Samples| {
            let of = |index| {
                let p = f64::from(samples.target(index, 0.0, 600.0));
                -(p * p.ln() + (1.0 - p) * (1.0 - p).ln())
            };
            (0..samples.len()).map(of).sum::<f64>() / samples.len() as f64
        };
        let excess = |losses: &Losses| {
            (
                losses.training.unwrap() - entropy(&data.training),
                losses.validation.unwrap() - entropy(&data.validation),
            )
        };
        let (before, after) = (excess(&reports[0]), excess(&reports[10]));
        assert!(after.0 < before.0 / 3.0, "{before:?} {after:?}");
        assert!(after.1 < before.1 / 1.5, "{before:?} {after:?}");
        let pawn_in_hand = Group::Hand.range().start;
        let change = weights[pawn_in_hand] - hand::weights()[pawn_in_hand];
        assert!(change > 20, "{change}");

        stop.store(true, Ordering::Relaxed);
        assert_eq!(fitted(&mut Vec::new()), None);
        stop.store(false, Ordering::Relaxed);
        let nothing = Data::default();
        assert_eq!(
            fit(
                &nothing,
                hand::weights(),
                &pulls(),
                &settings,
                &stop,
                |_| ()
            ),
            None
        );
    }
}
