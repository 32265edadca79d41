//! The choices that the rules leave open, as USI options set them.

use std::fmt;
use std::str::FromStr;

/// Which game is played with the board and pieces of shogi.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// Standard shogi.
    #[default]
    Standard,
    /// The king-capture house rules: no check, whoever captures the king wins.
    KingCapture,
}

impl Variant {
    /// The words of `USI_Variant`, in the order of the variants.
    pub const WORDS: [&'static str; 2] = ["shogi", "kingcapture"];

    /// The word of `USI_Variant`.
    pub const fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// The variant with this word.
    pub fn from_word(word: &str) -> Option<Variant> {
        [Variant::Standard, Variant::KingCapture]
            .into_iter()
            .find(|variant| variant.word() == word)
    }
}

/// When the side to move may declare a win (`EnteringKingRule`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnteringKingRule {
    /// Never.
    NoEnteringKing,
    /// With 31 points; 24 to 30 points are a draw.
    CSARule24,
    /// As `CSARule24`, with White credited what it gave as a handicap.
    CSARule24H,
    /// With 28 points for Black and 27 for White.
    #[default]
    CSARule27,
    /// As `CSARule27`, with White credited what it gave as a handicap.
    CSARule27H,
    /// By the king's reaching the opponent's king square.
    TryRule,
}

impl EnteringKingRule {
    /// All rules with their option words.
    pub const ALL: [(EnteringKingRule, &str); 6] = [
        (EnteringKingRule::NoEnteringKing, "NoEnteringKing"),
        (EnteringKingRule::CSARule24, "CSARule24"),
        (EnteringKingRule::CSARule24H, "CSARule24H"),
        (EnteringKingRule::CSARule27, "CSARule27"),
        (EnteringKingRule::CSARule27H, "CSARule27H"),
        (EnteringKingRule::TryRule, "TryRule"),
    ];

    /// The option words alone.
    pub const WORDS: [&str; Self::ALL.len()] = {
        let mut words = [""; Self::ALL.len()];
        let mut i = 0;
        while i < words.len() {
            words[i] = Self::ALL[i].1;
            i += 1;
        }
        words
    };
}

impl fmt::Display for EnteringKingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = Self::ALL.iter().find(|(rule, _)| rule == self);
        f.write_str(word.map_or("", |(_, word)| word))
    }
}

/// A text that names no entering-king rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no entering-king rule ({words})", words = EnteringKingRule::WORDS.join(", "))]
pub struct RuleError(pub String);

impl FromStr for EnteringKingRule {
    type Err = RuleError;

    /// Reads the option word, in upper or lower case.
    fn from_str(text: &str) -> Result<EnteringKingRule, RuleError> {
        Self::ALL
            .iter()
            .find(|(_, word)| word.eq_ignore_ascii_case(text))
            .map(|&(rule, _)| rule)
            .ok_or_else(|| RuleError(text.to_owned()))
    }
}

/// The rules of one game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Which game is played.
    pub variant: Variant,
    /// When a win may be declared; standard shogi only.
    pub entering_king: EnteringKingRule,
    /// The game is a draw when it has reached this many plies without a mate
    /// (`MaxMovesToDraw`); 0 for no limit.
    pub max_moves: u32,
}

impl Rules {
    /// Plies after which a game under the king-capture rules is a draw.
    pub const KING_CAPTURE_MAX_MOVES: u32 = 300;

    /// The king-capture house rules with their own move limit.
    pub fn king_capture() -> Rules {
        Rules {
            variant: Variant::KingCapture,
            entering_king: EnteringKingRule::NoEnteringKing,
            max_moves: Self::KING_CAPTURE_MAX_MOVES,
        }
    }

    /// Whether leaving one's king attacked and mating with a pawn drop are
    /// forbidden.
    #[inline]
    pub fn protects_king(&self) -> bool {
        self.variant == Variant::Standard
    }
}
