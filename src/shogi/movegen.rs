//! Legal move generation.
//!
//! One generator serves every stage and every use. It works out the legal
//! targets of each piece as a set (pins, evasions and all drop rules applied to
//! the whole set at once) and hands the sets to a [`Sink`]: one sink writes moves
//! to a list, another only counts. Only king moves and a pawn drop that would
//! mate are tested one by one. Stages differ in the target sets they allow
//! ([`Targets`]), and checks in a further filter by kind of piece ([`Filter`]).

use super::attacks;
use super::piece::{KINDS, PieceKind};
use super::position::{Position, Shogi};
use super::square::{Bitboard, Square};
use super::{Move, Source};
use crate::common::{Generate, Sink};
use crate::core::{Color, SquareIndex};
use crate::game::Stage;

/// The square from which a pawn of `color` steps to `to`.
#[inline]
fn behind(color: Color, to: Square) -> Square {
    Square::from_bit(match color {
        Color::Black => to.bit() + 1,
        Color::White => to.bit() - 1,
    })
}

/// The squares that a stage allows as targets.
#[derive(Clone, Copy)]
struct Targets {
    /// Moves without promotion, pawns excepted.
    plain: Bitboard,
    /// Promotions, pawns excepted.
    promoting: Bitboard,
    /// Pawn moves without promotion.
    pawn_plain: Bitboard,
    /// Pawn promotions.
    pawn_promoting: Bitboard,
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
                promoting: empty | enemy,
                pawn_plain: empty | enemy,
                pawn_promoting: empty | enemy,
                drops: empty,
            },
            Stage::Noisy => Targets {
                plain: enemy,
                promoting: enemy,
                pawn_plain: enemy,
                pawn_promoting: empty | enemy,
                drops: Bitboard::EMPTY,
            },
            Stage::Quiet | Stage::QuietChecks => Targets {
                plain: empty,
                promoting: empty,
                pawn_plain: empty,
                pawn_promoting: Bitboard::EMPTY,
                drops: empty,
            },
        }
    }
}

/// Narrows targets by the kind that stands there after the move.
trait Filter {
    fn moves(&self, from: Square, kind: PieceKind) -> Bitboard;
    fn pawn_moves(&self) -> Bitboard;
    fn pawn_promotions(&self) -> Bitboard;
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
    fn pawn_moves(&self) -> Bitboard {
        Bitboard::ALL
    }

    #[inline]
    fn pawn_promotions(&self) -> Bitboard {
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
    /// The enemy king.
    king: Option<Square>,
    /// Pieces whose leaving opens a slider's line to the enemy king.
    discoverers: Bitboard,
    /// By kind, the squares from which it attacks the enemy king.
    squares: [Bitboard; KINDS],
    /// Targets of pawns that discover a check by moving on.
    pawn_discoveries: Bitboard,
}

impl CheckInfo {
    /// Whether `kind` arriving on `to` from `source` checks the king.
    #[inline]
    fn checks(&self, source: Source, kind: PieceKind, to: Square) -> bool {
        self.squares[kind.index()].contains(to)
            || match source {
                Source::Board(from) => self.discoveries(from).contains(to),
                Source::Hand(_) => false,
            }
    }

    /// Targets that discover a check when the piece on `from` moves there.
    #[inline]
    fn discoveries(&self, from: Square) -> Bitboard {
        match self.king {
            Some(king) if self.discoverers.contains(from) => !attacks::line(king, from),
            _ => Bitboard::EMPTY,
        }
    }
}

/// Lets checking moves through.
impl Filter for CheckInfo {
    #[inline]
    fn moves(&self, from: Square, kind: PieceKind) -> Bitboard {
        self.squares[kind.index()] | self.discoveries(from)
    }

    #[inline]
    fn pawn_moves(&self) -> Bitboard {
        self.squares[PieceKind::Pawn.index()] | self.pawn_discoveries
    }

    #[inline]
    fn pawn_promotions(&self) -> Bitboard {
        self.squares[PieceKind::ProPawn.index()] | self.pawn_discoveries
    }

    #[inline]
    fn drops(&self, kind: PieceKind) -> Bitboard {
        self.squares[kind.index()]
    }
}

impl Generate for Shogi {
    type CheckInfo = CheckInfo;

