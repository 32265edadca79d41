//! Game records: real ones against what other libraries read in them, round trips
//! through every format, and records of absurd size.

mod faults;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use tsuru::record::{
    self, Cursor, Format, GameTree, NodeId, ReadError, Reading, Step, Target, Terminal, evals, key,
};
use tsuru::shogi::handicap::HANDICAPS;
use tsuru::shogi::{Move, Position, Rules};

fn games() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/games")
}

fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
    record::read(bytes, &Rules::default())
}

fn read_file(name: &str) -> Reading {
    let bytes = fs::read(games().join(name)).unwrap();
    read(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The rows of a table in the folder of games.
fn rows(table: &str) -> Vec<Vec<String>> {
    fs::read_to_string(games().join(table))
        .unwrap()
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').map(str::to_owned).collect())
        .collect()
}

fn usi(moves: &[Move]) -> String {
    let words: Vec<String> = moves.iter().map(ToString::to_string).collect();
    words.join(" ")
}

fn convert(tree: &GameTree, target: &str) -> GameTree {
    let target: Target = target.parse().unwrap();
    let written = record::write(tree, target);
    let reading = read(&written.bytes)
        .unwrap_or_else(|error| panic!("{error} in\n{}", String::from_utf8_lossy(&written.bytes)));
    // Without moves, KIF and KI2 are one.
    let kif = |format| matches!(format, Format::Kif | Format::Ki2);
    let same = kif(reading.format) && kif(target.format) && tree.main_moves().is_empty();
    assert!(
        reading.format == target.format || same,
        "{:?}",
        reading.format
    );
    assert_eq!(reading.first_error(), None);
    reading.games.into_iter().next().unwrap()
}

/// Files with a move that is illegal and not the end of the game, and in which line.
const FAULTY: [(&str, usize); 0] = [];

#[test]
fn real_records_read_as_other_libraries_read_them() {
    let mut counted = 0;
    for row in rows("index.tsv") {
        let (file, moves, first, last) = (&row[0], &row[4], &row[7], &row[8]);
        let reading = read_file(file);
        let tree = &reading.games[0];
        let fault = FAULTY.iter().find(|(faulty, _)| faulty == file);
        let error = reading.first_error();
        assert_eq!(
            error.map(|error| error.line),
            fault.map(|f| f.1),
            "{file}: {error:?}"
        );
        if moves == "?" {
            continue;
        }
        counted += 1;
        assert_eq!(&tree.main_moves().len().to_string(), moves, "{file}");
        // Other libraries write hands in another order.
        let canonical = |sfen: &str| Position::from_sfen(sfen, &Rules::default()).unwrap().sfen();
        assert_eq!(tree.start().sfen(), canonical(first), "{file}");
        assert_eq!(tree.last_position().sfen(), canonical(last), "{file}");
    }
    assert_eq!(counted, 296);
}

#[test]
fn real_records_have_the_moves_that_rsshogi_reads() {
    for row in rows("moves.tsv") {
        let reading = read_file(&row[0]);
        let moves = row[1]
            .split_once("moves")
            .map_or("", |(_, moves)| moves.trim());
        assert_eq!(usi(&reading.games[0].main_moves()), moves, "{}", row[0]);
    }
}

#[test]
fn real_evaluations_are_read() {
    let mut counted = 0;
    for row in rows("index.tsv").iter().filter(|row| row[1] == "csa") {
        let tree = &read_file(&row[0]).games[0];
        let mut cursor = Cursor::new(tree);
        let mut evaluations = 0;
        for id in tree.main_line() {
            cursor.go_to(tree, id);
            evaluations += evals::parse(&tree.node(id).comments, cursor.position()).len();
        }
        assert_eq!(evaluations.to_string(), row[5], "{}", row[0]);
        counted += evaluations;
    }
    assert!(counted > 5000, "{counted}");
    // ShogiGUI's and ShogiHome's, with lines.
    for (file, moves) in [
        ("formats/shogihome__src02.kifu", 50),
        (
            "formats/kif-parser__20211002_223506_KifuwarabeW31B22vsKifuwarabeW31B22_shogigui_.kif",
            0,
        ),
    ] {
        let tree = &read_file(file).games[0];
        let mut cursor = Cursor::new(tree);
        let (mut evaluations, mut line) = (0, 0);
        for id in tree.main_line() {
            cursor.go_to(tree, id);
            for evaluation in evals::parse(&tree.node(id).comments, cursor.position()) {
                evaluations += 1;
                line += evaluation.line.len();
            }
        }
        assert!(
            evaluations >= 2 && line >= moves,
            "{file}: {evaluations} {line}"
        );
    }
}

/// The records on which the libraries disagree or that they refuse.
#[test]
fn odd_records() {
    for (file, moves) in [
        ("json-kifu-format__7mai.ki2u", 2),
        ("json-kifu-format__henka.kif", 12),
        ("json-kifu-format__no_henka.kif", 11),
        ("json-kifu-format__no_henka.kifu", 11),
        ("kif-parser__bookmark_shogigui_.kifu", 7),
    ] {
        let tree = &read_file(&format!("formats/{file}")).games[0];
        assert_eq!(tree.main_moves().len(), moves, "{file}");
    }
    for name in ["shogigui_.kif", "shogigui_.kifu"] {
        let name = format!(
            "formats/kif-parser__20211002_223506_KifuwarabeW31B22vsKifuwarabeW31B22_{name}"
        );
        let reading = read_file(&name);
        let tree = &reading.games[0];
        // The last move is the foul by which the game ended.
        let steps: Vec<&Step> = tree.main_line().map(|id| &tree.node(id).step).collect();
        assert!(matches!(steps[280], Step::Foul(..)), "{name}");
        assert_eq!(steps[281], &Step::End(Terminal::FoulWin));
        assert_eq!(steps.len(), 282);
        assert_eq!(reading.problems.len(), 1);
    }
    let henka = &read_file("formats/json-kifu-format__henka.kif").games[0];
    let branches: Vec<u32> = henka.lines().map(|id| henka.node(id).ply()).collect();
    assert_eq!(branches[..6], [1, 3, 3, 2, 1, 2]);
    assert_eq!(
        henka.node(NodeId::ROOT).bookmark.as_deref(),
        Some("読み込み時表示")
    );
}

/// The tree with what a format cannot hold taken out.
fn whole_seconds(tree: &GameTree) -> GameTree {
    let mut tree = tree.clone();
    for id in tree.ids() {
        let time = &mut tree.node_mut(id).time_ms;
        *time = time.map(|time| time / 1000 * 1000);
    }
    tree
}

#[test]
fn real_records_survive_kif_and_jkf_whole() {
    for row in rows("index.tsv") {
        for tree in &read_file(&row[0]).games {
            let tree = whole_seconds(tree);
            for target in ["kifu", "jkf"] {
                let again = convert(&tree, target);
                // A move number is lost by JKF, repeated headers are, too.
                assert_eq!(again.lines().count(), tree.lines().count(), "{}", row[0]);
                if target == "kifu" || tree.start().ply() == 1 {
                    assert!(
                        again == tree,
                        "{} by {target}:\n{again:?}\n{tree:?}",
                        row[0]
                    );
                }
            }
        }
    }
}

fn moves_times_comments(tree: &GameTree) -> Vec<(Step, Option<u64>, Vec<String>)> {
    std::iter::once(NodeId::ROOT)
        .chain(tree.main_line())
        .map(|id| {
            let node = tree.node(id);
            (node.step.clone(), node.time_ms, node.comments.clone())
        })
        .collect()
}

#[test]
fn real_records_survive_a_journey_through_all_formats() {
    for row in rows("index.tsv") {
        let tree = whole_seconds(&read_file(&row[0]).games[0]);
        let kif = convert(&tree, "kifu");
        let csa = convert(&kif, "csa");
        let jkf = convert(&csa, "jkf");
        let csa3 = convert(&jkf, "csa3");
        let back = convert(&csa3, "kifu");
        assert_eq!(
            moves_times_comments(&back),
            moves_times_comments(&tree),
            "{}",
            row[0]
        );
        // These two have no times, and USI nothing but moves.
        let has_foul = tree
            .main_line()
            .any(|id| matches!(tree.node(id).step, Step::Foul(..)));
        if !has_foul {
            for target in ["usi", "ki2u", "kif", "ki2"] {
                let again = convert(&tree, target);
                assert_eq!(
                    usi(&again.main_moves()),
                    usi(&tree.main_moves()),
                    "{}",
                    row[0]
                );
                assert_eq!(again.start().sfen(), tree.start().sfen());
            }
        }
    }
}

#[test]
fn every_handicap_in_every_format() {
    for handicap in HANDICAPS {
        let start = Position::from_sfen(handicap.sfen, &Rules::default()).unwrap();
        let tree = GameTree::new(&start);
        for target in Target::WORDS {
            let again = convert(&tree, target);
            assert_eq!(
                again.start().sfen(),
                handicap.sfen,
                "{target} {}",
                handicap.japanese
            );
        }
        let text = format!("手合割：{}\n手数----指手--\n", handicap.japanese);
        let tree = &read(text.as_bytes()).unwrap().games[0];
        assert_eq!(tree.start().sfen(), handicap.sfen);
    }
}

#[test]
fn every_ending_in_every_format() {
    for terminal in [
        Terminal::Resignation,
        Terminal::Interrupted,
        Terminal::Sennichite,
        Terminal::Impasse,
        Terminal::Draw,
        Terminal::Checkmate,
        Terminal::TimeUp,
        Terminal::FoulLoss,
        Terminal::FoulWin,
        Terminal::Declaration,
        Terminal::MaxMoves,
        Terminal::NoMate,
        Terminal::WinByDefault,
        Terminal::LossByDefault,
        Terminal::TakenBack,
        Terminal::Error,
    ] {
        for moves in 0..3 {
            let mut tree = GameTree::even(&Rules::default());
            let mut cursor = Cursor::new(&tree);
            for text in &["7g7f", "3c3d"][..moves] {
                cursor
                    .play(&mut tree, Move::from_usi(text).unwrap())
                    .unwrap();
            }
            let end = cursor.end(&mut tree, terminal.clone());
            tree.node_mut(end).comments.push("the end".to_owned());
            for target in ["kif", "kifu", "ki2", "ki2u", "csa", "csa3", "jkf"] {
                let again = convert(&tree, target);
                assert_eq!(again.ending(), Some(&terminal), "{target}");
                assert_eq!(again, tree, "{target} {terminal:?}");
            }
        }
    }
}

#[test]
fn endings_without_a_word_are_told() {
    for (word, kif) in [
        ("2726F", "中断"),
        ("a (b", "中断"),
        ("a b", "a b"),
        ("封じ", "封じ"),
    ] {
        let mut tree = GameTree::even(&Rules::default());
        Cursor::new(&tree).end(&mut tree, Terminal::Other(word.to_owned()));
        let written = record::write(&tree, "kifu".parse().unwrap());
        assert_eq!(
            written.losses.is_empty(),
            kif == word,
            "{:?}",
            written.losses
        );
        let again = &read(&written.bytes).unwrap().games[0];
        assert_eq!(again.ending().map(Terminal::kif), Some(kif));
    }
}

#[test]
fn tolerances() {
    let moves = |text: &str| usi(&read(text.as_bytes()).unwrap().games[0].main_moves());
    let expected = "7g7f 3c3d 8h2b+ 3a2b B*4e";
    for text in [
        "1 ７六歩(77)\r2 ３四歩(33)\r3 ２二角成(88)\r4 同　銀(31)\r5 ４五角打",
        "   1 ７６歩(77) (0:1)\r\n   2 ３４歩(33)\r\n\r\n   3 22角成(88)+\n   4 同銀(31)( 0:01/)\n5 45角打\n\u{1a}",
        "　１　７六歩（７７）\n　２　３四歩（３３）\n３ ２二角成（８８）\n４ 同 銀（３１）\n５ ４五角打(00)",
        "手合割:平手\n1 ▲７六歩(77)\n2 △３四歩(33)\n3 ▲２二角成(88)\n4 △同　銀(31)\n5 ▲４五角打\n",
        "▲７六歩△３四歩▲２二角成△同銀▲４五角",
        "☗７六歩　☖３四歩\n*comment\n☗２二角成　☖同　銀　☗４五角打",
        "+7776FU,T1,-3334FU\n+8822UM\n-3122GI,T0\n+0045KA\n",
        "7g7f 3c3d 8h2b+ 3a2b B*4e",
    ] {
        assert_eq!(moves(text), expected, "{text}");
    }
    // The branch is at the move before 同, not at the last one printed.
    let text = "手数--\n1 ７六歩(77)\n2 ３四歩(33)\n3 ２二角成(88)\n4 同　銀(31)\n\n変化：4手\n4 同　飛(82)\n";
    let tree = &read(text.as_bytes()).unwrap().games[0];
    assert_eq!(tree.lines().count(), 2);
    // A diagram wins over the name of a handicap, in both orders.
    let diagram = tree.last_position();
    let rows: String = diagram
        .diagram(tsuru::game::DiagramStyle::Japanese)
        .lines()
        .filter(|row| !row.contains("手番"))
        .fold(String::new(), |all, row| all + row + "\n");
    for text in [
        format!("手合割：平手\n{rows}"),
        format!("{rows}手合割：平手\n"),
    ] {
        let start = read(text.as_bytes()).unwrap().games[0].start().sfen();
        assert_eq!(start.split(' ').next(), diagram.sfen().split(' ').next());
        let loose = text
            .replace(" ・", "・")
            .replace('|', "｜")
            .replace('　', "");
        let again = read(loose.as_bytes()).unwrap().games[0].start().sfen();
        assert_eq!(again, start);
    }
}

/// A pseudo-random sequence, so that garbage is always the same.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x1234_5678_9abc_def0u64;
    (0..length)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 32) as u8
        })
        .collect()
}

