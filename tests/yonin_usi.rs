//! Four-player shogi through the program: the protocol and the command line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use tsuru::yonin::{Position, Rules};

/// The program as a GUI sees it.
struct Engine {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start() -> Engine {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tsuru"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut engine = Engine {
            child,
            input,
            output,
        };
        engine.send("setoption name USI_Variant value yonin");
        engine.send("setoption name Threads value 1");
        engine.send("setoption name USI_Hash value 16");
        engine.send("isready");
        engine.until("readyok");
        engine
    }

    fn send(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert!(
            self.output.read_line(&mut line).unwrap() > 0,
            "it has ended"
        );
        line.trim_end().to_owned()
    }

    /// Reads up to a line that begins like this.
    fn until(&mut self, start: &str) -> String {
        loop {
            let line = self.line();
            if line.starts_with(start) {
                return line;
            }
            assert!(!line.starts_with("bestmove none") && !line.starts_with("bestmove resign"));
        }
    }

    /// The one line that a helper word prints.
    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.line()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = writeln!(self.input, "quit");
        let _ = self.child.wait();
    }
}

#[test]
fn options_are_declared() {
    let mut engine = Engine::start();
    engine.send("usi");
    for line in [
        "option name USI_Variant type combo default shogi",
        "option name Yonin_Format type combo default singles var singles var pairs",
        "option name Yonin_End type combo default two var two var last",
        "option name Yonin_Mated type combo default mater var mater var unowned",
        "option name Yonin_MoveLimit type spin default 0 min 0 max 100000",
        "option name Yonin_First type combo default s var s var w var n var e",
    ] {
        engine.until(line);
    }
    engine.until("usiok");
}

#[test]
fn positions_moves_and_turns() {
    let mut engine = Engine::start();
    engine.send("position startpos moves 5g5f 7e6e");
    assert_eq!(engine.ask("side"), "n");
    assert_eq!(engine.ask("moves").split(' ').count(), 9);
    engine.send("position yfen 4Kn4/9/9/9/Kw7Ke/9/9/5Rs3/4Ks4 s -/-/-/- - - - 1 moves 4h5h");
    assert_eq!(engine.ask("side"), "n");
    let moves = engine.ask("moves");
    let mut moves: Vec<&str> = moves.split(' ').collect();
    moves.sort_unstable();
    assert_eq!(moves, ["5a4a", "5a4b", "5a6a", "5a6b"]);
    let yfen = engine.ask("sfen");
    assert_eq!(yfen, "4Kn4/9/9/9/Kw7Ke/9/9/4Rs4/4Ks4 n -/-/-/- - ns s 2");
    engine.send("d");
    engine.until("yfen ");
    engine.until("key ");
    engine.send("perft 1");
    assert_eq!(engine.until("Nodes searched"), "Nodes searched: 4");
    engine.send("position startpos");
    engine.send("perft 4");
    assert_eq!(engine.until("Nodes searched"), "Nodes searched: 6561");
    engine.send("setoption name Yonin_First value n");
    engine.send("position startpos");
    assert_eq!(engine.ask("side"), "n");
}

#[test]
fn a_move_for_every_kind_of_go() {
    let mut engine = Engine::start();
    let yfen = "4Kn4/9/9/9/Kw7Ke/9/9/5Rs3/4Ks4 s -/-/-/- - - - 1";
    for format in ["singles", "pairs"] {
        engine.send(&format!("setoption name Yonin_Format value {format}"));
        for (moves, go) in [
            ("", "go nodes 300"),
            ("4h4d", "go depth 2"),
            ("4h4d 9e9f", "go movetime 50"),
            ("4h4d 9e9f 5a6b", "go byoyomi 50"),
            ("", "go stime 1000 wtime 1 ntime 1 etime 1"),
            ("4h4d", "go stime 1 wtime 500 ntime 1 etime 1 winc 50"),
        ] {
            engine.send(&format!("position yfen {yfen} moves {moves}"));
            engine.send(go);
            let answer = engine.until("bestmove");
            let rules = Rules {
                format: match format {
                    "pairs" => tsuru::yonin::Format::Pairs,
                    _ => tsuru::yonin::Format::Singles,
                },
                ..Rules::default()
            };
            let mut position = Position::from_yfen(yfen, &rules).unwrap();
            for text in moves.split_whitespace() {
                let m = position.parse_move(text).unwrap();
                position.make(m);
            }
            let words: Vec<&str> = answer.split(' ').collect();
            let m = position.parse_move(words[1]).unwrap();
            if let Some(ponder) = words.get(3) {
                position.make(m);
                position.parse_move(ponder).unwrap();
            }
        }
    }
    engine.send("go infinite");
    engine.send("stop");
    engine.until("bestmove");
    engine.send("go ponder byoyomi 50");
    engine.send("ponderhit byoyomi 50");
    engine.until("bestmove");
}

