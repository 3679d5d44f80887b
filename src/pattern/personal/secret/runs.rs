//! Runs of characters of one alphabet. A text is scanned once for each alphabet, however many secrets may begin in it.

use crate::pattern::steps::count_steps;

/// The characters that a part of a secret consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alphabet {
    /// `0-9a-fA-F`.
    Hex,
    /// `0-9A-Z`.
    Capitals,
    /// `0-9A-Za-z`.
    Alphanumeric,
    /// `0-9A-Za-z_-`.
    Word,
    /// `0-9A-Za-z_-`, and points between them.
    Dotted,
    /// `0-9A-Za-z+/=_-`: Base64, also the variant for URLs.
    Base64,
    /// What a path of a URL consists of.
    Path,
    /// `0-9A-Za-z_-`, and colons between them.
    Colons,
}

/// The number of alphabets.
const ALPHABETS: usize = 8;

impl Alphabet {
    /// Parses the name of an alphabet.
    pub(super) fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "hex" => Self::Hex,
            "capitals" => Self::Capitals,
            "alphanumeric" => Self::Alphanumeric,
            "word" => Self::Word,
            "dotted" => Self::Dotted,
            "base64" => Self::Base64,
            "path" => Self::Path,
            "colons" => Self::Colons,
            _ => return None,
        })
    }

    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Capitals => byte.is_ascii_digit() || byte.is_ascii_uppercase(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-'),
            Self::Path => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'@' | b'%')
            }
            Self::Colons => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':'),
        }
    }
}

/// A run of characters: its bytes, and where its last digit ends.
#[derive(Debug, Clone, Copy, Default)]
struct Run {
    start: usize,
    end: usize,
    digits_end: usize,
}

/// A text and the last run of each alphabet.
pub(super) struct SecretScan<'t> {
    pub(super) text: &'t str,
    runs: [Run; ALPHABETS],
    /// The next end of a block, as far as it was looked for: the byte from which on, and where it was found.
    pub(super) block_end: Option<(usize, Option<usize>)>,
    /// Where the last run with escapes ends, which was decoded.
    pub(super) escaped_end: usize,
}

impl<'t> SecretScan<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, runs: [Run::default(); ALPHABETS], block_end: None, escaped_end: 0 }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Returns the end of the run of `alphabet` that begins at `at`. Points and colons at its end belong to the sentence.
    pub(super) fn find_run_end(&mut self, alphabet: Alphabet, at: usize) -> usize {
        let end = self.find_run(alphabet, at).end;
        let text = &self.text[at..end];
        if alphabet == Alphabet::Base64 { end } else { at + text.trim_end_matches(['.', ':']).len() }
    }

    /// Whether the run of `alphabet` that begins at `at` has a digit.
    pub(super) fn has_digit(&mut self, alphabet: Alphabet, at: usize) -> bool {
        self.find_run(alphabet, at).digits_end > at
    }

    fn find_run(&mut self, alphabet: Alphabet, at: usize) -> Run {
        let known = self.runs[alphabet as usize];
        // A run that begins within a known one ends where that one ends: many prefixes in one run cost one scan.
        if known.start <= at && at < known.end {
            return known;
        }
        let bytes = self.text.as_bytes();
        let length = bytes[at..].iter().position(|byte| !alphabet.contains(*byte));
        let end = length.map_or(bytes.len(), |length| at + length);
        count_steps(end - at);
        // Shapes that ask for a digit ask it of a run that may begin anywhere, so the end of the last digit answers
        // for every start.
        let last_digit = bytes[at..end].iter().rposition(u8::is_ascii_digit);
        let run = Run { start: at, end, digits_end: last_digit.map_or(0, |digit| at + digit + 1) };
        self.runs[alphabet as usize] = run;
        run
    }

    /// Whether no word goes on right before `at`. The letter of an escape (`\n`) and the digits of a percent sign are
    /// no words: texts are also searched as they stand in JSON and in URLs.
    pub(super) fn begins_word(&self, at: usize) -> bool {
        let before = &self.text[..at];
        let Some(last) = before.chars().next_back().filter(|last| last.is_alphanumeric()) else {
            return true;
        };
        let bytes = before.as_bytes();
        let is_escape = matches!(last, 'n' | 'r' | 't' | 'b' | 'f') && bytes.ends_with(&[b'\\', last as u8]);
        // The two digits belong to a percent sign, as in a URL.
        is_escape || (at >= 3 && bytes[at - 3] == b'%' && bytes[at - 2..].iter().all(u8::is_ascii_hexdigit))
    }
}
