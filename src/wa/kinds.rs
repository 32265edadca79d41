//! The pieces of wa shogi in one table: how each kind moves, what it promotes to,
//! its letter, names and kanji. Attacks, move generation, promotion rules and
//! texts all follow from it.
//!
//! Directions are as the owner sees them: F forward, B backward, L left, R right.
//! A *step* goes one square; a *jump* goes straight to its square, whatever stands
//! between; a *slide* goes any number of squares up to the first piece, a *limited*
//! one at most so many.
//!
//! Source: "Wa shogi" (Wikipedia). Letters are those that XBoard's programs use.

use super::piece::{KINDS, PieceKind, PieceKind::*};

/// A direction or jump: squares to the owner's right, squares forward.
pub type Offset = (i32, i32);

const F: Offset = (0, 1);
const B: Offset = (0, -1);
const L: Offset = (-1, 0);
const R: Offset = (1, 0);
const FL: Offset = (-1, 1);
const FR: Offset = (1, 1);
const BL: Offset = (-1, -1);
const BR: Offset = (1, -1);

/// Two squares in a direction.
const fn twice((right, forward): Offset) -> Offset {
    (2 * right, 2 * forward)
}

/// How a kind moves; it captures in the same way.
#[derive(Debug, PartialEq, Eq)]
pub struct Movement {
    /// One square.
    pub steps: &'static [Offset],
    /// Straight to the square.
    pub jumps: &'static [Offset],
    /// Any number of squares.
    pub slides: &'static [Offset],
    /// At most so many squares.
    pub limited: &'static [(Offset, usize)],
}

const fn movement(
    steps: &'static [Offset],
    jumps: &'static [Offset],
    slides: &'static [Offset],
    limited: &'static [(Offset, usize)],
) -> Movement {
    Movement {
        steps,
        jumps,
        slides,
        limited,
    }
}

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    /// The kind.
    pub kind: PieceKind,
    /// The letter of the kind, or of the one that it promotes from.
    pub letter: char,
    /// The English name.
    pub name: &'static str,
    /// One kanji for diagrams, where promoted pieces have a `+` in front.
    pub kanji: char,
    /// How it moves.
    pub movement: &'static Movement,
    /// What it promotes to.
    pub promotes_to: Option<PieceKind>,
}

#[allow(clippy::too_many_arguments)]
const fn row(
    kind: PieceKind,
    letter: char,
    name: &'static str,
    kanji: char,
    movement: &'static Movement,
    promotes_to: Option<PieceKind>,
) -> Row {
    Row {
        kind,
        letter,
        name,
        kanji,
        movement,
        promotes_to,
    }
}

// Every movement once. Steps, jumps, slides, limited slides.
#[rustfmt::skip]
mod movements {
    use super::*;
    pub static CRANE_KING: Movement = movement(&[F, B, L, R, FL, FR, BL, BR], &[], &[], &[]);
    pub static CLOUD_EAGLE: Movement = movement(&[L, R, BL, BR], &[], &[F, B], &[(FL, 3), (FR, 3)]);
    pub static TREACHEROUS_FOX: Movement = movement(
        &[F, B, FL, FR, BL, BR],
        &[twice(F), twice(B), twice(FL), twice(FR), twice(BL), twice(BR)], &[], &[]);
    pub static FLYING_FALCON: Movement = movement(&[F], &[], &[FL, FR, BL, BR], &[]);
    pub static RUNNING_RABBIT: Movement = movement(&[FL, FR, BL, BR, B], &[], &[F], &[]);
    pub static VIOLENT_WOLF: Movement = movement(&[F, B, L, R, FL, FR], &[], &[], &[]);
    pub static VIOLENT_STAG: Movement = movement(&[F, FL, FR, BL, BR], &[], &[], &[]);
    pub static BLIND_DOG: Movement = movement(&[L, R, B, FL, FR], &[], &[], &[]);
    pub static CLIMBING_MONKEY: Movement = movement(&[F, B, FL, FR], &[], &[], &[]);
    pub static FLYING_GOOSE: Movement = movement(&[F, B, FL, FR], &[], &[], &[]);
    pub static FLYING_COCK: Movement = movement(&[L, R, FL, FR], &[], &[], &[]);
    pub static SWALLOWS_WINGS: Movement = movement(&[F, B], &[], &[L, R], &[]);
    pub static STRUTTING_CROW: Movement = movement(&[F, BL, BR], &[], &[], &[]);
    pub static SWOOPING_OWL: Movement = movement(&[F, BL, BR], &[], &[], &[]);
    pub static LIBERATED_HORSE: Movement = movement(&[], &[], &[F], &[(B, 2)]);
    pub static OXCART: Movement = movement(&[], &[], &[F], &[]);
    pub static SPARROW_PAWN: Movement = movement(&[F], &[], &[], &[]);
    pub static TENACIOUS_FALCON: Movement = movement(&[L, R], &[], &[F, B, FL, FR, BL, BR], &[]);
    pub static BEARS_EYES: Movement = movement(&[F, B, L, R, FL, FR, BL, BR], &[], &[], &[]);
    pub static ROAMING_BOAR: Movement = movement(&[F, L, R, FL, FR, BL, BR], &[], &[], &[]);
    pub static RAIDING_FALCON: Movement = movement(&[L, R, FL, FR], &[], &[F, B], &[]);
    pub static GLIDING_SWALLOW: Movement = movement(&[], &[], &[F, B, L, R], &[]);
    pub static HEAVENLY_HORSE: Movement = movement(&[], &[(-1, 2), (1, 2), (-1, -2), (1, -2)], &[], &[]);
    pub static PLODDING_OX: Movement = movement(&[F, B, L, R, FL, FR, BL, BR], &[], &[], &[]);
    pub static GOLDEN_BIRD: Movement = movement(&[F, B, L, R, FL, FR], &[], &[], &[]);
}
use movements::*;

