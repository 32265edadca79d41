//! Perft against the two fastest shogi move generators on crates.io, in one run.
//!
//! Every library counts its leaves in bulk, in the fastest way its public API
//! has: rsshogi with its own `compute_perft`, haitaka by summing the exact
//! lengths of its piece-move sets. All three must give the known number.

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use std::hint::black_box;
use std::time::Duration;

/// Name, sfen, depth, leaves.
const POSITIONS: [(&str, &str, u32, u64); 2] = [
    (
        "startpos",
        "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
        5,
        19_861_490,
    ),
    (
        "matsuri",
        "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
        3,
        4_809_015,
    ),
];

fn haitaka_perft(board: &haitaka::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.into_iter().len() as u64;
        } else {
            for m in moves {
                let mut child = board.clone();
                child.play_unchecked(m);
                nodes += haitaka_perft(&child, depth - 1);
            }
        }
        false
    });
    nodes
}

fn perft(c: &mut Criterion) {
    for (name, sfen, depth, leaves) in POSITIONS {
        let mut group = c.benchmark_group(format!("perft/{name}"));
        group
            .sample_size(10)
            .sampling_mode(SamplingMode::Flat)
            .warm_up_time(Duration::from_secs(1))
            .measurement_time(Duration::from_secs(5))
            .throughput(Throughput::Elements(leaves));

        let mut position = tsuru::shogi::Position::from_sfen(sfen, &Default::default())
            .expect("a position for tsuru");
        assert_eq!(tsuru::perft::perft(&mut position, depth), leaves);
        group.bench_function(BenchmarkId::new("tsuru", depth), |b| {
            b.iter(|| tsuru::perft::perft(black_box(&mut position), depth));
        });

        let mut position = rsshogi::board::position_from_sfen(sfen).expect("for rsshogi");
        position.init_stack();
        let rsshogi_depth = depth as u8;
        assert_eq!(
            rsshogi::board::perft::compute_perft(&mut position, rsshogi_depth),
            leaves
        );
        group.bench_function(BenchmarkId::new("rsshogi", depth), |b| {
            b.iter(|| {
                rsshogi::board::perft::compute_perft(black_box(&mut position), rsshogi_depth)
            });
        });

        let board = haitaka::Board::from_sfen(sfen).expect("a position for haitaka");
        assert_eq!(haitaka_perft(&board, depth), leaves);
        group.bench_function(BenchmarkId::new("haitaka", depth), |b| {
            b.iter(|| haitaka_perft(black_box(&board), depth));
        });
        group.finish();
    }
}

criterion_group!(benches, perft);
criterion_main!(benches);
