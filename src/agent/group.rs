//! A process and everything that it has started: killed together.
//!
//! The group is not the terminal's, so an interrupt does not reach it: [`kill_all`] is for whoever hears of one.

use std::sync::{Mutex, PoisonError};

/// The groups that are running.
static RUNNING_GROUPS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// A process group that is killed when this value goes.
#[derive(Debug)]
pub(super) struct ProcessGroup(u32);

impl ProcessGroup {
    /// The group that the process `leader` leads.
    pub(super) fn new(leader: u32) -> Self {
        lock_groups().push(leader);
        Self(leader)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let mut running = lock_groups();
        kill_group(self.0);
        running.retain(|id| *id != self.0);
    }
}

/// Kills all groups that are running.
pub(super) fn kill_all() {
    lock_groups().iter().copied().for_each(kill_group);
}

fn lock_groups() -> std::sync::MutexGuard<'static, Vec<u32>> {
    RUNNING_GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// There may be nobody left to kill.
#[cfg(unix)]
fn kill_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Here only the process itself is killed, by who holds it.
#[cfg(not(unix))]
fn kill(_id: u32) {}
