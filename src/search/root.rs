//! The root of the search: iterative deepening with aspiration windows, several
//! lines (`MultiPV`), reports, the decision to stop, and the vote of the threads.
//!
//! Every thread deepens on its own root moves. Only the main one watches the
//! clock and reports. What it answers is the last finished iteration, or a move
//! that an unfinished one found to be better.
//! Chess Programming Wiki: "Iterative Deepening", "Aspiration Windows",
//! "Lazy SMP".

use std::sync::mpsc::Receiver;

use super::info::{BestMove, Bound, Info, Outcome};
use super::params::*;
use super::pool::Job;
use super::time;
use super::worker::{Root, Search};
use crate::core::score::{INFINITE, MATE, MATE_IN_MAX_PLY, MAX_PLY, is_mate, mate_in, mated_in};
use crate::core::{MoveList, Score};
use crate::game::{Evaluator, Game, GameMove, ImmediateWin, Repetition, Stage};

/// A move at the root and what is known of it.
pub(super) struct RootMove<M> {
    pub mv: M,
    /// Score in this iteration; minus infinity when it is not among the best.
    pub score: Score,
    /// Score in the iteration before.
    pub previous: Score,
    pub seldepth: u32,
    pub pv: Vec<M>,
}

/// A line as it is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line<M> {
    pub pv: Vec<M>,
    pub score: Score,
    pub depth: u32,
    pub seldepth: u32,
}

/// The moves that a search may choose from: `searchmoves` or all legal ones.
pub(super) fn legal_root_moves<G: Game>(job: &Job<G>) -> Vec<G::Move> {
    let mut chosen: Vec<G::Move> = Vec::new();
    for &m in &job.limits.searchmoves {
        if !chosen.contains(&m) && job.root.is_legal(m) {
            chosen.push(m);
        }
    }
    if chosen.is_empty() {
        let mut moves = MoveList::new();
        let all = job.options.generate_all_legal_moves;
        job.root.generate(Stage::All, all, &mut moves);
        chosen.extend(moves);
    }
    chosen
}

/// The outcome of answering with this line, in a position of this value, which
/// a weaker choice does not reach.
pub(super) fn outcome<G: Game>(
    job: &Job<G>,
    line: Line<G::Move>,
    value: Score,
) -> Outcome<G::Move> {
    // The search may see a simplified game: what is answered is the real one.
    let line = Line {
        pv: job.root.real_line(&line.pv),
        ..line
    };
    let resigns = !job.is_unbounded() && value <= -job.options.resign_value;
    let best = match line.pv.first() {
        Some(&best) if !resigns => BestMove::Move {
            best,
            ponder: line.pv.get(1).copied(),
        },
        _ => BestMove::Resign,
    };
    Outcome {
        best,
        score: line.score,
        depth: line.depth,
        nodes: job.total_nodes(),
        time: job.start.elapsed().as_millis() as u64,
        pv: line.pv,
    }
}

