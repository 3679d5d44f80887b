//! The messages of Microsoft Agent Framework, and what their contents mean.
//!
//! Python writes `type: function_call` and `call_id`, .NET `$type: functionCall` and `callId`: one spelling is made
//! of the two. Contents that are no text, call, result or usage mean nothing to a trace.

use std::borrow::Cow;

use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::content::content_value;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::UsageTotal;
use crate::reader::error::DecodeError;
use crate::reader::formats::maf::TOKENS;
use crate::trace::{Arguments, Call, Role, Trace};

/// Kinds of contents that contain no call.
const WITHOUT_CALLS: [&str; 11] = [
    "text_reasoning",
    "reasoning",
    "data",
    "uri",
    "image",
    "hosted_file",
    "hosted_vector_store",
    "annotations",
    "mcp_list_tools",
    "user_input_request",
    "user_input_response",
];

/// A trace while the messages of a run are read.
#[derive(Debug, Default)]
pub(crate) struct MafWalk {
    pub(crate) builder: TraceBuilder,
    tally: UsageTotal,
    failure: Option<String>,
    /// What tells a version before 1.0: there are results, but none with `items`.
    python_results: usize,
    results_with_items: usize,
}

impl MafWalk {
    /// The trace. Its usage, unless the response told it, is what the contents told.
    pub(crate) fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        trace.usage = trace.usage.or(self.tally.total());
        trace.stop_reason = trace.stop_reason.or(self.failure);
        trace
    }

    /// Before 1.0, a response's usage was that of its last model call.
    pub(crate) fn is_before_1_0(&self) -> bool {
        self.python_results > 0 && self.results_with_items == 0
    }

    /// Adds a message with its contents.
    pub(crate) fn message(
        &mut self,
        spot: impl Into<RecordSpot>,
        value: JsonNode,
    ) -> Result<(), DecodeError> {
        let evidence = self.builder.open_record(spot, &value);
        let mut message = JsonObject::of(value, "a message")?;
        let role = role_of(&mut message)?;
        let author = message.string(&["author_name", "authorName"])?;
        let speaker = match role.as_ref() {
            "user" => Some(Role::User),
            "system" | "developer" => Some(Role::System),
            "assistant" => Some(Role::Assistant),
            _ => None,
        };
        self.builder.begin(speaker);
        if speaker == Some(Role::Assistant) {
            // What the model says after an error supersedes it.
            self.failure = None;
            // The first author names the run; others may speak after it.
            self.builder.trace.agent = self.builder.trace.agent.take().or(author);
        }
        for (index, value) in message.list(&["contents"])?.into_iter().enumerate() {
            self.builder.enter_part("contents", index);
            self.content(value).map_err(|error| error.at_key(index).at_key("contents"))?;
        }
        self.builder.close_record(evidence);
        Ok(())
    }

    fn content(&mut self, value: JsonNode) -> Result<(), DecodeError> {
        let mut content = JsonObject::of(value, "a content")?;
        let kind = kind_of(&mut content)?;
        match kind.as_ref() {
            "text" => {
                // An explicit empty text is an answer, too.
                if let Some(text) = content.text(&["text"])? {
                    self.builder.note_progress();
                    self.builder.text(&text);
                }
            }
            "function_approval_request" | "function_approval_response" => {
                let call = content.object(&["function_call", "functionCall", "tool_call", "toolCall"])?;
                call.map_or(Ok(()), |call| self.approval(call))?;
            }
            "usage" => {
                self.tally.add(TOKENS.read_from(&mut content, &["usage_details", "details", "usage"])?);
            }
            "error" => self.note_error(content)?,
            "function_call" => self.call(content)?,
            "function_result" => self.result(content)?,
            kind => match (kind.strip_suffix("_tool_call"), kind.strip_suffix("_tool_result")) {
                (Some(tool), _) => self.hosted_call(tool, content)?,
                (None, Some(tool)) => self.hosted_result(tool, content)?,
                (None, None) => self.builder.pass_over(kind, &WITHOUT_CALLS),
            },
        }
        Ok(())
    }

    /// Notes an error, which ended the run unless the response has a reason of its own. .NET writes a refusal as an error.
    fn note_error(&mut self, mut content: JsonObject) -> Result<(), DecodeError> {
        let code = content.text(&["error_code", "errorCode"])?;
        if !code.is_some_and(|code| code.eq_ignore_ascii_case("refusal")) {
            self.failure = content.text(&["message"])?.map(|message| format!("error: {message}"));
        }
        Ok(())
    }

    fn call(&mut self, mut content: JsonObject) -> Result<(), DecodeError> {
        let name = content.required(&["name"])?;
        let arguments = content.arguments("arguments");
        let id = content.string(&["call_id", "callId"])?;
        if !self.is_known(id.as_deref(), &name, &arguments) {
            self.builder.call(Call { id, ..Call::new(name, arguments, 0) });
        }
        Ok(())
    }

    /// A call that awaits approval, or that was approved, is written again under the same id: it is one attempt.
    fn is_known(&mut self, id: Option<&str>, name: &str, arguments: &Arguments) -> bool {
        self.builder.end();
        let open = id.and_then(|id| self.builder.waiting(Some(id), None));
        open.is_some_and(|call| call.name == name && call.arguments == *arguments)
    }

    fn approval(&mut self, mut call: JsonObject) -> Result<(), DecodeError> {
        let id = call.get("call_id").or_else(|| call.get("callId")).and_then(JsonNode::as_str);
        if id.is_some_and(|id| self.builder.knows(id)) {
            return Ok(());
        }
        match kind_of(&mut call)?.strip_suffix("_tool_call") {
            Some(tool) => self.hosted_call(tool, call),
            None => self.call(call),
        }
    }

    fn result(&mut self, mut content: JsonObject) -> Result<(), DecodeError> {
        let has_items = content.take(&["items"]).is_some();
        // Versions before 1.0 are told by their results, which have no `items`: see `is_before_1_0`.
        self.python_results += usize::from(content.get("call_id").is_some());
        self.results_with_items += usize::from(has_items);
        let id = content.required(&["call_id", "callId"])?;
        let mut marks = OutcomeMarks::of(&content);
        let exception = content.take(&["exception"]).map(reason_of);
        let result = content.take(&["result"]);
        let refusal = result.as_ref().and_then(JsonNode::as_str).filter(|text| text.starts_with("Error: "));
        marks.note_failure(refusal.is_some() || (result.is_none() && !has_items));
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Worked);
            return Ok(());
        };
        marks.settle(call, Unmarked::Worked);
        call.error = reason(exception, refusal);
        call.result = result.map(JsonNode::into_json);
        Ok(())
    }

    /// A call that the model's service makes itself: its arguments are all that the content says of it.
    fn hosted_call(&mut self, tool: &str, mut content: JsonObject) -> Result<(), DecodeError> {
        let id = content.string(&["call_id", "callId"])?;
        let name = content
            .string(&["tool_name", "toolName", "name"])?
            .unwrap_or_else(|| hosted_name(tool).to_owned());
        let server = content.string(&["server_name", "serverName"])?.into();
        let arguments = match content.get("arguments") {
            Some(_) => content.arguments("arguments"),
            None => Arguments::Json(rest_of(content)),
        };
        // A hosted call is repeated in later messages of the history.
        if !self.is_known(id.as_deref(), &name, &arguments) {
            self.builder.call(Call { id, server, ..Call::new(name, arguments, 0) });
        }
        Ok(())
    }

    fn hosted_result(&mut self, tool: &str, mut content: JsonObject) -> Result<(), DecodeError> {
        let Some(id) = content.text(&["call_id", "callId"])? else { return Ok(()) };
        let mut marks = OutcomeMarks::of(&content);
        let exception = content.take(&["exception", "error"]).map(reason_of);
        let output = content.take(&["output", "outputs", "result", "results"]);
        // A shell's output lists the results of its commands. The first result belongs to the call.
        let shell = output.as_ref().filter(|_| tool.contains("shell")).and_then(JsonNode::first);
        marks.read_value(shell);
        let Some(call) = self.builder.waiting(Some(&id), None) else {
            self.builder.compare_result(Some(&id), &marks, Unmarked::Worked);
            return Ok(());
        };
        call.exit_code = marks.exit_code();
        let timed_out = shell.and_then(|shell| shell.get("timed_out")).is_some_and(JsonNode::is_true);
        let error = exception.or_else(|| timed_out.then(|| "timed out".to_owned()));
        marks.settle(call, Unmarked::Worked);
        call.error = error;
        call.result = Some(content_value(output.unwrap_or_default(), ""));
        Ok(())
    }
}

