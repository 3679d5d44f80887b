//! Text to records: a JSON document, the elements of a JSON list, the values of JSON Lines, or server-sent events.
//!
//! The text is parsed once, for detection and for reading. Readers see records and need not care which of the
//! four they came from: a list and its lines are the same file to them.

use std::cell::OnceCell;
use std::fmt;

use memchr::memchr_iter;

use crate::json::{JsonError, JsonNode, JsonValues, parse_borrowed};
use crate::reader::error::{DecodeError, TraceError, TraceProblem};
use crate::reader::json::record_marks::{Mark, RecordMarks};
use crate::reader::json::sse;

/// One value of a trace file, and its place.
#[derive(Debug, Clone)]
pub(crate) struct Record<'t> {
    pub(crate) at: At,
    pub(crate) value: JsonNode<'t>,
}

/// The place of a record in its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum At {
    /// The record is the whole file.
    #[default]
    Whole,
    /// The record is this element of the file's list, from 0.
    Item(usize),
    /// The record begins on this line, from 1.
    Line(usize),
}

impl At {
    /// Adds the place of this record to an error.
    pub(crate) fn in_record(self, error: DecodeError) -> DecodeError {
        match self {
            At::Whole => error,
            At::Item(index) => error.at_key(index),
            At::Line(line) => error.on_line(line),
        }
    }
}

/// The record in a reason for declining.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Whole => f.write_str("the document"),
            At::Item(index) => write!(f, "entry {index}"),
            At::Line(line) => write!(f, "line {line}"),
        }
    }
}

/// A trace file as records.
#[derive(Debug, Clone)]
pub(crate) struct Input<'t> {
    pub(crate) text: &'t str,
    pub(crate) source: InputSource<'t>,
    pub(crate) records: Vec<Record<'t>>,
    /// Whether the text has halves of characters, which are to be joined in what is read of it.
    pub(crate) has_halves: bool,
    marks: OnceCell<Box<RecordMarks>>,
}

/// The texts that the records of an input were parsed from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InputSource<'t> {
    File(&'t str),
    /// Records that were taken out of a file one by one.
    Pieces(&'t [(At, String)]),
    /// The records are values of another file.
    Values,
}

impl<'t> InputSource<'t> {
    /// Whether one of the texts satisfies `condition`.
    pub(crate) fn has_text(self, condition: fn(&str) -> bool) -> bool {
        match self {
            Self::File(text) => condition(text),
            Self::Pieces(pieces) => pieces.iter().any(|(_, piece)| condition(piece)),
            Self::Values => false,
        }
    }

    /// Parses the records once more.
    pub(crate) fn parse_again(self) -> Vec<Record<'t>> {
        let input = match self {
            Self::File(text) => Input::parse(text).ok(),
            Self::Pieces(texts) => Input::of_texts(texts).ok(),
            Self::Values => None,
        };
        input.map_or_else(Vec::new, |input| input.records)
    }
}

/// Whether the text begins like JSON or a stream of JSON events. A native trace in YAML begins differently.
pub fn looks_like_json(text: &str) -> bool {
    text.trim_start().starts_with(['{', '[']) || sse::is_stream(text)
}

impl<'t> Input<'t> {
    pub(crate) fn new(text: &'t str, source: InputSource<'t>, records: Vec<Record<'t>>) -> Self {
        Self { text, source, records, has_halves: false, marks: OnceCell::new() }
    }

    pub(crate) fn parse(text: &'t str) -> Result<Self, TraceError> {
        refuse_many_values(text)?;
        if sse::is_stream(text) {
            let mut has_halves = false;
            let events = sse::events(text).map(|(line, data)| {
                let (record, is_halved) = read_event(line, data)?;
                has_halves |= is_halved;
                Ok(record)
            });
            let records = events.collect::<Result<_, TraceError>>()?;
            return Ok(Self { has_halves, ..Self::new(text, InputSource::File(text), records) });
        }
        // One parser reads a single document, JSON Lines and any other sequence of values: to JSON they differ only in
        // whitespace. `flatten` then distinguishes a single document from a sequence.
        let mut lines = Lines { text, counted: 0, line: 1 };
        let mut records = Vec::new();
        let mut marks = Box::<RecordMarks>::default();
        let mut values = JsonValues::with_halves(text);
        loop {
            let (start, value) = match values.next() {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(error) => return Err(not_json(text, &error)),
            };
            // Later, the record may have left the cache of the processor.
            marks.add(&value);
            records.push(Record { at: At::Line(lines.of_value_at(start)), value });
        }
        // The elements of a list have marks of their own.
        let is_list = matches!(records.as_slice(), [Record { value: JsonNode::Array(_), .. }]);
        let marks = if is_list { OnceCell::new() } else { OnceCell::from(marks) };
        let has_halves = values.count_halves() > 0;
        Ok(Self { has_halves, marks, ..Self::new(text, InputSource::File(text), flatten(records)) })
    }

