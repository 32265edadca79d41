//! Writing KIF and KI2 (柿木義一, "棋譜ファイル KIF形式").
//!
//! A move of KIF names its target, the piece as it stands before the move, 成 for a
//! promotion, and its source: `２二角成(88)`. KI2 has marks instead of sources
//! ([`crate::shogi::notation`]) and neither numbers nor times. Branches follow the
//! main line, the last one first, as Kifu for Windows writes them.

use std::collections::HashSet;
use std::fmt::Write;

use super::kif_head::{is_header, is_worth_keeping};
use super::kif_move::MoveText;
use super::kif_read::{BLANKS, SIDES, end_of};
use super::terminal::Terminal;
use super::text::one_line;
use super::tree::{Cursor, GameTree, NodeId, Step, key};
use super::{Encoding, Losses};
use crate::core::Color;
use crate::game::DiagramStyle;
use crate::shogi::handicap::HANDICAPS;
use crate::shogi::notation::{columns, japanese, target_and_piece};
use crate::shogi::{Move, Position, sfen};

/// The handicaps that every reader knows by name; others are written as a
/// diagram.
const KNOWN_HANDICAPS: [&str; 10] = [
    "香落ち",
    "右香落ち",
    "角落ち",
    "飛車落ち",
    "飛香落ち",
    "二枚落ち",
    "四枚落ち",
    "六枚落ち",
    "八枚落ち",
    "十枚落ち",
];

/// Moves in a line of KI2.
const KI2_MOVES_A_LINE: u32 = 6;

/// The move as KIF writes it: target and piece, and the source.
pub(super) fn move_parts(m: Move, position: &Position) -> (String, String) {
    let mut text = target_and_piece(position, m);
    match m.from() {
        None => {
            text.push('打');
            (text, String::new())
        }
        Some(from) => {
            if m.is_promotion() {
                text.push('成');
            }
            (text, format!("({}{})", from.file() + 1, from.rank() + 1))
        }
    }
}

/// The mark of a side before its moves, one that every encoding has.
pub(super) const fn sign(color: Color) -> char {
    match color {
        Color::Black => '▲',
        Color::White => '△',
    }
}

/// `( 1:01/00:02:03)`, in whole seconds.
fn times(seconds: u64, total: u64) -> String {
    format!(
        "({:>2}:{:02}/{:02}:{:02}:{:02})",
        seconds / 60,
        seconds % 60,
        total / 3600,
        total / 60 % 60,
        total % 60
    )
}

fn line(text: &mut String, content: impl AsRef<str>) {
    text.push_str(content.as_ref());
    text.push_str("\r\n");
}

/// The names of Black and White.
fn players(start: &Position) -> [&'static str; 2] {
    match handicap(start) {
        Some(_) => ["下手", "上手"],
        None => ["先手", "後手"],
    }
}

fn handicap(start: &Position) -> Option<&'static str> {
    let sfen = start.sfen();
    HANDICAPS
        .iter()
        .find(|h| h.sfen == sfen && KNOWN_HANDICAPS.contains(&h.japanese))
        .map(|h| h.japanese)
}

/// Headers, and the initial position before the players. What would be read as anything
/// but a header is left out.
fn write_head(text: &mut String, tree: &GameTree, start: &Position, losses: &mut Losses) {
    let mut placed = false;
    let has_diagram = handicap(start).is_none() && start.sfen() != sfen::START;
    let players = players(start);
    let mut names = HashSet::new();
    for (key, value) in &tree.headers {
        let name = match key.as_str() {
            key::BLACK => players[0],
            key::WHITE => players[1],
            key => key,
        };
        if matches!(key.as_str(), key::BLACK | key::WHITE) && !placed {
            write_start(text, start);
            placed = true;
        }
        let row = format!("{}：{}", one_line(name), one_line(value));
        // Behind a diagram, a header that comes again begins the head of a next game.
        let is_again = has_diagram && !names.insert(name.trim_matches(BLANKS));
        let is_said = match key.as_str() {
            _ if is_again => false,
            key::HANDICAP => has_diagram && is_worth_keeping(value),
            key => {
                let [key, value] = [key, value].map(one_line);
                is_header(&row, key.trim_matches(BLANKS), value.trim_matches(BLANKS))
            }
        };
        if is_said {
            line(text, row);
        } else {
            losses.headers.push(key.clone());
        }
    }
    if !placed {
        write_start(text, start);
    }
}