#[test]
fn ten_megabytes_of_garbage_are_refused_at_once() {
    let bytes = noise(10 << 20);
    let no_nul: Vec<u8> = bytes.iter().map(|&byte| byte.max(1)).collect();
    let letters: Vec<u8> = bytes.iter().map(|&byte| b' ' + byte % 95).collect();
    let lines: Vec<u8> = bytes
        .iter()
        .map(|&byte| if byte < 8 { b'\n' } else { b'a' + byte % 26 })
        .collect();
    let kanji = "棋譜将棋".repeat(10 << 16).into_bytes();
    let mut headed = "手合割：平手\n".as_bytes().to_vec();
    headed.extend_from_slice("ごみ\n".repeat(10 << 17).as_bytes());
    let brackets = [b"{\"moves\":".as_slice(), &vec![b'['; 10 << 20]].concat();
    for (name, garbage) in [
        ("bytes", &bytes),
        ("no NUL", &no_nul),
        ("letters", &letters),
        ("lines", &lines),
        ("kanji", &kanji),
        ("brackets", &brackets),
    ] {
        let begun = Instant::now();
        assert!(read(garbage).is_err(), "{name}");
        // A second on an idle machine; tests share theirs.
        assert!(
            begun.elapsed() < Duration::from_secs(5),
            "{name}: {:?}",
            begun.elapsed()
        );
    }
    // A header makes it a record without moves, with everything else told.
    let reading = read(&headed).unwrap();
    assert!(reading.problems.len() < 200);
}

