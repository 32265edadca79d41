//! Static exchange evaluation: what a sequence of captures on one square is
//! worth ("Static Exchange Evaluation", Chess Programming Wiki, the swap
//! algorithm with a threshold).
//!
//! Values are those of [`Values`]: with drops a captured piece counts for what it is
//! on the board and for what it becomes in hand. Pins are not looked at, and
//! recapturing pieces do not promote.

use super::moves::{Move, Source};
use super::piece::{PieceKind, Values};
use super::position::Position;
use super::square::{Bitboard, Square};
use crate::core::{Color, Score};

impl Position {
    #[inline]
    fn values(&self) -> &'static Values {
        Values::of(self.rules.drops)
    }

    /// What a legal move wins at once: the captured piece and the gain by
    /// promotion, in centipawns.
    #[inline]
    pub fn gain(&self, m: Move) -> Score {
        let Source::Board(from) = m.source() else {
            return 0;
        };
        let values = self.values();
        let captured = self
            .piece_on(m.to())
            .map_or(0, |piece| values.capture[piece.kind.index()]);
        match self.piece_on(from) {
            Some(piece) if m.is_promotion() => captured + values.promotion[piece.kind.index()],
            _ => captured,
        }
    }

    /// Whether the exchange that a legal move starts on its target square wins at
    /// least `threshold` centipawns.
    pub fn see_ge(&self, m: Move, threshold: Score) -> bool {
        let values = &self.values().capture;
        let to = m.to();
        // What the side that has just captured is ahead of the threshold, if
        // nothing more happens.
        let mut balance = self.gain(m) - threshold;
        if balance < 0 {
            return false;
        }
        // What stands on the square and may be captured next.
        let mut at_risk = values[self.moved_kind(m).index()];
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
            let Some((kind, from)) = self.cheapest(attackers & self.colors[side]) else {
                return reached;
            };
            if kind == PieceKind::King && (attackers & self.colors[!side]).any() {
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
            at_risk = values[kind.index()];
            if balance >= at_risk {
                // Even losing the capturing piece does not change the verdict.
                return reached;
            }
            // A slider behind the one that has captured joins in.
            occupied ^= Bitboard::of(from);
            attackers |= self.sliders_to(Color::Black, to, occupied)
                | self.sliders_to(Color::White, to, occupied);
        }
    }

    /// The piece that is risked first.
    fn cheapest(&self, pieces: Bitboard) -> Option<(PieceKind, Square)> {
        let values = &self.values().capture;
        pieces
            .filter_map(|square| Some((self.piece_on(square)?.kind, square)))
            .min_by_key(|(kind, _)| values[kind.index()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;
    use crate::wa::Rules;

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
            let next = p.values().capture[kind.index()];
            (risk - recapture(p, to, rest, !side, next)).max(0)
        }
        let mut occ = position.occupied() | Bitboard::of(m.to());
        if let Some(from) = m.from() {
            occ ^= Bitboard::of(from);
        }
        let risk = position.values().capture[position.moved_kind(m).index()];
        position.gain(m) - recapture(position, m.to(), occ, !position.side_to_move(), risk)
    }

    #[test]
    fn agrees_with_minimax() {
        for drops in [false, true] {
            let rules = Rules {
                drops,
                ..Rules::default()
            };
            for game in 0..20 {
                let mut random = Random::nth(5, game);
                let mut position = Position::start(&rules);
                for _ in 0..100 {
                    let moves = position.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    let m = moves[random.below(moves.len())];
                    let value = exchange(&position, m);
                    for threshold in [value - 1, value, value + 1, -300, 0, 1, 200] {
                        assert_eq!(
                            position.see_ge(m, threshold),
                            value >= threshold,
                            "{m} worth {value} against {threshold} in {}",
                            position.sfen()
                        );
                    }
                    position.make(m);
                }
            }
        }
    }

    #[test]
    fn promoted_pieces_fall_for_what_they_become() {
        let gain = |drops, captured: &str| {
            let rules = Rules {
                drops,
                ..Rules::default()
            };
            let sfen = format!("5k5/11/11/11/5{captured}5/5W5/11/11/11/11/5K5 b - 1");
            let position = Position::from_sfen(&sfen, &rules).unwrap();
            position.gain(position.parse_move("6f6e").unwrap())
        };
        assert_eq!(gain(true, "p"), (100 + 110) / 2);
        assert_eq!(gain(true, "+p"), (480 + 110) / 2);
        assert_eq!(gain(false, "+p"), 275);
    }
}
