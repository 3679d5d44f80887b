//! Builds a trace from the items of the Responses API: messages, calls, and their outputs.
//!
//! Files of agents that keep these items (Codex, the Agents SDK) are read in the same way. Successive items are one turn
//! of the model, until a result or a user's message comes between them.

use crate::json::{Json, JsonNode, JsonObject};

use crate::reader::build::content::{content_value, text_of};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked, error_of};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::trace::{Arguments, Call, CallStatus, Ended, Role, ToolServer, Trace};

/// The keys for the id of an item's call. The last one is the id of the item itself.
const CALL_ID: [&str; 3] = ["call_id", "callId", "id"];

/// Kinds of items that contain no call: reasoning, lists of tools, references to other items.
const WITHOUT_CALLS: [&str; 7] = [
    "reasoning",
    "mcp_list_tools",
    "mcp_approval_response",
    "item_reference",
    "compaction",
    "compaction_summary",
    "tool_search_tools",
];

/// Tools that the service runs, or that have no name of their own. The kind of their calls ends with `_call`.
const HOSTED: [&str; 10] = [
    "web_search",
    "file_search",
    "code_interpreter",
    "image_generation",
    "computer",
    "local_shell",
    "shell",
    "apply_patch",
    "tool_search",
    "web_fetch",
];

/// The turn that the next items may continue.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum OpenTurn {
    /// No turn is open: the next item of the model begins one.
    #[default]
    Over,
    /// A turn of the model is open, in this reply if the file is a log.
    Goes(Option<usize>),
}

/// The state while items are read.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub(crate) builder: TraceBuilder,
    turn: OpenTurn,
    /// The last instructions: each request of a log repeats them.
    instructions: Option<String>,
}

impl Items {
    /// Adds an item. `reply` is the number of the reply of a log that contains it.
    pub(crate) fn add(&mut self, value: JsonNode, reply: Option<usize>) -> Result<(), DecodeError> {
        let mut item = JsonObject::of(value, "an item")?;
        self.note_model(&mut item);
        let role = item.text(&["role"])?;
        if let Some(role) = role {
            return self.message(&role, item, reply);
        }
        let kind = item.text(&["type"])?.unwrap_or_default();
        match kind.as_ref() {
            "function_call" => self.function_call(item, reply),
            "custom_tool_call" => self.custom_call(item, reply),
            "mcp_call" => self.mcp_call(item, reply),
            "mcp_approval_request" => self.approval_request(item, reply),
            "program" => self.hosted_call("program", item, reply),
            "program_output" | "tool_search_output" => self.output(item),
            // The name in the Agents SDK for JavaScript.
            "hosted_tool_call" => self.renamed_call(item, reply),
            kind if kind.ends_with("_call_result") => self.output(item),
            kind => match (kind.strip_suffix("_call_output"), kind.strip_suffix("_call")) {
                (Some(_), _) => self.output(item),
                (None, Some(tool)) => {
                    // A new kind of call is reported, since its arguments may be under keys that are not known here.
                    // It is added all the same.
                    if !HOSTED.contains(&tool) {
                        self.builder.pass_over(kind, &[]);
                    }
                    self.hosted_call(tool, item, reply)
                }
                (None, None) => {
                    self.builder.pass_over(kind, &WITHOUT_CALLS);
                    Ok(())
                }
            },
        }
    }

    /// Notes the model, which the Agents SDK records next to an item of another API.
    fn note_model(&mut self, item: &mut JsonObject) {
        let provider = item.take(&["provider_data"]).and_then(|provider| JsonObject::of(provider, "it").ok());
        let model = provider.and_then(|mut provider| provider.string(&["model"]).ok().flatten());
        let trace = self.trace();
        trace.model = trace.model.take().or(model);
    }

    /// The trace so far.
    pub(crate) fn trace(&mut self) -> &mut Trace {
        &mut self.builder.trace
    }

    fn message(&mut self, role: &str, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let text = text_of(item.take(&["content"]));
        match role {
            "assistant" => {
                self.note_break(&item);
                self.begin_turn(reply);
                self.builder.end();
                self.builder.text(&text);
                self.builder.end();
            }
            "user" => self.say(Role::User, &text),
            "system" | "developer" => {
                // Each request repeats the instructions; only a change of them is new.
                if self.instructions.as_deref() != Some(&text) {
                    self.say(Role::System, &text);
                    self.instructions = Some(text.into_owned());
                }
            }
            other => return Err(DecodeError::new(format!("nobody has the role `{other}`")).at_key("role")),
        }
        Ok(())
    }

