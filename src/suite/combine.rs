//! Combines what a suite says for all its cases with what a case says itself.
//!
//! Entries of lists in which order means nothing are added to those of the case, so that a gate of the suite holds for
//! every case. Ordered lists and everything else are replaced, and each replaced gate is listed for `cargo arraign lint`.

use super::keys::{self, Combination};
use crate::place::Span;
use crate::yaml::{Key, Tree, Value};

/// A gate of the defaults that a case replaces by a value of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReplacedGate {
    /// The value of the case.
    pub(super) span: Span,
    /// The keys that lead to it: `expected.tool_sequence`.
    pub(super) key: String,
}

/// Adds `defaults` to a case. A case that says `inherit: false` gets none.
pub(super) fn combine_with_defaults(case: &mut Tree, defaults: &[(Key, Tree)]) -> Vec<ReplacedGate> {
    let mut replaced = Vec::new();
    let Value::Map(entries) = &mut case.value else { return replaced };
    if entries.iter().any(|(key, tree)| key.name == "inherit" && tree.value == Value::Bool(false)) {
        return replaced;
    }
    // A case with a trace of its own asks no agent that its suite names.
    let has_trace = entries.iter().any(|(key, _)| key.name == "trace");
    for (key, tree) in defaults.iter().filter(|(key, _)| !(has_trace && key.name == "agent")) {
        match entries.iter_mut().find(|(known, _)| keys::same(&known.name, &key.name)) {
            None => entries.push((key.clone(), tree.clone())),
            Some((_, own)) => {
                combine_values(own, tree, keys::find_combination(&key.name), &key.name, &mut replaced);
            }
        }
    }
    replaced
}

/// Adds the entries of a mapping that the case does not have.
fn merge_by_key(own: &mut Tree, default: &Tree) {
    let (Value::Map(own), Value::Map(default)) = (&mut own.value, &default.value) else { return };
    for (key, tree) in default {
        if !own.iter().any(|(known, _)| known.name == key.name) {
            own.push((key.clone(), tree.clone()));
        }
    }
}

/// Combines the value of a case with that of the defaults. `path` has the keys that lead to both.
fn combine_values(
    own: &mut Tree,
    default: &Tree,
    combination: Combination,
    path: &str,
    replaced: &mut Vec<ReplacedGate>,
) {
    match combination {
        Combination::Replace => {}
        Combination::Merge => merge_by_key(own, default),
        Combination::Inside(keys) => combine_mappings(own, default, keys, path, replaced),
        Combination::Add if add_entries(own, default) => {}
        // What cannot be added is replaced: one of the two is no list.
        Combination::Add | Combination::ReplaceGate => {
            if !is_same(own, default) {
                replaced.push(ReplacedGate { span: own.span, key: path.to_owned() });
            }
        }
    }
}

/// Combines the keys inside of two mappings. Keys that are not among `keys` are gates, which are replaced as a whole.
fn combine_mappings(
    own: &mut Tree,
    default: &Tree,
    keys: &'static [(&'static str, Combination)],
    path: &str,
    replaced: &mut Vec<ReplacedGate>,
) {
    let span = own.span;
    let (Value::Map(own), Value::Map(default)) = (&mut own.value, &default.value) else { return };
    for (key, tree) in default {
        let listed = keys.iter().find(|(name, _)| *name == key.name).map(|(_, combination)| *combination);
        let combination = listed.unwrap_or(Combination::ReplaceGate);
        let path = format!("{path}.{}", key.name);
        let found = own.iter_mut().find(|(known, _)| known.name == key.name);
        match (found, combination) {
            (Some((_, value)), combination) => combine_values(value, tree, combination, &path, replaced),
            (None, Combination::Add) => own.push((key.clone(), tree.clone())),
            // Of a mapping that the case does not have, only what is added comes into the case.
            (None, Combination::Inside(keys)) => {
                let mut inner = Tree { span: tree.span, value: Value::Map(Vec::new()) };
                combine_mappings(&mut inner, tree, keys, &path, replaced);
                // An empty mapping would be a key that the case never had.
                if inner.value != Value::Map(Vec::new()) {
                    own.push((key.clone(), inner));
                }
            }
            (None, _) => replaced.push(ReplacedGate { span, key: path }),
        }
    }
}

/// Adds the entries of `default` that `own` does not have. Returns false if one of the two is no list.
fn add_entries(own: &mut Tree, default: &Tree) -> bool {
    let (Some(mut entries), Some(added)) = (list_entries(own), list_entries(default)) else { return false };
    for entry in added {
        // An entry that both have must not be checked twice.
        if !entries.iter().any(|known| is_same(known, &entry)) {
            entries.push(entry);
        }
    }
    own.value = Value::List(entries);
    true
}

/// The entries of a list or of `{tools: [...]}`, or a single text or `{mutant: ...}`.
fn list_entries(tree: &Tree) -> Option<Vec<Tree>> {
    match &tree.value {
        Value::List(entries) => Some(entries.clone()),
        Value::String(_) => Some(vec![tree.clone()]),
        Value::Map(entries) => match entries.as_slice() {
            [(key, list)] if key.name == "tools" => list_entries(list),
            entries if entries.iter().any(|(key, _)| key.name == "mutant") => Some(vec![tree.clone()]),
            _ => None,
        },
        _ => None,
    }
}

/// Whether two values are equal, wherever they are written.
fn is_same(one: &Tree, other: &Tree) -> bool {
    match (&one.value, &other.value) {
        (Value::List(one), Value::List(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Value::Map(one), Value::Map(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, tree)| {
                    other.iter().any(|(known, value)| known.name == key.name && is_same(tree, value))
                })
        }
        (one, other) => one == other,
    }
}

#[cfg(all(test, feature = "schema"))]
mod tests;
