//! The inputs of a network: BonaPiece numbers, and the feature sets made of them.
//!
//! A *BonaPiece* numbers a piece together with where it is, as one side sees it:
//! `f` (friend) for that side's pieces, `e` (enemy) for the other's. In hand every
//! piece counts by itself: three pawns are the first, second and third pawn in
//! hand. White sees the board rotated by 180°. Small promoted pieces are golds.
//! The numbering goes back to Bonanza and is that of Apery's and YaneuraOu's
//! tables; the feature sets are those of "Efficiently Updatable Neural-Network-based
//! Evaluation Functions for Computer Shogi" (Y. Nasu, 2018).
//!
//! | set | index | size |
//! |---|---|---|
//! | `K+P` | the BonaPiece, kings included | 1710 |
//! | `HalfKP(Friend)` | own king's square × 1548 + the BonaPiece, kings excluded | 125388 |
//!
//! In `K+P` the pieces come first although the name says kings first: the format
//! places the later sets of a combination in front of the earlier ones.

use crate::core::Color;
use crate::shogi::piece::{HAND_KINDS, KINDS};
use crate::shogi::square::SQUARES;
use crate::shogi::{Piece, PieceKind, Position, Square};

/// A piece and where it is, as one side sees it: below [`KINGS`], or a king below
/// [`BONA_PIECES`]. Number 0 is no piece.
pub type BonaPiece = usize;

/// Number of BonaPieces without kings; the own king on square 0.
pub const KINGS: usize = 1548;
/// Number of BonaPieces with kings.
pub const BONA_PIECES: usize = KINGS + 2 * SQUARES;
/// The first BonaPiece on the board.
pub const BOARD: usize = 90;

/// More features than any position has at once: a full board and, for each side,
/// every number in hand that has a BonaPiece.
pub const MAX_ACTIVE: usize = SQUARES + 2 * 38;

/// What is numbered for one kind in hand: the first number for a friend and for an
/// enemy, and how many pieces have numbers.
struct InHand {
    first: [u16; 2],
    count: u32,
}

/// By kind, as [`PieceKind::index`].
const HAND: [InHand; HAND_KINDS] = [
    in_hand_table(1, 20, 18),
    in_hand_table(39, 44, 4),
    in_hand_table(49, 54, 4),
    in_hand_table(59, 64, 4),
    in_hand_table(79, 82, 2),
    in_hand_table(85, 88, 2),
    in_hand_table(69, 74, 4),
];

const fn in_hand_table(friend: u16, enemy: u16, count: u32) -> InHand {
    InHand {
        first: [friend, enemy],
        count,
    }
}

/// The first number on the board of each kind, for a friend; the enemy's come
/// [`SQUARES`] later.
const ON_BOARD: [u16; KINDS] = {
    let mut first = [0; KINDS];
    let mut kind = 0;
    while kind < KINDS {
        // In the order of the numbering: pawn, lance, knight, silver, gold, bishop,
        // horse, rook, dragon, king.
        let place = match PieceKind::ALL[kind] {
            PieceKind::Pawn => 0,
            PieceKind::Lance => 1,
            PieceKind::Knight => 2,
            PieceKind::Silver => 3,
            PieceKind::Gold
            | PieceKind::ProPawn
            | PieceKind::ProLance
            | PieceKind::ProKnight
            | PieceKind::ProSilver => 4,
            PieceKind::Bishop => 5,
            PieceKind::Horse => 6,
            PieceKind::Rook => 7,
            PieceKind::Dragon => 8,
            PieceKind::King => 9,
        };
        first[kind] = (BOARD + place * 2 * SQUARES) as u16;
        kind += 1;
    }
    first
};

/// A piece on the board as `view` sees it.
#[inline]
pub fn on_board(view: Color, piece: Piece, square: Square) -> BonaPiece {
    let enemy = usize::from(piece.color != view);
    usize::from(ON_BOARD[piece.kind.index()]) + enemy * SQUARES + square.relative(view).index()
}

/// The `nth` piece (from 0) of a kind in `owner`'s hand as `view` sees it. `None`
/// where no number exists: more pieces than a set has, which only odd position
/// texts hold.
#[inline]
pub fn in_hand(view: Color, owner: Color, kind: PieceKind, nth: u32) -> Option<BonaPiece> {
    let table = &HAND[kind.index()];
    let enemy = usize::from(owner != view);
    (nth < table.count).then(|| usize::from(table.first[enemy]) + nth as usize)
}

/// Calls `each` with every BonaPiece of a position as `view` sees it, kings
/// included, each once.
#[inline]
pub fn for_each(position: &Position, view: Color, mut each: impl FnMut(BonaPiece)) {
    for square in position.occupied() {
        if let Some(piece) = position.piece_on(square) {
            each(on_board(view, piece, square));
        }
    }
    for owner in Color::ALL {
        for (kind, count) in position.hand(owner).iter() {
            for bona_piece in (0..count).map_while(|nth| in_hand(view, owner, kind, nth)) {
                each(bona_piece);
            }
        }
    }
}

/// The square of `view`'s king as it sees it. Positions without that king (mate
/// problems) count as if it stood on its square of the initial position.
#[inline]
pub fn king_square(position: &Position, view: Color) -> usize {
    /// 5i.
    const HOME: usize = 4 * 9 + 8;
    position
        .king(view)
        .map_or(HOME, |square| square.relative(view).index())
}

/// How inputs are made of BonaPieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FeatureSet {
    /// Each piece and king by itself: `K+P`.
    Kp,
    /// Each piece together with the own king's square: `HalfKP(Friend)`.
    HalfKp,
}

