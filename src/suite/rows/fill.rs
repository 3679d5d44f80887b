//! Fills the placeholders of a case with the values of a row.
//!
//! A text that is exactly `{{column}}` becomes the value, whatever its type; inside a longer text the value becomes text.
//! `{{column | number}}` and `{{column | json}}` read the text of a cell. An
//! inserted value is not searched for placeholders, so a row cannot reach another column.

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStr;

use super::table::{RowTable, RowValues, render_scalar};
use crate::case::{Template, TemplatePart, split_placeholders};
use crate::json::{self, Json};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};
use crate::secrets::QuotedText;
use crate::suite::copies::CopyBudget;
use crate::yaml::{Document, Key, Tree, Value, did_you_mean, suggest_or_list};

/// The number of columns that a wrong name is compared with. Each row reports it anew.
const MAX_SUGGESTED: usize = 1_000;

/// What the text of a cell can be read as.
const FILTERS: &[&str] = &["json", "number"];

/// The number of characters of a cell that a message shows.
const SHOWN: usize = 80;

/// Fills the case of one row.
pub(super) struct RowFiller<'r> {
    pub(super) row: &'r RowValues,
    pub(super) table: &'r RowTable,
    pub(super) source: &'r Arc<Source>,
    pub(super) errors: LoadErrors,
    /// What may still be copied.
    pub(super) copies: &'r mut CopyBudget,
}

/// The placeholders of a text that no row fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OtherPlaceholders {
    /// What an agent is asked.
    OfAgent,
    /// The arguments of calls of mock tools.
    OfCalls,
    /// No further names: another name is a mistake.
    Refused,
}

