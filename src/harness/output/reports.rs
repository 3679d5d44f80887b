//! The reports of a run, rendered from its verdict files when its trials have ended.

use libtest_mimic::Conclusion;

use super::stderr;
use crate::harness::plan::Plan;
use crate::harness::record::earlier_run;
use crate::harness::record::runs::StoredRun;
use crate::harness::run::trial::Shared;
use crate::harness::settings::Settings;
use crate::report::annotations::Annotations;
use crate::report::{EarlierRun, FORMATS, FormatEntry, ReportBuilder};
use crate::suite::ReportFormat;

/// What is asked of the end of a run.
pub(in crate::harness) struct Reports {
    formats: Vec<ReportFormat>,
    /// GitHub reads what this process prints.
    annotate: bool,
    /// The run that this one is compared with.
    compare: Option<String>,
}

impl Reports {
    /// Those of a run of `plan`.
    pub(in crate::harness) fn of(plan: &Plan, settings: &Settings) -> Self {
        let mut formats: Vec<ReportFormat> = plan.reports.iter().chain(&settings.reports).copied().collect();
        formats.sort_unstable();
        formats.dedup();
        let annotate = settings.github && settings.nextest.is_none();
        Self { formats, annotate, compare: settings.compare.clone() }
    }

    /// Renders and writes them. The error is why the run itself is wrong.
    pub(in crate::harness) fn write(&self, shared: &Shared, ran: Ran) -> Result<(), String> {
        let formats = self.rendered(shared);
        let annotate = self.annotate && ran.has_failed;
        if formats.is_empty() && !annotate {
            return Ok(());
        }
        let earlier = self.earlier(shared)?;
        let run = StoredRun::open(&[shared.store.run().to_owned()]).map_err(|error| error.to_string())?;
        let run = run.compared_with(earlier);
        stderr::verdicts_missing(ran.trials.saturating_sub(run.trials()));
        let mut annotations = Box::new(Annotations::new(run.run()));
        let written = run.write(&formats, shared.store.out(), |verdict| annotations.add_verdict(verdict));
        if annotate {
            stderr::print(shared.json, annotations.finish().trim_end());
        }
        written.map(drop).map_err(|error| error.to_string())
    }

    /// The run that this one is compared with, where a report shows that.
    fn earlier(&self, shared: &Shared) -> Result<Option<EarlierRun>, String> {
        let compares = |format: &ReportFormat| matches!(format, ReportFormat::Html | ReportFormat::Markdown);
        let which = self.compare.as_deref().filter(|_| self.formats.iter().any(compares));
        let read = which.map(|which| earlier_run(which, &shared.base, shared.store.out()));
        read.transpose().map_err(|error| format!("ARRAIGN_COMPARE: {error}"))
    }

    /// The formats that are rendered; the others are told of.
    fn rendered(&self, shared: &Shared) -> Vec<FormatEntry> {
        if shared.nextest {
            stderr::no_reports_under_nextest(&self.formats, shared.store.run());
            return Vec::new();
        }
        let unknown = |wanted: &&ReportFormat| !FORMATS.iter().any(|format| format.format == **wanted);
        stderr::no_such_reports(self.formats.iter().filter(unknown).copied(), shared.store.run());
        FORMATS.iter().filter(|format| self.formats.contains(&format.format)).copied().collect()
    }
}

/// What became of the trials.
#[derive(Clone, Copy)]
pub(in crate::harness) struct Ran {
    /// How many were run.
    pub(in crate::harness) trials: usize,
    /// Whether one of them failed.
    pub(in crate::harness) has_failed: bool,
}

impl Ran {
    /// What libtest-mimic concludes.
    pub(in crate::harness) fn of(conclusion: &Conclusion) -> Self {
        let count = conclusion.num_passed + conclusion.num_failed;
        Self { trials: usize::try_from(count).unwrap_or(usize::MAX), has_failed: conclusion.has_failed() }
    }
}
