//! Which trials there are: all of them for a run or a list, only the named ones under `--exact`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Command;
use super::orphans::Pinned;
use super::settings::Settings;
use crate::case::{Case, Ignore, Runs, Tier, TraceFrom};
use crate::place::{LoadError, LoadErrors};
use crate::suite::{Library, ReportFormat, Suite, case_files, files_for_name, load_runs, trial_name};

/// A trial to come.
pub(super) struct Planned {
    /// Its name.
    pub(super) name: String,
    /// Why it is not run by default.
    pub(super) ignore: Option<Ignore>,
    /// What it does.
    pub(super) work: Work,
}

/// What a trial does.
pub(super) enum Work {
    /// Holds the case against its trace; of a file with several runs, perhaps only the one of this index.
    Case {
        /// The case.
        case: Arc<Case>,
        /// The case's file.
        path: PathBuf,
        /// One run of a trace file that says `each: true`.
        run: Option<usize>,
    },
    /// Reports why its file cannot be read.
    Broken(LoadErrors),
}

/// The trials of one run of the harness.
#[derive(Default)]
pub(super) struct Plan {
    /// The trials.
    pub(super) trials: Vec<Planned>,
    /// Cases left out by tier or tag.
    pub(super) skipped: usize,
    /// Reports that the suites ask for.
    pub(super) reports: Vec<ReportFormat>,
    /// Snapshots that the cases ask for, whether they are run or not.
    pub(super) pinned: Pinned,
}

/// All trials below the eval root, or everything that is wrong there.
pub(super) fn all(library: Library<'_>, settings: &Settings) -> Result<Plan, LoadErrors> {
    let paths = case_files(library.files)?;
    let (mut plan, mut errors) = (Plan::default(), LoadErrors::new());
    let mut names: HashMap<String, Arc<Case>> = HashMap::new();
    for (path, suite) in suites(paths, library) {
        let Some(suite) = errors.take(suite) else { continue };
        let planned = plan.trials.len();
        for case in &suite.cases {
            plan.pinned.add(case, &path);
            let (name, before) = (name_of(&path, case, library), plan.trials.len());
            errors.take(add(&mut plan, case, &path, name.clone(), library, settings));
            let of_runs = plan.trials[before..].iter().map(|trial| &trial.name).filter(|run| **run != name);
            for name in std::iter::once(&name).chain(of_runs) {
                if let Some(first) = names.insert(name.clone(), Arc::clone(case)) {
                    errors.push(same_name(name, case, &first));
                }
            }
        }
        if plan.trials.len() > planned {
            plan.reports.extend(&suite.reports);
        }
    }
    errors.unite();
    errors.or(plan)
}

/// What the files hold, without those whose rows are another file's cases.
fn suites(paths: Vec<PathBuf>, library: Library<'_>) -> Vec<(PathBuf, Result<Suite, LoadErrors>)> {
    let mut suites: Vec<(PathBuf, Result<Suite, LoadErrors>)> =
        paths.into_iter().map(|path| (path.clone(), Suite::load(&path, library))).collect();
    let loaded = suites.iter().filter_map(|(_, suite)| suite.as_ref().ok());
    let datasets: Vec<PathBuf> = loaded.flat_map(|suite| suite.datasets.clone()).collect();
    suites.retain(|(path, _)| !datasets.contains(path));
    suites
}

/// The trials called `names`; only the files that these names point at are opened.
pub(super) fn named(names: &[String], library: Library<'_>, settings: &Settings) -> Plan {
    let mut plan = Plan::default();
    for (at, name) in names.iter().enumerate() {
        if !names[..at].contains(name) {
            find(&mut plan, name, library, settings);
        }
    }
    plan
}

fn find(plan: &mut Plan, name: &str, library: Library<'_>, settings: &Settings) {
    let mut broken = LoadErrors::new();
    for path in files_for_name(library.files, name) {
        let wanted = |id: Option<&str>| is_name_of(name, &trial_name(below(&path, library), id));
        let Some(suite) = broken.take(Suite::load_some(&path, library, &wanted)) else { continue };
        let Some(case) = suite.cases.first() else { continue };
        let case_name = name_of(&path, case, library);
        let mut found = Plan::default();
        let added = broken.take(add(&mut found, case, &path, case_name, library, settings));
        plan.reports.extend(&suite.reports);
        plan.skipped += found.skipped;
        plan.trials.extend(found.trials.into_iter().filter(|trial| trial.name == name));
        if added.is_some() {
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

/// Adds the trial of a case, or one a run where its trace says so.
fn add(
    plan: &mut Plan,
    case: &Arc<Case>,
    path: &Path,
    name: String,
    library: Library<'_>,
    settings: &Settings,
) -> Result<(), LoadErrors> {
    if !is_selected(case, settings) {
        plan.skipped += 1;
        return Ok(());
    }
    let planned = |name: String, run: Option<usize>| Planned {
        name,
        ignore: case.ignore.clone(),
        work: Work::Case { case: Arc::clone(case), path: path.to_owned(), run },
    };
    let TraceFrom::File(file) = &case.trace else {
        plan.trials.push(planned(name, None));
        return Ok(());
    };
    if file.runs != Runs::Each {
        plan.trials.push(planned(name, None));
        return Ok(());
    }
    // The one thing that reads a trace while listing, and only to count its runs.
    let runs =
        load_runs(case, path, library.files).map_err(|error| LoadError::new(file.place.clone(), error))?;
    plan.trials.extend((0..runs.len()).map(|run| planned(format!("{name}::run_{}", run + 1), Some(run))));
    Ok(())
}

fn is_selected(case: &Case, settings: &Settings) -> bool {
    let tier = settings.tier.is_none_or(|tier| tier == Tier::Full || case.tier == tier);
    tier && (settings.tags.is_empty() || case.tags.iter().any(|tag| settings.tags.contains(tag)))
}

fn name_of(path: &Path, case: &Case, library: Library<'_>) -> String {
    trial_name(below(path, library), case.id.as_deref())
}

fn below<'p>(path: &'p Path, library: Library<'_>) -> &'p Path {
    path.strip_prefix(library.files.root()).unwrap_or(path)
}

fn same_name(name: &str, case: &Case, first: &Case) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other stands at {}", first.place);
    LoadError::new(case.place.clone(), problem).help("rename the file or the case")
}

impl Plan {
    /// The cases of the trials.
    pub(super) fn cases(&self) -> Vec<Arc<Case>> {
        let case = |trial: &Planned| match &trial.work {
            Work::Case { case, .. } => Some(Arc::clone(case)),
            Work::Broken(_) => None,
        };
        self.trials.iter().filter_map(case).collect()
    }

    /// Keeps only the trials that the command line wants, where libtest-mimic cannot do that itself.
    pub(super) fn select(&mut self, command: &Command) {
        if command.filters.len() > 1 {
            self.trials.retain(|trial| command.wants(&trial.name));
        }
    }
}
