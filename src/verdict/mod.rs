//! The verdict of one trial: everything that a report needs, as plain data.
//!
//! Every trial writes its verdict to a JSON file. Reports are rendered from these files.

mod attack;
mod details;
mod files;
mod mutation;
pub(crate) mod rebase;
pub(crate) mod rerun;
pub(crate) mod summary;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::json::{Json, JsonMap};
use crate::outcome::{Item, LocatedViolation, Loss, Score, Status, UndecidedCause};
use crate::place::Place;
use crate::score::Effect;
use crate::trace::{CallStatus, Ended, Rewards, Usage};

use crate::case::QuarantineEntry;
pub use crate::case::{MutationSort, Tier};
pub use crate::place::Location;
pub use crate::score::statistics::{Estimate, Flakiness, Interval, Label, Spread, Statistics};
pub use crate::score::{Card, CardPart};
pub use attack::TrialAttack;
pub use details::{CallDetails, RunDetails};
pub use files::{FileSummary, WorkspaceSummary};
pub use mutation::{CaseMutation, MutantFate, MutantResult, RunMutation};
pub(crate) use rerun::{Rerun, quoted};

/// The version of the JSON form of a verdict. It changes when a field changes its meaning or is removed.
pub const SCHEMA_VERSION: u32 = 1;

/// The result of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// The version of the JSON form: [`SCHEMA_VERSION`].
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    pub schema_version: u32,
    /// The trial's name.
    pub name: String,
    /// The variant of the agent that the trial ran. `None` if the case has no variants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The trial's name without its variant, where the two names differ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_name: Option<String>,
    /// The attack that the trial made on the agent of the case (`cargo arraign attack`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attack: Option<Box<TrialAttack>>,
    /// The harness that ran the trial: the folder of its cases, relative to the root of the repository, and `@` with the test
    /// target if that has another name. Two harnesses may have trials of the same name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// The suite of the case, which is the prefix of its trials' names. Empty for a gate, which sums up other trials.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// The place of the case.
    pub case: Location,
    /// The row of values that fills the case, if its file writes several cases as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Box<Location>>,
    /// A hash of the case as it is written, with its row. Defaults of its suite and included files are not part of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub case_hash: Option<String>,
    /// The case's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The data that the case has for its own users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonMap>,
    /// The case's tier.
    pub tier: Tier,
    /// The case's tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The worst status of the findings.
    pub status: Status,
    /// The status that was expected.
    pub expected: Status,
    /// Whether the trial passes.
    pub passed: bool,
    /// The mean of the scorecards, as a share of the full score. Without scorecards, the mean score of the findings.
    pub score: Score,
    /// The findings of the checks, run by run, in the order of the case.
    pub findings: Vec<Finding>,
    /// The case's scorecards, run by run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scorecards: Vec<Card>,
    /// The figures of several runs, if the case repeats runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// The runs that were evaluated.
    pub runs: Vec<RunSummary>,
    /// Whether the agent was asked anew for this trial. Otherwise its runs, or the answers of its model, are recorded.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub live: bool,
    /// The number of recorded runs that `repeat` leaves out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub runs_left_out: usize,
    /// Why the case could not be evaluated, such as an unreadable trace, a timeout or a panic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TrialError>,
    /// The mutants of the case, if the run tried them (`ARRAIGN_MUTATE=1`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mutation: Option<Box<CaseMutation>>,
    /// The difference between the violations and the snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_diff: Option<String>,
    /// Whether the snapshot that the violations differ from is that of the baseline, which a variant does not change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_snapshot: bool,
    /// The number of violations with which the trial passes, because a snapshot holds them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub pinned: usize,
    /// The quarantine of the case, if the trial does not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Box<TrialQuarantine>>,
    /// The number of the attempt at the trial, if a runner retried it. The verdict of the last attempt counts.
    #[serde(default = "first_attempt", skip_serializing_if = "is_first_attempt")]
    pub attempt: u32,
    /// The earlier attempts at the trial, if a runner retried it and the attempts ended differently. Only reports contain
    /// them, because a line of the log is about one attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_attempts: Vec<Attempt>,
    /// The command that runs the trial alone, if it is not `cargo test --test evals`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
    /// The duration of the trial, in milliseconds.
    pub duration_ms: f64,
}

