//! JKF, JSON kifu format (na2hiro, "json-kifu-format").
//!
//! `moves[0]` holds the comments of the start; `forks` of an entry are alternatives
//! to that very move. A piece is named as it stands before its move, unlike in CSA.
//! Bookmarks are comments that begin with `&`, as that project's KIF reader makes
//! them. Nesting costs the parser stack, so that deep records are parsed on a thread
//! with a large one, and absurd ones refused.

use std::collections::VecDeque;
use std::fmt::{self, Write};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::Losses;
use super::csa;
use super::kif_head::{is_worth_keeping, start_of};
use super::kif_move::MoveText;
use super::read::{Builder, Games, Problems, ReadError};
use super::terminal::Terminal;
use super::text::quote;
use super::tree::{Cursor, GameTree, NodeId, Step, key};
use crate::core::Color;
use crate::shogi::handicap::{self, HANDICAPS};
use crate::shogi::notation::{Marks, Movement, Standing, may_promote};
use crate::shogi::piece::{Piece, PieceKind};
use crate::shogi::square::SIZE;
use crate::shogi::{Move, Position, Rules, Source, Square, sfen};

/// Presets and the Japanese names of their handicaps.
const PRESETS: [(&str, &str); 16] = [
    ("KY", "香落ち"),
    ("KY_R", "右香落ち"),
    ("KA", "角落ち"),
    ("HI", "飛車落ち"),
    ("HIKY", "飛香落ち"),
    ("2", "二枚落ち"),
    ("3", "三枚落ち"),
    ("4", "四枚落ち"),
    ("5", "五枚落ち"),
    ("5_L", "左五枚落ち"),
    ("6", "六枚落ち"),
    ("7_R", "七枚落ち"),
    ("7_L", "左七枚落ち"),
    ("8", "八枚落ち"),
    ("10", "十枚落ち"),
    ("7", "七枚落ち"),
];

/// Nested brackets beyond which parsing moves to a thread of its own.
const SHALLOW: usize = 100;
/// Nested brackets that are refused. A variation within a variation takes three.
const TOO_DEEP: usize = 10_000;
/// Stack for nested records: some kilobytes a bracket, handed out as it is used.
const DEEP_STACK: usize = 512 << 20;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    header: Pairs,
    initial: Option<Initial>,
    moves: Vec<Entry>,
}

/// An object whose order is kept.
#[derive(Default)]
struct Pairs(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct PairsVisitor;
        impl<'de> Visitor<'de> for PairsVisitor {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(PairsVisitor)
    }
}

#[derive(Deserialize)]
struct Initial {
    preset: Option<Value>,
    data: Option<Data>,
}

#[derive(Deserialize)]
struct Data {
    color: Option<u8>,
    board: Vec<Vec<Cell>>,
    #[serde(default)]
    hands: Vec<Pairs>,
}

#[derive(Deserialize)]
struct Cell {
    color: Option<u8>,
    kind: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(default)]
    comments: Option<Vec<String>>,
    r#move: Option<MoveEntry>,
    time: Option<Times>,
    special: Option<String>,
    #[serde(default)]
    forks: Option<Vec<Vec<Entry>>>,
}

