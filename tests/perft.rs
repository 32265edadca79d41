//! Leaf counts of the legal move tree against numbers from other programs.
//!
//! Counts above [`LIMIT`] leaves, which would take minutes, are left out. The start
//! position's 547,581,517 at depth 6 is in.

mod common;

use rayon::prelude::*;
use tsuru::perft::{Progress, divide, perft};
use tsuru::shogi::{Position, Rules};

const LIMIT: u64 = 600_000_000;

#[test]
fn leaf_counts() {
    let records: Vec<_> = common::records(include_str!("data/perft.txt")).collect();
    assert_eq!(records.len(), 44);
    let failures: Vec<String> = records
        .par_iter()
        .flat_map_iter(|(line, fields)| {
            let position = Position::from_sfen(fields[0], &Rules::default());
            let mut position = position.unwrap_or_else(|e| panic!("line {line}: {e}"));
            let mut failures = Vec::new();
            for field in &fields[1..] {
                let (depth, expected) = field.split_once(' ').expect("`Dn count`");
                let depth: u32 = depth.trim_start_matches('D').parse().expect("a depth");
                let expected: u64 = expected.parse().expect("a count");
                if expected > LIMIT {
                    continue;
                }
                let nodes = perft(&mut position, depth);
                if nodes != expected {
                    failures.push(format!(
                        "line {line}, {}: depth {depth} gives {nodes}, not {expected}",
                        fields[0]
                    ));
                }
            }
            assert_eq!(position.sfen(), start_sfen(fields[0]), "line {line}");
            failures
        })
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What a position looks like when it was only read and written again.
fn start_sfen(text: &str) -> String {
    Position::from_sfen(text, &Rules::default())
        .expect("read before")
        .sfen()
}

#[test]
fn parallel_division_gives_the_same_counts() {
    let matsuri = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let position = Position::from_sfen(matsuri, &Rules::default()).expect("a position");
    let division = divide(&position, 3, &Progress::default());
    assert!(division.complete);
    assert_eq!(division.branches.len(), 207);
    assert_eq!(division.nodes(), 4_809_015);
}
