//! The settings of a suite, next to its cases.

use super::gate::{SuiteGate, parse_gate};
use super::{ReportFormat, keys};
use crate::check::{Scope, Tables};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node, Value};

/// The settings of a suite.
pub(super) struct SuiteHeader {
    /// What it calls itself.
    pub(super) name: Option<String>,
    /// The reports that it asks for.
    pub(super) reports: Vec<ReportFormat>,
    /// What its cases look up.
    pub(super) tables: Tables,
    /// What they must reach together.
    pub(super) gate: Option<SuiteGate>,
}

impl SuiteHeader {
    /// That of a file which is no suite.
    pub(super) fn empty(tables: &Tables) -> Self {
        Self { name: None, reports: Vec::new(), tables: tables.clone(), gate: None }
    }

    /// Reads all keys of the suite but its cases.
    pub(super) fn parse_header(root: Node<'_>, scope: &Scope<'_>) -> Result<Self, LoadErrors> {
        let mut fields = Fields::of(root, "a suite")?;
        fields.aliased(keys::TESTS);
        fields.node("dataset");
        parse_texts(&mut fields);
        for key in keys::shared_by_suite() {
            fields.node(key.name);
        }
        if let Some(node) = fields.node("defaults") {
            fields.take(keys::check_defaults(node, "`defaults`"));
        }
        let name = fields.optional::<String>("suite");
        let output = fields.node("output").and_then(|node| fields.take(parse_reports(node)));
        let tables = scope.tables.extended(&mut fields);
        let gate = parse_gate(&mut fields, scope);
        fields.finish(Self { name, reports: output.unwrap_or_default(), tables, gate })
    }
}

/// Keys that are only text.
fn parse_texts(fields: &mut Fields<'_>) {
    for key in keys::SUITE_TEXTS {
        let node = fields.node(key);
        let compound = node.filter(|node| matches!(node.value(), Value::List(_) | Value::Map(_)));
        if let Some(node) = compound {
            fields.errors.push(node.error(format!("`{key}` is a text, not {}", node.describe())));
        }
    }
}

fn parse_reports(node: Node<'_>) -> Result<Vec<ReportFormat>, LoadErrors> {
    let mut fields = Fields::of(node, "`output`")?;
    let formats = fields.node("format").map(Node::one_or_many).unwrap_or_default();
    // Where its users' own program wrote; ours says it once for all suites (ARRAIGN_OUT).
    fields.optional::<String>("directory");
    let reports = formats.iter().filter_map(|format| fields.take(format.decode())).collect();
    fields.finish(reports)
}
