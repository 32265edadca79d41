//! Depth-first proof-number search over an explicit stack.
//!
//! The search always goes to the position that needs least to decide the root:
//! the attacker's choice is the child with the least proof number, the
//! defender's that with the least disproof number, and it stays below a child
//! until that child's numbers pass thresholds beyond which another one is better
//! (Nagai 2002). What makes it work on shogi:
//!
//! * *Double counting.* Sums over children that lead to the same positions grow
//!   too fast. Of moves that mostly come to the same (drops on one square in
//!   between, moves with and without promotion) one is tried at a time, and drops
//!   in between that nothing guards add to a sum as one child, on whatever square.
//!   With this much taken out, sums search much less than greatest children do
//!   (Ueda, Hashimoto, Hashimoto and Iida, "Weak Proof-Number Search", 2008).
//! * *First guesses.* A check's proof number counts the defender's replies to it
//!   (df-pn+: Nagai and Imai, "Application of df-pn+ to Othello Endgames", 1999).
//! * *Other hands.* What is open with one hand bounds the numbers with less or more
//!   in hand (see `table`).
//! * *Repetitions* are disproofs that hold on their path only (see `path`).
//! * *Endless loops* among positions that are reached again at greater depths: if
//!   a child was met nearer to the root, thresholds are raised until the search
//!   has expanded something new (Kishimoto, "Dealing with Infinite Loops,
//!   Underestimation, and Overestimation of Depth-First Proof-Number Search",
//!   2010).
//! * *Returning too often.* A child may exceed the second best by a quarter
//!   (Pawlewicz and Lew, "Improving Depth-First PN-Search: 1+ε Trick", 2007).
//!
//! With a limit on the length of the mate the same search proves or disproves
//! that there is one within so many plies.

use std::time::Duration;

use super::limits::{Limits, Progress};
use super::path::{Loops, Path, extend};
use super::table::{Found, INFINITE, Known, Number, Table, UNLIMITED};
use crate::core::{Color, MoveList};
use crate::game::{GameMove, HandSet, MateGame, Stage};

/// No repetition is behind a disproof.
const FREE: i32 = i32::MAX;
/// The path became too long: nothing is disproved by that.
const TOO_DEEP: i32 = -1;
/// The longest path.
const MAX_PLY: usize = 16_000;

/// A move of an expanded position, and what is known of its result.
struct Child<G: MateGame> {
    mv: G::Move,
    /// Those before it in its group must be decided before its turn comes.
    group: Option<u32>,
    /// All of these together are one child in the sum.
    idle: bool,
    key: u64,
    /// The attacker's hand.
    hand: G::Hand,
    pn: Number,
    dn: Number,
    /// For a decided child, the hand for which it is.
    bound: G::Hand,
    /// For a proved child, within how many plies.
    len: u16,
    /// For a disproved child, the depth that the disproof rests on.
    rests_on: i32,
    /// The least depth at which it was met.
    depth: u16,
}

/// An expanded position on the path.
struct Frame<G: MateGame> {
    /// Its children are those from here to the next frame's.
    first: usize,
    /// The child that is being searched.
    current: usize,
    key: u64,
    hand: G::Hand,
    limit: u16,
    path: u64,
    pn_threshold: Number,
    dn_threshold: Number,
    /// While the search has expanded so many positions, thresholds do not count.
    forced_at: Option<u64>,
    /// Its least depth.
    depth: u16,
    /// The numbers known before.
    before: (Number, Number),
    entered: u64,
}

/// What the children say of a position.
struct Summary {
    pn: Number,
    dn: Number,
    /// The child to search, or the one that decides.
    best: usize,
    /// The best child's rival.
    second: Number,
    /// How much of the sum is not the best child's.
    others: Number,
    /// Whether an open child was met nearer to the root.
    old_child: bool,
}

/// How a position was left.
struct Outcome<H> {
    pn: Number,
    dn: Number,
    bound: H,
    len: u16,
    rests_on: i32,
}

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Proved,
    Disproved,
    /// A limit was reached.
    Open,
}

/// The search with its table.
pub(super) struct Dfpn<G: MateGame> {
    pub(super) table: Table<G::Hand>,
    loops: Loops,
    path: Path<G::Hand>,
    frames: Vec<Frame<G>>,
    children: Vec<Child<G>>,
    /// Keeps apart the entries of different attackers and piece sets.
    pub(super) salt: u64,
    pub(super) attacker: Color,
    pub(super) nodes: u64,
    expanded: u64,
    pub(super) deepest: usize,
}

