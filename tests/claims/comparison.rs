//! Two sides beside each other: what is real, what is a sample, what is missing, and how it is told.

use std::path::Path;

use arraign::__internals::report::comparison::{
    ComparedRun, ComparisonError, ComparisonReport, ComparisonSettings, SideComparison, TrialChange,
    TrialStates,
};
use arraign::__internals::report::{EarlierRun, FORMATS, RunInfo};
use arraign::__internals::score::paired::{ComparisonWord, Measure, PairedMethod, PairedSettings};
use arraign::__internals::suite::{RecordedEvidence, RecordedRun, ReportFormat, Suite};
use arraign::__internals::verdict::summary::Selection;
use arraign::trace::{Arguments, Call};
use arraign::{Harness, Score, Status, Trace, Verdict, json};

/// What each case of the suite says of the one trace: it passes, fails, or cannot be decided.
const SUITE: &str = "[{id: good, expect: [contains: ships]}, {id: bad, expect: [not_contains: ships]}, \
                     {id: open, expect: [cost_at_most: {usd: 1}]}]";
const GOOD: usize = 0;
const BAD: usize = 1;
const OPEN: usize = 2;

fn suite(text: &str) -> Suite {
    Harness::new("evals").parse(text).unwrap_or_else(|errors| panic!("{errors}"))
}

fn trace(answer: &str) -> Trace {
    Trace { answer: Some(answer.to_owned()), ..Trace::default() }
}

/// The verdicts of trials by name. All judge the same trace.
fn judge(trials: &[(&str, usize)]) -> Vec<Verdict> {
    let suite = suite(SUITE);
    let verdict = |(name, case): &(&str, usize)| {
        let mut verdict = arraign::evaluate(&suite.cases[*case], &trace("it ships today"));
        (*name).clone_into(&mut verdict.name);
        verdict
    };
    trials.iter().map(verdict).collect()
}

/// The verdicts of so many cases, of which the first `good` pass, each on a trace that only this run has.
fn sample(run: &str, cases: usize, good: usize) -> Vec<Verdict> {
    let names: Vec<String> = (0..cases).map(|number| format!("a::c{number:03}")).collect();
    let trials: Vec<(&str, usize)> = names
        .iter()
        .enumerate()
        .map(|(at, name)| (name.as_str(), if at < good { GOOD } else { BAD }))
        .collect();
    let mut verdicts = judge(&trials);
    for verdict in &mut verdicts {
        verdict.runs[0].evidence_hash = Some(format!("{run} {}", verdict.name));
    }
    verdicts
}

/// Makes a verdict one of an agent that gave no answer.
fn crash(verdict: &Verdict) -> Verdict {
    let mut crashed = Verdict::empty(&verdict.name, verdict.case.clone());
    "a".clone_into(&mut crashed.suite);
    crashed.live = true;
    crashed
}

fn before() -> Vec<Verdict> {
    judge(&[
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
    judge(&[
        ("a::comes", BAD),
        ("a::falls", BAD),
        ("a::hides", OPEN),
        ("a::rises", GOOD),
        ("a::stays", GOOD),
        ("a::wavers", GOOD),
    ])
}

fn report(before: &[Verdict], after: &[Verdict], settings: &ComparisonSettings) -> ComparisonReport {
    let [before, after]: [TrialStates; 2] = [before, after].map(|verdicts| verdicts.iter().collect());
    let [before, after] = [("before", &before), ("after", &after)].map(|(name, trials)| ComparedRun {
        name,
        trials,
        is_incomplete: false,
    });
    ComparisonReport::compare_runs(before, &[after], settings).expect("runs")
}

fn compare(before: &[Verdict], after: &[Verdict]) -> SideComparison {
    report(before, after, &ComparisonSettings::default()).comparisons.remove(0)
}

fn with_margin() -> ComparisonSettings {
    ComparisonSettings {
        paired: PairedSettings { margin: Some(0.05), ..PairedSettings::default() },
        cluster: None,
    }
}

fn pin(name: &str, shown: &str) {
    let mut settings = insta::Settings::new();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/report/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name, shown));
}

