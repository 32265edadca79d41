//! From bytes to text and back: encodings, line ends, full-width characters.
//!
//! Files do not say in which encoding they are, or say it wrongly, so it is found
//! out from the bytes: a byte order mark, valid UTF-8, Shift_JIS (CP932, with which
//! the format began), EUC-JP (old CSA files), in this order. Conversions are those
//! of the Encoding Standard (WHATWG) by `encoding_rs`.

use encoding_rs::{EUC_JP, SHIFT_JIS, UTF_8, UTF_16BE, UTF_16LE};

use super::Format;
use super::kif_read::BLANKS;

/// The encoding of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// Shift_JIS as Windows has it (CP932).
    ShiftJis,
    /// EUC-JP.
    EucJp,
    /// UTF-16 with a byte order mark; read only.
    Utf16,
}

impl Encoding {
    /// Its usual name.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf8Bom => "UTF-8 with a byte order mark",
            Encoding::ShiftJis => "Shift_JIS",
            Encoding::EucJp => "EUC-JP",
            Encoding::Utf16 => "UTF-16",
        }
    }
}

/// What stands for bytes that are no character.
const DAMAGED: char = '\u{fffd}';

/// Bytes from which the encoding is found out.
const SAMPLE: usize = 1 << 16;

/// The bytes are no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// A byte that no text has.
    #[error("line {0}: not a text file (a NUL byte)")]
    Nul(usize),
    /// No encoding fits.
    #[error("the text is neither UTF-8 nor Shift_JIS nor EUC-JP")]
    Encoding,
}

/// Finds out the encoding and decodes. A damaged character among many good ones
/// becomes U+FFFD.
pub fn decode(bytes: &[u8]) -> Result<(String, Encoding), NotText> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_with_bom_removal(bytes);
        let encoding = if encoding == UTF_16LE || encoding == UTF_16BE {
            Encoding::Utf16
        } else {
            Encoding::Utf8Bom
        };
        return Ok((text.into_owned(), encoding));
    }
    if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
        let line = bytes[..nul].iter().filter(|&&byte| byte == b'\n').count() + 1;
        return Err(NotText::Nul(line));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok((text.to_owned(), Encoding::Utf8));
    }
    // A part of a large file tells as well, unless there is nothing to tell from.
    let part = &bytes[..bytes.len().min(SAMPLE)];
    let part = if part.is_ascii() { bytes } else { part };
    let candidates = [
        (SHIFT_JIS, Encoding::ShiftJis),
        (EUC_JP, Encoding::EucJp),
        (UTF_8, Encoding::Utf8),
    ];
    let (sample, codec, encoding) = candidates
        .map(|(codec, encoding)| (codec.decode_without_bom_handling(part).0, codec, encoding))
        .into_iter()
        .min_by_key(|(text, _, encoding)| fault(text, *encoding))
        .ok_or(NotText::Encoding)?;
    // One character in twenty, or one in a short text.
    let damaged = sample.chars().filter(|&c| c == DAMAGED).count();
    if damaged > 1 + sample.chars().count() / 20 {
        return Err(NotText::Encoding);
    }
    let (text, _) = codec.decode_without_bom_handling(bytes);
    Ok((text.into_owned(), encoding))
}

/// The line of the first damaged character in a text, and how many there are.
pub fn damage(text: &str) -> Option<(usize, usize)> {
    let first = text.find(DAMAGED)?;
    let line = lines(&text[..first + DAMAGED.len_utf8()]).count();
    Some((line, text[first..].matches(DAMAGED).count()))
}

/// How unlikely it is that a decoded text is right. EUC-JP that is read as Shift_JIS
/// turns into half-width katakana without sense, and such katakana that are read as
/// EUC-JP turn into kanji of which half are rare ones.
fn fault(text: &str, encoding: Encoding) -> usize {
    let mut before = '\0';
    let mut total = 0;
    for c in text.chars() {
        total += match c {
            DAMAGED => 30,
            // 、。・「」, of which kana in EUC-JP consist half.
            '\u{ff61}'..='\u{ff65}' => 2,
            'ﾞ' if !matches!(before, 'ｳ' | 'ｶ'..='ﾄ' | 'ﾊ'..='ﾎ') => 4,
            'ﾟ' if !matches!(before, 'ﾊ'..='ﾎ') => 4,
            '\u{ff66}'..='\u{ff9f}' => 1,
            _ if encoding == Encoding::EucJp && is_rare_kanji(c) => 4,
            _ => 0,
        };
        before = c;
    }
    total
}

