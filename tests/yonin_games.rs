//! Four-player shogi as a whole: games with known ends (`data/yonin_games*.jsonl`),
//! positions with known leaf counts (`data/yonin_positions.txt`), and what must hold in every position of random play.

use proptest::prelude::*;
use serde_json::Value;
use tsuru::game::{Game, GameMove, Stage};
use tsuru::shogi::{Bitboard, Move, PieceKind, Square};
use tsuru::yonin::{
    BestReply, Board, End, Format, IllegalMove, Mated, Paranoid, Position, Rules, Seat, attacks,
};

fn rules_of(options: &Value) -> Rules {
    let mut rules = Rules::default();
    for (name, value) in options.as_object().unwrap() {
        let word = match value {
            Value::String(word) => word.clone(),
            number => number.to_string(),
        };
        rules.set(name, &word).unwrap();
    }
    rules
}

#[test]
fn games_come_to_their_known_ends() {
    let games = [
        include_str!("data/yonin_games.jsonl"),
        include_str!("data/yonin_games_python.jsonl"),
    ];
    for (number, line) in games.iter().flat_map(|games| games.lines()).enumerate() {
        let game: Value = serde_json::from_str(line).unwrap();
        let rules = rules_of(&game["options"]);
        let mut position = Position::from_yfen(game["start"].as_str().unwrap(), &rules).unwrap();
        let first = position.yfen();
        let moves = game["moves"].as_array().unwrap();
        for (text, legal) in moves.iter().zip(game["legal"].as_array().unwrap()) {
            assert_eq!(
                position.board().count_moves() as u64,
                legal.as_u64().unwrap(),
                "game {number}, {}",
                position.yfen()
            );
            let m = position.parse_move(text.as_str().unwrap());
            position.make(m.unwrap_or_else(|error| panic!("game {number}: {error}")));
            position.board().assert_consistent();
        }
        assert_eq!(
            position.yfen(),
            game["final"].as_str().unwrap(),
            "game {number}"
        );
        let outcome = position.outcome();
        let reason = outcome.map(|outcome| outcome.reason.name());
        assert_eq!(reason, game["reason"].as_str(), "game {number}");
        let places = outcome.and_then(|outcome| outcome.places);
        let expected = game["places"].as_object();
        assert_eq!(places.is_some(), expected.is_some(), "game {number}");
        if let (Some(places), Some(expected)) = (places, expected) {
            for seat in Seat::ALL {
                let place = expected[&seat.to_string()].as_u64().unwrap();
                assert_eq!(u64::from(places[seat]), place, "game {number}");
            }
        }
        for _ in moves {
            position.unmake();
        }
        assert_eq!(position.yfen(), first, "game {number}");
    }
}

#[test]
fn leaf_counts_of_an_independent_generator() {
    let lines = include_str!("data/yonin_positions.txt").lines();
    for line in lines.filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(" ; ").collect();
        let mut rules = Rules::default();
        for option in fields[0].split(' ') {
            let (name, word) = option.split_once('=').unwrap();
            rules.set(name, word).unwrap();
        }
        let mut position = Position::from_yfen(fields[1], &rules).unwrap();
        let loaded = if fields[2] == "=" {
            fields[1]
        } else {
            fields[2]
        };
        assert_eq!(position.yfen(), loaded);
        assert_eq!(format!("D1 {}", position.board().count_moves()), fields[3]);
        let Some(two) = fields.get(4) else {
            continue;
        };
        let mut leaves = 0;
        for m in position.legal_moves() {
            position.make(m);
            leaves += position.board().count_moves();
            position.unmake();
        }
        assert_eq!(format!("D2 {leaves}"), *two, "{line}");
    }
}

/// Random numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        let (next, value) = tsuru::core::zobrist::splitmix64(self.0);
        self.0 = next;
        (value % end as u64) as usize
    }
}

fn start(rules: &Rules) -> Position {
    Position::start(rules)
}

/// Every option in turn.
fn some_rules(dice: &mut Dice) -> Rules {
    Rules {
        format: [Format::Singles, Format::Singles, Format::Pairs][dice.below(3)],
        end: [End::Two, End::Last][dice.below(2)],
        mated: [Mated::Mater, Mated::Unowned][dice.below(2)],
        limit: [0, 0, 60][dice.below(3)],
        first: Seat::ALL[dice.below(4)],
    }
}

/// All pieces: on the board and in hand.
fn pieces(board: &Board) -> u32 {
    let hands = Seat::ALL.map(|seat| board.hand(seat).iter().map(|(_, n)| n).sum::<u32>());
    board.occupied().count() + hands.iter().sum::<u32>()
}

