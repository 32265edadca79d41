//! Dialogues with the real program over pipes: the golden dialogues, what GUIs do
//! at odd moments, and the time that answers take.
//!
//! Times are taken as the best of a few tries, because the machine may be loaded.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for an answer that has no limit of its own.
const PATIENCE: Duration = Duration::from_secs(20);

/// How lines are sent.
#[derive(Clone, Copy, Debug)]
enum Style {
    Lf,
    CrLf,
    /// In pieces of random length that do not care for line ends.
    Chunks(u64),
}

const STYLES: [Style; 4] = [Style::Lf, Style::CrLf, Style::Chunks(1), Style::Chunks(2)];

struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    style: Style,
    /// All lines so far.
    heard: Vec<String>,
    /// Whether helper words, whose answers have no form, were used.
    helpers: bool,
}

impl Engine {
    fn new(style: Style) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsuru"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Engine {
            child,
            stdin,
            lines,
            style,
            heard: Vec::new(),
            helpers: false,
        }
    }

    /// A ready engine with few resources and no margin for network delays.
    fn ready(style: Style) -> Engine {
        let mut engine = Engine::new(style);
        engine.send("usi");
        engine.wait("usiok");
        for option in [
            "USI_Hash value 16",
            "Threads value 1",
            "NetworkDelay2 value 0",
            "USI_OwnBook value false",
        ] {
            engine.send(&format!("setoption name {option}"));
        }
        engine.send("isready");
        engine.wait("readyok");
        engine
    }

    fn send(&mut self, text: &str) {
        let end = match self.style {
            Style::CrLf => "\r\n",
            _ => "\n",
        };
        let mut bytes = text.replace('\n', end).into_bytes();
        bytes.extend_from_slice(end.as_bytes());
        self.send_bytes(&bytes);
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        let Style::Chunks(state) = &mut self.style else {
            stdin.write_all(bytes).unwrap();
            return;
        };
        let mut rest = bytes;
        while !rest.is_empty() {
            *state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let (piece, after) = rest.split_at(rest.len().min(1 + (*state >> 40) as usize % 40));
            stdin.write_all(piece).unwrap();
            rest = after;
            if *state >> 33 & 3 == 0 {
                thread::sleep(Duration::from_micros(500));
            }
        }
    }

    /// Reads up to a line that begins with `prefix`, and returns all of them.
    fn wait(&mut self, prefix: &str) -> Vec<String> {
        let begin = self.heard.len();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) => {
                    let found = line.starts_with(prefix);
                    self.heard.push(line);
                    if found {
                        return self.heard[begin..].to_vec();
                    }
                }
                Err(error) => panic!("no {prefix}: {error}; {:#?}", self.heard),
            }
        }
    }

    /// The next `bestmove` or `checkmate` line without its first word.
    fn best(&mut self) -> String {
        self.answer("bestmove ")
    }

    fn answer(&mut self, prefix: &str) -> String {
        let line = self.wait(prefix).pop().unwrap();
        line[prefix.len()..].to_string()
    }

    /// Hears what comes within the time.
    fn listen(&mut self, time: u64) {
        let deadline = Instant::now() + Duration::from_millis(time);
        while let Ok(line) = self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            self.heard.push(line);
        }
    }

    /// Fails when an answer to a `go` comes within the time.
    fn no_answer_for(&mut self, time: u64) {
        let begin = self.heard.len();
        self.listen(time);
        for line in &self.heard[begin..] {
            assert!(
                !line.starts_with("bestmove") && !line.starts_with("checkmate"),
                "{line}"
            );
        }
    }

    /// The one-line answer of a helper word.
    fn ask(&mut self, word: &str) -> String {
        self.helpers = true;
        self.send(word);
        self.wait("").pop().unwrap()
    }

    /// Sends `quit`, and checks that the engine leaves in good order. Returns the
    /// time that took and what it said, all in all.
    fn quit(mut self) -> (Duration, Vec<String>) {
        self.send("quit");
        self.end()
    }

    fn close_input(mut self) -> (Duration, Vec<String>) {
        drop(self.stdin.take());
        self.end()
    }

    fn end(&mut self) -> (Duration, Vec<String>) {
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "the engine does not leave");
            thread::sleep(Duration::from_millis(1));
        };
        let time = begin.elapsed();
        assert!(status.success(), "{status}");
        let mut stderr = String::new();
        let mut pipe = self.child.stderr.take().unwrap();
        pipe.read_to_string(&mut stderr).unwrap();
        assert_eq!(stderr, "");
        self.heard.extend(self.lines.iter());
        for line in &self.heard {
            assert!(!line.to_lowercase().starts_with("error"), "{line}");
            assert!(self.helpers || line.trim() == line, "{line:?}");
            let known = [
                "id ",
                "option ",
                "usiok",
                "readyok",
                "bestmove ",
                "checkmate ",
                "info ",
            ];
            assert!(
                self.helpers || line.is_empty() || known.iter().any(|word| line.starts_with(word)),
                "{line}"
            );
        }
        (time, std::mem::take(&mut self.heard))
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn count(lines: &[String], prefix: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(prefix)).count()
}

