//! `repeat:`, `thresholds.variance:` and `baseline:` the requirements on several runs, or on a run and an earlier one.
//!
//! ```yaml
//! repeat: 5
//! thresholds: {min_score: 80, variance: {pass_rate: 0.8}}
//! baseline: {file: traces/golden/refund.json, max_drop: 5, similarity: 0.9, fail_on: [REGRESSION, TOOLS_CHANGED]}
//! ```

use serde::Deserialize;

use super::case::Context;
use crate::JsonSchema;
use crate::case::{Baseline, CheckSettings, VarianceBlock};
use crate::check::support::reading::{Points, Share};
use crate::outcome::count_noun;
use crate::place::{LoadError, LoadErrors};
use crate::score::compare::{ComparisonStatus, Limits};
use crate::score::statistics::Variance;
use crate::yaml::{Build, Checked, MappingOr, Node, OneOrMany, Placed};

/// Parses the requirements on several runs.
pub(super) fn parse_variance(
    case: Node<'_>,
    context: &Context<'_>,
) -> Result<Option<VarianceBlock>, LoadErrors> {
    let Some(node) = case.get("thresholds").and_then(|thresholds| thresholds.get("variance")) else {
        return Ok(None);
    };
    let settings = CheckSettings::new(context.document, format!("{}/thresholds/variance", context.path));
    let mut variance: Variance = node.decode_all()?;
    // A case that says how often its agent is asked need not say how many runs are counted. A `repeat` that is no number
    // is reported with the keys of the case.
    if let (None, Some(Ok(repeat))) = (node.get("runs"), case.get("repeat").map(Node::decode)) {
        variance.runs = repeat;
    }
    let mut errors = LoadErrors::new();
    let runs = variance.runs.get();
    for (key, required) in [("pass_hat_k", &variance.pass_hat_k), ("pass_at_k", &variance.pass_at_k)] {
        for k in required.0.keys().filter(|k| **k > runs) {
            let place = node.get(key).unwrap_or(node).key_place(&k.to_string());
            let problem = format!(
                "`{k}` is more than the {} of the case, and fewer runs allow no estimate",
                count_noun(runs as usize, "run")
            );
            // The number stands where the case writes it.
            let setting =
                if node.get("runs").is_none() && case.get("repeat").is_some() { "repeat" } else { "runs" };
            errors.push(LoadError::new(place, problem).help(format!("set `{setting}: {k}`, or more")));
        }
    }
    errors.or(Some(VarianceBlock { place: node.place(), variance, settings }))
}

/// A recorded run to compare with: its file, or the file with limits.
pub(super) type WrittenBaseline = MappingOr<BaselineLimits, Placed<String>>;

/// A recorded run, and how far a run may differ from it.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(deny_unknown_fields)]
pub(super) struct BaselineLimits {
    /// The recorded run.
    file: Placed<String>,
    /// How many points the score may fall. Default: 5.
    max_drop: Option<Placed<Points>>,
    /// The minimum similarity of the answers, from 0 to 1.
    similarity: Option<Placed<Share>>,
    /// The differences that fail the case.
    fail_on: Option<Checked<Changes>>,
}

/// One difference, or several.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "changes")]
pub(super) struct Changes(OneOrMany<FailingChange>);

/// A difference that may fail a case.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum FailingChange {
    Regression,
    ToolsChanged,
    OutputChanged,
}

impl Build for Changes {
    type Built = Vec<ComparisonStatus>;

    fn build(written: Placed<Self>) -> Result<Self::Built, LoadErrors> {
        let changes = &written.0.0;
        if changes.is_empty() {
            let problem = "an empty list lets the case pass whatever changes: the baseline can never fail";
            let help = "name a difference, `[REGRESSION]`, or take the baseline out";
            return Err(written.error(problem).help(help).into());
        }
        let changes = changes.iter().map(|change| match change {
            FailingChange::Regression => ComparisonStatus::Regression,
            FailingChange::ToolsChanged => ComparisonStatus::ToolsChanged,
            FailingChange::OutputChanged => ComparisonStatus::OutputChanged,
        });
        Ok(changes.collect())
    }
}

/// Builds the case's baseline. `fail_on` is what `baseline_fail_on` says beside it.
pub(super) fn build_baseline(
    written: Placed<WrittenBaseline>,
    fail_on: Option<Placed<Checked<Changes>>>,
    context: &Context<'_>,
) -> Result<Baseline, LoadErrors> {
    let mut errors = LoadErrors::new();
    let place = written.place().clone();
    let usual = Limits::default();
    let written = match written.into_value() {
        MappingOr::Mapping(written) => written,
        MappingOr::Short(file) => BaselineLimits { file, max_drop: None, similarity: None, fail_on: None },
    };
    // Two names of one setting could say two things.
    if let (Some(_), Some(beside)) = (&written.fail_on, &fail_on) {
        errors.push(beside.error("`baseline_fail_on` is another name of `baseline.fail_on`: give one"));
    }
    // A similarity of 0 requires nothing.
    if let Some(none) = written.similarity.as_ref().filter(|share| share.get() <= 0.0) {
        let error = none.error("`similarity: 0` accepts every answer");
        errors.push(error.help("raise it, or leave `OUTPUT_CHANGED` out of `fail_on`"));
    }
    let fail_on = written.fail_on.or(fail_on.map(Placed::into_value));
    let limits = Limits {
        max_drop: written.max_drop.as_ref().map_or(usual.max_drop, |drop| drop.get()),
        similarity: written.similarity.map(|share| share.get()),
        fail_on: fail_on.map_or(usual.fail_on, |changes| changes.0),
    };
    // Points are all of the score, so that no drop is larger.
    if let Some(drop) = &written.max_drop
        && limits.max_drop >= 100.0
        && limits.fail_on.contains(&ComparisonStatus::Regression)
    {
        let error =
            drop.error("`max_drop: 100` allows every drop of the score, so that no `REGRESSION` is found");
        errors.push(error.help("lower it, or leave `REGRESSION` out of `fail_on`"));
    }
    if written.file.trim().is_empty() {
        errors.push(written.file.error("the path is empty: name a recorded trace"));
    } else {
        errors.take(context.scope.find_path(&written.file));
    }
    errors.or(Baseline { place, file: written.file.into_value(), limits })
}
