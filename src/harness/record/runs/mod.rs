//! Reads back a run that has ended. Its logs come from one process, from many processes of nextest, or from shards
//! on several machines.
//!
//! ```no_run
//! use arraign::__internals::harness::runs::{self, StoredRun};
//! use arraign::__internals::report::FORMATS;
//! use std::path::Path;
//!
//! let out = Path::new("target/arraign");
//! let run = StoredRun::open(&[runs::find_newest(out)?])?;
//! let written = run.write_reports(FORMATS, out, |_| ())?;
//! # Ok::<(), arraign::__internals::harness::runs::RunError>(())
//! ```

mod error;
mod folder;
mod gates;
mod index;
mod log;
mod selection;

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

pub use super::manifest::RunManifest;
pub use crate::harness::shard::ShardRecord;
pub use error::{RunError, RunProblem};
pub use folder::{find_newest, is_run, list_runs};

use self::index::{StoredTrial, TrialIndex};
use crate::outcome::{Status, UndecidedCause};
use crate::place::Place;
use crate::report::history::RecentResults;
use crate::report::{EarlierRun, FormatEntry, ReportBuilder, RunInfo, SkippedTrial};
use crate::source::write_with_folder;
use crate::verdict::{Finding, Verdict, first_attempt};

/// The check of the trial that stands for a lost part of a run.
const PART: &str = "part";

/// A run that has ended, of one or several folders.
#[derive(Debug)]
pub struct StoredRun {
    run: RunInfo,
    manifests: Vec<RunManifest>,
    trials: Vec<StoredTrial>,
    /// The undecided trials that stand for parts without their verdicts.
    lost: Vec<Verdict>,
    missing: usize,
    torn: usize,
    /// The run has harnesses in several packages. Then paths are relative to the root of the repository.
    has_packages: bool,
}

/// A part of a run that left no verdicts, or not all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostPart {
    /// The harness that the part belongs to.
    pub harness: String,
    /// The name of the part: `shard 2 of 3 of cheaper`.
    pub name: String,
    /// The verdicts that it left.
    pub problem: String,
    /// The command that runs the part again.
    pub rerun: String,
}

impl StoredRun {
    /// Opens one run: its folder `<out>/<run id>`, or the folders of its shards.
    ///
    /// If a trial has several verdicts, they are attempts at it, and the verdict of the last attempt in the last folder
    /// counts.
    pub fn open(folders: &[PathBuf]) -> Result<Self, RunError> {
        let mut index = TrialIndex::default();
        for folder in folders {
            index.add_run(folder)?;
        }
        let missing = index.missing;
        let torn = index.torn;
        let (manifests, trials) = index.into_parts();
        // The manifests are sorted by package, so that equal ones are neighbours.
        let mut packages: Vec<&str> = manifests.iter().map(|one| one.package.as_str()).collect();
        packages.dedup();
        let has_packages = packages.len() > 1;
        let run = describe_run(folders, &manifests, &trials, has_packages);
        Ok(Self { run, manifests, trials, lost: Vec::new(), missing, torn, has_packages })
    }

    /// Adds an undecided trial for a part of the run that did not leave all of its verdicts. A report of the other parts alone would
    /// look like that of a whole run.
    pub fn add_lost_part(&mut self, part: LostPart) {
        let LostPart { harness, name, problem, rerun } = part;
        let Some(manifest) = self.manifests.iter().find(|one| one.harness == harness) else { return };
        let cases = manifest.cases.strip_prefix(&manifest.package).unwrap_or(&manifest.cases);
        let at = Place::of_file(cases);
        let help = "its job may have been killed or have reached a limit: run it again, and merge all parts"
            .to_owned();
        let finding = Finding {
            status: Status::Undecided,
            unfit: Some(problem),
            undecided: Some(UndecidedCause::MissingEvidence),
            help: Some(help),
            ..Finding::empty(PART, &at)
        };
        let mut verdict = Verdict {
            status: Status::Undecided,
            harness,
            findings: vec![finding],
            rerun: Some(rerun),
            ..Verdict::empty(&name, at.locate())
        };
        if self.has_packages {
            verdict.rebase(&manifest.package);
        }
        self.lost.push(verdict);
    }

    /// Sets the earlier run that reports compare this one with.
    pub fn compared_with(mut self, earlier: Option<EarlierRun>) -> Self {
        self.run.earlier = earlier;
        self
    }

    /// Sets the last results of the trials in many runs.
    pub fn with_history(mut self, history: Option<RecentResults>) -> Self {
        self.run.history = history;
        self
    }

    /// The run as reports describe it.
    pub fn run(&self) -> &RunInfo {
        &self.run
    }

    /// The manifests of the run's harnesses.
    pub fn manifests(&self) -> &[RunManifest] {
        &self.manifests
    }

    /// The number of trials with a verdict.
    pub fn trials(&self) -> usize {
        self.trials.len()
    }

