//! Kinds of piece, pieces of a colour, their letters and their exchange values.

use std::fmt;

use super::kinds::{Row, TABLE};
use crate::common::Kind;

/// A kind of piece. Those that can be in hand come first, in the order in which
/// SFEN lists them; the king; then the promoted kinds in the order of those that
/// they promote from. [`super::kinds`] tells all about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum PieceKind {
    Eagle,
    Falcon,
    Swallow,
    Fox,
    Rabbit,
    Wolf,
    Stag,
    Goose,
    Cock,
    Crow,
    Owl,
    Dog,
    Monkey,
    Horse,
    Oxcart,
    Pawn,
    King,
    ProFalcon,
    ProSwallow,
    ProRabbit,
    ProWolf,
    ProStag,
    ProGoose,
    ProCock,
    ProCrow,
    ProOwl,
    ProDog,
    ProMonkey,
    ProHorse,
    ProOxcart,
    ProPawn,
}

use PieceKind::*;

/// Number of kinds.
pub const KINDS: usize = 31;

/// Number of pieces with their colour.
pub const PIECES: usize = 2 * KINDS;

/// Number of kinds that can be in hand.
pub const HAND_KINDS: usize = 16;

/// By kind, what it promotes to.
const PROMOTED: [Option<PieceKind>; KINDS] = {
    let mut table = [None; KINDS];
    let mut i = 0;
    while i < KINDS {
        table[i] = TABLE[i].promotes_to;
        i += 1;
    }
    table
};

/// By kind, what it is when it is captured.
const UNPROMOTED: [PieceKind; KINDS] = {
    let mut table = PieceKind::ALL;
    let mut i = 0;
    while i < KINDS {
        if let Some(promoted) = TABLE[i].promotes_to {
            table[promoted as usize] = TABLE[i].kind;
        }
        i += 1;
    }
    table
};

impl PieceKind {
    /// All kinds, by number.
    pub const ALL: [PieceKind; KINDS] = [
        Eagle, Falcon, Swallow, Fox, Rabbit, Wolf, Stag, Goose, Cock, Crow, Owl, Dog, Monkey,
        Horse, Oxcart, Pawn, King, ProFalcon, ProSwallow, ProRabbit, ProWolf, ProStag, ProGoose,
        ProCock, ProCrow, ProOwl, ProDog, ProMonkey, ProHorse, ProOxcart, ProPawn,
    ];

    /// The kinds that can be in hand, in the order in which SFEN lists them.
    pub fn hand() -> impl Iterator<Item = PieceKind> {
        Self::ALL.into_iter().take(HAND_KINDS)
    }

    /// The number of the kind, below 31. Kinds that can be in hand are below 16.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The kind's row of the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self.index()]
    }

    /// The promoted kind, if this kind promotes.
    #[inline]
    pub const fn promoted(self) -> Option<PieceKind> {
        PROMOTED[self as usize]
    }

    /// The kind as it goes to the hand when captured.
    #[inline]
    pub const fn unpromoted(self) -> PieceKind {
        UNPROMOTED[self as usize]
    }

    /// Whether this is a promoted kind.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 > King as u8
    }

    /// How many of this kind, promoted or not, a game has.
    pub const fn copies(self) -> u32 {
        match self.unpromoted() {
            Pawn => 22,
            _ => 2,
        }
    }

    /// The unpromoted kind with this upper-case letter.
    pub fn from_letter(letter: char) -> Option<PieceKind> {
        let row = TABLE.iter().find(|row| row.letter == letter)?;
        Some(row.kind)
    }

    /// The upper-case letter of the unpromoted kind.
    pub fn letter(self) -> char {
        self.row().letter
    }

    /// The English name, in lower case.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

impl fmt::Display for PieceKind {
    /// SFEN letters as for Black: `P`, `+R`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_promoted() {
            f.write_str("+")?;
        }
        write!(f, "{}", self.letter())
    }
}

impl Kind for PieceKind {
    const ALL: &'static [PieceKind] = &PieceKind::ALL;
    const IN_HAND: &'static [PieceKind] = PieceKind::ALL.split_at(HAND_KINDS).0;
    const PAWN: PieceKind = Pawn;
    const KING: PieceKind = King;
    const LANE_BITS: u32 = 3;
    const LAST_LANE_BITS: u32 = 6;
    const MOVE_EXAMPLES: &'static str = "8h8g, 10j11k, 4i4c+ or P*6f";
    const XBOARD_MOVES: bool = true;

