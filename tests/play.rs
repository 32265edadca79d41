//! Playing with the real program: clocks that leave hardly any time, and limited
//! strength.
//!
//! Times are taken as the best of a few tries, because the machine may be loaded.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use tsuru::eval::hand::HandEvaluator;
use tsuru::search::{BestMove, Limits, SearchOptions, ThreadPool};
use tsuru::shogi::{Move, Position, Rules, Variant};

/// One test at a time: they measure time.
static MACHINE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    MACHINE.lock().unwrap_or_else(|e| e.into_inner())
}

struct Engine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// What the engine answered to one `go`.
#[derive(Debug)]
struct Answer {
    best: String,
    infos: Vec<String>,
    time: Duration,
}

impl Engine {
    fn new(options: &[(&str, &str)]) -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsuru"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut engine = Engine {
            child,
            stdin,
            stdout,
        };
        engine.send("setoption name USI_Hash value 16");
        engine.send("setoption name USI_OwnBook value false");
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send("isready");
        engine.wait("readyok");
        engine
    }

    fn send(&mut self, line: &str) {
        self.stdin
            .write_all(format!("{line}\n").as_bytes())
            .unwrap();
    }

    fn wait(&mut self, prefix: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "it left");
            lines.push(line.trim_end().to_string());
            if line.starts_with(prefix) {
                return lines;
            }
        }
    }

    fn go(&mut self, line: &str) -> Answer {
        let begin = Instant::now();
        self.send(line);
        self.answer(begin)
    }

    fn answer(&mut self, begin: Instant) -> Answer {
        let mut infos = self.wait("bestmove ");
        let time = begin.elapsed();
        let best = infos.pop().unwrap()["bestmove ".len()..].to_string();
        infos.retain(|line| line.contains(" pv "));
        Answer { best, infos, time }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // A failed test ends the engine, too.
        let _ = self.stdin.write_all(b"quit\n");
        let _ = self.child.wait();
    }
}

/// A game under way.
struct Board {
    position: Position,
    line: String,
}

impl Board {
    fn new(start: &str, rules: &Rules) -> Board {
        let position = match start {
            "startpos" => Position::start(rules),
            _ => Position::from_sfen(start.trim_start_matches("sfen "), rules).unwrap(),
        };
        Board {
            position,
            line: format!("position {start} moves"),
        }
    }

    /// Plays the answer's move, which must be legal and the one that was
    /// reported last. False when the game is over.
    fn play(&mut self, answer: &Answer) -> bool {
        let best = answer.best.split(' ').next().unwrap();
        if best == "resign" || best == "win" {
            return false;
        }
        let m = self.position.parse_move(best).unwrap();
        let info = answer.infos.last().expect("a report");
        assert!(
            format!("{info} ").contains(&format!(" pv {best} ")),
            "{answer:?}"
        );
        self.position.make(m);
        self.line += &format!(" {best}");
        self.position.end().is_none()
    }
}

#[test]
fn thirty_moves_at_fifty_milliseconds() {
    let _turn = alone();
    let mut engine = Engine::new(&[("NetworkDelay2", "0"), ("Threads", "1")]);
    let cases = [
        ("btime 0 wtime 0 byoyomi 50", 30, 50),
        ("btime 0 wtime 0 binc 50 winc 50", 30, 50),
        ("btime 0 wtime 0 byoyomi 30", 10, 30),
        ("btime 30 wtime 30 byoyomi 0", 10, 30),
        ("btime 0 wtime 0 byoyomi 0", 10, 15),
    ];
    for (clock, moves, limit) in cases {
        let mut board = Board::new("startpos", &Rules::default());
        for _ in 0..moves {
            engine.send(&board.line);
            let in_time = |answer: &Answer| answer.time <= Duration::from_millis(limit);
            let answer = (0..60)
                .map(|_| engine.go(&format!("go {clock}")))
                .find(in_time)
                .unwrap_or_else(|| panic!("{clock}: never in time at {}", board.line));
            if !board.play(&answer) {
                break;
            }
        }
    }
}

