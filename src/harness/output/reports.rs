//! The reports of a run, rendered from the verdict logs at the end of the run.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::slice;

use super::notes;
use crate::harness::plan::Plan;
use crate::harness::record::earlier_run;
use crate::harness::record::runs::StoredRun;
use crate::harness::run::TrialCounts;
use crate::harness::run::context::RunContext;
use crate::harness::settings::EnvSettings;
use crate::harness::stderr;
use crate::report::annotations::Annotations;
use crate::report::history::History;
use crate::report::{EarlierRun, FORMATS, FormatEntry, ReportBuilder};
use crate::suite::ReportFormat;

/// The reports to write at the end of a run.
pub(crate) struct RequestedReports {
    formats: Vec<ReportFormat>,
    /// Print annotations for GitHub, which reads this process's output.
    annotate: bool,
    /// The earlier run to compare with.
    compare: Option<String>,
    /// A second place for the `JUnit` report.
    junit_file: Option<PathBuf>,
}

impl RequestedReports {
    /// Collects the reports that the suites and the environment request.
    pub(crate) fn from_plan(plan: &Plan, settings: &EnvSettings) -> Self {
        let mut formats: Vec<ReportFormat> = plan.reports.iter().chain(&settings.reports).copied().collect();
        formats.extend(settings.junit_file.as_ref().map(|_| ReportFormat::Junit));
        formats.sort_unstable();
        formats.dedup();
        // Under nextest each trial is a process of its own, whose output nextest captures.
        let annotate = settings.github && settings.nextest.is_none();
        Self { formats, annotate, compare: settings.compare.clone(), junit_file: settings.junit_file.clone() }
    }

    /// Renders and writes the reports. The error is a message for the user.
    pub(super) fn write_all(
        &self,
        context: &RunContext,
        counts: TrialCounts,
        history: Option<&History>,
    ) -> Result<(), String> {
        let formats = self.supported_formats(context);
        let annotate = self.annotate && counts.failed > 0;
        if formats.is_empty() && !annotate {
            return Ok(());
        }
        // An earlier run is read before anything is written, because its report may be the file that is replaced.
        let earlier = self.read_earlier(context)?;
        let run = StoredRun::open(slice::from_ref(&context.store.run)).map_err(|error| error.to_string())?;
        let recent = history.filter(|_| self.shows_history()).map(History::list_recent);
        let run = run.compared_with(earlier).with_history(recent);
        notes::note_missing_verdicts((counts.passed + counts.failed).saturating_sub(run.trials()));
        let mut annotations = Box::new(Annotations::new(run.run()));
        let written =
            run.write_reports(&formats, &context.store.out, |verdict| annotations.add_verdict(verdict));
        if annotate {
            stderr::print_block(context.readers.data, annotations.finish().trim_end());
        }
        self.copy_junit(&written.map_err(|error| error.to_string())?)
    }

    /// Whether a report shows the last results of all trials.
    pub(super) fn shows_history(&self) -> bool {
        self.formats.contains(&ReportFormat::Html)
    }

    /// Prints the `JUnit` report of the run on standard output, for `--format junit`.
    pub(super) fn print_junit(context: &RunContext) -> Result<(), String> {
        let run = StoredRun::open(slice::from_ref(&context.store.run)).map_err(|error| error.to_string())?;
        let Some(format) = FormatEntry::find_by_name(ReportFormat::Junit.name()) else { return Ok(()) };
        let mut report = (format.begin)(run.run());
        run.visit_verdicts(|verdict| report.add_verdict(verdict)).map_err(|error| error.to_string())?;
        let mut out = io::stdout().lock();
        let written = writeln!(out, "{}", report.finish().trim_end()).and_then(|()| out.flush());
        // Who reads the report must not take a part of it for the whole.
        written.map_err(|error| format!("cannot write the output: {error}"))
    }

    /// Copies the `JUnit` report to the place where another program expects it.
    fn copy_junit(&self, written: &[PathBuf]) -> Result<(), String> {
        // The report's own place has the name of the run; the variable names one fixed file.
        let report = written.iter().find(|path| path.to_string_lossy().ends_with(".junit.xml"));
        let Some((report, target)) = report.zip(self.junit_file.as_ref()) else { return Ok(()) };
        let copied = std::fs::copy(report, target);
        copied
            .map(drop)
            .map_err(|error| format!("XML_OUTPUT_FILE: cannot write `{}`: {error}", target.display()))
    }

    /// Reads the run to compare with. Only HTML and Markdown show the comparison, so it is not read for other reports.
    fn read_earlier(&self, context: &RunContext) -> Result<Option<EarlierRun>, String> {
        let shows_comparison =
            [ReportFormat::Html, ReportFormat::Markdown].iter().any(|format| self.formats.contains(format));
        let Some(which) = self.compare.as_deref().filter(|_| shows_comparison) else { return Ok(None) };
        earlier_run(which, &context.project.base, &context.store.out)
            .map(Some)
            .map_err(|error| format!("ARRAIGN_COMPARE: {error}"))
    }

    /// Returns the formats that can be rendered, and prints a note on the others.
    fn supported_formats(&self, context: &RunContext) -> Vec<FormatEntry> {
        if context.readers.nextest {
            notes::note_not_rendered("under nextest", self.formats.iter().copied(), &context.store.run);
            return Vec::new();
        }
        let unsupported =
            self.formats.iter().filter(|wanted| !FORMATS.iter().any(|format| format.format == **wanted));
        // HTML needs a feature.
        let reason = "without the feature `html` of arraign";
        notes::note_not_rendered(reason, unsupported.copied(), &context.store.run);
        FORMATS.iter().filter(|format| self.formats.contains(&format.format)).copied().collect()
    }
}