/// Whether a character is a kanji of the second level of JIS X 0208, from row 48 on.
fn is_rare_kanji(c: char) -> bool {
    let mut buffer = [0; 4];
    let (bytes, _, _) = EUC_JP.encode(c.encode_utf8(&mut buffer));
    matches!(*bytes, [0xd0..=0xfe, _])
}

/// Encodes a text; characters that the encoding lacks become `〓` and are counted.
pub fn encode(text: &str, encoding: Encoding) -> (Vec<u8>, usize) {
    let codec = match encoding {
        Encoding::Utf8 | Encoding::Utf16 => return (text.as_bytes().to_vec(), 0),
        Encoding::Utf8Bom => {
            let mut bytes = b"\xef\xbb\xbf".to_vec();
            bytes.extend_from_slice(text.as_bytes());
            return (bytes, 0);
        }
        Encoding::ShiftJis => SHIFT_JIS,
        Encoding::EucJp => EUC_JP,
    };
    let (bytes, _, lossy) = codec.encode(text);
    if !lossy {
        return (bytes.into_owned(), 0);
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut lost = 0;
    let mut buffer = [0; 4];
    for c in text.chars() {
        let (encoded, _, failed) = codec.encode(c.encode_utf8(&mut buffer));
        if failed {
            lost += 1;
            bytes.extend_from_slice(&codec.encode("〓").0);
        } else {
            bytes.extend_from_slice(&encoded);
        }
    }
    (bytes, lost)
}

/// The lines of a text with their numbers from 1, whatever ends them.
pub fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text.trim_end_matches('\u{1a}');
    let mut number = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        number += 1;
        let end = rest.find(['\n', '\r']).unwrap_or(rest.len());
        // Marks of files that were put one behind the other.
        let line = rest[..end].trim_matches(['\u{feff}', '\u{1a}']);
        rest = &rest[end..];
        rest = rest
            .strip_prefix("\r\n")
            .or_else(|| rest.strip_prefix(['\n', '\r']))
            .unwrap_or(rest);
        Some((number, line))
    })
}

/// Full-width digits, letters and signs as their ASCII characters.
pub fn narrow(c: char) -> char {
    match c {
        '！'..='～' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        '\u{3000}' => ' ',
        c => c,
    }
}

/// A text that a message may quote: one line, not long.
pub fn quote(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(40).collect();
    if text.chars().nth(40).is_some() {
        short.push_str("...");
    }
    short
}

/// The text as one line that can stand in a file: no control characters.
pub fn one_line(text: &str) -> String {
    text.replace(|c: char| c.is_control() && c != '\t', " ")
}

/// How many lines are looked at to find out the format.
const SNIFFED_LINES: usize = 400;

/// Finds out the format from the text; `None` when nothing in it looks like a game.
pub fn sniff(text: &str) -> Option<Format> {
    if is_jkf(text) {
        return Some(Format::Jkf);
    }
    let mut ki2 = false;
    let mut header = false;
    let mut is_kif = false;
    for (_, line) in lines(text).take(SNIFFED_LINES) {
        let line = line.trim_matches(BLANKS);
        is_kif |= line.starts_with("#KIF");
        if !is_kif && is_csa_line(line) {
            return Some(Format::Csa);
        }
        if !is_kif && is_usi_line(line) {
            return Some(Format::Usi);
        }
        if line.starts_with("手数--") || super::kif_read::is_numbered_move(line) {
            return Some(Format::Kif);
        }
        ki2 |= line.starts_with(super::kif_read::SIDES);
        header |= super::kif_head::is_kif_line(line);
    }
    match (ki2, header) {
        (true, _) => Some(Format::Ki2),
        (false, true) => Some(Format::Kif),
        (false, false) => None,
    }
}

/// Whether a line, before any other, makes a text one of another format than KIF.
pub(super) fn is_foreign(line: &str) -> bool {
    let line = line.trim_matches(BLANKS);
    is_csa_line(line) || is_usi_line(line) || is_jkf(line)
}

/// Whether a text is JKF, or would be.
fn is_jkf(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) && text.contains("\"moves\"")
}

fn is_csa_line(line: &str) -> bool {
    if line.starts_with("'CSA encoding=") || matches!(line, "V2" | "V2.1" | "V2.2" | "V3.0") {
        return true;
    }
    let is_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let is_code = |text: &[u8]| text.iter().all(u8::is_ascii_uppercase);
    let is_list = |pieces: &[u8]| {
        pieces.len().is_multiple_of(4)
            && (pieces.chunks(4)).all(|piece| is_digits(&piece[..2]) && is_code(&piece[2..]))
    };
    match line.as_bytes() {
        [b'P', b'I', removed @ ..] => is_list(removed),
        [b'P', b'+' | b'-', pieces @ ..] => !pieces.is_empty() && is_list(pieces),
        [b'P', b'1'..=b'9', b'+' | b'-', a, b, ..] => is_code(&[*a, *b]),
        [b'P', b'1'..=b'9', b' ', b'*', ..] => true,
        [b'+' | b'-', squares @ ..] if squares.len() >= 6 => {
            is_digits(&squares[..4]) && is_code(&squares[4..6])
        }
        _ => false,
    }
}

