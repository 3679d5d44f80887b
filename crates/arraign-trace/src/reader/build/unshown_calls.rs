//! Runs of which nothing shows that their file would have calls.
//!
//! A list of roles and texts looks the same whether the agent called nothing, or the program that wrote the list left the
//! calls out. Such a run does not prove that nothing was called.

use crate::reader::json::input::InputSource;
use crate::trace::{CallsUnrecorded, Trace};

/// Notes the runs without calls of a file that `formats` read alike, unless something in the file shows that its writer
/// records calls.
pub(crate) fn note_unshown_calls(runs: &mut [Trace], source: InputSource, formats: &[&str]) {
    if runs.iter().any(|run| !run.calls.is_empty()) || source.has_text(speaks_of_tools) {
        return;
    }
    for run in runs.iter_mut().filter(|run| run.calls_unrecorded.is_none() && run.model.is_none()) {
        let formats = formats.iter().map(|format| (*format).to_owned()).collect();
        run.calls_unrecorded = Some(CallsUnrecorded::NotShown { formats });
    }
}

/// Whether a text has a key for calls, even with nothing under it, or for the tools that the model was offered.
fn speaks_of_tools(text: &str) -> bool {
    const KEYS: [&str; 7] = [
        "\"tool_calls\"",
        "\"toolCalls\"",
        "\"function_call\"",
        "\"tools\"",
        "\"functions\"",
        "\"toolConfig\"",
        "\"tool_config\"",
    ];
    KEYS.iter().any(|key| memchr::memmem::find(text.as_bytes(), key.as_bytes()).is_some())
}
