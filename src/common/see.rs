//! Static exchange evaluation: what a sequence of captures on one square is
//! worth ("Static Exchange Evaluation", Chess Programming Wiki, the swap
//! algorithm with a threshold).
//!
//! Each piece is counted once as it stands, at the game's values. Pins are not
//! looked at, and recapturing pieces do not promote.

use super::position::{Form, Position, Set};
use super::{Kind, Move, Source};
use crate::core::{Bitboard, Color, Score};

/// What pieces are worth in exchanges, in centipawns.
pub trait Exchange: Form {
    /// What capturing a piece of a kind wins.
    fn value(rules: &Self::Rules, kind: Self::Kind) -> Score;

    /// What the promotion of a kind that promotes wins.
    fn promotion_gain(rules: &Self::Rules, kind: Self::Kind) -> Score;

    /// The piece that is risked first.
    fn cheapest(position: &Position<Self>, pieces: Set<Self>)
    -> Option<(Self::Kind, Self::Square)>;
}

impl<F: Exchange> Position<F> {
    /// What a legal move wins at once: the captured piece and the gain by
    /// promotion, in centipawns.
    #[inline]
    pub fn gain(&self, m: Move<F::Kind, F::Square>) -> Score {
        let Source::Board(from) = m.source() else {
            return 0;
        };
        let captured = self
            .piece_on(m.to())
            .map_or(0, |piece| F::value(&self.rules, piece.kind));
        match self.piece_on(from) {
            Some(piece) if m.is_promotion() => {
                captured + F::promotion_gain(&self.rules, piece.kind)
            }
            _ => captured,
        }
    }

    /// Whether the exchange that a legal move starts on its target square wins at
    /// least `threshold` centipawns.
    pub fn see_ge(&self, m: Move<F::Kind, F::Square>, threshold: Score) -> bool {
        let to = m.to();
        // What the side that has just captured is ahead of the threshold, if
        // nothing more happens.
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        // What stands on the square and may be captured next.
        let mut at_risk = F::value(&self.rules, self.moved_kind(m));
        if balance >= at_risk {
            return true;
        }
        let mut occupied = self.occupied() | Bitboard::of(to);
        if let Source::Board(from) = m.source() {
            occupied ^= Bitboard::of(from);
        }
        let mut attackers =
            self.attackers(Color::Black, to, occupied) | self.attackers(Color::White, to, occupied);
        let mut side = self.side;
        // Whether the first mover reaches the threshold if the exchange stops.
        let mut reached = true;
        loop {
            side = !side;
            attackers &= occupied;
            let Some((kind, from)) = F::cheapest(self, attackers & self.colors[side]) else {
                return reached;
            };
            if kind == F::Kind::KING && (attackers & self.colors[!side]).any() {
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
            at_risk = F::value(&self.rules, kind);
            if balance >= at_risk {
                // Even losing the capturing piece does not change the verdict.
                return reached;
            }
            // A slider behind the one that has captured joins in.
            occupied ^= Bitboard::of(from);
            attackers |= F::sliders_to(self, Color::Black, to, occupied)
                | F::sliders_to(self, Color::White, to, occupied);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;
    use crate::{shogi, wa};

    /// The value of the exchange by plain minimax over all captures on the
    /// square, cheapest attacker first, either side stopping when it likes.
    fn exchange<F: Exchange>(position: &Position<F>, m: Move<F::Kind, F::Square>) -> Score {
        fn recapture<F: Exchange>(
            p: &Position<F>,
            to: F::Square,
            occ: Set<F>,
            side: Color,
            risk: Score,
        ) -> Score {
            let attackers = |color| p.attackers(color, to, occ) & occ;
            let Some((kind, from)) = F::cheapest(p, attackers(side)) else {
                return 0;
            };
            let rest = occ ^ Bitboard::of(from);
            if kind == F::Kind::KING && attackers(!side).any() {
                return 0;
            }
            (risk - recapture(p, to, rest, !side, F::value(p.rules(), kind))).max(0)
        }
        let mut occ = position.occupied() | Bitboard::of(m.to());
        if let Some(from) = m.from() {
            occ ^= Bitboard::of(from);
        }
        let risk = F::value(position.rules(), position.moved_kind(m));
        position.gain(m) - recapture(position, m.to(), occ, !position.side_to_move(), risk)
    }

    /// Holds every move of a position against minimax.
    fn agrees_with_minimax<F: Exchange>(
        position: &Position<F>,
        moves: &[Move<F::Kind, F::Square>],
        sfen: &str,
    ) {
        for &m in moves {
            let value = exchange(position, m);
            for threshold in [value - 1, value, value + 1, -300, 0, 1, 200] {
                assert_eq!(
                    position.see_ge(m, threshold),
                    value >= threshold,
                    "{m} worth {value} against {threshold} in {sfen}"
                );
            }
        }
    }

    #[test]
    fn agrees_with_minimax_in_shogi() {
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
            "6n1l/2+S1k4/2lp4p/1np1B2b1/3PP4/1N1S3rP/1P2+pPP+p1/1p1G5/3KG2r1 b GSN2L4Pgs2p 1",
            "ln1g3kn/3s5/p2pp+S1+Bp/2p2p3/6Lp1/P1P3PN1/1+r1PPP2P/2GSK2S1/L1G2G1NL b RB4P 63",
        ] {
            let position = shogi::Position::from_sfen(sfen, &shogi::Rules::default()).unwrap();
            agrees_with_minimax(&position, &position.legal_moves(), sfen);
        }
    }

    #[test]
    fn agrees_with_minimax_in_wa_shogi() {
        for drops in [false, true] {
            let rules = wa::Rules {
                drops,
                ..wa::Rules::default()
            };
            for game in 0..20 {
                let mut random = Random::nth(5, game);
                let mut position = wa::Position::start(&rules);
                for _ in 0..100 {
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves[random.below(moves.len())];
                    agrees_with_minimax(&position, &[m], &position.sfen());
                    position.make(m);
                }
            }
        }
    }
}
