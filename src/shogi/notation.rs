//! Moves as people write them: the one home of the Japanese and English notations.
//!
//! Japanese moves name the target, the piece and, where several pieces of the kind
//! could go there, marks that tell which one (`５八金右`): the rules of the Japanese
//! federation (日本将棋連盟, "棋譜の表記方法"). English moves are those of G. Hodges
//! (Wikipedia, "Shogi notation"): `P-7f`, `Bx2b+`, `P*5e`, and the source square where
//! two pieces could go (`G6i-5h`). Which side moves is shown by ☗ and ☖.

use std::fmt::Write;
use std::str::FromStr;

use super::attacks;
use super::piece::PieceKind;
use super::position::Position;
use super::square::{Bitboard, SIZE, Square};
use super::{Move, Source};
use crate::core::Color;

/// The files in full-width digits, file 1 first.
pub const FILES: [char; SIZE] = ['１', '２', '３', '４', '５', '６', '７', '８', '９'];
/// The ranks in kanji, rank a first.
pub const RANKS: [char; SIZE] = ['一', '二', '三', '四', '五', '六', '七', '八', '九'];

/// How moves are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// As in the protocol: `7g7f`, `8h2b+`, `P*5e`.
    Usi,
    /// `☗７六歩`.
    Japanese,
    /// `☗P-7f`.
    #[default]
    English,
}

impl Notation {
    /// The words that choose a notation.
    pub const WORDS: [(Notation, &'static str); 3] = [
        (Notation::Japanese, "ja"),
        (Notation::English, "en"),
        (Notation::Usi, "usi"),
    ];

    /// A move of `position`; `☗` or `☖` stands before it except in USI.
    pub fn show(self, position: &Position, m: Move) -> String {
        let sign = sign(position.side_to_move());
        match self {
            Notation::Usi => m.to_string(),
            Notation::Japanese => format!("{sign}{}", japanese(position, m)),
            Notation::English => format!("{sign}{}", english(position, m)),
        }
    }

    /// A line of moves from `position` on, parted by blanks. It ends before the
    /// first move that is not legal.
    pub fn show_line(self, position: &Position, line: &[Move]) -> String {
        let mut position = position.clone();
        let mut text = String::new();
        for &m in line {
            if !position.is_legal(m) {
                break;
            }
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&self.show(&position, m));
            position.make(m);
        }
        text
    }
}

/// A word that names no notation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no notation (ja, en or usi)")]
pub struct NotationError(pub String);

impl FromStr for Notation {
    type Err = NotationError;

    fn from_str(text: &str) -> Result<Notation, NotationError> {
        Notation::WORDS
            .iter()
            .find(|(_, word)| word.eq_ignore_ascii_case(text))
            .map(|&(notation, _)| notation)
            .ok_or_else(|| NotationError(text.to_owned()))
    }
}

/// The mark of a side in front of its moves.
pub const fn sign(color: Color) -> char {
    match color {
        Color::Black => '☗',
        Color::White => '☖',
    }
}

/// Columns that a text takes where each Japanese character takes two.
pub fn columns(text: &str) -> usize {
    let wide = |c: char| {
        matches!(
            c as u32,
            0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60
        )
    };
    text.chars().map(|c| if wide(c) { 2 } else { 1 }).sum()
}

/// The text with blanks behind it, so that it takes at least so many columns.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// The name of a piece in Japanese moves.
pub const fn piece_name(kind: PieceKind) -> &'static str {
    match kind {
        PieceKind::Pawn => "歩",
        PieceKind::Lance => "香",
        PieceKind::Knight => "桂",
        PieceKind::Silver => "銀",
        PieceKind::Gold => "金",
        PieceKind::Bishop => "角",
        PieceKind::Rook => "飛",
        PieceKind::King => "玉",
        PieceKind::ProPawn => "と",
        PieceKind::ProLance => "成香",
        PieceKind::ProKnight => "成桂",
        PieceKind::ProSilver => "成銀",
        PieceKind::Horse => "馬",
        PieceKind::Dragon => "龍",
    }
}

