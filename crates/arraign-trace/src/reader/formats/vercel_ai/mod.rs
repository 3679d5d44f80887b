//! `vercel-ai`: output of Vercel's AI SDK, from version 4 to 7.
//!
//! The reader accepts the result of `generateText` or its steps, model messages, UI messages, and the two streams
//! `fullStream` and the UI message stream. Steps and `fullStream` contain the user's question only if the body of the
//! request was kept.
//!
//! Mastra builds on the SDK: its results, steps and `fullStream` are read as well. A Mastra step lists its calls in several
//! places. The calls of the step are the union of these lists. If a list omits a call, the run has an unread part.

mod listed_calls;
mod message;
mod outcome;
mod request;
mod step;
mod stream;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Splitting, look};
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;

pub(crate) const READER: Reader = Reader {
    name: "vercel-ai",
    summary: "Vercel AI SDK: results, steps, model messages, UI messages, streams",
    marks: &hash_marks(["steps/", "content/", "toolCalls/", "role", "messages/", "response/", "type"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(split_file),
};

/// The kind of the records in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VercelShape {
    /// A result with its steps.
    Result,
    Step,
    Message,
    /// An object with messages, such as a request or a response.
    Messages,
    Part,
}

fn detect_format(input: &Input) -> Detection {
    let first = input.first()?;
    match shape(first) {
        Some(VercelShape::Result | VercelShape::Step) => return Ok(Certainty::Sure),
        Some(VercelShape::Part) => return judge_parts(input),
        Some(VercelShape::Message) => {
            return judge_messages(input.records.iter().map(|record| &record.value));
        }
        Some(VercelShape::Messages) => {}
        None => return Err("there is no step, message or stream part of this format in it".into()),
    }
    let messages = input.records.iter().filter_map(|record| messages(&record.value));
    judge_messages(messages.flatten())
}

fn kind<'v>(value: &'v JsonNode) -> Option<&'v str> {
    value.get("type").and_then(JsonNode::as_str)
}

/// The kind of a part. A provider's own part is `custom`, and names itself under `kind`, from version 7.
fn kind_of_part(part: &mut JsonObject) -> Result<String, DecodeError> {
    let kind = part.text(&["type"])?.unwrap_or_default().into_owned();
    let own = if kind == "custom" { part.text(&["kind"])? } else { None };
    Ok(own.map_or(kind, std::borrow::Cow::into_owned))
}

fn shape(value: &JsonNode) -> Option<VercelShape> {
    // A result of version 4 repeats its last step.
    if value.get("steps").and_then(JsonNode::first).is_some_and(step::is_step) {
        return Some(VercelShape::Result);
    }
    if step::is_step(value) {
        return Some(VercelShape::Step);
    }
    if value.get("role").is_some() && (value.get("content").is_some() || value.get("parts").is_some()) {
        return Some(VercelShape::Message);
    }
    if messages(value).is_some() {
        return Some(VercelShape::Messages);
    }
    kind(value).filter(|kind| stream::is_known(kind)).map(|_| VercelShape::Part)
}

fn messages<'v, 't>(value: &'v JsonNode<'t>) -> Option<&'v [JsonNode<'t>]> {
    value.get("messages").or_else(|| value.pointer("/response/messages"))?.as_array()
}

fn judge_messages<'v>(mut messages: impl Iterator<Item = &'v JsonNode<'v>>) -> Detection {
    let best =
        messages.try_fold(None, |best, message| message::judge(message).map(|found| best.max(found)))?;
    best.ok_or_else(|| "nothing in its messages is this format's alone".into())
}

fn judge_parts(input: &Input) -> Detection {
    let own = input.records.iter().any(|record| kind(&record.value).is_some_and(stream::is_own));
    if own { Ok(Certainty::Sure) } else { Err("it has no part of a stream that only this format has".into()) }
}

/// Splits a log of results. Each result is a run with the id of its last step.
fn split_file(input: &Input) -> Option<Pieces> {
    let is_log = input.first().is_ok_and(|first| matches!(shape(first), Some(VercelShape::Result)));
    is_log.then_some(Pieces::records(find_run_key))
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let steps = look(text, &["steps"])?.list(&["steps"]).unwrap_or_default();
    let id = steps.iter().rev().find_map(|step| step.get("callId")?.as_str());
    Ok(RunKey::Own(id.map(ToOwned::to_owned)).into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    // In a log of results, each record is read by itself, because other records may come between the results.
    if input.first().is_ok_and(|first| shape(first) == Some(VercelShape::Result)) {
        let mut runs = Vec::new();
        for record in input.records {
            runs.extend(read_records(vec![record])?);
        }
        return Ok(runs);
    }
    read_records(input.records)
}

fn read_records(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    match records.first().and_then(|record| shape(&record.value)) {
        Some(VercelShape::Result) => records.into_iter().map(result).collect(),
        Some(VercelShape::Step) => step::read(records),
        Some(VercelShape::Part) => stream::read(records),
        Some(VercelShape::Messages) => records.into_iter().map(wrapped).collect(),
        _ => message::read(records).map(|run| vec![run]),
    }
}

/// Reads a result from its steps. Only the tokens may be missing there; then the total of the result counts.
fn result(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    let read = |mut result: JsonObject| {
        let mut run = step::StepResults::default();
        let mut spots = (0..).map(|index| RecordSpot::item(at, "steps", index));
        result.each_value(&["steps"], |step| run.add(spots.next().unwrap_or_default(), step))?;
        let total = TOKENS.read_from(&mut result, &["totalUsage", "usage"])?;
        let mut trace = run.finish();
        trace.usage = trace.usage.or(total);
        Ok(trace)
    };
    JsonObject::of(record.value, "a result").and_then(read).map_err(|error| at.in_record(error))
}

fn wrapped(record: Record) -> Result<Trace, DecodeError> {
    let at = record.at;
    let messages = JsonObject::of(record.value, "an object with messages").and_then(take_messages);
    let (path, messages) = messages.map_err(|error| at.in_record(error))?;
    let spots = (0..).map(|index| RecordSpot::item(at, path, index));
    message::read_messages(spots.zip(messages))
}

/// Takes the messages of an object, and returns them with their path.
fn take_messages(mut object: JsonObject) -> Result<(&'static str, Vec<JsonNode>), DecodeError> {
    let mut response = object.object(&["response"])?.unwrap_or_default();
    let messages = object.list(&["messages"])?;
    if messages.is_empty() {
        return Ok(("response/messages", response.list(&["messages"])?));
    }
    Ok(("messages", messages))
}

/// The keys for tokens in all versions. Cached tokens are part of the input.
const TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens", "promptTokens"],
    output: &["outputTokens", "completionTokens"],
    cached: &["/inputTokenDetails/cacheReadTokens", "cachedInputTokens"],
    reasoning: &["/outputTokenDetails/reasoningTokens", "reasoningTokens"],
    ..TokenKeys::NONE
};
