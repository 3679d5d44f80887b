//! `otel`: spans of OpenTelemetry, as OTLP JSON or as a console exporter prints them.
//!
//! The reader knows four vocabularies: the semantic conventions for generative AI, OpenInference, Traceloop, and Langfuse. The
//! spans of one trace id are one run. A list of messages in the form of the conventions is also one run. If content was
//! not captured, calls have neither arguments nor results. Messages in events of spans, or in log records of the same file,
//! are joined to their span. Where that span is not in the file, or is one of the program, a reply ends a model call, and the
//! records behind it are the next one. Two spans with one id count once, and so does a request that a client records inside
//! of the span of its instrumentation. Of two nested spans that record the same operation, the outer one is read, completed
//! by the inner one. If the spans of the models record neither the question nor the answer, the span of the agent does. A
//! call of smolagents' `final_answer` is the answer, not a call.

mod agent_span;
mod chat_message;
mod chat_messages;
mod figures;
mod json_text;
mod langfuse;
mod logs;
mod message_events;
mod pieces;
mod run;
mod span;
mod span_status;
mod tool;
mod tree;

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::error::DecodeError;
use crate::reader::json::input::{Input, Record};
use crate::reader::json::record_marks::hash_marks;
use crate::reader::large::pieces::Splitting;
use crate::reader::reason::Reason;
use crate::reader::{Certainty, Detection, Reader};
use crate::trace::Trace;
use span::OtelSpan;

pub(crate) const READER: Reader = Reader {
    name: "otel",
    summary: "OpenTelemetry spans (OTLP JSON, console): GenAI conventions, OpenInference, Traceloop, Langfuse",
    marks: &hash_marks([
        "resourceSpans/",
        "resource_spans/",
        "resourceLogs/",
        "context/",
        "severity_number",
        "parts/",
    ]),
    detect: detect_format,
    read: read_runs,
    cuts: Splitting::As(pieces::pieces),
};

