//! Positions as SFEN text, in every game's letters.

use super::Piece;
use super::position::{Form, Position};
use crate::core::Color;
use crate::core::sfen::{self, Parts};

/// How a game reads positions.
pub trait ReadSfen: Form {
    /// The initial position.
    const START: &'static str;

    /// Why a position text was refused.
    type PositionError: std::error::Error + Send + Sync + 'static;

    /// See [`Position::from_sfen`].
    fn from_sfen(text: &str, rules: &Self::Rules) -> Result<Position<Self>, Self::PositionError>;
}

impl<F: ReadSfen> Position<F> {
    /// The initial position.
    pub fn start(rules: &F::Rules) -> Self {
        Position::from_sfen(F::START, rules).expect("the initial position is valid")
    }

    /// Reads a position: board, side to move, hands and move number, with the
    /// tolerances that [`crate::core::sfen`] lists.
    pub fn from_sfen(text: &str, rules: &F::Rules) -> Result<Self, F::PositionError> {
        F::from_sfen(text, rules)
    }
}

impl<F: Form> Position<F> {
    /// The position as SFEN.
    pub fn sfen(&self) -> String {
        let hands = Color::ALL.into_iter().flat_map(|color| {
            let counts = self.hand(color).iter();
            counts.map(move |(kind, count)| (Piece::new(color, kind), count))
        });
        Parts {
            board: sfen::write_board(|square| self.piece_on(square)),
            side: self.side_to_move(),
            hands: sfen::write_hands(hands),
            ply: self.ply(),
        }
        .write()
    }
}
