//! Keys and tokens in another spelling: `ghp%5F...` in a URL, `\u0067hp_...` in JSON, with invisible characters, and in Base64.
//!
//! Only the parts of a text that have such a spelling are decoded, each once. What is found in a decoded part is masked where it
//! was written. Names and their values are not searched: only a shape is a proof in a text that was not meant to be read.

use std::ops::Range;

use super::runs::SecretScan;
use super::{Detector, SHORTEST_ISSUED, search_words};
use crate::pattern::personal::Personal;
use crate::pattern::steps::count_steps;

/// Beginnings of escapes, and the characters that show nothing: the soft hyphen, spaces and joiners without a width, and the
/// byte order mark.
pub(super) const ESCAPES: &[&str] =
    &["%", "\\u", "\\x", "\u{ad}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}"];

/// Returns the secret around the escape at `at`, of which characters are escaped, or stand between invisible ones.
pub(super) fn find_escaped(scan: &mut SecretScan<'_>, at: usize) -> Option<(&'static str, Range<usize>)> {
    // A run has many escapes, and is decoded at the first.
    if at < scan.escaped_end || decode_escape(scan.text, at).is_none() {
        return None;
    }
    let run = EscapedRun::around(scan.text, at, scan.escaped_end);
    scan.escaped_end = run.end;
    run.find_secret()
}

/// A run of characters of tokens, decoded: each byte with the place at which it was written.
struct EscapedRun {
    decoded: String,
    /// The places of the decoded bytes.
    places: Vec<usize>,
    end: usize,
}

impl EscapedRun {
    /// Decodes the run around the escape at `at`. It begins at `from` or later.
    fn around(text: &str, at: usize, from: usize) -> Self {
        let bytes = text.as_bytes();
        let before = bytes[from..at].iter().rev().take_while(|byte| is_token_byte(**byte)).count();
        let start = skip_break_letter(bytes, at - before);
        let mut run = Self { decoded: String::new(), places: Vec::new(), end: start };
        while run.end < bytes.len() {
            let byte = bytes[run.end];
            let decoded =
                if is_token_byte(byte) { Some((Some(byte), 1)) } else { decode_escape(text, run.end) };
            let Some((byte, length)) = decoded else { break };
            if let Some(byte) = byte {
                run.decoded.push(char::from(byte));
                run.places.push(run.end);
            }
            run.end += length;
        }
        count_steps(run.end - start);
        run
    }

    /// Returns the secret in the run, at its place in the text. Several are one: only token characters stand between them.
    fn find_secret(&self) -> Option<(&'static str, Range<usize>)> {
        if self.decoded.len() < SHORTEST_ISSUED {
            return None;
        }
        let found = search_words(&self.decoded, Detector::knows_shape);
        let start = found.iter().map(|one| one.range.start).min()?;
        let end = found.iter().map(|one| one.range.end).max()?;
        let end = self.places.get(end).copied().unwrap_or(self.end);
        Some((found.first()?.name, self.places[start]..end))
    }
}

/// Skips the letter of an escaped line break at `start`, which is no part of the run behind it: `\\nZ2hw`.
fn skip_break_letter(bytes: &[u8], start: usize) -> usize {
    let is_break = start > 0 && bytes[start - 1] == b'\\';
    start + usize::from(is_break && bytes.get(start).is_some_and(|byte| matches!(byte, b'n' | b'r' | b't')))
}

/// Whether `byte` can be a part of a token.
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~+/=:".contains(&byte)
}

/// Decodes the escape at `at`. Returns its character, which is a character of tokens, and its length. An invisible character
/// stands for none.
fn decode_escape(text: &str, at: usize) -> Option<(Option<u8>, usize)> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if !first.is_ascii() {
        let mut invisible = ESCAPES.iter().filter(|escape| rest.starts_with(**escape));
        return invisible.next().map(|escape| (None, escape.len()));
    }
    // A percent sign that was itself escaped is `%25`.
    let escaped = rest.strip_prefix('%').map(|rest| rest.trim_start_matches("25"));
    let (digits, count) = match escaped {
        Some(digits) => (digits, 2),
        None => match rest.strip_prefix('\\')? {
            rest if rest.starts_with('u') => (&rest[1..], 4),
            rest if rest.starts_with('x') => (&rest[1..], 2),
            _ => return None,
        },
    };
    let code = digits.get(..count).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    let byte =
        u8::from_str_radix(code.trim_start_matches("00"), 16).ok().filter(|byte| is_token_byte(*byte))?;
    Some((Some(byte), rest.len() - digits.len() + count))
}

/// Returns the runs of Base64 that contain a secret. The whole run is masked, because any part of it is a part of the secret.
pub(super) fn find_base64(text: &str) -> Vec<Personal> {
    /// The number of characters that stand for the shortest secret.
    const SHORTEST: usize = (SHORTEST_ISSUED * 8).div_ceil(6);
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut start = 0;
    // A run that begins at `start` is long enough only if the byte at `start + SHORTEST - 1` is a part of it. So most of the
    // text is never looked at.
    while let Some(last) = bytes.get(start + SHORTEST - 1) {
        let length = if last.is_ascii_alphanumeric() {
            bytes[start..start + SHORTEST]
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_alphanumeric())
                .count()
        } else {
            0
        };
        if length < SHORTEST {
            start += SHORTEST - length;
            continue;
        }
        let rest = &bytes[start + SHORTEST..];
        let more = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let end = start + SHORTEST + more;
        count_steps(end - start);
        if let Some(secret) = find_in_base64(text, start..end) {
            found.push(secret);
        }
        start = end;
    }
    found
}

/// Returns the run as a secret if the text for which it stands contains one.
///
/// The two characters of Base64 that are no letters or digits end a run: they stand for characters that are in no token, and
/// what follows them begins a new group of four.
fn find_in_base64(text: &str, run: Range<usize>) -> Option<Personal> {
    let bytes = text.as_bytes();
    let run = skip_break_letter(bytes, run.start)..run.end;
    let decoded = decode_text(&bytes[run.clone()]);
    if decoded.len() < SHORTEST_ISSUED {
        return None;
    }
    let secret = search_words(&decoded, Detector::knows_shape).into_iter().next()?;
    let padding = bytes[run.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    Some(Personal { range: run.start..run.end + padding, ..secret })
}

/// Decodes Base64 up to the first byte that no plain text has. Images, hashes and identifiers end after a few characters.
fn decode_text(run: &[u8]) -> String {
    let mut decoded = String::new();
    for group in run.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(decode_digit(*digit)));
        // A group of fewer than four characters ends the text: each character stands for six bits.
        let bits = bits << (6 * (4 - group.len()));
        for byte in bits.to_be_bytes().into_iter().skip(1).take(group.len() * 6 / 8) {
            if !matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t') {
                return decoded;
            }
            decoded.push(char::from(byte));
        }
    }
    count_steps(decoded.len());
    decoded
}

/// Returns the six bits for which a letter or a digit stands in Base64.
fn decode_digit(digit: u8) -> u8 {
    match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        _ => digit.wrapping_sub(b'0').wrapping_add(52),
    }
}
