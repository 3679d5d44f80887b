//! Settings of one check that are gathered from several places of a case.

use std::sync::Arc;

use crate::case::{CheckSettings, Expectation};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// Settings gathered from several places of a case. Each value keeps its own place for errors and violations.
pub(super) struct GatheredSettings<'n> {
    node: Node<'n>,
    entries: Vec<(Key, Tree)>,
}

impl<'n> GatheredSettings<'n> {
    /// Starts without settings; errors that concern all of them point at `node`.
    pub(super) fn at(node: Node<'n>) -> Self {
        Self { node, entries: Vec::new() }
    }

    /// Takes the settings of the mapping `node`. For any other value the error names it `what`.
    pub(super) fn of(node: Node<'n>, what: &str) -> Result<Self, LoadError> {
        let Some(entries) = node.entries() else {
            return Err(node.error(format!("{what} is a mapping, not {}", node.describe())));
        };
        let entries = entries.map(|(key, node)| (key.clone(), node.tree().clone())).collect();
        Ok(Self { node, entries })
    }

    /// Adds the setting `name`, if there is a value for it.
    pub(super) fn with(mut self, name: &str, value: Option<Node<'_>>) -> Self {
        self.entries.extend(value.map(|node| {
            let tree = node.tree().clone();
            (Key { span: tree.span, name: name.into() }, tree)
        }));
        self
    }

    /// Adds the setting `name` with a value that is not in the file.
    pub(super) fn with_value(mut self, name: &str, value: Value) -> Self {
        let span = self.node.tree().span;
        self.entries.push((Key { span, name: name.into() }, Tree { span, value }));
        self
    }

    /// Reads the settings of `check`.
    pub(super) fn read(self, check: &'static str, scope: &Scope<'_>) -> Result<Expectation, LoadErrors> {
        let place = self.node.place();
        self.read_named_at(check, place, scope)
    }

    /// Reads the settings of `check`, whose name is at `place`.
    pub(super) fn read_named_at(
        self,
        check: &'static str,
        place: Place,
        scope: &Scope<'_>,
    ) -> Result<Expectation, LoadErrors> {
        let root = Tree { span: self.node.tree().span, value: Value::Map(self.entries) };
        let document = Arc::new(Document { source: Arc::clone(self.node.source()), root });
        read_expectation(check, place, CheckSettings::new(&document, ""), document.root(), scope)
    }
}

/// Reads the settings `node` of the check `check`.
pub(super) fn read_expectation(
    check: &'static str,
    place: Place,
    settings: CheckSettings,
    node: Node<'_>,
    scope: &Scope<'_>,
) -> Result<Expectation, LoadErrors> {
    let Some(kind) = scope.kinds.find(check) else {
        return Err(LoadError::new(place, format!("this build has no check `{check}`")).into());
    };
    Expectation::read(kind, place, settings, node, scope)
}
