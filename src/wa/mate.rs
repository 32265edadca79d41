//! What the mate solver asks of wa shogi: the arithmetic of hands behind
//! [`MateGame`], and how hard moves look.
//!
//! Without drops all hands are empty, and the board alone says which pieces are
//! left. A slider's check can be blocked, a jumper's cannot.

use super::attacks;
use super::hand::Hand;
use super::moves::{Move, Source};
use super::piece::PieceKind;
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::zobrist::splitmix64;
use crate::core::{Color, MoveList};
use crate::game::{HandSet, MateGame};

impl HandSet for Hand {
    const EMPTY: Hand = Hand::EMPTY;

    #[inline]
    fn to_bits(self) -> u64 {
        self.bits()
    }

    #[inline]
    fn from_bits(bits: u64) -> Hand {
        Hand::from_bits(bits)
    }

    #[inline]
    fn covers(self, other: Hand) -> bool {
        Hand::covers(self, other)
    }

    #[inline]
    fn max(self, other: Hand) -> Hand {
        Hand::max(self, other)
    }

    #[inline]
    fn min(self, other: Hand) -> Hand {
        Hand::min(self, other)
    }
}

impl Position {
    /// The kind in hand that a capture on the move's target yields.
    fn booty(&self, m: Move) -> Option<PieceKind> {
        let victim = self.piece_on(m.to())?;
        self.rules().drops.then(|| victim.kind.unpromoted())
    }
}

impl MateGame for Position {
    type Hand = Hand;

    fn is_mate_problem(&self) -> bool {
        let us = self.side_to_move();
        !self.is_attacked(us, self.king(!us), self.occupied())
    }

    #[inline]
    fn board_key(&self) -> u64 {
        Position::board_key(self)
    }

    fn piece_set_key(&self) -> u64 {
        if !self.rules().drops {
            // The pieces in play become fewer, and nothing is in hand.
            return 0;
        }
        let mut set = self.both_hands();
        let on_board = Square::all().filter_map(|square| self.piece_on(square));
        for piece in on_board.filter(|piece| piece.kind != PieceKind::King) {
            set.add(piece.kind.unpromoted());
        }
        splitmix64(set.bits()).1
    }

    #[inline]
    fn hand(&self, color: Color) -> Hand {
        Position::hand(self, color)
    }

    #[inline]
    fn after(&self, m: Move) -> (u64, Hand) {
        let mut hand = Position::hand(self, self.side_to_move());
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
    fn hand_before(&self, m: Move, after: Hand) -> Hand {
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
    fn generate_checks(&self, moves: &mut MoveList<Move>) {
        Position::generate_checks(self, moves);
    }

    #[inline]
    fn withheld(&self) -> Hand {
        let us = self.side_to_move();
        let Some(checker) = self.checkers().first() else {
            return Hand::EMPTY;
        };
        let blocks = self.evasion_targets(us, checker) - Bitboard::of(checker);
        if self.checkers().more_than_one() || blocks.is_empty() {
            return Hand::EMPTY;
        }
        Position::hand(self, !us).of_kinds_not_in(Position::hand(self, us))
    }

    #[inline]
    fn saturated(&self) -> Hand {
        self.both_hands()
            .of_kinds_in(Position::hand(self, self.side_to_move()))
    }

    #[inline]
    fn both_hands(&self) -> Hand {
        Position::hand(self, Color::Black).plus(Position::hand(self, Color::White))
    }

    #[inline]
    fn attack_group(&self, m: Move) -> Option<u32> {
        // The same move with and without a promotion that loses nothing.
        let from = m.from()?;
        let kind = self.piece_on(from)?.kind;
        attacks::PROMOTION_LOSES_NOTHING[kind.index()]
            .then(|| (from.index() * 128 + m.to().index()) as u32)
    }

    #[inline]
    fn defence_group(&self, m: Move) -> Option<u32> {
        m.is_drop().then(|| m.to().index() as u32)
    }

    #[inline]
    fn is_idle(&self, m: Move) -> bool {
        m.is_drop() && !self.is_attacked(self.side_to_move(), m.to(), self.occupied())
    }

    #[inline]
    fn attack_effort(&self, m: Move) -> (u32, u32) {
        let us = self.side_to_move();
        let from = m.from().map_or(Bitboard::EMPTY, Bitboard::of);
        let occupied = self.occupied() - from;
        let takers = self.attackers(!us, m.to(), occupied);
        let by_pieces = (takers - self.of_kind(PieceKind::King)).any();
        let loose = takers.any() && (self.attackers(us, m.to(), occupied) - from).is_empty();
        (1 + u32::from(by_pieces) + u32::from(loose), 1)
    }

    #[inline]
    fn defence_effort(&self, m: Move) -> (u32, u32) {
        if m.is_drop() {
            // Mostly taken by the checking piece, and for nothing if nothing guards it.
            (1, if self.is_idle(m) { 8 } else { 2 })
        } else if self.checkers().contains(m.to()) {
            (2, 1)
        } else {
            (1, 1)
        }
    }
}
