//! The 54 worked cases of the four-player specification (section 8), by number,
//! and its reference leaf counts (section 10).

use tsuru::core::MoveList;
use tsuru::game::{Game, Stage};
use tsuru::yonin::{EndReason, Format, Mated, Paranoid, Position, Rules, Seat};

fn with(options: &str) -> Rules {
    let mut rules = Rules::default();
    for option in options.split_whitespace() {
        match option {
            "pairs" => rules.format = Format::Pairs,
            "last" => rules.end = tsuru::yonin::End::Last,
            "unowned" => rules.mated = Mated::Unowned,
            limit => rules.limit = limit.parse().unwrap(),
        }
    }
    rules
}

fn at(yfen: &str, options: &str) -> Position {
    let rules = with(options);
    if yfen == "startpos" {
        return Position::start(&rules);
    }
    Position::from_yfen(yfen, &rules).unwrap_or_else(|e| panic!("{yfen}: {e}"))
}

fn play(mut position: Position, moves: &str) -> Position {
    for text in moves.split_whitespace() {
        let m = position.parse_move(text);
        position.make(m.unwrap_or_else(|e| panic!("{text} in {}: {e}", position.yfen())));
        position.board().assert_consistent();
    }
    position
}

/// The legal moves that satisfy a test, sorted.
fn moves(position: &Position, keep: impl Fn(&str) -> bool) -> Vec<String> {
    let mut list: Vec<String> = position
        .legal_moves()
        .iter()
        .map(ToString::to_string)
        .filter(|m| keep(m))
        .collect();
    list.sort();
    list
}

fn legal(position: &Position, text: &str) -> bool {
    position.parse_move(text).is_ok()
}

fn refused(position: &Position, text: &str) -> String {
    position.parse_move(text).unwrap_err().to_string()
}

fn places(position: &Position) -> Option<[u8; 4]> {
    position.outcome().unwrap().places.map(|places| places.0)
}

fn turn(position: &Position) -> char {
    position.turn().letter()
}

#[track_caller]
fn leads(yfen: &str, options: &str, line: &str, expected: &str) -> Position {
    let position = play(at(yfen, options), line);
    assert_eq!(position.yfen(), expected);
    position
}

fn perft(position: &mut Position, depth: u32) -> u64 {
    if depth == 1 {
        return position.board().count_moves() as u64;
    }
    let mut nodes = 0;
    for m in position.legal_moves() {
        position.make(m);
        nodes += perft(position, depth - 1);
        position.unmake();
    }
    nodes
}

#[test]
fn order_of_turns() {
    // 1 to 8.
    let start = at("startpos", "");
    assert_eq!(
        moves(&start, |_| true).join(" "),
        "3i2h 3i3h 4h4g 4i3h 5g5f 6h6g 6i7h 7i7h 7i8h"
    );
    leads(
        "startpos",
        "",
        "6h6g 8f7f 6b6c 2d3d 4h4g 9f8g 4b4c 1d2c 7i7h 8g7h 5b1b 1g2h 5h7h S*8i 3a3b 2h3i 7h7f \
         8e8f 3b2c 2e2c 7f7g 9g8h G*3b 3i4i 5i4i 8h7g 3b2c",
        "2SnGnKnGn3/8Rn/Sw2PnPnPn1GnSe/GwPw4Pe2/Kw1Pw3Pe1Ke/1Rw5PeGe/2SwPsPsPs3/9/1Sw1Gs1Ks3 e GSP/R/R/G2S - - n 28",
    );
    assert_eq!(turn(&play(start, "5g5f 7e6e 5c5d 3e4e")), 's');

    let four = "4Kn4/9/9/9/Kw7Ke/9/9/5Rs3/4Ks4 s -/-/-/- - - - 1";
    let position = play(at(four, ""), "4h5h");
    assert_eq!(turn(&position), 'n');
    assert_eq!(position.board().credit(Seat::North), Some(Seat::South));
    assert_eq!(moves(&position, |_| true).join(" "), "5a4a 5a4b 5a6a 5a6b");
    let position = play(position, "5a4a");
    assert_eq!(turn(&position), 'e');
    assert_eq!(turn(&play(position, "1e1d")), 's');

    let five = "4Kn4/9/9/9/Kw7Ke/9/9/9/4Ks4 s R/-/-/- - - - 1";
    let position = play(at(five, ""), "R*5e");
    assert_eq!(turn(&position), 'w');
    assert_eq!(moves(&position, |_| true).join(" "), "9e8d 9e8f 9e9d 9e9f");
    let position = play(position, "9e9d");
    assert_eq!(turn(&position), 'n');
    let position = play(position, "5a4a");
    assert_eq!(turn(&position), 'e');
    assert_eq!(turn(&play(position, "1e1d")), 's');

    leads(
        "4Kn4/9/9/3Sw5/Kw7Ke/9/9/9/4Ks4 s R/-/-/- - - - 1",
        "",
        "R*5e 6d5e",
        "4Kn4/9/9/9/Kw3Sw3Ke/9/9/9/4Ks4 n -/R/-/- - - w 3",
    );
    let seven = "4Kn4/9/9/9/Kw7Ke/9/9/5Rs3/4Ks4 s -/-/R/- - - - 1";
    let mut position = at(seven, "");
    let mut turns = String::new();
    for text in ["4h5h", "R*5e", "1e1d", "9e9d"] {
        turns.push(turn(&position));
        position = play(position, text);
    }
    assert_eq!(turns, "snew");
    assert_eq!(
        position.yfen(),
        "4Kn4/9/9/Kw7Ke/4Rn4/9/9/4Rs4/4Ks4 n -/-/-/- - - w 5"
    );
    leads(
        "4Kn4/9/9/4Pw4/Kw7Ke/9/9/4Rs4/4Ks4 w -/-/-/- - - s 2",
        "",
        "5d4d",
        "4Kn4/9/9/5Pw3/Kw7Ke/9/9/4Rs4/4Ks4 n -/-/-/- - nw w 3",
    );
}

