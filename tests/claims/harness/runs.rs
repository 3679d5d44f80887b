//! Traces that hold several runs: one trial for all, one for each, or one of them.

use crate::project::{Project, suite};
use arraign::json::{Json, json};

const RUNS: &str = r#"{"id": "first", "calls": ["look"]}
{"id": "second", "calls": ["rm"]}
{"id": "third", "calls": ["look"]}
"#;

fn with(trace: &str, more: &str) -> Project {
    let case = format!("  - {{id: a, trace: {trace}, expect: [{{tool_blocklist: [rm]}}]{more}}}\n");
    Project::empty().file("evals/s.yaml", suite(&[case])).file("evals/traces/runs.jsonl", RUNS)
}

fn each() -> Project {
    with("{file: traces/runs.jsonl, each: true}", "")
}

#[test]
fn each_run_is_a_trial_of_its_own() {
    let project = each();
    let list = project.run(&["--list"]).exits(0);
    assert_eq!(list.names(), ["s::a::run_1", "s::a::run_2", "s::a::run_3"]);
    let ran = project.run(&[]).exits(101).says("2 passed; 1 failed");
    assert_eq!(ran.results()["s::a::run_2"], "FAILED");
    ran.says("evals/traces/runs.jsonl (native, 1 call, run second)").says("--exact s::a::run_2");
    assert_eq!(project.verdict("s::a::run_1")["runs"][0]["id"], "first");
}

#[test]
fn each_run_has_its_own_name_under_exact() {
    let project = each();
    let one = project.run(&["--exact", "s::a::run_2", "--nocapture"]).exits(101);
    assert_eq!(one.names(), ["s::a::run_2"]);
    project.run(&["--exact", "s::a::run_3"]).exits(0).says("1 passed");
    for name in ["s::a", "s::a::run_0", "s::a::run_4", "s::a::run_01", "s::a::run_x", "s::a::run_1::x"] {
        project.run(&["--exact", name]).exits(0).says("running 0 tests");
    }
}

#[test]
fn all_runs_of_a_file_must_hold() {
    let project = with("traces/runs.jsonl", "");
    let ran = project.run(&[]).exits(101).says("0 passed; 1 failed").says("run second");
    assert_eq!(ran.names(), ["s::a"]);
    assert_eq!(project.verdict("s::a")["runs"].as_array().map(<[Json]>::len), Some(3));
}

#[test]
fn one_run_is_picked_by_index_or_id() {
    for (run, code) in [("1", 0), ("2", 101), ("second", 101), ("third", 0)] {
        with(&format!("{{file: traces/runs.jsonl, run: {run}}}"), "").run(&[]).exits(code);
    }
    let gone = with("{file: traces/runs.jsonl, run: 4}", "").run(&[]).exits(101);
    gone.says("no run `4`: the file holds 3, counted from 1");
}

#[test]
fn a_file_that_cannot_be_counted_is_a_mistake_at_its_place() {
    let project = with("{file: traces/gone.jsonl, each: true}", "");
    let list = project.run(&["--list"]).exits(2).complains("no such file").complains("--> evals/s.yaml:2:20");
    assert_eq!(list.stdout, "");
    project.run(&["--exact", "s::a::run_1"]).exits(101).says("no such file").says("--> evals/s.yaml:2:20");
}

#[test]
fn a_file_may_not_be_called_like_a_run() {
    let project = each();
    project.write("evals/s/a/run_2.yaml", "{trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}");
    let ran = project.run(&["--list"]).exits(2);
    ran.complains("two cases make the trial `s::a::run_2`").complains("evals/s/a/run_2.yaml:1:1");
}

#[test]
fn each_run_has_a_snapshot() {
    let project = with("{file: traces/runs.jsonl, each: true}", ", snapshot: true");
    project.run_with(&[("INSTA_UPDATE", "always")], &[]).exits(0);
    let snapshots = ["s.a.run_1.snap", "s.a.run_2.snap", "s.a.run_3.snap"];
    assert_eq!(project.files("evals/snapshots"), snapshots.map(|name| format!("evals/snapshots/{name}")));
    project.run(&[]).exits(0).complains("s::a::run_2: pinned: 1 violation");
    project.write("evals/traces/runs.jsonl", RUNS.replace("rm", "look"));
    let ran = project.run(&[]).exits(101).says("2 passed; 1 failed");
    assert_eq!(ran.results()["s::a::run_2"], "FAILED");
}

