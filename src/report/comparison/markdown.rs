//! The comparison as a section of a Markdown page.

use std::fmt::Write as _;

use super::{CaseFlip, ComparisonReport, SideComparison, TrialChange, TrialComparison};
use crate::report::markup::{escape_attribute, render_code};

/// The largest size of the rows of a comparison together, in bytes: the section shares one comment with others.
const MAX_ROW_BYTES: usize = 4_000;
/// The largest number of sides whose figures are shown.
const MAX_SIDES: usize = 12;

impl ComparisonReport {
    /// Renders the comparisons for GitHub: for each a table of the trials that changed, regressions first, and a sentence; then the
    /// figures of all sides.
    pub fn render_markdown(&self) -> String {
        let sentences = self.render_sentences();
        let mut section = String::new();
        for (comparison, sentence) in self.comparisons.iter().zip(sentences) {
            section += &render_comparison(comparison);
            let _ = write!(section, "\n<p>{}</p>\n", render_code(&sentence));
        }
        section + &render_figures_table(self, MAX_SIDES)
    }
}

/// Renders the figures of the first `most` sides as a table.
pub(super) fn render_figures_table(report: &ComparisonReport, most: usize) -> String {
    let mut table = "\n<table>\n".to_owned();
    for (index, row) in report.render_rows().iter().take(most.saturating_add(1)).enumerate() {
        let cells = row.iter().map(|cell| match (index, cell.as_str()) {
            // An empty heading would be read out as one.
            (_, "") => "<td></td>".to_owned(),
            (0, cell) => format!("<th>{}</th>", escape_attribute(cell)),
            (_, cell) => format!("<td>{}</td>", render_code(cell)),
        });
        let _ = writeln!(table, "<tr>{}</tr>", cells.collect::<String>());
    }
    table + "</table>\n"
}

/// Lists what changed as the rows of a table, regressions first.
pub(super) fn list_rows(comparison: &SideComparison) -> Vec<String> {
    let mut trials: Vec<&TrialComparison> = comparison.trials.iter().collect();
    trials.sort_by_key(|trial| trial.change);
    let mut rows: Vec<String> = trials.into_iter().map(render_trial).collect();
    rows.extend(comparison.lost.iter().map(|flip| render_flip("lost", flip)));
    rows.extend(comparison.won.iter().map(|flip| render_flip("won", flip)));
    let one_sided = [
        ("missing", &comparison.missing),
        ("only before", &comparison.only_before),
        ("only after", &comparison.only_after),
    ];
    for (word, names) in one_sided {
        rows.extend(names.iter().map(|name| render_row(word, name, None, "")));
    }
    rows
}

fn render_comparison(comparison: &SideComparison) -> String {
    let before = render_code(&comparison.before);
    let after = render_code(&comparison.after);
    let headline = comparison.render_headline();
    let mut section = format!("\n### {after} compared with {before}\n\n{headline}.\n");
    let rows = list_rows(comparison);
    let mut text = String::new();
    let mut shown = 0;
    // The regressions come first, so they are the last to be left out.
    for row in &rows {
        if text.len() + row.len() > MAX_ROW_BYTES {
            break;
        }
        text += row;
        shown += 1;
    }
    if shown > 0 {
        let _ = write!(
            section,
            "\n<table>\n<tr><th>change</th><th>case</th><th>ended</th></tr>\n{text}</table>\n"
        );
    }
    if shown < rows.len() {
        let _ = write!(section, "\n... and {} more.\n", rows.len() - shown);
    }
    section
}

fn render_trial(trial: &TrialComparison) -> String {
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
    let claim = trial.after.as_ref().and_then(|seen| seen.claim.as_deref());
    render_row(&format!("{word}{flaky}"), &trial.name, claim, &trial.render_transition())
}

fn render_flip(word: &str, flip: &CaseFlip) -> String {
    render_row(word, &flip.name, flip.claim.as_deref(), &flip.transition)
}

fn render_row(word: &str, name: &str, claim: Option<&str>, ended: &str) -> String {
    let claim = claim.map_or_else(String::new, |claim| format!("<br>{}", render_code(claim)));
    let name = render_code(name);
    let ended = escape_attribute(ended);
    format!("<tr><td>{word}</td><td>{name}{claim}</td><td>{ended}</td></tr>\n")
}
