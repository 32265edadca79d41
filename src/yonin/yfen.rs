//! Positions as text: YFEN, section 7.1 of the specification.
//!
//! Seven fields: board, turn, hands, mates, credits, last mover, move number.
//! Fields 4 to 7 may be left out from the right. Every refusal names the place
//! and, where one is broken, the rule.

use std::fmt::Write;

use super::board::{Board, Mate};
use super::piece::{HAND, IN_GAME, Piece, can_be_in_hand};
use super::rules::Rules;
use super::seat::{BySeat, Seat};
use crate::shogi::PieceKind;
use crate::shogi::Square;
use crate::shogi::hand::MAX_SET_UP;
use crate::shogi::square::SIZE;

/// The initial position.
pub const START: &str = "2SnGnKnGnSn2/3PnRnPn3/Sw3Pn3Se/GwPw5PeGe/KwRwPw3PeReKe/GwPw5PeGe/Sw3Ps3Se/3PsRsPs3/2SsGsKsGsSs2 s -/-/-/- - - - 1";

/// Why a position text was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum YfenError {
    /// The text ends before this field.
    #[error("field {number} ({name}) is missing")]
    Missing {
        /// The field's number from 1.
        number: usize,
        /// What it holds.
        name: &'static str,
    },
    /// Something after field 7.
    #[error("`{0}` after field 7, the last one")]
    Surplus(String),
    /// Not nine ranks.
    #[error("the board has {0} ranks instead of 9 (B1)")]
    Ranks(usize),
    /// A rank that is not nine squares wide.
    #[error("rank {rank} of the board (`{text}`) has {width} squares instead of 9 (B1)")]
    Width {
        /// The rank's letter.
        rank: char,
        /// The rank's text.
        text: String,
        /// The squares that it fills.
        width: usize,
    },
    /// Text that is no piece.
    #[error(
        "`{found}` in rank {rank} of the board is no piece (M2; a piece is like Ps, +Rw, Gwn, Sex or Xw)"
    )]
    Piece {
        /// The rank's letter.
        rank: char,
        /// What was found.
        found: String,
    },
    /// A piece of a player who is out.
    #[error("{square}: {piece} has an owner who was mated according to field 4 (X4)")]
    MatedOwner {
        /// Where it stands.
        square: Square,
        /// The piece.
        piece: String,
    },
    /// Two kings, upright or turned over, of one seat.
    #[error("{square}: a second king of {}; every seat has one (7.1)", seat.name())]
    TwoKings {
        /// Where the second one stands.
        square: Square,
        /// Whose it is.
        seat: Seat,
    },
    /// No king of a seat.
    #[error("{} has no king on the board (7.1)", .0.name())]
    NoKing(Seat),
    /// An upright king of a player who is out.
    #[error("{square}: the king of {} stands upright, but field 4 says that the player was mated (X4)", seat.name())]
    Upright {
        /// Where it stands.
        square: Square,
        /// Whose it is.
        seat: Seat,
    },
    /// A turned-over king of a player who is in the game.
    #[error("{square}: the king of {} is turned over, but field 4 names no mate of that player (X4)", seat.name())]
    TurnedOver {
        /// Where it stands.
        square: Square,
        /// Whose it is.
        seat: Seat,
    },
    /// The turn is no seat.
    #[error("the turn (field 2) is `{0}` instead of s, w, n, e or -")]
    Turn(String),
    /// The turn of a player who is out.
    #[error("the turn (field 2) is of {}, who was mated according to field 4 (X6)", .0.name())]
    MatedTurn(Seat),
    /// Not four hands.
    #[error("the hands (field 3) have {0} groups instead of 4, for South/West/North/East")]
    HandGroups(usize),
    /// Something in a hand that cannot be there.
    #[error("`{found}` in the hand of {} (field 3) is no piece that can be in hand (R, G, S, P; M3)", seat.name())]
    Hand {
        /// Whose hand.
        seat: Seat,
        /// What was found.
        found: String,
    },
    /// A count of zero, or more than 18, of one kind in a hand.
    #[error("the hand of {} (field 3) holds a kind 0 times or more than 18 times", .0.name())]
    Count(Seat),
    /// More pieces of a kind than the game has.
    #[error("there are {count} of {} ({}), promoted or not; the game has {most} (B4)", kind.letter(), kind.name())]
    TooMany {
        /// The kind, unpromoted.
        kind: PieceKind,
        /// How many there are on the board and in hand.
        count: u32,
        /// How many there are in the game.
        most: u32,
    },
    /// A hand of a player who is out.
    #[error("{} has pieces in hand (field 3), but was mated according to field 4 (X4)", .0.name())]
    MatedHand(Seat),
    /// A mate that cannot be read, or not be.
    #[error("`{found}` in the mates (field 4): {why}")]
    Mates {
        /// The entry.
        found: String,
        /// What is wrong.
        why: &'static str,
    },
    /// A credit that cannot be read, or not be.
    #[error("`{found}` in the credits (field 5): {why}")]
    Credits {
        /// The entry.
        found: String,
        /// What is wrong.
        why: &'static str,
    },
    /// The last mover is no seat.
    #[error("the last mover (field 6) is `{0}` instead of s, w, n, e or -")]
    LastMover(String),
    /// The move number is none.
    #[error("the move number (field 7) is `{0}` instead of a number from 1 to 1000000")]
    Number(String),
}

