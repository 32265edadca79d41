//! What wa shogi knows of mates. A slider's check can be blocked, a jumper's cannot.

use super::attacks;
use super::piece::PieceKind;
use super::position::{Position, Wa};
use super::square::{Bitboard, Square};
use crate::common::Mating;
use crate::core::Color;

impl Mating for Wa {
    #[inline]
    fn blocking_squares(position: &Position, checker: Square) -> Bitboard {
        position.evasion_targets(position.side_to_move(), checker) - Bitboard::of(checker)
    }

    #[inline]
    fn promotion_loses_nothing(_: Color, kind: PieceKind, _: Square) -> bool {
        attacks::PROMOTION_LOSES_NOTHING[kind.index()]
    }
}
