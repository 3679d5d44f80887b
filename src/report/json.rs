//! One JSON document: the run, its totals, and all verdicts as in their verdict logs.

use serde::Serialize;

use super::plain::render_safe_json;
use super::summary::SummaryRows;
use super::{FormatEntry, ReportBuilder, RunInfo, SkippedTrial, Totals};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: FormatEntry = FormatEntry {
    format: ReportFormat::Json,
    file: "report.json",
    begin: |run| {
        let totals = Totals::new(run);
        let rows = SummaryRows::new(run);
        Box::new(JsonReport { run, totals, rows, verdicts: Vec::new() })
    },
};

/// The version of the document. It changes when a field changes its meaning or is removed.
pub(super) const SCHEMA_VERSION: u32 = 1;

struct JsonReport<'r> {
    run: &'r RunInfo,
    totals: Totals,
    rows: SummaryRows<'r>,
    verdicts: Vec<String>,
}

/// The run as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ReportRunInfo<'r> {
    /// The run's id: the folder of its verdict logs; ids of shards are joined by `+`.
    id: &'r str,
    /// The start of the run, in UTC.
    started: String,
    /// The version of arraign that wrote the report.
    arraign: &'static str,
}

impl ReportBuilder for JsonReport<'_> {
    fn add_verdict(&mut self, verdict: &Verdict) {
        self.totals.add_verdict(verdict);
        self.rows.add_verdict(verdict);
        self.verdicts.push(render_safe_json(verdict));
    }

    /// Joins the parts as text, since each verdict is already serialized.
    fn finish(self: Box<Self>) -> String {
        let started = format!("{}Z", self.run.started_utc());
        let run = render_safe_json(&ReportRunInfo {
            id: &self.run.id,
            started,
            arraign: env!("CARGO_PKG_VERSION"),
        });
        let totals = render_safe_json(&self.totals);
        let skipped = render_safe_json::<[SkippedTrial]>(&self.run.skipped);
        let summary = render_safe_json(&self.rows.summarize());
        let verdicts = self.verdicts.join(",\n");
        format!(
            "{{\"schema_version\":{SCHEMA_VERSION},\n\"run\":{run},\n\"totals\":{totals},\n\"summary\":{summary},\n\
             \"skipped\":{skipped},\n\"verdicts\":[\n{verdicts}\n]}}\n"
        )
    }
}
