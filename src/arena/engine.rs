//! An engine as a child process that is spoken to in USI.
//!
//! A thread reads the engine's lines and notes when each arrived, so that the
//! time of an answer does not depend on when it is looked at. Its standard error
//! goes nowhere. The process gets its own process group, so that Ctrl-C in the
//! terminal reaches only us, and it is ended when its [`Engine`] is dropped.
//!
//! Waiting always has an end: a deadline, the end of the process, or the flag
//! that stops the match.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::config::EngineConfig;
use crate::record::{MATE_SCORE, Thought};

/// Time for `usiok`, and for `readyok`.
const HANDSHAKE: Duration = Duration::from_secs(20);
const READY: Duration = Duration::from_secs(120);

/// Time to leave after `quit`.
const QUIT_GRACE: Duration = Duration::from_millis(500);

/// How often the stop flag is looked at while waiting.
const POLL: Duration = Duration::from_millis(50);

/// Lines read ahead; an engine that floods us has to wait.
const LINES_AHEAD: usize = 1024;

/// Moves of the expected line that are kept.
const PV_LENGTH: usize = 12;

/// Options that may be set though an engine does not declare them: the protocol
/// reserves their names.
const RESERVED: [&str; 2] = ["USI_Hash", "USI_Ponder"];

/// A running engine.
pub struct Engine {
    child: Child,
    /// `None` once closed.
    stdin: Option<ChildStdin>,
    lines: Receiver<Line>,
    declared: Vec<DeclaredOption>,
    /// What the engine wants instead of `*` in drops.
    drop: Option<char>,
    /// What it warned of while it got ready.
    warnings: Vec<String>,
}

struct Line {
    at: Instant,
    text: String,
}

/// An option as the engine declares it.
struct DeclaredOption {
    name: String,
    /// Values of a combo.
    values: Vec<String>,
    /// Default, least and greatest value of a spin.
    spin: Option<[i64; 3]>,
}

