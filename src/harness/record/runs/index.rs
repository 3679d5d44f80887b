//! The index of a run's trials and their attempts.
//!
//! A run can have more verdicts than fit in memory. So the index keeps of each verdict only what identifies and orders the
//! trials; the verdicts are read one by one when a report is written.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::folder::{Versioned, is_json, list_folder, list_manifests, read_json};
use super::{RunError, RunProblem};
use crate::harness::record::manifest::{MANIFESTS, RunManifest};
use crate::outcome::Status;
use crate::verdict::{Attempt, SCHEMA_VERSION};

/// The prefix of the folder of a later attempt, before its number.
const ATTEMPT: &str = "attempt-";

/// The trials of all folders added so far, by harness and name.
#[derive(Default)]
pub(super) struct TrialIndex {
    manifests: Vec<RunManifest>,
    trials: HashMap<(String, String), StoredTrial>,
    missing: usize,
}

/// A trial with the files of its verdicts.
#[derive(Debug)]
pub(super) struct StoredTrial {
    harness: String,
    name: String,
    /// The file, line and column of the case.
    place: (PathBuf, usize, usize),
    /// The attempts in order, each with its file.
    attempts: Vec<(PathBuf, Attempt)>,
}

/// The fields of a verdict that the index needs.
#[derive(Deserialize)]
struct VerdictHead {
    schema_version: u32,
    name: String,
    #[serde(default)]
    harness: String,
    case: CasePosition,
    status: Status,
    passed: bool,
}

#[derive(Deserialize)]
struct CasePosition {
    file: PathBuf,
    line: usize,
    column: usize,
}

impl Versioned for VerdictHead {
    const KNOWN: u32 = SCHEMA_VERSION;

    fn version(&self) -> u32 {
        self.schema_version
    }
}

impl TrialIndex {
    /// Adds the run in `folder`, which is the run itself or one of its shards.
    pub(super) fn add_run(&mut self, folder: &Path) -> Result<(), RunError> {
        let paths = list_manifests(folder);
        if paths.is_empty() {
            return Err(RunError::new(folder, RunProblem::NotARun));
        }
        let manifests: Vec<RunManifest> =
            paths.iter().map(|path| read_json(path)).collect::<Result<_, _>>()?;
        // The folder has an index of its own first: its manifests count the trials of this folder alone.
        let mut added = Self::default();
        added.add_harness(folder)?;
        for harness in list_folder(folder)?.iter().filter(|entry| is_harness(entry)) {
            added.add_harness(harness)?;
        }
        self.missing += manifests.iter().map(|manifest| added.count_missing(manifest)).sum::<usize>();
        self.manifests.extend(manifests);
        added.trials.into_values().for_each(|trial| self.add_trial(trial));
        Ok(())
    }

    /// Counts the trials of a harness that were to run and have no verdict.
    fn count_missing(&self, manifest: &RunManifest) -> usize {
        let stored = self.trials.values().filter(|trial| trial.harness == manifest.harness).count();
        manifest.trials.map_or(0, |trials| trials.saturating_sub(stored))
    }

    /// Adds a trial. If another folder contains the same trial, both verdicts are attempts at it.
    fn add_trial(&mut self, new: StoredTrial) {
        match self.trials.entry((new.harness.clone(), new.name.clone())) {
            Entry::Vacant(vacant) => drop(vacant.insert(new)),
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.attempts.extend(new.attempts);
                known.place = new.place;
            }
        }
    }

    /// Adds the verdicts of one harness: the first attempts, then the later ones by their numbers.
    fn add_harness(&mut self, folder: &Path) -> Result<(), RunError> {
        self.add_attempt(folder)?;
        let mut later: Vec<(u32, PathBuf)> = list_folder(folder)?
            .into_iter()
            .filter_map(|entry| Some((attempt_number(&entry)?, entry)))
            .collect();
        later.sort();
        later.iter().try_for_each(|(_, folder)| self.add_attempt(folder))
    }

    fn add_attempt(&mut self, folder: &Path) -> Result<(), RunError> {
        for path in list_folder(folder)?.into_iter().filter(|path| is_json(path)) {
            let VerdictHead { name, harness, case, status, passed, .. } = read_json(&path)?;
            let place = (case.file, case.line, case.column);
            let key = (harness.clone(), name.clone());
            let trial = self.trials.entry(key).or_insert_with(|| StoredTrial {
                harness,
                name,
                place: place.clone(),
                attempts: Vec::new(),
            });
            trial.attempts.push((path, Attempt { status, passed }));
            // The last attempt is the one that reports show, so its place is the one that orders them.
            trial.place = place;
        }
        Ok(())
    }

    /// The number of trials without a verdict.
    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    /// Returns the manifests, and the trials in the order of a report.
    pub(super) fn into_parts(self) -> (Vec<RunManifest>, Vec<StoredTrial>) {
        let Self { mut manifests, trials, .. } = self;
        manifests.sort_by(|one, other| one.package.cmp(&other.package));
        let mut trials: Vec<StoredTrial> = trials.into_values().collect();
        trials.sort_by(StoredTrial::compare_order);
        (manifests, trials)
    }
}

/// Whether `entry` is the folder of a harness: any folder but those of attempts and manifests.
fn is_harness(entry: &Path) -> bool {
    entry.is_dir() && attempt_number(entry).is_none() && !entry.ends_with(MANIFESTS)
}

fn attempt_number(folder: &Path) -> Option<u32> {
    folder.file_name()?.to_str()?.strip_prefix(ATTEMPT)?.parse().ok()
}

impl StoredTrial {
    /// The file of the trial's verdict, which is that of the last attempt.
    pub(super) fn verdict_path(&self) -> &Path {
        self.attempts.last().map_or(Path::new(""), |(path, _)| path)
    }

    /// The trial's harness and name.
    pub(super) fn id(&self) -> (&str, &str) {
        (&self.harness, &self.name)
    }

    /// The attempts before the last one; none if all attempts ended in the same way.
    pub(super) fn earlier_attempts(&self) -> Vec<Attempt> {
        let attempts: Vec<Attempt> = self.attempts.iter().map(|(_, attempt)| *attempt).collect();
        let Some((last, earlier)) = attempts.split_last() else { return Vec::new() };
        if earlier.iter().all(|attempt| attempt == last) { Vec::new() } else { earlier.to_vec() }
    }

    /// Orders trials by the places of their cases. The runs of one case differ in the number at the end of their names, so
    /// a shorter name comes first: `run_9` before `run_10`.
    fn compare_order(&self, other: &Self) -> Ordering {
        let by_place = (&self.harness, &self.place).cmp(&(&other.harness, &other.place));
        by_place.then_with(|| (self.name.len(), &self.name).cmp(&(other.name.len(), &other.name)))
    }
}
