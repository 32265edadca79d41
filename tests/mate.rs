//! The mate solver against published problems: `data/tsume.txt`.
//!
//! Every line is replayed with the generator's legal moves; the short problems
//! against every defence.

mod common;

use std::sync::Arc;
use std::time::Duration;

use tsuru::game::{Game, MateGame, RootMate, Stage};
use tsuru::mate::{Limits, Shorten, Solver, Verdict};
use tsuru::shogi::{Move, Position, Rules};
use tsuru::wa;

/// What `data/tsume.txt` says of a position.
struct Problem {
    position: Position,
    /// Plies, or `None` when there is no mate.
    length: Option<usize>,
    exact: bool,
    note: &'static str,
}

fn problems() -> Vec<Problem> {
    common::records(include_str!("data/tsume.txt"))
        .map(|(_, fields)| Problem {
            position: Position::from_sfen(fields[0], &Rules::default()).unwrap(),
            length: fields[1].parse().ok(),
            exact: fields[2] == "exact",
            note: fields[3],
        })
        .collect()
}

/// Panics unless the line is a mate by checks, all moves legal.
fn replay(root: &Position, line: &[Move]) {
    let mut position = root.clone();
    for (ply, m) in line.iter().enumerate() {
        assert!(
            position.legal_moves().contains(m),
            "{m} is illegal in {}",
            position.sfen()
        );
        position.make(*m);
        assert_eq!(
            ply % 2 == 0,
            position.checkers().any(),
            "{m} in {}",
            root.sfen()
        );
    }
    assert!(line.len() % 2 == 1 && position.legal_moves().is_empty());
}

fn mate_line(solver: &mut Solver<Position>, position: &Position, shorten: Shorten) -> Vec<Move> {
    match solver.solve(position, &Limits::nodes(5_000_000), shorten) {
        Verdict::Mate(mate) => {
            replay(position, &mate.line);
            assert!(mate.shortest || shorten != Shorten::Fully);
            mate.line
        }
        other => panic!("{other:?}: {}", position.sfen()),
    }
}

/// Plays the solver's moves against every defence.
fn mates_everything(solver: &mut Solver<Position>, position: &mut Position, plies: usize) {
    let line = mate_line(solver, position, Shorten::Fully);
    assert!(line.len() <= plies, "{}", position.sfen());
    position.make(line[0]);
    for defence in position.legal_moves() {
        position.make(defence);
        mates_everything(solver, position, plies - 2);
        position.unmake();
    }
    position.unmake();
}

#[test]
fn published_lengths_are_the_shortest() {
    let mut solver = Solver::new(64);
    let short = problems()
        .into_iter()
        .filter(|problem| problem.exact && problem.length.is_some_and(|length| length <= 11));
    let mut count = 0;
    for problem in short {
        let length = problem.length.unwrap();
        let line = mate_line(&mut solver, &problem.position, Shorten::Fully);
        assert_eq!(line.len(), length, "{}", problem.position.sfen());
        count += 1;
        let at_once = problem.position.clone().mating_check();
        assert_eq!(at_once.is_some(), length == 1);
    }
    assert_eq!(count, 232);
}

#[test]
fn every_defence_is_met_up_to_seven_plies() {
    let mut solver = Solver::new(64);
    for mut problem in problems() {
        if let Some(length @ ..=7) = problem.length {
            mates_everything(&mut solver, &mut problem.position, length);
        }
    }
}

#[test]
fn positions_without_mate_are_disproved() {
    let mut solver = Solver::new(64);
    let mut count = 0;
    for problem in problems().iter().filter(|p| p.length.is_none()) {
        let verdict = solver.solve(&problem.position, &Limits::nodes(5_000_000), Shorten::Fully);
        assert_eq!(verdict, Verdict::NoMate, "{}", problem.position.sfen());
        count += 1;
    }
    assert_eq!(count, 10);
}

/// Nodes stand for time here: an ordinary build searches more than these in a second.
#[test]
fn problems_up_to_fifteen_plies_take_less_than_a_second() {
    let mut count = 0;
    for problem in problems() {
        if let Some(12..=15) = problem.length {
            let mut solver = Solver::new(64);
            let limits = Limits::nodes(300_000);
            let verdict = solver.solve(&problem.position, &limits, Shorten::No);
            let Verdict::Mate(mate) = verdict else {
                panic!("{verdict:?}: {}", problem.note);
            };
            replay(&problem.position, &mate.line);
            count += 1;
        }
    }
    assert!(count > 0);
}

