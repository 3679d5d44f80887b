//! A trace in the native form: what [`crate::reader::formats::native::read_native`] reads back as the same trace.
//!
//! Only recorded parts are written, so that a recorded run reads, and changes in a review, like one that was
//! written by hand.

use serde::Serialize;

use crate::json::{self, Json, JsonMap, json};
use crate::reader::formats::native::run::assume_results;
use crate::trace::{
    Arguments, Call, CallStatus, CallsUnrecorded, Ended, Message, Role, StatusMark, ToolServer, Trace, Usage,
    split_server,
};

/// The trace as JSON in the native form, indented, with a line break at its end.
pub fn to_native(trace: &Trace) -> String {
    format!("{:#}\n", Json::Object(to_native_map(trace)))
}

/// The trace in the native form.
pub(crate) fn to_native_map(trace: &Trace) -> JsonMap {
    let mut object = JsonMap::new();
    put(&mut object, "recorded", trace.recorded.as_ref());
    put(&mut object, "id", trace.id.as_ref());
    put(&mut object, "agent", trace.agent.as_ref());
    put(&mut object, "model", trace.model.as_ref());
    put(&mut object, "input", trace.input.as_ref());
    object.insert("steps".to_owned(), steps(trace));
    put(&mut object, "answer", trace.answer.as_ref());
    put(&mut object, "answer_reasoning", trace.answer_reasoning.as_ref());
    put(&mut object, "no_answer", seems_to_answer(trace).then_some(true));
    put(&mut object, "usage", trace.usage.map(usage));
    put(&mut object, "cost_usd", trace.cost_usd);
    put(&mut object, "duration_ms", trace.duration_ms);
    put(&mut object, "stop_reason", trace.stop_reason.as_ref());
    put(&mut object, "ended", ended(trace));
    put(&mut object, "results", (trace.results != assume_results(trace)).then_some(trace.results));
    put(&mut object, "offered", (!trace.offered.is_empty()).then(|| offered(trace)));
    let rewards = trace.rewards.as_deref();
    put(&mut object, "rewards", rewards.map(|rewards| &rewards.values));
    put(&mut object, "rewards_invalid", rewards.and_then(|rewards| rewards.invalid.as_ref()));
    put(&mut object, "calls_unrecorded", trace.calls_unrecorded.as_ref().map(unrecorded));
    put(&mut object, "unread", Some(&trace.unread).filter(|unread| !unread.is_empty()));
    object
}

/// The names of the offered tools, each with its server where that is known.
fn offered(trace: &Trace) -> Vec<String> {
    let names = trace.offered.iter().map(|tool| match (&tool.written, tool.server.name()) {
        (Some(written), _) => written.clone(),
        (None, Some(server)) => format!("{server}:{}", tool.name),
        (None, None) => tool.name.clone(),
    });
    names.collect()
}

/// Whether a run without an answer would be read as one with it: it broke off after something was said.
fn seems_to_answer(trace: &Trace) -> bool {
    let said_last = |message: &Message| {
        message.role == Role::Assistant
            && message.after_calls == trace.calls.len()
            && !message.is_thinking_alone()
    };
    trace.answer.is_none() && trace.messages.iter().any(said_last)
}

/// Adds what is there.
fn put(object: &mut JsonMap, key: &str, value: Option<impl Serialize>) {
    if let Some(value) = value.and_then(|value| json::to_json(&value).ok()) {
        object.insert(key.to_owned(), value);
    }
}

/// Texts and calls, in the order in which they came.
fn steps(trace: &Trace) -> Json {
    let mut texts = trace.messages.iter().peekable();
    let mut steps = Vec::new();
    let mut last_turn = 0;
    for (made, call) in trace.calls.iter().enumerate() {
        while let Some(message) = texts.next_if(|message| message.after_calls <= made) {
            steps.push(text(message));
        }
        // A call that is in the next turn needs no `turn`: a reader assumes it.
        steps.push(step(call, last_turn + 1));
        last_turn = last_turn.max(call.turn);
    }
    steps.extend(texts.map(text));
    Json::Array(steps)
}

fn text(message: &Message) -> Json {
    let key = match message.role {
        Role::User => "user",
        Role::Assistant => "say",
        Role::System => "system",
    };
    let mut object = JsonMap::new();
    object.insert(key.to_owned(), Json::String(message.text.clone().into()));
    put(&mut object, "reasoning", message.reasoning.as_ref());
    Json::Object(object)
}