/// Attacks on a king by the definition of check (Q1), piece by piece.
fn is_in_check(board: &Board, seat: Seat) -> bool {
    let Some(king) = board.king(seat) else {
        return false;
    };
    Square::all().any(|square| {
        board.piece_on(square).is_some_and(|piece| {
            piece.owner.is_some_and(|owner| owner != seat)
                && attacks::attacks(piece, square, board.occupied()).contains(king)
        })
    })
}

/// Whether a move obeys the rules, straight from their text: it is played on a
/// position of its own, and the kings are looked at.
fn obeys(position: &Position, m: Move) -> bool {
    let board = position.board();
    let us = position.turn();
    let to = m.to();
    let partner = board.rules().partner(us);
    let free = partner.is_some_and(|partner| !is_in_check(board, partner));
    match m.from() {
        Some(from) => {
            let Some(piece) = board.piece_on(from) else {
                return false;
            };
            if piece.owner != Some(us)
                || !attacks::attacks(piece, from, board.occupied()).contains(to)
                || board
                    .piece_on(to)
                    .is_some_and(|prey| prey.owner == Some(us) || prey.kind == PieceKind::King)
            {
                return false;
            }
            let last = attacks::last_line(piece.facing);
            let zone = attacks::zone(piece.facing);
            let promotes = m.is_promotion();
            if promotes
                && (piece.kind.promoted().is_none() || !(zone.contains(from) || zone.contains(to)))
                || !promotes && piece.kind == PieceKind::Pawn && last.contains(to)
            {
                return false;
            }
        }
        None => {
            let tsuru::shogi::Source::Hand(kind) = m.source() else {
                return false;
            };
            if !tsuru::yonin::piece::can_be_in_hand(kind)
                || !board.hand(us).has(kind)
                || board.piece_on(to).is_some()
            {
                return false;
            }
            if kind == PieceKind::Pawn {
                let double = Square::all().any(|square| {
                    attacks::column(us, to).contains(square)
                        && board.piece_on(square).is_some_and(|piece| {
                            piece.kind == PieceKind::Pawn && piece.facing == us
                        })
                });
                let ahead = attacks::pawn(us, to).first();
                let fallen = ahead.is_some_and(|ahead| {
                    board
                        .piece_on(ahead)
                        .is_some_and(|piece| piece.kind == PieceKind::King && piece.owner.is_none())
                });
                if ahead.is_none() || double || fallen {
                    return false;
                }
            }
        }
    }
    // Played without asking whether it is legal, and seen as a text, which knows
    // nothing of the generator's state.
    let after = after_move(position, m);
    if is_in_check(&after, us) || free && is_in_check(&after, us.opposite()) {
        return false;
    }
    true
}

