//! Reading KIF and KI2 (柿木義一, "棋譜ファイル KIF形式").
//!
//! Both formats share headers, diagrams, comments and branches; they differ in the
//! lines of moves, and a line shows which it is: a number, or a side's mark. Numbers
//! decide where a branch leaves, as programs renumber neither when they cut records.

use crate::core::Color;
use crate::shogi::handicap;
use crate::shogi::notation::RANKS;
use crate::shogi::piece::Piece;
use crate::shogi::square::SIZE;
use crate::shogi::{Position, Rules, Square, sfen};

use super::kif_move::{MoveText, piece_kind};
use super::read::{Builder, Problems, ReadError};
use super::terminal::Terminal;
use super::text::{lines, narrow, quote};
use super::tree::{Step, key};

const BLANKS: [char; 3] = [' ', '\t', '\u{3000}'];
const SIDES: [char; 9] = ['▲', '△', '▼', '▽', '☗', '☖', '▵', '⛊', '⛉'];

/// The number that begins a line, and what follows it after blanks.
fn numbered(line: &str) -> Option<(u32, &str)> {
    let line = line.trim_start_matches(BLANKS);
    let end = line.find(|c: char| !narrow(c).is_ascii_digit())?;
    if end == 0 {
        return None;
    }
    let digits: String = line[..end].chars().map(narrow).collect();
    let rest = &line[end..];
    let text = rest.trim_start_matches(BLANKS);
    if text.len() == rest.len() {
        return None;
    }
    Some((digits.parse().ok()?, text))
}

/// Whether a line is a numbered move of KIF.
pub(super) fn is_numbered_move(line: &str) -> bool {
    numbered(line).is_some_and(|(_, rest)| {
        let rest = rest.trim_start_matches(SIDES);
        MoveText::begins(rest) || Terminal::from_kif(first_word(rest)).is_some()
    })
}

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

fn is_board_row(line: &str) -> bool {
    line.starts_with(['|', '｜'])
        && line
            .trim_end_matches(BLANKS)
            .ends_with(|c| RANKS.contains(&c) || c == '|' || c == '｜')
}

