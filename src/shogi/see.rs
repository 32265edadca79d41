//! What pieces are worth in exchanges: [`VALUE`], each as it stands.

use super::piece::{PieceKind, VALUE};
use super::position::{Position, Shogi};
use super::rules::Rules;
use super::square::{Bitboard, Square};
use crate::common::Exchange;
use crate::core::Score;

/// Kinds in the order in which they are risked.
const CHEAPEST_FIRST: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProPawn,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Horse,
    PieceKind::Dragon,
    PieceKind::King,
];

impl Exchange for Shogi {
    #[inline]
    fn value(_: &Rules, kind: PieceKind) -> Score {
        VALUE[kind.index()]
    }

    #[inline]
    fn promotion_gain(_: &Rules, kind: PieceKind) -> Score {
        let promoted = kind.promoted().unwrap_or(kind);
        VALUE[promoted.index()] - VALUE[kind.index()]
    }

    #[inline]
    fn cheapest(position: &Position, pieces: Bitboard) -> Option<(PieceKind, Square)> {
        if pieces.is_empty() {
            return None;
        }
        CHEAPEST_FIRST
            .into_iter()
            .find_map(|kind| Some((kind, (pieces & position.of_kind(kind)).first()?)))
    }
}
