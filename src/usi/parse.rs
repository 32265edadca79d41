//! Reading protocol lines.
//!
//! [`parse_line`] turns the bytes of one line into a [`Command`]: a pure function
//! that takes anything. What GUIs, servers and people at a terminal really send is
//! wider than the specification of USI (将棋所, "USIプロトコル"): CRLF, tabs, doubled
//! blanks, bytes that are no UTF-8, `position` without its keyword, `_` for blanks,
//! numbers that are missing, negative, fractional or huge, words nobody knows. All
//! of that is read for what it most probably means and never refused as a whole;
//! words without a meaning are skipped.
//!
//! Nothing here knows a game: positions and moves stay texts.

use crate::search::limits::Clock;

/// Times above this (about 31 years, in milliseconds) are cut to it, so that sums
/// of times cannot overflow.
const MAX_TIME: i64 = 1_000_000_000_000;

/// One line from the GUI.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Nothing but blanks.
    Empty,
    /// `usi`: identify.
    Usi,
    /// `isready`: prepare, then say `readyok`.
    IsReady,
    /// `usinewgame`: the next position belongs to another game.
    NewGame,
    /// `setoption name NAME [value VALUE]`.
    SetOption {
        /// All words of the name, parted by one blank.
        name: String,
        /// The rest of the line after `value`, trimmed; `None` without that word.
        value: Option<String>,
    },
    /// `position ...`.
    Position(PositionCommand),
    /// `go ...`: search, solve a mate, or count positions.
    Go(Go),
    /// `stop`: answer now.
    Stop,
    /// `ponderhit [clock words]`.
    PonderHit(Option<Clock>, SeatClocks),
    /// `gameover [win|lose|draw]`.
    GameOver,
    /// `quit`, and what the end of the input means.
    Quit,
    /// `moves`: print the legal moves in one line.
    Moves,
    /// `side`: print the side to move.
    Side,
    /// `sfen`: print the position as text.
    Sfen,
    /// `d`: print a diagram.
    Diagram,
    /// `key`: print the position's key.
    Key,
    /// `eval`: print the static evaluation.
    Eval,
    /// `bench`: search a fixed set of positions.
    Bench,
    /// `getoption NAME`: print an option's value.
    GetOption(String),
    /// A word of a related protocol that asks for nothing.
    Ignored,
    /// An unknown first word.
    Unknown(String),
}

/// A `position` line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionCommand {
    /// The position text, words parted by one blank; `None` for `startpos`.
    pub sfen: Option<String>,
    /// The moves as they were written, without a closing `resign` or `win`.
    pub moves: Vec<String>,
}

/// The thinking time given to `go mate`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MateTime {
    /// Until solved or stopped.
    Infinite,
    /// This many milliseconds.
    Milliseconds(u64),
}

/// The clocks of South, West, North and East (`stime wtime ntime etime sinc winc
/// ninc einc`), ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeatClocks {
    /// Main time left.
    pub time: [i64; 4],
    /// Increment.
    pub increment: [i64; 4],
}

impl SeatClocks {
    /// The clock of a search. In a game of four the player on this seat is Black
    /// in it, and the others have no clock; `two` is the clock of two players.
    pub fn for_seat(&self, two: Option<Clock>, seat: Option<usize>) -> Option<Clock> {
        let two = two?;
        let Some(seat) = seat else { return Some(two) };
        Some(Clock {
            time: [self.time[seat], 0],
            increment: [self.increment[seat], 0],
            byoyomi: two.byoyomi,
        })
    }
}

/// Names of the seats in clock words, in the order of play.
const SEATS: [&str; 4] = ["s", "w", "n", "e"];

/// A `go` line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Until `stop`.
    pub infinite: bool,
    /// The clock, when any word of it was given.
    pub clock: Option<Clock>,
    /// What the same words say in a game of four.
    pub seats: SeatClocks,
    /// Exact time, ms.
    pub movetime: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Only these moves.
    pub searchmoves: Vec<String>,
    /// Solve a mate.
    pub mate: Option<MateTime>,
    /// Count the positions at this depth.
    pub perft: Option<u32>,
}

impl Go {
    /// Whether anything but `stop` ends the search.
    pub fn is_limited(&self) -> bool {
        self.clock.is_some()
            || self.movetime.is_some()
            || self.depth.is_some()
            || self.nodes.is_some()
    }
}