/// The best of a few measurements, which end as soon as one is good enough.
fn best_time(limit_ms: u64, mut measure: impl FnMut() -> Duration) {
    let limit = Duration::from_millis(limit_ms);
    let best = (0..6)
        .map(|_| measure())
        .scan(false, |done, time| {
            if *done {
                return None;
            }
            *done = time < limit;
            Some(time)
        })
        .min()
        .unwrap();
    assert!(best < limit, "{best:?} > {limit:?}");
}

// The golden dialogues.

#[test]
fn b1_options_and_two_isready() {
    for style in STYLES {
        best_time(100, || {
            let mut engine = Engine::new(style);
            engine.send("usi");
            let lines = engine.wait("usiok");
            assert!(lines[0].starts_with("id name ") && lines[1].starts_with("id author "));
            assert!(count(&lines, "option name ") > 20);
            engine.send("setoption name EvalDir value C:\\将棋 engines\\net 1");
            engine.send("setoption name NoSuchOption value 1");
            engine.send("setoption name BookFile value");
            engine.send("setoption name usi_hash value 64");
            engine.send("isready");
            engine.wait("readyok");
            engine.send("isready");
            engine.wait("readyok");
            engine.send("position startpos moves");
            engine.send("go btime 0 wtime 0 byoyomi 100");
            let begin = Instant::now();
            engine.best();
            let time = begin.elapsed();
            let (quit, lines) = engine.quit();
            assert!(quit < Duration::from_millis(500));
            assert_eq!(count(&lines, "bestmove"), 1);
            // The option that does not exist, and the folder.
            assert_eq!(count(&lines, "info string warning: unknown option"), 1);
            assert_eq!(count(&lines, "info string warning: "), 2);
            time
        });
    }
}

#[test]
fn b2_every_go_has_one_answer() {
    for style in STYLES {
        let mut engine = Engine::ready(style);
        engine.send("stop");
        engine.no_answer_for(50);
        engine.send("go infinite\nstop");
        engine.best();
        engine.send("stop");
        engine.no_answer_for(50);
        engine.send("position startpos moves 7g7f 3c3d");
        engine.send("go ponder btime 1000 wtime 1000 byoyomi 0");
        engine.no_answer_for(300);
        engine.send("gameover win");
        engine.best();
        engine.send("isready");
        engine.wait("readyok");
        engine.send("usinewgame\nposition startpos\ngo byoyomi 50");
        engine.best();
        engine.no_answer_for(50);
        let (_, lines) = engine.quit();
        assert_eq!(count(&lines, "bestmove"), 3);
    }
}

#[test]
fn b3_early_ponder() {
    for (i, style) in STYLES.into_iter().enumerate() {
        best_time(300, || {
            let mut engine = Engine::ready(style);
            engine.send("position startpos moves 7g7f 3c3d\ngo ponder");
            engine.no_answer_for(if i == 0 { 1500 } else { 200 });
            engine.send("ponderhit btime 100 wtime 100 byoyomi 200");
            let begin = Instant::now();
            engine.best();
            let time = begin.elapsed();
            engine.quit();
            time
        });
    }
}

