//! The command line: one file a command.
//!
//! Without a command the program is a USI engine. The commands are tools around
//! the same library: they read a position in the words that USI uses, do one
//! thing, print it for people or (`--json`) for programs, and leave. Exit
//! status: 0 done, 1 a negative answer (`explain`: the move is not legal), 2 bad
//! input, 130 ended by Ctrl-C.

use std::io::Write;
use std::process::ExitCode;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use tsuru::arena::referee::Referee;
use tsuru::shogi::{EnteringKingRule, Position, Rules};
use tsuru::{wa, yonin};

mod analyze;
mod bench;
mod book;
mod convert;
mod evaluation;
mod explain;
mod input;
mod judge;
mod judge_yonin;
mod learn;
mod match_;
mod match_yonin;
mod mate;
mod output;
mod perft;
mod progress;
mod records;
mod show;
mod train;
mod tune;

/// A shogi engine that speaks USI, with tools for positions and games.
///
/// Without a command it is the engine: it reads USI from standard input and
/// answers on standard output. That is how a GUI starts it.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, after_help = POSITIONS_HELP)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const POSITIONS_HELP: &str = "\
Positions are written as USI writes them, quoted or not:
  startpos
  startpos moves 7g7f 3c3d
  sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
  sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1 moves G*5b
  yfen 4Kn4/9/9/9/Kw7Ke/9/9/9/4Ks4 s R/-/-/- - - - 1 (with --variant yonin)
The words `position` and `sfen` and the move number may be left out; no position
at all is the initial one.";

#[derive(Subcommand)]
enum Command {
    /// Count the legal move sequences of a given length.
    Perft(perft::PerftArgs),
    /// Search fixed positions to a fixed depth: speed and node signature.
    Bench(bench::BenchArgs),
    /// Make, merge and look into opening books.
    Book(book::BookArgs),
    /// Draw a position.
    Show(show::ShowArgs),
    /// Say whether a move is legal, and if not, which rule it breaks.
    Explain(explain::ExplainArgs),
    /// Judge a game: result, reason, repetition and impasse.
    Judge(judge::JudgeArgs),
    /// Convert game records between formats, or check them.
    Convert(convert::ConvertArgs),
    /// Analyse game records: scores, marks, turning points, reports.
    Analyze(Box<analyze::AnalyzeArgs>),
    /// Solve mate problems.
    Mate(mate::MateArgs),
    /// Play a match between two USI engines.
    Match(Box<match_::MatchArgs>),
    /// Tune an engine's parameters by games against itself (SPSA).
    Tune(Box<tune::TuneArgs>),
    /// Make self-play data, look into it, and learn from it.
    Learn(Box<learn::LearnArgs>),
}

/// The rules to play by.
#[derive(Args)]
struct RulesArgs {
    /// Rule set: standard shogi, the variant won by capturing the king, wa shogi
    /// (11x11), or four-player shogi.
    #[arg(long, value_enum, default_value_t = VariantArg::Shogi)]
    variant: VariantArg,

    /// Impasse rule of standard shogi: NoEnteringKing, CSARule24, CSARule24H,
    /// CSARule27, CSARule27H or TryRule [default: CSARule27].
    #[arg(long, value_name = "RULE")]
    rule: Option<EnteringKingRule>,

    /// The game is drawn after this many moves; 0 for no limit [default: 0, in
    /// `match` 320 or in wa shogi 600, 300 with `--variant kingcapture`].
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,

    /// Wa shogi without drops: captured pieces are gone.
    #[arg(long)]
    no_drops: bool,

    /// A rule of four-player shogi: format=singles or pairs, end=two or last,
    /// mated=mater or unowned, first=s, w, n or e; may be repeated.
    #[arg(long, value_name = "RULE=WORD")]
    yonin: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VariantArg {
    Shogi,
    #[value(name = "kingcapture")]
    KingCapture,
    #[value(name = "washogi", aliases = wa::Rules::ALIASES)]
    WaShogi,
    Yonin,
}

impl RulesArgs {
    /// An error for an option that the variant has no use for: passed over in
    /// silence it would look as if it held.
    fn check(&self) -> anyhow::Result<()> {
        let refuse = |given: bool, home: VariantArg, what: &str| {
            anyhow::ensure!(
                !given || self.variant == home,
                "{what}, and --variant names another game"
            );
            Ok(())
        };
        refuse(
            self.rule.is_some(),
            VariantArg::Shogi,
            "--rule is of standard shogi",
        )?;
        refuse(
            self.no_drops,
            VariantArg::WaShogi,
            "--no-drops is of `--variant washogi`",
        )?;
        refuse(
            !self.yonin.is_empty(),
            VariantArg::Yonin,
            "--yonin is of `--variant yonin`",
        )
    }

