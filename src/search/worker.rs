//! The recursive search of one node: principal variation search with a zero
//! window for all moves but the first (Chess Programming Wiki: "Principal
//! Variation Search"), on top of a transposition table and selective pruning.
//!
//! The kind of a node is a type ([`Root`], [`Pv`], [`NonPv`]), so that one
//! function compiles to three specialised ones. Scores are from the view of the
//! side to move, and flip their sign only where the side changes. How deep and
//! how often the search goes is decided in `root`; what it leaves out, in
//! `pruning`.

use arrayvec::ArrayVec;

use super::history::{Histories, PieceTo, Rows};
use super::info::Bound;
use super::params::*;
use super::picker::Picker;
use super::pool::Job;
use super::pruning::{self, Reductions};
use super::root::{Line, RootMove};
use super::root_mate::MateMemory;
use super::shallow::Singular;
use super::stack::{Stack, Variations};
use super::time::Timer;
use super::tt::Entry;
use crate::core::score::{
    DRAW, EVAL_MAX, INFINITE, MATE_IN_MAX_PLY, MAX_PLY, NONE, from_table, mate_in, mated_in,
    to_table,
};
use crate::core::{Color, Score};
use crate::game::{Evaluator, Finish, Game, GameMove, ImmediateWin, Repetition};

/// What a node is to its parent.
pub(super) trait NodeKind {
    /// The root of the tree.
    const ROOT: bool;
    /// Searched with an open window: its line is kept.
    const PV: bool;
}

/// The root.
pub(super) struct Root;
/// A node of a principal variation.
pub(super) struct Pv;
/// A node searched with a zero window.
pub(super) struct NonPv;

impl NodeKind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}
impl NodeKind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}
impl NodeKind for NonPv {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// What a search thread keeps between searches.
pub(super) struct Memory<G: Game, E> {
    pub evaluator: E,
    pub histories: Histories<G>,
    pub stack: Stack<G>,
    pub variations: Variations<G::Move>,
    /// The mate solver, once it was asked.
    pub mate: Option<MateMemory<G>>,
    reductions: &'static Reductions,
}

impl<G: Game, E> Memory<G, E> {
    pub fn new(evaluator: E) -> Self {
        Memory {
            evaluator,
            histories: Histories::new(),
            stack: Stack::new(),
            variations: Variations::new(),
            mate: None,
            reductions: Reductions::shared(),
        }
    }
}

/// One thread's part in one search.
pub(super) struct Search<'a, G: Game, E> {
    pub job: &'a Job<G>,
    pub memory: &'a mut Memory<G, E>,
    /// Number of the thread; 0 is the main one.
    pub id: usize,
    /// The position at the node being searched.
    pub position: G,
    /// The moves at the root, best first.
    pub root_moves: Vec<RootMove<G::Move>>,
    /// How many root moves are settled as better lines already (`MultiPV`).
    pub pv_index: usize,
    /// The lines of the last finished iteration, best first.
    pub completed: Vec<Line<G::Move>>,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// Set once the search is broken off: all scores from then on are void.
    pub aborted: bool,
    /// Watches the clock, in the main thread.
    pub timer: Option<Timer>,
    /// How often another root move became the best one in this iteration.
    pub best_move_changes: u32,
    /// The depth of the iteration.
    pub root_depth: u32,
    pub nodes: u64,
    /// Those of them that the mate solver searched.
    pub mate_nodes: u64,
    node_limit: u64,
    /// The main line of the last report, when it was exact.
    pub last_reported: Option<Line<G::Move>>,
    /// When the last report was made, in milliseconds since `go`.
    pub reported_at: Option<u64>,
    /// Score of a draw for each side.
    draw: [Score; 2],
    /// Whether useless moves are searched too.
    pub all: bool,
    /// No null move before this ply, while one is verified; else 0.
    pub no_pass_before: usize,
}

