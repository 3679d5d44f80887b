//! `mcp`: logs of the Model Context Protocol: JSON-RPC messages between a client and a server.
//!
//! The reader accepts raw messages, one per line, the same messages in a wrapper with time and direction, and the history
//! that the MCP Inspector exports. A log records calls of the server's tools and their results, but not who made the calls
//! or what was said. It does not record which calls were parallel, so each call is a turn.

use std::collections::HashMap;

use crate::json::{Json, JsonNode, JsonObject};
use crate::reader::build::clock::millis_between;
use crate::reader::build::content::content_value;
use crate::reader::build::json_rpc::{RpcWrapper, WRAPPED, each_message, each_wrapped, is_rpc, is_wrapper};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::formats::{a2a, acp};
use crate::reader::json::input::Input;
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, CallStatus, StatusMark, ToolServer, Trace};

pub(crate) const READER: Reader = Reader {
    name: "mcp",
    summary: "MCP: JSON-RPC logs, raw or wrapped, the Inspector's history",
    marks: &hash_marks([
        "jsonrpc",
        "msg/",
        "message/",
        "payload/",
        "data/",
        "request/",
        "response/",
        "body/",
    ]),
    detect: detect_format,
    read: read_runs,
    // A log is one run.
    cuts: Splitting::Never,
};

/// The largest number of requests with one id that wait for their answers.
const WAITING: usize = 32;

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    let strange = input.records.iter().find(|record| !is_rpc(&record.value) && !is_wrapper(&record.value));
    if let Some(record) = strange {
        return Err(Reason::of(record.at, "is no JSON-RPC message, and wraps none"));
    }
    // Editors speak JSON-RPC with agents, and tell of the calls in updates.
    if input.records.iter().any(|record| acp::is_record(&record.value)) {
        return Err("holds messages of the Agent Client Protocol".into());
    }
    // Agents speak JSON-RPC with each other as well, and a lone answer is no log: read as one, it would be a run without
    // calls.
    if input.records.iter().any(|record| a2a::is_asking(&record.value) || a2a::is_answer(&record.value)) {
        return Err("holds messages of A2A".into());
    }
    if !input.records.iter().any(|record| asks(&record.value)) {
        return Err("there is no request in it".into());
    }
    Ok(Certainty::Sure)
}

/// Whether a record holds a request or a notification.
fn asks(value: &JsonNode) -> bool {
    has_method(value) || WRAPPED.iter().any(|name| value.get(name).is_some_and(has_method))
}

/// Whether a message, or one message of a batch, has a method.
fn has_method(value: &JsonNode) -> bool {
    value.has_key("method")
        || value.as_array().is_some_and(|batch| batch.iter().any(|message| message.has_key("method")))
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut log = RpcLog::default();
    for record in input.records {
        let at = record.at;
        log.builder.enter_record(at);
        log.record(record.value).map_err(|error| at.in_record(error))?;
    }
    Ok(vec![log.finish()])
}

/// A trace while its log is read.
#[derive(Debug, Default)]
struct RpcLog {
    builder: TraceBuilder,
    began: Option<u64>,
    /// The requests that wait for an answer, by their id: both sides number their own.
    waiting: HashMap<String, Vec<Request>>,
    /// The calls whose servers asked for more before they work, by what their next request repeats.
    asking: HashMap<String, usize>,
    /// The calls that go on as tasks, by the id of the task.
    tasks: HashMap<String, usize>,
    /// The first two servers that introduced themselves: a second one, and the server of a call is not known.
    servers: Vec<String>,
}

/// A request that waits for its answer.
#[derive(Debug)]
struct Request {
    from: Option<String>,
    /// The place of the call that it makes or asks about.
    call: Option<usize>,
    /// Whether it asks about a task.
    asks_task: bool,
    time: Option<u64>,
}

impl RpcLog {
    fn finish(self) -> Trace {
        let mut trace = self.builder.finish();
        // With one server in the whole log, all calls are its own.
        if let [server] = self.servers.as_slice() {
            for call in &mut trace.calls {
                call.server = std::mem::take(&mut call.server).or(ToolServer::Named(server.clone()));
            }
        }
        trace
    }

