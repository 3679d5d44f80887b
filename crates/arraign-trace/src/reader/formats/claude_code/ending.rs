//! The last line of what Claude Code prints: the answer, and what the run cost.

use crate::reader::build::usage::{TokenKeys, UsageTotal};
use crate::reader::error::DecodeError;
use crate::reader::formats::anthropic::TOKENS;
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;
use crate::trace::{Trace, Usage};

/// Whether a `result` line says that the session did not come to an answer.
pub(crate) fn is_failure(line: &Object) -> bool {
    let subtype = line.get("subtype").and_then(Json::as_str).unwrap_or_default();
    line.get("is_error").is_some_and(Json::is_true) || subtype != "success"
}

/// Adds what a `result` line tells. A session of several prompts has one for each: its durations add up, its cost
/// and its tokens are the session's so far.
pub(crate) fn add(trace: &mut Trace, mut line: Object) -> Result<(), DecodeError> {
    let failed = is_failure(&line);
    let subtype = line.string(&["subtype"])?.unwrap_or_default();
    trace.answer = line.string(&["result"])?;
    let reason = line.string(if failed { &["terminal_reason"] } else { &["stop_reason"] })?;
    trace.stop_reason = if subtype == "success" { reason } else { Some(subtype) };
    trace.cost_usd = line.figure(&["total_cost_usd"])?.or(trace.cost_usd);
    let took = line.figure(&["duration_ms"])?;
    trace.duration_ms = took.map(|took| took + trace.duration_ms.unwrap_or_default()).or(trace.duration_ms);
    trace.id = line.string(&["session_id"])?.or(trace.id.take());
    trace.usage = usage(&mut line)?.or(trace.usage);
    Ok(())
}

/// By model, the tokens of subagents are counted in; otherwise they are the agent's own.
fn usage(line: &mut Object) -> Result<Option<Usage>, DecodeError> {
    let models = line.object(&["modelUsage"])?.unwrap_or_default();
    let mut tally = UsageTotal::default();
    for (model, usage) in models.rest() {
        let usage = Object::of(usage, "the usage").and_then(|usage| MODEL_TOKENS.read(&usage));
        tally.add(usage.map_err(|error| error.at_key(model).at_key("modelUsage"))?);
    }
    tally.total().map_or_else(|| TOKENS.read_from(line, &["usage"]), |total| Ok(Some(total)))
}

/// Tokens of one model of a run.
const MODEL_TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens"],
    more_input: &[&["cacheReadInputTokens"], &["cacheCreationInputTokens"]],
    output: &["outputTokens"],
    cached: &["cacheReadInputTokens"],
    ..TokenKeys::NONE
};