impl<G: MateGame> Dfpn<G> {
    pub(super) fn new(bytes: usize) -> Self {
        // One part in 16 for the path-dependent disproofs.
        let loops = (bytes / 16 / 16).max(256).ilog2();
        Dfpn {
            table: Table::new(bytes - bytes / 16),
            loops: Loops::new(loops),
            path: Path::new(),
            frames: Vec::new(),
            children: Vec::new(),
            salt: 0,
            attacker: Color::Black,
            nodes: 0,
            expanded: 0,
            deepest: 0,
        }
    }

    /// Prepares for searches below a position in which the attacker is to move.
    pub(super) fn set_root(&mut self, root: &G) {
        self.attacker = root.side_to_move();
        self.salt = root.piece_set_key() ^ [0, 0x6174_7461_636b_6572][self.attacker.index()];
        self.nodes = 0;
        self.expanded = 0;
        self.deepest = 0;
    }

    pub(super) fn key(&self, position: &G) -> u64 {
        position.board_key() ^ self.salt
    }

    /// Whether the table has anything on this position.
    pub(super) fn knows(&self, position: &G) -> bool {
        let hand = position.hand(self.attacker);
        let found = self.table.look_up(self.key(position), hand, UNLIMITED);
        found.known().is_some()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.loops.clear();
    }

    /// Whether the attacker, to move, mates within `limit` plies. The position is
    /// as before afterwards.
    pub(super) fn search(&mut self, position: &mut G, limit: u16, limits: &Limits) -> End {
        let key = self.key(position);
        let hand = position.hand(self.attacker);
        match self.table.look_up(key, hand, limit).known() {
            Some(known) if known.pn == 0 => End::Proved,
            Some(known) if known.dn == 0 => End::Disproved,
            _ => self.search_anew(position, limit, limits),
        }
    }

    /// The same, though the table may have the answer: the proof below it comes
    /// into the table again.
    pub(super) fn search_anew(&mut self, position: &mut G, limit: u16, limits: &Limits) -> End {
        let root = Node {
            key: self.key(position),
            hand: position.hand(self.attacker),
            numbers: (1, 1),
        };
        match self.run(position, &root, limit, limits) {
            Some(outcome) if outcome.pn == 0 => End::Proved,
            Some(outcome) if outcome.dn == 0 && outcome.rests_on >= 0 => End::Disproved,
            _ => End::Open,
        }
    }

    fn run(
        &mut self,
        position: &mut G,
        root: &Node<G::Hand>,
        limit: u16,
        limits: &Limits,
    ) -> Option<Outcome<G::Hand>> {
        let entrance = Entrance {
            limit,
            path: 0,
            pn_threshold: INFINITE,
            dn_threshold: INFINITE,
            forced_at: None,
        };
        if let Some(outcome) = self.enter(position, root, &entrance) {
            return Some(outcome);
        }
        let mut next_poll = limits.next_look(self.nodes);
        loop {
            let frame = self.frames.len() - 1;
            let attack = position.side_to_move() == self.attacker;
            let summary = self.summarize(frame, attack);
            let top = &mut self.frames[frame];
            let decided = summary.pn == 0 || summary.dn == 0;
            if summary.old_child && top.forced_at.is_none() {
                top.forced_at = Some(self.expanded);
            }
            let forced = top.forced_at == Some(self.expanded);
            if decided
                || !forced && (summary.pn >= top.pn_threshold || summary.dn >= top.dn_threshold)
            {
                let outcome = self.leave(position, frame, attack, &summary);
                let Some(parent) = self.frames.last() else {
                    return Some(outcome);
                };
                let current = parent.current;
                self.take_over(current, outcome);
                position.unmake();
                continue;
            }
            if self.nodes >= next_poll {
                next_poll = limits.next_look(self.nodes);
                if limits.reached(self.nodes) {
                    self.abandon(position);
                    return None;
                }
                if let Some(time) = limits.report_due() {
                    limits.report(&self.progress(time));
                }
            }
            // Down.
            let top = &mut self.frames[frame];
            let (mut pn_threshold, mut dn_threshold) = (top.pn_threshold, top.dn_threshold);
            if forced {
                pn_threshold = pn_threshold.max(summary.pn + 1);
                dn_threshold = dn_threshold.max(summary.dn + 1);
            }
            let (choice, sum) = if attack {
                (&mut pn_threshold, &mut dn_threshold)
            } else {
                (&mut dn_threshold, &mut pn_threshold)
            };
            *choice = (*choice).min(summary.second.saturating_add(summary.second / 4 + 1));
            if *sum < INFINITE {
                *sum = sum.saturating_sub(summary.others).max(1);
            }
            let entrance = Entrance {
                limit: if top.limit == UNLIMITED {
                    UNLIMITED
                } else {
                    top.limit - 1
                },
                path: top.path,
                pn_threshold,
                dn_threshold,
                forced_at: forced.then_some(self.expanded),
            };
            top.current = summary.best;
            let child = &self.children[summary.best];
            let node = Node {
                key: child.key,
                hand: child.hand,
                numbers: (child.pn, child.dn),
            };
            position.make(child.mv);
            if let Some(outcome) = self.enter(position, &node, &entrance) {
                self.take_over(summary.best, outcome);
                position.unmake();
            }
        }
    }