impl Verdict {
    /// An empty verdict for `name`, with status `error`.
    pub fn empty(name: &str, case: Location) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            name: name.to_owned(),
            variant: None,
            case_name: None,
            attack: None,
            harness: String::new(),
            suite: String::new(),
            case,
            row: None,
            case_hash: None,
            description: None,
            metadata: None,
            tier: Tier::Full,
            tags: Vec::new(),
            status: Status::Error,
            expected: Status::Pass,
            passed: false,
            score: Score::ZERO,
            findings: Vec::new(),
            scorecards: Vec::new(),
            statistics: None,
            runs: Vec::new(),
            live: false,
            runs_left_out: 0,
            errors: Vec::new(),
            mutation: None,
            snapshot_diff: None,
            shares_snapshot: false,
            pinned: 0,
            quarantine: None,
            attempt: first_attempt(),
            earlier_attempts: Vec::new(),
            rerun: None,
            duration_ms: 0.0,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The number of an attempt that no other preceded.
pub(crate) const fn first_attempt() -> u32 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_first_attempt(attempt: &u32) -> bool {
    *attempt == first_attempt()
}

/// The result of one attempt at a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Attempt {
    /// The status of the attempt.
    pub status: Status,
    /// Whether the trial passed.
    pub passed: bool,
}

impl Attempt {
    /// An attempt that ended with `status`.
    pub fn new(status: Status, passed: bool) -> Self {
        Self { status, passed }
    }
}

/// The entry of `quarantine.yaml` that means a trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TrialQuarantine {
    /// The last day of the quarantine, in UTC: `2026-12-20`.
    pub until: String,
    /// Why the case is quarantined.
    pub reason: String,
    /// Who ends the quarantine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// Why the trial decides the run nevertheless. `None`: a failure does not decide the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lapse: Option<String>,
    /// Why the file of the case is not compared with that of the base branch, although the run asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
}

impl TrialQuarantine {
    /// Takes the entry `entry`, whose quarantine lasts.
    pub fn new(entry: &QuarantineEntry) -> Self {
        Self {
            until: entry.until.to_string(),
            reason: entry.reason.clone(),
            owner: entry.owner.clone(),
            lapse: None,
            unchecked: None,
        }
    }
}

/// Why a case could not be evaluated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TrialError {
    /// The message. Further lines are causes.
    pub message: String,
    /// The setting in the case's file that the error is about.
    pub at: Location,
}

/// The result of one check on one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The check's name.
    #[serde(rename = "metric")]
    pub check: String,
    /// The status of the check.
    pub status: Status,
    /// The effect of a violation on the case.
    #[serde(rename = "stake", default, skip_serializing_if = "Effect::is_default")]
    pub effect: Effect,
    /// The index of the run in [`Verdict::runs`].
    pub run: usize,
    /// The turn of the conversation that the check is about, from 1. `None` for the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// Whether the finding is about all runs together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_all_runs: bool,
    /// The place of the check in the case's file.
    pub at: Location,
    /// The score of the check.
    pub score: Score,
    /// The violations.
    pub violations: Vec<LocatedViolation>,
    /// Why the check could not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// Why an undecided check could not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undecided: Option<UndecidedCause>,
    /// Advice if the check could not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The calls, rules or assertions that were examined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// The lost points, with reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
    /// Counts for reports.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stats: BTreeMap<String, u64>,
    /// Values extracted from the evidence, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Json>,
    /// The duration of the check, in milliseconds.
    pub duration_ms: f64,
}

impl Finding {
    /// Whether the finding violates a hard gate, after which nothing else counts.
    pub(crate) fn is_broken_gate(&self) -> bool {
        self.effect == Effect::Gate && self.status == Status::Fail
    }

