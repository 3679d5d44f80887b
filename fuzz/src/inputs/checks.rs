//! Policies, JSON Schemas and shell lines, each in a case that uses it.

use std::fs;

use arraign::__internals::case::TraceFrom;
use arraign::Harness;
use serde_json::{Value, json};

use super::split_parts;

/// Evaluates the cases of `suite`, whose files are in the folder of `harness`.
fn evaluate_suite(harness: &Harness, suite: &Value) {
    let Ok(suite) = harness.parse(&suite.to_string()) else { return };
    for case in &suite.cases {
        if let TraceFrom::Inline(trace) = &case.trace {
            let _ = arraign::evaluate(case, trace);
        }
    }
}

/// Holds one run against a policy of argument schemas and against a policy of rules.
pub(crate) fn check_policy(text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/policy.yaml"), text).expect("a file");
    let harness = Harness::new("evals").at(folder.path());
    let calls = json!([{"call": "get_order", "args": {"id": 7}}, {"call": "refund", "args": {"amount": 30}}]);
    for metric in ["args_valid", "sequence_valid"] {
        let case = json!({"metric": metric, "policy": "policy.yaml", "trace": {"calls": calls}});
        evaluate_suite(&harness, &case);
    }
}

/// The first part is a JSON Schema, the second an answer and a result that are held against it.
pub(crate) fn check_schema(text: &str) {
    let (schema, instance) = split_parts(text, "{\"id\": 7, \"name\": \"Ada\", \"items\": [1, 2]}");
    let Ok(schema) = serde_json::from_str::<Value>(schema) else { return };
    let harness = Harness::new("evals");
    evaluate_suite(
        &harness,
        &json!({"metric": "json_schema", "schema": schema, "trace": [{"say": instance}]}),
    );
    let result: Value = serde_json::from_str(instance).unwrap_or_else(|_| instance.into());
    let trace = json!({"calls": [{"call": "get_order", "args": {"id": 7}, "result": result}]});
    evaluate_suite(
        &harness,
        &json!({"expect": [{"tool_output_valid": {"schemas": {"get_order": schema}}}], "trace": trace}),
    );
}

/// The first part is a line of a shell, the second what it printed.
pub(crate) fn check_shell_line(text: &str) {
    let (line, output) = split_parts(text, "test result: ok. 3 passed; 0 failed");
    let steps = json!([
        {"call": "Bash", "args": {"command": line}, "result": output},
        {"say": "All tests pass, and src/http.rs:42 sets a limit of 30 seconds."},
    ]);
    evaluate_suite(
        &Harness::new("evals"),
        &json!({"verification": {"threshold": 0.5}, "trace": {"steps": steps}}),
    );
}
