//! Games of wa shogi as lines of USI, or as text after the manner of KIF: headers, then a line a move
//! with the target square, the piece in kanji, 成 or 打, the source in brackets and
//! the time; at the end how the game ended.
//!
//! ```text
//! 先手：A
//! 後手：B
//! 手合割：和将棋
//! 手数----指手---------消費時間--
//!    1 8g歩(8h)   ( 0:01/00:00:01)
//!    2 8f兎成(8c)   ( 0:02/00:00:02)
//!    3 投了
//! ```
//!
//! Squares are written as USI does, and promoted pieces with a `+` in front. A line
//! `開始局面：SFEN` names the initial position when it is not the usual one.

use std::fmt::Write;

use super::{Ending, GameRecord};
use crate::wa::{Move, Position, Rules, Source};

/// How a game ended, in a word.
fn last_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Resignation => "投了",
        Ending::Checkmate | Ending::NoLegalMove => "詰み",
        Ending::Sennichite => "千日手",
        Ending::BareKings | Ending::MoveLimit | Ending::ImpasseDraw | Ending::AgreedDraw => {
            "持将棋"
        }
        Ending::IllegalMove | Ending::PerpetualCheck => "反則負け",
        Ending::TimeForfeit => "切れ負け",
        _ => "中断",
    }
}

/// A time as minutes and seconds, and one as hours, minutes and seconds.
fn times(spent: u64, total: u64) -> String {
    let (m, s) = (spent / 60, spent % 60);
    let (h, tm, ts) = (total / 3600, total / 60 % 60, total % 60);
    format!("({m:>2}:{s:02}/{h:02}:{tm:02}:{ts:02})")
}

/// The initial position. Records may hold games with or without drops: the former
/// allow all moves of the latter.
fn start(record: &GameRecord) -> Position {
    let rules = Rules::default();
    record
        .start
        .as_deref()
        .and_then(|sfen| Position::from_sfen(sfen, &rules).ok())
        .unwrap_or_else(|| Position::start(&rules))
}

/// A move in words; `position` is that before it.
fn words(m: Move, position: &Position) -> String {
    match m.source() {
        Source::Hand(kind) => format!("{}{}打", m.to(), kind.row().kanji),
        Source::Board(from) => {
            let piece = position.piece_on(from);
            let kanji = piece.map_or('?', |piece| piece.kind.row().kanji);
            let sign = if piece.is_some_and(|piece| piece.kind.is_promoted()) {
                "+"
            } else {
                ""
            };
            let promotes = if m.is_promotion() { "成" } else { "" };
            format!("{}{sign}{kanji}{promotes}({from})", m.to())
        }
    }
}

/// The game as text.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::new();
    if !record.event.is_empty() {
        let _ = writeln!(text, "棋戦：{}", record.event);
    }
    let _ = writeln!(text, "先手：{}\n後手：{}", record.black, record.white);
    let _ = writeln!(text, "手合割：和将棋");
    if let Some(sfen) = &record.start {
        let _ = writeln!(text, "開始局面：{sfen}");
    }
    let _ = writeln!(text, "手数----指手---------消費時間--");
    let mut position = start(record);
    let mut spent = [0; 2];
    let mut number = 0;
    for played in &record.moves {
        let Ok(m) = position.parse_move(&played.usi) else {
            break;
        };
        number += 1;
        let seconds = played.time_us.unwrap_or(0) / 1_000_000;
        let total = &mut spent[position.side_to_move().index()];
        *total += seconds;
        let _ = writeln!(
            text,
            "{number:>4} {}   {}",
            words(m, &position),
            times(seconds, *total)
        );
        if let Some(thought) = &played.thought {
            let _ = writeln!(text, "*評価値 {} 深さ {}", thought.score, thought.depth);
        }
        position.make(m);
    }
    let _ = writeln!(text, "{:>4} {}", number + 1, last_word(record.ending));
    if !record.note.is_empty() {
        let _ = writeln!(text, "*{}", record.note);
    }
    text
}

/// The game as a line of USI: `startpos moves ...` or `sfen ... moves ...`, with
/// `resign` at the end when it ended by that.
pub fn write_usi(record: &GameRecord) -> String {
    let mut line = match &record.start {
        None => "startpos moves".to_string(),
        Some(sfen) => format!("sfen {sfen} moves"),
    };
    let moves = record.moves.iter().map(|played| played.usi.as_str());
    let last = (record.ending == Ending::Resignation).then_some("resign");
    for word in moves.chain(last) {
        line.push(' ');
        line.push_str(word);
    }
    line.push('\n');
    line
}

