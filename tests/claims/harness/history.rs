//! The history of many runs: one line for each trial, in a file that CI keeps.

use crate::project::{Project, case, green, red, suite};
use crate::published::{problems, schema};
use arraign::__internals::harness::read_history;
use arraign::__internals::report::history::{History, HistoryReport};
use arraign::json::{self, Json, json};

const HISTORY: (&str, &str) = ("ARRAIGN_HISTORY", "past/history.jsonl");

fn read(project: &Project) -> HistoryReport {
    let mut history = History::default();
    read_history(&project.path(HISTORY.1), &mut history).expect("a history");
    history.summarize(None, None)
}

#[test]
fn each_process_appends_a_line_for_each_trial() {
    let project = Project::of(&[green("a"), red("b")]);
    project.run_with(&[HISTORY], &[]).exits(101);
    for trial in ["s::a", "s::b"] {
        let nextest = [HISTORY, ("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];
        project.run_with(&nextest, &["--exact", trial]);
    }
    let text = project.read(HISTORY.1);
    assert_eq!(text.lines().count(), 4);
    let last: Json = json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(
        (&last["trial"], &last["verdict"], &last["run"]),
        (&"s::b".into(), &"fail".into(), &"r".into())
    );
    assert_eq!(last["case_hash"], project.verdicts("out").pop().expect("a verdict")["case_hash"]);
    let report = read(&project);
    assert_eq!((report.runs, report.cases.len()), (2, 2));
    assert_eq!(report.cases[1].render_strip(9), "FF");
    assert_eq!(problems(&schema("history"), &json!(report)), [""; 0]);
    // A list runs nothing.
    project.run_with(&[HISTORY], &["--list"]).exits(0);
    assert_eq!(project.read(HISTORY.1).lines().count(), 4);
}

#[test]
fn a_quarantined_failure_is_a_failure_and_an_edited_case_does_not_flip() {
    let project = Project::of(&[red("a")])
        .file("evals/quarantine.yaml", "- {case: s::a, until: 2026-12-10, reason: flaps}");
    let on_a_day = [HISTORY, ("HARNESS_TEST_TODAY", "2026-12-01")];
    project.run_with(&on_a_day, &[]).exits(0);
    project.write("evals/s.yaml", suite(&[green("a")]));
    project.run_with(&on_a_day, &[]).exits(0);
    let case = &read(&project).cases[0];
    assert_eq!((case.render_strip(9), case.flips), ("F.".to_owned(), 0));
    assert!(case.last_change.as_ref().expect("a change").case_changed);
}

#[test]
fn the_last_attempt_of_a_run_counts() {
    let project = Project::of(&[red("a")]);
    for (attempt, tool) in [("1", "rm"), ("2", "look")] {
        project.write("evals/s.yaml", suite(&[case("a", tool, "")]));
        let nextest = [HISTORY, ("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r"), ("NEXTEST_ATTEMPT", attempt)];
        project.run_with(&nextest, &["--exact", "s::a"]);
    }
    let report = read(&project);
    assert_eq!((report.lines, report.cases[0].render_strip(9)), (2, ".".to_owned()));
}

#[test]
fn a_torn_last_line_is_dropped_and_the_next_one_begins_on_its_own() {
    let project = Project::of(&[green("a")]);
    project.run_with(&[HISTORY], &[]).exits(0);
    let whole = project.read(HISTORY.1);
    project.write(HISTORY.1, &whole[..whole.len() - 20]);
    let report = read(&project);
    assert_eq!((report.lines, report.torn), (0, 1));
    project.run_with(&[HISTORY], &[]).exits(0);
    let report = read(&project);
    assert_eq!((report.lines, report.torn, report.cases.len()), (1, 1, 1));
}

#[test]
fn a_history_that_cannot_be_written_is_an_error_of_the_run() {
    let project = Project::of(&[green("a")]).file("past", "a file");
    project.run_with(&[HISTORY], &[]).exits(2).says("ARRAIGN_HISTORY: cannot write");
}

#[test]
fn a_case_that_has_passed_ten_times_may_leave_the_quarantine() {
    let project = Project::of(&[green("a"), green("b")])
        .file("evals/quarantine.yaml", "- {case: 's::*', until: 2026-12-10, reason: flaps}");
    let on_a_day = [HISTORY, ("HARNESS_TEST_TODAY", "2026-12-01")];
    let remark = "arraign: `s::*` may leave the quarantine: 10 runs in a row have passed";
    for _ in 0..9 {
        let ran = project.run_with(&on_a_day, &[]).exits(0);
        assert!(!ran.stderr.contains("may leave"), "{}", ran.stderr);
    }
    project.run_with(&on_a_day, &[]).exits(0).complains(remark);
    // A pattern may leave if all that it means may.
    project.write("evals/s.yaml", suite(&[green("a"), red("b")]));
    let ran = project.run_with(&on_a_day, &[]).exits(0);
    assert!(!ran.stderr.contains("may leave"), "{}", ran.stderr);
}

#[cfg(feature = "html")]
#[test]
fn a_row_of_the_page_has_its_last_results() {
    let project = Project::of(&[red("a")]);
    project.run_with(&[HISTORY], &[]).exits(101);
    project.write("evals/s.yaml", suite(&[green("a")]));
    project.run_with(&[HISTORY, ("ARRAIGN_REPORT", "html")], &[]).exits(0);
    assert!(project.read("out/report.html").contains(r#""past":"F.""#));
    project.run_with(&[("ARRAIGN_REPORT", "html")], &[]).exits(0);
    assert!(!project.read("out/report.html").contains(r#""past":"#));
}
