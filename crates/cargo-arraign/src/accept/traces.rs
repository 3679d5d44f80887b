//! A run of an agent as the new baseline of its case.

use std::path::Path;

use arraign::reader::{read, to_native};
use arraign::verdict::{RunSummary, Verdict};

use super::repository::Repository;

/// Renders the run of `verdict` for the baseline at `path`. The file of the run belongs to the package in `folder`.
/// The error says why the run cannot be a baseline.
pub(super) fn render_baseline(
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
    let recording = repository.join(folder, file);
    let text = repository.read_text(&recording)?;
    let runs = read(&text, Some(&run.format)).map_err(|error| format!("`{file}`: {error}"))?.runs;
    // Copy a file with one run unchanged if the baseline has the same extension.
    if runs.len() == 1 && recording.extension() == path.extension() {
        return Ok(text);
    }
    let found = runs.iter().find(|trace| runs.len() == 1 || is_run(trace.id.as_deref(), run));
    found.map(to_native).ok_or_else(|| {
        format!("`{file}` holds {} runs, and this one has no id: copy it to a file of its own", runs.len())
    })
}

fn is_run(id: Option<&str>, run: &RunSummary) -> bool {
    id.is_some() && id == run.id.as_deref()
}
