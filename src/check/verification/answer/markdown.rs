//! An answer's prose apart from what it quotes: fenced code, code in a line, texts in quotes, block quotes.
//!
//! What is quoted is blanked out in the prose, byte by byte, so that places stay what they are.

use std::collections::HashMap;
use std::ops::Range;

/// A text, taken apart.
#[derive(Debug, Default)]
pub(in crate::check::verification) struct Parts<'a> {
    /// The text with blanks in place of what is quoted.
    pub(in crate::check::verification) prose: String,
    /// Code in fences, and in a line.
    pub(in crate::check::verification) code: Vec<&'a str>,
    /// Texts in quotes.
    pub(in crate::check::verification) quotes: Vec<&'a str>,
}

/// Takes `text` apart.
pub(in crate::check::verification) fn parts(text: &str) -> Parts<'_> {
    let mut parts = Parts::default();
    let mut hidden: Vec<Range<usize>> = Vec::new();
    // Code is removed from the prose, and quotes are read only outside of it: a claim in a snippet is not a claim of the
    // agent. A fence that is never closed reaches to the end, as in every renderer of Markdown.
    let mut at = 0;
    let mut fence = None;
    for line in text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        fence = match (fence, fence_of(line)) {
            (None, Some(opened)) => {
                hidden.push(range.clone());
                Some(Fence { start: range.end, ..opened })
            }
            (Some(open), closing) => {
                hidden.push(range.clone());
                let closes = closing.is_some_and(|found| found.closes(&open));
                if closes {
                    parts.code.push(&text[open.start..range.start]);
                }
                (!closes).then_some(open)
            }
            (None, None) => {
                plain_line(line, range.start, text, &mut parts, &mut hidden);
                None
            }
        };
    }
    if let Some(open) = fence {
        parts.code.push(&text[open.start..]);
    }
    parts.prose = blank_out(text, &hidden);
    parts
}

/// A fence that is open.
#[derive(Clone, Copy)]
struct Fence {
    mark: u8,
    length: usize,
    /// Something stands after the mark: it can only open.
    has_info: bool,
    /// Where its content begins.
    start: usize,
}

impl Fence {
    fn closes(&self, open: &Fence) -> bool {
        self.mark == open.mark && self.length >= open.length && !self.has_info
    }
}

/// The fence on a line, however far it is indented: inside of a list it is.
fn fence_of(line: &str) -> Option<Fence> {
    let rest = line.trim_start();
    let mark = *rest.as_bytes().first().filter(|mark| matches!(mark, b'`' | b'~'))?;
    let length = rest.bytes().take_while(|byte| *byte == mark).count();
    let info = rest[length..].trim();
    // Backticks after the mark: it is code in a line.
    let is_fence = length >= 3 && !(mark == b'`' && info.contains('`'));
    is_fence.then_some(Fence { mark, length, has_info: !info.is_empty(), start: 0 })
}

fn plain_line<'a>(
    line: &str,
    start: usize,
    text: &'a str,
    parts: &mut Parts<'a>,
    hidden: &mut Vec<Range<usize>>,
) {
    // A block quote repeats what somebody else said.
    if line.trim_start().starts_with('>') {
        hidden.push(start..start + line.len());
        return;
    }
    let mut code = Vec::new();
    for (outer, inner) in code_spans(line) {
        parts.code.push(&text[start + inner.start..start + inner.end]);
        code.push(outer);
    }
    for inner in find_quotes(line, &code) {
        parts.quotes.push(&text[start + inner.start..start + inner.end]);
        hidden.push(start + inner.start..start + inner.end);
    }
    hidden.extend(code.into_iter().map(|outer| start + outer.start..start + outer.end));
}

/// Code in a line: with its backticks, and without. A run of backticks is closed by the next one of its length.
fn code_spans(line: &str) -> Vec<(Range<usize>, Range<usize>)> {
    // A run of backticks is closed by the next run of the same length. The last run of each length is noted first, so
    // that a run without an end is known without a search: a line of many backticks stays linear.
    let runs = find_runs(line);
    let last: HashMap<usize, usize> =
        runs.iter().enumerate().map(|(index, run)| (run.len(), index)).collect();
    let mut spans = Vec::new();
    let mut index = 0;
    while index < runs.len() {
        let open = &runs[index];
        let is_closed = last.get(&open.len()).is_some_and(|last| *last > index);
        let close = is_closed
            .then(|| (index + 1..runs.len()).find(|close| runs[*close].len() == open.len()))
            .flatten();
        if let Some(close) = close {
            spans.push((open.start..runs[close].end, open.end..runs[close].start));
            index = close;
        }
        index += 1;
    }
    spans
}

fn find_runs(line: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in line.bytes().enumerate().filter(|(_, byte)| *byte == b'`') {
        // Backticks in a row are one run, whose length must be that of its closing run.
        match runs.last_mut().filter(|run| run.end == at) {
            Some(run) => run.end = at + 1,
            None => runs.push(at..at + 1),
        }
    }
    runs
}

/// Texts in double quotes, straight or curly, outside of `code`.
fn find_quotes(line: &str, code: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open = None;
    // Both lists are in order, so one pass over the line finds whether each character is in code.
    let mut code = code.iter().peekable();
    for (at, c) in line.char_indices() {
        while code.next_if(|range| range.end <= at).is_some() {}
        let is_code = code.peek().is_some_and(|range| range.start <= at);
        match (c, open) {
            ('"' | '“', None) if !is_code => open = Some(at + c.len_utf8()),
            ('"' | '”', Some(start)) if !is_code => {
                found.push(start..at);
                open = None;
            }
            _ => {}
        }
    }
    found
}

fn blank_out(text: &str, hidden: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for range in hidden {
        bytes[range.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    // Ranges begin and end at characters, so this is the text with blanks in it.
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_quoted_is_no_prose() {
        let text =
            "It `should work` \"maybe\".\n\n   ~~~py\nprobably\n~~~\n> I think\n\nDone ``a`b``.\n```\nopen";
        let parts = parts(text);
        assert_eq!(parts.code, ["should work", "probably\n", "a`b", "open"]);
        assert_eq!(parts.quotes, ["maybe"]);
        assert_eq!(parts.prose.len(), text.len());
        for hidden in ["should", "maybe", "probably", "think", "open"] {
            assert!(!parts.prose.contains(hidden), "{}", parts.prose);
        }
        assert!(parts.prose.contains("Done") && parts.prose.contains("It"));
    }

    #[test]
    fn backticks_without_an_end_hide_nothing() {
        assert!(parts("a ` b `` c").prose.contains('c'));
    }
}
