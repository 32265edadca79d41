//! `tsuru match` with the real engine at tiny node counts, and against engines
//! that misbehave (shell scripts).
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

const TSURU: &str = env!("CARGO_BIN_EXE_tsuru");

/// The real engine, small and quick.
/// Without its book, which chooses by chance.
fn engine(name: &str, limits: &str) -> String {
    let options = "option.USI_Hash=1 option.Threads=1 option.USI_OwnBook=false";
    format!("name={name} cmd={TSURU} {options} {limits}")
}

const OPENINGS: &str = "\
# comment
startpos moves 7g7f 3c3d
startpos moves 2g2f 8c8d 2f2e 8d8e
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1 moves 7g7f 8c8d
sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1
";

struct Bench {
    dir: TempDir,
}

impl Bench {
    fn new() -> Bench {
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join("openings.txt"), OPENINGS).expect("written");
        Bench { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the file")
    }

    /// A script that plays USI and does `body` when asked for a move.
    fn script(&self, name: &str, body: &str) -> String {
        let path = self.path(&format!("{name}.sh"));
        let text = format!(
            "#!/bin/sh\nwhile read -r line; do\n  case \"$line\" in\n    \
             usi) echo 'id name fake'; echo usiok ;;\n    isready) echo readyok ;;\n    \
             quit) exit 0 ;;\n    go*) {body} ;;\n  esac\ndone\n"
        );
        fs::write(&path, text).expect("written");
        // Run by `sh`: a script that was just written may be busy for `exec`.
        format!("name={name} cmd=/bin/sh arg={}", path.display())
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(TSURU);
        command
            .arg("match")
            .args(args)
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().expect("it runs")
    }

    /// Runs a match to its end and returns its JSON summary.
    fn json(&self, args: &[&str]) -> Value {
        let mut all = args.to_vec();
        all.push("--json");
        let output = self.run(&all);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert!(output.stderr.is_empty(), "nothing but the result");
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

/// What has to be the same when a match is repeated.
fn results(summary: &Value) -> Vec<&Value> {
    let mut results = vec![
        &summary["games"],
        &summary["pentanomial"],
        &summary["endings"],
    ];
    for engine in summary["engines"].as_array().expect("two") {
        results.extend(["as_black", "as_white", "faults", "moves"].map(|key| &engine[key]));
    }
    results
}

#[test]
fn fixed_nodes_give_the_same_match_every_time() {
    let bench = Bench::new();
    let (a, b) = (engine("A", "nodes=300"), engine("B", "nodes=100"));
    let play = |out: &str, concurrency: &str| {
        bench.json(&[
            "--engine",
            &a,
            "--engine",
            &b,
            "--openings",
            "openings.txt",
            "--seed",
            "7",
            "--games",
            "8",
            "--concurrency",
            concurrency,
            "--games-out",
            out,
            "--format",
            "usi",
        ])
    };
    let first = play("1.usi", "2");
    let second = play("2.usi", "2");
    let third = play("3.usi", "1");
    assert_eq!(results(&first), results(&second));
    assert_eq!(results(&first), results(&third));
    assert_eq!(bench.read("1.usi"), bench.read("2.usi"));
    assert_eq!(bench.read("1.usi"), bench.read("3.usi"));
    assert_eq!(first["games"], 8);
    for engine in first["engines"].as_array().unwrap() {
        assert_eq!(engine["faults"], serde_json::json!({}));
        assert_eq!(engine["latency"], Value::Null);
    }
    // Both games of a pair begin with the same opening; all openings are used.
    let text = bench.read("1.usi");
    // Records call the initial position by its name.
    let start = "sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let openings = OPENINGS.replace(start, "startpos");
    let openings: Vec<&str> = openings.lines().skip(1).collect();
    let played: Vec<usize> = text
        .lines()
        .map(|line| {
            let opening = openings
                .iter()
                .position(|opening| line.starts_with(opening));
            opening.expect("a game begins with an opening")
        })
        .collect();
    assert_eq!(played.len(), 8);
    assert!(played.chunks(2).all(|pair| pair[0] == pair[1]));
    let mut different = played;
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), 4);
    // The referee of another command agrees with the results.
    let judged = Command::new(TSURU)
        .args(["judge", "--json", "--max-moves", "320", "--file"])
        .arg(bench.path("1.usi"))
        .output()
        .unwrap();
    let judged = String::from_utf8(judged.stdout).unwrap();
    let black = judged
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|verdict| verdict["result"] == "black")
        .count();
    let engines = first["engines"].as_array().unwrap();
    let wins = |i: usize| engines[i]["as_black"][0].as_u64().unwrap();
    assert_eq!(black as u64, wins(0) + wins(1));
}

