//! The trials of one run, reduced to what a comparison reads.

use std::collections::{BTreeMap, BTreeSet};

use super::{TrialComparison, TrialState};
use crate::outcome::Status;
use crate::report::terminal::render_headline;
use crate::report::{Totals, TrialResult};
use crate::score::Effect;
use crate::verdict::{Finding, RunSummary, Verdict};

/// The trials of one run, by name and harness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialStates(BTreeMap<TrialId, TrialState>);

/// The identity of a trial across runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrialId {
    pub(super) name: String,
    pub(super) harness: String,
}

/// The calls, answers and figures of the agent in the trials of one run, without the results of the calls.
#[derive(Debug, Clone, Default)]
pub struct TrialRuns(BTreeMap<TrialId, Vec<RunSummary>>);

impl TrialRuns {
    /// Adds the runs of the next verdict; later attempts of a trial replace earlier ones.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        self.0.insert(TrialId::from_verdict(verdict), verdict.runs.iter().map(drop_details).collect());
    }

    /// Returns the runs of the same trial as `verdict`.
    #[cfg(feature = "html")]
    pub(in crate::report) fn find_runs(&self, verdict: &Verdict) -> Option<&[RunSummary]> {
        self.0.get(&TrialId::from_verdict(verdict)).map(Vec::as_slice)
    }
}

impl TrialId {
    fn from_verdict(verdict: &Verdict) -> Self {
        Self { name: verdict.name.clone(), harness: verdict.harness.clone() }
    }
}

/// Keeps the whole answer, which only the details of a run contain, and drops the details.
pub(in crate::report) fn drop_details(run: &RunSummary) -> RunSummary {
    let whole = run.details.as_ref().and_then(|details| details.answer.clone());
    RunSummary { answer: whole.or_else(|| run.answer.clone()), details: None, ..run.clone() }
}

impl TrialStates {
    /// Adds the next verdict; later attempts of a trial replace earlier ones.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        let mut seen = TrialState::from_verdict(verdict);
        let id = TrialId::from_verdict(verdict);
        // A run can contain several verdicts of a trial, one for each attempt; attempts with different results make it flaky.
        if let Some(earlier) = self.0.get(&id) {
            seen.flaky |= earlier.flaky || earlier.standing != seen.standing;
        }
        self.0.insert(id, seen);
    }

    /// Returns the number of trials.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no trials.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a trial is in both runs.
    pub fn shares_trial(&self, other: &TrialStates) -> bool {
        self.0.keys().any(|id| other.0.contains_key(id))
    }

    pub(super) fn compute_totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.0.values().for_each(|seen| totals.add_result(seen.standing));
        totals
    }

    /// Compares each trial of the two runs.
    pub(super) fn compare_with<'t>(
        &'t self,
        after: &'t TrialStates,
    ) -> impl Iterator<Item = TrialComparison> + 't {
        let ids: BTreeSet<&TrialId> = self.0.keys().chain(after.0.keys()).collect();
        ids.into_iter().map(|id| TrialComparison::new(id, self.0.get(id), after.0.get(id)))
    }
}

impl<'v> FromIterator<&'v Verdict> for TrialStates {
    fn from_iter<I: IntoIterator<Item = &'v Verdict>>(verdicts: I) -> Self {
        let mut trials = Self::default();
        verdicts.into_iter().for_each(|verdict| trials.add_verdict(verdict));
        trials
    }
}

impl TrialState {
    fn from_verdict(verdict: &Verdict) -> Self {
        Self {
            standing: TrialResult::from_verdict(verdict),
            score: verdict.score,
            flaky: is_flaky(verdict),
            claim: (!verdict.passed).then(|| render_headline(verdict)),
        }
    }
}

/// Whether the attempts of a trial, or its runs, ended differently.
pub(in crate::report) fn is_flaky(verdict: &Verdict) -> bool {
    !verdict.earlier_attempts.is_empty() || has_mixed_runs(verdict)
}

/// Whether some runs of a trial passed and others did not.
fn has_mixed_runs(verdict: &Verdict) -> bool {
    if let Some(statistics) = &verdict.statistics {
        return statistics.passed > 0 && statistics.passed < statistics.runs;
    }
    // Without statistics, a run has failed if one of its findings fails the trial by itself.
    // A trial of one run cannot be mixed: the set has as many entries as there are runs, or none.
    let failed: BTreeSet<usize> =
        verdict.findings.iter().filter(|finding| fails_run(finding)).map(|finding| finding.run).collect();
    !failed.is_empty() && failed.len() < verdict.runs.len()
}

fn fails_run(finding: &Finding) -> bool {
    let decides = !finding.of_all_runs && matches!(finding.effect, Effect::Fail | Effect::Gate);
    decides && finding.status != Status::Pass
}
