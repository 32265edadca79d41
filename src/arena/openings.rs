//! The positions that games begin with.
//!
//! A file has one opening a line, as a USI position line (`startpos moves ...`,
//! `sfen ...`, `sfen ... moves ...`); empty lines and those that start with `#`
//! are skipped. Every opening is checked by the rules when it is read.

use std::fmt;

use crate::core::zobrist::splitmix64;
use crate::core::{MoveList, files};
use crate::game::{Game, Stage};
use crate::learn::random::Random;
use crate::usi::parse::{Command, parse_line};

/// Where a game begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// The initial position as SFEN; `None` for that of an even game.
    pub sfen: Option<String>,
    /// The moves played from it, in USI notation.
    pub moves: Vec<String>,
}

/// Why a line is no opening.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct OpeningError {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Opening {
    /// The position that the moves lead to.
    pub fn position<G: Game>(&self, rules: &G::Rules) -> Result<G, String> {
        let mut position = match &self.sfen {
            None => G::start(rules),
            Some(sfen) => G::from_sfen(sfen, rules).map_err(|error| error.to_string())?,
        };
        for text in &self.moves {
            let m = position
                .parse_move(text)
                .map_err(|error| format!("{text} is not legal: {error}"))?;
            position.make(m);
        }
        match position.end() {
            Some(end) => Err(format!("the game is over: {end}")),
            None => Ok(position),
        }
    }
}

impl fmt::Display for Opening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.sfen {
            None => f.write_str("startpos")?,
            Some(sfen) => write!(f, "sfen {sfen}")?,
        }
        if !self.moves.is_empty() {
            write!(f, " moves {}", self.moves.join(" "))?;
        }
        Ok(())
    }
}

/// A text for a list of openings that another list would hardly have.
pub fn fingerprint(openings: &[Opening]) -> String {
    let lines = openings.iter().map(|opening| format!("{opening}\n"));
    files::fingerprint(lines.flat_map(String::into_bytes))
}

/// Reads openings, one a line.
pub fn read<G: Game>(text: &str, rules: &G::Rules) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let text = line.strip_prefix("position ").unwrap_or(line);
        let Command::Position(command) = parse_line(format!("position {text}").as_bytes()) else {
            continue;
        };
        let opening = Opening {
            sfen: command.sfen,
            moves: command.moves,
        };
        opening
            .position::<G>(rules)
            .map_err(|message| OpeningError {
                line: index + 1,
                message,
            })?;
        openings.push(opening);
    }
    Ok(openings)
}

/// Openings of random moves from the initial position: for each pair of games the
/// first of many tries in which nobody is in check and that `is_fair` accepts.
pub fn random<G: Game>(
    rules: &G::Rules,
    plies: u32,
    seed: u64,
    count: usize,
    mut is_fair: impl FnMut(&G) -> bool,
) -> Vec<Opening> {
    const TRIES: usize = 200;
    (0..count as u64)
        .map(|number| {
            let mut random = Random::nth(seed, number);
            let mut moves = Vec::new();
            for _ in 0..TRIES {
                let mut position = G::start(rules);
                moves.clear();
                while moves.len() < plies as usize {
                    let mut legal = MoveList::new();
                    position.generate(Stage::All, false, &mut legal);
                    if legal.is_empty() {
                        break;
                    }
                    let m = legal[random.below(legal.len())];
                    moves.push(m.to_string());
                    position.make(m);
                }
                if position.end().is_none() && !position.in_check() && is_fair(&position) {
                    return Opening { sfen: None, moves };
                }
            }
            Opening::default()
        })
        .collect()
}

/// Shuffles in the order that belongs to `seed` (Fisher and Yates).
pub fn shuffle(openings: &mut [Opening], seed: u64) {
    let mut state = seed;
    for last in (1..openings.len()).rev() {
        let random;
        (state, random) = splitmix64(state);
        openings.swap(last, (random % (last as u64 + 1)) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::{Position, Rules};

    #[test]
    fn reads_lines() {
        let text = "# comment\n\nstartpos moves 7g7f 3c3d\r\n\
            position sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\nlnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w -\n";
        let openings = read::<Position>(text, &Rules::default()).unwrap();
        assert_eq!(openings.len(), 3);
        assert_eq!(openings[0].to_string(), "startpos moves 7g7f 3c3d");
        assert_eq!(openings[1].to_string(), "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1");
    }

    #[test]
    fn refuses_what_cannot_be_played() {
        for (text, line) in [
            ("startpos\nstartpos moves 7g7e\n", 2),
            ("openings.txt\n", 1),
            ("\nsfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\n", 2),
        ] {
            let error = read::<Position>(text, &Rules::default()).unwrap_err();
            assert_eq!(error.line, line, "{error}");
        }
    }

    #[test]
    fn random_openings_follow_from_the_seed() {
        let openings = |seed| {
            let fair = |position: &Position| position.ply() == 5;
            random::<Position>(&Rules::default(), 4, seed, 6, fair)
        };
        assert_eq!(openings(1), openings(1));
        assert_ne!(openings(1), openings(2));
        assert_ne!(openings(1)[0], openings(1)[1]);
        for opening in openings(3) {
            let position: Position = opening.position(&Rules::default()).unwrap();
            assert!(!position.checkers().any());
        }
    }

    #[test]
    fn shuffles_by_seed() {
        let openings: Vec<Opening> = (0..50)
            .map(|n| Opening {
                sfen: Some(n.to_string()),
                moves: Vec::new(),
            })
            .collect();
        let shuffled = |seed| {
            let mut copy = openings.clone();
            shuffle(&mut copy, seed);
            copy
        };
        assert_eq!(shuffled(1), shuffled(1));
        assert_ne!(shuffled(1), shuffled(2));
        let mut sorted = shuffled(3);
        assert_ne!(sorted, openings);
        sorted.sort_by_key(|opening| opening.sfen.clone().unwrap().parse::<u32>().unwrap());
        assert_eq!(sorted, openings);
    }
}
