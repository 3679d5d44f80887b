//! The limits on agents that run: how many at once, how many a minute, and what they may cost.
//!
//! Under nextest each trial is a process, so the limits hold over processes: a slot is a locked file, and the rate and the
//! costs are in a file that is changed under its lock. The system drops the locks of a process that ends.

use crate::json;
use std::fs::{File, OpenOptions, TryLockError, create_dir_all};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::sleep;

use super::{AgentProblem, DEFAULT_CONCURRENCY};
use crate::case::AgentLimits;
use crate::source::lock;

/// The time that a process waits before it looks for a free slot again.
const SLOT_PAUSE: Duration = Duration::from_millis(50);

/// Lets agents begin within their limits.
pub struct AgentGate {
    limits: AgentLimits,
    permits: Semaphore,
    own: Mutex<GateState>,
    /// The folder in which the processes of one run share their limits.
    shared: Option<PathBuf>,
}

/// The starts and costs so far.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
struct GateState {
    /// When the next agent may begin, in milliseconds since 1970.
    next_start: u64,
    spent_usd: f64,
}

/// The place of a running agent.
pub(super) struct GateEntry<'g> {
    _permit: Option<SemaphorePermit<'g>>,
    _slot: Option<File>,
}

impl AgentGate {
    /// A gate for the agents of this process, or of all processes that share a folder.
    pub fn new(limits: AgentLimits, shared: Option<PathBuf>) -> Self {
        let permits = Semaphore::new(count_permits(limits).clamp(1, Semaphore::MAX_PERMITS));
        Self { limits, permits, own: Mutex::default(), shared }
    }

    /// Returns the number of agents that may run at once.
    pub(super) fn at_once(&self) -> usize {
        count_permits(self.limits)
    }

    /// Waits until an agent may begin. The error says that the budget is spent.
    pub(super) async fn enter(&self) -> Result<GateEntry<'_>, AgentProblem> {
        let permit = self.permits.acquire().await.ok();
        let slot = match &self.shared {
            Some(folder) => Some(lock_slot(folder, self.at_once()).await.map_err(explain_files)?),
            None => None,
        };
        let wait = self.update(|state| self.plan_start(state)).map_err(explain_files)?;
        sleep(wait.map_err(AgentProblem::NotAsked)?).await;
        Ok(GateEntry { _permit: permit, _slot: slot })
    }

    /// Notes what a run has cost, if costs are limited. The error says that this cannot be written.
    pub(super) fn add_cost(&self, compute_cost: impl FnOnce() -> Option<f64>) -> Result<(), AgentProblem> {
        let cost = self.limits.budget_usd.and_then(|_| compute_cost());
        cost.map_or(Ok(()), |usd| self.update(|state| state.spent_usd += usd).map_err(explain_files))
    }

    /// Reserves the next start. Starts have equal distances, so that no minute has more of them than allowed.
    fn plan_start(&self, state: &mut GateState) -> Result<Duration, String> {
        if let Some(budget) = self.limits.budget_usd.filter(|budget| state.spent_usd >= *budget) {
            let spent = state.spent_usd;
            return Err(format!(
                "the agents of this run have cost ${spent:.4}, and their budget is ${budget}"
            ));
        }
        let Some(per_minute) = self.limits.per_minute else { return Ok(Duration::ZERO) };
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
        let now = u64::try_from(now).unwrap_or(u64::MAX);
        // After a pause, the starts that were not used are not made up for.
        let start = state.next_start.max(now);
        state.next_start = start.saturating_add(60_000 / u64::from(per_minute.get()));
        Ok(Duration::from_millis(start - now))
    }

    fn update<T>(&self, change: impl FnOnce(&mut GateState) -> T) -> io::Result<T> {
        let Some(folder) = &self.shared else {
            return Ok(change(&mut lock(&self.own)));
        };
        create_dir_all(folder)?;
        let mut file = open_locked(&folder.join("state.json"))?;
        file.lock()?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        // A process that was killed while it wrote leaves half of a text: then the count begins anew.
        let mut state: GateState = json::from_str(&text).unwrap_or_default();
        let changed = change(&mut state);
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(json::to_string(&state)?.as_bytes())?;
        Ok(changed)
    }
}

fn count_permits(limits: AgentLimits) -> usize {
    limits.at_once.map_or(DEFAULT_CONCURRENCY, std::num::NonZeroUsize::get)
}

/// Waits until one of the slots is free, and locks it.
async fn lock_slot(folder: &Path, slots: usize) -> io::Result<File> {
    create_dir_all(folder)?;
    loop {
        for slot in 0..slots {
            let file = open_locked(&folder.join(format!("{slot}.slot")))?;
            match file.try_lock() {
                // Another process holds the slot. Its lock ends with it, however it ends.
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
        sleep(SLOT_PAUSE).await;
    }
}

fn open_locked(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[expect(clippy::needless_pass_by_value, reason = "it is the last to need the error")]
fn explain_files(error: io::Error) -> AgentProblem {
    AgentProblem::NotAsked(format!("the limits that the processes of a run share cannot be kept: {error}"))
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;

    fn gate(limits: AgentLimits, folder: &Path) -> AgentGate {
        AgentGate::new(limits, Some(folder.to_owned()))
    }

    #[test]
    fn starts_are_spread_over_the_minute_in_all_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { per_minute: NonZero::new(6), ..AgentLimits::default() };
        let waits = [(); 3].map(|()| {
            let gate = gate(limits, folder.path());
            let wait = gate.update(|state| gate.plan_start(state)).expect("a file").expect("a start");
            wait.as_millis().div_ceil(1000)
        });
        assert_eq!(waits, [0, 10, 20]);
    }

    #[test]
    fn a_spent_budget_lets_no_agent_begin() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { budget_usd: Some(0.5), ..AgentLimits::default() };
        gate(limits, folder.path()).add_cost(|| Some(0.3)).expect("a file");
        let other = gate(limits, folder.path());
        assert_eq!(other.update(|state| other.plan_start(state)).expect("a file"), Ok(Duration::ZERO));
        other.add_cost(|| Some(0.3)).expect("a file");
        let refused = other.update(|state| other.plan_start(state)).expect("a file").expect_err("spent");
        assert_eq!(refused, "the agents of this run have cost $0.6000, and their budget is $0.5");
    }

    #[test]
    fn a_slot_is_free_when_its_agent_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let limits = AgentLimits { at_once: NonZero::new(1), ..AgentLimits::default() };
        let (one, other) = (gate(limits, folder.path()), gate(limits, folder.path()));
        runtime.block_on(async {
            let first = one.enter().await.expect("a slot");
            let blocked = tokio::time::timeout(Duration::from_millis(200), other.enter()).await;
            assert!(blocked.is_err(), "two agents run at once");
            drop(first);
            let freed = tokio::time::timeout(Duration::from_secs(20), other.enter()).await;
            assert!(freed.is_ok_and(|entry| entry.is_ok()));
        });
    }
}
