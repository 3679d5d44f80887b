//! The names of trials, which must be unique.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::all::FilePlan;
use super::{CaseWork, Plan, PlanSource, TrialWork};
use crate::place::{LoadError, LoadErrors, Place};
use crate::suite::{Suite, build_case_name};

/// Lists the names that must be unique, with their places: those of all cases, also of those that the tier or the tags leave
/// out, so that a duplicate does not appear only when another tier is selected; and those of trials that are not called like
/// their case, the trials of single runs, of variants and of gates.
pub(super) fn list_names<'p>(
    suite: &'p Suite,
    file: &'p str,
    plan: &'p Plan,
) -> impl Iterator<Item = (String, &'p Place)> {
    let cases = suite.cases.iter().map(|case| (build_case_name(file, case.id.as_deref()), &case.place));
    let derived = plan.trials.iter().filter_map(|trial| match &trial.work {
        TrialWork::Case(work) if work.run.is_some() || is_of_variant(work) => {
            Some((trial.name.clone(), &work.case.place))
        }
        TrialWork::Gate(work) => Some((trial.name.clone(), &work.gate.place)),
        TrialWork::Case(_) | TrialWork::Deferred(_) | TrialWork::Broken(_) => None,
    });
    cases.chain(derived)
}

/// Whether the name of the trial ends with its variant.
fn is_of_variant(work: &CaseWork) -> bool {
    work.case.variant.as_ref().is_some_and(|variant| !variant.is_baseline())
}

/// Finds the names that two cases or trials have.
pub(super) fn find_duplicates(files: &[(PathBuf, FilePlan)], source: PlanSource<'_>) -> LoadErrors {
    let mut known = HashMap::new();
    let mut errors = LoadErrors::new();
    for (path, file) in files {
        for (index, name) in file.names.iter().enumerate() {
            let first = *known.entry(name.as_str()).or_insert((path, index));
            if first != (path, index) {
                // Places hold the texts of their files, so only those of duplicates are found, by reading the files again.
                let locate = |(path, index): (&PathBuf, usize)| locate_name(path, index, source);
                errors.push(duplicate_name_error(name, locate((path, index)), &locate(first)));
            }
        }
    }
    errors
}

/// Returns the place of a name by its number in its file.
fn locate_name(path: &Path, index: usize, source: PlanSource<'_>) -> Place {
    let found = Suite::load(path, source.library).ok().and_then(|suite| {
        let FilePlan { plan, .. } = FilePlan::of_suite(&suite, path, source);
        list_names(&suite, &source.trial_prefix(path), &plan).nth(index).map(|(_, place)| place.clone())
    });
    found.unwrap_or_else(|| Place::of_file(source.library.files.name(path)))
}

fn duplicate_name_error(name: &str, place: Place, first: &Place) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other is at {first}");
    LoadError::new(place, problem).help("rename the file or the case")
}
