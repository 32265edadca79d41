//! The choices that the rules leave open (the specification's options table).

use super::seat::Seat;

/// Everyone alone, or South and North against West and East.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// All four are enemies.
    #[default]
    Singles,
    /// Opposite seats are partners; a team loses with its first mate.
    Pairs,
}

/// When a game of singles ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// At the second mate.
    #[default]
    Two,
    /// When one player is left.
    Last,
}

/// What becomes of a mated player's pieces on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mated {
    /// The mater owns them.
    #[default]
    Mater,
    /// Nobody owns them; anyone may capture them.
    Unowned,
}

/// The rules of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Singles or pairs.
    pub format: Format,
    /// When singles end.
    pub end: End,
    /// What becomes of a mated player's pieces.
    pub mated: Mated,
    /// The game ends after this many moves of all players together; 0 for
    /// never.
    pub limit: u32,
    /// Who moves first from the initial position.
    pub first: Seat,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            format: Format::default(),
            end: End::default(),
            mated: Mated::default(),
            limit: 0,
            first: Seat::South,
        }
    }
}

impl Rules {
    /// How many mates end the game.
    #[inline]
    pub const fn mates_to_end(&self) -> usize {
        match (self.format, self.end) {
            (Format::Pairs, _) => 1,
            (Format::Singles, End::Two) => 2,
            (Format::Singles, End::Last) => 3,
        }
    }

    /// The partner of a seat, in pairs.
    #[inline]
    pub const fn partner(&self, seat: Seat) -> Option<Seat> {
        match self.format {
            Format::Singles => None,
            Format::Pairs => Some(seat.opposite()),
        }
    }

    /// Whether two seats are the same player or partners.
    #[inline]
    pub fn same_team(&self, a: Seat, b: Seat) -> bool {
        a == b || self.partner(a) == Some(b)
    }
}

/// Why a word is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no {name}: {choices}")]
pub struct RuleError {
    name: String,
    value: String,
    choices: &'static str,
}

/// An option of the rules: its name and its words, the default first.
#[derive(Debug)]
pub struct RuleWords {
    /// The option's name.
    pub name: &'static str,
    /// The words that it takes.
    pub words: &'static [&'static str],
}

/// [`Format`] as an option.
pub const FORMAT: RuleWords = RuleWords {
    name: "Yonin_Format",
    words: &["singles", "pairs"],
};
/// [`End`] as an option.
pub const END: RuleWords = RuleWords {
    name: "Yonin_End",
    words: &["two", "last"],
};
/// [`Mated`] as an option.
pub const MATED: RuleWords = RuleWords {
    name: "Yonin_Mated",
    words: &["mater", "unowned"],
};
/// [`Rules::limit`] as an option, a number.
pub const LIMIT: &str = "Yonin_MoveLimit";
/// [`Rules::first`] as an option.
pub const FIRST: RuleWords = RuleWords {
    name: "Yonin_First",
    words: &["s", "w", "n", "e"],
};

impl Rules {
    /// Sets one rule by its option's name, with or without `Yonin_`, in any case.
    ///
    /// # Errors
    ///
    /// When there is no such rule or word.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), RuleError> {
        let lower = name.to_ascii_lowercase();
        let short = lower.strip_prefix("yonin_").unwrap_or(&lower);
        let error = |choices| RuleError {
            name: short.to_owned(),
            value: value.to_owned(),
            choices,
        };
        match short {
            "format" => {
                self.format = match value {
                    "singles" => Format::Singles,
                    "pairs" => Format::Pairs,
                    _ => return Err(error("singles or pairs")),
                }
            }
            "end" => {
                self.end = match value {
                    "two" => End::Two,
                    "last" => End::Last,
                    _ => return Err(error("two or last")),
                }
            }
            "mated" => {
                self.mated = match value {
                    "mater" => Mated::Mater,
                    "unowned" => Mated::Unowned,
                    _ => return Err(error("mater or unowned")),
                }
            }
            "limit" | "movelimit" => {
                self.limit = value.parse().map_err(|_| error("a number from 0"))?;
            }
            "first" => {
                let mut letters = value.chars();
                let seat = letters.next().and_then(Seat::from_letter);
                self.first = match (seat, letters.next()) {
                    (Some(seat), None) => seat,
                    _ => return Err(error("s, w, n or e")),
                }
            }
            _ => return Err(error("format, end, mated, limit or first")),
        }
        Ok(())
    }

    /// The options' names and words that these rules are.
    pub fn words(&self) -> impl Iterator<Item = (&'static str, String)> {
        [
            (FORMAT.name, FORMAT.words[self.format as usize].to_owned()),
            (END.name, END.words[self.end as usize].to_owned()),
            (MATED.name, MATED.words[self.mated as usize].to_owned()),
            (LIMIT, self.limit.to_string()),
            (FIRST.name, self.first.to_string()),
        ]
        .into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for rules in [
            Rules::default(),
            Rules {
                format: Format::Pairs,
                end: End::Last,
                mated: Mated::Unowned,
                limit: 250,
                first: Seat::East,
            },
        ] {
            let mut read = Rules::default();
            for (name, word) in rules.words() {
                read.set(name, &word).unwrap();
            }
            assert_eq!(read, rules);
        }
        let error = Rules::default().set("Yonin_End", "three").unwrap_err();
        assert_eq!(error.to_string(), "`three` is no end: two or last");
    }
}