    /// Parses records that were taken out of a file one by one.
    pub(crate) fn of_texts(texts: &'t [(At, String)]) -> Result<Self, JsonError> {
        let text = texts.first().map_or("", |(_, text)| text.as_str());
        let mut has_halves = false;
        let records = texts.iter().map(|(at, text)| {
            let (value, is_halved) = parse_value(text)?;
            has_halves |= is_halved;
            Ok(Record { at: *at, value })
        });
        let records = records.collect::<Result<_, JsonError>>()?;
        Ok(Self { has_halves, ..Self::new(text, InputSource::Pieces(texts), records) })
    }

    /// Returns the input with the records that `join` makes of its own, such as whole replies of the pieces of streams.
    pub(crate) fn join_records(
        self,
        join: impl FnOnce(Vec<Record<'t>>) -> Result<Vec<Record<'t>>, DecodeError>,
    ) -> Result<Self, DecodeError> {
        // The marks of the pieces are not those of the whole.
        let joined = Self::new(self.text, self.source, join(self.records)?);
        Ok(Self { has_halves: self.has_halves, ..joined })
    }

    /// Whether a record satisfies `condition`, which needs one of `marks`. So most files are declined without another look
    /// at each record.
    pub(crate) fn any_with(&self, marks: &[Mark], condition: impl Fn(&JsonNode<'t>) -> bool) -> bool {
        self.may_have_any(marks) && self.records.iter().any(|record| condition(&record.value))
    }

    /// Whether a record may have one of `marks`. If not, it is certain.
    pub(crate) fn may_have_any(&self, marks: &[Mark]) -> bool {
        self.marks.get_or_init(|| self.find_marks()).may_have_any(marks)
    }

    #[cold]
    fn find_marks(&self) -> Box<RecordMarks> {
        let mut marks = Box::<RecordMarks>::default();
        self.records.iter().for_each(|record| marks.add(&record.value));
        marks
    }

    /// Returns the first record. The error says that the file has no record.
    pub(crate) fn first(&self) -> Result<&JsonNode<'t>, String> {
        self.records.first().map(|record| &record.value).ok_or_else(|| "the list is empty".to_owned())
    }
}

/// The largest number of values in a text that is parsed at once. Large files are parsed run by run.
const MAX_VALUES: usize = 2_000_000;

/// Refuses a text with too many values, each of which takes more memory than text.
fn refuse_many_values(text: &str) -> Result<(), TraceError> {
    let Some(at) = find_excess_value(text) else { return Ok(()) };
    let (line, column) = find_line(text, at);
    let reason = format!("the text has more than {MAX_VALUES} values");
    Err(TraceProblem::TooMuch { line, column, reason }.into())
}

/// Returns the place of the first value after the largest number of values. The values are counted by the marks before them,
/// outside of strings.
pub(crate) fn find_excess_value(text: &str) -> Option<usize> {
    // Each value has at least one byte, so a short text needs no count. Before every value inside of a document there
    // is a comma, a colon or an opening bracket. An opening brace is not counted, because a colon follows for its
    // first entry.
    // A count that leaves strings out of account is many times as fast, and is enough for most texts.
    if text.len() <= MAX_VALUES || count_value_marks(text.as_bytes()) <= MAX_VALUES {
        return None;
    }
    let mut count = 0;
    let mut in_string = false;
    let mut escaped = false;
    text.bytes().position(|byte| {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            byte if !in_string && VALUE_MARKS.contains(&byte) => count += 1,
            _ => {}
        }
        count > MAX_VALUES
    })
}

/// The bytes that stand before a value, if they are outside of strings.
const VALUE_MARKS: [u8; 3] = [b',', b':', b'['];

/// Counts the same bytes, in strings as well.
fn count_value_marks(bytes: &[u8]) -> usize {
    VALUE_MARKS.iter().map(|mark| memchr_iter(*mark, bytes).count()).sum()
}

fn find_line(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    (1 + before.split(|byte| *byte == b'\n').count() - 1, at - line_start + 1)
}