impl<'a, G: Game, E: Evaluator<G>> Search<'a, G, E> {
    pub fn new(job: &'a Job<G>, memory: &'a mut Memory<G, E>, id: usize) -> Self {
        let mut draw = [DRAW; 2];
        let us = job.root.side_to_move();
        draw[us.index()] = job.options.draw_value[us.index()].clamp(-EVAL_MAX, EVAL_MAX);
        draw[(!us).index()] = -draw[us.index()];
        memory.evaluator.reset(&job.root);
        for ply in 0..MAX_PLY {
            memory.stack.forget_killers(ply);
            memory.stack.at(ply).cutoffs = 0;
        }
        Search {
            job,
            memory,
            id,
            position: job.root.clone(),
            root_moves: Vec::new(),
            pv_index: 0,
            completed: Vec::new(),
            seldepth: 0,
            aborted: false,
            timer: (id == 0).then(|| Timer::new(job)),
            best_move_changes: 0,
            root_depth: 0,
            nodes: 0,
            mate_nodes: 0,
            last_reported: None,
            reported_at: None,
            node_limit: job.node_share(id),
            draw,
            all: job.options.generate_all_legal_moves,
            no_pass_before: 0,
        }
    }

    /// Whether the search is to be broken off; asked at every node.
    #[inline]
    pub fn is_over(&mut self) -> bool {
        if self
            .timer
            .as_ref()
            .is_some_and(|timer| self.nodes >= timer.next_check)
        {
            self.watch_clock();
        }
        if self.job.control.is_stopped() && (self.id > 0 || self.has_something()) {
            self.aborted = true;
        }
        self.aborted
    }

    /// Whether a first iteration is finished, or takes too long to wait for it.
    fn has_something(&self) -> bool {
        !self.completed.is_empty()
            || (self.nodes - self.mate_nodes) * G::NODE_WEIGHT >= FIRST_ITERATION_NODES
    }

