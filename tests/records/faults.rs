//! Records with faults, and in odd order: what is kept, and what is told.

use tsuru::record::{self, GameTree, Target, Terminal, key};
use tsuru::shogi::Rules;

use super::{convert, read, usi};

/// No name of a header becomes a line of its own, or another header.
#[test]
fn headers_that_csa_cannot_hold_are_told() {
    let mut tree = GameTree::even(&Rules::default());
    for name in ["$A:B", "$EVENT", "$X\n+7776FU", "$FINE"] {
        tree.headers.push((name.to_owned(), "value".to_owned()));
    }
    let written = record::write(&tree, "csa".parse().unwrap());
    let text = String::from_utf8(written.bytes).unwrap();
    assert_eq!(text, "V2.2\n$FINE:value\nPI\n+\n");
    assert_eq!(written.losses.len(), 1);
}

#[test]
fn faults_are_told_with_line_and_rule() {
    for (text, kept, message) in [
        (
            "手合割：平手\n手数--\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ８七角(88)\n   4 ８四歩(83)\n",
            2,
            "line 5: move 3 (８七角(88)) is not legal: 8g is occupied",
        ),
        (
            "手合割：平手\n手数--\n   1 ７六歩(77)\n   2 ３四金打\n",
            1,
            "line 4: move 2 (３四金打) is not legal: there is no gold in hand",
        ),
        (
            "手合割：平手\n▲７六歩 △４五銀\n▲２六歩\n",
            1,
            "line 2: move 2: ４五銀: no 銀 can go to ４五 as it says",
        ),
        (
            "V2.2\nPI\n+\n+7776FU\nT1\n-3334FU\n+8822KA\n-2122OU\n",
            3,
            "line 8: move 4: the piece on 2a is KE, and cannot become OU",
        ),
        (
            "V2.2\nPI\n+\n+7776FU\n-3334FU\n+7675KI\n",
            2,
            "line 6: move 3: the piece on 7f is FU, and cannot become KI",
        ),
        (
            "startpos moves 7g7f 7c7e",
            1,
            "line 1: move 2 (7c7e) is not legal: a pawn",
        ),
        (
            "手数--\n1 ７六歩(77)\n変化：5手\n5 ２六歩(27)\n",
            1,
            "line 3: the branch leaves from no",
        ),
    ] {
        let reading = read(text.as_bytes()).unwrap();
        let error = reading.first_error().unwrap_or_else(|| panic!("{text}"));
        assert!(error.to_string().starts_with(message), "{error}");
        assert_eq!(reading.games[0].main_moves().len(), kept, "{text}");
    }
    for text in [
        "",
        "hello",
        "\u{0}\u{1}",
        "PI\nP1+XX",
        "手合割：京都将棋\n",
        "{\"moves\":[",
    ] {
        let error = read(text.as_bytes()).err();
        assert!(error.is_some(), "{text}");
    }
}

/// What is wrong with a text, a sentence each.
fn problems(text: &str) -> Vec<String> {
    let reading = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    reading.problems.iter().map(ToString::to_string).collect()
}

