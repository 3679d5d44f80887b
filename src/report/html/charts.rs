//! The charts above the list: the number of trials by result, their scores, the checks that failed most, and the files.
//!
//! Every bar is a share of a whole: its full length is 100 percent.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::outcome::{Status, count_noun, count_to_f64};
use crate::report::plain::escape_line;
use crate::report::{RunInfo, Totals};
use crate::verdict::Verdict;

/// The largest number of checks and files that are drawn: those with the most trials that did not pass.
const MAX_BARS: usize = 6;
/// The number of bars for the scores from 0 to 1.
const BIN_COUNT: u32 = 10;

/// Counts over all verdicts.
pub(super) struct HtmlCharts {
    pub(super) totals: Totals,
    bins: [usize; BIN_COUNT as usize],
    checks: BTreeMap<String, CheckCount>,
    files: BTreeMap<String, Totals>,
    /// Whether a case computes scores of its own. Otherwise a score only repeats the result.
    has_scorecards: bool,
}

#[derive(Default)]
struct CheckCount {
    checked: usize,
    broken: usize,
}

/// A bar of segments, each with its start and its length in percent.
#[derive(Serialize)]
pub(super) struct ChartBar {
    name: String,
    /// The counts in words: `3 of 4 passed`.
    told: String,
    parts: Vec<BarSegment>,
}

#[derive(Serialize)]
struct BarSegment {
    standing: &'static str,
    x: f64,
    width: f64,
}

/// One bar of the histogram of scores.
#[derive(Serialize)]
pub(super) struct ScoreBin {
    from: String,
    to: String,
    count: usize,
    height: f64,
}

/// The number of trials with one result.
#[derive(Serialize)]
pub(super) struct StandingCount {
    standing: &'static str,
    word: &'static str,
    number: usize,
}

impl ChartBar {
    /// A bar with one segment for a part of all.
    pub(super) fn of_share(
        name: &str,
        told: String,
        standing: &'static str,
        part: usize,
        all: usize,
    ) -> Self {
        let segment = BarSegment { standing, x: 0.0, width: compute_percent(part, all) };
        Self { name: escape_line(name), told, parts: vec![segment] }
    }
}

impl HtmlCharts {
    pub(super) fn new(run: &RunInfo) -> Self {
        let mut files: BTreeMap<String, Totals> = BTreeMap::new();
        for skipped in &run.skipped {
            files.entry(skipped.file.clone()).or_default().skipped += 1;
        }
        let bins = [0; BIN_COUNT as usize];
        let checks = BTreeMap::new();
        Self { totals: Totals::new(run), bins, checks, files, has_scorecards: false }
    }

    pub(super) fn add_verdict(&mut self, verdict: &Verdict) {
        self.totals.add_verdict(verdict);
        self.has_scorecards |= !verdict.scorecards.is_empty();
        // Without a scorecard, the figure is the share of the checks that hold.
        if verdict.errors.is_empty() && !verdict.scorecards.is_empty() {
            self.bins[find_bin(verdict.score.get())] += 1;
        }
        // `entry` needs an owned key. Most files and checks are known, so the key is cloned only for a new one.
        match self.files.get_mut(&verdict.case.file) {
            Some(totals) => totals.add_verdict(verdict),
            None => self.files.entry(verdict.case.file.clone()).or_default().add_verdict(verdict),
        }
        for finding in &verdict.findings {
            if !self.checks.contains_key(&finding.check) {
                self.checks.insert(finding.check.clone(), CheckCount::default());
            }
            let Some(count) = self.checks.get_mut(&finding.check) else { continue };
            count.checked += 1;
            let is_red = !verdict.passed && !verdict.is_quarantined();
            count.broken += usize::from(finding.status == Status::Fail && is_red);
        }
    }

    pub(super) fn render_heading(&self) -> String {
        let Totals { cases, quarantined, .. } = self.totals;
        match (cases, self.totals.count_red()) {
            (0, _) => "No case ran".to_owned(),
            (_, 0) if quarantined > 0 => {
                let green = self.totals.describe_green();
                green[..1].to_uppercase() + &green[1..]
            }
            (1, 0) => "The case passed".to_owned(),
            (1, _) => "The case did not pass".to_owned(),
            (cases, 0) => format!("All {cases} cases passed"),
            (cases, red) => format!("{red} of {} did not pass", count_noun(cases, "case")),
        }
    }

    pub(super) fn is_green(&self) -> bool {
        self.totals.count_red() == 0
    }

