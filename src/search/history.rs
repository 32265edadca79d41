//! Histories: what earlier cut-offs teach about moves.
//!
//! Each table holds for a kind of move how often it was the one that refuted
//! the position, against how often it was tried in vain (J. Schaeffer, "The
//! history heuristic and alpha-beta search enhancements in practice", 1989).
//! Entries move towards their bound by "gravity": the nearer they are, the less
//! a further bonus adds, so that recent experience outweighs the old.
//!
//! Quiet moves have a main history (by side and move) and continuation
//! histories (by what was played one, two, four and six plies before); captures have
//! one by moved piece, target square and captured piece. Each search thread
//! owns its tables. Chess Programming Wiki: "History Heuristic".

use std::marker::PhantomData;

use super::params::{correction_bonus, correction_weight};
use crate::core::{Color, Score};
use crate::game::{Game, GameMove};

/// Entries lie between minus and plus this.
pub const LIMIT: i32 = 16_384;

/// Moves `entry` towards the bound that `bonus` points to.
fn apply(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    let value = i32::from(*entry);
    *entry = (value + bonus - value * bonus.abs() / LIMIT) as i16;
}

fn zeros(len: usize) -> Box<[i16]> {
    vec![0; len].into_boxed_slice()
}

/// History of quiet moves by side and move.
pub struct MainHistory(Box<[i16]>);

impl MainHistory {
    fn index<M: GameMove>(side: Color, m: M) -> usize {
        side.index() << 16 | usize::from(m.to_bits())
    }

    /// The value of `m` played by `side`.
    #[inline]
    pub fn get<M: GameMove>(&self, side: Color, m: M) -> i32 {
        i32::from(self.0[Self::index(side, m)])
    }

    /// Rewards (or with a negative bonus punishes) `m`.
    pub fn update<M: GameMove>(&mut self, side: Color, m: M, bonus: i32) {
        apply(&mut self.0[Self::index(side, m)], bonus);
    }
}

/// History of captures by moved piece, target square and captured piece.
pub struct CaptureHistory<G>(Box<[i16]>, PhantomData<fn(G)>);

impl<G: Game> CaptureHistory<G> {
    fn index(position: &G, m: G::Move) -> usize {
        // Promotions that capture nothing use the last column.
        let captured = position.captured_piece(m).unwrap_or(G::PIECES);
        (position.moved_piece(m) * G::SQUARES + m.to_index()) * (G::PIECES + 1) + captured
    }

    /// The value of the noisy move `m`.
    #[inline]
    pub fn get(&self, position: &G, m: G::Move) -> i32 {
        i32::from(self.0[Self::index(position, m)])
    }

    /// Rewards (or with a negative bonus punishes) `m`.
    pub fn update(&mut self, position: &G, m: G::Move, bonus: i32) {
        apply(&mut self.0[Self::index(position, m)], bonus);
    }
}

/// A piece arriving on a square: the row of the continuation history that an
/// earlier move selects, or the column of the move that follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(usize);

impl PieceTo {
    /// The row of "no such move": before the root, or a pass. All zeros.
    pub fn none<G: Game>() -> Self {
        PieceTo(G::PIECES * G::SQUARES)
    }

    /// What `m` does in `position`.
    #[inline]
    pub fn of<G: Game>(position: &G, m: G::Move) -> Self {
        PieceTo(position.moved_piece(m) * G::SQUARES + m.to_index())
    }
}

/// How many plies back the continuation histories look.
pub const CONTINUATION_PLIES: [usize; 4] = [1, 2, 4, 6];

/// The rows that the moves before a node select, in the order of
/// [`CONTINUATION_PLIES`].
pub type Rows = [PieceTo; CONTINUATION_PLIES.len()];

/// History of quiet moves as answers to (or follow-ups of) an earlier move.
pub struct ContinuationHistory<G>(Box<[i16]>, PhantomData<fn(G)>);

impl<G: Game> ContinuationHistory<G> {
    const WIDTH: usize = G::PIECES * G::SQUARES;

    /// Sum over the rows of the value of the move.
    #[inline]
    pub fn get(&self, rows: &Rows, m: PieceTo) -> i32 {
        rows.iter()
            .map(|row| i32::from(self.0[row.0 * Self::WIDTH + m.0]))
            .sum()
    }

    /// Rewards (or with a negative bonus punishes) the move in all rows.
    pub fn update(&mut self, rows: &Rows, m: PieceTo, bonus: i32) {
        for row in rows.iter().filter(|&&row| row != PieceTo::none::<G>()) {
            apply(&mut self.0[row.0 * Self::WIDTH + m.0], bonus);
        }
    }
}

/// How many different structures the tables by structure key tell apart.
const STRUCTURES: usize = 1 << 14;

/// How far the static evaluation was off in earlier positions with the same
/// structure (pawns; pieces in hand) or after the same move ("Static Evaluation
/// Correction History", Chess Programming Wiki).
pub struct CorrectionHistory<G> {
    structures: Box<[i16]>,
    moves: Box<[i16]>,
    game: PhantomData<fn(G)>,
}

