//! Combines what a suite says for all its cases with what a case says itself.
//!
//! Entries of lists in which order means nothing are added to those of the case, so that a gate of the suite holds for
//! every case. Ordered lists and everything else are replaced, and each replaced gate is listed for `cargo arraign lint`.

use super::keys;
use crate::place::Span;
use crate::yaml::{Key, Tree, Value};

/// Lists whose entries are added to those of the case.
const ADDED: &[&str] =
    &["blocked", "blocklist", "expect", "extract", "forbidden_substrings", "include", "tags"];

/// Lists whose entries are added, by the mapping that contains them.
const ADDED_INSIDE: &[(&str, &[&str])] = &[
    ("eval", &["agent_assertions", "response_assertions"]),
    ("tool_constraints", &["forbidden_tools"]),
    ("expected", &["forbidden_tools"]),
    ("mutate", &["ignore"]),
    ("output", &["contains", "not_contains", "regex", "regex_patterns"]),
];

/// Mappings that hold such lists, by the mapping that contains them; the outermost are keys of a case.
const NESTED: &[(&str, &str)] =
    &[("", "eval"), ("", "expected"), ("", "mutate"), ("eval", "tool_constraints"), ("expected", "output")];

/// Keys of a case that add checks, or make them stricter.
const GATES: &[&str] = &[
    "baseline",
    "criteria",
    "expected_fields",
    "expected_tools",
    "metric",
    "pass_threshold",
    "refusal_expected",
    "require_calls",
    "require_exercised",
    "sequence_required",
    "turns",
    "verification",
];

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
            Some((_, own)) if keys::is_merged(&key.name) => merge_by_key(own, tree),
            Some((_, own)) => combine_values(own, tree, "", &key.name, &mut replaced),
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

fn combine_values(
    own: &mut Tree,
    default: &Tree,
    parent: &str,
    name: &str,
    replaced: &mut Vec<ReplacedGate>,
) {
    if is_added(parent, name) && add_entries(own, default) {
        return;
    }
    if NESTED.contains(&(parent, name)) {
        return combine_mappings(own, default, name, replaced);
    }
    // At the top only some keys are gates; below a nested mapping, each is one.
    let is_gate = !parent.is_empty() || GATES.contains(&name);
    if is_gate && !is_same(own, default) {
        let key = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        replaced.push(ReplacedGate { span: own.span, key });
    }
}

/// Adds the lists inside the mapping `default` to those of `own`. Its other entries are replaced as a whole.
fn combine_mappings(own: &mut Tree, default: &Tree, name: &str, replaced: &mut Vec<ReplacedGate>) {
    let span = own.span;
    let (Value::Map(own), Value::Map(default)) = (&mut own.value, &default.value) else { return };
    // Four cases: both have the key; only the default has it and it is a list that is added; it is a mapping that contains
    // such lists; or the case replaces the whole mapping, and this part of the default is lost.
    for (key, tree) in default {
        if let Some((_, value)) = own.iter_mut().find(|(known, _)| known.name == key.name) {
            combine_values(value, tree, name, &key.name, replaced);
        } else if is_added(name, &key.name) {
            own.push((key.clone(), tree.clone()));
        } else if NESTED.contains(&(name, key.name.as_str())) {
            let mut inner = Tree { span: tree.span, value: Value::Map(Vec::new()) };
            combine_mappings(&mut inner, tree, &key.name, replaced);
            // An empty mapping would be a key that the case never had.
            if inner.value != Value::Map(Vec::new()) {
                own.push((key.clone(), inner));
            }
        } else {
            replaced.push(ReplacedGate { span, key: format!("{name}.{}", key.name) });
        }
    }
}

fn is_added(parent: &str, name: &str) -> bool {
    match parent {
        "" => ADDED.contains(&name),
        _ => ADDED_INSIDE.iter().any(|(mapping, lists)| *mapping == parent && lists.contains(&name)),
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