/// The board of a text, without looking at whose move it is.
///
/// # Errors
///
/// The first thing that is wrong, with its place and the rule.
pub fn parse(text: &str, rules: &Rules) -> Result<Board, YfenError> {
    let mut words = text.split_whitespace().peekable();
    words.next_if(|word| matches!(*word, "yfen" | "sfen"));
    let mut field = |number, name| words.next().ok_or(YfenError::Missing { number, name });
    let board_text = field(1, "board")?;
    let turn_text = field(2, "turn")?;
    let hands_text = field(3, "hands")?;
    let mates_text = words.next().unwrap_or("-");
    let credits_text = words.next().unwrap_or("-");
    let last_text = words.next().unwrap_or("-");
    let number_text = words.next().unwrap_or("1");
    if let Some(surplus) = words.next() {
        return Err(YfenError::Surplus(surplus.to_owned()));
    }

    let mut board = Board::empty(rules);
    parse_mates(mates_text, &mut board)?;
    parse_board(board_text, &mut board)?;
    match turn_text {
        "-" => board.over = true,
        _ => {
            let turn = seat(turn_text).ok_or_else(|| YfenError::Turn(turn_text.to_owned()))?;
            // Mates that end the game leave nobody to move, whatever stands here.
            if !board.is_living(turn) && board.mates.len() < rules.mates_to_end() {
                return Err(YfenError::MatedTurn(turn));
            }
            board.turn = turn;
        }
    }
    parse_hands(hands_text, &mut board)?;
    count_pieces(&board)?;
    board.last_mover = match last_text {
        "-" => None,
        text => Some(seat(text).ok_or_else(|| YfenError::LastMover(text.to_owned()))?),
    };
    board.ply = number_text
        .parse()
        .ok()
        .filter(|number| (1..=1_000_000).contains(number))
        .ok_or_else(|| YfenError::Number(number_text.to_owned()))?;
    board.find_checkers();
    parse_credits(credits_text, &mut board)?;
    Ok(board)
}

/// The text of a board; `over` writes the turn of a finished game.
pub(super) fn write(board: &Board, over: bool) -> String {
    let mut text = String::with_capacity(160);
    for rank in 0..SIZE {
        if rank > 0 {
            text.push('/');
        }
        let mut empty = 0;
        for file in (0..SIZE).rev() {
            match Square::new(file, rank).and_then(|square| board.piece_on(square)) {
                None => empty += 1,
                Some(piece) => {
                    push_count(&mut text, empty, 1);
                    empty = 0;
                    let _ = write!(text, "{piece}");
                }
            }
        }
        push_count(&mut text, empty, 1);
    }
    text.push(' ');
    text.push(if over { '-' } else { board.turn().letter() });
    for seat in Seat::ALL {
        text.push(if seat == Seat::South { ' ' } else { '/' });
        let hand = board.hand(seat);
        if hand.is_empty() {
            text.push('-');
        }
        for kind in HAND {
            let count = hand.count(kind);
            push_count(&mut text, count, 2);
            if count > 0 {
                text.push(kind.letter());
            }
        }
    }
    text.push(' ');
    push_list(
        &mut text,
        board
            .mates()
            .iter()
            .map(|mate| (mate.victim, mate.mater.map_or('x', Seat::letter))),
    );
    text.push(' ');
    let credits = Seat::ALL
        .into_iter()
        .filter_map(|seat| Some((seat, board.credit(seat)?.letter())));
    push_list(&mut text, credits);
    let last = board.last_mover().map_or('-', Seat::letter);
    let _ = write!(text, " {last} {}", board.ply());
    text
}

