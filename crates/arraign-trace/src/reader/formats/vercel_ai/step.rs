//! The steps of `generateText`. Each is a call of the model with the results of its tools.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{JsonNode, JsonNumber, JsonObject};
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::vercel_ai::TOKENS;
use crate::reader::formats::vercel_ai::kind_of_part;
use crate::reader::formats::vercel_ai::listed_calls::{merge_calls, unwrap_payload};
use crate::reader::formats::vercel_ai::message::WITHOUT_CALLS;
use crate::reader::formats::vercel_ai::outcome::{CallOutcome, add_call};
use crate::reader::formats::vercel_ai::request::hear;
use crate::reader::json::input::Record;
use crate::trace::{Call, CallStatus, Role, Trace};

/// Whether a value is a step: it has content and a number or a finish reason.
pub(crate) fn is_step(value: &JsonNode) -> bool {
    let content = value.get("content").or_else(|| value.get("toolCalls")).is_some_and(JsonNode::is_array);
    content
        && value.get("role").is_none()
        && (value.get("stepNumber").is_some() || value.get("finishReason").is_some())
}

/// Reads the runs in a list of steps. A run begins at each step with number 0.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = Vec::new();
    let mut run = StepResults::default();
    for Record { at, value } in records {
        let number = value.get("stepNumber").and_then(JsonNode::as_number).and_then(JsonNumber::as_u64);
        if number == Some(0) && run.begun {
            runs.push(std::mem::take(&mut run).finish());
        }
        run.add(at, value).map_err(|error| at.in_record(error))?;
    }
    runs.push(run.finish());
    Ok(runs)
}

/// A run while its steps are read.
#[derive(Debug, Default)]
pub(crate) struct StepResults {
    builder: TraceBuilder,
    begun: bool,
}

impl StepResults {
    pub(crate) fn add(&mut self, spot: impl Into<RecordSpot>, value: JsonNode) -> Result<(), DecodeError> {
        let evidence = self.builder.open_record(spot, &value);
        let mut step = JsonObject::of(value, "a step")?;
        if !self.begun {
            hear(&mut self.builder, step.take(&["request"]));
        }
        self.begun = true;
        if step.get("usage").is_some_and(|usage| !usage.is_null()) {
            self.builder.tally.add(TOKENS.read_from(&mut step, &["usage"])?);
        }
        let mut response = step.object(&["response"])?.unwrap_or_default();
        let trace = &mut self.builder.trace;
        let model = step.object(&["model"])?.and_then(|mut model| model.take(&["modelId"]));
        let model = response.take(&["modelId"]).or(model).and_then(JsonNode::into_text).map(Cow::into_owned);
        trace.model = model.or(trace.model.take());
        let id = step.string(&["callId"])?;
        trace.id = id.clone().or(trace.id.take());
        trace.stop_reason = step.string(&["finishReason"])?;
        // This `callId` names the call of `generateText`, not the call of a tool.
        if let Some(id) = &id {
            self.builder.add_alias(id);
        }
        let before = self.builder.trace.calls.len();
        self.content(&mut step, response.take(&["body"]))?;
        let stop_reason = self.builder.trace.stop_reason.clone();
        self.builder.end_turn(stop_reason.as_deref(), None);
        // Only the calls of this step are timed and explained: ids may be used again in later steps.
        self.time(step.object(&["performance"])?.unwrap_or_default(), before);
        self.explain(response.list(&["messages"]).unwrap_or_default(), before);
        self.builder.close_record(evidence);
        Ok(())
    }

