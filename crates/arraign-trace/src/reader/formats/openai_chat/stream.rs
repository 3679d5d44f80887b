//! Builds whole completions from the chunks of streamed completions.
//!
//! The id and the name of a call come once. Its arguments come in pieces, which are joined by the index of the call. If
//! a server gives all calls the same index, their ids distinguish them.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{JsonNode, JsonNumber, JsonObject};
use crate::reader::build::stream_end;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// Whether a record is a chunk.
pub(crate) fn is_chunk(value: &JsonNode) -> bool {
    value.get("object").and_then(JsonNode::as_str) == Some("chat.completion.chunk")
        || value.pointer("/choices/0/delta").is_some_and(JsonNode::is_object)
}

/// Returns the reason why a stream broke off, if a record has one.
pub(crate) fn failure<'v>(value: &'v JsonNode) -> Option<&'v str> {
    let error = value.get("error").filter(|_| value.get("choices").is_none())?;
    error.as_str().or_else(|| error.get("message")?.as_str())
}

/// Builds the completions from the chunks in `records`, each at the place of its first chunk. `text` is the text of the
/// stream.
pub(crate) fn whole<'t>(records: Vec<Record<'t>>, text: &str) -> Result<Vec<Record<'t>>, DecodeError> {
    let mut drafts: Vec<StreamedChoice> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut place = 0;
    for Record { at, value } in records {
        if let Some(reason) = failure(&value) {
            let reason = as_text(format!("error: {reason}"));
            drafts.get_mut(place).into_iter().for_each(|draft| draft.finish_reason = reason.clone());
            continue;
        }
        let mut chunk = JsonObject::of(value, "a chunk").map_err(|error| at.in_record(error))?;
        let id = chunk.string(&["id"]).map_err(|error| at.in_record(error))?;
        // A chunk without an id goes on with the completion before it, or begins the next one where that one is finished.
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            // The first chunk of some servers lacks the id that the others have: it is the same completion.
            let nameless = drafts.get(place).is_some_and(|draft| draft.id.is_none());
            place = *places.entry(id.clone()).or_insert(if nameless { place } else { drafts.len() });
            if place == drafts.len() {
                drafts.push(StreamedChoice::at(at));
            }
            drafts[place].id = Some(id);
        } else if drafts.get(place).is_none_or(|draft| !draft.finish_reason.is_null() && has_role(&chunk)) {
            place = drafts.len();
            drafts.push(StreamedChoice::at(at));
        }
        drafts[place].add(chunk).map_err(|error| at.in_record(error))?;
    }
    // The end of the transport does not prove a good end, but such a stream did not break off.
    if !text.trim_end().ends_with("[DONE]") {
        for draft in drafts.iter_mut().filter(|draft| draft.finish_reason.is_null()) {
            draft.finish_reason = as_text(stream_end::CHAT_CHUNKS.stop_reason());
        }
    }
    Ok(drafts.into_iter().map(StreamedChoice::into_record).collect())
}

/// Whether a chunk says who speaks, as the first chunk of a completion does.
fn has_role(chunk: &JsonObject) -> bool {
    let choice = chunk.get("choices").and_then(JsonNode::first);
    choice.and_then(|choice| choice.get("delta")).is_some_and(|delta| delta.has_text("role"))
}

/// A completion that is being streamed.
#[derive(Debug)]
struct StreamedChoice<'t> {
    at: At,
    id: Option<String>,
    content: Option<String>,
    calls: Vec<CallPiece<'t>>,
    /// The place of the last call of each index.
    latest: HashMap<u64, usize>,
    /// Values of unknown keys, which may contain calls.
    rest: Vec<JsonNode<'t>>,
    finish_reason: JsonNode<'t>,
    model: JsonNode<'t>,
    usage: JsonNode<'t>,
    /// The number of other choices, none of which is read.
    alternatives: u64,
}

/// A call that is being streamed.
#[derive(Debug, Default)]
struct CallPiece<'t> {
    id: JsonNode<'t>,
    name: String,
    arguments: String,
}

impl<'t> StreamedChoice<'t> {
    fn at(at: At) -> Self {
        Self {
            at,
            id: None,
            content: None,
            calls: Vec::new(),
            latest: HashMap::new(),
            rest: Vec::new(),
            finish_reason: JsonNode::Null,
            model: JsonNode::Null,
            usage: JsonNode::Null,
            alternatives: 0,
        }
    }

