//! Making a book: thinking over positions.
//!
//! Every position is searched by itself, with an empty transposition table, so that
//! its result depends neither on the others nor on how many are searched at once.
//! Workers take one position after the other; results come to the calling thread
//! as they are found.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use super::entry::{self, BookMove};
use super::games::Spot;
use super::table::Table;
use crate::eval::shogi::ShogiEvaluator;
use crate::search::info::{Bound, Info, Outcome, Reporter};
use crate::search::limits::{Limits, SearchOptions};
use crate::search::pool::ThreadPool;
use crate::shogi::{Move, Position};

/// How often a worker looks whether it should stop.
const POLL: Duration = Duration::from_millis(20);

/// How often the caller hears at least.
const TICK: Duration = Duration::from_secs(1);

/// How to think.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Plies.
    pub depth: Option<u32>,
    /// Nodes of each search.
    pub nodes: Option<u64>,
    /// Milliseconds of each search.
    pub movetime: Option<u64>,
    /// Candidates of each position.
    pub multi_pv: usize,
    /// Only the moves that at least this share of the games play, in per cent;
    /// `None` for all legal moves.
    pub played: Option<u32>,
    /// Threads of each search.
    pub threads: usize,
    /// Transposition table of each search, MB.
    pub hash_mb: usize,
    /// Positions searched at once.
    pub jobs: usize,
}

/// What the caller of [`think`] hears.
pub enum Event<'a> {
    /// A position is done.
    Done(&'a Spot, Vec<BookMove>),
    /// Time goes on.
    Tick,
}

/// Whether a position has to be thought over. It is done when the book has a
/// searched move for it, and that is at least as deep as the search wanted.
pub fn is_wanted(table: &Table, spot: &Spot, wanted_depth: Option<u32>) -> bool {
    let moves = table.get(&spot.key, spot.ply).unwrap_or_default();
    match moves.iter().filter_map(|m| m.depth).max() {
        None => true,
        Some(depth) => wanted_depth.is_some_and(|wanted| depth < wanted),
    }
}

