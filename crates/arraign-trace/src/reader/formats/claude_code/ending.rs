//! The last line of Claude Code's output: the answer, the tokens and the cost.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::usage::{TokenKeys, UsageTotal};
use crate::reader::error::DecodeError;
use crate::reader::formats::anthropic;
use crate::trace::{Ended, Trace, Usage};

/// Whether a `result` line records that the session ended without an answer.
pub(crate) fn is_failure(line: &JsonObject) -> bool {
    let subtype = line.get("subtype").and_then(JsonNode::as_str).unwrap_or_default();
    line.get("is_error").is_some_and(JsonNode::is_true) || subtype != "success"
}

/// Adds the facts in a `result` line. A session with several prompts has one line for each. Their durations add up, but
/// the cost and the tokens are already totals of the session.
pub(crate) fn add(trace: &mut Trace, mut line: JsonObject) -> Result<(), DecodeError> {
    let failed = is_failure(&line);
    let subtype = line.string(&["subtype"])?.unwrap_or_default();
    trace.answer = line.string(&["result"])?;
    let reason = line.string(if failed { &["terminal_reason"] } else { &["stop_reason"] })?;
    trace.ended = if failed {
        // The result of a failure is its message.
        let said = trace.answer.clone().or_else(|| find_errors(&line));
        read_failure(&subtype, said.or_else(|| reason.clone()))
    } else {
        match reason.as_deref().map(Ended::from_stop_reason) {
            Some(ended @ (Ended::Cut(_) | Ended::Failed(_) | Ended::Limit(_))) => ended,
            _ => Ended::Well,
        }
    };
    // Any other subtype names why the session ended before the model was done.
    trace.stop_reason = if subtype == "success" { reason } else { Some(subtype) };
    trace.cost_usd = line.figure(&["total_cost_usd"])?.or(trace.cost_usd);
    let took = line.figure(&["duration_ms"])?;
    trace.duration_ms = took.map(|took| took + trace.duration_ms.unwrap_or_default()).or(trace.duration_ms);
    trace.id = line.string(&["session_id"])?.or(trace.id.take());
    trace.usage = usage(&mut line)?.or(trace.usage);
    Ok(())
}

/// Reads how a session failed: by the subtype of its last line, or by an error of the service under the subtype `success`.
fn read_failure(subtype: &str, said: Option<String>) -> Ended {
    match Ended::from_stop_reason(subtype) {
        ended @ (Ended::Limit(_) | Ended::Cut(_)) => ended,
        _ => match said.filter(|said| !said.is_empty()) {
            Some(said) if subtype == "success" => Ended::from_error(&said),
            Some(said) => Ended::from_error(&format!("{subtype}: {said}")),
            None => Ended::Failed(subtype.to_owned()),
        },
    }
}

/// Returns the errors that a line lists.
fn find_errors(line: &JsonObject) -> Option<String> {
    let errors = line.get("errors")?.as_array()?;
    let texts: Vec<&str> = errors.iter().filter_map(JsonNode::as_str).collect();
    (!texts.is_empty()).then(|| texts.join("; "))
}

/// Reads the tokens. The figures by model include subagents; the others are the agent's own.
fn usage(line: &mut JsonObject) -> Result<Option<Usage>, DecodeError> {
    let models = line.object(&["modelUsage"])?.unwrap_or_default();
    let mut tally = UsageTotal::default();
    for (model, usage) in models.rest() {
        let usage = JsonObject::of(usage, "the usage").and_then(|usage| MODEL_TOKENS.read(&usage));
        tally.add(usage.map_err(|error| error.at_key(model).at_key("modelUsage"))?);
    }
    tally.total().map_or_else(|| TOKENS.read_from(line, &["usage"]), |total| Ok(Some(total)))
}

/// Tokens of a message or of a run. Claude Code keeps the figures of the API; Qwen Code writes the same form for other
/// models, whose input includes what was read from a cache.
pub(super) const TOKENS: TokenKeys = TokenKeys { may_include_more: true, ..anthropic::TOKENS };

/// Tokens of one model of a run.
const MODEL_TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens"],
    more_input: &[&["cacheReadInputTokens"], &["cacheCreationInputTokens"]],
    output: &["outputTokens"],
    cached: &["cacheReadInputTokens"],
    ..TokenKeys::NONE
};
