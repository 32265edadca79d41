//! Opening books through the real program: as a GUI uses them, and the tools.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Longest wait for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

const HEADER: &str = "#YANEURAOU-DB2016 1.00\n";
const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
/// After 7g7f, and after 7g7f 3c3d.
const SECOND: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
const THIRD: &str = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";

struct Engine {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Engine {
    /// An engine with small resources and these options, ready, in a folder.
    fn new(folder: &Path, options: &[(&str, &str)]) -> (Engine, Vec<String>) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsuru"))
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut engine = Engine {
            child,
            stdin,
            lines,
        };
        engine.set("USI_Hash", "4");
        engine.set("Threads", "1");
        for (name, value) in options {
            engine.set(name, value);
        }
        let notes = engine.ready();
        (engine, notes)
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    fn set(&mut self, name: &str, value: &str) {
        self.send(&format!("setoption name {name} value {value}"));
    }

    /// What is printed before the line that begins so, and that line.
    fn wait(&mut self, prefix: &str) -> Vec<String> {
        let mut heard = Vec::new();
        loop {
            let line = self.lines.recv_timeout(PATIENCE).expect(prefix);
            let found = line.starts_with(prefix);
            heard.push(line);
            if found {
                return heard;
            }
        }
    }

    /// Gets ready; returns what it said besides.
    fn ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.wait("readyok");
        lines.pop();
        lines
    }

    /// The lines of a `go` in a position.
    fn go(&mut self, position: &str, go: &str) -> Vec<String> {
        self.send(&format!("position {position}"));
        self.send(go);
        self.wait("bestmove")
    }

    /// The move that the book gives in a position, if it does.
    fn book_move(&mut self, position: &str) -> Option<String> {
        let lines = self.go(position, "go depth 1");
        from_book(&lines).then(|| best(&lines))
    }

    /// All that the book gives in many tries.
    fn book_moves(&mut self, position: &str) -> Vec<String> {
        let mut moves: Vec<String> = (0..60).filter_map(|_| self.book_move(position)).collect();
        moves.sort();
        moves.dedup();
        moves
    }

    fn no_answer_for(&mut self, time: Duration) -> Vec<String> {
        let deadline = Instant::now() + time;
        let mut heard = Vec::new();
        while let Ok(line) = self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            assert!(!line.starts_with("bestmove"), "{line}");
            heard.push(line);
        }
        heard
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn from_book(lines: &[String]) -> bool {
    lines
        .iter()
        .any(|line| line.starts_with("info string book: "))
}

fn best(lines: &[String]) -> String {
    let line = lines.last().unwrap();
    line.split(' ').nth(1).unwrap().to_string()
}

/// A folder with a `book/test.db` of this text.
fn folder_with(text: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("book")).unwrap();
    fs::write(book_in(&folder), format!("{HEADER}{text}")).unwrap();
    folder
}

fn book_in(folder: &TempDir) -> PathBuf {
    folder.path().join("book").join("test.db")
}

fn with_book(text: &str) -> (TempDir, Engine) {
    let folder = folder_with(text);
    let (engine, notes) = Engine::new(folder.path(), &[("BookFile", "test.db")]);
    assert!(notes.is_empty(), "{notes:?}");
    (folder, engine)
}

/// A file of the initial position with these moves.
fn start_with(moves: &str) -> String {
    format!("sfen {START}\n{moves}")
}

// Playing.

#[test]
fn a_book_move_is_played_at_once() {
    let text = format!(
        "sfen {START}\n7g7f 3c3d 40 20 9\nsfen {SECOND}\n8c8d 2g2f -20 20 1\n3c3d 2g2f -10 20 1\n\
         sfen {THIRD}\n2g2f none 15 20 1\n"
    );
    let (_folder, mut engine) = with_book(&text);
    for go in [
        "go btime 600000 wtime 600000 byoyomi 10000",
        "go btime 600000 wtime 600000 binc 5000 winc 5000",
        "go movetime 10000",
        "go nodes 100000000",
    ] {
        let begin = Instant::now();
        let lines = engine.go("startpos", go);
        assert!(begin.elapsed() < Duration::from_secs(5));
        assert_eq!(
            lines,
            [
                "info string book: 7g7f from 7g7f (40 cp, depth 20)",
                "info depth 20 seldepth 20 time 0 nodes 0 nps 0 hashfull 0 score cp 40 \
                 pv 7g7f 3c3d 2g2f",
                "bestmove 7g7f ponder 3c3d",
            ]
        );
    }
    // The start position written out, in a game, and beyond the book.
    assert_eq!(engine.book_move(&format!("sfen {START}")).unwrap(), "7g7f");
    assert!(engine.book_move("startpos moves 7g7f").is_some());
    assert_eq!(
        engine.book_move("startpos moves 7g7f 3c3d").unwrap(),
        "2g2f"
    );
    assert_eq!(engine.book_move("startpos moves 7g7f 3c3d 2g2f"), None);
}

