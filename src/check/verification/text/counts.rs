//! What the rules of the text profile count, in one pass. The definition is a set of regular expressions, some of
//! which take quadratic time; here each is a small state over the words found.

use super::fold::{Folded, fold, is_blank, is_word};
use super::spot::{KEYWORDS, Spot, keywords, spots};

/// What is in an answer.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word that is there or not")]
pub(super) struct Counts {
    /// The words `edit` and `write`.
    pub(super) edits: usize,
    /// Spans from such a word, or a part of one, to a `read`.
    pub(super) reads: usize,
    /// The words `deploy`, `start` and `launch`.
    pub(super) deploys: usize,
    /// Spans that look like a health check.
    pub(super) health: usize,
    /// Distinct keywords.
    pub(super) keywords: usize,
    /// A line number is named.
    pub(super) line: bool,
    /// A fenced snippet is there.
    pub(super) snippet: bool,
    /// Quoted output is there.
    pub(super) output: bool,
    /// The first unsubstantiated claim: its characters.
    pub(super) claim: Option<(usize, usize)>,
    /// Code was changed.
    pub(super) changed: bool,
    /// A test command is named.
    pub(super) test_command: bool,
    /// A test result is given.
    pub(super) test_result: bool,
    /// A type checker is named.
    pub(super) type_check: bool,
    /// A linter is named.
    pub(super) lint: bool,
    /// Coverage is named.
    pub(super) coverage: bool,
}

/// A match that runs from a head to the first tail after it, and does not overlap the one before.
#[derive(Default)]
struct Span {
    from: Option<usize>,
    end: usize,
    count: usize,
}

impl Span {
    fn head(&mut self, at: usize, end: usize) {
        if self.from.is_none() && at >= self.end {
            self.from = Some(end);
        }
    }

    fn tail(&mut self, at: usize, end: usize) {
        if self.from.is_some_and(|from| at >= from) {
            (self.from, self.end, self.count) = (None, end, self.count + 1);
        }
    }
}

/// Counts what is in `text`.
pub(super) fn count(text: &str) -> Counts {
    let folded = fold(text);
    let mut pass = Pass { bytes: &folded.bytes, ..Pass::default() };
    spots(&folded.bytes, |at, end, spot| pass.take(at, end, spot));
    let mut counts = pass.counts;
    counts.reads = pass.reads.count;
    counts.health = pass.health.count;
    counts.keywords = keyword_count(text, &folded, pass.keywords);
    counts.snippet = has_snippet(&folded.bytes);
    counts
}

#[derive(Default)]
struct Pass<'b> {
    bytes: &'b [u8],
    counts: Counts,
    reads: Span,
    health: Span,
    /// The line that the health check began in.
    health_line_end: usize,
    keywords: [bool; KEYWORDS],
}

