//! What pieces are worth in exchanges: [`Values`]. With drops a captured piece counts
//! for what it is on the board and for what it becomes in hand.

use super::piece::{PieceKind, Values};
use super::position::{Position, Wa};
use super::rules::Rules;
use super::square::{Bitboard, Square};
use crate::common::Exchange;
use crate::core::Score;

impl Exchange for Wa {
    #[inline]
    fn value(rules: &Rules, kind: PieceKind) -> Score {
        Values::of(rules.drops).capture[kind.index()]
    }

    #[inline]
    fn promotion_gain(rules: &Rules, kind: PieceKind) -> Score {
        Values::of(rules.drops).promotion[kind.index()]
    }

    #[inline]
    fn cheapest(position: &Position, pieces: Bitboard) -> Option<(PieceKind, Square)> {
        pieces
            .filter_map(|square| Some((position.piece_on(square)?.kind, square)))
            .min_by_key(|&(kind, _)| Wa::value(position.rules(), kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promoted_pieces_fall_for_what_they_become() {
        let gain = |drops, captured: &str| {
            let rules = Rules {
                drops,
                ..Rules::default()
            };
            let sfen = format!("5k5/11/11/11/5{captured}5/5W5/11/11/11/11/5K5 b - 1");
            let position = Position::from_sfen(&sfen, &rules).unwrap();
            position.gain(position.parse_move("6f6e").unwrap())
        };
        assert_eq!(gain(true, "p"), (100 + 110) / 2);
        assert_eq!(gain(true, "+p"), (480 + 110) / 2);
        assert_eq!(gain(false, "+p"), 275);
    }
}
