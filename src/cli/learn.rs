//! `tsuru learn`: makes self-play data, looks into it, and learns from it.

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;
use std::time::Instant;

use anyhow::{Context, bail};
use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use tsuru::arena::openings;
use tsuru::core::files::{self, fingerprint};
use tsuru::eval::hand::{self, Group};
use tsuru::eval::wa::{self as wa_eval, WaEvaluator};
use tsuru::game::Evaluator;
use tsuru::learn::fit::{self, Data, Losses};
use tsuru::learn::games::SelfPlay;
use tsuru::learn::gensfen::{DataFile, Progress, State, Target};
use tsuru::learn::record::BYTES;
use tsuru::learn::selfplay::Settings;
use tsuru::learn::shuffle::shuffle;
use tsuru::learn::stats::{PLY_CLASS, PLY_CLASSES, SCORE_LIMITS, Statistics};
use tsuru::learn::weights_file;
use tsuru::shogi::Position;
use tsuru::wa;

use super::evaluation::EvaluationArgs;
use super::{Done, progress, train};

/// Make self-play data, look into it, and learn from it.
///
/// Data files are 40-byte records as YaneuraOu's training data has them
/// (PackedSfenValue).
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru learn gensfen -o data.bin --openings openings.sfen --positions 1000000
  tsuru learn info data.bin
  tsuru learn train data.bin -o net.nn
  tsuru learn fit data.bin -o src/eval/weights.rs")]
pub struct LearnArgs {
    #[command(subcommand)]
    command: LearnCommand,
}

#[derive(Subcommand)]
enum LearnCommand {
    Gensfen(GensfenArgs),
    Info(InfoArgs),
    Shuffle(ShuffleArgs),
    Fit(FitArgs),
    Train(train::TrainArgs),
}

/// The game to learn.
#[derive(Args)]
struct GameArgs {
    /// Shogi, or wa shogi, whose data files are lines of text.
    #[arg(long, value_enum, default_value_t = GameArg::Shogi)]
    variant: GameArg,

    /// Wa shogi without drops.
    #[arg(long)]
    no_drops: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GameArg {
    Shogi,
    #[value(name = "washogi", aliases = wa::Rules::ALIASES)]
    WaShogi,
}

/// Play the engine against itself and write the positions to a file.
///
/// Each game begins at a random position that a quick search finds balanced. A
/// record has the position, the score and the best move of its search, and the
/// result of the game. A file that exists is gone on with, if settings and evaluation
/// are the same: FILE.state has them. Ctrl-C ends the work and keeps the finished games.
/// The file depends neither on the number of threads nor on interruptions.
#[derive(Args)]
#[command(after_help = "\
Openings are lines like `startpos moves 7g7f 3c3d` or an sfen. Without them every game
begins at the initial position; use more random moves then.

Examples:
  tsuru learn gensfen -o data.bin --openings openings.sfen --positions 1000000
  tsuru learn gensfen -o deep.bin --depth 8 --random-plies 6-12 --threads 0
  tsuru learn gensfen -o wa.txt --variant washogi --nodes 500 --random-plies 4-10")]
struct GensfenArgs {
    /// The data file to write or to go on with.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    game: GameArgs,

    /// Stop when the file has this many positions, after the game.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,

    /// Stop when the file has this many games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    /// Nodes of each search [default: 2000, if there is no depth].
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth of each search.
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: Option<u32>,

    /// What all that is random follows from.
    #[arg(long, value_name = "N", default_value_t = Settings::default().seed)]
    seed: u64,

