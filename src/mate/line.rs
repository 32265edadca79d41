//! From a proof to a line of moves.
//!
//! The table holds, for the positions of a proof, upper bounds on the length of
//! the mate; the attacker follows the least. How long the defender holds out
//! against that is measured by walking through all of the defender's answers,
//! each position once; then the line is read off. Walking down, the bounds
//! decrease, so that there is an end. A proof that was displaced from the table is
//! searched again. Should the walk run into itself after that, or the proof be too
//! large to remember, each of the defender's answers is measured for itself if that is
//! done soon; of the others, which are taken for the longer ones, he goes by the bounds.
//! Bounds may be far too long, so that such a line can be shorter than the mate.
//!
//! The same walk tells the line without useless interpositions. A drop adds two plies
//! to the mate, itself and its capture, and is useless if the captured piece is left
//! over in the end, and what follows the capture takes no longer than the longest of the
//! defender's other answers would have.

use std::collections::HashMap;

use super::Solver;
use super::dfpn::{Dfpn, End};
use super::limits::Limits;
use super::table::UNLIMITED;
use crate::core::MoveList;
use crate::game::{GameMove, HandSet, MateGame, Stage};

/// Positions that the walk may remember for each megabyte of the table.
const MEMORY_PER_MB: usize = 2_000;

/// Positions below one answer of the defender that are measured, and nodes that may be
/// spent on lost proofs among them, when the whole proof is not measured.
const GLANCE: usize = 1_000;
/// The longest line.
const MAX_LINE: usize = 10_000;
/// Positions between two looks at the limits.
const POLL: usize = 256;

/// What was measured of a position.
#[derive(Clone, Copy)]
enum Measured {
    /// It is on the walk.
    Entered,
    Done {
        /// With all of the defender's moves.
        all: Way,
        /// Without useless interpositions.
        book: Way,
        /// For the attacker, the same if he takes what was dropped last.
        taking: Way,
    },
}

/// Plies to the mate, and the next move.
#[derive(Clone, Copy, Default)]
struct Way {
    length: u16,
    mv: u16,
    /// The attacker's hand in the end.
    left: u64,
}

impl Way {
    /// The way that begins with a move.
    fn after<M: GameMove>(self, m: M) -> Way {
        Way {
            length: self.length.saturating_add(1),
            mv: m.to_bits(),
            left: self.left,
        }
    }

    /// Takes another way if the side to move prefers it.
    fn improve(&mut self, other: Way, attack: bool) {
        let better = if attack {
            self.mv == 0 || other.length < self.length
        } else {
            other.length > self.length
        };
        if better {
            *self = other;
        }
    }

    /// Whether it begins on the square that a drop has gone to.
    fn takes<M: GameMove>(self, drop: M) -> bool {
        M::from_bits(self.mv).is_some_and(|m| m.to_index() == drop.to_index())
    }
}

/// Which of the two ways.
type Choice = fn(all: Way, book: Way) -> Way;

/// A mating line, and the same without useless interpositions if it was measured.
pub(super) struct Lines<M> {
    pub(super) line: Vec<M>,
    pub(super) book_line: Option<Vec<M>>,
}

/// A position on the walk.
struct Step<M> {
    id: (u64, u64),
    attack: bool,
    /// What was dropped to come here.
    dropped: Option<M>,
    /// Moves yet to be walked: all of the defender's, one of the attacker's.
    moves: Vec<M>,
    all: Way,
    /// The defender's without drops that may be useless.
    book: Way,
    taking: Way,
    /// The defender's drops that can be taken at once, with the plies after that.
    drops: Vec<(Way, u16)>,
}

impl<G: MateGame> Solver<G> {
    /// The lines of a position that the table proves, or `None` when the proof got
    /// lost, or a limit was reached.
    pub(super) fn line(&mut self, root: &mut G, limits: &Limits) -> Option<Lines<G::Move>> {
        let memory = self.search.table.bytes() / (1 << 20) * MEMORY_PER_MB + 50_000;
        let memory = memory.min(limits.measured);
        let lines = match self.search.measure(root, memory, limits) {
            Some(measured) => Lines {
                line: self.search.measured_line(root, &measured, |all, _| all),
                book_line: Some(self.search.measured_line(root, &measured, |_, book| book)),
            },
            None => Lines {
                line: self.search.likely_line(root, limits)?,
                book_line: None,
            },
        };
        let line = &lines.line;
        for &m in line {
            root.make(m);
        }
        let mated = line.len() % 2 == 1 && root.in_check() && root.count_moves() == 0;
        for _ in line {
            root.unmake();
        }
        mated.then_some(lines)
    }
}