fn is_usi_line(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("position" | "startpos") => true,
        Some("sfen") => words.next().is_some_and(is_board),
        Some("moves") => true,
        Some(word) => is_board(word) || crate::shogi::Move::from_usi(word).is_some(),
        None => false,
    }
}

fn is_board(word: &str) -> bool {
    word.bytes().filter(|&byte| byte == b'/').count() == 8
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'_' | b'-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_out() {
        let text = "手合割：平手\n先手：藤井\n*コメント\n";
        for (encoding, codec) in [(Encoding::ShiftJis, SHIFT_JIS), (Encoding::EucJp, EUC_JP)] {
            let (bytes, _, _) = codec.encode(text);
            assert_eq!(decode(&bytes), Ok((text.to_owned(), encoding)));
            assert_eq!(encode(text, encoding), (bytes.into_owned(), 0));
        }
        // Little to tell from: names alone.
        for (names, encoding) in [
            ("N+ﾔﾏﾀﾞ\nN-ｽｽﾞｷ ﾊﾅｺ\n", Encoding::ShiftJis),
            ("N+渡辺明\n", Encoding::ShiftJis),
            (
                "N+渡辺明\nN-羽生善治\n$EVENT:第七十期王将戦\n",
                Encoding::EucJp,
            ),
            ("N+渡邊\n$SITE:つるぎ、将棋会館\n", Encoding::EucJp),
        ] {
            let (bytes, _) = encode(names, encoding);
            assert_eq!(decode(&bytes), Ok((names.to_owned(), encoding)));
        }
        for encoding in [Encoding::Utf8, Encoding::Utf8Bom] {
            let (bytes, _) = encode(text, encoding);
            assert_eq!(decode(&bytes), Ok((text.to_owned(), encoding)));
        }
        let utf16: Vec<u8> = "\u{feff}手合割"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(decode(&utf16), Ok(("手合割".to_owned(), Encoding::Utf16)));
        assert_eq!(decode(b"a\nb\0"), Err(NotText::Nul(2)));
        assert_eq!(
            decode(&b"\xff\xfd\xfe\xf8 abc".repeat(9)),
            Err(NotText::Encoding)
        );
        assert_eq!(damage("a\nb"), None);
        assert_eq!(damage("a\r\nb\u{fffd}\n\u{fffd}"), Some((2, 2)));
        let (bytes, lost) = encode("☗７六歩", Encoding::ShiftJis);
        assert_eq!(lost, 1);
        assert_eq!(decode(&bytes).unwrap().0, "〓７六歩");
    }

    #[test]
    fn line_ends_of_every_kind() {
        let all: Vec<_> = lines("a\r\nb\n\rc\r\u{feff}d\n\n\u{1a}").collect();
        assert_eq!(
            all,
            [(1, "a"), (2, "b"), (3, ""), (4, "c"), (5, "d"), (6, "")]
        );
    }

    #[test]
    fn formats_are_found_out() {
        for (text, format) in [
            ("{\"header\":{},\"moves\":[{}]}", Some(Format::Jkf)),
            ("'comment\nV2.2\nN+A\n", Some(Format::Csa)),
            ("+7776FU\n", Some(Format::Csa)),
            ("PI82HI22KA\n-\n", Some(Format::Csa)),
            ("P-51OU\nP+00KI\n+\n", Some(Format::Csa)),
            ("P1-KY\n", Some(Format::Csa)),
            ("P1 *  * \n", Some(Format::Csa)),
            ("startpos moves 7g7f", Some(Format::Usi)),
            ("# x\n4k4/9/9/9/9/9/9/9/4K4 b P 1\n", Some(Format::Usi)),
            ("手合割：平手\n先手：A\n手数----指手--\n", Some(Format::Kif)),
            ("   1 ７六歩(77)\n", Some(Format::Kif)),
            ("先手：A\n\n▲７六歩　△３四歩\n", Some(Format::Ki2)),
            (
                "後手の持駒：なし\n| ・ ・ ・ ・v玉 ・ ・ ・ ・|一\n",
                Some(Format::Kif),
            ),
            ("Dear all,\nthis is a letter: yours\n", None),
            ("", None),
        ] {
            assert_eq!(sniff(text), format, "{text}");
        }
    }
}
