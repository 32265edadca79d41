//! From a proof to a line of moves.
//!
//! The table holds, for the positions of a proof, upper bounds on the length of
//! the mate; the attacker follows the least. How long the defender holds out
//! against that is measured by walking through all of the defender's answers,
//! each position once; then the line is read off. Walking down, the bounds
//! decrease, so that there is an end. A proof that was displaced from the table is
//! searched again. Should the walk run into itself after that, or the proof be too
//! large to remember, the defender goes by the bounds instead.

use std::collections::HashMap;

use super::Solver;
use super::dfpn::{Dfpn, End};
use super::limits::Limits;
use super::table::UNLIMITED;
use crate::core::MoveList;
use crate::game::{GameMove, HandSet, MateGame, Stage};

/// Positions that the walk may remember for each megabyte of the table.
const MEMORY_PER_MB: usize = 2_000;

/// The longest line.
const MAX_LINE: usize = 10_000;
/// Positions between two looks at the limits.
const POLL: usize = 256;

/// What was measured of a position: plies to the mate, and the next move.
#[derive(Clone, Copy)]
enum Measured {
    /// It is on the walk.
    Entered,
    Done {
        length: u16,
        mv: u16,
    },
}

/// A position on the walk.
struct Step<M> {
    id: (u64, u64),
    attack: bool,
    /// Moves yet to be walked: all of the defender's, one of the attacker's.
    moves: Vec<M>,
    length: u16,
    mv: u16,
}

impl<G: MateGame> Solver<G> {
    /// The line of a position that the table proves, or `None` when the proof got
    /// lost, or a limit was reached.
    pub(super) fn line(&mut self, root: &mut G, limits: &Limits) -> Option<Vec<G::Move>> {
        let memory = self.search.table.bytes() / (1 << 20) * MEMORY_PER_MB + 50_000;
        let line = match self.search.measure(root, memory, limits) {
            Some(measured) => self.search.measured_line(root, &measured),
            None => self.search.likely_line(root, limits)?,
        };
        for &m in &line {
            root.make(m);
        }
        let mated = line.len() % 2 == 1 && root.in_check() && root.count_moves() == 0;
        for _ in &line {
            root.unmake();
        }
        mated.then_some(line)
    }
}

impl<G: MateGame> Dfpn<G> {
    fn id(&self, position: &G) -> (u64, u64) {
        let hand = position.hand(self.attacker);
        (self.key(position), hand.to_bits())
    }

    /// The longest resistance among what was measured.
    fn measured_line(
        &self,
        root: &mut G,
        measured: &HashMap<(u64, u64), Measured>,
    ) -> Vec<G::Move> {
        let mut line = Vec::new();
        while let Some(&Measured::Done { mv, .. }) = measured.get(&self.id(root))
            && let Some(m) = G::Move::from_bits(mv)
        {
            root.make(m);
            line.push(m);
        }
        for _ in &line {
            root.unmake();
        }
        line
    }

    /// A line without measuring: the defender goes by the bounds in the table.
    fn likely_line(&mut self, root: &mut G, limits: &Limits) -> Option<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut complete = false;
        while line.len() < MAX_LINE && !limits.interrupted() {
            let Some(step) = self.step(root, limits) else {
                break;
            };
            let bound = |&m: &G::Move| {
                let key = root.after(m).0 ^ self.salt;
                let proof = self.table.best_proof(key, root.hand(self.attacker));
                proof.map_or(u16::MAX, |(length, _)| length)
            };
            let next = if step.attack {
                step.moves.first().copied()
            } else {
                step.moves.iter().copied().max_by_key(bound)
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
        let first = self.step(position, limits)?;
        measured.insert(first.id, Measured::Entered);
        walk.push(first);
        loop {
            let step = walk.last_mut()?;
            if let Some(&m) = step.moves.last() {
                position.make(m);
                let id = self.id(position);
                match measured.get(&id) {
                    Some(Measured::Done { length, .. }) => {
                        let length = *length;
                        position.unmake();
                        step.take(m, length);
                    }
                    Some(Measured::Entered) => {
                        position.unmake();
                        return None;
                    }
                    None => {
                        let next = self.step(position, limits);
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
            let (length, mv) = (step.length, step.mv);
            measured.insert(step.id, Measured::Done { length, mv });
            walk.pop();
            let Some(parent) = walk.last_mut() else {
                return Some(());
            };
            position.unmake();
            let m = *parent.moves.last()?;
            parent.take(m, length);
        }
    }

    /// Sets out from a position: the defender tries everything, the attacker the
    /// move with the shortest proof.
    fn step(&mut self, position: &mut G, limits: &Limits) -> Option<Step<G::Move>> {
        let attack = position.side_to_move() == self.attacker;
        let mut moves = MoveList::new();
        if attack {
            if let Some(m) = position.mate_in_one() {
                moves.push(m);
            } else {
                let mut best = self.shortest_check(position);
                let key = self.key(position);
                let proof = self.table.best_proof(key, position.hand(self.attacker));
                let bound = proof.map_or(UNLIMITED, |(length, _)| length);
                if best.is_none_or(|(length, _)| length >= bound) {
                    // What the proof rests on was displaced from the table.
                    if self.search_anew(position, bound, limits) == End::Proved {
                        best = self.shortest_check(position);
                    }
                }
                let best = best.map(|(_, m)| m);
                moves.push(best?);
            }
        } else {
            position.generate(Stage::All, true, &mut moves);
        }
        Some(Step {
            id: self.id(position),
            attack,
            moves: moves.to_vec(),
            length: 0,
            mv: 0,
        })
    }

    /// The check with the shortest proof behind it, and the length of that.
    fn shortest_check(&self, position: &G) -> Option<(u16, G::Move)> {
        let mut moves = MoveList::new();
        position.generate_checks(&mut moves);
        let proved = |&m: &G::Move| {
            let (key, hand) = position.after(m);
            let (length, _) = self.table.best_proof(key ^ self.salt, hand)?;
            Some((length, m))
        };
        let shortest = moves.iter().filter_map(proved);
        shortest.min_by_key(|&(length, _)| length)
    }

    /// The first move of a proof.
    pub(super) fn proof_move(&self, position: &G) -> Option<G::Move> {
        if let Some(m) = position.mate_in_one() {
            return Some(m);
        }
        self.shortest_check(position).map(|(_, m)| m)
    }
}

impl<M: GameMove> Step<M> {
    /// Notes the length below the last of the moves, and strikes it off.
    fn take(&mut self, m: M, length: u16) {
        let length = length.saturating_add(1);
        if self.attack || length > self.length {
            self.length = length;
            self.mv = m.to_bits();
        }
        self.moves.pop();
    }
}
