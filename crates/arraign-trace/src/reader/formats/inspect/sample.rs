//! One sample of a log: its messages, with the times of its events.

use std::collections::{BTreeMap, HashSet};

use crate::json::{Json, JsonNode, JsonObject, JsonText};
use crate::reader::build::clock::nanos;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::formats::inspect::events::SampleEvents;
use crate::reader::json::input::At;
use crate::trace::{Arguments, Call, Ended, Role, Trace};

/// The keys of a sample that are read, or that contain no call, or only calls of its messages and events.
const SAMPLE_KEYS: [&str; 13] = [
    "attachments",
    "error_retries",
    "events",
    "files",
    "input",
    "messages",
    "metadata",
    "model_usage",
    "output",
    "role_usage",
    "scores",
    "store",
    "timelines",
];

pub(crate) fn read(mut sample: JsonObject, model: Option<String>) -> Result<Trace, DecodeError> {
    let beside = CallEvidence::gather_beside(At::Whole, &sample, &SAMPLE_KEYS);
    let mut output = sample.object(&["output"])?.unwrap_or_default();
    let mut run = SampleRun {
        attachments: sample.object(&["attachments"])?.unwrap_or_default().rest(),
        ..SampleRun::default()
    };
    let trace = &mut run.builder.trace;
    trace.id = id(&mut sample)?;
    trace.model = output.string(&["model"])?.filter(|model| !model.is_empty()).or(model);
    trace.duration_ms = sample.figure(&["total_time"])?.map(|seconds| seconds * 1000.0);
    trace.stop_reason = stop_reason(&mut sample, &output)?;
    if let Some(usage) = sample.object(&["model_usage"])? {
        run.spend(usage)?;
    }
    let messages = sample.list(&["messages"])?;
    // The ids are collected before the messages are consumed: events tell the run's own calls by them.
    let known = call_ids(&messages);
    let began = sample.text(&["started_at"])?.and_then(|text| nanos(&text));
    run.events = SampleEvents::of(sample.list(&["events"])?, began, &known);
    for (index, kind) in run.events.take_unread() {
        run.builder.enter_record(RecordSpot::item(At::Whole, "events", index));
        run.builder.pass_over(&kind, &[]);
    }
    for (index, message) in messages.into_iter().enumerate() {
        let spot = RecordSpot::item(At::Whole, "messages", index);
        let evidence = run.builder.open_record(spot, &message);
        let message = JsonObject::of(message, "a message").and_then(|message| run.message(message));
        message.map_err(|error| error.at_key(index).at_key("messages"))?;
        run.builder.close_record(evidence);
    }
    run.builder.close_records(beside.into_iter().collect());
    let mut trace = run.builder.finish();
    // A sample says if an error or a limit ended it. One that says neither ended well, even if its last turn was a call of
    // `submit`, unless its model broke off.
    let stopped = trace.stop_reason.as_deref().map(Ended::from_stop_reason);
    if matches!(stopped, None | Some(Ended::Well | Ended::Unknown)) {
        trace.ended = Ended::Well;
    }
    Ok(trace)
}

pub(crate) fn id(sample: &mut JsonObject) -> Result<Option<String>, DecodeError> {
    let id = sample.take(&["id"]).map(|id| id.into_text_or_json().into_owned());
    let epoch = sample.count(&["epoch"])?.filter(|epoch| *epoch > 1);
    Ok(match (id, epoch) {
        (Some(id), Some(epoch)) => Some(format!("{id}/{epoch}")),
        (id, _) => id,
    })
}

/// An error or a limit ended the sample, or the model did.
fn stop_reason(sample: &mut JsonObject, output: &JsonObject) -> Result<Option<String>, DecodeError> {
    // An error outweighs a limit, and both outweigh what the model said last.
    if let Some(error) = error_of(sample) {
        return Ok(Some(format!("error: {error}")));
    }
    if let Some(mut limit) = sample.object(&["limit"])? {
        return Ok(limit.string(&["type"])?.map(|kind| format!("limit: {kind}")));
    }
    let choice = output.get("choices").and_then(JsonNode::first);
    Ok(choice.and_then(|choice| choice.get("stop_reason")?.as_str().map(ToOwned::to_owned)))
}

fn call_ids(messages: &[JsonNode]) -> HashSet<String> {
    let calls = messages.iter().filter_map(|message| message.get("tool_calls")?.as_array());
    calls.flatten().filter_map(|call| call.get("id")?.as_str().map(ToOwned::to_owned)).collect()
}

/// Tokens of one model. What a cache held is counted beside the input, but by some providers within it.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input_tokens"],
    more_input: &[&["input_tokens_cache_read"], &["input_tokens_cache_write"]],
    output: &["output_tokens"],
    cached: &["input_tokens_cache_read"],
    reasoning: &["reasoning_tokens"],
    may_include_more: true,
    ..TokenKeys::NONE
};

#[derive(Debug, Default)]
struct SampleRun<'t> {
    builder: TraceBuilder,
    events: SampleEvents,
    /// Long texts, by the mark that stands in their place.
    attachments: BTreeMap<JsonText<'t>, JsonNode<'t>>,
}

