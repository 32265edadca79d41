//! The positions of a list of games, as `tsuru book make` takes it.
//!
//! One game or position a line, in the words of USI: `startpos moves 7g7f 3c3d`,
//! `sfen ... moves ...`, a bare sfen; the word `position` may come first. Blank
//! lines and lines that begin with `#` or `//` are skipped, and so are the move
//! lines of a `.db` book, so that a book is a list of positions as well.

use std::collections::HashMap;

use super::format::Damages;
use super::key;
use super::table::with_ply;
use crate::shogi::{Move, Position, Rules};

/// A position of the list.
#[derive(Clone, Debug)]
pub struct Spot {
    /// Key of the position.
    pub key: String,
    /// Number of the next move.
    pub ply: u32,
    /// In how many lines it occurs.
    pub games: u32,
    /// How often each move was played here.
    pub played: HashMap<Move, u32>,
}

impl Spot {
    /// The position itself. Large lists keep only the text of each.
    pub fn position(&self) -> Position {
        let rules = Rules::default();
        // A position's own text can be read.
        Position::from_sfen(&with_ply(&self.key, self.ply), &rules)
            .unwrap_or_else(|_| Position::start(&rules))
    }

    /// The moves that at least this share of the games play here, in per cent, the
    /// most frequent first.
    pub fn usual_moves(&self, percent: u32) -> Vec<Move> {
        let total: u64 = self.played.values().map(|&n| u64::from(n)).sum();
        let mut moves: Vec<(Move, u32)> = self
            .played
            .iter()
            .map(|(&m, &n)| (m, n))
            .filter(|&(_, n)| u64::from(n) * 100 >= total * u64::from(percent))
            .collect();
        moves.sort_by_key(|&(m, n)| (std::cmp::Reverse(n), m.to_string()));
        moves.into_iter().map(|(m, _)| m).collect()
    }
}

/// Reads games and returns their positions up to move number `plies`, those of the
/// most games first; of a damaged line the part that is good.
pub fn positions(text: &str, plies: u32) -> (Vec<Spot>, Damages) {
    let mut spots: HashMap<(String, u32), Spot> = HashMap::new();
    let mut damages = Damages::default();
    for (index, line) in text.lines().enumerate() {
        if let Err(reason) = add_line(line.trim(), plies, &mut spots) {
            damages.add(index + 1, reason);
        }
    }
    let mut spots: Vec<Spot> = spots.into_values().collect();
    spots.sort_by(|a, b| {
        let order = |spot: &Spot| (std::cmp::Reverse(spot.games), spot.ply);
        order(a).cmp(&order(b)).then_with(|| a.key.cmp(&b.key))
    });
    (spots, damages)
}

fn add_line(
    line: &str,
    plies: u32,
    spots: &mut HashMap<(String, u32), Spot>,
) -> Result<(), String> {
    let line = line.strip_prefix('\u{feff}').unwrap_or(line);
    if line.is_empty() || line.starts_with('#') || line.starts_with("//") {
        return Ok(());
    }
    let line = line.strip_prefix("position").unwrap_or(line).trim();
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    if Move::from_usi(first).is_some() {
        return Ok(());
    }
    let (start, moves) = line.split_once("moves").unwrap_or((line, ""));
    let rules = Rules::default();
    let mut position = match start.trim() {
        "startpos" | "" => Position::start(&rules),
        sfen => Position::from_sfen(sfen, &rules).map_err(|error| error.to_string())?,
    };
    let mut moves = moves.split_ascii_whitespace();
    while position.ply() <= plies {
        let spot = spots
            .entry((key::key_of(&position), position.ply()))
            .or_insert_with_key(|(key, ply)| Spot {
                key: key.clone(),
                ply: *ply,
                games: 0,
                played: HashMap::new(),
            });
        spot.games += 1;
        let text = match moves.next() {
            None | Some("resign" | "win") => break,
            Some(text) => text,
        };
        let m = position
            .parse_move(text)
            .map_err(|error| format!("`{text}` is illegal: {error}"))?;
        *spot.played.entry(m).or_default() += 1;
        position.make(m);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_games_are_counted() {
        let text = "# comment\n\nstartpos moves 7g7f 3c3d 2g2f\nposition startpos moves 7g7f 8c8d\r\n\
                    startpos moves 2g2f resign\nlnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -\n\
                    7g7f none 1 2 3\nstartpos moves 7g7f 7g7f\nsfen nonsense\n";
        let (spots, damages) = positions(text, 3);
        assert_eq!(damages.total, 2);
        assert_eq!((damages.first[0].line, damages.first[1].line), (8, 9));
        assert!(
            damages.first[0].reason.starts_with("`7g7f` is illegal: "),
            "{damages:?}"
        );
        // Start; 7g7f, 2g2f; 3c3d, 8c8d. The fourth move is too late.
        assert_eq!(spots.len(), 5);
        assert_eq!((spots[0].games, spots[0].ply), (5, 1));
        assert_eq!(spots[0].played[&Move::from_usi("7g7f").unwrap()], 3);
        assert_eq!((spots[1].games, spots[1].ply), (3, 2));
        assert!(spots.windows(2).all(|pair| pair[0].games >= pair[1].games));
        assert_eq!(positions(text, 0).0.len(), 0);
        let usual = |percent| {
            let moves = spots[0].usual_moves(percent);
            let moves: Vec<String> = moves.iter().map(ToString::to_string).collect();
            moves.join(" ")
        };
        assert_eq!(
            (usual(25), usual(26), usual(76)),
            ("7g7f 2g2f".into(), "7g7f".into(), String::new())
        );
    }
}
