//! Reads an earlier run from the folder of its logs or from one of its reports.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::manifest::MANIFESTS;
use super::runs::StoredRun;
use crate::json;
use crate::report::EarlierRun;
use crate::verdict::{SCHEMA_VERSION, Verdict};

/// How many runs a message lists.
const MAX_LISTED: usize = 5;

/// The fields of `report.json` that a comparison needs.
#[derive(Deserialize)]
struct StoredReport {
    run: StoredReportRun,
    verdicts: Vec<Verdict>,
}

#[derive(Deserialize)]
struct StoredReportRun {
    id: String,
}

/// Reads the trials of an earlier run. `which` is a path relative to `base`, of the run's folder or of its `report.json` or
/// `report.jsonl`; or it is the run's id, which is the name of its folder below `out`. The error is a message for the user.
pub fn earlier_run(which: &str, base: &Path, out: &Path) -> Result<EarlierRun, String> {
    let path = base.join(which);
    let below = out.join(which);
    if path.is_file() {
        return read_report(&path);
    }
    // A path comes first: an id is a name that no folder of the package is likely to have.
    let folder = if path.is_dir() { path } else { below };
    if !folder.is_dir() {
        return Err(format!(
            "no run `{which}`: expected the folder of a run, a report, or the id of a run below `{}`{}",
            out.display(),
            describe_runs(out)
        ));
    }
    earlier_shards(&[folder])
}

/// Reads the trials of an earlier run whose shards are in these folders. The error is a message for the user.
pub fn earlier_shards(folders: &[PathBuf]) -> Result<EarlierRun, String> {
    let run = StoredRun::open(folders).map_err(|error| error.to_string())?;
    let mut earlier = EarlierRun::new(&run.run().id);
    earlier.lost = run.missing() + run.torn();
    run.visit_verdicts(|verdict| earlier.add_verdict(verdict)).map_err(|error| error.to_string())?;
    require_trials(earlier)
}

/// Says which runs a folder has, the newest first.
pub fn describe_runs(out: &Path) -> String {
    let entries = fs::read_dir(out).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().join(MANIFESTS).is_dir());
    let mut names: Vec<String> =
        folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable_by(|one, other| other.cmp(one));
    names.truncate(MAX_LISTED);
    if names.is_empty() {
        "; the folder contains no run".to_owned()
    } else {
        format!("; the newest: `{}`", names.join("`, `"))
    }
}

fn read_report(path: &Path) -> Result<EarlierRun, String> {
    let shown = path.display().to_string();
    // A log has one verdict per line; a report is one document.
    if path.extension().is_some_and(|extension| extension == "jsonl") {
        let text = read_text(path)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let verdicts: Result<Vec<Verdict>, String> =
            lines.map(|(index, line)| parse_json(line, &format!("{shown}:{}", index + 1))).collect();
        return check_verdicts(&shown, &verdicts?);
    }
    let document: StoredReport = parse_json(&read_text(path)?, &shown)?;
    check_verdicts(&document.run.id, &document.verdicts)
}

fn read_text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn parse_json<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, String> {
    json::from_str(text).map_err(|error| format!("{place}: not a verdict: {error}"))
}

fn check_verdicts(name: &str, verdicts: &[Verdict]) -> Result<EarlierRun, String> {
    // A later version may have given a field another meaning.
    if let Some(other) = verdicts.iter().find(|verdict| verdict.schema_version > SCHEMA_VERSION) {
        let version = other.schema_version;
        return Err(format!(
            "`{name}`: written by a later version of arraign (schema_version {version}); update arraign to read it"
        ));
    }
    require_trials(EarlierRun::from_verdicts(name, verdicts))
}

fn require_trials(earlier: EarlierRun) -> Result<EarlierRun, String> {
    if earlier.trials.is_empty() {
        return Err(format!("`{}` contains no verdict to compare with", earlier.name));
    }
    Ok(earlier)
}
