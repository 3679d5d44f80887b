//! The settings of a suite, next to its cases.

use super::gate::{SuiteGate, parse_gate};
use super::{ReportFormat, keys};
use crate::check::{InputMatch, Scope, Tables};
use crate::place::LoadErrors;
use crate::yaml::{Fields, Node, Value};

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
        for key in keys::shared_by_suite() {
            fields.node(key.name);
        }
        if let Some(node) = fields.node("defaults") {
            fields.take(keys::check_defaults(node, "`defaults`"));
        }
        let name = fields.optional::<String>("suite");
        let output = fields.parse("output", parse_reports);
        let mut tables = scope.tables.extended(&mut fields);
        tables.input_match = fields.parse("input_match", InputMatch::parse);
        let gate = parse_gate(&mut fields, scope);
        fields.finish(Self { name, reports: output.unwrap_or_default(), tables, gate })
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

fn parse_reports(node: Node<'_>) -> Result<Vec<ReportFormat>, LoadErrors> {
    let mut fields = Fields::of(node, "`output`")?;
    let formats = fields.node("format").map(Node::one_or_many).unwrap_or_default();
    // The key is accepted for files of another tool; here ARRAIGN_OUT names the folder for all suites.
    fields.optional::<String>("directory");
    let reports = formats.iter().filter_map(|format| fields.take(format.decode())).collect();
    fields.finish(reports)
}
