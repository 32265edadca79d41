//! The book that the options ask for.
//!
//! It is loaded when the engine gets ready and kept until the options, or the file,
//! change. A book that cannot be had is said once, and the engine plays without.

use rand::rng;

use super::options::{Id, Options};
use super::output::format_best;
use crate::book::choose::{BookOptions, Choice, choose};
use crate::book::source::{Opened, Source, resolve};
use crate::book::{Book, BookMove};
use crate::search::info::{BestMove, Bound, Info};
use crate::shogi::{Move, Position};

/// Candidates that the note on a book move names.
const NAMED_CANDIDATES: usize = 6;

/// The options that decide which book is opened and how.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Wanted {
    file: String,
    dir: String,
    on_the_fly: bool,
}

impl Wanted {
    fn by(options: &Options) -> Self {
        // The other rules are another game, which no book is made for.
        let used = options.check(Id::OwnBook) && options.rules().variant == "shogi";
        Wanted {
            file: match used {
                true => options.string(Id::BookFile),
                false => String::new(),
            },
            dir: options.string(Id::BookDir),
            on_the_fly: options.check(Id::BookOnTheFly),
        }
    }
}

/// Holds the book.
#[derive(Default)]
pub struct Shelf {
    wanted: Option<Wanted>,
    source: Option<Source>,
    /// Why there is no book, as it was told.
    problem: Option<String>,
    book: Option<Book>,
}

impl Shelf {
    /// Whether the book is the one that the options ask for.
    pub fn is_current(&self, options: &Options) -> bool {
        self.wanted.as_ref() == Some(&Wanted::by(options))
    }

    /// Whether the file is no longer the one that was read, or has come into being.
    pub fn is_stale(&self) -> bool {
        let found = self
            .wanted
            .as_ref()
            .and_then(|wanted| resolve(&wanted.file, &wanted.dir).ok());
        found != self.source
    }

    /// Gets the book that the options ask for; returns what the user should know.
    pub fn refresh(&mut self, options: &Options) -> Vec<String> {
        let wanted = Wanted::by(options);
        let again = self.wanted.as_ref() == Some(&wanted);
        let told = self.problem.take().filter(|_| again);
        // The old book goes first: both may be too much.
        self.book = None;
        self.source = None;
        let opened = resolve(&wanted.file, &wanted.dir).and_then(|source| {
            let opened = source.open(wanted.on_the_fly);
            self.source = Some(source);
            opened
        });
        self.wanted = Some(wanted);
        let note = match opened {
            Ok(None) => None,
            Ok(Some(opened)) => {
                let note = self
                    .source
                    .as_ref()
                    .and_then(|source| remark(source, &opened));
                self.book = Some(opened.book);
                note
            }
            Err(error) => {
                let note = format!("{error}; playing without a book");
                self.problem = Some(note.clone());
                Some(note).filter(|note| told.as_ref() != Some(note))
            }
        };
        note.map(|note| format!("warning: {note}"))
            .into_iter()
            .collect()
    }

    /// A move for a position, from the book.
    pub fn choose(&self, position: &Position, options: &BookOptions) -> Option<Choice> {
        choose(self.book.as_ref()?, position, options, &mut rng())
    }
}

/// What is wrong with a book that was opened.
fn remark(source: &Source, opened: &Opened) -> Option<String> {
    let damages = &opened.damages;
    let mut faults: Vec<String> = opened.warning.clone().into_iter().collect();
    if let Some(first) = damages.first.first() {
        faults.push(match damages.total {
            1 => format!("has a damaged line, which is skipped: {first}"),
            total => format!("has {total} damaged lines, which are skipped; {first}"),
        });
    }
    (!faults.is_empty()).then(|| format!("the book {} {}", source.name(), faults.join("; ")))
}

/// The note on a book move: where it is from.
pub fn note(choice: &Choice) -> String {
    let named: Vec<String> = choice
        .candidates
        .iter()
        .take(NAMED_CANDIDATES)
        .map(describe)
        .collect();
    let more = match choice.candidates.len().saturating_sub(NAMED_CANDIDATES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("book: {} from {}{more}", choice.chosen.mv, named.join(", "))
}

fn describe(m: &BookMove) -> String {
    match (m.eval, m.depth) {
        (Some(eval), Some(depth)) => format!("{} ({eval} cp, depth {depth})", m.mv),
        (Some(eval), None) => format!("{} ({eval} cp)", m.mv),
        (None, _) => m.mv.to_string(),
    }
}

/// The report of a book move. An unknown score is printed as 0: GUIs want one.
pub fn info(choice: &Choice, pv_moves: usize) -> Info<Move> {
    let depth = choice.chosen.depth.unwrap_or(0);
    let pv: Vec<Move> = choice.line.iter().copied().take(pv_moves).collect();
    Info {
        depth,
        seldepth: depth,
        multi_pv: 1,
        multi_pv_count: 1,
        score: choice.chosen.eval.unwrap_or(0),
        bound: Bound::Exact,
        time: 0,
        nodes: 0,
        hashfull: 0,
        pv,
    }
}

/// The answer line of a book move.
pub fn answer(choice: &Choice) -> String {
    format_best(&BestMove::Move {
        best: choice.chosen.mv,
        ponder: choice.line.get(1).copied(),
    })
}
