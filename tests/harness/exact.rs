//! `--exact`: nextest starts a process a trial, so one opens the file that the name points at and nothing else.

use std::process::Command;

use libtest_mimic::Trial;

use crate::claim;
use crate::project::{Project, Ran, green, red};

pub(crate) fn claims() -> Vec<Trial> {
    vec![
        claim(a_broken_sibling_changes_nothing),
        claim(one_file_is_opened_and_no_folder_is_listed),
        claim(a_missing_name_is_no_trial),
        claim(a_missing_name_fails_under_nextest),
        claim(a_name_in_a_broken_file_fails_with_its_mistakes),
        claim(a_name_of_a_support_folder_is_no_trial),
        claim(a_name_never_leaves_the_folder),
        claim(a_case_of_another_tier_is_said_to_be),
    ]
}

fn with_broken_sibling() -> Project {
    Project::of(&[green("a"), red("b")])
        .file("evals/broken.yaml", "tests: [")
        .file("evals/s/other.yaml", "tests: [")
        .file("evals/.arraignignore", "[")
        .file("evals/snapshots/s.gone.snap", "---\n---\nx\n")
}

fn a_broken_sibling_changes_nothing() {
    let project = with_broken_sibling();
    project.run(&[]).exits(2);
    project.run(&["--exact", "s::a"]).exits(0).says("1 passed").says_nothing_on_stderr();
    project.run(&["--exact", "s::b"]).exits(101).says("`rm` is blocked").says_nothing_on_stderr();
    project.run(&["--exact", "s::a", "s::b"]).exits(101).says("1 passed; 1 failed").says_nothing_on_stderr();
}

#[expect(clippy::print_stderr, reason = "a test that could not be made says so")]
fn one_file_is_opened_and_no_folder_is_listed() {
    let probe = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("skipped: strace is not installed, or may not trace here");
        return;
    }
    let project = with_broken_sibling();
    let log = opens_and_listings(&project, &["--exact", "s::a"]);
    let evals = project.path("evals").to_string_lossy().into_owned();
    let touched: Vec<&str> = log.lines().filter(|line| line.contains(&evals)).collect();
    let [only] = touched.as_slice() else { panic!("not one file is touched:\n{}", touched.join("\n")) };
    assert!(only.contains(&format!("\"{evals}/s.yaml\"")), "{only}");
    let package = project.path("").to_string_lossy().into_owned();
    assert!(!log.lines().any(|line| line.contains("getdents") && line.contains(&package)), "{log}");
    // The trace would show them: a run of everything lists the folder.
    assert!(opens_and_listings(&Project::of(&[green("a")]), &[]).contains("getdents"));
}

/// The system calls of a run that open a file or list a folder.
fn opens_and_listings(project: &Project, arguments: &[&str]) -> String {
    let subject = project.command(arguments);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-qq", "-y", "-e", "trace=?open,openat,?openat2,?getdents,getdents64", "-o"]);
    traced.arg(project.path("strace")).arg(subject.get_program()).args(subject.get_args());
    for (name, value) in subject.get_envs() {
        match value {
            Some(value) => traced.env(name, value),
            None => traced.env_remove(name),
        };
    }
    Ran::of(traced.current_dir(project.path(""))).exits(0);
    project.read("strace")
}

fn a_missing_name_is_no_trial() {
    let project = with_broken_sibling();
    for name in ["s::gone", "gone", "s::a::run_1", "", "::", "s::a::b::c::d"] {
        project.run(&["--exact", name]).exits(0).says("running 0 tests").says_nothing_on_stderr();
    }
    project.run(&["--exact", "s::a", "s::gone", "s::a"]).exits(0).says("running 1 test\n");
}

fn a_missing_name_fails_under_nextest() {
    let project = with_broken_sibling();
    let ran = project.run_with(&[("NEXTEST", "1")], &["--exact", "s::gone", "--nocapture"]).exits(101);
    assert_eq!(ran.stdout, "");
    ran.complains("error: no trial is called `s::gone`");
}

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

fn a_name_never_leaves_the_folder() {
    let one = "{id: a, trace: {calls: [look]}, expect: [{tool_blocklist: [rm]}]}";
    let project = Project::of(&[green("a")]).file("x.yaml", one);
    let absolute = project.path("x").to_string_lossy().replace('/', "%2F");
    for name in ["..::x::a", "%2E%2E::x::a", "%2E%2E%2Fx::a", "s::..::..::x::a", &format!("{absolute}::a")] {
        project.run(&["--exact", name]).exits(0).says("running 0 tests").says_nothing_on_stderr();
    }
}

fn a_case_of_another_tier_is_said_to_be() {
    let project = Project::of(&[green("a")]);
    let ran = project.run_with(&[("ARRAIGN_TIER", "smoke"), ("NEXTEST", "1")], &["--exact", "s::a"]);
    ran.exits(101).complains("no trial is called `s::a`: no case has the wanted tier or tag");
}
