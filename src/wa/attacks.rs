//! Which squares a piece attacks, from the table of [`super::kinds`].
//!
//! Kinds that move alike form a *class*, found by comparing the table's rows. For
//! each class, colour and square there are two sets: `LEAPS`, the squares of steps
//! and jumps, which nothing blocks; and `REACH`, the squares of slides on an empty
//! board, limited ones cut to their length. What a slider attacks is its reach
//! among the squares that a queen would see (`core::geometry`). All tables are
//! computed at compile time.
//!
//! White's movement is Black's turned by 180 degrees, so a piece of one colour
//! attacks a square exactly if one of the other colour on that square would attack
//! the piece.

use super::kinds::{Movement, Offset, TABLE};
use super::piece::{KINDS, Piece, PieceKind};
use super::square::{Bitboard, SIZE, SQUARES, Square};
use crate::core::Color;
use crate::core::geometry::{self, FileAttacks, Lines};

pub use crate::core::geometry::{file_of, files_without, pawn_targets};

/// Number of classes: of different movements.
pub const CLASSES: usize = 20;

/// Bit of an offset to one of the eight neighbours.
const fn neighbour((right, forward): Offset) -> u64 {
    assert!(right.abs() <= 1 && forward.abs() <= 1);
    1 << ((right + 1) + 3 * (forward + 1))
}

/// A number that two movements share exactly if they are the same: eight
/// neighbours as bits of steps, of slides, and of limited slides by their length;
/// jumps in a square of 5 x 5.
const fn signature(movement: &Movement) -> u128 {
    let mut steps = 0;
    let mut i = 0;
    while i < movement.steps.len() {
        steps |= neighbour(movement.steps[i]);
        i += 1;
    }
    let mut jumps: u128 = 0;
    i = 0;
    while i < movement.jumps.len() {
        let (right, forward) = movement.jumps[i];
        assert!(right.abs() <= 2 && forward.abs() <= 2);
        jumps |= 1 << ((right + 2) + 5 * (forward + 2));
        i += 1;
    }
    let mut slides = 0;
    i = 0;
    while i < movement.slides.len() {
        slides |= neighbour(movement.slides[i]);
        i += 1;
    }
    let mut limited: u128 = 0;
    i = 0;
    while i < movement.limited.len() {
        let (direction, length) = movement.limited[i];
        assert!(length == 2 || length == 3);
        limited |= (neighbour(direction) as u128) << (9 * (length - 2));
        i += 1;
    }
    steps as u128 | (slides as u128) << 9 | limited << 18 | jumps << 36
}

/// By kind, its class; and by class, a kind of it.
const GROUPED: ([u8; KINDS], [PieceKind; CLASSES]) = {
    let mut class_of = [0; KINDS];
    let mut kinds = [PieceKind::King; CLASSES];
    let mut classes = 0;
    let mut i = 0;
    while i < KINDS {
        let this = signature(TABLE[i].movement);
        let mut class = 0;
        while class < classes && signature(TABLE[kinds[class] as usize].movement) != this {
            class += 1;
        }
        if class == classes {
            kinds[class] = TABLE[i].kind;
            classes += 1;
        }
        class_of[i] = class as u8;
        i += 1;
    }
    assert!(classes == CLASSES);
    (class_of, kinds)
};

/// The class of a kind, below [`CLASSES`].
#[inline]
pub const fn class_of(kind: PieceKind) -> usize {
    const CLASS_OF: [u8; KINDS] = GROUPED.0;
    CLASS_OF[kind.index()] as usize
}

const fn movement_of(class: usize) -> &'static Movement {
    TABLE[GROUPED.1[class] as usize].movement
}

type Table = [Bitboard; SQUARES];

/// An offset as files to the left and ranks down, for a colour.
const fn turned((right, forward): Offset, color: usize) -> (i32, i32) {
    if color == Color::Black.index() {
        (-right, -forward)
    } else {
        (right, forward)
    }
}

static LEAPS: [[Table; CLASSES]; 2] = {
    let mut tables = [[[Bitboard::EMPTY; SQUARES]; CLASSES]; 2];
    let mut color = 0;
    while color < 2 {
        let mut class = 0;
        while class < CLASSES {
            let Movement { steps, jumps, .. } = *movement_of(class);
            let mut from = 0;
            while from < SQUARES {
                let mut bits = 0;
                let mut i = 0;
                while i < steps.len() + jumps.len() {
                    let offset = if i < steps.len() {
                        steps[i]
                    } else {
                        jumps[i - steps.len()]
                    };
                    let (df, dr) = turned(offset, color);
                    let square: Square = geometry::square(from);
                    bits |= geometry::reach(square, df, dr, 1).bits();
                    i += 1;
                }
                tables[color][class][from] = Bitboard::from_bits(bits);
                from += 1;
            }
            class += 1;
        }
        color += 1;
    }
    tables
};

