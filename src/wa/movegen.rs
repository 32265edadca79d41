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
use super::piece::{Piece, PieceKind};
use super::position::{Position, Wa};
use super::square::{Bitboard, Square};
use super::{Move, Source};
use crate::common::{Form, Generate, Sink};
use crate::core::Color;
use crate::game::Stage;

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

/// What tells checking moves of the side to move: see [`Generate::check_info`].
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

impl Generate for Wa {
    type CheckInfo = CheckInfo;

    #[inline]
    fn generate(
        position: &Position,
        stage: Stage,
        useless: bool,
        sink: &mut impl Sink<PieceKind, Square>,
    ) {
        let targets = Targets::of(stage, position);
        if stage == Stage::QuietChecks {
            position.emit(&targets, useless, &position.check_info(), sink);
        } else {
            position.emit(&targets, useless, &Everything, sink);
        }
    }

    #[inline]
    fn generate_checks(position: &Position, sink: &mut impl Sink<PieceKind, Square>) {
        let targets = Targets::of(Stage::All, position);
        position.emit(&targets, true, &position.check_info(), sink);
    }

    fn check_info(position: &Position) -> CheckInfo {
        let us = position.side;
        let king = position.kings[!us];
        let occupied = position.occupied();
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
        for (blocker, between, _) in position.blocked_lines(us, king) {
            if position.colors[us].contains(blocker) {
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

    #[inline]
    fn gives_check(position: &Position, m: Move, info: &CheckInfo) -> bool {
        let targets = match m.source() {
            Source::Board(from) => info.moves(from, position.moved_kind(m)),
            Source::Hand(kind) => info.drops(kind),
        };
        targets.contains(m.to())
    }

    /// Half a pawn more than nothing is lost, and the piece becomes one of the strong
    /// ones.
    #[inline]
    fn promotes_noisily(kind: PieceKind) -> bool {
        use PieceKind::*;
        matches!(
            kind,
            Pawn | Oxcart | Crow | Owl | Cock | Goose | Swallow | Falcon | Rabbit
        )
    }
}

impl Position {
    /// The generator.
    fn emit(
        &self,
        targets: &Targets,
        useless: bool,
        filter: &impl Filter,
        sink: &mut impl Sink<PieceKind, Square>,
    ) {
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
                to &= Wa::pin_line(self, us, from);
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
                promoting &= if Wa::promotes_noisily(kind) {
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
                if (to & head).any() && self.pawn_drop_mates(self.kings[!us], head) {
                    to ^= head;
                }
            }
            sink.drops(kind, to);
        }
    }
}
