//! What the readers share: problems with their lines, and the growing tree.
//!
//! A record with faults is read as far as it makes sense. A move that is not legal
//! ends its line of moves: what came before is kept, the rest of that line is left
//! out, and a [`Problem`] says which line of the file broke which rule. An illegal
//! last move of a game that ended by it is no fault of the record.

use std::fmt;

use super::terminal::Terminal;
use super::text::{NotText, one_line, quote};
use super::tree::{Cursor, GameTree, NodeId, Step};
use super::{Encoding, Format};
use crate::shogi::{Move, Position};

/// More problems than this are not told one by one.
const MAX_PROBLEMS: usize = 100;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something was understood in spite of its form, or has no meaning for a game.
    Warning,
    /// A part of the record was left out.
    Error,
}

/// What is wrong with a record, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The line of the file, from 1; 0 for the file as a whole.
    pub line: usize,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Warning => "warning: ",
            Severity::Error => "",
        };
        match self.line {
            0 => write!(f, "{severity}{}", self.message),
            line => write!(f, "line {line}: {severity}{}", self.message),
        }
    }
}

/// The games of a file.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The games; at least one.
    pub games: Vec<GameTree>,
    /// What was wrong, by line.
    pub problems: Vec<Problem>,
    /// The format found.
    pub format: Format,
    /// The encoding found.
    pub encoding: Encoding,
}

impl Reading {
    /// The first problem that cost a part of the record.
    pub fn first_error(&self) -> Option<&Problem> {
        self.problems
            .iter()
            .find(|problem| problem.severity == Severity::Error)
    }
}

/// Why a file gives no game at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The file is no text.
    #[error(transparent)]
    NotText(#[from] NotText),
    /// Nothing in it looks like a game.
    #[error("not a game record (none of KIF, KI2, CSA, JKF, USI)")]
    Unknown,
    /// The position from which the game starts, or the frame of the file, is
    /// wrong: for a file of several games one problem each, though not too many.
    #[error("{}", list(.0))]
    Bad(Vec<Problem>),
}

/// Faults of games that are told, in one sentence, when none of a file could be read.
const MAX_REFUSED: usize = 10;

fn list(problems: &[Problem]) -> String {
    let sentences: Vec<String> = problems.iter().map(Problem::to_string).collect();
    sentences.join("; ")
}

impl ReadError {
    pub(super) fn at(line: usize, message: impl Into<String>) -> ReadError {
        let message: String = message.into();
        ReadError::Bad(vec![Problem {
            line,
            severity: Severity::Error,
            message: one_line(&message),
        }])
    }
}

/// Collects problems, not too many of them.
#[derive(Default)]
pub(super) struct Problems {
    list: Vec<Problem>,
    more: usize,
    /// Begins every message.
    prefix: String,
}

impl Problems {
    /// The problems of a game whose place in the file no line tells.
    pub fn with_prefix(prefix: String) -> Problems {
        Problems {
            prefix,
            ..Problems::default()
        }
    }

    pub fn add(&mut self, line: usize, severity: Severity, message: impl fmt::Display) {
        if self.list.len() >= MAX_PROBLEMS && severity == Severity::Warning {
            self.more += 1;
            return;
        }
        self.list.push(Problem {
            line,
            severity,
            message: one_line(&format!("{}{message}", self.prefix)),
        });
    }

    pub fn warn(&mut self, line: usize, message: impl fmt::Display) {
        self.add(line, Severity::Warning, message);
    }

    pub fn error(&mut self, line: usize, message: impl fmt::Display) {
        self.add(line, Severity::Error, message);
    }

    pub fn finish(mut self) -> Vec<Problem> {
        if self.more > 0 {
            let message = format!("{}{} more warnings", self.prefix, self.more);
            self.list.push(Problem {
                line: 0,
                severity: Severity::Warning,
                message,
            });
        }
        self.list
    }
}

/// The games of a file. A faulty one costs no other.
#[derive(Default)]
pub(super) struct Games {
    games: Vec<GameTree>,
    problems: Vec<Problem>,
    /// Why games could not be read at all.
    refused: Vec<Problem>,
}

impl Games {
    /// Takes what was read of a game.
    pub fn add(&mut self, game: Result<Builder, ReadError>) {
        match game {
            // The tree alone: the position in which it was read is large.
            Ok(builder) => {
                self.games.push(builder.tree);
                self.problems.extend(builder.problems.finish());
            }
            Err(ReadError::Bad(problems)) => self.refused.extend(problems),
            Err(_) => {}
        }
    }

    /// The games and all problems in the order of their lines.
    ///
    /// # Errors
    /// When there is no game: what was wrong with each, or with the first of them.
    pub fn finish(mut self) -> Result<(Vec<GameTree>, Vec<Problem>), ReadError> {
        if self.games.is_empty() && self.refused.is_empty() {
            return Err(ReadError::Unknown);
        }
        let told = if self.games.is_empty() {
            MAX_REFUSED
        } else {
            MAX_PROBLEMS
        };
        let more = self.refused.len().saturating_sub(told);
        self.refused.truncate(told);
        if more > 0 {
            self.refused.push(Problem {
                line: 0,
                severity: Severity::Error,
                message: format!("{more} more games cannot be read"),
            });
        }
        if self.games.is_empty() {
            return Err(ReadError::Bad(self.refused));
        }
        self.problems.append(&mut self.refused);
        // Those of the file as a whole stay behind.
        self.problems
            .sort_by_key(|problem| (problem.line == 0, problem.line));
        Ok((self.games, self.problems))
    }
}

/// A tree under construction.
pub(super) struct Builder {
    pub tree: GameTree,
    pub cursor: Cursor,
    pub problems: Problems,
    /// The line of moves ended by a bad move: what follows in it is left out.
    stopped: bool,
    /// The problem about a foul that may turn out to be the end of the game.
    foul: Option<usize>,
}

