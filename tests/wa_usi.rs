//! Wa shogi through the program: the protocol and the command line.

use assert_cmd::Command;

fn tsuru() -> Command {
    Command::cargo_bin("tsuru").expect("the program")
}

/// The output of the program for these lines of input.
fn session(input: &str) -> String {
    let output = tsuru().write_stdin(input).output().expect("it runs");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The standard output of a command, and its exit status.
fn command(args: &[&str]) -> (String, i32) {
    let output = tsuru().args(args).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (text, output.status.code().unwrap_or(-1))
}

#[test]
fn the_protocol() {
    let text = session(
        "usi\nsetoption name USI_Variant value wa\nsetoption name Threads value 1\n\
         setoption name USI_Hash value 1\nisready\nposition startpos moves 8h8g 8d8e\n\
         sfen\nmoves\ngo nodes 2000\nquit\n",
    );
    assert!(
        text.contains("option name WaDrops type check default true"),
        "{text}"
    );
    assert!(text.contains(
        "hmlcvkwgudo/1e3s3f1/ppprpppxppp/7p3/3p7/11/3P7/7P3/PPPXPPPRPPP/1F3S3E1/ODUGWKVCLMH b - 3"
    ));
    assert!(text.contains(" 10i10h "), "{text}");
    assert_eq!(text.matches("bestmove ").count(), 1, "{text}");
    assert!(!text.contains("bestmove resign"));
}

#[test]
fn the_last_good_position_stays() {
    let text = session(
        "setoption name USI_Variant value washogi\nposition startpos moves 8h8g\n\
         position sfen 5k5/11/92/11/11/11/11/11/11/11/5K5 b - 1\n\
         position sfen 5k5/11/5+X5/11/11/11/11/11/11/11/5K5 b - 1\n\
         position sfen 5k5/11/11 b - 1\nposition startpos moves 8h8g 8h8g\nsfen\nquit\n",
    );
    for said in [
        "no position: `92` in rank c of the board is no number of empty squares (1 to 11)",
        "no position: `+X` in rank c of the board is no piece",
        "no position: the board has 3 ranks instead of 11",
        "move 2, 8h8g, is illegal: there is no piece on 8h",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(
        text.contains("/3P7/7P3/PPPXPPPRPPP/1F3S3E1/ODUGWKVCLMH w - 2\n"),
        "{text}"
    );
}

#[test]
fn the_option_for_drops() {
    let sfen = "position sfen 5k5/11/11/11/5p5/5W5/11/11/11/11/5K5 b - 1 moves 6f6e";
    let input = |drops| {
        format!(
            "setoption name USI_Variant value washogi\nsetoption name WaDrops value {drops}\n{sfen}\nsfen\nquit\n"
        )
    };
    assert!(session(&input(true)).contains(" w P 2\n"));
    assert!(session(&input(false)).contains(" w - 2\n"));
    // A position that the new rules refuse gives way to the initial one.
    let text = session(
        "setoption name USI_Variant value washogi\n\
         position sfen 5k5/11/11/11/11/11/11/11/11/11/5K5 b P 1\n\
         setoption name WaDrops value false\nsfen\nquit\n",
    );
    let note = "without drops (WaDrops) they are always `-`; it is the initial one\nhmlcvkwgudo/";
    assert!(text.contains(note), "{text}");
}

#[test]
fn tools() {
    let wa = ["--variant", "washogi"];
    let (text, status) = command(&["perft", "3", wa[0], wa[1], "--no-drops"]);
    assert!(
        text.contains("Nodes searched: 126574") && status == 0,
        "{text}"
    );
    let (text, _) = command(&["show", wa[0], "wa", "startpos", "moves", "8h8g"]);
    assert!(text.contains("v兎") && text.contains(" w - 2"), "{text}");
    let mate = "sfen 4okh4/4p1p4/5W5/11/11/11/11/11/11/11/5K5 b GPp 1";
    let (text, status) = command(&["explain", wa[0], wa[1], mate, "P*6b"]);
    assert!(text.contains("uchifuzume") && status == 1, "{text}");
    let (text, _) = command(&["judge", wa[0], wa[1], &format!("{mate} moves G*6b")]);
    assert!(
        text.contains("black wins") && text.contains("checkmate"),
        "{text}"
    );
    let loops = ["6j7j 6b7b 7j6j 7b6b"; 3].join(" ");
    let (text, _) = command(&["judge", wa[0], wa[1], &format!("startpos moves {loops}")]);
    assert!(text.contains("sennichite"), "{text}");
}

#[cfg(unix)]
#[test]
fn a_match() {
    let engine = |name: &str| {
        let program = env!("CARGO_BIN_EXE_tsuru");
        format!("name={name} cmd={program} option.USI_Hash=1 option.Threads=1")
    };
    // Drops as SjaakII writes them; it resigns when it has nothing to drop.
    let dialect = "name=dialect cmd=/bin/sh init=hello arg=-c arg='while read -r line; do \
        case $line in usi) echo usiok;; isready) echo readyok;; hello) greeted=1;; \
        go*) if [ $greeted ]; then echo bestmove P@6f; else echo bestmove resign; fi;; \
        quit) exit;; esac; done'";
    let dir = tempfile::tempdir().expect("a directory");
    for drops in [true, false] {
        let games = dir.path().join(format!("games-{drops}.usi"));
        let mut match_ = tsuru();
        match_.args([
            "match",
            "--variant",
            "washogi",
            "--random-plies",
            "4",
            "--games",
            "2",
        ]);
        match_.args([
            "--nodes",
            "300",
            "--max-moves",
            "60",
            "--json",
            "--games-out",
        ]);
        match_
            .arg(&games)
            .args(["--engine", &engine("a"), "--engine", &engine("b")]);
        if !drops {
            match_.arg("--no-drops");
        }
        let output = match_.output().expect("it runs");
        let summary: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(summary["games"], 2, "{summary}");
        let text = std::fs::read_to_string(&games).expect("written");
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with("startpos moves "), "{text}");
    }
    let opening = dir.path().join("openings.txt");
    std::fs::write(&opening, "sfen 5k5/11/11/11/11/11/11/11/11/11/5K5 b Pp 1\n").expect("written");
    let kif = dir.path().join("kif");
    let mut match_ = tsuru();
    match_.args([
        "match",
        "--variant",
        "washogi",
        "--games",
        "2",
        "--nodes",
        "100",
    ]);
    match_.args(["--format", "kif", "--max-moves", "3", "--openings"]);
    match_.arg(&opening).arg("--games-out").arg(&kif);
    match_.args(["--engine", dialect, "--engine", &engine("b")]);
    let output = match_.output().expect("it runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(kif.join("game-00001.kifu")).expect("written");
    assert!(text.contains("   1 6f歩打"), "{text}");
}
