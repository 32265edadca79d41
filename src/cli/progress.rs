//! Progress bars and Ctrl-C for long commands.
//!
//! The bar goes to stderr and only when that is a terminal, so that piped output
//! stays clean. The first Ctrl-C asks the work to stop and lets the command print
//! what it has; a second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};

/// Set by Ctrl-C once [`watch_for_interrupt`] was called.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Turns Ctrl-C into a flag that [`interrupted`] reads.
pub fn watch_for_interrupt() -> anyhow::Result<()> {
    ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot watch for Ctrl-C")
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The flag behind [`interrupted`], for work that looks at it itself.
pub fn interrupt_flag() -> &'static AtomicBool {
    &INTERRUPTED
}

/// Runs `work` with a progress bar, calling `tick` ten times a second on another
/// thread to bring the bar up to date.
pub fn with_bar<T>(tick: impl Fn(&ProgressBar) + Sync, work: impl FnOnce() -> T) -> T {
    let bar = ProgressBar::new(0);
    bar.set_style(
        ProgressStyle::with_template("{wide_bar} {pos}/{len} {elapsed} (left {eta}) {msg}")
            .expect("a valid template"),
    );
    let finished = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        let ticker = scope.spawn(|| {
            while !finished.load(Ordering::Acquire) {
                tick(&bar);
                thread::park_timeout(Duration::from_millis(100));
            }
        });
        let result = work();
        finished.store(true, Ordering::Release);
        ticker.thread().unpark();
        result
    });
    bar.finish_and_clear();
    result
}
