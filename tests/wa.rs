//! The rules of wa shogi against the specification's worked cases, known perft
//! numbers, and a second, plain implementation that walks the table of movements.

use tsuru::core::{Color, MoveList};
use tsuru::game::{Game, GameEnd, GameMove, Repetition, Stage};
use tsuru::learn::random::Random;
use tsuru::perft::perft;
use tsuru::wa::sfen::START;
use tsuru::wa::{Move, Piece, PieceKind, Position, Rules, Source, Square};

fn rules(drops: bool) -> Rules {
    Rules {
        drops,
        ..Rules::default()
    }
}

fn position(sfen: &str, drops: bool) -> Position {
    Position::from_sfen(sfen, &rules(drops)).unwrap_or_else(|error| panic!("{sfen}: {error}"))
}

fn texts(moves: impl IntoIterator<Item = Move>) -> Vec<String> {
    let mut texts: Vec<String> = moves.into_iter().map(|m| m.to_string()).collect();
    texts.sort();
    texts
}

/// The legal moves of the piece on a square, without the square.
fn moves_of(position: &Position, from: &str) -> Vec<String> {
    let moves = position.legal_moves();
    let of = moves.iter().filter(|m| m.from() == from.parse().ok());
    let mut texts: Vec<String> = of
        .map(|m| m.to_string()[from.len()..].to_string())
        .collect();
    texts.sort();
    texts
}

fn sorted(words: &str) -> Vec<String> {
    let mut words: Vec<String> = words.split_whitespace().map(str::to_string).collect();
    words.sort();
    words
}

// Perft.

const POSITION_B: &str =
    "1m2v5+H/hel7+V/p1p4w2+F/1p1kppp4/11/4c6/11/+r3G6/O4P2+o2/1DU1SK4M/6C1L2 w - 114";
const POSITION_C: &str = "1+D1c6+O/1+P2k6/1+R4v3s/4+D6/3m3X1W1/11/e10/2U4P3/P1X+c2+lRP1M/1+g6KE1/+s2+u4LWH b 9P2fvgho9p 187";
const POSITION_D: &str = "4okh4/4p1p4/5W5/11/11/11/11/11/11/11/5K5 b GPp 1";

#[test]
fn perft_from_the_start() {
    for drops in [false, true] {
        let mut position = Position::start(&rules(drops));
        for (depth, expected) in [(1, 51), (2, 2601), (3, 126_574), (4, 6_158_810)] {
            assert_eq!(perft(&mut position, depth), expected, "{drops} {depth}");
        }
    }
}

#[test]
fn perft_of_other_positions() {
    for (sfen, drops, counts) in [
        (POSITION_B, false, [45, 2187, 95_901]),
        (POSITION_C, true, [12, 7282, 973_612]),
        (POSITION_D, true, [236, 20_459, 2_681_107]),
    ] {
        let mut position = position(sfen, drops);
        for (depth, expected) in (1..).zip(counts) {
            assert_eq!(perft(&mut position, depth), expected, "{sfen} {depth}");
        }
    }
}

