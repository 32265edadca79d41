//! What the mate solver asks of shogi: a test for mate in one, and the
//! arithmetic of hands behind [`MateGame`].
//!
//! Mate in one is decided without playing a move. The generator hands over its
//! sets of legal checks, and [`Finder`] asks of each check whether the king has a
//! flight, whether the checking piece can be taken, and whether anything can be
//! put in between, on the bitboards as they stand after the check. Most checks
//! fail at the first flight.

use super::attacks;
use super::hand::Hand;
use super::movegen::Sink;
use super::moves::{Move, Source};
use super::piece::{Piece, PieceKind};
use super::position::Position;
use super::rules::EnteringKingRule;
use super::square::{Bitboard, Square};
use crate::core::zobrist::splitmix64;
use crate::core::{Color, MoveList};
use crate::game::{HandSet, MateGame};

/// The board as it stands after a check that has not been played.
struct After<'a> {
    position: &'a Position,
    /// The checking side.
    us: Color,
    /// The king in check.
    king: Square,
    /// Where the piece came from; empty for a drop.
    from: Bitboard,
    to: Square,
    kind: PieceKind,
    /// All pieces.
    occupied: Bitboard,
    /// The defender's pieces.
    theirs: Bitboard,
}

impl After<'_> {
    /// What the moved piece attacks.
    fn moved_attacks(&self, occupied: Bitboard) -> Bitboard {
        attacks::attacks(Piece::new(self.us, self.kind), self.to, occupied)
    }

    /// The attacker's pieces, but for the moved one, that attack a square.
    fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        self.position.attackers(self.us, square, occupied) - self.from
    }

    /// Whether a piece of the defender, other than the king, can go to `target`
    /// without leaving the king in check from elsewhere.
    fn can_go_to(&self, target: Square) -> bool {
        let target_bit = Bitboard::of(target);
        let king = Bitboard::of(self.king);
        let movers =
            self.position.attackers(!self.us, target, self.occupied) & (self.theirs - king);
        movers.any_square(|mover| {
            let occupied = (self.occupied - Bitboard::of(mover)) | target_bit;
            let moved_checks =
                self.to != target && self.moved_attacks(occupied).contains(self.king);
            !moved_checks && (self.attackers(self.king, occupied) - target_bit).is_empty()
        })
    }

    /// Whether the defender can drop something on `target`, an empty square.
    fn can_drop_on(&self, target: Square) -> bool {
        let them = !self.us;
        let pawns = self.position.of_kind(PieceKind::Pawn) & self.theirs;
        self.position.hand(them).iter().any(|(kind, _)| {
            attacks::live_squares(them, kind).contains(target)
                && (kind != PieceKind::Pawn || (pawns & attacks::file_of(target)).is_empty())
        })
    }

    fn is_mate(&self) -> bool {
        let no_king = self.occupied - Bitboard::of(self.king);
        let covered = self.moved_attacks(no_king);
        let flights = attacks::king(self.king) - self.theirs - covered;
        if flights.any_square(|flight| self.attackers(flight, no_king).is_empty()) {
            return false;
        }
        let others = self.attackers(self.king, self.occupied);
        let direct = covered.contains(self.king);
        let checker = match others.first() {
            None if direct => self.to,
            Some(other) if !direct && !others.more_than_one() => other,
            None => return false,
            // Two pieces give check, and the king has no flight.
            Some(_) => return true,
        };
        if self.can_go_to(checker) {
            return false;
        }
        let between = attacks::between(self.king, checker);
        !between.any_square(|square| self.can_drop_on(square) || self.can_go_to(square))
    }
}

/// Takes legal checks and keeps the first that mates.
struct Finder<'a> {
    position: &'a Position,
    king: Square,
    found: Option<Move>,
}

impl Finder<'_> {
    #[inline]
    fn try_each(
        &mut self,
        to: Bitboard,
        kind: PieceKind,
        to_move: impl Fn(Square) -> Option<Move>,
    ) {
        for to in to {
            if self.found.is_some() {
                return;
            }
            let Some(m) = to_move(to) else { continue };
            let from = m.from().map_or(Bitboard::EMPTY, Bitboard::of);
            let us = self.position.side_to_move();
            let after = After {
                position: self.position,
                us,
                king: self.king,
                from,
                to,
                kind,
                occupied: (self.position.occupied() - from) | Bitboard::of(to),
                theirs: self.position.pieces(!us) - Bitboard::of(to),
            };
            if after.is_mate() {
                self.found = Some(m);
            }
        }
    }

    fn kind_on(&self, square: Square) -> PieceKind {
        self.position
            .piece_on(square)
            .map_or(PieceKind::Pawn, |piece| piece.kind)
    }
}

impl Sink for Finder<'_> {
    #[inline]
    fn moves(&mut self, from: Square, to: Bitboard) {
        self.try_each(to, self.kind_on(from), |to| Some(Move::board(from, to)));
    }

    #[inline]
    fn promotions(&mut self, from: Square, to: Bitboard) {
        let kind = self.kind_on(from);
        self.try_each(to, kind.promoted().unwrap_or(kind), |to| {
            Some(Move::promotion(from, to))
        });
    }

    #[inline]
    fn pawn_moves(&mut self, color: Color, to: Bitboard) {
        self.try_each(to, PieceKind::Pawn, |to| {
            let from = attacks::pawn(!color, to).first()?;
            Some(Move::board(from, to))
        });
    }

    #[inline]
    fn pawn_promotions(&mut self, color: Color, to: Bitboard) {
        self.try_each(to, PieceKind::ProPawn, |to| {
            let from = attacks::pawn(!color, to).first()?;
            Some(Move::promotion(from, to))
        });
    }

    #[inline]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        // The generator leaves out pawn drops that mate.
        if kind != PieceKind::Pawn {
            self.try_each(to, kind, |to| Some(Move::drop(kind, to)));
        }
    }
}

