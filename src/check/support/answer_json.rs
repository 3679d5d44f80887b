//! The JSON that the final answer is, or holds, and what checks of it share: settings, parsing, messages.

use std::ops::Range;

use arraign_trace::code_blocks::{CodeBlock, find_code_blocks};
use serde::Deserialize;

use crate::JsonSchema;
use crate::check::Check;
use crate::check::support::answer::{
    answer, beginning, beginning_from, ending, ending_before, position, saying,
};
use crate::evidence::Evidence;
use crate::json::{self, Json, JsonError};
use crate::outcome::{CannotDecide, Outcome, Violation};
use crate::pattern::JsonPath;
use crate::place::LoadErrors;
use crate::secrets::QuotedText;
use crate::yaml::Node;

/// Where in the answer its JSON is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// The whole answer is JSON. The default.
    #[default]
    Strict,
    /// The answer is JSON, or contains one fenced block of JSON: one that is marked `json`, or else one without a mark that holds
    /// an object or a list. Other blocks do not count.
    Fenced,
}

/// Parses the JSON of an answer. The violation shows where parsing stopped.
pub(crate) fn json(answer: &str, form: Form) -> Result<Json, Box<Violation>> {
    let blocks = find_code_blocks(answer);
    let text = match form {
        Form::Strict => None,
        Form::Fenced => choose_block(answer, &blocks)?,
    };
    let text = text.unwrap_or(0..answer.len());
    let read = &answer[text.clone()];
    // Programs differ on which of two equal keys counts, so such an answer means nothing certain.
    json::parse(read).map_err(|error| {
        let help = match (form, blocks.len()) {
            (Form::Strict, 1) => "say `json: fenced` to read the block that the answer holds",
            _ => "make the agent answer with JSON and nothing else",
        };
        Box::new(describe_not_json(answer, text.start + byte_of(read, &error), &error).help(help))
    })
}

/// Chooses the block with the JSON of an answer: the one that is marked as `json`, or else, of the blocks without a mark, the
/// one that holds an object or a list. Blocks of other languages are no JSON. Without such a block, the whole answer is read.
fn choose_block(answer: &str, blocks: &[CodeBlock<'_>]) -> Result<Option<Range<usize>>, Box<Violation>> {
    let marked = |block: &&CodeBlock<'_>| {
        block.info.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("json"))
    };
    let holds_json = |block: &&CodeBlock<'_>| {
        let content = &answer[block.content.clone()];
        block.info.is_empty()
            && content.trim_start().starts_with(['{', '['])
            && json::parse_borrowed(content).is_ok()
    };
    let mut candidates: Vec<&CodeBlock<'_>> = blocks.iter().filter(marked).collect();
    if candidates.is_empty() {
        candidates = blocks.iter().filter(holds_json).collect();
    }
    match candidates.as_slice() {
        [] => match blocks {
            // The only block without a mark is meant, whatever is wrong in it.
            [only] if only.info.is_empty() => Ok(Some(only.content.clone())),
            _ => Ok(None),
        },
        [block] => Ok(Some(block.content.clone())),
        [one, other, ..] => Err(several_blocks(answer, one, other).into()),
    }
}

/// Returns the byte at which serde stopped. Serde counts lines and bytes from 1, and names the last byte that it read.
fn byte_of(text: &str, error: &JsonError) -> usize {
    let lines = text.split_inclusive('\n');
    let line_start: usize = lines.take(error.line().saturating_sub(1)).map(str::len).sum();
    let stop = if error.is_eof() { text.len() } else { line_start + error.column().saturating_sub(1) };
    // The byte may be inside of a character, where a text cannot be cut.
    text.floor_char_boundary(stop)
}

fn describe_not_json(answer: &str, at: usize, error: &JsonError) -> Violation {
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
            let read = ending_before(answer, at);
            let rest = beginning_from(answer, at);
            format!("{read}, and there it stops, before {rest}")
        }
    };
    Violation::new(format!("the answer is not JSON: {reason}")).expected("JSON", actual)
}

fn several_blocks(answer: &str, one: &CodeBlock<'_>, other: &CodeBlock<'_>) -> Violation {
    let [one, other] =
        [one, other].map(|block| format!("{} at {}", name_block(block), position(answer, block.whole.start)));
    Violation::new(format!("the answer has more than one fenced block of JSON: {one}, and {other}"))
        .expected("JSON, or one fenced block of it", beginning(answer))
        .help("make the agent answer with one block of JSON")
}

