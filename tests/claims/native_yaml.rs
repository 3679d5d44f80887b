//! Native traces in YAML, in a case and in a file: every mistake has its line and column.

use std::fs;
use std::path::Path;

use arraign::__internals::place::Source;
use arraign::__internals::yaml::Document;
use arraign::reader::{self, Recording, to_native};
use arraign::trace::{CallStatus, Trace};

fn error(text: &str) -> String {
    reader::read(text, None).expect_err(text).to_string()
}

fn only(text: &str) -> Trace {
    let Recording { mut runs, .. } = reader::read(text, None).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(runs.len(), 1);
    runs.remove(0)
}

fn inline(yaml: &str) -> Result<Trace, String> {
    let documents = Document::parse(&Source::new("case.yaml", yaml)).expect("valid YAML");
    reader::inline(documents[0].root()).map_err(|errors| errors.to_string())
}

#[test]
fn an_inline_trace_reports_all_its_mistakes_at_once() {
    let yaml = "modle: gpt-4o
steps:
  - usr: hi
  - call: f
    say: x
  - {say: x, result: 1}
  - refund
  - {call: f, turn: 0}
cost_usd: -1
usage: {input_tokens: -5, output_tokens: 1}
";
    let errors = inline(yaml).expect_err("mistakes");
    let expected = [
        "case.yaml:1:1: unknown key `modle` (help: did you mean `model`?)",
        "case.yaml:3:5: unknown key `usr` (help: did you mean `user`?)",
        "case.yaml:4:5: a step is one of `user`, `call` and `say`; write a step for each",
        "case.yaml:6:5: a text has nothing beside it: arguments and results belong to a `call`",
        "case.yaml:7:5: a step is a mapping with one of `user`, `call` and `say` (help: write `call: refund`)",
        "case.yaml:8:21: expected a whole number from 1 up, found `0`",
        "case.yaml:9:11: invalid amount -1: expected a non-negative number",
        "case.yaml:10:23: expected a whole number from 0 up, found `-5`",
    ];
    assert_eq!(errors.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn an_inline_trace_may_be_a_list_of_steps_or_of_calls() {
    let steps = inline("[{user: hi}, {call: f, args: {a: 1}, result: null}, {say: done}]").expect("steps");
    assert_eq!((steps.input.as_deref(), steps.answer.as_deref()), (Some("hi"), Some("done")));
    assert_eq!(steps.calls[0].status, CallStatus::Ok);
    let calls = inline("{calls: [f, {name: g}, {call: h, turn: 2}]}").expect("calls");
    let turns: Vec<usize> = calls.calls.iter().map(|call| call.turn).collect();
    assert_eq!((calls.tool_names(), turns, &calls.answer), (vec!["f", "g", "h"], vec![1, 2, 2], &None));
    assert!(inline("{calls: [], steps: []}").expect_err("both").contains("another name of `steps`"));
    assert!(inline("{model: m}").expect_err("neither").contains("a trace has `steps`"));
}

#[test]
fn a_native_file_gives_a_line_and_a_column_in_yaml_and_in_json() {
    let yaml = "model: m\nsteps:\n  - {cal: f}\n";
    let expected = "native: line 3, column 6: unknown key `cal` (help: did you mean `call`?)";
    assert_eq!(error(yaml), expected);
    let json = "{\"calls\": [\"f\",\n  {\"call\": \"g\", \"arg\": {}}\n]}";
    assert_eq!(error(json), "native: line 2, column 17: unknown key `arg` (help: did you mean `args`?)");
}

#[test]
fn keys_are_the_same_in_yaml_and_in_json() {
    let json = r#"{"id": "i", "agent": "a", "model": "m", "input": "q", "answer": "x", "cost_usd": 1, "duration_ms": 2.5,
        "usage": {"input_tokens": 1, "output_tokens": 2, "cached_tokens": 3, "reasoning_tokens": 4},
        "stop_reason": "stop", "steps": [{"user": "u"}, {"call": "f", "args": {"a": 1}, "result": [1], "error": "e",
        "id": "c", "turn": 3, "server": "s", "started_ms": 1, "duration_ms": 2, "exit_code": 1}, {"say": "s"}]}"#;
    assert_eq!(only(json), inline(json).expect("the same"));
}

#[test]
fn text_that_is_neither_json_nor_a_trace_is_refused() {
    assert_eq!(error("Hello, world"), "line 1, column 1: this is not JSON, nor a native trace in YAML");
    let wrong = reader::read("calls: [a]", Some("maf")).expect_err("another format").to_string();
    assert_eq!(wrong, "line 1, column 1: this is not JSON: expected value");
    let unknown = reader::read("calls: [a]", Some("nativ")).expect_err("no format").to_string();
    assert_eq!(unknown, "there is no trace format `nativ`");
}

#[test]
fn a_file_in_yaml_is_its_json() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/native_yaml");
    let text = |name: &str| fs::read_to_string(folder.join(name)).expect("a file");
    assert_eq!(to_native(&only(&text("steps.yaml"))), text("steps.json"));
}

#[test]
fn runs_of_a_file_in_yaml_are_found_one_by_one() {
    let text = "calls: [a]\n---\nid: second\ncalls: [b]\n";
    let mut file = std::io::Cursor::new(text);
    let found = reader::read_run(&mut file, None, "second").expect("the second document");
    assert_eq!(found.runs[0].tool_names(), ["b"]);
    let runs = reader::runs(file, None).expect("two documents");
    assert_eq!(runs.map(|run| run.expect("a run").calls.len()).collect::<Vec<_>>(), [1, 1]);
}
