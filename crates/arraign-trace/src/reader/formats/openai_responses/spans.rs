//! Traces that the Agents SDK exports: spans, in lines or as the body of an upload.
//!
//! A `function` span records the result of a call, its error and its time. A `generation` span records the reply of the
//! model with the ids of its calls. A `response` span records only tokens, which the spans of turns and tasks repeat. A
//! handoff is neither nesting nor a call of a tool.

use std::collections::{HashMap, VecDeque};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::millis_between;
use crate::reader::build::content::text_of;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::openai_responses::TOKENS;
use crate::reader::formats::openai_responses::span_tree::{SdkSpan, SdkSpanTree, gather};
use crate::reader::json::input::Record;
use crate::trace::{Arguments, Call, Role, Trace};

/// What the output of a generation says: messages, or whole completions in the JavaScript SDK.
#[derive(Debug, Default)]
struct GenerationOutput<'t> {
    messages: Vec<JsonNode<'t>>,
    /// The number of choices beside the first of each completion.
    other_choices: usize,
    usage: Option<JsonNode<'t>>,
    stop_reason: Option<String>,
}

impl<'t> GenerationOutput<'t> {
    fn of(outputs: Vec<JsonNode<'t>>) -> Result<Self, DecodeError> {
        let mut read = Self::default();
        for mut output in outputs {
            let completion = output.as_object_mut().filter(|output| output.get("choices").is_some());
            let Some(completion) = completion else {
                read.messages.push(output);
                continue;
            };
            read.usage = completion.take(&["usage"]).or(read.usage);
            let mut choices = completion.list(&["choices"])?.into_iter();
            if let Some(JsonNode::Object(mut choice)) = choices.next() {
                read.messages.extend(choice.take(&["message"]));
                read.stop_reason = choice.string(&["finish_reason"])?;
            }
            read.other_choices += choices.count();
        }
        Ok(read)
    }
}

pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    gather(records)?.into_iter().map(|(id, spans)| trace(id, spans)).collect()
}

fn trace(id: String, mut spans: Vec<SdkSpan>) -> Result<Trace, DecodeError> {
    // Spans are exported when they end, which is inside out. A span without a time comes last.
    spans.sort_by_key(|span| span.started.unwrap_or(u64::MAX));
    let mut run = SpanRun { tree: SdkSpanTree::of(&spans), ..SpanRun::default() };
    run.began = spans.iter().filter_map(|span| span.started).min();
    let ended = spans.iter().filter_map(|span| span.ended).max();
    for span in spans {
        let at = span.at;
        run.builder.enter_record(at);
        run.span(span).map_err(|error| at.in_record(error))?;
    }
    let mut trace = run.builder.finish();
    let model_error = run.model_error.map(|error| format!("error: {error}"));
    trace.stop_reason = trace.stop_reason.or(model_error).or(run.stop_reason);
    trace.id = Some(id).filter(|id| !id.is_empty());
    trace.duration_ms = run.began.zip(ended).map(|(began, ended)| millis_between(began, ended));
    Ok(trace)
}

/// Kinds of spans that contain no call of a tool.
const WITHOUT_CALLS: [&str; 10] = [
    "handoff",
    "guardrail",
    "mcp_tools",
    "transcription",
    "speech",
    "speech_group",
    "task",
    "turn",
    "context",
    "compaction",
];

/// A run while its spans are read, in the order in which they began.
#[derive(Debug, Default)]
struct SpanRun {
    builder: TraceBuilder,
    tree: SdkSpanTree,
    began: Option<u64>,
    turns: usize,
    /// The turn that each agent is in.
    turn_of: HashMap<String, usize>,
    /// Calls whose function has not begun yet, by agent, tool and arguments.
    announced: HashMap<[String; 3], VecDeque<usize>>,
    /// The number of user messages that were read. Each generation repeats them.
    users: usize,
    /// The error of the last model call of the run, and the reason why its model stopped.
    model_error: Option<String>,
    stop_reason: Option<String>,
}

