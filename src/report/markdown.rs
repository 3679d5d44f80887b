//! Markdown for the summary of a CI job and for a comment on a pull request: totals, scores, failures folded.
//!
//! All text that comes from a case or a trace stands in a block of HTML, where Markdown means nothing, and there in
//! `<code>` or `<pre>`, where GitHub looks for neither mentions nor references.

use std::fmt::Write as _;

use super::comparison::{Comparison, Trials};
use super::flaky::attempts;
use super::markup::{attribute, text};
use super::summary::{Rows, summary};
use super::terminal::{headline, red_trial};
use super::{Earlier, Format, Report, Run, Standing, Totals};
use crate::score::Card;
use crate::score::written;
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Markdown, file: "report.md", begin: |run| Box::new(Markdown::of(run)) };

/// A comment on GitHub has 65,536 characters: so many bytes for the scores, ...
const SCORES: usize = 14_000;
/// ... so many for the flaky trials, ...
const FLAKY: usize = 4_000;
/// ... so many characters for what golden datasets come to, ...
const GOLDEN: usize = 5_000;
/// ... so many for the failures, ...
const FAILURES: usize = 36_000;
/// ... and so many characters for one of them.
const FAILURE: usize = 6_000;
/// How many characters a claim or a name may have.
const LINE: usize = 300;

const SCORES_HEAD: &str = "<tr><th>case</th><th>score</th><th>at least</th><th></th></tr>\n";

struct Markdown<'r> {
    totals: Totals,
    rows: Rows<'r>,
    /// The run that is compared with, and the trials of this one.
    compared: Option<(&'r Earlier, Trials)>,
    scores: Bounded,
    flaky: Bounded,
    failures: Bounded,
}

/// Text up to a length. What does not fit is counted, and so is all that follows.
struct Bounded {
    text: String,
    most: usize,
    left_out: usize,
}

impl<'r> Markdown<'r> {
    fn of(run: &'r Run) -> Self {
        let bounded = |most| Bounded { text: String::new(), most, left_out: 0 };
        Self {
            totals: Totals::of(run),
            rows: Rows::of(run),
            compared: run.earlier.as_ref().map(|earlier| (earlier, Trials::default())),
            scores: bounded(SCORES),
            flaky: bounded(FLAKY),
            failures: bounded(FAILURES),
        }
    }
}

impl Report for Markdown<'_> {
    fn add(&mut self, verdict: &Verdict) {
        self.totals.add(verdict);
        self.rows.add(verdict);
        if let Some((_, trials)) = &mut self.compared {
            trials.add(verdict);
        }
        for card in &verdict.scorecards {
            self.scores.push(&score(verdict, card));
        }
        if let Some(attempts) = attempts(verdict) {
            self.flaky.push(&format!("<li>{}: {attempts}</li>\n", code(&verdict.name)));
        }
        if !verdict.passed {
            self.failures.push(&failure(verdict));
        }
    }

    fn finish(self: Box<Self>) -> String {
        let mut report = totals(self.totals);
        if let Some((earlier, trials)) = &self.compared {
            report += &Comparison::between(&earlier.trials, trials).markdown(&earlier.name);
        }
        let golden = summary(&self.rows.summary());
        if !golden.is_empty() {
            let _ = write!(report, "\n### Golden datasets\n\n<pre>{}</pre>\n", text(&cut(&golden, GOLDEN)));
        }
        if !self.scores.text.is_empty() {
            let (rows, rest) = (&self.scores.text, self.scores.rest("scores"));
            let _ = write!(report, "\n### Scores\n\n<table>\n{SCORES_HEAD}{rows}</table>\n{rest}");
        }
        if !self.flaky.text.is_empty() {
            let (listed, rest) = (&self.flaky.text, self.flaky.rest("flaky cases"));
            let _ = write!(report, "\n### Flaky\n\n<ul>\n{listed}</ul>\n{rest}");
        }
        if !self.failures.text.is_empty() {
            let (folded, rest) = (&self.failures.text, self.failures.rest("cases that did not pass"));
            let _ = write!(report, "\n### What did not pass\n\n{folded}{rest}");
        }
        report
    }
}

impl Bounded {
    fn push(&mut self, entry: &str) {
        if self.left_out > 0 || self.text.len() + entry.len() > self.most {
            self.left_out += 1;
        } else {
            self.text += entry;
        }
    }

    fn rest(&self, what: &str) -> String {
        match self.left_out {
            0 => String::new(),
            count => format!("\n... and {count} more {what}; the verdict files hold all of them.\n"),
        }
    }
}

fn totals(totals: Totals) -> String {
    let Totals { cases, passed, failed, undecided, errors, skipped } = totals;
    let heading = if passed == cases {
        format!("all {cases} cases passed")
    } else {
        format!("{} of {cases} cases did not pass", cases - passed)
    };
    format!(
        "## arraign: {heading}\n\n| passed | failed | undecided | errors | skipped |\n|---:|---:|---:|---:|---:|\n\
         | {passed} | {failed} | {undecided} | {errors} | {skipped} |\n"
    )
}

fn score(verdict: &Verdict, card: &Card) -> String {
    let run = if verdict.runs.len() > 1 { format!(", run {}", card.run + 1) } else { String::new() };
    let score = match (card.score, &card.not_computed) {
        (Some(score), None) => format!("{} of {}", written(score), card.full),
        _ => "not computed".to_owned(),
    };
    let reached = if card.passed { "reached" } else { "<b>missed</b>" };
    let (name, least) = (code(&verdict.name), written(card.least));
    format!("<tr><td>{name}{run}</td><td>{score}</td><td>{least}</td><td>{reached}</td></tr>\n")
}

fn failure(verdict: &Verdict) -> String {
    let (word, name, claim) = (Standing::of(verdict).word(), code(&verdict.name), code(&headline(verdict)));
    let red = text(&cut(&red_trial(verdict), FAILURE));
    format!("<details><summary><b>{word}</b> {name}<br>{claim}</summary>\n\n<pre>{red}</pre>\n</details>\n\n")
}

/// A piece of text within a line.
fn code(text: &str) -> String {
    format!("<code>{}</code>", attribute(&cut(text, LINE)))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut scores = Bounded { text: String::new(), most: 5, left_out: 0 };
        for entry in ["abc", "def", "g"] {
            scores.push(entry);
        }
        assert_eq!((scores.text.as_str(), scores.left_out), ("abc", 2));
        assert_eq!(scores.rest("scores"), "\n... and 2 more scores; the verdict files hold all of them.\n");
    }
}
