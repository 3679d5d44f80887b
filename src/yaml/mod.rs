//! Text to spanned nodes to values.
//!
//! One tree serves cases, suites, policies and JSON datasets. Each value knows its bytes in the file, so each
//! mistake, and each line of a policy, has a place. `compose` is the only module that knows the YAML crate.

mod compose;
mod decode;
mod decode_all;
mod fields;
mod label;
mod placed;
mod scalar;
mod shape;
mod size;
mod synonyms;
mod time;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use smol_str::SmolStr;

pub use arraign_trace::json::render_plain;
pub use arraign_trace::json_text::{escape_token, unescape_token};
pub(crate) use arraign_trace::suggest::adopt_encoding;
pub use arraign_trace::suggest::nearest;
pub(crate) use decode::list_keys;
pub use fields::Fields;
pub(crate) use fields::read_all;
pub(crate) use label::Label;
pub use placed::Placed;
pub(crate) use placed::{Build, Checked, Elsewhere, Unparsed, even_null};
pub(crate) use shape::{ListOr, MappingOr, OneOrMany, OrderedMap};
pub(crate) use size::FileSize;
pub use size::parse_bytes;
pub use synonyms::did_you_mean;
pub(crate) use synonyms::find_meant;
pub(crate) use time::{Millis, TimeLimit};
pub use write::{is_printable, render_entry, render_flow, render_scalar};

use crate::json::{Json, JsonNumber};
use crate::place::{LoadError, LoadErrors, Place, Source, Span};

/// Returns the help for an unknown name: the nearest of the `known` ones, or all of them.
pub(crate) fn suggest_or_list(name: &str, known: &[&str]) -> String {
    did_you_mean(name, known).unwrap_or_else(|| format!("one of `{}`", known.join("`, `")))
}

/// A value of the file, with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The byte range in the file.
    pub span: Span,
    /// The value without its place.
    pub value: Value,
}

/// The values of YAML's core schema.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `null`, `~` or nothing.
    Null,
    /// `true` or `false`; `yes` and `no` are strings.
    Bool(bool),
    /// A number, with its digits.
    Number(JsonNumber<'static>),
    /// `.inf`, `-.inf` or `.nan`.
    NotFinite(f64),
    /// Text.
    String(SmolStr),
    /// A sequence.
    List(Vec<Tree>),
    /// A mapping, in the file's order, without duplicate keys.
    Map(Vec<(Key, Tree)>),
}

impl Value {
    /// Returns the number, if this is an integer of 64 bits.
    pub fn as_i64(&self) -> Option<i64> {
        if let Self::Number(number) = self { number.as_i64() } else { None }
    }
}

impl From<i64> for Value {
    fn from(integer: i64) -> Self {
        Self::Number(integer.into())
    }
}

/// A key of a mapping.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The byte range in the file.
    pub span: Span,
    /// The text of the key; a number or boolean as it is written.
    pub name: SmolStr,
}

impl Tree {
    /// Returns the same tree with the spans that `map` returns for those of its values and keys.
    pub(crate) fn map_spans(&self, map: &impl Fn(Span) -> Span) -> Self {
        let value = match &self.value {
            Value::List(trees) => Value::List(trees.iter().map(|tree| tree.map_spans(map)).collect()),
            Value::Map(entries) => Value::Map(
                entries
                    .iter()
                    .map(|(key, tree)| {
                        (Key { span: map(key.span), name: key.name.clone() }, tree.map_spans(map))
                    })
                    .collect(),
            ),
            scalar => scalar.clone(),
        };
        Self { span: map(self.span), value }
    }

    /// The tree as a value of `source`, ready to be read.
    pub fn node<'d>(&'d self, source: &'d Arc<Source>) -> Node<'d> {
        Node { tree: self, source, hidden: &[] }
    }

    /// Whether both have the same keys and values in the same order, wherever they are written.
    pub(crate) fn equals_in_values(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len()
                    && one.iter().zip(other).all(|(one, other)| one.equals_in_values(other))
            }
            (Value::Map(one), Value::Map(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len()
                    && pairs
                        .all(|(one, other)| one.0.name == other.0.name && one.1.equals_in_values(&other.1))
            }
            (one, other) => one == other,
        }
    }
}

/// One document of a stream.
#[derive(Debug)]
pub struct Document {
    /// The file.
    pub source: Arc<Source>,
    /// The root value.
    pub root: Tree,
}

impl Document {
    /// Parses `source` and returns its documents without the empty ones, or every syntax error and duplicate key.
    pub fn parse(source: &Arc<Source>) -> Result<Vec<Document>, LoadErrors> {
        Self::parse_range(source, 0..source.text().len())
    }

    /// Parses a part of `source`, for example one line of a JSON Lines file.
    pub fn parse_range(
        source: &Arc<Source>,
        range: std::ops::Range<usize>,
    ) -> Result<Vec<Document>, LoadErrors> {
        compose::compose_documents(source, range)
    }

    /// The root, ready to be read.
    pub fn root(&self) -> Node<'_> {
        self.root.node(&self.source)
    }
}

/// A value of a document with its file, and with the keys that are hidden from its reader.
#[derive(Debug, Clone, Copy)]
pub struct Node<'d> {
    tree: &'d Tree,
    source: &'d Arc<Source>,
    hidden: &'d [&'d str],
}