/// Files of many games, long ones and hundreds of thousands of short ones, cost no more
/// time and memory than their moves do.
#[test]
fn ten_megabytes_of_games() {
    let games: Vec<GameTree> = rows("index.tsv")
        .iter()
        .filter(|row| row[0].starts_with("selfplay"))
        .flat_map(|row| read_file(&row[0]).games)
        .collect();
    let one = |target: &str| -> Vec<String> {
        games
            .iter()
            .map(|tree| String::from_utf8(record::write(tree, target.parse().unwrap()).bytes))
            .collect::<Result<_, _>>()
            .unwrap()
    };
    let fill = |texts: &[String], between: &str| -> (String, usize) {
        let (mut file, mut count) = (String::new(), 0);
        for text in texts.iter().cycle() {
            if file.len() >= 10 << 20 {
                break;
            }
            if count > 0 {
                file.push_str(between);
            }
            file.push_str(text);
            count += 1;
        }
        (file, count)
    };
    let line = ["startpos moves 7g7f\n".to_owned()];
    let short = ["PI\n+\n+7776FU\n".to_owned()];
    let (jkf, jkf_count) = fill(&one("jkf"), ",");
    for (name, (file, count)) in [
        ("CSA", fill(&one("csa"), "/\n")),
        ("short CSA", fill(&short, "/\n")),
        ("USI", fill(&one("usi"), "")),
        ("short USI", fill(&line, "")),
        ("KIF", fill(&one("kifu"), "\n")),
        ("JKF", (format!("[{jkf}]"), jkf_count)),
    ] {
        let begun = Instant::now();
        let reading = read(file.as_bytes()).unwrap();
        // A second or less on an idle machine; tests share theirs.
        let limit = Duration::from_secs(20);
        assert!(begun.elapsed() < limit, "{name}: {:?}", begun.elapsed());
        assert_eq!(
            (reading.games.len(), reading.first_error()),
            (count, None),
            "{name}"
        );
    }
}

