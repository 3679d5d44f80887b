//! Builds a conversation from messages, whole or in chunks. A message that is repeated under its id is read once.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};

use crate::json::render_plain;
use crate::json::{JsonNode, JsonObject};
use crate::reader::build::evidence::CallEvidence;
use crate::reader::build::spot::RecordSpot;
use crate::reader::build::tool_result::{OutcomeMarks, Unmarked};
use crate::reader::build::trace_builder::TraceBuilder;
use crate::reader::formats::langchain::content;
use crate::reader::formats::langchain::message::{self, MadeCall, MessageKind};
use crate::trace::{Arguments, Call, Ended, Role, Trace, Usage};

/// The answers that an agent gives in place of its model when it reaches a limit: `create_react_agent` of
/// langgraph-prebuilt 1.1.3, `AgentExecutor` of langchain-classic 1.0.8.
const LIMIT_ANSWERS: [&str; 2] = [
    "Sorry, need more steps to process this request.",
    "Agent stopped due to iteration limit or time limit.",
];

/// A conversation while it is read.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    pub(crate) builder: TraceBuilder,
    /// The place of the record or the message that is being read.
    pub(crate) spot: RecordSpot,
    seen: HashSet<String>,
    /// The messages that are being streamed, and the index of each by its id.
    streams: Vec<StreamedMessage>,
    places: HashMap<String, usize>,
}

/// A message that is streamed in pieces.
#[derive(Debug, Default)]
struct StreamedMessage {
    text: String,
    /// The calls so far; `open` maps each number of the stream to the call that it continues.
    calls: Vec<PartCall>,
    open: HashMap<Option<u64>, usize>,
    usage: Option<Usage>,
    about: MessageMetadata,
    path: Vec<String>,
}

/// A call that comes in pieces, with the text of its arguments so far.
#[derive(Debug)]
struct PartCall {
    id: Option<String>,
    name: String,
    text: String,
}

/// The metadata of a run in a message of the model.
#[derive(Debug, Default)]
struct MessageMetadata {
    agent: Option<String>,
    model: Option<String>,
    stop_reason: Option<String>,
}

impl MessageMetadata {
    fn of(fields: &mut JsonObject) -> (Self, Option<Usage>) {
        let mut metadata = fields.object(&["response_metadata"]).ok().flatten().unwrap_or_default();
        let usage = message::raw_usage(&mut metadata);
        let model = metadata.take_text(&["model_name", "model"]).map(Cow::into_owned);
        let names = ["finish_reason", "stop_reason", "stopReason", "finishReason", "done_reason"];
        let stop_reason = metadata.take_text(&names).map(Cow::into_owned);
        // The Responses API has a status in place of a reason.
        let incomplete = metadata.get("incomplete_details").and_then(|details| details.text_under("reason"));
        let incomplete = incomplete.map(ToOwned::to_owned);
        let status = metadata.take_text(&["status"]).map(Cow::into_owned);
        let stop_reason = stop_reason.or(incomplete).or(status);
        let agent = fields.take(&["name"]).and_then(JsonNode::into_text).map(Cow::into_owned);
        (Self { agent, model, stop_reason }, usage)
    }

    fn or(self, other: Self) -> Self {
        Self {
            agent: self.agent.or(other.agent),
            model: self.model.or(other.model),
            stop_reason: self.stop_reason.or(other.stop_reason),
        }
    }
}

fn id_of<'v>(fields: &'v JsonObject) -> Option<&'v str> {
    fields.get("id").and_then(JsonNode::as_str)
}

impl Talk {
    /// Whether any message was read.
    pub(crate) fn has_begun(&self) -> bool {
        !(self.builder.trace.messages.is_empty()
            && self.builder.trace.calls.is_empty()
            && self.streams.is_empty())
    }

    /// Whether this message was read before.
    pub(crate) fn knows(&self, fields: &JsonObject) -> bool {
        id_of(fields).is_some_and(|id| self.seen.contains(id))
    }

    /// Adds a message from or to the agent at this path.
    pub(crate) fn add(&mut self, fields: JsonObject, path: &[String]) {
        let evidence = CallEvidence::gather_object(self.spot, &fields);
        self.builder.enter_record(evidence.spot);
        self.add_fields(fields, path);
        self.builder.close_record(evidence);
    }

    fn add_fields(&mut self, mut fields: JsonObject, path: &[String]) {
        let Some(kind) = message::kind(&fields) else { return };
        if kind == MessageKind::Model && message::is_chunk(&fields) {
            self.add_chunk(fields, path);
            return;
        }
        // A whole message ends all streams: the chunks before it are complete, and its own text may repeat theirs.
        self.end_streams();
        if kind != MessageKind::Tool && id_of(&fields).is_some_and(|id| !self.seen.insert(id.to_owned())) {
            return;
        }
        match kind {
            MessageKind::Human => self.hear(Role::User, fields, path),
            MessageKind::System => self.hear(Role::System, fields, path),
            MessageKind::Model => self.model(fields, path),
            MessageKind::Tool => self.answer(&mut fields),
        }
    }

    fn hear(&mut self, role: Role, mut fields: JsonObject, path: &[String]) {
        if path.is_empty() {
            self.builder.say(role, &message::text_of(fields.take(&["content"])));
        }
    }

    fn model(&mut self, mut fields: JsonObject, path: &[String]) {
        let usage = message::usage(&mut fields);
        let (about, raw) = MessageMetadata::of(&mut fields);
        self.begin(usage.or(raw), about, path);
        for block in message::kept_apart(&fields) {
            content::add(&mut self.builder, Some(JsonNode::Array(vec![block])), path);
        }
        // A refusal stands in for a text that is empty.
        let said = fields.take(&["content"]).filter(|content| !message::is_empty(content));
        content::add(&mut self.builder, said.or_else(|| message::refusal(&fields)), path);
        let stop_reason = self.builder.trace.stop_reason.clone();
        self.calls(message::calls(&mut fields), path);
        if path.is_empty() {
            self.builder.end_turn(stop_reason.as_deref(), None);
        }
    }

