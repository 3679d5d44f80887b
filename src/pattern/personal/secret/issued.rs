//! Secrets whose issuers gave them a shape: a prefix, an alphabet and a length.
//!
//! The facts are those of two public lists: gitleaks (<https://github.com/gitleaks/gitleaks>, `config/gitleaks.toml`, July 2026)
//! and the crate `kingfisher-rules` 3.0.1 (November 2026), which has the rules of Betterleaks and Veles. For shapes in neither
//! list, such as those of Groq, Replicate, xAI, Tavily, Firecrawl and Voyage, they are what the issuers document.
//! `tools/secret_shapes.py` lists the shapes of `kingfisher-rules` that the table lacks.
//!
//! A length is the shortest: a longer run of the alphabet is masked as a whole, because the rest would be the rest of a secret.

use std::ops::Range;
use std::sync::LazyLock;

use super::runs::{Alphabet, SecretScan};
use crate::pattern::word_table::list_lines;
use Alphabet::{Dotted, Word};

/// A shape that begins with a prefix.
pub(super) struct IssuedShape {
    pub(super) name: &'static str,
    pub(super) prefix: &'static str,
    place: PrefixPlace,
    /// The characters after the prefix.
    alphabet: Alphabet,
    /// The smallest number of these characters.
    least: usize,
}

/// Where a prefix is, and what the characters after it must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PrefixPlace {
    /// The prefix may be in the middle of a word, because it is in no other word.
    Anywhere,
    /// The prefix must begin a word.
    Word,
    /// The prefix must begin a word, and a digit must follow: other words begin with the prefix as well.
    Short,
    /// The same, and the characters after the prefix are exactly so many.
    Exact,
}

pub(super) static ISSUED: LazyLock<Vec<IssuedShape>> = LazyLock::new(|| {
    list_lines(include_str!("data/issued.txt")).into_iter().flat_map(parse_shapes).collect()
});

/// Parses one line of the table. A line that is malformed has no shapes, which a test would notice.
fn parse_shapes(line: &'static str) -> Vec<IssuedShape> {
    let fields: Vec<&str> = line.split(", ").collect();
    let [name, place, alphabet, least, prefixes] = fields[..] else { return Vec::new() };
    let place = match place {
        "anywhere" => PrefixPlace::Anywhere,
        "word" => PrefixPlace::Word,
        "short" => PrefixPlace::Short,
        _ => PrefixPlace::Exact,
    };
    let (Some(alphabet), Ok(least)) = (Alphabet::parse(alphabet), least.parse()) else { return Vec::new() };
    prefixes.split(' ').map(|prefix| IssuedShape { name, prefix, place, alphabet, least }).collect()
}

impl IssuedShape {
    /// Returns the length of the shortest secret of this shape.
    #[cfg(test)]
    pub(super) fn shortest(&self) -> usize {
        self.prefix.len() + self.least
    }

    /// Writes a secret of this shape, with `length` characters after the prefix, each of them a digit or none.
    #[cfg(test)]
    pub(super) fn write_secret(&self, length: usize, has_digits: bool) -> String {
        let characters = match (self.alphabet, has_digits) {
            (Alphabet::Hex, true) => "3f8a1c07d29b",
            (Alphabet::Hex, false) => "fabced",
            (Alphabet::Capitals, true) => "7QZ3XM1K9",
            (Alphabet::Capitals, false) => "QZXMK",
            (_, true) => "a7Kq2ZmX9vT4nLp8",
            (_, false) => "aKqZmXvTnLp",
        };
        self.prefix.chars().chain(characters.chars().cycle().take(length)).collect()
    }

    /// Returns the number of characters after the prefix, and whether one of them must be a digit.
    #[cfg(test)]
    pub(super) fn requirements(&self) -> (usize, bool) {
        (self.least, matches!(self.place, PrefixPlace::Short | PrefixPlace::Exact))
    }

