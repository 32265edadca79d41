//! The move picker: hands out the moves of a node one by one, most promising
//! first, and generates each kind only when the ones before did not cut off.
//!
//! A small state machine ([`Step`]): the table's move, good captures by gain and
//! capture history, killers, quiet moves by history, and last the captures that
//! lose material by exchanges. In check all evasions come from one list; the
//! quiescence search stops after captures and, at its first ply, quiet checks.
//! Chess Programming Wiki: "Move Ordering", "Move Generation: Staged".

use arrayvec::ArrayVec;

use super::history::{Histories, Rows};
use super::params::{ORDER_EVASION_NOISY, ORDER_GAIN};
use crate::core::{MAX_MOVES, MoveList};
use crate::game::{Game, Stage};

/// What the picker does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    Killer(usize),
    GenerateQuiets,
    Quiets,
    BadNoisy,
    GenerateEvasions,
    Evasions,
    GenerateCaptures,
    Captures,
    GenerateChecks,
    Checks,
    Done,
}

/// Bits of a sorting key that hold the (complemented) place of the move, so
/// that the greatest key is the best move and ties go to the first one.
const PLACE_BITS: u32 = 10;
/// Greatest absolute value of a move's score.
const SCORE_LIMIT: i32 = (1 << 19) - 1;
/// Added to the keys of captures found bad, so that they sort after all others.
const BAD: i32 = -(1 << 30);
/// Keys below this one are bad.
const BAD_LIMIT: i32 = -(1 << 29);
/// Key of a move that was handed out.
const TAKEN: i32 = i32::MIN;

const _: () = assert!(MAX_MOVES < 1 << PLACE_BITS);

fn key(score: i32, place: usize) -> i32 {
    (score.clamp(-SCORE_LIMIT, SCORE_LIMIT) << PLACE_BITS) | ((1 << PLACE_BITS) - 1 - place as i32)
}

pub(super) struct Picker<G: Game> {
    step: Step,
    table_move: Option<G::Move>,
    after_table_move: Step,
    killers: [Option<G::Move>; 2],
    /// Whether quiet checks follow the captures.
    checks: bool,
    /// Whether useless moves are generated too.
    all: bool,
    skip_quiets: bool,
    moves: MoveList<G::Move>,
    keys: ArrayVec<i32, MAX_MOVES>,
    /// Where the current kind of moves begins in the list.
    start: usize,
    /// How many captures are at the front of the list.
    noisy: usize,
}

impl<G: Game> Picker<G> {
    /// `table_move` and `killers` may be illegal here; they are checked.
    fn new(table_move: Option<G::Move>, after_table_move: Step, all: bool) -> Self {
        Picker {
            step: Step::TableMove,
            table_move,
            after_table_move,
            killers: [None; 2],
            checks: false,
            all,
            skip_quiets: false,
            moves: MoveList::new(),
            keys: ArrayVec::new(),
            start: 0,
            noisy: 0,
        }
    }

    /// All moves of a node of the main search.
    pub fn main(
        table_move: Option<G::Move>,
        killers: [Option<G::Move>; 2],
        in_check: bool,
        all: bool,
    ) -> Self {
        let next = if in_check {
            Step::GenerateEvasions
        } else {
            Step::GenerateNoisy
        };
        Picker {
            killers,
            ..Self::new(table_move, next, all)
        }
    }

    /// The moves of a node of the quiescence search: all in check, else captures
    /// and, if `checks`, quiet checks.
    pub fn quiescence(
        table_move: Option<G::Move>,
        in_check: bool,
        checks: bool,
        all: bool,
    ) -> Self {
        let next = if in_check {
            Step::GenerateEvasions
        } else {
            Step::GenerateCaptures
        };
        Picker {
            checks,
            ..Self::new(table_move, next, all)
        }
    }

