//! The objects of a JSON tree.

use std::collections::HashMap;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::json::JsonNode;
use crate::json::text::JsonText;

/// An entry of an object.
type Entry<'t> = (JsonText<'t>, JsonNode<'t>);

/// The most entries that are searched one by one. For so few, that is cheaper than a table.
const FEW: usize = 48;

/// An object of JSON, which keeps the order of its keys.
///
/// A tree that is being read may have a key twice: the last one counts, and [`find_duplicate`](Self::find_duplicate) finds it.
/// No object of a [`Json`](crate::json::Json) that arraign hands out has one.
#[derive(Clone, Default)]
pub struct JsonObject<'t>(Entries<'t>);

/// An object that owns its texts.
pub type JsonMap = JsonObject<'static>;

/// The objects of a trace have few keys, which are searched from the end.
#[derive(Clone)]
enum Entries<'t> {
    Few(Vec<Entry<'t>>),
    Many(Box<IndexedEntries<'t>>),
}

#[derive(Clone)]
struct IndexedEntries<'t> {
    entries: Vec<Entry<'t>>,
    places: HashMap<JsonText<'t>, usize>,
}

impl Default for Entries<'_> {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl<'t> JsonObject<'t> {
    /// Returns an empty object.
    pub const fn new() -> Self {
        Self(Entries::Few(Vec::new()))
    }

    /// Returns an empty object with room for this number of entries.
    pub fn with_capacity(capacity: usize) -> Self {
        Self(Entries::Few(Vec::with_capacity(capacity.min(FEW))))
    }

    /// Returns the object of these entries. Of two with the same key, both are kept, and the last one counts.
    pub(crate) fn of_entries(entries: Vec<Entry<'t>>) -> Self {
        if entries.len() <= FEW {
            return Self(Entries::Few(entries));
        }
        let places = entries.iter().enumerate().map(|(place, (key, _))| (key.clone(), place)).collect();
        Self(Entries::Many(Box::new(IndexedEntries { entries, places })))
    }

    fn entries(&self) -> &Vec<Entry<'t>> {
        match &self.0 {
            Entries::Few(entries) => entries,
            Entries::Many(many) => &many.entries,
        }
    }

    fn entries_mut(&mut self) -> &mut Vec<Entry<'t>> {
        match &mut self.0 {
            Entries::Few(entries) => entries,
            Entries::Many(many) => &mut many.entries,
        }
    }

    fn find(&self, key: &str) -> Option<usize> {
        match &self.0 {
            Entries::Few(entries) => entries.iter().rposition(|(known, _)| known.as_str() == key),
            Entries::Many(many) => many.places.get(key).copied(),
        }
    }

    /// Returns the value under `key`.
    pub fn get(&self, key: &str) -> Option<&JsonNode<'t>> {
        Some(&self.entries()[self.find(key)?].1)
    }

    /// Returns the value under `key`, to change it.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut JsonNode<'t>> {
        let place = self.find(key)?;
        Some(&mut self.entries_mut()[place].1)
    }

    /// Whether the object has `key`, even with null.
    pub fn contains_key(&self, key: &str) -> bool {
        self.find(key).is_some()
    }

    /// Sets the value under `key`, and returns the one that it replaces. A new key comes last.
    pub fn insert(&mut self, key: impl Into<JsonText<'t>>, value: JsonNode<'t>) -> Option<JsonNode<'t>> {
        let key = key.into();
        if let Some(known) = self.get_mut(&key) {
            return Some(std::mem::replace(known, value));
        }
        match &mut self.0 {
            Entries::Few(entries) => {
                entries.push((key, value));
                if entries.len() > FEW {
                    *self = Self::of_entries(std::mem::take(entries));
                }
            }
            Entries::Many(many) => {
                many.places.insert(key.clone(), many.entries.len());
                many.entries.push((key, value));
            }
        }
        None
    }

    /// Returns the value under `key`, which is set to null first if the object lacks it.
    pub fn get_or_insert_null(&mut self, key: impl Into<JsonText<'t>>) -> &mut JsonNode<'t> {
        self.get_or_insert_with(key, || JsonNode::Null)
    }

    /// Returns the value under `key`, which is set to that of `build` first if the object lacks it.
    pub fn get_or_insert_with(
        &mut self,
        key: impl Into<JsonText<'t>>,
        build: impl FnOnce() -> JsonNode<'t>,
    ) -> &mut JsonNode<'t> {
        let key = key.into();
        let place = self.find(&key).unwrap_or_else(|| {
            self.insert(key, build());
            self.len() - 1
        });
        &mut self.entries_mut()[place].1
    }

    /// Removes `key` and returns its value. The other keys keep their order.
    pub fn remove(&mut self, key: &str) -> Option<JsonNode<'t>> {
        let place = self.find(key)?;
        match &mut self.0 {
            Entries::Few(entries) => Some(entries.remove(place).1),
            // A table of all entries is not built anew for one that goes, unless one with the same key stays.
            Entries::Many(many) if many.places.len() == many.entries.len() => {
                many.places.remove(key);
                for known in many.places.values_mut().filter(|known| **known > place) {
                    *known -= 1;
                }
                Some(many.entries.remove(place).1)
            }
            Entries::Many(many) => {
                let (_, value) = many.entries.remove(place);
                let entries = std::mem::take(&mut many.entries);
                *self = Self::of_entries(entries);
                Some(value)
            }
        }
    }

    /// Keeps the entries for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &mut JsonNode<'t>) -> bool) {
        let mut entries = std::mem::take(self.entries_mut());
        entries.retain_mut(|(key, value)| keep(key, value));
        *self = Self::of_entries(entries);
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// Iterates over the entries, in their order.
    pub fn iter(
        &self,
    ) -> impl DoubleEndedIterator<Item = (&JsonText<'t>, &JsonNode<'t>)> + ExactSizeIterator {
        self.entries().iter().map(|(key, value)| (key, value))
    }

    /// Iterates over the entries, whose values may be changed.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&JsonText<'t>, &mut JsonNode<'t>)> {
        self.entries_mut().iter_mut().map(|(key, value)| (&*key, value))
    }

    /// Iterates over the keys, in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &JsonText<'t>> + ExactSizeIterator {
        self.entries().iter().map(|(key, _)| key)
    }

    /// Iterates over the values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &JsonNode<'t>> + ExactSizeIterator {
        self.entries().iter().map(|(_, value)| value)
    }

    /// Iterates over the values, which may be changed.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut JsonNode<'t>> {
        self.entries_mut().iter_mut().map(|(_, value)| value)
    }

    /// Sorts the entries by their keys, byte by byte.
    pub fn sort_keys(&mut self) {
        let mut entries = std::mem::take(self.entries_mut());
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        *self = Self::of_entries(entries);
    }

    /// Returns the first key that the object has twice.
    pub fn find_duplicate(&self) -> Option<&str> {
        match &self.0 {
            // Most objects have very few keys, and those differ in their length or in their last byte.
            Entries::Few(entries) => {
                let mut rest = entries.as_slice();
                while let [(key, _), after @ ..] = rest {
                    if after.iter().any(|(other, _)| is_alike(key, other) && key == other) {
                        return Some(key);
                    }
                    rest = after;
                }
                None
            }
            Entries::Many(many) if many.places.len() == many.entries.len() => None,
            Entries::Many(many) => {
                let mut known = HashSet::with_capacity(many.entries.len());
                many.entries.iter().map(|(key, _)| key.as_str()).find(|key| !known.insert(*key))
            }
        }
    }

    /// Returns the object, which no longer borrows. Of two equal keys, the last one counts.
    pub fn into_map(self) -> JsonMap {
        let is_unique = self.find_duplicate().is_none();
        let entries = self.into_iter().map(|(key, value)| (key.into_owned(), value.into_json()));
        if is_unique {
            // The list keeps its memory: an entry that borrows and one that does not have the same size.
            return entries.collect();
        }
        let mut map = JsonMap::new();
        map.extend(entries);
        map
    }
}

