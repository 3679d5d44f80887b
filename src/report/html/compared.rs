//! The data for the comparison with an earlier run: the trials that changed with both of their results, and what the agent
//! did in the earlier run.

use serde::Serialize;

use super::line::compact_call;
use crate::json::{Json, json};
use crate::report::EarlierRun;
use crate::report::comparison::{TrialChange, TrialComparison, TrialState, TrialStates, drop_details};
use crate::report::plain::{render_safe_json, truncate_text};
use crate::verdict::RunSummary;

/// The largest number of trials that are listed, regressions first.
const MAX_TRIALS: usize = 20_000;
/// The largest length of a claim of the earlier run, in characters.
const MAX_CLAIM_CHARS: usize = 160;
/// The largest size of all earlier runs together, in bytes.
const MAX_EARLIER_BYTES: usize = 6 * 1024 * 1024;
/// The line of a trial in which the agent did the same as in the earlier run.
const SAME: &str = "\"same\"";

/// The comparison as the page's script reads it.
#[derive(Serialize)]
struct ComparisonData<'c> {
    name: &'c str,
    trials: Vec<TrialComparison>,
    left_out: usize,
}

/// Renders the comparison as JSON that is safe to embed in a page.
pub(super) fn render_comparison(earlier: &EarlierRun, trials: &TrialStates) -> String {
    let compared = earlier.trials.compare_with(trials);
    let changed = compared.filter(|trial| trial.change != TrialChange::Same || trial.is_flaky());
    let mut trials: Vec<TrialComparison> = changed.map(shorten_claims).collect();
    // The sort is by the kind of change, so that a limit leaves out the least important trials.
    trials.sort_by_key(|trial| trial.change);
    let left_out = trials.len().saturating_sub(MAX_TRIALS);
    trials.truncate(MAX_TRIALS);
    render_safe_json(&ComparisonData { name: &earlier.name, trials, left_out })
}

/// Removes the claim of this run, which the list of cases contains, and shortens the earlier one.
fn shorten_claims(trial: TrialComparison) -> TrialComparison {
    let after = trial.after.map(|state| TrialState { claim: None, ..state });
    let before = trial.before.map(|state| TrialState {
        claim: state.claim.map(|claim| truncate_text(&claim, MAX_CLAIM_CHARS)),
        ..state
    });
    TrialComparison { before, after, ..trial }
}

/// The earlier runs, one line for each row of the list. The line is empty if the earlier run has no such trial, or if there
/// is no room.
pub(super) struct EarlierLines {
    lines: Vec<String>,
    bytes: usize,
}

impl EarlierLines {
    /// Starts with the empty lines of skipped trials.
    pub(super) fn new(skipped: usize) -> Self {
        Self { lines: vec![String::new(); skipped], bytes: 0 }
    }

    /// Adds the earlier runs of the next trial, and says whether the agent did the same now.
    pub(super) fn add_runs(&mut self, earlier: Option<&[RunSummary]>, now: &[RunSummary]) {
        let mut line = match earlier {
            None => String::new(),
            Some(earlier) if did_the_same(earlier, now) => SAME.to_owned(),
            Some(earlier) => render_runs(earlier),
        };
        if self.bytes + line.len() > MAX_EARLIER_BYTES {
            line.clear();
        }
        self.bytes += line.len();
        self.lines.push(line);
    }

    pub(super) fn render(&self) -> String {
        self.lines.join("\n")
    }
}

fn did_the_same(earlier: &[RunSummary], now: &[RunSummary]) -> bool {
    earlier.len() == now.len()
        && earlier.iter().zip(now).all(|(earlier, now)| {
            let now = drop_details(now);
            let are_whole = earlier.calls_left_out + now.calls_left_out == 0;
            are_whole && earlier.answer == now.answer && earlier.calls == now.calls
        })
}

fn render_runs(runs: &[RunSummary]) -> String {
    let mut value = json!(runs);
    let runs = value.as_array_mut().into_iter().flatten();
    let calls = runs.filter_map(|run| run.get_mut("calls").and_then(Json::as_array_mut));
    calls.flatten().for_each(compact_call);
    render_safe_json(&value)
}