/// A long game without a repetition's effect on reading: rooks going to and fro.
fn long_game(moves: usize) -> GameTree {
    let mut tree = GameTree::even(&Rules::default());
    let mut cursor = Cursor::new(&tree);
    let cycle = ["2h3h", "8b7b", "3h2h", "7b8b"];
    for index in 0..moves {
        let m = Move::from_usi(cycle[index % 4]).unwrap();
        cursor.play(&mut tree, m).unwrap();
    }
    tree
}

#[test]
fn five_thousand_moves() {
    let tree = long_game(5000);
    for target in Target::WORDS {
        let again = convert(&tree, target);
        assert_eq!(again.main_moves().len(), 5000, "{target}");
    }
}

#[test]
fn five_hundred_variations_within_each_other() {
    let mut tree = GameTree::even(&Rules::default());
    let mut cursor = Cursor::new(&tree);
    let cycle = [
        ["2h3h", "2h4h"],
        ["8b7b", "8b6b"],
        ["3h2h", "4h2h"],
        ["7b8b", "6b8b"],
    ];
    // Each entry has its main move, and an alternative in which the game goes on.
    let mut node = NodeId::ROOT;
    for index in 0..1000 {
        cursor.go_to(&tree, node);
        let rook = cycle[index % 4];
        if index % 2 == 0 {
            let quiet = if index % 4 == 0 { "7g7f" } else { "6i7h" };
            let quiet = [quiet, "9i9h", "1i1h", "5i5h"]
                .iter()
                .map(|text| Move::from_usi(text).unwrap())
                .find(|&m| cursor.position().is_legal(m))
                .unwrap();
            cursor.play(&mut tree, quiet).unwrap();
            cursor.go_to(&tree, node);
        }
        let m = rook
            .iter()
            .map(|text| Move::from_usi(text).unwrap())
            .find(|&m| cursor.position().is_legal(m))
            .unwrap();
        node = cursor.play(&mut tree, m).unwrap();
    }
    assert_eq!(tree.lines().count(), 501);
    for target in ["kifu", "ki2", "jkf"] {
        assert_eq!(convert(&tree, target), tree, "{target}");
    }
    assert_eq!(convert(&tree, "csa").main_moves().len(), 1);
}

