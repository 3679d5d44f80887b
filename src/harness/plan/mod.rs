//! The plan of a run: all trials for a run or a list, only the named ones under `--exact`.
//!
//! nextest starts one process for each trial, with `--exact NAME`. Such a process must not read a thousand files of cases
//! to run one of them, so a name leads to the few files that can contain it.

mod all;
mod attacks;
mod deferred;
mod names;
mod variants;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) use self::all::plan_all;
pub(super) use self::attacks::{AttackPhase, AttackPlan, CaseObserver, name_attack};
pub use self::attacks::{PlannedAttack, SHOWN_FAILURES};
pub(super) use self::deferred::{DeferredCase, KEPT_CASES, RecentSuites};
pub(super) use self::variants::TrialVariant;
use super::cli::HarnessCommand;
use super::settings::{EnvSettings, VariantSelection};
use super::shard::{self, ShardRecord, TrialTimes};
use super::snapshots::orphans::PinnedSnapshots;
use crate::case::{Case, Ignore, Quarantine, RunSelection, Tier, TraceFrom};
use crate::place::{LoadError, LoadErrors};
use crate::source::Files;
use crate::suite::{
    CaseRuns, GATE_ID, Library, ReportFormat, Suite, SuiteGate, build_case_name, build_file_name,
    build_identifier, parse_identifier,
};
use crate::verdict::TrialAttack;
use crate::verdict::summary::{GoldenSuite, Selection, is_golden};

/// A trial that has not started.
pub(super) struct PlannedTrial {
    /// The trial's name.
    pub(super) name: String,
    /// The trial's name as a Rust path, if the command line selects it by this path. The events of the run then use it.
    pub(super) alias: Option<String>,
    /// Why the trial does not run by default.
    pub(super) ignore: Option<Ignore>,
    /// The work of the trial.
    pub(super) work: TrialWork,
}

impl PlannedTrial {
    fn new(name: String, ignore: Option<Ignore>, work: TrialWork) -> Self {
        Self { name, alias: None, ignore, work }
    }

    /// Returns the name that filters match and events report.
    pub(super) fn shown_name(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.name)
    }

    /// Whether the trial will run.
    pub(super) fn will_run(&self, command: &HarnessCommand) -> bool {
        let arguments = &command.arguments;
        let ignored = self.ignore.is_some();
        // `--ignored` runs the ignored trials alone, and `--include-ignored` all of them.
        let runs = if arguments.ignored { ignored } else { !ignored || arguments.include_ignored };
        runs && !arguments.bench && command.wants_trial(self.shown_name())
    }

    /// Returns the cases that the trial evaluates, with the names of their trials. A gate evaluates all cases of its suite.
    pub(super) fn list_cases(&self) -> Vec<(&str, &CaseWork)> {
        match &self.work {
            TrialWork::Case(work) => vec![(self.name.as_str(), work)],
            TrialWork::Gate(gate) => gate.cases.iter().map(|(name, work)| (name.as_str(), work)).collect(),
            // A case with an agent or a judge is not deferred.
            TrialWork::Deferred(_) | TrialWork::Broken(_) => Vec::new(),
        }
    }
}

/// The work of a trial.
pub(super) enum TrialWork {
    /// Evaluates a case.
    Case(CaseWork),
    /// Reads a case again, and evaluates it.
    Deferred(DeferredCase),
    /// Evaluates the gate of a suite.
    Gate(GateWork),
    /// Reports why the file of the case cannot be read.
    Broken(LoadErrors),
}

/// A case with its file, and the run to evaluate if the case has one trial for each run.
#[derive(Clone)]
pub(super) struct CaseWork {
    /// The case.
    pub(super) case: Arc<Case>,
    /// The case's file.
    pub(super) path: Arc<PathBuf>,
    /// The prefix of the names of the suite's trials, with the variant unless it is the baseline.
    pub(super) suite: Arc<str>,
    /// The variant of the agent, if the user named the variants of the run.
    pub(super) variant: Option<Arc<TrialVariant>>,
    /// One run of a trace file with `each: true`.
    pub(super) run: Option<SelectedRun>,
    /// The attack on the agent.
    pub(super) attack: Option<Arc<TrialAttack>>,
}

/// One of the runs in a trace file.
#[derive(Clone)]
pub(super) struct SelectedRun {
    /// All runs of the file: their places are known, their contents are not read.
    pub(super) runs: Arc<CaseRuns>,
    /// The index of the run, from 0.
    pub(super) number: usize,
}