#[test]
fn b4_terminal_positions() {
    for style in STYLES {
        let mut engine = Engine::ready(style);
        engine.send("position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1");
        engine.send("go byoyomi 100");
        let lines = engine.wait("bestmove");
        assert_eq!(lines.last().unwrap(), "bestmove resign");
        assert!(lines.iter().all(|line| !line.contains("mate 0")));
        engine.send("go infinite");
        engine.no_answer_for(100);
        engine.send("stop");
        assert_eq!(engine.best(), "resign");
        engine.send("go ponder");
        engine.no_answer_for(100);
        engine.send("ponderhit");
        assert_eq!(engine.best(), "resign");
        engine.send("go mate 1000");
        assert_eq!(engine.answer("checkmate "), "nomate");
        engine.send("position sfen 1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1");
        engine.send("setoption name EnteringKingRule value CSARule27");
        engine.send("go byoyomi 100");
        assert_eq!(engine.best(), "win");
        engine.send("setoption name EnteringKingRule value NoEnteringKing");
        engine.send("go byoyomi 100");
        let best = engine.best();
        assert!(best != "win" && best != "resign", "{best}");
        engine.quit();
    }
}

#[test]
fn b5_mate() {
    for style in STYLES {
        let mut engine = Engine::ready(style);
        engine.send("position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1");
        engine.send("go mate infinite");
        assert_eq!(engine.answer("checkmate "), "G*5b");
        engine.send("position sfen k8/9/1+R7/9/9/9/9/9/9 b P 1");
        engine.send("go mate 1000");
        let answer = engine.answer("checkmate ");
        assert!(
            matches!(answer.as_str(), "nomate" | "notimplemented"),
            "{answer}"
        );
        for line in [
            "go mate 1000",
            "go mate",
            "go nodes 100 mate infinite",
            "go mate nodes 100",
        ] {
            engine.send("position startpos");
            engine.send(line);
            assert_eq!(engine.answer("checkmate "), "nomate");
        }
        engine.send("stop");
        engine.no_answer_for(50);
        let (_, lines) = engine.quit();
        assert_eq!(count(&lines, "bestmove"), 0);
    }
}

#[test]
fn b6_odd_input() {
    for style in STYLES {
        let mut engine = Engine::ready(style);
        engine.send("position lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -");
        engine.send("go depth 1 foo 3 nodes 100");
        engine.best();
        engine.send("position sfen 9/9/9/9/9/9/9/9/9 b - 1");
        engine.send("go byoyomi 10");
        assert_eq!(engine.best(), "resign");
        engine.send("position startpos moves 7g7f 7g7f 3c3d");
        engine.send("go depth 1");
        let lines = engine.wait("bestmove");
        assert!(
            lines
                .iter()
                .any(|line| line.starts_with("info string warning: move 2, 7g7f,")),
            "{lines:?}"
        );
        engine.send("position startpos");
        engine.send("go searchmoves 7g7f 2g2f depth 3");
        let best = engine.best();
        assert!(
            best.starts_with("7g7f") || best.starts_with("2g2f"),
            "{best}"
        );
        engine.send("setoption name MultiPV value 500");
        engine.send("go depth 2");
        let lines = engine.wait("bestmove");
        let numbers: Vec<usize> = lines
            .iter()
            .filter_map(|line| {
                let mut words = line.split(' ');
                words.find(|word| *word == "multipv")?;
                words.next()?.parse().ok()
            })
            .collect();
        assert_eq!(numbers.iter().max(), Some(&30));
        engine.quit();
    }
}

// Leaving.

/// What to do to be in a state, and how long until it is there.
const STATES: [(&str, u64); 11] = [
    ("", 0),
    ("usi", 20),
    ("isready", 0),
    ("isready", 100),
    ("usinewgame\nposition startpos", 20),
    ("go infinite", 0),
    ("isready\ngo infinite", 300),
    ("go ponder btime 0 wtime 0", 100),
    ("position startpos moves 7g7f\ngo mate infinite", 0),
    ("go perft 7", 150),
    ("bench", 150),
];