#[test]
fn two_seconds_for_the_whole_game() {
    let _turn = alone();
    // The default delays and minimum time, which are much too long for this.
    let mut engine = Engine::new(&[("Threads", "1")]);
    let survives = |engine: &mut Engine| {
        let mut board = Board::new("startpos", &Rules::default());
        let mut left = [2000; 2];
        for ply in 0..200 {
            engine.send(&board.line);
            let answer = engine.go(&format!("go btime {} wtime {}", left[0], left[1]));
            left[ply % 2] -= answer.time.as_millis() as i64;
            if left[ply % 2] < 0 {
                return false;
            }
            if !board.play(&answer) {
                break;
            }
        }
        left.iter().all(|&left| left < 1500)
    };
    assert!((0..5).any(|_| survives(&mut engine)));
}

/// Positions with a choice, quiet and sharp, and in check.
const POSITIONS: [&str; 4] = [
    "startpos",
    "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "sfen 4k4/4G4/9/4P4/9/9/9/9/4K4 w RB2S 1",
    "sfen 8l/1l+R2P3/p2pBG1pp/kps1p4/Nn1P2G2/P1P1P2PP/1PS6/1KSG3+r1/LN2+p3L w Sbgn3p 124",
];

#[test]
fn limited_strength_is_legal_and_reported() {
    let _turn = alone();
    let options = [
        ("Threads", "2"),
        ("PvInterval", "0"),
        ("NetworkDelay2", "0"),
    ];
    let mut engine = Engine::new(&options);
    for level in [0, 1, 4, 9, 14, 19] {
        engine.send(&format!("setoption name SkillLevel value {level}"));
        for start in POSITIONS {
            for go in [
                "go nodes 20000",
                "go depth 3",
                "go btime 0 wtime 0 byoyomi 30",
                "go movetime 20",
            ] {
                let mut board = Board::new(start, &Rules::default());
                engine.send(&board.line);
                let answer = engine.go(go);
                assert!(answer.infos.iter().all(|line| !line.contains("multipv")));
                board.play(&answer);
            }
        }
    }
    // Several lines are reported when asked for, no more, the answer first.
    engine.send("setoption name SkillLevel value 3");
    engine.send("setoption name MultiPV value 2");
    engine.send("position startpos");
    let answer = engine.go("go nodes 20000");
    assert!(answer.infos.iter().all(|line| !line.contains("multipv 3")));
    let best = answer.best.split(' ').next().unwrap();
    let main = answer.infos.iter().rfind(|line| line.contains("multipv 1"));
    assert!(format!("{} ", main.unwrap()).contains(&format!(" pv {best} ")));
}

#[test]
fn limited_strength_plays_whole_games() {
    let _turn = alone();
    for (variant, name) in [
        (Variant::Standard, "shogi"),
        (Variant::KingCapture, "kingcapture"),
    ] {
        let rules = Rules {
            variant,
            ..Rules::default()
        };
        let options = [
            ("USI_Variant", name),
            ("USI_LimitStrength", "true"),
            ("ResignValue", "3000"),
            ("MaxMovesToDraw", "200"),
        ];
        let mut engine = Engine::new(&options);
        for strength in [0, 700, 1200] {
            engine.send(&format!("setoption name USI_Strength value {strength}"));
            let mut board = Board::new("startpos", &rules);
            for _ in 0..200 {
                engine.send(&board.line);
                let answer = engine.go("go nodes 5000");
                if !board.play(&answer) {
                    break;
                }
            }
        }
    }
}

