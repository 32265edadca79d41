//! Accumulators along the search path, computed when they are needed.
//!
//! A move changes few inputs: the moved piece leaves one and enters another, a
//! captured piece leaves one and enters the hand. [`Step`]s note that for every move
//! of the path. When a position is evaluated, its accumulator is made from that of
//! the nearest ancestor that has one, and those in between are kept, as other moves
//! will be tried from there. Most positions are never evaluated and cost nothing but
//! the note.
//!
//! With HalfKP, a king's move changes all the inputs of its side. The accumulator
//! is then made from the one that was last made with the king on that square, whose
//! pieces are known too ([`Cache`]): most of them are still where they were
//! ("NNUE: accumulator refresh tables", Chess Programming Wiki).

use std::ops::{Index, IndexMut};

use super::features::{self, BONA_PIECES, BonaPiece, FeatureSet, KINGS, in_hand, on_board};
use super::model::Row;
use super::simd::Lanes;
use crate::core::Color;
use crate::core::color::ByColor;
use crate::shogi::square::SQUARES;
use crate::shogi::{Move, Piece, PieceKind, Position, Source};

/// A few BonaPieces as one side sees them.
#[derive(Clone, Copy, Debug, Default)]
struct List {
    pieces: [u16; 2],
    len: u8,
}

impl List {
    #[inline]
    fn push(&mut self, bona_piece: BonaPiece) {
        self.pieces[usize::from(self.len)] = bona_piece as u16;
        self.len += 1;
    }

    #[inline]
    fn as_slice(&self) -> &[u16] {
        &self.pieces[..usize::from(self.len)]
    }
}

/// What a move changes among one side's inputs.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    removed: List,
    added: List,
    /// All inputs change.
    all: bool,
}

/// A position of the search path.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    /// Since the position before.
    changes: ByColor<Change>,
    /// Whether a side's accumulator is there.
    computed: ByColor<bool>,
}

impl Step {
    /// The step of a legal move.
    pub fn new(features: FeatureSet, position: &Position, m: Move) -> Step {
        let us = position.side_to_move();
        let mut step = Step::default();
        let kings = features == FeatureSet::Kp;
        let mut enter = |piece: Piece, added: bool, square| {
            let king = piece.kind == PieceKind::King;
            for view in Color::ALL {
                let change = &mut step.changes[view];
                if kings || !king {
                    let list = if added {
                        &mut change.added
                    } else {
                        &mut change.removed
                    };
                    list.push(on_board(view, piece, square));
                } else if piece.color == view {
                    change.all = true;
                }
            }
        };
        enter(Piece::new(us, position.moved_kind(m)), true, m.to());
        let mut hand = None;
        match m.source() {
            Source::Hand(kind) => hand = Some((kind, position.hand(us).count(kind) - 1, false)),
            Source::Board(from) => {
                if let Some(piece) = position.piece_on(from) {
                    enter(piece, false, from);
                }
                if let Some(piece) = position.piece_on(m.to()) {
                    enter(piece, false, m.to());
                    let kind = piece.kind.unpromoted();
                    if kind != PieceKind::King {
                        hand = Some((kind, position.hand(us).count(kind), true));
                    }
                }
            }
        }
        if let Some((kind, nth, added)) = hand {
            for view in Color::ALL {
                if let Some(bona_piece) = in_hand(view, us, kind, nth) {
                    let change = &mut step.changes[view];
                    let list = if added {
                        &mut change.added
                    } else {
                        &mut change.removed
                    };
                    list.push(bona_piece);
                }
            }
        }
        step
    }

    /// Forgets the accumulators.
    pub fn invalidate(&mut self) {
        self.computed = ByColor::default();
    }
}

/// `row = from - removed + added`.
#[inline]
fn update<const ROW: usize>(
    weights: &[Row<ROW>],
    from: &Row<ROW>,
    row: &mut Row<ROW>,
    removed: &[usize],
    added: &[usize],
) {
    match (removed, added) {
        (&[r], &[a]) => {
            let (r, a) = (&weights[r], &weights[a]);
            for i in 0..ROW {
                for j in 0..row[i].0.len() {
                    row[i].0[j] = from[i].0[j].wrapping_sub(r[i].0[j]).wrapping_add(a[i].0[j]);
                }
            }
        }
        (&[r, s], &[a, b]) => {
            let (r, s) = (&weights[r], &weights[s]);
            let (a, b) = (&weights[a], &weights[b]);
            for i in 0..ROW {
                for j in 0..row[i].0.len() {
                    row[i].0[j] = from[i].0[j]
                        .wrapping_sub(r[i].0[j])
                        .wrapping_sub(s[i].0[j])
                        .wrapping_add(a[i].0[j])
                        .wrapping_add(b[i].0[j]);
                }
            }
        }
        _ => {
            *row = *from;
            removed
                .iter()
                .for_each(|&index| subtract(row, &weights[index]));
            added.iter().for_each(|&index| add(row, &weights[index]));
        }
    }
}

