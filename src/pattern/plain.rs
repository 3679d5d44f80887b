//! Text with its digits, signs and hard spaces in one spelling, and the way back to the bytes as they were written.

use std::borrow::Cow;
use std::ops::Range;

/// The zeros of the scripts whose digits people write; the other nine follow each of them.
const ZEROS: &[char] = &[
    '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}',
    '\u{c66}', '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{f20}', '\u{1040}', '\u{17e0}', '\u{1810}',
    '\u{ff10}',
];

/// A space that does not end a number.
pub(crate) const HARD_SPACE: char = '\u{a0}';

/// A text in plain spelling.
pub(crate) struct PlainText<'t> {
    text: Cow<'t, str>,
    /// For each byte of the plain text its byte in the original. Empty: they are the same.
    origin: Vec<usize>,
}

impl<'t> PlainText<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        if text.is_ascii() || text.chars().all(|c| to_plain_char(c) == c) {
            return Self { text: Cow::Borrowed(text), origin: Vec::new() };
        }
        let mut spelt = String::with_capacity(text.len());
        let mut origin = Vec::with_capacity(text.len() + 1);
        for (at, c) in text.char_indices() {
            spelt.push(to_plain_char(c));
            // Each byte of the new spelling leads to the first byte of its character: a plain character may take
            // fewer bytes than the one it replaces.
            origin.resize(spelt.len(), at);
        }
        // The end of the text has an origin, too, because the end of a range is exclusive.
        origin.push(text.len());
        Self { text: Cow::Owned(spelt), origin }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the byte range in the original of `range` in the plain text.
    pub(crate) fn original_range(&self, range: Range<usize>) -> Range<usize> {
        self.original_offset(range.start)..self.original_offset(range.end)
    }

    fn original_offset(&self, at: usize) -> usize {
        self.origin.get(at).copied().unwrap_or(at)
    }
}

fn to_plain_char(c: char) -> char {
    match c {
        c if c.is_ascii() => c,
        '\u{2010}' | '\u{2011}' | '\u{2212}' | '\u{fe63}' | '\u{ff0d}' => '-',
        '\u{2007}' | '\u{2009}' | '\u{202f}' => HARD_SPACE,
        '\u{ff05}' | '\u{66a}' => '%',
        '\u{ff04}' => '$',
        '\u{66b}' => '.',
        '\u{66c}' => ',',
        // Digits of other scripts are numbers like ours.
        c if c.is_numeric() => to_ascii_digit(c).unwrap_or(c),
        c => c,
    }
}

fn to_ascii_digit(c: char) -> Option<char> {
    let value =
        ZEROS.iter().find_map(|zero| (c as u32).checked_sub(*zero as u32).filter(|value| *value < 10))?;
    char::from_digit(value, 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_has_the_same_ten_digits() {
        for text in ["٤٢", "۴۲", "४२", "４２", "42"] {
            assert_eq!(PlainText::new(text).as_str(), "42");
        }
    }

    #[test]
    fn a_place_is_one_of_the_original() {
        let text = "für −４２ €";
        let plain = PlainText::new(text);
        let at = plain.as_str().find("-42").expect("it is there");
        assert_eq!(&text[plain.original_range(at..at + 3)], "−４２");
    }
}
