//! The edit script: the changes that turn the calls of one run into those of another.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::alignment::matching_blocks;
use super::arguments::{ArgumentChange, argument_changes};
use super::automaton::CommonBlock;
use crate::trace::{Call, CallStatus, Role, ToolServer, Trace};

/// The number of changed arguments that a line shows.
const ARGUMENTS_SHOWN: usize = 3;

/// The kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// Only the run makes the call.
    Added,
    /// Only the baseline makes the call.
    Removed,
    /// The call has other arguments, or another tool is called in its place.
    Changed,
}

/// One edit of the script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The kind of the edit.
    #[serde(rename = "type")]
    pub kind: EditKind,
    /// The index of the call, from 0: among the calls of the run for an added call, otherwise among those of the baseline.
    pub position: usize,
    /// The turn of the conversation that the call belongs to, from 1, if the run of `position` has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The tool that the baseline calls there.
    pub baseline: Option<String>,
    /// The tool that the run calls there.
    pub actual: Option<String>,
    /// The changed arguments of a call of the same tool: the first hundred values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentChange>,
    /// The servers of a call of the same tool, if the call goes to another server than in the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<[String; 2]>,
    /// Whether the call succeeded in the baseline, and fails in the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fails: bool,
}

/// `+ call 2: search`, `- call 1 (turn 1): refund`, `~ call 3: search, /q: "cats" became "dogs"`.
impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            EditKind::Added => '+',
            EditKind::Removed => '-',
            EditKind::Changed => '~',
        };
        write!(f, "{sign} call {}", self.position + 1)?;
        if let Some(turn) = self.turn {
            write!(f, " (turn {turn})")?;
        }
        f.write_str(": ")?;
        match (&self.baseline, &self.actual) {
            // The same name with a sign of change: only the arguments differ, and they follow.
            (Some(old), Some(new)) if old != new => write!(f, "`{old}` became `{new}`")?,
            (Some(name), _) | (None, Some(name)) => write!(f, "`{name}`")?,
            (None, None) => {}
        }
        if let Some([old, new]) = &self.servers {
            write!(f, ", server `{old}` became `{new}`")?;
        }
        if self.fails {
            f.write_str(", now it fails")?;
        }
        for change in self.arguments.iter().take(ARGUMENTS_SHOWN) {
            write!(f, ", {change}")?;
        }
        if self.arguments.len() > ARGUMENTS_SHOWN { f.write_str(", and more") } else { Ok(()) }
    }
}

/// Returns the edits that turn the calls of `old` into those of `new`, with their turns.
pub(super) fn list_edits(old: &Trace, new: &Trace) -> Vec<Edit> {
    let old_turns = list_turn_starts(old);
    let new_turns = list_turn_starts(new);
    let mut edits = edit_script(&old.calls, &new.calls);
    for edit in &mut edits {
        let starts = if edit.kind == EditKind::Added { &new_turns } else { &old_turns };
        if starts.len() > 1 {
            // The last turn that begins before the call or with it. Calls before the first turn are of none.
            let turn = starts.partition_point(|start| *start <= edit.position);
            edit.turn = (turn > 0).then_some(turn);
        }
    }
    edits
}

/// Returns the index of the first call of each turn of the conversation. A text of the user begins a turn.
fn list_turn_starts(trace: &Trace) -> Vec<usize> {
    let asked = trace.messages.iter().filter(|message| message.role == Role::User);
    asked.map(|message| message.after_calls).collect()
}

/// Returns the edits that turn the calls of `old` into those of `new`. Calls are paired by name, the longest block of equal
/// names first. Between two blocks, calls are paired in order, and the rest was removed or added.
fn edit_script(old: &[Call], new: &[Call]) -> Vec<Edit> {
    let mut script = Script { old, new, edits: Vec::new() };
    let mut old_at = 0;
    let mut new_at = 0;
    // An empty block behind both ends closes the last gap.
    let end = CommonBlock { old: old.len(), new: new.len(), len: 0 };
    for block in common_blocks(old, new).into_iter().chain([end]) {
        script.add_gap(old_at..block.old, new_at..block.new);
        (old_at, new_at) = (block.old + block.len, block.new + block.len);
        script.add_pairs(block.old..old_at, block.new..new_at);
    }
    script.edits
}

