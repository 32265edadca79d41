//! Boards for people: the tokens of the notation in a grid, seen from South's
//! chair, with hands, turn and mates.

use std::fmt::Write;

use super::piece::{HAND, Piece};
use super::position::Position;
use super::seat::Seat;
use crate::game::DiagramStyle;
use crate::shogi::square::{SIZE, Square};

/// The arrow of the direction in which a piece points.
const fn arrow(seat: Seat) -> char {
    match seat {
        Seat::South => '↑',
        Seat::West => '→',
        Seat::North => '↓',
        Seat::East => '←',
    }
}

/// A piece as an arrow, its kanji and, where it is not the one it points for,
/// its owner's letter; four columns wide.
fn kanji(piece: Piece) -> String {
    let owner = match piece.owner {
        Some(owner) if owner == piece.facing => ' ',
        Some(owner) => owner.letter(),
        None => 'x',
    };
    format!("{}{}{owner}", arrow(piece.facing), piece.kind.kanji())
}

impl Position {
    /// The board, hands, turn and mates for people to read.
    pub fn diagram(&self, style: DiagramStyle) -> String {
        let board = self.board();
        let japanese = style == DiagramStyle::Japanese;
        let mut text = String::new();
        if japanese {
            text.push_str("   9    8    7    6    5    4    3    2    1\n");
        } else {
            text.push_str("    9    8    7    6    5    4    3    2    1\n");
        }
        for rank in 0..SIZE {
            for file in (0..SIZE).rev() {
                let piece = Square::new(file, rank).and_then(|square| board.piece_on(square));
                match piece {
                    None => text.push_str("    ."),
                    Some(piece) if japanese => text.push_str(&kanji(piece)),
                    Some(piece) => {
                        let _ = write!(text, "{piece:>5}", piece = piece.to_string());
                    }
                }
            }
            let _ = writeln!(text, "  {}", (b'a' + rank as u8) as char);
        }
        for seat in Seat::ALL {
            let hand = board.hand(seat);
            let pieces: Vec<String> = HAND
                .into_iter()
                .filter(|&kind| hand.has(kind))
                .map(|kind| match (hand.count(kind), japanese) {
                    (1, true) => kind.kanji().to_string(),
                    (1, false) => kind.letter().to_string(),
                    (count, true) => format!("{}{count}", kind.kanji()),
                    (count, false) => format!("{count}{}", kind.letter()),
                })
                .collect();
            let held = if pieces.is_empty() {
                "-".to_owned()
            } else {
                pieces.join(" ")
            };
            let _ = write!(text, "{:<5} in hand: {held}", seat.name());
            let mated = board.mates().iter().find(|mate| mate.victim == seat);
            if let Some(mate) = mated {
                let by = mate.mater.map_or("nobody's move", Seat::name);
                let _ = write!(text, "; mated by {by}");
            } else {
                let _ = write!(text, "; {} pieces", board.total_pieces(seat));
                if board.checkers(seat).any() {
                    text.push_str(", in check");
                }
            }
            text.push('\n');
        }
        match self.outcome() {
            Some(outcome) => {
                let _ = writeln!(text, "Game over: {outcome}");
            }
            None => {
                let _ = writeln!(text, "{} to move, move {}", self.turn().name(), board.ply());
            }
        }
        text
    }
}
