//! A run beside an earlier one: `ARRAIGN_COMPARE` in the Markdown and HTML reports.

use crate::project::{Project, green, own, suite};
use arraign::json::{self, Json};

/// A run that was green, and `json` of it. Then a check of the case `a` changes, and not its trace.
fn green_before() -> Project {
    let project = Project::of(&[green("a"), green("b")]);
    project.run_with(&[("ARRAIGN_REPORT", "json")], &[]).exits(0);
    project.write("evals/s.yaml", suite(&[own("a", "tool_blocklist: [look]", ""), green("b"), green("c")]));
    project
}

#[test]
fn markdown_tells_what_became_of_the_trials_of_an_earlier_run() {
    let project = green_before();
    let report = project.path("out/report.json");
    let report: Json = json::from_str(&std::fs::read_to_string(report).expect("a report")).expect("JSON");
    let id = report["run"]["id"].as_str().expect("an id").to_owned();
    for earlier in [id.as_str(), "out/report.json"] {
        let variables = [("ARRAIGN_REPORT", "markdown"), ("ARRAIGN_COMPARE", earlier)];
        project.run_with(&variables, &[]).exits(101).says_nothing_on_stderr();
        let page = project.read("out/report.md");
        let section = format!("compared with <code>{id}</code>\n\n1 regressed, 1 only after.\n");
        assert!(page.contains(&section), "{page}");
        assert!(page.contains("<tr><td><b>regressed</b></td><td><code>s::a</code><br>"), "{page}");
    }
}

#[test]
fn the_page_for_a_browser_tells_it_as_well() {
    let project = green_before();
    let variables = [("ARRAIGN_REPORT", "html"), ("ARRAIGN_COMPARE", "out/report.json")];
    project.run_with(&variables, &[]).exits(101).says_nothing_on_stderr();
    let page = project.read("out/report.html");
    let told = page.split_once("id=\"compared\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let told: Json = json::from_str(told.expect("a block").0).expect("JSON");
    let changes =
        told["trials"].as_array().expect("trials").iter().map(|trial| (&trial["name"], &trial["change"]));
    let expected =
        [("s::a", "regressed"), ("s::c", "new")].map(|(name, change)| (name.into(), change.into()));
    assert_eq!(changes.collect::<Vec<_>>(), expected.iter().map(|(a, b)| (a, b)).collect::<Vec<_>>());
}

#[test]
fn an_earlier_run_that_is_not_there_is_2() {
    let project = green_before();
    let variables = [("ARRAIGN_REPORT", "markdown"), ("ARRAIGN_COMPARE", "0-0")];
    project
        .run_with(&variables, &[])
        .exits(2)
        .complains("error: ARRAIGN_COMPARE: no run `0-0`: expected the folder of a run");
}

#[test]
fn without_a_report_that_shows_it_nobody_looks_for_the_earlier_run() {
    let project = green_before();
    project.run_with(&[("ARRAIGN_COMPARE", "0-0")], &[]).exits(101).says_nothing_on_stderr();
}
