//! Each format of a report, from one shared run, and from a hostile one: whatever a trace holds, a report stays valid
//! and means nothing but what it shows.

mod html;
mod schemas;

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use arraign::__internals::check::{BUILTIN, Registry, Tables};
use arraign::__internals::engine::{evaluate_recorded, failed_with};
use arraign::__internals::outcome::Status;
use arraign::__internals::place::Location;
use arraign::__internals::report::annotations::Annotations;
use arraign::__internals::report::comparison::{ComparedRun, ComparisonReport, ComparisonSettings};
use arraign::__internals::report::{
    EarlierRun, FORMATS, FormatEntry, ReportBuilder, RunInfo, SkippedTrial, summary,
};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, ReportFormat, Suite, load_recorded};
use arraign::__internals::verdict::summary::{GoldenSuite, Selection, Summary};
use arraign::json::{self, Json, json};
use arraign::verdict::{Attempt, Verdict};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report")
}

/// The verdicts of a file of cases, without what differs from run to run.
fn verdicts(name: &str) -> Vec<Verdict> {
    let kinds = Registry::default();
    let tables = Tables::default();
    let files = Files::new(folder(), folder().join("evals"));
    let library = Library { kinds: &kinds, files: &files, tables: &tables };
    let path = files.root().join(format!("{name}.yaml"));
    let suite = Suite::load(&path, library).unwrap_or_else(|errors| panic!("{errors}"));
    let judge = |case: &std::sync::Arc<arraign::Case>| {
        let trial = format!("{name}::{}", case.id.as_deref().expect("an id"));
        let verdict = match load_recorded(case, &path, &files) {
            Ok(runs) => evaluate_recorded(case, &trial, &runs),
            Err(error) => failed_with(case, &trial, case.trace_place(), error.into()),
        };
        without_times(verdict)
    };
    suite.cases.iter().map(judge).collect()
}

fn without_times(mut verdict: Verdict) -> Verdict {
    verdict.duration_ms = 1.0;
    verdict.findings.iter_mut().for_each(|finding| finding.duration_ms = 0.0);
    verdict
}

fn run() -> RunInfo {
    let asleep = |name: &str, reason: Option<&str>| SkippedTrial {
        name: format!("every::{name}"),
        file: "evals/every.yaml".to_owned(),
        reason: reason.map(str::to_owned),
    };
    RunInfo {
        id: "run-7".to_owned(),
        started: UNIX_EPOCH + Duration::from_secs(1_795_231_203),
        folder: "crates/shop/".to_owned(),
        rules: BUILTIN.iter().map(|kind| (kind.name.to_owned(), kind.summary.to_owned())).collect(),
        skipped: vec![asleep("asleep", Some("until \"ä\" is <fixed>")), asleep("silent", None)],
        selection: Selection::default(),
        earlier: None,
        history: None,
    }
}

/// A text that would break out of every format, if it could.
const HOSTILE: &str = "evil]]></x></script><script>alert(2)</script><img src=x>\u{1b}[31m\u{202e}\n::error::x\n##[error]`@everyone`\u{0}";

/// The run of the hostile trace: all that is said of a run and of a trial, beside what its trace holds, is hostile, too.
fn hostile_run() -> RunInfo {
    let verdict = |name: &str, passed: bool| {
        let mut verdict = Verdict::empty(name, Location::default());
        (verdict.passed, verdict.harness) = (passed, HOSTILE.to_owned());
        verdict
    };
    let before = [verdict(HOSTILE, true), verdict(&verdicts("hostile")[0].name, true)];
    let golden =
        GoldenSuite { harness: HOSTILE.to_owned(), name: HOSTILE.to_owned(), skipped: 0, gate: None };
    RunInfo {
        selection: Selection { golden: vec![golden], ..Selection::default() },
        earlier: Some(EarlierRun::from_verdicts(HOSTILE, &before)),
        skipped: vec![SkippedTrial {
            name: HOSTILE.to_owned(),
            file: HOSTILE.to_owned(),
            reason: Some(HOSTILE.to_owned()),
        }],
        ..run()
    }
}

/// Its verdicts: each was tried before with another end, and the last is a golden row.
fn hostile() -> Vec<Verdict> {
    let mut golden = verdicts("red").into_iter().next().expect("a row");
    (golden.status, golden.passed) = (Status::Fail, false);
    let quarantine = json!({"until": HOSTILE, "reason": HOSTILE, "owner": HOSTILE, "unchecked": HOSTILE});
    golden.quarantine = arraign::json::from_json(quarantine).expect("a quarantine");
    golden.runs.iter_mut().for_each(|run| run.agent = Some(HOSTILE.to_owned()));
    HOSTILE.clone_into(&mut golden.case.file);
    let mut all = verdicts("hostile");
    all.push(golden);
    for verdict in &mut all {
        (verdict.harness, verdict.suite) = (HOSTILE.to_owned(), HOSTILE.to_owned());
        verdict.earlier_attempts.push(Attempt::new(Status::Pass, true));
    }
    all
}

fn format(wanted: ReportFormat) -> &'static FormatEntry {
    FORMATS.iter().find(|format| format.format == wanted).expect("a format")
}

