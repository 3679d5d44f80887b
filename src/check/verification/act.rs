//! What a call did, as far as verification asks.

use super::other_tool::OtherCall;
use super::purpose::{CommandPattern, Purpose};
use super::tools::ToolKind;
use crate::pattern::ToolPattern;

/// The names and command lines that a user adds to the tables.
#[derive(Debug, Clone, Default)]
pub(super) struct AddedNames {
    /// Tools by name.
    pub(super) tools: Vec<(ToolKind, ToolPattern)>,
    /// Editors whose result shows what they wrote.
    pub(super) self_verifying: Vec<ToolPattern>,
    /// Command lines.
    pub(super) commands: Vec<(Purpose, CommandPattern)>,
}

/// Something that a call did.
#[derive(Debug, PartialEq)]
pub(super) enum Act {
    /// A file was written; with this text, where that is known.
    Edit(String, Option<String>),
    /// A file was shown.
    Read(String),
    /// A difference that names this file was shown.
    Diff(String),
    /// A file was moved.
    Move(String, String),
    /// A command was run.
    Run(Ran),
    /// The call may have changed files, and it is not known which.
    Change,
    /// A file was replaced by a copy.
    Overwrite(String),
    /// A file or a folder was deleted.
    Remove(String),
    /// Files were put back to what they were.
    TakeBack(Undo),
    /// Git shared work: the subcommand.
    Share(String),
    /// A shell line was run.
    Line,
    /// A tool was called that is in no table.
    Other(OtherCall),
}

/// What git puts back.
#[derive(Debug, PartialEq)]
pub(super) enum Undo {
    /// All changes.
    All,
    /// All changes, for a while.
    Stash,
    /// The changes that were put away come back.
    Unstash,
    /// This file.
    File(String),
}

/// A command that was run.
#[derive(Debug, PartialEq)]
pub(super) struct Ran {
    /// The purpose.
    pub(super) purpose: Purpose,
    /// The exit code, if it is known: a pipe hides it.
    pub(super) code: Option<i64>,
    /// The words of the command, to find tools that the answer names.
    pub(super) words: Vec<String>,
}