/// A sample of the longer problems; `tsuru mate tests/data/tsume.txt` solves all.
#[test]
fn longer_problems_are_solved() {
    let mut solver = Solver::new(64);
    for note in ["musou-018", "zukou-097", "zukou-083", "musou-043"] {
        for problem in problems().iter().filter(|p| p.note.starts_with(note)) {
            let line = mate_line(&mut solver, &problem.position, Shorten::No);
            assert!(line.len() >= 27, "{note}: {}", line.len());
        }
    }
}

/// The hardest one: 37 plies in the book, and many more positions than longer ones need.
#[test]
fn musou_048_is_solved() {
    let problems = problems();
    let problem = problems.iter().find(|p| p.note.starts_with("musou-048"));
    let position = &problem.expect("the problem is in the file").position;
    let mut solver = Solver::new(256);
    match solver.solve(position, &Limits::nodes(8_000_000), Shorten::No) {
        Verdict::Mate(mate) => replay(position, &mate.line),
        other => panic!("{other:?} after {} nodes", solver.nodes()),
    }
}

/// A table far too small still gives right answers, or none.
#[test]
fn a_crowded_table_tells_no_lies() {
    let mut solver = Solver::new(1);
    for problem in problems() {
        match solver.solve(&problem.position, &Limits::nodes(20_000), Shorten::Some) {
            Verdict::Mate(mate) => {
                replay(&problem.position, &mate.line);
                let length = problem.length.expect("a mate where there is one");
                assert!(!problem.exact || mate.line.len() >= length);
            }
            Verdict::NoMate => assert_eq!(problem.length, None, "{}", problem.position.sfen()),
            Verdict::Unknown => {}
        }
    }
}

#[test]
fn limits_hold() {
    let hard = problems()
        .into_iter()
        .find(|p| p.length == Some(1525))
        .unwrap();
    let mut solver = Solver::new(16);
    let verdict = solver.solve(
        &hard.position,
        &Limits::time(Duration::from_millis(50)),
        Shorten::No,
    );
    assert_eq!(verdict, Verdict::Unknown);
    let verdict = solver.solve(&hard.position, &Limits::nodes(2000), Shorten::No);
    assert_eq!(verdict, Verdict::Unknown);
    assert!(solver.nodes() <= 2000);
    // Asked again and again, it goes on where it was.
    for problem in problems().iter().filter(|p| p.length == Some(15)) {
        let mut solver = Solver::new(16);
        let mut asked = 0;
        let line = loop {
            let answer = solver.mating_line(&problem.position, 3000, None, &Arc::default());
            asked += 1;
            assert!(answer.nodes <= 3000 && asked < 1000);
            if answer.decided {
                break answer.line;
            }
        };
        assert!(line.is_some(), "{}", problem.position.sfen());
    }
}

/// What tsume problems are about: pawn drops that mate, promotions declined, one
/// king or two, the attacker in check.
#[test]
fn rules_that_matter_in_problems() {
    let mut solver = Solver::new(1);
    for (sfen, plies) in [
        // Only the forbidden pawn drop would mate.
        ("k8/9/1+R7/9/9/9/9/9/9 b P 1", None),
        // In check from a lance, which the gold's check does not answer.
        ("4k4/9/4P4/9/4l4/9/9/9/4K4 b G 1", None),
        ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", Some(1)),
        // In check from a bishop, which the gold takes with mate.
        ("4k4/4b4/4PG3/9/1K7/9/9/9/9 b - 1", Some(1)),
        ("9/9/9/9/9/9/9/9/4K4 b G 1", None),
    ] {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let verdict = solver.solve(&position, &Limits::nodes(1_000_000), Shorten::Fully);
        match (verdict, plies) {
            (Verdict::NoMate, None) => {}
            (Verdict::Mate(mate), Some(plies)) => assert_eq!(mate.line.len(), plies, "{sfen}"),
            (verdict, _) => panic!("{sfen}: {verdict:?}"),
        }
    }
    // The defender could be captured: no problem at all.
    let odd = Position::from_sfen("4k4/4G4/9/9/9/9/9/9/4K4 b - 1", &Rules::default()).unwrap();
    assert!(!odd.is_mate_problem());
    assert_eq!(
        solver.solve(&odd, &Limits::default(), Shorten::No),
        Verdict::Unknown
    );
}

