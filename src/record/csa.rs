//! The CSA format, versions 2 to 3 (コンピュータ将棋協会, "CSA標準棋譜ファイル形式").
//!
//! A move names the piece as it stands after it, so a promotion shows in the
//! piece. Evaluations follow the moves as `'** score line`, the form that the
//! floodgate server made common. A file may hold several games, parted by `/`.

use std::fmt::Write;

use super::read::{Builder, Games, Problems, ReadError};
use super::terminal::Terminal;
use super::text::{lines, one_line, quote};
use super::tree::{Cursor, GameTree, NodeId, Step, key};
use super::{CsaVersion, Losses};
use crate::core::Color;
use crate::shogi::hand::MAX_SET_UP;
use crate::shogi::piece::{HAND_KINDS, KINDS, Piece, PieceKind};
use crate::shogi::square::{SIZE, SQUARES};
use crate::shogi::{Move, Position, Rules, Square, sfen};

/// Codes of the kinds by [`PieceKind::index`].
const CODES: [&str; KINDS] = [
    "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY",
];

/// Pieces of each kind that can be in hand, in a set of shogi.
const SET: [u32; HAND_KINDS] = [18, 4, 4, 4, 2, 2, 4];

/// Keys of CSA and of KIF.
const KEYS: [(&str, &str); 10] = [
    ("EVENT", key::EVENT),
    ("SITE", key::SITE),
    ("START_TIME", key::STARTED),
    ("END_TIME", key::ENDED),
    ("TIME_LIMIT", key::TIME_LIMIT),
    ("OPENING", key::OPENING),
    ("NOTE", key::NOTE),
    ("MAX_MOVES", "最大手数"),
    ("JISHOGI", "持将棋"),
    ("SOURCE", "出典"),
];

const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

fn color_of(byte: u8) -> Option<Color> {
    match byte {
        b'+' => Some(Color::Black),
        b'-' => Some(Color::White),
        _ => None,
    }
}

/// A kind by its code.
pub(super) fn kind(code: &str) -> Option<PieceKind> {
    let index = CODES.iter().position(|&known| known == code)?;
    Some(PieceKind::ALL[index])
}

/// The code of a kind.
pub(super) fn code(kind: PieceKind) -> &'static str {
    CODES[kind.index()]
}

fn square_text(square: Square) -> String {
    format!("{}{}", square.file() + 1, square.rank() + 1)
}

fn square(text: &[u8]) -> Option<Square> {
    let &[file @ b'1'..=b'9', rank @ b'1'..=b'9'] = text else {
        return None;
    };
    Square::new(usize::from(file - b'1'), usize::from(rank - b'1'))
}

/// A move of `position`, as `+7776FU`.
pub(super) fn move_text(m: Move, position: &Position) -> String {
    let from = m.from().map_or("00".to_string(), square_text);
    let code = code(position.moved_kind(m));
    format!(
        "{}{from}{}{code}",
        sign(position.side_to_move()),
        square_text(m.to())
    )
}

/// Reads a move such as `+7776FU`, its sign optional.
pub(super) fn parse_move(text: &str, position: &Position) -> Result<Move, String> {
    let bytes = text.as_bytes();
    let (side, bytes) = match bytes.first().copied().and_then(color_of) {
        Some(side) => (Some(side), &bytes[1..]),
        None => (None, bytes),
    };
    if bytes.len() != 6 || !bytes.is_ascii() {
        return Err(format!("`{}` is no move", quote(text)));
    }
    let code = std::str::from_utf8(&bytes[4..]).unwrap_or_default();
    let kind = kind(code).ok_or_else(|| format!("`{code}` is no piece"))?;
    let to = square(&bytes[2..4]).ok_or_else(|| format!("`{}` has no target", quote(text)))?;
    if side.is_some_and(|side| side != position.side_to_move()) {
        return Err(format!("`{}` is a move of the other side", quote(text)));
    }
    if &bytes[..2] == b"00" {
        if kind.index() >= HAND_KINDS {
            return Err(format!("a piece {code} cannot be dropped"));
        }
        return Ok(Move::drop(kind, to));
    }
    let from = square(&bytes[..2]).ok_or_else(|| format!("`{}` has no source", quote(text)))?;
    if from == to {
        return Err(format!("`{}` stays where it is", quote(text)));
    }
    match position.piece_on(from).map(|piece| piece.kind) {
        None => Err(format!("no piece stands on {from}")),
        Some(before) if before == kind => Ok(Move::board(from, to)),
        Some(before) if before.promoted() == Some(kind) => Ok(Move::promotion(from, to)),
        Some(before) => Err(format!(
            "the piece on {from} is {}, and cannot become {code}",
            CODES[before.index()]
        )),
    }
}