/// The keys of an export that contain spans, and those that contain logs or metrics.
const SPANS: [&str; 2] = ["resourceSpans", "resource_spans"];
const OTHER: [&str; 2] = ["resourceLogs", "resourceMetrics"];
const SCOPES: [&str; 3] = ["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];

fn detect_format(input: &Input) -> Detection {
    input.first()?;
    if input.records.iter().all(|record| chat_message::is_message(&record.value)) {
        return Ok(Certainty::Sure);
    }
    let mut spans = false;
    for record in &input.records {
        let has =
            |names: &[&str]| names.iter().any(|name| record.value.get(name).is_some_and(JsonNode::is_array));
        if has(&SPANS) || OtelSpan::is_console(&record.value) {
            spans = true;
        } else if !has(&OTHER) && !logs::is_console_log(&record.value) {
            return Err(Reason::of(record.at, "has no `resourceSpans`"));
        }
    }
    // Logs and metrics are exported together with spans, but alone they record no run.
    if spans || input.records.iter().any(|record| logs::has_message(&record.value)) {
        return Ok(Certainty::Sure);
    }
    Err("there are logs or metrics in it, but neither spans nor messages".into())
}

fn read_runs(input: Input) -> Result<Vec<Trace>, DecodeError> {
    if input.records.iter().all(|record| chat_message::is_message(&record.value)) {
        let messages =
            input.records.into_iter().map(|record| chat_message::read_message(&record.value.into_json()));
        return Ok(vec![run::of_messages(messages)]);
    }
    let mut spans = Vec::new();
    let mut logs = Vec::new();
    for Record { at, mut value } in input.records {
        // Nested readers do not know the record. Its place is set afterwards for all spans that it added.
        let known = spans.len();
        logs.extend(logs::take_logs(at, &mut value));
        skip_null(value, |value| collect(value, &mut spans)).map_err(|error| at.in_record(error))?;
        spans[known..].iter_mut().for_each(|span| span.at = at);
    }
    let mut spans = drop_repeated(spans);
    logs::join_logs(&mut spans, logs);
    if spans.is_empty() {
        return Err(DecodeError::new("there is no span in it"));
    }
    let mut runs: Vec<Trace> = Vec::new();
    for spans in by_trace(spans) {
        runs.extend(run::of_spans(spans)?);
    }
    if runs.is_empty() {
        let problem = "no span in it is a model's, a tool's or an agent's: there is no `gen_ai.operation.name`, \
                       `openinference.span.kind` or `langfuse.observation.type`";
        return Err(DecodeError::new(problem));
    }
    Ok(runs)
}

/// Drops spans with the ids of another span: an exporter that tries again sends them once more. The first span keeps those
/// that differ from it.
fn drop_repeated(spans: Vec<OtelSpan<'_>>) -> Vec<OtelSpan<'_>> {
    let mut places: HashMap<(String, String), usize> = HashMap::new();
    let mut kept: Vec<OtelSpan> = Vec::with_capacity(spans.len());
    for span in spans {
        // A file in which spans have no ids does not say which of them are the same.
        let known = (!span.id.is_empty())
            .then(|| *places.entry((span.trace_id.to_string(), span.id.to_string())).or_insert(kept.len()));
        match known.and_then(|place| kept.get_mut(place)) {
            Some(first) if first.repeats(&span) => {}
            Some(first) => first.contradicting.push(span),
            None => kept.push(span),
        }
    }
    kept
}

fn collect<'t>(value: JsonNode<'t>, spans: &mut Vec<OtelSpan<'t>>) -> Result<(), DecodeError> {
    if OtelSpan::is_console(&value) {
        spans.push(OtelSpan::console(value)?);
        return Ok(());
    }
    let mut request = JsonObject::of(value, "an export")?;
    request.each_value(&SPANS, |resource| skip_null(resource, |resource| add_resource(resource, spans)))
}

fn add_resource<'t>(value: JsonNode<'t>, spans: &mut Vec<OtelSpan<'t>>) -> Result<(), DecodeError> {
    let mut resource = JsonObject::of(value, "a resource")?;
    resource.each_value(&SCOPES, |scope| skip_null(scope, |scope| add_scope(scope, spans)))
}

fn add_scope<'t>(value: JsonNode<'t>, spans: &mut Vec<OtelSpan<'t>>) -> Result<(), DecodeError> {
    let mut scope = JsonObject::of(value, "a scope")?;
    let library = scope.object(&["scope", "instrumentationLibrary"])?.unwrap_or_default();
    let library = library.text_under("name").map(ToOwned::to_owned);
    scope.each_value(&["spans"], |span| {
        skip_null(span, |span| {
            let mut span = OtelSpan::otlp(span)?;
            span.scope.clone_from(&library);
            spans.push(span);
            Ok(())
        })
    })
}

/// Reads a value that is not null. A null replaces an entry of another run that was left out of a large file.
fn skip_null<'t>(
    value: JsonNode<'t>,
    read: impl FnOnce(JsonNode<'t>) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    if value.is_null() { Ok(()) } else { read(value) }
}

/// Groups spans by their trace ids. Traces and spans are in the order in which they began.
fn by_trace(spans: Vec<OtelSpan<'_>>) -> Vec<Vec<OtelSpan<'_>>> {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut traces: Vec<Vec<OtelSpan>> = Vec::new();
    for span in spans {
        // The order of first spans is kept, so that equal starting times do not shuffle the traces.
        let place = *places.entry(span.trace_id.to_string()).or_insert(traces.len());
        if place == traces.len() {
            traces.push(Vec::new());
        }
        traces[place].push(span);
    }
    for trace in &mut traces {
        trace.sort_by_key(|span| span.start);
    }
    traces.sort_by_key(|spans| spans.iter().map(OtelSpan::first_start).min());
    traces
}
