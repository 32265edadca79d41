//! `tsuru judge`: the referee's view of a game, given as a USI line or a record.
//!
//! The moves are played one by one; the first illegal move, or the first position
//! in which the rules end the game, decides. Then the last position's standing is
//! told: occurrences (four end the game), what a declaration would give either
//! side, and the count of all points that players agree on when both kings have
//! entered (24 points save the draw).

use std::fs::File;
use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use serde::Serialize;
use tsuru::core::Color;
use tsuru::game::{Game, GameEnd, ImmediateWin, Repetition};
use tsuru::shogi::entering_king::Declaration;
use tsuru::shogi::{EnteringKingRule, Position, Rules};
use tsuru::wa;

use tsuru::record::{GameTree, Step, Terminal};

use super::records::{Input, collect, problem_lines};
use super::{Done, RulesArgs, input, judge_yonin};

/// Judge a game: result, reason, repetition and impasse.
///
/// The game is a USI position line. After its moves it may say `resign`, or `win`
/// for a declaration by the side to move, which is checked against `--rule`. With
/// --record, games of KIF, KI2, CSA, JKF or USI files are judged; where the rules do not
/// end a game, the record's own last word counts. A game of four-player shogi gets
/// places instead of a result; it may also be a JSON object as `tsuru match` writes
/// them, which names its rules itself and is compared with the verdict. The exit
/// status is 1 when such a game says something else.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tsuru judge startpos moves 2h3h 8b7b 3h2h 7b8b
  tsuru judge --rule CSARule24 'position sfen 1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1 moves win'
  tsuru judge --json --file games.txt
  cat games.txt | tsuru judge -
  tsuru judge --record game.kif records/
  tsuru judge --variant yonin --file games.jsonl   # of `match --games-out`

In a file or on standard input every line is a game; empty lines and those that
start with # are skipped, and JSON is one object a line.")]
pub struct JudgeArgs {
    /// The game: `startpos moves ...`, `sfen ... moves ...`, or `-` for games from
    /// standard input, one a line.
    #[arg(value_name = "GAME", required_unless_present_any = ["file", "record"])]
    words: Vec<String>,

    /// Judge the games of these records, or of all records in these folders.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with_all = ["words", "file"])]
    record: Vec<PathBuf>,

    /// Judge the games in a file, one a line.
    #[arg(long, value_name = "FILE", conflicts_with = "words")]
    file: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    pub(super) rules: RulesArgs,
}

#[derive(Debug, Serialize)]
struct Verdict {
    /// `black`, `white`, `draw`, or null while the game goes on.
    result: Option<&'static str>,
    /// Why.
    reason: String,
    /// Legal moves played, up to the end of the game.
    moves: usize,
    /// Words of the game that come after its end.
    moves_after_end: usize,
    /// The last position.
    sfen: String,
    side_to_move: &'static str,
    in_check: bool,
    repetition: RepetitionStatus,
    impasse: Option<ImpasseStatus>,
}

#[derive(Debug, Serialize)]
struct RepetitionStatus {
    /// How often the last position has occurred.
    occurrences: usize,
    /// Who gave check at every move since it occurred last.
    perpetual_check_by: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct ImpasseStatus {
    black: SideStatus,
    white: SideStatus,
    /// The count of all pieces on the board and in hand.
    count_24: Count,
}

/// What a side would get by declaring, if it were its move.
#[derive(Debug, Serialize)]
struct SideStatus {
    king_in_zone: bool,
    in_check: bool,
    pieces_in_zone: u32,
    /// Pieces in the zone and in hand.
    points: u32,
    rule_27: &'static str,
    rule_24: &'static str,
    rule_27_handicap: &'static str,
    rule_24_handicap: &'static str,
}

#[derive(Debug, Serialize)]
struct Count {
    black: u32,
    white: u32,
    /// Both kings have entered, so that the players may agree to count.
    applies: bool,
    /// What the count says: `draw`, or the winner.
    result: &'static str,
}

/// What is said about one game.
pub(super) trait Judgement: Serialize {
    /// Prints it for people.
    fn print(&self, out: &mut dyn Write) -> std::io::Result<()>;

