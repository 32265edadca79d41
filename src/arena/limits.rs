//! Time controls: what an engine may spend on its moves, and its clock.
//!
//! All times are in milliseconds. A clock has main time, an increment that is
//! added before every move (Fischer; the first move included, as in CSA's rules),
//! and byoyomi, which is there anew for every move. USI tells an engine its main
//! time without the increment of the current move.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::core::Color;

/// What an engine may spend on its moves. Limits may be combined: the first one
/// reached ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Main time, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<u64>,
    /// Time added before each move, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inc: Option<u64>,
    /// Time for each move when the main time is used up, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byoyomi: Option<u64>,
    /// Exact time for each move, ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u64>,
    /// Nodes for each move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    /// Depth of each search, plies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
}

impl Limits {
    /// Whether nothing limits the search.
    pub fn is_empty(&self) -> bool {
        *self == Limits::default()
    }

    /// Whether there is a clock.
    pub fn has_clock(&self) -> bool {
        self.time.is_some() || self.inc.is_some() || self.byoyomi.is_some()
    }

    /// Sets the limit with this name; false when there is none or the value is no
    /// number.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let field = match name {
            "time" => &mut self.time,
            "inc" => &mut self.inc,
            "byoyomi" => &mut self.byoyomi,
            "movetime" => &mut self.movetime,
            "nodes" => &mut self.nodes,
            "depth" => {
                self.depth = value.parse().ok();
                return self.depth.is_some();
            }
            _ => return false,
        };
        *field = value.parse().ok();
        field.is_some()
    }

    /// The names that [`Limits::set`] knows.
    pub const NAMES: [&str; 6] = ["time", "inc", "byoyomi", "movetime", "nodes", "depth"];
}

impl fmt::Display for Limits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = [
            self.time,
            self.inc,
            self.byoyomi,
            self.movetime,
            self.nodes,
            self.depth.map(u64::from),
        ];
        let mut separator = "";
        for (name, value) in Limits::NAMES.iter().zip(values) {
            if let Some(value) = value {
                write!(f, "{separator}{name} {value}")?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// One side's clock in a game.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    limits: Limits,
    /// Main time left.
    left: Duration,
}

impl Clock {
    /// The clock at the start of a game.
    pub fn new(limits: Limits) -> Clock {
        Clock {
            limits,
            left: Duration::from_millis(limits.time.unwrap_or(0)),
        }
    }

    fn increment(&self) -> Duration {
        Duration::from_millis(self.limits.inc.unwrap_or(0))
    }

    /// What may be spent on the next move; `None` for as long as it takes.
    pub fn allowance(&self) -> Option<Duration> {
        let clock = self.limits.has_clock().then(|| {
            let byoyomi = Duration::from_millis(self.limits.byoyomi.unwrap_or(0));
            self.left
                .saturating_add(self.increment())
                .saturating_add(byoyomi)
        });
        let movetime = self.limits.movetime.map(Duration::from_millis);
        match (clock, movetime) {
            (Some(clock), Some(movetime)) => Some(clock.min(movetime)),
            (clock, movetime) => clock.or(movetime),
        }
    }

    /// Takes the time used for a move off the clock.
    pub fn spend(&mut self, used: Duration) {
        self.left = self
            .left
            .saturating_add(self.increment())
            .saturating_sub(used);
    }

    /// What the player may spend in the whole game and for each move.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Main time left, ms.
    pub fn left_ms(&self) -> u128 {
        self.left.as_millis()
    }
}

/// The `go` line for the side to move; clocks by colour.
pub fn go_line(clocks: &[Clock; 2], mover: Color) -> String {
    use fmt::Write;
    let limits = clocks[mover.index()].limits;
    let mut line = "go".to_string();
    if limits.has_clock() {
        let _ = write!(
            line,
            " btime {} wtime {}",
            clocks[0].left_ms(),
            clocks[1].left_ms()
        );
        // The protocol has either; both only when both are really in force.
        if limits.inc.is_some() {
            let [binc, winc] = clocks.map(|clock| clock.limits.inc.unwrap_or(0));
            let _ = write!(line, " binc {binc} winc {winc}");
        }
        if limits.inc.is_none() || limits.byoyomi.is_some() {
            let _ = write!(line, " byoyomi {}", limits.byoyomi.unwrap_or(0));
        }
    }
    if let Some(movetime) = limits.movetime {
        let _ = write!(line, " movetime {movetime}");
    }
    if let Some(nodes) = limits.nodes {
        let _ = write!(line, " nodes {nodes}");
    }
    if let Some(depth) = limits.depth {
        let _ = write!(line, " depth {depth}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(words: &str) -> Limits {
        let mut limits = Limits::default();
        for word in words.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap();
            assert!(limits.set(name, value));
        }
        limits
    }

    #[test]
    fn byoyomi_comes_after_the_main_time() {
        let mut clock = Clock::new(limits("time=1000 byoyomi=500"));
        let ms = |ms| Some(Duration::from_millis(ms));
        assert_eq!(clock.allowance(), ms(1500));
        clock.spend(Duration::from_millis(900));
        assert_eq!(clock.allowance(), ms(600));
        clock.spend(Duration::from_millis(550));
        assert_eq!(clock.allowance(), ms(500));
        clock.spend(Duration::from_millis(100));
        assert_eq!(clock.allowance(), ms(500));
    }

    #[test]
    fn increments_come_before_the_move() {
        let mut clock = Clock::new(limits("time=1000 inc=100"));
        assert_eq!(clock.allowance(), Some(Duration::from_millis(1100)));
        clock.spend(Duration::from_millis(50));
        assert_eq!(clock.left_ms(), 1050);
    }

    #[test]
    fn go_lines() {
        let nodes = Clock::new(limits("nodes=500"));
        let byoyomi = Clock::new(limits("byoyomi=100"));
        let fischer = Clock::new(limits("time=9000 inc=50 depth=8"));
        assert_eq!(go_line(&[nodes, byoyomi], Color::Black), "go nodes 500");
        assert_eq!(nodes.allowance(), None);
        assert_eq!(
            go_line(&[nodes, byoyomi], Color::White),
            "go btime 0 wtime 0 byoyomi 100"
        );
        assert_eq!(
            go_line(&[fischer, byoyomi], Color::Black),
            "go btime 9000 wtime 0 binc 50 winc 0 depth 8"
        );
        let exact = Clock::new(limits("movetime=70"));
        assert_eq!(go_line(&[exact, exact], Color::Black), "go movetime 70");
        assert_eq!(exact.allowance(), Some(Duration::from_millis(70)));
    }

    #[test]
    fn bad_limits() {
        let mut limits = Limits::default();
        assert!(!limits.set("nodes", "-1"));
        assert!(!limits.set("speed", "1"));
        assert!(!limits.set("depth", "x"));
        assert!(limits.is_empty());
    }
}
