//! `tsuru learn`, run as people run it.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;
use tsuru::eval::nnue::Network;
use tsuru::learn::packed::PackedSfen;
use tsuru::learn::random::Random;
use tsuru::shogi::{Position, Rules};

/// Standard output, standard error and the exit status.
fn run(folder: &Path, args: &str) -> (String, String, i32) {
    let output = Command::cargo_bin("tsuru")
        .expect("the program")
        .current_dir(folder)
        .arg("learn")
        .args(args.split(' '))
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = output.status.code().expect("no signal");
    (text(output.stdout), text(output.stderr), code)
}

fn json(folder: &Path, args: &str) -> Value {
    let (out, err, code) = run(folder, args);
    assert_eq!((err.as_str(), code), ("", 0), "{args}");
    serde_json::from_str(&out).unwrap_or_else(|e| panic!("{e}: {out}"))
}

/// What rsshogi makes of a position, and we.
#[test]
fn packs_as_rsshogi_does() {
    for game in 0..30 {
        let mut random = Random::nth(2, game);
        let mut position = Position::start(&Rules::default());
        for _ in 0..250 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[random.below(moves.len())]);
            let sfen = position.sfen();
            let theirs = rsshogi::board::position_from_sfen(&sfen).expect("a position");
            let ours = PackedSfen::pack(&position).expect("the pieces of an even game");
            assert_eq!(ours.0, theirs.to_packed_sfen().data, "{sfen}");
        }
    }
}

const QUICK: &str = "--nodes 200 --balance-nodes 100 --hash 1 --decisive 1500 --max-plies 120";

#[test]
fn from_games_to_weights() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let openings = "# one\nstartpos moves 7g7f 3c3d 2g2f 8c8d\n";
    fs::write(folder.join("openings.sfen"), openings).expect("written");

    // A file in two parts is that of one run, on any number of threads.
    let quick = format!("{QUICK} --openings openings.sfen --random-plies 3-6");
    json(
        folder,
        &format!("gensfen -o a.bin --games 4 --json {quick}"),
    );
    let report = json(
        folder,
        &format!("gensfen -o a.bin --games 30 --json {quick}"),
    );
    assert_eq!(
        (&report["games"], &report["new_games"]),
        (&30.into(), &26.into())
    );
    let (out, err, code) = run(
        folder,
        &format!("gensfen -o b.bin --games 30 --threads 2 {quick}"),
    );
    assert_eq!((err.as_str(), code), ("", 0));
    assert!(out.contains("of 30 games are new"), "{out}");
    let bytes = fs::read(folder.join("a.bin")).expect("data");
    assert!(bytes == fs::read(folder.join("b.bin")).expect("data"));
    let (_, err, code) = run(
        folder,
        &format!("gensfen -o a.bin --games 31 {quick} --seed 2"),
    );
    assert_eq!(code, 2);
    assert!(err.contains("`seed` = 1, not 2"), "{err}");
    // Nor does it mix the games of two evaluations.
    for other in ["--hand", "--fv-scale 20"] {
        let (_, err, code) = run(
            folder,
            &format!("gensfen -o a.bin --games 31 {quick} {other}"),
        );
        assert_eq!(code, 2);
        assert!(err.contains("begun with `evaluation` = network"), "{err}");
    }
    assert!(bytes == fs::read(folder.join("a.bin")).expect("data"));

    let info = json(folder, "info --json a.bin");
    let positions = info["positions"].as_u64().expect("a number");
    assert_eq!(Some(positions), report["positions"].as_u64());
    assert_eq!(positions * 40, bytes.len() as u64);
    assert_eq!(info["damaged"], 0);
    assert_eq!(info["games"], 30);
    assert!(info["distinct"].as_u64() > Some(positions / 2));

    let (out, _, code) = run(folder, "shuffle a.bin -o shuffled.bin --seed 3");
    assert_eq!(
        (out, code),
        (format!("shuffled.bin has {positions} positions.\n"), 0)
    );
    let shuffled = json(folder, "info --json shuffled.bin");
    for key in [
        "positions",
        "won",
        "drawn",
        "black_won",
        "in_check",
        "scores",
        "plies",
    ] {
        assert_eq!(info[key], shuffled[key], "{key}");
    }

    let (out, err, code) = run(folder, "fit a.bin -o weights.rs --batch 128 --epochs 4");
    assert_eq!((err.as_str(), code), ("", 0));
    let loss = |epoch: &str| -> f64 {
        let line = out
            .lines()
            .find(|line| line.trim_start().starts_with(epoch));
        let line = line.unwrap_or_else(|| panic!("{out}"));
        line.split_whitespace()
            .nth(1)
            .and_then(|word| word.parse().ok())
            .expect("a loss")
    };
    assert!(loss("4  ") < loss("0  "), "{out}");
    let source = fs::read_to_string(folder.join("weights.rs")).expect("weights");
    let head = include_str!("../src/eval/weights.rs").lines().take(4);
    assert!(source.lines().take(4).eq(head), "{source}");
}

