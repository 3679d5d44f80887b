//! The verdict of a trial whose case cannot be read. Reports contain it like any other.

use crate::place::{LoadError, LoadErrors, Location};
use crate::verdict::{TrialError, Verdict};

/// Returns a verdict with one error for each mistake. Everything else about the case is unknown.
pub(crate) fn load_failure_verdict(name: &str, errors: &LoadErrors) -> Verdict {
    let errors: Vec<TrialError> = errors.iter().map(to_trial_error).collect();
    let case = errors.first().map_or_else(Location::default, |error| error.at.clone());
    Verdict { errors, ..Verdict::empty(name, case) }
}

fn to_trial_error(error: &LoadError) -> TrialError {
    let help = error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"));
    TrialError { message: format!("{}{help}", error.problem), at: error.place.locate() }
}
