//! Games of four-player shogi: a JSON object a line, as a match writes them and as
//! collections of games have them.
//!
//! ```json
//! {"options": {"format": "singles", "end": "two", "mated": "mater", "limit": 0, "first": "s"},
//!  "start": "2SnGn...", "moves": ["7i8h", ...], "end": "...", "reason": "mates", "places": [1, 4, 3, 2]}
//! ```
//!
//! Options that are not there are those of the reader, and a missing `start` is the
//! initial position. What the game came to is compared with what the rules say:
//! `reason`, `places` (a list from South clockwise, or an object by seat letter) and
//! the last position, `end` or `final`. Anything else is passed over.

use serde_json::{Map, Value};

use crate::yonin::rules::LIMIT;
use crate::yonin::{Position, Rules, Seat};

/// A game that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YoninGame {
    /// The rules that it was played by.
    pub rules: Rules,
    /// The position that it began from; nothing for the initial one.
    pub start: Option<String>,
    /// The moves.
    pub moves: Vec<String>,
    /// The last position, if the record tells it.
    pub end: Option<String>,
    /// Why it ended, if the record tells it; inside, nothing while it went on.
    pub reason: Option<Option<String>>,
    /// The places from South clockwise, if the record tells them; inside, nothing
    /// for a draw.
    pub places: Option<Option<[u64; 4]>>,
}

/// Why a line is no game.
#[derive(Debug, thiserror::Error)]
pub enum YoninGameError {
    /// Not an object of JSON.
    #[error("no game: {0}")]
    Json(serde_json::Error),
    /// An option that the rules do not know, or without such a word.
    #[error("options: {0}")]
    Option(crate::yonin::rules::RuleError),
    /// A member that is something else than it should be.
    #[error("`{name}` is `{found}` instead of {expected}")]
    Member {
        /// The member.
        name: &'static str,
        /// What is there.
        found: String,
        /// What should be there.
        expected: &'static str,
    },
}

/// The rules as the object `options`.
pub fn options(rules: &Rules) -> Map<String, Value> {
    rules
        .words()
        .map(|(name, word)| match name {
            LIMIT => ("limit".to_owned(), Value::from(rules.limit)),
            _ => {
                let short = name.strip_prefix("Yonin_").unwrap_or(name);
                (short.to_ascii_lowercase(), Value::from(word))
            }
        })
        .collect()
}

fn member(
    object: &Map<String, Value>,
    name: &'static str,
    expected: &'static str,
) -> impl Fn() -> YoninGameError {
    let found = object.get(name).map_or_else(String::new, Value::to_string);
    move || YoninGameError::Member {
        name,
        found: found.chars().take(80).collect(),
        expected,
    }
}

