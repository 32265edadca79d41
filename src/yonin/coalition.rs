//! Four players as two sides, so that the common alpha-beta can search.
//!
//! [`Coalition`] wraps a [`Position`] and implements [`Game`]: Black is the team
//! of the player who moves at the root, White everyone else. The reductions are
//! told apart by a type:
//!
//! * [`Full`] ([`Paranoid`]): all opponents move, each against the root's team
//!   ("paranoid", Sturtevant & Korf 2000). The side stays the same over
//!   consecutive moves of the coalition, also when check jumps the queue.
//! * [`OneReply`] ([`BestReply`]): between two moves of the root's team only one
//!   opponent moves, whichever has the strongest reply, the others pass
//!   (best-reply search, Schadd & Winands 2011). A check is answered by the player
//!   in check, as the rules want it, and that is then the one move: whoever checks
//!   keeps the others from moving.
//! * `eval::yonin::Foreseen`: the opponents' moves are predicted and belong to the
//!   team's own; there is no other side to search.
//!
//! In pairs the partner moves for the same team. Keys include the root's team.

use std::fmt;
use std::marker::PhantomData;
use std::num::NonZeroU16;

use super::attacks;
use super::board::Board;
pub use super::foresight::Sight;
use super::foresight::{Replies, shown_sights};
use super::movegen::CheckSquares;
use super::piece::{KINDS, compact, value};
use super::position::Position;
use super::rules::{Format, Rules};
use super::seat::{BySeat, Seat};
use super::{IllegalMove, YfenError};
use crate::core::zobrist::splitmix64;
use crate::core::{Color, MoveList, Score};
use crate::game::{DiagramStyle, Finish, Game, GameEnd, GameMove, ImmediateWin, Repetition, Stage};
use crate::shogi::square::SQUARES;
use crate::shogi::{Bitboard, Move, PieceKind, Source, Square};

/// Moves back that the search looks for recurrences.
const RECURRENCE_REACH: usize = 40;
/// Centipawns for one point (a place) when a game ends without a mate of the
/// root's.
const POINT: Score = 1200;

/// Opponents' moves in a row that are foreseen at most; more are checks among
/// themselves.
const FORESIGHT: u8 = 12;
/// Moves of the root's team after which opponents are foreseen as far as they look;
/// later answers are foreseen at sight, which costs a ninth.
const NEAR: usize = 1;

/// How the opponents' moves are simplified.
pub trait Reduction: Clone + Send + Sync + 'static {
    /// Whether only one opponent moves between two moves of the root's team.
    const ONE_REPLY: bool = false;

    /// Whether the opponents' moves are foreseen: played by [`Reduction::reply`]
    /// as part of the root team's own moves.
    const FORESEEN: bool = false;

    /// The move that the player to move is expected to make, if he looks this far.
    fn reply(_board: &Board, _sight: Sight) -> Option<Move> {
        None
    }
}

/// All opponents move.
#[derive(Clone, Copy, Debug)]
pub struct Full;

/// One opponent moves.
#[derive(Clone, Copy, Debug)]
pub struct OneReply;

impl Reduction for Full {}

impl Reduction for OneReply {
    const ONE_REPLY: bool = true;
}

/// The root's team against all others, everybody moving.
pub type Paranoid = Coalition<Full>;

/// The root's team against one reply of the others.
pub type BestReply = Coalition<OneReply>;

/// A move with its player: a board move tells him by the piece, a drop by the
/// seat in the bits that else name the kind alone.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeatMove(NonZeroU16);

const FROM_SHIFT: u16 = 7;
const FROM_MASK: u16 = 0x7f << FROM_SHIFT;
/// Kinds that a drop's bits can tell.
const DROP_KINDS: u16 = 7;

impl SeatMove {
    /// A move of `seat`.
    #[inline]
    pub fn new(m: Move, seat: Seat) -> SeatMove {
        let bits = m.to_bits();
        let shift = if m.is_drop() {
            (seat.index() as u16 * DROP_KINDS) << FROM_SHIFT
        } else {
            0
        };
        SeatMove(NonZeroU16::new(bits + shift).expect("a move is never 0"))
    }

    /// The move, and the seat of a drop.
    #[inline]
    fn parts(self) -> (Option<Move>, Option<Seat>) {
        let bits = self.0.get();
        match Move::from_bits(bits) {
            Some(m) if !m.is_drop() => (Some(m), None),
            _ => {
                let from = (bits & FROM_MASK) >> FROM_SHIFT;
                let seat = Seat::ALL.get(usize::from(from / DROP_KINDS)).copied();
                let kind = from % DROP_KINDS;
                let m = Move::from_bits(bits & !FROM_MASK | kind << FROM_SHIFT);
                (m, seat)
            }
        }
    }

