//! No check passes on a guess: each case that passes is held against a trace that records nothing.

use std::path::{Path, PathBuf};

use arraign::__internals::check::{BUILTIN, Registry, Tables};
use arraign::__internals::outcome::Status;
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite};
use arraign::trace::CallsUnrecorded;
use arraign::{Case, Trace, reader};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check")
}

/// A run of which only is known that there was one.
fn silent() -> Trace {
    Trace { calls_unrecorded: Some(CallsUnrecorded::ByFormat), ..Trace::default() }
}

/// The cases that pass, without those in which nothing is expected.
fn passing_cases(check: &str) -> Vec<(PathBuf, Suite)> {
    let kinds = Registry::default();
    let files = Files::new(root(), root());
    let tables = Tables::default();
    let entries = std::fs::read_dir(root().join(check)).expect("a folder a check");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let passing = paths.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("pass-") && name.ends_with(".yaml") && !name.contains("nothing")
    });
    let load = |path: PathBuf| {
        let library = Library { kinds: &kinds, files: &files, tables: &tables };
        let suite = Suite::load(&path, library).unwrap_or_else(|errors| panic!("{errors}"));
        (path, suite)
    };
    passing.map(load).collect()
}

/// What a judge said is evidence; what asks for nothing cannot be silent on it.
fn asks_the_trace(case: &Case, text: &str) -> bool {
    case.opinions.is_empty() && !text.contains("allow_vacuous") && !asks_for_nothing(text)
}

/// Settings that ask for a report only, or opt out of what they could ask.
fn asks_for_nothing(text: &str) -> bool {
    let opts_out = ["grounded: false", "tool_called: false", "expected_tools: []", "expected_fields: []"];
    let unbounded = text.contains("extract") && !text.contains("min:") && !text.contains("max:");
    unbounded || opts_out.iter().any(|words| text.contains(words))
}

#[test]
fn no_check_passes_on_a_trace_that_records_nothing() {
    let mut held = 0;
    for kind in BUILTIN {
        for (path, suite) in passing_cases(kind.name) {
            let text = std::fs::read_to_string(&path).expect("a case file");
            for case in suite.cases.iter().filter(|case| asks_the_trace(case, &text)) {
                let verdict = arraign::evaluate(case, &silent());
                assert_ne!(verdict.status, Status::Pass, "{}", path.display());
                held += 1;
            }
        }
    }
    assert!(held > 100, "only {held} cases were held against silence");
}

/// A case that forbids all calls.
fn forbid_all_calls() -> Suite {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("case.yaml");
    let text = "metric: sequence_valid\nrules: [{type: count, tool: '*', max: 0}]\ntrace: {calls: []}\n";
    std::fs::write(&path, text).expect("it is written");
    let kinds = Registry::default();
    let files = Files::new(folder.path(), folder.path());
    let tables = Tables::default();
    let library = Library { kinds: &kinds, files: &files, tables: &tables };
    Suite::load(&path, library).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Whether no run of a file makes more of the rule than a pass.
fn is_green(case: &Case, text: &str) -> bool {
    let Ok(recording) = reader::read(text, None) else { return false };
    recording.runs.iter().all(|run| arraign::evaluate(case, run).status == Status::Pass)
}

#[test]
fn no_file_that_is_not_understood_obeys_a_rule_that_forbids_all_calls() {
    let suite = forbid_all_calls();
    let mut held = 0;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/arraign-trace/tests/frameworks");
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let text = std::fs::read_to_string(&path).expect("a file");
        assert!(!is_green(&suite.cases[0], &text), "{}", path.display());
        held += 1;
    }
    assert!(held > 10, "only {held} files were held against the rule");
}

#[test]
fn no_file_whose_marks_of_calls_were_renamed_obeys_a_rule_that_forbids_all_calls() {
    let suite = forbid_all_calls();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/arraign-trace/tests/reader");
    for (file, mark) in [
        ("openai-chat/messages.json", "tool_calls"),
        ("anthropic/messages.json", "tool_use"),
        ("openai-responses/input_items.json", "function_call"),
        ("claude-code/transcript.jsonl", "tool_use"),
        ("codex/rollout.shell.jsonl", "custom_tool_call"),
        ("gemini/gemini_contents.json", "functionCall"),
        ("langchain/messages_to_dict.json", "tool_calls"),
        ("otel/maf.otlp.jsonl", "execute_tool"),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).expect("a sample");
        assert!(!is_green(&suite.cases[0], &text), "{file}");
        let renamed = text.replace(&format!("\"{mark}\""), &format!("\"{mark}_v2\""));
        assert!(!is_green(&suite.cases[0], &renamed), "{file}: {mark}");
    }
}
