//! `tsuru convert`, `analyze`, and the commands that take records, run as people run
//! them.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

struct Run {
    out: String,
    err: String,
    code: i32,
}

fn run_with(directory: &Path, args: &[&str], input: &str) -> Run {
    let output = Command::cargo_bin("tsuru")
        .expect("the program")
        .current_dir(directory)
        .args(args)
        .write_stdin(input)
        .output()
        .expect("it runs");
    Run {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().expect("no signal"),
    }
}

fn run(directory: &Path, args: &[&str]) -> Run {
    run_with(directory, args, "")
}

const MATE: &str = "手合割：詰将棋
後手の持駒：飛二　角二　金三　銀四　桂四　香四　歩十七
  ９ ８ ７ ６ ５ ４ ３ ２ １
+---------------------------+
| ・ ・ ・ ・v玉 ・ ・ ・ ・|一
| ・ ・ ・ ・ ・ ・ ・ ・ ・|二
| ・ ・ ・ ・ 歩 ・ ・ ・ ・|三
| ・ ・ ・ ・ ・ ・ ・ ・ ・|四
| ・ ・ ・ ・ ・ ・ ・ ・ ・|五
| ・ ・ ・ ・ ・ ・ ・ ・ ・|六
| ・ ・ ・ ・ ・ ・ ・ ・ ・|七
| ・ ・ ・ ・ ・ ・ ・ ・ ・|八
| ・ ・ ・ ・ 玉 ・ ・ ・ ・|九
+---------------------------+
先手の持駒：金
先手：A
後手：B
手数----指手---------消費時間--
*人のコメント
   1 ４八玉(59)   ( 0:12/00:00:12)
*もったいない
   2 投了
";

const FOUL: &str = "V2.2\nPI\n+\n+7776FU\n-3334FU\n+7776FU\n";

#[test]
fn converts_files_folders_and_streams() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir_all(dir.join("in/sub")).unwrap();
    fs::write(dir.join("in/a.kif"), MATE).unwrap();
    fs::write(
        dir.join("in/sub/b.csa"),
        "PI\n+\n+7776FU\n%TORYO\n/\nPI\n+\n+2726FU\n",
    )
    .unwrap();
    fs::write(dir.join("in/notes.txt"), "no record").unwrap();

    let done = run(dir, &["convert", "--to", "csa", "in", "-o", "out/"]);
    assert_eq!((done.code, done.out.as_str()), (0, ""), "{}", done.err);
    assert!(
        done.err.contains("CSA has no place for the headers 手合割"),
        "{}",
        done.err
    );
    let csa = fs::read_to_string(dir.join("out/a.csa")).unwrap();
    assert!(
        csa.contains("'*人のコメント\n+5948OU\nT12\n'*もったいない\n%TORYO\n"),
        "{csa}"
    );
    assert!(
        fs::read_to_string(dir.join("out/sub/b.csa"))
            .unwrap()
            .contains("\n/\n")
    );

    // KIF has one game a file.
    let done = run(dir, &["convert", "--to", "kif", "in/sub/b.csa"]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(dir.join("in/sub/b-001.kif").is_file() && dir.join("in/sub/b-002.kif").is_file());
    // Nothing is written over.
    let again = run(dir, &["convert", "--to", "kif", "in/sub/b.csa"]);
    assert_eq!(again.code, 1);
    assert!(again.err.contains("--force"), "{}", again.err);
    assert_eq!(
        run(dir, &["convert", "--to", "kif", "--force", "in/sub/b.csa"]).code,
        0
    );

    // Two records do not become one.
    fs::write(dir.join("in/a.csa"), FOUL.replace("+7776FU\n", "")).unwrap();
    let twins = run(
        dir,
        &["convert", "--to", "jkf", "--force", "in/a.kif", "in/a.csa"],
    );
    assert_eq!(twins.code, 1);
    assert!(
        twins.err.contains("a.jkf is the place of another output"),
        "{}",
        twins.err
    );

    let piped = run_with(dir, &["convert", "--to", "usi", "-"], MATE);
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G2r2b3g4s4n4l17p 1";
    assert_eq!(piped.out, format!("sfen {sfen} moves 5i4h resign\n"));

    for (args, what) in [
        (&["convert", "--to", "xyz", "in"][..], "xyz"),
        (&["convert", "in"][..], "--to"),
        (
            &["convert", "--to", "csa", "in", "-o", "one.csa"][..],
            "folder",
        ),
    ] {
        let refused = run(dir, args);
        assert_eq!(refused.code, 2, "{args:?}");
        assert!(refused.err.contains(what), "{}", refused.err);
    }
}

