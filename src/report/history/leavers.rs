//! The cases that may leave the quarantine: they have passed in many runs.

use super::{CaseHistory, HistoryReport};
use crate::case::{BASELINE, Quarantine, QuarantineEntry, Variant};

/// The number of runs in a row that a case must pass before it may leave.
const PASSES_TO_LEAVE: usize = 10;

impl HistoryReport {
    /// Returns a line for each entry whose trials have all passed in the last [`PASSES_TO_LEAVE`] runs of `harness`, or of each
    /// harness.
    pub fn list_leavers(&self, quarantine: &Quarantine, harness: Option<&str>) -> Vec<String> {
        let is_own = |case: &&CaseHistory| harness.is_none_or(|harness| case.harness == harness);
        let own: Vec<&CaseHistory> = self.cases.iter().filter(is_own).collect();
        let entries = quarantine.entries.iter().filter(|entry| {
            let mut meant = own.iter().filter(|case| means_past_trial(entry, case)).peekable();
            meant.peek().is_some() && meant.all(|case| case.passes_in_a_row >= PASSES_TO_LEAVE)
        });
        let lines = entries.map(|entry| {
            format!("`{}` may leave the quarantine: {PASSES_TO_LEAVE} runs in a row have passed", entry.case)
        });
        lines.collect()
    }
}

/// Whether an entry means a trial of the history.
fn means_past_trial(entry: &QuarantineEntry, case: &CaseHistory) -> bool {
    let variant = if case.variant.is_empty() { BASELINE } else { &case.variant };
    let suffix = Variant::new(variant).suffix();
    let name = case.trial.strip_suffix(&suffix).unwrap_or(&case.trial);
    entry.variant.as_deref().is_none_or(|own| own == variant) && entry.describes(name)
}
