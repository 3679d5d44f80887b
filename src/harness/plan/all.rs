//! The plan of all trials, file by file.

use std::path::{Path, PathBuf};

use super::deferred::defer_cases;
use super::names::{find_duplicates, list_names};
use super::{Plan, PlanSource};
use crate::place::LoadErrors;
use crate::suite::{QuarantinableNames, Suite, find_case_files, list_named_datasets, remove_datasets};

/// The part of a plan that comes from one file.
#[derive(Default)]
pub(super) struct FilePlan {
    pub(super) plan: Plan,
    /// The names of its cases and trials.
    pub(super) names: Vec<String>,
    /// The names that `quarantine.yaml` may have, unless it is empty.
    quarantinable: QuarantinableNames,
    /// The files that are parts of this one.
    datasets: Vec<PathBuf>,
    errors: LoadErrors,
}

impl FilePlan {
    pub(super) fn of_suite(suite: &Suite, path: &Path, source: PlanSource<'_>) -> Self {
        let mut file = Self { datasets: suite.datasets.clone(), ..Self::default() };
        file.errors.take(file.plan.add_suite(suite, path, source));
        let prefix = source.trial_prefix(path);
        file.names = list_names(suite, &prefix, &file.plan).map(|(name, _)| name).collect();
        if !source.quarantine.entries.is_empty() {
            file.quarantinable.add_suite(suite, &prefix);
        }
        let suffixes = source.variants.list_suffixes();
        suite.cases.iter().for_each(|case| file.plan.pinned.note_case(case, path, suffixes));
        // A suite without a selected case does not decide which reports are written.
        if !file.plan.trials.is_empty() {
            file.plan.reports.extend(&suite.reports);
        }
        file
    }
}

/// Plans all trials below the eval root, and keeps about `most_kept` cases in memory. The error contains every mistake in
/// every file.
pub(in crate::harness) fn plan_all(source: PlanSource<'_>, most_kept: usize) -> Result<Plan, LoadErrors> {
    let mut files = Vec::new();
    let mut kept = 0;
    let mut paths = find_case_files(source.library.files)?;
    if let Some(file) = &source.settings.file {
        let wanted = source.library.files.root().join(file);
        paths.retain(|path| *path == wanted);
    }
    for path in paths {
        // The suite is dropped here, so that only what the plan keeps of it stays in memory.
        let file = Suite::load(&path, source.library).map(|suite| {
            let mut file = FilePlan::of_suite(&suite, &path, source);
            if kept + suite.cases.len() > most_kept {
                defer_cases(&mut file.plan, source.settings.overrides);
            } else {
                kept += suite.cases.len();
            }
            file
        });
        let file = file.unwrap_or_else(|errors| {
            let datasets = list_named_datasets(&path, source.library.files);
            FilePlan { datasets, errors, ..FilePlan::default() }
        });
        files.push((path, file));
    }
    let datasets = files.iter().flat_map(|(_, file)| file.datasets.iter().cloned()).collect();
    remove_datasets(&mut files, &datasets);
    let mut errors = find_duplicates(&files, source);
    let mut plan = Plan::default();
    let mut quarantinable = QuarantinableNames::default();
    for (_, file) in files {
        errors.extend(file.errors);
        quarantinable.extend(file.quarantinable);
        plan.extend(file.plan);
    }
    // A file with a mistake, or one that was not read, may have the case of an entry.
    if errors.is_empty() && source.settings.file.is_none() {
        let is_variant = |name: &str| source.variants.knows(name);
        errors.extend(quarantinable.check_entries(source.quarantine, is_variant));
    }
    // Two files may report one mistake of a file that both include, which is then told once.
    errors.sort_by_place();
    errors.or(plan)
}
