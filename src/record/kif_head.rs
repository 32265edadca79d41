//! What stands before the moves in KIF and KI2: headers, and the position to start from
//! as the name of a handicap or a diagram.
//!
//! Where there are both, the diagram wins. Lines come in any order, and names, blanks
//! and frames in many spellings (柿木義一, "棋譜ファイル KIF形式", "盤面図 BOD形式").

use std::collections::HashSet;

use crate::core::Color;
use crate::shogi::handicap;
use crate::shogi::notation::RANKS;
use crate::shogi::piece::Piece;
use crate::shogi::square::SIZE;
use crate::shogi::{Position, Rules, Square, sfen};

use super::kif_move::{MoveText, piece_kind};
use super::kif_read::{BLANKS, SIDES, is_numbered_move};
use super::read::{Problems, ReadError};
use super::text::{is_foreign, narrow, quote};
use super::tree::key;

/// Whether a line belongs to no other format.
pub(super) fn is_kif_line(line: &str) -> bool {
    is_board_row(line)
        || line.starts_with("#KIF")
        || [
            "手合割",
            "先手：",
            "後手：",
            "下手：",
            "上手：",
            "先手の持駒",
            "後手の持駒",
            "下手の持駒",
            "上手の持駒",
            "開始日時：",
            "棋戦：",
        ]
        .iter()
        .any(|start| line.starts_with(start))
}

pub(super) fn is_board_row(line: &str) -> bool {
    line.starts_with(['|', '｜'])
        && line
            .trim_end_matches(BLANKS)
            .ends_with(|c| RANKS.contains(&c) || c == '|' || c == '｜')
}

/// Whether a line may be the frame of a diagram, or the numbers of its files.
fn is_frame(line: &str) -> bool {
    line.chars().all(|c| {
        matches!(c, '+' | '-' | '＋' | '―' | '─' | '┌' | '┐' | '└' | '┘')
            || BLANKS.contains(&c)
            || narrow(c).is_ascii_digit()
    })
}

/// Whether a line among moves has its place before the moves: a header, a part of a
/// diagram.
pub(super) fn is_head_line(line: &str) -> bool {
    is_kif_line(line)
        || is_frame(line) && line.chars().filter(|&c| !BLANKS.contains(&c)).count() >= SIZE
        || line.split_once('：').is_some_and(|(key, _)| {
            !key.is_empty() && !key.starts_with("変化") && !key.starts_with("まで")
        })
}

/// Whether a line names a handicap, or that there is none.
pub(super) fn is_handicap(line: &str) -> bool {
    line.starts_with("手合割")
}

/// Whether a line says how a game starts.
pub(super) fn is_start(line: &str) -> bool {
    is_handicap(line) || is_board_row(line)
}

/// A number in kanji or digits of any width, up to 99.
fn count(text: &str) -> Option<u32> {
    let mut tens = None;
    let mut number = 0;
    for c in text.chars() {
        if c == '十' {
            tens = Some(if number == 0 { 1 } else { number });
            number = 0;
        } else if let Some(rank) = RANKS.iter().position(|&rank| rank == c) {
            number = number * 10 + rank as u32 + 1;
        } else {
            number = number * 10 + narrow(c).to_digit(10)?;
        }
        if number > 99 {
            return None;
        }
    }
    Some(tens.unwrap_or(0) * 10 + number)
}

/// What stands before the moves.
#[derive(Default)]
pub(super) struct Head {
    pub headers: Vec<(String, String)>,
    /// The names of the headers.
    names: HashSet<String>,
    handicap: Option<(usize, String)>,
    rows: Vec<(usize, String)>,
    hands: [Option<(usize, String)>; 2],
    side: Option<Color>,
    /// Moves before the diagram, and the target of the last one.
    moves_before: Option<u32>,
    pub last_target: Option<Square>,
    pub comments: Vec<String>,
    pub bookmark: Option<String>,
    pub problems: Problems,
    /// Whether anything was a header, or a part of a diagram.
    pub understood: bool,
}