#[test]
fn mates_and_credits() {
    // 9 to 23.
    leads(
        "8Kn/6Gs2/2Pn6/8Gw/Kw8/6Ke2/9/8Rs/4Ks4 w -/-/-/- - - s 2",
        "",
        "1d2d",
        "8Xn/6Gs2/2Pnw6/7Gw1/Kw8/6Ke2/9/8Rs/4Ks4 e -/-/-/- nw - w 3",
    );
    let ten = "8Kn/9/1Sn6Ps/2+Pn6/Kw8/6Ke2/9/9/4Ks4 s G/-/SP/- - - - 1";
    let position = leads(
        ten,
        "",
        "G*1b",
        "8Xn/8Gs/1Sns6Ps/2+Pns6/Kw8/6Ke2/9/9/4Ks4 e SP/-/-/- ns - s 2",
    );
    assert_eq!(position.board().total_pieces(Seat::South), 8);
    let position = leads(
        ten,
        "unowned",
        "G*1b",
        "8Xn/8Gs/1Snx6Ps/2+Pnx6/Kw8/6Ke2/9/9/4Ks4 e SP/-/-/- ns - s 2",
    );
    assert_eq!(position.board().total_pieces(Seat::South), 6);

    let thirteen = "8Ke/9/8Ps/9/Kw8/6Kn2/9/9/4Ks4 s G/-/-/- - - - 1";
    leads(
        thirteen,
        "",
        "G*1b",
        "8Xe/8Gs/8Ps/9/Kw8/6Kn2/9/9/4Ks4 s -/-/-/- es - s 2",
    );
    let position = play(at(thirteen, "pairs"), "G*1b");
    assert_eq!(places(&position), Some([1, 3, 1, 3]));
    leads(
        "Kw3Kn4/9/Ps8/9/8Ke/9/9/2Rs6/4Ks4 s -/-/-/- - - - 1",
        "",
        "7h8h",
        "Xw3Kn4/9/Ps8/9/8Ke/9/9/1Rs7/4Ks4 n -/-/-/- ws - s 2",
    );
    let sixteen = "Kw7Kn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1";
    let position = leads(
        sixteen,
        "",
        "R*5a",
        "Xw3Rs3Xn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 - -/-/-/- ws,ns - s 2",
    );
    assert_eq!(places(&position), Some([1, 4, 3, 2]));
    leads(
        sixteen,
        "last",
        "R*5a",
        "Xw3Rs3Xn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 e -/-/-/- ws,ns - s 2",
    );

    let eighteen = "Kw7Kn/3Sw5/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1";
    let position = play(at(eighteen, ""), "R*5a");
    assert_eq!(moves(&position, |_| true).join(" "), "6b5a 6b7a");
    let position = leads(
        eighteen,
        "",
        "R*5a 6b5a",
        "Kw3Sw3Kn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 n -/R/-/- - - w 3",
    );
    assert_eq!(moves(&position, |_| true).join(" "), "1a2a");
    leads(
        eighteen,
        "",
        "R*5a 6b7a",
        "Kw1Sw1Rs3Xn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 e -/-/-/- ns - w 3",
    );
    let twenty_one = "Kw7Kn/9/1Gs5Gs1/9/9/6Ke2/4Rw4/9/5Ks3 s R/-/-/- - - - 1";
    let position = play(at(twenty_one, ""), "R*5a");
    assert_eq!(moves(&position, |_| true).join(" "), "5g5a");
    leads(
        twenty_one,
        "",
        "R*5a 5g5a",
        "Kw3Rw3Xn/9/1Gs5Gs1/9/9/6Ke2/9/9/5Ks3 e -/R/-/- nw - w 3",
    );
    let twenty_two = "7KwGw/5+Rs2Sw/3Kn3PsRw/9/9/9/6Ke2/9/4Ks4 s -/-/-/- - - - 1";
    let position = leads(
        twenty_two,
        "",
        "2c2b",
        "7XwGws/5+Rs1PsSws/3Kn4Rws/9/9/9/6Ke2/9/4Ks4 n -/-/-/- ws ns s 2",
    );
    assert_eq!(moves(&position, |_| true).join(" "), "6c5d 6c6d 6c7d");
    let position = leads(
        twenty_two,
        "unowned",
        "2c2b",
        "7XwGwx/5+Rs1PsSwx/3Kn4Rwx/9/9/9/6Ke2/9/4Ks4 n -/-/-/- ws - s 2",
    );
    assert_eq!(moves(&position, |_| true).join(" "), "6c5d 6c6d 6c7c 6c7d");
}

