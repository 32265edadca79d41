//! Which candidate of the book is played.
//!
//! The filters are those of YaneuraOu's options of the same names, and work one
//! after the other on the legal moves that the book lists: searched deeply enough
//! (`BookDepthLimit`), played often enough (`NarrowBook`), not worse than the side's
//! limit (`BookEvalBlackLimit`, `BookEvalWhiteLimit`), and close to the best of what
//! is left (`BookEvalDiff`). The choice among the rest is random, evenly or by how
//! often each was played (`ConsiderBookMoveCount`). What is not known of a move is
//! not held against it.

use rand::{Rng, RngExt};

use super::{Book, BookMove, Found, Query, key};
use crate::core::Color;
use crate::game::Repetition;
use crate::shogi::{Move, Position};

/// Moves with a smaller share of the count are not narrow play (`NarrowBook`).
const NARROW_SHARE: f64 = 0.1;

/// How the book is used; names and defaults are those of the USI options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BookOptions {
    /// Use the book up to this move of the game (`BookMoves`).
    pub moves: u32,
    /// Per cent of the positions that the book is not used in (`BookIgnoreRate`).
    pub ignore_rate: u32,
    /// Centipawns that a move may be worse than the best one (`BookEvalDiff`).
    pub eval_diff: i32,
    /// Least score of a move, [Black, White] (`BookEvalBlackLimit`,
    /// `BookEvalWhiteLimit`).
    pub eval_limit: [i32; 2],
    /// Least depth of a move, 0 for any (`BookDepthLimit`).
    pub depth_limit: u32,
    /// Length of the line reported (`BookPvMoves`).
    pub pv_moves: usize,
    /// Only moves that are played often (`NarrowBook`).
    pub narrow: bool,
    /// Choose by how often the moves are played (`ConsiderBookMoveCount`).
    pub consider_count: bool,
    /// Find positions with another move number (`IgnoreBookPly`).
    pub ignore_ply: bool,
    /// Find flipped positions (`FlippedBook`).
    pub flipped: bool,
}

impl Default for BookOptions {
    fn default() -> Self {
        BookOptions {
            moves: 16,
            ignore_rate: 0,
            eval_diff: 30,
            eval_limit: [0, -140],
            depth_limit: 16,
            pv_moves: 8,
            narrow: false,
            consider_count: false,
            ignore_ply: false,
            flipped: true,
        }
    }
}

/// A move from the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The move, and what is known of it.
    pub chosen: BookMove,
    /// The candidates that it was chosen from, itself included, best first.
    pub candidates: Vec<BookMove>,
    /// The line: the move, the expected reply, and so on; all legal.
    pub line: Vec<Move>,
}

/// The legal moves that the book has in a position, best first.
pub fn find(book: &Book, position: &Position, options: &BookOptions) -> Option<Found> {
    let mut found = book.find(&Query {
        key: key::key_of(position),
        ply: position.ply(),
        any_ply: options.ignore_ply,
        flipped: options.flipped,
    })?;
    found.moves.retain(|m| position.is_legal(m.mv));
    Some(found)
}

/// Chooses a move for the side to move; `None` when the book has none to play.
pub fn choose(
    book: &Book,
    position: &Position,
    options: &BookOptions,
    rng: &mut impl Rng,
) -> Option<Choice> {
    if position.ply() > options.moves
        || rng.random_range(0..100) < options.ignore_rate
        // A win at hand is better than any book.
        || position.immediate_win().is_some()
    {
        return None;
    }
    let mut candidates = find(book, position, options)?.moves;
    filter(&mut candidates, position.side_to_move(), options);
    let chosen = *pick(&candidates, options.consider_count, rng)?;
    // The ponder move is the second one, however short the line shown.
    let line = line(book, position, &chosen, options);
    Some(Choice {
        chosen,
        candidates,
        line,
    })
}

/// Leaves the moves that the options allow.
pub fn filter(moves: &mut Vec<BookMove>, side: Color, options: &BookOptions) {
    moves.retain(|m| m.depth.is_none_or(|depth| depth >= options.depth_limit));
    if options.narrow {
        let total: u64 = moves.iter().map(|m| u64::from(m.count)).sum();
        let most = moves.iter().map(|m| m.count).max().unwrap_or(0);
        // Where everything is rare, the most frequent moves stay.
        moves.retain(|m| m.count == most || f64::from(m.count) >= NARROW_SHARE * total as f64);
    }
    let at_least = |moves: &mut Vec<BookMove>, limit: i32| {
        moves.retain(|m| m.eval.is_none_or(|eval| eval >= limit));
    };
    at_least(moves, options.eval_limit[side.index()]);
    if let Some(best) = moves.iter().filter_map(|m| m.eval).max() {
        at_least(moves, best - options.eval_diff);
    }
}

fn pick<'a>(moves: &'a [BookMove], by_count: bool, rng: &mut impl Rng) -> Option<&'a BookMove> {
    let weight = |m: &BookMove| if by_count { u64::from(m.count) } else { 1 };
    let total: u64 = moves.iter().map(weight).sum();
    if total == 0 {
        // None of them was ever played: evenly.
        return (!moves.is_empty()).then(|| &moves[rng.random_range(0..moves.len())]);
    }
    let mut number = rng.random_range(0..total);
    moves.iter().find(|m| match number.checked_sub(weight(m)) {
        Some(rest) => {
            number = rest;
            false
        }
        None => true,
    })
}

