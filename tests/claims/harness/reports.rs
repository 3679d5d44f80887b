//! Reports: rendered from the verdict logs when the trials have ended, at places that stay the same.

use std::fs;

use crate::project::{Project, Ran, case, green, red};

use arraign::json::{self, Json};

fn reported(project: &Project, formats: &str, arguments: &[&str]) -> Ran {
    project.run_with(&[("ARRAIGN_REPORT", formats)], arguments)
}

fn json(project: &Project, path: &str) -> Json {
    json::from_str(&project.read(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files of `out/` that are no verdicts.
fn reports(project: &Project) -> Vec<String> {
    let files = project.files("out").into_iter();
    files.filter_map(|path| path.strip_prefix("out/report.").map(str::to_owned)).collect()
}

#[test]
fn each_wanted_report_is_written() {
    let project = Project::of(&[green("a"), red("b")]);
    reported(&project, "junit, sarif", &[]).exits(101).says_nothing_on_stderr();
    assert_eq!(reports(&project), ["junit.xml", "sarif"]);
    reported(&project, "json,jsonl,markdown", &[]).exits(101);
    assert_eq!(reports(&project), ["json", "jsonl", "junit.xml", "md", "sarif"]);
    let junit = project.read("out/report.junit.xml");
    assert!(junit.contains("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), "{junit}");
    let results = json(&project, "out/report.sarif")["runs"][0]["results"].clone();
    assert_eq!(results[0]["ruleId"], "tool_blocklist");
    assert_eq!(project.read("out/report.jsonl").lines().count(), 2);
    assert!(project.read("out/report.md").starts_with("## arraign: 1 of 2 cases did not pass\n"));
}

#[test]
fn a_suite_may_ask_for_reports() {
    let project = Project::of(&[green("a")]);
    let asking = format!("output: {{format: [sarif, json]}}\n{}", project.read("evals/s.yaml"));
    project.write("evals/s.yaml", asking);
    reported(&project, "json", &[]).exits(0);
    assert_eq!(reports(&project), ["json", "sarif"]);
}

#[test]
fn a_report_holds_what_ran_in_the_order_of_the_files() {
    let names: Vec<String> = (0..20).rev().map(|number| format!("c{number}")).collect();
    let project = Project::of(&names.iter().map(|name| green(name)).collect::<Vec<_>>());
    reported(&project, "json", &["--test-threads", "4"]).exits(0);
    let report = json(&project, "out/report.json");
    let verdicts = report["verdicts"].as_array().expect("verdicts");
    let told: Vec<&str> = verdicts.iter().filter_map(|verdict| verdict["name"].as_str()).collect();
    let expected: Vec<String> = names.iter().map(|name| format!("s::{name}")).collect();
    assert_eq!(told, expected);
    assert_eq!(report["totals"]["cases"], 20);
    let run = report["run"]["id"].as_str().expect("an id");
    assert!(project.path("out").join(run).is_dir(), "the id is the folder of the verdicts: {run}");
}

#[test]
fn an_ignored_trial_is_skipped_with_its_reason() {
    let project = Project::of(&[green("a"), case("b", "rm", "ignore: not <yet>")]);
    reported(&project, "json,junit", &[]).exits(0);
    let report = json(&project, "out/report.json");
    assert_eq!(report["skipped"][0]["name"], "s::b");
    assert_eq!((&report["totals"]["cases"], &report["totals"]["skipped"]), (&1.into(), &1.into()));
    let junit = project.read("out/report.junit.xml");
    assert!(junit.contains("<skipped message=\"not &lt;yet&gt;\"/>"), "{junit}");
    reported(&project, "json", &["--ignored"]).exits(101);
    let report = json(&project, "out/report.json");
    assert_eq!((&report["totals"]["cases"], &report["totals"]["skipped"]), (&1.into(), &0.into()));
}

#[test]
fn a_run_of_ignored_trials_alone_is_reported() {
    let project = Project::of(&[case("a", "rm", "ignore: true")]);
    reported(&project, "json", &[]).exits(0);
    assert_eq!(json(&project, "out/report.json")["totals"]["skipped"], 1);
}

#[test]
fn a_filter_leaves_the_others_out_of_the_report() {
    let project = Project::of(&[green("ax"), green("ay"), case("bx", "rm", "ignore: true")]);
    reported(&project, "json", &["a", "--skip", "y"]).exits(0);
    let report = json(&project, "out/report.json");
    assert_eq!(report["verdicts"].as_array().map(<[Json]>::len), Some(1));
    assert_eq!(report["skipped"], Json::Array(Vec::new()));
}

#[test]
fn a_later_run_replaces_the_report() {
    let project = Project::of(&[red("a")]);
    reported(&project, "json", &[]).exits(101);
    project.write("evals/s.yaml", crate::project::suite(&[green("a")]));
    reported(&project, "json", &[]).exits(0);
    assert_eq!(json(&project, "out/report.json")["totals"]["failed"], 0);
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_in_the_report() {
    let project = Project::empty().file("evals/s.yaml", "tests:\n  - id: a\n    expcet: []\n");
    reported(&project, "json", &["--exact", "s::a"]).exits(101);
    let report = json(&project, "out/report.json");
    assert_eq!(report["totals"]["errors"], 1, "{report}");
    let errors = report["verdicts"][0]["errors"].as_array().expect("errors");
    let error = errors.iter().find(|error| error["at"]["line"] == 3).expect("the mistake");
    assert_eq!(error["message"], "unknown key `expcet` (help: did you mean `expect`?)");
}

#[test]
fn paths_in_sarif_begin_at_the_root_of_the_repository() {
    let project = Project::empty().file("crates/shop/evals/s.yaml", crate::project::suite(&[red("b")]));
    fs::create_dir(project.path(".git")).expect("a repository");
    let package = project.path("crates/shop").to_string_lossy().into_owned();
    project
        .run_with(&[("ARRAIGN_REPORT", "sarif"), ("CARGO_MANIFEST_DIR", package.as_str())], &[])
        .exits(101);
    let result = json(&project, "out/report.sarif")["runs"][0]["results"][0].clone();
    let uri = &result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert_eq!(uri, "crates/shop/evals/s.yaml");
}

#[test]
fn a_page_is_rendered_beside_other_reports() {
    let project = Project::of(&[green("a")]);
    reported(&project, "html,json", &[]).exits(0);
    assert_eq!(reports(&project), ["html", "json"]);
}

#[test]
fn nextest_leaves_reports_to_another_program() {
    let project = Project::of(&[green("a")]);
    let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r"), ("ARRAIGN_REPORT", "json,junit")];
    let ran = project.run_with(&variables, &["--exact", "s::a", "--nocapture"]).exits(0);
    let run = project.path("out/r");
    ran.complains(&format!(
        "arraign: reports not rendered under nextest: json, junit; `cargo arraign report --run {} --format json,junit` renders",
        run.display()
    ));
    assert_eq!(
        project.files("out"),
        ["out/r/@manifests/evals@subject.json", "out/r/evals@subject.shared.jsonl"]
    );
}

#[test]
fn an_unknown_report_is_2() {
    let ran = reported(&Project::of(&[green("a")]), "json,junk", &[]).exits(2);
    ran.complains(
        "ARRAIGN_REPORT: unknown format `junk`: expected one or more of ctrf, html, json, jsonl, junit, markdown, otel, sarif",
    );
}

#[test]
fn a_report_that_cannot_be_written_is_2() {
    let project = Project::of(&[green("a")]).file("out/report.json/taken", "a file");
    let ran = reported(&project, "json,junit", &[]).exits(2);
    ran.complains("report.json: cannot write the report: ").complains("set ARRAIGN_OUT");
    assert!(project.path("out/report.junit.xml").is_file(), "the others are written all the same");
}

#[test]
fn annotations_come_from_github_alone() {
    let project = Project::of(&[green("a"), red("b")]);
    let line = "::error file=evals/s.yaml,line=7,col=";
    let plain = project.run(&[]).exits(101);
    assert!(!plain.stdout.contains("::error"), "{}", plain.stdout);
    let github = project.run_with(&[("GITHUB_ACTIONS", "true")], &[]).exits(101).says(line);
    let annotations = github.stdout.lines().filter(|line| line.starts_with("::error ")).count();
    assert_eq!(annotations, 1, "{}", github.stdout);
    let json = project.run_with(&[("GITHUB_ACTIONS", "true")], &["--format", "json", "-Zunstable-options"]);
    json.exits(101).complains(line);
    let other = project.run_with(&[("GITHUB_ACTIONS", "false")], &[]).exits(101);
    assert!(!other.stdout.contains("::error"), "{}", other.stdout);
}

#[test]
fn a_list_writes_no_report() {
    let project = Project::of(&[green("a")]);
    reported(&project, "json", &["--list"]).exits(0);
    assert_eq!(project.files("out").len(), 0);
}

/// A person who doubts a green case sees why it is green; a run without a page keeps small verdicts.
#[cfg(feature = "html")]
#[test]
fn green_pages_have_the_question_and_all_results() {
    let case = "- id: a\n  description: the order is looked up\n  metadata: {team: billing}\n  trace:\n    steps:\n      - {user: Where is order 7}\n      \
                - {call: look, args: {}, result: it is on its way}\n  expect: [{tool_called: look}]\n";
    let project = Project::empty().file("evals/s.yaml", case);
    project.run(&[]).exits(0);
    let log = |project: &Project| {
        let name = project.files("out").into_iter().find(|name| name.contains(".jsonl")).expect("a log");
        project.read(&name)
    };
    assert!(!log(&project).contains("it is on its way"), "{}", log(&project));
    let shown = Project::empty().file("evals/s.yaml", case);
    shown.run_with(&[("ARRAIGN_REPORT", "html")], &[]).exits(0);
    let page = shown.read("out/report.html");
    for part in
        ["it is on its way", "Where is order 7", r#""metadata":{"team":"billing"}"#, "the order is looked up"]
    {
        assert!(page.contains(part), "{part}");
    }
    // The case has no scorecard, so the share of its checks is no score.
    let rows = page.split_once(r#"id="rows">"#).and_then(|(_, rest)| rest.split_once("</script>"));
    assert!(rows.is_some_and(|(rows, _)| !rows.contains(r#""score""#)), "{rows:?}");
}
