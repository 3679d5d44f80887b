//! Reports: pure functions from verdicts to text.
//!
//! A [`ReportBuilder`] takes the verdicts one after the other, so that a large run is never held in memory as a whole.
//! A new format is one file and its entry in [`FORMATS`].

mod agents;
pub mod annotations;
pub mod block;
pub mod comparison;
mod ctrf;
pub mod flaky;
pub mod history;
#[cfg(feature = "html")]
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod markup;

mod otel;

pub mod pinned;
pub mod plain;
pub mod quarantine;
mod run;
mod sarif;
pub mod score;
pub mod summary;
pub mod terminal;

use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub(crate) use run::render_utc;
pub use run::{EarlierRun, RunInfo, SkippedTrial, Totals, TrialResult};

/// Builds one report from the verdicts of a run.
pub trait ReportBuilder {
    /// Adds the next verdict.
    fn add_verdict(&mut self, verdict: &Verdict);

    /// Returns the text of the report, after the last verdict.
    fn finish(self: Box<Self>) -> String;
}

/// A report format and the function that starts a report in it.
#[derive(Debug, Clone, Copy)]
pub struct FormatEntry {
    /// The name of the format, as users write it.
    pub format: ReportFormat,
    /// The file name of the report.
    pub file: &'static str,
    /// Starts the report of a run.
    pub begin: for<'r> fn(&'r RunInfo) -> Box<dyn ReportBuilder + 'r>,
}

/// All formats, sorted by file name.
pub const FORMATS: &[FormatEntry] = &[
    ctrf::FORMAT,
    #[cfg(feature = "html")]
    html::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    otel::FORMAT,
    sarif::FORMAT,
];

impl FormatEntry {
    /// Returns the format with this name, if the crate is built with it.
    pub fn find_by_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.format.name() == name).copied()
    }

    /// Renders the report of a whole run.
    pub fn render_run(&self, run: &RunInfo, verdicts: &[Verdict]) -> String {
        let mut report = (self.begin)(run);
        for verdict in verdicts {
            report.add_verdict(verdict);
        }
        report.finish()
    }
}

#[cfg(test)]
mod tests;
