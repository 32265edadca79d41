//! The evaluation options in dialogues with the real program: files of our own
//! writing, damaged ones, and none.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{self, Stdio};

use assert_cmd::Command;
use tsuru::eval::nnue::{Architecture, Network, Nnue};
use tsuru::eval::shogi::ShogiEvaluator;
use tsuru::game::Evaluator;
use tsuru::learn::random::Random;
use tsuru::shogi::{Position, Rules};

/// What the program says to these lines. It hears `quit` when it has obeyed them all:
/// earlier, that would cut them off.
fn dialogue(folder: &Path, lines: &[&str]) -> Vec<String> {
    let mut child = process::Command::new(env!("CARGO_BIN_EXE_tsuru"))
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(stdin, "{}\nisready", lines.join("\n")).unwrap();
    let mut open = 1 + lines.iter().filter(|&&line| line == "isready").count();
    let mut heard = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        if line == "readyok" {
            open -= 1;
            if open == 0 {
                writeln!(stdin, "quit").unwrap();
                continue;
            }
        }
        heard.push(line);
    }
    assert!(child.wait().unwrap().success());
    heard
}

fn network(seed: u64) -> Network {
    let mut random = Random::new(seed);
    let mut network = Network::new(Architecture::KP_256);
    for weight in &mut network.transformer_weights {
        *weight = random.below(81) as i16 - 40;
    }
    for layer in &mut network.layers {
        for output in 0..layer.outputs() {
            for weight in layer.row_mut(output) {
                *weight = random.below(255) as i8;
            }
        }
    }
    network.layers[2].biases[0] = 50_000;
    network
}

fn write(network: &Network, path: &Path) {
    let mut bytes = Vec::new();
    network.write(&mut bytes).unwrap();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// The answer to `eval` in the initial position.
fn eval(mut evaluator: ShogiEvaluator) -> String {
    let position = Position::start(&Rules::default());
    evaluator.reset(&position);
    format!("cp {}", evaluator.evaluate(&position))
}

fn by(network: &Network, fv_scale: i32) -> String {
    eval(ShogiEvaluator::of(&Nnue::new(network).unwrap(), fv_scale))
}

/// The lines that begin with one of these.
fn only<'a>(lines: &'a [String], beginnings: &[&str]) -> Vec<&'a str> {
    lines
        .iter()
        .map(String::as_str)
        .filter(|line| beginnings.iter().any(|begin| line.starts_with(begin)))
        .collect()
}

#[test]
fn options_choose_the_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (network(1), network(2));
    write(&first, &folder.path().join("eval/nn.bin"));
    let file = folder.path().join("my net.nnue");
    write(&second, &file);
    let set_file = format!("setoption name EvalFile value {}", file.display());
    let built_in = eval(ShogiEvaluator::default());
    let hand = eval(ShogiEvaluator::HAND);
    let lines = dialogue(
        folder.path(),
        &[
            "usi",
            "eval",
            "setoption name EvalDir value eval",
            "isready",
            "eval",
            &set_file,
            "eval",
            "setoption name FV_SCALE value 32",
            "position startpos",
            "go depth 3",
            // Fetches the answer and waits for it.
            "usinewgame",
            "eval",
            "setoption name EvalFile value <empty>",
            "setoption name FV_SCALE value 16",
            "eval",
            "setoption name Evaluation value hand",
            "isready",
            "eval",
            "setoption name Evaluation value NNUE",
            "setoption name EvalDir value <internal>",
            "usinewgame",
            "eval",
        ],
    );
    for declaration in [
        "option name Evaluation type combo default NNUE var NNUE var Hand",
        "option name EvalDir type string default <internal>",
        "option name EvalFile type filename default <empty>",
        "option name FV_SCALE type spin default 16 min 1 max 128",
    ] {
        assert!(lines.iter().any(|line| line == declaration), "{lines:#?}");
    }
    let (first, second, half) = (by(&first, 16), by(&second, 16), by(&second, 32));
    assert_ne!(first, second);
    assert_eq!(
        only(&lines, &["cp ", "readyok", "info string warning"]),
        [
            &built_in, "readyok", &first, &second, &half, &first, "readyok", &hand, &built_in
        ]
    );
    assert_eq!(only(&lines, &["bestmove "]).len(), 1);
}