#[inline]
fn add<const ROW: usize>(row: &mut Row<ROW>, weights: &Row<ROW>) {
    for (Lanes(row), Lanes(weights)) in row.iter_mut().zip(weights) {
        for (number, weight) in row.iter_mut().zip(weights) {
            *number = number.wrapping_add(*weight);
        }
    }
}

#[inline]
fn subtract<const ROW: usize>(row: &mut Row<ROW>, weights: &Row<ROW>) {
    for (Lanes(row), Lanes(weights)) in row.iter_mut().zip(weights) {
        for (number, weight) in row.iter_mut().zip(weights) {
            *number = number.wrapping_sub(*weight);
        }
    }
}

/// A set of BonaPieces.
type Pieces = [u64; BONA_PIECES.div_ceil(64)];

/// Accumulators by the square of the own king, with the pieces they stand for. K-P
/// needs one only.
#[derive(Clone)]
struct Cache<const ROW: usize>(Vec<(Pieces, Row<ROW>)>);

impl<const ROW: usize> Cache<ROW> {
    fn new(features: FeatureSet, biases: &Row<ROW>) -> Self {
        let count = match features {
            FeatureSet::Kp => 1,
            FeatureSet::HalfKp => SQUARES,
        };
        Cache(vec![([0; _], *biases); count])
    }

    /// The accumulator of a position.
    fn refresh(
        &mut self,
        features: FeatureSet,
        weights: &[Row<ROW>],
        position: &Position,
        view: Color,
    ) -> &Row<ROW> {
        let king = features::king_square(position, view);
        let slot = if features == FeatureSet::Kp { 0 } else { king };
        let (known, row) = &mut self.0[slot];
        let mut pieces: Pieces = [0; _];
        features::for_each(position, view, |piece| {
            if features == FeatureSet::Kp || piece < KINGS {
                pieces[piece / 64] |= 1 << (piece % 64);
            }
        });
        for (word, (now, before)) in pieces.iter().zip(known.iter_mut()).enumerate() {
            let mut changed = now ^ *before;
            while changed != 0 {
                let bit = changed.trailing_zeros();
                changed &= changed - 1;
                let piece = 64 * word + bit as usize;
                let Some(index) = features.index(king, piece) else {
                    continue;
                };
                if now >> bit & 1 == 1 {
                    add(row, &weights[index]);
                } else {
                    subtract(row, &weights[index]);
                }
            }
            *before = *now;
        }
        row
    }
}

/// The accumulators of a search path.
pub(super) struct Accumulators<const ROW: usize> {
    features: FeatureSet,
    rows: Vec<ByColor<Row<ROW>>>,
    caches: ByColor<Cache<ROW>>,
}

/// Steps that an accumulator is carried over before it is made from the cache.
const MAX_STEPS: usize = 8;

impl<const ROW: usize> Accumulators<ROW> {
    /// Room for a path of `length` positions, more on demand.
    pub fn new(features: FeatureSet, biases: &Row<ROW>, length: usize) -> Self {
        let cache = Cache::new(features, biases);
        Accumulators {
            features,
            rows: vec![ByColor([*biases; 2]); length],
            caches: ByColor([cache.clone(), cache]),
        }
    }

    /// The accumulators of `position`, which the last of `steps` led to.
    #[inline]
    pub fn get(
        &mut self,
        weights: &[Row<ROW>],
        steps: &mut [Step],
        position: &Position,
    ) -> &ByColor<Row<ROW>> {
        let top = steps.len() - 1;
        if top >= self.rows.len() {
            let row = self.rows[0];
            self.rows.resize(2 * steps.len(), row);
        }
        for view in Color::ALL {
            self.compute(weights, steps, position, view);
        }
        &self.rows[top]
    }

    fn compute(
        &mut self,
        weights: &[Row<ROW>],
        steps: &mut [Step],
        position: &Position,
        view: Color,
    ) {
        let top = steps.len() - 1;
        let mut first = top;
        while !steps[first].computed[view] {
            if first == 0 || steps[first].changes[view].all || top - first >= MAX_STEPS {
                let cache = self.caches.index_mut(view);
                self.rows[top][view] = *cache.refresh(self.features, weights, position, view);
                steps[top].computed[view] = true;
                return;
            }
            first -= 1;
        }
        let king = features::king_square(position, view);
        for at in first + 1..=top {
            let change = &steps[at].changes[view];
            let indices = |list: &List| {
                let mut indices = [0; 2];
                for (index, &piece) in indices.iter_mut().zip(list.as_slice()) {
                    *index = match self.features {
                        FeatureSet::Kp => usize::from(piece),
                        FeatureSet::HalfKp => king * KINGS + usize::from(piece),
                    };
                }
                (indices, usize::from(list.len))
            };
            let (removed, removed_len) = indices(&change.removed);
            let (added, added_len) = indices(&change.added);
            let (before, after) = self.rows.split_at_mut(at);
            update(
                weights,
                before[at - 1].index(view),
                after[0].index_mut(view),
                &removed[..removed_len],
                &added[..added_len],
            );
            steps[at].computed[view] = true;
        }
    }
}
