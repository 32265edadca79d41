//! `tsuru analyze`: searches every position of game records and judges the moves.

use std::cell::Cell;
use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use anyhow::bail;
use clap::{Args, ValueEnum};
use tsuru::analyze::{Analysis, Analyzer, Effort, Report, Settings, annotate, page, table};
use tsuru::record::evals::Form;
use tsuru::record::{self, Encoding, Format, GameTree, Reading, Target};
use tsuru::shogi::Notation;

use super::convert::is_folder;
use super::evaluation::EvaluationArgs;
use super::output::{Outputs, is_stdout, write_whole};
use super::records::{Input, collect, problem_lines};
use super::{Done, RulesArgs, progress};

/// Analyse game records: every position searched, every move judged.
///
/// Prints a table of the moves with scores, winning chances and marks, both players'
/// accuracy, and the turning points with diagrams. Marks go by the winning chances
/// that a move gave away: inaccuracy from 5 points, mistake from 10, blunder from 20;
/// `missed mate` where a forced mate was let go.
#[derive(Args)]
#[command(after_help = "\
--kif, --csa, --html and --json=PATH write files: beside the record as NAME.analysis.EXT,
or to the PATH given with `=`: a file, a folder (for several records, or with a / at its
end), or `-` for standard output instead of the table. --json alone prints JSON instead
of the table. Outputs of records from a folder that exist and are newer are not made
again, so that a batch that was ended goes on; --force analyses all anew.

Examples:
  tsuru analyze game.kif
  tsuru analyze --time 3000 --threads 2 --lang ja --html game.csa
  tsuru analyze --nodes 100000 --kif=analysed/ --html=analysed/ records/
  tsuru analyze --depth 12 --json game.kif")]
pub struct AnalyzeArgs {
    /// Records, folders of records, or `-` for standard input.
    #[arg(value_name = "RECORD", required = true)]
    paths: Vec<PathBuf>,

    /// Milliseconds for each position [default: 1000].
    #[arg(long, value_name = "MS", group = "effort",
          value_parser = clap::value_parser!(u64).range(1..=86_400_000))]
    time: Option<u64>,

    /// Nodes for each position.
    #[arg(long, value_name = "N", group = "effort",
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Depth for each position, in plies.
    #[arg(long, value_name = "PLIES", group = "effort",
          value_parser = clap::value_parser!(u32).range(1..=245))]
    depth: Option<u32>,

    /// Search threads [default: half of the cores, 1 to 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Size of the transposition table, MB.
    #[arg(long, value_name = "MB", default_value_t = 128,
          value_parser = clap::value_parser!(u32).range(1..=1_048_576))]
    hash: u32,

    /// Lines to find in each position.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=600))]
    multi_pv: u16,

    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// Notation of moves: ja, en or usi.
    #[arg(long, value_name = "LANG", default_value = "en")]
    lang: Notation,

    /// Write the record with the evaluations as comments, as KIF.
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    kif: Option<Option<PathBuf>>,

    /// The form of the comments in KIF.
    #[arg(long, value_enum, default_value_t = FormArg::Shogigui)]
    form: FormArg,

    /// Write the record with the evaluations as comments, as CSA.
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    csa: Option<Option<PathBuf>>,

    /// Print JSON instead of the table, or write it to PATH.
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    json: Option<Option<PathBuf>>,

    /// Write a page with board, moves and graph.
    #[arg(long, value_name = "PATH", num_args = 0..=1, require_equals = true)]
    html: Option<Option<PathBuf>>,

    /// Print no table.
    #[arg(long, short)]
    quiet: bool,

    /// Write over files that exist, but never over the records themselves.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

/// Forms of evaluations in KIF.
#[derive(Clone, Copy, ValueEnum)]
enum FormArg {
    /// `**解析`: read by ShogiGUI and ShogiHome.
    Shogigui,
    /// `*#評価値=`: read by ShogiHome.
    Shogihome,
}

