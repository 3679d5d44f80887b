//! `cargo arraign report`.

use arraign::json;
use arraign::json::Json;
use std::fs;
use std::time::SystemTime;

use arraign::__internals::case::Day;

use crate::locate_in_repository;
use crate::package::{Package, copy, pin};

fn case(id: &str, tool: &str) -> String {
    format!("  - {{id: {id}, trace: {{calls: [{tool}]}}, expect: [{{tool_blocklist: [rm]}}]}}\n")
}

pub(crate) fn suite(cases: &[(&str, &str)]) -> String {
    let cases: String = cases.iter().map(|(id, tool)| case(id, tool)).collect();
    format!(
        "tests:\n{cases}  - {{id: later, ignore: needs a key, trace: {{calls: [rm]}}, expect: [{{tool_blocklist: [rm]}}]}}\n"
    )
}

/// Two trials that stay what they are, and one that fails first and passes then.
fn retried() -> Package {
    let package = Package::of(&suite(&[("green", "look"), ("red", "rm"), ("shaky", "rm")]));
    for trial in ["s::green", "s::red", "s::shaky"] {
        package.attempt("r1", "1", trial);
    }
    package.write("evals/s.yaml", &suite(&[("green", "look"), ("red", "rm"), ("shaky", "look")]));
    package.attempt("r1", "2", "s::red");
    package.attempt("r1", "2", "s::shaky");
    package
}

#[test]
fn the_newest_run_is_shown() {
    let package = retried();
    pin("report-shown", &package.arraign(&["report"]));
}

#[test]
fn a_trial_whose_attempts_differ_is_flaky_in_every_format_that_can_say_it() {
    let package = retried();
    let ran = package.arraign(&["report", "--run", "r1", "--format", "json,junit,markdown"]);
    pin("report-formats", &ran);
    let shaky = r#"<property name="s::shaky.flaky" value="fail, pass"/>"#;
    assert!(package.read("target/arraign/report.junit.xml").contains(shaky));
    let markdown = package.read("target/arraign/report.md");
    assert!(
        markdown.contains("### Flaky\n\n<ul>\n<li><code>s::shaky</code>: fail, pass</li>\n</ul>"),
        "{markdown}"
    );
    let json: Json = json::from_str(&package.read("target/arraign/report.json")).expect("JSON");
    assert_eq!(json["verdicts"][2]["earlier_attempts"][0]["status"], "fail");
    assert_eq!(json["verdicts"][1].get("earlier_attempts"), None, "it failed each time");
    assert_eq!((&json["totals"]["cases"], &json["totals"]["passed"]), (&3.into(), &2.into()));
}

#[test]
fn shards_are_one_run() {
    let package = Package::of(&suite(&[("a", "look"), ("b", "rm"), ("c", "look")]));
    package.attempt("one", "1", "s::c");
    package.attempt("two", "1", "s::b");
    package.attempt("two", "1", "s::a");
    let folders = ["target/arraign/one", "target/arraign/two"];
    let ran = package
        .arraign(&["report", "--out", "merged", "--format", "json", "--merge", folders[0], folders[1]]);
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(101), ""));
    let json: Json = json::from_str(&package.read("merged/report.json")).expect("JSON");
    let names: Vec<&str> =
        json["verdicts"].as_array().expect("verdicts").iter().filter_map(|v| v["name"].as_str()).collect();
    assert_eq!(names, ["s::a", "s::b", "s::c"]);
    assert_eq!(json["run"]["id"], "one+two");
}

/// A shard that was started again on another machine.
#[test]
fn of_a_trial_in_two_shards_the_later_one_counts() {
    let package = Package::of(&suite(&[("a", "rm")]));
    package.attempt("one", "1", "s::a");
    package.write("evals/s.yaml", &suite(&[("a", "look")]));
    package.attempt("two", "1", "s::a");
    let merged = |one: &str, two: &str| {
        let folders = [one, two].map(|run| format!("target/arraign/{run}"));
        package.arraign(&["report", "--merge", &folders[0], &folders[1]])
    };
    let better = merged("one", "two");
    let worse = merged("two", "one");
    assert_eq!((better.code, worse.code), (Some(0), Some(101)));
    assert!(better.stdout.starts_with("flaky: s::a: fail, pass\n"), "{}", better.stdout);
}

/// Their paths begin at the root of the repository then.
#[test]
fn two_packages_with_trials_of_one_name_are_kept_apart() {
    let package = Package::of("");
    fs::create_dir(package.path(".git")).expect("a repository");
    for (name, tool) in [("shop", "rm"), ("bank", "look")] {
        package.write(&format!("crates/{name}/evals/s.yaml"), &suite(&[("a", tool)]));
        let folder = format!("crates/{name}/evals");
        let variables = [("NEXTEST", "1"), ("NEXTEST_RUN_ID", "r1")];
        package.arraign_with(&variables, &["run", &folder, "--", "--exact", "s::a", "--nocapture"]);
    }
    pin("report-packages", &package.arraign(&["report"]));
}

/// The log of all processes of the run `r1`.
const LOG: &str = "target/arraign/r1/evals.shared.jsonl";

#[test]
fn a_torn_line_is_dropped_and_counted() {
    let package = retried();
    let whole = package.read(LOG);
    let (first, rest) = whole.split_once('\n').expect("lines");
    package.write(LOG, &format!("{}\n{rest}", &first[..413]));
    let at_the_start = package.arraign(&["report"]);
    package.write(LOG, &format!("{rest}{}", &first[..413]));
    let at_the_end = package.arraign(&["report"]);
    pin("report-torn", &at_the_start);
    assert_eq!((at_the_end.stdout, at_the_end.stderr), (at_the_start.stdout, at_the_start.stderr));
}

