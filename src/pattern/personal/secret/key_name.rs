//! Names of values that are secrets: `password`, `client_secret`, `x-api-key`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

use crate::pattern::split_name::split_name;
use crate::pattern::word_table::{WordList, list_lines, list_words};

/// How much the name of a value says about the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyStrength {
    /// The value is a secret.
    Strong,
    /// The value is a secret if it looks random: a `token` can also be a page's.
    Weak,
    /// The value is a secret if it has the form of a cookie.
    Cookie,
}

/// Words in the names of secrets, in lower case and without joints. They are words in front of a value in a text, too.
static STRONG_WORDS: WordList = LazyLock::new(|| list_words(include_str!("data/strong_words.txt")));

/// Words for `password` in other languages.
static FOREIGN_WORDS: WordList = LazyLock::new(|| list_lines(include_str!("data/foreign_words.txt")));

/// What a `pass` or `pw` that is a password belongs to: `DB_PASS`. In other names it is a success or a round.
static PASS_OWNERS: WordList = LazyLock::new(|| list_words(include_str!("data/pass_owners.txt")));

/// Words that stand in the place of a value, and are not values.
static OTHER_VALUES: WordList = LazyLock::new(|| list_words(include_str!("data/other_values.txt")));

/// Words in the names of values that may be secrets.
const WEAK_WORDS: &[&str] = &["token", "signature", "session", "auth", "bearer", "apitoken", "sig", "key"];

/// Ends of names that are about a secret and do not contain it: `secret_name`, `password_policy`.
static OTHER_ENDS: WordList = LazyLock::new(|| list_words(include_str!("data/other_ends.txt")));

/// The longest name.
const MAX_KEY: usize = 100;

/// The stems of the names of secrets: each such name contains one of them.
static STEMS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let stems = "pass pwd pw secret key auth credential token sig session cookie bearer".split(' ');
    let stems =
        stems.chain(FOREIGN_WORDS.iter().map(|phrase| phrase.split(' ').next_back().unwrap_or(phrase)));
    let kind = Some(AhoCorasickKind::ContiguousNFA);
    AhoCorasick::builder().ascii_case_insensitive(true).prefilter(false).kind(kind).build(stems).ok()
});

/// Returns what the name `key` says about its value. The joints between its words do not count, nor does the case.
pub(super) fn classify_key(key: &str) -> Option<KeyStrength> {
    // Most names have none of the stems, and are not taken apart.
    if key.len() > MAX_KEY || !STEMS.as_ref().is_some_and(|stems| stems.is_match(key)) {
        return None;
    }
    let words = split_name(key);
    let joined = words.concat();
    // The last word says what the value is: `token_count` is a number, and `secret_file` a path.
    if words.len() > 1 && words.last().is_some_and(|last| OTHER_ENDS.contains(&last.as_str())) {
        return None;
    }
    let is_strong = STRONG_WORDS.iter().any(|word| joined.contains(word));
    if is_strong || is_pass(&words, &joined) || is_foreign(&words) {
        return Some(KeyStrength::Strong);
    }
    if joined.ends_with("cookie") || joined.ends_with("cookies") {
        return Some(KeyStrength::Cookie);
    }
    let is_weak = words.iter().any(|word| WEAK_WORDS.contains(&word.as_str())) || joined.ends_with("token");
    is_weak.then_some(KeyStrength::Weak)
}

/// Whether a name is a `pass` that is a password: alone, or of something that has one.
fn is_pass(words: &[String], joined: &str) -> bool {
    let Some(owner) = ["pass", "pw"].iter().find_map(|end| joined.strip_suffix(end)) else { return false };
    let last_owner = words.len().checked_sub(2).map_or(owner, |at| words[at].as_str());
    owner.is_empty() || PASS_OWNERS.contains(&owner) || PASS_OWNERS.contains(&last_owner)
}

