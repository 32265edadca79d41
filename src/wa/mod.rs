//! Wa shogi (和将棋): the rules, whole, and [`Position`], which plays them.
//!
//! An 11x11 board, 27 pieces a side, 31 kinds of piece; with drops by the rules of
//! modern shogi or without ([`Rules::drops`]). `docs/src/wa.md` tells the rules.
//!
//! | file | what it holds |
//! |---|---|
//! | `kinds` | the one table of all kinds: movement, promotion, letters, names |
//! | `square` | the board's size |
//! | `piece` | kinds of piece and their exchange values |
//! | `hand` | pieces in hand, packed |
//! | `moves` | a move in 16 bits and its USI text |
//! | `attacks` | which squares a piece attacks |
//! | `position` | board, hands, history; make and unmake |
//! | `movegen` | legal moves, whole or by stage; checking moves |
//! | `legality` | is this move legal, and which rule does it break |
//! | `see` | static exchange evaluation |
//! | `mate` | what the mate solver asks |
//! | `rules` | the choices that the rules leave open |
//! | `sfen` | positions as text |
//! | `diagram` | boards for people |

pub mod attacks;
mod diagram;
pub mod hand;
pub mod kinds;
mod legality;
mod mate;
mod movegen;
pub mod moves;
pub mod piece;
mod position;
pub mod rules;
mod see;
pub mod sfen;
pub mod square;

pub use hand::Hand;
pub use legality::IllegalMove;
pub use movegen::CheckInfo;
pub use moves::{Move, Source};
pub use piece::{Piece, PieceKind};
pub use position::Position;
pub use rules::Rules;
pub use sfen::SfenError;
pub use square::{Bitboard, Square};

use crate::core::{Color, MoveList, Score};
use crate::game::{DiagramStyle, Game, GameEnd, ImmediateWin, Repetition, Stage};
use crate::mate::{RootMate, Solver};

impl Position {
    /// Whether nothing but the kings is left, in the game without drops: a draw.
    pub fn has_bare_kings(&self) -> bool {
        !self.rules().drops && self.occupied().count() == 2
    }

    /// Whether the game is a draw here by the move limit or for want of pieces,
    /// unless the side to move is mated.
    pub fn at_move_limit(&self) -> bool {
        let limit = self.rules().max_moves;
        limit > 0 && self.ply() > limit || self.has_bare_kings()
    }

    /// Whether and how the game is over in this position.
    pub fn end(&self) -> Option<GameEnd> {
        let winner = !self.side_to_move();
        if !self.has_legal_move() {
            return Some(if self.checkers().any() {
                GameEnd::Checkmate { winner }
            } else {
                GameEnd::NoLegalMove { winner }
            });
        }
        if let Some(verdict) = self.sennichite() {
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
        None
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
                            .is_some_and(|piece| movegen::promotes_noisily(piece.kind))
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
