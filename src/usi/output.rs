//! Writing protocol lines.
//!
//! All threads write through one [`Output`]. A line goes out under a lock, in one
//! write call, and is flushed, so that lines never mix and a GUI sees each at
//! once. A broken pipe is ignored: the end of the input says that the GUI is gone.
//! Standard error stays empty, because many runners never read it and a full pipe
//! would block the engine.
//!
//! The formats of `info` and `bestmove` are those that every known GUI reads
//! (将棋所, "USIプロトコル"): `score` before `pv`, `pv` last, mates in plies, no word
//! that is not in the protocol.

use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::core::score::Usi;
use crate::game::GameMove;
use crate::search::info::{BestMove, Bound, Info, Outcome, Reporter};

/// Time between two empty lines that keep a waiting GUI patient.
const KEEP_ALIVE: Duration = Duration::from_secs(3);

/// Longest text of an `info string`, in characters.
const NOTE_LENGTH: usize = 300;

/// The one place that lines leave the engine through.
pub struct Output {
    sink: Mutex<Box<dyn Write + Send>>,
    log: Mutex<Option<File>>,
    begin: Instant,
}

/// A lock that another thread died with still guards a usable writer.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Output {
    /// Writes to `sink`.
    pub fn new(sink: Box<dyn Write + Send>) -> Self {
        Output {
            sink: Mutex::new(sink),
            log: Mutex::new(None),
            begin: Instant::now(),
        }
    }

    /// Writes one line.
    pub fn line(&self, text: &str) {
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        let mut sink = lock(&self.sink);
        // Nobody is left to tell about a broken pipe.
        let _ = sink.write_all(line.as_bytes()).and_then(|()| sink.flush());
        self.log('<', text.as_bytes());
    }

    /// Writes an `info string` line. `text` may quote what came from outside:
    /// control characters become blanks, and it is cut at a length that GUIs show.
    pub fn note(&self, text: &str) {
        let text: String = text
            .chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .take(NOTE_LENGTH)
            .collect();
        self.line(&format!("info string {}", text.trim_end()));
    }

    /// Notes a line that came in, if there is a log.
    pub fn log_input(&self, line: &[u8]) {
        self.log('>', line.trim_ascii_end());
    }

    /// Writes to the log: milliseconds, direction, line.
    fn log(&self, direction: char, text: &[u8]) {
        if let Some(file) = lock(&self.log).as_mut() {
            let mut line =
                format!("{} {direction} ", self.begin.elapsed().as_millis()).into_bytes();
            line.extend_from_slice(text);
            line.push(b'\n');
            // A full disk must not end a game.
            let _ = file.write_all(&line);
        }
    }

    /// Appends the dialogue to a file from now on; an empty path ends that.
    ///
    /// # Errors
    /// When the file cannot be opened. Then there is no log.
    pub fn set_log(&self, path: &str) -> io::Result<()> {
        let mut log = lock(&self.log);
        *log = None;
        if !path.is_empty() {
            *log = Some(
                OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(Path::new(path))?,
            );
        }
        Ok(())
    }

    /// Does slow work. Prints an empty line every few seconds meanwhile, since
    /// GUIs give up on an engine that is silent.
    pub fn keep_alive_during<T>(&self, work: impl FnOnce() -> T) -> T {
        let (done, finished) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            // Without a thread for it, the work is done in silence.
            let _ = std::thread::Builder::new().spawn_scoped(scope, move || {
                // The sender is dropped when the work is done.
                while finished.recv_timeout(KEEP_ALIVE) == Err(RecvTimeoutError::Timeout) {
                    self.line("");
                }
            });
            let result = work();
            drop(done);
            result
        })
    }
}

/// Formats a report as an `info` line.
pub fn format_info<M: GameMove>(info: &Info<M>) -> String {
    let nps = match info.time {
        0 => 0,
        time => (u128::from(info.nodes) * 1000 / u128::from(time)) as u64,
    };
    let mut line = format!(
        "info depth {} seldepth {} time {} nodes {} nps {nps} hashfull {}",
        info.depth, info.seldepth, info.time, info.nodes, info.hashfull
    );
    // Writing to a string cannot fail.
    if info.multi_pv_count > 1 {
        let _ = write!(line, " multipv {}", info.multi_pv);
    }
    let _ = write!(line, " score {}", Usi(info.score));
    match info.bound {
        Bound::Exact => {}
        Bound::Lower => line.push_str(" lowerbound"),
        Bound::Upper => line.push_str(" upperbound"),
    }
    if !info.pv.is_empty() {
        line.push_str(" pv");
        for m in &info.pv {
            let _ = write!(line, " {m}");
        }
    }
    line
}

/// Formats an answer as a `bestmove` line.
pub fn format_best<M: GameMove>(best: &BestMove<M>) -> String {
    match best {
        BestMove::Move { best, ponder: None } => format!("bestmove {best}"),
        BestMove::Move {
            best,
            ponder: Some(ponder),
        } => format!("bestmove {best} ponder {ponder}"),
        BestMove::Resign => "bestmove resign".to_string(),
        BestMove::Win => "bestmove win".to_string(),
    }
}

/// What one search, for a move or for a mate, says and when it is over.
pub struct SearchSink {
    output: Arc<Output>,
    muted: bool,
    running: AtomicBool,
    finished: Mutex<Option<Instant>>,
}

