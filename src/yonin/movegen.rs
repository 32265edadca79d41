//! Legal moves: written to a list, counted, or only asked whether there is one.
//!
//! The generator works out the legal targets of each piece as a set (pins,
//! evasions, drop rules and in pairs the partner's safety applied to the whole
//! set) and hands the sets to a [`Sink`]. Only king moves and a pawn drop that
//! would mate are tested one by one.

use super::attacks;
use super::board::Board;
use super::piece::{HAND, Piece};
use super::seat::Seat;
use crate::common::{Counter, Sink};
use crate::core::MoveList;
use crate::game::Stage;
use crate::shogi::{Bitboard, Move, PieceKind, Square};

/// Finds out whether there is a move at all.
#[derive(Default)]
struct Any(bool);

impl Sink<PieceKind, Square> for Any {
    #[inline]
    fn add(&mut self, to: Bitboard, _: impl Fn(Square) -> Move) {
        self.0 |= to.any();
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.0
    }
}

/// The squares that a stage allows as targets.
#[derive(Clone, Copy)]
struct Targets {
    plain: Bitboard,
    promoting: Bitboard,
    pawn_promoting: Bitboard,
    drops: Bitboard,
}

impl Targets {
    fn of(stage: Stage, board: &Board, seat: Seat) -> Targets {
        let occupied = board.occupied();
        let empty = !occupied;
        let prey = occupied - board.owned(seat) - board.of_kind(PieceKind::King);
        let all = empty | prey;
        match stage {
            Stage::All => Targets {
                plain: all,
                promoting: all,
                pawn_promoting: all,
                drops: empty,
            },
            Stage::Noisy => Targets {
                plain: prey,
                promoting: prey,
                pawn_promoting: all,
                drops: Bitboard::EMPTY,
            },
            Stage::Quiet | Stage::QuietChecks => Targets {
                plain: empty,
                promoting: empty,
                pawn_promoting: Bitboard::EMPTY,
                drops: empty,
            },
        }
    }
}

/// What keeps a move from newly checking a king: the partner's in pairs, where
/// such moves are illegal (rule L2). Also what tells checking moves.
#[derive(Clone, Copy, Debug)]
pub struct CheckSquares {
    king: Square,
    /// Pieces whose leaving opens a line to the king.
    blockers: Bitboard,
    /// Squares from which a rook attacks the king.
    rook: Bitboard,
}

impl CheckSquares {
    /// For moves of `mover` and the king of another living seat.
    pub(super) fn new(board: &Board, target: Seat) -> Option<CheckSquares> {
        let king = board
            .king(target)
            .filter(|&king| board.owned(target).contains(king))?;
        Some(CheckSquares {
            king,
            blockers: board.blockers(board.enemies(target), king),
            rook: attacks::rook(king, board.occupied()),
        })
    }

    /// Squares on which a piece of this kind and direction attacks the king.
    #[inline]
    pub(super) fn direct(&self, kind: PieceKind, facing: Seat) -> Bitboard {
        let back = facing.opposite();
        match kind {
            PieceKind::Pawn => attacks::pawn(back, self.king),
            PieceKind::Silver => attacks::silver(back, self.king),
            PieceKind::Rook => self.rook,
            PieceKind::Dragon => self.rook | attacks::king(self.king),
            PieceKind::King => Bitboard::EMPTY,
            _ => attacks::gold(back, self.king),
        }
    }

    /// Targets that open a line to the king when the piece on `from` goes there.
    #[inline]
    pub(super) fn discovered(&self, from: Square) -> Bitboard {
        if self.blockers.contains(from) {
            !attacks::line(self.king, from)
        } else {
            Bitboard::EMPTY
        }
    }
}