#[test]
fn pondering_waits_and_analysis_thinks() {
    let (_folder, mut engine) = with_book(&start_with("7g7f 3c3d 40 20 9\n"));
    engine.send("position startpos");
    for end in [
        "ponderhit",
        "stop",
        "gameover win",
        "ponderhit btime 99 wtime 99 byoyomi 9",
    ] {
        engine.send("go ponder btime 60000 wtime 60000 byoyomi 1000");
        engine.no_answer_for(Duration::from_millis(150));
        engine.send(end);
        assert_eq!(best(&engine.wait("bestmove")), "7g7f");
        engine.send("stop");
        engine.no_answer_for(Duration::from_millis(30));
    }
    // Setting an option while the answer waits, then a new `go`.
    engine.send("go ponder");
    engine.set("USI_OwnBook", "false");
    engine.send("go depth 1");
    assert_eq!(best(&engine.wait("bestmove")), "7g7f");
    assert!(!from_book(&engine.wait("bestmove")));
    engine.set("USI_OwnBook", "true");
    // Stochastic pondering is for positions that are not in the book.
    engine.set("Stochastic_Ponder", "true");
    engine.send("go ponder\nstop");
    assert_eq!(best(&engine.wait("bestmove")), "7g7f");

    for go in ["go infinite", "go", "go btime 1000 wtime 1000 infinite"] {
        engine.send(go);
        let lines = engine.no_answer_for(Duration::from_millis(200));
        assert!(!from_book(&lines) && !lines.is_empty(), "{lines:?}");
        engine.send("stop");
        engine.wait("bestmove");
    }
    let lines = engine.go("startpos", "go searchmoves 2g2f depth 2");
    assert_eq!(best(&lines), "2g2f");
    engine.set("ConsiderationMode", "true");
    assert_eq!(engine.book_move("startpos"), None);
    engine.set("ConsiderationMode", "false");
    assert!(engine.book_move("startpos").is_some());
    // The other rules have no book.
    engine.set("USI_Variant", "kingcapture");
    assert_eq!(engine.book_move("startpos"), None);
    engine.set("USI_Variant", "shogi");
    assert!(engine.book_move("startpos").is_some());
    engine.send("go mate 10");
    engine.wait("checkmate");
}

