//! Explains why text is not JSON, without the jargon of the parser.

use std::sync::LazyLock;

use crate::pattern::{WordList, list_lines};

/// Messages of the parser, and their plain words for "the arguments are not JSON".
static REASONS: WordList = LazyLock::new(|| list_lines(include_str!("unparsed.txt")));

/// Explains an error of the parser, with its column. Any other text is returned as it is.
pub(super) fn said(error: &str) -> String {
    let (text, place) = error.rsplit_once(" at line ").unwrap_or((error, ""));
    let mut reasons = REASONS.iter().filter_map(|line| line.split_once(" => "));
    let Some((_, reason)) = reasons.find(|(known, _)| *known == text) else { return error.to_owned() };
    match place.split_once(" column ") {
        // Arguments are mostly one line, so the line is named only beyond it.
        Some(("1", column)) => format!("{reason} (column {column})"),
        Some((line, column)) => format!("{reason} (line {line}, column {column})"),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::json;

    use super::*;
    use crate::pattern::read_examples;

    fn of(text: &str) -> String {
        said(&json::parse(text).expect_err(text).to_string())
    }

    #[test]
    fn each_slip_of_a_model_is_said_without_the_parser() {
        for (text, reason) in read_examples::<(String, String)>(include_str!("unparsed.json"), "slips") {
            assert_eq!(of(&text), reason, "{text}");
        }
        assert_eq!(said("cut off"), "cut off");
    }
}