impl<G: Game, E: Evaluator<G>> Search<'_, G, E> {
    /// The main thread's search. `helpers` yields the other threads' best lines
    /// once they are told to stop.
    pub fn think(&mut self, helpers: &Receiver<Line<G::Move>>) -> Outcome<G::Move> {
        self.set_root_moves();
        let line = match self.job.root.immediate_win() {
            Some(ImmediateWin::Declaration) if self.job.limits.searchmoves.is_empty() => {
                self.finish_helpers(helpers);
                let line = terminal_line(mate_in(1), Vec::new());
                self.report(std::slice::from_ref(&line), Bound::Exact);
                return Outcome {
                    best: BestMove::Win,
                    ..outcome(self.job, line, mate_in(1))
                };
            }
            Some(ImmediateWin::Move(m)) if self.root_moves.iter().any(|r| r.mv == m) => {
                self.finish_helpers(helpers);
                terminal_line(mate_in(1), vec![m])
            }
            _ if self.root_moves.is_empty() => {
                self.finish_helpers(helpers);
                terminal_line(mated_in(0), Vec::new())
            }
            _ => {
                let mate = self.root_mate();
                if mate.is_none() {
                    self.iterate();
                }
                let others = self.finish_helpers(helpers);
                mate.unwrap_or_else(|| self.best_line(others))
            }
        };
        let value = match self.completed.first() {
            Some(best) => best.score.max(line.score),
            None => line.score,
        };
        outcome(self.job, self.report_answer(line), value)
    }

    /// A helper thread's search: its best line, if it got as far.
    pub fn help(&mut self) -> Option<Line<G::Move>> {
        self.set_root_moves();
        if !self.root_moves.is_empty() {
            self.iterate();
        }
        self.job.publish_nodes(self.id, self.nodes);
        self.completed.first().cloned()
    }

    fn finish_helpers(&mut self, helpers: &Receiver<Line<G::Move>>) -> Vec<Line<G::Move>> {
        self.job.control.halt();
        self.job.publish_nodes(self.id, self.nodes);
        helpers.iter().collect()
    }

    /// Fills the root moves, in an order that is good enough to answer at once:
    /// the table's move, then what wins material by exchanges.
    fn set_root_moves(&mut self) {
        let position = &self.position;
        let table_move = self
            .job
            .table
            .probe(position.key())
            .and_then(|entry| G::Move::from_bits(entry.move_bits));
        let mut moves = legal_root_moves(self.job);
        if let Some(skill) = self.job.skill {
            skill.shun_threats(position, &mut moves);
        }
        moves.sort_by_cached_key(|&m| {
            let wins = position.is_noisy(m) && position.see_ge(m, 1);
            let gain = if wins { position.gain(m) } else { 0 };
            std::cmp::Reverse((Some(m) == table_move, gain, position.see_ge(m, 0)))
        });
        self.root_moves = moves
            .into_iter()
            .map(|mv| RootMove {
                mv,
                score: -INFINITE,
                previous: -INFINITE,
                seldepth: 0,
                pv: vec![mv],
            })
            .collect();
    }

    fn iterate(&mut self) {
        let lines = self.job.lines().clamp(1, self.root_moves.len());
        let mut stable = 0;
        for depth in 1..=self.job.max_depth() {
            self.root_depth = depth;
            self.best_move_changes = 0;
            let before = self.completed.first().cloned();
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.score;
                root_move.score = -INFINITE;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspire(depth, lines);
                sort(&mut self.root_moves[..=pv_index]);
                if self.aborted {
                    break;
                }
            }
            if self.aborted {
                self.keep_better_move(depth);
                return;
            }
            self.complete(depth, lines);
            let same = before
                .as_ref()
                .is_some_and(|before| before.pv.first() == self.completed[0].pv.first());
            stable = if same { stable + 1 } else { 0 };
            if self.id > 0 {
                continue;
            }
            self.report_iteration();
            let drop = before.map_or(0, |before| before.score - self.completed[0].score);
            let scale = time::scale(stable, drop);
            if self.may_end(scale) {
                return;
            }
        }
    }

    /// Searches the root with a window around the score expected, and opens it
    /// until the score lies within.
    fn aspire(&mut self, depth: u32, lines: usize) {
        let expected = self.root_moves[self.pv_index].previous;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let mut width = ASPIRATION_WIDTH;
        if depth >= ASPIRATION_DEPTH && !is_mate(expected) && expected > -INFINITE {
            alpha = expected - width;
            beta = expected + width;
        }
        loop {
            let score = self.search::<Root>(alpha, beta, depth as i32, 0, false);
            sort(&mut self.root_moves[self.pv_index..]);
            if self.aborted || (alpha < score && score < beta) {
                return;
            }
            let open = width > ASPIRATION_MAX_WIDTH || is_mate(score);
            width += width / 2;
            let bound = if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = if open { -INFINITE } else { score - width };
                Bound::Upper
            } else {
                beta = if open { INFINITE } else { score + width };
                Bound::Lower
            };
            self.report_bound(depth, lines, bound);
        }
    }

    /// Keeps the lines of a finished iteration.
    fn complete(&mut self, depth: u32, lines: usize) {
        let new: Vec<_> = self.root_moves[..lines]
            .iter()
            .map(|root_move| line_of(root_move, depth))
            .collect();
        // Of two mates the shorter one stays, even if this iteration lost it.
        if let [old] = &mut self.completed[..]
            && new[0].score >= MATE_IN_MAX_PLY
            && old.score > new[0].score
        {
            old.depth = depth;
        } else {
            self.completed = new;
        }
        if self.id == 0 {
            self.job.note_progress(&self.completed[0]);
        }
    }

    /// After an unfinished iteration: a move that beat the one before is taken.
    fn keep_better_move(&mut self, depth: u32) {
        if let [old] = &mut self.completed[..]
            && old.score < MATE_IN_MAX_PLY
            && let Some(new) = self.root_moves.first()
            && new.score > -INFINITE
            && self.best_move_changes > 0
            && old.pv.first() != Some(&new.mv)
        {
            *old = line_of(new, depth);
        }
    }

    /// Whether the main thread may stop deepening here.
    fn may_end(&mut self, scale: f64) -> bool {
        self.watch_clock();
        let settled = self.is_settled();
        self.timer.as_mut().is_some_and(|timer| {
            !timer.pondering && (timer.clocked && settled || timer.is_enough(scale))
        })
    }

    /// Whether thinking on cannot change the answer: there is but one move, or a
    /// mate that was searched to its full length.
    fn is_settled(&self) -> bool {
        let Some(line) = self.completed.first() else {
            return false;
        };
        let plies = (MATE - line.score.abs()) as u32;
        (self.root_moves.len() == 1 && line.depth >= SINGLE_REPLY_DEPTH)
            || (is_mate(line.score) && line.depth > plies)
    }

    /// Looks at the clock, and stops all threads when the time is up.
    pub fn watch_clock(&mut self) {
        let settled = self.is_settled();
        let started = !self.completed.is_empty();
        let Some(timer) = &mut self.timer else { return };
        timer.schedule::<G>(self.nodes);
        if timer.pondering
            && let Some((when, clock)) = self.job.control.ponder_hit()
        {
            timer.ponderhit(self.job, when, clock);
            if started && (timer.is_enough(1.0) || timer.clocked && settled) {
                self.job.control.halt();
            }
        }
        if timer.is_up() {
            self.job.control.halt();
        }
    }

    // Reports.

    /// Reports a finished iteration, unless the last report is too fresh.
    fn report_iteration(&mut self) {
        let options = &self.job.options;
        let now = self.elapsed();
        let due = self
            .reported_at
            .is_none_or(|last| now >= last + options.pv_interval);
        if due || options.consideration_mode {
            let mut lines = self.completed.clone();
            lines.truncate(self.job.options.multi_pv.max(1));
            self.report(&lines, Bound::Exact);
        }
    }

    /// Reports a score outside of its window, when that takes long to resolve.
    fn report_bound(&mut self, depth: u32, lines: usize, bound: Bound) {
        let options = &self.job.options;
        let now = self.elapsed();
        if self.id == 0
            && lines == 1
            && options.output_fail_lh_pv
            && now >= BOUND_REPORT_AFTER
            && self
                .reported_at
                .is_none_or(|last| now >= last + options.pv_interval)
        {
            let line = line_of(&self.root_moves[0], depth);
            self.report(&[line], bound);
        }
    }

    /// Reports the line that is answered, unless it was the last one reported;
    /// returns it as it was reported.
    fn report_answer(&mut self, line: Line<G::Move>) -> Line<G::Move> {
        let answer = line.pv.first().copied();
        let mut lines = vec![line];
        let others = self
            .completed
            .iter()
            .skip(usize::from(self.job.skill.is_none()));
        lines.extend(
            others
                .filter(|other| other.pv.first().copied() != answer)
                .cloned(),
        );
        lines.truncate(self.job.options.multi_pv.max(1));
        lines[0].pv = self.extend(&lines[0]);
        if self.last_reported.as_ref() != Some(&lines[0]) {
            self.report(&lines, Bound::Exact);
        }
        lines.swap_remove(0)
    }

    fn report(&mut self, lines: &[Line<G::Move>], bound: Bound) {
        let time = self.elapsed();
        self.job.publish_nodes(self.id, self.nodes);
        for (index, line) in lines.iter().enumerate() {
            let pv = self.extend(line);
            self.job.reporter.info(&Info {
                depth: line.depth,
                seldepth: line.seldepth.max(line.depth),
                multi_pv: index + 1,
                multi_pv_count: lines.len(),
                score: line.score,
                bound,
                time,
                nodes: self.job.total_nodes(),
                hashfull: self.job.table.hashfull(),
                pv: self.job.root.real_line(&pv),
            });
            if index == 0 {
                self.last_reported = (bound == Bound::Exact).then(|| Line { pv, ..line.clone() });
            }
        }
        self.reported_at = Some(time);
    }

    fn elapsed(&self) -> u64 {
        self.job.start.elapsed().as_millis() as u64
    }

    /// The line with what the table knows of its continuation: legal, and no
    /// further than a repetition, the mate, or the depth searched.
    fn extend(&self, line: &Line<G::Move>) -> Vec<G::Move> {
        let mut longest = (line.depth as usize).clamp(2, MAX_PLY);
        if is_mate(line.score) {
            longest = longest.min((MATE - line.score.abs()) as usize);
        }
        let mut position = self.job.root.clone();
        let mut pv = Vec::new();
        let mut ended = false;
        let mut play = |m: G::Move, pv: &mut Vec<G::Move>, position: &mut G| {
            let legal = !ended && position.is_legal(m);
            if legal {
                pv.push(m);
                position.make(m);
                ended = position.repetition() != Repetition::None
                    || position.at_move_limit()
                    || position.finish().is_some()
                    || position.immediate_win().is_some();
            }
            legal
        };
        for &m in &line.pv {
            if !play(m, &mut pv, &mut position) {
                return pv;
            }
        }
        while pv.len() < longest
            && let Some(entry) = self.job.table.probe(position.key())
            && let Some(m) = G::Move::from_bits(entry.move_bits)
            && play(m, &mut pv, &mut position)
        {}
        pv
    }

    // The answer.

    /// The best line of all threads.
    fn best_line(&mut self, others: Vec<Line<G::Move>>) -> Line<G::Move> {
        let Some(own) = self.completed.first().cloned() else {
            // Not even one iteration: the first move, at the value of the
            // position.
            let score = if self.position.in_check() {
                0
            } else {
                self.evaluate()
            };
            return terminal_line(score, vec![self.root_moves[0].mv]);
        };
        if let Some(skill) = self.job.skill {
            let scores: Vec<Score> = self.completed.iter().map(|line| line.score).collect();
            let index = skill.choose(&scores, rand::random());
            return self.completed[index].clone();
        }
        let limits = &self.job.limits;
        if self.job.options.multi_pv > 1 || limits.depth.is_some() || is_mate(own.score) {
            return own;
        }
        let mut lines = others;
        lines.insert(0, own);
        vote(lines)
    }
}

