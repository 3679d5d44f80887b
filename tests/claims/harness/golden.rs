//! Golden datasets in a run: the trial of a gate, the summary, and the JSON that a later run is held against.

use arraign::__internals::harness::runs::StoredRun;
use arraign::__internals::report::FormatEntry;
use arraign::json::{self, Json};

use crate::project::{Project, Ran, green};

/// A row whose agent calls `tool`, where `look` is expected.
fn row(id: &str, tool: &str, more: &str) -> String {
    format!(
        "- id: {id}\n  expected_tools: [look]\n  expected_fields: [price]\n  trace: {{calls: [{tool}], answer: $5, {TOOK}}}\n{more}"
    )
}

const TOOK: &str =
    "agent: shop, model: m, duration_ms: 1500, usage: {input_tokens: 1000000, output_tokens: 2000}";

/// Two good rows and one that calls the wrong tool (0.6), below a suite with these keys.
fn rows(header: &str) -> Project {
    let rows = [row("a", "look", "  tier: smoke\n"), row("b", "look", ""), row("c", "glance", "")].concat();
    Project::empty()
        .file("evals/rows.yaml", rows)
        .file("evals/s.yaml", format!("dataset: rows.yaml\n{header}"))
}

fn gate(mean: &str) -> Project {
    rows(&format!("gate: {{mean: {mean}, rows: report}}\n"))
}

#[test]
fn a_gate_is_a_trial_of_its_own_in_every_list() {
    let project = gate("0.7");
    let names = ["s::a", "s::b", "s::c", "s::pass_threshold"];
    for arguments in [&["--list"][..], &["--list", "--format", "terse"], &[]] {
        assert_eq!(project.run(arguments).exits(0).names(), names);
    }
    let only_baseline = rows("summary_baseline: {file: baselines/b.json}\n");
    assert_eq!(only_baseline.run(&["--list"]).exits(0).names(), names);
    assert!(!rows("").run(&["--list"]).exits(0).names().contains(&"s::pass_threshold"));
}

/// (1 + 1 + 0.6) / 3, and a gate that is reached but for what fractions lose.
#[test]
fn a_mean_that_reaches_the_gate_is_green() {
    for mean in ["0.7", "0.8666", "0.8666666666666667"] {
        let project = gate(mean);
        project.run(&[]).exits(0).says("4 passed").says_nothing_on_stderr();
        let verdict = project.verdict("s::pass_threshold");
        assert_eq!((&verdict["status"], &verdict["case"]["file"]), (&"pass".into(), &"evals/s.yaml".into()));
        assert_eq!(verdict["findings"][0]["items"].as_array().map(<[Json]>::len), Some(3));
    }
}

#[test]
fn a_mean_below_the_gate_is_red_and_names_the_rows_that_lost_most() {
    let project = gate("0.9");
    let ran = project.run(&[]).exits(101).says("3 passed; 1 failed");
    ran.says("error[gate]: the mean score of 3 cases is 0.8667, below `mean: 0.9`")
        .says("--> evals/s.yaml:2:7")
        .says("= score: 0.8667 of 1, gate: 0.9")
        .says("0.1333  `s::c` scores 0.6 at evals/rows.yaml:10:7: groundedness 1, correctness 0, completeness 1")
        .says("rerun: cargo test --test subject -- --exact s::pass_threshold");
    let verdict = project.verdict("s::pass_threshold");
    let losses = verdict["findings"][0]["losses"].as_array().expect("losses");
    let lost: f64 = losses.iter().filter_map(|loss| loss["points"].as_f64()).sum();
    assert!((lost - 0.4 / 3.0).abs() < 1e-9, "{losses:?}");
}

#[test]
fn rows_that_only_report_fail_on_errors_alone() {
    let strict = rows("gate: {mean: 0.7}\n").run(&[]).exits(101);
    assert_eq!((strict.results()["s::c"], strict.results()["s::pass_threshold"]), ("FAILED", "ok"));
    let lax = gate("0.7").run(&[]).exits(0);
    assert_eq!(lax.results()["s::c"], "ok");
}

