//! The built-in network says what it said when it was built in.
//!
//! Positions: every so many of `floodgate_positions.txt` in the project's shared test
//! material (games of floodgate). The values pin the file, its reader and the
//! arithmetic; they change only with the network.

use tsuru::eval::nnue::DEFAULT_FV_SCALE;
use tsuru::eval::shogi::ShogiEvaluator;
use tsuru::game::Evaluator;
use tsuru::shogi::{Position, Rules};

/// Positions, and their evaluation in centipawns for the side to move.
const GOLDEN: [(&str, i32); 20] = [
    (
        "l6nl/3+B2gk1/p4p1p1/2GP2s2/1p2PP1Pp/2Gp3R1/PKP1s+bN2/1S7/LN6L w RG3Psn3p 1",
        -408,
    ),
    (
        "2+R2g1nl/+B2ps1ks1/4pp1p1/4s1p1p/2P4P1/5PP2/PP2+n1K1P/5+n1R1/7NL b B3GLPsl4p 1",
        360,
    ),
    (
        "ln1g3nl/1kn2g3/1ps1S3p/p1pp1Sp2/8P/P1P6/1P1P1P3/1BKSG4/LN1G3+rL w B3Pr3p 1",
        424,
    ),
    (
        "ln3+N2l/1r1G5/p1pp+BS1pp/2kg1pp2/6S2/1PP+bsP3/PS1g2K1P/6G2/L6RL b N3Pn3p 1",
        969,
    ),
    (
        "l3r2nl/1S1P1kg2/2Bgpp1p1/p4sp1p/3N1N3/PPG1SPP1P/3pP4/1K1s1G3/LN5RL b Pb3p 1",
        45,
    ),
    (
        "l6nl/3s1bgk1/2np1s1p1/pr1gppp2/1pp5p/P1PPPPPP1/1P1S1GNSP/2RB2GK1/LN6L b - 1",
        40,
    ),
    (
        "lr5nl/3g1kg2/2ns1psp1/p1p1p1p1p/1p1p1P1P1/P1P2BP1P/1PSPPSN2/2G2G3/LNK4RL w b 1",
        -25,
    ),
    (
        "l6nl/1r1kg1g2/psn1p1ppp/3p2s2/1pP2p1P1/3PP2S1/PPS2P2P/2G1G1R2/LN1K3NL b BPbp 1",
        570,
    ),
    (
        "ln1grk1nl/3s1sg2/p4pPpp/2p6/3PpP3/1PP3SPP/PpSGP3N/3K1G1B1/L7L w R2Pbn 1",
        27,
    ),
    (
        "1r4knl/l3g1g2/3p1ppSg/P2sp2P1/1N2P1PSp/3P1P3/1PB5P/5G3/L2K3RL b B3Ps2n2p 1",
        -96,
    ),
    (
        "l4k1nl/1r1sg1g2/2nppsbpp/p1p2pp2/1p5P1/P1PP1PP2/1PBSP3P/2G1GS1R1/LNK4NL w - 1",
        52,
    ),
    (
        "5g1n1/2+R3sk1/1+P1p3p1/4s1pl1/P2Ppr1l1/1B2P1G1l/3S2PPP/+l3G1SK1/+b4G1N1 b P2n6p 1",
        -61,
    ),
    (
        "ln1g3nl/1rs1k1gs1/p1pppp1pp/6p2/9/2P4RP/PP1PPPP2/1SG1K1S2/LN3G1NL b BPbp 1",
        135,
    ),
    (
        "ln1gs1b1l/2sk2g2/2pp1pn2/p3p2rp/6p2/P1PGSP1PP/1P1PP1PG1/1BKS3R1/LN5NL w 2p 1",
        -91,
    ),
    (
        "ln1gk1snl/1r1s2gb1/p1pppp1pp/6p2/1p5P1/2P6/PPBPPPP1P/6SR1/LNSGKG1NL b - 1",
        226,
    ),
    (
        "ln1g1r1nl/2s4P1/2kp1sg1p/ppp2p1p1/4pSp2/PPP6/1K1PGP2P/2S4R1/LN1G3NL b Bb2p 1",
        -380,
    ),
    (
        "ln7/1ks+P5/2pp5/1pn1p4/ps1Pb4/2P6/PPSG4P/1K1G5/LN7 w RN2LPrb2gs6p 1",
        1588,
    ),
    (
        "1+L5n1/3rg2k1/2p2ssgl/4pp1p1/6N1p/2PBRSpS1/1GNPPPN2/1L1K2G2/5bP1L w 2P5p 1",
        -475,
    ),
    (
        "l6nl/2bs2gkp/1pn1g1sp1/p2Ppp+b1P/4GPpPL/4SG3/PP1p5/1KS4R1/LN5N1 b R4P 1",
        48,
    ),
    (
        "l5knl/5s3/pr4g2/3R1p1Pp/2gn1b+B2/6P1P/PP2PP3/2S2K3/LN1G2S1L b S4Pgn4p 1",
        131,
    ),
];

#[test]
fn the_built_in_network_evaluates_as_ever() {
    for (sfen, value) in GOLDEN {
        let position = Position::from_sfen(sfen, &Rules::default()).unwrap();
        let mut evaluator = ShogiEvaluator::built_in(DEFAULT_FV_SCALE);
        evaluator.reset(&position);
        assert_eq!(evaluator.evaluate(&position), value, "{sfen}");
    }
}
