//! What the page holds of the run that its own is compared with: the trials that changed, and how they stood.

use serde::Serialize;

use crate::report::EarlierRun;
use crate::report::comparison::{RunComparison, TrialComparison, TrialState, Trials};
use crate::report::plain::render_safe_json;

/// How many trials are told: what turned red first.
const MAX_TRIALS: usize = 20_000;

/// For the script.
#[derive(Serialize)]
struct ComparisonData<'c> {
    name: &'c str,
    trials: Vec<TrialComparison>,
    left_out: usize,
}

/// JSON that is harmless within a page.
pub(super) fn render_comparison(earlier: &EarlierRun, trials: &Trials) -> String {
    let changed = RunComparison::from_trials(&earlier.trials, trials).trials;
    let mut trials: Vec<TrialComparison> = changed.into_iter().map(drop_claims).collect();
    trials.sort_by_key(|trial| trial.change);
    let left_out = trials.len().saturating_sub(MAX_TRIALS);
    trials.truncate(MAX_TRIALS);
    render_safe_json(&ComparisonData { name: &earlier.name, trials, left_out })
}

/// The claims stand in the list of cases.
fn drop_claims(trial: TrialComparison) -> TrialComparison {
    let silent = |seen: TrialState| TrialState { claim: None, ..seen };
    TrialComparison { before: trial.before.map(silent), after: trial.after.map(silent), ..trial }
}
