//! The case: what every vocabulary lowers to.

mod agent;
mod template;
mod variables;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

pub use agent::{AgentFrom, AgentUse, CommandLine, Described, HttpCall, HttpMethod, NamedAgent};
pub use template::Template;
pub use variables::{Filled, WithVariables};

use crate::check::{Check, JudgeSettings, Kind, Prices, Scope};
use crate::evidence::Opinions;
use crate::outcome::Status;
use crate::place::{LoadError, LoadErrors, Location, Place};
use crate::score::compare::Limits;
use crate::score::statistics::Variance;
use crate::score::{Part, Scorecard, ScoredBy, Stake};
use crate::trace::Trace;
use crate::yaml::{Document, Node};

/// One trial: where its trace comes from, and what is expected of it.
#[non_exhaustive]
pub struct Case {
    /// Its id, unique in its file; `None` for a file that is one case.
    pub id: Option<String>,
    /// Where it stands: its id, or its first line.
    pub place: Place,
    /// All of it.
    pub extent: Place,
    /// What it is about.
    pub description: Option<String>,
    /// What the agent was asked.
    pub input: Option<serde_json::Value>,
    /// Where the evidence comes from.
    pub trace: TraceFrom,
    /// The agent whose run is looked at: its recording is replayed, unless it is asked to run.
    pub agent: Option<Box<AgentUse>>,
    /// When it runs.
    pub tier: Tier,
    /// Words to select it by.
    pub tags: Vec<String>,
    /// Not run by default.
    pub ignore: Option<Ignore>,
    /// How many runs there must be, and where that is said: their median decides each scorecard.
    pub repeat: Option<(u32, Place)>,
    /// What several runs must come to; a single one then decides nothing.
    pub variance: Option<Box<VarianceBlock>>,
    /// A recorded run that was good.
    pub baseline: Option<Box<Baseline>>,
    /// How long it may take.
    pub timeout: Option<Duration>,
    /// The status that makes the trial pass; `pass` unless a bad verdict is the point.
    pub expect_verdict: Option<Status>,
    /// Where `snapshot: true` stands.
    pub snapshot: Option<Place>,
    /// Where `require_calls: true` stands: a trace without calls is a violation.
    pub require_calls: Option<Place>,
    /// What a judge thinks of the run, where the case says it itself.
    pub opinions: Opinions,
    /// The judge that its suite, or `arraign.yaml`, names for what the case does not say itself.
    pub judge: Option<Arc<JudgeSettings>>,
    /// What tokens cost, where its suite says so.
    pub prices: Prices,
    /// The checks, in the file's order.
    pub expectations: Vec<Expectation>,
    /// What they are worth together.
    pub scorecards: Vec<Scorecard>,
}

impl Case {
    /// The text of what the agent was asked.
    pub fn prompt(&self) -> Option<&str> {
        let input = self.input.as_ref()?;
        input.as_str().or_else(|| input.get("query")?.as_str())
    }

    /// Whether a check needs an opinion that the case does not give itself.
    pub fn asks_a_judge(&self) -> bool {
        let questions = self.expectations.iter().flat_map(|expectation| expectation.check().questions());
        questions.into_iter().any(|question| self.opinions.get(&question.label).is_none())
    }

    /// Where the trace or its agent is named; the case's own place when neither is.
    pub fn trace_place(&self) -> &Place {
        match (&self.trace, &self.agent) {
            (TraceFrom::File(file), _) => &file.place,
            (_, Some(agent)) => &agent.place,
            (TraceFrom::Inline(_) | TraceFrom::Lookup, None) => &self.place,
        }
    }
}

/// Where a case's evidence comes from.
#[derive(Debug)]
pub enum TraceFrom {
    /// Written in the case.
    Inline(Box<Trace>),
    /// A recorded file, or several by a glob.
    File(TraceFile),
    /// Not said: looked up by the file's stem and the case's id.
    Lookup,
}

/// A recorded trace that a case names.
#[derive(Debug, Clone)]
pub struct TraceFile {
    /// Where it is named.
    pub place: Place,
    /// The path or glob, relative to the case's file, its templates filled in.
    pub path: String,
    /// The reader to use, instead of detection.
    pub format: Option<String>,
    /// Which of the file's runs.
    pub runs: Runs,
}

/// Which runs of a trace file a case is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// All of them, in one trial.
    All,
    /// Each in a trial of its own.
    Each,
    /// The one with this id, or of this index from 1.
    One(String),
}

/// What several runs must come to (`thresholds.variance`).
pub struct VarianceBlock {
    /// Where it stands.
    pub place: Place,
    /// What it says.
    pub variance: Variance,
    /// Its parts and their places.
    pub settings: Settings,
}

/// A recorded run that was good, and how far from it a run may be.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// Where it is named.
    pub place: Place,
    /// Its file, relative to the case's.
    pub file: String,
    /// How far a run may be from it.
    pub limits: Limits,
}

/// When a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// In every run.
    Smoke,
    /// In full runs.
    #[default]
    Full,
}

/// Why a case is ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// The reason, where one is given.
    pub reason: Option<String>,
}

