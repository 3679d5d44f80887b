//! What stands in for agents behind HTTP when the crate is built without them. No case gets here: its file is refused.

use std::future::{Ready, ready};
use std::sync::Arc;
use std::time::Duration;

use super::{AgentEnvironment, AgentInput, AgentProblem};
use crate::case::HttpCall;
use crate::trace::Trace;

/// Says which feature is missing.
pub(super) fn ask_server(
    _: &Arc<HttpCall>,
    _: &AgentInput,
    _: Duration,
    _: &AgentEnvironment,
) -> Ready<Result<Trace, AgentProblem>> {
    ready(Err(AgentProblem::NotAsked("the feature `http` is turned off".to_owned())))
}
