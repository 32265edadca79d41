//! Repetition: the fourth occurrence of a position, and the ban on perpetual
//! check (rules REP1 to REP3).

use super::board::Board;
use super::position::Position;
use super::seat::Seat;
use crate::shogi::Move;

/// What the repetition rules know of one position of the game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    key: u64,
    /// Who moved to it, and whether the move newly attacked a king.
    mover: Option<(Seat, bool)>,
    /// How many were mated: earlier positions with fewer cannot return.
    mates: usize,
}

impl Record {
    pub(super) fn set_up(board: &Board) -> Record {
        Record {
            key: board.key(),
            mover: None,
            mates: board.mates().len(),
        }
    }

    /// After a pass, which is no move of the game.
    pub(super) fn after_pass(board: &Board) -> Record {
        Record::set_up(board)
    }

    pub(super) fn after_move(board: &Board) -> Record {
        Record {
            key: board.key(),
            mover: board.last_mover().map(|seat| (seat, board.checking)),
            mates: board.mates().len(),
        }
    }
}

impl Position {
    /// Where among the records the last one occurred, itself included: how often
    /// and first when.
    fn occurrences(records: &[Record]) -> (usize, usize) {
        let Some(last) = records.last() else {
            return (0, 0);
        };
        let mut count = 0;
        let mut first = records.len() - 1;
        for (i, record) in records.iter().enumerate().rev() {
            if record.mates != last.mates {
                break;
            }
            if record.key == last.key {
                count += 1;
                first = i;
            }
        }
        (count, first)
    }

    /// How often the position has occurred since the last mate, now included.
    pub fn occurrence(&self) -> usize {
        Self::occurrences(&self.records).0
    }

    /// Whether a player has moved since the record `first` and checked with
    /// every move.
    fn is_perpetual(records: &[Record], first: usize, seat: Seat) -> bool {
        let mut moved = false;
        for record in &records[first + 1..] {
            if let Some((mover, checking)) = record.mover
                && mover == seat
            {
                if !checking {
                    return false;
                }
                moved = true;
            }
        }
        moved
    }

    /// Whether the game ends here by repetition (rule REP3).
    pub(super) fn ends_by_repetition(&self) -> bool {
        let (count, first) = Self::occurrences(&self.records);
        if count < 4 {
            return false;
        }
        let perpetual = |seat| Self::is_perpetual(&self.records, first, seat);
        let mover = self.board.last_mover();
        // A mover who is perpetual himself got here because the ban was lifted.
        mover.is_some_and(perpetual)
            || !self
                .board
                .living()
                .any(|seat| Some(seat) != mover && perpetual(seat))
    }

    /// Whether the position occurred before within so many moves, and no player
    /// still in the game got here by perpetual check.
    pub(super) fn recurs_within(&self, moves: usize) -> bool {
        let start = self.records.len().saturating_sub(moves + 1);
        let (count, first) = Self::occurrences(&self.records[start..]);
        count >= 2
            && !self
                .board
                .living()
                .any(|seat| Self::is_perpetual(&self.records[start..], first, seat))
    }

    /// Whether a legal move is forbidden to a perpetual checker (rule REP2), the
    /// lifting of the ban aside.
    fn is_perpetual_check(&self, m: Move) -> bool {
        // A position must have occurred three times to be reached a fourth time.
        if self.records.len() < 8 {
            return false;
        }
        let mut after = self.board.clone();
        let mover = after.turn;
        after.play(m, None);
        let mut records = self.records.clone();
        records.push(Record::after_move(&after));
        let (count, first) = Self::occurrences(&records);
        count >= 4 && Self::is_perpetual(&records, first, mover)
    }

    /// Whether a legal move is forbidden here by the ban on perpetual check
    /// (rule REP2). The ban is lifted when it would leave no move.
    pub fn is_banned(&self, m: Move) -> bool {
        self.may_be_banned()
            && self.is_perpetual_check(m)
            && !(self.legal_moves().iter()).all(|&other| self.is_perpetual_check(other))
    }

    /// Whether any move could be banned at all: some position occurred three
    /// times.
    pub(super) fn may_be_banned(&self) -> bool {
        let Some(last) = self.records.last() else {
            return false;
        };
        let since_mate: Vec<u64> = self
            .records
            .iter()
            .rev()
            .take_while(|record| record.mates == last.mates)
            .map(|record| record.key)
            .collect();
        let mut sorted = since_mate;
        sorted.sort_unstable();
        sorted.windows(3).any(|three| three[0] == three[2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::MoveList;
    use crate::game::{Game, Stage};
    use crate::yonin::{Paranoid, Rules};

    /// The ban takes a promotion, and what is left is a non-promotion, which
    /// searches leave out elsewhere.
    #[test]
    fn the_ban_never_leaves_a_search_without_a_move() {
        let yfen = "4Kn4/9/5Ps3/8Ke/9/8Kw/1+Re7/9/Ks8 s -/-/-/- - - - 1";
        let mut position = Position::from_yfen(yfen, &Rules::default()).unwrap();
        let promotion = position.parse_move("4c4b+").unwrap();
        assert_eq!(position.legal_moves().len(), 2);
        let here = position.records[0];
        let after = Record::after_move(&position.board.after(promotion));
        position.records = [after, here, here].repeat(3);
        assert!(position.is_banned(promotion));
        let position = Paranoid::new(position);
        for all in [false, true] {
            let mut moves = MoveList::new();
            position.generate(Stage::All, all, &mut moves);
            let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
            assert_eq!(texts, ["4c4b"]);
        }
    }
}
