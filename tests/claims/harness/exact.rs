//! `--exact`: nextest starts a process a trial, so one opens the file that the name points at and nothing else.

use crate::project::{Project, green, red};

fn with_broken_sibling() -> Project {
    Project::of(&[green("a"), red("b")])
        .file("evals/broken.yaml", "tests: [")
        .file("evals/s/other.yaml", "tests: [")
        .file("evals/.arraignignore", "[")
        .file("evals/snapshots/s.gone.snap", "---\n---\nx\n")
}

#[test]
fn a_broken_sibling_changes_nothing() {
    let project = with_broken_sibling();
    project.run(&[]).exits(2);
    project.run(&["--exact", "s::a"]).exits(0).says("1 passed").says_nothing_on_stderr();
    project.run(&["--exact", "s::b"]).exits(101).says("`rm` is blocked").says_nothing_on_stderr();
    project.run(&["--exact", "s::a", "s::b"]).exits(101).says("1 passed; 1 failed").says_nothing_on_stderr();
}

#[test]
fn a_missing_name_is_no_trial() {
    let project = with_broken_sibling();
    for name in ["s::gone", "gone", "s::a::run_1", "", "::", "s::a::b::c::d"] {
        let ran = project.run(&["--exact", name]).exits(0).says("running 0 tests");
        ran.complains(&format!("arraign: no trial is called `{name}`"));
    }
    project.run(&["--exact", "s::a", "s::gone", "s::a"]).exits(0).says("running 1 test\n");
}

#[test]
fn a_missing_name_fails_under_nextest() {
    let project = with_broken_sibling();
    let ran = project.run_with(&[("NEXTEST", "1")], &["--exact", "s::gone", "--nocapture"]).exits(101);
    assert_eq!(ran.stdout, "");
    ran.complains("error: no trial is called `s::gone`");
}

#[test]
fn a_name_in_a_broken_file_fails_with_its_mistakes() {
    let project = Project::of(&[red("b")]).file("evals/typo.yaml", "{id: a, metric: tool_blocklis, tier: 7}");
    let ran = project.run(&["--exact", "typo::a"]).exits(101).says_nothing_on_stderr();
    assert_eq!(ran.names(), ["typo::a"]);
    ran.says("error: unknown metric `tool_blocklis`")
        .says("--> evals/typo.yaml:1:17")
        .says("did you mean `tool_blocklist`?")
        .says("--> evals/typo.yaml:1:38")
        .says("0 passed; 1 failed");
    let two = project.run(&["--exact", "typo::a", "s::b"]).exits(101);
    assert_eq!(two.names(), ["s::b", "typo::a"]);
}

#[test]
fn a_name_of_a_support_folder_is_no_trial() {
    let one = "{id: a, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let project = Project::of(&[green("a")])
        .file("evals/traces/x.yaml", one)
        .file("evals/.hidden/x.yaml", one)
        .file("evals/arraign.yaml", "{}");
    assert_eq!(project.run(&["--list"]).exits(0).names(), ["s::a"]);
    for name in ["traces::x::a", ".hidden::x::a", "arraign::a"] {
        project.run(&["--exact", name]).exits(0).says("running 0 tests");
    }
}

#[test]
fn a_name_never_leaves_the_folder() {
    let one = "{id: a, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let project = Project::of(&[green("a")]).file("x.yaml", one);
    let absolute = project.path("x").to_string_lossy().replace('/', "%2F");
    for name in ["..::x::a", "%2E%2E::x::a", "%2E%2E%2Fx::a", "s::..::..::x::a", &format!("{absolute}::a")] {
        let ran = project.run(&["--exact", name]).exits(0).says("running 0 tests");
        ran.complains(&format!("arraign: no trial is called `{name}`"));
    }
}

#[test]
fn a_case_of_another_tier_is_said_to_be() {
    let project = Project::of(&[green("a")]);
    let ran = project.run_with(&[("ARRAIGN_TIER", "smoke"), ("NEXTEST", "1")], &["--exact", "s::a"]);
    ran.exits(101).complains("no trial is called `s::a`: no case has the wanted tier or tag");
}