/// Reads one line, with or without its line end.
pub fn parse_line(bytes: &[u8]) -> Command {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}');
    let Some((first, rest)) = split_word(text) else {
        return Command::Empty;
    };
    match first.to_ascii_lowercase().as_str() {
        "usi" => Command::Usi,
        "isready" => Command::IsReady,
        "usinewgame" | "ucinewgame" => Command::NewGame,
        "setoption" => parse_setoption(rest),
        "position" => Command::Position(parse_position(rest)),
        "go" => Command::Go(parse_go(rest)),
        "stop" => Command::Stop,
        "ponderhit" => {
            let go = parse_go(rest);
            Command::PonderHit(go.clock, go.seats)
        }
        "gameover" => Command::GameOver,
        "quit" | "exit" => Command::Quit,
        "moves" => Command::Moves,
        "side" => Command::Side,
        "sfen" => Command::Sfen,
        "d" => Command::Diagram,
        "key" => Command::Key,
        "eval" => Command::Eval,
        "bench" => Command::Bench,
        "perft" => Command::Go(parse_go(text)),
        "getoption" => {
            let rest = rest.trim_start();
            Command::GetOption(
                rest.strip_prefix("name ")
                    .unwrap_or(rest)
                    .trim()
                    .to_string(),
            )
        }
        "debug" | "register" | "uci" | "config" | "compiler" => Command::Ignored,
        _ => Command::Unknown(first.to_string()),
    }
}

/// The first word of `text` and what follows it.
fn split_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start_matches(|c: char| c.is_ascii_whitespace());
    if text.is_empty() {
        return None;
    }
    let end = text
        .find(|c: char| c.is_ascii_whitespace())
        .unwrap_or(text.len());
    Some(text.split_at(end))
}

/// Splits at the first whole word `value`, so that a value keeps its blanks.
fn parse_setoption(rest: &str) -> Command {
    let mut name = String::new();
    let mut value = None;
    let mut rest = rest;
    let mut first = true;
    while let Some((word, after)) = split_word(rest) {
        rest = after;
        if word == "value" && !name.is_empty() {
            value = Some(after.trim().to_string());
            break;
        }
        // `name` may be missing, when people type the line.
        if !(first && word == "name") {
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(word);
        }
        first = false;
    }
    Command::SetOption { name, value }
}

fn parse_position(rest: &str) -> PositionCommand {
    let mut words = rest.split_ascii_whitespace().peekable();
    let mut command = PositionCommand::default();
    if words
        .peek()
        .is_some_and(|w| w.eq_ignore_ascii_case("startpos"))
    {
        words.next();
    } else {
        if words.peek().is_some_and(|w| matches!(*w, "sfen" | "yfen")) {
            words.next();
        }
        let mut sfen = String::new();
        while let Some(word) = words.next_if(|w| *w != "moves") {
            if !sfen.is_empty() {
                sfen.push(' ');
            }
            sfen.push_str(word);
        }
        // Web addresses write `_` for blanks.
        let sfen = sfen.replace('_', " ");
        command.sfen = Some(sfen.strip_prefix("sfen ").unwrap_or(&sfen).to_string());
    }
    words.next_if(|w| *w == "moves");
    command.moves = words.map(str::to_string).collect();
    while matches!(
        command.moves.last().map(String::as_str),
        Some("resign" | "win")
    ) {
        command.moves.pop();
    }
    command
}

/// Reads the words after `go`, which are also those after `ponderhit`.
fn parse_go(rest: &str) -> Go {
    let words: Vec<&str> = rest.split_ascii_whitespace().collect();
    let mut go = Go::default();
    let mut clock = Clock::default();
    let mut has_clock = false;
    let mut i = 0;
    while i < words.len() {
        let word = words[i];
        i += 1;
        // The number after the word; a word that lacks it is skipped alone.
        let number = words.get(i).and_then(|w| parse_number(w));
        let time = || number.map(|n| n.clamp(0, MAX_TIME));
        let mut uses_number = true;
        match word {
            "ponder" => {
                go.ponder = true;
                uses_number = false;
            }
            "infinite" => {
                go.infinite = true;
                uses_number = false;
            }
            "btime" | "wtime" | "binc" | "winc" | "byoyomi" | "stime" | "ntime" | "etime"
            | "sinc" | "ninc" | "einc" => {
                if let Some(time) = time() {
                    has_clock = true;
                    for (seat, name) in SEATS.iter().enumerate() {
                        match word.strip_prefix(name) {
                            Some("time") => go.seats.time[seat] = time,
                            Some("inc") => go.seats.increment[seat] = time,
                            _ => {}
                        }
                    }
                    match word {
                        "btime" => clock.time[0] = time,
                        "wtime" => clock.time[1] = time,
                        "binc" => clock.increment[0] = time,
                        "winc" => clock.increment[1] = time,
                        "byoyomi" => clock.byoyomi = time,
                        _ => {}
                    }
                }
            }
            // `rtime` asks for a time near the number: the number itself is one.
            "movetime" | "rtime" => go.movetime = time().map(|t| t as u64).or(go.movetime),
            "depth" => {
                go.depth = number
                    .map(|n| n.clamp(1, u32::MAX.into()) as u32)
                    .or(go.depth);
            }
            "nodes" => go.nodes = number.map(|n| n.max(1) as u64).or(go.nodes),
            "perft" => go.perft = Some(number.map_or(1, |n| n.clamp(0, 255) as u32)),
            "mate" => {
                go.mate = Some(match time() {
                    Some(time) => MateTime::Milliseconds(time as u64),
                    None => MateTime::Infinite,
                });
                if words.get(i) == Some(&"infinite") {
                    i += 1;
                }
            }
            "searchmoves" => {
                uses_number = false;
                while let Some(word) = words.get(i).filter(|w| looks_like_move(w)) {
                    go.searchmoves.push(word.to_string());
                    i += 1;
                }
            }
            // An unknown word takes its number with it.
            _ => {}
        }
        if uses_number && number.is_some() {
            i += 1;
        }
    }
    go.clock = has_clock.then_some(clock);
    go
}

