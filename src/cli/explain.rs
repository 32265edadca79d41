//! `tsuru explain`: says whether a move is legal, or which rule it breaks.

use std::io::{Write, stdout};

use anyhow::bail;
use clap::Args;
use serde::Serialize;
use tsuru::game::{Game, GameEnd};
use tsuru::shogi::Position;
use tsuru::wa;
use tsuru::yonin::Paranoid;

use super::{Done, RulesArgs, input};

/// Say whether a move is legal in a position, and if not, which rule it breaks.
///
/// A legal move that ends the game is named as such: one that completes a
/// perpetual check loses. The exit status is 0 for a legal move and 1 for an
/// illegal one.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru explain startpos 7g7f
  tsuru explain startpos moves 7g7f 3c3d 8h2b+
  tsuru explain 'sfen 4k4/9/4P4/9/9/9/4P4/9/4K4 b P 1' 'P*5e'")]
pub struct ExplainArgs {
    /// The position and then, as the last word, the move: `7g7f`, `8h2b+`, `P*5e`.
    #[arg(value_name = "POSITION> <MOVE", required = true)]
    words: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RulesArgs,
}

#[derive(Serialize)]
struct Report {
    sfen: String,
    r#move: String,
    legal: bool,
    /// The rule that the move breaks, or how it ends the game.
    explanation: Option<String>,
}

pub fn run(args: &ExplainArgs) -> anyhow::Result<Done> {
    let text = args.words.join(" ");
    let (position, r#move) = text.trim().rsplit_once(' ').unwrap_or(("", text.trim()));
    // The position's last word may be anything from its start to a move number.
    if r#move.contains('/')
        || matches!(
            r#move,
            "position" | "startpos" | "sfen" | "yfen" | "moves" | "b" | "w" | "s" | "n" | "e" | "-"
        )
        || r#move.bytes().all(|byte| byte.is_ascii_digit())
    {
        bail!("the move is missing: it comes last, after the position");
    }
    let report = if args.rules.is_yonin() {
        explain::<Paranoid>(input::load(position, &args.rules.yonin_rules()?)?, r#move)
    } else if args.rules.is_wa() {
        explain::<wa::Position>(input::load(position, &args.rules.wa_rules())?, r#move)
    } else {
        explain::<Position>(input::load(position, &args.rules.rules())?, r#move)
    };

    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        let word = if report.legal { "legal" } else { "illegal" };
        match &report.explanation {
            Some(explanation) => writeln!(out, "{}: {word}: {explanation}", report.r#move)?,
            None => writeln!(out, "{}: {word}", report.r#move)?,
        }
    }
    Ok(if report.legal {
        Done::Yes
    } else {
        Done::Negative
    })
}

fn explain<G: Game>(mut position: G, text: &str) -> Report {
    let sfen = position.sfen();
    let (legal, explanation) = match position.parse_move(text) {
        Err(error) => (false, Some(error.to_string())),
        Ok(m) => {
            let mover = position.side_to_move();
            position.make(m);
            let explanation = position.end().map(|end| match end {
                GameEnd::PerpetualCheck { loser } if loser == mover => {
                    "it completes a perpetual check and loses the game".to_string()
                }
                end => format!("it ends the game: {end}"),
            });
            (true, explanation)
        }
    };
    Report {
        sfen,
        r#move: text.to_string(),
        legal,
        explanation,
    }
}
