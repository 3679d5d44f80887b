//! The changed arguments of a call, value by value.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::json::Json;
use crate::secrets::QuotedText;
use crate::trace::Arguments;
use crate::yaml::escape_token;

/// The largest length of a value in a line, in characters.
const VALUE_WIDTH: usize = 60;

/// The largest number of changes. A list without its first item differs in each item.
const MOST_CHANGES: usize = 100;

/// One value that changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArgumentChange {
    /// The JSON pointer to the value. Empty for the arguments as a whole.
    pub pointer: String,
    /// The value in the baseline. `None` for an added value.
    #[serde(default, deserialize_with = "even_null", skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Json>,
    /// The value in the run. `None` for a removed value.
    #[serde(default, deserialize_with = "even_null", skip_serializing_if = "Option::is_none")]
    pub actual: Option<Json>,
}

fn even_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// `/city: "Rome" became "Oslo"`.
impl fmt::Display for ArgumentChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() { "arguments" } else { &self.pointer };
        match (&self.baseline, &self.actual) {
            (Some(old), Some(new)) => write!(f, "{pointer}: {} became {}", shorten(old), shorten(new)),
            (Some(old), None) => write!(f, "{pointer}: {} was removed", shorten(old)),
            (None, Some(new)) => write!(f, "{pointer}: {} was added", shorten(new)),
            (None, None) => f.write_str(pointer),
        }
    }
}

fn shorten(value: &Json) -> String {
    QuotedText::from_json(value).cut_end(VALUE_WIDTH).to_string()
}

/// Returns the first [`MOST_CHANGES`] changes from `old` to `new`. Numbers are equal by value: 1 equals 1.0. `true` is not 1.
pub(super) fn argument_changes(old: &Arguments, new: &Arguments) -> Vec<ArgumentChange> {
    let mut changes = Vec::new();
    match (old, new) {
        (Arguments::Json(old), Arguments::Json(new)) => {
            compare_values(old, new, &mut String::new(), &mut changes);
        }
        // Arguments that are no JSON have only their text to be compared by.
        (old, new) if old.to_text() == new.to_text() => {}
        (old, new) => push_change(&mut changes, "", Some(value_of(old)), Some(value_of(new))),
    }
    changes
}

/// Returns the arguments as JSON, or their text if they are not valid JSON.
fn value_of(arguments: &Arguments) -> Json {
    arguments.json().cloned().unwrap_or_else(|| Json::String(arguments.to_text().into()))
}

fn compare_values(old: &Json, new: &Json, pointer: &mut String, changes: &mut Vec<ArgumentChange>) {
    match (old, new) {
        (Json::Object(old), Json::Object(new)) => {
            // Old keys in their order, then the added ones, so that the list of changes reads like the old arguments.
            let kept = old.iter().map(|(key, value)| (key, Some(value), new.get(key)));
            let added = new.iter().filter(|(key, _)| !old.contains_key(key));
            let added = added.map(|(key, value)| (key, None, Some(value)));
            for (key, old, new) in kept.chain(added) {
                compare_at(&escape_token(key), old, new, pointer, changes);
            }
        }
        (Json::Array(old), Json::Array(new)) => {
            for index in 0..old.len().max(new.len()) {
                compare_at(&index.to_string(), old.get(index), new.get(index), pointer, changes);
            }
        }
        (old, new) if old == new => {}
        (old, new) => push_change(changes, pointer, Some(old.clone()), Some(new.clone())),
    }
}

/// Compares the values below the key or index `token`.
fn compare_at(
    token: &str,
    old: Option<&Json>,
    new: Option<&Json>,
    pointer: &mut String,
    changes: &mut Vec<ArgumentChange>,
) {
    // The list is full. The values below are not visited either.
    if changes.len() == MOST_CHANGES {
        return;
    }
    // One buffer holds the pointer of the whole walk: the step is added, and taken off again.
    let above = pointer.len();
    pointer.push('/');
    pointer.push_str(token);
    match (old, new) {
        (Some(old), Some(new)) => compare_values(old, new, pointer, changes),
        (old, new) => push_change(changes, pointer, old.cloned(), new.cloned()),
    }
    pointer.truncate(above);
}

fn push_change(
    changes: &mut Vec<ArgumentChange>,
    pointer: &str,
    baseline: Option<Json>,
    actual: Option<Json>,
) {
    changes.push(ArgumentChange { pointer: pointer.to_owned(), baseline, actual });
}

#[cfg(test)]
mod tests {
    use crate::json::{self, json};

    use super::*;

    fn lines(old: Json, new: Json) -> Vec<String> {
        let changes = argument_changes(&Arguments::Json(old), &Arguments::Json(new));
        changes.iter().map(ArgumentChange::to_string).collect()
    }

    #[test]
    fn each_value_that_changed_is_named_with_both_values() {
        let old = json!({"to": {"city": "Rome", "a/b": 1}, "days": [1, 2], "gone": null, "same": 1});
        let new = json!({"same": 1.0, "to": {"city": "Oslo", "a/b": true}, "days": [1, 3, 4], "new": {}});
        assert_eq!(
            lines(old, new),
            [
                r#"/to/city: "Rome" became "Oslo""#,
                "/to/a~1b: 1 became true",
                "/days/1: 2 became 3",
                "/days/2: 4 was added",
                "/gone: null was removed",
                "/new: {} was added",
            ]
        );
    }

    #[test]
    fn the_order_of_keys_and_the_spelling_of_numbers_are_no_change() {
        assert!(lines(json!({"a": 1, "b": [0]}), json!({"b": [-0.0], "a": 1.0})).is_empty());
    }

    #[test]
    fn arguments_that_are_no_json_are_compared_as_text() {
        let broken = Arguments::from_text("{\"a\": ");
        let whole = argument_changes(&broken, &Arguments::none());
        assert_eq!(whole[0].to_string(), r#"arguments: "{\"a\": " became {}"#);
        assert!(argument_changes(&broken, &broken.clone()).is_empty());
    }

    #[test]
    fn null_is_a_value_that_survives_the_way_through_json() {
        let change =
            argument_changes(&Arguments::Json(json!({"a": 1})), &Arguments::Json(json!({"a": null})));
        let back: Vec<ArgumentChange> =
            json::from_json(json::to_json(&change).expect("JSON")).expect("a change");
        assert_eq!(back, change);
        assert_eq!(back[0].actual, Some(Json::Null));
    }

    #[test]
    fn the_list_of_changes_ends_somewhere() {
        let [old, new] = [0..5_000, 1..5_001].map(|range| Json::from(range.collect::<Vec<usize>>()));
        assert_eq!(lines(old, new).len(), MOST_CHANGES);
    }

    #[test]
    fn a_long_value_is_cut_in_a_line_only() {
        let line = &lines(json!({"q": "x"}), json!({"q": "é".repeat(500)}))[0];
        assert!(line.ends_with("é...") && line.chars().count() < 90, "{line}");
    }
}
