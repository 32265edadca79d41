//! Evaluations in comments, in the forms that programs understand.
//!
//! A comment belongs to the position after the move that it follows, its score is
//! in centipawns from Black's view, ±[`MATE_SCORE`] for mates, and its line begins
//! with the reply. ShogiGUI writes one line with KIF moves, ShogiHome one line a
//! value with KI2 moves, the floodgate server CSA moves. All are texts of comments:
//! what a format puts before a comment (`*`, `'*`) is not part of them.

use std::fmt::Write;

use super::MATE_SCORE;
use super::csa;
use super::kif::{move_parts, sign};
use super::kif_move::MoveText;
use crate::shogi::notation::japanese;
use crate::shogi::{Move, Position};

/// What an engine thought of a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evaluation {
    /// Centipawns from Black's view, ±[`MATE_SCORE`] for a mate.
    pub score: i32,
    /// Plies to the mate, where it is one and its length is known.
    pub mate_in: Option<u32>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Depth of the longest line.
    pub seldepth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Thinking time.
    pub time_ms: Option<u64>,
    /// The expected line.
    pub line: Vec<Move>,
    /// Number of the line among several, from 1.
    pub candidate: Option<u32>,
    /// The engine's name.
    pub engine: Option<String>,
}

/// A form of evaluations in comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// ShogiGUI's, of a game (`*対局`).
    ShogiGui,
    /// ShogiGUI's, of an analysis (`*解析`).
    ShogiGuiAnalysis,
    /// ShogiHome's, of an analysis (`#評価値=`).
    ShogiHome,
    /// That of floodgate and of CSA (`* 35 +2726FU`).
    Floodgate,
}

/// Whether a line of a comment is an analysis in this form, which a new one replaces.
pub fn is_analysis(comment: &str, form: Form) -> bool {
    let starts = |words: &[&str]| words.iter().any(|word| comment.starts_with(word));
    match form {
        Form::ShogiGui => starts(&["*対局 "]),
        Form::ShogiGuiAnalysis => starts(&["*解析 "]),
        Form::ShogiHome => starts(&[
            "#評価値=",
            "#読み筋=",
            "#深さ=",
            "#ノード数=",
            "#エンジン=",
            "#詰み=",
        ]),
        Form::Floodgate => floodgate_score(comment).is_some(),
    }
}

/// The evaluation of `position` as the lines of a comment.
pub fn write(evaluation: &Evaluation, form: Form, position: &Position) -> Vec<String> {
    match form {
        Form::ShogiGui | Form::ShogiGuiAnalysis => vec![shogigui(evaluation, form, position)],
        Form::ShogiHome => shogihome(evaluation, position),
        Form::Floodgate => vec![floodgate(evaluation, position)],
    }
}

/// Calls `show` for each move of the line with its position.
fn walk(line: &[Move], position: &Position, mut show: impl FnMut(Move, &Position)) {
    let mut position = position.clone();
    for &m in line {
        if !position.is_legal(m) {
            break;
        }
        show(m, &position);
        position.make(m);
    }
}

fn shogigui(evaluation: &Evaluation, form: Form, position: &Position) -> String {
    let mut text = match form {
        Form::ShogiGuiAnalysis => {
            format!("*解析 0 候補{}", evaluation.candidate.unwrap_or(1))
        }
        _ => "*対局".to_owned(),
    };
    if let Some(time) = evaluation.time_ms {
        let _ = write!(
            text,
            " 時間 {:02}:{:02}.{}",
            time / 60_000,
            time / 1000 % 60,
            time / 100 % 10
        );
    }
    if let Some(depth) = evaluation.depth {
        let _ = write!(text, " 深さ {depth}");
        if let Some(seldepth) = evaluation.seldepth {
            let _ = write!(text, "/{seldepth}");
        }
    }
    if let Some(nodes) = evaluation.nodes {
        let _ = write!(text, " ノード数 {nodes}");
    }
    let _ = write!(text, " 評価値 {} 読み筋", evaluation.score);
    walk(&evaluation.line, position, |m, position| {
        let (target, source) = move_parts(m, position);
        let _ = write!(text, " {}{target}{source}", sign(position.side_to_move()));
    });
    text
}

fn shogihome(evaluation: &Evaluation, position: &Position) -> Vec<String> {
    let mut lines = Vec::new();
    if evaluation.score.abs() >= MATE_SCORE {
        let winner = if evaluation.score > 0 {
            "先手"
        } else {
            "後手"
        };
        let length = evaluation.mate_in.map(|plies| format!(":{plies}手"));
        lines.push(format!("#詰み={winner}勝ち{}", length.unwrap_or_default()));
    } else {
        lines.push(format!("#評価値={}", evaluation.score));
    }
    if !evaluation.line.is_empty() {
        let mut text = "#読み筋=".to_owned();
        walk(&evaluation.line, position, |m, position| {
            text.push(sign(position.side_to_move()));
            text.push_str(&japanese(position, m));
        });
        lines.push(text);
    }
    if let Some(depth) = evaluation.depth {
        lines.push(format!("#深さ={depth}"));
    }
    if let Some(nodes) = evaluation.nodes {
        lines.push(format!("#ノード数={nodes}"));
    }
    if let Some(engine) = &evaluation.engine {
        lines.push(format!("#エンジン={engine}"));
    }
    lines
}