#[test]
fn damage_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (_, _, code) = run(folder, &format!("gensfen -o data.bin --games 3 {QUICK}"));
    assert_eq!(code, 0);
    let mut bytes = fs::read(folder.join("data.bin")).expect("data");
    bytes[40 + 34..40 + 36].fill(0xff);
    bytes.extend([1, 2, 3]);
    fs::write(folder.join("bad.bin"), &bytes).expect("written");
    let (out, _, code) = run(folder, "info bad.bin");
    assert_eq!(code, 1);
    assert!(
        out.contains("record 2: the bits 0xffff are no move"),
        "{out}"
    );
    assert!(out.contains("3 bytes follow"), "{out}");
    let (_, err, code) = run(folder, "shuffle bad.bin -o out.bin");
    assert_eq!(code, 0);
    assert!(err.starts_with("warning: 3 bytes"), "{err}");
    let (_, err, _) = run(folder, "fit bad.bin -o weights.rs --epochs 1");
    assert!(err.starts_with("warning: 1 damaged"), "{err}");

    for (args, words) in [
        ("info missing.bin", "missing.bin"),
        ("info .", "no file"),
        ("shuffle missing.bin -o x", "missing.bin"),
        ("fit missing.bin -o x", "missing.bin"),
        ("fit data.bin -o x --lambda 2", "from 0 to 1"),
        ("fit data.bin -o data.bin", "is one of the data files"),
        ("fit data.bin -o no/x", "cannot write no/x"),
        ("fit data.bin -o .", "cannot write ."),
        ("shuffle bad.bin -o data.bin", "goes on with this file"),
        ("shuffle bad.bin -o no/x", "no/x"),
        ("gensfen -o bad.bin", "no bad.bin.state"),
        ("gensfen -o no/such/folder.bin", "no/such/folder.bin"),
        ("gensfen -o x --openings missing", "missing"),
        ("gensfen -o x --random-plies 7-2", "the smaller one first"),
    ] {
        let (_, err, code) = run(folder, args);
        assert_eq!(code, 2, "{args}: {err}");
        assert!(
            err.starts_with("error: ") && err.contains(words),
            "{args}: {err}"
        );
    }
    fs::write(folder.join("empty.bin"), "").expect("written");
    let (_, err, code) = run(folder, "fit empty.bin -o x");
    assert_eq!(code, 2);
    assert!(err.contains("no quiet positions"), "{err}");
    assert!(!folder.join("x").exists());
}