#[test]
fn a_finished_game_is_told_and_not_answered_with_a_move() {
    let mut engine = Engine::start();
    engine.send("position yfen Kw7Kn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1 moves R*5a");
    engine.send("go movetime 100");
    assert_eq!(
        engine.until("info string gameover"),
        "info string gameover mates, places s 1 w 4 n 3 e 2"
    );
    assert_eq!(engine.ask("side"), "-");
    assert_eq!(engine.ask("moves"), "");
    // The engine goes on with the next game.
    engine.send("usinewgame");
    engine.send("position startpos");
    engine.send("go nodes 100");
    engine.until("bestmove");
    engine.send("setoption name Yonin_Format value pairs");
    engine.send("setoption name Yonin_MoveLimit value 1");
    engine.send("position startpos moves 5g5f");
    engine.send("go nodes 100");
    assert_eq!(
        engine.until("info string gameover"),
        "info string gameover limit, draw"
    );
}

/// What comes after the own king's mate is not the engine's line, though the game may
/// go on for long.
#[test]
fn a_line_ends_with_the_own_mate() {
    let yfen = "3GnKn1Rn2/3Pn3Gn1/Sw4Pn3/Gw1Se1Pn1Pe1Ge/2Sn3Pe1Ke/KwPnSePwPsw1Pe2/\
                3Psw1PswSeGeSe/1Rsw7/Rn2GwRwXsSsw2 w -/-/-/2GSP sw wn n 59";
    let mut engine = Engine::start();
    engine.send("setoption name Yonin_End value last");
    engine.send("isready");
    engine.until("readyok");
    engine.send(&format!("position yfen {yfen}"));
    engine.send("go nodes 1");
    let line = engine.until("info depth");
    let (_, line) = line.split_once(" pv ").unwrap();
    let mut rules = Rules::default();
    rules.set("end", "last").unwrap();
    let mut position = Position::from_yfen(yfen, &rules).unwrap();
    let us = position.turn();
    for text in line.split(' ') {
        assert!(position.board().is_living(us), "{text} in {line}");
        position.make(position.parse_move(text).unwrap());
    }
}

#[test]
fn bad_input_is_named_and_the_last_position_stays() {
    let mut engine = Engine::start();
    engine.send("position startpos moves 5g5f");
    let good = engine.ask("sfen");
    for (line, message) in [
        (
            "position yfen 9/9 s -/-/-/-",
            "the board has 2 ranks instead of 9 (B1)",
        ),
        (
            "position yfen 4Kn4/4Kn4/9/9/Kw7Ke/9/9/9/4Ks4 s -/-/-/-",
            "5b: a second king of North; every seat has one (7.1)",
        ),
        (
            "position yfen 4Kn4/9/9/9/Xw1Gw5Ke/9/9/9/4Ks4 s -/-/-/- ws",
            "7e: Gw has an owner who was mated according to field 4 (X4)",
        ),
    ] {
        let answer = engine.ask(line);
        assert!(
            answer.starts_with("info string warning: no position: "),
            "{answer}"
        );
        assert!(answer.contains(message), "{answer}");
        assert_eq!(engine.ask("sfen"), good);
    }
    let answer = engine.ask("position startpos moves 5g5f 5f5e 7e6e");
    assert!(answer.contains("move 2, 5f5e, is illegal"), "{answer}");
    assert!(answer.contains("(M1)"), "{answer}");
    assert_eq!(engine.ask("sfen"), good);
}