#[test]
fn a_glob_gives_the_runs_in_natural_order() {
    let project = with("\"traces/n/*.json\"", "");
    for n in [10, 9, 1] {
        project.write(
            &format!("evals/traces/n/run_{n}.json"),
            format!("{{\"id\": \"r{n}\", \"calls\": [\"look\"]}}"),
        );
    }
    project.run(&[]).exits(0).says("1 passed");
    let runs = project.verdict("s::a")["runs"].clone();
    let ids: Vec<&str> = runs.as_array().expect("runs").iter().filter_map(|run| run["id"].as_str()).collect();
    assert_eq!(ids, ["r1", "r9", "r10"]);
}

#[test]
fn a_run_that_cannot_be_read_fails_its_own_trial_alone() {
    let project = each();
    project
        .write("evals/traces/runs.jsonl", RUNS.replace("\"rm\"", r#"{"call": "rm", "exit_code": "nine"}"#));
    let ran = project.run(&[]).exits(101).says("2 passed; 1 failed").says("runs.jsonl: native: line 2: ");
    assert_eq!(ran.results()["s::a::run_2"], "FAILED");
    project.run(&["--exact", "s::a::run_3"]).exits(0).says("1 passed");
}

/// A case with a trial for each run of several files.
fn each_of_folder() -> Project {
    let case = "id: a\ntrace: {file: 'traces/**/*.json*', each: true}\nexpect: [{tool_blocklist: [rm]}]\n";
    let run = |id: &str, tool: &str| json!({"id": id, "calls": [tool]}).to_string();
    Project::empty()
        .file("evals/rules.yaml", format!("tests:\n- {}", case.trim_end().replace('\n', "\n  ")))
        .file("evals/traces/conv_5.json", run("x", "look"))
        .file("evals/traces/conv_10.json", run("x", "rm"))
        .file("evals/traces/2026/log.jsonl", [run("one", "look"), run("two", "rm")].join("\n"))
        .file("evals/traces/same.jsonl", [run("one", "look"), run("one", "rm")].join("\n"))
}

#[test]
fn the_trials_of_a_glob_are_named_after_their_files() {
    let project = each_of_folder();
    let names = [
        "rules::a::2026::log[one]",
        "rules::a::2026::log[two]",
        "rules::a::conv_5",
        "rules::a::conv_10",
        "rules::a::same[1]",
        "rules::a::same[2]",
    ];
    assert_eq!(project.run(&["--list"]).exits(0).names(), names);
    for (name, code) in [(names[0], 0), (names[1], 101), (names[2], 0), (names[3], 101), (names[5], 101)] {
        let one = project.run(&["--exact", name, "--nocapture"]).exits(code);
        assert_eq!(one.names(), [name]);
    }
    std::fs::remove_file(project.path("evals/traces/conv_5.json")).expect("it is deleted");
    let kept: Vec<&str> = names.into_iter().filter(|name| !name.ends_with("conv_5")).collect();
    assert_eq!(project.run(&["--list"]).exits(0).names(), kept);
}

#[test]
fn two_files_that_make_one_trial_are_a_mistake() {
    let project = each_of_folder().file("evals/traces/conv_5.jsonl", r#"{"calls": ["look"]}"#);
    let ran = project.run(&["--list"]).exits(2);
    ran.complains("two traces make the trial `rules::a::conv_5`, one of them is evals/traces/conv_5.jsonl");
}

#[test]
fn runs_that_repeat_leaves_out_are_counted() {
    let project = with("traces/runs.jsonl", ", repeat: 1");
    project.run(&[]).exits(0);
    assert_eq!(project.verdict("s::a")["runs_left_out"], 2);
}