/// Nothing that stands in a record is passed over in silence.
#[test]
fn what_is_not_understood_is_told_with_its_line() {
    for (text, ending, told) in [
        (
            "手数--\n1 ７六歩(77)\n2 ふしぎ な 終局 ( 0:01/00:00:01)\n",
            Some("ふしぎ な 終局"),
            &["line 3: warning: `ふしぎ な 終局` is no known way to end a game, kept as it is"][..],
        ),
        (
            "手合割：平手\n▲７六歩 △３四歩\nまで2手でふしぎ\n",
            Some("ふしぎ"),
            &["line 3: warning: `ふしぎ` is no known way to end a game, kept as it is"],
        ),
        (
            "PI\n+\n+7776FU\n%WHY_NOT\n",
            Some("WHY_NOT"),
            &["line 4: warning: `WHY_NOT` is no known way to end a game, kept as it is"],
        ),
        (
            "{\"moves\":[{},{\"special\":\"WHY\"}]}",
            Some("WHY"),
            &["line 1: warning: `WHY` is no known way to end a game, kept as it is"],
        ),
        (
            "手数--\n1 ７六歩(77) 長考 (0:0x/)\n2 (0:01)\n3 投了 無念\n",
            Some("投了"),
            &[
                "line 2: warning: `0:0x` is no time",
                "line 2: warning: `長考` behind the move, left out",
                "line 3: warning: a number without a move",
                "line 4: warning: number 3 where 2 was expected",
                "line 4: warning: `無念` behind the move, left out",
            ],
        ),
        (
            "PI\n+\nT5\n+7776FU\n",
            None,
            &["line 3: warning: a time before any move, left out"],
        ),
        (
            "手数--\n1 ７六歩(77)\n終了日時：今日\n2 ３四歩(33)\n",
            None,
            &["line 3: warning: the header 終了日時 among the moves"],
        ),
    ] {
        assert_eq!(problems(text), told, "{text}");
        let tree = &read(text.as_bytes()).unwrap().games[0];
        assert_eq!(tree.ending().map(Terminal::kif), ending, "{text}");
        // A word of one's own is written and read again.
        if ending.is_some() {
            assert_eq!(convert(tree, "kifu").ending(), tree.ending());
        }
    }
    let late = "手数--\n1 ７六歩(77)\n終了日時：今日\n2 ３四歩(33)\n";
    let tree = &read(late.as_bytes()).unwrap().games[0];
    assert_eq!(tree.header(key::ENDED), Some("今日"));
    assert_eq!(tree.main_moves().len(), 2);
}