#[derive(Deserialize)]
struct MoveEntry {
    from: Option<Place>,
    to: Option<Place>,
    piece: String,
    promote: Option<bool>,
    relative: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct Place {
    x: u8,
    y: u8,
}

impl Place {
    fn square(self) -> Option<Square> {
        Square::new(
            usize::from(self.x).checked_sub(1)?,
            usize::from(self.y).checked_sub(1)?,
        )
    }
}

#[derive(Deserialize)]
struct Times {
    now: Option<Clock>,
}

#[derive(Deserialize)]
struct Clock {
    h: Option<f64>,
    m: Option<f64>,
    s: Option<f64>,
}

impl Clock {
    fn milliseconds(&self) -> u64 {
        let part = |value: Option<f64>| value.unwrap_or(0.0).max(0.0);
        // Casts saturate; a NaN is no JSON.
        ((part(self.h) * 3600.0 + part(self.m) * 60.0 + part(self.s)) * 1000.0).round() as u64
    }
}

/// How deep brackets are nested.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    let mut in_string = false;
    let mut escaped = false;
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Reads the games of a file: one, or an array of them.
pub(super) fn read(text: &str, rules: &Rules) -> Result<Games, ReadError> {
    match depth(text) {
        0..=SHALLOW => read_here(text, rules),
        deep if deep > TOO_DEEP => Err(ReadError::at(
            0,
            format!("nested {deep} deep; {TOO_DEEP} is the limit"),
        )),
        _ => std::thread::scope(|scope| {
            std::thread::Builder::new()
                .stack_size(DEEP_STACK)
                .spawn_scoped(scope, || read_here(text, rules))
                .map_err(|error| ReadError::at(0, format!("no stack for deep nesting: {error}")))?
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        }),
    }
}

fn read_here(text: &str, rules: &Rules) -> Result<Games, ReadError> {
    let bad = |error: serde_json::Error| {
        let line = error.line();
        let text = error.to_string();
        let text = text
            .rsplit_once(" at line ")
            .map_or(text.as_str(), |(text, _)| text);
        ReadError::at(line, format!("not JKF: {text}"))
    };
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    let files = if text.trim_start().starts_with('[') {
        Vec::<File>::deserialize(&mut deserializer).map_err(bad)?
    } else {
        vec![File::deserialize(&mut deserializer).map_err(bad)?]
    };
    deserializer.end().map_err(bad)?;
    let mut games = Games::default();
    for (index, file) in files.iter().enumerate() {
        let name = match files.len() {
            1 => String::new(),
            _ => format!("game {}: ", index + 1),
        };
        games.add(game(file, &name, rules));
    }
    Ok(games)
}

fn start(initial: Option<&Initial>, rules: &Rules) -> Result<Position, String> {
    let Some(initial) = initial else {
        return Ok(Position::start(rules));
    };
    let preset = initial.preset.as_ref().map(plain);
    let sfen = match (preset.as_deref(), &initial.data) {
        (Some("OTHER") | None, Some(data)) => set_up(data)?,
        (Some("OTHER"), None) => return Err("`initial` has no data".to_owned()),
        (Some("HIRATE") | None, _) => sfen::START.to_owned(),
        (Some(preset), _) => PRESETS
            .iter()
            .find(|(name, _)| *name == preset)
            .and_then(|(_, japanese)| handicap::by_name(japanese))
            .map(|handicap| handicap.sfen.to_owned())
            .ok_or_else(|| format!("unknown preset `{}`", quote(preset)))?,
    };
    Position::from_sfen(&sfen, rules).map_err(|error| error.to_string())
}

/// A string or number as text.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn side(color: Option<u8>) -> Color {
    if color == Some(1) {
        Color::White
    } else {
        Color::Black
    }
}

fn set_up(data: &Data) -> Result<String, String> {
    let mut text = String::new();
    for rank in 0..SIZE {
        if rank > 0 {
            text.push('/');
        }
        for file in (0..SIZE).rev() {
            let cell = data.board.get(file).and_then(|column| column.get(rank));
            let cell = cell.ok_or("the board is not 9 files of 9 squares")?;
            match &cell.kind {
                None => text.push('1'),
                Some(code) => {
                    let kind = csa::kind(code).ok_or_else(|| no_piece(code))?;
                    text.push_str(&Piece::new(side(cell.color), kind).to_string());
                }
            }
        }
    }
    text.push_str(if side(data.color) == Color::Black {
        " b "
    } else {
        " w "
    });
    let before = text.len();
    for (color, hand) in Color::ALL.into_iter().zip(&data.hands) {
        for (code, count) in &hand.0 {
            let kind = csa::kind(code).ok_or_else(|| no_piece(code))?;
            let number = plain(count);
            let count: u32 = number
                .trim()
                .parse()
                .map_err(|_| format!("`{}` is no number of pieces", quote(&number)))?;
            if count > 0 {
                let _ = write!(text, "{count}{}", Piece::new(color, kind));
            }
        }
    }
    if text.len() == before {
        text.push('-');
    }
    Ok(text)
}

