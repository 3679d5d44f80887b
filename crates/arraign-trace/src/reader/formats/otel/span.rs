//! A span, as OTLP's JSON and as the SDKs' console exporters write it.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::json::{Json, JsonNode, JsonObject, JsonText};
use crate::reader::build::clock::nanos;
use crate::reader::build::evidence::may_hold_parts;
use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::error::DecodeError;
use crate::reader::formats::otel::json_text::parse_unique;
use crate::reader::formats::otel::span_status::read_status;
use crate::reader::json::input::At;

/// Attributes by name, their values without OTLP's type tags.
pub(crate) type Attributes<'t> = BTreeMap<JsonText<'t>, JsonNode<'t>>;

/// The keys that all spans have in OTLP, in both of its spellings.
pub(crate) const TRACE_ID: [&str; 2] = ["traceId", "trace_id"];
pub(crate) const START: [&str; 2] = ["startTimeUnixNano", "start_time_unix_nano"];
const END: [&str; 2] = ["endTimeUnixNano", "end_time_unix_nano"];

/// One operation of a run.
#[derive(Debug)]
pub(crate) struct OtelSpan<'t> {
    /// The place of the record.
    pub(crate) at: At,
    /// The library that recorded the span, where the export says it.
    pub(crate) scope: Option<String>,
    pub(crate) trace_id: Cow<'t, str>,
    pub(crate) id: Cow<'t, str>,
    pub(crate) parent: Option<Cow<'t, str>>,
    pub(crate) name: Cow<'t, str>,
    /// Nanoseconds since 1970.
    pub(crate) start: u64,
    pub(crate) end: Option<u64>,
    /// Whether the operation failed, by the status or by an exception.
    pub(crate) failed: bool,
    /// What the status and the events say about the outcome.
    pub(crate) marks: OutcomeMarks,
    /// The message of the exception or the status.
    pub(crate) failure: Option<String>,
    attributes: Attributes<'t>,
    /// When the reply came, if it was recorded apart from the span.
    pub(crate) replied: Option<u64>,
    /// The kinds of values among the attributes that OTLP had not when this reader was written.
    pub(crate) unknown: Vec<String>,
    /// The spans with the same id that say something else. They are reported, and not read.
    pub(crate) contradicting: Vec<Self>,
    /// The mistake in the JSON text of an attribute, once it was read.
    mistake: OnceCell<String>,
}

impl<'t> OtelSpan<'t> {
    /// Whether another library recorded the other span. Console exporters do not name the library, but each has its own
    /// names of spans.
    pub(crate) fn is_of_other_library(&self, other: &Self) -> bool {
        match (&self.scope, &other.scope) {
            (Some(scope), Some(other)) => scope != other,
            _ => self.name != other.name,
        }
    }

    /// Names the span around this one.
    pub(crate) fn set_parent(&mut self, id: Cow<'t, str>) {
        self.parent = Some(id);
    }

    /// Whether the operation had begun at this time, and had not ended.
    pub(crate) fn is_open_at(&self, time: u64) -> bool {
        self.start <= time && self.end.is_none_or(|end| time <= end)
    }