    /// Games at a time, each on a thread; 0 for one on each core.
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u16).range(0..=512))]
    threads: u16,

    /// Transposition table of each game, MB.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,

    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// Openings, one a line.
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Moves to play of an opening.
    #[arg(long, value_name = "MIN-MAX", value_parser = range, default_value = "4-24")]
    opening_plies: (u32, u32),

    /// Games that begin without an opening, in per cent.
    #[arg(long, value_name = "PERCENT", default_value_t = Settings::default().from_start,
          value_parser = clap::value_parser!(u32).range(0..=100))]
    from_start: u32,

    /// Random moves that follow.
    #[arg(long, value_name = "MIN-MAX", value_parser = range, default_value = "2-7")]
    random_plies: (u32, u32),

    /// The largest score of a balanced start, centipawns.
    #[arg(long, value_name = "CP", default_value_t = Settings::default().balance,
          value_parser = clap::value_parser!(i32).range(0..=30_000))]
    balance: i32,

    /// Nodes of the search that judges a start.
    #[arg(long, value_name = "NODES", default_value_t = Settings::default().balance_nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    balance_nodes: u64,

    /// A game is decided when a search sees this score, centipawns.
    #[arg(long, value_name = "CP", default_value_t = Settings::default().decisive,
          value_parser = clap::value_parser!(i32).range(1..=32_000))]
    decisive: i32,

    /// A game is drawn after this many moves.
    #[arg(long, value_name = "N", default_value_t = Settings::default().max_plies,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    max_plies: u32,

    /// Leave out positions in check.
    #[arg(long)]
    skip_checks: bool,

    /// Leave out positions whose best move captures or promotes a pawn.
    #[arg(long)]
    skip_captures: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Tell what data files hold, and which records are damaged.
///
/// Exit status 1 when something is damaged.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru learn info data.bin
  tsuru learn info --json *.bin")]
struct InfoArgs {
    /// The data files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Print JSON, an object a line for each file.
    #[arg(long)]
    json: bool,
}

/// Write the records of data files to one file in random order.
#[derive(Args)]
#[command(after_help = "\
Files larger than the memory go through part files beside the output. A file that
`learn gensfen` made stays as it is, so that its games can be gone on with: shuffle into
another one.

Examples:
  tsuru learn shuffle a.bin b.bin -o shuffled.bin
  tsuru learn shuffle big.bin -o big.bin --memory 4096 --seed 7")]
struct ShuffleArgs {
    /// The data files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The file to write; it may be one of them.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// The order.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Memory for records, MB.
    #[arg(long, value_name = "MB", default_value_t = 1024,
          value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    memory: u64,
}

/// Fit the weights of the hand-written evaluation to data.
///
/// Begins with the weights of this program and writes `weights.rs`; build the
/// program with it and let it play against the old one. Files must not be shuffled:
/// some games are held out to validate. About 600 bytes of memory a position.
/// Positions in check, or whose best move captures or promotes a pawn, are left out.
#[derive(Args)]
#[command(after_help = "\
Losses are mean cross-entropies (nats) of sigmoid(evaluation / SCALE) to the target
LAMBDA * result + (1 - LAMBDA) * sigmoid(score / SCALE). They are not 0 at their best:
look at how they fall.

Examples:
  tsuru learn fit data.bin -o src/eval/weights.rs
  tsuru learn fit old.bin new.bin -o new_weights.rs --lambda 0.5 --epochs 20
  tsuru learn fit wa.txt --variant washogi -o src/eval/wa_drops.rs")]
struct FitArgs {
    /// The data files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// The source file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    game: GameArgs,

    /// Weight of the result in the target, 0 to 1; the search's score has the rest.
    #[arg(long, value_parser = unit_interval, default_value_t = fit::Settings::default().lambda)]
    lambda: f32,

    /// Centipawns in a unit of the sigmoid.
    #[arg(long, value_name = "CP", value_parser = positive,
          default_value_t = fit::Settings::default().scale)]
    scale: f32,

    /// Strength of the pull towards the present weights.
    #[arg(long, value_parser = not_negative, default_value_t = fit::Settings::default().pull)]
    pull: f32,

    /// Passes over the data.
    #[arg(long, value_name = "N", default_value_t = fit::Settings::default().epochs)]
    epochs: u32,

    /// Positions of one step.
    #[arg(long, value_name = "N", default_value_t = 8192,
          value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,

    /// Step size at the beginning, centipawns; it falls to a fortieth.
    #[arg(long, value_name = "CP", value_parser = positive,
          default_value_t = fit::Settings::default().rate.0)]
    rate: f32,

    /// Hold out one of so many games to validate.
    #[arg(long, value_name = "N", default_value_t = 25,
          value_parser = clap::value_parser!(u64).range(2..))]
    hold_out: u64,

    /// The order of the positions.
    #[arg(long, value_name = "N", default_value_t = fit::Settings::default().seed)]
    seed: u64,
}