impl Board {
    /// Appends the legal moves of `stage` (rules L1, L2, D1 to D5) of a living
    /// seat, taken as being to move. `QuietChecks` are those that attack the king of another player.
    /// With `useless` false, non-promotions of pawns and rooks that could promote
    /// are left out: the promoted piece does all that they do.
    pub(super) fn generate(
        &self,
        seat: Seat,
        stage: Stage,
        useless: bool,
        moves: &mut MoveList<Move>,
    ) {
        if self.over {
            return;
        }
        let start = moves.len();
        let targets = Targets::of(stage, self, seat);
        self.emit(seat, &targets, useless, moves);
        if stage == Stage::QuietChecks {
            let checks = self.check_info(seat);
            let mut kept = start;
            for i in start..moves.len() {
                if self.gives_check(moves[i], seat, &checks) {
                    moves[kept] = moves[i];
                    kept += 1;
                }
            }
            moves.truncate(kept);
        }
    }

    /// All legal moves of the player to move (L1, L2, D1 to D5), useless ones included,
    /// without regard to the ban on perpetual check.
    pub fn legal_moves(&self) -> MoveList<Move> {
        let mut moves = MoveList::new();
        self.generate(self.turn, Stage::All, true, &mut moves);
        moves
    }

    /// How many legal moves the player to move has.
    pub fn count_moves(&self) -> usize {
        if self.over {
            return 0;
        }
        let mut counter = Counter::default();
        let targets = Targets::of(Stage::All, self, self.turn);
        self.emit(self.turn, &targets, true, &mut counter);
        counter.0
    }

    /// Whether a living seat, taken as being to move, has a legal move.
    pub(super) fn has_legal_move(&self, seat: Seat) -> bool {
        let mut any = Any::default();
        let targets = Targets::of(Stage::All, self, seat);
        self.emit(seat, &targets, true, &mut any);
        any.0
    }

    /// What [`Board::gives_check`] needs: the kings of the others.
    pub(super) fn check_info(&self, seat: Seat) -> [Option<CheckSquares>; 3] {
        [1, 2, 3].map(|n| CheckSquares::new(self, seat.clockwise(n)))
    }

    /// Whether a legal move newly attacks the king of another living player.
    #[inline]
    pub(super) fn gives_check(
        &self,
        m: Move,
        seat: Seat,
        info: &[Option<CheckSquares>; 3],
    ) -> bool {
        let kind = self.moved_kind(m);
        let from = m.from();
        let facing = from
            .and_then(|from| self.piece_on(from))
            .map_or(seat, |piece| piece.facing);
        info.iter().flatten().any(|king| {
            king.direct(kind, facing).contains(m.to())
                || from.is_some_and(|from| king.discovered(from).contains(m.to()))
        })
    }

    /// The partner's king, where the mover must not newly check it (rule L2).
    #[inline]
    pub(super) fn guarded_partner(&self, seat: Seat) -> Option<CheckSquares> {
        let partner = self.rules.partner(seat)?;
        if self.checkers[partner].any() {
            return None;
        }
        CheckSquares::new(self, partner)
    }