impl<G: MateGame> Dfpn<G> {
    fn id(&self, position: &G) -> (u64, u64) {
        let hand = position.hand(self.attacker);
        (self.key(position), hand.to_bits())
    }

    /// The longest resistance among what was measured, counted in one of the ways.
    fn measured_line(
        &self,
        root: &mut G,
        measured: &HashMap<(u64, u64), Measured>,
        choice: Choice,
    ) -> Vec<G::Move> {
        let mut line = Vec::new();
        while let Some(&Measured::Done { all, book, .. }) = measured.get(&self.id(root))
            && let Some(m) = G::Move::from_bits(choice(all, book).mv)
        {
            root.make(m);
            line.push(m);
        }
        for _ in &line {
            root.unmake();
        }
        line
    }

    /// A line through a proof that was not measured as a whole.
    fn likely_line(&mut self, root: &mut G, limits: &Limits) -> Option<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut complete = false;
        while line.len() < MAX_LINE {
            let Some(step) = self.step(root, line.last().copied(), limits) else {
                break;
            };
            let next = match &step.moves[..] {
                [] => None,
                &[m] => Some(m),
                moves => self.likely_defence(root, moves, limits),
            };
            let Some(m) = next else {
                complete = true;
                break;
            };
            root.make(m);
            line.push(m);
        }
        for _ in &line {
            root.unmake();
        }
        complete.then_some(line)
    }

    /// The defender's answer that seems to hold out longest.
    fn likely_defence(
        &mut self,
        position: &mut G,
        moves: &[G::Move],
        limits: &Limits,
    ) -> Option<G::Move> {
        let mut longest = None;
        for &m in moves {
            position.make(m);
            let id = self.id(position);
            let few = limits.clone().within(self.nodes + GLANCE as u64);
            let measured = (!limits.interrupted())
                .then(|| self.measure(position, GLANCE, &few))
                .flatten();
            let resistance = match measured.as_ref().and_then(|measured| measured.get(&id)) {
                Some(Measured::Done { all, .. }) => (false, all.length),
                _ => {
                    let proof = self.table.best_proof(id.0, position.hand(self.attacker));
                    (true, proof.map_or(u16::MAX, |(length, _)| length))
                }
            };
            position.unmake();
            if longest.is_none_or(|(other, _)| resistance > other) {
                longest = Some((resistance, m));
            }
        }
        longest.map(|(_, m)| m)
    }

    /// Walks through a proof and measures its positions.
    fn measure(
        &mut self,
        root: &mut G,
        memory: usize,
        limits: &Limits,
    ) -> Option<HashMap<(u64, u64), Measured>> {
        let mut measured = HashMap::new();
        let mut walk = Vec::new();
        let result = self.walk(root, &mut walk, &mut measured, memory, limits);
        // Given up somewhere below.
        for _ in 1..walk.len() {
            root.unmake();
        }
        result.map(|()| measured)
    }

    fn walk(
        &mut self,
        position: &mut G,
        walk: &mut Vec<Step<G::Move>>,
        measured: &mut HashMap<(u64, u64), Measured>,
        memory: usize,
        limits: &Limits,
    ) -> Option<()> {
        let first = self.step(position, None, limits)?;
        measured.insert(first.id, Measured::Entered);
        walk.push(first);
        loop {
            let step = walk.last_mut()?;
            if let Some(&m) = step.moves.last() {
                position.make(m);
                let id = self.id(position);
                match measured.get(&id) {
                    Some(&Measured::Done { all, book, taking }) => {
                        position.unmake();
                        step.take(m, all, book, taking);
                    }
                    Some(Measured::Entered) => {
                        position.unmake();
                        return None;
                    }
                    None => {
                        let next = self.step(position, Some(m), limits);
                        let give_up = measured.len() >= memory
                            || measured.len().is_multiple_of(POLL) && limits.interrupted();
                        let Some(next) = next.filter(|_| !give_up) else {
                            position.unmake();
                            return None;
                        };
                        measured.insert(id, Measured::Entered);
                        walk.push(next);
                    }
                }
                continue;
            }
            let (all, book, mut taking) = (step.all, step.book_way(), step.taking);
            if let Some(m) = G::Move::from_bits(taking.mv) {
                let left = G::Hand::from_bits(taking.left);
                if position.hand_before(m, left) == left {
                    // The mate has needed what was taken.
                    taking = Way::default();
                }
            }
            measured.insert(step.id, Measured::Done { all, book, taking });
            walk.pop();
            let Some(parent) = walk.last_mut() else {
                return Some(());
            };
            position.unmake();
            let m = *parent.moves.last()?;
            parent.take(m, all, book, taking);
        }
    }

    /// Sets out from a position: the defender tries everything, the attacker the
    /// move with the shortest proof.
    fn step(
        &mut self,
        position: &mut G,
        last: Option<G::Move>,
        limits: &Limits,
    ) -> Option<Step<G::Move>> {
        let attack = position.side_to_move() == self.attacker;
        let dropped = last.filter(|m| attack && m.is_drop());
        let mut moves = MoveList::new();
        if attack {
            if let Some(m) = position.mating_check() {
                moves.push(self.mating_capture(position, dropped).unwrap_or(m));
            } else {
                let mut best = self.shortest_check(position, last);
                let key = self.key(position);
                let proof = self.table.best_proof(key, position.hand(self.attacker));
                let bound = proof.map_or(UNLIMITED, |(length, _)| length);
                if best.is_none_or(|(length, _)| length >= bound) {
                    // What the proof rests on was displaced from the table.
                    if self.search_anew(position, bound, limits) == End::Proved {
                        best = self.shortest_check(position, last);
                    }
                }
                let (_, m) = best?;
                moves.push(m);
            }
        } else {
            position.generate(Stage::All, true, &mut moves);
        }
        Some(Step {
            id: self.id(position),
            attack,
            dropped,
            moves: moves.to_vec(),
            all: Way::default(),
            book: Way {
                left: position.hand(self.attacker).to_bits(),
                ..Way::default()
            },
            taking: Way::default(),
            drops: Vec::new(),
        })
    }

    /// A mate in one that captures what was dropped last.
    fn mating_capture(&self, position: &mut G, dropped: Option<G::Move>) -> Option<G::Move> {
        let target = dropped?.to_index();
        let mut checks = MoveList::new();
        position.generate_checks(&mut checks);
        checks.into_iter().find(|&m| {
            m.to_index() == target && {
                position.make(m);
                let mated = position.count_moves() == 0;
                position.unmake();
                mated
            }
        })
    }

    /// The check with the shortest proof behind it, and the length of that. Of equal
    /// ones the capture of what moved last is preferred.
    fn shortest_check(&self, position: &G, last: Option<G::Move>) -> Option<(u16, G::Move)> {
        let mut moves = MoveList::new();
        position.generate_checks(&mut moves);
        let proved = |&m: &G::Move| {
            let (key, hand) = position.after(m);
            let (length, _) = self.table.best_proof(key ^ self.salt, hand)?;
            Some((length, m))
        };
        let shortest = moves.iter().filter_map(proved);
        let target = last.map(G::Move::to_index);
        shortest.min_by_key(|&(length, m)| (length, Some(m.to_index()) != target))
    }
}

impl<M: GameMove> Step<M> {
    /// Notes the ways below the last of the moves, and strikes it off.
    fn take(&mut self, m: M, all: Way, book: Way, taking: Way) {
        self.all.improve(all.after(m), self.attack);
        if self
            .dropped
            .is_some_and(|dropped| dropped.to_index() == m.to_index())
        {
            self.taking.improve(book.after(m), true);
        }
        if !self.attack && m.is_drop() && taking.takes(m) {
            self.drops.push((book.after(m), taking.length - 1));
        } else {
            self.book.improve(book.after(m), self.attack);
        }
        self.moves.pop();
    }

    /// The way without useless interpositions.
    fn book_way(&self) -> Way {
        let mut way = self.book;
        for &(drop, rest) in &self.drops {
            if rest > self.book.length {
                way.improve(drop, false);
            }
        }
        way
    }
}