#[test]
fn each_trial_on_the_same_evidence_is_told_as_what_became_of_it() {
    let report = report(&before(), &after(), &ComparisonSettings::default());
    let compared = &report.comparisons[0];
    let changes: Vec<(&str, TrialChange)> =
        compared.trials.iter().map(|trial| (trial.name.as_str(), trial.change)).collect();
    let expected = [
        ("a::falls", TrialChange::Regressed),
        ("a::hides", TrialChange::Changed),
        ("a::rises", TrialChange::Improved),
        ("a::wavers", TrialChange::Same),
    ];
    assert_eq!(changes, expected);
    assert_eq!((compared.cases, compared.fixed_pairs, compared.pairs), (5, 5, 0));
    assert_eq!(
        (compared.only_before.as_slice(), compared.only_after.as_slice()),
        (&["a::goes".to_owned()][..], &["a::comes".to_owned()][..])
    );
    // What is real needs no word about chance.
    assert!(report.fails(false) && compared.verdict.is_none());
    let flaky: Vec<&str> = compared.flaky_trials().map(|trial| trial.name.as_str()).collect();
    assert_eq!(flaky, ["a::wavers"]);
    pin("comparison-markdown", &report.render_markdown());
    pin("comparison-json", &json::to_string_pretty(&report).expect("JSON"));
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
    let failed_first = judge(&[("x", BAD), ("x", GOOD)]);
    let passed_first = judge(&[("x", GOOD), ("x", BAD)]);
    let regressed = |before: &[Verdict], after: &[Verdict]| {
        report(before, after, &ComparisonSettings::default()).fails(false)
    };
    assert!(!regressed(&judge(&[("x", GOOD)]), &failed_first));
    assert!(regressed(&failed_first, &passed_first));
}

#[test]
fn a_score_that_only_rounding_moves_is_the_same() {
    let mut before = judge(&[("x", GOOD)]);
    before[0].score = Score::new(0.1 + 0.2);
    let mut after = before.clone();
    after[0].score = Score::new(0.3);
    assert!(compare(&before, &after).trials.is_empty());
    after[0].score = Score::new(0.31);
    let compared = compare(&before, &after);
    assert_eq!(compared.trials[0].change, TrialChange::Changed);
    assert!(compared.trials[0].render_transition().contains("score 30% -> 31%"));
}

/// A case with several runs, of which these many pass.
fn repeat(name: &str, hash: &str, runs: usize, good: usize) -> Verdict {
    let text = format!(
        "{{id: any, thresholds: {{variance: {{runs: {runs}, pass_rate: 0.3}}}}, expect: [contains: ships], \
         trace: {{steps: [{{say: it ships}}]}}}}"
    );
    let suite = suite(&text);
    let run = |at: usize| {
        let trace = trace(if at < good { "it ships" } else { "no idea" });
        RecordedRun { file: None, format: "given", trace, workspace: None }
    };
    let recorded = RecordedEvidence { runs: (0..runs).map(run).collect(), baseline: None };
    let mut verdict = arraign::__internals::engine::evaluate_recorded(&suite.cases[0], name, &recorded);
    for run in &mut verdict.runs {
        run.evidence_hash = Some(hash.to_owned());
    }
    verdict
}

/// Where the runs of one trial need not all hold, some may be red.
#[test]
fn repeats_of_which_some_are_red_are_flaky() {
    let verdict = repeat("x", "same", 2, 1);
    assert!(verdict.passed, "{verdict:?}");
    let compared = compare(std::slice::from_ref(&verdict), std::slice::from_ref(&verdict));
    assert_eq!(compared.flaky_trials().count(), 1);
}

