//! The rollout of a session: the items of the Responses API, and events that mirror them.

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::content::{all_texts, text_of};
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::error::DecodeError;
use crate::reader::formats::codex::TOKENS;
use crate::reader::formats::codex::known_kinds::{EVENTS, LINES};
use crate::reader::formats::codex::mirror::{Mirror, error_in_output};
use crate::reader::formats::codex::output::CodexOutput;
use crate::reader::formats::openai_responses::items::Items;
use crate::reader::json::input::Record;
use crate::trace::{Call, CallStatus, Ended, Role, StatusMark, ToolServer, Trace};

/// A trace while the lines of its rollout are read.
#[derive(Debug, Default)]
struct Rollout {
    items: Items,
    began: Option<u64>,
    /// The outcomes of calls in the events, by the id of the call.
    mirrors: HashMap<String, Mirror>,
    /// The time at which each call was written.
    started: Vec<Option<f64>>,
    /// Whether a task has begun and not ended.
    is_open: bool,
}

pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut rollout = Rollout::default();
    for Record { at, value } in records {
        let evidence = rollout.items.builder.open_record(at, &value);
        let line = JsonObject::of(value, "a line").and_then(|line| rollout.line(line));
        line.map_err(|error| at.in_record(error))?;
        rollout.items.builder.close_record(evidence);
    }
    Ok(rollout.finish())
}

/// Whether a message of the role `user` is context from Codex, not written by the user.
pub(crate) fn is_context(text: &str) -> bool {
    const TOLD: [&str; 6] = [
        "<environment_context>",
        "<user_instructions>",
        "<INSTRUCTIONS>",
        "<turn_aborted>",
        "<subagent_notification>",
        "# AGENTS.md instructions",
    ];
    TOLD.iter().any(|start| text.trim_start().starts_with(start))
}

impl Rollout {
    fn line(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let time = line.take(&["timestamp"]).and_then(|time| nanos(time.as_str()?));
        self.began = self.began.or(time);
        let Some(mut payload) = line.object(&["payload"])? else { return self.bare(line) };
        let kind = line.text(&["type"])?.unwrap_or_default();
        let told = match kind.as_ref() {
            "session_meta" => self.meta(payload),
            "turn_context" => {
                let model = payload.string(&["model"])?;
                let trace = self.items.trace();
                trace.model = model.or(trace.model.take());
                Ok(())
            }
            "response_item" => self.item(payload, time),
            "event_msg" => self.event(payload),
            kind => {
                self.items.builder.pass_over_record(kind, &payload, &LINES);
                Ok(())
            }
        };
        told.map_err(|error| error.at_key("payload"))
    }

    /// Reads a line of the first rollouts: an item, or the head of the file.
    fn bare(&mut self, line: JsonObject) -> Result<(), DecodeError> {
        match (line.get("type"), line.get("instructions")) {
            (Some(_), _) => self.item(line, None),
            (None, Some(_)) => self.meta(line),
            (None, None) => Ok(()),
        }
    }

    /// Reads the metadata. A session that continues another one repeats the metadata of that session, so the first counts.
    fn meta(&mut self, mut meta: JsonObject) -> Result<(), DecodeError> {
        let id = meta.string(&["id", "session_id"])?;
        let agent = meta.string(&["agent_nickname", "agent_role"])?;
        let trace = self.items.trace();
        trace.id = trace.id.take().or(id);
        trace.agent = trace.agent.take().or(agent);
        Ok(())
    }

    fn item(&mut self, mut item: JsonObject, time: Option<u64>) -> Result<(), DecodeError> {
        if item.get("role").and_then(JsonNode::as_str) == Some("user") {
            let told = is_told(&item);
            let text = text_of(item.take(&["content"]));
            let role = if told || is_context(&text) { Role::System } else { Role::User };
            self.items.say(role, &text);
            // A new question makes the answer before it a part of the conversation.
            self.items.trace().answer.take_if(|_| role == Role::User);
            return Ok(());
        }
        join_parts(&mut item);
        self.items.add(JsonNode::Object(item), None)?;
        let started = self.began.zip(time).map(|(began, time)| millis_between(began, time));
        self.started.resize(self.items.trace().calls.len(), started);
        Ok(())
    }