/// Finds the blocks of calls with equal names.
fn common_blocks(old: &[Call], new: &[Call]) -> Vec<CommonBlock> {
    let mut seen = HashMap::new();
    matching_blocks(&number_names(old, &mut seen), &number_names(new, &mut seen))
}

/// Replaces each name by a number, the same for equal names: the search for blocks compares numbers, not texts.
fn number_names<'c>(calls: &'c [Call], seen: &mut HashMap<&'c str, u32>) -> Vec<u32> {
    let numbers = calls.iter().map(|call| {
        let next = u32::try_from(seen.len()).unwrap_or(u32::MAX);
        *seen.entry(&call.name).or_insert(next)
    });
    numbers.collect()
}

struct Script<'c> {
    old: &'c [Call],
    new: &'c [Call],
    edits: Vec<Edit>,
}

impl Script<'_> {
    /// Adds the calls between two blocks: first pairs of different calls, then the rest of the longer side.
    fn add_gap(&mut self, old: Range<usize>, new: Range<usize>) {
        // Calls at the same place of a gap are most likely changed ones.
        let paired = old.len().min(new.len());
        let old_rest = old.start + paired;
        let new_rest = new.start + paired;
        self.add_pairs(old.start..old_rest, new.start..new_rest);
        let before = self.old;
        let after = self.new;
        self.edits.extend((old_rest..old.end).map(|position| Edit::removed(position, &before[position])));
        self.edits.extend((new_rest..new.end).map(|position| Edit::added(position, &after[position])));
    }

    fn add_pairs(&mut self, old: Range<usize>, new: Range<usize>) {
        let before = self.old;
        let after = self.new;
        let pairs = old.zip(new);
        self.edits.extend(pairs.filter_map(|(old, new)| Edit::changed(old, &before[old], &after[new])));
    }
}

/// Returns the servers of two calls, if both are recorded and differ. A built-in tool has a server of its own: the host.
fn find_other_server(old: &Call, new: &Call) -> Option<[String; 2]> {
    let is_recorded = |call: &Call| call.server != ToolServer::NotRecorded;
    let name = |call: &Call| call.server.name().unwrap_or("the agent itself").to_owned();
    (is_recorded(old) && is_recorded(new) && old.server != new.server).then(|| [name(old), name(new)])
}

impl Edit {
    fn removed(position: usize, call: &Call) -> Self {
        let baseline = Some(call.name.clone());
        Self {
            kind: EditKind::Removed,
            position,
            turn: None,
            baseline,
            actual: None,
            arguments: Vec::new(),
            servers: None,
            fails: false,
        }
    }

    fn added(position: usize, call: &Call) -> Self {
        let actual = Some(call.name.clone());
        Self {
            kind: EditKind::Added,
            position,
            turn: None,
            baseline: None,
            actual,
            arguments: Vec::new(),
            servers: None,
            fails: false,
        }
    }

    /// Returns the edit of a pair of calls. `None` if they are equal.
    fn changed(position: usize, old: &Call, new: &Call) -> Option<Self> {
        let same = old.name == new.name;
        // The arguments of two tools have nothing to be compared by.
        let arguments = if same { argument_changes(&old.arguments, &new.arguments) } else { Vec::new() };
        let baseline = Some(old.name.clone());
        let actual = Some(new.name.clone());
        let servers = same.then(|| find_other_server(old, new)).flatten();
        // A format that does not record failures says nothing about either side.
        let fails = same && old.status == CallStatus::Ok && new.status == CallStatus::Error;
        let edit = Self {
            kind: EditKind::Changed,
            position,
            turn: None,
            baseline,
            actual,
            arguments,
            servers,
            fails,
        };
        (!same || !edit.arguments.is_empty() || edit.servers.is_some() || fails).then_some(edit)
    }
}
