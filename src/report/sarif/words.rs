//! The texts of a SARIF log. Messages are not plain strings: `{0}` is a placeholder, and `[a](b)` a link.

use crate::json::{Json, json};
use crate::report::RunInfo;
use crate::report::plain::escape_text;

/// The largest length of a text on GitHub, in characters.
const MAX_TEXT_CHARS: usize = 1000;

/// A plain-text SARIF message: placeholders and links in `text` are escaped.
pub(super) fn build_message(text: &str) -> Json {
    let shown: String = escape_text(text).chars().take(MAX_TEXT_CHARS).collect();
    let cut = if shown.len() < escape_text(text).len() { "..." } else { "" };
    let unlinked = if shown.contains("](") { escape_brackets(&shown) } else { shown };
    json!({"text": format!("{}{cut}", unlinked.replace('{', "{{").replace('}', "}}"))})
}

fn escape_brackets(text: &str) -> String {
    text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]")
}

/// Returns the description of the rule `id`. Settings without a check of their own (a threshold, a gate) have no
/// summary.
pub(super) fn build_rule(run: &RunInfo, id: &str) -> Json {
    let summary = match (run.rules.get(id), id) {
        (Some(summary), _) => format!("`{id}` holds when {summary}"),
        (None, "snapshot") => "the violations match the snapshot".to_owned(),
        (None, "expect_verdict") => "the verdict is the one that the case expects".to_owned(),
        (None, id) => format!("the case meets its setting `{id}`"),
    };
    let text = build_message(&summary);
    json!({"id": id, "shortDescription": text, "fullDescription": text, "help": text})
}

/// Removes the fields that are null or empty lists: the schema of SARIF has no null.
pub(super) fn drop_empty(mut object: Json) -> Json {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !(value.is_null() || value.as_array().is_some_and(<[Json]>::is_empty)));
    }
    object
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_neither_a_link_nor_a_placeholder() {
        assert_eq!(build_message("list[0] is {\"a\":1}")["text"], "list[0] is {{\"a\":1}}");
        assert_eq!(build_message("[x](http://y)")["text"], "\\[x\\](http://y)");
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(build_message(&"é".repeat(1001))["text"], format!("{}...", "é".repeat(1000)));
        assert_eq!(build_message(&"é".repeat(1000))["text"], "é".repeat(1000));
    }
}
