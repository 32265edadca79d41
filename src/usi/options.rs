//! The engine's options: one table of names, types, defaults and ranges, and the
//! values that the GUI has set.
//!
//! Names and defaults are those that users of shogi engines know (将棋所, "USI
//! プロトコル", and YaneuraOu's documentation, "思考エンジンオプション"), so that habits
//! and the presets of GUIs keep working. Setting is forgiving: names and the words
//! of combos in any case, `on` and `1` for true, numbers out of range brought into
//! it. A value that means nothing leaves the old one, with a warning.
//!
//! [`Options`] only stores. [`Options::search`] and [`Options::rules`] hand the
//! values on in the form that the search and the games take.

use std::fmt;

use super::evaluation::{INTERNAL, WORDS as EVALUATIONS};
use super::parse::parse_number;
use crate::book::EMBEDDED_NAME;
use crate::book::choose::BookOptions;
use crate::eval::nnue::DEFAULT_FV_SCALE;
use crate::search::limits::SearchOptions;
use crate::search::skill;
use crate::shogi::{EnteringKingRule, Variant};
use crate::wa;
use crate::yonin;
use crate::yonin::rules::RuleWords;

/// The options, as indices of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Id {
    /// Size of the transposition table, MB.
    Hash,
    /// A switch for the GUI: whether it sends `go ponder`.
    Ponder,
    /// Search the position before the predicted move while pondering.
    StochasticPonder,
    /// Search threads.
    Threads,
    /// Lines to search.
    MultiPv,
    /// The rules.
    Variant,
    /// When a king that has entered wins.
    EnteringKingRule,
    /// Plies after which the game is drawn.
    MaxMovesToDraw,
    /// Wa shogi: captured pieces may be dropped.
    WaDrops,
    /// Four-player shogi: singles or pairs.
    YoninFormat,
    /// Four-player shogi: when singles end.
    YoninEnd,
    /// Four-player shogi: what becomes of a mated player's pieces.
    YoninMated,
    /// Four-player shogi: the game ends after this many moves.
    YoninMoveLimit,
    /// Four-player shogi: who moves first.
    YoninFirst,
    /// Value of a draw when Black is to move at the root.
    DrawValueBlack,
    /// Value of a draw when White is to move at the root.
    DrawValueWhite,
    /// Resign at minus this score.
    ResignValue,
    /// Average delay, ms.
    NetworkDelay,
    /// Worst delay, ms.
    NetworkDelay2,
    /// Least time a move, ms.
    MinimumThinkingTime,
    /// Per cent of the usual time.
    SlowMover,
    /// The clock counts whole seconds.
    RoundUpToFullSecond,
    /// Least gap between reports, ms.
    PvInterval,
    /// Analysis instead of play.
    ConsiderationMode,
    /// Report bounds as well as exact scores.
    OutputFailLhPv,
    /// Search useless non-promotions.
    GenerateAllLegalMoves,
    /// Depth limit of every search.
    DepthLimit,
    /// Node limit of every search.
    NodesLimit,
    /// Nodes of the mate solver before every search.
    RootMateNodes,
    /// Strength, 20 for full.
    SkillLevel,
    /// Play at `Strength`.
    LimitStrength,
    /// Strength in points.
    Strength,
    /// By hand or by a network.
    Evaluation,
    /// Folder of the network's file.
    EvalDir,
    /// File of the network.
    EvalFile,
    /// What the network's output is divided by.
    FvScale,
    /// Play from the book.
    OwnBook,
    /// File of the book.
    BookFile,
    /// Folder of the book.
    BookDir,
    /// Use the book up to this move.
    BookMoves,
    /// Per cent of the positions that the book is not used in.
    BookIgnoreRate,
    /// Centipawns that a book move may be worse than the best.
    BookEvalDiff,
    /// Least score of a book move of Black.
    BookEvalBlackLimit,
    /// Least score of a book move of White.
    BookEvalWhiteLimit,
    /// Least depth of a book move.
    BookDepthLimit,
    /// Search the book in its file.
    BookOnTheFly,
    /// Length of the line reported with a book move.
    BookPvMoves,
    /// Only book moves that are played often.
    NarrowBook,
    /// Choose book moves by how often they are played.
    ConsiderBookMoveCount,
    /// Find positions with another move number.
    IgnoreBookPly,
    /// Find flipped positions.
    FlippedBook,
    /// File that the dialogue is written to.
    DebugLogFile,
    /// Empties the transposition table.
    ClearHash,
}

