//! What shogi knows of mates: first of all, whether there is a mate in one.
//!
//! That is decided without playing a move. The generator hands over its sets of
//! legal checks, and [`Finder`] asks of each check whether the king has a
//! flight, whether the checking piece can be taken, and whether anything can be
//! put in between, on the bitboards as they stand after the check. Most checks
//! fail at the first flight.

use super::Move;
use super::attacks;
use super::piece::{Piece, PieceKind};
use super::position::{Position, Shogi};
use super::rules::{EnteringKingRule, Rules};
use super::square::{Bitboard, Square};
use crate::common::{Generate, Mating, Sink};
use crate::core::Color;

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

impl Sink<PieceKind, Square> for Finder<'_> {
    #[inline]
    fn add(&mut self, to: Bitboard, to_move: impl Fn(Square) -> Move) {
        let position = self.position;
        let us = position.side_to_move();
        for to in to {
            if self.found.is_some() {
                return;
            }
            let m = to_move(to);
            let from = m.from().map_or(Bitboard::EMPTY, Bitboard::of);
            let after = After {
                position,
                us,
                king: self.king,
                from,
                to,
                kind: position.moved_kind(m),
                occupied: (position.occupied() - from) | Bitboard::of(to),
                theirs: position.pieces(!us) - Bitboard::of(to),
            };
            if after.is_mate() {
                self.found = Some(m);
            }
        }
    }

    #[inline]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        // The generator leaves out pawn drops that mate.
        if kind != PieceKind::Pawn {
            self.add(to, |to| Move::drop(kind, to));
        }
    }
}

impl Position {
    /// A move that mates at once, if there is one.
    ///
    /// A defender's drop in between counts as an answer even in the freak case
    /// that it is a pawn that would mate the attacker (uchifuzume).
    pub fn find_mate(&self) -> Option<Move> {
        let mut finder = Finder {
            position: self,
            king: self.king(!self.side_to_move())?,
            found: None,
        };
        Shogi::generate_checks(self, &mut finder);
        finder.found
    }
}

impl Mating for Shogi {
    #[inline]
    fn blocking_squares(position: &Position, checker: Square) -> Bitboard {
        position
            .king(position.side_to_move())
            .map_or(Bitboard::EMPTY, |king| attacks::between(king, checker))
    }

    #[inline]
    fn promotion_loses_nothing(color: Color, kind: PieceKind, to: Square) -> bool {
        matches!(kind, PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook)
            || kind == PieceKind::Lance && attacks::far_ranks(color, 2).contains(to)
    }

    fn is_mate_decisive(rules: &Rules) -> bool {
        // By the try rule a king may flee from check to the square that wins.
        rules.entering_king != EnteringKingRule::TryRule
    }

    fn mate_in_one(position: &Position) -> Option<Move> {
        // A king left to be captured is another matter.
        let standard = position.rules().protects_king();
        standard.then(|| position.find_mate()).flatten()
    }

    #[inline]
    fn mating_check(position: &mut Position) -> Option<Move> {
        position.find_mate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::MoveList;
    use crate::core::zobrist::splitmix64;

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
                let found = position.find_mate();
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
}