    pub(super) fn progress(&self, time: Duration) -> Progress {
        Progress {
            nodes: self.nodes,
            deepest: self.deepest,
            fill: self.table.fill(),
            time,
            length: None,
        }
    }

    /// Writes what the search of a child has found into it.
    fn take_over(&mut self, index: usize, outcome: Outcome<G::Hand>) {
        let child = &mut self.children[index];
        child.pn = outcome.pn;
        child.dn = outcome.dn;
        child.bound = outcome.bound;
        child.len = outcome.len;
        child.rests_on = outcome.rests_on;
    }

    /// Leaves all positions of the path because a limit was reached.
    fn abandon(&mut self, position: &mut G) {
        while let Some(frame) = self.frames.len().checked_sub(1) {
            let attack = position.side_to_move() == self.attacker;
            let summary = self.summarize(frame, attack);
            self.leave(position, frame, attack, &summary);
            if frame > 0 {
                position.unmake();
            }
        }
    }

    /// Expands a position and puts it on the path, unless it is decided at once.
    fn enter(
        &mut self,
        position: &mut G,
        node: &Node<G::Hand>,
        entrance: &Entrance,
    ) -> Option<Outcome<G::Hand>> {
        self.nodes += 1;
        let depth = self.frames.len();
        let attack = position.side_to_move() == self.attacker;
        let limit = entrance.limit;
        let known = self.table.look_up(node.key, node.hand, limit).known();
        // The root is searched even if it is decided.
        if depth > 0
            && let Some(known) = &known
            && let Some(outcome) = decided(known)
        {
            return Some(outcome);
        }
        if known.is_none() {
            self.expanded += 1;
        }
        let mut moves = MoveList::new();
        if attack {
            if known.is_none()
                && limit >= 1
                && let Some(mv) = position.mating_check()
            {
                return Some(self.mate_at_once(position, node, mv));
            }
            if limit <= 1 {
                self.table.store_disproof(node.key, node.hand, limit, 1);
                return Some(Outcome::disproved(node.hand, FREE));
            }
            position.generate_checks(&mut moves);
            if moves.is_empty() {
                let bound = position.saturated();
                self.table.store_disproof(node.key, bound, UNLIMITED, 1);
                return Some(Outcome::disproved(bound, FREE));
            }
        } else {
            position.generate(Stage::All, true, &mut moves);
            if moves.is_empty() {
                debug_assert!(position.in_check());
                let bound = position.withheld();
                self.table.store_proof(node.key, bound, 0, 0, 1);
                return Some(Outcome::proved(bound, 0));
            }
            if limit == 0 {
                return Some(Outcome::disproved(node.hand, FREE));
            }
        }
        if depth >= MAX_PLY {
            return Some(Outcome::disproved(node.hand, TOO_DEEP));
        }
        self.deepest = self.deepest.max(depth);
        let path = extend(entrance.path, node.key, node.hand);
        let first = self.children.len();
        self.path.push(node.key, node.hand, depth as u32);
        for &mv in &moves {
            let (key, hand) = position.after(mv);
            let key = key ^ self.salt;
            self.table.prefetch(key);
            let hand = if attack { hand } else { node.hand };
            self.children.push(Child {
                mv,
                group: if attack {
                    position.attack_group(mv)
                } else {
                    position.defence_group(mv)
                },
                idle: !attack && position.is_idle(mv),
                key,
                hand,
                pn: 1,
                dn: 1,
                bound: hand,
                len: 0,
                rests_on: FREE,
                depth: depth as u16 + 1,
            });
        }
        let child_limit = if limit == UNLIMITED { limit } else { limit - 1 };
        let attack_effort = attack.then(|| position.attack_effort());
        let guess = |mv| match &attack_effort {
            Some(effort) => effort(mv),
            None => position.defence_effort(mv),
        };
        for index in first..self.children.len() {
            self.look_up_child(index, child_limit, path, guess);
        }
        self.order(first, attack);
        self.frames.push(Frame {
            first,
            current: first,
            key: node.key,
            hand: node.hand,
            limit,
            path,
            pn_threshold: entrance.pn_threshold,
            dn_threshold: entrance.dn_threshold,
            forced_at: entrance.forced_at,
            depth: known
                .as_ref()
                .map_or(depth as u16, |known| known.depth.min(depth as u16)),
            before: known
                .filter(|known| decided(known).is_none())
                .map_or(node.numbers, |known| (known.pn, known.dn)),
            entered: self.nodes,
        });
        None
    }

