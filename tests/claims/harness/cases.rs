//! What a case may say about its trial: ignored, a time limit, the verdict that is expected; and what becomes of
//! a check that panics.

use std::time::{Duration, Instant};

use crate::project::{Project, case, green, own, red, suite};

use arraign::json::{self, Json, json};

fn ignored() -> Project {
    Project::of(&[
        case("plain", "rm", "ignore: true"),
        case("because", "rm", "ignore: \"needs a \\e[1mkey\\n\""),
        case("never", "look", "ignore: false"),
    ])
}

#[test]
fn an_ignored_case_is_not_run_and_its_reason_is_shown() {
    let ran = ignored().run(&[]).exits(0).says("1 passed; 0 failed; 2 ignored");
    let results = ran.results();
    assert_eq!(results["s::plain"], "ignored");
    assert_eq!(results["s::because"], "ignored (needs a \\u{1b}[1mkey\\n)");
    assert_eq!(results["s::never"], "ok");
}

#[test]
fn ignored_cases_run_when_asked_for() {
    let only = ignored().run(&["--ignored"]).exits(101);
    assert_eq!(only.names(), ["s::because", "s::plain"]);
    let all = ignored().run(&["--include-ignored"]).exits(101).says("1 passed; 2 failed; 0 ignored");
    assert_eq!(all.names().len(), 3);
    let one = ignored().run(&["--exact", "s::because", "--nocapture", "--ignored"]).exits(101);
    assert_eq!(one.names(), ["s::because"]);
    ignored().run(&["--exact", "s::because"]).exits(0).says("1 ignored");
}

#[test]
fn a_case_out_of_time_is_an_error_within_its_limit() {
    let project = Project::of(&[own("slow", "sleeps: {ms: 20000}", "timeout: 100ms"), green("b")]);
    let started = Instant::now();
    let ran = project.run(&[]).exits(101);
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_eq!(ran.results()["s::b"], "ok");
    ran.says("error[trial]: timed out: the case's `timeout` is 100ms").says("--> evals/s.yaml:2:9");
    let verdict = project.verdict("s::slow");
    assert_eq!((&verdict["status"], &verdict["passed"]), (&"error".into(), &false.into()));
}

#[test]
fn a_case_in_time_is_not_disturbed() {
    Project::of(&[own("a", "sleeps: {ms: 1}", "timeout: 1m"), case("b", "rm", "timeout: 60000")])
        .run(&[])
        .exits(101)
        .says("1 passed; 1 failed")
        .says("`rm` is blocked");
}

#[test]
fn a_panicking_check_is_its_trials_error_only() {
    let project = Project::of(&[
        green("a"),
        own("b", "panics: {message: \"index 7 is out of bounds\"}", ""),
        own("c", "panics: {message: \"in time\"}", "timeout: 1m"),
        green("d"),
    ]);
    for threads in ["1", "4"] {
        let ran = project.run(&["--test-threads", threads]).exits(101).says_nothing_on_stderr();
        ran.says("2 passed; 2 failed")
            .says("error[panics]: the check panicked: index 7 is out of bounds")
            .says("error[panics]: the check panicked: in time");
    }
}

/// A check that talks to a process may meet a closed pipe; that is no reason to end the run.
#[test]
fn a_pipe_error_of_a_check_is_its_own() {
    let project =
        Project::of(&[own("a", "panics: {message: \"Broken pipe (os error 32)\"}", ""), green("b")]);
    let ran = project.run(&["--test-threads", "1"]).exits(101);
    assert_eq!(ran.results()["s::b"], "ok");
}

/// On one thread, the name of a trial is printed before the trial runs. What a check prints follows that name.
#[test]
fn what_a_check_prints_follows_the_name_of_its_trial() {
    let ids: Vec<String> = (10..40).map(|number| format!("t{number}")).collect();
    let cases: Vec<String> =
        ids.iter().map(|id| own(id, &format!("prints: {{line: of {id}}}"), "")).collect();
    let ran = Project::of(&cases).run(&["--test-threads", "1"]).exits(0);
    for id in ids {
        assert!(ran.stdout.contains(&format!("test s::{id} ... of {id}\nok\n")), "{}", ran.stdout);
    }
}

#[test]
fn each_expected_verdict_takes_that_one_only() {
    let verdicts = ["pass", "fail", "undecided", "error"];
    for expected in verdicts {
        let told =
            |id: &str| own(id, &format!("says: {{status: {id}}}"), &format!("expect_verdict: {expected}"));
        let project = Project::of(&verdicts.map(told));
        let ran = project.run(&[]).exits(101).says("1 passed; 3 failed");
        for (name, result) in ran.results() {
            let status = name.trim_start_matches("s::");
            assert_eq!(result == "ok", status == expected, "{name} where {expected} is expected");
            let verdict = project.verdict(name);
            assert_eq!((&verdict["status"], &verdict["expected"]), (&status.into(), &expected.into()));
            if status != expected && expected != "pass" {
                let said = format!("the verdict is `{status}`, but the case expects `{expected}`");
                assert!(ran.stdout.contains(&said), "{said}\n{}", ran.stdout);
            }
        }
        std::fs::remove_dir_all(project.path("out")).expect("the verdicts are removed");
    }
}

#[test]
fn out_of_time_may_be_expected() {
    Project::of(&[own("a", "sleeps: {ms: 20000}", "timeout: 50\nexpect_verdict: error")]).run(&[]).exits(0);
}

#[test]
fn a_missing_trace_is_an_error_that_names_the_places() {
    let lookup = "  - {id: a, expect: [{tool_blocklist: [rm]}]}\n".to_owned();
    let gone = "  - {id: b, trace: traces/gone.json, expect: [{tool_blocklist: [rm]}]}\n".to_owned();
    let project = Project::empty().file("evals/s.yaml", suite(&[lookup, gone, red("c")]));
    project
        .run(&[])
        .exits(101)
        .says("none is at evals/traces/s/a.* or evals/traces/a.*")
        .says("evals/traces/gone.json: no such file")
        .says("0 passed; 3 failed");
}

#[test]
fn a_verdict_keeps_the_data_of_its_case_and_no_secret_of_it() {
    let project = Project::empty().file(
        "evals/s.yaml",
        "defaults: {metadata: {team: shop, ticket: 1}}\ntests:\n  - id: a\n    metadata: {ticket: 2, api_key: a1b2c3d4e5}\n    \
         trace: {calls: [look]}\n    expect: [{tool_blocklist: [rm]}]\n",
    );
    project.run(&[]).exits(0);
    let log = project.files("out").into_iter().find(|file| file.contains(".jsonl")).expect("a log");
    let verdict: Json = json::from_str(&project.read(&log)).expect("a verdict");
    assert_eq!(verdict["metadata"], json!({"team": "shop", "ticket": 2, "api_key": "***"}));
}

#[test]
fn rules_without_an_occasion_are_told_after_the_run() {
    let rule = "rules: [{type: before, first: get_ordr, then: get_quot}]";
    let project = Project::empty().file(
        "evals/s.yaml",
        format!("tests:\n  - {{id: a, metric: sequence_valid, {rule}, trace: {{calls: [get_order]}}}}\n"),
    );
    let told = "arraign: 1 rule of `sequence_valid` was not exercised, in 1 case that passed";
    project.run(&[]).exits(0).complains(told);
    let red = Project::of(&[red("a")]).run(&[]).exits(101);
    assert!(!red.stderr.contains("exercised"), "{}", red.stderr);
}
