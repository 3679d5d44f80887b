//! The parts of `fullStream`, and of the stream for a user interface.

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::error_of;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::vercel_ai::TOKENS;
use crate::reader::formats::vercel_ai::kind_of_part;
use crate::reader::formats::vercel_ai::listed_calls::unwrap_payload;
use crate::reader::formats::vercel_ai::outcome::{CallOutcome, add_call, add_named};
use crate::reader::formats::vercel_ai::request::hear;
use crate::reader::json::input::Record;
use crate::trace::{Ended, Role, Trace, Usage};

/// Parts that no other format has.
const OWN: [&str; 11] = [
    "start-step",
    "finish-step",
    "step-start",
    "step-finish",
    "text-start",
    "text-delta",
    "tool-input-start",
    "tool-input-available",
    "tool-output-available",
    "tool-output-error",
    "tool-input-error",
];

pub(crate) fn is_own(kind: &str) -> bool {
    OWN.contains(&kind)
}

pub(crate) fn is_known(kind: &str) -> bool {
    const OTHER: [&str; 7] = ["start", "finish", "error", "abort", "tool-call", "tool-result", "tool-error"];
    is_own(kind) || OTHER.contains(&kind) || kind.starts_with("reasoning-")
}

/// Kinds of parts that contain no call, or a call that another part contains as a whole.
const WITHOUT_CALLS: [&str; 24] = [
    "start",
    "raw",
    "file",
    "source",
    "source-url",
    "source-document",
    "stream-start",
    "response-metadata",
    "text-start",
    "text-end",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-end",
    "tool-approval-request",
    "message-metadata",
    "reasoning",
    // Mastra's names for these kinds, and its additional kinds.
    "tool-call-input-streaming-start",
    "tool-call-delta",
    "tool-call-input-streaming-end",
    "tool-call-approval",
    "tripwire",
    "object",
    "object-result",
    "anthropic.message_start",
];

/// Returns the group of a kind: many kinds are reasoning, or data of the project.
fn known_group(kind: &str) -> &str {
    match kind {
        kind if kind.starts_with("reasoning-") || kind.starts_with("data-") => "reasoning",
        "redacted-reasoning" => "reasoning",
        kind => kind,
    }
}

/// Reads the runs in the parts of a stream. A run begins at each `start`.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut stream = Stream::default();
    for Record { at, value } in records {
        let evidence = CallEvidence::gather(at, &value);
        let part = JsonObject::of(value, "a part").and_then(unwrap_payload);
        let mut part = part.map_err(|error| at.in_record(error))?;
        let kind = kind_of_part(&mut part).map_err(|error| at.in_record(error))?;
        // A log may begin in the middle of a stream, so the first `start` ends a run only if parts precede it.
        if kind == "start" && stream.begun {
            runs.push(std::mem::take(&mut stream).finish());
        }
        stream.begun = true;
        stream.builder.enter_record(at);
        stream.add(&kind, part).map_err(|error| at.in_record(error))?;
        stream.builder.close_record(evidence);
    }
    runs.push(stream.finish());
    Ok(runs)
}

#[derive(Debug, Default)]
struct Stream {
    begun: bool,
    /// Whether the first request was read. Later requests repeat its messages.
    heard: bool,
    builder: TraceBuilder,
    total: Option<Usage>,
    /// The tokens of the steps.
    steps: UsageTotal,
    /// The tokens in the last step of Mastra, which may be those of the run.
    last_of_mastra: Option<Usage>,
    /// The error that came last, if no step followed it.
    failure: Option<String>,
    /// Whether the stream has parts that begin or end a step, and no end. A program may have kept other parts alone.
    is_open: bool,
}

