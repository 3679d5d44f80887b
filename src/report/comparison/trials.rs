//! The trials of one run, reduced to what a comparison reads.

use std::collections::{BTreeMap, BTreeSet};

#[cfg(feature = "html")]
use super::TrialComparison;
use super::TrialState;
use crate::json::JsonMap;
use crate::outcome::{Score, Status, count_to_f64};
use crate::report::TrialResult;
use crate::report::terminal::render_headline;
use crate::score::Effect;
use crate::score::paired::{CaseFigure, Measure, PlannedCase};
use crate::verdict::summary::Row;
use crate::verdict::{Finding, RunSummary, Verdict};

/// The variant of trials that run the agent as their cases name it.
pub(super) const BASELINE: &str = "baseline";

/// The names of the findings of a gate.
const GATE_CHECKS: [&str; 2] = ["gate", "summary_baseline"];

/// The trials of one run, by name and harness.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrialStates(BTreeMap<TrialId, TrialRecord>);

/// The identity of a trial across runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TrialId {
    pub(super) name: String,
    pub(super) harness: String,
}

/// One trial of a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrialRecord {
    pub(super) state: TrialState,
    /// The name of the case, without a variant.
    pub(super) case_name: String,
    pub(super) harness: String,
    pub(super) variant: Option<String>,
    /// Whether the trial is the gate of a suite, which is no case.
    pub(super) is_gate: bool,
    /// Whether the agent was asked anew.
    pub(super) live: bool,
    pub(super) runs: Vec<RunRecord>,
    /// The number of runs that the case wanted.
    wanted: usize,
    /// The first claim that some run broke.
    pub(super) claim: Option<String>,
    pub(super) metadata: Option<JsonMap>,
}

/// One run of a trial.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunRecord {
    /// Whether the run passed; `None` if it has no result.
    pub(super) passed: Option<bool>,
    pub(super) score: f64,
    evidence_hash: Option<String>,
    pub(super) cost_usd: Option<f64>,
    pub(super) duration_ms: Option<f64>,
    pub(super) tokens: Option<u64>,
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
        let mut seen = TrialRecord::from_verdict(verdict);
        let id = TrialId::from_verdict(verdict);
        // A run can contain several verdicts of a trial, one for each attempt; attempts with different results make it flaky.
        if let Some(earlier) = self.0.get(&id) {
            seen.state.flaky |= earlier.state.flaky || earlier.state.standing != seen.state.standing;
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

    /// Compares each trial of the two runs by its name.
    #[cfg(feature = "html")]
    pub(in crate::report) fn compare_with<'t>(
        &'t self,
        after: &'t TrialStates,
    ) -> impl Iterator<Item = TrialComparison> + 't {
        let ids: BTreeSet<&TrialId> = self.0.keys().chain(after.0.keys()).collect();
        ids.into_iter().map(move |id| {
            let [before, after] = [self, after].map(|side| side.0.get(id).map(|record| &record.state));
            TrialComparison::new(&id.name, &id.harness, before, after)
        })
    }

    /// Returns how many runs of each case passed and failed, for a plan. The runs of variants are not those of the baseline.
    pub fn list_planned_cases(&self) -> Vec<PlannedCase> {
        let cases = self.0.values().filter(|record| !record.is_gate && record.get_group() == BASELINE);
        cases
            .map(|record| {
                let count = |wanted: bool| {
                    let runs = record.runs.iter().filter(|run| run.passed == Some(wanted));
                    u32::try_from(runs.count()).unwrap_or(u32::MAX)
                };
                PlannedCase { passed: count(true), failed: count(false) }
            })
            .filter(|case| case.passed + case.failed > 0)
            .collect()
    }

    /// Returns the variants of the trials, as their verdicts name them.
    pub(super) fn list_variants(&self) -> BTreeSet<&str> {
        self.0.values().filter_map(|record| record.variant.as_deref()).collect()
    }

    /// Returns the variants of the trials. Trials without a variant belong to the baseline, which they were before there were
    /// variants.
    pub(super) fn list_groups(&self) -> BTreeSet<&str> {
        self.0.values().map(TrialRecord::get_group).collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &TrialRecord> {
        self.0.values()
    }
}

impl<'v> FromIterator<&'v Verdict> for TrialStates {
    fn from_iter<I: IntoIterator<Item = &'v Verdict>>(verdicts: I) -> Self {
        let mut trials = Self::default();
        verdicts.into_iter().for_each(|verdict| trials.add_verdict(verdict));
        trials
    }
}

impl TrialRecord {
    fn from_verdict(verdict: &Verdict) -> Self {
        let runs = list_runs(verdict);
        let recorded = verdict.statistics.as_ref().map_or(0, |statistics| statistics.runs as usize);
        let state = TrialState {
            // A quarantined failure is a failure of the agent.
            standing: TrialResult::without_quarantine(verdict),
            score: verdict.score,
            flaky: is_flaky(verdict),
            claim: (!verdict.passed).then(|| render_headline(verdict)),
        };
        Self {
            case_name: verdict.get_case_name().to_owned(),
            harness: verdict.harness.clone(),
            variant: verdict.variant.clone(),
            is_gate: is_gate(verdict),
            live: verdict.live,
            wanted: recorded.max(runs.len()).max(1),
            runs,
            claim: state.claim.clone().or_else(|| find_claim(verdict)),
            state,
            metadata: verdict.metadata.clone(),
        }
    }

