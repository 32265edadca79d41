//! When a mate search gives up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Limits of one search; without any, it runs until it knows.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Positions to look at, at most.
    pub nodes: Option<u64>,
    /// The end of the time.
    pub deadline: Option<Instant>,
    /// Ends the search at once when set.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Limits {
    /// Whether to give up after so many nodes.
    pub(super) fn reached(&self, nodes: u64) -> bool {
        self.nodes.is_some_and(|limit| nodes >= limit)
            || self
                .stop
                .as_ref()
                .is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|end| Instant::now() >= end)
    }
}
