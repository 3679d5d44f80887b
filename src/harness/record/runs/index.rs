//! Which trials a run holds, and which attempts each of them had: verdicts are read whole one by one, later.

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

/// What the folder of a later attempt is called, with its number at the end.
const ATTEMPT: &str = "attempt-";

/// The trials of all folders so far.
#[derive(Default)]
pub(super) struct TrialIndex {
    beginnings: Vec<RunManifest>,
    trials: HashMap<(String, String), StoredTrial>,
    missing: usize,
}

/// A trial: where its verdicts are, the last one last.
#[derive(Debug)]
pub(super) struct StoredTrial {
    harness: String,
    name: String,
    /// Where its case stands.
    place: (PathBuf, usize, usize),
    attempts: Vec<(PathBuf, Attempt)>,
}

/// Of a verdict, what tells trials and their attempts apart.
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
    /// Adds the run in `folder`.
    pub(super) fn add_run(&mut self, folder: &Path) -> Result<(), RunError> {
        let began = list_manifests(folder);
        if began.is_empty() {
            return Err(RunError::new(folder, RunProblem::NotARun));
        }
        let began: Vec<RunManifest> = began.iter().map(|path| read_json(path)).collect::<Result<_, _>>()?;
        let mut one = Self::default();
        one.add_harness(folder)?;
        let harnesses = list_folder(folder)?.into_iter().filter(|entry| is_harness(entry));
        harnesses.into_iter().try_for_each(|folder| one.add_harness(&folder))?;
        self.missing += began.iter().map(|began| one.missing_of(began)).sum::<usize>();
        self.beginnings.extend(began);
        one.trials.into_values().for_each(|trial| self.add_trial(trial));
        Ok(())
    }

    /// How many trials of a harness left no verdict.
    fn missing_of(&self, began: &RunManifest) -> usize {
        let of_it = self.trials.values().filter(|trial| trial.harness == began.harness).count();
        began.trials.map_or(0, |trials| trials.saturating_sub(of_it))
    }

    /// A trial of several folders was tried in each of them.
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

    /// The first attempts, then the later ones by their numbers.
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
            let new = || StoredTrial { harness, name, place: place.clone(), attempts: Vec::new() };
            let trial = self.trials.entry(key).or_insert_with(new);
            trial.attempts.push((path, Attempt { status, passed }));
            trial.place = place;
        }
        Ok(())
    }

    /// How many trials left no verdict.
    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    /// All of them, the trials in the order of a report.
    pub(super) fn into_parts(self) -> (Vec<RunManifest>, Vec<StoredTrial>) {
        let Self { mut beginnings, trials, .. } = self;
        beginnings.sort_by(|one, other| one.package.cmp(&other.package));
        let mut trials: Vec<StoredTrial> = trials.into_values().collect();
        trials.sort_by(StoredTrial::in_order);
        (beginnings, trials)
    }
}

/// A folder of verdicts that is not one of attempts.
fn is_harness(entry: &Path) -> bool {
    entry.is_dir() && attempt_number(entry).is_none() && !entry.ends_with(MANIFESTS)
}

fn attempt_number(folder: &Path) -> Option<u32> {
    folder.file_name()?.to_str()?.strip_prefix(ATTEMPT)?.parse().ok()
}

impl StoredTrial {
    /// The file of its verdict: the last one counts.
    pub(super) fn verdict_path(&self) -> &Path {
        self.attempts.last().map_or(Path::new(""), |(path, _)| path)
    }

    /// Its harness and its name.
    pub(super) fn id(&self) -> (&str, &str) {
        (&self.harness, &self.name)
    }

    /// The attempts before the last one, where not all ended in the same way.
    pub(super) fn earlier_attempts(&self) -> Vec<Attempt> {
        let ended: Vec<Attempt> = self.attempts.iter().map(|(_, attempt)| *attempt).collect();
        let Some((last, earlier)) = ended.split_last() else { return Vec::new() };
        if earlier.iter().all(|attempt| attempt == last) { Vec::new() } else { earlier.to_vec() }
    }

    /// By their cases' files and lines. The runs of one case differ in a number at the end of their names.
    fn in_order(&self, other: &Self) -> Ordering {
        let by_place = (&self.harness, &self.place).cmp(&(&other.harness, &other.place));
        by_place.then_with(|| (self.name.len(), &self.name).cmp(&(other.name.len(), &other.name)))
    }
}