    /// Whether the record of the game says something else.
    fn contradicts(&self) -> bool {
        false
    }
}

impl Judgement for Verdict {
    fn print(&self, out: &mut dyn Write) -> std::io::Result<()> {
        print(self, out)
    }
}

pub fn run(args: &JudgeArgs) -> anyhow::Result<Done> {
    if !args.record.is_empty() {
        args.rules.only_shogi("records")?;
        let mut out = stdout().lock();
        return judge_records(&args.record, &args.rules.rules(), args.json, &mut out);
    }
    if args.rules.is_yonin() {
        let rules = args.rules.yonin_rules()?;
        judge_all(args, |line| judge_yonin::judge(line, &rules))
    } else if args.rules.is_wa() {
        let rules = args.rules.wa_rules();
        judge_all(args, |line| judge::<wa::Position>(line, &rules))
    } else {
        let rules = args.rules.rules();
        judge_all(args, |line| judge::<Position>(line, &rules))
    }
}

/// Judges what the command line names, with a judge of one game.
fn judge_all<V: Judgement>(
    args: &JudgeArgs,
    judge: impl Fn(&str) -> anyhow::Result<V>,
) -> anyhow::Result<Done> {
    let mut out = stdout().lock();
    let mut contradicted = false;
    let mut judge = |line: &str| -> anyhow::Result<V> {
        let verdict = judge(line)?;
        contradicted |= verdict.contradicts();
        Ok(verdict)
    };
    if let Some(path) = &args.file {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        judge_lines(BufReader::new(file), judge, args.json, &mut out)
            .with_context(|| format!("{}", path.display()))?;
    } else if args.words == ["-"] {
        judge_lines(stdin().lock(), judge, args.json, &mut out)?;
    } else {
        let verdict = judge(&args.words.join(" "))?;
        if args.json {
            serde_json::to_writer_pretty(&mut out, &verdict)?;
            writeln!(out)?;
        } else {
            verdict.print(&mut out)?;
        }
    }
    Ok(match contradicted {
        true => Done::Negative,
        false => Done::Yes,
    })
}

fn judge_lines<V: Judgement>(
    lines: impl BufRead,
    mut judge: impl FnMut(&str) -> anyhow::Result<V>,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    for (index, line) in lines.lines().enumerate() {
        let line = line.with_context(|| format!("line {}", index + 1))?;
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let verdict = judge(line).with_context(|| format!("line {}", index + 1))?;
        if json {
            serde_json::to_writer(&mut *out, &verdict)?;
            writeln!(out)?;
        } else {
            writeln!(out, "line {}:", index + 1)?;
            verdict.print(out)?;
        }
    }
    Ok(())
}

/// Judges the games of records; a file that cannot be read is told, and the others
/// are judged.
fn judge_records(
    paths: &[PathBuf],
    rules: &Rules,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<Done> {
    let mut failed = false;
    for source in collect(paths)? {
        let reading = match source.read(rules) {
            Ok(reading) => reading,
            Err(error) => {
                eprintln!("error: {error:#}");
                failed = true;
                continue;
            }
        };
        for line in problem_lines(&source, &reading) {
            eprintln!("{line}");
        }
        failed |= reading.first_error().is_some();
        for (index, tree) in reading.games.iter().enumerate() {
            let mut name = source.name();
            if reading.games.len() > 1 {
                name = format!("{name}, game {}", index + 1);
            }
            judge_record(&source, &name, tree, rules, json, out)?;
        }
    }
    Ok(if failed { Done::Negative } else { Done::Yes })
}

fn judge_record(
    source: &Input,
    name: &str,
    tree: &GameTree,
    rules: &Rules,
    json: bool,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Named<'a> {
        file: &'a str,
        #[serde(flatten)]
        verdict: &'a Verdict,
    }
    let mut line = format!("sfen {} moves", tree.start().sfen());
    for id in tree.main_line() {
        match &tree.node(id).step {
            Step::Move(m) | Step::Foul(m, _) => line += &format!(" {m}"),
            Step::End(Terminal::Resignation) => line += " resign",
            Step::End(Terminal::Declaration) => line += " win",
            _ => {}
        }
    }
    let mut verdict = judge::<Position>(&line, rules).with_context(|| source.name())?;
    if verdict.result.is_none()
        && let (Some(terminal), Some(winner)) = (tree.ending(), tree.winner())
    {
        verdict.result = Some(winner.map_or("draw", word));
        verdict.reason = format!("by the record: {}", terminal.english());
    }
    if json {
        serde_json::to_writer(
            &mut *out,
            &Named {
                file: name,
                verdict: &verdict,
            },
        )?;
        writeln!(out)?;
    } else {
        writeln!(out, "{name}:")?;
        print(&verdict, out)?;
    }
    Ok(())
}

fn word(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// A game of two that can be judged.
trait Judged: Game {
    /// How often the position has occurred.
    fn occurrences(&self) -> usize;

    /// Plies after which the game is drawn.
    fn max_moves(&self) -> u32;

    /// The side to move ends the game by the word `win`.
    fn declare(&self) -> Ending;

    /// Where the players stand when the kings have entered, if the game knows that.
    fn impasse(&self) -> Option<ImpasseStatus>;
}

impl Judged for Position {
    fn occurrences(&self) -> usize {
        Position::occurrences(self)
    }

    fn max_moves(&self) -> u32 {
        self.rules().max_moves
    }

    fn declare(&self) -> Ending {
        let us = self.side_to_move();
        let rule = self.rules().entering_king;
        if self.immediate_win() == Some(ImmediateWin::Declaration) {
            (Some(us), format!("{us} declares a win under {rule}"))
        } else if self.declaration(rule) == Declaration::Draw {
            (None, format!("{us} declares a draw under {rule}"))
        } else {
            let reason = format!("{us} declares a win that {rule} does not give");
            (Some(!us), reason)
        }
    }

    fn impasse(&self) -> Option<ImpasseStatus> {
        self.rules().protects_king().then(|| impasse(self))
    }
}

impl Judged for wa::Position {
    fn occurrences(&self) -> usize {
        wa::Position::occurrences(self)
    }

    fn max_moves(&self) -> u32 {
        self.rules().max_moves
    }

    fn declare(&self) -> Ending {
        let us = self.side_to_move();
        (
            Some(!us),
            format!("{us} declares a win, which wa shogi does not know"),
        )
    }

    fn impasse(&self) -> Option<ImpasseStatus> {
        None
    }
}

fn judge<G: Judged>(line: &str, rules: &G::Rules) -> anyhow::Result<Verdict> {
    let closing = line
        .split_whitespace()
        .next_back()
        .filter(|word| matches!(*word, "resign" | "win"));
    let game = input::parse(line);
    let mut position: G = input::start(&game, rules)?;

    let mut ended = position.end().map(|end| of_end(end, &position));
    let mut moves = 0;
    for text in &game.moves {
        if ended.is_some() {
            break;
        }
        match position.parse_move(text) {
            Ok(m) => {
                position.make(m);
                moves += 1;
                ended = position.end().map(|end| of_end(end, &position));
            }
            Err(error) => {
                let loser = position.side_to_move();
                let reason = format!("illegal move {} ({text}): {error}", moves + 1);
                ended = Some((Some(!loser), reason));
            }
        }
    }
    let after_end = game.moves.len() - moves;
    if let (None, Some(closing)) = (&ended, closing) {
        ended = Some(close(closing, &position));
    }

    let (result, reason) = match ended {
        None => (None, "the game goes on".to_string()),
        Some((Some(winner), reason)) => (Some(word(winner)), reason),
        Some((None, reason)) => (Some("draw"), reason),
    };
    Ok(Verdict {
        result,
        reason,
        moves,
        moves_after_end: after_end,
        sfen: position.sfen(),
        side_to_move: word(position.side_to_move()),
        in_check: position.in_check(),
        repetition: RepetitionStatus {
            occurrences: position.occurrences(),
            perpetual_check_by: match position.repetition() {
                Repetition::Win => Some(word(!position.side_to_move())),
                Repetition::Loss => Some(word(position.side_to_move())),
                _ => None,
            },
        },
        impasse: position.impasse(),
    })
}

/// The winner, if any, and the reason.
type Ending = (Option<Color>, String);

fn of_end(end: GameEnd, position: &impl Judged) -> Ending {
    let mut reason = end.to_string();
    if end == GameEnd::MoveLimit {
        reason = format!("{reason} ({} moves)", position.max_moves());
    }
    (end.winner(), reason)
}

/// The game ends by a word of the side to move.
fn close(word: &str, position: &impl Judged) -> Ending {
    let us = position.side_to_move();
    if word == "resign" {
        return (Some(!us), format!("{us} resigns"));
    }
    position.declare()
}

fn impasse(position: &Position) -> ImpasseStatus {
    let us = position.side_to_move();
    // The other side's view, as if it were its move.
    let mut passed = position.clone();
    passed.make_null();
    let side = |color: Color| {
        let view = if color == us { position } else { &passed };
        let status = position.impasse(color);
        let declares = |rule| match view.declaration(rule) {
            Declaration::No => "no",
            Declaration::Draw => "draw",
            Declaration::Win => "win",
        };
        SideStatus {
            king_in_zone: status.king_entered,
            in_check: status.in_check,
            pieces_in_zone: status.pieces_entered,
            points: status.points,
            rule_27: declares(EnteringKingRule::CSARule27),
            rule_24: declares(EnteringKingRule::CSARule24),
            rule_27_handicap: declares(EnteringKingRule::CSARule27H),
            rule_24_handicap: declares(EnteringKingRule::CSARule24H),
        }
    };
    let [black, white] = Color::ALL.map(|color| position.impasse(color));
    ImpasseStatus {
        black: side(Color::Black),
        white: side(Color::White),
        count_24: Count {
            black: black.all_points,
            white: white.all_points,
            applies: black.king_entered && white.king_entered,
            result: match (black.all_points >= 24, white.all_points >= 24) {
                (true, false) => "black",
                (false, true) => "white",
                // Both below is possible only where pieces are missing.
                _ => "draw",
            },
        },
    }
}

fn print(verdict: &Verdict, out: &mut dyn Write) -> std::io::Result<()> {
    let result = match verdict.result {
        None => "none yet".to_string(),
        Some("draw") => "draw".to_string(),
        Some(winner) => format!("{winner} wins"),
    };
    writeln!(out, "Result:     {result}")?;
    writeln!(out, "Reason:     {}", verdict.reason)?;
    writeln!(out, "Moves:      {}", verdict.moves)?;
    if verdict.moves_after_end > 0 {
        writeln!(out, "Not played: {} more", verdict.moves_after_end)?;
    }
    writeln!(out, "Position:   sfen {}", verdict.sfen)?;
    let check = if verdict.in_check { ", in check" } else { "" };
    writeln!(out, "To move:    {}{check}", verdict.side_to_move)?;
    let repetition = &verdict.repetition;
    write!(
        out,
        "Repetition: occurrence {} of 4",
        repetition.occurrences
    )?;
    match repetition.perpetual_check_by {
        Some(side) => writeln!(out, ", {side} gave check at every move since the last")?,
        None => writeln!(out)?,
    }
    let Some(impasse) = &verdict.impasse else {
        return Ok(());
    };
    for (name, side) in [("Black", &impasse.black), ("White", &impasse.white)] {
        writeln!(
            out,
            "{name}:      declares: 27-point rule {}, 24-point rule {}; \
             {} points, {} pieces in zone, king {}in zone{}",
            declares(side.rule_27, side.rule_27_handicap),
            declares(side.rule_24, side.rule_24_handicap),
            side.points,
            side.pieces_in_zone,
            if side.king_in_zone { "" } else { "not " },
            if side.in_check { ", in check" } else { "" },
        )?;
    }
    let count = &impasse.count_24;
    writeln!(
        out,
        "All points: black {}, white {}; by agreement (24 to draw): {}",
        count.black,
        count.white,
        match (count.applies, count.result) {
            (false, _) => "not both kings have entered".to_string(),
            (true, "draw") => "draw".to_string(),
            (true, winner) => format!("{winner} wins"),
        }
    )
}

/// The outcome of a declaration, with the handicap rule's where it differs.
fn declares(plain: &str, handicap: &str) -> String {
    if plain == handicap {
        plain.to_string()
    } else {
        format!("{plain} ({handicap} with handicap credit)")
    }
}