    /// Plays a legal move, or breaks the search off when the nodes are used up.
    #[inline]
    pub fn make(&mut self, ply: usize, m: G::Move) -> bool {
        if self.nodes >= self.node_limit {
            self.aborted = true;
            return false;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(1024) {
            self.job.publish_nodes(self.id, self.nodes);
        }
        let entry = self.memory.stack.at(ply);
        entry.played = PieceTo::of(&self.position, m);
        entry.quiet = !self.position.is_noisy(m);
        entry.passed = false;
        self.job.table.prefetch(self.position.key_after(m));
        self.memory.evaluator.before_make(&self.position, m);
        self.position.make(m);
        true
    }

    #[inline]
    pub fn unmake(&mut self) {
        self.position.unmake();
        self.memory.evaluator.after_unmake();
    }

    /// The static evaluation.
    #[inline]
    pub fn evaluate(&mut self) -> Score {
        let score = self.memory.evaluator.evaluate(&self.position);
        score.clamp(-EVAL_MAX, EVAL_MAX)
    }

    fn draw_score(&self) -> Score {
        self.draw[self.position.side_to_move().index()]
    }

    /// The score of a node where the game, or the search, ends.
    #[inline]
    pub fn terminal(&mut self, ply: usize) -> Option<Score> {
        match self.position.finish() {
            None => {}
            Some(Finish::Won) => return Some(mate_in(ply)),
            Some(Finish::Lost) => return Some(mated_in(ply)),
            Some(Finish::Score(score)) => return Some(score),
        }
        match self.position.repetition() {
            Repetition::None => {}
            Repetition::Draw => return Some(self.draw_score()),
            Repetition::Win => return Some(mate_in(ply + 1)),
            Repetition::Loss => return Some(mated_in(ply)),
            Repetition::Superior => return Some(SUPERIOR),
            Repetition::Inferior => return Some(-SUPERIOR),
        }
        if self.position.at_move_limit() {
            // To have no move is a loss even then.
            return Some(if self.position.count_moves() == 0 {
                mated_in(ply)
            } else {
                self.draw_score()
            });
        }
        if ply >= MAX_PLY - 1 {
            return Some(if self.position.in_check() {
                self.draw_score()
            } else {
                self.evaluate()
            });
        }
        self.position.immediate_win().map(|win| {
            self.memory.variations.clear(ply + 1);
            if let ImmediateWin::Move(m) = win {
                self.memory.variations.update(ply, m);
            }
            mate_in(ply + 1)
        })
    }

    /// Searches the position reached at `ply`, in which the side `us` moved
    /// last; window and score are from the view of `us`.
    #[inline]
    pub(super) fn descend<N: NodeKind>(
        &mut self,
        us: Color,
        (alpha, beta): (Score, Score),
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if self.position.side_to_move() == us {
            self.search::<N>(alpha, beta, depth, ply, cut_node)
        } else {
            -self.search::<N>(-beta, -alpha, depth, ply, cut_node)
        }
    }

    /// Searches the current position to `depth` plies, and returns its score,
    /// which is a bound when it lies outside of the window (fail-soft).
    /// `cut_node` tells that a cut-off is expected. Void once `aborted` is set.
    pub fn search<N: NodeKind>(
        &mut self,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        if depth <= 0 {
            return self.quiescence::<N>(alpha, beta, 0, ply);
        }
        if N::PV {
            self.memory.variations.clear(ply);
            self.seldepth = self.seldepth.max(ply as u32);
        }
        if self.is_over() {
            return DRAW;
        }
        if !N::ROOT {
            if let Some(score) = self.terminal(ply) {
                return score;
            }
            // Mate distance: nothing here beats a mate that is nearer the root.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // What is known already.
        let key = self.position.key();
        let excluded = self.memory.stack.at(ply).excluded;
        let known = self.job.table.probe(key);
        let table_score = known.map_or(NONE, |entry| from_table(entry.score, ply));
        if let Some(entry) = known
            && !N::PV
            && excluded.is_none()
            && entry.depth >= depth
            && bounds(entry.bound, table_score, alpha, beta)
        {
            if table_score >= beta {
                self.praise_table_move(entry, ply, depth);
            }
            return table_score;
        }
        let was_pv = N::PV || known.is_some_and(|entry| entry.pv);
        let table_move = if N::ROOT {
            Some(self.root_moves[self.pv_index].mv)
        } else {
            known.and_then(|entry| G::Move::from_bits(entry.move_bits))
        };

        // What the position is worth at sight.
        let us = self.position.side_to_move();
        let in_check = self.position.in_check();
        // A mate at once is found faster than by generating and trying moves.
        if !N::ROOT
            && !in_check
            && known.is_none()
            && depth >= mate_in_one_depth()
            && let Some(m) = self.position.mate_in_one()
        {
            if N::PV {
                self.memory.variations.clear(ply + 1);
                self.memory.variations.update(ply, m);
            }
            return mate_in(ply + 1);
        }
        let raw_eval = match known {
            _ if in_check => NONE,
            Some(entry) if entry.eval != NONE => entry.eval,
            _ => self.evaluate(),
        };
        let static_eval = self.corrected(raw_eval, ply);
        let eval = if !in_check && known.is_some_and(|e| refines(e.bound, table_score, static_eval))
        {
            table_score
        } else {
            static_eval
        };
        let entry = self.memory.stack.at(ply);
        entry.eval = static_eval;
        entry.side = us;
        self.memory.stack.forget_killers(ply + 2);
        self.memory.stack.at(ply + 2).cutoffs = 0;
        if N::ROOT {
            self.memory.stack.at(1).cutoffs = 0;
        }
        let improving = self.memory.stack.improving(ply);

        if !N::PV && !in_check && excluded.is_none() {
            if pruning::reverse_futility(depth, eval, beta, improving) {
                return beta + (eval - beta) * reverse_futility_keep() / 100;
            }
            if pruning::razoring(depth, eval, alpha) {
                let score = self.quiescence::<NonPv>(alpha, beta, 0, ply);
                if score <= alpha || self.aborted {
                    return score;
                }
            }
            if let Some(score) = self.null_move(eval, beta, depth, ply, cut_node) {
                return score;
            }
            if let Some(score) = self.probcut(known, static_eval, beta, depth, ply, cut_node) {
                return score;
            }
        }

        // Without a move to start with, a shallower search finds one for the
        // next visit at little cost.
        if depth >= internal_reduction_depth() && table_move.is_none() && (N::PV || cut_node) {
            depth -= 1;
        }

        let rows = self.memory.stack.rows(ply);
        let killers = self.memory.stack.at(ply).killers;
        let check_info = self.position.check_info();
        let table_noisy =
            table_move.is_some_and(|m| self.position.is_legal(m) && self.position.is_noisy(m));
        let mut picker = Picker::main(table_move, killers, in_check, self.all);
        let mut quiets = ArrayVec::<G::Move, 64>::new();
        let mut noisies = ArrayVec::<G::Move, 32>::new();
        let old_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut count = 0;

        loop {
            let next = if N::ROOT {
                self.root_moves
                    .get(self.pv_index + count)
                    .map(|root_move| root_move.mv)
            } else {
                picker.next(&self.position, &self.memory.histories, &rows)
            };
            let Some(m) = next else { break };
            if Some(m) == excluded {
                continue;
            }
            count += 1;
            let noisy = self.position.is_noisy(m);
            let gives_check = self.position.gives_check(m, &check_info);
            let base_reduction = self.memory.reductions.get(depth, count);

            if !N::ROOT && best > -MATE_IN_MAX_PLY {
                let reduced = (depth - base_reduction / 1024).max(0);
                if noisy {
                    if depth <= see_depth()
                        && !self
                            .position
                            .see_ge(m, pruning::noisy_exchange_margin(depth))
                    {
                        continue;
                    }
                } else {
                    if count >= pruning::late_move_limit(depth, improving) {
                        picker.skip_quiets();
                    }
                    if !gives_check && !in_check && pruning::futility(reduced, static_eval, alpha) {
                        picker.skip_quiets();
                        continue;
                    }
                    if depth <= see_depth()
                        && !self
                            .position
                            .see_ge(m, pruning::quiet_exchange_margin(reduced))
                    {
                        continue;
                    }
                }
            }

            let mut new_depth = depth - 1;
            if !N::ROOT && ply < 2 * self.root_depth as usize {
                // A check that costs nothing is looked into near the leaves,
                // where it would fall victim to the horizon.
                if gives_check && depth <= check_extension_depth() && self.position.see_ge(m, 0) {
                    new_depth += 1;
                }
                if Some(m) == table_move
                    && excluded.is_none()
                    && let Some(entry) = known
                    && pruning::may_be_singular(depth, &entry, table_score)
                {
                    match self.singular::<N>(m, table_score, beta, depth, ply, cut_node) {
                        Singular::Cut(score) => return score,
                        Singular::Depth(found) => new_depth = found.unwrap_or(new_depth),
                    }
                    if self.aborted {
                        return DRAW;
                    }
                }
            }

            let mut reduction = 0;
            if depth >= reduction_depth() && count > 1 + usize::from(N::PV) {
                reduction = base_reduction;
                if noisy {
                    let history = self.memory.histories.capture.get(&self.position, m);
                    reduction = reduction / 2 - history * 1024 / reduction_capture_history();
                } else {
                    let history = self.memory.histories.quiet(&self.position, &rows, m);
                    reduction -= history * 1024 / reduction_history();
                    reduction += i32::from(table_noisy) * reduction_table_noisy();
                }
                reduction -= i32::from(N::PV) * reduction_pv();
                if self.memory.stack.at(ply + 1).cutoffs > 3 {
                    reduction += reduction_cutoffs();
                }
                reduction -= i32::from(was_pv) * reduction_was_pv();
                reduction -= i32::from(gives_check) * reduction_check();
                reduction += i32::from(cut_node) * reduction_cut_node();
                reduction += i32::from(!improving) * reduction_not_improving();
                reduction = (reduction / 1024).clamp(0, (new_depth - 1).max(0));
            }

            if !self.make(ply, m) {
                return DRAW;
            }
            let zero = (alpha, alpha + 1);
            let mut score = alpha + 1;
            if reduction > 0 {
                score = self.descend::<NonPv>(us, zero, new_depth - reduction, ply + 1, true);
            }
            if score > alpha && (!N::PV || count > 1) {
                score = self.descend::<NonPv>(us, zero, new_depth, ply + 1, !cut_node);
            }
            if N::PV && (count == 1 || score > alpha) {
                score = self.descend::<Pv>(us, (alpha, beta), new_depth, ply + 1, false);
            }
            self.unmake();
            if self.aborted {
                return DRAW;
            }

            if N::ROOT {
                self.note_root_score(count, score, alpha);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.memory.variations.update(ply, m);
                    }
                    if score >= beta {
                        self.memory.stack.at(ply).cutoffs += 1;
                        break;
                    }
                    alpha = score;
                }
            }
            let tried = if noisy {
                noisies.try_push(m)
            } else {
                quiets.try_push(m)
            };
            // Beyond the capacity, no one misses what is not learnt.
            let _ = tried;
        }

        if count == 0 {
            // No legal move is a loss, in check or not; no other move makes the
            // excluded one singular.
            return if excluded.is_some() {
                alpha
            } else {
                mated_in(ply)
            };
        }
        if let Some(m) = best_move {
            self.learn(ply, &rows, m, depth, &quiets, &noisies);
        } else {
            self.praise_last(ply, depth);
        }
        // A quiet position, whose evaluation should have told its score.
        if !in_check
            && excluded.is_none()
            && best_move.is_none_or(|m| !self.position.is_noisy(m))
            && !(best >= beta && best <= static_eval)
            && !(best_move.is_none() && best >= static_eval)
        {
            let last = self.memory.stack.last(ply);
            let correction = &mut self.memory.histories.correction;
            correction.update(&self.position, last, depth, best - static_eval);
        }
        // With the better lines left out, the score is not the position's.
        if excluded.is_none() && (!N::ROOT || self.pv_index == 0) {
            self.job.table.store(
                key,
                Entry {
                    move_bits: best_move.map_or(0, GameMove::to_bits),
                    score: to_table(best, ply),
                    eval: raw_eval,
                    depth,
                    bound: if best >= beta {
                        Bound::Lower
                    } else if best > old_alpha {
                        Bound::Exact
                    } else {
                        Bound::Upper
                    },
                    pv: was_pv,
                },
            );
        }
        best
    }

