//! Whether a move is legal, and if not, which rule it breaks.
//!
//! The rules are tested in a fixed order, that of [`IllegalMove`]: from the
//! plainest (no such piece) to the subtlest (uchifuzume); the first one broken is
//! named. The move generator applies the same rules to whole sets of squares; the
//! tests hold the two against each other.

use super::attacks;
use super::moves::{Move, Source};
use super::piece::PieceKind;
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::illegal_move::NamedKind;

/// The rule that a move breaks.
pub type IllegalMove = crate::core::IllegalMove<PieceKind, Square>;

impl IllegalMove {
    /// The text is not a move of shogi in USI notation.
    pub fn not_a_move(text: &str) -> IllegalMove {
        IllegalMove::NotAMove {
            text: text.to_owned(),
            examples: "7g7f, 8h2b+ or P*5e",
        }
    }
}

impl NamedKind for PieceKind {
    fn name(&self) -> &'static str {
        PieceKind::name(*self)
    }
}

impl Position {
    /// Reads a move in USI notation and checks that it is legal.
    pub fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
        let m = Move::from_usi(text).ok_or_else(|| IllegalMove::not_a_move(text))?;
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
        if !self.rules.protects_king() {
            return Ok(());
        }
        self.check_parried(to, Bitboard::EMPTY)?;
        if kind == PieceKind::Pawn
            && let Some(king) = self.kings[!us]
        {
            let head = attacks::pawn(!us, king);
            if head.contains(to) && self.pawn_drop_mates(king, head) {
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
            if !attacks::promotion_zone(us).contains(from)
                && !attacks::promotion_zone(us).contains(to)
            {
                return Err(IllegalMove::OutsideZone);
            }
        } else if !attacks::live_squares(us, kind).contains(to) {
            return Err(IllegalMove::MustPromote { kind, to });
        }
        if !self.rules.protects_king() {
            return Ok(());
        }
        if kind == PieceKind::King {
            let blocking = self.occupied() ^ Bitboard::of(from);
            if self.is_attacked(!us, to, blocking) {
                let attackers = self.attackers(!us, to, blocking);
                return Err(IllegalMove::LeavesKingInCheck(
                    attackers.first().unwrap_or(to),
                ));
            }
            return Ok(());
        }
        self.check_parried(to, Bitboard::of(from))
    }

    /// Whether the own king is safe after a piece other than the king arrives on
    /// `to`, having left the squares of `left`.
    fn check_parried(&self, to: Square, left: Bitboard) -> Result<(), IllegalMove> {
        let us = self.side;
        let Some(king) = self.kings[us] else {
            return Ok(());
        };
        let pinned_off_line =
            (self.state.pinned & left).any_square(|from| !attacks::line(king, from).contains(to));
        if self.state.checkers.is_empty() && !pinned_off_line {
            return Ok(());
        }
        let arrival = Bitboard::of(to);
        let occupied = (self.occupied() - left) | arrival;
        let attackers = self.attackers(!us, king, occupied) - arrival;
        attackers
            .first()
            .map_or(Ok(()), |from| Err(IllegalMove::LeavesKingInCheck(from)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    fn why(sfen: &str, text: &str) -> String {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        match position.parse_move(text) {
            Ok(_) => "legal".to_owned(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn names_the_rule_that_is_broken() {
        let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
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
            assert_eq!(why(sfen, text), expected, "{text} in {sfen}");
        }
    }

    #[test]
    fn the_king_capture_rules_know_no_check_and_no_uchifuzume() {
        let rules = Rules::king_capture();
        let position = Position::from_sfen("k8/9/1+R7/9/9/9/9/9/9 b P 1", &rules).unwrap();
        assert!(position.parse_move("P*9b").is_ok());
        let position = Position::from_sfen("4k4/9/9/9/9/4r4/9/4G4/4K4 b - 1", &rules).unwrap();
        assert!(position.parse_move("5h4h").is_ok());
    }
}