fn no_piece(code: &str) -> String {
    format!("`{}` is no piece", quote(code))
}

/// Reads a game; `name` begins every message about it.
fn game(file: &File, name: &str, rules: &Rules) -> Result<Builder, ReadError> {
    let handicap = file.header.0.iter().find(|(key, _)| key == key::HANDICAP);
    let handicap = handicap.map(|(_, name)| plain(name));
    let start = match (&file.initial, handicap.as_deref().and_then(start_of)) {
        (None, Some(sfen)) => Position::from_sfen(sfen, rules).map_err(|error| error.to_string()),
        (initial, _) => start(initial.as_ref(), rules),
    };
    let start = start.map_err(|message| ReadError::at(0, format!("{name}{message}")))?;
    let mut builder = Builder::new(start, Problems::with_prefix(name.to_owned()));
    for (name, value) in &file.header.0 {
        let name = match name.as_str() {
            "下手" => key::BLACK,
            "上手" => key::WHITE,
            // Said by the initial position.
            key::HANDICAP if !is_worth_keeping(&plain(value)) => continue,
            name => name,
        };
        builder.tree.headers.push((name.to_owned(), plain(value)));
    }
    // Lines that are still to be read, with the node that they leave from.
    let mut lines: VecDeque<(NodeId, &[Entry])> = VecDeque::new();
    let mut moves = file.moves.as_slice();
    if let Some((first, rest)) = moves.split_first()
        && first.r#move.is_none()
        && first.special.is_none()
    {
        notes(&mut builder, first);
        moves = rest;
    }
    lines.push_back((NodeId::ROOT, moves));
    while let Some((from, entries)) = lines.pop_front() {
        builder.go_to(from);
        for entry in entries {
            let parent = builder.cursor.node();
            let stopped = builder.is_stopped();
            if stopped {
                break;
            }
            if let Some(m) = &entry.r#move {
                play(&mut builder, m);
            } else if let Some(word) = &entry.special {
                end(&mut builder, word);
            }
            notes(&mut builder, entry);
            // Some programs put both into one entry.
            if let (Some(_), Some(word)) = (&entry.r#move, &entry.special) {
                end(&mut builder, word);
            }
            for fork in entry.forks.iter().flatten() {
                lines.push_back((parent, fork));
            }
        }
    }
    Ok(builder)
}

fn end(builder: &mut Builder, word: &str) {
    let side = builder.tree.side_at(builder.next_ply());
    let terminal = Terminal::from_kif(word);
    builder.end(
        0,
        terminal.unwrap_or_else(|| Terminal::from_csa(word, side)),
    );
}

fn notes(builder: &mut Builder, entry: &Entry) {
    let Some(id) = builder.current() else { return };
    let node = builder.tree.node_mut(id);
    for comment in entry.comments.iter().flatten() {
        match comment.strip_prefix('&') {
            Some(name) if node.bookmark.is_none() => node.bookmark = Some(name.to_owned()),
            _ => node.comments.extend(comment.split('\n').map(str::to_owned)),
        }
    }
    if let Some(now) = entry.time.as_ref().and_then(|time| time.now.as_ref()) {
        builder.time(0, now.milliseconds());
    }
}