/// The pieces of a position as the lines set them.
struct SetUp {
    board: [Option<Piece>; SQUARES],
    hands: [[u32; HAND_KINDS]; 2],
    /// `00AL`: who gets all other pieces.
    rest: Option<Color>,
    side: Option<Color>,
    /// A square on which one piece took another one's place.
    twice: Option<Square>,
}

impl SetUp {
    fn new() -> SetUp {
        SetUp {
            board: [None; SQUARES],
            hands: [[0; HAND_KINDS]; 2],
            rest: None,
            side: None,
            twice: None,
        }
    }

    fn put(&mut self, on: Square, piece: Piece) {
        if self.board[on.index()].replace(piece).is_some() {
            self.twice = Some(on);
        }
    }

    /// `PI`, with the pieces that are taken off.
    fn initial(&mut self, removed: &str) -> Result<(), String> {
        let start = Position::start(&Rules::default());
        for square in Square::all() {
            self.board[square.index()] = start.piece_on(square);
        }
        for piece in chunks(removed, 4)? {
            let on = square(&piece.as_bytes()[..2]);
            let on = on.ok_or_else(|| format!("`{piece}` names no square"))?;
            let there = self.board[on.index()].map(|there| code(there.kind));
            if there != Some(&piece[2..]) {
                return Err(format!("no {} stands on {on} to be taken off", &piece[2..]));
            }
            self.board[on.index()] = None;
        }
        Ok(())
    }

    /// `P1` to `P9`.
    fn row(&mut self, rank: usize, text: &str) -> Result<(), String> {
        if !text.is_ascii() {
            return Err("a row of the board holds ASCII only".to_owned());
        }
        // Blanks at the end may have been cut off, those of empty squares joined.
        let mut rest = text.trim_end();
        for file in (0..SIZE).rev() {
            let on = Square::new(file, rank).ok_or("no such rank")?;
            let padded = rest.trim_start();
            if padded.is_empty() {
                rest = "";
            } else if let Some(after) = padded.strip_prefix('*') {
                rest = after.strip_prefix(' ').unwrap_or(after);
            } else {
                let piece = padded
                    .get(..3)
                    .ok_or_else(|| format!("`{padded}` is cut off"))?;
                rest = &padded[3..];
                let color = color_of(piece.as_bytes()[0]);
                let piece = color.zip(kind(&piece[1..]));
                let piece = piece.ok_or_else(|| format!("`{}` is no piece", quote(padded)))?;
                self.put(on, Piece::new(piece.0, piece.1));
            }
        }
        if rest.trim().is_empty() {
            Ok(())
        } else {
            Err(format!(
                "`{}` is beyond the ninth square",
                quote(rest.trim())
            ))
        }
    }

    /// `P+` and `P-`.
    fn pieces(&mut self, color: Color, text: &str) -> Result<(), String> {
        for piece in chunks(text, 4)? {
            let (place, code) = piece.split_at(2);
            if piece == "00AL" {
                self.rest = Some(color);
                continue;
            }
            let kind = kind(code).ok_or_else(|| format!("`{code}` is no piece"))?;
            if place == "00" {
                if kind.index() >= HAND_KINDS {
                    return Err(format!("{code} cannot be in hand"));
                }
                let count = &mut self.hands[color.index()][kind.index()];
                *count += 1;
                if *count > MAX_SET_UP {
                    return Err(format!("more than {MAX_SET_UP} {code} in hand"));
                }
                continue;
            }
            let on = square(place.as_bytes()).ok_or_else(|| format!("`{place}` is no square"))?;
            self.put(on, Piece::new(color, kind));
        }
        Ok(())
    }