/// What several records become on standard output is a file of this format again.
#[test]
fn several_records_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.csa"), "PI\n+\n+7776FU\n%TORYO\n").unwrap();
    fs::write(dir.join("b.csa"), "PI\n+\n+2726FU\n").unwrap();
    for format in ["csa", "csa3", "jkf", "usi", "kifu", "ki2u"] {
        let args = ["convert", "--to", format, "a.csa", "b.csa", "-o", "-"];
        let done = run(dir, &args);
        assert_eq!(done.code, 0, "{}", done.err);
        let again = run_with(dir, &["convert", "--to", "usi", "-"], &done.out);
        assert_eq!(
            (again.code, again.out.as_str(), again.err.as_str()),
            (0, "startpos moves 7g7f resign\nstartpos moves 2g2f\n", ""),
            "{format}"
        );
    }
}

/// Of two records that would become one file the later one is refused, always.
#[test]
fn the_later_of_two_twins_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("in")).unwrap();
    // The first one takes longer.
    let long = format!("PI\n+\n{}", "'*comment\n".repeat(20_000));
    fs::write(dir.join("in/a.csa"), long).unwrap();
    fs::write(dir.join("in/a.kif"), MATE).unwrap();
    fs::write(dir.join("in/b.kif"), MATE).unwrap();
    let done = run(dir, &["convert", "--to", "usi", "in", "-o", "out/"]);
    assert_eq!(done.code, 1);
    assert_eq!(
        done.err.matches("is the place of another output").count(),
        1
    );
    assert_eq!(
        fs::read_to_string(dir.join("out/a.usi")).unwrap(),
        "startpos\n"
    );
    assert!(dir.join("out/b.usi").is_file());
}

/// Only shogi has these records: another game that `--variant` names is refused.
#[test]
fn records_of_other_games_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("game.kif"), MATE).unwrap();
    for command in [
        &["convert", "--check", "game.kif"][..],
        &["convert", "--to", "csa", "game.kif"],
        &[
            "analyze", "--depth", "1", "--hash", "8", "--html", "game.kif",
        ],
        &["explain", "--record", "game.kif"],
        &["judge", "--record", "game.kif"],
    ] {
        for variant in ["washogi", "yonin"] {
            let done = run(dir, &[command, &["--variant", variant]].concat());
            assert_eq!((done.code, done.out.as_str()), (2, ""), "{command:?}");
            if variant == "yonin" && command[0] == "explain" {
                // It reads the games of four-player matches, which are JSON.
                let expected =
                    "error: game.kif, line 1: no game: expected value at line 1 column 1\n";
                assert_eq!(done.err, expected);
                continue;
            }
            let expected = "error: records: only of shogi, not of the game that --variant names\n";
            assert_eq!(done.err, expected, "{command:?}");
        }
        let unknown = run(dir, &[command, &["--variant", "chess"]].concat());
        assert!(unknown.code == 2 && unknown.err.contains("'chess'"));
    }
    assert_eq!(fs::read_dir(dir).unwrap().count(), 1);
}

