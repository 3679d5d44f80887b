//! `a2a`: the responses of an agent in the protocol Agent2Agent: tasks, messages and streamed updates of 0.3 and 1.0.
//!
//! The protocol records what agents say to each other, but not their tool calls or cost. The answer is the content of the
//! artifacts and the message of the task's last status. Without both, the answer is the agent's last message.

use std::collections::{HashMap, HashSet};

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::{CallsUnrecorded, Ended, Role, Trace};

pub(crate) const READER: Reader = Reader {
    name: "a2a",
    summary: "Agent2Agent: tasks, messages, streamed updates",
    marks: &hash_marks([
        "method",
        "result/",
        "kind",
        "task/",
        "message/",
        "statusUpdate/",
        "artifactUpdate/",
    ]),
    detect: detect_format,
    read: read_runs,
    // What names no task is of the one before it, a task may get its id late, and any may go on until the end.
    cuts: Splitting::Never,
};

/// The requests that ask an agent something.
const ASKING: [&str; 4] = ["message/send", "message/stream", "SendMessage", "SendStreamingMessage"];

/// What is answered, by the keys of 1.0 and the `kind` of 0.3.
const ANSWERS: [(&str, &str); 4] = [
    ("task", "task"),
    ("message", "message"),
    ("statusUpdate", "status-update"),
    ("artifactUpdate", "artifact-update"),
];

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    let strange = input.records.iter().find(|record| !is_asking(&record.value) && !is_answer(&record.value));
    match strange {
        Some(record) => Err(Reason::of(record.at, "holds no task, message or update of this protocol")),
        None => Ok(Certainty::Sure),
    }
}

/// Whether a record is a request of this protocol: others are JSON-RPC as well.
pub(crate) fn is_asking(value: &JsonNode) -> bool {
    value.get("method").and_then(JsonNode::as_str).is_some_and(|method| ASKING.contains(&method))
}

/// Whether a record is an answer of this protocol, in JSON-RPC or alone.
pub(crate) fn is_answer(value: &JsonNode) -> bool {
    let value = value.get("result").unwrap_or(value);
    let kind = value.text_under("kind");
    let is_old = ANSWERS.iter().any(|(_, name)| kind == Some(name)) && has_answer_fields(value);
    is_old || ANSWERS.iter().any(|(key, _)| value.get(key).is_some_and(has_answer_fields))
}

/// Whether an object has the fields of a message, a task or an update.
fn has_answer_fields(value: &JsonNode) -> bool {
    let is_message = value.get("parts").is_some_and(JsonNode::is_array) && value.has_key("messageId");
    is_message || ["status", "artifact"].iter().any(|key| value.get(key).is_some_and(JsonNode::is_object))
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    let mut runs = TaskRuns::default();
    for Record { at, value } in input.records {
        let added = JsonObject::of(value, "a message").and_then(|record| add(&mut runs, record));
        added.map_err(|error| at.in_record(error))?;
    }
    Ok(runs.list.into_iter().map(TaskRun::into_trace).collect())
}

fn add(runs: &mut TaskRuns, mut record: JsonObject) -> Result<(), DecodeError> {
    if let Some(mut asked) = record.object(&["params"])? {
        let message = asked.object(&["message"]).map_err(|error| error.at_key("params"))?;
        return message.map_or(Ok(()), |message| runs.of(&message, "taskId").message(message));
    }
    let mut answer = record.object(&["result"])?.unwrap_or(record);
    let kind = answer.text(&["kind"])?.unwrap_or_default();
    // Version 1.0 wraps the answer in a key, and 0.3 names it by its `kind`.
    for (key, name) in ANSWERS {
        let found = answer.object(&[key]);
        if let Some(told) = found? {
            return runs.of(&told, id_of(name)).told(name, told);
        }
        if kind == name {
            return runs.of(&answer, id_of(name)).told(name, answer);
        }
    }
    Ok(())
}

fn id_of(name: &str) -> &'static str {
    if name == "task" { "id" } else { "taskId" }
}

/// The tasks of a log.
#[derive(Debug, Default)]
struct TaskRuns {
    list: Vec<TaskRun>,
    places: HashMap<String, usize>,
}

impl TaskRuns {
    /// The run of the task that `told` names under `key`; the last, where it names none.
    fn of(&mut self, told: &JsonObject, key: &str) -> &mut TaskRun {
        let id = told.get(key).and_then(JsonNode::as_str);
        let known = id.and_then(|id| self.places.get(id).copied());
        // What was asked before the task had an id belongs to it.
        let last =
            self.list.len().checked_sub(1).filter(|last| id.is_none() || self.list[*last].id.is_none());
        let place = known.or(last).unwrap_or(self.list.len());
        if place == self.list.len() {
            self.list.push(TaskRun::default());
        }
        if let Some(id) = id {
            self.places.insert(id.to_owned(), place);
            self.list[place].id = Some(id.to_owned());
        }
        &mut self.list[place]
    }
}

