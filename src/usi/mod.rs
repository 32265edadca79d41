//! The USI protocol (将棋所, "USIプロトコル"): how GUIs, servers and match runners
//! talk to the engine.
//!
//! * [`parse`] turns bytes into commands, whatever they are;
//! * [`session`] is the state machine that obeys them: what may arrive while a
//!   search runs, and what it then means;
//! * [`options`] is the table of the options;
//! * [`driver`] holds the game and its search behind an object-safe trait, so that
//!   `USI_Variant` can exchange them;
//! * [`shelf`] holds the opening book that the options ask for;
//! * [`evaluation`] holds the evaluation that they ask for;
//! * [`mate`] answers `go mate`;
//! * [`output`] writes lines, one at a time.
//!
//! Three kinds of threads are at work. The *reader* does nothing but read lines,
//! so that no line is ever waited for; the *session* obeys them in order and is
//! never long busy, as the search runs in threads of its own, which print their
//! reports and their answer themselves.

pub mod driver;
pub mod evaluation;
pub mod mate;
pub mod options;
pub mod output;
pub mod parse;
pub mod session;
pub mod shelf;

use std::io::{self, BufRead, BufReader};
use std::process::ExitCode;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::perft::Progress;
use output::Output;
use parse::{Command, parse_line};
use session::{Flow, Session};

/// After `quit`, what has not ended by then is cut off.
const QUIT_GRACE: Duration = Duration::from_millis(80);

/// Lines that come within this time of the one being obeyed were written
/// together with it: a script that wants each of them done, not a user who lost
/// patience.
const SCRIPT_GAP: Duration = Duration::from_millis(50);

/// Speaks USI on standard input and output until `quit` or the end of input.
pub fn run() -> ExitCode {
    let output = Arc::new(Output::new(Box::new(io::stdout())));
    let busy = Arc::new(Busy::default());
    let (sender, lines) = mpsc::channel();
    let reader = thread::Builder::new().name("reader".to_string()).spawn({
        let (output, busy) = (Arc::clone(&output), Arc::clone(&busy));
        move || read_lines(&sender, &output, &busy)
    });
    if reader.is_err() {
        output.note("warning: cannot start a thread to read the input");
        return ExitCode::FAILURE;
    }
    let mut session = Session::new(output, busy);
    for (command, read_at) in lines {
        if session.execute(command, read_at) == Flow::Quit {
            break;
        }
    }
    session.close();
    // The process ends: giving back a large table piece by piece is for nothing.
    std::mem::forget(session);
    ExitCode::SUCCESS
}

/// Passes lines on until `quit` or the end of the input, then sees to it that the
/// process ends.
fn read_lines(sender: &Sender<(Command, Instant)>, output: &Output, busy: &Busy) {
    let mut input = BufReader::with_capacity(1 << 16, io::stdin());
    let mut line = Vec::new();
    loop {
        line.clear();
        // The last line may lack its end. A broken input has ended.
        let ended = !matches!(input.read_until(b'\n', &mut line), Ok(n) if n > 0);
        let command = if ended {
            Command::Quit
        } else {
            output.log_input(&line);
            parse_line(&line)
        };
        let now = Instant::now();
        let quit = command == Command::Quit;
        if quit || command == Command::Stop {
            busy.interrupt(now);
        }
        if sender.send((command, now)).is_err() {
            return;
        }
        if quit {
            busy.wait_for_the_end(now);
            std::process::exit(0);
        }
    }
}

/// What the session does in its own thread that may take long (`isready`,
/// `bench`, `perft`), for the reader to interrupt.
#[derive(Default)]
pub struct Busy(Mutex<BusyState>);

#[derive(Default)]
struct BusyState {
    job: Option<Job>,
    last_end: Option<Instant>,
}

struct Job {
    read_at: Instant,
    progress: Arc<Progress>,
}

impl Job {
    fn is_scripted(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) < SCRIPT_GAP
    }
}

impl Busy {
    fn with<T>(&self, f: impl FnOnce(&mut BusyState) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Does slow work for a line that was read at `read_at`. It should end when
    /// the progress that it is given says stop.
    pub fn during<T>(&self, read_at: Instant, work: impl FnOnce(&Progress) -> T) -> T {
        let progress = Arc::new(Progress::default());
        self.with(|state| {
            state.job = Some(Job {
                read_at,
                progress: Arc::clone(&progress),
            });
        });
        let result = work(&progress);
        self.with(|state| {
            state.job = None;
            state.last_end = Some(Instant::now());
        });
        result
    }

    /// Stops the work, unless the line that asks for it comes from a script.
    fn interrupt(&self, now: Instant) {
        self.with(|state| {
            if let Some(job) = state.job.as_ref().filter(|job| !job.is_scripted(now)) {
                job.progress
                    .stop
                    .store(true, std::sync::atomic::Ordering::Relaxed);
            }
        });
    }

    /// Returns when the session had its time to end after a `quit`, and all the
    /// time it needs to finish a script first.
    fn wait_for_the_end(&self, quit_at: Instant) {
        loop {
            thread::sleep(Duration::from_millis(5));
            let over = self.with(|state| {
                let scripted = state
                    .job
                    .as_ref()
                    .is_some_and(|job| job.is_scripted(quit_at));
                let begin = state.last_end.map_or(quit_at, |end| end.max(quit_at));
                !scripted && begin.elapsed() >= QUIT_GRACE
            });
            if over {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn only_a_person_interrupts() {
        let busy = Busy::default();
        let read_at = Instant::now();
        busy.during(read_at, |progress| {
            busy.interrupt(read_at + Duration::from_millis(10));
            assert!(!progress.stop.load(Ordering::Relaxed));
            busy.interrupt(read_at + Duration::from_millis(500));
            assert!(progress.stop.load(Ordering::Relaxed));
        });
        // Nothing to interrupt.
        busy.interrupt(Instant::now());
    }

    #[test]
    fn a_script_is_finished_before_the_end() {
        let busy = Arc::new(Busy::default());
        let read_at = Instant::now();
        let worker = thread::spawn({
            let busy = Arc::clone(&busy);
            move || busy.during(read_at, |_| thread::sleep(Duration::from_millis(300)))
        });
        thread::sleep(Duration::from_millis(30));
        busy.wait_for_the_end(read_at);
        assert!(read_at.elapsed() >= Duration::from_millis(300));
        worker.join().unwrap();
    }
}
