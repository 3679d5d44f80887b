//! The output of a call: its text, and whether the call worked.

use std::cell::OnceCell;
use std::collections::HashSet;

use super::health::is_sick;
use super::shown::leading_number;
use crate::json::{self, Json};
use crate::trace::{Arguments, Call, CallStatus, StatusMark};

/// The output of a call.
#[derive(Debug, Default)]
pub(super) struct CallOutput {
    /// All texts of the result and of the error.
    pub(super) text: String,
    /// The same texts without whitespace, to search for quotes.
    pub(super) squeezed: String,
    /// All texts of the arguments, without whitespace.
    pub(super) given: String,
    /// Whether the call failed, or its exit code is not 0.
    pub(super) failed: bool,
    /// The exit code of the process, if the trace has one.
    pub(super) exit_code: Option<i64>,
    missing: OnceCell<HashSet<String>>,
    is_sick: OnceCell<bool>,
    lines: OnceCell<(Option<usize>, usize)>,
}

/// Whether the trace records that the call succeeded, and its result does not look like a failure.
fn has_worked(call: &Call) -> bool {
    call.status == CallStatus::Ok
        && (call.status_mark != StatusMark::Inferred || call.find_failure_sign().is_none())
}

impl CallOutput {
    /// Reads the output of `call`.
    pub(super) fn of(call: &Call) -> Self {
        let mut text = String::new();
        let parsed = call.result.as_ref().and_then(of_a_process);
        let result = parsed.as_ref().or(call.result.as_ref());
        if let Some(result) = result {
            collect_result(result, &mut text);
        }
        call.error.iter().for_each(|error| push_line(error, &mut text));
        // The code of the trace comes first, then one in the result. Without either, a call that succeeded
        // counts as code 0.
        let exit_code = call.exit_code.or_else(|| result.and_then(told_code));
        let failed = call.status == CallStatus::Error || exit_code.is_some_and(|code| code != 0);
        let exit_code = exit_code.or(has_worked(call).then_some(0));
        Self {
            squeezed: squeezed(&text),
            text,
            given: collect_arguments(&call.arguments),
            failed,
            exit_code,
            ..Self::default()
        }
    }

    /// Whether the shell, or Python, could not find `program`: `pytest: command not found`, `No module named pytest`.
    pub(super) fn misses(&self, program: &str) -> bool {
        self.missing
            .get_or_init(|| self.text.lines().filter_map(parse_missing_program).collect())
            .contains(program)
    }

    /// Whether the text is one of a service that is not well.
    pub(super) fn is_sick(&self) -> bool {
        *self.is_sick.get_or_init(|| is_sick(&self.text))
    }

    /// Returns the last line of a file that the text shows, by its line numbers or else by its length from `first` on.
    pub(super) fn last_line(&self, first: usize) -> usize {
        let (last, count) = *self
            .lines
            .get_or_init(|| (self.text.lines().filter_map(leading_number).max(), self.text.lines().count()));
        // Without line numbers, the text is taken to be the lines from `first` on.
        last.unwrap_or_else(|| count.saturating_add(first.saturating_sub(1)))
    }

    /// Whether the command was not found or could not be run.
    pub(super) fn never_ran(&self) -> bool {
        matches!(self.exit_code, Some(126 | 127))
    }
}

/// Parses the name of a missing program out of a line.
fn parse_missing_program(line: &str) -> Option<String> {
    // Python names a missing module in this way, and a shell a missing program in those below.
    if let Some(name) = line.split("No module named ").nth(1) {
        return Some(name.trim_matches(['\'', '"']).to_owned());
    }
    let text = line.split(": command not found").next().filter(|text| text.len() < line.len());
    let text = text.or_else(|| line.strip_suffix(": not found"))?;
    text.rsplit([':', ' ']).next().map(str::to_owned)
}

/// Removes all whitespace from `text`.
pub(super) fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn collect_arguments(arguments: &Arguments) -> String {
    let mut text = String::new();
    match arguments {
        Arguments::Json(value) => collect_texts(value, &mut text),
        Arguments::Broken { raw, .. } => push_line(raw, &mut text),
        Arguments::Unrecorded => {}
    }
    squeezed(&text)
}

fn push_line(piece: &str, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(piece);
}

/// A text as it is; the texts inside of anything else, and its JSON.
fn collect_result(result: &Json, text: &mut String) {
    match result {
        Json::Null => {}
        Json::String(piece) => push_line(piece, text),
        other => {
            collect_texts(other, text);
            push_line(&other.to_string(), text);
        }
    }
}