impl SpanRun {
    fn span(&mut self, mut span: SdkSpan) -> Result<(), DecodeError> {
        let kind = span.data.text(&["type"])?.unwrap_or_default();
        match kind.as_ref() {
            "agent" => {
                let name = span.data.string(&["name"])?;
                self.builder.trace.agent = self.builder.trace.agent.take().or(name);
                self.note_end(span);
                Ok(())
            }
            "custom" => {
                self.custom(span);
                Ok(())
            }
            "response" => self.model_call(&mut span),
            "generation" => self.generation(span),
            "function" => self.function(span),
            kind => {
                self.builder.pass_over(kind, &WITHOUT_CALLS);
                Ok(())
            }
        }
    }

    /// Reads a custom span: a task is a run of the SDK, and a turn may record the error that ended it.
    fn custom(&mut self, span: SdkSpan) {
        match span.data.get("data").and_then(|data| data.get("sdk_span_type")?.as_str()) {
            Some("task") if span.parent.is_empty() => self.users = 0,
            Some("turn") => self.note_end(span),
            _ => {}
        }
    }

    /// Notes the error of the outermost agent, or of an agent that took over from it.
    fn note_end(&mut self, span: SdkSpan) {
        let nested = !self.tree.path(&span.id).is_empty();
        if let Some(error) = span.error.filter(|_| !nested) {
            self.builder.trace.stop_reason = Some(format!("error: {error}"));
        }
    }

    /// Reads a model call, which is a turn of its agent.
    fn model_call(&mut self, span: &mut SdkSpan) -> Result<(), DecodeError> {
        self.builder.tally.add(TOKENS.read_from(&mut span.data, &["usage"])?);
        let nested = !self.tree.path(&span.parent).is_empty();
        if !nested {
            self.model_error.clone_from(&span.error);
        }
        self.builder.begin((!nested).then_some(Role::Assistant));
        self.turns += 1;
        self.turn_of.insert(self.tree.agent(&span.parent), self.turns);
        Ok(())
    }

    fn generation(&mut self, mut span: SdkSpan) -> Result<(), DecodeError> {
        let known = ["input", "output", "model_config", "usage"];
        let spot = RecordSpot::under(span.at, "span_data");
        let beside = CallEvidence::gather_beside(spot, &span.data, &known);
        let nested = !self.tree.path(&span.parent).is_empty();
        let heard = span.data.take(&["input"]);
        // The messages to a model are the record of results that have no span of their own.
        for message in heard.as_ref().and_then(JsonNode::as_array).into_iter().flatten() {
            self.answer(message);
        }
        if let Some(JsonNode::Array(messages)) = heard.filter(|_| !nested) {
            self.hear(messages);
        }
        let model = span.data.string(&["model"])?;
        self.builder.trace.model = self.builder.trace.model.take().or(model);
        let output = GenerationOutput::of(span.data.list(&["output"])?)?;
        if let Some(usage) = output.usage.filter(|_| span.data.get("usage").is_none_or(JsonNode::is_null)) {
            span.data.insert("usage", usage);
        }
        self.model_call(&mut span)?;
        if !nested {
            self.stop_reason = output.stop_reason;
        }
        self.builder.note_alternatives(output.other_choices);
        for message in output.messages {
            let evidence = self.builder.open_record(span.at, &message);
            let mut message = JsonObject::of(message, "a message")?;
            self.builder.text(&text_of(message.take(&["content", "refusal"])));
            for call in message.list(&["tool_calls"])? {
                self.announce(&span, JsonObject::of(call, "a tool call")?)?;
            }
            self.builder.close_record(evidence);
        }
        self.builder.end();
        self.builder.close_records(beside.into_iter().collect());
        Ok(())
    }

