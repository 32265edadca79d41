//! The search threads: they live as long as the pool, sleep between searches,
//! and share one transposition table (Lazy SMP; Chess Programming Wiki).
//!
//! [`ThreadPool::start`] sends one `Job` to every thread. Thread 0 leads: it
//! decides when the search is over, collects what the helpers found, and holds
//! the answer back while pondering or analysing, until [`ThreadPool::stop`] or
//! [`ThreadPool::ponderhit`]. Whatever happens in a search thread, even a panic,
//! the reporter gets exactly one answer.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::info::{BestMove, Info, Outcome, Reporter};
use super::limits::{Clock, Limits, SearchOptions};
use super::root::{Line, legal_root_moves, outcome, terminal_line};
use super::skill::Skill;
use super::time;
use super::tt::TranspositionTable;
use super::worker::{Memory, Search};
use crate::core::score::{DRAW, MAX_PLY, mated_in};
use crate::game::{Evaluator, Game};

/// Stack of a search thread: each ply keeps its moves there.
const STACK_SIZE: usize = 32 << 20;
/// How long a new transposition table may take to be handed out by the operating
/// system; GUIs wait for it at `isready`.
const TOUCH_TABLE: Duration = Duration::from_secs(1);

/// One search, as its threads share it.
pub(super) struct Job<G: Game> {
    pub root: G,
    pub limits: Limits<G::Move>,
    pub options: SearchOptions,
    /// A limited strength.
    pub skill: Option<Skill>,
    pub reporter: Arc<dyn Reporter<G::Move>>,
    pub control: Arc<Control>,
    pub table: Arc<TranspositionTable>,
    /// When `go` came.
    pub start: Instant,
    nodes: Box<[Counter]>,
    /// The best line so far, in case that the main thread panics.
    progress: Mutex<Option<Line<G::Move>>>,
}

/// A counter with a cache line to itself, as each thread writes its own.
#[repr(align(64))]
struct Counter(AtomicU64);

impl<G: Game> Job<G> {
    /// Whether nothing but a stop ends the search.
    pub fn is_unbounded(&self) -> bool {
        self.limits.is_unbounded()
    }

    /// Iterations to do at most.
    pub fn max_depth(&self) -> u32 {
        let option = match self.options.depth_limit {
            0 => u32::MAX,
            depth => depth,
        };
        let limit = self.limits.depth.unwrap_or(u32::MAX);
        let skill = self.skill.map_or(u32::MAX, Skill::depth);
        option.min(limit).min(skill).clamp(1, MAX_PLY as u32 - 1)
    }

    /// Lines that are searched: those to report, or more when the strength is
    /// limited.
    pub fn lines(&self) -> usize {
        self.options
            .multi_pv
            .max(self.skill.map_or(1, Skill::candidates))
    }

    /// Nodes that thread `id` may search. Each has a fixed share of the limit,
    /// so that the total never exceeds it.
    pub fn node_share(&self, id: usize) -> u64 {
        let option = match self.options.nodes_limit {
            0 => u64::MAX,
            nodes => nodes,
        };
        let skill = self.skill.map_or(u64::MAX, Skill::nodes);
        let limit = option.min(self.limits.nodes.unwrap_or(u64::MAX)).min(skill);
        if limit == u64::MAX {
            return limit;
        }
        let threads = self.nodes.len() as u64;
        limit / threads + u64::from((id as u64) < limit % threads)
    }

    pub fn publish_nodes(&self, id: usize, nodes: u64) {
        self.nodes[id].0.store(nodes, Relaxed);
    }

    pub fn total_nodes(&self) -> u64 {
        self.nodes
            .iter()
            .map(|counter| counter.0.load(Relaxed))
            .sum()
    }

    pub fn note_progress(&self, line: &Line<G::Move>) {
        *lock(&self.progress) = Some(line.clone());
    }
}

/// What steers a running search from outside.
pub(super) struct Control {
    /// All threads leave the tree.
    stopped: Arc<AtomicBool>,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// The user wants the answer now.
    stop_asked: bool,
    pondering: bool,
    /// When the expected move was played, and the clocks that came with it.
    hit: Option<(Instant, Option<Clock>)>,
    /// The answer was given.
    done: bool,
}

