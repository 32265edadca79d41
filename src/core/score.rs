//! Scores: centipawns from the side to move's view, and mates counted in plies.

use std::fmt;

/// A score in centipawns, from the view of the side to move.
pub type Score = i32;

/// The deepest that a search may go, in plies from the root.
pub const MAX_PLY: usize = 246;

/// The score of having mated: `MATE - n` is a mate in `n` plies.
pub const MATE: Score = 32_000;

/// Above every score.
pub const INFINITE: Score = 32_001;

/// No score (a table entry without an evaluation, say).
pub const NONE: Score = 32_002;

/// The smallest score that means "a mate was found".
pub const MATE_IN_MAX_PLY: Score = MATE - MAX_PLY as Score;

/// The largest absolute value of an evaluation.
pub const EVAL_MAX: Score = MATE_IN_MAX_PLY - 1;

/// A draw.
pub const DRAW: Score = 0;

/// The score of mating `plies` from the root.
#[inline]
pub const fn mate_in(plies: usize) -> Score {
    MATE - plies as Score
}

/// The score of being mated `plies` from the root.
#[inline]
pub const fn mated_in(plies: usize) -> Score {
    -MATE + plies as Score
}

/// Whether a score stands for a mate, won or lost.
#[inline]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE_IN_MAX_PLY
}

/// From "plies from the root" to "plies from this node", for the transposition
/// table, where one entry serves nodes at different heights.
#[inline]
pub const fn to_table(score: Score, ply: usize) -> Score {
    if score >= MATE_IN_MAX_PLY {
        score + ply as Score
    } else if score <= -MATE_IN_MAX_PLY {
        score - ply as Score
    } else {
        score
    }
}

/// The inverse of [`to_table`].
#[inline]
pub const fn from_table(score: Score, ply: usize) -> Score {
    if score >= MATE_IN_MAX_PLY {
        score - ply as Score
    } else if score <= -MATE_IN_MAX_PLY {
        score + ply as Score
    } else {
        score
    }
}

/// Prints a score as USI does: `cp 35`, `mate 7`, `mate -6`.
///
/// Mates are counted in plies. GUIs misread a mate of zero plies, so a side
/// that is mated already prints as `mate -1`.
pub struct Usi(pub Score);

impl fmt::Display for Usi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let score = self.0;
        if score >= MATE_IN_MAX_PLY {
            write!(f, "mate {}", (MATE - score).max(1))
        } else if score <= -MATE_IN_MAX_PLY {
            write!(f, "mate -{}", (MATE + score).max(1))
        } else {
            write!(f, "cp {score}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_mates_in_plies() {
        assert_eq!(Usi(mate_in(7)).to_string(), "mate 7");
        assert_eq!(Usi(mated_in(6)).to_string(), "mate -6");
        assert_eq!(Usi(mated_in(0)).to_string(), "mate -1");
        assert_eq!(Usi(-35).to_string(), "cp -35");
    }

    #[test]
    fn table_scores_are_relative_to_the_node() {
        for score in [mate_in(9), mated_in(8), 120, DRAW] {
            assert_eq!(from_table(to_table(score, 4), 4), score);
        }
        assert_eq!(to_table(mate_in(9), 4), mate_in(5));
    }
}
