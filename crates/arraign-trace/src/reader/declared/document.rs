//! A trace file as one JSON value: its document, or the list of its records.

use super::pointer::find_pointers;
use crate::json::JsonNode;
use crate::reader::error::DecodeError;
use crate::reader::json::input::{At, Input, Record};
use crate::trace::RecordPlace;

/// A trace file as one JSON value, and the place of each record.
#[derive(Debug)]
pub(crate) struct DeclaredDocument<'t> {
    pub(crate) value: JsonNode<'t>,
    /// The places of the records, if the value is the list of them.
    records: Option<Vec<At>>,
}

impl<'t> DeclaredDocument<'t> {
    pub(crate) fn of_input(mut input: Input<'t>) -> Self {
        Self::take_from(&mut input)
    }

    /// Takes the records out of `input`, to which [`DeclaredDocument::return_to`] returns them.
    pub(crate) fn take_from(input: &mut Input<'t>) -> Self {
        // Of two equal keys the last counts for paths. The built-in readers must still see both.
        if input.records.iter().any(|record| record.value.has_duplicates()) {
            let records = input.records.iter();
            let records = records.map(|record| Record { at: record.at, value: record.value.to_json() });
            return Self::of_records(records.collect());
        }
        Self::of_records(std::mem::take(&mut input.records))
    }

    fn of_records(mut records: Vec<Record<'t>>) -> Self {
        if let [record] = records.as_mut_slice()
            && record.at == At::Whole
        {
            return Self { value: std::mem::take(&mut record.value), records: None };
        }
        // Paths select from one value, so records become a list; their places are kept for messages.
        let places = records.iter().map(|record| record.at).collect();
        let values = records.into_iter().map(|record| record.value);
        Self { value: JsonNode::Array(values.collect()), records: Some(places) }
    }

    /// Returns the records to the input from which they were taken.
    pub(crate) fn return_to(self, input: &mut Input<'t>) {
        if !input.records.is_empty() {
            return;
        }
        input.records = match (self.value, self.records) {
            (JsonNode::Array(values), Some(places)) => {
                places.into_iter().zip(values).map(|(at, value)| Record { at, value }).collect()
            }
            (value, _) => vec![Record { at: At::Whole, value }],
        };
    }

    /// The records of several files, one after the other. Their places are counted over all files.
    pub(crate) fn join(documents: Vec<Self>) -> Self {
        let mut values = Vec::new();
        for document in documents {
            match (document.value, document.records) {
                (JsonNode::Array(records), Some(_)) => values.extend(records),
                (value, _) => values.push(value),
            }
        }
        Self { value: JsonNode::Array(values), records: None }
    }

    /// The place at a JSON pointer of the whole value.
    pub(crate) fn locate(&self, pointer: &str) -> RecordPlace {
        match self.find_record(pointer) {
            Some((At::Line(line), rest)) => RecordPlace::new(Some(line), rest),
            _ => RecordPlace::new(None, pointer),
        }
    }

    /// Adds the place of a value of this document to an error.
    pub(super) fn blame_node(&self, node: &JsonNode, error: DecodeError) -> DecodeError {
        match self.point_to(node) {
            Some(pointer) => self.blame(&pointer, error),
            None => error,
        }
    }

    /// The JSON pointer of a value of this document.
    pub(super) fn point_to(&self, node: &JsonNode) -> Option<String> {
        find_pointers(&self.value, &[node]).pop()
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
