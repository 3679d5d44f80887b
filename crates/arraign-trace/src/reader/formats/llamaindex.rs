//! `llamaindex`: events of LlamaIndex workflows, results of agents, and messages of memories.
//!
//! The reader accepts the events of a run, one per line or in a list, as `model_dump` or the `JsonSerializer` writes them, an
//! `AgentOutput`, and a list of messages. Events do not need the name of their class. A memory contains only what fits into the model's window:
//! calls may be missing.

use std::borrow::Cow;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::content::all_texts;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{Call, CallsUnrecorded, Ended, Results, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "llamaindex",
    summary: "LlamaIndex: events of workflows, agents' outputs, messages of memories",
    marks: &hash_marks(["blocks/", "tool_kwargs", "current_agent_name", "result/", "__is_pydantic"]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::Never,
};

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    if let Some(record) = input.records.iter().find(|record| !record.value.is_object()) {
        return Err(Reason::of(record.at, "is no object"));
    }
    if input.records.iter().all(|record| is_serialized(&record.value)) {
        return Ok(Certainty::Sure);
    }
    // Messages must all be of this format, as others have similar ones; one telling event is enough.
    if input.records.iter().all(|record| is_message(&record.value))
        || input.records.iter().any(|record| is_telling(&record.value))
    {
        return Ok(Certainty::Sure);
    }
    Err("nothing in it is an event or a message of LlamaIndex".into())
}

/// Whether an event is one that `JsonSerializer` wrote: the class beside the fields.
fn is_serialized(value: &JsonNode) -> bool {
    value.get("__is_pydantic").is_some_and(JsonNode::is_true)
        && value.text_under("qualified_name").is_some_and(|class| {
            ["llama_index.", "workflows."].iter().any(|package| class.starts_with(package))
        })
        && value.get("value").is_some_and(JsonNode::is_object)
}

/// Returns the fields of an event that `JsonSerializer` wrote, and any other event as it is.
fn take_fields(value: JsonNode) -> JsonNode {
    match value {
        JsonNode::Object(mut event) if event.has_key("__is_pydantic") => {
            let class = event.take(&["qualified_name"]);
            let mut fields = event.take(&["value"]).unwrap_or_default();
            // The class names an event of an unknown kind.
            if let (JsonNode::Object(fields), Some(class)) = (&mut fields, class)
                && !fields.has_key("class_name")
            {
                fields.insert("class_name", class);
            }
            fields
        }
        value => value,
    }
}

/// Whether this is a message in blocks.
fn is_message(value: &JsonNode) -> bool {
    let blocks = value.get("blocks").and_then(JsonNode::as_array);
    value.get("role").is_some_and(JsonNode::is_string)
        && blocks.is_some_and(|blocks| blocks.iter().all(|block| block.get("block_type").is_some()))
}

/// Whether an event is one that no other format has.
fn is_telling(event: &JsonNode) -> bool {
    let event =
        event.get("result").filter(|result| result.get("current_agent_name").is_some()).unwrap_or(event);
    let is_call = event.get("tool_kwargs").is_some() && event.get("tool_id").is_some();
    is_call || event.get("current_agent_name").is_some() && find_class(event).is_some()
}

/// The classes of events, as their fields tell them.
#[derive(Debug, Clone, Copy)]
enum WorkflowEvent {
    /// The input of the model: the conversation so far.
    Input,
    /// A piece of a reply that follows whole.
    Stream,
    Output,
    ToolCall,
    ToolResult,
    Stop,
    Failed,
    TimedOut,
}

fn find_class(event: &JsonNode) -> Option<WorkflowEvent> {
    // The order matters: a result has the keys of its call as well, and events of several kinds have a `result`.
    match () {
        () if event.has_key("tool_output") && event.has_key("tool_id") => Some(WorkflowEvent::ToolResult),
        () if event.has_key("tool_kwargs") && event.has_key("tool_id") => Some(WorkflowEvent::ToolCall),
        () if event.has_key("delta") => Some(WorkflowEvent::Stream),
        () if event.get("response").is_some_and(is_message) => Some(WorkflowEvent::Output),
        () if event.get("input").is_some_and(JsonNode::is_array) => Some(WorkflowEvent::Input),
        () if event.has_key("exception") && event.has_key("step_name") => Some(WorkflowEvent::Failed),
        () if event.has_key("timeout") && event.has_key("active_steps") => Some(WorkflowEvent::TimedOut),
        () if event.has_key("result") => Some(WorkflowEvent::Stop),
        () => None,
    }
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.records.iter().all(|record| is_message(&record.value)) {
        return Ok(vec![read_memory(input.records)?]);
    }
    let mut runs: Vec<WorkflowRun> = Vec::new();
    for Record { at, value } in input.records {
        // A run ends with its stop event, so the next event begins another one.
        if runs.last().is_none_or(|run| run.is_over) {
            runs.push(WorkflowRun::begin());
        }
        let Some(run) = runs.last_mut() else { continue };
        let value = take_fields(value);
        let evidence = run.builder.open_record(at, &value);
        run.add_event(value).map_err(|error| at.in_record(error))?;
        run.builder.close_record(evidence);
    }
    Ok(runs.into_iter().map(|run| run.builder.finish()).collect())
}

