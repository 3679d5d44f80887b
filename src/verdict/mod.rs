//! The verdict of one trial: all that any report needs, as plain data.
//!
//! Every trial leaves one as a JSON file; reports are rendered from these, whichever process wrote them.

mod details;
mod rebase;
pub(crate) mod rerun;
pub(crate) mod summary;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::outcome::{Item, LocatedViolation, Loss, Score, Status};
use crate::place::Place;
use crate::score::Effect;
use crate::trace::{CallStatus, Usage};

pub use crate::case::Tier;
pub use crate::place::Location;
pub use crate::score::statistics::{Estimate, Flakiness, Interval, Label, Spread, Statistics};
pub use crate::score::{Card, CardPart};
pub use details::{CallDetails, RunDetails};
pub(crate) use rerun::{Rerun, quoted};

/// The version of the JSON that a verdict is written as. It changes when a field changes its meaning or goes.
pub const SCHEMA_VERSION: u32 = 1;

/// What became of one trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// The version of this form: [`SCHEMA_VERSION`].
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    pub schema_version: u32,
    /// The trial's name.
    pub name: String,
    /// The harness that ran it: the folder of its cases, from the root of the repository, and `@` with its test target
    /// where that has another name. Two targets may have trials of one name.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub harness: String,
    /// The suite of its case: what the names of its trials begin with. That of a gate, which sums up other trials, has
    /// none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub suite: String,
    /// Where the case stands.
    pub case: Location,
    /// What the case is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// When it runs.
    pub tier: Tier,
    /// The case's tags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The worst status of its findings.
    pub status: Status,
    /// The status that was expected.
    pub expected: Status,
    /// Whether the trial passes.
    pub passed: bool,
    /// The mean of its scorecards, as a share of the full score; of a case without one, the mean score of its findings.
    pub score: Score,
    /// What each check found, in the case's order, run by run.
    pub findings: Vec<Finding>,
    /// The case's scorecards, run by run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scorecards: Vec<Card>,
    /// The figures of several runs, where the case asks for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistics: Option<Statistics>,
    /// The runs that were looked at.
    pub runs: Vec<RunSummary>,
    /// Why no answer could be had: the trace unreadable, out of time, a panic.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<TrialError>,
    /// How the violations differ from the pinned snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot_diff: Option<String>,
    /// The attempts before this one, where a runner tried the trial again and they ended in different ways. No verdict
    /// file holds them: who reads the attempts of a run together knows it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_attempts: Vec<Attempt>,
    /// The command that runs it alone, where that is not `cargo test --test evals`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerun: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
}

impl Verdict {
    /// That of the trial called `name`, before anything is known: an error without a reason.
    pub fn empty(name: &str, case: Location) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            name: name.to_owned(),
            harness: String::new(),
            suite: String::new(),
            case,
            description: None,
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
            errors: Vec::new(),
            snapshot_diff: None,
            earlier_attempts: Vec::new(),
            rerun: None,
            duration_ms: 0.0,
        }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Attempt {
    /// Its status.
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

/// Why no answer could be had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct TrialError {
    /// What happened. The first line is the claim; further lines are its causes.
    pub message: String,
    /// The place in the case's file that it is about.
    pub at: Location,
}

/// What one check found in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Finding {
    /// The check's name.
    #[serde(rename = "metric")]
    pub check: String,
    /// Its status.
    pub status: Status,
    /// What a violation costs the case.
    #[serde(rename = "stake", default, skip_serializing_if = "Effect::is_default")]
    pub effect: Effect,
    /// The run it looked at: its index in [`Verdict::runs`].
    pub run: usize,
    /// It is about all runs together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub of_all_runs: bool,
    /// Where the check is named.
    pub at: Location,
    /// Its score.
    pub score: Score,
    /// Everything that is wrong.
    pub violations: Vec<LocatedViolation>,
    /// Why it could not answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
    /// What to do about that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Each call, rule or assertion looked at.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Where the points went.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<Loss>,
    /// Numbers worth reporting.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stats: BTreeMap<String, u64>,
    /// Values taken out of the evidence, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, serde_json::Value>,
    /// How long the check took, in milliseconds.
    pub duration_ms: f64,
}

impl Finding {
    /// An empty finding of `check`, whose setting is at `place`, with status `error`.
    pub(crate) fn empty(check: &str, place: &Place) -> Self {
        Self {
            check: check.to_owned(),
            status: Status::Error,
            effect: Effect::Fail,
            run: 0,
            of_all_runs: false,
            at: place.locate(),
            score: Score::ZERO,
            violations: Vec::new(),
            unfit: None,
            help: None,
            items: Vec::new(),
            losses: Vec::new(),
            stats: BTreeMap::new(),
            values: BTreeMap::new(),
            duration_ms: 0.0,
        }
    }
}

/// What a report shows of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RunSummary {
    /// The trace's file; `None` for a trace written in the case.
    pub file: Option<String>,
    /// The format it was read as.
    pub format: String,
    /// The run's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The calls.
    pub calls: Vec<CallSummary>,
    /// The final answer, cut to what a report shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The agent's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What it cost in US dollars: as it was recorded, else by the suite's prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// What it did, step by step, in a trial that does not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<RunDetails>,
}

/// What a report shows of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct CallSummary {
    /// Its number, from 1.
    pub index: usize,
    /// The assistant turn that made it.
    pub turn: usize,
    /// The tool.
    pub name: String,
    /// The arguments as compact JSON, cut to what a report shows.
    pub arguments: String,
    /// How it ended.
    pub status: CallStatus,
}

impl CallSummary {
    /// The call number `index`, in a turn of its own and without arguments.
    pub fn new(index: usize, name: impl Into<String>, status: CallStatus) -> Self {
        Self { index, turn: index, name: name.into(), arguments: String::new(), status }
    }
}

impl Verdict {
    /// All violations, in order.
    pub fn violations(&self) -> impl Iterator<Item = &LocatedViolation> {
        self.findings.iter().flat_map(|finding| &finding.violations)
    }
}