/// Thinks over positions in their order until all are done or `stop` becomes true;
/// searches that it cuts short yield nothing.
pub fn think(
    spots: &[Spot],
    settings: &Settings,
    stop: &AtomicBool,
    mut each: impl FnMut(Event<'_>),
) {
    let next = AtomicUsize::new(0);
    let (results, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1).min(spots.len()) {
            let (results, next) = (results.clone(), &next);
            scope.spawn(move || work(spots, settings, stop, next, &results));
        }
        drop(results);
        loop {
            match receiver.recv_timeout(TICK) {
                Ok((index, moves)) => each(Event::Done(&spots[index], moves)),
                Err(RecvTimeoutError::Timeout) => each(Event::Tick),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    });
}

fn work(
    spots: &[Spot],
    settings: &Settings,
    stop: &AtomicBool,
    next: &AtomicUsize,
    results: &Sender<(usize, Vec<BookMove>)>,
) {
    let mut pool = ThreadPool::<Position, ShogiEvaluator>::new(
        ShogiEvaluator::default(),
        settings.threads.max(1),
        settings.hash_mb.max(1),
    );
    while !stop.load(Ordering::Relaxed) {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(spot) = spots.get(index) else { break };
        let lines = search(&mut pool, spot, settings, stop);
        if stop.load(Ordering::Relaxed) {
            break;
        }
        // The receiver lives as long as the workers.
        let _ = results.send((index, moves_of(lines, spot)));
    }
}

/// Searches a position and returns the last line of each candidate.
fn search(
    pool: &mut ThreadPool<Position, ShogiEvaluator>,
    spot: &Spot,
    settings: &Settings,
    stop: &AtomicBool,
) -> Vec<Info<Move>> {
    let limits = Limits {
        depth: settings.depth,
        nodes: settings.nodes,
        movetime: settings.movetime,
        searchmoves: settings
            .played
            .map_or_else(Vec::new, |percent| spot.usual_moves(percent)),
        ..Limits::default()
    };
    let options = SearchOptions {
        multi_pv: settings.multi_pv.max(1),
        pv_interval: 0,
        // A book wants the value of a position, not a mate in it.
        root_mate_nodes: 0,
        ..SearchOptions::default()
    };
    let (sender, finished) = mpsc::channel();
    let collector = Arc::new(Collector {
        lines: Mutex::new(Vec::new()),
        finished: sender,
    });
    pool.clear();
    pool.start(spot.position(), limits, options, collector.clone());
    while let Err(RecvTimeoutError::Timeout) = finished.recv_timeout(POLL) {
        if stop.load(Ordering::Relaxed) {
            pool.stop();
        }
    }
    pool.wait();
    std::mem::take(&mut *collector.lines())
}

/// Keeps the latest exact report of each line.
struct Collector {
    lines: Mutex<Vec<Info<Move>>>,
    finished: Sender<()>,
}

impl Collector {
    fn lines(&self) -> std::sync::MutexGuard<'_, Vec<Info<Move>>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reporter<Move> for Collector {
    fn info(&self, info: &Info<Move>) {
        if info.bound != Bound::Exact || info.pv.is_empty() {
            return;
        }
        let mut lines = self.lines();
        match lines.iter_mut().find(|line| line.multi_pv == info.multi_pv) {
            Some(line) => *line = info.clone(),
            None => lines.push(info.clone()),
        }
    }

    fn note(&self, _: &str) {}

    fn finished(&self, _: &Outcome<Move>) {
        // The searching thread waits for it.
        let _ = self.finished.send(());
    }
}

fn moves_of(mut lines: Vec<Info<Move>>, spot: &Spot) -> Vec<BookMove> {
    lines.sort_by_key(|line| line.multi_pv);
    let mut moves: Vec<BookMove> = Vec::new();
    for line in lines {
        let mv = line.pv[0];
        // An iteration cut short may have moved a line up: the first is newer.
        if moves.iter().all(|known| known.mv != mv) {
            moves.push(BookMove {
                mv,
                reply: line.pv.get(1).copied(),
                eval: Some(line.score),
                depth: Some(line.depth),
                count: spot.played.get(&mv).copied().unwrap_or(0),
            });
        }
    }
    entry::sort(&mut moves);
    moves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::games;

    fn settings() -> Settings {
        Settings {
            depth: Some(3),
            nodes: None,
            movetime: None,
            multi_pv: 3,
            played: None,
            threads: 1,
            hash_mb: 1,
            jobs: 2,
        }
    }

    fn made(spots: &[Spot], settings: &Settings) -> Table {
        let mut table = Table::default();
        think(spots, settings, &AtomicBool::new(false), |event| {
            if let Event::Done(spot, moves) = event {
                table.put(&spot.key, spot.ply, moves);
            }
        });
        table
    }

    #[test]
    fn candidates_with_scores_and_counts() {
        let (spots, _) = games::positions("startpos moves 7g7f 3c3d\nstartpos moves 7g7f 8c8d", 2);
        let table = made(&spots, &settings());
        assert_eq!(table.len(), 2);
        for spot in &spots {
            let moves = table.get(&spot.key, spot.ply).unwrap();
            assert_eq!(moves.len(), 3);
            assert!(moves.iter().all(|m| m.depth == Some(3) && m.eval.is_some()));
            for m in moves {
                assert!(spot.position().is_legal(m.mv));
                assert_eq!(m.count, spot.played.get(&m.mv).copied().unwrap_or(0));
            }
            assert!(!is_wanted(&table, spot, None));
            assert!(!is_wanted(&table, spot, Some(3)));
            assert!(is_wanted(&table, spot, Some(4)));
            assert!(is_wanted(&Table::default(), spot, None));
        }
        let played = Settings {
            played: Some(1),
            ..settings()
        };
        let played = made(&spots, &played);
        let lengths: Vec<usize> = played.iter().map(|(_, _, moves)| moves.len()).collect();
        // White has two replies, Black one first move.
        assert_eq!(lengths.iter().sum::<usize>(), 3);
        assert!(
            played
                .iter()
                .all(|(_, _, moves)| moves.iter().all(|m| m.count > 0))
        );
        // The same, however many at once.
        assert_eq!(
            made(
                &spots,
                &Settings {
                    jobs: 1,
                    ..settings()
                }
            ),
            table
        );
    }

    #[test]
    fn stopping_leaves_what_is_not_done() {
        let (spots, _) = games::positions("startpos", 1);
        let stop = AtomicBool::new(true);
        think(&spots, &settings(), &stop, |event| {
            assert!(matches!(event, Event::Tick));
        });
        let stop = AtomicBool::new(false);
        let endless = Settings {
            depth: None,
            ..settings()
        };
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                stop.store(true, Ordering::Relaxed);
            });
            think(&spots, &endless, &stop, |event| {
                assert!(matches!(event, Event::Tick));
            });
        });
    }
}