fn play(builder: &mut Builder, entry: &MoveEntry) {
    let place = |place: Option<Place>| match place {
        None => Ok(None),
        Some(place) => match place.square() {
            Some(square) => Ok(Some(square)),
            None => Err(format!("({}, {}) is no square", place.x, place.y)),
        },
    };
    let resolved = (|| {
        let kind = csa::kind(&entry.piece).ok_or_else(|| no_piece(&entry.piece))?;
        let mut marks = Marks::default();
        let from = place(entry.from)?;
        for mark in entry.relative.as_deref().unwrap_or("").chars() {
            match mark {
                'L' => marks.standing = Some(Standing::Left),
                'C' => marks.standing = Some(Standing::Straight),
                'R' => marks.standing = Some(Standing::Right),
                'U' => marks.movement = Some(Movement::Up),
                'M' => marks.movement = Some(Movement::Sideways),
                'D' => marks.movement = Some(Movement::Back),
                'H' => marks.drop = from.is_none(),
                _ => {}
            }
        }
        let text = MoveText {
            to: place(entry.to)?,
            kind,
            promotes: entry.promote,
            marks,
            from,
            rest: "",
        };
        let same = builder.position().last_move().map(|last| last.to());
        text.resolve(builder.position(), same)
    })();
    match resolved {
        Ok((m, note)) => {
            if let Some(note) = note {
                builder.problems.warn(0, note);
            }
            builder.play(0, &m.to_string(), m);
        }
        Err(error) => builder.bad_move(0, error),
    }
}

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
    let mut written: Vec<&str> = Vec::new();
    for (key, value) in &tree.headers {
        if written.contains(&key.as_str()) {
            losses.headers.push(key.clone());
            continue;
        }
        let comma = if written.is_empty() { "" } else { "," };
        let _ = write!(text, "{comma}{}:{}", json(key), json(value));
        written.push(key);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_of_nesting() {
        assert_eq!(depth("{\"a\":[{}]}"), 3);
        assert_eq!(depth("\"[[[\\\"[[\""), 0);
    }

    #[test]
    fn sparse_and_odd_records() {
        let text = r#"{"header":{"b":"2","a":1,"下手":"X"},"initial":{"preset":"7_L"},"moves":[
            {"comments":["start","&mark"]},
            {"move":{"to":{"x":8,"y":2},"piece":"GI"},"time":{"now":{"m":75,"s":10}}},
            {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU","color":0},
             "forks":[[{"move":{"from":{"x":2,"y":7},"to":{"x":2,"y":6},"piece":"FU"}},
                       {"special":"中断"}]]},
            {"special":"TORYO"}]}"#;
        let games = |text: &str| read(text, &Rules::default()).and_then(Games::finish);
        let (trees, _) = games(text).unwrap();
        let tree = &trees[0];
        let headers: Vec<_> = tree.headers.iter().map(|(k, v)| (&k[..], &v[..])).collect();
        assert_eq!(headers, [("b", "2"), ("a", "1"), (key::BLACK, "X")]);
        let root = tree.node(NodeId::ROOT);
        assert_eq!(
            (root.comments.as_slice(), root.bookmark.as_deref()),
            (&["start".to_owned()][..], Some("mark"))
        );
        assert_eq!(tree.main_moves().len(), 2);
        let first = tree.main_line().next().unwrap();
        assert_eq!(tree.node(first).time_ms, Some(4_510_000));
        assert_eq!(tree.lines().count(), 2);
        assert_eq!(tree.ending(), Some(&Terminal::Resignation));
        let mut losses = Losses::default();
        let (again, _) = games(&write(tree, &mut losses)).unwrap();
        assert_eq!(again[0], *tree);
        for (text, error) in [
            (
                "{\"moves\":3}",
                "line 1: not JKF: invalid type: integer `3`, expected a sequence",
            ),
            (
                "{\"moves\":[],\"initial\":{\"preset\":\"X\"}}",
                "unknown preset `X`",
            ),
        ] {
            let result = games(text).err().map(|error| error.to_string());
            assert_eq!(result.as_deref(), Some(error));
        }
    }
}