fn push_count(text: &mut String, count: u32, from: u32) {
    if count >= from {
        let _ = write!(text, "{count}");
    }
}

fn push_list(text: &mut String, entries: impl Iterator<Item = (Seat, char)>) {
    let mut first = true;
    for (seat, letter) in entries {
        if !first {
            text.push(',');
        }
        first = false;
        let _ = write!(text, "{seat}{letter}");
    }
    if first {
        text.push('-');
    }
}

fn seat(text: &str) -> Option<Seat> {
    let mut letters = text.chars();
    let seat = Seat::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(seat)
}

fn parse_mates(text: &str, board: &mut Board) -> Result<(), YfenError> {
    if text == "-" {
        return Ok(());
    }
    for entry in text.split(',') {
        let bad = |why| YfenError::Mates {
            found: entry.to_owned(),
            why,
        };
        let shape = "an entry is a victim and a mater, like ws or nx";
        let mut letters = entry.chars();
        let (Some(victim), Some(by), None) = (letters.next(), letters.next(), letters.next())
        else {
            return Err(bad(shape));
        };
        let victim = Seat::from_letter(victim).ok_or_else(|| bad(shape))?;
        let mater = match by {
            'x' => None,
            by => Some(Seat::from_letter(by).ok_or_else(|| bad(shape))?),
        };
        if mater == Some(victim) {
            return Err(bad("nobody mates himself (X3)"));
        }
        if !board.is_living(victim) {
            return Err(bad("this player was mated before (X6)"));
        }
        if mater.is_some_and(|mater| !board.is_living(mater)) {
            return Err(bad("the mater was mated before (X3)"));
        }
        if board.mates.len() == 3 {
            return Err(bad("the last player left cannot be mated (R1)"));
        }
        board.mates.push(Mate { victim, mater });
    }
    Ok(())
}

fn parse_board(text: &str, board: &mut Board) -> Result<(), YfenError> {
    let ranks = text.split('/').count();
    if ranks != SIZE {
        return Err(YfenError::Ranks(ranks));
    }
    for (rank, row) in text.split('/').enumerate() {
        parse_rank(rank, row, board)?;
    }
    for seat in Seat::ALL {
        if board.kings[seat].is_none() {
            return Err(YfenError::NoKing(seat));
        }
    }
    Ok(())
}

fn parse_rank(rank: usize, row: &str, board: &mut Board) -> Result<(), YfenError> {
    let letter = (b'a' + rank as u8) as char;
    let mut width = 0;
    let mut rest = row;
    let mut after_digit = false;
    while let Some(c) = rest.chars().next() {
        let digit = c.to_digit(10).filter(|&digit| digit > 0);
        if let Some(digit) = digit.filter(|_| !after_digit) {
            width += digit as usize;
            rest = &rest[c.len_utf8()..];
            after_digit = true;
            continue;
        }
        after_digit = false;
        // A token is a capital, after an optional plus, and the small letters
        // behind it.
        let plus = usize::from(c == '+');
        let capital = rest[plus..].chars().next().map_or(0, char::len_utf8);
        let small = rest[plus + capital..]
            .find(|c: char| !c.is_ascii_lowercase())
            .unwrap_or(rest.len() - plus - capital);
        let (token, behind) = rest.split_at(plus + capital + small);
        let bad = || YfenError::Piece {
            rank: letter,
            found: token.to_owned(),
        };
        let piece = parse_piece(token).ok_or_else(bad)?;
        rest = behind;
        // A square beyond the edge is reported as a wrong width below.
        if let Some(square) = (SIZE - 1)
            .checked_sub(width)
            .and_then(|file| Square::new(file, rank))
        {
            place(piece, square, board)?;
        }
        width += 1;
    }
    if width != SIZE {
        return Err(YfenError::Width {
            rank: letter,
            text: row.to_owned(),
            width,
        });
    }
    Ok(())
}

fn place(piece: Piece, square: Square, board: &mut Board) -> Result<(), YfenError> {
    if piece.kind == PieceKind::King {
        let seat = piece.facing;
        if board.kings[seat].is_some() {
            return Err(YfenError::TwoKings { square, seat });
        }
        match (board.is_living(seat), piece.owner) {
            (true, None) => return Err(YfenError::TurnedOver { square, seat }),
            (false, Some(_)) => return Err(YfenError::Upright { square, seat }),
            _ => board.kings[seat] = Some(square),
        }
    } else if piece.owner.is_some_and(|owner| !board.is_living(owner)) {
        let piece = piece.to_string();
        return Err(YfenError::MatedOwner { square, piece });
    }
    board.put(square, piece);
    Ok(())
}

