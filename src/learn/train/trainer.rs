//! A training: its settings, its steps, its passes over the data, and how it goes on
//! after an interruption.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::checkpoint::State;
use super::dataset::{Part, Sample, Split};
use super::loader::Loader;
use super::metrics::{Metrics, Target};
use super::model::{BLOCK, Gradient, Model, Workspace};
use super::optimizer::Step;
use super::schedule::Schedule;
use super::{checkpoint, dataset, export, metrics, model};
use crate::eval::nnue::{Architecture, Network};
use crate::learn::FileError;
use crate::learn::random::Random;

/// Set in an order of samples where the sample is mirrored.
const MIRRORED: u32 = 1 << 31;

/// The most samples that are in memory at a time: their numbers have 31 bits.
pub const MAX_GROUP: u64 = 1 << 31;

/// How a network is trained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// [`Architecture::name`] of the network.
    pub architecture: String,
    /// What it learns to say.
    pub target: Target,
    /// Passes over the data.
    pub epochs: u32,
    /// Positions of a step, about.
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The last rate as a share of it.
    pub rate_end: f32,
    /// The share of the training in which the rate rises.
    pub warm_up: f32,
    /// Weight decay.
    pub decay: f32,
    /// Whether half of the positions are shown in a mirror.
    pub mirror: bool,
    /// Samples that are in memory at a time.
    pub group: u64,
    /// What all that is random follows from.
    pub seed: u64,
}

/// Why a training ended early.
#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// A data file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// There is nothing to learn from.
    #[error("the data files have no whole record to learn from")]
    NoData,
    /// The numbers have grown beyond all bounds.
    #[error("the loss is no number any more; try a lower learning rate")]
    Diverged,
    /// The network is not of the wanted kind.
    #[error("the network to begin with is {found}, not {wanted}")]
    Architecture {
        /// Name of its architecture.
        found: String,
        /// Name of the wanted one.
        wanted: String,
    },
    /// The checkpoint belongs to a training with other settings.
    #[error("the checkpoint was made with another {0}; remove it to begin anew")]
    OtherSettings(String),
}

/// What a pass over the data has brought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// Its number, from 1.
    pub epoch: u32,
    /// Positions learnt from so far.
    pub positions: u64,
    /// The learning rate at its end.
    pub rate: f32,
    /// Mean loss on the training data, each position before its step.
    pub training: f64,
    /// The network in `f32` on the validation data, if there is any.
    pub validation: Option<Metrics>,
    /// The network in integers on the validation data.
    pub quantised: Option<Metrics>,
    /// Seconds that the pass took, or this run's part of it.
    pub seconds: f64,
    /// Seconds that its validation took.
    pub validation_seconds: f64,
}

/// How far a training has come.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Progress {
    /// Whole passes done.
    epoch: u32,
    /// Groups of samples done in this pass.
    group: usize,
    /// Steps done in this group.
    step: usize,
    /// Positions done in this pass.
    positions: u64,
    /// Their losses.
    loss: f64,
    /// Positions done in all.
    total: u64,
    /// Damaged records met in the first pass.
    damaged: u64,
}

/// The first line of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Header {
    settings: Settings,
    split: Split,
    progress: Progress,
    epochs: Vec<Epoch>,
}

/// One thread's share of a step.
struct Shard {
    work: Workspace,
    gradient: Gradient,
    loss: f64,
    by_logit: Vec<f32>,
}

/// Numbers to watch a training by, from other threads.
#[derive(Debug, Default)]
pub struct Watched {
    /// Positions done in all.
    pub positions: AtomicU64,
    /// Bits of the mean loss of this pass, an `f64`.
    pub loss: AtomicU64,
}

/// A training.
pub struct Trainer {
    settings: Settings,
    split: Split,
    architecture: Architecture,
    progress: Progress,
    epochs: Vec<Epoch>,
    state: State,
}

impl Trainer {
    /// A training from its beginning: from random weights or from a network.
    pub fn new(
        settings: Settings,
        architecture: Architecture,
        split: Split,
        start: Option<&Network>,
    ) -> Result<Trainer, TrainError> {
        let model = match start {
            None => Model::random(architecture, settings.seed),
            Some(network) if network.architecture() != architecture => {
                return Err(TrainError::Architecture {
                    found: network.architecture().name(),
                    wanted: architecture.name(),
                });
            }
            Some(network) => export::from_network(network, settings.target.scale),
        };
        if dataset::count(&split.training) == 0 {
            return Err(TrainError::NoData);
        }
        Ok(Trainer {
            settings,
            split,
            architecture,
            progress: Progress::default(),
            epochs: Vec::new(),
            state: State::new(model),
        })
    }

