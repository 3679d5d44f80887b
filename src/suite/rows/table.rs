//! The rows of a case: from a file of CSV or JSON Lines, or written in the case.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;

use super::super::name::name_recording;
use crate::check::Scope;
use crate::outcome::count_noun;
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::yaml::{Document, Node, Tree, Value};

/// The largest number of rows of one case.
const MAX_ROWS: usize = 100_000;

/// The column that names a row, if there is one.
const ID_COLUMN: &str = "id";

/// The rows of one case.
pub(super) struct RowTable {
    pub(super) rows: Vec<RowValues>,
    /// The names of all columns, in the order of their first rows.
    pub(super) columns: ColumnNames,
    /// The place of the file, or of the list of rows.
    pub(super) place: Place,
}

/// The names of columns, each once. A file may have a hundred thousand.
#[derive(Default)]
pub(super) struct ColumnNames {
    names: Vec<SmolStr>,
    known: HashSet<SmolStr>,
}

impl ColumnNames {
    /// Adds a name. Returns false if it is known.
    fn add(&mut self, name: &SmolStr) -> bool {
        let is_new = self.known.insert(name.clone());
        if is_new {
            self.names.push(name.clone());
        }
        is_new
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.known.contains(name)
    }

    /// Splits the name in a placeholder from the filter behind it: `amount | number`. A column of exactly this name comes first.
    pub(super) fn split_filter<'n>(&self, name: &'n str) -> (&'n str, Option<&'n str>) {
        match name.rsplit_once('|') {
            Some((column, filter)) if !self.contains(name) => (column.trim_end(), Some(filter.trim_start())),
            _ => (name, None),
        }
    }

    pub(super) fn as_slice(&self) -> &[SmolStr] {
        &self.names
    }
}

/// The values of one row by column.
pub(super) struct RowValues {
    /// The name of the row, unique among the rows of the case.
    pub(super) key: String,
    pub(super) place: Place,
    pub(super) values: Vec<(SmolStr, Tree)>,
}

impl RowValues {
    pub(super) fn get(&self, column: &str) -> Option<&Tree> {
        self.values.iter().find(|(name, _)| name == column).map(|(_, value)| value)
    }
}

/// Reads the rows that `case` has, if any.
pub(super) fn read_rows(case: Node<'_>, scope: &Scope<'_>) -> Result<Option<RowTable>, LoadErrors> {
    let (table, place) = match (case.get("cases"), case.get("each")) {
        (None, None) => return Ok(None),
        (Some(_), Some(each)) => {
            let help = "move the rows of `each` to the file of `cases`, or the other way round";
            return Err(each.error("a case has `cases` or `each`, not both").help(help).into());
        }
        (Some(file), None) => (read_file(file, scope)?, file.place()),
        (None, Some(each)) => (read_inline(each)?, each.place()),
    };
    let (rows, columns) = table;
    if rows.is_empty() {
        return Err(LoadError::new(place, "there is no row, so the case would test nothing").into());
    }
    if rows.len() > MAX_ROWS {
        let problem = format!("{} rows are more than the {MAX_ROWS} that a case may have", rows.len());
        return Err(LoadError::new(place, problem).help("split the file").into());
    }
    refuse_same_keys(&rows)?;
    Ok(Some(RowTable { rows, columns, place }))
}

type Rows = (Vec<RowValues>, ColumnNames);

/// Reads the rows of `each: [{column: value, ...}, ...]`. Their values keep their types.
fn read_inline(each: Node<'_>) -> Result<Rows, LoadErrors> {
    let Some(entries) = each.list() else {
        let problem = format!("`each` is a list of rows, not {}", each.describe());
        return Err(each.error(problem).help("write `each: [{column: value}, ...]`").into());
    };
    let mut rows = Vec::new();
    let mut columns = ColumnNames::default();
    let mut errors = LoadErrors::new();
    for (index, entry) in entries.enumerate() {
        let Value::Map(values) = entry.value() else {
            let problem = format!("a row is a mapping of columns to values, not {}", entry.describe());
            errors.push(entry.error(problem));
            continue;
        };
        let values: Vec<(SmolStr, Tree)> =
            values.iter().map(|(key, tree)| (key.name.clone(), tree.clone())).collect();
        // Rows need not have all columns: they are collected in the order in which they are met first.
        for (name, _) in &values {
            columns.add(name);
        }
        rows.push(RowValues { key: name_row(&values, index), place: entry.place(), values });
    }
    errors.or((rows, columns))
}

/// Reads the file that `cases` names: CSV, whose values are all texts, or JSON Lines, whose values keep their types.
fn read_file(node: Node<'_>, scope: &Scope<'_>) -> Result<Rows, LoadErrors> {
    let path = scope.path(node)?;
    let is_any = |known: &[&str]| {
        path.extension()
            .is_some_and(|extension| known.iter().any(|known| extension.eq_ignore_ascii_case(known)))
    };
    let is_csv = is_any(&["csv"]);
    if !is_csv && !is_any(&["jsonl", "ndjson"]) {
        let problem =
            "the rows of a case are in a file of CSV or JSON Lines: `cases: rows.csv`, `cases: rows.jsonl`";
        return Err(node.error(problem).help("write rows of YAML in the case: `each: [{...}]`").into());
    }
    let source = scope.files.source(&path).map_err(|error| scope.blame(node, &path, error.into()))?;
    if is_csv { Ok(parse_csv(&source)?) } else { parse_json_lines(&source) }
}