/// A tree grown at random: a choice for each node, of its parent and its move.
fn trees() -> impl Strategy<Value = GameTree> {
    let starts = prop::sample::select(vec![
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
        "8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 1",
    ]);
    let comment = "[ -~ぁ-ん一-龠０-９：|*&'#]{0,12}".prop_map(|text| text.trim_end().to_owned());
    let step = (
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        0u8..10,
        prop::option::of(0u64..20_000),
        prop::collection::vec(comment, 0..3),
    );
    (starts, prop::collection::vec(step, 0..60)).prop_map(|(start, steps)| {
        let start = Position::from_sfen(start, &Rules::default()).unwrap();
        let mut tree = GameTree::new(&start);
        tree.set_header(key::EVENT, "棋戦名");
        tree.set_header(key::BLACK, "A, B");
        tree.set_header("作者", "x：y");
        let mut cursor = Cursor::new(&tree);
        for (parent, choice, kind, seconds, comments) in steps {
            // Most nodes follow the last one.
            if kind < 3 {
                let ids: Vec<NodeId> = tree
                    .ids()
                    .filter(|&id| matches!(tree.node(id).step, Step::Start | Step::Move(_)))
                    .collect();
                cursor.go_to(&tree, ids[parent.index(ids.len())]);
            }
            let moves = cursor.position().legal_moves();
            let ended = matches!(tree.node(cursor.node()).step, Step::End(_));
            if ended || moves.is_empty() {
                continue;
            }
            let node = if kind == 9 {
                cursor.end(&mut tree, Terminal::Interrupted)
            } else {
                cursor
                    .play(&mut tree, moves[choice.index(moves.len())])
                    .unwrap()
            };
            let node = tree.node_mut(node);
            node.time_ms = seconds.map(|seconds| seconds * 1000);
            node.comments = comments;
            if kind == 5 {
                node.bookmark = Some("しおり".to_owned());
            }
        }
        tree
    })
}