#[test]
fn divided_perft() {
    let start = "10i10h 2652, 10k11j 2499, 10k9j 2397, 11i11h 2703, 11k11j 2601, 1i1h 2703,
        1k1j 2550, 2i2h 2652, 2j1j 2550, 2j3j 2397, 2k1j 2448, 2k3j 2295, 3i3h 2601, 3k3j 2397,
        4h4g 2652, 4i3h 2750, 4i3j 2142, 4i4j 2244, 4i5h 2750, 4i5j 2091, 4k3j 2295, 4k5j 2244,
        5i5h 2550, 5k4j 2499, 5k5j 2295, 6i6h 2652, 6j3j 2499, 6j4j 2652, 6j5j 2550, 6j7j 2550,
        6j8j 2601, 6j9j 2550, 6k5j 2448, 6k7j 2448, 7i7h 2550, 7k7j 2346, 7k8j 2448, 8h8g 2601,
        8i10g 2652, 8i6g 2703, 8i7h 2652, 8i7j 2091, 8i8g 2601, 8i8j 2142, 8i9h 2652, 8i9j 2193,
        8k7j 2244, 8k8j 2397, 8k9j 2346, 9i9h 2601, 9k9j 2448";
    let c = "3j2i 614, 3j4k 616, 4i4j 611, 4i5j 610, 9i10j 610, 9i8j 609, 9i9j 606, P*5j 604,
        P*6j 603, P*7j 598, P*8j 602, P*9j 599";
    for (sfen, depth, expected) in [(START, 3, start), (POSITION_C, 2, c)] {
        let mut position = position(sfen, true);
        let mut found = Vec::new();
        for m in position.legal_moves() {
            position.make(m);
            found.push(format!("{m} {}", perft(&mut position, depth - 1)));
            position.unmake();
        }
        found.sort();
        let mut expected: Vec<String> = expected
            .split(',')
            .map(|entry| entry.trim().to_string())
            .collect();
        expected.sort();
        assert_eq!(found, expected);
    }
}

// The worked cases, by their numbers.

#[test]
fn movements() {
    // Number, position, square, its moves.
    for (case, sfen, from, expected) in [
        (
            2,
            "10k/11/11/11/11/5E5/11/11/11/11/K10 b - 1",
            "6f",
            "6a 6b 6c 6d 6e 6g 6h 6i 6j 6k 7e 8d 9c 5e 4d 3c 7f 5f 7g 5g",
        ),
        (
            3,
            "10k/11/11/3P3p3/11/5E5/11/11/11/11/K10 b - 1",
            "6f",
            "6a 6b 6c 6d 6e 6g 6h 6i 6j 6k 7e 5e 4d 7f 5f 7g 5g",
        ),
        (
            4,
            "10k/11/11/11/11/5X5/11/11/11/11/K10 b - 1",
            "6f",
            "6e 6g 7e 5e 7g 5g 6d 6h 8d 4d 8h 4h",
        ),
        (
            5,
            "10k/11/11/11/4Ppp4/4PXP4/4pPp4/11/11/11/K10 b - 1",
            "6f",
            "6e 5e 7g 5g 6d 6h 8d 4d 8h 4h",
        ),
        (
            7,
            "10k/11/11/11/11/5H5/11/11/11/11/K10 b - 1",
            "6f",
            "6e 6d 6c 6c+ 6b 6b+ 6a 6a+ 6g 6h",
        ),
        (
            8,
            "10k/11/11/11/11/5H5/5p5/11/11/11/K10 b - 1",
            "6f",
            "6e 6d 6c 6c+ 6b 6b+ 6a 6a+ 6g",
        ),
        (
            9,
            "10k/11/11/11/11/5+H5/11/11/11/11/K10 b - 1",
            "6f",
            "7d 5d 7h 5h",
        ),
        (
            10,
            "10k/5+H5/11/11/11/11/11/11/11/11/K10 b - 1",
            "6b",
            "7d 5d",
        ),
        (
            11,
            "11/5+G5/11/11/10k/11/11/11/11/11/K10 b - 1",
            "6b",
            "6a 6c 1b 2b 3b 4b 5b 7b 8b 9b 10b 11b",
        ),
        (
            12,
            "11/5S5/11/11/10k/11/11/11/11/11/K10 b - 1",
            "6b",
            "6a 6c 1b 2b 3b 4b 5b 7b 8b 9b 10b 11b 6a+ 6c+ 1b+ 2b+ 3b+ 4b+ 5b+ 7b+ 8b+ 9b+ 10b+ 11b+",
        ),
        (13, "10k/5P5/11/11/11/11/11/11/11/11/K10 b - 1", "6b", "6a+"),
        (
            14,
            "10k/11/11/5P5/11/11/11/11/11/11/K10 b - 1",
            "6d",
            "6c 6c+",
        ),
        (15, "10k/11/11/11/5P5/11/11/11/11/11/K10 b - 1", "6e", "6d"),
        (
            16,
            "10k/11/11/11/11/5O5/11/11/11/11/K10 b - 1",
            "6f",
            "6e 6d 6c 6c+ 6b 6b+ 6a+",
        ),
        (
            18,
            "10k/5C5/11/11/11/11/11/11/11/11/K10 b - 1",
            "6b",
            "7a 7a+ 5a 5a+ 7b 7b+ 5b 5b+",
        ),
        (
            19,
            "10k/11/11/11/11/11/11/11/5p5/11/K10 w - 1",
            "6i",
            "6j 6j+",
        ),
        (20, "10k/11/11/11/11/11/11/11/11/5p5/K10 w - 1", "6j", "6k+"),
        (
            21,
            "10k/11/11/11/11/5d5/11/11/11/11/K10 w - 1",
            "6f",
            "6e 7f 5f 7g 5g",
        ),
        (
            37,
            "11/11/11/11/5k5/11/5K5/11/11/11/11 b - 1",
            "6g",
            "7g 5g 7h 6h 5h",
        ),
    ] {
        for drops in [false, true] {
            let position = position(sfen, drops);
            assert_eq!(moves_of(&position, from), sorted(expected), "case {case}");
        }
    }
    // 17: leaving the zone counts.
    let falcon = position("4k6/11/5F5/11/11/11/11/11/11/11/K10 b - 1", true);
    let moves = moves_of(&falcon, "6c");
    assert_eq!(moves.len(), 30);
    for word in ["10g", "10g+", "11h", "11h+"] {
        assert!(moves.contains(&word.to_string()), "{word}");
    }
}

