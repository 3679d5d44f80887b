//! Writes the verdicts of a run: each process appends one line for each trial to its own log.
//!
//! A log is `<out>/<run id>/<harness>.<process>.jsonl`, where `<process>` is the process id. nextest starts one process for
//! each trial, so there the logs belong to slots: two tests that run at the same time never share a slot, and a run leaves
//! as many logs as it has threads. The manifests are `@manifests/<harness>.json`; `@manifests/<harness>.spent.jsonl` lists
//! what a judge has cost.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::OnceLock;

use super::history::HistoryLog;
use super::manifest::{MANIFESTS, RunManifest};
use super::prune::prune_runs;
use crate::harness::settings::{Nextest, own_run_id};
use crate::json;
use crate::source::{LineLog, TextHash, write_with_folder};
use crate::suite::escape_file_name;
use crate::verdict::Verdict;

/// The longest name of a harness or a run in a path. File systems allow 255 bytes, and the hash of a long name, the process,
/// the extension, and the additions of a temporary name must fit, too.
const LONGEST_NAME: usize = 180;

thread_local! {
    /// The buffer in which a thread serializes its verdicts, one after the other.
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// The folder of this run, with its verdicts and manifests.
#[derive(Debug)]
pub(crate) struct Store {
    /// The folder of all runs and of their reports.
    pub(crate) out: PathBuf,
    /// The folder of this run.
    pub(crate) run: PathBuf,
    harness: String,
    attempt: u32,
    log: LineLog,
    /// The history of many runs, if the user names one.
    history: Option<HistoryLog>,
    /// Why the first of the lost verdicts was not written.
    unwritten: OnceLock<String>,
}

/// The processes of a run of which each has one trial.
#[cfg_attr(not(feature = "live"), expect(dead_code, reason = "only agents are not asked twice"))]
pub(crate) struct RunProcesses {
    /// The file in which they share the hashes of files. What else they share is beside it.
    pub(crate) hashes: PathBuf,
    /// This process is a later attempt at its trial, or of a later round of a stress run.
    pub(crate) is_repeated: bool,
}

impl Store {
    /// The store of this process's run below `out`. No folder is created before the first file.
    pub(crate) fn new(out: &Path, harness: &str, nextest: Option<&Nextest>) -> Self {
        let run_id = nextest.map_or_else(own_run_id, |nextest| nextest.run_id.clone());
        let run = out.join(escape_name(&run_id));
        let log = open_log(&run, &escape_name(harness), nextest);
        let attempt = nextest.map_or(1, |nextest| nextest.attempt);
        let unwritten = OnceLock::new();
        Self { out: out.to_owned(), run, harness: harness.to_owned(), attempt, log, history: None, unwritten }
    }

    /// Sets the history to which the trials are appended.
    pub(crate) fn with_history(self, history: Option<HistoryLog>) -> Self {
        Self { history, ..self }
    }

    /// The harness whose trials are written.
    pub(crate) fn harness(&self) -> &str {
        &self.harness
    }

    /// The file of the history, if the user names one.
    pub(crate) fn history_path(&self) -> Option<&Path> {
        self.history.as_ref().map(HistoryLog::path)
    }

    /// Writes the manifest that `describe` returns, unless another process of the run has written one. Returns whether it
    /// was written.
    ///
    /// If the manifest cannot be written, the verdicts could not be either, so the error is about those.
    pub(crate) fn write_manifest(&self, describe: impl FnOnce() -> RunManifest) -> Result<bool, String> {
        let path = self.run.join(MANIFESTS).join(self.name_file("json"));
        // All processes of a run describe the same, so the first one is enough.
        if path.exists() {
            return Ok(false);
        }
        let json = json::to_vec(&describe()).map_err(io::Error::from);
        let written = json.and_then(|json| write_with_folder(&path, &json));
        written.map(|()| true).map_err(|error| self.unwritable_error(&error))
    }

    /// Removes the oldest runs of this harness, so that `keep` of them are left.
    pub(crate) fn prune_runs(&self, keep: usize) {
        prune_runs(&self.out, &self.name_file("json"), keep);
    }

    /// Renders the error of a verdict that cannot be written.
    fn unwritable_error(&self, error: &io::Error) -> String {
        let folder = self.run.display();
        format!("cannot write verdicts below `{folder}`: {error}; set ARRAIGN_OUT to another folder")
    }

    /// The file in which all processes of this run record what they spend on the judge.
    pub(crate) fn judge_ledger(&self) -> LineLog {
        LineLog::at(self.run.join(MANIFESTS).join(self.name_file("spent.jsonl")))
    }

    /// The files that this process of nextest shares with the others of the run.
    pub(crate) fn share_with_processes(&self, nextest: &Nextest) -> RunProcesses {
        let hashes = self.run.join(MANIFESTS).join(self.name_file("inputs.hashes"));
        RunProcesses { hashes, is_repeated: nextest.attempt > 1 }
    }

    /// Appends a verdict of this harness to the log of this process. The error is a message for the user.
    pub(crate) fn write_verdict(&self, verdict: &mut Verdict) -> Result<(), String> {
        verdict.harness.clone_from(&self.harness);
        verdict.attempt = self.attempt;
        let written = self.append_verdict(verdict).map_err(|error| self.unwritable_error(&error));
        let written = written.and_then(|()| self.append_to_history(verdict));
        written.inspect_err(|problem| {
            self.unwritten.get_or_init(|| problem.clone());
        })
    }

    fn append_to_history(&self, verdict: &Verdict) -> Result<(), String> {
        let Some(history) = &self.history else { return Ok(()) };
        let run = self.run.file_name().unwrap_or_default().to_string_lossy();
        history.append_verdict(verdict, &run)
    }

    /// Checks that no verdict was lost. The error is a message for the user.
    pub(crate) fn check_written(&self) -> Result<(), String> {
        if let Some(problem) = self.unwritten.get() {
            return Err(problem.clone());
        }
        if self.log.has_lost_lines() {
            let folder = self.run.display();
            return Err(format!("verdicts of this run are lost: `{folder}` was removed while it ran"));
        }
        Ok(())
    }

    fn append_verdict(&self, verdict: &Verdict) -> io::Result<()> {
        // Taking the buffer leaves an empty one behind; if serialization fails, the buffer is simply lost.
        let mut json = BUFFER.take();
        json.clear();
        json.extend(json::to_vec(verdict)?);
        let written = self.log.append_line(&json);
        BUFFER.set(json);
        written
    }

    /// Names a file of the harness in the folder of manifests.
    fn name_file(&self, extension: &str) -> String {
        format!("{}.{extension}", escape_name(&self.harness))
    }
}

/// Returns the log of this process. Without a slot, all processes of nextest share one log, which is locked for each line.
fn open_log(run: &Path, harness: &str, nextest: Option<&Nextest>) -> LineLog {
    match nextest.map(|nextest| nextest.slot) {
        None => LineLog::at(run.join(format!("{harness}.{}.jsonl", process::id()))),
        Some(Some(slot)) => LineLog::at(run.join(format!("{harness}.slot-{slot}.jsonl"))),
        Some(None) => LineLog::locked_at(run.join(format!("{harness}.shared.jsonl"))),
    }
}

/// Returns one name in a path for an arbitrary id, which must not lead out of the folder above (`..`, `a/b`). A long name is
/// cut and ends with the hash of the whole name.
fn escape_name(id: &str) -> String {
    if id == "." {
        return "%2E".to_owned();
    }
    // `..` is escaped after the usual escapes, which keep dots: it would lead to the folder above.
    let name = escape_file_name(id).replace("..", "%2E%2E");
    if name.len() <= LONGEST_NAME {
        return name;
    }
    // The limit is in bytes, so the cut moves back to the start of a character.
    let end = name.floor_char_boundary(LONGEST_NAME);
    format!("{}~{:016x}", &name[..end], TextHash::of(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_stay_apart() {
        let one = "é".repeat(300) + "1";
        let other = "é".repeat(300) + "2";
        assert_ne!(escape_name(&one), escape_name(&other));
        assert!(escape_name(&one).len() <= 200);
    }

    #[test]
    fn no_name_leads_out_of_its_folder() {
        assert_eq!(escape_name("../../up"), "%2E%2E%2F%2E%2E%2Fup");
    }
}