/// A task in the making, or messages without one.
#[derive(Debug, Default)]
struct TaskRun {
    id: Option<String>,
    builder: TraceBuilder,
    /// The ids of the messages that were read: some messages are sent again.
    seen: HashSet<String>,
    /// The text of each artifact.
    artifacts: Vec<String>,
    /// The place of each artifact's id.
    places: HashMap<String, usize>,
    /// The text of the last status.
    status: Option<String>,
    /// The agent's last text.
    last: Option<String>,
}

impl TaskRun {
    fn told(&mut self, name: &str, mut told: JsonObject) -> Result<(), DecodeError> {
        match name {
            "message" => self.message(told),
            "task" => self.task(told),
            "status-update" => self.status(&mut told),
            _ => {
                let more = told.get("append").is_some_and(JsonNode::is_true);
                told.object(&["artifact"])?.map_or(Ok(()), |artifact| self.artifact(artifact, more))
            }
        }
    }

    fn task(&mut self, mut task: JsonObject) -> Result<(), DecodeError> {
        for message in task.list(&["history"])? {
            self.message(JsonObject::of(message, "a message")?).map_err(|error| error.at_key("history"))?;
        }
        for artifact in task.list(&["artifacts"])? {
            self.artifact(JsonObject::of(artifact, "an artifact")?, false)
                .map_err(|error| error.at_key("artifacts"))?;
        }
        self.status(&mut task)
    }

    fn status(&mut self, told: &mut JsonObject) -> Result<(), DecodeError> {
        let Some(mut status) = told.object(&["status"])? else { return Ok(()) };
        let state = status.string(&["state"])?;
        let message = status.object(&["message"])?;
        self.status = message.as_ref().map(|message| text_of(message.get("parts")));
        let is_final = told.get("final").is_some_and(JsonNode::is_true);
        let trace = &mut self.builder.trace;
        trace.ended = read_ending(state.as_deref().unwrap_or_default(), self.status.as_deref(), is_final);
        trace.stop_reason = match (&trace.ended, &self.status) {
            (Ended::Failed(_), Some(said)) => Some(format!("error: {said}")),
            _ => state,
        };
        message.map_or(Ok(()), |message| self.message(message))
    }

    fn message(&mut self, mut message: JsonObject) -> Result<(), DecodeError> {
        let role = match message.text(&["role"])?.as_deref() {
            Some("user" | "ROLE_USER") => Role::User,
            _ => Role::Assistant,
        };
        let text = text_of(message.get("parts"));
        // Updates of a task repeat its history; a message without an id cannot be recognised and is new.
        let is_new = message.string(&["messageId"])?.is_none_or(|id| self.seen.insert(id));
        if is_new {
            self.builder.say(role, &text);
        }
        if role == Role::Assistant {
            self.last = Some(text);
        }
        Ok(())
    }

    /// Adds to an artifact, or sets it.
    fn artifact(&mut self, mut artifact: JsonObject, more: bool) -> Result<(), DecodeError> {
        let id = artifact.string(&["artifactId"])?.unwrap_or_default();
        let text = text_of(artifact.get("parts"));
        let place = *self.places.entry(id).or_insert(self.artifacts.len());
        match self.artifacts.get_mut(place) {
            // An update may append to its artifact; a task has it whole.
            Some(known) if more => known.push_str(&text),
            Some(known) => *known = text,
            None => self.artifacts.push(text),
        }
        Ok(())
    }

    fn into_trace(mut self) -> Trace {
        for text in &self.artifacts {
            self.builder.say(Role::Assistant, text);
        }
        let ended: Vec<String> =
            self.artifacts.into_iter().chain(self.status).filter(|text| !text.is_empty()).collect();
        let answer = if ended.is_empty() { self.last } else { Some(ended.join("\n")) };
        self.builder.end();
        Trace { id: self.id, answer, calls_unrecorded: Some(CallsUnrecorded::ByFormat), ..self.builder.trace }
    }
}

/// Reads how a task ended by its last state, in the spelling of 0.3 or 1.0. A task that waits for its user may go on, and
/// so may one that still works, unless its agent sent the last update.
fn read_ending(state: &str, said: Option<&str>, is_final: bool) -> Ended {
    let word = state.strip_prefix("TASK_STATE_").unwrap_or(state).to_ascii_lowercase();
    match word.as_str() {
        "completed" => Ended::Well,
        "failed" | "rejected" => Ended::Failed(said.unwrap_or(state).to_owned()),
        "canceled" => Ended::Cut(state.to_owned()),
        "submitted" | "working" if !is_final => Ended::Cut(state.to_owned()),
        _ => Ended::Unknown,
    }
}

/// Joins the texts of parts. Data is rendered as JSON, files are left out.
fn text_of(parts: Option<&JsonNode>) -> String {
    let parts = parts.and_then(JsonNode::as_array).unwrap_or_default().iter();
    let texts = parts.filter_map(|part| match (part.get("text"), part.get("data")) {
        (Some(text), _) => text.as_str().map(ToOwned::to_owned),
        (None, Some(data)) => Some(data.clone().into_text_or_json().into_owned()),
        (None, None) => None,
    });
    texts.collect()
}