    /// Goes on with the training of a checkpoint if it had the same settings and
    /// files. Files may have grown: what was added is not used.
    pub fn resume(
        path: &Path,
        settings: &Settings,
        architecture: Architecture,
        split: &Split,
    ) -> Result<Trainer, TrainError> {
        let mut opened = checkpoint::open::<Header>(path)?;
        let Header {
            settings: old,
            split: old_split,
            ..
        } = &opened.header;
        if let Some(name) = different(old, settings) {
            return Err(TrainError::OtherSettings(name));
        }
        let paths = |parts: &[Part]| -> Vec<_> { parts.iter().map(|p| p.path.clone()).collect() };
        let is_shorter =
            |(old, new): (&Part, &Part)| new.from + new.records < old.from + old.records;
        if paths(&old_split.training) != paths(&split.training)
            || paths(&old_split.validation) != paths(&split.validation)
            || old_split
                .validation
                .iter()
                .zip(&split.validation)
                .any(is_shorter)
        {
            return Err(TrainError::OtherSettings("list of data files".to_string()));
        }
        let mut state = State::new(Model::random(architecture, 0));
        opened.read(&mut state)?;
        let header = opened.header;
        Ok(Trainer {
            settings: header.settings,
            split: header.split,
            architecture,
            progress: header.progress,
            epochs: header.epochs,
            state,
        })
    }

    /// The settings of a checkpoint.
    pub fn saved_settings(path: &Path) -> Result<Settings, FileError> {
        Ok(checkpoint::open::<Header>(path)?.header.settings)
    }

    /// Writes a checkpoint.
    pub fn save(&mut self, path: &Path) -> Result<(), FileError> {
        let header = Header {
            settings: self.settings.clone(),
            split: self.split.clone(),
            progress: self.progress.clone(),
            epochs: self.epochs.clone(),
        };
        checkpoint::save(path, &header, &mut self.state)
    }

    /// How the network is trained.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What it learns from.
    pub fn split(&self) -> &Split {
        &self.split
    }

    /// The passes that are done.
    pub fn epochs(&self) -> &[Epoch] {
        &self.epochs
    }

    /// Damaged records among those to learn from.
    pub fn damaged(&self) -> u64 {
        self.progress.damaged
    }

    /// Positions learnt from so far, all passes together.
    pub fn total_positions(&self) -> u64 {
        self.progress.total
    }

    /// The network as it is now.
    pub fn model(&self) -> &Model {
        &self.state.model
    }

    /// The network as it is now, in integers.
    pub fn network(&self) -> Network {
        export::quantise(&self.state.model, self.settings.target.scale)
    }

