//! Properties of the rules over random games: move generation against the plain
//! definition of legality, make and unmake, keys, texts.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tsuru::core::{Color, MoveList};
use tsuru::game::{Game, GameMove, Stage};
use tsuru::shogi::{Move, Piece, PieceKind, Position, Rules, Source, Square};

/// The rules once more, square by square on a plain board, slow and obvious.
mod definition {
    use super::*;

    #[derive(Clone)]
    pub struct Board {
        pub squares: [[Option<Piece>; 9]; 9],
        pub side: Color,
    }

    pub fn read(position: &Position) -> Board {
        let mut squares = [[None; 9]; 9];
        for square in Square::all() {
            squares[square.file()][square.rank()] = position.piece_on(square);
        }
        Board {
            squares,
            side: position.side_to_move(),
        }
    }

    impl Board {
        fn at(&self, square: Square) -> Option<Piece> {
            self.squares[square.file()][square.rank()]
        }

        /// Whether the piece on `from` reaches `to` by its movement.
        fn reaches(&self, from: Square, to: Square) -> bool {
            use PieceKind::*;
            let Some(piece) = self.at(from) else {
                return false;
            };
            let files = to.file() as i32 - from.file() as i32;
            let mut ranks = to.rank() as i32 - from.rank() as i32;
            if piece.color == Color::White {
                ranks = -ranks;
            }
            let king_step = files.abs() <= 1 && ranks.abs() <= 1 && (files, ranks) != (0, 0);
            let gold_step = king_step && !(files != 0 && ranks == 1);
            let orthogonal = (files == 0) != (ranks == 0);
            let diagonal = files.abs() == ranks.abs() && files != 0;
            let slides = || {
                let step = |d: i32| d.signum();
                let real = to.rank() as i32 - from.rank() as i32;
                let mut at = from.offset(step(files), step(real));
                while let Some(square) = at {
                    if square == to {
                        return true;
                    }
                    if self.at(square).is_some() {
                        return false;
                    }
                    at = square.offset(step(files), step(real));
                }
                false
            };
            match piece.kind {
                Pawn => (files, ranks) == (0, -1),
                Lance => files == 0 && ranks < 0 && slides(),
                Knight => files.abs() == 1 && ranks == -2,
                Silver => king_step && ranks != 0 && !(files == 0 && ranks == 1),
                Gold | ProPawn | ProLance | ProKnight | ProSilver => gold_step,
                King => king_step,
                Bishop => diagonal && slides(),
                Rook => orthogonal && slides(),
                Horse => king_step || diagonal && slides(),
                Dragon => king_step || orthogonal && slides(),
            }
        }

        /// Whether the king of `color` is attacked.
        pub fn in_check(&self, color: Color) -> bool {
            let king = Piece::new(color, PieceKind::King);
            Square::all()
                .filter(|&square| self.at(square) == Some(king))
                .any(|king| {
                    Square::all().any(|from| {
                        self.at(from).is_some_and(|piece| piece.color != color)
                            && self.reaches(from, king)
                    })
                })
        }

        fn after(&self, m: Move) -> Board {
            let mut next = self.clone();
            let to = m.to();
            let piece = match m.source() {
                Source::Hand(kind) => Piece::new(self.side, kind),
                Source::Board(from) => {
                    next.squares[from.file()][from.rank()] = None;
                    let piece = self.at(from).unwrap();
                    match piece.kind.promoted() {
                        Some(kind) if m.is_promotion() => Piece::new(self.side, kind),
                        _ => piece,
                    }
                }
            };
            next.squares[to.file()][to.rank()] = Some(piece);
            next.side = !self.side;
            next
        }

        /// Whether the movement of the piece and the rules of promotion and of
        /// drops allow the move; kings left in check and mates by a pawn drop do
        /// not matter here.
        pub fn is_pseudo_legal(&self, position: &Position, m: Move) -> bool {
            let us = self.side;
            let to = m.to();
            // 1 is the farthest rank.
            let far = |square: Square| 1 + square.relative_rank(us);
            let stuck = |kind| match kind {
                PieceKind::Pawn | PieceKind::Lance => far(to) == 1,
                PieceKind::Knight => far(to) <= 2,
                _ => false,
            };
            match m.source() {
                Source::Hand(kind) => {
                    let own_pawn = Some(Piece::new(us, PieceKind::Pawn));
                    let nifu =
                        kind == PieceKind::Pawn && self.squares[to.file()].contains(&own_pawn);
                    position.hand(us).count(kind) > 0
                        && self.at(to).is_none()
                        && !stuck(kind)
                        && !nifu
                }
                Source::Board(from) => self.at(from).is_some_and(|piece| {
                    let promotion_ok = if m.is_promotion() {
                        piece.kind.promoted().is_some() && (far(from) <= 3 || far(to) <= 3)
                    } else {
                        !stuck(piece.kind)
                    };
                    piece.color == us
                        && self.at(to).is_none_or(|other| other.color != us)
                        && self.reaches(from, to)
                        && promotion_ok
                }),
            }
        }