#[test]
fn a_case_counts_by_the_share_of_its_runs_that_passed() {
    let [before, after]: [Vec<Verdict>; 2] = [3, 1].map(|good| {
        (0..8).map(|number| repeat(&format!("a::c{number}"), &format!("{good}"), 3, good)).collect()
    });
    assert!(after.iter().all(|verdict| verdict.passed), "the trial passes with one run of three");
    let report = report(&before, &after, &ComparisonSettings::default());
    let compared = &report.comparisons[0];
    assert_eq!(
        (compared.verdict, compared.method),
        (Some(ComparisonWord::Worse), Some(PairedMethod::SignFlipExact))
    );
    assert_eq!(compared.difference, Some(-0.6667));
    assert_eq!(compared.lost[0].transition, "3 of 3 -> 1 of 3 runs passed");
    assert_eq!(compared.lost[0].claim.as_deref(), Some("contains: the answer does not contain \"ships\""));
    // Of three draws of one success in three runs, none is of two successes.
    let [all, one] = [&report.variants[0], &report.variants[1]];
    assert_eq!((all.pass_hat_k["3"], one.pass_hat_k["2"], one.pass_at_k["2"]), (1.0, 0.0, 0.6667));
    assert_eq!((one.cases_with_k["3"], one.passed), (8, Some(0.3333)));
}

#[test]
fn other_runs_of_the_agent_are_samples() {
    let report = report(&sample("1", 40, 37), &sample("2", 40, 35), &ComparisonSettings::default());
    let compared = &report.comparisons[0];
    assert_eq!((compared.pairs, compared.fixed_pairs, compared.lost.len()), (40, 0, 2));
    assert_eq!((compared.verdict, report.fails(false)), (Some(ComparisonWord::Undecided), false));
    assert!(report.render_sentences()[0].contains("2 of 40 pairs differ, and fewer than 6 can be chance"));
    let worse = self::report(&sample("1", 40, 37), &sample("2", 40, 25), &ComparisonSettings::default());
    assert_eq!(worse.comparisons[0].verdict, Some(ComparisonWord::Worse));
    assert!(worse.fails(true));
    assert_eq!(
        worse.render_sentences(),
        ["after is worse than before by 30.0 points (40 pairs, 95 % from -44.9 to -14.5)"]
    );
}

#[test]
fn an_agent_that_answers_the_same_twice_is_a_sample_but_a_replay_is_not() {
    let live = |mut verdicts: Vec<Verdict>| {
        for verdict in &mut verdicts {
            verdict.live = true;
        }
        verdicts
    };
    let [good, bad] = [GOOD, BAD].map(|case| judge(&[("x", case), ("y", GOOD)]));
    assert_eq!(compare(&live(good.clone()), &live(bad.clone())).pairs, 2);
    // The first side recorded what the second one replayed.
    let replayed = compare(&live(good.clone()), &bad);
    assert_eq!((replayed.fixed_pairs, replayed.trials[0].change), (2, TrialChange::Regressed));
    // A log without hashes proves nothing.
    let mut old = bad;
    for verdict in &mut old {
        verdict.runs[0].evidence_hash = None;
    }
    assert_eq!(compare(&good, &old).fixed_pairs, 0);
}

#[test]
fn a_lost_recording_and_a_gate_count_among_replays_only() {
    let gate = |passed: bool| {
        let mut gate = judge(&[("a::gate", if passed { GOOD } else { BAD })]).remove(0);
        gate.runs.clear();
        "gate".clone_into(&mut gate.findings[0].check);
        gate
    };
    let lost = |name: &str| {
        let mut lost = crash(&judge(&[(name, GOOD)])[0]);
        lost.live = false;
        lost
    };
    let before = [judge(&[("a::x", GOOD), ("a::y", GOOD)]), vec![gate(true)]].concat();
    let after = [judge(&[("a::x", GOOD)]), vec![lost("a::y"), gate(false)]].concat();
    let compared = compare(&before, &after);
    let regressed: Vec<&str> =
        compared.trials_with(TrialChange::Regressed).map(|trial| trial.name.as_str()).collect();
    assert_eq!(regressed, ["a::gate", "a::y"]);
    assert_eq!((compared.cases, compared.verdict), (2, None));
    // Beside samples, the gate is no case, and a case without a run is missing.
    let before = [sample("1", 30, 30), vec![gate(true)]].concat();
    let mut after = [sample("2", 30, 30), vec![gate(false)]].concat();
    after[7] = crash(&after[7]);
    let compared = compare(&before, &after);
    assert_eq!(
        (compared.cases, compared.pairs, compared.missing.as_slice()),
        (30, 29, &["a::c007".to_owned()][..])
    );
    assert!(compared.trials.is_empty() && compared.only_before.is_empty());
}