    /// With `useless` false, non-promotions of pawns, bishops and rooks that could
    /// promote, and of lances to the second rank, are left out: the promoted piece
    /// does all that they do. Under the king-capture rules, so are moves that let the
    /// king be captured.
    #[inline]
    fn generate(
        position: &Position,
        stage: Stage,
        useless: bool,
        sink: &mut impl Sink<PieceKind, Square>,
    ) {
        let targets = Targets::of(stage, position);
        if stage == Stage::QuietChecks {
            position.dispatch(&targets, useless, &position.check_info(), sink);
        } else {
            position.dispatch(&targets, useless, &Everything, sink);
        }
    }

    #[inline]
    fn generate_checks(position: &Position, sink: &mut impl Sink<PieceKind, Square>) {
        let targets = Targets::of(Stage::All, position);
        position.dispatch(&targets, true, &position.check_info(), sink);
    }

    fn check_info(position: &Position) -> CheckInfo {
        let mut info = CheckInfo {
            king: position.kings[!position.side],
            discoverers: Bitboard::EMPTY,
            squares: [Bitboard::EMPTY; KINDS],
            pawn_discoveries: Bitboard::EMPTY,
        };
        let Some(king) = info.king else {
            return info;
        };
        let us = position.side;
        let occupied = position.occupied();
        info.discoverers = position.blockers(us, king).0 & position.colors[us];
        let gold = attacks::gold(!us, king);
        let bishop = attacks::bishop(king, occupied);
        let rook = attacks::rook(king, occupied);
        let around = attacks::king(king);
        // In the order of `PieceKind`.
        info.squares = [
            attacks::pawn(!us, king),
            rook & attacks::forward(!us, king),
            attacks::knight(!us, king),
            attacks::silver(!us, king),
            bishop,
            rook,
            gold,
            // Only under the king-capture rules may a king go there.
            around,
            gold,
            gold,
            gold,
            gold,
            bishop | around,
            rook | around,
        ];
        let pawns = info.discoverers & (position.of_kind(PieceKind::Pawn) - attacks::file_of(king));
        info.pawn_discoveries = attacks::pawn_targets(us, pawns);
        info
    }

    #[inline]
    fn gives_check(position: &Position, m: Move, info: &CheckInfo) -> bool {
        info.checks(m.source(), position.moved_kind(m), m.to())
    }

    #[inline]
    fn promotes_noisily(kind: PieceKind) -> bool {
        kind == PieceKind::Pawn
    }
}

impl Position {
    #[inline]
    fn dispatch<F: Filter, S: Sink<PieceKind, Square>>(
        &self,
        t: &Targets,
        useless: bool,
        filter: &F,
        sink: &mut S,
    ) {
        match (self.side, useless) {
            (Color::Black, false) => self.emit::<false, false, F, S>(t, filter, sink),
            (Color::Black, true) => self.emit::<false, true, F, S>(t, filter, sink),
            (Color::White, false) => self.emit::<true, false, F, S>(t, filter, sink),
            (Color::White, true) => self.emit::<true, true, F, S>(t, filter, sink),
        }
    }

