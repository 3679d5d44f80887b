//! The verdict of a trial whose case cannot be read: it stands in every report, as it does in the run.

use crate::case::Tier;
use crate::outcome::{Score, Status};
use crate::place::{LoadError, LoadErrors, Location};
use crate::verdict::{SCHEMA_VERSION, TrialError, Verdict};

/// An error for each mistake. What the case says of itself is not known.
pub(super) fn verdict(name: &str, errors: &LoadErrors) -> Verdict {
    let errors: Vec<TrialError> = errors.iter().map(error).collect();
    Verdict {
        schema_version: SCHEMA_VERSION,
        name: name.to_owned(),
        case: errors.first().map_or_else(Location::default, |error| error.at.clone()),
        description: None,
        tier: Tier::Full,
        tags: Vec::new(),
        status: Status::Error,
        expected: Status::Pass,
        passed: false,
        score: Score::ZERO,
        findings: Vec::new(),
        scorecards: Vec::new(),
        statistics: None,
        runs: Vec::new(),
        errors,
        snapshot_diff: None,
        duration_ms: 0.0,
    }
}

fn error(error: &LoadError) -> TrialError {
    let help = error.help.as_ref().map_or_else(String::new, |help| format!(" (help: {help})"));
    TrialError { message: format!("{}{help}", error.problem), at: error.place.locate() }
}