/// The word of `USI_Variant` for four-player shogi.
pub(super) const YONIN: &str = "yonin";

/// The words of `USI_Variant`.
const VARIANTS: [&str; 4] = [
    Variant::Standard.word(),
    Variant::KingCapture.word(),
    wa::Rules::WORD,
    YONIN,
];

/// Other words that are understood as the value of a combo.
fn synonym(text: &str) -> &str {
    let aliases = &wa::Rules::ALIASES;
    match aliases.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        true => wa::Rules::WORD,
        false => text,
    }
}

/// Type and range of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Check {
        default: bool,
    },
    Spin {
        default: i64,
        min: i64,
        max: i64,
    },
    Combo {
        default: &'static str,
        vars: &'static [&'static str],
    },
    /// A path. GUIs offer to choose a file; a word can be typed as well.
    Filename {
        default: &'static str,
    },
    /// Any text.
    Text {
        default: &'static str,
    },
    Button,
}

/// One row of the table.
#[derive(Debug)]
struct Definition {
    id: Id,
    name: &'static str,
    /// Other names that GUIs send for it.
    aliases: &'static [&'static str],
    kind: Kind,
}

impl fmt::Display for Definition {
    /// The `option` line that declares it. An empty default is written
    /// `<empty>`, because some GUIs stumble over nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "option name {} type ", self.name)?;
        match self.kind {
            Kind::Check { default } => write!(f, "check default {default}"),
            Kind::Spin { default, min, max } => {
                write!(f, "spin default {default} min {min} max {max}")
            }
            Kind::Combo { default, vars } => {
                write!(f, "combo default {default}")?;
                vars.iter().try_for_each(|var| write!(f, " var {var}"))
            }
            Kind::Filename { default } => write!(f, "filename default {}", or_empty(default)),
            Kind::Text { default } => write!(f, "string default {}", or_empty(default)),
            Kind::Button => f.write_str("button"),
        }
    }
}

/// How the protocol writes a text that may be empty.
fn or_empty(text: &str) -> &str {
    if text.is_empty() { "<empty>" } else { text }
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Check(bool),
    Spin(i64),
    Combo(&'static str),
    Text(String),
    Button,
}

/// The rules that the options choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOptions {
    /// Word of `USI_Variant`.
    pub variant: &'static str,
    /// Word of `EnteringKingRule`.
    pub entering_king: &'static str,
    /// Plies after which the game is drawn, 0 for no limit; `None` is what the
    /// variant says.
    pub max_moves: Option<u32>,
    /// Wa shogi is played with drops.
    pub wa_drops: bool,
    /// The rules of four-player shogi.
    pub yonin: yonin::Rules,
}

/// Why a value was not taken as it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown option \"{0}\"")]
    UnknownName(String),
    /// The value is of another type, or none of the choices; the old one stays.
    #[error("option {name} cannot be \"{value}\", it stays {old}")]
    BadValue {
        /// Name as declared.
        name: &'static str,
        /// What was sent.
        value: String,
        /// The value that stays.
        old: String,
    },
}

/// A value that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The option.
    pub id: Id,
    /// What the user should know: the number was brought into its range.
    pub note: Option<String>,
}

/// All options with their values.
#[derive(Debug)]
pub struct Options {
    table: Vec<Definition>,
    /// Set by the GUI; `None` is the default.
    values: Vec<Option<Value>>,
}

/// Half of the cores, at most 4: a GUI, an opponent and a phone's battery want
/// something, too.
fn default_threads() -> i64 {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / 2).clamp(1, 4) as i64
}

