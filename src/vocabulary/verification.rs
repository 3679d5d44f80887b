//! `verification:` checks whether the agent verifies its work: `true`, a threshold, or settings.
//!
//! ```yaml
//! verification: {threshold: 0.9, gates: [type, lint]}
//! ```
//!
//! `false` disables the check that the defaults of a suite enable. If the case has a weight for it
//! (`weights: {verification: 0.4}`), `on_violation: score` without a threshold leaves the verdict to the scorecard.

use super::{CaseNode, Vocabulary, expected, wrap};
use crate::case::LoweredBlock;
use crate::check::Registry;
use crate::place::LoadErrors;
use crate::score::Effect;
use crate::yaml::{Key, Tree, Value};

const KEY: &str = "verification";

pub(super) const VOCABULARY: Vocabulary =
    Vocabulary { key: KEY, unfold, lower, settings_beside: false, other_keys: &[] };

/// Rewrites a bare number as the threshold.
fn unfold(case: &mut [(Key, Tree)], _kinds: &Registry) {
    for (_, settings) in case.iter_mut().filter(|(key, _)| key.name == KEY) {
        if matches!(settings.value, Value::Number(_) | Value::NotFinite(_)) {
            wrap(settings, "threshold");
        }
    }
}

fn lower(case: &CaseNode<'_>) -> Result<LoweredBlock, LoadErrors> {
    let asked = case.node.get(KEY).filter(|block| !matches!(block.value(), Value::Bool(false)));
    let Some(block) = asked else { return Ok(LoweredBlock::default()) };
    let expectation = case.read_check(KEY, case.node.key_place(KEY), &format!("/{KEY}"), block)?;
    // A block whose score is weighed with others must not fail the case by itself.
    let only_scores =
        expected::weighs(case, KEY) && case.scope.tables.verification.extended(block)?.only_scores();
    let effect = if only_scores { Effect::Points } else { Effect::Fail };
    Ok(vec![expectation.with_effect(effect)].into())
}