impl Builder {
    pub fn new(start: Position, problems: Problems) -> Builder {
        Builder {
            tree: GameTree::new(&start),
            cursor: Cursor::at_start(start),
            problems,
            stopped: false,
            foul: None,
        }
    }

    /// The position in which the next move is read.
    pub fn position(&self) -> &Position {
        self.cursor.position()
    }

    /// The number of the next entry of the line.
    pub fn next_ply(&self) -> u32 {
        self.tree.node(self.cursor.node()).ply() + 1
    }

    /// Whether no move leads to the entry that the line has come to.
    pub fn is_at_start(&self) -> bool {
        self.cursor.node() == NodeId::ROOT
    }

    /// Whether moves are left out until the next branch.
    pub fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Whether the line has ended.
    pub fn has_ended(&self) -> bool {
        matches!(self.tree.node(self.cursor.node()).step, Step::End(_))
    }

    /// The entry that comments and times belong to; `None` when it was left out.
    pub fn current(&mut self) -> Option<NodeId> {
        (!self.stopped).then(|| self.cursor.node())
    }

    /// Appends a move. `shown` is how the file writes it.
    pub fn play(&mut self, line: usize, shown: &str, m: Move) {
        if !self.open(line) {
            return;
        }
        let ply = self.next_ply();
        let before = self.cursor.node();
        if let Err(rule) = self.cursor.play(&mut self.tree, m) {
            let message = format!("move {ply} ({}) is not legal: {rule}", quote(shown));
            if self.cursor.node() == before {
                self.stopped = true;
            } else {
                self.foul = Some(self.problems.list.len());
            }
            self.problems.error(line, message);
        }
    }

    /// The line cannot go on: a move that cannot even be read.
    pub fn bad_move(&mut self, line: usize, message: impl fmt::Display) {
        if self.open(line) {
            let ply = self.next_ply();
            self.problems.error(line, format!("move {ply}: {message}"));
            self.stopped = true;
        }
    }

    /// Whether the line may go on.
    fn open(&mut self, line: usize) -> bool {
        if self.stopped {
            return false;
        }
        if self.foul.take().is_some() {
            self.stopped = true;
            return false;
        }
        if self.has_ended() {
            self.problems
                .error(line, "a move after the end of the line");
            self.stopped = true;
            return false;
        }
        true
    }

    /// Appends the end of the line.
    pub fn end(&mut self, line: usize, terminal: Terminal) {
        if self.stopped {
            return;
        }
        if self.has_ended() {
            self.problems
                .warn(line, "a second end of the line, left out");
            self.stopped = true;
            return;
        }
        if let Terminal::Other(word) = &terminal {
            let message = format!(
                "`{}` is no known way to end a game, kept as it is",
                quote(word)
            );
            self.problems.warn(line, message);
        }
        let terminal = match (self.foul.take(), terminal) {
            // The mover of the foul loses, whatever the word's side.
            (Some(foul), Terminal::FoulWin | Terminal::FoulLoss) => {
                self.problems.list[foul].severity = Severity::Warning;
                Terminal::FoulWin
            }
            (Some(foul), terminal) => {
                // Resigning after one's own foul was caught is usual.
                self.problems.list[foul].severity = Severity::Warning;
                terminal
            }
            (None, terminal) => terminal,
        };
        self.cursor.end(&mut self.tree, terminal);
    }

    /// The entries from which a branch with this number may leave a line that ends at
    /// `tip`: the one of this line, then that of the line which it left itself, and so on
    /// outwards. Lines that have no such entry are passed over.
    pub fn forks(&self, tip: NodeId, ply: u32) -> impl Iterator<Item = NodeId> + '_ {
        let tree = &self.tree;
        let mut next = (ply > 0).then_some(tip);
        std::iter::from_fn(move || {
            while let Some(tip) = next {
                let mut fork = tip;
                while tree.node(fork).ply() >= ply {
                    fork = tree.node(fork).parent()?;
                }
                // Up to where the line is another one than that which it left.
                let mut inner = tip;
                let left = loop {
                    match tree.node(inner).parent() {
                        Some(outer) if tree.node(outer).children().first() == Some(&inner) => {
                            inner = outer;
                        }
                        other => break other,
                    }
                };
                // Before that they are one.
                next = left
                    .filter(|&left| tree.node(left).ply() + 1 < ply)
                    .and_then(|left| tree.line_from(left).last());
                let node = tree.node(fork);
                if node.ply() + 1 == ply && matches!(node.step, Step::Start | Step::Move(_)) {
                    return Some(fork);
                }
            }
            None
        })
    }

    /// Whether an entry is on the way from the start to another one, or is that one.
    pub fn is_before(&self, early: NodeId, late: NodeId) -> bool {
        let ply = self.tree.node(early).ply();
        let mut node = late;
        while self.tree.node(node).ply() > ply {
            match self.tree.node(node).parent() {
                Some(parent) => node = parent,
                None => break,
            }
        }
        node == early
    }

    /// Goes to any entry.
    pub fn go_to(&mut self, node: NodeId) {
        self.cursor.go_to(&self.tree, node);
        self.stopped = false;
        self.foul = None;
    }

    /// Leaves out what follows, up to the next branch.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    pub fn comment(&mut self, text: &str) {
        if let Some(node) = self.current() {
            self.tree.node_mut(node).comments.push(text.to_owned());
        }
    }

    pub fn time(&mut self, line: usize, milliseconds: u64) {
        match self.current() {
            Some(NodeId::ROOT) => self.problems.warn(line, "a time before any move, left out"),
            Some(node) => self.tree.node_mut(node).time_ms = Some(milliseconds),
            None => {}
        }
    }
}
