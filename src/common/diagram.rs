//! Board diagrams for people: kanji as the game draws them, or SFEN letters in a
//! grid.

use std::fmt::Write;

use super::position::{Form, Position};
use super::{Hand, Piece};
use crate::core::square::rank_letter;
use crate::core::{Color, SquareIndex};
use crate::game::DiagramStyle;

/// How a game draws its board in kanji.
pub trait Draw: Form {
    /// The line that numbers the files.
    const FILES: &'static str;
    /// The columns that a square takes.
    const WIDTH: usize;

    /// A square, with its piece if any.
    fn square(piece: Option<Piece<Self::Kind>>) -> String;

    /// The name of a rank.
    fn rank(rank: usize) -> char;

    /// So many pieces of a kind in hand.
    fn held(kind: Self::Kind, count: u32) -> String;
}

impl<F: Draw> Position<F> {
    /// The board, hands, side to move and move number for people to read.
    pub fn diagram(&self, style: DiagramStyle) -> String {
        match style {
            DiagramStyle::Japanese => self.kanji_diagram(),
            DiagramStyle::Ascii => self.letter_diagram(),
        }
    }

    /// The board's ranks from White's side, the squares of each from the left.
    fn rows(&self) -> impl Iterator<Item = (usize, impl Iterator<Item = Option<Piece<F::Kind>>>)> {
        (0..F::Square::SIZE).map(move |rank| {
            let files = (0..F::Square::SIZE).rev();
            (
                rank,
                files.map(move |file| self.piece_on(F::Square::at(file, rank))),
            )
        })
    }

    fn kanji_diagram(&self) -> String {
        let hand = |color| held(self.hand(color), "なし", "　", F::held);
        let border = format!("+{}+\n", "-".repeat(F::WIDTH * F::Square::SIZE));
        let mut text = format!("後手の持駒：{}\n{}\n{border}", hand(Color::White), F::FILES);
        for (rank, row) in self.rows() {
            let squares: String = row.map(F::square).collect();
            let _ = writeln!(text, "|{squares}|{}", F::rank(rank));
        }
        let _ = writeln!(text, "{border}先手の持駒：{}", hand(Color::Black));
        let side = match self.side_to_move() {
            Color::Black => "先手番",
            Color::White => "後手番",
        };
        let _ = writeln!(text, "{side}　{}手目", self.ply());
        text
    }

    fn letter_diagram(&self) -> String {
        let hand = |color| {
            held(self.hand(color), "-", " ", |kind, count| {
                let piece = Piece::new(color, kind);
                match count {
                    1 => piece.to_string(),
                    _ => format!("{count}{piece}"),
                }
            })
        };
        let files = (1..=F::Square::SIZE).rev();
        let files: String = files.map(|file| format!("{file:>3}")).collect();
        let border = format!(" +{}+\n", "-".repeat(3 * F::Square::SIZE));
        let mut text = format!("White in hand: {}\n {files}\n{border}", hand(Color::White));
        for (rank, row) in self.rows() {
            text.push_str(" |");
            for piece in row {
                let letters = piece.map_or_else(|| ".".to_owned(), |piece| piece.to_string());
                let _ = write!(text, "{letters:>2} ");
            }
            let _ = writeln!(text, "| {}", rank_letter(rank));
        }
        let _ = writeln!(text, "{border}Black in hand: {}", hand(Color::Black));
        let _ = writeln!(text, "{} to move, move {}", self.side_to_move(), self.ply());
        text
    }
}

/// A hand as text.
fn held<K: super::Kind>(
    hand: Hand<K>,
    nothing: &str,
    separator: &str,
    name: impl Fn(K, u32) -> String,
) -> String {
    if hand.is_empty() {
        return nothing.to_owned();
    }
    let pieces: Vec<String> = hand.iter().map(|(kind, count)| name(kind, count)).collect();
    pieces.join(separator)
}
