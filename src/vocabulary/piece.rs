//! One check that a part of a block lowers to, and its settings: as they stand, or gathered from several places.

use std::sync::Arc;

use super::CaseNode;
use crate::case::{CheckSettings, Expectation};
use crate::check::Scope;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// A check that a part of a block lowers to.
pub(super) struct CheckPiece {
    /// The check's name.
    pub(super) check: &'static str,
    /// Where the part stands.
    pub(super) place: Place,
    /// The JSON pointer to its settings, from the case.
    pub(super) pointer: String,
}

impl CheckPiece {
    /// Reads the settings, which stand together at the pointer.
    pub(super) fn parse_piece(
        self,
        case: &CaseNode<'_>,
        node: Node<'_>,
        scope: &Scope<'_>,
    ) -> Result<Expectation, LoadErrors> {
        expectation(self.check, self.place, case.settings(&self.pointer), node, scope, case.allow_vacuous)
    }
}

/// Settings put together of values from several places of a case. Each value keeps its own place, so that a mistake
/// in it, or a violation of it, is shown where it is written.
pub(super) struct GatheredSettings<'n> {
    node: Node<'n>,
    entries: Vec<(Key, Tree)>,
}

impl<'n> GatheredSettings<'n> {
    /// No settings yet; what concerns all of them is shown at `node`.
    pub(super) fn at(node: Node<'n>) -> Self {
        Self { node, entries: Vec::new() }
    }

    /// The settings that the mapping `node` holds; `what` it is.
    pub(super) fn of(node: Node<'n>, what: &str) -> Result<Self, LoadError> {
        let Some(entries) = node.entries() else {
            return Err(node.error(format!("{what} is a mapping, not {}", node.describe())));
        };
        let entries = entries.map(|(key, node)| (key.clone(), node.tree().clone())).collect();
        Ok(Self { node, entries })
    }

    /// Adds the setting `name`, if there is a value for it.
    pub(super) fn with(mut self, name: &str, value: Option<Node<'_>>) -> Self {
        let entry = |node: Node<'_>| {
            let tree = node.tree().clone();
            (Key { span: tree.span, name: name.into() }, tree)
        };
        self.entries.extend(value.map(entry));
        self
    }

    /// Adds the setting `name` with a value that nobody has written.
    pub(super) fn with_value(mut self, name: &str, value: Value) -> Self {
        let span = self.node.tree().span;
        self.entries.push((Key { span, name: name.into() }, Tree { span, value }));
        self
    }

    /// Reads the settings of `check`, which is named at `place`.
    pub(super) fn read(
        self,
        check: &'static str,
        place: Place,
        scope: &Scope<'_>,
        allow_vacuous: bool,
    ) -> Result<Expectation, LoadErrors> {
        let root = Tree { span: self.node.tree().span, value: Value::Map(self.entries) };
        let document = Arc::new(Document { source: Arc::clone(self.node.source()), root });
        expectation(check, place, CheckSettings::new(&document, ""), document.root(), scope, allow_vacuous)
    }
}

fn expectation(
    check: &'static str,
    place: Place,
    settings: CheckSettings,
    node: Node<'_>,
    scope: &Scope<'_>,
    allow_vacuous: bool,
) -> Result<Expectation, LoadErrors> {
    let Some(kind) = scope.kinds.find(check) else {
        return Err(LoadError::new(place, format!("this build has no check `{check}`")).into());
    };
    Expectation::read(kind, place, settings, node, scope, allow_vacuous)
}
