//! The board with everything that a move may change: pieces, hands, whose turn
//! it is, mates and credits.
//!
//! A mate can change the owner of any number of pieces, so moves are not taken
//! back piece by piece: [`Board`] is plain data, and
//! [`Position`](super::Position) keeps the boards before each move
//! ("copy-make", Chess Programming Wiki).
//!
//! Which squares hold what is kept as a mailbox and as bitboards by kind, by
//! direction and by owner. The attackers of each living king ([`Board::checkers`])
//! are brought up to date after each move; the turn ("check jumps the queue"),
//! credits and mates follow from them in [`Board::play`].

use arrayvec::ArrayVec;

use super::attacks;
use super::piece::{Piece, can_be_in_hand};
use super::rules::{Mated, Rules};
use super::seat::{BySeat, Seat};
use crate::core::zobrist;
use crate::shogi::hand::Hand;
use crate::shogi::piece::KINDS;
use crate::shogi::square::SQUARES;
use crate::shogi::{Bitboard, Move, PieceKind, Source, Square};

/// Keys of pieces by kind and direction.
static PIECE_KEYS: [[u64; SQUARES]; KINDS * 4] = zobrist::table(0x796f_6e69_6e31);
/// Keys of owners; a piece's key is both together.
static OWNER_KEYS: [[u64; SQUARES]; 5] = zobrist::table(0x796f_6e69_6e32);
/// Multiplied by the count: hand keys add up.
static HAND_KEYS: [[u64; KINDS]; 4] = zobrist::table(0x796f_6e69_6e33);
static TURN_KEYS: [[u64; 4]; 1] = zobrist::table(0x796f_6e69_6e34);

/// After a mate, play goes on clockwise from the mated player (rule Q6.5), and
/// not from the player who moved last, as some other rule sets have it.
const CONTINUE_FROM_MATED: bool = true;

/// One entry of the mate list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mate {
    /// Who was mated.
    pub victim: Seat,
    /// Who takes the credit, or nobody.
    pub mater: Option<Seat>,
}

/// Board, hands, turn, mates and credits.
#[derive(Clone, Debug, PartialEq)]
pub struct Board {
    squares: [Option<Piece>; SQUARES],
    kinds: [Bitboard; KINDS],
    facing: BySeat<Bitboard>,
    owners: BySeat<Bitboard>,
    /// Gold and the promoted pieces that move like it.
    golds: Bitboard,
    pub(super) hands: BySeat<Hand>,
    /// Where each seat's king stands, upright or turned over.
    pub(super) kings: BySeat<Option<Square>>,
    /// Attackers of each living king.
    pub(super) checkers: BySeat<Bitboard>,
    pub(super) mates: ArrayVec<Mate, 4>,
    pub(super) credits: BySeat<Option<Seat>>,
    pub(super) last_mover: Option<Seat>,
    pub(super) turn: Seat,
    /// Set when the mates end the game, or the position text says it is over.
    pub(super) over: bool,
    /// Whether the last move newly attacked another living king (rule REP2).
    pub(super) checking: bool,
    pub(super) ply: u32,
    board_key: u64,
    hand_key: u64,
    pub(super) rules: Rules,
}

impl Board {
    /// An empty board.
    pub(super) fn empty(rules: &Rules) -> Board {
        Board {
            squares: [None; SQUARES],
            kinds: [Bitboard::EMPTY; KINDS],
            facing: BySeat::default(),
            owners: BySeat::default(),
            golds: Bitboard::EMPTY,
            hands: BySeat::default(),
            kings: BySeat::default(),
            checkers: BySeat::default(),
            mates: ArrayVec::new(),
            credits: BySeat::default(),
            last_mover: None,
            turn: rules.first,
            over: false,
            checking: false,
            ply: 1,
            board_key: 0,
            hand_key: 0,
            rules: *rules,
        }
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        self.squares[square.index()]
    }

    /// The pieces that a seat has in hand.
    #[inline]
    pub fn hand(&self, seat: Seat) -> Hand {
        self.hands[seat]
    }

    /// Where a seat's king stands, upright or turned over.
    #[inline]
    pub fn king(&self, seat: Seat) -> Option<Square> {
        self.kings[seat]
    }

    /// Whether a seat is still in the game.
    #[inline]
    pub fn is_living(&self, seat: Seat) -> bool {
        !self.mates.iter().any(|mate| mate.victim == seat)
    }

