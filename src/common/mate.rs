//! What the mate solver asks of a game: the arithmetic of hands behind
//! [`MateGame`], and how hard moves look.
//!
//! Without drops all hands are empty, and the board alone says which pieces are
//! left.

use arrayvec::ArrayVec;

use super::movegen::Generate;
use super::play::Play;
use super::position::{Position, Set};
use super::{Hand, Kind, Move, Piece, Source};
use crate::core::zobrist::splitmix64;
use crate::core::{Bitboard, Color, MoveList, SquareIndex};
use crate::game::MateGame;

/// What a game knows of mates.
pub trait Mating: Generate {
    /// Where something can be put between the king of the side to move and the only
    /// piece that gives check.
    fn blocking_squares(position: &Position<Self>, checker: Self::Square) -> Set<Self>;

    /// Whether a piece that promotes by going to `to` still does all that it did.
    fn promotion_loses_nothing(color: Color, kind: Self::Kind, to: Self::Square) -> bool;

    /// See [`MateGame::is_mate_decisive`].
    fn is_mate_decisive(_rules: &Self::Rules) -> bool {
        true
    }

    /// See [`Game::mate_in_one`](crate::game::Game::mate_in_one).
    fn mate_in_one(_position: &Position<Self>) -> Option<Move<Self::Kind, Self::Square>> {
        None
    }

    /// See [`MateGame::mating_check`].
    fn mating_check(position: &mut Position<Self>) -> Option<Move<Self::Kind, Self::Square>> {
        let mut checks = MoveList::new();
        position.generate_checks(&mut checks);
        checks.into_iter().find(|&m| {
            position.make(m);
            let mated = !position.has_legal_move();
            position.unmake();
            mated
        })
    }
}

impl<F: Mating> Position<F> {
    /// The kind in hand that a capture on the move's target yields.
    fn booty(&self, m: Move<F::Kind, F::Square>) -> Option<F::Kind> {
        F::booty(&self.rules, self.piece_on(m.to())?.kind)
    }

    /// Where the king of the side not to move could go for all that its own pieces stand
    /// in its way, and which pieces keep it from there. (A king's ring has eight squares.)
    fn flights(&self) -> ArrayVec<(F::Square, Set<F>), 8> {
        let (us, them) = (self.side, !self.side);
        let Some(square) = self.king_square(them) else {
            return ArrayVec::new();
        };
        let king = Piece::new(them, F::Kind::KING);
        let occupied = self.occupied() - Bitboard::of(square);
        let ring = F::attacks(king, square, occupied) - self.pieces(them);
        ring.map(|to| (to, self.attackers(us, to, occupied)))
            .collect()
    }
}

impl<F: Play> MateGame for Position<F> {
    type Hand = Hand<F::Kind>;

    fn is_mate_problem(&self) -> bool {
        let us = self.side;
        let attacked = |king| self.is_attacked(us, king, self.occupied());
        F::protects_king(&self.rules) && !self.king_square(!us).is_some_and(attacked)
    }

    fn is_mate_decisive(&self) -> bool {
        F::is_mate_decisive(&self.rules)
    }

    #[inline]
    fn board_key(&self) -> u64 {
        Position::board_key(self)
    }

    fn piece_set_key(&self) -> u64 {
        if F::booty(&self.rules, F::Kind::PAWN).is_none() {
            // The pieces in play become fewer, and nothing is in hand.
            return 0;
        }
        let mut set = Position::both_hands(self);
        let on_board = self.occupied() - self.of_kind(F::Kind::KING);
        for piece in on_board.filter_map(|square| self.piece_on(square)) {
            set.add(piece.kind.unpromoted());
        }
        splitmix64(set.bits()).1
    }

    #[inline]
    fn hand(&self, color: Color) -> Self::Hand {
        Position::hand(self, color)
    }

    #[inline]
    fn after(&self, m: Self::Move) -> (u64, Self::Hand) {
        let mut hand = self.hands[self.side];
        match m.source() {
            Source::Hand(kind) => hand.remove(kind),
            Source::Board(_) => {
                if let Some(kind) = self.booty(m) {
                    hand.add(kind);
                }
            }
        }
        (self.keys_after(m).0, hand)
    }