#[test]
fn crashes_do_not_make_a_side_better() {
    let before = sample("1", 100, 100);
    let mut after = sample("2", 100, 100);
    for verdict in &mut after[..4] {
        *verdict = crash(verdict);
    }
    let report = self::report(&before, &after, &with_margin());
    assert_eq!(report.comparisons[0].verdict, Some(ComparisonWord::Undecided));
    assert!(report.fails(false) && !report.fails(true));
    assert!(
        report.render_sentences()[0].contains("4 cases without a result in after would decide otherwise"),
        "{:?}",
        report.render_sentences()
    );
    for verdict in &mut after[..10] {
        *verdict = crash(verdict);
    }
    let many = self::report(&before, &after, &with_margin());
    assert!(many.render_sentences()[0].contains("10 of 100 cases have no result in after, more than 5.0 %"));
    let whole = self::report(&before, &sample("2", 100, 100), &with_margin());
    assert_eq!(
        whole.render_sentences(),
        ["after is no worse than before by more than 5 points (100 pairs, 95 % from -3.7 to +3.7)"]
    );
}

#[test]
fn a_row_counts_by_its_own_threshold_if_only_the_gate_decides() {
    let text = "{gate: {mean: 0.1, rows: report}, cases: [{id: row, expected_tools: [search, pay], pass_threshold: 0.9}]}";
    let case = &suite(text).cases[0];
    let judge = |tools: &[&str]| {
        let mut trace = trace("it ships");
        for (turn, tool) in (1..).zip(tools) {
            trace.push_call(Call::new(*tool, Arguments::none(), turn));
        }
        arraign::evaluate(case, &trace)
    };
    let [half, whole] = [judge(&["search"]), judge(&["search", "pay"])];
    assert!(half.passed && whole.passed, "the gate decides: {half:?}");
    assert_eq!((half.runs[0].status, whole.runs[0].status), (Some(Status::Fail), Some(Status::Pass)));
    let compared = compare(&[half], &[whole]);
    assert_eq!(compared.won.len(), 1);
    assert!(compared.won[0].claim.is_some());
}

#[test]
fn a_case_with_less_than_half_of_its_results_is_missing() {
    let mut half = repeat("x", "1", 4, 4);
    half.runs[0].status = Some(Status::Error);
    half.runs[1].status = Some(Status::Undecided);
    assert_eq!(compare(&[half.clone()], &[repeat("x", "2", 4, 2)]).pairs, 1);
    half.runs[2].status = Some(Status::Undecided);
    assert_eq!(compare(&[half], &[repeat("x", "2", 4, 2)]).missing, ["x"]);
}

#[test]
fn scores_are_compared_where_they_are_the_measure() {
    let scored = |run: &str, score: f64| {
        let mut verdicts = sample(run, 12, 12);
        for verdict in &mut verdicts {
            verdict.runs[0].score = Some(Score::new(score));
        }
        verdicts
    };
    let measure = PairedSettings { measure: Measure::Score, ..PairedSettings::default() };
    let settings = ComparisonSettings { paired: measure, cluster: None };
    let compared = report(&scored("1", 0.9), &scored("2", 0.8), &settings).comparisons.remove(0);
    assert_eq!((compared.verdict, compared.difference), (Some(ComparisonWord::Worse), Some(-0.1)));
    assert_eq!(compared.lost[0].transition, "score 90% -> 80%");
}

/// The same trials as of this variant.
fn variant(mut verdicts: Vec<Verdict>, variant: &str) -> Vec<Verdict> {
    for verdict in &mut verdicts {
        if variant != "baseline" {
            verdict.case_name = Some(verdict.name.clone());
            verdict.name = format!("{}@{variant}", verdict.name);
        }
        verdict.variant = Some(variant.to_owned());
    }
    verdicts
}

