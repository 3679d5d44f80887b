//! The case: the model that every vocabulary lowers to.

mod acp;
mod agent;
mod day;
mod expectation;
mod fingerprint;
mod fit;
mod join;
mod mocks;
mod mutation;
mod piece;
mod quarantine;
mod reach;
mod template;
mod variables;
mod variant;
mod workspace;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use acp::{AcpAgent, AcpPermissions};
pub use agent::{
    AgentDescription, AgentFrom, AgentLimits, AgentUse, CommandLine, Described, HttpCall, HttpMethod,
    InputGlob, ModelSettings, NamedAgent,
};
use arraign_trace::reader::{FileCondition, ReaderSet};
use arraign_trace::trace::TextProtocol;
pub use day::Day;
pub use expectation::{CheckSettings, Expectation};
pub use fingerprint::{AgentFingerprint, ChangeKind, FileChange, OtherMaker, UNNAMED_AGENT, VARIANT_PART};
pub use fit::{
    RecordingMatch, RecordingMismatch, StopWhen, TurnQuery, compare_input, compare_recording,
    fingerprint_input,
};
pub use join::{ContestedRun, JoinGroup, JoinedCase, JoinedRuns, RunJoiner};
pub use mocks::{MockAnswer, MockContent, MockTool, MockTools, ToolScript};
pub use mutation::{IgnoredMutations, MUTATION_SORTS, MutationSort};
pub use quarantine::{Quarantine, QuarantineEntry, QuarantinedTrial};
pub use reach::{IdleSetting, WEIGHTLESS, refuse_decided_case};
use serde::Deserialize;
use smol_str::SmolStr;
pub use template::{
    Template, TemplateError, TemplatePart, check_argument, fill_argument, split_placeholders,
};
pub use variables::{FilledText, VariableError, VariableText};
pub use variant::{BASELINE, Variant, VariantAgent};
pub use workspace::{
    AgentHome, DEFAULT_CHANGES_LIMIT, DEFAULT_COPY_LIMIT, DEFAULT_SETUP_LIMIT, HiddenFiles, LocalFolder,
    MissingFolder, WorkspaceSettings, WorkspaceTemplate,
};

use crate::JsonSchema;
use crate::check::{Check, FailedWhen, InputMatch, JudgeSettings, Prices, ReaderFailures};
use crate::evidence::Opinions;
use crate::json::{Json, JsonMap};
use crate::outcome::Status;
use crate::pattern::ToolPattern;
use crate::place::{LoadError, LoadErrors, Place};
use crate::score::Effect;
use crate::score::compare::Limits;
use crate::score::statistics::Variance;
use crate::score::{Scorecard, ScorecardPart, ScoredBy};
use crate::trace::Trace;
use crate::workspace::WorkspaceNeeds;

