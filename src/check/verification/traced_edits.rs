//! The files that a run changed, by the edits in its trace: for runs that had no workspace.

use super::act::{Act, AddedNames, Undo};
use super::editor;
use super::event::acts;
use super::output::CallOutput;
use super::path::{extension, is_scratch};
use super::tools::{ToolKind, tool_of};
use crate::check::support::traced_edits::{TracedChange, TracedEdits};
use crate::secrets::QuotedText;
use crate::trace::{Call, CallStatus, Trace};

/// The most characters of a command in a message.
const SHOWN: usize = 80;

/// Finds the files that a run changed.
pub(in crate::check) fn find_edits(trace: &Trace) -> TracedEdits {
    let tables = AddedNames::default();
    let mut found = TracedEdits::default();
    for call in &trace.calls {
        let output = CallOutput::of(call);
        let acts = acts(call, &output, &tables);
        // A shell whose line was not recorded may have done anything.
        let is_blank = matches!(tool_of(call, &tables.tools), Some(ToolKind::Shell)) && acts.is_empty();
        if is_blank && call.status != CallStatus::Error {
            found.note_unknown(call);
        }
        let mut is_undone = false;
        for act in &acts {
            let was_undone = std::mem::replace(&mut is_undone, false);
            match act {
                Act::Edit(path, _) => found.add(call, path),
                Act::Overwrite(path) => {
                    found.add(call, path);
                    is_undone = true;
                }
                Act::Move(from, to) => {
                    found.add(call, from);
                    found.add(call, to);
                }
                Act::Remove(path) => {
                    found.remove(call, path);
                    is_undone = true;
                }
                Act::TakeBack(undo) => {
                    found.take_back(undo);
                    is_undone = true;
                }
                // The change behind an undo is the undo itself.
                Act::Change if was_undone => {}
                Act::Change => found.note_unknown(call),
                Act::Other(other) if other.may_write_files() => found.note_unknown(call),
                Act::Other(_) | Act::Read(_) | Act::Diff(_) | Act::Run(_) | Act::Share(_) | Act::Line => {}
            }
        }
    }
    found
}

impl TracedEdits {
    fn add(&mut self, call: &Call, path: &str) {
        if !is_scratch(path) {
            let is_certain = call.status == CallStatus::Ok || call.exit_code == Some(0);
            self.changes.push(TracedChange { path: path.to_owned(), call: call.index, is_certain });
        }
    }

    /// A file that the run made and deleted is no change, and nobody knows what was there before.
    fn remove(&mut self, call: &Call, path: &str) {
        let is_own = self.changes.iter().any(|change| change.path == path);
        self.doubt(|change| change.path == path);
        self.add(call, path);
        if let Some(last) = self.changes.last_mut().filter(|last| is_own && last.path == path) {
            last.is_certain = false;
        }
        // A folder may have held any files.
        if extension(path).is_empty() {
            self.note_unknown(call);
        }
    }

    fn take_back(&mut self, undo: &Undo) {
        match undo {
            Undo::File(path) => self.doubt(|change| change.path == *path),
            Undo::All | Undo::Stash | Undo::Unstash => self.doubt(|_| true),
        }
    }

    fn doubt(&mut self, is_meant: impl Fn(&TracedChange) -> bool) {
        for change in self.changes.iter_mut().filter(|change| is_meant(change)) {
            change.is_certain = false;
        }
    }

    fn note_unknown(&mut self, call: &Call) {
        self.unknown.get_or_insert_with(|| {
            let line = editor::shell_line(call).unwrap_or_else(|| call.name.clone());
            let shown = QuotedText::near(&line, &(0..0)).cut_after(0, SHOWN).to_string();
            format!("call {}, `{}`", call.index, shown.replace(['\n', '\r'], " "))
        });
    }
}
