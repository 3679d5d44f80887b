//! `cargo arraign history`.

use std::fmt::Write as _;

use arraign::json::{self, Json};

use crate::package::{Package, pin};
use crate::report::suite;

/// A history of two trials, with a run a day.
fn package() -> Package {
    let package = Package::of(&suite(&[("a", "look")]));
    let mut text = String::new();
    for (day, (one, other)) in [
        ("pass", "pass"),
        ("fail", "pass"),
        ("pass", "undecided"),
        ("pass", "pass"),
        ("fail", "pass"),
        ("pass", "pass"),
    ]
    .into_iter()
    .enumerate()
    {
        for (trial, verdict) in [("s::a", one), ("s::b", other)] {
            let number = day + 1;
            let line = format!(
                r#"{{"schema_version":1,"run":"r{day}","commit":"c0ffee{day}","time":"2026-11-0{number}T12:00:00Z","harness":"evals","trial":"{trial}","verdict":"{verdict}","score":1.0,"cost_usd":0.0{number},"duration_ms":900}}"#
            );
            text.push_str(&line);
            text.push('\n');
        }
    }
    package.write("history.jsonl", &text);
    package
}

#[test]
fn each_trial_is_a_line_with_its_share_its_flips_and_its_last_change() {
    pin("history-text", &package().arraign(&["history", "--file", "history.jsonl"]));
}

#[test]
fn a_filter_and_a_day_select() {
    let package = package();
    let read = |arguments: &[&str]| {
        let ran = package.arraign(&[&["history", "--json", "--file", "history.jsonl"], arguments].concat());
        json::from_str::<Json>(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr))
    };
    assert_eq!(read(&[])["cases"].as_array().map(<[Json]>::len), Some(2));
    let of_b = read(&["::b"]);
    assert_eq!(
        (&of_b["cases"][0]["trial"], of_b["cases"].as_array().map(<[Json]>::len)),
        (&"s::b".into(), Some(1))
    );
    assert_eq!((&of_b["cases"][0]["undecided"], &of_b["cases"][0]["pass_rate"]), (&1.into(), &1.0.into()));
    assert_eq!(read(&["--since", "2026-11-05"])["cases"][0]["runs"], 2);
    let none = package.arraign(&["history", "--file", "history.jsonl", "other"]);
    assert_eq!(none.code, Some(2));
    assert!(none.stderr.contains("no trial of the history (12 lines) has this name"), "{}", none.stderr);
    let wrong = package.arraign(&["history", "--since", "soon"]);
    assert!(wrong.stderr.contains("expected `30d`, `12h`, or a day"), "{}", wrong.stderr);
}

#[test]
fn the_page_needs_no_script_and_shows_what_is_in_a_name_as_text() {
    let package = package();
    let text = package.read("history.jsonl").replace("s::b", "s::<b>");
    package.write("history.jsonl", &text);
    let ran = package.arraign_with(&[("ARRAIGN_HISTORY", "history.jsonl")], &["history", "--html"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.contains("<td class=\"name\">s::&lt;b&gt;</td>"), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("<rect class=\"fail\"") && ran.stdout.contains("<polyline"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("<script"));
}

#[test]
fn without_a_file_the_runs_of_the_folder_are_read() {
    let package = Package::of(&suite(&[("a", "look"), ("b", "rm")]));
    package.attempt("one", "1", "s::a");
    package.attempt("one", "1", "s::b");
    package.attempt("two", "1", "s::b");
    let ran = package.arraign(&["history", "--json"]);
    let report: Json = json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert_eq!((&report["runs"], &report["cases"][1]["failed"]), (&2.into(), &2.into()));
    // A report is the history of one run.
    package.arraign(&["report", "--run", "one", "--format", "jsonl"]);
    let ran = package.arraign(&["history", "--json", "--file", "target/arraign/report.jsonl"]);
    let report: Json = json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    assert_eq!((&report["runs"], &report["lines"]), (&1.into(), &2.into()));
}

#[test]
fn a_line_of_another_kind_has_its_place() {
    let package = package();
    package.write("history.jsonl", &(package.read("history.jsonl") + "{\"trial\": 7}\n"));
    let ran = package.arraign(&["history", "--file", "history.jsonl"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("history.jsonl:13: not a line of a history"), "{}", ran.stderr);
    let ran = package.arraign(&["history", "--file", "none.jsonl"]);
    assert!(ran.stderr.contains("cannot read the history `none.jsonl`"), "{}", ran.stderr);
}

/// Under nextest no process waits for all trials, so the command says it.
#[test]
fn a_case_that_has_passed_ten_times_in_a_row_may_leave_the_quarantine() {
    let package = package();
    let mut text = package.read("history.jsonl");
    for run in 0..9 {
        let _ = writeln!(
            text,
            r#"{{"schema_version":1,"run":"n{run}","time":"2026-11-1{run}T12:00:00Z","harness":"evals","trial":"s::a","verdict":"pass","score":1}}"#
        );
    }
    package.write("history.jsonl", &text);
    package.write(
        "evals/quarantine.yaml",
        "- {case: s::a, until: 2026-12-10, reason: flaps}\n- {case: s::b, until: 2026-12-10, reason: flaps}\n",
    );
    let shown = || package.arraign(&["history", "--file", "history.jsonl"]).stdout;
    let line = "`s::a` may leave the quarantine: 10 runs in a row have passed\n";
    assert!(shown().ends_with(line), "{}", shown());
    assert!(!shown().contains("`s::b` may leave"), "{}", shown());
    package.write("elsewhere/quarantine.yaml", "[]");
    let other = package.arraign(&["history", "--file", "history.jsonl", "--cases", "elsewhere"]);
    assert!(!other.stdout.contains("may leave"), "{}", other.stdout);
}

/// The history of a large project stays one file. `benches/limits.py` measures a million lines.
#[test]
fn a_history_of_many_runs_is_read() {
    let runs = 20;
    let package = Package::of(&suite(&[("a", "look")]));
    let mut text = String::new();
    for run in 0..runs {
        for trial in 0..1_000 {
            let verdict = if (run + trial) % 10 == 0 { "fail" } else { "pass" };
            let minute = run % 60;
            let hour = run / 60;
            let _ = writeln!(
                text,
                r#"{{"schema_version":1,"run":"2026-11-28T{hour:02}-{minute:02}-00Z-{run}","commit":"3f9c21ab04d17e6b8c5a9d20e1f47b6a3c8d9e02","time":"2026-11-28T{hour:02}:{minute:02}:00Z","harness":"evals","trial":"s::refund[{trial}]","verdict":"{verdict}","score":1.0,"cost_usd":0.0123,"duration_ms":912,"case_hash":"00c0ffee00c0ffee"}}"#
            );
        }
    }
    package.write("history.jsonl", &text);
    let ran = package.arraign(&["history", "--file", "history.jsonl"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let figures = format!("1000 trials, {runs} runs, {} lines\n", runs * 1_000);
    assert!(ran.stdout.ends_with(&figures), "{}", ran.stdout.lines().last().unwrap_or_default());
}