    /// Goes on until all passes are done (true) or `stop` is set (false), on the
    /// threads of the present rayon pool. `each_epoch` is called after every pass,
    /// `tick` after every step.
    pub fn run<E: From<TrainError>>(
        &mut self,
        validation: &[Sample],
        stop: &AtomicBool,
        watched: &Watched,
        mut each_epoch: impl FnMut(&mut Trainer) -> Result<(), E>,
        mut tick: impl FnMut(&mut Trainer) -> Result<(), E>,
    ) -> Result<bool, E> {
        let groups = dataset::groups(&self.split.training, self.settings.group.min(MAX_GROUP));
        let mut shards: Vec<Shard> = (0..rayon::current_num_threads())
            .map(|_| Shard {
                work: Workspace::new(&self.architecture),
                gradient: Gradient::new(&self.architecture),
                loss: 0.0,
                by_logit: Vec::new(),
            })
            .collect();
        let mut loader = Loader::new(groups);
        while self.progress.epoch < self.settings.epochs {
            let clock = Instant::now();
            while self.progress.group < loader.groups.len() {
                let loaded = loader.take(self.progress.group).map_err(TrainError::from)?;
                if self.progress.epoch == 0 && self.progress.step == 0 {
                    self.progress.damaged += loaded.damaged;
                }
                let order = self.order(loaded.samples.len(), loader.groups.len());
                for batch in batches(&order, self.settings.batch).skip(self.progress.step) {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    let loss = self.step(&loaded.samples, batch, &mut shards);
                    if !loss.is_finite() {
                        return Err(TrainError::Diverged.into());
                    }
                    let progress = &mut self.progress;
                    progress.step += 1;
                    progress.positions += batch.len() as u64;
                    progress.total += batch.len() as u64;
                    progress.loss += loss;
                    watched.positions.store(progress.total, Ordering::Relaxed);
                    let mean = progress.loss / progress.positions as f64;
                    watched.loss.store(mean.to_bits(), Ordering::Relaxed);
                    tick(self)?;
                }
                self.progress.group += 1;
                self.progress.step = 0;
            }
            if self.progress.positions == 0 {
                return Err(TrainError::NoData.into());
            }
            let rate = self.rate();
            let training = self.progress.loss / self.progress.positions as f64;
            if !self.state.model.dense.iter().all(|x| x.is_finite()) {
                return Err(TrainError::Diverged.into());
            }
            self.progress = Progress {
                epoch: self.progress.epoch + 1,
                group: 0,
                positions: 0,
                loss: 0.0,
                ..self.progress.clone()
            };
            let seconds = clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            let target = self.settings.target;
            let logits = self.state.model.logits(validation);
            let integer = export::logits(&self.network(), validation, target.scale);
            self.epochs.push(Epoch {
                epoch: self.progress.epoch,
                positions: self.progress.total,
                rate,
                training,
                validation: Metrics::of(validation, logits, target),
                quantised: Metrics::of(validation, integer, target),
                seconds,
                validation_seconds: clock.elapsed().as_secs_f64(),
            });
            each_epoch(self)?;
        }
        Ok(true)
    }

    /// The order of the samples of the present group, and which are mirrored.
    fn order(&self, count: usize, groups: usize) -> Vec<u32> {
        let index = u64::from(self.progress.epoch) * groups as u64 + self.progress.group as u64;
        let mut random = Random::nth(self.settings.seed, index);
        let mut order: Vec<u32> = (0..count as u32).collect();
        random.shuffle(&mut order);
        if self.settings.mirror {
            for sample in &mut order {
                *sample |= (random.next_u64() >> 32) as u32 & MIRRORED;
            }
        }
        order
    }

    /// The present learning rate.
    fn rate(&self) -> f32 {
        let size = dataset::count(&self.split.training).max(1) as f64;
        let passes = f64::from(self.progress.epoch) + self.progress.positions as f64 / size;
        let schedule = Schedule {
            peak: self.settings.rate,
            end: self.settings.rate_end,
            warm_up: self.settings.warm_up,
        };
        schedule.rate((passes / f64::from(self.settings.epochs.max(1))) as f32)
    }

    /// One step; the sum of the losses before it.
    fn step(&mut self, samples: &[Sample], batch: &[u32], shards: &mut [Shard]) -> f64 {
        let share = batch.len().div_ceil(shards.len()).next_multiple_of(BLOCK);
        let model = &self.state.model;
        let target = self.settings.target;
        let weight = 1.0 / batch.len() as f32;
        shards
            .par_iter_mut()
            .zip(batch.par_chunks(share))
            .for_each(|(shard, share)| shard.learn(model, samples, share, target, weight));
        let loss = shards
            .iter_mut()
            .map(|shard| std::mem::take(&mut shard.loss))
            .sum();
        let [first, others @ ..] = shards else {
            return loss;
        };
        for other in others {
            first.gradient.add(&mut other.gradient);
        }
        let limits = export::limits(self.architecture.features, target.scale);
        let step = Step {
            rate: self.rate(),
            decay: self.settings.decay,
            limit: limits.input,
        };
        let gradient = &mut first.gradient;
        let (model, state) = (&mut self.state.model, &mut self.state.input);
        state.step(
            &mut model.input,
            &mut gradient.input,
            &mut gradient.touched,
            step,
        );
        let step = Step {
            limit: f32::INFINITY,
            ..step
        };
        let state = &mut self.state.dense;
        state.step(&mut model.dense, &mut gradient.dense, &mut [true], step);
        for (index, layer) in model::layers(&self.architecture).into_iter().enumerate() {
            let limit = match index + 1 < model::LAYERS {
                true => limits.hidden,
                false => limits.output,
            };
            for weight in &mut model.dense[layer.weights..layer.biases] {
                *weight = weight.clamp(-limit, limit);
            }
        }
        for bias in &mut model.dense[..self.architecture.half] {
            *bias = bias.clamp(-limits.input, limits.input);
        }
        loss
    }
}

