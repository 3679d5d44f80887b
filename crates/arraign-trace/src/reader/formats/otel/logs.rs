//! Log records that hold messages, joined to the spans that they name.
//!
//! Some libraries keep content out of spans, and export each message as a log record with the ids of its trace and span.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::reader::formats::otel::span::{Attributes, OtelSpan, attributes, is_message_event, plain};
use crate::reader::json::object::Object;
use crate::reader::json::value::Json;

/// The keys of an export under which log records are, in both spellings of OTLP's JSON.
pub(crate) const LOGS: [&str; 2] = ["resourceLogs", "resource_logs"];

/// A message, and the ids of the trace and the span that it belongs to.
pub(crate) struct MessageLog<'t> {
    ids: (Cow<'t, str>, Cow<'t, str>),
    name: Cow<'t, str>,
    fields: Attributes<'t>,
}

/// Takes the messages out of an export's log records. Other log records tell nothing of a run.
pub(crate) fn take_logs<'t>(export: &mut Json<'t>) -> Vec<MessageLog<'t>> {
    let Some(export) = export.as_object_mut() else { return Vec::new() };
    let resources = take_list(export, &LOGS);
    let scopes =
        resources.into_iter().flat_map(|resource| take_below(resource, &["scopeLogs", "scope_logs"]));
    let records = scopes.flat_map(|scope| take_below(scope, &["logRecords", "log_records"]));
    records.filter_map(read_log).collect()
}

fn take_list<'t>(object: &mut Object<'t>, names: &[&str]) -> Vec<Json<'t>> {
    object.list(names).unwrap_or_default()
}

fn take_below<'t>(value: Json<'t>, names: &[&str]) -> Vec<Json<'t>> {
    Object::of(value, "a log").map(|mut object| take_list(&mut object, names)).unwrap_or_default()
}

fn read_log(record: Json<'_>) -> Option<MessageLog<'_>> {
    let mut record = Object::of(record, "a log record").ok()?;
    let trace = record.text(&["traceId", "trace_id"]).ok()??;
    let span = record.text(&["spanId", "span_id"]).ok()??;
    let named = attributes(record.list(&["attributes"]).ok()?).remove("event.name").and_then(Json::into_text);
    let name = record.text(&["eventName", "event_name"]).ok()?.or(named)?;
    let Json::Object(body) = plain(record.take(&["body"])?) else { return None };
    let log = MessageLog { ids: (trace, span), name, fields: body.rest() };
    is_message_event(&log.name).then_some(log)
}

/// Adds each message to its span. One whose span is not in the file has no place in a run.
pub(crate) fn join_logs<'t>(spans: &mut [OtelSpan<'t>], logs: Vec<MessageLog<'t>>) {
    if logs.is_empty() {
        return;
    }
    let places =
        spans.iter().enumerate().map(|(place, span)| ((span.trace_id.clone(), span.id.clone()), place));
    let places: HashMap<_, usize> = places.collect();
    for MessageLog { ids, name, fields } in logs {
        if let Some(place) = places.get(&ids) {
            spans[*place].add_message_event(&name, fields);
        }
    }
}
