//! The command line tools, run as people run them.

use std::io::Write;

use assert_cmd::Command;
use serde_json::Value;

/// What a command printed, and its exit status.
struct Run {
    out: String,
    err: String,
    code: i32,
}

fn run_with(args: &[&str], input: &str) -> Run {
    let output = Command::cargo_bin("tsuru")
        .expect("the program")
        .args(args)
        .write_stdin(input)
        .output()
        .expect("it runs");
    Run {
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
        code: output.status.code().expect("no signal"),
    }
}

fn run(args: &[&str]) -> Run {
    run_with(args, "")
}

/// Runs a command that must succeed and print JSON.
fn json(args: &[&str]) -> Value {
    let run = run(args);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(run.err, "");
    serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {}", run.out))
}

/// Runs a command that must refuse its input with one line about `what`.
fn refused(args: &[&str], what: &str) {
    let run = run(args);
    assert_eq!(run.code, 2, "{args:?}: {}", run.out);
    assert_eq!(run.out, "", "{args:?}");
    assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    assert!(run.err.contains(what), "{args:?}: {}", run.err);
    assert!(!run.err.contains("panicked"), "{args:?}: {}", run.err);
}

const MATSURI: &str = "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

#[test]
fn without_a_command_it_is_the_engine() {
    let run = run_with(&[], "usi\nisready\nquit\n");
    assert_eq!(run.code, 0);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("id name Tsuru"), "{}", run.out);
    assert!(
        lines.contains(&"usiok") && lines.contains(&"readyok"),
        "{}",
        run.out
    );
}

#[test]
fn help_names_every_command() {
    let help = run(&["--help"]);
    assert_eq!(help.code, 0);
    for command in [
        "perft", "bench", "show", "explain", "judge", "match", "learn",
    ] {
        assert!(help.out.contains(command), "{command}");
        let help = run(&["help", command]);
        assert_eq!(help.code, 0);
        assert!(help.out.contains("Examples:"), "{command}: {}", help.out);
    }
}

#[test]
fn perft() {
    let text = run(&["perft", "4"]).out;
    assert!(text.starts_with("Nodes searched: 719731\n"), "{text}");
    let text = run(&["perft", "2", "--divide"]).out;
    assert!(
        text.contains("7g7f: 30\n") && text.contains("Nodes searched: 900\n"),
        "{text}"
    );
    assert_eq!(json(&["perft", "0", "--json"])["nodes"], 1);

    let report = json(&["perft", "2", "--json", "--divide", "-t", "2", MATSURI]);
    assert_eq!(report["nodes"], 28_684);
    assert_eq!(report["complete"], true);
    assert_eq!(report["threads"], 2);
    assert_eq!(
        report["divide"].as_object().map(|moves| moves.len()),
        Some(207)
    );
    let words: Vec<&str> = MATSURI.split(' ').collect();
    let unquoted = [&["perft", "2", "--json"], &words[..]].concat();
    assert_eq!(json(&unquoted)["nodes"], 28_684);
}

#[test]
fn bench_gives_the_same_signature_twice() {
    let args = ["bench", "--depth", "3", "--json"];
    let first = json(&args);
    let nodes = first["nodes"].as_u64().expect("a number");
    assert!(nodes > 0);
    let positions = first["positions"].as_array().expect("a list");
    let sum: u64 = positions.iter().filter_map(|p| p["nodes"].as_u64()).sum();
    assert_eq!(sum, nodes);
    assert_eq!(json(&args)["nodes"], nodes);
    let text = run(&["bench", "--depth", "3"]).out;
    assert!(text.contains(&nodes.to_string()), "{text}");
}

#[test]
fn show() {
    let text = run(&["show"]).out;
    assert!(text.contains('香') && text.contains('玉'), "{text}");
    let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n";
    assert!(text.contains(start), "{text}");
    let text = run(&["show", "--style", "ascii", "startpos", "moves", "7g7f"]).out;
    assert!(text.is_ascii(), "{text}");
    assert!(text.contains(" w - 2\n"), "{text}");

    let report = json(&["show", "--json", "position startpos moves 7g7f 3c3d"]);
    assert_eq!(report["ply"], 3);
    assert_eq!(report["side_to_move"], "black");
    assert_eq!(report["legal_moves"].as_array().map(Vec::len), Some(39));
    assert_eq!(report["end"], Value::Null);

    let mate = run(&["show", "sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1"]).out;
    assert!(mate.contains("black wins"), "{mate}");
}