/// Reads `4-24` or `5`.
fn range(text: &str) -> Result<(u32, u32), String> {
    let (low, high) = text.split_once('-').unwrap_or((text, text));
    match (low.parse(), high.parse()) {
        (Ok(low), Ok(high)) if low <= high && high <= 1000 => Ok((low, high)),
        _ => Err("two numbers up to 1000 like 4-24, the smaller one first".to_string()),
    }
}

pub(super) fn number(text: &str, is_good: impl Fn(f32) -> bool, what: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(number) if number.is_finite() && is_good(number) => Ok(number),
        _ => Err(format!("not a number {what}")),
    }
}

pub(super) fn unit_interval(text: &str) -> Result<f32, String> {
    number(text, |n| (0.0..=1.0).contains(&n), "from 0 to 1")
}

pub(super) fn positive(text: &str) -> Result<f32, String> {
    number(text, |n| n > 0.0, "above 0")
}

pub(super) fn not_negative(text: &str) -> Result<f32, String> {
    number(text, |n| n >= 0.0, "from 0 on")
}

pub fn run(args: &LearnArgs) -> anyhow::Result<Done> {
    match &args.command {
        LearnCommand::Gensfen(args) => run_gensfen(args),
        LearnCommand::Info(args) => run_info(args),
        LearnCommand::Shuffle(args) => run_shuffle(args),
        LearnCommand::Fit(args) => run_fit(args),
        LearnCommand::Train(args) => train::run(args),
    }
}

/// What was done, or that Ctrl-C came.
fn done() -> Done {
    match progress::interrupted() {
        true => Done::Interrupted,
        false => Done::Yes,
    }
}

#[derive(Serialize)]
struct GensfenReport {
    positions: u64,
    games: u64,
    /// Of this run.
    new_positions: u64,
    new_games: u64,
    seconds: f64,
    positions_per_second: f64,
}

fn run_gensfen(args: &GensfenArgs) -> anyhow::Result<Done> {
    match args.game.variant {
        GameArg::Shogi => {
            let (evaluator, name) = (args.evaluation.evaluator()?, args.evaluation.name()?);
            gensfen::<Position>(args, &evaluator, &name)
        }
        GameArg::WaShogi => {
            let weights = wa_eval::weights(!args.game.no_drops).iter();
            let weights = weights.flat_map(|weight| weight.to_le_bytes());
            let name = format!("wa {}", fingerprint(weights));
            gensfen::<wa::Position>(args, &WaEvaluator, &name)
        }
    }
}

