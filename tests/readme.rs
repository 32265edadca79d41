//! README's options table says what the program declares.

use std::collections::BTreeMap;

use assert_cmd::Command;

/// Type with range, and default, as README writes them.
type Row = (String, String);

fn declared() -> BTreeMap<String, Row> {
    let output = Command::cargo_bin("tsuru")
        .expect("the program")
        .write_stdin("usi\nquit\n")
        .output()
        .expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let mut options = BTreeMap::new();
    for line in text.lines() {
        let Some(rest) = line.strip_prefix("option name ") else {
            continue;
        };
        let words: Vec<&str> = rest.split(' ').collect();
        let after = |key| {
            let index = words.iter().position(|word| *word == key)?;
            words.get(index + 1).copied()
        };
        let mut kind = words[2].to_string();
        if let (Some(min), Some(max)) = (after("min"), after("max")) {
            kind = format!("{kind} {min}..{max}");
        }
        let default = after("default").unwrap_or_default().to_string();
        options.insert(words[0].to_string(), (kind, default));
    }
    options
}

fn documented() -> BTreeMap<String, Row> {
    let readme = include_str!("../README.md");
    let (_, table) = readme.split_once("ANCHOR: options").expect("the table");
    let (table, _) = table.split_once("ANCHOR_END: options").expect("its end");
    table
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let plain = |cell: &str| cell.trim_matches('`').to_string();
            (plain(cells[1]), (plain(cells[2]), plain(cells[3])))
        })
        .collect()
}

#[test]
fn options_table_is_true() {
    let mut declared = declared();
    assert!(declared.len() > 10, "{declared:?}");
    // The one default that depends on the machine.
    if let Some((_, default)) = declared.get_mut("Threads") {
        let threads: usize = default.parse().expect("a number");
        assert!((1..=4).contains(&threads));
        *default = "half of the cores, 1 to 4".to_string();
    }
    assert_eq!(documented(), declared);
}

#[test]
fn readme_names_the_commands_that_ci_runs() {
    let readme = include_str!("../README.md");
    let ci = include_str!("../.ci/run");
    for command in ["cargo test", "cargo run --release"] {
        assert!(readme.lines().any(|line| line == command), "{command}");
        assert!(ci.contains(command), "{command}");
    }
}
