//! A trace file as one JSON value: its document, or the list of its records.

use serde_json::Value;

use crate::json_text::escape_token;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input};
use crate::trace::RecordPlace;

/// A trace file as one JSON value, and the place of each record.
#[derive(Debug)]
pub(crate) struct DeclaredDocument {
    pub(crate) value: Value,
    /// The places of the records, if the value is the list of them.
    records: Option<Vec<At>>,
}

impl DeclaredDocument {
    pub(crate) fn of_input(input: &Input) -> Self {
        if let [record] = input.records.as_slice()
            && record.at == At::Whole
        {
            return Self { value: record.value.to_value(), records: None };
        }
        // Paths select from one value, so records become a list; their places are kept for messages.
        let places = input.records.iter().map(|record| record.at).collect();
        let values = input.records.iter().map(|record| record.value.to_value());
        Self { value: Value::Array(values.collect()), records: Some(places) }
    }

    /// The records of several files, one after the other. Their places are counted over all files.
    pub(crate) fn join(documents: Vec<Self>) -> Self {
        let mut values = Vec::new();
        for document in documents {
            match (document.value, document.records) {
                (Value::Array(records), Some(_)) => values.extend(records),
                (value, _) => values.push(value),
            }
        }
        Self { value: Value::Array(values), records: None }
    }

    /// The place at a JSON pointer of the whole value.
    pub(crate) fn locate(&self, pointer: &str) -> RecordPlace {
        match self.find_record(pointer) {
            Some((At::Line(line), rest)) => RecordPlace::new(Some(line), rest),
            _ => RecordPlace::new(None, pointer),
        }
    }

    /// Adds the place of a value of this document to an error.
    pub(super) fn blame_node(&self, node: &Value, error: DecodeError) -> DecodeError {
        match self.point_to(node) {
            Some(pointer) => self.blame(&pointer, error),
            None => error,
        }
    }

    /// The JSON pointer of a value of this document.
    pub(super) fn point_to(&self, node: &Value) -> Option<String> {
        find_pointer(&self.value, node)
    }

    /// Adds the place at a JSON pointer of the whole value to an error.
    pub(super) fn blame(&self, pointer: &str, error: DecodeError) -> DecodeError {
        match self.find_record(pointer) {
            Some((At::Line(line), rest)) => error.at(rest).on_line(line),
            _ => error.at(pointer),
        }
    }

    fn find_record<'p>(&self, pointer: &'p str) -> Option<(At, &'p str)> {
        let (first, rest) = match pointer.strip_prefix('/')?.split_once('/') {
            Some((first, _)) => (first, &pointer[first.len() + 1..]),
            None => (&pointer[1..], ""),
        };
        let at = self.records.as_ref()?.get(first.parse::<usize>().ok()?)?;
        Some((*at, rest))
    }
}

/// Searches `value` for `node` itself, not for one that is equal, and returns its JSON pointer.
fn find_pointer(value: &Value, node: &Value) -> Option<String> {
    // Equal values are frequent in traces, such as two results `"ok"`. Only the address tells which of them a path
    // selected.
    if std::ptr::eq(value, node) {
        return Some(String::new());
    }
    match value {
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| Some(format!("/{index}{}", find_pointer(item, node)?))),
        Value::Object(object) => object.iter().find_map(|(key, item)| {
            let inner = find_pointer(item, node)?;
            Some(format!("/{}{inner}", escape_token(key)))
        }),
        _ => None,
    }
}
