//! Board diagrams for people: one kanji a piece, promoted ones with a `+`.

use super::piece::{Piece, PieceKind};
use super::position::Wa;
use crate::common::Draw;
use crate::core::Color;
use crate::core::square::rank_letter;

impl Draw for Wa {
    const FILES: &'static str = "   11  10   9   8   7   6   5   4   3   2   1";
    const WIDTH: usize = 4;

    fn square(piece: Option<Piece>) -> String {
        let Some(Piece { color, kind }) = piece else {
            return "  ・".to_owned();
        };
        let side = if color == Color::Black { ' ' } else { 'v' };
        let kanji = kind.row().kanji;
        match kind.is_promoted() {
            true => format!("{side}+{kanji}"),
            false => format!(" {side}{kanji}"),
        }
    }

    fn rank(rank: usize) -> char {
        rank_letter(rank)
    }

    fn held(kind: PieceKind, count: u32) -> String {
        match count {
            1 => kind.row().kanji.to_string(),
            _ => format!("{}{count}", kind.row().kanji),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::game::DiagramStyle;
    use crate::wa::{Position, Rules};

    #[test]
    fn draws_board_and_hands() {
        let sfen = "5k5/11/11/4+v6/11/11/11/11/11/11/5K3+R1 b 2EP3p 5";
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let kanji = position.diagram(DiagramStyle::Japanese);
        assert!(kanji.contains("\n|  ・  ・  ・  ・v+猪  ・  ・  ・  ・  ・  ・|d\n"));
        assert!(kanji.contains("\n|  ・  ・  ・  ・  ・  玉  ・  ・  ・ +狐  ・|k\n+-"));
        assert!(kanji.contains("先手の持駒：鷲2　歩\n"));
        assert!(kanji.contains("後手の持駒：歩3\n"));
        let letters = position.diagram(DiagramStyle::Ascii);
        assert!(letters.contains("  11 10  9  8  7  6  5  4  3  2  1\n +-"));
        assert!(letters.contains(" | .  .  .  .  .  K  .  .  . +R  . | k\n"));
        assert!(letters.contains("Black in hand: 2E P\n"));
    }
}