    /// The move without its player.
    #[inline]
    pub fn to_move(self) -> Move {
        self.parts().0.expect("the bits were checked when made")
    }
}

impl GameMove for SeatMove {
    #[inline]
    fn to_bits(self) -> u16 {
        self.0.get()
    }

    #[inline]
    fn from_bits(bits: u16) -> Option<SeatMove> {
        let m = SeatMove(NonZeroU16::new(bits)?);
        match m.parts() {
            (Some(inner), seat) if inner.is_drop() == seat.is_some() => Some(m),
            _ => None,
        }
    }

    #[inline]
    fn to_index(self) -> usize {
        self.to_move().to().index()
    }

    #[inline]
    fn is_drop(self) -> bool {
        self.to_move().is_drop()
    }

    #[inline]
    fn is_promotion(self) -> bool {
        self.to_move().is_promotion()
    }
}

impl fmt::Display for SeatMove {
    /// USI notation, without the player.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.to_move(), f)
    }
}

impl fmt::Debug for SeatMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A position seen by the player who moves at the root.
#[derive(Clone)]
pub struct Coalition<R> {
    position: Position,
    /// Whose view it is.
    root: Seat,
    /// How many moves led to the root. The ban on perpetual check counts there
    /// only: below, recurring positions end the search's lines.
    root_depth: usize,
    /// Whether a search goes on from the root. Else moves are those of the game,
    /// and the view is that of whoever's turn it is.
    searching: bool,
    /// How many moves of the position each move made here stands for.
    made: Vec<u8>,
    /// How many of these led to the root.
    root_made: usize,
    /// How far each seat is expected to look.
    sights: BySeat<Sight>,
    replies: Replies,
    reduction: PhantomData<R>,
}

impl<R: Reduction> Coalition<R> {
    /// The view of the player to move.
    pub fn new(position: Position) -> Self {
        Coalition {
            root: position.turn(),
            root_depth: position.depth(),
            searching: false,
            made: Vec::with_capacity(256),
            root_made: 0,
            sights: BySeat::default(),
            replies: Replies::new(R::FORESEEN),
            position,
            reduction: PhantomData,
        }
    }

    /// The position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The board.
    #[inline]
    pub fn board(&self) -> &Board {
        self.position.board()
    }

    /// Whose view it is.
    #[inline]
    pub fn root(&self) -> Seat {
        self.root
    }

    /// Whether a seat plays for the root's team.
    #[inline]
    pub fn is_ours(&self, seat: Seat) -> bool {
        self.board().rules().same_team(self.root, seat)
    }

    /// Whether any opponent may move, and not only the one whose turn it is.
    #[inline]
    fn any_opponent(&self) -> bool {
        R::ONE_REPLY && self.searching && !self.is_ours(self.board().turn()) && !self.in_check()
    }

    /// Whether the ban on perpetual check can forbid a move here.
    #[inline]
    fn bans(&self) -> bool {
        self.position.depth() == self.root_depth && self.position.may_be_banned()
    }

    /// Who plays a move.
    #[inline]
    fn mover(&self, m: SeatMove) -> Seat {
        let (inner, seat) = m.parts();
        seat.or_else(|| {
            let from = inner?.from()?;
            self.board().piece_on(from)?.owner
        })
        .unwrap_or(self.board().turn())
    }

    /// The seats that may move now.
    #[inline]
    fn movers(&self) -> impl Iterator<Item = Seat> + '_ {
        let turn = self.board().turn();
        let any = self.any_opponent();
        Seat::ALL.into_iter().filter(move |&seat| {
            seat == turn || any && !self.is_ours(seat) && self.board().is_living(seat)
        })
    }

    /// The pieces of all seats on the same side as `seat`.
    #[inline]
    fn side_pieces(&self, ours: bool) -> Bitboard {
        Seat::ALL
            .into_iter()
            .filter(|&seat| self.is_ours(seat) == ours)
            .fold(Bitboard::EMPTY, |set, seat| set | self.board().owned(seat))
    }

    /// The cheapest piece of a set that captures on one square.
    #[inline]
    fn cheapest(&self, pieces: Bitboard) -> Option<(PieceKind, Square)> {
        if pieces.is_empty() {
            return None;
        }
        const ORDER: [PieceKind; 8] = [
            PieceKind::Pawn,
            PieceKind::ProPawn,
            PieceKind::Silver,
            PieceKind::Gold,
            PieceKind::ProSilver,
            PieceKind::Rook,
            PieceKind::Dragon,
            PieceKind::King,
        ];
        ORDER
            .into_iter()
            .find_map(|kind| Some((kind, (pieces & self.board().of_kind(kind)).first()?)))
    }

    /// What an end of the game with these points is worth to the root's team.
    fn worth(points: f64) -> Score {
        ((points - 1.5) * f64::from(POINT)) as Score
    }
}