/// What only the gate may forgive is no success in the summary.
#[test]
fn a_forbidden_text_is_counted_as_failed() {
    let project = gate("0.7");
    let rows =
        project.read("evals/rows.yaml").replace("- id: b\n", "- id: b\n  forbidden_substrings: [$5]\n");
    project.write("evals/rows.yaml", rows);
    let ran = project.run(&[]).exits(0).says("passed        1 (threshold 0.7)\n  failed        2");
    assert_eq!(ran.results()["s::b"], "ok");
}

#[test]
fn a_row_that_errs_scores_0() {
    let project = gate("0.7");
    let lost = "- {id: d, expected_tools: [look], trace: traces/gone.json}\n";
    project.write("evals/rows.yaml", format!("{}{lost}", project.read("evals/rows.yaml")));
    let ran = project.run(&[]).exits(101).says("below `mean: 0.7`").says("`s::d` scores 0 at");
    assert_eq!((ran.results()["s::d"], ran.results()["s::c"]), ("FAILED", "ok"));
    ran.says("no such file").says("passed        2 (threshold 0.7)");
}

fn with_case(case: &str) -> Project {
    let cases = format!("tests:\n{}{case}", crate::project::case("b", "look", ""));
    Project::empty().file("evals/s.yaml", format!("gate: {{mean: 0.7}}\n{cases}"))
}

#[test]
fn an_undecided_case_leaves_the_mean_unknown() {
    let project = with_case("  - {id: u, trace: {calls: [look]}, expect: [{says: {status: undecided}}]}\n");
    let ran = project.run(&[]).exits(101);
    assert_eq!(ran.results()["s::pass_threshold"], "FAILED");
    ran.says("undecided: the mean is unknown: 1 of 2 cases undecided (`s::u`)");
    assert_eq!(project.verdict("s::pass_threshold")["status"], "undecided");
}

#[test]
fn a_case_of_another_kind_brings_its_own_score() {
    let half = "[{tool_blocklist: [rm]}, {says: {status: fail}}]";
    let project = with_case(&format!("  - {{id: h, trace: {{calls: [look]}}, expect: {half}}}\n"));
    let ran = project.run(&[]).exits(101);
    assert_eq!(ran.results()["s::pass_threshold"], "ok");
    assert_eq!(project.verdict("s::pass_threshold")["score"], 0.75);
}

#[test]
fn a_gate_stands_alone_under_exact() {
    let project = gate("0.9");
    for nextest in [&[][..], &[("NEXTEST", "1")]] {
        let ran = project.run_with(nextest, &["--exact", "s::pass_threshold", "--nocapture"]).exits(101);
        assert_eq!(ran.names(), ["s::pass_threshold"]);
        ran.says("the mean score of 3 cases is 0.8667");
    }
    project.run(&["--exact", "s::b", "s::pass_threshold"]).exits(101).says("1 passed; 1 failed");
    project.run(&["--exact", "rows::pass_threshold"]).exits(0).says("running 0 tests");
    let ran = project.run_with(&[("NEXTEST", "1")], &["--exact", "rows::pass_threshold"]).exits(101);
    ran.complains("no trial is called `rows::pass_threshold`");
}

#[test]
fn a_gate_holds_what_the_tier_selects() {
    let ran = gate("0.9").run_with(&[("ARRAIGN_TIER", "smoke")], &[]).exits(0);
    assert_eq!(ran.names(), ["s::a", "s::pass_threshold"]);
    ran.says("tier          smoke").says("cases         1 (1 smoke, 2 skipped)");
}