#[test]
fn start() {
    let expected = "10i10h 10k11j 10k9j 11i11h 11k11j 1i1h 1k1j 2i2h 2j1j 2j3j 2k1j 2k3j 3i3h
        3k3j 4h4g 4i3h 4i3j 4i4j 4i5h 4i5j 4k3j 4k5j 5i5h 5k4j 5k5j 6i6h 6j3j 6j4j 6j5j 6j7j
        6j8j 6j9j 6k5j 6k7j 7i7h 7k7j 7k8j 8h8g 8i10g 8i6g 8i7h 8i7j 8i8g 8i8j 8i9h 8i9j 8k7j
        8k8j 8k9j 9i9h 9k9j";
    for drops in [false, true] {
        let position = Position::start(&rules(drops));
        assert_eq!(texts(position.legal_moves()), sorted(expected));
    }
}

#[test]
fn captures_and_hands() {
    // 6: a jump takes nothing on its way. 22: demotion. 23: no drops, no hands.
    for (sfen, text, drops, hands) in [
        (
            "10k/11/11/11/5p5/5X5/11/11/11/11/5K5 b - 1",
            "6f6d",
            true,
            "-",
        ),
        (
            "10k/11/11/11/5+r5/5W5/11/11/11/11/5K5 b - 1",
            "6f6e",
            true,
            "R",
        ),
        (
            "10k/11/11/11/5x5/5W5/11/11/11/11/5K5 b - 1",
            "6f6e",
            true,
            "X",
        ),
        (
            "10k/11/11/11/5+g5/5W5/11/11/11/11/5K5 b - 1",
            "6f6e",
            true,
            "G",
        ),
        (
            "10k/11/11/11/5+l5/5W5/11/11/11/11/5K5 b - 1",
            "6f6e",
            true,
            "L",
        ),
        (
            "10k/11/11/11/5+p5/5W5/11/11/11/11/5K5 b - 1",
            "6f6e",
            false,
            "-",
        ),
    ] {
        let mut position = position(sfen, drops);
        position.make(position.parse_move(text).unwrap());
        let after = position.sfen();
        assert_eq!(after.split(' ').nth(2), Some(hands), "{sfen}");
        if text == "6f6d" {
            assert_eq!(
                position
                    .piece_on("6e".parse().unwrap())
                    .unwrap()
                    .to_string(),
                "p"
            );
        }
    }
}