fn write_start(text: &mut String, start: &Position) {
    if let Some(name) = handicap(start) {
        line(text, format!("手合割：{name}"));
    } else if start.sfen() == sfen::START {
        line(text, "手合割：平手");
    } else {
        let diagram = start.diagram(DiagramStyle::Japanese);
        for row in diagram.lines().filter(|row| !row.contains("手番")) {
            line(text, row);
        }
        line(
            text,
            match start.side_to_move() {
                Color::Black => "先手番",
                Color::White => "後手番",
            },
        );
        if start.ply() > 1 {
            line(text, format!("手数＝{}  まで", start.ply() - 1));
        }
    }
}

fn write_notes(text: &mut String, tree: &GameTree, id: NodeId) {
    let node = tree.node(id);
    for comment in &node.comments {
        line(text, format!("*{}", one_line(comment)));
    }
    if let Some(name) = &node.bookmark {
        line(text, format!("&{}", one_line(name)));
    }
}

/// The word of a numbered line that ends the game. What would be read as something
/// else is written as 中断.
fn end_word<'a>(terminal: &'a Terminal, losses: &mut Losses) -> &'a str {
    let word = terminal.kif();
    let is_same = end_of(word.trim_start_matches(SIDES)) == (Some(terminal.clone()), "");
    if MoveText::begins(word) || word.contains(char::is_control) || !is_same {
        losses.ending = Some(one_line(word));
        return Terminal::Interrupted.kif();
    }
    word
}

/// The sentence that closes a line of moves between these players.
fn sentence(tree: &GameTree, id: NodeId, terminal: &Terminal, players: [&str; 2]) -> String {
    let ply = tree.node(id).ply();
    terminal.sentence(ply - 1, tree.side_at(ply), players)
}

/// Writes KIF for a file in this encoding.
pub(super) fn write(tree: &GameTree, encoding: Encoding, losses: &mut Losses) -> String {
    let mut text = String::new();
    let name = match encoding {
        Encoding::ShiftJis => "Shift_JIS",
        _ => "UTF-8",
    };
    line(&mut text, format!("#KIF version=2.0 encoding={name}"));
    let mut cursor = Cursor::new(tree);
    write_head(&mut text, tree, cursor.position(), losses);
    let players = players(cursor.position());
    let timed = tree.ids().any(|id| tree.node(id).time_ms.is_some());
    line(
        &mut text,
        if timed {
            "手数----指手---------消費時間--"
        } else {
            "手数----指手---------"
        },
    );
    write_notes(&mut text, tree, NodeId::ROOT);
    let totals = tree.total_seconds();
    for (number, first) in tree.lines().enumerate() {
        if number > 0 {
            line(&mut text, "");
            line(&mut text, format!("変化：{}手", tree.node(first).ply()));
        }
        for id in tree.line_from(first) {
            let node = tree.node(id);
            let Some(parent) = node.parent() else {
                continue;
            };
            cursor.go_to(tree, parent);
            let side = tree.side_at(node.ply()).index();
            let time = match node.time_ms {
                None => String::new(),
                Some(milliseconds) => {
                    losses.fractions |= milliseconds % 1000 > 0;
                    times(milliseconds / 1000, totals[id.index()][side])
                }
            };
            let what = match &node.step {
                Step::Start => continue,
                Step::End(terminal) => end_word(terminal, losses).to_owned(),
                Step::Move(m) | Step::Foul(m, _) => {
                    let (target, source) = move_parts(*m, cursor.position());
                    target + &source
                }
            };
            let has_more = tree.node(parent).children().last() != Some(&id);
            let mut row = format!("{:>4} {what}", node.ply());
            if !time.is_empty() {
                let padding = 14usize.saturating_sub(columns(&what)) + 1;
                let _ = write!(row, "{}{time}", " ".repeat(padding));
            }
            if has_more {
                row.push('+');
            }
            line(&mut text, row);
            write_notes(&mut text, tree, id);
            if let Step::End(terminal) = &node.step {
                line(&mut text, one_line(&sentence(tree, id, terminal, players)));
            }
        }
    }
    text
}

