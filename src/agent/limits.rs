//! The limits on agents that run: how many at once, how many a minute, and what they may cost.
//!
//! Under nextest each trial is a process, so the limits hold over processes: a slot is a locked file, and the rate and the
//! costs are in a file that is changed under the lock of another one. The system drops the locks of a process that ends.
//! Files are read and locked on threads that may block, because the threads of the runtime serve all agents.
//! Jobs on several machines share no file, so each takes its part of the rate and of the budget.

use std::fs::{self, File, OpenOptions, TryLockError, create_dir_all};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use super::{AgentProblem, DEFAULT_CONCURRENCY};
use crate::case::AgentLimits;
use crate::json;
use crate::source::{lock, write_whole};

/// The time that a process waits before it looks for a free slot again.
const SLOT_PAUSE: Duration = Duration::from_millis(50);

/// The file of the starts and costs so far.
const STATE: &str = "state.json";

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
            Some(folder) => Some(wait_for_slot(folder, self.at_once()).await.map_err(explain_files)?),
            None => None,
        };
        let limits = self.limits;
        let wait = self.update(move |state| plan_start(limits, state)).await.map_err(explain_files)?;
        sleep(wait.map_err(|spent| AgentProblem::NotAsked(spent.into()))?).await;
        Ok(GateEntry { _permit: permit, _slot: slot })
    }

    /// Notes what a run has cost, if costs are limited. The error says that this cannot be written.
    pub(super) async fn add_cost(
        &self,
        compute_cost: impl FnOnce() -> Option<f64>,
    ) -> Result<(), AgentProblem> {
        let Some(usd) = self.limits.budget_usd.and_then(|_| compute_cost()) else { return Ok(()) };
        self.update(move |state| state.spent_usd += usd).await.map_err(explain_files)
    }

    /// Changes the starts and costs of this process, or of all processes of the run.
    async fn update<T: Send + 'static>(
        &self,
        change: impl FnOnce(&mut GateState) -> T + Send + 'static,
    ) -> io::Result<T> {
        let Some(folder) = self.shared.clone() else {
            return Ok(change(&mut lock(&self.own)));
        };
        // Another process may hold the lock.
        spawn_blocking(move || update_shared(&folder, change)).await?
    }
}

/// The agents of a run have cost as much as they may.
#[derive(Debug, PartialEq, thiserror::Error)]
#[error("the agents of this run have cost ${spent:.4}, and their budget is {}${budget}", self.describe_part())]
struct BudgetSpent {
    spent: f64,
    budget: f64,
    /// The number of jobs that share the budget.
    jobs: u32,
}

impl BudgetSpent {
    /// Says which part of the budget belongs to one of several jobs.
    fn describe_part(&self) -> String {
        if self.jobs == 1 {
            return String::new();
        }
        format!("${:.4}, the part of one of {} jobs in ", self.budget / f64::from(self.jobs), self.jobs)
    }
}

/// Reserves the next start. Starts have equal distances, so that no minute has more of them than allowed.
fn plan_start(limits: AgentLimits, state: &mut GateState) -> Result<Duration, BudgetSpent> {
    let jobs = limits.count_jobs();
    if let Some(budget) = limits.budget_usd.filter(|budget| state.spent_usd >= *budget / f64::from(jobs)) {
        return Err(BudgetSpent { spent: state.spent_usd, budget, jobs });
    }
    let Some(per_minute) = limits.per_minute else { return Ok(Duration::ZERO) };
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_millis();
    let now = u64::try_from(now).unwrap_or(u64::MAX);
    // After a pause, the starts that were not used are not made up for.
    let start = state.next_start.max(now);
    state.next_start = start.saturating_add(60_000 * u64::from(jobs) / u64::from(per_minute.get()));
    Ok(Duration::from_millis(start - now))
}

/// Changes the starts and costs that the processes of a run share in `folder`.
///
/// The file is replaced as a whole, so a process that is killed leaves the old or the new state. A file that is cut
/// nevertheless is an error: a count that began anew would let a spent budget be spent again.
fn update_shared<T>(folder: &Path, change: impl FnOnce(&mut GateState) -> T) -> io::Result<T> {
    create_dir_all(folder)?;
    // The lock has a file of its own, because the file of the state is another one after each change.
    let locked = open_for_lock(&folder.join("state.lock"))?;
    locked.lock()?;
    let path = folder.join(STATE);
    let name_file = |why: &dyn std::fmt::Display| io::Error::other(format!("{}: {why}", path.display()));
    let mut state: GateState = match fs::read_to_string(&path) {
        Ok(text) => json::from_str(&text).map_err(|error| name_file(&error))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => GateState::default(),
        Err(error) => return Err(name_file(&error)),
    };
    let changed = change(&mut state);
    write_whole(&path, json::to_string(&state)?.as_bytes()).map_err(|error| name_file(&error))?;
    Ok(changed)
}

fn count_permits(limits: AgentLimits) -> usize {
    limits.at_once.map_or(DEFAULT_CONCURRENCY, std::num::NonZeroUsize::get)
}

