//! How much of the clock one move may use.
//!
//! [`TimePlan::new`] turns a clock into two numbers: the *target*, after which no
//! new iteration begins (scaled by how settled the search is), and the *hard*
//! limit, at which the search is broken off. Servers and GUIs charge for the
//! way there and back, some round to whole seconds, and clocks can be tiny, so
//! the hard limit always lies within what is there, less a margin that shrinks
//! with it. [`TimePlan`] is pure; the `Timer` applies it. Times are milliseconds.
//!
//! The options behind it are those of YaneuraOu, whose users know them:
//! `NetworkDelay`, `NetworkDelay2`, `MinimumThinkingTime`, `SlowMover`,
//! `RoundUpToFullSecond`.

use std::time::Instant;

use super::limits::{Clock, SearchOptions};
use super::params::{
    GAME_PLIES, HARD_LIMIT_FACTOR, MOVES_TO_GO, PONDERHIT_TIME, SCORE_DROP, SCORE_DROP_MAX,
    STABILITY_MAX, STABILITY_MIN, STABILITY_STEP,
};
use super::pool::Job;
use crate::core::{Color, Score};
use crate::game::Game;

/// Full seconds are this many milliseconds.
const SECOND: u64 = 1000;

/// The time that one search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePlan {
    /// No new iteration begins after this (scaled by [`scale`]).
    pub target: u64,
    /// The search is broken off here.
    pub hard: u64,
    /// The time is lost when it is not used, so use all of it.
    pub use_all: bool,
    /// The clock counts whole seconds: the rest of a second begun is free, but
    /// for this delay.
    round_up_delay: Option<u64>,
}

impl TimePlan {
    /// Exactly this long.
    pub fn fixed(time: u64) -> Self {
        TimePlan {
            target: time,
            hard: time,
            use_all: true,
            round_up_delay: None,
        }
    }

    /// The plan of `side`, whose move number `ply` comes next.
    pub fn new(clock: &Clock, side: Color, ply: u32, options: &SearchOptions) -> Self {
        let milliseconds = |value: i64| value.max(0) as u64;
        let main = milliseconds(clock.time[side.index()]);
        let increment = milliseconds(clock.increment[side.index()]);
        let byoyomi = milliseconds(clock.byoyomi);
        let available = main.saturating_add(increment).saturating_add(byoyomi);
        let limit = available.saturating_sub(margin(available, options.network_delay2));

        // A clock that has ever shown part of a second counts finer than that.
        let whole_seconds = options.round_up_to_full_second
            && [main, increment, byoyomi]
                .iter()
                .all(|time| time % SECOND == 0);
        let round_up_delay = whole_seconds.then_some(options.network_delay);

        // Byoyomi comes back each move. When the main time is worth hardly one
        // byoyomi more, the one long think is now.
        if byoyomi > 0 && main < byoyomi.saturating_mul(6) / 5 {
            return TimePlan {
                round_up_delay,
                ..Self::fixed(limit)
            };
        }

        let (fewest, most) = MOVES_TO_GO;
        let moves = (u64::from(GAME_PLIES.saturating_sub(ply)) / 2).clamp(fewest, most);
        let gain = increment.saturating_add(byoyomi);
        let share = (main / moves)
            .saturating_add(gain)
            .saturating_sub(options.network_delay);
        // A long minimum must not eat up a short main time.
        let least = options
            .minimum_thinking_time
            .min(gain.saturating_add(main / 10));
        let target = (share.saturating_mul(options.slow_mover) / 100).max(least);
        let mut hard = target.saturating_mul(HARD_LIMIT_FACTOR).min(limit);
        if byoyomi == 0 {
            // Without byoyomi an empty clock loses: keep a reserve, of one
            // increment where there is one.
            let most = main / 10 * 6 + increment / 10 * 8;
            hard = hard.min(most.min(main.max(increment / 10 * 8)));
        }
        TimePlan {
            target: target.min(hard),
            hard,
            use_all: false,
            round_up_delay,
        }
    }

    /// Of two plans, the limits that come first.
    pub fn min(self, other: Self) -> Self {
        TimePlan {
            target: self.target.min(other.target),
            hard: self.hard.min(other.hard),
            use_all: self.use_all && other.use_all,
            round_up_delay: self.round_up_delay.and(other.round_up_delay),
        }
    }