#[test]
fn files_that_cannot_be_used_are_named_once_and_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let good = network(3);
    let path = folder.path().join("eval/nn.bin");
    write(&good, &path);
    let bytes = fs::read(&path).unwrap();
    let mut flipped = bytes.clone();
    flipped[5] ^= 1;
    let variants: [(&str, &[u8], &str); 5] = [
        (
            "short.bin",
            &bytes[..700_000],
            " bytes, the file has 700000",
        ),
        ("empty.bin", &[], "it ends after 0 bytes, within the header"),
        (
            "text.bin",
            b"not a network at all",
            "no network file of a known version",
        ),
        ("hash.bin", &flipped, "wrong hash"),
        ("long.bin", &[&bytes[..], b"x"].concat(), "the file has 89"),
    ];
    for (name, content, reason) in variants {
        fs::write(folder.path().join(name), content).unwrap();
        let set_file = format!("setoption name EvalFile value {name}");
        let lines = dialogue(
            folder.path(),
            &[
                "setoption name EvalDir value eval",
                "isready",
                "position startpos moves 7g7f",
                &set_file,
                "isready",
                "isready",
                "go depth 2",
                // Fetches the answer and waits for it.
                "usinewgame",
                "position startpos",
                "eval",
                "setoption name EvalFile value",
                "isready",
            ],
        );
        let notes = only(&lines, &["info string warning"]);
        assert_eq!(notes.len(), 1, "{name}: {notes:?}");
        assert!(
            notes[0].contains(name) && notes[0].contains(reason),
            "{notes:?}"
        );
        assert!(
            notes[0].ends_with("the K-P 256x2-32-32 network goes on"),
            "{notes:?}"
        );
        assert_eq!(only(&lines, &["cp "]), [by(&good, 16)]);
        assert_eq!(only(&lines, &["bestmove "]).len(), 1);
    }
}

#[test]
fn a_missing_folder_is_said_and_the_built_in_evaluation_plays() {
    let folder = tempfile::tempdir().unwrap();
    let lines = dialogue(
        folder.path(),
        &[
            "setoption name EvalDir value eval",
            "setoption name USI_OwnBook value false",
            "usinewgame",
            "position startpos",
            "go depth 2",
            // Fetches the answer and waits for it.
            "usinewgame",
            "eval",
        ],
    );
    let notes = only(&lines, &["info string warning"]);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(
        notes[0].starts_with("info string warning: no evaluation file eval"),
        "{notes:?}"
    );
    assert_eq!(only(&lines, &["cp "]), [eval(ShogiEvaluator::default())]);
    assert_eq!(only(&lines, &["bestmove "]).len(), 1);
}

#[test]
fn what_is_wrong_with_a_position_is_said_once() {
    let folder = tempfile::tempdir().unwrap();
    write(&network(5), &folder.path().join("net.bin"));
    let lines = dialogue(
        folder.path(),
        &[
            "usi",
            "position startpos moves 7g7f 2g2f",
            "isready",
            "setoption name EvalFile value net.bin",
            "isready",
            "sfen",
        ],
    );
    let notes = only(&lines, &["info string warning"]);
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("move 2, 2g2f, is illegal"), "{notes:?}");
    assert!(
        lines.iter().any(|line| line.ends_with(" w - 2")),
        "{lines:?}"
    );
}

#[test]
fn bench_takes_a_file() {
    let folder = tempfile::tempdir().unwrap();
    write(&network(4), &folder.path().join("net.bin"));
    let bench = |arguments: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tsuru"))
            .current_dir(folder.path())
            .args(["bench", "--depth", "2"])
            .args(arguments)
            .assert()
    };
    bench(&["--eval-file", "net.bin", "--fv-scale", "24"]).success();
    bench(&["--hand"]).success();
    let failed = bench(&["--eval-file", "none.bin"]).failure();
    let error = String::from_utf8_lossy(&failed.get_output().stderr).into_owned();
    assert!(error.contains("no evaluation file none.bin"), "{error}");
}
