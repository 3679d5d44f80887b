//! Reading a mapping key by key, with all mistakes kept and no key left over.

use std::collections::HashSet;

use serde::de::DeserializeOwned;

use super::{Key, Node, Value, did_you_mean, find_meant};
use crate::place::{LoadError, LoadErrors, Place};

/// The usual number of keys that a reader knows.
const USUAL_KEYS: usize = 8;

/// The keys of one mapping. Each reader asks for the keys that it knows; [`Fields::finish`] refuses the rest.
#[derive(Debug)]
pub struct Fields<'n> {
    node: Node<'n>,
    known: Vec<&'static str>,
    /// Keys of which one is missing, with the index of that error in `errors`.
    missing: Vec<(Vec<&'static str>, usize)>,
    /// The errors so far.
    pub errors: LoadErrors,
}

impl<'n> Fields<'n> {
    /// Reads the mapping `node`. For any other value the error names it `what`.
    pub fn of(node: Node<'n>, what: &str) -> Result<Self, LoadError> {
        match node.entries() {
            Some(_) => {
                let known = Vec::with_capacity(USUAL_KEYS);
                Ok(Self { node, known, missing: Vec::new(), errors: LoadErrors::new() })
            }
            None => {
                Err(node.error(format!("{what} is a mapping of keys to values, not {}", node.describe())))
            }
        }
    }

    /// Returns the value under `key`, and marks the key as known.
    pub fn node(&mut self, key: &'static str) -> Option<Node<'n>> {
        self.known.push(key);
        self.node.get(key)
    }

    /// Whether the key has been asked for.
    pub fn knows(&self, key: &str) -> bool {
        self.known.contains(&key)
    }

    /// Returns the value under the first of `names` (a key and its aliases). Two of them at once are an error.
    pub fn aliased(&mut self, names: &[&'static str]) -> Option<Node<'n>> {
        let found: Vec<(&str, Node)> =
            names.iter().filter_map(|name| self.node(name).map(|node| (*name, node))).collect();
        if let [(first, _), (second, _), ..] = found.as_slice() {
            let problem = format!("`{second}` is another name of `{first}`: give one of them");
            self.errors.push(LoadError::new(self.node.key_place(second), problem));
        }
        found.first().map(|(_, node)| *node)
    }

    /// Deserializes the value under `key`; null is as good as absent.
    pub fn optional<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        let node = self.node(key)?;
        self.errors.take(node.decode::<Option<T>>()).flatten()
    }

    /// Parses the value under `key` with `parse`, and marks the key as known. The mistakes are kept.
    pub fn parse<T, E: Into<LoadErrors>>(
        &mut self,
        key: &'static str,
        parse: impl FnOnce(Node<'n>) -> Result<T, E>,
    ) -> Option<T> {
        let node = self.node(key)?;
        self.take(parse(node))
    }

    /// Deserializes the value under `key`, which must be there.
    pub fn required<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        if let Some(node) = self.node(key) {
            return self.errors.take(node.decode());
        }
        self.missing(&[key], self.node.error(format!("`{key}` is missing")));
        None
    }

    /// Deserializes the list under `key`; every invalid entry is reported. Null is as good as absent.
    pub fn list<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<Vec<T>> {
        let node = self.node(key).filter(|node| !matches!(node.value(), Value::Null))?;
        self.errors.take(node.decode_each())
    }

    /// Records a missing-key error. [`Fields::finish`] drops it if an unknown key looks like a typo of one of `keys`.
    pub fn missing(&mut self, keys: &[&'static str], error: LoadError) {
        self.missing.push((keys.to_vec(), self.errors.len()));
        self.errors.push(error);
    }

    /// Keeps the value of `result`, or its mistakes.
    pub fn take<T>(&mut self, result: Result<T, impl Into<LoadErrors>>) -> Option<T> {
        self.errors.take(result)
    }

    /// Reports unknown keys, then returns `value` if there are no errors.
    pub fn finish<T>(mut self, value: T) -> Result<T, LoadErrors> {
        self.refuse_unknown();
        self.errors.or(value)
    }

    /// Like [`Fields::finish`], for a value that exists only if nothing was wrong.
    pub fn finish_some<T>(mut self, value: Option<T>) -> Result<T, LoadErrors> {
        self.refuse_unknown();
        self.errors.or_some(value)
    }

    fn refuse_unknown(&mut self) {
        let unknown: Vec<&Key> = self.unknown().collect();
        if unknown.is_empty() {
            return;
        }
        // A misspelt key explains why another one is missing: only the misspelt one is reported.
        self.drop_explained(&unknown);
        // A reader may ask for a key twice; the help lists each known key once.
        let mut listed = HashSet::new();
        self.known.retain(|key| listed.insert(*key));
        for key in unknown {
            let place = Place::new(self.node.source(), key.span);
            let error = LoadError::new(place, format!("unknown key `{}`", key.name));
            self.errors.push(error.help_if(did_you_mean(&key.name, &self.known)));
        }
    }

    fn unknown(&self) -> impl Iterator<Item = &'n Key> {
        let keys = self.node.entries().into_iter().flatten().map(|(key, _)| key);
        keys.filter(|key| !self.knows(&key.name))
    }

    /// Removes missing-key errors that a misspelt key explains.
    fn drop_explained(&mut self, unknown: &[&Key]) {
        // From the last error to the first, so that the remaining indices stay valid.
        for (keys, index) in self.missing.drain(..).rev() {
            if unknown.iter().any(|key| find_meant(&key.name, &keys).is_some()) {
                self.errors.remove(index);
            }
        }
    }
}

/// Collects the values of all results, or all mistakes.
pub(crate) fn read_all<T, E: Into<LoadErrors>>(
    results: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, LoadErrors> {
    let mut errors = LoadErrors::new();
    let mut values: Vec<T> = results.into_iter().filter_map(|result| errors.take(result)).collect();
    // Most lists of a case are short, and their room for more would be held as long as the case.
    values.shrink_to_fit();
    errors.or(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Source;
    use crate::yaml::Document;

    fn errors(text: &str) -> String {
        let documents = Document::parse(&Source::new("f.yaml", text)).expect("valid YAML");
        let mut fields = Fields::of(documents[0].root(), "a rule").expect("a mapping");
        let first = fields.required::<String>("first");
        let then = fields.required::<String>("then");
        fields.finish_some(first.zip(then)).map_or_else(|errors| errors.to_string(), |_| String::new())
    }

    #[test]
    fn a_misspelt_key_is_not_missing_as_well() {
        assert_eq!(
            errors("{fist: a, than: b}"),
            "f.yaml:1:2: unknown key `fist` (help: did you mean `first`?)\n\
             f.yaml:1:11: unknown key `than` (help: did you mean `then`?)"
        );
    }

    #[test]
    fn a_stranger_explains_nothing() {
        assert_eq!(
            errors("{first: a, colour: b}"),
            "f.yaml:1:1: `then` is missing\n\
             f.yaml:1:12: unknown key `colour` (help: known here: `first`, `then`)"
        );
    }
}
