//! Notes of checks that count attempts, where no attempt succeeded.

use crate::evidence::CallSuccess;
use crate::outcome::{Item, State};
use crate::trace::Call;

/// The note on a tool that was called without success.
const NEVER_SUCCEEDED: &str = "an attempt counts here: no call of it succeeded";

/// The beginning of the note on a rule that holds by failed calls of the tool that follows.
const ONLY_FAILED: &str = "an attempt counts here: all calls failed of ";

/// The note on a rule that requires a call of `tool`, whose calls all failed.
pub(crate) fn describe_attempts(tool: &str) -> String {
    [ONLY_FAILED, tool].concat()
}

/// The required tool of an item that holds although no call of the tool succeeded. The tool is named by the note, or by the
/// end of the label: `call 2: refund`, `1: refund`, `refund`.
pub(crate) fn find_attempted_tool(item: &Item) -> Option<&str> {
    let note = item.note.as_deref().filter(|_| item.state == State::Held)?;
    if note == NEVER_SUCCEEDED {
        return Some(item.label.split_once(": ").map_or(&*item.label, |(_, tool)| tool));
    }
    note.strip_prefix(ONLY_FAILED)
}

/// Adds a note to the item of a check that counts attempts, if none of these calls succeeded.
pub(crate) fn note_attempts<'c>(
    item: Item,
    calls: impl IntoIterator<Item = &'c Call>,
    success: CallSuccess,
) -> Item {
    let mut calls = calls.into_iter().peekable();
    let is_made = calls.peek().is_some();
    // Failed attempts count as calls, and a reader must see that none of them worked.
    if is_made && !calls.any(|call| success.may_have_worked(call)) {
        item.note(NEVER_SUCCEEDED)
    } else {
        item
    }
}