    /// Whether another record of a span says the same.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        (&self.name, &self.parent, self.start, self.end, self.failed, &self.attributes)
            == (&other.name, &other.parent, other.start, other.end, other.failed, &other.attributes)
    }

    /// Returns the earliest time at which a span with this id began.
    pub(crate) fn first_start(&self) -> u64 {
        let others = self.contradicting.iter().map(|other| other.start);
        others.fold(self.start, u64::min)
    }

    /// Whether a value is a span of a console exporter.
    pub(crate) fn is_console(value: &JsonNode) -> bool {
        let id = value.pointer("/context/trace_id").and_then(JsonNode::as_str);
        id.is_some() && value.get("attributes").is_some()
    }

    /// Reads a span of OTLP's JSON.
    pub(crate) fn otlp(value: JsonNode<'t>) -> Result<Self, DecodeError> {
        let mut span = JsonObject::of(value, "a span")?;
        let mut values = TaggedValues::default();
        let attributes = values.read_attributes(span.list(&["attributes"])?);
        let events = span.list(&["events"])?.into_iter().filter_map(|event| {
            let mut event = JsonObject::of(event, "an event").ok()?;
            let name = event.text(&["name"]).ok()??;
            Some((name, values.read_attributes(event.list(&["attributes"]).ok()?)))
        });
        let events = events.collect();
        let status = span.object(&["status"])?.unwrap_or_default();
        let mut marks = read_status(&status, "code");
        marks.read(&span);
        let span = Self {
            at: At::Whole,
            scope: None,
            trace_id: span.text(&TRACE_ID)?.unwrap_or_default(),
            id: span.text(&["spanId", "span_id"])?.unwrap_or_default(),
            parent: span.text(&["parentSpanId", "parent_span_id"])?.filter(|id| !id.is_empty()),
            name: span.text(&["name"])?.unwrap_or_default(),
            start: span.take(&START).as_ref().and_then(count).unwrap_or_default(),
            end: span.take(&END).as_ref().and_then(count),
            failed: marks.has_failed(),
            marks,
            failure: None,
            attributes,
            unknown: values.unknown,
            replied: None,
            contradicting: Vec::new(),
            mistake: OnceCell::new(),
        };
        Ok(span.with(events, status, "message"))
    }

    /// Reads a span of a console exporter: ids begin with `0x`, times are texts, attributes are plain.
    pub(crate) fn console(value: JsonNode<'t>) -> Result<Self, DecodeError> {
        let mut span = JsonObject::of(value, "a span")?;
        let mut context = span.object(&["context"])?.unwrap_or_default();
        let attributes = span.object(&["attributes"])?.unwrap_or_default().rest();
        let events = span.list(&["events"])?.into_iter().filter_map(|event| {
            let mut event = JsonObject::of(event, "an event").ok()?;
            let name = event.text(&["name"]).ok()??;
            Some((name, event.object(&["attributes"]).ok()??.rest()))
        });
        let events = events.collect();
        let status = span.object(&["status"])?.unwrap_or_default();
        let mut marks = read_status(&status, "status_code");
        marks.read(&span);
        let span = Self {
            at: At::Whole,
            scope: None,
            trace_id: context.text(&["trace_id"])?.unwrap_or_default(),
            id: context.text(&["span_id"])?.unwrap_or_default(),
            parent: span.text(&["parent_id"])?,
            name: span.text(&["name"])?.unwrap_or_default(),
            start: span.text(&["start_time"])?.and_then(|time| nanos(&time)).unwrap_or_default(),
            end: span.text(&["end_time"])?.and_then(|time| nanos(&time)),
            failed: marks.has_failed(),
            marks,
            failure: None,
            attributes,
            unknown: Vec::new(),
            replied: None,
            contradicting: Vec::new(),
            mistake: OnceCell::new(),
        };
        Ok(span.with(events, status, "description"))
    }

    /// Builds the span of a model call that is in the file only by its messages.
    pub(crate) fn of_messages(at: At, trace_id: Cow<'t, str>, id: Cow<'t, str>, start: u64) -> Self {
        let kind = (JsonText::Borrowed("gen_ai.operation.name"), JsonNode::String("chat".into()));
        Self {
            at,
            scope: None,
            trace_id,
            id,
            parent: None,
            name: Cow::Borrowed("chat"),
            start,
            end: None,
            failed: false,
            marks: OutcomeMarks::default(),
            failure: None,
            attributes: Attributes::from([kind]),
            unknown: Vec::new(),
            replied: None,
            contradicting: Vec::new(),
            mistake: OnceCell::new(),
        }
    }

    /// Adds the facts in the events and the status.
    fn with(
        mut self,
        events: Vec<(Cow<'t, str>, Attributes<'t>)>,
        mut status: JsonObject,
        message: &str,
    ) -> Self {
        for (name, attributes) in events {
            if name == "exception" {
                self.failed = true;
                let said = attributes.get("exception.message").or_else(|| attributes.get("exception.type"));
                self.failure = said.and_then(JsonNode::as_str).map(ToOwned::to_owned);
            } else if name.contains("exception") {
                self.marks.note_unclear(format!("`{name}` is set"));
            } else if is_message_event(&name) {
                self.add_message_event(&name, attributes);
            } else if name.starts_with("gen_ai.") {
                // Some writers keep the messages in an event, since they may be dropped by themselves there.
                self.add_details(attributes);
            }
        }
        // The exception is the most precise message, the type of the error the least. Any of them alone may mark the
        // failure.
        let status = status.take(&[message]).and_then(JsonNode::into_text).filter(|text| !text.is_empty());
        let kind = self.text(&["error.type"]).map(ToOwned::to_owned);
        let level = self.text(&["langfuse.observation.level"]);
        self.failed |= kind.is_some() || level == Some("ERROR");
        let said = self.text(&["langfuse.observation.status_message"]).map(ToOwned::to_owned);
        let said = self.failure.or(status.map(Cow::into_owned)).or(said).or(kind);
        self.failure = said.filter(|_| self.failed);
        self
    }

    /// Adds an event of the early conventions: a message that the model was sent, or what it chose to say. In a tool's span
    /// the two are the arguments and the result.
    pub(crate) fn add_message_event(&mut self, name: &str, fields: Attributes<'t>) {
        let is_tool = self.text(&["gen_ai.operation.name"]) == Some("execute_tool");
        let own = match name {
            "gen_ai.tool.message" if is_tool => Some(("gen_ai.tool.call.arguments", "content")),
            "gen_ai.choice" if is_tool => Some(("gen_ai.tool.call.result", "message")),
            _ => None,
        };
        if let Some((attribute, field)) = own {
            let value = fields.into_iter().find(|(key, _)| key == field).map(|(_, value)| value);
            // An attribute of the later conventions has precedence over the event.
            value.map(|value| self.attributes.entry(Cow::Borrowed(attribute).into()).or_insert(value));
            return;
        }
        if let Some(reason) = fields.get("finish_reason").filter(|reason| reason.is_string()) {
            let reasons = JsonNode::Array(vec![reason.clone()]);
            self.attributes.entry("gen_ai.response.finish_reasons".into()).or_insert(reasons);
        }
        let mut event: JsonObject = fields.into_iter().collect();
        event.insert(Cow::Borrowed("event.name"), JsonNode::String((name.to_owned()).into()));
        let events = self.attributes.entry(MESSAGE_EVENTS.into()).or_insert(JsonNode::Array(Vec::new()));
        if let JsonNode::Array(events) = events {
            events.push(JsonNode::Object(event));
        }
    }

    /// Adds attributes that an event or a log record holds, where the span has none.
    pub(crate) fn add_details(&mut self, details: Attributes<'t>) {
        for (name, value) in details {
            self.attributes.entry(name).or_insert(value);
        }
    }

    /// Adds the attributes of a span inside that records the same operation, where this one has none.
    pub(crate) fn absorb_attributes(&mut self, inner: &mut Self) {
        self.add_details(std::mem::take(&mut inner.attributes));
    }

    /// Fails if the span inside that records the same operation failed.
    pub(crate) fn absorb_failure(&mut self, inner: &Self) {
        self.failed |= inner.failed;
        self.marks.absorb(inner.marks.clone());
        self.failure = self.failure.take().or_else(|| inner.failure.clone());
    }

    /// Returns the error of a failed operation as a stop reason.
    pub(crate) fn find_error(&self) -> Option<String> {
        let error = self.failure.as_deref().unwrap_or("error");
        self.failed.then(|| format!("error: {error}"))
    }

    /// Returns the first of these attributes that is present.
    pub(crate) fn get(&self, names: &[&str]) -> Option<&JsonNode<'t>> {
        names.iter().find_map(|name| self.attributes.get(*name))
    }

    /// Returns the value of the first of these attributes that is present, parsed if it is JSON text.
    pub(crate) fn parse(&self, names: &[&str]) -> Option<Json> {
        let name = names.iter().find(|name| self.attributes.contains_key(**name))?;
        match parse_unique(self.attributes.get(*name)?) {
            Ok(value) => value,
            Err(key) => {
                let mistake = format!("duplicate key `{key}` in `{name}` of the span `{}`", self.name);
                let _ = self.mistake.set(mistake);
                None
            }
        }
    }

    /// Returns the error in an attribute that was parsed.
    pub(crate) fn find_mistake(&self) -> Option<DecodeError> {
        self.mistake.get().map(|mistake| self.at.in_record(DecodeError::new(mistake.clone())))
    }

    /// Returns the first of these attributes that is a non-empty text.
    pub(crate) fn text(&self, names: &[&str]) -> Option<&str> {
        let texts = names.iter().filter_map(|name| self.attributes.get(*name)?.as_str());
        texts.into_iter().find(|text| !text.is_empty())
    }

    /// Returns the first of these attributes that is a count.
    pub(crate) fn count(&self, names: &[&str]) -> Option<u64> {
        names.iter().find_map(|name| count(self.attributes.get(*name)?))
    }

    /// Iterates over the attributes with names that begin with `prefix`, in the order of their names.
    pub(crate) fn below<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a JsonNode<'t>)> {
        let from =
            self.attributes.range::<str, _>((std::ops::Bound::Included(prefix), std::ops::Bound::Unbounded));
        from.map_while(move |(key, value)| Some((key.strip_prefix(prefix)?, value)))
    }
}