/// One trial: the source of its trace, and its checks.
#[derive(Clone)]
#[non_exhaustive]
pub struct Case {
    /// The id, unique in its file. `None` for a file that is one case.
    pub id: Option<String>,
    /// The place of the id, or the first line of the case.
    pub place: Place,
    /// The span of the whole case.
    pub extent: Place,
    /// The row of values that fills the placeholders of the case, if the case is one of several that its file writes as one.
    pub row: Option<Arc<CaseRow>>,
    /// The description.
    pub description: Option<String>,
    /// Data of the user, which no check reads.
    pub metadata: Option<JsonMap>,
    /// The input of the agent.
    pub input: Option<Json>,
    /// The place of the input.
    pub input_place: Option<Place>,
    /// The texts of the user in the case's turns.
    pub turns: Vec<TurnQuery>,
    /// The answer that ends the conversation before its last turn.
    pub stop_when: Option<StopWhen>,
    /// How the input is compared with that of a run, if the case or its suite says it.
    pub input_match: Option<InputMatch>,
    /// The same for all suites, if neither the case, nor its suite, nor its agent says it.
    pub shared_input_match: Option<InputMatch>,
    /// The file of rows that contains the case, if the case's file is a suite that names it as its `dataset`.
    pub dataset: Option<Arc<PathBuf>>,
    /// The source of the evidence.
    pub trace: TraceFrom,
    /// The agent that is evaluated: its recorded run is replayed, unless a live run is requested.
    pub agent: Option<Box<AgentUse>>,
    /// The variant of the agent. `None` for the agent as the case names it.
    pub variant: Option<Arc<Variant>>,
    /// The tools that are offered to the agent.
    pub mocks: Option<Arc<MockTools>>,
    /// The folder that the agent gets to itself.
    pub workspace: Option<Arc<WorkspaceSettings>>,
    /// The tier in which the case runs.
    pub tier: Tier,
    /// Tags for selection.
    pub tags: Vec<String>,
    /// The reason why the case is skipped by default.
    pub ignore: Option<Ignore>,
    /// The required number of runs, and its place. The median of the runs decides each scorecard.
    pub repeat: Option<(u32, Place)>,
    /// Requirements on several runs together. With them, a single run decides nothing.
    pub variance: Option<Box<VarianceBlock>>,
    /// The baseline of the runs.
    pub baseline: Option<Box<Baseline>>,
    /// The time limit.
    pub timeout: Option<Duration>,
    /// The status with which the trial passes: `pass` unless the case is about a bad verdict.
    pub expect_verdict: Option<Status>,
    /// Whether the case takes the defaults of its suite.
    pub inherits: bool,
    /// The gates of the suite's defaults that the case replaces by its own, with their places and keys.
    pub replaced_gates: Vec<(Place, String)>,
    /// The snapshot of the violations.
    pub snapshot: Option<CaseSnapshot>,
    /// The place of `require_calls: true`: a trace without calls is then a violation.
    pub require_calls: Option<Place>,
    /// Changes of the runs that the case need not notice.
    pub ignored_mutations: Vec<IgnoredMutations>,
    /// Opinions of a judge that are given in the case.
    pub opinions: Opinions,
    /// The judge of the suite or of `arraign.yaml`, for opinions that the case does not give.
    pub judge: Option<Arc<JudgeSettings>>,
    /// The format of runs that do not show it.
    pub format: Option<String>,
    /// Which results of tools are failures, where the format of the trace does not say.
    pub failed_when: Option<Arc<FailedWhen>>,
    /// The same for the formats of declared readers, if nothing else says it.
    pub reader_failures: ReaderFailures,
    /// The prices of tokens, if the suite gives them.
    pub prices: Prices,
    /// The readers of the traces.
    pub readers: ReaderSet,
    /// The checks, in the order of the file.
    pub expectations: Vec<Expectation>,
    /// The scorecards over the checks.
    pub scorecards: Vec<Scorecard>,
}

/// The snapshot of a case.
#[derive(Debug, Clone)]
pub struct CaseSnapshot {
    /// The place of the setting.
    pub place: Place,
    /// Whether each variant of the agent has a snapshot of its own. Otherwise, they share that of the baseline.
    pub per_variant: bool,
}

impl Case {
    /// Returns the text of the input.
    pub fn prompt(&self) -> Option<&str> {
        let input = self.input.as_ref()?;
        input.as_str().or_else(|| input.get("query")?.as_str())
    }

    /// Returns how the input is compared with that of a run of `agent`.
    pub fn find_input_match(&self, agent: Option<&AgentFingerprint>) -> InputMatch {
        let of_agent = agent.and_then(|agent| agent.input_match);
        self.input_match.or(of_agent).or(self.shared_input_match).unwrap_or_default()
    }

    /// Whether a check needs an opinion that the case does not give itself.
    pub fn asks_a_judge(&self) -> bool {
        let questions = self.expectations.iter().flat_map(|expectation| expectation.check().questions());
        questions.into_iter().any(|question| self.opinions.get(&question.label).is_none())
    }