#[test]
fn faults_lose_the_game_and_are_counted_by_kind() {
    let bench = Bench::new();
    let good = engine("good", "nodes=50");
    for (name, body, ending, fault) in [
        ("crash", "exit 1", "crash", "crash"),
        (
            "illegal",
            "echo bestmove 7g7e",
            "illegal_move",
            "illegal_move",
        ),
        ("word", "echo bestmove none", "illegal_move", "illegal_move"),
        (
            "false",
            "echo bestmove win",
            "false_declaration",
            "illegal_move",
        ),
        ("empty", "echo bestmove", "protocol", "protocol"),
        ("hang", ":", "no_answer", "hang"),
        (
            "late",
            "sleep 0.3; echo bestmove resign",
            "time_forfeit",
            "time",
        ),
    ] {
        let bad = bench.script(name, body) + " movetime=100";
        let summary = bench.json(&["--engine", &bad, "--engine", &good, "--games", "2"]);
        assert_eq!(summary["endings"], serde_json::json!({ending: 2}), "{name}");
        let [bad, good] = [0, 1].map(|i| &summary["engines"][i]);
        assert_eq!(bad["faults"], serde_json::json!({fault: 2}), "{name}");
        assert_eq!(bad["losses"], 2, "{name}");
        assert_eq!(good["faults"], serde_json::json!({}), "{name}");
        if name == "late" {
            let late = bad["latency"]["max_ms"].as_f64().unwrap();
            assert!((190.0..1500.0).contains(&late), "{late}");
        }
    }
}

#[test]
fn resigning_is_no_fault_and_unasked_answers_are() {
    let bench = Bench::new();
    let good = engine("good", "nodes=50");
    let resigns = bench.script("resigns", "echo bestmove resign") + " nodes=1";
    let summary = bench.json(&[
        "--engine",
        &good,
        "--engine",
        &resigns,
        "--games",
        "400",
        "--sprt",
        "0,200,0.05,0.05",
    ]);
    assert_eq!(summary["sprt"]["decision"], "accept_elo1");
    assert_eq!(summary["interrupted"], false);
    assert!(
        summary["games"].as_u64().unwrap() < 100,
        "the test ends the match"
    );
    assert_eq!(summary["engines"][1]["faults"], serde_json::json!({}));
    assert_eq!(summary["engines"][0]["losses"], 0);

    let twice = "echo bestmove 7g7f; echo bestmove 7g7f";
    let twice = bench.script("twice", twice) + " nodes=1";
    let summary = bench.json(&["--engine", &twice, "--engine", &good, "--games", "1"]);
    let faults = &summary["engines"][0]["faults"];
    assert!(faults["protocol"].as_u64() >= Some(1), "{faults}");
}

#[test]
fn engines_without_limit_of_time_may_hang_too() {
    let bench = Bench::new();
    let good = engine("good", "nodes=50");
    let hang = bench.script("hang", ":") + " nodes=100";
    let begun = Instant::now();
    let summary = bench.json(&[
        "--engine",
        &hang,
        "--engine",
        &good,
        "--games",
        "1",
        "--hang-timeout",
        "200",
    ]);
    assert!(begun.elapsed() < Duration::from_secs(20));
    assert_eq!(
        summary["engines"][0]["faults"],
        serde_json::json!({"hang": 2})
    );
}

