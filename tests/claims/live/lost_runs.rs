//! One of several runs that the agent does not give: the others keep their results, and it counts as no success.

use super::{LIVE, RECORD, asks, shell};
use crate::project::Project;
use arraign::__internals::report::comparison::{
    ComparedRun, ComparisonReport, ComparisonSettings, TrialStates,
};
use arraign::__internals::score::paired::PairedSettings;
use arraign::Verdict;
use arraign::json::{self, Json};

/// An agent that crashes in its second run, as long as nobody mends it.
const CRASHES: &str = "grep -q '\"run\":2' && [ ! -e mended ] && { echo no key >&2; exit 4; }; echo '{\"calls\": [\"look\"], \"answer\": \"ok\"}'";

/// A case that asks this agent five times.
fn five_runs(script: &str, more: &str) -> Project {
    Project::of(&[asks("a", &shell(script), &format!("repeat: 5\n{more}"))])
}

fn list_statuses(verdict: &Json) -> Vec<String> {
    let runs = verdict["runs"].as_array().expect("runs");
    runs.iter().map(|run| run["status"].as_str().expect("a status").to_owned()).collect()
}

#[test]
fn the_other_runs_keep_their_results() {
    let project = five_runs(CRASHES, "");
    let ran = project.run_with(&[LIVE], &[]).exits(101);
    ran.says("run 2: the agent `sh` failed: it exited with code 4").says("no key");
    let verdict = project.verdict("s::a");
    assert_eq!(list_statuses(&verdict), ["pass", "error", "pass", "pass", "pass"]);
    assert_eq!(verdict["status"], "error");
    assert_eq!(verdict["errors"], Json::Null);
    assert_eq!(verdict["runs"][1].get("score"), None);
    assert_eq!(verdict["runs"][4]["answer"], "ok");
}

#[test]
fn a_violation_in_another_run_is_still_shown() {
    let script = "grep -q '\"run\":2' && exit 4; echo '{\"calls\": [\"rm\"]}'";
    five_runs(script, "")
        .run_with(&[LIVE], &[])
        .exits(101)
        .says("`rm` is blocked, but was called")
        .says("code 4");
}

/// A crash is a run that does not hold, whatever decides about several of them.
#[test]
fn a_share_of_the_runs_counts_a_crash_as_no_success() {
    for (variance, exit_code) in [
        ("pass_rate: 0.8", 0),
        ("pass_rate: 0.81", 101),
        ("pass_hat_k: {3: 0.4}", 0),
        ("pass_hat_k: {3: 0.41}", 101),
        ("pass_hat_k: {5: 0.1}", 101),
        ("pass_at_k: {2: 1}", 0),
        ("pass_at_k: {1: 0.9}", 101),
    ] {
        let project = five_runs(CRASHES, &format!("thresholds: {{variance: {{runs: 5, {variance}}}}}"));
        project.run_with(&[LIVE], &[]).exits(exit_code);
        let verdict = project.verdict("s::a");
        assert_eq!(verdict["status"], if exit_code == 0 { "pass" } else { "fail" }, "{variance}");
        assert_eq!(verdict["statistics"]["passed"], 4, "{variance}");
        assert_eq!(verdict["statistics"]["missing"], 1, "{variance}");
        let text = verdict.to_string();
        assert!(text.contains("run 2: the agent `sh` failed: it exited with code 4"), "{variance}: {text}");
    }
}

/// Nobody knows whether the gate would have held in the lost run.
#[test]
fn a_gate_is_not_passed_by_a_run_that_the_agent_did_not_give() {
    let more = "expected: {forbidden_tools: [rm]}\nthresholds: {variance: {runs: 5, pass_rate: 0.8}}";
    let project = five_runs(CRASHES, more);
    project.run_with(&[LIVE], &[]).exits(101).says("run 2: the agent `sh` failed: it exited with code 4");
    assert_eq!(project.verdict("s::a")["status"], "error");
    project.write("mended", "");
    project.run_with(&[LIVE], &[]).exits(0);
}

#[test]
fn without_any_run_the_case_is_an_error() {
    let variance = "thresholds: {variance: {runs: 5, pass_rate: 0.2}}";
    let project = five_runs("exit 4", variance);
    project.run_with(&[LIVE], &[]).exits(101).says("run 1: the agent `sh` failed: it exited with code 4");
    assert_eq!(project.verdict("s::a")["status"], "error");
}

