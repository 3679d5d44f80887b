//! `ag-ui`: events that an agent sends to a frontend in the protocol AG-UI, as a stream or a list.
//!
//! A call belongs to the message that it names. Calls that name no message are one turn until a result follows. The format
//! does not record which tools failed: the status of an answered call is unknown. Events of subagents are nested.

mod messages;

use std::collections::HashMap;

use crate::json::{JsonError, JsonNode, JsonObject};
use crate::reader::build::content::content_value;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::{RecordInfo, RunKey, Splitting, look};
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Arguments, Call, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "ag-ui",
    summary: "AG-UI: the events of an agent's runs, streamed or as a list",
    marks: &hash_marks(["type"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Records(find_run_key),
};

/// Tokens of one model of a run.
const TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens", "input_tokens"],
    output: &["outputTokens", "output_tokens"],
    cached: &["cachedInputTokens", "cached_input_tokens"],
    reasoning: &["reasoningTokens", "reasoning_tokens"],
    ..TokenKeys::NONE
};

/// The beginnings of the types of events.
const KINDS: [&str; 12] = [
    "RUN_",
    "TEXT_MESSAGE_",
    "TOOL_CALL_",
    "MESSAGES_SNAPSHOT",
    "STATE_",
    "STEP_",
    "REASONING_",
    "THINKING_",
    "ACTIVITY_",
    "SUBAGENT_",
    "CUSTOM",
    "RAW",
];

/// The largest number of nested agents that the path of a call shows.
const DEEPEST: usize = 16;

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for Record { at, value } in &input.records {
        let kind = value.get("type").and_then(JsonNode::as_str).unwrap_or_default();
        if !KINDS.iter().any(|start| kind.starts_with(start)) {
            return Err(Reason::of(*at, "has no `type` of an event of AG-UI"));
        }
    }
    Ok(Certainty::Sure)
}

fn find_run_key(text: &str) -> Result<RecordInfo, JsonError> {
    let mut event = look(text, &["type", "runId", "run_id"])?;
    let begins = event.get("type").and_then(JsonNode::as_str) == Some("RUN_STARTED");
    let id = event.string(&["runId", "run_id"]).ok().flatten();
    Ok(if begins { RunKey::Own(id) } else { RunKey::Same }.into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut runs: Vec<EventRun> = Vec::new();
    for Record { at, value } in input.records {
        let evidence = CallEvidence::gather(at, &value);
        let is_snapshot = value.get("type").and_then(JsonNode::as_str) == Some("MESSAGES_SNAPSHOT");
        let messages = value.get("messages").and_then(JsonNode::as_array).unwrap_or_default();
        let is_question = |message: &JsonNode| message.get("role").and_then(JsonNode::as_str) == Some("user");
        let last_question = messages.iter().rposition(is_question);
        let added = JsonObject::of(value, "an event").and_then(|event| add(&mut runs, at, event));
        let holds_messages = added.map_err(|error| at.in_record(error))?;
        if is_snapshot {
            note_snapshot(&mut runs, evidence, last_question);
            continue;
        }
        // Whole messages are read at the end of the run, if at all: they repeat earlier runs.
        if let Some(run) = runs.last_mut().filter(|_| !holds_messages) {
            run.builder.close_record(evidence);
        }
    }
    runs.into_iter().map(EventRun::into_trace).collect()
}

/// Keeps the evidence of the calls in a snapshot behind its last question. Those of earlier runs are not this run's.
fn note_snapshot<'t>(
    runs: &mut [EventRun<'t>],
    mut evidence: CallEvidence<'t>,
    last_question: Option<usize>,
) {
    let Some((run, earlier)) = runs.split_last_mut() else { return };
    let asked = run.asked.iter().flat_map(|message| CallEvidence::gather(At::Whole, message).clues);
    let asked: Vec<String> = asked.filter_map(|clue| Some(clue.mention.id?.into_string())).collect();
    let is_earlier = |id: &str| {
        asked.iter().any(|asked| asked == id) || earlier.iter().any(|run| run.places.contains_key(id))
    };
    evidence.clues.retain(|clue| {
        let pointer = clue.pointer();
        let index = pointer.strip_prefix("/messages/").and_then(|rest| rest.split('/').next()?.parse().ok());
        index.is_none_or(|index: usize| last_question.is_none_or(|last| index > last))
            && !clue.mention.id.as_deref().is_some_and(is_earlier)
    });
    run.shown.push(evidence);
}

/// Adds an event; whether it holds whole messages.
fn add<'t>(runs: &mut Vec<EventRun<'t>>, at: At, mut event: JsonObject<'t>) -> Result<bool, DecodeError> {
    let kind = event.required(&["type"])?;
    if kind == "RUN_STARTED" || runs.is_empty() {
        runs.push(EventRun::default());
    }
    let Some(run) = runs.last_mut() else { return Ok(false) };
    run.builder.enter_record(at);
    match kind.as_ref() {
        "RUN_STARTED" => run.start(event),
        "TEXT_MESSAGE_START" | "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" => run.say(event),
        "TOOL_CALL_START" => run.begin_call(event),
        // Chunks have no start event: the first of a call begins it.
        "TOOL_CALL_CHUNK" if run.is_new(&event) => run.begin_call(event),
        "TOOL_CALL_ARGS" | "TOOL_CALL_CHUNK" => run.continue_call(event),
        "TOOL_CALL_RESULT" => run.answer(event),
        "SUBAGENT_STARTED" => run.begin_agent(event),
        "MESSAGES_SNAPSHOT" => event.list(&["messages"]).map(|messages| run.snapshot = messages),
        "RUN_FINISHED" => run.finish(event),
        "RUN_ERROR" => run.fail(event),
        kind => {
            run.builder.pass_over(kind_group(kind), &WITHOUT_CALLS);
            Ok(())
        }
    }?;
    Ok(matches!(kind.as_ref(), "MESSAGES_SNAPSHOT" | "RUN_STARTED"))
}

