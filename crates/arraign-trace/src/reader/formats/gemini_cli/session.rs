//! A session file: its messages, each written again when more of it is known, and patches of the whole (`$set`).

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::TokenKeys;
use crate::reader::error::DecodeError;
use crate::reader::formats::gemini::content::{read_exit_code, read_response_marks};
use crate::reader::json::input::{At, Record};
use crate::trace::{Call, Role, ToolServer, Trace};

pub(crate) fn is_session(value: &JsonNode) -> bool {
    value.get("sessionId").is_some() && value.get("projectHash").is_some()
}

pub(crate) fn read(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut session = GeminiCliSession::default();
    for Record { at, value } in records {
        let added = JsonObject::of(value, "a line").and_then(|line| session.add(at, line));
        added.map_err(|error| at.in_record(error))?;
    }
    session.finish()
}

#[derive(Debug, Default)]
struct GeminiCliSession<'t> {
    id: Option<String>,
    /// The messages, and the index of each by its id.
    messages: Vec<(At, JsonObject<'t>)>,
    places: HashMap<String, usize>,
}

impl<'t> GeminiCliSession<'t> {
    fn add(&mut self, at: At, mut line: JsonObject<'t>) -> Result<(), DecodeError> {
        if let Some(patch) = line.object(&["$set"])? {
            return self.patch(at, patch).map_err(|error| error.at_key("$set"));
        }
        if line.get("sessionId").is_some() {
            return self.patch(at, line);
        }
        self.put(at, line);
        Ok(())
    }

    /// The head of the file, or a patch: it may replace all messages.
    fn patch(&mut self, at: At, mut patch: JsonObject<'t>) -> Result<(), DecodeError> {
        self.id = patch.string(&["sessionId"])?.or(self.id.take());
        // A list of messages replaces all that were there before.
        if patch.get("messages").is_some_and(JsonNode::is_array) {
            self.messages.clear();
            self.places.clear();
        }
        for message in patch.list(&["messages"])? {
            self.put(at, JsonObject::of(message, "a message").map_err(|error| error.at_key("messages"))?);
        }
        Ok(())
    }

    fn put(&mut self, at: At, message: JsonObject<'t>) {
        let id = message.get("id").and_then(JsonNode::as_str).map(ToOwned::to_owned);
        let Some(id) = id else { return };
        let place = *self.places.entry(id).or_insert(self.messages.len());
        match self.messages.get_mut(place) {
            // A message is written again when its calls are done.
            Some(known) => *known = (at, message),
            None => self.messages.push((at, message)),
        }
    }

    fn finish(self) -> Result<Trace, DecodeError> {
        let mut run = CliSession::default();
        run.builder.trace.id = self.id;
        for (at, message) in self.messages {
            let evidence = run.builder.open_object(at, &message);
            run.message(message)?;
            run.builder.close_record(evidence);
        }
        Ok(run.builder.finish())
    }
}

#[derive(Debug, Default)]
struct CliSession {
    builder: TraceBuilder,
}

