//! `cargo arraign history`.

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
