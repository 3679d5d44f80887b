//! The texts of a SARIF log. A message is no plain string there: `{0}` is a placeholder, and `[a](b)` a link.

use super::model::{Message, Rule};
use crate::report::Run;
use crate::report::plain::plain;

/// How many characters of a text GitHub shows.
const LONGEST: usize = 1000;

/// A text that says what it says, and no more.
pub(super) fn message(text: &str) -> Message {
    let shown: String = plain(text).chars().take(LONGEST).collect();
    let cut = if shown.len() < plain(text).len() { "..." } else { "" };
    let unlinked = if shown.contains("](") { escaped_brackets(&shown) } else { shown };
    Message { text: format!("{}{cut}", unlinked.replace('{', "{{").replace('}', "}}")) }
}

fn escaped_brackets(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// What `id` asks. Settings that no check stands behind (a threshold, a gate) have no summary.
pub(super) fn rule(run: &Run, id: &str) -> Rule {
    let summary = match (run.rules.get(id), id) {
        (Some(summary), _) => format!("`{id}` holds when {summary}"),
        (None, "snapshot") => "the violations are those of the pinned snapshot".to_owned(),
        (None, "expect_verdict") => "the verdict is the one that the case expects".to_owned(),
        (None, id) => format!("what `{id}` asks of the case holds"),
    };
    let text = message(&summary);
    let (short_description, full_description) = (text.clone(), text.clone());
    Rule { id: id.to_owned(), short_description, full_description, help: text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_neither_a_link_nor_a_placeholder() {
        assert_eq!(message("list[0] is {\"a\":1}").text, "list[0] is {{\"a\":1}}");
        assert_eq!(message("[x](http://y)").text, "\\[x\\](http://y)");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(message(&"é".repeat(1001)).text, format!("{}...", "é".repeat(1000)));
        assert_eq!(message(&"é".repeat(1000)).text, "é".repeat(1000));
    }
}
