//! Process groups: a process is killed together with everything that it has started. On Linux this includes what has left
//! the group.
//!
//! The group is not the terminal's foreground group, so an interrupt does not reach it; the signal handler calls
//! [`kill_all`].

use std::io;
use std::process::ExitStatus;
use std::sync::Mutex;

use tokio::process::Child;

use super::adopted::Mark;
use crate::source::lock;

/// The running groups.
static RUNNING_GROUPS: Mutex<Vec<RunningGroup>> = Mutex::new(Vec::new());

/// A group, and the mark of its processes.
#[derive(Debug, Clone)]
struct RunningGroup {
    leader: u32,
    mark: Mark,
}

impl RunningGroup {
    fn kill(&self) {
        self.mark.kill_marked(self.leader, || kill_group(self.leader));
    }
}

/// A process group that is killed on drop.
#[derive(Debug)]
pub(super) struct ProcessGroup(RunningGroup);

impl ProcessGroup {
    /// Registers the group of the process `leader`, which was started with `mark`.
    pub(super) fn new(leader: u32, mark: Mark) -> Self {
        let group = RunningGroup { leader, mark };
        lock(&RUNNING_GROUPS).push(group.clone());
        Self(group)
    }

    /// Forgets a group without killing it.
    fn forget(self) {
        lock(&RUNNING_GROUPS).retain(|group| group.leader != self.0.leader);
        std::mem::forget(self);
    }
}

/// Waits for the leader of a group, and kills the rest of it.
pub(super) async fn wait_for_exit(
    leader: &mut Child,
    group: &mut Option<ProcessGroup>,
) -> io::Result<ExitStatus> {
    let status = leader.wait().await;
    match group.take() {
        // Windows soon gives the id of a process that has ended to another one, which must not be killed.
        Some(ended) if cfg!(windows) => ended.forget(),
        rest => drop(rest),
    }
    status
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.0.kill();
        lock(&RUNNING_GROUPS).retain(|group| group.leader != self.0.leader);
    }
}

/// Kills all running groups.
pub(super) fn kill_all() {
    lock(&RUNNING_GROUPS).iter().for_each(RunningGroup::kill);
}

/// Kills a group. A group that has already ended is no error.
#[cfg(unix)]
fn kill_group(id: u32) {
    use rustix::process::{Pid, Signal, kill_process_group};

    if let Some(group) = i32::try_from(id).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
}

/// Kills a process and all that it has started. What is left of a tree without its root is not found.
#[cfg(not(unix))]
fn kill_group(id: u32) {
    use std::process::{Command, Stdio};

    let id = id.to_string();
    let mut command = Command::new("taskkill");
    command.args(["/F", "/T", "/PID", &id]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let _ = command.status();
}