    /// An evaluation as the correction histories see it; [`NONE`] stays.
    #[inline]
    pub fn corrected(&self, eval: Score, ply: usize) -> Score {
        if eval == NONE {
            return NONE;
        }
        let last = self.memory.stack.last(ply);
        let correction = self.memory.histories.correction.get(&self.position, last);
        (eval + correction).clamp(-EVAL_MAX, EVAL_MAX)
    }

    /// Lets the histories learn from a move that raised alpha, and from the
    /// moves tried before it.
    fn learn(
        &mut self,
        ply: usize,
        rows: &Rows,
        best: G::Move,
        depth: i32,
        quiets: &[G::Move],
        noisies: &[G::Move],
    ) {
        let bonus = pruning::history_bonus(depth);
        let histories = &mut self.memory.histories;
        let position = &self.position;
        if position.is_noisy(best) {
            histories.capture.update(position, best, bonus);
        } else {
            histories.update_quiet(position, rows, best, bonus);
            for &m in quiets.iter().filter(|&&m| m != best) {
                histories.update_quiet(position, rows, m, -bonus);
            }
            let killers = &mut self.memory.stack.at(ply).killers;
            if killers[0] != Some(best) {
                killers[1] = killers[0];
                killers[0] = Some(best);
            }
        }
        for &m in noisies.iter().filter(|&&m| m != best) {
            histories.capture.update(position, m, -bonus);
        }
    }

