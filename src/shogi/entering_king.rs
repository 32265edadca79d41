//! Jishogi: declaring a win when the kings have entered, and counting points.
//!
//! A big piece (rook, bishop, promoted or not) counts 5 points, any other piece
//! but the king 1. All sets together are 54.

use super::Move;
use super::attacks;
use super::piece::PieceKind;
use super::position::Position;
use super::rules::EnteringKingRule;
use super::square::{Bitboard, SIZE, Square};
use crate::core::Color;

/// Points of all pieces of the game.
const ALL_POINTS: u32 = 54;

/// Pieces besides the king that must have entered for a declaration.
const ENTERED_PIECES: u32 = 10;

/// What a side may get by declaring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declaration {
    /// Nothing: it would lose.
    No,
    /// A draw.
    Draw,
    /// A win.
    Win,
}

/// Where a side stands with a view to declaring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Impasse {
    /// Its king is in the three farthest ranks.
    pub king_entered: bool,
    /// Its king is attacked.
    pub in_check: bool,
    /// Its other pieces in the three farthest ranks.
    pub pieces_entered: u32,
    /// Points of these and of the pieces in hand.
    pub points: u32,
    /// Points of all its pieces on the board and in hand, as the judge's
    /// 24-point count takes them.
    pub all_points: u32,
}

impl Position {
    fn points(&self, color: Color, area: Bitboard) -> u32 {
        let own = self.pieces(color) & (area - self.of_kind(PieceKind::King));
        let big = (own & (self.bishops() | self.rooks())).count();
        let hand: u32 = self
            .hand(color)
            .iter()
            .map(|(kind, count)| match kind {
                PieceKind::Bishop | PieceKind::Rook => 5 * count,
                _ => count,
            })
            .sum();
        own.count() + 4 * big + hand
    }

    /// Where `color` stands with a view to declaring.
    pub fn impasse(&self, color: Color) -> Impasse {
        let zone = attacks::promotion_zone(color);
        let king = self.king(color);
        let entered = self.pieces(color) & (zone - self.of_kind(PieceKind::King));
        Impasse {
            king_entered: king.is_some_and(|king| zone.contains(king)),
            in_check: king.is_some_and(|king| self.is_attacked(!color, king, self.occupied())),
            pieces_entered: entered.count(),
            points: self.points(color, zone),
            all_points: self.points(color, Bitboard::ALL),
        }
    }

    /// Points that White is short of as the giver of a handicap.
    fn handicap_points(&self) -> u32 {
        let all: u32 = Color::ALL
            .map(|color| self.points(color, Bitboard::ALL))
            .iter()
            .sum();
        ALL_POINTS.saturating_sub(all)
    }

    /// What the side to move gets if it declares now under `rule`.
    pub fn declaration(&self, rule: EnteringKingRule) -> Declaration {
        use EnteringKingRule::*;
        let us = self.side;
        let (win, draw) = match rule {
            NoEnteringKing | TryRule => return Declaration::No,
            CSARule24 | CSARule24H => (31, 24),
            CSARule27 | CSARule27H if us == Color::Black => (28, 28),
            CSARule27 | CSARule27H => (27, 27),
        };
        // The cheap tests first: the search asks at every node.
        let zone = attacks::promotion_zone(us);
        if !self.king(us).is_some_and(|king| zone.contains(king)) || self.checkers().any() {
            return Declaration::No;
        }
        let impasse = self.impasse(us);
        let credit = match rule {
            CSARule24H | CSARule27H if us == Color::White => self.handicap_points(),
            _ => 0,
        };
        let points = impasse.points + credit;
        if impasse.pieces_entered < ENTERED_PIECES || points < draw {
            Declaration::No
        } else if points < win {
            Declaration::Draw
        } else {
            Declaration::Win
        }
    }

    /// The move that wins under the try rule, if there is one.
    pub fn try_move(&self) -> Option<Move> {
        let us = self.side;
        let goal = try_square(us);
        let king = self.king(us)?;
        if king == goal {
            return None;
        }
        let m = Move::board(king, goal);
        self.is_legal(m).then_some(m)
    }

    /// The side whose king has just reached its try square.
    pub fn tried(&self) -> Option<Color> {
        let mover = !self.side;
        let goal = try_square(mover);
        let arrived = self.last_move().is_some_and(|m| m.to() == goal);
        (arrived && self.king(mover) == Some(goal)).then_some(mover)
    }
}

/// The home square of `color`'s opponent's king.
pub fn try_square(color: Color) -> Square {
    let far = Square::new(SIZE / 2, 0).expect("5a is on the board");
    far.relative(color)
}
