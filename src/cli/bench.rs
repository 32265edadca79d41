//! `tsuru bench`: fixed positions to a fixed depth; speed, and the node signature.

use std::io::{Write, stdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use clap::Args;
use serde::Serialize;
use tsuru::bench::{self, POSITIONS, Report, Settings};
use tsuru::core::score::Usi;

use super::evaluation::EvaluationArgs;
use super::{Done, progress};

/// Search fixed positions to a fixed depth.
///
/// On one thread the total of nodes is always the same: the signature of the
/// search. Compare speeds with the same depth, threads and hash only.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru bench
  tsuru bench --depth 14 --threads 2 --hash 256
  tsuru bench --eval-file eval/nn.bin --fv-scale 20
  tsuru bench --json")]
pub struct BenchArgs {
    /// Depth of each search in plies.
    #[arg(long, default_value_t = Settings::default().depth,
          value_parser = clap::value_parser!(u32).range(1..=200))]
    depth: u32,

    /// Search threads; the signature needs one.
    #[arg(long, short, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,

    /// Size of the transposition table in MB.
    #[arg(long, default_value_t = Settings::default().hash_mb as u32,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,

    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct JsonReport {
    nodes: u64,
    milliseconds: u64,
    nps: u64,
    complete: bool,
    depth: u32,
    threads: u16,
    hash_mb: u32,
    positions: Vec<JsonLine>,
}

#[derive(Serialize)]
struct JsonLine {
    sfen: &'static str,
    nodes: u64,
    milliseconds: u64,
    depth: u32,
    score: String,
    pv: Vec<String>,
}

pub fn run(args: &BenchArgs) -> anyhow::Result<Done> {
    let settings = Settings {
        depth: args.depth,
        threads: usize::from(args.threads),
        hash_mb: args.hash as usize,
    };
    let evaluator = args.evaluation.evaluator()?;
    progress::watch_for_interrupt()?;
    let stop = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let report = progress::with_bar(
        |bar| {
            stop.store(progress::interrupted(), Ordering::Relaxed);
            bar.set_length(POSITIONS.len() as u64);
            bar.set_position(done.load(Ordering::Relaxed));
        },
        || {
            bench::run(evaluator, &settings, &stop, |_| {
                done.fetch_add(1, Ordering::Relaxed);
            })
        },
    );
    print(args, &report)?;
    Ok(if report.complete {
        Done::Yes
    } else {
        Done::Interrupted
    })
}

fn print(args: &BenchArgs, report: &Report) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if args.json {
        let positions = report.lines.iter().map(|line| JsonLine {
            sfen: line.sfen,
            nodes: line.nodes,
            milliseconds: line.time,
            depth: line.depth,
            score: Usi(line.score).to_string(),
            pv: line.pv.iter().map(ToString::to_string).collect(),
        });
        let json = JsonReport {
            nodes: report.nodes(),
            milliseconds: report.time(),
            nps: report.nps(),
            complete: report.complete,
            depth: args.depth,
            threads: args.threads,
            hash_mb: args.hash,
            positions: positions.collect(),
        };
        serde_json::to_writer_pretty(&mut out, &json)?;
        writeln!(out)?;
        return Ok(());
    }
    for (index, line) in report.lines.iter().enumerate() {
        let best = line.pv.first().map_or("-".to_string(), ToString::to_string);
        writeln!(
            out,
            "{:2}: {:>10} nodes {:>6} ms  {:<12} {best:<6} {}",
            index + 1,
            line.nodes,
            line.time,
            Usi(line.score).to_string(),
            line.sfen
        )?;
    }
    if !report.complete {
        writeln!(out, "Stopped before the end: this is no signature.")?;
    }
    writeln!(out, "Nodes: {}", report.nodes())?;
    writeln!(out, "Time:  {} ms", report.time())?;
    writeln!(out, "Speed: {} nodes/s", report.nps())?;
    Ok(())
}
