//! The entries of a mapping: duplicate keys, and the merge key `<<`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use super::super::{Key, Tree, Value};
use crate::place::{LoadError, Place, Source};

/// The most entries that are compared pairwise. Nearly all mappings are smaller, and a hash table costs more than the
/// comparisons.
const MOST_PAIRWISE: usize = 16;

/// Finds entries with a key that occurred before. Each pair is the index of the duplicate and of the first entry.
pub(super) fn find_duplicates(entries: &[(Key, Tree)]) -> Vec<(usize, usize)> {
    if entries.len() > MOST_PAIRWISE {
        return find_duplicates_hashed(entries);
    }
    let duplicates = entries.iter().enumerate().filter_map(|(index, (key, _))| {
        let first = entries[..index].iter().position(|(before, _)| before.name == key.name)?;
        Some((index, first))
    });
    duplicates.collect()
}

fn find_duplicates_hashed(entries: &[(Key, Tree)]) -> Vec<(usize, usize)> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
    let mut duplicates = Vec::new();
    for (index, (key, _)) in entries.iter().enumerate() {
        match first.entry(&key.name) {
            Entry::Occupied(known) => duplicates.push((index, *known.get())),
            Entry::Vacant(free) => drop(free.insert(index)),
        }
    }
    duplicates
}

/// Whether `key` is the merge key. In quotes, `"<<"` is an ordinary key.
pub(super) fn is_merge_key(key: &Key, source: &Source) -> bool {
    key.name == "<<" && source.text()[key.span.start as usize..].starts_with("<<")
}

/// Returns the mappings in the value of a merge key.
pub(super) fn collect_merged(tree: Tree, source: &Arc<Source>) -> Result<Vec<Tree>, LoadError> {
    let (span, trees) = match tree.value {
        Value::List(items) => (tree.span, items),
        _ => (tree.span, vec![tree]),
    };
    if trees.iter().all(|tree| matches!(tree.value, Value::Map(_))) {
        return Ok(trees);
    }
    Err(LoadError::new(Place::new(source, span), "`<<` merges a mapping, or a list of mappings"))
}

/// Adds the entries of `merged` whose keys are not there yet: explicit keys win, then earlier mappings.
pub(super) fn merge_entries(entries: &mut Vec<(Key, Tree)>, merged: Vec<Tree>) {
    for tree in merged {
        let Value::Map(more) = tree.value else { continue };
        // The order of the calls decides who wins: explicit entries are in place before the first merged mapping.
        for (key, tree) in more {
            if !entries.iter().any(|(known, _)| known.name == key.name) {
                entries.push((key, tree));
            }
        }
    }
}
