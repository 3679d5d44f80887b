//! The mutants of one case: each is derived, evaluated, and described.

use std::sync::atomic::{AtomicBool, Ordering};

use super::addition::AdditionFinder;
use super::change::remove_guards;
use super::mutant::{Mutant, MutantWords};
use super::{derive_mutants, forbidden};
use crate::case::{Case, Expectation, IgnoredMutations};
use crate::engine::{MutantEvaluator, MutantVerdict, ProgramStarter};
use crate::judge::JudgeSession;
use crate::outcome::Status;
use crate::reader::to_native;
use crate::score::Effect;
use crate::secrets::{KnownSecrets, SecretMasker};
use crate::source::fingerprint_bytes;
use crate::suite::{Library, RecordedEvidence, RecordedRun};
use crate::trace::{Arguments, Trace};
use crate::verdict::{CaseMutation, MutantFate, MutantResult, RunMutation};

/// The largest number of mutants of one run that are tried.
const MAX_MUTANTS: usize = 5_000;

/// The largest number of calls in all mutants of one run: each mutant evaluates the case on all of its calls.
const MAX_MUTATED_CALLS: usize = 2_000_000;

/// Whether the mutation was stopped from outside.
pub fn is_stopped(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}

/// Tries the mutants of one case.
pub struct CaseMutator<'c> {
    /// The case.
    pub case: &'c Case,
    /// The name of its trial.
    pub name: &'c str,
    /// The checks by which additions are tried.
    pub library: Library<'c>,
    /// The judge, with its recorded opinions.
    pub session: Option<&'c JudgeSession<'c>>,
    /// Starts the programs of checks, for the run and for each mutant. Without it, these checks are left out.
    pub programs: Option<ProgramStarter<'c>>,
    /// Whether additions are searched for.
    pub finds_additions: bool,
    /// Set from outside to stop, after which the result is not complete.
    pub stop: Option<&'c AtomicBool>,
}

impl<'c> CaseMutator<'c> {
    /// Creates a mutator that asks no judge, runs no programs, searches no additions and is not stopped.
    pub fn new(case: &'c Case, name: &'c str, library: Library<'c>) -> Self {
        Self { case, name, library, session: None, programs: None, finds_additions: false, stop: None }
    }

    /// Tries the mutants of all runs.
    pub fn mutate_runs(&self, recorded: &RecordedEvidence) -> CaseMutation {
        let excluded =
            find_exclusion(self.case).or_else(|| self.needs_programs()).or_else(|| self.needs_calls());
        if let Some(why) = excluded {
            return self.leave_out(why);
        }
        let mut result = CaseMutation::new(self.name, self.case.place.locate());
        result.not_asked = list_checks(self.case, |expectation| !expectation.check().questions().is_empty());
        result.not_run = list_checks(self.case, |expectation| self.leaves_out(expectation));
        let count = recorded.runs.len();
        for (number, run) in recorded.runs.iter().enumerate() {
            result.runs.push(self.mutate_run(run, number, count, recorded));
        }
        // If each run is left out, the case is, for the reason of the first.
        if !result.runs.is_empty() && result.runs.iter().all(|run| run.left_out.is_some()) {
            result.left_out = result.runs[0].left_out.clone();
        }
        // What an ignore matches is known only when all runs are done.
        result.unused_ignores = list_unused_ignores(self.case, &result);
        result
    }

    /// Returns the result for a case without mutants.
    pub fn leave_out(&self, why: String) -> CaseMutation {
        let mut result = CaseMutation::new(self.name, self.case.place.locate());
        result.left_out = Some(why);
        result
    }

    /// Whether a check is left out, because it runs a program.
    fn leaves_out(&self, expectation: &Expectation) -> bool {
        self.programs.is_none() && !expectation.check().programs().is_empty()
    }

    /// Says that no check of the case would be left.
    fn needs_programs(&self) -> Option<String> {
        let Case { expectations, require_calls, baseline, .. } = self.case;
        let has_other_checks = require_calls.is_some()
            || baseline.is_some()
            || expectations.iter().any(|expectation| !self.leaves_out(expectation));
        let has_none = self.case.runs_programs() && !has_other_checks;
        has_none.then(|| "each of its checks runs a program, and no program may start".to_owned())
    }

