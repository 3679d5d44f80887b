//! The error of what is not compiled in.

use crate::outcome::suggest_feature;
use crate::place::{LoadError, Place};

/// Returns the error for `subject` at `place`, which needs `feature`, with the command that adds it.
pub(in crate::check) fn report_missing_feature(subject: &str, place: Place, feature: &str) -> LoadError {
    LoadError::new(place, format!("{subject} needs arraign's feature `{feature}`"))
        .help(suggest_feature(feature))
}