/// Why an engine cannot play.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The program cannot be started.
    #[error("cannot start {0}")]
    Start(String, #[source] std::io::Error),
    /// It did not say a word of the protocol in time.
    #[error("no {0} in {1} s")]
    NoAnswer(&'static str, u64),
    /// The process ended.
    #[error("the process ended before {0}")]
    Ended(&'static str),
    /// It does not know an option that was to be set.
    #[error("the engine has no option {0}")]
    NoOption(String),
    /// It does not play the variant.
    #[error("the engine does not play the variant {0} (USI_Variant)")]
    NoVariant(String),
    /// The match was stopped while waiting.
    #[error("stopped")]
    Stopped,
}

/// What came of waiting for a line.
enum Wait {
    Line(Line),
    Deadline,
    Ended,
    Stopped,
}

/// What came of waiting for `bestmove`.
pub enum Answer {
    /// The words after `bestmove`, the time since `go`, and the last report.
    BestMove {
        words: Vec<String>,
        elapsed: Duration,
        thought: Option<Thought>,
    },
    /// The deadline passed.
    Deadline,
    /// The process ended.
    Ended,
    /// The match was stopped.
    Stopped,
}

impl Engine {
    /// Starts the program and sets its options: those of `settings` that it
    /// declares and the user did not set, then the user's.
    pub fn start(
        config: &EngineConfig,
        settings: &[(&str, String)],
        stop: &AtomicBool,
    ) -> Result<Engine, EngineError> {
        let mut command = Command::new(program(&config.cmd));
        command
            .args(&config.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if let Some(dir) = &config.dir {
            command.current_dir(dir);
        }
        own_group(&mut command);
        let start_error = |error| EngineError::Start(config.cmd.clone(), error);
        let mut child = command.spawn().map_err(start_error)?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let (sender, lines) = sync_channel(LINES_AHEAD);
        if let Some(stdout) = stdout {
            let reader = thread::Builder::new().name("engine output".to_string());
            let spawned = reader.spawn(move || {
                let mut stdout = BufReader::new(stdout);
                let mut bytes = Vec::new();
                while matches!(stdout.read_until(b'\n', &mut bytes), Ok(n) if n > 0) {
                    let at = Instant::now();
                    let text = String::from_utf8_lossy(&bytes).trim().to_string();
                    if sender.send(Line { at, text }).is_err() {
                        break;
                    }
                    bytes.clear();
                }
            });
            if let Err(error) = spawned {
                let _ = child.kill();
                let _ = child.wait();
                return Err(start_error(error));
            }
        }
        let mut engine = Engine {
            child,
            stdin,
            lines,
            declared: Vec::new(),
            drop: config.drop,
            warnings: Vec::new(),
        };
        engine.send("usi");
        engine.await_word("usiok", HANDSHAKE, stop)?;
        for line in &config.init {
            engine.send(line);
        }
        engine.set_options(config, settings)?;
        engine.ready(stop)?;
        Ok(engine)
    }

    /// The spin options that the engine declares: name, and default, least and
    /// greatest value.
    pub fn spins(&self) -> impl Iterator<Item = (&str, [i64; 3])> {
        self.declared
            .iter()
            .filter_map(|option| Some((option.name.as_str(), option.spin?)))
    }

    /// What the engine warned of while it got ready, since this was asked last: a file
    /// that it cannot use, for instance.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    fn declares(&self, name: &str) -> Option<&DeclaredOption> {
        self.declared
            .iter()
            .find(|option| option.name.eq_ignore_ascii_case(name))
    }

    fn set_options(
        &mut self,
        config: &EngineConfig,
        settings: &[(&str, String)],
    ) -> Result<(), EngineError> {
        for (name, value) in settings {
            let chosen = |(option, _): &(String, String)| option.eq_ignore_ascii_case(name);
            if config.options.iter().any(chosen) {
                continue;
            }
            let Some(option) = self.declares(name) else {
                continue;
            };
            let fits = option.values.is_empty() || option.values.contains(value);
            if *name == "USI_Variant" && !fits {
                return Err(EngineError::NoVariant(value.clone()));
            }
            if fits {
                self.send(&format!("setoption name {name} value {value}"));
            }
        }
        for (name, value) in &config.options {
            let reserved = RESERVED.iter().any(|r| r.eq_ignore_ascii_case(name));
            if !reserved && self.declares(name).is_none() {
                return Err(EngineError::NoOption(name.clone()));
            }
            self.send(&format!("setoption name {name} value {value}"));
        }
        Ok(())
    }

    /// Says `isready` and waits for `readyok`.
    pub fn ready(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.send("isready");
        self.await_word("readyok", READY, stop)
    }

    /// Begins a game. What that costs the engine (clearing its table) is over
    /// when this returns, and not on the clock of its first move.
    pub fn new_game(&mut self, stop: &AtomicBool) -> Result<(), EngineError> {
        self.send("usinewgame");
        self.ready(stop)
    }

    /// Sends a line. An engine that does not take it has ended, which the next
    /// wait will tell.
    pub fn send(&mut self, line: &str) {
        if let Some(stdin) = &mut self.stdin
            && stdin.write_all(format!("{line}\n").as_bytes()).is_err()
        {
            self.stdin = None;
        }
    }

    /// Reads what the engine said unasked; true if there was a `bestmove`.
    pub fn drain(&mut self) -> bool {
        let mut unasked = false;
        loop {
            match self.lines.try_recv() {
                Ok(line) => unasked |= line.text.split(' ').next() == Some("bestmove"),
                Err(TryRecvError::Empty | TryRecvError::Disconnected) => return unasked,
            }
        }
    }

    fn wait(&self, deadline: Option<Instant>, stop: &AtomicBool) -> Wait {
        loop {
            if stop.load(Ordering::Relaxed) {
                return Wait::Stopped;
            }
            let slice = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()).min(POLL),
                None => POLL,
            };
            match self.lines.recv_timeout(slice) {
                Ok(line) => return Wait::Line(line),
                Err(RecvTimeoutError::Disconnected) => return Wait::Ended,
                Err(RecvTimeoutError::Timeout) => {
                    if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return Wait::Deadline;
                    }
                }
            }
        }
    }

    /// Waits for a line that is just this word. Options declared on the way are
    /// noted, and so are warnings.
    fn await_word(
        &mut self,
        word: &'static str,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<(), EngineError> {
        let deadline = Instant::now() + limit;
        loop {
            match self.wait(Some(deadline), stop) {
                Wait::Line(line) if line.text == word => return Ok(()),
                Wait::Line(line) => {
                    if let Some(option) = parse_option(&line.text) {
                        self.declared.push(option);
                    } else if let Some(warning) = parse_warning(&line.text) {
                        self.warnings.push(warning.to_string());
                    }
                }
                Wait::Deadline => return Err(EngineError::NoAnswer(word, limit.as_secs())),
                Wait::Ended => return Err(EngineError::Ended(word)),
                Wait::Stopped => return Err(EngineError::Stopped),
            }
        }
    }

    /// Sends the position and `go`; returns when the time began to run.
    pub fn go(&mut self, position: &str, go: &str) -> Instant {
        let position = match self.drop {
            Some(sign) => position.replace('*', &sign.to_string()),
            None => position.to_string(),
        };
        // One write: the engine does not wake up twice.
        let lines = format!("{position}\n{go}");
        let begun = Instant::now();
        self.send(&lines);
        begun
    }

    /// Waits for `bestmove` after [`Engine::go`] returned `begun`.
    pub fn await_bestmove(
        &mut self,
        begun: Instant,
        deadline: Instant,
        stop: &AtomicBool,
    ) -> Answer {
        let mut thought = None;
        loop {
            match self.wait(Some(deadline), stop) {
                Wait::Line(line) => {
                    let mut words = line.text.split_ascii_whitespace();
                    match words.next() {
                        Some("bestmove") => {
                            return Answer::BestMove {
                                words: words.map(str::to_string).collect(),
                                elapsed: line.at.saturating_duration_since(begun),
                                thought,
                            };
                        }
                        Some("info") => thought = parse_info(&line.text).or(thought),
                        _ => {}
                    }
                }
                Wait::Deadline => return Answer::Deadline,
                Wait::Ended => return Answer::Ended,
                Wait::Stopped => return Answer::Stopped,
            }
        }
    }

    /// Ends the process at once.
    pub fn kill(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.send("quit");
        self.stdin = None;
        let deadline = Instant::now() + QUIT_GRACE;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            // It may be waiting for us to read.
            self.drain();
            thread::sleep(Duration::from_millis(2));
        }
        self.kill();
    }
}

