//! `tsuru match`: plays a match between two engines and says who is stronger.
//!
//! The table is on standard output when the match has ended (or Ctrl-C came); while
//! it runs, a live one is on standard error, if that is a terminal.

use std::fs;
use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use tsuru::arena::adjudicate::{Adjudication, DrawRule, WinRule};
use tsuru::arena::config::{self, EngineConfig};
use tsuru::arena::files::RecordFiles;
use tsuru::arena::journal::Journal;
use tsuru::arena::limits::Limits;
use tsuru::arena::openings::{self, Opening};
use tsuru::arena::play::Settings;
use tsuru::arena::referee::Referee;
use tsuru::arena::stats::{Decision, Sprt};
use tsuru::arena::tally::{EngineSummary, Summary};
use tsuru::arena::yonin::MatchSettings;
use tsuru::arena::{Match, Observer};
use tsuru::core::Score;
use tsuru::eval::hand::HandEvaluator;
use tsuru::eval::wa::WaEvaluator;
use tsuru::game::{Evaluator, Game};
use tsuru::record::{Format, GameRecord};
use tsuru::search::{Limits as SearchLimits, SearchOptions, ThreadPool};
use tsuru::shogi::Position;
use tsuru::wa;

use super::{Done, RulesArgs, match_yonin, progress};

/// Play a match between two USI engines.
///
/// Games come in pairs, one opening with both colours. All results are the first
/// engine's: its points, its Elo over the second with a 95 % interval, and the
/// faults of both. Engines get the options that they declare of USI_Variant,
/// EnteringKingRule, WaDrops and MaxMovesToDraw, so that they play by the
/// referee's rules.
#[derive(Args)]
#[command(after_help = "\
Engines: two programs, or --engine twice, or --engines FILE.
The words of --engine: name=, cmd= (the program), arg= (may be repeated), dir=,
init= (a line to send after usiok, may be repeated), drop= (the sign that it wants
for * in drops), option.NAME=VALUE, and time=, inc=, byoyomi=, movetime= (all ms), nodes=, depth= for limits of its own. Values with blanks are put in quotes. A TOML file:
  byoyomi = 100                        # for engines without limits of their own
  [[engine]]
  name = \"new\"
  cmd = \"./tsuru\"
  options = { Threads = 1, USI_Hash = 64 }
  [[engine]]
  cmd = \"/usr/games/fairy-stockfish\"
  nodes = 20000

Examples:
  tsuru match ./new ./old --nodes 5000 --openings openings.sfen --games 400
  tsuru match --engine 'name=A cmd=./tsuru option.Threads=2' \\
              --engine 'name=B cmd=./tsuru option.Threads=1' \\
              --byoyomi 100 --sprt 0,10,0.05,0.05 --games 20000 --resume ab.state
  tsuru match --engines match.toml --concurrency 2 --games-out games/ --format kif

Wa shogi (--variant washogi) against SjaakII, which learns it from a file:
  tsuru match --variant washogi --random-plies 6 --movetime 200 --margin 1000 \\
    --engine 'name=Tsuru cmd=./tsuru' --engine 'name=SjaakII cmd=/usr/games/sjaakii \\
      init=\"load /usr/share/games/sjaakii/variants.txt\" \\
      init=\"setoption name UCI_Variant value wa-shogi-drop\" drop=@'

Four-player shogi (--variant yonin) takes two to four engines: two play one against
three (in pairs team against team), three seat the last one twice. Seats are rotated
over all arrangements; places 1 to 4 give 3, 2, 1 and 0 points. The programs
builtin:random, builtin:greedy, builtin:maxn, builtin:paranoid, builtin:brs and
builtin:foreseen are players within this process. --games-out writes one JSON object a
game, which `judge` and `explain` read.
  tsuru match --variant yonin ./tsuru builtin:greedy --movetime 100 --games 200
  tsuru match --variant yonin --yonin format=pairs ./tsuru builtin:maxn --movetime 100")]