/// Waits until one of the slots is free, and locks it.
async fn wait_for_slot(folder: &Path, slots: usize) -> io::Result<File> {
    loop {
        let folder = folder.to_owned();
        if let Some(slot) = spawn_blocking(move || lock_slot(&folder, slots)).await?? {
            return Ok(slot);
        }
        sleep(SLOT_PAUSE).await;
    }
}

/// Locks one of the slots. `None` if other agents hold all of them.
fn lock_slot(folder: &Path, slots: usize) -> io::Result<Option<File>> {
    create_dir_all(folder)?;
    for slot in 0..slots {
        let file = open_for_lock(&folder.join(format!("{slot}.slot")))?;
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            // Another process holds the slot. Its lock ends with it, however it ends.
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    Ok(None)
}

fn open_for_lock(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

#[expect(clippy::needless_pass_by_value, reason = "it is the last to need the error")]
fn explain_files(error: io::Error) -> AgentProblem {
    let problem = format!("the limits that the processes of a run share cannot be kept: {error}");
    AgentProblem::NotAsked(problem.into())
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use super::*;

    fn gate(limits: AgentLimits, folder: &Path) -> AgentGate {
        AgentGate::new(limits, Some(folder.to_owned()))
    }

    fn plan_shared_start(limits: AgentLimits, folder: &Path) -> Result<Duration, BudgetSpent> {
        update_shared(folder, |state| plan_start(limits, state)).expect("a file")
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
    }

    #[test]
    fn starts_are_spread_over_the_minute_in_all_processes() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { per_minute: NonZero::new(6), ..AgentLimits::default() };
        let waits = [(); 3].map(|()| {
            let wait = plan_shared_start(limits, folder.path()).expect("a start");
            wait.as_millis().div_ceil(1000)
        });
        assert_eq!(waits, [0, 10, 20]);
    }

    #[test]
    fn each_of_several_jobs_takes_its_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits =
            AgentLimits { per_minute: NonZero::new(6), budget_usd: Some(0.9), ..AgentLimits::default() };
        let limits = limits.for_shards(NonZero::new(3)).expect("three jobs");
        let waits = [(); 3].map(|()| {
            let wait = plan_shared_start(limits, folder.path()).expect("a start");
            wait.as_millis().div_ceil(1000)
        });
        assert_eq!(waits, [0, 30, 60]);
        block_on(gate(limits, folder.path()).add_cost(|| Some(0.3))).expect("a file");
        let refused = plan_shared_start(limits, folder.path()).expect_err("spent");
        assert_eq!(
            refused.to_string(),
            "the agents of this run have cost $0.3000, and their budget is $0.3000, the part of one of 3 jobs in $0.9"
        );
        // Two variants in three shards each are six jobs.
        let six = AgentLimits { of: NonZero::new(6), ..AgentLimits::default() };
        assert_eq!(six.for_shards(NonZero::new(3)).map(AgentLimits::count_jobs), Ok(6));
        assert_eq!(six.for_shards(None).map(AgentLimits::count_jobs), Ok(6));
        let too_few = six.for_shards(NonZero::new(7)).expect_err("too few");
        assert!(
            too_few.to_string().contains("`of: 6` of `agent_limits` is less than the 7 shards"),
            "{too_few}"
        );
    }

    #[test]
    fn a_spent_budget_lets_no_agent_begin() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { budget_usd: Some(0.5), ..AgentLimits::default() };
        block_on(gate(limits, folder.path()).add_cost(|| Some(0.3))).expect("a file");
        assert_eq!(plan_shared_start(limits, folder.path()), Ok(Duration::ZERO));
        block_on(gate(limits, folder.path()).add_cost(|| Some(0.3))).expect("a file");
        let refused = plan_shared_start(limits, folder.path()).expect_err("spent").to_string();
        assert_eq!(refused, "the agents of this run have cost $0.6000, and their budget is $0.5");
    }

    #[test]
    fn a_cut_budget_is_an_error_with_its_path_and_not_zero() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { budget_usd: Some(0.5), ..AgentLimits::default() };
        block_on(gate(limits, folder.path()).add_cost(|| Some(0.6))).expect("a file");
        let path = folder.path().join(STATE);
        let whole = fs::read_to_string(&path).expect("the state");
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).expect("it is cut");
            let other = gate(limits, folder.path());
            let entered = block_on(async { other.enter().await.map(|_| ()) });
            let error = entered.expect_err("a cut file").to_string();
            assert!(error.contains(&format!("{}: ", path.display())), "{length}: {error}");
            assert_eq!(fs::read_to_string(&path).expect("the state"), whole[..length], "it is left alone");
        }
    }

    #[test]
    fn a_slot_is_free_when_its_agent_has_ended() {
        let folder = tempfile::tempdir().expect("a folder");
        let limits = AgentLimits { at_once: NonZero::new(1), ..AgentLimits::default() };
        let one = gate(limits, folder.path());
        let other = gate(limits, folder.path());
        block_on(async {
            let first = one.enter().await.expect("a slot");
            let blocked = tokio::time::timeout(Duration::from_millis(200), other.enter()).await;
            assert!(blocked.is_err(), "two agents run at once");
            drop(first);
            let freed = tokio::time::timeout(Duration::from_secs(20), other.enter()).await;
            assert!(freed.is_ok_and(|entry| entry.is_ok()));
        });
    }
}
