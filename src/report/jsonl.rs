//! JSON Lines: each line is one verdict, as in its verdict log.

use super::plain::render_safe_json;
use super::{FormatEntry, ReportBuilder};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Jsonl,
    file: "report.jsonl",
    begin: |_| Box::new(JsonlReport::default()),
};

#[derive(Default)]
struct JsonlReport(String);

impl ReportBuilder for JsonlReport {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.0.push_str(&render_safe_json(verdict));
        self.0.push('\n');
    }

    fn finish(self: Box<Self>) -> String {
        self.0
    }
}