    fn content<'t>(
        &mut self,
        step: &mut JsonObject<'t>,
        body: Option<JsonNode<'t>>,
    ) -> Result<(), DecodeError> {
        self.builder.begin(Some(Role::Assistant));
        // Before version 5, a step had its text and its calls in separate fields.
        if step.get("content").is_none() {
            return self.old_content(step);
        }
        let parts = step.list(&["content"])?;
        let tool_calls = step.list(&["toolCalls"])?;
        let parts = merge_calls(&mut self.builder, parts, tool_calls, body);
        for (index, part) in parts.into_iter().enumerate() {
            self.builder.enter_part("content", index);
            let part = JsonObject::of(part, "a part").and_then(|part| self.part(part));
            part.map_err(|error| error.at_key(index).at_key("content"))?;
        }
        self.builder.end();
        self.settle_listed(step)
    }

    /// Adds the results in `toolResults` to the calls without a result.
    fn settle_listed(&mut self, step: &mut JsonObject) -> Result<(), DecodeError> {
        step.each(&["toolResults"], "a result", |result| {
            let mut result = unwrap_payload(result)?;
            CallOutcome::result(&mut result).settle(&mut self.builder, &mut result)
        })
    }

    fn part(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        let kind = kind_of_part(&mut part)?;
        match kind.as_str() {
            "text" => self.builder.text(&part.text(&["text"])?.unwrap_or_default()),
            "tool-call" => add_call(&mut self.builder, &mut part)?,
            "tool-result" => CallOutcome::of_step(&mut part).settle(&mut self.builder, &mut part)?,
            "tool-error" => CallOutcome::error(&mut part).settle(&mut self.builder, &mut part)?,
            "tool-output-denied" => CallOutcome::denied().settle(&mut self.builder, &mut part)?,
            kind => self.builder.pass_over_part(kind, &part, &WITHOUT_CALLS),
        }
        Ok(())
    }

    /// Reads the content of version 4, which keeps text, calls and results apart.
    fn old_content(&mut self, step: &mut JsonObject) -> Result<(), DecodeError> {
        self.builder.text(&step.text(&["text"])?.unwrap_or_default());
        step.each(&["toolCalls"], "a call", |call| add_call(&mut self.builder, &mut unwrap_payload(call)?))?;
        self.builder.end();
        self.settle_listed(step)
    }

    /// Reads the times of the step and its tools (version 7).
    fn time(&mut self, mut performance: JsonObject, before: usize) {
        let took = performance.figure(&["stepTimeMs"]).ok().flatten();
        let trace = &mut self.builder.trace;
        trace.duration_ms =
            took.map(|took| took + trace.duration_ms.unwrap_or_default()).or(trace.duration_ms);
        let Some(tools) = performance.object(&["toolExecutionMs"]).ok().flatten() else { return };
        let tools: HashMap<_, _> = tools.rest().into_iter().collect();
        for call in trace.calls.iter_mut().skip(before) {
            let took = call.id.as_deref().and_then(|id| tools.get(id)?.as_number()?.as_f64());
            // A clock that was set back must not make a negative duration.
            call.duration_ms = took.filter(|took| *took >= 0.0);
        }
    }

    /// Completes the calls of the step by the messages for the model. An exception is `{}` in the JSON of a step, and
    /// Mastra omits failed calls from some lists.
    fn explain(&mut self, messages: Vec<JsonNode>, before: usize) {
        let trace = &mut self.builder.trace;
        let calls = trace.calls.iter_mut().skip(before).filter(|call| is_unexplained(call));
        let mut calls: HashMap<String, _> = calls.filter_map(|call| Some((call.id.clone()?, call))).collect();
        let parts = messages
            .into_iter()
            .filter_map(|message| JsonObject::of(message, "a message").ok()?.list(&["content"]).ok());
        for part in parts.flatten() {
            let Ok(mut part) = JsonObject::of(part, "a part") else { continue };
            let call = part.get("toolCallId").and_then(JsonNode::as_str).and_then(|id| calls.get_mut(id));
            let is_result = part.get("type").and_then(JsonNode::as_str) == Some("tool-result");
            let Some(call) = call.filter(|_| is_result) else { continue };
            let outcome = CallOutcome::typed(&mut part);
            if call.status == CallStatus::Error {
                call.error = outcome.error;
            } else {
                outcome.write_to(call);
            }
        }
    }

    pub(crate) fn finish(self) -> Trace {
        self.builder.finish()
    }
}

/// Whether a call has neither a result nor the reason of its failure.
fn is_unexplained(call: &Call) -> bool {
    match call.status {
        CallStatus::Error => call.error.is_none(),
        status => status == CallStatus::Unanswered,
    }
}