impl AnalyzeArgs {
    fn settings(&self) -> Settings {
        let effort = match (self.time, self.nodes, self.depth) {
            (_, Some(nodes), _) => Effort::Nodes(nodes),
            (_, _, Some(depth)) => Effort::Depth(depth),
            (time, ..) => Effort::Time(time.unwrap_or(1000)),
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = self.threads.map_or((cores / 2).clamp(1, 4), usize::from);
        Settings {
            effort,
            multi_pv: usize::from(self.multi_pv),
            threads,
            hash_mb: self.hash as usize,
        }
    }

    /// Whether JSON goes to standard output.
    fn prints_json(&self) -> bool {
        self.json == Some(None)
    }

    /// How many outputs go to standard output in the table's place.
    fn printed(&self) -> usize {
        let files = self.files();
        let printed = files.iter().filter(|(_, path)| path.is_some_and(is_stdout));
        printed.count() + usize::from(self.prints_json())
    }

    /// What files are wanted, with the paths given for them.
    fn files(&self) -> Vec<(Kind, Option<&Path>)> {
        let mut files = Vec::new();
        for (kind, wanted) in [
            (Kind::Kif, &self.kif),
            (Kind::Csa, &self.csa),
            (Kind::Html, &self.html),
        ] {
            if let Some(path) = wanted {
                files.push((kind, path.as_deref()));
            }
        }
        if let Some(Some(path)) = &self.json {
            files.push((Kind::Json, Some(path)));
        }
        files
    }
}

/// A file that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Kif,
    Csa,
    Html,
    Json,
}

impl Kind {
    /// The target of a record.
    fn target(self, encoding: Encoding) -> Target {
        let legacy = self == Kind::Kif && encoding == Encoding::ShiftJis;
        Target {
            encoding: if legacy { encoding } else { Encoding::Utf8 },
            ..Target::of(match self {
                Kind::Csa => Format::Csa,
                _ => Format::Kif,
            })
        }
    }

    fn extension(self, encoding: Encoding) -> &'static str {
        match self {
            Kind::Kif | Kind::Csa => self.target(encoding).extension(),
            Kind::Html => "html",
            Kind::Json => "json",
        }
    }
}

/// The path of an output of game number `game` (from 0) of a record.
fn output(
    input: &Input,
    kind: Kind,
    path: Option<&Path>,
    encoding: Encoding,
    game: usize,
) -> PathBuf {
    if let Some(path) = path
        && !is_folder(path)
    {
        return path.to_path_buf();
    }
    let mut name = input.place_in(path).into_os_string();
    if game > 0 {
        name.push(format!("-{}", game + 1));
    }
    name.push(".analysis.");
    name.push(kind.extension(encoding));
    PathBuf::from(name)
}

/// Whether an output is there and newer than the record.
fn is_done(input: &Input, output: &Path) -> bool {
    let modified = |path: &Path| {
        let data = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
        data.modified().ok()
    };
    let times = modified(&input.path).zip(modified(output));
    times.is_some_and(|(record, output)| output >= record)
}

/// What the progress bar shows.
#[derive(Default)]
struct Shown {
    done: AtomicUsize,
    total: AtomicUsize,
    name: Mutex<String>,
}