/// The gate of a suite, and the trials that it sums up.
pub(super) struct GateWork {
    /// The gate.
    pub(super) gate: SuiteGate,
    /// The prefix of the names of the suite's trials, with the variant unless it is the baseline.
    pub(super) suite: Arc<str>,
    /// The variant of the cases, if the user named the variants of the run.
    pub(super) variant: Option<Arc<TrialVariant>>,
    /// The cases of the selected tier and tags that are not ignored, by the names of their trials.
    pub(super) cases: Vec<(String, CaseWork)>,
}

/// The trials of one run of the harness.
#[derive(Default)]
pub(super) struct Plan {
    /// The trials.
    pub(super) trials: Vec<PlannedTrial>,
    /// The number of cases that the tier or the tags leave out.
    pub(super) skipped: usize,
    /// The number of trials that were removed because the filters leave them out.
    pub(super) filtered_out: usize,
    /// The suites with golden rows.
    pub(super) golden: Vec<GoldenSuite>,
    /// The reports that suites request.
    pub(super) reports: Vec<ReportFormat>,
    /// The snapshots of all cases, whether they run or not.
    pub(super) pinned: PinnedSnapshots,
    /// The shard that this process runs, if the trials are divided.
    pub(super) shard: Option<ShardRecord>,
}

impl Plan {
    /// The trials that will run.
    pub(super) fn trials_to_run<'p>(
        &'p self,
        command: &'p HarnessCommand,
    ) -> impl Iterator<Item = &'p PlannedTrial> {
        self.trials.iter().filter(|planned| planned.will_run(command))
    }
}

/// The library of the suites, and the settings that select among their cases.
#[derive(Clone, Copy)]
pub(super) struct PlanSource<'p> {
    pub(super) library: Library<'p>,
    pub(super) settings: &'p EnvSettings,
    pub(super) variants: &'p VariantSelection,
    pub(super) quarantine: &'p Quarantine,
}

impl PlanSource<'_> {
    /// Returns the prefix of the names of all trials in the file at `path`.
    fn trial_prefix(self, path: &Path) -> String {
        build_file_name(path.strip_prefix(self.library.files.root()).unwrap_or(path))
    }

    fn selects(self, case: &Case) -> bool {
        let tags = &self.settings.tags;
        let tier = self.settings.tier;
        let is_of_tier = tier.is_none_or(|tier| tier == Tier::Full || case.tier == tier);
        is_of_tier && (tags.is_empty() || case.tags.iter().any(|tag| tags.contains(tag)))
    }
}

/// Plans the trials called `names`. Opens only the files that these names point to.
pub(super) fn plan_named(names: &[String], source: PlanSource<'_>) -> Plan {
    let mut plan = Plan::default();
    for (at, name) in names.iter().enumerate() {
        // A runner may give a name twice, and a trial must run once.
        if !names[..at].contains(name) {
            plan_one(&mut plan, name, source);
            plan_alias(&mut plan, name, source);
        }
    }
    plan
}

/// Plans the trial that has `path` as its Rust path, unless a trial is called so.
fn plan_alias(plan: &mut Plan, path: &str, source: PlanSource<'_>) {
    let before = plan.trials.len();
    if plan.trials.iter().any(|trial| trial.shown_name() == path) {
        return;
    }
    let Some(name) = parse_identifier(path).filter(|name| name != path) else { return };
    plan_one(plan, &name, source);
    for trial in &mut plan.trials[before..] {
        trial.alias = Some(path.to_owned());
    }
}

/// Plans the trial called `name`.
///
/// A name can mean several files (`a::b` is the case `b` of `a.yaml`, or the file `a/b.yaml`), so they are tried until one
/// contains the trial. A file with mistakes may be the wanted one: if no other contains the trial, the trial reports the
/// mistakes.
fn plan_one(plan: &mut Plan, name: &str, source: PlanSource<'_>) {
    let mut broken = LoadErrors::new();
    // The likeliest file comes first. The search ends with the first file that has the trial; mistakes of other candidates
    // count only if no file has it.
    for path in source.find_files(name) {
        let file = source.trial_prefix(&path);
        let is_gate = source.is_trial_of(name, &build_case_name(&file, Some(GATE_ID)));
        // A gate needs all cases of its file; otherwise, the mistakes of other cases do not matter.
        let suite = Suite::load_some(&path, source.library, &|id| {
            is_gate || source.is_trial_of(name, &build_case_name(&file, id))
        });
        let Some(suite) = broken.take(suite) else { continue };
        if suite.cases.is_empty() {
            continue;
        }
        let mut found = Plan::default();
        let added = broken.take(found.add_suite(&suite, &path, source));
        plan.reports.extend(&suite.reports);
        plan.skipped += found.skipped;
        plan.golden.append(&mut found.golden);
        let before = plan.trials.len();
        // The file is loaded by the name of the case, which may have several trials.
        plan.trials.extend(found.trials.into_iter().filter(|trial| trial.name == name));
        // All cases of the file were loaded for a gate's name, so it may well have cases and yet no gate.
        let is_found = !is_gate || plan.trials.len() > before;
        if added.is_some() && is_found {
            return;
        }
    }
    if !broken.is_empty() {
        plan.trials.push(PlannedTrial::new(name.to_owned(), None, TrialWork::Broken(broken)));
    }
}

