//! Values that are read as something else than what the file holds: a text that is JSON, an object with numbered keys, an
//! object whose keys are ids.
//!
//! They are replaced in the document before anything is selected, so that all paths see the same values.

use std::collections::BTreeMap;

use super::declaration::DeclarationFields;
use super::pointer::{follow_pointer, follow_pointer_mut};
use super::selector::PathSelector;

use crate::json::{self, Json, JsonNode, JsonObject};

/// Replaces the values of a whole document.
pub(super) fn prepare_document(fields: &DeclarationFields, document: &mut JsonNode<'_>) {
    // A path selects by shared reference and a value is replaced by exclusive one, so nodes are located by their pointers
    // first. Files whose declaration replaces nothing, which are most, skip that walk.
    let of_runs: Vec<&PathSelector> = fields.selectors_of_runs().collect();
    let of_steps: Vec<&PathSelector> = fields.selectors_of_steps().collect();
    let runs_change = of_runs.iter().any(|selector| selector.is_prepared());
    let steps_change = of_steps.iter().any(|selector| selector.is_prepared());
    if let Some(runs) = &fields.runs {
        prepare_values(runs, document, "");
    }
    if !runs_change && !steps_change {
        return;
    }
    // From the outside inwards: the steps of a run can be located only after a text that holds them was parsed.
    for run in locate_nodes(fields.runs.as_ref(), document, "") {
        for selector in &of_runs {
            prepare_values(selector, document, &run);
        }
        if !steps_change {
            continue;
        }
        for step in locate_nodes(fields.steps.as_ref(), document, &run) {
            for selector in &of_steps {
                prepare_values(selector, document, &step);
            }
        }
    }
}

/// Returns the pointers of what `selector` selects below `pointer`, where a list is its elements; without a selector,
/// the pointer itself.
fn locate_nodes(selector: Option<&PathSelector>, document: &JsonNode, pointer: &str) -> Vec<String> {
    let Some(selector) = selector else { return vec![pointer.to_owned()] };
    let Some(node) = follow_pointer(document, pointer) else { return Vec::new() };
    let mut pointers = Vec::new();
    for found in selector.locate(node) {
        // A list that was selected stands for its elements.
        match follow_pointer(node, &found) {
            Some(JsonNode::Array(items)) => {
                pointers.extend((0..items.len()).map(|index| format!("{pointer}{found}/{index}")));
            }
            _ => pointers.push(format!("{pointer}{found}")),
        }
    }
    pointers
}

/// Replaces the values that `selector` selects in the part of `document` at `pointer`.
fn prepare_values(selector: &PathSelector, document: &mut JsonNode<'_>, pointer: &str) {
    if !selector.is_prepared() {
        return;
    }
    let Some(node) = follow_pointer_mut(document, pointer) else { return };
    // Both may apply to one value: a text whose JSON is an object with numbered keys.
    for found in selector.locate(node) {
        let Some(value) = follow_pointer_mut(node, &found) else { continue };
        // A text that is not JSON stays a text. The path that reads it reports what it is.
        if let (true, JsonNode::String(text)) = (selector.json, &*value)
            && let Ok(parsed) = json::from_str::<Json>(text)
        {
            *value = parsed;
        }
        if let (true, JsonNode::Object(object)) = (selector.numbered, &mut *value) {
            *value = JsonNode::Array(list_numbered(std::mem::take(object)));
        }
        if let (true, JsonNode::Object(object)) = (selector.entries, &mut *value) {
            *value = JsonNode::Array(list_entries(std::mem::take(object)));
        }
    }
}

/// Groups the entries of an object by the number at the end of their keys: `{a_0, b_0, a_1}` is `[{a, b}, {a}]`.
/// Entries without a number are a group of their own at the end: nothing is lost.
fn list_numbered<'t>(object: JsonObject<'t>) -> Vec<JsonNode<'t>> {
    let mut groups: BTreeMap<u32, JsonObject<'t>> = BTreeMap::new();
    for (key, value) in object.into_entries() {
        let (number, name) = match split_number(&key) {
            Some((name, number)) => (number, name.to_owned().into()),
            // The largest number sorts behind all others.
            None => (u32::MAX, key),
        };
        groups.entry(number).or_default().insert(name, value);
    }
    groups.into_values().map(JsonNode::Object).collect()
}

/// Lists the entries of an object: `{a: 1}` is `[{key: a, value: 1}]`.
fn list_entries(object: JsonObject<'_>) -> Vec<JsonNode<'_>> {
    let entries = object.into_entries().into_iter();
    entries.map(|(key, value)| JsonNode::object([("key", JsonNode::String(key)), ("value", value)])).collect()
}

fn split_number(key: &str) -> Option<(&str, u32)> {
    let (name, number) = key.rsplit_once('_')?;
    Some((name, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use crate::json::json;

    use super::*;

    fn prepare(selector: Json, document: Json) -> Json {
        let selector: PathSelector = json::from_json(selector).expect("a selector");
        let mut document = document;
        prepare_values(&selector, &mut document, "");
        document.into_json()
    }

    #[test]
    fn texts_become_json_and_objects_become_lists() {
        let selector = json!({"path": "$.a[*]", "json": true});
        assert_eq!(prepare(selector, json!({"a": ["[1]", "{", 2]})), json!({"a": [[1], "{", 2]}));
        let selector = json!({"path": "$", "numbered": true});
        let numbered = json!({"x_10": 3, "x_2": 1, "y_z_2": 2, "rest": 0});
        assert_eq!(prepare(selector, numbered), json!([{"x": 1, "y_z": 2}, {"x": 3}, {"rest": 0}]));
        let selector = json!({"path": "$.calls", "entries": true});
        let by_id = json!({"calls": {"c2": {"a": 1}, "c1": null}});
        let listed = json!({"calls": [{"key": "c2", "value": {"a": 1}}, {"key": "c1", "value": null}]});
        assert_eq!(prepare(selector, by_id), listed);
    }
}
