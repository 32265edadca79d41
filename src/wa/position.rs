//! A position with its history: board, hands, make and unmake.
//!
//! The board is kept twice, as a mailbox (what stands on a square) and as bitboards
//! (where a kind, and a class of kinds that move alike, stands). Keys, checkers and
//! pinned pieces of the side to move are brought up to date by every move; the
//! state before is pushed on a stack that also serves the repetition rules.

use super::attacks::{self, CLASSES, class_of};
use super::hand::Hand;
use super::moves::{Move, Source};
use super::piece::{HAND_KINDS, KINDS, PIECES, Piece, PieceKind};
use super::rules::Rules;
use super::square::{Bitboard, SQUARES, Square};
use crate::core::Color;
use crate::core::color::ByColor;
use crate::core::zobrist;
use crate::game::Repetition;
use crate::recurrence::{Occurrence, Path, SeenBoards};

static PIECE_KEYS: [[u64; SQUARES]; PIECES] = zobrist::table(0x7761_7075_7a75);
/// Multiplied by the count: hand keys add up.
static HAND_KEYS: [[u64; HAND_KINDS]; 2] = zobrist::table(0x7761_6d6f_6368);
/// Flips with the side to move.
const SIDE_KEY: u64 = zobrist::splitmix64(0x7761_7465_6261).1;

/// What a move changes beyond the board, and how to take it back.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// Enemy pieces that give check to the side to move.
    pub(super) checkers: Bitboard,
    /// Pieces of either colour that alone keep an enemy slider from the king of
    /// the side to move.
    pub(super) pinned: Bitboard,
    /// Key of the board and the side to move.
    board_key: u64,
    /// Key of both hands.
    hand_key: u64,
    /// Key of the unpromoted pawns on the board.
    pawn_key: u64,
    /// The hand of the side to move.
    hand: Hand,
    /// For each side, how many of its last moves gave check without a break.
    checks: ByColor<u16>,
    /// Plies since the set-up or the last pass.
    reach: u16,
    /// The move that led here; `None` at the set-up and after a pass.
    last_move: Option<Move>,
    /// What it captured.
    captured: Option<Piece>,
}

/// A position of wa shogi and the moves that led to it. Each side has a king.
#[derive(Clone)]
pub struct Position {
    kinds: [Bitboard; KINDS],
    classes: [Bitboard; CLASSES],
    pub(super) colors: ByColor<Bitboard>,
    board: [Option<Piece>; SQUARES],
    pub(super) hands: ByColor<Hand>,
    pub(super) kings: ByColor<Square>,
    pub(super) side: Color,
    ply: u32,
    pub(super) state: State,
    past: Vec<State>,
    seen: SeenBoards,
    pub(super) rules: Rules,
}

