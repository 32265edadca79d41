//! A position with its history: board, hands, make and unmake.
//!
//! The board is kept twice, as a mailbox (what stands on a square) and as
//! bitboards (where a kind stands). Keys, checkers and pinned pieces of the side
//! to move are brought up to date by every move; the state before is pushed on
//! a stack that also serves the repetition rules (`repetition`).

use super::attacks;
use super::hand::Hand;
use super::moves::{Move, Source};
use super::piece::{HAND_KINDS, KINDS, PIECES, Piece, PieceKind};
use super::repetition::SeenBoards;
use super::rules::Rules;
use super::square::{Bitboard, SQUARES, Square};
use crate::core::Color;
use crate::core::color::ByColor;
use crate::core::zobrist;

static PIECE_KEYS: [[u64; SQUARES]; PIECES] = zobrist::table(0x7473_7572_7521);
/// Multiplied by the count: hand keys add up.
static HAND_KEYS: [[u64; HAND_KINDS]; 2] = zobrist::table(0x6d6f_6368_6967);
/// Flips with the side to move.
const SIDE_KEY: u64 = zobrist::splitmix64(0x0074_6562_616e).1;

/// What a move changes beyond the board, and how to take it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    /// Enemy pieces that give check to the side to move.
    pub(super) checkers: Bitboard,
    /// Pieces of either colour that alone keep an enemy slider from the king of
    /// the side to move.
    pub(super) pinned: Bitboard,
    /// Key of the board and the side to move.
    pub(super) board_key: u64,
    /// Key of both hands.
    pub(super) hand_key: u64,
    /// Key of the pawns on the board, tokins excluded.
    pub(super) pawn_key: u64,
    /// The hand of the side to move.
    pub(super) hand: Hand,
    /// For each side, how many of its last moves gave check without a break.
    pub(super) checks: ByColor<u16>,
    /// Plies since the set-up or the last pass: how far back a position can
    /// recur.
    pub(super) reach: u16,
    /// The move that led here; `None` at the set-up and after a pass.
    pub(super) last_move: Option<Move>,
    /// What it captured.
    pub(super) captured: Option<Piece>,
}