static REACH: [[Table; CLASSES]; 2] = {
    let mut tables = [[[Bitboard::EMPTY; SQUARES]; CLASSES]; 2];
    let mut color = 0;
    while color < 2 {
        let mut class = 0;
        while class < CLASSES {
            let Movement {
                slides, limited, ..
            } = *movement_of(class);
            let mut from = 0;
            while from < SQUARES {
                let mut bits = 0;
                let mut i = 0;
                while i < slides.len() + limited.len() {
                    let (offset, length) = if i < slides.len() {
                        (slides[i], SIZE)
                    } else {
                        limited[i - slides.len()]
                    };
                    let (df, dr) = turned(offset, color);
                    bits |= geometry::reach::<SIZE>(geometry::square(from), df, dr, length).bits();
                    i += 1;
                }
                tables[color][class][from] = Bitboard::from_bits(bits);
                from += 1;
            }
            class += 1;
        }
        color += 1;
    }
    tables
};

/// The lines that a class slides on.
#[derive(Clone, Copy)]
struct Use {
    file: bool,
    rank: bool,
    diagonals: bool,
}

const USES: [Use; CLASSES] = {
    let mut uses = [Use {
        file: false,
        rank: false,
        diagonals: false,
    }; CLASSES];
    let mut class = 0;
    while class < CLASSES {
        let Movement {
            slides, limited, ..
        } = *movement_of(class);
        let mut i = 0;
        while i < slides.len() + limited.len() {
            let (right, forward) = if i < slides.len() {
                slides[i]
            } else {
                limited[i - slides.len()].0
            };
            if right == 0 {
                uses[class].file = true;
            } else if forward == 0 {
                uses[class].rank = true;
            } else {
                uses[class].diagonals = true;
            }
            i += 1;
        }
        class += 1;
    }
    uses
};

/// Whether pieces of a class slide.
#[inline]
pub const fn slides(class: usize) -> bool {
    const SLIDES: [bool; CLASSES] = {
        let mut slides = [false; CLASSES];
        let mut class = 0;
        while class < CLASSES {
            let Use {
                file,
                rank,
                diagonals,
            } = USES[class];
            slides[class] = file || rank || diagonals;
            class += 1;
        }
        slides
    };
    SLIDES[class]
}

/// Classes with or without slides, and with steps or jumps.
const fn classes_that<const N: usize>(slide: bool) -> [usize; N] {
    let mut list = [0; N];
    let mut n = 0;
    let mut class = 0;
    while class < CLASSES {
        let Movement { steps, jumps, .. } = *movement_of(class);
        let wanted = if slide {
            slides(class)
        } else {
            steps.len() + jumps.len() > 0
        };
        if wanted {
            list[n] = class;
            n += 1;
        }
        class += 1;
    }
    assert!(n == N);
    list
}

/// The classes with steps or jumps.
pub const LEAPERS: [usize; 17] = classes_that(false);

/// The classes with slides.
pub const SLIDERS: [usize; 9] = classes_that(true);

static LINES: [Lines; SQUARES] = Lines::table::<SIZE, SQUARES>();
static FILE_ATTACKS: FileAttacks<SIZE, 512> = FileAttacks::table();
static BETWEEN: [Table; SQUARES] = geometry::between_tables();
static LINE: [Table; SQUARES] = geometry::line_tables();

/// Squares at most two files and ranks away.
static NEAR: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let mut bits = 0;
        let mut d = 0;
        while d < 25 {
            let (df, dr) = (d % 5 - 2, d / 5 - 2);
            if d != 12 {
                bits |= geometry::reach::<SIZE>(geometry::square(i), df, dr, 1).bits();
            }
            d += 1;
        }
        table[i] = Bitboard::from_bits(bits);
        i += 1;
    }
    table
};

/// Squares that a queen sees on an empty board.
static RAYS: Table = {
    let mut table = [Bitboard::EMPTY; SQUARES];
    let mut i = 0;
    while i < SQUARES {
        let file = file_of::<SIZE>(geometry::square(i)).bits() & !(1 << i);
        table[i] = Bitboard::from_bits(LINES[i].diagonals() | LINES[i].rank() | file);
        i += 1;
    }
    table
};

/// Squares of steps and jumps.
#[inline]
pub fn leaps(color: Color, class: usize, from: Square) -> Bitboard {
    LEAPS[color.index()][class][from.index()]
}

/// Squares of slides on an empty board.
#[inline]
pub fn reach(color: Color, class: usize, from: Square) -> Bitboard {
    REACH[color.index()][class][from.index()]
}

