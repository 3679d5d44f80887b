//! What a report says of the run as a whole, beside its verdicts.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::comparison::Trials;
use crate::outcome::Status;
use crate::verdict::summary::Selection;
use crate::verdict::{Attempt, Verdict};

const SECONDS_A_DAY: u64 = 86_400;

/// A run.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// Its id: the folder of its verdict files.
    pub id: String,
    /// When it began.
    pub started: SystemTime,
    /// The package's folder below the root of its repository: empty, or with a `/` at its end. Places are known
    /// by their paths below the package, a code host knows them below the repository.
    pub folder: String,
    /// What each check asks, by its name.
    pub rules: BTreeMap<String, String>,
    /// The trials that were not run because their cases say so.
    pub skipped: Vec<SkippedTrial>,
    /// What was asked for.
    pub selection: Selection,
    /// The run that it is compared with, where one is given.
    pub earlier: Option<EarlierRun>,
}

/// A run that another one is compared with.
#[derive(Debug, Clone, Default)]
pub struct EarlierRun {
    /// Its id, or the file of its report.
    pub name: String,
    /// How its trials ended.
    pub trials: Trials,
}

/// A trial that was not run.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SkippedTrial {
    /// Its name.
    pub name: String,
    /// The file of its case.
    pub file: String,
    /// Why, where the case says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RunInfo {
    /// When it began, in UTC, without a time zone: `2026-11-22T03:20:03`.
    pub fn started_utc(&self) -> String {
        let seconds = self.started.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
        let (year, month, day) = date_of_day(seconds / SECONDS_A_DAY);
        let second = seconds % SECONDS_A_DAY;
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }

    /// A file's path below the repository.
    pub fn below_repository(&self, file: &str) -> String {
        if is_absolute(file) { file.to_owned() } else { format!("{}{file}", self.folder) }
    }
}

/// Whether a file's name is its whole path: on any system, since a report may be read on another one.
pub(super) fn is_absolute(file: &str) -> bool {
    file.starts_with('/') || file.get(1..3) == Some(":/")
}

/// Year, month and day of a day since 1970, in the calendar that begins its years in March: leap days come last.
fn date_of_day(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

/// What became of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrialResult {
    /// It passed.
    #[serde(rename = "pass")]
    Passed,
    /// Something is violated, or the verdict is not the one that its case expects.
    #[serde(rename = "fail")]
    Failed,
    /// The evidence is silent.
    Undecided,
    /// No answer could be had.
    Error,
}

impl TrialResult {
    /// That of a verdict.
    pub fn from_verdict(verdict: &Verdict) -> Self {
        Self::from_attempt(Attempt { status: verdict.status, passed: verdict.passed })
    }

    /// That of one attempt.
    pub fn from_attempt(attempt: Attempt) -> Self {
        match attempt.status {
            _ if attempt.passed => Self::Passed,
            Status::Error => Self::Error,
            Status::Undecided => Self::Undecided,
            Status::Pass | Status::Fail => Self::Failed,
        }
    }

    /// In a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Failed => "fail",
            Self::Undecided => "undecided",
            Self::Error => "error",
        }
    }
}

/// How many trials ended in which way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// All that ran.
    pub cases: usize,
    /// Those that passed.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those that could not be decided.
    pub undecided: usize,
    /// Those that had no answer.
    pub errors: usize,
    /// Those that did not run, as their cases say.
    pub skipped: usize,
}

impl Totals {
    /// Those of a run of which nothing has ended.
    pub fn new(run: &RunInfo) -> Self {
        Self { skipped: run.skipped.len(), ..Self::default() }
    }

    /// Counts a verdict.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        self.add_result(TrialResult::from_verdict(verdict));
    }

    pub(super) fn add_result(&mut self, standing: TrialResult) {
        self.cases += 1;
        match standing {
            TrialResult::Passed => self.passed += 1,
            TrialResult::Failed => self.failed += 1,
            TrialResult::Undecided => self.undecided += 1,
            TrialResult::Error => self.errors += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn run(seconds: u64) -> RunInfo {
        let started = UNIX_EPOCH + Duration::from_secs(seconds);
        RunInfo {
            id: String::new(),
            started,
            folder: "crates/a/".into(),
            rules: BTreeMap::new(),
            skipped: Vec::new(),
            selection: Selection::default(),
            earlier: None,
        }
    }

    #[test]
    fn seconds_are_a_date() {
        let dates =
            [0, 951_782_400, 951_868_799, 1_795_231_203, 4_107_542_400].map(|at| run(at).started_utc());
        let expected = [
            "1970-01-01T00:00:00",
            "2000-02-29T00:00:00",
            "2000-02-29T23:59:59",
            "2026-11-21T03:20:03",
            "2100-03-01T00:00:00",
        ];
        assert_eq!(dates, expected);
    }

    #[test]
    fn only_paths_below_the_package_are_moved() {
        let run = run(0);
        let moved = ["evals/a.yaml", "/tmp/a.yaml", "C:/a.yaml"].map(|file| run.below_repository(file));
        assert_eq!(moved, ["crates/a/evals/a.yaml", "/tmp/a.yaml", "C:/a.yaml"]);
    }
}
