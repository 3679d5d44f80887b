//! A trajectory that arraign wrote. What ATIF has no place for stands in `extra.arraign` of the part that it belongs to, under
//! the keys of the native form: the rest of the part says the same to everyone.

use std::collections::HashMap;

use crate::json::{Json, JsonMap, JsonNode, JsonObject};
use crate::reader::formats::native::{NativeMistake, read_native};
use crate::trace::{Trace, UnreadPart};

/// The key under `extra`.
pub(crate) const EXTRA: &str = "arraign";

/// The key below it: the entries that the native form does not have.
pub(crate) const WITHOUT: &str = "without";

/// Whether arraign wrote this trajectory.
pub(super) fn is_own(trajectory: &JsonNode) -> bool {
    own_extra(trajectory).is_some()
}

/// Reads a trajectory that arraign wrote. `plain` is the run as any ATIF reader reads it: if it has other calls, somebody
/// added a part that is not in the native form, and `plain` counts.
pub(super) fn read_own(trajectory: &Json, plain: Trace) -> Result<Trace, Vec<NativeMistake>> {
    let trace = read_native(Json::Object(to_native(trajectory)))?;
    if trace.calls.len() != plain.calls.len() {
        return Ok(plain);
    }
    let is_new = |part: &UnreadPart| !trace.unread.contains(part);
    let unread: Vec<UnreadPart> = plain.unread.into_iter().filter(is_new).collect();
    let mut trace = trace;
    trace.push_unread(unread);
    Ok(trace)
}

/// Returns a trajectory in the native form: its plain parts, and over them what arraign wrote beside each.
pub(crate) fn to_native(trajectory: &Json) -> JsonMap {
    let mut run = JsonMap::new();
    put(&mut run, "id", trajectory.get("session_id"));
    put(&mut run, "agent", trajectory.pointer("/agent/name"));
    put(&mut run, "model", trajectory.pointer("/agent/model_name"));
    let mut steps = Vec::new();
    let mut last_turn = 0;
    for step in trajectory.get("steps").and_then(Json::as_array).unwrap_or_default() {
        add_step(step, &mut last_turn, &mut steps);
    }
    run.insert("steps", Json::Array(steps));
    let total = |name: &str| trajectory.pointer(&format!("/final_metrics/{name}"));
    if let (Some(_), Some(_)) = (total("total_prompt_tokens"), total("total_completion_tokens")) {
        let mut usage = JsonMap::new();
        put(&mut usage, "input_tokens", total("total_prompt_tokens"));
        put(&mut usage, "output_tokens", total("total_completion_tokens"));
        put(&mut usage, "cached_tokens", total("total_cached_tokens"));
        put(&mut usage, "reasoning_tokens", total("extra/reasoning_output_tokens"));
        run.insert("usage", Json::Object(usage));
    }
    put(&mut run, "cost_usd", total("total_cost_usd"));
    // Only people leave out results.
    run.insert("results", Json::from("recorded"));
    overlay(&mut run, own_extra(trajectory));
    run
}

/// Adds the native steps of a step: its text, and its calls, which are one turn.
fn add_step(step: &Json, last_turn: &mut usize, steps: &mut Vec<Json>) {
    let calls = step.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
    let text = step.get("message").and_then(Json::as_str).unwrap_or_default();
    if !text.is_empty() || calls.is_empty() {
        let key = match step.get("source").and_then(Json::as_str) {
            Some("user") => "user",
            Some("system") => "system",
            _ => "say",
        };
        let mut said = JsonMap::new();
        said.insert(key, Json::String(text.to_owned().into()));
        put(&mut said, "reasoning", step.get("reasoning_content"));
        overlay(&mut said, own_extra(step));
        steps.push(Json::Object(said));
    }
    let results = step.pointer("/observation/results").and_then(Json::as_array).unwrap_or_default();
    let by_call = results.iter().filter_map(|result| Some((result.get("source_call_id")?.as_str()?, result)));
    let mut results: HashMap<&str, &Json> = by_call.collect();
    for (index, call) in calls.iter().enumerate() {
        let mut native = JsonMap::new();
        put(&mut native, "call", call.get("function_name"));
        put(&mut native, "id", call.get("tool_call_id"));
        if index > 0 {
            native.insert("turn", Json::from(*last_turn));
        }
        // As in the native form, no arguments are not written: the call may say that they are not recorded.
        let has_none = |arguments: &&Json| arguments.as_object().is_some_and(JsonMap::is_empty);
        put(&mut native, "args", call.get("arguments").filter(|arguments| !has_none(arguments)));
        let result = call.get("tool_call_id").and_then(Json::as_str).and_then(|id| results.remove(id));
        if let Some(result) = result {
            native.insert("result", result.get("content").cloned().unwrap_or_default());
            native.insert("status", Json::from("unknown"));
        }
        overlay(&mut native, own_extra(call));
        overlay(&mut native, result.and_then(own_extra));
        let turn = native.get("turn").and_then(Json::as_u64).and_then(|turn| usize::try_from(turn).ok());
        *last_turn = turn.map_or(*last_turn + 1, |turn| turn.max(*last_turn));
        steps.push(Json::Object(native));
    }
}

fn own_extra<'v, 't>(part: &'v JsonNode<'t>) -> Option<&'v JsonObject<'t>> {
    part.get("extra")?.get(EXTRA)?.as_object()
}

/// Replaces the entries of `native` by those of `own`, and removes those that `own` lists under [`WITHOUT`].
fn overlay(native: &mut JsonMap, own: Option<&JsonMap>) {
    for (key, value) in own.into_iter().flat_map(JsonMap::iter) {
        if key.as_str() == WITHOUT {
            let keys = value.as_array().unwrap_or_default().iter().filter_map(Json::as_str);
            keys.for_each(|key| drop(native.remove(key)));
        } else {
            native.insert(key.to_string(), value.clone());
        }
    }
}

fn put(object: &mut JsonMap, key: &'static str, value: Option<&Json>) {
    if let Some(value) = value.filter(|value| !value.is_null()) {
        object.insert(key, value.clone());
    }
}