/// Whether two keys have the same length and the same last byte.
fn is_alike(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().last() == other.as_bytes().last()
}

/// Compares objects without regard to the order of their keys.
impl PartialEq for JsonObject<'_> {
    fn eq(&self, other: &Self) -> bool {
        let is_part = |of: &Self, whole: &Self| {
            of.keys().all(|key| whole.get(key).is_some_and(|found| of.get(key) == Some(found)))
        };
        // Objects of one size are equal if one is a part of the other, unless a key comes twice in it.
        if self.len() == other.len() && self.find_duplicate().is_none() {
            return self.iter().all(|(key, value)| other.get(key).is_some_and(|found| value == found));
        }
        is_part(self, other) && is_part(other, self)
    }
}

impl Eq for JsonObject<'_> {}

/// Equal objects have the same hash, in whatever order their keys are.
impl Hash for JsonObject<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Of two equal keys, only the one that counts is hashed.
        let counts = |key: &str, value| self.get(key).is_some_and(|found| std::ptr::eq(found, value));
        let entries = self.iter().filter(|(key, value)| counts(key, *value));
        let hashes = entries.map(|entry| {
            let mut hasher = DefaultHasher::new();
            entry.hash(&mut hasher);
            hasher.finish()
        });
        state.write_u64(hashes.fold(0, u64::wrapping_add));
    }
}

