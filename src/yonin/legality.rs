//! Whether a move is legal, and if not, which rule it breaks.
//!
//! The rules are tested in the order of [`IllegalMove`], from the plainest (no
//! such piece) to the subtlest (drop-pawn mate); the first one broken is named
//! with its id in the specification. The generator applies the same rules to
//! whole sets of squares; the tests hold the two against each other.

use super::attacks;
use super::board::Board;
use super::piece::can_be_in_hand;
use super::position::Position;
use super::seat::Seat;
use crate::shogi::{Bitboard, Move, PieceKind, Source, Square};

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalMove {
    /// The text is not a move.
    #[error("`{0}` is not a move in USI notation (like 7i8h, 4d3d+ or P*5e; 7.2)")]
    NotAMove(String),
    /// The game has ended.
    #[error("the game is over ({0}); nobody moves any more (R1-R7)")]
    GameOver(String),
    /// Nothing stands on the source square.
    #[error("there is no piece on {0}")]
    NoPiece(Square),
    /// A turned-over king.
    #[error("{0} holds a turned-over king, which never moves (X4)")]
    FallenKing(Square),
    /// The piece on the source square is not the mover's.
    #[error("the piece on {square} belongs to {}, but {} is to move (M1)", owner.map_or("nobody", Seat::name), turn.name())]
    NotYours {
        /// Where it stands.
        square: Square,
        /// Whose it is.
        owner: Option<Seat>,
        /// Whose turn it is.
        turn: Seat,
    },
    /// The dropped piece is not in hand.
    #[error("{} has no {} in hand (D1)", seat.name(), kind.name())]
    NotInHand {
        /// The mover.
        seat: Seat,
        /// The kind.
        kind: PieceKind,
    },
    /// A drop on a piece.
    #[error("{0} is occupied (D1)")]
    Occupied(Square),
    /// The target square holds a piece of the mover.
    #[error("{0} holds a piece that the mover owns (M3)")]
    OwnPiece(Square),
    /// The target square holds a king.
    #[error("{0} holds a king; no king is ever captured (M3)")]
    KingCapture(Square),
    /// The piece does not move in this way.
    #[error("a {} that points {}'s way does not move from {from} to {to} (M2)", kind.name(), facing.name())]
    WrongMovement {
        /// The piece.
        kind: PieceKind,
        /// Its direction.
        facing: Seat,
        /// Its square.
        from: Square,
        /// The target.
        to: Square,
    },
    /// A piece stands in the way.
    #[error("the way from {from} to {to} is blocked (M2)")]
    Blocked {
        /// The source.
        from: Square,
        /// The target.
        to: Square,
    },
    /// The kind of piece never promotes, or not any more.
    #[error("a {} does not promote (M2)", .0.name())]
    CannotPromote(PieceKind),
    /// The move neither starts nor ends in the piece's zone.
    #[error("a piece that points {}'s way promotes only in the camp opposite {} (PR1, PR4)", .0.name(), .0.name())]
    OutsideZone(Seat),
    /// A pawn on its last line.
    #[error("a pawn must promote on {0}, its last line (PR3)")]
    MustPromote(Square),
    /// A pawn dropped on its last line.
    #[error("a pawn may not be dropped on {0}, where it could never move (D2)")]
    DeadPawn(Square),
    /// A second unpromoted pawn on a line.
    #[error("two pawns: an unpromoted pawn that points the same way stands on {0} already (D3)")]
    TwoPawns(Square),
    /// A pawn dropped in front of a turned-over king.
    #[error("a pawn may not be dropped on {0}, before a turned-over king (D5)")]
    BeforeFallenKing(Square),
    /// The own king could be captured.
    #[error("the move leaves the king in check from {0} (L1)")]
    LeavesKingInCheck(Square),
    /// The partner's king is newly in check.
    #[error("the move newly checks the partner {} (L2)", .0.name())]
    ChecksPartner(Seat),
    /// A pawn drop that mates.
    #[error("a pawn drop may not mate {} (D4)", .0.name())]
    DropPawnMate(Seat),
    /// The ban on perpetual check.
    #[error("the move repeats the position a fourth time by perpetual check (REP2)")]
    PerpetualCheck,
}

impl Position {
    /// Reads a move and checks that it may be played: legal, the game not over,
    /// and not banned as perpetual check.
    ///
    /// # Errors
    ///
    /// The first rule that it breaks.
    pub fn parse_move(&self, text: &str) -> Result<Move, IllegalMove> {
        let m = Move::from_usi(text).ok_or_else(|| IllegalMove::NotAMove(text.to_owned()))?;
        if let Some(outcome) = self.outcome() {
            return Err(IllegalMove::GameOver(outcome.to_string()));
        }
        self.board.check_legality(m, self.board.turn)?;
        if self.is_banned(m) {
            return Err(IllegalMove::PerpetualCheck);
        }
        Ok(m)
    }
}

impl Board {
    /// Whether a move is legal here (L1, L2, D1 to D5); any move may be asked.
    #[inline]
    pub fn is_legal(&self, m: Move) -> bool {
        self.check_legality(m, self.turn).is_ok()
    }

