//! `pi`: sessions of the coding agent pi, and the output of `pi --mode json`.
//!
//! A session file is a tree: all its branches are read, in the order in which they were written, because their calls were
//! made. A list of pi's messages is also one run. Commands that the user ran are not calls. A cost of 0 is a model whose
//! price pi does not know: the run has no cost.

use crate::json::{Json, JsonNode, JsonObject};

use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::content::content_value;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "pi",
    summary: "pi: session files, `--mode json`",
    marks: &hash_marks(["session", "message/", "toolResult", "api"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    // The first record is asked first, so that most foreign files are declined without a look at all of it.
    if let Some(record) = input.records.first().filter(|record| is_untyped(&record.value)) {
        return Err(Reason::of(record.at, "has neither `type` nor `role`"));
    }
    if !input.records.iter().any(|record| is_header(&record.value) || is_own_message(&record.value)) {
        return Err("neither the header nor a message of a session is in it".into());
    }
    match input.records.iter().find(|record| is_untyped(&record.value)) {
        Some(record) => Err(Reason::of(record.at, "has neither `type` nor `role`")),
        None => Ok(Certainty::Sure),
    }
}

fn is_untyped(record: &JsonNode) -> bool {
    record.get("type").or_else(|| record.get("role")).is_none()
}

fn is_header(record: &JsonNode) -> bool {
    record.get("type").and_then(JsonNode::as_str) == Some("session")
        && ["id", "cwd"].iter().all(|name| record.get(name).is_some_and(JsonNode::is_string))
}

/// Whether a record is, or holds, a message as only pi writes it.
fn is_own_message(record: &JsonNode) -> bool {
    let message = record.get("message").unwrap_or(record);
    match message.get("role").and_then(JsonNode::as_str) {
        Some("toolResult") => message.get("toolCallId").is_some(),
        Some("assistant") => message.get("api").is_some() && message.get("stopReason").is_some(),
        _ => false,
    }
}

/// Lines that contain no call, or repeat calls of messages.
const HARMLESS_LINES: [&str; 21] = [
    "agent_start",
    "agent_end",
    "turn_start",
    "turn_end",
    "message_start",
    "message_update",
    "tool_execution_update",
    "tool_execution_end",
    "model_change",
    "thinking_level_change",
    "compaction",
    "compaction_start",
    "compaction_end",
    "branch_summary",
    "custom",
    "custom_message",
    "label",
    "session_info",
    "queue_update",
    "auto_retry_start",
    "auto_retry_end",
];

/// Commands of the user, messages of extensions, and summaries of what was said.
const HARMLESS_ROLES: [&str; 5] =
    ["bashExecution", "custom", "hookMessage", "branchSummary", "compactionSummary"];

/// Each header begins a run. Without one, the file is one run.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut sessions: Vec<PiSession> = Vec::new();
    for Record { at, value } in input.records {
        // A file that was cut has no header, and what it contains is still a run.
        if sessions.is_empty() || is_header(&value) {
            sessions.push(PiSession::default());
        }
        let Some(session) = sessions.last_mut() else { continue };
        let evidence = session.builder.open_record(at, &value);
        let added = JsonObject::of(value, "a line").and_then(|line| session.add_line(line));
        added.map_err(|error| at.in_record(error))?;
        session.builder.close_record(evidence);
    }
    Ok(sessions.into_iter().map(PiSession::finish).collect())
}

/// A run while the lines of its session are read.
#[derive(Debug, Default)]
struct PiSession {
    builder: TraceBuilder,
    cost: f64,
    /// When the first message was written, and the last.
    began: Option<u64>,
    ended: Option<u64>,
}

impl PiSession {
    fn add_line(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let Some(kind) = line.text(&["type"])? else { return self.add_message(line, None) };
        match kind.as_ref() {
            "session" => self.builder.trace.id = line.string(&["id"])?,
            // `--mode json` repeats a message while it grows, and once more at the end of its turn and of the run.
            "message" | "message_end" => {
                let time = line.text(&["timestamp"])?.and_then(|time| nanos(&time));
                line.within(&["message"], |message| self.add_message(message, time))?;
            }
            "tool_execution_start" => self.add_execution(line)?,
            other => self.builder.pass_over(other, &HARMLESS_LINES),
        }
        Ok(())
    }