#[test]
fn a_dataset_without_the_wanted_tier_is_2() {
    let project = gate("0.7");
    project.write("evals/rows.yaml", project.read("evals/rows.yaml").replace("tier: smoke", "tier: full"));
    let smoke = [("ARRAIGN_TIER", "smoke")];
    let ran = project.run_with(&smoke, &[]).exits(2);
    assert_eq!(ran.stdout, "");
    ran.complains("no case has the wanted tier or tag").complains("3 cases were left out");
    let ran =
        project.run_with(&[("ARRAIGN_TIER", "smoke"), ("NEXTEST", "1")], &["--exact", "s::pass_threshold"]);
    ran.exits(101).complains("no trial is called `s::pass_threshold`");
    assert_eq!(project.run_with(&smoke, &["--list"]).exits(0).stdout, "");
}

#[test]
fn ignored_rows_are_not_in_the_mean() {
    let project = gate("1");
    project.write(
        "evals/rows.yaml",
        project.read("evals/rows.yaml").replace("- id: c\n", "- id: c\n  ignore: later\n"),
    );
    project.run(&[]).exits(0).says("3 passed; 0 failed; 1 ignored").says("cases         2 (");
}

#[test]
fn a_file_may_not_be_called_like_a_gate() {
    let project = gate("0.7")
        .file("evals/s/pass_threshold.yaml", "{trace: {calls: [a]}, expect: [{tool_blocklist: [b]}]}");
    let ran = project.run(&["--list"]).exits(2).complains("two cases make the trial `s::pass_threshold`");
    ran.complains("evals/s.yaml:2:7");
}

#[test]
fn each_run_of_a_file_is_a_row() {
    let project = rows("gate: {mean: 0.9}\n")
        .file(
            "evals/rows.yaml",
            "- {id: a, expected_tools: [look], trace: {file: traces/r.jsonl, each: true}}\n",
        )
        .file("evals/traces/r.jsonl", "{\"calls\": [\"look\"]}\n{\"calls\": [\"glance\"]}\n");
    let ran = project.run(&[]).exits(101).says("the mean score of 2 cases is 0.8,");
    assert_eq!(ran.results()["s::a::run_1"], "ok");
    ran.says("`s::a::run_2` scores 0.6");
}

/// 1, 1 and 0.6: the mean would be 0.8667.
#[test]
fn the_median_of_a_repeated_row_is_its_score() {
    let project = rows("gate: {mean: 1}\n")
        .file("evals/rows.yaml", "- {id: a, expected_tools: [look], repeat: 3, trace: traces/r.jsonl}\n")
        .file(
            "evals/traces/r.jsonl",
            "{\"calls\": [\"look\"]}\n{\"calls\": [\"glance\"]}\n{\"calls\": [\"look\"]}\n",
        );
    let ran = project.run_with(&[("ARRAIGN_VERBOSE", "1")], &[]).exits(0);
    ran.says("correctness   100.0%  PASS").says("passed        1 (").says("  all runs: 2 of 3 passed, ");
    project.write("evals/traces/r.jsonl", "{\"calls\": [\"glance\"]}\n".repeat(3));
    let ran = project.run(&[]).exits(101).says("the mean score of 1 case is 0.6,");
    ran.says("passed        0 (threshold 0.7)");
}

#[test]
fn the_summary_follows_the_result() {
    let project = rows("gate: {mean: 0.7, rows: report}\nprices: {m: {input: 1, output: 500}}\n");
    let ran = project.run(&["--test-threads", "1"]).exits(0).says(
        "\ngolden dataset s
  agent         shop (m)
  dataset       evals/rows.yaml
  tier          full
  cases         3 (1 smoke, 0 skipped)
  passed        2 (threshold 0.7)
  failed        1
  groundedness  100.0%  PASS
  correctness    66.7%  FAIL
  completeness  100.0%  PASS
  overall        86.7%  PASS
  latency       p50 1,500 ms, p95 1,500 ms
  tokens        3,000,000 in, 6,000 out
  cost          $6.00
",
    );
    let result = ran.stdout.find("test result");
    let summary = ran.stdout.find("golden dataset");
    assert!(result < summary);
    gate("0.7")
        .run(&[])
        .exits(0)
        .says("cost          unknown: not recorded in the traces, and `prices` does not list");
}

