//! Reads the mappings and values of an imported file.

use arraign::__internals::place::Place;
use arraign::__internals::yaml::{Key, Node, Value};
use arraign::json::{Json, JsonMap};

use super::unsupported::UnsupportedList;

/// The keys of a mapping that were not yet imported or reported.
pub(super) struct Keys<'n> {
    node: Node<'n>,
    entries: Vec<(&'n Key, Node<'n>)>,
}

impl<'n> Keys<'n> {
    /// Returns the keys of `node` if it is a mapping.
    pub(super) fn new(node: Node<'n>) -> Option<Self> {
        Some(Self { node, entries: node.entries()?.collect() })
    }

    /// Returns the mapping.
    pub(super) fn node(&self) -> Node<'n> {
        self.node
    }

    /// Removes the first of `names` that exists, and returns its value. A null counts as absent.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Node<'n>> {
        let at = self.entries.iter().position(|(key, _)| names.contains(&key.name.as_str()))?;
        let (_, node) = self.entries.remove(at);
        (!matches!(node.value(), Value::Null)).then_some(node)
    }

    /// Removes the first of `names` that exists, and returns its value as text.
    pub(super) fn take_text(&mut self, names: &[&str]) -> Option<String> {
        read_scalar(self.take(names)?)
    }

    /// Moves the keys `names` that are not empty to `target`.
    pub(super) fn copy_keys(&mut self, names: &[&str], target: &mut JsonMap) {
        for name in names {
            if let Some(node) = self.take(&[name]).filter(|node| !is_empty_node(*node)) {
                target.insert((*name).to_owned(), node.to_json());
            }
        }
    }

    /// Removes keys that do not need to be reported.
    pub(super) fn skip(&mut self, names: &[&str]) {
        self.entries.retain(|(key, _)| !names.contains(&key.name.as_str()));
    }

    /// Whether all keys were taken.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the remaining keys.
    pub(super) fn into_rest(self) -> impl Iterator<Item = (&'n str, Node<'n>)> {
        self.entries.into_iter().map(|(key, node)| (key.name.as_str(), node))
    }

    /// Reports all remaining keys with the same reason.
    pub(super) fn reject_all(self, why: &str, unsupported: &mut UnsupportedList) {
        for (key, node) in self.entries {
            if !is_empty_node(node) {
                unsupported.add(Place::new(node.source(), key.span), format!("`{}`", key.name), why);
            }
        }
    }

    /// Reports all remaining keys. `reasons` contains the keys that are known.
    pub(super) fn reject_rest(self, reasons: &[(&[&str], &str)], unsupported: &mut UnsupportedList) {
        for (key, node) in self.entries {
            // Templates of other tools are full of empty keys, which lose nothing.
            if is_empty_node(node) {
                continue;
            }
            let known = reasons.iter().find(|(names, _)| names.contains(&key.name.as_str()));
            let why = known.map_or("unknown key", |(_, why)| why);
            unsupported.add(Place::new(node.source(), key.span), format!("`{}`", key.name), why);
        }
    }
}

/// Returns a scalar as text.
pub(super) fn read_scalar(node: Node<'_>) -> Option<String> {
    match node.value() {
        Value::String(text) => Some(text.to_string()),
        Value::Bool(_) | Value::Number(_) | Value::NotFinite(_) => Some(node.to_json().to_string()),
        _ => None,
    }
}

/// Whether the value is empty. Generated files contain all keys, even those without a value.
pub(super) fn is_empty_node(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// Returns the value without empty keys, or `None` if nothing is left.
pub(super) fn prune_empty(node: Node<'_>) -> Option<Json> {
    if is_empty_node(node) {
        return None;
    }
    let Some(entries) = node.entries() else { return Some(node.to_json()) };
    let entries = entries.filter_map(|(key, node)| Some((key.name.to_string(), prune_empty(node)?)));
    let pruned: JsonMap = entries.collect();
    // A mapping of empty keys alone is empty, too.
    (!pruned.is_empty()).then_some(pruned.into())
}

/// Returns the entries of a list, or the value itself as the only entry.
pub(super) fn list_entries(node: Option<Node<'_>>) -> Vec<Node<'_>> {
    node.map(Node::one_or_many).unwrap_or_default()
}