#[test]
fn other_rules() {
    let bench = Bench::new();
    let (a, b) = (engine("A", "depth=2"), engine("B", "nodes=100"));
    let summary = bench.json(&[
        "--engine",
        &a,
        "--engine",
        &b,
        "--games",
        "2",
        "--variant",
        "kingcapture",
    ]);
    assert_eq!(summary["games"], 2);
    let summary = bench.json(&[
        "--engine",
        &a,
        "--engine",
        &b,
        "--games",
        "2",
        "--max-moves",
        "10",
        "--openings",
        "openings.txt",
    ]);
    assert_eq!(summary["endings"], serde_json::json!({"move_limit": 2}));
    assert_eq!(summary["mean_plies"], 10.0);
    let summary = bench.json(&[
        "--engine",
        &a,
        "--engine",
        &b,
        "--games",
        "2",
        "--adjudicate-draw",
        "30000,3,1",
    ]);
    assert_eq!(summary["endings"], serde_json::json!({"agreed_draw": 2}));
    assert_eq!(summary["mean_plies"], 6.0);
}

#[test]
fn time_is_kept() {
    let bench = Bench::new();
    let (a, b) = (
        engine(
            "A",
            "time=200 inc=20 option.NetworkDelay=0 option.NetworkDelay2=10",
        ),
        engine("B", "byoyomi=30 option.NetworkDelay2=0"),
    );
    // The margin is wide: this is a test of the clocks, on a busy machine.
    let summary = bench.json(&[
        "--engine",
        &a,
        "--engine",
        &b,
        "--games",
        "2",
        "--margin",
        "2000",
        "--max-moves",
        "40",
        "--games-out",
        "games",
        "--format",
        "kif",
    ]);
    for engine in summary["engines"].as_array().unwrap() {
        assert_eq!(engine["faults"], serde_json::json!({}));
        assert!(engine["latency"]["moves"].as_u64() >= Some(10));
    }
    let text = bench.read("games/game-00002.kifu");
    assert!(text.contains("先手：B\r\n後手：A\r\n"), "{text}");
    assert!(text.contains("**対局 時間 00:00."), "{text}");
}

/// The numbers of the games in a state file, in the order of its lines.
fn stored_games(path: &Path) -> Vec<u64> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .skip(1)
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|line| line["game"].as_u64())
        .collect()
}

#[test]
fn an_interrupted_match_goes_on() {
    let bench = Bench::new();
    let (a, b) = (engine("A", "nodes=400"), engine("B", "nodes=200"));
    let args = |games_out| {
        [
            "--engine",
            &a,
            "--engine",
            &b,
            "--openings",
            "openings.txt",
            "--games",
            "16",
            "--format",
            "usi",
            "--concurrency",
            "2",
            "--games-out",
            games_out,
        ]
    };
    let whole = bench.json(&args("whole.usi"));

    let state = bench.path("state.json");
    let resumed: Vec<&str> = [&args("parts.usi")[..], &["--resume", "state.json"]].concat();
    for signal in ["-KILL", "-INT"] {
        let before = stored_games(&state).len();
        let mut child = bench
            .command(&resumed)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while stored_games(&state).len() < before + 2 && Instant::now() < deadline {
            sleep(Duration::from_millis(5));
        }
        let sent = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
        let status = child.wait().unwrap();
        if signal == "-INT" {
            assert_eq!(status.code(), Some(130));
            let mut text = String::new();
            std::io::Read::read_to_string(&mut child.stdout.unwrap(), &mut text).unwrap();
            assert!(text.contains("of 16 (interrupted)"), "{text}");
        }
    }
    let before = stored_games(&state).len();
    assert!((4..16).contains(&before), "{before} games");
    let rest = bench.json(&resumed);
    let mut games = stored_games(&state);
    games.sort_unstable();
    assert_eq!(games, (0..16).collect::<Vec<_>>(), "each game once");
    assert_eq!(results(&whole), results(&rest));
    assert_eq!(bench.read("whole.usi"), bench.read("parts.usi"));

    // Once more: nothing left to play. Another match: refused.
    assert_eq!(results(&whole), results(&bench.json(&resumed)));
    let other: Vec<&str> = [&resumed[..], &["--margin", "77"]].concat();
    let output = bench.run(&other);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("`margin_ms` was 50 and is 77"), "{error}");
}