#[test]
fn unowned_pieces_and_turned_over_kings() {
    // 24 to 30.
    let position = at(
        "8Xn/9/Kw3Rnx4/9/8Ke/9/9/9/4Ks4 w -/-/-/- ns - s 9",
        "unowned",
    );
    assert!(
        Seat::ALL
            .iter()
            .all(|&seat| position.board().checkers(seat).is_empty())
    );
    let position = at(
        "2Kn6/9/4Rwx4/9/Xw7Ke/9/9/4Gwx4/4Ks4 s -/-/-/- we - e 1",
        "unowned",
    );
    assert!(position.board().checkers(Seat::South).is_empty());
    assert!(play(position, "5i5h").yfen().contains(" n G/-/-/- "));

    let twenty_six = "4Kn4/9/9/9/4Xw3Ke/9/9/4Rs4/4Ks4 s -/-/-/- wn - e 1";
    let position = at(twenty_six, "");
    assert!(position.board().checkers(Seat::North).is_empty());
    assert_eq!(position.board().count_moves(), 14);
    assert_eq!(
        refused(&position, "5h5e"),
        "5e holds a king; no king is ever captured (M3)"
    );
    assert_eq!(turn(&play(position, "5h4h")), 'n');
    let position = at(&twenty_six.replace("-/-/-/-", "P/-/-/-"), "");
    assert_eq!(
        refused(&position, "P*5f"),
        "a pawn may not be dropped on 5f, before a turned-over king (D5)"
    );
    assert!(legal(&position, "P*5g"));
    assert_eq!(moves(&position, |m| m.starts_with("P*")).len(), 67);
    let position = at("4Kn4/9/9/9/4Xw3Ke/9/9/4Rs4/4Ks4 e -/-/-/P wn - n 1", "");
    assert!(!legal(&position, "P*4e") && legal(&position, "P*5f"));
    assert_eq!(moves(&position, |m| m.starts_with("P*")).len(), 66);
    let position = at("4Kn4/9/9/9/4Xw3Ke/9/4Ps4/9/4Ks4 s -/-/-/- wn - e 1", "");
    assert!(legal(&position, "5g5f"));
}