/// Picks the reason of a failure. Since 1.19, `exception` is only the name of a type, and the result says more.
fn reason(exception: Option<String>, refusal: Option<&str>) -> Option<String> {
    match (exception, refusal) {
        // A bare type such as `ValueError` says less than the text.
        (Some(exception), Some(refusal))
            if exception.ends_with("Error") && !exception.contains(char::is_whitespace) =>
        {
            Some(refusal.to_owned())
        }
        (exception, refusal) => exception.or_else(|| refusal.map(ToOwned::to_owned)),
    }
}

/// The role: a word, or in early versions an object that wraps it.
pub(crate) fn role_of<'t>(message: &mut JsonObject<'t>) -> Result<Cow<'t, str>, DecodeError> {
    match message.take(&["role"]) {
        Some(JsonNode::String(role)) if role.bytes().all(|letter| letter.is_ascii_lowercase()) => {
            Ok(role.into_cow())
        }
        Some(JsonNode::String(role)) => Ok(Cow::Owned(role.to_lowercase())),
        Some(JsonNode::Object(mut role)) => match role.take(&["value"]) {
            Some(JsonNode::String(role)) => Ok(role.into_cow()),
            _ => Err(DecodeError::new("`value` is missing").at_key("role")),
        },
        _ => Err(DecodeError::new("`role` is missing")),
    }
}

