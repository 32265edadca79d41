//! Static exchange evaluation: what a sequence of captures on one square is
//! worth ("Static Exchange Evaluation", Chess Programming Wiki, the swap
//! algorithm with a threshold).
//!
//! Values are those of [`VALUE`], each piece counted once as it stands. Pins are
//! not looked at, and recapturing pieces do not promote.

use super::attacks;
use super::moves::{Move, Source};
use super::piece::{PieceKind, VALUE};
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::{Color, Score};

/// Kinds in the order in which they are risked.
const CHEAPEST_FIRST: [PieceKind; 14] = [
    PieceKind::Pawn,
    PieceKind::Lance,
    PieceKind::Knight,
    PieceKind::Silver,
    PieceKind::ProLance,
    PieceKind::ProKnight,
    PieceKind::ProSilver,
    PieceKind::ProPawn,
    PieceKind::Gold,
    PieceKind::Bishop,
    PieceKind::Rook,
    PieceKind::Horse,
    PieceKind::Dragon,
    PieceKind::King,
];

impl Position {
    /// What a legal move wins at once: the captured piece and the gain by
    /// promotion, in centipawns.
    #[inline]
    pub fn gain(&self, m: Move) -> Score {
        let Source::Board(from) = m.source() else {
            return 0;
        };
        let captured = self.piece_on(m.to()).map_or(0, |p| VALUE[p.kind.index()]);
        let promotion = match self.piece_on(from) {
            Some(piece) if m.is_promotion() => {
                VALUE[self.moved_kind(m).index()] - VALUE[piece.kind.index()]
            }
            _ => 0,
        };
        captured + promotion
    }

    /// Whether the exchange that a legal move starts on its target square wins at
    /// least `threshold` centipawns.
    pub fn see_ge(&self, m: Move, threshold: Score) -> bool {
        let to = m.to();
        // What the side that has just captured is ahead of the threshold, if
        // nothing more happens.
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        // What stands on the square and may be captured next.
        let mut at_risk = VALUE[self.moved_kind(m).index()];
        if balance >= at_risk {
            return true;
        }
        let mut occupied = self.occupied() | Bitboard::of(to);
        if let Source::Board(from) = m.source() {
            occupied ^= Bitboard::of(from);
        }
        let mut attackers =
            self.attackers(Color::Black, to, occupied) | self.attackers(Color::White, to, occupied);
        let mut side = self.side_to_move();
        // Whether the first mover reaches the threshold if the exchange stops.
        let mut reached = true;
        loop {
            side = !side;
            attackers &= occupied;
            let own = attackers & self.pieces(side);
            let Some((kind, from)) = self.cheapest(own) else {
                return reached;
            };
            if kind == PieceKind::King && (attackers & self.pieces(!side)).any() {
                // The king may not take what is protected.
                return reached;
            }
            // Seen from the side that captures now: it must get above zero.
            balance = at_risk - balance - 1;
            reached = !reached;
            if balance < 0 {
                // The capture does not pay; the other side keeps the verdict.
                return !reached;
            }
            at_risk = VALUE[kind.index()];
            if balance >= at_risk {
                // Even losing the capturing piece does not change the verdict.
                return reached;
            }
            occupied ^= Bitboard::of(from);
            attackers |= self.sliders_to(to, occupied);
        }
    }

    fn cheapest(&self, pieces: Bitboard) -> Option<(PieceKind, Square)> {
        if pieces.is_empty() {
            return None;
        }
        CHEAPEST_FIRST
            .into_iter()
            .find_map(|kind| Some((kind, (pieces & self.of_kind(kind)).first()?)))
    }

    /// Sliders of both sides with a free line to a square.
    fn sliders_to(&self, to: Square, occupied: Bitboard) -> Bitboard {
        let lances = Color::ALL
            .map(|color| attacks::lance(!color, to, occupied) & self.pieces(color))
            .into_iter()
            .fold(Bitboard::EMPTY, |set, lances| set | lances);
        lances & self.of_kind(PieceKind::Lance)
            | attacks::bishop(to, occupied) & self.bishops()
            | attacks::rook(to, occupied) & self.rooks()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    /// The value of the exchange by plain minimax over all captures on the
    /// square, cheapest attacker first, either side stopping when it likes.
    fn exchange(position: &Position, m: Move) -> Score {
        fn recapture(p: &Position, to: Square, occ: Bitboard, side: Color, risk: Score) -> Score {
            let attackers = |color| p.attackers(color, to, occ) & occ;
            let Some((kind, from)) = p.cheapest(attackers(side)) else {
                return 0;
            };
            let rest = occ ^ Bitboard::of(from);
            if kind == PieceKind::King && (p.attackers(!side, to, occ) & occ).any() {
                return 0;
            }
            (risk - recapture(p, to, rest, !side, VALUE[kind.index()])).max(0)
        }
        let mut occ = position.occupied() | Bitboard::of(m.to());
        if let Some(from) = m.from() {
            occ ^= Bitboard::of(from);
        }
        let risk = VALUE[position.moved_kind(m).index()];
        position.gain(m) - recapture(position, m.to(), occ, !position.side_to_move(), risk)
    }

    #[test]
    fn agrees_with_minimax() {
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
            "ln1g3kn/3s5/p2pp+S1+Bp/2p2p3/6Lp1/P1P3PN1/1+r1PPP2P/2GSK2S1/L1G2G1NL b RB4P 63",
        ] {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            for m in position.legal_moves() {
                let value = exchange(&position, m);
                for threshold in [value - 1, value, value + 1, -300, 0, 1, 200] {
                    assert_eq!(
                        position.see_ge(m, threshold),
                        value >= threshold,
                        "{m} worth {value} against {threshold} in {sfen}"
                    );
                }
            }
        }
    }
}
