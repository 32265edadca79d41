//! Board diagrams for people: kanji in the layout of the BOD format (`kifu.md`),
//! or SFEN letters in a grid.

use std::fmt::Write;

use super::hand::Hand;
use super::notation::RANKS as RANK_KANJI;
use super::piece::Piece;
use super::position::Position;
use super::square::{SIZE, Square};
use crate::core::Color;
use crate::game::DiagramStyle;

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

fn kanji_hand(hand: Hand) -> String {
    if hand.is_empty() {
        return "なし".to_owned();
    }
    let pieces: Vec<String> = hand
        .iter()
        .map(|(kind, count)| match count {
            1 => kind.kanji().to_string(),
            _ => format!("{}{}", kind.kanji(), kanji_number(count)),
        })
        .collect();
    pieces.join("　")
}

fn letter_hand(hand: Hand, color: Color) -> String {
    if hand.is_empty() {
        return "-".to_owned();
    }
    let pieces: Vec<String> = hand
        .iter()
        .map(|(kind, count)| match count {
            1 => Piece::new(color, kind).to_string(),
            _ => format!("{count}{}", Piece::new(color, kind)),
        })
        .collect();
    pieces.join(" ")
}

impl Position {
    /// The board, hands, side to move and move number for people to read.
    pub fn diagram(&self, style: DiagramStyle) -> String {
        match style {
            DiagramStyle::Japanese => self.kanji_diagram(),
            DiagramStyle::Ascii => self.letter_diagram(),
        }
    }

    fn kanji_diagram(&self) -> String {
        let mut text = format!("後手の持駒：{}\n", kanji_hand(self.hand(Color::White)));
        text.push_str("  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n");
        for (rank, name) in RANK_KANJI.into_iter().enumerate() {
            text.push('|');
            for file in (0..SIZE).rev() {
                let piece = Square::new(file, rank).and_then(|square| self.piece_on(square));
                match piece {
                    None => text.push_str(" ・"),
                    Some(Piece { color, kind }) => {
                        text.push(if color == Color::Black { ' ' } else { 'v' });
                        text.push(kind.kanji());
                    }
                }
            }
            let _ = writeln!(text, "|{name}");
        }
        text.push_str("+---------------------------+\n");
        let _ = writeln!(text, "先手の持駒：{}", kanji_hand(self.hand(Color::Black)));
        let side = match self.side_to_move() {
            Color::Black => "先手番",
            Color::White => "後手番",
        };
        let _ = writeln!(text, "{side}　{}手目", self.ply());
        text
    }

    fn letter_diagram(&self) -> String {
        let mut text = format!(
            "White in hand: {}\n",
            letter_hand(self.hand(Color::White), Color::White)
        );
        text.push_str("   9  8  7  6  5  4  3  2  1\n");
        let border = format!(" +{}+\n", "-".repeat(3 * SIZE));
        text.push_str(&border);
        for rank in 0..SIZE {
            text.push_str(" |");
            for file in (0..SIZE).rev() {
                let piece = Square::new(file, rank).and_then(|square| self.piece_on(square));
                let letters = piece.map_or_else(|| ".".to_owned(), |piece| piece.to_string());
                let _ = write!(text, "{letters:>2} ");
            }
            let _ = writeln!(text, "| {}", (b'a' + rank as u8) as char);
        }
        text.push_str(&border);
        let _ = writeln!(
            text,
            "Black in hand: {}",
            letter_hand(self.hand(Color::Black), Color::Black)
        );
        let _ = writeln!(text, "{} to move, move {}", self.side_to_move(), self.ply());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

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
