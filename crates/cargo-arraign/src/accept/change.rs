//! A file that would be written anew.

use std::fs;
use std::path::PathBuf;

use arraign::__internals::report::plain::{one_line, plain};
use similar::TextDiff;

use super::repository::Repository;
use crate::stop::Stop;

/// How many lines of a difference are shown.
const SHOWN: usize = 200;

/// A file that would be written anew.
pub(super) struct Change {
    /// The file.
    pub(super) path: PathBuf,
    after: String,
    from: From,
}

/// Where the new text comes from.
enum From {
    /// The trial of this name.
    Trial(String),
    /// A file, which goes when its text is taken.
    Pending(PathBuf),
}

impl Change {
    /// `path` would hold `after`, which comes from the trial `name`.
    pub(super) fn of_trial(path: PathBuf, after: String, name: &str) -> Self {
        Self { path, after, from: From::Trial(name.to_owned()) }
    }

    /// `path` would hold `after`, which was kept in the file `pending` until now.
    pub(super) fn pending(path: PathBuf, after: String, pending: PathBuf) -> Self {
        Self { path, after, from: From::Pending(pending) }
    }

    /// What it is known by: its file, and its trial.
    pub(super) fn name(&self, repository: &Repository) -> String {
        let path = repository.shown(&self.path);
        match &self.from {
            From::Trial(name) => one_line(&format!("{path} ({name})")),
            From::Pending(_) => one_line(&path),
        }
    }

    /// What changes, line by line.
    pub(super) fn shown(&self, repository: &Repository) -> String {
        let before = fs::read_to_string(&self.path).unwrap_or_default();
        let state = if before.is_empty() { "new" } else { "changed" };
        let diff = TextDiff::from_lines(&before, &self.after).unified_diff().context_radius(2).to_string();
        let mut lines: Vec<&str> = diff.lines().take(SHOWN).collect();
        let rest = diff.lines().count() - lines.len();
        let more = format!("... and {rest} more lines");
        lines.extend((rest > 0).then_some(more.as_str()));
        format!("{state}: {}\n{}\n\n", self.name(repository), plain(&lines.join("\n")))
    }

    /// Writes it.
    pub(super) fn take(&self, repository: &Repository) -> Result<(), Stop> {
        repository.write(&self.path, &self.after)?;
        match &self.from {
            From::Pending(pending) => Ok(fs::remove_file(pending)?),
            From::Trial(_) => Ok(()),
        }
    }
}