/// A record is never written over by what a reader made of it, however one asks.
#[test]
fn records_are_not_converted_onto_themselves() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let faulty = "手合割：平手\n手数--\n   1 ７六歩(77)\n   2 ３四金打\n   3 ２六歩(27)\n";
    fs::write(dir.join("game.kif"), faulty).unwrap();
    fs::write(dir.join("foul.csa"), FOUL).unwrap();
    for args in [
        &["--to", "kif", "--force", "game.kif"][..],
        &["--to", "kifu", "--force", "game.kif", "-o", "game.kif"],
        &["--to", "kif", "--force", "game.kif", "-o", "./"],
        &["--to", "csa", "--force", "foul.csa"],
        &[
            "--to",
            "csa",
            "--force",
            "game.kif",
            "-o",
            "../foul.csa",
            "foul.csa",
        ],
    ] {
        let done = run(dir, &[&["convert"], args].concat());
        assert_ne!(done.code, 0, "{args:?}");
        assert_eq!(fs::read_to_string(dir.join("game.kif")).unwrap(), faulty);
        assert_eq!(fs::read_to_string(dir.join("foul.csa")).unwrap(), FOUL);
    }
    // What may be written over is replaced whole, and leaves nothing beside it.
    fs::write(dir.join("game.usi"), "an old one").unwrap();
    let usi = run(dir, &["convert", "--to", "usi", "--force", "game.kif"]);
    assert_eq!(usi.code, 1);
    let text = fs::read_to_string(dir.join("game.usi")).unwrap();
    assert_eq!(text, "startpos moves 7g7f G*3d\n");
    assert_eq!(fs::read_dir(dir).unwrap().count(), 3);
}

#[test]
fn solutions_are_written_over_with_force_only() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let problem = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let mate = |args: &[&str]| {
        let base = [
            "mate",
            problem,
            "--threads",
            "1",
            "--hash",
            "8",
            "--kif",
            "out",
        ];
        run(dir, &[&base[..], args].concat())
    };
    assert_eq!(mate(&[]).code, 0);
    let file = dir.join("out/00001.kifu");
    fs::write(&file, "mine").unwrap();
    let kept = mate(&[]);
    assert_eq!(kept.code, 2);
    assert!(
        kept.err.contains("00001.kifu exists; --force"),
        "{}",
        kept.err
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(mate(&["--force"]).code, 0);
    assert!(fs::read_to_string(&file).unwrap().contains("５二金打"));
}

/// Several games of KIF in one file, as collections have them.
#[test]
fn collections_become_one_file_a_game() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("all.kif"), [MATE, MATE, MATE].concat()).unwrap();
    let check = run(dir, &["convert", "--check", "all.kif"]);
    assert_eq!(
        (check.code, check.out.as_str()),
        (0, "all.kif: ok: KIF, UTF-8, 3 games, 3 moves\n"),
        "{}",
        check.err
    );
    for output in ["one.kifu", "-"] {
        let one = run(dir, &["convert", "--to", "kifu", "all.kif", "-o", output]);
        assert_eq!((one.code, one.out.as_str()), (1, ""));
        assert!(one.err.contains("3 games"), "{}", one.err);
    }
    let many = run(dir, &["convert", "--to", "kifu", "all.kif", "-o", "out/"]);
    assert_eq!(many.code, 0, "{}", many.err);
    assert_eq!(fs::read_dir(dir.join("out")).unwrap().count(), 3);
}

#[test]
fn checks_tell_file_line_and_rule() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("foul.csa"), FOUL).unwrap();
    fs::write(dir.join("noise.kif"), "what is this").unwrap();
    fs::write(dir.join("fine.kif"), MATE).unwrap();
    let check = run(dir, &["convert", "--check", "."]);
    assert_eq!(check.code, 1);
    assert!(
        check.out.contains("fine.kif: ok: KIF, UTF-8, 1 moves"),
        "{}",
        check.out
    );
    assert!(
        check.out.contains("foul.csa: faulty: CSA, UTF-8, 2 moves"),
        "{}",
        check.out
    );
    assert!(
        check
            .err
            .contains("foul.csa:6: error: move 3: no piece stands on 7g"),
        "{}",
        check.err
    );
    assert!(
        check.err.contains("noise.kif: not a game record"),
        "{}",
        check.err
    );
    // The good prefix is converted.
    let converted = run(dir, &["convert", "--to", "usi", "foul.csa", "-o", "-"]);
    assert_eq!(
        (converted.code, converted.out.as_str()),
        (1, "startpos moves 7g7f 3c3d\n")
    );
}