fn name_block(block: &CodeBlock<'_>) -> &'static str {
    if block.info.is_empty() { "one without a mark" } else { "one marked `json`" }
}

/// The number of characters of a value that are shown.
const SHOWN: usize = 120;

/// Settings of a check of what a path selects.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PathSettings {
    /// A JSONPath (RFC 9535) into the answer.
    #[schemars(with = "String")]
    path: JsonPath,
    /// Where the JSON is in the answer.
    #[serde(default)]
    json: Form,
}

/// Judges what a path selects in the JSON of an answer.
type PathJudge = fn(&JsonPath, &Json) -> Option<Violation>;

struct PathCheck(PathSettings, PathJudge);

/// Reads the settings of the check that judges so.
pub(crate) fn read_path_check(node: Node<'_>, judge: PathJudge) -> Result<Box<dyn Check>, LoadErrors> {
    Ok(Box::new(PathCheck(node.decode_all()?, judge)))
}

impl Check for PathCheck {
    fn check(&self, evidence: &Evidence<'_>) -> Result<Outcome, CannotDecide> {
        of_json(evidence, self.0.json, |json| (self.1)(&self.0.path, json))
    }

    fn counterexample(&self) -> Option<Evidence<'static>> {
        Some(not_json())
    }
}

/// Holds the JSON of the answer against `judge`. An answer that is not JSON is a violation, whatever is asked of it.
pub(crate) fn of_json(
    evidence: &Evidence<'_>,
    form: Form,
    judge: impl FnOnce(&Json) -> Option<Violation>,
) -> Result<Outcome, CannotDecide> {
    let violation = match json(answer(evidence)?, form) {
        Ok(json) => judge(&json),
        Err(violation) => Some(violation.at("/path")),
    };
    Ok(violation.into())
}

/// Builds a run whose answer every check of JSON rejects.
pub(crate) fn not_json() -> Evidence<'static> {
    saying("")
}

/// Says that `path` selects nothing in `json`, and names the nearest part that exists.
pub(crate) fn selects_nothing(path: &JsonPath, json: &Json) -> Violation {
    let message = format!("`{path}` selects nothing in the answer");
    let near = path.above().find_map(|above| match above.select(json).as_slice() {
        [] => None,
        [only] => Some(format!("`{above}` is {}", shown(only))),
        [first, ..] => Some(format!("`{above}` selects several values, the first being {}", shown(first))),
    });
    Violation::new(message)
        .at("/path")
        .expected(format!("a value at `{path}`"), near.unwrap_or_else(|| shown(json)))
        .help("make the agent answer with it, or change the path")
}

/// Renders a value as JSON. A long value is cut.
pub(crate) fn shown(value: &Json) -> String {
    QuotedText::from_json(value).cut_end(SHOWN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

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
            assert_eq!(json(answer, Form::Fenced).ok(), Some(json!({})), "{answer}");
        }
        for answer in ["```\n{}", "```\n{}\n~~~", "Here: {}", "`{}`", "", "```yaml\n{}\n```"] {
            assert!(json(answer, Form::Fenced).is_err(), "{answer}");
        }
        assert!(json("```json\n{}\n```", Form::Strict).is_err());
    }

    #[test]
    fn a_marked_block_comes_before_others_and_two_are_one_too_many() {
        for answer in [
            "```bash\nls\n```\n```json\n{}\n```",
            "```\n[1]\n```\n```JSON title\n{}\n```",
            "```\nplain\n```\n```\n{}\n```\n```mermaid\n{}\n```",
            "```\n7\n```\n```\n{}\n```",
        ] {
            assert_eq!(json(answer, Form::Fenced).ok(), Some(json!({})), "{answer}");
        }
        // A marked block that is wrong is the answer's mistake, whatever is in other blocks.
        assert!(json("```json\n{\n```\n```\n{}\n```", Form::Fenced).is_err());
        let (message, _) = problem("```json\n{}\n```\n```json\n[]\n```", Form::Fenced);
        let expected = "the answer has more than one fenced block of JSON: one marked `json` at line 1, column 1, and one \
                        marked `json` at line 4, column 1";
        assert_eq!(message, expected);
        assert!(
            problem("```\n{}\n```\n```\n[]\n```", Form::Fenced).0.contains("one without a mark at line 4")
        );
    }

    #[test]
    fn a_key_that_comes_twice_is_no_json() {
        let (message, _) = problem("{\"a\": true, \"a\": false}", Form::Strict);
        assert_eq!(message, "the answer is not JSON: duplicate key `a` at line 1, column 13");
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
