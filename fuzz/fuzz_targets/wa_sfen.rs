//! Any text as a position of wa shogi: refused, or a position in which everything
//! works, with drops and without.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::core::MoveList;
use tsuru::game::{DiagramStyle, Game, GameMove, Stage};
use tsuru::wa::{Move, Position, Rules};

/// Plays each move of the position and takes it back, two plies deep.
fn walk(position: &mut Position, depth: u32) {
    let mut moves = MoveList::new();
    position.generate(Stage::All, true, &mut moves);
    assert_eq!(moves.len(), position.count_moves());
    let info = position.check_info();
    let before = position.sfen();
    for (index, &m) in moves.iter().enumerate() {
        assert_eq!(position.parse_move(&m.to_string()).ok(), Some(m));
        assert_eq!(Move::from_bits(m.to_bits()), Some(m));
        let check = position.gives_check(m, &info);
        let _ = (
            position.see_ge(m, 0),
            position.gain(m),
            position.is_noisy(m),
        );
        position.make(m);
        assert_eq!(check, position.in_check(), "{m} in {before}");
        if index % 16 == 0 {
            position.assert_consistent();
            if depth > 1 {
                walk(position, depth - 1);
            }
        }
        let _ = (position.end(), position.repetition());
        position.unmake();
    }
    assert_eq!(position.sfen(), before);
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    for drops in [false, true] {
        let rules = Rules {
            drops,
            ..Rules::default()
        };
        let Ok(mut position) = Position::from_sfen(text, &rules) else {
            continue;
        };
        let sfen = position.sfen();
        let again = Position::from_sfen(&sfen, &rules).expect("what sfen() wrote");
        assert_eq!(again.sfen(), sfen);
        assert_eq!(again.key(), position.key());
        for style in [DiagramStyle::Japanese, DiagramStyle::Ascii] {
            assert!(!position.diagram(style).is_empty());
        }
        walk(&mut position, 2);
    }
});
