//! `tsuru convert`: game records from one format into another, or checked.

use std::collections::HashSet;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::bail;
use clap::Args;
use rayon::prelude::*;
use tsuru::record::{self, Cursor, GameTree, Reading, Target, evals};

use super::output::{Outputs, is_stdout, write_whole};
use super::records::{Input, collect, problem_lines};
use super::{Done, RulesArgs, progress};

/// Convert game records, or check them.
///
/// Reads KIF, KI2, CSA, JKF and USI in any encoding, whatever the file's name says;
/// folders are searched for records and converted in parallel. A move that is not
/// legal ends its line: what comes before is kept, and the file counts as faulty.
/// What the target has no place for is told. The exit status is 1 when a file was
/// faulty or could not be read.
#[derive(Args)]
#[command(after_help = "\
Formats: kif and ki2 (Shift_JIS), kifu and ki2u (UTF-8), csa (V2.2), csa3 (V3.0), jkf,
usi (one line a game).

Examples:
  tsuru convert --to csa game.kif                # writes game.csa
  tsuru convert --to kifu games.csa -o kifu/     # one file a game
  tsuru convert --to jkf records/ -o jkf/
  tsuru convert --check records/
  cat game.csa | tsuru convert --to kifu -")]
pub struct ConvertArgs {
    /// Records, folders of records, or `-` for standard input.
    #[arg(value_name = "RECORD", required = true)]
    paths: Vec<PathBuf>,

    /// The format to write.
    #[arg(long, value_name = "FORMAT", required_unless_present = "check")]
    to: Option<Target>,

    /// Write to this file, or into this folder; `-` for standard output [default:
    /// beside each record; standard output for standard input].
    #[arg(long, short, value_name = "PATH")]
    output: Option<PathBuf>,

    /// Write nothing: say what each file is and what is wrong with it.
    #[arg(long, conflicts_with_all = ["to", "output"])]
    check: bool,

