//! The analysis for terminals, and as data for programs.

use std::fmt::Write;

use serde::Serialize;

use super::judge::{Analysis, Mark, mate_in, win_probability};
use super::words::{mark_name, per_cent, score, turning_point};
use super::{Effort, Settings};
use crate::core::Color;
use crate::game::DiagramStyle;
use crate::record::{GameTree, key};
use crate::shogi::Notation;
use crate::shogi::notation::pad;

/// Moves of a line that the table shows.
const TABLE_LINE: usize = 5;

/// The analysis of one game, for programs. Scores are in centipawns from Black's
/// view, moves in USI notation.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The file.
    pub file: String,
    /// Who searched.
    pub engine: &'static str,
    /// What was spent on each position: `time_ms`, `nodes` or `depth`.
    pub limit: (&'static str, u64),
    /// The headers of the record.
    pub headers: Vec<(String, String)>,
    /// The initial position.
    pub start: String,
    /// How the record says that the game ended.
    pub ending: Option<String>,
    /// Black and White.
    pub players: [PlayerData; 2],
    /// The positions: before each move, and the last one.
    pub positions: Vec<PositionData>,
    /// The moves.
    pub moves: Vec<MoveData>,
    /// Where the game turned.
    pub turning_points: Vec<TurningPoint>,
}

/// A player's moves in numbers.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerData {
    /// The name.
    pub name: String,
    /// Moves judged, forced ones left out.
    pub moves: usize,
    /// Mean accuracy, per cent.
    pub accuracy: f64,
    /// Mean loss in centipawns.
    pub average_loss: f64,
    /// Moves that were the engine's choice, per cent.
    pub agreement: f64,
    /// How many moves have each mark.
    pub marks: Vec<(&'static str, usize)>,
}

/// A searched position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionData {
    /// Centipawns; beyond ±31000 a mate.
    pub score: i32,
    /// Plies to the mate, positive when Black mates.
    pub mate: Option<i32>,
    /// Black's winning chances, from 0 to 1.
    pub win: f64,
    /// Depth in plies.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Milliseconds spent.
    pub time_ms: u64,
    /// The lines, best first.
    pub lines: Vec<LineData>,
}

/// A line of a position.
#[derive(Clone, Debug, Serialize)]
pub struct LineData {
    /// Centipawns.
    pub score: i32,
    /// Plies to the mate, positive when Black mates.
    pub mate: Option<i32>,
    /// The moves.
    pub pv: Vec<String>,
    /// The moves for people, Japanese and English.
    pub text: [String; 2],
}

/// A judged move.
#[derive(Clone, Debug, Serialize)]
pub struct MoveData {
    /// Its number, from 1.
    pub ply: u32,
    /// The move.
    pub usi: String,
    /// The move for people, Japanese and English.
    pub text: [String; 2],
    /// The mark, in English.
    pub mark: &'static str,
    /// Centipawns lost.
    pub loss: i32,
    /// Winning chances lost, from 0 to 1.
    pub win_loss: f64,
    /// Its number among the lines.
    pub rank: Option<usize>,
    /// Time that the player took, milliseconds.
    pub time_ms: Option<u64>,
}

/// Where the game turned.
#[derive(Clone, Debug, Serialize)]
pub struct TurningPoint {
    /// The number of the move, from 1.
    pub ply: u32,
    /// In words, Japanese and English.
    pub text: [String; 2],
}

/// The languages of texts in pairs.
const LANGUAGES: [Notation; 2] = [Notation::Japanese, Notation::English];

fn name(tree: &GameTree, side: Color) -> String {
    let key = match side {
        Color::Black => key::BLACK,
        Color::White => key::WHITE,
    };
    tree.header(key).unwrap_or("").to_owned()
}

/// A text of a record as a terminal may get it: control characters are commands there.
fn plain(text: &str) -> String {
    text.replace(char::is_control, " ")
}