    /// An empty finding of `check`, whose setting is at `place`, with status `error`.
    pub(crate) fn empty(check: &str, place: &Place) -> Self {
        Self::empty_at(check, place.locate())
    }

    /// An empty finding of `check` at this location, with status `error`.
    #[doc(hidden)]
    pub fn empty_at(check: &str, at: Location) -> Self {
        Self {
            check: check.to_owned(),
            status: Status::Error,
            effect: Effect::Fail,
            run: 0,
            turn: None,
            of_all_runs: false,
            at,
            score: Score::ZERO,
            violations: Vec::new(),
            unfit: None,
            undecided: None,
            help: None,
            items: Vec::new(),
            losses: Vec::new(),
            stats: BTreeMap::new(),
            values: BTreeMap::new(),
            duration_ms: 0.0,
        }
    }
}

/// The summary of one run for reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RunSummary {
    /// The trace's file; `None` for a trace written in the case.
    pub file: Option<String>,
    /// The format of the trace.
    pub format: String,
    /// The hash of the evidence: of the trace, or of the recorded answers of the model if the agent ran on them. Two verdicts on
    /// the same evidence differ only because the case, a check or the agent's own code changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_hash: Option<String>,
    /// The status of this run alone, by the case's own thresholds. Several runs together, or the gate of the suite, may decide
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// The score of this run alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The calls, up to the 10,000th.
    pub calls: Vec<CallSummary>,
    /// The number of calls after those.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub calls_left_out: usize,
    /// The final answer, truncated for reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tokens used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The cost in US dollars: the recorded one, or else by the suite's prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The duration of the run, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// How the run ended, if its trace says so.
    #[serde(default, skip_serializing_if = "Ended::is_unknown")]
    pub ended: Ended,
    /// What a verifier gave the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rewards: Option<Box<Rewards>>,
    /// What the run did to the files of its workspace, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace: Option<Box<WorkspaceSummary>>,
    /// The steps of the run, in a trial that does not pass, and in each trial of a run that writes HTML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<RunDetails>,
}

/// The summary of one call for reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CallSummary {
    /// The call's number, from 1.
    pub index: usize,
    /// The assistant turn of the call.
    pub turn: usize,
    /// The tool.
    pub name: String,
    /// The name as the host wrote it, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
    /// The arguments as compact JSON, truncated for reports.
    pub arguments: String,
    /// How the call ended.
    pub status: CallStatus,
}

impl RunSummary {
    /// Returns the number of calls that the run made.
    pub fn count_calls(&self) -> usize {
        self.calls.len() + self.calls_left_out
    }
}

impl CallSummary {
    /// Renders the name of the tool, with the written name where it differs: `get_order (mcp__shop__get_order)`.
    pub(crate) fn render_name(&self) -> Cow<'_, str> {
        match &self.written {
            Some(written) => format!("{} ({written})", self.name).into(),
            None => self.name.as_str().into(),
        }
    }

    /// Creates the call number `index`, in its own turn and without arguments.
    pub fn new(index: usize, name: impl Into<String>, status: CallStatus) -> Self {
        Self { index, turn: index, name: name.into(), written: None, arguments: String::new(), status }
    }
}

impl Verdict {
    /// Returns the name of the case: that of the trial, without its variant.
    pub fn get_case_name(&self) -> &str {
        self.case_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether the trial failed and does not decide the run, because its case is quarantined. An error and an undecided trial
    /// always decide.
    pub fn is_quarantined(&self) -> bool {
        let has_failed = !self.passed && matches!(self.status, Status::Pass | Status::Fail);
        has_failed && self.quarantine.as_ref().is_some_and(|quarantine| quarantine.lapse.is_none())
    }

    /// Returns all violations, in order.
    pub fn violations(&self) -> impl Iterator<Item = &LocatedViolation> {
        self.findings.iter().flat_map(|finding| &finding.violations)
    }
}
