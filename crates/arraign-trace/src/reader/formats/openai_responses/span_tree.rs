//! The spans of an Agents SDK trace, and the agents that enclose each of them.

use std::collections::HashMap;

use crate::json::{JsonNode, JsonObject};
use crate::reader::build::clock::nanos;
use crate::reader::build::tool_result::OutcomeMarks;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Record};

/// The most spans between a call and the outermost agent.
const DEEPEST: usize = 64;

/// A span.
#[derive(Debug)]
pub(crate) struct SdkSpan<'t> {
    pub(crate) at: At,
    pub(crate) id: String,
    /// The id of the enclosing span; empty for the root.
    pub(crate) parent: String,
    pub(crate) started: Option<u64>,
    pub(crate) ended: Option<u64>,
    pub(crate) data: JsonObject<'t>,
    /// The error, if the operation failed.
    pub(crate) error: Option<String>,
    /// What the span says about its outcome.
    pub(crate) marks: OutcomeMarks,
}

/// Whether a record is a span, the head of a trace, or a list of these under `data`.
pub(crate) fn is_span(value: &JsonNode) -> bool {
    let is_one = |value: &JsonNode| {
        matches!(value.get("object").and_then(JsonNode::as_str), Some("trace" | "trace.span"))
    };
    is_one(value) || value.get("data").and_then(JsonNode::first).is_some_and(is_one)
}

/// Groups the spans by trace. The traces are in the order of their first spans.
pub(crate) fn gather(records: Vec<Record>) -> Result<Vec<(String, Vec<SdkSpan>)>, DecodeError> {
    let mut traces: Vec<(String, Vec<SdkSpan>)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for Record { at, value } in records {
        for value in unwrapped(value) {
            let span = JsonObject::of(value, "a span").and_then(|span| read(at, span));
            let Some((trace, span)) = span.map_err(|error| at.in_record(error))? else { continue };
            // The spans of several traces may alternate in one export.
            let place = *places.entry(trace.clone()).or_insert(traces.len());
            if place == traces.len() {
                traces.push((trace, Vec::new()));
            }
            traces[place].1.push(span);
        }
    }
    Ok(traces)
}

/// Returns the spans of a record: itself, or the list of an upload.
fn unwrapped(value: JsonNode<'_>) -> Vec<JsonNode<'_>> {
    match value {
        JsonNode::Object(mut object) if object.get("data").is_some_and(JsonNode::is_array) => {
            object.list(&["data"]).unwrap_or_default()
        }
        other => vec![other],
    }
}

/// Reads a span and the id of its trace. The head of a trace adds nothing, and is skipped.
fn read(at: At, mut span: JsonObject<'_>) -> Result<Option<(String, SdkSpan<'_>)>, DecodeError> {
    let Some(data) = span.object(&["span_data"])? else { return Ok(None) };
    let trace = span.string(&["trace_id"])?.unwrap_or_default();
    let [started, ended] = ["started_at", "ended_at"].map(|name| nanos(&span.take_text(&[name])?));
    let id = span.string(&["id"])?.unwrap_or_default();
    let parent = span.string(&["parent_id"])?.unwrap_or_default();
    let marks = OutcomeMarks::of(&span);
    let error = span.take(&["error"]).as_ref().map(reason);
    Ok(Some((trace, SdkSpan { at, id, parent, started, ended, data, error, marks })))
}

/// Returns the most precise message of an error.
fn reason(error: &JsonNode) -> String {
    let said = error.pointer("/data/error").or_else(|| error.get("message")).and_then(JsonNode::as_str);
    said.map_or_else(|| error.clone().into_text_or_json().into_owned(), ToOwned::to_owned)
}

/// The parent of each span, and the names of the spans that are agents.
#[derive(Debug, Default)]
pub(crate) struct SdkSpanTree {
    spans: HashMap<String, (String, Option<String>)>,
}

impl SdkSpanTree {
    pub(crate) fn of(spans: &[SdkSpan]) -> Self {
        let entries = spans.iter().map(|span| {
            let is_agent = span.data.text_under("type") == Some("agent");
            let agent = is_agent.then(|| span.data.text_under("name").unwrap_or_default().to_owned());
            (span.id.clone(), (span.parent.clone(), agent))
        });
        Self { spans: entries.collect() }
    }

    /// Returns the ids and names of the agents around the span `id`, innermost first.
    fn agents(&self, id: &str) -> Vec<(String, String)> {
        let mut agents = Vec::new();
        let mut id = id;
        for _ in 0..DEEPEST {
            let Some((parent, name)) = self.spans.get(id) else { break };
            agents.extend(name.iter().map(|name| (id.to_owned(), name.clone())));
            id = parent;
        }
        agents
    }

    /// Returns the id of the innermost agent around the span `id`.
    pub(crate) fn agent(&self, id: &str) -> String {
        self.agents(id).into_iter().next().map(|(id, _)| id).unwrap_or_default()
    }

    /// Returns the agents around the span `id` without the outermost one, which is the run.
    pub(crate) fn path(&self, id: &str) -> Vec<String> {
        let mut names: Vec<String> = self.agents(id).into_iter().map(|(_, name)| name).collect();
        names.pop();
        names.reverse();
        names
    }
}