    /// Notes that a message of the model broke off, or that the message after such a one did not. A response says more.
    fn note_break(&mut self, message: &JsonObject) {
        let incomplete = Ended::Cut("incomplete".to_owned());
        let is_cut = message.text_under("status") == Some("incomplete");
        let trace = self.trace();
        if is_cut && trace.stop_reason.is_none() {
            trace.ended = incomplete;
        } else if trace.ended == incomplete {
            trace.ended = Ended::Unknown;
        }
    }

    /// Adds a message that is not from the model.
    pub(crate) fn say(&mut self, role: Role, text: &str) {
        self.turn = OpenTurn::Over;
        self.builder.say(role, text);
    }

    fn begin_turn(&mut self, reply: Option<usize>) {
        if self.turn != OpenTurn::Goes(reply) {
            self.turn = OpenTurn::Goes(reply);
            self.builder.begin(Some(Role::Assistant));
        }
    }

    fn call(&mut self, call: Call, reply: Option<usize>) {
        self.begin_turn(reply);
        self.builder.call(call);
    }

    fn function_call(&mut self, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let name = item.required(&["name"])?;
        let arguments = item.arguments("arguments");
        let id = item.string(&CALL_ID)?;
        let server = item.text(&["namespace"])?.and_then(|space| server_of(&space)).into();
        self.call(Call { id, server, ..Call::new(name, arguments, 0) }, reply);
        Ok(())
    }

    /// Adds a call of a custom tool. Its input is free text, not broken JSON.
    fn custom_call(&mut self, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let name = item.required(&["name"])?;
        let input = item.take(&["input"]).unwrap_or_default().into_json();
        let id = item.string(&CALL_ID)?;
        let server = item.text(&["namespace"])?.and_then(|space| server_of(&space)).into();
        self.call(Call { id, server, ..Call::new(name, Arguments::Json(input), 0) }, reply);
        Ok(())
    }

    /// Adds a call that waits for an approval. It is an attempt; once approved, it is written again with its result.
    fn approval_request(&mut self, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let call = mcp_attempt(&mut item)?;
        self.call(call, reply);
        Ok(())
    }

    fn mcp_call(&mut self, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let request = item.text(&["approval_request_id"])?;
        // An approved call has two ids: the request's, under which it was added, and its own. Both name one call.
        let made = mcp_settled(item)?;
        if let (Some(_), Some(id)) = (&request, &made.id) {
            self.builder.add_alias(id);
        }
        match request.and_then(|id| self.builder.waiting(Some(&id), None)) {
            Some(call) => {
                (call.status, call.status_mark) = (made.status, made.status_mark);
                (call.result, call.error) = (made.result, made.error);
            }
            None => self.call(made, reply),
        }
        Ok(())
    }

    fn hosted_call(&mut self, tool: &str, item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        self.call(hosted(tool, item)?, reply);
        Ok(())
    }

    /// Restores an item of the service. The SDK renames its type and moves unknown keys into `providerData`.
    fn renamed_call(&mut self, mut item: JsonObject, reply: Option<usize>) -> Result<(), DecodeError> {
        let mut own = item.object(&["providerData"])?.unwrap_or_default();
        // A hosted MCP call calls its result `output`; the other hosted tools call it `result`.
        let output = if own.get("server_label").is_some() { "output" } else { "result" };
        for (from, to) in [("id", "id"), ("status", "status"), ("output", output)] {
            if let Some(value) = item.take(&[from]) {
                own.insert(to, value);
            }
        }
        let kind = item.required(&["name"])?.into_owned();
        if kind != "hosted_tool_call" {
            own.insert("type", JsonNode::String(kind.into()));
            self.add(JsonNode::Object(own), reply)?;
        }
        Ok(())
    }

    fn output(&mut self, mut item: JsonObject) -> Result<(), DecodeError> {
        self.turn = OpenTurn::Over;
        let id = item.text(&CALL_ID)?.ok_or_else(|| DecodeError::new("`call_id` is missing"))?;
        let mut marks = OutcomeMarks::of(&item);
        let found_tools = item.get("tools").is_some();
        let output = untyped(item.take(&["output", "result", "tools"]).unwrap_or_default());
        read_shell_marks(&mut marks, &output);
        let timed_out = timed_out(&output);
        // The history of a trimmed log answers calls that are not in it.
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Unrecorded);
            return Ok(());
        };
        call.error = timed_out.then(|| "it ran out of time".to_owned());
        call.exit_code = marks.exit_code();
        marks.settle(call, Unmarked::Unrecorded);
        // The tools that a search found are data: without any, the result is an empty list and no text.
        call.result = Some(if found_tools { output.into_json() } else { content_value(output, "") });
        Ok(())
    }
}