    fn add_message(&mut self, mut message: JsonObject, time: Option<u64>) -> Result<(), DecodeError> {
        self.began = self.began.or(time);
        self.ended = time.or(self.ended);
        match message.required(&["role"])?.as_ref() {
            "user" => {
                let text = content_text(message.take(&["content"]).unwrap_or_default());
                self.builder.say(Role::User, &text);
            }
            "assistant" => self.add_reply(message)?,
            "toolResult" => self.answer_call(message)?,
            other => self.builder.pass_over(other, &HARMLESS_ROLES),
        }
        Ok(())
    }

    fn add_reply(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let model = message.string(&["model"])?;
        self.builder.trace.model = model.or(self.builder.trace.model.take());
        if let Some(usage) = message.get("usage") {
            self.cost += usage.pointer("/cost/total").and_then(dollars).unwrap_or_default();
        }
        let usage = TOKENS.read_from(&mut message, &["usage"])?;
        self.builder.tally.add(usage);
        let error = message.string(&["errorMessage"])?.map(|error| format!("error: {error}"));
        let stop = message.string(&["stopReason"])?;
        self.builder.begin(Some(Role::Assistant));
        message.each(&["content"], "a content part", |part| self.add_part(part))?;
        self.builder.end();
        self.builder.end_turn(stop.as_deref(), usage);
        // A message that the user aborted has an error as well.
        let is_cut = matches!(stop.as_deref().map(Ended::from_stop_reason), Some(Ended::Cut(_)));
        self.builder.trace.stop_reason = if is_cut { stop } else { error.or(stop) };
        Ok(())
    }

    fn add_part(&mut self, mut part: JsonObject) -> Result<(), DecodeError> {
        match part.required(&["type"])?.as_ref() {
            "text" => self.builder.text(&part.text(&["text"])?.unwrap_or_default()),
            "toolCall" => {
                let id = part.string(&["id"])?;
                let name = part.required(&["name"])?;
                let call = Call { id, ..Call::new(name, part.arguments("arguments"), 0) };
                self.add_call(call);
            }
            other => self.builder.pass_over(other, &["thinking", "image"]),
        }
        Ok(())
    }

    /// A call that no message has made, but that was carried out.
    fn add_execution(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let id = line.required(&["toolCallId"])?.into_owned();
        if self.builder.knows(&id) {
            return Ok(());
        }
        let name = line.required(&["toolName"])?;
        let arguments = line.arguments("args");
        self.add_call(Call { id: Some(id), ..Call::new(name, arguments, 0) });
        Ok(())
    }

    /// A message is written when it is complete, and its tools start then.
    fn add_call(&mut self, call: Call) {
        let started_ms = self.began.zip(self.ended).map(|(began, now)| millis_between(began, now));
        self.builder.call(Call { started_ms, ..call });
    }

    fn answer_call(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let id = message.required(&["toolCallId"])?;
        let now = self.began.zip(self.ended).map(|(began, now)| millis_between(began, now));
        let marks = OutcomeMarks::of(&message);
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Worked);
            return Ok(());
        };
        let result = content_value(message.take(&["content"]).unwrap_or_default(), "");
        marks.settle(call, Unmarked::Worked);
        if let Some(text) = result.as_str().filter(|_| marks.has_failed()) {
            call.error = Some(text.to_owned());
            call.exit_code = exit_code(text);
        }
        // A clock that was set back must not make a negative duration.
        call.duration_ms = now.zip(call.started_ms).map(|(now, started)| (now - started).max(0.0));
        call.result = Some(result);
        Ok(())
    }

    /// A run of several questions waits for its user: it has no duration of its own.
    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        let questions = trace.messages.iter().filter(|message| message.role == Role::User).count();
        let duration_ms = self.began.zip(self.ended).map(|(began, ended)| millis_between(began, ended));
        trace.duration_ms = duration_ms.filter(|_| questions == 1);
        trace.cost_usd = (self.cost > 0.0).then_some(self.cost);
        trace
    }
}

/// Tokens of a model call: what a cache holds is counted beside the input.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input"],
    more_input: &[&["cacheRead"], &["cacheWrite"]],
    output: &["output"],
    cached: &["cacheRead"],
    ..TokenKeys::NONE
};

fn content_text(content: JsonNode) -> String {
    match content_value(content, "") {
        Json::String(text) => text.into_string(),
        // Text beside images.
        Json::Array(parts) => parts.iter().filter_map(|part| part.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}

/// The exit code that pi writes below the output of a command that failed.
fn exit_code(text: &str) -> Option<i64> {
    text.trim_end().rsplit_once("Command exited with code ")?.1.parse().ok()
}