fn tool(args: &[&str]) -> (String, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_tsuru"))
        .args(args)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    (text, output.status.code())
}

#[test]
fn tools_on_the_command_line() {
    let (text, code) = tool(&["perft", "--variant", "yonin", "4"]);
    assert!(
        text.starts_with("Nodes searched: 6561\n") && code == Some(0),
        "{text}"
    );
    let position = "yfen 8Kn/6Gs2/7Ss1/9/Kw8/6Ke2/9/9/4Ks4 s P/-/-/- - - - 1";
    let (text, code) = tool(&["explain", "--variant", "yonin", position, "P*1b"]);
    assert_eq!(text, "P*1b: illegal: a pawn drop may not mate North (D4)\n");
    assert_eq!(code, Some(1));
    let (text, _) = tool(&["show", "--variant", "yonin", "--style", "ascii", position]);
    assert!(text.contains("South in hand: P"), "{text}");
    let game = "yfen Kw7Kn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1 moves R*5a";
    let (text, _) = tool(&["judge", "--variant", "yonin", game]);
    assert!(
        text.starts_with("Result:     places South 1, West 4, North 3, East 2\n"),
        "{text}"
    );
    let (text, _) = tool(&[
        "judge",
        "--variant",
        "yonin",
        "--yonin",
        "end=last",
        "--json",
        game,
    ]);
    assert!(text.contains("\"the game goes on\""), "{text}");
    let (text, code) = tool(&[
        "match",
        "--variant",
        "yonin",
        "builtin:greedy",
        "builtin:random",
        "--games",
        "4",
        "--json",
    ]);
    assert!(text.contains("\"games\": 4") && code == Some(0), "{text}");
    // Games are not written over others, and what has no effect is refused.
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("games.jsonl");
    std::fs::write(&path, "precious").unwrap();
    let games = path.to_str().unwrap();
    let players = ["builtin:greedy", "builtin:random"];
    let start = ["match", "--variant", "yonin", "--games", "1"];
    for more in [["--games-out", games], ["--format", "kif"]] {
        let (_, code) = tool(&[&start[..], &players, &more].concat());
        assert_eq!(code, Some(2), "{more:?}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "precious");
    // Games of other programs, each with its rules.
    let known = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/yonin_games.jsonl");
    let (text, code) = tool(&["judge", "--variant", "yonin", "--json", "--file", known]);
    assert_eq!(text.matches(r#""contradicts":[]"#).count(), 20, "{text}");
    assert_eq!(code, Some(0));
    // What a match writes names its rules, and the judge agrees with it.
    let path = dir.path().join("new.jsonl");
    let games = path.to_str().unwrap();
    let rules = ["--yonin", "mated=unowned", "--yonin", "end=last"];
    let out = ["--games-out", games, "--max-moves", "150", "--seed", "5"];
    let (_, code) = tool(&[&start[..], &players, &rules, &out].concat());
    assert_eq!(code, Some(0));
    let judge = ["judge", "--variant", "yonin", "--file", games];
    let (text, code) = tool(&judge);
    assert_eq!(
        text.matches("Record:     says the same\n").count(),
        4,
        "{text}"
    );
    assert_eq!(code, Some(0));
    let record = std::fs::read_to_string(&path).unwrap();
    let options =
        r#""options":{"end":"last","first":"s","format":"singles","limit":150,"mated":"unowned"}"#;
    assert!(record.contains(options), "{record}");
    let explain = ["explain", "--variant", "yonin", "--record", games];
    let (text, code) = tool(&[&explain[..], &["--after", "3"]].concat());
    assert!(text.ends_with(": legal\n") && code == Some(0), "{text}");
    let (text, code) = tool(&[&explain[..], &["5i5h"]].concat());
    assert!(text.contains("game is over") && code == Some(1), "{text}");
    std::fs::write(&path, record.replace("\"limit\":150", "\"limit\":20")).unwrap();
    let (text, code) = tool(&judge);
    assert!(text.contains("Record:     says otherwise: "), "{text}");
    assert_eq!(code, Some(1));
    let (_, code) = tool(&["show", "--variant", "yonin", "--yonin", "end=never"]);
    assert_eq!(code, Some(2));
}