#[rustfmt::skip]
fn table() -> Vec<Definition> {
    let search = SearchOptions::default();
    let book = BookOptions::default();
    let check = |default| Kind::Check { default };
    let spin = |default, min, max| Kind::Spin { default, min, max };
    let row = |id, name, kind| Definition { id, name, aliases: &[], kind };
    // A rule of four-player shogi: its first word is the default.
    let words = |id, rule: &'static RuleWords| {
        let vars = rule.words;
        row(id, rule.name, Kind::Combo { default: vars[0], vars })
    };
    // In the order of `Id`, which a test checks.
    vec![
        Definition { aliases: &["Hash"], ..row(Id::Hash, "USI_Hash", spin(128, 1, 1 << 20)) },
        Definition { aliases: &["Ponder"], ..row(Id::Ponder, "USI_Ponder", check(false)) },
        row(Id::StochasticPonder, "Stochastic_Ponder", check(false)),
        Definition {
            aliases: &["NumberOfThreads", "USI_Threads"],
            ..row(Id::Threads, "Threads", spin(default_threads(), 1, 512))
        },
        Definition { aliases: &["USI_MultiPV"], ..row(Id::MultiPv, "MultiPV", spin(1, 1, 600)) },
        Definition {
            aliases: &["UCI_Variant"],
            ..row(Id::Variant, "USI_Variant", Kind::Combo {
                default: Variant::Standard.word(),
                vars: &VARIANTS,
            })
        },
        row(Id::EnteringKingRule, "EnteringKingRule", Kind::Combo {
            default: "CSARule27",
            vars: &EnteringKingRule::WORDS,
        }),
        row(Id::MaxMovesToDraw, "MaxMovesToDraw", spin(0, 0, 100_000)),
        row(Id::WaDrops, "WaDrops", check(wa::Rules::default().drops)),
        words(Id::YoninFormat, &yonin::rules::FORMAT),
        words(Id::YoninEnd, &yonin::rules::END),
        words(Id::YoninMated, &yonin::rules::MATED),
        row(Id::YoninMoveLimit, yonin::rules::LIMIT, spin(0, 0, 100_000)),
        words(Id::YoninFirst, &yonin::rules::FIRST),
        row(Id::DrawValueBlack, "DrawValueBlack",
            spin(search.draw_value[0].into(), -30_000, 30_000)),
        row(Id::DrawValueWhite, "DrawValueWhite",
            spin(search.draw_value[1].into(), -30_000, 30_000)),
        row(Id::ResignValue, "ResignValue", spin(search.resign_value.into(), 0, 99_999)),
        row(Id::NetworkDelay, "NetworkDelay", spin(search.network_delay as i64, 0, 10_000)),
        row(Id::NetworkDelay2, "NetworkDelay2", spin(search.network_delay2 as i64, 0, 10_000)),
        row(Id::MinimumThinkingTime, "MinimumThinkingTime",
            spin(search.minimum_thinking_time as i64, 1, 100_000)),
        row(Id::SlowMover, "SlowMover", spin(search.slow_mover as i64, 1, 1000)),
        row(Id::RoundUpToFullSecond, "RoundUpToFullSecond",
            check(search.round_up_to_full_second)),
        row(Id::PvInterval, "PvInterval", spin(search.pv_interval as i64, 0, 100_000)),
        row(Id::ConsiderationMode, "ConsiderationMode", check(search.consideration_mode)),
        row(Id::OutputFailLhPv, "OutputFailLHPV", check(search.output_fail_lh_pv)),
        row(Id::GenerateAllLegalMoves, "GenerateAllLegalMoves",
            check(search.generate_all_legal_moves)),
        row(Id::DepthLimit, "DepthLimit", spin(0, 0, i32::MAX.into())),
        row(Id::NodesLimit, "NodesLimit", spin(0, 0, i64::MAX)),
        row(Id::RootMateNodes, "RootMateSearchNodesLimit",
            spin(search.root_mate_nodes as i64, 0, i64::MAX)),
        row(Id::SkillLevel, "SkillLevel", spin(search.skill_level as i64, 0, skill::FULL as i64)),
        row(Id::LimitStrength, "USI_LimitStrength", check(false)),
        row(Id::Strength, "USI_Strength", spin(1600, skill::STRENGTHS.0, skill::STRENGTHS.1)),
        row(Id::Evaluation, "Evaluation", Kind::Combo {
            default: EVALUATIONS[0],
            vars: &EVALUATIONS,
        }),
        row(Id::EvalDir, "EvalDir", Kind::Text { default: INTERNAL }),
        row(Id::EvalFile, "EvalFile", Kind::Filename { default: "" }),
        row(Id::FvScale, "FV_SCALE", spin(DEFAULT_FV_SCALE.into(), 1, 128)),
        Definition { aliases: &["OwnBook"], ..row(Id::OwnBook, "USI_OwnBook", check(true)) },
        // YaneuraOu has a choice of names here. A path says more, and its names
        // and `no_book` are taken as well.
        row(Id::BookFile, "BookFile", Kind::Filename { default: EMBEDDED_NAME }),
        row(Id::BookDir, "BookDir", Kind::Text { default: "book" }),
        row(Id::BookMoves, "BookMoves", spin(book.moves.into(), 0, 10_000)),
        row(Id::BookIgnoreRate, "BookIgnoreRate", spin(book.ignore_rate.into(), 0, 100)),
        row(Id::BookEvalDiff, "BookEvalDiff", spin(book.eval_diff.into(), 0, 99_999)),
        row(Id::BookEvalBlackLimit, "BookEvalBlackLimit",
            spin(book.eval_limit[0].into(), -99_999, 99_999)),
        row(Id::BookEvalWhiteLimit, "BookEvalWhiteLimit",
            spin(book.eval_limit[1].into(), -99_999, 99_999)),
        row(Id::BookDepthLimit, "BookDepthLimit", spin(book.depth_limit.into(), 0, 99_999)),
        row(Id::BookOnTheFly, "BookOnTheFly", check(false)),
        row(Id::BookPvMoves, "BookPvMoves", spin(book.pv_moves as i64, 1, 246)),
        row(Id::NarrowBook, "NarrowBook", check(book.narrow)),
        row(Id::ConsiderBookMoveCount, "ConsiderBookMoveCount", check(book.consider_count)),
        row(Id::IgnoreBookPly, "IgnoreBookPly", check(book.ignore_ply)),
        row(Id::FlippedBook, "FlippedBook", check(book.flipped)),
        row(Id::DebugLogFile, "DebugLogFile", Kind::Filename { default: "" }),
        Definition { aliases: &["ClearHash"], ..row(Id::ClearHash, "Clear_Hash", Kind::Button) },
    ]
}