/// Whether one of the words, or all of them together, is a word for `password` in another language.
fn is_foreign(words: &[String]) -> bool {
    let phrase = words.join(" ");
    FOREIGN_WORDS.iter().any(|known| phrase == *known || words.iter().any(|word| word == known))
}

/// The smallest length of a value that is a secret because of its name.
pub(super) const MIN_VALUE: usize = 5;

/// Whether `value` can be a secret: not a word that stands for one.
pub(super) fn is_plausible(value: &str) -> bool {
    let is_placeholder = ["<", "${", "{{", "[", "%("].iter().any(|start| value.starts_with(start));
    // The name of a variable: `$DB_PASSWORD`.
    let is_variable = value.strip_prefix('$').is_some_and(|name| {
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
    });
    let is_share = value.strip_suffix('%').is_some_and(|number| number.parse::<f64>().is_ok());
    let lower = value.to_ascii_lowercase();
    let is_path = ["/", "./", "~/"].iter().any(|start| value.starts_with(start)) && !value.contains('=');
    value.chars().nth(MIN_VALUE - 1).is_some()
        && !is_placeholder
        && !is_path
        && !is_variable
        && !is_share
        && !OTHER_VALUES.contains(&lower.as_str())
        // A value of mask characters alone is hidden already.
        && value.chars().any(|c| !matches!(c, '*' | '.' | 'x' | 'X' | '•'))
}

/// Whether `value` has the form of a password that somebody chose, and not that of a word: it has a digit, and a small letter
/// or nothing but digits.
pub(super) fn looks_chosen(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_lower = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    has_digit && (has_lower || is_number) && is_plausible(value) && !value.contains([' ', '('])
}

/// Whether `value` looks random: long, of the characters of tokens, with digits, and with few characters that repeat.
pub(super) fn looks_random(value: &str) -> bool {
    const MIN_BYTES: usize = 16;
    const MIN_DIFFERENT: u32 = 9;
    // A set of 128 bits counts different bytes without an allocation.
    let seen = value.bytes().fold(0_u128, |seen, byte| seen | 1 << (byte & 127));
    value.len() >= MIN_BYTES
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.+/=~%:".contains(&byte))
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_alphabetic())
        && seen.count_ones() >= MIN_DIFFERENT
}

/// Whether `value` has the form of a cookie: `name=value`.
pub(super) fn is_cookie(value: &str) -> bool {
    value.split_once('=').is_some_and(|(name, value)| !name.is_empty() && value.len() >= MIN_VALUE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_recognized_in_any_spelling() {
        use KeyStrength::{Cookie, Strong, Weak};
        for (key, expected) in [
            ("password", Some(Strong)),
            ("DB_PASSWORD", Some(Strong)),
            ("clientSecret", Some(Strong)),
            ("X-Api-Key", Some(Strong)),
            ("api key", Some(Strong)),
            ("aws_secret_access_key", Some(Strong)),
            ("Proxy-Authorization", Some(Strong)),
            ("pass", Some(Strong)),
            ("passenger", None),
            ("access_token", Some(Weak)),
            ("authToken", Some(Weak)),
            ("max_tokens", None),
            ("key", Some(Weak)),
            ("keyboard", None),
            ("author", None),
            ("Set-Cookie", Some(Cookie)),
            ("secret_name", None),
            ("passwordPolicy", None),
            ("api_key_id", None),
        ] {
            assert_eq!(classify_key(key), expected, "{key}");
        }
    }

    #[test]
    fn a_word_in_the_place_of_a_secret_is_none() {
        for value in ["", "****", "none", "<token>", "${DB_PASSWORD}", "required", "/home/ada", "xxxxxxxx"] {
            assert!(!is_plausible(value), "{value}");
        }
        assert!(is_plausible("hunter2") && is_plausible("correct horse"));
        assert!(
            looks_random("q8Zk2mVx9Tn4Lp7R") && !looks_random("page-2") && !looks_random("1111222233334444")
        );
    }
}
