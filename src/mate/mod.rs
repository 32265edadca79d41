//! Mate.
mod dfpn;
mod limits;
mod path;
mod table;
pub use limits::Limits;

use crate::game::MateGame;
use crate::core::MoveList;
use crate::game::Stage;

/// Dev.
pub struct Solver<G: MateGame>(dfpn::Dfpn<G>);
impl<G: MateGame> Solver<G> {
    /// Dev.
    pub fn new(mb: usize) -> Self { Solver(dfpn::Dfpn::new(mb << 20)) }
    /// Dev.
    pub fn solve(&mut self, root: &G, limits: &Limits) -> String {
        let mut p = root.clone();
        self.0.set_root(root);
        let end = self.0.search(&mut p, u16::MAX, limits);
        let len = self.0.table.best_proof(self.0.key(root), root.hand(root.side_to_move()));
        let mut walk = vec![];
        let mut note = "";
        if end == dfpn::End::Proved {
            let us = root.side_to_move();
            loop {
                let mut moves: MoveList<G::Move> = MoveList::new();
                let attack = p.side_to_move() == us;
                if attack { p.generate_checks(&mut moves) } else { p.generate(Stage::All, true, &mut moves) }
                if moves.is_empty() { break; }
                let mut best = None;
                for &m in &moves {
                    let (k, h) = p.after(m);
                    let h = if attack { h } else { p.hand(us) };
                    let pr = self.0.table.best_proof(k ^ self.0.salt_(), h);
                    match pr { Some((l, _)) => if best.is_none_or(|(b, _)| if attack { l < b } else { l > b }) { best = Some((l, m)); }, None => if !attack { note = "LOST"; } }
                }
                let Some((_, m)) = best else { note = "STUCK"; break };
                p.make(m);
                walk.push(m);
                if walk.len() > 5000 { note = "ENDLESS"; break }
            }
        }
        format!("{end:?} len {:?} walk {} {note} nodes {} deepest {} fill {}", len.map(|l| l.0), walk.len(), self.0.nodes, self.0.deepest, self.0.table.fill())
    }
}