#[test]
fn several_games_in_a_file() {
    let counts = |text: &str| -> Vec<usize> {
        let reading = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        let games = reading.games.iter();
        games.map(|tree| tree.main_moves().len()).collect()
    };
    let diagram = "後手の持駒：なし\n  ９ ８ ７ ６ ５ ４ ３ ２ １\n+---------------------------+\n\
        | ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|二\n\
        | ・ ・ ・ ・ 歩 ・ ・ ・ ・|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|六\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|七\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|八\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|九\n+---------------------------+\n先手の持駒：金\n先手番\n";
    for (text, expected) in [
        // KIF, with and without headers, with variations and a mark of the encoding.
        (
            "#KIF version=2.0 encoding=UTF-8\n手合割：平手\n手数--\n1 ７六歩(77)\n2 投了\n\
             まで1手で先手の勝ち\n\n変化：1手\n1 ２六歩(27)\n\n\
             \u{feff}#KIF version=2.0 encoding=UTF-8\n手合割：二枚落ち\n*comment：x\n手数--\n\
             1 ６二銀(71)\n2 ７六歩(77)\n"
                .to_owned(),
            &[1, 2][..],
        ),
        (
            "手数--\n1 ７六歩(77)\n2 投了\n手数--\n1 ２六歩(27)\n2 ３四歩(33)\n".to_owned(),
            &[1, 2],
        ),
        (
            "先手：A\n1 ７六歩(77)\n2 ３四歩(33)\n\n先手：B\n後手：C\n1 ２六歩(27)\n".to_owned(),
            &[2, 1],
        ),
        (
            format!("{diagram}1 ５二金打\n{diagram}{diagram}1 ５二金打\n2 詰み\n{diagram}"),
            &[1, 0, 1, 0],
        ),
        // KI2.
        (
            "手合割：平手\n▲７六歩 △３四歩\nまで2手で中断\n手合割：平手\n▲２六歩\n".to_owned(),
            &[2, 1],
        ),
        // CSA, with and without the line between them.
        (
            "V2.2\nPI\n+\n+7776FU\n/\n\n/\nPI\n+\n+2726FU\n-3334FU\n".to_owned(),
            &[1, 2],
        ),
        (
            "V2.2\nN+A\nPI\n+\n+7776FU\n%TORYO\nV2.2\nN+B\nPI\n+\n+2726FU\n-3334FU\n".to_owned(),
            &[1, 2],
        ),
    ] {
        assert_eq!(counts(&text), expected, "{text}");
    }
    // A diagram of the position that a game has come to is no other game.
    let shown = "後手の持駒：なし\n+---------------------------+\n\
        |v香v桂v銀v金v玉v金v銀v桂v香|一\n| ・v飛 ・ ・ ・ ・ ・v角 ・|二\n\
        |v歩v歩v歩v歩v歩v歩v歩v歩v歩|三\n| ・ ・ ・ ・ ・ ・ ・ ・ ・|四\n\
        | ・ ・ ・ ・ ・ ・ ・ ・ ・|五\n| ・ ・ 歩 ・ ・ ・ ・ ・ ・|六\n\
        | 歩 歩 ・ 歩 歩 歩 歩 歩 歩|七\n| ・ 角 ・ ・ ・ ・ ・ 飛 ・|八\n\
        | 香 桂 銀 金 玉 金 銀 桂 香|九\n+---------------------------+\n先手の持駒：なし\n";
    for text in [
        format!("手数--\n1 ７六歩(77)\n{shown}2 ３四歩(33)\n"),
        format!("手数--\n1 ７六歩(77)\n2 投了\n{shown}"),
        format!("手合割：平手\n▲７六歩\n{shown}△３四歩\n"),
    ] {
        assert_eq!(read(text.as_bytes()).unwrap().games.len(), 1, "{text}");
    }
    // What has one diagram has one title.
    let collection = format!("作品名：A\n{diagram}作品名：B\n{diagram}");
    let titles: Vec<_> = (read(collection.as_bytes()).unwrap().games.iter())
        .map(|tree| tree.headers.clone())
        .collect();
    let title = |name: &str| vec![("作品名".to_owned(), name.to_owned())];
    assert_eq!(titles, [title("A"), title("B")]);
    // Numbers of any size.
    let numbers = "4294967295 ７六歩(77)\n5 ３四歩(33)\n";
    assert_eq!(counts(numbers), [2]);
    // Headers before a branch do not make it a game.
    let branch = "手数--\n1 ７六歩(77)\n2 ３四歩(33)\n変化：1手\n備考：x\n1 ２六歩(27)\n";
    let reading = read(branch.as_bytes()).unwrap();
    assert_eq!(
        (reading.games.len(), reading.games[0].lines().count()),
        (1, 2)
    );
    // Headers within a game do not end it.
    let one =
        "手数--\n1 ７六歩(77)\n備考：よい手\n*so：it is\n2 ３四歩(33)\n変化：1手\n1 ２六歩(27)\n";
    let tree = &read(one.as_bytes()).unwrap().games[0];
    assert_eq!((tree.main_moves().len(), tree.lines().count()), (2, 2));
    assert_eq!(
        tree.node(tree.main_line().next().unwrap()).comments,
        ["so：it is"]
    );
}

/// The first moves of the branches of a text, and what is told about it.
fn branches(text: &str) -> (Vec<String>, Vec<String>) {
    let reading = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let tree = &reading.games[0];
    let name = |id| {
        let node = tree.node(id);
        format!("{} {}", node.ply(), usi(&[node.legal_move().unwrap()]))
    };
    let names = tree.lines().skip(1).map(name).collect();
    let problems = reading.problems.iter().map(ToString::to_string).collect();
    (names, problems)
}

