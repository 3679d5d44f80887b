//! What stands in for the line of progress where nothing is asked that takes its time.

use std::sync::Arc;

use libtest_mimic::Arguments;

use super::trial::Shared;

/// Nothing is shown.
#[derive(Default)]
pub(super) struct Progress {}

/// What would be shown.
pub(super) struct Shown;

/// What is being asked.
#[derive(Default)]
#[expect(dead_code, reason = "the same face as with what is asked")]
pub(super) struct Asking {
    pub(super) asked: usize,
    pub(super) answered: usize,
    pub(super) at_work: Vec<String>,
}

#[expect(clippy::unused_self, reason = "the same face as with what is shown")]
impl Progress {
    pub(super) fn show(_shared: &Arc<Shared>, _arguments: &Arguments) -> Option<Shown> {
        None
    }

    pub(super) fn make_room(&self) {}
}