    /// The generator. Compiled for each colour, so that directions and zones are
    /// constants.
    fn emit<const WHITE: bool, const USELESS: bool, F: Filter, S: Sink<PieceKind, Square>>(
        &self,
        targets: &Targets,
        filter: &F,
        sink: &mut S,
    ) {
        use PieceKind::*;
        let us = if WHITE { Color::White } else { Color::Black };
        let zone = attacks::promotion_zone(us);
        let occupied = self.occupied();
        let own = self.colors[us];
        let standard = self.rules.protects_king();
        // Under the king-capture rules leaving the king attacked is allowed,
        // though never useful.
        let protect = standard || !USELESS;
        let (checkers, pinned) = if protect {
            (self.state.checkers, self.state.pinned & own)
        } else {
            (Bitboard::EMPTY, Bitboard::EMPTY)
        };

        let mut evade = Bitboard::ALL;
        let mut drops = targets.drops;
        let mut pawn_may_leave = Bitboard::ALL;
        // Without a king nothing is pinned, and any square will do.
        let king_square = self.kings[us];
        if let Some(king) = king_square {
            let mut to = attacks::king(king) & targets.plain & filter.moves(king, King);
            if protect {
                let blocking = occupied ^ Bitboard::of(king);
                for square in to {
                    if self.is_attacked(!us, square, blocking) {
                        to ^= Bitboard::of(square);
                    }
                }
            }
            sink.moves(king, to);
            if checkers.any() {
                if checkers.more_than_one() {
                    return;
                }
                if let Some(checker) = checkers.first() {
                    let between = attacks::between(king, checker);
                    evade = between | checkers;
                    drops &= between;
                }
            }
            // A pinned pawn may only go on along the king's file.
            pawn_may_leave = !pinned | attacks::file_of(king);
        }
        let pin = |from: Square| match king_square {
            Some(king) if pinned.contains(from) => attacks::line(king, from),
            _ => Bitboard::ALL,
        };

        let pawns = self.of_kind(Pawn) & own;
        let steps = attacks::pawn_targets(us, pawns & pawn_may_leave) & evade;
        let last = attacks::far_ranks(us, 1);
        let plain_pawns = if USELESS { !last } else { !zone };
        let to = steps & targets.pawn_plain & plain_pawns & filter.pawn_moves();
        sink.add(to, |to| Move::board(behind(us, to), to));
        let to = steps & targets.pawn_promoting & zone & filter.pawn_promotions();
        sink.add(to, |to| Move::promotion(behind(us, to), to));

        let plain = targets.plain & evade;
        let promoting = targets.promoting & evade;

        let lance_plain = plain & !attacks::far_ranks(us, if USELESS { 1 } else { 2 });
        for from in self.of_kind(Lance) & own {
            let to = attacks::lance(us, from, occupied) & pin(from);
            sink.moves(from, to & lance_plain & filter.moves(from, Lance));
            sink.promotions(from, to & promoting & zone & filter.moves(from, ProLance));
        }

        let knight_plain = plain & !attacks::far_ranks(us, 2);
        for from in self.of_kind(Knight) & own & !pinned {
            let to = attacks::knight(us, from);
            sink.moves(from, to & knight_plain & filter.moves(from, Knight));
            sink.promotions(from, to & promoting & zone & filter.moves(from, ProKnight));
        }

        let zone_from = |from| {
            if zone.contains(from) {
                Bitboard::ALL
            } else {
                zone
            }
        };
        for from in self.of_kind(Silver) & own {
            let to = attacks::silver(us, from) & pin(from);
            sink.moves(from, to & plain & filter.moves(from, Silver));
            let promoting = promoting & zone_from(from);
            sink.promotions(from, to & promoting & filter.moves(from, ProSilver));
        }

        for from in self.golds() & own {
            let to = attacks::gold(us, from) & plain & pin(from);
            sink.moves(from, to & filter.moves(from, Gold));
        }

        for (kind, promoted) in [(Bishop, Horse), (Rook, Dragon)] {
            for from in self.of_kind(kind) & own {
                let to = if kind == Bishop {
                    attacks::bishop(from, occupied)
                } else {
                    attacks::rook(from, occupied)
                } & pin(from);
                let may_promote = zone_from(from);
                let plain = if USELESS { plain } else { plain - may_promote };
                sink.moves(from, to & plain & filter.moves(from, kind));
                let promoting = promoting & may_promote;
                sink.promotions(from, to & promoting & filter.moves(from, promoted));
            }
        }

        for from in self.of_kind(Horse) & own {
            let to = attacks::horse(from, occupied) & plain & pin(from);
            sink.moves(from, to & filter.moves(from, Horse));
        }
        for from in self.of_kind(Dragon) & own {
            let to = attacks::dragon(from, occupied) & plain & pin(from);
            sink.moves(from, to & filter.moves(from, Dragon));
        }

        let hand = self.hands[us];
        if hand.is_empty() || drops.is_empty() {
            return;
        }
        for kind in [Rook, Bishop, Gold, Silver] {
            if hand.has(kind) {
                sink.drops(kind, drops & filter.drops(kind));
            }
        }
        if hand.has(Knight) {
            let alive = attacks::live_squares(us, Knight);
            sink.drops(Knight, drops & alive & filter.drops(Knight));
        }
        let alive = attacks::live_squares(us, Pawn);
        if hand.has(Lance) {
            sink.drops(Lance, drops & alive & filter.drops(Lance));
        }
        if hand.has(Pawn) {
            let mut to = drops & alive & attacks::files_without(pawns) & filter.drops(Pawn);
            if standard && let Some(king) = self.kings[!us] {
                let head = attacks::pawn(!us, king);
                if (to & head).any() && self.pawn_drop_mates(king, head) {
                    to ^= head;
                }
            }
            sink.drops(Pawn, to);
        }
    }
}
