//! How a recorded game ended, in the words of each format.
//!
//! A word belongs to the side to move at the end of the line: 投了 is that side's
//! resignation. What no format's word says is kept as the text that the record had.

use crate::core::Color;

/// The last entry of a line of moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminal {
    /// The side to move resigned.
    Resignation,
    /// The game was broken off.
    Interrupted,
    /// Fourth occurrence of a position.
    Sennichite,
    /// Drawn by impasse, or by counting.
    Impasse,
    /// Drawn for another reason.
    Draw,
    /// The move limit was reached.
    MaxMoves,
    /// The side to move is mated.
    Checkmate,
    /// A mate problem without a mate.
    NoMate,
    /// The time of the side to move ran out.
    TimeUp,
    /// The side to move made a foul and lost.
    FoulLoss,
    /// The last move, or another act of the opponent, was a foul: the side to move
    /// won.
    FoulWin,
    /// The side to move declared a win by the entering-king rule.
    Declaration,
    /// The opponent did not appear.
    WinByDefault,
    /// The side to move did not appear.
    LossByDefault,
    /// The opponent's king reached the try square.
    Try,
    /// A move was taken back.
    TakenBack,
    /// An error of the program that kept the record.
    Error,
    /// Anything else, as the record says it.
    Other(String),
}

use Terminal::*;

/// Word in KIF, other words read there, word in CSA (JKF: the same).
const WORDS: [(Terminal, &str, &[&str], &str); 17] = [
    (Resignation, "投了", &[], "TORYO"),
    (Interrupted, "中断", &["封じ手"], "CHUDAN"),
    (Sennichite, "千日手", &[], "SENNICHITE"),
    (Impasse, "持将棋", &[], "JISHOGI"),
    (Draw, "引き分け", &["引分"], "HIKIWAKE"),
    (MaxMoves, "最大手数", &[], "MAX_MOVES"),
    (Checkmate, "詰み", &["詰"], "TSUMI"),
    (NoMate, "不詰", &["不詰み"], "FUZUMI"),
    (TimeUp, "切れ負け", &["時間切れ", "時間切れ負け"], "TIME_UP"),
    (FoulLoss, "反則負け", &[], "ILLEGAL_MOVE"),
    (FoulWin, "反則勝ち", &[], "ILLEGAL_ACTION"),
    (Declaration, "入玉勝ち", &["宣言勝ち"], "KACHI"),
    (WinByDefault, "不戦勝", &["不戦勝ち"], "FUSENSHO"),
    (LossByDefault, "不戦敗", &["不戦負け"], "FUSENPAI"),
    (Try, "トライ", &[], "TRY"),
    (TakenBack, "待った", &[], "MATTA"),
    (Error, "エラー", &[], "ERROR"),
];

impl Terminal {
    /// The word in a numbered line of KIF.
    pub fn kif(&self) -> &str {
        match self {
            Other(text) => text,
            known => WORDS
                .iter()
                .find(|row| row.0 == *known)
                .map_or("", |row| row.1),
        }
    }

    /// The ending with this word in KIF, if it is one that is known.
    pub fn from_kif(word: &str) -> Option<Terminal> {
        WORDS
            .iter()
            .find(|row| row.1 == word || row.2.contains(&word))
            .map(|row| row.0.clone())
    }

    /// The word in CSA after `%` (without the side of an illegal action), and in
    /// JKF.
    pub fn csa(&self) -> &str {
        match self {
            Other(text) => text,
            known => WORDS
                .iter()
                .find(|row| row.0 == *known)
                .map_or("", |row| row.3),
        }
    }

    /// The ending with this word in CSA or JKF; `side` is to move.
    pub fn from_csa(word: &str, side: Color) -> Terminal {
        let by = |offender| if offender == side { FoulLoss } else { FoulWin };
        match word {
            "+ILLEGAL_ACTION" => by(Color::Black),
            "-ILLEGAL_ACTION" => by(Color::White),
            word => WORDS
                .iter()
                .find(|row| row.3 == word)
                .map_or_else(|| Other(word.to_owned()), |row| row.0.clone()),
        }
    }

    /// Whether the format knows this ending by a word of its own.
    pub fn is_standard_csa(&self) -> bool {
        !matches!(self, WinByDefault | LossByDefault | Try | Other(_))
    }

    /// The winner when `side` is to move: `Some(None)` for a draw, `None` where
    /// the game has no result.
    pub fn winner(&self, side: Color) -> Option<Option<Color>> {
        match self {
            Resignation | Checkmate | TimeUp | FoulLoss | LossByDefault | Try => Some(Some(!side)),
            FoulWin | Declaration | WinByDefault => Some(Some(side)),
            Sennichite | Impasse | Draw | MaxMoves => Some(None),
            Interrupted | NoMate | TakenBack | Error | Other(_) => None,
        }
    }