#[test]
fn mate() {
    let one = [
        "mate",
        "--json",
        "sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1",
    ];
    let report = json(&one);
    assert_eq!(report["verdict"], "mate");
    assert_eq!(report["moves"], serde_json::json!(["G*5b"]));
    assert_eq!(report["shortest"], true);

    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("problems.txt");
    let problems = "\
# mates
l2gk2Bl/2s3g2/ppp1p1npp/3s5/9/PK5P1/8P/1S3R3/L+rs3+pNL w B2g2n8p 96 ; 3 ; exact ; a note

sfen 4k4/9/9/9/9/9/9/9/4K4 b G 1
startpos moves 7g7f ; nomate
4k4/9/4P4/9/9/9/9/9/4K4 b G 1 ; 3
";
    std::fs::write(&file, problems).expect("it is written");
    let kif = dir.path().join("kif");
    let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_string();
    let done = run(&[
        "mate",
        &path(&file),
        "--shortest",
        "--hash",
        "4",
        "--threads",
        "2",
        "--kif",
        &path(&kif),
    ]);
    assert_eq!(done.code, 0, "{}", done.err);
    for text in [
        "2: mate in 3 (shortest)",
        "4: nomate",
        "5: nomate",
        "6: mate in 1 (shortest)",
        "Not as expected: line 6\n",
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let solution = std::fs::read_to_string(kif.join("00006.kifu")).expect("a solution");
    assert!(solution.contains("詰み"), "{solution}");

    std::fs::write(&file, "startpos\nhello/there b - 1\n").expect("it is written");
    let bad = run(&["mate", &path(&file)]);
    assert_eq!(bad.code, 2);
    assert!(bad.err.contains("line 2"), "{}", bad.err);
    assert_eq!(run(&["mate", "nosuchfile"]).code, 2);
    // What is unknown has its reason; an odd position is no harm to the others.
    let odd = "\
sfen 4k4/4G4/9/9/9/9/9/9/4K4 b - 1
sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1 moves 5i5h 5a4a 5h5i 4a5a ; 1
4k4/9/9/9/9/9/9/9/4K4 b 2G2S 1
";
    std::fs::write(&file, odd).expect("it is written");
    let name = path(&file);
    let words = ["mate", &name, "--nodes", "1", "--threads", "1"];
    let done = run(&words);
    assert_eq!(done.code, 1, "{}", done.err);
    for text in [
        "1: unknown: no mate problem, the side that is not to move is in check, 0 nodes",
        ", after 4 moves of the line, expected 1\n",
        "3: unknown: the limit of 1 nodes came first, ",
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let done = run(&[&words[..], &["--json"]].concat());
    for text in [
        r#""verdict":"unknown","reason":"no mate problem, the side"#,
        r#""after_moves":4,"verdict":"#,
    ] {
        assert!(done.out.contains(text), "{text}: {}", done.out);
    }
    let rule = ["mate", "--no-drops", "startpos"];
    assert_eq!(run(&rule).code, 2, "a rule of another game");

    // A rook far away, and a pawn to put in between for nothing.
    let far = ["mate", "--json", "sfen 7lk/7p1/9/7N1/9/9/9/9/R8 b p 1"];
    let report = json(&far);
    assert_eq!(
        (&report["length"], &report["book_length"]),
        (&3.into(), &1.into())
    );
    let report = json(&[&far[..], &["--book"]].concat());
    assert_eq!(report["moves"], serde_json::json!(["9i1i"]));

    let wa = json(&[
        "mate",
        "--json",
        "--variant",
        "washogi",
        "sfen hmvx4u2/5dHk3/4s4p1/r3p1w2go/+F9p/1c1P7/1P8P/2P1XP2EP1/P2S3+p1CM/OD3+F5/2UG1KV1L1w b ERL6P5p 169",
    ]);
    assert_eq!(wa["length"], 3);
    assert_eq!(run(&["mate", "--variant", "yonin", "startpos"]).code, 2);
    assert_eq!(run(&["mate", "--time", "-1", "startpos"]).code, 2);
}

#[test]
fn explain() {
    for (position, text, code, words) in [
        ("startpos", "7g7f", 0, "legal"),
        ("startpos", "8h2b", 1, "7g"),
        ("startpos moves 7g7f 3c3d", "8h2b+", 0, "legal"),
        ("sfen 4k4/9/9/9/9/9/4P4/9/4K4 b P 1", "P*5e", 1, "nifu"),
        ("sfen k8/9/1+R7/9/9/9/9/9/9 b P 1", "P*9b", 1, "uchifuzume"),
        ("sfen 4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b", 0, "checkmate"),
        ("startpos", "hello", 1, "hello"),
    ] {
        let run = run(&["explain", position, text]);
        assert_eq!(run.code, code, "{position} {text}: {}{}", run.out, run.err);
        assert!(run.out.contains(words), "{position} {text}: {}", run.out);
    }
    // The house rules know no uchifuzume.
    let uchifuzume = "sfen k8/9/1+R7/9/9/9/9/9/9 b P 1";
    let args = ["explain", "--variant", "kingcapture", uchifuzume, "P*9b"];
    assert_eq!(run(&args).code, 0);

    // Black checks at every move and would complete the fourth occurrence.
    let start = "sfen lns4nl/4gs1+B1/pp1p1pk1g/2p1p4/1P4p2/3P4P/P3P1+b2/RG3S3/LNS2K2L w 2Prgn4p 56";
    let cycle = " 3c3d 2b1b 3d3c 1b2b";
    let moves = cycle.repeat(3);
    let perpetual = format!("{start} moves{}", moves.trim_end_matches(" 1b2b"));
    let report = json(&["explain", "--json", &perpetual, "1b2b"]);
    assert_eq!(report["legal"], true);
    let explanation = report["explanation"].as_str().expect("a text");
    assert!(
        explanation.contains("completes a perpetual check and loses"),
        "{explanation}"
    );
}

#[test]
fn judge_repetition() {
    let loop_once = " 2h3h 8b7b 3h2h 7b8b";
    let moves = |times| format!("startpos moves{}", loop_once.repeat(times));
    let verdict = json(&["judge", "--json", &moves(2)]);
    assert_eq!(verdict["result"], Value::Null);
    assert_eq!(verdict["repetition"]["occurrences"], 3);
    let verdict = json(&["judge", "--json", &moves(4)]);
    assert_eq!(verdict["result"], "draw");
    assert_eq!(verdict["moves"], 12);
    assert_eq!(verdict["moves_after_end"], 4);
    assert_eq!(verdict["repetition"]["occurrences"], 4);
    let text = run(&["judge", &moves(3)]).out;
    assert!(
        text.contains("Result:     draw\n") && text.contains("sennichite"),
        "{text}"
    );
}

#[test]
fn judge_illegal_moves_and_closing_words() {
    let verdict = json(&["judge", "--json", "startpos moves 7g7f 7g7f 3c3d"]);
    assert_eq!(verdict["result"], "black");
    assert_eq!(verdict["moves"], 1);
    assert!(
        verdict["reason"]
            .as_str()
            .is_some_and(|text| text.contains("illegal move 2 (7g7f)"))
    );

    let verdict = json(&["judge", "--json", "startpos moves 7g7f resign"]);
    assert_eq!(verdict["result"], "black");
    let wins = "sfen 1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1 moves win";
    assert_eq!(json(&["judge", "--json", wins])["result"], "black");
    assert_eq!(
        json(&["judge", "--json", "--rule", "CSARule24", wins])["result"],
        "draw"
    );
    assert_eq!(
        json(&["judge", "--json", "--rule", "NoEnteringKing", wins])["result"],
        "white"
    );
    let args = [
        "judge",
        "--json",
        "--max-moves",
        "2",
        "startpos moves 7g7f 3c3d 2g2f",
    ];
    let limited = json(&args);
    assert_eq!(
        (&limited["result"], &limited["moves"]),
        (&"draw".into(), &2.into())
    );
}

#[test]
fn judge_captured_kings() {
    for (game, result, reason) in [
        (
            "4k4/4R4/9/9/9/9/9/9/4K4 b - 1 moves 5b5a",
            Some("black"),
            "king captured",
        ),
        // Set up without a king: none was captured.
        (
            "4k4/4R4/9/9/9/9/9/9/9 b - 1 moves 5b4b 5a6a",
            None,
            "goes on",
        ),
        ("4k4/4r4/9/9/9/9/P8/9/9 w - 1 moves 5b4b", None, "goes on"),
    ] {
        let verdict = json(&["judge", "--json", "--variant", "kingcapture", game]);
        assert_eq!(verdict["result"].as_str(), result, "{game}");
        let text = verdict["reason"].as_str().expect("a text");
        assert!(text.contains(reason), "{game}: {text}");
    }
}

#[test]
fn judge_impasse() {
    let sfen = "sfen 1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1";
    let impasse = &json(&["judge", "--json", sfen])["impasse"];
    let black = &impasse["black"];
    assert_eq!(black["points"], 28);
    assert_eq!(black["pieces_in_zone"], 10);
    assert_eq!(black["king_in_zone"], true);
    assert_eq!(black["rule_27"], "win");
    assert_eq!(black["rule_24"], "draw");
    assert_eq!(impasse["white"]["rule_27"], "no");
    assert_eq!(impasse["white"]["king_in_zone"], true);
    assert_eq!(impasse["count_24"]["black"], 28);
    assert_eq!(impasse["count_24"]["white"], 0);
    assert_eq!(impasse["count_24"]["result"], "black");
}

#[test]
fn judge_many_games() {
    let games = "# two games\n\nposition startpos moves 7g7f\nstartpos moves 7g7f 7g7f\n";
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(games.as_bytes()).expect("written");
    let path = file.path().to_str().expect("a path");
    for run in [
        run_with(&["judge", "--json", "-"], games),
        run(&["judge", "--json", "--file", path]),
    ] {
        assert_eq!(run.code, 0, "{}", run.err);
        let verdicts: Vec<Value> = run
            .out
            .lines()
            .map(|line| serde_json::from_str(line).expect("an object a line"))
            .collect();
        assert_eq!(verdicts.len(), 2);
        assert_eq!(verdicts[0]["result"], Value::Null);
        assert_eq!(verdicts[1]["result"], "black");
    }
    let run = run_with(&["judge", "-"], "startpos\nsfen 9/9 b - 1\n");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("line 2"), "{}", run.err);
}

#[test]
fn bad_input_is_refused_with_a_reason() {
    refused(&["show", "nonsense"], "nonsense");
    refused(&["show", "sfen 9/9/9 b - 1"], "9/9/9");
    refused(&["show", "startpos moves 7g7f 7g7f"], "move 2 (7g7f)");
    refused(&["perft", "3", "sfen +K8/9/9/9/9/9/9/9/9 b - 1"], "+K8");
    for position in [
        "startpos",
        "sfen",
        "position",
        "4k4/9/9/9/9/9/9/9/4K4 b P 1",
    ] {
        refused(&["explain", position], "move is missing");
    }
    refused(&["judge", "--file", "/no/such/file"], "/no/such/file");
    for args in [
        &["perft"][..],
        &["perft", "many"],
        &["perft", "1000"],
        &["show", "--rule", "MyRule"],
        &["show", "--variant", "kingcapture", "--rule", "CSARule24"],
        &["judge", "--no-drops", "startpos"],
        &["show", "--yonin", "format=pairs"],
        &["show", "--variant", "chess"],
        &["judge"],
        &["unknown"],
    ] {
        let run = run(args);
        assert_eq!(run.code, 2, "{args:?}");
        assert!(run.err.starts_with("error: "), "{args:?}: {}", run.err);
    }
}
