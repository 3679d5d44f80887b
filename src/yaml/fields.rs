//! Reading a mapping key by key, with all mistakes kept and no key left over.

use serde::de::DeserializeOwned;

use super::{Node, did_you_mean};
use crate::place::{LoadError, LoadErrors, Place};

/// The keys of one mapping. Each reader asks for the keys that it knows; [`Fields::finish`] refuses the rest.
#[derive(Debug)]
pub struct Fields<'n> {
    node: Node<'n>,
    known: Vec<&'static str>,
    /// What is wrong so far.
    pub errors: LoadErrors,
}

impl<'n> Fields<'n> {
    /// The keys of `node`, or a mistake when it is no mapping; `what` names it in that message.
    pub fn of(node: Node<'n>, what: &str) -> Result<Self, LoadError> {
        match node.entries() {
            Some(_) => Ok(Self { node, known: Vec::new(), errors: LoadErrors::new() }),
            None => {
                Err(node.error(format!("{what} is a mapping of keys to values, not {}", node.describe())))
            }
        }
    }

    /// The value under `key`, which is known from now on.
    pub fn node(&mut self, key: &'static str) -> Option<Node<'n>> {
        self.known.push(key);
        self.node.get(key)
    }

    /// The value under the first of `names` (a key and its aliases); two of them at once are a mistake.
    pub fn aliased(&mut self, names: &[&'static str]) -> Option<Node<'n>> {
        let found: Vec<(&str, Node)> =
            names.iter().filter_map(|name| self.node(name).map(|node| (*name, node))).collect();
        if let [(first, _), (second, _), ..] = found.as_slice() {
            let problem = format!("`{second}` is another name of `{first}`: give one of them");
            self.errors.push(LoadError::new(self.node.key_place(second), problem));
        }
        found.first().map(|(_, node)| *node)
    }

    /// The value under `key` as a `T`; null is as good as absent.
    pub fn optional<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        let node = self.node(key)?;
        self.errors.take(node.decode::<Option<T>>()).flatten()
    }

    /// The value under `key` as a `T`, which must be there.
    pub fn required<T: DeserializeOwned>(&mut self, key: &'static str) -> Option<T> {
        if let Some(node) = self.node(key) {
            return self.errors.take(node.decode());
        }
        self.errors.push(self.node.error(format!("`{key}` is missing")));
        None
    }

    /// Keeps the value of `result`, or its mistakes.
    pub fn take<T>(&mut self, result: Result<T, impl Into<LoadErrors>>) -> Option<T> {
        self.errors.take(result)
    }

    /// Refuses the keys that nobody asked for, then gives `value` when nothing is wrong.
    pub fn finish<T>(mut self, value: T) -> Result<T, LoadErrors> {
        self.refuse_unknown();
        self.errors.or(value)
    }

    /// Like [`Fields::finish`], for a value that is there only when nothing was wrong.
    pub fn finish_some<T>(mut self, value: Option<T>) -> Result<T, LoadErrors> {
        self.refuse_unknown();
        match value {
            Some(value) => self.errors.or(value),
            None => Err(self.errors),
        }
    }

    fn refuse_unknown(&mut self) {
        for (key, _) in self.node.entries().into_iter().flatten() {
            if self.known.contains(&key.name.as_str()) {
                continue;
            }
            let place = Place::new(self.node.source(), key.span);
            let error = LoadError::new(place, format!("unknown key `{}`", key.name));
            self.errors.push(match did_you_mean(&key.name, &self.known) {
                Some(help) => error.help(help),
                None => error,
            });
        }
    }
}
