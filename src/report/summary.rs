//! The summary of a run for people: one block a suite that holds golden rows.

use crate::outcome::reaches;
use std::collections::BTreeSet;

use super::Run;
use super::plain::one_line;
use crate::case::Tier;
use crate::score::written;
use crate::verdict::Verdict;
use crate::verdict::summary::{Axes, Group, Row, Selection, Summary};

/// How many names of one kind are written out.
const NAMED: usize = 3;
/// Where the values begin.
const WIDTH: usize = 14;

/// The rows of a run, as its verdicts come.
pub struct Rows<'r> {
    selection: &'r Selection,
    rows: Vec<Row>,
}

impl<'r> Rows<'r> {
    /// Those of a run of which nothing has ended.
    pub fn of(run: &'r Run) -> Self {
        Self { selection: &run.selection, rows: Vec::new() }
    }

    /// Takes the next verdict. What sums up other trials, or could not be read, is no row.
    pub fn add(&mut self, verdict: &Verdict) {
        if !verdict.suite.is_empty() {
            self.rows.push(Row::from_verdict(verdict));
        }
    }

    /// What they come to.
    pub fn summary(&self) -> Summary {
        Summary::from_rows(self.selection, &self.rows)
    }
}

/// The blocks of all suites that hold golden rows; empty for a run without any.
pub fn summary(summary: &Summary) -> String {
    let blocks: Vec<String> = summary.suites.iter().map(|suite| block(suite, summary.tier)).collect();
    blocks.join("\n")
}

fn block(suite: &Group, tier: Tier) -> String {
    let mut lines = vec![format!("golden dataset {}", one_line(&suite.name))];
    let mut say = |name: &str, value: String| lines.push(format!("  {name:WIDTH$}{value}"));
    say("agent", names(&suite.agents, "not told by the traces"));
    say("dataset", names(&suite.datasets, "none"));
    say("tier", if tier == Tier::Smoke { "smoke" } else { "full" }.to_owned());
    say("cases", format!("{} ({} smoke, {} skipped)", suite.cases, suite.smoke, suite.skipped));
    say("passed", with_threshold(suite.passed, suite));
    say("failed", suite.failed.to_string());
    for (axis, mean) in suite.axes.into_iter().flat_map(Axes::by_name) {
        say(axis, percent(mean, suite));
    }
    let unknown = || "not known: a case is undecided".to_owned();
    say("overall", suite.overall.map_or_else(unknown, |mean| percent(mean, suite)));
    say("latency", latency(suite));
    say("tokens", tokens(suite));
    say("cost", cost(suite));
    lines.join("\n") + "\n"
}

fn names(names: &BTreeSet<String>, none: &str) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| one_line(name)).collect();
    match names.len() {
        0 => none.to_owned(),
        count if count > NAMED => format!("{} and {} more", shown.join(", "), count - NAMED),
        _ => shown.join(", "),
    }
}

fn with_threshold(passed: usize, suite: &Group) -> String {
    match suite.threshold {
        Some(threshold) => format!("{passed} (threshold {})", written(threshold)),
        None => format!("{passed} (each by its own threshold)"),
    }
}

/// A mean, and whether it reaches what is asked of the suite.
fn percent(mean: f64, suite: &Group) -> String {
    let verdict = match suite.least() {
        Some(least) if reaches(mean, least) => "  PASS",
        Some(_) => "  FAIL",
        None => "",
    };
    format!("{:>6}{verdict}", format!("{:.1}%", mean * 100.0))
}

fn latency(suite: &Group) -> String {
    let Some(latency) = suite.latency else { return "not told by the traces".to_owned() };
    let (p50, p95) = (grouped(&format!("{:.0}", latency.p50_ms)), grouped(&format!("{:.0}", latency.p95_ms)));
    format!("p50 {p50} ms, p95 {p95} ms{}", part_of(latency.runs, suite))
}

fn tokens(suite: &Group) -> String {
    let Some(tokens) = suite.tokens else { return "not told by the traces".to_owned() };
    let (input, output) = (grouped(&tokens.input.to_string()), grouped(&tokens.output.to_string()));
    format!("{input} in, {output} out{}", part_of(tokens.runs, suite))
}

fn cost(suite: &Group) -> String {
    let Some(cost) = suite.cost else {
        return "not known: the traces tell no cost, and `prices` none for their models".to_owned();
    };
    format!("${}{}", dollars(cost.usd), part_of(cost.runs, suite))
}

/// Figures that not all runs tell are no figures of the suite.
fn part_of(runs: usize, suite: &Group) -> String {
    if runs == suite.runs { String::new() } else { format!(" (told by {runs} of {} runs)", suite.runs) }
}

/// Dollars with cents, and with the digits that a cheap run needs.
pub fn dollars(usd: f64) -> String {
    if usd >= 1.0 { format!("{usd:.2}") } else { format!("{usd:.6}") }
}

/// `1234567` as `1,234,567`.
pub fn grouped(digits: &str) -> String {
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_kept_apart() {
        let written = ["0", "999", "1000", "1234567"].map(grouped);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
    }
}