impl Default for Options {
    fn default() -> Self {
        let table = table();
        let values = table.iter().map(|_| None).collect();
        Options { table, values }
    }
}

impl Options {
    /// The lines that declare the options.
    pub fn declarations(&self) -> impl Iterator<Item = String> + '_ {
        self.table.iter().map(Definition::to_string)
    }

    /// Sets an option as a `setoption` line asks for it. A button is only
    /// recognised; pressing it is up to the caller.
    pub fn set(&mut self, name: &str, value: Option<&str>) -> Result<Change, OptionError> {
        let Some(row) = self.row(name) else {
            return Err(OptionError::UnknownName(printable(name)));
        };
        let (id, name, kind) = (row.id, row.name, row.kind);
        let text = value.unwrap_or_default().trim();
        let mut note = None;
        let new = match kind {
            Kind::Check { .. } => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "1" | "yes" => Some(Value::Check(true)),
                "false" | "off" | "0" | "no" => Some(Value::Check(false)),
                _ => None,
            },
            Kind::Spin { min, max, .. } => parse_number(text).map(|number| {
                let clamped = number.clamp(min, max);
                if clamped != number {
                    note = Some(format!("option {name} takes {min} to {max}: {clamped}"));
                }
                Value::Spin(clamped)
            }),
            Kind::Combo { vars, .. } => vars
                .iter()
                .find(|var| var.eq_ignore_ascii_case(synonym(text)))
                .map(|var| Value::Combo(var)),
            Kind::Filename { .. } | Kind::Text { .. } => Some(Value::Text(match text {
                "<empty>" => String::new(),
                _ => text.to_string(),
            })),
            Kind::Button => Some(Value::Button),
        };
        match new {
            Some(new) => {
                self.values[id as usize] = Some(new);
                Ok(Change { id, note })
            }
            None => Err(OptionError::BadValue {
                name,
                value: printable(text),
                old: self.text(id),
            }),
        }
    }

    /// The declared name of an option and its value as text; `None` for an
    /// unknown name.
    pub fn get(&self, name: &str) -> Option<(&'static str, String)> {
        self.row(name).map(|row| (row.name, self.text(row.id)))
    }

    fn row(&self, name: &str) -> Option<&Definition> {
        self.table.iter().find(|row| {
            std::iter::once(&row.name)
                .chain(row.aliases)
                .any(|known| known.eq_ignore_ascii_case(name))
        })
    }

    fn value(&self, id: Id) -> Value {
        let default = || match self.table[id as usize].kind {
            Kind::Check { default } => Value::Check(default),
            Kind::Spin { default, .. } => Value::Spin(default),
            Kind::Combo { default, .. } => Value::Combo(default),
            Kind::Filename { default } | Kind::Text { default } => Value::Text(default.to_string()),
            Kind::Button => Value::Button,
        };
        self.values[id as usize].clone().unwrap_or_else(default)
    }

    fn text(&self, id: Id) -> String {
        match self.value(id) {
            Value::Check(on) => on.to_string(),
            Value::Spin(number) => number.to_string(),
            Value::Combo(word) => word.to_string(),
            Value::Text(text) => or_empty(&text).to_string(),
            Value::Button => "(button)".to_string(),
        }
    }

    /// Whether a check option is on; false for other types.
    pub fn check(&self, id: Id) -> bool {
        self.value(id) == Value::Check(true)
    }

    /// The number of a spin option; 0 for other types.
    pub fn spin(&self, id: Id) -> i64 {
        match self.value(id) {
            Value::Spin(number) => number,
            _ => 0,
        }
    }

    /// The word of a combo option; empty for other types.
    pub fn combo(&self, id: Id) -> &'static str {
        match self.value(id) {
            Value::Combo(word) => word,
            _ => "",
        }
    }

    /// The text of a filename or string option; empty for other types.
    pub fn string(&self, id: Id) -> String {
        match self.value(id) {
            Value::Text(text) => text,
            _ => String::new(),
        }
    }

    /// What concerns the rules.
    pub fn rules(&self) -> RuleOptions {
        let is_set = self.values[Id::MaxMovesToDraw as usize].is_some();
        let mut yonin = yonin::Rules::default();
        for id in [
            Id::YoninFormat,
            Id::YoninEnd,
            Id::YoninMated,
            Id::YoninMoveLimit,
            Id::YoninFirst,
        ] {
            // The words are those of the rules; a test reads them all.
            let _ = yonin.set(self.table[id as usize].name, &self.text(id));
        }
        RuleOptions {
            variant: self.combo(Id::Variant),
            entering_king: self.combo(Id::EnteringKingRule),
            max_moves: is_set.then(|| self.spin(Id::MaxMovesToDraw) as u32),
            wa_drops: self.check(Id::WaDrops),
            yonin,
        }
    }

    /// What concerns the choice of a book move.
    pub fn book(&self) -> BookOptions {
        BookOptions {
            moves: self.spin(Id::BookMoves) as u32,
            ignore_rate: self.spin(Id::BookIgnoreRate) as u32,
            eval_diff: self.spin(Id::BookEvalDiff) as i32,
            eval_limit: [
                self.spin(Id::BookEvalBlackLimit) as i32,
                self.spin(Id::BookEvalWhiteLimit) as i32,
            ],
            depth_limit: self.spin(Id::BookDepthLimit) as u32,
            pv_moves: self.spin(Id::BookPvMoves) as usize,
            narrow: self.check(Id::NarrowBook),
            consider_count: self.check(Id::ConsiderBookMoveCount),
            ignore_ply: self.check(Id::IgnoreBookPly),
            flipped: self.check(Id::FlippedBook),
        }
    }

    /// What concerns the search.
    pub fn search(&self) -> SearchOptions {
        SearchOptions {
            multi_pv: self.spin(Id::MultiPv) as usize,
            draw_value: [
                self.spin(Id::DrawValueBlack) as i32,
                self.spin(Id::DrawValueWhite) as i32,
            ],
            resign_value: self.spin(Id::ResignValue) as i32,
            network_delay: self.spin(Id::NetworkDelay) as u64,
            network_delay2: self.spin(Id::NetworkDelay2) as u64,
            minimum_thinking_time: self.spin(Id::MinimumThinkingTime) as u64,
            slow_mover: self.spin(Id::SlowMover) as u64,
            round_up_to_full_second: self.check(Id::RoundUpToFullSecond),
            pv_interval: self.spin(Id::PvInterval) as u64,
            output_fail_lh_pv: self.check(Id::OutputFailLhPv),
            consideration_mode: self.check(Id::ConsiderationMode),
            generate_all_legal_moves: self.check(Id::GenerateAllLegalMoves),
            depth_limit: self.spin(Id::DepthLimit) as u32,
            nodes_limit: self.spin(Id::NodesLimit) as u64,
            root_mate_nodes: self.spin(Id::RootMateNodes) as u64,
            skill_level: if self.check(Id::LimitStrength) {
                skill::level_of_strength(self.spin(Id::Strength))
            } else {
                self.spin(Id::SkillLevel) as f64
            },
        }
    }
}