    fn event(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let kind = event.text(&["type"])?.unwrap_or_default();
        match kind.as_ref() {
            "item_completed" => {
                let item = event.object(&["item"])?.unwrap_or_default();
                self.mirror(item, "id").map_err(|error| error.at_key("item"))
            }
            "exec_command_end" | "mcp_tool_call_end" | "patch_apply_end" => self.mirror(event, "call_id"),
            "token_count" => self.tokens(event),
            "task_complete" | "turn_complete" => self.end(event),
            "task_started" | "turn_started" => {
                self.is_open = true;
                self.items.trace().reopen();
                Ok(())
            }
            "turn_aborted" => {
                self.is_open = false;
                let reason = event.string(&["reason"])?.unwrap_or_else(|| "aborted".to_owned());
                let trace = self.items.trace();
                trace.ended = match Ended::from_stop_reason(&reason) {
                    Ended::Unknown => Ended::Cut(reason.clone()),
                    ended => ended,
                };
                trace.stop_reason = Some(reason);
                Ok(())
            }
            "error" => {
                let error = event.string(&["message"])?.unwrap_or_else(|| kind.into_owned());
                self.items.trace().stop_reason = Some(format!("error: {error}"));
                Ok(())
            }
            kind => {
                self.items.builder.pass_over_record(kind, &event, &EVENTS);
                Ok(())
            }
        }
    }

    fn mirror(&mut self, mut item: JsonObject, id: &str) -> Result<(), DecodeError> {
        let Some(id) = item.string(&[id])? else { return Ok(()) };
        if let Some(mirror) = Mirror::of(&mut item)? {
            self.mirrors.insert(id, mirror);
        }
        Ok(())
    }

    /// The session's tokens so far.
    fn tokens(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let total =
            event.within(&["info"], |mut info| TOKENS.read_from(&mut info, &["total_token_usage"]))?;
        let Some(total) = total else { return Ok(()) };
        let trace = self.items.trace();
        trace.usage = total.or(trace.usage);
        Ok(())
    }

    /// The end of a task. The tasks of a session add up.
    fn end(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let took = event.figure(&["duration_ms"])?;
        let trace = self.items.trace();
        self.is_open = false;
        trace.answer = event.string(&["last_agent_message"])?;
        // A task completes after an error as well. It then has no last message.
        if trace.answer.is_some() || trace.stop_reason.is_none() {
            trace.end_well();
        }
        trace.duration_ms =
            took.map(|took| took + trace.duration_ms.unwrap_or_default()).or(trace.duration_ms);
        Ok(())
    }

    fn finish(mut self) -> Trace {
        let started = std::mem::take(&mut self.started);
        for (call, started) in self.items.trace().calls.iter_mut().zip(started) {
            call.started_ms = started;
            let mirror = call.id.as_ref().and_then(|id| self.mirrors.get(id));
            settle(call, mirror);
            settle_server(call);
        }
        let mut trace = self.items.builder.finish();
        // The last message of the user was not answered.
        if trace.messages.last().is_some_and(|message| message.role == Role::User) {
            trace.answer = None;
        }
        if self.is_open && trace.stop_reason.is_none() {
            trace.ended = Ended::Cut(stream_end::CODEX_ROLLOUT.describe_lack());
        }
        trace
    }
}

/// Whether an item marks its content as written by the application.
fn is_told(item: &JsonObject) -> bool {
    let metadata = item.get("internal_chat_message_metadata_passthrough");
    let kinds = metadata.and_then(|metadata| metadata.get("content_item_kinds")).and_then(JsonNode::as_array);
    let is_users =
        |kind: &JsonNode| kind.as_str().is_some_and(|kind| kind.starts_with("user") || kind == "unknown");
    // Content of the user among the kinds makes the message the user's.
    kinds.is_some_and(|kinds| !kinds.is_empty() && !kinds.iter().any(is_users))
}

/// Joins an output in parts. The header is in the first part, and the parts are lines of one text.
fn join_parts(item: &mut JsonObject) {
    if let Some(texts) = item.get("output").and_then(all_texts) {
        let joined = texts.join("\n");
        item.insert("output", JsonNode::String(joined.into()));
    }
}

/// Sets the server of a tool without a namespace, which is built in. Early versions put the server before `__` in the
/// name.
fn settle_server(call: &mut Call) {
    if call.server == ToolServer::NotRecorded && !call.name.contains("__") {
        call.server = ToolServer::BuiltIn;
    }
}

fn settle(call: &mut Call, mirror: Option<&Mirror>) {
    let mut by_code = OutcomeMarks::default();
    if let Some(shown) = call.result.take() {
        let output = CodexOutput::of(shown);
        if let Some(why) = output.unclear {
            by_code.note_unclear(why);
        }
        call.result = Some(output.result);
        call.exit_code = output.exit_code.or(call.exit_code);
        call.duration_ms = output.duration_ms;
    }
    let answered = call.status != CallStatus::Unanswered;
    // The exit code decides first. A mirror, if there is one, replaces the status: Codex itself knows how the call
    // ended.
    by_code.note_exit_code(call.exit_code);
    if let StatusMark::Unclear(why) = &call.status_mark {
        by_code.note_unclear(why.clone());
    }
    if answered && by_code.is_marked() {
        by_code.settle(call, Unmarked::Unrecorded);
    }
    if let Some(mirror) = mirror {
        mirror.tell(call);
    }
    if call.status == CallStatus::Error && call.error.is_none() {
        call.error = error_in_output(call);
    }
}