    fn record(&mut self, value: JsonNode) -> Result<(), DecodeError> {
        if is_rpc(&value) {
            let wrapper = RpcWrapper::default();
            return each_message(value, &mut |message| self.message(message, &wrapper));
        }
        let mut object = JsonObject::of(value, "a record")?;
        let wrapper = RpcWrapper::take_from(&mut object);
        self.began = self.began.or(wrapper.time);
        each_wrapped(&mut object, wrapper, |message, wrapper| self.message(message, wrapper))
    }

    fn message(&mut self, mut message: JsonObject, wrapper: &RpcWrapper) -> Result<(), DecodeError> {
        let id = message.take(&["id"]).map(|id| id.into_text_or_json().into_owned());
        let method = message.text(&["method"])?;
        match (method, id) {
            (Some(method), Some(id)) => self.request(&method, id, message, wrapper),
            (None, Some(id)) => {
                self.response(&id, message, wrapper);
                Ok(())
            }
            // A notification calls no tool. A call without an id cannot be joined with its result.
            (method, None) => {
                if method.is_some_and(|method| method == "tools/call") {
                    self.builder.pass_over("tools/call", &[]);
                }
                Ok(())
            }
        }
    }

    fn request(
        &mut self,
        method: &str,
        id: String,
        mut message: JsonObject,
        wrapper: &RpcWrapper,
    ) -> Result<(), DecodeError> {
        let mut call = None;
        let asks_task = method == "tasks/get" || method == "tasks/result";
        if method == "tools/call" {
            let params = message.object(&["params"])?.unwrap_or_default();
            // Once the server has what it asked for, the client sends the same call again.
            let state = params.text_under("requestState").map(ToOwned::to_owned);
            let answers = params.get("inputResponses").is_some();
            let attempt = call_of(params, &id).map_err(|error| error.at_key("params"))?;
            let known = state.or_else(|| answers.then(|| describe_call(&attempt)));
            call = known.and_then(|known| self.asking.remove(&known));
            if call.is_none() {
                let started_ms =
                    self.began.zip(wrapper.time).map(|(began, time)| millis_between(began, time));
                call = Some(self.builder.trace.calls.len());
                self.builder.next_turn();
                self.builder.call(Call { started_ms, server: wrapper.server.clone(), ..attempt });
            }
        } else if asks_task {
            let params = message.get("params");
            let task = params.and_then(|params| params.text_under("taskId"));
            call = task.and_then(|task| self.tasks.get(task).copied());
        } else if !is_harmless(method) {
            self.builder.pass_over(method, &[]);
        }
        // A request that is no call is waited for as well, so that its answer is not taken for a call's.
        let request = Request { from: wrapper.from.clone(), call, asks_task, time: wrapper.time };
        // Several clients of one log may use the same id.
        self.waiting.entry(id).or_default().push(request);
        Ok(())
    }

    /// An answer belongs to the latest request of its id that the other side sent.
    fn response(&mut self, id: &str, mut message: JsonObject, wrapper: &RpcWrapper) {
        let result = message.take(&["result"]);
        let info =
            result.as_ref().and_then(|result| result.pointer("/serverInfo/name")).and_then(JsonNode::as_str);
        match info {
            Some(name)
                // With two servers in one log, a call cannot be assigned to either.
                if self.servers.len() < 2 && self.servers.first().is_none_or(|known| known != name) =>
            {
                self.servers.push(name.to_owned());
            }
            _ => {}
        }
        let requests = self.waiting.entry(id.to_owned()).or_default();
        let recent = requests.len().saturating_sub(WAITING);
        // Both sides of a connection may use the same ids: a response does not answer a request of its own sender.
        let Some(at) = requests[recent..]
            .iter()
            .rposition(|request| request.from != wrapper.from || wrapper.from.is_none())
        else {
            return;
        };
        let request = requests.remove(recent + at);
        let Some(place) = request.call else { return };
        let call = &mut self.builder.trace.calls[place];
        let kind = result.as_ref().and_then(|result| result.text_under("resultType"));
        if kind == Some("input_required") {
            let state = result.as_ref().and_then(|result| result.text_under("requestState"));
            let known = state.map_or_else(|| describe_call(call), ToOwned::to_owned);
            self.asking.insert(known, place);
            return;
        }
        if let Some(task) = result.as_ref().and_then(|result| find_task(result, request.asks_task)) {
            if let Some(id) = task.id {
                self.tasks.insert(id, place);
            }
            let result = result.and_then(|mut result| result.as_object_mut()?.take(&["result"]));
            settle_task(call, &task.status, task.message, result);
            return;
        }
        let between = request.time.zip(wrapper.time).filter(|(asked, answered)| asked < answered);
        let between = between.map(|(asked, answered)| millis_between(asked, answered));
        call.duration_ms = wrapper.duration_ms.or(between);
        settle(call, result, message);
    }
}

