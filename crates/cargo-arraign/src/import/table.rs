//! Parses CSV files.

use std::sync::Arc;

use arraign::__internals::place::Source;
use csv::{ReaderBuilder, StringRecord};

/// A row of a CSV file.
pub(super) struct TableRow {
    /// The cells that are not empty, with the names of their columns.
    pub(super) cells: Vec<(String, String)>,
    /// The line number.
    pub(super) line: usize,
    /// The byte range.
    pub(super) span: (usize, usize),
}

/// A CSV file.
pub(super) struct Table {
    /// The names of the columns.
    pub(super) columns: Vec<String>,
    /// The rows that are not empty.
    pub(super) rows: Vec<TableRow>,
}

/// Parses `source`. A quoted cell can contain commas, line breaks and doubled quotes.
pub(super) fn parse_table(source: &Arc<Source>) -> Result<Table, csv::Error> {
    let mut reader =
        ReaderBuilder::new().has_headers(false).flexible(true).from_reader(source.text().as_bytes());
    let mut record = StringRecord::new();
    let mut columns = None;
    let mut rows = Vec::new();
    while reader.read_record(&mut record)? {
        let Some(columns) = &columns else {
            columns = Some(record.iter().map(str::to_owned).collect::<Vec<String>>());
            continue;
        };
        let named = columns.iter().cloned().zip(record.iter().map(str::to_owned));
        let cells: Vec<(String, String)> = named.filter(|(_, cell)| !cell.is_empty()).collect();
        // The reader stands behind the row now, and only from its end can the line of the row be found.
        let ended = usize::try_from(reader.position().byte()).unwrap_or(usize::MAX);
        if !cells.is_empty() {
            rows.push(locate_row(cells, &record, source.text(), ended));
        }
    }
    Ok(Table { columns: columns.unwrap_or_default(), rows })
}

/// Locates a row. The CSV reader counts empty lines before a row as part of it.
fn locate_row(cells: Vec<(String, String)>, record: &StringRecord, text: &str, ended: usize) -> TableRow {
    let begun = record.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(0));
    let whole = text.get(begun..ended).unwrap_or_default();
    let begun = begun + (whole.len() - whole.trim_start_matches(['\r', '\n']).len());
    let before = text.get(..begun).unwrap_or_default();
    let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    TableRow {
        cells,
        line,
        span: (begun, begun + text.get(begun..ended).unwrap_or_default().trim_end().len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_commas_and_line_breaks_are_part_of_a_cell() {
        let text = "input,tools\r\n\"a, \"\"b\"\"\nc\",x;y\n\n,\n\nlast,";
        let table = parse_table(&Source::new("a.csv", text)).expect("a table");
        assert_eq!(table.columns, ["input", "tools"]);
        let cells: Vec<&str> =
            table.rows.iter().flat_map(|row| &row.cells).map(|(_, cell)| cell.as_str()).collect();
        assert_eq!(cells, ["a, \"b\"\nc", "x;y", "last"]);
        let lines: Vec<usize> = table.rows.iter().map(|row| row.line).collect();
        assert_eq!(lines, [2, 7]);
        let (start, end) = table.rows[0].span;
        assert_eq!(&text[start..end], "\"a, \"\"b\"\"\nc\",x;y");
    }
}
