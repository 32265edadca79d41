//! Decisions by a shallower search of the same node, before or while its moves are
//! searched: passing (null move), a capture far above beta (ProbCut), and
//! whether the table's move is the only good one (singular extensions).
//!
//! Chess Programming Wiki: "Null Move Pruning", "ProbCut", "Singular Extensions",
//! "Multi-Cut". The conditions and margins are in `pruning` and `params`.

use super::history::PieceTo;
use super::info::Bound;
use super::params::*;
use super::picker::Picker;
use super::pruning;
use super::tt::Entry;
use super::worker::{NodeKind, NonPv, Search};
use crate::core::Score;
use crate::core::score::{DRAW, MATE_IN_MAX_PLY, NONE, from_table, is_mate, to_table};
use crate::game::{Evaluator, Game, GameMove};

/// What the search without the table's move tells.
pub(super) enum Singular {
    /// Other moves beat beta too: the node fails high with this score.
    Cut(Score),
    /// Search the move to this depth, or as deep as any other.
    Depth(Option<i32>),
}

impl<G: Game, E: Evaluator<G>> Search<'_, G, E> {
    /// ProbCut (M. Buro, "ProbCut: An Effective Selective Extension of the
    /// Alpha-Beta Algorithm", 1995): a capture that beats beta clearly in a
    /// shallow search beats it in a deep one as well.
    pub fn probcut(
        &mut self,
        known: Option<Entry>,
        static_eval: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<Score> {
        let raised = beta + probcut_margin();
        if depth < probcut_depth() || is_mate(beta) {
            return None;
        }
        let reduced = depth - probcut_reduction();
        let table_move = known.and_then(|entry| G::Move::from_bits(entry.move_bits));
        if let Some(entry) = known
            && entry.depth >= reduced
            && from_table(entry.score, ply) < raised
        {
            return None;
        }
        let us = self.position.side_to_move();
        let rows = self.memory.stack.rows(ply);
        let mut picker = Picker::quiescence(table_move, false, false, self.all);
        while let Some(m) = picker.next(&self.position, &self.memory.histories, &rows) {
            if !self.position.see_ge(m, raised - static_eval) {
                continue;
            }
            if !self.make(ply, m) {
                return Some(DRAW);
            }
            let window = (raised - 1, raised);
            let mut score = self.descend::<NonPv>(us, window, 0, ply + 1, !cut_node);
            if score >= raised && !self.aborted {
                score = self.descend::<NonPv>(us, window, reduced, ply + 1, !cut_node);
            }
            self.unmake();
            if self.aborted {
                return Some(DRAW);
            }
            if score >= raised {
                let entry = Entry {
                    move_bits: m.to_bits(),
                    score: to_table(score, ply),
                    eval: NONE,
                    depth: reduced + 1,
                    bound: Bound::Lower,
                    pv: false,
                };
                self.job.table.store(self.position.key(), entry);
                return Some(if is_mate(score) {
                    beta
                } else {
                    score - probcut_margin()
                });
            }
        }
        None
    }

    /// Passes and searches less deep: when even that is good enough, some move
    /// is as well.
    pub fn null_move(
        &mut self,
        eval: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Option<Score> {
        if depth < null_move_depth()
            || eval < beta
            || beta <= -MATE_IN_MAX_PLY
            || self.memory.stack.after_pass(ply)
            || ply < self.no_pass_before
            || !self.position.can_pass()
        {
            return None;
        }
        let reduced = depth - pruning::null_move_reduction(depth, eval, beta);
        let entry = self.memory.stack.at(ply);
        entry.played = PieceTo::none::<G>();
        entry.quiet = false;
        entry.passed = true;
        let us = self.position.side_to_move();
        self.position.make_null();
        let score = self.descend::<NonPv>(us, (beta - 1, beta), reduced, ply + 1, !cut_node);
        self.position.unmake_null();
        self.memory.stack.at(ply).passed = false;
        if self.aborted {
            return Some(DRAW);
        }
        if score < beta {
            return None;
        }
        // A mate found after a pass is not proven.
        let score = if score >= MATE_IN_MAX_PLY {
            beta
        } else {
            score
        };
        if depth < null_move_verification() || self.no_pass_before > 0 {
            return Some(score);
        }
        // To be obliged to move may be a burden (zugzwang is rare with pieces in
        // hand, but deep cut-offs are dear): the same search must hold without a
        // pass in its first three quarters.
        self.no_pass_before = ply + 3 * reduced.max(0) as usize / 4;
        let confirmed = self.search::<NonPv>(beta - 1, beta, reduced, ply, false);
        self.no_pass_before = 0;
        if self.aborted {
            return Some(DRAW);
        }
        (confirmed >= beta).then_some(score)
    }

    /// Searches the node without the table's move `m`: if no other move comes
    /// near its score, it is singular and deserves a deeper look. Void once
    /// `aborted` is set.
    pub fn singular<N: NodeKind>(
        &mut self,
        m: G::Move,
        table_score: Score,
        beta: Score,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Singular {
        let margin = pruning::singular_beta(depth, table_score);
        self.memory.stack.at(ply).excluded = Some(m);
        let rest = self.search::<NonPv>(margin - 1, margin, (depth - 1) / 2, ply, cut_node);
        self.memory.stack.at(ply).excluded = None;
        if rest < margin {
            let double = !N::PV && rest < margin - singular_double();
            return Singular::Depth(Some(depth + i32::from(double)));
        }
        if margin >= beta {
            return Singular::Cut(margin);
        }
        Singular::Depth(if table_score >= beta {
            Some(depth - 1 - singular_negative())
        } else if cut_node {
            Some(depth - 2)
        } else {
            None
        })
    }
}