    /// Returns a run in `format` with what the case knows of it: the statuses that follow from `failed_when`, and that its
    /// format records calls.
    pub fn settle_run<'t>(&self, trace: &'t Trace, format: &str) -> Cow<'t, Trace> {
        let rules = self.failed_when.as_ref().or_else(|| self.reader_failures.get(format));
        let mut run = rules.map_or(Cow::Borrowed(trace), |rules| rules.apply(trace));
        if let Some(format) = self.format.as_deref().filter(|format| run.is_possibly(format)) {
            run.to_mut().accept_format(format);
        }
        run
    }

    /// Whether a check of the case that decides asks how a run ended, so that the other checks need not.
    pub(crate) fn judges_end(&self) -> bool {
        let deciding = self.expectations.iter().filter(|expectation| expectation.effect != Effect::Inform);
        deciding.map(Expectation::check).any(Check::judges_end)
    }

    /// Lists the names of tools in the settings of the case, without globs.
    pub(crate) fn list_named_tools(&self) -> Vec<SmolStr> {
        let checks = self.expectations.iter().flat_map(|expectation| expectation.check().tools());
        let mocks = self.mocks.iter().flat_map(|mocks| mocks.script.list_tools());
        let failures = self.failed_when.iter().flat_map(|rules| rules.tools());
        let patterns = checks.chain(failures).filter_map(ToolPattern::exact);
        patterns.chain(mocks.map(|tool| tool.name.as_str())).map(SmolStr::new).collect()
    }

    /// Returns what the checks of the case read of its workspace.
    pub fn workspace_needs(&self) -> WorkspaceNeeds {
        let needs = self.expectations.iter().map(|expectation| expectation.check().workspace_needs());
        needs.fold(WorkspaceNeeds::default(), WorkspaceNeeds::join)
    }

    /// Whether a check looks at what a verifier gave a run.
    pub fn reads_reward(&self) -> bool {
        self.expectations.iter().any(|expectation| expectation.check().reads_reward())
    }

    /// Whether a check runs a program.
    pub fn runs_programs(&self) -> bool {
        self.expectations.iter().any(|expectation| !expectation.check().programs().is_empty())
    }

    /// Returns the place that names the trace or its agent, else the place of the case.
    pub fn trace_place(&self) -> &Place {
        match (&self.trace, &self.agent) {
            (TraceFrom::File(file), _) => &file.place,
            (_, Some(agent)) => &agent.place,
            (TraceFrom::Inline(_) | TraceFrom::Lookup, None) => &self.place,
        }
    }
}

/// The row of values that one of several cases has, which their file writes as one.
#[derive(Debug)]
pub struct CaseRow {
    /// The name of the row, unique among the rows of the case.
    pub key: String,
    /// The row in its table.
    pub place: Place,
    /// The columns that the case does not use, and the place of the table. Only the first row lists them.
    pub unused: Option<(Place, Vec<String>)>,
}

/// The source of a case's evidence.
#[derive(Debug, Clone)]
pub enum TraceFrom {
    /// An inline trace.
    Inline(Box<Trace>),
    /// A recorded file, or several files by a glob.
    File(TraceFile),
    /// No trace is named: it is looked up by the stem of the file and the id of the case.
    Lookup,
}

impl TraceFrom {
    /// Returns what the trace itself says of failures.
    pub(crate) fn failed_when(&self) -> Option<&Arc<FailedWhen>> {
        match self {
            Self::File(file) => file.failed_when.as_ref(),
            Self::Inline(_) | Self::Lookup => None,
        }
    }
}

/// A trace file that a case names.
#[derive(Debug, Clone)]
pub struct TraceFile {
    /// The place of the name.
    pub place: Place,
    /// The path or glob, relative to the case's file, with its templates filled in.
    pub path: String,
    /// Whether the path is the folder of a Harbor job, of which each trial is a run.
    pub is_harbor_job: bool,
    /// The format, if it is not detected.
    pub format: Option<String>,
    /// The condition of the file.
    pub condition: FileCondition,
    /// The selected runs of the file.
    pub runs: RunSelection,
    /// What the case knows of the runs in the file.
    pub reading: RunReading,
    /// Which results of tools are failures.
    pub failed_when: Option<Arc<FailedWhen>>,
    /// Whether the suite names the file for all its cases.
    pub by_default: bool,
    /// The cases of a suite that have the file by its defaults, and the number of this case among them.
    pub joined: Option<(Arc<JoinGroup>, usize)>,
}

impl TraceFile {
    /// Selects all runs of the file at `path`.
    pub(crate) fn new(place: Place, path: String) -> Self {
        Self {
            place,
            path,
            is_harbor_job: false,
            format: None,
            condition: FileCondition::default(),
            runs: RunSelection::All,
            reading: RunReading::default(),
            failed_when: None,
            by_default: false,
            joined: None,
        }
    }
}

/// What a case knows of the runs in a file, and their reader does not.
#[derive(Debug, Clone, Default)]
pub struct RunReading {
    /// The kinds of unknown parts without calls.
    pub harmless: Vec<String>,
    /// Whether reasoning in a text is a part of the text.
    pub reasoning: ReasoningTexts,
    /// The protocol of the calls that the model writes as text.
    pub calls_in_text: Option<TextProtocol>,
}

