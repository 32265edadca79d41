//! The CSA format, version 2.2 (コンピュータ将棋協会, "CSA標準棋譜ファイル形式").
//!
//! A move names the piece as it stands after it, so a promotion shows in the
//! piece. Evaluations follow the moves as `'** score line`, the form that the
//! floodgate server made common: the score from Black's view, the line from the
//! opponent's reply on.

use std::fmt::Write;

use super::{Ending, GameRecord, black_view, date_time, expected_line};
use crate::core::Color;
use crate::game::Game;
use crate::shogi::piece::KINDS;
use crate::shogi::square::SIZE;
use crate::shogi::{Move, Position, Square, sfen};

/// Codes of the kinds by [`PieceKind::index`].
const CODES: [&str; KINDS] = [
    "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY",
];

const fn sign(color: Color) -> char {
    match color {
        Color::Black => '+',
        Color::White => '-',
    }
}

fn square(square: Square) -> String {
    format!("{}{}", square.file() + 1, square.rank() + 1)
}

/// A legal move of `position`, as `+7776FU`.
fn move_text(m: Move, position: &Position) -> String {
    let from = m.from().map_or("00".to_string(), square);
    let code = CODES[position.moved_piece(m) % KINDS];
    format!(
        "{}{from}{}{code}",
        sign(position.side_to_move()),
        square(m.to())
    )
}

/// The initial position.
fn write_position(text: &mut String, position: &Position) {
    if position.sfen() == sfen::START {
        text.push_str("PI\n");
    } else {
        for rank in 0..SIZE {
            let _ = write!(text, "P{}", rank + 1);
            for file in (0..SIZE).rev() {
                match Square::new(file, rank).and_then(|square| position.piece_on(square)) {
                    None => text.push_str(" * "),
                    Some(piece) => {
                        let _ = write!(text, "{}{}", sign(piece.color), CODES[piece.kind.index()]);
                    }
                }
            }
            text.push('\n');
        }
        for color in Color::ALL {
            let hand = position.hand(color);
            if !hand.is_empty() {
                let _ = write!(text, "P{}", sign(color));
                for (kind, count) in hand.iter() {
                    let piece: &str = CODES[kind.index()];
                    for _ in 0..count {
                        let _ = write!(text, "00{piece}");
                    }
                }
                text.push('\n');
            }
        }
    }
    let _ = writeln!(text, "{}", sign(position.side_to_move()));
}

/// The line that ends the record. Where the format has no word for an ending,
/// it is the one with the same winner.
fn end_line(record: &GameRecord) -> String {
    let loser = record.result.winner().map(|winner| !winner);
    let foul = |loser| format!("%{}ILLEGAL_ACTION", sign(loser));
    let word = match record.ending {
        Ending::Checkmate => "%TSUMI",
        Ending::Resignation
        | Ending::NoLegalMove
        | Ending::Try
        | Ending::KingCaptured
        | Ending::ImpasseWin
        | Ending::AgreedWin => "%TORYO",
        Ending::Sennichite => "%SENNICHITE",
        Ending::Declaration => "%KACHI",
        Ending::ImpasseDraw | Ending::BareKings | Ending::MoveLimit => "%JISHOGI",
        Ending::AgreedDraw => "%HIKIWAKE",
        Ending::TimeForfeit | Ending::NoAnswer | Ending::Crash => "%TIME_UP",
        Ending::PerpetualCheck
        | Ending::IllegalMove
        | Ending::FalseDeclaration
        | Ending::Protocol => return foul(loser.unwrap_or(record.side_at_end())),
    };
    word.to_string()
}

/// The text after a key: no line breaks.
fn one_line(text: &str) -> String {
    text.replace(['\r', '\n'], " ")
}

/// The game as a file in UTF-8.
pub fn write(record: &GameRecord) -> String {
    let mut text = String::from("V2.2\n");
    let _ = writeln!(text, "N+{}", one_line(&record.black));
    let _ = writeln!(text, "N-{}", one_line(&record.white));
    let _ = writeln!(text, "$EVENT:{}", one_line(&record.event));
    let _ = writeln!(text, "$START_TIME:{}", date_time(record.started));
    write_position(&mut text, &record.start_position());
    for (played, m, position) in record.replay() {
        let _ = writeln!(text, "{}", move_text(m, &position));
        let seconds = played.time_us.unwrap_or(0) / 1_000_000;
        let _ = writeln!(text, "T{seconds}");
        if let Some(thought) = &played.thought {
            let score = black_view(thought.score, position.side_to_move());
            let _ = write!(text, "'** {score}");
            for (m, position) in expected_line(thought, m, &position) {
                let _ = write!(text, " {}", move_text(m, &position));
            }
            text.push('\n');
        }
    }
    let _ = writeln!(text, "{}", end_line(record));
    let _ = writeln!(text, "'*{}", record.ending.text());
    if !record.note.is_empty() {
        let _ = writeln!(text, "'*{}", one_line(&record.note));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::GameResult;
    use crate::record::tests::sample;
    use crate::shogi::piece::PieceKind;

    #[test]
    fn writes_a_game() {
        assert_eq!(
            write(&sample()),
            "V2.2\nN+A\nN-B\n$EVENT:test\n$START_TIME:2024/01/02 10:00:00\nPI\n+\n\
             +7776FU\nT0\n-3334FU\nT61\n+8822UM\nT61\n-3122GI\nT61\n\
             '** -35 +0045KA -0033KA\n+0045KA\nT61\n%TORYO\n'*resignation\n"
        );
    }

    #[test]
    fn writes_positions_and_fouls() {
        let mut record = sample();
        record.moves.clear();
        record.start =
            Some("lnsgkgsn1/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LN1GKGSNL w S2p 1".to_string());
        record.ending = Ending::IllegalMove;
        record.result = GameResult::BlackWins;
        record.note = "nifu".to_string();
        let text = write(&record);
        assert!(text.contains("\nP1-KY-KE-GI-KI-OU-KI-GI-KE * \nP2 * -HI * "));
        assert!(text.contains("\nP9+KY+KE * +KI+OU+KI+GI+KE+KY\nP+00GI\nP-00FU00FU\n-\n"));
        assert!(text.ends_with("\n%-ILLEGAL_ACTION\n'*illegal move\n'*nifu\n"));
    }

    #[test]
    fn every_kind_has_its_code() {
        for (kind, code) in [
            (PieceKind::Pawn, "FU"),
            (PieceKind::Gold, "KI"),
            (PieceKind::Bishop, "KA"),
            (PieceKind::King, "OU"),
            (PieceKind::ProKnight, "NK"),
            (PieceKind::Dragon, "RY"),
        ] {
            assert_eq!(CODES[kind.index()], code);
        }
    }
}