/// The program as the system finds it whatever the working directory is: a file
/// by its full path, anything else by the search path.
fn program(cmd: &str) -> PathBuf {
    let path = Path::new(cmd);
    if path.is_file() {
        std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
    } else {
        path.to_path_buf()
    }
}

#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt;
    command.process_group(0);
}

#[cfg(windows)]
fn own_group(command: &mut Command) {
    use std::os::windows::process::CommandExt;
    const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}

#[cfg(not(any(unix, windows)))]
fn own_group(_command: &mut Command) {}

/// Reads `option name X type combo default A var A var B`. Names may have blanks.
fn parse_option(line: &str) -> Option<DeclaredOption> {
    let rest = line.strip_prefix("option name ")?;
    let (name, kind) = rest.split_once(" type ")?;
    let values = kind.split(" var ").skip(1);
    let number = |word: &str| {
        let mut words = kind.split_ascii_whitespace();
        words.find(|&w| w == word)?;
        words.next()?.parse().ok()
    };
    let spin = || {
        let spin = [number("default")?, number("min")?, number("max")?];
        (spin[1] <= spin[2]).then_some(spin)
    };
    Some(DeclaredOption {
        name: name.trim().to_string(),
        values: values.map(|value| value.trim().to_string()).collect(),
        spin: kind.starts_with("spin").then(spin).flatten(),
    })
}