#[test]
fn quit_in_every_state() {
    for (input, wait) in STATES {
        best_time(100, || {
            let mut engine = Engine::new(Style::Lf);
            engine.send(input);
            thread::sleep(Duration::from_millis(wait));
            engine.quit().0
        });
    }
}

#[test]
fn the_end_of_input_is_quit_in_every_state() {
    for (input, wait) in STATES {
        best_time(100, || {
            let mut engine = Engine::new(Style::Lf);
            engine.send(input);
            thread::sleep(Duration::from_millis(wait));
            engine.close_input().0
        });
    }
}

#[test]
fn the_gui_may_vanish() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tsuru"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    drop(child.stdout.take());
    stdin
        .write_all(b"usi\nsetoption name PvInterval value 0\ngo infinite\n")
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    drop(stdin);
    let begin = Instant::now();
    assert!(child.wait().unwrap().success());
    assert!(begin.elapsed() < Duration::from_millis(500));
}

#[test]
fn a_script_is_finished() {
    let mut engine = Engine::new(Style::Lf);
    engine.helpers = true;
    engine.send("isready\nposition startpos\ngo perft 4\ngo perft 3\nquit");
    let (_, lines) = engine.end();
    assert_eq!(count(&lines, "readyok"), 1);
    assert_eq!(count(&lines, "Nodes searched: 719731"), 1);
    assert_eq!(count(&lines, "Nodes searched: 25470"), 1);
}

// Time.

#[test]
fn the_opening_is_fast() {
    best_time(50, || {
        let begin = Instant::now();
        let mut engine = Engine::new(Style::Lf);
        engine.send("usi");
        engine.wait("usiok");
        let time = begin.elapsed();
        engine.quit();
        time
    });
    best_time(300, || {
        let mut engine = Engine::new(Style::Lf);
        let begin = Instant::now();
        engine.send("isready");
        engine.wait("readyok");
        let time = begin.elapsed();
        best_time(50, || {
            let begin = Instant::now();
            engine.send("usinewgame\nisready");
            engine.wait("readyok");
            begin.elapsed()
        });
        engine.quit();
        time
    });
}

/// The clock runs while the engine prepares itself for a `go` that no `isready`
/// came before.
#[test]
fn an_unprepared_engine_keeps_its_time() {
    for hash in [128, 1024] {
        best_time(200, || {
            let mut engine = Engine::new(Style::Lf);
            engine.send(&format!("setoption name USI_Hash value {hash}\nusi"));
            engine.wait("usiok");
            let begin = Instant::now();
            engine.send("position startpos\ngo btime 0 wtime 0 byoyomi 200");
            engine.best();
            let time = begin.elapsed();
            engine.quit();
            time
        });
    }
}

#[test]
fn stop_is_answered_at_once() {
    let mut engine = Engine::ready(Style::Lf);
    best_time(15, || {
        engine.send("go infinite");
        engine.no_answer_for(100);
        let begin = Instant::now();
        engine.send("stop");
        engine.best();
        begin.elapsed()
    });
    for line in [
        "go byoyomi 0",
        "go btime 0 wtime 0",
        "go btime -10 wtime -10",
        "go movetime 0.9",
    ] {
        best_time(30, || {
            engine.send(line);
            let begin = Instant::now();
            engine.best();
            begin.elapsed()
        });
    }
    engine.quit();
}

#[test]
fn long_games_are_cheap() {
    let mut engine = Engine::ready(Style::Lf);
    let mut line = "position startpos moves".to_string();
    for _ in 0..750 {
        line.push_str(" 5i5h 5a5b 5h5i 5b5a");
    }
    engine.send(&line);
    let sfen = engine.ask("sfen");
    assert!(sfen.ends_with(" b - 3001"), "{sfen}");
    best_time(30, || {
        line.push_str(" 5i5h 5a5b 5h5i 5b5a");
        let begin = Instant::now();
        engine.send(&line);
        assert!(engine.ask("sfen").contains("LNSGKGSNL b - 3"));
        begin.elapsed()
    });
    // Taking back is understood, too.
    engine.send("position startpos moves 5i5h");
    assert!(engine.ask("sfen").ends_with("/1B2K2R1/LNSG1GSNL w - 2"));
    engine.send(&line);
    engine.send("go depth 3");
    engine.best();
    engine.quit();
}

