//! A game as it was played here: what matches write down.
//!
//! A [`GameRecord`] keeps what happened in the words of USI: it belongs to no game
//! in particular and can be stored as it is. To be written in a format of shogi it
//! becomes a [`GameTree`], the engines' thoughts becoming comments. Evaluations are
//! in centipawns, in the record from the view of the side that moved.

use serde::{Deserialize, Serialize};

use super::evals::{self, Evaluation, Form};
use super::terminal::Terminal;
use super::tree::{Cursor, GameTree, NodeId, key};
use super::{Format, Target, write};
use crate::core::Color;
use crate::shogi::{Move, Position, Rules, Variant};

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
    /// The score from the mover's view, in centipawns; ±[`MATE_SCORE`](super::MATE_SCORE) for mates.
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

    /// The end in the words of records. Where they have none for it, it is the one
    /// with the same winner.
    fn terminal(&self) -> Terminal {
        let loser = self.result.winner().map(|winner| !winner);
        match self.ending {
            Ending::Checkmate => Terminal::Checkmate,
            Ending::Resignation
            | Ending::NoLegalMove
            | Ending::Try
            | Ending::KingCaptured
            | Ending::ImpasseWin
            | Ending::AgreedWin => Terminal::Resignation,
            Ending::Sennichite => Terminal::Sennichite,
            Ending::Declaration => Terminal::Declaration,
            Ending::ImpasseDraw | Ending::BareKings | Ending::MoveLimit => Terminal::Impasse,
            Ending::AgreedDraw => Terminal::Draw,
            Ending::TimeForfeit | Ending::NoAnswer | Ending::Crash => Terminal::TimeUp,
            Ending::PerpetualCheck
            | Ending::IllegalMove
            | Ending::FalseDeclaration
            | Ending::Protocol => {
                if loser.is_none_or(|loser| loser == self.side_at_end()) {
                    Terminal::FoulLoss
                } else {
                    Terminal::FoulWin
                }
            }
        }
    }

    /// The game as a tree, with the thoughts as comments in this form. Moves that
    /// shogi does not know, and all behind them, are left out.
    pub fn to_tree(&self, form: Form) -> GameTree {
        let mut tree = GameTree::new(&self.start_position());
        for (key, value) in [
            (key::STARTED, &date_time(self.started)),
            (key::EVENT, &self.event),
            (key::BLACK, &self.black),
            (key::WHITE, &self.white),
        ] {
            tree.set_header(key, value);
        }
        let mut cursor = Cursor::new(&tree);
        for played in &self.moves {
            let Some(m) = Move::from_usi(&played.usi).filter(|&m| cursor.position().is_legal(m))
            else {
                return tree;
            };
            let mover = cursor.position().side_to_move();
            let Ok(node) = cursor.play(&mut tree, m) else {
                return tree;
            };
            tree.node_mut(node).time_ms = played.time_us.map(|time| time / 1000);
            if let Some(thought) = &played.thought {
                let evaluation = thought.evaluation(mover, m, played.time_us, cursor.position());
                let comment = evals::write(&evaluation, form, cursor.position());
                tree.node_mut(node).comments.extend(comment);
            }
        }
        self.add_end(&mut tree, &mut cursor);
        tree
    }

    fn add_end(&self, tree: &mut GameTree, cursor: &mut Cursor) -> NodeId {
        let end = cursor.end(tree, self.terminal());
        let comments = &mut tree.node_mut(end).comments;
        comments.push(self.ending.text().to_owned());
        if !self.note.is_empty() {
            comments.push(self.note.clone());
        }
        end
    }

    /// The record as the text of a file.
    pub fn write(&self, format: Format) -> String {
        let form = match format {
            Format::Csa => Form::Floodgate,
            _ => Form::ShogiGui,
        };
        let target = Target::of(format);
        let (text, _) = write::text(&self.to_tree(form), target);
        text
    }
}

