//! Parses the rows of a CSV file as goldens.

use std::sync::Arc;

use arraign::__internals::place::{LoadError, LoadErrors, Place, Source};
use arraign::json::{self, Json, JsonMap};

use crate::import::table::{TableRow, parse_table};

/// Columns with lists, and the separators of their entries.
const LISTS: &[(&str, char)] =
    &[("context", '|'), ("retrieval_context", '|'), ("tools_called", ';'), ("expected_tools", ';')];

/// Columns with JSON.
const JSON: &[&str] =
    &["additional_metadata", "custom_column_key_values", "expectations", "expected_labels", "turns"];

/// Parses the rows below the header, each with its position.
pub(super) fn parse_rows(source: &Arc<Source>) -> Result<Vec<(Place, Json)>, LoadErrors> {
    let table = parse_table(source)
        .map_err(|error| LoadError::new(Place::of_file(source.name()), error.to_string()))?;
    if !["input", "scenario"].iter().any(|name| table.columns.iter().any(|column| column == name)) {
        let header = source.text().lines().next().unwrap_or_default().len();
        let at = super::locate_bytes(source, 0, header);
        return Err(
            LoadError::new(at, "expected a table of goldens with a column `input` or `scenario`").into()
        );
    }
    Ok(table.rows.iter().map(|row| (locate_row(source, row), parse_golden(row))).collect())
}

fn locate_row(source: &Arc<Source>, row: &TableRow) -> Place {
    super::locate_bytes(source, row.span.0, row.span.1)
}

fn parse_golden(row: &TableRow) -> Json {
    let golden = row.cells.iter().map(|(name, cell)| (name.clone(), parse_cell(name, cell)));
    Json::Object(golden.collect::<JsonMap>())
}

fn parse_cell(name: &str, cell: &str) -> Json {
    let parsed = || json::parse(cell).ok().filter(|value| value.is_array() || value.is_object());
    if let Some((_, between)) = LISTS.iter().find(|(list, _)| *list == name) {
        let parts = cell.split(*between).map(str::trim).filter(|part| !part.is_empty());
        // A list may be written as JSON, or as texts with a separator of its own.
        return parsed().unwrap_or_else(|| parts.map(Json::from).collect());
    }
    let number = name.contains("token_co").then(|| json::from_str(cell).ok()).flatten();
    let json = JSON.contains(&name).then(parsed).flatten();
    number.or(json).unwrap_or_else(|| cell.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arraign::json::json;

    #[test]
    fn quotes_commas_and_line_breaks_are_part_of_a_cell() {
        let text = "input,expected_tools\r\n\"a, \"\"b\"\"\nc\",x;y\n\n,\nlast,";
        let source = Source::new("a.csv", text);
        let rows = parse_rows(&source).expect("a table");
        assert_eq!(rows[0].1, json!({"input": "a, \"b\"\nc", "expected_tools": ["x", "y"]}));
        assert_eq!((rows.len(), rows[0].0.line(), rows[1].0.line()), (2, 2, 6));
    }
}