    fn finish(
        mut self,
        number: usize,
        rules: &Rules,
        problems: &mut Problems,
    ) -> Result<Position, ReadError> {
        if let Some(color) = self.rest {
            let mut left = SET;
            for piece in self.board.iter().flatten() {
                if let Some(left) = left.get_mut(piece.kind.unpromoted().index()) {
                    *left = left.saturating_sub(1);
                }
            }
            for (index, left) in left.iter_mut().enumerate() {
                for hand in &self.hands {
                    *left = left.saturating_sub(hand[index]);
                }
                self.hands[color.index()][index] += *left;
            }
        }
        if let Some(on) = self.twice {
            problems.warn(
                number,
                format!("several pieces on {on}: the last one counts"),
            );
        }
        let side = self.side.unwrap_or_else(|| {
            problems.warn(number, "nothing says who moves first");
            let white = self
                .board
                .iter()
                .flatten()
                .filter(|p| p.color == Color::White);
            // A handicap: White has fewer pieces than it began with.
            if white.count() < 20 && self.hands == [[0; HAND_KINDS]; 2] {
                Color::White
            } else {
                Color::Black
            }
        });
        let mut text = String::new();
        for rank in 0..SIZE {
            if rank > 0 {
                text.push('/');
            }
            for file in (0..SIZE).rev() {
                match Square::new(file, rank).and_then(|on| self.board[on.index()]) {
                    Some(piece) => text.push_str(&piece.to_string()),
                    None => text.push('1'),
                }
            }
        }
        text.push_str(if side == Color::Black { " b " } else { " w " });
        let hands = text.len();
        for color in Color::ALL {
            for kind in PieceKind::HAND {
                let count = self.hands[color.index()][kind.index()];
                if count > 0 {
                    let _ = write!(text, "{count}{}", Piece::new(color, kind));
                }
            }
        }
        if text.len() == hands {
            text.push('-');
        }
        Position::from_sfen(&text, rules).map_err(|error| ReadError::at(number, error.to_string()))
    }
}

/// The text in pieces of so many characters.
fn chunks(text: &str, size: usize) -> Result<Vec<&str>, String> {
    let text = text.trim();
    if !text.is_ascii() || !text.len().is_multiple_of(size) {
        return Err(format!("`{}` is no list of pieces", quote(text)));
    }
    Ok((0..text.len())
        .step_by(size)
        .map(|at| &text[at..at + size])
        .collect())
}

/// A game that is being read.
struct Game<'a> {
    rules: &'a Rules,
    headers: Vec<(String, String)>,
    comments: Vec<String>,
    set_up: Option<SetUp>,
    problems: Problems,
    builder: Option<Builder>,
    /// A move or an end was seen.
    under_way: bool,
    /// Why the position cannot be set up: the rest of the game is left out.
    refused: Option<ReadError>,
    /// The number of the last line.
    number: usize,
}

/// Reads the games of a file; the text is known to be CSA.
pub(super) fn read(text: &str, rules: &Rules) -> Games {
    let mut games = Games::default();
    let mut game = Game::new(rules);
    for (number, line) in lines(text) {
        let line = line.trim_start_matches([' ', '\t']);
        let is_break = line.trim_end() == "/";
        let is_next = game.under_way && begins_game(line);
        if is_break || is_next {
            let finished = std::mem::replace(&mut game, Game::new(rules));
            if let Some(finished) = finished.finish() {
                games.add(finished);
            }
            if is_next {
                let message = "another game without a line `/` before it";
                game.problems.warn(number, message);
            }
        }
        if !is_break {
            game.line(number, line);
        }
    }
    if let Some(finished) = game.finish() {
        games.add(finished);
    }
    games
}

/// Whether a line stands before the moves of a game only.
fn begins_game(line: &str) -> bool {
    match line.as_bytes() {
        [b'V', b'1'..=b'9', ..]
        | [b'N', b'+' | b'-', ..]
        | [b'P', b'I' | b'1'..=b'9' | b'+' | b'-', ..] => true,
        _ => line.starts_with("'CSA encoding="),
    }
}

/// Whether a statement is a move; some programs leave the sign of its side out.
fn is_move(statement: &str) -> bool {
    match statement.as_bytes() {
        [b'+' | b'-', _, ..] => true,
        [squares @ .., a, b] => {
            squares.len() == 4
                && squares.iter().all(u8::is_ascii_digit)
                && [a, b].iter().all(|letter| letter.is_ascii_uppercase())
        }
        _ => false,
    }
}

