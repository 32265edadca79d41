//! One [`Game`] for all forms of shogi: what the search sees of them.

use super::diagram::Draw;
use super::mate::Mating;
use super::movegen::Generate;
use super::position::Position;
use super::see::Exchange;
use super::sfen::ReadSfen;
use super::{IllegalMove, Kind, Move, Piece, Source};
use crate::core::{Color, MoveList, Score, SquareIndex};
use crate::game::{DiagramStyle, Game, GameEnd, ImmediateWin, Repetition, RootMate, Stage};
use crate::mate::Solver;

/// How a game begins and ends.
pub trait Play: Exchange + Generate + Mating + ReadSfen + Draw {
    /// The game is a draw when it has reached this many plies without a mate; 0 for
    /// no limit.
    fn max_moves(rules: &Self::Rules) -> u32;

    /// A win that the side to move can take at once.
    fn immediate_win(
        _position: &Position<Self>,
    ) -> Option<ImmediateWin<Move<Self::Kind, Self::Square>>> {
        None
    }

    /// Whether and how the game is over before anyone asks for a legal move.
    fn ended(_position: &Position<Self>) -> Option<GameEnd> {
        None
    }

    /// Whether nothing but the kings is left, and that is a draw.
    fn has_bare_kings(_position: &Position<Self>) -> bool {
        false
    }
}

impl<F: Play> Position<F> {
    /// A win that the side to move can take at once.
    #[inline]
    pub fn immediate_win(&self) -> Option<ImmediateWin<Move<F::Kind, F::Square>>> {
        F::immediate_win(self)
    }

    /// Whether nothing but the kings is left, in a game where that is a draw.
    pub fn has_bare_kings(&self) -> bool {
        F::has_bare_kings(self)
    }

    /// Whether the game is a draw here by the move limit or for want of pieces,
    /// unless the side to move is mated.
    pub fn at_move_limit(&self) -> bool {
        let limit = F::max_moves(&self.rules);
        limit > 0 && self.ply() > limit || self.has_bare_kings()
    }

    /// Whether and how the game is over in this position.
    pub fn end(&self) -> Option<GameEnd> {
        if let Some(end) = F::ended(self) {
            return Some(end);
        }
        let winner = !self.side;
        if !self.has_legal_move() {
            return Some(if self.checkers().any() {
                GameEnd::Checkmate { winner }
            } else {
                GameEnd::NoLegalMove { winner }
            });
        }
        if F::protects_king(&self.rules)
            && let Some(verdict) = self.sennichite()
        {
            return Some(match verdict {
                None => GameEnd::Sennichite,
                Some(loser) => GameEnd::PerpetualCheck { loser },
            });
        }
        if self.has_bare_kings() {
            return Some(GameEnd::BareKings);
        }
        self.at_move_limit().then_some(GameEnd::MoveLimit)
    }
}

impl<F: Play> Game for Position<F> {
    type Move = Move<F::Kind, F::Square>;
    type CheckInfo = F::CheckInfo;
    type Rules = F::Rules;
    type PositionError = F::PositionError;
    type IllegalMove = IllegalMove<F::Kind, F::Square>;

    const SQUARES: usize = F::Square::COUNT;
    const PIECES: usize = 2 * F::Kind::ALL.len();

    fn start(rules: &F::Rules) -> Self {
        Position::start(rules)
    }

    fn from_sfen(text: &str, rules: &F::Rules) -> Result<Self, F::PositionError> {
        Position::from_sfen(text, rules)
    }

    fn sfen(&self) -> String {
        Position::sfen(self)
    }

    fn parse_move(&self, text: &str) -> Result<Self::Move, Self::IllegalMove> {
        Position::parse_move(self, text)
    }

    fn diagram(&self, style: DiagramStyle) -> String {
        Position::diagram(self, style)
    }

    #[inline]
    fn side_to_move(&self) -> Color {
        Position::side_to_move(self)
    }

    #[inline]
    fn key(&self) -> u64 {
        Position::key(self)
    }

    #[inline]
    fn structure_keys(&self) -> [u64; 2] {
        [self.pawn_key(), self.hand_key()]
    }

    #[inline]
    fn ply(&self) -> u32 {
        Position::ply(self)
    }

    #[inline]
    fn in_check(&self) -> bool {
        self.checkers().any()
    }

    #[inline]
    fn repetition(&self) -> Repetition {
        Position::repetition(self)
    }

    #[inline]
    fn immediate_win(&self) -> Option<ImmediateWin<Self::Move>> {
        Position::immediate_win(self)
    }

    #[inline]
    fn mate_in_one(&self) -> Option<Self::Move> {
        F::mate_in_one(self)
    }

    fn mate_solver(megabytes: usize) -> Option<Box<dyn RootMate<Self>>> {
        Some(Box::new(Solver::new(megabytes)))
    }

    #[inline]
    fn at_move_limit(&self) -> bool {
        Position::at_move_limit(self)
    }

    fn end(&self) -> Option<GameEnd> {
        Position::end(self)
    }

    #[inline]
    fn generate(&self, stage: Stage, all: bool, moves: &mut MoveList<Self::Move>) {
        Position::generate(self, stage, all, moves);
    }

    #[inline]
    fn count_moves(&self) -> usize {
        Position::count_moves(self)
    }

    #[inline]
    fn is_legal(&self, m: Self::Move) -> bool {
        Position::is_legal(self, m)
    }

    #[inline]
    fn check_info(&self) -> F::CheckInfo {
        Position::check_info(self)
    }

    #[inline]
    fn gives_check(&self, m: Self::Move, info: &F::CheckInfo) -> bool {
        Position::gives_check(self, m, info)
    }

    #[inline]
    fn is_noisy(&self, m: Self::Move) -> bool {
        let Source::Board(from) = m.source() else {
            return false;
        };
        let promotes = |piece: Piece<F::Kind>| F::promotes_noisily(piece.kind);
        self.piece_on(m.to()).is_some()
            || m.is_promotion() && self.piece_on(from).is_some_and(promotes)
    }

    #[inline]
    fn moved_piece(&self, m: Self::Move) -> usize {
        Piece::new(self.side, self.moved_kind(m)).index()
    }

    #[inline]
    fn captured_piece(&self, m: Self::Move) -> Option<usize> {
        self.piece_on(m.to()).map(Piece::index)
    }

    #[inline]
    fn gain(&self, m: Self::Move) -> Score {
        Position::gain(self, m)
    }

    #[inline]
    fn see_ge(&self, m: Self::Move, threshold: Score) -> bool {
        Position::see_ge(self, m, threshold)
    }

    #[inline]
    fn key_after(&self, m: Self::Move) -> u64 {
        Position::key_after(self, m)
    }

    #[inline]
    fn make(&mut self, m: Self::Move) {
        Position::make(self, m);
    }

    #[inline]
    fn unmake(&mut self) {
        Position::unmake(self);
    }

    #[inline]
    fn can_pass(&self) -> bool {
        self.checkers().is_empty()
    }

    #[inline]
    fn make_null(&mut self) {
        Position::make_null(self);
    }

    #[inline]
    fn unmake_null(&mut self) {
        Position::unmake_null(self);
    }
}
