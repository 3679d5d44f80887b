//! The reports of a run, rendered from its verdict files when its trials have ended.

use libtest_mimic::Conclusion;

use super::stderr;
use crate::harness::plan::Plan;
use crate::harness::record::earlier_run;
use crate::harness::record::runs::StoredRun;
use crate::harness::run::context::RunContext;
use crate::harness::settings::Settings;
use crate::report::annotations::Annotations;
use crate::report::{EarlierRun, FORMATS, FormatEntry, ReportBuilder};
use crate::suite::ReportFormat;

/// What is asked of the end of a run.
pub(in crate::harness) struct RequestedReports {
    formats: Vec<ReportFormat>,
    /// GitHub reads what this process prints.
    annotate: bool,
    /// The run that this one is compared with.
    compare: Option<String>,
}

impl RequestedReports {
    /// Those of a run of `plan`.
    pub(in crate::harness) fn from_plan(plan: &Plan, settings: &Settings) -> Self {
        let mut formats: Vec<ReportFormat> = plan.reports.iter().chain(&settings.reports).copied().collect();
        formats.sort_unstable();
        formats.dedup();
        let annotate = settings.github && settings.nextest.is_none();
        Self { formats, annotate, compare: settings.compare.clone() }
    }

    /// Renders and writes them. The error is why the run itself is wrong.
    pub(in crate::harness) fn write_all(&self, context: &RunContext, ran: TrialCounts) -> Result<(), String> {
        let formats = self.supported_formats(context);
        let annotate = self.annotate && ran.has_failed;
        if formats.is_empty() && !annotate {
            return Ok(());
        }
        let earlier = self.read_earlier(context)?;
        let run =
            StoredRun::open(&[context.store.run_folder().to_owned()]).map_err(|error| error.to_string())?;
        let run = run.compared_with(earlier);
        stderr::note_missing_verdicts(ran.trials.saturating_sub(run.trials()));
        let mut annotations = Box::new(Annotations::new(run.run()));
        let written =
            run.write(&formats, context.store.out_folder(), |verdict| annotations.add_verdict(verdict));
        if annotate {
            stderr::print_block(context.readers.json, annotations.finish().trim_end());
        }
        written.map(drop).map_err(|error| error.to_string())
    }

    /// The run that this one is compared with, where a report shows that.
    fn read_earlier(&self, context: &RunContext) -> Result<Option<EarlierRun>, String> {
        let compares = |format: &ReportFormat| matches!(format, ReportFormat::Html | ReportFormat::Markdown);
        let which = self.compare.as_deref().filter(|_| self.formats.iter().any(compares));
        let read = which.map(|which| earlier_run(which, &context.project.base, context.store.out_folder()));
        read.transpose().map_err(|error| format!("ARRAIGN_COMPARE: {error}"))
    }

    /// The formats that are rendered; the others are told of.
    fn supported_formats(&self, context: &RunContext) -> Vec<FormatEntry> {
        if context.readers.nextest {
            stderr::note_reports_under_nextest(&self.formats, context.store.run_folder());
            return Vec::new();
        }
        let unknown = |wanted: &&ReportFormat| !FORMATS.iter().any(|format| format.format == **wanted);
        stderr::note_unsupported_reports(
            self.formats.iter().filter(unknown).copied(),
            context.store.run_folder(),
        );
        FORMATS.iter().filter(|format| self.formats.contains(&format.format)).copied().collect()
    }
}

/// What became of the trials.
#[derive(Clone, Copy)]
pub(in crate::harness) struct TrialCounts {
    /// How many were run.
    pub(in crate::harness) trials: usize,
    /// Whether one of them failed.
    pub(in crate::harness) has_failed: bool,
}

impl TrialCounts {
    /// What libtest-mimic concludes.
    pub(in crate::harness) fn from_conclusion(conclusion: &Conclusion) -> Self {
        let count = conclusion.num_passed + conclusion.num_failed;
        Self { trials: usize::try_from(count).unwrap_or(usize::MAX), has_failed: conclusion.has_failed() }
    }
}