    /// Rewards the table's quiet move, which cuts off.
    fn praise_table_move(&mut self, entry: Entry, ply: usize, depth: i32) {
        if let Some(m) = G::Move::from_bits(entry.move_bits)
            && self.position.is_legal(m)
            && !self.position.is_noisy(m)
        {
            let bonus = pruning::history_bonus(depth) * bonus_table() / 100;
            let rows = self.memory.stack.rows(ply);
            let histories = &mut self.memory.histories;
            histories.update_quiet(&self.position, &rows, m, bonus);
        }
    }

    /// Rewards the opponent's quiet move that led here: nothing answers it.
    fn praise_last(&mut self, ply: usize, depth: i32) {
        let last = self.memory.stack.at_last(ply);
        if ply > 0 && last.quiet {
            let (last, rows) = (last.played, self.memory.stack.rows(ply - 1));
            let bonus = pruning::history_bonus(depth) * bonus_prior() / 100;
            let histories = &mut self.memory.histories;
            histories.continuation.update(&rows, last, bonus);
        }
    }

    /// Keeps the result of the root move that was just searched as number
    /// `count` of its iteration.
    fn note_root_score(&mut self, count: usize, score: Score, alpha: Score) {
        let root_move = &mut self.root_moves[self.pv_index + count - 1];
        if count > 1 && score <= alpha {
            // Only a bound; the move keeps its place behind the better ones.
            root_move.score = -INFINITE;
            return;
        }
        root_move.score = score;
        root_move.seldepth = self.seldepth;
        root_move.pv.clear();
        root_move.pv.push(root_move.mv);
        root_move
            .pv
            .extend_from_slice(self.memory.variations.line(1));
        if count > 1 {
            self.best_move_changes += 1;
        }
    }
}

/// Whether a table score with this bound decides a node with this window.
#[inline]
pub(super) fn bounds(bound: Bound, score: Score, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
    }
}

/// Whether a table score tells more of a position than its evaluation.
#[inline]
pub(super) fn refines(bound: Bound, score: Score, eval: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    }
}