pub fn run(args: &AnalyzeArgs) -> anyhow::Result<Done> {
    args.rules.only_shogi("records")?;
    if args.printed() > 1 {
        bail!("standard output takes one of --kif, --csa, --html and --json");
    }
    let inputs = collect(&args.paths)?;
    if inputs.len() > 1
        && let Some((_, Some(path))) = args
            .files()
            .into_iter()
            .find(|(_, path)| path.is_some_and(|path| !is_folder(path)))
    {
        bail!(
            "{} records, but {} is one file: name a folder (with a / at its end)",
            inputs.len(),
            path.display()
        );
    }
    progress::watch_for_interrupt()?;
    let settings = args.settings();
    let shown = Shown::default();
    let failed = Cell::new(false);
    let records = inputs.iter().filter(|input| !input.is_stdin());
    let files = Outputs::new(records.map(|input| input.path.as_path()), args.force);
    let mut skipped = 0;
    let mut analyzer = Analyzer::new(args.evaluation.evaluator()?, settings);
    for (index, input) in inputs.iter().enumerate() {
        if inputs.len() > 1 {
            let label = format!("{}/{} {}", index + 1, inputs.len(), input.name());
            *shown.name.lock().unwrap_or_else(PoisonError::into_inner) = label;
        }
        let reading = match input.read(&args.rules.rules()) {
            Ok(reading) => reading,
            Err(error) => {
                eprintln!("error: {error:#}");
                failed.set(true);
                continue;
            }
        };
        for line in problem_lines(input, &reading) {
            eprintln!("{line}");
        }
        if reading.first_error().is_some() {
            failed.set(true);
        }
        for game in 0..reading.games.len() {
            let mut outputs: Vec<(Kind, PathBuf)> = args
                .files()
                .into_iter()
                .map(|(kind, path)| (kind, output(input, kind, path, reading.encoding, game)))
                .collect();
            let claimed = outputs.iter().try_for_each(|(_, path)| files.claim(path));
            if claimed.is_ok() && input.folder.is_some() && !args.force && !outputs.is_empty() {
                // What a batch that was ended has written already.
                outputs.retain(|(_, path)| !is_done(input, path));
                if outputs.is_empty() {
                    skipped += 1;
                    continue;
                }
            }
            let checked = outputs.iter().try_for_each(|(_, path)| files.check(path));
            if let Err(error) = claimed.and(checked) {
                eprintln!("error: {}, game {}: {error:#}", input.name(), game + 1);
                failed.set(true);
                continue;
            }
            let tree = &reading.games[game];
            let Some(analysis) = analyse(&mut analyzer, tree, &shown) else {
                return Ok(Done::Interrupted);
            };
            let report = Report::new(&input.name(), tree, &analysis, &settings);
            if let Err(error) = write_files(args, &reading, game, &analysis, &report, &outputs) {
                if super::is_broken_pipe(&error) {
                    return Err(error);
                }
                eprintln!("error: {}, game {}: {error:#}", input.name(), game + 1);
                failed.set(true);
            }
            print(
                args,
                input,
                tree,
                &analysis,
                &report,
                reading.games.len() * inputs.len(),
            )?;
        }
    }
    if skipped > 0 {
        eprintln!("{skipped} games were analysed before; --force analyses them anew");
    }
    Ok(if failed.get() {
        Done::Negative
    } else {
        Done::Yes
    })
}

fn analyse(analyzer: &mut Analyzer, tree: &GameTree, shown: &Shown) -> Option<Analysis> {
    progress::with_bar(
        |bar| {
            bar.set_length(shown.total.load(Ordering::Relaxed) as u64);
            bar.set_position(shown.done.load(Ordering::Relaxed) as u64);
            let name = shown.name.lock().unwrap_or_else(PoisonError::into_inner);
            bar.set_message(name.clone());
        },
        || {
            let note = |done, total| {
                shown.done.store(done, Ordering::Relaxed);
                shown.total.store(total, Ordering::Relaxed);
            };
            analyzer.analyze(tree, note, progress::interrupt_flag())
        },
    )
}

fn write_files(
    args: &AnalyzeArgs,
    reading: &Reading,
    game: usize,
    analysis: &Analysis,
    report: &Report,
    outputs: &[(Kind, PathBuf)],
) -> anyhow::Result<()> {
    let tree = &reading.games[game];
    for (kind, path) in outputs {
        let bytes = match kind {
            Kind::Kif | Kind::Csa => {
                let form = match (kind, args.form) {
                    (Kind::Csa, _) => Form::Floodgate,
                    (_, FormArg::Shogigui) => Form::ShogiGuiAnalysis,
                    (_, FormArg::Shogihome) => Form::ShogiHome,
                };
                let mut annotated = tree.clone();
                annotate(&mut annotated, analysis, form);
                let written = record::write(&annotated, kind.target(reading.encoding));
                for loss in &written.losses {
                    eprintln!("{}: note: {loss}", path.display());
                }
                written.bytes
            }
            Kind::Html => page(tree, report, args.lang).into_bytes(),
            Kind::Json => {
                let mut bytes = serde_json::to_vec_pretty(report)?;
                bytes.push(b'\n');
                bytes
            }
        };
        write_whole(path, &bytes)?;
    }
    Ok(())
}

fn print(
    args: &AnalyzeArgs,
    input: &Input,
    tree: &GameTree,
    analysis: &Analysis,
    report: &Report,
    games: usize,
) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if args.prints_json() {
        // One value a line, so that several games can be told apart.
        if games > 1 {
            serde_json::to_writer(&mut out, report)?;
        } else {
            serde_json::to_writer_pretty(&mut out, report)?;
        }
        writeln!(out)?;
    } else if !args.quiet && args.printed() == 0 {
        if games > 1 {
            writeln!(out, "== {}", input.name())?;
        }
        out.write_all(table(tree, analysis, args.lang).as_bytes())?;
        if games > 1 {
            writeln!(out)?;
        }
    }
    Ok(())
}
