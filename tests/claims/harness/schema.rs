//! `ARRAIGN_SCHEMA=path`: the schema for editors, with the project's own checks. And the published schemas of what a run
//! leaves.

use crate::project::{Project, red};
use crate::published::{problems, schema};
use arraign::json;
use arraign::json::Json;

#[test]
fn the_schema_knows_the_checks_of_the_project() {
    let project = Project::of(&[red("a")]);
    let path = project.path("arraign.schema.json");
    let ran = project.run_with(&[("ARRAIGN_SCHEMA", &path.to_string_lossy())], &[]).exits(0);
    assert_eq!((ran.stdout.as_str(), project.files("out").len()), ("", 0));
    let schema: Json = json::from_str(&project.read("arraign.schema.json")).expect("JSON");
    let checks = schema["definitions"]["checks"].as_object().expect("checks");
    assert!(
        checks.contains_key("says") && checks.contains_key("tool_blocklist"),
        "{:?}",
        checks.keys().collect::<Vec<_>>()
    );
}

#[test]
fn a_schema_that_cannot_be_written_is_a_wrong_run() {
    let project = Project::of(&[red("a")]);
    let path = project.path("gone/arraign.schema.json");
    let ran = project.run_with(&[("ARRAIGN_SCHEMA", &path.to_string_lossy())], &[]).exits(2);
    assert!(ran.stderr.contains("ARRAIGN_SCHEMA: cannot write `"), "{ran:?}");
}

#[test]
fn the_cases_of_this_repository_leave_what_is_published() {
    let project = Project::empty();
    let summary = project.path("out/summary.json");
    let variables = [
        ("CARGO_MANIFEST_DIR", env!("CARGO_MANIFEST_DIR")),
        ("ARRAIGN_REPORT", "json,jsonl"),
        ("ARRAIGN_OUTPUT_JSON", &summary.to_string_lossy()),
    ];
    project.run_with(&variables, &[]).exits(0);
    let json = |text: &str| json::parse(text).expect("JSON");
    let of_verdict = schema("verdict");
    let verdicts = project.verdicts("out");
    let report = project.read("out/report.jsonl");
    assert!(verdicts.len() > 100 && report.lines().count() == verdicts.len());
    for verdict in verdicts.into_iter().chain(report.lines().map(json)) {
        assert_eq!(problems(&of_verdict, &verdict), [""; 0], "{verdict}");
    }
    for (name, path) in [("report", "out/report.json"), ("summary", "out/summary.json")] {
        assert_eq!(problems(&schema(name), &json(&project.read(path))), [""; 0], "{path}");
    }
}