/// Kinds of events that contain no call, or one that other events tell; and the beginnings of kinds that contain none.
const WITHOUT_CALLS: [&str; 11] = [
    "TOOL_CALL_END",
    "TEXT_MESSAGE_",
    "STATE_",
    "STEP_",
    "REASONING_",
    "THINKING_",
    "ACTIVITY_",
    "SUBAGENT_",
    "RUN_",
    "CUSTOM",
    "RAW",
];

/// The beginning of a kind that is harmless by its beginning; another kind as it is.
fn kind_group(kind: &str) -> &str {
    WITHOUT_CALLS
        .iter()
        .find(|group| kind.starts_with(*group))
        .map_or(kind, |group| if *group == "TOOL_CALL_END" { kind } else { group })
}

/// A run in the making.
#[derive(Debug, Default)]
struct EventRun<'t> {
    builder: TraceBuilder,
    /// The model's message that is being said.
    message: Option<String>,
    /// Whether the turn goes on: the model speaks, and no result has come.
    speaking: bool,
    /// The text of each call's arguments so far.
    arguments: Vec<String>,
    /// The place of the last call of each id.
    places: HashMap<String, usize>,
    /// The names of each subagent and of those above it.
    agents: HashMap<String, Vec<String>>,
    /// The messages with which the frontend asked.
    asked: Vec<JsonNode<'t>>,
    /// All messages of the conversation, as they were told last.
    snapshot: Vec<JsonNode<'t>>,
    /// The evidence of the run's calls in snapshots.
    shown: Vec<CallEvidence<'t>>,
    /// Whether an error ended the run.
    is_failed: bool,
    started: Option<f64>,
    /// Whether the run has begun and not ended.
    is_open: bool,
}

impl<'t> EventRun<'t> {
    fn start(&mut self, mut event: JsonObject<'t>) -> Result<(), DecodeError> {
        self.builder.trace.id = event.string(&["runId", "run_id"])?;
        self.started = event.figure(&["timestamp"])?;
        self.is_open = true;
        if let Some(mut input) = event.object(&["input"])? {
            self.asked = input.list(&["messages"]).map_err(|error| error.at_key("input"))?;
        }
        Ok(())
    }

    fn say(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.string(&["messageId", "message_id"])?;
        let role = match event.text(&["role"])?.as_deref() {
            Some("user") => Role::User,
            Some("system" | "developer") => Role::System,
            _ => Role::Assistant,
        };
        // The text of a subagent is not the answer of the run.
        if event.text(&["subagentRunId", "subagent_run_id"])?.is_some() {
            return Ok(());
        }
        // An event without an id goes on with the message before it.
        if id.is_some() && id != self.message {
            self.builder.begin(Some(role));
            self.message = id;
            self.speaking = role == Role::Assistant;
        }
        if let Some(more) = event.text(&["delta"])? {
            self.builder.text(&more);
        }
        Ok(())
    }

    /// Whether a chunk begins a call.
    fn is_new(&self, event: &JsonObject) -> bool {
        let id = event.get("toolCallId").or_else(|| event.get("tool_call_id")).and_then(JsonNode::as_str);
        id.is_some_and(|id| !self.places.contains_key(id))
    }

    fn begin_call(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.required(&["toolCallId", "tool_call_id"])?.into_owned();
        let name = event.required(&["toolCallName", "tool_call_name"])?.into_owned();
        let agent = event.text(&["subagentRunId", "subagent_run_id"])?;
        let agent_path = match agent {
            Some(agent) => {
                self.agents.get(agent.as_ref()).cloned().unwrap_or_else(|| vec![agent.into_owned()])
            }
            None => Vec::new(),
        };
        self.turn_of(event.string(&["parentMessageId", "parent_message_id"])?, !agent_path.is_empty());
        self.places.insert(id.clone(), self.arguments.len());
        self.arguments.push(event.string(&["delta"])?.unwrap_or_default());
        self.builder.call(Call { id: Some(id), agent_path, ..Call::new(name, Arguments::none(), 0) });
        Ok(())
    }

