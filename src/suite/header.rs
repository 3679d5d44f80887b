//! The settings of a suite, next to its cases.

use serde::Deserialize;

use super::gate::{SuiteGate, parse_gate};
use super::{ReportFormat, keys};
use crate::JsonSchema;
use crate::check::{InputMatch, Scope, Tables};
use crate::place::{LoadError, LoadErrors};
use crate::vocabulary::check_criteria;
use crate::yaml::{Fields, Node, OneOrMany, Value};

/// The settings of a suite.
pub(super) struct SuiteHeader {
    /// The name of the suite.
    pub(super) name: Option<String>,
    /// The requested reports.
    pub(super) reports: Vec<ReportFormat>,
    /// The tables of its cases.
    pub(super) tables: Tables,
    /// The gate over all cases.
    pub(super) gate: Option<SuiteGate>,
}

impl SuiteHeader {
    /// Returns the header of a file that is not a suite.
    pub(super) fn empty(tables: &Tables) -> Self {
        Self { name: None, reports: Vec::new(), tables: tables.clone(), gate: None }
    }

    /// Reads all keys of the suite but its cases.
    pub(super) fn parse_header(root: Node<'_>, scope: &Scope<'_>) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(root, "a suite")?;
        fields.aliased(keys::TESTS);
        fields.node("dataset");
        parse_texts(&mut fields);
        // These are read with the cases; here they are only marked as known.
        for key in keys::SHARED_BY_SUITE {
            fields.node(key);
        }
        if let Some(node) = fields.node("defaults") {
            fields.take(keys::check_defaults(node, "`defaults`"));
        }
        let name = fields.optional::<String>("suite");
        let output: Output = fields.parse("output", Node::decode_all).unwrap_or_default();
        let mut tables = scope.tables.extended(&mut fields);
        tables.input_match = fields.parse("input_match", InputMatch::parse);
        if root.get("criteria").is_some() {
            fields.take(check_criteria(&tables.criteria, scope));
        }
        let gate = parse_gate(&mut fields, scope);
        refuse_case_keys(root, &mut fields);
        fields.finish(Self { name, reports: output.format.0, tables, gate })
    }
}

/// Refuses the keys of a case, and says where they belong.
fn refuse_case_keys(root: Node<'_>, fields: &mut Fields<'_>) {
    for key in keys::common() {
        if root.get(key).is_some() && !fields.knows(key) {
            fields.node(key);
            let error =
                LoadError::new(root.key_place(key), format!("`{key}` is a key of cases, not of a suite"));
            let help =
                format!("for all cases of the suite, write it below `defaults`: `defaults: {{{key}: ...}}`");
            fields.errors.push(error.help(help));
        }
    }
}

/// Checks the keys that are plain texts.
fn parse_texts(fields: &mut Fields<'_>) {
    for key in keys::SUITE_TEXTS {
        let node = fields.node(key);
        let compound = node.filter(|node| matches!(node.value(), Value::List(_) | Value::Map(_)));
        if let Some(node) = compound {
            fields.errors.push(node.error(format!("`{key}` is a text, not {}", node.describe())));
        }
    }
}

/// The reports that a run writes.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct Output {
    /// The formats of the reports.
    #[serde(default)]
    format: OneOrMany<ReportFormat>,
    /// Accepted, but not used: `ARRAIGN_OUT` sets the folder for reports.
    #[serde(rename = "directory")]
    _directory: Option<String>,
}