/// A square in Japanese: `７六`.
pub fn square_name(square: Square) -> String {
    format!("{}{}", FILES[square.file()], RANKS[square.rank()])
}

/// Which of several pieces moves, by where it stands as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// 左
    Left,
    /// 直: straight up.
    Straight,
    /// 右
    Right,
}

/// Which of several pieces moves, by its movement as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// 上: forward.
    Up,
    /// 寄: sideways.
    Sideways,
    /// 引: back.
    Back,
}

/// The marks that tell which piece of a kind moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// 左, 直 or 右.
    pub standing: Option<Standing>,
    /// 上, 寄 or 引.
    pub movement: Option<Movement>,
    /// 打: a drop, where a piece on the board could go, too.
    pub drop: bool,
}

impl Marks {
    /// The marks of a move that obeys the movement of the pieces: as few as tell it
    /// from the moves of other pieces of its kind, pinned ones included.
    pub fn of(position: &Position, m: Move) -> Marks {
        let to = m.to();
        let kind = match m.source() {
            Source::Hand(kind) => kind,
            Source::Board(from) => match position.piece_on(from) {
                Some(piece) => piece.kind,
                None => return Marks::default(),
            },
        };
        let rivals = rivals(position, kind, to);
        let Some(from) = m.from() else {
            return Marks {
                drop: rivals.any(),
                ..Marks::default()
            };
        };
        let side = position.side_to_move();
        let movement = Some(movement(side, from, to));
        let standing = standing(side, kind, from, to, rivals);
        for (standing, movement) in [
            (None, None),
            (None, movement),
            (standing, None),
            (standing, movement),
        ] {
            let marks = Marks {
                standing,
                movement,
                drop: false,
            };
            let fits = |&rival: &Square| marks.fit(side, kind, rival, to, rivals);
            if rivals
                .into_iter()
                .all(|rival| rival == from || !fits(&rival))
            {
                return marks;
            }
        }
        Marks {
            standing,
            movement,
            drop: false,
        }
    }

    /// Whether the marks fit the move of a piece of `kind` from `from`, one of the
    /// `rivals` that can go to `to`.
    pub fn fit(
        self,
        side: Color,
        kind: PieceKind,
        from: Square,
        to: Square,
        rivals: Bitboard,
    ) -> bool {
        let moves = self.movement;
        !self.drop
            && moves.is_none_or(|mark| mark == movement(side, from, to))
            && self
                .standing
                .is_none_or(|mark| Some(mark) == standing(side, kind, from, to, rivals))
    }
}

/// The pieces of the side to move of one kind that can go to `to` by their
/// movement.
pub fn rivals(position: &Position, kind: PieceKind, to: Square) -> Bitboard {
    let side = position.side_to_move();
    position.attackers(side, to, position.occupied()) & position.pieces_of(side, kind)
}

fn movement(side: Color, from: Square, to: Square) -> Movement {
    match from.relative_rank(side).cmp(&to.relative_rank(side)) {
        std::cmp::Ordering::Greater => Movement::Up,
        std::cmp::Ordering::Equal => Movement::Sideways,
        std::cmp::Ordering::Less => Movement::Back,
    }
}

/// How far left a square is, as the side sees it.
fn leftness(side: Color, square: Square) -> usize {
    square.relative(side).file()
}

/// Where a piece stands: small pieces beside the target, big ones (of which there
/// are two) beside each other.
fn standing(
    side: Color,
    kind: PieceKind,
    from: Square,
    to: Square,
    rivals: Bitboard,
) -> Option<Standing> {
    use PieceKind::{Bishop, Dragon, Horse, Rook};
    let own = leftness(side, from);
    if matches!(kind, Bishop | Rook | Horse | Dragon) {
        let mut others = rivals.into_iter().filter(|&rival| rival != from);
        let other = leftness(side, others.next()?);
        return match own.cmp(&other) {
            std::cmp::Ordering::Greater => Some(Standing::Left),
            std::cmp::Ordering::Less => Some(Standing::Right),
            std::cmp::Ordering::Equal => None,
        };
    }
    match own.cmp(&leftness(side, to)) {
        std::cmp::Ordering::Greater => Some(Standing::Left),
        std::cmp::Ordering::Less => Some(Standing::Right),
        std::cmp::Ordering::Equal => {
            (movement(side, from, to) == Movement::Up).then_some(Standing::Straight)
        }
    }
}