/// Whether a request of this method calls no tool.
fn is_harmless(method: &str) -> bool {
    const GROUPS: [&str; 11] = [
        "initialize",
        "ping",
        "prompts/",
        "resources/",
        "completion/",
        "logging/",
        "sampling/",
        "elicitation/",
        "roots/",
        "server/",
        "tasks/",
    ];
    method == "tools/list" || GROUPS.iter().any(|group| method.starts_with(group))
}

fn call_of(mut params: JsonObject, id: &str) -> Result<Call, DecodeError> {
    let name = params.required(&["name"])?;
    let arguments = params.object_arguments("arguments");
    // The id that the client's model gave the call, where the client passes it on.
    let own =
        params.get("_meta").and_then(|meta| meta.get("claudecode/toolUseId")).and_then(JsonNode::as_str);
    let id = own.unwrap_or(id).to_owned();
    Ok(Call { id: Some(id), ..Call::new(name, arguments, 0) })
}

/// Describes a call by its tool and its arguments, which a client repeats where the server gave it no state to repeat.
fn describe_call(call: &Call) -> String {
    format!("{} {}", call.name, call.arguments)
}

/// The state of a task.
struct TaskState {
    id: Option<String>,
    status: String,
    message: Option<String>,
}

/// Returns the state of the task that a result tells: in an object of its own, or beside `resultType: task`. The answer to
/// a question about a task is a state without either.
fn find_task(result: &JsonNode, asks_task: bool) -> Option<TaskState> {
    let is_task = asks_task || result.text_under("resultType") == Some("task");
    let state = result.get("task").or_else(|| Some(result).filter(|_| is_task))?;
    let status = state.text_under("status")?.to_owned();
    let id = state.text_under("taskId").map(ToOwned::to_owned);
    let message = state.text_under("statusMessage").map(ToOwned::to_owned);
    Some(TaskState { id, status, message })
}

/// Sets what a call is known to have come to by the state of its task.
fn settle_task(call: &mut Call, status: &str, message: Option<String>, result: Option<JsonNode>) {
    match (status, result) {
        ("completed", Some(result)) => settle(call, Some(result), JsonObject::default()),
        // The result may be asked for apart.
        ("completed", None) => {
            (call.status, call.status_mark) = (CallStatus::Ok, StatusMark::Recorded);
        }
        ("failed" | "cancelled", _) => {
            (call.status, call.status_mark) = (CallStatus::Error, StatusMark::Recorded);
            call.error = Some(message.unwrap_or_else(|| format!("the task was {status}")));
        }
        ("working" | "submitted" | "input_required", _) => {}
        (other, _) => {
            call.status = CallStatus::Unknown;
            call.status_mark = StatusMark::Unclear(format!("the task is `{other}`"));
        }
    }
}

/// A tool may fail in its result, or the protocol in the request's stead.
fn settle(call: &mut Call, result: Option<JsonNode>, mut message: JsonObject) {
    if let Some(error) = message.take(&["error"]) {
        let text = error.get("message").and_then(JsonNode::as_str).map(ToOwned::to_owned);
        call.error = Some(text.unwrap_or_else(|| error.into_text_or_json().into_owned()));
        call.status = CallStatus::Error;
        return;
    }
    let mut marks = OutcomeMarks::of(&message);
    marks.read_value(result.as_ref());
    if result.is_none() {
        marks.note_unclear("it has neither `result` nor `error`".to_owned());
    }
    let shown = shown(result.unwrap_or_default());
    marks.settle(call, Unmarked::Worked);
    call.error = shown.as_str().filter(|_| marks.has_failed()).map(ToOwned::to_owned);
    call.result = Some(shown);
}

/// The content of a result: one text, if all of it is text; its structured form, if that is all there is.
fn shown(result: JsonNode) -> Json {
    let JsonNode::Object(mut object) = result else { return result.into_json() };
    let content = object.take(&["content"]).unwrap_or_default();
    let structured = object.take(&["structuredContent"]).filter(|_| content.first().is_none());
    structured.map_or_else(|| content_value(content, "\n"), JsonNode::into_json)
}