fn first_word(text: &str) -> &str {
    text.split(|c| BLANKS.contains(&c) || matches!(c, '(' | '（' | '+'))
        .next()
        .unwrap_or("")
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
struct Head {
    headers: Vec<(String, String)>,
    handicap: Option<(usize, String)>,
    rows: Vec<(usize, String)>,
    hands: [Option<(usize, String)>; 2],
    side: Option<Color>,
    /// Moves before the diagram, and the target of the last one.
    moves_before: Option<u32>,
    last_target: Option<Square>,
    comments: Vec<String>,
    bookmark: Option<String>,
    problems: Problems,
    understood: bool,
}

impl Head {
    /// A line before the moves.
    fn line(&mut self, number: usize, line: &str) {
        let trimmed = line.trim_matches(BLANKS);
        if is_board_row(trimmed) {
            if self.rows.len() < SIZE {
                self.rows.push((number, trimmed.to_owned()));
            }
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
            // The frame of a diagram, or the numbers of its files.
            let frame = |c: char| {
                matches!(c, '+' | '-' | '＋' | '―' | '─' | '┌' | '┐' | '└' | '┘')
                    || BLANKS.contains(&c)
                    || narrow(c).is_ascii_digit()
            };
            if !line.chars().all(frame) && !line.starts_with("棋譜ファイル") {
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
                self.headers.push((key.to_owned(), value.to_owned()));
            }
        }
    }

    /// The initial position.
    fn position(&mut self, rules: &Rules) -> Result<Position, ReadError> {
        let handicap = match &self.handicap {
            None => None,
            Some((line, name)) => match start_of(name) {
                Some(sfen) => Some(sfen),
                None if self.rows.is_empty() => {
                    let message = format!("unknown handicap `{}` without a diagram", quote(name));
                    return Err(ReadError::at(*line, message));
                }
                None => {
                    if name != "その他" && !name.is_empty() {
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
fn start_of(name: &str) -> Option<&'static str> {
    let name = name.trim_matches(BLANKS);
    if name == "平手" {
        return Some(sfen::START);
    }
    let full = match name {
        "飛落ち" | "飛落" => "飛車落ち".to_owned(),
        "右七枚落ち" => "七枚落ち".to_owned(),
        "右五枚落ち" => "五枚落ち".to_owned(),
        name if name.ends_with('落') => format!("{name}ち"),
        name => name.to_owned(),
    };
    handicap::by_name(&full).map(|handicap| handicap.sfen)
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

/// A time as `m:ss`, `h:mm:ss`, with fractions or without, in milliseconds.
pub(super) fn time(text: &str) -> Option<u64> {
    let text: String = text.chars().map(narrow).filter(|c| *c != ' ').collect();
    let mut total: u64 = 0;
    for part in text.split(':') {
        let (whole, fraction) = part.split_once('.').unwrap_or((part, ""));
        let mut value = whole.parse::<u64>().ok().filter(|&v| v < 1_000_000_000)? * 1000;
        for (digit, unit) in fraction.chars().zip([100, 10, 1]) {
            value += u64::from(digit.to_digit(10)?) * unit;
        }
        total = total.checked_mul(60)?.checked_add(value)?;
    }
    Some(total)
}

/// Reads a record; the text is known to be KIF or KI2.
pub(super) fn read(text: &str, rules: &Rules) -> Result<Builder, ReadError> {
    let mut head = Some(Head::default());
    let mut game: Option<Game> = None;
    for (number, line) in lines(text) {
        let mut trimmed = line.trim_start_matches(BLANKS);
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if !trimmed.starts_with('*') {
            trimmed = trimmed.trim_end_matches(BLANKS);
        }
        let is_move = trimmed.starts_with(SIDES) || is_numbered_move(line);
        let begins = is_move || trimmed.starts_with("手数--") || trimmed.starts_with("まで");
        if begins && let Some(head) = head.take() {
            game = Some(Game::begin(head, rules)?);
        }
        if let Some(game) = &mut game {
            game.line(number, trimmed);
        } else if let Some(head) = &mut head {
            if let Some(comment) = trimmed.strip_prefix('*') {
                head.comments.push(comment.to_owned());
            } else if let Some(name) = trimmed.strip_prefix('&') {
                head.bookmark = Some(name.to_owned());
            } else {
                head.line(number, line);
            }
        }
    }
    match (game, head) {
        (Some(game), _) => Ok(game.builder),
        (None, Some(head)) if head.understood => Ok(Game::begin(head, rules)?.builder),
        _ => Err(ReadError::Unknown),
    }
}

/// The part with the moves.
struct Game {
    builder: Builder,
    /// The target that 同 means before any move.
    last_target: Option<Square>,
    /// What numbers of the file are ahead of those of the tree.
    offset: Option<u32>,
}

impl Game {
    fn begin(mut head: Head, rules: &Rules) -> Result<Game, ReadError> {
        let position = head.position(rules)?;
        let mut builder = Builder::new(position, head.problems);
        builder.tree.headers = head.headers;
        let root = builder.tree.node_mut(super::tree::NodeId::ROOT);
        root.comments = head.comments;
        root.bookmark = head.bookmark;
        Ok(Game {
            builder,
            last_target: head.last_target,
            offset: None,
        })
    }

    fn line(&mut self, number: usize, line: &str) {
        let builder = &mut self.builder;
        if let Some(comment) = line.strip_prefix('*') {
            builder.comment(comment);
        } else if let Some(name) = line.strip_prefix('&') {
            if let Some(node) = builder.current() {
                builder.tree.node_mut(node).bookmark = Some(name.to_owned());
            }
        } else if let Some(rest) = line.strip_prefix("変化") {
            self.branch(number, rest);
        } else if line.starts_with("まで") {
            if !builder.has_ended() && !builder.is_stopped() {
                let side = builder.tree.side_at(builder.next_ply());
                if let Some(terminal) = Terminal::from_sentence(line, side) {
                    builder.end(number, terminal);
                }
            }
        } else if line.starts_with(SIDES) {
            self.ki2_moves(number, line);
        } else if let Some((ply, text)) = numbered(line) {
            self.kif_move(number, ply, text);
        } else if !line.starts_with("手数") {
            let message = format!("neither a move nor a comment: `{}`", quote(line));
            builder.problems.warn(number, message);
        }
    }

    fn branch(&mut self, number: usize, rest: &str) {
        let digits: String = rest
            .trim_start_matches(['：', ':'])
            .chars()
            .map(narrow)
            .filter(|c| *c != ' ')
            .take_while(char::is_ascii_digit)
            .collect();
        let ply = digits
            .parse::<u32>()
            .ok()
            .and_then(|ply| ply.checked_sub(self.offset.unwrap_or(0)));
        if !ply.is_some_and(|ply| self.builder.branch(ply)) {
            let message = "the branch leaves from no move of the line before it; left out";
            self.builder.problems.error(number, message);
            self.builder.stop();
        }
    }

    /// A numbered line: the number says where the move belongs.
    fn kif_move(&mut self, number: usize, ply: u32, text: &str) {
        let builder = &mut self.builder;
        if builder.is_stopped() {
            return;
        }
        let next = builder.next_ply();
        // Records of a part of a game may begin with any number.
        let offset = *self.offset.get_or_insert(ply.saturating_sub(next));
        let text = text.trim_start_matches(SIDES);
        let is_move = MoveText::begins(text);
        let ply = ply.saturating_sub(offset);
        if ply < next && ply > 0 && is_move {
            self.renumbered(number, ply, text);
        } else if ply != next {
            let message = format!(
                "number {} where {} was expected",
                ply + offset,
                next + offset
            );
            builder.problems.warn(number, message);
        }
        if self.builder.is_stopped() {
            return;
        }
        let rest = if is_move {
            self.play(number, text)
        } else {
            let word = first_word(text);
            let terminal = Terminal::from_kif(word);
            let terminal = terminal.unwrap_or_else(|| Terminal::Other(word.to_owned()));
            self.builder.end(number, terminal);
            &text[word.len()..]
        };
        if let Some(open) = rest.find(['(', '（']) {
            let inner = rest[open..].trim_start_matches(['(', '（']);
            let end = inner.find(['/', '／', ')', '）']).unwrap_or(inner.len());
            if let Some(milliseconds) = time(&inner[..end]) {
                self.builder.time(milliseconds);
            }
        }
    }

    /// A move whose number has been before: an alternative, unless it is legal only
    /// as what follows.
    fn renumbered(&mut self, number: usize, ply: u32, text: &str) {
        let here = self.builder.cursor.node();
        if !self.builder.branch(ply) {
            return;
        }
        let fits = MoveText::parse(text)
            .and_then(|text| text.resolve(self.builder.position(), self.target()))
            .is_ok_and(|(m, _)| self.builder.position().is_legal(m));
        if fits {
            let message = format!("number {ply} again: taken as a branch");
            self.builder.problems.warn(number, message);
        } else {
            self.builder.go_to(here);
            let message = format!("number {ply} again: taken as the next move");
            self.builder.problems.warn(number, message);
        }
    }

    /// The target of the move before.
    fn target(&self) -> Option<Square> {
        let last = self.builder.position().last_move();
        last.map(|last| last.to()).or(self.last_target)
    }

    /// Plays the move at the beginning of a text and returns what follows it.
    fn play<'a>(&mut self, number: usize, text: &'a str) -> &'a str {
        let parsed = match MoveText::parse(text) {
            Ok(parsed) => parsed,
            Err(error) => {
                let message = format!("`{}` is no move: {error}", quote(first_word(text)));
                self.builder.bad_move(number, message);
                return "";
            }
        };
        let shown = text[..text.len() - parsed.rest.len()].trim_end_matches(BLANKS);
        match parsed.resolve(self.builder.position(), self.target()) {
            Ok((m, note)) => {
                if let Some(note) = note {
                    self.builder.problems.warn(number, note);
                }
                self.builder.play(number, shown, m);
            }
            Err(error) => self
                .builder
                .bad_move(number, format!("{}: {error}", quote(shown))),
        }
        parsed.rest
    }

    /// Moves with their side's marks, any number in a line.
    fn ki2_moves(&mut self, number: usize, line: &str) {
        let mut rest = line;
        while !rest.is_empty() && !self.builder.is_stopped() {
            rest = rest.trim_start_matches(SIDES).trim_start_matches(BLANKS);
            if MoveText::begins(rest) {
                rest = self.play(number, rest);
            } else {
                let word = first_word(rest);
                let word = word.split(SIDES).next().unwrap_or(word);
                if !matches!(
                    self.builder.tree.node(self.builder.cursor.node()).step,
                    Step::End(_)
                ) {
                    let terminal = Terminal::from_kif(word);
                    match terminal {
                        Some(terminal) => self.builder.end(number, terminal),
                        None => {
                            let message = format!("`{}` is no move", quote(word));
                            self.builder.bad_move(number, message);
                        }
                    }
                }
                rest = &rest[word.len()..];
                if word.is_empty() {
                    break;
                }
            }
            rest = rest.trim_start_matches(BLANKS);
            // A time, or whatever stands between two moves.
            let next = rest.find(SIDES).unwrap_or(rest.len());
            if !MoveText::begins(rest) {
                rest = &rest[next..];
            }
        }
    }
}