    /// Whether a search that is `elapsed` old may end between iterations.
    pub fn is_enough(&self, elapsed: u64, scale: f64) -> bool {
        !self.use_all && elapsed as f64 >= self.target as f64 * scale
    }

    /// When a search ends that had enough at `elapsed`: at once, or with the
    /// second begun where only whole ones are counted.
    pub fn end(&self, elapsed: u64) -> u64 {
        match self.round_up_delay {
            Some(delay) => (elapsed.div_ceil(SECOND).max(1) * SECOND)
                .saturating_sub(delay)
                .max(elapsed)
                .min(self.hard),
            None => elapsed,
        }
    }
}

/// What is kept of `available` for delays: `worst_delay`, but less than a third
/// of a short time; and some milliseconds always, for the machine.
fn margin(available: u64, worst_delay: u64) -> u64 {
    let network = worst_delay.min((available / 10).saturating_mul(3) + 5);
    network.max((available / 4).min(15))
}

/// By how much the target is stretched: less when the best move stayed the same
/// for `stable` iterations, more when the score fell by `drop` centipawns.
pub fn scale(stable: u32, drop: Score) -> f64 {
    let stability = (STABILITY_MAX - STABILITY_STEP * f64::from(stable)).max(STABILITY_MIN);
    stability + (f64::from(drop) / SCORE_DROP).clamp(0.0, SCORE_DROP_MAX)
}

/// Watches the clock during one search, for its main thread.
///
/// While pondering no time counts; a `ponderhit` starts the clock, and credits
/// what was thought before.
pub(super) struct Timer {
    /// When `go` came.
    go: Instant,
    /// When our clock began to run.
    since: Instant,
    plan: Option<TimePlan>,
    /// When the search ends that has enough, since the clock began.
    deadline: Option<u64>,
    /// Whether the opponent's time is being used.
    pub pondering: bool,
    /// Whether the limits come from a clock (so that unused time is saved).
    pub clocked: bool,
    /// Node count at which to look at the clock again.
    pub next_check: u64,
}

impl Timer {
    pub fn new<G: Game>(job: &Job<G>) -> Self {
        let mut timer = Timer {
            go: job.start,
            since: job.start,
            plan: None,
            deadline: None,
            pondering: job.limits.ponder,
            clocked: false,
            next_check: 0,
        };
        if !timer.pondering {
            timer.arm(job, job.limits.clock);
        }
        timer
    }

    /// Starts the clock.
    fn arm<G: Game>(&mut self, job: &Job<G>, clock: Option<Clock>) {
        if job.limits.infinite {
            return;
        }
        let by_clock = clock.map(|clock| {
            let side = job.root.side_to_move();
            TimePlan::new(&clock, side, job.root.ply(), &job.options)
        });
        self.clocked = by_clock.is_some();
        let fixed = job.limits.movetime.map(TimePlan::fixed);
        self.plan = match (by_clock, fixed) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        let unlimited = job.limits.depth.is_none() && job.limits.nodes.is_none();
        if self.plan.is_none() && job.limits.ponder && unlimited {
            self.plan = Some(TimePlan::fixed(PONDERHIT_TIME));
        }
    }

    /// The expected move was played at `when`, perhaps with new clocks.
    pub fn ponderhit<G: Game>(&mut self, job: &Job<G>, when: Instant, clock: Option<Clock>) {
        self.pondering = false;
        self.since = when;
        self.arm(job, clock.or(job.limits.clock));
    }

    /// Milliseconds since `go`.
    pub fn elapsed(&self) -> u64 {
        self.go.elapsed().as_millis() as u64
    }

    fn used(&self) -> u64 {
        self.since.elapsed().as_millis() as u64
    }

    /// Whether the search has to be broken off.
    pub fn is_up(&self) -> bool {
        let Some(plan) = self.plan.filter(|_| !self.pondering) else {
            return false;
        };
        self.used()
            >= self
                .deadline
                .map_or(plan.hard, |deadline| deadline.min(plan.hard))
    }

    /// Whether the search may end after the iteration just finished. It may go
    /// on a little where time would be lost otherwise.
    pub fn is_enough(&mut self, scale: f64) -> bool {
        if let Some(plan) = self.plan.filter(|_| !self.pondering)
            && plan.is_enough(self.elapsed(), scale)
        {
            let used = self.used();
            let end = *self.deadline.get_or_insert(plan.end(used));
            return used >= end;
        }
        false
    }