/// Branches are listed from the last to the first; records that have another order are
/// understood where the length of a line or the first move tells what is meant.
#[test]
fn branches_in_every_order() {
    let main = "手数--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２六歩(27)\n4 ８四歩(83)\n5 ２五歩(26)\n\
        6 ８五歩(84)\n7 ７八金(69)\n8 ３二金(41)\n";
    let outer = "warning: taken as a branch of an outer line, not of the one before it";
    for (lines, expected, told) in [
        // As Kifu for Windows writes them, with a branch of a branch.
        (
            "変化：7手\n7 ４八銀(39)\n変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n5 ７八銀(79)\n\
             変化：5手\n5 ６八飛(28)\n変化：2手\n2 ８四歩(83)\n",
            &["7 3i4h", "3 6g6f", "5 2h6h", "2 8c8d"][..],
            vec![],
        ),
        // Upwards: the line before is too short for the next branch.
        (
            "変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n変化：7手\n7 ４八銀(39)\n",
            &["7 3i4h", "3 6g6f"],
            vec![format!("line 13: {outer}")],
        ),
        // Upwards: the first move is one of the main line only.
        (
            "変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n5 ７八銀(79)\n6 ６二銀(71)\n\
             変化：5手\n5 ２五歩(26)\n6 ３二金(41)\n",
            &["5 2f2e", "3 6g6f"],
            vec![format!("line 16: {outer}")],
        ),
        // Two lines further out.
        (
            "変化：3手\n3 ６六歩(67)\n4 ８四歩(83)\n変化：4手\n4 ３五歩(34)\n\
             変化：8手\n8 ６二銀(71)\n",
            &["8 7a6b", "3 6g6f", "4 3d3e"],
            vec![format!("line 15: {outer}")],
        ),
        // A line that was cut off is not taken for a short one.
        (
            "変化：3手\n3 ６六歩(67)\n4 ８四X(83)\n5 ７八銀(79)\n変化：5手\n5 ５六歩(57)\n",
            &["3 6g6f"],
            vec![
                "line 12: move 4: `８四X` is no move: `X` is no piece".to_owned(),
                "line 14: the branch leaves from no move of the line before it; left out"
                    .to_owned(),
            ],
        ),
        // There is no such move anywhere.
        (
            "変化：0手\n1 ２六歩(27)\n変化：10手\n変化：99999999999手\n変化：手\n変化：9手\n\
             9 ４八銀(39)\n",
            &[],
            [10, 12, 13, 14]
                .map(|line| {
                    format!("line {line}: the branch leaves from no move of the line before it; left out")
                })
                .to_vec(),
        ),
    ] {
        let (names, problems) = branches(&format!("{main}{lines}"));
        assert_eq!(names, expected, "{lines}");
        assert_eq!(problems, told, "{lines}");
    }
}

/// What a record holds reaches a terminal without control characters.
#[test]
fn messages_are_one_line_each() {
    for text in [
        "手合割：\u{1b}[2J\n",
        "PI\nP+00\u{1b}[\n",
        "手数--\n1 ７六\u{1b}\u{7}(77)\n",
        "PI\n+\n+77\u{1b}6FU\n%\u{1b}[2J\n",
        "{\"header\":{\"a\u{7f}\":\"b\"},\"moves\":[{},{\"special\":\"\\u001b\"}]}",
    ] {
        let mut told = Vec::new();
        match read(text.as_bytes()) {
            Err(error) => told.push(error.to_string()),
            Ok(reading) => {
                told.extend(reading.problems.iter().map(ToString::to_string));
                for target in Target::WORDS {
                    let written = record::write(&reading.games[0], target.parse().unwrap());
                    told.extend(written.losses);
                }
            }
        }
        assert!(!told.is_empty(), "{text:?}");
        let is_clean = |line: &String| !line.contains(char::is_control);
        assert!(told.iter().all(is_clean), "{told:?}");
    }
}

