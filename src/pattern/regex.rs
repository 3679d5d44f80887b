//! A regular expression over the text of an argument.

use std::fmt;
use std::sync::Arc;

use crate::JsonSchema;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Deserializer, de};

use arraign_trace::compiled::{Compiled, SizedForm};

use super::error::PatternError;

/// A compiled program above this many bytes is refused: it is a mistake or an attack.
const SIZE_LIMIT: usize = 1 << 20;

/// A regex has a program for each direction, and the states of its searches.
const SIZE_FACTOR: usize = 3;

static REGEXES: Compiled<Regex> = Compiled::empty();

/// Compiles `pattern`, and tells how many bytes it takes.
pub(super) fn compile_sized(pattern: &str) -> Result<SizedForm<Regex>, regex::Error> {
    // A regex does not tell its size, but its builder holds to a limit: the first that suffices is the size.
    let compile = |limit| Ok((RegexBuilder::new(pattern).size_limit(limit).build()?, SIZE_FACTOR * limit));
    let small = [SIZE_LIMIT >> 6, SIZE_LIMIT >> 3].into_iter().find_map(|limit| compile(limit).ok());
    small.map_or_else(|| compile(SIZE_LIMIT), Ok)
}

/// An unanchored, case-sensitive pattern. It runs in time linear in the text.
#[derive(Clone, JsonSchema)]
#[schemars(with = "String", description = "", inline)]
pub struct TextPattern(Arc<Regex>);

impl TextPattern {
    /// Compiles `text`.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        REGEXES
            .get(text, || compile_sized(text))
            .map(Self)
            .map_err(|problem| PatternError::Regex { text: text.to_owned(), problem })
    }

    /// Whether the pattern is found in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.0.is_match(text)
    }

    /// Returns the pattern as the user wrote it.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

impl fmt::Debug for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextPattern({:?})", self.as_str())
    }
}

impl<'de> Deserialize<'de> for TextPattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_pattern_has_a_larger_size() {
        let sizes = ["refund", "[a-c]{1000}", "[a-c]{10000}"]
            .map(|pattern| compile_sized(pattern).expect("a pattern").1);
        assert!(sizes.is_sorted_by(|one, other| one < other) && sizes[0] < 64 << 10, "{sizes:?}");
    }

    #[test]
    fn a_pattern_that_does_not_compile_says_why() {
        let error = TextPattern::new("(a").expect_err("an open group");
        assert_eq!(error.to_string(), "`(a` is not a pattern: unclosed group");
        assert!(TextPattern::new("(a{1000}){1000}").is_err());
    }
}