    #[inline]
    fn index(self) -> usize {
        PieceKind::index(self)
    }

    #[inline]
    fn promoted(self) -> Option<PieceKind> {
        PieceKind::promoted(self)
    }

    #[inline]
    fn unpromoted(self) -> PieceKind {
        PieceKind::unpromoted(self)
    }

    fn from_letter(letter: char) -> Option<PieceKind> {
        PieceKind::from_letter(letter)
    }

    fn letter(self) -> char {
        PieceKind::letter(self)
    }

    fn name(self) -> &'static str {
        PieceKind::name(self)
    }
}

/// A piece on the board.
pub type Piece = crate::common::Piece<PieceKind>;

/// What a piece is worth in exchanges, in centipawns.
pub struct Values {
    /// What capturing a piece of this kind wins, by kind.
    pub capture: [i32; KINDS],
    /// What its promotion wins, by unpromoted kind.
    pub promotion: [i32; KINDS],
}

/// What nobody would exchange.
const KING_VALUE: i32 = 15_000;

/// Values on the board with drops, by kind.
#[rustfmt::skip]
pub const BOARD_DROPS: [i32; KINDS] = [
    1000, 900, 610, 930, 700, 490, 440, 350, 320, 290, 300, 400, 330, 290, 260, 100, 0,
    1300, 950, 930, 570, 540, 600, 760, 900, 1000, 480, 430, 330, 560, 480,
];

/// Values in hand, by kind.
#[rustfmt::skip]
pub const HAND_DROPS: [i32; HAND_KINDS] = [
    1100, 990, 670, 1020, 870, 540, 480, 440, 400, 360, 370, 440, 360, 320, 290, 110,
];

/// Values on the board without drops, by kind.
#[rustfmt::skip]
pub const BOARD_NO_DROPS: [i32; KINDS] = [
    540, 475, 325, 490, 325, 275, 250, 240, 165, 130, 145, 190, 220, 215, 190, 100, 0,
    900, 625, 490, 325, 300, 325, 360, 475, 540, 275, 250, 275, 325, 275,
];

const fn values(board: &[i32; KINDS], hand: Option<&[i32; HAND_KINDS]>) -> Values {
    let mut values = Values {
        capture: [0; KINDS],
        promotion: [0; KINDS],
    };
    let mut i = 0;
    while i < KINDS {
        let kind = PieceKind::ALL[i];
        let promotion = match kind.promoted() {
            Some(promoted) => board[promoted.index()] - board[i],
            None => 0,
        };
        (values.capture[i], values.promotion[i]) = match hand {
            _ if i == King as usize => (KING_VALUE, 0),
            // The piece changes hands: its owner loses what it is on the board, its
            // captor wins what its unpromoted kind is in hand. Halved, so that a
            // pawn is about 100.
            Some(hand) => (
                (board[i] + hand[kind.unpromoted().index()]) / 2,
                promotion / 2,
            ),
            None => (board[i], promotion),
        };
        i += 1;
    }
    values
}

static VALUES: [Values; 2] = [
    values(&BOARD_NO_DROPS, None),
    values(&BOARD_DROPS, Some(&HAND_DROPS)),
];

impl Values {
    /// The values in the game with or without drops.
    #[inline]
    pub fn of(drops: bool) -> &'static Values {
        &VALUES[usize::from(drops)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order_and_letters_are_unique() {
        for (kind, row) in PieceKind::ALL.into_iter().zip(&TABLE) {
            assert_eq!(kind, row.kind);
            assert_eq!(kind.is_promoted(), kind.unpromoted() != kind);
            let unpromoted = kind.unpromoted();
            assert_eq!(PieceKind::from_letter(row.letter), Some(unpromoted));
            if kind.is_promoted() {
                assert_eq!(unpromoted.promoted(), Some(kind));
                assert_eq!(kind.promoted(), None);
            }
        }
        let promotable = PieceKind::ALL
            .iter()
            .filter(|kind| kind.promoted().is_some());
        assert_eq!(promotable.count(), 14);
        let letters: String = PieceKind::hand().map(PieceKind::letter).collect();
        assert_eq!(letters, "EFSXRWVGCULDMHOP");
    }
}