    /// Hands out no more quiet moves.
    pub fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move; legal, and never the same twice.
    pub fn next(&mut self, position: &G, histories: &Histories<G>, rows: &Rows) -> Option<G::Move> {
        loop {
            match self.step {
                Step::TableMove => {
                    self.step = self.after_table_move;
                    self.table_move = self.table_move.filter(|&m| position.is_legal(m));
                    if self.after_table_move == Step::GenerateCaptures {
                        self.table_move = self.table_move.filter(|&m| position.is_noisy(m));
                    }
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Step::GenerateNoisy => {
                    self.generate_noisy(position, histories);
                    self.step = Step::GoodNoisy;
                }
                Step::GoodNoisy => match self.best(self.noisy) {
                    Some(place) if self.keys[place] > BAD_LIMIT => {
                        let m = self.moves[place];
                        if position.see_ge(m, 0) {
                            self.keys[place] = TAKEN;
                            return Some(m);
                        }
                        self.keys[place] += BAD;
                    }
                    _ => self.step = Step::Killer(0),
                },
                Step::Killer(number) => {
                    self.step = match number {
                        0 => Step::Killer(1),
                        _ => Step::GenerateQuiets,
                    };
                    self.killers[number] = self.killers[number].filter(|&m| {
                        !self.skip_quiets
                            && Some(m) != self.table_move
                            && position.is_legal(m)
                            && !position.is_noisy(m)
                    });
                    if self.killers[number].is_some() {
                        return self.killers[number];
                    }
                }
                Step::GenerateQuiets => {
                    if self.skip_quiets {
                        self.step = Step::BadNoisy;
                        continue;
                    }
                    self.start = self.moves.len();
                    position.generate(Stage::Quiet, self.all, &mut self.moves);
                    for place in self.start..self.moves.len() {
                        let m = self.moves[place];
                        self.keys.push(if self.is_handed_out(m) {
                            TAKEN
                        } else {
                            key(histories.quiet(position, rows, m), place)
                        });
                    }
                    self.step = Step::Quiets;
                }
                Step::Quiets => {
                    let m = if self.skip_quiets {
                        None
                    } else {
                        self.take(self.moves.len())
                    };
                    if m.is_some() {
                        return m;
                    }
                    self.start = 0;
                    self.step = Step::BadNoisy;
                }
                Step::BadNoisy => {
                    let m = self.take(self.noisy);
                    if m.is_none() {
                        self.step = Step::Done;
                    }
                    return m;
                }
                Step::GenerateEvasions => {
                    position.generate(Stage::All, self.all, &mut self.moves);
                    for (place, &m) in self.moves.iter().enumerate() {
                        self.keys.push(if Some(m) == self.table_move {
                            TAKEN
                        } else if position.is_noisy(m) {
                            key(position.gain(m) * ORDER_GAIN + ORDER_EVASION_NOISY, place)
                        } else {
                            key(histories.quiet(position, rows, m), place)
                        });
                    }
                    self.step = Step::Evasions;
                }
                Step::Evasions | Step::Checks => {
                    let m = self.take(self.moves.len());
                    if m.is_none() {
                        self.step = Step::Done;
                    }
                    return m;
                }
                Step::GenerateCaptures => {
                    self.generate_noisy(position, histories);
                    self.step = Step::Captures;
                }
                Step::Captures => {
                    let m = self.take(self.noisy);
                    if m.is_some() {
                        return m;
                    }
                    self.step = if self.checks {
                        Step::GenerateChecks
                    } else {
                        Step::Done
                    };
                }
                Step::GenerateChecks => {
                    if self.skip_quiets {
                        self.step = Step::Done;
                        continue;
                    }
                    self.start = self.moves.len();
                    position.generate(Stage::QuietChecks, self.all, &mut self.moves);
                    for place in self.start..self.moves.len() {
                        let m = self.moves[place];
                        self.keys
                            .push(key(histories.quiet(position, rows, m), place));
                    }
                    self.step = Step::Checks;
                }
                Step::Done => return None,
            }
        }
    }

    fn generate_noisy(&mut self, position: &G, histories: &Histories<G>) {
        position.generate(Stage::Noisy, self.all, &mut self.moves);
        self.noisy = self.moves.len();
        for (place, &m) in self.moves.iter().enumerate() {
            self.keys.push(if Some(m) == self.table_move {
                TAKEN
            } else {
                let score = position.gain(m) * ORDER_GAIN + histories.capture.get(position, m);
                key(score, place)
            });
        }
    }

    fn is_handed_out(&self, m: G::Move) -> bool {
        Some(m) == self.table_move || self.killers.contains(&Some(m))
    }

    /// Place of the best move from `start` up to `end` that was not handed out.
    fn best(&self, end: usize) -> Option<usize> {
        let best = self.keys[self.start..end].iter().copied().max()?;
        let place = (1 << PLACE_BITS) - 1 - (best & ((1 << PLACE_BITS) - 1)) as usize;
        (best != TAKEN).then_some(place)
    }

    fn take(&mut self, end: usize) -> Option<G::Move> {
        let place = self.best(end)?;
        self.keys[place] = TAKEN;
        Some(self.moves[place])
    }
}