        /// Whether the move is legal in standard shogi.
        pub fn is_legal(&self, position: &Position, m: Move) -> bool {
            if !self.is_pseudo_legal(position, m) {
                return false;
            }
            let next = self.after(m);
            if next.in_check(self.side) {
                return false;
            }
            let pawn_drop = m.source() == Source::Hand(PieceKind::Pawn);
            if pawn_drop && next.in_check(next.side) {
                let mut after = position.clone();
                after.make(m);
                let saved = all_moves().any(|reply| {
                    next.is_pseudo_legal(&after, reply) && !next.after(reply).in_check(next.side)
                });
                return saved;
            }
            true
        }
    }
}

/// Every move that can be written down.
fn all_moves() -> impl Iterator<Item = Move> {
    (0..=u16::MAX).filter_map(Move::from_bits)
}

fn generated(position: &Position, stage: Stage, all: bool) -> Vec<Move> {
    let mut moves = MoveList::new();
    position.generate(stage, all, &mut moves);
    moves.to_vec()
}

fn set(moves: &[Move]) -> BTreeSet<u16> {
    let set: BTreeSet<u16> = moves.iter().map(|m| m.to_bits()).collect();
    assert_eq!(set.len(), moves.len(), "a move was generated twice");
    set
}

/// Whether a move is one that the generator leaves out with `all` false.
fn is_useless(position: &Position, m: Move) -> bool {
    let Source::Board(from) = m.source() else {
        return false;
    };
    let piece = position.piece_on(from).unwrap();
    let us = position.side_to_move();
    let to_rank = m.to().relative_rank(us);
    let may_promote = to_rank < 3 || from.relative_rank(us) < 3;
    !m.is_promotion()
        && match piece.kind {
            PieceKind::Pawn | PieceKind::Bishop | PieceKind::Rook => may_promote,
            PieceKind::Lance => to_rank < 2,
            _ => false,
        }
}

/// Checks every property of one position.
fn check(position: &Position) {
    let sfen = position.sfen();
    let standard = position.rules().protects_king();
    let board = definition::read(position);
    assert_eq!(
        position.in_check(),
        board.in_check(position.side_to_move()),
        "{sfen}"
    );

    let legal = generated(position, Stage::All, true);
    let legal_set = set(&legal);
    for m in all_moves() {
        let by_definition = if standard {
            board.is_legal(position, m)
        } else {
            board.is_pseudo_legal(position, m)
        };
        assert_eq!(
            by_definition,
            legal_set.contains(&m.to_bits()),
            "{m} in {sfen}"
        );
        assert_eq!(by_definition, position.is_legal(m), "{m} in {sfen}");
    }
    assert_eq!(position.count_moves(), legal.len(), "{sfen}");

    for all in [false, true] {
        let whole = set(&generated(position, Stage::All, all));
        let noisy = set(&generated(position, Stage::Noisy, all));
        let quiet = set(&generated(position, Stage::Quiet, all));
        assert!(noisy.is_disjoint(&quiet), "{sfen}");
        assert_eq!(&noisy | &quiet, whole, "{sfen}");
        assert!(whole.is_subset(&legal_set));
        if standard {
            let expected = legal
                .iter()
                .filter(|&&m| all || !is_useless(position, m))
                .map(|m| m.to_bits())
                .collect();
            assert_eq!(whole, expected, "{sfen}");
            assert_eq!(whole.is_empty(), legal.is_empty(), "{sfen}");
        }
        let info = position.check_info();
        let moves = |bits: &BTreeSet<u16>| -> Vec<Move> {
            bits.iter().filter_map(|&b| Move::from_bits(b)).collect()
        };
        assert!(moves(&noisy).into_iter().all(|m| position.is_noisy(m)));
        assert!(!moves(&quiet).into_iter().any(|m| position.is_noisy(m)));
        let checks: BTreeSet<u16> = moves(&quiet)
            .into_iter()
            .filter(|&m| position.gives_check(m, &info))
            .map(|m| m.to_bits())
            .collect();
        assert_eq!(
            set(&generated(position, Stage::QuietChecks, all)),
            checks,
            "{sfen}"
        );
    }

    let info = position.check_info();
    // Under the king-capture rules a king may have been left attacked; then any
    // move keeps it so.
    let king_was_attacked = board.in_check(!position.side_to_move());
    let mut copy = position.clone();
    for &m in &legal {
        let gives_check = position.gives_check(m, &info);
        let key = position.key_after(m);
        copy.make(m);
        copy.assert_consistent();
        if !king_was_attacked && copy.king(copy.side_to_move()).is_some() {
            assert_eq!(copy.in_check(), gives_check, "{m} in {sfen}");
        }
        assert_eq!(copy.key(), key, "{m} in {sfen}");
        copy.unmake();
        assert_eq!(copy.sfen(), sfen);
        assert_eq!(copy.key(), position.key());
        assert_eq!(Move::from_usi(&m.to_string()), Some(m));
        assert_eq!(position.parse_move(&m.to_string()), Ok(m));
    }
    copy.assert_consistent();
    assert_eq!(copy.checkers(), position.checkers());
    assert_eq!(copy.pinned(), position.pinned());
    if position.can_pass() {
        copy.make_null();
        copy.assert_consistent();
        copy.unmake_null();
        assert_eq!(copy.sfen(), sfen);
    }

    let again = Position::from_sfen(&sfen, position.rules()).unwrap();
    assert_eq!(again.sfen(), sfen);
    assert_eq!(again.key(), position.key());
}