#[test]
fn analyses_and_writes_reports() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("game.kif"), MATE).unwrap();
    let base = [
        "analyze",
        "--nodes",
        "2000",
        "--threads",
        "1",
        "--hash",
        "8",
    ];
    let with = |more: &[&str]| run(dir, &[&base[..], more, &["game.kif"]].concat());

    let english = with(&[]);
    assert_eq!(english.code, 0, "{}", english.err);
    let turn = "move 1 ☗K-4h misses a mate in 1 (winning chances 100 % -> ";
    assert!(english.out.contains(turn), "{}", english.out);
    assert!(english.out.contains("by ☗G*5b"), "{}", english.out);
    assert!(english.out.contains("missed mate"));
    assert!(english.out.contains("Black in hand: G"), "{}", english.out);
    let japanese = with(&["--lang", "ja"]);
    assert!(
        japanese.out.contains("1手目 ☗４八玉は1手詰めを逃し"),
        "{}",
        japanese.out
    );
    assert!(japanese.out.contains("先手の持駒：金"));

    let json: Value = serde_json::from_str(&with(&["--json"]).out).unwrap();
    assert_eq!(json["moves"][0]["mark"], "missed mate");
    assert_eq!(json["moves"][0]["usi"], "5i4h");
    assert_eq!(json["positions"].as_array().unwrap().len(), 2);
    assert_eq!(json["positions"][0]["mate"], 1);
    assert_eq!(json["positions"][0]["lines"][0]["pv"][0], "G*5b");

    // Files; human comments stay, and a second analysis replaces the first.
    let files = with(&["--quiet", "--kif", "--csa", "--html", "--json=x.json"]);
    assert_eq!((files.code, files.out.as_str()), (0, ""), "{}", files.err);
    let kif = fs::read_to_string(dir.join("game.analysis.kifu")).unwrap();
    assert!(kif.contains("*人のコメント\r\n**解析 0 候補1 "), "{kif}");
    assert!(kif.contains("評価値 30000 読み筋 ▲５二金打"), "{kif}");
    assert!(
        kif.contains("*もったいない\r\n*【詰み逃し】\r\n**解析"),
        "{kif}"
    );
    let csa = fs::read_to_string(dir.join("game.analysis.csa")).unwrap();
    assert!(csa.contains("\n'** 30000 +0052KI\n"), "{csa}");
    let page = fs::read_to_string(dir.join("game.analysis.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("{{"));
    assert!(!page.contains("http://") && !page.contains("https://"));
    fs::write(dir.join("game.kif"), &kif).unwrap();
    let kept = with(&["--quiet", "--kif"]);
    assert_eq!(kept.code, 1);
    assert!(
        kept.err.contains("game.analysis.kifu exists"),
        "{}",
        kept.err
    );
    let again = with(&["--quiet", "--kif", "--force"]);
    assert_eq!(again.code, 0, "{}", again.err);
    let twice = fs::read_to_string(dir.join("game.analysis.kifu")).unwrap();
    assert_eq!(
        twice.matches("**解析").count(),
        kif.matches("**解析").count()
    );
    assert_eq!(twice.matches("詰み逃し").count(), 1);
    let home = with(&["--quiet", "--form", "shogihome", "--kif=home.kifu"]);
    assert_eq!(home.code, 0, "{}", home.err);
    let home = fs::read_to_string(dir.join("home.kifu")).unwrap();
    assert!(
        home.contains("*#詰み=先手勝ち:1手\r\n*#読み筋=▲５二金\r\n"),
        "{home}"
    );
}

#[test]
fn batches_go_on_where_they_were_ended() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("games")).unwrap();
    for name in ["a", "b"] {
        fs::write(dir.join(format!("games/{name}.kif")), MATE).unwrap();
    }
    fs::write(dir.join("games/c.kif"), "noise").unwrap();
    let args = [
        "analyze",
        "--depth",
        "2",
        "--threads",
        "1",
        "--hash",
        "8",
        "--json=out/",
        "games",
    ];
    let first = run(dir, &args);
    assert_eq!(first.code, 1, "{}", first.err);
    assert!(first.out.contains("== games/a.kif") && first.out.contains("== games/b.kif"));
    assert!(first.err.contains("c.kif"), "{}", first.err);
    fs::remove_file(dir.join("out/b.analysis.json")).unwrap();
    let second = run(dir, &args);
    assert!(!second.out.contains("== games/a.kif") && second.out.contains("== games/b.kif"));
    let anew = run(dir, &[&args[..], &["--force"]].concat());
    assert!(anew.out.contains("== games/a.kif"));
}

/// Outputs that are there stay, those that are missing are made; one that cannot be
/// written costs no other.
#[test]
fn batches_make_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir_all(dir.join("out/b.analysis.json")).unwrap();
    fs::create_dir(dir.join("games")).unwrap();
    for name in ["a", "b", "c"] {
        fs::write(dir.join(format!("games/{name}.kif")), MATE).unwrap();
    }
    let base = ["analyze", "--depth", "1", "--threads", "1", "--hash", "8"];
    let batch = |args: &[&str]| run(dir, &[&base[..], args, &["games"]].concat());
    for args in [&["--json=out/"][..], &["--json=out/", "--force"]] {
        let done = batch(args);
        assert_eq!(done.code, 1, "{}", done.err);
        let told = "games/b.kif, game 1: out/b.analysis.json is a folder";
        assert!(done.err.contains(told), "{}", done.err);
        assert!(dir.join("out/a.analysis.json").is_file());
        assert!(dir.join("out/c.analysis.json").is_file());
    }
    fs::remove_dir(dir.join("out/b.analysis.json")).unwrap();
    fs::write(dir.join("out/a.analysis.json"), "mine").unwrap();
    let more = batch(&["--json=out/", "--html=out/"]);
    assert_eq!(more.code, 0, "{}", more.err);
    let kept = fs::read_to_string(dir.join("out/a.analysis.json")).unwrap();
    assert_eq!(kept, "mine");
    assert_eq!(fs::read_dir(dir.join("out")).unwrap().count(), 6);
    let all = batch(&["--json=out/", "--html=out/"]);
    assert_eq!((all.code, all.out.as_str()), (0, ""));
    assert!(
        all.err.contains("3 games were analysed before"),
        "{}",
        all.err
    );
}

