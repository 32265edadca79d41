//! Whether a move is legal, and if not, which rule it breaks.
//!
//! The rules are tested in a fixed order, that of [`IllegalMove`]: from the
//! plainest (no such piece) to the subtlest (uchifuzume); the first one broken is
//! named. The move generators apply the same rules to whole sets of squares; the
//! tests hold the two against each other.

use super::position::{Form, Position, Set};
use super::{IllegalMove, Kind, Move, Piece, Source};
use crate::core::{Bitboard, SquareIndex};

type Verdict<F, T = ()> = Result<T, IllegalMove<<F as Form>::Kind, <F as Form>::Square>>;

impl<F: Form> Position<F> {
    /// Reads a move in USI notation and checks that it is legal.
    pub fn parse_move(&self, text: &str) -> Verdict<F, Move<F::Kind, F::Square>> {
        let m = Move::from_usi(text).ok_or_else(|| IllegalMove::not_a_move(text))?;
        self.check_legality(m)?;
        Ok(m)
    }

    /// Whether the move is legal here; any move may be asked.
    #[inline]
    pub fn is_legal(&self, m: Move<F::Kind, F::Square>) -> bool {
        self.check_legality(m).is_ok()
    }

    /// `Ok` for a legal move, else the first rule that it breaks.
    pub fn check_legality(&self, m: Move<F::Kind, F::Square>) -> Verdict<F> {
        match m.source() {
            Source::Hand(kind) => self.check_drop(kind, m.to()),
            Source::Board(from) => self.check_board_move(from, m),
        }
    }

    fn check_drop(&self, kind: F::Kind, to: F::Square) -> Verdict<F> {
        let us = self.side;
        if !self.hands[us].has(kind) {
            return Err(IllegalMove::NotInHand(kind));
        }
        if self.piece_on(to).is_some() {
            return Err(IllegalMove::Occupied(to));
        }
        if !F::live_squares(us, kind).contains(to) {
            return Err(IllegalMove::DeadPiece { kind, to });
        }
        let is_pawn = kind == F::Kind::PAWN;
        if is_pawn {
            let on_file = self.pieces_of(us, kind) & to.whole_file();
            if let Some(pawn) = on_file.first() {
                let file = to.file() + 1;
                return Err(IllegalMove::Nifu { file, pawn });
            }
        }
        if !F::protects_king(&self.rules) {
            return Ok(());
        }
        self.check_parried(to, Bitboard::EMPTY)?;
        if is_pawn && let Some(king) = self.king_square(!us) {
            let head = F::attacks(Piece::new(!us, kind), king, Bitboard::EMPTY);
            if head.contains(to) && self.pawn_drop_mates(king, head) {
                return Err(IllegalMove::Uchifuzume);
            }
        }
        Ok(())
    }

    fn check_board_move(&self, from: F::Square, m: Move<F::Kind, F::Square>) -> Verdict<F> {
        let us = self.side;
        let to = m.to();
        let piece = self.piece_on(from).ok_or(IllegalMove::NoPiece(from))?;
        let kind = piece.kind;
        if piece.color != us {
            return Err(IllegalMove::NotYours(from));
        }
        if self.colors[us].contains(to) {
            return Err(IllegalMove::Occupied(to));
        }
        if !F::attacks(piece, from, self.occupied()).contains(to) {
            if !F::attacks(piece, from, Bitboard::EMPTY).contains(to) {
                return Err(IllegalMove::WrongMovement { kind, from, to });
            }
            let between = F::between(from, to) & self.occupied();
            let nearest = between
                .min_by_key(|by| by.file().abs_diff(from.file()) + by.rank().abs_diff(from.rank()));
            let by = nearest.unwrap_or(to);
            return Err(IllegalMove::Blocked { from, to, by });
        }
        if m.is_promotion() {
            if kind.promoted().is_none() {
                return Err(IllegalMove::CannotPromote(kind));
            }
            let zone = F::promotion_zone(us);
            if !zone.contains(from) && !zone.contains(to) {
                return Err(IllegalMove::OutsideZone);
            }
        } else if !F::live_squares(us, kind).contains(to) {
            return Err(IllegalMove::MustPromote { kind, to });
        }
        if !F::protects_king(&self.rules) {
            return Ok(());
        }
        if kind == F::Kind::KING {
            let blocking = self.occupied() ^ Bitboard::of(from);
            if self.is_attacked(!us, to, blocking) {
                let attackers = self.attackers(!us, to, blocking);
                let by = attackers.first().unwrap_or(to);
                return Err(IllegalMove::LeavesKingInCheck(by));
            }
            return Ok(());
        }
        self.check_parried(to, Bitboard::of(from))
    }