#[test]
fn variants_of_one_run_are_compared_by_case() {
    let mut own = judge(&[("a::own_trace", GOOD)]);
    "a".clone_into(&mut own[0].suite);
    let verdicts: TrialStates = [
        variant(sample("1", 30, 29), "baseline"),
        variant(sample("2", 30, 28), "cheaper"),
        // Two variants are two samples, even if they answered the same.
        variant(sample("1", 30, 10), "terse"),
        own,
    ]
    .iter()
    .flatten()
    .collect();
    let run = ComparedRun { name: "7", trials: &verdicts, is_incomplete: false };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
    let settings = ComparisonSettings::default();
    let all = ComparisonReport::compare_variants(run, &[], &settings).expect("variants");
    let sides: Vec<(&str, &str, usize, Option<ComparisonWord>)> = all
        .comparisons
        .iter()
        .map(|one| (one.before.as_str(), one.after.as_str(), one.pairs, one.verdict))
        .collect();
    let undecided = Some(ComparisonWord::Undecided);
    let worse = Some(ComparisonWord::Worse);
    assert_eq!(sides, [("baseline", "cheaper", 30, undecided), ("baseline", "terse", 30, worse)]);
    assert_eq!(all.variants.iter().map(|variant| variant.cases).collect::<Vec<_>>(), [30, 30, 30]);
    assert_eq!(all.comparisons[0].lost[0].name, "a::c028");
    let two =
        ComparisonReport::compare_variants(run, &names(&["terse", "cheaper"]), &settings).expect("variants");
    assert_eq!(two.comparisons[0].verdict, Some(ComparisonWord::Better));
    let unknown = ComparisonReport::compare_variants(run, &names(&["terse", "cheap"]), &settings);
    assert_eq!(
        unknown.expect_err("no such variant").to_string(),
        "no case of the run `7` ran the variant `cheap`; its variants are `baseline`, `cheaper`, `terse`"
    );
    let alone = ComparisonReport::compare_variants(
        ComparedRun { name: "8", trials: &judge(&[("x", GOOD)]).iter().collect(), is_incomplete: false },
        &[],
        &settings,
    );
    assert!(matches!(alone, Err(ComparisonError::UnknownVariant { known, .. }) if known.is_empty()));
}

#[test]
fn runs_are_compared_variant_by_variant() {
    let before = [sample("1", 20, 20), variant(sample("2", 20, 20), "cheaper")].concat();
    let after = [variant(sample("3", 20, 20), "baseline"), variant(sample("4", 20, 5), "cheaper")].concat();
    let report = report(&before, &after, &ComparisonSettings::default());
    let sides: Vec<(&str, &str)> =
        report.comparisons.iter().map(|one| (one.before.as_str(), one.after.as_str())).collect();
    // Cases had no variants before there were any: they ran what is now the baseline.
    assert_eq!(sides, [("before baseline", "after baseline"), ("before cheaper", "after cheaper")]);
    assert_eq!(report.comparisons[1].verdict, Some(ComparisonWord::Worse));
    // Two legs of an experiment, each with one variant.
    let legs = self::report(
        &variant(sample("1", 20, 20), "a"),
        &variant(sample("2", 20, 5), "b"),
        &ComparisonSettings::default(),
    );
    assert_eq!((legs.comparisons.len(), legs.comparisons[0].pairs), (1, 20));
}

