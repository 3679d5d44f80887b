//! Finds a key that an object has twice, at nearly no cost for the many objects that have none.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::reader::json::key_bits::{KeyBits, hash_key};

/// The most keys whose lengths and ends are compared pairwise. For so few, that is cheaper than a set of bits.
const PAIRWISE: usize = 8;

/// The most keys with which a key is compared one by one. For so few, that is cheaper than a table.
const FEW: usize = 48;

/// Returns the first duplicate key.
pub(crate) fn find_duplicate_key<'k, T>(entries: &'k [(Cow<str>, T)]) -> Option<&'k str> {
    // Most objects have very few keys, and those differ in their length or in their last byte.
    if entries.len() <= PAIRWISE {
        let mut rest = entries;
        while let [(key, _), after @ ..] = rest {
            if after.iter().any(|(other, _)| is_alike(key, other) && key == other) {
                return Some(key);
            }
            rest = after;
        }
        return None;
    }
    // Nearly all keys of an object differ in their length, their ends or their middle: a set of 512 bits says so without
    // comparing each key with each. A key that shares its bit with another one is compared with all before it.
    let mut seen = KeyBits::<8>::default();
    for (place, (key, _)) in entries.iter().enumerate() {
        if !seen.insert(hash_key(key.as_bytes())) {
            if entries.len() > FEW {
                return compare_keys(entries);
            }
            if entries[..place].iter().any(|(before, _)| before == key) {
                return Some(key);
            }
        }
    }
    None
}

/// Finds the first duplicate key by comparing the keys themselves.
#[cold]
fn compare_keys<'k, T>(entries: &'k [(Cow<str>, T)]) -> Option<&'k str> {
    let mut known = HashSet::with_capacity(entries.len());
    entries.iter().map(|(key, _)| key.as_ref()).find(|key| !known.insert(*key))
}

/// Whether two keys have the same length and the same last byte.
fn is_alike(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().last() == other.as_bytes().last()
}
