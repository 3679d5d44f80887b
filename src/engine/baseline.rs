//! Compares the runs of a case with its baseline, which is a recorded run that was accepted.

use super::fit::describe_other_input;
use super::run::{OpinionSource, RunResult, evaluate_run};
use crate::case::{Baseline, Case};
use crate::check::InputMatch;
use crate::outcome::{Item, LocatedViolation, Score, State, Status, Violation};
use crate::score::compare::{ComparedRun, Comparison, ComparisonStatus};
use crate::suite::{NoBaseline, RecordedRun};
use crate::verdict::{Finding, TrialError};

/// Collects the comparisons of a case's runs with its baseline.
pub(super) struct BaselineComparison<'b> {
    baseline: Option<(&'b Baseline, &'b RecordedRun)>,
    /// The result of the baseline's run, evaluated for the first comparison.
    baseline_result: Option<RunResult>,
    /// One finding for each run.
    pub(super) findings: Vec<Finding>,
    /// Why the baseline's run is none of the case.
    misfit: Option<String>,
    /// Why the baseline cannot be read.
    pub(super) error: Option<TrialError>,
}

impl<'b> BaselineComparison<'b> {
    /// Starts without comparisons. A missing baseline is a finding; an unreadable one is an error of the trial. A baseline that
    /// was recorded for another input is undecided.
    pub(super) fn new(
        case: &'b Case,
        recorded: Option<&'b Result<RecordedRun, NoBaseline>>,
        input_match: InputMatch,
    ) -> Self {
        let mut findings = Vec::new();
        let (baseline, error) = match case.baseline.as_deref().zip(recorded) {
            None => (None, None),
            Some((baseline, Ok(run))) => (Some((baseline, run)), None),
            Some((baseline, Err(NoBaseline::Missing(file)))) => {
                findings.push(missing_finding(baseline, file));
                (None, None)
            }
            Some((baseline, Err(NoBaseline::Unreadable(problem)))) => {
                let message = format!("cannot read the baseline\n{problem}");
                (None, Some(TrialError { message, at: baseline.place.locate() }))
            }
        };
        let misfit = baseline.and_then(|(_, run)| describe_other_input(case, &run.trace, input_match));
        Self { baseline, baseline_result: None, findings, misfit, error }
    }

    /// Compares the run of this number, which has this result, with the baseline's run. Both are evaluated on the same case,
    /// so that a changed case does not look like a changed agent.
    pub(super) fn compare_run(
        &mut self,
        case: &Case,
        run: &RecordedRun,
        number: usize,
        result: &RunResult,
        opinions: OpinionSource<'_>,
    ) {
        let Some((baseline, accepted)) = self.baseline else { return };
        if let Some(misfit) = &self.misfit {
            self.findings.push(Finding { run: number, ..misfit_finding(baseline, accepted, misfit) });
            return;
        }
        // The default trace of a case is only known now. A run that is read from the baseline never differs from it.
        if run.file.is_some() && run.file == accepted.file && run.trace == accepted.trace {
            let message = "the baseline is the trace of the case itself: nothing can ever differ\n\
                           name another recorded run as the `baseline`: the one that was accepted";
            self.error = Some(TrialError { message: message.to_owned(), at: baseline.place.locate() });
            return;
        }
        // The baseline is evaluated once for all runs, and only if there is a run to compare.
        let baseline_result = self.baseline_result.get_or_insert_with(|| {
            evaluate_run(case, &case.settle_run(&accepted.trace, accepted.format), 0, opinions)
        });
        let before = compared_run(accepted, baseline_result);
        let comparison = Comparison::of(&before, &compared_run(run, result), &baseline.limits);
        self.findings.push(Finding { run: number, ..comparison_finding(baseline, accepted, &comparison) });
    }
}

/// Returns the finding of a case whose baseline does not exist yet. `cargo arraign accept` reads the file's name from it.
fn missing_finding(baseline: &Baseline, file: &str) -> Finding {
    let mut finding = Finding::empty("unchanged", &baseline.place);
    finding.unfit = Some(format!("there is no baseline `{file}` yet"));
    finding.help = Some("if this run is right, `cargo arraign accept` makes it the baseline".to_owned());
    finding.values.insert("baseline".to_owned(), file.into());
    finding
}

/// Returns the finding of a case whose baseline is a run of another input.
fn misfit_finding(baseline: &Baseline, accepted: &RecordedRun, misfit: &str) -> Finding {
    let file = accepted.file.as_deref().unwrap_or(&baseline.file);
    let mut finding = Finding::empty("unchanged", &baseline.place);
    finding.status = Status::Undecided;
    finding.unfit = Some(format!("the baseline `{file}` was {misfit}"));
    finding.help = Some("accept a run of this case as the new baseline".to_owned());
    finding.values.insert("baseline".to_owned(), file.into());
    finding
}

fn compared_run<'t>(run: &'t RecordedRun, result: &RunResult) -> ComparedRun<'t> {
    let (score, passed) = (result.score().get() * 100.0, result.status() == Status::Pass);
    ComparedRun { trace: &run.trace, score, passed }
}

fn comparison_finding(baseline: &Baseline, accepted: &RecordedRun, comparison: &Comparison) -> Finding {
    let fails = comparison.fails(&baseline.limits);
    let state = if fails { State::Violated } else { State::Held };
    let changed = comparison.change != ComparisonStatus::Passed;
    let mut finding = Finding {
        status: if fails { Status::Fail } else { Status::Pass },
        score: if fails { Score::ZERO } else { Score::FULL },
        violations: if fails {
            vec![comparison_violation(baseline, accepted, comparison)]
        } else {
            Vec::new()
        },
        items: vec![Item::new(comparison.change.to_string(), state)],
        ..Finding::empty("unchanged", &baseline.place)
    };
    if changed {
        finding.items = finding.items.into_iter().map(|item| item.note(comparison.claim())).collect();
    }
    if fails {
        // `cargo arraign accept` reads the baseline's file from this value.
        let file = accepted.file.as_deref().unwrap_or(&baseline.file);
        finding.values.insert("baseline".to_owned(), file.into());
    }
    if let Ok(comparison) = serde_json::to_value(comparison) {
        finding.values.insert("comparison".to_owned(), comparison);
    }
    finding
}

fn comparison_violation(
    baseline: &Baseline,
    accepted: &RecordedRun,
    comparison: &Comparison,
) -> LocatedViolation {
    let script = comparison.script();
    let file = accepted.file.as_deref().unwrap_or(&baseline.file);
    let violation = Violation::new(format!("{}: {}", comparison.change, comparison.claim()))
        .help("look at the change; if it is right, accept the run as the new baseline");
    // A difference in figures alone has no edits to show.
    let violation = if script.is_empty() {
        violation
    } else {
        violation.expected(format!("the calls of {file}"), script)
    };
    violation.resolve(baseline.place.locate())
}
