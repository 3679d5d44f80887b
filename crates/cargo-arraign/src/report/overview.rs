//! A run at a glance, for the terminal: the trials that did not pass, as the run itself showed them, and the totals.

use std::fmt::Write as _;

use arraign::__internals::report::flaky::render_attempts;
use arraign::__internals::report::pinned::render_pinned;
use arraign::__internals::report::plain::{count_noun, escape_line};
use arraign::__internals::report::summary::{SummaryRows, render_summary};
use arraign::__internals::report::terminal::render_quarantined;
use arraign::__internals::report::terminal::render_red_trial;
use arraign::__internals::report::{ReportBuilder, RunInfo, Totals, TrialResult};
use arraign::__internals::verdict::summary::Summary;
use arraign::Verdict;

/// The largest number of trials that are drawn.
const MAX_TRIALS: usize = 100;

/// Builds the overview of a run.
pub(super) struct RunOverview<'r> {
    totals: Totals,
    rows: SummaryRows<'r>,
    red: String,
    drawn: usize,
    left_out: usize,
    flaky: Vec<String>,
    pinned: Vec<String>,
    quarantined: Vec<String>,
}

impl<'r> RunOverview<'r> {
    /// Starts without trials.
    pub(super) fn new(run: &'r RunInfo) -> Self {
        let totals = Totals::new(run);
        let rows = SummaryRows::new(run);
        Self {
            totals,
            rows,
            red: String::new(),
            drawn: 0,
            left_out: 0,
            flaky: Vec::new(),
            pinned: Vec::new(),
            quarantined: Vec::new(),
        }
    }

    /// Computes the summary of the added trials.
    pub(super) fn summarize(&self) -> Summary {
        self.rows.summarize()
    }

    /// Returns the totals of the added trials.
    pub(super) fn totals(&self) -> Totals {
        self.totals
    }

    /// Renders one line for each trial that is flaky, has pinned violations, or is quarantined, then the totals on one line.
    pub(super) fn render_totals(&self) -> String {
        let Totals { cases, passed, failed, quarantined, undecided, errors, skipped } = self.totals;
        let mut text = self.flaky.concat() + &self.pinned.concat() + &self.quarantined.concat();
        let _ = write!(text, "{}: {passed} passed", count_noun(cases + skipped, "case"));
        let rest = [
            (failed, "failed"),
            (quarantined, "quarantined"),
            (undecided, "undecided"),
            (errors, if errors == 1 { "error" } else { "errors" }),
            (skipped, "skipped"),
            (self.flaky.len(), "flaky"),
            (self.pinned.len(), "pinned"),
        ];
        for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(text, ", {count} {what}");
        }
        text + "\n"
    }
}

impl ReportBuilder for RunOverview<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.totals.add_verdict(verdict);
        self.rows.add_verdict(verdict);
        let name = escape_line(&verdict.name);
        self.flaky.extend(render_attempts(verdict).map(|attempts| format!("flaky: {name}: {attempts}\n")));
        self.pinned.extend(render_pinned(verdict).map(|pinned| format!("{name}: {pinned}\n")));
        if verdict.is_quarantined() {
            self.quarantined.push(format!("{}\n", escape_line(&render_quarantined(verdict))));
        }
        if verdict.passed || verdict.is_quarantined() {
            return;
        }
        // The terminal shows the first trials in full. All of them count.
        if self.drawn == MAX_TRIALS {
            self.left_out += 1;
            return;
        }
        self.drawn += 1;
        let _ = write!(
            self.red,
            "---- {name}: {} ----\n{}\n\n",
            TrialResult::from_verdict(verdict).as_str(),
            render_red_trial(verdict)
        );
    }

    fn finish(self: Box<Self>) -> String {
        let rest = match self.left_out {
            0 => String::new(),
            count => format!("... and {count} more that did not pass\n\n"),
        };
        let golden = render_summary(&self.summarize());
        let gap = if golden.is_empty() { "" } else { "\n" };
        format!("{}{rest}{golden}{gap}{}", self.red, self.render_totals())
    }
}