impl SearchSink {
    /// A sink for a search about to start. A muted one prints nothing, not even
    /// the answer: for a search that the GUI does not know of.
    pub fn new(output: Arc<Output>, muted: bool) -> Arc<Self> {
        Arc::new(SearchSink {
            output,
            muted,
            running: AtomicBool::new(true),
            finished: Mutex::new(None),
        })
    }

    /// Whether the answer is still owed.
    pub fn is_running(&self) -> bool {
        self.running.load(Ordering::Acquire)
    }

    /// When the answer was given.
    pub fn finished_at(&self) -> Option<Instant> {
        *lock(&self.finished)
    }

    /// Prints a line of progress.
    pub fn line(&self, text: &str) {
        if !self.muted {
            self.output.line(text);
        }
    }

    /// Prints the answer. The search counts as over just before the line is
    /// out, so that no command which replies to it finds it still running.
    pub fn answer(&self, line: &str) {
        *lock(&self.finished) = Some(Instant::now());
        self.running.store(false, Ordering::Release);
        if !self.muted {
            self.output.line(line);
        }
    }
}

impl<M: GameMove> Reporter<M> for SearchSink {
    fn info(&self, info: &Info<M>) {
        if !self.muted {
            self.output.line(&format_info(info));
        }
    }

    fn note(&self, text: &str) {
        if !self.muted {
            self.output.note(text);
        }
    }

    fn finished(&self, outcome: &Outcome<M>) {
        self.answer(&format_best(&outcome.best));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt;

    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Named(&'static str);

    impl fmt::Display for Named {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl GameMove for Named {
        fn to_bits(self) -> u16 {
            1
        }
        fn from_bits(_: u16) -> Option<Self> {
            None
        }
        fn to_index(self) -> usize {
            0
        }
        fn is_drop(self) -> bool {
            false
        }
        fn is_promotion(self) -> bool {
            false
        }
    }

    fn info() -> Info<Named> {
        Info {
            depth: 12,
            seldepth: 20,
            multi_pv: 1,
            multi_pv_count: 1,
            score: 45,
            bound: Bound::Exact,
            time: 1534,
            nodes: 2_345_678,
            hashfull: 123,
            pv: vec![Named("7g7f"), Named("3c3d")],
        }
    }

    #[test]
    fn info_lines() {
        assert_eq!(
            format_info(&info()),
            "info depth 12 seldepth 20 time 1534 nodes 2345678 nps 1529125 hashfull 123 \
             score cp 45 pv 7g7f 3c3d"
        );
        let line = format_info(&Info {
            multi_pv: 2,
            multi_pv_count: 3,
            score: -crate::core::score::mate_in(6),
            bound: Bound::Upper,
            time: 0,
            pv: Vec::new(),
            ..info()
        });
        assert_eq!(
            line,
            "info depth 12 seldepth 20 time 0 nodes 2345678 nps 0 hashfull 123 multipv 2 \
             score mate -6 upperbound"
        );
    }

    #[test]
    fn answers() {
        let best = Named("7g7f");
        let ponder = Some(Named("3c3d"));
        assert_eq!(
            format_best(&BestMove::Move { best, ponder }),
            "bestmove 7g7f ponder 3c3d"
        );
        let ponder = None;
        assert_eq!(
            format_best(&BestMove::Move { best, ponder }),
            "bestmove 7g7f"
        );
        assert_eq!(format_best(&BestMove::<Named>::Resign), "bestmove resign");
        assert_eq!(format_best(&BestMove::<Named>::Win), "bestmove win");
    }

    /// Counts the write calls.
    struct Recorder(Arc<Mutex<Vec<Vec<u8>>>>);

    impl Write for Recorder {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            lock(&self.0).push(bytes.to_vec());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_is_one_write() {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let output = Output::new(Box::new(Recorder(Arc::clone(&calls))));
        output.line("readyok");
        output.note("two\nlines");
        assert_eq!(
            *lock(&calls),
            [b"readyok\n".to_vec(), b"info string two lines\n".to_vec()]
        );
        assert_eq!(output.keep_alive_during(|| 7), 7);
        assert_eq!(lock(&calls).len(), 2);
    }

    #[test]
    fn the_log_has_both_directions() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let output = Output::new(Box::new(io::sink()));
        output.set_log(file.path().to_str().unwrap()).unwrap();
        output.log_input(b"usi\r\n");
        output.line("usiok");
        output.set_log("").unwrap();
        output.line("not logged");
        let text = std::fs::read_to_string(file.path()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].ends_with("> usi") && lines[1].ends_with("< usiok"));
        assert!(output.set_log("/no such folder/log").is_err());
    }

    #[test]
    fn a_muted_search_is_silent() {
        let calls = Arc::new(Mutex::new(Vec::new()));
        let output = Arc::new(Output::new(Box::new(Recorder(Arc::clone(&calls)))));
        let sink = SearchSink::new(output, true);
        Reporter::info(&*sink, &info());
        assert!(sink.is_running());
        sink.answer("bestmove 7g7f");
        assert!(!sink.is_running() && sink.finished_at().is_some());
        assert!(lock(&calls).is_empty());
    }
}
