//! Processes that have left the group of an agent, on Linux.
//!
//! A process that begins a session of its own (`setsid`, a daemon) is in no group of ours, and outlives the kill of the
//! group. So this process adopts orphans in place of the system's first process, and each process that it starts has a mark
//! in its environment, which its descendants inherit: what bears the mark of an agent ends with the agent. A process that has
//! cleared its environment and has lost its parents is not found.

use std::collections::HashMap;
use std::fs;
use std::process;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, set_child_subreaper, waitpid};
use tokio::process::Command;

/// The variable with the mark. It does not begin as the variables that users set, which an agent's own tests may read.
const VARIABLE: &str = "_ARRAIGN_PROCESS";

/// How often what is left is looked for: a process that is being killed may just have started another.
const ROUNDS: usize = 4;

/// How long a process is given whose program is just being loaded.
const WAIT: Duration = Duration::from_millis(2);

/// Sees to it that orphans become children of this process. If the system refuses, they do not, and are not found.
static ADOPT: Once = Once::new();

/// The number of processes that were marked.
static MARKED: AtomicU64 = AtomicU64::new(0);

/// The mark of a process that is about to start.
#[derive(Debug, Clone)]
pub(super) struct Mark(String);

impl Mark {
    /// Makes a mark that no other process has.
    pub(super) fn new() -> Self {
        ADOPT.call_once(|| {
            let _ = set_child_subreaper(Some(rustix::process::getpid()));
        });
        let number = MARKED.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{number}", process::id()))
    }

    /// Marks the process that `command` starts.
    pub(super) fn set_on(&self, command: &mut Command) {
        command.env(VARIABLE, &self.0);
    }

    /// Calls `kill_group`, which kills the group of `leader`, and then kills what the leader has started and what bears the
    /// mark.
    pub(super) fn kill_marked(&self, leader: u32, kill_group: impl FnOnce()) {
        let before = list_processes();
        let mut left = descendants(&before, leader);
        kill_group();
        for _ in 0..ROUNDS {
            let now = list_processes();
            let mut starting = false;
            for child in find_children(&now, process::id()).filter(|child| *child != leader) {
                let environment = read_environment(child);
                starting |= environment.is_empty() && read_state(child).is_some_and(|state| state != "Z");
                if self.is_in(&environment) {
                    left.push(child);
                    left.extend(descendants(&now, child));
                }
            }
            // Without its parents, a process that was seen under the leader is a child of this one.
            left.retain(|process| now.contains_key(process));
            if left.is_empty() && !starting {
                return;
            }
            // Parents come first: a shell whose command is killed before it goes on with the next one.
            left.iter().copied().for_each(kill);
            left.iter().copied().for_each(reap);
            if starting {
                thread::sleep(WAIT);
            }
        }
    }

    /// Whether a process with these variables was started with the mark.
    fn is_in(&self, environment: &[u8]) -> bool {
        let entry = format!("{VARIABLE}={}", self.0);
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
    }
}

/// Returns the variables of a process, with a zero byte after each. A process that has ended, that belongs to another user, or
/// that is being replaced by its program just now shows none.
fn read_environment(process: u32) -> Vec<u8> {
    fs::read(format!("/proc/{process}/environ")).unwrap_or_default()
}

/// Returns the parent of each process of this machine.
fn list_processes() -> HashMap<u32, u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(|process| Some((process, read_parent(process)?))).collect()
}

fn read_parent(process: u32) -> Option<u32> {
    read_status(process, 1)?.parse().ok()
}

/// Reads the letter for what a process does; `Z` has ended.
fn read_state(process: u32) -> Option<String> {
    read_status(process, 0)
}

/// Reads a field of a process's line of `stat`, counted from the name of the program, which is in parentheses and may contain
/// any byte.
fn read_status(process: u32, field: usize) -> Option<String> {
    let line = fs::read(format!("/proc/{process}/stat")).ok()?;
    let line = String::from_utf8_lossy(&line);
    let (_, after_name) = line.rsplit_once(')')?;
    Some(after_name.split_ascii_whitespace().nth(field)?.to_owned())
}

fn find_children(processes: &HashMap<u32, u32>, parent: u32) -> impl Iterator<Item = u32> {
    processes.iter().filter(move |(_, above)| **above == parent).map(|(process, _)| *process)
}

/// Returns what the process `root` has started, and what those have started.
fn descendants(processes: &HashMap<u32, u32>, root: u32) -> Vec<u32> {
    let mut found: Vec<u32> = find_children(processes, root).collect();
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        found.extend(find_children(processes, process));
        next += 1;
    }
    found
}

/// Kills a process. One that has already ended is no error.
fn kill(process: u32) {
    if let Some(process) = to_pid(process) {
        let _ = kill_process(process, Signal::KILL);
    }
}

/// Takes the exit of an adopted process, which would stay in the system's table otherwise. A process that has not ended yet,
/// or that is no child, is left alone.
fn reap(process: u32) {
    if let Some(process) = to_pid(process) {
        let _ = waitpid(Some(process), WaitOptions::NOHANG);
    }
}

fn to_pid(process: u32) -> Option<Pid> {
    i32::try_from(process).ok().and_then(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_found_under_its_parent_whatever_it_is_called() {
        assert_eq!(read_parent(process::id()), Some(std::os::unix::process::parent_id()));
        let tree = HashMap::from([(1, 0), (2, 1), (3, 2), (4, 3), (5, 1)]);
        assert_eq!(descendants(&tree, 2), [3, 4]);
    }
}
