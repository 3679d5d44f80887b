//! A comparison as a section of a Markdown page.

use std::fmt::Write as _;

use super::{Change, Compared, Comparison};
use crate::report::markup::attribute;

/// How many bytes the rows may have: the section stands beside others in one comment.
const ROWS: usize = 4_000;
/// How many characters a name or a claim may have.
const LINE: usize = 300;

impl Comparison {
    /// For a page on GitHub: a table of what changed, what turned red first. `earlier` is how the earlier run is
    /// called.
    pub fn markdown(&self, earlier: &str) -> String {
        let mut section = format!("\n### Compared with {}\n\n{}.\n", code(earlier), self.headline());
        let mut trials: Vec<&Compared> = self.trials.iter().collect();
        trials.sort_by_key(|trial| trial.change);
        let (mut rows, mut shown) = (String::new(), 0);
        for row in trials.iter().map(|trial| row(trial)) {
            if rows.len() + row.len() > ROWS {
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

fn row(trial: &Compared) -> String {
    let word = match trial.change {
        Change::Regressed => "<b>regressed</b>",
        Change::Improved => "improved",
        Change::New => "new",
        Change::Gone => "gone",
        Change::Changed => "changed",
        Change::Same => "",
    };
    let flaky = match (trial.is_flaky(), trial.change) {
        (true, Change::Same) => "flaky",
        (true, _) => ", flaky",
        (false, _) => "",
    };
    let claim = trial.after.as_ref().and_then(|seen| seen.claim.as_ref());
    let claim = claim.map_or_else(String::new, |claim| format!("<br>{}", code(claim)));
    let (name, ended) = (code(&trial.name), attribute(&trial.ended()));
    format!("<tr><td>{word}{flaky}</td><td>{name}{claim}</td><td>{ended}</td></tr>\n")
}

/// A piece of text within a line.
fn code(text: &str) -> String {
    let cut = match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    };
    format!("<code>{}</code>", attribute(&cut))
}