#[test]
fn limited_strength_waits_as_a_person_would() {
    let _turn = alone();
    let options = [("SkillLevel", "1"), ("MinimumThinkingTime", "400")];
    let mut engine = Engine::new(&options);
    let (least, most) = (Duration::from_millis(280), Duration::from_millis(1500));
    engine.send("position startpos");
    let pause = engine.go("go btime 600000 wtime 600000").time;
    assert!((least..most).contains(&pause), "{pause:?}");
    // Not without a clock, and never beyond the clock.
    let fast = |engine: &mut Engine, go: &str, limit| {
        let limit = Duration::from_millis(limit);
        assert!((0..10).any(|_| engine.go(go).time < limit), "{go}");
    };
    fast(&mut engine, "go movetime 5000", 200);
    fast(&mut engine, "go nodes 1000000", 200);
    fast(&mut engine, "go btime 0 wtime 0 byoyomi 100", 100);
    // A stop ends the pause.
    engine.send("setoption name MinimumThinkingTime value 5000");
    let begin = Instant::now();
    engine.send("go btime 60000000 wtime 60000000");
    std::thread::sleep(Duration::from_millis(50));
    engine.send("stop");
    assert!(engine.answer(begin).time < most);
    // After a ponder hit it counts from there.
    engine.send("setoption name MinimumThinkingTime value 400");
    engine.send("go ponder btime 600000 wtime 600000");
    std::thread::sleep(Duration::from_millis(500));
    let hit = Instant::now();
    engine.send("ponderhit");
    let pause = engine.answer(hit).time;
    assert!((least..most).contains(&pause), "{pause:?}");
    // Analysis is not limited.
    let begin = Instant::now();
    engine.send("go infinite");
    std::thread::sleep(Duration::from_millis(500));
    engine.send("stop");
    let answer = engine.answer(begin);
    let last = answer.infos.last().unwrap();
    assert!(!last.starts_with("info depth 1 "), "{last}");
}

type Pool = ThreadPool<Position, HandEvaluator>;

fn search(pool: &mut Pool, sfen: &str, level: f64, options: SearchOptions) -> BestMove<Move> {
    let root = Position::from_sfen(sfen, &Rules::default()).unwrap();
    let limits = Limits {
        nodes: Some(100_000),
        ..Limits::default()
    };
    let options = SearchOptions {
        skill_level: level,
        ..options
    };
    pool.clear();
    pool.search(root, limits, options).best
}

#[test]
fn limited_strength_mates_and_defends() {
    let mut pool = Pool::new(HandEvaluator, 2, 16);
    let text = |best: BestMove<Move>| match best {
        BestMove::Move { best, .. } => best.to_string(),
        other => format!("{other:?}"),
    };
    for level in [0.0, 1.0, 5.0, 12.5, 19.0] {
        for _ in 0..10 {
            let mate = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
            let options = SearchOptions::default();
            assert_eq!(
                text(search(&mut pool, mate, level, options.clone())),
                "G*5b"
            );
            if level >= 5.0 {
                // A gold at 5h would be mate.
                let threat = "4k4/9/9/9/9/4p4/4p4/9/4K4 b 2P2Lg 1";
                let defence = text(search(&mut pool, threat, level, options));
                assert!(
                    defence.starts_with("5i") || defence.contains("*5"),
                    "{defence}"
                );
            }
        }
    }
}

#[test]
fn a_weaker_choice_is_no_reason_to_resign() {
    let mut pool = Pool::new(HandEvaluator, 1, 16);
    // Only one move wins the pawn.
    let sfen = "4k4/9/9/7p1/9/9/9/7R1/4K4 b - 1";
    let root = Position::from_sfen(sfen, &Rules::default()).unwrap();
    let limits = Limits {
        depth: Some(1),
        ..Limits::default()
    };
    let value = pool.search(root, limits, SearchOptions::default()).score;
    let mut choices = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let options = SearchOptions {
            resign_value: 1 - value,
            ..SearchOptions::default()
        };
        let best = search(&mut pool, sfen, 0.0, options);
        assert!(matches!(best, BestMove::Move { .. }));
        choices.insert(format!("{best:?}"));
    }
    assert!(choices.len() > 1, "{choices:?}");
    let options = SearchOptions {
        resign_value: -value - 1,
        ..SearchOptions::default()
    };
    assert_eq!(search(&mut pool, sfen, 0.0, options), BestMove::Resign);
}
