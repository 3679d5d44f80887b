//! The index of a run's trials and their attempts.
//!
//! A run can have more verdicts than fit in memory. So the index keeps of each verdict only what identifies and orders the
//! trials; the verdicts are read one by one when a report is written.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::folder::{list_logs, list_manifests, read_manifest};
use super::log::{VerdictLine, read_log};
use super::{RunError, RunProblem};
use crate::harness::record::manifest::RunManifest;
use crate::outcome::Status;
use crate::verdict::{Attempt, Verdict, first_attempt};

/// The trials of all folders added so far, by harness and name.
#[derive(Default)]
pub(super) struct TrialIndex {
    manifests: Vec<RunManifest>,
    trials: HashMap<(String, String), StoredTrial>,
    /// The number of trials without a verdict.
    pub(super) missing: usize,
    /// The number of torn lines in the logs.
    pub(super) torn: usize,
}

/// A trial with the places of its verdicts.
#[derive(Debug)]
pub(super) struct StoredTrial {
    harness: String,
    name: String,
    /// The file, line and column of the case.
    place: (PathBuf, usize, usize),
    /// The attempts in order.
    attempts: Vec<StoredAttempt>,
}

/// One attempt at a trial.
#[derive(Debug)]
struct StoredAttempt {
    number: u32,
    result: Attempt,
    line: VerdictLine,
}

/// The fields of a verdict that the index needs.
#[derive(Deserialize)]
struct VerdictHead {
    name: String,
    #[serde(default)]
    harness: String,
    case: CasePosition,
    #[serde(default = "first_attempt")]
    attempt: u32,
    status: Status,
    passed: bool,
}

#[derive(Deserialize)]
struct CasePosition {
    file: PathBuf,
    line: usize,
    column: usize,
}

impl TrialIndex {
    /// Adds the run in `folder`, which is the run itself or one of its shards.
    pub(super) fn add_run(&mut self, folder: &Path) -> Result<(), RunError> {
        let paths = list_manifests(folder);
        if paths.is_empty() {
            return Err(RunError::new(folder, RunProblem::NotARun));
        }
        let mut manifests: Vec<RunManifest> =
            paths.iter().map(|path| read_manifest(path)).collect::<Result<_, _>>()?;
        // The folder has an index of its own first: its manifests count the trials of this folder alone.
        let mut added = Self::default();
        for log in list_logs(folder)? {
            added.torn += read_log(&log, |head, line| added.add_verdict(head, line))?;
        }
        // The attempts of a trial come from several logs of one folder, in the order of the logs.
        // With several slots, a later attempt can be in an earlier log.
        added.trials.values_mut().for_each(|trial| trial.attempts.sort_by_key(|attempt| attempt.number));
        self.torn += added.torn;
        for manifest in &mut manifests {
            let own = added.trials.values().filter(|trial| trial.harness == manifest.harness);
            manifest.verdicts = own.count();
        }
        self.missing += manifests.iter().map(RunManifest::count_missing).sum::<usize>();
        self.manifests.extend(manifests);
        added.trials.into_values().for_each(|trial| self.add_trial(trial));
        Ok(())
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

    /// Adds a verdict of the folder that is read.
    fn add_verdict(&mut self, head: VerdictHead, line: VerdictLine) {
        let VerdictHead { name, harness, case, attempt: number, status, passed } = head;
        let place = (case.file, case.line, case.column);
        let key = (harness.clone(), name.clone());
        let trial = self.trials.entry(key).or_insert_with(|| StoredTrial {
            harness,
            name,
            place: place.clone(),
            attempts: Vec::new(),
        });
        let attempt = StoredAttempt { number, result: Attempt { status, passed }, line };
        // A second verdict of the same attempt replaces the first, as in a run with the id of an earlier one.
        match trial.attempts.iter_mut().find(|known| known.number == number) {
            Some(known) => *known = attempt,
            None => trial.attempts.push(attempt),
        }
        // Attempts of one trial are attempts at one case.
        trial.place = place;
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

impl StoredTrial {
    /// Reads the trial's verdict, which is that of the last attempt.
    pub(super) fn read_verdict(&self) -> Result<Verdict, RunError> {
        match self.attempts.last() {
            Some(attempt) => attempt.line.read_verdict(),
            None => Err(RunError::new("", RunProblem::NoRun)),
        }
    }

    /// The trial's harness and name.
    pub(super) fn id(&self) -> (&str, &str) {
        (&self.harness, &self.name)
    }

    /// The attempts before the last one; none if all attempts ended in the same way.
    pub(super) fn earlier_attempts(&self) -> Vec<Attempt> {
        let attempts: Vec<Attempt> = self.attempts.iter().map(|attempt| attempt.result).collect();
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