fn collect_texts(value: &Json, text: &mut String) {
    match value {
        Json::String(piece) => push_line(piece, text),
        Json::Array(values) => values.iter().for_each(|value| collect_texts(value, text)),
        Json::Object(values) => values.values().for_each(|value| collect_texts(value, text)),
        _ => {}
    }
}

/// A text that is the JSON of what a process left: its output and its exit code.
fn of_a_process(result: &Json) -> Option<Json> {
    let text = result.as_str().filter(|text| text.starts_with('{'))?;
    json::parse_lenient(text).ok().filter(|parsed| told_code(parsed).is_some())
}

/// Finds the exit code in a result: `{"exit_code": 1}`, `Exit code 1` on its first lines.
fn told_code(result: &Json) -> Option<i64> {
    match result {
        Json::String(text) => {
            // The first lines are read, because the output of a program may contain anything further down.
            let code = text.lines().take(8).find_map(code_in_line);
            code.or_else(|| code_at_end(text))
        }
        Json::Object(fields) => {
            let named = ["exit_code", "exitCode", "exit_status", "returncode", "return_code", "code"];
            let code = named.iter().find_map(|name| fields.get(name)?.as_i64());
            code.or_else(|| fields.get("metadata").and_then(told_code))
        }
        _ => None,
    }
}

fn code_in_line(line: &str) -> Option<i64> {
    code_after(line, &["exit code:", "exit code", "process exited with code", "exit status", "(exit code"])
}

/// `[The command completed with exit code 1.]`; `Exit Code: 1` only below a report, since a file may end with it.
fn code_at_end(text: &str) -> Option<i64> {
    let heads = ["[the command completed with exit code", "exit code:"];
    let is_report = text.starts_with("Command: ") || text.starts_with("Output: ");
    let heads = if is_report { &heads[..] } else { &heads[..1] };
    text.lines().rev().take(8).find_map(|line| code_after(line, heads))
}

fn code_after(line: &str, heads: &[&str]) -> Option<i64> {
    let line = line.trim().to_ascii_lowercase();
    let rest = heads.iter().find_map(|head| line.strip_prefix(head))?;
    let number: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    fn output(result: Json) -> CallOutput {
        let call = Call {
            result: Some(result),
            status: CallStatus::Unknown,
            ..Call::new("Bash", Arguments::none(), 1)
        };
        CallOutput::of(&call)
    }

    #[test]
    fn the_exit_code_is_found_where_it_is_told() {
        assert_eq!(output(json!("Exit code 2\nls: no")).exit_code, Some(2));
        assert_eq!(output(json!({"output": "x", "metadata": {"exit_code": 1}})).exit_code, Some(1));
        assert_eq!(output(json!("{\"output\": \"x\", \"exitCode\": 3}")).exit_code, Some(3));
        assert_eq!(output(json!("x\n[The command completed with exit code 1.]")).exit_code, Some(1));
        assert_eq!(
            output(json!("Command: x\nOutput: a\nb\nc\nd\ne\nf\ng\nExit Code: 1\nSignal: 0")).exit_code,
            Some(1)
        );
        assert_eq!(output(json!("a\nb\nc\nd\ne\nf\ng\nh\nExit code: 1")).exit_code, None);
        assert_eq!(output(json!("fine")).exit_code, None);
    }

    #[test]
    fn all_texts_of_a_result_count() {
        let output = output(json!([{"type": "text", "text": "a b"}]));
        assert!(output.text.starts_with("text\na b\n") && output.squeezed.contains("\"text\":\"ab\""));
    }

    #[test]
    fn programs_that_were_not_there_are_known() {
        let text = "bash: line 1: pytest: command not found\n/usr/bin/python: No module named mypy\nsh: 1: ruff: not found";
        let output = output(json!(text));
        assert!(["pytest", "mypy", "ruff"].into_iter().all(|program| output.misses(program)));
        assert!(!output.misses("cargo"));
    }

    #[test]
    fn lines_are_counted_by_number_or_length() {
        assert_eq!(output(json!("41\tX = 1\n42\tLIMIT = 5")).last_line(1), 42);
        assert_eq!(output(json!("  9→a\n 10→b")).last_line(1), 10);
        assert_eq!(output(json!("a\nb")).last_line(10), 11);
    }
}