    /// Says that all checks of the case look at files, which a changed trace leaves as they are.
    fn needs_calls(&self) -> Option<String> {
        let Case { expectations, require_calls, baseline, .. } = self.case;
        let looks_at_files = |expectation: &Expectation| expectation.check().workspace_needs().looks_at_files;
        let has_others =
            require_calls.is_some() || baseline.is_some() || !expectations.iter().all(looks_at_files);
        (!has_others && !expectations.is_empty()).then(|| {
            "each of its checks looks at files of the workspace, which no change of the trace touches"
                .to_owned()
        })
    }

    fn mutate_run(
        &self,
        run: &RecordedRun,
        number: usize,
        count: usize,
        recorded: &RecordedEvidence,
    ) -> RunMutation {
        let recorded_run = run;
        let mut run = run.clone();
        remove_guards(&mut run.trace);
        let mut known = KnownSecrets::default();
        known.add_run(&run.trace);
        let masker = known.build_masker();
        let name = self.name_trace(&run, number, count, &masker);
        let mut result = RunMutation::new(name, fingerprint_run(&run.trace));
        let evaluator = MutantEvaluator::new(self.case, &run, recorded.baseline.as_ref(), self.session)
            .run_programs(self.programs);
        let why = match evaluator.evaluate(&run) {
            MutantVerdict::Passed => None,
            MutantVerdict::Violated(checks) => Some(format!("`{}`", checks.join("`, `"))),
            MutantVerdict::Open(why) => Some(why),
        };
        // A case that fails already would kill every mutant.
        if let Some(why) = why {
            result.left_out = Some(masker.mask_text(format!("the run does not pass: {why}")));
            return result;
        }
        let most = MAX_MUTANTS.min(MAX_MUTATED_CALLS / run.trace.calls.len().max(1)).max(1);
        let mutants = self.derive_all(&run.trace, &masker);
        let sampled_from = (mutants.len() > most).then_some(mutants.len());
        let mutants = sample_mutants(mutants, most);
        result.sampled_from = sampled_from;
        result.mutants = self.try_mutants(&mutants, recorded_run, &run, &evaluator, &masker);
        result
    }

    /// Derives the mutants of a run, and those of calls that the case forbids.
    pub fn derive_all(&self, run: &Trace, masker: &SecretMasker) -> Vec<Mutant> {
        let words = MutantWords { masker, step: 1 };
        let mut mutants = derive_mutants(run, &words);
        mutants.extend(forbidden::derive_forbidden_calls(self.case, run, &words));
        mutants
    }

    fn try_mutants(
        &self,
        mutants: &[Mutant],
        recorded: &RecordedRun,
        run: &RecordedRun,
        evaluator: &MutantEvaluator<'_>,
        masker: &SecretMasker,
    ) -> Vec<MutantResult> {
        let mut finder = AdditionFinder::new(self.library, recorded, masker);
        let mut results = Vec::with_capacity(mutants.len());
        let mut fractions = Vec::new();
        // An interrupted search keeps what it has: the mutants so far have their results.
        for mutant in mutants.iter().take_while(|_| !is_stopped(self.stop)) {
            let trace = mutant.apply(&run.trace);
            // An answer that says nothing in another half, say: no change, no mutant.
            if trace == run.trace && !mutant.is_fraction {
                continue;
            }
            let changed =
                RecordedRun { file: None, format: run.format, trace, workspace: run.workspace.clone() };
            let fate = match (evaluator.evaluate(&changed), find_ignore(self.case, mutant)) {
                // A mutant that a check notices is killed, also where the case may ignore it.
                (MutantVerdict::Violated(by), _) => MutantFate::Killed { by },
                (_, Some(ignored)) => MutantFate::Ignored { reason: ignored.reason.clone() },
                (verdict, None) => {
                    let is_searched = self.finds_additions && !mutant.is_fraction;
                    let addition = if is_searched { finder.find_addition(mutant, &changed) } else { None };
                    let undecided = match verdict {
                        MutantVerdict::Open(why) => Some(masker.mask_text(why)),
                        MutantVerdict::Passed | MutantVerdict::Violated(_) => None,
                    };
                    MutantFate::Survived { addition, undecided }
                }
            };
            let id = masker.mask_text(mutant.id.clone());
            let mut result = MutantResult::new(id, mutant.sort, mutant.change.clone(), fate);
            result.subjects = mutant.subjects.iter().map(|text| masker.mask_text(text.clone())).collect();
            if mutant.is_fraction { &mut fractions } else { &mut results }.push(result);
        }
        // 2 and 2.0 are one number unless a check of the case distinguishes them.
        if fractions.iter().any(MutantResult::is_killed) {
            results.extend(fractions);
        }
        results
    }

