//! Whether a move is legal, and if not, which rule it breaks.
//!
//! The rules are tested in a fixed order, that of [`IllegalMove`]; the first one
//! broken is named. The move generator applies the same rules to whole sets of
//! squares; the tests hold the two against each other.

use super::attacks;
use super::moves::{Move, Source};
use super::piece::PieceKind;
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::illegal_move::NamedKind;

/// The rule that a move breaks.
pub type IllegalMove = crate::core::IllegalMove<PieceKind, Square>;

impl NamedKind for PieceKind {
    fn name(&self) -> &'static str {
        PieceKind::name(*self)
    }
}

impl Position {
    /// Reads a move in USI notation and checks that it is legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
        let m = Move::from_usi(text).ok_or_else(|| IllegalMove::NotAMove {
            text: text.to_owned(),
            examples: "8h8g, 10j11k, 4i4c+ or P*6f",
        })?;
        self.check_legality(m)?;
        Ok(m)
    }

    /// Whether the move is legal here; any move may be asked.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.check_legality(m).is_ok()
    }

    /// `Ok` for a legal move, else the first rule that it breaks.
    pub fn check_legality(&self, m: Move) -> Result<(), IllegalMove> {
        match m.source() {
            Source::Hand(kind) => self.check_drop(kind, m.to()),
            Source::Board(from) => self.check_board_move(from, m),
        }
    }

    fn check_drop(&self, kind: PieceKind, to: Square) -> Result<(), IllegalMove> {
        let us = self.side;
        if !self.hands[us].has(kind) {
            return Err(IllegalMove::NotInHand(kind));
        }
        if self.piece_on(to).is_some() {
            return Err(IllegalMove::Occupied(to));
        }
        if !attacks::live_squares(us, kind).contains(to) {
            return Err(IllegalMove::DeadPiece { kind, to });
        }
        if kind == PieceKind::Pawn {
            let on_file = self.pieces_of(us, PieceKind::Pawn) & attacks::file_of(to);
            if let Some(pawn) = on_file.first() {
                let file = to.file() + 1;
                return Err(IllegalMove::Nifu { file, pawn });
            }
        }
        self.check_parried(to, Bitboard::EMPTY)?;
        if kind == PieceKind::Pawn {
            let head = attacks::pawn(!us, self.kings[!us]);
            if head.contains(to) && self.pawn_drop_mates(head) {
                return Err(IllegalMove::Uchifuzume);
            }
        }
        Ok(())
    }

    fn check_board_move(&self, from: Square, m: Move) -> Result<(), IllegalMove> {
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
        if !attacks::attacks(piece, from, self.occupied()).contains(to) {
            if !attacks::attacks(piece, from, Bitboard::EMPTY).contains(to) {
                return Err(IllegalMove::WrongMovement { kind, from, to });
            }
            let between = attacks::between(from, to) & self.occupied();
            let nearest = between
                .min_by_key(|by| by.file().abs_diff(from.file()) + by.rank().abs_diff(from.rank()));
            let by = nearest.unwrap_or(to);
            return Err(IllegalMove::Blocked { from, to, by });
        }
        if m.is_promotion() {
            if kind.promoted().is_none() {
                return Err(IllegalMove::CannotPromote(kind));
            }
            let zone = attacks::promotion_zone(us);
            if !zone.contains(from) && !zone.contains(to) {
                return Err(IllegalMove::OutsideZone);
            }
        } else if !attacks::live_squares(us, kind).contains(to) {
            return Err(IllegalMove::MustPromote { kind, to });
        }
        if kind == PieceKind::King {
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
    fn check_parried(&self, to: Square, left: Bitboard) -> Result<(), IllegalMove> {
        let us = self.side;
        if self.state.checkers.is_empty() && (self.state.pinned & left).is_empty() {
            return Ok(());
        }
        let arrival = Bitboard::of(to);
        let occupied = (self.occupied() - left) | arrival;
        let attackers = self.attackers(!us, self.kings[us], occupied) - arrival;
        attackers
            .first()
            .map_or(Ok(()), |from| Err(IllegalMove::LeavesKingInCheck(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wa::Rules;
    use crate::wa::sfen::START;

    fn why(sfen: &str, text: &str) -> String {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        match position.parse_move(text) {
            Ok(_) => "legal".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_the_rule_that_is_broken() {
        let uchifuzume = "4okh4/4p1p4/5W5/11/11/11/11/11/11/11/5K5 b GPp 1";
        for (sfen, text, expected) in [
            (START, "8h8g", "legal"),
            (
                START,
                "8h12g",
                "`8h12g` is not a move in USI notation (like 8h8g, 10j11k, 4i4c+ or P*6f)",
            ),
            (START, "6f6e", "there is no piece on 6f"),
            (START, "8d8e", "the piece on 8d belongs to the opponent"),
            (START, "P*6f", "there is no sparrow pawn in hand"),
            (START, "11k11i", "11i is occupied"),
            (START, "8i10i", "10i is occupied"),
            (START, "6i6g", "a sparrow pawn does not move from 6i to 6g"),
            (START, "10j7g", "the way from 10j to 7g is blocked on 9i"),
            (START, "8i8g", "legal"),
            (
                START,
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
            assert_eq!(why(sfen, text), expected, "{text} in {sfen}");
        }
    }
}
