//! Marks on systems where orphans are not adopted: only what stays in its group is killed with it.

use tokio::process::Command;

/// No mark.
#[derive(Debug, Clone)]
pub(super) struct Mark;

impl Mark {
    pub(super) fn new() -> Self {
        Self
    }

    /// Leaves the command as it is.
    #[expect(clippy::unused_self, reason = "the same signature as on Linux")]
    pub(super) fn set_on(&self, _command: &mut Command) {}

    /// Calls `kill_group`, which kills the group of the process.
    #[expect(clippy::unused_self, reason = "the same signature as on Linux")]
    pub(super) fn kill_marked(&self, _leader: u32, kill_group: impl FnOnce()) {
        kill_group();
    }
}
