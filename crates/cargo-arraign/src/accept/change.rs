//! A file that `accept` would write.

use std::fs;
use std::path::PathBuf;

use arraign::__internals::report::plain::{escape_line, escape_text};
use similar::TextDiff;

use super::repository::Repository;
use crate::error::CliError;

/// The largest number of lines of a diff that is shown.
const SHOWN: usize = 200;

/// A file that `accept` would write.
pub(super) struct Change {
    /// The file to write.
    pub(super) path: PathBuf,
    after: String,
    /// The name of the trial. A pending file can lack it.
    trial: Option<String>,
    /// The pending file, which is removed after its text is accepted.
    pending: Option<PathBuf>,
}

impl Change {
    /// Changes `path` to `after`, which comes from the trial `name`.
    pub(super) fn from_trial(path: PathBuf, after: String, name: &str) -> Self {
        Self { path, after, trial: Some(name.to_owned()), pending: None }
    }

    /// Changes `path` to `after`, which comes from the file `pending` of `trial`.
    pub(super) fn from_pending(
        path: PathBuf,
        after: String,
        trial: Option<String>,
        pending: PathBuf,
    ) -> Self {
        Self { path, after, trial, pending: Some(pending) }
    }

    /// Returns the file and the trial, which filters are compared with.
    pub(super) fn describe(&self, repository: &Repository) -> String {
        let path = repository.display_path(&self.path);
        match &self.trial {
            Some(name) => escape_line(&format!("{path} ({name})")),
            None => escape_line(&path),
        }
    }

    /// Renders the difference line by line.
    pub(super) fn render_diff(&self, repository: &Repository) -> String {
        let before = fs::read_to_string(&self.path).unwrap_or_default();
        let state = if before.is_empty() { "new" } else { "changed" };
        let diff = TextDiff::from_lines(&before, &self.after).unified_diff().context_radius(2).to_string();
        // The whole file is written in any case: the difference is only for the terminal.
        let mut lines: Vec<&str> = diff.lines().take(SHOWN).collect();
        let rest = diff.lines().count() - lines.len();
        let more = format!("... and {rest} more lines");
        lines.extend((rest > 0).then_some(more.as_str()));
        format!("{state}: {}\n{}\n\n", self.describe(repository), escape_text(&lines.join("\n")))
    }

    /// Writes the file, and removes the pending file.
    pub(super) fn apply(&self, repository: &Repository) -> Result<(), CliError> {
        // The pending file goes last: an interrupted run leaves a change that can be accepted again.
        repository.write_text(&self.path, &self.after)?;
        Ok(self.pending.as_ref().map_or(Ok(()), fs::remove_file)?)
    }
}