fn drops_of(position: &Position, kind: PieceKind) -> Vec<Square> {
    let moves = position.legal_moves();
    let of_kind = moves.iter().filter(|m| m.source() == Source::Hand(kind));
    of_kind.map(|m| m.to()).collect()
}

#[test]
fn drops() {
    use PieceKind::*;
    // 24: nifu.
    let nifu = position("5k5/2+P8/5P5/4p6/11/11/11/11/11/11/5K5 b P 1", true);
    let squares = drops_of(&nifu, Pawn);
    assert_eq!(squares.len(), 98);
    assert!(
        squares
            .iter()
            .all(|square| square.file() != 5 && square.rank() > 0)
    );
    for file in [8, 6] {
        assert!(squares.iter().any(|square| square.file() == file));
    }
    // 25: dead squares.
    for (letter, kind, count) in [('O', Oxcart, 109), ('H', Horse, 119), ('U', Crow, 119)] {
        let sfen = format!("5k5/11/11/11/11/11/11/11/11/11/5K5 b {letter} 1");
        assert_eq!(drops_of(&position(&sfen, true), kind).len(), count);
    }
    // 41: a drop never promotes.
    let sfen = "5k5/11/11/11/11/11/11/11/11/11/5K5 w p 1";
    assert!(position(sfen, true).parse_move("P*6j+").is_err());
    assert!(position(sfen, true).parse_move("P*6j").is_ok());
    assert!(position(sfen, true).parse_move("P@6j").is_ok());
}

#[test]
fn pawn_drop_mate() {
    let legal = |sfen: &str, text: &str| position(sfen, true).parse_move(text).is_ok();
    // 26
    assert!(!legal(POSITION_D, "P*6b"));
    assert!(legal(POSITION_D, "G*6b"));
    assert_eq!(position(POSITION_D, true).count_moves(), 236);
    // 27, 28: the goose takes it, the king takes it.
    assert!(legal(
        "4gkh4/4p1p4/5W5/11/11/11/11/11/11/11/5K5 b GPp 1",
        "P*6b"
    ));
    assert!(legal(
        "4okh4/4p1p4/11/11/11/11/11/11/11/11/5K5 b GPp 1",
        "P*6b"
    ));
    // 29: the falcon that could take it is pinned.
    let pinned = "+V+S1fk4d+W/1P+L8/p4E1g2x/1p9/2P2u2p2/3S2m2p1/3C3m3/2XP5P1/P5K1P2/11/2+w1+o5+o b R6Pefrvgculd2h6p 191";
    assert!(!legal(pinned, "P*7b"));
    assert_eq!(drops_of(&position(pinned, true), PieceKind::Pawn).len(), 40);
    assert_eq!(position(pinned, true).count_moves(), 186);
    // 30: a pawn that moves may mate.
    for text in ["6c6b", "6c6b+"] {
        for drops in [false, true] {
            let mut position = position("4okh4/4p1p4/5P5/5O5/11/11/11/11/11/11/5K5 b - 1", drops);
            position.make(position.parse_move(text).unwrap());
            let winner = Color::Black;
            assert_eq!(position.end(), Some(GameEnd::Checkmate { winner }));
        }
    }
    // 40: nifu also in check.
    let error = position(POSITION_C, true).parse_move("P*4j").unwrap_err();
    assert!(error.to_string().starts_with("nifu: file 4"), "{error}");
}

