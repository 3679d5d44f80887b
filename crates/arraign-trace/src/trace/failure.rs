//! Whether the result of a call looks like a failure, where the format does not say.
//!
//! This is suspicion, never proof: a check that needs a success is undecided on such a call, and neither passes nor fails.

use super::{Call, CallStatus, StatusMark};
use crate::json::{Json, JsonMap, parse_lenient};

/// Keys whose value, if it is not empty, says that a call failed.
const ERROR_KEYS: &[&str] = &[
    "error",
    "Error",
    "errors",
    "errorMessage",
    "error_message",
    "exception",
    "is_error",
    "isError",
    "tool_call_error",
];

/// Keys whose value `false` says that a call failed.
const SUCCESS_KEYS: &[&str] = &["success", "ok"];

/// The only keys beside `status` that a result has which is a report of a failure and nothing else.
const REPORT_KEYS: &[&str] = &["status", "message", "reason"];

/// Keys that wrap the result of a tool: Gemini's function responses, and MCP's structured content.
const WRAPPERS: &[&str] = &["response", "result", "output", "structuredContent"];

/// Beginnings of texts that report a failure, in lower case.
const BEGINNINGS: &[&str] = &[
    "error:",
    "exception:",
    "traceback",
    "an error occurred",
    "failed to",
    "error executing",
    "error calling",
    "<error>",
];

/// Beginnings of the fixed texts, in lower case, with which frameworks answer a call that failed. Each has the version in
/// which it was seen.
const FRAMEWORK_TEXTS: &[&str] = &[
    "<tool_use_error>",                                    // Claude Code 2.1
    "i encountered an error while trying to use the tool", // CrewAI 1.15
    "error invoking tool",                                 // LangGraph 1.2
    "encountered error:",                                  // LlamaIndex 0.14
    "unknown tool:",                                       // MCP SDK for Python 1.30
    "mcp error",                                           // MCP SDK for TypeScript 1.30
    "input validation error:",                             // MCP SDK for TypeScript 1.30
    "the tool call with name '",                           // Semantic Kernel 1.45
    "error in tool call execution",                        // smolagents 1.26
];

/// Ends of the one line, in lower case, with which a command of a shell says that it did nothing: `cat: notes: No such file
/// or directory`.
const SHELL_ENDS: &[&str] = &[
    ": no such file or directory",
    ": permission denied",
    ": command not found",
    ": not a directory",
    ": is a directory",
];

/// The greatest number of wrappers and texts with JSON inside of each other that are opened.
const MAX_DEPTH: usize = 4;