fn read_event(line: usize, data: &str) -> Result<(Record<'_>, bool), TraceError> {
    match parse_value(data) {
        Ok((value, is_halved)) => Ok((Record { at: At::Line(line), value }, is_halved)),
        Err(error) => {
            Err(TraceProblem::NotJson { line, column: error.column(), reason: error.message().to_owned() }
                .into())
        }
    }
}

/// Parses one value, and says whether it has halves of characters.
pub(crate) fn parse_value(text: &str) -> Result<(JsonNode<'_>, bool), JsonError> {
    let mut values = JsonValues::with_halves(text);
    let value = values.read_whole()?;
    Ok((value, values.count_halves() > 0))
}

/// Turns a single document into a record without a line, and a single list into its elements.
fn flatten(mut records: Vec<Record<'_>>) -> Vec<Record<'_>> {
    // Several records have their lines; only a single document is without one.
    let [only] = records.as_mut_slice() else { return records };
    only.at = At::Whole;
    let JsonNode::Array(items) = &mut only.value else { return records };
    let items = std::mem::take(items);
    items.into_iter().enumerate().map(|(index, value)| Record { at: At::Item(index), value }).collect()
}

/// Finds the lines of values in one pass forwards, so that a file with many records is counted once.
struct Lines<'t> {
    text: &'t str,
    counted: usize,
    line: usize,
}

impl Lines<'_> {
    /// Returns the line of the value at byte `start`.
    fn of_value_at(&mut self, start: usize) -> usize {
        let passed = &self.text.as_bytes()[self.counted..start];
        self.line += memchr_iter(b'\n', passed).count();
        self.counted = start;
        self.line
    }
}

/// Builds the error of a text that is not JSON. To the parser a line break is a space, so in JSON Lines it would blame
/// the line after the broken one.
fn not_json(text: &str, error: &JsonError) -> TraceError {
    let broken = if is_json_lines(text) { first_broken_line(text) } else { None };
    let (line, error) = match &broken {
        Some((line, error)) => (*line, error),
        None => (error.line(), error),
    };
    TraceProblem::NotJson { line, column: error.column(), reason: error.message().to_owned() }.into()
}

/// Whether one of the first lines is a complete object. A pretty-printed document has no such line.
pub(crate) fn is_json_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).take(3);
    lines.any(|line| {
        // `{` or `{}` alone proves nothing: a pretty-printed document may have such a line.
        line.starts_with('{') && line.len() > 2 && parse_borrowed(line).is_ok()
    })
}

fn first_broken_line(text: &str) -> Option<(usize, JsonError)> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.into_iter().find_map(|(index, line)| {
        let parsed = parse_borrowed(line);
        parsed.err().map(|error| (index + 1, error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(text: &str) -> Vec<At> {
        let input = Input::parse(text).expect("it is JSON");
        input.records.iter().map(|record| record.at).collect()
    }

    #[test]
    fn a_document_a_list_and_lines_are_told_apart() {
        assert_eq!(places("{\"a\": 1}\n"), [At::Whole]);
        assert_eq!(places("[{}, {}]"), [At::Item(0), At::Item(1)]);
        assert_eq!(places("{\"a\":1}\r\n\r\n{\"b\":2}\r\n"), [At::Line(1), At::Line(3)]);
        assert_eq!(places("{\n \"a\": 1\n}\n{\n}\n"), [At::Line(1), At::Line(4)]);
    }

    #[test]
    fn a_broken_line_is_named_and_not_the_one_after_it() {
        let error = Input::parse("{\"a\": 1}\n{\"b\": \n{\"c\": 3}\n").expect_err("a cut line");
        assert_eq!(error.to_string(), "line 2, column 6: this is not JSON: EOF while parsing a value");
        let error = Input::parse("{\n \"a\": 1,\n}").expect_err("a comma too many");
        assert_eq!(error.to_string(), "line 3, column 1: this is not JSON: trailing comma");
    }

    #[test]
    fn values_stand_apart_and_an_error_has_its_place_in_the_file() {
        assert_eq!(places("{\"a\": 1}{\"b\": 2}\n[3]\n4 5\n\"é\"null"), [1, 1, 2, 3, 3, 4, 4].map(At::Line));
        for (text, place) in
            [("{}\nnulltrue", (2, 5)), ("{}\n 1x", (2, 3)), ("{}\n[é", (2, 2)), ("\u{c}{}", (1, 1))]
        {
            let error = Input::parse(text).expect_err("no JSON").to_string();
            assert!(error.starts_with(&format!("line {}, column {}:", place.0, place.1)), "{error}");
        }
    }
}