    /// Write over files that exist, but never over the records themselves.
    #[arg(long, conflicts_with = "check")]
    force: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

/// What became of a file.
struct Outcome {
    games: usize,
    faulty: bool,
    /// For standard output.
    text: Vec<u8>,
    /// For standard error.
    messages: Vec<String>,
}

pub fn run(args: &ConvertArgs) -> anyhow::Result<Done> {
    args.rules.only_shogi("records")?;
    let inputs = collect(&args.paths)?;
    if inputs.len() > 1 && is_file_target(args) {
        bail!(
            "{} records, but --output is one file: name a folder (with a / at its end)",
            inputs.len()
        );
    }
    progress::watch_for_interrupt()?;
    let done = AtomicUsize::new(0);
    let records = inputs.iter().filter(|input| !input.is_stdin());
    let outputs = Outputs::new(records.map(|input| input.path.as_path()), args.force);
    let one = |index: usize| {
        if progress::interrupted() {
            return None;
        }
        let outcome = one(args, &inputs[index], &outputs);
        done.fetch_add(1, Ordering::Relaxed);
        Some((index, outcome))
    };
    let (first, twins) = twins(args, &inputs);
    let mut outcomes = progress::with_bar(
        |bar| {
            bar.set_length(inputs.len() as u64);
            bar.set_position(done.load(Ordering::Relaxed) as u64);
        },
        || {
            let mut outcomes: Vec<(usize, Outcome)> =
                first.into_par_iter().filter_map(one).collect();
            outcomes.extend(twins.into_iter().filter_map(one));
            outcomes
        },
    );
    outcomes.sort_by_key(|&(index, _)| index);
    let mut out = stdout().lock();
    let (mut files, mut games, mut faulty) = (0, 0, 0);
    let mut written = false;
    for (_, outcome) in outcomes {
        files += 1;
        games += outcome.games;
        faulty += usize::from(outcome.faulty);
        for message in &outcome.messages {
            eprintln!("{message}");
        }
        // The games of all files on standard output are one file of CSA.
        let is_csa = args.to.is_some_and(|to| to.format == record::Format::Csa);
        if is_csa && written && !outcome.text.is_empty() {
            out.write_all(b"/\n")?;
        }
        written |= !outcome.text.is_empty();
        out.write_all(&outcome.text)?;
    }
    out.flush()?;
    if inputs.len() > 1 {
        eprintln!("{files} files, {games} games, {faulty} files faulty");
    }
    Ok(if progress::interrupted() {
        Done::Interrupted
    } else if faulty > 0 {
        Done::Negative
    } else {
        Done::Yes
    })
}

/// Whether `--output` names one file.
fn is_file_target(args: &ConvertArgs) -> bool {
    args.output
        .as_deref()
        .is_some_and(|path| !is_folder(path) && !is_stdout(path))
}

/// Whether a path is a folder, or is meant to be one.
pub fn is_folder(path: &Path) -> bool {
    path.is_dir() || path.to_string_lossy().ends_with(std::path::is_separator)
}

/// The numbers of the records, and of those that would become the same file as one before
/// them: `a.kif` and `a.csa` in one folder. They come last, so that it is always the later
/// record that is refused, not the slower one.
fn twins(args: &ConvertArgs, inputs: &[Input]) -> (Vec<usize>, Vec<usize>) {
    let folder = args.output.as_deref();
    let writes = args.to.is_some() && !folder.is_some_and(is_stdout);
    let mut places = HashSet::new();
    (0..inputs.len()).partition(|&index| !writes || places.insert(inputs[index].place_in(folder)))
}

fn one(args: &ConvertArgs, input: &Input, outputs: &Outputs) -> Outcome {
    let mut outcome = Outcome {
        games: 0,
        faulty: false,
        text: Vec::new(),
        messages: Vec::new(),
    };
    let reading = match input.read(&args.rules.rules()) {
        Ok(reading) => reading,
        Err(error) => {
            outcome.faulty = true;
            outcome.messages.push(format!("error: {error:#}"));
            return outcome;
        }
    };
    outcome.games = reading.games.len();
    outcome.faulty = reading.first_error().is_some();
    outcome.messages = problem_lines(input, &reading);
    match args.to {
        None => outcome.text = describe(input, &reading).into_bytes(),
        Some(target) => {
            if let Err(error) = convert(args, input, &reading, target, outputs, &mut outcome) {
                outcome.faulty = true;
                outcome.messages.push(format!("error: {error:#}"));
            }
        }
    }
    outcome
}

/// A line about a file for `--check`.
fn describe(input: &Input, reading: &Reading) -> String {
    let moves: usize = reading
        .games
        .iter()
        .map(|tree| tree.main_moves().len())
        .sum();
    let branches: usize = reading
        .games
        .iter()
        .map(|tree| tree.lines().count().saturating_sub(1))
        .sum();
    let games = match reading.games.len() {
        1 => String::new(),
        games => format!("{games} games, "),
    };
    let branches = match branches {
        0 => String::new(),
        1 => ", 1 variation".to_owned(),
        branches => format!(", {branches} variations"),
    };
    let evaluations = match reading.games.iter().map(evaluations).sum() {
        0 => String::new(),
        count => format!(", {count} evaluations"),
    };
    let verdict = match reading.first_error() {
        None => "ok",
        Some(_) => "faulty",
    };
    format!(
        "{}: {verdict}: {}, {}, {games}{moves} moves{branches}{evaluations}\n",
        input.name(),
        reading.format.name(),
        reading.encoding.name()
    )
}

/// How many evaluations the comments of a game hold.
fn evaluations(tree: &GameTree) -> usize {
    let mut cursor = Cursor::new(tree);
    tree.ids()
        .map(|id| {
            cursor.go_to(tree, id);
            evals::parse(&tree.node(id).comments, cursor.position()).len()
        })
        .sum()
}

fn convert(
    args: &ConvertArgs,
    input: &Input,
    reading: &Reading,
    target: Target,
    outputs: &Outputs,
    outcome: &mut Outcome,
) -> anyhow::Result<()> {
    let to_stdout = match &args.output {
        Some(path) => is_stdout(path),
        None => input.is_stdin(),
    };
    let single = matches!(target.format, record::Format::Kif | record::Format::Ki2);
    let count = reading.games.len();
    if single && count > 1 && (to_stdout || is_file_target(args)) {
        bail!(
            "{}: {count} games, but {} has one a file: name a folder (with a / at its end)",
            input.name(),
            target.format.name()
        );
    }
    let files = if single && !to_stdout {
        reading.games.chunks(1).collect::<Vec<_>>()
    } else {
        vec![reading.games.as_slice()]
    };
    let paths: Vec<PathBuf> = if to_stdout {
        Vec::new()
    } else {
        (1..=files.len())
            .map(|number| path_of(args, input, target, files.len(), number))
            .collect()
    };
    for path in &paths {
        outputs.claim(path).and_then(|()| outputs.check(path))?;
    }
    let mut told = HashSet::new();
    for (index, games) in files.iter().enumerate() {
        let written = record::write_all(games, target);
        for loss in &written.losses {
            if told.insert(loss.clone()) {
                let message = format!("{}: note: {loss}", input.name());
                outcome.messages.push(message);
            }
        }
        match paths.get(index) {
            None => outcome.text.extend_from_slice(&written.bytes),
            Some(path) => write_whole(path, &written.bytes)?,
        }
    }
    Ok(())
}

/// Where file number `number` of `count` goes that a record becomes.
fn path_of(
    args: &ConvertArgs,
    input: &Input,
    target: Target,
    count: usize,
    number: usize,
) -> PathBuf {
    match &args.output {
        Some(path) if !is_folder(path) => path.clone(),
        folder => {
            let mut name = input.place_in(folder.as_deref()).into_os_string();
            if count > 1 {
                name.push(format!("-{number:03}"));
            }
            name.push(".");
            name.push(target.extension());
            PathBuf::from(name)
        }
    }
}