/// What a block of a vocabulary lowers to.
#[derive(Default)]
pub struct Lowered {
    /// Its checks.
    pub expectations: Vec<Expectation>,
    /// What they are worth together; a part's index is one of these expectations.
    pub scorecards: Vec<Scorecard>,
}

impl Lowered {
    /// Adds what another block lowers to.
    pub fn extend(&mut self, mut other: Lowered) {
        if self.expectations.is_empty() && self.scorecards.is_empty() {
            *self = other;
            return;
        }
        let before = self.expectations.len();
        for part in other.scorecards.iter_mut().flat_map(|card| &mut card.parts) {
            if let ScoredBy::Expectation(at) = &mut part.scored_by {
                *at += before;
            }
        }
        self.expectations.append(&mut other.expectations);
        self.scorecards.append(&mut other.scorecards);
    }

    /// Finds the checks that scorecards weigh by their name; the part that no check of the case answers is the error,
    /// shown where `weighed_at` says that its weight stands.
    pub fn resolve(&mut self, weighed_at: impl Fn(&str) -> Option<Place>) -> Result<(), LoadErrors> {
        let (expectations, mut errors) = (&self.expectations, LoadErrors::new());
        for card in &mut self.scorecards {
            for part in card.parts.iter_mut().filter(|part| part.scored_by == ScoredBy::Check) {
                let found = expectations.iter().position(|expectation| expectation.check == part.name);
                if let Some(at) = found {
                    part.scored_by = ScoredBy::Expectation(at);
                } else {
                    let place = weighed_at(&part.name).unwrap_or_else(|| card.threshold.place.clone());
                    errors.push(not_in_case(part, place));
                }
            }
        }
        errors.or(())
    }
}

fn not_in_case(part: &Part, place: Place) -> LoadError {
    LoadError::new(place, format!("`{}` is weighed, and the case has no check of that name", part.name))
        .help("add the check, or take it out of the weights")
}

impl From<Vec<Expectation>> for Lowered {
    fn from(expectations: Vec<Expectation>) -> Self {
        Self { expectations, scorecards: Vec::new() }
    }
}

/// One check with its settings and their place.
pub struct Expectation {
    /// The check's name.
    pub check: &'static str,
    /// Where the check is named.
    pub place: Place,
    /// What a violation costs the case.
    pub stake: Stake,
    /// The turn of the conversation that it is about, from 1; `None` for the whole run.
    pub turn: Option<usize>,
    /// Whether the check looks at tool calls.
    pub looks_at_calls: bool,
    settings: Settings,
    run: Box<dyn Check>,
}

/// Where the settings of a check stand in their file.
pub struct Settings {
    document: Arc<Document>,
    path: String,
}

impl Settings {
    /// The value at the JSON pointer `path` of `document`.
    pub fn new(document: &Arc<Document>, path: impl Into<String>) -> Self {
        Self { document: Arc::clone(document), path: path.into() }
    }

    /// The settings themselves.
    pub fn node(&self) -> Option<Node<'_>> {
        self.document.root().pointer(&self.path)
    }

    /// Settings inside these.
    pub fn at(&self, pointer: &str) -> Self {
        Self::new(&self.document, format!("{}{pointer}", self.path))
    }

    /// Where the value at `pointer` inside the settings stands; the nearest value above it if there is none.
    pub fn locate(&self, pointer: &str) -> Option<Location> {
        let settings = self.node()?;
        let mut pointer = pointer;
        loop {
            if let Some(node) = settings.pointer(pointer).filter(|_| !pointer.is_empty()) {
                return Some(node.place().locate());
            }
            pointer = &pointer[..pointer.rfind('/')?];
        }
    }
}

impl Expectation {
    /// Reads the settings of `kind`. A check that refuses no evidence is a mistake, unless that is allowed.
    pub fn read(
        kind: &Kind,
        place: Place,
        settings: Settings,
        node: Node<'_>,
        scope: &Scope<'_>,
        allow_vacuous: bool,
    ) -> Result<Self, LoadErrors> {
        let run = (kind.read)(node, scope)?;
        if !allow_vacuous && !(kind.only_reports)(node) && is_vacuous(run.as_ref()) {
            return Err(LoadError::new(
                place,
                format!("this `{}` cannot fail: there is no run that it refuses", kind.name),
            )
            .help("make it ask for something, or say `allow_vacuous: true` on the case")
            .into());
        }
        Ok(Self {
            check: kind.name,
            place,
            stake: Stake::Must,
            turn: None,
            looks_at_calls: kind.looks_at_calls,
            settings,
            run,
        })
    }

    /// Says what a violation costs the case.
    pub fn at_stake(self, stake: Stake) -> Self {
        Self { stake, ..self }
    }

    /// The check, ready to be asked.
    pub fn check(&self) -> &dyn Check {
        self.run.as_ref()
    }

    /// Its settings in the case's file.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Where the setting that `pointer` means stands in the case's file.
    pub fn locate(&self, pointer: &str) -> Location {
        self.settings.locate(pointer).unwrap_or_else(|| self.place.locate())
    }
}

/// Whether `check` is vacuous. A check that panics here is not: its trial reports the panic.
fn is_vacuous(check: &dyn Check) -> bool {
    catch_unwind(AssertUnwindSafe(|| check.is_vacuous())).unwrap_or(false)
}
