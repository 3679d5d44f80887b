//! Markdown for the summary of a CI job and for a comment on a pull request: totals, scores, and folded failures.
//!
//! All text from a case or a trace is inside an HTML block, where Markdown has no meaning, and there inside `<code>` or
//! `<pre>`, where GitHub resolves neither mentions nor references.

use std::fmt::Write as _;

use super::agents::AgentTable;
use super::comparison::{ComparedRun, ComparisonReport, ComparisonSettings, TrialStates};
use super::flaky::render_attempts;
use super::markup::{escape_markup, render_code};
use super::pinned::render_pinned;
use super::plain::truncate_text;
use super::quarantine::render_entry;
use super::summary::{SummaryRows, render_summary};
use super::terminal::{render_headline, render_red_trial};
use super::{EarlierRun, FormatEntry, ReportBuilder, RunInfo, Totals, TrialResult};
use crate::score::Card;
use crate::score::written;
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Markdown,
    file: "report.md",
    begin: |run| Box::new(MarkdownReport::new(run)),
};

/// The size of the scores in bytes. A comment on GitHub has at most 65,536 characters, which these limits share.
const MAX_SCORE_BYTES: usize = 14_000;
/// The size of the flaky trials, in bytes.
const MAX_FLAKY_BYTES: usize = 4_000;
/// The size of the summary of golden datasets, in characters.
const MAX_GOLDEN_CHARS: usize = 5_000;
/// The size of all failures, in bytes.
const MAX_FAILURE_BYTES: usize = 36_000;
/// The size of one failure, in characters.
const MAX_FAILURE_CHARS: usize = 6_000;

const SCORES_HEAD: &str = "<table>\n<tr><th>case</th><th>score</th><th>at least</th><th></th></tr>\n";

struct MarkdownReport<'r> {
    totals: Totals,
    rows: SummaryRows<'r>,
    run: &'r RunInfo,
    /// The earlier run and the trials of this one, if a comparison was requested.
    compared: Option<(&'r EarlierRun, TrialStates)>,
    agents: AgentTable,
    scores: BoundedText,
    flaky: BoundedText,
    pinned: BoundedText,
    quarantined: BoundedText,
    failures: BoundedText,
}

/// Text with a limited size. The first entry that does not fit, and all entries after it, are counted.
struct BoundedText {
    text: String,
    most: usize,
    left_out: usize,
}

impl<'r> MarkdownReport<'r> {
    fn new(run: &'r RunInfo) -> Self {
        Self {
            totals: Totals::new(run),
            run,
            rows: SummaryRows::new(run),
            compared: run.earlier.as_ref().map(|earlier| (earlier, TrialStates::default())),
            agents: AgentTable::default(),
            scores: BoundedText::new(MAX_SCORE_BYTES),
            flaky: BoundedText::new(MAX_FLAKY_BYTES),
            pinned: BoundedText::new(MAX_FLAKY_BYTES),
            quarantined: BoundedText::new(MAX_FLAKY_BYTES),
            failures: BoundedText::new(MAX_FAILURE_BYTES),
        }
    }
}

impl ReportBuilder for MarkdownReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.totals.add_verdict(verdict);
        self.rows.add_verdict(verdict);
        self.agents.add_verdict(verdict);
        // Without an earlier run nothing is collected for a comparison.
        if let Some((_, trials)) = &mut self.compared {
            trials.add_verdict(verdict);
        }
        for card in &verdict.scorecards {
            self.scores.push_entry(&render_score_row(verdict, card));
        }
        if let Some(attempts) = render_attempts(verdict) {
            self.flaky.push_entry(&format!("<li>{}: {attempts}</li>\n", render_code(&verdict.name)));
        }
        if let Some(pinned) = render_pinned(verdict) {
            let pinned = escape_markup(&pinned);
            self.pinned.push_entry(&format!("<li>{}: {pinned}</li>\n", render_code(&verdict.name)));
        }
        if verdict.is_quarantined() {
            let entry = render_entry(verdict).unwrap_or_default();
            let name = render_code(&verdict.name);
            let claim = render_code(&render_headline(verdict));
            self.quarantined.push_entry(&format!("<li>{name} {}<br>{claim}</li>\n", render_code(&entry)));
        } else if !verdict.passed {
            self.failures.push_entry(&render_failure(verdict));
        }
    }

    fn finish(self: Box<Self>) -> String {
        let mut report = render_totals(self.totals);
        if let Some((earlier, trials)) = &self.compared {
            let before =
                ComparedRun { name: &earlier.name, trials: &earlier.trials, is_incomplete: earlier.lost > 0 };
            let after = ComparedRun { name: &self.run.id, trials, is_incomplete: false };
            // Only the key of clusters can be wrong, and this comparison has no clusters.
            let compared = ComparisonReport::compare_runs(before, &[after], &ComparisonSettings::default());
            report += &compared.map_or_else(|error| error.to_string(), |compared| compared.render_markdown());
        }
        let golden = render_summary(&self.rows.summarize());
        if !golden.is_empty() {
            let _ = write!(
                report,
                "\n### Golden datasets\n\n<pre>{}</pre>\n",
                escape_markup(&truncate_text(&golden, MAX_GOLDEN_CHARS))
            );
        }
        report += &self.agents.render();
        let list = "<ul>\n";
        let end = "</ul>\n";
        report += &self.scores.render_section("Scores", SCORES_HEAD, "</table>\n", "scores");
        report += &self.flaky.render_section("Flaky", list, end, "flaky cases");
        let pinned = "cases with pinned violations";
        report += &self.pinned.render_section("Pinned by a snapshot", list, end, pinned);
        let quarantined = "quarantined cases that failed";
        report += &self.quarantined.render_section("Quarantined", list, end, quarantined);
        report + &self.failures.render_section("What did not pass", "", "", "cases that did not pass")
    }
}