impl<'d> Node<'d> {
    /// Returns the mapping without `keys`, which another reader owns.
    pub fn without(self, keys: &'d [&'d str]) -> Self {
        Self { hidden: keys, ..self }
    }

    /// The value itself.
    pub fn value(self) -> &'d Value {
        &self.tree.value
    }

    /// The value with its places.
    pub fn tree(self) -> &'d Tree {
        self.tree
    }

    /// The file.
    pub fn source(self) -> &'d Arc<Source> {
        self.source
    }

    /// Returns the place of this node.
    pub fn place(self) -> Place {
        Place::new(self.source, self.tree.span)
    }

    /// Creates an error at this node.
    pub fn error(self, problem: impl fmt::Display) -> LoadError {
        LoadError::new(self.place(), problem)
    }

    /// The text, if it is a string.
    pub fn as_str(self) -> Option<&'d str> {
        match self.value() {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// The entries of a list; `None` for anything else.
    pub fn list(self) -> Option<impl ExactSizeIterator<Item = Node<'d>>> {
        let Value::List(trees) = self.value() else { return None };
        Some(trees.iter().map(move |tree| self.child(tree)))
    }

    /// A list's entries, or the value itself as the only one.
    pub fn one_or_many(self) -> Vec<Node<'d>> {
        self.list().map_or_else(|| vec![self], Iterator::collect)
    }

    /// The entries of a mapping that are not hidden; `None` for anything else.
    pub fn entries(self) -> Option<impl Iterator<Item = (&'d Key, Node<'d>)>> {
        let Value::Map(entries) = self.value() else { return None };
        let seen = entries.iter().filter(move |(key, _)| !self.hidden.contains(&key.name.as_str()));
        Some(seen.map(move |(key, tree)| (key, self.child(tree))))
    }

    /// The value under `key` of a mapping.
    pub fn get(self, key: &str) -> Option<Node<'d>> {
        self.entries()?.find(|(known, _)| known.name == key).map(|(_, node)| node)
    }

    /// Returns the place of the key `key` itself, or of the node if it has no such key.
    pub fn key_place(self, key: &str) -> Place {
        let found = self.entries().and_then(|mut entries| entries.find(|(known, _)| known.name == key));
        found.map_or_else(|| self.place(), |(key, _)| Place::new(self.source, key.span))
    }

    /// The value at a JSON pointer below this one.
    pub fn pointer(self, pointer: &str) -> Option<Node<'d>> {
        pointer_tokens(pointer).try_fold(self, |node, token| match node.value() {
            Value::Map(_) => node.get(&token),
            Value::List(trees) => trees.get(token.parse::<usize>().ok()?).map(|tree| node.child(tree)),
            _ => None,
        })
    }

    /// The value as plain JSON. JSON has no infinity: that becomes null.
    pub fn to_json(self) -> Json {
        match self.value() {
            Value::Bool(flag) => (*flag).into(),
            Value::Number(number) => number.clone().into(),
            Value::Null | Value::NotFinite(_) => Json::Null,
            Value::String(text) => text.as_str().into(),
            Value::List(trees) => trees.iter().map(|tree| self.child(tree).to_json()).collect(),
            Value::Map(entries) => {
                entries.iter().map(|(key, tree)| (key.name.to_string(), self.child(tree).to_json())).collect()
            }
        }
    }

    /// Deserializes the value. A key that `T` would ignore is an error.
    pub fn decode<T: DeserializeOwned>(self) -> Result<T, LoadError> {
        decode::decode(self)
    }

    /// Deserializes the value like [`Node::decode`], and reports every error, not only the first.
    pub fn decode_all<T: DeserializeOwned>(self) -> Result<T, LoadErrors> {
        decode_all::decode_all(self)
    }

    /// Deserializes the value without the entries that have mistakes, and adds the mistakes to `errors`: what reads the rest
    /// can report its own. None: without those entries there is no value.
    pub(crate) fn decode_rest<T: DeserializeOwned>(self, errors: &mut LoadErrors) -> Option<T> {
        decode_all::decode_rest(self, errors)
    }

    /// Deserializes the keys `own` of a mapping, which are those of `T`, and reports every error in them. Another reader owns
    /// the rest.
    pub(crate) fn decode_own<T: DeserializeOwned>(self, own: &[&str]) -> Result<T, LoadErrors> {
        let keys = self.entries().into_iter().flatten().map(|(key, _)| key.name.as_str());
        let others: Vec<&str> = keys.filter(|key| !own.contains(key)).collect();
        decode_all::decode_all(Node { hidden: &others, ..self })
    }

    /// Deserializes each entry of a list. Unlike [`Node::decode`], this reports every invalid entry, not only the first.
    pub fn decode_each<T: DeserializeOwned>(self) -> Result<Vec<T>, LoadErrors> {
        let Some(nodes) = self.list() else { return Ok(self.decode()?) };
        read_all(nodes.map(Node::decode))
    }

    /// Returns the kind of the value in plain words, for messages.
    pub fn describe(self) -> &'static str {
        match self.value() {
            Value::Null => "nothing",
            Value::Bool(_) => "a boolean",
            Value::Number(_) | Value::NotFinite(_) => "a number",
            Value::String(_) => "a string",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    fn child<'t>(self, tree: &'t Tree) -> Node<'t>
    where
        'd: 't,
    {
        Node { tree, source: self.source, hidden: &[] }
    }
}

/// The tokens of a JSON pointer, unescaped.
pub fn pointer_tokens(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescape_token)
}