pub struct MatchArgs {
    /// Two programs; up to four in four-player shogi.
    #[arg(value_name = "PROGRAM", num_args = 2..=4, conflicts_with_all = ["engine", "engines"])]
    programs: Vec<String>,

    /// An engine in words, `name=A cmd=./a ...`; give it twice, or up to four
    /// times in four-player shogi.
    #[arg(long, value_name = "WORDS")]
    engine: Vec<String>,

    /// A TOML file with the engines.
    #[arg(long, value_name = "FILE", conflicts_with = "engine")]
    engines: Option<PathBuf>,

    /// Openings, one a line: `startpos moves ...` or an sfen [default: the initial
    /// position].
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Play the openings in the order that belongs to this number [default: as in
    /// the file].
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// Number of games, rounded up to pairs.
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    games: u32,

    #[command(flatten)]
    limits: LimitArgs,

    /// Games at a time.
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=512))]
    concurrency: u16,

    /// Overrun of a time limit that is forgiven, ms.
    #[arg(long, value_name = "MS", default_value_t = 50)]
    margin: u32,

    /// How long an engine without a time limit may take for a move, ms.
    #[arg(long, value_name = "MS", default_value_t = 120_000)]
    hang_timeout: u32,

    /// End a game as won when both engines say so: score (centipawns) and number
    /// of moves of each.
    #[arg(long, value_name = "SCORE,MOVES")]
    adjudicate_win: Option<WinRule>,

    /// End a game as drawn when both engines' scores are within SCORE of 0 for
    /// MOVES of each, from ply FROM on.
    #[arg(long, value_name = "SCORE,MOVES,FROM")]
    adjudicate_draw: Option<DrawRule>,

    /// End a game by the 24-point count when both kings have been in the enemy's
    /// camp for PLIES without a capture.
    #[arg(long, value_name = "PLIES")]
    judge24: Option<u32>,

    /// Stop when this sequential test has decided, as in 0,10,0.05,0.05.
    #[arg(long, value_name = "ELO0,ELO1,ALPHA,BETA", allow_hyphen_values = true)]
    sprt: Option<Sprt>,

    /// Write the games to this file, or into this directory (for KIF always).
    #[arg(long, value_name = "PATH")]
    games_out: Option<PathBuf>,

    /// Format of the games.
    /// [default: csa, in wa shogi usi].
    #[arg(long, value_enum)]
    format: Option<FormatArg>,

    /// Keep the state of the match in this file, and go on from it if it exists.
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Print a line for each game on standard error.
    #[arg(long)]
    log: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    /// Begin games with so many random moves, without openings. In games of two,
    /// both engines get each beginning as Black, and a short search has found it
    /// about even [default: 4 in four-player shogi, else none].
    #[arg(long, value_name = "N", conflicts_with = "openings",
          value_parser = clap::value_parser!(u32).range(0..=100))]
    random_plies: Option<u32>,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

/// The limits of engines that have none of their own.
#[derive(Args)]
pub(super) struct LimitArgs {
    /// Main time, ms.
    #[arg(long, value_name = "MS")]
    time: Option<u64>,

    /// Time added before each move (Fischer), ms.
    #[arg(long, value_name = "MS")]
    inc: Option<u64>,

    /// Time for each move after the main time, ms.
    #[arg(long, value_name = "MS")]
    byoyomi: Option<u64>,

    /// Exact time for each move, ms.
    #[arg(long, value_name = "MS")]
    movetime: Option<u64>,

    /// Nodes for each move.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Depth of each search.
    #[arg(long, value_name = "N")]
    depth: Option<u32>,
}

#[derive(Clone, Copy, ValueEnum)]
enum FormatArg {
    Kif,
    Csa,
    Usi,
}