/// Squares at most two files and ranks away: from elsewhere nothing steps or jumps
/// here.
#[inline]
pub fn near(square: Square) -> Bitboard {
    NEAR[square.index()]
}

/// Squares on a file, rank or diagonal: from elsewhere nothing slides here.
#[inline]
pub fn rays(square: Square) -> Bitboard {
    RAYS[square.index()]
}

/// Squares that a queen would attack.
#[inline]
pub fn queen(from: Square, occupied: Bitboard) -> Bitboard {
    let lines = &LINES[from.index()];
    let occupied = occupied.bits();
    Bitboard::from_bits(
        FILE_ATTACKS.attacks(from, occupied)
            | lines.rank_attacks(occupied)
            | lines.diagonal_attacks(occupied),
    )
}

/// Squares that a class of `color` attacks from `from`, own pieces included.
#[inline]
pub fn class_attacks(color: Color, class: usize, from: Square, occupied: Bitboard) -> Bitboard {
    let leaps = leaps(color, class, from);
    if !slides(class) {
        return leaps;
    }
    let uses = USES[class];
    let lines = &LINES[from.index()];
    let occupied = occupied.bits();
    let mut seen = 0;
    if uses.file {
        seen |= FILE_ATTACKS.attacks(from, occupied);
    }
    if uses.rank {
        seen |= lines.rank_attacks(occupied);
    }
    if uses.diagonals {
        seen |= lines.diagonal_attacks(occupied);
    }
    leaps | Bitboard::from_bits(seen) & reach(color, class, from)
}

/// Squares that `piece` attacks from `from`, own pieces included.
#[inline]
pub fn attacks(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
    class_attacks(piece.color, class_of(piece.kind), from, occupied)
}

/// Squares that a king attacks.
#[inline]
pub fn king(from: Square) -> Bitboard {
    leaps(Color::Black, const { class_of(PieceKind::King) }, from)
}

/// Squares that a pawn attacks.
#[inline]
pub fn pawn(color: Color, from: Square) -> Bitboard {
    leaps(color, const { class_of(PieceKind::Pawn) }, from)
}

/// The squares strictly between two squares of one line; empty when they are
/// on no common line.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    BETWEEN[a.index()][b.index()]
}

/// The whole line through two squares, edge to edge; empty when there is none
/// or the squares are the same.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    LINE[a.index()][b.index()]
}

/// The `n` ranks that are farthest for `color`, `n` from 0 to 3.
#[inline]
pub const fn far_ranks(color: Color, n: usize) -> Bitboard {
    const TABLE: [[Bitboard; 4]; 2] = geometry::far_ranks_tables();
    TABLE[color.index()][n]
}

/// The promotion zone of `color`: its three farthest ranks.
#[inline]
pub const fn promotion_zone(color: Color) -> Bitboard {
    far_ranks(color, 3)
}

/// Whether all moves of a kind go forward, so that it is stuck on the last rank.
/// No kind jumps over the last rank but one, so that no other rank matters.
pub const fn only_forward(kind: PieceKind) -> bool {
    const TABLE_: [bool; KINDS] = {
        let mut table = [true; KINDS];
        let mut i = 0;
        while i < KINDS {
            let Movement {
                steps,
                jumps,
                slides,
                limited,
            } = *TABLE[i].movement;
            let mut j = 0;
            while j < steps.len() + jumps.len() + slides.len() + limited.len() {
                let (jumps_at, slides_at) = (steps.len(), steps.len() + jumps.len());
                let limited_at = slides_at + slides.len();
                let (_, forward) = if j < jumps_at {
                    steps[j]
                } else if j < slides_at {
                    jumps[j - jumps_at]
                } else if j < limited_at {
                    slides[j - slides_at]
                } else {
                    limited[j - limited_at].0
                };
                if forward <= 0 {
                    table[i] = false;
                }
                j += 1;
            }
            i += 1;
        }
        table
    };
    TABLE_[kind.index()]
}

/// The squares where `kind` of `color` could move at all, were the board empty.
#[inline]
pub const fn live_squares(color: Color, kind: PieceKind) -> Bitboard {
    let dead = far_ranks(color, only_forward(kind) as usize).bits();
    Bitboard::from_bits(Bitboard::ALL.bits() & !dead)
}

