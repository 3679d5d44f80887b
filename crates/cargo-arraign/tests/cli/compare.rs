//! `cargo arraign compare`: two runs, by their folders, ids or reports.

use std::fs;
use std::path::Path;

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

/// Writes the verdict files of a run, as its process leaves them.
fn leave(folder: &Path, answers: Answers) {
    fs::create_dir_all(folder).expect("a folder");
    for verdict in verdicts(answers) {
        let json = serde_json::to_vec(&verdict).expect("JSON");
        fs::write(folder.join(format!("{}.json", verdict.name)), json).expect("a file");
    }
}

/// A package with two runs.
fn package() -> tempfile::TempDir {
    let package = tempfile::tempdir().expect("a folder");
    for (id, answers) in [("1-1", BEFORE), ("2-2", AFTER)] {
        let run = package.path().join("target/arraign").join(id);
        leave(&run, answers);
        fs::create_dir_all(run.join("@manifests")).expect("a folder");
        let beginning = r#"{"schema_version": 1, "arraign": "0.1.0", "harness": "evals", "cases": "evals", "package": "", "started_ms": 1}"#;
        fs::write(run.join("@manifests/evals.json"), beginning).expect("a file");
    }
    package
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
    let json: serde_json::Value = serde_json::from_str(&json.stdout).expect("JSON");
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
    leave(&package.path().join("target/arraign/2-2/attempt-2"), &[("refunds::asks", true)]);
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
        verdicts(AFTER).iter().map(|verdict| serde_json::to_string(verdict).expect("JSON")).collect();
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
    let broken = package.path().join("target/arraign/2-2/refunds%%asks.json");
    fs::write(&broken, "{\"schema_version\": 1, \"na").expect("a file");
    let cut = arraign(package.path(), &["compare", "1-1", "2-2"]);
    let gone = arraign(package.path(), &["compare", "1-1", "3-3"]);
    assert_eq!((cut.code, gone.code), (Some(2), Some(2)));
    pin("compare-errors", &[cut.stderr, gone.stderr].concat());
}
