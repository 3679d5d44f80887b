//! What `codex exec --json` prints: events of items, one a line.
//!
//! An item is printed when it starts and when it is done. The events do not say which calls one model turn made: each
//! is a turn of its own.

use std::collections::HashMap;

use crate::json::{Json, JsonMap, JsonNode, JsonObject};
use crate::reader::build::content::all_texts;
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::stream_end;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::codex::TOKENS;
use crate::reader::json::input::Record;
use crate::trace::{Arguments, Call, CallStatus, Ended, Role, ToolServer, Trace};

/// Kinds of items that contain no call.
const WITHOUT_CALLS: [&str; 6] =
    ["agent_message", "user_message", "reasoning", "todo_list", "error", "plan_update"];

/// A trace while its events are read.
#[derive(Debug, Default)]
struct ExecRun {
    builder: TraceBuilder,
    /// The place of each call, by its item's id.
    places: HashMap<String, usize>,
    /// The last message, with which the turn should end unless a call follows.
    last_message: Option<String>,
    /// Whether nothing but reasoning has come since the last message.
    is_behind_message: bool,
}

/// The runs of a file: each begins with its thread.
pub(crate) fn read(records: Vec<Record>) -> Result<Vec<Trace>, DecodeError> {
    let mut runs: Vec<ExecRun> = Vec::new();
    for Record { at, value } in records {
        let evidence = CallEvidence::gather(at, &value);
        let mut event = JsonObject::of(value, "an event").map_err(|error| at.in_record(error))?;
        let kind = event.text(&["type"]).map_err(|error| at.in_record(error))?.unwrap_or_default();
        // A file that lacks its first event has a run nevertheless.
        if runs.is_empty() || kind == "thread.started" {
            runs.push(ExecRun::default());
        }
        if let Some(run) = runs.last_mut() {
            run.builder.enter_record(at);
            run.event(&kind, event).map_err(|error| at.in_record(error))?;
            run.builder.close_record(evidence);
        }
    }
    Ok(runs.into_iter().map(ExecRun::finish).collect())
}

impl ExecRun {
    fn event(&mut self, kind: &str, mut event: JsonObject) -> Result<(), DecodeError> {
        let trace = &mut self.builder.trace;
        match kind {
            "thread.started" => trace.id = event.string(&["thread_id"])?,
            "turn.started" => {
                trace.reopen();
                self.is_behind_message = false;
            }
            // The thread's tokens so far.
            "turn.completed" => {
                trace.usage = TOKENS.read_from(&mut event, &["usage"])?.or(trace.usage);
                trace.end_well();
            }
            "turn.failed" => {
                let error = error_of(&mut event).unwrap_or_else(|| kind.to_owned());
                trace.stop_reason = Some(format!("error: {error}"));
            }
            "error" => trace.stop_reason = event.string(&["message"])?.map(|error| format!("error: {error}")),
            _ => {
                let Some(item) = event.object(&["item"])? else {
                    self.builder.pass_over_record(kind, &event, &[]);
                    return Ok(());
                };
                let done = kind == "item.completed";
                self.item(item, done).map_err(|error| error.at_key("item"))?;
            }
        }
        Ok(())
    }

    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        // Messages before it belong to work that is not in the file.
        if trace.answer.is_some() {
            trace.answer = self.last_message.or(trace.answer);
        }
        if trace.stop_reason.is_none() && trace.ended.is_unknown() {
            trace.ended = Ended::Cut(stream_end::CODEX_EXEC.describe_lack());
        }
        trace
    }

    fn item(&mut self, mut item: JsonObject, done: bool) -> Result<(), DecodeError> {
        let kind = item.text(&["type"])?.unwrap_or_default();
        if !["agent_message", "reasoning"].contains(&kind.as_ref()) {
            self.is_behind_message = false;
        }
        match kind.as_ref() {
            "agent_message" if done => {
                // A model goes on behind a message because it called something. What Codex rejects is not printed.
                if std::mem::replace(&mut self.is_behind_message, true) {
                    self.builder.note_gap();
                }
                // Not a turn: the calls that follow may be of the same one.
                let text = item.string(&["text"])?.unwrap_or_default();
                self.builder.trace.push_message(Role::Assistant, text.as_str());
                self.last_message = Some(text);
            }
            "command_execution" | "file_change" | "web_search" => {
                let arguments = arguments_of(&item);
                self.call(&mut item, kind.into_owned(), ToolServer::BuiltIn, arguments)?;
            }
            "mcp_tool_call" | "collab_tool_call" => {
                let name = item.required(&["tool"])?.into_owned();
                let arguments = item.arguments("arguments");
                let server = item.string(&["server"])?.into();
                self.call(&mut item, name, server, arguments)?;
            }
            kind => self.builder.pass_over(kind, &WITHOUT_CALLS),
        }
        Ok(())
    }

    /// Adds a call, or updates the call with the id of this item.
    fn call(
        &mut self,
        item: &mut JsonObject,
        name: String,
        server: ToolServer,
        arguments: Arguments,
    ) -> Result<(), DecodeError> {
        let id = item.string(&["id"])?;
        let next = self.builder.trace.calls.len();
        let place = id.as_ref().map_or(next, |id| *self.places.entry(id.clone()).or_insert(next));
        // The item was updated since it began: only the first event adds a call.
        if place == next {
            self.builder.next_turn();
            self.builder.call(Call { id, server, ..Call::new(name, arguments, 0) });
        }
        settle(&mut self.builder.trace.calls[place], item);
        Ok(())
    }
}

/// Collects the arguments in an item.
fn arguments_of(item: &JsonObject) -> Arguments {
    const ASKED: [&str; 4] = ["command", "changes", "query", "action"];
    let asked = ASKED.into_iter().filter_map(|name| Some((name.to_owned(), item.get(name)?.to_json())));
    Arguments::Json(Json::Object(asked.collect::<JsonMap>()))
}

fn settle(call: &mut Call, item: &mut JsonObject) {
    let marks = OutcomeMarks::of(item);
    // A call that is still in progress is answered by a later event of the same item.
    if marks.is_pending() {
        call.status = CallStatus::Unanswered;
        return;
    }
    marks.settle(call, Unmarked::Worked);
    call.exit_code = marks.exit_code();
    let error = error_of(item);
    call.result = item.take(&["aggregated_output", "result"]).map(returned_value);
    if call.status == CallStatus::Error {
        let said = call.result.as_ref().and_then(Json::as_str).filter(|text| !text.is_empty());
        call.error = error.or_else(|| said.map(|text| text.trim_end().to_owned()));
    }
}

/// The text of a result that is all text.
fn returned_value(result: JsonNode) -> Json {
    match result.get("content").and_then(all_texts) {
        Some(texts) => Json::String(texts.concat().into()),
        None => result.into_json(),
    }
}
