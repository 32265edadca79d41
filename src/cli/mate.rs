//! `tsuru mate`: solves mate problems, one or a file of them.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use tsuru::arena::referee::Referee;
use tsuru::core::Color;
use tsuru::game::MateGame;
use tsuru::mate::{Limits, Mate, Shorten, Solver, Verdict};
use tsuru::record::{Ending, Format, GameRecord, GameResult, PlayedMove};
use tsuru::{shogi, wa};

use super::output::{Outputs, write_whole};
use super::{Done, RulesArgs, VariantArg, input, progress};

/// Solve mate problems (tsume): mates by continuous checks.
///
/// The side to move mates. A file holds one problem a line, in the words of USI
/// (`sfen` may be left out); what follows ` ; ` is passed over, but a first number
/// or `nomate` there is taken for the expected length and compared. Lines that
/// start with `#` are comments. Problems are solved in parallel, each on one
/// thread.
///
/// With `moves ...` behind it a position is solved as it stands after these moves;
/// the output says how many they were. `unknown` comes with its reason: a limit, or
/// a position that is no mate problem, as its other side is in check; for one of
/// those the exit status is 1.
///
/// Every move that answers a check counts, useless interpositions (無駄合い) too,
/// unless `--book` is given.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru mate sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1
  tsuru mate problems.txt --time 10 --threads 2 --kif solutions/
  tsuru mate --shortest --json problems.txt
  tsuru mate --book --shortest problems.txt
  tsuru mate --variant washogi sfen ...")]
pub struct MateArgs {
    /// A position in the words of USI, or a file of problems.
    #[arg(value_name = "POSITION|FILE", required = true)]
    words: Vec<String>,

    /// Prove that the mate is the shortest one.
    #[arg(long)]
    shortest: bool,

    /// Count as books of problems do: pieces dropped in between that are taken at once
    /// and change nothing are no moves. The last position is mate but for those.
    #[arg(long)]
    book: bool,

    /// Seconds a problem [default: no limit].
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,

    /// Nodes a problem [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Memory in MB, shared among the threads.
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=1 << 25))]
    hash: u32,

    /// Problems solved at the same time [default: one a core].
    #[arg(long, short, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Print JSON, an object a problem.
    #[arg(long)]
    json: bool,

    /// Write each solution as a KIF file into this directory.
    #[arg(long, value_name = "DIR")]
    kif: Option<PathBuf>,

    /// Write over files that exist.
    #[arg(long, requires = "kif")]
    force: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

/// A problem with its place in the file.
struct Problem<G> {
    line: usize,
    /// The position after the line's moves.
    position: G,
    /// How many moves the line has.
    played: usize,
    /// What the file expects: plies, or `None` for no mate.
    expected: Option<Option<usize>>,
}

/// What came out.
#[derive(Serialize)]
struct Solution {
    line: usize,
    /// The position that was solved.
    sfen: String,
    /// How many moves of the line led to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    after_moves: Option<usize>,
    /// `mate`, `nomate` or `unknown`.
    verdict: &'static str,
    /// Why it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
    /// The length without useless interpositions, where it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    book_length: Option<usize>,
    /// Whether no mate is shorter, all interpositions counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    shortest: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    moves: Vec<String>,
    nodes: u64,
    seconds: f64,
    /// What the file says: a length, or `nomate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
}

pub fn run(args: &MateArgs) -> anyhow::Result<Done> {
    match args.rules.variant {
        VariantArg::Shogi => solve_all::<shogi::Position>(args, &args.rules.rules()),
        VariantArg::WaShogi => solve_all::<wa::Position>(args, &args.rules.wa_rules()),
        VariantArg::KingCapture | VariantArg::Yonin => {
            bail!("there are no mate problems in this variant: take shogi or washogi")
        }
    }
}

