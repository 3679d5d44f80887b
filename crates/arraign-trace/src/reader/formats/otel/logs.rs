//! Log records that contain messages, joined to the spans that they name.
//!
//! Some libraries keep content out of spans, and export each message as a log record with the ids of its trace and span.
//! If the span itself is not in the file, its records are the model call.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::nanos;
use crate::reader::formats::otel::span::{Attributes, OtelSpan, TaggedValues, count, is_message_event};
use crate::reader::formats::otel::tree::{SpanKind, kind};
use crate::reader::json::input::At;

/// The keys of an export under which log records are, in both spellings of OTLP's JSON.
pub(crate) const LOGS: [&str; 2] = ["resourceLogs", "resource_logs"];
const SCOPES: [&str; 2] = ["scopeLogs", "scope_logs"];
const RECORDS: [&str; 2] = ["logRecords", "log_records"];

/// The event that contains a whole model call, with the same attributes as a span.
const DETAILS: &str = "gen_ai.client.inference.operation.details";

/// The event of a reply.
const CHOICE: &str = "gen_ai.choice";

/// A message, and the ids of the trace and the span that it belongs to.
pub(crate) struct MessageLog<'t> {
    at: At,
    ids: (Cow<'t, str>, Cow<'t, str>),
    /// Nanoseconds since 1970.
    time: u64,
    name: Cow<'t, str>,
    fields: Attributes<'t>,
    /// The kinds of values in it that are unknown.
    unknown: Vec<String>,
}

/// Whether a value is a log record of a console exporter.
pub(crate) fn is_console_log(value: &JsonNode) -> bool {
    value.get("body").is_some()
        && value.get("severity_number").is_some()
        && ["trace_id", "span_id"].iter().all(|name| value.get(name).is_some_and(JsonNode::is_string))
}

/// Whether an export, or a log record of a console exporter, contains a message.
pub(crate) fn has_message(value: &JsonNode) -> bool {
    if is_console_log(value) {
        return find_name(value).is_some_and(is_read);
    }
    let resources = list_under(value, &LOGS);
    let scopes = resources.iter().flat_map(|resource| list_under(resource, &SCOPES));
    let mut records = scopes.flat_map(|scope| list_under(scope, &RECORDS));
    records.any(|record| find_name(record).is_some_and(is_read))
}

fn list_under<'v, 't>(value: &'v JsonNode<'t>, names: &[&str]) -> &'v [JsonNode<'t>] {
    names.iter().find_map(|name| value.get(name)?.as_array()).unwrap_or_default()
}

/// Returns the name of the event in a log record.
fn find_name<'v>(record: &'v JsonNode) -> Option<&'v str> {
    let own = ["eventName", "event_name"].iter().find_map(|name| record.get(name)?.as_str());
    own.filter(|name| !name.is_empty()).or_else(|| match record.get("attributes")? {
        JsonNode::Array(pairs) => {
            let pair =
                pairs.iter().find(|pair| pair.get("key").and_then(JsonNode::as_str) == Some("event.name"));
            pair?.pointer("/value/stringValue")?.as_str()
        }
        attributes => attributes.get("event.name")?.as_str(),
    })
}

fn is_read(name: &str) -> bool {
    is_message_event(name) || name == DETAILS
}

/// Takes the messages out of the log records of an export, or out of a log record of a console exporter. Other log
/// records do not concern the run.
pub(crate) fn take_logs<'t>(at: At, export: &mut JsonNode<'t>) -> Vec<MessageLog<'t>> {
    if is_console_log(export) {
        return read_log(at, std::mem::take(export)).into_iter().collect();
    }
    let Some(export) = export.as_object_mut() else { return Vec::new() };
    let resources = take_list(export, &LOGS);
    let scopes = resources.into_iter().flat_map(|resource| take_below(resource, &SCOPES));
    let records = scopes.flat_map(|scope| take_below(scope, &RECORDS));
    records.filter_map(|record| read_log(at, record)).collect()
}

fn take_list<'t>(object: &mut JsonObject<'t>, names: &[&str]) -> Vec<JsonNode<'t>> {
    object.list(names).unwrap_or_default()
}

fn take_below<'t>(value: JsonNode<'t>, names: &[&str]) -> Vec<JsonNode<'t>> {
    JsonObject::of(value, "a log").map(|mut object| take_list(&mut object, names)).unwrap_or_default()
}