/// Parses JSON Lines: each line is one row, which need not have all columns.
fn parse_json_lines(source: &Arc<Source>) -> Result<Rows, LoadErrors> {
    let mut rows = Vec::new();
    let mut columns = ColumnNames::default();
    let mut errors = LoadErrors::new();
    let mut start = 0;
    for line in source.text().split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if line.trim().is_empty() {
            continue;
        }
        let documents = errors.take(Document::parse_range(source, range.clone())).unwrap_or_default();
        let place = place_of_line(source, range.start);
        for document in documents {
            let Value::Map(values) = document.root.value else {
                let problem =
                    format!("a row is an object of columns and values, not {}", document.root().describe());
                errors.push(LoadError::new(place.clone(), problem));
                continue;
            };
            let values: Vec<(SmolStr, Tree)> =
                values.into_iter().map(|(key, tree)| (key.name, tree)).collect();
            for (name, _) in &values {
                columns.add(name);
            }
            rows.push(RowValues { key: name_row(&values, rows.len()), place: place.clone(), values });
        }
        // The rest would be refused anyway.
        if rows.len() + errors.len() > MAX_ROWS {
            break;
        }
    }
    errors.or((rows, columns))
}

fn parse_csv(source: &Arc<Source>) -> Result<Rows, LoadError> {
    let text = source.text();
    // Spreadsheets put a byte order mark before a CSV file. It is no part of the first column's name.
    let skipped = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
    let mut reader = csv::Reader::from_reader(&text.as_bytes()[skipped..]);
    let locate = |start: usize| place_of_line(source, skipped + start);
    let columns = match reader.headers() {
        Ok(headers) => read_columns(headers, locate(0))?,
        Err(error) => return Err(describe_csv_error(&error, locate)),
    };
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| describe_csv_error(&error, locate))?;
        let place = locate(find_start(record.position()));
        let span = place.span();
        let texts = record.iter().map(|text| Tree { span, value: Value::String(text.into()) });
        let values: Vec<(SmolStr, Tree)> = columns.as_slice().iter().cloned().zip(texts).collect();
        rows.push(RowValues { key: name_row(&values, rows.len()), place, values });
        // The rest would be refused anyway.
        if rows.len() > MAX_ROWS {
            break;
        }
    }
    Ok((rows, columns))
}

/// Returns the names of the columns: each has one, of its own.
fn read_columns(headers: &csv::StringRecord, place: Place) -> Result<ColumnNames, LoadError> {
    let names: Vec<SmolStr> = headers.iter().map(|name| name.trim().into()).collect();
    if names.is_empty() {
        return Err(LoadError::new(place, "the file is empty: its first line names the columns"));
    }
    let mut columns = ColumnNames::default();
    for (index, name) in names.iter().enumerate() {
        if name.is_empty() {
            return Err(LoadError::new(place, format!("the column {} has no name", index + 1)));
        }
        // Two values for one placeholder: whichever is taken, the row is not what its author sees.
        if !columns.add(name) {
            return Err(LoadError::new(place, format!("two columns are called `{name}`")));
        }
    }
    Ok(columns)
}

fn describe_csv_error(error: &csv::Error, locate: impl Fn(usize) -> Place) -> LoadError {
    let problem = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let [len, expected] =
                [*len, *expected_len].map(|count| usize::try_from(count).unwrap_or(usize::MAX));
            format!(
                "this row has {}, and the first line names {}",
                count_noun(len, "value"),
                count_noun(expected, "column")
            )
        }
        _ => format!("not valid CSV: {error}"),
    };
    LoadError::new(locate(find_start(error.position())), problem)
        .help("quote a value that contains a comma: \"a, b\"")
}

fn find_start(position: Option<&csv::Position>) -> usize {
    position.and_then(|position| usize::try_from(position.byte()).ok()).unwrap_or_default()
}

/// The line at `start`, or the next one with text. A record is reported with the line breaks before it.
fn place_of_line(source: &Arc<Source>, start: usize) -> Place {
    let text = &source.text()[start..];
    let start = start + (text.len() - text.trim_start_matches(['\r', '\n']).len());
    let line = source.text()[start..].lines().next().unwrap_or_default();
    let [start, end] = [start, start + line.len()].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
    Place::new(source, Span { start, end })
}

/// The value of the column `id`, or else of the first one. A row without such a value has its number.
fn name_row(values: &[(SmolStr, Tree)], index: usize) -> String {
    let naming = find_naming_column(values.iter().map(|(name, _)| name));
    naming
        .and_then(|column| render_scalar(&values[column].1.value))
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| (index + 1).to_string())
}

/// Returns the index of the column that names the rows: `id`, or else the first one.
pub(super) fn find_naming_column<'c>(
    mut columns: impl ExactSizeIterator<Item = &'c SmolStr>,
) -> Option<usize> {
    let count = columns.len();
    columns.position(|name| name == ID_COLUMN).or((count > 0).then_some(0))
}

/// Renders a value as it stands inside a text. A list or a mapping has no such form.
pub(super) fn render_scalar(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => String::new(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        Value::NotFinite(number) => number.to_string(),
        Value::String(text) => text.to_string(),
        Value::List(_) | Value::Map(_) => return None,
    })
}

/// Two rows of one name would be one trial. Recordings are files, whose names differ less.
fn refuse_same_keys(rows: &[RowValues]) -> Result<(), LoadErrors> {
    let mut seen = HashMap::new();
    let mut errors = LoadErrors::new();
    for row in rows {
        if let Some(first) = seen.insert(name_recording(&row.key), row) {
            let line = first.place.line();
            let problem = format!("the row `{}` has the name of the row in line {line}", row.key);
            let help = "give each row a name of its own, in the column `id` or in the first one";
            errors.push(LoadError::new(row.place.clone(), problem).help(help));
        }
    }
    errors.or(())
}
