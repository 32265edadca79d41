//! What one ply of the search path knows, and the principal variations under
//! each ply.
//!
//! The variations form the "triangular table" of the Chess Programming Wiki:
//! the line of ply `n` is its best move followed by the line of ply `n + 1`.

use super::history::{CONTINUATION_PLIES, PieceTo, Rows};
use crate::core::score::{MAX_PLY, NONE};
use crate::core::{Color, Score};
use crate::game::Game;

/// Plies before the root that exist so that looking back needs no check.
const BEFORE_ROOT: usize = 6;

/// One ply of the path.
pub(super) struct Ply<G: Game> {
    /// What the move searched here does; "none" for a pass.
    pub played: PieceTo,
    /// Whether the move searched here is quiet.
    pub quiet: bool,
    /// Whether the move searched here is a pass.
    pub passed: bool,
    /// Quiet moves that refuted siblings of this node.
    pub killers: [Option<G::Move>; 2],
    /// The move that a singular search leaves out.
    pub excluded: Option<G::Move>,
    /// How many nodes at this ply cut off since the node two plies up began.
    pub cutoffs: u32,
    /// Static evaluation, [`NONE`] in check.
    pub eval: Score,
    /// The side to move.
    pub side: Color,
}

/// The path from the root to the node being searched.
pub(super) struct Stack<G: Game>(Vec<Ply<G>>);

impl<G: Game> Stack<G> {
    pub fn new() -> Self {
        let empty = || Ply {
            played: PieceTo::none::<G>(),
            quiet: false,
            passed: false,
            killers: [None; 2],
            excluded: None,
            cutoffs: 0,
            eval: NONE,
            side: Color::Black,
        };
        Stack((0..BEFORE_ROOT + MAX_PLY + 2).map(|_| empty()).collect())
    }

    /// The entry of a ply, the root's being 0.
    #[inline]
    pub fn at(&mut self, ply: usize) -> &mut Ply<G> {
        &mut self.0[ply + BEFORE_ROOT]
    }

    /// The entry `back` plies before `ply`; `back` is at most 6.
    #[inline]
    fn before(&self, ply: usize, back: usize) -> &Ply<G> {
        &self.0[ply + BEFORE_ROOT - back]
    }

    /// Whether the move that led to `ply` was a pass.
    #[inline]
    pub fn after_pass(&self, ply: usize) -> bool {
        self.before(ply, 1).passed
    }

    /// The entry of the ply before.
    #[inline]
    pub fn at_last(&self, ply: usize) -> &Ply<G> {
        self.before(ply, 1)
    }

    /// What the move that led to `ply` did.
    #[inline]
    pub fn last(&self, ply: usize) -> PieceTo {
        self.before(ply, 1).played
    }

    /// The rows of the continuation history that the path selects.
    #[inline]
    pub fn rows(&self, ply: usize) -> Rows {
        CONTINUATION_PLIES.map(|back| self.before(ply, back).played)
    }

    /// Whether the static evaluation rose since the side's last turn.
    #[inline]
    pub fn improving(&self, ply: usize) -> bool {
        let now = self.before(ply, 0);
        [2, 4]
            .iter()
            .map(|&back| self.before(ply, back))
            .find(|earlier| earlier.eval != NONE && earlier.side == now.side)
            .is_some_and(|earlier| now.eval != NONE && now.eval > earlier.eval)
    }

    /// Forgets the killers of a ply: they serve near relatives only, so a node
    /// calls this for its grandchildren.
    #[inline]
    pub fn forget_killers(&mut self, ply: usize) {
        self.at(ply).killers = [None; 2];
    }
}

/// Principal variations by ply.
pub(super) struct Variations<M>(Vec<Vec<M>>);

impl<M: Copy> Variations<M> {
    pub fn new() -> Self {
        Variations((0..MAX_PLY + 2).map(|_| Vec::new()).collect())
    }

    /// The line from `ply` on.
    pub fn line(&self, ply: usize) -> &[M] {
        &self.0[ply]
    }

    /// Forgets the line from `ply` on.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// Makes the line of `ply` the move `m` and the line of the next ply.
    pub fn update(&mut self, ply: usize, m: M) {
        let (upper, lower) = self.0.split_at_mut(ply + 1);
        let line = &mut upper[ply];
        line.clear();
        line.push(m);
        line.extend_from_slice(&lower[0]);
    }
}