    /// Adds the messages of a request that are new: the instructions of the first request, and later messages of the user.
    fn hear(&mut self, messages: Vec<JsonNode>) {
        // Each request repeats the conversation so far, and messages have no ids: the number of messages of the user tells
        // which of them are new.
        let first = self.builder.trace.messages.is_empty();
        let mut users = 0;
        for message in messages {
            let JsonNode::Object(mut message) = message else { continue };
            let role = message.take(&["role"]).and_then(JsonNode::into_text).unwrap_or_default();
            let text = text_of(message.take(&["content"]));
            match role.as_ref() {
                "system" | "developer" if first => self.builder.say(Role::System, &text),
                "user" => {
                    users += 1;
                    if users > self.users {
                        self.builder.say(Role::User, &text);
                    }
                }
                _ => {}
            }
        }
        self.users = self.users.max(users);
    }

    /// Adds the result of a call without a function span: of an unknown tool, or of a handoff.
    fn answer(&mut self, message: &JsonNode) {
        let Some(message) = message.as_object() else { return };
        let Some(id) = message.text_under("tool_call_id") else { return };
        if let Some(call) = self.builder.waiting(Some(id), None) {
            call.result = message.get("content").cloned().map(JsonNode::into_json);
            // The message does not say whether the tool failed.
            OutcomeMarks::of(message).settle(call, Unmarked::Unrecorded);
        }
    }

    /// Adds a call of the model. Its function span may follow later, or never.
    fn announce(&mut self, span: &SdkSpan, mut call: JsonObject) -> Result<(), DecodeError> {
        let id = call.string(&["id"])?;
        let Some(mut function) = call.object(&["function"])? else { return Ok(()) };
        let name = function.required(&["name"])?.into_owned();
        let text = function.get("arguments").and_then(JsonNode::as_str).unwrap_or_default().to_owned();
        let arguments = function.arguments("arguments");
        // A function span has no call id. Agent, name and arguments identify its call; equal calls are taken in order.
        let key = [self.tree.agent(&span.parent), name.clone(), text];
        let place = self.push(&span.parent, Call { id, ..Call::new(name, arguments, 0) });
        self.announced.entry(key).or_default().push_back(place);
        Ok(())
    }

    fn function(&mut self, mut span: SdkSpan) -> Result<(), DecodeError> {
        let name = span.data.required(&["name"])?.into_owned();
        let text = span.data.get("input").and_then(JsonNode::as_str).unwrap_or_default().to_owned();
        // The SDK can leave out what tools took and gave.
        let is_captured =
            ["input", "output"].iter().any(|key| span.data.get(key).is_some_and(|value| !value.is_null()));
        let has_input = span.data.get("input").is_some_and(|input| !input.is_null());
        let arguments = if has_input { span.data.arguments("input") } else { Arguments::Unrecorded };
        // The span of a function has no id of its call. Agent, name and arguments find the call that the model
        // announced, in order.
        let key = [self.tree.agent(&span.parent), name.clone(), text];
        let announced = self.announced.get_mut(&key).and_then(VecDeque::pop_front);
        let place = announced.unwrap_or_else(|| self.push(&span.parent, Call::new(name, arguments, 0)));
        let began = self.began;
        let Some(call) = self.builder.trace.calls.get_mut(place) else { return Ok(()) };
        let server = span.data.get("mcp_data").and_then(|mcp| Some(mcp.get("server")?.as_str()?.to_owned()));
        call.server = server.into();
        call.result = span.data.take(&["output"]).map(JsonNode::into_json);
        span.marks.settle(call, if is_captured { Unmarked::Worked } else { Unmarked::Unrecorded });
        call.error = span.error;
        call.started_ms = began.zip(span.started).map(|(began, started)| millis_between(began, started));
        call.duration_ms =
            span.started.zip(span.ended).map(|(started, ended)| millis_between(started, ended));
        Ok(())
    }

    /// Adds a call to the current turn of its agent, and returns the index of the call.
    fn push(&mut self, parent: &str, call: Call) -> usize {
        let turns = &mut self.turns;
        let turn = *self.turn_of.entry(self.tree.agent(parent)).or_insert_with(|| {
            *turns += 1;
            *turns
        });
        let place = self.builder.trace.calls.len();
        self.builder.call(Call { agent_path: self.tree.path(parent), ..call });
        // The builder counts turns by its own calls; here each agent has its own turn.
        self.builder.trace.calls[place].turn = turn;
        place
    }
}