/// Why a text is no game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ReadError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// Reads a game and returns its initial position and moves. Only squares, `成`, `打`
/// and the hand's letter or kanji are looked at; every move must be legal.
pub fn read(text: &str, rules: &Rules) -> Result<(Position, Vec<Move>), ReadError> {
    let mut position = Position::start(rules);
    let mut moves = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let error = |message: String| ReadError {
            line: index + 1,
            message,
        };
        let line = line.trim().trim_start_matches('\u{feff}');
        if let Some(sfen) = line.strip_prefix("開始局面：") {
            position = Position::from_sfen(sfen, rules).map_err(|e| error(e.to_string()))?;
            continue;
        }
        let mut parts = line.split_whitespace();
        let is_move = parts.next().is_some_and(|word| word.parse::<u32>().is_ok());
        let Some(words) = parts.next().filter(|_| is_move) else {
            continue;
        };
        let Some(usi) = usi(words) else {
            // The word that ends the game.
            return Ok((position, moves));
        };
        let m = position
            .parse_move(&usi)
            .map_err(|e| error(format!("{words}: {e}")))?;
        moves.push(m);
        position.make(m);
    }
    Ok((position, moves))
}

/// A move in words as USI; `None` for words that are no move.
fn usi(words: &str) -> Option<String> {
    let end = words.find(|c: char| !c.is_ascii_digit())? + 1;
    let to = words.get(..end).filter(|to| to.len() > 1)?;
    let rest = words.get(end..)?;
    if let Some(piece) = rest.strip_suffix('打') {
        let kind = crate::wa::PieceKind::hand().find(|kind| {
            piece.chars().eq([kind.row().kanji]) || piece.chars().eq([kind.letter()])
        })?;
        return Some(format!("{}*{to}", kind.letter()));
    }
    let (piece, from) = rest.strip_suffix(')')?.split_once('(')?;
    let promotes = if piece.ends_with('成') { "+" } else { "" };
    Some(format!("{from}{to}{promotes}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;
    use crate::record::{GameResult, PlayedMove};

    fn random_game(seed: u64) -> GameRecord {
        let mut random = Random::new(seed);
        let mut position = Position::start(&Rules::default());
        let mut moves = Vec::new();
        for _ in 0..200 {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.below(legal.len())];
            moves.push(PlayedMove {
                usi: m.to_string(),
                time_us: Some(61_000_000),
                ..PlayedMove::default()
            });
            position.make(m);
        }
        GameRecord {
            event: String::new(),
            black: "A".to_string(),
            white: "B".to_string(),
            started: 0,
            start: None,
            moves,
            result: GameResult::Draw,
            ending: Ending::MoveLimit,
            note: String::new(),
        }
    }

    #[test]
    fn games_round_trip() {
        for seed in 0..20 {
            let record = random_game(seed);
            let text = write(&record);
            let (_, moves) = read(&text, &Rules::default()).unwrap();
            let expected: Vec<&str> = record.moves.iter().map(|m| m.usi.as_str()).collect();
            let found: Vec<String> = moves.iter().map(ToString::to_string).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn lines_of_usi() {
        let mut record = random_game(1);
        record.moves.truncate(1);
        record.moves[0].usi = "8h8g".to_string();
        record.ending = Ending::Resignation;
        assert_eq!(write_usi(&record), "startpos moves 8h8g resign\n");
    }

    #[test]
    fn lines_look_like_kif() {
        let mut record = random_game(1);
        record.moves.truncate(1);
        record.moves[0].usi = "8h8g".to_string();
        record.ending = Ending::Resignation;
        assert_eq!(
            write(&record),
            "先手：A\n後手：B\n手合割：和将棋\n手数----指手---------消費時間--\n   \
             1 8g歩(8h)   ( 1:01/00:01:01)\n   2 投了\n"
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let text = "   1 8g歩(8h)   ( 0:01/00:00:01)\n   2 8g歩(8d)\n";
        let error = read(text, &Rules::default()).err().unwrap();
        assert_eq!(error.line, 2);
        assert!(error.message.contains("does not move"), "{error}");
    }
}
