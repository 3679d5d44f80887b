//! Two runs beside each other: what counts as a regression, as flaky, and how it is told.

use std::path::Path;

use arraign::__internals::report::comparison::{RunComparison, TrialChange};
use arraign::__internals::report::{EarlierRun, FORMATS, RunInfo};
use arraign::__internals::suite::{ReportFormat, Suite};
use arraign::__internals::verdict::summary::Selection;
use arraign::json;
use arraign::{Harness, Trace, Verdict};

/// What the agent answered in each case, by name: a case holds if the answer says `ships`.
fn run(answers: &[(&str, Option<&str>)]) -> Vec<Verdict> {
    let suite = suite("{id: any, eval: {response_assertions: [{type: contains, value: ships}]}}");
    let verdict = |(name, answer): &(&str, Option<&str>)| {
        let trace = Trace { answer: answer.map(str::to_owned), ..Trace::default() };
        let mut verdict = arraign::evaluate(&suite.cases[0], &trace);
        (*name).clone_into(&mut verdict.name);
        verdict
    };
    answers.iter().map(verdict).collect()
}

fn suite(text: &str) -> Suite {
    Harness::new("evals").parse(text).unwrap_or_else(|errors| panic!("{errors}"))
}

const GOOD: Option<&str> = Some("it ships today");
const BAD: Option<&str> = Some("no idea");

fn before() -> Vec<Verdict> {
    run(&[
        ("a::falls", GOOD),
        ("a::goes", GOOD),
        ("a::hides", BAD),
        ("a::rises", BAD),
        ("a::stays", GOOD),
        ("a::wavers", BAD),
        ("a::wavers", GOOD),
    ])
}

fn after() -> Vec<Verdict> {
    run(&[
        ("a::comes", BAD),
        ("a::falls", BAD),
        ("a::hides", None),
        ("a::rises", GOOD),
        ("a::stays", GOOD),
        ("a::wavers", GOOD),
    ])
}

fn compare(before: &[Verdict], after: &[Verdict]) -> RunComparison {
    RunComparison::from_trials(&before.iter().collect(), &after.iter().collect())
}

fn pin(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn each_trial_is_told_as_what_became_of_it() {
    let compared = compare(&before(), &after());
    let changes: Vec<(&str, TrialChange)> =
        compared.trials.iter().map(|trial| (trial.name.as_str(), trial.change)).collect();
    let expected = [
        ("a::comes", TrialChange::New),
        ("a::falls", TrialChange::Regressed),
        ("a::goes", TrialChange::NotRun),
        ("a::hides", TrialChange::Changed),
        ("a::rises", TrialChange::Improved),
        ("a::wavers", TrialChange::Same),
    ];
    assert_eq!(changes, expected);
    assert!(compared.has_regressed());
    let flaky: Vec<&str> = compared.flaky_trials().map(|trial| trial.name.as_str()).collect();
    assert_eq!(flaky, ["a::wavers"]);
    pin("comparison-markdown", &compared.render_markdown("run-6"));
    pin("comparison-json", &json::to_string_pretty(&compared).expect("JSON"));
}

#[test]
fn a_run_beside_itself_shows_nothing() {
    let compared = compare(&after(), &after());
    assert_eq!(
        (compared.trials.as_slice(), compared.render_headline().as_str()),
        (&[][..], "nothing changed")
    );
}

#[test]
fn the_last_attempt_counts() {
    let failed_first = run(&[("x", BAD), ("x", GOOD)]);
    let passed_first = run(&[("x", GOOD), ("x", BAD)]);
    assert!(!compare(&run(&[("x", GOOD)]), &failed_first).has_regressed());
    assert!(compare(&failed_first, &passed_first).has_regressed());
}

#[test]
fn a_score_that_only_rounding_moves_is_the_same() {
    let mut before = run(&[("x", GOOD)]);
    before[0].score = arraign::Score::new(0.1 + 0.2);
    let mut after = before.clone();
    after[0].score = arraign::Score::new(0.3);
    assert!(compare(&before, &after).trials.is_empty());
    after[0].score = arraign::Score::new(0.31);
    let compared = compare(&before, &after);
    assert_eq!(compared.trials[0].change, TrialChange::Changed);
    assert!(compared.trials[0].render_transition().contains("score 30% -> 31%"));
}

/// Where the runs of one trial need not all hold, some may be red.
#[test]
fn repeats_of_which_some_are_red_are_flaky() {
    let text = "{id: any, thresholds: {variance: {runs: 2, pass_rate: 0.5}}, expect: [contains: ships], \
                trace: {steps: [{say: it ships}]}}";
    let suite = suite(text);
    let traces = [GOOD, BAD].map(|answer| Trace { answer: answer.map(str::to_owned), ..Trace::default() });
    let runs = traces
        .map(|trace| arraign::__internals::suite::RecordedRun { file: None, format: "given", trace })
        .into();
    let recorded = arraign::__internals::suite::RecordedEvidence { runs, baseline: None };
    let verdict = arraign::__internals::engine::evaluate_recorded(&suite.cases[0], "x", &recorded);
    assert!(verdict.passed, "{verdict:?}");
    let compared = compare(&[], &[verdict]);
    assert_eq!(compared.flaky_trials().count(), 1);
}

#[test]
fn names_and_claims_mean_nothing_in_a_page() {
    let hostile = "</code><script>\u{1b}[31m|`@all`\n::error::x";
    let mut after = run(&[(hostile, BAD)]);
    after[0].findings[0].violations[0].message = hostile.to_owned();
    let compared = compare(&run(&[(hostile, GOOD)]), &after);
    let page = compared.render_markdown(hostile);
    assert!(!page.contains("<script>") && !page.contains('\u{1b}'), "{page}");
}

#[test]
fn a_page_of_markdown_compares_with_the_run_that_is_given() {
    let earlier = EarlierRun::from_verdicts("run-6", &before());
    let run = RunInfo {
        id: "run-7".to_owned(),
        started: std::time::UNIX_EPOCH,
        folder: String::new(),
        rules: std::collections::BTreeMap::new(),
        skipped: Vec::new(),
        selection: Selection::default(),
        earlier: Some(earlier),
    };
    let markdown = FORMATS.iter().find(|format| format.format == ReportFormat::Markdown).expect("a format");
    let page = markdown.render_run(&run, &after());
    assert!(page.contains("### Compared with <code>run-6</code>\n\n1 regressed, 1 improved"), "{page}");
}

#[test]
fn a_thousand_regressions_fit_into_a_comment() {
    let names: Vec<String> =
        (0..1000).map(|number| format!("suite::case_{number}::{}", "x".repeat(400))).collect();
    let all = |answer: Option<&'static str>| -> Vec<Verdict> {
        run(&names.iter().map(|name| (name.as_str(), answer)).collect::<Vec<_>>())
    };
    let compared = compare(&all(GOOD), &all(BAD));
    assert!(compared.render_markdown("x").len() < 5_000);
}