/// Writes KI2.
pub(super) fn write_ki2(tree: &GameTree, losses: &mut Losses) -> String {
    let mut text = String::new();
    let mut cursor = Cursor::new(tree);
    write_head(&mut text, tree, cursor.position(), losses);
    let players = players(cursor.position());
    line(&mut text, "");
    write_notes(&mut text, tree, NodeId::ROOT);
    losses.times |= tree.ids().any(|id| tree.node(id).time_ms.is_some());
    for (number, first) in tree.lines().enumerate() {
        if number > 0 {
            line(&mut text, "");
            line(&mut text, format!("変化：{}手", tree.node(first).ply()));
        }
        let mut in_line = 0;
        let break_line = |text: &mut String, in_line: &mut u32| {
            if std::mem::take(in_line) > 0 {
                text.truncate(text.trim_end_matches(' ').len());
                line(text, "");
            }
        };
        for id in tree.line_from(first) {
            let node = tree.node(id);
            let Some(parent) = node.parent() else {
                continue;
            };
            cursor.go_to(tree, parent);
            match &node.step {
                Step::Start => continue,
                Step::End(terminal) => {
                    break_line(&mut text, &mut in_line);
                    let sentence = one_line(&sentence(tree, id, terminal, players));
                    let side = tree.side_at(node.ply());
                    if Terminal::from_sentence(&sentence, side).as_ref() != Some(terminal) {
                        losses.ending = Some(one_line(terminal.kif()));
                    }
                    line(&mut text, sentence);
                }
                Step::Move(m) | Step::Foul(m, _) => {
                    let shown = japanese(cursor.position(), *m);
                    if matches!(node.step, Step::Foul(..)) && !is_told(&shown, &cursor, *m) {
                        losses.fouls = true;
                        break;
                    }
                    let mark = sign(cursor.position().side_to_move());
                    let padding = 10usize.saturating_sub(columns(&shown)).max(1);
                    let _ = write!(text, "{mark}{shown}{}", " ".repeat(padding));
                    in_line += 1;
                    let noted = !node.comments.is_empty() || node.bookmark.is_some();
                    if in_line == KI2_MOVES_A_LINE || noted {
                        break_line(&mut text, &mut in_line);
                    }
                }
            }
            write_notes(&mut text, tree, id);
        }
        break_line(&mut text, &mut in_line);
    }
    text
}

/// Whether the text of an illegal move is read as this move again.
fn is_told(shown: &str, cursor: &Cursor, m: Move) -> bool {
    MoveText::parse(shown)
        .and_then(|text| {
            let same = cursor.position().last_move().map(|last| last.to());
            text.resolve(cursor.position(), same)
        })
        .is_ok_and(|(again, _)| again == m)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promoted_pieces_by_name() {
        let position =
            Position::from_sfen("4k4/9/9/2+S6/9/9/9/9/4K4 b - 1", &Default::default()).unwrap();
        let m = position.parse_move("7d7c").unwrap();
        assert_eq!(
            move_parts(m, &position),
            ("７三成銀".to_string(), "(74)".to_string())
        );
    }

    /// The reader takes a header that comes again behind a diagram for the next game's.
    #[test]
    fn headers_behind_a_diagram_are_written_once() {
        use crate::record::{Format, read, read_text, write};
        let csa = "V2\nN+a\nN-b\nP1 *  *  *  * -OU *  *  *  * \n\
                   P9 *  *  *  * +OU *  *  *  * \n+\nN+c\n+5958OU\nT2\n";
        let rules = Default::default();
        let reading = read_text(csa, Format::Csa, &rules).unwrap();
        let tree = &reading.games[0];
        let written = write(tree, "kifu".parse().unwrap());
        let again = read(&written.bytes, &rules).unwrap();
        assert_eq!(again.games.len(), 1);
        assert_eq!(again.games[0].main_moves(), tree.main_moves());
        assert!(written.losses.iter().any(|loss| loss.contains(key::BLACK)));
    }

    /// Headers that would be read as something else, or make the file one of another
    /// format, are left out of KIF.
    #[test]
    fn headers_like_other_lines_are_left_out() {
        use crate::record::{Format, read, write};
        let board = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b - 1";
        for name in [
            board,
            "7g7f",
            "position",
            "startpos",
            "moves",
            "V2.2",
            "PI",
            "{\"moves\":",
            // What is no header for the reader, behind a control character.
            "\u{8}まで25手",
            "\u{8}手数----",
            "\u{8}▲７六歩",
            "\u{8}#x",
        ] {
            let mut tree =
                crate::record::read_text("startpos moves 7g7f", Format::Usi, &Default::default())
                    .unwrap()
                    .games
                    .remove(0);
            tree.set_header(name, "x");
            for (word, format) in [("kifu", Format::Kif), ("ki2u", Format::Ki2)] {
                let written = write(&tree, word.parse().unwrap());
                let again = read(&written.bytes, &Default::default());
                let again = again.unwrap_or_else(|error| panic!("{name} as {word}: {error}"));
                assert_eq!(again.format, format, "{name}");
                assert_eq!(again.games[0].main_moves(), tree.main_moves(), "{name}");
            }
        }
    }
}
