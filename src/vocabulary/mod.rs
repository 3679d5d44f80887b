//! Vocabularies: the YAML keys of one family of users, lowered to checks.
//!
//! A new vocabulary is one file and its entry in [`VOCABULARIES`].

mod eval;
mod expect;
mod expected;
mod extract;
mod golden;
mod metric;
mod piece;
mod verification;

use std::sync::Arc;

use self::piece::CheckPiece;
use crate::case::{CheckSettings, LoweredBlock};
use crate::check::{Registry, Scope};
use crate::place::{LoadError, LoadErrors, Span};
use crate::yaml::{Document, Key, Node, Tree, Value};

/// One family of keys.
pub struct Vocabulary {
    /// The key that opens its block.
    pub key: &'static str,
    /// Rewrites the short forms among a case's entries to the long ones, keeping their places, before anything
    /// is read.
    pub unfold: fn(&mut [(Key, Tree)], &Registry),
    /// Further keys of a case that belong to it.
    pub also: &'static [&'static str],
    /// The case's keys to checks.
    pub lower: fn(&CaseNode<'_>, &Scope<'_>) -> Result<LoweredBlock, LoadErrors>,
    /// Whether the block's settings stand beside the common keys.
    pub settings_beside: bool,
}

/// All vocabularies, in the order in which their checks are asked.
pub const VOCABULARIES: &[Vocabulary] = &[
    metric::VOCABULARY,
    eval::VOCABULARY,
    expected::VOCABULARY,
    golden::VOCABULARY,
    extract::VOCABULARY,
    verification::VOCABULARY,
    expect::VOCABULARY,
];

/// A case that is being read: its node, and how to find it again.
pub struct CaseNode<'d> {
    /// Its document.
    pub document: &'d Arc<Document>,
    /// The JSON pointer to it.
    pub path: &'d str,
    /// Its mapping.
    pub node: Node<'d>,
    /// The keys that belong to the case, not to a metric.
    pub common: &'static [&'static str],
    /// Whether checks that cannot fail are allowed.
    pub allow_vacuous: bool,
    /// Whether a row of a golden dataset only reports its score: its suite's gate decides.
    pub rows_only_report: bool,
}

/// Makes a bare value the setting called `setting` of a mapping, which stands where the value does.
fn wrap(settings: &mut Tree, setting: &str) {
    let span = settings.span;
    let bare = std::mem::replace(&mut settings.value, Value::Null);
    settings.value = Value::Map(vec![(Key { span, name: setting.into() }, Tree { span, value: bare })]);
}

impl CaseNode<'_> {
    /// Whether the case itself says `key`, and not its suite for all cases.
    fn says(&self, key: &str) -> bool {
        let mut keys = self.node.entries().into_iter().flatten();
        keys.any(|(known, _)| known.name == key && self.encloses(known.span))
    }

    /// Whether `node` stands in the case itself, and not in what its suite says for all cases.
    fn holds(&self, node: Node<'_>) -> bool {
        self.encloses(node.tree().span)
    }

    /// The entries of a list; `what` it should be. One without any asks for nothing, which only a case may that says so.
    fn entries<'n>(&self, list: Node<'n>, what: &str) -> Result<Vec<Node<'n>>, LoadError> {
        let Some(entries) = list.list() else {
            return Err(list.error(format!("{what}, not {}", list.describe())));
        };
        if entries.len() == 0 && !self.allow_vacuous {
            return Err(list.error("an empty list asks for nothing").help("take the key out, or fill it"));
        }
        Ok(entries.collect())
    }

    fn encloses(&self, span: Span) -> bool {
        let own = self.node.tree().span;
        own.start <= span.start && span.end <= own.end
    }

    fn settings(&self, pointer: &str) -> CheckSettings {
        CheckSettings::new(self.document, [self.path, pointer].concat())
    }
}
