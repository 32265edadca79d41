//! A position with its history: board, hands, make and unmake.
//!
//! The board is kept twice, as a mailbox (what stands on a square) and as bitboards:
//! the pieces of each colour, and what else the game wants at hand ([`Sets`]). Keys,
//! checkers and pinned pieces of the side to move are brought up to date by every
//! move; the state before is pushed on a stack that also serves the repetition rules
//! ([`crate::recurrence`]).

use std::fmt::Debug;

use super::{Hand, Kind, Move, Piece, Source};
use crate::core::color::ByColor;
use crate::core::{Bitboard, Color, SquareIndex};
use crate::game::Repetition;
use crate::recurrence::{Occurrence, Path, SeenBoards};

/// A set of squares of a game.
pub type Set<F> = Bitboard<<F as Form>::Square>;

/// A form of shogi: what one game has of its own, as far as positions go. The
/// implementing type has no value that matters.
///
/// Attacks "of a colour on a square" are those of its pieces on the board.
pub trait Form: Copy + Eq + Debug + Send + Sync + 'static {
    /// A square of the board.
    type Square: SquareIndex;
    /// A kind of piece.
    type Kind: Kind;
    /// The choices that the rules leave open.
    type Rules: Clone + Default + Send + Sync;
    /// The sets of pieces that are kept up to date.
    type Sets: Sets<Kind = Self::Kind, Square = Self::Square>;
    /// What stands on each square, by number.
    type Mailbox: Copy
        + AsRef<[Option<Piece<Self::Kind>>]>
        + AsMut<[Option<Piece<Self::Kind>>]>
        + Send
        + Sync;
    /// Where a side's king stands: a square, optional in games that can do without
    /// kings.
    type King: Copy + Eq + Debug + From<Self::Square> + Into<Option<Self::Square>> + Send + Sync;

    /// Flips the board key with the side to move.
    const SIDE_KEY: u64;

    /// The random key of a piece on a square.
    fn piece_key(piece: Piece<Self::Kind>, square: Self::Square) -> u64;

    /// The random key of a piece in hand. Multiplied by the count: hand keys add up.
    fn hand_key(color: Color, kind: Self::Kind) -> u64;

    /// What a captured piece of a kind becomes in its captor's hand, if anything.
    fn booty(rules: &Self::Rules, kind: Self::Kind) -> Option<Self::Kind>;

    /// Whether the rules of check are in force: one's king must not be left attacked,
    /// nor the other mated with a pawn drop; repetition ends the game, and perpetual
    /// check loses it.
    fn protects_king(_rules: &Self::Rules) -> bool {
        true
    }

    /// Notes that a king is captured, where kings are.
    fn lose_king(_king: &mut Self::King) {}

    /// Squares that `piece` attacks from `from`, own pieces included.
    fn attacks(piece: Piece<Self::Kind>, from: Self::Square, occupied: Set<Self>) -> Set<Self>;

    /// The squares where `kind` of `color` could move at all, were the board empty.
    fn live_squares(color: Color, kind: Self::Kind) -> Set<Self>;

    /// The ranks where pieces of `color` promote.
    fn promotion_zone(color: Color) -> Set<Self>;

    /// The squares strictly between two squares of one line; empty when they are on
    /// no common line.
    fn between(a: Self::Square, b: Self::Square) -> Set<Self>;

    /// Pieces of `color` that attack `square` whatever stands between.
    fn leapers_to(position: &Position<Self>, color: Color, square: Self::Square) -> Set<Self>;

    /// Sliders of `color` that would attack `square` on an empty board.
    fn snipers(position: &Position<Self>, color: Color, square: Self::Square) -> Set<Self>;

    /// Sliders of `color` that attack `square` when `occupied` squares block.
    fn sliders_to(
        position: &Position<Self>,
        color: Color,
        square: Self::Square,
        occupied: Set<Self>,
    ) -> Set<Self>;

    /// Where a pinned piece of `color` on `from` may go, for its king's sake.
    fn pin_line(position: &Position<Self>, color: Color, from: Self::Square) -> Set<Self>;
}

/// Sets of pieces of both colours.
pub trait Sets: Clone + Default + PartialEq + Debug + Send + Sync {
    /// A kind of piece.
    type Kind;
    /// A square of the board.
    type Square: SquareIndex;

    /// The pieces of a kind.
    fn of_kind(&self, kind: Self::Kind) -> Bitboard<Self::Square>;

    /// Adds the piece of a kind on the square of `bit`, or removes it.
    fn toggle(&mut self, kind: Self::Kind, bit: Bitboard<Self::Square>);
}

