//! Records of played games, and how they are written.
//!
//! A [`GameRecord`] keeps what happened in the words of USI: it belongs to no
//! game in particular and can be stored as it is. The writers replay it on a
//! position of shogi where their format needs one:
//!
//! * [`kif`]: KIF (柿木義一, "棋譜ファイル KIF形式"), the format of most GUIs;
//! * [`csa`]: CSA V2.2 (コンピュータ将棋協会, "CSA標準棋譜ファイル形式"), the format
//!   of servers and tournaments;
//! * [`usi`]: one line of USI a game;
//! * [`wa`]: wa shogi after the manner of KIF.
//!
//! Evaluations are in centipawns; in the record from the view of the side that
//! moved, in the files from Black's (sente's) view, as those formats have it.

pub mod csa;
pub mod kif;
pub mod usi;
pub mod wa;

use serde::{Deserialize, Serialize};

use crate::core::Color;
use crate::shogi::{Move, Position, Rules, Variant};

/// The score that stands for a mate in game records, whatever its length.
pub const MATE_SCORE: i32 = 30_000;

/// One finished game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRecord {
    /// What the game was part of.
    pub event: String,
    /// Black's (sente's) name.
    pub black: String,
    /// White's (gote's) name.
    pub white: String,
    /// When it began, in seconds since 1970-01-01 UTC.
    pub started: u64,
    /// The initial position as SFEN; `None` for that of an even game.
    pub start: Option<String>,
    /// The moves, those of the opening included.
    pub moves: Vec<PlayedMove>,
    /// Who won.
    pub result: GameResult,
    /// How the game ended.
    pub ending: Ending,
    /// More about the end, in English: which rule an illegal move broke, say.
    pub note: String,
}

/// A move of a record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlayedMove {
    /// The move in USI notation.
    pub usi: String,
    /// Thinking time in microseconds; `None` for a move of the opening.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_us: Option<u64>,
    /// The time that the mover had at most, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_us: Option<u64>,
    /// What the mover thought of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thought: Option<Thought>,
}

/// An engine's last report before its move.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Thought {
    /// The score from the mover's view, in centipawns; ±[`MATE_SCORE`] for mates.
    pub score: i32,
    /// Depth in plies.
    pub depth: u32,
    /// Depth of the longest line, if it was told.
    pub seldepth: Option<u32>,
    /// Nodes searched.
    pub nodes: u64,
    /// The expected line from the move on, in USI notation, parted by blanks.
    pub pv: String,
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GameResult {
    /// Black (sente) won.
    BlackWins,
    /// White (gote) won.
    WhiteWins,
    /// Nobody won.
    Draw,
}

impl GameResult {
    /// The result when this side wins.
    pub fn win(color: Color) -> GameResult {
        match color {
            Color::Black => GameResult::BlackWins,
            Color::White => GameResult::WhiteWins,
        }
    }

    /// The result with this winner, or a draw.
    pub fn from_winner(winner: Option<Color>) -> GameResult {
        winner.map_or(GameResult::Draw, GameResult::win)
    }

    /// The winner, if there is one.
    pub fn winner(self) -> Option<Color> {
        match self {
            GameResult::BlackWins => Some(Color::Black),
            GameResult::WhiteWins => Some(Color::White),
            GameResult::Draw => None,
        }
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The side to move resigned.
    Resignation,
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    NoLegalMove,
    /// Fourth occurrence of a position.
    Sennichite,
    /// Fourth occurrence, one side having checked all the time.
    PerpetualCheck,
    /// The side to move declared a win by the entering-king rule.
    Declaration,
    /// Drawn by counting points when the kings had entered.
    ImpasseDraw,
    /// Decided by counting points when the kings had entered.
    ImpasseWin,
    /// The king reached the try square.
    Try,
    /// The king was captured.
    KingCaptured,
    /// Both sides have nothing but their kings.
    BareKings,
    /// The move limit was reached.
    MoveLimit,
    /// Both engines' scores agreed on the winner.
    AgreedWin,
    /// Both engines' scores agreed on a draw.
    AgreedDraw,
    /// The side to move played an illegal move.
    IllegalMove,
    /// The side to move declared a win that it did not have.
    FalseDeclaration,
    /// The side to move used more than its time.
    TimeForfeit,
    /// The side to move did not answer at all.
    NoAnswer,
    /// The program of the side to move ended.
    Crash,
    /// The program of the side to move answered against the protocol.
    Protocol,
}

impl Ending {
    /// The ending in a few words.
    pub fn text(self) -> &'static str {
        match self {
            Ending::Resignation => "resignation",
            Ending::Checkmate => "checkmate",
            Ending::NoLegalMove => "no legal move",
            Ending::Sennichite => "sennichite",
            Ending::PerpetualCheck => "perpetual check",
            Ending::Declaration => "declared win",
            Ending::ImpasseDraw => "impasse, drawn by count",
            Ending::ImpasseWin => "impasse, won by count",
            Ending::Try => "try",
            Ending::KingCaptured => "king captured",
            Ending::BareKings => "bare kings",
            Ending::MoveLimit => "move limit",
            Ending::AgreedWin => "win by agreement of the scores",
            Ending::AgreedDraw => "draw by agreement of the scores",
            Ending::IllegalMove => "illegal move",
            Ending::FalseDeclaration => "false declaration",
            Ending::TimeForfeit => "time forfeit",
            Ending::NoAnswer => "no answer",
            Ending::Crash => "crash",
            Ending::Protocol => "protocol violation",
        }
    }
}