/// The text of an `info string` that begins as programs begin warnings and errors.
fn parse_warning(line: &str) -> Option<&str> {
    let text = line.strip_prefix("info string ")?;
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let words = ["warning", "error"];
    words
        .iter()
        .any(|known| word.eq_ignore_ascii_case(known))
        .then_some(text)
}

/// Reads an `info` line with a score of the main line; other lines tell nothing.
fn parse_info(line: &str) -> Option<Thought> {
    let mut words = line.split_ascii_whitespace();
    let mut thought = Thought::default();
    let mut score = None;
    while let Some(word) = words.next() {
        match word {
            "string" => break,
            "multipv" if words.next() != Some("1") => return None,
            "depth" => thought.depth = words.next()?.parse().ok()?,
            "seldepth" => thought.seldepth = words.next()?.parse().ok(),
            "nodes" => thought.nodes = words.next()?.parse().ok()?,
            "score" => {
                score = match (words.next()?, words.next()?) {
                    ("cp", value) => value.parse::<i32>().ok(),
                    // `mate +` and `mate -` have no length.
                    ("mate", value) if value.starts_with('-') => Some(-MATE_SCORE),
                    ("mate", _) => Some(MATE_SCORE),
                    _ => None,
                };
            }
            "pv" => {
                let line: Vec<&str> = words.by_ref().take(PV_LENGTH).collect();
                thought.pv = line.join(" ");
                break;
            }
            _ => {}
        }
    }
    thought.score = score?.clamp(-MATE_SCORE, MATE_SCORE);
    Some(thought)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_reports() {
        let thought = parse_info(
            "info depth 12 seldepth 20 time 15 nodes 2345 nps 1 hashfull 1 multipv 1 score cp -45 lowerbound pv 7g7f 3c3d",
        )
        .unwrap();
        assert_eq!(
            thought,
            Thought {
                score: -45,
                depth: 12,
                seldepth: Some(20),
                nodes: 2345,
                pv: "7g7f 3c3d".to_string()
            }
        );
        let score = |line| parse_info(line).map(|thought| thought.score);
        assert_eq!(score("info score mate -6 pv 7g7f"), Some(-MATE_SCORE));
        assert_eq!(score("info score mate +"), Some(MATE_SCORE));
        assert_eq!(score("info score cp 99999"), Some(MATE_SCORE));
        for line in [
            "info depth 3",
            "info multipv 2 score cp 5 pv 7g7f",
            "info string score cp 5",
            "info score",
            "info score cp x",
            "info",
        ] {
            assert_eq!(score(line), None, "{line}");
        }
    }

    #[test]
    fn reads_warnings() {
        for (line, warning) in [
            ("info string warning: no file", Some("warning: no file")),
            ("info string Error!: no file", Some("Error!: no file")),
            ("info string warnings are off", None),
            ("info string no error", None),
            ("info depth 1", None),
            ("info string ", None),
        ] {
            assert_eq!(parse_warning(line), warning, "{line}");
        }
    }

    #[test]
    fn reads_options() {
        let option =
            parse_option("option name USI_Variant type combo default shogi var shogi var mini")
                .unwrap();
        assert_eq!(option.name, "USI_Variant");
        assert_eq!(option.values, ["shogi", "mini"]);
        let option = parse_option("option name Clear Hash type button").unwrap();
        assert_eq!(option.name, "Clear Hash");
        assert!(option.values.is_empty());
        let option = parse_option("option name N type spin default -1 min -5 max 9").unwrap();
        assert_eq!(option.spin, Some([-1, -5, 9]));
        for line in [
            "option name N type spin",
            "option name N type spin default 1 min 5 max 0",
        ] {
            assert_eq!(parse_option(line).unwrap().spin, None, "{line}");
        }
        assert!(parse_option("id name X").is_none());
    }
}
