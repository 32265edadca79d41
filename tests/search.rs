//! The search as the protocol sees it: answers, limits, reports, threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use tsuru::core::Color;
use tsuru::core::score::{MATE, MATE_IN_MAX_PLY, Score, mate_in, mated_in};
use tsuru::game::{Evaluator, Game, Stage};
use tsuru::search::{
    BestMove, Bound, Clock, Info, Limits, Outcome, Reporter, SearchOptions, ThreadPool,
};
use tsuru::shogi::piece::VALUE;
use tsuru::shogi::{EnteringKingRule, Move, PieceKind, Position, Rules};

/// Counts material; enough for tests of the search.
#[derive(Clone, Default)]
struct Material;

impl Evaluator<Position> for Material {
    fn evaluate(&mut self, position: &Position) -> Score {
        let side = |color: Color| -> Score {
            let value = |kind: PieceKind| VALUE[kind.index()];
            let board: Score = PieceKind::ALL
                .iter()
                .filter(|&&kind| kind != PieceKind::King)
                .map(|&kind| position.pieces_of(color, kind).count() as Score * value(kind))
                .sum();
            let hand: Score = position
                .hand(color)
                .iter()
                .map(|(kind, count)| count as Score * value(kind))
                .sum();
            board + hand
        };
        let us = position.side_to_move();
        side(us) - side(!us)
    }
}

/// Panics at its n-th evaluation.
#[derive(Clone)]
struct Bomb(Arc<AtomicU64>);

impl Evaluator<Position> for Bomb {
    fn evaluate(&mut self, position: &Position) -> Score {
        assert!(self.0.fetch_sub(1, Ordering::Relaxed) > 1, "boom");
        Material.evaluate(position)
    }
}

#[derive(Default)]
struct Log {
    infos: Mutex<Vec<Info<Move>>>,
    notes: Mutex<Vec<String>>,
    outcomes: Mutex<Vec<(Instant, Outcome<Move>)>>,
}

impl Reporter<Move> for Log {
    fn info(&self, info: &Info<Move>) {
        assert!(self.outcomes.lock().unwrap().is_empty());
        self.infos.lock().unwrap().push(info.clone());
    }
    fn note(&self, text: &str) {
        self.notes.lock().unwrap().push(text.to_string());
    }
    fn finished(&self, outcome: &Outcome<Move>) {
        let mut outcomes = self.outcomes.lock().unwrap();
        outcomes.push((Instant::now(), outcome.clone()));
        assert_eq!(outcomes.len(), 1, "one answer");
    }
}

impl Log {
    fn answered(&self) -> bool {
        !self.outcomes.lock().unwrap().is_empty()
    }

    /// The answer, after checking that all lines are legal and that the last
    /// report agrees with it.
    fn checked(&self, root: &Position) -> Outcome<Move> {
        let outcome = self.outcomes.lock().unwrap()[0].1.clone();
        let infos = self.infos.lock().unwrap();
        for info in infos.iter() {
            let mut position = root.clone();
            for &m in &info.pv {
                assert!(position.is_legal(m), "{m} in {info:?}");
                position.make(m);
            }
        }
        let last = infos.iter().rev().find(|info| info.multi_pv == 1).unwrap();
        assert_eq!(last.score, outcome.score);
        assert_eq!(last.pv, outcome.pv);
        assert_eq!(last.bound, Bound::Exact);
        if let BestMove::Move { best, ponder } = outcome.best {
            assert_eq!(Some(&best), outcome.pv.first());
            assert_eq!(ponder.as_ref(), outcome.pv.get(1));
        }
        outcome
    }
}

/// Tests of time hold this alone, so that no other test disturbs them.
static MACHINE: RwLock<()> = RwLock::new(());

fn alone() -> impl Drop {
    MACHINE.write().unwrap_or_else(|e| e.into_inner())
}

fn together() -> impl Drop {
    MACHINE.read().unwrap_or_else(|e| e.into_inner())
}

type Pool = ThreadPool<Position, Material>;

fn pool(threads: usize) -> Pool {
    ThreadPool::new(Material, threads, 16)
}