fn gensfen<G: SelfPlay>(
    args: &GensfenArgs,
    evaluator: &(impl Evaluator<G> + Sync),
    name: &str,
) -> anyhow::Result<Done> {
    let settings = Settings {
        nodes: args.nodes.or(args.depth.is_none().then_some(2000)),
        depth: args.depth,
        hash_mb: args.hash as usize,
        seed: args.seed,
        opening_plies: args.opening_plies,
        from_start: args.from_start,
        random_plies: args.random_plies,
        balance: args.balance,
        balance_nodes: args.balance_nodes,
        decisive: args.decisive,
        max_plies: args.max_plies,
        skip_checks: args.skip_checks,
        skip_captures: args.skip_captures,
        wa_drops: !args.game.no_drops,
    };
    let openings = match &args.openings {
        None => Vec::new(),
        Some(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            openings::read::<G>(&text, &G::self_play_rules(&settings))
                .with_context(|| path.display().to_string())?
        }
    };
    let threads = match args.threads {
        0 => available_parallelism().map_or(1, Into::into),
        threads => threads.into(),
    };
    let mut file = DataFile::<G>::open(&args.output, settings, &openings, name)?;
    let before = file.state().clone();
    let target = Target {
        games: args.games.unwrap_or(u64::MAX),
        positions: args.positions,
    };
    progress::watch_for_interrupt()?;
    let watched = Progress::default();
    let clock = Instant::now();
    let rate = |state: &State| {
        let new = state.positions.saturating_sub(before.positions);
        new as f64 / clock.elapsed().as_secs_f64().max(1e-3)
    };
    let result = progress::with_bar(
        |bar| {
            let state = State {
                games: watched.games.load(Ordering::Relaxed),
                positions: watched.positions.load(Ordering::Relaxed),
                ..before.clone()
            };
            let (position, length) = match args.games {
                Some(games) => (state.games, games),
                None => (state.positions, args.positions),
            };
            bar.set_length(length);
            bar.set_position(position.min(length));
            bar.set_message(format!(
                "{} games, {:.0} positions/s",
                state.games,
                rate(&state)
            ));
        },
        || {
            let stop = progress::interrupt_flag();
            file.run(evaluator, threads, target, stop, &watched)
        },
    );
    result?;
    let after = file.state();
    let report = GensfenReport {
        positions: after.positions,
        games: after.games,
        new_positions: after.positions - before.positions,
        new_games: after.games - before.games,
        seconds: clock.elapsed().as_secs_f64(),
        positions_per_second: rate(after),
    };
    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "{} has {} positions of {} games; {} positions of {} games are new ({:.0} positions/s).",
            args.output.display(),
            report.positions,
            report.games,
            report.new_positions,
            report.new_games,
            report.positions_per_second
        )?;
    }
    Ok(done())
}

/// Records in all files, as far as their sizes tell.
fn count_records(files: &[PathBuf]) -> anyhow::Result<u64> {
    let mut total = 0;
    for path in files {
        let metadata =
            fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
        if !metadata.is_file() {
            bail!("{} is no file", path.display());
        }
        total += metadata.len() / BYTES as u64;
    }
    Ok(total)
}

#[derive(Serialize)]
struct JsonInfo<'a> {
    file: String,
    positions: u64,
    games: u64,
    won: u64,
    drawn: u64,
    lost: u64,
    black_won: u64,
    white_won: u64,
    in_check: u64,
    captures: u64,
    without_move: u64,
    distinct: u64,
    /// Upper limits (exclusive) of the classes of `scores`; the last has none.
    score_limits: &'a [i32],
    scores: &'a [u64],
    /// Moves in each class of `plies`; the last has no end.
    ply_class: usize,
    plies: &'a [u64],
    damaged: u64,
    damages: Vec<JsonDamage>,
    bytes_after_the_end: usize,
}

#[derive(Serialize)]
struct JsonDamage {
    record: u64,
    reason: String,
}

fn run_info(args: &InfoArgs) -> anyhow::Result<Done> {
    let total = count_records(&args.files)?;
    progress::watch_for_interrupt()?;
    let read = AtomicU64::new(0);
    let mut all_good = true;
    for path in &args.files {
        let statistics = progress::with_bar(
            |bar| {
                bar.set_length(total);
                bar.set_position(read.load(Ordering::Relaxed));
            },
            || Statistics::of(path, progress::interrupt_flag(), &read),
        )?;
        all_good &= statistics.damaged == 0 && statistics.rest == 0;
        let mut out = stdout().lock();
        if args.json {
            serde_json::to_writer(&mut out, &json_info(path, &statistics))?;
            writeln!(out)?;
        } else {
            print_info(&mut out, path, &statistics)?;
        }
        if progress::interrupted() {
            return Ok(Done::Interrupted);
        }
    }
    Ok(match all_good {
        true => Done::Yes,
        false => Done::Negative,
    })
}

