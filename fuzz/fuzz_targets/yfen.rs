//! Any text as a position of four-player shogi: refused, or a position in which
//! everything works.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tsuru::core::MoveList;
use tsuru::game::{DiagramStyle, Game, GameMove, Stage};
use tsuru::yonin::coalition::Reduction;
use tsuru::yonin::{
    BestReply, Coalition, End, Format, Mated, Paranoid, Position, Rules, SeatMove,
};

/// Plays each move of the view and takes it back, two plies deep.
fn walk<R: Reduction>(view: &mut Coalition<R>, depth: u32) {
    let mut moves = MoveList::new();
    view.generate(Stage::All, true, &mut moves);
    let info = view.check_info();
    let before = view.sfen();
    for (index, &m) in moves.iter().enumerate() {
        assert_eq!(SeatMove::from_bits(m.to_bits()), Some(m));
        assert!(view.is_legal(m));
        let _ = (
            view.gives_check(m, &info),
            view.see_ge(m, 0),
            view.gain(m),
            view.is_noisy(m),
        );
        view.make(m);
        if index % 16 == 0 {
            view.board().assert_consistent();
            if depth > 1 {
                walk(view, depth - 1);
            }
        }
        let _ = (view.end(), view.finish());
        view.unmake();
    }
    assert_eq!(view.sfen(), before);
}

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let unowned = Rules {
        end: End::Last,
        mated: Mated::Unowned,
        ..Rules::default()
    };
    let pairs = Rules {
        format: Format::Pairs,
        limit: 100,
        ..Rules::default()
    };
    for rules in [Rules::default(), unowned, pairs] {
        let Ok(position) = Position::from_yfen(text, &rules) else {
            continue;
        };
        let yfen = position.yfen();
        let again = Position::from_yfen(&yfen, &rules).expect("what yfen() wrote");
        assert_eq!(again.yfen(), yfen);
        assert_eq!(again.board().key(), position.board().key());
        for style in [DiagramStyle::Japanese, DiagramStyle::Ascii] {
            assert!(!position.diagram(style).is_empty());
        }
        for m in position.legal_moves() {
            if !position.is_banned(m) && position.outcome().is_none() {
                assert_eq!(position.parse_move(&m.to_string()).ok(), Some(m));
            }
        }
        if position.outcome().is_none() {
            walk(&mut Paranoid::new(position.clone()), 2);
            let mut reply = BestReply::new(position);
            reply.set_root();
            walk(&mut reply, 2);
        }
    }
});