    /// Sets the next look at the clock about a millisecond ahead.
    pub fn schedule(&mut self, nodes: u64) {
        let per_millisecond = nodes / (self.elapsed() + 1);
        self.next_check = nodes + per_millisecond.clamp(16, 1024);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(time: i64, increment: i64, byoyomi: i64, options: &SearchOptions) -> TimePlan {
        let clock = Clock {
            time: [time; 2],
            increment: [increment; 2],
            byoyomi,
        };
        TimePlan::new(&clock, Color::Black, 1, options)
    }

    #[test]
    fn the_hard_limit_lies_within_the_clock() {
        let times = [
            i64::MIN,
            -2000,
            0,
            1,
            7,
            10,
            50,
            100,
            999,
            1000,
            5000,
            60_000,
            3_600_000,
            i64::MAX,
        ];
        for delay in [0, 120, 1120, 10_000] {
            for minimum in [0, 2000, 100_000] {
                for round_up_to_full_second in [false, true] {
                    let options = SearchOptions {
                        network_delay2: delay,
                        minimum_thinking_time: minimum,
                        round_up_to_full_second,
                        ..SearchOptions::default()
                    };
                    for time in times {
                        for increment in times {
                            for byoyomi in times {
                                let plan = plan(time, increment, byoyomi, &options);
                                let there = [time, increment, byoyomi]
                                    .iter()
                                    .fold(0u64, |sum, &t| sum.saturating_add(t.max(0) as u64));
                                assert!(plan.target <= plan.hard);
                                assert!(plan.hard <= there - there.min(20) / 4, "{plan:?} {there}");
                                assert!(plan.end(plan.target) <= plan.hard);
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn byoyomi_is_used_up_to_a_margin() {
        let options = SearchOptions::default();
        assert_eq!(plan(0, 0, 10_000, &options).hard, 8880);
        assert!(plan(0, 0, 10_000, &options).use_all);
        let second = plan(0, 0, 1000, &options).hard;
        assert!((500..=900).contains(&second), "{second}");
        let tenth = plan(0, 0, 100, &options).hard;
        assert!((30..=80).contains(&tenth), "{tenth}");
        let tiny = SearchOptions {
            network_delay2: 0,
            ..options
        };
        assert!((20..=40).contains(&plan(0, 0, 50, &tiny).hard));
        // The last main time goes into one long think.
        assert_eq!(plan(5000, 0, 10_000, &tiny).hard, 14_985);
    }

    #[test]
    fn main_time_is_spread_over_the_game() {
        let options = SearchOptions::default();
        let sudden_death = plan(600_000, 0, 0, &options);
        assert!((5000..=20_000).contains(&sudden_death.target));
        assert!(sudden_death.hard <= 100_000);
        let fischer = plan(300_000, 10_000, 0, &options);
        assert!((10_000..=20_000).contains(&fischer.target));
        let slower = SearchOptions {
            slow_mover: 200,
            ..options.clone()
        };
        assert!(plan(600_000, 0, 0, &slower).target > sudden_death.target * 19 / 10);
        // With little left, the minimum does not eat it up.
        assert!(plan(10_000, 0, 0, &options).target <= 1000);
    }

    #[test]
    fn fischer_keeps_one_increment() {
        let options = SearchOptions {
            network_delay2: 0,
            ..SearchOptions::default()
        };
        for main in [0, 1000, 5000, 8000, 20_000, 100_000] {
            let plan = plan(main, 5000, 0, &options);
            assert!(plan.hard <= (main as u64).max(4000));
        }
    }

    #[test]
    fn whole_seconds_are_used_to_their_end() {
        let options = SearchOptions::default();
        let seconds = plan(600_000, 0, 0, &options);
        assert_eq!(seconds.end(3200), 3880);
        assert_eq!(seconds.end(3990), 3990);
        assert_eq!(seconds.end(2000), 2000);
        assert_eq!(seconds.end(0), 880);
        // This clock counts tenths.
        assert_eq!(plan(599_900, 0, 0, &options).end(3200), 3200);
        assert_eq!(TimePlan::fixed(500).end(77), 77);
    }

    #[test]
    fn settled_searches_end_earlier() {
        assert!(scale(8, 0) < 0.6);
        assert!(scale(0, 0) > 1.0);
        assert!(scale(0, 100) > scale(0, 0) + 0.5);
        assert!(scale(3, -500) < 1.0);
        assert!(scale(0, 30_000) < 2.1);
    }
}