impl<R: Reduction> Game for Coalition<R> {
    type Move = SeatMove;
    type CheckInfo = [[Option<CheckSquares>; 3]; 4];
    type Rules = Rules;
    type PositionError = YfenError;
    type IllegalMove = IllegalMove;

    const SQUARES: usize = SQUARES;
    const PIECES: usize = 4 * KINDS.len();
    const NOTATION: &'static str = "yfen";
    const RESIGNS: bool = false;
    const ANSWERED: bool = R::FORESEEN;
    const NODE_WEIGHT: u64 = if R::FORESEEN { 512 } else { 1 };

    fn start(rules: &Rules) -> Self {
        Coalition::new(Position::start(rules))
    }

    fn from_sfen(text: &str, rules: &Rules) -> Result<Self, YfenError> {
        Position::from_yfen(text, rules).map(Coalition::new)
    }

    fn sfen(&self) -> String {
        self.position.yfen()
    }

    fn parse_move(&self, text: &str) -> Result<SeatMove, IllegalMove> {
        let m = self.position.parse_move(text)?;
        Ok(SeatMove::new(m, self.board().turn()))
    }

    fn diagram(&self, style: DiagramStyle) -> String {
        self.position.diagram(style)
    }

    #[inline]
    fn side_to_move(&self) -> Color {
        if R::FORESEEN || self.is_ours(self.board().turn()) {
            Color::Black
        } else {
            Color::White
        }
    }

    #[inline]
    fn key(&self) -> u64 {
        let team = match self.board().rules().format {
            Format::Singles => self.root.index(),
            Format::Pairs => self.root.index() % 2,
        };
        self.board().key() ^ splitmix64(team as u64).1
    }

    #[inline]
    fn structure_keys(&self) -> [u64; 2] {
        let kings = Seat::ALL
            .into_iter()
            .fold(self.root.index() as u64, |key, seat| {
                let square = self.board().king(seat).map_or(SQUARES, Square::index);
                key << 7 | square as u64
            });
        [splitmix64(kings).1, self.board().hand_key()]
    }

    #[inline]
    fn ply(&self) -> u32 {
        self.board().ply()
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.board().checkers(self.board().turn()).any()
    }

    fn repetition(&self) -> Repetition {
        Repetition::None
    }

    fn immediate_win(&self) -> Option<ImmediateWin<SeatMove>> {
        None
    }

    fn at_move_limit(&self) -> bool {
        false
    }

    fn end(&self) -> Option<GameEnd> {
        self.position.outcome().map(GameEnd::Ranked)
    }

    fn finish(&self) -> Option<Finish> {
        let board = self.board();
        let limit = board.rules().limit;
        let over = board.is_over();
        let points = if over || limit > 0 && board.ply() > limit {
            self.position.outcome()?.points(self.root)
        } else if !board.is_living(self.root) {
            // Out, but the game goes on: the last place of those still open.
            board.mates().len() as f64 - 1.0
        } else if self.position.recurs_within(RECURRENCE_REACH) {
            let outcome = super::Outcome {
                reason: super::EndReason::Repetition,
                places: (board.rules().format == Format::Singles).then(|| board.places()),
            };
            let score = Self::worth(outcome.points(self.root)) / 3;
            return Some(Finish::Score(self.seen_by_mover(score)));
        } else {
            return None;
        };
        let ours = self.side_to_move() == Color::Black;
        let pairs = board.rules().format == Format::Pairs;
        Some(if points >= 3.0 || pairs && points > 2.0 {
            if ours { Finish::Won } else { Finish::Lost }
        } else if points <= 0.0 || pairs && points < 1.0 {
            if ours { Finish::Lost } else { Finish::Won }
        } else {
            Finish::Score(self.seen_by_mover(Self::worth(points)))
        })
    }

    fn final_note(&self) -> Option<String> {
        let outcome = self.position.outcome()?;
        Some(format!("gameover {outcome}"))
    }

    fn turn_name(&self) -> String {
        match self.position.end_reason() {
            Some(_) => "-".to_owned(),
            None => self.board().turn().to_string(),
        }
    }

    fn seat(&self) -> Option<usize> {
        Some(self.board().turn().index())
    }

