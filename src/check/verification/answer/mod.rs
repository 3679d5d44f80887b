//! The final answer, read: its prose, what it quotes, what it claims.

pub(super) mod citation;
pub(super) mod claim;
pub(super) mod count;
pub(super) mod language;
pub(super) mod markdown;
pub(super) mod negation;
pub(super) mod statement;
pub(super) mod test_claims;
pub(super) mod words;
pub(super) mod work;

use std::ops::Range;

use self::markdown::{Parts, parts};
use self::words::{ProseWord, words};
use crate::secrets::QuotedText;

/// An answer, taken apart once.
pub(super) struct Answer<'a> {
    /// The answer as it was given.
    pub(super) text: &'a str,
    /// Prose and quoted parts.
    pub(super) parts: Parts<'a>,
    /// The words of the prose.
    pub(super) words: Vec<ProseWord>,
}

impl<'a> Answer<'a> {
    /// Takes `text` apart.
    pub(super) fn new(text: &'a str) -> Self {
        let parts = parts(text);
        let words = words(&parts.prose);
        Self { text, parts, words }
    }

    /// The words from the first to the last of a range, as they were written.
    pub(super) fn said(&self, from: usize, count: usize) -> String {
        let words = &self.words[from..from + count.max(1)];
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return String::new() };
        self.quote(&(first.start..last.end), 80)
    }

    /// The sentence that holds the word `at`: its number from 1, and its words.
    pub(super) fn sentence(&self, at: usize) -> (usize, String) {
        let number = self.words[at].sentence;
        // The words are in the order of their sentences, so the sentence's ends are found by halving.
        let start = self.words.partition_point(|word| word.sentence < number);
        let end = self.words.partition_point(|word| word.sentence <= number);
        (number + 1, self.quote(&(self.words[start].start..self.words[end - 1].end), 160))
    }
}

impl Answer<'_> {
    /// The words at `range` without secrets, on one line, cut.
    fn quote(&self, range: &Range<usize>, most: usize) -> String {
        let quoted = QuotedText::near(self.text, range);
        fit_on_line(quoted.cut_range(range, usize::MAX).text, most)
    }
}

/// `text` on one line, cut.
fn fit_on_line(text: &str, most: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}
