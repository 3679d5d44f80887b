//! The JSON that the final answer is, or holds.

use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use crate::check::support::answer_text::{beginning, beginning_from, ending, ending_before, position};
use crate::outcome::Violation;

/// Where in the answer its JSON is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// The whole answer is JSON. The default.
    #[default]
    Strict,
    /// The answer is JSON, or contains one fenced block that is JSON.
    Fenced,
}

/// Parses the JSON of an answer. The violation shows where parsing stopped.
pub(crate) fn json(answer: &str, form: Form) -> Result<Value, Box<Violation>> {
    let blocks = fenced_blocks(answer);
    let text = match (form, blocks.as_slice()) {
        (Form::Fenced, [block]) => block.clone(),
        (Form::Fenced, [_, _, ..]) => return Err(several_blocks(answer, blocks.len()).into()),
        _ => 0..answer.len(),
    };
    let read = &answer[text.clone()];
    serde_json::from_str(read).map_err(|error| {
        let help = match (form, blocks.len()) {
            (Form::Strict, 1) => "say `json: fenced` to read the block that the answer holds",
            _ => "make the agent answer with JSON and nothing else",
        };
        Box::new(not_json(answer, text.start + byte_of(read, &error), &error).help(help))
    })
}

/// Lists the contents of fenced blocks, which are between lines of three or more backticks or tildes.
fn fenced_blocks(answer: &str) -> Vec<Range<usize>> {
    // A fence closes with at least as many marks of the same kind and nothing else on its line, as in Markdown.
    let (mut blocks, mut open, mut at) = (Vec::new(), None, 0);
    for line in answer.split_inclusive('\n') {
        let start = at;
        at += line.len();
        match (open, parse_fence(line)) {
            (None, Some((mark, _))) => open = Some((mark, at)),
            (Some((opened, inside)), Some((mark, true))) if mark.starts_with(opened) => {
                blocks.push(inside..start);
                open = None;
            }
            _ => {}
        }
    }
    blocks
}

/// Parses the backticks or tildes at the beginning of a line. Also returns whether nothing else is on the line.
fn parse_fence(line: &str) -> Option<(&str, bool)> {
    let line = line.trim();
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = line.trim_start_matches(first);
    let mark = &line[..line.len() - rest.len()];
    (mark.len() >= 3).then_some((mark, rest.is_empty()))
}

/// Returns the byte at which serde stopped. Serde counts lines and bytes from 1, and names the last byte that it read.
fn byte_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n');
    let line_start: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let stop = if error.is_eof() { text.len() } else { line_start + error.column().saturating_sub(1) };
    // The byte may be inside of a character, where a text cannot be cut.
    (0..=stop.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

fn not_json(answer: &str, at: usize, error: &serde_json::Error) -> Violation {
    // The position that serde reports counts from the start of the block. The message has the place in the whole
    // answer instead.
    let said = error.to_string();
    let reason = said.split(" at line ").next().unwrap_or(&said);
    let reason = match answer {
        "" => "it is empty".to_owned(),
        _ => format!("{reason} at {}", position(answer, at)),
    };
    let actual = match (&answer[..at], &answer[at..]) {
        ("", text) => beginning(text),
        (read, "") => format!("{}, and there it ends", ending(read)),
        // Each half is a part of the whole answer: a secret at the place where the JSON ends is shown by neither.
        _ => {
            let (read, rest) = (ending_before(answer, at), beginning_from(answer, at));
            format!("{read}, and there it stops, before {rest}")
        }
    };
    Violation::new(format!("the answer is not JSON: {reason}")).expected("JSON", actual)
}

fn several_blocks(answer: &str, count: usize) -> Violation {
    Violation::new(format!("the answer has {count} fenced blocks, not one"))
        .expected("JSON, or one fenced block of it", beginning(answer))
        .help("make the agent answer with one block")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(answer: &str, form: Form) -> (String, String) {
        let violation = json(answer, form).expect_err(answer);
        (violation.message, violation.actual.unwrap_or_default())
    }

    #[test]
    fn text_that_is_not_json_is_shown_where_it_stops() {
        assert_eq!(
            problem("{\"ä\": 1,\n }", Form::Strict),
            (
                "the answer is not JSON: trailing comma at line 2, column 2".to_owned(),
                "\"{\\\"ä\\\": 1,\\n \", and there it stops, before \"}\"".to_owned()
            )
        );
        assert_eq!(problem("", Form::Strict).0, "the answer is not JSON: it is empty");
        let (message, actual) = problem("[1", Form::Strict);
        assert_eq!(message, "the answer is not JSON: EOF while parsing a list at line 1, column 3");
        assert_eq!(actual, "\"[1\", and there it ends");
        assert_eq!(problem("Äh {}", Form::Strict).1, "\"Äh {}\"");
        assert_eq!(
            problem("Hi:\n```json\n{\"a\": ä}\n```", Form::Fenced).0,
            "the answer is not JSON: expected value at line 3, column 7"
        );
    }

    #[test]
    fn one_fenced_block_is_read_when_that_is_wanted() {
        for answer in ["```json\n{}\n```", "Here:\n\n~~~~\r\n{}\r\n~~~~\r\nBye", "{}", "  ```\n{}\n  ```\n"] {
            assert_eq!(json(answer, Form::Fenced).ok(), Some(serde_json::json!({})), "{answer}");
        }
        for answer in ["```\n{}\n```\n```\n{}\n```", "```\n{}", "```\n{}\n~~~", "Here: {}", "`{}`", ""] {
            assert!(json(answer, Form::Fenced).is_err(), "{answer}");
        }
        assert!(json("```json\n{}\n```", Form::Strict).is_err());
    }

    #[test]
    fn hostile_answers_are_not_json_and_never_a_panic() {
        for answer in
            ["[".repeat(10_000), "\u{feff}{}".to_owned(), "{\"a\":\"\n".to_owned(), "ä\u{0}".repeat(99)]
        {
            assert!(json(&answer, Form::Strict).is_err());
            assert!(json(&answer, Form::Fenced).is_err());
        }
    }
}