/// What in an answered call looks like a failure.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureSign {
    /// A mark of the format that its reader does not know, or marks that contradict each other.
    Mark(String),
    /// A key that names an error has a value.
    Error(&'static str),
    /// A key that names a success is `false`.
    NoSuccess(&'static str),
    /// A key for a status has this value.
    Status(&'static str, String),
    /// The text begins with this line.
    Text(String),
}

impl Call {
    /// Finds what looks like a failure in an answered call. `None` if nothing does, or if the call failed or the user says
    /// which results are failures.
    pub fn find_failure_sign(&self) -> Option<FailureSign> {
        if !matches!(self.status, CallStatus::Ok | CallStatus::Unknown) {
            return None;
        }
        match &self.status_mark {
            StatusMark::Unclear(mark) => Some(FailureSign::Mark(mark.clone())),
            StatusMark::Declared => None,
            StatusMark::Recorded | StatusMark::Inferred => find_failure_sign(self.result.as_ref()?),
        }
    }
}

/// Finds what in the result of a call looks like a failure.
fn find_failure_sign(result: &Json) -> Option<FailureSign> {
    find_in_result(result, may_have_key, &mut |layer| match layer {
        Json::Object(map) => find_sign_in_map(map),
        Json::String(text) => find_sign_in_text(text),
        _ => None,
    })
}

/// Searches the layers of a result: the result itself, the JSON that a text of it is, the texts of its parts in the form of
/// MCP, and what a key such as `output` wraps. A text with JSON is parsed only if `is_parsed` says so.
pub fn find_in_result<T>(
    result: &Json,
    is_parsed: fn(&str) -> bool,
    find: &mut dyn FnMut(&Json) -> Option<T>,
) -> Option<T> {
    find_in_layer(result, is_parsed, find, MAX_DEPTH)
}

fn find_in_layer<T>(
    layer: &Json,
    is_parsed: fn(&str) -> bool,
    find: &mut dyn FnMut(&Json) -> Option<T>,
    depth: usize,
) -> Option<T> {
    let depth = depth.checked_sub(1)?;
    if let Some(found) = find(layer) {
        return Some(found);
    }
    match layer {
        Json::Object(map) => {
            let parts = map.get("content").filter(|content| content.is_array());
            let inner = parts.into_iter().chain(WRAPPERS.iter().filter_map(|key| map.get(key)));
            inner.into_iter().find_map(|inner| find_in_layer(inner, is_parsed, find, depth))
        }
        // A part is no result: only its text is.
        Json::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")).filter(|text| text.is_string());
            texts.into_iter().find_map(|text| find_in_layer(text, is_parsed, find, depth + 1))
        }
        Json::String(text) if text.trim_start().starts_with(['{', '[', '"']) && is_parsed(text) => {
            find_in_layer(&parse_lenient(text).ok()?, is_parsed, find, depth)
        }
        _ => None,
    }
}

fn find_sign_in_map(map: &JsonMap) -> Option<FailureSign> {
    let is_set = |key: &str| map.get(key).is_some_and(is_truthy);
    if let Some(key) = ERROR_KEYS.iter().find(|key| is_set(key)) {
        return Some(FailureSign::Error(key));
    }
    let is_false = |value: &Json| match value {
        Json::Bool(flag) => !flag,
        Json::String(text) => text.trim().eq_ignore_ascii_case("false"),
        _ => false,
    };
    if let Some(key) = SUCCESS_KEYS.iter().find(|key| map.get(key).is_some_and(is_false)) {
        return Some(FailureSign::NoSuccess(key));
    }
    // A job that failed is an honest answer about the job, but a result with nothing else is about the call.
    if let Some(status) = map.get("status").and_then(Json::as_str) {
        let is_report = map.keys().all(|key| REPORT_KEYS.contains(&key.as_str()));
        let is_failed = ["failed", "failure"].iter().any(|word| status.eq_ignore_ascii_case(word));
        if status.eq_ignore_ascii_case("error") || is_failed && is_report {
            return Some(FailureSign::Status("status", status.to_owned()));
        }
    }
    let number = |value: &Json| value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
    for key in ["status", "code", "statusCode", "status_code"] {
        let is_http_error = |code: &u64| (400..600).contains(code);
        if let Some(code) = map.get(key).and_then(number).filter(is_http_error) {
            return Some(FailureSign::Status(key, code.to_string()));
        }
    }
    for key in ["exit_code", "exitCode"] {
        if let Some(code) = map.get(key).and_then(Json::as_i64).filter(|code| *code != 0) {
            return Some(FailureSign::Status(key, code.to_string()));
        }
    }
    // The form of an error of an API: `{"type": "error", "message": ..}`.
    if map.get("type").and_then(Json::as_str) == Some("error") && map.contains_key("message") {
        return Some(FailureSign::Status("type", "error".to_owned()));
    }
    None
}

fn find_sign_in_text(text: &str) -> Option<FailureSign> {
    let text = text.trim_start();
    let line = text.lines().next()?.trim_end();
    let lower = line.to_ascii_lowercase();
    let mut beginnings = BEGINNINGS.iter().chain(FRAMEWORK_TEXTS);
    let is_known = beginnings.any(|beginning| lower.starts_with(beginning));
    let is_word = ["error", "failed"]
        .contains(&text.trim_end().trim_end_matches(['.', '!']).to_ascii_lowercase().as_str());
    // A command that went on has more to say.
    let is_all = text.trim_end().len() == line.len();
    let is_of_shell = is_all && SHELL_ENDS.iter().any(|end| lower.ends_with(end));
    if is_known || is_word || is_of_shell || names_exception(line) || has_bad_code(&lower) {
        return Some(FailureSign::Text(line.to_owned()));
    }
    None
}

/// Whether a text with JSON may have one of the keys, or a text that reports a failure: most results have neither, and
/// are not parsed.
fn may_have_key(text: &str) -> bool {
    const WORDS: [&str; 8] =
        ["rror", "xception", "status", "code", "exitCode", "success", "\"ok\"", "\"text\""];
    WORDS.iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
        || WRAPPERS.iter().any(|key| memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some())
}

/// Whether the line begins with the name of an error or an exception and a colon: `ValueError: no such order`.
fn names_exception(line: &str) -> bool {
    let Some((name, _)) = line.split_once(':') else { return false };
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    // The word begins with a capital or behind an underscore: `terror` names no error.
    is_name
        && ["Error", "Exception", "ERROR", "EXCEPTION", "_error", "_exception"]
            .iter()
            .any(|end| name.ends_with(end))
}

/// Whether the line, in lower case, begins with a status of HTTP from 400 to 599 or an exit code other than 0.
fn has_bad_code(line: &str) -> bool {
    let number_after = |beginning: &str| -> Option<u32> {
        let rest = line.strip_prefix(beginning)?.trim_start_matches([':', ' ']);
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    };
    let is_http_error = |code: u32| (400..600).contains(&code);
    ["http ", "http/1.1 ", "http/2 ", "http error ", "error "]
        .iter()
        .any(|http| number_after(http).is_some_and(is_http_error))
        || ["exit code", "process exited with code"]
            .iter()
            .any(|exit| number_after(exit).is_some_and(|code| code > 0))
}

/// Whether a value of a key such as `error` says that there was one.
fn is_truthy(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(flag) => *flag,
        Json::Number(number) => number.as_f64() != Some(0.0),
        Json::String(text) => {
            let none = ["", "false", "none", "null"];
            !none.iter().any(|word| text.trim().eq_ignore_ascii_case(word))
        }
        Json::Array(items) => !items.is_empty(),
        Json::Object(map) => !map.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    #[test]
    fn reports_of_failures_look_like_failures() {
        for result in [
            json!({"error": "card declined"}),
            json!({"error": true, "message": "no route"}),
            json!({"errors": ["a"]}),
            json!({"isError": true, "content": []}),
            json!({"success": false}),
            json!({"ok": false, "id": 7}),
            json!({"status": "error", "order": 7}),
            json!({"status": "failed", "reason": "no funds"}),
            json!({"status": 403}),
            json!({"code": 500, "body": ""}),
            json!("Error: 403 forbidden"),
            json!("ERROR: out of stock"),
            json!("ValueError: no route to Oslo"),
            json!("requests.exceptions.HTTPError: 403"),
            json!("Traceback (most recent call last):\n  File"),
            json!("An error occurred while running the tool. Please try again."),
            json!("Failed to connect"),
            json!("Error executing tool get_quote"),
            json!("HTTP 404: not found"),
            json!("Exit code: 1\nno such file"),
            json!("cat: /notes: No such file or directory\n"),
            json!("bash: line 1: frob: command not found"),
            json!("Error calling tool 'refund': boom"),
            json!("Process exited with code 1"),
            json!("<error>boom</error>"),
            json!("\"Error: x\""),
            json!("Error 403: forbidden"),
            json!({"Error": "x"}),
            json!({"success": "false"}),
            json!({"ok": "False"}),
            json!({"status": "500"}),
            json!({"statusCode": 500}),
            json!({"status_code": 500}),
            json!({"exit_code": 1}),
            json!({"type": "error", "message": "x"}),
            json!({"errorMessage": "x"}),
            json!("failed"),
            json!("Error."),
            json!("{\"error\": \"no\"}"),
            json!([{"type": "text", "text": "Error: no"}]),
            json!({"content": [{"type": "text", "text": "{\"error\": \"no\"}"}]}),
            json!({"response": {"result": "Error: no"}}),
            json!({"output": "Error: no"}),
        ] {
            assert!(find_failure_sign(&result).is_some(), "{result}");
        }
    }

    #[test]
    fn honest_answers_do_not_look_like_failures() {
        for result in [
            json!(null),
            json!({"error": null, "id": 7}),
            json!({"error": "", "errors": []}),
            json!({"is_error": "false"}),
            json!({"status": "failed", "job": 7}),
            json!({"status": "shipped"}),
            json!({"code": 200}),
            json!({"exit_code": 0, "statusCode": "200"}),
            json!("Error 7 of the list is fixed"),
            json!("\"shipped\""),
            json!({"code": "E404"}),
            json!({"success": true}),
            json!("Error log: none"),
            json!("Terror: a film"),
            json!("No errors were found."),
            json!("The last run failed"),
            json!("HTTP 200 OK"),
            json!("Exit code: 0"),
            json!("find: /root: Permission denied\n./a\n./b"),
            json!("failed orders: 0"),
            json!([]),
            json!(404),
            json!({"orders": [{"error": "late"}]}),
        ] {
            assert_eq!(find_failure_sign(&result), None, "{result}");
        }
    }
}
