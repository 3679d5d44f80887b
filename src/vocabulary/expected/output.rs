//! `expected.output:` assertions about the final answer.

use serde::Deserialize;

use super::{ExpectedContext, GatheredSettings};
use crate::JsonSchema;
use crate::case::Expectation;
use crate::check::support::forms::SchemaOrFile;
use crate::place::LoadErrors;
use crate::yaml::{Key, Node, OneOrMany, Tree, Unparsed, Value, even_null};

/// Assertions about the final answer.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct ExpectedOutput {
    /// Texts that the answer contains.
    #[serde(default, deserialize_with = "even_null")]
    contains: Option<Unparsed<OneOrMany<String>>>,
    /// Texts that the answer does not contain.
    #[serde(default, deserialize_with = "even_null")]
    not_contains: Option<Unparsed<OneOrMany<String>>>,
    /// Patterns that match the answer.
    #[serde(default, deserialize_with = "even_null", alias = "regex")]
    #[schemars(extend("x-aliases" = ["regex"]))]
    regex_patterns: Option<Unparsed<OneOrMany<String>>>,
    /// The JSON Schema that the answer satisfies, or a file that contains it.
    #[serde(default, deserialize_with = "even_null")]
    json_schema: Option<Unparsed<SchemaOrFile>>,
}

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
    pub(super) fn read(
        written: Option<&'n Unparsed<ExpectedOutput>>,
        context: &ExpectedContext<'_>,
    ) -> Result<Self, LoadErrors> {
        let node = written.map(Unparsed::node);
        let mut output = Self { node, ..Self::default() };
        let Some(node) = node else { return Ok(output) };
        let mut errors = LoadErrors::new();
        let settings = node.decode_rest::<ExpectedOutput>(&mut errors).unwrap_or_default();
        for (check, setting, texts) in [
            ("contains", "value", &settings.contains),
            ("not_contains", "value", &settings.not_contains),
            ("regex", "pattern", &settings.regex_patterns),
        ] {
            let Some(node) = texts.as_ref().map(Unparsed::node) else { continue };
            let entries = match node.value() {
                // A list is a list of assertions, each with its own place.
                Value::List(_) => errors.take(context.case.entries(node, "a list")).unwrap_or_default(),
                _ => vec![node],
            };
            for entry in entries {
                errors.take(output.add(check, setting, entry, context));
            }
        }
        if let Some(schema) = &settings.json_schema {
            errors.take(output.add("json_schema", "schema", schema.node(), context));
        }
        errors.or(output)
    }

    fn add(
        &mut self,
        check: &'static str,
        setting: &str,
        entry: Node<'_>,
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