fn floodgate(evaluation: &Evaluation, position: &Position) -> String {
    let mut text = format!("* {}", evaluation.score);
    walk(&evaluation.line, position, |m, position| {
        let _ = write!(text, " {}", csa::move_text(m, position));
    });
    text
}

/// The evaluations in the comment at a position, whatever their form.
pub fn parse(comments: &[String], position: &Position) -> Vec<Evaluation> {
    let mut found: Vec<Evaluation> = Vec::new();
    // The mark of the lines that the last evaluation was read from.
    let mut group = None;
    for comment in comments {
        if let Some(rest) = comment
            .strip_prefix("*対局 ")
            .or_else(|| comment.strip_prefix("*解析 "))
        {
            group = None;
            found.extend(parse_words(rest, position));
        } else if let Some(score) = floodgate_score(comment) {
            group = None;
            let line = comment.split(' ').skip(2);
            found.push(Evaluation {
                score: clamp(score),
                line: floodgate_line(line, position),
                ..Evaluation::default()
            });
        } else if let Some(score) = comment
            .strip_prefix("#形勢[")
            .and_then(|rest| rest.split(']').next()?.parse().ok())
        {
            group = None;
            found.push(Evaluation {
                score: clamp(score),
                ..Evaluation::default()
            });
        } else if let Some((key, value)) = comment.split_once('=') {
            let mark = key.chars().next().filter(|c| matches!(c, '*' | '#'));
            let Some(mark) = mark else { continue };
            let key = &key[1..];
            if matches!(key, "評価値" | "詰み") {
                let Some(evaluation) = parse_value(key, value) else {
                    continue;
                };
                found.push(evaluation);
                group = Some(mark);
            } else if group == Some(mark)
                && let Some(last) = found.last_mut()
            {
                match key {
                    "読み筋" => last.line = kif_line(value, position),
                    "深さ" => last.depth = value.split('/').next().and_then(|d| d.parse().ok()),
                    "ノード数" => last.nodes = value.parse().ok(),
                    "エンジン" => last.engine = Some(value.to_owned()),
                    _ => {}
                }
            }
        }
    }
    found
}

/// Programs write mates as numbers beyond all evaluations.
fn clamp(score: i64) -> i32 {
    score.clamp(-i64::from(MATE_SCORE), i64::from(MATE_SCORE)) as i32
}

fn parse_value(key: &str, value: &str) -> Option<Evaluation> {
    if key == "評価値" {
        return Some(Evaluation {
            score: clamp(value.parse().ok()?),
            ..Evaluation::default()
        });
    }
    let (winner, length) = value.split_once(':').unwrap_or((value, ""));
    let score = match winner {
        "先手勝ち" => MATE_SCORE,
        "後手勝ち" => -MATE_SCORE,
        _ => return None,
    };
    Some(Evaluation {
        score,
        mate_in: length.trim_end_matches('手').parse().ok(),
        ..Evaluation::default()
    })
}

/// ShogiGUI's words with their values.
fn parse_words(text: &str, position: &Position) -> Option<Evaluation> {
    let (words, line) = text.split_once("読み筋").unwrap_or((text, ""));
    let mut evaluation = Evaluation::default();
    let mut score = None;
    let mut words = words.split_whitespace();
    while let Some(word) = words.next() {
        if let Some(number) = word.strip_prefix("候補") {
            evaluation.candidate = number.parse().ok();
            continue;
        }
        match word {
            "時間" => {
                let time = words.next();
                evaluation.time_ms = time.and_then(super::kif_read::time);
            }
            "深さ" => {
                let (depth, longest) = words
                    .next()
                    .map(|word| word.split_once('/').unwrap_or((word, "")))?;
                evaluation.depth = depth.parse().ok();
                evaluation.seldepth = longest.parse().ok();
            }
            "ノード数" => evaluation.nodes = words.next()?.parse().ok(),
            "評価値" => score = words.next().and_then(|word| word.parse().ok()),
            _ => {}
        }
    }
    evaluation.score = clamp(score?);
    evaluation.line = kif_line(line, position);
    Some(evaluation)
}

/// Moves of KIF or KI2 with their sides' marks, up to the first that is not legal.
fn kif_line(text: &str, position: &Position) -> Vec<Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in text.split(['▲', '△', '▼', '▽', '☗', '☖']).skip(1) {
        let same = position.last_move().map(|last| last.to());
        let resolved = MoveText::parse(word).and_then(|text| text.resolve(&position, same));
        match resolved {
            Ok((m, _)) if position.is_legal(m) => {
                line.push(m);
                position.make(m);
            }
            // Some programs begin with the move that was played.
            _ if line.is_empty() => {}
            _ => break,
        }
    }
    line
}