#[test]
fn each_option_works() {
    let text = format!(
        "{}sfen {SECOND}\n8c8d none -20 20 1\n3c3d none -150 20 1\n",
        start_with(
            "7g7f none 50 20 60\n2g2f none 40 20 30\n5g5f none 10 20 4\n1g1f none 49 10 6\n"
        )
    );
    let (_folder, mut engine) = with_book(&text);
    let after = "startpos moves 7g7f";
    assert_eq!(engine.book_moves("startpos"), ["2g2f", "7g7f"]);
    let mut with = |options: &[(&str, &str, &str)], position: &str| {
        for (name, value, _) in options {
            engine.set(name, value);
        }
        let moves = engine.book_moves(position);
        for (name, _, default) in options {
            engine.set(name, default);
        }
        moves.join(" ")
    };
    assert_eq!(with(&[("USI_OwnBook", "false", "true")], "startpos"), "");
    assert_eq!(with(&[("BookMoves", "0", "16")], "startpos"), "");
    assert_eq!(with(&[("BookMoves", "1", "16")], after), "");
    assert_eq!(with(&[("BookMoves", "2", "16")], after), "8c8d");
    assert_eq!(with(&[("BookIgnoreRate", "100", "0")], "startpos"), "");
    assert_eq!(with(&[("BookEvalDiff", "5", "30")], "startpos"), "7g7f");
    assert_eq!(
        with(&[("BookEvalDiff", "100", "30")], "startpos"),
        "2g2f 5g5f 7g7f"
    );
    assert_eq!(
        with(&[("BookEvalBlackLimit", "45", "0")], "startpos"),
        "7g7f"
    );
    assert_eq!(with(&[("BookEvalBlackLimit", "60", "0")], "startpos"), "");
    assert_eq!(with(&[("BookEvalBlackLimit", "60", "0")], after), "8c8d");
    assert_eq!(with(&[("BookEvalWhiteLimit", "-10", "-140")], after), "");
    let wide = ("BookEvalDiff", "1000", "30");
    assert_eq!(with(&[wide], after), "8c8d");
    assert_eq!(
        with(&[wide, ("BookEvalWhiteLimit", "-150", "-140")], after),
        "3c3d 8c8d"
    );
    assert_eq!(
        with(&[("BookDepthLimit", "0", "16")], "startpos"),
        "1g1f 2g2f 7g7f"
    );
    assert_eq!(with(&[("BookDepthLimit", "21", "16")], "startpos"), "");
    let narrow = ("NarrowBook", "true", "false");
    assert_eq!(with(&[wide, narrow], "startpos"), "2g2f 7g7f");
    // In the words of other engines.
    assert_eq!(with(&[("OwnBook", "off", "on")], "startpos"), "");
}

#[test]
fn moves_are_chosen_by_their_counts() {
    let moves = "7g7f none 40 20 1000000\n2g2f none 40 20 1\n";
    let (_folder, mut engine) = with_book(&start_with(moves));
    assert_eq!(engine.book_moves("startpos").len(), 2);
    engine.set("ConsiderBookMoveCount", "true");
    assert_eq!(engine.book_moves("startpos"), ["7g7f"]);
}

#[test]
fn the_line_has_the_length_asked_for() {
    let text = format!(
        "{}sfen {THIRD}\n2g2f 8c8d 15 20 1\n",
        start_with("7g7f 3c3d 40 20 9\n")
    );
    let (_folder, mut engine) = with_book(&text);
    for (length, pv) in [
        ("1", "7g7f"),
        ("3", "7g7f 3c3d 2g2f"),
        ("8", "7g7f 3c3d 2g2f 8c8d"),
    ] {
        engine.set("BookPvMoves", length);
        let lines = engine.go("startpos", "go depth 1");
        assert!(lines[1].ends_with(&format!(" pv {pv}")), "{lines:?}");
        assert_eq!(lines[2], "bestmove 7g7f ponder 3c3d");
    }
}

#[test]
fn positions_with_another_number_and_flipped_ones() {
    let third = THIRD.replace(" b - 3", " b - 9");
    let text = format!("sfen {START}\n2g2f 8c8d 40 20 9\nsfen {third}\n2g2f none 15 20 1\n");
    let (_folder, mut engine) = with_book(&text);
    let game = "startpos moves 7g7f 3c3d";
    assert_eq!(engine.book_move(game), None);
    // A GUI that numbers every position 1 does not know the number.
    let unnumbered = format!("sfen {}", THIRD.replace(" b - 3", " b - 1"));
    assert_eq!(engine.book_move(&unnumbered).unwrap(), "2g2f");
    assert_eq!(engine.book_move(&format!("sfen {THIRD}")), None);
    engine.set("IgnoreBookPly", "true");
    assert_eq!(engine.book_move(game).unwrap(), "2g2f");
    engine.set("IgnoreBookPly", "false");
    // White first, as if Black had passed.
    let white = format!("sfen {}", START.replace(" b - 1", " w - 2"));
    let lines = engine.go(&white, "go depth 1");
    assert!(from_book(&lines));
    assert_eq!(lines[2], "bestmove 8c8d ponder 2g2f");
    engine.set("FlippedBook", "false");
    assert_eq!(engine.book_move(&white), None);
    assert_eq!(engine.book_move("startpos").unwrap(), "2g2f");
}