/// `=-` puts one output in the table's place.
#[test]
fn one_output_on_standard_output() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("game.kif"), MATE).unwrap();
    let base = ["analyze", "--depth", "1", "--threads", "1", "--hash", "8"];
    let with = |args: &[&str]| run(dir, &[&base[..], args, &["game.kif"]].concat());
    for (option, begins, ends) in [
        ("--kif=-", "#KIF version=2.0 encoding=UTF-8\r\n", "\r\n"),
        ("--csa=-", "V2.2\nN+A\nN-B\n", "\n"),
        ("--html=-", "<!DOCTYPE html>", "</html>\n"),
        ("--json=-", "{\n  \"file\": \"game.kif\",", "}\n"),
        ("--json", "{\n  \"file\": \"game.kif\",", "}\n"),
    ] {
        for more in [&[][..], &["--quiet"]] {
            let done = with(&[&[option][..], more].concat());
            assert_eq!(done.code, 0, "{option}: {}", done.err);
            assert!(done.out.starts_with(begins), "{option}: {}", done.out);
            assert!(done.out.ends_with(ends), "{option}: {}", done.out);
        }
        if option != "--csa=-" {
            let two = with(&[option, "--csa=-"]);
            assert_eq!((two.code, two.out.as_str()), (2, ""), "{option}");
            assert!(two.err.contains("standard output takes one"), "{}", two.err);
        }
    }
    // Again and again, and beside a file.
    let both = with(&["--kif=-", "--html=page.html", "--force"]);
    assert!(
        both.code == 0 && both.out.starts_with("#KIF"),
        "{}",
        both.err
    );
    let mut names: Vec<_> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["game.kif", "page.html"]);
}

