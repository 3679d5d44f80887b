//! The summary of a run as text: one block for each suite with golden rows.

use crate::outcome::reaches;
use std::collections::BTreeSet;

use super::RunInfo;
use super::plain::escape_line;
use crate::case::Tier;
use crate::score::written;
use crate::verdict::Verdict;
use crate::verdict::summary::{Axes, Group, Row, Selection, Summary};

/// The largest number of names in one list.
const MAX_NAMES: usize = 3;
/// The width of the column of names.
const NAME_WIDTH: usize = 14;
/// The text in place of a fact that the traces do not record.
const NOT_RECORDED: &str = "not recorded in the traces";

/// The rows of a run, collected verdict by verdict.
pub struct SummaryRows<'r> {
    selection: &'r Selection,
    rows: Vec<Row>,
}

impl<'r> SummaryRows<'r> {
    /// Starts without rows.
    pub fn new(run: &'r RunInfo) -> Self {
        Self { selection: &run.selection, rows: Vec::new() }
    }

    /// Adds the next verdict. Gates over other trials, and files that could not be read, are not rows.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        if !verdict.suite.is_empty() {
            self.rows.push(Row::from_verdict(verdict));
        }
    }

    /// Computes the summary of the rows.
    pub fn summarize(&self) -> Summary {
        Summary::from_rows(self.selection, &self.rows)
    }
}

/// Renders the blocks of all suites with golden rows; empty without golden rows.
pub fn render_summary(summary: &Summary) -> String {
    let blocks: Vec<String> =
        summary.suites.iter().map(|suite| render_suite_block(suite, summary.tier)).collect();
    blocks.join("\n")
}

fn render_suite_block(suite: &Group, tier: Tier) -> String {
    let tier = if tier == Tier::Smoke { "smoke" } else { "full" };
    let overall = suite.overall.map(|mean| render_mean(mean, suite));
    let mut facts = vec![
        ("agent", render_names(&suite.agents, NOT_RECORDED)),
        ("dataset", render_names(&suite.datasets, "none")),
        ("tier", tier.to_owned()),
        ("cases", format!("{} ({} smoke, {} skipped)", suite.cases, suite.smoke, suite.skipped)),
        ("passed", render_passed(suite.passed, suite)),
        ("failed", suite.failed.to_string()),
    ];
    let axes = suite.axes.into_iter().flat_map(Axes::by_name);
    facts.extend(axes.map(|(axis, mean)| (axis, render_mean(mean, suite))));
    facts.push(("overall", overall.unwrap_or_else(|| "unknown: a case is undecided".to_owned())));
    facts.extend(describe_agent(suite));
    let lines: Vec<String> =
        facts.iter().map(|(name, value)| format!("  {name:NAME_WIDTH$}{value}")).collect();
    format!("golden dataset {}\n{}\n", escape_line(&suite.name), lines.join("\n"))
}

/// Describes what the agent used in the cases of `suite`.
pub(super) fn describe_agent(suite: &Group) -> [(&'static str, String); 3] {
    [("latency", render_latency(suite)), ("tokens", render_tokens(suite)), ("cost", render_cost(suite))]
}

fn render_names(names: &BTreeSet<String>, none: &str) -> String {
    let shown: Vec<String> = names.iter().take(MAX_NAMES).map(|name| escape_line(name)).collect();
    match names.len() {
        0 => none.to_owned(),
        count if count > MAX_NAMES => format!("{} and {} more", shown.join(", "), count - MAX_NAMES),
        _ => shown.join(", "),
    }
}

fn render_passed(passed: usize, suite: &Group) -> String {
    match suite.threshold {
        Some(threshold) => format!("{passed} (threshold {})", written(threshold)),
        None => format!("{passed} (each by its own threshold)"),
    }
}

/// Renders a mean, and whether it reaches the threshold of the suite.
fn render_mean(mean: f64, suite: &Group) -> String {
    let verdict = match suite.least() {
        Some(least) if reaches(mean, least) => "  PASS",
        Some(_) => "  FAIL",
        None => "",
    };
    format!("{:>6}{verdict}", format!("{:.1}%", mean * 100.0))
}

fn render_latency(suite: &Group) -> String {
    let Some(latency) = suite.latency else { return NOT_RECORDED.to_owned() };
    let [p50, p95] = [latency.p50_ms, latency.p95_ms].map(|ms| group_thousands(&format!("{ms:.0}")));
    format!("p50 {p50} ms, p95 {p95} ms{}", render_coverage(latency.runs, suite))
}

fn render_tokens(suite: &Group) -> String {
    let Some(tokens) = suite.tokens else { return NOT_RECORDED.to_owned() };
    let input = group_thousands(tokens.input);
    let output = group_thousands(tokens.output);
    format!("{input} in, {output} out{}", render_coverage(tokens.runs, suite))
}

fn render_cost(suite: &Group) -> String {
    let Some(cost) = suite.cost else {
        return "unknown: not recorded in the traces, and `prices` does not list their models".to_owned();
    };
    format!("${}{}", render_dollars(cost.usd), render_coverage(cost.runs, suite))
}

/// Renders how many runs a figure covers, unless it covers all of them.
fn render_coverage(runs: usize, suite: &Group) -> String {
    if runs == suite.runs { String::new() } else { format!(" (recorded in {runs} of {} runs)", suite.runs) }
}

/// Renders US dollars with cents; amounts below 1 with six decimals, so that cheap runs do not round to zero.
pub fn render_dollars(usd: f64) -> String {
    if usd >= 1.0 { format!("{usd:.2}") } else { format!("{usd:.6}") }
}

/// Renders `1234567` as `1,234,567`.
pub fn group_thousands(number: impl ToString + Copy) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        // The commas are counted from the end.
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
        let written = ["0", "999", "1000", "1234567"].map(group_thousands);
        assert_eq!(written, ["0", "999", "1,000", "1,234,567"]);
    }
}