impl Head {
    /// A line before the moves.
    pub fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim_matches(BLANKS);
        if let Some(comment) = line.trim_start_matches(BLANKS).strip_prefix('*') {
            self.comments.push(comment.to_owned());
            return;
        }
        if let Some(name) = trimmed.strip_prefix('&') {
            match self.bookmark {
                None => self.bookmark = Some(name.to_owned()),
                Some(_) => self.comments.push(trimmed.to_owned()),
            }
            return;
        }
        if trimmed.starts_with("#KIF") {
            return;
        }
        if is_board_row(trimmed) {
            self.rows.push((number, trimmed.to_owned()));
            self.understood = true;
            return;
        }
        if trimmed.starts_with("手数＝") || trimmed.starts_with("手数=") {
            self.moves_before(trimmed);
            return;
        }
        match trimmed {
            "先手番" | "下手番" => self.side = Some(Color::Black),
            "後手番" | "上手番" => self.side = Some(Color::White),
            "盤面反転" | "盤面回転" => {}
            _ => self.header(number, trimmed),
        }
    }

    /// Whether the diagram is whole, and the line begins another one.
    pub fn is_over_by(&self, line: &str) -> bool {
        let whole = self.hands.iter().any(Option::is_some);
        let hand = line.starts_with("後手の持") || line.starts_with("上手の持");
        // Names may follow a diagram, but no header comes twice.
        let again = || {
            let key = line.split(['：', ':']).next().unwrap_or("");
            let key = key.trim_matches(BLANKS);
            line.contains(['：', ':']) && self.names.contains(key)
        };
        self.rows.len() == SIZE && (is_board_row(line) || whole && hand || again())
    }

    fn moves_before(&mut self, line: &str) {
        let text = &line["手数".len()..];
        let text = text.trim_start_matches(['＝', '=']);
        let end = text
            .find(|c: char| !narrow(c).is_ascii_digit())
            .unwrap_or(text.len());
        let digits: String = text[..end].chars().map(narrow).collect();
        self.moves_before = digits.parse().ok();
        let last = text[end..]
            .trim_start_matches(BLANKS)
            .trim_start_matches(SIDES);
        self.last_target = MoveText::parse(last).ok().and_then(|last| last.to);
    }

    fn header(&mut self, number: usize, line: &str) {
        let Some((key, value)) = line.split_once(['：', ':']) else {
            if !is_frame(line) && !line.starts_with("棋譜ファイル") {
                let message = format!("neither a header nor a move: `{}`", quote(line));
                self.problems.warn(number, message);
            }
            return;
        };
        let key = key.trim_matches(BLANKS);
        let value = value.trim_matches(BLANKS);
        if key.is_empty() {
            self.problems.warn(number, "a header without a name");
            return;
        }
        let is_known = is_kif_line(line) || line.contains('：');
        self.understood |= is_known;
        match key {
            "手合割" => self.handicap = Some((number, value.to_owned())),
            "先手の持駒" | "下手の持駒" | "先手の持ち駒" | "下手の持ち駒" => {
                self.hands[0] = Some((number, value.to_owned()));
            }
            "後手の持駒" | "上手の持駒" | "後手の持ち駒" | "上手の持ち駒" => {
                self.hands[1] = Some((number, value.to_owned()));
            }
            "変化" => self
                .problems
                .warn(number, "a branch before any move, ignored"),
            _ => {
                let key = match key {
                    "下手" => key::BLACK,
                    "上手" => key::WHITE,
                    key => key,
                };
                self.names.insert(key.to_owned());
                self.headers.push((key.to_owned(), value.to_owned()));
            }
        }
    }

    /// The initial position.
    pub fn position(&mut self, rules: &Rules) -> Result<Position, ReadError> {
        let handicap = match &self.handicap {
            None => None,
            Some((line, name)) => match start_of(name) {
                Some(sfen) => Some(sfen),
                None if self.rows.is_empty() => {
                    let message = format!("unknown handicap `{}` without a diagram", quote(name));
                    return Err(ReadError::at(*line, message));
                }
                None => {
                    if is_worth_keeping(name) {
                        let header = (key::HANDICAP.to_owned(), name.clone());
                        self.headers.push(header);
                    }
                    None
                }
            },
        };
        let bad = |line: usize, error: sfen::SfenError| ReadError::at(line, error.to_string());
        if self.rows.is_empty() {
            let text = handicap.unwrap_or(sfen::START);
            return Position::from_sfen(text, rules).map_err(|error| bad(0, error));
        }
        let first = self.rows[0].0;
        if self.rows.len() != SIZE {
            let message = format!("the diagram has {} rows instead of 9", self.rows.len());
            return Err(ReadError::at(first, message));
        }
        let mut board = Vec::new();
        for (line, row) in &self.rows {
            board.push(board_row(row).map_err(|message| ReadError::at(*line, message))?);
        }
        let mut hands = String::new();
        for (color, hand) in Color::ALL.into_iter().zip(&self.hands) {
            if let Some((line, text)) = hand {
                let hand = hand_sfen(color, text);
                hands += &hand.map_err(|message| ReadError::at(*line, message))?;
            }
        }
        if hands.is_empty() {
            hands.push('-');
        }
        let side = self.side.unwrap_or_else(|| {
            let gives = handicap.is_some_and(|sfen| sfen != sfen::START);
            match (self.moves_before, gives) {
                (Some(moves), false) if moves % 2 == 1 => Color::White,
                (None, true) => Color::White,
                _ => Color::Black,
            }
        });
        let side = match side {
            Color::Black => 'b',
            Color::White => 'w',
        };
        let ply = self.moves_before.unwrap_or(0).saturating_add(1);
        let text = format!("{} {side} {hands} {ply}", board.join("/"));
        Position::from_sfen(&text, rules).map_err(|error| bad(first, error))
    }
}

