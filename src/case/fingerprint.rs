//! The fingerprint of an agent: what a recording keeps of the agent that made it.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{RecordingMatch, RecordingMismatch, compare_words};
use super::{Case, fingerprint_input};
use crate::check::InputMatch;
use crate::trace::{Provenance, Trace};

/// The fingerprint of an agent as it is today.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFingerprint {
    /// The name of the agent, or [`UNNAMED_AGENT`].
    pub name: String,
    /// The fingerprint of the agent's definition.
    pub definition: String,
    /// The fingerprints of the files that the agent's `inputs` name. `None` for an agent without `inputs`.
    pub files: Option<BTreeMap<String, String>>,
    /// How the inputs of its runs are compared, if neither a case nor its suite says it.
    pub input_match: Option<InputMatch>,
}

/// The name of an agent that is described in the case.
pub const UNNAMED_AGENT: &str = "(in the case)";

/// The difference between a file of the agent and the file with which a run was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path of the file below the package.
    pub path: String,
    /// How the file differs.
    pub kind: ChangeKind,
}

/// How a file has changed since a run was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The content differs.
    Changed,
    /// The file did not exist.
    Added,
    /// The file no longer exists.
    Removed,
}

impl AgentFingerprint {
    /// Returns what a recording of the `run` of `case` keeps: the program `by` records it at the time `at`.
    pub fn stamp(&self, case: &Case, run: &Trace, by: &str, at: &str) -> Provenance {
        let mut recorded = Provenance::new(by, at, fingerprint_input(case));
        // A run in which the user says something else proves nothing about the input, although the agent was asked for it:
        // without a fingerprint, its words are compared now and in each replay.
        let input_match = case.find_input_match(Some(self));
        let is_other = match compare_words(case, run, input_match) {
            // An answer may end the conversation before its last turn.
            RecordingMatch::Other(RecordingMismatch::Text { turn: Some(_), found: None, .. }) => {
                case.stop_when.is_none()
            }
            fit => matches!(fit, RecordingMatch::Other(_)),
        };
        if input_match != InputMatch::Off && is_other {
            recorded.input = None;
        }
        recorded.agent_name = Some(self.name.clone());
        recorded.agent = Some(self.definition.clone());
        recorded.files.clone_from(&self.files);
        recorded
    }

    /// Whether the agent would be asked today what it was asked for the recording `trace`, and is the same agent. A recording
    /// without fingerprints may be of another.
    pub fn made_recording(&self, case: &Case, trace: &Trace) -> bool {
        let Some(recorded) = &trace.recorded else { return false };
        recorded.input.as_deref() == Some(&fingerprint_input(case))
            && self.find_other_maker(trace).is_none()
            && self.has_definition(recorded)
            && recorded.files == self.files
    }

    /// Returns the name of the agent that made a recording, if it is another one. A recording without a name is not compared.
    pub fn find_other_maker<'t>(&self, trace: &'t Trace) -> Option<&'t str> {
        let name = trace.recorded.as_ref()?.agent_name.as_deref()?;
        (name != self.name).then_some(name)
    }

    /// Whether the recording was made with this definition of the agent.
    pub fn has_definition(&self, recorded: &Provenance) -> bool {
        recorded.agent.as_deref() == Some(self.definition.as_str())
    }

    /// Returns the changes of the agent's files since the recording, sorted by path. All files count as added if the
    /// recording names none, because they were not part of it. A trace that is not a recording has no files to compare.
    pub(super) fn find_changes(&self, trace: &Trace) -> Vec<FileChange> {
        let (Some(recorded), Some(today)) = (&trace.recorded, &self.files) else { return Vec::new() };
        let none = BTreeMap::new();
        let before = recorded.files.as_ref().unwrap_or(&none);
        // The union of both lists, sorted: each path is removed, added, changed or the same.
        let paths: BTreeSet<&String> = before.keys().chain(today.keys()).collect();
        let changes = paths.into_iter().filter_map(|path| {
            let kind = match (before.get(path), today.get(path)) {
                (_, None) => ChangeKind::Removed,
                (None, Some(_)) => ChangeKind::Added,
                // The same content under the same path is no change.
                (Some(earlier), Some(hash)) => (earlier != hash).then_some(ChangeKind::Changed)?,
            };
            Some(FileChange { path: path.clone(), kind })
        });
        changes.collect()
    }
}
