//! The comparison as a section of a Markdown page.

use std::fmt::Write as _;

use super::{RunComparison, TrialChange, TrialComparison};
use crate::report::markup::{escape_attribute, render_code};

/// The largest size of all rows together, in bytes: the section shares one comment with others.
const MAX_ROW_BYTES: usize = 4_000;

impl RunComparison {
    /// Renders the comparison for GitHub: a table of the changed trials, regressions first. `earlier` is the name of
    /// the earlier run.
    pub fn render_markdown(&self, earlier: &str) -> String {
        let mut section =
            format!("\n### Compared with {}\n\n{}.\n", render_code(earlier), self.render_headline());
        let mut trials: Vec<&TrialComparison> = self.trials.iter().collect();
        trials.sort_by_key(|trial| trial.change);
        let (mut rows, mut shown) = (String::new(), 0);
        // The regressions come first, so they are the last to be left out.
        for row in trials.iter().map(|trial| render_row(trial)) {
            if rows.len() + row.len() > MAX_ROW_BYTES {
                break;
            }
            rows += &row;
            shown += 1;
        }
        if shown > 0 {
            let _ =
                write!(section, "\n<table>\n<tr><th></th><th>case</th><th>ended</th></tr>\n{rows}</table>\n");
        }
        if shown < trials.len() {
            let _ = write!(section, "\n... and {} more.\n", trials.len() - shown);
        }
        section
    }
}

fn render_row(trial: &TrialComparison) -> String {
    let word = match trial.change {
        TrialChange::Regressed => "<b>regressed</b>",
        TrialChange::Improved => "improved",
        TrialChange::New => "new",
        TrialChange::NotRun => "not run",
        TrialChange::Changed => "changed",
        TrialChange::Same => "",
    };
    let flaky = match (trial.is_flaky(), trial.change) {
        (true, TrialChange::Same) => "flaky",
        (true, _) => ", flaky",
        (false, _) => "",
    };
    let claim = trial.after.as_ref().and_then(|seen| seen.claim.as_ref());
    let claim = claim.map_or_else(String::new, |claim| format!("<br>{}", render_code(claim)));
    let (name, ended) = (render_code(&trial.name), escape_attribute(&trial.render_transition()));
    format!("<tr><td>{word}{flaky}</td><td>{name}{claim}</td><td>{ended}</td></tr>\n")
}
