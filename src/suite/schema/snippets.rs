//! The commonest cases as snippets: a list of cases offers them. The YAML language server reads `defaultSnippets`.

use crate::json::{Json, json};
/// Returns the snippets of a list of cases.
pub(super) fn list_snippets() -> Json {
    json!([
        describe(
            "case: tools are called",
            "Each of the tools is called.",
            &json!({"required_tools": ["${3:tool}"]})
        ),
        describe(
            "case: a tool is not called",
            "None of the tools is called.",
            &json!({"forbidden_tools": ["${3:tool}"]})
        ),
        describe(
            "case: the order of calls",
            "One tool is called before another.",
            &json!({"sequence_valid": [{"type": "before", "first": "${3:tool}", "then": "${4:tool}"}]}),
        ),
        describe(
            "case: the arguments of a call",
            "A tool is called with these arguments.",
            &json!({"call": {"tool": "${3:tool}", "args": {"${4:argument}": "${5:value}"}}}),
        ),
        describe("case: the answer", "The answer contains a text.", &json!({"contains": "${3:text}"})),
    ])
}

/// Describes a case on a trace with one check. `${1:...}` is a place that the user fills in.
fn describe(label: &str, meaning: &str, check: &Json) -> Json {
    let body = json!({"id": "${1:name}", "trace": "traces/${2:file}.json", "expect": [check]});
    json!({"label": label, "description": meaning, "body": body})
}
