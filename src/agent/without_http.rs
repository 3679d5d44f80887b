//! Replaces HTTP agents when the crate is built without them. It is never called, since files with such agents are
//! rejected.

use std::future::{Ready, ready};
use std::sync::Arc;

use super::{AgentEnvironment, AgentInput, AgentProblem, AgentTask};
use crate::case::HttpCall;
use crate::secrets::Secrets;
use crate::trace::Trace;

/// Returns an error that names the missing feature.
pub(super) fn ask_server(
    _: &Arc<HttpCall>,
    _: &AgentTask,
    _: &AgentInput,
    _: &AgentEnvironment,
) -> Ready<Result<Trace, AgentProblem>> {
    ready(Err(AgentProblem::NotAsked("the feature `http` is off".into())))
}

/// Returns nothing: there is no request.
pub(super) fn collect_secrets(_: &HttpCall, _: &AgentInput, _: &AgentEnvironment) -> Secrets {
    Secrets::default()
}