/// No move is lost in silence.
#[test]
fn moves_without_marks_and_numbers() {
    for (text, moves, told) in [
        (
            "手合割：平手\n７六歩　３四歩\n２二角成 同　銀\n４五角\n",
            5,
            &[][..],
        ),
        // Among numbered moves it is a comment whose mark is missing.
        (
            "手数--\n1 ７六歩(77)\n３四歩\n2 ８四歩(83)\n",
            2,
            &["line 3: warning: neither a move nor a comment: `３四歩`"],
        ),
        (
            "手合割：平手\n1 ▲７六歩 2 △３四歩\n",
            1,
            &["line 2: `2 △３四歩` behind the move, left out"],
        ),
        (
            "手合割：平手\n▲７六歩 ▲３四歩\n",
            2,
            &["line 2: warning: the mark ▲ is not that of the side to move"],
        ),
        ("手合割：2枚落ち\n△６二銀 ▲７六歩\n", 2, &[]),
        ("手合割：１０枚落ち\n1 ６二玉(51)\n", 1, &[]),
    ] {
        assert_eq!(problems(text), told, "{text}");
        let reading = read(text.as_bytes()).unwrap();
        assert_eq!(reading.games[0].main_moves().len(), moves, "{text}");
        assert_eq!(
            reading.first_error().is_some(),
            told.iter().any(|text| text.contains("left out")),
            "{text}"
        );
    }
    let start = |text: &str| read(text.as_bytes()).unwrap().games[0].start().sfen();
    assert_eq!(start("手合割：6枚落ち\n"), start("手合割：六枚落ち\n"));
}

/// When no game of a file can be read, the fault of each is told.
#[test]
fn every_refused_game_is_told() {
    for (text, error) in [
        (
            "PI\nP1+XX\n+\n/\nP+51OU52OU\n+\n".to_owned(),
            "line 2: `+XX` is no piece; line 6: black has more than one king".to_owned(),
        ),
        (
            "手合割：京都将棋\n1 ７六歩(77)\n手合割：安南将棋\n1 ７六歩(77)\n".to_owned(),
            "line 1: unknown handicap `京都将棋` without a diagram; \
             line 3: unknown handicap `安南将棋` without a diagram"
                .to_owned(),
        ),
        (
            "9/9/9/9/9/9/9/9/9\n".repeat(12),
            (1..=10)
                .map(|line| format!("line {line}: the position has no side to move; "))
                .collect::<String>()
                + "2 more games cannot be read",
        ),
    ] {
        let told = read(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(told, error, "{text}");
    }
}

/// A game that cannot be read costs no other one.
#[test]
fn a_faulty_game_among_good_ones() {
    for (text, told) in [
        (
            "PI\n+\n+7776FU\n/\nP1+XX\n+\n+7776FU\n/\nPI\n+\n+2726FU\n",
            "line 5: `+XX` is no piece",
        ),
        (
            "PI\n+\n+7776FU\n/\nP+51OU52OU\n+\n/\nPI\n+\n+2726FU\n",
            "line 6: black has more than one king",
        ),
        (
            "手合割：平手\n1 ７六歩(77)\n手合割：京都将棋\n1 ７六歩(77)\n2 ７七歩(76)\n\
             手合割：平手\n1 ２六歩(27)\n",
            "line 3: unknown handicap `京都将棋` without a diagram",
        ),
        (
            "startpos moves 7g7f\nsfen x\nstartpos moves 2g2f\n",
            "line 2: `sfen x` is no position",
        ),
        (
            "[{\"moves\":[{}]},{\"initial\":{\"preset\":\"X\"},\"moves\":[{}]},{\"moves\":[{}]}]",
            "line 1: game 2: unknown preset `X`",
        ),
    ] {
        let reading = read(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
        assert_eq!(reading.games.len(), 2, "{text}");
        let errors: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
        assert_eq!(errors, [told], "{text}");
    }
}

/// An illegal branch beside an illegal move stays where it was, though the move would be
/// legal in the line outside.
#[test]
fn illegal_branches_stay_in_their_line() {
    let text = "手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n\
                変化：2手\n   2 ８四歩(83)\n   3 ２二角成(88)\n\
                変化：3手\n   3 ２二角成(88)\n";
    let reading = read(text.as_bytes()).unwrap();
    assert_eq!(usi(&reading.games[0].main_moves()), "7g7f 3c3d");
}
