//! Any bytes as a record: encodings and formats found out, then read.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::record;
use tsuru::shogi::Rules;

fuzz_target!(|data: &[u8]| {
    for rules in [Rules::default(), Rules::king_capture()] {
        if let Ok(reading) = record::read(data, &rules) {
            for word in record::Target::WORDS {
                record::write_all(&reading.games, word.parse().expect("a target"));
            }
        }
    }
});