    /// Whether four-player shogi is played.
    fn is_yonin(&self) -> bool {
        self.variant == VariantArg::Yonin
    }

    /// Whether wa shogi is played.
    fn is_wa(&self) -> bool {
        self.variant == VariantArg::WaShogi
    }

    /// An error for what exists in shogi only, like "records".
    fn only_shogi(&self, what: &str) -> anyhow::Result<()> {
        anyhow::ensure!(
            !self.is_wa() && !self.is_yonin(),
            "{what}: only of shogi, not of the game that --variant names"
        );
        Ok(())
    }

    /// The rules of wa shogi.
    fn wa_rules(&self) -> wa::Rules {
        wa::Rules {
            drops: !self.no_drops,
            max_moves: self.max_moves.unwrap_or(0),
        }
    }

    /// The rules of four-player shogi.
    fn yonin_rules(&self) -> anyhow::Result<yonin::Rules> {
        let mut rules = yonin::Rules {
            limit: self.max_moves.unwrap_or(0),
            ..yonin::Rules::default()
        };
        for word in &self.yonin {
            let (name, value) = word
                .split_once('=')
                .with_context(|| format!("`--yonin {word}` is not RULE=WORD"))?;
            rules.set(name, value)?;
        }
        Ok(rules)
    }

    /// The rules of a match, where every game has an end.
    fn match_rules(&self) -> Rules {
        let mut rules = self.rules();
        if self.max_moves.is_none() && rules.max_moves == 0 {
            rules.max_moves = Position::MAX_MOVES;
        }
        rules
    }

    fn rules(&self) -> Rules {
        let mut rules = match self.variant {
            VariantArg::Shogi | VariantArg::WaShogi | VariantArg::Yonin => Rules {
                entering_king: self.rule.unwrap_or_default(),
                ..Rules::default()
            },
            VariantArg::KingCapture => Rules::king_capture(),
        };
        if let Some(max_moves) = self.max_moves {
            rules.max_moves = max_moves;
        }
        rules
    }
}

/// How a command ended, when it did not fail.
enum Done {
    Yes,
    /// The answer is "no".
    Negative,
    /// Ctrl-C came first; what was done so far is printed.
    Interrupted,
}

impl Command {
    /// The rules that the command was given, if it takes any.
    fn rules(&self) -> Option<&RulesArgs> {
        match self {
            Command::Perft(args) => Some(&args.rules),
            Command::Book(args) => args.rules(),
            Command::Show(args) => Some(&args.rules),
            Command::Explain(args) => Some(&args.rules),
            Command::Judge(args) => Some(&args.rules),
            Command::Convert(args) => Some(&args.rules),
            Command::Analyze(args) => Some(&args.rules),
            Command::Match(args) => Some(&args.rules),
            Command::Tune(args) => Some(&args.rules),
            Command::Mate(args) => Some(&args.rules),
            Command::Bench(_) | Command::Learn(_) => None,
        }
    }

    fn run(&self) -> anyhow::Result<Done> {
        if let Some(rules) = self.rules() {
            rules.check()?;
        }
        match self {
            Command::Perft(args) => perft::run(args),
            Command::Bench(args) => bench::run(args),
            Command::Book(args) => book::run(args),
            Command::Show(args) => show::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Judge(args) => judge::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Analyze(args) => analyze::run(args),
            Command::Mate(args) => mate::run(args),
            Command::Match(args) => match_::run(args),
            Command::Tune(args) => tune::run(args),
            Command::Learn(args) => learn::run(args),
        }
    }
}

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    let Some(command) = Cli::parse().command else {
        return tsuru::usi::run();
    };
    match command.run() {
        Ok(Done::Yes) => ExitCode::SUCCESS,
        Ok(Done::Negative) => ExitCode::from(1),
        Ok(Done::Interrupted) => ExitCode::from(130),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is closed the status alone must tell.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether the reader of our output has gone (`tsuru show | head -1`): no error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let plain = error.downcast_ref::<std::io::Error>();
    let json = error.downcast_ref::<serde_json::Error>();
    plain
        .map(std::io::Error::kind)
        .or_else(|| json.and_then(serde_json::Error::io_error_kind))
        == Some(std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
