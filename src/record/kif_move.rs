//! One move as KIF and KI2 write it: read from text, and found on the board.
//!
//! KIF names the source square; KI2 has marks instead, from which the piece has to
//! be found: any marks are accepted that leave one piece.

use crate::shogi::notation::{Marks, Movement, RANKS, Standing, piece_name, rivals, square_name};
use crate::shogi::piece::PieceKind;
use crate::shogi::{Move, Position, Square};

use super::kif_read::BLANKS;
use super::text::narrow;

/// What the text of a move says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MoveText<'a> {
    /// The target; `None` for 同, that of the move before.
    pub to: Option<Square>,
    /// The piece before its move.
    pub kind: PieceKind,
    /// 成, 不成, or nothing.
    pub promotes: Option<bool>,
    pub marks: Marks,
    /// The source square.
    pub from: Option<Square>,
    /// What follows the move.
    pub rest: &'a str,
}

/// A piece by its character, in diagrams and moves.
pub(super) fn piece_kind(c: char) -> Option<PieceKind> {
    use PieceKind::*;
    Some(match c {
        '歩' => Pawn,
        '香' => Lance,
        '桂' => Knight,
        '銀' => Silver,
        '金' => Gold,
        '角' => Bishop,
        '飛' => Rook,
        '玉' | '王' => King,
        'と' => ProPawn,
        '杏' => ProLance,
        '圭' => ProKnight,
        '全' => ProSilver,
        '馬' => Horse,
        '龍' | '竜' => Dragon,
        _ => return None,
    })
}

/// A digit from 1 to 9 in any width, or in kanji.
fn digit(c: char) -> Option<usize> {
    match narrow(c).to_digit(10) {
        Some(0) => None,
        Some(digit) => Some(digit as usize),
        None => RANKS.iter().position(|&rank| rank == c).map(|i| i + 1),
    }
}

/// A square by its two digits.
pub(super) fn square(file: char, rank: char) -> Option<Square> {
    Square::new(digit(file)? - 1, digit(rank)? - 1)
}

fn is_blank(c: char) -> bool {
    BLANKS.contains(&c)
}

impl<'a> MoveText<'a> {
    /// Whether a text begins as a move does.
    pub fn begins(text: &str) -> bool {
        let mut chars = text.chars();
        match chars.next() {
            Some('同') => true,
            Some(file) => {
                narrow(file).is_ascii_digit() && chars.next().is_some_and(|c| digit(c).is_some())
            }
            None => false,
        }
    }

    /// Reads a move; the error says what was expected.
    pub fn parse(text: &'a str) -> Result<MoveText<'a>, String> {
        let mut rest = text;
        let take = |rest: &mut &'a str| {
            let c = rest.chars().next()?;
            *rest = &rest[c.len_utf8()..];
            Some(c)
        };
        let first = take(&mut rest).ok_or("no move")?;
        let to = if first == '同' {
            rest = rest.trim_start_matches(is_blank);
            None
        } else {
            let rank = take(&mut rest).ok_or("the target square is cut off")?;
            let to = square(first, rank).ok_or_else(|| format!("`{first}{rank}` is no square"))?;
            rest = rest.trim_start_matches(is_blank);
            Some(to)
        };
        let name = take(&mut rest).ok_or("no piece is named")?;
        let kind = if name == '成' {
            let base = take(&mut rest).and_then(piece_kind);
            base.and_then(PieceKind::promoted)
        } else {
            piece_kind(name)
        };
        let kind = kind.ok_or_else(|| format!("`{name}` is no piece"))?;
        let mut parsed = MoveText {
            to,
            kind,
            promotes: None,
            marks: Marks::default(),
            from: None,
            rest,
        };
        parsed.parse_marks();
        Ok(parsed)
    }

    fn parse_marks(&mut self) {
        while let Some(c) = self.rest.chars().next() {
            match c {
                '左' => self.marks.standing = Some(Standing::Left),
                '直' => self.marks.standing = Some(Standing::Straight),
                '右' => self.marks.standing = Some(Standing::Right),
                '上' | '行' => self.marks.movement = Some(Movement::Up),
                '寄' => self.marks.movement = Some(Movement::Sideways),
                '引' => self.marks.movement = Some(Movement::Back),
                '打' => self.marks.drop = true,
                '成' => self.promotes = Some(self.promotes.is_none()),
                // 不成 comes as 不 and then 成, which leaves it at no.
                '不' | '生' => self.promotes = Some(false),
                '(' | '（' => {
                    let mut chars = self.rest.chars();
                    let inner: Vec<char> = chars.by_ref().skip(1).take(3).collect();
                    let &[file, rank, ')' | '）'] = inner.as_slice() else {
                        return;
                    };
                    if !(narrow(file).is_ascii_digit() && narrow(rank).is_ascii_digit()) {
                        return;
                    }
                    self.from = square(file, rank);
                    self.rest = chars.as_str();
                    return;
                }
                _ => return,
            }
            self.rest = &self.rest[c.len_utf8()..];
        }
    }