impl Pass<'_> {
    fn take(&mut self, at: usize, end: usize, spot: Spot) {
        match spot {
            Spot::Edit => self.edit(at, end),
            Spot::Read => self.reads.tail(at, end),
            Spot::Deploy => self.counts.deploys += usize::from(self.is_whole(at, end)),
            Spot::HealthHead | Spot::HealthTail => self.health(at, end, spot),
            Spot::Keyword(number) => self.keywords[usize::from(number)] = true,
            Spot::Line => self.counts.line |= self.number_follows(end),
            Spot::Output => self.counts.output = self.counts.output || self.quote_follows(end),
            Spot::Hedge => self.claim(Some(at), end),
            Spot::Work => self.claim(self.after(at, &[b"should", b"would", b"could"]), end),
            Spot::Believe => self.claim(self.after(at, &[b"i"]), end),
            Spot::Correct => self.claim(self.after(at, &[b"should be", b"would be", b"could be"]), end),
            Spot::Change => self.counts.changed |= self.is_whole(at, end),
            Spot::TestCommand => self.counts.test_command = true,
            Spot::Count => self.counts.test_result |= self.number_precedes(at),
            Spot::AllPass => self.counts.test_result = true,
            Spot::Type => self.counts.type_check = true,
            Spot::Lint => self.counts.lint = true,
            Spot::Coverage => self.counts.coverage = true,
        }
    }

    fn edit(&mut self, at: usize, end: usize) {
        self.reads.head(at, end);
        if self.is_whole(at, end) {
            self.counts.edits += 1;
            self.counts.changed = true;
        }
    }

    /// A health check stands on one line.
    fn health(&mut self, at: usize, end: usize, spot: Spot) {
        if at >= self.health_line_end {
            self.health.from = None;
            let rest = self.bytes[at..].iter().position(|byte| *byte == b'\n');
            self.health_line_end = rest.map_or(self.bytes.len(), |length| at + length);
        }
        match spot {
            Spot::HealthTail => self.health.tail(at, end),
            _ => self.health.head(at, end),
        }
    }

    /// A word boundary on both sides.
    fn is_whole(&self, at: usize, end: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.bytes.get(before));
        ![before, self.bytes.get(end)].into_iter().flatten().any(|byte| is_word(*byte))
    }

    fn blanks_from(&self, at: usize) -> usize {
        at + self.bytes[at..].iter().take_while(|byte| is_blank(**byte)).count()
    }

    fn blanks_to(&self, at: usize) -> usize {
        at - self.bytes[..at].iter().rev().take_while(|byte| is_blank(**byte)).count()
    }

    fn number_follows(&self, end: usize) -> bool {
        let next = self.blanks_from(end);
        next > end && self.bytes.get(next).is_some_and(u8::is_ascii_digit)
    }

    fn number_precedes(&self, at: usize) -> bool {
        let end = self.blanks_to(at);
        end < at && self.bytes[..end].last().is_some_and(u8::is_ascii_digit)
    }

    /// Two quotes of any sort, the first after blanks, the second on its line.
    fn quote_follows(&self, end: usize) -> bool {
        let rest = &self.bytes[self.blanks_from(end)..];
        let is_quote = |byte: &u8| matches!(byte, b'`' | b'"' | b'\'');
        let [first, rest @ ..] = rest else { return false };
        let second = rest.iter().find(|byte| is_quote(byte) || **byte == b'\n');
        is_quote(first) && second.is_some_and(is_quote)
    }

    /// Where one of `heads` begins, if it stands before the blanks before `at`.
    fn after(&self, at: usize, heads: &[&[u8]]) -> Option<usize> {
        let end = self.blanks_to(at);
        let head = heads.iter().find(|head| end < at && self.bytes[..end].ends_with(head))?;
        Some(end - head.len())
    }

    fn claim(&mut self, at: Option<usize>, end: usize) {
        if self.counts.claim.is_none() {
            self.counts.claim = at.map(|at| (at, end));
        }
    }
}

/// Keywords are looked for in the text as `lower()` has it, which folds fewer letters than the patterns do.
fn keyword_count(text: &str, folded: &Folded, found: [bool; KEYWORDS]) -> usize {
    if !folded.folds_more {
        return found.into_iter().filter(|found| *found).count();
    }
    let lowered = text.to_lowercase();
    keywords().filter(|(number, word)| found[*number] && lowered.contains(word)).count()
}

/// Three backticks and a word, a line break, and three backticks at the beginning of a later line.
fn has_snippet(bytes: &[u8]) -> bool {
    if !bytes.contains(&b'`') {
        return false;
    }
    let mut rest = bytes;
    while let Some(at) = rest.windows(3).position(|three| three == b"```") {
        rest = &rest[at + 1..];
        let after = &rest[2..];
        let word = after.iter().take_while(|byte| is_word(**byte)).count();
        if after.get(word) == Some(&b'\n') {
            return after[word + 1..].windows(4).any(|four| four == b"\n```");
        }
    }
    false
}
