//! The runs of an agent, written where its case looks for them.

use std::path::{Path, PathBuf};

use super::discover::is_case_file;
use super::trace::{case_stem, trace_home};
use crate::case::{Case, TraceFrom};
use crate::reader::to_native;
use crate::source::Files;
use crate::trace::Trace;

/// Writes the runs of a case in the file `path`: one to the file that `trace` names, or to
/// `traces/<file stem>/<id>.json`; several to `traces/<file stem>/<id>/<n>.json`. The error is the cause, in a sentence.
pub fn record_run(case: &Case, path: &Path, files: &Files, runs: &[Trace]) -> Result<(), String> {
    for (index, run) in runs.iter().enumerate() {
        let path = recording(case, path, files, index + 1)?;
        files.write(&path, to_native(run).as_bytes()).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// The file that the `run`-th run of a case (from 1) is recorded in.
pub fn recording(case: &Case, path: &Path, files: &Files, run: usize) -> Result<PathBuf, String> {
    let path = trace_home(case, path);
    let folder = path.parent().unwrap_or(path);
    let own = case_stem(case, path);
    match &case.trace {
        TraceFrom::File(file) => with_agent_name(folder, &file.path, files),
        _ if case.repeat.as_ref().is_some_and(|(runs, _)| *runs > 1) => Ok(own.join(format!("{run}.json"))),
        // An id may contain a dot.
        _ => Ok(PathBuf::from(format!("{}.json", own.display()))),
    }
}

/// What is recorded must not be found as a case.
fn with_agent_name(folder: &Path, name: &str, files: &Files) -> Result<PathBuf, String> {
    let path = files.resolve(folder, name).map_err(|error| error.to_string())?;
    if is_case_file(&path, files.root()) {
        return Err(format!(
            "recorded in `{name}`, the run would be read as a case: name a file below `traces/`"
        ));
    }
    Ok(path)
}