/// The board after a move, read from [`text_after`].
fn after_move(position: &Position, m: Move) -> Board {
    let text = text_after(position, m, position.turn());
    let rules = position.board().rules();
    tsuru::yonin::yfen::parse(&text, rules).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The position's text with a move played on the board and another turn. The
/// victim of a pawn keeps his hand, which might parry; the others' are left out: the
/// mover's still holds what is dropped.
fn text_after(position: &Position, m: Move, turn: Seat) -> String {
    let board = position.board();
    let us = position.turn();
    let moved = match m.source() {
        tsuru::shogi::Source::Hand(kind) => tsuru::yonin::Piece::own(kind, us),
        tsuru::shogi::Source::Board(from) => {
            let piece = board.piece_on(from).unwrap();
            let kind = if m.is_promotion() {
                piece.kind.promoted().unwrap()
            } else {
                piece.kind
            };
            tsuru::yonin::Piece { kind, ..piece }
        }
    };
    let mut ranks = Vec::new();
    for rank in 0..9 {
        let mut text = String::new();
        for file in (0..9).rev() {
            let square = Square::new(file, rank).unwrap();
            let piece = if square == m.to() {
                Some(moved)
            } else if Some(square) == m.from() {
                None
            } else {
                board.piece_on(square)
            };
            // No two digits in a row: an empty square is its own token only next
            // to pieces, so runs are merged below.
            text.push_str(&piece.map_or_else(|| "1".to_owned(), |piece| piece.to_string()));
        }
        for run in (2..=9).rev() {
            text = text.replace(&"1".repeat(run), &run.to_string());
        }
        ranks.push(text);
    }
    let yfen = position.yfen();
    let mates = yfen.split(' ').nth(3).unwrap();
    let hands: Vec<&str> = yfen.split(' ').nth(2).unwrap().split('/').collect();
    let mut kept = ["-"; 4];
    if turn != us {
        kept[turn.index()] = hands[turn.index()];
    }
    format!("{} {turn} {} {mates}", ranks.join("/"), kept.join("/"))
}

/// Every move that the notation can write.
fn all_moves() -> Vec<Move> {
    (0..=u16::MAX).filter_map(Move::from_bits).collect()
}

/// Plays a random game; `look` sees every position.
fn random_game(seed: u64, plies: usize, mut look: impl FnMut(&Position)) -> Position {
    let mut dice = Dice(seed);
    let rules = some_rules(&mut dice);
    let mut position = start(&rules);
    for _ in 0..plies {
        look(&position);
        if position.outcome().is_some() {
            break;
        }
        let moves = position.legal_moves();
        // Captures and checks oftener than by chance, so that games get somewhere.
        let mut m = moves[dice.below(moves.len())];
        for _ in 0..3 {
            if position.board().piece_on(m.to()).is_none() {
                m = moves[dice.below(moves.len())];
            }
        }
        if position.is_banned(m) {
            break;
        }
        position.make(m);
    }
    position
}

#[test]
fn ten_thousand_random_games_keep_the_invariants() {
    use rayon::prelude::*;
    let endings: Vec<bool> = (0..10_000u64)
        .into_par_iter()
        .map(|seed| {
            let mut mover = None;
            let position = random_game(seed, 200, |position| {
                let board = position.board();
                assert_eq!(pieces(board), 36, "{}", position.yfen());
                assert_eq!(board.of_kind(PieceKind::King).count(), 4);
                // The player who moved last is never in check (Q7).
                if let Some(last) = board.last_mover() {
                    assert!(board.checkers(last).is_empty(), "{}", position.yfen());
                }
                if position.end_reason().is_none() {
                    assert!(board.count_moves() > 0);
                    // Whoever is in check comes before everybody who is not.
                    if Seat::ALL.iter().any(|&seat| board.checkers(seat).any()) {
                        assert!(board.checkers(position.turn()).any());
                    }
                }
                mover = Some(position.turn());
            });
            position.board().assert_consistent();
            // The text of a position says all about it.
            let again = Position::from_yfen(&position.yfen(), position.board().rules()).unwrap();
            assert_eq!(again.yfen(), position.yfen());
            assert_eq!(
                again.board().is_over(),
                position.outcome().is_some() || position.board().is_over()
            );
            position.outcome().is_some()
        })
        .collect();
    assert!(endings.iter().filter(|&&ended| ended).count() > 2000);
}

/// Positions that no game comes to: another turn, credits at random, the last mover
/// forgotten. They are read, played on and written like others.
#[test]
fn odd_set_ups_stay_consistent() {
    let mut dice = Dice(7);
    let mut count = 0;
    for seed in 0..60u64 {
        random_game(seed, 160, |position| {
            if position.board().ply() % 5 != 0 {
                return;
            }
            let yfen = position.yfen();
            let mut fields: Vec<String> = yfen.split(' ').map(str::to_owned).collect();
            fields[1] = Seat::ALL[dice.below(4)].to_string();
            let mut credits = Vec::new();
            for seat in Seat::ALL {
                let by = dice.below(4);
                if by > 0 && position.board().checkers(seat).any() {
                    credits.push(format!("{seat}{}", seat.clockwise(by)));
                }
            }
            fields[4] = match credits.is_empty() {
                true => "-".to_owned(),
                false => credits.join(","),
            };
            fields[5] = ["-", "s", "w", "n", "e"][dice.below(5)].to_owned();
            let text = fields.join(" ");
            let rules = some_rules(&mut dice);
            let Ok(mut position) = Position::from_yfen(&text, &rules) else {
                return;
            };
            count += 1;
            for _ in 0..6 {
                position.board().assert_consistent();
                let yfen = position.yfen();
                let again = Position::from_yfen(&yfen, &rules);
                let again = again.unwrap_or_else(|error| panic!("{yfen} of {text}: {error}"));
                assert_eq!(again.yfen(), yfen, "{text}");
                if position.outcome().is_some() {
                    break;
                }
                let moves = position.legal_moves();
                assert!(!moves.is_empty(), "{yfen}");
                position.make(moves[dice.below(moves.len())]);
            }
        });
    }
    assert!(count > 300, "{count}");
}

#[test]
fn keys_and_unmake_are_exact() {
    for seed in 0..300u64 {
        let mut boards = Vec::new();
        let mut position = random_game(seed, 150, |position| {
            position.board().assert_consistent();
            boards.push((position.yfen(), position.board().key()));
        });
        while let Some((yfen, key)) = boards.pop() {
            if position.yfen() == yfen {
                assert_eq!(position.board().key(), key);
            }
            position.unmake();
        }
        assert_eq!(position.depth(), 0);
    }
}

#[test]
fn legal_moves_are_those_of_the_definition() {
    let every = all_moves();
    for seed in 0..60u64 {
        random_game(seed, 160, |position| {
            if position.outcome().is_some() || position.board().ply() % 7 != 0 {
                return;
            }
            let listed: Vec<Move> = position.legal_moves().into_iter().collect();
            for &m in &every {
                let legal = position.board().is_legal(m);
                assert_eq!(legal, listed.contains(&m), "{m} in {}", position.yfen());
                let obeys = obeys(position, m);
                if legal {
                    assert!(obeys, "{m} in {}", position.yfen());
                } else if obeys {
                    // Only a drop-pawn mate is left to refuse it: were it played,
                    // its victim, taken as being to move, would be mated.
                    let why = position.board().check_legality(m, position.turn());
                    let Err(IllegalMove::DropPawnMate(victim)) = why else {
                        panic!("{m} in {}: {why:?}", position.yfen());
                    };
                    let text = text_after(position, m, victim);
                    let mated = Position::from_yfen(&text, position.board().rules()).unwrap();
                    assert!(!mated.board().is_living(victim), "{m} in {text}");
                }
            }
        });
    }
}

#[test]
fn the_search_views_agree_with_the_position() {
    for seed in 300..340u64 {
        random_game(seed, 120, |position| {
            if position.outcome().is_some() || position.board().ply() % 9 != 0 {
                return;
            }
            let mut paranoid = Paranoid::new(position.clone());
            paranoid.set_root();
            let mut moves = tsuru::core::MoveList::new();
            paranoid.generate(Stage::All, true, &mut moves);
            let banned = position
                .legal_moves()
                .iter()
                .filter(|&&m| position.is_banned(m))
                .count();
            assert_eq!(moves.len() + banned, position.legal_moves().len());
            let mut useful = tsuru::core::MoveList::new();
            paranoid.generate(Stage::All, false, &mut useful);
            for m in moves.iter().filter(|m| !useful.contains(m)) {
                // Left out is only what a legal promotion does as well.
                let promotion = format!("{m}+");
                let listed = useful.iter().any(|other| other.to_string() == promotion);
                assert!(listed, "{m} in {}", position.yfen());
            }
            let info = paranoid.check_info();
            let mut staged = tsuru::core::MoveList::new();
            paranoid.generate(Stage::Noisy, true, &mut staged);
            assert!(staged.iter().all(|&m| paranoid.is_noisy(m)));
            paranoid.generate(Stage::Quiet, true, &mut staged);
            assert_eq!(staged.len(), moves.len());
            for m in moves {
                assert!(paranoid.is_legal(m));
                assert_eq!(tsuru::yonin::SeatMove::from_bits(m.to_bits()), Some(m));
                let claims = paranoid.gives_check(m, &info);
                let mut after = position.clone();
                let before = Seat::ALL.map(|seat| position.board().checkers(seat));
                after.make(m.to_move());
                let mated = after.board().mates().len() > position.board().mates().len();
                let checks = Seat::ALL.iter().any(|&seat| {
                    let new: Bitboard = after.board().checkers(seat) - before[seat.index()];
                    new.any()
                });
                if !mated && checks {
                    assert!(claims, "{m} in {}", position.yfen());
                }
                let key = paranoid.key();
                paranoid.make(m);
                paranoid.unmake();
                assert_eq!(paranoid.key(), key);
            }
            let mut reply = BestReply::new(position.clone());
            reply.set_root();
            let mut moves = tsuru::core::MoveList::new();
            reply.generate(Stage::All, true, &mut moves);
            for &m in moves.iter().take(10) {
                reply.make(m);
                reply.board().assert_consistent();
                let mut replies = tsuru::core::MoveList::new();
                reply.generate(Stage::All, true, &mut replies);
                for &answer in replies.iter().take(30) {
                    assert!(reply.is_legal(answer), "{answer} in {}", reply.sfen());
                    reply.make(answer);
                    reply.board().assert_consistent();
                    reply.unmake();
                }
                reply.unmake();
            }
        });
    }
}

proptest! {
    /// Any text is read or refused, and what is read is written as it was.
    #[test]
    fn any_text_is_read_or_refused(text in "[KRGSPX+swnex1-9/ ,-]{0,120}") {
        if let Ok(position) = Position::from_yfen(&text, &Rules::default()) {
            let again = Position::from_yfen(&position.yfen(), &Rules::default());
            prop_assert_eq!(again.unwrap().yfen(), position.yfen());
        }
    }

    /// A damaged position text never panics.
    #[test]
    fn damaged_texts_do_not_panic(at in 0usize..110, c in "[KRGSPX+swnex1-9/ ,-]") {
        let mut text = tsuru::yonin::yfen::START.to_owned();
        let at = at.min(text.len() - 1);
        text.replace_range(at..=at, &c);
        if let Ok(mut position) = Position::from_yfen(&text, &Rules::default())
            && let Some(&m) = position.legal_moves().first()
        {
            position.make(m);
        }
    }
}