/// The score of a line of floodgate's form.
fn floodgate_score(comment: &str) -> Option<i64> {
    let number = comment.strip_prefix("* ")?.split(' ').next()?;
    let whole = number.split('.').next()?;
    whole.strip_prefix('+').unwrap_or(whole).parse().ok()
}

fn floodgate_line<'a>(words: impl Iterator<Item = &'a str>, position: &Position) -> Vec<Move> {
    let mut position = position.clone();
    let mut line = Vec::new();
    for word in words.filter(|word| !word.is_empty() && !word.starts_with('#')) {
        let m = Move::from_usi(word).or_else(|| csa::parse_move(word, &position).ok());
        match m.filter(|&m| position.is_legal(m)) {
            Some(m) => {
                line.push(m);
                position.make(m);
            }
            None if line.is_empty() => {}
            None => break,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    fn after(moves: &[&str]) -> Position {
        let mut position = Position::start(&Rules::default());
        for text in moves {
            let m = position.parse_move(text).unwrap();
            position.make(m);
        }
        position
    }

    fn sample() -> (Evaluation, Position) {
        let position = after(&["7g7f"]);
        let line = ["3c3d", "8h2b+", "3a2b"].map(|usi| Move::from_usi(usi).unwrap());
        let evaluation = Evaluation {
            score: -120,
            mate_in: None,
            depth: Some(20),
            seldepth: Some(25),
            nodes: Some(1_234_567),
            time_ms: Some(3200),
            line: line.to_vec(),
            candidate: Some(2),
            engine: Some("Tsuru".to_owned()),
        };
        (evaluation, position)
    }

    #[test]
    fn forms_as_programs_write_them() {
        let (evaluation, position) = sample();
        assert_eq!(
            write(&evaluation, Form::ShogiGuiAnalysis, &position),
            [
                "*解析 0 候補2 時間 00:03.2 深さ 20/25 ノード数 1234567 評価値 -120 読み筋 \
                 △３四歩(33) ▲２二角成(88) △同　銀(31)"
            ]
        );
        assert_eq!(
            write(&evaluation, Form::ShogiHome, &position),
            [
                "#評価値=-120",
                "#読み筋=△３四歩▲２二角成△同　銀",
                "#深さ=20",
                "#ノード数=1234567",
                "#エンジン=Tsuru"
            ]
        );
        assert_eq!(
            write(&evaluation, Form::Floodgate, &position),
            ["* -120 -3334FU +8822UM -3122GI"]
        );
    }

    #[test]
    fn every_form_is_read_again() {
        let (evaluation, position) = sample();
        for form in [
            Form::ShogiGui,
            Form::ShogiGuiAnalysis,
            Form::ShogiHome,
            Form::Floodgate,
        ] {
            let lines = write(&evaluation, form, &position);
            let [read] = parse(&lines, &position).try_into().unwrap();
            assert_eq!(
                (read.score, &read.line),
                (-120, &evaluation.line),
                "{form:?}"
            );
            if form != Form::Floodgate {
                assert_eq!(read.depth, Some(20));
                assert_eq!(read.nodes, evaluation.nodes);
            }
            assert!(lines.iter().all(|line| is_analysis(line, form)));
        }
        let mate = Evaluation {
            score: -MATE_SCORE,
            mate_in: Some(4),
            ..Evaluation::default()
        };
        let lines = write(&mate, Form::ShogiHome, &position);
        assert_eq!(lines, ["#詰み=後手勝ち:4手"]);
        assert_eq!(parse(&lines, &position), [mate]);
    }

    #[test]
    fn comments_of_other_programs() {
        let position = after(&["7g7f"]);
        let parse = |text: &str| parse(&[text.to_owned()], &position);
        // AobaZero begins with the move played, in USI.
        let [read] = parse("* 130 7g7f 8c8d 7i6h").try_into().unwrap();
        assert_eq!((read.score, read.line.len()), (130, 2));
        let [read] = parse("*対局 深さ 2 ノード数 960 評価値 -1000001 読み筋 ▲７六歩(77) ")
            .try_into()
            .unwrap();
        assert_eq!((read.score, read.line.len()), (-MATE_SCORE, 0));
        assert_eq!(parse("* 0")[0].score, 0);
        assert_eq!(parse("#形勢[-55]先手")[0].score, -55);
        for text in [
            "互角",
            "* a comment",
            "*評価値=",
            "=",
            "#深さ=3",
            "*対局 評価値",
        ] {
            assert_eq!(parse(text), [], "{text}");
            assert!(!is_analysis("* a comment", Form::Floodgate));
        }
    }
}