/// A call; its turn is said where it is not the next one.
fn step(call: &Call, next_turn: usize) -> Json {
    let mut object = JsonMap::new();
    put(&mut object, "call", Some(&call.name));
    put(&mut object, "id", call.id.as_ref());
    put(&mut object, "turn", (call.turn != next_turn).then_some(call.turn));
    put(&mut object, "server", call.server.name());
    put(&mut object, "built_in", (call.server == ToolServer::BuiltIn).then_some(true));
    put(&mut object, "written", written_name(call));
    put(&mut object, "args", arguments(&call.arguments));
    put(&mut object, "args_error", args_error(&call.arguments));
    put(&mut object, "args_unrecorded", (call.arguments == Arguments::Unrecorded).then_some(true));
    put(&mut object, "result", call.result.as_ref());
    put(&mut object, "error", call.error.as_ref());
    put(&mut object, "exit_code", call.exit_code);
    put(&mut object, "status", (!is_told(call)).then_some(call.status));
    put(&mut object, "status_unclear", unclear_mark(call));
    // Without a result, a status that is left out is that of a call which was not answered.
    let is_inferred = call.status_mark == StatusMark::Inferred && !is_told(call);
    put(&mut object, "status_inferred", is_inferred.then_some(true));
    put(&mut object, "served", call.served);
    put(&mut object, "started_ms", call.started_ms);
    put(&mut object, "duration_ms", call.duration_ms);
    put(&mut object, "agent_path", (!call.agent_path.is_empty()).then_some(&call.agent_path));
    Json::Object(object)
}

/// The name that the host wrote, where it differs, or where a reader would take the name apart.
fn written_name(call: &Call) -> Option<&str> {
    let is_split = call.written.is_some() || split_server(&call.name).is_some();
    is_split.then(|| call.written_name())
}

/// The status that a reader takes from the rest of the call.
fn told(call: &Call) -> CallStatus {
    if call.error.is_some() || call.exit_code.is_some_and(|code| code != 0) {
        CallStatus::Error
    } else if call.result.is_some() || call.exit_code.is_some() {
        CallStatus::Ok
    } else {
        CallStatus::Unanswered
    }
}

/// Whether a reader finds the same status without the key `status`. An `ok` that the format wrote is written.
fn is_told(call: &Call) -> bool {
    let is_inferred = call.status_mark == StatusMark::Inferred;
    call.status == told(call) && (is_inferred || call.status != CallStatus::Ok)
}

fn unclear_mark(call: &Call) -> Option<&str> {
    match &call.status_mark {
        StatusMark::Unclear(why) => Some(why),
        StatusMark::Recorded | StatusMark::Declared | StatusMark::Inferred => None,
    }
}

/// How the run ended, if a reader does not take it from the stop reason.
fn ended(trace: &Trace) -> Option<&Ended> {
    (trace.infer_ending() != trace.ended).then_some(&trace.ended)
}

/// The arguments as a reader takes them: empty arguments are not written, a text is JSON inside of JSON.
fn arguments(arguments: &Arguments) -> Option<Json> {
    match arguments {
        Arguments::Broken { raw, .. } => Some(Json::String(raw.clone().into())),
        Arguments::Json(Json::String(text)) => {
            Some(Json::String(Json::from(text.as_str()).to_string().into()))
        }
        Arguments::Unrecorded => None,
        Arguments::Json(Json::Object(object)) if object.is_empty() => None,
        Arguments::Json(value) => Some(value.clone()),
    }
}

/// Returns why arguments are not JSON, if the format had its own words for it.
fn args_error(arguments: &Arguments) -> Option<&str> {
    let Arguments::Broken { raw, error } = arguments else { return None };
    (Arguments::from_text(raw) != *arguments).then_some(error)
}

/// `true`, or the place and the reason.
fn unrecorded(reason: &CallsUnrecorded) -> Json {
    match reason {
        CallsUnrecorded::ByFormat => Json::Bool(true),
        CallsUnrecorded::Unread { place, reason } => json!({"place": place, "reason": reason}),
        CallsUnrecorded::NotShown { formats } => json!({"formats": formats}),
    }
}

fn usage(usage: Usage) -> Json {
    let mut object = JsonMap::new();
    put(&mut object, "input_tokens", Some(usage.input_tokens));
    put(&mut object, "output_tokens", Some(usage.output_tokens));
    put(&mut object, "cached_tokens", usage.cached_tokens);
    put(&mut object, "reasoning_tokens", usage.reasoning_tokens);
    put(&mut object, "partial", usage.partial.then_some(true));
    Json::Object(object)
}
