//! Runs in a format that has a reader, somewhere in a document: the reader reads what a path selects.

use super::declaration::{DeclarationFields, InsideRule};
use super::document::DeclaredDocument;
use super::run::RunReader;
use super::selections::{SelectedAs, Selections};
use super::unread_parts::add_unread_parts;
use crate::json::JsonNode;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, InputSource, Record};
use crate::reader::{READERS, Reader};
use crate::trace::{Trace, Usage};

/// Reads the runs that are inside of a document.
pub(super) fn read_runs(
    fields: &DeclarationFields,
    rule: &InsideRule,
    document: &DeclaredDocument<'_>,
    selections: &mut Selections,
) -> Result<Vec<Trace>, DecodeError> {
    let outer = match &fields.runs {
        Some(runs) => selections.select_nodes(runs, &document.value, SelectedAs::Run),
        None => vec![&document.value],
    };
    let mut read = Vec::new();
    // The inner reader knows the messages and calls; figures and ids of the outer document override its own.
    for node in outer {
        let traces = read_inner(rule, node, document, selections)?;
        for trace in traces {
            let mut reader = RunReader::new(fields, document, selections);
            reader.go_on_with(trace);
            reader.read_figures(node, &[])?;
            reader.read_outer_stop(node);
            read.push(reader.finish(node));
        }
    }
    selections.close();
    Ok(add_unread_parts(fields, document, selections, read))
}

/// Reads the values that the path selects in one run of the document. Several values are read as one run, in order.
fn read_inner(
    rule: &InsideRule,
    node: &JsonNode,
    document: &DeclaredDocument<'_>,
    selections: &mut Selections,
) -> Result<Vec<Trace>, DecodeError> {
    let found = selections.select(&rule.path, node, SelectedAs::Whole);
    let Some(reader) = READERS.iter().find(|reader| reader.name == rule.r#as.0) else {
        return Ok(Vec::new());
    };
    let mut traces = Vec::new();
    for value in &found {
        let read = read_value(reader, value);
        let place = document.point_to(value).unwrap_or_default();
        let mut runs = read.map_err(|error| document.blame(&place, error))?;
        for run in &mut runs {
            // The places that the inner reader noted are relative to the value. They are moved into the document.
            move_places(run, document, &place);
        }
        traces.extend(runs);
    }
    match traces.len() {
        0 => {
            let problem = format!("`inside` selects nothing that is `{}`", reader.name);
            Err(document.blame_node(node, DecodeError::new(problem)))
        }
        // Runs of several values are one run: the path selects the parts of it.
        _ if found.len() > 1 => Ok(traces.into_iter().reduce(append_run).into_iter().collect()),
        _ => Ok(traces),
    }
}

fn read_value(reader: &Reader, value: &JsonNode) -> Result<Vec<Trace>, DecodeError> {
    let records = match value.clone() {
        JsonNode::Array(items) => {
            let items = items.into_iter().enumerate();
            items.map(|(index, value)| Record { at: At::Item(index), value }).collect()
        }
        value => vec![Record { at: At::Whole, value }],
    };
    reader.read_runs(Input::new("", InputSource::Values, records))
}

/// Puts the places of unread parts below the place of the value that they were read from.
fn move_places(trace: &mut Trace, document: &DeclaredDocument<'_>, pointer: &str) {
    for part in &mut trace.unread {
        let inner = match part.place.line {
            Some(line) => format!("/{}{}", line - 1, part.place.pointer),
            None => part.place.pointer.clone(),
        };
        part.place = document.locate(&format!("{pointer}{inner}"));
    }
}

/// Appends a run to another: the tasks of one crew, one after the other.
fn append_run(mut first: Trace, second: Trace) -> Trace {
    let calls = first.calls.len();
    let turns = first.calls.last().map_or(0, |call| call.turn);
    // Turns and calls are numbered per run. Those of the second run continue the numbers of the first.
    for mut call in second.calls {
        call.turn += turns;
        first.push_call(call);
    }
    for mut message in second.messages {
        message.after_calls += calls;
        first.messages.push(message);
    }
    first.answer = second.answer.or(first.answer);
    first.usage = add_usage(first.usage, second.usage);
    first.calls_unrecorded = first.calls_unrecorded.or(second.calls_unrecorded);
    first.unread.extend(second.unread);
    first.stop_reason = second.stop_reason;
    first.ended = second.ended;
    first
}

fn add_usage(one: Option<Usage>, other: Option<Usage>) -> Option<Usage> {
    let mut total = crate::reader::build::usage::UsageTotal::default();
    total.add(one);
    total.add(other);
    total.total()
}