#[test]
fn pawns_and_promotion() {
    // 31 to 38.
    let position = at(
        "2Kn6/9/5+Ps3/4Pws4/Xw7Ke/3Ps5/9/9/4Ks4 s P/-/-/- ws - e 1",
        "",
    );
    assert!(legal(&position, "P*5f") && legal(&position, "P*4f"));
    assert!(refused(&position, "P*6c").ends_with("(D3)"));
    let position = at("4Kn4/9/9/9/Kw1Pw5Ke/9/9/9/4Ks4 w -/P/-/- - - s 1", "");
    assert!(refused(&position, "P*3e").ends_with("(D3)"));
    assert!(legal(&position, "P*7c") && legal(&position, "P*6a"));
    assert!(refused(&position, "P*1a").ends_with("(D2)"));
    for (seat, possible) in [("s", false), ("w", true), ("n", true), ("e", false)] {
        let yfen = format!("4Kn4/9/9/9/Kw7Ke/9/9/9/4Ks4 {seat} P/P/P/P - - - 1");
        let position = at(&yfen, "");
        assert_eq!(moves(&position, |m| m.starts_with("P*")).len(), 69);
        assert_eq!(legal(&position, "P*9a"), possible, "{seat}");
    }
    let position = at(
        "6Kn2/3Sw5/9/5Sw3/Kw8/7Pw1/9/6Ke2/4Ks4 w -/-/-/- - - s 1",
        "",
    );
    for (text, possible) in [
        ("4d3d+", true),
        ("4d3d", true),
        ("6b5b+", false),
        ("6b5b", true),
        ("2f1f", false),
        ("2f1f+", true),
    ] {
        assert_eq!(legal(&position, text), possible, "{text}");
    }
    let position = at("2Kn6/4Rs4/9/9/9/Kw7Ke/9/9/4Ks4 s -/-/-/- - - - 1", "");
    assert!(legal(&position, "5b5g+") && legal(&position, "5b5g"));
    let position = at("2Kn6/9/9/3Sws1Pws3/Xw7Ke/9/9/9/4Ks4 s -/-/-/- ws - e 1", "");
    for (text, possible) in [
        ("4d3d+", true),
        ("4d3d", true),
        ("6d5c+", false),
        ("6d5c", true),
    ] {
        assert_eq!(legal(&position, text), possible, "{text}");
    }
    let position = at("2Kn6/9/9/7Pws1/Xw8/9/6Ke2/9/4Ks4 s -/-/-/- ws - e 1", "");
    assert!(!legal(&position, "2d1d") && legal(&position, "2d1d+"));
    leads(
        "2Kn6/9/9/4+Pw4/Kw7Ke/9/9/4Rs4/4Ks4 s -/-/-/- - - - 1",
        "",
        "5h5d",
        "2Kn6/9/9/4Rs4/Kw7Ke/9/9/9/4Ks4 w P/-/-/- - - s 2",
    );
}

#[test]
fn inherited_pieces_pins_and_drop_pawn_mate() {
    // 39 to 49.
    let position = at("2Kn6/9/9/9/Xw7Ke/4Gws4/9/4Rs4/4Ks4 s -/-/-/- ws - e 1", "");
    assert!(refused(&position, "5h5f").ends_with("(M3)"));
    assert_eq!(moves(&position, |m| m.starts_with("5h")).len(), 9);
    let position = at("2Kn6/9/9/4Rws4/Xw7Ke/9/9/9/4Ks4 s -/-/-/- ws - e 1", "");
    let position = play(position, "5d5e");
    assert_eq!(turn(&position), 'e');
    assert!(position.yfen().contains(" es "));
    let position = at("2Kn6/9/4Rwn4/9/Xw7Ke/9/4Gs4/9/4Ks4 s -/-/-/- wn - e 1", "");
    assert_eq!(
        moves(&position, |_| true).join(" "),
        "5g5f 5g5h 5i4h 5i4i 5i5h 5i6h 5i6i"
    );
    let position = at("4Kn4/9/9/9/Kw8/9/9/5Ge2Ke/3Ks5 s -/-/-/- - - - 1", "");
    assert_eq!(moves(&position, |_| true).join(" "), "6i6h 6i7h 6i7i");

    let position = at("8Kn/6Gs2/7Ss1/9/Kw8/6Ke2/9/9/4Ks4 s PG/-/-/- - - - 1", "");
    assert_eq!(
        refused(&position, "P*1b"),
        "a pawn drop may not mate North (D4)"
    );
    assert!(!play(position, "G*1b").board().is_living(Seat::North));
    let forty_four = "8Kn/6Gs2/7SsPs/9/Kw8/6Ke2/9/9/4Ks4 s -/-/-/- - - - 1";
    for text in ["1c1b", "1c1b+"] {
        assert!(
            !play(at(forty_four, ""), text)
                .board()
                .is_living(Seat::North)
        );
    }
    let position = at("8Kn/6Gs2/7Ss1/9/Kw8/6Ke2/9/4Ks4/8Rn s P/-/-/- - - - 1", "");
    assert!(legal(&position, "P*1b"));
    let position = at("8Kn/6Gw2/7Ss1/9/Kw8/6Ke2/9/9/4Ks4 s P/-/-/- - - - 1", "");
    assert!(refused(&position, "P*1b").ends_with("(D4)"));

    let four = "4Kn4/9/9/9/Kw7Ke/9/9/5Rs3/4Ks4 s -/-/-/- - - - 1";
    assert!(refused(&at(four, "pairs"), "4h5h").ends_with("(L2)"));
    assert!(legal(&at(four, ""), "4h5h"));
    let forty_eight = "Rw1Gs1Kn4/9/9/9/Kw7Ke/9/9/9/4Ks4 s -/-/-/- - - - 1";
    let gold = |m: &str| m.starts_with("7a");
    assert_eq!(moves(&at(forty_eight, "pairs"), gold).join(" "), "7a8a");
    let position = play(at(forty_eight, ""), "7a7b");
    assert!(position.yfen().contains(" n -/-/-/- - ns s "));
    let eight = "4Kn4/9/9/4Pw4/Kw7Ke/9/9/4Rs4/4Ks4 w -/-/-/- - - s 2";
    assert_eq!(turn(&play(at(eight, "pairs"), "5d4d")), 'n');
}

