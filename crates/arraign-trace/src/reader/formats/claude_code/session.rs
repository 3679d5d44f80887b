//! Builds a trace from the lines of one session.
//!
//! A message of the model is written as one line for each of its blocks, all with its id: they are one turn, and its
//! tokens count once. Results come in any order. Lines that a resumed session repeats are read once.

use std::collections::{HashMap, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::{millis_between, nanos};
use crate::reader::build::content::content_value;
use crate::reader::build::stream_end;
use crate::reader::build::tool_name::split_host_name;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::anthropic::BLOCKS;
use crate::reader::formats::claude_code::ending::{self, TOKENS};
use crate::reader::formats::claude_code::nested::Subagents;
use crate::reader::json::input::{At, Record};
use crate::trace::{Call, CallsUnrecorded, Ended, Role, ToolServer, Trace, Usage};

/// Kinds of lines that hold no call of the run, or one that another line has. If such a line mentions a call that is not
/// in the run, the evidence of the line says so.
const LINES: [&str; 35] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "api-request",
    "api-request-blob",
    "api-request-shape",
    "attachment",
    "attribution-snapshot",
    "auth_status",
    "content-replacement",
    "control_cancel_request",
    "control_request",
    "control_response",
    "custom-title",
    "file-history-snapshot",
    "keep_alive",
    "last-prompt",
    "mode",
    "permission-mode",
    "pr-link",
    "progress",
    "prompt_suggestion",
    "queue-operation",
    "rate_limit_event",
    "saved_hook_context",
    "speculation-accept",
    "stream_event",
    "summary",
    "tag",
    "task-summary",
    "tool_progress",
    "tool_use_summary",
    "tools-used",
    "worktree-state",
];

/// The state while the lines of a session are read.
#[derive(Debug, Default)]
pub(crate) struct ClaudeSession {
    builder: TraceBuilder,
    subagents: Subagents,
    /// The ids of the lines so far.
    lines: HashSet<String>,
    began: Option<u64>,
    /// The turn of each message of a model.
    turns: HashMap<String, usize>,
    /// The tokens of each message: the first figures, until the line with the stop reason replaces them.
    usages: HashMap<String, Option<Usage>>,
    /// The turns with a stop reason, and the place of the line that has it.
    stops: HashMap<usize, (At, String)>,
    /// The place of the line that is being read.
    at: At,
    /// The texts of the agent itself since its last call.
    said: Vec<String>,
    stop_reason: Option<String>,
    /// The stop reason of the message in the line that is being read.
    ended: Option<String>,
    /// Whether the session ended in an error. It then has no answer, whatever was said before.
    failed: bool,
    /// Whether the session was printed: only then a line begins it and a line ends it. A transcript has neither.
    is_printed: bool,
    /// Whether the agent has done nothing since the last `result`.
    is_over: bool,
}

/// The place of a block of the model.
#[derive(Debug)]
struct BlockPlace {
    turn: usize,
    /// The path of the subagent that wrote the block; `None` for the agent itself.
    path: Option<Vec<String>>,
    time: Option<u64>,
}