    #[inline]
    fn hand_before(&self, m: Self::Move, after: Self::Hand) -> Self::Hand {
        let mut hand = after;
        match m.source() {
            Source::Hand(kind) => hand.add(kind),
            Source::Board(_) => {
                if let Some(kind) = self.booty(m)
                    && hand.has(kind)
                {
                    hand.remove(kind);
                }
            }
        }
        hand
    }

    #[inline]
    fn generate_checks(&self, moves: &mut MoveList<Self::Move>) {
        Position::generate_checks(self, moves);
    }

    #[inline]
    fn withheld(&self) -> Self::Hand {
        let us = self.side;
        let Some(checker) = self.checkers().first() else {
            return Hand::EMPTY;
        };
        if self.checkers().more_than_one() || F::blocking_squares(self, checker).is_empty() {
            return Hand::EMPTY;
        }
        self.hands[!us].of_kinds_not_in(self.hands[us])
    }

    #[inline]
    fn saturated(&self) -> Self::Hand {
        Position::both_hands(self).of_kinds_in(self.hands[self.side])
    }

    #[inline]
    fn both_hands(&self) -> Self::Hand {
        Position::both_hands(self)
    }

    #[inline]
    fn attack_group(&self, m: Self::Move) -> Option<u32> {
        // The same move with and without a promotion that loses nothing.
        let from = m.from()?;
        let kind = self.piece_on(from)?.kind;
        F::promotion_loses_nothing(self.side, kind, m.to()).then(|| from.bit() * 128 + m.to().bit())
    }

    #[inline]
    fn defence_group(&self, m: Self::Move) -> Option<u32> {
        // Drops on the same square are mostly taken by the same piece, and the proof
        // for the first helps with the rest.
        m.is_drop().then(|| m.to().bit())
    }

    #[inline]
    fn is_idle(&self, m: Self::Move) -> bool {
        m.is_drop() && !self.is_attacked(self.side, m.to(), self.occupied())
    }

    #[inline]
    fn attack_effort(&self) -> impl Fn(Self::Move) -> (u32, u32) {
        let us = self.side;
        let flights = self.flights();
        move |m| {
            let from = m.from().map_or(Bitboard::EMPTY, Bitboard::of);
            let to = Bitboard::of(m.to());
            let occupied = self.occupied() - from;
            let piece = Piece::new(us, self.moved_kind(m));
            let covered = F::attacks(piece, m.to(), occupied) | to;
            let free = flights
                .iter()
                .filter(|(square, guards)| {
                    !covered.contains(*square) && (*guards - from).is_empty()
                })
                .count() as u32;
            let takers = self.attackers(!us, m.to(), occupied);
            let king = self.of_kind(F::Kind::KING);
            let by_pieces = (takers - king).any();
            let loose = takers.any() && (self.attackers(us, m.to(), occupied) - from).is_empty();
            let by_king = loose && (takers & king).any();
            // Two for a move of the king; one if a piece takes, and one if it is for nothing.
            let pn = 1 + 2 * (free + u32::from(by_king)) + u32::from(by_pieces) + u32::from(loose);
            (pn, 2)
        }
    }

    #[inline]
    fn defence_effort(&self, m: Self::Move) -> (u32, u32) {
        if m.is_drop() {
            // Mostly taken by the checking piece, and for nothing if nothing guards it.
            (1, if self.is_idle(m) { 8 } else { 2 })
        } else if self.checkers().contains(m.to()) {
            (2, 2)
        } else {
            (1, 2)
        }
    }

    #[inline]
    fn mating_check(&mut self) -> Option<Self::Move> {
        F::mating_check(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{shogi, wa};

    fn hands_match<F: Play>(position: &Position<F>) {
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.make(m);
            let (key, hand) = MateGame::after(position, m);
            assert_eq!(key, next.board_key());
            let us = position.side_to_move();
            assert_eq!(hand, next.hand(us));
            assert_eq!(position.hand_before(m, hand), position.hand(us));
        }
    }

    #[test]
    fn hands_before_and_after_a_move() {
        let sfen = "4k4/4p4/9/9/4R4/9/9/9/4K4 b Gg 1";
        hands_match(&shogi::Position::from_sfen(sfen, &shogi::Rules::default()).unwrap());
        let sfen = "5k5/5p5/11/11/5E5/11/11/11/11/11/5K5 b Ff 1";
        hands_match(&wa::Position::from_sfen(sfen, &wa::Rules::default()).unwrap());
    }
}