#[test]
fn repetition_and_ranking() {
    // 50 to 53 (54, the rotation, belongs to matches).
    let cycle = "7i8h 9c8b 3a2b 1g2h 8h7i 8b9c 2b3a 2h1g ";
    let position = play(at("startpos", ""), &cycle.repeat(3));
    let outcome = position.outcome().unwrap();
    assert_eq!(outcome.reason, EndReason::Repetition);
    assert_eq!(outcome.places.unwrap().0, [1, 1, 1, 1]);
    assert_eq!(outcome.points(Seat::West), 1.5);
    assert!(refused(&position, "7i8h").starts_with("the game is over (repetition"));

    let cycle = "5f5e 1e1f 5e5f 1f1e ";
    let fifty_one = "2Kn6/9/Kw8/9/8Ke/4Rs4/9/9/4Ks4 s -/-/-/- - - - 1";
    let position = play(at(fifty_one, ""), &cycle.repeat(3));
    assert_eq!(position.outcome(), None);
    assert!(refused(&position, "5f5e").ends_with("(REP2)"));
    assert!(legal(&position, "5f5d") && turn(&position) == 's');

    let fifty_two = "4Xn4/9/9/7Se1/Xw6GeKe/9/9/4Rs4/4Ks4 - 2P/-/-/P ws,ne - e 40";
    assert_eq!(places(&at(fifty_two, "")), Some([2, 4, 3, 1]));
    let without = fifty_two.replace("2P/-/-/P", "2P/-/-/-");
    assert_eq!(places(&at(&without, "")), Some([1, 4, 3, 2]));

    let line = "5g5f 7e6e 5c5d 3e4e";
    let position = play(at("startpos", "4"), line);
    assert_eq!(position.end_reason(), Some(EndReason::Limit));
    assert_eq!(places(&position), Some([1, 1, 1, 1]));
    let position = play(at("startpos", "4 pairs"), line);
    assert_eq!(places(&position), None);
}