    /// Puts the children in the order in which those with equal numbers, and
    /// those of a group, are tried.
    fn order(&mut self, first: usize, attack: bool) {
        self.children[first..].sort_by_key(|child| {
            let choice = if attack { child.pn } else { child.dn };
            (choice, !child.mv.is_promotion())
        });
    }

    /// Fills a child with what the path and the table say, or with a guess.
    fn look_up_child(
        &mut self,
        index: usize,
        limit: u16,
        path: u64,
        guess: impl Fn(G::Move) -> (Number, Number),
    ) {
        let child = &mut self.children[index];
        if limit == UNLIMITED
            && let Some(depth) = self.path.recurrence(child.key, child.hand)
        {
            child.pn = INFINITE;
            child.dn = 0;
            child.rests_on = depth as i32;
            return;
        }
        let known = match self.table.look_up(child.key, child.hand, limit) {
            Found::Known(known) => known,
            Found::Bounds(least_pn, least_dn) => {
                let (pn, dn) = guess(child.mv);
                child.pn = pn.max(least_pn);
                child.dn = dn.max(least_dn);
                return;
            }
        };
        if let Some(outcome) = decided(&known) {
            self.take_over(index, outcome);
            return;
        }
        child.pn = known.pn;
        child.dn = known.dn;
        child.depth = known.depth;
        if known.looped
            && let Some(depth) = self.loops.get(extend(path, child.key, child.hand))
        {
            child.pn = INFINITE;
            child.dn = 0;
            child.rests_on = depth;
        }
    }

    /// A mate in one: stores the mated position too.
    fn mate_at_once(
        &mut self,
        position: &mut G,
        node: &Node<G::Hand>,
        mv: G::Move,
    ) -> Outcome<G::Hand> {
        let (key, _) = position.after(mv);
        position.make(mv);
        let mated = position.withheld();
        position.unmake();
        let bound = position.hand_before(mv, mated);
        self.table.store_proof(key ^ self.salt, mated, 0, 0, 1);
        self.table.store_proof(node.key, bound, 1, mv.to_bits(), 1);
        Outcome::proved(bound, 1)
    }

    /// Adds up the children of a frame.
    fn summarize(&self, frame: usize, attack: bool) -> Summary {
        let top = &self.frames[frame];
        let end = self
            .frames
            .get(frame + 1)
            .map_or(self.children.len(), |next| next.first);
        let children = &self.children[top.first..end];
        let mut best = top.first;
        let (mut least, mut second) = (INFINITE, INFINITE);
        let (mut total, mut idle): (Number, Number) = (0, 0);
        let mut open = false;
        let mut old_child = false;
        for (index, child) in children.iter().enumerate() {
            // The side to move picks the least of `choice`.
            let (choice, sum) = if attack {
                (child.pn, child.dn)
            } else {
                (child.dn, child.pn)
            };
            if choice == 0 {
                // Decided. Prefer short mates, and disproofs that rest on nothing.
                let better = least > 0 || {
                    let other = &self.children[best];
                    if attack {
                        child.len < other.len
                    } else {
                        child.rests_on > other.rests_on
                    }
                };
                if better {
                    best = top.first + index;
                    least = 0;
                }
                continue;
            }
            if sum == 0 {
                // Decided against the side to move.
                continue;
            }
            if least > 0
                && child.group.is_some()
                && children[..index].iter().any(|earlier| {
                    earlier.group == child.group
                        && (if attack { earlier.dn } else { earlier.pn }) != 0
                })
            {
                // Its turn has not come.
                continue;
            }
            open = true;
            if child.idle {
                idle = idle.max(sum);
            } else {
                total = total.saturating_add(sum);
            }
            old_child |= usize::from(child.depth) <= frame;
            if choice < least {
                second = least;
                least = choice;
                best = top.first + index;
            } else {
                second = second.min(choice);
            }
        }
        let (choice, sum) = if least == 0 {
            (0, INFINITE)
        } else if !open {
            (INFINITE, 0)
        } else {
            (least, total.saturating_add(idle).min(INFINITE - 1))
        };
        let own = &self.children[best];
        let (pn, dn, own) = if attack {
            (choice, sum, own.dn)
        } else {
            (sum, choice, own.pn)
        };
        Summary {
            pn,
            dn,
            best,
            second,
            others: sum.saturating_sub(own),
            old_child,
        }
    }

