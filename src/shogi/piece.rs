//! Kinds of piece, pieces of a colour, and their letters and kanji.

use std::fmt;

use crate::common::Kind;

/// A kind of piece. Promoted kinds come eight after the kind they promote from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum PieceKind {
    /// 歩
    Pawn,
    /// 香
    Lance,
    /// 桂
    Knight,
    /// 銀
    Silver,
    /// 角
    Bishop,
    /// 飛
    Rook,
    /// 金
    Gold,
    /// 玉
    King,
    /// と (tokin)
    ProPawn,
    /// 成香
    ProLance,
    /// 成桂
    ProKnight,
    /// 成銀
    ProSilver,
    /// 馬 (promoted bishop)
    Horse,
    /// 龍 (promoted rook)
    Dragon,
}

use PieceKind::*;

/// Number of kinds.
pub const KINDS: usize = 14;

/// Number of pieces with their colour.
pub const PIECES: usize = 2 * KINDS;

/// Number of kinds that can be in hand.
pub const HAND_KINDS: usize = 7;

impl PieceKind {
    /// All kinds, by number.
    pub const ALL: [PieceKind; KINDS] = [
        Pawn, Lance, Knight, Silver, Bishop, Rook, Gold, King, ProPawn, ProLance, ProKnight,
        ProSilver, Horse, Dragon,
    ];

    /// The kinds that can be in hand, in the order in which SFEN lists them.
    pub const HAND: [PieceKind; HAND_KINDS] = [Rook, Bishop, Gold, Silver, Knight, Lance, Pawn];

    /// The number of the kind, below 14. Kinds that can be in hand are below 7.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The promoted kind, if this kind promotes.
    #[inline]
    pub const fn promoted(self) -> Option<PieceKind> {
        match self {
            Pawn => Some(ProPawn),
            Lance => Some(ProLance),
            Knight => Some(ProKnight),
            Silver => Some(ProSilver),
            Bishop => Some(Horse),
            Rook => Some(Dragon),
            _ => None,
        }
    }

    /// The kind as it goes to the hand when captured.
    #[inline]
    pub const fn unpromoted(self) -> PieceKind {
        match self {
            ProPawn => Pawn,
            ProLance => Lance,
            ProKnight => Knight,
            ProSilver => Silver,
            Horse => Bishop,
            Dragon => Rook,
            kind => kind,
        }
    }

    /// Whether this is a promoted kind.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self as u8 >= ProPawn as u8
    }

    /// Whether the kind moves as a gold (gold and promoted small pieces).
    #[inline]
    pub const fn moves_as_gold(self) -> bool {
        matches!(self, Gold | ProPawn | ProLance | ProKnight | ProSilver)
    }

    /// The kind with this upper-case letter.
    pub const fn from_letter(letter: u8) -> Option<PieceKind> {
        match letter {
            b'P' => Some(Pawn),
            b'L' => Some(Lance),
            b'N' => Some(Knight),
            b'S' => Some(Silver),
            b'B' => Some(Bishop),
            b'R' => Some(Rook),
            b'G' => Some(Gold),
            b'K' => Some(King),
            _ => None,
        }
    }

    /// The upper-case letter of the unpromoted kind.
    pub const fn letter(self) -> char {
        match self.unpromoted() {
            Pawn => 'P',
            Lance => 'L',
            Knight => 'N',
            Silver => 'S',
            Bishop => 'B',
            Rook => 'R',
            Gold => 'G',
            _ => 'K',
        }
    }

    /// The kanji of board diagrams, one character.
    pub const fn kanji(self) -> char {
        match self {
            Pawn => '歩',
            Lance => '香',
            Knight => '桂',
            Silver => '銀',
            Bishop => '角',
            Rook => '飛',
            Gold => '金',
            King => '玉',
            ProPawn => 'と',
            ProLance => '杏',
            ProKnight => '圭',
            ProSilver => '全',
            Horse => '馬',
            Dragon => '龍',
        }
    }

    /// The English name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Pawn => "pawn",
            Lance => "lance",
            Knight => "knight",
            Silver => "silver",
            Bishop => "bishop",
            Rook => "rook",
            Gold => "gold",
            King => "king",
            ProPawn => "promoted pawn",
            ProLance => "promoted lance",
            ProKnight => "promoted knight",
            ProSilver => "promoted silver",
            Horse => "promoted bishop",
            Dragon => "promoted rook",
        }
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
    const IN_HAND: &'static [PieceKind] = &PieceKind::HAND;
    const PAWN: PieceKind = Pawn;
    const KING: PieceKind = King;
    const LANE_BITS: u32 = 8;
    const LAST_LANE_BITS: u32 = 8;
    const MOVE_EXAMPLES: &'static str = "7g7f, 8h2b+ or P*5e";
    const XBOARD_MOVES: bool = false;

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
        PieceKind::from_letter(u8::try_from(letter).ok()?)
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

/// Exchange values in centipawns, for static exchange evaluation and the order
/// of captures. Hand-set: the usual ratios of shogi books (pawn 1, lance 3,
/// knight 4, silver 5, gold 6, bishop 8, rook 10).
pub const VALUE: [i32; KINDS] = [
    100, 320, 370, 500, 830, 1000, 560, 15_000, 540, 500, 500, 530, 1080, 1300,
];
