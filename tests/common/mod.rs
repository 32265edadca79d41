//! Reading the test data files.

/// The lines of a data file that are no comments, split at ` ; `, with their
/// line numbers.
pub fn records(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(index, line)| (index + 1, line.split(" ; ").map(str::trim).collect()))
}
