//! Secrets that a text names: `password: ...`, `api_key=...`, `Authorization: Bearer ...`, and passwords in URLs.

use std::ops::Range;
use std::sync::LazyLock;

use super::key_name::{KeyStrength, classify_key, is_cookie, is_plausible, looks_chosen, looks_random};
use super::layout::{Layout, find_layout};
use super::runs::{Alphabet, SecretScan};
use crate::pattern::steps::count_steps;
use crate::pattern::word_table::{WordList, list_lines};

/// The longest name in front of a value, on either side of the word that was found.
const MAX_NAME: usize = 40;
/// The longest value.
const MAX_VALUE: usize = 4096;

/// Words that are searched, in any case. The name around each decides whether its value is a secret.
pub(super) static NAME_WORDS: WordList = LazyLock::new(|| {
    let foreign = list_lines(include_str!("data/foreign_words.txt"));
    list_lines(include_str!("data/name_words.txt")).into_iter().chain(foreign).collect()
});

/// Words in front of a secret in a header.
pub(super) const SCHEMES: &[&str] = &["bearer ", "basic "];

/// Returns the value of the name around `word`.
pub(super) fn measure_assigned(scan: &SecretScan<'_>, word: Range<usize>) -> Option<Range<usize>> {
    let text = scan.text;
    // The word is only a part of the name: `password` in `DB_PASSWORD_FILE`. The whole name decides how likely its
    // value is a secret, then come the layout and the value, which ends by its quote, its line or its word.
    let name = find_name(text, &word);
    let strength = classify_key(&text[name.clone()])?;
    let (start, layout) = find_layout(text, &name)?;
    match layout {
        Layout::Tight | Layout::Loose | Layout::Flag => {}
        Layout::Element => {
            let value = start..find_value_end(text, start, |byte| byte == b'<');
            return choose_value(text, value.clone(), strength, true)
                .filter(|_| text[value.end..].starts_with("</"));
        }
        // In a row or a sentence, the next word is mostly no password: its form must show it.
        Layout::Cell | Layout::Sentence => {
            let value = find_quoted(text, start)
                .map_or_else(|| start..find_word_end(text, start), |(quoted, _)| quoted);
            return (strength == KeyStrength::Strong && looks_chosen(&text[value.clone()])).then_some(value);
        }
    }
    // A value in quotes is no word of the sentence, so one of lower-case letters counts, too.
    if let Some((value, _)) = find_quoted(text, start) {
        return choose_value(text, value, strength, true);
    }
    if strength == KeyStrength::Cookie {
        let line = start..find_value_end(text, start, |byte| matches!(byte, b'\n' | b'\r'));
        return choose_value(text, line, strength, true);
    }
    let value = start..find_word_end(text, start);
    // `Authorization: Bearer KEY`: the scheme is a word of its own before the secret.
    if is_scheme(&text[value.clone()]) && text[value.end..].starts_with(' ') {
        let secret = value.end + 1;
        return choose_value(text, secret..find_word_end(text, secret), strength, true);
    }
    if layout == Layout::Flag && names_value(&text[value.clone()]) {
        return None;
    }
    choose_value(text, value, strength, layout == Layout::Tight)
}

/// Whether the word after a flag is no value: `--password PASSWORD` in the help of a program, `--secret id=npm`.
fn names_value(word: &str) -> bool {
    let is_name = word.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'-'));
    is_name || ["id=", "type=", "src=", "env="].iter().any(|key| word.starts_with(key))
}

/// Returns the bytes of the name around `word`.
fn find_name(text: &str, word: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    // The word was found together with the `?`, `&` or `=` around it, which are no part of the name.
    let word = word.start + usize::from(matches!(bytes[word.start], b'?' | b'&'))
        ..word.end - usize::from(bytes[word.end - 1] == b'=');
    let before = bytes[..word.start]
        .iter()
        .rev()
        .take(MAX_NAME)
        .take_while(|byte| Alphabet::Word.contains(**byte))
        .count();
    let after =
        bytes[word.end..].iter().take(MAX_NAME).take_while(|byte| Alphabet::Word.contains(**byte)).count();
    word.start - before..word.end + after
}