impl Position {
    /// A position with these pieces. The caller has checked that each side has one
    /// king, and that no kind has more pieces than the game.
    pub(super) fn set_up(
        board: [Option<Piece>; SQUARES],
        kings: ByColor<Square>,
        hands: ByColor<Hand>,
        side: Color,
        ply: u32,
        rules: &Rules,
    ) -> Position {
        let mut position = Position {
            kinds: [Bitboard::EMPTY; KINDS],
            classes: [Bitboard::EMPTY; CLASSES],
            colors: ByColor::default(),
            board: [None; SQUARES],
            hands,
            kings,
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

    /// Where a side's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
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

    /// Enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.state.checkers
    }

    /// Key of board, hands and side to move.
    #[inline]
    pub fn key(&self) -> u64 {
        self.state.board_key ^ self.state.hand_key
    }

    /// Key of the board and the side to move, without the hands.
    #[inline]
    pub fn board_key(&self) -> u64 {
        self.state.board_key
    }

    /// Key of the unpromoted pawns on the board.
    #[inline]
    pub fn pawn_key(&self) -> u64 {
        self.state.pawn_key
    }

    /// Key of both hands.
    #[inline]
    pub fn hand_key(&self) -> u64 {
        self.state.hand_key
    }

    /// The keys of what `key` gives for a piece on its square, together.
    fn compute_key(&self, key: fn(Piece, Square) -> u64) -> u64 {
        Square::all()
            .filter_map(|square| self.piece_on(square).map(|piece| key(piece, square)))
            .fold(0, |sum, key| sum ^ key)
    }

    /// The pawn key, from scratch.
    fn compute_pawn_key(&self) -> u64 {
        self.compute_key(pawn_key)
    }

    /// The board key, from scratch.
    fn compute_board_key(&self) -> u64 {
        let side = match self.side {
            Color::White => SIDE_KEY,
            Color::Black => 0,
        };
        side ^ self.compute_key(piece_key)
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
        let Position {
            board,
            kings,
            hands,
            side,
            ply,
            ..
        } = self;
        let fresh = Position::set_up(*board, *kings, *hands, *side, *ply, &self.rules);
        assert_eq!(self.kinds, fresh.kinds);
        assert_eq!(self.classes, fresh.classes);
        assert_eq!(self.colors, fresh.colors);
        for color in Color::ALL {
            let king = Piece::new(color, PieceKind::King);
            assert_eq!(self.piece_on(self.kings[color]), Some(king));
        }
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
        self.classes[class_of(piece.kind)] ^= bit;
        self.colors[piece.color] ^= bit;
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
        self.leapers_to(color, square) | self.sliders_to(color, square, occupied)
    }

    /// Pieces of `color` that attack `square` by a step or a jump.
    #[inline]
    fn leapers_to(&self, color: Color, square: Square) -> Bitboard {
        let near = attacks::near(square) & self.colors[color];
        if near.is_empty() {
            return near;
        }
        let mut leapers = Bitboard::EMPTY;
        for class in attacks::LEAPERS {
            leapers |= attacks::leaps(!color, class, square) & self.classes[class];
        }
        leapers & near
    }

    /// Pieces of `color` that attack `square` by a slide.
    #[inline]
    pub(super) fn sliders_to(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        let snipers = self.snipers(color, square);
        if snipers.is_empty() {
            return snipers;
        }
        attacks::queen(square, occupied) & snipers
    }

    /// Sliders of `color` that would attack `square` on an empty board.
    #[inline]
    fn snipers(&self, color: Color, square: Square) -> Bitboard {
        let on_rays = attacks::rays(square) & self.colors[color];
        if on_rays.is_empty() {
            return on_rays;
        }
        let mut snipers = Bitboard::EMPTY;
        for class in attacks::SLIDERS {
            snipers |= attacks::reach(!color, class, square) & self.classes[class];
        }
        snipers & on_rays
    }

    /// Whether a piece of `color` attacks `square` when `occupied` squares block.
    #[inline]
    pub fn is_attacked(&self, color: Color, square: Square, occupied: Bitboard) -> bool {
        self.leapers_to(color, square).any()
            || self
                .snipers(color, square)
                .any_square(|sniper| (attacks::between(square, sniper) & occupied).is_empty())
    }

    /// For each slider of `attacker` that one single piece keeps from `king`: that
    /// piece, and the squares from the king's neighbour up to the slider's.
    #[inline]
    pub(super) fn blocked_lines(
        &self,
        attacker: Color,
        king: Square,
    ) -> impl Iterator<Item = (Square, Bitboard, Square)> {
        let occupied = self.occupied();
        self.snipers(attacker, king).filter_map(move |sniper| {
            let between = attacks::between(king, sniper);
            let blockers = between & occupied;
            let blocker = blockers.first()?;
            (!blockers.more_than_one()).then_some((blocker, between, sniper))
        })
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

    /// Where a pinned piece may go: up to the slider that pins it, which it may
    /// capture, but not over it or over its own king.
    pub(super) fn pin_line(&self, color: Color, from: Square) -> Bitboard {
        self.blocked_lines(!color, self.kings[color])
            .filter(|&(blocker, ..)| blocker == from)
            .map(|(_, between, sniper)| between | Bitboard::of(sniper))
            .fold(Bitboard::ALL, |set, line| set & line)
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

    /// Brings `checkers` and `pinned` up to date.
    #[inline]
    fn find_checkers(&mut self) {
        let them = !self.side;
        let king = self.kings[self.side];
        let (pinned, free) = self.blockers(them, king);
        self.state.checkers = self.leapers_to(them, king) | free;
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
                    if self.rules.drops {
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
                    self.kings[us] = to;
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
        self.take(to, after);
        match m.source() {
            Source::Hand(kind) => self.hands[us].add(kind),
            Source::Board(from) => {
                let kind = if m.is_promotion() {
                    after.kind.unpromoted()
                } else {
                    after.kind
                };
                self.put(from, Piece::new(us, kind));
                if kind == PieceKind::King {
                    self.kings[us] = from;
                }
                if let Some(victim) = self.state.captured {
                    self.put(to, victim);
                    if self.rules.drops {
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

    /// The keys of board and hands after a move.
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
                    if self.rules.drops {
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

    // Recurrence.

    #[inline]
    fn path(&self) -> Path<'_, State> {
        Path {
            now: &self.state,
            past: &self.past,
            seen: &self.seen,
            perpetual_check_loses: true,
        }
    }

    /// What the position means for the side to move as a recurrence, decided at
    /// its first one.
    #[inline]
    pub fn repetition(&self) -> Repetition {
        self.path().repetition(self.side)
    }

    /// How often the position has occurred in the game, this time included.
    pub fn occurrences(&self) -> usize {
        self.path().occurrences()
    }

    /// Whether the game ends by repetition here. `Some(None)` is no contest,
    /// `Some(Some(color))` a loss for `color`, who gave perpetual check.
    pub fn sennichite(&self) -> Option<Option<Color>> {
        self.path().sennichite()
    }
}

impl Occurrence for State {
    type Hand = Hand;

    #[inline]
    fn board_key(&self) -> u64 {
        self.board_key
    }

    #[inline]
    fn hand(&self) -> Hand {
        self.hand
    }

    #[inline]
    fn checks(&self) -> &ByColor<u16> {
        &self.checks
    }

    #[inline]
    fn reach(&self) -> u16 {
        self.reach
    }

    #[inline]
    fn covers(hand: Hand, other: Hand) -> bool {
        hand.covers(other)
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
