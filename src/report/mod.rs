//! Reports: pure functions from verdicts to text.
//!
//! A [`Report`] takes the verdicts one after the other, so that those of a large run are never held together. A new
//! format is one file and its entry in [`FORMATS`].

pub mod annotations;
pub mod block;
pub mod comparison;
pub mod flaky;
#[cfg(feature = "html")]
mod html;
mod json;
mod jsonl;
mod junit;
mod markdown;
mod markup;
pub mod overview;
pub mod plain;
mod run;
mod sarif;
pub mod score;
pub mod summary;
pub mod terminal;
pub mod timeline;

use crate::suite::ReportFormat;
use crate::verdict::Verdict;

pub use run::{EarlierRun, RunInfo, SkippedTrial, Totals, TrialResult};

/// A report in the making.
pub trait ReportBuilder {
    /// Takes the next verdict.
    fn add_verdict(&mut self, verdict: &Verdict);

    /// The text, when all verdicts are in.
    fn finish(self: Box<Self>) -> String;
}

/// A format that reports are rendered in.
#[derive(Debug, Clone, Copy)]
pub struct FormatEntry {
    /// What it is asked for as.
    pub format: ReportFormat,
    /// The file that it is written to.
    pub file: &'static str,
    /// Begins the report of a run.
    pub begin: for<'r> fn(&'r RunInfo) -> Box<dyn ReportBuilder + 'r>,
}

/// All formats, by the names of their files.
pub const FORMATS: &[FormatEntry] = &[
    #[cfg(feature = "html")]
    html::FORMAT,
    json::FORMAT,
    jsonl::FORMAT,
    junit::FORMAT,
    markdown::FORMAT,
    sarif::FORMAT,
];

impl FormatEntry {
    /// The format called `name`, if it is rendered.
    pub fn find_by_name(name: &str) -> Option<Self> {
        FORMATS.iter().find(|format| format.format.name() == name).copied()
    }

    /// The report of a whole run.
    pub fn render_run(&self, run: &RunInfo, verdicts: &[Verdict]) -> String {
        let mut report = (self.begin)(run);
        for verdict in verdicts {
            report.add_verdict(verdict);
        }
        report.finish()
    }
}

#[cfg(test)]
mod schema;
