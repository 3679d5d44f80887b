//! The runs of a case against its baseline: a recorded run that was good.

use super::run::{RunResult, evaluate_run};
use crate::case::{Baseline, Case};
use crate::judge::JudgeSession;
use crate::outcome::{Item, LocatedViolation, Score, State, Status, Violation};
use crate::score::compare::{Change, Comparison, Run as Side};
use crate::suite::{NoBaseline, RecordedRun};
use crate::verdict::{Finding, TrialError};

/// What the comparison gave.
pub(super) struct BaselineComparison<'b> {
    baseline: Option<(&'b Baseline, &'b RecordedRun)>,
    /// What the good run comes to, once a run was compared with it.
    of_good: Option<RunResult>,
    /// A finding a run.
    pub(super) findings: Vec<Finding>,
    /// Why there is nothing to compare with.
    pub(super) error: Option<TrialError>,
}

impl<'b> BaselineComparison<'b> {
    /// Before any run of `case` was compared with the one that was good.
    pub(super) fn new(case: &'b Case, good: Option<&'b Result<RecordedRun, NoBaseline>>) -> Self {
        let given = case.baseline.as_deref().zip(good);
        let mut findings = Vec::new();
        let (baseline, error) = match given {
            None => (None, None),
            Some((baseline, Ok(run))) => (Some((baseline, run)), None),
            Some((baseline, Err(NoBaseline::Missing(file)))) => {
                findings.push(missing_finding(baseline, file));
                (None, None)
            }
            Some((baseline, Err(NoBaseline::Unreadable(problem)))) => {
                let message = format!("the baseline cannot be read\n{problem}");
                (None, Some(TrialError { message, at: baseline.place.locate() }))
            }
        };
        Self { baseline, of_good: None, findings, error }
    }

    /// Compares the run of this number with the baseline, which is held against the same case.
    pub(super) fn compare_run(
        &mut self,
        case: &Case,
        run: &RecordedRun,
        number: usize,
        held: &RunResult,
        hearing: Option<&JudgeSession<'_>>,
    ) {
        let Some((baseline, good)) = self.baseline else { return };
        let of_good = self.of_good.get_or_insert_with(|| evaluate_run(case, &good.trace, 0, hearing));
        let comparison =
            Comparison::of(&comparison_side(good, of_good), &comparison_side(run, held), &baseline.limits);
        self.findings.push(Finding { run: number, ..comparison_finding(baseline, good, &comparison) });
    }
}

/// What makes the run the first baseline needs to know where it belongs.
fn missing_finding(baseline: &Baseline, file: &str) -> Finding {
    let mut finding = Finding::empty("unchanged", &baseline.place);
    finding.unfit = Some(format!("there is no baseline `{file}` yet"));
    finding.help = Some("if this run is right, `cargo arraign accept` makes it the baseline".to_owned());
    finding.values.insert("baseline".to_owned(), file.into());
    finding
}

fn comparison_side<'t>(run: &'t RecordedRun, held: &RunResult) -> Side<'t> {
    Side { trace: &run.trace, score: held.score().get() * 100.0, passed: held.status() == Status::Pass }
}

fn comparison_finding(baseline: &Baseline, good: &RecordedRun, comparison: &Comparison) -> Finding {
    let fails = comparison.fails(&baseline.limits);
    let state = if fails { State::Violated } else { State::Held };
    let changed = comparison.change != Change::Passed;
    let mut finding = Finding {
        status: if fails { Status::Fail } else { Status::Pass },
        score: if fails { Score::ZERO } else { Score::FULL },
        violations: if fails { vec![comparison_violation(baseline, good, comparison)] } else { Vec::new() },
        items: vec![Item::new(comparison.change.to_string(), state)],
        ..Finding::empty("unchanged", &baseline.place)
    };
    if changed {
        finding.items = finding.items.into_iter().map(|item| item.note(comparison.claim())).collect();
    }
    if fails {
        // What takes the run as the new baseline needs to know where that lies.
        let file = good.file.as_deref().unwrap_or(&baseline.file);
        finding.values.insert("baseline".to_owned(), file.into());
    }
    if let Ok(comparison) = serde_json::to_value(comparison) {
        finding.values.insert("comparison".to_owned(), comparison);
    }
    finding
}

fn comparison_violation(
    baseline: &Baseline,
    good: &RecordedRun,
    comparison: &Comparison,
) -> LocatedViolation {
    let script = comparison.script();
    let file = good.file.as_deref().unwrap_or(&baseline.file);
    let violation = Violation::new(format!("{}: {}", comparison.change, comparison.claim()))
        .help("look at what changed; if it is right, record it as the new baseline");
    let violation = if script.is_empty() {
        violation
    } else {
        violation.expected(format!("the calls of {file}"), script)
    };
    violation.resolve(baseline.place.locate())
}