    /// Returns the bytes of the secret, of which the prefix was found at `prefix`.
    pub(super) fn measure(&self, scan: &mut SecretScan<'_>, prefix: Range<usize>) -> Option<Range<usize>> {
        let begins = self.place == PrefixPlace::Anywhere || scan.begins_word(prefix.start);
        if scan.text[prefix.clone()] != *self.prefix || !begins {
            return None;
        }
        let tail = prefix.end;
        let end = scan.find_run_end(self.alphabet, tail);
        // Prefixes such as `sk-` begin other words as well, and a key of this length without any digit is unlikely.
        let needs_digit = matches!(self.place, PrefixPlace::Short | PrefixPlace::Exact);
        let has_digit = !needs_digit || scan.has_digit(self.alphabet, tail);
        // A tail of a fixed length is no part of a longer word.
        let fits = match self.place {
            PrefixPlace::Exact => {
                end - tail == self.least && !scan.byte(end).is_some_and(|next| next.is_ascii_alphanumeric())
            }
            _ => end - tail >= self.least,
        };
        (fits && has_digit).then_some(prefix.start..end)
    }
}

/// Returns the JSON web token that begins at `start`: two or three parts, of which the first two are JSON objects.
pub(super) fn measure_web_token(scan: &mut SecretScan<'_>, start: usize) -> Option<Range<usize>> {
    /// The longest header.
    const MAX_HEADER: usize = 4096;
    if !scan.begins_word(start) {
        return None;
    }
    let end = scan.find_run_end(Dotted, start);
    // Without the limit, a long word without a point would be read to its end for each start in it.
    let header = scan.text[start..end.min(start + MAX_HEADER)].find('.')?;
    let payload = &scan.text[start + header + 1..end];
    let is_token = header >= 10 && payload.starts_with("ey") && payload.len() >= 10;
    is_token.then_some(start..end)
}

/// Returns the token of a Telegram bot around `middle`, the `:AA` between its number and its key.
pub(super) fn measure_bot_token(scan: &mut SecretScan<'_>, middle: Range<usize>) -> Option<Range<usize>> {
    if scan.text[middle.clone()] != *":AA" {
        return None;
    }
    // The prefix of this token is in its middle, so the number is read backwards, a few digits at most.
    let bytes = &scan.text.as_bytes()[..middle.start];
    let digits = bytes.iter().rev().take(17).take_while(|byte| byte.is_ascii_digit()).count();
    let end = scan.find_run_end(Word, middle.end);
    let length = end - middle.end;
    ((5..=16).contains(&digits) && (30..=40).contains(&length)).then_some(middle.start - digits..end)
}

/// Returns the token of a Discord bot around the point at `point`: a number in Base64, six characters of a time, and a key.
pub(super) fn measure_discord_token(scan: &mut SecretScan<'_>, point: usize) -> Option<Range<usize>> {
    const TIME: usize = 6;
    if scan.byte(point + 1 + TIME) != Some(b'.') {
        return None;
    }
    let bytes = scan.text.as_bytes();
    let number = bytes[..point].iter().rev().take(29).take_while(|byte| Word.contains(**byte)).count();
    let key = point + TIME + 2;
    let has_time = bytes[point + 1..key - 1].iter().all(|byte| Word.contains(*byte));
    // The number of a bot begins with a digit from 1 to 9, which Base64 writes as one of these letters.
    let begins = matches!(bytes[point - number], b'M' | b'N' | b'O');
    let end = scan.find_run_end(Word, key);
    let fits = (23..=28).contains(&number) && (25..=45).contains(&(end - key));
    (has_time && begins && fits).then_some(point - number..end)
}

/// Returns the client secret of Azure around `mark`, the `Q~` in its middle.
pub(super) fn measure_azure_secret(scan: &mut SecretScan<'_>, mark: Range<usize>) -> Option<Range<usize>> {
    let start = mark.start.checked_sub(4)?;
    let bytes = scan.text.as_bytes();
    let has_start = bytes[start..mark.start].iter().all(|byte| Dotted.contains(*byte) || *byte == b'~');
    let tail = bytes[mark.end..].iter().take_while(|byte| Dotted.contains(**byte) || **byte == b'~');
    // Text of the same characters may follow, so the secret ends at its greatest length.
    let length = tail.take(35).count();
    (scan.text[mark.clone()] == *"Q~" && has_start && bytes[mark.start - 1].is_ascii_digit() && length >= 31)
        .then(|| start..mark.end + length)
}
