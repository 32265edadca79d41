//! What the move generators have in common: where they put what they find, and what
//! is asked of them.
//!
//! A generator works out the legal targets of each piece as a set and hands the sets
//! to a [`Sink`]: one sink writes moves to a list, another only counts.

use super::position::{Form, Position};
use super::{Kind, Move};
use crate::core::{Bitboard, MoveList, SquareIndex};
use crate::game::Stage;

/// Where a generator puts what it finds.
pub trait Sink<K: Kind, S: SquareIndex> {
    /// Takes the moves that `to_move` makes of the targets.
    fn add(&mut self, to: Bitboard<S>, to_move: impl Fn(S) -> Move<K, S>);

    /// Whether the generator may stop.
    #[inline]
    fn is_full(&self) -> bool {
        false
    }

    /// Takes the moves of the piece on `from`.
    #[inline]
    fn moves(&mut self, from: S, to: Bitboard<S>) {
        self.add(to, |to| Move::board(from, to));
    }

    /// Takes the promotions of the piece on `from`.
    #[inline]
    fn promotions(&mut self, from: S, to: Bitboard<S>) {
        self.add(to, |to| Move::promotion(from, to));
    }

    /// Takes the drops of a kind.
    #[inline]
    fn drops(&mut self, kind: K, to: Bitboard<S>) {
        self.add(to, |to| Move::drop(kind, to));
    }
}

/// Writes moves to a list. What does not fit is left out: that takes a position
/// with more pieces than the game has.
impl<K: Kind, S: SquareIndex> Sink<K, S> for MoveList<Move<K, S>> {
    #[inline]
    fn add(&mut self, to: Bitboard<S>, to_move: impl Fn(S) -> Move<K, S>) {
        for to in to {
            if self.try_push(to_move(to)).is_err() {
                return;
            }
        }
    }
}

/// Counts moves without writing them down.
#[derive(Default)]
pub struct Counter(pub usize);

impl<K: Kind, S: SquareIndex> Sink<K, S> for Counter {
    #[inline]
    fn add(&mut self, to: Bitboard<S>, _: impl Fn(S) -> Move<K, S>) {
        self.0 += to.count() as usize;
    }
}

/// The move generator of a game.
pub trait Generate: Form {
    /// What tells checking moves, for all moves of one position.
    type CheckInfo;

    /// Sends the legal moves of `stage` to a sink. With `useless` false,
    /// non-promotions that are never better than the promotion are left out.
    fn generate(
        position: &Position<Self>,
        stage: Stage,
        useless: bool,
        sink: &mut impl Sink<Self::Kind, Self::Square>,
    );

    /// Sends the legal moves that give check to a sink, useless non-promotions
    /// included.
    fn generate_checks(position: &Position<Self>, sink: &mut impl Sink<Self::Kind, Self::Square>);

    /// What [`Generate::gives_check`] needs.
    fn check_info(position: &Position<Self>) -> Self::CheckInfo;

    /// Whether a legal move gives check.
    fn gives_check(
        position: &Position<Self>,
        m: Move<Self::Kind, Self::Square>,
        info: &Self::CheckInfo,
    ) -> bool;

    /// Whether the promotion of a kind changes so much that it belongs to
    /// [`Stage::Noisy`] without a capture.
    fn promotes_noisily(kind: Self::Kind) -> bool;
}

impl<F: Generate> Position<F> {
    /// Appends the legal moves of `stage`. With `useless` false, non-promotions are
    /// left out where the promoted piece does all that the unpromoted one does.
    pub fn generate(
        &self,
        stage: Stage,
        useless: bool,
        moves: &mut MoveList<Move<F::Kind, F::Square>>,
    ) {
        F::generate(self, stage, useless, moves);
    }

    /// Appends the legal moves that give check, useless non-promotions included.
    pub fn generate_checks(&self, moves: &mut MoveList<Move<F::Kind, F::Square>>) {
        F::generate_checks(self, moves);
    }

    /// All legal moves, useless non-promotions included.
    pub fn legal_moves(&self) -> MoveList<Move<F::Kind, F::Square>> {
        let mut moves = MoveList::new();
        self.generate(Stage::All, true, &mut moves);
        moves
    }

    /// The number of legal moves, useless non-promotions included.
    pub fn count_moves(&self) -> usize {
        let mut counter = Counter::default();
        F::generate(self, Stage::All, true, &mut counter);
        counter.0
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_moves() > 0
    }

    /// What [`Position::gives_check`] needs, for all moves of this position.
    pub fn check_info(&self) -> F::CheckInfo {
        F::check_info(self)
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, m: Move<F::Kind, F::Square>, info: &F::CheckInfo) -> bool {
        F::gives_check(self, m, info)
    }
}