impl<'a> Game<'a> {
    fn new(rules: &'a Rules) -> Game<'a> {
        Game {
            rules,
            headers: Vec::new(),
            comments: Vec::new(),
            set_up: None,
            problems: Problems::default(),
            builder: None,
            under_way: false,
            refused: None,
            number: 0,
        }
    }

    /// The builder; the side to move, or a move without one, makes it.
    fn begin(&mut self) -> Result<&mut Builder, ReadError> {
        if self.builder.is_none() {
            let mut problems = std::mem::take(&mut self.problems);
            let start = match self.set_up.take() {
                Some(set_up) => set_up.finish(self.number, self.rules, &mut problems)?,
                None => {
                    let message = "no initial position: that of an even game";
                    problems.warn(self.number, message);
                    Position::start(self.rules)
                }
            };
            let mut builder = Builder::new(start, problems);
            builder.tree.headers = std::mem::take(&mut self.headers);
            for comment in self.comments.drain(..) {
                note(&mut builder, comment);
            }
            self.builder = Some(builder);
        }
        self.builder.as_mut().ok_or(ReadError::Unknown)
    }

    fn line(&mut self, number: usize, line: &str) {
        self.number = number;
        match line.as_bytes() {
            [] => {}
            [b'\'', ..] => {
                if let Some(comment) = line.strip_prefix("'*") {
                    match &mut self.builder {
                        Some(builder) => note(builder, comment.to_owned()),
                        None => self.comments.push(comment.to_owned()),
                    }
                }
            }
            [b'N', sign @ (b'+' | b'-'), ..] => {
                let key = match sign {
                    b'+' => key::BLACK,
                    _ => key::WHITE,
                };
                self.header(key.to_owned(), &line[2..]);
            }
            // Some servers add headers after the moves, against the standard.
            [b'$', ..] => {
                let (name, value) = line[1..].split_once(':').unwrap_or((&line[1..], ""));
                let known = KEYS.iter().find(|(csa, _)| *csa == name);
                let key = known.map_or_else(|| format!("${name}"), |(_, kif)| (*kif).to_owned());
                self.header(key, value);
            }
            [b'V', ..] => {}
            _ => {
                for statement in line.split(',') {
                    let statement = statement.trim_end();
                    self.under_way |= is_move(statement) || statement.starts_with('%');
                    if self.refused.is_none()
                        && let Err(error) = self.statement(statement)
                    {
                        self.refused = Some(error);
                    }
                }
            }
        }
    }

    fn header(&mut self, key: String, value: &str) {
        let headers = match &mut self.builder {
            Some(builder) => &mut builder.tree.headers,
            None => &mut self.headers,
        };
        headers.push((key, value.trim().to_owned()));
    }

    /// A line that sets up the position.
    fn set_up(&mut self, text: &str) -> Result<(), ReadError> {
        let number = self.number;
        if let Some(builder) = &mut self.builder {
            let message = format!("`{}` after the side to move, left out", quote(text));
            builder.problems.error(number, message);
            return Ok(());
        }
        let set_up = self.set_up.get_or_insert_with(SetUp::new);
        let rest = &text[2..];
        let done = match text.as_bytes()[1] {
            b'I' => set_up.initial(rest),
            b'+' => set_up.pieces(Color::Black, rest),
            b'-' => set_up.pieces(Color::White, rest),
            rank => set_up.row(usize::from(rank - b'1'), rest),
        };
        done.map_err(|message| ReadError::at(number, message))
    }

    fn statement(&mut self, text: &str) -> Result<(), ReadError> {
        let number = self.number;
        match text.as_bytes() {
            [] => {}
            [b'P', b'I' | b'1'..=b'9' | b'+' | b'-', ..] => self.set_up(text)?,
            [sign @ (b'+' | b'-')] if self.builder.is_none() => {
                self.set_up.get_or_insert_with(SetUp::new).side = color_of(*sign);
                self.begin()?;
            }
            [b'%', ..] => {
                let builder = self.begin()?;
                let side = builder.tree.side_at(builder.next_ply());
                builder.end(number, Terminal::from_csa(&text[1..], side));
            }
            _ if is_move(text) => {
                let builder = self.begin()?;
                if !builder.is_stopped() {
                    match parse_move(text, builder.position()) {
                        Ok(m) => builder.play(number, text, m),
                        Err(message) => builder.bad_move(number, message),
                    }
                }
            }
            [b'T', ..] => {
                let builder = self.begin()?;
                match super::kif_read::time(&text[1..]) {
                    Some(time) => builder.time(number, time),
                    None => {
                        let message = format!("`{}` is no time", quote(text));
                        builder.problems.warn(number, message);
                    }
                }
            }
            _ => {
                let message = format!("not a line of CSA: `{}`", quote(text));
                match &mut self.builder {
                    Some(builder) => builder.problems.warn(number, message),
                    None => self.problems.warn(number, message),
                }
            }
        }
        Ok(())
    }

    /// The game, unless there is nothing but empty lines and comments.
    fn finish(mut self) -> Option<Result<Builder, ReadError>> {
        if let Some(refused) = self.refused {
            return Some(Err(refused));
        }
        if self.builder.is_none() && self.set_up.is_none() && self.headers.is_empty() {
            return None;
        }
        if let Err(error) = self.begin() {
            return Some(Err(error));
        }
        self.builder.map(Ok)
    }
}

/// A comment, or the name of a bookmark in the form in which we write one.
fn note(builder: &mut Builder, comment: String) {
    let Some(node) = builder.current() else {
        return;
    };
    let node = builder.tree.node_mut(node);
    match comment.strip_prefix('&') {
        Some(name) if node.bookmark.is_none() => node.bookmark = Some(name.to_owned()),
        _ => node.comments.push(comment),
    }
}

/// The initial position.
fn write_position(text: &mut String, position: &Position) {
    let board = |sfen: &str| sfen.split(' ').next().map(str::to_owned);
    if board(&position.sfen()) == board(sfen::START) {
        text.push_str("PI\n");
    } else {
        for rank in 0..SIZE {
            let _ = write!(text, "P{}", rank + 1);
            for file in (0..SIZE).rev() {
                match Square::new(file, rank).and_then(|square| position.piece_on(square)) {
                    None => text.push_str(" * "),
                    Some(piece) => {
                        let _ = write!(text, "{}{}", sign(piece.color), code(piece.kind));
                    }
                }
            }
            text.push('\n');
        }
    }
    for color in Color::ALL {
        let hand = position.hand(color);
        if !hand.is_empty() {
            let _ = write!(text, "P{}", sign(color));
            for (kind, count) in hand.iter() {
                for _ in 0..count {
                    let _ = write!(text, "00{}", code(kind));
                }
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "{}", sign(position.side_to_move()));
}

fn write_notes(text: &mut String, tree: &GameTree, id: NodeId) {
    let node = tree.node(id);
    for comment in &node.comments {
        let _ = writeln!(text, "'*{}", one_line(comment));
    }
    if let Some(name) = &node.bookmark {
        let _ = writeln!(text, "'*&{}", one_line(name));
    }
}

/// `T` with whole seconds, or with milliseconds in version 3.
fn write_time(text: &mut String, time_ms: Option<u64>, version: CsaVersion, losses: &mut Losses) {
    let Some(time_ms) = time_ms else { return };
    let (seconds, rest) = (time_ms / 1000, time_ms % 1000);
    match version {
        CsaVersion::V3 if rest > 0 => {
            let _ = writeln!(text, "T{seconds}.{rest:03}");
        }
        _ => {
            losses.fractions |= rest > 0;
            let _ = writeln!(text, "T{seconds}");
        }
    }
}

/// Writes a game.
pub(super) fn write(tree: &GameTree, version: CsaVersion, losses: &mut Losses) -> String {
    let mut text = match version {
        CsaVersion::V2_2 => String::from("V2.2\n"),
        CsaVersion::V3 => String::from("'CSA encoding=UTF-8\nV3.0\n"),
    };
    for (name, key) in [("N+", key::BLACK), ("N-", key::WHITE)] {
        if let Some(player) = tree.header(key) {
            let _ = writeln!(text, "{name}{}", one_line(player));
        }
    }
    // Names that would be read as others.
    let is_name = |name: &&str| {
        !name.contains(|c: char| c == ':' || c.is_control())
            && KEYS.iter().all(|(csa, _)| csa != name)
    };
    for (key, value) in &tree.headers {
        let known = KEYS.iter().find(|(_, kif)| kif == key);
        let own = key.strip_prefix('$').filter(is_name);
        if let Some(name) = known.map(|(csa, _)| *csa).or(own) {
            let _ = writeln!(text, "${name}:{}", one_line(value));
        } else if !matches!(key.as_str(), key::BLACK | key::WHITE) {
            losses.headers.push(key.clone());
        }
    }
    write_position(&mut text, &tree.start());
    losses.ply |= tree.first_ply() > 1;
    losses.variations |= tree.lines().nth(1).is_some();
    write_notes(&mut text, tree, NodeId::ROOT);
    let mut cursor = Cursor::new(tree);
    for id in tree.main_line() {
        let node = tree.node(id);
        match &node.step {
            Step::Start => {}
            Step::Move(m) | Step::Foul(m, _) => {
                let _ = writeln!(text, "{}", move_text(*m, cursor.position()));
            }
            Step::End(terminal) => {
                let word = match terminal {
                    Terminal::FoulWin => {
                        let offender = !tree.side_at(node.ply());
                        format!("{}ILLEGAL_ACTION", sign(offender))
                    }
                    other => one_line(other.csa()).replace(',', " "),
                };
                if !terminal.is_standard_csa() {
                    losses.ending = Some(terminal.kif().to_owned());
                }
                let _ = writeln!(text, "%{word}");
            }
        }
        write_time(&mut text, node.time_ms, version, losses);
        write_notes(&mut text, tree, id);
        cursor.go_to(tree, id);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_code() {
        for (kind, code) in [
            (PieceKind::Pawn, "FU"),
            (PieceKind::Gold, "KI"),
            (PieceKind::Bishop, "KA"),
            (PieceKind::King, "OU"),
            (PieceKind::ProKnight, "NK"),
            (PieceKind::Dragon, "RY"),
        ] {
            assert_eq!(CODES[kind.index()], code);
        }
    }

    fn start(text: &str) -> Result<String, String> {
        let games = read(text, &Rules::default()).finish();
        let (games, _) = games.map_err(|error| error.to_string())?;
        Ok(games[0].start().sfen())
    }

    #[test]
    fn positions_in_every_form() {
        let two_pieces = "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        for (text, sfen) in [
            ("PI\n+\n", sfen::START),
            ("V2.2\nPI82HI22KA\n-\n", two_pieces),
            ("PI82HI22KA\n", two_pieces),
            (
                "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 *\nP3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4\n\
                 P5 * * * * * * * * *\nP6 *  *  *  *  *  *  *  *  * \n\
                 P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
                 P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\n-\n",
                two_pieces,
            ),
            (
                "P-11OU21FU22FU23FU24FU25FU26FU27FU28FU29FU\nP+00HI00HI\nP-00AL\n+\n",
                "7pk/7p1/7p1/7p1/7p1/7p1/7p1/7p1/7p1 b 2R2b4g4s4n4l9p 1",
            ),
        ] {
            assert_eq!(start(text), Ok(sfen.to_owned()), "{text}");
        }
        // Blanks before lines, moves without signs, and squares that are set twice.
        let loose = " PI\n +\n\t7776FU\n 'no\n '*yes\n 3334FU\n /\n PI\n P+55FU\n P-55KI\n-\n";
        let (games, problems) = read(loose, &Rules::default()).finish().unwrap();
        assert_eq!(games[0].main_moves().len(), 2);
        assert_eq!(games[0].node(NodeId::ROOT).children().len(), 1);
        assert_eq!(
            games[1].start().sfen().split(' ').next(),
            Some("lnsgkgsnl/1r5b1/ppppppppp/9/4g4/9/PPPPPPPPP/1B5R1/LNSGKGSNL")
        );
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            ["line 11: warning: several pieces on 5e: the last one counts"]
        );
        for (text, error) in [
            ("PI82KA\n+\n", "line 1: no KA stands on 8b to be taken off"),
            ("V2\nP1+XX\n", "line 2: `+XX` is no piece"),
            ("P+00OU\n", "line 1: OU cannot be in hand"),
            ("P+51OU52OU\n+\n", "line 2: black has more than one king"),
        ] {
            assert_eq!(start(text), Err(error.to_owned()), "{text}");
        }
    }

    #[test]
    fn statements_times_and_several_games() {
        let text = "V2.2\nN+A, B\nPI\n+\n'*start\n+7776FU,T12,-3334FU,T3\n'*a, b\n'not kept\n\
                    %TORYO,T5\n$END_TIME:2024\n/\nPI\n+\n+2726FU\nT1.25\n%+ILLEGAL_ACTION\n";
        let (games, problems) = read(text, &Rules::default()).finish().unwrap();
        assert!(problems.is_empty(), "{problems:?}");
        let [a, b] = [&games[0], &games[1]];
        assert_eq!(a.header(key::BLACK), Some("A, B"));
        assert_eq!(a.header(key::ENDED), Some("2024"));
        assert_eq!(a.node(NodeId::ROOT).comments, ["start"]);
        let times: Vec<_> = a.main_line().map(|id| a.node(id).time_ms).collect();
        assert_eq!(times, [Some(12_000), Some(3_000), Some(5_000)]);
        assert_eq!(a.ending(), Some(&Terminal::Resignation));
        assert_eq!(b.ending(), Some(&Terminal::FoulWin));
        assert_eq!(b.node(b.main_line().next().unwrap()).time_ms, Some(1250));
    }
}
