//! What shogi has of its own in a position: its board, keys and attacks.

use super::attacks;
use super::hand::Hand;
use super::piece::{HAND_KINDS, KINDS, PIECES, Piece, PieceKind};
use super::rules::Rules;
use super::square::{Bitboard, SQUARES, Square};
use crate::common::{self, Form};
use crate::core::color::ByColor;
use crate::core::{Color, zobrist};

static PIECE_KEYS: [[u64; SQUARES]; PIECES] = zobrist::table(0x7473_7572_7521);
/// Multiplied by the count: hand keys add up.
static HAND_KEYS: [[u64; HAND_KINDS]; 2] = zobrist::table(0x6d6f_6368_6967);

/// Shogi as a form of shogi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shogi;

/// A position of shogi and the moves that led to it.
pub type Position = common::Position<Shogi>;

/// Pieces by kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sets {
    kinds: [Bitboard; KINDS],
    /// Gold and the promoted pieces that move like it.
    golds: Bitboard,
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
        if kind.moves_as_gold() {
            self.golds ^= bit;
        }
    }
}

impl Position {
    /// A position with these pieces. The caller has checked that no side has two
    /// kings and that hands are within [`super::hand::MAX_SET_UP`].
    pub(crate) fn set_up(
        board: [Option<Piece>; SQUARES],
        hands: ByColor<Hand>,
        side: Color,
        ply: u32,
        rules: &Rules,
    ) -> Position {
        let king = |color| {
            let king = Some(Piece::new(color, PieceKind::King));
            Square::all().find(|square| board[square.index()] == king)
        };
        let kings = ByColor(Color::ALL.map(king));
        Position::with_kings(board, kings, hands, side, ply, rules)
    }

    /// Gold and the promoted pieces that move like it, of both sides.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.sets.golds
    }

    /// Bishops and promoted bishops of both sides.
    #[inline]
    pub fn bishops(&self) -> Bitboard {
        self.of_kind(PieceKind::Bishop) | self.of_kind(PieceKind::Horse)
    }

    /// Rooks and promoted rooks of both sides.
    #[inline]
    pub fn rooks(&self) -> Bitboard {
        self.of_kind(PieceKind::Rook) | self.of_kind(PieceKind::Dragon)
    }
}

impl Form for Shogi {
    type Square = Square;
    type Kind = PieceKind;
    type Rules = Rules;
    type Sets = Sets;
    type Mailbox = [Option<Piece>; SQUARES];
    type King = Option<Square>;

    const SIDE_KEY: u64 = zobrist::splitmix64(0x0074_6562_616e).1;

    #[inline]
    fn piece_key(piece: Piece, square: Square) -> u64 {
        PIECE_KEYS[piece.index()][square.index()]
    }

    #[inline]
    fn hand_key(color: Color, kind: PieceKind) -> u64 {
        HAND_KEYS[color.index()][kind.index() % HAND_KINDS]
    }

    #[inline]
    fn booty(_: &Rules, kind: PieceKind) -> Option<PieceKind> {
        (kind != PieceKind::King).then(|| kind.unpromoted())
    }

    #[inline]
    fn protects_king(rules: &Rules) -> bool {
        rules.protects_king()
    }

    #[inline]
    fn lose_king(king: &mut Option<Square>) {
        *king = None;
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
        use PieceKind::*;
        let of_kind = |kind| position.of_kind(kind);
        let around = of_kind(King) | of_kind(Horse) | of_kind(Dragon);
        position.pieces(color)
            & (attacks::pawn(!color, square) & of_kind(Pawn)
                | attacks::knight(!color, square) & of_kind(Knight)
                | attacks::silver(!color, square) & of_kind(Silver)
                | attacks::gold(!color, square) & position.golds()
                | attacks::king(square) & around)
    }

    #[inline]
    fn snipers(position: &Position, color: Color, square: Square) -> Bitboard {
        position.pieces(color)
            & (attacks::forward(!color, square) & position.of_kind(PieceKind::Lance)
                | attacks::bishop_rays(square) & position.bishops()
                | attacks::rook_rays(square) & position.rooks())
    }

    #[inline]
    fn sliders_to(
        position: &Position,
        color: Color,
        square: Square,
        occupied: Bitboard,
    ) -> Bitboard {
        position.pieces(color)
            & (attacks::lance(!color, square, occupied) & position.of_kind(PieceKind::Lance)
                | attacks::bishop(square, occupied) & position.bishops()
                | attacks::rook(square, occupied) & position.rooks())
    }

    #[inline]
    fn pin_line(position: &Position, color: Color, from: Square) -> Bitboard {
        position
            .king(color)
            .map_or(Bitboard::ALL, |king| attacks::line(king, from))
    }
}