    /// Names the trace: its file and run, or the case that contains it.
    fn name_trace(&self, run: &RecordedRun, number: usize, count: usize, masker: &SecretMasker) -> String {
        let file = run.file.clone().unwrap_or_else(|| format!("inline in {}", self.name));
        let id = run.trace.id.as_ref();
        // The agent's programs write the id. One with a secret is shown to nobody: the number of the run names it.
        let public_id = id.filter(|id| masker.mask_text((*id).clone()) == **id);
        match (public_id, count) {
            // Inline traces of different cases are different ones, even if their ids are equal.
            (_, 1) if run.file.is_none() => file,
            (Some(id), _) if run.file.is_some() => format!("{file} ({id})"),
            (_, 1) => file,
            _ => format!("{file} (run {})", number + 1),
        }
    }
}

/// Says why a case has no mutants.
fn find_exclusion(case: &Case) -> Option<String> {
    if let Some(ignore) = &case.ignore {
        let reason = ignore.reason.as_deref().map(|reason| format!(": {reason}")).unwrap_or_default();
        return Some(format!("the case is ignored{reason}"));
    }
    // A case that expects to fail has no green run whose mutants could be told from it.
    if case.expect_verdict.is_some_and(|expected| expected != Status::Pass) {
        return Some("the case expects another verdict than `pass`".to_owned());
    }
    let effects = case.expectations.iter().map(|expectation| expectation.effect);
    let mut effects = effects.chain(case.scorecards.iter().map(|card| card.effect));
    let reports = effects.all(|effect| matches!(effect, Effect::Inform | Effect::Points))
        && case.require_calls.is_none()
        && case.baseline.is_none()
        && case.variance.is_none();
    reports.then(|| "the score is only reported: the gate of the suite decides".to_owned())
}

/// Names the checks of a case that `is_listed` selects, each once.
fn list_checks(case: &Case, is_listed: impl Fn(&Expectation) -> bool) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for expectation in case.expectations.iter().filter(|expectation| is_listed(expectation)) {
        if !names.iter().any(|name| name == expectation.check) {
            names.push(expectation.check.to_owned());
        }
    }
    names
}

fn find_ignore<'c>(case: &'c Case, mutant: &Mutant) -> Option<&'c IgnoredMutations> {
    case.ignored_mutations.iter().find(|ignored| ignored.includes(mutant.sort, &mutant.subjects))
}

/// The entries of `ignore` that are written in the case and concern no mutant. Those of a suite may be about other cases.
fn list_unused_ignores(case: &Case, result: &CaseMutation) -> Vec<String> {
    let own = case.extent.lines();
    let mutants: Vec<&MutantResult> = result.mutants().map(|(_, mutant)| mutant).collect();
    let entries = case.ignored_mutations.iter().filter(|ignored| own.contains(&ignored.place.line()));
    let unused = entries
        .filter(|ignored| !mutants.iter().any(|mutant| ignored.includes(mutant.sort, &mutant.subjects)));
    unused.map(|ignored| ignored.text.clone()).collect()
}

/// Keeps `most` mutants, evenly distributed.
pub fn sample_mutants(mutants: Vec<Mutant>, most: usize) -> Vec<Mutant> {
    let all = mutants.len();
    if all <= most {
        return mutants;
    }
    // Of `all` mutants, the ones stay at which the multiples of `most / all` cross a whole number: `most` of them.
    let kept = mutants.into_iter().enumerate().filter(|(at, _)| at * most / all != (at + 1) * most / all);
    kept.map(|(_, mutant)| mutant).collect()
}

/// Identifies a run by its content, wherever it is recorded.
pub fn fingerprint_run(run: &Trace) -> String {
    let mut run = run.clone();
    for call in &mut run.calls {
        if let Arguments::Json(passed) = &mut call.arguments {
            *passed = passed.to_canonical();
        }
        call.result.iter_mut().for_each(|result| *result = result.to_canonical());
    }
    let fingerprint = fingerprint_bytes(to_native(&run).as_bytes());
    fingerprint.chars().skip("sha256:".len()).take(16).collect()
}