/// Returns the text between the quote at `at` and the next of its kind, with as many backslashes before it. Without an end, all
/// that follows is quoted: the text was cut off.
fn find_quoted(text: &str, at: usize) -> Option<(Range<usize>, usize)> {
    let rest = &text[at..];
    // In JSON inside of JSON, a quote has backslashes before it, and its end has as many.
    let slashes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest[slashes..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let start = at + slashes + 1;
    let end = find_value_end(text, start, |byte| byte == quote as u8);
    // Backslashes at the end belong to the quote behind them, up to the number at the beginning.
    let end = end - text[start..end].bytes().rev().take_while(|byte| *byte == b'\\').count().min(slashes);
    Some((start..end, slashes))
}

fn is_scheme(word: &str) -> bool {
    let known = ["bearer", "basic", "token", "digest", "apikey", "bot", "negotiate", "aws4-hmac-sha256"];
    known.iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

/// Returns the end of a word: a blank, a mark between values, or an escape ends it.
fn find_word_end(text: &str, start: usize) -> usize {
    let end =
        find_value_end(text, start, |byte| byte.is_ascii_whitespace() || b"\"'`,;&<>)]}|\\".contains(&byte));
    start + text[start..end].trim_end_matches(['.', ':', '!', '?']).len()
}

fn find_value_end(text: &str, start: usize, ends: impl Fn(u8) -> bool) -> usize {
    // The search is bounded, so that many names in a row cost no more than their number times the longest value.
    let length = text.as_bytes()[start..].iter().take(MAX_VALUE).position(|byte| ends(*byte));
    let end = length.map_or(text.len().min(start + MAX_VALUE), |length| start + length);
    count_steps(end - start);
    text.ceil_char_boundary(end)
}

/// Returns `value` if it is a secret under a name of this strength. A value that is neither quoted nor joined to its name may be
/// a word of a sentence (`password: required`), so it must have something else than lower-case letters.
fn choose_value(
    text: &str,
    value: Range<usize>,
    strength: KeyStrength,
    is_delimited: bool,
) -> Option<Range<usize>> {
    let shown = &text[value.clone()];
    let is_secret = match strength {
        KeyStrength::Strong => {
            let is_word = shown.chars().all(|c| c.is_lowercase() || matches!(c, '_' | '-' | '.' | '('))
                || shown.chars().skip(1).all(char::is_lowercase);
            // A call such as `get_token(` is code that obtains a secret.
            is_plausible(shown) && (is_delimited || !is_word) && !shown.ends_with('(')
        }
        KeyStrength::Weak => looks_random(shown),
        KeyStrength::Cookie => is_cookie(shown),
    };
    is_secret.then_some(value)
}

/// Returns the credentials after the scheme of a header: `Bearer ...`, `Basic ...`.
pub(super) fn measure_credentials(scan: &SecretScan<'_>, scheme: Range<usize>) -> Option<Range<usize>> {
    let end = find_word_end(scan.text, scheme.end);
    let value = &scan.text[scheme.end..end];
    let is_basic = scan.text[scheme.clone()].eq_ignore_ascii_case("basic ");
    // A basic credential is a name and a password in Base64, which need not look random.
    let is_secret = if is_basic { is_encoded_pair(value) } else { looks_random(value) };
    (scan.begins_word(scheme.start) && is_secret).then_some(scheme.end..end)
}

/// Whether `value` can be a user and a password in Base64.
fn is_encoded_pair(value: &str) -> bool {
    let is_base64 = value.bytes().all(|byte| Alphabet::Base64.contains(byte));
    let has_lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    // One capital at the beginning is a name, and one inside of a word is rare outside of Base64.
    let has_upper_inside = value.bytes().skip(1).any(|byte| byte.is_ascii_uppercase());
    value.len() >= 8 && value.len().is_multiple_of(4) && is_base64 && has_lower && has_upper_inside
}

/// Returns the password in the user info after `mark`, the `://` of a URL, or the user if there is only a long one.
pub(super) fn measure_user_info(scan: &SecretScan<'_>, mark: &Range<usize>) -> Option<Range<usize>> {
    const MAX_USER_INFO: usize = 512;
    let bytes = &scan.text.as_bytes()[mark.end..];
    let mut head = bytes.iter().take(MAX_USER_INFO);
    let end = head.position(|byte| byte.is_ascii_whitespace() || b"/?#\"'<>\\".contains(byte));
    let authority = end.unwrap_or(bytes.len().min(MAX_USER_INFO));
    // A password may contain `@`, so the last one before the path ends the user info.
    let length = bytes[..authority].iter().rposition(|byte| *byte == b'@')?;
    let user = scan.text.get(mark.end..mark.end + length)?;
    match user.split_once(':') {
        Some((name, password)) => {
            let start = mark.end + name.len() + 1;
            (!password.is_empty() && !is_masked(password)).then_some(start..mark.end + length)
        }
        None => looks_random(user).then_some(mark.end..mark.end + length),
    }
}

/// Flags of `curl` in front of a user and a password.
pub(super) const USER_FLAGS: &[&str] = &[" -u", " --user", " --proxy-user"];

/// Returns the password after `flag` in a call of `curl`: `curl -u ada:PASSWORD`.
pub(super) fn measure_user_flag(scan: &SecretScan<'_>, flag: &Range<usize>) -> Option<Range<usize>> {
    /// The longest part of a command between `curl` and the flag.
    const MAX_COMMAND: usize = 300;
    let text = scan.text;
    let rest = &text[flag.end..];
    let start = text.len() - rest.trim_start_matches(' ').trim_start_matches('=').len();
    let user = find_quoted(text, start).map_or_else(|| start..find_word_end(text, start), |(user, _)| user);
    let (name, password) = text[user.clone()].split_once(':')?;
    // Other programs have such flags for a user and a group: `docker run -u 1000:1000`.
    let before = &text.as_bytes()[flag.start.saturating_sub(MAX_COMMAND)..flag.start];
    count_steps(before.len());
    let is_curl = before.windows(4).any(|word| word.eq_ignore_ascii_case(b"curl"));
    let is_secret = !password.is_empty() && !is_masked(password) && !password.starts_with('$');
    (is_curl && is_secret).then_some(user.start + name.len() + 1..user.end)
}

fn is_masked(password: &str) -> bool {
    password.bytes().all(|byte| byte == b'*') || password.starts_with("${") || password.starts_with('<')
}