/// Processor time that a process has used, in ticks of 10 ms.
#[cfg(target_os = "linux")]
fn ticks(engine: &Engine) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", engine.child.id())).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = fields.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn an_idle_engine_uses_no_processor() {
    let mut engine = Engine::ready(Style::Lf);
    for (input, answer) in [
        ("isready", "readyok"),
        ("go depth 4", "bestmove"),
        // Solved, and waiting for the word.
        (
            "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1\ngo ponder",
            "info",
        ),
    ] {
        engine.send(input);
        engine.wait(answer);
        thread::sleep(Duration::from_millis(50));
        let before = ticks(&engine);
        thread::sleep(Duration::from_millis(500));
        let used = ticks(&engine) - before;
        assert!(used <= 1, "{input}: {used}");
    }
    engine.quit();
}

// Commands at odd moments.

#[test]
fn go_during_go() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("go infinite\nposition startpos moves 7g7f\ngo infinite\ngo mate infinite");
    engine.send("go ponder\ngo depth 2");
    engine.answer("checkmate ");
    engine.best();
    engine.best();
    engine.no_answer_for(50);
    let (_, lines) = engine.quit();
    assert_eq!(count(&lines, "bestmove"), 4);
    assert_eq!(count(&lines, "checkmate"), 1);
}

#[test]
fn what_arrives_during_a_search_waits_for_its_end() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("go infinite");
    engine.send("setoption name MultiPV value 3\nsetoption name USI_Hash value 8");
    engine.send("position startpos moves 7g7f\nsetoption name Clear_Hash\nisready");
    engine.wait("readyok");
    engine.send("usi");
    engine.wait("usiok");
    engine.no_answer_for(100);
    assert!(engine.ask("side") == "black");
    engine.send("stop");
    engine.best();
    assert_eq!(engine.ask("side"), "white");
    engine.send("getoption MultiPV");
    engine.wait("info string MultiPV = 3");
    engine.send("go depth 3");
    let lines = engine.wait("bestmove");
    assert!(lines.iter().any(|line| line.contains(" multipv 3 ")));
    // `usinewgame` fetches the answer that is owed; `ponderhit` alone is ignored.
    engine.send("ponderhit\ngo infinite\nponderhit");
    engine.no_answer_for(50);
    engine.send("usinewgame");
    engine.best();
    engine.quit();
}

#[test]
fn a_bad_position_keeps_what_is_good() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("position startpos moves 7g7f 3c3d");
    let good = engine.ask("sfen");
    for bad in [
        "position sfen lnsgkgsnl/9/9 b - 1",
        "position sfen 4+k4/9/9/9/9/9/9/9/4K4 b - 1",
        "position",
        "position startposs moves 7g7f",
    ] {
        engine.send(bad);
        engine.wait("info string warning");
        assert_eq!(engine.ask("sfen"), good, "{bad}");
    }
    for pass in ["0000", "null", "pass"] {
        engine.send(&format!("position startpos moves 7g7f {pass} 3c3d"));
        engine.wait("info string warning: move 2");
        assert!(engine.ask("sfen").ends_with(" w - 2"));
    }
    engine.send("position startpos moves 7g7f 3c3d resign");
    assert_eq!(engine.ask("sfen"), good);
    // It is still the good one that another variant goes on with.
    engine.send("position sfen 9/9 b -");
    engine.wait("info string warning: no position");
    engine.send("setoption name USI_Variant value kingcapture");
    assert_eq!(engine.ask("sfen"), good);
    // And what only that variant allows is played then.
    engine.send("setoption name USI_Variant value shogi");
    engine.send("position sfen 4k4/9/9/9/9/4r4/9/4G4/4K4 b - 1 moves 5h4h");
    engine.wait("info string warning: move 1");
    assert!(engine.ask("sfen").ends_with(" b - 1"));
    engine.send("setoption name USI_Variant value kingcapture");
    assert!(engine.ask("sfen").ends_with(" w - 2"));
    engine.quit();
}