/// Locks even what a panicking thread left: every state is a valid one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Control {
    fn new(pondering: bool, done: bool) -> Self {
        Control {
            stopped: Arc::default(),
            state: Mutex::new(State {
                stop_asked: false,
                pondering,
                hit: None,
                done,
            }),
            changed: Condvar::new(),
        }
    }

    /// Whether all threads have to leave the tree.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// What [`Control::is_stopped`] looks at, for a search that is none of ours.
    pub fn stop_flag(&self) -> &Arc<AtomicBool> {
        &self.stopped
    }

    /// Ends the search of all threads; the answer may still be held back.
    pub fn halt(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// When the expected move was played, if it was, and the clocks.
    pub fn ponder_hit(&self) -> Option<(Instant, Option<Clock>)> {
        lock(&self.state).hit
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut lock(&self.state));
        self.changed.notify_all();
    }

    fn wait_while(&self, condition: impl Fn(&State) -> bool) {
        let state = lock(&self.state);
        // A poisoned lock is as good as any: see `lock`.
        let _state = self.changed.wait_while(state, |state| condition(state));
    }

    fn ask_stop(&self) {
        self.change(|state| state.stop_asked = true);
        self.halt();
    }

    /// Waits until `end`, or a stop.
    fn wait_until(&self, end: Instant) {
        let time = end.saturating_duration_since(Instant::now());
        let state = lock(&self.state);
        // A poisoned lock is as good as any: see `lock`.
        let _state = self
            .changed
            .wait_timeout_while(state, time, |state| !state.stop_asked);
    }

    /// Waits until the answer may be given.
    fn hold(&self, unbounded: bool) {
        self.wait_while(|state| !state.stop_asked && (unbounded || state.pondering));
    }
}

/// Marks the search as done when dropped, whatever happened.
struct Done(Arc<Control>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.change(|state| state.done = true);
    }
}

enum Message<G: Game> {
    /// Lead a search; the receiver yields the helpers' lines.
    Lead(Arc<Job<G>>, Receiver<Line<G::Move>>),
    /// Help in a search.
    Help(Arc<Job<G>>, Sender<Line<G::Move>>),
    /// Forget all that was learnt.
    Forget,
    /// Have all memory handed out; the sender is dropped when that is done.
    Touch(Sender<()>),
}

struct Thread<G: Game> {
    /// Dropped first: the thread then leaves its loop.
    sender: Option<Sender<Message<G>>>,
    handle: Option<JoinHandle<()>>,
}

impl<G: Game> Thread<G> {
    fn spawn<E: Evaluator<G>>(id: usize, evaluator: E) -> io::Result<Self> {
        let (sender, receiver) = mpsc::channel();
        let handle = std::thread::Builder::new()
            .name(format!("search {id}"))
            .stack_size(STACK_SIZE)
            .spawn(move || live(id, evaluator, &receiver))?;
        Ok(Thread {
            sender: Some(sender),
            handle: Some(handle),
        })
    }
}

impl<G: Game> Thread<G> {
    fn send(&self, message: Message<G>) {
        if let Some(sender) = &self.sender {
            // It fails only when the thread is gone, and it never goes before.
            let _ = sender.send(message);
        }
    }
}

impl<G: Game> Drop for Thread<G> {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(handle) = self.handle.take() {
            // A panic of the thread has been reported by the thread.
            let _ = handle.join();
        }
    }
}

/// The life of a search thread.
fn live<G: Game, E: Evaluator<G>>(id: usize, evaluator: E, messages: &Receiver<Message<G>>) {
    let mut memory = Memory::new(evaluator);
    for message in messages {
        match message {
            Message::Lead(job, helpers) => lead(job, &mut memory, &helpers),
            Message::Help(job, results) => {
                let line = catch_unwind(AssertUnwindSafe(|| {
                    Search::new(&job, &mut memory, id).help()
                }));
                if line.is_err() {
                    memory.histories.clear();
                }
                drop(job);
                if let Ok(Some(line)) = line {
                    // The leader may have stopped listening.
                    let _ = results.send(line);
                }
            }
            Message::Forget => {
                memory.histories.clear();
                if let Some(mate) = &mut memory.mate {
                    mate.clear();
                }
            }
            Message::Touch(done) => {
                memory.histories.touch();
                drop(done);
            }
        }
    }
}