/// By kind, whether its promoted form does all that it does.
pub const PROMOTION_LOSES_NOTHING: [bool; KINDS] = {
    let mut table = [false; KINDS];
    let mut i = 0;
    while i < KINDS {
        if let Some(promoted) = TABLE[i].promotes_to {
            let (old, new) = (class_of(TABLE[i].kind), class_of(promoted));
            let mut kept = true;
            let mut square = 0;
            while square < SQUARES {
                // No slide of an unpromoted kind turns into steps of the same line.
                let leaps = LEAPS[0][old][square].bits();
                let reach = REACH[0][old][square].bits();
                let slides = REACH[0][new][square].bits();
                kept &= leaps & !(LEAPS[0][new][square].bits() | slides) == 0;
                kept &= reach & !slides == 0;
                square += 1;
            }
            table[i] = kept;
        }
        i += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learn::random::Random;

    /// Attacks by walking, straight from the table.
    fn walk(piece: Piece, from: Square, occupied: Bitboard) -> Bitboard {
        let row = piece.kind.row();
        let Movement {
            steps,
            jumps,
            slides,
            limited,
        } = *row.movement;
        let sign = if piece.color == Color::Black { -1 } else { 1 };
        let singles = steps.iter().chain(jumps).map(|&offset| (offset, 1));
        let slides = slides.iter().map(|&offset| (offset, SIZE));
        let mut set = Bitboard::EMPTY;
        for ((right, forward), length) in singles.chain(slides).chain(limited.iter().copied()) {
            let mut at = from;
            for _ in 0..length {
                let Some(to) = at.offset(right * sign, forward * sign) else {
                    break;
                };
                set |= Bitboard::of(to);
                if occupied.contains(to) {
                    break;
                }
                at = to;
            }
        }
        set
    }

    fn random_set(random: &mut Random) -> Bitboard {
        Bitboard::from_bits(u128::from(random.next_u64()) << 64 | u128::from(random.next_u64()))
    }

    #[test]
    fn attacks_equal_walking_on_random_boards() {
        let mut random = Random::new(1);
        for round in 0..200 {
            let mut occupied = random_set(&mut random);
            if round % 3 > 0 {
                occupied &= random_set(&mut random);
            }
            for from in Square::all() {
                for kind in PieceKind::ALL {
                    for color in Color::ALL {
                        let piece = Piece::new(color, kind);
                        assert_eq!(
                            attacks(piece, from, occupied),
                            walk(piece, from, occupied),
                            "{piece} on {from} with {occupied:?}"
                        );
                    }
                }
            }
        }
    }

    /// The column "open" of the rules: targets on an empty board from the best
    /// square.
    #[test]
    fn targets_on_an_empty_board() {
        let open = [
            ("E", 20),
            ("F", 21),
            ("S", 12),
            ("X", 12),
            ("R", 14),
            ("W", 6),
            ("V", 5),
            ("G", 4),
            ("C", 4),
            ("U", 3),
            ("L", 3),
            ("D", 5),
            ("M", 4),
            ("H", 10),
            ("O", 10),
            ("P", 1),
            ("K", 8),
            ("+F", 32),
            ("+S", 20),
            ("+R", 12),
            ("+W", 8),
            ("+V", 7),
            ("+G", 12),
            ("+C", 14),
            ("+U", 21),
            ("+L", 20),
            ("+D", 6),
            ("+M", 5),
            ("+H", 4),
            ("+O", 8),
            ("+P", 6),
        ];
        for (kind, (text, expected)) in PieceKind::ALL.into_iter().zip(open) {
            assert_eq!(kind.to_string(), text);
            for color in Color::ALL {
                let targets = |from| attacks(Piece::new(color, kind), from, Bitboard::EMPTY);
                let best = Square::all().map(|from| targets(from).count()).max();
                assert_eq!(best, Some(expected), "{kind}");
            }
        }
    }

    #[test]
    fn kinds_of_the_same_movement_are_of_one_class() {
        use PieceKind::*;
        for (a, b) in [
            (ProRabbit, Fox),
            (ProWolf, King),
            (ProOxcart, King),
            (ProDog, Wolf),
            (ProPawn, Wolf),
            (ProMonkey, Stag),
            (ProGoose, Swallow),
            (ProCrow, Falcon),
            (ProOwl, Eagle),
            (Goose, Monkey),
            (Crow, Owl),
        ] {
            assert_eq!(class_of(a), class_of(b), "{a} {b}");
        }
    }

    #[test]
    fn what_must_and_what_should_promote() {
        let kinds = |test: &dyn Fn(PieceKind) -> bool| {
            let kinds = PieceKind::ALL.into_iter().filter(|&kind| test(kind));
            kinds.map(|kind| kind.to_string()).collect::<String>()
        };
        assert_eq!(kinds(&only_forward), "OP");
        let free = |kind: PieceKind| PROMOTION_LOSES_NOTHING[kind.index()];
        assert_eq!(kinds(&free), "FSWVCULDP");
    }
}
