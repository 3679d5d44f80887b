//! What stands in for the line of progress where nothing is asked that takes its time.

use std::sync::Arc;

use libtest_mimic::Arguments;

use super::trial::Shared;

/// Nothing is shown.
#[derive(Default)]
pub(in crate::harness) struct Progress {}

/// What would be shown.
pub(in crate::harness) struct Shown;

/// What is being asked.
#[derive(Default)]
#[expect(dead_code, reason = "the same face as with what is asked")]
pub(in crate::harness) struct Asking {
    pub(in crate::harness) asked: usize,
    pub(in crate::harness) answered: usize,
    pub(in crate::harness) at_work: Vec<String>,
}

#[expect(clippy::unused_self, reason = "the same face as with what is shown")]
impl Progress {
    pub(in crate::harness) fn show(_shared: &Arc<Shared>, _arguments: &Arguments) -> Option<Shown> {
        None
    }

    pub(in crate::harness) fn make_room(&self) {}
}
