//! When a mate search gives up, and what it tells meanwhile.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::dfpn::Dfpn;
use crate::game::MateGame;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Nodes so far.
    pub nodes: u64,
    /// The deepest ply reached.
    pub deepest: usize,
    /// Filling of the table, per mille.
    pub fill: u32,
    /// Time since the limits were made.
    pub time: Duration,
    /// The length of a mate that was found and may become shorter, in plies.
    pub length: Option<usize>,
}

type Report = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Limits of one search; without any, it runs until it knows.
#[derive(Clone)]
pub struct Limits {
    /// Nodes to search, at most.
    pub nodes: Option<u64>,
    /// The end of the time.
    pub deadline: Option<Instant>,
    /// Ends the search at once when set.
    pub stop: Option<Arc<AtomicBool>>,
    /// Positions of a proof to measure the longest defence in, at most.
    pub(super) measured: usize,
    since: Instant,
    report: Option<Report>,
    /// Milliseconds at which the next report is due.
    next_report: Arc<AtomicU64>,
}

/// Nodes between two looks at the clock.
const POLL: u64 = 512;
/// Time between two reports, in milliseconds.
const REPORT_EVERY: u64 = 1000;

impl Default for Limits {
    fn default() -> Self {
        Limits {
            nodes: None,
            deadline: None,
            stop: None,
            measured: usize::MAX,
            since: Instant::now(),
            report: None,
            next_report: Arc::new(AtomicU64::new(REPORT_EVERY)),
        }
    }
}

impl fmt::Debug for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("nodes", &self.nodes)
            .field("deadline", &self.deadline)
            .field("stop", &self.stop)
            .finish_non_exhaustive()
    }
}

impl Limits {
    /// Limits of which any may be missing.
    pub fn new(
        nodes: Option<u64>,
        deadline: Option<Instant>,
        stop: Option<Arc<AtomicBool>>,
    ) -> Self {
        Limits {
            nodes,
            deadline,
            stop,
            ..Limits::default()
        }
    }

    /// No limits but these nodes.
    pub fn nodes(nodes: u64) -> Self {
        Limits::new(Some(nodes), None, None)
    }

    /// No limits but this time from now on.
    pub fn time(time: Duration) -> Self {
        Limits::new(None, Instant::now().checked_add(time), None)
    }

    /// Has `report` called about once a second, with times from `since`.
    pub fn reporting(
        mut self,
        since: Instant,
        report: impl Fn(&Progress) + Send + Sync + 'static,
    ) -> Self {
        self.since = since;
        self.report = Some(Arc::new(report));
        self
    }

    /// The same limits, but no more than so many nodes.
    pub(super) fn within(mut self, nodes: u64) -> Self {
        self.nodes = Some(self.nodes.map_or(nodes, |limit| limit.min(nodes)));
        self
    }

    /// Whether to give up after so many nodes.
    pub(super) fn reached(&self, nodes: u64) -> bool {
        self.nodes.is_some_and(|limit| nodes >= limit) || self.interrupted()
    }

    /// The node count at which to ask again.
    pub(super) fn next_look(&self, nodes: u64) -> u64 {
        let regular = nodes + POLL;
        self.nodes
            .map_or(regular, |limit| regular.min(limit.max(nodes + 1)))
    }

    /// Whether the search was stopped or its time is over.
    pub(super) fn interrupted(&self) -> bool {
        (self.stop.as_ref()).is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    /// The time, when a report is due.
    pub(super) fn report_due(&self) -> Option<Duration> {
        self.report.as_ref()?;
        let time = self.since.elapsed();
        let now = time.as_millis() as u64;
        (now >= self.next_report.load(Ordering::Relaxed)).then_some(time)
    }

    /// Sends a report.
    pub(super) fn report(&self, progress: &Progress) {
        if let Some(report) = &self.report {
            report(progress);
            let next = progress.time.as_millis() as u64 + REPORT_EVERY;
            self.next_report.store(next, Ordering::Relaxed);
        }
    }

    /// Reports a mate that was found.
    pub(super) fn report_mate<G: MateGame>(&self, search: &Dfpn<G>, length: usize) {
        let progress = search.progress(self.since.elapsed());
        self.report(&Progress {
            length: Some(length),
            ..progress
        });
    }
}
