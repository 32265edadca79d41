//! What the analysis says, in English and Japanese.

use super::judge::{Analysis, Mark, mate_in, win_probability};
use crate::core::{Color, Score};
use crate::record::GameTree;
use crate::shogi::Notation;

/// The name of a mark.
pub fn mark_name(mark: Mark, notation: Notation) -> &'static str {
    match (notation, mark) {
        (Notation::Japanese, Mark::Forced) => "必然",
        (Notation::Japanese, Mark::Best) => "最善",
        (Notation::Japanese, Mark::Good) => "好手",
        (Notation::Japanese, Mark::Inaccuracy) => "緩手",
        (Notation::Japanese, Mark::Mistake) => "疑問手",
        (Notation::Japanese, Mark::Blunder) => "悪手",
        (Notation::Japanese, Mark::MissedMate) => "詰み逃し",
        (_, Mark::Forced) => "forced",
        (_, Mark::Best) => "best",
        (_, Mark::Good) => "good",
        (_, Mark::Inaccuracy) => "inaccuracy",
        (_, Mark::Mistake) => "mistake",
        (_, Mark::Blunder) => "blunder",
        (_, Mark::MissedMate) => "missed mate",
    }
}

/// A score from Black's view: `+35`, or a mate by its plies: `#7`, `-#6`.
pub(super) fn score(score: Score) -> String {
    match mate_in(score) {
        None => format!("{score:+}"),
        Some(plies) if plies < 0 => format!("-#{}", -plies),
        Some(plies) => format!("#{plies}"),
    }
}

/// Winning chances in whole per cent.
pub(super) fn per_cent(probability: f64) -> String {
    format!("{:.0} %", probability * 100.0)
}

/// Moves of the better line that are told.
const LINE: usize = 5;

/// A turning point in a sentence: what the move number `index` + 1 gave away, and
/// what was better.
pub fn turning_point(
    tree: &GameTree,
    analysis: &Analysis,
    index: usize,
    notation: Notation,
) -> String {
    let report = &analysis.moves[index];
    let position = analysis.position_before(tree, index);
    let played = notation.show(&position, report.played);
    let better = match analysis.positions[index].lines.first() {
        Some(line) => {
            let moves = &line.moves[..line.moves.len().min(LINE)];
            notation.show_line(&position, moves)
        }
        None => String::new(),
    };
    let chances = |score: Score| per_cent(win_probability(score));
    let (before, after) = (chances(report.best_score), chances(report.score));
    let missed = mate_in(report.best_score).filter(|&plies| plies > 0);
    let mated = mate_in(report.score).filter(|&plies| plies < 0);
    let ply = report.ply;
    let view = |value: Score| {
        score(match report.side {
            Color::Black => value,
            Color::White => -value,
        })
    };
    let (from, to) = (view(report.best_score), view(report.score));
    if notation == Notation::Japanese {
        let what = match (missed, mated) {
            (Some(plies), Some(_)) => format!("は{plies}手詰めを逃し、逆に詰まされます"),
            (Some(plies), None) => format!("は{plies}手詰めを逃しました"),
            (None, Some(plies)) => format!("は{}手で詰まされます", -plies),
            (None, None) => format!("は評価値を{from}から{to}に落としました"),
        };
        return format!("{ply}手目 {played}{what}（勝率 {before} → {after}）。正着は {better}");
    }
    let what = match (missed, mated) {
        (Some(plies), Some(_)) => format!("misses a mate in {plies} and walks into one"),
        (Some(plies), None) => format!("misses a mate in {plies}"),
        (None, Some(plies)) => format!("walks into a mate in {}", -plies),
        (None, None) => format!("turns {from} into {to}"),
    };
    let by = if missed.is_some() { "by" } else { "instead of" };
    format!("move {ply} {played} {what} (winning chances {before} -> {after}) {by} {better}")
}
