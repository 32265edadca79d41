//! Legal move generation.
//!
//! One generator serves every stage and every use. It works out the legal targets
//! of each piece as a set (pins, evasions and all drop rules applied to the whole
//! set at once) and hands the sets to a [`Sink`]: one sink writes moves to a list,
//! another only counts. Only king moves and a pawn drop that would mate are tested
//! one by one. What is special about a kind comes from its table: jumps give checks
//! that cannot be blocked, and a piece that jumps may not leap over the slider that
//! pins it.

use arrayvec::ArrayVec;

use super::attacks::{self, CLASSES, PROMOTION_LOSES_NOTHING, class_of};
use super::moves::{Move, Source};
use super::piece::{Piece, PieceKind};
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::{Color, MoveList};
use crate::game::Stage;

/// Where the generator puts what it finds.
trait Sink {
    fn moves(&mut self, from: Square, to: Bitboard);
    fn promotions(&mut self, from: Square, to: Bitboard);
    fn drops(&mut self, kind: PieceKind, to: Bitboard);
}

/// Writes moves to a list, which has place for all that a position can have.
impl Sink for MoveList<Move> {
    #[inline]
    fn moves(&mut self, from: Square, to: Bitboard) {
        self.extend(to.map(|to| Move::board(from, to)));
    }

    #[inline]
    fn promotions(&mut self, from: Square, to: Bitboard) {
        self.extend(to.map(|to| Move::promotion(from, to)));
    }

    #[inline]
    fn drops(&mut self, kind: PieceKind, to: Bitboard) {
        self.extend(to.map(|to| Move::drop(kind, to)));
    }
}

/// Counts moves without writing them down.
#[derive(Default)]
struct Counter(usize);

impl Sink for Counter {
    #[inline]
    fn moves(&mut self, _: Square, to: Bitboard) {
        self.0 += to.count() as usize;
    }

    #[inline]
    fn promotions(&mut self, _: Square, to: Bitboard) {
        self.0 += to.count() as usize;
    }

    #[inline]
    fn drops(&mut self, _: PieceKind, to: Bitboard) {
        self.0 += to.count() as usize;
    }
}

/// Whether the promotion of a kind changes so much that it belongs to
/// [`Stage::Noisy`] without a capture: half a pawn more than nothing is lost, and
/// the piece becomes one of the strong ones.
#[inline]
pub(super) const fn promotes_noisily(kind: PieceKind) -> bool {
    use PieceKind::*;
    matches!(
        kind,
        Pawn | Oxcart | Crow | Owl | Cock | Goose | Swallow | Falcon | Rabbit
    )
}

/// The squares that a stage allows as targets.
#[derive(Clone, Copy)]
struct Targets {
    /// Moves without promotion.
    plain: Bitboard,
    /// Promotions of kinds that promote noisily.
    noisy_promotions: Bitboard,
    /// Other promotions.
    quiet_promotions: Bitboard,
    /// Drops.
    drops: Bitboard,
}

impl Targets {
    fn of(stage: Stage, position: &Position) -> Targets {
        let empty = !position.occupied();
        let enemy = position.pieces(!position.side);
        match stage {
            Stage::All => Targets {
                plain: empty | enemy,
                noisy_promotions: empty | enemy,
                quiet_promotions: empty | enemy,
                drops: empty,
            },
            Stage::Noisy => Targets {
                plain: enemy,
                noisy_promotions: empty | enemy,
                quiet_promotions: enemy,
                drops: Bitboard::EMPTY,
            },
            Stage::Quiet | Stage::QuietChecks => Targets {
                plain: empty,
                noisy_promotions: Bitboard::EMPTY,
                quiet_promotions: empty,
                drops: empty,
            },
        }
    }
}

/// Narrows targets by the kind that stands there after the move.
trait Filter {
    fn moves(&self, from: Square, kind: PieceKind) -> Bitboard;
    fn drops(&self, kind: PieceKind) -> Bitboard;
}

/// Lets every move through.
struct Everything;

impl Filter for Everything {
    #[inline]
    fn moves(&self, _: Square, _: PieceKind) -> Bitboard {
        Bitboard::ALL
    }