    /// `Ok` for a move that is legal when `seat` is to move, else the first rule
    /// that it breaks.
    ///
    /// # Errors
    ///
    /// The rule, from the plainest to the subtlest.
    pub fn check_legality(&self, m: Move, seat: Seat) -> Result<(), IllegalMove> {
        if self.over {
            return Err(IllegalMove::GameOver("mates".to_owned()));
        }
        match m.source() {
            Source::Hand(kind) => self.check_drop(kind, seat, m.to()),
            Source::Board(from) => self.check_board_move(from, seat, m),
        }
    }

    fn check_drop(&self, kind: PieceKind, seat: Seat, to: Square) -> Result<(), IllegalMove> {
        if !can_be_in_hand(kind) || !self.hands[seat].has(kind) {
            return Err(IllegalMove::NotInHand { seat, kind });
        }
        if self.piece_on(to).is_some() {
            return Err(IllegalMove::Occupied(to));
        }
        if kind == PieceKind::Pawn {
            if attacks::last_line(seat).contains(to) {
                return Err(IllegalMove::DeadPawn(to));
            }
            let pawns = self.of_kind(PieceKind::Pawn) & self.facing(seat);
            if let Some(pawn) = (pawns & attacks::column(seat, to)).first() {
                return Err(IllegalMove::TwoPawns(pawn));
            }
            if self
                .king_before(seat, to)
                .is_some_and(|other| !self.is_living(other))
            {
                return Err(IllegalMove::BeforeFallenKing(to));
            }
        }
        self.check_kings(seat, None, kind, seat, to)?;
        if kind == PieceKind::Pawn
            && let Some(other) = self.king_before(seat, to).filter(|&other| other != seat)
            && self.pawn_drop_mates(seat, Bitboard::of(to), other)
        {
            return Err(IllegalMove::DropPawnMate(other));
        }
        Ok(())
    }

    /// Whose king, upright or not, stands where a pawn of `seat` on `pawn` would
    /// attack.
    fn king_before(&self, seat: Seat, pawn: Square) -> Option<Seat> {
        let target = attacks::pawn(seat, pawn).first();
        Seat::ALL
            .into_iter()
            .find(|&other| target.is_some() && self.kings[other] == target)
    }

    fn check_board_move(&self, from: Square, turn: Seat, m: Move) -> Result<(), IllegalMove> {
        let to = m.to();
        let piece = self.piece_on(from).ok_or(IllegalMove::NoPiece(from))?;
        let (kind, facing) = (piece.kind, piece.facing);
        if piece.owner != Some(turn) {
            if kind == PieceKind::King && piece.owner.is_none() {
                return Err(IllegalMove::FallenKing(from));
            }
            return Err(IllegalMove::NotYours {
                square: from,
                owner: piece.owner,
                turn,
            });
        }
        if !attacks::attacks(piece, from, self.occupied()).contains(to) {
            return Err(
                if attacks::attacks(piece, from, Bitboard::EMPTY).contains(to) {
                    IllegalMove::Blocked { from, to }
                } else {
                    IllegalMove::WrongMovement {
                        kind,
                        facing,
                        from,
                        to,
                    }
                },
            );
        }
        if self.owned(turn).contains(to) {
            return Err(IllegalMove::OwnPiece(to));
        }
        if self.of_kind(PieceKind::King).contains(to) {
            return Err(IllegalMove::KingCapture(to));
        }
        if m.is_promotion() {
            if kind.promoted().is_none() {
                return Err(IllegalMove::CannotPromote(kind));
            }
            let zone = attacks::zone(facing);
            if !zone.contains(from) && !zone.contains(to) {
                return Err(IllegalMove::OutsideZone(facing));
            }
        } else if kind == PieceKind::Pawn && attacks::last_line(facing).contains(to) {
            return Err(IllegalMove::MustPromote(to));
        }
        self.check_kings(turn, Some(from), self.moved_kind(m), facing, to)
    }

    /// Rules L1 and L2 after a piece arrives on `to`, from `from` or from the
    /// hand.
    fn check_kings(
        &self,
        seat: Seat,
        from: Option<Square>,
        kind: PieceKind,
        facing: Seat,
        to: Square,
    ) -> Result<(), IllegalMove> {
        let left = from.map_or(Bitboard::EMPTY, Bitboard::of);
        let arrival = Bitboard::of(to);
        let occupied = (self.occupied() - left) | arrival;
        let king = match kind {
            PieceKind::King => Some(to),
            _ => self.kings[seat],
        };
        if let Some(king) = king {
            let by = self.enemies(seat) - arrival;
            if let Some(attacker) = self.attackers(by, king, occupied).first() {
                return Err(IllegalMove::LeavesKingInCheck(attacker));
            }
        }
        if let Some(partner) = self.guarded_partner(seat)
            && (partner.direct(kind, facing).contains(to)
                || from.is_some_and(|from| partner.discovered(from).contains(to)))
        {
            return Err(IllegalMove::ChecksPartner(seat.opposite()));
        }
        Ok(())
    }
}