    fn set_root(&mut self) {
        self.follow_turn();
        self.searching = true;
        if R::FORESEEN {
            self.sights = shown_sights(&self.position, |seat| self.is_foreseen(seat), R::reply);
        }
    }

    fn generate(&self, stage: Stage, all: bool, moves: &mut MoveList<SeatMove>) {
        let first = moves.len();
        for seat in self.movers() {
            let mut own = MoveList::new();
            self.board().generate(seat, stage, all, &mut own);
            for m in own {
                let _ = moves.try_push(SeatMove::new(m, seat));
            }
        }
        if self.bans() {
            let mut kept = first;
            for i in first..moves.len() {
                if !self.position.is_banned(moves[i].to_move()) {
                    moves[kept] = moves[i];
                    kept += 1;
                }
            }
            moves.truncate(kept);
            // The ban leaves a move, but that one may be a useless non-promotion.
            if kept == first && stage == Stage::All && !all {
                self.generate(stage, true, moves);
            }
        }
    }

    fn count_moves(&self) -> usize {
        if self.any_opponent() {
            let mut moves = MoveList::new();
            self.generate(Stage::All, true, &mut moves);
            return moves.len();
        }
        self.board().count_moves()
    }

    fn is_legal(&self, m: SeatMove) -> bool {
        let seat = self.mover(m);
        if self.board().is_over() || !self.movers().any(|mover| mover == seat) {
            return false;
        }
        self.board().check_legality(m.to_move(), seat).is_ok()
            && !(self.bans() && self.position.is_banned(m.to_move()))
    }

    fn check_info(&self) -> Self::CheckInfo {
        let mut info = [[None; 3]; 4];
        for seat in self.movers() {
            info[seat.index()] = self.board().check_info(seat);
        }
        info
    }

    #[inline]
    fn gives_check(&self, m: SeatMove, info: &Self::CheckInfo) -> bool {
        let seat = self.mover(m);
        self.board()
            .gives_check(m.to_move(), seat, &info[seat.index()])
    }

    #[inline]
    fn is_noisy(&self, m: SeatMove) -> bool {
        let m = m.to_move();
        match m.source() {
            Source::Hand(_) => false,
            Source::Board(from) => {
                self.board().piece_on(m.to()).is_some()
                    || m.is_promotion()
                        && self
                            .board()
                            .piece_on(from)
                            .is_some_and(|piece| piece.kind == PieceKind::Pawn)
            }
        }
    }

    #[inline]
    fn moved_piece(&self, m: SeatMove) -> usize {
        let kind = self.board().moved_kind(m.to_move());
        self.mover(m).index() * KINDS.len() + compact(kind)
    }

    #[inline]
    fn captured_piece(&self, m: SeatMove) -> Option<usize> {
        let piece = self.board().piece_on(m.to_move().to())?;
        let owner = piece.owner.unwrap_or(piece.facing);
        Some(owner.index() * KINDS.len() + compact(piece.kind))
    }

    #[inline]
    fn gain(&self, m: SeatMove) -> Score {
        let m = m.to_move();
        let Source::Board(from) = m.source() else {
            return 0;
        };
        let board = self.board();
        let captured = board.piece_on(m.to()).map_or(0, |piece| value(piece.kind));
        let promotion = match board.piece_on(from) {
            Some(piece) if m.is_promotion() => value(board.moved_kind(m)) - value(piece.kind),
            _ => 0,
        };
        captured + promotion
    }

    /// The exchange between the two sides; pieces of the same side do not capture
    /// each other in it.
    fn see_ge(&self, m: SeatMove, threshold: Score) -> bool {
        let board = self.board();
        let mover = self.is_ours(self.mover(m));
        let inner = m.to_move();
        let to = inner.to();
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        let mut at_risk = value(board.moved_kind(inner));
        if balance >= at_risk {
            return true;
        }
        let mut occupied = board.occupied() | Bitboard::of(to);
        if let Source::Board(from) = inner.source() {
            occupied ^= Bitboard::of(from);
        }
        let sides = [self.side_pieces(false), self.side_pieces(true)];
        let both = sides[0] | sides[1];
        let mut attackers = board.attackers(both, to, occupied);
        let mut ours = mover;
        let mut reached = true;
        loop {
            ours = !ours;
            attackers &= occupied;
            let Some((kind, from)) = self.cheapest(attackers & sides[usize::from(ours)]) else {
                return reached;
            };
            if kind == PieceKind::King && (attackers & sides[usize::from(!ours)]).any() {
                return reached;
            }
            balance = at_risk - balance - 1;
            reached = !reached;
            if balance < 0 {
                return !reached;
            }
            at_risk = value(kind);
            if balance >= at_risk {
                return reached;
            }
            occupied ^= Bitboard::of(from);
            attackers |= attacks::rook(to, occupied) & board.rooks() & both;
        }
    }