    /// The generator.
    fn emit<S: Sink<PieceKind, Square>>(
        &self,
        seat: Seat,
        targets: &Targets,
        useless: bool,
        sink: &mut S,
    ) {
        let occupied = self.occupied();
        let own = self.owned(seat);
        let enemies = self.enemies(seat);
        let checkers = self.checkers[seat];
        let Some(king) = self.kings[seat] else {
            return;
        };
        let partner = self.guarded_partner(seat);
        let forbidden = |from: Option<Square>, kind, facing| match &partner {
            None => Bitboard::EMPTY,
            Some(partner) => {
                partner.direct(kind, facing)
                    | from.map_or(Bitboard::EMPTY, |from| partner.discovered(from))
            }
        };

        let mut evade = Bitboard::ALL;
        let mut drops = targets.drops;
        if checkers.any() {
            if checkers.more_than_one() {
                evade = Bitboard::EMPTY;
                drops = Bitboard::EMPTY;
            } else if let Some(checker) = checkers.first() {
                let between = attacks::between(king, checker);
                evade = between | checkers;
                drops &= between;
            }
        }
        if evade.any() {
            let pinned = self.blockers(enemies, king) & own;
            for from in own ^ Bitboard::of(king) {
                let Some(piece) = self.piece_on(from) else {
                    continue;
                };
                let mut to = attacks::attacks(piece, from, occupied) & evade;
                if pinned.contains(from) {
                    to &= attacks::line(king, from);
                }
                self.emit_piece(piece, from, to, targets, useless, &forbidden, sink);
                if sink.is_full() {
                    return;
                }
            }
        }

        let mut to = attacks::king(king) & targets.plain;
        to -= forbidden(Some(king), PieceKind::King, seat);
        let blocking = occupied ^ Bitboard::of(king);
        for square in to {
            if self.attackers(enemies, square, blocking).any() {
                to ^= Bitboard::of(square);
            }
        }
        sink.moves(king, to);
        if sink.is_full() {
            return;
        }

        if drops.any() {
            for kind in HAND {
                if self.hands[seat].has(kind) {
                    let mut to = drops - forbidden(None, kind, seat);
                    if kind == PieceKind::Pawn {
                        to &= self.pawn_drops(seat, to);
                    }
                    sink.drops(kind, to);
                    if sink.is_full() {
                        return;
                    }
                }
            }
        }
    }

    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the loop body of `emit`")]
    fn emit_piece<S: Sink<PieceKind, Square>>(
        &self,
        piece: Piece,
        from: Square,
        to: Bitboard,
        targets: &Targets,
        useless: bool,
        forbidden: &impl Fn(Option<Square>, PieceKind, Seat) -> Bitboard,
        sink: &mut S,
    ) {
        let facing = piece.facing;
        let mut plain = to & targets.plain;
        if let Some(promoted) = piece.kind.promoted() {
            let zone = attacks::zone(facing);
            let promoting = if zone.contains(from) { to } else { to & zone };
            let allowed = if piece.kind == PieceKind::Pawn {
                plain -= attacks::last_line(facing);
                targets.pawn_promoting
            } else {
                targets.promoting
            };
            // In pairs the promoted piece may be barred by rule L2 where the plain one
            // is not.
            let promoting = promoting - forbidden(Some(from), promoted, facing);
            if !useless && piece.kind != PieceKind::Silver {
                plain -= promoting;
            }
            sink.promotions(from, promoting & allowed);
        }
        sink.moves(from, plain - forbidden(Some(from), piece.kind, facing));
    }

    /// Those of the empty squares `drops` on which a pawn may be dropped (rules
    /// D2 to D5).
    pub(super) fn pawn_drops(&self, seat: Seat, drops: Bitboard) -> Bitboard {
        let mut to = drops - attacks::last_line(seat);
        for pawn in self.of_kind(PieceKind::Pawn) & self.facing(seat) {
            to -= attacks::column(seat, pawn);
        }
        if to.is_empty() {
            return to;
        }
        for other in Seat::ALL {
            let Some(king) = self.kings[other] else {
                continue;
            };
            let before = attacks::pawn(seat.opposite(), king) & to;
            if other == seat || before.is_empty() {
                continue;
            }
            if !self.is_living(other) || self.pawn_drop_mates(seat, before, other) {
                to -= before;
            }
        }
        to
    }

    /// Whether a pawn dropped on the one square of `square` leaves the player
    /// whose king it attacks without a move (rule D4).
    pub(super) fn pawn_drop_mates(&self, seat: Seat, square: Bitboard, target: Seat) -> bool {
        let Some(square) = square.first() else {
            return false;
        };
        let mut after = self.clone();
        after.put(square, Piece::own(PieceKind::Pawn, seat));
        // The dropped pawn can also block checks on others, so that the partner
        // of the target may count as unchecked.
        after.find_checkers();
        !after.has_legal_move(target)
    }
}
