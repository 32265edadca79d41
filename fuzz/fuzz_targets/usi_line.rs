//! Any bytes as protocol lines: reads them all, sets options, and has the driver
//! go to what `position` lines ask for, one after the other, as in a session.
//! Going there step by step must end where a fresh start ends.
#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use tsuru::core::score::EVAL_MAX;
use tsuru::eval::shogi::ShogiEvaluator;
use tsuru::usi::driver::{Driver, new_driver};
use tsuru::usi::options::{Options, RuleOptions};
use tsuru::usi::parse::{Command, PositionCommand, parse_line};

/// Drivers own threads: two serve all inputs.
struct Drivers {
    stepping: Box<dyn Driver>,
    fresh: Box<dyn Driver>,
    /// In force in both.
    rules: RuleOptions,
}

impl Drivers {
    /// New rules make the search threads forget what they know, which is slow.
    fn set_rules(&mut self, rules: RuleOptions) {
        if self.rules != rules {
            self.stepping.set_rules(rules);
            self.fresh.set_rules(rules);
            self.rules = rules;
        }
    }
}

thread_local! {
    static DRIVERS: RefCell<Drivers> = RefCell::new(Drivers {
        stepping: new_driver(Options::default().rules(), ShogiEvaluator::default()),
        fresh: new_driver(Options::default().rules(), ShogiEvaluator::default()),
        rules: Options::default().rules(),
    });
}

fn fuzz(data: &[u8], drivers: &mut Drivers) {
    let mut options = Options::default();
    drivers.set_rules(options.rules());
    drivers.stepping.set_position(&PositionCommand::default());
    for line in data.split(|&byte| byte == b'\n') {
        match parse_line(line) {
            Command::SetOption { name, value } => {
                let _ = options.set(&name, value.as_deref());
                drivers.set_rules(options.rules());
            }
            Command::Position(command) => {
                let notes = drivers.stepping.set_position(&command);
                if notes.iter().any(|note| note.contains("no position")) {
                    continue;
                }
                // Away, and here in one go.
                drivers.fresh.set_position(&PositionCommand::default());
                drivers.fresh.set_position(&command);
                assert_eq!(drivers.stepping.sfen(), drivers.fresh.sfen());
                assert_eq!(drivers.stepping.key(), drivers.fresh.key());
                let moves = drivers.stepping.legal_moves();
                assert_eq!(moves, drivers.fresh.legal_moves());
                assert!(!drivers.stepping.diagram().is_empty());
                assert!(drivers.stepping.evaluate().abs() <= EVAL_MAX);
            }
            _ => {}
        }
    }
}

fuzz_target!(|data: &[u8]| DRIVERS.with(|drivers| fuzz(data, &mut drivers.borrow_mut())));