/// The lengths of the books, which count no useless interpositions.
#[test]
fn useless_interpositions_do_not_count_in_books() {
    let mut solver = Solver::new(64);
    for (sfen, all, book) in [
        // The rook mates from afar; a pawn in between is taken, and nothing else
        // has changed.
        ("7lk/7p1/9/7N1/9/9/9/9/R8 b - 1", 1, 1),
        ("7lk/7p1/9/7N1/9/9/9/9/R8 b p 1", 3, 1),
        ("7lk/7p1/9/7N1/9/9/9/9/R8 b 3p 1", 7, 1),
    ] {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let verdict = solver.solve(&position, &Limits::nodes(5_000_000), Shorten::Fully);
        let Verdict::Mate(mate) = verdict else {
            panic!("{verdict:?}: {sfen}");
        };
        replay(&position, &mate.line);
        assert_eq!(mate.line.len(), all, "{sfen}");
        assert_eq!(mate.book_line.map(|line| line.len()), Some(book), "{sfen}");
    }
    // Published lengths: with nothing useless in them, and with much.
    for (note, all, book) in [
        ("musou-009", 29, 29),
        ("zukou-065", 37, 31),
        ("zukou-064", 77, 69),
    ] {
        let problems = problems();
        let problem = problems.iter().find(|p| p.note.starts_with(note)).unwrap();
        let limits = Limits::nodes(2_000_000);
        let Verdict::Mate(mate) = solver.solve(&problem.position, &limits, Shorten::Some) else {
            panic!("{note} is not solved");
        };
        replay(&problem.position, &mate.line);
        let book_line = mate.book_line.unwrap();
        assert_eq!((mate.line.len(), book_line.len()), (all, book), "{note}");
        let mut position = problem.position.clone();
        for (ply, &m) in book_line.iter().enumerate() {
            assert!(position.is_legal(m), "{note}: {m}");
            position.make(m);
            assert!(ply % 2 == 1 || position.checkers().any(), "{note}: {m}");
        }
    }
}

/// Whether there is a mate within so many plies: every check, every answer.
fn full_width<G: MateGame>(position: &mut G, plies: usize) -> bool {
    let info = position.check_info();
    let mut moves = tsuru::core::MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    moves.retain(|&mut m| position.gives_check(m, &info));
    moves.into_iter().any(|m| {
        position.make(m);
        let mut answers = tsuru::core::MoveList::new();
        position.generate(Stage::All, true, &mut answers);
        let mates = answers.is_empty()
            || plies > 1
                && answers.into_iter().all(|answer| {
                    position.make(answer);
                    let mated = full_width(position, plies - 2);
                    position.unmake();
                    mated
                });
        position.unmake();
        mates
    })
}

/// Positions of random games with their lengths by full-width search, which is made
/// here again.
#[test]
fn wa_shogi_mates_are_those_of_a_full_width_search() {
    let mut solvers = [Solver::<wa::Position>::new(16), Solver::new(16)];
    let mut count = 0;
    for (_, fields) in common::records(include_str!("data/wa_mates.txt")) {
        let sfen = fields[0];
        let plies: usize = fields[1].parse().unwrap();
        let drops = fields[2] == "drops";
        let rules = wa::Rules {
            drops,
            ..wa::Rules::default()
        };
        let mut position = wa::Position::from_sfen(sfen, &rules).unwrap();
        assert!(full_width(&mut position, plies), "{sfen}");
        assert!(
            plies == 1 || !full_width(&mut position, plies - 2),
            "{sfen}"
        );
        let solver = &mut solvers[usize::from(drops)];
        let verdict = solver.solve(&position, &Limits::nodes(1_000_000), Shorten::Fully);
        let Verdict::Mate(mate) = verdict else {
            panic!("{verdict:?}: {sfen}");
        };
        assert!(mate.shortest && mate.line.len() == plies, "{sfen}");
        for (ply, &m) in mate.line.iter().enumerate() {
            assert!(position.is_legal(m), "{m} in {sfen}");
            position.make(m);
            assert_eq!(position.in_check(), ply % 2 == 0, "{sfen}");
        }
        assert_eq!(position.count_moves(), 0, "{sfen}");
        count += 1;
    }
    assert!(count >= 50, "{count}");
}
