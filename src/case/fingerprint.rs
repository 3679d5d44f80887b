//! The fingerprint of an agent: what a recording keeps of the agent that made it.

use std::collections::{BTreeMap, BTreeSet};

use super::fit::{RecordingMatch, RecordingMismatch, compare_words};
use super::variant::BASELINE;
use super::{Case, fingerprint_input};
use crate::check::InputMatch;
use crate::trace::{Provenance, Trace};

/// The fingerprint of an agent as it is today.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentFingerprint {
    /// The name of the agent, or [`UNNAMED_AGENT`].
    pub name: String,
    /// The name of the variant. `None` for the baseline.
    pub variant: Option<String>,
    /// The fingerprint of the agent's definition.
    pub definition: String,
    /// The fingerprints of the files that the agent's `inputs` name. `None` for an agent without `inputs`.
    pub files: Option<BTreeMap<String, String>>,
    /// How the inputs of its runs are compared, if neither a case nor its suite says it.
    pub input_match: Option<InputMatch>,
}

/// The name of an agent that is described in the case.
pub const UNNAMED_AGENT: &str = "(in the case)";

/// The name of what a variant sets, among the files that an agent depends on.
pub const VARIANT_PART: &str = "variant";

/// Who made a recording, if it was not the agent of the case in its variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OtherMaker<'t> {
    /// An agent of this name.
    Agent(&'t str),
    /// The agent in the variant of this name.
    Variant(&'t str),
}

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
        recorded.variant.clone_from(&self.variant);
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

    /// Returns who made a recording, if it is another agent or another variant. A recording without the name of an agent is not
    /// compared.
    pub fn find_other_maker<'t>(&self, trace: &'t Trace) -> Option<OtherMaker<'t>> {
        let recorded = trace.recorded.as_ref()?;
        let name = recorded.agent_name.as_deref()?;
        if name != self.name {
            return Some(OtherMaker::Agent(name));
        }
        // The baseline has no name in a recording, so that recordings from before there were variants are its own.
        let variant = recorded.variant.as_deref();
        (variant != self.variant.as_deref()).then(|| OtherMaker::Variant(variant.unwrap_or(BASELINE)))
    }

    /// Whether the recording was made with this definition of the agent.
    pub fn has_definition(&self, recorded: &Provenance) -> bool {
        recorded.agent.as_deref() == Some(self.definition.as_str())
    }

    /// Returns the changes of the agent's files since the recording, sorted by path. All files count as added if the
    /// recording names none, because they were not part of it. A trace that is not a recording has no files to compare.
    pub(super) fn find_changes(&self, trace: &Trace) -> Vec<FileChange> {
        let Some(recorded) = &trace.recorded else { return Vec::new() };
        let none = BTreeMap::new();
        let before = recorded.files.as_ref().unwrap_or(&none);
        // An agent that no longer names its files is compared with none. What a variant has set does not vanish with them.
        let had_variant = before.contains_key(VARIANT_PART);
        let Some(today) = self.files.as_ref().or(had_variant.then_some(&none)) else { return Vec::new() };
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