    /// Begins a reply of a model.
    fn begin(&mut self, usage: Option<Usage>, about: MessageMetadata, path: &[String]) {
        self.builder.tally.add(usage);
        if path.is_empty() {
            self.builder.begin(Some(Role::Assistant));
            let trace = &mut self.builder.trace;
            trace.agent = trace.agent.take().or(about.agent);
            trace.model = trace.model.take().or(about.model);
            trace.stop_reason = about.stop_reason;
        } else {
            self.builder.begin_nested();
        }
    }

    /// Ends a reply of a model with its calls.
    fn calls(&mut self, calls: Vec<MadeCall>, path: &[String]) {
        for MadeCall { id, name, arguments } in calls {
            self.builder.call(Call { id, agent_path: path.to_vec(), ..Call::new(name, arguments, 0) });
        }
        self.builder.end();
    }

    /// Adds a tool's message to the call that it answers.
    fn answer(&mut self, fields: &mut JsonObject) {
        let mut marks = OutcomeMarks::of(fields);
        marks.read_value(fields.get("additional_kwargs"));
        let [id, name] = ["tool_call_id", "name"].map(|name| fields.take_text(&[name]));
        let Some(call) = self.builder.waiting(id.as_deref(), name.as_deref()) else {
            self.builder.compare_result(id.as_deref(), &marks, Unmarked::Unrecorded);
            return;
        };
        let result = message::result_of(fields.take(&["content"]));
        // Early messages have no status, and a failed tool looks like one that worked.
        marks.settle(call, Unmarked::Unrecorded);
        if marks.has_failed() {
            call.error = Some(render_plain(&result));
        }
        call.result = Some(result);
    }

    fn add_chunk(&mut self, mut fields: JsonObject, path: &[String]) {
        let id = id_of(&fields).unwrap_or_default().to_owned();
        // The whole message was read already: its late chunks repeat it.
        if self.seen.contains(&id) {
            return;
        }
        let place = *self.places.entry(id).or_insert(self.streams.len());
        if place == self.streams.len() {
            self.streams.push(StreamedMessage { path: path.to_vec(), ..StreamedMessage::default() });
        }
        let stream = &mut self.streams[place];
        stream.text.push_str(&message::text_of(fields.take(&["content"])));
        stream.usage = message::usage(&mut fields).or(stream.usage);
        for chunk in fields.list(&["tool_call_chunks"]).unwrap_or_default() {
            stream.add_call(chunk);
        }
        let (about, _) = MessageMetadata::of(&mut fields);
        // Only one chunk has the metadata, and it need not be the last.
        stream.about = std::mem::take(&mut stream.about).or(about);
    }

    pub(crate) fn end_streams(&mut self) {
        // The ids are remembered, as the whole message may follow its chunks.
        self.seen.extend(std::mem::take(&mut self.places).into_keys().filter(|id| !id.is_empty()));
        let mut streams: VecDeque<StreamedMessage> = std::mem::take(&mut self.streams).into();
        while let Some(stream) = streams.pop_front() {
            // A message may change its id behind its first chunk, which is then empty.
            if let Some(next) = streams.front_mut().filter(|next| stream.is_beginning_of(next)) {
                next.about = std::mem::take(&mut next.about).or(stream.about);
                continue;
            }
            let calls = stream.calls.into_iter().map(|PartCall { id, name, text }| {
                let arguments = Arguments::from_text(&text);
                MadeCall { id, name, arguments }
            });
            self.begin(stream.usage, stream.about, &stream.path);
            self.builder.text(&stream.text);
            self.calls(calls.collect(), &stream.path);
        }
    }

    pub(crate) fn finish(mut self) -> Trace {
        self.end_streams();
        let mut trace = self.builder.finish();
        let answer = trace.answer.as_deref().filter(|answer| LIMIT_ANSWERS.contains(answer));
        // No model wrote such an answer, so it has no reason of its own.
        if let Some(answer) = answer.filter(|_| trace.stop_reason.is_none()) {
            trace.ended = Ended::Limit(answer.to_owned());
        }
        trace
    }
}

impl StreamedMessage {
    /// Whether this has nothing of its own, and the next message is one of the same agent.
    fn is_beginning_of(&self, next: &Self) -> bool {
        let is_empty = self.text.is_empty() && self.calls.is_empty() && self.usage.is_none();
        is_empty && self.path == next.path
    }

    /// Adds a chunk of a call. The first chunk has the name and the id, the others continue the arguments.
    fn add_call(&mut self, chunk: JsonNode) {
        let Ok(mut chunk) = JsonObject::of(chunk, "a piece of a call") else { return };
        let number = chunk.count(&["index"]).ok().flatten();
        let [id, name, more] =
            ["id", "name", "args"].map(|name| chunk.take_text(&[name]).map(Cow::into_owned));
        let more = more.unwrap_or_default();
        let begins = name.as_ref().is_some_and(|name| !name.is_empty());
        // Providers number the calls of a message. A name marks the beginning of a call, so a number that comes again
        // with a name is a new call and not a continuation.
        match self.open.get(&number).and_then(|place| self.calls.get_mut(*place)) {
            Some(call) if !begins => call.text.push_str(&more),
            _ => {
                self.open.insert(number, self.calls.len());
                self.calls.push(PartCall { id, name: name.unwrap_or_default(), text: more });
            }
        }
    }
}