/// The line that begins with a candidate, as far as the book goes, and of two
/// moves at least if a reply is known.
fn line(book: &Book, position: &Position, first: &BookMove, options: &BookOptions) -> Vec<Move> {
    let mut position = position.clone();
    let mut line = vec![first.mv];
    let mut reply = first.reply;
    position.make(first.mv);
    while line.len() < options.pv_moves.max(2) && position.repetition() == Repetition::None {
        let (next, after) = match reply.filter(|&m| position.is_legal(m)) {
            Some(m) => (m, None),
            None => {
                let Some(found) = find(book, &position, options) else {
                    break;
                };
                let Some(best) = found.moves.first() else {
                    break;
                };
                (best.mv, best.reply)
            }
        };
        line.push(next);
        reply = after;
        position.make(next);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::loaded::Loaded;
    use crate::shogi::Rules;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use std::collections::BTreeMap;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

    fn book(text: &str) -> Book {
        Book::Loaded(Loaded::read(text.as_bytes()).unwrap().0)
    }

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen, &Rules::default()).unwrap()
    }

    /// How often each move is chosen in 400 tries, from the start position.
    fn choices(moves: &str, options: &BookOptions) -> BTreeMap<String, u32> {
        let book = book(&format!("sfen {START}\n{moves}"));
        let mut rng = StdRng::seed_from_u64(1);
        let mut counts = BTreeMap::new();
        for _ in 0..400 {
            if let Some(choice) = choose(&book, &position(START), options, &mut rng) {
                *counts.entry(choice.chosen.mv.to_string()).or_default() += 1;
            }
        }
        counts
    }

    fn names(moves: &str, options: &BookOptions) -> Vec<String> {
        choices(moves, options).into_keys().collect()
    }

    const MOVES: &str = "7g7f none 50 20 60\n2g2f none 40 20 30\n5g5f none 10 20 9\n\
                         1g1f none 49 10 1\n7g7e none 90 30 99\n";

    #[test]
    fn the_defaults() {
        // Not the illegal one, not the shallow one, not the bad one.
        assert_eq!(names(MOVES, &BookOptions::default()), ["2g2f", "7g7f"]);
        let counts = choices(MOVES, &BookOptions::default());
        assert!(
            counts.values().all(|&count| (160..240).contains(&count)),
            "{counts:?}"
        );
    }

    #[test]
    fn each_option_has_its_effect() {
        let default = BookOptions::default;
        let options = BookOptions {
            eval_diff: 0,
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["7g7f"]);
        let options = BookOptions {
            eval_diff: 40,
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["2g2f", "5g5f", "7g7f"]);
        let options = BookOptions {
            depth_limit: 0,
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["1g1f", "2g2f", "7g7f"]);
        let options = BookOptions {
            depth_limit: 21,
            ..default()
        };
        assert!(names(MOVES, &options).is_empty());
        let options = BookOptions {
            eval_limit: [45, 0],
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["7g7f"]);
        let options = BookOptions {
            eval_limit: [0, 500],
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["2g2f", "7g7f"]);
        let options = BookOptions {
            moves: 0,
            ..default()
        };
        assert!(names(MOVES, &options).is_empty());
        let options = BookOptions {
            ignore_rate: 100,
            ..default()
        };
        assert!(names(MOVES, &options).is_empty());
        let options = BookOptions {
            ignore_rate: 50,
            ..default()
        };
        let chosen: u32 = choices(MOVES, &options).values().sum();
        assert!((150..250).contains(&chosen), "{chosen}");
        let options = BookOptions {
            narrow: true,
            eval_diff: 1000,
            depth_limit: 0,
            ..default()
        };
        assert_eq!(names(MOVES, &options), ["2g2f", "7g7f"]);
        let options = BookOptions {
            consider_count: true,
            ..default()
        };
        let counts = choices(MOVES, &options);
        assert!((230..300).contains(&counts["7g7f"]), "{counts:?}");
    }

    #[test]
    fn what_is_unknown_is_no_fault() {
        let options = BookOptions {
            narrow: true,
            consider_count: true,
            ..BookOptions::default()
        };
        assert_eq!(names("7g7f\n2g2f none -500\n", &options), ["7g7f"]);
        assert_eq!(names("7g7f\n2g2f\n", &options).len(), 2);
        // Never played, all of them.
        assert_eq!(
            names("7g7f none 5 20 0\n2g2f none 5 20 0\n", &options).len(),
            2
        );
    }

    #[test]
    fn the_line_follows_the_book() {
        let key = |moves: &[&str]| {
            let mut position = position(START);
            for text in moves {
                position.make(Move::from_usi(text).unwrap());
            }
            position.sfen()
        };
        let text = format!(
            "sfen {START}\n7g7f 3c3d 50 20 1\nsfen {}\n2g2f 2g2f 5 20 1\nsfen {}\n8c8d 2f2e 0 1 1\n",
            key(&["7g7f", "3c3d"]),
            key(&["7g7f", "3c3d", "2g2f"]),
        );
        let book = book(&text);
        let mut rng = StdRng::seed_from_u64(1);
        for (pv_moves, expected) in [
            (1, "7g7f 3c3d"),
            (3, "7g7f 3c3d 2g2f"),
            (8, "7g7f 3c3d 2g2f 8c8d 2f2e"),
        ] {
            let options = BookOptions {
                pv_moves,
                ..BookOptions::default()
            };
            let choice = choose(&book, &position(START), &options, &mut rng).unwrap();
            let line: Vec<String> = choice.line.iter().map(ToString::to_string).collect();
            assert_eq!(line.join(" "), expected);
        }
    }

    #[test]
    fn a_declared_win_comes_first() {
        let sfen = "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1";
        let book = book(&format!("sfen {sfen}\n5a4b none 500 20 1\n"));
        let mut rng = StdRng::seed_from_u64(1);
        let options = BookOptions::default();
        assert_eq!(choose(&book, &position(sfen), &options, &mut rng), None);
    }
}