impl Shard {
    /// Sums losses and gradient of positions.
    fn learn(
        &mut self,
        model: &Model,
        samples: &[Sample],
        share: &[u32],
        target: Target,
        weight: f32,
    ) {
        let Shard {
            work,
            gradient,
            loss,
            by_logit,
        } = self;
        model.prepare(work);
        for block in share.chunks(BLOCK) {
            work.clear();
            let sample = |entry: u32| &samples[(entry & !MIRRORED) as usize];
            for &entry in block {
                let mirror = entry & MIRRORED != 0;
                work.push(sample(entry), model.architecture.features, mirror);
            }
            model.forward(work);
            by_logit.clear();
            for (&entry, logit) in block.iter().zip(work.logits()) {
                let wanted = target.of(sample(entry));
                *loss += Target::loss(wanted, logit);
                by_logit.push((metrics::sigmoid(logit) - wanted) * weight);
            }
            model.backward(work, by_logit, gradient);
        }
    }
}

/// The name of a setting that differs, if any does. How much is in memory matters, too:
/// the order of the samples follows from it.
fn different(old: &Settings, new: &Settings) -> Option<String> {
    let (old, new) = (
        serde_json::to_value(old).ok()?,
        serde_json::to_value(new).ok()?,
    );
    let (old, new) = (old.as_object()?, new.as_object()?);
    let name = old.keys().find(|&name| old.get(name) != new.get(name));
    name.cloned()
}