/// The line whose move most threads support, weighted by how deep they looked
/// and how good they found it.
fn vote<M: Copy + PartialEq>(mut lines: Vec<Line<M>>) -> Line<M> {
    let worst = lines.iter().map(|line| line.score).min().unwrap_or(0);
    let weight = |line: &Line<M>| {
        let better = i64::from((line.score - worst).min(1000));
        (better + 20) * i64::from(line.depth)
    };
    let support = |line: &Line<M>| -> i64 {
        let same = |other: &&Line<M>| other.pv.first() == line.pv.first();
        lines.iter().filter(same).map(weight).sum()
    };
    let mut best = 0;
    for index in 1..lines.len() {
        let (old, new) = (&lines[best], &lines[index]);
        let proven = new.score >= MATE_IN_MAX_PLY || old.score >= MATE_IN_MAX_PLY;
        let better = if proven {
            new.score > old.score
        } else {
            (support(new), weight(new)) > (support(old), weight(old))
        };
        if better {
            best = index;
        }
    }
    lines.swap_remove(best)
}

/// Sorts best first; equal ones, and those without a score, keep their order.
fn sort<M>(moves: &mut [RootMove<M>]) {
    moves.sort_by_key(|root_move| std::cmp::Reverse((root_move.score, root_move.previous)));
}