impl Position {
    /// A move that mates at once, if there is one.
    ///
    /// A defender's drop in between counts as an answer even in the freak case
    /// that it is a pawn that would mate the attacker (uchifuzume).
    pub fn mate_in_one(&self) -> Option<Move> {
        let mut finder = Finder {
            position: self,
            king: self.king(!self.side_to_move())?,
            found: None,
        };
        self.checks_into(&mut finder);
        finder.found
    }
}

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

/// The kind in hand that a capture on the move's target yields.
fn booty(position: &Position, m: Move) -> Option<PieceKind> {
    let victim = position.piece_on(m.to())?;
    (victim.kind != PieceKind::King).then(|| victim.kind.unpromoted())
}

impl MateGame for Position {
    type Hand = Hand;

    fn is_mate_problem(&self) -> bool {
        let us = self.side_to_move();
        self.rules().protects_king()
            && !(self.king(!us)).is_some_and(|king| self.is_attacked(us, king, self.occupied()))
    }

    fn is_mate_decisive(&self) -> bool {
        // By the try rule a king may flee from check to the square that wins.
        self.rules().entering_king != EnteringKingRule::TryRule
    }

    #[inline]
    fn board_key(&self) -> u64 {
        Position::board_key(self)
    }

    fn piece_set_key(&self) -> u64 {
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
                if let Some(kind) = booty(self, m) {
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
                if let Some(kind) = booty(self, m)
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
        let (Some(king), Some(checker)) = (self.king(us), self.checkers().first()) else {
            return Hand::EMPTY;
        };
        if self.checkers().more_than_one() || attacks::between(king, checker).is_empty() {
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
        let same = matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook)
            || kind == PieceKind::Lance
                && attacks::far_ranks(self.side_to_move(), 2).contains(m.to());
        same.then(|| (from.index() * 128 + m.to().index()) as u32)
    }

    #[inline]
    fn defence_group(&self, m: Move) -> Option<u32> {
        // Drops on the same square are mostly taken by the same piece, and the proof
        // for the first helps with the rest.
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
        // One more if a piece can take, and one if the king can, at least.
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

    #[inline]
    fn mating_check(&mut self) -> Option<Move> {
        Position::mate_in_one(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    /// Mate in one by playing every legal move.
    fn by_playing(position: &Position) -> Vec<Move> {
        let mut position = position.clone();
        let mut mates = Vec::new();
        for m in position.legal_moves() {
            position.make(m);
            if position.in_check_now() && !position.has_legal_move() {
                mates.push(m);
            }
            position.unmake();
        }
        mates
    }

    impl Position {
        fn in_check_now(&self) -> bool {
            self.checkers().any()
        }
    }

    /// Random games, in which the sides often check each other and hold much in
    /// hand.
    #[test]
    fn mate_in_one_equals_playing_every_move() {
        let mut state = 7;
        let mut random = move |n: usize| {
            let (next, value) = splitmix64(state);
            state = next;
            (value % n as u64) as usize
        };
        let (mut positions, mut mates) = (0, 0);
        for game in 0..400 {
            let mut position = match game % 2 {
                0 => Position::start(&Rules::default()),
                _ => Position::from_sfen(
                    "4k4/9/4p4/9/9/9/9/9/4K4 b RBGSNL6Prb3g3s3n3l11p 1",
                    &Rules::default(),
                )
                .unwrap(),
            };
            for _ in 0..200 {
                let moves = position.legal_moves();
                if moves.is_empty() {
                    break;
                }
                let expected = by_playing(&position);
                let found = position.mate_in_one();
                assert_eq!(found.is_some(), !expected.is_empty(), "{}", position.sfen());
                if let Some(m) = found {
                    assert!(expected.contains(&m), "{m} {}", position.sfen());
                    mates += 1;
                }
                let info = position.check_info();
                let mut checks = MoveList::new();
                position.generate_checks(&mut checks);
                let mut filtered = moves.clone();
                filtered.retain(|m| position.gives_check(*m, &info));
                assert_eq!(checks, filtered);
                positions += 1;
                let checks_wanted = !checks.is_empty() && random(3) == 0;
                let m = if checks_wanted {
                    checks[random(checks.len())]
                } else {
                    moves[random(moves.len())]
                };
                position.make(m);
            }
        }
        assert!(positions > 20_000 && mates > 300, "{positions} {mates}");
    }

    #[test]
    fn hands_before_and_after_a_move() {
        let position =
            Position::from_sfen("4k4/4p4/9/9/4R4/9/9/9/4K4 b Gg 1", &Rules::default()).unwrap();
        for m in position.legal_moves() {
            let mut next = position.clone();
            next.make(m);
            let (key, hand) = MateGame::after(&position, m);
            assert_eq!(key, next.board_key());
            assert_eq!(hand, next.hand(Color::Black));
            assert_eq!(position.hand_before(m, hand), position.hand(Color::Black));
        }
    }
}
