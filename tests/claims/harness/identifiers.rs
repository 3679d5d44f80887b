//! The names of trials as Rust paths, which rust-analyzer runs them by, and the file that lists them.

use crate::project::{Project, green, red};
use arraign::json;

const EVENTS: [&str; 3] = ["-Z", "unstable-options", "--format=json"];

fn with_words() -> Project {
    Project::of(&[green("a"), green("a b"), red("a-b")]).file(
        "evals/late-orders.yaml",
        "{id: \"50%\", metric: tool_blocklist, blocklist: [rm], trace: {calls: [look]}}",
    )
}

/// The names in the events of a run.
fn reported(stdout: &str) -> Vec<String> {
    let events = stdout.lines().map(|line| json::parse(line).expect("an event"));
    let ended = events.filter(|event| event["type"] == "test" && event["event"] != "started");
    ended.map(|event| event["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_path_runs_its_trial_alone_and_reports_it_by_the_path() {
    let project = with_words();
    for path in ["s::a_0x20_b", "late__orders::_0x35_0_0x25_25"] {
        let ran = project.run(&[&["--exact", path], &EVENTS[..]].concat()).exits(0).says_nothing_on_stderr();
        assert_eq!(reported(&ran.stdout), [path]);
    }
    let red = project.run(&[&["s::a__b"], &EVENTS[..]].concat()).exits(101);
    assert_eq!(reported(&red.stdout), ["s::a__b"]);
    assert_eq!(project.verdict("s::a-b")["passed"], false);
}

#[test]
fn a_path_opens_the_file_of_its_case_alone() {
    let project = with_words().file("evals/broken.yaml", "tests: [");
    project.run(&["--exact", "s::a_0x20_b"]).exits(0).says("1 passed").says_nothing_on_stderr();
}

#[test]
fn the_path_of_a_module_runs_the_trials_below_it() {
    let ran = with_words().run(&[&["late__orders"], &EVENTS[..]].concat()).exits(0);
    assert_eq!(reported(&ran.stdout), ["late__orders::_0x35_0_0x25_25"]);
}

#[test]
fn a_name_goes_before_a_path() {
    let project = Project::of(&[green("a__b"), red("a-b")]);
    for exact in [&["--exact"][..], &[]] {
        let ran = project.run(&[exact, &["s::a__b"], &EVENTS].concat()).exits(0);
        assert_eq!(reported(&ran.stdout), ["s::a__b"]);
    }
}

#[test]
fn the_file_that_lists_the_trials_is_compared_and_never_written() {
    let project = with_words();
    project.run(&[]).exits(101);
    project.run(&["--list"]).exits(0).says_nothing_on_stderr();
    assert!(!project.path("evals/cases.rs").exists());
    project.write("evals/cases.rs", "old");
    let note =
        "arraign: evals/cases.rs does not list the present trials; `cargo arraign ide` writes it again\n";
    for arguments in [&["--list"][..], &["s::a", "--exact", "--list"], &["a b"]] {
        assert_eq!(project.run(arguments).exits(0).stderr, note);
    }
    project.run(&["--exact", "s::a"]).exits(0).says_nothing_on_stderr();
    project.run_with(&[("ARRAIGN_TIER", "full")], &["--list"]).exits(0).complains(note.trim_end());
    let list = project.run(&["--list", "--format", "json"]).exits(0);
    assert_eq!(list.stderr, "", "`cargo arraign ide` reads this list to write the file");
    let smoke = project.run_with(&[("ARRAIGN_TIER", "smoke")], &["--list"]).exits(0);
    assert_eq!(smoke.stderr, "", "some trials cannot be compared with the list of all");
    assert_eq!(project.read("evals/cases.rs"), "old");
}

#[test]
fn the_file_holds_a_test_for_each_trial() {
    let names = ["s::a", "s::deep::er", "s::a b", "s", "one"];
    let text = arraign::__internals::harness::render_case_modules(names);
    insta::assert_snapshot!(text);
}
