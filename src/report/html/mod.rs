//! A self-contained page for a browser: it loads nothing and works offline.
//!
//! The page is a template that escapes all text. The data for the script is embedded as blocks of JSON: the rows of the
//! list, the changes since an earlier run, and the verdicts, each on a line of its own that is parsed when the reader
//! opens its case. The runs of the earlier run have lines, too, for the page that shows both beside each other. The script creates elements and text nodes, never markup, and the page's content security policy
//! allows no other script.

mod attack;
mod charts;
mod compared;
mod figures;
mod line;
mod mutation;
mod page;
mod row;

use super::comparison::TrialStates;
use super::plain::render_safe_json;
use super::{EarlierRun, FormatEntry, ReportBuilder, RunInfo, TrialResult};
use crate::attack::AttackResult;
use crate::suite::ReportFormat;
use crate::verdict::{CaseMutation, Verdict};

use charts::HtmlCharts;
use compared::{EarlierLines, render_comparison};
use figures::RunFigureTotals;
use row::CaseRow;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Html,
    file: "report.html",
    begin: |run| Box::new(HtmlReport::new(run)),
};

/// The largest size of all verdicts together, in bytes: a browser opens the page of 10,000 cases in a second or two.
const MAX_VERDICT_BYTES: usize = 24 * 1024 * 1024;

struct HtmlReport<'r> {
    run: &'r RunInfo,
    charts: HtmlCharts,
    figures: RunFigureTotals<'r>,
    /// The earlier run and the trials of this one, if a comparison was requested.
    compared: Option<(&'r EarlierRun, TrialStates)>,
    rows: Vec<String>,
    lines: VerdictLines,
    earlier: EarlierLines,
    /// The mutants of the cases, if the run has tried them.
    mutated: Vec<CaseMutation>,
    /// The attacks of the run.
    attacks: Vec<AttackResult>,
}

/// The verdict lines, one for each row; the line of a verdict that was left out is empty.
#[derive(Default)]
struct VerdictLines {
    texts: Vec<String>,
    /// The indices of passed verdicts: they are dropped first when space runs out.
    passed: Vec<usize>,
    bytes: usize,
    left_out: usize,
}

impl<'r> HtmlReport<'r> {
    fn new(run: &'r RunInfo) -> Self {
        let rows = run.skipped.iter().map(|skipped| render_safe_json(&CaseRow::from_skipped(skipped)));
        let lines = VerdictLines { texts: vec![String::new(); run.skipped.len()], ..VerdictLines::default() };
        let compared = run.earlier.as_ref().map(|earlier| (earlier, TrialStates::default()));
        Self {
            run,
            charts: HtmlCharts::new(run),
            figures: RunFigureTotals::new(run),
            compared,
            rows: rows.collect(),
            earlier: EarlierLines::new(run.skipped.len()),
            lines,
            mutated: Vec::new(),
            attacks: Vec::new(),
        }
    }
}

impl ReportBuilder for HtmlReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.charts.add_verdict(verdict);
        self.figures.add_verdict(verdict);
        if let Some((earlier, trials)) = &mut self.compared {
            trials.add_verdict(verdict);
            self.earlier.add_runs(earlier.runs.find_runs(verdict), &verdict.runs);
        }
        self.rows.push(render_safe_json(&CaseRow::from_verdict(verdict, self.run.history.as_ref())));
        self.lines.add_verdict(verdict);
        self.mutated.extend(verdict.mutation.as_deref().cloned());
        self.attacks.extend(AttackResult::from_verdict(verdict));
    }

    fn finish(self: Box<Self>) -> String {
        let compared = self.compared.as_ref().map(|(earlier, trials)| render_comparison(earlier, trials));
        let data = page::PageData {
            compared: compared.unwrap_or_else(|| "null".to_owned()),
            rows: self.rows.join(",\n"),
            verdicts: self.lines.texts.join("\n"),
            earlier: self.earlier.render(),
            left_out: self.lines.left_out,
            mutation: mutation::build_section(&self.mutated),
            attack: attack::build_section(&self.attacks),
        };
        page::render_page(self.run, &self.charts, &self.figures, data)
    }
}

impl VerdictLines {
    /// Adds a verdict. One that does not fit loses its details before it is left out, and one that passed loses them as soon as the
    /// page is half full: each case has a page of its own as long as possible.
    fn add_verdict(&mut self, verdict: &Verdict) {
        let passed = TrialResult::from_verdict(verdict) == TrialResult::Passed;
        let is_short = passed && self.bytes > MAX_VERDICT_BYTES / 2;
        if (is_short || !self.push_line(render_safe_json(&line::build_page_verdict(verdict)), passed))
            && !self.push_line(line::render_short_verdict_line(verdict), passed)
        {
            self.left_out += 1;
            self.texts.push(String::new());
        }
    }

    /// Adds a line if it fits, or fits after dropping verdicts that passed. Returns whether it was added.
    fn push_line(&mut self, line: String, passed: bool) -> bool {
        // The newest passed verdicts go first: readers open those that did not pass.
        while !passed && self.bytes + line.len() > MAX_VERDICT_BYTES {
            let Some(at) = self.passed.pop() else { break };
            self.bytes -= std::mem::take(&mut self.texts[at]).len();
            self.left_out += 1;
        }
        let fits = self.bytes + line.len() <= MAX_VERDICT_BYTES;
        if fits {
            self.bytes += line.len();
            // The place of each passed verdict is kept, in case it must make room.
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
        let mut lines = VerdictLines::default();
        let third = "x".repeat(MAX_VERDICT_BYTES / 3);
        let fits = [true, true, false, true, false, false, false]
            .map(|passed| lines.push_line(third.clone(), passed));
        assert_eq!(fits, [true, true, true, false, true, true, false]);
        let kept: Vec<bool> = lines.texts.iter().map(|line| !line.is_empty()).collect();
        assert_eq!(kept, [false, false, true, true, true]);
        assert_eq!((lines.left_out, lines.bytes), (2, third.len() * 3));
    }
}