fn solve_all<G: MateGame + Referee>(args: &MateArgs, rules: &G::Rules) -> anyhow::Result<Done> {
    let problems: Vec<Problem<G>> = load(&args.words, rules)?;
    if let Some(dir) = &args.kif {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("cannot make the directory {}", dir.display()))?;
        let words = args.words.iter().map(Path::new);
        let outputs = Outputs::new(words.filter(|word| word.is_file()), args.force);
        for problem in &problems {
            let path = kif_path(dir, problem.line);
            outputs.claim(&path).and_then(|()| outputs.check(&path))?;
        }
    }
    let time = args.time.map(Duration::try_from_secs_f64).transpose();
    let time = time.context("--time takes a number of seconds, 0 or more")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads.map_or(0, usize::from))
        .build()
        .context("cannot start the threads")?;
    progress::watch_for_interrupt()?;

    let stop = Arc::new(AtomicBool::new(false));
    let done = AtomicUsize::new(0);
    let workers = pool.current_num_threads().min(problems.len()).max(1);
    let hash_mb = (args.hash as usize / workers).max(1);
    let next = AtomicUsize::new(0);
    let mut solutions: Vec<(usize, Solution)> = progress::with_bar(
        |bar| {
            stop.store(progress::interrupted(), Ordering::Relaxed);
            bar.set_length(problems.len() as u64);
            bar.set_position(done.load(Ordering::Relaxed) as u64);
        },
        || {
            // Each thread takes one problem at a time, however hard they are, and keeps
            // its table: to get and empty that much memory takes longer than most
            // problems.
            let solved = pool.broadcast(|_| {
                let mut solver = None;
                let mut solved = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(problem) = problems.get(index) else {
                        break;
                    };
                    let solver = solver.get_or_insert_with(|| Solver::<G>::new(hash_mb));
                    solver.make_room(&problem.position);
                    let deadline = time.and_then(|time| Instant::now().checked_add(time));
                    let limits = Limits::new(args.nodes, deadline, Some(Arc::clone(&stop)));
                    solved.push((index, solve(solver, problem, &limits, args)));
                    done.fetch_add(1, Ordering::Relaxed);
                }
                solved
            });
            solved.into_iter().flatten().collect()
        },
    );
    solutions.sort_by_key(|&(index, _)| index);
    let interrupted = stop.load(Ordering::Relaxed);
    let solutions: Vec<Solution> = solutions.into_iter().map(|(_, s)| s).collect();
    if let Some(dir) = &args.kif {
        for solution in solutions.iter().filter(|s| s.verdict == "mate") {
            write_kif::<G>(dir, solution)?;
        }
    }
    print(args, &solutions)?;
    Ok(if interrupted {
        Done::Interrupted
    } else if problems.iter().all(|p| p.position.is_mate_problem()) {
        Done::Yes
    } else {
        Done::Negative
    })
}

/// The problems that the words name.
fn load<G: MateGame>(words: &[String], rules: &G::Rules) -> anyhow::Result<Vec<Problem<G>>> {
    // One word that is no position in quotes is the name of a file.
    let is_position = |word: &str| {
        word.starts_with("startpos") || word.contains('/') && !Path::new(word).is_file()
    };
    if let [word] = words
        && !is_position(word)
    {
        let text = std::fs::read_to_string(word).with_context(|| format!("cannot read {word}"))?;
        let problems: Vec<Problem<G>> = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
            .map(|(number, line)| {
                problem(number, line, rules).with_context(|| format!("{word}, line {number}"))
            })
            .collect::<anyhow::Result<_>>()?;
        if problems.is_empty() {
            bail!("{word} holds no problem");
        }
        return Ok(problems);
    }
    Ok(vec![problem(1, &words.join(" "), rules)?])
}

/// Reads a line: a position, and maybe what is expected of it.
fn problem<G: MateGame>(line: usize, text: &str, rules: &G::Rules) -> anyhow::Result<Problem<G>> {
    let mut fields = text.split(" ; ");
    let words = fields.next().unwrap_or_default();
    let position: G = input::load(words, rules)?;
    let played = input::parse(words).moves.len();
    let expected = match fields.next().map(str::trim) {
        Some("nomate") => Some(None),
        Some(word) => word.parse().ok().map(Some),
        None => None,
    };
    Ok(Problem {
        line,
        position,
        played,
        expected,
    })
}

fn solve<G: MateGame>(
    solver: &mut Solver<G>,
    problem: &Problem<G>,
    limits: &Limits,
    args: &MateArgs,
) -> Solution {
    let start = Instant::now();
    let shorten = if args.shortest {
        Shorten::Fully
    } else {
        Shorten::Some
    };
    let verdict = solver.solve(&problem.position, limits, shorten);
    let expected = problem.expected.map(|expected| match expected {
        Some(length) => length.to_string(),
        None => "nomate".to_string(),
    });
    let mut solution = Solution {
        line: problem.line,
        sfen: problem.position.sfen(),
        after_moves: (problem.played > 0).then_some(problem.played),
        reason: (verdict == Verdict::Unknown)
            .then(|| why_unknown(&problem.position, limits, solver.nodes())),
        verdict: match verdict {
            Verdict::Mate(_) => "mate",
            Verdict::NoMate => "nomate",
            Verdict::Unknown => "unknown",
        },
        length: None,
        book_length: None,
        shortest: None,
        moves: Vec::new(),
        nodes: solver.nodes(),
        seconds: start.elapsed().as_secs_f64(),
        expected,
    };
    if let Verdict::Mate(Mate {
        line,
        book_line,
        shortest,
    }) = verdict
    {
        solution.length = Some(line.len());
        solution.book_length = book_line.as_ref().map(Vec::len);
        solution.shortest = Some(shortest);
        let moves = book_line.filter(|_| args.book).unwrap_or(line);
        solution.moves = moves.iter().map(G::Move::to_string).collect();
    }
    solution
}