/// All kinds, in the order of [`PieceKind`].
#[rustfmt::skip]
pub static TABLE: [Row; KINDS] = [
    row(Eagle,      'E', "cloud eagle",      '鷲', &CLOUD_EAGLE,      None),
    row(Falcon,     'F', "flying falcon",    '鷹', &FLYING_FALCON,    Some(ProFalcon)),
    row(Swallow,    'S', "swallow's wings",  '燕', &SWALLOWS_WINGS,   Some(ProSwallow)),
    row(Fox,        'X', "treacherous fox",  '狐', &TREACHEROUS_FOX,  None),
    row(Rabbit,     'R', "running rabbit",   '兎', &RUNNING_RABBIT,   Some(ProRabbit)),
    row(Wolf,       'W', "violent wolf",     '狼', &VIOLENT_WOLF,     Some(ProWolf)),
    row(Stag,       'V', "violent stag",     '鹿', &VIOLENT_STAG,     Some(ProStag)),
    row(Goose,      'G', "flying goose",     '鳫', &FLYING_GOOSE,     Some(ProGoose)),
    row(Cock,       'C', "flying cock",      '鶏', &FLYING_COCK,      Some(ProCock)),
    row(Crow,       'U', "strutting crow",   '烏', &STRUTTING_CROW,   Some(ProCrow)),
    row(Owl,        'L', "swooping owl",     '鴟', &SWOOPING_OWL,     Some(ProOwl)),
    row(Dog,        'D', "blind dog",        '犬', &BLIND_DOG,        Some(ProDog)),
    row(Monkey,     'M', "climbing monkey",  '猿', &CLIMBING_MONKEY,  Some(ProMonkey)),
    row(Horse,      'H', "liberated horse",  '馬', &LIBERATED_HORSE,  Some(ProHorse)),
    row(Oxcart,     'O', "oxcart",           '牛', &OXCART,           Some(ProOxcart)),
    row(Pawn,       'P', "sparrow pawn",     '歩', &SPARROW_PAWN,     Some(ProPawn)),
    row(King,       'K', "crane king",       '玉', &CRANE_KING,       None),
    row(ProFalcon,  'F', "tenacious falcon", '執', &TENACIOUS_FALCON, None),
    row(ProSwallow, 'S', "gliding swallow",  '行', &GLIDING_SWALLOW,  None),
    row(ProRabbit,  'R', "promoted rabbit (treacherous fox)", '狐', &TREACHEROUS_FOX, None),
    row(ProWolf,    'W', "bear's eyes",      '熊', &BEARS_EYES,       None),
    row(ProStag,    'V', "roaming boar",     '猪', &ROAMING_BOAR,     None),
    row(ProGoose,   'G', "promoted goose (swallow's wings)",  '燕', &SWALLOWS_WINGS,  None),
    row(ProCock,    'C', "raiding falcon",   '延', &RAIDING_FALCON,   None),
    row(ProCrow,    'U', "promoted crow (flying falcon)",     '鷹', &FLYING_FALCON,   None),
    row(ProOwl,     'L', "promoted owl (cloud eagle)",        '鷲', &CLOUD_EAGLE,     None),
    row(ProDog,     'D', "promoted dog (violent wolf)",       '狼', &VIOLENT_WOLF,    None),
    row(ProMonkey,  'M', "promoted monkey (violent stag)",    '鹿', &VIOLENT_STAG,    None),
    row(ProHorse,   'H', "heavenly horse",   '天', &HEAVENLY_HORSE,   None),
    row(ProOxcart,  'O', "plodding ox",      '歬', &PLODDING_OX,      None),
    row(ProPawn,    'P', "golden bird",      '金', &GOLDEN_BIRD,      None),
];