/// What a move changes beyond the board, and how to take it back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<F: Form> {
    /// Enemy pieces that give check to the side to move.
    pub(crate) checkers: Set<F>,
    /// Pieces of either colour that alone keep an enemy slider from the king of
    /// the side to move.
    pub(crate) pinned: Set<F>,
    /// Key of the board and the side to move.
    board_key: u64,
    /// Key of both hands.
    hand_key: u64,
    /// Key of the unpromoted pawns on the board.
    pawn_key: u64,
    /// The hand of the side to move.
    hand: Hand<F::Kind>,
    /// For each side, how many of its last moves gave check without a break.
    checks: ByColor<u16>,
    /// Plies since the set-up or the last pass: how far back a position can
    /// recur.
    reach: u16,
    /// The move that led here; `None` at the set-up and after a pass.
    last_move: Option<Move<F::Kind, F::Square>>,
    /// What it captured.
    pub(crate) captured: Option<Piece<F::Kind>>,
}

/// A position of a game and the moves that led to it.
#[derive(Clone)]
pub struct Position<F: Form> {
    pub(crate) sets: F::Sets,
    pub(crate) colors: ByColor<Set<F>>,
    board: F::Mailbox,
    pub(crate) hands: ByColor<Hand<F::Kind>>,
    pub(crate) kings: ByColor<F::King>,
    pub(crate) side: Color,
    ply: u32,
    pub(crate) state: State<F>,
    past: Vec<State<F>>,
    seen: SeenBoards,
    pub(crate) rules: F::Rules,
}

impl<F: Form> Position<F> {
    /// A position with these pieces, whose kings stand there. The caller has checked
    /// that no side has two kings, and that hands overflow in no game.
    pub(crate) fn with_kings(
        board: F::Mailbox,
        kings: ByColor<F::King>,
        hands: ByColor<Hand<F::Kind>>,
        side: Color,
        ply: u32,
        rules: &F::Rules,
    ) -> Self {
        let mut position = Position {
            sets: F::Sets::default(),
            colors: ByColor::default(),
            board,
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
        for square in Set::<F>::ALL {
            if let Some(piece) = position.piece_on(square) {
                position.toggle(square, piece);
            }
        }
        position.state.board_key = position.compute_board_key();
        position.state.hand_key = position.compute_hand_key();
        position.state.pawn_key = position.compute_key(pawn_key::<F>);
        position.find_checkers();
        position.seen.add(position.state.board_key);
        position
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: F::Square) -> Option<Piece<F::Kind>> {
        self.board.as_ref()[square.index()]
    }

    /// The pieces that a side has in hand.
    #[inline]
    pub fn hand(&self, color: Color) -> Hand<F::Kind> {
        self.hands[color]
    }

    /// Both hands together.
    #[inline]
    pub fn both_hands(&self) -> Hand<F::Kind> {
        self.hands[Color::Black].plus(self.hands[Color::White])
    }

    /// Where a side's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> F::King {
        self.kings[color]
    }

    /// Where a side's king stands, if it has one.
    #[inline]
    pub(crate) fn king_square(&self, color: Color) -> Option<F::Square> {
        self.kings[color].into()
    }

    /// All pieces on the board.
    #[inline]
    pub fn occupied(&self) -> Set<F> {
        self.colors[Color::Black] | self.colors[Color::White]
    }

    /// The pieces of one side on the board.
    #[inline]
    pub fn pieces(&self, color: Color) -> Set<F> {
        self.colors[color]
    }

    /// The pieces of one kind on the board, of both sides.
    #[inline]
    pub fn of_kind(&self, kind: F::Kind) -> Set<F> {
        self.sets.of_kind(kind)
    }

    /// The pieces of one side and kind on the board.
    #[inline]
    pub fn pieces_of(&self, color: Color, kind: F::Kind) -> Set<F> {
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
    pub fn rules(&self) -> &F::Rules {
        &self.rules
    }

    /// Enemy pieces that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Set<F> {
        self.state.checkers
    }

    /// Pieces of either colour that alone keep an enemy slider from the king of
    /// the side to move.
    #[inline]
    pub fn pinned(&self) -> Set<F> {
        self.state.pinned
    }

    /// The move that led here, unless this is the set-up or a pass.
    pub fn last_move(&self) -> Option<Move<F::Kind, F::Square>> {
        self.state.last_move
    }

    // Keys.

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

