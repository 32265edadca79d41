//! The KIF format (柿木義一, "棋譜ファイル KIF形式"), in Japanese and UTF-8.
//!
//! A move names its target, the piece as it stands before the move, 成 for a
//! promotion, and its source: `２二角成(88)`. Evaluations are comments in the form
//! that ShogiGUI writes (`*対局 ...`), which other programs read as well: scores
//! from Black's view, lines with source squares.

use std::fmt::Write;

use super::{Ending, GameRecord, PlayedMove, black_view, date_time, expected_line};
use crate::core::Color;
use crate::game::DiagramStyle;
use crate::shogi::handicap::HANDICAPS;
use crate::shogi::piece::PieceKind;
use crate::shogi::{Move, Position, Source, sfen};

const FILES: [char; 9] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
const RANKS: [char; 9] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

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

/// The name of a piece in moves.
const fn piece_name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "歩",
        PieceKind::Lance => "香",
        PieceKind::Knight => "桂",
        PieceKind::Silver => "銀",
        PieceKind::Gold => "金",
        PieceKind::Bishop => "角",
        PieceKind::Rook => "飛",
        PieceKind::King => "玉",
        PieceKind::ProPawn => "と",
        PieceKind::ProLance => "成香",
        PieceKind::ProKnight => "成桂",
        PieceKind::ProSilver => "成銀",
        PieceKind::Horse => "馬",
        PieceKind::Dragon => "龍",
    }
}

/// A legal move of `position`: target and piece, and the source.
fn move_parts(m: Move, position: &Position) -> (String, String) {
    let to = m.to();
    let mut text = if position.last_move().is_some_and(|last| last.to() == to) {
        "同　".to_string()
    } else {
        format!("{}{}", FILES[to.file()], RANKS[to.rank()])
    };
    match m.source() {
        Source::Hand(kind) => {
            text.push_str(piece_name(kind));
            text.push('打');
            (text, String::new())
        }
        Source::Board(from) => {
            let kind = position.piece_on(from).map(|piece| piece.kind);
            text.push_str(kind.map_or("", piece_name));
            if m.is_promotion() {
                text.push('成');
            }
            (text, format!("({}{})", from.file() + 1, from.rank() + 1))
        }
    }
}

/// Columns that a text takes: two for each Japanese character.
fn columns(text: &str) -> usize {
    text.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
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

fn comment(played: &PlayedMove, m: Move, position: &Position) -> Option<String> {
    let thought = played.thought.as_ref()?;
    let milliseconds = played.time_us.unwrap_or(0) / 1000;
    let mut text = format!(
        "**対局 時間 {:02}:{:02}.{} 深さ {}",
        milliseconds / 60_000,
        milliseconds / 1000 % 60,
        milliseconds / 100 % 10,
        thought.depth
    );
    if let Some(seldepth) = thought.seldepth {
        let _ = write!(text, "/{seldepth}");
    }
    let score = black_view(thought.score, position.side_to_move());
    let _ = write!(text, " ノード数 {} 評価値 {score} 読み筋", thought.nodes);
    for (m, position) in expected_line(thought, m, position) {
        let side = match position.side_to_move() {
            Color::Black => '▲',
            Color::White => '△',
        };
        let (target, source) = move_parts(m, &position);
        let _ = write!(text, " {side}{target}{source}");
    }
    Some(text)
}

/// The word of the last line and the closing sentence without its number.
/// Where the format has no word for an ending, it is the one with the same
/// winner.
fn ending_words(record: &GameRecord) -> (&'static str, String) {
    let side = |color| match color {
        Color::Black => "先手",
        Color::White => "後手",
    };
    let wins =
        |winner: Option<Color>| winner.map_or(String::new(), |c| format!("{}の勝ち", side(c)));
    let winner = record.result.winner();
    match record.ending {
        Ending::Sennichite => ("千日手", "千日手".to_string()),
        Ending::ImpasseDraw | Ending::BareKings | Ending::MoveLimit | Ending::AgreedDraw => {
            ("持将棋", "持将棋".to_string())
        }
        Ending::Checkmate => ("詰み", wins(winner)),
        Ending::Declaration => (
            "入玉勝ち",
            winner.map_or(String::new(), |c| format!("{}の入玉勝ち", side(c))),
        ),
        Ending::TimeForfeit | Ending::NoAnswer | Ending::Crash => {
            ("切れ負け", format!("時間切れにより{}", wins(winner)))
        }
        Ending::PerpetualCheck
        | Ending::IllegalMove
        | Ending::FalseDeclaration
        | Ending::Protocol => {
            let loser = winner.map(|winner| !winner);
            let sentence = loser.map_or(String::new(), |c| format!("{}の反則負け", side(c)));
            if loser == Some(record.side_at_end()) {
                ("反則負け", sentence)
            } else {
                ("反則勝ち", sentence)
            }
        }
        Ending::Resignation
        | Ending::NoLegalMove
        | Ending::Try
        | Ending::KingCaptured
        | Ending::ImpasseWin
        | Ending::AgreedWin => ("投了", wins(winner)),
    }
}

/// The game as a file in UTF-8.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::new();
    let start = record.start_position();
    let handicap = HANDICAPS
        .iter()
        .find(|h| h.sfen == start.sfen() && KNOWN_HANDICAPS.contains(&h.japanese));
    line(&mut text, "#KIF version=2.0 encoding=UTF-8");
    line(
        &mut text,
        format!("開始日時：{}", date_time(record.started)),
    );
    line(&mut text, format!("棋戦：{}", one_line(&record.event)));
    let mut players = ["先手", "後手"];
    if let Some(handicap) = handicap {
        line(&mut text, format!("手合割：{}", handicap.japanese));
        players = ["下手", "上手"];
    } else if start.sfen() == sfen::START {
        line(&mut text, "手合割：平手");
    } else {
        let diagram = start.diagram(DiagramStyle::Japanese);
        for row in diagram.lines().filter(|row| !row.contains("手番")) {
            line(&mut text, row);
        }
        line(
            &mut text,
            match start.side_to_move() {
                Color::Black => "先手番",
                Color::White => "後手番",
            },
        );
    }
    line(
        &mut text,
        format!("{}：{}", players[0], one_line(&record.black)),
    );
    line(
        &mut text,
        format!("{}：{}", players[1], one_line(&record.white)),
    );
    line(&mut text, "手数----指手---------消費時間--");

    let mut totals = [0; 2];
    let mut number = 0;
    for (played, m, position) in record.replay() {
        number += 1;
        let time = played.time_us.unwrap_or(0) / 1_000_000;
        let total = &mut totals[position.side_to_move().index()];
        *total += time;
        let (target, source) = move_parts(m, &position);
        write_row(&mut text, number, &(target + &source), &times(time, *total));
        if let Some(comment) = comment(played, m, &position) {
            line(&mut text, comment);
        }
    }
    let (word, sentence) = ending_words(record);
    let total = totals[record.side_at_end().index()];
    write_row(&mut text, number + 1, word, &times(0, total));
    line(&mut text, format!("*{}", record.ending.text()));
    if !record.note.is_empty() {
        line(&mut text, format!("*{}", one_line(&record.note)));
    }
    line(&mut text, format!("まで{number}手で{sentence}"));
    text
}

