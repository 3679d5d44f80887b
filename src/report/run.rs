//! The facts about a run that reports show in addition to its verdicts.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::comparison::{TrialRuns, TrialStates};
use super::history::RecentResults;
use crate::case::Day;
use crate::outcome::Status;
use crate::verdict::summary::Selection;
use crate::verdict::{Attempt, Verdict};

const SECONDS_PER_DAY: u64 = 86_400;

/// The facts about one run.
#[derive(Debug, Clone)]
pub struct RunInfo {
    /// The run's id: the folder of its verdict logs.
    pub id: String,
    /// The start of the run.
    pub started: SystemTime,
    /// The package's folder below the root of its repository: empty, or ending with `/`. Places are relative to the
    /// package, code hosts expect paths relative to the repository.
    pub folder: String,
    /// The summary of each check, by name.
    pub rules: BTreeMap<String, String>,
    /// The trials that were skipped because their cases are ignored.
    pub skipped: Vec<SkippedTrial>,
    /// The selection of tier and tags.
    pub selection: Selection,
    /// The earlier run for a comparison, if one is given.
    pub earlier: Option<EarlierRun>,
    /// The last results of the trials in many runs, if a history is given.
    pub history: Option<RecentResults>,
}

/// The earlier run of a comparison.
#[derive(Debug, Clone, Default)]
pub struct EarlierRun {
    /// The id of the run, or the file of its report.
    pub name: String,
    /// The results of its trials.
    pub trials: TrialStates,
    /// The agent's calls and answers in the trials of the run.
    pub runs: TrialRuns,
    /// The number of trials that were to run and left no verdict, and of torn verdicts.
    pub lost: usize,
}

impl EarlierRun {
    /// The run `name`, without trials.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// The run `name` with these verdicts.
    pub fn from_verdicts(name: &str, verdicts: &[Verdict]) -> Self {
        let mut earlier = Self::new(name);
        for verdict in verdicts {
            earlier.add_verdict(verdict);
        }
        earlier
    }

    /// Adds the next verdict.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        self.trials.add_verdict(verdict);
        self.runs.add_verdict(verdict);
    }
}

/// A skipped trial.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SkippedTrial {
    /// The name of the trial.
    pub name: String,
    /// The file of the case.
    pub file: String,
    /// The reason, if the case gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl RunInfo {
    /// Describes a run of which only its id and its start are known.
    pub fn new(id: &str, started: SystemTime) -> Self {
        Self {
            id: id.to_owned(),
            started,
            folder: String::new(),
            rules: BTreeMap::new(),
            skipped: Vec::new(),
            selection: Selection::default(),
            earlier: None,
            history: None,
        }
    }

    /// Returns the start of the run in UTC, without a time zone: `2026-11-22T03:20:03`.
    pub fn started_utc(&self) -> String {
        render_utc(self.started)
    }

    /// Returns a file's path relative to the repository.
    pub fn below_repository(&self, file: &str) -> String {
        if is_absolute(file) { file.to_owned() } else { format!("{}{file}", self.folder) }
    }
}

/// Renders a time in UTC, without a time zone: `2026-11-22T03:20:03`.
pub(crate) fn render_utc(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    let second = seconds % SECONDS_PER_DAY;
    let day = Day::of_time(time);
    let hour = second / 3600;
    let minute = second / 60 % 60;
    let second = second % 60;
    format!("{day}T{hour:02}:{minute:02}:{second:02}")
}

/// Whether a file's name is an absolute path on any system: a report may be read on another one.
pub(super) fn is_absolute(file: &str) -> bool {
    file.starts_with('/') || file.get(1..3) == Some(":/")
}

/// The result of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TrialResult {
    /// The trial passed.
    #[serde(rename = "pass")]
    Passed,
    /// A check is violated, or the verdict is not the one that the case expects.
    #[serde(rename = "fail")]
    Failed,
    /// A failure that does not decide the run, because the case is quarantined.
    Quarantined,
    /// The evidence does not decide a check.
    Undecided,
    /// The trial could not be evaluated.
    Error,
}

impl TrialResult {
    /// Returns the result of a verdict.
    pub fn from_verdict(verdict: &Verdict) -> Self {
        if verdict.is_quarantined() { Self::Quarantined } else { Self::without_quarantine(verdict) }
    }

    /// Returns the result of a verdict as if no case were quarantined.
    pub(super) fn without_quarantine(verdict: &Verdict) -> Self {
        Self::from_attempt(Attempt { status: verdict.status, passed: verdict.passed })
    }

    /// Returns the result of one attempt.
    pub fn from_attempt(attempt: Attempt) -> Self {
        match attempt.status {
            _ if attempt.passed => Self::Passed,
            Status::Error => Self::Error,
            Status::Undecided => Self::Undecided,
            Status::Pass | Status::Fail => Self::Failed,
        }
    }

    /// Returns the result in a word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "pass",
            Self::Failed => "fail",
            Self::Quarantined => "quarantined",
            Self::Undecided => "undecided",
            Self::Error => "error",
        }
    }
}

/// The numbers of trials by result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Totals {
    /// All trials that ran.
    pub cases: usize,
    /// Trials that passed.
    pub passed: usize,
    /// Trials that failed.
    pub failed: usize,
    /// Trials that failed and do not decide the run, because their cases are quarantined.
    pub quarantined: usize,
    /// Trials that are undecided.
    pub undecided: usize,
    /// Trials that ended with an error.
    pub errors: usize,
    /// Trials that were skipped because their cases say so.
    pub skipped: usize,
}

impl Totals {
    /// Starts with the skipped trials of `run` only.
    pub fn new(run: &RunInfo) -> Self {
        Self { skipped: run.skipped.len(), ..Self::default() }
    }

    /// Counts a verdict.
    pub fn add_verdict(&mut self, verdict: &Verdict) {
        self.add_result(TrialResult::from_verdict(verdict));
    }

    /// Returns the number of trials that did not pass and decide the run.
    pub fn count_red(&self) -> usize {
        self.failed + self.undecided + self.errors
    }

    /// Describes the trials that passed in a run without red trials: `all 3 cases passed`.
    pub(super) fn describe_green(&self) -> String {
        let Self { cases, passed, quarantined, .. } = self;
        match (*cases, *quarantined) {
            (1, 0) => "the case passed".to_owned(),
            (1, _) => "the case is quarantined".to_owned(),
            (_, 0) => format!("all {cases} cases passed"),
            (_, 1) => format!("{passed} of {cases} cases passed, and 1 is quarantined"),
            _ => format!("{passed} of {cases} cases passed, and {quarantined} are quarantined"),
        }
    }

    pub(super) fn add_result(&mut self, result: TrialResult) {
        self.cases += 1;
        match result {
            TrialResult::Passed => self.passed += 1,
            TrialResult::Failed => self.failed += 1,
            TrialResult::Quarantined => self.quarantined += 1,
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
        RunInfo { folder: "crates/a/".into(), ..RunInfo::new("", started) }
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