/// A text from outside, short and without control characters, for an answer.
pub(super) fn printable(text: &str) -> String {
    let mut short: String = text
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .take(60)
        .collect();
    if text.chars().nth(60).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_in_the_order_of_ids() {
        for (i, row) in table().iter().enumerate() {
            assert_eq!(row.id as usize, i, "{}", row.name);
        }
    }

    #[test]
    fn declarations_are_what_guis_parse() {
        let options = Options::default();
        for line in options.declarations() {
            assert!(line.is_ascii() && !line.contains("  "), "{line}");
            let words: Vec<&str> = line.split(' ').collect();
            assert_eq!((words[0], words[1], words[3]), ("option", "name", "type"));
            if let Some(i) = words.iter().position(|w| *w == "default") {
                assert!(words.len() > i + 1, "{line}");
                if words[4] == "spin" {
                    // MyShogi reads the default as 32 bits.
                    words[i + 1].parse::<i32>().unwrap();
                }
            }
        }
        let lines: Vec<String> = options.declarations().collect();
        assert!(lines.contains(&"option name Clear_Hash type button".to_string()));
        assert!(
            lines.contains(
                &"option name USI_Variant type combo default shogi var shogi var kingcapture var washogi var yonin"
                    .to_string()
            )
        );
        for line in [
            "option name BookFile type filename default tsuru_book.db",
            "option name BookDir type string default book",
            "option name DebugLogFile type filename default <empty>",
        ] {
            assert!(lines.contains(&line.to_string()), "{line}");
        }
        assert!(lines.contains(&"option name USI_Ponder type check default false".to_string()));
    }

    #[test]
    fn defaults_are_those_of_the_search() {
        let ours = Options::default().search();
        assert_eq!(
            format!("{ours:?}"),
            format!("{:?}", SearchOptions::default())
        );
        assert_eq!(Options::default().book(), BookOptions::default());
    }

    #[test]
    fn names_and_values_are_taken_generously() {
        let mut options = Options::default();
        options.set("usi_hash", Some("64")).unwrap();
        assert_eq!(options.spin(Id::Hash), 64);
        options.set("USI_MultiPV", Some(" 3 ")).unwrap();
        assert_eq!(options.spin(Id::MultiPv), 3);
        options.set("NumberOfThreads", Some("2")).unwrap();
        assert_eq!(options.spin(Id::Threads), 2);
        for (text, on) in [("True", true), ("off", false), ("1", true), ("0", false)] {
            options.set("USI_Ponder", Some(text)).unwrap();
            assert_eq!(options.check(Id::Ponder), on);
        }
        options.set("UCI_Variant", Some("KingCapture")).unwrap();
        assert_eq!(options.combo(Id::Variant), "kingcapture");
        for word in ["wa", "WaShogi", "wa-shogi"] {
            options.set("USI_Variant", Some("shogi")).unwrap();
            options.set("USI_Variant", Some(word)).unwrap();
            assert_eq!(options.combo(Id::Variant), "washogi");
        }
        assert!(options.rules().wa_drops);
        options.set("WaDrops", Some("false")).unwrap();
        assert!(!options.rules().wa_drops);
        options
            .set("DebugLogFile", Some("C:\\将棋 log\\a.txt"))
            .unwrap();
        assert_eq!(options.string(Id::DebugLogFile), "C:\\将棋 log\\a.txt");
        for empty in [Some("<empty>"), Some(""), None] {
            options.set("DebugLogFile", empty).unwrap();
            assert_eq!(options.string(Id::DebugLogFile), "");
        }
        options
            .set("bookfile", Some("ブック\\user book1.db"))
            .unwrap();
        assert_eq!(options.string(Id::BookFile), "ブック\\user book1.db");
        options.set("BookFile", None).unwrap();
        assert_eq!(options.get("BookFile").unwrap().1, "<empty>");
        assert_eq!(options.set("clear_hash", None).unwrap().id, Id::ClearHash);
    }

    #[test]
    fn numbers_come_into_range() {
        let mut options = Options::default();
        let change = options
            .set("MultiPV", Some("99999999999999999999"))
            .unwrap();
        assert!(change.note.is_some());
        assert_eq!(options.spin(Id::MultiPv), 600);
        options.set("Threads", Some("-4")).unwrap();
        assert_eq!(options.spin(Id::Threads), 1);
        options
            .set("NodesLimit", Some("9223372036854775807"))
            .unwrap();
        assert_eq!(options.search().nodes_limit, i64::MAX as u64);
    }

    #[test]
    fn senseless_values_change_nothing() {
        let mut options = Options::default();
        for (name, value) in [
            ("MultiPV", Some("many")),
            ("MultiPV", None),
            ("USI_Ponder", Some("perhaps")),
            ("USI_Variant", Some("chess")),
        ] {
            let before = options.get(name);
            assert!(matches!(
                options.set(name, value),
                Err(OptionError::BadValue { .. })
            ));
            assert_eq!(options.get(name), before);
        }
        assert_eq!(
            options.set("No such\u{7}thing", Some("1")),
            Err(OptionError::UnknownName("No such?thing".to_string()))
        );
        assert_eq!(options.get("nothing"), None);
    }

    #[test]
    fn every_word_of_the_four_player_rules_is_one() {
        let mut options = Options::default();
        assert_eq!(options.rules().yonin, yonin::Rules::default());
        for rule in [
            &yonin::rules::FORMAT,
            &yonin::rules::END,
            &yonin::rules::MATED,
            &yonin::rules::FIRST,
        ] {
            for word in rule.words {
                options.set(rule.name, Some(word)).unwrap();
                let rules = options.rules().yonin;
                assert!(
                    rules
                        .words()
                        .any(|(name, set)| name == rule.name && set == *word)
                );
            }
        }
        options.set("Yonin_MoveLimit", Some("250")).unwrap();
        assert_eq!(options.rules().yonin.limit, 250);
    }

    #[test]
    fn the_move_limit_is_the_variants_unless_set() {
        let mut options = Options::default();
        assert_eq!(options.rules().max_moves, None);
        options.set("MaxMovesToDraw", Some("0")).unwrap();
        assert_eq!(options.rules().max_moves, Some(0));
        options.set("MaxMovesToDraw", Some("512")).unwrap();
        assert_eq!(options.rules().max_moves, Some(512));
    }
}
