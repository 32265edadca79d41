//! Keys of positions: what a book looks up.
//!
//! The key is the position as sfen writes it, without the move number: board, side
//! to move, hands. It is a text in canonical form (hands in the order R B G S N L
//! P, Black first, no count of 1), so that equal positions have equal bytes and a
//! sorted file can be searched by them. Reading takes a fraction of what setting
//! up a position does; millions of positions are read when a large book is loaded.
//!
//! A position may also stand in a book *flipped*: the board rotated by 180 degrees
//! and the colours exchanged. It is the same game seen from the other side, so its
//! moves serve once they are rotated back.

use std::hash::{DefaultHasher, Hasher};

use crate::shogi::{Move, PieceKind, Position, Source};

/// Why a position line is damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// No three words.
    #[error("a position needs board, side to move and hands")]
    Incomplete,
    /// The board is not nine ranks of nine squares with pieces.
    #[error("the board cannot be read")]
    Board,
    /// The side to move is neither `b` nor `w`.
    #[error("the side to move is neither b nor w")]
    Turn,
    /// The hands cannot be read.
    #[error("the hands cannot be read")]
    Hands,
}

/// The letters of the hands in their canonical order.
const HAND_LETTERS: &[u8; 14] = b"RBGSNLPrbgsnlp";

/// Reads `board turn hands [ply]` and writes the key to `key`. Returns the ply; 0
/// when there is none, or none that can be read.
pub fn normalise(text: &str, key: &mut String) -> Result<u32, KeyError> {
    let mut words = text.split_ascii_whitespace();
    let (Some(board), Some(turn), Some(hands)) = (words.next(), words.next(), words.next()) else {
        return Err(KeyError::Incomplete);
    };
    if !is_board(board.as_bytes()) {
        return Err(KeyError::Board);
    }
    if !matches!(turn, "b" | "w") {
        return Err(KeyError::Turn);
    }
    key.clear();
    key.push_str(board);
    key.push(' ');
    key.push_str(turn);
    key.push(' ');
    push_hands(hands, key)?;
    Ok(words.next().and_then(|ply| ply.parse().ok()).unwrap_or(0))
}

fn is_board(text: &[u8]) -> bool {
    let (mut ranks, mut width, mut plus) = (1, 0, false);
    for &c in text {
        match c {
            b'/' if width == 9 && !plus => {
                ranks += 1;
                width = 0;
            }
            b'1'..=b'9' if !plus => width += usize::from(c - b'0'),
            b'+' if !plus => plus = true,
            _ => match PieceKind::from_letter(c.to_ascii_uppercase()) {
                Some(kind) if !plus || kind.promoted().is_some() => {
                    width += 1;
                    plus = false;
                }
                _ => return false,
            },
        }
    }
    ranks == 9 && width == 9 && !plus
}

/// Appends hands in canonical form.
fn push_hands(text: &str, key: &mut String) -> Result<(), KeyError> {
    if text == "-" {
        key.push('-');
        return Ok(());
    }
    let mut counts = [0u32; HAND_LETTERS.len()];
    let mut number = 0;
    for c in text.bytes() {
        if c.is_ascii_digit() {
            number = number * 10 + u32::from(c - b'0');
            if !(1..=18).contains(&number) {
                return Err(KeyError::Hands);
            }
            continue;
        }
        let index = HAND_LETTERS.iter().position(|&letter| letter == c);
        let count = &mut counts[index.ok_or(KeyError::Hands)?];
        *count += number.max(1);
        if *count > 18 {
            return Err(KeyError::Hands);
        }
        number = 0;
    }
    if number != 0 {
        return Err(KeyError::Hands);
    }
    push_counts(&counts, key);
    Ok(())
}

fn push_counts(counts: &[u32; HAND_LETTERS.len()], key: &mut String) {
    for (&count, &letter) in counts.iter().zip(HAND_LETTERS) {
        if count > 1 {
            key.push_str(&count.to_string());
        }
        if count > 0 {
            key.push(char::from(letter));
        }
    }
}

