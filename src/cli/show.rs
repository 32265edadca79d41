//! `tsuru show`: draws a position.

use std::io::{Write, stdout};

use clap::{Args, ValueEnum};
use serde::Serialize;
use tsuru::core::MoveList;
use tsuru::game::{DiagramStyle, Game, Stage};
use tsuru::shogi::Position;
use tsuru::wa;
use tsuru::yonin::Paranoid;

use super::input::PositionArgs;
use super::{Done, RulesArgs};

/// Draw a position, with its sfen and whether the game is over there.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru show
  tsuru show --style ascii startpos moves 7g7f 3c3d
  tsuru show --json sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1")]
pub struct ShowArgs {
    #[command(flatten)]
    position: PositionArgs,

    /// How to draw the board.
    #[arg(long, value_enum, default_value_t = Style::Japanese)]
    style: Style,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

#[derive(Clone, Copy, ValueEnum)]
enum Style {
    /// Kanji pieces, as in printed diagrams.
    Japanese,
    /// Sfen letters in a grid.
    Ascii,
}

#[derive(Serialize)]
struct Report {
    sfen: String,
    side_to_move: String,
    ply: u32,
    in_check: bool,
    /// Why the game is over here, or null.
    end: Option<String>,
    legal_moves: Vec<String>,
    diagram: String,
}

pub fn run(args: &ShowArgs) -> anyhow::Result<Done> {
    if args.rules.is_yonin() {
        show::<Paranoid>(args, &args.rules.yonin_rules()?)
    } else if args.rules.is_wa() {
        show::<wa::Position>(args, &args.rules.wa_rules())
    } else {
        show::<Position>(args, &args.rules.rules())
    }
}

fn show<G: Game>(args: &ShowArgs, rules: &G::Rules) -> anyhow::Result<Done> {
    let position: G = args.position.load(rules)?;
    let style = match args.style {
        Style::Japanese => DiagramStyle::Japanese,
        Style::Ascii => DiagramStyle::Ascii,
    };
    let diagram = position.diagram(style);
    let end = position.end().map(|end| end.to_string());
    let mut out = stdout().lock();
    if args.json {
        let report = Report {
            sfen: position.sfen(),
            side_to_move: position.turn_name(),
            ply: position.ply(),
            in_check: position.in_check(),
            end,
            legal_moves: legal_moves(&position),
            diagram,
        };
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}", diagram.trim_end_matches('\n'))?;
        writeln!(out, "{} {}", G::NOTATION, position.sfen())?;
        match end {
            Some(end) => writeln!(out, "The game is over: {end}.")?,
            None if position.in_check() => {
                writeln!(out, "{} is in check.", position.turn_name())?;
            }
            None => {}
        }
    }
    Ok(Done::Yes)
}

fn legal_moves<G: Game>(position: &G) -> Vec<String> {
    if position.final_note().is_some() {
        return Vec::new();
    }
    let mut moves = MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    moves.iter().map(ToString::to_string).collect()
}