/// A numbered line, the times one below the other.
fn write_row(text: &mut String, number: usize, what: &str, times: &str) {
    let padding = " ".repeat(14usize.saturating_sub(columns(what)));
    line(text, format!("{number:>4} {what}{padding} {times}"));
}

/// The text after a key: no line breaks.
fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use crate::record::tests::sample;

    #[test]
    fn writes_a_game() {
        let expected = "\
#KIF version=2.0 encoding=UTF-8
開始日時：2024/01/02 10:00:00
棋戦：test
手合割：平手
先手：A
後手：B
手数----指手---------消費時間--
   1 ７六歩(77)     ( 0:00/00:00:00)
   2 ３四歩(33)     ( 1:01/00:01:01)
   3 ２二角成(88)   ( 1:01/00:01:01)
   4 同　銀(31)     ( 1:01/00:02:02)
**対局 時間 01:01.5 深さ 9/14 ノード数 1234 評価値 -35 読み筋 ▲４五角打 △３三角打
   5 ４五角打       ( 1:01/00:02:02)
   6 投了           ( 0:00/00:02:02)
*resignation
まで5手で先手の勝ち
";
        assert_eq!(write(&sample()), expected.replace('\n', "\r\n"));
    }

    #[test]
    fn handicaps_and_diagrams() {
        let mut record = sample();
        record.moves.clear();
        record.result = GameResult::WhiteWins;
        record.ending = Ending::Declaration;
        record.start =
            Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1".to_string());
        let text = write(&record);
        assert!(text.contains("手合割：二枚落ち\r\n下手：A\r\n上手：B\r\n"));
        assert!(text.contains("   1 入玉勝ち       ( 0:00/00:00:00)\r\n"));
        assert!(text.ends_with("まで0手で後手の入玉勝ち\r\n"));

        record.start = Some("4k4/9/9/9/9/9/9/9/4K3+r w RB2p 7".to_string());
        record.ending = Ending::PerpetualCheck;
        let text = write(&record);
        assert!(text.contains("後手の持駒：歩二\r\n  ９ ８"));
        assert!(text.contains("先手の持駒：飛　角\r\n後手番\r\n先手：A\r\n"));
        assert!(text.contains("反則勝ち"));
        assert!(text.ends_with("まで0手で先手の反則負け\r\n"));
    }

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
}
