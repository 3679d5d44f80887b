//! Replaces `progress.rs` if no feature can ask an agent or a judge: there is nothing to wait for.

use std::sync::Arc;

use super::asking::AskProgress;
use crate::harness::cli::HarnessCommand;

/// No state is shared.
#[derive(Default)]
pub(crate) struct Progress {}

/// A line that is never shown.
pub(crate) struct ProgressLine;

impl Drop for ProgressLine {
    fn drop(&mut self) {
        // Its end is said as that of a line that is shown.
    }
}

#[expect(clippy::unused_self, reason = "the same signatures as with the line of progress")]
impl Progress {
    pub(crate) fn show_line(
        _progress: &Arc<Self>,
        _command: &HarnessCommand,
        _may_print: bool,
        _count: impl Fn() -> [AskProgress; 2] + Send + 'static,
    ) -> Option<ProgressLine> {
        None
    }

    pub(crate) fn make_room(&self) {}
}
