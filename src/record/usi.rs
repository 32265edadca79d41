//! Games as lines of USI: `startpos moves ...` or `sfen ... moves ...`, one a
//! line, with `resign` or `win` at the end when the game ended by that word.
//! Times, names and evaluations have no place in it.

use super::{Ending, GameRecord};

/// The game as one line.
pub fn write(record: &GameRecord) -> String {
    let mut line = match &record.start {
        None => "startpos".to_string(),
        Some(sfen) => format!("sfen {sfen}"),
    };
    let last = match record.ending {
        Ending::Resignation => Some("resign"),
        Ending::Declaration => Some("win"),
        _ => None,
    };
    let words = record.moves.iter().map(|played| played.usi.as_str());
    for (index, word) in words.chain(last).enumerate() {
        if index == 0 {
            line.push_str(" moves");
        }
        line.push(' ');
        line.push_str(word);
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_moves_and_last_word() {
        let mut record = super::super::tests::sample();
        assert_eq!(
            write(&record),
            "startpos moves 7g7f 3c3d 8h2b+ 3a2b B*4e resign\n"
        );
        record.ending = Ending::TimeForfeit;
        record.moves.clear();
        record.start = Some("4k4/9/9/9/9/9/9/9/4K4 b P 1".to_string());
        assert_eq!(write(&record), "sfen 4k4/9/9/9/9/9/9/9/4K4 b P 1\n");
    }
}