/// Why the solver could not say.
fn why_unknown<G: MateGame>(position: &G, limits: &Limits, nodes: u64) -> String {
    if !position.is_mate_problem() {
        return "no mate problem, the side that is not to move is in check".to_owned();
    }
    let stopped = limits
        .stop
        .as_ref()
        .is_some_and(|stop| stop.load(Ordering::Relaxed));
    match limits.nodes {
        _ if stopped => "interrupted".to_owned(),
        Some(most) if nodes >= most => format!("the limit of {most} nodes came first"),
        _ if limits.deadline.is_some_and(|end| Instant::now() >= end) => {
            "the time was over".to_owned()
        }
        _ => "the table is too small (--hash)".to_owned(),
    }
}

fn write_kif<G: Referee>(dir: &Path, solution: &Solution) -> anyhow::Result<()> {
    let moves = solution.moves.iter().map(|usi| PlayedMove {
        usi: usi.clone(),
        ..PlayedMove::default()
    });
    let mut record = GameRecord {
        event: format!("mate in {}", solution.moves.len()),
        black: String::new(),
        white: String::new(),
        started: SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .map_or(0, |time| time.as_secs()),
        start: Some(solution.sfen.clone()),
        moves: moves.collect(),
        result: GameResult::win(Color::Black),
        ending: Ending::Checkmate,
        note: String::new(),
    };
    record.result = GameResult::win(record.first_mover());
    let write = G::writer(Format::Kif).context("no KIF file knows this game")?;
    let text = write(Format::Kif, &record);
    write_whole(&kif_path(dir, solution.line), text.as_bytes())
}

/// The file for the solution of the problem in a line.
fn kif_path(dir: &Path, line: usize) -> PathBuf {
    dir.join(format!("{line:05}.{}", Format::Kif.extension()))
}

fn print(args: &MateArgs, solutions: &[Solution]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if args.json {
        for solution in solutions {
            serde_json::to_writer(&mut out, solution)?;
            writeln!(out)?;
        }
        return Ok(());
    }
    for solution in solutions {
        let what = match (solution.length, solution.shortest) {
            (Some(length), Some(true)) => format!("mate in {length} (shortest)"),
            (Some(length), _) => format!("mate in {length}"),
            (None, _) => match &solution.reason {
                Some(reason) => format!("{}: {reason}", solution.verdict),
                None => solution.verdict.to_string(),
            },
        };
        let book = match solution.book_length {
            Some(book) if Some(book) != solution.length => {
                format!(", {book} without useless interpositions")
            }
            _ => String::new(),
        };
        write!(
            out,
            "{}: {what}{book}, {} nodes, {:.3} s",
            solution.line, solution.nodes, solution.seconds
        )?;
        if let Some(played) = solution.after_moves {
            let s = if played == 1 { "" } else { "s" };
            write!(out, ", after {played} move{s} of the line")?;
        }
        if let Some(expected) = &solution.expected {
            write!(out, ", expected {expected}")?;
        }
        writeln!(out)?;
        if !solution.moves.is_empty() {
            writeln!(out, "  {}", solution.moves.join(" "))?;
        }
    }
    if solutions.len() > 1 {
        print_summary(&mut out, args, solutions)?;
    }
    Ok(())
}

fn print_summary(
    out: &mut impl Write,
    args: &MateArgs,
    solutions: &[Solution],
) -> anyhow::Result<()> {
    writeln!(out)?;
    writeln!(
        out,
        "{:>8} {:>8} {:>14} {:>10} {:>10}",
        "", "problems", "nodes", "seconds", "longest"
    )?;
    for verdict in ["mate", "nomate", "unknown"] {
        let of_kind = || solutions.iter().filter(|s| s.verdict == verdict);
        let seconds = of_kind().map(|s| s.seconds);
        writeln!(
            out,
            "{verdict:>8} {:>8} {:>14} {:>10.2} {:>10.2}",
            of_kind().count(),
            of_kind().map(|s| s.nodes).sum::<u64>(),
            seconds.clone().fold(0.0, |sum, time| sum + time),
            seconds.fold(0.0, f64::max)
        )?;
    }
    let differ: Vec<String> = solutions
        .iter()
        .filter(|s| s.differs(args.book))
        .map(|s| s.line.to_string())
        .collect();
    if !differ.is_empty() {
        writeln!(out, "Not as expected: line {}", differ.join(", "))?;
    }
    Ok(())
}

impl Solution {
    /// Whether the file expected another verdict or length.
    fn differs(&self, book: bool) -> bool {
        let length = self.book_length.filter(|_| book).or(self.length);
        self.expected.as_ref().is_some_and(|expected| {
            let found = match length {
                Some(length) => length.to_string(),
                None => self.verdict.to_string(),
            };
            *expected != found
        })
    }
}
