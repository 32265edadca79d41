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

use std::time::{Duration, Instant};

use super::limits::{Clock, SearchOptions};
use super::params::{
    GAME_PLIES, HARD_LIMIT_FACTOR, LAST_RESERVE, LONG_GAME_PLIES, MACHINE_DELAY, MOVE_RESERVE,
    MOVES_TO_GO, PONDERHIT_TIME, SCORE_DROP, SCORE_DROP_MAX, STABILITY_MAX, STABILITY_MIN,
    STABILITY_STEP,
};
use super::pool::Job;
use crate::core::{Color, MoveList, Score};
use crate::game::{Game, Stage};

/// Full seconds are this many milliseconds.
const SECOND: u64 = 1000;

/// The time that one search may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimePlan {
    /// No new iteration begins after this (scaled by [`scale`]).
    pub target: u64,
    /// However settled the search is, it does not end before this.
    pub least: u64,
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
            least: 0,
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
        let reserve = match gain {
            0 => long_game_reserve(main, ply, whole_seconds),
            _ => 0,
        };
        let share = ((main - reserve) / moves).saturating_add(gain);
        // The clock also runs while nothing is searched. Half of a short share
        // is left, or a long delay would stop all thought.
        let delay = options.network_delay.max(MACHINE_DELAY).min(share / 2);
        // No minimum is worth more than the share: it would eat up the clock.
        let least = options
            .minimum_thinking_time
            .min(share)
            .saturating_sub(delay);
        let target = (share.saturating_mul(options.slow_mover) / 100)
            .saturating_sub(delay)
            .max(least);
        let mut hard = target.saturating_mul(HARD_LIMIT_FACTOR).min(limit);
        if byoyomi == 0 {
            // An empty clock loses. Some servers give the increment before the
            // move, some after: one increment is there, or what the clock shows.
            let increment = increment / 10 * 8;
            let extra = (main - reserve).saturating_sub(LAST_RESERVE) / 3;
            let shown = main.saturating_sub(margin(main, options.network_delay2));
            hard = hard
                .min(target.saturating_add(extra).saturating_add(increment))
                .min(shown.max(increment));
        }
        TimePlan {
            target: target.min(hard),
            least: least.min(hard),
            hard,
            use_all: false,
            round_up_delay,
        }
    }

    /// Of two plans, the limits that come first.
    pub fn min(self, other: Self) -> Self {
        TimePlan {
            target: self.target.min(other.target),
            least: self.least.min(other.least),
            hard: self.hard.min(other.hard),
            use_all: self.use_all && other.use_all,
            round_up_delay: self.round_up_delay.and(other.round_up_delay),
        }
    }

    /// Whether a search that is `elapsed` old may end between iterations.
    pub fn is_enough(&self, elapsed: u64, scale: f64) -> bool {
        let enough = (self.target as f64 * scale).max(self.least as f64);
        !self.use_all && elapsed as f64 >= enough
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

/// What sudden death puts by for the moves of a long game, of which each costs
/// something however fast it is played: a part of `main`, ever less of it as
/// the game goes on.
fn long_game_reserve(main: u64, ply: u32, whole_seconds: bool) -> u64 {
    let moves = u64::from(LONG_GAME_PLIES.saturating_sub(ply)) / 2;
    if whole_seconds {
        (moves * SECOND).min(main / 2)
    } else {
        (moves * MOVE_RESERVE).min(main / 4)
    }
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

/// Before when no answer comes that took no effort to find (a limited strength):
/// a person finds it hard to play against one who never thinks. It is
/// `MinimumThinkingTime`, but no more than a full search would aim for. `None`
/// without a clock, or when there is no choice to think about.
pub(super) fn earliest_answer<G: Game>(job: &Job<G>) -> Option<Instant> {
    let mut timer = Timer::new(job);
    if timer.pondering {
        let (when, clock) = job.control.ponder_hit()?;
        timer.ponderhit(job, when, clock);
    }
    let plan = timer.plan.filter(|_| timer.clocked)?;
    let mut moves = MoveList::new();
    job.root.generate(Stage::All, false, &mut moves);
    let pause = plan.target.min(job.options.minimum_thinking_time);
    let pause = pause.saturating_sub(plan.round_up_delay.unwrap_or(0));
    (moves.len() > 1).then(|| timer.since + Duration::from_millis(pause))
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

    /// When one part in `parts` of the target time is over; `None` without a clock, and
    /// while it does not run.
    pub fn part(&self, parts: u64) -> Option<Instant> {
        let plan = self.plan.filter(|_| !self.pondering)?;
        self.since
            .checked_add(Duration::from_millis(plan.target / parts))
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

    /// Sets the next look at the clock about a millisecond ahead. Where nodes are heavy
    /// their cost varies much, too, so that the mean says little about the next ones.
    pub fn schedule<G: Game>(&mut self, nodes: u64) {
        let per_millisecond = nodes / (self.elapsed() + 1);
        let most = (1024 / G::NODE_WEIGHT).max(1);
        self.next_check = nodes + per_millisecond.clamp(1, most);
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
    fn a_settled_search_keeps_the_minimum() {
        let options = SearchOptions {
            minimum_thinking_time: 4000,
            network_delay: 0,
            ..SearchOptions::default()
        };
        let settled = scale(20, 0);
        let long = plan(600_000, 0, 0, &options);
        assert!(!long.is_enough(3900, settled / 4.0));
        assert!(long.is_enough(long.target, settled));
        // A short clock goes before the minimum.
        let short = plan(20_000, 0, 0, &options);
        assert!(short.is_enough(1500, settled));
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

    /// How a server keeps the clock.
    #[derive(Clone, Copy, Debug, Default)]
    struct Rules {
        main: i64,
        increment: i64,
        byoyomi: i64,
        /// The increment comes before the move; else it comes after.
        before: bool,
        /// A move costs whole seconds, and at least one.
        whole_seconds: bool,
    }

    /// How a search uses its plan.
    #[derive(Clone, Copy, Debug)]
    enum Use {
        /// Per cent of the target.
        Target(u64),
        /// To the hard limit, always.
        Hard,
        /// The target, and to the hard limit every tenth time.
        Mixed,
    }

    /// Plays the clock of a game of `plies`, with `overhead` ms lost a move.
    /// Returns what the clock showed after each of our moves; fails when the
    /// clock runs out.
    fn game(
        rules: Rules,
        usage: Use,
        overhead: i64,
        plies: u32,
        options: &SearchOptions,
    ) -> Vec<i64> {
        let mut main = rules.main;
        let mut shown = Vec::new();
        for ply in (1..=plies).step_by(2) {
            let clock = Clock {
                time: [main, 0],
                increment: [rules.increment, 0],
                byoyomi: rules.byoyomi,
            };
            let plan = TimePlan::new(&clock, Color::Black, ply, options);
            let time = match usage {
                _ if plan.use_all => plan.hard,
                Use::Target(percent) => plan.end(plan.target * percent / 100).min(plan.hard),
                Use::Mixed if ply % 20 != 19 => plan.end(plan.target),
                Use::Hard | Use::Mixed => plan.hard,
            };
            let mut used = time as i64 + overhead;
            if rules.whole_seconds {
                used = ((used + 999) / 1000).max(1) * 1000;
            }
            if rules.before {
                main += rules.increment;
            }
            main -= used;
            assert!(
                main + rules.byoyomi >= 0,
                "{rules:?} {usage:?} {overhead} {options:?}: over at ply {ply} by {main}"
            );
            main = main.max(0);
            if !rules.before {
                main += rules.increment;
            }
            shown.push(main);
        }
        shown
    }

    fn local() -> SearchOptions {
        SearchOptions {
            network_delay: 0,
            network_delay2: 0,
            ..SearchOptions::default()
        }
    }

    const USES: [Use; 5] = [
        Use::Target(50),
        Use::Target(80),
        Use::Target(100),
        Use::Mixed,
        Use::Hard,
    ];

    #[test]
    fn no_clock_runs_out() {
        let main = |main| Rules {
            main,
            ..Rules::default()
        };
        let mut all: Vec<Rules> = [5000, 10_000, 60_000, 300_000, 3_600_000]
            .map(main)
            .to_vec();
        for (time, increment) in [(0, 1000), (10_000, 100), (60_000, 1000), (300_000, 10_000)] {
            all.push(Rules {
                increment,
                before: true,
                ..main(time)
            });
            // What comes after the move must be there for the first one.
            all.push(Rules {
                increment,
                ..main(time.max(increment))
            });
        }
        for byoyomi in [50, 100, 1000, 10_000] {
            for time in [0, 30, 1000, 60_000, 900_000] {
                all.push(Rules {
                    byoyomi,
                    ..main(time)
                });
            }
        }
        for rules in all {
            for usage in USES {
                for round_up_to_full_second in [false, true] {
                    for minimum_thinking_time in [1, 2000, 100_000] {
                        let options = SearchOptions {
                            round_up_to_full_second,
                            minimum_thinking_time,
                            ..local()
                        };
                        // Nothing lost on the way: for ever.
                        game(rules, usage, 0, 1000, &options);
                        // A slow machine, and 300 moves.
                        if !matches!(usage, Use::Hard) {
                            game(rules, usage, 3, 300, &options);
                        }
                        game(rules, usage, 2, 200, &options);
                        let network = SearchOptions {
                            network_delay: 120,
                            network_delay2: 1120,
                            ..options
                        };
                        game(rules, usage, 0, 1000, &network);
                        if rules.main >= 60_000 && !matches!(usage, Use::Hard) {
                            game(rules, usage, 15, 300, &network);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn clocks_of_whole_seconds_last() {
        for (main, byoyomi) in [(600_000, 0), (900_000, 0), (600_000, 10_000), (0, 3000)] {
            let rules = Rules {
                main,
                byoyomi,
                whole_seconds: true,
                ..Rules::default()
            };
            for usage in [Use::Target(50), Use::Target(80), Use::Target(100)] {
                game(rules, usage, 100, 300, &SearchOptions::default());
            }
            game(rules, Use::Mixed, 100, 200, &SearchOptions::default());
        }
    }

    #[test]
    fn clocks_are_used_up_over_a_game() {
        for main in [10_000, 60_000, 600_000] {
            let rules = Rules {
                main,
                ..Rules::default()
            };
            let shown = game(rules, Use::Target(100), 1, 300, &local());
            let after = |ply: usize| shown[ply / 2 - 1] as f64 / main as f64;
            // An opening that leaves most of it, a middle game that uses it, and
            // something for ever after.
            assert!((0.6..0.85).contains(&after(40)), "{main} {}", after(40));
            assert!((0.1..0.33).contains(&after(120)), "{main} {}", after(120));
            assert!(after(200) > 0.015, "{main} {}", after(200));
            assert!(shown.last() > Some(&80), "{main} {shown:?}");
        }
        let minute = Rules {
            main: 60_000,
            ..Rules::default()
        };
        let used = |options: &SearchOptions| {
            let shown = game(minute, Use::Target(100), 1, 120, options);
            60_000 - shown.last().unwrap()
        };
        assert!(used(&local()) >= 42_000);
        // With byoyomi to fall back on, the main time goes sooner.
        let byoyomi = Rules {
            byoyomi: 5000,
            ..minute
        };
        assert_eq!(
            game(byoyomi, Use::Target(100), 1, 120, &local()).last(),
            Some(&0)
        );
        // An increment is used each move, and what has been saved as well.
        let fischer = Rules {
            increment: 1000,
            ..minute
        };
        let shown = game(fischer, Use::Target(100), 1, 300, &local());
        assert!(shown[59] < 20_000 && shown[149] < 3000, "{shown:?}");
    }
}