    /// Returns the number of runs without a result.
    pub(super) fn count_lost_runs(&self) -> usize {
        self.wanted - self.runs.iter().filter(|run| run.passed.is_some()).count()
    }

    pub(super) fn get_group(&self) -> &str {
        self.variant.as_deref().unwrap_or(BASELINE)
    }

    /// Returns the figure of the case; `None` if fewer than half of its runs have a result.
    pub(super) fn find_figure(&self, measure: Measure) -> Option<CaseFigure> {
        let results: Vec<(bool, f64)> =
            self.runs.iter().filter_map(|run| Some((run.passed?, run.score))).collect();
        if results.is_empty() || results.len() * 2 < self.wanted {
            return None;
        }
        let sum: f64 = match measure {
            Measure::Passed => results.iter().map(|(passed, _)| f64::from(u8::from(*passed))).sum(),
            Measure::Score => results.iter().map(|(_, score)| score).sum(),
        };
        let runs = u32::try_from(results.len()).unwrap_or(u32::MAX);
        let lost = u32::try_from(self.wanted - results.len()).unwrap_or(u32::MAX);
        Some(CaseFigure { value: sum / count_to_f64(results.len()), runs, lost })
    }

    /// Whether both sides judged the same evidence, so that a difference is no chance.
    ///
    /// An agent that was asked anew on both sides made two samples, even if it answered the same. So did two variants.
    pub(super) fn rests_on_same(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|record| {
            let hashes: Option<Vec<&str>> =
                record.runs.iter().map(|run| run.evidence_hash.as_deref()).collect();
            hashes.filter(|hashes| !hashes.is_empty()).map(|mut hashes| {
                hashes.sort_unstable();
                hashes
            })
        });
        own.is_some() && own == others && !(self.live && other.live) && self.get_group() == other.get_group()
    }
}

/// Whether a verdict is about the gate of a suite: it has no run, and only the findings of gates.
fn is_gate(verdict: &Verdict) -> bool {
    let mut checks = verdict.findings.iter().map(|finding| finding.check.as_str());
    let has_none = verdict.runs.is_empty() && verdict.suite.is_empty() && !verdict.findings.is_empty();
    has_none && checks.all(|check| GATE_CHECKS.contains(&check))
}

/// Returns the runs of a trial with their own results.
fn list_runs(verdict: &Verdict) -> Vec<RunRecord> {
    let mut runs: Vec<RunRecord> = verdict.runs.iter().map(|run| RunRecord::new(verdict, run)).collect();
    // An error of the case, such as an unreadable file, leaves no result to any run.
    if !verdict.errors.is_empty() {
        for run in &mut runs {
            run.passed = None;
        }
        return runs;
    }
    // A verdict that was written without the results of its runs has one result for all of them. The result of
    // several runs together is not the result of one: it says whether enough of them passed.
    let is_told = verdict.runs.iter().any(|run| run.status.is_some());
    let is_result = verdict.passed || matches!(verdict.status, Status::Pass | Status::Fail);
    if !is_told && verdict.runs.len() < 2 && is_result && verdict.statistics.is_none() {
        let first = runs.pop().unwrap_or_else(RunRecord::empty);
        let passed = Some(Row::from_verdict(verdict).passed);
        return vec![RunRecord { passed, score: verdict.score.get(), ..first }];
    }
    runs
}

impl RunRecord {
    /// Whether there is a trace of the run. An agent that crashed left none, and nobody knows what it cost.
    pub(super) fn has_trace(&self) -> bool {
        self.passed.is_some() || self.evidence_hash.is_some()
    }

    fn empty() -> Self {
        Self {
            passed: None,
            score: 0.0,
            evidence_hash: None,
            cost_usd: None,
            duration_ms: None,
            tokens: None,
        }
    }

    fn new(verdict: &Verdict, run: &RunSummary) -> Self {
        let usage = run.usage.filter(|usage| !usage.partial);
        Self {
            passed: match run.status {
                Some(status) if status == verdict.expected => Some(true),
                Some(Status::Pass | Status::Fail) => Some(false),
                Some(Status::Undecided | Status::Error) | None => None,
            },
            score: run.score.map_or(0.0, Score::get),
            evidence_hash: run.evidence_hash.clone(),
            cost_usd: run.cost_usd.filter(|cost| cost.is_finite()),
            duration_ms: run.duration_ms.filter(|time| time.is_finite() && *time >= 0.0),
            tokens: usage.map(|usage| usage.input_tokens.saturating_add(usage.output_tokens)),
        }
    }
}

/// Returns the first claim that a run of a passing trial broke.
fn find_claim(verdict: &Verdict) -> Option<String> {
    let mut broken = verdict.findings.iter().filter(|finding| finding.status == Status::Fail);
    let claim = |finding: &Finding| {
        Some(format!(
            "{}: {}",
            finding.check,
            finding.violations.first().map(|violation| &violation.message)?
        ))
    };
    broken.find_map(claim)
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
