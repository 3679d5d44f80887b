//! Which trials there are: all of them for a run or a list, only the named ones under `--exact`.

mod names;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::names::TrialNames;
use super::cli::Command;
use super::settings::Settings;
use super::snapshots::orphans::PinnedSnapshots;
use crate::case::{Case, Ignore, RunSelection, Tier, TraceFrom};
use crate::place::{LoadError, LoadErrors};
use crate::suite::{
    CaseRuns, Library, ReportFormat, Suite, SuiteGate, build_case_name, build_file_name, find_case_files,
    find_files_for_name, load_all,
};
use crate::verdict::summary::{GoldenSuite, Selection, is_golden};

/// The id of the trial that holds a suite's gate.
const GATE_ID: &str = "pass_threshold";

/// A trial to come.
pub(super) struct Planned {
    /// Its name.
    pub(super) name: String,
    /// Why it is not run by default.
    pub(super) ignore: Option<Ignore>,
    /// What it does.
    pub(super) work: Work,
}

impl Planned {
    /// Whether libtest will run it.
    pub(super) fn will_run(&self, command: &Command) -> bool {
        let asked = &command.arguments;
        let ignored = self.ignore.is_some();
        let runs = if asked.ignored { ignored } else { !ignored || asked.include_ignored };
        runs && !asked.bench && command.wants_trial(&self.name)
    }
}

/// What a trial does.
pub(super) enum Work {
    /// Holds a case against its trace.
    Case(CaseWork),
    /// Holds what the cases of a suite reach together.
    Gate(GateWork),
    /// Reports why its file cannot be read.
    Broken(LoadErrors),
}

/// A case and where it stands; of a file with several runs, perhaps only the one of this index.
#[derive(Clone)]
pub(super) struct CaseWork {
    /// The case.
    pub(super) case: Arc<Case>,
    /// The case's file.
    pub(super) path: Arc<PathBuf>,
    /// What the names of its suite's trials begin with.
    pub(super) suite: Arc<str>,
    /// One run of a trace file that says `each: true`.
    pub(super) run: Option<OneRun>,
}

/// One run of those that a trace file holds.
#[derive(Clone)]
pub(super) struct OneRun {
    /// All of them, found and not read.
    pub(super) runs: Arc<CaseRuns>,
    /// Which, from 0.
    pub(super) number: usize,
}

/// The gate of a suite, and the trials whose scores it holds, by name.
pub(super) struct GateWork {
    /// The gate.
    pub(super) gate: SuiteGate,
    /// What the names of the suite's trials begin with.
    pub(super) suite: Arc<str>,
    /// The cases of the wanted tier and tags that are not ignored.
    pub(super) cases: Vec<(String, CaseWork)>,
}

/// The trials of one run of the harness.
#[derive(Default)]
pub(super) struct Plan {
    /// The trials.
    pub(super) trials: Vec<Planned>,
    /// Cases left out by tier or tag.
    pub(super) skipped: usize,
    /// The suites that hold golden rows.
    pub(super) golden: Vec<GoldenSuite>,
    /// Reports that the suites ask for.
    pub(super) reports: Vec<ReportFormat>,
    /// Snapshots that the cases ask for, whether they are run or not.
    pub(super) pinned: PinnedSnapshots,
}

impl Plan {
    /// The trials that libtest will run.
    pub(super) fn to_run<'p>(&'p self, command: &'p Command) -> impl Iterator<Item = &'p Planned> {
        self.trials.iter().filter(|planned| planned.will_run(command))
    }
}

/// All trials below the eval root, or everything that is wrong there.
pub(super) fn plan_all(library: Library<'_>, settings: &Settings) -> Result<Plan, LoadErrors> {
    let paths = find_case_files(library.files)?;
    let (mut plan, mut errors, mut names) = (Plan::default(), LoadErrors::new(), TrialNames::default());
    for (path, suite) in load_all(paths, library) {
        let Some(suite) = errors.take(suite) else { continue };
        let (planned, file) = (plan.trials.len(), name_of(&path, library));
        for case in &suite.cases {
            plan.pinned.note_case(case, &path);
            errors.take(names.claim_name(build_case_name(&file, case.id.as_deref()), &case.place));
        }
        errors.take(plan.add_suite(&suite, &path, library, settings));
        for trial in &plan.trials[planned..] {
            errors.take(claim_added(&mut names, trial));
        }
        if plan.trials.len() > planned {
            plan.reports.extend(&suite.reports);
        }
    }
    errors.unite();
    errors.or(plan)
}

/// Trials that no case is named after: one a run, and a gate's.
fn claim_added(names: &mut TrialNames, trial: &Planned) -> Result<(), LoadError> {
    match &trial.work {
        Work::Case(work) if work.run.is_some() => names.claim_name(trial.name.clone(), &work.case.place),
        Work::Gate(work) => names.claim_name(trial.name.clone(), &work.gate.place),
        Work::Case(_) | Work::Broken(_) => Ok(()),
    }
}

/// The trials called `names`; only the files that these names point at are opened.
pub(super) fn plan_named(names: &[String], library: Library<'_>, settings: &Settings) -> Plan {
    let mut plan = Plan::default();
    for (at, name) in names.iter().enumerate() {
        if !names[..at].contains(name) {
            plan_one(&mut plan, name, library, settings);
        }
    }
    plan
}