#[test]
fn a_plain_run_has_no_summary() {
    let ran = Project::of(&[green("a")]).run(&[]).exits(0).says_nothing_on_stderr();
    assert!(ran.stdout.trim_end().ends_with('s') && !ran.stdout.contains("golden"), "{}", ran.stdout);
}

#[test]
fn json_events_leave_the_summary_to_stderr() {
    let ran = gate("0.7").run(&["--format", "json"]).exits(0).complains("golden dataset s");
    for line in ran.stdout.lines() {
        json::parse(line).expect("an event");
    }
}

fn output(project: &Project, path: &str, code: i32) -> Json {
    project.run_with(&[("ARRAIGN_OUTPUT_JSON", path)], &[]).exits(code);
    json::from_str(&project.read(path)).expect("JSON")
}

#[test]
fn the_summary_is_written_as_json() {
    let project = gate("0.9");
    let json = output(&project, "reports/deep/summary.json", 101);
    assert_eq!((&json["schema_version"], &json["tier"]), (&1.into(), &"full".into()));
    let suite = &json["suites"][0];
    assert_eq!((&suite["name"], &suite["cases"], &suite["passed"]), (&"s".into(), &3.into(), &2.into()));
    assert_eq!((&suite["gate"], &suite["axes"]["groundedness"]), (&0.9.into(), &1.0.into()));
    assert_eq!(suite["tokens"]["input"], 3_000_000);
    assert_eq!(project.files("reports").len(), 1, "no temporary file stays");
}