#[test]
fn leaf_counts() {
    for (yfen, options, counts) in [
        ("startpos", "", &[9, 81, 729, 6561, 82134, 1_055_321][..]),
        (
            "1Sn1GnKn4/1Sn1PnRnPnSe2/4Pn4/Gw1Pw4Pe1/1Rw1Pw1Pe1ReKe/KwPw5PeGe/SwGw1SsPs4/3PsRsPs3/2Gs1KsGs2Ss w -/S/G/GS - - s 22",
            "",
            &[67, 3977, 403_999],
        ),
        (
            "2Gn1Gs1Sn2/3Pn1Pn3/3KnPn1Gn2/1Pw4PeSe1/KwRwPwSn2PeGeKe/GwPw4Pe2/4PsPs3/3Ks4Rw/1Rn3Gs3 e R2S/S/G2SP/G - sw,ew w 49",
            "",
            &[3, 39, 2823],
        ),
        (
            "3Gn1Kn3/Ss2PnRnPn1Gn1/Xw7Se/1Pwn5PeGe/1RwnPwn1PnPe2Ke/1SsPwn1Se2PeGe/Swn3PsGs3/3PsRs1Se2/3GsKs4 n 2G/-/R/2SP wn - s 38",
            "",
            &[77, 7246, 483_362],
        ),
        (
            "Ss2Ge2Sn2/3Pn4Gn/4Pn2Ge1/Ge2Pwx3ReKe/Xw1Pwx2Pe3/1KnPwx1PsGn3/7Ss1/1SwxSsPsRsPsRn2/3Gs4Ks n G3S3P/-/G/R ws - s 85",
            "unowned",
            &[94, 6106, 776_849],
        ),
        (
            "1Sn1GnKn1Sn2/3Pn2Gn2/Sw3RnPn3/Gw1Pw3SePeGe/KwGwPw2Pe1ReKe/1Pw5PeGe/3PsPsPs2Se/1Sw2Ks2Se1/2Ss1GsGs3 n -/RP/R/- - - w 25",
            "pairs",
            &[69, 925, 13904],
        ),
        (
            "9/7Re1/Kn3Ge4/XwPwe2PeGe2Ge/1Gwe1Pse2PeGe1/RwePwe2PsePe3/3Xs1Pse1Ke1/3Gse3SePe/5+Rn1Pwe1 e -/-/RG7S2P/G sw,we - n 142",
            "last",
            &[119, 26020, 2_225_923],
        ),
        (
            "4Kn4/9/9/9/Kw7Ke/9/9/9/4Ks4 s P/P/P/P - - - 1",
            "",
            &[74, 5205, 361_158],
        ),
        (
            "Kw7Kn/3Sw5/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1",
            "",
            &[91, 413, 3009],
        ),
        (
            "Kw7Kn/9/1Gs5Gs1/9/9/6Ke2/9/9/4Ks4 s R/-/-/- - - - 1",
            "last",
            &[92, 186, 4274],
        ),
        (
            "7KwGw/5+Rs2Sw/3Kn3PsRw/9/9/9/6Ke2/9/4Ks4 s -/-/-/- - - - 1",
            "unowned",
            &[26, 214, 1158],
        ),
    ] {
        let mut position = at(yfen, options);
        let before = position.yfen();
        for (depth, &expected) in (1..).zip(counts) {
            assert_eq!(perft(&mut position, depth), expected, "{yfen} at {depth}");
        }
        assert_eq!(position.yfen(), before);
    }
}

#[test]
fn searches_keep_a_non_promotion_that_alone_is_legal() {
    // 4c4b+ would newly check the partner (L2); 4c4b is South's only move.
    let position = at(
        "4Kn4/9/5Ps3/8Ke/9/8Kw/1+Re7/9/Ks8 s -/-/-/- - - - 1",
        "pairs",
    );
    assert!(refused(&position, "4c4b+").contains("L2"));
    let view = Paranoid::new(position);
    for all in [false, true] {
        let mut moves = MoveList::new();
        view.generate(Stage::All, all, &mut moves);
        let texts: Vec<String> = moves.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["4c4b"]);
    }
}

#[test]
fn a_player_who_is_mated_takes_no_credit() {
    // West is credited with the check on North, but has no move and is mated first:
    // North's mate too is the last mover's (X3).
    for (rank_b, expected) in [
        (
            "9",
            "1Rs2Kn4/9/9/8Rs/Xw8/7Rs1/9/6Ke2/4Ks4 n -/-/-/- ws nw s 1",
        ),
        (
            "8Rs",
            "1Rs2Xn4/8Rs/9/8Rs/Xw8/7Rs1/9/6Ke2/4Ks4 - -/-/-/- ws,ns - s 1",
        ),
    ] {
        let text = format!("1Rs2Kn4/{rank_b}/9/8Rs/Kw8/7Rs1/9/6Ke2/4Ks4 w -/-/-/- - nw s 1");
        let yfen = at(&text, "").yfen();
        assert_eq!(yfen, expected);
        assert_eq!(at(&yfen, "").yfen(), yfen);
    }
}
