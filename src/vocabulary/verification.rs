//! `verification:` whether the agent verifies its work: `true`, a threshold, or the settings.
//!
//! ```yaml
//! verification: {threshold: 0.9, gates: [type, lint]}
//! ```
//!
//! `false` takes back what a suite's defaults ask for. Where the case weighs it (`weights: {verification: 0.4}`),
//! `on_violation: score` without a threshold of its own leaves the verdict to the scorecard.

use super::{CaseNode, Piece, Vocabulary, wrap};
use crate::case::Lowered;
use crate::check::{Registry, Scope};
use crate::place::LoadErrors;
use crate::score::Stake;
use crate::yaml::{Key, Tree, Value};

const KEY: &str = "verification";

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: KEY, unfold, lower, settings_beside: false, also: &[] };

/// A bare number is the threshold.
fn unfold(case: &mut [(Key, Tree)], _kinds: &Registry) {
    for (_, settings) in case.iter_mut().filter(|(key, _)| key.name == KEY) {
        if matches!(settings.value, Value::Int(_) | Value::UInt(_) | Value::Float(_)) {
            wrap(settings, "threshold");
        }
    }
}

fn lower(case: &CaseNode<'_>, scope: &Scope<'_>) -> Result<Lowered, LoadErrors> {
    let asked = case.node.get(KEY).filter(|block| !matches!(block.value(), Value::Bool(false)));
    let Some(block) = asked else { return Ok(Lowered::default()) };
    let piece = Piece { check: KEY, place: case.node.key_place(KEY), pointer: format!("/{KEY}") };
    let expectation = piece.read(case, block, scope)?;
    let only_scores = is_weighed(case) && scope.tables.verification.extended(block)?.only_scores();
    let stake = if only_scores { Stake::Points } else { Stake::Must };
    Ok(vec![expectation.at_stake(stake)].into())
}

/// Whether the case's scorecard counts it.
fn is_weighed(case: &CaseNode<'_>) -> bool {
    let own = case.node.get("thresholds").and_then(|thresholds| thresholds.get("weights"));
    let mut weights = own.into_iter().chain(case.node.get("weights")).filter_map(|weights| weights.get(KEY));
    weights.next().and_then(|weight| weight.decode::<f64>().ok()).is_some_and(|weight| weight > 0.0)
}