#[test]
fn checks_and_pins() {
    let all = |sfen: &str| texts(position(sfen, true).legal_moves());
    // 31: a pinned fox may not jump over the piece that pins it.
    let pinned = "10k/11/11/11/11/11/11/11/3o7/3X7/3K7 b - 1";
    let moves = all(pinned);
    assert_eq!(moves.len(), 5);
    assert!(moves.contains(&"8j8i".to_string()) && !moves.contains(&"8j8h".to_string()));
    // 32, 33: a jump check cannot be blocked, an eagle's can.
    assert_eq!(
        all("5k5/11/5X5/11/11/11/11/11/11/11/5K5 w p 1"),
        sorted("6a5a 6a7a")
    );
    assert_eq!(
        all("5k5/11/11/8E2/11/11/11/11/11/11/5K5 w p 1"),
        sorted("6a5a 6a6b 6a7a 6a7b P*4c P*5b")
    );
    // 34, 35: ranges.
    assert!(!position("5k5/11/11/11/9E1/11/11/11/11/11/5K5 w p 1", true).in_check());
    let horse = position("5h5/11/11/11/11/11/11/11/5K5/11/10k b - 1", true);
    assert!(horse.in_check());
    assert_eq!(moves_of(&horse, "6i"), sorted("7h 5h 7i 5i 7j 5j"));
    assert_eq!(horse.count_moves(), 6);
    // 36: no legal move loses.
    let stuck = position("10k/11/10V/11/9+S1/11/11/11/11/11/5K5 w - 1", false);
    assert!(!stuck.in_check());
    let winner = Color::Black;
    assert_eq!(stuck.end(), Some(GameEnd::NoLegalMove { winner }));
}

/// Plays moves and returns after which one the game ended, and how.
fn end_of(mut position: Position, moves: &str) -> Option<(usize, GameEnd)> {
    moves.split(' ').zip(1..).find_map(|(text, count)| {
        position.make(position.parse_move(text).unwrap());
        position.end().map(|end| (count, end))
    })
}

#[test]
fn repetition() {
    // 38
    let shuffle = ["6j7j 6b7b 7j6j 7b6b"; 3].join(" ");
    for drops in [false, true] {
        assert_eq!(
            end_of(Position::start(&rules(drops)), &shuffle),
            Some((12, GameEnd::Sennichite))
        );
    }
    // 39
    let checks = ["6c6a 11a11b 6a6b 11b11a 6b6a"]
        .into_iter()
        .chain(["11a11b 6a6b 11b11a 6b6a"; 3])
        .collect::<Vec<_>>()
        .join(" ");
    let loser = Color::Black;
    for drops in [false, true] {
        let start = position("k10/11/5+S5/11/11/11/11/11/11/11/5K5 b - 1", drops);
        assert_eq!(
            end_of(start, &checks),
            Some((13, GameEnd::PerpetualCheck { loser }))
        );
    }
}

/// The lines of a data file, parted into fields.
fn fields(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(" ; ").collect())
}

#[test]
fn leaf_counts_of_an_independent_generator() {
    for line in fields(include_str!("data/wa_positions.txt")) {
        let mut position = position(line[1], line[0] == "drops");
        for count in &line[2..] {
            let (depth, leaves) = count[1..].split_once(' ').unwrap();
            let found = perft(&mut position, depth.parse().unwrap());
            assert_eq!(found.to_string(), leaves, "depth {depth} of {}", line[1]);
        }
    }
}

#[test]
fn ends_of_games_by_an_independent_judge() {
    for line in fields(include_str!("data/wa_games.txt")) {
        let start = line[1].trim_start_matches("sfen ");
        let start = if start == "startpos" { START } else { start };
        let mut position = position(start, line[0] == "drops");
        for text in line[2].split_whitespace() {
            assert_eq!(position.end(), None, "{line:?}");
            position.make(position.parse_move(text).unwrap());
        }
        assert_eq!(position.sfen(), line[4]);
        let end = position.end();
        let word = match end {
            Some(GameEnd::Checkmate { .. }) => "mate",
            Some(GameEnd::NoLegalMove { .. }) => "stalemate",
            Some(GameEnd::Sennichite) => "sennichite",
            Some(GameEnd::PerpetualCheck { .. }) => "perpetual",
            Some(GameEnd::BareKings) => "bare",
            _ => "none",
        };
        let winner = match end.map(GameEnd::winner) {
            None => "none".to_owned(),
            Some(None) => "draw".to_owned(),
            Some(Some(color)) => color.to_string(),
        };
        assert_eq!(format!("{word} {winner}"), line[3], "{line:?}");
    }
}

