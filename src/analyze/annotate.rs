//! The analysis as comments of the record, in the forms that GUIs read.

use super::judge::{Analysis, Mark, mate_in};
use super::words::mark_name;
use super::{ENGINE, Line};
use crate::core::{Color, Score};
use crate::record::evals::{self, Evaluation, Form};
use crate::record::{GameTree, MATE_SCORE, NodeId};
use crate::shogi::Notation;

/// The marks that comments name.
const NAMED: [Mark; 4] = [
    Mark::Inaccuracy,
    Mark::Mistake,
    Mark::Blunder,
    Mark::MissedMate,
];

/// How a mark stands in a comment; the words of ShogiHome, where it has them.
fn mark_line(mark: Mark) -> String {
    format!("【{}】", mark_name(mark, Notation::Japanese))
}

/// Adds the evaluations to the comments of the main line, and the marks of bad
/// moves. An analysis in the same form that was there is replaced; all else stays.
pub fn annotate(tree: &mut GameTree, analysis: &Analysis, form: Form) {
    let marks: Vec<String> = NAMED.into_iter().map(mark_line).collect();
    let mut position = tree.start();
    for (index, report) in analysis.positions.iter().enumerate() {
        let last = index.checked_sub(1).map(|last| &analysis.moves[last]);
        if let Some(last) = last {
            position.make(last.played);
        }
        let node = last.map_or(NodeId::ROOT, |last| last.node);
        let side = position.side_to_move();
        let mut lines = Vec::new();
        if let Some(last) = last.filter(|last| NAMED.contains(&last.mark)) {
            lines.push(mark_line(last.mark));
        }
        // ShogiHome and floodgate know one line only.
        let count = match form {
            Form::ShogiGuiAnalysis => report.lines.len(),
            _ => report.lines.len().min(1),
        };
        for (number, line) in report.lines[..count].iter().enumerate() {
            let mut evaluation = evaluation(side, line.score, Some(line));
            evaluation.candidate = Some(number as u32 + 1);
            evaluation.nodes = Some(report.nodes);
            evaluation.time_ms = Some(report.time_ms);
            lines.extend(evals::write(&evaluation, form, &position));
        }
        if report.lines.is_empty() {
            let evaluation = evaluation(side, report.score, None);
            lines.extend(evals::write(&evaluation, form, &position));
        }
        let comments = &mut tree.node_mut(node).comments;
        comments.retain(|line| !evals::is_analysis(line, form) && !marks.contains(line));
        comments.extend(lines);
    }
}

fn evaluation(side: Color, score: Score, line: Option<&Line>) -> Evaluation {
    let score = match side {
        Color::Black => score,
        Color::White => -score,
    };
    let mate = mate_in(score);
    Evaluation {
        score: match mate {
            Some(plies) if plies < 0 => -MATE_SCORE,
            Some(_) => MATE_SCORE,
            None => score,
        },
        mate_in: mate.map(i32::unsigned_abs),
        depth: line.map(|line| line.depth),
        seldepth: line.map(|line| line.seldepth),
        line: line.map_or_else(Vec::new, |line| line.moves.clone()),
        engine: Some(ENGINE.to_owned()),
        ..Evaluation::default()
    }
}
