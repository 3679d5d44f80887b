//! `opencode`: the output of `opencode run --format json`, and of `opencode export`.
//!
//! Each message of the model is a turn. A shell command that exits with another code than 0 has failed. `run` records
//! neither the user's question nor the model, and no call that was cut off. A cost of 0 is a model whose price opencode
//! does not know: the run has no cost.

use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::clock::millis_between;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Arguments, Call, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "opencode",
    summary: "opencode: `run --format json`, exported sessions",
    marks: &hash_marks(["sessionID", "info"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    for record in &input.records {
        if !is_event(&record.value) && !is_export(&record.value) && !is_message(&record.value) {
            return Err(Reason::of(record.at, "is neither an event nor a session"));
        }
    }
    Ok(Certainty::Sure)
}

/// Whether a record is a line of `run --format json`.
fn is_event(record: &JsonNode) -> bool {
    let has_part = record.get("part").is_some_and(|part| part.has_key("sessionID"));
    record.has_text("type") && record.has_text("sessionID") && (has_part || record.has_key("error"))
}

fn is_export(record: &JsonNode) -> bool {
    let messages = record.get("messages").and_then(JsonNode::as_array);
    record.get("info").is_some() && messages.is_some_and(|messages| messages.iter().all(is_message))
}

/// Whether this is a message with its parts.
fn is_message(record: &JsonNode) -> bool {
    let info = record.get("info");
    info.is_some_and(|info| info.get("sessionID").is_some() && info.get("role").is_some())
        && record.get("parts").is_some_and(JsonNode::is_array)
}

/// Kinds of parts that contain no call. A subtask is run by a call of its own.
const HARMLESS_PARTS: [&str; 10] = [
    "text",
    "reasoning",
    "file",
    "step-start",
    "snapshot",
    "patch",
    "agent",
    "retry",
    "compaction",
    "subtask",
];

/// Events and messages of another session than the one before begin a run.
fn read_runs(mut input: Input) -> Result<Vec<Trace>, DecodeError> {
    sort_parts(&mut input.records);
    let mut sessions: Vec<OpencodeSession> = Vec::new();
    for Record { at, value } in input.records {
        let added = add_record(&mut sessions, at, value);
        added.map_err(|error| at.in_record(error))?;
    }
    Ok(sessions.into_iter().map(OpencodeSession::finish).collect())
}

/// A tool's part is printed when the tool is done. Ids of parts grow: they tell in which order the model wrote the parts
/// of its message.
fn sort_parts(records: &mut [Record]) {
    fn find_text<'v>(record: &'v Record, name: &str) -> Option<&'v str> {
        record.value.get("part")?.get(name)?.as_str()
    }
    // Only neighbours are sorted: the messages stay in their order.
    for message in records.chunk_by_mut(|a, b| find_text(a, "messageID") == find_text(b, "messageID")) {
        message.sort_by(|a, b| find_text(a, "id").cmp(&find_text(b, "id")));
    }
}

fn add_record(sessions: &mut Vec<OpencodeSession>, at: At, value: JsonNode) -> Result<(), DecodeError> {
    let Some(session) = find_session(sessions, &value) else { return Ok(()) };
    let evidence = session.builder.open_record(at, &value);
    let mut record = JsonObject::of(value, "a record")?;
    // An export has all messages, a line of it one message, and a stream one event.
    if record.get("messages").is_some() {
        record.each(&["messages"], "a message", |message| session.add_message(message))?;
    } else if record.get("parts").is_some() {
        session.add_message(record)?;
    } else {
        session.add_event(record)?;
    }
    session.builder.close_record(evidence);
    Ok(())
}

/// The run of a record: the last one, or a new one if the record names another session.
fn find_session<'s>(
    sessions: &'s mut Vec<OpencodeSession>,
    record: &JsonNode,
) -> Option<&'s mut OpencodeSession> {
    const IDS: [&str; 3] = ["/sessionID", "/info/sessionID", "/info/id"];
    let id = IDS.iter().find_map(|place| record.pointer(place)?.as_str());
    if sessions.last().is_none_or(|session| session.builder.trace.id.as_deref() != id) {
        sessions.push(OpencodeSession::default());
    }
    let session = sessions.last_mut()?;
    session.builder.trace.id = id.map(ToOwned::to_owned);
    Some(session)
}

/// A run while its session is read.
#[derive(Debug, Default)]
struct OpencodeSession {
    builder: TraceBuilder,
    /// The id of the message that is being read.
    message: Option<String>,
    cost: f64,
    /// In milliseconds since 1970: when it began, and when something last happened.
    began: Option<u64>,
    ended: Option<u64>,
}

impl OpencodeSession {
    fn add_event(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let time = event.count(&["timestamp"])?;
        self.note_time(time);
        if let Some(error) = event.take(&["error"]) {
            self.builder.trace.stop_reason = Some(describe_error(&error));
        }
        let Some(mut part) = event.object(&["part"])? else { return Ok(()) };
        let message = part.string(&["messageID"])?;
        // The parts of a message come one by one; the next message begins a turn.
        if self.message != message {
            self.message = message;
            self.builder.begin(Some(Role::Assistant));
        }
        self.add_part(part).map_err(|error| error.at_key("part"))
    }