    #[inline]
    fn drops(&self, _: PieceKind) -> Bitboard {
        Bitboard::ALL
    }
}

/// What tells checking moves of the side to move: see [`Position::check_info`].
#[derive(Clone, Debug)]
pub struct CheckInfo {
    /// The side that moves.
    us: Color,
    /// The enemy king.
    king: Square,
    /// All pieces.
    occupied: Bitboard,
    /// Squares with a free line to the enemy king.
    seen: Bitboard,
    /// By class, the squares from which it attacks the enemy king.
    squares: [Bitboard; CLASSES],
    /// Pieces whose leaving opens a slider's line to the enemy king.
    discoverers: Bitboard,
    /// These pieces with the squares of that line.
    lines: ArrayVec<(Square, Bitboard), 8>,
}

impl CheckInfo {
    /// Targets that discover a check when the piece on `from` moves there.
    #[inline]
    fn discoveries(&self, from: Square) -> Bitboard {
        if !self.discoverers.contains(from) {
            return Bitboard::EMPTY;
        }
        let line = self.lines.iter().find(|(blocker, _)| *blocker == from);
        line.map_or(Bitboard::EMPTY, |&(_, line)| !line)
    }

    /// Squares from which a slider of `class` attacks the king over the square that
    /// it has come from.
    fn over_origin(&self, from: Square, class: usize) -> Bitboard {
        let occupied = self.occupied - Bitboard::of(from);
        attacks::reach(!self.us, class, self.king) & attacks::queen(self.king, occupied)
    }
}

/// Lets checking moves through.
impl Filter for CheckInfo {
    #[inline]
    fn moves(&self, from: Square, kind: PieceKind) -> Bitboard {
        let class = class_of(kind);
        let mut targets = self.squares[class] | self.discoveries(from);
        // Only a piece that has just learned to slide can come from the line on
        // which it attacks: before, it would have given check already.
        if kind.is_promoted() && attacks::slides(class) && self.seen.contains(from) {
            targets |= self.over_origin(from, class);
        }
        targets
    }

    #[inline]
    fn drops(&self, kind: PieceKind) -> Bitboard {
        self.squares[class_of(kind)]
    }
}

impl Position {
    /// Appends the legal moves of `stage`. With `useless` false, non-promotions are
    /// left out where the promoted piece does all that the unpromoted one does.
    pub fn generate(&self, stage: Stage, useless: bool, moves: &mut MoveList<Move>) {
        let targets = Targets::of(stage, self);
        if stage == Stage::QuietChecks {
            self.emit(&targets, useless, &self.check_info(), moves);
        } else {
            self.emit(&targets, useless, &Everything, moves);
        }
    }

    /// Appends all legal moves that give check, useless non-promotions included.
    pub fn generate_checks(&self, moves: &mut MoveList<Move>) {
        let targets = Targets::of(Stage::All, self);
        self.emit(&targets, true, &self.check_info(), moves);
    }

    /// All legal moves, useless non-promotions included.
    pub fn legal_moves(&self) -> MoveList<Move> {
        let mut moves = MoveList::new();
        self.generate(Stage::All, true, &mut moves);
        moves
    }

    /// The number of legal moves, useless non-promotions included.
    pub fn count_moves(&self) -> usize {
        let mut counter = Counter::default();
        self.emit(
            &Targets::of(Stage::All, self),
            true,
            &Everything,
            &mut counter,
        );
        counter.0
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_moves() > 0
    }

