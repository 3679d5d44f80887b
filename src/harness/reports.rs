//! The reports of a run, rendered from its verdict files when its trials have ended.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use libtest_mimic::Conclusion;

use super::args::Command;
use super::earlier::earlier_run;
use super::plan::{Plan, Planned, Work};
use super::remarks;
use super::settings::Settings;
use super::trial::Shared;
use crate::check::Registry;
use crate::report::annotations::Annotations;
use crate::report::{Earlier, FORMATS, Format, Report, Run, Skipped};
use crate::source::write_whole;
use crate::suite::ReportFormat;
use crate::verdict::Verdict;

/// What is asked of the end of a run.
pub(super) struct Reports {
    formats: Vec<ReportFormat>,
    /// GitHub reads what this process prints.
    annotate: bool,
    started: SystemTime,
    /// The run that this one is compared with.
    compare: Option<String>,
    /// The trials in the order of the plan, where a report is asked for.
    trials: Vec<Listed>,
}

/// A trial as a report lists it.
struct Listed {
    name: String,
    /// It is not run unless ignored trials are asked for.
    ignored: Option<Skipped>,
}

impl Reports {
    /// Those of a run of `plan` that begins now.
    pub(super) fn of(plan: &Plan, command: &Command, settings: &Settings) -> Self {
        let mut formats: Vec<ReportFormat> = plan.reports.iter().chain(&settings.reports).copied().collect();
        formats.sort_unstable();
        formats.dedup();
        let annotate = settings.github && settings.nextest.is_none();
        let wanted = plan.trials.iter().filter(|trial| command.wants(&trial.name));
        let trials = if formats.is_empty() && !annotate { Vec::new() } else { wanted.map(listed).collect() };
        Self { formats, annotate, started: SystemTime::now(), compare: settings.compare.clone(), trials }
    }

    /// Renders and writes them. The error is why the run itself is wrong.
    pub(super) fn write(&self, shared: &Shared, kinds: &Registry, ran: Ran) -> Result<(), String> {
        let formats = self.rendered(shared);
        let annotate = self.annotate && ran.has_failed;
        if formats.is_empty() && !annotate {
            return Ok(());
        }
        let run = Run { earlier: self.earlier(shared)?, ..self.run(shared, kinds) };
        let mut reports: Vec<Box<dyn Report + '_>> =
            formats.iter().map(|format| (format.begin)(&run)).collect();
        let mut annotations = Box::new(Annotations::of(&run));
        let read = self.read(shared, |verdict| {
            annotations.add(verdict);
            for report in &mut reports {
                report.add(verdict);
            }
        })?;
        remarks::verdicts_missing(ran.trials.saturating_sub(read));
        if annotate {
            remarks::print(shared.json, annotations.finish().trim_end());
        }
        let paths = formats.iter().map(|format| shared.store.out().join(format.file));
        // Each is written, whatever became of the one before it.
        let written = paths.zip(reports).map(|(path, report)| written(&path, &report.finish()));
        written.fold(Ok(()), Result::and)
    }

    /// The formats that are rendered; the others are told of.
    fn rendered(&self, shared: &Shared) -> Vec<&'static Format> {
        if shared.nextest {
            remarks::no_reports_under_nextest(&self.formats, shared.store.folder());
            return Vec::new();
        }
        let unknown = |wanted: &&ReportFormat| !FORMATS.iter().any(|format| format.format == **wanted);
        remarks::no_such_reports(self.formats.iter().filter(unknown).copied(), shared.store.folder());
        FORMATS.iter().filter(|format| self.formats.contains(&format.format)).collect()
    }

    fn run(&self, shared: &Shared, kinds: &Registry) -> Run {
        let rules = kinds.iter().map(|kind| (kind.name.to_owned(), kind.summary.to_owned()));
        let folder = shared.store.folder().file_name().unwrap_or_default();
        let skipped = self
            .trials
            .iter()
            .filter_map(|trial| trial.ignored.clone().filter(|_| !shared.store.has(&trial.name)));
        Run {
            id: folder.to_string_lossy().into_owned(),
            started: self.started,
            folder: below_repository(&shared.base),
            rules: rules.collect(),
            skipped: skipped.collect(),
            earlier: None,
        }
    }

    /// The run that this one is compared with, where a report shows that.
    fn earlier(&self, shared: &Shared) -> Result<Option<Earlier>, String> {
        let which = self.compare.as_deref().filter(|_| self.formats.contains(&ReportFormat::Markdown));
        let read = which.map(|which| earlier_run(which, &shared.base, shared.store.out()));
        read.transpose().map_err(|error| format!("ARRAIGN_COMPARE: {error}"))
    }

    /// Shows each verdict to `look`, one after the other, and says how many there are.
    fn read(&self, shared: &Shared, mut look: impl FnMut(&Verdict)) -> Result<usize, String> {
        let mut count = 0;
        for trial in &self.trials {
            match shared.store.read(&trial.name) {
                Ok(verdict) => look(&verdict),
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(format!("the verdict of `{}` cannot be read: {error}", trial.name)),
            }
            count += 1;
        }
        Ok(count)
    }
}

/// What became of the trials.
#[derive(Clone, Copy)]
pub(super) struct Ran {
    /// How many were run.
    pub(super) trials: usize,
    /// Whether one of them failed.
    pub(super) has_failed: bool,
}

impl Ran {
    /// What libtest-mimic concludes.
    pub(super) fn of(conclusion: &Conclusion) -> Self {
        let count = conclusion.num_passed + conclusion.num_failed;
        Self { trials: usize::try_from(count).unwrap_or(usize::MAX), has_failed: conclusion.has_failed() }
    }
}

fn listed(trial: &Planned) -> Listed {
    let file = match &trial.work {
        Work::Case(work) => work.case.place.file().to_owned(),
        Work::Gate(work) => work.gate.place.file().to_owned(),
        Work::Broken(_) => String::new(),
    };
    let skipped = |reason: Option<String>| Skipped { name: trial.name.clone(), file, reason };
    Listed { name: trial.name.clone(), ignored: trial.ignore.clone().map(|ignore| skipped(ignore.reason)) }
}

/// Where no trial ran, no verdict has made the folder.
fn written(path: &Path, text: &str) -> Result<(), String> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    let told = folder.and_then(|()| write_whole(path, text.as_bytes()));
    let path = path.display();
    told.map_err(|error| format!("the report `{path}` cannot be written: {error}; set ARRAIGN_OUT"))
}

/// The package's folder below the root of its repository, with a `/` at its end; empty where it is the root, or where
/// there is no repository.
fn below_repository(base: &Path) -> String {
    let root = base.ancestors().find(|folder| folder.join(".git").exists());
    let below: PathBuf =
        root.and_then(|root| base.strip_prefix(root).ok()).unwrap_or(Path::new("")).to_owned();
    let parts: Vec<String> = below.iter().map(|part| format!("{}/", part.to_string_lossy())).collect();
    parts.concat()
}