    fn add_message(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let mut info = message.object(&["info"])?.unwrap_or_default();
        let mut time = info.object(&["time"])?.unwrap_or_default();
        self.note_time(time.count(&["created"])?);
        self.note_time(time.count(&["completed"])?);
        match info.required(&["role"])?.as_ref() {
            "user" => self.builder.begin(Some(Role::User)),
            // What a compaction sums up was said before.
            _ if info.get("summary").is_some_and(JsonNode::is_true) => self.builder.begin_nested(),
            _ => self.begin_reply(info)?,
        }
        message.each(&["parts"], "a part", |part| self.add_part(part))?;
        self.builder.end();
        Ok(())
    }

    fn begin_reply(&mut self, mut info: JsonObject) -> Result<(), DecodeError> {
        let trace = &mut self.builder.trace;
        trace.model = info.string(&["modelID"])?.or(trace.model.take());
        trace.agent = info.string(&["agent", "mode"])?.or(trace.agent.take());
        let error = info.take(&["error"]).as_ref().map(describe_error);
        trace.stop_reason = error.or(info.string(&["finish"])?);
        self.builder.begin(Some(Role::Assistant));
        Ok(())
    }

    fn add_part(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        let hidden = ["synthetic", "ignored"].iter().any(|key| part.get(key).is_some_and(JsonNode::is_true));
        match part.required(&["type"])?.as_ref() {
            "text" if !hidden => self.builder.text(&part.text(&["text"])?.unwrap_or_default()),
            "tool" => self.add_call(part)?,
            "step-finish" => self.end_step(part)?,
            kind => self.builder.pass_over(kind, &HARMLESS_PARTS),
        }
        Ok(())
    }

    fn end_step(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        self.cost += part.get("cost").and_then(dollars).unwrap_or_default();
        let usage = TOKENS.read_from(&mut part, &["tokens"])?;
        self.builder.tally.add(usage);
        if let Some(reason) = part.string(&["reason"])? {
            self.builder.end_turn(Some(&reason), usage);
            self.builder.trace.stop_reason = Some(reason);
        }
        Ok(())
    }

    /// A call is written again as it goes on: the last state under its id counts.
    fn add_call(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        let id = part.string(&["callID"])?;
        let name = part.required(&["tool"])?;
        let mut state = part.object(&["state"])?.unwrap_or_default();
        if id.as_ref().is_none_or(|id| self.builder.waiting(Some(id), None).is_none()) {
            // A pending call has what the model has written of its arguments so far.
            let raw = state.take(&["raw"]).and_then(JsonNode::into_text).filter(|raw| !raw.is_empty());
            let arguments = raw.map_or_else(|| state.arguments("input"), |raw| Arguments::from_text(&raw));
            self.builder.call(Call { id: id.clone(), ..Call::new(name.clone(), arguments, 0) });
        }
        let mut time = state.object(&["time"])?.unwrap_or_default();
        let start = time.count(&["start"])?;
        let end = time.count(&["end"])?;
        self.note_time(end);
        let began = self.began;
        let Some(call) = self.builder.waiting(id.as_deref(), Some(&name)) else { return Ok(()) };
        call.started_ms = began.zip(start).map(|(began, start)| count_millis(began, start));
        call.duration_ms = start.zip(end).map(|(start, end)| count_millis(start, end));
        settle_call(call, state);
        Ok(())
    }

    fn note_time(&mut self, time: Option<u64>) {
        self.began = self.began.into_iter().chain(time).min();
        self.ended = self.ended.max(time);
    }

    /// A run of several questions waits for its user: it has no duration of its own.
    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        let questions = trace.messages.iter().filter(|message| message.role == Role::User).count();
        let duration_ms = self.began.zip(self.ended).map(|(began, ended)| count_millis(began, ended));
        trace.duration_ms = duration_ms.filter(|_| questions <= 1);
        trace.cost_usd = (self.cost > 0.0).then_some(self.cost);
        trace
    }
}

fn settle_call(call: &mut Call, mut state: JsonObject) {
    let mut marks = OutcomeMarks::of(&state);
    marks.read_value(state.get("metadata"));
    call.exit_code = marks.exit_code();
    // The state of a call that has not ended is followed by another one.
    if !marks.is_marked() {
        return;
    }
    marks.settle(call, Unmarked::Worked);
    call.result = state.take_even_null("output").map(JsonNode::into_json);
    let output = call.result.as_ref().and_then(Json::as_str).map(ToOwned::to_owned);
    call.error = error_of(&mut state).or(output).filter(|_| marks.has_failed());
}

/// Renders an error as a stop reason. A message that was aborted or too long broke off.
fn describe_error(error: &JsonNode) -> String {
    let message = error.pointer("/data/message").or_else(|| error.get("message")).and_then(JsonNode::as_str);
    let name = error.get("name").and_then(JsonNode::as_str);
    let is_cut = matches!(name, Some("MessageAbortedError" | "MessageOutputLengthError"));
    let word = if is_cut { "cut" } else { "error" };
    format!("{word}: {}", message.or(name).unwrap_or("unknown"))
}

fn count_millis(from: u64, to: u64) -> f64 {
    millis_between(from.saturating_mul(1_000_000), to.saturating_mul(1_000_000))
}

/// Tokens of a step: what a cache holds, and reasoning, are counted beside input and output.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input"],
    more_input: &[&["/cache/read"], &["/cache/write"]],
    output: &["output"],
    more_output: &[&["reasoning"]],
    cached: &["/cache/read"],
    reasoning: &["reasoning"],
    ..TokenKeys::NONE
};