impl<'t> IntoIterator for JsonObject<'t> {
    type Item = (JsonText<'t>, JsonNode<'t>);
    type IntoIter = std::vec::IntoIter<Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        match self.0 {
            Entries::Few(entries) => entries.into_iter(),
            Entries::Many(many) => many.entries.into_iter(),
        }
    }
}

impl<'m, 't> IntoIterator for &'m JsonObject<'t> {
    type Item = (&'m JsonText<'t>, &'m JsonNode<'t>);
    type IntoIter = std::iter::Map<std::slice::Iter<'m, Entry<'t>>, fn(&'m Entry<'t>) -> Self::Item>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries().iter().map(|(key, value)| (key, value))
    }
}

impl<'t, K: Into<JsonText<'t>>> FromIterator<(K, JsonNode<'t>)> for JsonObject<'t> {
    /// Collects entries. Of two with the same key, both are kept, and the last one counts.
    fn from_iter<I: IntoIterator<Item = (K, JsonNode<'t>)>>(entries: I) -> Self {
        Self::of_entries(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
    }
}

impl<'t, K: Into<JsonText<'t>>> Extend<(K, JsonNode<'t>)> for JsonObject<'t> {
    fn extend<I: IntoIterator<Item = (K, JsonNode<'t>)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl std::fmt::Debug for JsonObject<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(count: usize) -> JsonObject<'static> {
        let mut map = JsonObject::new();
        for number in 0..count {
            assert!(map.insert(format!("k{number}"), number.into()).is_none());
        }
        map
    }

    #[test]
    fn small_and_large_objects_behave_alike() {
        for count in [3, FEW, FEW + 1, 500] {
            let mut map = build(count);
            assert_eq!((map.len(), map.get("k1"), map.get("x")), (count, Some(&1.into()), None));
            assert_eq!(map.insert("k1", true.into()), Some(1.into()));
            assert_eq!(map.remove("k0"), Some(0.into()));
            assert_eq!(map.get("k2"), Some(&2.into()));
            assert_eq!(map.keys().next().map(JsonText::as_str), Some("k1"));
            assert_eq!(map.find_duplicate(), None);
            *map.get_or_insert_null("new") = "x".into();
            assert_eq!((map.len(), map.get("new")), (count, Some(&"x".into())));
            map.retain(|key, _| key != "k2");
            assert!(!map.contains_key("k2") && map.contains_key("new"));
            assert_eq!(map.clone().into_map(), map);
        }
    }

    #[test]
    fn a_key_that_comes_twice_is_found_and_its_last_value_counts() {
        for count in [2, FEW + 5] {
            let twice = build(count).into_iter().chain([("k1".into(), "last".into())]);
            let map: JsonObject = twice.collect();
            assert_eq!((map.find_duplicate(), map.get("k1")), (Some("k1"), Some(&"last".into())));
        }
    }

    #[test]
    fn the_order_of_keys_does_not_count() {
        let mut backwards: JsonObject = build(60).into_iter().rev().collect();
        assert_eq!(backwards, build(60));
        backwards.insert("k7", JsonNode::Null);
        assert_ne!(backwards, build(60));
        assert_ne!(build(3), build(4));
        let unique = |items: [JsonNode; 2]| HashSet::from(items).len();
        let twice: JsonObject = [("a", 1.into()), ("a", 2.into())].into_iter().collect();
        let once: JsonObject = [("a", JsonNode::from(2.0))].into_iter().collect();
        assert_eq!(unique([build(60).into(), build(60).into_iter().rev().collect()]), 1);
        assert_eq!(unique([twice.into(), once.into()]), 1);
        assert_eq!(unique([build(3).into(), build(4).into()]), 2);
    }
}
