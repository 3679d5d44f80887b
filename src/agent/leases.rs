//! What serves one run of an agent: its path on the model port, and its mock tools.

use std::sync::Arc;

use tokio::task::spawn_blocking;

use super::error::refuse_secrets;
use super::mocks::{self, MocksLease};
use super::model::{self, RunLease};
use super::workspace::Room;
use super::{Agent, AgentEnvironment, AgentInput, AgentProblem, AgentTask, command, http};
use crate::reader::to_native;
use crate::secrets::Secrets;
use crate::trace::Trace;

/// The paths of one run.
pub(super) struct RunLeases {
    model: Option<RunLease>,
    mocks: Option<MocksLease>,
    /// The secrets of the agent, which nothing that it says to its model or its tools may keep.
    secrets: Secrets,
}

impl RunLeases {
    /// Opens the paths of a run, and tells the agent their addresses.
    pub(super) fn open_leases(
        task: &AgentTask,
        input: &mut AgentInput,
        environment: &Arc<AgentEnvironment>,
    ) -> Self {
        let paths = environment.room.as_ref().map(Room::find_names).unwrap_or_default();
        let model = model::open_lease(task.model.as_ref(), input.run, paths).map(|(lease, addresses)| {
            input.model = Some(addresses);
            lease
        });
        let mocks = mocks::open_lease(task.mocks.as_ref(), input.run, environment).map(|(lease, url)| {
            input.mcp_url = Some(url);
            lease
        });
        let secrets = match &task.agent {
            _ if model.is_none() && mocks.is_none() => Secrets::default(),
            Agent::Command(line) => command::collect_secrets(line, environment),
            Agent::Acp(agent) => command::collect_secrets(&agent.line, environment),
            Agent::Http(call) => http::collect_secrets(call, input, environment),
            Agent::InProcess(_) => Secrets::default(),
        };
        Self { model, mocks, secrets }
    }

    /// Whether the case has mock tools, and the agent has not yet asked for them.
    pub(super) fn has_unlisted_mocks(&self) -> bool {
        self.mocks.as_ref().is_some_and(|lease| !lease.was_reached())
    }

    /// Ends the run on its paths. A cassette can be large, so this has a thread of its own.
    pub(super) async fn settle_run(
        self,
        task: Arc<AgentTask>,
        run: u32,
        answer: Result<Trace, AgentProblem>,
        environment: Arc<AgentEnvironment>,
    ) -> Result<Trace, AgentProblem> {
        if self.model.is_none() && self.mocks.is_none() {
            return answer;
        }
        let settled = spawn_blocking(move || {
            let Self { model, mocks, mut secrets } = self;
            // An agent without the tools of its case asks its model something else: the cause decides.
            if matches!(answer, Err(AgentProblem::MocksIgnored)) {
                return answer;
            }
            // The mock tools are closed first: a call without an answer decides, before the missing reply of the
            // model that followed from it.
            let called = mocks.map(mocks::close_lease).transpose()?;
            let trace = match model {
                Some(lease) => {
                    model::settle_run(lease, task.model.as_ref(), run, answer, &task.readers, &mut secrets)?
                }
                None => answer?,
            };
            let trace = match (called, &task.mocks) {
                (Some(called), Some(mocks)) => {
                    called.settle_trace(mocks, run, trace, &secrets, &environment)?
                }
                _ => trace,
            };
            // What the agent said to its model and its tools is part of the trace now.
            refuse_secrets(&to_native(&trace), &secrets).map(|()| trace)
        });
        settled.await.unwrap_or_else(|died| Err(AgentProblem::Panicked(died.to_string())))
    }
}