    /// What `key` gives for all pieces on their squares, together.
    fn compute_key(&self, key: fn(Piece<F::Kind>, F::Square) -> u64) -> u64 {
        self.occupied()
            .filter_map(|square| self.piece_on(square).map(|piece| key(piece, square)))
            .fold(0, |sum, key| sum ^ key)
    }

    /// The board key, from scratch.
    fn compute_board_key(&self) -> u64 {
        let side = match self.side {
            Color::White => F::SIDE_KEY,
            Color::Black => 0,
        };
        side ^ self.compute_key(F::piece_key)
    }

    /// The hand key, from scratch.
    fn compute_hand_key(&self) -> u64 {
        let mut key = 0u64;
        for color in Color::ALL {
            for (kind, count) in self.hands[color].iter() {
                let keys = F::hand_key(color, kind).wrapping_mul(u64::from(count));
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
            rules,
            ..
        } = self;
        let fresh = Position::<F>::with_kings(*board, *kings, *hands, *side, *ply, rules);
        assert_eq!(self.sets, fresh.sets);
        assert_eq!(self.colors, fresh.colors);
        for color in Color::ALL {
            let on_board = self.pieces_of(color, F::Kind::KING).first();
            assert_eq!(self.king_square(color), on_board);
        }
        assert_eq!(self.state.board_key, fresh.state.board_key);
        assert_eq!(self.state.hand_key, fresh.state.hand_key);
        assert_eq!(self.state.pawn_key, fresh.state.pawn_key);
        assert_eq!(self.state.hand, fresh.state.hand);
        assert_eq!(self.state.checkers, fresh.state.checkers);
        assert_eq!(self.state.pinned, fresh.state.pinned);
    }

    #[inline]
    fn toggle(&mut self, square: F::Square, piece: Piece<F::Kind>) {
        let bit = Bitboard::of(square);
        self.sets.toggle(piece.kind, bit);
        self.colors[piece.color] ^= bit;
    }

    #[inline]
    fn put(&mut self, square: F::Square, piece: Piece<F::Kind>) {
        self.board.as_mut()[square.index()] = Some(piece);
        self.toggle(square, piece);
    }

    #[inline]
    fn take(&mut self, square: F::Square, piece: Piece<F::Kind>) {
        self.board.as_mut()[square.index()] = None;
        self.toggle(square, piece);
    }

    // Attacks.

    /// Pieces of `color` that attack `square` when `occupied` squares block.
    #[inline]
    pub fn attackers(&self, color: Color, square: F::Square, occupied: Set<F>) -> Set<F> {
        F::leapers_to(self, color, square) | F::sliders_to(self, color, square, occupied)
    }

    /// Whether a piece of `color` attacks `square` when `occupied` squares block.
    #[inline]
    pub fn is_attacked(&self, color: Color, square: F::Square, occupied: Set<F>) -> bool {
        F::leapers_to(self, color, square).any()
            || F::snipers(self, color, square)
                .any_square(|sniper| (F::between(square, sniper) & occupied).is_empty())
    }

    /// Pieces of either colour that alone stand between `king` and a slider of
    /// `attacker`, and the sliders with a free line to it.
    #[inline]
    pub fn blockers(&self, attacker: Color, king: F::Square) -> (Set<F>, Set<F>) {
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        let mut free = Bitboard::EMPTY;
        for sniper in F::snipers(self, attacker, king) {
            let between = F::between(king, sniper) & occupied;
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
        let (checkers, pinned) = match self.king_square(self.side) {
            None => (Bitboard::EMPTY, Bitboard::EMPTY),
            Some(king) => {
                let (pinned, free) = self.blockers(them, king);
                (F::leapers_to(self, them, king) | free, pinned)
            }
        };
        self.state.checkers = checkers;
        self.state.pinned = pinned;
    }

    // Playing.

    /// Plays a move that obeys the movement of the pieces.
    pub fn make(&mut self, m: Move<F::Kind, F::Square>) {
        let us = self.side;
        let to = m.to();
        self.past.push(self.state);
        let mut board_key = self.state.board_key ^ F::SIDE_KEY;
        let mut hand_key = self.state.hand_key;
        let mut pawn_key = self.state.pawn_key;
        let mut captured = None;
        match m.source() {
            Source::Hand(kind) => {
                self.hands[us].remove(kind);
                hand_key = hand_key.wrapping_sub(F::hand_key(us, kind));
                let piece = Piece::new(us, kind);
                self.put(to, piece);
                board_key ^= F::piece_key(piece, to);
                pawn_key ^= self::pawn_key::<F>(piece, to);
            }
            Source::Board(from) => {
                let piece = self.mover(from);
                captured = self.piece_on(to);
                if let Some(victim) = captured {
                    self.toggle(to, victim);
                    board_key ^= F::piece_key(victim, to);
                    pawn_key ^= self::pawn_key::<F>(victim, to);
                    if let Some(kind) = F::booty(&self.rules, victim.kind) {
                        self.hands[us].add(kind);
                        hand_key = hand_key.wrapping_add(F::hand_key(us, kind));
                    } else if victim.kind == F::Kind::KING {
                        F::lose_king(&mut self.kings[victim.color]);
                    }
                }
                self.take(from, piece);
                let after = Piece::new(us, kind_after(piece.kind, m));
                self.put(to, after);
                board_key ^= F::piece_key(piece, from) ^ F::piece_key(after, to);
                pawn_key ^= self::pawn_key::<F>(piece, from) ^ self::pawn_key::<F>(after, to);
                if piece.kind == F::Kind::KING {
                    self.kings[us] = to.into();
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
                if kind == F::Kind::KING {
                    self.kings[us] = from.into();
                }
                if let Some(victim) = self.state.captured {
                    self.put(to, victim);
                    if let Some(kind) = F::booty(&self.rules, victim.kind) {
                        self.hands[us].remove(kind);
                    } else if victim.kind == F::Kind::KING {
                        self.kings[victim.color] = to.into();
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
        self.state.board_key ^= F::SIDE_KEY;
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
    pub fn key_after(&self, m: Move<F::Kind, F::Square>) -> u64 {
        let (board, hand) = self.keys_after(m);
        board ^ hand
    }

    /// The board key and the hand key after a move.
    #[inline]
    pub(super) fn keys_after(&self, m: Move<F::Kind, F::Square>) -> (u64, u64) {
        let us = self.side;
        let to = m.to();
        let mut board = self.state.board_key ^ F::SIDE_KEY;
        let mut hand = self.state.hand_key;
        match m.source() {
            Source::Hand(kind) => {
                board ^= F::piece_key(Piece::new(us, kind), to);
                hand = hand.wrapping_sub(F::hand_key(us, kind));
            }
            Source::Board(from) => {
                let piece = self.mover(from);
                let after = Piece::new(us, kind_after(piece.kind, m));
                board ^= F::piece_key(piece, from) ^ F::piece_key(after, to);
                if let Some(victim) = self.piece_on(to) {
                    board ^= F::piece_key(victim, to);
                    if let Some(kind) = F::booty(&self.rules, victim.kind) {
                        hand = hand.wrapping_add(F::hand_key(us, kind));
                    }
                }
            }
        }
        (board, hand)
    }

    /// The piece that stands on the source of a move.
    #[inline]
    fn mover(&self, square: F::Square) -> Piece<F::Kind> {
        self.piece_on(square)
            .expect("a legal move starts on a piece")
    }

    /// The kind that the moving piece has after a move.
    #[inline]
    pub fn moved_kind(&self, m: Move<F::Kind, F::Square>) -> F::Kind {
        match m.source() {
            Source::Hand(kind) => kind,
            Source::Board(from) => kind_after(self.mover(from).kind, m),
        }
    }

    // Recurrence.

    #[inline]
    fn path(&self) -> Path<'_, State<F>> {
        Path {
            now: &self.state,
            past: &self.past,
            seen: &self.seen,
            perpetual_check_loses: F::protects_king(&self.rules),
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

    /// Whether the game ends by repetition here. `Some(None)` is a draw,
    /// `Some(Some(color))` a loss for `color`, who gave perpetual check.
    pub fn sennichite(&self) -> Option<Option<Color>> {
        self.path().sennichite()
    }
}

impl<F: Form> Occurrence for State<F> {
    type Hand = Hand<F::Kind>;

    #[inline]
    fn board_key(&self) -> u64 {
        self.board_key
    }

    #[inline]
    fn hand(&self) -> Self::Hand {
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
    fn covers(hand: Self::Hand, other: Self::Hand) -> bool {
        hand.covers(other)
    }
}

#[inline]
fn kind_after<K: Kind, S: SquareIndex>(kind: K, m: Move<K, S>) -> K {
    if m.is_promotion() {
        kind.promoted().unwrap_or(kind)
    } else {
        kind
    }
}

/// The piece's part of the pawn key: 0 for other pieces.
#[inline]
fn pawn_key<F: Form>(piece: Piece<F::Kind>, square: F::Square) -> u64 {
    if piece.kind == F::Kind::PAWN {
        F::piece_key(piece, square)
    } else {
        0
    }
}
