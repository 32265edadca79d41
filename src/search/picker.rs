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
use super::params::{order_evasion_noisy, order_gain};
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
                            key(
                                position.gain(m) * order_gain() + order_evasion_noisy(),
                                place,
                            )
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
                let score = position.gain(m) * order_gain() + histories.capture.get(position, m);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::{CONTINUATION_PLIES, PieceTo};
    use crate::shogi::{Move, Position, Rules};

    const POSITIONS: [&str; 3] = [
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        // In check.
        "4k4/9/9/9/9/9/4r4/9/4K4 b 2G2S2P 1",
    ];

    fn picked(mut picker: Picker<Position>, position: &Position) -> Vec<Move> {
        let histories = Histories::new();
        let rows = [PieceTo::none::<Position>(); CONTINUATION_PLIES.len()];
        std::iter::from_fn(|| picker.next(position, &histories, &rows)).collect()
    }

    fn sorted(mut moves: Vec<Move>) -> Vec<String> {
        moves.sort_by_key(|m| m.to_string());
        moves.iter().map(Move::to_string).collect()
    }

    #[test]
    fn every_move_comes_once() {
        for text in POSITIONS {
            let position = Position::from_sfen(text, &Rules::default()).unwrap();
            let mut legal = MoveList::new();
            position.generate(Stage::All, false, &mut legal);
            let legal: Vec<_> = legal.into_iter().collect();
            for &first in &legal {
                let killers = [legal.last().copied(), Some(first)];
                let in_check = position.in_check();
                let picker = Picker::main(Some(first), killers, in_check, false);
                let moves = picked(picker, &position);
                assert_eq!(moves[0], first);
                assert_eq!(sorted(moves), sorted(legal.clone()));
            }
            // Moves that are illegal here are passed over.
            let foreign = Move::from_usi("5e5d");
            let picker = Picker::main(foreign, [foreign; 2], position.in_check(), false);
            assert_eq!(sorted(picked(picker, &position)), sorted(legal));
        }
    }

    #[test]
    fn quiescence_gets_captures_and_checks() {
        let position = Position::from_sfen(POSITIONS[1], &Rules::default()).unwrap();
        let mut expected = MoveList::new();
        position.generate(Stage::Noisy, false, &mut expected);
        let captures: Vec<_> = expected.iter().copied().collect();
        position.generate(Stage::QuietChecks, false, &mut expected);
        let with_checks = expected.into_iter().collect();
        let table_move = captures.last().copied();
        for (checks, expected) in [(false, captures), (true, with_checks)] {
            let picker = Picker::quiescence(table_move, false, checks, false);
            assert_eq!(sorted(picked(picker, &position)), sorted(expected));
        }
    }

    #[test]
    fn bad_captures_come_last() {
        // The rook may take a defended pawn, or an undefended one.
        let text = "4k4/9/9/9/4p4/1p2R2p1/9/9/4K4 b - 1";
        let position = Position::from_sfen(text, &Rules::default()).unwrap();
        let moves = picked(Picker::main(None, [None; 2], false, false), &position);
        let good: Vec<_> = moves
            .iter()
            .take_while(|&&m| position.is_noisy(m))
            .collect();
        assert!(good.iter().all(|&&m| position.see_ge(m, 0)));
        assert_eq!(good.len(), 3);
    }
}
