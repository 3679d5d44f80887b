//! Replaces mock tools when the crate is built without them. Files with them are rejected.

use std::sync::Arc;

use super::{AgentEnvironment, AgentProblem};
use crate::secrets::Secrets;
use crate::trace::Trace;

/// There are no mock tools.
pub enum MocksTask {}

/// There is no path of a run.
pub(super) enum MocksLease {}

impl MocksLease {
    /// Is never called, since no path was opened.
    pub(super) fn was_reached(&self) -> bool {
        match *self {}
    }
}

/// There is nothing to settle.
pub(super) enum SettledMocks {}

/// The tools of a case. Without mocks, this type has no values.
#[derive(Debug, Clone)]
pub(super) struct OwnTools {
    /// The name of the server.
    pub(super) server: String,
    /// The names of the tools.
    pub(super) names: Vec<String>,
}

/// Finds nothing.
pub(super) fn find_own_tools(_: Option<&MocksTask>) -> Option<OwnTools> {
    None
}

/// Opens nothing.
pub(super) fn open_lease(
    _: Option<&MocksTask>,
    _: u32,
    _: &Arc<AgentEnvironment>,
) -> Option<(MocksLease, String)> {
    None
}

/// Is never called, since no path was opened.
#[expect(clippy::needless_pass_by_value, reason = "the same signature as with mock tools")]
pub(super) fn close_lease(lease: MocksLease) -> Result<SettledMocks, AgentProblem> {
    match lease {}
}

impl SettledMocks {
    /// Is never called, since no path was opened.
    pub(super) fn settle_trace(
        self,
        _: &MocksTask,
        _: u32,
        _: Trace,
        _: &Secrets,
        _: &AgentEnvironment,
    ) -> Result<Trace, AgentProblem> {
        match self {}
    }
}
