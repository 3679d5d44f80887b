//! Compares the runs of a case with its baseline, which is a recorded run that was accepted.

use super::fit::describe_other_input;
use super::run::{OpinionSource, evaluate_run};
use super::run_result::RunResult;
use crate::case::{Baseline, Case};
use crate::check::{InputMatch, advise_on_calls, explain_bad_end, is_in_reverse};
use crate::evidence::{CallSuccess, Known};
use crate::json;
use crate::outcome::{
    CannotDecide, Item, LocatedViolation, Score, State, Status, UndecidedCause, UndecidedReason, Violation,
};
use crate::score::compare::{ComparedRun, Comparison, ComparisonStatus, EditKind};
use crate::suite::{NoBaseline, RecordedRun};
use crate::trace::{CallsUnrecorded, Ended};
use crate::verdict::{Finding, TrialError};

/// Collects the comparisons of a case's runs with its baseline.
pub(super) struct BaselineComparison<'b> {
    baseline: Option<(&'b Baseline, &'b RecordedRun)>,
    /// The result of the baseline's run, evaluated for the first comparison.
    baseline_result: Option<RunResult>,
    /// One finding for each run.
    pub(super) findings: Vec<Finding>,
    /// Why the baseline's run does not belong to the case.
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
            let trace = case.settle_run(&accepted.trace, accepted.format).into_owned();
            evaluate_run(case, &RecordedRun { trace, ..accepted.clone() }, 0, opinions)
        });
        let before = compared_run(accepted, baseline_result);
        let comparison = Comparison::of(&before, &compared_run(run, result), &baseline.limits);
        let doubt = if is_proven_failure(&comparison, baseline, run, result) {
            None
        } else {
            find_doubt(case, accepted, run, result, &comparison, baseline)
        };
        let mut finding = comparison_finding(baseline, accepted, &comparison);
        if let Some(doubt) = doubt {
            make_undecided(&mut finding, doubt);
        }
        self.findings.push(Finding { run: number, ..finding });
    }
}

/// Whether the difference fails the case, whatever the run did not do or its trace does not show.
fn is_proven_failure(
    comparison: &Comparison,
    baseline: &Baseline,
    run: &RecordedRun,
    result: &RunResult,
) -> bool {
    let broke_off = matches!(run.trace.ended, Ended::Failed(_) | Ended::Cut(_) | Ended::Limit(_));
    comparison.fails(&baseline.limits)
        && match comparison.change {
            ComparisonStatus::Regression => result.status() != Status::Undecided,
            // A missing call may be one that the trace lacks; another call is there.
            ComparisonStatus::ToolsChanged => {
                !is_in_reverse(&run.trace)
                    && comparison.edits.iter().any(|edit| edit.kind != EditKind::Removed)
            }
            ComparisonStatus::OutputChanged => !broke_off && !is_in_reverse(&run.trace),
            ComparisonStatus::Passed => false,
        }
}

/// Explains why it is not known whether the run differs from its baseline.
fn find_doubt(
    case: &Case,
    accepted: &RecordedRun,
    run: &RecordedRun,
    result: &RunResult,
    comparison: &Comparison,
    baseline: &Baseline,
) -> Option<CannotDecide> {
    let bad_end = if case.judges_end() { None } else { explain_bad_end(&run.trace) };
    if bad_end.is_some() {
        return bad_end;
    }
    let compares_calls = baseline.limits.fail_on.contains(&ComparisonStatus::ToolsChanged);
    if let Some(reason) = run.trace.calls_unrecorded.as_ref().filter(|_| compares_calls) {
        let unfit = CannotDecide::missing(reason.to_string()).help(advise_on_calls(reason, &run.trace));
        return Some(match reason {
            CallsUnrecorded::Unread { .. } => unfit.cause(UndecidedCause::NotReadWhole),
            _ => unfit,
        });
    }
    if comparison.fails(&baseline.limits)
        && comparison.change == ComparisonStatus::Regression
        && result.status() == Status::Undecided
    {
        let reason =
            "a check of the run is undecided, so it is not known whether the run is worse than its baseline";
        return Some(CannotDecide::missing(reason));
    }
    // Without an edit, the calls of both runs are the same, one by one.
    if !compares_calls || !comparison.edits.is_empty() {
        return None;
    }
    let before = case.settle_run(&accepted.trace, accepted.format);
    let known_before = CallSuccess::of(&before);
    let known = CallSuccess::of(&run.trace);
    let mut pairs = before.calls.iter().zip(&run.trace.calls);
    let suspect = pairs.find(|(before, call)| {
        known.happened(call) == Known::Unknown && known_before.happened(before) == Known::Yes
    });
    suspect.map(|(_, call)| known.explain_doubt(call))
}

/// Leaves the finding of a comparison undecided.
fn make_undecided(finding: &mut Finding, doubt: CannotDecide) {
    let (UndecidedReason::MissingEvidence(reason)
    | UndecidedReason::InvalidEvidence(reason)
    | UndecidedReason::BudgetExceeded(reason)) = doubt.reason;
    finding.status = Status::Undecided;
    finding.score = Score::ZERO;
    finding.violations.clear();
    finding.unfit = Some(reason);
    finding.help = doubt.help;
    finding.undecided = Some(doubt.cause.unwrap_or(UndecidedCause::MissingEvidence));
    for item in &mut finding.items {
        item.state = State::Open;
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
    let score = result.score().get() * 100.0;
    let passed = result.status() == Status::Pass;
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
    if let Ok(comparison) = json::to_json(comparison) {
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
