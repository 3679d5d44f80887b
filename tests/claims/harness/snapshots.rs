//! `snapshot: true`: insta's ways, decided by the harness.

use crate::project::{Project, Ran, case, green, red, suite};
use arraign::json;

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
        .says("no snapshot yet; the new one is")
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
        run(&project, update).exits(0).says("1 passed").complains("s::b: pinned: 1 violation");
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
    let cargo_insta = [("INSTA_CARGO_INSTA", "1"), ("INSTA_FORCE_PASS", "1"), ("INSTA_UPDATE", "new")];
    project.run_with(&cargo_insta, &[]).exits(0).says("1 passed");
    assert_eq!(project.files("evals/snapshots"), [SNAPSHOT, PENDING]);
    assert_eq!(project.verdict("s::b")["passed"], false);
}

#[test]
fn forced_passes_are_not_listed_as_red() {
    let cases: Vec<String> =
        ["b", "c", "d", "e"].map(|id| case(id, "rm", "snapshot: true")).into_iter().collect();
    let project = Project::of(&cases);
    project.run(&[]).exits(101).says("4 red trials by check:");
    let cargo_insta = [("INSTA_CARGO_INSTA", "1"), ("INSTA_FORCE_PASS", "1"), ("INSTA_UPDATE", "new")];
    let ran = project.run_with(&cargo_insta, &[]).exits(0).says("4 passed");
    assert!(!ran.stdout.contains("red trial") && !ran.stderr.contains("red trial"), "{}", ran.stdout);
}

/// Nobody but `cargo insta` reports the pending snapshot.
#[test]
fn a_red_case_is_not_forced_green_without_cargo_insta() {
    for variables in [&[("INSTA_FORCE_PASS", "1")][..], &[("INSTA_FORCE_PASS", "1"), ("CI", "true")]] {
        Project::of(&[pinned()]).run_with(variables, &[]).exits(101).says("error[snapshot]");
    }
}

#[test]
fn ci_accepts_no_violations() {
    for update in ["always", "unseen", "force", "1"] {
        let variables = [("INSTA_UPDATE", update), ("CI", "true")];
        let project = Project::of(&[pinned()]);
        project.run_with(&variables, &[]).exits(2).complains("accepts every violation");
        assert_eq!(project.files("evals"), ["evals/s.yaml"], "{update}");
        Project::of(&[green("a")]).run_with(&variables, &[]).exits(0);
    }
    Project::of(&[pinned()]).run_with(&[("INSTA_UPDATE", "new"), ("CI", "true")], &[]).exits(101);
}

#[test]
fn pinned_violations_are_counted_and_named() {
    let project = written();
    let ran = project.run_with(&[("ARRAIGN_REPORT", "markdown,junit,html,sarif")], &[]).exits(0);
    assert!(ran.stderr.contains("s::b: pinned: 1 violation of tool_blocklist"), "{ran:?}");
    assert_eq!(project.verdict("s::b")["pinned"], 1);
}

const EVENTS: [&str; 4] = ["-Z", "unstable-options", "--format=json", "--show-output"];

/// insta prints, and an IDE reads nothing but JSON.
#[test]
fn a_stream_of_events_stays_one() {
    let project = Project::of(&[pinned()]);
    for (variables, code) in [
        (&[][..], 101),
        (&[("INSTA_FORCE_PASS", "1"), ("INSTA_CARGO_INSTA", "1")], 0),
        (&[("INSTA_UPDATE", "no")], 101),
    ] {
        let ran = project.run_with(variables, &EVENTS).exits(code).says_nothing_on_stderr();
        for line in ran.stdout.lines() {
            json::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        }
    }
}