    fn add(&mut self, mut chunk: JsonObject<'t>) -> Result<(), DecodeError> {
        // Some servers repeat the tokens so far in each chunk: the last are the completion's.
        keep(&mut self.usage, chunk.take(&["usage"]));
        keep(&mut self.model, chunk.take(&["model"]));
        // Of several alternatives the first is read.
        let mut first = None;
        for choice in chunk.list(&["choices"])? {
            match choice.get("index").and_then(JsonNode::as_number).and_then(JsonNumber::as_u64) {
                None | Some(0) => first = first.or(Some(choice)),
                Some(other) => self.alternatives = self.alternatives.max(other),
            }
        }
        let Some(choice) = first else { return Ok(()) };
        let added = JsonObject::of(choice, "a choice").and_then(|choice| self.choice(choice));
        added.map_err(|error| error.at("/choices/0"))
    }

    fn choice(&mut self, mut choice: JsonObject<'t>) -> Result<(), DecodeError> {
        // Some servers write an empty reason into each chunk but the last.
        let reason = choice.take(&["finish_reason"]).filter(|reason| reason.as_str() != Some(""));
        keep(&mut self.finish_reason, reason);
        let Some(mut delta) = choice.object(&["delta"])? else { return Ok(()) };
        if let Some(text) = delta.take(&["content", "refusal"]).and_then(JsonNode::into_text) {
            self.content.get_or_insert_default().push_str(&text);
        }
        if let Some(function) = delta.object(&["function_call"])? {
            self.piece(0, JsonNode::Null).add(function)?;
        }
        for call in delta.list(&["tool_calls"])? {
            let mut call = JsonObject::of(call, "a tool call")?;
            // A call of a custom tool has no function; it is kept, so that it is named as not read.
            if call.get("function").is_none() {
                self.rest.push(JsonNode::Object(call));
                continue;
            }
            let next = self.calls.len() as u64;
            let index = call.count(&["index"])?.unwrap_or(next);
            let id = call.take(&["id"]).unwrap_or_default();
            let function = call.object(&["function"])?.unwrap_or_default();
            self.piece(index, id).add(function)?;
        }
        self.rest.extend(delta.into_values().filter(|value| value.is_object() || value.is_array()));
        Ok(())
    }

    /// The call that a piece belongs to.
    fn piece(&mut self, index: u64, id: JsonNode<'t>) -> &mut CallPiece<'t> {
        // Some servers give all calls the same index: another id begins another call.
        let has_id = id.as_str().is_some_and(|id| !id.is_empty());
        let known = self.latest.get(&index).copied();
        let known = known.filter(|place| !has_id || self.calls[*place].id == id);
        let place = known.unwrap_or(self.calls.len());
        if place == self.calls.len() {
            self.latest.insert(index, place);
            self.calls.push(CallPiece { id, ..CallPiece::default() });
        }
        &mut self.calls[place]
    }

    fn into_record(self) -> Record<'t> {
        let calls = self.calls.into_iter().map(CallPiece::into_call).collect();
        let message = JsonNode::object([
            ("role", as_text("assistant")),
            ("content", self.content.map_or(JsonNode::Null, as_text)),
            ("tool_calls", JsonNode::Array(calls)),
            ("rest", JsonNode::Array(self.rest)),
        ]);
        let choice = JsonNode::object([("message", message), ("finish_reason", self.finish_reason)]);
        let others = (0..self.alternatives).map(|_| JsonNode::Null);
        let value = JsonNode::object([
            ("id", self.id.map_or(JsonNode::Null, as_text)),
            ("model", self.model),
            ("choices", JsonNode::Array(std::iter::once(choice).chain(others).collect())),
            ("usage", self.usage),
        ]);
        Record { at: self.at, value }
    }
}

impl<'t> CallPiece<'t> {
    fn add(&mut self, mut function: JsonObject<'t>) -> Result<(), DecodeError> {
        if let Some(name) = function.text(&["name"])? {
            // Some servers send the name in pieces, others repeat it in each chunk.
            if self.name != name {
                self.name.push_str(&name);
            }
        }
        if let Some(more) = function.text(&["arguments"])? {
            self.arguments.push_str(&more);
        }
        Ok(())
    }

    fn into_call(self) -> JsonNode<'t> {
        let function =
            JsonNode::object([("name", as_text(self.name)), ("arguments", as_text(self.arguments))]);
        JsonNode::object([("id", self.id), ("function", function)])
    }
}

fn keep<'t>(known: &mut JsonNode<'t>, told: Option<JsonNode<'t>>) {
    if let Some(told) = told {
        *known = told;
    }
}

fn as_text<'t>(text: impl Into<Cow<'t, str>>) -> JsonNode<'t> {
    JsonNode::String(text.into().into())
}