    /// Whether the own king is safe after a piece other than the king arrives on
    /// `to`, having left the squares of `left`.
    fn check_parried(&self, to: F::Square, left: Set<F>) -> Verdict<F> {
        let us = self.side;
        let Some(king) = self.king_square(us) else {
            return Ok(());
        };
        let leaves_pin =
            (self.state.pinned & left).any_square(|from| !F::pin_line(self, us, from).contains(to));
        if self.state.checkers.is_empty() && !leaves_pin {
            return Ok(());
        }
        let arrival = Bitboard::of(to);
        let occupied = (self.occupied() - left) | arrival;
        let attackers = self.attackers(!us, king, occupied) - arrival;
        attackers
            .first()
            .map_or(Ok(()), |from| Err(IllegalMove::LeavesKingInCheck(from)))
    }

    /// Whether a pawn of the side to move, dropped on the square at the `head` of
    /// the enemy `king`, mates it (uchifuzume).
    ///
    /// The pawn stands next to the king, so that nothing can interpose: the
    /// defender must take the pawn or move the king.
    pub(crate) fn pawn_drop_mates(&self, king: F::Square, head: Set<F>) -> bool {
        let us = self.side;
        let them = !us;
        let Some(to) = head.first() else {
            return false;
        };
        let occupied = self.occupied() | head;
        let takers = self.attackers(them, to, occupied) - Bitboard::of(king);
        // A pinned piece may take where that keeps it on the line of its pin; the new
        // pawn changes no pin off the king's file, and on it the taker ends up where
        // the pawn stood, in the line.
        let (pinned, _) = self.blockers(us, king);
        if takers
            .any_square(|from| !pinned.contains(from) || F::pin_line(self, them, from).contains(to))
        {
            return false;
        }
        let blocking = occupied ^ Bitboard::of(king);
        let flights = F::attacks(Piece::new(them, F::Kind::KING), king, occupied);
        let escapes = flights - self.colors[them];
        !escapes.any_square(|square| !self.is_attacked(us, square, blocking))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::common::ReadSfen;
    use crate::{shogi, wa};

    fn why<F: ReadSfen>(sfen: &str, text: &str) -> String {
        let position = Position::<F>::from_sfen(sfen, &F::Rules::default()).unwrap();
        match position.parse_move(text) {
            Ok(_) => "legal".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_the_rule_that_is_broken_in_shogi() {
        let start = shogi::sfen::START;
        for (sfen, text, expected) in [
            (start, "7g7f", "legal"),
            (
                start,
                "7g",
                "`7g` is not a move in USI notation (like 7g7f, 8h2b+ or P*5e)",
            ),
            (start, "5e5d", "there is no piece on 5e"),
            (start, "3c3d", "the piece on 3c belongs to the opponent"),
            (start, "P*5e", "there is no pawn in hand"),
            (start, "8h7g", "7g is occupied"),
            (start, "7g7e", "a pawn does not move from 7g to 7e"),
            (start, "8h5e", "the way from 8h to 5e is blocked on 7g"),
            (
                start,
                "7g7f+",
                "a move promotes only if it starts or ends in the three farthest ranks",
            ),
            (
                "4k4/9/G8/9/9/9/9/9/4K4 b - 1",
                "9c9b+",
                "a gold does not promote",
            ),
            (
                "4k4/P8/9/9/9/9/9/9/4K4 b - 1",
                "9b9a",
                "a pawn must promote on 9a, where it could never move again",
            ),
            (
                "4k4/9/9/9/9/9/9/9/4K4 b N 1",
                "N*3b",
                "a knight may not be dropped on 3b, where it could never move",
            ),
            (
                "4k4/9/9/9/9/9/4P4/9/4K4 b P 1",
                "P*5e",
                "nifu: file 5 holds an unpromoted pawn of the same side already (on 5g)",
            ),
            ("4k4/9/9/9/9/4r4/4P4/4G4/4K4 b - 1", "5h4h", "legal"),
            (
                "4k4/9/9/9/9/4r4/9/4G4/4K4 b - 1",
                "5h4h",
                "the move leaves the king in check from 5f",
            ),
            (
                "4k4/9/9/9/9/4r4/9/9/4K4 b - 1",
                "5i5h",
                "the move leaves the king in check from 5f",
            ),
            (
                "4k4/9/9/9/9/4r4/9/9/4K4 b P 1",
                "P*9e",
                "the move leaves the king in check from 5f",
            ),
            (
                "k8/9/1+R7/9/9/9/9/9/9 b P 1",
                "P*9b",
                "uchifuzume: a pawn drop may not give checkmate",
            ),
            (
                "k1G6/1g7/2B6/9/L8/9/9/9/8K b P 1",
                "P*9b",
                "uchifuzume: a pawn drop may not give checkmate",
            ),
            ("1k7/8R/1N7/9/9/9/9/9/8K b P 1", "P*8b", "legal"),
        ] {
            assert_eq!(
                why::<shogi::Shogi>(sfen, text),
                expected,
                "{text} in {sfen}"
            );
        }
    }

    #[test]
    fn names_the_rule_that_is_broken_in_wa_shogi() {
        let start = wa::sfen::START;
        let uchifuzume = "4okh4/4p1p4/5W5/11/11/11/11/11/11/11/5K5 b GPp 1";
        for (sfen, text, expected) in [
            (start, "8h8g", "legal"),
            (
                start,
                "8h12g",
                "`8h12g` is not a move in USI notation (like 8h8g, 10j11k, 4i4c+ or P*6f)",
            ),
            (start, "6f6e", "there is no piece on 6f"),
            (start, "8d8e", "the piece on 8d belongs to the opponent"),
            (start, "P*6f", "there is no sparrow pawn in hand"),
            (start, "11k11i", "11i is occupied"),
            (start, "8i10i", "10i is occupied"),
            (start, "6i6g", "a sparrow pawn does not move from 6i to 6g"),
            (start, "10j7g", "the way from 10j to 7g is blocked on 9i"),
            (start, "8i8g", "legal"),
            (
                start,
                "8h8g+",
                "a move promotes only if it starts or ends in the three farthest ranks",
            ),
            (
                "5k5/11/X10/11/11/11/11/11/11/11/5K5 b - 1",
                "11c11b+",
                "a treacherous fox does not promote",
            ),
            (
                "5k5/P10/11/11/11/11/11/11/11/11/5K5 b - 1",
                "11b11a",
                "a sparrow pawn must promote on 11a, where it could never move again",
            ),
            (
                "5k5/11/11/11/11/11/11/11/11/11/5K5 b O 1",
                "O*1a",
                "an oxcart may not be dropped on 1a, where it could never move",
            ),
            (
                "5k5/11/11/11/11/11/11/5P5/11/11/5K5 b P 1",
                "P*6f",
                "nifu: file 6 holds an unpromoted pawn of the same side already (on 6h)",
            ),
            (
                "10k/11/11/11/11/11/11/11/3o7/3X7/3K7 b - 1",
                "8j8h",
                "the move leaves the king in check from 8i",
            ),
            (
                uchifuzume,
                "P*6b",
                "uchifuzume: a pawn drop may not give checkmate",
            ),
            (uchifuzume, "G*6b", "legal"),
        ] {
            assert_eq!(why::<wa::Wa>(sfen, text), expected, "{text} in {sfen}");
        }
    }

    #[test]
    fn the_king_capture_rules_know_no_check_and_no_uchifuzume() {
        let rules = shogi::Rules::king_capture();
        let position = shogi::Position::from_sfen("k8/9/1+R7/9/9/9/9/9/9 b P 1", &rules).unwrap();
        assert!(position.parse_move("P*9b").is_ok());
        let position =
            shogi::Position::from_sfen("4k4/9/9/9/9/4r4/9/4G4/4K4 b - 1", &rules).unwrap();
        assert!(position.parse_move("5h4h").is_ok());
    }
}