/// Returns the trial of a case, or one trial for each run if the trace has `each: true`.
fn make_case_trials(work: &CaseWork, name: String, files: &Files) -> Result<Vec<PlannedTrial>, LoadError> {
    let file = match &work.case.trace {
        TraceFrom::File(file) if file.runs == RunSelection::Each => file,
        _ => return Ok(vec![make_case_trial(work, name, None)]),
    };
    // This is the only place that opens a trace while listing, because the runs give the names of the trials.
    let runs = CaseRuns::find_runs(&work.case, &work.path, files)
        .map_err(|error| LoadError::new(file.place.clone(), error))?;
    let names = runs.name_trials(&name, &work.case, &work.path, files).map_err(|error| {
        LoadError::new(file.place.clone(), error).help("rename a file, or narrow the glob")
    })?;
    let runs = Arc::new(runs);
    let trials = names.into_iter().enumerate().map(|(number, name)| {
        let run = SelectedRun { runs: Arc::clone(&runs), number };
        make_case_trial(work, name, Some(run))
    });
    Ok(trials.collect())
}

fn make_case_trial(work: &CaseWork, name: String, run: Option<SelectedRun>) -> PlannedTrial {
    PlannedTrial::new(name, work.case.ignore.clone(), TrialWork::Case(CaseWork { run, ..work.clone() }))
}

impl Plan {
    /// Adds the plan of another file.
    fn extend(&mut self, file: Plan) {
        self.trials.extend(file.trials);
        self.skipped += file.skipped;
        self.golden.extend(file.golden);
        self.reports.extend(file.reports);
        self.pinned.extend(file.pinned);
    }

    /// Adds the trials of a suite's selected cases, and the trial of its gate.
    fn add_suite(&mut self, suite: &Suite, path: &Path, source: PlanSource<'_>) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        let before = self.trials.len();
        let skipped = self.skipped;
        let name: Arc<str> = source.trial_prefix(path).into();
        let shared_path = Arc::new(path.to_owned());
        let overrides = source.settings.overrides;
        for case in suite.cases.iter().map(|case| overrides.apply(case)) {
            let case = &case;
            if !source.selects(case) {
                self.skipped += 1;
                continue;
            }
            for work in errors.take(source.list_work(case, &shared_path, &name)).unwrap_or_default() {
                let suffix = work.case.variant.as_ref().map(|variant| variant.suffix()).unwrap_or_default();
                let trial_name = build_case_name(&name, case.id.as_deref()) + &suffix;
                let trials = make_case_trials(&work, trial_name, source.library.files);
                self.trials.extend(errors.take(trials).unwrap_or_default());
            }
        }
        let skipped = self.skipped - skipped;
        let is_golden = suite.cases.iter().any(|case| is_golden(case));
        // Each variant has its own figures and its own gate: a mean over several variants would be that of none.
        for group in source.list_groups(&name, &self.trials[before..]) {
            if is_golden {
                let gate = group.find_gate(suite).and_then(|gate| overrides.apply_to_gate(gate).mean);
                let name = group.suite.to_string();
                self.golden.push(GoldenSuite { harness: String::new(), name, skipped, gate });
            }
            let Some(gate) = group.find_gate(suite).map(|gate| overrides.apply_to_gate(gate)) else {
                continue;
            };
            // The gate runs over the trials that were selected, and not over all cases of the file.
            let trials = self.trials[before..].iter();
            let cases: Vec<_> = trials.filter_map(|trial| gated_case(trial, &group.suite)).collect();
            // A gate without cases has no trial, because its result would mean nothing.
            if !cases.is_empty() {
                let gate_name = build_case_name(&name, Some(GATE_ID)) + &group.suffix;
                let work = GateWork { gate, suite: group.suite, variant: group.variant, cases };
                self.trials.push(PlannedTrial::new(gate_name, None, TrialWork::Gate(work)));
            }
        }
        errors.or(())
    }

