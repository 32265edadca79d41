//! Writing JKF (na2hiro, "json-kifu-format").
//!
//! A game is one line. Entries are what that project calls normalised: with colours,
//! captures, marks and totals, so that programs need not know the rules. Lines nest, and
//! are written by a list of what is still to be done: no nesting costs stack.

use std::collections::HashSet;
use std::fmt::Write;

use serde_json::Value;

use super::Losses;
use super::csa;
use super::jkf::PRESETS;
use super::tree::{Cursor, GameTree, NodeId, Step};
use crate::core::Color;
use crate::shogi::handicap::HANDICAPS;
use crate::shogi::notation::{Marks, Movement, Standing, may_promote};
use crate::shogi::piece::PieceKind;
use crate::shogi::square::SIZE;
use crate::shogi::{Move, Position, Source, Square, sfen};

/// A text as JSON.
fn json(text: &str) -> String {
    Value::from(text).to_string()
}

fn place(square: Square) -> String {
    format!(
        "{{\"x\":{},\"y\":{}}}",
        square.file() + 1,
        square.rank() + 1
    )
}

const fn number(color: Color) -> usize {
    color.index()
}

fn write_initial(text: &mut String, start: &Position) {
    let sfen = start.sfen();
    if sfen == sfen::START {
        text.push_str("{\"preset\":\"HIRATE\"}");
        return;
    }
    let named = HANDICAPS.iter().find(|handicap| handicap.sfen == sfen);
    let preset = named.and_then(|handicap| PRESETS.iter().find(|row| row.1 == handicap.japanese));
    if let Some((preset, _)) = preset {
        let _ = write!(text, "{{\"preset\":\"{preset}\"}}");
        return;
    }
    let _ = write!(
        text,
        "{{\"preset\":\"OTHER\",\"data\":{{\"color\":{},\"board\":[",
        number(start.side_to_move())
    );
    for file in 0..SIZE {
        text.push_str(if file > 0 { ",[" } else { "[" });
        for rank in 0..SIZE {
            if rank > 0 {
                text.push(',');
            }
            match Square::new(file, rank).and_then(|square| start.piece_on(square)) {
                None => text.push_str("{}"),
                Some(piece) => {
                    let (color, code) = (number(piece.color), csa::code(piece.kind));
                    let _ = write!(text, "{{\"color\":{color},\"kind\":\"{code}\"}}");
                }
            }
        }
        text.push(']');
    }
    text.push_str("],\"hands\":[");
    for color in Color::ALL {
        text.push_str(if color == Color::Black { "{" } else { ",{" });
        for (index, kind) in PieceKind::HAND.into_iter().rev().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            let count = start.hand(color).count(kind);
            let _ = write!(text, "{comma}\"{}\":{count}", csa::code(kind));
        }
        text.push('}');
    }
    text.push_str("]}}");
}

fn write_move(text: &mut String, m: Move, position: &Position) {
    let _ = write!(
        text,
        "\"move\":{{\"color\":{}",
        number(position.side_to_move())
    );
    let kind = match m.source() {
        Source::Hand(kind) => Some(kind),
        Source::Board(from) => {
            let _ = write!(text, ",\"from\":{}", place(from));
            position.piece_on(from).map(|piece| piece.kind)
        }
    };
    let to = m.to();
    let _ = write!(text, ",\"to\":{}", place(to));
    if let Some(kind) = kind {
        let _ = write!(text, ",\"piece\":\"{}\"", csa::code(kind));
    }
    if position.last_move().is_some_and(|last| last.to() == to) {
        text.push_str(",\"same\":true");
    }
    if m.is_promotion() {
        text.push_str(",\"promote\":true");
    } else if may_promote(position, m) {
        text.push_str(",\"promote\":false");
    }
    if m.from().is_some()
        && let Some(captured) = position.piece_on(to)
    {
        let _ = write!(text, ",\"capture\":\"{}\"", csa::code(captured.kind));
    }
    let marks = Marks::of(position, m);
    let mut relative = String::new();
    relative.push_str(match marks.standing {
        Some(Standing::Left) => "L",
        Some(Standing::Straight) => "C",
        Some(Standing::Right) => "R",
        None => "",
    });
    relative.push_str(match marks.movement {
        Some(Movement::Up) => "U",
        Some(Movement::Sideways) => "M",
        Some(Movement::Back) => "D",
        None => "",
    });
    if m.is_drop() {
        relative = "H".to_owned();
    }
    if !relative.is_empty() {
        let _ = write!(text, ",\"relative\":\"{relative}\"");
    }
    text.push('}');
}