fn start() -> Position {
    Position::start(&Rules::default())
}

fn sfen(text: &str) -> Position {
    Position::from_sfen(text, &Rules::default()).unwrap()
}

fn with_rule(text: &str, entering_king: EnteringKingRule) -> Position {
    let rules = Rules {
        entering_king,
        ..Rules::default()
    };
    Position::from_sfen(text, &rules).unwrap()
}

fn depth(depth: u32) -> Limits<Move> {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn nodes(nodes: u64) -> Limits<Move> {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn clock(time: i64, byoyomi: i64) -> Clock {
    Clock {
        time: [time; 2],
        increment: [0; 2],
        byoyomi,
    }
}

fn infinite() -> Limits<Move> {
    Limits {
        infinite: true,
        ..Limits::default()
    }
}

fn options() -> SearchOptions {
    SearchOptions {
        pv_interval: 0,
        ..SearchOptions::default()
    }
}

fn run(pool: &mut Pool, root: &Position, limits: Limits<Move>) -> (Outcome<Move>, Arc<Log>) {
    let log = Arc::new(Log::default());
    pool.start(root.clone(), limits, options(), log.clone());
    pool.wait();
    (log.checked(root), log)
}

fn best(outcome: &Outcome<Move>) -> String {
    match outcome.best {
        BestMove::Move { best, .. } => best.to_string(),
        BestMove::Resign => "resign".into(),
        BestMove::Win => "win".into(),
    }
}

const MIDDLE_GAME: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1";
const MATED: &str = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
const MATE_IN_1: &str = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
const MATE_IN_3: &str = "6k2/9/6P2/9/9/9/9/9/9 b RS 1";
const DECLARES: &str = "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1";

/// Shortest mate by checks only, up to `plies`, by trying everything.
fn brute_force(position: &mut Position, plies: usize) -> Option<usize> {
    let mut moves = tsuru::core::MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    let mut shortest = None;
    for m in moves {
        position.make(m);
        if position.in_check() {
            let mut replies = tsuru::core::MoveList::new();
            position.generate(Stage::All, true, &mut replies);
            let mut length = Some(1);
            if !replies.is_empty() {
                length = if plies < 3 { None } else { Some(0) };
                for reply in replies {
                    let Some(so_far) = length else { break };
                    position.make(reply);
                    length = brute_force(position, plies - 2).map(|n| so_far.max(n + 2));
                    position.unmake();
                }
            }
            if let Some(n) = length {
                shortest = Some(shortest.map_or(n, |s: usize| s.min(n)));
            }
        }
        position.unmake();
    }
    shortest
}

#[test]
fn finds_mates_and_their_length() {
    let _turn = together();
    let mut pool = pool(1);
    let root = sfen(MATE_IN_1);
    let (outcome, _) = run(&mut pool, &root, depth(3));
    assert_eq!(best(&outcome), "G*5b");
    assert_eq!(outcome.score, mate_in(1));

    let mut root = sfen(MATE_IN_3);
    assert_eq!(brute_force(&mut root, 3), Some(3));
    let (outcome, _) = run(&mut pool, &root, depth(7));
    assert_eq!(outcome.score, mate_in(3));
    assert_eq!(outcome.pv.len(), 3);
}

/// A published problem of 11 plies (yaneuraou-5M sample).
const MATE_IN_11: &str =
    "3r2nnl/2s4gk/4pS1p1/p1ppL1GP1/1p3pN1p/P1PP2P2/1PK1B3P/2GS1P+r2/LN6L b Gbs2p 117";

#[test]
fn the_mate_solver_is_asked_first() {
    let _turn = together();
    let mut pool = pool(1);
    let root = sfen(MATE_IN_11);
    let mut search = |root: &Position, root_mate_nodes: u64, limits: Limits<Move>| {
        let options = SearchOptions {
            root_mate_nodes,
            ..options()
        };
        pool.clear();
        pool.search(root.clone(), limits, options)
    };
    let found = search(&root, 50_000, nodes(100_000));
    assert!(found.nodes < 10_000, "{}", found.nodes);
    assert_eq!(found.score, mate_in(found.pv.len()));
    let mut position = root.clone();
    for &m in &found.pv {
        assert!(position.is_legal(m));
        position.make(m);
    }
    assert!(position.in_check() && position.count_moves() == 0);

    // Its nodes count, it keeps to its share, and it can be switched off.
    assert_eq!(search(&root, 50_000, nodes(640)).nodes, 640);
    let without = search(&root, 0, nodes(2000));
    let pv = search(&root, 50_000, depth(1)).pv;
    assert_eq!(pv, search(&root, 0, depth(1)).pv);
    assert!(without.score < MATE_IN_MAX_PLY);

    // A move limit before the mate, or a rule that lets the king escape.
    let short = Rules {
        max_moves: 8,
        ..Rules::default()
    };
    let limited = Position::from_sfen(MATE_IN_11, &short).unwrap();
    assert!(search(&limited, 50_000, nodes(60_000)).score < MATE_IN_MAX_PLY);
    let try_rule = with_rule(MATE_IN_11, EnteringKingRule::TryRule);
    let outcome = search(&try_rule, 1_000_000, nodes(4000));
    assert!(outcome.score < MATE_IN_MAX_PLY);
}

#[test]
fn a_proven_mate_ends_a_clocked_search() {
    let _turn = alone();
    let mut pool = pool(1);
    let limits = Limits {
        clock: Some(clock(0, 10_000)),
        ..Limits::default()
    };
    let begin = Instant::now();
    let (outcome, _) = run(&mut pool, &sfen(MATE_IN_3), limits);
    assert_eq!(outcome.score, mate_in(3));
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[test]
fn terminal_positions_are_resigned() {
    let _turn = together();
    for text in [MATED, "9/9/9/9/9/9/9/9/9 b - 1"] {
        let root = sfen(text);
        let mut pool = pool(2);
        let (outcome, log) = run(
            &mut pool,
            &root,
            Limits {
                clock: Some(clock(0, 100)),
                ..Limits::default()
            },
        );
        assert_eq!(outcome.best, BestMove::Resign);
        assert_eq!(outcome.score, mated_in(0));
        assert_eq!(log.infos.lock().unwrap().len(), 1);
        // Held back while analysing or pondering.
        let ponder = Limits {
            ponder: true,
            ..Limits::default()
        };
        for limits in [infinite(), ponder] {
            let log = Arc::new(Log::default());
            pool.start(root.clone(), limits, options(), log.clone());
            std::thread::sleep(Duration::from_millis(50));
            assert!(!log.answered());
            pool.stop();
            pool.wait();
            assert_eq!(log.checked(&root).best, BestMove::Resign);
        }
    }
}

#[test]
fn declares_a_win_where_the_rule_allows_it() {
    let _turn = together();
    let mut pool = pool(1);
    let root = with_rule(DECLARES, EnteringKingRule::CSARule27);
    let (outcome, _) = run(&mut pool, &root, depth(4));
    assert_eq!(outcome.best, BestMove::Win);
    let log = Arc::new(Log::default());
    pool.start(root.clone(), infinite(), options(), log.clone());
    std::thread::sleep(Duration::from_millis(30));
    assert!(!log.answered());
    pool.stop();
    pool.wait();
    assert_eq!(log.checked(&root).best, BestMove::Win);

    let root = with_rule(DECLARES, EnteringKingRule::NoEnteringKing);
    let (outcome, _) = run(&mut pool, &root, depth(4));
    assert!(matches!(outcome.best, BestMove::Move { .. }));
}

#[test]
fn stops_within_ten_milliseconds() {
    let _turn = alone();
    for threads in [1, 2] {
        let mut pool = pool(threads);
        let mut delays = Vec::new();
        for round in 0..20 {
            let log = Arc::new(Log::default());
            pool.start(start(), infinite(), options(), log.clone());
            std::thread::sleep(Duration::from_millis(round * 5));
            assert!(!log.answered());
            let asked = Instant::now();
            pool.stop();
            pool.wait();
            delays.push(log.outcomes.lock().unwrap()[0].0 - asked);
            assert!(matches!(log.checked(&start()).best, BestMove::Move { .. }));
        }
        // The machine may be busy: the median has to hold.
        delays.sort();
        assert!(delays[10] < Duration::from_millis(10), "{delays:?}");
    }
}

#[test]
fn node_limits_are_exact() {
    let _turn = together();
    for threads in [1, 2] {
        let mut pool = pool(threads);
        for limit in [1, 2, 30, 31, 1000, 4097, 100_000] {
            let (outcome, _) = run(&mut pool, &start(), nodes(limit));
            assert!(matches!(outcome.best, BestMove::Move { .. }));
            if threads == 1 {
                assert_eq!(outcome.nodes, limit);
            } else {
                assert!(outcome.nodes <= limit);
            }
        }
    }
}

#[test]
fn one_thread_is_deterministic() {
    let _turn = together();
    let roots = [start(), sfen(MIDDLE_GAME)];
    let searched = |pool: &mut Pool| -> Vec<_> {
        pool.clear();
        roots
            .iter()
            .flat_map(|root| [nodes(50_000), depth(7)].map(|limits| (root, limits)))
            .map(|(root, limits)| {
                let outcome = run(pool, root, limits).0;
                (outcome.nodes, outcome.score, outcome.pv)
            })
            .collect()
    };
    let mut first = pool(1);
    let expected = searched(&mut first);
    // After clearing, and in another pool.
    assert_eq!(searched(&mut first), expected);
    assert_eq!(searched(&mut pool(1)), expected);
}

#[test]
fn reports_several_lines() {
    let _turn = together();
    let mut pool = pool(1);
    let root = start();
    let log = Arc::new(Log::default());
    let options = SearchOptions {
        multi_pv: 500,
        ..options()
    };
    pool.start(root.clone(), depth(3), options, log.clone());
    pool.wait();
    log.checked(&root);
    let infos = log.infos.lock().unwrap();
    let last = &infos[infos.len() - 30..];
    let mut seen = Vec::new();
    for (index, info) in last.iter().enumerate() {
        assert_eq!((info.multi_pv, info.multi_pv_count), (index + 1, 30));
        assert!(!seen.contains(&info.pv[0]));
        seen.push(info.pv[0]);
        assert!(index == 0 || info.score <= last[index - 1].score);
    }
}

#[test]
fn searches_only_the_moves_asked_for() {
    let _turn = together();
    let mut pool = pool(1);
    let root = start();
    let asked = ["9g9f", "1g1f"].map(|text| root.parse_move(text).unwrap());
    let limits = Limits {
        searchmoves: asked.to_vec(),
        ..depth(5)
    };
    let (outcome, log) = run(&mut pool, &root, limits);
    assert!(asked.contains(&outcome.pv[0]));
    assert!(
        log.infos
            .lock()
            .unwrap()
            .iter()
            .all(|info| asked.contains(&info.pv[0]))
    );
}

#[test]
fn pondering_waits_for_the_hit() {
    let _turn = alone();
    let mut pool = pool(2);
    let root = start();
    let cases = [
        (None, Some(clock(100, 200)), 300),
        (Some(clock(0, 300)), None, 300),
        (Some(clock(0, 60_000)), Some(clock(0, 200)), 200),
        // No clock anywhere: about a second.
        (None, None, 1500),
    ];
    for (before, after, within) in cases {
        let log = Arc::new(Log::default());
        let limits = Limits {
            clock: before,
            ponder: true,
            ..Limits::default()
        };
        pool.start(root.clone(), limits, options(), log.clone());
        std::thread::sleep(Duration::from_millis(400));
        assert!(!log.answered() && pool.is_searching());
        let hit = Instant::now();
        pool.ponderhit(after);
        pool.wait();
        let answered = log.outcomes.lock().unwrap()[0].0 - hit;
        assert!(answered <= Duration::from_millis(within), "{answered:?}");
        log.checked(&root);
    }
    // A miss.
    let log = Arc::new(Log::default());
    let limits = Limits {
        ponder: true,
        clock: Some(clock(0, 1000)),
        ..Limits::default()
    };
    pool.start(root.clone(), limits, options(), log.clone());
    pool.stop();
    pool.wait();
    assert!(log.answered());
}

#[test]
fn a_reached_depth_is_held_back_while_pondering() {
    let _turn = together();
    let mut pool = pool(1);
    let log = Arc::new(Log::default());
    let limits = Limits {
        ponder: true,
        ..depth(1)
    };
    pool.start(start(), limits, options(), log.clone());
    std::thread::sleep(Duration::from_millis(50));
    assert!(!log.answered());
    pool.ponderhit(None);
    pool.wait();
    assert!(log.answered());
}

#[test]
fn clocks_are_kept() {
    let _turn = alone();
    let mut pool = pool(1);
    let root = sfen(MIDDLE_GAME);
    for (time, byoyomi) in [
        (0, 0),
        (-500, 0),
        (0, 50),
        (0, 100),
        (50, 0),
        (1000, 0),
        (0, 1000),
    ] {
        let limits = Limits {
            clock: Some(clock(time, byoyomi)),
            ..Limits::default()
        };
        let mut used = || {
            let begin = Instant::now();
            let (outcome, _) = run(&mut pool, &root, limits.clone());
            assert!(matches!(outcome.best, BestMove::Move { .. }));
            begin.elapsed().as_millis() as i64
        };
        // A few tries, because the machine may be loaded.
        let allowed = (time.max(0) + byoyomi).max(20);
        let used = (0..10).map(|_| used()).find(|&used| used <= allowed);
        let used = used.unwrap_or_else(|| panic!("{time} {byoyomi}: never in time"));
        if byoyomi == 1000 {
            assert!(used >= 400, "{used}");
        }
    }
    let limits = Limits {
        movetime: Some(200),
        ..Limits::default()
    };
    let begin = Instant::now();
    run(&mut pool, &root, limits);
    let used = begin.elapsed().as_millis();
    assert!((200..260).contains(&used), "{used}");
}

#[test]
fn a_single_reply_is_played_fast() {
    let _turn = alone();
    // The only way out of check is to take.
    let root = sfen("4k4/9/9/9/9/9/9/3rr4/R3Kr3 b - 1");
    assert_eq!(root.count_moves(), 1);
    let limits = Limits {
        clock: Some(clock(0, 10_000)),
        ..Limits::default()
    };
    let begin = Instant::now();
    run(&mut pool(1), &root, limits);
    assert!(begin.elapsed() < Duration::from_secs(3));
}

#[test]
fn resigns_at_the_limit_only() {
    let _turn = together();
    let root = sfen("4k4/9/9/9/9/9/9/9/4K4 b 2r2b4g 1");
    let mut pool = pool(1);
    assert!(matches!(
        run(&mut pool, &root, depth(3)).0.best,
        BestMove::Move { .. }
    ));
    let options = SearchOptions {
        resign_value: 2000,
        ..options()
    };
    let outcome = pool.search(root, depth(3), options);
    assert_eq!(outcome.best, BestMove::Resign);
}

#[test]
fn draws_by_the_move_limit_count() {
    let _turn = together();
    let rules = Rules {
        max_moves: 2,
        ..Rules::default()
    };
    let root = Position::from_sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S 2", &rules).unwrap();
    let mut options = options();
    options.draw_value = [-50, 70];
    let outcome = pool(1).search(root, depth(4), options);
    assert_eq!(outcome.score, -50);
}

#[test]
fn a_panic_is_answered_with_a_legal_move() {
    let _turn = together();
    for threads in [1, 2] {
        for fuse in [1, 2, 50, 5000, 60_000] {
            let bomb = Bomb(Arc::new(AtomicU64::new(fuse)));
            let mut pool = ThreadPool::new(bomb.clone(), threads, 4);
            for _ in 0..2 {
                let log = Arc::new(Log::default());
                let limits = Limits {
                    clock: Some(clock(0, 400)),
                    ..Limits::default()
                };
                pool.start(start(), limits, options(), log.clone());
                pool.wait();
                let outcome = log.checked(&start());
                assert!(matches!(outcome.best, BestMove::Move { .. }));
                bomb.0.store(fuse, Ordering::Relaxed);
            }
        }
    }
}

#[test]
fn threads_never_hang() {
    let _turn = together();
    let mut pool = pool(2);
    let roots = [start(), sfen(MIDDLE_GAME), sfen(MATED), sfen(MATE_IN_3)];
    for round in 0..1000u64 {
        let root = &roots[round as usize % roots.len()];
        let log = Arc::new(Log::default());
        let limits = match round % 5 {
            0 => nodes(round % 97),
            1 => depth(2),
            2 => infinite(),
            3 => Limits {
                clock: Some(clock(0, 1)),
                ..Limits::default()
            },
            _ => Limits {
                ponder: true,
                ..Limits::default()
            },
        };
        pool.start(root.clone(), limits, options(), log.clone());
        if round % 3 == 0 {
            pool.clear();
        } else if round % 7 == 0 {
            // Starting anew ends the search before.
            continue;
        }
        pool.stop();
        pool.ponderhit(None);
        pool.stop();
        pool.wait();
        log.checked(root);
        assert!(!pool.is_searching());
    }
}

#[test]
fn resizing_keeps_the_pool_usable() {
    let _turn = alone();
    let mut pool = pool(1);
    assert_eq!(pool.set_threads(3), 3);
    assert_eq!(pool.set_hash(1), 1);
    run(&mut pool, &start(), depth(4));
    assert_eq!(pool.set_threads(0), 1);
    // More than there is: something smaller comes.
    assert!(pool.set_hash(1 << 40) >= 1);
    assert_eq!(pool.set_hash(8), 8);
    run(&mut pool, &start(), depth(4));
    let begin = Instant::now();
    pool.clear();
    assert!(begin.elapsed() < Duration::from_millis(5));
}

#[test]
fn repetition_is_avoided_when_ahead() {
    let _turn = together();
    // Black is far ahead; a draw by repetition is worth less than the material.
    let root = sfen("4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G 1");
    let mut position = root.clone();
    for text in [
        "5i5h", "5a5b", "5h5i", "5b5a", "5i5h", "5a5b", "5h5i", "5b5a",
    ] {
        let m = position.parse_move(text).unwrap();
        position.make(m);
    }
    let (outcome, _) = run(&mut pool(1), &position, depth(5));
    assert!(outcome.score > 1000);
    assert_ne!(best(&outcome), "5i5h");
}

#[test]
fn mates_are_proven_not_guessed() {
    let _turn = together();
    // Every mate that the search reports within three plies is one.
    let mut pool = pool(1);
    for text in [MATE_IN_1, MATE_IN_3, MIDDLE_GAME] {
        let mut root = sfen(text);
        let (outcome, _) = run(&mut pool, &root, depth(6));
        if outcome.score >= MATE_IN_MAX_PLY && MATE - outcome.score <= 3 {
            let plies = (MATE - outcome.score) as usize;
            assert_eq!(brute_force(&mut root, 3), Some(plies), "{text}");
        }
    }
}

#[test]
fn plays_whole_games_under_every_rule() {
    let _turn = together();
    let king_capture = Rules::king_capture();
    let mut all = vec![king_capture];
    for entering_king in [EnteringKingRule::CSARule27, EnteringKingRule::TryRule] {
        all.push(Rules {
            entering_king,
            max_moves: 150,
            ..Rules::default()
        });
    }
    for rules in all {
        let mut pool = pool(1);
        for opening in 0..6 {
            let mut position = Position::start(&rules);
            let mut moves = tsuru::core::MoveList::new();
            position.generate(Stage::All, false, &mut moves);
            position.make(moves[opening * 5 % moves.len()]);
            pool.clear();
            while position.end().is_none() && position.ply() < 300 {
                let (outcome, _) = run(&mut pool, &position, nodes(400));
                match outcome.best {
                    BestMove::Move { best, .. } => position.make(best),
                    BestMove::Win | BestMove::Resign => break,
                }
            }
        }
    }
}