impl Thought {
    /// The thought about the move `played` of `mover`; `after` is the position after
    /// it.
    fn evaluation(
        &self,
        mover: Color,
        played: Move,
        time_us: Option<u64>,
        after: &Position,
    ) -> Evaluation {
        let mut words = self.pv.split(' ');
        let mut line = Vec::new();
        if words.next().and_then(Move::from_usi) == Some(played) {
            let mut position = after.clone();
            for word in words {
                let Ok(m) = position.parse_move(word) else {
                    break;
                };
                position.make(m);
                line.push(m);
            }
        }
        Evaluation {
            score: match mover {
                Color::Black => self.score,
                Color::White => -self.score,
            },
            depth: Some(self.depth),
            seldepth: self.seldepth,
            nodes: Some(self.nodes),
            time_ms: Some(time_us.unwrap_or(0) / 1000),
            line,
            ..Evaluation::default()
        }
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

    #[test]
    fn writes_kif() {
        let expected = "\
#KIF version=2.0 encoding=UTF-8
開始日時：2024/01/02 10:00:00
棋戦：test
手合割：平手
先手：A
後手：B
手数----指手---------消費時間--
   1 ７六歩(77)
   2 ３四歩(33)     ( 1:01/00:01:01)
   3 ２二角成(88)   ( 1:01/00:01:01)
   4 同　銀(31)     ( 1:01/00:02:02)
**対局 時間 01:01.5 深さ 9/14 ノード数 1234 評価値 -35 読み筋 ▲４五角打 △３三角打
   5 ４五角打       ( 1:01/00:02:02)
   6 投了
*resignation
まで5手で先手の勝ち
";
        assert_eq!(sample().write(Format::Kif), expected.replace('\n', "\r\n"));
    }

    #[test]
    fn handicaps_and_diagrams() {
        let mut record = sample();
        record.moves.clear();
        record.result = GameResult::WhiteWins;
        record.ending = Ending::Declaration;
        record.start =
            Some("lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1".to_string());
        let text = record.write(Format::Kif);
        assert!(text.contains("手合割：二枚落ち\r\n下手：A\r\n上手：B\r\n"));
        assert!(text.contains("   1 入玉勝ち\r\n"));
        assert!(text.ends_with("まで0手で上手の入玉勝ち\r\n"));

        record.start = Some("4k4/9/9/9/9/9/9/9/4K3+r w RB2p 7".to_string());
        record.ending = Ending::PerpetualCheck;
        let text = record.write(Format::Kif);
        assert!(text.contains("後手の持駒：歩二\r\n  ９ ８"));
        assert!(text.contains("先手の持駒：飛　角\r\n後手番\r\n手数＝6  まで\r\n先手：A\r\n"));
        assert!(text.contains("反則勝ち"));
        assert!(text.ends_with("まで0手で後手の反則勝ち\r\n"));
    }

    #[test]
    fn writes_csa() {
        assert_eq!(
            sample().write(Format::Csa),
            "V2.2\nN+A\nN-B\n$START_TIME:2024/01/02 10:00:00\n$EVENT:test\nPI\n+\n\
             +7776FU\n-3334FU\nT61\n+8822UM\nT61\n-3122GI\nT61\n\
             '** -35 +0045KA -0033KA\n+0045KA\nT61\n%TORYO\n'*resignation\n"
        );
        let mut record = sample();
        record.moves.clear();
        record.start =
            Some("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LN1GKGSNL w S2p 1".to_string());
        record.ending = Ending::IllegalMove;
        record.result = GameResult::BlackWins;
        record.note = "nifu".to_string();
        let text = record.write(Format::Csa);
        assert!(text.contains("\nP1-KY-KE-GI-KI-OU-KI-GI-KE * \nP2 * -HI * "));
        assert!(text.contains("\nP9+KY+KE * +KI+OU+KI+GI+KE+KY\nP+00GI\nP-00FU00FU\n-\n"));
        assert!(text.ends_with("\n%ILLEGAL_MOVE\n'*illegal move\n'*nifu\n"));
    }
}
