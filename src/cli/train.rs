//! `tsuru learn train`: trains a network on self-play data.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use tsuru::core::files::{self, beside};
use tsuru::eval::hand::HandEvaluator;
use tsuru::eval::nnue::{Architecture, Network};
use tsuru::game::Evaluator;
use tsuru::learn::record::Record;
use tsuru::learn::train::dataset::{self, Part, Sample, Split};
use tsuru::learn::train::metrics::{Metrics, Target, fit_scale};
use tsuru::learn::train::{Epoch, Settings, Trainer, Watched, report};

use super::learn::{check_output, not_negative, number, positive, unit_interval};
use super::{Done, progress};

/// Samples that the scale is fitted to.
const SCALE_SAMPLES: u64 = 1_000_000;

/// A checkpoint is written at least this often.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(600);

/// Train a network for the evaluation.
///
/// Writes the network (the classic NNUE format) after every pass whose loss on the
/// validation data is the best so far, and beside it FILE.csv and FILE.svg with the
/// losses and FILE.checkpoint. When that file exists, the training goes on from it;
/// settings and data must be the same. Ctrl-C ends the work and keeps the checkpoint.
#[derive(Args)]
#[command(after_help = "\
Losses are mean Kullback-Leibler divergences (nats; 0 is perfect) of the predicted chance
to win, sigmoid(evaluation / SCALE), from LAMBDA * result + (1 - LAMBDA) *
sigmoid(score / SCALE). `integers` is the network as it is written, in its own arithmetic.

The end of each file is held out to validate. Shuffle only what does not fit the memory,
and validate shuffled data with a file of its own.

Examples:
  tsuru learn train data.bin -o net.nn
  tsuru learn train new.bin old.bin -o next.nn --init net.nn --rate 0.0005
  tsuru learn train shuffled.bin -o net.nn --validation other.bin --arch halfkp-256")]
pub struct TrainArgs {
    /// The data files (see `learn gensfen`).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The network to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// What kind of network.
    #[arg(long, value_enum, default_value_t = Arch::Kp256)]
    arch: Arch,

    /// Begin with the weights of this network.
    #[arg(long, value_name = "FILE")]
    init: Option<PathBuf>,

    /// Weight of the result in the target, 0 to 1; the search's score has the rest.
    #[arg(long, value_parser = unit_interval, default_value_t = 0.25)]
    lambda: f32,

    /// Centipawns of a logit of 1, or `fit`: with which the scores predict the
    /// results best.
    #[arg(long, value_name = "CP", value_parser = scale, default_value = "fit")]
    scale: Scale,

    /// Passes over the data.
    #[arg(long, value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    epochs: u32,

    /// Positions of one step.
    #[arg(long, value_name = "N", default_value_t = 8192,
          value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,

    /// The highest learning rate.
    #[arg(long, value_name = "RATE", value_parser = positive, default_value_t = 0.002)]
    rate: f32,

    /// The last learning rate, as a share of the highest.
    #[arg(long, value_name = "SHARE", value_parser = unit_interval, default_value_t = 0.01)]
    rate_end: f32,

    /// The share of the training in which the rate rises.
    #[arg(long, value_name = "SHARE", value_parser = unit_interval, default_value_t = 0.03)]
    warm_up: f32,

    /// Weight decay (AdamW).
    #[arg(long, value_name = "SHARE", value_parser = not_negative, default_value_t = 0.0)]
    decay: f32,

    /// Show no position in a mirror.
    #[arg(long)]
    no_mirror: bool,

    /// The share of each file that is held out to validate, in per cent.
    #[arg(long, value_name = "PERCENT", value_parser = percent, default_value_t = 3.0)]
    hold_out: f32,

    /// Validate with these files and hold nothing out.
    #[arg(long, value_name = "FILE")]
    validation: Vec<PathBuf>,

    /// Memory for positions, MB; what is larger is read part by part.
    #[arg(long, value_name = "MB", default_value_t = 4096,
          value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,

    /// What all that is random follows from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; 0 for one on each core.
    #[arg(long, short, default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=512))]
    threads: u16,

    /// Tell the loss of another evaluation, too.
    #[arg(long, value_enum)]
    baseline: Option<Baseline>,