impl FormatArg {
    fn format(self) -> Format {
        match self {
            FormatArg::Kif => Format::Kif,
            FormatArg::Csa => Format::Csa,
            FormatArg::Usi => Format::Usi,
        }
    }
}

impl LimitArgs {
    /// The limits as the arena wants them.
    pub(super) fn limits(&self) -> Limits {
        let LimitArgs {
            time,
            inc,
            byoyomi,
            movetime,
            nodes,
            depth,
        } = *self;
        Limits {
            time,
            inc,
            byoyomi,
            movetime,
            nodes,
            depth,
        }
    }
}

/// Reads a file of openings; at least one.
pub(super) fn read_openings<G: Game>(
    path: &Path,
    rules: &G::Rules,
) -> anyhow::Result<Vec<Opening>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let openings =
        openings::read::<G>(&text, rules).with_context(|| format!("{}", path.display()))?;
    if openings.is_empty() {
        bail!("there are no openings in {}", path.display());
    }
    Ok(openings)
}

impl MatchArgs {
    /// The engines as they are named, and the limits of those without their own.
    fn named_engines(&self) -> anyhow::Result<(Vec<EngineConfig>, Limits)> {
        let mut limits = self.limits.limits();
        let engines = if let Some(path) = &self.engines {
            let (engines, file_limits) = config::read_file(path)?;
            if limits.is_empty() {
                limits = file_limits;
            }
            engines
        } else if self.programs.is_empty() {
            self.engine
                .iter()
                .map(|words| EngineConfig::from_words(words))
                .collect::<Result<_, _>>()?
        } else {
            self.programs
                .iter()
                .map(|program| EngineConfig::from_program(program))
                .collect()
        };
        Ok((engines, limits))
    }

    fn engines(&self) -> anyhow::Result<[EngineConfig; 2]> {
        let (engines, limits) = self.named_engines()?;
        let engines = config::pair(engines, limits)?;
        for engine in &engines {
            if engine.limits.is_empty() {
                bail!(
                    "the engine {} has no limit: give --byoyomi, --time, --inc, --movetime, --nodes or --depth",
                    engine.name
                );
            }
        }
        Ok(engines)
    }

    fn build<G: Referee>(
        &self,
        rules: G::Rules,
        evaluator: impl Evaluator<G>,
    ) -> anyhow::Result<Match<G>> {
        let engines = self.engines()?;
        let pairs = self.games.div_ceil(2) as usize;
        let mut openings = match &self.openings {
            None => match self.random_plies {
                None | Some(0) => vec![Opening::default()],
                Some(plies) => {
                    random_openings(&rules, plies, self.seed.unwrap_or(1), pairs, evaluator)
                }
            },
            Some(path) => read_openings::<G>(path, &rules)?,
        };
        if let Some(seed) = self.seed {
            openings::shuffle(&mut openings, seed);
        }
        Ok(Match {
            rules,
            openings,
            pairs,
            concurrency: self.concurrency.into(),
            settings: Settings {
                event: format!("{} - {}", engines[0].name, engines[1].name),
                margin: Duration::from_millis(self.margin.into()),
                patience: Duration::from_millis(self.hang_timeout.into()),
                adjudication: Adjudication {
                    win: self.adjudicate_win,
                    draw: self.adjudicate_draw,
                    count: self.judge24,
                },
            },
            sprt: self.sprt,
            engines,
        })
    }
}

