//! The quiescence search: at the leaves, captures and pawn promotions are played
//! out until the position is quiet, so that the evaluation never judges the
//! middle of an exchange. The side to move may stand pat instead of capturing.
//! In check all evasions are searched; at the first ply quiet checks as well,
//! which finds mates just beyond the horizon. Where moves come with the answers to
//! them, one ply is all: such a position is as quiet as it gets.
//! Chess Programming Wiki: "Quiescence Search", "Delta Pruning".

use super::info::Bound;
use super::params::delta_margin;
use super::picker::Picker;
use super::tt::Entry;
use super::worker::{NodeKind, Search, bounds, refines};
use crate::core::Score;
use crate::core::score::{DRAW, INFINITE, MATE_IN_MAX_PLY, NONE, from_table, mated_in, to_table};
use crate::game::{Evaluator, Game, GameMove};

impl<G: Game, E: Evaluator<G>> Search<'_, G, E> {
    /// Searches the current position until it is quiet. `depth` is 0 at the
    /// first ply and falls from there. Void once `aborted` is set.
    pub fn quiescence<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        beta: Score,
        depth: i32,
        ply: usize,
    ) -> Score {
        if N::PV {
            self.memory.variations.clear(ply);
            self.seldepth = self.seldepth.max(ply as u32);
        }
        if self.is_over() {
            return DRAW;
        }
        if let Some(score) = self.terminal(ply) {
            return score;
        }

        if G::ANSWERED && depth < 0 {
            // Captures that nobody refutes would hardly end.
            let raw_eval = self.evaluate();
            return self.corrected(raw_eval, ply);
        }
        let in_check = self.position.in_check();
        let checks = depth == 0;
        let table_depth = if in_check || checks { 0 } else { -1 };
        let key = self.position.key();
        let known = self.job.table.probe(key);
        let table_score = known.map_or(NONE, |entry| from_table(entry.score, ply));
        if let Some(entry) = known
            && !N::PV
            && entry.depth >= table_depth
            && bounds(entry.bound, table_score, alpha, beta)
        {
            return table_score;
        }

        let raw_eval = match known {
            _ if in_check => NONE,
            Some(entry) if entry.eval != NONE => entry.eval,
            _ => self.evaluate(),
        };
        let static_eval = self.corrected(raw_eval, ply);
        let us = self.position.side_to_move();
        let entry = self.memory.stack.at(ply);
        entry.eval = static_eval;
        entry.side = us;

        let old_alpha = alpha;
        let mut best = -INFINITE;
        if !in_check {
            best = static_eval;
            if known.is_some_and(|e| refines(e.bound, table_score, static_eval)) {
                best = table_score;
            }
            if best >= beta {
                if known.is_none() {
                    self.remember(key, ply, None, best, raw_eval, table_depth, Bound::Lower);
                }
                return best;
            }
            alpha = alpha.max(best);
        }

        let rows = self.memory.stack.rows(ply);
        let table_move = known.and_then(|entry| G::Move::from_bits(entry.move_bits));
        let check_info = self.position.check_info();
        let mut picker = Picker::quiescence(table_move, in_check, checks, self.all);
        let mut best_move = None;
        let mut count = 0;
        while let Some(m) = picker.next(&self.position, &self.memory.histories, &rows) {
            count += 1;
            if best > -MATE_IN_MAX_PLY {
                if !in_check {
                    // Delta pruning: not even the captured piece lifts the score
                    // to alpha.
                    let hope = static_eval + self.position.gain(m) + delta_margin();
                    if hope <= alpha
                        && self.position.is_noisy(m)
                        && !self.position.gives_check(m, &check_info)
                    {
                        best = best.max(hope);
                        continue;
                    }
                }
                if !self.position.see_ge(m, 0) {
                    continue;
                }
            }
            if !self.make(ply, m) {
                return DRAW;
            }
            let score = if self.position.side_to_move() == us {
                self.quiescence::<N>(alpha, beta, depth - 1, ply + 1)
            } else {
                -self.quiescence::<N>(-beta, -alpha, depth - 1, ply + 1)
            };
            self.unmake();
            if self.aborted {
                return DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.memory.variations.update(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && count == 0 {
            return mated_in(ply);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if N::PV && best > old_alpha && best_move.is_some() {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.remember(key, ply, best_move, best, raw_eval, table_depth, bound);
        best
    }

    #[expect(clippy::too_many_arguments, reason = "the fields of a table entry")]
    fn remember(
        &mut self,
        key: u64,
        ply: usize,
        best_move: Option<G::Move>,
        score: Score,
        eval: Score,
        depth: i32,
        bound: Bound,
    ) {
        let entry = Entry {
            move_bits: best_move.map_or(0, GameMove::to_bits),
            score: to_table(score, ply),
            eval,
            depth,
            bound,
            pv: false,
        };
        self.job.table.store(key, entry);
    }
}