#[test]
fn analyses_write_over_no_record_and_no_other_analysis() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::create_dir(dir.join("games")).unwrap();
    fs::write(dir.join("games/a.kif"), MATE).unwrap();
    fs::write(dir.join("games/a.csa"), "PI\n+\n+7776FU\n").unwrap();
    let two = "startpos moves 7g7f\nstartpos moves 2g2f\n";
    fs::write(dir.join("two.usi"), two).unwrap();
    let analyze = |args: &[&str]| {
        let base = ["analyze", "--depth", "1", "--threads", "1", "--hash", "8"];
        run(dir, &[&base[..], args].concat())
    };
    for args in [&["--json=out/", "games"][..], &["--json=x.json", "two.usi"]] {
        let done = analyze(args);
        assert_eq!(done.code, 1, "{args:?}");
        assert!(
            done.err.contains("is the place of another output"),
            "{}",
            done.err
        );
    }
    let own = analyze(&["--kif=games/a.kif", "--force", "games/a.kif"]);
    assert_eq!(own.code, 1);
    assert!(own.err.contains("is read by this command"), "{}", own.err);
    assert_eq!(fs::read_to_string(dir.join("games/a.kif")).unwrap(), MATE);
    // White has made no move.
    let one = analyze(&["games/a.csa"]);
    assert!(one.out.contains("White   -  "), "{}", one.out);
}

#[test]
fn explain_and_judge_take_records() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("game.kif"), MATE).unwrap();
    let foul = "手合割：平手\n1 ７六歩(77)\n2 ３四歩(33)\n3 ８七角(88)\n4 反則勝ち\n";
    fs::write(dir.join("foul.kif"), foul).unwrap();
    let explain = |args: &[&str]| run(dir, &[&["explain", "--record"][..], args].concat());
    let legal = explain(&["game.kif", "--after", "0", "--lang", "ja", "G*5b"]);
    assert_eq!(
        (legal.code, legal.out.as_str()),
        (
            0,
            "☗５二金: legal: it ends the game: checkmate: black wins\n"
        )
    );
    let own = explain(&["game.kif", "--lang", "en"]);
    assert_eq!((own.code, own.out.as_str()), (0, "☗K-4h: legal\n"));
    let illegal = explain(&["foul.kif"]);
    assert_eq!(
        (illegal.code, illegal.out.as_str()),
        (1, "8h8g: illegal: 8g is occupied\n")
    );
    assert_eq!(explain(&["game.kif", "--after", "9"]).code, 2);

    let judged = run(dir, &["judge", "--record", "game.kif", "foul.kif"]);
    assert_eq!(judged.code, 0, "{}", judged.err);
    assert!(
        judged
            .out
            .contains("game.kif:\nResult:     black wins\nReason:     white resigns\n"),
        "{}",
        judged.out
    );
    assert!(
        judged.out.contains(
            "foul.kif:\nResult:     white wins\nReason:     illegal move 3 (8h8g): 8g is occupied\n"
        ),
        "{}",
        judged.out
    );
    // A record with a fault is judged as far as it goes, and the status tells.
    fs::write(dir.join("faulty.csa"), FOUL).unwrap();
    let faulty = run(dir, &["judge", "--record", "faulty.csa"]);
    assert_eq!(faulty.code, 1);
    assert!(faulty.out.contains("Moves:      2\n"), "{}", faulty.out);
    let json = run(dir, &["judge", "--json", "--record", "foul.kif"]);
    let json: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        (json["file"].as_str(), json["result"].as_str()),
        (Some("foul.kif"), Some("white"))
    );
}