#[test]
fn from_games_to_a_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (_, _, code) = run(folder, &format!("gensfen -o a.bin --games 20 {QUICK}"));
    assert_eq!(code, 0);
    // While it is being written the last record is not whole.
    let mut bytes = fs::read(folder.join("a.bin")).expect("data");
    let positions = bytes.len() as u64 / 40;
    bytes.extend([1, 2, 3]);
    fs::write(folder.join("a.bin"), bytes).expect("written");

    let train = "train a.bin -o net.nn --epochs 6 --batch 64 --hold-out 10 --threads 1";
    let report = json(folder, &format!("{train} --baseline hand --json"));
    let count = |name: &str| report[name].as_u64().expect("a number");
    assert_eq!(
        count("training_positions") + count("validation_positions"),
        positions
    );
    assert_eq!((count("damaged"), &report["complete"]), (0, &true.into()));
    let loss = |metrics: &Value| metrics["loss"].as_f64().expect("a loss");
    // A hundred positions of two games: too few to beat the constant for sure.
    let correlation = report["hand"]["correlation"].as_f64().expect("a number");
    assert!(correlation > 0.2 && loss(&report["hand"]) > 0.0, "{report}");
    let epochs = report["epochs"].as_array().expect("passes");
    let training = |epoch: usize| epochs[epoch]["training"].as_f64().expect("a loss");
    assert!(training(5) < training(0), "{report}");
    let (float, integers) = (&epochs[5]["validation"], &epochs[5]["quantised"]);
    assert!((loss(float) / loss(integers) - 1.0).abs() < 0.1, "{report}");

    let network = fs::read(folder.join("net.nn")).expect("a network");
    Network::read(&network).expect("a sound one");
    let csv = fs::read_to_string(folder.join("net.nn.csv")).expect("losses");
    assert_eq!(csv.lines().count(), 7);
    let svg = fs::read_to_string(folder.join("net.nn.svg")).expect("a picture");
    assert!(svg.starts_with("<svg "), "{svg}");

    // The checkpoint says that all is done; other settings are another training.
    let (out, err, code) = run(folder, train);
    assert_eq!((err.as_str(), code), ("", 0));
    assert!(out.contains("\n    6  "), "{out}");
    let (_, err, code) = run(folder, &train.replace("--batch 64", "--batch 65"));
    assert_eq!(code, 2);
    assert!(err.contains("made with another batch"), "{err}");
    for (other, setting) in [
        (format!("{train} --init net.nn"), "start"),
        (train.replace("--hold-out 10", "--hold-out 20"), "hold_out"),
    ] {
        let (_, err, code) = run(folder, &other);
        assert_eq!(code, 2);
        let wanted = format!("made with another {setting}; remove it");
        assert!(err.contains(&wanted), "{err}");
    }
    // What came later is not used, and that is said.
    let data = fs::read(folder.join("a.bin")).expect("data");
    let whole = &data[..data.len() - 3];
    fs::write(folder.join("a.bin"), [whole, &data[..400]].concat()).expect("written");
    let (out, err, code) = run(folder, train);
    assert!(
        err.starts_with("note: 10 positions came into the data files"),
        "{err}"
    );
    assert!(out.contains("6 of 6 passes done"), "{out}");
    assert!(out.contains("Nothing was left to do"), "{out}");
    assert_eq!(code, 0);
    fs::write(folder.join("a.bin"), &whole[..whole.len() - 40]).expect("written");
    let (_, err, code) = run(folder, train);
    assert_eq!(code, 2);
    assert!(
        err.contains("a.bin is shorter than when the training began"),
        "{err}"
    );
    fs::write(folder.join("a.bin"), data).expect("written");
    let begin = "train a.bin -o next.nn --init net.nn --epochs 1 --threads 1 --json";
    let next = json(folder, begin);
    assert!(
        next["epochs"][0]["training"].as_f64() < Some(training(0)),
        "{next}"
    );

    for (args, reason) in [
        ("train b.bin -o c.nn", "b.bin"),
        ("train a.bin -o no/c.nn", "no is no folder"),
        ("train a.bin -o a.bin", "is one of the data files"),
        (
            "train b.bin -o a.bin --validation a.bin",
            "is one of the data files",
        ),
        ("train a.bin -o .", "cannot write ."),
        ("train . -o c.nn", "no file"),
        ("train a.bin -o c.nn --init a.bin", "a.bin: no network file"),
        (
            "train a.bin -o c.nn --arch halfkp-256 --init net.nn",
            "is K-P 256x2-32-32, not",
        ),
        ("train a.bin -o c.nn --scale wide", "nor `fit`"),
        ("train a.bin -o c.nn --rate 0", "above 0"),
    ] {
        let (_, err, code) = run(folder, args);
        assert_eq!(code, 2, "{args}");
        assert!(err.contains(reason), "{args}: {err}");
    }
    fs::write(folder.join("c.nn.checkpoint"), "{}\n").expect("written");
    let (_, err, code) = run(folder, "train a.bin -o c.nn");
    assert_eq!(code, 2);
    assert!(err.contains("no checkpoint of this version"), "{err}");
}