impl YoninGame {
    /// Reads a game; `rules` are those that the line does not name.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn parse(line: &str, rules: &Rules) -> Result<YoninGame, YoninGameError> {
        let object: Map<String, Value> =
            serde_json::from_str(line).map_err(YoninGameError::Json)?;
        let mut rules = *rules;
        if let Some(options) = object.get("options") {
            let bad = member(&object, "options", "an object of words and numbers");
            for (name, value) in options.as_object().ok_or_else(&bad)? {
                match value {
                    Value::String(word) => {
                        rules.set(name, word).map_err(YoninGameError::Option)?;
                    }
                    Value::Number(number) => {
                        let word = number.to_string();
                        rules.set(name, &word).map_err(YoninGameError::Option)?;
                    }
                    _ => return Err(bad()),
                }
            }
        }
        let text = |name: &'static str, expected| match object.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(member(&object, name, expected)()),
        };
        let bad = member(&object, "moves", "a list of moves");
        let moves = object
            .get("moves")
            .and_then(Value::as_array)
            .ok_or_else(&bad)?
            .iter()
            .map(|m| m.as_str().map(str::to_owned).ok_or_else(&bad))
            .collect::<Result<_, _>>()?;
        let start = text("start", "a position")?;
        let end = match text("end", "a position")? {
            Some(end) => Some(end),
            None => text("final", "a position")?,
        };
        let reason = match object.get("reason") {
            None => None,
            Some(_) => Some(text("reason", "a word")?),
        };
        let places = match object.get("places") {
            None => None,
            Some(Value::Null) => Some(None),
            Some(value) => {
                let place = |seat: Seat| match value {
                    Value::Array(list) if list.len() == 4 => list[seat.index()].as_u64(),
                    Value::Object(map) => map.get(&seat.to_string())?.as_u64(),
                    _ => None,
                };
                let bad = member(&object, "places", "four places, or null");
                let [s, w, n, e] = Seat::ALL.map(place);
                match (s, w, n, e) {
                    (Some(s), Some(w), Some(n), Some(e)) => Some(Some([s, w, n, e])),
                    _ => return Err(bad()),
                }
            }
        };
        Ok(YoninGame {
            rules,
            start,
            moves,
            end,
            reason,
            places,
        })
    }

    /// Whether the line is meant to be a game of this form.
    pub fn is_one(line: &str) -> bool {
        line.trim_start().starts_with('{')
    }

    /// The game as a `position` line without its first word.
    pub fn line(&self) -> String {
        let start = match &self.start {
            None => "startpos".to_owned(),
            Some(yfen) => format!("yfen {yfen}"),
        };
        format!("{start} moves {}", self.moves.join(" "))
    }

    /// What the record says of the game's end and this position, reached by its
    /// moves, does not bear out: `reason`, `places`, `end`.
    pub fn contradictions(&self, position: &Position) -> Vec<&'static str> {
        let outcome = position.outcome();
        let reason = outcome.map(|outcome| outcome.reason.name());
        let places = outcome.and_then(|outcome| outcome.places);
        let places = places.map(|places| places.0.map(u64::from));
        let yfen = position.yfen();
        let mut found = Vec::new();
        if (self.reason.as_ref()).is_some_and(|told| told.as_deref() != reason) {
            found.push("reason");
        }
        if self.places.is_some_and(|told| told != places) {
            found.push("places");
        }
        if self.end.as_ref().is_some_and(|told| *told != yfen) {
            found.push("end");
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yonin::{End, Format, Mated};

    #[test]
    fn options_are_read_back() {
        let rules = Rules {
            format: Format::Pairs,
            end: End::Last,
            mated: Mated::Unowned,
            limit: 77,
            first: Seat::North,
        };
        let line = serde_json::json!({"options": options(&rules), "moves": ["3a2b"]});
        let game = YoninGame::parse(&line.to_string(), &Rules::default()).unwrap();
        assert_eq!(game.rules, rules);
        assert_eq!(game.line(), "startpos moves 3a2b");
        assert_eq!(line["options"]["limit"], 77);
        assert_eq!(line["options"]["format"], "pairs");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, why) in [
            ("{", "no game: "),
            ("[]", "no game: "),
            ("{}", "`moves` is `` instead of a list of moves"),
            (r#"{"moves": [1]}"#, "`moves` is `[1]`"),
            (
                r#"{"moves": [], "options": {"end": "x"}}"#,
                "options: `x` is no end",
            ),
            (r#"{"moves": [], "options": 1}"#, "`options` is `1`"),
            (r#"{"moves": [], "places": [1, 2]}"#, "`places` is `[1,2]`"),
            (r#"{"moves": [], "start": 5}"#, "`start` is `5`"),
        ] {
            let error = YoninGame::parse(line, &Rules::default()).unwrap_err();
            assert!(error.to_string().starts_with(why), "{line}: {error}");
        }
    }

    #[test]
    fn an_end_is_held_against_the_rules() {
        let line = r#"{"options": {"limit": 1}, "moves": ["7i8h"], "reason": "limit",
            "places": {"s": 1, "w": 1, "n": 1, "e": 1}}"#;
        let mut game = YoninGame::parse(line, &Rules::default()).unwrap();
        let mut position = Position::start(&game.rules);
        let m = position.parse_move("7i8h").unwrap();
        position.make(m);
        assert!(game.contradictions(&position).is_empty());
        game.reason = Some(Some("mates".to_owned()));
        game.places = Some(None);
        game.end = Some("elsewhere".to_owned());
        assert_eq!(game.contradictions(&position), ["reason", "places", "end"]);
    }
}
