//! The keys of a case, each once: what the loader reads, what editors show on hover, and what the page of cases lists.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use serde::Deserialize;

use crate::JsonSchema;
use crate::case::Tier;
use crate::check::support::forms::{ExtractSettings, VerificationSettings};
use crate::check::support::reading::{Amount, Share, ShareOrUsual};
use crate::check::{AnswerScope, InputMatch, SameTurn, WrittenFailures, WrittenWeights};
use crate::json::{Json, JsonMap};
use crate::outcome::Status;
use crate::suite::agent::WrittenAgent;
use crate::suite::forms::Trace;
use crate::suite::input::{WrittenInput, WrittenStop};
use crate::suite::mocks::WrittenMocks;
use crate::suite::mutation::WrittenMutate;
use crate::suite::opinions::WrittenOpinions;
use crate::suite::run_workspace::WrittenWorkspace;
use crate::suite::several::{Changes, WrittenBaseline};
use crate::vocabulary::{
    AdapterConfig, AnswerChecks, EvalBlock, ExpectedParts, ExpectedThresholds, ExpectedTurn, OutputEffect,
};
use crate::yaml::{Checked, Elsewhere, Label, MappingOr, OneOrMany, Placed, TimeLimit, even_null};

/// The keys of a case. The settings of a metric stand beside them.
///
/// A vocabulary reads its keys itself: here they are only named and described. How a key combines with the defaults of a
/// suite is in [`super::RULES`].
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "what is elsewhere is read from the file")]
pub(in crate::suite) struct CaseKeys {
    /// The name of the trial below its file. Required where a file contains several cases.
    #[serde(default, deserialize_with = "even_null", alias = "name")]
    #[schemars(extend("x-aliases" = ["name"]))]
    pub(in crate::suite) id: Option<Placed<Label>>,
    /// A description, for people.
    pub(in crate::suite) description: Option<String>,
    /// Data of your own, such as an owner or a ticket. No check reads it, and the verdict contains it.
    pub(in crate::suite) metadata: Option<JsonMap>,
    /// A file of CSV or JSON Lines: each row is a trial, and `{{column}}` in the case is its value.
    cases: Option<Elsewhere<String>>,
    /// The same rows in the case: `[{column: value}]`. Their values keep their types.
    each: Option<Elsewhere<Vec<BTreeMap<String, Json>>>>,
    /// Files with keys of a case, which are combined with it like the defaults of a suite.
    include: Option<Elsewhere<OneOrMany<String>>>,
    /// What the agent is asked.
    #[serde(default, deserialize_with = "even_null", alias = "prompt")]
    #[schemars(extend("x-aliases" = ["prompt"]))]
    pub(in crate::suite) input: Option<Placed<Checked<WrittenInput>>>,
    /// `{contains: text}` or `{regex: pattern}`: the answer that ends the turns early.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) stop_when: Option<Checked<WrittenStop>>,
    /// Which text of the user in a run must be the input, or hold it as lines of its own: `first`, `last` or `any`.
    /// `contains`: some text has it anywhere. `false`: a run for another input counts as well. Default: `first`.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) input_match: Option<InputMatch>,
    /// The recorded run: a file, `{file, format, run, each}`, or the run itself. Default: the file `traces/<id>.*` beside
    /// this one.
    trace: Option<Elsewhere<Trace>>,
    /// The format of recorded runs that do not show it, such as a list of roles and texts: it says that their writer
    /// records calls.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) format: Option<Placed<String>>,
    /// Which results of tools are failures, where the format of the trace does not say: `never`, a matcher such as
    /// `{matches: "/^Error/"}`, or one for each tool.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) failed_when: Option<Checked<WrittenFailures>>,
    /// The agent that runs and is recorded: a name from `agents`, or the agent itself.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) agent: Option<Placed<WrittenAgent>>,
    /// The tools that arraign's own MCP server offers to the agent, and their answers.
    mocks: Option<Elsewhere<WrittenMocks>>,
    /// The folder that the agent gets to itself, anew for each run: a copy of `from`. `{}` is an empty folder.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) workspace: Option<Placed<WrittenWorkspace>>,
    /// When the case runs: `ARRAIGN_TIER=smoke` runs only the smoke cases. Default: `full`.
    #[serde(default)]
    pub(in crate::suite) tier: Tier,
    /// Tags. `ARRAIGN_TAGS` selects cases by them.
    #[serde(default)]
    pub(in crate::suite) tags: OneOrMany<String>,
    /// `true`: the trial is skipped. A text gives the reason.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) ignore: Option<WrittenIgnore>,
    /// The time limit of the trial: `3s`, `500ms`, or milliseconds. Default: 60 seconds for reading and checks; agents and
    /// judges have limits of their own.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) timeout: Option<TimeLimit>,
    /// The number of runs. The median of their scores decides, if the case has a score to reach; all other checks hold in each run.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) repeat: Option<Placed<NonZeroU32>>,
    /// The expected verdict. Default: `pass`.
    pub(in crate::suite) expect_verdict: Option<Status>,
    /// `true`: pins the violations in a snapshot. A run with other violations fails. `per_variant`: each variant of the agent has a
    /// snapshot of its own, in place of that of the baseline.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) snapshot: Option<Placed<WrittenSnapshot>>,
    /// `true`: a case that cannot fail is accepted.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) allow_vacuous: Option<bool>,
    /// `false`: the defaults of the suite do not apply to the case. Default: `true`.
    pub(in crate::suite) inherit: Option<bool>,
    /// `true`: a run without calls fails.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) require_calls: Option<Placed<bool>>,
    /// `true`: a rule that no call of the run exercises fails the trial.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) require_exercised: Option<Placed<bool>>,
    /// Changes of the run that `cargo arraign mutate` does not report for the case: `{ignore: [get_order.*, duplicate]}`.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) mutate: Option<WrittenMutate>,
    /// Whether two calls of one turn count as ordered.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) same_turn: Option<Placed<SameTurn>>,
    /// A judge's opinions by label. They replace the answers of a judge.
    #[serde(default)]
    pub(in crate::suite) opinions: WrittenOpinions,
    /// The check. Its settings are keys beside `metric`.
    metric: Option<Elsewhere<String>>,
    /// A list of checks. Each entry is one check with its settings.
    expect: Option<Elsewhere<Vec<Json>>>,
    /// MCPLab's keys: tools, their order and arguments, and assertions about the final answer.
    eval: Option<Elsewhere<EvalBlock>>,
    /// Values that are extracted from the final answer, with optional bounds.
    extract: Option<Elsewhere<Vec<ExtractSettings>>>,
    /// EvalView's keys: a hard gate and a weighted score.
    expected: Option<Elsewhere<ExpectedParts>>,
    /// The lowest score that passes, and limits on cost and time.
    thresholds: Option<Elsewhere<ExpectedThresholds>>,
    /// The weight of each part of the score.
    weights: Option<Elsewhere<WrittenWeights>>,
    /// The effect of a violated assertion in `output`.
    output_assertions: Option<Elsewhere<OutputEffect>>,
    /// How the calls are compared with the sequence.
    adapter_config: Option<Elsewhere<AdapterConfig>>,
    /// `true`: a violated sequence fails the case, whatever the score.
    sequence_required: Option<Elsewhere<bool>>,
    /// Checks of the answer that are enabled.
    checks: Option<Elsewhere<AnswerChecks>>,
    /// How much of the answer may be unsupported: a count from 1, or a share below 1.
    max_unsupported: Option<Elsewhere<Amount>>,
    /// The turns of the conversation, each with its own expectations.
    turns: Option<Elsewhere<Vec<ExpectedTurn>>>,
    /// A recorded run with which this run is compared.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) baseline: Option<Placed<WrittenBaseline>>,
    /// The differences from the baseline that fail the case.
    #[serde(default, deserialize_with = "even_null")]
    pub(in crate::suite) baseline_fail_on: Option<Placed<Checked<Changes>>>,
    /// The expected tools. A tool that is listed twice counts twice. Without any, the score is 1, and the verdict has a
    /// note.
    expected_tools: Option<Elsewhere<Vec<String>>>,
    /// The fields that the answer should contain.
    expected_fields: Option<Elsewhere<Vec<String>>>,
    /// `grounded`, `tool_called`, or the name of a check that the project registers.
    criteria: Option<Elsewhere<BTreeMap<String, bool>>>,
    /// Other words that count as a field, by field.
    field_aliases: Option<Elsewhere<BTreeMap<String, Vec<String>>>>,
    /// The text that counts as the answer.
    answer: Option<Elsewhere<AnswerScope>>,
    /// The lowest score that passes. Default: 0.7.
    pass_threshold: Option<Elsewhere<Share>>,
    /// Texts that the answer must not contain.
    forbidden_substrings: Option<Elsewhere<Vec<String>>>,
    /// Whether the agent must refuse.
    refusal_expected: Option<Elsewhere<bool>>,
    /// A label for the attack.
    attack_type: Option<Elsewhere<String>>,
    /// Checks that the agent verified its work: `true`, a threshold, or settings.
    verification: Option<Elsewhere<MappingOr<VerificationSettings, MappingOr<ShareOrUsual, bool>>>>,
}

/// `true`, `false` or the reason why the trial is skipped.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "`ignore` is true, false, or the reason")]
pub(in crate::suite) enum WrittenIgnore {
    Flag(bool),
    Reason(String),
}

/// `true`, `false` or `per_variant`.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(untagged, expecting = "`snapshot` is true, false, or `per_variant`")]
pub(in crate::suite) enum WrittenSnapshot {
    Flag(bool),
    Word(SnapshotWord),
}

/// The word for a snapshot of each variant.
#[derive(Deserialize, JsonSchema)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub(in crate::suite) enum SnapshotWord {
    PerVariant,
}
