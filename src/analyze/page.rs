//! One self-contained HTML page of an analysed game: board, move list, graph.
//!
//! The page needs no network: style, script and data are in it. Positions are drawn
//! by the script from the initial position and the moves, so that a page holds every
//! move once. Texts are in English and Japanese; a switch chooses.

use std::fmt::Write;

use serde_json::{Value, json};

use super::report::Report;
use crate::record::{Cursor, GameTree, NodeId, Step};
use crate::shogi::Notation;

const TEMPLATE: &str = include_str!("page.html");

/// Width and height of the graph's drawing area.
const GRAPH: (f64, f64) = (1000.0, 200.0);

/// The page; `notation` is the language that it opens in.
pub fn page(tree: &GameTree, report: &Report, notation: Notation) -> String {
    let language = match notation {
        Notation::Japanese => "ja",
        _ => "en",
    };
    let names = report.players.each_ref().map(|player| player.name.as_str());
    let title = if names.iter().all(|name| name.is_empty()) {
        report.file.clone()
    } else {
        format!("{} - {}", names[0], names[1])
    };
    let data = json!({
        "language": language,
        "report": report,
        "nodes": nodes(tree),
    });
    // Nothing in the data may end the script.
    let data = data.to_string().replace('<', "\\u003c");
    // Data last: what it holds is not searched for the other marks.
    TEMPLATE
        .replace("{{LANGUAGE}}", language)
        .replace("{{TITLE}}", &escape(&title))
        .replace("{{GRAPH}}", &graph(report))
        .replace("{{DATA}}", &data)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('{', "&#123;")
}

/// The tree, node by node: parent, children, move, what is said about it.
fn nodes(tree: &GameTree) -> Vec<Value> {
    let mut cursor = Cursor::new(tree);
    tree.ids()
        .map(|id| {
            let node = tree.node(id);
            let parent = node.parent();
            cursor.go_to(tree, parent.unwrap_or(NodeId::ROOT));
            let (usi, text) = match &node.step {
                Step::Start => (None, ["開始局面".to_owned(), "Start".to_owned()]),
                Step::Move(m) | Step::Foul(m, _) => {
                    let show = |notation: Notation| notation.show(cursor.position(), *m);
                    let text = [show(Notation::Japanese), show(Notation::English)];
                    (node.legal_move(), text)
                }
                Step::End(terminal) => {
                    let text = [terminal.kif().to_owned(), terminal.english().to_owned()];
                    (None, text)
                }
            };
            json!({
                "parent": parent.map(NodeId::index),
                "children": node.children().iter().map(|id| id.index()).collect::<Vec<_>>(),
                "ply": node.ply(),
                "usi": usi.map(|m| m.to_string()),
                "text": text,
                "comments": node.comments,
                "seconds": node.time_ms.map(|time| time as f64 / 1000.0),
            })
        })
        .collect()
}

/// The evaluation graph: Black's winning chances over the moves, and the turning
/// points. The script adds the cursor.
fn graph(report: &Report) -> String {
    let (width, height) = GRAPH;
    let last = report.positions.len().saturating_sub(1).max(1) as f64;
    let at = |index: usize| {
        let x = width * index as f64 / last;
        let y = height * (1.0 - report.positions[index].win);
        (x, y)
    };
    let mut svg = format!(
        "<svg id=\"graph\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" \
         role=\"img\" tabindex=\"0\"><rect class=\"ground\" width=\"{width}\" height=\"{height}\"/>"
    );
    let mut line = String::new();
    for index in 0..report.positions.len() {
        let (x, y) = at(index);
        let _ = write!(line, "{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" });
    }
    let _ = write!(
        svg,
        "<path class=\"area\" d=\"{line}L{width} {height}L0 {height}Z\"/>\
         <line class=\"middle\" x1=\"0\" x2=\"{width}\" y1=\"{0}\" y2=\"{0}\"/>\
         <path class=\"curve\" d=\"{line}\"/>",
        height / 2.0
    );
    for turn in &report.turning_points {
        let (x, y) = at(turn.ply as usize);
        let _ = write!(
            svg,
            "<line class=\"turn\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{height}\"/>\
             <path class=\"turn\" d=\"M{x:.1} {y:.1}h0\"/>"
        );
    }
    let _ = write!(
        svg,
        "<line id=\"cursor\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"{height}\"/></svg>"
    );
    svg
}