    /// Takes the last frame off the path and stores what was found.
    fn leave(
        &mut self,
        position: &G,
        frame: usize,
        attack: bool,
        summary: &Summary,
    ) -> Outcome<G::Hand> {
        let top = self.frames.pop().expect("there is a frame to leave");
        self.path.pop(top.key, frame as u32);
        let work = self.nodes - top.entered + 1;
        let children = &self.children[top.first..];
        let outcome = if summary.pn == 0 {
            let (bound, len, mv) = if attack {
                let child = &self.children[summary.best];
                let bound = position.hand_before(child.mv, child.bound);
                (bound, child.len + 1, child.mv.to_bits())
            } else {
                let longest = children.iter().map(|child| child.len).max();
                let bound = children
                    .iter()
                    .fold(position.withheld(), |bound, child| bound.max(child.bound));
                (bound, longest.unwrap_or(0) + 1, 0)
            };
            self.table.store_proof(top.key, bound, len, mv, work);
            Outcome::proved(bound, len)
        } else if summary.dn == 0 {
            let (bound, rests_on) = if attack {
                let bound = children.iter().fold(position.saturated(), |bound, child| {
                    bound.min(position.hand_before(child.mv, child.bound))
                });
                let rests_on = children.iter().map(|child| child.rests_on).min();
                (bound, rests_on.unwrap_or(FREE))
            } else {
                let child = &self.children[summary.best];
                (child.bound.min(position.both_hands()), child.rests_on)
            };
            if rests_on < frame as i32 {
                self.loops.insert(top.path, rests_on);
                let (pn, dn) = top.before;
                self.table.store_open(
                    top.key,
                    top.hand,
                    top.limit,
                    (pn, dn),
                    top.depth,
                    true,
                    work,
                );
                Outcome::disproved(top.hand, rests_on)
            } else {
                self.table.store_disproof(top.key, bound, top.limit, work);
                Outcome::disproved(bound, FREE)
            }
        } else {
            let numbers = (summary.pn, summary.dn);
            self.table.store_open(
                top.key, top.hand, top.limit, numbers, top.depth, false, work,
            );
            Outcome {
                pn: summary.pn,
                dn: summary.dn,
                bound: top.hand,
                len: 0,
                rests_on: FREE,
            }
        };
        self.children.truncate(top.first);
        outcome
    }
}

/// A position to be searched.
struct Node<H> {
    key: u64,
    hand: H,
    /// First guesses of its numbers.
    numbers: (Number, Number),
}

/// How the search comes to a position.
struct Entrance {
    limit: u16,
    path: u64,
    pn_threshold: Number,
    dn_threshold: Number,
    forced_at: Option<u64>,
}

impl<H> Outcome<H> {
    fn proved(bound: H, len: u16) -> Self {
        Outcome {
            pn: 0,
            dn: INFINITE,
            bound,
            len,
            rests_on: FREE,
        }
    }

    fn disproved(bound: H, rests_on: i32) -> Self {
        Outcome {
            pn: INFINITE,
            dn: 0,
            bound,
            len: 0,
            rests_on,
        }
    }
}

fn decided<H: Copy>(known: &Known<H>) -> Option<Outcome<H>> {
    if known.pn == 0 {
        Some(Outcome::proved(known.hand, known.limit))
    } else if known.dn == 0 {
        Some(Outcome::disproved(known.hand, FREE))
    } else {
        None
    }
}