fn json_info<'a>(path: &Path, statistics: &'a Statistics) -> JsonInfo<'a> {
    let damages = statistics.damages.iter().map(|(record, error)| JsonDamage {
        record: *record,
        reason: error.to_string(),
    });
    JsonInfo {
        file: path.display().to_string(),
        positions: statistics.positions,
        games: statistics.games,
        won: statistics.results[2],
        drawn: statistics.results[1],
        lost: statistics.results[0],
        black_won: statistics.winners[2],
        white_won: statistics.winners[0],
        in_check: statistics.checks,
        captures: statistics.captures,
        without_move: statistics.no_move,
        distinct: statistics.distinct,
        score_limits: &SCORE_LIMITS,
        scores: &statistics.scores,
        ply_class: PLY_CLASS,
        plies: &statistics.plies,
        damaged: statistics.damaged,
        damages: damages.collect(),
        bytes_after_the_end: statistics.rest,
    }
}

fn print_info(out: &mut impl Write, path: &Path, statistics: &Statistics) -> anyhow::Result<()> {
    let share = |count: u64| 100.0 * count as f64 / statistics.positions.max(1) as f64;
    let line = |count: u64| format!("{count:>12} {:>5.1} %", share(count));
    let [lost, drawn, won] = statistics.results;
    let [white, _, black] = statistics.winners;
    writeln!(out, "{}", path.display())?;
    writeln!(out, "Positions:        {:>12}", statistics.positions)?;
    writeln!(out, "Different, about: {}", line(statistics.distinct))?;
    writeln!(out, "Games, about:     {:>12}", statistics.games)?;
    writeln!(out, "In check:         {}", line(statistics.checks))?;
    writeln!(out, "Best captures:    {}", line(statistics.captures))?;
    writeln!(out, "No best move:     {}", line(statistics.no_move))?;
    writeln!(out, "Side to move won: {}", line(won))?;
    writeln!(out, "            drew: {}", line(drawn))?;
    writeln!(out, "            lost: {}", line(lost))?;
    writeln!(out, "Black won:        {}", line(black))?;
    writeln!(out, "White won:        {}", line(white))?;
    writeln!(out, "Scores")?;
    for (class, &count) in statistics.scores.iter().enumerate() {
        let low = class.checked_sub(1).map(|below| SCORE_LIMITS[below]);
        let name = match (low, SCORE_LIMITS.get(class).map(|limit| limit - 1)) {
            (Some(low), Some(high)) => format!("{low} to {high}"),
            (Some(low), None) => format!("from {low}"),
            (None, high) => format!("to {}", high.unwrap_or_default()),
        };
        writeln!(out, "  {name:>15} {}", line(count))?;
    }
    writeln!(out, "Move numbers")?;
    for (class, &count) in statistics.plies.iter().enumerate() {
        let low = class * PLY_CLASS + 1;
        let name = match class + 1 < PLY_CLASSES {
            true => format!("{low} to {}", low + PLY_CLASS - 1),
            false => format!("from {low}"),
        };
        writeln!(out, "  {name:>15} {}", line(count))?;
    }
    writeln!(out, "Damaged records:  {:>12}", statistics.damaged)?;
    for (number, error) in &statistics.damages {
        writeln!(out, "  record {number}: {error}")?;
    }
    if statistics.damaged > statistics.damages.len() as u64 {
        writeln!(out, "  and others")?;
    }
    if statistics.rest > 0 {
        writeln!(out, "{} bytes follow the last record.", statistics.rest)?;
    }
    Ok(())
}

fn run_shuffle(args: &ShuffleArgs) -> anyhow::Result<Done> {
    let total = count_records(&args.files)?;
    progress::watch_for_interrupt()?;
    let handled = AtomicU64::new(0);
    let shuffled = progress::with_bar(
        |bar| {
            // Each record is read and written.
            bar.set_length(2 * total);
            bar.set_position(handled.load(Ordering::Relaxed));
        },
        || {
            shuffle(
                &args.files,
                &args.output,
                args.seed,
                args.memory << 20,
                progress::interrupt_flag(),
                &handled,
            )
        },
    )?;
    if shuffled.rest > 0 {
        eprintln!(
            "warning: {} bytes are no whole record and were left out",
            shuffled.rest
        );
    }
    if !shuffled.complete {
        eprintln!("Stopped: {} was not written.", args.output.display());
        return Ok(Done::Interrupted);
    }
    println!(
        "{} has {} positions.",
        args.output.display(),
        shuffled.records
    );
    Ok(Done::Yes)
}

