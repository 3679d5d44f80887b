//! The error of what is not compiled in.

use crate::place::{LoadError, Place};

/// Returns the error for `subject` at `place`, which needs `feature`, with the line for the manifest.
pub(in crate::check) fn report_missing_feature(subject: &str, place: Place, feature: &str) -> LoadError {
    let version = concat!(env!("CARGO_PKG_VERSION_MAJOR"), ".", env!("CARGO_PKG_VERSION_MINOR"));
    let dependency = format!("arraign = {{ version = \"{version}\", features = [\"{feature}\"] }}");
    LoadError::new(place, format!("{subject} needs arraign's feature `{feature}`"))
        .help(format!("in Cargo.toml: `{dependency}`"))
}
