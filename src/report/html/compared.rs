//! What the page holds of the run that its own is compared with: the trials that changed, and how they stood.

use serde::Serialize;

use crate::report::Earlier;
use crate::report::comparison::{Compared, Comparison, Seen, Trials};
use crate::report::plain::json;

/// How many trials are told: what turned red first.
const TOLD: usize = 20_000;

/// For the script.
#[derive(Serialize)]
struct Shown<'c> {
    name: &'c str,
    trials: Vec<Compared>,
    left_out: usize,
}

/// JSON that is harmless within a page.
pub(super) fn compared(earlier: &Earlier, trials: &Trials) -> String {
    let changed = Comparison::between(&earlier.trials, trials).trials;
    let mut trials: Vec<Compared> = changed.into_iter().map(without_claims).collect();
    trials.sort_by_key(|trial| trial.change);
    let left_out = trials.len().saturating_sub(TOLD);
    trials.truncate(TOLD);
    json(&Shown { name: &earlier.name, trials, left_out })
}

/// The claims stand in the list of cases.
fn without_claims(trial: Compared) -> Compared {
    let silent = |seen: Seen| Seen { claim: None, ..seen };
    Compared { before: trial.before.map(silent), after: trial.after.map(silent), ..trial }
}
