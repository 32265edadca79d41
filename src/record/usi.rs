//! Games as lines of USI: `startpos moves ...` or `sfen ... moves ...`, one a
//! line, with a last word such as `resign` or `win` when the game ended by it
//! (the words of ShogiHome). Times, names and evaluations have no place in it.

use super::Losses;
use super::read::{Builder, Games, Problems, ReadError};
use super::terminal::Terminal;
use super::text::{lines, quote};
use super::tree::{GameTree, NodeId, Step, key};
use crate::shogi::{IllegalMove, Move, Position, Rules, sfen};

/// Last words of a line.
const ENDS: [(&str, Terminal); 7] = [
    ("resign", Terminal::Resignation),
    ("win", Terminal::Declaration),
    ("draw", Terminal::Draw),
    ("rep_draw", Terminal::Sennichite),
    ("impasse", Terminal::Impasse),
    ("timeout", Terminal::TimeUp),
    ("break", Terminal::Interrupted),
];

/// Fields of an SFEN: board, side, hands, move number.
const SFEN_FIELDS: usize = 4;

/// Whether a word is a move or an end.
fn is_step(word: &str) -> bool {
    Move::from_usi(word).is_some() || ENDS.iter().any(|(end, _)| *end == word)
}

/// Reads the games of a file, one a line; the text is known to be USI.
pub(super) fn read(text: &str, rules: &Rules) -> Result<Games, ReadError> {
    let mut games = Games::default();
    for (number, line) in lines(text) {
        let line = line.trim();
        if line.starts_with("#YANEURAOU-DB") {
            return Err(ReadError::at(number, "an opening book, not a game record"));
        }
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let game = read_line(number, line, rules);
        games.add(game.map_err(|message| ReadError::at(number, message)));
    }
    Ok(games)
}

fn read_line(number: usize, line: &str, rules: &Rules) -> Result<Builder, String> {
    let line = line.strip_prefix("position ").unwrap_or(line).trim();
    let (start, moves) = match line.find("moves") {
        Some(at) => (line[..at].trim(), &line[at + "moves".len()..]),
        None if line.starts_with("startpos") || line.starts_with("sfen") || line.contains('/') => {
            (line, "")
        }
        None => ("", line),
    };
    let first = moves.split_ascii_whitespace().next().unwrap_or("");
    if start.is_empty() && !line.starts_with("moves") && !is_step(first) {
        return Err(format!(
            "`{}` is neither a position nor a game",
            quote(line)
        ));
    }
    let start = match start {
        "" | "startpos" => Position::start(rules),
        other => {
            let text = other.strip_prefix("sfen ").unwrap_or(other);
            if !text.contains('/') {
                return Err(format!("`{}` is no position", quote(other)));
            }
            let mut words = text.split([' ', '\t', '_']).filter(|word| !word.is_empty());
            if let Some(word) = words.nth(SFEN_FIELDS) {
                let word = quote(word);
                return Err(format!("`{word}` behind a position without `moves`"));
            }
            Position::from_sfen(text, rules).map_err(|error| error.to_string())?
        }
    };
    let mut builder = Builder::new(start, Problems::default());
    for word in moves.split_ascii_whitespace() {
        if builder.is_stopped() {
            break;
        }
        if let Some((_, terminal)) = ENDS.iter().find(|(end, _)| *end == word) {
            builder.end(number, terminal.clone());
            continue;
        }
        match Move::from_usi(word) {
            Some(m) => builder.play(number, word, m),
            None => builder.bad_move(number, IllegalMove::not_a_move(&quote(word))),
        }
    }
    Ok(builder)
}

/// The game as one line.
pub(super) fn write(tree: &GameTree, losses: &mut Losses) -> String {
    let sfen = tree.start().sfen();
    let mut line = if sfen == sfen::START {
        "startpos".to_string()
    } else {
        format!("sfen {sfen}")
    };
    let said = |id: NodeId| {
        let node = tree.node(id);
        !node.comments.is_empty() || node.bookmark.is_some()
    };
    losses.comments |= tree.ids().any(said);
    losses.times |= tree.ids().any(|id| tree.node(id).time_ms.is_some());
    losses.variations |= tree.lines().nth(1).is_some();
    for (key, value) in &tree.headers {
        // Nothing is lost with an empty player's name.
        if !(value.is_empty() && matches!(key.as_str(), key::BLACK | key::WHITE)) {
            losses.headers.push(key.clone());
        }
    }
    let mut words = Vec::new();
    for id in tree.main_line() {
        match &tree.node(id).step {
            Step::Start => {}
            Step::Move(m) | Step::Foul(m, _) => words.push(m.to_string()),
            Step::End(terminal) => match ENDS.iter().find(|(_, end)| end == terminal) {
                Some((word, _)) => words.push((*word).to_string()),
                None => losses.ending = Some(terminal.kif().to_owned()),
            },
        }
    }
    if !words.is_empty() {
        line.push_str(" moves ");
        line.push_str(&words.join(" "));
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Ending, Format};

    #[test]
    fn writes_moves_and_last_word() {
        let mut record = crate::record::tests::sample();
        assert_eq!(
            record.write(Format::Usi),
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e resign\n"
        );
        record.ending = Ending::TimeForfeit;
        record.moves.clear();
        record.start = Some("4k4/9/9/9/9/9/9/9/4K4 b P 1".to_string());
        assert_eq!(
            record.write(Format::Usi),
            "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1 moves timeout\n"
        );
    }

    #[test]
    fn reads_lines() {
        let text = "# comment\nposition startpos moves 7g7f 3c3d resign\n\n\
                    4k4/9/9/9/9/9/9/9/4K4_b_P_5 moves P*5e # why\n7g7f 8c8d\nstartpos\n\
                    startpos moves 7g7f 7g7f\nsfen x\nusinewgame\n\
                    sfen 4k4/9/9/9/9/9/9/9/4K4 b P 5 P*5e\n";
        let games = read(text, &Rules::default()).unwrap();
        let (games, problems) = games.finish().unwrap();
        let counts: Vec<_> = games.iter().map(|tree| tree.main_moves().len()).collect();
        assert_eq!(counts, [2, 1, 2, 0, 1]);
        assert_eq!(games[0].ending(), Some(&Terminal::Resignation));
        assert_eq!(games[1].first_ply(), 5);
        let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "line 7: move 2 (7g7f) is not legal: there is no piece on 7g",
                "line 8: `sfen x` is no position",
                "line 9: `usinewgame` is neither a position nor a game",
                "line 10: `P*5e` behind a position without `moves`",
            ]
        );
        assert!(read("#YANEURAOU-DB2016 1.00\nsfen x\n", &Rules::default()).is_err());
    }
}