impl CliSession {
    fn message(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let kind = message.text(&["type"])?.unwrap_or_default();
        let text = text_of(message.take(&["content"]));
        match kind.as_ref() {
            // The program describes the machine to the model in the name of the user.
            "user" if text.starts_with("<session_context>") => self.builder.say(Role::System, &text),
            "user" if text.is_empty() => {}
            "user" => self.builder.say(Role::User, &text),
            "gemini" => self.model(message, &text)?,
            "error" => self.builder.trace.stop_reason = Some(format!("error: {text}")),
            "info" if text.starts_with("Request cancelled") => {
                self.builder.trace.stop_reason = Some("cancelled".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn model(&mut self, mut message: JsonObject, text: &str) -> Result<(), DecodeError> {
        // A session goes on after an error.
        self.builder.trace.reopen();
        let model = message.string(&["model"])?;
        // The session may change its model; the last one gave the answer.
        self.builder.trace.model = model.or(self.builder.trace.model.take());
        self.builder.tally.add(TOKENS.read_from(&mut message, &["tokens"])?);
        self.builder.begin(Some(Role::Assistant));
        self.builder.text(text);
        for (index, call) in message.list(&["toolCalls"])?.into_iter().enumerate() {
            let call = JsonObject::of(call, "a call").and_then(|call| self.call(call));
            call.map_err(|error| error.at_key(index).at_key("toolCalls"))?;
        }
        self.builder.end();
        Ok(())
    }

    fn call(&mut self, mut call: JsonObject) -> Result<(), DecodeError> {
        let name = call.required(&["name"])?;
        let id = call.string(&["id"])?;
        let arguments = call.arguments("args");
        let shown = call.text(&["displayName"])?.unwrap_or_default();
        let marks = OutcomeMarks::of(&call);
        let response = call.list(&["result"])?.into_iter().find_map(response_of);
        let mut made = Call { id, ..Call::new(name, arguments, 0) };
        identify_tool(&mut made, &shown);
        settle(&mut made, marks, response);
        self.builder.call(made);
        Ok(())
    }
}

fn settle(call: &mut Call, mut marks: OutcomeMarks, response: Option<JsonObject>) {
    let mut response = response.unwrap_or_default();
    let is_pending = !marks.is_marked();
    read_response_marks(&mut marks, &response);
    let error = response.take(&["error"]).map(|error| error.into_text_or_json().into_owned());
    call.result = response.take(&["output"]).map(|output| match output {
        JsonNode::String(text) => unwrapped(&text).into(),
        other => other.into_json(),
    });
    call.error = error;
    marks.note_exit_code(find_exit_code(call));
    call.exit_code = marks.exit_code();
    // A status that is not final is that of a call whose end was not written.
    if !is_pending {
        marks.settle(call, Unmarked::Worked);
    }
}

/// Finds the exit code in the result of a shell's call.
pub(crate) fn find_exit_code(call: &Call) -> Option<i64> {
    let output = call.result.as_ref().and_then(Json::as_str);
    output.filter(|_| call.name.contains("shell")).and_then(read_exit_code)
}

fn response_of(part: JsonNode<'_>) -> Option<JsonObject<'_>> {
    let mut part = JsonObject::of(part, "a part").ok()?;
    part.object(&["functionResponse"]).ok()??.object(&["response"]).ok()?
}

/// Removes the wrapper that marks a text from outside for the model.
fn unwrapped(text: &str) -> &str {
    let inner = text
        .strip_prefix("<untrusted_context>\n")
        .and_then(|text| text.strip_suffix("\n</untrusted_context>"));
    inner.unwrap_or(text)
}

/// Splits the name of a tool that is shown as `get_order (shop MCP Server)`. A tool that is shown otherwise is the
/// host's own, unless its name says more.
fn identify_tool(call: &mut Call, shown: &str) {
    match shown.strip_suffix(" MCP Server)").and_then(|shown| shown.rsplit_once(" (")) {
        Some((tool, server)) => call.set_tool(tool, ToolServer::Named(server.to_owned())),
        None => split_tool_name(call, ToolServer::BuiltIn),
    }
}

/// Splits a name such as `mcp_shop_get_order`: the host allows no underscore in the name of a server. The server of any
/// other name is `otherwise`.
pub(crate) fn split_tool_name(call: &mut Call, otherwise: ToolServer) {
    let parts = call.name.strip_prefix("mcp_").and_then(|rest| rest.split_once('_'));
    let Some((server, tool)) = parts.filter(|(server, tool)| !server.is_empty() && !tool.is_empty()) else {
        call.server = otherwise;
        return;
    };
    let server = ToolServer::Named(server.to_owned());
    let tool = tool.to_owned();
    call.set_tool(tool, server);
}

fn text_of(content: Option<JsonNode>) -> String {
    match content {
        Some(JsonNode::String(text)) => text.into_string(),
        Some(JsonNode::Array(parts)) => parts.into_iter().filter_map(part_text).collect(),
        _ => String::new(),
    }
}

fn part_text(part: JsonNode<'_>) -> Option<Cow<'_, str>> {
    match part {
        JsonNode::String(text) => Some(text.into_cow()),
        JsonNode::Object(mut part) => part.take(&["text"])?.into_text(),
        _ => None,
    }
}

/// The format counts thoughts beside the output; a trace counts them in it.
const TOKENS: TokenKeys = TokenKeys {
    input: &["input"],
    output: &["output"],
    more_output: &[&["thoughts"]],
    cached: &["cached"],
    reasoning: &["thoughts"],
    ..TokenKeys::NONE
};
