//! `cargo arraign from-trace`: a case for a recorded run.

use std::fs;

use crate::program::{arraign, pin};

/// A run with a secret, in the format of chat completions.
const TRACE: &str = r#"[
  {"role": "user", "content": "refund order 7, please"},
  {"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", "function":
    {"name": "login", "arguments": "{\"user\": \"ada\", \"password\": \"hunter2-hunter2\"}"}}]},
  {"role": "tool", "tool_call_id": "1", "content": "{\"ok\": true}"},
  {"role": "assistant", "content": null, "tool_calls": [{"id": "2", "type": "function", "function":
    {"name": "refund", "arguments": "{\"order_id\": 7, \"amount\": 30}"}}]},
  {"role": "tool", "tool_call_id": "2", "content": "{\"ok\": true}"},
  {"role": "assistant", "content": "I have refunded $30 for order 7."}
]"#;

#[test]
fn a_written_case_passes_and_notices_changes_of_its_run() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("Refund 7.json"), TRACE).expect("a file");
    let command = ["from-trace", "Refund 7.json", "--out", "evals/refund.yaml"];
    let ran = arraign(folder.path(), &command);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    let case = fs::read_to_string(folder.path().join("evals/refund.yaml")).expect("a case");
    pin("from-trace", &case);
    let trace = fs::read_to_string(folder.path().join("evals/traces/refund_7.json")).expect("a trace");
    assert!(!case.contains("hunter2") && !trace.contains("hunter2"), "{case}{trace}");
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0));
    assert_eq!(arraign(folder.path(), &["mutate", "--min", "0.7"]).code, Some(0));
    assert_eq!(arraign(folder.path(), &command).code, Some(2), "files that exist stay");
}

#[test]
fn a_case_that_is_printed_contains_its_run_and_names_its_near_duplicate() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.json"), TRACE).expect("a file");
    let printed = arraign(folder.path(), &["from-trace", "a.json"]);
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/a.yaml"), &printed.stdout).expect("a file");
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0), "{}", printed.stdout);
    let again = arraign(folder.path(), &["from-trace", "a.json"]);
    assert!(again.stderr.contains("near-duplicate: `a::a` at evals/a.yaml"), "{}", again.stderr);
}

#[test]
fn a_file_with_several_runs_needs_the_choice_of_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = ["Ada", "Bob"].map(|name| {
        format!(r#"{{"messages": [{{"role": "user", "content": "I am {name}"}}, {{"role": "assistant", "content": "Hello, {name}!"}}]}}"#)
    });
    fs::write(folder.path().join("a.jsonl"), runs.join("\n")).expect("a file");
    let ran = arraign(folder.path(), &["from-trace", "a.jsonl"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stdout);
    assert!(ran.stderr.contains("select one with `--run`"), "{}", ran.stderr);
    assert_eq!(arraign(folder.path(), &["from-trace", "a.jsonl", "--run", "2"]).code, Some(0));
}

#[test]
fn a_declared_reader_reads_the_trace() {
    const READERS: &str = "readers:\n  shop:\n    when: {path: $.shop}\n    steps: $.log[*]\n    say: $.said\n    \
                           call: {each: $.calls, name: $.tool, args: $.with}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let log = r#"{"shop": 1, "log": [{"calls": [{"tool": "find_order", "with": {"id": 7}}]}, {"said": "Shipped."}]}"#;
    fs::write(folder.path().join("log.json"), log).expect("a file");
    fs::write(folder.path().join("readers.yaml"), READERS).expect("a file");
    assert_eq!(
        arraign(folder.path(), &["from-trace", "log.json"]).code,
        Some(2),
        "no built-in reader reads it"
    );
    let named = arraign(folder.path(), &["from-trace", "log.json", "--reader", "readers.yaml"]);
    assert_eq!((named.code, named.stderr.as_str()), (Some(0), ""), "{}", named.stdout);
    assert!(named.stdout.contains("find_order"), "{}", named.stdout);
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/arraign.yaml"), READERS).expect("a file");
    assert_eq!(arraign(folder.path(), &["from-trace", "log.json"]).stdout, named.stdout);
    fs::write(folder.path().join("evals/log.yaml"), &named.stdout).expect("a file");
    assert_eq!(arraign(folder.path(), &["run"]).code, Some(0), "the case needs no reader");
}