/// Leads one search, from the start to the answer.
fn lead<G: Game, E: Evaluator<G>>(
    job: Arc<Job<G>>,
    memory: &mut Memory<G, E>,
    helpers: &Receiver<Line<G::Move>>,
) {
    let _done = Done(job.control.clone());
    let answer = catch_unwind(AssertUnwindSafe(|| {
        Search::new(&job, memory, 0).think(helpers)
    }));
    let mut answer = answer.unwrap_or_else(|panic| {
        memory.histories.clear();
        job.control.halt();
        // Ends when every helper has left the search.
        helpers.iter().for_each(drop);
        rescue(&job, panic.as_ref())
    });
    job.control.hold(job.is_unbounded());
    if job.skill.is_some() {
        // No pause is worth the answer, should a damaged position panic again.
        let end = catch_unwind(AssertUnwindSafe(|| time::earliest_answer(&job)));
        if let Ok(Some(end)) = end {
            job.control.wait_until(end);
        }
    }
    answer.time = job.start.elapsed().as_millis() as u64;
    // A reporter that panics must not take the thread with it.
    let _ = catch_unwind(AssertUnwindSafe(|| job.reporter.finished(&answer)));
    drop(job);
}

/// The answer after a panic: the best line known, or any legal move.
fn rescue<G: Game>(job: &Job<G>, panic: &(dyn Any + Send)) -> Outcome<G::Move> {
    let reason = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("of unknown cause");
    let line = lock(&job.progress).clone().unwrap_or_else(|| {
        let first = catch_unwind(AssertUnwindSafe(|| legal_root_moves(job)));
        match first.ok().and_then(|moves| moves.first().copied()) {
            Some(m) => terminal_line(DRAW, vec![m]),
            None => terminal_line(mated_in(0), Vec::new()),
        }
    });
    // A reporter that panics must not prevent the answer.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        job.reporter
            .note(&format!("warning: a search thread panicked ({reason})"));
        job.reporter.info(&Info {
            depth: line.depth,
            seldepth: line.seldepth.max(line.depth),
            multi_pv: 1,
            multi_pv_count: 1,
            score: line.score,
            bound: super::info::Bound::Exact,
            time: job.start.elapsed().as_millis() as u64,
            nodes: job.total_nodes(),
            hashfull: job.table.hashfull(),
            pv: line.pv.clone(),
        });
    }));
    let value = line.score;
    outcome(job, line, value)
}

/// The threads of a search and their transposition table.
///
/// Dropping the pool stops a running search, which still reports its answer.
pub struct ThreadPool<G: Game, E: Evaluator<G>> {
    evaluator: E,
    table: Arc<TranspositionTable>,
    control: Arc<Control>,
    threads: Vec<Thread<G>>,
}

impl<G: Game, E: Evaluator<G>> ThreadPool<G, E> {
    /// A pool of `threads` threads (at least one) with a table of `hash_mb` MiB,
    /// or with less of either when the system refuses.
    ///
    /// # Panics
    ///
    /// When not even one thread can be started.
    pub fn new(evaluator: E, threads: usize, hash_mb: usize) -> Self {
        let leader = Thread::spawn(0, evaluator.clone());
        let mut pool = ThreadPool {
            evaluator,
            table: Arc::new(TranspositionTable::new(hash_mb)),
            control: Arc::new(Control::new(false, true)),
            threads: vec![leader.expect("the system should let us start one thread")],
        };
        pool.set_threads(threads);
        pool
    }

    /// Changes the number of threads, at least one, and returns how many the
    /// system granted. Ends a running search.
    pub fn set_threads(&mut self, threads: usize) -> usize {
        self.finish();
        self.threads.truncate(threads.max(1));
        while self.threads.len() < threads {
            match Thread::spawn(self.threads.len(), self.evaluator.clone()) {
                Ok(thread) => self.threads.push(thread),
                Err(_) => break,
            }
        }
        self.threads.len()
    }

    /// How many threads search.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Replaces the transposition table by an empty one of `megabytes` MiB, or
    /// of what the system grants, and returns the size got. Ends a running
    /// search. Nothing happens when the size stays. Its memory is handed out as
    /// it is used, unless [`ThreadPool::touch_memory`] asks for it at once.
    pub fn set_hash(&mut self, megabytes: usize) -> usize {
        self.finish();
        if megabytes.max(1) != self.table.megabytes() {
            // The old one goes first: both may be too much.
            self.table = Arc::new(TranspositionTable::new(1));
            self.table = Arc::new(TranspositionTable::new(megabytes));
        }
        self.table.megabytes()
    }