fn read_memory(records: Vec<Record>) -> Result<Trace, DecodeError> {
    let mut builder = TraceBuilder::default();
    for Record { at, value } in records {
        let evidence = builder.open_record(at, &value);
        let added = JsonObject::of(value, "a message").and_then(|message| add_message(&mut builder, message));
        added.map_err(|error| at.in_record(error))?;
        builder.close_record(evidence);
    }
    let mut trace = builder.finish();
    // A memory may be cut to its last messages, so calls may be missing at its beginning.
    trace.calls_unrecorded.get_or_insert(CallsUnrecorded::ByFormat);
    Ok(trace)
}

/// Events that contain no call: they repeat the question.
const HARMLESS_EVENTS: [&str; 2] = ["StartEvent", "AgentWorkflowStartEvent"];

/// A run while its events are read.
#[derive(Debug, Default)]
struct WorkflowRun {
    builder: TraceBuilder,
    /// Whether the user's question was read: later inputs repeat it.
    is_asked: bool,
    has_output: bool,
    is_over: bool,
}

impl WorkflowRun {
    fn begin() -> Self {
        // The outputs of the model alone have no results.
        let trace = Trace { results: Results::NotRecorded, ..Trace::default() };
        Self { builder: TraceBuilder::of(trace, 0), ..Self::default() }
    }

    fn add_event(&mut self, event: JsonNode) -> Result<(), DecodeError> {
        let class = find_class(&event);
        let mut event = JsonObject::of(event, "an event")?;
        if self.builder.trace.agent.is_none() {
            self.builder.trace.agent = event.string(&["current_agent_name"])?;
        }
        if matches!(class, Some(WorkflowEvent::Input | WorkflowEvent::ToolCall | WorkflowEvent::ToolResult)) {
            self.builder.trace.results = Results::Recorded;
        }
        match class {
            Some(WorkflowEvent::Input) => self.add_input(event)?,
            Some(WorkflowEvent::Output) => self.add_output(event)?,
            Some(WorkflowEvent::ToolCall) => self.add_call(event)?,
            Some(WorkflowEvent::ToolResult) => self.add_result(event)?,
            Some(WorkflowEvent::Stop) => self.end_run(event)?,
            Some(WorkflowEvent::Failed) => self.fail(event),
            Some(WorkflowEvent::TimedOut) => {
                self.is_over = true;
                self.builder.trace.stop_reason = Some("limit: the timeout of the workflow".to_owned());
            }
            Some(WorkflowEvent::Stream) => {}
            None => {
                let kind = event.text(&["event", "type", "class_name"])?.unwrap_or(Cow::Borrowed("event"));
                let class = kind.rsplit('.').next().unwrap_or_default();
                self.builder.pass_over(class, &HARMLESS_EVENTS);
            }
        }
        Ok(())
    }

    fn add_input(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        if std::mem::replace(&mut self.is_asked, true) {
            return Ok(());
        }
        event.each(&["input"], "a message", |message| add_message(&mut self.builder, message))
    }

    /// A reply lists its calls beside its message, which holds them as well. The last reply of a run holds none, and lists
    /// all calls of the run: without their events, each of them is a turn before the reply.
    fn add_output(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        self.has_output = true;
        let message = event.take(&["response"]).unwrap_or_default();
        let is_last = !makes_call(&message);
        let message = JsonObject::of(message, "a message")?;
        if is_last {
            event.each(&["tool_calls"], "a call", |call| {
                self.builder.begin(None);
                self.builder.next_turn();
                self.add_call(call)
            })?;
        }
        add_message(&mut self.builder, message).map_err(|error| error.at_key("response"))?;
        event.each(&["tool_calls"], "a call", |call| self.add_call(call))
    }

    fn add_call(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.string(&["tool_id"])?;
        // A call is announced and executed with the same id.
        if id.as_ref().is_some_and(|id| self.builder.knows(id)) {
            return Ok(());
        }
        let name = event.required(&["tool_name"])?;
        let arguments = event.arguments("tool_kwargs");
        self.builder.call(Call { id, ..Call::new(name, arguments, 0) });
        Ok(())
    }

    fn add_result(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        let id = event.required(&["tool_id"])?.into_owned();
        let output = event.object(&["tool_output"])?.unwrap_or_default();
        self.add_call(event_call(&id, &mut event)?)?;
        settle_call(&mut self.builder, &id, output);
        Ok(())
    }

