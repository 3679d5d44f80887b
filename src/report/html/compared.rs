//! The data for the comparison with an earlier run: the trials that changed, and both of their results.

use serde::Serialize;

use crate::report::EarlierRun;
use crate::report::comparison::{RunComparison, TrialComparison, TrialState, TrialStates};
use crate::report::plain::render_safe_json;

/// The largest number of trials that are listed, regressions first.
const MAX_TRIALS: usize = 20_000;

/// The comparison as the page's script reads it.
#[derive(Serialize)]
struct ComparisonData<'c> {
    name: &'c str,
    trials: Vec<TrialComparison>,
    left_out: usize,
}

/// Renders the comparison as JSON that is safe to embed in a page.
pub(super) fn render_comparison(earlier: &EarlierRun, trials: &TrialStates) -> String {
    let changed = RunComparison::from_trials(&earlier.trials, trials).trials;
    let mut trials: Vec<TrialComparison> = changed.into_iter().map(drop_claims).collect();
    // The sort is by the kind of change, so that a limit leaves out the least important trials.
    trials.sort_by_key(|trial| trial.change);
    let left_out = trials.len().saturating_sub(MAX_TRIALS);
    trials.truncate(MAX_TRIALS);
    render_safe_json(&ComparisonData { name: &earlier.name, trials, left_out })
}

/// Removes the claims: the list of cases shows them already.
fn drop_claims(trial: TrialComparison) -> TrialComparison {
    let [before, after] =
        [trial.before, trial.after].map(|state| state.map(|state| TrialState { claim: None, ..state }));
    TrialComparison { before, after, ..trial }
}
