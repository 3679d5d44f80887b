//! Whether an outcome is certain, although the trace may lack calls or the servers of tools.

use crate::check::Check;
use crate::outcome::{Outcome, Unfit};
use crate::pattern::{ToolMatch, ToolPattern};
use crate::trace::{Call, CallsUnrecorded, Trace};

/// The evidence that a check needs in full.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceNeeds {
    /// All calls of the run.
    pub(crate) calls: bool,
    /// The servers of the called tools.
    pub(crate) servers: bool,
}

/// Returns the answer of `check`, if nothing that the trace lacks could change it. Other answers are undecided.
pub(crate) fn require_settled(
    check: &dyn Check,
    needs: EvidenceNeeds,
    trace: &Trace,
    answer: Result<Outcome, Unfit>,
) -> Result<Outcome, Unfit> {
    let Some(doubt) = find_doubt(check, needs, trace) else { return answer };
    match answer {
        // Some answers cannot change any more, such as a call that is forbidden and was made.
        Ok(outcome) if check.is_settled(&outcome) => Ok(outcome),
        _ => Err(doubt),
    }
}

fn find_doubt(check: &dyn Check, needs: EvidenceNeeds, trace: &Trace) -> Option<Unfit> {
    let unrecorded = trace.calls_unrecorded.as_ref().filter(|_| needs.calls);
    let doubt = unrecorded.map(|reason| Unfit::missing(reason.to_string()).help(advise_on_calls(reason)));
    doubt.or_else(|| if needs.servers { find_unrecorded_server(check, trace) } else { None })
}

/// Finds a call that one of the check's tools may or may not mean.
fn find_unrecorded_server(check: &dyn Check, trace: &Trace) -> Option<Unfit> {
    let tools = check.tools();
    let (tool, call) = trace.calls.iter().find_map(|call| {
        let tool = tools.iter().find(|tool| tool.match_call(call) == ToolMatch::Undecided)?;
        Some((tool, call))
    })?;
    let reason = format!(
        "the trace does not record the server of `{}` (call {}), and `{tool}` depends on it",
        call.name, call.index
    );
    let help = format!("name the tools of the server, such as `{}`", qualify_name(tool, call));
    Some(Unfit::missing(reason).help(help))
}

/// The called tool on the server that `tool` names: a name that a call without a recorded server has.
fn qualify_name(tool: &ToolPattern, call: &Call) -> String {
    tool.as_str()
        .split_once(':')
        .map_or_else(|| call.name.clone(), |(server, _)| format!("{server}:{}", call.name))
}

/// Returns the help about calls that are not in the trace.
fn advise_on_calls(reason: &CallsUnrecorded) -> &'static str {
    match reason {
        CallsUnrecorded::Unread { .. } => {
            "`cargo arraign explain --unread TRACE` lists all such parts; declare a kind that holds no call: \
             `trace: {file: ..., harmless: [KIND]}`"
        }
        _ => "record the run in a format that has them; the final answer can be checked as it is",
    }
}