    /// Has the operating system hand out the memory of the table, for up to a second,
    /// and of the threads, so that searches need not wait for it. In wa shogi a
    /// thread has more than 100 MB. Ends a running search.
    pub fn touch_memory(&self) {
        self.finish();
        let (done, touched) = mpsc::channel();
        for thread in &self.threads {
            thread.send(Message::Touch(done.clone()));
        }
        drop(done);
        self.table.touch(TOUCH_TABLE);
        // Ends when every thread has dropped its sender.
        touched.iter().for_each(drop);
    }

    /// Size of the transposition table in MiB.
    pub fn hash(&self) -> usize {
        self.table.megabytes()
    }

    /// Forgets all that was learnt, for a new game: the next search is as the
    /// first one. Returns at once. Ends a running search.
    pub fn clear(&mut self) {
        self.finish();
        self.table.clear();
        for thread in &self.threads {
            thread.send(Message::Forget);
        }
    }

    /// Starts a search and returns at once. The reporter gets exactly one
    /// answer, from a search thread. A running search is ended before.
    pub fn start(
        &mut self,
        mut root: G,
        limits: Limits<G::Move>,
        options: SearchOptions,
        reporter: Arc<dyn Reporter<G::Move>>,
    ) {
        let start = limits.since.unwrap_or_else(Instant::now);
        self.finish();
        root.set_root();
        self.table.new_search();
        self.control = Arc::new(Control::new(limits.ponder, false));
        // A limited strength does not depend on the number of threads.
        let skill = Skill::of(&limits, &options);
        let threads = match skill {
            Some(_) => &self.threads[..1],
            None => &self.threads[..],
        };
        let job = Arc::new(Job {
            root,
            limits,
            options,
            skill,
            reporter,
            control: self.control.clone(),
            table: self.table.clone(),
            start,
            nodes: threads.iter().map(|_| Counter(AtomicU64::new(0))).collect(),
            progress: Mutex::new(None),
        });
        let (results, helpers) = mpsc::channel();
        for thread in &threads[1..] {
            thread.send(Message::Help(job.clone(), results.clone()));
        }
        threads[0].send(Message::Lead(job, helpers));
    }

    /// Asks a running search for its answer; it comes within milliseconds.
    pub fn stop(&self) {
        self.control.ask_stop();
    }

    /// The expected move was played: from now on the clock counts, `clock` if it
    /// is given, else the one that the search was started with.
    pub fn ponderhit(&self, clock: Option<Clock>) {
        self.control.change(|state| {
            if state.pondering {
                state.pondering = false;
                state.hit = Some((Instant::now(), clock));
            }
        });
    }

    /// Waits for the answer of a running search.
    pub fn wait(&self) {
        self.control.wait_while(|state| !state.done);
    }

    /// Whether a search has yet to answer.
    pub fn is_searching(&self) -> bool {
        !lock(&self.control.state).done
    }

    /// Searches and returns the outcome. Limits that never end (see [`Limits`])
    /// make it wait for ever.
    pub fn search(
        &mut self,
        root: G,
        limits: Limits<G::Move>,
        options: SearchOptions,
    ) -> Outcome<G::Move> {
        let collector = Arc::new(Collector(Mutex::new(None)));
        self.start(root, limits, options, collector.clone());
        self.wait();
        let outcome = lock(&collector.0).take();
        outcome.unwrap_or(Outcome {
            best: BestMove::Resign,
            score: DRAW,
            depth: 0,
            nodes: 0,
            time: 0,
            pv: Vec::new(),
        })
    }

    fn finish(&self) {
        self.stop();
        self.wait();
    }
}

impl<G: Game, E: Evaluator<G>> Drop for ThreadPool<G, E> {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A reporter that keeps the outcome only.
struct Collector<M>(Mutex<Option<Outcome<M>>>);

impl<M: Send> Reporter<M> for Collector<M>
where
    M: Clone,
{
    fn info(&self, _: &Info<M>) {}

    fn note(&self, _: &str) {}

    fn finished(&self, outcome: &Outcome<M>) {
        *lock(&self.0) = Some(outcome.clone());
    }
}
