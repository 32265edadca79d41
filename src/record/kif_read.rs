//! Reading KIF and KI2 (柿木義一, "棋譜ファイル KIF形式").
//!
//! Both formats share headers, diagrams, comments and branches; they differ in the
//! lines of moves, and a line shows which it is: a number, or a side's mark. Numbers
//! decide where a branch leaves, as programs renumber neither when they cut records.
//!
//! The formats have one game a file, but collections put several one behind the other:
//! headers among the moves belong to a next game when its first move follows.

use crate::core::Color;
use crate::shogi::{Position, Rules, Square};

use super::kif_head::{Head, is_board_row, is_handicap, is_head_line, is_kif_line, is_start};
use super::kif_move::MoveText;
use super::read::{Builder, Games, ReadError, Severity};
use super::terminal::Terminal;
use super::text::{lines, narrow, quote};
use super::tree::{NodeId, Step};

/// What may stand around words: full-width blanks, too.
pub(super) const BLANKS: [char; 3] = [' ', '\t', '\u{3000}'];
pub(super) const SIDES: [char; 9] = ['▲', '△', '▼', '▽', '☗', '☖', '▵', '⛊', '⛉'];

/// Enclosing lines that are asked whether a branch is theirs.
const OUTER_LINES: usize = 16;

/// What is said of a branch that is not where its format has it.
const OUTER: &str = "taken as a branch of an outer line, not of the one before it";

/// The side that a mark stands for, where all agree on it.
fn side_of(mark: char) -> Option<Color> {
    match mark {
        '▲' | '☗' => Some(Color::Black),
        '△' | '▽' | '☖' | '▵' => Some(Color::White),
        _ => None,
    }
}

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

/// Whether a line consists of moves and nothing else, though no side's mark begins it.
fn is_bare_moves(line: &str) -> bool {
    let mut rest = line;
    while let Ok(parsed) = MoveText::parse(rest) {
        rest = parsed.rest.trim_start_matches(BLANKS);
        rest = rest.trim_start_matches(SIDES).trim_start_matches(BLANKS);
        if rest.is_empty() {
            return true;
        }
    }
    false
}

/// Whether a text that was not expected begins with another move.
fn is_lost_move(text: &str) -> bool {
    let text = numbered(text).map_or(text, |(_, text)| text);
    let text = text.trim_start_matches(SIDES).trim_start_matches(BLANKS);
    MoveText::parse(text).is_ok()
}

/// The end of a line of moves that a text begins with, and what follows it. A word that
/// is not known goes up to the time; `None` when there is nothing.
pub(super) fn end_of(text: &str) -> (Option<Terminal>, &str) {
    let word = first_word(text);
    if let Some(terminal) = Terminal::from_kif(word) {
        return (Some(terminal), &text[word.len()..]);
    }
    let (body, rest) = text.split_at(text.rfind(['(', '（']).unwrap_or(text.len()));
    let word = body.trim_end_matches(['+', '＋']).trim_matches(BLANKS);
    let terminal = (!word.is_empty()).then(|| Terminal::Other(word.to_owned()));
    (terminal, rest)
}