#[test]
fn draws_by_exhaustion_and_length() {
    let bare = "5k5/11/11/11/11/11/11/11/11/11/5K5 b - 1";
    assert_eq!(position(bare, false).end(), Some(GameEnd::BareKings));
    assert_eq!(position(bare, true).end(), None);
    // A capture leads there.
    let mut last = position("5k5/11/11/11/11/11/11/11/11/5p5/5K5 b - 1", false);
    last.make(last.parse_move("6k6j").unwrap());
    assert_eq!(last.end(), Some(GameEnd::BareKings));
    let limited = Rules {
        max_moves: 2,
        ..Rules::default()
    };
    let end = end_of(Position::start(&limited), "8h8g 8d8e");
    assert_eq!(end, Some((2, GameEnd::MoveLimit)));
}

#[test]
fn notation_that_is_refused() {
    for (sfen, message) in [
        // 42
        (
            "5k5/11/5+X5/11/11/11/11/11/11/11/5K5 b - 1",
            "`+X` in rank c of the board is no piece",
        ),
        (
            "5k5/11/92/11/11/11/11/11/11/11/5K5 b - 1",
            "`92` in rank c of the board is no number of empty squares (1 to 11)",
        ),
        (
            "5+k5/11/11/11/11/11/11/11/11/11/5K5 b - 1",
            "`+k` in rank a of the board is no piece",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/5K5 b - 1",
            "the board has 10 ranks instead of 11",
        ),
        (
            "5k5/10/11/11/11/11/11/11/11/11/5K5 b - 1",
            "rank b of the board (`10`) has 10 squares instead of 11",
        ),
        (
            "5k5/012/11/11/11/11/11/11/11/11/5K5 b - 1",
            "`0` in rank b of the board is no piece",
        ),
        (
            "5k5/J10/11/11/11/11/11/11/11/11/5K5 b - 1",
            "`J` in rank b of the board is no piece",
        ),
        (
            "5k5/11P/11/11/11/11/11/11/11/11/5K5 b - 1",
            "rank b of the board (`11P`) has 12 squares instead of 11",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/11/11 b - 1",
            "black has no king",
        ),
        (
            "5kk4/11/11/11/11/11/11/11/11/11/5K5 b - 1",
            "white has more than one king",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/11/5K5 b K 1",
            "`K` in the hands `K` is no piece that can be in hand",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/11/5K5 b 23P 1",
            "the hands `23P` hold a kind 0 times or more than 22 times",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/11/5K5 b 3O 1",
            "there are 3 of O (oxcart), promoted or not; the game has 2",
        ),
        (
            "5k5/+O9o/11/11/11/11/11/11/11/11/5K5 b O 1",
            "there are 3 of O (oxcart), promoted or not; the game has 2",
        ),
        (
            "P4k5/11/11/11/11/11/11/11/11/11/5K5 b - 1",
            "the sparrow pawn on 11a could never move",
        ),
        (
            "5k5/11/11/11/11/11/11/11/11/11/o4K5 b - 1",
            "the oxcart on 11k could never move",
        ),
        (
            "5k5/5P5/11/11/11/11/11/11/11/11/5K5 b - 1",
            "white is in check, but it is not its move",
        ),
    ] {
        let error = Position::from_sfen(sfen, &rules(true)).err();
        assert_eq!(
            error.map(|e| e.to_string()).as_deref(),
            Some(message),
            "{sfen}"
        );
    }
    let error = Position::from_sfen("5k5/11/11/11/11/11/11/11/11/11/5K5 b P 1", &rules(false));
    assert_eq!(
        error.err().map(|e| e.to_string()).as_deref(),
        Some("the hands are `P`, but without drops (WaDrops) they are always `-`")
    );
}