/// Returns the call in an item of this type, if the service runs its tool, or the tool has no name of its own.
pub(crate) fn provider_call(kind: &str, item: &JsonObject) -> Option<Call> {
    let own = matches!(kind, "function_call" | "custom_tool_call" | "tool_call" | "invalid_tool_call");
    match kind.strip_suffix("_call").filter(|_| !own)? {
        "mcp" => mcp_settled(item.clone()).ok(),
        tool => hosted(tool, item.clone()).ok(),
    }
}

/// Reads a call of a tool that the service runs, or that has no name of its own: `web_search`, `shell`.
fn hosted(tool: &str, mut item: JsonObject) -> Result<Call, DecodeError> {
    let marks = OutcomeMarks::of(&item);
    let id = item.string(&CALL_ID)?;
    let own = item.take(&["action", "operation", "arguments"]);
    let arguments =
        own.map_or_else(|| hosted_arguments(&mut item), |own| Arguments::from_json(own.into_json()));
    let result = item.take(&["results", "outputs", "result", "tools"]).map(JsonNode::into_json);
    let by_client = item.get("execution").and_then(JsonNode::as_str) == Some("client");
    // Tools on the user's side are `completed` when the model has asked for them. Their outcome is an item of its own.
    let answered_elsewhere =
        by_client || matches!(tool, "shell" | "local_shell" | "apply_patch" | "computer" | "program");
    let unmarked = if answered_elsewhere { Unmarked::Unrecorded } else { Unmarked::Worked };
    let mut call = Call { id, result, server: ToolServer::BuiltIn, ..Call::new(tool, arguments, 0) };
    if marks.is_pending() {
        // A reply that was cut has what the tool had returned by then.
        call.status = if call.result.is_some() { CallStatus::Unknown } else { CallStatus::Unanswered };
    } else if !answered_elsewhere && marks.is_marked() || !marks.has_only_success() {
        marks.settle(&mut call, unmarked);
    } else if call.result.is_some() {
        call.status = CallStatus::Unknown;
    }
    Ok(call)
}

/// Reads a call of an MCP tool with its outcome.
fn mcp_settled(mut item: JsonObject) -> Result<Call, DecodeError> {
    let marks = OutcomeMarks::of(&item);
    let attempt = mcp_attempt(&mut item)?;
    let error = error_of(&mut item);
    let result = item.take(&["output"]).map(JsonNode::into_json);
    let mut call = Call { result, error, ..attempt };
    if call.result.is_some() || !marks.has_only_success() {
        marks.settle(&mut call, Unmarked::Worked);
    }
    Ok(call)
}

fn mcp_attempt(item: &mut JsonObject) -> Result<Call, DecodeError> {
    let name = item.required(&["name"])?;
    let arguments = item.arguments("arguments");
    let id = item.string(&["id"])?;
    let server = item.string(&["server_label"])?.into();
    Ok(Call { id, server, ..Call::new(name, arguments, 0) })
}

/// Collects the arguments of a hosted tool from several keys.
fn hosted_arguments(item: &mut JsonObject) -> Arguments {
    let asked = ["queries", "code", "prompt", "input", "arguments"];
    let found = asked.into_iter().filter_map(|name| Some((name.to_owned(), item.take(&[name])?.into_json())));
    Arguments::Json(Json::Object(found.collect()))
}

/// Returns the server in a namespace of tools such as `mcp__shop`.
pub(crate) fn server_of(namespace: &str) -> Option<String> {
    let server = namespace.strip_prefix("mcp__")?;
    Some(server.trim_end_matches("__").to_owned())
}

/// Unwraps a text in an object, as in `{"type": "text", "text": ..}`.
fn untyped(output: JsonNode<'_>) -> JsonNode<'_> {
    let text = output.get("text").filter(|text| text.is_string() && output.is_object());
    text.cloned().unwrap_or(output)
}

/// Whether a shell command was stopped because it took too long.
fn timed_out(output: &JsonNode) -> bool {
    let mut parts = output.as_array().unwrap_or_default().iter();
    parts.any(|part| part.pointer("/outcome/type").and_then(JsonNode::as_str) == Some("timeout"))
}

/// Reads the marks in the output of a shell: each command has its texts, and how it ended.
fn read_shell_marks(marks: &mut OutcomeMarks, output: &JsonNode) {
    let parts = output.as_array().unwrap_or_default().iter();
    for command in parts.filter(|part| part.has_key("stdout") && part.has_key("stderr")) {
        marks.read_value(Some(command));
    }
}