fn print_losses(losses: &Losses) -> std::io::Result<()> {
    let text = |loss: Option<f64>| loss.map_or("-".to_string(), |loss| format!("{loss:.6}"));
    writeln!(
        stdout(),
        "{:>5}  {:>10}  {:>10}  {:>18}",
        losses.epoch,
        text(losses.training),
        text(losses.validation),
        text(losses.validation_result)
    )
}

/// Refuses an output that would take the place of data, or that cannot be written.
pub(super) fn check_output(output: &Path, data: &[PathBuf]) -> anyhow::Result<()> {
    if data.iter().any(|path| files::is_same(path, output)) {
        bail!("{} is one of the data files", output.display());
    }
    files::check(output).with_context(|| format!("cannot write {}", output.display()))
}

fn run_fit(args: &FitArgs) -> anyhow::Result<Done> {
    let drops = !args.game.no_drops;
    let is_wa = args.game.variant == GameArg::WaShogi;
    count_records(&args.files)?;
    check_output(&args.output, &args.files)?;
    progress::watch_for_interrupt()?;
    let mut data = Data::default();
    for path in &args.files {
        match is_wa {
            true => data.add_wa_file(path, drops, args.hold_out)?,
            false => data.add_file(path, args.hold_out)?,
        }
        if progress::interrupted() {
            return Ok(Done::Interrupted);
        }
    }
    if data.damaged > 0 {
        eprintln!("warning: {} damaged records were left out", data.damaged);
    }
    if data.training.is_empty() {
        bail!("there are no quiet positions to learn from");
    }
    println!(
        "{} positions to learn from, {} to validate, of {} games; {} are not quiet.",
        data.training.len(),
        data.validation.len(),
        data.games,
        data.left_out
    );
    let settings = fit::Settings {
        lambda: args.lambda,
        scale: args.scale,
        pull: args.pull,
        epochs: args.epochs,
        batch: args.batch as usize,
        rate: (args.rate, args.rate / 40.0),
        seed: args.seed,
    };
    println!("epoch    training  validation  validation, result");
    let mut failure = None;
    // Its weights and the pull on them, a module's name, and groups with their ends.
    let (start, pulls, module, groups): (&[i16], _, _, Vec<(&str, usize)>) = match is_wa {
        true => (
            wa_eval::weights(drops),
            fit::wa_pulls(),
            wa_eval::NAMES[usize::from(drops)],
            wa_eval::GROUPS
                .iter()
                .map(|&(name, end, _)| (name, end))
                .collect(),
        ),
        false => (
            hand::weights(),
            fit::pulls(),
            "`hand`",
            Group::ALL
                .iter()
                .map(|group| (group.name(), group.range().end))
                .collect(),
        ),
    };
    let weights = fit::fit(
        &data,
        start,
        &pulls,
        &settings,
        progress::interrupt_flag(),
        |losses| failure = print_losses(losses).err().or(failure.take()),
    );
    if let Some(error) = failure {
        return Err(error.into());
    }
    let Some(weights) = weights else {
        eprintln!("Stopped: {} was not written.", args.output.display());
        return Ok(Done::Interrupted);
    };
    println!("group     weights  changed  mean change");
    let mut begin = 0;
    for (name, end) in groups {
        let range = begin..end;
        begin = end;
        let changes: Vec<i32> = range
            .clone()
            .map(|i| (i32::from(weights[i]) - i32::from(start[i])).abs())
            .filter(|&change| change > 0)
            .collect();
        println!(
            "{:<9} {:>7} {:>8} {:>12.1}",
            name,
            range.len(),
            changes.len(),
            f64::from(changes.iter().sum::<i32>()) / changes.len().max(1) as f64
        );
    }
    let text = weights_file::render(module, &weights);
    files::replace(&args.output, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", args.output.display()))?;
    println!("{} is written.", args.output.display());
    Ok(Done::Yes)
}