fn line_of<M: Clone>(root_move: &RootMove<M>, depth: u32) -> Line<M> {
    let score = if root_move.score > -INFINITE {
        root_move.score
    } else {
        root_move.previous
    };
    Line {
        pv: root_move.pv.clone(),
        score,
        depth,
        seldepth: root_move.seldepth,
    }
}

/// A line that needed no search.
pub(super) fn terminal_line<M>(score: Score, pv: Vec<M>) -> Line<M> {
    Line {
        pv,
        score,
        depth: 1,
        seldepth: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(m: u16, score: Score, depth: u32) -> Line<u16> {
        Line {
            pv: vec![m],
            score,
            depth,
            seldepth: depth,
        }
    }

    #[test]
    fn the_majority_decides() {
        let lines = vec![line(1, 30, 12), line(2, 28, 12), line(2, 25, 12)];
        assert_eq!(vote(lines).pv, [2]);
        assert_eq!(vote(vec![line(1, 30, 12)]).pv, [1]);
    }

    #[test]
    fn the_shortest_mate_wins_the_vote() {
        let lines = vec![
            line(1, 900, 20),
            line(1, 900, 20),
            line(2, mate_in(9), 10),
            line(3, mate_in(5), 10),
        ];
        assert_eq!(vote(lines).pv, [3]);
    }
}
