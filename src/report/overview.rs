//! A run at a glance, for a terminal: what did not pass, as the run itself has shown it, and the totals.

use std::fmt::Write as _;

use super::flaky::attempts;
use super::plain::one_line;
use super::summary::{Rows, summary};
use super::terminal::red_trial;
use super::{Report, Run, Standing, Totals};
use crate::verdict::Verdict;
use crate::verdict::summary::Summary;

/// How many trials are drawn.
const DRAWN: usize = 100;

/// The overview of a run.
pub struct Overview<'r> {
    totals: Totals,
    rows: Rows<'r>,
    red: String,
    drawn: usize,
    left_out: usize,
    flaky: Vec<String>,
}

impl<'r> Overview<'r> {
    /// That of a run of which nothing has ended.
    pub fn of(run: &'r Run) -> Self {
        let (totals, rows) = (Totals::of(run), Rows::of(run));
        Self { totals, rows, red: String::new(), drawn: 0, left_out: 0, flaky: Vec::new() }
    }

    /// What the trials that were added come to.
    pub fn summary(&self) -> Summary {
        self.rows.summary()
    }

    /// How the trials ended that were added.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The totals on a line, and before it one for each flaky trial.
    pub fn ending(&self) -> String {
        let Totals { cases, passed, failed, undecided, errors, skipped } = self.totals;
        let mut text = self.flaky.concat();
        let _ = write!(text, "{cases} {}: {passed} passed", if cases == 1 { "case" } else { "cases" });
        let rest = [
            (failed, "failed"),
            (undecided, "undecided"),
            (errors, "without an answer"),
            (skipped, "skipped"),
            (self.flaky.len(), "flaky"),
        ];
        for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
            let _ = write!(text, ", {count} {what}");
        }
        text + "\n"
    }
}

impl Report for Overview<'_> {
    fn add(&mut self, verdict: &Verdict) {
        self.totals.add(verdict);
        self.rows.add(verdict);
        let name = one_line(&verdict.name);
        self.flaky.extend(attempts(verdict).map(|attempts| format!("flaky: {name}: {attempts}\n")));
        if verdict.passed {
            return;
        }
        if self.drawn == DRAWN {
            self.left_out += 1;
            return;
        }
        self.drawn += 1;
        let _ = write!(
            self.red,
            "---- {name}: {} ----\n{}\n\n",
            Standing::of(verdict).word(),
            red_trial(verdict)
        );
    }

    fn finish(self: Box<Self>) -> String {
        let rest = match self.left_out {
            0 => String::new(),
            count => format!("... and {count} more that did not pass\n\n"),
        };
        let golden = summary(&self.summary());
        let gap = if golden.is_empty() { "" } else { "\n" };
        format!("{}{rest}{golden}{gap}{}", self.red, self.ending())
    }
}