    /// Begins a turn, unless the one that goes on is the call's.
    fn turn_of(&mut self, message: Option<String>, nested: bool) {
        if nested {
            self.builder.begin_nested();
            self.speaking = false;
            return;
        }
        // A call belongs to the message that names it, or to the one that is being written.
        if !self.speaking || message.as_ref().is_some_and(|id| self.message.as_ref() != Some(id)) {
            self.builder.begin(Some(Role::Assistant));
            self.message = message;
        }
        self.speaking = true;
    }

    /// A piece without an id belongs to the last call.
    fn continue_call(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let place = match event.text(&["toolCallId", "tool_call_id"])? {
            Some(id) => self.places.get(id.as_ref()).copied(),
            None => self.arguments.len().checked_sub(1),
        };
        if let (Some(arguments), Some(more)) =
            (place.and_then(|place| self.arguments.get_mut(place)), event.text(&["delta"])?)
        {
            arguments.push_str(&more);
        }
        Ok(())
    }

    fn answer(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.required(&["toolCallId", "tool_call_id"])?;
        let marks = OutcomeMarks::of(&event);
        match self.builder.waiting(Some(&id), None) {
            Some(call) => {
                call.result = Some(content_value(event.take(&["content"]).unwrap_or_default(), "\n"));
                marks.settle(call, Unmarked::Unrecorded);
            }
            None => self.builder.compare_result(Some(&id), &marks, Unmarked::Unrecorded),
        }
        self.speaking = false;
        Ok(())
    }

    fn begin_agent(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.required(&["subagentRunId", "subagent_run_id"])?.into_owned();
        let above = event.text(&["parentSubagentRunId", "parent_subagent_run_id"])?;
        let mut path = above.and_then(|above| self.agents.get(above.as_ref()).cloned()).unwrap_or_default();
        // Agents may name each other in circles, so the depth is limited.
        path.truncate(DEEPEST - 1);
        path.push(event.string(&["name"])?.unwrap_or_else(|| id.clone()));
        self.agents.insert(id, path);
        Ok(())
    }

    fn fail(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let error = event.string(&["message", "code"])?.unwrap_or_else(|| "RUN_ERROR".to_owned());
        self.builder.trace.stop_reason = Some(format!("error: {error}"));
        // An error behind the end of the run counts more than that end.
        self.builder.trace.ended = Ended::Unknown;
        self.is_failed = true;
        self.end(event)
    }

    fn finish(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        if self.is_failed {
            return self.end(event);
        }
        let outcome = event.within(&["outcome"], |mut outcome| outcome.string(&["type"]))?.flatten();
        // An early version has no outcome: its runs end with this event or with an error.
        if outcome.is_none() {
            self.builder.trace.ended = Ended::Well;
        }
        self.builder.trace.stop_reason = outcome;
        self.end(event)
    }

    fn end(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        self.is_open = false;
        let trace = &mut self.builder.trace;
        let ended = event.figure(&["timestamp"])?;
        trace.duration_ms =
            ended.zip(self.started).map(|(ended, started)| ended - started).filter(|took| *took >= 0.0);
        if let Some(JsonNode::String(result)) = event.take(&["result"]) {
            trace.answer = Some(result.into_string());
        }
        event.each(&["usage"], "usage", |usage| self.spend(usage))
    }

    /// Adds what one model used.
    fn spend(&mut self, mut usage: JsonObject) -> Result<(), DecodeError> {
        let model = usage.string(&["model"])?;
        self.builder.trace.model = self.builder.trace.model.take().or(model);
        if let Some(usage) = TOKENS.read(&usage)? {
            self.builder.tally.add(Some(usage));
        }
        Ok(())
    }

    fn into_trace(mut self) -> Result<Trace, DecodeError> {
        self.builder.end();
        let known = &mut self.builder.trace;
        if self.is_open {
            known.ended = Ended::Cut(stream_end::AG_UI.describe_lack());
        }
        for (call, text) in known.calls.iter_mut().zip(self.arguments) {
            call.arguments = if text.is_empty() { Arguments::none() } else { Arguments::from_text(&text) };
        }
        // Snapshots repeat the streamed events, so they are read only where nothing was streamed.
        if known.messages.is_empty() && known.calls.is_empty() {
            messages::add_all(&mut self.builder, self.snapshot)?;
        } else {
            if known.messages.iter().all(|message| message.role != Role::User) {
                messages::ask(&mut self.builder, &self.asked, &self.snapshot);
            }
            // A call that only a snapshot tells was lost from the events.
            self.shown.into_iter().for_each(|evidence| self.builder.close_record(evidence));
        }
        // What was said counts more than what was returned.
        let returned = self.builder.trace.answer.take();
        let mut trace = self.builder.finish();
        trace.answer = trace.answer.take().or(returned);
        Ok(trace)
    }
}
