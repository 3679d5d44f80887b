//! Finds the run of a span in a large file without building its attributes.

use crate::json::{JsonError, JsonNode, parse_borrowed};
use crate::reader::build::clock::nanos;
use crate::reader::error::DecodeError;
use crate::reader::formats::otel::span::{OtelSpan, START, TRACE_ID, count};
use crate::reader::formats::otel::{SCOPES, SPANS, chat_message, logs, tree};
use crate::reader::json::input::{Input, Record};
use crate::reader::large::pieces::{Pieces, RecordInfo, RunKey, Step, look};

/// The path from an export to its spans.
const EACH_SPAN: &[Step] =
    &[Step::Under(&SPANS), Step::Each, Step::Under(&SCOPES), Step::Each, Step::Under(&["spans"]), Step::Each];

/// The spans of a trace may be anywhere in a file. Messages without spans are one run.
pub(crate) fn pieces(input: &Input) -> Option<Pieces> {
    let first = input.first().ok()?;
    let has_logs = |record: &Record| {
        logs::LOGS.iter().any(|name| record.value.get(name).is_some()) || logs::is_console_log(&record.value)
    };
    // Log records may be far from the spans that they belong to.
    if chat_message::is_message(first) || input.records.iter().any(has_logs) {
        None
    } else if OtelSpan::is_console(first) {
        Some(Pieces::records(console))
    } else {
        Some(Pieces::at(EACH_SPAN, otlp))
    }
}

fn otlp(text: &str) -> Result<RecordInfo, JsonError> {
    let mut span = look(text, &[TRACE_ID, START].concat())?;
    let id = span.string(&TRACE_ID).ok().flatten();
    let began = span.take(&START).as_ref().and_then(count);
    Ok(note(id, began, |text| is_of_an_agent(text, OtelSpan::otlp)))
}

fn console(text: &str) -> Result<RecordInfo, JsonError> {
    let mut span = look(text, &["context", "start_time"])?;
    let id = span.get("context").and_then(|context| context.get("trace_id")?.as_str().map(ToOwned::to_owned));
    let began = span.text(&["start_time"]).ok().flatten().and_then(|time| nanos(&time));
    Ok(note(id, began, |text| is_of_an_agent(text, OtelSpan::console)))
}

fn note(id: Option<String>, began: Option<u64>, tells: fn(&str) -> bool) -> RecordInfo {
    let id = id.unwrap_or_default();
    let whose = RunKey::Of(id.trim_start_matches("0x").to_owned());
    RecordInfo { whose, began: began.unwrap_or_default(), tells: Some(tells) }
}

/// Whether a span is of an agent. A span that cannot be read counts, so that its run is read and reports the error.
fn is_of_an_agent<'t>(text: &'t str, span: fn(JsonNode<'t>) -> Result<OtelSpan<'t>, DecodeError>) -> bool {
    let span = parse_borrowed(text).ok().and_then(|value| span(value).ok());
    span.is_none_or(|span| tree::is_of_an_agent(&span))
}