fn read_log(at: At, record: JsonNode<'_>) -> Option<MessageLog<'_>> {
    let name = find_name(&record).filter(|name| is_read(name))?.to_owned();
    let is_console = is_console_log(&record);
    let mut record = JsonObject::of(record, "a log record").ok()?;
    let trace = record.text(&["traceId", "trace_id"]).ok()??;
    let span = record.text(&["spanId", "span_id"]).ok()??;
    let time = find_time(&mut record).unwrap_or_default();
    let mut values = TaggedValues::default();
    let body = record.take(&["body"]).map(|body| if is_console { body } else { values.read_value(body) });
    let mut fields = match body {
        Some(JsonNode::Object(body)) => body.rest(),
        _ => Attributes::new(),
    };
    if name == DETAILS {
        fields.extend(match record.take(&["attributes"])? {
            JsonNode::Array(pairs) => values.read_attributes(pairs),
            JsonNode::Object(object) => object.rest(),
            _ => return None,
        });
    }
    Some(MessageLog { at, ids: (trace, span), time, name: name.into(), fields, unknown: values.unknown })
}

fn find_time(record: &mut JsonObject) -> Option<u64> {
    const NAMES: [&str; 6] = [
        "timeUnixNano",
        "time_unix_nano",
        "timestamp",
        "observedTimeUnixNano",
        "observed_time_unix_nano",
        "observed_timestamp",
    ];
    let times = NAMES.iter().filter_map(|name| record.take(&[name]));
    let times = times.filter_map(|time| count(&time).or_else(|| nanos(time.as_str()?)));
    times.into_iter().find(|time| *time > 0)
}

/// Adds each message to its span. Messages whose span is not in the file, or is one of the user's program, are calls of models
/// on their own: some libraries name the span around the request.
pub(crate) fn join_logs<'t>(spans: &mut Vec<OtelSpan<'t>>, logs: Vec<MessageLog<'t>>) {
    if logs.is_empty() {
        return;
    }
    let known = spans.len();
    let places =
        spans.iter().enumerate().map(|(place, span)| ((span.trace_id.clone(), span.id.clone()), place));
    let places: HashMap<_, usize> = places.collect();
    // The call of a model that the records with one span id are part of.
    let mut open: HashMap<_, OpenCall> = HashMap::new();
    for MessageLog { at, ids, time, name, fields, unknown } in logs {
        let parent = places.get(&ids).copied();
        let own = parent.filter(|place| kind(&spans[*place]) != SpanKind::Other);
        let place = own.unwrap_or_else(|| {
            let (trace, id) = ids.clone();
            let call = open.entry(ids);
            // A reply ends a call: what is sent to the model behind it belongs to the next one.
            let ends = |call: &OpenCall| call.has_reply && name != CHOICE || name == DETAILS;
            let call = call.and_modify(|call| call.is_open = !ends(call)).or_default();
            if !std::mem::replace(&mut call.is_open, true) {
                call.place = spans.len();
                call.has_reply = false;
                let own_id = if call.count == 0 { id.clone() } else { format!("{id}#{}", call.count).into() };
                call.count += 1;
                let mut span = OtelSpan::of_messages(at, trace, own_id, time);
                if parent.is_some() {
                    span.set_parent(id);
                }
                spans.push(span);
            }
            call.has_reply |= name == CHOICE;
            call.place
        });
        let span = &mut spans[place];
        span.unknown.extend(unknown);
        span.replied = if name == CHOICE { Some(time) } else { span.replied };
        if name == DETAILS { span.add_details(fields) } else { span.add_message_event(&name, fields) }
    }
    join_calls(spans, known);
}

/// A call of a model while its records are read.
#[derive(Debug, Default)]
struct OpenCall {
    place: usize,
    /// Whether the next record belongs to the call.
    is_open: bool,
    has_reply: bool,
    /// The number of calls with the same span id so far.
    count: usize,
}

/// Moves the messages of the calls behind the first `known` spans into the spans of models beside them that were open when
/// the reply came.
fn join_calls(spans: &mut Vec<OtelSpan>, known: usize) {
    for mut call in spans.split_off(known) {
        let is_open = |span: &&mut OtelSpan| {
            kind(span) == SpanKind::Model
                && span.trace_id == call.trace_id
                && call.parent.is_some()
                && span.parent == call.parent
                && call.replied.is_some_and(|time| span.is_open_at(time))
        };
        // The innermost one began last.
        match spans.iter_mut().filter(is_open).max_by_key(|span| span.start) {
            Some(span) => span.absorb_attributes(&mut call),
            None => spans.push(call),
        }
    }
}
