//! One JSON document: the run, its totals, and all verdicts as their files hold them.

use serde::Serialize;

use super::plain::json;
use super::summary::Rows;
use super::{Format, Report, Run, Skipped, Totals};
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(super) const FORMAT: Format =
    Format { format: ReportFormat::Json, file: "report.json", begin: |run| Box::new(Json::of(run)) };

/// The version of the document. It changes when a field changes its meaning or goes.
pub(super) const SCHEMA_VERSION: u32 = 1;

struct Json<'r> {
    run: &'r Run,
    totals: Totals,
    rows: Rows<'r>,
    verdicts: Vec<String>,
}

/// What is said of the run as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Begun<'r> {
    /// Its id: the folder of its verdict files, with a `+` between those of shards.
    id: &'r str,
    /// When it began, in UTC.
    started: String,
    /// The version of arraign that wrote the report.
    arraign: &'static str,
}

impl<'r> Json<'r> {
    fn of(run: &'r Run) -> Self {
        Self { run, totals: Totals::of(run), rows: Rows::of(run), verdicts: Vec::new() }
    }
}

impl Report for Json<'_> {
    fn add(&mut self, verdict: &Verdict) {
        self.totals.add(verdict);
        self.rows.add(verdict);
        self.verdicts.push(json(verdict));
    }

    /// Written part by part: the verdicts are text by now.
    fn finish(self: Box<Self>) -> String {
        let started = format!("{}Z", self.run.started_utc());
        let run = json(&Begun { id: &self.run.id, started, arraign: env!("CARGO_PKG_VERSION") });
        let (totals, skipped) = (json(&self.totals), json::<[Skipped]>(&self.run.skipped));
        let summary = json(&self.rows.summary());
        let verdicts = self.verdicts.join(",\n");
        format!(
            "{{\"schema_version\":{SCHEMA_VERSION},\n\"run\":{run},\n\"totals\":{totals},\n\"summary\":{summary},\n\
             \"skipped\":{skipped},\n\"verdicts\":[\n{verdicts}\n]}}\n"
        )
    }
}
