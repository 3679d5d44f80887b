//! Private keys as blocks of several lines: PEM, OpenSSH, PGP, SSH2 and `PuTTY`. The whole block is the secret.

use std::ops::Range;

use super::runs::{Alphabet, SecretScan};
use crate::pattern::steps::count_steps;

/// The longest block: an RSA key of 16,384 bits has 13,000 characters.
const MAX_BLOCK: usize = 64 << 10;
/// The longest label between the dashes.
const MAX_LABEL: usize = 100;
/// The shortest word that is a line of a key even without a line break before it.
const MIN_LINE: usize = 16;

/// Returns the block that begins with `begin`, the dashes and `BEGIN` of a private key.
///
/// The block goes on to its `END` line. Without this line, because the text was cut off, or if it is far away, the lines
/// that can be a part of a key belong to the block.
pub(super) fn measure_block(scan: &mut SecretScan<'_>, begin: Range<usize>) -> Option<Range<usize>> {
    let text = scan.text;
    // The label between the dashes says what the block is: a certificate or a public key is no secret.
    let label = &text[begin.end..text.floor_char_boundary(begin.end + MAX_LABEL)];
    let label = &label[..label.find("----")?];
    let is_label =
        label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-'));
    if !is_label || !label.to_ascii_uppercase().contains("PRIVATE KEY") {
        return None;
    }
    let body = skip_dashes(text, begin.end + label.len());
    let end = match find_block_end(scan, body) {
        Some(end) if end - body <= MAX_BLOCK => end,
        _ => measure_body(scan, body),
    };
    Some(begin.start..end)
}

/// Returns the rest of a block, of which the beginning was cut off: the lines before `end`, the dashes and `END`, and that line.
pub(super) fn measure_block_rest(scan: &mut SecretScan<'_>, end: &Range<usize>) -> Option<Range<usize>> {
    let bytes = scan.text.as_bytes();
    let label = &bytes[end.end..bytes.len().min(end.end + MAX_LABEL)];
    let label = &label[..label.windows(4).position(|dashes| dashes == b"----")?];
    if !label.windows(11).any(|words| words.eq_ignore_ascii_case(b"PRIVATE KEY")) {
        return None;
    }
    // From line to line towards the beginning of the text: words in Base64, of which a short one is alone on its line.
    let mut start = end.start;
    while end.start - start < MAX_BLOCK {
        let line_end = skip_space_back(scan.text, start);
        let length = bytes[..line_end].iter().rev().take_while(|byte| is_key_byte(**byte)).count();
        let mut word = line_end - length;
        // The letter of an escaped line break is no part of the line behind it.
        let is_break = word > 0 && bytes[word - 1] == b'\\' && matches!(bytes[word], b'n' | b'r');
        word += usize::from(is_break && length > 0);
        let begins_line = word == 0 || is_break || !matches!(bytes[word - 1], b' ' | b'\t');
        if line_end == start || word == line_end || !(begins_line || line_end - word >= MIN_LINE) {
            break;
        }
        start = word;
    }
    count_steps(end.start - start);
    (start < end.start).then(|| start..skip_dashes(scan.text, end.end + label.len()))
}

/// Whether `byte` is a part of a line of a key.
fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Skips spaces and line breaks before `at`, also escaped ones.
fn skip_space_back(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    while at > 0 {
        match bytes[at - 1] {
            b'\n' | b'\r' | b' ' | b'\t' | b'\\' => at -= 1,
            b'n' | b'r' if at > 1 && bytes[at - 2] == b'\\' => at -= 2,
            _ => break,
        }
    }
    at
}

/// Returns the lines of a key after `lines`, the heading `Private-Lines:` of `PuTTY`.
pub(super) fn measure_lines(scan: &mut SecretScan<'_>, lines: Range<usize>) -> Option<Range<usize>> {
    let count = scan.text[lines.end..].trim_start_matches(' ').len();
    let start = scan.text.len() - count;
    let digits = scan.text[start..].bytes().take_while(u8::is_ascii_digit).count();
    let end = measure_body(scan, start + digits);
    (digits > 0 && end > start + digits).then_some(start + digits..end)
}

/// Returns the end of the next `END` line after `from`. One search serves all blocks before that line.
fn find_block_end(scan: &mut SecretScan<'_>, from: usize) -> Option<usize> {
    let found = match scan.block_end {
        Some((searched, found)) if searched <= from && found.is_none_or(|found| found >= from) => found,
        _ => {
            // `---- END ` is SSH2's and `-----END ` is PEM's: whichever comes first ends the block.
            let found =
                scan.text[from..].find("---- END ").into_iter().chain(scan.text[from..].find("-----END "));
            let found = found.min().map(|at| from + at);
            count_steps(found.unwrap_or(scan.text.len()) - from);
            found
        }
    };
    // A text of many `BEGIN` lines would otherwise be searched to its end once for each.
    scan.block_end = Some((from, found));
    let label = found? + "---- END ".len();
    let length = scan.text[label..].bytes().take(MAX_LABEL).position(|byte| byte == b'-')?;
    Some(skip_dashes(scan.text, label + length))
}

fn skip_dashes(text: &str, at: usize) -> usize {
    at + text[at..].bytes().take(5).take_while(|byte| *byte == b'-').count()
}

/// Returns where the lines of a key end that begin at `at`: words in Base64, each long or on a line of its own, and headers
/// such as `Proc-Type: 4,ENCRYPTED`. Line breaks may be escaped.
fn measure_body(scan: &mut SecretScan<'_>, at: usize) -> usize {
    // Words of Base64 belong to the key if they are long, or alone on a line. A header may stand between them. The
    // first other thing ends the key, so that the text behind a key that was cut off is kept.
    let mut end = at;
    let mut next = at;
    while next < scan.text.len() && next - at < MAX_BLOCK {
        let (start, breaks_line) = skip_space(scan.text, next);
        let word = scan.find_run_end(Alphabet::Base64, start);
        let is_key = word - start >= MIN_LINE || (breaks_line && word > start && ends_line(scan.text, word));
        if is_key {
            (end, next) = (word, word);
        } else if let Some(header) = measure_header(scan.text, start).filter(|_| breaks_line) {
            next = header;
        } else {
            break;
        }
    }
    end
}

/// Skips spaces and line breaks, also escaped ones. Returns whether a line break is among them.
fn skip_space(text: &str, from: usize) -> (usize, bool) {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut breaks_line = false;
    loop {
        match bytes.get(at) {
            Some(b'\n' | b'\r') => breaks_line = true,
            Some(b' ' | b'\t') => {}
            Some(b'\\') => match bytes.get(at + 1) {
                Some(b'n' | b'r') => {
                    breaks_line = true;
                    at += 1;
                }
                // A backslash may itself be escaped, once for each level of JSON around the text.
                Some(b'\\') => {}
                _ => return (at, breaks_line),
            },
            _ => return (at, breaks_line),
        }
        at += 1;
    }
}

fn ends_line(text: &str, at: usize) -> bool {
    at == text.len() || skip_space(text, at).1
}

/// Returns the end of a header line: a name, a colon and a value.
fn measure_header(text: &str, start: usize) -> Option<usize> {
    let name = text[start..].bytes().take(40).take_while(|byte| Alphabet::Word.contains(*byte)).count();
    let value = text[start + name..].strip_prefix(": ").filter(|_| name > 0)?;
    let length = value.bytes().take(200).position(|byte| matches!(byte, b'\n' | b'\r' | b'\\'))?;
    Some(start + name + 2 + length)
}