#[test]
fn a_line_that_is_no_verdict_and_one_of_a_later_version_are_named() {
    let package = retried();
    let whole = package.read(LOG);
    package.write(LOG, &format!("{whole}{{\"schema_version\":1}}\n"));
    pin("report-broken", &package.arraign(&["report"]));
    package.write(LOG, &format!("{whole}{{\"schema_version\":2,\"renamed\":1}}\n"));
    pin("report-newer", &package.arraign(&["report"]));
}

#[test]
fn what_cannot_be_done_is_2_and_says_what_to_do() {
    let package = Package::of(&suite(&[("a", "look")]));
    pin("report-no-run", &package.arraign(&["report"]));
    package.arraign(&["run"]);
    let unknown = package.arraign(&["report", "--run", "r9"]);
    assert_eq!(unknown.code, Some(2));
    let told = &unknown.stderr;
    assert!(told.starts_with("error: no run `r9` in `") && told.contains("; the newest: `2"), "{told}");
    pin("report-not-a-run", &package.arraign(&["report", "--merge", "evals"]));
    let ran = package.arraign(&["report", "--format", "json,junk"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("invalid value 'junk' for '--format <FORMATS>': expected one or more of "));
}

#[test]
fn a_green_run_is_0() {
    let package = Package::of(&suite(&[("a", "look")]));
    package.arraign(&["run"]);
    let ran = package.arraign(&["report"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "2 cases: 1 passed, 1 skipped\n"));
}

/// Each trial was a process of its own: the summary is made of what they left.
#[test]
fn golden_rows_are_summed_up_afterwards() {
    let row = |id: &str, tool: &str| {
        format!("  - {{id: {id}, expected_tools: [look], trace: {{calls: [{tool}], model: m}}}}\n")
    };
    let rows = [row("a", "look"), row("b", "glance")].concat();
    let package = Package::of(&format!("gate: {{mean: 0.5, rows: report}}\ntests:\n{rows}"));
    for trial in ["s::a", "s::b", "s::pass_threshold"] {
        package.attempt("r1", "1", trial);
    }
    let ran = package.arraign(&["report", "--summary", "deep/summary.json"]);
    pin("report-golden", &ran);
    let written: Json = json::from_str(&package.read("deep/summary.json")).expect("JSON");
    assert_eq!((&written["suites"][0]["cases"], &written["suites"][0]["gate"]), (&2.into(), &0.5.into()));
    let variables = [("ARRAIGN_OUTPUT_JSON", "summary.json")];
    package.arraign_with(&variables, &["report", "--format", "json"]);
    assert_eq!(package.read("summary.json"), package.read("deep/summary.json"));
    package.write("taken", "a file");
    let ran = package.arraign(&["report", "--summary", "taken/summary.json"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("error: cannot write `taken/summary.json`: "), "{}", ran.stderr);
}

/// Under nextest no process can print them: the job that merges does.
#[test]
fn annotations_are_for_github_alone() {
    let package = retried();
    let line = "::error file=evals/s.yaml,line=3,col=64,title=s%3A%3Ared::tool_blocklist: ";
    let github = package.arraign_with(&[("GITHUB_ACTIONS", "true")], &["report", "--format", "json"]);
    assert_eq!(github.stdout.lines().filter(|told| told.starts_with(line)).count(), 1, "{}", github.stdout);
    assert!(!package.arraign(&["report"]).stdout.contains("::error"));
}

/// What a trace holds reaches the terminal as text alone.
#[test]
fn a_hostile_run_is_shown_harmless() {
    let package = Package::of("");
    let cases = locate_in_repository("tests/report/evals");
    fs::copy(cases.join("hostile.yaml"), package.path("evals/s.yaml")).expect("hostile cases");
    copy(&cases.join("traces"), &package.path("evals/traces"));
    assert_eq!(package.arraign(&["run"]).code, Some(101));
    let shown = package.arraign(&["report"]).stdout;
    let harmful = |c: char| {
        (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(shown.contains("evil") && !shown.contains(harmful), "{shown:?}");
    assert!(!shown.lines().any(|line| line.trim_start().starts_with("::")), "{shown}");
}

#[cfg(unix)]
#[test]
fn a_named_pipe_among_the_logs_is_an_error() {
    let package = Package::of(&format!("tests:\n{}", case("a", "look")));
    package.arraign(&["run"]);
    let run = fs::read_dir(package.path("target/arraign")).expect("runs").flatten().map(|entry| entry.path());
    let run = run.filter(|path| path.is_dir()).max().expect("a run");
    let pipe = run.join("evals.pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "{}", pipe.display());
    let ran = package.arraign(&["report"]);
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("evals.pipe.jsonl") && ran.stderr.contains("not a regular file"),
        "{}",
        ran.stderr
    );
}

/// The exit code of a report is that of the run.
#[test]
fn a_quarantined_failure_does_not_decide_a_report() {
    let package = Package::of(&suite(&[("a", "look"), ("b", "rm")]));
    let until = Day::of_time(SystemTime::now());
    package.write("evals/quarantine.yaml", &format!("- {{case: s::b, until: {until}, reason: flaps}}\n"));
    package.attempt("one", "1", "s::a");
    package.attempt("two", "1", "s::b");
    let ran = package.arraign(&["report", "--merge", "target/arraign/one", "target/arraign/two"]);
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
    let line = format!("quarantined: s::b until {until}: flaps; tool_blocklist: ");
    assert!(ran.stdout.starts_with(&line), "{}", ran.stdout);
    assert!(ran.stdout.ends_with("2 cases: 1 passed, 1 quarantined\n"), "{}", ran.stdout);
}