/// The tree with all times or all but the main line taken away.
fn without_times(tree: &GameTree) -> GameTree {
    let mut tree = tree.clone();
    for id in tree.ids() {
        tree.node_mut(id).time_ms = None;
    }
    tree
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_trees_round_trip(tree in trees()) {
        prop_assert_eq!(&convert(&tree, "kifu"), &tree);
        // JKF has no bookmark beside a comment that looks like one; CSA neither.
        let clean = |tree: &GameTree| {
            tree.ids().all(|id| {
                let node = tree.node(id);
                node.comments.iter().all(|comment| !comment.starts_with('&'))
            })
        };
        if clean(&tree) {
            prop_assert_eq!(&convert(&tree, "jkf"), &tree);
            prop_assert_eq!(
                moves_times_comments(&convert(&tree, "csa")),
                moves_times_comments(&tree)
            );
        }
        prop_assert_eq!(usi(&convert(&tree, "usi").main_moves()), usi(&tree.main_moves()));
        let untimed = without_times(&tree);
        prop_assert_eq!(&convert(&untimed, "ki2u"), &untimed);
    }

    #[test]
    fn damaged_records_never_panic(cut in any::<prop::sample::Index>(), byte in any::<u8>(),
                                   file in any::<prop::sample::Index>()) {
        let rows = rows("index.tsv");
        let mut bytes = fs::read(games().join(&rows[file.index(rows.len())][0])).unwrap();
        let at = cut.index(bytes.len());
        bytes[at] = byte;
        if let Ok(reading) = read(&bytes) {
            for word in Target::WORDS {
                record::write_all(&reading.games, word.parse().unwrap());
            }
        }
    }
}
