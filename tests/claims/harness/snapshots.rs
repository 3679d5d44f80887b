//! `snapshot: true`: insta's ways, decided by the harness.

use crate::project::{Project, Ran, case, green, red, suite};

const SNAPSHOT: &str = "evals/snapshots/s.b.snap";
const PENDING: &str = "evals/snapshots/s.b.snap.new";

fn pinned() -> String {
    case("b", "rm", "snapshot: true")
}

fn run(project: &Project, update: &str) -> Ran {
    project.run_with(&[("INSTA_UPDATE", update)], &[])
}

/// A package whose snapshot is written.
fn written() -> Project {
    let project = Project::of(&[pinned()]);
    run(&project, "always").exits(0);
    std::fs::remove_dir_all(project.path("out")).expect("the verdicts are removed");
    project
}

/// Now the tool is called twice.
fn change(project: &Project) {
    let text = project.read("evals/s.yaml");
    project.write("evals/s.yaml", text.replace("[\"rm\"]", "[\"rm\", \"rm\"]"));
}

#[test]
fn the_first_run_fails_with_a_pending_snapshot_and_the_diff() {
    let project = Project::of(&[pinned()]);
    let ran = project.run(&[]).exits(101);
    ran.says("error[snapshot]: the violations differ from the snapshot")
        .says("there is none yet; it would be")
        .says("message: \"`rm` is blocked, but was called\"")
        .says("cargo insta review");
    assert_eq!(project.files("evals"), ["evals/s.yaml", PENDING]);
    assert_eq!(project.verdict("s::b")["passed"], false);
}

#[test]
fn always_writes_and_passes_and_then_it_is_green() {
    let project = written();
    assert_eq!(project.files("evals"), ["evals/s.yaml", SNAPSHOT]);
    for update in ["auto", "no", "new"] {
        run(&project, update).exits(0).says("1 passed").says_nothing_on_stderr();
    }
    assert_eq!(project.files("evals"), ["evals/s.yaml", SNAPSHOT]);
}

#[test]
fn a_changed_violation_fails_with_the_diff() {
    let project = written();
    change(&project);
    let ran = project.run(&[]).exits(101).says("error[snapshot]");
    ran.says("-      - message: \"`rm` is blocked, but was called\"\n")
        .says("+      - message: \"`rm` is blocked, but was called 2 times\"\n");
    assert_eq!(project.files("evals/snapshots"), [SNAPSHOT, PENDING]);
    let verdict = project.verdict("s::b");
    assert!(verdict["snapshot_diff"].as_str().is_some_and(|diff| diff.contains("2 times")), "{verdict}");
    run(&project, "always").exits(0);
    project.run(&[]).exits(0);
}

#[test]
fn an_update_that_is_refused_writes_nothing() {
    let project = Project::of(&[pinned()]);
    run(&project, "no").exits(101).says("error[snapshot]");
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
    project.run_with(&[("CI", "true")], &[]).exits(101);
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

/// `cargo insta test` lets all trials pass and fails itself.
#[test]
fn forced_passes_are_not_passes_in_the_verdict() {
    let project = written();
    change(&project);
    project.run_with(&[("INSTA_FORCE_PASS", "1"), ("INSTA_UPDATE", "new")], &[]).exits(0).says("1 passed");
    assert_eq!(project.files("evals/snapshots"), [SNAPSHOT, PENDING]);
    assert_eq!(project.verdict("s::b")["passed"], false);
}

const EVENTS: [&str; 4] = ["-Z", "unstable-options", "--format=json", "--show-output"];

/// insta prints, and an IDE reads nothing but JSON.
#[test]
fn a_stream_of_events_stays_one() {
    let project = Project::of(&[pinned()]);
    for (variables, code) in
        [(&[][..], 101), (&[("INSTA_FORCE_PASS", "1")], 0), (&[("INSTA_UPDATE", "no")], 101)]
    {
        let ran = project.run_with(variables, &EVENTS).exits(code).says_nothing_on_stderr();
        for line in ran.stdout.lines() {
            serde_json::from_str::<serde_json::Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}

/// `cargo insta review` finds the same file, whichever way the trial was run.
#[test]
fn a_stream_of_events_leaves_what_insta_leaves() {
    let [by_insta, silently] = [&[][..], &EVENTS].map(|arguments| {
        let project = Project::of(&[pinned()]);
        project.run(arguments).exits(101);
        let pending = project.read(PENDING);
        project.run_with(&[("INSTA_UPDATE", "always")], arguments).exits(0);
        let origin = |text: &str| text.replace("\"evals/s.yaml\"", "evals/s.yaml");
        let texts = (origin(&pending), origin(&project.read(SNAPSHOT)));
        std::fs::rename(project.path(PENDING), project.path(SNAPSHOT)).expect("it is accepted");
        run(&project, "no").exits(0);
        texts
    });
    assert_eq!(silently, by_insta);
}

#[test]
fn a_snapshot_names_the_case_and_no_machine() {
    let project = written();
    let text = project.read(SNAPSHOT);
    assert!(text.contains("source: evals/s.yaml"), "{text}");
    assert!(text.contains("description: \"violations of s::b\""), "{text}");
    assert!(!text.contains(&*project.path("").to_string_lossy()), "{text}");
    assert!(!text.contains("duration"), "{text}");
}

#[test]
fn a_moved_case_changes_nothing() {
    let project = written();
    let text = project.read("evals/s.yaml");
    project.write("evals/s.yaml", format!("# a remark\n\n{text}"));
    project.run(&[]).exits(0);
}

#[test]
fn an_error_is_never_pinned() {
    let gone = "  - {id: b, trace: traces/gone.json, snapshot: true, expect: [{tool_blocklist: [rm]}]}\n";
    let project = Project::of(&[gone.to_owned()]);
    run(&project, "always").exits(101).says("no such file");
    assert_eq!(project.files("evals"), ["evals/s.yaml"]);
}

#[test]
fn orphans_are_named_after_a_run() {
    let project = written();
    project.write("evals/snapshots/s.gone.snap", "---\n---\nx\n");
    project.write("evals/deep/snapshots/t.snap", "---\n---\nx\n");
    project.write("evals/traces/not_a.snap", "x");
    let ran = project.run(&[]).exits(0);
    let orphans: Vec<&str> = ran.stderr.lines().filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(orphans, ["evals/deep/snapshots/t.snap", "evals/snapshots/s.gone.snap"]);
    for quiet in [&["--list"][..], &["--exact", "s::b"]] {
        project.run(quiet).exits(0).says_nothing_on_stderr();
    }
}

#[test]
fn a_filter_orphans_nothing() {
    let project = written();
    let each = "  - {id: e, trace: {file: traces/gone.json, each: true}, ignore: true, snapshot: true,\n     \
                expect: [{tool_blocklist: [rm]}]}\n";
    project.write("evals/t.yaml", suite(&[green("x"), red("y")]));
    project.write("evals/snapshots/s.b.snap.new", "x");
    project.run(&["t::x"]).exits(0).says_nothing_on_stderr();
    let tiers =
        suite(&[case("b", "rm", "snapshot: true"), case("c", "look", "tier: smoke"), each.to_owned()]);
    project.write("evals/s.yaml", tiers);
    project.write("evals/snapshots/s.e.run_12.snap", "---\n---\nx\n");
    let ran = project.run_with(&[("ARRAIGN_TIER", "smoke")], &[]).exits(0);
    assert!(!ran.stderr.contains(".snap"), "{}", ran.stderr);
}