    /// The seats still in the game, clockwise from South.
    pub fn living(&self) -> impl Iterator<Item = Seat> + '_ {
        Seat::ALL.into_iter().filter(|&seat| self.is_living(seat))
    }

    /// The mates so far, in order.
    pub fn mates(&self) -> &[Mate] {
        &self.mates
    }

    /// Who put a seat in check, if it is in check and that is known.
    #[inline]
    pub fn credit(&self, seat: Seat) -> Option<Seat> {
        self.credits[seat]
    }

    /// Who made the last move.
    #[inline]
    pub fn last_mover(&self) -> Option<Seat> {
        self.last_mover
    }

    /// Whose turn it is; of no meaning once the game is over.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.turn
    }

    /// Whether the mates have ended the game.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Number of the next move of the game, from 1.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The rules in force.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The pieces of living and other owners that attack a living seat's king.
    #[inline]
    pub fn checkers(&self, seat: Seat) -> Bitboard {
        self.checkers[seat]
    }

    /// All pieces on the board.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.facing.0[0] | self.facing.0[1] | self.facing.0[2] | self.facing.0[3]
    }

    /// The pieces that a seat owns on the board, its king included.
    #[inline]
    pub fn owned(&self, seat: Seat) -> Bitboard {
        self.owners[seat]
    }

    /// The pieces of one kind, whoever owns them.
    #[inline]
    pub fn of_kind(&self, kind: PieceKind) -> Bitboard {
        self.kinds[kind.index()]
    }

    /// Gold, promoted silver and tokin, whoever owns them.
    #[inline]
    pub fn golds(&self) -> Bitboard {
        self.golds
    }

    /// Rooks and dragons, whoever owns them.
    #[inline]
    pub fn rooks(&self) -> Bitboard {
        self.of_kind(PieceKind::Rook) | self.of_kind(PieceKind::Dragon)
    }

    /// The pieces that point one way, whoever owns them.
    #[inline]
    pub fn facing(&self, seat: Seat) -> Bitboard {
        self.facing[seat]
    }

    /// What living players other than `seat` own.
    #[inline]
    pub fn enemies(&self, seat: Seat) -> Bitboard {
        let mut set = Bitboard::EMPTY;
        for other in 1..4 {
            set |= self.owners[seat.clockwise(other)];
        }
        set
    }

    /// Key of board, hands and turn (rule REP1).
    #[inline]
    pub fn key(&self) -> u64 {
        self.board_key ^ self.hand_key ^ TURN_KEYS[0][self.turn.index()]
    }

    /// Key of all hands.
    #[inline]
    pub fn hand_key(&self) -> u64 {
        self.hand_key
    }

    #[inline]
    fn toggle(&mut self, square: Square, piece: Piece) {
        let bit = Bitboard::of(square);
        self.kinds[piece.kind.index()] ^= bit;
        self.facing[piece.facing] ^= bit;
        if let Some(owner) = piece.owner {
            self.owners[owner] ^= bit;
        }
        if piece.kind.moves_as_gold() {
            self.golds ^= bit;
        }
        self.board_key ^= piece_key(piece, square);
    }

    #[inline]
    pub(super) fn put(&mut self, square: Square, piece: Piece) {
        self.squares[square.index()] = Some(piece);
        self.toggle(square, piece);
    }

    #[inline]
    fn take(&mut self, square: Square) -> Option<Piece> {
        let piece = self.squares[square.index()].take()?;
        self.toggle(square, piece);
        Some(piece)
    }

    #[inline]
    fn add_to_hand(&mut self, seat: Seat, kind: PieceKind) {
        self.hands[seat].add(kind);
        let key = HAND_KEYS[seat.index()][kind.index()];
        self.hand_key = self.hand_key.wrapping_add(key);
    }

    #[inline]
    fn take_from_hand(&mut self, seat: Seat, kind: PieceKind) {
        self.hands[seat].remove(kind);
        let key = HAND_KEYS[seat.index()][kind.index()];
        self.hand_key = self.hand_key.wrapping_sub(key);
    }

    /// Puts pieces in a hand at set-up.
    pub(super) fn set_hand(&mut self, seat: Seat, kind: PieceKind, count: u32) {
        for _ in 0..count {
            self.add_to_hand(seat, kind);
        }
    }

    /// The pieces among `by` that attack `square` when `occupied` squares block.
    #[inline]
    pub fn attackers(&self, by: Bitboard, square: Square, occupied: Bitboard) -> Bitboard {
        let mut found = attacks::rook(square, occupied) & self.rooks() & by;
        let near = attacks::king(square) & by;
        if near.any() {
            found |= near & (self.of_kind(PieceKind::King) | self.of_kind(PieceKind::Dragon));
            let pawns = self.of_kind(PieceKind::Pawn);
            let silvers = self.of_kind(PieceKind::Silver);
            for seat in Seat::ALL {
                let pieces = near & self.facing[seat];
                if pieces.any() {
                    // What attacks the square stands where a piece pointing the
                    // other way would attack from it.
                    let back = seat.opposite();
                    found |= pieces
                        & (attacks::gold(back, square) & self.golds
                            | attacks::silver(back, square) & silvers
                            | attacks::pawn(back, square) & pawns);
                }
            }
        }
        found
    }

    /// The pieces of any owner that alone stand between `square` and a rook or
    /// dragon among `by`.
    #[inline]
    pub fn blockers(&self, by: Bitboard, square: Square) -> Bitboard {
        let occupied = self.occupied();
        let mut blockers = Bitboard::EMPTY;
        for rook in attacks::rook_rays(square) & self.rooks() & by {
            let between = attacks::between(square, rook) & occupied;
            if between.any() && !between.more_than_one() {
                blockers |= between;
            }
        }
        blockers
    }

    pub(super) fn find_checkers(&mut self) {
        let occupied = self.occupied();
        for seat in Seat::ALL {
            self.checkers[seat] = match self.kings[seat] {
                Some(king) if self.owners[seat].contains(king) => {
                    self.attackers(self.enemies(seat), king, occupied)
                }
                _ => Bitboard::EMPTY,
            };
        }
    }

    /// Plays a legal move of the player whose turn it is: board, credits, turn
    /// and the mates that follow (rule Q6, steps 1 to 5). `next`, if named, moves
    /// next unless someone is in check.
    pub(super) fn play(&mut self, m: Move, next: Option<Seat>) {
        let mover = self.turn;
        self.relocate(m);
        self.ply += 1;
        self.last_mover = Some(mover);
        let before = self.checkers;
        self.find_checkers();
        let arrival = Bitboard::of(m.to());
        self.checking = false;
        for seat in Seat::ALL {
            let now = self.checkers[seat];
            if now.is_empty() {
                self.credits[seat] = None;
            } else if ((now - before[seat]) | (now & arrival)).any() {
                self.credits[seat] = Some(mover);
                self.checking = true;
            }
        }
        let next = next.filter(|_| self.checkers.0.iter().all(|set| set.is_empty()));
        self.pass_turn(mover, next);
    }

    /// The board after a legal move of the player whose turn it is.
    pub fn after(&self, m: Move) -> Board {
        let mut board = self.clone();
        board.play(m, None);
        board
    }

    /// Moves the pieces of a move, and nothing else.
    pub(super) fn relocate(&mut self, m: Move) {
        let mover = self.turn;
        let to = m.to();
        match m.source() {
            Source::Hand(kind) => {
                self.take_from_hand(mover, kind);
                self.put(to, Piece::own(kind, mover));
            }
            Source::Board(from) => {
                if let Some(victim) = self.take(to) {
                    debug_assert!(victim.kind != PieceKind::King, "kings are not captured");
                    self.add_to_hand(mover, victim.kind.unpromoted());
                }
                let Some(mut piece) = self.take(from) else {
                    debug_assert!(false, "a legal move starts on a piece");
                    return;
                };
                if m.is_promotion() {
                    piece.kind = piece.kind.promoted().unwrap_or(piece.kind);
                }
                if piece.kind == PieceKind::King {
                    self.kings[mover] = Some(to);
                }
                self.put(to, piece);
            }
        }
    }

    /// Finds who moves next after `reference`, and mates whoever cannot. With
    /// `first`, that seat's turn is believed at the start (a position that was
    /// set up).
    pub(super) fn pass_turn(&mut self, reference: Seat, first: Option<Seat>) {
        let mover = reference;
        let mut reference = reference;
        let mut forced = first;
        while !self.over {
            let around = (1..=4).map(|n| reference.clockwise(n));
            let next = forced
                .take()
                .or_else(|| around.clone().find(|&seat| self.checkers[seat].any()))
                .or_else(|| around.clone().find(|&seat| self.is_living(seat)));
            let Some(seat) = next else {
                self.over = true;
                return;
            };
            self.turn = seat;
            if self.has_legal_move(seat) {
                return;
            }
            self.mate(seat);
            reference = if CONTINUE_FROM_MATED { seat } else { mover };
        }
    }

    /// Carries a mate out (rules X3, X4).
    fn mate(&mut self, victim: Seat) {
        let last = self.last_mover;
        let by_last = last.filter(|&seat| seat != victim && self.is_living(seat));
        let mater = if self.checkers[victim].any() {
            // In play nobody is mated before his check is answered (Q7); a position
            // that was set up may credit who is mated meanwhile.
            let credited = self.credits[victim].filter(|&seat| self.is_living(seat));
            credited.or(by_last)
        } else {
            by_last
        };
        if let Some(king) = self.kings[victim] {
            self.take(king);
            self.put(king, Piece::fallen_king(victim));
        }
        for kind in super::piece::HAND {
            for _ in 0..self.hands[victim].count(kind) {
                self.take_from_hand(victim, kind);
                if let Some(mater) = mater {
                    self.add_to_hand(mater, kind);
                }
            }
        }
        let heir = match self.rules.mated {
            Mated::Mater => mater,
            Mated::Unowned => None,
        };
        for square in self.owners[victim] {
            if let Some(mut piece) = self.take(square) {
                piece.owner = heir;
                self.put(square, piece);
            }
        }
        self.mates.push(Mate { victim, mater });
        self.find_checkers();
        for seat in Seat::ALL {
            if self.checkers[seat].is_empty() {
                self.credits[seat] = None;
            }
        }
        self.over = self.mates.len() >= self.rules.mates_to_end();
    }

    /// Completes a set-up: attackers, and whether the mates end the game.
    pub(super) fn complete(&mut self) {
        self.find_checkers();
        self.over |= self.mates.len() >= self.rules.mates_to_end();
    }

    /// The kind that the moving piece has after a legal move.
    #[inline]
    pub fn moved_kind(&self, m: Move) -> PieceKind {
        match m.source() {
            Source::Hand(kind) => kind,
            Source::Board(from) => {
                let kind = self.piece_on(from).map_or(PieceKind::Pawn, |p| p.kind);
                if m.is_promotion() {
                    kind.promoted().unwrap_or(kind)
                } else {
                    kind
                }
            }
        }
    }

    /// The key after a move, exact unless the turn jumps or somebody is mated.
    #[inline]
    pub fn key_after(&self, m: Move, us: Seat) -> u64 {
        let to = m.to();
        let mut board = self.board_key;
        let mut hand = self.hand_key;
        match m.source() {
            Source::Hand(kind) => {
                board ^= piece_key(Piece::own(kind, us), to);
                hand = hand.wrapping_sub(HAND_KEYS[us.index()][kind.index()]);
            }
            Source::Board(from) => {
                if let Some(piece) = self.piece_on(from) {
                    let kind = self.moved_kind(m);
                    board ^= piece_key(piece, from) ^ piece_key(Piece { kind, ..piece }, to);
                }
                if let Some(victim) = self.piece_on(to) {
                    board ^= piece_key(victim, to);
                    let kind = victim.kind.unpromoted();
                    hand = hand.wrapping_add(HAND_KEYS[us.index()][kind.index()]);
                }
            }
        }
        let next = (1..4)
            .map(|n| us.clockwise(n))
            .find(|&seat| self.is_living(seat));
        board ^ hand ^ TURN_KEYS[0][next.unwrap_or(us).index()]
    }

    /// Panics unless everything that is kept up to date move by move equals
    /// what a fresh computation gives, and the invariants of rule Q7 hold. For
    /// tests.
    pub fn assert_consistent(&self) {
        let mut fresh = Board::empty(&self.rules);
        for square in Square::all() {
            if let Some(piece) = self.piece_on(square) {
                fresh.put(square, piece);
                if piece.kind == PieceKind::King {
                    assert!(fresh.kings[piece.facing].is_none());
                    fresh.kings[piece.facing] = Some(square);
                    assert_eq!(piece.owner.is_some(), self.is_living(piece.facing));
                    assert!(piece.owner.is_none_or(|owner| owner == piece.facing));
                }
            }
        }
        for seat in Seat::ALL {
            for (kind, count) in self.hands[seat].iter() {
                assert!(can_be_in_hand(kind));
                fresh.set_hand(seat, kind, count);
            }
            if !self.is_living(seat) {
                assert!(self.hands[seat].is_empty());
                assert!(self.owners[seat].is_empty());
            }
        }
        fresh.find_checkers();
        assert_eq!(self.kinds, fresh.kinds);
        assert_eq!(self.facing, fresh.facing);
        assert_eq!(self.owners, fresh.owners);
        assert_eq!(self.golds, fresh.golds);
        assert_eq!(self.kings, fresh.kings);
        assert_eq!(self.checkers, fresh.checkers);
        assert_eq!(self.board_key, fresh.board_key);
        assert_eq!(self.hand_key, fresh.hand_key);
        for seat in Seat::ALL {
            assert!(self.credits[seat].is_none() || self.checkers[seat].any());
        }
    }
}

#[inline]
fn piece_key(piece: Piece, square: Square) -> u64 {
    let row = piece.kind.index() * 4 + piece.facing.index();
    PIECE_KEYS[row][square.index()] ^ OWNER_KEYS[piece.owner_index()][square.index()]
}
