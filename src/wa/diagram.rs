//! Board diagrams for people: one kanji a piece, promoted ones with a `+`, or SFEN
//! letters in a grid.

use std::fmt::Write;

use super::hand::Hand;
use super::piece::Piece;
use super::position::Position;
use super::square::{SIZE, Square};
use crate::core::Color;
use crate::core::square::rank_letter;
use crate::game::DiagramStyle;

fn kanji_hand(hand: Hand) -> String {
    let pieces: Vec<String> = hand
        .iter()
        .map(|(kind, count)| match count {
            1 => kind.row().kanji.to_string(),
            _ => format!("{}{count}", kind.row().kanji),
        })
        .collect();
    match pieces.is_empty() {
        true => "なし".to_owned(),
        false => pieces.join("　"),
    }
}

fn letter_hand(hand: Hand, color: Color) -> String {
    let pieces: Vec<String> = hand
        .iter()
        .map(|(kind, count)| match count {
            1 => Piece::new(color, kind).to_string(),
            _ => format!("{count}{}", Piece::new(color, kind)),
        })
        .collect();
    match pieces.is_empty() {
        true => "-".to_owned(),
        false => pieces.join(" "),
    }
}

impl Position {
    /// The board, hands, side to move and move number for people to read.
    pub fn diagram(&self, style: DiagramStyle) -> String {
        match style {
            DiagramStyle::Japanese => self.kanji_diagram(),
            DiagramStyle::Ascii => self.letter_diagram(),
        }
    }

    /// The board's ranks from White's side, the squares of each from the left.
    fn rows(&self) -> impl Iterator<Item = (usize, [Option<Piece>; SIZE])> {
        (0..SIZE).map(|rank| {
            let on = |file| Square::new(file, rank).and_then(|square| self.piece_on(square));
            (rank, std::array::from_fn(|column| on(SIZE - 1 - column)))
        })
    }

    fn kanji_diagram(&self) -> String {
        let mut text = format!("後手の持駒：{}\n ", kanji_hand(self.hand(Color::White)));
        for file in (1..=SIZE).rev() {
            let _ = write!(text, "{file:>4}");
        }
        let border = format!("\n+{}+\n", "-".repeat(4 * SIZE));
        text.push_str(&border);
        for (rank, row) in self.rows() {
            text.push('|');
            for piece in row {
                match piece {
                    None => text.push_str("  ・"),
                    Some(Piece { color, kind }) => {
                        let side = if color == Color::Black { ' ' } else { 'v' };
                        let signs = match kind.is_promoted() {
                            true => [side, '+'],
                            false => [' ', side],
                        };
                        text.extend(signs);
                        text.push(kind.row().kanji);
                    }
                }
            }
            let end = if rank + 1 < SIZE { "\n" } else { "" };
            let _ = write!(text, "|{}{end}", rank_letter(rank));
        }
        text.push_str(&border);
        let _ = writeln!(text, "先手の持駒：{}", kanji_hand(self.hand(Color::Black)));
        let side = match self.side_to_move() {
            Color::Black => "先手番",
            Color::White => "後手番",
        };
        let _ = writeln!(text, "{side}　{}手目", self.ply());
        text
    }

    fn letter_diagram(&self) -> String {
        let white = letter_hand(self.hand(Color::White), Color::White);
        let mut text = format!("White in hand: {white}\n  ");
        for file in (1..=SIZE).rev() {
            let _ = write!(text, "{file:>2} ");
        }
        let border = format!("\n +{}+\n", "-".repeat(3 * SIZE));
        text.push_str(&border);
        for (rank, row) in self.rows() {
            text.push_str(" |");
            for piece in row {
                let letters = piece.map_or_else(|| ".".to_owned(), |piece| piece.to_string());
                let _ = write!(text, "{letters:>2} ");
            }
            let end = if rank + 1 < SIZE { "\n" } else { "" };
            let _ = write!(text, "| {}{end}", rank_letter(rank));
        }
        text.push_str(&border);
        let black = letter_hand(self.hand(Color::Black), Color::Black);
        let _ = writeln!(text, "Black in hand: {black}");
        let _ = writeln!(text, "{} to move, move {}", self.side_to_move(), self.ply());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wa::Rules;

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
        assert!(letters.contains("  11 10  9  8  7  6  5  4  3  2  1 \n +-"));
        assert!(letters.contains(" | .  .  .  .  .  K  .  .  . +R  . | k\n"));
        assert!(letters.contains("Black in hand: 2E P\n"));
    }
}
