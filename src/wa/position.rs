//! What wa shogi has of its own in a position: its board, keys and attacks.

use super::attacks::{self, CLASSES, class_of};
use super::piece::{HAND_KINDS, KINDS, PIECES, Piece, PieceKind};
use super::rules::Rules;
use super::square::{Bitboard, SQUARES, Square};
use crate::common::{self, Form};
use crate::core::{Color, zobrist};

static PIECE_KEYS: [[u64; SQUARES]; PIECES] = zobrist::table(0x7761_7075_7a75);
/// Multiplied by the count: hand keys add up.
static HAND_KEYS: [[u64; HAND_KINDS]; 2] = zobrist::table(0x7761_6d6f_6368);

/// Wa shogi as a form of shogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wa;

/// A position of wa shogi and the moves that led to it. Each side has a king.
pub type Position = common::Position<Wa>;

/// Pieces by kind, and by class of kinds that move alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    kinds: [Bitboard; KINDS],
    classes: [Bitboard; CLASSES],
}

impl common::Sets for Sets {
    type Kind = PieceKind;
    type Square = Square;

    #[inline]
    fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    #[inline]
    fn toggle(&mut self, kind: PieceKind, bit: Bitboard) {
        self.kinds[kind.index()] ^= bit;
        self.classes[class_of(kind)] ^= bit;
    }
}

impl Position {
    /// For each slider of `attacker` that one single piece keeps from `king`: that
    /// piece, and the squares from the king's neighbour up to the slider's.
    #[inline]
    pub(super) fn blocked_lines(
        &self,
        attacker: Color,
        king: Square,
    ) -> impl Iterator<Item = (Square, Bitboard, Square)> {
        let occupied = self.occupied();
        Wa::snipers(self, attacker, king).filter_map(move |sniper| {
            let between = attacks::between(king, sniper);
            let blockers = between & occupied;
            let blocker = blockers.first()?;
            (!blockers.more_than_one()).then_some((blocker, between, sniper))
        })
    }

    /// Where a piece that is not the king can end the check of the only checker: on
    /// it, or between when it slides.
    #[inline]
    pub(super) fn evasion_targets(&self, color: Color, checker: Square) -> Bitboard {
        let king = self.kings[color];
        let on = Bitboard::of(checker);
        match self.piece_on(checker) {
            Some(piece)
                if !attacks::leaps(piece.color, class_of(piece.kind), checker).contains(king) =>
            {
                on | attacks::between(king, checker)
            }
            _ => on,
        }
    }
}

impl Form for Wa {
    type Square = Square;
    type Kind = PieceKind;
    type Rules = Rules;
    type Sets = Sets;
    type Mailbox = [Option<Piece>; SQUARES];
    type King = Square;

    const SIDE_KEY: u64 = zobrist::splitmix64(0x7761_7465_6261).1;

    #[inline]
    fn piece_key(piece: Piece, square: Square) -> u64 {
        PIECE_KEYS[piece.index()][square.index()]
    }

    #[inline]
    fn hand_key(color: Color, kind: PieceKind) -> u64 {
        HAND_KEYS[color.index()][kind.index() % HAND_KINDS]
    }

    #[inline]
    fn booty(rules: &Rules, kind: PieceKind) -> Option<PieceKind> {
        rules.drops.then(|| kind.unpromoted())
    }

    #[inline]
    fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        attacks::attacks(piece, from, occupied)
    }

    #[inline]
    fn live_squares(color: Color, kind: PieceKind) -> Bitboard {
        attacks::live_squares(color, kind)
    }

    #[inline]
    fn promotion_zone(color: Color) -> Bitboard {
        attacks::promotion_zone(color)
    }

    #[inline]
    fn between(a: Square, b: Square) -> Bitboard {
        attacks::between(a, b)
    }

    #[inline]
    fn leapers_to(position: &Position, color: Color, square: Square) -> Bitboard {
        let near = attacks::near(square) & position.colors[color];
        if near.is_empty() {
            return near;
        }
        let mut leapers = Bitboard::EMPTY;
        for class in attacks::LEAPERS {
            leapers |= attacks::leaps(!color, class, square) & position.sets.classes[class];
        }
        leapers & near
    }

    #[inline]
    fn snipers(position: &Position, color: Color, square: Square) -> Bitboard {
        let on_rays = attacks::rays(square) & position.colors[color];
        if on_rays.is_empty() {
            return on_rays;
        }
        let mut snipers = Bitboard::EMPTY;
        for class in attacks::SLIDERS {
            snipers |= attacks::reach(!color, class, square) & position.sets.classes[class];
        }
        snipers & on_rays
    }

    #[inline]
    fn sliders_to(
        position: &Position,
        color: Color,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        let snipers = Wa::snipers(position, color, square);
        if snipers.is_empty() {
            return snipers;
        }
        attacks::queen(square, occupied) & snipers
    }

    #[inline]
    fn pin_line(position: &Position, color: Color, from: Square) -> Bitboard {
        // Up to the slider that pins it, which it may capture, but not over it or
        // over its own king.
        position
            .blocked_lines(!color, position.kings[color])
            .filter(|&(blocker, ..)| blocker == from)
            .map(|(_, between, sniper)| between | Bitboard::of(sniper))
            .fold(Bitboard::ALL, |set, line| set & line)
    }
}
