//! The referee's view of a game of four: where it stands, why it is over, and the
//! places.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;
use tsuru::record::yonin::YoninGame;
use tsuru::yonin::{Outcome, Paranoid, Rules, Seat};

use super::input;
use super::judge::Judgement;

/// The verdict on one game.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// `over`, `draw` (in pairs), `illegal`, or null while the game goes on.
    result: Option<&'static str>,
    /// Why.
    reason: String,
    /// Each seat's place; null while the game goes on and for a draw.
    places: Option<BTreeMap<char, u8>>,
    /// Each seat's points by its place.
    points: Option<BTreeMap<char, f64>>,
    /// Legal moves played, up to the end of the game.
    moves: usize,
    /// Words of the game that come after its end.
    moves_after_end: usize,
    /// The last position.
    yfen: String,
    /// Whose turn it is; `-` when the game is over.
    turn: String,
    /// Mates so far, `ws` for West mated by South, `nx` by nobody.
    mates: Vec<String>,
    /// Total pieces of the players still in the game.
    total_pieces: BTreeMap<char, u32>,
    /// How often the last position has occurred.
    occurrences: usize,
    /// What a game in JSON says of its end and the rules do not: `reason`, `places`,
    /// `end` (the last position). Nothing when the game says nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    contradicts: Option<Vec<&'static str>>,
}

/// Judges the game in the words of a `position` line, or in JSON.
pub fn judge(line: &str, rules: &Rules) -> anyhow::Result<Verdict> {
    if !YoninGame::is_one(line) {
        return judge_line(line, rules, None);
    }
    let game = YoninGame::parse(line, rules)?;
    judge_line(&game.line(), &game.rules, Some(&game))
}

fn judge_line(line: &str, rules: &Rules, told: Option<&YoninGame>) -> anyhow::Result<Verdict> {
    let game = input::parse(line);
    let start: Paranoid = input::start(&game, rules)?;
    let mut position = start.position().clone();
    let mut illegal = None;
    let mut moves = 0;
    for text in &game.moves {
        if position.outcome().is_some() {
            break;
        }
        match position.parse_move(text) {
            Ok(m) => {
                position.make(m);
                moves += 1;
            }
            Err(error) => {
                illegal = Some(format!("illegal move {} ({text}): {error}", moves + 1));
                break;
            }
        }
    }
    let outcome = position.outcome();
    let (result, reason) = match (&illegal, &outcome) {
        (Some(reason), _) => (Some("illegal"), reason.clone()),
        (None, Some(outcome)) => {
            let result = outcome.places.map_or("draw", |_| "over");
            (Some(result), outcome.reason.name().to_owned())
        }
        (None, None) => (None, "the game goes on".to_owned()),
    };
    let board = position.board();
    let by_seat = |outcome: &Outcome| {
        let points = Seat::ALL.map(|seat| (seat.letter(), outcome.points(seat)));
        points.into_iter().collect()
    };
    Ok(Verdict {
        result,
        reason,
        places: outcome.and_then(|outcome| outcome.places).map(|places| {
            Seat::ALL
                .map(|seat| (seat.letter(), places[seat]))
                .into_iter()
                .collect()
        }),
        points: outcome.as_ref().map(by_seat),
        moves,
        moves_after_end: game.moves.len() - moves,
        yfen: position.yfen(),
        turn: match outcome {
            Some(_) => "-".to_owned(),
            None => position.turn().to_string(),
        },
        mates: board
            .mates()
            .iter()
            .map(|mate| format!("{}{}", mate.victim, mate.mater.map_or('x', Seat::letter)))
            .collect(),
        total_pieces: board
            .living()
            .map(|seat| (seat.letter(), board.total_pieces(seat)))
            .collect(),
        occurrences: position.occurrence(),
        contradicts: told.map(|told| told.contradictions(&position)),
    })
}

impl Judgement for Verdict {
    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        print(self, out)
    }

    fn contradicts(&self) -> bool {
        self.contradicts
            .as_ref()
            .is_some_and(|what| !what.is_empty())
    }
}

fn print(verdict: &Verdict, out: &mut dyn Write) -> io::Result<()> {
    let result = match (verdict.result, &verdict.places) {
        (None, _) => "none yet".to_owned(),
        (Some("draw"), _) => "draw".to_owned(),
        (Some("illegal"), _) => "none, an illegal move".to_owned(),
        (Some(_), Some(places)) => {
            let places: Vec<String> = Seat::ALL
                .iter()
                .map(|seat| format!("{} {}", seat.name(), places[&seat.letter()]))
                .collect();
            format!("places {}", places.join(", "))
        }
        (Some(other), None) => other.to_owned(),
    };
    writeln!(out, "Result:     {result}")?;
    writeln!(out, "Reason:     {}", verdict.reason)?;
    writeln!(out, "Moves:      {}", verdict.moves)?;
    if verdict.moves_after_end > 0 {
        writeln!(out, "Not played: {} more", verdict.moves_after_end)?;
    }
    writeln!(out, "Position:   yfen {}", verdict.yfen)?;
    writeln!(out, "To move:    {}", verdict.turn)?;
    let mates = match verdict.mates.is_empty() {
        true => "none".to_owned(),
        false => verdict.mates.join(", "),
    };
    writeln!(out, "Mates:      {mates}")?;
    let pieces: Vec<String> = verdict
        .total_pieces
        .iter()
        .map(|(seat, count)| format!("{seat} {count}"))
        .collect();
    writeln!(out, "Pieces:     {}", pieces.join(", "))?;
    writeln!(out, "Repetition: occurrence {} of 4", verdict.occurrences)?;
    match verdict.contradicts.as_deref() {
        None => Ok(()),
        Some([]) => writeln!(out, "Record:     says the same"),
        Some(what) => writeln!(out, "Record:     says otherwise: {}", what.join(", ")),
    }
}