impl FeatureSet {
    /// Number of inputs.
    pub const fn dimensions(self) -> usize {
        match self {
            FeatureSet::Kp => BONA_PIECES,
            FeatureSet::HalfKp => SQUARES * KINGS,
        }
    }

    /// The name in a file's header.
    pub const fn name(self) -> &'static str {
        match self {
            FeatureSet::Kp => "K+P",
            FeatureSet::HalfKp => "HalfKP(Friend)",
        }
    }

    /// The number of the set in a file's hash values.
    pub const fn hash(self) -> u32 {
        const KING: u32 = 0xd3ce_e169;
        const PIECE: u32 = 0x764c_fb4b;
        match self {
            FeatureSet::Kp => KING ^ (PIECE << 1) ^ (PIECE >> 31),
            FeatureSet::HalfKp => 0x5d69_d5b9 ^ 1,
        }
    }

    /// The input of a BonaPiece when `view`'s king stands on `king` (as
    /// [`king_square`] says), if the set has one.
    #[inline]
    pub const fn index(self, king: usize, bona_piece: BonaPiece) -> Option<usize> {
        match self {
            FeatureSet::Kp => Some(bona_piece),
            FeatureSet::HalfKp if bona_piece < KINGS => Some(king * KINGS + bona_piece),
            FeatureSet::HalfKp => None,
        }
    }

    /// Calls `each` with every active input of a position as `view` sees it, each
    /// once: at most [`MAX_ACTIVE`], 40 or 38 in a game.
    #[inline]
    pub fn for_each(self, position: &Position, view: Color, mut each: impl FnMut(usize)) {
        let king = king_square(position, view);
        for_each(position, view, |bona_piece| {
            if let Some(index) = self.index(king, bona_piece) {
                each(index);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shogi::Rules;

    fn square(text: &str) -> Square {
        text.parse().unwrap()
    }

    fn active(set: FeatureSet, sfen: &str, view: Color) -> Vec<usize> {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let mut list = Vec::new();
        set.for_each(&position, view, |index| list.push(index));
        list.sort_unstable();
        list
    }

    #[test]
    fn numbers_are_the_published_ones() {
        use PieceKind::*;
        // f_pawn, e_pawn, f_lance, ..., e_dragon, f_king, e_king of the table.
        let kinds = [
            Pawn, Lance, Knight, Silver, Gold, Bishop, Horse, Rook, Dragon, King,
        ];
        let mut first = 90;
        for kind in kinds {
            for color in Color::ALL {
                let piece = Piece::new(color, kind);
                assert_eq!(on_board(Color::Black, piece, square("1a")), first);
                assert_eq!(on_board(Color::Black, piece, square("9i")), first + 80);
                let other = Piece::new(!color, kind);
                assert_eq!(on_board(Color::White, other, square("9i")), first);
                first += 81;
            }
        }
        assert_eq!(first, BONA_PIECES);
        for kind in [ProPawn, ProLance, ProKnight, ProSilver] {
            assert_eq!(ON_BOARD[kind.index()], 738);
        }
        let hands = [
            (Pawn, 1, 20, 18),
            (Lance, 39, 44, 4),
            (Knight, 49, 54, 4),
            (Silver, 59, 64, 4),
            (Gold, 69, 74, 4),
            (Bishop, 79, 82, 2),
            (Rook, 85, 88, 2),
        ];
        for (kind, friend, enemy, count) in hands {
            for view in Color::ALL {
                for nth in 0..count {
                    let at = nth as usize;
                    assert_eq!(in_hand(view, view, kind, nth), Some(friend + at));
                    assert_eq!(in_hand(view, !view, kind, nth), Some(enemy + at));
                }
                assert_eq!(in_hand(view, view, kind, count), None);
            }
        }
    }

    #[test]
    fn the_initial_position_looks_the_same_from_both_sides() {
        let start = Position::start(&Rules::default()).sfen();
        for (set, count) in [(FeatureSet::Kp, 40), (FeatureSet::HalfKp, 38)] {
            let black = active(set, &start, Color::Black);
            assert_eq!(black, active(set, &start, Color::White));
            assert_eq!(black.len(), count);
            assert!(black.iter().all(|&index| index < set.dimensions()));
        }
        assert_eq!(FeatureSet::HalfKp.dimensions(), 125_388);
    }

    #[test]
    fn every_piece_in_hand_counts() {
        let sfen = "4k4/9/9/9/9/9/9/9/4K4 b R2P3p 1";
        // Two pawns, a rook, three enemy pawns, own king on 5i, enemy king on 5a.
        let black = [1, 2, 20, 21, 22, 85, 1548 + 44, 1629 + 36];
        assert_eq!(active(FeatureSet::Kp, sfen, Color::Black), black);
        let white = [1, 2, 3, 20, 21, 88, 1548 + 44, 1629 + 36];
        assert_eq!(active(FeatureSet::Kp, sfen, Color::White), white);
        let pieces = black[..6].iter().map(|index| 44 * 1548 + index);
        assert!(
            active(FeatureSet::HalfKp, sfen, Color::Black)
                .into_iter()
                .eq(pieces)
        );
    }

    #[test]
    fn odd_positions_stay_in_range() {
        let full = "rrrrrrrrr/".repeat(8) + "KRRRRRRRR b 18R18p18g18r 1";
        for sfen in [&full, "9/9/9/9/9/9/9/9/9 b 18r2b4g4s4n4l18p 1"] {
            let Ok(position) = Position::from_sfen(sfen, &Rules::default()) else {
                continue;
            };
            for view in Color::ALL {
                let mut count = 0;
                FeatureSet::HalfKp.for_each(&position, view, |index| {
                    count += 1;
                    assert!(index < FeatureSet::HalfKp.dimensions());
                });
                assert!(count <= MAX_ACTIVE);
            }
        }
    }
}