#[test]
fn illegal_moves_are_never_played() {
    let moves = "7g7e none 99 30 9\nP*5e none 99 30 9\n8h2b+ none 99 30 9\n3c3d none 99 30 9\n\
                 7g7f 7g7f 10 20 1\n";
    let (_folder, mut engine) = with_book(&start_with(moves));
    for _ in 0..20 {
        let lines = engine.go("startpos", "go depth 1");
        // The reply is illegal, too.
        assert_eq!(lines.last().unwrap(), "bestmove 7g7f");
        assert!(lines[1].ends_with(" pv 7g7f"));
    }
    let (_folder, mut engine) = with_book(&start_with("7g7e none 99 30 9\n"));
    assert_eq!(engine.book_move("startpos"), None);
    // A declaration comes before the book.
    let sfen = "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1";
    let (_folder, mut engine) = with_book(&format!("sfen {sfen}\n5a4b none 99 30 9\n"));
    assert_eq!(engine.book_move(&format!("sfen {sfen}")), None);
}

// Files.

#[test]
fn damaged_books_are_used_as_far_as_they_go() {
    let text = format!(
        "sfen nonsense\r\n7g7f none 1 2 3\r\nsfen {START}\r\n7g7f 3c3d 40 20 9\r\n2g2f none x\r\n"
    );
    let folder = folder_with(&text);
    let (mut engine, notes) = Engine::new(folder.path(), &[("BookFile", "test.db")]);
    assert_eq!(notes.len(), 1);
    assert!(
        notes[0].starts_with("info string warning: the book "),
        "{notes:?}"
    );
    for part in ["test.db", "2 damaged lines", "line 2: "] {
        assert!(notes[0].contains(part), "{notes:?}");
    }
    assert_eq!(engine.book_move("startpos").unwrap(), "7g7f");
    // Said once, not in every game.
    assert!(engine.ready().is_empty());
    for text in [&b"\x00\xff\xfe binary \n\n\x00"[..], b""] {
        fs::write(book_in(&folder), text).unwrap();
        let notes = engine.ready();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert_eq!(engine.book_move("startpos"), None);
    }
}

#[test]
fn files_are_found_and_missing_ones_named() {
    let folder = folder_with(&start_with("5g5f none 40 20 9\n"));
    let path = book_in(&folder).to_str().unwrap().to_string();
    let elsewhere = tempfile::tempdir().unwrap();
    let dir = folder.path().join("book").to_str().unwrap().to_string();
    for options in [
        vec![("BookFile", path.as_str())],
        vec![("BookFile", "test.db"), ("BookDir", &dir)],
    ] {
        let (mut engine, notes) = Engine::new(elsewhere.path(), &options);
        assert!(notes.is_empty(), "{notes:?}");
        assert_eq!(engine.book_move("startpos").unwrap(), "5g5f");
        // With no isready in between.
        engine.set("BookFile", "no_book");
        assert_eq!(engine.book_move("startpos"), None);
        engine.set("BookFile", "<empty>");
        assert_eq!(engine.book_move("startpos"), None);
        engine.set("BookFile", &path);
        assert_eq!(engine.book_move("startpos").unwrap(), "5g5f");
    }
    for on_the_fly in ["false", "true"] {
        let options = [("BookFile", "user_book1.db"), ("BookOnTheFly", on_the_fly)];
        let (mut engine, notes) = Engine::new(elsewhere.path(), &options);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("info string warning: book user_book1.db not found"));
        assert!(engine.ready().is_empty());
        assert_eq!(engine.book_move("startpos"), None);
        // Unless it appears.
        let late = elsewhere.path().join("user_book1.db");
        fs::copy(&path, &late).unwrap();
        assert!(engine.ready().is_empty());
        assert_eq!(engine.book_move("startpos").unwrap(), "5g5f");
        fs::remove_file(late).unwrap();
    }
}

#[test]
fn a_changed_file_is_read_again_and_only_then() {
    let (folder, mut engine) = with_book(&start_with("5g5f none 40 20 9\n"));
    assert_eq!(engine.book_move("startpos").unwrap(), "5g5f");
    let text = format!("{HEADER}{}", start_with("7g7f none 40 20 10\n"));
    fs::write(book_in(&folder), text).unwrap();
    assert_eq!(engine.book_move("startpos").unwrap(), "5g5f");
    engine.ready();
    assert_eq!(engine.book_move("startpos").unwrap(), "7g7f");
}

