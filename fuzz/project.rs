//! The files of a project: the first byte chooses what the rest is.

#![no_main]

use std::fs;

use arraign::Harness;
use arraign::__internals::case::TraceFrom;
use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::pattern::{Flags, JsRegex, ToolPattern};
use arraign::__internals::source::Files;
use arraign::__internals::suite::load_readers;
use arraign::reader::read_with;
use libfuzzer_sys::fuzz_target;

/// The readers of one sort of file.
const TARGETS: [fn(&str); 5] =
    [evaluate_cases, evaluate_with_policy, match_patterns, read_by_declaration, read_verdict_log];

/// The line between a declaration and the trace that it reads.
const SEPARATOR: &str = "\n=====\n";

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Some(run) = TARGETS.get(usize::from(*choice)) {
        run(text);
    }
});

/// Loads a file of cases, and evaluates those with an inline trace.
fn evaluate_cases(text: &str) {
    evaluate_suite(&Harness::new("evals"), text);
}

fn evaluate_suite(harness: &Harness, text: &str) {
    let Ok(suite) = harness.parse(text) else { return };
    for case in &suite.cases {
        if let TraceFrom::Inline(trace) = &case.trace {
            let verdict = arraign::evaluate(case, trace);
            assert!(!verdict.passed || verdict.violations().next().is_none());
        }
    }
}

/// Holds one run against a policy of argument schemas and against a policy of rules.
fn evaluate_with_policy(text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("evals")).expect("a folder");
    fs::write(folder.path().join("evals/policy.yaml"), text).expect("a file");
    let harness = Harness::new("evals").at(folder.path());
    for metric in ["args_valid", "sequence_valid"] {
        let trace = r#"{"calls": [{"call": "get_order", "args": {"id": 7}}, {"call": "refund", "args": {"amount": 30}}]}"#;
        evaluate_suite(&harness, &format!(r#"{{"metric": "{metric}", "policy": "policy.yaml", "trace": {trace}}}"#));
    }
}

/// The first line is a pattern, the rest is the text that it is matched with.
fn match_patterns(text: &str) {
    let (pattern, text) = text.split_once('\n').unwrap_or((text, ""));
    let expressions = [JsRegex::new(pattern, Flags::default()), JsRegex::parse_user(pattern, Flags::default())];
    for expression in expressions.into_iter().flatten() {
        let _ = expression.is_match(text);
        let _ = expression.extract_value(text);
    }
    if let Ok(tool) = ToolPattern::new(pattern) {
        let example = tool.example(1);
        assert!(example.is_none_or(|call| tool.matches(&call)), "`{pattern}` does not match its example");
        let _ = tool.matches_name(text);
    }
}

/// Declares a reader, and reads the text behind the separator by it.
fn read_by_declaration(text: &str) {
    let (declaration, trace) = text.split_once(SEPARATOR).unwrap_or((text, "{}"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("readers.yaml");
    fs::write(&file, declaration).expect("a file");
    if let Ok(readers) = load_readers(&file, &Files::new(folder.path(), folder.path())) {
        let _ = read_with(&readers, trace, None);
    }
}

/// Reads a run folder whose log, and whose manifest, is the text.
fn read_verdict_log(text: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["evals.1.jsonl", "@manifests/evals.json"] {
        let path = folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
        if let Ok(stored) = StoredRun::open(&[folder.path().to_owned()]) {
            let _ = stored.visit_verdicts(|_| ());
        }
    }
}
