//! Reading JKF, JSON kifu format (na2hiro, "json-kifu-format").
//!
//! `moves[0]` holds the comments of the start; `forks` of an entry are alternatives
//! to that very move. A piece is named as it stands before its move, unlike in CSA.
//! Bookmarks are comments that begin with `&`, as that project's KIF reader makes
//! them. Nesting costs the parser stack, so that deep records are parsed on a thread
//! with a large one, and absurd ones refused. Parts are kept as text until their turn
//! comes: a move that is no move ends its line, as in the other formats, and messages
//! know the line of the file.

use std::collections::VecDeque;
use std::fmt::{self, Write};

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::csa;
use super::kif_head::{is_worth_keeping, start_of};
use super::kif_move::MoveText;
use super::read::{Builder, Games, Problems, ReadError};
use super::terminal::Terminal;
use super::text::quote;
use super::tree::{NodeId, key};
use crate::core::Color;
use crate::shogi::handicap;
use crate::shogi::notation::{Marks, Movement, Standing};
use crate::shogi::piece::Piece;
use crate::shogi::square::SIZE;
use crate::shogi::{Move, Position, Rules, Square, sfen};

/// Presets and the Japanese names of their handicaps.
pub(super) const PRESETS: [(&str, &str); 16] = [
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
#[serde(expecting = "a game (an object with `moves`)")]
struct File<'a> {
    #[serde(borrow)]
    header: Option<&'a RawValue>,
    #[serde(borrow)]
    initial: Option<&'a RawValue>,
    #[serde(borrow)]
    moves: Vec<Entry<'a>>,
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
#[serde(expecting = "an object with `preset` or `data`")]
struct Initial {
    preset: Option<Value>,
    data: Option<Data>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `board`")]
struct Data {
    color: Option<u8>,
    board: Vec<Vec<Option<Cell>>>,
    #[serde(default)]
    hands: Vec<Pairs>,
}

#[derive(Deserialize)]
#[serde(expecting = "a square (an object)")]
struct Cell {
    color: Option<u8>,
    kind: Option<String>,
}

#[derive(Deserialize)]
#[serde(expecting = "an entry of moves (an object)")]
struct Entry<'a> {
    #[serde(borrow)]
    comments: Option<&'a RawValue>,
    #[serde(borrow)]
    r#move: Option<&'a RawValue>,
    #[serde(borrow)]
    time: Option<&'a RawValue>,
    #[serde(borrow)]
    special: Option<&'a RawValue>,
    #[serde(borrow)]
    forks: Option<Vec<Vec<Entry<'a>>>>,
}

#[derive(Deserialize)]
#[serde(expecting = "a move (an object)")]
struct MoveEntry {
    color: Option<Value>,
    from: Option<Place>,
    to: Option<Place>,
    piece: Option<String>,
    promote: Option<bool>,
    relative: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(expecting = "a square (an object with `x` and `y`)")]
struct Place {
    x: i64,
    y: i64,
}

impl Place {
    fn square(self) -> Option<Square> {
        let index = |digit: i64| usize::try_from(digit).ok()?.checked_sub(1);
        Square::new(index(self.x)?, index(self.y)?)
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `now`")]
struct Times {
    now: Option<Clock>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object with `m` and `s`")]
struct Clock {
    h: Option<f64>,
    m: Option<f64>,
    s: Option<f64>,
}

impl Clock {
    /// `None` for what is no time.
    fn milliseconds(&self) -> Option<u64> {
        let [h, m, s] = [self.h, self.m, self.s].map(|part| part.unwrap_or(0.0));
        // Casts saturate.
        (h >= 0.0 && m >= 0.0 && s >= 0.0)
            .then(|| ((h * 3600.0 + m * 60.0 + s) * 1000.0).round() as u64)
    }
}

/// Finds the lines of a file that its parts stand in.
struct Places<'a> {
    text: &'a str,
    breaks: Vec<usize>,
}

impl<'a> Places<'a> {
    fn of(text: &'a str) -> Places<'a> {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Places {
            text,
            breaks: breaks.map(|(at, _)| at).collect(),
        }
    }

    /// The line of a part of the text, from 1.
    fn line(&self, part: &str) -> usize {
        let at = part.as_ptr() as usize - self.text.as_ptr() as usize;
        self.breaks.partition_point(|&before| before < at) + 1
    }

    /// A part of the text is no JKF.
    fn bad(&self, part: &str, error: &serde_json::Error) -> ReadError {
        let at = part.as_ptr() as usize - self.text.as_ptr() as usize;
        let mut column = error.column();
        if error.line() <= 1 {
            column += at - self.text[..at].rfind('\n').map_or(0, |before| before + 1);
        }
        let line = self.line(part) + error.line().max(1) - 1;
        ReadError::at(
            line,
            format!("not JKF: {} (column {column})", reason(error)),
        )
    }
}

/// What serde says is wrong, without its place.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    text[..end].to_owned()
}

/// A part that is read on its own.
fn parse<'a, T: Deserialize<'a>>(part: &'a RawValue) -> Result<T, String> {
    serde_json::from_str(part.get()).map_err(|error| reason(&error))
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
    let places = Places::of(text);
    let mut games = Games::default();
    let mut parts: Vec<&RawValue> = Vec::new();
    if text.trim_start().starts_with('[') {
        parts = serde_json::from_str(text).map_err(|error| places.bad(text, &error))?;
    } else {
        // One game, or several with nothing but blanks between them.
        for part in serde_json::Deserializer::from_str(text).into_iter() {
            match part {
                Ok(part) => parts.push(part),
                Err(error) => games.add(Err(places.bad(text, &error))),
            }
        }
    }
    for (index, part) in parts.iter().enumerate() {
        let name = match parts.len() {
            1 => String::new(),
            _ => format!("game {}: ", index + 1),
        };
        let mut deserializer = serde_json::Deserializer::from_str(part.get());
        deserializer.disable_recursion_limit();
        games.add(match File::deserialize(&mut deserializer) {
            Ok(file) => game(&file, &name, &places, rules),
            Err(error) => Err(places.bad(part.get(), &error)),
        });
    }
    Ok(games)
}

fn start(initial: &Initial, rules: &Rules) -> Result<Position, String> {
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
            let piece = cell.as_ref().map(|cell| (side(cell.color), &cell.kind));
            if let Some((color, Some(code))) = piece {
                let kind = csa::kind(code).ok_or_else(|| no_piece(code))?;
                text.push_str(&Piece::new(color, kind).to_string());
            } else {
                text.push('1');
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
fn game(file: &File, name: &str, places: &Places, rules: &Rules) -> Result<Builder, ReadError> {
    let line = |part: Option<&RawValue>| part.map_or(0, |part| places.line(part.get()));
    let mut problems = Problems::with_prefix(name.to_owned());
    let header = file.header.map_or_else(Pairs::default, |part| {
        parse(part).unwrap_or_else(|error| {
            problems.error(line(Some(part)), format!("no header, left out: {error}"));
            Pairs::default()
        })
    });
    let handicap = header.0.iter().find(|(key, _)| key == key::HANDICAP);
    let handicap = handicap.map(|(_, name)| plain(name));
    let start = match (file.initial, handicap.as_deref().and_then(start_of)) {
        (None, Some(sfen)) => Position::from_sfen(sfen, rules).map_err(|error| error.to_string()),
        (None, None) => Ok(Position::start(rules)),
        (Some(initial), _) => parse(initial).and_then(|initial| start(&initial, rules)),
    };
    let start =
        start.map_err(|message| ReadError::at(line(file.initial), format!("{name}{message}")))?;
    let mut builder = Builder::new(start, problems);
    for (name, value) in &header.0 {
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
    let mut lines: VecDeque<(NodeId, &[Entry])> = VecDeque::from([(NodeId::ROOT, &*file.moves)]);
    while let Some((from, entries)) = lines.pop_front() {
        builder.go_to(from);
        for entry in entries {
            let parent = builder.cursor.node();
            if builder.is_stopped() {
                break;
            }
            if let Some(part) = entry.r#move {
                play(&mut builder, places.line(part.get()), part);
            } else if let Some(part) = entry.special {
                end(&mut builder, places.line(part.get()), part);
            }
            notes(&mut builder, entry, places);
            // Some programs put both into one entry.
            if let (Some(_), Some(part)) = (entry.r#move, entry.special) {
                end(&mut builder, places.line(part.get()), part);
            }
            for fork in entry.forks.iter().flatten() {
                if entry.r#move.or(entry.special).is_none() {
                    let first = fork.first().and_then(|entry| entry.r#move);
                    let message = "alternatives to no move: taken as ones to the next";
                    builder.problems.warn(line(first), message);
                }
                lines.push_back((parent, fork));
            }
        }
    }
    Ok(builder)
}

fn end(builder: &mut Builder, line: usize, part: &RawValue) {
    let word = parse::<Value>(part).map_or_else(|error| error, |word| plain(&word));
    let word = word.strip_prefix('%').unwrap_or(&word);
    let side = builder.tree.side_at(builder.next_ply());
    let terminal = Terminal::from_kif(word).unwrap_or_else(|| Terminal::from_csa(word, side));
    builder.end(line, terminal);
}

fn notes(builder: &mut Builder, entry: &Entry, places: &Places) {
    if builder.is_stopped() {
        return;
    }
    if let Some(part) = entry.comments {
        let comments = match parse::<Value>(part) {
            Ok(Value::Array(list)) => list,
            Ok(value) => vec![value],
            Err(error) => {
                let message = format!("no comments, left out: {error}");
                builder.problems.error(places.line(part.get()), message);
                Vec::new()
            }
        };
        let node = builder.tree.node_mut(builder.cursor.node());
        for comment in comments.iter().map(plain) {
            match comment.strip_prefix('&') {
                Some(name) if node.bookmark.is_none() => node.bookmark = Some(name.to_owned()),
                _ => node.comments.extend(
                    comment
                        .split('\n')
                        .map(|line| line.trim_end_matches('\r').to_owned()),
                ),
            }
        }
    }
    if let Some(part) = entry.time {
        let line = places.line(part.get());
        let now = parse::<Times>(part).map(|time| time.now.map(|now| now.milliseconds()));
        match now {
            Ok(None) => {}
            Ok(Some(Some(milliseconds))) => builder.time(line, milliseconds),
            Ok(Some(None)) | Err(_) => {
                let message = format!("`{}` is no time", quote(part.get()));
                builder.problems.warn(line, message);
            }
        }
    }
}

fn play(builder: &mut Builder, line: usize, part: &RawValue) {
    match parse::<MoveEntry>(part).and_then(|entry| resolve(builder, line, &entry)) {
        Ok(m) => builder.play(line, &m.to_string(), m),
        Err(error) => builder.bad_move(line, error),
    }
}

fn resolve(builder: &mut Builder, line: usize, entry: &MoveEntry) -> Result<Move, String> {
    let place = |place: Option<Place>| match place {
        None => Ok(None),
        Some(place) => match place.square() {
            Some(square) => Ok(Some(square)),
            None => Err(format!("({}, {}) is no square", place.x, place.y)),
        },
    };
    let position = builder.position();
    let from = place(entry.from)?;
    let kind = match (&entry.piece, from.and_then(|from| position.piece_on(from))) {
        (Some(code), _) => csa::kind(code).ok_or_else(|| no_piece(code))?,
        (None, Some(there)) => there.kind,
        (None, None) => return Err("no piece is named".to_owned()),
    };
    let mut marks = Marks::default();
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
        // Said of a drop it means nothing.
        promotes: entry.promote.filter(|&promotes| promotes || from.is_some()),
        marks,
        from,
        rest: "",
    };
    let same = position.last_move().map(|last| last.to());
    let (m, note) = text.resolve(position, same)?;
    let side = position.side_to_move().index() as u64;
    let color = entry.color.as_ref().and_then(Value::as_u64);
    if color.is_some_and(|color| color != side) {
        let message = format!("the color of {m} is not that of the side to move");
        builder.problems.warn(line, message);
    }
    if let Some(note) = note {
        builder.problems.warn(line, note);
    }
    Ok(m)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Losses;
    use crate::record::jkf_write::write;

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
                "line 1: not JKF: invalid type: integer `3`, expected a sequence (column 10)",
            ),
            (
                "{\"moves\":[],\n\"initial\":{\"preset\":\"X\"}}",
                "line 2: unknown preset `X`",
            ),
            (
                "{\"moves\":[],\"initial\":\"HIRATE\"}",
                "line 1: invalid type: string \"HIRATE\", expected an object with `preset` or `data`",
            ),
            (
                "{\"moves\":[{},\n{\"move\":{}",
                "line 2: not JKF: EOF while parsing an object (column 10)",
            ),
        ] {
            let result = games(text).err().map(|error| error.to_string());
            assert_eq!(result.as_deref(), Some(error));
        }
    }

    /// What is of a wrong type costs no more than what it would have said.
    #[test]
    fn wrong_types() {
        let fu = r#""piece":"FU","from":{"x":2,"y":7},"to":{"x":2,"y":6}"#;
        for (text, moves, told) in [
            (
                format!("[{{\"moves\":[{{}},{{\"move\":{{{fu}}}}},{{\"move\":3}}]}},\n3,\n{{\"moves\":[]}}]"),
                &[1, 0][..],
                &[
                    "line 1: game 1: move 2: invalid type: integer `3`, expected a move (an object)",
                    "line 2: not JKF: invalid type: integer `3`, expected a game (an object with \
                     `moves`) (column 1)",
                ][..],
            ),
            // One game a line.
            ("{\"moves\":[]}\n{\"moves\":[]}\n".to_owned(), &[0, 0], &[]),
            (
                "{\"moves\":[{}]} x".to_owned(),
                &[0],
                &["line 1: not JKF: expected value (column 16)"],
            ),
            (
                format!("{{\"header\":[],\"moves\":[{{\"comments\":\"one\"}},\n{{\"move\":{{\"color\":1,{fu}}},\n\"time\":{{\"now\":{{\"m\":-1}}}}}},\n{{\"special\":\"%TORYO\"}}]}}"),
                &[1],
                &[
                    "line 1: no header, left out: invalid type: sequence, expected an object",
                    "line 2: warning: the color of 2g2f is not that of the side to move",
                    "line 3: warning: `{\"now\":{\"m\":-1}}` is no time",
                ],
            ),
            (
                "{\"moves\":[{},{\"move\":{\"from\":{\"x\":-1,\"y\":7},\"to\":{\"x\":2,\"y\":6}}}]}".to_owned(),
                &[0],
                &["line 1: move 1: (-1, 7) is no square"],
            ),
            (
                format!("{{\"moves\":[{{\"forks\":[[{{\"move\":{{{fu}}}}}]]}},{{\"move\":{{{fu}}}}}]}}"),
                &[1],
                &["line 1: warning: alternatives to no move: taken as ones to the next"],
            ),
        ] {
            let (trees, problems) = read(&text, &Rules::default()).and_then(Games::finish).unwrap();
            let counts: Vec<_> = trees.iter().map(|tree| tree.main_moves().len()).collect();
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            assert_eq!((counts.as_slice(), problems), (moves, told.iter().map(|text| text.to_string()).collect()), "{text}");
        }
    }
}