    /// What [`Position::gives_check`] needs, for all moves of this position.
    pub fn check_info(&self) -> CheckInfo {
        let us = self.side;
        let king = self.kings[!us];
        let occupied = self.occupied();
        let seen = attacks::queen(king, occupied);
        let mut squares = [Bitboard::EMPTY; CLASSES];
        for (class, squares) in squares.iter_mut().enumerate() {
            // Where a piece of theirs on the king's square would go.
            *squares = attacks::leaps(!us, class, king) | attacks::reach(!us, class, king) & seen;
        }
        // No king goes next to the other one.
        squares[const { class_of(PieceKind::King) }] = attacks::king(king);
        let mut discoverers = Bitboard::EMPTY;
        let mut lines = ArrayVec::new();
        for (blocker, between, _) in self.blocked_lines(us, king) {
            if self.colors[us].contains(blocker) {
                discoverers |= Bitboard::of(blocker);
                lines.push((blocker, between));
            }
        }
        CheckInfo {
            us,
            king,
            occupied,
            seen,
            squares,
            discoverers,
            lines,
        }
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives_check(&self, m: Move, info: &CheckInfo) -> bool {
        let targets = match m.source() {
            Source::Board(from) => info.moves(from, self.moved_kind(m)),
            Source::Hand(kind) => info.drops(kind),
        };
        targets.contains(m.to())
    }

    /// The generator.
    fn emit(&self, targets: &Targets, useless: bool, filter: &impl Filter, sink: &mut impl Sink) {
        let us = self.side;
        let zone = attacks::promotion_zone(us);
        let occupied = self.occupied();
        let own = self.colors[us];
        let king = self.kings[us];
        let checkers = self.state.checkers;
        let pinned = self.state.pinned & own;

        let mut flights = attacks::king(king) & targets.plain & filter.moves(king, PieceKind::King);
        let blocking = occupied ^ Bitboard::of(king);
        for square in flights {
            if self.is_attacked(!us, square, blocking) {
                flights ^= Bitboard::of(square);
            }
        }
        sink.moves(king, flights);

        let mut evade = Bitboard::ALL;
        if let Some(checker) = checkers.first() {
            if checkers.more_than_one() {
                return;
            }
            evade = self.evasion_targets(us, checker);
        }
        for from in own ^ Bitboard::of(king) {
            let Some(Piece { kind, .. }) = self.piece_on(from) else {
                continue;
            };
            let mut to = attacks::class_attacks(us, class_of(kind), from, occupied) & evade;
            if pinned.contains(from) {
                to &= self.pin_line(us, from);
            }
            let mut plain = to & targets.plain & attacks::live_squares(us, kind);
            if let Some(promoted) = kind.promoted() {
                let mut promoting = to;
                if !zone.contains(from) {
                    promoting &= zone;
                }
                if !useless && PROMOTION_LOSES_NOTHING[kind.index()] {
                    plain -= promoting;
                }
                promoting &= if promotes_noisily(kind) {
                    targets.noisy_promotions
                } else {
                    targets.quiet_promotions
                };
                sink.promotions(from, promoting & filter.moves(from, promoted));
            }
            sink.moves(from, plain & filter.moves(from, kind));
        }

        let hand = self.hands[us];
        let drops = targets.drops & evade;
        if hand.is_empty() || drops.is_empty() {
            return;
        }
        for kind in PieceKind::hand() {
            if !hand.has(kind) {
                continue;
            }
            let mut to = drops & attacks::live_squares(us, kind) & filter.drops(kind);
            if kind == PieceKind::Pawn {
                to &= attacks::files_without(self.pieces_of(us, kind));
                let head = attacks::pawn(!us, self.kings[!us]);
                if (to & head).any() && self.pawn_drop_mates(head) {
                    to ^= head;
                }
            }
            sink.drops(kind, to);
        }
    }

    /// Whether a pawn of the side to move, dropped on the square at the `head` of
    /// the enemy king, mates it (uchifuzume).
    ///
    /// The pawn stands next to the king, so that nothing can interpose: the
    /// defender must take the pawn or move the king.
    pub(super) fn pawn_drop_mates(&self, head: Bitboard) -> bool {
        let us = self.side;
        let them = !us;
        let king = self.kings[them];
        let Some(to) = head.first() else {
            return false;
        };
        let occupied = self.occupied() | head;
        let takers = self.attackers(them, to, occupied) - Bitboard::of(king);
        // A pinned piece may take where that keeps it on the line of its pin; the
        // new pawn changes no pin off the king's file, and on it the taker ends up
        // where the pawn stood, in the line.
        if takers.any_square(|from| self.pin_line(them, from).contains(to)) {
            return false;
        }
        let blocking = occupied ^ Bitboard::of(king);
        let escapes = attacks::king(king) - self.colors[them];
        !escapes.any_square(|square| !self.is_attacked(us, square, blocking))
    }
}