fn clock(seconds: u64) -> String {
    let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if h > 0 {
        format!("{{\"h\":{h},\"m\":{m},\"s\":{s}}}")
    } else {
        format!("{{\"m\":{m},\"s\":{s}}}")
    }
}

/// What is still to be written.
enum Task {
    Text(&'static str),
    /// A node and the first children behind it.
    Line(NodeId),
    /// A node, with the alternatives to it.
    Entry(NodeId),
    /// A node alone.
    Alone(NodeId),
}

/// Writes the game as one line.
pub(super) fn write(tree: &GameTree, losses: &mut Losses) -> String {
    let mut text = String::from("{\"header\":{");
    let mut written: HashSet<&str> = HashSet::new();
    for (key, value) in &tree.headers {
        let comma = if written.is_empty() { "" } else { "," };
        if written.insert(key) {
            let _ = write!(text, "{comma}{}:{}", json(key), json(value));
        } else {
            losses.headers.push(key.clone());
        }
    }
    text.push_str("},\"initial\":");
    write_initial(&mut text, &tree.start());
    losses.ply |= tree.first_ply() > 1;
    text.push_str(",\"moves\":[");
    let totals = tree.total_seconds();
    let mut cursor = Cursor::new(tree);
    let mut tasks = vec![Task::Text("]}\n"), Task::Line(NodeId::ROOT)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Text(fixed) => text.push_str(fixed),
            Task::Line(first) => {
                let at = tasks.len();
                for (index, id) in tree.line_from(first).enumerate() {
                    if index > 0 {
                        tasks.push(Task::Text(","));
                    }
                    tasks.push(if index == 0 {
                        Task::Alone(id)
                    } else {
                        Task::Entry(id)
                    });
                }
                tasks[at..].reverse();
            }
            Task::Alone(id) => {
                write_entry(&mut text, tree, id, &totals, &mut cursor, losses);
                text.push('}');
            }
            Task::Entry(id) => {
                write_entry(&mut text, tree, id, &totals, &mut cursor, losses);
                let parent = tree.node(id).parent();
                let forks = parent.map_or(&[][..], |parent| &tree.node(parent).children()[1..]);
                if forks.is_empty() {
                    text.push('}');
                    continue;
                }
                if !text.ends_with('{') {
                    text.push(',');
                }
                text.push_str("\"forks\":[");
                tasks.push(Task::Text("]}"));
                for (index, &fork) in forks.iter().enumerate().rev() {
                    tasks.push(Task::Text("]"));
                    tasks.push(Task::Line(fork));
                    tasks.push(Task::Text(if index > 0 { ",[" } else { "[" }));
                }
            }
        }
    }
    text
}

/// Writes an entry up to its forks and end.
fn write_entry(
    text: &mut String,
    tree: &GameTree,
    id: NodeId,
    totals: &[[u64; 2]],
    cursor: &mut Cursor,
    losses: &mut Losses,
) {
    let node = tree.node(id);
    text.push('{');
    let begin = text.len();
    let comma = |text: &mut String| {
        if text.len() > begin {
            text.push(',');
        }
    };
    if !node.comments.is_empty() || node.bookmark.is_some() {
        let mark = node.bookmark.iter().map(|name| format!("&{name}"));
        let all: Vec<String> = node.comments.iter().cloned().chain(mark).collect();
        let list: Vec<String> = all.iter().map(|line| json(line)).collect();
        let _ = write!(text, "\"comments\":[{}]", list.join(","));
    }
    match &node.step {
        Step::Start => {}
        Step::Move(m) | Step::Foul(m, _) => {
            comma(text);
            cursor.go_to(tree, node.parent().unwrap_or(NodeId::ROOT));
            write_move(text, *m, cursor.position());
        }
        Step::End(terminal) => {
            comma(text);
            let _ = write!(text, "\"special\":{}", json(terminal.csa()));
        }
    }
    if let Some(milliseconds) = node.time_ms {
        comma(text);
        losses.fractions |= milliseconds % 1000 > 0;
        let side = tree.side_at(node.ply()).index();
        let _ = write!(
            text,
            "\"time\":{{\"now\":{},\"total\":{}}}",
            clock(milliseconds / 1000),
            clock(totals[id.index()][side])
        );
    }
}