#[test]
fn stochastic_ponder_is_invisible() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("setoption name Stochastic_Ponder value true");
    engine.send("position startpos moves 7g7f 3c3d");
    engine.send("go ponder btime 0 wtime 0 byoyomi 100");
    engine.no_answer_for(200);
    assert_eq!(count(&engine.heard, "info depth"), 0);
    engine.send("ponderhit");
    let hit = engine.best();
    engine.send("go ponder btime 0 wtime 0 byoyomi 100");
    engine.no_answer_for(50);
    engine.send("stop");
    let miss = engine.best();
    engine.helpers = true;
    let moves = engine.ask("moves");
    for best in [hit, miss] {
        let best = best.split(' ').next().unwrap();
        assert!(moves.split(' ').any(|m| m == best), "{best}");
    }
    engine.send("go ponder\ngo ponder\nquit");
    engine.end();
}

#[test]
fn a_bare_ponderhit_uses_the_last_clock() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("setoption name MinimumThinkingTime value 1");
    best_time(1500, || {
        engine.send("position startpos\ngo ponder");
        engine.no_answer_for(50);
        engine.send("ponderhit");
        let begin = Instant::now();
        engine.best();
        begin.elapsed()
    });
    engine.send("go btime 50 wtime 50");
    engine.best();
    best_time(100, || {
        engine.send("go ponder\nponderhit");
        let begin = Instant::now();
        engine.best();
        begin.elapsed()
    });
    engine.quit();
}

#[test]
fn garbage_is_survived() {
    let mut engine = Engine::ready(Style::Lf);
    let mut state = 7u64;
    for _ in 0..300 {
        let mut line: Vec<u8> = (0..state >> 57)
            .map(|i| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(i + 1);
                (state >> 56) as u8
            })
            .collect();
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        line.push(b'\n');
        engine.send_bytes(&line);
    }
    for line in [
        "\0\0\0",
        "go\0depth",
        "setoption",
        "setoption name",
        "setoption value",
        "position moves",
        "position sfen",
        "ponderhit btime x",
        "gameover",
        "debug on",
        "register later",
        "uci",
        "getoption",
        "position sfen 9/9/9/9/9/9/9/9/9 b 99999999999999999999P 1",
        "position startpos moves 7g7f 7g7f7g7f +++ 9z9z ＊",
    ] {
        engine.send(line);
    }
    engine.send(&"x".repeat(1 << 20));
    engine.send("stop\nposition startpos\nisready");
    engine.wait("readyok");
    engine.send("go depth 1");
    engine.best();
    engine.quit();
}

/// Commands in random order: each `go` still has exactly one answer.
#[test]
fn any_order_of_commands_keeps_the_count() {
    const COMMANDS: [&str; 30] = [
        "go infinite",
        "go ponder",
        "go ponder btime 0 wtime 0 byoyomi 30",
        "go depth 3",
        "go nodes 500",
        "go byoyomi 10",
        "go movetime 10",
        "go searchmoves 7g7f 3c3d depth 2",
        "go mate infinite",
        "go mate 10",
        "stop",
        "stop",
        "ponderhit",
        "ponderhit btime 10 wtime 10 byoyomi 10",
        "gameover lose",
        "usinewgame",
        "isready",
        "position startpos",
        "position startpos moves 7g7f 3c3d",
        "position sfen 4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1",
        "position sfen 4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1 moves G*5c",
        "position nonsense",
        "setoption name Stochastic_Ponder value true",
        "setoption name Stochastic_Ponder value false",
        "setoption name USI_Variant value kingcapture",
        "setoption name USI_Variant value shogi",
        "setoption name Threads value 2",
        "setoption name Threads value 1",
        "setoption name MultiPV value 3",
        "setoption name Clear_Hash",
    ];
    for seed in 0..4 {
        let mut engine = Engine::ready(Style::Lf);
        let mut state: u64 = seed;
        let mut owed = 0;
        for _ in 0..150 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let command = COMMANDS[(state >> 33) as usize % COMMANDS.len()];
            owed += usize::from(command.starts_with("go "));
            engine.send(command);
            if state >> 60 < 4 {
                engine.listen((state >> 50) % 40);
            }
        }
        engine.send("stop\nsfen");
        engine.helpers = true;
        let answers = |engine: &Engine| {
            count(&engine.heard, "bestmove ") + count(&engine.heard, "checkmate ")
        };
        while answers(&engine) < owed {
            engine.wait("");
        }
        engine.no_answer_for(50);
        assert_eq!(answers(&engine), owed);
        engine.quit();
    }
}

