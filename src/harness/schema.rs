//! Writes the JSON Schema for editors, with the project's own checks.

use std::path::Path;
use std::process::ExitCode;

use super::stderr::report_problem;
use crate::check::Registry;
#[cfg(feature = "schema")]
use crate::source::write_whole;
#[cfg(feature = "schema")]
use crate::suite::schema::of_cases;

/// Refuses to write a schema, because this build has none.
#[cfg(not(feature = "schema"))]
pub(super) fn write_schema(_path: &Path, _kinds: &Registry) -> ExitCode {
    report_problem(
        "ARRAIGN_SCHEMA needs the feature `schema`, which is off; enable it: `arraign = { version = \"0.1\", \
         features = [\"schema\"] }`"
            .to_owned(),
    )
}

/// Writes the schema to `path` and returns the exit code of the process.
#[cfg(feature = "schema")]
pub(super) fn write_schema(path: &Path, kinds: &Registry) -> ExitCode {
    let schema = format!("{:#}\n", of_cases(kinds));
    match write_whole(path, schema.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => report_problem(format!("ARRAIGN_SCHEMA: cannot write `{}`: {error}", path.display())),
    }
}