#[test]
fn the_default_book_is_in_the_program() {
    let nowhere = tempfile::tempdir().unwrap();
    let (mut engine, notes) = Engine::new(nowhere.path(), &[]);
    assert!(notes.is_empty(), "{notes:?}");
    engine.set("BookEvalBlackLimit", "-200");
    for position in ["startpos", "startpos moves 7g7f", "startpos moves 2g2f"] {
        assert!(engine.book_move(position).is_some(), "{position}");
    }
    // A file of that name comes first.
    let folder = folder_with("");
    let text = format!("{HEADER}{}", start_with("9g9f none 40 20 9\n"));
    fs::write(folder.path().join("book/tsuru_book.db"), text).unwrap();
    let (mut engine, _) = Engine::new(folder.path(), &[]);
    assert_eq!(engine.book_move("startpos").unwrap(), "9g9f");
}

#[test]
fn on_the_fly_equals_loaded() {
    // Two kings, and hands; the position is written as the protocol does.
    let rank = |file: usize, king: char| {
        let gap = |n: usize| if n == 0 { String::new() } else { n.to_string() };
        format!("{}{king}{}", gap(file), gap(8 - file))
    };
    let mut sfens: Vec<String> = (0..81)
        .flat_map(|i| (0..200).map(move |j| (i, j)))
        .map(|(i, j)| {
            let (white, black) = (rank(i / 9, 'k'), rank(i % 9, 'K'));
            let (p, l) = (j % 17 + 2, j / 17 + 2);
            format!("{white}/9/9/9/9/9/9/9/{black} b {p}P{l}l 1")
        })
        .collect();
    sfens.sort();
    // Every fifth is not in the book.
    let text: String = sfens
        .iter()
        .enumerate()
        .filter(|(i, _)| i % 5 > 0)
        .map(|(i, sfen)| {
            let file = i % 9 + 1;
            format!(
                "sfen {sfen}\nP*{file}e none {} 20 1\nP*1d none -999 20 1\n",
                i % 900
            )
        })
        .collect();
    assert!(text.len() > 500_000);
    let (_folder, mut engine) = with_book(&text);
    let mut answers = Vec::new();
    for on_the_fly in ["false", "true"] {
        engine.set("BookOnTheFly", on_the_fly);
        assert!(engine.ready().is_empty());
        let moves: Vec<Option<String>> = sfens
            .iter()
            .step_by(61)
            .chain(sfens.last())
            .map(|sfen| engine.book_move(&format!("sfen {sfen}")))
            .collect();
        answers.push(moves);
    }
    assert_eq!(answers[0], answers[1]);
    let found = answers[0].iter().flatten().count();
    assert!(found > 150 && found < answers[0].len(), "{found}");
    // A book out of order is said to be.
    let unsorted = format!(
        "sfen {START}\n7g7f none 40 20 9\nsfen {} 1\nP*5e\n",
        sfens[0]
    );
    let folder = folder_with(&unsorted);
    let options = [("BookFile", "test.db"), ("BookOnTheFly", "true")];
    let (_, notes) = Engine::new(folder.path(), &options);
    assert!(
        notes.len() == 1 && notes[0].contains("is not sorted"),
        "{notes:?}"
    );
}

// The tools.

fn tsuru(folder: &TempDir, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tsuru"))
        .current_dir(folder.path())
        .arg("book")
        .args(args)
        .output()
        .unwrap()
}