impl RunReading {
    /// Applies what is known to a run.
    pub(crate) fn apply(&self, run: &mut Trace) {
        if let Some(protocol) = self.calls_in_text {
            run.read_text_calls(protocol);
        }
        if self.reasoning == ReasoningTexts::Keep {
            run.restore_reasoning();
        }
        // Parts that are left unread are declared harmless last.
        if !self.harmless.is_empty() {
            run.accept_harmless(&self.harmless);
        }
    }

    /// Whether [`Self::apply`] may change a run.
    pub(crate) fn concerns(&self, run: &Trace) -> bool {
        let has_unread = !self.harmless.is_empty() || self.calls_in_text.is_some();
        has_unread && !run.unread.is_empty() || self.reasoning == ReasoningTexts::Keep
    }
}

/// The order of the records in a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum RecordOrder {
    /// The oldest record comes first. The default.
    #[default]
    Written,
    /// The newest record comes first, as consoles of log services export them.
    Reversed,
}

/// What reasoning in a text of the model is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum ReasoningTexts {
    /// It is no part of the answer. The default.
    #[default]
    Split,
    /// It is a part of the answer.
    Keep,
}

/// The runs of a trace file that a case selects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunSelection {
    /// All runs, in one trial.
    All,
    /// One trial for each run.
    Each,
    /// The run with this id, or with this index from 1.
    One(String),
}

/// Requirements on several runs together (`thresholds.variance`).
#[derive(Clone)]
pub struct VarianceBlock {
    /// The place of the block.
    pub place: Place,
    /// The requirements.
    pub variance: Variance,
    /// The places of the requirements.
    pub settings: CheckSettings,
}

/// A recorded run that was accepted, and the allowed differences.
#[derive(Debug, Clone)]
pub struct Baseline {
    /// The place of its name.
    pub place: Place,
    /// The file, relative to the case's file.
    pub file: String,
    /// The allowed differences.
    pub limits: Limits,
}

/// The tier of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// The case runs always.
    Smoke,
    /// The case runs in full runs only.
    #[default]
    Full,
}

/// Marks a case that is skipped by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignore {
    /// The reason, if one is given.
    pub reason: Option<String>,
}

/// The result of lowering a block of a vocabulary.
#[derive(Default)]
pub struct LoweredBlock {
    /// The checks.
    pub expectations: Vec<Expectation>,
    /// The scorecards over these checks. The index of a part is the index of a check.
    pub scorecards: Vec<Scorecard>,
}

impl LoweredBlock {
    /// Adds the result of another block.
    pub fn extend(&mut self, mut other: LoweredBlock) {
        // The usual case has one block, which is taken as it is.
        if self.expectations.is_empty() && self.scorecards.is_empty() {
            *self = other;
            return;
        }
        let before = self.expectations.len();
        for part in other.scorecards.iter_mut().flat_map(|card| &mut card.parts) {
            // The expectations of the other block come behind those of this one.
            if let ScoredBy::Expectation(at) = &mut part.scored_by {
                *at += before;
            }
        }
        self.expectations.append(&mut other.expectations);
        self.scorecards.append(&mut other.scorecards);
    }

    /// Resolves the names of weighed checks to indices. A part without a check is an error, at the place that
    /// `weighed_at` returns.
    pub fn resolve(&mut self, weighed_at: impl Fn(&str) -> Option<Place>) -> Result<(), LoadErrors> {
        // A scorecard may weigh a check that another block of the case adds, so names are resolved after all blocks.
        let expectations = &self.expectations;
        let mut errors = LoadErrors::new();
        for card in &mut self.scorecards {
            for part in card.parts.iter_mut().filter(|part| part.scored_by == ScoredBy::Check) {
                let found = expectations.iter().position(|expectation| expectation.check == part.name);
                if let Some(at) = found {
                    part.scored_by = ScoredBy::Expectation(at);
                } else {
                    let place = weighed_at(&part.name).unwrap_or_else(|| card.threshold.place.clone());
                    errors.push(missing_part_error(part, place));
                }
            }
        }
        errors.or(())
    }
}

fn missing_part_error(part: &ScorecardPart, place: Place) -> LoadError {
    LoadError::new(place, format!("`{}` is weighed, and the case has no check of that name", part.name))
        .help("add the check, or take it out of the weights")
}

impl From<Vec<Expectation>> for LoweredBlock {
    fn from(expectations: Vec<Expectation>) -> Self {
        Self { expectations, scorecards: Vec::new() }
    }
}
