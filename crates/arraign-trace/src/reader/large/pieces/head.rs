//! The beginning of a file, closed to valid JSON, by which the format of a large file is detected.

use std::io::{self, BufRead, Read as _};

use crate::reader::json::input::{is_json_lines, looks_like_json};
use crate::reader::json::sse;

/// The length of the beginning that the detection reads.
const LENGTH: usize = 256 << 10;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// The beginning of a file.
#[derive(Debug)]
pub(crate) struct Head {
    /// The text as valid JSON: brackets that are open at the cut are closed.
    pub(crate) text: String,
    /// Whether each record is a line.
    pub(crate) lines: bool,
    /// The offset of the first record.
    pub(crate) offset: u64,
}

impl Head {
    /// Reads the beginning of a file; `None` if the file cannot be split into pieces.
    pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut bytes = Vec::new();
        input.take(LENGTH as u64).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() < LENGTH;
        // The cut may be inside of a character. An invalid byte in the middle also ends the head here; the error is
        // found when the file itself is read.
        let text = match std::str::from_utf8(&bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
        };
        let offset = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let text = &text[offset..];
        // A stream of events has no brackets by which it could be split.
        if !looks_like_json(text) || sse::is_stream(text) {
            return Ok(None);
        }
        let lines = is_json_lines(text);
        let text = if is_whole { text.to_owned() } else { close_text(text, lines) };
        Ok(Some(Self { text, lines, offset: offset as u64 }))
    }
}

/// Closes the beginning of a JSON text, and drops the line or entry in which it was cut.
fn close_text(text: &str, lines: bool) -> String {
    if lines {
        let end = text.rfind('\n').unwrap_or(text.len());
        return text[..end].to_owned();
    }
    // Everything before a comma outside of texts is complete: a value ended there. The comma may lie at any depth, so
    // the lists and objects that are open at this place are closed in reverse order.
    let cut = last_comma(text);
    let mut closed = text[..cut].to_owned();
    closed.extend(open_brackets(&closed).into_iter().rev());
    closed
}

/// Finds the comma before the last entry, which may be cut.
fn last_comma(text: &str) -> usize {
    let mut last = 0;
    outside_of_texts(text, |at, byte| {
        if byte == b',' {
            last = at;
        }
    });
    last
}

/// Lists the brackets that close the lists and objects that are open at the end of a text.
fn open_brackets(text: &str) -> Vec<char> {
    let mut open = Vec::new();
    outside_of_texts(text, |_, byte| match byte {
        b'{' => open.push('}'),
        b'[' => open.push(']'),
        b'}' | b']' => drop(open.pop()),
        _ => {}
    });
    open
}

fn outside_of_texts(text: &str, mut look: impl FnMut(usize, u8)) {
    // Brackets and commas count only outside of texts, and a quote after a backslash does not end a text. UTF-8 needs
    // no care: none of its continuation bytes equals a quote, a backslash or a bracket.
    let mut in_text = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            byte if !in_text => look(at, byte),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_off_is_closed() {
        let text = r#"{"a": [1, {"b": "],}", "c": [2, 3"#;
        assert_eq!(close_text(text, false), r#"{"a": [1, {"b": "],}", "c": [2]}]}"#);
        assert_eq!(close_text("{\"a\": 1}\n{\"b\": 2}\n{\"c", true), "{\"a\": 1}\n{\"b\": 2}");
    }
}
