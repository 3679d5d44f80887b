//! What a harness allows its agents: to start, and how many, how often, at what cost.

use std::num::{NonZeroU32, NonZeroUsize};

use super::Harness;

impl Harness {
    /// Lets agents with a recorded model run in a replay, although cases describe them, and the programs of `exec`: processes
    /// are started, and servers are asked. A folder of evals cannot allow this itself.
    pub fn allow_exec(mut self) -> Self {
        self.allows_exec = true;
        self
    }

    /// Keeps the scratch folders of workspaces, whose paths the verdicts then have. `ARRAIGN_KEEP_WORKSPACE=1` does the same.
    pub fn keep_workspaces(mut self) -> Self {
        self.keeps_workspaces = true;
        self
    }

    /// Sets how many agents run at the same time. The default is 16, independent of `--test-threads`. With
    /// `--test-threads 1`, one agent runs at a time. Under nextest the limit holds over all processes.
    pub fn agents_at_once(mut self, count: usize) -> Self {
        self.live.limits.at_once = NonZeroUsize::new(count.max(1));
        self
    }

    /// Sets how many agents begin in a minute, at equal distances. Shards share the number: each takes its part.
    pub fn agents_per_minute(mut self, count: u32) -> Self {
        self.live.limits.per_minute = NonZeroU32::new(count.max(1));
        self
    }

    /// Sets what all agents of a run may cost together, in US dollars. Shards share the amount: each takes its part. Once they have cost as much, no further one begins. A run
    /// whose trace has neither its cost nor tokens with a price counts nothing.
    pub fn agent_budget(mut self, usd: f64) -> Self {
        self.live.limits.budget_usd = Some(usd);
        self
    }

    /// Sets the number of jobs that share [`Self::agents_per_minute`] and [`Self::agent_budget`]: each takes its part. The
    /// default is the number of shards of `ARRAIGN_SHARD`.
    pub fn agent_limits_of(mut self, jobs: u32) -> Self {
        self.live.limits.of = NonZeroU32::new(jobs.max(1));
        self
    }
}
