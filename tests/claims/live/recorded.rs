//! Runs that are recorded, and replayed.

use super::{LIVE, RECORD, asks};
use crate::project::{Project, Ran, suite};
use arraign::json::{self, Json};

#[test]
fn a_missing_recording_is_an_error_that_names_the_command() {
    let project = Project::of(&[asks("a", "looks", "")]);
    let ran = project.run(&[]).exits(101).says("error[trial]: no recorded run of the agent");
    ran.says("no trace: the case names none, the `defaults` of its suite name none, and none is at evals/traces/s/a.*")
        .says("record one: ARRAIGN_AGENT_MODE=record cargo test --test subject -- --exact s::a")
        .says("--> evals/s.yaml:4:12");
    assert_eq!(project.verdict("s::a")["status"], "error");
}

/// What a verdict says of its runs and findings, without times.
fn said(project: &Project, name: &str) -> (Json, Json) {
    let mut verdict = project.verdict(name);
    for finding in verdict["findings"].as_array_mut().expect("findings") {
        finding["duration_ms"].take();
    }
    (verdict["runs"].take(), verdict["findings"].take())
}

#[test]
fn a_recorded_run_replays_to_the_same_verdict() {
    let project = Project::of(&[asks("a", "looks", ""), asks("b", "deletes", "")]);
    project.run_with(&[RECORD], &[]).exits(101);
    assert_eq!(project.files("evals/traces"), ["evals/traces/s/a.json", "evals/traces/s/b.json"]);
    let recorded = ["s::a", "s::b"].map(|name| said(&project, name));
    project
        .run_with(&[("ARRAIGN_OUT", "other")], &[])
        .exits(101)
        .says("evals/traces/s/b.json (native, 1 call)");
    let again = Project::of(&[asks("a", "looks", ""), asks("b", "deletes", "")]);
    for file in project.files("evals/traces") {
        again.write(&file, project.read(&file));
    }
    again.run(&[]).exits(101);
    assert_eq!(recorded, ["s::a", "s::b"].map(|name| said(&again, name)));
}

#[test]
fn a_replay_rests_on_the_evidence_that_was_recorded() {
    let project = Project::of(&[asks("a", "looks", "")]);
    let judged = |variables: &[(&str, &str)]| {
        project.run_with(variables, &[]).exits(0);
        let verdict = project.verdict("s::a");
        std::fs::remove_dir_all(project.path("out")).expect("the verdicts");
        (verdict["live"].clone(), verdict["runs"][0]["evidence_hash"].clone())
    };
    let (live, recorded) = judged(&[RECORD]);
    assert_eq!(live, true);
    let (live, replayed) = judged(&[]);
    assert_eq!((live.is_null(), &replayed), (true, &recorded));
    // A fresh recording is not made again.
    assert_eq!(judged(&[RECORD]), (Json::Null, recorded.clone()));
    let (live, asked) = judged(&[LIVE]);
    assert!(live == true && asked != recorded, "{asked}");
}

#[test]
fn a_run_of_a_case_with_a_long_id_is_recorded_under_a_short_name() {
    let one = "x".repeat(300);
    let other = format!("{}y", "x".repeat(299));
    let project = Project::of(&[asks(&one, "looks", ""), asks(&other, "looks", "")]);
    project.run_with(&[RECORD], &[]).exits(0);
    let recorded = project.files("evals/traces");
    assert!(recorded.len() == 2 && recorded.iter().all(|file| file.len() < 160), "{recorded:?}");
    project.run(&[]).exits(0);
}