    /// The sentence that closes a record in KIF and KI2, after `moves` moves with
    /// `side` to move; `names` are those of Black and White (先手, 後手).
    pub fn sentence(&self, moves: u32, side: Color, names: [&str; 2]) -> String {
        let of = |color: Color| names[color.index()];
        let what = match self {
            Resignation | Try => format!("{}の勝ち", of(!side)),
            TimeUp => format!("時間切れにより{}の勝ち", of(!side)),
            FoulLoss => format!("{}の反則負け", of(side)),
            FoulWin => format!("{}の反則勝ち", of(side)),
            Declaration => format!("{}の入玉勝ち", of(side)),
            Checkmate => "詰".to_owned(),
            other => other.kif().to_owned(),
        };
        format!("まで{moves}手で{what}")
    }

    /// Reads what follows `まで` in the sentence that closes a record.
    pub fn from_sentence(sentence: &str, side: Color) -> Option<Terminal> {
        let black = ["先手", "下手", "▲", "☗"];
        let white = ["後手", "上手", "△", "☖"];
        let named = |names: [&str; 4]| names.iter().any(|name| sentence.contains(name));
        let named = match (named(black), named(white)) {
            (true, false) => Some(Color::Black),
            (false, true) => Some(Color::White),
            _ => None,
        };
        let says = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
        let yours = named.is_none_or(|color| color == side);
        Some(if says(&["反則負け"]) {
            if yours { FoulLoss } else { FoulWin }
        } else if says(&["反則勝ち"]) {
            if yours { FoulWin } else { FoulLoss }
        } else if says(&["入玉勝ち", "宣言"]) {
            Declaration
        } else if says(&["時間切れ", "切れ負け"]) {
            TimeUp
        } else if says(&["不戦勝"]) {
            WinByDefault
        } else if says(&["不戦敗"]) {
            LossByDefault
        } else if says(&["中断"]) {
            Interrupted
        } else if says(&["千日手"]) {
            Sennichite
        } else if says(&["持将棋"]) {
            Impasse
        } else if says(&["引き分け", "引分"]) {
            Draw
        } else if says(&["最大手数"]) {
            MaxMoves
        } else if says(&["不詰"]) {
            NoMate
        } else if says(&["勝ち"]) && named == Some(!side) {
            Resignation
        } else if says(&["詰"]) {
            Checkmate
        } else {
            let what = sentence
                .split_once("手で")
                .map_or(sentence, |(_, what)| what)
                .trim();
            if what.is_empty() {
                return None;
            }
            Terminal::from_kif(what).unwrap_or_else(|| Other(what.to_owned()))
        })
    }

    /// The ending in English.
    pub fn english(&self) -> &str {
        match self {
            Resignation => "resignation",
            Interrupted => "interrupted",
            Sennichite => "sennichite",
            Impasse => "impasse",
            Draw => "draw",
            MaxMoves => "move limit",
            Checkmate => "checkmate",
            NoMate => "no mate",
            TimeUp => "time ran out",
            FoulLoss => "illegal move",
            FoulWin => "the opponent's illegal move",
            Declaration => "declared win",
            WinByDefault => "win by default",
            LossByDefault => "loss by default",
            Try => "try",
            TakenBack => "taken back",
            Error => "error",
            Other(text) => text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_sentences_round_trip() {
        for row in &WORDS {
            assert_eq!(Terminal::from_kif(row.0.kif()), Some(row.0.clone()));
            for side in Color::ALL {
                if row.0 != FoulWin {
                    assert_eq!(Terminal::from_csa(row.0.csa(), side), row.0);
                }
                let sentence = row.0.sentence(7, side, ["先手", "後手"]);
                let expected = match row.0 {
                    Try => Resignation,
                    ref other => other.clone(),
                };
                assert_eq!(
                    Terminal::from_sentence(&sentence, side),
                    Some(expected),
                    "{sentence}"
                );
            }
        }
        assert_eq!(Terminal::from_csa("-ILLEGAL_ACTION", Color::Black), FoulWin);
        assert_eq!(
            Terminal::from_csa("-ILLEGAL_ACTION", Color::White),
            FoulLoss
        );
        assert_eq!(
            Terminal::from_csa("WHAT", Color::White),
            Other("WHAT".into())
        );
        assert_eq!(
            Terminal::from_sentence("まで7手詰", Color::White),
            Some(Checkmate)
        );
        assert_eq!(
            Terminal::from_sentence("まで102手で下手の勝ち", Color::White),
            Some(Resignation)
        );
    }
}
