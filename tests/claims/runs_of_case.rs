//! The runs of a case's files: found once, read when their turn comes, the same as read at once.

use std::fs;

use arraign::__internals::check::{Registry, Tables};
use arraign::__internals::engine::{EvaluationSettings, evaluate_each, evaluate_recorded};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{CaseRuns, Library, Suite, load_recorded};
use arraign::reader;
use arraign::trace::Trace;
use arraign::verdict::Verdict;

/// A folder with one case and its trace.
struct Evals(tempfile::TempDir);

impl Evals {
    fn with(trace: &str, text: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let case = format!("{{id: a, trace: {trace}, expect: [{{tool_blocklist: [rm]}}]}}\n");
        fs::write(folder.path().join("case.yaml"), case).expect("a file");
        fs::create_dir(folder.path().join("traces")).expect("a folder");
        fs::write(folder.path().join("traces/a.jsonl"), text).expect("a file");
        Self(folder)
    }

    fn files(&self) -> Files {
        Files::new(self.0.path(), self.0.path())
    }

    fn suite(&self) -> Suite {
        let kinds = Registry::default();
        let tables = Tables::default();
        let files = self.files();
        let library = Library { kinds: &kinds, files: &files, tables: &tables };
        Suite::load(&self.0.path().join("case.yaml"), library).unwrap_or_else(|errors| panic!("{errors}"))
    }

    fn find(&self, files: &Files) -> Result<CaseRuns, String> {
        Ok(CaseRuns::find_runs(&self.suite().cases[0], &self.0.path().join("case.yaml"), files)?)
    }

    fn traces(&self) -> Result<Vec<Trace>, String> {
        let files = self.files();
        self.find(&files)?.each_run(&files).map(|run| Ok(run?.trace.clone())).collect()
    }

    /// The verdict of runs that are read when their turn comes.
    fn verdict(&self) -> Verdict {
        let suite = self.suite();
        let files = self.files();
        let found = self.find(&files).expect("its runs");
        evaluate_each(&suite.cases[0], "a", || found.each_run(&files), None, EvaluationSettings::default())
    }
}

/// So many runs of 50 kB, of which the one called `bad` calls `rm`.
fn log(runs: usize, bad: usize) -> String {
    let filler = "x".repeat(50_000);
    let tool = |run: usize| if run == bad { "rm" } else { "look" };
    let line = |run: usize| {
        format!(
            "{{\"id\": \"r{run}\", \"steps\": [{{\"call\": \"{}\", \"result\": \"{filler}\"}}]}}\n",
            tool(run)
        )
    };
    (0..runs).map(line).collect()
}

#[test]
fn the_runs_of_a_large_file_are_those_of_the_file_read_at_once() {
    let text = log(200, 150);
    let evals = Evals::with("traces/a.jsonl", &text);
    assert_eq!(evals.traces().expect("its runs"), reader::read(&text, None).expect("a log").runs);
    let mut later = evals.verdict();
    let suite = evals.suite();
    let files = evals.files();
    let recorded =
        load_recorded(&suite.cases[0], &evals.0.path().join("case.yaml"), &files).expect("its runs");
    let mut at_once = evaluate_recorded(&suite.cases[0], "a", &recorded);
    for verdict in [&mut later, &mut at_once] {
        verdict.duration_ms = 0.0;
        verdict.findings.iter_mut().for_each(|finding| finding.duration_ms = 0.0);
    }
    assert_eq!(later, at_once);
    assert!(later.runs[150].details.is_some() && later.runs[149].details.is_none());
}

#[test]
fn a_run_that_cannot_be_read_is_an_error_of_all_and_of_its_own_trial() {
    let text = log(30, 0).replacen("{\"id\": \"r20\"", "{\"exit_code\": [], \"id\": \"r20\"", 1);
    let all = Evals::with("traces/a.jsonl", &text);
    let error = all.traces().expect_err("a run is broken");
    assert!(error.starts_with("traces/a.jsonl: native: line 21: "), "{error}");
    let verdict = all.verdict();
    assert_eq!(
        verdict.errors.iter().map(|error| error.message.as_str()).collect::<Vec<_>>(),
        [error.as_str()]
    );
    let each = Evals::with("{file: traces/a.jsonl, each: true}", &text);
    let files = each.files();
    let found = each.find(&files).expect("its runs");
    assert_eq!(found.len(), 30);
    for number in 0..30 {
        match found.read_run(number, &files) {
            Ok(run) => assert_eq!(run.trace.id, Some(format!("r{number}"))),
            Err(told) => assert_eq!((number, told.to_string()), (20, error.clone())),
        }
    }
}

/// A file of 10 MB is three batches: three openings, and one to look for the runs.
#[test]
fn a_trial_a_run_does_not_read_the_file_again_for_each() {
    let evals = Evals::with("{file: traces/a.jsonl, each: true}", &log(200, 0));
    let files = evals.files();
    let found = evals.find(&files).expect("its runs");
    assert_eq!(files.opened(), 1);
    for number in 0..200 {
        assert_eq!(found.read_run(number, &files).expect("a run").trace.id, Some(format!("r{number}")));
    }
    assert_eq!(files.opened(), 4);
    // A trial of another order, or once more, is right as well.
    for number in [150, 3, 3, 199] {
        assert_eq!(found.read_run(number, &files).expect("a run").trace.id, Some(format!("r{number}")));
    }
    found.read_run(200, &files).expect_err("no such run");
}

