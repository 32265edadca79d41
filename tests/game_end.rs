//! How games end: every verdict of `data/game_end.txt`.

mod common;

use tsuru::core::Color;
use tsuru::game::{GameEnd, ImmediateWin};
use tsuru::shogi::entering_king::Declaration;
use tsuru::shogi::{EnteringKingRule, Position, Rules};
use tsuru::usi::parse::{Command, parse_line};

/// The position after the moves, or the words of the move that is not legal and
/// whether it is the last one. The game may not be over before its last move.
fn replay(line: &str, rules: &Rules) -> Result<Position, (String, bool)> {
    let Command::Position(command) = parse_line(line.as_bytes()) else {
        panic!("no position line: {line}");
    };
    let mut position = match &command.sfen {
        Some(sfen) => Position::from_sfen(sfen, rules).unwrap_or_else(|e| panic!("{sfen}: {e}")),
        None => Position::start(rules),
    };
    for (index, text) in command.moves.iter().enumerate() {
        assert_eq!(position.end(), None, "before {text} in {line}");
        match position.parse_move(text) {
            Ok(m) => position.make(m),
            Err(_) => return Err((text.clone(), index + 1 == command.moves.len())),
        }
    }
    Ok(position)
}

fn color(word: &str) -> Color {
    match word {
        "black" => Color::Black,
        "white" => Color::White,
        _ => panic!("no colour: {word}"),
    }
}

fn declaration(word: &str) -> Declaration {
    match word {
        "declare_win" => Declaration::Win,
        "declare_draw" => Declaration::Draw,
        "declare_no" => Declaration::No,
        _ => panic!("no declaration: {word}"),
    }
}

fn with_rule(entering_king: EnteringKingRule) -> Rules {
    Rules {
        entering_king,
        ..Rules::default()
    }
}

#[test]
fn every_verdict() {
    let mut count = 0;
    for (number, fields) in common::records(include_str!("data/game_end.txt")) {
        let [line, verdict] = fields[..] else {
            panic!("line {number}: two fields");
        };
        let game = replay(line, &Rules::default());
        let words: Vec<&str> = verdict.split(' ').collect();
        if words == ["illegal"] {
            let (text, last) = game.err().expect(line);
            assert!(last, "line {number}: {text} already is not legal");
            count += 1;
            continue;
        }
        let position = game.unwrap_or_else(|(text, _)| panic!("line {number}: {text} not legal"));
        let end = position.end();
        match words[..] {
            ["sennichite"] => assert_eq!(end, Some(GameEnd::Sennichite), "line {number}"),
            ["perpetual_check_loses", loser] => {
                let loser = color(loser);
                let expected = Some(GameEnd::PerpetualCheck { loser });
                assert_eq!(end, expected, "line {number}");
            }
            ["none"] => assert_eq!(end, None, "line {number}"),
            ["checkmate"] => assert!(
                matches!(end, Some(GameEnd::Checkmate { .. })),
                "line {number}: {end:?}"
            ),
            ["try_win", winner] => {
                let winner = color(winner);
                assert_eq!(end, None, "line {number}: only the try rule ends it");
                let tried = replay(line, &with_rule(EnteringKingRule::TryRule));
                let end = tried.expect(line).end();
                assert_eq!(end, Some(GameEnd::Try { winner }), "line {number}");
            }
            [rule_27, rule_24] => {
                for (rule, word) in [
                    (EnteringKingRule::CSARule27, rule_27.strip_prefix("27:")),
                    (EnteringKingRule::CSARule24, rule_24.strip_prefix("24:")),
                ] {
                    let expected = declaration(word.expect("`27:` and `24:`"));
                    let position = replay(line, &with_rule(rule)).expect(line);
                    assert_eq!(
                        position.declaration(rule),
                        expected,
                        "line {number}, {rule}"
                    );
                    let wins = position.immediate_win() == Some(ImmediateWin::Declaration);
                    assert_eq!(wins, expected == Declaration::Win, "line {number}, {rule}");
                }
            }
            _ => panic!("line {number}: unknown verdict {verdict}"),
        }
        count += 1;
    }
    assert_eq!(count, 39);
}

/// One point or one piece more or less decides; confirmed with cshogi.
#[test]
fn declarations_at_the_boundary() {
    let rule = EnteringKingRule::CSARule27;
    for (sfen, wins) in [
        ("1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b RB 1", true),
        (
            "1+P+P+PK+P+P+P1/1+B2+P2+P1/1+R7/9/9/9/9/9/k8 b R4P 1",
            false,
        ),
        ("1+P+P+PK+P+P+P1/1+B5+P1/1+R7/9/9/9/9/9/k8 b RBP 1", false),
        ("K8/9/9/9/9/9/1+r7/1+b2+p2+p1/1+p+p+pk+p+p+p1 w r4p 1", true),
        (
            "K8/9/9/9/9/9/1+r7/1+b2+p2+p1/1+p+p+pk+p+p+p1 w r3p 1",
            false,
        ),
        (
            "1+P+P+PK+P+P+P1/1+B5+P1/1+R5+P1/9/4r4/9/9/9/k8 b RB 1",
            false,
        ),
    ] {
        let position = Position::from_sfen(sfen, &with_rule(rule)).expect(sfen);
        let expected = if wins {
            Declaration::Win
        } else {
            Declaration::No
        };
        assert_eq!(position.declaration(rule), expected, "{sfen}");
    }
}
