//! A training: its passes over the data, and how it goes on after an interruption.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::checkpoint::State;
use super::dataset::{Part, Sample, Split};
use super::loader::Loader;
use super::metrics::Metrics;
use super::model::Model;
use super::schedule::Schedule;
use super::settings::{Settings, TrainError};
use super::step::{Plan, Stepper, batches, order};
use super::{checkpoint, dataset, export};
use crate::eval::nnue::{Architecture, Network};
use crate::learn::FileError;
use crate::learn::random::Random;

/// The most samples that are in memory at a time: their numbers have 31 bits.
pub const MAX_GROUP: u64 = 1 << 31;

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
    ///
    /// # Errors
    /// When they are others, or the file is no whole checkpoint.
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
        if let Some(name) = settings.difference(old) {
            return Err(TrainError::OtherSettings(name));
        }
        let paths = |parts: &[Part]| -> Vec<_> { parts.iter().map(|p| p.path.clone()).collect() };
        if paths(&old_split.training) != paths(&split.training)
            || paths(&old_split.validation) != paths(&split.validation)
        {
            return Err(TrainError::OtherSettings("list of data files".to_string()));
        }
        let now = ends(split);
        if let Some((path, _)) = ends(old_split).iter().find(|&(path, end)| now[path] < *end) {
            return Err(TrainError::Shorter(path.to_path_buf()));
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
        let mut stepper = Stepper::new(&self.architecture);
        let mut loader = Loader::new(groups);
        while self.progress.epoch < self.settings.epochs {
            let clock = Instant::now();
            while self.progress.group < loader.groups.len() {
                let loaded = loader.take(self.progress.group).map_err(TrainError::from)?;
                let order = self.order(loaded.samples.len(), loader.groups.len());
                for batch in batches(&order, self.settings.batch).skip(self.progress.step) {
                    if stop.load(Ordering::Relaxed) {
                        return Ok(false);
                    }
                    let plan = Plan {
                        target: self.settings.target,
                        rate: self.rate(),
                        decay: self.settings.decay,
                    };
                    let loss = stepper.step(&mut self.state, &loaded.samples, batch, plan);
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
                // Once for each group: not before it is done, and not in later passes.
                if self.progress.epoch == 0 {
                    self.progress.damaged += loaded.damaged;
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
        order(count, &mut random, self.settings.mirror)
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
}

/// Where the records of each file end that belong to a split.
fn ends(split: &Split) -> BTreeMap<&Path, u64> {
    let mut ends = BTreeMap::new();
    for part in split.training.iter().chain(&split.validation) {
        let end = ends.entry(part.path.as_path()).or_insert(0);
        *end = (part.from + part.records).max(*end);
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Score;
    use crate::eval::nnue::{FeatureSet, Nnue};
    use crate::game::Evaluator;
    use crate::learn::record::BYTES;
    use crate::learn::train::testing::{SMALL, file, records, settings};
    use std::io::Write;

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
    fn damaged_records_are_counted_once() {
        let mut file = file(300);
        // The beginning of one is there already.
        file.write_all(&[0; 5 * BYTES - 17]).unwrap();
        let files = [file.path().to_path_buf()];
        let split = Split::of(&files, &[], 0.0).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("checkpoint");
        let settings = settings(&SMALL);
        let mut trainer = Trainer::new(settings.clone(), SMALL, split.clone(), None).unwrap();
        for (stop, damaged) in [(true, 0), (true, 0), (false, 5)] {
            let stop = AtomicBool::new(stop);
            let none = |_: &mut Trainer| Ok::<(), TrainError>(());
            trainer
                .run(&[], &stop, &Watched::default(), none, none)
                .unwrap();
            assert_eq!(trainer.damaged(), damaged);
            trainer.save(&path).unwrap();
            trainer = Trainer::resume(&path, &settings, SMALL, &split).unwrap();
        }
        assert_eq!(trainer.damaged(), 5);

        // Of many passes, too, the checkpoint can be read.
        let epoch = trainer.epochs.last().unwrap().clone();
        trainer.epochs = vec![epoch; 10_000];
        trainer.save(&path).unwrap();
        let trainer = Trainer::resume(&path, &settings, SMALL, &split).unwrap();
        assert_eq!(trainer.epochs().len(), 10_000);
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
}