/// Plays a random game and checks a position now and then, then takes every move
/// back.
fn random_game(start: &str, rules: &Rules, choices: &[u16]) {
    let mut position = Position::from_sfen(start, rules).unwrap();
    let mut sfens = Vec::new();
    for (i, &choice) in choices.iter().enumerate() {
        if i % 24 == 0 {
            check(&position);
        }
        let moves = position.legal_moves();
        if moves.is_empty() || position.king(position.side_to_move()).is_none() {
            break;
        }
        sfens.push(position.sfen());
        position.make(moves[usize::from(choice) % moves.len()]);
    }
    check(&position);
    while let Some(sfen) = sfens.pop() {
        position.unmake();
        assert_eq!(position.sfen(), sfen);
    }
    position.assert_consistent();
}

const STARTS: [&str; 6] = [
    "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
    "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
    "ln1g3kn/3s5/p2pp+S1+Bp/2p2p3/6Lp1/P1P3PN1/1+r1PPP2P/2GSK2S1/L1G2G1NL b RB4P 63",
    "4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L18P 1",
    "k8/9/1+R7/9/9/9/9/9/9 b P 1",
    "4k4/9/9/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w 3p 1",
];

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_games_of_standard_shogi(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..200),
    ) {
        random_game(STARTS[start], &Rules::default(), &choices);
    }

    #[test]
    fn random_games_of_king_capture(
        start in 0..STARTS.len(),
        choices in prop::collection::vec(any::<u16>(), 0..200),
    ) {
        random_game(STARTS[start], &Rules::king_capture(), &choices);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*") {
        if let Ok(position) = Position::from_sfen(&text, &Rules::default()) {
            check(&position);
        }
        let _ = Position::start(&Rules::default()).parse_move(&text);
    }

    /// Boards of any pieces, more than the game has and stuck ones included.
    #[test]
    fn any_board_is_survived(
        pieces in prop::collection::vec((0usize..81, 0usize..14, any::<bool>()), 0..60),
        white in any::<bool>(),
        hand in "[PLNSGBR]{0,3}[plnsgbr]{0,3}",
        choices in prop::collection::vec(any::<u16>(), 0..40),
    ) {
        let mut board = vec!["1".to_owned(); 81];
        let mut kings = [false; 2];
        for (square, kind, black) in pieces {
            let color = if black { Color::Black } else { Color::White };
            let kind = PieceKind::ALL[kind];
            if kind == PieceKind::King && std::mem::replace(&mut kings[color.index()], true) {
                continue;
            }
            if board[square].eq_ignore_ascii_case("k") {
                kings[usize::from(board[square] == "k")] = false;
            }
            board[square] = Piece::new(color, kind).to_string();
        }
        let rows: Vec<String> = board.chunks(9).map(<[String]>::concat).collect();
        let hand = if hand.is_empty() { "-".to_owned() } else { hand };
        let turn = if white { "w" } else { "b" };
        let sfen = format!("{} {turn} {hand} 1", rows.join("/"));
        let mut position = Position::from_sfen(&sfen, &Rules::default()).unwrap();
        for choice in choices {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.make(moves[usize::from(choice) % moves.len()]);
            position.assert_consistent();
            let _ = (position.end(), position.repetition(), position.immediate_win());
        }
    }
}
