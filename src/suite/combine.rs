//! Combines what a suite says for all its cases with what a case says itself.
//!
//! Entries of lists in which order means nothing are added to those of the case, so that a gate of the suite holds for
//! every case. Ordered lists and everything else are replaced, and each replaced gate is listed for `cargo arraign lint`.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::copies::CopyBudget;
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

/// Adds `defaults` to a case. A case that says `inherit: false` gets none. When `copies` is used up, the rest is left out, and
/// the caller refuses the file.
pub(super) fn combine_with_defaults(
    case: &mut Tree,
    defaults: &[(Key, Tree)],
    copies: &mut CopyBudget,
) -> Vec<ReplacedGate> {
    let Value::Map(entries) = &mut case.value else { return Vec::new() };
    if entries.iter().any(|(key, tree)| key.name == "inherit" && tree.value == Value::Bool(false)) {
        return Vec::new();
    }
    let mut combiner = Combiner { copies, replaced: Vec::new() };
    // A case with a trace of its own asks no agent that its suite names.
    let has_trace = entries.iter().any(|(key, _)| key.name == "trace");
    for (key, tree) in defaults.iter().filter(|(key, _)| !(has_trace && key.name == "agent")) {
        match entries.iter_mut().find(|(known, _)| keys::same(&known.name, &key.name)) {
            None => combiner.copy_entry(entries, key, tree),
            Some((_, own)) => {
                combiner.combine_values(own, tree, keys::find_combination(&key.name), &key.name);
            }
        }
    }
    combiner.replaced
}

/// Combines the values of one case with those of its defaults.
struct Combiner<'c> {
    copies: &'c mut CopyBudget,
    replaced: Vec<ReplacedGate>,
}

impl Combiner<'_> {
    /// Adds a key that the case does not have.
    fn copy_entry(&mut self, own: &mut Vec<(Key, Tree)>, key: &Key, tree: &Tree) {
        if self.copies.count_text(key.name.len()) && self.copies.count_tree(tree) {
            own.push((key.clone(), tree.clone()));
        }
    }

    /// Lists a gate that the case replaces.
    fn add_replaced(&mut self, span: Span, key: &str) {
        // Each is a remark of its own, so a long list costs as much as values that are copied.
        if self.copies.count_value(key.len()) {
            self.replaced.push(ReplacedGate { span, key: key.to_owned() });
        }
    }

    /// Adds the entries of a mapping that the case does not have.
    fn merge_by_key(&mut self, own: &mut Tree, default: &Tree) {
        let (Value::Map(own), Value::Map(default)) = (&mut own.value, &default.value) else { return };
        for (key, tree) in default {
            if !own.iter().any(|(known, _)| known.name == key.name) {
                self.copy_entry(own, key, tree);
            }
        }
    }

    /// Combines the value of a case with that of the defaults. `path` has the keys that lead to both.
    fn combine_values(&mut self, own: &mut Tree, default: &Tree, combination: Combination, path: &str) {
        match combination {
            Combination::Replace => {}
            Combination::Merge => self.merge_by_key(own, default),
            Combination::Inside(keys) => self.combine_mappings(own, default, keys, path),
            Combination::Add if self.add_entries(own, default) => {}
            // What cannot be added is replaced: one of the two is no list.
            Combination::Add | Combination::ReplaceGate => {
                if !is_same(own, default) {
                    self.add_replaced(own.span, path);
                }
            }
        }
    }

    /// Combines the keys inside of two mappings. Keys that are not among `keys` are gates, which are replaced as a whole.
    fn combine_mappings(
        &mut self,
        own: &mut Tree,
        default: &Tree,
        keys: &'static [(&'static str, Combination)],
        path: &str,
    ) {
        let span = own.span;
        let (Value::Map(own), Value::Map(default)) = (&mut own.value, &default.value) else { return };
        for (key, tree) in default {
            let listed = keys.iter().find(|(name, _)| *name == key.name).map(|(_, combination)| *combination);
            let combination = listed.unwrap_or(Combination::ReplaceGate);
            let path = format!("{path}.{}", key.name);
            let found = own.iter_mut().find(|(known, _)| known.name == key.name);
            match (found, combination) {
                (Some((_, value)), combination) => self.combine_values(value, tree, combination, &path),
                (None, Combination::Add) => self.copy_entry(own, key, tree),
                // Of a mapping that the case does not have, only what is added comes into the case.
                (None, Combination::Inside(keys)) => {
                    let mut inner = Tree { span: tree.span, value: Value::Map(Vec::new()) };
                    self.combine_mappings(&mut inner, tree, keys, &path);
                    // An empty mapping would be a key that the case never had.
                    if inner.value != Value::Map(Vec::new()) {
                        own.push((key.clone(), inner));
                    }
                }
                (None, _) => self.add_replaced(span, &path),
            }
        }
    }

    /// Adds the entries of `default` that `own` does not have. Returns false if one of the two is no list.
    fn add_entries(&mut self, own: &mut Tree, default: &Tree) -> bool {
        let (Some(own_entries), Some(added)) = (list_entries(own), list_entries(default)) else {
            return false;
        };
        let mut entries = own_entries.to_vec();
        let mut known = EntrySet::default();
        for entry in own_entries {
            known.insert(entry);
        }
        for entry in added {
            // An entry that both have must not be checked twice.
            if known.insert(entry) && self.copies.count_tree(entry) {
                entries.push(entry.clone());
            }
        }
        own.value = Value::List(entries);
        true
    }
}

/// The entries of a list or of `{tools: [...]}`, or a single text or `{mutant: ...}`.
fn list_entries(tree: &Tree) -> Option<&[Tree]> {
    match &tree.value {
        Value::List(entries) => Some(entries),
        Value::String(_) => Some(std::slice::from_ref(tree)),
        Value::Map(entries) => match entries.as_slice() {
            [(key, list)] if key.name == "tools" => list_entries(list),
            entries if entries.iter().any(|(key, _)| key.name == "mutant") => {
                Some(std::slice::from_ref(tree))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Entries of lists, found by their hash: each of thousands of entries is compared with few others.
#[derive(Default)]
struct EntrySet<'t>(HashMap<u64, Vec<&'t Tree>>);

impl<'t> EntrySet<'t> {
    /// Adds an entry. Returns false if the set has one like it.
    fn insert(&mut self, entry: &'t Tree) -> bool {
        let alike = self.0.entry(hash_tree(entry)).or_default();
        let is_new = !alike.iter().any(|known| is_same(known, entry));
        if is_new {
            alike.push(entry);
        }
        is_new
    }
}

/// Returns a hash that is equal for trees that [`is_same`] calls equal: the order of keys does not matter.
fn hash_tree(tree: &Tree) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &tree.value {
        Value::List(trees) => trees.iter().for_each(|tree| hasher.write_u64(hash_tree(tree))),
        Value::Map(entries) => {
            let hash_entry = |(key, tree): &(Key, Tree)| {
                let mut hasher = DefaultHasher::new();
                key.name.hash(&mut hasher);
                hasher.write_u64(hash_tree(tree));
                hasher.finish()
            };
            // A sum is the same in every order.
            hasher.write_u64(entries.iter().map(hash_entry).fold(1, u64::wrapping_add));
        }
        Value::String(text) => text.hash(&mut hasher),
        Value::Number(number) => number.hash(&mut hasher),
        Value::Bool(flag) => flag.hash(&mut hasher),
        Value::Null | Value::NotFinite(_) => {}
    }
    hasher.finish()
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
