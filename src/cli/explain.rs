//! `tsuru explain`: says whether a move is legal, or which rule it breaks.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use serde::Serialize;
use tsuru::game::{Game, GameEnd};
use tsuru::record::yonin::YoninGame;
use tsuru::record::{Cursor, GameTree, Step};
use tsuru::shogi::{Move, Notation, Position};
use tsuru::wa;
use tsuru::yonin::Paranoid;

use super::records::{Input, problem_lines};
use super::{Done, RulesArgs, input};

/// Say whether a move is legal in a position, and if not, which rule it breaks.
///
/// A legal move that ends the game is named as such: one that completes a
/// perpetual check loses. The exit status is 0 for a legal move and 1 for an
/// illegal one. With --record the position is one of a game: the one after --after
/// moves, or the last; without a move, the game's own next move is explained. A
/// record of four-player shogi is a JSON object a line, as `tsuru match` writes them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru explain startpos 7g7f
  tsuru explain startpos moves 7g7f 3c3d 8h2b+
  tsuru explain 'sfen 4k4/9/4P4/9/9/9/4P4/9/4K4 b P 1' 'P*5e'
  tsuru explain --record game.kif --after 73 'P*4d'
  tsuru explain --record foul.csa                # the move that the record ends with
  tsuru explain --variant yonin --record games.jsonl --after 12 'P*5e'")]
pub struct ExplainArgs {
    /// The position and then, as the last word, the move: `7g7f`, `8h2b+`, `P*5e`.
    #[arg(value_name = "POSITION MOVE", required_unless_present = "record")]
    words: Vec<String>,

    /// Take the position from this game record (its first game).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

    /// The position after so many moves of the record [default: the last one that
    /// has a move to explain].
    #[arg(long, value_name = "N", requires = "record")]
    after: Option<usize>,

    /// Notation of the move: ja, en or usi.
    #[arg(long, value_name = "LANG", default_value = "usi")]
    lang: Notation,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

#[derive(Serialize)]
struct Report {
    sfen: String,
    r#move: String,
    /// The move in the notation that was asked for; as it was given if it is illegal.
    #[serde(skip)]
    shown: String,
    legal: bool,
    /// The rule that the move breaks, or how it ends the game.
    explanation: Option<String>,
}

pub fn run(args: &ExplainArgs) -> anyhow::Result<Done> {
    let shogi = |position: &Position, m| args.lang.show(position, m);
    let report = if let Some(path) = &args.record {
        if args.rules.is_yonin() {
            let (position, r#move) = from_yonin_record(args, path)?;
            explain(position, &r#move, |_, m| m.to_string())
        } else {
            args.rules.only_shogi("records")?;
            let (position, r#move) = from_record(args, path)?;
            explain(position, &r#move, shogi)
        }
    } else {
        let (position, r#move) = split(&args.words)?;
        if args.rules.is_yonin() {
            let position: Paranoid = input::load(&position, &args.rules.yonin_rules()?)?;
            explain(position, &r#move, |_, m| m.to_string())
        } else if args.rules.is_wa() {
            let position: wa::Position = input::load(&position, &args.rules.wa_rules())?;
            explain(position, &r#move, |_, m| m.to_string())
        } else {
            explain(input::load(&position, &args.rules.rules())?, &r#move, shogi)
        }
    };

    let mut out = stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        let word = if report.legal { "legal" } else { "illegal" };
        match &report.explanation {
            Some(explanation) => writeln!(out, "{}: {word}: {explanation}", report.shown)?,
            None => writeln!(out, "{}: {word}", report.shown)?,
        }
    }
    Ok(if report.legal {
        Done::Yes
    } else {
        Done::Negative
    })
}

/// The position and the move in the words of the command line.
fn split(words: &[String]) -> anyhow::Result<(String, String)> {
    let text = words.join(" ");
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
    Ok((position.to_owned(), r#move.to_owned()))
}

/// A position of a record, and the move that was given or that the record has there.
fn from_record(args: &ExplainArgs, path: &std::path::Path) -> anyhow::Result<(Position, String)> {
    let source = Input {
        path: path.to_path_buf(),
        folder: None,
    };
    let reading = source.read(&args.rules.rules())?;
    let tree = &reading.games[0];
    for line in problem_lines(&source, &reading) {
        eprintln!("{line}");
    }
    let given = given(args)?;
    let played = played(tree);
    let legal = tree.main_moves().len();
    let after = after(args, given.as_ref(), played.len(), legal)?;
    let mut cursor = Cursor::new(tree);
    if let Some(node) = after
        .checked_sub(1)
        .and_then(|index| tree.main_line().nth(index))
    {
        cursor.go_to(tree, node);
    }
    let text = match given {
        Some(text) => text,
        None => played
            .get(after)
            .map(ToString::to_string)
            .with_context(|| format!("the record has no move after {after} moves"))?,
    };
    Ok((cursor.position().clone(), text))
}

/// The move that is given beside a record.
fn given(args: &ExplainArgs) -> anyhow::Result<Option<String>> {
    match args.words.as_slice() {
        [] => Ok(None),
        [word] => Ok(Some(word.clone())),
        _ => bail!("with --record one move at most is given"),
    }
}

/// After how many moves of a record to look: `played` it has, of which the first
/// `legal` are legal.
fn after(
    args: &ExplainArgs,
    given: Option<&String>,
    played: usize,
    legal: usize,
) -> anyhow::Result<usize> {
    let last = match given {
        // Without a move, the last that the record has.
        None => played.saturating_sub(1),
        Some(_) => legal,
    };
    let after = args.after.unwrap_or(last);
    anyhow::ensure!(
        after <= legal,
        "the record has {legal} legal moves, not {after}"
    );
    Ok(after)
}

/// The same of a game of four-player shogi.
fn from_yonin_record(
    args: &ExplainArgs,
    path: &std::path::Path,
) -> anyhow::Result<(Paranoid, String)> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.with_context(|| format!("{name} holds no game"))?;
    let game = YoninGame::parse(line, &args.rules.yonin_rules()?)
        .with_context(|| format!("{name}, line 1"))?;
    let command = input::parse(&game.line());
    let mut position: Paranoid = input::start(&command, &game.rules)?;
    let mut legal = 0;
    while let Some(m) = game.moves.get(legal)
        && let Ok(m) = position.parse_move(m)
    {
        position.make(m);
        legal += 1;
    }
    let given = given(args)?;
    let after = after(args, given.as_ref(), game.moves.len(), legal)?;
    for _ in after..legal {
        position.unmake();
    }
    let text = given.or_else(|| game.moves.get(after).cloned());
    let text = text.with_context(|| format!("the record has no move after {after} moves"))?;
    Ok((position, text))
}

/// The moves of the main line, an illegal last one included.
fn played(tree: &GameTree) -> Vec<Move> {
    tree.main_line()
        .filter_map(|id| match tree.node(id).step {
            Step::Move(m) | Step::Foul(m, _) => Some(m),
            _ => None,
        })
        .collect()
}

fn explain<G: Game>(
    mut position: G,
    text: &str,
    show: impl FnOnce(&G, G::Move) -> String,
) -> Report {
    let sfen = position.sfen();
    let mut shown = text.to_string();
    let (legal, explanation) = match position.parse_move(text) {
        Err(error) => (false, Some(error.to_string())),
        Ok(m) => {
            shown = show(&position, m);
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
        shown,
        legal,
        explanation,
    }
}
