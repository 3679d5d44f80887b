//! One page for a browser, whole in itself: it loads nothing, and works where there is no network.
//!
//! The page is a template, in which all text is escaped. What the script shows beside it stands in blocks of JSON:
//! the rows of the list, what changed since an earlier run, and the verdicts, one a line, each read when somebody opens
//! its case. The script makes
//! elements and texts, never markup, and the page's own policy lets nothing else run.

mod charts;
mod compared;
mod line;
mod page;
mod row;

use super::comparison::Trials;
use super::plain::json;
use super::{Earlier, Format, Report, Run, Standing};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

use charts::Charts;
use compared::compared;
use row::Row;

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Html, file: "report.html", begin: |run| Box::new(Html::of(run)) };

/// How many bytes the verdicts may have together: a browser opens the page of 10,000 cases in a second or two.
const VERDICTS: usize = 24 * 1024 * 1024;

struct Html<'r> {
    run: &'r Run,
    charts: Charts,
    /// The run that is compared with, and the trials of this one.
    compared: Option<(&'r Earlier, Trials)>,
    rows: Vec<String>,
    lines: Lines,
}

/// The verdicts as lines, one a row: empty where a verdict is left out.
#[derive(Default)]
struct Lines {
    texts: Vec<String>,
    /// Those that passed: they make room for the others.
    passed: Vec<usize>,
    bytes: usize,
    left_out: usize,
}

impl<'r> Html<'r> {
    fn of(run: &'r Run) -> Self {
        let rows = run.skipped.iter().map(|skipped| json(&Row::of_skipped(skipped)));
        let lines = Lines { texts: vec![String::new(); run.skipped.len()], ..Lines::default() };
        let compared = run.earlier.as_ref().map(|earlier| (earlier, Trials::default()));
        Self { run, charts: Charts::of(run), compared, rows: rows.collect(), lines }
    }
}

impl Report for Html<'_> {
    fn add(&mut self, verdict: &Verdict) {
        self.charts.add(verdict);
        if let Some((_, trials)) = &mut self.compared {
            trials.add(verdict);
        }
        self.rows.push(json(&Row::of(verdict)));
        self.lines.add(verdict);
    }

    fn finish(self: Box<Self>) -> String {
        let compared = self.compared.as_ref().map(|(earlier, trials)| compared(earlier, trials));
        let data = page::Data {
            compared: compared.unwrap_or_else(|| "null".to_owned()),
            rows: self.rows.join(",\n"),
            verdicts: self.lines.texts.join("\n"),
            left_out: self.lines.left_out,
        };
        page::page(self.run, &self.charts, data)
    }
}

impl Lines {
    /// A verdict that does not pass goes without its details before it is left out.
    fn add(&mut self, verdict: &Verdict) {
        let passed = Standing::of(verdict) == Standing::Passed;
        if !self.push(line::line(verdict), passed) && (passed || !self.push(line::short(verdict), passed)) {
            self.left_out += 1;
            self.texts.push(String::new());
        }
    }

    /// Adds a line if there is room for it, or room can be made.
    fn push(&mut self, line: String, passed: bool) -> bool {
        while !passed && self.bytes + line.len() > VERDICTS {
            let Some(at) = self.passed.pop() else { break };
            self.bytes -= std::mem::take(&mut self.texts[at]).len();
            self.left_out += 1;
        }
        let fits = self.bytes + line.len() <= VERDICTS;
        if fits {
            self.bytes += line.len();
            self.passed.extend(passed.then_some(self.texts.len()));
            self.texts.push(line);
        }
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passed_makes_room_for_what_did_not() {
        let mut lines = Lines::default();
        let third = "x".repeat(VERDICTS / 3);
        let fits =
            [true, true, false, true, false, false, false].map(|passed| lines.push(third.clone(), passed));
        assert_eq!(fits, [true, true, true, false, true, true, false]);
        let kept: Vec<bool> = lines.texts.iter().map(|line| !line.is_empty()).collect();
        assert_eq!(kept, [false, false, true, true, true]);
        assert_eq!((lines.left_out, lines.bytes), (2, third.len() * 3));
    }
}