// A second implementation: pieces walk as their rows of the table say.

/// Targets of a piece, its own side's included.
fn walk(position: &Position, from: Square) -> Vec<Square> {
    let Some(piece) = position.piece_on(from) else {
        return Vec::new();
    };
    let movement = piece.kind.row().movement;
    let sign = if piece.color == Color::Black { -1 } else { 1 };
    let mut targets = Vec::new();
    let leaps = movement.steps.iter().chain(movement.jumps);
    let slides = movement.slides.iter().map(|&offset| (offset, 11));
    let limited = movement.limited.iter().copied();
    for ((right, forward), length) in leaps
        .map(|&offset| (offset, 1))
        .chain(slides)
        .chain(limited)
    {
        let mut at = from;
        for _ in 0..length {
            let Some(to) = at.offset(right * sign, forward * sign) else {
                break;
            };
            targets.push(to);
            if position.piece_on(to).is_some() {
                break;
            }
            at = to;
        }
    }
    targets
}

fn attacked(position: &Position, by: Color, square: Square) -> bool {
    Square::all().any(|from| {
        position
            .piece_on(from)
            .is_some_and(|piece| piece.color == by)
            && walk(position, from).contains(&square)
    })
}

/// Every move that the pieces and hands allow, kings left in check or not.
fn pseudo_legal(position: &Position) -> Vec<Move> {
    let us = position.side_to_move();
    let in_zone = |square: Square| square.relative_rank(us) < 3;
    let on_last = |square: Square| square.relative_rank(us) == 0;
    let stuck = |kind| matches!(kind, PieceKind::Pawn | PieceKind::Oxcart);
    let mut moves = Vec::new();
    for from in Square::all() {
        let Some(Piece { color, kind }) = position.piece_on(from) else {
            continue;
        };
        if color != us {
            continue;
        }
        for to in walk(position, from) {
            if position.piece_on(to).is_some_and(|piece| piece.color == us) {
                continue;
            }
            if !(stuck(kind) && on_last(to)) {
                moves.push(Move::board(from, to));
            }
            if kind.promoted().is_some() && (in_zone(from) || in_zone(to)) {
                moves.push(Move::promotion(from, to));
            }
        }
    }
    for (kind, _) in position.hand(us).iter() {
        for to in Square::all() {
            let pawn = Some(Piece::new(us, PieceKind::Pawn));
            let nifu = kind == PieceKind::Pawn
                && Square::all()
                    .any(|other| other.file() == to.file() && position.piece_on(other) == pawn);
            if position.piece_on(to).is_none() && !nifu && !(stuck(kind) && on_last(to)) {
                moves.push(Move::drop(kind, to));
            }
        }
    }
    moves
}

fn keeps_king(position: &mut Position, m: Move) -> bool {
    let us = position.side_to_move();
    position.make(m);
    let safe = !attacked(position, !us, position.king(us));
    position.unmake();
    safe
}

fn brute_force(position: &mut Position) -> Vec<String> {
    let mut moves = pseudo_legal(position);
    moves.retain(|&m| keeps_king(position, m));
    moves.retain(|&m| {
        if m.source() != Source::Hand(PieceKind::Pawn) {
            return true;
        }
        position.make(m);
        let us = position.side_to_move();
        let mate = attacked(position, !us, position.king(us))
            && !pseudo_legal(position)
                .iter()
                .any(|&reply| keeps_king(position, reply));
        position.unmake();
        !mate
    });
    texts(moves)
}

/// Chooses captures and promotions more often, so that games change.
fn choose(position: &Position, moves: &[Move], random: &mut Random) -> Move {
    let lively: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|&m| position.is_noisy(m))
        .collect();
    if !lively.is_empty() && random.below(2) == 0 {
        lively[random.below(lively.len())]
    } else {
        moves[random.below(moves.len())]
    }
}

