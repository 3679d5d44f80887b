//! `gate:` and `summary_baseline:` the requirements on all cases of a suite together.
//!
//! ```yaml
//! dataset: rows.json
//! gate: {mean: 0.7, rows: report}
//! summary_baseline: {file: baselines/rows.json, max_regression: 0.05}
//! ```

use std::path::PathBuf;

use serde::Deserialize;

use crate::check::Scope;
use crate::place::{LoadError, LoadErrors, Place};
use crate::yaml::{Fields, Node};

/// The requirements on all cases of a suite together.
#[derive(Debug, Clone)]
pub struct SuiteGate {
    /// The place of the gate.
    pub place: Place,
    /// The least mean score of the cases, in 0..=1.
    pub mean: Option<f64>,
    /// The effect of a case that misses its own threshold.
    pub rows: GateRows,
    /// The earlier summary that the means are compared with.
    pub baseline: Option<SummaryBaseline>,
}

/// The effect of a case of a gated suite that misses its own threshold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateRows {
    /// Its trial fails.
    #[default]
    Must,
    /// It reports its score; only the gate decides.
    Report,
}

/// An earlier summary, and the allowed drop of a mean.
#[derive(Debug, Clone)]
pub struct SummaryBaseline {
    /// The place of the setting.
    pub place: Place,
    /// The file.
    pub file: PathBuf,
    /// The allowed drop of a mean, from 0 to 1.
    pub max_regression: f64,
}

/// Reads both keys of a suite.
pub(super) fn parse_gate(fields: &mut Fields<'_>, scope: &Scope<'_>) -> Option<SuiteGate> {
    let (gate, baseline) = (fields.node("gate"), fields.node("summary_baseline"));
    let at = gate.or(baseline)?;
    let (mean, rows) = gate.and_then(|node| fields.take(parse_mean(node))).unwrap_or_default();
    let baseline = baseline.and_then(|node| fields.take(parse_summary_baseline(node, scope)));
    Some(SuiteGate { place: at.place(), mean, rows, baseline })
}

fn parse_mean(node: Node<'_>) -> Result<(Option<f64>, GateRows), LoadErrors> {
    let mut fields = Fields::of(node, "`gate`")?;
    let mean = fields.parse("mean", parse_least_mean);
    let rows = fields.optional("rows").unwrap_or_default();
    // A mean that was refused is reported already.
    if mean.is_none() && fields.errors.is_empty() {
        fields.errors.push(node.error("`gate` says the least `mean` of its cases: `gate: {mean: 0.7}`"));
    }
    fields.finish((mean, rows))
}

fn parse_summary_baseline(node: Node<'_>, scope: &Scope<'_>) -> Result<SummaryBaseline, LoadErrors> {
    let mut fields = Fields::of(node, "`summary_baseline`")?;
    let file = fields.node("file").and_then(|file| fields.take(scope.path(file)));
    if file.is_none() && fields.errors.is_empty() {
        fields.missing(&["file"], node.error("`summary_baseline` needs its `file`"));
    }
    let drop = fields.parse("max_regression", |node| node.parse_up_to(1.0, ""));
    let baseline = file.map(|file| SummaryBaseline {
        place: node.place(),
        file,
        max_regression: drop.unwrap_or(MAX_REGRESSION),
    });
    fields.finish_some(baseline)
}

/// The default of the allowed drop.
const MAX_REGRESSION: f64 = 0.05;

/// A mean of 0 requires nothing.
fn parse_least_mean(node: Node<'_>) -> Result<f64, LoadError> {
    match node.parse_up_to(1.0, "")? {
        mean if mean > 0.0 => Ok(mean),
        _ => Err(node.error("`mean: 0` requires nothing: every case may fail")),
    }
}