    fn fail(&mut self, mut event: JsonObject) {
        self.is_over = true;
        let exception = event.take(&["exception"]).unwrap_or_default();
        let said = exception.text_under("exception_message").or(exception.text_under("message"));
        let error =
            said.map_or_else(|| exception.clone().into_text_or_json().into_owned(), ToOwned::to_owned);
        self.builder.trace.stop_reason = Some(format!("error: {error}"));
    }

    /// The end repeats the last reply, and is all that there is of a run whose events were not kept.
    fn end_run(&mut self, mut event: JsonObject) -> Result<(), DecodeError> {
        self.is_over = true;
        self.builder.trace.ended = Ended::Well;
        let result = event.take(&["result"]).unwrap_or_default();
        match JsonObject::of(result, "a result") {
            Ok(result) if result.get("response").is_some_and(is_message) && !self.has_output => {
                self.add_output(result)
            }
            _ => Ok(()),
        }
    }
}

/// Whether a message holds a call, in a block or as the provider wrote it.
fn makes_call(message: &JsonNode) -> bool {
    let blocks = message.get("blocks").and_then(JsonNode::as_array).unwrap_or_default();
    let of_provider = message.pointer("/additional_kwargs/tool_calls").and_then(JsonNode::as_array);
    of_provider.is_some_and(|calls| !calls.is_empty())
        || blocks.iter().any(|block| block.get("block_type").and_then(JsonNode::as_str) == Some("tool_call"))
}

/// The call that an event of its result repeats.
fn event_call<'t>(id: &str, event: &mut JsonObject<'t>) -> Result<JsonObject<'t>, DecodeError> {
    let name = event.required(&["tool_name"])?;
    Ok(JsonObject::from_iter([
        (Cow::Borrowed("tool_id"), JsonNode::String((id.to_owned()).into())),
        (Cow::Borrowed("tool_name"), JsonNode::String(name.into())),
        (Cow::Borrowed("tool_kwargs"), event.take(&["tool_kwargs"]).unwrap_or_default()),
    ]))
}

/// The output of a tool is text in blocks, and the value that the tool returned.
fn settle_call(builder: &mut TraceBuilder, id: &str, mut output: JsonObject) {
    let marks = OutcomeMarks::of(&output);
    let Some(call) = builder.waiting(Some(id), None) else {
        builder.compare_result(Some(id), &marks, Unmarked::Worked);
        return;
    };
    let blocks = output.take(&["blocks"]).unwrap_or_default();
    let text = all_texts(&blocks).map(|texts| texts.concat());
    marks.settle(call, Unmarked::Worked);
    call.error = text.clone().filter(|_| marks.has_failed());
    let raw = output.take(&["raw_output"]).map(JsonNode::into_json);
    call.result = raw.or(text.map(Into::into));
}

fn add_message(builder: &mut TraceBuilder, mut message: JsonObject) -> Result<(), DecodeError> {
    let role = message.required(&["role"])?;
    let mut extra = message.object(&["additional_kwargs"])?.unwrap_or_default();
    let answered = extra.string(&["tool_call_id"])?;
    let role = match role.as_ref() {
        "system" | "developer" => Some(Role::System),
        "user" => Some(Role::User),
        "assistant" | "chatbot" | "model" => Some(Role::Assistant),
        _ => None,
    };
    builder.begin(role);
    // A memory keeps results as messages of a role of their own, which name the call that they answer.
    if let (None, Some(id)) = (role, answered) {
        let marks = OutcomeMarks::of(&extra);
        answer_call(builder, &id, message, &marks);
        return Ok(());
    }
    message.each(&["blocks"], "a block", |block| add_block(builder, block))?;
    builder.end();
    Ok(())
}

/// Messages do not record which tools failed.
fn answer_call(builder: &mut TraceBuilder, id: &str, mut message: JsonObject, marks: &OutcomeMarks) {
    let Some(call) = builder.waiting(Some(id), None) else {
        builder.compare_result(Some(id), marks, Unmarked::Unrecorded);
        return;
    };
    let blocks = message.take(&["blocks"]).unwrap_or_default();
    call.result = all_texts(&blocks).map(|texts| texts.concat().into());
    marks.settle(call, Unmarked::Unrecorded);
}

fn add_block(builder: &mut TraceBuilder, mut block: JsonObject) -> Result<(), DecodeError> {
    const HARMLESS: [&str; 8] =
        ["image", "audio", "video", "document", "thinking", "cache", "cache_point", "citation"];
    let kind = block.required(&["block_type"])?;
    match kind.as_ref() {
        "text" => builder.text(&block.text(&["text"])?.unwrap_or_default()),
        "tool_call" => {
            let id = block.string(&["tool_call_id"])?;
            let name = block.required(&["tool_name"])?;
            let arguments = block.arguments("tool_kwargs");
            builder.call(Call { id, ..Call::new(name, arguments, 0) });
        }
        kind => builder.pass_over(kind, &HARMLESS),
    }
    Ok(())
}
