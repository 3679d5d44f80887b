//! `gate:` and `summary_baseline:` the requirements on all cases of a suite together.
//!
//! ```yaml
//! dataset: rows.json
//! gate: {mean: 0.7, rows: report}
//! summary_baseline: {file: baselines/rows.json, max_regression: 0.05}
//! ```

use std::path::PathBuf;

use serde::Deserialize;

use crate::JsonSchema;
use crate::check::Scope;
use crate::check::support::reading::Share;
use crate::place::Place;
use crate::yaml::{Fields, Node, Placed};

/// The id of the trial that evaluates a suite's gate.
pub const GATE_ID: &str = "pass_threshold";

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
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

/// The mean score that the cases must reach.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenGate {
    /// The lowest mean score that passes.
    mean: Placed<Share>,
    /// Whether a row below its own threshold fails.
    rows: Option<GateRows>,
}

/// An earlier summary.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenBaseline {
    /// The earlier summary.
    file: Placed<String>,
    /// How far a mean may fall below the earlier one. Default: 0.05.
    max_regression: Option<Share>,
}

/// Reads both keys of a suite.
pub(super) fn parse_gate(fields: &mut Fields<'_>, scope: &Scope<'_>) -> Option<SuiteGate> {
    let gate = fields.parse("gate", Node::decode_all::<Placed<WrittenGate>>);
    let baseline = fields.parse("summary_baseline", Node::decode_all::<Placed<WrittenBaseline>>);
    let mean = gate.as_ref().map(|gate| &gate.mean);
    // A mean of 0 requires nothing.
    if let Some(mean) = mean.filter(|mean| mean.get() <= 0.0) {
        fields.errors.push(mean.error("`mean: 0` requires nothing: every case may fail"));
    }
    let place = gate.as_ref().map(Placed::place).or(baseline.as_ref().map(Placed::place))?.clone();
    let baseline = baseline.and_then(|baseline| {
        let file = fields.take(scope.find_path(&baseline.file))?;
        let max_regression = baseline.max_regression.map_or(MAX_REGRESSION, Share::get);
        Some(SummaryBaseline { place: baseline.place().clone(), file, max_regression })
    });
    let rows = gate.as_ref().and_then(|gate| gate.rows).unwrap_or_default();
    Some(SuiteGate { place, mean: mean.map(|mean| mean.get()), rows, baseline })
}

/// The default of the allowed drop.
const MAX_REGRESSION: f64 = 0.05;