/// The attribute in which this reader keeps the message events of a span. No writer uses this name.
pub(crate) const MESSAGE_EVENTS: &str = "(events of messages)";

/// Whether an event of this name is a message of the early conventions.
pub(crate) fn is_message_event(name: &str) -> bool {
    let speaker = name.strip_prefix("gen_ai.").and_then(|name| name.strip_suffix(".message"));
    name == "gen_ai.choice" || matches!(speaker, Some("system" | "user" | "assistant" | "tool"))
}

/// Reads values with OTLP's type tags, and notes the kinds that it does not know.
#[derive(Debug, Default)]
pub(crate) struct TaggedValues {
    pub(crate) unknown: Vec<String>,
}

impl TaggedValues {
    /// Reads attributes in the form of OTLP's JSON.
    pub(crate) fn read_attributes<'t>(&mut self, list: Vec<JsonNode<'t>>) -> Attributes<'t> {
        let pairs = list.into_iter().filter_map(|pair| {
            let mut pair = JsonObject::of(pair, "an attribute").ok()?;
            match (pair.text(&["key"]).ok().flatten(), pair.take(&["value"])) {
                (Some(key), Some(value)) => Some((key.into(), self.read_value(value))),
                (_, value) => {
                    // A later version may name the two parts of an attribute in another way.
                    self.note_part("value", &value.unwrap_or_default());
                    self.note_unknown(&pair);
                    None
                }
            }
        });
        pairs.collect()
    }

    /// Removes the type tag from a value.
    pub(crate) fn read_value<'t>(&mut self, value: JsonNode<'t>) -> JsonNode<'t> {
        const SCALARS: [&str; 8] = [
            "stringValue",
            "doubleValue",
            "boolValue",
            "bytesValue",
            "string_value",
            "double_value",
            "bool_value",
            "bytes_value",
        ];
        let JsonNode::Object(mut tagged) = value else { return value };
        if let Some(array) = tagged.object(&["arrayValue", "array_value"]).ok().flatten() {
            let values = self.take_values(array);
            return JsonNode::Array(values.into_iter().map(|value| self.read_value(value)).collect());
        }
        if let Some(list) = tagged.object(&["kvlistValue", "kvlist_value"]).ok().flatten() {
            let values = self.take_values(list);
            return JsonNode::Object(self.read_attributes(values).into_iter().collect());
        }
        // OTLP writes integers as texts.
        if let Some(integer) = tagged.take(&["intValue", "int_value"]) {
            let number = integer.as_str().and_then(|digits| digits.parse::<i64>().ok());
            return number.map_or(integer, |number| JsonNode::Number(number.into()));
        }
        tagged.take(&SCALARS).unwrap_or_else(|| {
            self.note_unknown(&tagged);
            JsonNode::Null
        })
    }

    fn take_values<'t>(&mut self, mut list: JsonObject<'t>) -> Vec<JsonNode<'t>> {
        let values = list.list(&["values"]).unwrap_or_default();
        self.note_unknown(&list);
        values
    }

    /// Notes the keys of an object under which a call may be.
    fn note_unknown(&mut self, object: &JsonObject) {
        object.iter().for_each(|(key, value)| self.note_part(key, value));
    }

    fn note_part(&mut self, key: &str, value: &JsonNode) {
        if may_hold_parts(value) && !self.unknown.iter().any(|known| known == key) {
            self.unknown.push(key.to_owned());
        }
    }
}

/// Parses a count, which OTLP writes as text.
pub(crate) fn count(value: &JsonNode) -> Option<u64> {
    match value {
        JsonNode::String(text) => text.parse().ok(),
        JsonNode::Number(number) => number.as_u64(),
        _ => None,
    }
}

/// Finds the reply of a model as LlamaIndex prints it: `assistant: It ships today.`
pub(crate) fn find_reply(span: &OtelSpan) -> Option<String> {
    let reply = span.text(&["output.value"])?.strip_prefix("assistant:")?.trim_start();
    (!reply.is_empty()).then(|| reply.to_owned())
}
