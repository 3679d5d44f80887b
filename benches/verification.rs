//! What the metric costs: CPU time an answer of 2 KB in the profile `text`, hostile texts of 50 KB, and a session of a
//! coding agent in the profile `trace`.
//!
//! `cargo bench --bench verification [-- WORDS]` measures all of them, or those whose names contain the words. The figures
//! are CPU time of this process, as the kernel accounts it (Linux).

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::fs;
use std::path::Path;

use arraign::__internals::check::{Check, Registry, Scope, Tables};
use arraign::__internals::place::Source;
use arraign::__internals::source::Files;
use arraign::__internals::yaml::Document;
use arraign::Evidence;
use arraign::trace::{Arguments, Call, CallStatus, Trace};
use serde_json::json;

const ANSWER: &str = "I changed the retry limit at src/retry.py:42: Edit src/retry.py, then Read src/retry.py; verified and confirmed.\n\
    ```python\nLIMIT = 5\n```\nThe status endpoint is healthy after the deploy. Output: \"42 passed in 1.20s\". We start with\n\
    the parser, which keeps each line of the input as it stands, and then write the rest. It seems to hold for the\n\
    cases that the reviewers named. pytest: 42 passed; mypy and ruff are clean, coverage is 91 %.\n";

fn main() {
    let (text, trace) = (check("{profile: text}"), check("{profile: trace}"));
    let answer: String = ANSWER.chars().cycle().take(2048).collect();
    show("text, an answer of 2 KB", || per_run(text.as_ref(), &saying(&answer), 100_000), 0.05);
    let answer = answer.replace("retry", "rétry");
    show("text, the same with other letters", || per_run(text.as_ref(), &saying(&answer), 100_000), 0.05);
    for piece in ["edit a\n", "status verify health ", "edit read ", "```\n", "I    ", "output: '", "line  "]
    {
        let hostile = piece.repeat(50 * 1024 / piece.len());
        show(&format!("text, 50 KB of {piece:?}"), || per_run(text.as_ref(), &saying(&hostile), 200), 10.0);
        show(&format!("trace, 50 KB of {piece:?}"), || per_run(trace.as_ref(), &saying(&hostile), 50), 100.0);
    }
    let session = session();
    show("trace, a session of 40 calls, 60 KB", || per_run(trace.as_ref(), &session, 500), 20.0);
}

fn show(what: &str, measure: impl FnOnce() -> f64, most: f64) {
    let words = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if words.is_some_and(|words| !what.contains(&words)) {
        return;
    }
    let millis = measure();
    println!("{what}: {millis:.4} ms of CPU");
    assert!(millis <= most, "{what} may take {most} ms");
}

fn check(settings: &str) -> Box<dyn Check> {
    let documents = Document::parse(&Source::new("settings.yaml", settings)).expect("valid YAML");
    let (kinds, files, tables) = (Registry::default(), Files::new(".", "."), Tables::default());
    let kind = kinds.find("verification").expect("the check");
    let script = arraign::__internals::check::ScriptInScope::Absent;
    let scope = Scope { kinds: &kinds, files: &files, folder: Path::new("."), tables: &tables, script };
    (kind.read)(documents[0].root(), &scope).unwrap_or_else(|errors| panic!("{errors}"))
}

fn saying(answer: &str) -> Trace {
    Trace { answer: Some(answer.to_owned()), ..Trace::default() }
}

/// Ten files, each read, edited, read back and tested.
fn session() -> Trace {
    let mut trace = saying(ANSWER);
    let mut push = |name: &str, arguments, result: String| {
        let call = Call::new(name, Arguments::Json(arguments), 1);
        trace.push_call(Call {
            status: CallStatus::Ok,
            result: Some(result.into()),
            exit_code: Some(0),
            ..call
        });
    };
    for file in 0..10 {
        let path = format!("src/module_{file}.py");
        let line = |line: u32| format!("{line}\tvalue_{line} = compute({line}, {file})");
        let shown = (1..60).map(line).collect::<Vec<_>>().join("\n");
        push("Read", json!({ "file_path": path }).into(), shown.clone());
        push(
            "Edit",
            json!({ "file_path": path, "old_string": "3", "new_string": "value_9 = compute(9)" }).into(),
            "ok".to_owned(),
        );
        push("Read", json!({ "file_path": path }).into(), shown);
        push(
            "Bash",
            json!({ "command": "cd app && CI=1 timeout 60 python -m pytest -q | tail -5" }).into(),
            "42 passed in 1.20s".to_owned(),
        );
    }
    trace
}

/// Milliseconds of CPU a run.
fn per_run(check: &dyn Check, trace: &Trace, runs: u32) -> f64 {
    let evidence = Evidence::of(trace);
    let before = cpu_millis();
    for _ in 0..runs {
        std::hint::black_box(check.check(std::hint::black_box(&evidence)).is_ok());
    }
    (cpu_millis() - before) / f64::from(runs)
}

/// CPU time of this process, from the scheduler's own account, which counts nanoseconds.
fn cpu_millis() -> f64 {
    let stat = fs::read_to_string("/proc/self/schedstat").expect("Linux");
    let nanos: f64 = stat.split_whitespace().next().and_then(|text| text.parse().ok()).expect("a number");
    nanos / 1e6
}