    /// Print JSON, when all is done.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Arch {
    /// K-P 256x2-32-32
    #[value(name = "kp-256")]
    Kp256,
    /// HalfKP 256x2-32-32
    #[value(name = "halfkp-256")]
    HalfKp256,
    /// HalfKP 512x2-8-96
    #[value(name = "halfkp-512-8-96")]
    HalfKp512x8x96,
    /// HalfKP 512x2-16-32
    #[value(name = "halfkp-512-16-32")]
    HalfKp512x16x32,
    /// HalfKP 1024x2-8-32
    #[value(name = "halfkp-1024-8-32")]
    HalfKp1024x8x32,
    /// HalfKP 1024x2-8-64
    #[value(name = "halfkp-1024-8-64")]
    HalfKp1024x8x64,
}

impl Arch {
    /// In the order of [`Architecture::ALL`].
    fn architecture(self) -> Architecture {
        Architecture::ALL[self as usize]
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Baseline {
    /// The hand-written evaluation
    Hand,
}

#[derive(Clone, Copy)]
enum Scale {
    Fit,
    Centipawns(f32),
}

fn scale(text: &str) -> Result<Scale, String> {
    if text == "fit" {
        return Ok(Scale::Fit);
    }
    number(
        text,
        |n| (10.0..=10_000.0).contains(&n),
        "from 10 to 10000, nor `fit`",
    )
    .map(Scale::Centipawns)
}

fn percent(text: &str) -> Result<f32, String> {
    number(text, |n| (0.0..=90.0).contains(&n), "from 0 to 90")
}

#[derive(Serialize)]
struct Report<'a> {
    network: String,
    settings: &'a Settings,
    training_positions: u64,
    validation_positions: usize,
    damaged: u64,
    complete: bool,
    /// The best prediction that is the same for all positions.
    constant: Option<Metrics>,
    /// The hand-written evaluation, with `--baseline hand`.
    hand: Option<Metrics>,
    epochs: &'a [Epoch],
    /// Number of the pass after which the network was written.
    best_epoch: Option<u32>,
    /// Of this run, validation not counted.
    positions_per_second: f64,
}

/// The number of the pass with the best network: the least loss in integers, or
/// simply the last one without data to validate.
fn best_epoch(epochs: &[Epoch]) -> Option<u32> {
    let loss = |epoch: &&Epoch| epoch.quantised.map(|metrics| metrics.loss);
    let best = epochs
        .iter()
        .filter(|epoch| epoch.quantised.is_some())
        .min_by(|a, b| {
            loss(a)
                .partial_cmp(&loss(b))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
    best.or(epochs.last()).map(|epoch| epoch.epoch)
}

/// The hand-written evaluation on the positions of data files.
fn hand_metrics(parts: &[Part], target: Target) -> anyhow::Result<Option<Metrics>> {
    let mut samples = Vec::new();
    let mut logits = Vec::new();
    dataset::read(parts, |records| {
        for bytes in records {
            let record = Record::from_bytes(bytes);
            let position = record.as_ref().map(|record| record.position());
            if let (Ok(record), Ok(Ok(position))) = (&record, position)
                && let Ok(sample) = Sample::of(record)
            {
                samples.push(sample);
                logits.push(HandEvaluator.evaluate(&position) as f32 / target.scale);
            }
        }
    })?;
    Ok(Metrics::of(&samples, logits, target))
}

fn print_metrics(out: &mut impl Write, name: &str, metrics: Option<Metrics>) -> io::Result<()> {
    match metrics {
        None => Ok(()),
        Some(metrics) => writeln!(
            out,
            "{name:<25} loss {:.6}, to the results {:.6}, correlation {:.4}",
            metrics.loss, metrics.result_loss, metrics.correlation
        ),
    }
}

fn line(epoch: &Epoch) -> String {
    let text = |metrics: Option<Metrics>, part: fn(Metrics) -> f64| {
        metrics.map_or("-".to_string(), |metrics| format!("{:.6}", part(metrics)))
    };
    format!(
        "{:>5}  {:>9.6}  {:.6}  {:>10}  {:>10}  {:>10}  {:>11}",
        epoch.epoch,
        epoch.rate,
        epoch.training,
        text(epoch.validation, |metrics| metrics.loss),
        text(epoch.quantised, |metrics| metrics.loss),
        text(epoch.quantised, |metrics| metrics.result_loss),
        text(epoch.quantised, |metrics| metrics.correlation),
    )
}

/// The training that the arguments ask for, or the one that was interrupted.
fn trainer(args: &TrainArgs, checkpoint: &Path) -> anyhow::Result<Trainer> {
    let architecture = args.arch.architecture();
    let split = Split::of(
        &args.files,
        &args.validation,
        f64::from(args.hold_out) / 100.0,
    )?;
    let exists = checkpoint.exists();
    let scale = match args.scale {
        Scale::Centipawns(scale) => scale,
        Scale::Fit if exists => Trainer::saved_settings(checkpoint)?.target.scale,
        Scale::Fit => {
            let first = dataset::groups(&split.training, SCALE_SAMPLES);
            let first = first.first().map_or(&[][..], |group| group);
            fit_scale(&dataset::load(first)?.samples).round()
        }
    };
    let memory = args.memory << 20;
    let training = dataset::count(&split.training);
    // While one part is in use, the next one is being read.
    let fits = memory / size_of::<Sample>() as u64;
    let settings = Settings {
        architecture: architecture.name(),
        target: Target {
            lambda: args.lambda,
            scale,
        },
        epochs: args.epochs,
        batch: args.batch as usize,
        rate: args.rate,
        rate_end: args.rate_end,
        warm_up: args.warm_up,
        decay: args.decay,
        mirror: !args.no_mirror,
        group: if training <= fits { fits } else { fits / 2 },
        seed: args.seed,
        start: match &args.init {
            None => Settings::RANDOM.to_string(),
            Some(path) => path.display().to_string(),
        },
        hold_out: args.validation.is_empty().then_some(args.hold_out),
    };
    if exists {
        let trainer = Trainer::resume(checkpoint, &settings, architecture, &split)
            .with_context(|| format!("cannot go on with {}", checkpoint.display()))?;
        let count =
            |split: &Split| dataset::count(&split.training) + dataset::count(&split.validation);
        let grown = count(&split).saturating_sub(count(trainer.split()));
        if grown > 0 {
            eprintln!(
                "note: {grown} positions came into the data files after this training began \
                 and are not used; to train with them remove {}",
                checkpoint.display()
            );
        }
        return Ok(trainer);
    }
    let start = match &args.init {
        None => None,
        Some(path) => {
            let bytes =
                fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            Some(Network::read(&bytes).with_context(|| path.display().to_string())?)
        }
    };
    Ok(Trainer::new(settings, architecture, split, start.as_ref())?)
}

pub fn run(args: &TrainArgs) -> anyhow::Result<Done> {
    let checkpoint = beside(&args.output, ".checkpoint");
    let threads = match args.threads {
        0 => available_parallelism().map_or(1, Into::into),
        threads => threads.into(),
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .context("cannot start the threads")?;
    if let Some(folder) = args.output.parent().filter(|p| !p.as_os_str().is_empty())
        && !folder.is_dir()
    {
        bail!("{} is no folder", folder.display());
    }
    check_output(&args.output, &args.files)?;
    check_output(&args.output, &args.validation)?;
    progress::watch_for_interrupt()?;
    pool.install(|| run_in_pool(args, &checkpoint))
}

fn run_in_pool(args: &TrainArgs, checkpoint: &Path) -> anyhow::Result<Done> {
    let mut trainer = trainer(args, checkpoint)?;
    let validation = dataset::load(&trainer.split().validation)?.samples;
    let target = trainer.settings().target;
    let constant = Metrics::of_constant(&validation, target);
    let hand = match args.baseline {
        None => None,
        Some(Baseline::Hand) => hand_metrics(&trainer.split().validation, target)?,
    };
    let training = dataset::count(&trainer.split().training);
    if !args.json {
        let mut out = stdout().lock();
        writeln!(
            out,
            "{}: {training} positions to learn from, {} to validate; lambda {}, scale {}.",
            trainer.settings().architecture,
            validation.len(),
            target.lambda,
            target.scale
        )?;
        let epochs = trainer.settings().epochs;
        if trainer.total_positions() > 0 {
            writeln!(
                out,
                "It goes on from {}, with {} of {epochs} passes done.",
                checkpoint.display(),
                trainer.epochs().len(),
            )?;
        }
        print_metrics(&mut out, "The best constant:", constant)?;
        print_metrics(&mut out, "Hand-written evaluation:", hand)?;
        writeln!(
            out,
            "epoch       rate  training  validation    integers  to results  correlation"
        )?;
        for epoch in trainer.epochs() {
            writeln!(out, "{}", line(epoch))?;
        }
    }

    let watched = Watched::default();
    let before = trainer.total_positions();
    watched.positions.store(before, Ordering::Relaxed);
    let length = training * u64::from(trainer.settings().epochs);
    let lines: Mutex<Vec<String>> = Mutex::default();
    let print_lines = || {
        let mut lines = lines
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        for line in lines.drain(..) {
            // The report at the end says so if nobody listens.
            let _ = writeln!(stdout(), "{line}");
        }
    };
    let clock = Instant::now();
    let mut validating = Duration::ZERO;
    let saved = Cell::new(Instant::now());
    let is_complete = progress::with_bar(
        |bar| {
            let positions = watched.positions.load(Ordering::Relaxed);
            let rate = (positions - before) as f64 / clock.elapsed().as_secs_f64().max(1e-3);
            let loss = f64::from_bits(watched.loss.load(Ordering::Relaxed));
            bar.set_length(length);
            bar.set_position(positions.min(length));
            bar.set_message(format!("loss {loss:.5}, {rate:.0} positions/s"));
            bar.suspend(print_lines);
        },
        || {
            trainer.run(
                &validation,
                progress::interrupt_flag(),
                &watched,
                |trainer| -> anyhow::Result<()> {
                    let epochs = trainer.epochs();
                    if let Some(epoch) = epochs.last() {
                        validating += Duration::from_secs_f64(epoch.validation_seconds);
                        if !args.json {
                            let mut lines = lines
                                .lock()
                                .unwrap_or_else(|poisoned| poisoned.into_inner());
                            lines.push(line(epoch));
                        }
                    }
                    save_epoch(args, trainer)?;
                    trainer.save(checkpoint)?;
                    saved.set(Instant::now());
                    Ok(())
                },
                |trainer| {
                    if saved.get().elapsed() > CHECKPOINT_EVERY {
                        trainer.save(checkpoint)?;
                        saved.set(Instant::now());
                    }
                    Ok(())
                },
            )
        },
    )?;
    print_lines();
    if !is_complete {
        trainer.save(checkpoint)?;
    }
    let seconds = clock.elapsed().saturating_sub(validating).as_secs_f64();
    let report = Report {
        network: args.output.display().to_string(),
        settings: trainer.settings(),
        training_positions: training,
        validation_positions: validation.len(),
        damaged: trainer.damaged(),
        complete: is_complete,
        constant,
        hand,
        epochs: trainer.epochs(),
        best_epoch: best_epoch(trainer.epochs()),
        positions_per_second: (trainer.total_positions() - before) as f64 / seconds.max(1e-3),
    };
    if report.damaged > 0 {
        eprintln!("warning: {} damaged records were left out", report.damaged);
    }
    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        match report.best_epoch {
            Some(epoch) => writeln!(out, "{} is the network of pass {epoch}.", report.network)?,
            None => writeln!(out, "No pass is done yet.")?,
        }
        if trainer.total_positions() > before {
            writeln!(out, "{:.0} positions/s", report.positions_per_second)?;
        } else {
            writeln!(
                out,
                "Nothing was left to do; without {} it begins anew.",
                checkpoint.display()
            )?;
        }
    }
    if is_complete {
        return Ok(Done::Yes);
    }
    eprintln!(
        "Stopped: the same command goes on from {}.",
        checkpoint.display()
    );
    Ok(Done::Interrupted)
}

/// Writes the network, if it is the best so far, and the logs.
fn save_epoch(args: &TrainArgs, trainer: &Trainer) -> anyhow::Result<()> {
    let epochs = trainer.epochs();
    if best_epoch(epochs) == epochs.last().map(|epoch| epoch.epoch) {
        let network = trainer.network();
        replace(&args.output, |out| network.write(out))?;
    }
    let title = format!(
        "{} {}",
        trainer.settings().architecture,
        args.output
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
    );
    let csv = report::csv(epochs);
    let svg = report::svg(epochs, &title);
    replace(&beside(&args.output, ".csv"), |out| {
        out.write_all(csv.as_bytes())
    })?;
    replace(&beside(&args.output, ".svg"), |out| {
        out.write_all(svg.as_bytes())
    })
}

/// [`files::replace`] that names the file when it fails.
fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> anyhow::Result<()> {
    files::replace(path, write).with_context(|| format!("cannot write {}", path.display()))
}
