//! The schema that knows the project's own checks, for an editor.

use std::path::Path;
use std::process::ExitCode;

use super::output::stderr::usage_error;
use crate::check::Registry;
use crate::source::write_whole;
use crate::suite::schema::of_cases;

/// Writes it to `path`, and says how the process ends.
pub(super) fn write_schema(path: &Path, kinds: &Registry) -> ExitCode {
    let schema = format!("{:#}\n", of_cases(kinds));
    match write_whole(path, schema.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            usage_error(&[format!("ARRAIGN_SCHEMA: {} cannot be written: {error}", path.display())])
        }
    }
}
