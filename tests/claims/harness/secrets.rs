//! Keys in traces reach neither a file nor the terminal, whoever quotes them.

use crate::project::Project;
use arraign::json::json;

const KEY: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const REPORTS: (&str, &str) = ("ARRAIGN_REPORT", "json,jsonl,junit,markdown,sarif");

/// A run that calls `look` with `token`, and says the key.
fn trace(token: &str) -> String {
    json!({"calls": [{"call": "look", "args": {"token": token}}], "answer": format!("I used {KEY}")})
        .to_string()
}

fn quotes_nothing(cases: &str) {
    let project = Project::empty()
        .file("evals/traces/given/run.json", trace(KEY))
        .file("evals/traces/given/good.json", trace("none"))
        .file("evals/traces/given/runs/a.json", trace(KEY))
        .file("evals/traces/given/runs/b.json", trace(KEY))
        .file("evals/s.yaml", cases);
    let ran = project.run_with(&[REPORTS, ("ARRAIGN_VERBOSE", "1")], &[]).exits(101);
    assert!(!ran.stdout.contains(KEY) && !ran.stderr.contains(KEY), "{ran:?}");
    let verdict = project.verdict("s");
    assert!(verdict.to_string().contains("***"), "{verdict}");
    project.holds_nowhere(KEY);
}

#[test]
fn a_comparison_with_a_baseline_quotes_no_key() {
    quotes_nothing(
        "trace: traces/given/run.json
baseline: traces/given/good.json
baseline_fail_on: [TOOLS_CHANGED]
",
    );
}

#[test]
fn runs_taken_together_quote_no_key() {
    quotes_nothing(
        "trace: traces/given/runs/*.json
thresholds: {min_score: 0, variance: {runs: 2, pass_rate: 1}}
expected: {output: {not_contains: [used]}}
expect: [equals: nothing]
",
    );
}

#[test]
fn a_violation_quotes_no_key() {
    quotes_nothing("{trace: traces/given/run.json, expect: [equals: nothing]}");
}