fn printed(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn a_book_is_made_and_extended() {
    let folder = tempfile::tempdir().unwrap();
    let games = "# games\nstartpos moves 7g7f 3c3d 2g2f\nstartpos moves 7g7f 8c8d\nstartpos moves 7g7f 7g7f\n";
    fs::write(folder.path().join("games.txt"), games).unwrap();
    let make = |more: &[&str]| {
        let mut args = vec![
            "make",
            "games.txt",
            "-o",
            "my.db",
            "--plies",
            "2",
            "--hash",
            "1",
        ];
        args.extend_from_slice(more);
        tsuru(&folder, &args)
    };
    let output = make(&["--depth", "4", "--min-games", "3"]);
    assert!(printed(&output).starts_with("2 positions searched, 0 were in the book"));
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert!(
        warnings.contains("games.txt, line 4: `7g7f` is illegal"),
        "{warnings}"
    );
    let book = fs::read_to_string(folder.path().join("my.db")).unwrap();
    assert_eq!(
        book.lines()
            .filter(|line| line.starts_with("sfen "))
            .count(),
        2
    );
    assert_eq!(book.lines().count(), 1 + 2 + 6);
    // All of it is there already.
    let output = printed(&make(&["--depth", "4", "--min-games", "3"]));
    assert!(
        output.starts_with("0 positions searched, 2 were in the book"),
        "{output}"
    );
    assert_eq!(
        fs::read_to_string(folder.path().join("my.db")).unwrap(),
        book
    );
    let output = printed(&make(&["--nodes", "1000"]));
    assert!(
        output.starts_with("0 positions searched, 2 were in the book"),
        "{output}"
    );
    // Not deep enough.
    let output = printed(&make(&["--depth", "5", "--jobs", "2", "--played", "40"]));
    assert!(
        output.starts_with("2 positions searched, 0 were in the book"),
        "{output}"
    );
    let shown = tsuru(
        &folder,
        &["show", "--json", "my.db", "startpos", "moves", "7g7f"],
    );
    let shown: serde_json::Value = serde_json::from_str(&printed(&shown)).unwrap();
    let moves = shown["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 2);
    assert!(moves.iter().all(|m| m["depth"] == 5 && m["count"] == 1));
    assert_eq!(shown["flipped"], false);
    // A book is a list of positions, too.
    let output = tsuru(
        &folder,
        &[
            "make",
            "my.db",
            "-o",
            "my.db",
            "--redo-below",
            "6",
            "--depth",
            "6",
        ],
    );
    assert!(printed(&output).starts_with("2 positions searched"));
    let output = tsuru(&folder, &["make", "none.txt", "-o", "my.db"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("cannot read none.txt")
    );
}

#[test]
fn books_are_merged_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write(
        "a.db",
        &start_with("7g7f none 10 20 5\n2g2f none 20 10 1\nwhat\n"),
    );
    write(
        "b.db",
        &format!("sfen {SECOND}\n3c3d\n{}", start_with("7g7f 3c3d 99 19 2\n")),
    );
    let output = tsuru(&folder, &["merge", "a.db", "b.db", "-o", "c.db"]);
    assert_eq!(printed(&output), "c.db has 2 positions.\n");
    let warnings = String::from_utf8(output.stderr).unwrap();
    assert_eq!(warnings, "warning: a.db, line 4: `what` is no move\n");
    assert_eq!(
        fs::read_to_string(folder.path().join("c.db")).unwrap(),
        format!(
            "{HEADER}sfen {SECOND}\n3c3d none\nsfen {START}\n2g2f none 20 10 1\n7g7f 3c3d 10 20 7\n"
        )
    );
    let statistics = printed(&tsuru(&folder, &["show", "--json", "c.db"]));
    let statistics: serde_json::Value = serde_json::from_str(&statistics).unwrap();
    assert_eq!(statistics["positions"], 2);
    assert_eq!(statistics["moves"], 3);
    assert_eq!(statistics["plies"], serde_json::json!([1, 2]));
    assert_eq!(statistics["depths"], serde_json::json!([10, 20]));
    assert!(printed(&tsuru(&folder, &["show", "c.db"])).contains("Positions:     2\n"));
    let table = printed(&tsuru(&folder, &["show", "c.db", "startpos"]));
    assert_eq!(
        table,
        "Move 1 in the book.\nmove   reply   score  depth   count\n\
         2g2f   -          20     10       1\n7g7f   3c3d       10     20       7\n"
    );
    let flipped = START.replace(" b ", " w ");
    let table = printed(&tsuru(&folder, &["show", "c.db", "sfen", &flipped]));
    assert!(
        table.contains("flipped") && table.contains("\n8c8d "),
        "{table}"
    );
    let output = tsuru(&folder, &["show", "c.db", "startpos", "moves", "1g1f"]);
    assert_eq!(output.status.code(), Some(1));
    let output = tsuru(&folder, &["show", "none.db", "startpos"]);
    assert_eq!(output.status.code(), Some(2));
    // The one in the program.
    assert!(printed(&tsuru(&folder, &["show", "tsuru_book.db"])).contains("(built in)"));
}
