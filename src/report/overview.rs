//! A run at a glance, for a terminal: what did not pass, as the run itself has shown it, and the totals.

use std::fmt::Write as _;

use super::flaky::attempts;
use super::plain::one_line;
use super::terminal::red_trial;
use super::{Report, Run, Standing, Totals};
use crate::verdict::Verdict;

/// How many trials are drawn.
const DRAWN: usize = 100;

/// The overview of a run.
pub struct Overview {
    totals: Totals,
    red: String,
    drawn: usize,
    left_out: usize,
    flaky: Vec<String>,
}

impl Overview {
    /// That of a run of which nothing has ended.
    pub fn of(run: &Run) -> Self {
        Self { totals: Totals::of(run), red: String::new(), drawn: 0, left_out: 0, flaky: Vec::new() }
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

impl Report for Overview {
    fn add(&mut self, verdict: &Verdict) {
        self.totals.add(verdict);
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
        format!("{}{rest}{}", self.red, self.ending())
    }
}
