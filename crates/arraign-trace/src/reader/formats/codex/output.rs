//! Separates the output of a tool from the header that Codex adds for the model.
//!
//! ```text
//! Chunk ID: fe9fe1
//! Wall time: 0.0000 seconds
//! Process exited with code 2
//! Output:
//! ls: cannot access 'x'
//! ```
//!
//! Early versions wrote `{"output": "...", "metadata": {"exit_code": 2, "duration_seconds": 0.1}}`.

use crate::json::{Json, parse_lenient};

use crate::reader::build::tool_result::OutcomeMarks;

/// The most lines of a header.
const HEADER_LINES: usize = 12;

/// The output of a tool without the header that Codex adds to it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct CodexOutput {
    pub(crate) result: Json,
    pub(crate) exit_code: Option<i64>,
    /// A mark in the header that is not understood.
    pub(crate) unclear: Option<String>,
    pub(crate) duration_ms: Option<f64>,
}

impl CodexOutput {
    /// Splits `shown` into header and output. A value that is not a text, or has no header, is the output itself.
    pub(crate) fn of(shown: Json) -> Self {
        let Json::String(text) = &shown else { return Self { result: shown, ..Self::default() } };
        early(text).or_else(|| headed(text)).unwrap_or(Self { result: shown, ..Self::default() })
    }
}

fn early(text: &str) -> Option<CodexOutput> {
    if !text.starts_with('{') {
        return None;
    }
    let wrapped = parse_lenient(text).ok()?;
    let metadata = wrapped.get("metadata").filter(|metadata| metadata.is_object())?;
    let marks = OutcomeMarks::of_parsed(metadata);
    Some(CodexOutput {
        result: wrapped.get("output")?.clone(),
        exit_code: marks.exit_code(),
        unclear: marks.unclear().map(ToOwned::to_owned),
        duration_ms: metadata.get("duration_seconds").and_then(Json::as_f64).and_then(millis),
    })
}

fn headed(text: &str) -> Option<CodexOutput> {
    let mut output = CodexOutput::default();
    let mut rest = text;
    // The header ends with `Output:`. Without that line within a few lines, the text is the output of a tool that happens
    // to begin in the same way.
    for _ in 0..HEADER_LINES {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        if line == "Output:" {
            output.result = Json::String(rest.to_owned().into());
            return Some(output);
        }
        let (name, said) =
            line.split_once(": ").or_else(|| Some(("", line.strip_prefix("Process exited with code ")?)))?;
        match name {
            "" | "Exit code" => output.exit_code = said.parse().ok(),
            "Wall time" => {
                let seconds = said.strip_suffix(" seconds").and_then(|seconds| seconds.parse().ok());
                output.duration_ms = seconds.and_then(millis);
            }
            _ => {}
        }
    }
    None
}

/// Seconds as milliseconds, to the microsecond.
fn millis(seconds: f64) -> Option<f64> {
    (seconds.is_finite() && seconds >= 0.0).then(|| (seconds * 1e6).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn output(result: &str, exit_code: Option<i64>, duration_ms: Option<f64>) -> CodexOutput {
        CodexOutput { result: json!(result), exit_code, duration_ms, unclear: None }
    }

    #[test]
    fn a_header_is_no_output() {
        for (shown, expected) in [
            (
                "Chunk ID: a\nWall time: 0.5000 seconds\nProcess exited with code 2\nOutput:\nx\ny\n",
                output("x\ny\n", Some(2), Some(500.0)),
            ),
            ("Exit code: 1\nWall time: 2 seconds\nOutput:\n", output("", Some(1), Some(2000.0))),
            ("Wall time: 0.25 seconds\nOutput:\nok", output("ok", None, Some(250.0))),
            (
                r#"{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.5}}"#,
                output("x", Some(0), Some(500.0)),
            ),
        ] {
            assert_eq!(CodexOutput::of(json!(shown)), expected, "{shown}");
        }
    }

    #[test]
    fn what_has_no_header_stays_as_it_is() {
        for shown in ["", "plain", "Note: x\nno output follows", r#"{"output": 1}"#, "Wall time: soon"] {
            assert_eq!(CodexOutput::of(json!(shown)), output(shown, None, None), "{shown}");
        }
        assert_eq!(CodexOutput::of(json!([1])).result, json!([1]));
    }
}
