//! What people see after a run: a block a case, the summary of golden datasets, and the red trial of a gate.

use std::path::{Path, PathBuf};

use arraign::__internals::case::Tier;
use arraign::__internals::check::{Registry, Tables};
use arraign::__internals::engine::{EarlierMeans, GateRule, MeasuredCase, evaluate_gate, evaluate_recorded};
use arraign::__internals::report::block::render_case_block;
use arraign::__internals::report::{summary, terminal};
use arraign::__internals::source::Files;
use arraign::__internals::suite::{Library, Suite, load_recorded};
use arraign::__internals::verdict::summary::{Group, Row, SUMMARY_VERSION, Summary};
use arraign::json;
use arraign::verdict::Verdict;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report")
}

fn files() -> Files {
    Files::new(folder(), folder().join("evals"))
}

fn suite(name: &str) -> Suite {
    let kinds = Registry::default();
    let files = files();
    let tables = Tables::default();
    let library = Library { kinds: &kinds, files: &files, tables: &tables };
    Suite::load(&files.root().join(name), library).unwrap_or_else(|errors| panic!("{errors}"))
}

fn verdicts(suite: &Suite, name: &str) -> Vec<Verdict> {
    let files = files();
    let judge = |case: &std::sync::Arc<arraign::Case>| {
        let runs = load_recorded(case, &files.root().join("red.yaml"), &files).expect("its trace");
        let name = format!("{name}::{}", case.id.as_deref().expect("an id"));
        evaluate_recorded(case, &name, &runs)
    };
    suite.cases.iter().map(judge).collect()
}

/// The rows of `red.yaml`, measured.
fn red() -> (Suite, Vec<MeasuredCase>) {
    let suite = suite("red.yaml");
    let measured = verdicts(&suite, "red").iter().map(MeasuredCase::from_verdict).collect();
    (suite, measured)
}

fn group(measured: &[MeasuredCase]) -> Group {
    Group::from_rows("red", &measured.iter().map(|case| &case.row))
}

fn pin(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(folder().join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn each_kind_of_case_shows_its_numbers() {
    let suite = suite("expected.yaml");
    let blocks: Vec<String> = verdicts(&suite, "expected").iter().map(render_case_block).collect();
    pin("blocks", &blocks.join("\n"));
}

#[test]
fn a_golden_row_shows_its_axes_its_tools_and_what_is_missing() {
    let (suite, _) = red();
    let blocks: Vec<String> = verdicts(&suite, "red").iter().map(render_case_block).collect();
    pin("golden-blocks", &blocks.join("\n"));
}

#[test]
fn a_block_is_plain_text_whatever_the_trace_holds() {
    for verdict in verdicts(&suite("expected.yaml"), "expected") {
        let text = render_case_block(&verdict);
        assert!(!text.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{text:?}");
    }
}

#[test]
fn the_summary_shows_means_times_tokens_and_cost() {
    let (_, measured) = red();
    let of_suite = Group { gate: Some(0.8), skipped: 2, ..group(&measured) };
    let whole = Summary {
        schema_version: SUMMARY_VERSION,
        tier: Tier::Full,
        total: of_suite.clone(),
        suites: vec![of_suite],
    };
    pin("summary", &summary::render_summary(&whole));
    let json = json::to_string_pretty(&whole).expect("JSON");
    pin("summary-json", &json);
    assert_eq!(json::from_str::<Summary>(&json).expect("it reads back"), whole);
}

#[test]
fn a_run_without_golden_rows_has_no_block() {
    let plain = Summary {
        schema_version: SUMMARY_VERSION,
        tier: Tier::Smoke,
        total: Group::default(),
        suites: Vec::new(),
    };
    assert_eq!(summary::render_summary(&plain), "");
}

#[test]
fn figures_that_no_trace_tells_are_said_to_be_missing() {
    let rows: Vec<Row> = Vec::new();
    let untold = Group::from_rows("quiet", &rows.iter());
    let whole = Summary {
        schema_version: SUMMARY_VERSION,
        tier: Tier::Smoke,
        total: Group::default(),
        suites: vec![untold],
    };
    pin("summary-untold", &summary::render_summary(&whole));
}

#[test]
fn a_red_gate_begins_with_what_lost_most() {
    let (suite, measured) = red();
    let gate = GateRule::from(&suite.gate.expect("a gate"));
    let verdict = evaluate_gate(&gate, "red::pass_threshold", &measured, None);
    let lost: f64 = verdict.findings[0].losses.iter().map(|loss| loss.points).sum();
    assert!((lost - (1.0 - verdict.score.get())).abs() < 1e-9, "the losses add up");
    pin("gate", &terminal::render_red_trial(&verdict));
}

#[test]
fn a_regression_names_each_mean_that_fell() {
    let (suite, measured) = red();
    let gate = suite.gate.expect("a gate");
    let baseline = gate.baseline.clone().expect("a baseline");
    let files = files();
    let document = files.document(&baseline.file).expect("a summary");
    let earlier = EarlierMeans::read(&baseline, Ok(&document), "red").expect("its suite");
    let finding = earlier.compare(&group(&measured));
    let only = GateRule { mean: None, ..GateRule::from(&gate) };
    pin(
        "baseline",
        &terminal::render_red_trial(&evaluate_gate(&only, "red::pass_threshold", &measured, Some(finding))),
    );
}