impl BoundedText {
    fn new(most: usize) -> Self {
        Self { text: String::new(), most, left_out: 0 }
    }

    fn push_entry(&mut self, entry: &str) {
        // After the first entry that does not fit, shorter ones are left out, too: a list with gaps would mislead.
        if self.left_out > 0 || self.text.len() + entry.len() > self.most {
            self.left_out += 1;
        } else {
            self.text += entry;
        }
    }

    /// Renders the entries between two tags, below a heading. Empty without entries.
    fn render_section(&self, heading: &str, open: &str, close: &str, what: &str) -> String {
        if self.text.is_empty() {
            return String::new();
        }
        format!("\n### {heading}\n\n{open}{}{close}{}", self.text, self.render_rest(what))
    }

    fn render_rest(&self, what: &str) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!("\n... and {count} more {what}; the verdict logs contain all of them.\n"),
        }
    }
}

fn render_totals(totals: Totals) -> String {
    let Totals { cases, passed, failed, quarantined, undecided, errors, skipped } = totals;
    let heading = match totals.count_red() {
        0 => totals.describe_green(),
        1 if cases == 1 => "the case did not pass".to_owned(),
        red => format!("{red} of {cases} cases did not pass"),
    };
    let mut columns = vec![("passed", passed), ("failed", failed)];
    // Most runs have none.
    columns.extend((quarantined > 0).then_some(("quarantined", quarantined)));
    columns.extend([("undecided", undecided), ("errors", errors), ("skipped", skipped)]);
    let names = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" | ");
    let counts = columns.iter().map(|(_, count)| count.to_string()).collect::<Vec<_>>().join(" | ");
    let line = "---:|".repeat(columns.len());
    format!("## arraign: {heading}\n\n| {names} |\n|{line}\n| {counts} |\n")
}

fn render_score_row(verdict: &Verdict, card: &Card) -> String {
    let run = if verdict.runs.len() > 1 { format!(", run {}", card.run + 1) } else { String::new() };
    let score = match (card.score, &card.not_computed) {
        (Some(score), None) => format!("{} of {}", written(score), card.full),
        _ => "not computed".to_owned(),
    };
    let reached = if card.passed { "reached" } else { "<b>missed</b>" };
    let name = render_code(&verdict.name);
    let least = written(card.least);
    format!("<tr><td>{name}{run}</td><td>{score}</td><td>{least}</td><td>{reached}</td></tr>\n")
}

fn render_failure(verdict: &Verdict) -> String {
    let word = TrialResult::from_verdict(verdict).as_str();
    let name = render_code(&verdict.name);
    let claim = render_code(&render_headline(verdict));
    let red = escape_markup(&truncate_text(&render_red_trial(verdict), MAX_FAILURE_CHARS));
    format!("<details><summary><b>{word}</b> {name}<br>{claim}</summary>\n\n<pre>{red}</pre>\n</details>\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut scores = BoundedText::new(5);
        for entry in ["abc", "def", "g"] {
            scores.push_entry(entry);
        }
        assert_eq!((scores.text.as_str(), scores.left_out), ("abc", 2));
        assert_eq!(
            scores.render_rest("scores"),
            "\n... and 2 more scores; the verdict logs contain all of them.\n"
        );
    }
}
