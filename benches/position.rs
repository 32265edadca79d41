//! What a search node is made of: legal generation, make and unmake, static
//! exchange evaluation and evaluation, over 100 positions of floodgate games.
//! Times are per pass over all of them; the throughput counts moves or positions.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::time::Duration;
use tsuru::core::MoveList;
use tsuru::eval::hand::HandEvaluator;
use tsuru::game::{Evaluator, MateGame, Stage};
use tsuru::shogi::{Move, Position, Rules};

fn positions() -> Vec<Position> {
    include_str!("../tests/data/positions.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| Position::from_sfen(line, &Rules::default()).expect(line))
        .collect()
}

fn legal_moves(position: &Position) -> MoveList<Move> {
    let mut moves = MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    moves
}

fn generation(c: &mut Criterion) {
    let positions = positions();
    let mut group = c.benchmark_group("generate");
    group.measurement_time(Duration::from_secs(3));
    for (name, stage) in [
        ("all", Stage::All),
        ("noisy", Stage::Noisy),
        ("quiet", Stage::Quiet),
        ("quiet checks", Stage::QuietChecks),
    ] {
        let generate = |position: &Position| {
            let mut moves = MoveList::new();
            position.generate(stage, false, &mut moves);
            moves.len()
        };
        let moves: usize = positions.iter().map(generate).sum();
        group.throughput(Throughput::Elements(moves as u64));
        group.bench_function(name, |b| {
            b.iter(|| black_box(&positions).iter().map(generate).sum::<usize>());
        });
    }
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("count", |b| {
        b.iter(|| {
            let positions = black_box(&positions).iter();
            positions.map(Position::count_moves).sum::<usize>()
        });
    });
    group.finish();
}

fn moves(c: &mut Criterion) {
    let mut positions: Vec<_> = positions()
        .into_iter()
        .map(|position| (legal_moves(&position), position))
        .collect();
    let count: usize = positions.iter().map(|(moves, _)| moves.len()).sum();
    let mut group = c.benchmark_group("moves");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("make and unmake", |b| {
        b.iter(|| {
            for (moves, position) in &mut positions {
                for &m in moves.iter() {
                    position.make(m);
                    black_box(&position);
                    position.unmake();
                }
            }
        });
    });
    group.bench_function("gives_check", |b| {
        b.iter(|| {
            let mut checks = 0;
            for (moves, position) in black_box(&positions) {
                let info = position.check_info();
                checks += moves
                    .iter()
                    .filter(|&&m| position.gives_check(m, &info))
                    .count();
            }
            checks
        });
    });
    group.finish();

    let mut group = c.benchmark_group("mate");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("in one", |b| {
        b.iter(|| {
            let mates = black_box(&mut positions).iter_mut();
            mates.filter_map(|(_, p)| p.mating_check()).count()
        });
    });
    group.finish();

    let mut group = c.benchmark_group("moves");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(count as u64));
    group.bench_function("see_ge", |b| {
        b.iter(|| {
            let mut good = 0;
            for (moves, position) in black_box(&positions) {
                good += moves.iter().filter(|&&m| position.see_ge(m, 0)).count();
            }
            good
        });
    });
    group.finish();
}

fn evaluation(c: &mut Criterion) {
    let positions = positions();
    let mut evaluator = HandEvaluator;
    let mut group = c.benchmark_group("evaluate");
    group.measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(positions.len() as u64));
    group.bench_function("hand-written", |b| {
        b.iter(|| {
            let mut sum = 0;
            for position in black_box(&positions) {
                evaluator.reset(position);
                sum += evaluator.evaluate(position);
            }
            sum
        });
    });
    group.finish();
}

criterion_group!(benches, generation, moves, evaluation);
criterion_main!(benches);
