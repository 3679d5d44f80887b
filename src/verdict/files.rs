//! What a run did to the files of its workspace, for reports.

use serde::{Deserialize, Serialize};

use crate::workspace::RunWorkspace;

/// The number of changed files that a verdict lists.
const LISTED: usize = 100;

/// What a run did to the files of its workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WorkspaceSummary {
    /// The folder, if it was kept (`--keep-workspace`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of changed files, without those that `.gitignore` ignores.
    pub files: usize,
    /// The number of changed lines: added and removed ones together.
    pub lines: u64,
    /// The number of changed files that `.gitignore` ignores.
    #[serde(default, skip_serializing_if = "super::is_zero")]
    pub ignored: usize,
    /// The changed files, up to the 100th.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileSummary>,
    /// Remarks, such as links that lead out of the workspace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FileSummary {
    /// The path in the workspace.
    pub path: String,
    /// The change in a few words: `modified, +3 -1`.
    pub change: String,
}

impl WorkspaceSummary {
    /// Sums up the workspace of a run.
    pub(crate) fn of_run(workspace: &RunWorkspace) -> Self {
        let facts = &workspace.facts;
        let kept = workspace.folders.as_ref().filter(|folders| folders.is_kept);
        let listed = facts
            .list_changes()
            .take(LISTED)
            .map(|change| FileSummary { path: change.path.clone(), change: change.describe(&facts.before) });
        Self {
            path: kept.map(|folders| folders.workspace.display().to_string()),
            files: facts.list_changes().count(),
            lines: facts.list_changes().map(crate::workspace::ChangedFile::count_lines).sum(),
            ignored: facts.count_ignored_changes(),
            changes: listed.collect(),
            notes: facts.notes.clone(),
        }
    }

    /// Renders the summary for people: first the counts, then each changed file, and the remarks.
    pub(crate) fn render_lines(&self, most: usize) -> Vec<String> {
        let count = |number: usize, noun: &str| crate::outcome::count_noun(number, noun);
        let lines = usize::try_from(self.lines).unwrap_or(usize::MAX);
        let ignored = match self.ignored {
            0 => String::new(),
            ignored => format!("; {} that `.gitignore` ignores", count(ignored, "file")),
        };
        let mut rendered =
            vec![format!("{} changed, {}{ignored}", count(self.files, "file"), count(lines, "line"))];
        rendered
            .extend(self.changes.iter().take(most).map(|file| format!("{} ({})", file.path, file.change)));
        let more = self.files.saturating_sub(self.changes.len().min(most));
        if more > 0 {
            rendered.push(format!("and {more} more"));
        }
        rendered.extend(self.notes.iter().cloned());
        rendered.extend(self.path.iter().map(|path| format!("kept in {path}")));
        rendered
    }
}
