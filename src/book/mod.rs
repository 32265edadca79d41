//! Opening books in the `.db` text format of YaneuraOu.
//!
//! | file | what it holds |
//! |---|---|
//! | [`key`] | positions as keys; flipping them |
//! | [`entry`] | one candidate move and its line |
//! | [`format`](mod@format) | reading lines, with tolerance |
//! | [`loaded`] | a book in memory |
//! | [`sorted_file`] | a book searched on the fly in its file |
//! | [`source`] | from `BookFile` and `BookDir` to a book; the embedded one |
//! | [`choose`] | which candidate is played |
//! | [`table`] | a book to change: merging and writing |
//! | [`games`] | the positions of a list of games, for [`make`] |
//! | [`make`] | thinking over positions |
//!
//! A [`Book`] answers one question: which moves does it know here
//! ([`Book::find`])? The position may be listed with another move number, or
//! flipped. [`choose::choose`] makes a move of that, by the options that users of
//! YaneuraOu know (its documentation: "定跡の設定", "思考エンジンオプション").

pub mod choose;
pub mod entry;
pub mod format;
pub mod games;
pub mod key;
pub mod loaded;
pub mod make;
pub mod sorted_file;
pub mod source;
pub mod table;

pub use entry::BookMove;
pub use source::EMBEDDED_NAME;

use loaded::Loaded;
use sorted_file::SortedFile;

/// A book to look positions up in.
#[derive(Debug)]
pub enum Book {
    /// In memory.
    Loaded(Loaded),
    /// In its file.
    OnTheFly(SortedFile),
}

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Query {
    /// Key of the position.
    pub key: String,
    /// Number of the next move, from 1.
    pub ply: u32,
    /// Take the position with any move number; the nearest, if there are several.
    pub any_ply: bool,
    /// Take the flipped position when the position itself is not there. The move
    /// numbers of the two never agree, so that of the flipped one is not compared.
    pub flipped: bool,
}

/// What a book knows of a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The moves, best first; each move once. They may be illegal.
    pub moves: Vec<BookMove>,
    /// The move number in the book; 0 for unknown.
    pub ply: u32,
    /// The position was found flipped (the moves are rotated back).
    pub flipped: bool,
}

impl Book {
    /// The moves of a position. A file that cannot be read holds nothing.
    pub fn find(&self, query: &Query) -> Option<Found> {
        let straight = select(self.entries(&query.key), query.ply, query.any_ply);
        if let Some((ply, moves)) = straight {
            return Some(Found {
                moves,
                ply,
                flipped: false,
            });
        }
        if !query.flipped {
            return None;
        }
        let (ply, mut moves) = select(self.entries(&key::flip(&query.key)), query.ply, true)?;
        for m in &mut moves {
            m.mv = key::flip_move(m.mv);
            m.reply = m.reply.map(key::flip_move);
        }
        Some(Found {
            moves,
            ply,
            flipped: true,
        })
    }

    fn entries(&self, key: &str) -> Vec<(u32, Vec<BookMove>)> {
        match self {
            Book::Loaded(book) => book.find(key),
            Book::OnTheFly(file) => file.find(key).unwrap_or_default(),
        }
    }
}

/// The moves listed with the ply, or an unknown one, or the nearest one.
fn select(
    entries: Vec<(u32, Vec<BookMove>)>,
    ply: u32,
    any_ply: bool,
) -> Option<(u32, Vec<BookMove>)> {
    let distance = |listed: u32| match listed {
        0 => 0,
        _ => listed.abs_diff(ply),
    };
    let nearest = entries
        .iter()
        .map(|entry| entry.0)
        .min_by_key(|&p| distance(p))?;
    if !any_ply && distance(nearest) != 0 {
        return None;
    }
    let mut moves: Vec<BookMove> = Vec::new();
    for (listed, more) in entries {
        // The same position may be listed twice.
        if listed == nearest {
            add(&mut moves, more);
        }
    }
    entry::sort(&mut moves);
    Some((nearest, moves))
}

/// Adds moves; of the same move twice, the deeper search counts.
fn add(moves: &mut Vec<BookMove>, more: Vec<BookMove>) {
    for m in more {
        match moves.iter_mut().find(|known| known.mv == m.mv) {
            Some(known) => known.improve(&m),
            None => moves.push(m),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -";

    fn book(text: &str) -> Book {
        Book::Loaded(Loaded::read(text.as_bytes()).unwrap().0)
    }

    fn query(key: &str) -> Query {
        Query {
            key: key.to_string(),
            ply: 1,
            any_ply: false,
            flipped: false,
        }
    }

    fn first(found: Option<Found>) -> Option<String> {
        Some(found?.moves.first()?.mv.to_string())
    }

    #[test]
    fn the_ply_counts_unless_it_is_ignored() {
        let book = book(&format!(
            "sfen {START} 3\n7g7f\nsfen {START} 9\n2g2f\nsfen {START} 3\n5g5f none 8 9 1\n7g7f none 3 4 1\n"
        ));
        assert_eq!(book.find(&query(START)), None);
        let near = Query {
            any_ply: true,
            ..query(START)
        };
        // Of both entries with the nearest ply.
        let found = book.find(&near).unwrap();
        assert_eq!((found.ply, found.moves.len()), (3, 2));
        assert_eq!(found.moves[0].mv.to_string(), "5g5f");
        assert_eq!(found.moves[1].to_string(), "7g7f none 3 4 1");
        assert_eq!(first(book.find(&Query { ply: 8, ..near })).unwrap(), "2g2f");
        assert_eq!(
            first(book.find(&Query {
                ply: 9,
                ..query(START)
            }))
            .unwrap(),
            "2g2f"
        );
    }

    #[test]
    fn an_unknown_ply_fits_always() {
        let book = book(&format!("sfen {START}\n7g7f\n"));
        assert_eq!(
            first(book.find(&Query {
                ply: 77,
                ..query(START)
            }))
            .unwrap(),
            "7g7f"
        );
    }

    #[test]
    fn flipped_positions_are_found_when_asked_for() {
        let book = book(&format!("sfen {START} 1\n7g7f 3c3d\n"));
        let white = query(&START.replace(" b ", " w "));
        assert_eq!(book.find(&white), None);
        let found = book
            .find(&Query {
                flipped: true,
                ..white
            })
            .unwrap();
        assert!(found.flipped);
        assert_eq!(found.moves[0].to_string(), "3c3d 7g7f");
        let found = book
            .find(&Query {
                flipped: true,
                ..query(START)
            })
            .unwrap();
        assert!(!found.flipped);
    }
}
