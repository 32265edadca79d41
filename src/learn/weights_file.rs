//! The source text of files of weights (`src/eval/weights.rs`), formatted as rustfmt
//! does it.

use std::fmt::Write;

/// Columns that a line of an array may have: rustfmt keeps one free.
const WIDTH: usize = 99;

/// The text of the file with these weights: those of `of`, a module in backquotes and
/// what it uses them for.
pub fn render(of: &str, weights: &[i16]) -> String {
    let mut text = format!(
        "//! The weights of {of}.\n\n\
         /// By feature, in centipawns.\n\
         pub(super) static WEIGHTS: [i16; {}] = [\n",
        weights.len()
    );
    let mut line = String::new();
    for weight in weights {
        let item = format!("{weight},");
        if !line.is_empty() && 4 + line.len() + 1 + item.len() > WIDTH {
            let _ = writeln!(text, "    {line}");
            line.clear();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&item);
    }
    if !line.is_empty() {
        let _ = writeln!(text, "    {line}");
    }
    text.push_str("];\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::{hand, wa};

    #[test]
    fn the_present_files_are_written_like_that() {
        assert!(render("`hand`", hand::weights()) == include_str!("../eval/weights.rs"));
        assert!(render(wa::NAMES[1], wa::weights(true)) == include_str!("../eval/wa_drops.rs"));
        assert!(render(wa::NAMES[0], wa::weights(false)) == include_str!("../eval/wa_no_drops.rs"));
    }
}