    #[inline]
    fn key_after(&self, m: SeatMove) -> u64 {
        self.key() ^ self.board().key() ^ self.board().key_after(m.to_move(), self.mover(m))
    }

    fn make(&mut self, m: SeatMove) {
        if !self.searching {
            self.position.make(m.to_move());
            self.made.push(1);
            self.follow_turn();
            return;
        }
        let seat = self.mover(m);
        let next = (R::ONE_REPLY && !self.is_ours(seat) && self.board().is_living(self.root))
            .then_some(self.root);
        self.position.make_as(m.to_move(), seat, next);
        self.made.push(1);
        self.foresee();
    }

    fn unmake(&mut self) {
        for _ in 0..self.made.pop().unwrap_or(0) {
            self.position.unmake();
        }
        if !self.searching {
            self.follow_turn();
        }
    }

    fn can_pass(&self) -> bool {
        !self.in_check() && !self.board().is_over() && self.board().is_living(self.root)
    }

    /// The root's team passes to the next opponent, the others pass all at once:
    /// a pass of one of them alone would change little.
    fn make_null(&mut self) {
        let turn = self.board().turn();
        let ours = self.is_ours(turn);
        let next = (1..4)
            .map(|n| turn.clockwise(n))
            .find(|&seat| self.board().is_living(seat) && self.is_ours(seat) != ours);
        self.position.pass_to(next.unwrap_or(self.root));
        self.made.push(1);
        self.foresee();
    }

    fn unmake_null(&mut self) {
        self.unmake();
    }

    fn real_line(&self, line: &[SeatMove]) -> Vec<SeatMove> {
        let mut real = Vec::with_capacity(line.len());
        let mut position = self.position.clone();
        for (nth, &m) in line.iter().enumerate() {
            let m = m.to_move();
            if position.outcome().is_some() || !position.board().is_legal(m) {
                // A simplified order of turns leaves the real one here.
                break;
            }
            real.push(SeatMove::new(m, position.turn()));
            position.make(m);
            for _ in 0..FORESIGHT {
                let Some(m) = self.foretold(position.board(), nth + 1) else {
                    break;
                };
                real.push(SeatMove::new(m, position.turn()));
                position.make(m);
            }
        }
        real
    }
}

impl<R: Reduction> Coalition<R> {
    /// Takes the view of the player to move.
    fn follow_turn(&mut self) {
        self.root = self.board().turn();
        self.root_depth = self.position.depth();
        self.root_made = self.made.len();
    }

    /// Whether a seat has moves to come that are foreseen.
    fn is_foreseen(&self, seat: Seat) -> bool {
        !self.is_ours(seat) && self.board().is_living(seat)
    }

    /// How far a seat is expected to look in its answer to the root team's `nth` move.
    #[inline]
    fn sight(&self, seat: Seat, nth: usize) -> Sight {
        match nth {
            ..=NEAR => self.sights[seat],
            _ => Sight::OnePly,
        }
    }

    /// The move that is expected of an opponent whose turn it is, after the root
    /// team's `nth` move; `None` when it is no opponent's turn, or the root is out.
    fn foretold(&self, board: &Board, nth: usize) -> Option<Move> {
        if !R::FORESEEN
            || board.is_over()
            || !board.is_living(self.root)
            || self.is_ours(board.turn())
        {
            return None;
        }
        let sight = self.sight(board.turn(), nth);
        let key = board.key();
        let known = self.replies.get(key, sight);
        known.filter(|&m| board.is_legal(m)).or_else(|| {
            let m = R::reply(board, sight)?;
            self.replies.put(key, sight, m);
            Some(m)
        })
    }

    /// Plays the opponents' expected moves until the root's team moves again.
    fn foresee(&mut self) {
        let nth = self.made.len() - self.root_made;
        let mut count = 0;
        while count < FORESIGHT
            && let Some(m) = self.foretold(self.board(), nth)
        {
            self.position.make(m);
            count += 1;
        }
        if let Some(made) = self.made.last_mut() {
            *made += count;
        }
    }

    /// A score of the root's team from the view of the side to move.
    #[inline]
    pub fn seen_by_mover(&self, score: Score) -> Score {
        match self.side_to_move() {
            Color::Black => score,
            Color::White => -score,
        }
    }
}