impl MatchArgs {
    /// A match of four players.
    fn run_yonin(&self) -> anyhow::Result<Done> {
        for (given, name) in [
            (self.openings.is_some(), "--openings"),
            (self.adjudicate_win.is_some(), "--adjudicate-win"),
            (self.adjudicate_draw.is_some(), "--adjudicate-draw"),
            (self.judge24.is_some(), "--judge24"),
            (self.sprt.is_some(), "--sprt"),
            (self.format.is_some(), "--format"),
            (self.resume.is_some(), "--resume"),
        ] {
            if given {
                bail!("{name} is not for four-player shogi");
            }
        }
        let (mut engines, limits) = self.named_engines()?;
        config::complete(&mut engines, limits);
        let settings = MatchSettings {
            rules: self.rules.yonin_rules()?,
            games: self.games,
            opening: self.random_plies.unwrap_or(4),
            seed: self.seed.unwrap_or(1),
            concurrency: self.concurrency.into(),
            margin: Duration::from_millis(self.margin.into()),
            patience: Duration::from_millis(self.hang_timeout.into()),
        };
        match_yonin::run(
            &engines,
            &settings,
            self.games_out.as_deref(),
            self.log,
            self.json,
        )
    }
}

/// The live table and the records.
struct Watcher {
    bar: ProgressBar,
    files: Option<RecordFiles>,
    log: bool,
}

impl Observer for Watcher {
    fn game(&mut self, number: usize, record: &GameRecord) -> io::Result<()> {
        if self.log {
            let line = game_line(number, record);
            self.bar.suspend(|| eprintln!("{line}"));
        }
        match &mut self.files {
            Some(files) => files.add(number, record),
            None => Ok(()),
        }
    }

    fn table(&mut self, summary: &Summary) {
        self.bar.set_position(summary.games);
        self.bar.set_message(table(summary));
    }

    fn warning(&mut self, engine: &str, text: &str) {
        self.bar.suspend(|| eprintln!("{engine}: {text}"));
    }
}

pub fn run(args: &MatchArgs) -> anyhow::Result<Done> {
    if args.rules.is_yonin() {
        args.run_yonin()
    } else if args.rules.is_wa() {
        let mut rules = args.rules.wa_rules();
        if args.rules.max_moves.is_none() {
            rules.max_moves = wa::Position::MAX_MOVES;
        }
        play(args, args.build(rules, WaEvaluator)?, FormatArg::Usi)
    } else {
        let game = args.build::<Position>(args.rules.match_rules(), HandEvaluator)?;
        play(args, game, FormatArg::Csa)
    }
}

/// Random openings that a short search finds about even.
fn random_openings<G: Game>(
    rules: &G::Rules,
    plies: u32,
    seed: u64,
    count: usize,
    evaluator: impl Evaluator<G>,
) -> Vec<Opening> {
    const NODES: u64 = 2000;
    const EVEN: Score = 200;
    let mut pool = ThreadPool::new(evaluator, 1, 1);
    openings::random::<G>(rules, plies, seed, count, |position| {
        let limits = SearchLimits {
            nodes: Some(NODES),
            ..SearchLimits::default()
        };
        pool.clear();
        let outcome = pool.search(position.clone(), limits, SearchOptions::default());
        outcome.score.abs() <= EVEN
    })
}

/// Plays a match; games are written in `format` if the user names none.
fn play<G: Referee>(args: &MatchArgs, game: Match<G>, format: FormatArg) -> anyhow::Result<Done> {
    let (journal, finished) = match &args.resume {
        None => (None, Default::default()),
        Some(path) => {
            let (journal, finished) = Journal::open(path, &game.description())?;
            (Some(journal), finished)
        }
    };
    let files = match &args.games_out {
        None => None,
        Some(path) => {
            let again = !finished.is_empty();
            let format = args.format.unwrap_or(format).format();
            let files = RecordFiles::create::<G>(path, format, again)
                .with_context(|| format!("cannot write games to {}", path.display()))?;
            Some(files)
        }
    };
    progress::watch_for_interrupt()?;
    let bar = ProgressBar::new(game.games() as u64);
    bar.set_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} (left {eta})\n{msg}")
            .expect("a valid template"),
    );
    bar.enable_steady_tick(Duration::from_millis(500));
    let mut watcher = Watcher {
        bar,
        files,
        log: args.log,
    };
    let result = game.run(journal, finished, progress::interrupt_flag(), &mut watcher);
    watcher.bar.finish_and_clear();
    let summary = result?;

    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &summary)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}", table(&summary))?;
    }
    Ok(if summary.interrupted {
        Done::Interrupted
    } else {
        Done::Yes
    })
}

