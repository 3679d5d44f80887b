//! Runs that have ended, read back from their verdict files: what one process left, what nextest's processes left
//! together, and what the shards of several machines did.
//!
//! ```no_run
//! use arraign::__internals::harness::runs::{self, StoredRun};
//! use arraign::__internals::report::FORMATS;
//! use std::path::Path;
//!
//! let out = Path::new("target/arraign");
//! let run = StoredRun::open(&[runs::newest(out)?])?;
//! let written = run.write(FORMATS, out, |_| ())?;
//! # Ok::<(), arraign::__internals::harness::runs::RunError>(())
//! ```

mod error;
mod folder;
mod index;
mod selection;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

pub use super::manifest::RunManifest;
pub use error::{RunError, RunProblem};
pub use folder::newest;

use self::index::{StoredTrial, TrialIndex};
use crate::report::{EarlierRun, FormatEntry, ReportBuilder, RunInfo, SkippedTrial};
use crate::source::write_whole;
use crate::verdict::Verdict;

/// A run, or several that are one.
#[derive(Debug)]
pub struct StoredRun {
    run: RunInfo,
    beginnings: Vec<RunManifest>,
    trials: Vec<StoredTrial>,
    missing: usize,
    /// Its packages are several: paths begin at the root of the repository.
    is_moved: bool,
}

impl StoredRun {
    /// Reads the run folders (`<out>/<run id>`) of one run: one, or those of its shards. A trial that left several
    /// verdicts was tried several times: the last one counts, that of the last attempt in the last folder.
    pub fn open(folders: &[PathBuf]) -> Result<Self, RunError> {
        let mut index = TrialIndex::default();
        for folder in folders {
            index.add_run(folder)?;
        }
        let missing = index.missing();
        let (beginnings, trials) = index.into_parts();
        let mut packages: Vec<&str> = beginnings.iter().map(|one| one.package.as_str()).collect();
        packages.dedup();
        let is_moved = packages.len() > 1;
        let run = run_of(folders, &beginnings, &trials, is_moved);
        Ok(Self { run, beginnings, trials, missing, is_moved })
    }

    /// The same run, compared with an earlier one.
    pub fn compared_with(mut self, earlier: Option<EarlierRun>) -> Self {
        self.run.earlier = earlier;
        self
    }

    /// The run, as reports know it.
    pub fn run(&self) -> &RunInfo {
        &self.run
    }

    /// How its harnesses began.
    pub fn beginnings(&self) -> &[RunManifest] {
        &self.beginnings
    }

    /// How many trials left a verdict.
    pub fn trials(&self) -> usize {
        self.trials.len()
    }

    /// How many trials were to run and left no verdict: the run was interrupted, or they could not write it. Of trials
    /// that are processes of their own nobody knows.
    pub fn missing(&self) -> usize {
        self.missing
    }

    /// Shows each trial's verdict to `look`, one after the other, in the order of the files and lines of their cases.
    pub fn each(&self, mut look: impl FnMut(&Verdict)) -> Result<(), RunError> {
        self.trials.iter().try_for_each(|trial| self.read_verdict(trial).map(|verdict| look(&verdict)))
    }

    /// The folder of the package whose harness gave `verdict`, from the root of the repository: empty, or with a `/` at
    /// its end.
    pub fn package_of(&self, verdict: &Verdict) -> &str {
        self.beginning_of(verdict).map_or("", |own| &own.package)
    }

    fn beginning_of(&self, verdict: &Verdict) -> Option<&RunManifest> {
        self.beginnings.iter().find(|own| own.harness == verdict.harness)
    }

    fn read_verdict(&self, trial: &StoredTrial) -> Result<Verdict, RunError> {
        let mut verdict: Verdict = folder::read_json(trial.verdict_path())?;
        verdict.earlier_attempts = trial.earlier_attempts();
        if self.is_moved {
            verdict.rebase(self.package_of(&verdict));
        }
        Ok(verdict)
    }

    /// Writes its report in each of the `formats` below `out`, and says where they are. Each is written, whatever
    /// became of the one before it. On the way each verdict is shown to `look`.
    pub fn write(
        &self,
        formats: &[FormatEntry],
        out: &Path,
        mut look: impl FnMut(&Verdict),
    ) -> Result<Vec<PathBuf>, RunError> {
        let mut reports: Vec<Box<dyn ReportBuilder + '_>> =
            formats.iter().map(|format| (format.begin)(&self.run)).collect();
        self.each(|verdict| {
            for report in &mut reports {
                report.add_verdict(verdict);
            }
            look(verdict);
        })?;
        let paths = formats.iter().map(|format| out.join(format.file));
        let written: Vec<Result<PathBuf, RunError>> =
            paths.zip(reports).map(|(path, report)| write_report(path, &report.finish())).collect();
        written.into_iter().collect()
    }
}

/// Where no trial ran, no verdict has made the folder.
fn write_report(path: PathBuf, text: &str) -> Result<PathBuf, RunError> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    match folder.and_then(|()| write_whole(&path, text.as_bytes())) {
        Ok(()) => Ok(path),
        Err(error) => Err(RunError::new(path, RunProblem::Unwritten(error.to_string()))),
    }
}

/// What the beginnings of all shards come to: it began when the first of them did.
fn run_of(
    folders: &[PathBuf],
    beginnings: &[RunManifest],
    trials: &[StoredTrial],
    is_moved: bool,
) -> RunInfo {
    let first = beginnings.iter().min_by_key(|one| one.started_ms);
    let mut run = first.map_or_else(folder::unknown_run, RunManifest::to_run);
    run.id = id_of(folders);
    run.rules.extend(beginnings.iter().flat_map(|one| one.rules.clone()));
    run.skipped = skipped_everywhere(beginnings, trials, is_moved);
    run.selection = selection::merge_selections(beginnings);
    if is_moved {
        run.folder.clear();
    }
    run
}

/// The trials that no shard has run.
fn skipped_everywhere(
    beginnings: &[RunManifest],
    trials: &[StoredTrial],
    is_moved: bool,
) -> Vec<SkippedTrial> {
    let ran: HashSet<(&str, &str)> = trials.iter().map(StoredTrial::id).collect();
    let mut skipped: BTreeMap<(&str, &str), SkippedTrial> = BTreeMap::new();
    for one in beginnings {
        let folder = if is_moved { one.package.as_str() } else { "" };
        for trial in &one.skipped {
            let id = (one.harness.as_str(), trial.name.as_str());
            if !ran.contains(&id) {
                skipped.insert(id, SkippedTrial { file: format!("{folder}{}", trial.file), ..trial.clone() });
            }
        }
    }
    skipped.into_values().collect()
}

/// The names of the folders; those of shards that were given one id are one.
fn id_of(folders: &[PathBuf]) -> String {
    let mut ids: Vec<String> = folders.iter().map(|folder| folder::run_id(folder)).collect();
    ids.dedup();
    ids.join("+")
}