#[test]
fn cases_of_one_cluster_count_once() {
    let clustered = |run: &str, good: usize, clusters: usize| {
        let mut verdicts = sample(run, 60, good);
        for (at, verdict) in verdicts.iter_mut().enumerate() {
            let metadata = json::from_str(&format!("{{\"repository\": \"r{}\"}}", at % clusters));
            verdict.metadata = Some(metadata.expect("metadata"));
        }
        verdicts
    };
    let settings =
        |key: &str| ComparisonSettings { cluster: Some(key.to_owned()), ..ComparisonSettings::default() };
    let few = report(&clustered("1", 60, 9), &clustered("2", 20, 9), &settings("repository"));
    assert_eq!(few.comparisons[0].verdict, Some(ComparisonWord::Undecided));
    assert!(
        few.render_sentences()[0].ends_with("9 clusters are fewer than 10"),
        "{:?}",
        few.render_sentences()
    );
    let more = report(&clustered("1", 60, 20), &clustered("2", 20, 20), &settings("repository"));
    assert_eq!(more.comparisons[0].verdict, Some(ComparisonWord::Worse));
    let verdicts: TrialStates = sample("1", 3, 3).iter().collect();
    let run = ComparedRun { name: "1", trials: &verdicts, is_incomplete: false };
    let other: TrialStates = sample("2", 3, 3).iter().collect();
    let refused = ComparisonReport::compare_runs(
        run,
        &[ComparedRun { name: "2", trials: &other, is_incomplete: false }],
        &settings("repo"),
    );
    assert_eq!(refused.expect_err("no such key"), ComparisonError::NoCluster("repo".to_owned()));
}

#[test]
fn an_unknown_figure_is_never_zero() {
    let priced = |run: &str, cost: f64, good: usize| {
        let mut verdicts = sample(run, 10, good);
        for (at, verdict) in (1_u32..).zip(&mut verdicts) {
            verdict.runs[0].cost_usd = Some(cost);
            verdict.runs[0].duration_ms = Some(f64::from(at) * 100.0);
        }
        verdicts
    };
    let before = priced("1", 0.01, 10);
    let mut after = priced("2", 0.002, 8);
    let report = self::report(&before, &after, &ComparisonSettings::default());
    let [old, new] = [&report.variants[0], &report.variants[1]];
    assert_eq!((old.cost_usd, old.cost_per_case, old.cost_per_passed), (Some(0.1), Some(0.01), Some(0.01)));
    assert_eq!((new.cost_per_case, new.cost_per_passed, new.tokens), (Some(0.002), Some(0.0025), None));
    assert_eq!((new.p50_ms, new.p95_ms), (Some(550.0), Some(955.0)));
    assert!(
        report.render_sentences()[0].contains(", at 20 % of the cost"),
        "{:?}",
        report.render_sentences()
    );
    assert_eq!(report.render_rows()[2].last().map(String::as_str), Some("-"));
    after[3].runs[0].cost_usd = None;
    let part = self::report(&before, &after, &ComparisonSettings::default());
    assert_eq!((part.variants[1].cost_usd, part.variants[1].cost_per_passed), (None, None));
    assert!(!part.render_sentences()[0].contains("of the cost"));
}

#[test]
fn names_and_claims_mean_nothing_in_a_page() {
    let hostile = "</code><script>\u{1b}[31m|`@all`\n::error::x";
    for hash in ["same", "other"] {
        let mut after = judge(&[(hostile, BAD)]);
        after[0].findings[0].violations[0].message = hostile.to_owned();
        after[0].runs[0].evidence_hash = Some(hash.to_owned());
        let mut before = judge(&[(hostile, GOOD)]);
        before[0].runs[0].evidence_hash = Some("same".to_owned());
        let page = report(&before, &after, &ComparisonSettings::default()).render_markdown();
        assert!(page.contains("script") && !page.contains("<script>") && !page.contains('\u{1b}'), "{page}");
    }
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
        history: None,
    };
    let markdown = FORMATS.iter().find(|format| format.format == ReportFormat::Markdown).expect("a format");
    let page = markdown.render_run(&run, &after());
    let heading = "### <code>run-7</code> compared with <code>run-6</code>\n\n1 regressed, 1 improved";
    assert!(page.contains(heading), "{page}");
}

#[test]
fn a_thousand_regressions_fit_into_a_comment() {
    let names: Vec<String> =
        (0..1000).map(|number| format!("suite::case_{number}::{}", "x".repeat(400))).collect();
    let all = |case: usize| -> Vec<Verdict> {
        judge(&names.iter().map(|name| (name.as_str(), case)).collect::<Vec<_>>())
    };
    let page = report(&all(GOOD), &all(BAD), &ComparisonSettings::default()).render_markdown();
    assert!(page.len() < 6_000, "{}", page.len());
}
