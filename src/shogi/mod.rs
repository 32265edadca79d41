//! Shogi: the rules, whole, and [`Position`], which plays them.
//!
//! | file | what it holds |
//! |---|---|
//! | `square` | squares and the board's geometry |
//! | `piece` | kinds of piece, their letters, kanji and exchange values |
//! | `hand` | pieces in hand, packed |
//! | `moves` | a move in 16 bits and its USI text |
//! | `attacks` | which squares a piece attacks |
//! | `position` | board, hands, history; make and unmake |
//! | `movegen` | legal moves, whole or by stage; checking moves |
//! | `legality` | is this move legal, and which rule does it break |
//! | `mate` | mate in one; hands as the mate solver compares them |
//! | `see` | static exchange evaluation |
//! | `repetition` | sennichite, perpetual check, superior and inferior positions |
//! | `entering_king` | declarations, point counts, the try rule |
//! | `rules` | the choices that the rules leave open; the king-capture variant |
//! | `sfen` | positions as text |
//! | `notation` | moves as people write them, in Japanese and English |
//! | `handicap` | handicap positions by name |
//! | `diagram` | boards for people |

pub mod attacks;
mod diagram;
pub mod entering_king;
pub mod hand;
pub mod handicap;
mod legality;
mod mate;
mod movegen;
pub mod moves;
pub mod notation;
pub mod piece;
mod position;
mod repetition;
pub mod rules;
mod see;
pub mod sfen;
pub mod square;

pub use entering_king::{Declaration, Impasse};
pub use hand::Hand;
pub use legality::IllegalMove;
pub use movegen::CheckInfo;
pub use moves::{Move, Source};
pub use notation::Notation;
pub use piece::{Piece, PieceKind};
pub use position::Position;
pub use rules::{EnteringKingRule, Rules, Variant};
pub use sfen::SfenError;
pub use square::{Bitboard, Square};

use crate::core::{Color, MoveList, Score};
use crate::game::{DiagramStyle, Game, GameEnd, ImmediateWin, Repetition, Stage};
use crate::mate::{RootMate, Solver};

impl Position {
    /// A move that captures the enemy king, if there is one: with promotion where
    /// that is possible, as the search leaves most other captures out.
    fn king_capture(&self) -> Option<Move> {
        let king = self.king(!self.side_to_move())?;
        let from = self
            .attackers(self.side_to_move(), king, self.occupied())
            .first()?;
        [Move::promotion(from, king), Move::board(from, king)]
            .into_iter()
            .find(|&m| self.is_legal(m))
    }

    /// A win that the side to move can take at once.
    pub fn immediate_win(&self) -> Option<ImmediateWin<Move>> {
        if self.rules().variant == Variant::KingCapture {
            return self.king_capture().map(ImmediateWin::Move);
        }
        match self.rules().entering_king {
            EnteringKingRule::TryRule => self.try_move().map(ImmediateWin::Move),
            rule => {
                (self.declaration(rule) == Declaration::Win).then_some(ImmediateWin::Declaration)
            }
        }
    }

    /// Whether the move limit makes the game a draw here, unless the side to move
    /// is mated.
    pub fn at_move_limit(&self) -> bool {
        let limit = self.rules().max_moves;
        limit > 0 && self.ply() > limit
    }

    /// Whether and how the game is over in this position.
    pub fn end(&self) -> Option<GameEnd> {
        let us = self.side_to_move();
        let winner = !us;
        if self.rules().variant == Variant::KingCapture {
            // A side may have been set up without a king.
            if (self.state.captured).is_some_and(|piece| piece.kind == PieceKind::King) {
                return Some(GameEnd::KingCaptured { winner });
            }
        } else if self.rules().entering_king == EnteringKingRule::TryRule
            && let Some(winner) = self.tried()
        {
            return Some(GameEnd::Try { winner });
        }
        if !self.has_legal_move() {
            return Some(if self.checkers().any() {
                GameEnd::Checkmate { winner }
            } else {
                GameEnd::NoLegalMove { winner }
            });
        }
        if self.rules().variant == Variant::Standard
            && let Some(verdict) = self.sennichite()
        {
            return Some(match verdict {
                None => GameEnd::Sennichite,
                Some(loser) => GameEnd::PerpetualCheck { loser },
            });
        }
        self.at_move_limit().then_some(GameEnd::MoveLimit)
    }
}

impl Game for Position {
    type Move = Move;
    type CheckInfo = CheckInfo;
    type Rules = Rules;
    type PositionError = SfenError;
    type IllegalMove = IllegalMove;

    const SQUARES: usize = square::SQUARES;
    const PIECES: usize = piece::PIECES;

    fn start(rules: &Rules) -> Self {
        Position::start(rules)
    }

    fn from_sfen(text: &str, rules: &Rules) -> Result<Self, SfenError> {
        Position::from_sfen(text, rules)
    }

    fn sfen(&self) -> String {
        Position::sfen(self)
    }

    fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
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
    fn immediate_win(&self) -> Option<ImmediateWin<Move>> {
        Position::immediate_win(self)
    }

    fn mate_in_one(&self) -> Option<Move> {
        match self.rules().variant {
            // A king left to be captured is another matter.
            Variant::KingCapture => None,
            Variant::Standard => Position::mate_in_one(self),
        }
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
    fn generate(&self, stage: Stage, all: bool, moves: &mut MoveList<Move>) {
        Position::generate(self, stage, all, moves);
    }

    #[inline]
    fn count_moves(&self) -> usize {
        Position::count_moves(self)
    }

    #[inline]
    fn is_legal(&self, m: Move) -> bool {
        Position::is_legal(self, m)
    }

    #[inline]
    fn check_info(&self) -> CheckInfo {
        Position::check_info(self)
    }

    #[inline]
    fn gives_check(&self, m: Move, info: &CheckInfo) -> bool {
        Position::gives_check(self, m, info)
    }

    #[inline]
    fn is_noisy(&self, m: Move) -> bool {
        match m.source() {
            Source::Hand(_) => false,
            Source::Board(from) => {
                self.piece_on(m.to()).is_some()
                    || m.is_promotion()
                        && self
                            .piece_on(from)
                            .is_some_and(|piece| piece.kind == PieceKind::Pawn)
            }
        }
    }

    #[inline]
    fn moved_piece(&self, m: Move) -> usize {
        Piece::new(self.side_to_move(), self.moved_kind(m)).index()
    }

    #[inline]
    fn captured_piece(&self, m: Move) -> Option<usize> {
        self.piece_on(m.to()).map(Piece::index)
    }

    #[inline]
    fn gain(&self, m: Move) -> Score {
        Position::gain(self, m)
    }

    #[inline]
    fn see_ge(&self, m: Move, threshold: Score) -> bool {
        Position::see_ge(self, m, threshold)
    }

    #[inline]
    fn key_after(&self, m: Move) -> u64 {
        Position::key_after(self, m)
    }

    #[inline]
    fn make(&mut self, m: Move) {
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
