//! `tsuru perft`: counts the leaves of the legal move tree, on all cores.

use std::io::{Write, stdout};
use std::sync::atomic::Ordering;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use indicatif::HumanCount;
use serde::Serialize;
use tsuru::game::Game;
use tsuru::perft::{Division, Progress, divide};
use tsuru::shogi::Position;
use tsuru::wa;
use tsuru::yonin::Paranoid;

use super::input::PositionArgs;
use super::{Done, RulesArgs, progress};

/// Count the legal move sequences of a given length (perft).
///
/// Every legal move counts, useless non-promotions too; a pawn drop that mates is
/// no move. The work is shared among the threads by pairs of moves.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru perft 6
  tsuru perft 3 --divide startpos moves 7g7f
  tsuru perft 4 --threads 1 --json sfen 4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1")]
pub struct PerftArgs {
    /// Length of the sequences in moves (plies).
    #[arg(value_parser = clap::value_parser!(u32).range(..=60))]
    depth: u32,

    #[command(flatten)]
    position: PositionArgs,

    /// Print the count below each legal move.
    #[arg(long)]
    divide: bool,

    /// Threads to count with [default: one a core].
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

#[derive(Serialize)]
struct Report {
    sfen: String,
    depth: u32,
    nodes: u64,
    complete: bool,
    seconds: f64,
    nps: u64,
    threads: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    divide: Option<serde_json::Map<String, serde_json::Value>>,
}

pub fn run(args: &PerftArgs) -> anyhow::Result<Done> {
    if args.rules.is_yonin() {
        count::<Paranoid>(args, &args.rules.yonin_rules()?)
    } else if args.rules.is_wa() {
        count::<wa::Position>(args, &args.rules.wa_rules())
    } else {
        count::<Position>(args, &args.rules.rules())
    }
}

fn count<G: Game>(args: &PerftArgs, rules: &G::Rules) -> anyhow::Result<Done> {
    let position: G = args.position.load(rules)?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.map_or(0, usize::from))
        .build()
        .context("cannot start the threads")?;
    progress::watch_for_interrupt()?;

    let counters = Progress::default();
    let start = Instant::now();
    let division = progress::with_bar(
        |bar| {
            if progress::interrupted() {
                counters.stop.store(true, Ordering::Relaxed);
            }
            bar.set_length(counters.total.load(Ordering::Relaxed));
            bar.set_position(counters.done.load(Ordering::Relaxed));
            let leaves = counters.leaves.load(Ordering::Relaxed);
            let nps = leaves as f64 / start.elapsed().as_secs_f64();
            bar.set_message(format!("{} nps", HumanCount(nps as u64)));
        },
        || pool.install(|| divide(&position, args.depth, &counters)),
    );
    let seconds = start.elapsed().as_secs_f64();

    // The position itself is the one leaf of depth 0.
    let nodes = if args.depth == 0 { 1 } else { division.nodes() };
    let report = Report {
        sfen: position.sfen(),
        depth: args.depth,
        nodes,
        complete: division.complete,
        seconds,
        nps: (nodes as f64 / seconds) as u64,
        threads: pool.current_num_threads(),
        divide: (args.divide && args.json).then(|| {
            let entries = division.branches.iter();
            entries
                .map(|branch| (branch.mv.to_string(), branch.nodes.into()))
                .collect()
        }),
    };
    print(args, &division, &report)?;
    Ok(if division.complete {
        Done::Yes
    } else {
        Done::Interrupted
    })
}

fn print<M: std::fmt::Display>(
    args: &PerftArgs,
    division: &Division<M>,
    report: &Report,
) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, report)?;
        writeln!(out)?;
        return Ok(());
    }
    if args.divide {
        for branch in &division.branches {
            writeln!(out, "{}: {}", branch.mv, branch.nodes)?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Nodes searched: {}", report.nodes)?;
    if !report.complete {
        writeln!(out, "Stopped before the end: the counts are too small.")?;
    }
    writeln!(
        out,
        "Time: {:.3} s, {} nodes/s, {} thread{}",
        report.seconds,
        report.nps,
        report.threads,
        if report.threads == 1 { "" } else { "s" }
    )?;
    Ok(())
}
