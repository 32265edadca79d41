//! The end of a game and the places (rules R1 to R7).

use std::cmp::Reverse;
use std::fmt;

use super::board::Board;
use super::position::Position;
use super::rules::Format;
use super::seat::{BySeat, Seat};

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Enough players are mated (rules R1, R5, R7).
    Mates,
    /// The fourth occurrence of a position (rule REP3).
    Repetition,
    /// The move limit (rule R6).
    Limit,
}

impl EndReason {
    /// One word: `mates`, `repetition` or `limit`.
    pub const fn name(self) -> &'static str {
        match self {
            EndReason::Mates => "mates",
            EndReason::Repetition => "repetition",
            EndReason::Limit => "limit",
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Why it is over.
    pub reason: EndReason,
    /// Each seat's place from 1, shared places as in sport (1, 1, 3, 3); nothing
    /// for a draw in pairs.
    pub places: Option<BySeat<u8>>,
}

impl Outcome {
    /// A seat's points: 3, 2, 1, 0 for places 1 to 4, shared by players level;
    /// in pairs 2.5 each for the winners and 0.5 for the losers. A draw is 1.5
    /// each.
    pub fn points(&self, seat: Seat) -> f64 {
        let Some(places) = self.places else {
            return 1.5;
        };
        let place = places[seat];
        let level = places.0.iter().filter(|&&other| other == place).count();
        // Players level at place p fill places p to p + level - 1.
        4.0 - f64::from(place) - (level as f64 - 1.0) / 2.0
    }
}

impl fmt::Display for Outcome {
    /// `mates, places s 1 w 2 n 3 e 4`, or `limit, draw`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason.name())?;
        match self.places {
            None => f.write_str(", draw"),
            Some(places) => {
                f.write_str(", places")?;
                for seat in Seat::ALL {
                    write!(f, " {seat} {}", places[seat])?;
                }
                Ok(())
            }
        }
    }
}

impl Board {
    /// The pieces that count for a living player: on the board with the own king,
    /// in hand, and the turned-over kings of those he mated (rule R2).
    pub fn total_pieces(&self, seat: Seat) -> u32 {
        let hand: u32 = self.hand(seat).iter().map(|(_, count)| count).sum();
        self.owned(seat).count() + hand + self.mates_by(seat)
    }

    /// How many players a seat has mated.
    pub fn mates_by(&self, seat: Seat) -> u32 {
        let by = |mate: &&super::board::Mate| mate.mater == Some(seat);
        self.mates().iter().filter(by).count() as u32
    }

    /// How two living players compare: mates, pieces, later last mate. Greater
    /// is better.
    fn merit(&self, seat: Seat) -> (u32, u32, Option<usize>) {
        let last_mate = self
            .mates()
            .iter()
            .rposition(|mate| mate.mater == Some(seat));
        (self.mates_by(seat), self.total_pieces(seat), last_mate)
    }

    /// The places as they would be if the game ended here (rules R2 to R5).
    pub fn places(&self) -> BySeat<u8> {
        if self.rules().format == Format::Pairs {
            let lost = self.mates().first().map(|mate| mate.victim);
            return BySeat(Seat::ALL.map(|seat| match lost {
                None => 1,
                Some(victim) if self.rules().same_team(victim, seat) => 3,
                Some(_) => 1,
            }));
        }
        // Mated players come after all living ones, later mates first.
        let rank = |seat: Seat| {
            let mated = self.mates().iter().position(|mate| mate.victim == seat);
            match mated {
                None => (true, self.merit(seat), 0),
                Some(order) => (false, (0, 0, None), order),
            }
        };
        BySeat(Seat::ALL.map(|seat| {
            let better = |&&other: &&Seat| Reverse(rank(other)) < Reverse(rank(seat));
            1 + Seat::ALL.iter().filter(better).count() as u8
        }))
    }
}

impl Position {
    /// Whether and why the game is over.
    pub fn end_reason(&self) -> Option<EndReason> {
        let board = &self.board;
        let limit = board.rules().limit;
        if board.mates().len() >= board.rules().mates_to_end() {
            Some(EndReason::Mates)
        } else if self.ends_by_repetition() {
            Some(EndReason::Repetition)
        } else if limit > 0 && board.ply() > limit {
            Some(EndReason::Limit)
        } else {
            // A text may say that a game is over without telling why: only the
            // history of a repetition cannot be told.
            board.is_over().then_some(EndReason::Repetition)
        }
    }

    /// The result, once the game is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let reason = self.end_reason()?;
        let pairs = self.board.rules().format == Format::Pairs;
        let places = (!pairs || reason == EndReason::Mates).then(|| self.board.places());
        Some(Outcome { reason, places })
    }
}
