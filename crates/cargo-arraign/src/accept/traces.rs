//! A run of an agent as the baseline of its case.

use std::path::Path;

use arraign::reader::{read, to_native};
use arraign::verdict::{RunSummary, Verdict};

use super::repository::Repository;

/// The text of the run that `verdict` is about, whose file is one of the package in `folder`, for the baseline at `path`.
/// The error says why there is none.
pub(super) fn text(
    verdict: &Verdict,
    path: &Path,
    folder: &str,
    repository: &Repository,
) -> Result<String, String> {
    let [run] = verdict.runs.as_slice() else {
        let count = verdict.runs.len();
        return Err(format!("the case has {count} runs, and a baseline is one: copy the one that is right"));
    };
    let Some(file) = &run.file else {
        let why = "the run is in no file: write the case's trace, or its agent's answer, to one first";
        return Err(why.to_owned());
    };
    let recording = repository.path(folder, file);
    let text = repository.read(&recording)?;
    let runs = read(&text, Some(&run.format)).map_err(|error| format!("`{file}`: {error}"))?.runs;
    // The same file as it stands, where a name of the same kind may hold it.
    if runs.len() == 1 && recording.extension() == path.extension() {
        return Ok(text);
    }
    let wanted = |trace: &&arraign::Trace| runs.len() == 1 || is_run(trace.id.as_deref(), run);
    runs.iter().find(wanted).map(to_native).ok_or_else(|| {
        format!("`{file}` holds {} runs, and this one has no id: copy it to a file of its own", runs.len())
    })
}

fn is_run(id: Option<&str>, run: &RunSummary) -> bool {
    id.is_some() && id == run.id.as_deref()
}