impl ClaudeSession {
    /// Reads the session of which `records` are the lines.
    pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
        let mut session = Self::default();
        session.subagents.is_own = !records.iter().any(|record| is_own_line(&record.value));
        // A run that was printed as its result alone has no lines with calls.
        let has_result_only = records.iter().all(|record| record.value.text_under("type") == Some("result"));
        session.builder.trace.calls_unrecorded = has_result_only.then_some(CallsUnrecorded::ByFormat);
        for Record { at, value } in records {
            let evidence = session.builder.open_record(at, &value);
            session.at = at;
            let line = JsonObject::of(value, "a line").and_then(|line| session.line(line));
            line.map_err(|error| at.in_record(error))?;
            session.builder.close_record(evidence);
        }
        Ok(session.finish())
    }

    fn finish(mut self) -> Trace {
        let mut tally = UsageTotal::default();
        for usage in self.usages.into_values() {
            tally.add(usage);
        }
        self.builder.note_stops(self.stops);
        let told = self.builder.trace.answer.take();
        let said = (!self.said.is_empty()).then(|| self.said.join("\n"));
        let mut trace = self.builder.finish();
        // After a failure, what was said before it is no answer.
        trace.answer = if self.failed { None } else { told.or(said) };
        trace.usage = trace.usage.or(tally.total());
        trace.stop_reason = trace.stop_reason.or(self.stop_reason);
        if self.is_printed && !self.is_over {
            trace.ended = Ended::Cut(stream_end::CLAUDE_CODE.describe_lack());
        }
        trace
    }

    fn line(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let kind = line.text(&["type"])?.unwrap_or_default();
        let uuid = line.get("uuid").and_then(JsonNode::as_str);
        // A resumed session repeats the lines of the one that it resumes, with their ids.
        if uuid.is_some_and(|uuid| !self.lines.insert(uuid.to_owned())) {
            return Ok(());
        }
        match kind.as_ref() {
            "assistant" => self.assistant(line),
            "user" => self.user(line),
            "system" => self.system(line),
            "result" => {
                self.failed = ending::is_failure(&line);
                self.is_over = true;
                ending::add(&mut self.builder.trace, line)
            }
            "cost-state" => self.cost(line),
            kind => {
                self.builder.pass_over_record(kind, &line, &LINES);
                Ok(())
            }
        }
    }

    /// Reads the cost so far. Without the price of a model, the cost is not known.
    fn cost(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let cost = line.figure(&["totalCostUSD"])?;
        if !line.get("hasUnknownModelCost").is_some_and(JsonNode::is_true) {
            self.builder.trace.cost_usd = cost.or(self.builder.trace.cost_usd);
        }
        self.builder.note_progress();
        Ok(())
    }

    fn system(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        if line.text(&["subtype"])?.as_deref() == Some("init") {
            self.is_printed = true;
            self.builder.trace.id = line.string(&["session_id"])?;
            let model = line.string(&["model"])?;
            self.builder.trace.model = self.builder.trace.model.take().or(model);
        }
        Ok(())
    }

    fn assistant(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let time = self.time(&mut line);
        let path = self.subagents.path(&line);
        self.name_run(&mut line)?;
        let Some(mut message) = line.object(&["message"])? else { return Ok(()) };
        // Claude Code writes this model for messages of its own, such as a failure of the API.
        if message.get("model").and_then(JsonNode::as_str) == Some("<synthetic>") {
            self.failure(&line, message);
            return Ok(());
        }
        let id = message.string(&["id"])?.or(line.string(&["uuid"])?).unwrap_or_default();
        if path.is_none() {
            // A session with several prompts goes on after a result.
            self.is_over = false;
            self.builder.trace.reopen();
            self.builder.trace.model = message.string(&["model"])?.or(self.builder.trace.model.take());
        }
        self.usage(&id, &mut message, path.is_none())?;
        // A message is spread over several lines, and lines of subagents come between them. The id joins the lines to
        // one turn.
        let next = self.turns.len() + 1;
        let turn = *self.turns.entry(id).or_insert(next);
        if let Some(reason) = self.ended.take() {
            self.stops.insert(turn, (self.at, reason));
        }
        let place = BlockPlace { turn, path, time };
        for (index, block) in blocks(&mut message).into_iter().enumerate() {
            let block = JsonObject::of(block, "a block").and_then(|block| self.block(block, &place));
            block.map_err(|error| error.at_key(index).at_key("content").at_key("message"))?;
        }
        Ok(())
    }

    /// Reads a message that Claude Code writes in place of the model, such as an error of the service.
    fn failure(&mut self, line: &JsonObject, mut message: JsonObject) {
        // Other messages of this kind, such as an interruption, say nothing about the end.
        if line.get("isApiErrorMessage").is_some_and(JsonNode::is_true) {
            let text = text_of(&blocks(&mut message));
            self.stop_reason = Some(format!("error: {text}"));
            self.said.clear();
        }
    }

    fn block(&mut self, mut block: JsonObject, place: &BlockPlace) -> Result<(), DecodeError> {
        match block.text(&["type"])?.unwrap_or_default().as_ref() {
            "text" if place.path.is_none() => {
                let text = block.text(&["text"])?.unwrap_or_default();
                self.builder.say(Role::Assistant, &text);
                self.said.push(text.into_owned());
            }
            "tool_use" | "server_tool_use" | "mcp_tool_use" => self.call(block, place)?,
            kind if kind.ends_with("tool_result") => {}
            kind => self.builder.pass_over(kind, &BLOCKS),
        }
        Ok(())
    }

    fn call(&mut self, mut block: JsonObject, place: &BlockPlace) -> Result<(), DecodeError> {
        let name = block.required(&["name"])?;
        let started_ms = self.began.zip(place.time).map(|(began, time)| millis_between(began, time));
        let arguments = block.object_arguments("input");
        let id = block.string(&["id"])?;
        let agent_path = place.path.clone().unwrap_or_default();
        let mut call = Call { id, started_ms, agent_path, ..Call::new(name, arguments, place.turn) };
        split_host_name(&mut call, ToolServer::BuiltIn);
        self.subagents.note_call(&call);
        self.builder.call(call);
        // The builder does not know the turn of this call: the id of the message has decided it.
        if let Some(call) = self.builder.trace.calls.last_mut() {
            call.turn = place.turn;
        }
        // Text before a call is not the answer: only what follows the last call is.
        if place.path.is_none() {
            self.said.clear();
        }
        Ok(())
    }

    fn usage(&mut self, id: &str, message: &mut JsonObject, own: bool) -> Result<(), DecodeError> {
        let usage = TOKENS.read_from(message, &["usage"]).map_err(|error| error.at_key("message"))?;
        let reason = message.string(&["stop_reason"])?;
        // Figures without a stop reason are those of a message that was still being written.
        let usage = usage.map(|usage| Usage { partial: usage.partial || reason.is_none(), ..usage });
        self.usages.insert(id.to_owned(), usage);
        self.ended.clone_from(&reason);
        if own {
            self.stop_reason = reason;
        }
        Ok(())
    }

    fn user(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        let time = self.time(&mut line);
        let path = self.subagents.path(&line);
        self.name_run(&mut line)?;
        // A session that goes on after its history was summarized lacks the calls of the history, if it begins there.
        let is_summary = line.get("isCompactSummary").is_some_and(JsonNode::is_true);
        if is_summary && path.is_none() && !self.has_begun() {
            self.builder.note_summary();
        }
        let told = ["isMeta", "isSynthetic", "isCompactSummary", "isVisibleInTranscriptOnly"];
        // Claude Code sends such lines to the model in the name of the user, who has not written them.
        let own = path.is_none() && !told.iter().any(|key| line.get(key).is_some_and(JsonNode::is_true));
        let detail = line.take(&["toolUseResult", "tool_use_result"]).unwrap_or_default();
        let Some(mut message) = line.object(&["message"])? else { return Ok(()) };
        let blocks = blocks(&mut message);
        // A line of results alone is not a prompt of the user.
        if own && blocks.iter().any(|block| block.text_under("type") == Some("text")) {
            let text = text_of(&blocks);
            self.builder.say(Role::User, &text);
            self.said.clear();
            // Claude Code writes this in the name of the user.
            if text.starts_with("[Request interrupted by user") {
                self.stop_reason = Some("interrupted".to_owned());
            }
        }
        for (index, block) in blocks.into_iter().enumerate() {
            let JsonNode::Object(block) = block else { continue };
            let answer = self.answer(block, &detail, time);
            answer.map_err(|error| error.at_key(index).at_key("content").at_key("message"))?;
        }
        Ok(())
    }

    fn answer(
        &mut self,
        mut block: JsonObject,
        detail: &JsonNode,
        time: Option<u64>,
    ) -> Result<(), DecodeError> {
        let Some(id) = block.text(&["tool_use_id"])? else { return Ok(()) };
        if let Some(agent) = detail.get("agentId").and_then(JsonNode::as_str) {
            self.subagents.note_result(&id, agent);
        }
        let began = self.began;
        let marks = OutcomeMarks::of(&block);
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Worked);
            return Ok(());
        };
        let result = content_value(block.take(&["content"]).unwrap_or_default(), "\n");
        marks.settle(call, Unmarked::Worked);
        if let Some(text) = result.as_str().filter(|_| marks.has_failed()) {
            call.error = Some(text.to_owned());
            call.exit_code = exit_code(text);
        }
        let ended = began.zip(time).map(|(began, time)| millis_between(began, time));
        let own =
            // The tool's own measurement is more exact than the times of the lines.
            ["durationMs", "totalDurationMs"].iter().find_map(|key| detail.get(key)?.as_number()?.as_f64());
        let between = ended.zip(call.started_ms).map(|(ended, started)| (ended - started).max(0.0));
        call.duration_ms = own.filter(|own| *own >= 0.0).or(between);
        call.result = Some(result);
        Ok(())
    }

    /// Whether anything was said or called.
    fn has_begun(&self) -> bool {
        self.builder.count_messages() > 0 || !self.builder.trace.calls.is_empty()
    }

    fn time(&mut self, line: &mut JsonObject) -> Option<u64> {
        let time = line.take(&["timestamp"]).and_then(|time| nanos(time.as_str()?))?;
        self.began.get_or_insert(time);
        Some(time)
    }

    /// Notes the id of the session, and the name of the subagent if the transcript is its own.
    fn name_run(&mut self, line: &mut JsonObject) -> Result<(), DecodeError> {
        let id = line.string(&["sessionId", "session_id"])?;
        let trace = &mut self.builder.trace;
        trace.id = trace.id.take().or(id);
        if self.subagents.is_own {
            let agent = line.get("attributionAgent").and_then(JsonNode::as_str);
            trace.agent = agent.map(ToOwned::to_owned).or(trace.agent.take());
        }
        Ok(())
    }
}

/// Whether a line belongs to the agent itself, not to a subagent.
fn is_own_line(line: &JsonNode) -> bool {
    !line.get("isSidechain").is_some_and(JsonNode::is_true) && line.get("message").is_some()
}

/// The blocks of a message; a text is a block.
fn blocks<'t>(message: &mut JsonObject<'t>) -> Vec<JsonNode<'t>> {
    match message.take(&["content"]) {
        Some(JsonNode::Array(blocks)) => blocks,
        Some(text @ JsonNode::String(_)) => {
            vec![JsonNode::object([("type", JsonNode::String("text".into())), ("text", text)])]
        }
        _ => Vec::new(),
    }
}

fn text_of(blocks: &[JsonNode]) -> String {
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    texts.join("\n")
}

/// The exit code in the text of a shell command that failed.
pub(crate) fn exit_code(text: &str) -> Option<i64> {
    let code = text.strip_prefix("Exit code ")?;
    code.lines().next()?.trim().parse().ok()
}
