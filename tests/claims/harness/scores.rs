//! Scores and several runs, as a whole process sees them: what all suites share, and how much there may be.

use crate::project::Project;
use arraign::json::{Json, json};

/// A case that reaches half of its tools, all of its answer and nothing of its sequence.
const CASE: &str = "expected: {tools: [a, b], tool_sequence: [b], output: {contains: [x]}}
thresholds: {min_score: 1}
output_assertions: score
trace: {calls: [a], answer: x}
";

const SHARED: &str = "weights: {tool_accuracy: 0.6, output_quality: 0.4, sequence_correctness: 0}";

fn score(project: &Project, name: &str) -> Json {
    let ran = project.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    project.verdict(name)["scorecards"][0]["score"].clone()
}

#[test]
fn weights_for_all_suites_stand_below_those_of_a_suite() {
    let shared = Project::empty().file("evals/arraign.yaml", SHARED).file("evals/s.yaml", CASE);
    assert_eq!(score(&shared, "s"), json!(70.0));
    let own =
        format!("{CASE}weights: {{tool_accuracy: 0.2, output_quality: 0.5, sequence_correctness: 0.3}}");
    shared.write("evals/s.yaml", own);
    assert_eq!(score(&Project::empty().file("evals/s.yaml", CASE), "s"), json!(65.0));
    std::fs::remove_dir_all(shared.path("out")).expect("the verdicts");
    assert_eq!(score(&shared, "s"), json!(60.0));
}

#[test]
fn wrong_weights_for_all_suites_are_shown_where_they_stand() {
    let wrong = "weights: {tool_acuracy: 0.3, output_quality: .nan}";
    let ran = Project::empty().file("evals/arraign.yaml", wrong).file("evals/s.yaml", CASE).run(&[]);
    assert_eq!(ran.code, Some(2));
    for part in [
        "nothing called `tool_acuracy` is scored",
        "did you mean `tool_accuracy`?",
        "evals/arraign.yaml:1:11",
        "expected a number from 0 to 1, found `NaN`",
        "evals/arraign.yaml:1:46",
    ] {
        assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
    }
}

#[test]
fn weights_for_all_suites_that_are_not_1_are_said_at_each_case() {
    let wrong = "weights: {tool_accuracy: 0.5}";
    let ran = Project::empty().file("evals/arraign.yaml", wrong).file("evals/s.yaml", CASE).run(&[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("the weights are 1.2 together, not 1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("evals/s.yaml:1:11"), "{}", ran.stderr);
}

#[test]
fn ten_thousand_runs_are_one_trial() {
    let case = "expected: {tools: [a], output: {contains: [x]}}
thresholds: {min_score: 80, variance: {runs: 10000, pass_rate: 0.99, max_std_dev: 1}}
trace: traces/*.json
timeout: 600s
";
    let project = Project::empty().file("evals/s.yaml", case);
    for run in 0..10_000 {
        project.write(&format!("evals/traces/{run}.json"), r#"{"calls": ["a"], "answer": "x"}"#);
    }
    let ran = project.run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(project.verdict("s")["statistics"]["passed"], 10_000);
}

#[test]
fn many_broken_runs_are_not_all_shown() {
    let project =
        Project::empty().file("evals/s.yaml", "{expect: [{contains: x}], trace: traces/runs.jsonl}");
    project.write("evals/traces/runs.jsonl", "{\"calls\": [\"a\"], \"answer\": \"y\"}\n".repeat(1000));
    let ran = project.run(&[]);
    assert_eq!(ran.code, Some(101), "{ran:?}");
    assert!(ran.stdout.contains("... and 980 more failed checks"), "{}", ran.stdout);
    assert!(ran.stdout.len() < 20_000, "{}", ran.stdout.len());
}

#[test]
fn a_suite_may_say_for_some_cases_what_is_nothing_to_others() {
    let suite = "weights: {tool_accuracy: 0.5, output_quality: 0.3, sequence_correctness: 0.2}
defaults:
  thresholds: {min_score: 80}
  adapter_config: {sequence_mode: exact}
  max_unsupported: 1
  output_assertions: score
  trace: {calls: [a], answer: x}
tests:
  - {id: scored, expected: {tools: [a], output: {contains: [x]}}}
  - {id: not_scored, metric: tool_blocklist, blocklist: [rm]}
";
    let ran = Project::empty().file("evals/s.yaml", suite).run(&[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn a_violation_in_a_turn_shows_that_turn() {
    let case = "turns:\n  - {query: first, expected: {output: {contains: [c]}}}\n  - {query: second, expected: {output: {contains: [b]}}}\n\
                thresholds: {min_score: 50}\nweights: {tool_accuracy: 0, output_quality: 1, sequence_correctness: 0}\n\
                trace: [{user: first}, {call: look, args: {}}, {say: a}, {user: second}, {say: b}]\n";
    let ran = Project::empty().file("evals/s.yaml", case).run(&[]).exits(101);
    ran.says("turn 1: the answer does not contain \"c\"").says("user      \"first\"").says("reply     \"a\"");
    let first = Project::empty().file("evals/s.yaml", case).run(&[]).exits(101);
    assert!(!first.stdout.contains("reply     \"b\""), "{}", first.stdout);
}
