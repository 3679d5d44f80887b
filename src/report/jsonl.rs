//! JSON Lines: a verdict a line, as its file holds it.

use super::plain::json;
use super::{Format, Report};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Jsonl, file: "report.jsonl", begin: |_| Box::new(Lines::default()) };

#[derive(Default)]
struct Lines(String);

impl Report for Lines {
    fn add(&mut self, verdict: &Verdict) {
        self.0.push_str(&json(verdict));
        self.0.push('\n');
    }

    fn finish(self: Box<Self>) -> String {
        self.0
    }
}