/// A file format for game records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// KIF in UTF-8.
    Kif,
    /// CSA V2.2 in UTF-8.
    Csa,
    /// A line of USI.
    Usi,
}

impl Format {
    /// The usual extension of file names, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            // `.kif` would mean Shift_JIS to some readers.
            Format::Kif => "kifu",
            Format::Csa => "csa",
            Format::Usi => "usi",
        }
    }

    /// The record as the text of a file.
    pub fn write(self, record: &GameRecord) -> String {
        match self {
            Format::Kif => kif::write(record),
            Format::Csa => csa::write(record),
            Format::Usi => usi::write(record),
        }
    }
}

impl GameRecord {
    /// The initial position. Records may hold games under any rules, so the
    /// rules are those that forbid least.
    fn start_position(&self) -> Position {
        let rules = Rules {
            variant: Variant::KingCapture,
            ..Rules::default()
        };
        self.start
            .as_deref()
            .and_then(|sfen| Position::from_sfen(sfen, &rules).ok())
            .unwrap_or_else(|| Position::start(&rules))
    }

    /// The moves as the position knows them, up to the first that cannot be
    /// played.
    fn replay(&self) -> impl Iterator<Item = (&PlayedMove, Move, Position)> {
        let mut position = self.start_position();
        self.moves.iter().map_while(move |played| {
            let m = position.parse_move(&played.usi).ok()?;
            let before = position.clone();
            position.make(m);
            Some((played, m, before))
        })
    }

    /// The side that made the first move.
    pub fn first_mover(&self) -> Color {
        let white = self
            .start
            .as_deref()
            .is_some_and(|sfen| sfen.split_whitespace().nth(1) == Some("w"));
        if white { Color::White } else { Color::Black }
    }

    /// The side to move when the game ended.
    fn side_at_end(&self) -> Color {
        let first = self.first_mover();
        if self.moves.len().is_multiple_of(2) {
            first
        } else {
            !first
        }
    }
}

/// The expected line after the move that was played, as moves that are legal
/// one after the other; `position` is that before the move.
fn expected_line(thought: &Thought, played: Move, position: &Position) -> Vec<(Move, Position)> {
    let mut words = thought.pv.split(' ');
    let mut position = position.clone();
    if words.next().and_then(Move::from_usi) != Some(played) {
        return Vec::new();
    }
    position.make(played);
    words
        .map_while(|word| {
            let m = position.parse_move(word).ok()?;
            let before = position.clone();
            position.make(m);
            Some((m, before))
        })
        .collect()
}

/// A score from Black's view.
fn black_view(score: i32, mover: Color) -> i32 {
    match mover {
        Color::Black => score,
        Color::White => -score,
    }
}

/// A time in seconds since 1970 as `2024/01/02 10:00:00` (UTC), by the
/// days-to-date computation of H. Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms", which counts years from March.
fn date_time(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let era = days / 146_097;
    let day_of_era = days % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let time = seconds % 86_400;
    format!(
        "{year:04}/{month:02}/{day:02} {:02}:{:02}:{:02}",
        time / 3600,
        time / 60 % 60,
        time % 60
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A short game with a capture, a promotion, a drop, times and scores.
    pub(crate) fn sample() -> GameRecord {
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"];
        let mut moves: Vec<PlayedMove> = moves
            .iter()
            .map(|usi| PlayedMove {
                usi: usi.to_string(),
                time_us: Some(61_500_000),
                limit_us: None,
                thought: None,
            })
            .collect();
        moves[0].time_us = None;
        moves[3].thought = Some(Thought {
            score: 35,
            depth: 9,
            seldepth: Some(14),
            nodes: 1234,
            pv: "3a2b B*4e B*3c".to_string(),
        });
        GameRecord {
            event: "test".to_string(),
            black: "A".to_string(),
            white: "B".to_string(),
            started: 1_704_189_600,
            start: None,
            moves,
            result: GameResult::BlackWins,
            ending: Ending::Resignation,
            note: String::new(),
        }
    }

    #[test]
    fn dates() {
        assert_eq!(date_time(0), "1970/01/01 00:00:00");
        assert_eq!(date_time(1_704_189_600), "2024/01/02 10:00:00");
        assert_eq!(date_time(951_782_399), "2000/02/28 23:59:59");
        assert_eq!(date_time(951_782_400), "2000/02/29 00:00:00");
        assert_eq!(date_time(4_102_444_799), "2099/12/31 23:59:59");
    }

    #[test]
    fn records_survive_storing() {
        let record = sample();
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(serde_json::from_str::<GameRecord>(&text).unwrap(), record);
    }
}
