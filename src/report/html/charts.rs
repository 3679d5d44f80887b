//! The figures above the list: how many trials ended which way, their scores, the checks that broke, and the files.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::outcome::{Status, count_to_f64};
use crate::report::plain::one_line;
use crate::report::{Run, Totals};
use crate::verdict::Verdict;

/// How many checks and files are drawn: those with the most that did not pass.
const DRAWN: usize = 6;
/// The bars of the scores, from 0 to 1.
const BINS: u32 = 10;

/// Counts over all verdicts.
pub(super) struct Charts {
    totals: Totals,
    bins: [usize; BINS as usize],
    checks: BTreeMap<String, Asked>,
    files: BTreeMap<String, Totals>,
    milliseconds: f64,
}

#[derive(Default)]
struct Asked {
    times: usize,
    broken: usize,
}

/// A bar in parts: where each begins and how long it is, in percent.
#[derive(Serialize)]
pub(super) struct Bar {
    name: String,
    /// How many of how many, in words.
    told: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    standing: &'static str,
    x: f64,
    width: f64,
}

/// A bar of the scores.
#[derive(Serialize)]
pub(super) struct Bin {
    from: String,
    to: String,
    count: usize,
    height: f64,
}

/// How many trials ended in one way.
#[derive(Serialize)]
pub(super) struct Count {
    standing: &'static str,
    word: &'static str,
    number: usize,
}

impl Charts {
    pub(super) fn of(run: &Run) -> Self {
        let mut files: BTreeMap<String, Totals> = BTreeMap::new();
        for skipped in &run.skipped {
            files.entry(skipped.file.clone()).or_default().skipped += 1;
        }
        let (bins, checks) = ([0; BINS as usize], BTreeMap::new());
        Self { totals: Totals::of(run), bins, checks, files, milliseconds: 0.0 }
    }

    pub(super) fn add(&mut self, verdict: &Verdict) {
        self.totals.add(verdict);
        self.milliseconds += verdict.duration_ms;
        if verdict.errors.is_empty() {
            self.bins[bin(verdict.score.get())] += 1;
        }
        match self.files.get_mut(&verdict.case.file) {
            Some(totals) => totals.add(verdict),
            None => self.files.entry(verdict.case.file.clone()).or_default().add(verdict),
        }
        for finding in &verdict.findings {
            if !self.checks.contains_key(&finding.check) {
                self.checks.insert(finding.check.clone(), Asked::default());
            }
            let Some(asked) = self.checks.get_mut(&finding.check) else { continue };
            asked.times += 1;
            asked.broken += usize::from(finding.status == Status::Fail && !verdict.passed);
        }
    }

    pub(super) fn heading(&self) -> String {
        let Totals { cases, passed, .. } = self.totals;
        match (cases, cases - passed) {
            (0, _) => "No case ran".to_owned(),
            (1, 0) => "The case passed".to_owned(),
            (1, _) => "The case did not pass".to_owned(),
            (cases, 0) => format!("All {cases} cases passed"),
            (cases, red) => format!("{red} of {cases} cases did not pass"),
        }
    }

    pub(super) fn is_green(&self) -> bool {
        self.totals.cases == self.totals.passed
    }

    /// How long all trials took together, in words.
    pub(super) fn took(&self) -> String {
        let seconds = self.milliseconds / 1000.0;
        match seconds {
            ..1.0 => format!("{:.0} ms", self.milliseconds),
            ..120.0 => format!("{seconds:.1} s"),
            _ => format!("{:.0} min", seconds / 60.0),
        }
    }

    pub(super) fn counts(&self) -> Vec<Count> {
        let words = counted(self.totals).into_iter();
        words.map(|(standing, word, number)| Count { standing, word, number }).collect()
    }

    pub(super) fn whole(&self) -> Bar {
        bar("all cases", self.totals)
    }