    /// Draws the histogram of scores; empty if no case has a scorecard.
    pub(super) fn draw_score_bins(&self) -> Vec<ScoreBin> {
        let highest = self.bins.iter().copied().max().unwrap_or(0);
        if highest == 0 || !self.has_scorecards {
            return Vec::new();
        }
        let bins = self.bins.iter().enumerate().map(|(nth, count)| ScoreBin {
            from: render_edge(nth),
            to: render_edge(nth + 1),
            count: *count,
            height: compute_percent(*count, highest),
        });
        bins.collect()
    }

    /// Draws the checks that failed, most frequent first, and returns how many more there are.
    pub(super) fn draw_broken_checks(&self) -> (Vec<ChartBar>, usize) {
        let mut broken: Vec<_> = self.checks.iter().filter(|(_, count)| count.broken > 0).collect();
        broken.sort_by_key(|(_, count)| std::cmp::Reverse(count.broken));
        let bars = broken.iter().take(MAX_BARS).map(|(name, count)| {
            let told = format!("{} of {} failed", count.broken, count.checked);
            ChartBar::of_share(name, told, "fail", count.broken, count.checked)
        });
        (bars.collect(), broken.len().saturating_sub(MAX_BARS))
    }

    /// Draws the files with the most trials that did not pass first, and returns how many more there are.
    pub(super) fn draw_files(&self) -> (Vec<ChartBar>, usize) {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(|(_, totals)| std::cmp::Reverse(totals.count_red()));
        let bars = files.iter().take(MAX_BARS).map(|(name, totals)| draw_bar(name, **totals));
        (bars.collect(), files.len().saturating_sub(MAX_BARS))
    }
}

/// Draws the results of some cases as one bar.
pub(super) fn draw_bar(name: &str, totals: Totals) -> ChartBar {
    let counts = list_counts(totals);
    let all: usize = counts.iter().map(|count| count.number).sum();
    let mut before = 0;
    let mut parts = Vec::new();
    // Each segment starts at the sum of those before it. Its start is rounded on its own, so that errors do not add up.
    for StandingCount { standing, number, .. } in counts.into_iter().filter(|count| count.number > 0) {
        let x = compute_percent(before, all);
        let width = compute_percent(number, all);
        parts.push(BarSegment { standing, x, width });
        before += number;
    }
    let told = match totals.cases {
        0 => format!("{} skipped", totals.skipped),
        cases => format!("{} of {cases} passed", totals.passed),
    };
    ChartBar { name: escape_line(name), told, parts }
}

fn render_edge(nth: usize) -> String {
    format!("{:.1}", count_to_f64(nth) / f64::from(BIN_COUNT))
}

/// Lists the count of each result with the word that is shown beside it.
pub(super) fn list_counts(totals: Totals) -> Vec<StandingCount> {
    let Totals { passed, failed, quarantined, undecided, errors, skipped, .. } = totals;
    let mut counts = vec![
        ("fail", "failed", failed),
        ("error", if errors == 1 { "error" } else { "errors" }, errors),
        ("undecided", "undecided", undecided),
        ("pass", "passed", passed),
        ("skipped", "skipped", skipped),
    ];
    // Most runs have none.
    if quarantined > 0 {
        counts.insert(3, ("quarantined", "quarantined", quarantined));
    }
    let counts = counts.into_iter();
    counts.map(|(standing, word, number)| StandingCount { standing, word, number }).collect()
}

/// Returns the index of the bar that contains `score`; a perfect score belongs to the last bar.
fn find_bin(score: f64) -> usize {
    (1..BIN_COUNT).rev().find(|edge| score >= f64::from(*edge) / f64::from(BIN_COUNT)).unwrap_or(0) as usize
}

/// Returns the share in percent, rounded to tenths: smaller steps are invisible.
fn compute_percent(part: usize, whole: usize) -> f64 {
    (count_to_f64(part) / count_to_f64(whole.max(1)) * 1000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_belongs_to_the_bar_that_it_reaches() {
        assert_eq!([0.0, 0.09, 0.1, 0.55, 0.999, 1.0].map(find_bin), [0, 0, 1, 5, 9, 9]);
    }

    #[test]
    fn the_parts_of_a_bar_stand_one_after_the_other() {
        let totals = Totals { cases: 4, passed: 1, failed: 3, skipped: 4, ..Totals::default() };
        let parts: Vec<_> =
            draw_bar("a", totals).parts.into_iter().map(|part| (part.standing, part.x, part.width)).collect();
        assert_eq!(parts, [("fail", 0.0, 37.5), ("pass", 37.5, 12.5), ("skipped", 50.0, 50.0)]);
    }
}
