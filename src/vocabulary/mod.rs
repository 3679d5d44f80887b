//! Vocabularies: the YAML keys of one family of users, lowered to checks.
//!
//! A new vocabulary is one file and its entry in [`VOCABULARIES`].

mod eval;
mod expect;
mod expected;
mod extract;
mod gathered_settings;
mod golden;
mod metric;
mod mocks;
mod verification;

use std::sync::Arc;

use crate::case::{CheckSettings, Expectation, LoweredBlock};
use crate::check::{Registry, Scope};
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Document, Key, Node, Tree, Value};
pub(crate) use eval::EvalBlock;
pub(crate) use expected::{
    AdapterConfig, AnswerChecks, ExpectedParts, ExpectedThresholds, ExpectedTurn, OutputEffect,
};
pub(crate) use golden::check_criteria;

/// One family of keys.
pub struct Vocabulary {
    /// The key that opens its block.
    pub key: &'static str,
    /// Rewrites the short forms among a case's entries to the long ones, keeping their places, before anything
    /// is read.
    pub unfold: fn(&mut [(Key, Tree)], &Registry),
    /// More keys of a case that belong to this vocabulary.
    pub other_keys: &'static [&'static str],
    /// Lowers the keys of a case to checks.
    pub lower: fn(&CaseNode<'_>) -> Result<LoweredBlock, LoadErrors>,
    /// Whether the settings of the check are at the same level as the common keys.
    pub settings_beside: bool,
}

/// All vocabularies, in the order in which their checks run.
pub const VOCABULARIES: &[Vocabulary] = &[
    metric::VOCABULARY,
    eval::VOCABULARY,
    expected::VOCABULARY,
    golden::VOCABULARY,
    extract::VOCABULARY,
    verification::VOCABULARY,
    mocks::VOCABULARY,
    expect::VOCABULARY,
];

/// A case that is being read, and the pointer to it in its document.
pub struct CaseNode<'d> {
    /// The document of the case.
    pub document: &'d Arc<Document>,
    /// The JSON pointer to the case.
    pub path: &'d str,
    /// The mapping of the case.
    pub node: Node<'d>,
    /// What its settings may refer to.
    pub scope: &'d Scope<'d>,
    /// The keys that belong to the case, not to a metric.
    pub common: &'static [&'static str],
    /// Whether checks that cannot fail are allowed.
    pub allow_vacuous: bool,
    /// Whether rows of a golden dataset only report their score, because the gate of the suite decides.
    pub rows_only_report: bool,
}

/// Replaces a bare value by a mapping with the value under `setting`, at the same place.
fn wrap(settings: &mut Tree, setting: &str) {
    let span = settings.span;
    let bare = std::mem::replace(&mut settings.value, Value::Null);
    settings.value = Value::Map(vec![(Key { span, name: setting.into() }, Tree { span, value: bare })]);
}

impl CaseNode<'_> {
    /// Whether the case itself has `key`, not only the defaults of its suite.
    fn says(&self, key: &str) -> bool {
        let mut keys = self.node.entries().into_iter().flatten();
        keys.any(|(known, _)| known.name == key && self.node.tree().span.contains(known.span))
    }

    /// Whether `node` is in the case itself, not in the defaults of its suite.
    fn holds(&self, node: Node<'_>) -> bool {
        self.node.tree().span.contains(node.tree().span)
    }

    /// Returns the entries of a list. An empty list is an error unless the case has `allow_vacuous`.
    fn entries<'n>(&self, list: Node<'n>, what: &str) -> Result<Vec<Node<'n>>, LoadError> {
        let Some(entries) = list.list() else {
            let error = list.error(format!("{what}, not {}", list.describe()));
            let is_mapping = matches!(list.value(), Value::Map(_));
            return Err(error.help_if(is_mapping.then(|| "begin each of its lines with `- `".to_owned())));
        };
        // An empty list is often what is left after an edit.
        if entries.len() == 0 && !self.allow_vacuous {
            return Err(list.error("an empty list checks nothing").help("remove the key, or add an entry"));
        }
        Ok(entries.collect())
    }

    fn settings(&self, pointer: &str) -> CheckSettings {
        CheckSettings::new(self.document, [self.path, pointer].concat())
    }

    /// Reads the settings `node` of `check`, which a part of a block at `place` lowers to. `pointer` leads from the case to
    /// the settings.
    fn read_check(
        &self,
        check: &'static str,
        place: Place,
        pointer: &str,
        node: Node<'_>,
    ) -> Result<Expectation, LoadErrors> {
        gathered_settings::read_expectation(check, place, self.settings(pointer), node, self.scope)
    }
}
