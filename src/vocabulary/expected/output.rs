//! `expected.output:` assertions about the final answer.

use super::{ExpectedContext, GatheredSettings};
use crate::case::Expectation;
use crate::place::LoadErrors;
use crate::yaml::{Fields, Key, Node, Tree, Value};

/// The keys of the block, with the check of each entry and the setting that takes the entry.
const ASSERTIONS: &[(&[&str], &str, &str)] = &[
    (&["contains"], "contains", "value"),
    (&["not_contains"], "not_contains", "value"),
    (&["regex_patterns", "regex"], "regex", "pattern"),
];

/// The assertions about the answer.
#[derive(Default)]
pub(super) struct OutputAssertions<'n> {
    /// The block.
    pub(super) node: Option<Node<'n>>,
    /// Each assertion as its own check.
    pub(super) assertions: Vec<Expectation>,
    /// The same assertions as entries `{check: settings}`, for the score over all of them.
    pub(super) trees: Vec<Tree>,
}

impl<'n> OutputAssertions<'n> {
    pub(super) fn read(node: Option<Node<'n>>, context: &ExpectedContext<'_>) -> Result<Self, LoadErrors> {
        let mut output = Self { node, ..Self::default() };
        let Some(node) = node else { return Ok(output) };
        let mut fields = Fields::of(node, "`output`")?;
        for (keys, check, setting) in ASSERTIONS {
            let Some(node) = fields.aliased(keys) else { continue };
            let entries = match node.value() {
                // A list is a list of assertions, each with its own place.
                Value::List(_) => fields.take(context.case.entries(node, "a list")).unwrap_or_default(),
                _ => vec![node],
            };
            for entry in entries {
                fields.take(output.add(check, setting, entry, context));
            }
        }
        if let Some(schema) = fields.node("json_schema") {
            fields.take(output.add("json_schema", "schema", schema, context));
        }
        fields.finish(output)
    }

    fn add(
        &mut self,
        check: &'static str,
        setting: &str,
        entry: Node<'n>,
        context: &ExpectedContext<'_>,
    ) -> Result<(), LoadErrors> {
        let settings = GatheredSettings::at(entry).with(setting, Some(entry));
        let expectation = settings.read(check, context.case.scope)?;
        self.assertions.push(expectation.with_effect(context.output));
        self.trees.push(wrap_named(check, wrap_named(setting, entry.tree().clone())));
        Ok(())
    }

    /// Whether there are assertions to score.
    pub(super) fn is_scored(&self) -> bool {
        !self.assertions.is_empty()
    }
}

/// Wraps `tree` as `{name: tree}` with the same place.
fn wrap_named(name: &str, tree: Tree) -> Tree {
    let span = tree.span;
    Tree { span, value: Value::Map(vec![(Key { span, name: name.into() }, tree)]) }
}