/// Whether the piece of a move may promote by it.
pub fn may_promote(position: &Position, m: Move) -> bool {
    let Some(from) = m.from() else { return false };
    let Some(piece) = position.piece_on(from) else {
        return false;
    };
    let zone = attacks::promotion_zone(piece.color);
    piece.kind.promoted().is_some() && (zone.contains(from) || zone.contains(m.to()))
}

/// The moved piece before its move.
fn moved(position: &Position, m: Move) -> Option<PieceKind> {
    match m.source() {
        Source::Hand(kind) => Some(kind),
        Source::Board(from) => position.piece_on(from).map(|piece| piece.kind),
    }
}

/// Target and piece: `７六歩`, `同　銀`.
pub fn target_and_piece(position: &Position, m: Move) -> String {
    let to = m.to();
    let piece = moved(position, m).map_or("", piece_name);
    if position.last_move().is_some_and(|last| last.to() == to) {
        format!("同　{piece}")
    } else {
        format!("{}{piece}", square_name(to))
    }
}

/// A move in Japanese without its side's mark: `７六歩`, `同　銀右不成`.
pub fn japanese(position: &Position, m: Move) -> String {
    let mut text = target_and_piece(position, m);
    let marks = Marks::of(position, m);
    text.push_str(match marks.standing {
        Some(Standing::Left) => "左",
        Some(Standing::Straight) => "直",
        Some(Standing::Right) => "右",
        None => "",
    });
    text.push_str(match marks.movement {
        Some(Movement::Up) => "上",
        Some(Movement::Sideways) => "寄",
        Some(Movement::Back) => "引",
        None => "",
    });
    if marks.drop {
        text.push('打');
    }
    if m.is_promotion() {
        text.push('成');
    } else if may_promote(position, m) {
        text.push_str("不成");
    }
    text
}