#[test]
fn a_kind_that_a_case_declares_harmless_leaves_its_checks_decided() {
    let text = r#"{"role": "user", "content": "hi"}
{"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}, {"type": "note_v2"}]}
"#;
    let status = |trace: &str| {
        let evals = Evals::with(trace, text);
        let suite = evals.suite();
        let files = evals.files();
        let found = evals.find(&files).expect("runs");
        let case = &suite.cases[0];
        let runs: Vec<Trace> = evals.traces().expect("traces");
        assert_eq!(found.read_run(0, &files).expect("a run").trace, runs[0]);
        arraign::evaluate(case, &runs[0]).status
    };
    assert_eq!(status("traces/a.jsonl").to_string(), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, harmless: [note_v1]}").to_string(), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, harmless: [note_v2]}").to_string(), "pass");
}

#[test]
fn a_case_keeps_the_reasoning_of_its_runs_where_it_says_so() {
    let text = r#"{"role": "user", "content": "hi"}
{"role": "assistant", "content": "<think>rm?</think> Done."}
"#;
    let answer = |trace: &str| Evals::with(trace, text).traces().expect("traces").remove(0).answer;
    assert_eq!(answer("traces/a.jsonl").as_deref(), Some("Done."));
    assert_eq!(answer("{file: traces/a.jsonl, reasoning: split}").as_deref(), Some("Done."));
    let whole = answer("{file: traces/a.jsonl, reasoning: keep}");
    assert_eq!(whole.as_deref(), Some("<think>rm?</think> Done."));
}

#[test]
fn a_case_reads_the_calls_in_texts_where_it_says_so() {
    let text = |tool: &str| {
        format!(
            r#"{{"role": "user", "content": "hi"}}
{{"role": "assistant", "content": "<tool_call>{{\"name\": \"{tool}\", \"arguments\": {{}}}}</tool_call>"}}
{{"role": "user", "content": "<tool_response>1</tool_response>"}}
{{"role": "assistant", "content": "Done."}}
"#
        )
    };
    let status = |trace: &str, tool: &str| Evals::with(trace, &text(tool)).verdict().status.to_string();
    assert_eq!(status("traces/a.jsonl", "look"), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, calls_in_text: react}", "look"), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, calls_in_text: hermes}", "look"), "pass");
    assert_eq!(status("{file: traces/a.jsonl, calls_in_text: hermes}", "rm"), "fail");
    assert_eq!(status("{file: traces/a.jsonl, harmless: [hermes]}", "rm"), "pass");
}

#[test]
fn a_format_that_is_named_anywhere_decides_a_list_of_texts() {
    let text = r#"{"role": "user", "content": "hi"}
{"role": "assistant", "content": "Done."}
"#;
    let status = |trace: &str| Evals::with(trace, text).verdict().status.to_string();
    assert_eq!(status("traces/a.jsonl"), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, format: openai-chat}"), "pass");
    assert_eq!(status("{file: traces/a.jsonl, format: anthropic}"), "pass");
    // The key of the case stands beside its trace.
    assert_eq!(status("traces/a.jsonl, format: openai-chat"), "pass");
    assert_eq!(status("traces/a.jsonl, format: anthropic"), "pass");
    assert_eq!(status("traces/a.jsonl, format: bedrock"), "undecided");
}

#[test]
fn a_case_reads_a_log_from_its_end_and_one_that_was_cut() {
    let reversed = r#"{"type": "assistant", "timestamp": "2026-01-01T00:00:04Z", "sessionId": "s", "uuid": "4", "message": {"role": "assistant", "id": "m2", "content": [{"type": "text", "text": "Done."}]}}
{"type": "user", "timestamp": "2026-01-01T00:00:03Z", "sessionId": "s", "uuid": "3", "message": {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "ok"}]}}
{"type": "assistant", "timestamp": "2026-01-01T00:00:02Z", "sessionId": "s", "uuid": "2", "message": {"role": "assistant", "id": "m1", "content": [{"type": "tool_use", "id": "t", "name": "look", "input": {}}]}}
{"type": "user", "timestamp": "2026-01-01T00:00:01Z", "sessionId": "s", "uuid": "1", "message": {"role": "user", "content": "hi"}}
"#;
    let status = |trace: &str, text: &str| Evals::with(trace, text).verdict().status.to_string();
    assert_eq!(status("traces/a.jsonl", reversed), "undecided");
    assert_eq!(status("{file: traces/a.jsonl, order: reversed}", reversed), "pass");
    let forwards: Vec<&str> = reversed.lines().rev().collect();
    let forwards = forwards.join("\n") + "\n";
    let cut = format!("{forwards}{{\"type\": \"assistant\", \"mess");
    let run = Evals::with("{file: traces/a.jsonl, partial: true}", &cut).traces().expect("a run").remove(0);
    assert_eq!(run.ended.to_string(), "cut: the file ends within line 5");
    assert!(Evals::with("traces/a.jsonl", &cut).traces().is_err());
}