    /// The move on the board. `same` is the target of the move before. The piece
    /// on the board decides where the text names another one: the second value says
    /// so.
    pub fn resolve(
        &self,
        position: &Position,
        same: Option<Square>,
    ) -> Result<(Move, Option<String>), String> {
        let to = match self.to.or(same) {
            Some(to) => to,
            None => return Err("同 has no move before it".to_owned()),
        };
        let promotes = self.promotes == Some(true);
        let board = |from: Square| {
            if from == to {
                return Err(format!("it goes from {} to itself", square_name(to)));
            }
            Ok(if promotes {
                Move::promotion(from, to)
            } else {
                Move::board(from, to)
            })
        };
        if let Some(from) = self.from.filter(|_| !self.marks.drop) {
            let there = position.piece_on(from).map(|piece| piece.kind);
            let note = there.filter(|&kind| kind != self.kind).map(|kind| {
                format!(
                    "the piece on {} is {}, not {}",
                    square_name(from),
                    piece_name(kind),
                    piece_name(self.kind)
                )
            });
            return Ok((board(from)?, note));
        }
        let drop = || {
            if self.kind.is_promoted() || self.kind == PieceKind::King {
                return Err(format!("{} cannot be dropped", piece_name(self.kind)));
            }
            Ok((Move::drop(self.kind, to), None))
        };
        if self.marks.drop {
            return drop();
        }
        let side = position.side_to_move();
        let rivals = rivals(position, self.kind, to);
        let fitting: Vec<Move> = rivals
            .into_iter()
            .filter(|&from| self.marks.fit(side, self.kind, from, to, rivals))
            .filter_map(|from| board(from).ok())
            .collect();
        let legal: Vec<Move> = fitting
            .iter()
            .copied()
            .filter(|&m| position.is_legal(m))
            .collect();
        match (legal.as_slice(), fitting.as_slice()) {
            (&[m], _) => return Ok((m, None)),
            (&[_, _, ..], _) => {
                return Err(format!(
                    "{} pieces could be meant by {}",
                    legal.len(),
                    piece_name(self.kind)
                ));
            }
            _ => {}
        }
        if self.marks == Marks::default()
            && self.promotes.is_none()
            && let Ok((m, _)) = drop()
            && position.hand(side).has(self.kind)
            && (fitting.is_empty() || position.is_legal(m))
        {
            return Ok((m, None));
        }
        match fitting.as_slice() {
            &[m] => Ok((m, None)),
            [] => Err(format!(
                "no {} can go to {} as it says",
                piece_name(self.kind),
                square_name(to)
            )),
            several => Err(format!(
                "{} pieces could be meant by {}, and none of them may go there",
                several.len(),
                piece_name(self.kind)
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;
    use crate::shogi::notation::japanese;

    #[test]
    fn moves_in_many_spellings() {
        let position = Position::start(&Rules::default());
        for (text, usi) in [
            ("７六歩(77)", "7g7f"),
            ("76歩(77)", "7g7f"),
            ("７６歩（７７）", "7g7f"),
            ("７六歩", "7g7f"),
            ("5八金左", "6i5h"),
            ("５八金右上 ", "4i5h"),
            ("２二角不成(88)", "8h2b"),
            ("２二角生(88)", "8h2b"),
            ("２二角成(88)", "8h2b+"),
            ("５五歩打", "P*5e"),
            ("５五角打(00)", "B*5e"),
        ] {
            let parsed = MoveText::parse(text).unwrap();
            assert_eq!(
                parsed.resolve(&position, None).unwrap().0.to_string(),
                usi,
                "{text}"
            );
        }
        for text in ["", "７", "７六", "７六成", "０六歩(77)", "７六X"] {
            assert!(MoveText::parse(text).is_err(), "{text}");
        }
        assert_eq!(MoveText::parse("同　歩(23)").unwrap().to, None);
        let time = MoveText::parse("同歩(23)( 0:01/)").unwrap();
        assert_eq!((time.rest, time.kind), ("( 0:01/)", PieceKind::Pawn));
        assert!(
            MoveText::parse("５八金")
                .unwrap()
                .resolve(&position, None)
                .is_err()
        );
        assert!(
            MoveText::parse("同歩")
                .unwrap()
                .resolve(&position, None)
                .is_err()
        );
        assert!(
            MoveText::parse("５五金寄")
                .unwrap()
                .resolve(&position, None)
                .is_err()
        );
    }

    /// What no piece on the board can do is not taken for a drop.
    #[test]
    fn no_move_is_made_up() {
        let sfen = "4k4/9/3GGG3/9/9/9/S8/1+R7/S8 b GS 1";
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        for (text, expected) in [
            ("５二金直", Some("5c5b")),
            ("５五金", Some("G*5e")),
            ("５二金成", None),
            ("５五金成", None),
            ("５五金不成", None),
            ("８八銀", None),
            // One piece is meant, though it may not go there.
            ("８八銀上", Some("9i8h")),
        ] {
            let resolved = MoveText::parse(text).unwrap().resolve(&position, None);
            let found = resolved.ok().map(|(m, _)| m.to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_found_again() {
        for sfen in [
            "9/1+P7/+P1+P6/1G7/9/3R5/1R7/1SSS5/9 b G2S2NP 1",
            "4k4/9/4G4/9/4GG3/9/2+R6/2+R6/4K4 b 2B 1",
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        ] {
            let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
            for m in position.legal_moves() {
                let text = japanese(&position, m);
                let parsed = MoveText::parse(&text).unwrap();
                assert_eq!(
                    parsed.resolve(&position, None).unwrap().0,
                    m,
                    "{text} in {sfen}"
                );
            }
        }
    }
}