/// A move in English without its side's mark: `P-7f`, `Bx2b+`, `G6i-5h`.
pub fn english(position: &Position, m: Move) -> String {
    let to = m.to();
    let Some(from) = m.from() else {
        return m.to_string();
    };
    let mut text = String::new();
    if let Some(kind) = moved(position, m) {
        let _ = write!(text, "{kind}");
        if rivals(position, kind, to).more_than_one() {
            let _ = write!(text, "{from}");
        }
    }
    text.push(if position.piece_on(to).is_some() {
        'x'
    } else {
        '-'
    });
    let _ = write!(text, "{to}");
    if m.is_promotion() {
        text.push('+');
    } else if may_promote(position, m) {
        text.push('=');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    fn position(sfen: &str) -> Position {
        Position::from_sfen(sfen, &Rules::default()).unwrap()
    }

    fn both(position: &Position, usi: &str) -> (String, String) {
        let m = position.parse_move(usi).unwrap();
        (japanese(position, m), english(position, m))
    }

    #[test]
    fn plain_moves() {
        let mut start = Position::start(&Rules::default());
        let show = |p: &Position, usi: &str| both(p, usi);
        assert_eq!(show(&start, "7g7f"), ("７六歩".into(), "P-7f".into()));
        assert_eq!(show(&start, "6i5h"), ("５八金左".into(), "G6i-5h".into()));
        for m in ["7g7f", "3c3d"] {
            start.make(start.parse_move(m).unwrap());
        }
        assert_eq!(show(&start, "8h2b+"), ("２二角成".into(), "Bx2b+".into()));
        assert_eq!(show(&start, "8h2b"), ("２二角不成".into(), "Bx2b=".into()));
        let line: Vec<Move> = ["8h2b+", "3a2b", "B*4e", "9a9b"]
            .map(|usi| Move::from_usi(usi).unwrap())
            .to_vec();
        assert_eq!(
            Notation::Japanese.show_line(&start, &line),
            "☗２二角成 ☖同　銀 ☗４五角 ☖９二香"
        );
        assert_eq!(
            Notation::English.show_line(&start, &line),
            "☗Bx2b+ ☖Sx2b ☗B*4e ☖L-9b"
        );
        assert_eq!(Notation::Usi.show_line(&start, &line[..1]), "8h2b+");
    }

    /// The examples of 日本将棋連盟, "棋譜の表記方法".
    #[test]
    fn marks_of_the_federation() {
        for (sfen, moves) in [
            // Golds to 8b: up and sideways.
            ("9/1+P7/9/9/9/9/9/9/9 b - 1", vec![("8b8a", "８一と")]),
            (
                "9/2G6/G8/9/9/9/9/9/9 b - 1",
                vec![("9c8b", "８二金上"), ("7b8b", "８二金寄")],
            ),
            (
                "9/3G5/4G4/9/4GG3/9/9/9/9 b - 1",
                vec![
                    ("5e5d", "５四金直"),
                    ("4e5d", "５四金右"),
                    ("5c5d", "５四金引"),
                ],
            ),
            // Golds side by side to 8a.
            (
                "9/G1G6/9/9/9/9/9/9/9 b - 1",
                vec![("9b8a", "８一金左"), ("7b8a", "８一金右")],
            ),
            // Straight up.
            (
                "9/9/9/9/9/9/9/7GG/9 b - 1",
                vec![("2h2g", "２七金直"), ("1h2g", "２七金右")],
            ),
            // Five tokins around 5c's south (from the federation's page, moved).
            (
                "9/9/9/9/9/9/1+P7/+P1+P6/+P+P+P6 b - 1",
                vec![
                    ("9i8h", "８八と左上"),
                    ("8i8h", "８八と直"),
                    ("7i8h", "８八と右上"),
                    ("9h8h", "８八と左寄"),
                    ("7h8h", "８八と右寄"),
                    ("8g8h", "８八と引"),
                ],
            ),
            // Silvers.
            (
                "9/9/9/9/9/9/2S1S4/9/2S1S4 b - 1",
                vec![
                    ("7i6h", "６八銀左上"),
                    ("7g6h", "６八銀左引"),
                    ("5i6h", "６八銀右上"),
                ],
            ),
            // Dragons and horses.
            (
                "+R8/9/9/1+R7/9/9/9/9/9 b - 1",
                vec![("9a8b", "８二龍引"), ("8d8b", "８二龍上")],
            ),
            (
                "9/4+R4/7+R1/9/9/9/9/9/9 b - 1",
                vec![("2c4c", "４三龍寄"), ("5b4c", "４三龍引")],
            ),
            (
                "9/9/9/9/9/9/9/9/+R3+R4 b - 1",
                vec![
                    ("9i8h", "８八龍"),
                    ("9i7i", "７九龍左"),
                    ("5i7i", "７九龍右"),
                ],
            ),
            (
                "+B+B7/9/9/9/9/9/9/9/9 b - 1",
                vec![("9a8b", "８二馬左"), ("8a8b", "８二馬右")],
            ),
        ] {
            let position = position(sfen);
            for (usi, expected) in moves {
                assert_eq!(both(&position, usi).0, expected, "{usi} in {sfen}");
            }
        }
    }

    #[test]
    fn white_sees_the_board_from_the_other_side() {
        let position = position("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 2");
        assert_eq!(
            both(&position, "4a5b"),
            ("５二金左".into(), "G4a-5b".into())
        );
        assert_eq!(
            both(&position, "6a5b"),
            ("５二金右".into(), "G6a-5b".into())
        );
    }

    #[test]
    fn drops_are_marked_where_a_piece_could_move() {
        let position = position("4k4/9/9/9/9/9/9/4G4/4K4 b G 1");
        assert_eq!(both(&position, "G*5g"), ("５七金打".into(), "G*5g".into()));
        assert_eq!(both(&position, "5h5g").0, "５七金");
        assert_eq!(both(&position, "G*1a").0, "１一金");
    }
}