impl SampleRun<'_> {
    /// Adds the tokens of each model.
    fn spend(&mut self, models: JsonObject) -> Result<(), DecodeError> {
        for (model, usage) in models.rest() {
            let blame = |error: DecodeError| error.at_key(&model).at_key("model_usage");
            let mut usage = JsonObject::of(usage, "the usage").map_err(blame)?;
            self.builder.tally.add(TOKENS.read(&usage).map_err(blame)?);
            let cost = usage.take(&["total_cost"]).as_ref().and_then(dollars);
            let trace = &mut self.builder.trace;
            trace.cost_usd = cost.map(|cost| cost + trace.cost_usd.unwrap_or_default()).or(trace.cost_usd);
        }
        Ok(())
    }

    fn message(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let role = message.required(&["role"])?;
        let content = message.take(&["content"]).unwrap_or_default();
        match role.as_ref() {
            "system" => self.builder.say(Role::System, &self.text_of(content)),
            "user" => self.builder.say(Role::User, &self.text_of(content)),
            "assistant" => self.model(message, content)?,
            "tool" => self.answer(message, content)?,
            _ => {}
        }
        Ok(())
    }

    fn model(&mut self, mut message: JsonObject, content: JsonNode) -> Result<(), DecodeError> {
        let unheard = self.events.take_nested(None);
        self.add_all(unheard);
        self.builder.begin(Some(Role::Assistant));
        self.builder.text(&self.text_of(content));
        for (index, call) in message.list(&["tool_calls"])?.into_iter().enumerate() {
            let call = JsonObject::of(call, "a call").and_then(|call| self.call(call));
            call.map_err(|error| error.at_key(index).at_key("tool_calls"))?;
        }
        self.builder.end();
        Ok(())
    }

    fn call(&mut self, mut call: JsonObject) -> Result<(), DecodeError> {
        let name = call.required(&["function"])?;
        let id = call.string(&["id"])?;
        let arguments = call.arguments("arguments");
        let broken = call.string(&["parse_error"])?;
        let arguments = broken.map_or_else(|| arguments.clone(), |error| broken_arguments(&arguments, error));
        let (started_ms, duration_ms) = self.events.times(id.as_deref());
        let nested = self.events.take_nested(id.as_deref());
        self.builder.call(Call { id, started_ms, duration_ms, ..Call::new(name, arguments, 0) });
        self.add_all(nested);
        Ok(())
    }

    /// Adds calls that are in no message. Those of the run itself are turns of their own.
    fn add_all(&mut self, calls: Vec<Call>) {
        for call in calls {
            if call.agent_path.is_empty() {
                self.builder.next_turn();
            }
            self.builder.call(call);
        }
    }

    fn answer(&mut self, mut message: JsonObject, content: JsonNode) -> Result<(), DecodeError> {
        let id = message.text(&["tool_call_id"])?;
        let name = message.text(&["function"])?;
        let said = self.result_of(content);
        let marks = OutcomeMarks::of(&message);
        let error = error_of(&mut message);
        let Some(call) = self.builder.waiting(id.as_deref(), name.as_deref()) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Worked);
            return Ok(());
        };
        marks.settle(call, Unmarked::Worked);
        // A failed tool has an empty text for its result, which nobody returned.
        call.result = Some(said).filter(|said| error.is_none() || *said != "");
        call.error = error;
        Ok(())
    }

    /// Returns the result of a tool: its text, or its parts if some of them are not texts.
    fn result_of(&self, content: JsonNode) -> Json {
        match content {
            JsonNode::Array(parts) if !parts.iter().all(|part| part.has_text("text")) => {
                JsonNode::Array(parts).into_json()
            }
            content => Json::String(self.text_of(content).into()),
        }
    }

    /// The text of a content: itself, or its text parts.
    fn text_of(&self, content: JsonNode) -> String {
        match content {
            JsonNode::String(text) => self.attached(&text),
            JsonNode::Array(parts) => {
                let texts = parts
                    .into_iter()
                    .filter_map(|mut part| part.as_object_mut()?.take(&["text"])?.into_text());
                texts.map(|text| self.attached(&text)).collect()
            }
            _ => String::new(),
        }
    }

    /// Replaces the mark of an attachment with its text.
    fn attached(&self, text: &str) -> String {
        let attachment = text.strip_prefix("attachment://").and_then(|id| self.attachments.get(id)?.as_str());
        attachment.unwrap_or(text).to_owned()
    }
}

/// Restores arguments that could not be parsed. Only the error contains them, between two known lines.
fn broken_arguments(parsed: &Arguments, error: String) -> Arguments {
    let (_, rest) = error.split_once("arguments:\n\n").unwrap_or_default();
    let raw = rest.split_once("\n\nError details").map(|(raw, _)| raw);
    let raw = raw.map_or_else(|| parsed.to_text(), ToOwned::to_owned);
    Arguments::Broken { raw, error }
}