    /// The scores; none where none was computed.
    pub(super) fn bins(&self) -> Vec<Bin> {
        let highest = self.bins.iter().copied().max().unwrap_or(0);
        let edge = |nth: usize| format!("{:.1}", count_to_f64(nth) / f64::from(BINS));
        let bin = |(nth, &count): (usize, &usize)| Bin {
            from: edge(nth),
            to: edge(nth + 1),
            count,
            height: percent(count, highest),
        };
        if highest == 0 { Vec::new() } else { self.bins.iter().enumerate().map(bin).collect() }
    }

    /// The checks that broke, the most often broken first, and how many more there are.
    pub(super) fn checks(&self) -> (Vec<Bar>, usize) {
        let mut broken: Vec<_> = self.checks.iter().filter(|(_, asked)| asked.broken > 0).collect();
        broken.sort_by_key(|(_, asked)| std::cmp::Reverse(asked.broken));
        let longest = broken.first().map_or(1, |(_, asked)| asked.broken);
        let bar = |(name, asked): &(&String, &Asked)| Bar {
            name: one_line(name),
            told: format!("{} of {}", asked.broken, asked.times),
            parts: vec![Part { standing: "fail", x: 0.0, width: percent(asked.broken, longest) }],
        };
        (broken.iter().take(DRAWN).map(bar).collect(), broken.len().saturating_sub(DRAWN))
    }

    /// The files, those with the most that did not pass first, and how many more there are.
    pub(super) fn files(&self) -> (Vec<Bar>, usize) {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(|(_, totals)| std::cmp::Reverse(totals.cases - totals.passed));
        let bars = files.iter().take(DRAWN).map(|(name, totals)| bar(name, **totals));
        (bars.collect(), files.len().saturating_sub(DRAWN))
    }
}

fn bar(name: &str, totals: Totals) -> Bar {
    let counts = counted(totals);
    let all: usize = counts.iter().map(|(_, _, count)| count).sum();
    let mut before = 0;
    let mut part = |standing: &'static str, count: usize| {
        let x = percent(before, all);
        before += count;
        Part { standing, x, width: percent(count, all) }
    };
    let there = counts.into_iter().filter(|(_, _, count)| *count > 0);
    let parts = there.map(|(standing, _, count)| part(standing, count)).collect();
    let told = match totals.cases {
        0 => format!("{} skipped", totals.skipped),
        cases => format!("{} of {cases} passed", totals.passed),
    };
    Bar { name: one_line(name), told, parts }
}

/// What there is of each standing, and the word that stands beside the count.
fn counted(totals: Totals) -> [(&'static str, &'static str, usize); 5] {
    let Totals { passed, failed, undecided, errors, skipped, .. } = totals;
    [
        ("fail", "failed", failed),
        ("error", if errors == 1 { "error" } else { "errors" }, errors),
        ("undecided", "undecided", undecided),
        ("pass", "passed", passed),
        ("skipped", "skipped", skipped),
    ]
}

/// The bar that a score belongs to: a full one to the last.
fn bin(score: f64) -> usize {
    (1..BINS).rev().find(|edge| score >= f64::from(*edge) / f64::from(BINS)).unwrap_or(0) as usize
}

/// With a tenth of a percent, which is what can be seen.
fn percent(part: usize, whole: usize) -> f64 {
    (count_to_f64(part) / count_to_f64(whole.max(1)) * 1000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_belongs_to_the_bar_that_it_reaches() {
        assert_eq!([0.0, 0.09, 0.1, 0.55, 0.999, 1.0].map(bin), [0, 0, 1, 5, 9, 9]);
    }

    #[test]
    fn the_parts_of_a_bar_stand_one_after_the_other() {
        let totals = Totals { cases: 4, passed: 1, failed: 3, skipped: 4, ..Totals::default() };
        let parts: Vec<_> =
            bar("a", totals).parts.into_iter().map(|part| (part.standing, part.x, part.width)).collect();
        assert_eq!(parts, [("fail", 0.0, 37.5), ("pass", 37.5, 12.5), ("skipped", 50.0, 50.0)]);
    }
}
