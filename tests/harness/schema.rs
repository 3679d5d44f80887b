//! `ARRAIGN_SCHEMA=path`: the schema for editors, with the project's own checks.

use libtest_mimic::Trial;
use serde_json::Value;

use crate::claim;
use crate::project::{Project, red};

pub(crate) fn claims() -> Vec<Trial> {
    vec![
        claim(the_schema_knows_the_checks_of_the_project),
        claim(a_schema_that_cannot_be_written_is_a_wrong_run),
    ]
}

fn the_schema_knows_the_checks_of_the_project() {
    let project = Project::of(&[red("a")]);
    let path = project.path("arraign.schema.json");
    let ran = project.run_with(&[("ARRAIGN_SCHEMA", &path.to_string_lossy())], &[]).exits(0);
    assert_eq!((ran.stdout.as_str(), project.files("out").len()), ("", 0));
    let schema: Value = serde_json::from_str(&project.read("arraign.schema.json")).expect("JSON");
    let checks = schema["definitions"]["checks"].as_object().expect("checks");
    assert!(checks.contains_key("says") && checks.contains_key("tool_blocklist"), "{:?}", checks.keys());
}

fn a_schema_that_cannot_be_written_is_a_wrong_run() {
    let project = Project::of(&[red("a")]);
    let path = project.path("gone/arraign.schema.json");
    let ran = project.run_with(&[("ARRAIGN_SCHEMA", &path.to_string_lossy())], &[]).exits(2);
    assert!(ran.stderr.contains("ARRAIGN_SCHEMA: ") && ran.stderr.contains("cannot be written"), "{ran:?}");
}
