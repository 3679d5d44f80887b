//! `judge:` what may be said of it, and what is told of a slip.

use super::{LIVE, asks};
use crate::project::{Project, suite};

fn with_judge(judge: &str) -> Project {
    Project::of(&[asks("a", "please wait", "")]).file("evals/arraign.yaml", judge)
}

#[test]
fn a_slip_is_told_with_its_place() {
    let ran = with_judge("judge: {modle: m}").run(&[]).exits(2);
    ran.complains("evals/arraign.yaml:1:9").complains("did you mean `model`?");
    let project = Project::empty();
    project.write("evals/s.yaml", format!("judge: {{votes: 2}}\n{}", suite(&[asks("a", "b", "")])));
    project.run(&[]).exits(2).complains("`votes` is an odd number up to 9").complains("evals/s.yaml:1:16");
}

#[test]
fn a_judge_needs_a_model() {
    let ran = with_judge("judge: {votes: 3}").run(&[]).exits(2);
    ran.complains("`judge` has no `model`, and the harness has no judge of its own")
        .complains("evals/arraign.yaml:1:8");
    let ran = with_judge("judge: {votes: 3}").run(&["--exact", "s::a"]).exits(101);
    ran.says("`judge` has no `model`");
}

#[test]
fn nobody_to_ask_says_how_to_name_one() {
    let ran = Project::of(&[asks("a", "please wait", "")]).run(&[]).exits(101);
    ran.says("there is no opinion on `polite`")
        .says("no judge is configured: name its `model` under `judge`");
}

#[test]
fn a_named_judge_without_recordings_is_undecided() {
    let ran = with_judge("judge: {model: m}").run(&[]).exits(101);
    ran.says("there is no recording").says("ARRAIGN_JUDGE=record");
    with_judge("judge: {model: m}").run(&["--list"]).exits(0);
}

#[test]
fn outside_of_a_harness_nothing_stands_in_for_a_named_judge() {
    let text = "{tests: [{id: a, expect: [{output_quality: {min: 1, assertions: [{contains: x}]}}]}]}";
    let trace = arraign::Trace { answer: Some("x".to_owned()), ..arraign::Trace::default() };
    let status = |text: &str| {
        let suite = arraign::Harness::new("evals").parse(text).expect("a suite");
        arraign::evaluate(&suite.cases[0], &trace).status
    };
    assert_eq!(status(text), arraign::Status::Pass);
    assert_eq!(status(&text.replacen('{', "{judge: {model: m}, ", 1)), arraign::Status::Undecided);
}

#[test]
fn asking_a_server_needs_its_key() {
    let ran = with_judge("judge: {model: m, key_env: NO_SUCH_KEY}").run_with(&[LIVE], &[]).exits(2);
    ran.complains("the judge has no API key: set the variable NO_SUCH_KEY")
        .complains("evals/arraign.yaml:1:8");
}
