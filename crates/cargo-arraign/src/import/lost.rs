//! What could not be carried: nothing of the other tool's file is dropped in silence.

use arraign::__internals::place::Place;
use arraign::__internals::yaml::{Key, Node, Value};

/// One thing that is not in what was written, or is not there as it was.
#[derive(Clone)]
pub(super) struct NotCarried {
    /// Where it stands in the other tool's file.
    pub(super) place: Place,
    /// What it is.
    pub(super) what: String,
    /// Why it is not carried, and what to do.
    pub(super) why: String,
}

/// All of it, in the order in which it was met.
#[derive(Default)]
pub(super) struct Lost(pub(super) Vec<NotCarried>);

impl Lost {
    pub(super) fn add(&mut self, place: Place, what: impl Into<String>, why: impl Into<String>) {
        self.0.push(NotCarried { place, what: what.into(), why: why.into() });
    }

    /// From the top of each file to its end, each once: a file of criteria may belong to several others.
    pub(super) fn sort(&mut self) {
        let mut files = Vec::new();
        for entry in &self.0 {
            if !files.contains(&entry.place.file().to_owned()) {
                files.push(entry.place.file().to_owned());
            }
        }
        let at = |entry: &NotCarried| {
            let file = files.iter().position(|file| file == entry.place.file());
            (file, entry.place.span().start, entry.place.line())
        };
        self.0.sort_by_key(at);
        self.0.dedup_by(|one, other| at(one) == at(other) && one.what == other.what && one.why == other.why);
    }

    /// The node under `key` is not carried.
    pub(super) fn key(&mut self, node: Node<'_>, key: &str, why: impl Into<String>) {
        self.add(node.place(), format!("`{key}`"), why);
    }
}

/// The keys of a mapping, each of which is carried or told.
pub(super) struct Keys<'n> {
    node: Node<'n>,
    entries: Vec<(&'n Key, Node<'n>)>,
}

impl<'n> Keys<'n> {
    /// Those of `node`, if it is a mapping.
    pub(super) fn of(node: Node<'n>) -> Option<Self> {
        Some(Self { node, entries: node.entries()?.collect() })
    }

    /// The mapping.
    pub(super) fn node(&self) -> Node<'n> {
        self.node
    }

    /// The value under the first of `names` that is there. Null is nothing.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Node<'n>> {
        let at = self.entries.iter().position(|(key, _)| names.contains(&key.name.as_str()))?;
        let (_, node) = self.entries.remove(at);
        (!matches!(node.value(), Value::Null)).then_some(node)
    }

    /// The text under the first of `names` that is there; a number is the text that it is written as.
    pub(super) fn text(&mut self, names: &[&str]) -> Option<String> {
        text(self.take(names)?)
    }

    /// Passes over keys whose loss nobody minds.
    pub(super) fn skip(&mut self, names: &[&str]) {
        self.entries.retain(|(key, _)| !names.contains(&key.name.as_str()));
    }

    /// The keys that nobody took.
    pub(super) fn rest(self) -> impl Iterator<Item = (&'n str, Node<'n>)> {
        self.entries.into_iter().map(|(key, node)| (key.name.as_str(), node))
    }

    /// Tells of each key that nobody took, for one reason.
    pub(super) fn lose_all(self, why: &str, lost: &mut Lost) {
        for (key, node) in self.entries {
            if !says_nothing(node) {
                lost.add(Place::new(node.source(), key.span), format!("`{}`", key.name), why);
            }
        }
    }

    /// Tells of each key that nobody took; `reasons` has those that the tool is known to have.
    pub(super) fn lose_rest(self, reasons: &[(&[&str], &str)], lost: &mut Lost) {
        for (key, node) in self.entries {
            if says_nothing(node) {
                continue;
            }
            let known = reasons.iter().find(|(names, _)| names.contains(&key.name.as_str()));
            let why = known.map_or("this key is not known here", |(_, why)| why);
            lost.add(Place::new(node.source(), key.span), format!("`{}`", key.name), why);
        }
    }
}

/// A scalar as text.
pub(super) fn text(node: Node<'_>) -> Option<String> {
    match node.value() {
        Value::String(text) => Some(text.to_string()),
        Value::Bool(_) | Value::Int(_) | Value::UInt(_) | Value::Float(_) => Some(node.to_json().to_string()),
        _ => None,
    }
}

/// Dumps have all their keys, also those that hold nothing.
pub(super) fn says_nothing(node: Node<'_>) -> bool {
    match node.value() {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::List(list) => list.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

/// The value of a mapping without the keys that hold nothing, if anything is left.
pub(super) fn pruned(node: Node<'_>) -> Option<serde_json::Value> {
    if says_nothing(node) {
        return None;
    }
    let Some(entries) = node.entries() else { return Some(node.to_json()) };
    let entries = entries.filter_map(|(key, node)| Some((key.name.to_string(), pruned(node)?)));
    let told: serde_json::Map<_, _> = entries.collect();
    (!told.is_empty()).then_some(told.into())
}

/// The entries of a list, or the value itself as the only one.
pub(super) fn list(node: Option<Node<'_>>) -> Vec<Node<'_>> {
    node.map(Node::one_or_many).unwrap_or_default()
}
