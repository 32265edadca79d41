//! What the targets of the record readers check.

use tsuru::record::{self, Cursor, Format, GameTree, Step, Target, evals, read_text};
use tsuru::shogi::Rules;

/// Any text in the format: refused, or games that every writer writes, and that KIF
/// and JKF hold as they are told to.
pub fn check(data: &[u8], format: Format) {
    let text = String::from_utf8_lossy(data);
    let Ok(reading) = read_text(&text, format, &Rules::default()) else {
        return;
    };
    assert!(!reading.games.is_empty());
    for tree in &reading.games {
        walk(tree);
        for word in Target::WORDS {
            let written = record::write(tree, word.parse().expect("a target"));
            if matches!(word, "kifu" | "jkf") {
                let again = record::read(&written.bytes, &Rules::default());
                // Only a file without any content is none.
                let again = again.expect("what was written is read");
                if word == "kifu" && has_foul_branch(tree) {
                    continue;
                }
                assert_eq!(again.games[0].main_moves(), tree.main_moves());
                assert_eq!(again.games[0].lines().count(), tree.lines().count());
            }
        }
    }
    record::write_all(&reading.games, "jkf".parse().expect("a target"));
}

/// Whether a branch begins with an illegal move. In KIF it cannot be told from one of an
/// outer line, where the move may be legal.
fn has_foul_branch(tree: &GameTree) -> bool {
    tree.ids().any(|id| {
        let branches = tree.node(id).children().iter().skip(1);
        branches.into_iter().any(|&branch| matches!(tree.node(branch).step, Step::Foul(..)))
    })
}

/// Goes to every node and reads the evaluations there.
fn walk(tree: &GameTree) {
    let mut cursor = Cursor::new(tree);
    for id in tree.ids() {
        cursor.go_to(tree, id);
        evals::parse(&tree.node(id).comments, cursor.position());
    }
    cursor.position().assert_consistent();
}
