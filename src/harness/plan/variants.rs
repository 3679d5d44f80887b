//! The trials of the variants of a run: each variant runs the cases with an agent as it has them.

use std::path::PathBuf;
use std::sync::Arc;

use super::{CaseWork, PlanSource, PlannedTrial, TrialWork};
use crate::case::{Case, Variant};
use crate::place::LoadErrors;
use crate::suite::{GATE_ID, Suite, SuiteGate, build_case_name, find_files_for_name};
use crate::verdict::Verdict;

/// The variant of a trial, as its verdict names it.
#[derive(Debug)]
pub(in crate::harness) struct TrialVariant {
    /// The name of the variant.
    pub(in crate::harness) name: String,
    /// The name of the trial without its variant.
    pub(in crate::harness) case_name: String,
}

impl TrialVariant {
    /// Adds the variant to the verdict of its trial.
    pub(in crate::harness) fn name_verdict(&self, verdict: &mut Verdict) {
        verdict.variant = Some(self.name.clone());
        verdict.case_name = (verdict.name != self.case_name).then(|| self.case_name.clone());
    }
}

/// The trials of a suite that belong together: those of one variant. Cases without an agent belong to the baseline.
pub(super) struct SuiteGroup {
    /// The prefix of the names of the trials, with the variant unless it is the baseline.
    pub(super) suite: Arc<str>,
    /// What follows the name of the gate.
    pub(super) suffix: String,
    /// The variant of the gate.
    pub(super) variant: Option<Arc<TrialVariant>>,
}

impl SuiteGroup {
    /// Returns the gate of the suite for this group. An earlier summary is one of the baseline.
    pub(super) fn find_gate(&self, suite: &Suite) -> Option<SuiteGate> {
        let gate = suite.gate.clone()?;
        if self.suffix.is_empty() {
            return Some(gate);
        }
        gate.mean.is_some().then_some(SuiteGate { baseline: None, ..gate })
    }
}

impl PlanSource<'_> {
    /// Returns the work of each variant of a case in the suite `suite`. A case without an agent has no variants.
    pub(super) fn list_work(
        self,
        case: &Arc<Case>,
        path: &Arc<PathBuf>,
        suite: &Arc<str>,
    ) -> Result<Vec<CaseWork>, LoadErrors> {
        let plain = CaseWork {
            case: Arc::clone(case),
            path: Arc::clone(path),
            suite: Arc::clone(suite),
            run: None,
            variant: None,
            attack: None,
        };
        if case.agent.is_none() {
            return Ok(vec![plain]);
        }
        let mut errors = LoadErrors::new();
        let mut all = Vec::new();
        for variant in self.variants.list() {
            let mut work = plain.clone();
            if !variant.changes_nothing() {
                let Some(case) = errors.take(case.with_variant(variant)) else { continue };
                work.case = Arc::new(case);
            }
            if !variant.is_baseline() {
                work.suite = format!("{suite}{}", variant.suffix()).into();
            }
            work.variant = self.name_variant(variant, build_case_name(suite, case.id.as_deref()));
            all.push(work);
        }
        errors.or(all)
    }

    /// Returns the groups of the suite `name` whose trials are `trials`.
    pub(super) fn list_groups(self, name: &Arc<str>, trials: &[PlannedTrial]) -> Vec<SuiteGroup> {
        let variants = self.variants.list();
        let has_trial = |suite: &str| {
            trials.iter().any(|trial| matches!(&trial.work, TrialWork::Case(work) if *work.suite == *suite))
        };
        let mut groups: Vec<SuiteGroup> = variants
            .iter()
            .map(|variant| SuiteGroup {
                suite: format!("{name}{}", variant.suffix()).into(),
                suffix: variant.suffix(),
                variant: self.name_variant(variant, build_case_name(name, Some(GATE_ID))),
            })
            .collect();
        groups.retain(|group| group.suffix.is_empty() || has_trial(&group.suite));
        if !variants.iter().any(|variant| variant.is_baseline()) && has_trial(name) {
            groups.insert(0, SuiteGroup { suite: Arc::clone(name), suffix: String::new(), variant: None });
        }
        groups
    }

    /// Describes the variant of a trial for its verdict. `case_name` is the name of the trial without its variant.
    pub(super) fn name_variant(self, variant: &Variant, case_name: String) -> Option<Arc<TrialVariant>> {
        let name = variant.name.clone();
        self.variants.is_named().then(|| Arc::new(TrialVariant { name, case_name }))
    }

    /// Whether `name` is the name of the case's only trial, or of the trial of one of its runs or variants.
    pub(super) fn is_trial_of(self, name: &str, case_name: &str) -> bool {
        name.strip_prefix(case_name)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with("::") || self.variants.has_suffix(rest))
    }

    /// Returns the files that may hold the trial `name`, the likeliest first.
    pub(super) fn find_files(self, name: &str) -> Vec<PathBuf> {
        let mut found = find_files_for_name(self.library.files, name);
        // The name of a file that is one case ends with the variant.
        let variants = self.variants.list().iter().filter(|variant| !variant.is_baseline());
        for case_name in variants.filter_map(|variant| name.strip_suffix(&variant.suffix())) {
            for path in find_files_for_name(self.library.files, case_name) {
                if !found.contains(&path) {
                    found.push(path);
                }
            }
        }
        found
    }
}