impl<'r> RowFiller<'r> {
    /// Returns a copy of entries of a case, filled. The placeholders of the agent stay, and those of mock tools that no column
    /// fills: arguments of calls fill them.
    pub(super) fn fill_entries<'t>(
        &mut self,
        entries: impl Iterator<Item = &'t (Key, Tree)>,
    ) -> Vec<(Key, Tree)> {
        let fillers = entries.map(|(key, tree)| {
            let others = match key.name.as_str() {
                "agent" => OtherPlaceholders::OfAgent,
                "mocks" => OtherPlaceholders::OfCalls,
                _ => OtherPlaceholders::Refused,
            };
            (key.clone(), self.fill_tree(tree, others))
        });
        fillers.collect()
    }

    fn fill_tree(&mut self, tree: &Tree, others: OtherPlaceholders) -> Tree {
        // The budget is used up: the rest of the case is left out, and the file is refused.
        if !self.copies.count_value(0) {
            return Tree { span: tree.span, value: Value::Null };
        }
        let value = match &tree.value {
            Value::String(text) if text.contains("{{") => {
                self.fill_text(text, tree.span, others).unwrap_or(Value::Null)
            }
            Value::List(trees) => {
                Value::List(trees.iter().map(|tree| self.fill_tree(tree, others)).collect())
            }
            Value::Map(entries) => Value::Map(
                entries
                    .iter()
                    .map(|(key, tree)| (self.fill_key(key, others), self.fill_tree(tree, others)))
                    .collect(),
            ),
            value => value.clone(),
        };
        Tree { span: tree.span, value }
    }

    /// Fills one text; `None` if it has a mistake.
    pub(super) fn fill_text(&mut self, text: &str, span: Span, others: OtherPlaceholders) -> Option<Value> {
        let mut filled = String::new();
        for part in split_placeholders(text) {
            match part {
                TemplatePart::Text(written) => filled.push_str(written),
                TemplatePart::Unclosed(written) if others != OtherPlaceholders::Refused => {
                    filled.push_str(written);
                }
                TemplatePart::Unclosed(_) => {
                    self.fail(span, "`{{` has no `}}` behind it".to_owned(), None);
                    return None;
                }
                TemplatePart::Placeholder { written, name } if self.leaves(name, others) => {
                    filled.push_str(written);
                }
                TemplatePart::Placeholder { written, name } => {
                    let (column, filter) = self.table.columns.split_filter(name);
                    let cell = self.find_value(column, span)?;
                    let value = match filter {
                        Some(filter) => self.convert(cell, column, filter, span)?,
                        None => Cow::Borrowed(cell),
                    };
                    // The placeholder is the whole text: the value keeps its type.
                    if written.len() == text.len() {
                        return Some(self.copy_value(&value, span));
                    }
                    filled.push_str(&self.render_inside(column, &value.value, span)?);
                }
            }
        }
        self.copies.count_text(filled.len());
        Some(Value::String(filled.into()))
    }

    /// Fills a key that is a pointer into a state: `/orders/{{id}}`. Other keys are names.
    fn fill_key(&mut self, key: &Key, others: OtherPlaceholders) -> Key {
        if !key.name.starts_with('/') || !key.name.contains("{{") {
            return key.clone();
        }
        let filled = self.fill_text(&key.name, key.span, others);
        match filled.as_ref().and_then(render_scalar) {
            Some(name) => Key { name: name.into(), span: key.span },
            None => key.clone(),
        }
    }

    /// Whether a placeholder stays, because something else fills it later.
    fn leaves(&self, name: &str, others: OtherPlaceholders) -> bool {
        match others {
            OtherPlaceholders::OfAgent => Template::knows_name(name),
            OtherPlaceholders::OfCalls => {
                let (column, _) = self.table.columns.split_filter(name);
                !self.table.columns.contains(column)
            }
            OtherPlaceholders::Refused => false,
        }
    }

    /// Renders a value that stands inside a longer text.
    fn render_inside(&mut self, name: &str, value: &Value, span: Span) -> Option<String> {
        let text = render_scalar(value);
        if text.is_none() {
            let problem =
                format!("`{{{{{name}}}}}` is a list or a mapping: it can only stand alone in a text");
            self.fail(span, problem, None);
        }
        // What is inserted counts against a limit, so that a few cells cannot fill the memory by being repeated.
        self.copies.count_text(text.as_ref().map_or(0, String::len));
        text
    }

    fn find_value(&mut self, name: &str, span: Span) -> Option<&'r Tree> {
        let found = self.row.get(name);
        if found.is_none() {
            // A missing cell is a mistake of the row, and an unknown column one of the case.
            let (problem, help) = if self.table.columns.contains(name) {
                (format!("this row has no value for `{{{{{name}}}}}`"), None)
            } else {
                let columns = self.table.columns.as_slice().iter().take(MAX_SUGGESTED);
                let columns: Vec<&str> = columns.map(SmolStr::as_str).collect();
                (format!("no column is called `{name}`"), suggest_column(name, &columns))
            };
            self.fail(span, problem, help);
        }
        found
    }

    /// Converts the text of a cell as the filter of its placeholder says. A value of the wanted type stays as it is.
    fn convert(&mut self, cell: &'r Tree, column: &str, filter: &str, span: Span) -> Option<Cow<'r, Tree>> {
        let is_number = match filter {
            "number" => true,
            "json" => false,
            other => {
                let problem = format!("unknown filter `{other}`");
                self.fail(span, problem, Some(suggest_or_list(other, FILTERS)));
                return None;
            }
        };
        let text = match &cell.value {
            Value::String(text) => text.trim(),
            Value::Number(_) => return Some(Cow::Borrowed(cell)),
            _ if !is_number => return Some(Cow::Borrowed(cell)),
            value => {
                let found = render_scalar(value).filter(|text| !text.is_empty());
                let found = found.map_or("a list or a mapping".to_owned(), |text| format!("`{text}`"));
                self.fail(span, format!("expected a number in the column `{column}`, found {found}"), None);
                return None;
            }
        };
        let parsed = json::from_str::<Json>(text).ok().filter(|value| !is_number || value.is_number());
        if parsed.is_none() {
            let what = if is_number { "number" } else { "JSON" };
            let quoted = QuotedText::new(text);
            let shown = quoted.cut_end(SHOWN);
            let help = is_number
                .then(|| "a number is written as in JSON: `1234.5`, without blanks or units".to_owned());
            self.fail(
                span,
                format!("the column `{column}` has the text `{shown}`, which is no {what}"),
                help,
            );
            return None;
        }
        // Every JSON text is YAML, whose tree keeps the digits of numbers.
        let source = Source::new("cell", text.to_owned());
        let document = self.errors.take(Document::parse(&source))?.into_iter().next()?;
        Some(Cow::Owned(document.root.map_spans(&|_| span)))
    }

    /// A value of a row, as if it stood at `span`: the place of the row is said beside.
    fn copy_value(&mut self, tree: &Tree, span: Span) -> Value {
        if self.copies.count_tree(tree) { tree.map_spans(&|_| span).value } else { Value::Null }
    }

    fn fail(&mut self, span: Span, problem: String, help: Option<String>) {
        let place = Place::new(self.source, span);
        self.errors.push(LoadError::new(place, problem).help_if(help));
    }
}

/// Suggests the column that is probably meant. A single column whose name has another separator than a comma is a file that
/// some spreadsheets write.
fn suggest_column(name: &str, columns: &[&str]) -> Option<String> {
    let separator = match columns {
        [only] => {
            [(';', "semicolons"), ('\t', "tabs")].into_iter().find(|(separator, _)| only.contains(*separator))
        }
        _ => None,
    };
    match separator {
        Some((_, plural)) => Some(format!("the file has {plural} between its columns: save it with commas")),
        None => did_you_mean(name, columns),
    }
}
