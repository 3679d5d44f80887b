//! Trials that failed and do not decide their run, because their cases are quarantined.

use crate::outcome::Status;
use crate::verdict::{TrialQuarantine, Verdict};

/// Renders the entry that means a trial: `until 2026-12-20: flaps since gpt-6 (team-orders)`, with the reason if the trial
/// decides nevertheless. `None` for a trial without one.
pub fn render_entry(verdict: &Verdict) -> Option<String> {
    let TrialQuarantine { until, reason, owner, lapse, unchecked } = verdict.quarantine.as_deref()?;
    // No entry excuses it, so whether this one has lapsed does not matter.
    let unmeasured = match verdict.status {
        Status::Error => Some("an error measures nothing".to_owned()),
        Status::Undecided => Some("an undecided trial measures nothing".to_owned()),
        Status::Pass | Status::Fail => None,
    };
    let lapse = unmeasured.as_ref().or(lapse.as_ref());
    let owner = owner.as_deref().map(|owner| format!(" ({owner})")).unwrap_or_default();
    let lapse = lapse.map(|why| format!("; the trial decides, because {why}"));
    let unchecked = unchecked.as_deref().map(|why| {
        format!("; whether a pull request changes the file of the case is unknown (ARRAIGN_BASE): {why}")
    });
    let lapse = lapse.unwrap_or_default();
    Some(format!("until {until}: {reason}{owner}{lapse}{}", unchecked.unwrap_or_default()))
}