#[test]
fn odd_positions_are_survived() {
    let mut engine = Engine::ready(Style::Lf);
    for sfen in [
        "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
        "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
        "8k/9/7+R1/9/9/9/9/9/4K4 w - 1",
        "k8/9/1+R7/9/9/9/9/9/9 b P 1",
        "9/9/9/9/9/9/9/9/9 w - 1",
        "8k/6G2/9/9/8L/9/9/9/4K4 w p 1",
        // The king can be captured.
        "4k4/4R4/9/9/9/9/9/9/4K4 b - 1",
        "4k4/9/9/9/9/9/9/4r4/4K4 w - 1",
    ] {
        engine.send(&format!("position sfen {sfen}"));
        for go in [
            "go byoyomi 20",
            "go depth 2",
            "go nodes 1",
            "go ponder\nstop",
        ] {
            engine.send(go);
            let best = engine.best();
            let moves = engine.ask("moves");
            let best = best.split(' ').next().unwrap();
            assert!(
                matches!(best, "resign" | "win") || moves.split(' ').any(|m| m == best),
                "{sfen}: {best}"
            );
        }
        engine.send("go mate 100");
        engine.answer("checkmate ");
    }
    engine.quit();
}

#[test]
fn the_king_capture_rules_are_an_option() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("position sfen 4k4/4R4/9/9/9/9/9/9/4K4 b - 1");
    engine.send("setoption name USI_Variant value kingcapture");
    engine.send("isready");
    engine.wait("readyok");
    // However little it may search.
    for go in ["go byoyomi 50", "go nodes 1", "go byoyomi 0"] {
        engine.send(go);
        assert_eq!(engine.best(), "5b5a+");
    }
    engine.send("setoption name UCI_Variant value shogi");
    engine.send("position startpos\ngo byoyomi 50");
    engine.best();
    engine.quit();
}

// Helper words.

#[test]
fn helper_words() {
    let mut engine = Engine::ready(Style::Lf);
    engine.send("position startpos moves 7g7f");
    assert_eq!(engine.ask("side"), "white");
    assert_eq!(engine.ask("moves").split(' ').count(), 30);
    assert!(engine.ask("eval").starts_with("cp "));
    assert_eq!(engine.ask("key").len(), 16);
    engine.helpers = true;
    engine.send("d");
    engine.wait("key ");
    engine.send("position startpos\ngo perft 3");
    let lines = engine.wait("Nodes searched: 25470");
    assert_eq!(lines.len(), 31);
    assert_eq!(count(&lines, "7g7f: "), 1);
    engine.send("go perft 0");
    engine.wait("Nodes searched: 1");
    engine.quit();
}

#[test]
fn the_dialogue_can_be_logged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("対局 log.txt");
    let mut engine = Engine::ready(Style::Lf);
    engine.send(&format!(
        "setoption name DebugLogFile value {}",
        path.display()
    ));
    engine.send("isready");
    engine.wait("readyok");
    engine.send("setoption name DebugLogFile value /no/such/folder/x");
    engine.wait("info string warning: cannot write");
    engine.quit();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("< readyok"), "{text}");
}