    /// Removes the trials of other shards, if the trials are divided. A trial that is named by `--exact` runs in any shard. The
    /// error is a message for the user.
    pub(super) fn divide_trials(&mut self, command: &HarnessCommand, base: &Path) -> Result<(), String> {
        let settings = &command.settings;
        let Some(shard) = settings.shard.filter(|_| command.exact_names().is_none()) else { return Ok(()) };
        let times =
            settings.shard_times.as_ref().map(|path| TrialTimes::read(&base.join(path))).transpose()?;
        // Only trials that will run are divided, or a shard might get nothing but ignored ones.
        let names: Vec<String> = self.trials_to_run(command).map(|trial| trial.name.clone()).collect();
        let own = shard::select_names(shard, &names, times.as_ref());
        let listed: HashSet<&str> = names.iter().map(String::as_str).collect();
        // An ignored trial runs nowhere; the first shard alone reports it.
        self.trials.retain(|trial| {
            own.contains(trial.name.as_str()) || (shard.number == 1 && !listed.contains(trial.name.as_str()))
        });
        self.shard = Some(ShardRecord::of_division(shard, &names, times.as_ref()));
        Ok(())
    }

    /// Whether this process, or the run of nextest that it belongs to, has a part of the trials only.
    pub(super) fn is_part(&self, settings: &EnvSettings) -> bool {
        // Only gates need to know, and looking at another process takes time.
        let has_gate = self.trials.iter().any(|trial| matches!(trial.work, TrialWork::Gate(_)));
        self.shard.is_some() || has_gate && settings.nextest.is_some() && shard::runs_partition()
    }

    /// Returns the parts of the selection that the verdicts of the trials do not contain.
    pub(super) fn make_selection(&self, settings: &EnvSettings) -> Selection {
        let tier = settings.tier.unwrap_or(Tier::Full);
        Selection { tier, skipped: self.skipped, golden: self.golden.clone() }
    }

    /// Returns the cases that are kept, with their files.
    pub(super) fn list_cases(&self) -> Vec<(Arc<Case>, Arc<PathBuf>)> {
        self.trials
            .iter()
            .filter_map(|trial| match &trial.work {
                TrialWork::Case(work) => Some((Arc::clone(&work.case), Arc::clone(&work.path))),
                TrialWork::Deferred(_) | TrialWork::Gate(_) | TrialWork::Broken(_) => None,
            })
            .collect()
    }

    /// Makes a trial fail with its error if the command line names the trials. Otherwise all errors are returned.
    pub(super) fn refuse_trials(
        &mut self,
        command: &HarnessCommand,
        find_problem: impl Fn(&PlannedTrial) -> Option<LoadError>,
    ) -> Result<(), LoadErrors> {
        let mut errors = LoadErrors::new();
        for planned in &mut self.trials {
            match find_problem(planned) {
                Some(error) if command.exact_names().is_some() => {
                    planned.work = TrialWork::Broken(error.into());
                }
                problem => problem.into_iter().for_each(|error| errors.push(error)),
            }
        }
        errors.unite();
        errors.or(())
    }

    /// Selects trials by their names as Rust paths, if the filters match no name. rust-analyzer knows only these paths.
    pub(super) fn match_identifiers(&mut self, command: &HarnessCommand) {
        // The plain names come first: a path is a guess at what the editor meant.
        if command.filters.is_empty() || self.trials.iter().any(|trial| command.wants_trial(&trial.name)) {
            return;
        }
        for trial in &mut self.trials {
            let path = build_identifier(&trial.name);
            trial.alias = (path != trial.name && command.wants_trial(&path)).then_some(path);
        }
    }

    /// Removes the trials that the filters leave out.
    pub(super) fn keep_wanted(&mut self, command: &HarnessCommand) {
        let before = self.trials.len();
        self.trials.retain(|trial| command.wants_trial(trial.shown_name()));
        self.filtered_out += before - self.trials.len();
    }
}

/// Returns the case that the gate of `suite` sums up. An ignored case does not run and has no score.
fn gated_case(trial: &PlannedTrial, suite: &str) -> Option<(String, CaseWork)> {
    match &trial.work {
        TrialWork::Case(work) if trial.ignore.is_none() && *work.suite == *suite => {
            Some((trial.name.clone(), work.clone()))
        }
        _ => None,
    }
}