fn rendered(wanted: ReportFormat, name: &str) -> String {
    format(wanted).render_run(&run(), &verdicts(name))
}

fn annotations(verdicts: &[Verdict]) -> String {
    let run = run();
    let mut annotations = Box::new(Annotations::new(&run));
    for verdict in verdicts {
        annotations.add_verdict(verdict);
    }
    annotations.finish()
}

fn json(text: &str) -> Json {
    json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn pretty(text: &str) -> String {
    let text = json::to_string_pretty(&json(text)).expect("JSON");
    text.replace(env!("CARGO_PKG_VERSION"), "[version]")
}

fn pin(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn junit_keeps_failures_errors_and_skipped_trials_apart() {
    pin("junit", &rendered(ReportFormat::Junit, "every"));
}

#[test]
fn sarif_points_at_what_was_broken() {
    pin("sarif", &pretty(&rendered(ReportFormat::Sarif, "every")));
}

#[test]
fn json_holds_the_run_its_totals_and_the_verdicts() {
    let report = json(&rendered(ReportFormat::Json, "every"));
    let expected = json!({
        "cases": 8, "passed": 2, "failed": 4, "quarantined": 0, "undecided": 1, "errors": 1, "skipped": 2,
    });
    assert_eq!((&report["schema_version"], &report["totals"]), (&1.into(), &expected));
    assert_eq!(report["run"]["id"], "run-7");
    assert_eq!(report["run"]["started"], "2026-11-21T03:20:03Z");
    assert_eq!(report["skipped"][0]["reason"], "until \"ä\" is <fixed>");
    let read: Vec<Verdict> = json::from_json(report["verdicts"].clone()).expect("verdicts");
    assert_eq!(read, verdicts("every"));
}

#[test]
fn json_lines_hold_a_verdict_each() {
    let report = rendered(ReportFormat::Jsonl, "every");
    let read: Vec<Verdict> = report.lines().map(|line| json::from_str(line).expect("a verdict")).collect();
    assert_eq!(read, verdicts("every"));
}

#[test]
fn ctrf_counts_each_trial_once() {
    let text = rendered(ReportFormat::Ctrf, "every");
    let summary = &json(&text)["results"]["summary"];
    let counts =
        ["tests", "passed", "failed", "skipped", "other"].map(|key| summary[key].as_u64().expect(key));
    assert_eq!(counts, [10, 2, 6, 2, 0]);
    pin("ctrf", &pretty(&text));
}

#[test]
fn otel_holds_an_event_for_each_check() {
    let text = rendered(ReportFormat::Otel, "every");
    let records = &json(&text)["resourceLogs"][0]["scopeLogs"][0]["logRecords"];
    let findings: usize = verdicts("every").iter().map(|verdict| verdict.findings.len().max(1)).sum();
    assert_eq!(records.as_array().map(<[Json]>::len), Some(findings));
    pin("otel", &pretty(&text));
}

#[test]
fn markdown_shows_totals_scores_and_what_did_not_pass() {
    pin("markdown", &rendered(ReportFormat::Markdown, "every"));
}

#[test]
fn annotations_mark_the_line_below_the_repository() {
    pin("annotations", &annotations(&verdicts("every")));
}

#[test]
fn a_run_without_a_trial_is_a_report_as_well() {
    for format in FORMATS {
        let report = format.render_run(&RunInfo { skipped: Vec::new(), ..run() }, &[]);
        assert!(report.is_empty() == (format.format == ReportFormat::Jsonl), "{}: {report}", format.file);
    }
}

#[test]
fn a_hostile_trace_leaves_every_report_harmless() {
    let hostile = hostile();
    let reports = FORMATS.iter().map(|format| (format.file, format.render_run(&hostile_run(), &hostile)));
    let earlier = hostile_run().earlier.expect("a run");
    let before = ComparedRun { name: HOSTILE, trials: &earlier.trials, is_incomplete: false };
    let later = hostile.iter().collect();
    let after = ComparedRun { name: HOSTILE, trials: &later, is_incomplete: false };
    let compared = ComparisonReport::compare_runs(before, &[after], &ComparisonSettings::default());
    let compared = compared.expect("runs");
    let others = [
        ("annotations", annotations(&hostile)),
        ("comparison in Markdown", compared.render_markdown()),
        ("summary", summary::render_summary(&summed(&hostile))),
    ];
    for (file, text) in reports.chain(others) {
        assert!(text.contains("evil"), "{file} shows the violation: {text}");
        let control = text.chars().find(|c| is_harmful(*c));
        assert_eq!(control, None, "{file}: {text:?}");
        let shown = without_own_scripts(&text);
        let words: &[&str] = match file {
            // A line that is a command already is not looked through for another one.
            "annotations" => &[],
            // Markup means nothing on a terminal.
            "summary" => &["##[", "##vso"],
            _ => &["<script", "</script", "<img", "##[", "##vso"],
        };
        let word = words.iter().find(|word| shown.contains(**word));
        assert_eq!(word, None, "{file}: {text}");
        let command = |line: &&str| line.trim_start().starts_with("::");
        let commands = text.lines().filter(command).count();
        // A quarantined failure is no error of the pull request.
        let red = hostile.iter().filter(|verdict| !verdict.is_quarantined()).count();
        assert_eq!(commands, if file == "annotations" { red } else { 0 }, "{file}: {text}");
    }
}

/// Compares two lists of verdicts, each with a name.
fn compare_verdicts(before: (&str, &[Verdict]), after: (&str, &[Verdict])) -> ComparisonReport {
    let [earlier, later] = [before.1, after.1].map(|verdicts| verdicts.iter().collect());
    let before = ComparedRun { name: before.0, trials: &earlier, is_incomplete: false };
    let after = ComparedRun { name: after.0, trials: &later, is_incomplete: false };
    ComparisonReport::compare_runs(before, &[after], &ComparisonSettings::default()).expect("runs")
}

fn summed(verdicts: &[Verdict]) -> Summary {
    let run = hostile_run();
    let mut rows = summary::SummaryRows::new(&run);
    for verdict in verdicts {
        rows.add_verdict(verdict);
    }
    rows.summarize()
}

/// A page has scripts of its own: it begins and ends each of them once.
fn without_own_scripts(text: &str) -> String {
    let own = ["<script type=\"application/json\" id=\"", "<script>", "</script>"];
    let of_page = text.starts_with("<!DOCTYPE html>");
    own.into_iter().filter(|_| of_page).fold(text.to_owned(), |text, own| text.replace(own, ""))
}

fn is_harmful(c: char) -> bool {
    (c.is_control() && c != '\n')
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}

#[test]
fn a_hostile_report_is_still_of_its_format() {
    let hostile = hostile();
    let render = |wanted: ReportFormat| format(wanted).render_run(&hostile_run(), &hostile);
    let names: Vec<Json> = hostile.iter().map(|verdict| Json::from(verdict.name.as_str())).collect();
    let report = json(&render(ReportFormat::Json));
    assert_eq!(
        (&report["verdicts"][0]["name"], &report["skipped"][0]["reason"]),
        (&names[0], &HOSTILE.into())
    );
    assert_eq!(report["summary"]["suites"][0]["name"], HOSTILE);
    let lines = render(ReportFormat::Jsonl);
    assert_eq!(lines.lines().map(|line| json(line)["name"].clone()).collect::<Vec<_>>(), names);
    assert_eq!(json(&render(ReportFormat::Sarif))["runs"][0]["results"][0]["ruleId"], "tool_blocklist");
    pin("hostile-sarif", &pretty(&render(ReportFormat::Sarif)));
    pin("hostile-junit", &render(ReportFormat::Junit));
    pin("hostile-markdown", &render(ReportFormat::Markdown));
    pin("hostile-annotations", &annotations(&hostile));
}

#[test]
fn fingerprints_do_not_see_where_a_line_has_gone() {
    let fingerprints = |verdicts: &[Verdict]| -> Vec<Json> {
        let log = json(&format(ReportFormat::Sarif).render_run(&run(), verdicts));
        let results = log["runs"][0]["results"].as_array().expect("results");
        results.iter().map(|result| result["partialFingerprints"]["arraign/v1"].clone()).collect()
    };
    let before = verdicts("every");
    let mut after = before.clone();
    for verdict in &mut after {
        verdict.case.line += 10;
        for breach in verdict.findings.iter_mut().flat_map(|finding| &mut finding.violations) {
            breach.at.line += 10;
            breach.call = breach.call.map(|call| call + 1);
        }
    }
    assert_eq!(fingerprints(&before), fingerprints(&after));
    let distinct: std::collections::HashSet<String> =
        fingerprints(&before).iter().map(Json::to_string).collect();
    assert_eq!(distinct.len(), fingerprints(&before).len());
}

#[test]
fn more_results_than_are_shown_leave_the_gravest_and_a_notice() {
    let red = verdicts("every").into_iter().find(|verdict| verdict.name == "every::red").expect("red");
    let mut costly = red.clone();
    costly
        .findings
        .iter_mut()
        .for_each(|finding| finding.effect = arraign::__internals::score::Effect::Inform);
    let many: Vec<Verdict> = (0..2600).flat_map(|_| [costly.clone(), red.clone()]).collect();
    let log = json(&format(ReportFormat::Sarif).render_run(&run(), &many));
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 5000);
    assert!(results.iter().all(|result| result["level"] == "error"), "the notes are left out first");
    let notices = &log["runs"][0]["invocations"][0]["toolExecutionNotifications"];
    let text = notices[0]["message"]["text"].as_str().expect("a notice");
    assert!(text.starts_with("5400 more results are not in this report"), "{text}");
}

#[test]
fn a_long_run_keeps_markdown_within_a_comment() {
    let red = verdicts("every");
    let many: Vec<Verdict> = (0..200).flat_map(|_| red.clone()).collect();
    let report = format(ReportFormat::Markdown).render_run(&run(), &many);
    assert!(report.len() < 65_536, "{}", report.len());
    assert!(
        report.contains("more cases that did not pass; the verdict logs contain all of them"),
        "{report}"
    );
}