/// Reads a number as tolerantly as it is safe: fractions are cut off, and what
/// exceeds 64 bits becomes the largest number.
pub(super) fn parse_number(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    // `parse` would take "inf" and "nan" as numbers, too.
    let is_number = text.bytes().any(|b| b.is_ascii_digit())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    if !is_number {
        return None;
    }
    text.parse::<f64>().ok().map(|number| number as i64)
}

/// Whether a word has the form of a move in any game: `7g7f+`, `P*5e`,
/// `10c9d`. Numbers and keywords have not.
fn looks_like_move(word: &str) -> bool {
    word.contains('*')
        || (word.starts_with(|c: char| c.is_ascii_digit())
            && word.contains(|c: char| c.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn go(text: &str) -> Go {
        match parse_line(text.as_bytes()) {
            Command::Go(go) => go,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn position(text: &str) -> PositionCommand {
        match parse_line(text.as_bytes()) {
            Command::Position(position) => position,
            other => panic!("{text}: {other:?}"),
        }
    }

    fn setoption(bytes: &[u8]) -> (String, Option<String>) {
        match parse_line(bytes) {
            Command::SetOption { name, value } => (name, value),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn simple_words_with_odd_blanks() {
        assert_eq!(parse_line(b"usi"), Command::Usi);
        assert_eq!(parse_line(b"\xef\xbb\xbfusi\r\n"), Command::Usi);
        assert_eq!(parse_line(b"\t isready \t\r\n"), Command::IsReady);
        assert_eq!(parse_line(b" \r\n"), Command::Empty);
        assert_eq!(parse_line(b"gameover win"), Command::GameOver);
        assert_eq!(parse_line(b"gameover"), Command::GameOver);
        assert_eq!(
            parse_line(b"hello  world"),
            Command::Unknown("hello".to_string())
        );
        assert_eq!(
            parse_line(b"getoption name USI_Hash"),
            Command::GetOption("USI_Hash".to_string())
        );
    }

    #[test]
    fn option_values_keep_their_blanks() {
        let line = "setoption name EvalDir value C:\\将棋 engines\\net  1\r\n";
        assert_eq!(
            setoption(line.as_bytes()),
            (
                "EvalDir".to_string(),
                Some("C:\\将棋 engines\\net  1".to_string())
            )
        );
        assert_eq!(
            setoption(b"setoption name Clear_Hash"),
            ("Clear_Hash".to_string(), None)
        );
        assert_eq!(
            setoption(b"setoption name BookFile value \n"),
            ("BookFile".to_string(), Some(String::new()))
        );
        assert_eq!(
            setoption(b"setoption  name  Clear   Hash\tvalue\tvalue x"),
            ("Clear Hash".to_string(), Some("value x".to_string()))
        );
        assert_eq!(setoption(b"setoption"), (String::new(), None));
        assert_eq!(
            setoption(b"setoption USI_Hash value 64"),
            ("USI_Hash".to_string(), Some("64".to_string()))
        );
        // Shift_JIS bytes: the line is kept.
        let (name, value) = setoption(b"setoption name EvalDir value C:\\\x8f\xab\x8a\xfb\n");
        assert_eq!(name, "EvalDir");
        assert!(value.unwrap().starts_with("C:\\"));
    }

    #[test]
    fn position_forms() {
        assert_eq!(position("position startpos"), PositionCommand::default());
        assert_eq!(
            position("position startpos moves"),
            PositionCommand::default()
        );
        assert_eq!(
            position("position startpos moves 7g7f  3c3d resign").moves,
            ["7g7f", "3c3d"]
        );
        let board = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
        for (line, sfen, moves) in [
            (
                format!("position sfen {board} b - 1"),
                format!("{board} b - 1"),
                0,
            ),
            (
                format!("position sfen {board} b - moves"),
                format!("{board} b -"),
                0,
            ),
            (
                format!("position {board} b - 1 moves 7g7f"),
                format!("{board} b - 1"),
                1,
            ),
            (
                format!("position {board}_b_-_1"),
                format!("{board} b - 1"),
                0,
            ),
            (
                format!("position sfen_{board}_b_- moves 7g7f win"),
                format!("{board} b -"),
                1,
            ),
            ("position".to_string(), String::new(), 0),
        ] {
            let command = position(&line);
            assert_eq!(command.sfen.as_deref(), Some(sfen.as_str()), "{line}");
            assert_eq!(command.moves.len(), moves, "{line}");
        }
    }

    #[test]
    fn clocks() {
        let clock = go("go btime 60000 wtime 50000 byoyomi 10000")
            .clock
            .unwrap();
        assert_eq!(clock.time, [60_000, 50_000]);
        assert_eq!(clock.byoyomi, 10_000);
        let clock = go("go ponder btime -5 wtime 0.9 binc 99999999999999999999 winc")
            .clock
            .unwrap();
        assert_eq!(clock.time, [0, 0]);
        assert_eq!(clock.increment, [MAX_TIME, 0]);
        assert_eq!(go("go ponder").clock, None);
        // A word without its number does not swallow the next word.
        let clock = go("go btime wtime 100").clock.unwrap();
        assert_eq!(clock.time, [0, 100]);
        match parse_line(b"ponderhit btime 1 wtime 2 byoyomi 3") {
            Command::PonderHit(Some(clock), _) => assert_eq!(clock.byoyomi, 3),
            other => panic!("{other:?}"),
        }
        let nothing = Command::PonderHit(None, SeatClocks::default());
        assert_eq!(parse_line(b"ponderhit"), nothing);
    }

    #[test]
    fn clocks_of_four() {
        let go = go("go stime 1000 wtime 2000 ntime 3000 etime 4000 ninc 50 byoyomi 7");
        assert_eq!(go.seats.time, [1000, 2000, 3000, 4000]);
        let clock = go.seats.for_seat(go.clock, Some(2)).unwrap();
        assert_eq!(
            (clock.time[0], clock.increment[0], clock.byoyomi),
            (3000, 50, 7)
        );
        assert_eq!(go.seats.for_seat(go.clock, None), go.clock);
        assert_eq!(SeatClocks::default().for_seat(None, Some(1)), None);
    }

    #[test]
    fn limits() {
        let read = go("go depth 1 foo 3 nodes 100");
        assert_eq!((read.depth, read.nodes), (Some(1), Some(100)));
        assert_eq!(go("go movetime 0.9").movetime, Some(0));
        assert_eq!(go("go movetime 1e99").movetime, Some(MAX_TIME as u64));
        assert_eq!(go("go depth -3").depth, Some(1));
        assert_eq!(go("go depth nan").depth, None);
        assert_eq!(go("go depth").depth, None);
        assert!(!go("go").is_limited());
        assert!(go("go infinite").infinite);
        assert_eq!(go("go perft 4").perft, Some(4));
        assert_eq!(go("perft 4").perft, Some(4));
    }

    #[test]
    fn searchmoves_end_at_the_first_word_that_is_no_move() {
        let read = go("go searchmoves 7g7f 2g2f+ P*5e infinite");
        assert_eq!(read.searchmoves, ["7g7f", "2g2f+", "P*5e"]);
        assert!(read.infinite);
        let read = go("go searchmoves 10c9d depth 10");
        assert_eq!(read.searchmoves, ["10c9d"]);
        assert_eq!(read.depth, Some(10));
    }

    #[test]
    fn mate_forms() {
        use MateTime::{Infinite, Milliseconds};
        for (line, time, nodes) in [
            ("go mate", Infinite, None),
            ("go mate infinite", Infinite, None),
            ("go mate 5000", Milliseconds(5000), None),
            ("go nodes 7 mate infinite", Infinite, Some(7)),
            ("go mate nodes 7", Infinite, Some(7)),
        ] {
            let read = go(line);
            assert_eq!(read.mate, Some(time), "{line}");
            assert_eq!(read.nodes, nodes, "{line}");
            assert!(!read.infinite, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_command(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            parse_line(&bytes);
        }

        #[test]
        fn any_words_are_a_command(words in proptest::collection::vec(
            prop_oneof![
                Just("go".to_string()), Just("position".to_string()),
                Just("setoption".to_string()), Just("name".to_string()),
                Just("value".to_string()), Just("mate".to_string()),
                Just("searchmoves".to_string()), Just("moves".to_string()),
                Just("btime".to_string()), Just("-1".to_string()),
                "\\PC{0,6}", "[0-9a-z*+.]{1,8}",
            ], 0..12)) {
            parse_line(words.join(" ").as_bytes());
        }
    }
}
