//! Rows of a CSV file, each as the golden that it is.

use std::sync::Arc;

use arraign::place::{LoadError, LoadErrors, Place, Source};
use serde_json::{Map, Value};

/// Columns that are lists, with what stands between their entries.
const LISTS: &[(&str, char)] =
    &[("context", '|'), ("retrieval_context", '|'), ("tools_called", ';'), ("expected_tools", ';')];

/// Columns that are JSON where they are anything.
const JSON: &[&str] =
    &["additional_metadata", "custom_column_key_values", "expectations", "expected_labels", "turns"];

/// The rows below the header, each with its place.
pub(super) fn rows(source: &Arc<Source>) -> Result<Vec<(Place, Value)>, LoadErrors> {
    let mut records = records(source.text()).into_iter();
    let header = records.next().unwrap_or_default();
    if !["input", "scenario"].iter().any(|name| header.cells.iter().any(|cell| cell == name)) {
        let at = super::place(source, header.start, header.end);
        return Err(LoadError::new(at, "a table of goldens has a column `input`, or `scenario`").into());
    }
    let row = |record: Record| {
        let at = super::place(source, record.start, record.end);
        let cells = header.cells.iter().zip(record.cells).filter(|(_, cell)| !cell.is_empty());
        let golden: Map<String, Value> =
            cells.map(|(name, cell)| (name.clone(), value(name, &cell))).collect();
        (at, Value::Object(golden))
    };
    Ok(records.map(row).collect())
}

fn value(name: &str, cell: &str) -> Value {
    let parsed =
        || serde_json::from_str::<Value>(cell).ok().filter(|value| value.is_array() || value.is_object());
    if let Some((_, between)) = LISTS.iter().find(|(list, _)| *list == name) {
        let parts = || cell.split(*between).map(str::trim).filter(|part| !part.is_empty());
        return parsed().unwrap_or_else(|| parts().map(Value::from).collect());
    }
    let number = name.contains("token_co").then(|| serde_json::from_str(cell).ok()).flatten();
    let json = JSON.contains(&name).then(parsed).flatten();
    number.or(json).unwrap_or_else(|| cell.into())
}

#[derive(Default)]
struct Record {
    cells: Vec<String>,
    start: usize,
    end: usize,
}

/// The records of RFC 4180: a quoted cell may hold commas, line breaks and doubled quotes.
fn records(text: &str) -> Vec<Record> {
    let (mut records, mut record, mut cell) = (Vec::new(), Record::default(), String::new());
    let mut quoted = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if quoted && chars.next_if(|(_, next)| *next == '"').is_some() => cell.push('"'),
            '"' if quoted || cell.is_empty() => quoted = !quoted,
            ',' if !quoted => record.cells.push(std::mem::take(&mut cell)),
            '\r' if !quoted && chars.peek().is_some_and(|(_, next)| *next == '\n') => {}
            '\n' if !quoted => {
                record.cells.push(std::mem::take(&mut cell));
                let next = Record { start: at + 1, ..Record::default() };
                let whole = Record { end: at, ..std::mem::replace(&mut record, next) };
                records.push(whole);
            }
            c => cell.push(c),
        }
    }
    if !cell.is_empty() || !record.cells.is_empty() {
        record.cells.push(cell);
        records.push(Record { end: text.len(), ..record });
    }
    records.retain(|record| record.cells.iter().any(|cell| !cell.is_empty()));
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_breaks_are_part_of_a_cell() {
        let text = "input,expected_tools\r\n\"a, \"\"b\"\"\nc\",x;y\n\n,\nlast,";
        let source = Source::new("a.csv", text);
        let rows = rows(&source).expect("a table");
        assert_eq!(rows[0].1, serde_json::json!({"input": "a, \"b\"\nc", "expected_tools": ["x", "y"]}));
        assert_eq!((rows.len(), rows[0].0.line(), rows[1].0.line()), (2, 2, 6));
    }
}
