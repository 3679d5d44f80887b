//! The comparison for the terminal, regressions first.

use std::fmt::Write as _;

use super::{RunComparison, TrialChange, TrialComparison, TrialState, scores_differ};
use crate::report::plain::escape_line;
use crate::report::{Totals, TrialResult};
use crate::score::written;

/// The largest number of trials that are listed for each change.
const MAX_TRIALS: usize = 50;

/// The changes in order of importance, each with its heading.
const SECTIONS: &[(TrialChange, &str)] = &[
    (TrialChange::Regressed, "regressed: passed before, but not now"),
    (TrialChange::Improved, "improved: pass now, but not before"),
    (TrialChange::New, "new: only in the later run"),
    (TrialChange::NotRun, "not run: only in the earlier run"),
    (TrialChange::Changed, "changed: pass or fail as before, with another score or kind of failure"),
];

impl RunComparison {
    /// Renders the comparison for the terminal.
    pub fn render_text(&self) -> String {
        let mut text = format!("{}\n", self.render_headline());
        let _ = write!(
            text,
            "  before: {}\n  after:  {}\n",
            render_totals(self.before),
            render_totals(self.after)
        );
        for (change, heading) in SECTIONS {
            text +=
                &render_section(heading, &self.trials_with(*change).collect::<Vec<_>>(), render_trial_line);
        }
        let heading = "flaky: attempts or runs of one trial ended differently";
        text + &render_section(heading, &self.flaky_trials().collect::<Vec<_>>(), render_flaky_line)
    }
}

fn render_totals(totals: Totals) -> String {
    let Totals { cases, passed, failed, undecided, errors, .. } = totals;
    format!("{passed} of {cases} passed, {failed} failed, {undecided} undecided, {errors} errors")
}

fn render_section(
    heading: &str,
    trials: &[&TrialComparison],
    line: fn(&TrialComparison) -> String,
) -> String {
    if trials.is_empty() {
        return String::new();
    }
    let mut lines = vec![format!("\n{heading}")];
    lines.extend(trials.iter().take(MAX_TRIALS).map(|trial| line(trial)));
    // A run of thousands of trials must not flood the terminal.
    if trials.len() > MAX_TRIALS {
        lines.push(format!("  ... and {} more; the JSON form lists all of them", trials.len() - MAX_TRIALS));
    }
    lines.join("\n") + "\n"
}

fn render_trial_line(trial: &TrialComparison) -> String {
    let line = format!("  {}  {}", escape_line(&trial.name), trial.render_transition());
    let claim = trial.after.as_ref().and_then(|after| after.claim.as_ref());
    claim.map_or(line.clone(), |claim| format!("{line}\n      {}", escape_line(claim)))
}

fn render_flaky_line(trial: &TrialComparison) -> String {
    let [before, after] = [&trial.before, &trial.after].map(|end| end.as_ref().is_some_and(|end| end.flaky));
    let which = match (before, after) {
        (true, true) => "in both runs",
        (true, false) => "in the earlier run",
        _ => "in the later run",
    };
    format!("  {}  {which}", escape_line(&trial.name))
}

impl TrialComparison {
    /// Renders the change of result and score: `pass -> fail, score 100% -> 50%`.
    pub(super) fn render_transition(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => render_both_ends(before, after),
            (None, Some(only)) | (Some(only), None) => {
                format!("{}, score {}", only.standing.as_str(), render_percent(only))
            }
            (None, None) => String::new(),
        }
    }
}

fn render_both_ends(before: &TrialState, after: &TrialState) -> String {
    let (was, is): (TrialResult, TrialResult) = (before.standing, after.standing);
    let standing =
        if was == is { is.as_str().to_owned() } else { format!("{} -> {}", was.as_str(), is.as_str()) };
    if scores_differ(before.score, after.score) {
        format!("{standing}, score {} -> {}", render_percent(before), render_percent(after))
    } else {
        format!("{standing}, score {}", render_percent(after))
    }
}

fn render_percent(state: &TrialState) -> String {
    format!("{}%", written(state.score.get() * 100.0))
}