#[test]
fn generated_moves_are_those_of_the_table() {
    for game in 0..60 {
        let mut random = Random::nth(31, game);
        let mut position = Position::start(&rules(game % 2 == 0));
        for ply in 0..240 {
            let moves = position.legal_moves();
            if ply % 5 == (game % 5) as usize || position.in_check() {
                assert_eq!(
                    texts(moves.clone()),
                    brute_force(&mut position),
                    "{}",
                    position.sfen()
                );
            }
            if moves.is_empty() {
                break;
            }
            position.make(choose(&position, &moves, &mut random));
        }
    }
}

/// Everything that must hold in every position.
fn examine(position: &mut Position, rules: &Rules, random: &mut Random) {
    position.assert_consistent();
    let sfen = position.sfen();
    let again = Position::from_sfen(&sfen, rules).unwrap();
    assert_eq!(again.sfen(), sfen);
    assert_eq!(again.key(), position.key());

    let moves = position.legal_moves();
    assert_eq!(position.count_moves(), moves.len());
    // The stages part the moves.
    let mut staged = MoveList::new();
    position.generate(Stage::Noisy, true, &mut staged);
    assert!(staged.iter().all(|&m| position.is_noisy(m)), "{sfen}");
    let noisy = staged.len();
    position.generate(Stage::Quiet, true, &mut staged);
    assert!(
        staged[noisy..].iter().all(|&m| !position.is_noisy(m)),
        "{sfen}"
    );
    assert_eq!(texts(staged), texts(moves.clone()), "{sfen}");
    let mut checks = MoveList::new();
    position.generate(Stage::QuietChecks, true, &mut checks);

    let info = position.check_info();
    let mut quiet_checks = Vec::new();
    for &m in &moves {
        assert!(position.is_legal(m), "{m} in {sfen}");
        assert_eq!(position.parse_move(&m.to_string()), Ok(m));
        assert_eq!(Move::from_bits(m.to_bits()), Some(m));
        let gives_check = position.gives_check(m, &info);
        if gives_check && !position.is_noisy(m) {
            quiet_checks.push(m);
        }
        let (key, after) = (position.key(), position.key_after(m));
        position.make(m);
        assert_eq!(position.key(), after, "{m} in {sfen}");
        assert_eq!(position.in_check(), gives_check, "{m} in {sfen}");
        position.unmake();
        assert_eq!(position.key(), key);
    }
    assert_eq!(texts(checks), texts(quiet_checks), "{sfen}");
    // A move that is not generated is not legal.
    for _ in 0..300 {
        if let Some(m) = Move::from_bits(random.next_u64() as u16) {
            assert_eq!(position.is_legal(m), moves.contains(&m), "{m} in {sfen}");
        }
    }
    if position.can_pass() {
        let key = position.key();
        position.make_null();
        assert_ne!(position.key(), key);
        position.unmake_null();
        assert_eq!(position.key(), key);
    }
}

#[test]
fn random_games() {
    for game in 0..10_000 {
        let mut random = Random::nth(77, game);
        let rules = rules(game % 2 == 0);
        let mut position = Position::start(&rules);
        let start = position.key();
        let mut played = 0;
        let length = 30 + random.below(70);
        let look_at = random.below(length);
        for ply in 0..length {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            if ply == look_at {
                examine(&mut position, &rules, &mut random);
            }
            position.make(choose(&position, &moves, &mut random));
            played += 1;
        }
        position.assert_consistent();
        for _ in 0..played {
            position.unmake();
        }
        position.assert_consistent();
        assert_eq!(position.key(), start);
        assert_eq!(position.sfen(), START);
    }
}

#[test]
fn the_search_sees_a_first_recurrence() {
    let mut position = Position::start(&Rules::default());
    for text in ["6j7j", "6b7b", "7j6j", "7b6b"] {
        assert_eq!(position.repetition(), Repetition::None);
        position.make(position.parse_move(text).unwrap());
    }
    assert_eq!(position.repetition(), Repetition::Draw);
    assert_eq!(position.occurrences(), 2);
}
