//! Any bytes as an opening book: read, looked into and written without a panic; what
//! was written is read again as it was.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::book::choose::{BookOptions, find};
use tsuru::book::loaded::Loaded;
use tsuru::book::table::Table;
use tsuru::book::{Book, games};
use tsuru::shogi::{Position, Rules};

fuzz_target!(|bytes: &[u8]| {
    let (table, damages) = Table::parse(bytes);
    assert!(damages.first.len() <= damages.total);
    let mut written = Vec::new();
    table.write(&mut written).expect("memory");
    let mut again = Vec::new();
    Table::parse(&written).0.write(&mut again).expect("memory");
    assert_eq!(written, again);
    let (book, _) = Loaded::read(bytes).expect("memory");
    let book = Book::Loaded(book);
    let options = BookOptions {
        ignore_ply: true,
        ..BookOptions::default()
    };
    for (key, _, _) in table.iter() {
        if let Ok(position) = Position::from_sfen(key, &Rules::default()) {
            let found = find(&book, &position, &options);
            assert!(found.is_some_and(|f| f.moves.iter().all(|m| position.is_legal(m.mv))));
        }
    }
    games::positions(&String::from_utf8_lossy(bytes), 20);
});