impl<G: Game> CorrectionHistory<G> {
    fn structure(position: &G, number: usize, key: u64) -> usize {
        let row = number * 2 + position.side_to_move().index();
        row * STRUCTURES + key as usize % STRUCTURES
    }

    /// What to add to the static evaluation, in centipawns.
    #[inline]
    pub fn get(&self, position: &G, last: PieceTo) -> Score {
        let mut sum = i32::from(self.moves[last.0]);
        for (number, key) in position.structure_keys().into_iter().enumerate() {
            sum += i32::from(self.structures[Self::structure(position, number, key)]);
        }
        sum * correction_weight() / LIMIT
    }

    /// Learns that a search of `depth` plies found the evaluation too low by
    /// `error` centipawns.
    pub fn update(&mut self, position: &G, last: PieceTo, depth: i32, error: Score) {
        let bonus = (error * depth * correction_bonus()).clamp(-LIMIT / 4, LIMIT / 4);
        apply(&mut self.moves[last.0], bonus);
        for (number, key) in position.structure_keys().into_iter().enumerate() {
            let index = Self::structure(position, number, key);
            apply(&mut self.structures[index], bonus);
        }
    }
}

/// All histories of one thread.
pub struct Histories<G> {
    /// Quiet moves by side and move.
    pub main: MainHistory,
    /// Noisy moves.
    pub capture: CaptureHistory<G>,
    /// Quiet moves by what was played before.
    pub continuation: ContinuationHistory<G>,
    /// Errors of the static evaluation.
    pub correction: CorrectionHistory<G>,
}

impl<G: Game> Histories<G> {
    /// Empty histories. Their memory comes zeroed from the operating system,
    /// so this takes no time.
    pub fn new() -> Self {
        let width = G::PIECES * G::SQUARES;
        Histories {
            main: MainHistory(zeros(2 << 16)),
            capture: CaptureHistory(zeros(width * (G::PIECES + 1)), PhantomData),
            continuation: ContinuationHistory(zeros((width + 1) * width), PhantomData),
            correction: CorrectionHistory {
                structures: zeros(4 * STRUCTURES),
                moves: zeros(width + 1),
                game: PhantomData,
            },
        }
    }

    /// Has the operating system hand out all of the memory now; changes nothing.
    pub fn touch(&mut self) {
        const PAGE: usize = 4096 / size_of::<i16>();
        for table in [
            &mut self.main.0,
            &mut self.capture.0,
            &mut self.continuation.0,
            &mut self.correction.structures,
            &mut self.correction.moves,
        ] {
            for entry in table.iter_mut().step_by(PAGE) {
                *entry = std::hint::black_box(*entry);
            }
        }
    }

    /// Forgets everything. The memory stays, and with it the pages that the
    /// operating system has handed out.
    pub fn clear(&mut self) {
        self.main.0.fill(0);
        self.capture.0.fill(0);
        self.continuation.0.fill(0);
        self.correction.structures.fill(0);
        self.correction.moves.fill(0);
    }

    /// What is expected of the quiet move `m`.
    #[inline]
    pub fn quiet(&self, position: &G, rows: &Rows, m: G::Move) -> i32 {
        self.main.get(position.side_to_move(), m)
            + self.continuation.get(rows, PieceTo::of(position, m))
    }

    /// Rewards (or with a negative bonus punishes) the quiet move `m`.
    pub fn update_quiet(&mut self, position: &G, rows: &Rows, m: G::Move, bonus: i32) {
        self.main.update(position.side_to_move(), m, bonus);
        self.continuation
            .update(rows, PieceTo::of(position, m), bonus);
    }
}

impl<G: Game> Default for Histories<G> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_changes_nothing() {
        let mut histories = Histories::<crate::shogi::Position>::new();
        for entry in [0, 1, 2048] {
            histories.main.0[entry] = entry as i16;
            histories.continuation.0[entry] = -1;
        }
        histories.touch();
        for entry in [0, 1, 2048] {
            assert_eq!(histories.main.0[entry], entry as i16);
            assert_eq!(histories.continuation.0[entry], -1);
        }
    }

    #[test]
    fn gravity_keeps_entries_in_bounds() {
        let mut entry = 0;
        for _ in 0..10_000 {
            apply(&mut entry, 1500);
            assert!(i32::from(entry) <= LIMIT);
        }
        assert!(i32::from(entry) > LIMIT * 9 / 10);
        apply(&mut entry, -LIMIT * 2);
        assert_eq!(i32::from(entry), -LIMIT);
    }

    #[test]
    fn recent_experience_outweighs_the_old() {
        let mut entry = 0;
        for _ in 0..50 {
            apply(&mut entry, 1000);
        }
        let praised = entry;
        apply(&mut entry, -1000);
        assert!(i32::from(praised - entry) > 1000);
    }
}
