//! `cargo arraign compare`: two runs, by their folders, ids or reports.

use std::fs;
use std::path::Path;

use arraign::json::{self, Json, json};
use arraign::{Harness, Trace, Verdict};

use crate::program::{arraign, pin};

/// Whether the answer of each case, by name, is a good one.
type Answers = &'static [(&'static str, bool)];

const BEFORE: Answers = &[("refunds::asks", true), ("refunds::greets", true), ("refunds::pays", false)];
const AFTER: Answers = &[("refunds::asks", false), ("refunds::greets", true), ("refunds::pays", true)];

fn verdicts(answers: Answers) -> Vec<Verdict> {
    let suite = Harness::new("evals").parse("{id: any, expect: [contains: ships]}").expect("a case");
    let verdict = |(name, good): &(&str, bool)| {
        let answer = if *good { "it ships today" } else { "no idea" };
        let trace = Trace { answer: Some(answer.to_owned()), ..Trace::default() };
        let mut verdict = arraign::evaluate(&suite.cases[0], &trace);
        (verdict.name, verdict.harness) = ((*name).to_owned(), "evals".to_owned());
        verdict
    };
    answers.iter().map(verdict).collect()
}

/// Writes the log of a process, as the process leaves it.
fn leave(log: &Path, attempt: u32, answers: Answers) {
    fs::create_dir_all(log.parent().expect("the run")).expect("a folder");
    let lines = verdicts(answers).into_iter().map(|mut verdict| {
        verdict.attempt = attempt;
        json::to_string(&verdict).expect("JSON") + "\n"
    });
    fs::write(log, lines.collect::<String>()).expect("a file");
}

/// A package with two runs.
fn package() -> tempfile::TempDir {
    let package = tempfile::tempdir().expect("a folder");
    for (started_ms, (id, answers)) in (1..).zip([("1-1", BEFORE), ("2-2", AFTER)]) {
        leave_run(&package.path().join("target/arraign").join(id), started_ms, answers);
    }
    package
}

fn leave_run(run: &Path, started_ms: u64, answers: Answers) {
    leave(&run.join("evals.7.jsonl"), 1, answers);
    fs::create_dir_all(run.join("@manifests")).expect("a folder");
    let manifest = json!({
        "schema_version": 1, "arraign": "0.1.0", "harness": "evals", "cases": "evals", "package": "",
        "started_ms": started_ms,
    });
    fs::write(run.join("@manifests/evals.json"), manifest.to_string()).expect("a file");
}

#[test]
fn a_regression_is_exit_code_101() {
    let package = package();
    let ran = arraign(package.path(), &["compare", "1-1", "2-2"]);
    assert_eq!(ran.code, Some(101), "{}", ran.stderr);
    pin("compare-text", &ran.stdout);
    let markdown = arraign(package.path(), &["compare", "1-1", "2-2", "--format", "markdown"]);
    assert!(markdown.stdout.starts_with("### Compared with <code>1-1</code>\n"), "{}", markdown.stdout);
    let json = arraign(package.path(), &["compare", "1-1", "2-2", "--format", "json"]);
    let json: Json = json::from_str(&json.stdout).expect("JSON");
    assert_eq!(json["trials"][0]["change"], "regressed");
}

#[test]
fn a_run_that_is_no_worse_is_exit_code_0() {
    let package = package();
    let ran = arraign(package.path(), &["compare", "2-2", "target/arraign/2-2"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.contains("nothing changed"), "{}", ran.stdout);
}

#[test]
fn the_last_attempt_of_a_retried_trial_counts_and_is_flaky() {
    let package = package();
    // The later attempt is in the earlier log: slots of nextest are not in the order of time.
    leave(&package.path().join("target/arraign/2-2/evals.1.jsonl"), 2, &[("refunds::asks", true)]);
    let ran = arraign(package.path(), &["compare", "1-1", "2-2"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
    assert!(ran.stdout.contains("refunds::asks  in the later run"), "{}", ran.stdout);
}

#[test]
fn the_markdown_of_a_report_compares_with_an_earlier_run() {
    let package = package();
    let ran =
        arraign(package.path(), &["report", "--run", "2-2", "--format", "markdown", "--compare", "1-1"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(101), ""));
    let page = fs::read_to_string(package.path().join("target/arraign/report.md")).expect("a report");
    assert!(page.contains("### Compared with <code>1-1</code>\n\n1 regressed, 1 improved.\n"), "{page}");
}

#[test]
fn reports_are_runs_too() {
    let package = package();
    let lines: Vec<String> =
        verdicts(AFTER).iter().map(|verdict| json::to_string(verdict).expect("JSON")).collect();
    fs::write(package.path().join("report.jsonl"), lines.join("\n")).expect("a file");
    let report =
        format!("{{\"schema_version\":1,\"run\":{{\"id\":\"7\"}},\"verdicts\":[{}]}}", lines.join(","));
    fs::write(package.path().join("report.json"), report).expect("a file");
    for report in ["report.json", "report.jsonl"] {
        let ran = arraign(package.path(), &["compare", "1-1", report]);
        assert_eq!(ran.code, Some(101), "{report}: {}", ran.stderr);
    }
}

#[test]
fn what_is_no_run_is_exit_code_2() {
    let package = package();
    let log = package.path().join("target/arraign/2-2/evals.7.jsonl");
    fs::write(&log, "{\"schema_version\": 1, \"name\": 7}\n").expect("a file");
    let cut = arraign(package.path(), &["compare", "1-1", "2-2"]);
    let gone = arraign(package.path(), &["compare", "1-1", "3-3"]);
    assert_eq!((cut.code, gone.code), (Some(2), Some(2)));
    pin("compare-errors", &[cut.stderr, gone.stderr].concat());
}

#[test]
fn without_names_the_last_two_runs_that_share_trials_are_compared() {
    let package = package();
    let runs = package.path().join("target/arraign");
    leave_run(&runs.join("other"), 3, &[("elsewhere::x", true)]);
    leave_run(&runs.join("newest"), 4, &[("refunds::asks", true)]);
    let ran = arraign(package.path(), &["compare"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    assert!(ran.stdout.starts_with("newest compared with 2-2: 1 improved, 2 not run\n"), "{}", ran.stdout);
    let named = arraign(package.path(), &["compare", "1-1"]);
    assert!(named.stdout.starts_with("newest compared with 1-1: 2 not run\n"), "{}", named.stdout);
    fs::remove_dir_all(runs.join("2-2")).expect("a run");
    fs::remove_dir_all(runs.join("1-1")).expect("a run");
    let alone = arraign(package.path(), &["compare"]);
    assert_eq!(alone.code, Some(2));
    assert!(
        alone.stderr.contains("before `newest` has a trial of it; name the earlier run"),
        "{}",
        alone.stderr
    );
}