#[test]
fn a_run_without_golden_rows_is_summed_up_without_axes() {
    let project = Project::of(&[green("a"), crate::project::red("b")]);
    let json = output(&project, "summary.json", 101);
    let total = &json["total"];
    assert_eq!((&total["cases"], &total["passed"], &total["failed"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!((total.get("axes"), &json["suites"]), (None, &Json::Array(Vec::new())));
    project.run_with(&[("ARRAIGN_OUTPUT_JSON", "listed.json")], &["--list"]).exits(0);
    assert!(!project.path("listed.json").exists());
}

#[test]
fn a_summary_that_cannot_be_written_is_2() {
    let project = gate("0.7").file("taken", "a file");
    let ran = project.run_with(&[("ARRAIGN_OUTPUT_JSON", "taken/summary.json")], &[]).exits(2);
    ran.complains("error: ARRAIGN_OUTPUT_JSON: cannot write `").complains("taken/summary.json`: ");
}

#[test]
fn nextest_writes_no_summary() {
    let project = gate("0.7");
    let variables = [("NEXTEST", "1"), ("ARRAIGN_OUTPUT_JSON", "s.json")];
    let ran = project.run_with(&variables, &["--exact", "s::a", "--nocapture"]).exits(0);
    assert!(!ran.stdout.contains("golden dataset") && !project.path("s.json").exists());
    ran.complains("s.json is not written (ARRAIGN_OUTPUT_JSON): under nextest")
        .complains("`cargo arraign report --run ")
        .complains("s.json` writes it");
}

#[test]
fn reports_hold_the_summary() {
    let project = gate("0.9");
    let variables = [("ARRAIGN_REPORT", "json,markdown"), ("ARRAIGN_OUTPUT_JSON", "summary.json")];
    let ran = project.run_with(&variables, &["--test-threads", "1"]).exits(101);
    let json = |path: &str| json::parse(&project.read(path)).expect("JSON");
    let summary = json("summary.json");
    assert_eq!(summary["suites"][0]["gate"], 0.9);
    assert_eq!(json("out/report.json")["summary"], summary);
    let page = project.read("out/report.md");
    let shown = page.split_once("### Golden datasets\n\n<pre>").expect("a section").1;
    let shown = shown.split_once("</pre>").expect("its end").0;
    ran.says(shown);
    assert!(shown.starts_with("golden dataset s\n"), "{shown}");
}

/// The listing process knows what no trial of a process of its own does: what was left out, and the gate.
#[test]
fn the_verdicts_of_many_processes_come_to_the_same_summary() {
    let project = gate("0.7");
    let selected = [("ARRAIGN_TIER", "smoke"), ("ARRAIGN_OUTPUT_JSON", "summary.json")];
    project.run_with(&selected, &[]).exits(0);
    let nextest = [("ARRAIGN_TIER", "smoke"), ("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r")];
    project.run_with(&nextest, &["--list", "--format", "terse"]).exits(0);
    for name in ["s::a", "s::pass_threshold"] {
        project.run_with(&nextest, &["--exact", name, "--nocapture"]).exits(0);
    }
    let run = StoredRun::open(&[project.path("out/r")]).expect("a run");
    let formats: Vec<FormatEntry> = FormatEntry::find_by_name("json").into_iter().collect();
    run.write_reports(&formats, &project.path("reports"), |_| ()).expect("a report");
    let json = |path: &str| json::parse(&project.read(path)).expect("JSON");
    let summary = json("summary.json");
    assert_eq!((&summary["suites"][0]["skipped"], &summary["total"]["skipped"]), (&2.into(), &2.into()));
    assert_eq!(json("reports/report.json")["summary"], summary);
}

/// What a run wrote, a later one is held against.
#[test]
fn a_mean_that_fell_is_red() {
    let project = rows("summary_baseline: {file: baselines/b.json, max_regression: 0.05}\n");
    let written = Ran::of(
        project
            .command(&["--skip", "pass_threshold", "--skip", "s::c"])
            .env("ARRAIGN_OUTPUT_JSON", "evals/baselines/b.json"),
    );
    written.exits(0);
    let ran = project.run(&["pass_threshold"]).exits(101);
    ran.says("error[summary_baseline]: correctness fell by 0.3333, more than `max_regression: 0.05`")
        .says("error[summary_baseline]: overall fell by 0.1333, more than `max_regression: 0.05`")
        .says("= actual: 0.6667")
        .says("the summary covers 2 cases and this run 3");
    project
        .run_with(&[("ARRAIGN_OUTPUT_JSON", "evals/baselines/b.json")], &["--skip", "pass_threshold"])
        .exits(101);
    project.run(&["pass_threshold"]).exits(0);
    // A report holds the summary, too.
    let with_report = [("ARRAIGN_REPORT", "json"), ("ARRAIGN_OUT", "evals/baselines")];
    project.run_with(&with_report, &["--skip", "pass_threshold"]).exits(101);
    let suite = project.read("evals/s.yaml");
    project.write("evals/s.yaml", suite.replace("baselines/b.json", "baselines/report.json"));
    project.run(&["pass_threshold"]).exits(0);
    project.write("evals/s.yaml", suite);
    // What fell by exactly as much as it may has not fallen too far.
    let higher =
        project.read("evals/baselines/b.json").replace("\"groundedness\": 1.0", "\"groundedness\": 1.05");
    project.write("evals/baselines/b.json", higher);
    project.run(&["pass_threshold"]).exits(0);
}

#[test]
fn a_baseline_that_is_none_is_an_error_with_its_place() {
    let project = rows("summary_baseline: {file: baselines/b.json}\n");
    let run = || project.run(&["pass_threshold"]).exits(101);
    run()
        .says("evals/baselines/b.json: no such file")
        .says("--> evals/s.yaml:2:19")
        .says("ARRAIGN_OUTPUT_JSON");
    for (text, said, place) in [
        ("{\"cases\": 3}", "not a summary of a run (expected `schema_version: 1`)", "b.json:1:1"),
        ("[", "", "b.json:1:"),
        ("{\"schema_version\": 1, \"tier\": \"full\"}", "total", "b.json:1:"),
        (&summary("s", ", \"axes\": {\"groundedness\": 1, \"correctness\": 1}"), "completeness", "b.json:2:"),
        (&summary("s", ", \"overall\": 1"), "missing `axes` or `overall`", "b.json:2:"),
    ] {
        project.write("evals/baselines/b.json", text);
        run().says("error[summary_baseline]").says(said).says(place);
    }
    let two = summary("x", "").replace("\"suites\": [", &format!("\"suites\": [{},", group("y", "")));
    project.write("evals/baselines/b.json", two);
    run().says("the summary does not contain the suite `s`, but `y`, `x`");
}

fn summary(suite: &str, more: &str) -> String {
    let total = group("all", "");
    let suite = group(suite, more);
    format!("{{\"schema_version\": 1, \"tier\": \"full\", \"total\": {total}, \"suites\": [\n{suite}]}}")
}

fn group(name: &str, more: &str) -> String {
    format!(
        "{{\"name\": \"{name}\", \"cases\": 3, \"smoke\": 1, \"skipped\": 0, \"passed\": 3, \"failed\": 0, \"runs\": 3{more}}}"
    )
}

/// A row with criteria of the project beside a suite or `arraign.yaml` that says what they check.
fn with_criteria(file: &str, table: &str) -> Project {
    let row = row("a", "look", "  criteria: {price_respected: true, asked_first: false, grounded: true}\n");
    Project::empty()
        .file("evals/rows.yaml", row)
        .file("evals/s.yaml", "dataset: rows.yaml\n")
        .file(file, table)
}

#[test]
fn a_table_says_what_the_criteria_of_rows_check() {
    let held = "criteria:\n  price_respected: [contains: $5, {call: {tool: look}}]\n  asked_first: [contains: never]\n";
    let project = with_criteria("evals/arraign.yaml", held);
    project.run(&[]).exits(0).says("1 passed");
    let card = &project.verdict("s::a")["scorecards"][0];
    let names: Vec<&str> =
        card["parts"].as_array().expect("parts").iter().filter_map(|part| part["name"].as_str()).collect();
    assert_eq!(names, ["groundedness", "correctness", "completeness", "price_respected"]);
    assert_eq!(card["score"], 1.0);
    let broken = "dataset: rows.yaml\ncriteria: {price_respected: [{call: {tool: look, args: {max: 300}}}], asked_first: [contains: x]}\n";
    let red = with_criteria("evals/s.yaml", broken).run(&[]).exits(101);
    red.says("no call of `look` has the expected arguments").says("evals/s.yaml:2:");
}

#[test]
fn mistakes_in_criteria_are_told_where_they_are() {
    let none = with_criteria("evals/other.txt", "").run(&[]).exits(2).stderr;
    assert!(none.contains("unknown criterion `price_respected`"), "{none}");
    assert!(none.contains("criteria: {price_respected: [{tool_called: ...}]}"), "{none}");
    for (table, problem) in [
        ("criteria: {unused: [{tool_caled: x}]}", "unknown check `tool_caled`"),
        ("criteria: {unused: []}", "the criterion `unused` is a list of checks, and not empty"),
        ("criteria: {grounded: [contains: x]}", "`grounded` has a meaning in every golden row"),
    ] {
        let told = with_criteria("evals/arraign.yaml", table).run(&[]).exits(2).stderr;
        assert!(told.contains(problem) && told.contains("evals/arraign.yaml:1:"), "{told}");
    }
}

#[test]
fn one_run_may_say_another_threshold() {
    // The row `c` has 0.6, and the mean is 0.8667.
    let project = rows("gate: {mean: 0.9}\n");
    project.run(&[]).exits(101).says("2 passed; 2 failed");
    let lower = project.run_with(&[("ARRAIGN_PASS_THRESHOLD", "0.5")], &[]).exits(0);
    lower.says("4 passed");
    project
        .run_with(&[("ARRAIGN_PASS_THRESHOLD", "0.95")], &[])
        .exits(101)
        .says("ARRAIGN_PASS_THRESHOLD=0.95");
    let wrong = project.run_with(&[("ARRAIGN_PASS_THRESHOLD", "70")], &[]).exits(2).stderr;
    assert!(wrong.contains("ARRAIGN_PASS_THRESHOLD is `70`: expected a number from 0 to 1"), "{wrong}");
}
