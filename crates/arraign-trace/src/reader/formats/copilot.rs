//! `copilot`: events of GitHub's Copilot CLI: `--output-format json`, and `events.jsonl` of a stored session.
//!
//! A shell command that exits with another code than 0 has failed. The calls of subagents have their path, and what
//! subagents say is not part of the conversation. Commands that the user ran are not calls. `--output-format json` does
//! not record tokens. The cost in an event is in premium requests, not in money: a run has no cost.

use std::collections::{HashMap, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, Ended, Role, ToolServer, Trace};

pub(crate) const READER: Reader = Reader {
    name: "copilot",
    summary: "Copilot CLI: `--output-format json`, events of stored sessions",
    marks: &hash_marks(["parentId"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    if let Some(record) = input.records.iter().find(|record| !is_event(&record.value)) {
        return Err(Reason::of(record.at, "is no event with `type` and `data`"));
    }
    if input.records.iter().any(|record| is_own_event(&record.value)) {
        return Ok(Certainty::Sure);
    }
    Err("no event of a session is in it".into())
}

fn is_event(record: &JsonNode) -> bool {
    let kind = record.get("type").and_then(JsonNode::as_str).unwrap_or_default();
    let is_named = kind == "abort" || kind.contains('.');
    kind == "result" || is_named && record.get("data").is_some_and(JsonNode::is_object)
}

fn is_own_event(record: &JsonNode) -> bool {
    const KINDS: [&str; 6] = [
        "user.message",
        "assistant.message",
        "assistant.turn_start",
        "tool.execution_start",
        "tool.execution_complete",
        "session.start",
    ];
    let kind = record.get("type").and_then(JsonNode::as_str).unwrap_or_default();
    KINDS.contains(&kind) && record.get("parentId").is_some()
}

/// Whether events of this kind tell what the model or its tools do. Of what the session, its permissions, its hooks and
/// its display do, there are many kinds, and each release adds some.
fn is_of_model(kind: &str) -> bool {
    ["assistant.", "tool.", "external_tool.", "mcp_app."].iter().any(|family| kind.starts_with(family))
}

/// Events of the model and its tools that contain no call, or repeat one.
const HARMLESS_EVENTS: [&str; 22] = [
    "assistant.turn_start",
    "assistant.turn_end",
    "assistant.idle",
    "assistant.intent",
    "assistant.reasoning",
    "assistant.reasoning_delta",
    "assistant.message_start",
    "assistant.message_delta",
    "assistant.streaming_delta",
    "assistant.tool_call_delta",
    "assistant.server_tool_progress",
    "assistant.usage",
    "assistant.fusion_phase_activity",
    "assistant.fusion_phase_completed",
    "assistant.fusion_phase_failed",
    "assistant.fusion_phase_started",
    "tool.shell_output",
    "tool.execution_partial_result",
    "tool.execution_progress",
    "external_tool.requested",
    "external_tool.completed",
    "mcp_app.tool_call_complete",
];

/// Each `session.start` begins a run, and what follows a `result` is of the next.
fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut sessions: Vec<CopilotSession> = Vec::new();
    let mut is_over = true;
    for Record { at, value } in input.records {
        let kind = value.get("type").and_then(JsonNode::as_str).unwrap_or_default();
        // A file that lacks its first event has a run nevertheless.
        if is_over || kind == "session.start" {
            sessions.push(CopilotSession::default());
        }
        is_over = kind == "result";
        let Some(session) = sessions.last_mut() else { continue };
        let evidence = session.builder.open_record(at, &value);
        let added = JsonObject::of(value, "an event").and_then(|event| session.add_event(event));
        added.map_err(|error| at.in_record(error))?;
        session.builder.close_record(evidence);
    }
    Ok(sessions.into_iter().map(CopilotSession::finish).collect())
}

/// A run while the events of its session are read.
#[derive(Debug, Default)]
struct CopilotSession {
    builder: TraceBuilder,
    /// The path of the subagent that a call started, by the call's id.
    subagents: HashMap<String, Vec<String>>,
    /// The commands that the user ran.
    user_commands: HashSet<String>,
    /// When the user asked, and when the model last did something.
    began: Option<u64>,
    ended: Option<u64>,
    /// The time of the event that is being read.
    now: Option<u64>,
    /// The reason why the model stopped, for the reply that follows.
    stopped: Option<String>,
}

impl CopilotSession {
    fn add_event(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let kind = event.required(&["type"])?;
        self.now = event.text(&["timestamp"])?.and_then(|time| nanos(&time));
        if kind == "result" {
            return self.end_session(event);
        }
        let is_nested = event.get("agentId").is_some_and(JsonNode::is_string);
        let data = event.object(&["data"])?.unwrap_or_default();
        self.add_data(&kind, data, is_nested).map_err(|error| error.at_key("data"))
    }

    fn add_data(&mut self, kind: &str, mut data: JsonObject, is_nested: bool) -> Result<(), DecodeError> {
        match kind {
            "session.start" => {
                self.builder.trace.id = data.string(&["sessionId"])?;
                self.builder.trace.model = data.string(&["selectedModel"])?;
            }
            "system.message" if !is_nested => self.say(Role::System, &mut data)?,
            "user.message" if !is_nested && !is_hidden(&data) => {
                self.began = self.began.or(self.now);
                self.say(Role::User, &mut data)?;
            }
            "assistant.message" => self.add_reply(data, is_nested)?,
            "session.usage_record" => {
                let reason = data.get("usage").and_then(|usage| usage.get("finishReason")?.as_str());
                self.stopped = reason.map(ToOwned::to_owned);
                let usage = TOKENS.read_from(&mut data, &["usage"])?;
                self.builder.tally.add(usage);
            }
            "session.error" => {
                let message = data.text(&["message"])?.unwrap_or_default();
                // No other event tells why such a run ended.
                self.builder.trace.stop_reason = Some(format!("error: {message}"));
            }
            "abort" => {
                let reason = data.string(&["reason"])?.unwrap_or_else(|| kind.to_owned());
                self.builder.trace.ended = Ended::Cut(reason.clone());
                self.builder.trace.stop_reason = Some(reason);
            }
            "assistant.turn_end" if !is_nested => self.ended = self.now,
            _ => self.add_tool_event(kind, data)?,
        }
        Ok(())
    }

    fn add_tool_event(&mut self, kind: &str, mut data: JsonObject) -> Result<(), DecodeError> {
        match kind {
            "tool.user_requested" => {
                let id = data.required(&["toolCallId"])?;
                self.builder.add_alias(&id);
                self.user_commands.insert(id.into_owned());
            }
            "tool.execution_start" => self.start_tool(data)?,
            "tool.execution_complete" => self.end_tool(data)?,
            "subagent.started" => self.start_subagent(data)?,
            other if is_of_model(other) => self.builder.pass_over(other, &HARMLESS_EVENTS),
            _ => {}
        }
        Ok(())
    }

    fn say(&mut self, role: Role, data: &mut JsonObject) -> Result<(), DecodeError> {
        let text = data.text(&["content"])?.unwrap_or_default();
        self.builder.say(role, &text);
        Ok(())
    }

    fn add_reply(&mut self, mut data: JsonObject, is_nested: bool) -> Result<(), DecodeError> {
        let path = self.find_path(&data);
        let is_nested = is_nested || !path.is_empty();
        // A long reply is written in chunks: they are one turn.
        let chunk = data.count(&["chunkIndex"])?.unwrap_or_default();
        let chunks = data.count(&["chunkCount"])?.unwrap_or_default();
        if chunk == 0 {
            self.begin_reply(is_nested);
        }
        if !is_nested {
            self.ended = self.now;
            // A session goes on after an error or an abort.
            self.builder.trace.reopen();
            let model = data.string(&["model"])?;
            self.builder.trace.model = model.or(self.builder.trace.model.take());
        }
        self.builder.text(&data.text(&["content"])?.unwrap_or_default());
        data.each(&["toolRequests"], "a call", |mut request| {
            let id = request.string(&["toolCallId"])?;
            self.add_call(id, &mut request, path.clone())
        })?;
        if chunk.saturating_add(1) >= chunks {
            self.end_reply(is_nested);
        }
        Ok(())
    }

    fn end_reply(&mut self, is_nested: bool) {
        self.builder.end();
        let stopped = self.stopped.take();
        self.builder.end_turn(stopped.as_deref(), None);
        // Only a reply of the agent itself says why the run stopped.
        self.builder.trace.stop_reason = stopped.filter(|_| !is_nested);
    }

    fn begin_reply(&mut self, is_nested: bool) {
        if is_nested {
            self.builder.begin_nested();
        } else {
            self.builder.begin(Some(Role::Assistant));
        }
    }

    /// A tool of an MCP server has its own name beside the one that the model sees.
    fn add_call(
        &mut self,
        id: Option<String>,
        request: &mut JsonObject,
        agent_path: Vec<String>,
    ) -> Result<(), DecodeError> {
        let server = request.string(&["mcpServerName"])?;
        let own_name = request.string(&["mcpToolName"])?;
        let name = request.required(&["name", "toolName"])?;
        let arguments = request.arguments("arguments");
        let mut call = Call { id, agent_path, ..Call::new(name, arguments, 0) };
        match (own_name, server) {
            (Some(name), Some(server)) => call.set_tool(name, ToolServer::Named(server)),
            (_, server) => call.server = server.map_or(ToolServer::BuiltIn, ToolServer::Named),
        }
        self.builder.call(call);
        Ok(())
    }

    fn start_tool(&mut self, mut data: JsonObject) -> Result<(), DecodeError> {
        // A command that the user typed is not the model's call, though it has the events of one.
        let id = data.required(&["toolCallId"])?.into_owned();
        if self.user_commands.contains(&id) {
            return Ok(());
        }
        // Each tool that ran is a call, whether a message asked for it or not.
        if !self.builder.knows(&id) {
            let path = self.find_path(&data);
            self.add_call(Some(id.clone()), &mut data, path)?;
        }
        let started_ms = self.began.zip(self.now).map(|(began, now)| millis_between(began, now));
        if let Some(call) = self.builder.waiting(Some(&id), None) {
            call.started_ms = started_ms;
        }
        Ok(())
    }

    fn end_tool(&mut self, mut data: JsonObject) -> Result<(), DecodeError> {
        let id = data.required(&["toolCallId"])?;
        let ended_ms = self.began.zip(self.now).map(|(began, now)| millis_between(began, now));
        let mut marks = OutcomeMarks::of(&data);
        if !marks.is_marked() {
            marks.note_unclear("`success` is missing".to_owned());
        }
        marks.read_value(data.get("shellExecution"));
        // The result of a user's command is in no call and is left out with it.
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Worked);
            return Ok(());
        };
        let result = data.object(&["result"])?.and_then(|mut result| result.take(&["content"]));
        call.result = result.map(JsonNode::into_json);
        marks.settle(call, Unmarked::Worked);
        let message = error_of(&mut data);
        let output = call.result.as_ref().and_then(|result| Some(result.as_str()?.to_owned()));
        call.error = message.or(output).filter(|_| marks.has_failed());
        call.exit_code = marks.exit_code();
        call.duration_ms = ended_ms.zip(call.started_ms).map(|(ended, started)| (ended - started).max(0.0));
        Ok(())
    }

    fn start_subagent(&mut self, mut data: JsonObject) -> Result<(), DecodeError> {
        let Some(id) = data.string(&["toolCallId"])? else { return Ok(()) };
        let name = data.string(&["agentName", "agentDisplayName"])?.unwrap_or_else(|| id.clone());
        // A subagent may be started inside of another one, whose path goes on.
        let starter = self.builder.trace.calls.iter().find(|call| call.id.as_ref() == Some(&id));
        let mut path = starter.map(|call| call.agent_path.clone()).unwrap_or_default();
        path.push(name);
        self.subagents.insert(id, path);
        Ok(())
    }

    /// The path of the subagent that an event is of; empty for the agent itself.
    fn find_path(&self, data: &JsonObject) -> Vec<String> {
        let Some(parent) = data.get("parentToolCallId").and_then(JsonNode::as_str) else { return Vec::new() };
        self.subagents.get(parent).cloned().unwrap_or_else(|| vec![parent.to_owned()])
    }

    /// The last line of `--output-format json`.
    fn end_session(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let trace = &mut self.builder.trace;
        trace.id = line.string(&["sessionId"])?.or(trace.id.take());
        let code = line.get("exitCode").and_then(|code| code.as_number()?.as_i64());
        match code.filter(|_| trace.stop_reason.is_none()) {
            Some(0) => trace.ended = Ended::Well,
            Some(code) => trace.stop_reason = Some(format!("error: exit code {code}")),
            None => {}
        }
        let took = line.within(&["usage"], |mut usage| usage.figure(&["sessionDurationMs"]))?;
        trace.duration_ms = took.flatten();
        Ok(())
    }

    /// A run of several questions waits for its user: it has no duration of its own.
    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        let questions = trace.messages.iter().filter(|message| message.role == Role::User).count();
        let duration_ms = self.began.zip(self.ended).map(|(began, ended)| millis_between(began, ended));
        trace.duration_ms = trace.duration_ms.or(duration_ms).filter(|_| questions <= 1);
        trace
    }
}

/// Whether a message of the user was written by Copilot itself: the text of a skill, or an order to go on.
fn is_hidden(data: &JsonObject) -> bool {
    let source = data.get("source").and_then(JsonNode::as_str);
    source.is_some_and(|source| source != "user")
        || data.get("isAutopilotContinuation").is_some_and(JsonNode::is_true)
}

/// Tokens of a model call.
const TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens"],
    output: &["outputTokens"],
    cached: &["cacheReadTokens"],
    reasoning: &["reasoningTokens"],
    ..TokenKeys::NONE
};
