//! Stands in for the line of progress where no feature can ask an agent or a judge.

use std::sync::Arc;

use libtest_mimic::Arguments;

use super::asking::Asking;

/// Nothing is shown.
#[derive(Default)]
pub(in crate::harness) struct Progress {}

/// The line that would be shown.
pub(in crate::harness) struct ProgressLine;

#[expect(clippy::unused_self, reason = "the same face as with the line of progress")]
impl Progress {
    pub(in crate::harness) fn show(
        _progress: &Arc<Self>,
        _arguments: &Arguments,
        _may_print: bool,
        _count: impl Fn() -> [Asking; 2] + Send + 'static,
    ) -> Option<ProgressLine> {
        None
    }

    pub(in crate::harness) fn make_room(&self) {}
}
