//! `acp`: logs of the Agent Client Protocol, by which editors drive coding agents.
//!
//! The reader accepts the JSON-RPC messages between an editor and an agent, bare or in a wrapper with time and direction, the
//! output of the agent alone, and lists of the updates alone, with and without `initialize`. Each session is a run. The
//! updates of a call are merged by its id; a `tool_call` that comes after its updates fills in what they lack.
//!
//! The tool is the `name` of a call, else the name that Claude Code's adapter adds. Many agents send neither: the tool is
//! then the `kind`, such as `edit`, and the call counts as one without a name, because any tool may have been called. A call
//! without `rawInput` has the file and the texts of its `diff` as arguments. A permission that was refused is a failed call.
//! The protocol does not say which calls are parallel: a call is of the turn of the calls before it, if none of them had
//! ended. A cost in another currency than US dollars is not read.

use std::collections::HashMap;

use crate::json::{Json, JsonMap, JsonNode, JsonObject};
use crate::reader::build::clock::millis_between;
use crate::reader::build::json_rpc::{RpcWrapper, WRAPPED, each_message, each_wrapped, is_rpc, is_wrapper};
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::build::usage::{TokenKeys, dollars};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Arguments, Call, CallStatus, Ended, Role, StatusMark, Trace};

pub(crate) const READER: Reader = Reader {
    name: "acp",
    summary: "Agent Client Protocol: JSON-RPC logs, raw or wrapped, lists of updates",
    marks: &hash_marks([
        "jsonrpc",
        "sessionUpdate",
        "update/",
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
    // An answer belongs to a request that may be anywhere before it.
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    let strange = input.records.iter().find(|record| {
        !is_rpc(&record.value) && !is_wrapper(&record.value) && find_update(&record.value).is_none()
    });
    if let Some(record) = strange {
        return Err(Reason::of(record.at, "is neither a JSON-RPC message nor an update of a session"));
    }
    if !input.records.iter().any(|record| is_record(&record.value)) {
        return Err("holds no message of the Agent Client Protocol".into());
    }
    Ok(Certainty::Sure)
}

/// Whether a record is of this protocol alone: an update, a message about a session, or the `initialize` of an editor.
pub(crate) fn is_record(value: &JsonNode) -> bool {
    let is_of_protocol = |message: &JsonNode| {
        let version =
            message.pointer("/params/protocolVersion").or(message.pointer("/result/protocolVersion"));
        // The versions of MCP are dates.
        message.text_under("method").is_some_and(|method| method.starts_with("session/"))
            || version.is_some_and(|version| version.as_number().is_some())
    };
    let wrapped = WRAPPED.iter().filter_map(|name| value.get(name));
    find_update(value).is_some()
        || std::iter::once(value)
            .chain(wrapped)
            .any(|value| value.as_array().unwrap_or(std::slice::from_ref(value)).iter().any(is_of_protocol))
}

/// Returns the update that a record is, or holds beside the id of its session.
fn find_update<'v, 't>(record: &'v JsonNode<'t>) -> Option<&'v JsonNode<'t>> {
    [Some(record), record.get("update")].into_iter().flatten().find(|update| update.has_text("sessionUpdate"))
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut log = AcpLog::default();
    for record in input.records {
        let at = record.at;
        log.add_record(at, record.value).map_err(|error| at.in_record(error))?;
    }
    Ok(log.finish())
}

/// Updates that contain no call. What a compaction sums up is in the log.
const HARMLESS_UPDATES: [&str; 10] = [
    "agent_thought_chunk",
    "plan",
    "plan_update",
    "plan_removed",
    "available_commands_update",
    "current_mode_update",
    "session_info_update",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
];

/// Kinds of contents without a text of their own.
const HARMLESS_CONTENTS: [&str; 4] = ["image", "audio", "resource_link", "resource"];

/// Kinds of calls.
const KINDS: [&str; 10] =
    ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"];

/// Methods of an editor and of an agent that make no call.
const HARMLESS_METHODS: [&str; 19] = [
    "authenticate",
    "logout",
    "session/list",
    "session/delete",
    "session/resume",
    "session/fork",
    "session/close",
    "session/set_mode",
    "session/set_model",
    "session/set_config_option",
    "session/cancel",
    "elicitation/create",
    "elicitation/complete",
    "$/cancel_request",
    "fs/read_text_file",
    "terminal/output",
    "terminal/release",
    "terminal/wait_for_exit",
    "terminal/kill",
];

/// Methods by which an agent changes files and runs programs through the editor. They belong to a call.
const EFFECTS: [&str; 2] = ["fs/write_text_file", "terminal/create"];

/// Where writers add the name of the tool to a call: the writer, and a pointer from the call.
const TOOL_NAMES: [(&str, &str); 1] = [("Claude Code's adapter", "/claudeCode/toolName")];

/// A log while it is read.
#[derive(Debug, Default)]
struct AcpLog {
    /// The sessions, in the order in which the log names them.
    sessions: Vec<Session>,
    /// The requests that wait for an answer, by their id: both sides number their own.
    waiting: HashMap<String, Vec<Request>>,
    agent: Option<String>,
    at: At,
}

/// A request that waits for its answer.
#[derive(Debug)]
struct Request {
    from: Option<String>,
    asked: Asked,
}

#[derive(Debug)]
enum Asked {
    Prompt(usize),
    NewSession,
    /// The session is to be loaded: its history comes as updates.
    Load(usize),
    /// May the call at this place of this session go on? The kinds of the options are by id.
    Permission(usize, usize, HashMap<String, String>),
    /// The output or the end of this terminal.
    Terminal(usize, String),
    Other,
}

impl Asked {
    /// Whether the result of an answer is of the form that answers to this request have. Both sides may use one id at the
    /// same time.
    fn fits(&self, result: &JsonNode) -> bool {
        match self {
            Self::Prompt(_) => result.has_key("stopReason"),
            Self::Permission(..) => result.has_key("outcome"),
            _ => !result.has_key("stopReason") && !result.has_key("outcome"),
        }
    }
}

impl AcpLog {
    fn add_record(&mut self, at: At, value: JsonNode) -> Result<(), DecodeError> {
        self.at = at;
        if is_rpc(&value) {
            let wrapper = RpcWrapper::default();
            return each_message(value, &mut |message| self.add_message(message, &wrapper));
        }
        let mut object = JsonObject::of(value, "a record")?;
        let wrapper = RpcWrapper::take_from(&mut object);
        if object.has_key("sessionUpdate") {
            return self.add_update(None, object, &wrapper);
        }
        if object.get("update").is_some_and(|update| update.has_text("sessionUpdate")) {
            return self.add_notification(object, &wrapper);
        }
        each_wrapped(&mut object, wrapper, |message, wrapper| self.add_message(message, wrapper))
    }

    fn add_message(&mut self, mut message: JsonObject, wrapper: &RpcWrapper) -> Result<(), DecodeError> {
        let id = message.take(&["id"]).map(|id| id.into_text_or_json().into_owned());
        let Some(method) = message.text(&["method"])? else {
            return self.add_answer(id.as_deref(), message, wrapper);
        };
        let params = message.object(&["params"])?.unwrap_or_default();
        if method == "session/update" {
            return self.add_notification(params, wrapper).map_err(|error| error.at_key("params"));
        }
        let asked = self.add_request(&method, params, wrapper).map_err(|error| error.at_key("params"))?;
        if let Some(id) = id {
            self.waiting.entry(id).or_default().push(Request { from: wrapper.from.clone(), asked });
        }
        Ok(())
    }

    fn add_request(
        &mut self,
        method: &str,
        mut params: JsonObject,
        wrapper: &RpcWrapper,
    ) -> Result<Asked, DecodeError> {
        match method {
            "initialize" => return Ok(Asked::Other),
            "session/new" => return Ok(Asked::NewSession),
            _ => {}
        }
        let id = params.string(&["sessionId"])?;
        let place = self.find_session(id);
        let session = &mut self.sessions[place];
        session.note_time(wrapper);
        session.builder.enter_record(self.at);
        match method {
            "session/prompt" => {
                session.ask(params.list(&["prompt"])?)?;
                return Ok(Asked::Prompt(place));
            }
            "session/load" => {
                session.is_repeat = session.speaker.is_some();
                return Ok(Asked::Load(place));
            }
            "session/request_permission" => {
                let call = params.object(&["toolCall"])?.unwrap_or_default();
                let found =
                    session.add_call(call, false, wrapper).map_err(|error| error.at_key("toolCall"))?;
                let Some(call) = found else { return Ok(Asked::Other) };
                let mut options = HashMap::new();
                params.each(&["options"], "an option", |mut option| {
                    let kind = option.string(&["kind"])?.unwrap_or_default();
                    options.insert(option.string(&["optionId"])?.unwrap_or_default(), kind);
                    Ok(())
                })?;
                return Ok(Asked::Permission(place, call, options));
            }
            // Without a call that has not ended, the agent does something of which the log has no call.
            method if EFFECTS.contains(&method) && session.open_calls > 0 => session.builder.note_progress(),
            "terminal/output" | "terminal/wait_for_exit" => {
                let terminal = params.string(&["terminalId"])?.unwrap_or_default();
                return Ok(Asked::Terminal(place, terminal));
            }
            method => session.builder.pass_over(method, &HARMLESS_METHODS),
        }
        Ok(Asked::Other)
    }

    fn add_answer(
        &mut self,
        id: Option<&str>,
        mut message: JsonObject,
        wrapper: &RpcWrapper,
    ) -> Result<(), DecodeError> {
        if message.has_key("params") {
            let place = self.find_session(None);
            self.sessions[place].builder.enter_record(self.at);
            self.sessions[place].builder.pass_over("message without a method", &[]);
            return Ok(());
        }
        let error = message.take(&["error"]);
        let result = message.take(&["result"]).unwrap_or_default();
        if let Some(name) = result.pointer("/agentInfo/name").and_then(JsonNode::as_str) {
            self.agent = Some(name.to_owned());
        }
        // The answer belongs to the latest request of its id that the other side sent.
        let requests = id.and_then(|id| self.waiting.get_mut(id));
        let asked = requests.and_then(|requests| {
            let found = requests.iter().rposition(|request| {
                (request.from != wrapper.from || wrapper.from.is_none())
                    && (error.is_some() || request.asked.fits(&result))
            });
            found.map(|place| requests.remove(place).asked)
        });
        // The output of an agent alone has answers without their requests.
        let asked = asked.unwrap_or_else(|| {
            if result.has_key("stopReason") {
                Asked::Prompt(self.find_session(None))
            } else if result.has_text("sessionId") {
                Asked::NewSession
            } else {
                Asked::Other
            }
        });
        match asked {
            Asked::Prompt(place) => {
                let session = &mut self.sessions[place];
                session.builder.enter_record(self.at);
                session.note_time(wrapper);
                session.end_prompt(error.as_ref(), result)?;
            }
            Asked::NewSession => {
                if let Some(id) = result.text_under("sessionId").map(ToOwned::to_owned) {
                    let place = self.find_session(Some(id));
                    self.sessions[place].note_time(wrapper);
                    self.sessions[place].note_model(&result);
                }
            }
            Asked::Load(place) => {
                self.sessions[place].is_repeat = false;
                self.sessions[place].note_model(&result);
            }
            Asked::Permission(place, call, options) => {
                let session = &mut self.sessions[place];
                session.builder.enter_record(self.at);
                session.note_permission(call, &options, result.get("outcome"));
            }
            Asked::Terminal(place, terminal) => self.sessions[place].note_terminal(terminal, &result),
            Asked::Other => {}
        }
        Ok(())
    }

    fn add_notification(&mut self, mut params: JsonObject, wrapper: &RpcWrapper) -> Result<(), DecodeError> {
        let id = params.string(&["sessionId"])?;
        let update = params.object(&["update"])?.unwrap_or_default();
        self.add_update(id, update, wrapper).map_err(|error| error.at_key("update"))
    }

    fn add_update(
        &mut self,
        id: Option<String>,
        update: JsonObject,
        wrapper: &RpcWrapper,
    ) -> Result<(), DecodeError> {
        let place = self.find_session(id);
        let at = self.at;
        let session = &mut self.sessions[place];
        session.note_time(wrapper);
        let evidence = session.builder.open_object(at, &update);
        session.add_update(update, wrapper)?;
        session.builder.close_record(evidence);
        Ok(())
    }

    /// Returns the place of a session. Without an id, the last one is meant; one without an id gets the first that is known.
    fn find_session(&mut self, id: Option<String>) -> usize {
        let known = self.sessions.iter().rposition(|session| {
            id.is_none() || session.builder.trace.id == id || session.builder.trace.id.is_none()
        });
        let place = known.unwrap_or_else(|| {
            self.sessions.push(Session::default());
            self.sessions.len() - 1
        });
        self.sessions[place].at = self.at;
        let trace = &mut self.sessions[place].builder.trace;
        trace.id = trace.id.take().or(id);
        place
    }

    fn finish(mut self) -> Vec<Trace> {
        for request in self.waiting.into_values().flatten() {
            if let Asked::Prompt(place) = request.asked {
                let what = "the log ends without the answer to `session/prompt`";
                self.sessions[place].builder.trace.ended = Ended::Cut(what.to_owned());
            }
        }
        // A log of `initialize` alone is a run in which nothing happened.
        if self.sessions.is_empty() {
            self.sessions.push(Session::default());
        }
        let runs = self.sessions.into_iter().map(Session::finish);
        runs.map(|trace| Trace { agent: self.agent.clone(), ..trace }).collect()
    }
}

/// A run while its session is read.
#[derive(Debug, Default)]
struct Session {
    builder: TraceBuilder,
    /// The record that is being read.
    at: At,
    calls: Vec<CallState>,
    places: HashMap<String, usize>,
    open_calls: usize,
    /// Who spoke last.
    speaker: Option<Role>,
    /// The id of the message of the last text.
    message: Option<String>,
    /// Whether a call of the turn has ended. What the model does next is its next turn.
    has_ended_call: bool,
    /// The text of the last prompt that the agent has not repeated. Some agents repeat it as updates.
    echo: String,
    /// Whether the updates repeat what the log already has of the session.
    is_repeat: bool,
    /// The output and the exit code of each terminal.
    terminals: HashMap<String, (Option<String>, Option<i64>)>,
    /// In nanoseconds since 1970: when the run began, and when something last happened.
    began: Option<u64>,
    last: Option<u64>,
}

/// What the updates say of a call.
#[derive(Debug, Default)]
struct CallState {
    at: At,
    is_created: bool,
    name: Option<String>,
    kind: Option<String>,
    input: Option<Arguments>,
    output: Option<Json>,
    content: Option<CallContent>,
    marks: OutcomeMarks,
    /// Whether the call has ended, and whether one update says that it worked and another that it failed.
    has_ended: bool,
    status: Option<String>,
    is_contradicted: bool,
    /// The answer to the request for a permission, if it was no.
    refusal: Option<String>,
    began: Option<u64>,
}

/// The content of a call.
#[derive(Debug, Default)]
struct CallContent {
    texts: Vec<String>,
    diffs: Vec<Json>,
    terminals: Vec<String>,
    /// Contents that are no text.
    others: Vec<Json>,
}

impl Session {
    fn note_time(&mut self, wrapper: &RpcWrapper) {
        self.began = self.began.or(wrapper.time);
        self.last = wrapper.time.or(self.last);
    }

    /// Reads the model from the options of a session. It is a session that has just begun, or one that was changed.
    fn note_model(&mut self, result: &JsonNode) {
        let options = result.get("configOptions").and_then(JsonNode::as_array).unwrap_or_default();
        let option = options.iter().find(|option| option.text_under("category") == Some("model"));
        let model = option.and_then(|option| option.text_under("currentValue"));
        let model = model.or_else(|| result.pointer("/models/currentModelId")?.as_str());
        let trace = &mut self.builder.trace;
        trace.model = model.map(ToOwned::to_owned).or(trace.model.take());
    }

    fn ask(&mut self, prompt: Vec<JsonNode>) -> Result<(), DecodeError> {
        self.builder.trace.reopen();
        self.begin(Role::User);
        let mut said = String::new();
        for (index, block) in prompt.into_iter().enumerate() {
            let block = JsonObject::of(block, "a content").and_then(|block| self.add_content(block));
            said += &block.map_err(|error| error.at_key(index).at_key("prompt"))?;
        }
        self.builder.end();
        self.echo = said;
        Ok(())
    }

    fn begin(&mut self, role: Role) {
        self.builder.begin(Some(role));
        self.speaker = Some(role);
        self.message = None;
        self.has_ended_call = false;
    }

    /// Adds the content of a message, and returns its text.
    fn add_content(&mut self, mut content: JsonObject) -> Result<String, DecodeError> {
        let kind = content.text(&["type"])?.unwrap_or_default();
        if kind != "text" {
            self.builder.pass_over_part(&kind, &content, &HARMLESS_CONTENTS);
            return Ok(String::new());
        }
        let text = content.string(&["text"])?.unwrap_or_default();
        self.builder.text(&text);
        Ok(text)
    }

    fn add_update(&mut self, mut update: JsonObject, wrapper: &RpcWrapper) -> Result<(), DecodeError> {
        let kind = update.string(&["sessionUpdate"])?.unwrap_or_default();
        if self.is_repeat && kind.ends_with("_chunk") {
            self.builder.note_progress();
            return Ok(());
        }
        match kind.as_str() {
            "user_message_chunk" => self.add_chunk(Role::User, update)?,
            "agent_message_chunk" => self.add_chunk(Role::Assistant, update)?,
            "tool_call" => _ = self.add_call(update, true, wrapper)?,
            "tool_call_update" => _ = self.add_call(update, false, wrapper)?,
            "usage_update" => {
                let cost = update.object(&["cost"])?.unwrap_or_default();
                let amount = cost.get("amount").and_then(dollars);
                // The cost is that of the session so far.
                if cost.text_under("currency") == Some("USD") {
                    self.builder.trace.cost_usd = amount;
                }
                self.builder.note_progress();
            }
            "config_option_update" => {
                self.note_model(&JsonNode::Object(update));
                self.builder.note_progress();
            }
            kind => self.builder.pass_over_record(kind, &update, &HARMLESS_UPDATES),
        }
        Ok(())
    }

    /// Adds a piece of a text. Pieces of one message are joined.
    fn add_chunk(&mut self, role: Role, mut update: JsonObject) -> Result<(), DecodeError> {
        let message = update.string(&["messageId"])?;
        let content = update.object(&["content"])?.unwrap_or_default();
        if role == Role::User
            && let Some(rest) = content.text_under("text").and_then(|text| self.echo.strip_prefix(text))
        {
            self.echo = rest.to_owned();
            self.builder.note_progress();
            return Ok(());
        }
        let is_other = self.message.is_some() && message.is_some() && self.message != message;
        if self.speaker != Some(role) || self.has_ended_call || is_other {
            self.begin(role);
        }
        self.message = message.or(self.message.take());
        self.add_content(content).map(|_| ()).map_err(|error| error.at_key("content"))
    }

    /// Adds what an update says of a call, and returns the call's place. `is_creation` is a `tool_call`.
    fn add_call(
        &mut self,
        mut update: JsonObject,
        is_creation: bool,
        wrapper: &RpcWrapper,
    ) -> Result<Option<usize>, DecodeError> {
        let Some(id) = update.string(&["toolCallId"])? else {
            self.builder.pass_over("tool_call without an id", &[]);
            return Ok(None);
        };
        let known = self.places.get(&id).copied();
        let place = known.unwrap_or_else(|| {
            if self.speaker != Some(Role::Assistant) || self.has_ended_call {
                self.begin(Role::Assistant);
            }
            let started_ms = self.began.zip(wrapper.time).map(|(began, time)| millis_between(began, time));
            let call = Call { id: Some(id.clone()), started_ms, ..Call::new("", Arguments::Unrecorded, 0) };
            self.builder.call(call);
            self.calls.push(CallState { at: self.at, began: wrapper.time, ..CallState::default() });
            self.open_calls += 1;
            self.calls.len() - 1
        });
        self.builder.note_progress();
        let status = update.string(&["status"])?;
        let marks = match &status {
            Some(word) => {
                let mut marks = OutcomeMarks::of(&update);
                marks.note_word("status", word);
                marks
            }
            None => OutcomeMarks::of(&update),
        };
        if known.is_some() && is_creation && self.is_repeated_id(place, &update, &marks) {
            self.builder.note_repeated_id(self.at, &id);
            return Ok(Some(place));
        }
        self.places.insert(id, place);
        let content = match update.take(&["content"]) {
            None => None,
            Some(JsonNode::Array(items)) => Some(self.read_content(items)?),
            Some(_) => {
                self.builder.pass_over("content", &[]);
                None
            }
        };
        let kind = update.string(&["kind"])?;
        if let Some(kind) = kind.as_deref().filter(|kind| !KINDS.contains(kind)) {
            self.builder.pass_over(kind, &[]);
        }
        if let Some(status) = &status
            && marks.unclear().is_some()
        {
            self.builder.pass_over(status, &[]);
        }
        let meta = update.get("_meta");
        let meta_name = TOOL_NAMES.iter().find_map(|(_, pointer)| meta?.pointer(pointer)?.as_str());
        let meta_name = meta_name.map(ToOwned::to_owned);
        let exit = meta.and_then(|meta| meta.pointer("/terminal_exit/exit_code")?.as_number()?.as_i64());
        let state = &mut self.calls[place];
        // A `tool_call` comes before its updates, wherever it is in the log: it replaces nothing that they say.
        let is_late = is_creation && known.is_some() && !state.is_created;
        state.is_created |= is_creation;
        put(&mut state.name, update.string(&["name"])?.or(meta_name), is_late);
        put(&mut state.kind, kind, is_late);
        put(&mut state.content, content, is_late);
        let has_input = update.get("rawInput").is_some_and(|input| !input.is_null());
        put(&mut state.input, has_input.then(|| update.object_arguments("rawInput")), is_late);
        put(&mut state.output, update.take(&["rawOutput"]).map(JsonNode::into_json), is_late);
        state.marks.note_exit_code(exit);
        if marks.is_marked() && !(is_late && state.has_ended) {
            self.end_call(place, marks, status, wrapper);
        }
        Ok(Some(place))
    }

    /// Notes the end of a call, or a further word for it.
    fn end_call(&mut self, place: usize, marks: OutcomeMarks, status: Option<String>, wrapper: &RpcWrapper) {
        let state = &mut self.calls[place];
        if !state.has_ended {
            state.has_ended = true;
            self.open_calls -= 1;
            self.has_ended_call = true;
            let duration = state.began.zip(wrapper.time).map(|(began, time)| millis_between(began, time));
            if let Some(call) = self.builder.call_mut(place + 1) {
                call.duration_ms = duration;
            }
        }
        let is_known = |status: &Option<String>| {
            status.as_deref().is_some_and(|word| ["completed", "failed"].contains(&word))
        };
        if is_known(&state.status) && is_known(&status) && state.status != status {
            state.is_contradicted = true;
        }
        // A known word replaces one that nobody knows.
        if state.marks.unclear().is_some() && is_known(&status) {
            state.marks = marks;
        } else {
            state.marks.absorb(marks);
        }
        state.status = status.or(state.status.take());
    }

    /// Whether a `tool_call` with a known id is another call: the first has ended, and this one has other arguments.
    fn is_repeated_id(&self, place: usize, update: &JsonObject, marks: &OutcomeMarks) -> bool {
        let state = &self.calls[place];
        let input = update.get("rawInput").filter(|input| !input.is_null());
        let differs = input
            .zip(state.input.as_ref().and_then(Arguments::json))
            .is_some_and(|(new, old)| new.clone().into_json() != *old);
        state.is_created && state.has_ended && !marks.is_marked() && differs && !self.is_repeat
    }

    fn read_content(&mut self, items: Vec<JsonNode>) -> Result<CallContent, DecodeError> {
        let mut content = CallContent::default();
        for (index, item) in items.into_iter().enumerate() {
            let added = JsonObject::of(item, "a content").and_then(|item| self.add_item(&mut content, item));
            added.map_err(|error| error.at_key(index).at_key("content"))?;
        }
        Ok(content)
    }

    fn add_item(&mut self, content: &mut CallContent, mut item: JsonObject) -> Result<(), DecodeError> {
        match item.text(&["type"])?.unwrap_or_default().as_ref() {
            "content" => {
                let mut block = item.object(&["content"])?.unwrap_or_default();
                if block.text_under("type") == Some("text") {
                    content.texts.push(block.string(&["text"])?.unwrap_or_default());
                } else {
                    content.others.push(JsonNode::Object(block).into_json());
                }
            }
            "diff" => {
                let texts = ["path", "oldText", "newText"].into_iter().filter_map(|key| {
                    let value = item.take(&[key])?;
                    Some((key, value.into_json()))
                });
                content.diffs.push(Json::Object(texts.collect::<JsonMap>()));
            }
            "terminal" => content.terminals.extend(item.string(&["terminalId"])?),
            kind => self.builder.pass_over(kind, &[]),
        }
        Ok(())
    }

    fn note_terminal(&mut self, terminal: String, result: &JsonNode) {
        let known = self.terminals.entry(terminal).or_default();
        let output = result.text_under("output").map(ToOwned::to_owned);
        known.0 = output.or(known.0.take());
        let code = result.get("exitCode").or(result.pointer("/exitStatus/exitCode"));
        known.1 = code.and_then(|code| code.as_number()?.as_i64()).or(known.1);
    }

    fn note_permission(
        &mut self,
        call: usize,
        options: &HashMap<String, String>,
        outcome: Option<&JsonNode>,
    ) {
        let Some(outcome) = outcome else { return };
        let option = outcome.text_under("optionId");
        let kind = option.and_then(|option| options.get(option)).map(String::as_str);
        match (outcome.text_under("outcome"), kind) {
            (Some("cancelled"), _) | (Some("selected"), Some("allow_once" | "allow_always")) => {}
            (Some("selected"), Some(kind @ ("reject_once" | "reject_always"))) => {
                self.calls[call].refusal = Some(format!("the permission was refused (`{kind}`)"));
            }
            (outcome, kind) => {
                let what = kind.or(outcome).unwrap_or("session/request_permission").to_owned();
                self.builder.pass_over(&what, &[]);
            }
        }
    }

    /// Reads the answer to a prompt: why the turn of the agent ended.
    fn end_prompt(&mut self, error: Option<&JsonNode>, result: JsonNode) -> Result<(), DecodeError> {
        self.builder.end();
        if let Some(error) = error {
            let message = error.text_under("message").unwrap_or("the prompt was refused");
            self.builder.trace.stop_reason = Some(format!("error: {message}"));
            self.builder.trace.ended = Ended::Failed(message.to_owned());
            return Ok(());
        }
        let mut result = JsonObject::of(result, "the answer to a prompt")?;
        let usage = TOKENS.read_from(&mut result, &["usage"])?;
        if usage.is_some() {
            self.builder.tally.add(usage);
        }
        let Some(reason) = result.string(&["stopReason"])? else { return Ok(()) };
        let ended = match reason.as_str() {
            // The model may decline: that is no bad end.
            "end_turn" | "refusal" => Ended::Well,
            "max_tokens" => Ended::Cut(reason.clone()),
            "max_turn_requests" | "cancelled" => Ended::Limit(reason.clone()),
            other => {
                self.builder.pass_over(other, &[]);
                Ended::Unknown
            }
        };
        self.builder.trace.ended = ended;
        self.builder.trace.stop_reason = Some(reason);
        Ok(())
    }

    fn finish(mut self) -> Trace {
        for (place, state) in std::mem::take(&mut self.calls).into_iter().enumerate() {
            if state.name.is_none() {
                self.builder.note_nameless_call(state.at, place + 1);
            }
            let terminals = &self.terminals;
            if let Some(call) = self.builder.call_mut(place + 1) {
                state.settle(call, terminals);
            }
        }
        let mut trace = self.builder.finish();
        trace.duration_ms = self.began.zip(self.last).map(|(began, last)| millis_between(began, last));
        trace
    }
}

/// Replaces a value by a later one. A value that is late fills a gap alone.
fn put<T>(slot: &mut Option<T>, value: Option<T>, is_late: bool) {
    if value.is_some() && !(is_late && slot.is_some()) {
        *slot = value;
    }
}

impl CallState {
    /// Writes what is known at the end of the log into the call.
    fn settle(self, call: &mut Call, terminals: &HashMap<String, (Option<String>, Option<i64>)>) {
        let Self { name, kind, input, output, content, mut marks, refusal, .. } = self;
        call.name = name.or(kind).unwrap_or_else(|| "other".to_owned());
        let CallContent { texts, diffs, terminals: shown, others } = content.unwrap_or_default();
        call.arguments = input.unwrap_or_else(|| describe_edits(diffs));
        let ended = shown.iter().filter_map(|terminal| terminals.get(terminal));
        let printed: Vec<String> = ended.clone().filter_map(|(output, _)| output.clone()).collect();
        ended.for_each(|(_, code)| marks.note_exit_code(*code));
        let said: Vec<String> = texts.into_iter().chain(printed).collect();
        call.result = match (output, said.is_empty(), others.is_empty()) {
            (Some(output), ..) => Some(output),
            (None, true, true) => None,
            (None, _, true) => Some(Json::String(said.join("\n").into())),
            (None, ..) => {
                let said = said.into_iter().map(|text| Json::String(text.into()));
                Some(Json::Array(said.chain(others).collect()))
            }
        };
        if self.has_ended {
            marks.settle(call, Unmarked::Worked);
        }
        call.exit_code = marks.exit_code();
        if self.is_contradicted {
            call.status = CallStatus::Unknown;
            call.status_mark = StatusMark::Unclear("two results differ in whether it failed".to_owned());
        }
        if let Some(refusal) = refusal {
            if call.status == CallStatus::Ok {
                call.status = CallStatus::Unknown;
                call.status_mark = StatusMark::Unclear(format!("{refusal}, and it is `completed`"));
            } else {
                call.status = CallStatus::Error;
                call.status_mark = StatusMark::Recorded;
            }
            call.error = Some(refusal);
        } else if call.status == CallStatus::Error {
            call.error = call.result.as_ref().and_then(Json::as_str).map(ToOwned::to_owned);
        }
    }
}

/// Describes edits as the arguments of the call that made them.
fn describe_edits(mut diffs: Vec<Json>) -> Arguments {
    match diffs.len() {
        0 => Arguments::Unrecorded,
        1 => diffs.pop().map_or(Arguments::Unrecorded, Arguments::Json),
        _ => Arguments::Json(Json::Object(JsonMap::from_iter([("edits", Json::Array(diffs))]))),
    }
}

/// Tokens of a prompt.
const TOKENS: TokenKeys = TokenKeys {
    input: &["inputTokens"],
    more_input: &[&["cachedReadTokens"], &["cachedWriteTokens"]],
    output: &["outputTokens"],
    more_output: &[&["thoughtTokens"]],
    cached: &["cachedReadTokens"],
    reasoning: &["thoughtTokens"],
    may_include_more: true,
    ..TokenKeys::NONE
};