fn plan_one(plan: &mut Plan, name: &str, library: Library<'_>, settings: &Settings) {
    let mut broken = LoadErrors::new();
    for path in find_files_for_name(library.files, name) {
        // A gate holds all cases of its file.
        let file = name_of(&path, library);
        let is_gate = name == build_case_name(&file, Some(GATE_ID));
        let wanted = |id: Option<&str>| is_gate || is_name_of(name, &build_case_name(&file, id));
        let Some(suite) = broken.take(Suite::load_some(&path, library, &wanted)) else { continue };
        if suite.cases.is_empty() {
            continue;
        }
        let mut found = Plan::default();
        let added = broken.take(found.add_suite(&suite, &path, library, settings));
        plan.reports.extend(&suite.reports);
        plan.skipped += found.skipped;
        plan.golden.append(&mut found.golden);
        let before = plan.trials.len();
        plan.trials.extend(found.trials.into_iter().filter(|trial| trial.name == name));
        let is_here = !is_gate || plan.trials.len() > before;
        if added.is_some() && is_here {
            return;
        }
    }
    if !broken.is_empty() {
        plan.trials.push(Planned { name: name.to_owned(), ignore: None, work: Work::Broken(broken) });
    }
}

/// Whether a trial called `name` is one of the case called `case_name`.
fn is_name_of(name: &str, case_name: &str) -> bool {
    name.strip_prefix(case_name).is_some_and(|rest| rest.is_empty() || rest.starts_with("::run_"))
}

/// The trial of a case, or one a run where its trace says so.
fn trials_of(work: &CaseWork, name: String, library: Library<'_>) -> Result<Vec<Planned>, LoadErrors> {
    let planned = |name: String, run: Option<OneRun>| Planned {
        name,
        ignore: work.case.ignore.clone(),
        work: Work::Case(CaseWork { run, ..work.clone() }),
    };
    let TraceFrom::File(file) = &work.case.trace else { return Ok(vec![planned(name, None)]) };
    if file.runs != RunSelection::Each {
        return Ok(vec![planned(name, None)]);
    }
    // The one thing that looks at a trace while listing, and only for where its runs are.
    let runs = CaseRuns::find_runs(&work.case, &work.path, library.files)
        .map_err(|error| LoadError::new(file.place.clone(), error))?;
    let runs = Arc::new(runs);
    let one = |number: usize| Some(OneRun { runs: Arc::clone(&runs), number });
    Ok((0..runs.len()).map(|number| planned(format!("{name}::run_{}", number + 1), one(number))).collect())
}

fn is_selected(case: &Case, settings: &Settings) -> bool {
    let tier = settings.tier.is_none_or(|tier| tier == Tier::Full || case.tier == tier);
    tier && (settings.tags.is_empty() || case.tags.iter().any(|tag| settings.tags.contains(tag)))
}

/// What the names of the trials of the file at `path` begin with.
fn name_of(path: &Path, library: Library<'_>) -> String {
    build_file_name(path.strip_prefix(library.files.root()).unwrap_or(path))
}

impl Plan {
    /// Adds the trials of a suite's selected cases, and that of its gate if any is left to hold.
    fn add_suite(
        &mut self,
        suite: &Suite,
        path: &Path,
        library: Library<'_>,
        settings: &Settings,
    ) -> Result<(), LoadErrors> {
        let (mut errors, before, skipped) = (LoadErrors::new(), self.trials.len(), self.skipped);
        let name: Arc<str> = name_of(path, library).into();
        let shared_path = Arc::new(path.to_owned());
        for case in &suite.cases {
            if !is_selected(case, settings) {
                self.skipped += 1;
                continue;
            }
            let (case, path) = (Arc::clone(case), Arc::clone(&shared_path));
            let case_name = build_case_name(&name, case.id.as_deref());
            let work = CaseWork { case, path, suite: Arc::clone(&name), run: None };
            self.trials.extend(errors.take(trials_of(&work, case_name, library)).unwrap_or_default());
        }
        if suite.cases.iter().any(|case| is_golden(case)) {
            let gate = suite.gate.as_ref().and_then(|gate| gate.mean);
            let (harness, name) = (String::new(), name.to_string());
            self.golden.push(GoldenSuite { harness, name, skipped: self.skipped - skipped, gate });
        }
        if let Some(gate) = &suite.gate {
            let cases = self.trials[before..].iter().filter_map(held_by_gate).collect();
            let gate_name = build_case_name(&name, Some(GATE_ID));
            let work = GateWork { gate: gate.clone(), suite: name, cases };
            self.trials.extend(gate_trial(work, gate_name));
        }
        errors.or(())
    }

    /// What was asked for, as far as the verdicts of its trials do not tell it.
    pub(super) fn selection(&self, settings: &Settings) -> Selection {
        let tier = settings.tier.unwrap_or(Tier::Full);
        Selection { tier, skipped: self.skipped, golden: self.golden.clone() }
    }

    /// The cases of the trials, and their files.
    pub(super) fn list_cases(&self) -> Vec<(Arc<Case>, Arc<PathBuf>)> {
        let case = |trial: &Planned| match &trial.work {
            Work::Case(work) => Some((Arc::clone(&work.case), Arc::clone(&work.path))),
            Work::Gate(_) | Work::Broken(_) => None,
        };
        self.trials.iter().filter_map(case).collect()
    }

    /// Keeps only the trials that the command line wants, where libtest-mimic cannot do that itself.
    pub(super) fn keep_wanted(&mut self, command: &Command) {
        if command.filters.len() > 1 {
            self.trials.retain(|trial| command.wants_trial(&trial.name));
        }
    }
}

/// A gate without a case to hold is no trial: it would be green, or red, for nothing.
fn gate_trial(work: GateWork, name: String) -> Option<Planned> {
    (!work.cases.is_empty()).then_some(Planned { name, ignore: None, work: Work::Gate(work) })
}

/// An ignored case does not run, and has no score.
fn held_by_gate(trial: &Planned) -> Option<(String, CaseWork)> {
    match &trial.work {
        Work::Case(work) if trial.ignore.is_none() => Some((trial.name.clone(), work.clone())),
        _ => None,
    }
}
