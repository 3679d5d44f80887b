//! The agents that this process has asked, by the names of their trials.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use crate::agent::AgentAnswer;
use crate::case::AgentFingerprint;
use crate::harness::run::failure::RunFailure;
use crate::source::lock;

/// The agents that were asked so far.
#[derive(Default)]
pub(super) struct AskedAgents(Mutex<AskedSoFar>);

#[derive(Default)]
struct AskedSoFar {
    agents: HashMap<String, Arc<AskedAgent>>,
    /// The trials with agents that were not asked, and why.
    unasked: HashMap<String, RunFailure>,
    /// The trials whose agents another process has asked.
    elsewhere: HashSet<String>,
    /// The number of recordings that were not made again, because they are fresh.
    fresh: usize,
}

/// An agent that was asked for the trial of a case.
pub(super) struct AskedAgent {
    pub(super) answer: AgentAnswer,
    /// The number of runs that the agent was asked for.
    pub(super) runs: usize,
    pub(super) fingerprint: Arc<AgentFingerprint>,
    /// Whether the runs are written. Otherwise the exchanges with the model are, or nothing is.
    pub(super) keeps_runs: bool,
    /// Whether the agent is code of the test target.
    pub(super) in_process: bool,
}

impl AskedAgents {
    pub(super) fn find(&self, name: &str) -> Option<Arc<AskedAgent>> {
        lock(&self.0).agents.get(name).cloned()
    }

    /// Returns why the agent of the trial `name` was not asked, if it should have been.
    pub(super) fn find_refusal(&self, name: &str) -> Option<RunFailure> {
        lock(&self.0).unasked.get(name).cloned()
    }

    pub(super) fn list_all(&self) -> Vec<Arc<AskedAgent>> {
        lock(&self.0).agents.values().cloned().collect()
    }

    pub(super) fn add(&self, name: &str, asked: AskedAgent) {
        lock(&self.0).agents.insert(name.to_owned(), Arc::new(asked));
    }

    pub(super) fn refuse(&self, name: &str, failure: RunFailure) {
        lock(&self.0).unasked.insert(name.to_owned(), failure);
    }

    pub(super) fn note_elsewhere(&self, name: &str) {
        lock(&self.0).elsewhere.insert(name.to_owned());
    }

    /// Whether any process of the run has asked the agent of the trial `name`.
    pub(super) fn contains(&self, name: &str) -> bool {
        let asked = lock(&self.0);
        asked.agents.contains_key(name) || asked.elsewhere.contains(name)
    }

    pub(super) fn add_fresh(&self, recordings: usize) {
        lock(&self.0).fresh += recordings;
    }

    pub(super) fn count_fresh(&self) -> usize {
        lock(&self.0).fresh
    }
}