#[test]
fn engines_from_a_file() {
    let bench = Bench::new();
    let text = format!(
        "nodes = 50\n[[engine]]\nname = \"A\"\ncmd = \"{TSURU}\"\n\
         options = {{ USI_Hash = 1, USI_Ponder = false }}\n[[engine]]\ncmd = \"{TSURU}\"\ndepth = 1\n"
    );
    fs::write(bench.path("match.toml"), text).unwrap();
    let summary = bench.json(&[
        "--engines",
        "match.toml",
        "--games",
        "2",
        "--max-moves",
        "30",
    ]);
    assert_eq!(summary["engines"][0]["name"], "A");
    assert_eq!(summary["engines"][1]["name"], "tsuru");
    let output = bench.run(&[
        TSURU,
        TSURU,
        "--nodes",
        "20",
        "--games",
        "2",
        "--max-moves",
        "20",
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("tsuru-1") && text.contains("Games   2 of 2"),
        "{text}"
    );
}

#[test]
fn bad_input_is_refused() {
    let bench = Bench::new();
    let a = engine("A", "nodes=50");
    let wrong_option = engine("B", "nodes=50 option.Thredas=1");
    let no_limit = engine("B", "");
    fs::write(bench.path("bad.txt"), "startpos moves 7g7e\n").unwrap();
    fs::write(bench.path("bad.toml"), "[[engine]]\ncmd = 1\n").unwrap();
    let mute = "name=mute cmd=/bin/sh arg=-c arg='exit 0' nodes=1".to_string();
    for (args, what) in [
        (vec!["--engine", &a], "two engines"),
        (vec![], "two engines"),
        (
            vec!["--engine", &a, "--engine", "cmd=./nothing nodes=1"],
            "cannot start ./nothing",
        ),
        (
            vec!["--engine", &a, "--engine", &mute],
            "engine mute: the process ended",
        ),
        (
            vec!["--engine", &a, "--engine", &wrong_option],
            "no option Thredas",
        ),
        (vec!["--engine", &a, "--engine", &no_limit], "has no limit"),
        (
            vec!["--engine", &a, "--engine", &a, "--openings", "bad.txt"],
            "line 1: 7g7e",
        ),
        (
            vec!["--engine", &a, "--engine", &a, "--openings", "none.txt"],
            "none.txt",
        ),
        (vec!["--engines", "bad.toml"], "bad.toml"),
        (
            vec!["--engine", &a, "--engine", &a, "--sprt", "5,0,0.05,0.05"],
            "elo0,elo1",
        ),
        (
            vec!["--engine", &a, "--engine", &a, "--resume", "openings.txt"],
            "line 1",
        ),
        (
            vec![
                "--engine",
                &a,
                "--engine",
                &a,
                "--games-out",
                "openings.txt",
            ],
            "exists",
        ),
    ] {
        let output = bench.run(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains(what), "{args:?}: {error}");
        assert!(!error.contains("panicked"), "{error}");
    }
    assert_eq!(bench.read("openings.txt"), OPENINGS);
}

/// A match in which an engine cannot use its evaluation file measures something else.
#[test]
fn warnings_of_the_engines_are_printed_once() {
    let bench = Bench::new();
    let first = engine("A", "nodes=50") + " option.EvalFile=missing.bin";
    let output = bench.run(&[
        "--engine",
        &first,
        "--engine",
        &engine("B", "nodes=50"),
        "--games",
        "4",
        "--max-moves",
        "4",
        "--concurrency",
        "2",
    ]);
    assert!(output.status.success());
    let err = String::from_utf8_lossy(&output.stderr);
    let warnings: Vec<&str> = err
        .lines()
        .filter(|line| line.contains("warning"))
        .collect();
    assert_eq!(warnings.len(), 1, "{err}");
    assert!(
        warnings[0].starts_with("A: warning: no evaluation file missing.bin"),
        "{err}"
    );
}