/// Divides an order into batches that are all about as long as wanted.
fn batches(order: &[u32], wanted: usize) -> impl Iterator<Item = &[u32]> {
    let count = ((order.len() as f64 / wanted.max(1) as f64).round() as usize).max(1);
    order.chunks(order.len().div_ceil(count).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::{Color, Score};
    use crate::eval::hand::HandEvaluator;
    use crate::eval::nnue::{FeatureSet, Nnue};
    use crate::game::Evaluator;
    use crate::learn::packed::PackedSfen;
    use crate::learn::record::Record;
    use crate::shogi::{Position, Rules};
    use std::io::Write;

    const SMALL: Architecture = Architecture {
        features: FeatureSet::Kp,
        half: 64,
        hidden1: 16,
        hidden2: 20,
    };

    /// Positions of random games with what the hand-written evaluation says.
    fn records(count: usize) -> Vec<Record> {
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
                    ply: 1,
                    result: score.signum() as i8,
                });
            }
            if records.len() == count {
                break;
            }
        }
        records
    }

    fn samples(count: usize) -> Vec<Sample> {
        let sample = |record: &Record| Sample::of(record).unwrap();
        records(count).iter().map(sample).collect()
    }

    fn file(count: usize) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        for record in records(count) {
            file.write_all(&record.to_bytes()).unwrap();
        }
        // A record that is being written.
        file.write_all(&[1; 17]).unwrap();
        file
    }

    fn settings(architecture: &Architecture) -> Settings {
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
        }
    }

    fn loss(model: &Model, samples: &[Sample], target: Target) -> f64 {
        let logits = model.logits(samples);
        let losses = samples.iter().zip(logits);
        losses
            .map(|(s, logit)| Target::loss(target.of(s), logit))
            .sum::<f64>()
            / samples.len() as f64
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for features in [FeatureSet::Kp, FeatureSet::HalfKp] {
            let architecture = Architecture { features, ..SMALL };
            let samples = samples(150);
            let target = settings(&architecture).target;
            let mut model = Model::random(architecture, 5);
            let mut shard = Shard {
                work: Workspace::new(&architecture),
                gradient: Gradient::new(&architecture),
                loss: 0.0,
                by_logit: Vec::new(),
            };
            let all: Vec<u32> = (0..samples.len() as u32).collect();
            shard.learn(&model, &samples, &all, target, 1.0 / samples.len() as f32);
            let gradient = shard.gradient;
            let base = loss(&model, &samples, target);
            assert!((shard.loss / samples.len() as f64 - base).abs() < 1e-6);

            // Along random directions of each group of parameters, the largest
            // components of the gradient among them.
            let half = architecture.half;
            let mut ranges = vec![(0, half)];
            for layer in model::layers(&architecture) {
                ranges.push((layer.weights, layer.biases));
                ranges.push((layer.biases, layer.biases + layer.width));
            }
            let check =
                |along: f64, step: f32, model: &mut Model, shift: &dyn Fn(&mut Model, f32)| {
                    shift(model, step);
                    let up = loss(model, &samples, target);
                    shift(model, -2.0 * step);
                    let down = loss(model, &samples, target);
                    shift(model, step);
                    let found = (up - down) / (2.0 * f64::from(step));
                    assert!(
                        (found - along).abs() < 0.03 * along.abs() + 1e-5,
                        "{found} {along}"
                    );
                };
            for (from, to) in ranges {
                let part = gradient.dense[from..to].to_vec();
                let norm = part.iter().map(|g| g * g).sum::<f32>().sqrt();
                assert!(norm > 0.0);
                check(f64::from(norm), 1e-3, &mut model, &|model, step| {
                    for (x, g) in model.dense[from..to].iter_mut().zip(&part) {
                        *x += step * g / norm;
                    }
                });
            }
            let norm = gradient.input.iter().map(|g| g * g).sum::<f32>().sqrt();
            check(f64::from(norm), 1e-3, &mut model, &|model, step| {
                for (x, g) in model.input.iter_mut().zip(&gradient.input) {
                    *x += step * g / norm;
                }
            });
            for row in 0..gradient.touched.len() {
                let is_zero = gradient.input[row * half..][..half]
                    .iter()
                    .all(|&g| g == 0.0);
                assert!(gradient.touched[row] || is_zero);
            }
        }
    }

    #[test]
    fn a_few_positions_are_learnt_by_heart_in_integers_too() {
        let file = file(300);
        let files = [file.path().to_path_buf()];
        let split = Split::of(&files, &files, 0.0).unwrap();
        let factorised = Architecture {
            features: FeatureSet::HalfKp,
            ..SMALL
        };
        for architecture in [Architecture::KP_256, factorised] {
            let mut settings = settings(&architecture);
            settings.target.lambda = 0.0;
            (settings.epochs, settings.batch, settings.mirror) = (150, 60, false);
            let mut trainer = Trainer::new(settings, architecture, split.clone(), None).unwrap();
            let validation = dataset::load(&split.validation).unwrap().samples;
            assert_eq!(validation.len(), 300);
            let go = AtomicBool::new(false);
            let watched = Watched::default();
            let none = |_: &mut Trainer| Ok::<(), TrainError>(());
            assert!(trainer.run(&validation, &go, &watched, none, none).unwrap());
            let last = trainer.epochs().last().unwrap();
            let (float, integer) = (last.validation.unwrap(), last.quantised.unwrap());
            let constant = Metrics::of_constant(&validation, trainer.settings().target).unwrap();
            assert!(float.loss < constant.loss / 50.0, "{float:?} {constant:?}");
            assert!(
                integer.loss < constant.loss / 20.0,
                "{integer:?} {constant:?}"
            );
            assert!(float.correlation > 0.99 && integer.correlation > 0.98);

            // From the file's integers back to the same integers.
            let network = trainer.network();
            let again = export::from_network(&network, 600.0);
            assert!(export::quantise(&again, 600.0) == network);
            let logits = export::logits(&network, &validation, 600.0);
            for (x, y) in logits.into_iter().zip(again.logits(&validation)) {
                assert!((x - y).abs() < 0.2, "{x} {y}");
            }
        }
    }

    #[test]
    fn interrupted_or_not_the_network_is_the_same() {
        let file = file(2000);
        let files = [file.path().to_path_buf()];
        let split = Split::of(&files, &[], 0.1).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(1)
            .build()
            .unwrap();
        // In one part and in several.
        for group in [1 << 20, 700] {
            let mut settings = settings(&SMALL);
            settings.group = group;
            let new = || Trainer::new(settings.clone(), SMALL, split.clone(), None).unwrap();
            let run = |trainer: &mut Trainer, steps: u32| {
                let mut left = steps;
                let stop = AtomicBool::new(false);
                let tick = |_: &mut Trainer| {
                    left -= 1;
                    stop.store(left == 0, Ordering::Relaxed);
                    Ok::<(), TrainError>(())
                };
                let watched = Watched::default();
                pool.install(|| trainer.run(&[], &stop, &watched, |_| Ok(()), tick))
                    .unwrap()
            };
            let mut whole = new();
            assert!(run(&mut whole, u32::MAX));
            let mut trainer = new();
            let mut stops = 0;
            while !run(&mut trainer, 4) {
                trainer.save(&path).unwrap();
                trainer = Trainer::resume(&path, &settings, SMALL, &split).unwrap();
                stops += 1;
            }
            assert!(stops >= 4, "{stops}");
            assert!(trainer.state == whole.state);
            let first = whole.epochs()[0].training;
            assert_eq!(trainer.epochs()[0].training, first);
            assert!(whole.epochs()[2].training < first);

            let mut other = settings.clone();
            other.batch = 99;
            let error = Trainer::resume(&path, &other, SMALL, &split).err().unwrap();
            assert_eq!(
                error.to_string(),
                "the checkpoint was made with another batch; remove it to begin anew"
            );
        }
        let bytes = std::fs::read(&path).unwrap();
        for length in [0, 10, bytes.len() - 1] {
            let cut = folder.path().join("cut");
            std::fs::write(&cut, &bytes[..length]).unwrap();
            assert!(Trainer::resume(&cut, &settings(&SMALL), SMALL, &split).is_err());
        }
    }

    #[test]
    fn integers_are_those_of_inference() {
        let mut model = Model::random(Architecture::KP_256, 2);
        // Large enough that all clipping occurs.
        for x in model.input.iter_mut().chain(&mut model.dense) {
            *x *= 1.5;
        }
        let network = export::quantise(&model, 600.0);
        let mut evaluator = Nnue::new(&network).unwrap().evaluator(16);
        let records = records(400);
        let samples: Vec<Sample> = records.iter().map(|r| Sample::of(r).unwrap()).collect();
        let logits = export::logits(&network, &samples, 600.0);
        let mut different = Vec::new();
        for (record, logit) in records.iter().zip(logits) {
            let position = record.position().unwrap();
            evaluator.reset(&position);
            let score = evaluator.evaluate(&position);
            assert_eq!(score, (logit * 16.0 * 600.0).round() as Score / 16);
            different.push(score);
        }
        different.sort_unstable();
        different.dedup();
        assert!(different.len() > 100);
    }

    #[test]
    fn says_what_is_wrong() {
        let new = |architecture: Architecture, bytes: usize, start: Option<&Network>| {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), vec![0; bytes]).unwrap();
            let split = Split::of(&[file.path().to_path_buf()], &[], 0.1).unwrap();
            let mut trainer = Trainer::new(settings(&architecture), architecture, split, start)?;
            let go = AtomicBool::new(false);
            let none = |_: &mut Trainer| Ok::<(), TrainError>(());
            trainer.run(&[], &go, &Watched::default(), none, none)
        };
        assert!(matches!(new(SMALL, 0, None), Err(TrainError::NoData)));
        // Records, but none of them whole.
        assert!(matches!(new(SMALL, 400, None), Err(TrainError::NoData)));
        let network = Network::new(Architecture::HALFKP_256);
        let error = new(Architecture::KP_256, 400, Some(&network)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the network to begin with is HalfKP 256x2-32-32, not K-P 256x2-32-32"
        );
    }

    #[test]
    fn both_sides_see_the_same_network() {
        // A position with colours and board turned has the same inputs.
        let sfen = |text: &str| Position::from_sfen(text, &Rules::default()).unwrap();
        let black = sfen("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3");
        let white = sfen("lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 4");
        let sample = |position: &Position| {
            let record = Record {
                packed: PackedSfen::pack(position).unwrap(),
                score: 0,
                best: None,
                ply: 1,
                result: 0,
            };
            Sample::of(&record).unwrap()
        };
        assert_eq!(black.side_to_move(), Color::Black);
        let mut model = Model::random(SMALL, 1);
        model.dense[0] = 0.3;
        let logits = model.logits(&[sample(&black), sample(&white)]);
        // The sums have another order.
        assert!((logits[0] - logits[1]).abs() < 1e-5, "{logits:?}");
    }
}