/// A position of shogi and the moves that led to it.
#[derive(Clone)]
pub struct Position {
    pub(super) kinds: [Bitboard; KINDS],
    pub(super) colors: ByColor<Bitboard>,
    /// Gold and the promoted pieces that move like it.
    pub(super) golds: Bitboard,
    board: [Option<Piece>; SQUARES],
    pub(super) hands: ByColor<Hand>,
    pub(super) kings: ByColor<Option<Square>>,
    pub(super) side: Color,
    ply: u32,
    pub(super) state: State,
    pub(super) past: Vec<State>,
    pub(super) seen: SeenBoards,
    pub(super) rules: Rules,
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
        let mut position = Position {
            kinds: [Bitboard::EMPTY; KINDS],
            colors: ByColor::default(),
            golds: Bitboard::EMPTY,
            board: [None; SQUARES],
            hands,
            kings: ByColor::default(),
            side,
            ply,
            state: State {
                checkers: Bitboard::EMPTY,
                pinned: Bitboard::EMPTY,
                board_key: 0,
                hand_key: 0,
                pawn_key: 0,
                hand: hands[side],
                checks: ByColor::default(),
                reach: 0,
                last_move: None,
                captured: None,
            },
            past: Vec::with_capacity(512),
            seen: SeenBoards::default(),
            rules: rules.clone(),
        };
        for square in Square::all() {
            if let Some(piece) = board[square.index()] {
                position.put(square, piece);
                if piece.kind == PieceKind::King {
                    position.kings[piece.color] = Some(square);
                }
            }
        }
        position.state.board_key = position.compute_board_key();
        position.state.hand_key = position.compute_hand_key();
        position.state.pawn_key = position.compute_pawn_key();
        position.find_checkers();
        position.seen.add(position.state.board_key);
        position
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.board[square.index()]
    }

    /// The pieces that a side has in hand.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand {
        self.hands[color]
    }

    /// Where a side's king stands, if it has one.
    #[inline]
    pub fn king(&self, color: Color) -> Option<Square> {
        self.kings[color]
    }

    /// All pieces on the board.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[Color::Black] | self.colors[Color::White]
    }

    /// The pieces of one side on the board.
    #[inline]
    pub fn pieces(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// The pieces of one kind on the board, of both sides.
    #[inline]
    pub fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// The pieces of one side and kind on the board.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: PieceKind) -> Bitboard {
        self.colors[color] & self.of_kind(kind)
    }

    /// Gold and the promoted pieces that move like it, of both sides.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.golds
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

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// Number of the next move of the game, from 1.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The rules in force.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Puts other rules in force; the history stays.
    pub fn set_rules(&mut self, rules: Rules) {
        self.rules = rules;
    }

    /// Enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Pieces of either colour that alone keep an enemy slider from the king of
    /// the side to move.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.state.pinned
    }

    /// The move that led here, unless this is the set-up or a pass.
    pub fn last_move(&self) -> Option<Move> {
        self.state.last_move
    }

    /// Key of board, hands and side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.board_key ^ self.state.hand_key
    }

    /// Key of the pawns on the board, tokins excluded.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.state.pawn_key
    }

    /// Key of both hands.
    #[inline]
    pub fn hand_key(&self) -> u64 {
        self.state.hand_key
    }

    /// The pawn key, from scratch.
    fn compute_pawn_key(&self) -> u64 {
        Square::all()
            .filter_map(|square| self.piece_on(square).map(|piece| pawn_key(piece, square)))
            .fold(0, |key, pawn_key| key ^ pawn_key)
    }

    /// The board key, from scratch.
    fn compute_board_key(&self) -> u64 {
        let side = if self.side == Color::White {
            SIDE_KEY
        } else {
            0
        };
        Square::all()
            .filter_map(|square| self.piece_on(square).map(|piece| piece_key(piece, square)))
            .fold(side, |key, piece_key| key ^ piece_key)
    }

    /// The hand key, from scratch.
    fn compute_hand_key(&self) -> u64 {
        let mut key = 0u64;
        for color in Color::ALL {
            for (kind, count) in self.hands[color].iter() {
                let keys = hand_key(color, kind).wrapping_mul(u64::from(count));
                key = key.wrapping_add(keys);
            }
        }
        key
    }

    /// Panics unless everything that is kept up to date move by move equals what
    /// a fresh computation gives. For tests.
    pub fn assert_consistent(&self) {
        let fresh = Position::set_up(self.board, self.hands, self.side, self.ply, &self.rules);
        assert_eq!(self.kinds, fresh.kinds);
        assert_eq!(self.colors, fresh.colors);
        assert_eq!(self.golds, fresh.golds);
        assert_eq!(self.kings, fresh.kings);
        assert_eq!(self.state.board_key, fresh.state.board_key);
        assert_eq!(self.state.hand_key, fresh.state.hand_key);
        assert_eq!(self.state.pawn_key, fresh.state.pawn_key);
        assert_eq!(self.state.hand, fresh.state.hand);
        assert_eq!(self.state.checkers, fresh.state.checkers);
        assert_eq!(self.state.pinned, fresh.state.pinned);
    }

    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= bit;
        self.colors[piece.color] ^= bit;
        if piece.kind.moves_as_gold() {
            self.golds ^= bit;
        }
    }

    #[inline]
    fn put(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = Some(piece);
        self.toggle(square, piece);
    }

    #[inline]
    fn take(&mut self, square: Square, piece: Piece) {
        self.board[square.index()] = None;
        self.toggle(square, piece);
    }

    /// Pieces of `color` that attack `square` when `occupied` squares block.
    #[inline]
    pub fn attackers(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        self.colors[color]
            & (self.step_attackers(color, square)
                | attacks::lance(!color, square, occupied) & self.of_kind(PieceKind::Lance)
                | attacks::bishop(square, occupied) & self.bishops()
                | attacks::rook(square, occupied) & self.rooks())
    }

    /// Where pieces of `color` stand that attack `square` by a step; pieces of
    /// the other colour on these squares are not masked out.
    #[inline]
    fn step_attackers(&self, color: Color, square: Square) -> Bitboard {
        use PieceKind::*;
        attacks::pawn(!color, square) & self.of_kind(Pawn)
            | attacks::knight(!color, square) & self.of_kind(Knight)
            | attacks::silver(!color, square) & self.of_kind(Silver)
            | attacks::gold(!color, square) & self.golds
            | attacks::king(square)
                & (self.of_kind(King) | self.of_kind(Horse) | self.of_kind(Dragon))
    }

    /// Sliders of `color` that would attack `square` on an empty board.
    #[inline]
    fn snipers(&self, color: Color, square: Square) -> Bitboard {
        self.colors[color]
            & (attacks::forward(!color, square) & self.of_kind(PieceKind::Lance)
                | attacks::bishop_rays(square) & self.bishops()
                | attacks::rook_rays(square) & self.rooks())
    }

    /// Whether a piece of `color` attacks `square` when `occupied` squares block.
    #[inline]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        (self.step_attackers(color, square) & self.colors[color]).any()
            || self
                .snipers(color, square)
                .any_square(|sniper| (attacks::between(square, sniper) & occupied).is_empty())
    }

    /// Pieces of either colour that alone stand between `king` and a slider of
    /// `attacker`, and the sliders with a free line to it.
    #[inline]
    pub fn blockers(&self, attacker: Color, king: Square) -> (Bitboard, Bitboard) {
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        let mut free = Bitboard::EMPTY;
        for sniper in self.snipers(attacker, king) {
            let between = attacks::between(king, sniper) & occupied;
            if between.is_empty() {
                free |= Bitboard::of(sniper);
            } else if !between.more_than_one() {
                blockers |= between;
            }
        }
        (blockers, free)
    }

    /// Brings `checkers` and `pinned` up to date.
    #[inline]
    fn find_checkers(&mut self) {
        let them = !self.side;
        let (checkers, pinned) = match self.kings[self.side] {
            None => (Bitboard::EMPTY, Bitboard::EMPTY),
            Some(king) => {
                let (pinned, free) = self.blockers(them, king);
                let steps = self.step_attackers(them, king) & self.colors[them];
                (steps | free, pinned)
            }
        };
        self.state.checkers = checkers;
        self.state.pinned = pinned;
    }

    /// Plays a move that obeys the movement of the pieces.
    pub fn make(&mut self, m: Move) {
        let us = self.side;
        let to = m.to();
        self.past.push(self.state);
        let mut board_key = self.state.board_key ^ SIDE_KEY;
        let mut hand_key = self.state.hand_key;
        let mut pawn_key = self.state.pawn_key;
        let mut captured = None;
        match m.source() {
            Source::Hand(kind) => {
                self.hands[us].remove(kind);
                hand_key = hand_key.wrapping_sub(self::hand_key(us, kind));
                let piece = Piece::new(us, kind);
                self.put(to, piece);
                board_key ^= piece_key(piece, to);
                pawn_key ^= self::pawn_key(piece, to);
            }
            Source::Board(from) => {
                let piece = self.mover(from);
                captured = self.piece_on(to);
                if let Some(victim) = captured {
                    self.toggle(to, victim);
                    board_key ^= piece_key(victim, to);
                    pawn_key ^= self::pawn_key(victim, to);
                    if victim.kind == PieceKind::King {
                        self.kings[victim.color] = None;
                    } else {
                        let kind = victim.kind.unpromoted();
                        self.hands[us].add(kind);
                        hand_key = hand_key.wrapping_add(self::hand_key(us, kind));
                    }
                }
                self.take(from, piece);
                let after = Piece::new(us, kind_after(piece.kind, m));
                self.put(to, after);
                board_key ^= piece_key(piece, from) ^ piece_key(after, to);
                pawn_key ^= self::pawn_key(piece, from) ^ self::pawn_key(after, to);
                if piece.kind == PieceKind::King {
                    self.kings[us] = Some(to);
                }
            }
        }
        self.side = !us;
        self.ply += 1;
        self.state.board_key = board_key;
        self.state.hand_key = hand_key;
        self.state.pawn_key = pawn_key;
        self.state.hand = self.hands[!us];
        self.state.reach = self.state.reach.saturating_add(1);
        self.state.last_move = Some(m);
        self.state.captured = captured;
        self.find_checkers();
        let checks = &mut self.state.checks[us];
        *checks = if self.state.checkers.any() {
            checks.saturating_add(1)
        } else {
            0
        };
        self.seen.add(board_key);
    }

    /// Takes the last move back; does nothing at the set-up.
    pub fn unmake(&mut self) {
        let Some(before) = self.past.pop() else {
            return;
        };
        let Some(m) = self.state.last_move else {
            debug_assert!(false, "a pass is taken back by unmake_null");
            self.past.push(before);
            return;
        };
        self.seen.remove(self.state.board_key);
        let us = !self.side;
        self.side = us;
        self.ply -= 1;
        let to = m.to();
        let after = self.mover(to);
        match m.source() {
            Source::Hand(kind) => {
                self.take(to, after);
                self.hands[us].add(kind);
            }
            Source::Board(from) => {
                self.take(to, after);
                let kind = if m.is_promotion() {
                    after.kind.unpromoted()
                } else {
                    after.kind
                };
                self.put(from, Piece::new(us, kind));
                if kind == PieceKind::King {
                    self.kings[us] = Some(from);
                }
                if let Some(victim) = self.state.captured {
                    self.put(to, victim);
                    if victim.kind == PieceKind::King {
                        self.kings[victim.color] = Some(to);
                    } else {
                        self.hands[us].remove(victim.kind.unpromoted());
                    }
                }
            }
        }
        self.state = before;
    }

    /// Passes: only the side to move changes.
    pub fn make_null(&mut self) {
        self.past.push(self.state);
        self.side = !self.side;
        self.ply += 1;
        self.state.board_key ^= SIDE_KEY;
        self.state.hand = self.hands[self.side];
        self.state.reach = 0;
        self.state.checks = ByColor::default();
        self.state.last_move = None;
        self.state.captured = None;
        self.find_checkers();
        self.seen.add(self.state.board_key);
    }

    /// Takes a pass back; does nothing at the set-up.
    pub fn unmake_null(&mut self) {
        if let Some(before) = self.past.pop() {
            self.seen.remove(self.state.board_key);
            self.side = !self.side;
            self.ply -= 1;
            self.state = before;
        }
    }

    /// The key after a move.
    #[inline]
    pub fn key_after(&self, m: Move) -> u64 {
        let (board, hand) = self.keys_after(m);
        board ^ hand
    }

    /// Key of the board and the side to move, without the hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.state.board_key
    }

    /// The board key and the hand key after a move.
    #[inline]
    pub(super) fn keys_after(&self, m: Move) -> (u64, u64) {
        let us = self.side;
        let to = m.to();
        let mut board = self.state.board_key ^ SIDE_KEY;
        let mut hand = self.state.hand_key;
        match m.source() {
            Source::Hand(kind) => {
                board ^= piece_key(Piece::new(us, kind), to);
                hand = hand.wrapping_sub(hand_key(us, kind));
            }
            Source::Board(from) => {
                let piece = self.mover(from);
                let after = Piece::new(us, kind_after(piece.kind, m));
                board ^= piece_key(piece, from) ^ piece_key(after, to);
                if let Some(victim) = self.piece_on(to) {
                    board ^= piece_key(victim, to);
                    if victim.kind != PieceKind::King {
                        hand = hand.wrapping_add(hand_key(us, victim.kind.unpromoted()));
                    }
                }
            }
        }
        (board, hand)
    }

    /// The piece that stands on the source of a move.
    #[inline]
    fn mover(&self, square: Square) -> Piece {
        self.piece_on(square)
            .expect("a legal move starts on a piece")
    }

    /// The kind that the moving piece has after a move.
    #[inline]
    pub fn moved_kind(&self, m: Move) -> PieceKind {
        match m.source() {
            Source::Hand(kind) => kind,
            Source::Board(from) => kind_after(self.mover(from).kind, m),
        }
    }
}

#[inline]
fn kind_after(kind: PieceKind, m: Move) -> PieceKind {
    if m.is_promotion() {
        kind.promoted().unwrap_or(kind)
    } else {
        kind
    }
}

#[inline]
fn piece_key(piece: Piece, square: Square) -> u64 {
    PIECE_KEYS[piece.index()][square.index()]
}

/// The piece's part of the pawn key: 0 for other pieces.
#[inline]
fn pawn_key(piece: Piece, square: Square) -> u64 {
    if piece.kind == PieceKind::Pawn {
        piece_key(piece, square)
    } else {
        0
    }
}

#[inline]
fn hand_key(color: Color, kind: PieceKind) -> u64 {
    HAND_KEYS[color.index()][kind.index() % HAND_KINDS]
}
