//! The edit script: what turns the calls of one run into those of another.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::alignment::matching_blocks;
use super::arguments::{ArgumentChange, argument_changes};
use super::automaton::CommonBlock;
use crate::trace::Call;

/// The changed arguments that a line shows.
const ARGUMENTS_SHOWN: usize = 3;

/// What happened to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EditKind {
    /// The run makes it, the baseline does not.
    Added,
    /// The baseline makes it, the run does not.
    Removed,
    /// It is made with other arguments, or another tool is called in its place.
    Changed,
}

/// One step of the script.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: EditKind,
    /// Where, from 0: among the run's calls for one that was added, among the baseline's for all others.
    pub position: usize,
    /// The tool that the baseline calls there.
    pub baseline: Option<String>,
    /// The tool that the run calls there.
    pub actual: Option<String>,
    /// What changed in the arguments of the same tool: the first hundred values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<ArgumentChange>,
}

/// `+ call 2: search`, `- call 1: refund`, `~ call 3: search, /q: "cats" became "dogs"`.
impl fmt::Display for Edit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.kind {
            EditKind::Added => '+',
            EditKind::Removed => '-',
            EditKind::Changed => '~',
        };
        write!(f, "{sign} call {}: ", self.position + 1)?;
        match (&self.baseline, &self.actual) {
            (Some(old), Some(new)) if old != new => write!(f, "`{old}` became `{new}`")?,
            (Some(name), _) | (None, Some(name)) => write!(f, "`{name}`")?,
            (None, None) => {}
        }
        for change in self.arguments.iter().take(ARGUMENTS_SHOWN) {
            write!(f, ", {change}")?;
        }
        if self.arguments.len() > ARGUMENTS_SHOWN { f.write_str(", and more") } else { Ok(()) }
    }
}

/// What turns the calls of `old` into those of `new`. Calls are paired by name, the longest stretch of equal names
/// first; between two stretches the calls are paired in order, and those left over were removed or added.
pub(super) fn edit_script(old: &[Call], new: &[Call]) -> Vec<Edit> {
    let mut script = Script { old, new, edits: Vec::new() };
    let (mut old_at, mut new_at) = (0, 0);
    let end = CommonBlock { old: old.len(), new: new.len(), len: 0 };
    for block in common_blocks(old, new).into_iter().chain([end]) {
        script.add_gap(old_at..block.old, new_at..block.new);
        (old_at, new_at) = (block.old + block.len, block.new + block.len);
        script.add_pairs(block.old..old_at, block.new..new_at);
    }
    script.edits
}

/// The stretches of calls with the same names.
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
    /// Calls that are not the same: pairs as far as they go, then those left over.
    fn add_gap(&mut self, old: Range<usize>, new: Range<usize>) {
        let paired = old.len().min(new.len());
        let (old_rest, new_rest) = (old.start + paired, new.start + paired);
        self.add_pairs(old.start..old_rest, new.start..new_rest);
        let (before, after) = (self.old, self.new);
        self.edits.extend((old_rest..old.end).map(|position| Edit::removed(position, &before[position])));
        self.edits.extend((new_rest..new.end).map(|position| Edit::added(position, &after[position])));
    }

    fn add_pairs(&mut self, old: Range<usize>, new: Range<usize>) {
        let (before, after) = (self.old, self.new);
        let pairs = old.zip(new);
        self.edits.extend(pairs.filter_map(|(old, new)| Edit::changed(old, &before[old], &after[new])));
    }
}

impl Edit {
    fn removed(position: usize, call: &Call) -> Self {
        let baseline = Some(call.name.clone());
        Self { kind: EditKind::Removed, position, baseline, actual: None, arguments: Vec::new() }
    }

    fn added(position: usize, call: &Call) -> Self {
        let actual = Some(call.name.clone());
        Self { kind: EditKind::Added, position, baseline: None, actual, arguments: Vec::new() }
    }

    /// `None` when the two calls are the same.
    fn changed(position: usize, old: &Call, new: &Call) -> Option<Self> {
        let same = old.name == new.name;
        let arguments = if same { argument_changes(&old.arguments, &new.arguments) } else { Vec::new() };
        let (baseline, actual) = (Some(old.name.clone()), Some(new.name.clone()));
        let edit = Self { kind: EditKind::Changed, position, baseline, actual, arguments };
        (!same || !edit.arguments.is_empty()).then_some(edit)
    }
}