/// The initial position of a handicap by its name in records.
pub(super) fn start_of(name: &str) -> Option<&'static str> {
    let name = name.trim_matches(BLANKS);
    if name == "平手" {
        return Some(sfen::START);
    }
    // Some write how many pieces are missing in digits: 2枚落ち.
    let digits = name.find(|c| !narrow(c).is_ascii_digit()).unwrap_or(0);
    let number = match count(&name[..digits]) {
        Some(10) => "十".to_owned(),
        Some(number @ 1..=9) => RANKS[number as usize - 1].to_string(),
        _ => String::new(),
    };
    let full = match format!("{number}{}", &name[digits..]).as_str() {
        "飛落ち" | "飛落" => "飛車落ち".to_owned(),
        "右七枚落ち" => "七枚落ち".to_owned(),
        "右五枚落ち" => "五枚落ち".to_owned(),
        name if name.ends_with('落') => format!("{name}ち"),
        name => name.to_owned(),
    };
    handicap::by_name(&full).map(|handicap| handicap.sfen)
}

/// Whether the name of a handicap says something that the position does not.
pub(super) fn is_worth_keeping(name: &str) -> bool {
    start_of(name).is_none() && !matches!(name.trim_matches(BLANKS), "" | "その他")
}

/// Whether a header is read again as itself when it is written as this line before the
/// moves.
pub(super) fn is_header(line: &str, key: &str, value: &str) -> bool {
    let mut head = Head::default();
    let start = line.trim_start_matches(BLANKS);
    let begins = ["手数--", "まで", "#"]
        .iter()
        .any(|word| start.starts_with(word))
        || start.starts_with(SIDES);
    if !begins && !is_foreign(line) && !is_numbered_move(line) {
        head.line(0, line);
    }
    head.headers == [(key.to_owned(), value.to_owned())]
}

/// A row of a diagram as SFEN.
fn board_row(row: &str) -> Result<String, String> {
    let inner = row.trim_start_matches(['|', '｜']);
    let end = inner.find(['|', '｜']).unwrap_or(inner.len());
    let chars: Vec<char> = inner[..end].chars().collect();
    let white = |c: char| matches!(c, 'v' | 'ｖ' | 'V');
    // Two columns a square; where blanks were lost, what is left of them.
    let mut squares: Vec<(bool, char)> = Vec::new();
    if chars.len() == 2 * SIZE {
        squares.extend(chars.chunks_exact(2).map(|pair| (white(pair[0]), pair[1])));
    } else {
        let mut side = false;
        for &c in &chars {
            if white(c) {
                side = true;
            } else if !BLANKS.contains(&c) && !matches!(c, '^' | '＾') {
                squares.push((std::mem::take(&mut side), c));
            }
        }
    }
    if squares.len() != SIZE {
        return Err(format!(
            "the row has {} squares instead of 9",
            squares.len()
        ));
    }
    let mut text = String::new();
    for (white, c) in squares {
        match piece_kind(c) {
            Some(kind) => {
                let color = if white { Color::White } else { Color::Black };
                text.push_str(&Piece::new(color, kind).to_string());
            }
            None if matches!(c, '・' | '.' | '･' | '·' | '*') || BLANKS.contains(&c) => {
                text.push('1');
            }
            None => return Err(format!("`{c}` in the diagram is no piece")),
        }
    }
    Ok(text)
}

/// The pieces in a hand as SFEN.
fn hand_sfen(color: Color, text: &str) -> Result<String, String> {
    let text: String = text.chars().filter(|c| !BLANKS.contains(c)).collect();
    if text.starts_with("なし") {
        return Ok(String::new());
    }
    let mut sfen = String::new();
    let mut rest = text.as_str();
    while let Some(c) = rest.chars().next() {
        let kind = piece_kind(c).ok_or_else(|| format!("`{c}` is no piece in hand"))?;
        rest = &rest[c.len_utf8()..];
        let end = rest.find(|c| piece_kind(c).is_some()).unwrap_or(rest.len());
        let number = match &rest[..end] {
            "" => 1,
            number => count(number).ok_or_else(|| format!("`{}` is no number", quote(number)))?,
        };
        rest = &rest[end..];
        if number > 0 {
            sfen += &format!("{number}{}", Piece::new(color, kind));
        }
    }
    Ok(sfen)
}