fn first_word(text: &str) -> &str {
    text.split(|c| BLANKS.contains(&c) || matches!(c, '(' | '（' | '+'))
        .next()
        .unwrap_or("")
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

/// Reads the games of a file; the text is known to be KIF or KI2.
pub(super) fn read(text: &str, rules: &Rules) -> Games {
    let mut reader = Reader {
        rules,
        games: Games::default(),
        part: Part::Head(Box::default()),
        pending: Vec::new(),
    };
    for (number, line) in lines(text) {
        reader.line(number, line);
    }
    reader.finish()
}

/// What of a game is being read.
enum Part {
    Head(Box<Head>),
    Moves(Box<Game>),
    /// The moves of a game without a position to start from, left out.
    Nothing,
}

struct Reader<'a> {
    rules: &'a Rules,
    games: Games,
    part: Part,
    /// Lines among the moves that the head of a next game may begin with.
    pending: Vec<(usize, &'a str)>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, number: usize, line: &'a str) {
        let mut trimmed = line.trim_start_matches(BLANKS);
        let is_program = trimmed.starts_with('#') && !trimmed.starts_with("#KIF");
        if trimmed.is_empty() || is_program {
            return;
        }
        let is_note = trimmed.starts_with(['*', '&']);
        if !is_note {
            trimmed = trimmed.trim_end_matches(BLANKS);
        }
        let is_bare = || !self.has_numbers() && is_bare_moves(trimmed);
        let is_move = trimmed.starts_with(SIDES) || is_numbered_move(line) || is_bare();
        let is_title = trimmed.starts_with("手数--");
        let begins = is_move || is_title || trimmed.starts_with("まで");
        if !matches!(self.part, Part::Head(_)) && self.is_next_game(trimmed, begins) {
            self.next_game();
        }
        match &mut self.part {
            Part::Head(head) => {
                if !begins {
                    self.head_line(number, line);
                    return;
                }
                let head = std::mem::take(head);
                self.part = self.begin(*head);
                self.move_line(number, trimmed);
            }
            _ => {
                let is_pending = !self.pending.is_empty() && !trimmed.starts_with("変化");
                if !begins && (is_pending || !is_note && is_head_line(trimmed)) {
                    self.pending.push((number, line));
                    return;
                }
                self.give_back();
                self.move_line(number, trimmed);
            }
        }
    }

    /// Whether the lines that are pending, and this one, belong to a next game.
    fn is_next_game(&self, line: &str, begins: bool) -> bool {
        let is_under_way = match &self.part {
            Part::Moves(game) => game.builder.tree.node_count() > 1,
            _ => true,
        };
        if !begins {
            return false;
        }
        if let Some(starts) = self.pending_start() {
            return starts;
        }
        let is_first = match numbered(line) {
            _ if line.starts_with("手数--") => true,
            // Behind `変化：1手` it is a branch.
            Some((ply, _)) => ply == 1 && !self.pending.is_empty() && !self.is_at_start(),
            None => line.starts_with(SIDES) && self.is_pending(is_kif_line),
        };
        is_under_way && is_first
    }

    /// Whether a pending line is one of these.
    fn is_pending(&self, what: fn(&str) -> bool) -> bool {
        let mut lines = self.pending.iter();
        lines.any(|(_, line)| what(line.trim_matches(BLANKS)))
    }

    /// Whether the moves of the present game have numbers.
    fn has_numbers(&self) -> bool {
        matches!(&self.part, Part::Moves(game) if game.offset.is_some())
    }

    /// Whether the next move would be the first of the present game.
    fn is_at_start(&self) -> bool {
        matches!(&self.part, Part::Moves(game) if game.builder.is_at_start())
    }

    /// Whether the pending lines say how a next game starts; `None` when they say nothing
    /// of a start. A diagram of the board that the present game has come to only shows it.
    fn pending_start(&self) -> Option<bool> {
        if !self.is_pending(is_start) {
            return None;
        }
        let (Part::Moves(game), false) = (&self.part, self.is_pending(is_handicap)) else {
            return Some(true);
        };
        let mut head = Head::default();
        for &(number, line) in &self.pending {
            head.line(number, line);
        }
        let board = |position: &Position| position.sfen().split(' ').next().map(str::to_owned);
        let is_other = |shown: Position| board(&shown) != board(game.builder.position());
        Some(head.position(self.rules).map_or(true, is_other))
    }

    /// Takes the pending lines as the head of a next game.
    fn next_game(&mut self) {
        self.end_game();
        self.part = Part::Head(Box::default());
        for (number, line) in std::mem::take(&mut self.pending) {
            self.head_line(number, line);
        }
    }

    /// A line before the moves. A second diagram is one of another game.
    fn head_line(&mut self, number: usize, line: &str) {
        if let Part::Head(head) = &mut self.part
            && head.is_over_by(line.trim_matches(BLANKS))
        {
            let head = std::mem::take(head);
            self.part = self.begin(*head);
            self.end_game();
            self.part = Part::Head(Box::default());
        }
        if let Part::Head(head) = &mut self.part {
            head.line(number, line);
        }
    }

    /// Takes the pending lines as ones of the game that they stand in.
    fn give_back(&mut self) {
        for (number, line) in std::mem::take(&mut self.pending) {
            if let Part::Moves(game) = &mut self.part {
                game.late_line(number, line.trim_start_matches(BLANKS));
            }
        }
    }

    fn move_line(&mut self, number: usize, line: &str) {
        if let Part::Moves(game) = &mut self.part {
            game.line(number, line);
        }
    }

    fn begin(&mut self, head: Head) -> Part {
        match Game::begin(head, self.rules) {
            Ok(game) => Part::Moves(Box::new(game)),
            Err(error) => {
                self.games.add(Err(error));
                Part::Nothing
            }
        }
    }

    fn end_game(&mut self) {
        if let Part::Moves(game) = std::mem::replace(&mut self.part, Part::Nothing) {
            self.games.add(Ok(game.builder));
        }
    }

    fn finish(mut self) -> Games {
        if self.pending_start() == Some(true) {
            self.next_game();
        }
        self.give_back();
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Head(head) if head.understood => self.part = self.begin(*head),
            part => self.part = part,
        }
        self.end_game();
        self.games
    }
}