#[test]
fn two_cases_whose_recordings_differ_in_case_only_are_refused() {
    let project = Project::of(&[asks("order", "looks", ""), asks("Order", "looks", "")]);
    let ran = project.run_with(&[RECORD], &[]).exits(2);
    ran.complains("this case and `s::order` would both be recorded to evals/traces/s/Order.json");
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

#[test]
fn live_keeps_nothing() {
    let project = Project::of(&[asks("a", "looks", "")]);
    project.run_with(&[LIVE], &[]).exits(0);
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

#[test]
fn several_runs_are_recorded_each() {
    let project = Project::of(&[asks("a", "looks", "")]);
    project.run_with(&[RECORD], &[]).exits(0);
    // What one run has left does not stand for several.
    project.write("evals/s.yaml", format!("tests:\n{}", asks("a", "looks", "repeat: 2")));
    let ran = project.run(&[]).exits(101).says("`repeat` asks for 2 runs, and 1 is recorded");
    ran.says("record one: ARRAIGN_AGENT_MODE=record");
    project.run_with(&[RECORD], &[]).exits(0);
    let files = ["evals/traces/s/a.json", "evals/traces/s/a/1.json", "evals/traces/s/a/2.json"];
    assert_eq!(project.files("evals/traces"), files);
    project.run_with(&[("ARRAIGN_OUT", "again")], &[]).exits(0);
    let second: Json = json::from_str(&project.read(files[2])).expect("JSON");
    assert_eq!(second["answer"], "run 2 of a");
}

#[test]
fn an_agent_that_fails_leaves_the_earlier_recording() {
    let project =
        Project::of(&[asks("a", "errs", "")]).file("evals/traces/s/a.json", "{\"calls\": [\"look\"]}");
    project.run_with(&[RECORD], &[]).exits(101).says("the model refused");
    project.run(&[]).exits(0);
    assert_eq!(project.files("evals/traces"), ["evals/traces/s/a.json"]);
}

#[test]
fn a_trace_names_the_place_of_the_recording() {
    let project = Project::of(&[asks("a", "looks", "trace: 'traces/{suite}-{id}.json'")]);
    project.run_with(&[RECORD], &[]).exits(0);
    assert_eq!(project.files("evals/traces"), ["evals/traces/s-a.json"]);
    project.run(&[]).exits(0);
    let beside = Project::of(&[asks("a", "looks", "trace: runs/a.json")]);
    let ran = beside.run_with(&[RECORD], &[]).exits(101);
    ran.says("recorded in `runs/a.json`, the run would be read as a case: name a file below `traces/`");
}

#[test]
fn a_case_with_a_trace_of_its_own_asks_no_agent_of_its_suite() {
    let text = "agent: panics\ntests:\n  - {id: a, trace: t.jsonl, expect: [{tool_blocklist: [rm]}]}\n";
    let trace = "{\"calls\": [\"look\"]}\n{\"calls\": [\"look\"]}\n";
    let project = Project::empty().file("evals/s.yaml", text).file("evals/t.jsonl", trace);
    // A list of runs would be a file of cases, too.
    let project = project.file("evals/.arraignignore", "t.jsonl\n");
    project.run_with(&[RECORD], &[]).exits(0).says_nothing_on_stderr();
    assert_eq!(project.read("evals/t.jsonl"), trace);
}

#[test]
fn two_cases_are_not_recorded_in_one_file() {
    let cases = [asks("a", "looks", ""), asks("b", "looks", "")];
    let project = Project::empty();
    project.write("evals/s.yaml", format!("defaults: {{trace: traces/t.json}}\n{}", suite(&cases)));
    let ran = project.run_with(&[RECORD], &[]).exits(2);
    ran.complains("this case and `s::a` would both be recorded to evals/traces/t.json");
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

#[test]
fn an_id_cannot_lead_a_recording_elsewhere() {
    let cases = [asks("'..'", "looks", ""), asks("../../x", "looks", ""), asks("a.b", "looks", "")];
    let project = Project::of(&cases);
    project.run_with(&[RECORD], &[]).exits(0);
    let files = ["evals/traces/s/.._.._x.json", "evals/traces/s/__.json", "evals/traces/s/a.b.json"];
    assert_eq!(project.files("evals/traces"), files);
    project.run(&[]).exits(0);
    let ran: Ran = linked();
    ran.says("leaves the eval root");
}

#[cfg(unix)]
fn linked() -> Ran {
    let project = Project::of(&[asks("a", "looks", "")]);
    std::fs::create_dir(project.path("elsewhere")).expect("a folder");
    std::os::unix::fs::symlink(project.path("elsewhere"), project.path("evals/traces")).expect("a link");
    let ran = project.run_with(&[RECORD], &[]).exits(101);
    assert!(project.files("elsewhere").is_empty());
    ran
}

#[cfg(not(unix))]
fn linked() -> Ran {
    Ran { code: None, stdout: "leaves the eval root".to_owned(), stderr: String::new() }
}

#[test]
fn an_error_is_a_golden_rows_zero() {
    let row = "- {id: a, input: What is the price?, agent: errs, expected_tools: [look], criteria: {tool_called: true}}\n";
    let project = Project::empty().file("evals/s.yaml", row);
    project.run_with(&[LIVE], &[]).exits(101).says("the model refused");
    let verdict = project.verdict("s::a");
    assert_eq!((verdict["status"].as_str(), verdict["score"].as_f64()), (Some("error"), Some(0.0)));
}

/// 0 would be a guess, where the agent has not run; a recording that is broken is another matter.
#[test]
fn a_gate_over_an_agent_that_never_ran_is_undecided() {
    let project = Project::empty();
    let cases = suite(&[asks("a", "looks", ""), asks("b", "looks", "")]);
    project.write("evals/s.yaml", format!("gate: {{mean: 0.9}}\n{cases}"));
    let gate = |out: &str| {
        let ran = project.run_with(&[("ARRAIGN_OUT", out)], &["pass_threshold"]).exits(101);
        (ran, project.verdict("s::pass_threshold")["status"].clone())
    };
    let (ran, status) = gate("out");
    assert_eq!(status, "undecided");
    ran.says("undecided: the mean is unknown: 2 of 2 cases undecided (`s::a`, `s::b`)");
    for id in ["a", "b"] {
        project.write(&format!("evals/traces/s/{id}.json"), "{");
    }
    std::fs::remove_dir_all(project.path("out")).expect("the first verdict");
    let (ran, status) = gate("out");
    assert_eq!(status, "fail");
    ran.says("the mean score of 2 cases is 0, below `mean: 0.9`");
    project.run_with(&[LIVE], &[]).exits(0).says("3 passed");
}

/// Each case is asked once, and its gate sees that answer.
#[test]
fn a_gate_holds_the_very_runs_of_its_cases() {
    let project = Project::empty();
    let gated = |agent: &str| {
        format!("gate: {{mean: 0.9}}\n{}", suite(&[asks("a", agent, ""), asks("b", "looks", "")]))
    };
    project.write("evals/s.yaml", gated("looks"));
    project.run_with(&[LIVE], &[]).exits(0).says("3 passed");
    project.write("evals/s.yaml", gated("deletes"));
    project.run_with(&[RECORD, ("ARRAIGN_OUT", "other")], &[]).exits(101).says("1 passed; 2 failed");
    project.run_with(&[("ARRAIGN_OUT", "again")], &["pass_threshold"]).exits(101).says("0 passed; 1 failed");
}
