//! Whether a text is another one, or holds it as a *piece of its own*: from the start of a line to the end of a line.
//!
//! Programs put the words of a user into a longer prompt: below an instruction, after a label such as `Question:`, in
//! quotes or in a tag. There the words stand alone. Words in the middle of a sentence are another question:
//! `do not delete it` holds no piece `delete it`, and `order 17` none that is `order 1`.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use crate::secrets::collapse_blanks;

/// A text in which each run of white space is one blank, and which knows where its lines ended.
#[derive(Debug)]
pub(super) struct LinedText {
    text: String,
    /// The blanks that stand for the end of a line, in ascending order.
    line_ends: Vec<usize>,
}

/// The largest number of bytes between the start of a line and a piece, for labels, quotes and tags.
const MAX_LEAD_BYTES: usize = 300;

/// What may stand between the start of a line and a piece: labels of up to eight words, tags, and an opening quote at the end.
static LEAD: LazyLock<Regex> = LazyLock::new(|| {
    let label = r#"[#*_"'`]* ?[\p{L}\p{N}][\p{L}\p{N}_'’.()/&-]*(?: [\p{L}\p{N}_'’.()/&-]+){0,7}[*_"'`]* ?[:：][*_]*"#;
    let tag = r"<[A-Za-z][^<>]*>";
    compile(&format!(r#"\A(?:(?:{label}|{tag}) ?)*([\[{{(]?["'`“‘«„「『]+)?\z"#))
});

/// What may stand between a piece and the end of its line. The first group is a closing quote.
static TAIL: LazyLock<Regex> =
    LazyLock::new(|| compile(r#"\A(?: ?</?[A-Za-z][^<>]*>| ?\z|(["'`”’»“」』]))"#));

fn compile(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a valid pattern")
}

impl LinedText {
    /// Prepares a text for comparisons.
    pub(super) fn new(text: &str) -> Self {
        let mut lined = Self { text: String::with_capacity(text.len()), line_ends: Vec::new() };
        let mut ends_line = false;
        for chunk in text.split_inclusive(char::is_whitespace) {
            let word = chunk.trim_end_matches(char::is_whitespace);
            if !word.is_empty() {
                if !lined.text.is_empty() {
                    if ends_line {
                        lined.line_ends.push(lined.text.len());
                    }
                    lined.text.push(' ');
                }
                lined.text.push_str(word);
                ends_line = false;
            }
            ends_line |= chunk[word.len()..].contains(['\n', '\r', '\u{2028}', '\u{2029}']);
        }
        lined
    }

    /// Whether the text contains `wanted` anywhere, apart from white space. Nothing contains an empty text but an empty one.
    pub(super) fn contains(&self, wanted: &str) -> bool {
        let wanted = normalize(wanted);
        if wanted.is_empty() { self.text.is_empty() } else { self.text.contains(&*wanted) }
    }

    /// Whether the text is `wanted`, or holds it as a piece of its own.
    pub(super) fn holds(&self, wanted: &str) -> bool {
        let wanted = normalize(wanted);
        if self.text == wanted || wanted.is_empty() {
            return self.text == wanted;
        }
        // Occurrences may overlap, so the search goes on one character behind the start of each.
        let step = wanted.chars().next().map_or(1, char::len_utf8);
        let mut from = 0;
        while let Some(found) = self.text[from..].find(&*wanted) {
            let start = from + found;
            if self.is_piece(start, start + wanted.len()) {
                return true;
            }
            from = start + step;
        }
        false
    }

    fn is_piece(&self, start: usize, end: usize) -> bool {
        let Some(is_quoted) = self.begins_piece(start) else { return false };
        let next = self.line_ends.partition_point(|line_end| *line_end < end);
        let line_end = self.line_ends.get(next).copied().unwrap_or(self.text.len());
        let Some(tail) = TAIL.captures(&self.text[end..line_end]) else { return false };
        // A quote that ends with the piece began with it.
        tail.get(1).is_none() || is_quoted
    }

    /// Whether a piece may begin at `start`, and whether a quote begins with it. `None`: no piece begins here.
    fn begins_piece(&self, start: usize) -> Option<bool> {
        let before = self.line_ends.partition_point(|line_end| *line_end < start);
        let line_start = before.checked_sub(1).map_or(0, |last| self.line_ends[last] + 1);
        if start - line_start > MAX_LEAD_BYTES {
            return None;
        }
        LEAD.captures(&self.text[line_start..start]).map(|lead| lead.get(1).is_some())
    }
}

/// Returns `text` with one blank for each run of white space, and none at its ends.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    match collapse_blanks(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
        Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_holds(wanted: &str, texts: &[&str]) {
        for text in texts {
            assert!(LinedText::new(text).holds(wanted), "{text:?} should hold {wanted:?}");
        }
    }

    #[track_caller]
    fn assert_other(wanted: &str, texts: &[&str]) {
        for text in texts {
            assert!(!LinedText::new(text).holds(wanted), "{text:?} should not hold {wanted:?}");
        }
    }

    #[test]
    fn white_space_does_not_count() {
        assert_holds("Where is order 7?", &["Where is\n\t order 7?  ", " Where   is order 7?"]);
        assert_holds(" Where\nis order 7? ", &["Where is order 7?"]);
        assert_other("Where is order 7?", &["Where isorder 7?", "where is order 7?"]);
    }

    #[test]
    fn lines_labels_quotes_and_tags_bound_a_piece() {
        assert_holds(
            "delete it",
            &[
                "Answer briefly.\n\ndelete it",
                "delete it\nAnswer briefly.",
                "Question: delete it",
                "**User question:** delete it\nAnswer:",
                "## Task: \"delete it\"",
                "Task: 'delete it' (be brief)",
                "<task>delete it</task>",
                "Here is the task: <task id=\"1\"> delete it </task> Thanks.",
                "Rules apply.\n“delete it”",
                "delete delete it\ndelete it",
                "用户：delete it",
            ],
        );
    }

    #[test]
    fn a_part_of_a_sentence_is_another_question() {
        assert_other(
            "delete it",
            &[
                "do not delete it",
                "delete its copy",
                "Never \"delete it\"",
                "delete it, then wait",
                "delete it\" is bad",
                "please delete it\nnow",
            ],
        );
        assert_other("order 1", &["order 17", "order 17, please", "order 1.5", "reorder 1"]);
        assert_other("a", &["what a day", "a, b"]);
        assert_other("7", &["order 7", "77"]);
    }

    #[test]
    fn an_empty_text_is_only_in_an_empty_text() {
        assert_holds(" \n", &["", "  "]);
        assert_other("", &["x"]);
        assert!(!LinedText::new("x").contains(" ") && LinedText::new(" ").contains(""));
    }
}