/// The agent did not fail in a run that it was not asked for.
#[test]
fn runs_that_no_budget_is_left_for_are_undecided() {
    let script = "echo '{\"calls\": [\"look\"], \"cost_usd\": 1}'";
    for (pass_rate, exit_code, status) in [(0.6, 0, "pass"), (0.8, 101, "undecided")] {
        let project =
            five_runs(script, &format!("thresholds: {{variance: {{runs: 5, pass_rate: {pass_rate}}}}}"));
        project.write("evals/arraign.yaml", "agent_limits: {budget_usd: 3, at_once: 1}\n");
        project.run_with(&[LIVE], &[]).exits(exit_code);
        let verdict = project.verdict("s::a");
        assert_eq!(verdict["status"], status);
        assert!(verdict.to_string().contains("their budget is $3"), "{verdict}");
    }
}

#[test]
fn a_recording_keeps_the_other_runs_and_never_judges_an_older_one() {
    let project = five_runs("echo '{\"calls\": [\"look\"]}'", "");
    project.run_with(&[RECORD], &[]).exits(0);
    project.write("evals/s.yaml", format!("tests:\n{}", asks("a", &shell(CRASHES), "repeat: 5")));
    project
        .run_with(&[RECORD, ("ARRAIGN_OUT", "second")], &[])
        .exits(101)
        .says("run 2: the agent `sh` failed");
    let verdict = &project.verdicts("second")[0];
    assert_eq!(list_statuses(verdict), ["pass", "error", "pass", "pass", "pass"]);
    // Only the lost run is asked for again.
    project.write("mended", "");
    let ran = project.run_with(&[RECORD, ("ARRAIGN_OUT", "third")], &[]).exits(0);
    ran.complains("agents ran once; 4 recordings were fresh");
}

/// The comparison counts the runs that there are, and says how many there are not.
#[test]
fn a_variant_that_crashes_in_some_runs_is_not_no_worse() {
    let script = "i=$(cat); case $i in *'\"run\":2'*) [ -z \"$CRASHES\" ] || exit 4;; esac; echo '{\"calls\": [\"look\"]}'";
    let cases: Vec<String> = (0..30).map(|number| asks(&format!("c{number}"), "shop", "repeat: 5")).collect();
    let project = Project::of(&cases);
    project.write(
        "evals/arraign.yaml",
        format!("agents: {{shop: {}}}\nvariants: {{hasty: {{env: {{CRASHES: 'yes'}}}}}}\n", shell(script)),
    );
    project.run_with(&[LIVE, ("ARRAIGN_VARIANT", "all")], &[]).exits(101);
    let verdicts = project.verdicts("out");
    let trials: TrialStates = verdicts
        .iter()
        .map(|verdict| json::from_json(verdict.clone()).expect("a verdict"))
        .collect::<Vec<Verdict>>()
        .iter()
        .collect();
    let settings = ComparisonSettings {
        paired: PairedSettings { margin: Some(0.15), ..PairedSettings::default() },
        cluster: None,
    };
    let run = ComparedRun { name: "1-1", trials: &trials, is_incomplete: false };
    let report = ComparisonReport::compare_variants(run, &[], &settings).expect("two variants");
    let sentence = report.render_sentences().concat();
    assert!(
        sentence.contains("30 runs without a result in hasty would decide otherwise, if they had failed"),
        "{sentence}"
    );
    let comparison = &report.comparisons[0];
    assert_eq!((comparison.pairs, comparison.missing.len(), comparison.difference), (30, 0, Some(0.0)));
    let rows = report.render_rows();
    assert!(rows[0].contains(&"no result".to_owned()), "{rows:?}");
    assert!(rows[2].contains(&"30 runs".to_owned()), "{rows:?}");
}

#[test]
fn a_case_that_counts_more_runs_than_it_asks_for_says_what_to_write() {
    let variance = "thresholds: {variance: {runs: 5}}";
    let once = Project::of(&[asks("a", &shell("echo '{\"calls\": [\"look\"]}'"), variance)]);
    let ran = once.run_with(&[LIVE], &[]).exits(101);
    ran.says("`variance` counts 5 runs, and the agent is asked once: add `repeat: 5` to the case");
    let more = format!("repeat: 3\n{variance}");
    let thrice = Project::of(&[asks("a", &shell("echo '{\"calls\": [\"look\"]}'"), &more)]);
    let ran = thrice.run_with(&[LIVE], &[]).exits(101);
    ran.says("`variance` counts 5 runs, and `repeat: 3` asks for fewer: write `repeat: 5`, or `runs: 3`");
}