/// A piece by its token: `Ps`, `+Rwn`, `Gex`, `Ks`, `Xw`.
fn parse_piece(token: &str) -> Option<Piece> {
    let (promoted, token) = match token.strip_prefix('+') {
        Some(rest) => (true, rest),
        None => (false, token),
    };
    let mut letters = token.chars();
    let letter = letters.next()?;
    let facing = Seat::from_letter(letters.next()?)?;
    let owner = letters.next();
    if letters.next().is_some() {
        return None;
    }
    if letter == 'X' {
        return (!promoted && owner.is_none()).then(|| Piece::fallen_king(facing));
    }
    let kind = PieceKind::from_letter(u8::try_from(letter).ok()?)?;
    if kind == PieceKind::King {
        return (!promoted && owner.is_none()).then(|| Piece::own(kind, facing));
    }
    if !can_be_in_hand(kind) {
        return None;
    }
    let kind = if promoted { kind.promoted()? } else { kind };
    let owner = match owner {
        None => Some(facing),
        Some('x') => None,
        Some(letter) => Some(Seat::from_letter(letter)?),
    };
    Some(Piece {
        kind,
        facing,
        owner,
    })
}

fn parse_hands(text: &str, board: &mut Board) -> Result<(), YfenError> {
    let groups = text.split('/').count();
    if groups != 4 {
        return Err(YfenError::HandGroups(groups));
    }
    for (seat, group) in Seat::ALL.into_iter().zip(text.split('/')) {
        if group == "-" {
            continue;
        }
        if !board.is_living(seat) {
            return Err(YfenError::MatedHand(seat));
        }
        let bad = |found: &str| YfenError::Hand {
            seat,
            found: found.to_owned(),
        };
        let mut digits: Option<u32> = None;
        for c in group.chars() {
            if let Some(digit) = c.to_digit(10) {
                let count = digits.unwrap_or(0) * 10 + digit;
                if count > MAX_SET_UP {
                    return Err(YfenError::Count(seat));
                }
                digits = Some(count);
                continue;
            }
            let kind = u8::try_from(c)
                .ok()
                .and_then(PieceKind::from_letter)
                .filter(|&kind| can_be_in_hand(kind))
                .ok_or_else(|| bad(&c.to_string()))?;
            let count = digits.take().unwrap_or(1);
            if count == 0 || board.hands[seat].count(kind) + count > MAX_SET_UP {
                return Err(YfenError::Count(seat));
            }
            board.set_hand(seat, kind, count);
        }
        if digits.is_some() || group.is_empty() {
            return Err(bad(group));
        }
    }
    Ok(())
}

/// A position may lack pieces, but has none too many.
fn count_pieces(board: &Board) -> Result<(), YfenError> {
    for (kind, most) in HAND.into_iter().zip(IN_GAME) {
        let promoted = kind
            .promoted()
            .map_or(0, |kind| board.of_kind(kind).count());
        let hands: u32 = Seat::ALL
            .into_iter()
            .map(|seat| board.hand(seat).count(kind))
            .sum();
        let count = board.of_kind(kind).count() + promoted + hands;
        if count > most {
            return Err(YfenError::TooMany { kind, count, most });
        }
    }
    Ok(())
}

fn parse_credits(text: &str, board: &mut Board) -> Result<(), YfenError> {
    if text == "-" {
        return Ok(());
    }
    let mut credits: BySeat<Option<Seat>> = BySeat::default();
    for entry in text.split(',') {
        let bad = |why| YfenError::Credits {
            found: entry.to_owned(),
            why,
        };
        let shape = "an entry is a player in check and the player credited, like ns";
        let mut letters = entry.chars();
        let (Some(victim), Some(by), None) = (letters.next(), letters.next(), letters.next())
        else {
            return Err(bad(shape));
        };
        let victim = Seat::from_letter(victim).ok_or_else(|| bad(shape))?;
        let by = Seat::from_letter(by).ok_or_else(|| bad(shape))?;
        if victim == by {
            return Err(bad("nobody checks himself (X2)"));
        }
        if board.checkers[victim].is_empty() {
            return Err(bad("this player is not in check (X2)"));
        }
        if credits[victim].is_some() {
            return Err(bad("a second entry for this player (7.1)"));
        }
        credits[victim] = Some(by);
    }
    board.credits = credits;
    Ok(())
}