impl Report {
    /// The report of an analysed game.
    pub fn new(file: &str, tree: &GameTree, analysis: &Analysis, settings: &Settings) -> Report {
        let mut position = tree.start();
        let mut positions = Vec::new();
        let mut moves = Vec::new();
        for (index, report) in analysis.positions.iter().enumerate() {
            let side = position.side_to_move();
            let black = |score: i32| match side {
                Color::Black => score,
                Color::White => -score,
            };
            positions.push(PositionData {
                score: black(report.score),
                mate: mate_in(black(report.score)),
                win: win_probability(black(report.score)),
                depth: report.lines.first().map_or(0, |line| line.depth),
                nodes: report.nodes,
                time_ms: report.time_ms,
                lines: report
                    .lines
                    .iter()
                    .map(|line| LineData {
                        score: black(line.score),
                        mate: mate_in(black(line.score)),
                        pv: line.moves.iter().map(ToString::to_string).collect(),
                        text: LANGUAGES.map(|language| language.show_line(&position, &line.moves)),
                    })
                    .collect(),
            });
            if let Some(m) = analysis.moves.get(index) {
                moves.push(MoveData {
                    ply: m.ply,
                    usi: m.played.to_string(),
                    text: LANGUAGES.map(|language| language.show(&position, m.played)),
                    mark: mark_name(m.mark, Notation::English),
                    loss: m.loss,
                    win_loss: m.win_loss,
                    rank: m.rank,
                    time_ms: tree.node(m.node).time_ms,
                });
                position.make(m.played);
            }
        }
        let players = Color::ALL.map(|side| {
            let player = &analysis.players[side.index()];
            let names = Mark::ALL.map(|mark| mark_name(mark, Notation::English));
            PlayerData {
                name: name(tree, side),
                moves: player.moves,
                accuracy: player.accuracy,
                average_loss: player.average_loss,
                agreement: player.agreement,
                marks: names.into_iter().zip(player.marks).collect(),
            }
        });
        let turning_points = analysis.turning_points.iter().map(|&index| TurningPoint {
            ply: analysis.moves[index].ply,
            text: LANGUAGES.map(|language| turning_point(tree, analysis, index, language)),
        });
        Report {
            file: file.to_owned(),
            engine: super::ENGINE,
            limit: match settings.effort {
                Effort::Time(time) => ("time_ms", time),
                Effort::Nodes(nodes) => ("nodes", nodes),
                Effort::Depth(depth) => ("depth", u64::from(depth)),
            },
            headers: tree.headers.clone(),
            start: tree.start().sfen(),
            ending: tree.ending().map(|ending| ending.english().to_owned()),
            players,
            positions,
            moves,
            turning_points: turning_points.collect(),
        }
    }
}

/// The table for people: moves with their scores and marks, what each player's were
/// worth, and the turning points with their diagrams.
pub fn table(tree: &GameTree, analysis: &Analysis, notation: Notation) -> String {
    let japanese = notation == Notation::Japanese;
    let word = |ja: &'static str, en: &'static str| if japanese { ja } else { en };
    let mut text = String::new();
    let names = Color::ALL.map(|side| plain(&name(tree, side)));
    if names.iter().any(|name| !name.is_empty()) {
        let _ = writeln!(text, "☗ {}   ☖ {}\n", names[0], names[1]);
    }
    let _ = writeln!(
        text,
        "{}{}{}{}{}{}",
        pad(word("手", "move"), 5),
        pad("", 14),
        pad(word("評価値", "score"), 9),
        pad(word("先手勝率", "black"), 9),
        pad(word("判定", "mark"), 13),
        word("最善", "best line")
    );
    let mut position = tree.start();
    for (index, report) in analysis.moves.iter().enumerate() {
        let shown = notation.show(&position, report.played);
        let best = match analysis.positions[index].lines.first() {
            Some(line) if report.rank != Some(1) => {
                notation.show_line(&position, &line.moves[..line.moves.len().min(TABLE_LINE)])
            }
            _ => String::new(),
        };
        position.make(report.played);
        let black = analysis.black_score(tree, index + 1);
        let row = format!(
            "{:>4} {}{}{}{}{best}",
            report.ply,
            pad(&shown, 14),
            pad(&score(black), 9),
            pad(&per_cent(win_probability(black)), 9),
            pad(mark_name(report.mark, notation), 13),
        );
        let _ = writeln!(text, "{}", row.trim_end());
    }
    if let Some(ending) = tree.ending() {
        let ending = if japanese {
            ending.kif()
        } else {
            ending.english()
        };
        let _ = writeln!(text, "     {}", plain(ending));
    }
    let _ = writeln!(
        text,
        "\n{}{}{}{}{}",
        pad("", 8),
        pad(word("精度", "accuracy"), 11),
        pad(word("平均損失", "average loss"), 14),
        pad(word("一致率", "best moves"), 12),
        [
            Mark::Inaccuracy,
            Mark::Mistake,
            Mark::Blunder,
            Mark::MissedMate
        ]
        .map(|mark| mark_name(mark, notation))
        .join(" / ")
    );
    for side in Color::ALL {
        let player = &analysis.players[side.index()];
        let label = match side {
            Color::Black => word("先手", "Black"),
            Color::White => word("後手", "White"),
        };
        let count = |mark: Mark| player.marks[mark as usize].to_string();
        // Without a move to judge there is no mean.
        let mean = |text: String| {
            if player.moves > 0 {
                text
            } else {
                "-".to_owned()
            }
        };
        let _ = writeln!(
            text,
            "{}{}{}{}{}",
            pad(label, 8),
            pad(&mean(format!("{:.1} %", player.accuracy)), 11),
            pad(&mean(format!("{:.0} cp", player.average_loss)), 14),
            pad(&mean(format!("{:.0} %", player.agreement)), 12),
            [
                Mark::Inaccuracy,
                Mark::Mistake,
                Mark::Blunder,
                Mark::MissedMate
            ]
            .map(count)
            .join(" / ")
        );
    }
    if !analysis.turning_points.is_empty() {
        let _ = writeln!(text, "\n{}", word("分岐点", "Turning points"));
    }
    let style = match notation {
        Notation::Japanese => DiagramStyle::Japanese,
        _ => DiagramStyle::Ascii,
    };
    for &index in &analysis.turning_points {
        let _ = writeln!(text, "\n{}", turning_point(tree, analysis, index, notation));
        text.push_str(&analysis.position_before(tree, index).diagram(style));
    }
    text
}