/// A content's type in Python's spelling.
pub(crate) fn kind_of<'t>(content: &mut JsonObject<'t>) -> Result<Cow<'t, str>, DecodeError> {
    let kind = content.text(&["type", "$type"])?.unwrap_or_default();
    // Python's own spelling needs no copy.
    if !kind.bytes().any(|letter| letter.is_ascii_uppercase()) {
        return Ok(kind);
    }
    let mut snake = String::with_capacity(kind.len() + 4);
    for letter in kind.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    Ok(Cow::Owned(snake))
}

/// The tool behind a hosted call that names none.
fn hosted_name(kind: &str) -> &str {
    if kind == "mcp_server" { "mcp" } else { kind }
}

fn rest_of(content: JsonObject) -> Json {
    const NOISE: [&str; 8] = [
        "type",
        "$type",
        "id",
        "additional_properties",
        "additionalProperties",
        "annotations",
        "hosted",
        "status",
    ];
    let rest =
        content.rest().into_iter().filter(|(key, value)| !NOISE.contains(&key.as_ref()) && !value.is_null());
    Json::Object(rest.map(|(key, value)| (key.into_owned(), value_of_part(value))).collect())
}

/// A list of text contents is one text.
/// The value of a part's own key, which may be a list of texts; an empty list is data.
fn value_of_part(value: JsonNode) -> Json {
    if value.as_array().is_some_and(<[_]>::is_empty) { value.into_json() } else { content_value(value, "") }
}

fn reason_of(value: JsonNode) -> String {
    value.into_text_or_json().into_owned()
}