/// `game 12: A - B: black wins by resignation, 93 moves`.
fn game_line(number: usize, record: &GameRecord) -> String {
    let result = match record.result.winner() {
        Some(winner) => format!("{winner} wins"),
        None => "draw".to_string(),
    };
    let note = if record.note.is_empty() {
        String::new()
    } else {
        format!(" ({})", record.note)
    };
    format!(
        "game {}: {} - {}: {result}, {}{note}, {} moves",
        number + 1,
        record.black,
        record.white,
        record.ending.text(),
        record.moves.len()
    )
}

/// The table for people.
fn table(summary: &Summary) -> String {
    let [a, b] = &summary.engines;
    let width = a.name.chars().count().max(b.name.chars().count());
    let mut lines = vec![format!(
        "{:width$}  points  wins draws losses  (as black)      (as white)      depth      nps",
        ""
    )];
    for engine in [a, b] {
        let colored = |[w, d, l]: [u64; 3]| format!("+{w} ={d} -{l}");
        lines.push(format!(
            "{:width$}  {:>6.1} {:>5} {:>5} {:>6}  {:<15} {:<15} {:>5.1} {:>8.0}",
            engine.name,
            engine.points,
            engine.wins,
            engine.draws,
            engine.losses,
            colored(engine.as_black),
            colored(engine.as_white),
            engine.mean_depth,
            engine.nps,
        ));
    }
    lines.push(format!(
        "Games   {} of {}{}, {:.1} moves each",
        summary.games,
        summary.games_planned,
        if summary.interrupted {
            " (interrupted)"
        } else {
            ""
        },
        summary.mean_plies
    ));
    if let Some(elo) = &summary.elo {
        lines.push(format!(
            "Elo     {:+.1} (95 %: {:+.1} to {:+.1}), {} is stronger with {:.1} %",
            elo.elo,
            elo.low,
            elo.high,
            a.name,
            100.0 * elo.los
        ));
    }
    let [loss, half, even, ahead, win] = summary.pentanomial.0;
    lines.push(format!(
        "Pairs   0: {loss}, 1/2: {half}, 1: {even}, 3/2: {ahead}, 2: {win}"
    ));
    if let Some(sprt) = &summary.sprt {
        let decision = match sprt.decision {
            Decision::Continue => "undecided".to_string(),
            Decision::AcceptElo0 => format!("{} Elo or less accepted", sprt.test.elo0),
            Decision::AcceptElo1 => format!("{} Elo or more accepted", sprt.test.elo1),
        };
        lines.push(format!(
            "SPRT    {}: LLR {:.2} ({:.2} to {:.2}), {decision}",
            sprt.test, sprt.llr, sprt.lower, sprt.upper
        ));
    }
    let endings: Vec<String> = summary
        .endings
        .iter()
        .map(|(ending, count)| format!("{} {count}", ending.text()))
        .collect();
    lines.push(format!("Ends    {}", endings.join(", ")));
    for engine in [a, b] {
        lines.push(format!("Faults  {}: {}", engine.name, faults(engine)));
    }
    for engine in [a, b] {
        if let Some(latency) = &engine.latency {
            lines.push(format!(
                "Time    {}: past its limit by {:+.1} ms at most, {:+.1} ms in 99 % of {} moves",
                engine.name, latency.max_ms, latency.p99_ms, latency.moves
            ));
        }
    }
    lines.join("\n")
}

fn faults(engine: &EngineSummary) -> String {
    if engine.faults.is_empty() {
        return "none".to_string();
    }
    let faults: Vec<String> = engine
        .faults
        .iter()
        .map(|(fault, count)| format!("{} {count}", fault.text()))
        .collect();
    faults.join(", ")
}
