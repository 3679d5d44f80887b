//! A text as the original's regular expressions see it: one byte a character, so that patterns are matched on bytes.
//!
//! Letters are lowered the way Python's `IGNORECASE` does it. What is not ASCII becomes a byte of its class: a word
//! character, a digit, a blank, or anything else.

use std::sync::LazyLock;

use crate::pattern::TextPattern;

/// A word character that is no ASCII letter.
const WORD: u8 = 0x80;
/// Neither a word character nor a blank.
const OTHER: u8 = 0x81;
/// A blank that is not the space itself.
const BLANK: u8 = 0x0b;

/// A text, folded.
pub(super) struct Folded {
    /// One byte a character.
    pub(super) bytes: Vec<u8>,
    /// Whether a letter is in it that `IGNORECASE` folds and `lower()` does not.
    pub(super) folds_more: bool,
}

/// Folds `text`.
pub(super) fn fold(text: &str) -> Folded {
    if text.is_ascii() {
        return Folded { bytes: text.bytes().map(fold_ascii).collect(), folds_more: false };
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut folds_more = false;
    for c in text.chars() {
        folds_more |= matches!(c, 'ſ' | 'İ' | 'ı');
        bytes.push(class(c));
    }
    Folded { bytes, folds_more }
}

fn fold_ascii(byte: u8) -> u8 {
    match byte {
        0x1c..=0x1f => BLANK,
        byte => byte.to_ascii_lowercase(),
    }
}

fn class(c: char) -> u8 {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => fold_ascii(byte),
        _ => class_of_others(c),
    }
}

fn class_of_others(c: char) -> u8 {
    if matches!(c, 'ſ' | '\u{212a}' | 'İ' | 'ı') {
        folded_letter(c)
    } else if c.is_whitespace() {
        BLANK
    } else if c.is_numeric() && is_decimal(c) {
        b'0'
    } else if c.is_alphanumeric() {
        WORD
    } else {
        OTHER
    }
}

/// Letters that `IGNORECASE` takes for ASCII ones.
fn folded_letter(c: char) -> u8 {
    match c {
        'ſ' => b's',
        '\u{212a}' => b'k',
        _ => b'i',
    }
}

/// Whether `\d` matches it: `²` is a number, but no digit.
fn is_decimal(c: char) -> bool {
    static DIGIT: LazyLock<Option<TextPattern>> = LazyLock::new(|| TextPattern::new(r"^\d$").ok());
    DIGIT.as_ref().is_some_and(|digit| digit.is_match(c.encode_utf8(&mut [0; 4])))
}

/// Whether `\w` matches the byte.
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == WORD
}

/// Whether `\s` matches the byte.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_a_byte_of_its_class() {
        assert_eq!(fold("Aſ\u{212a}İ²٣\u{a0}é–\u{1c}").bytes, b"aski\x800\x0b\x80\x81\x0b");
        assert!(fold("ſ").folds_more && !fold("é").folds_more);
    }
}