/// The part with the moves.
struct Game {
    builder: Builder,
    /// The target that 同 means before any move.
    last_target: Option<Square>,
    /// What numbers of the file are ahead of those of the tree.
    offset: Option<u32>,
    /// A branch without a move yet: the end of the line before it, and its number.
    branch: Option<(NodeId, u32)>,
}

impl Game {
    fn begin(mut head: Head, rules: &Rules) -> Result<Game, ReadError> {
        let position = head.position(rules)?;
        let mut builder = Builder::new(position, head.problems);
        builder.tree.headers = head.headers;
        let root = builder.tree.node_mut(NodeId::ROOT);
        root.comments = head.comments;
        root.bookmark = head.bookmark;
        Ok(Game {
            builder,
            last_target: head.last_target,
            offset: None,
            branch: None,
        })
    }

    fn line(&mut self, number: usize, line: &str) {
        let builder = &mut self.builder;
        if let Some(comment) = line.strip_prefix('*') {
            builder.comment(comment);
        } else if let Some(name) = line.strip_prefix('&') {
            if let Some(node) = builder.current() {
                let node = builder.tree.node_mut(node);
                match node.bookmark {
                    None => node.bookmark = Some(name.to_owned()),
                    Some(_) => node.comments.push(line.to_owned()),
                }
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
        } else if self.offset.is_none() && is_bare_moves(line) {
            self.ki2_moves(number, line);
        } else if !line.starts_with("手数") {
            let message = format!("neither a move nor a comment: `{}`", quote(line));
            builder.problems.warn(number, message);
        }
    }

    /// A line that belongs before the moves, but follows them.
    fn late_line(&mut self, number: usize, line: &str) {
        let header = line.trim_end_matches(BLANKS).split_once('：');
        match header {
            _ if line.starts_with(['*', '&']) => self.line(number, line),
            _ if line.starts_with("#KIF") => {}
            Some((key, value)) if !is_board_row(line) => {
                let header = (key.trim_matches(BLANKS), value.trim_matches(BLANKS));
                let message = format!("the header {} among the moves", quote(header.0));
                self.builder.problems.warn(number, message);
                let headers = &mut self.builder.tree.headers;
                headers.push((header.0.to_owned(), header.1.to_owned()));
            }
            _ => {
                let message = format!("neither a move nor a comment: `{}`", quote(line));
                self.builder.problems.warn(number, message);
            }
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
            .and_then(|ply| ply.checked_sub(self.offset.unwrap_or(0)))
            .unwrap_or(0);
        let builder = &mut self.builder;
        let tip = builder.cursor.node();
        // What a bad move cut off may be what the branch left.
        let is_own = |fork: &NodeId| !builder.is_stopped() || builder.is_before(*fork, tip);
        let fork = builder.forks(tip, ply).next().filter(is_own);
        let Some(fork) = fork else {
            let message = "the branch leaves from no move of the line before it; left out";
            builder.problems.error(number, message);
            builder.stop();
            return;
        };
        if !builder.is_before(fork, tip) {
            self.builder.problems.warn(number, OUTER);
        }
        let was_cut = self.builder.is_stopped();
        self.builder.go_to(fork);
        self.branch = (!was_cut).then_some((tip, ply));
    }

    /// Finds the line that a branch leaves by its first move: records that do not list
    /// branches from the last to the first name one of an outer line.
    fn find_branch(&mut self, number: usize, text: &str) {
        let Some((tip, ply)) = self.branch.take() else {
            return;
        };
        let here = self.builder.cursor.node();
        // Where the line itself breaks a rule, another try may break it, too.
        let is_foul = |line: &NodeId| {
            let node = self.builder.tree.node(*line);
            matches!(node.step, Step::Foul(..))
        };
        let breaks = self.builder.tree.node(here).children().iter().any(is_foul);
        if self.builder.next_ply() != ply || breaks || self.fits(text) {
            return;
        }
        let forks = self.builder.forks(tip, ply).take(OUTER_LINES);
        let others: Vec<NodeId> = forks.filter(|&fork| fork != here).collect();
        for fork in others {
            self.builder.go_to(fork);
            if self.fits(text) {
                self.builder.problems.warn(number, OUTER);
                return;
            }
        }
        self.builder.go_to(here);
    }

    /// Whether a text begins with a legal move.
    fn fits(&self, text: &str) -> bool {
        MoveText::parse(text)
            .and_then(|text| text.resolve(self.builder.position(), self.target()))
            .is_ok_and(|(m, _)| self.builder.position().is_legal(m))
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
        let mark = text.chars().next();
        let text = text.trim_start_matches(SIDES);
        let is_move = MoveText::begins(text);
        let ply = ply.saturating_sub(offset);
        if ply < next && ply > 0 && is_move {
            self.renumbered(number, ply, text);
        } else if ply != next {
            let message = format!(
                "number {} where {} was expected",
                ply.saturating_add(offset),
                next.saturating_add(offset)
            );
            builder.problems.warn(number, message);
        }
        if self.builder.is_stopped() {
            return;
        }
        let rest = if is_move {
            self.play(number, mark, text)
        } else {
            let (terminal, rest) = end_of(text);
            match terminal {
                Some(terminal) => self.builder.end(number, terminal),
                None => {
                    let message = "a number without a move";
                    self.builder.problems.warn(number, message);
                    return;
                }
            }
            rest
        };
        self.tail(number, rest);
    }

    /// What follows a move or an end in its line: the time, and the mark of a variation.
    fn tail(&mut self, number: usize, text: &str) {
        let text = text.trim_end_matches(['+', '＋']).trim_matches(BLANKS);
        let (before, spent, behind) = match text.split_once(['(', '（']) {
            None => (text, "", ""),
            Some((before, rest)) => {
                let (inner, behind) = rest.split_once([')', '）']).unwrap_or((rest, ""));
                let spent = inner.split(['/', '／']).next().unwrap_or(inner);
                (before, spent.trim_matches(BLANKS), behind)
            }
        };
        match time(spent) {
            Some(milliseconds) => self.builder.time(number, milliseconds),
            None if spent.is_empty() => {}
            None => {
                let message = format!("`{}` is no time", quote(spent));
                self.builder.problems.warn(number, message);
            }
        }
        for left in [before, behind] {
            let left = left.trim_matches(BLANKS);
            if !left.is_empty() {
                let severity = if is_lost_move(left) {
                    Severity::Error
                } else {
                    Severity::Warning
                };
                let message = format!("`{}` behind the move, left out", quote(left));
                self.builder.problems.add(number, severity, message);
            }
        }
    }

    /// A move whose number has been before: an alternative, unless it is legal only
    /// as what follows.
    fn renumbered(&mut self, number: usize, ply: u32, text: &str) {
        let here = self.builder.cursor.node();
        let Some(fork) = self.builder.forks(here, ply).next() else {
            return;
        };
        self.builder.go_to(fork);
        let fits = self.fits(text);
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

    /// Plays the move at the beginning of a text, behind the mark of its side if it has
    /// one, and returns what follows it.
    fn play<'a>(&mut self, number: usize, mark: Option<char>, text: &'a str) -> &'a str {
        self.find_branch(number, text);
        if let Some(mark) = mark
            && side_of(mark).is_some_and(|side| side != self.builder.position().side_to_move())
        {
            let message = format!("the mark {mark} is not that of the side to move");
            self.builder.problems.warn(number, message);
        }
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
        let mut rest = if self.builder.is_stopped() { "" } else { line };
        while !rest.is_empty() {
            let mark = rest.chars().next();
            rest = rest.trim_start_matches(SIDES).trim_start_matches(BLANKS);
            if rest.is_empty() {
                let message = "the mark of a side without a move";
                self.builder.problems.warn(number, message);
                return;
            }
            if MoveText::begins(rest) {
                rest = self.play(number, mark, rest);
            } else {
                let word = first_word(rest);
                let word = word.split(SIDES).next().unwrap_or(word);
                match Terminal::from_kif(word) {
                    Some(terminal) => self.builder.end(number, terminal),
                    None => {
                        let message = format!("`{}` is no move", quote(word));
                        self.builder.bad_move(number, message);
                    }
                }
                rest = &rest[word.len()..];
            }
            if self.builder.is_stopped() {
                return;
            }
            // A time, or whatever stands before the next move.
            rest = rest.trim_start_matches(BLANKS);
            if !MoveText::begins(rest) {
                let (between, next) = rest.split_at(rest.find(SIDES).unwrap_or(rest.len()));
                self.tail(number, between);
                rest = next;
            }
        }
    }
}
