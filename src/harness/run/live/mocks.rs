//! The mock tools of cases: what their scripts and recorded servers answer in each run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::models::{RecordedModels, port_mode, refuse_exec};
use super::{AgentMode, RunRequest};
use crate::agent::MocksTask;
use crate::harness::run::failure::RunFailure;
use crate::model::SessionPlan;
use crate::suite::CassetteOf;

/// Plans how the calls of a case's agent to its mock tools are answered. `None` for a case without them.
pub(super) fn plan_mocks(
    models: &RecordedModels,
    request: &RunRequest<'_>,
) -> Result<Option<MocksTask>, RunFailure> {
    let Some(mocks) = &request.case.mocks else { return Ok(None) };
    // The code of a test target needs no consent to run in a replay, but the programs that a folder of evals names do.
    if mocks.script.has_programs && request.mode == AgentMode::Replay && !request.allows_exec {
        return Err(refuse_exec("mocks", "the program behind a mock tool was not run"));
    }
    let mut plans = BTreeMap::new();
    let mut keep = None;
    if mocks.server.is_some() {
        // Each run has its own recording: a server may answer the second run otherwise.
        for run in 1..=request.runs {
            let cassette = request.read_cassette(run, CassetteOf::McpServer)?;
            plans.insert(run, SessionPlan::for_mcp_server(port_mode(request.mode), cassette));
        }
        keep = request.keep_cassettes(CassetteOf::McpServer);
    }
    let port = models.start_port(request.pool)?;
    let remarks = models.share_remarks();
    Ok(Some(MocksTask { port, mocks: Arc::clone(mocks), plans, keep, remarks }))
}
