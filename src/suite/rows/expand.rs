//! One case with rows becomes one case for each row.

use std::collections::HashSet;
use std::sync::Arc;

use smol_str::SmolStr;

use super::fill::{OtherPlaceholders, RowFiller};
use super::table::{RowTable, RowValues, find_naming_column, read_rows};
use crate::case::{CaseRow, TemplatePart, split_placeholders};
use crate::check::Scope;
use crate::place::{LoadErrors, Source};
use crate::suite::copies::CopyBudget;
use crate::yaml::{Key, Tree, Value};

/// The keys that are read of a case that is not wanted: its name, and what its runs are found by.
const KEYS_OF_NEIGHBOURS: [&str; 6] = ["id", "name", "input", "prompt", "turns", "trace"];

/// Makes the cases of rows.
pub(in crate::suite) struct RowExpander<'e> {
    pub(in crate::suite) wanted: &'e dyn Fn(Option<&str>) -> bool,
    pub(in crate::suite) copies: &'e mut CopyBudget,
}

/// A case of a row.
pub(in crate::suite) type RowCase = (Tree, Arc<CaseRow>);

impl RowExpander<'_> {
    /// Returns a case for each row of `case`, or `None` if it has no rows. Of a case that is not wanted only the keys are
    /// filled that its neighbours need. When the budget is used up, the other rows are left out, and the caller refuses the file.
    pub(in crate::suite) fn expand_case(
        &mut self,
        case: &Tree,
        source: &Arc<Source>,
        scope: &Scope<'_>,
    ) -> Result<Option<Vec<RowCase>>, LoadErrors> {
        let node = case.node(source);
        let (Value::Map(entries), Some(table)) = (&case.value, read_rows(node, scope)?) else {
            return Ok(None);
        };
        let entries: Vec<(Key, Tree)> =
            entries.iter().filter(|(key, _)| key.name != "cases" && key.name != "each").cloned().collect();
        // The unused columns belong to the whole table. They are noted once, with the first row.
        let mut unused = list_unused_columns(&entries, &table);
        let mut cases = Vec::with_capacity(table.rows.len());
        let mut errors = LoadErrors::new();
        for row in &table.rows {
            let unused = (!unused.is_empty()).then(|| (table.place.clone(), std::mem::take(&mut unused)));
            let place = row.place.clone();
            let case_row = CaseRow { key: row.key.clone(), place, unused };
            let mut filler = RowFiller {
                row,
                table: &table,
                source,
                errors: LoadErrors::new(),
                copies: &mut *self.copies,
            };
            let value = Value::Map(fill_case(self.wanted, &mut filler, case, &entries));
            errors.extend(super::note_row(filler.errors, &case_row));
            cases.push((Tree { span: case.span, value }, Arc::new(case_row)));
            if self.copies.is_used_up() {
                break;
            }
        }
        errors.or(Some(cases))
    }
}

fn fill_case(
    wanted: &dyn Fn(Option<&str>) -> bool,
    filler: &mut RowFiller<'_>,
    case: &Tree,
    entries: &[(Key, Tree)],
) -> Vec<(Key, Tree)> {
    let (key, id) = name_case(filler, case, entries);
    let is_wanted = match &id.value {
        Value::String(id) => wanted(Some(id)),
        _ => true,
    };
    // The id was filled before, to decide whether the case is wanted.
    let kept = entries.iter().filter(|(known, _)| {
        known.name != key.name && (is_wanted || KEYS_OF_NEIGHBOURS.contains(&known.name.as_str()))
    });
    let rest: Vec<(Key, Tree)> = filler.fill_entries(kept);
    [(key, id)].into_iter().chain(rest).collect()
}

/// The id of the case of a row: the case's own id, which contains a placeholder or gets the row's name in brackets. In a case
/// without an id, the row's name.
fn name_case(filler: &mut RowFiller<'_>, case: &Tree, entries: &[(Key, Tree)]) -> (Key, Tree) {
    let row: &RowValues = filler.row;
    let Some((key, id)) = entries.iter().find(|(key, _)| key.name == "id" || key.name == "name") else {
        let key = Key { span: case.span, name: "id".into() };
        return (key, Tree { span: case.span, value: Value::String(row.key.as_str().into()) });
    };
    let value = match &id.value {
        Value::String(text) if text.contains("{{") => {
            match filler.fill_text(text, id.span, OtherPlaceholders::Refused) {
                // A whole number in a cell is an id as well, whose text is meant.
                Some(Value::Number(number)) if number.is_written_as_integer() => {
                    Value::String(number.to_string().into())
                }
                text => text.unwrap_or(Value::Null),
            }
        }
        Value::String(text) => Value::String(format!("{text}[{}]", row.key).into()),
        Value::Number(number) if number.is_written_as_integer() => {
            Value::String(format!("{number}[{}]", row.key).into())
        }
        other => other.clone(),
    };
    (key.clone(), Tree { span: id.span, value })
}

/// The columns that no placeholder names. The one that names the rows is used.
fn list_unused_columns(entries: &[(Key, Tree)], table: &RowTable) -> Vec<String> {
    let mut named = HashSet::new();
    for (_, tree) in entries {
        collect_names(tree, &mut named);
    }
    let used: HashSet<&str> = named.into_iter().map(|name| table.columns.split_filter(name).0).collect();
    let naming = find_naming_column(table.columns.as_slice().iter());
    let columns = table.columns.as_slice().iter().map(SmolStr::as_str).enumerate();
    let unused = columns.filter(|(index, column)| !used.contains(column) && Some(*index) != naming);
    unused.map(|(_, column)| column.to_owned()).collect()
}

fn collect_names<'t>(tree: &'t Tree, names: &mut HashSet<&'t str>) {
    match &tree.value {
        Value::String(text) => {
            names.extend(split_placeholders(text).filter_map(|part| match part {
                TemplatePart::Placeholder { name, .. } => Some(name),
                TemplatePart::Text(_) | TemplatePart::Unclosed(_) => None,
            }));
        }
        Value::List(trees) => trees.iter().for_each(|tree| collect_names(tree, names)),
        Value::Map(entries) => entries.iter().for_each(|(_, tree)| collect_names(tree, names)),
        _ => {}
    }
}