/// The key of a position.
pub fn key_of(position: &Position) -> String {
    let mut text = position.sfen();
    // The move number is the last word.
    text.truncate(text.rfind(' ').unwrap_or(text.len()));
    text
}

/// The hash that keys are found by in memory. It is the same within one run of
/// the program only.
pub fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(key.as_bytes());
    hasher.finish()
}

/// The key of the flipped position.
pub fn flip(key: &str) -> String {
    let mut words = key.split(' ');
    let board = words.next().unwrap_or_default();
    let turn = words.next().unwrap_or_default();
    let hands = words.next().unwrap_or_default();
    let swap_case = |c: u8| match c.is_ascii_uppercase() {
        true => c.to_ascii_lowercase(),
        false => c.to_ascii_uppercase(),
    };
    let mut flipped = String::with_capacity(key.len());
    let mut bytes = board.bytes().rev().peekable();
    while let Some(c) = bytes.next() {
        // Reversed, the sign of promotion comes after its piece.
        if bytes.next_if_eq(&b'+').is_some() {
            flipped.push('+');
        }
        flipped.push(char::from(swap_case(c)));
    }
    flipped.push_str(if turn == "b" { " w " } else { " b " });
    if hands == "-" {
        flipped.push('-');
    } else {
        let hands: String = hands.bytes().map(|c| char::from(swap_case(c))).collect();
        // Only the order changes: what was canonical can be read.
        let _ = push_hands(&hands, &mut flipped);
    }
    flipped
}

/// The move in the flipped position.
pub fn flip_move(m: Move) -> Move {
    let to = m.to().rotate();
    match m.source() {
        Source::Hand(kind) => Move::drop(kind, to),
        Source::Board(from) if m.is_promotion() => Move::promotion(from.rotate(), to),
        Source::Board(from) => Move::board(from.rotate(), to),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    const BUSY: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";

    fn normal(text: &str) -> Result<(String, u32), KeyError> {
        let mut key = String::new();
        normalise(text, &mut key).map(|ply| (key, ply))
    }

    #[test]
    fn keys_are_those_of_positions() {
        let position = Position::from_sfen(BUSY, &Rules::default()).unwrap();
        let (key, ply) = normal(BUSY).unwrap();
        assert_eq!(key, key_of(&position));
        assert_eq!(ply, 1);
        assert_eq!(normal(&key), Ok((key, 0)));
    }

    #[test]
    fn damaged_positions_are_refused() {
        for (text, error) in [
            ("", KeyError::Incomplete),
            ("9/9/9/9/9/9/9/9/9 b", KeyError::Incomplete),
            ("9/9/9/9/9/9/9/9 b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/8 b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/9/9 b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/8X b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/8+G b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/8+ b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/+9 b - 1", KeyError::Board),
            ("9/9/9/9/9/9/9/9/9 x - 1", KeyError::Turn),
            ("9/9/9/9/9/9/9/9/9 b 2 1", KeyError::Hands),
            ("9/9/9/9/9/9/9/9/9 b 0P 1", KeyError::Hands),
            ("9/9/9/9/9/9/9/9/9 b 19P 1", KeyError::Hands),
            ("9/9/9/9/9/9/9/9/9 b 18P2P 1", KeyError::Hands),
            ("9/9/9/9/9/9/9/9/9 b K 1", KeyError::Hands),
        ] {
            assert_eq!(normal(text), Err(error), "{text}");
        }
    }

    #[test]
    fn flipping_twice_changes_nothing() {
        let position = Position::from_sfen(BUSY, &Rules::default()).unwrap();
        let key = key_of(&position);
        let flipped = flip(&key);
        assert_eq!(
            flipped,
            "lkB4nl/8r/1sg5p/p1p2Bpp1/1Ps2p3/Pp4P1P/3s1PN2/KG1+p5/LN6L b GSN5Prg"
        );
        assert_eq!(flip(&flipped), key);
        for text in ["7g7f", "8h2b+", "P*5e"] {
            let m = Move::from_usi(text).unwrap();
            assert_eq!(flip_move(flip_move(m)), m);
        }
        assert_eq!(
            flip_move(Move::from_usi("8h2b+").unwrap()).to_string(),
            "2b8h+"
        );
    }
}
