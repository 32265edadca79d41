//! `tsuru tune`: moves an engine's parameters to where they win games.
//!
//! Made for a build with the feature `tune`, whose parameters are USI options; it
//! works with the spin options of any engine. The state file has the values at all
//! times, the table on standard output those at the end.

use std::io::{Write, stdout};
use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tsuru::arena::adjudicate::{Adjudication, WinRule};
use tsuru::arena::config::EngineConfig;
use tsuru::arena::openings::Opening;
use tsuru::arena::play::Settings;
use tsuru::arena::spsa::{State, Tuning};
use tsuru::shogi::Position;

use super::match_::{LimitArgs, read_openings};
use super::{Done, RulesArgs, progress};

/// Tune an engine's parameters by games against itself (SPSA).
///
/// Each step plays a pair of games between two settings that differ from the
/// present values in opposite directions, and moves the values towards the winner.
/// A few thousand fast games are the least that helps; prove the result with
/// `tsuru match`.
#[derive(Args)]
#[command(after_help = "\
Example:
  cargo build --release --features tune
  tsuru tune 'cmd=target/release/tsuru option.USI_OwnBook=false' --nodes 4000 \\
             --openings openings.sfen --steps 5000 --concurrency 2 --state tune.json")]
pub struct TuneArgs {
    /// The engine: a program, or words like those of `match --engine`.
    #[arg(value_name = "ENGINE")]
    engine: String,

    /// Tune this spin option; may be repeated [default: all that begin with
    /// `Tune_`].
    #[arg(long = "param", value_name = "NAME")]
    params: Vec<String>,

    /// Keep the state in this file, and go on from it if it exists.
    #[arg(long, value_name = "FILE")]
    state: PathBuf,

    /// Pairs of games to play in all.
    #[arg(long, value_name = "N", default_value_t = 5000,
          value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    steps: u64,

    #[command(flatten)]
    limits: LimitArgs,

    /// Openings, one a line: `startpos moves ...` or an sfen [default: the initial
    /// position].
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// What all that is random follows from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Pairs of games at a time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,

    /// End a game as won when both engines say so: score (centipawns) and number
    /// of moves of each.
    #[arg(long, value_name = "SCORE,MOVES", default_value = "2500,3")]
    adjudicate_win: WinRule,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

pub fn run(args: &TuneArgs) -> anyhow::Result<Done> {
    args.rules.only_shogi("tuning")?;
    let mut engine = if args.engine.contains('=') {
        EngineConfig::from_words(&args.engine)?
    } else {
        EngineConfig::from_program(&args.engine)
    };
    if engine.name.is_empty() {
        engine.name.clone_from(&engine.cmd);
    }
    if engine.limits.is_empty() {
        engine.limits = args.limits.limits();
    }
    if engine.limits.is_empty() {
        bail!("no limit: give --nodes, --depth, --movetime, --byoyomi, --time or --inc");
    }
    let rules = args.rules.match_rules();
    let openings = match &args.openings {
        None => vec![Opening::default()],
        Some(path) => read_openings::<Position>(path, &rules)?,
    };
    progress::watch_for_interrupt()?;
    let stop = progress::interrupt_flag();
    let begun = State::begin(&engine, &args.params, args.steps, stop)?;
    let state = begun.resume(&args.state)?.unwrap_or(begun);
    let tuning = Tuning::<Position> {
        settings: Settings {
            event: "tuning".to_string(),
            margin: Duration::from_secs(1),
            patience: Duration::from_secs(120),
            adjudication: Adjudication {
                win: Some(args.adjudicate_win),
                draw: None,
                count: None,
            },
        },
        engine,
        rules,
        openings,
        concurrency: args.concurrency.into(),
        file: args.state.clone(),
        seed: args.seed,
    };
    let bar = ProgressBar::new(state.steps);
    bar.set_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} pairs {elapsed} (left {eta})")
            .expect("a valid template"),
    );
    bar.set_position(state.done);
    bar.reset_eta();
    let result = tuning.run(state, stop, &|state| bar.set_position(state.done));
    bar.finish_and_clear();
    let state = result?;

    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &state)?;
        writeln!(out)?;
    } else {
        let width = state.parameters.iter().map(|p| p.name.len()).max();
        let width = width.unwrap_or(0);
        writeln!(out, "{} of {} pairs", state.done, state.steps)?;
        for parameter in &state.parameters {
            let (old, new) = (parameter.default, parameter.rounded());
            let name = &parameter.name;
            writeln!(out, "{name:width$} {old:>7} -> {new:>7}")?;
        }
    }
    Ok(if progress::interrupted() {
        Done::Interrupted
    } else {
        Done::Yes
    })
}
