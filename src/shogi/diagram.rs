//! Board diagrams for people, in the layout of the BOD format (`kifu.md`).

use super::notation::RANKS as RANK_KANJI;
use super::piece::{Piece, PieceKind};
use super::position::Shogi;
use super::square::SIZE;
use crate::common::Draw;
use crate::core::Color;

/// A count of 1 to 99 in kanji.
fn kanji_number(count: u32) -> String {
    let digit = |d: u32| RANK_KANJI[(d as usize + SIZE - 1) % SIZE];
    match (count / 10, count % 10) {
        (0, ones) => digit(ones).to_string(),
        (tens, ones) => {
            let mut text = String::new();
            if tens > 1 {
                text.push(digit(tens));
            }
            text.push('十');
            if ones > 0 {
                text.push(digit(ones));
            }
            text
        }
    }
}

impl Draw for Shogi {
    const FILES: &'static str = "  ９ ８ ７ ６ ５ ４ ３ ２ １";
    const WIDTH: usize = 3;

    fn square(piece: Option<Piece>) -> String {
        match piece {
            None => " ・".to_owned(),
            Some(Piece { color, kind }) => {
                let side = if color == Color::Black { ' ' } else { 'v' };
                format!("{side}{}", kind.kanji())
            }
        }
    }

    fn rank(rank: usize) -> char {
        RANK_KANJI[rank]
    }

    fn held(kind: PieceKind, count: u32) -> String {
        match count {
            1 => kind.kanji().to_string(),
            _ => format!("{}{}", kind.kanji(), kanji_number(count)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::DiagramStyle;
    use crate::shogi::{Position, Rules};

    #[test]
    fn numbers_in_kanji() {
        let texts = [1, 9, 10, 11, 18, 20].map(kanji_number);
        assert_eq!(texts, ["一", "九", "十", "十一", "十八", "二十"]);
    }

    #[test]
    fn draws_board_and_hands() {
        let sfen = "4k4/9/9/9/9/9/9/9/4K3+r b 2RB18P2g 5";
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let kanji = position.diagram(DiagramStyle::Japanese);
        assert!(kanji.contains("| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n"));
        assert!(kanji.contains("| ・ ・ ・ ・ 玉 ・ ・ ・v龍|九\n"));
        assert!(kanji.contains("先手の持駒：飛二　角　歩十八\n"));
        assert!(kanji.contains("後手の持駒：金二\n"));
        let letters = position.diagram(DiagramStyle::Ascii);
        assert!(letters.contains(" | .  .  .  .  K  .  .  . +r | i\n"));
        assert!(letters.contains("Black in hand: 2R B 18P\n"));
    }
}
