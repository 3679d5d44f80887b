//! What early versions of `codex exec --json` printed: `{"id": ..., "msg": {"type": ...}}`, one event a line.
//!
//! Before the events stand the settings and the prompt. Each call is a turn of its own, as in later versions.

use std::collections::HashMap;

use crate::json::{Json, JsonMap, JsonNode, JsonObject};
use crate::reader::build::content::content_value;
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::codex::TOKENS;
use crate::reader::formats::codex::known_kinds::EVENTS;
use crate::reader::formats::codex::mirror::{Mirror, error_in_output};
use crate::reader::json::input::Record;
use crate::trace::{Arguments, Call, CallStatus, Role, ToolServer, Trace};

/// Whether a record is such an event.
pub(crate) fn is_event(line: &JsonNode) -> bool {
    line.get("msg").and_then(|msg| msg.get("type")).is_some_and(JsonNode::is_string)
}

/// Whether a record is the configuration or the prompt before the events.
pub(crate) fn is_preamble(line: &JsonNode) -> bool {
    line.has_text("prompt") || (line.has_text("model") && line.has_text("provider"))
}

pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut run = EarlyExecRun::default();
    for Record { at, value } in records {
        let evidence = run.builder.open_record(at, &value);
        let line = JsonObject::of(value, "an event").and_then(|line| run.line(line));
        line.map_err(|error| at.in_record(error))?;
        run.builder.close_record(evidence);
    }
    Ok(run.builder.finish())
}

/// A trace while its events are read.
#[derive(Debug, Default)]
struct EarlyExecRun {
    builder: TraceBuilder,
    /// The place of each call, by its id.
    places: HashMap<String, usize>,
}

impl EarlyExecRun {
    fn line(&mut self, mut line: JsonObject) -> Result<(), DecodeError> {
        if let Some(event) = line.object(&["msg"])? {
            return self.event(event).map_err(|error| error.at_key("msg"));
        }
        if let Some(prompt) = line.text(&["prompt"])? {
            self.builder.trace.push_message(Role::User, prompt);
        }
        let model = line.string(&["model"])?;
        self.builder.trace.model = model.or(self.builder.trace.model.take());
        Ok(())
    }

    fn event(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let kind = event.text(&["type"])?.unwrap_or_default();
        let trace = &mut self.builder.trace;
        match kind.as_ref() {
            "session_configured" => trace.id = event.string(&["session_id"])?,
            "agent_message" => {
                trace.push_message(Role::Assistant, event.text(&["message"])?.unwrap_or_default());
            }
            "exec_command_begin" | "patch_apply_begin" => {
                let name = if kind == "exec_command_begin" { "command_execution" } else { "file_change" };
                let arguments = arguments_of(&event);
                let server = ToolServer::BuiltIn;
                self.begin(event, Call { server, ..Call::new(name, arguments, 0) })?;
            }
            "mcp_tool_call_begin" => {
                let mut asked = event.object(&["invocation"])?.unwrap_or_default();
                let name = asked.required(&["tool"]).map_err(|error| error.at_key("invocation"))?;
                let arguments = asked.arguments("arguments");
                let server = asked.string(&["server"])?.into();
                self.begin(event, Call { server, ..Call::new(name, arguments, 0) })?;
            }
            "exec_command_end" | "patch_apply_end" | "mcp_tool_call_end" => self.end(event)?,
            "token_count" => self.tokens(event)?,
            "error" => trace.stop_reason = event.string(&["message"])?.map(|error| format!("error: {error}")),
            // Only some versions print this event, so nothing is known of the end without it.
            "task_complete" if event.get("last_agent_message").is_some_and(JsonNode::is_string) => {
                trace.end_well();
            }
            // Calls that no other record has.
            "web_search_begin"
            | "view_image_tool_call"
            | "dynamic_tool_call_request"
            | "image_generation_begin" => {
                self.builder.pass_over(&kind, &[]);
            }
            kind => self.builder.pass_over_record(kind, &event, &EVENTS),
        }
        Ok(())
    }

    fn begin(&mut self, mut event: JsonObject, call: Call) -> Result<(), DecodeError> {
        let id = event.string(&["call_id"])?;
        if let Some(id) = &id {
            self.places.insert(id.clone(), self.builder.trace.calls.len());
        }
        self.builder.next_turn();
        self.builder.call(Call { id, ..call });
        Ok(())
    }

    fn end(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.text(&["call_id"])?.unwrap_or_default();
        let Some(place) = self.places.get(id.as_ref()) else { return Ok(()) };
        let call = &mut self.builder.trace.calls[*place];
        if let Some(mirror) = Mirror::of(&mut event)? {
            mirror.tell(call);
        }
        // The outputs have several names, from the most complete to the least.
        let output =
            event.take(&["aggregated_output", "formatted_output", "stdout"]).map(JsonNode::into_json);
        let returned = event.take(&["result"]).and_then(|result| result.pointer("/Ok/content").cloned());
        call.result = returned.map(|content| content_value(content, "")).or(output);
        // A failed command without a message of its own is explained by its output.
        if call.status == CallStatus::Error && call.error.is_none() {
            call.error = error_in_output(call);
        }
        Ok(())
    }

    /// The session's tokens so far; at first they stood in the event itself.
    fn tokens(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let has_info = event.get("info").is_some_and(|info| !info.is_null());
        let usage = if has_info {
            event.within(&["info"], |mut info| TOKENS.read_from(&mut info, &["total_token_usage"]))?.flatten()
        } else {
            TOKENS.read(&event)?
        };
        self.builder.trace.usage = usage.or(self.builder.trace.usage);
        Ok(())
    }
}

fn arguments_of(event: &JsonObject) -> Arguments {
    let asked = ["command", "changes"].into_iter();
    let asked = asked.filter_map(|name| Some((name.to_owned(), event.get(name)?.to_json())));
    Arguments::Json(Json::Object(asked.collect::<JsonMap>()))
}
