//! Any bytes as protocol lines: read them all, and set up what `position` and
//! `go searchmoves` ask for as the engine does.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::game::Game;
use tsuru::shogi::{Position, Rules};
use tsuru::usi::parse::{Command, parse_line};

fuzz_target!(|data: &[u8]| {
    let rules = Rules::default();
    let mut position = Position::start(&rules);
    for line in data.split(|&byte| byte == b'\n') {
        match parse_line(line) {
            Command::Position(command) => {
                let start = match &command.sfen {
                    None => Ok(Position::start(&rules)),
                    Some(sfen) => Position::from_sfen(sfen, &rules),
                };
                let Ok(start) = start else { continue };
                position = start;
                for text in &command.moves {
                    match position.parse_move(text) {
                        Ok(m) => position.make(m),
                        Err(error) => {
                            assert!(!error.to_string().is_empty());
                            break;
                        }
                    }
                }
                let _ = (position.end(), position.immediate_win());
            }
            Command::Go(go) => {
                for text in &go.searchmoves {
                    if let Ok(m) = position.parse_move(text) {
                        assert!(position.is_legal(m));
                    }
                }
            }
            _ => {}
        }
    }
});