impl Stream {
    fn add(&mut self, kind: &str, mut part: JsonObject) -> Result<(), DecodeError> {
        let builder = &mut self.builder;
        match kind {
            "start-step" | "step-start" => {
                self.is_open = true;
                self.failure = None;
                // Each step repeats the request with all messages so far: the first is enough.
                let request = part.take(&["request"]).filter(|_| !self.heard);
                self.heard = true;
                hear(builder, request);
                builder.begin(Some(Role::Assistant));
            }
            "text-delta" | "text" => {
                builder.text(&part.text(&["text", "delta", "textDelta"])?.unwrap_or_default());
            }
            "tool-call" | "tool-input-available" => add_call(builder, &mut part)?,
            "tool-input-error" => {
                part.insert("invalid", JsonNode::Bool(true));
                let id = part.string(&["toolCallId"])?;
                let name = part.required(&["toolName"])?.into_owned();
                add_named(builder, id.clone(), name.clone(), &mut part);
                CallOutcome::error(&mut part).answer(builder, id.as_deref(), Some(&name));
            }
            "tool-result" => CallOutcome::result(&mut part).settle(builder, &mut part)?,
            "tool-output-available" => CallOutcome::available(&mut part).settle(builder, &mut part)?,
            "tool-error" | "tool-output-error" => CallOutcome::error(&mut part).settle(builder, &mut part)?,
            "tool-output-denied" => CallOutcome::denied().settle(builder, &mut part)?,
            "finish-step" | "step-finish" => self.end_step(part)?,
            "finish" => self.end_run(part)?,
            "abort" => {
                self.is_open = false;
                builder.trace.stop_reason = Some("abort".to_owned());
            }
            "error" => {
                let told = part.string(&["errorText"])?.or_else(|| error_of(&mut part));
                self.failure = told.map(|error| format!("error: {error}"));
                builder.trace.stop_reason.clone_from(&self.failure);
            }
            kind => builder.pass_over_part(known_group(kind), &part, &WITHOUT_CALLS),
        }
        Ok(())
    }

    fn end_run(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        self.builder.end();
        self.is_open = false;
        unwrap_end(&mut part)?;
        self.total = TOKENS.read_from(&mut part, &["totalUsage", "usage"])?;
        let trace = &mut self.builder.trace;
        let reason = part.string(&["finishReason"])?.or(trace.stop_reason.take());
        // The reason `error` says less than the error before it.
        trace.stop_reason = self.failure.take().or(reason);
        // A stream for the interface may end without a reason.
        if trace.stop_reason.is_none() {
            trace.ended = Ended::Well;
        }
        Ok(())
    }

    fn end_step(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        self.is_open = true;
        let is_mastra = part.get("stepResult").is_some();
        unwrap_end(&mut part)?;
        let reason = part.string(&["finishReason"])?;
        // A step that stopped for calls made some, whatever was read of them.
        self.builder.end_turn(reason.as_deref(), None);
        self.builder.end();
        if part.get("usage").is_some_and(|usage| !usage.is_null()) {
            let usage = TOKENS.read_from(&mut part, &["usage"])?;
            self.last_of_mastra = usage.filter(|_| is_mastra);
            self.steps.add(usage);
        }
        let model =
            part.object(&["response"])?.and_then(|mut response| response.take(&["modelId"])?.into_text());
        let trace = &mut self.builder.trace;
        trace.model = model.map(std::borrow::Cow::into_owned).or(trace.model.take());
        trace.stop_reason = reason.or(trace.stop_reason.take());
        Ok(())
    }

    /// Returns the tokens of the run. In Mastra, the last step has the sum of the run in place of its own tokens.
    fn find_usage(&mut self) -> Option<Usage> {
        let steps = std::mem::take(&mut self.steps).total();
        match (self.total, steps) {
            (Some(total), Some(steps)) if self.last_of_mastra.is_none() && !steps.partial => {
                let is_same = |count: fn(&Usage) -> u64| count(&total) == count(&steps);
                let is_sum = is_same(|usage| usage.input_tokens) && is_same(|usage| usage.output_tokens);
                Some(Usage { partial: !is_sum, ..if is_sum { steps } else { smaller(total, steps) } })
            }
            (Some(total), _) => Some(total),
            // Without the total, nobody knows whether the last of several steps has its own tokens.
            (None, steps) if self.last_of_mastra.is_some() && steps != self.last_of_mastra => {
                self.last_of_mastra.map(|last| Usage { partial: true, ..last })
            }
            (None, steps) => steps,
        }
    }

    fn finish(mut self) -> Trace {
        self.builder.trace.usage = self.find_usage();
        let mut trace = self.builder.finish();
        if self.is_open && self.failure.is_none() {
            trace.ended = Ended::Cut(stream_end::VERCEL.describe_lack());
        }
        trace
    }
}

/// Returns the usage with fewer tokens: what the run took at least.
fn smaller(one: Usage, other: Usage) -> Usage {
    let sum = |usage: &Usage| usage.input_tokens.saturating_add(usage.output_tokens);
    if sum(&one) <= sum(&other) { one } else { other }
}

/// Moves the tokens and the reason of an end to the keys of the SDK. Mastra writes `output` and `stepResult`.
fn unwrap_end(part: &mut JsonObject) -> Result<(), DecodeError> {
    let usage = part.object(&["output"])?.and_then(|mut output| output.take(&["usage"]));
    if let Some(usage) = usage {
        part.insert("usage", usage);
    }
    let reason = part.object(&["stepResult"])?.and_then(|mut result| result.take(&["reason"]));
    if let Some(reason) = reason {
        part.insert("finishReason", reason);
    }
    Ok(())
}
