//! The history of many runs: appends to it, and reads it.

use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use super::runs::StoredRun;
use crate::json;
use crate::report::history::{History, HistoryLine};
use crate::source::find_object;
use crate::source::{LineLog, open_regular};
use crate::verdict::Verdict;

/// The size of the buffer in bytes with which a history is read.
const BUFFER_BYTES: usize = 1 << 20;

/// The file to which the trials of this process are appended (`ARRAIGN_HISTORY`).
#[derive(Debug)]
pub(crate) struct HistoryLog {
    log: LineLog,
    /// A folder of the repository.
    folder: PathBuf,
    /// The commit of the repository; empty without one. git is asked once.
    commit: OnceLock<String>,
}

impl HistoryLog {
    /// The history at `path`, for trials of a package in `folder`.
    pub(crate) fn at(path: PathBuf, folder: &Path) -> Self {
        Self { log: LineLog::at(path), folder: folder.to_owned(), commit: OnceLock::new() }
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.log.path()
    }

    /// Appends the line of a trial that has just ended. The error is a message for the user.
    pub(crate) fn append_verdict(&self, verdict: &Verdict, run: &str) -> Result<(), String> {
        let commit =
            self.commit.get_or_init(|| find_object(&self.folder, "HEAD".as_ref()).unwrap_or_default());
        let line = HistoryLine::from_verdict(verdict, run, commit, SystemTime::now());
        let written = line.render().map_err(io::Error::from).and_then(|line| self.log.append_line(&line));
        written.map_err(|error| format!("ARRAIGN_HISTORY: cannot write `{}`: {error}", self.path().display()))
    }
}

/// Adds what is at `path` to a history: a file of lines, a `report.jsonl`, or the folder of a run. The error is a message for the
/// user.
pub fn read_history(path: &Path, history: &mut History) -> Result<(), String> {
    if path.is_dir() {
        return add_run(path, history);
    }
    let problem = |error: io::Error| format!("cannot read the history `{}`: {error}", path.display());
    let file = open_regular(path).map_err(problem)?;
    let changed = file.metadata().and_then(|metadata| metadata.modified()).map_err(problem)?;
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut bytes = Vec::new();
    let mut number = 0;
    let mut holds_verdicts = false;
    let run = path.to_string_lossy().into_owned();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(problem)? == 0 {
            return Ok(());
        }
        number += 1;
        let line = bytes.trim_ascii();
        if line.is_empty() {
            continue;
        }
        // A line that was cut may end within a character.
        let Ok(line) = std::str::from_utf8(line) else {
            history.torn += 1;
            continue;
        };
        // The first line decides what the file holds: a report has verdicts, and a history lines of its own.
        let verdict = (number == 1 || holds_verdicts).then(|| json::from_str::<Verdict>(line));
        match verdict {
            Some(Ok(verdict)) => {
                holds_verdicts = true;
                history.add_verdict(&verdict, &run, changed);
            }
            Some(Err(error)) if holds_verdicts && error.is_data() => {
                return Err(format!("{}:{number}: not a verdict: {}", path.display(), error.message()));
            }
            Some(Err(_)) if holds_verdicts => history.torn += 1,
            _ => history.add_line(line).map_err(|error| format!("{}:{number}: {error}", path.display()))?,
        }
    }
}

fn add_run(folder: &Path, history: &mut History) -> Result<(), String> {
    let run = StoredRun::open(&[folder.to_owned()]).map_err(|error| error.to_string())?;
    let info = run.run();
    let visited = run.visit_verdicts(|verdict| history.add_verdict(verdict, &info.id, info.started));
    history.torn += run.torn();
    visited.map_err(|error| error.to_string())
}

/// Reads the history at `path`, which may not exist yet. The error is a message for the user.
pub(crate) fn read_own_history(path: &Path) -> Result<History, String> {
    let mut history = History::default();
    if fs::exists(path).unwrap_or(true) {
        read_history(path, &mut history)?;
    }
    Ok(history)
}
