//! `tsuru tune` with the program itself as the engine.

use std::path::Path;

use assert_cmd::Command;

fn tune(state: &Path, steps: &str) -> Command {
    let mut command = Command::cargo_bin("tsuru").unwrap();
    let engine = format!(
        "name=T cmd='{}' option.USI_OwnBook=false option.USI_Hash=1",
        assert_cmd::cargo::cargo_bin!("tsuru").display()
    );
    command
        .args(["tune", &engine, "--nodes", "60", "--max-moves", "40"])
        .args(["--param", "DrawValueBlack", "--param", "PvInterval"])
        .args(["--steps", steps, "--json", "--state"])
        .arg(state);
    command
}

#[test]
fn tunes_and_resumes() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("tune.json");
    let output = tune(&state, "3").assert().success().get_output().clone();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["done"], 3);
    assert_eq!(json["parameters"].as_array().unwrap().len(), 2);
    // Nothing is left to do, and the file is as it was.
    let before = std::fs::read(&state).unwrap();
    tune(&state, "3").assert().success();
    assert_eq!(std::fs::read(&state).unwrap(), before);
    // The gains depend on the number of steps.
    let output = tune(&state, "4").assert().failure().get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("3 steps"), "{message}");
}

#[test]
fn names_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let state = dir.path().join("tune.json");
    let mut command = tune(&state, "1");
    let output = command.args(["--param", "Nonsense"]).assert().failure();
    let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(message.contains("Nonsense"), "{message}");
}

/// Pairs of games are played side by side: an engine that answers only when another
/// one thinks at the same time.
#[cfg(unix)]
#[test]
fn pairs_are_played_side_by_side() {
    const ENGINE: &str = r#"#!/bin/sh
while read -r word rest; do
    case "$word" in
    usi) echo "option name N type spin default 5 min 0 max 10"; echo usiok ;;
    isready) echo readyok ;;
    go)
        touch "thinks.$$"
        for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
            [ -e met ] && break
            [ "$(ls thinks.* | wc -l)" -ge 2 ] && touch met
            sleep 0.1
        done
        rm "thinks.$$"
        echo bestmove resign ;;
    quit) exit ;;
    esac
done
"#;
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("engine.sh"), ENGINE).unwrap();
    let mut command = Command::cargo_bin("tsuru").unwrap();
    command
        .current_dir(dir.path())
        .args(["tune", "name=E cmd=/bin/sh arg=engine.sh", "--nodes", "1"])
        .args(["--param", "N", "--steps", "2", "--concurrency", "2"])
        .args(["--state", "tune.json"])
        .assert()
        .success();
    assert!(dir.path().join("met").exists());
}

#[test]
fn only_shogi_is_tuned() {
    let dir = tempfile::tempdir().unwrap();
    for variant in ["washogi", "yonin"] {
        let mut command = tune(&dir.path().join("tune.json"), "1");
        let output = command.args(["--variant", variant]).assert().failure();
        let message = String::from_utf8(output.get_output().stderr.clone()).unwrap();
        assert!(message.contains("only of shogi"), "{message}");
    }
}
