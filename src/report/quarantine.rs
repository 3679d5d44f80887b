//! Trials that failed and do not decide their run, because their cases are quarantined.

use crate::verdict::TrialQuarantine;

/// Renders the entry that means a trial: `until 2026-12-20: flaps since gpt-6 (team-orders)`, with the reason if the trial
/// decides nevertheless.
pub fn render_entry(quarantine: &TrialQuarantine) -> String {
    let TrialQuarantine { until, reason, owner, lapse, unchecked } = quarantine;
    let owner = owner.as_deref().map(|owner| format!(" ({owner})")).unwrap_or_default();
    let lapse = lapse.as_deref().map(|why| format!("; the trial decides, because {why}"));
    let unchecked = unchecked.as_deref().map(|why| {
        format!("; whether a pull request changes the file of the case is unknown (ARRAIGN_BASE): {why}")
    });
    format!("until {until}: {reason}{owner}{}{}", lapse.unwrap_or_default(), unchecked.unwrap_or_default())
}