    /// The number of trials that were to run and have no verdict, because the run was interrupted or the log could not be
    /// written. Trials of nextest do not count: their number is unknown.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// The number of torn lines in the logs. Each of them is a lost verdict.
    pub fn torn(&self) -> usize {
        self.torn
    }

    /// Passes each trial's verdict to `visit`, in the order of the files and lines of the cases. Lost parts come first.
    pub fn visit_verdicts(&self, mut visit: impl FnMut(&Verdict)) -> Result<(), RunError> {
        self.lost.iter().for_each(&mut visit);
        self.trials.iter().try_for_each(|trial| self.read_verdict(trial).map(|verdict| visit(&verdict)))
    }

    /// The folder of the package that `verdict` comes from, relative to the root of the repository: empty, or with a `/` at
    /// the end.
    pub fn package_of(&self, verdict: &Verdict) -> &str {
        let own = self.manifests.iter().find(|own| own.harness == verdict.harness);
        own.map_or("", |own| &own.package)
    }

    fn read_verdict(&self, trial: &StoredTrial) -> Result<Verdict, RunError> {
        let verdict = trial.read_verdict()?;
        let mut verdict = gates::decide_gate(&self.trials, &verdict)?.unwrap_or(verdict);
        // Reports of a retried trial and of one that ran once differ only in the earlier attempts, if those ended differently.
        verdict.attempt = first_attempt();
        verdict.earlier_attempts = trial.earlier_attempts();
        if self.has_packages {
            verdict.rebase(self.package_of(&verdict));
        }
        Ok(verdict)
    }

    /// Writes the run's report in each of the `formats` below `out`, and returns the paths. Passes each verdict to `visit`
    /// as well.
    pub fn write_reports(
        &self,
        formats: &[FormatEntry],
        out: &Path,
        mut visit: impl FnMut(&Verdict),
    ) -> Result<Vec<PathBuf>, RunError> {
        let mut reports: Vec<Box<dyn ReportBuilder + '_>> =
            formats.iter().map(|format| (format.begin)(&self.run)).collect();
        // All reports grow together, so that each verdict is read from disk once and only one is in memory.
        self.visit_verdicts(|verdict| {
            for report in &mut reports {
                report.add_verdict(verdict);
            }
            visit(verdict);
        })?;
        let paths = formats.iter().map(|format| out.join(format.file));
        // Collecting twice writes every report before the first error is returned.
        let written: Vec<Result<PathBuf, RunError>> =
            paths.zip(reports).map(|(path, report)| write_report(path, &report.finish())).collect();
        written.into_iter().collect()
    }
}

/// Writes one report. The folder may not exist if no trial has written a verdict.
fn write_report(path: PathBuf, text: &str) -> Result<PathBuf, RunError> {
    match write_with_folder(&path, text.as_bytes()) {
        Ok(()) => Ok(path),
        Err(error) => Err(RunError::new(path, RunProblem::Unwritten(error.to_string()))),
    }
}

/// Combines the manifests of all harnesses and shards. The run started when the first of them did.
fn describe_run(
    folders: &[PathBuf],
    manifests: &[RunManifest],
    trials: &[StoredTrial],
    has_packages: bool,
) -> RunInfo {
    let first = manifests.iter().min_by_key(|one| one.started_ms);
    let mut run = first.map_or_else(|| RunInfo::new("", UNIX_EPOCH), RunManifest::to_run_info);
    run.id = join_ids(folders);
    run.rules.extend(manifests.iter().flat_map(|one| one.rules.clone()));
    run.skipped = find_skipped(manifests, trials, has_packages);
    run.selection = selection::merge_selections(manifests);
    // With several packages, no folder is that of the run.
    if has_packages {
        run.folder.clear();
    }
    run
}

/// Returns the trials that every shard has skipped. A shard with `--include-ignored` may have run some of them.
fn find_skipped(manifests: &[RunManifest], trials: &[StoredTrial], has_packages: bool) -> Vec<SkippedTrial> {
    // A shard skips what another one has run, so a trial is skipped only if no verdict has its name.
    let ran: HashSet<(&str, &str)> = trials.iter().map(StoredTrial::id).collect();
    let mut skipped: BTreeMap<(&str, &str), SkippedTrial> = BTreeMap::new();
    for one in manifests {
        let folder = if has_packages { one.package.as_str() } else { "" };
        for trial in &one.skipped {
            let id = (one.harness.as_str(), trial.name.as_str());
            if !ran.contains(&id) {
                skipped.insert(id, SkippedTrial { file: format!("{folder}{}", trial.file), ..trial.clone() });
            }
        }
    }
    skipped.into_values().collect()
}

/// Joins the ids of the folders. Shards can share one id, which appears once.
fn join_ids(folders: &[PathBuf]) -> String {
    let mut ids: Vec<String> = folders.iter().map(|folder| folder::run_id(folder)).collect();
    ids.dedup();
    ids.join("+")
}
