//! Replaces the recording of models when the crate is built without it. Files with such agents are rejected.

use super::{AgentProblem, ModelAddresses};
use crate::reader::ReaderSet;
use crate::secrets::Secrets;
use crate::trace::Trace;
use crate::workspace::PathNames;

/// There is no port.
pub enum ModelTask {}

/// There is no path of a run.
pub(super) enum RunLease {}

/// Opens nothing.
pub(super) fn open_lease(_: Option<&ModelTask>, _: u32, _: PathNames) -> Option<(RunLease, ModelAddresses)> {
    None
}

/// Is never called, since no path was opened.
#[expect(clippy::needless_pass_by_value, reason = "the same signature as with models")]
pub(super) fn settle_run(
    lease: RunLease,
    _: Option<&ModelTask>,
    _: u32,
    _: Result<Trace, AgentProblem>,
    _: &ReaderSet,
    _: &mut Secrets,
) -> Result<Trace, AgentProblem> {
    match lease {}
}