/// insta's own reader finds in a pending snapshot what a review shows, whichever way the trial was run.
#[test]
fn a_pending_snapshot_is_one_that_insta_reads() {
    let [shown, silent] = [&[][..], &EVENTS].map(|arguments| {
        let project = Project::of(&[pinned()]);
        project.run(arguments).exits(101);
        let pending = insta::Snapshot::from_file(&project.path(PENDING)).expect("a snapshot");
        let data = pending.metadata();
        assert_eq!(data.source(), Some("evals/s.yaml"));
        assert_eq!((data.assertion_line(), data.input_file()), (Some(2), Some("evals/s.yaml")));
        assert_eq!(data.description(), Some("violations of s::b"));
        let content = pending.as_text().expect("a text").to_string();
        assert!(content.starts_with("status: fail\n"), "{content}");
        let text = project.read(PENDING);
        std::fs::rename(project.path(PENDING), project.path(SNAPSHOT)).expect("it is accepted");
        run(&project, "no").exits(0);
        text
    });
    assert_eq!(silent, shown);
}

#[test]
fn the_difference_is_printed_once_and_insta_prints_nothing() {
    let ran = Project::of(&[pinned()]).run(&[]).exits(101);
    assert_eq!(ran.stdout.matches("no snapshot yet").count(), 1, "{}", ran.stdout);
    assert!(!ran.stdout.contains("Snapshot Summary"), "{}", ran.stdout);
}

#[test]
fn a_case_that_is_green_again_has_nothing_pending() {
    let project = written();
    change(&project);
    project.run(&[]).exits(101);
    let text = project.read("evals/s.yaml");
    project.write("evals/s.yaml", text.replace("[\"rm\", \"rm\"]", "[\"rm\"]"));
    project.run(&[]).exits(0);
    assert_eq!(project.files("evals/snapshots"), [SNAPSHOT]);
}

/// Such a file was left by a write that was interrupted.
#[test]
fn an_empty_pending_snapshot_is_replaced_by_a_whole_one() {
    let project = Project::of(&[pinned()]);
    project.write(PENDING, "");
    project.run(&[]).exits(101);
    assert!(project.read(PENDING).contains("findings:\n"), "{}", project.read(PENDING));
    assert_eq!(project.files("evals/snapshots"), [PENDING]);
}

/// `cargo insta test --unreferenced=delete` deletes what no test names in this file.
#[test]
fn snapshots_are_named_as_referenced() {
    let project = written();
    let list = project.path("references");
    let variable = [("INSTA_SNAPSHOT_REFERENCES_FILE", list.to_str().expect("UTF-8"))];
    project.run_with(&variable, &[]).exits(0);
    assert_eq!(project.read("references"), format!("{}\n", project.path(SNAPSHOT).display()));
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
    project.run(&["--list"]).exits(0).says_nothing_on_stderr();
    let one = project.run(&["--exact", "s::b"]).exits(0);
    assert_eq!(one.stderr, "arraign: s::b: pinned: 1 violation of tool_blocklist\n");
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

/// A pull request may bring a link: nothing behind it is read or written.
#[cfg(unix)]
#[test]
fn a_link_out_of_the_folder_of_cases_is_no_folder_of_snapshots() {
    let project = Project::of(&[pinned(), green("a")]);
    std::fs::create_dir(project.path("elsewhere")).expect("a folder");
    std::os::unix::fs::symlink(project.path("elsewhere"), project.path("evals/snapshots")).expect("a link");
    for update in ["always", "no", ""] {
        let ran = run(&project, update).exits(101);
        ran.says("1 passed; 1 failed")
            .says("the snapshot is not compared: evals/snapshots/s.b.snap: the path leaves the eval root");
    }
    assert_eq!(project.files("elsewhere"), Vec::<String>::new());
    // A link to one file is refused as well.
    std::fs::remove_file(project.path("evals/snapshots")).expect("the link is removed");
    std::fs::create_dir(project.path("evals/snapshots")).expect("a folder");
    project.write("elsewhere/file", "kept");
    std::os::unix::fs::symlink(project.path("elsewhere/file"), project.path(PENDING)).expect("a link");
    run(&project, "new").exits(101).says("the path leaves the eval root");
    assert_eq!(project.read("elsewhere/file"), "kept");
}
