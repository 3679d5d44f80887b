//! The names of trials, which must be unique.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::{FilePlan, list_names, trial_prefix};
use crate::harness::settings::EnvSettings;
use crate::place::{LoadError, LoadErrors, Place};
use crate::suite::{Library, Suite};

/// Finds the names that two cases or trials have.
pub(super) fn find_duplicates(
    files: &[(PathBuf, FilePlan)],
    library: Library<'_>,
    settings: &EnvSettings,
) -> LoadErrors {
    let (mut known, mut errors) = (HashMap::new(), LoadErrors::new());
    for (path, file) in files {
        for (index, name) in file.names.iter().enumerate() {
            let first = *known.entry(name.as_str()).or_insert((path, index));
            if first != (path, index) {
                // Places hold the texts of their files, so only those of duplicates are found, by reading the files again.
                let locate = |(path, index): (&PathBuf, usize)| locate_name(path, index, library, settings);
                errors.push(duplicate_name_error(name, locate((path, index)), &locate(first)));
            }
        }
    }
    errors
}

/// Returns the place of a name by its number in its file.
fn locate_name(path: &Path, index: usize, library: Library<'_>, settings: &EnvSettings) -> Place {
    let found = Suite::load(path, library).ok().and_then(|suite| {
        let FilePlan { plan, .. } = FilePlan::of_suite(&suite, path, library, settings);
        list_names(&suite, &trial_prefix(path, library), &plan).nth(index).map(|(_, place)| place.clone())
    });
    found.unwrap_or_else(|| Place::of_file(library.files.name(path)))
}

fn duplicate_name_error(name: &str, place: Place, first: &Place) -> LoadError {
    let problem = format!("two cases make the trial `{name}`: the other is at {first}");
    LoadError::new(place, problem).help("rename the file or the case")
}
